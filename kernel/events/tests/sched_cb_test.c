// SPDX-License-Identifier: GPL-2.0
/* The static key of the hooks of context switches. Included at the end of sched_cb.c. */
#include <kunit/test.h>

/**
 * struct sched_cb_test_switch - a context switch on another CPU, with interrupts off
 * @begun: the first half of the switch has ended
 * @ended: the second half may begin
 * @hooks_on: the hooks were enabled all the time between the two halves
 */
struct sched_cb_test_switch {
	bool	begun;
	bool	ended;
	bool	hooks_on;
};

static void sched_cb_test_switch(void *info)
{
	struct sched_cb_test_switch *s = info;
	int i;

	lockdep_assert_irqs_disabled();
	/* Pairs with hooks_stay_enabled_within_a_switch(). */
	smp_store_release(&s->begun, true);
	for (i = 0; i < 20000 && static_key_enabled(&perf_sched_events); i++)
		cpu_relax();
	s->hooks_on = static_key_enabled(&perf_sched_events);
	/* Pairs with hooks_stay_enabled_within_a_switch(). */
	smp_store_release(&s->ended, true);
}

/*
 * The last events are removed between the halves of a switch on another CPU. The hooks stay enabled
 * until the switch has ended: its second half enables PMUs that the first half has disabled.
 */
static void hooks_stay_enabled_within_a_switch(struct kunit *test)
{
	struct sched_cb_test_switch s = { };
	int there;

	/* The two loops below must not run on the CPU of the switch. */
	set_cpus_allowed_ptr(current, cpumask_of(raw_smp_processor_id()));
	there = cpumask_any_but(cpu_online_mask, raw_smp_processor_id());
	if (!cancel_delayed_work_sync(&sched_events_work))
		perf_sched_events_get();
	if (there >= nr_cpu_ids || atomic_read(&perf_sched_users) > 1) {
		perf_sched_events_put();
		kunit_skip(test, "needs two CPUs, and no events of other users");
	}
	KUNIT_EXPECT_TRUE(test, static_key_enabled(&perf_sched_events));
	if (smp_call_function_single(there, sched_cb_test_switch, &s, false)) {
		perf_sched_events_put();
		KUNIT_FAIL(test, "CPU %d is offline", there);
		return;
	}
	/* Pairs with sched_cb_test_switch(). */
	while (!smp_load_acquire(&s.begun))
		cpu_relax();
	perf_sched_events_off(NULL);
	/* Pairs with sched_cb_test_switch(). */
	while (!smp_load_acquire(&s.ended))
		cpu_relax();
	KUNIT_EXPECT_TRUE(test, s.hooks_on);
	KUNIT_EXPECT_FALSE(test, static_key_enabled(&perf_sched_events));
}

static struct kunit_case sched_cb_cases[] = {
	KUNIT_CASE(hooks_stay_enabled_within_a_switch),
	{}
};

static struct kunit_suite sched_cb_suite = {
	.name		= "perf_sched_cb",
	.test_cases	= sched_cb_cases,
};

kunit_test_suite(sched_cb_suite);
