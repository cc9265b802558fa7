// SPDX-License-Identifier: GPL-2.0
/* The static key of the hooks of context switches. Included at the end of sched_cb.c. */
#include <kunit/test.h>

/**
 * struct sched_cb_test_switch - a context switch on another CPU, with interrupts off
 * @remover: task that removes the last events between the two halves
 * @begun: the first half of the switch has ended
 * @ended: the second half may begin
 * @waits: @remover waits for the end of the switch
 * @hooks_on: the hooks were enabled all the time between the two halves
 */
struct sched_cb_test_switch {
	const struct task_struct	*remover;
	bool				begun;
	bool				ended;
	bool				waits;
	bool				hooks_on;
};

/* Does the task wait in perf_sched_events_off()? A task that is preempted is TASK_RUNNING. */
static bool sched_cb_test_waits(const struct task_struct *remover)
{
	return !atomic_read(&perf_sched_users) && READ_ONCE(remover->__state) != TASK_RUNNING;
}

static void sched_cb_test_switch(void *info)
{
	struct sched_cb_test_switch *s = info;
	int i;

	lockdep_assert_irqs_disabled();
	/* Pairs with sched_cb_test_remove(). */
	smp_store_release(&s->begun, true);
	for (i = 0; i < 100000 && static_key_enabled(&perf_sched_events) && !s->waits; i++) {
		cpu_relax();
		s->waits = sched_cb_test_waits(s->remover);
	}
	s->hooks_on = static_key_enabled(&perf_sched_events);
	/* Pairs with sched_cb_test_remove(). */
	smp_store_release(&s->ended, true);
}

/*
 * Remove the last events during a switch on the CPU @there. Return: false without a result, because
 * the switch has ended before the events were removed, or another task has opened events
 */
static bool sched_cb_test_remove(struct kunit *test, int there)
{
	struct sched_cb_test_switch s = { .remover = current };

	if (!cancel_delayed_work_sync(&sched_events_work))
		perf_sched_events_get();
	if (atomic_read(&perf_sched_users) > 1) {
		perf_sched_events_put();
		return false;
	}
	KUNIT_EXPECT_TRUE(test, static_key_enabled(&perf_sched_events));
	if (smp_call_function_single(there, sched_cb_test_switch, &s, false)) {
		perf_sched_events_put();
		KUNIT_FAIL(test, "CPU %d is offline", there);
		return true;
	}
	/* Pairs with sched_cb_test_switch(). */
	while (!smp_load_acquire(&s.begun))
		cpu_relax();
	perf_sched_events_off(NULL);
	/* Pairs with sched_cb_test_switch(). */
	while (!smp_load_acquire(&s.ended))
		cpu_relax();
	if (s.hooks_on && !s.waits)
		return false;
	KUNIT_EXPECT_TRUE(test, s.hooks_on);
	KUNIT_EXPECT_FALSE(test, static_key_enabled(&perf_sched_events));
	return true;
}

/*
 * The last events are removed between the halves of a switch on another CPU. The hooks stay enabled
 * until the switch has ended: its second half enables PMUs that the first half has disabled.
 */
static void hooks_stay_enabled_within_a_switch(struct kunit *test)
{
	int i, there;

	/* The loops of sched_cb_test_remove() must not run on the CPU of the switch. */
	set_cpus_allowed_ptr(current, cpumask_of(raw_smp_processor_id()));
	there = cpumask_any_but(cpu_online_mask, raw_smp_processor_id());
	if (there >= nr_cpu_ids)
		kunit_skip(test, "needs two CPUs");
	for (i = 0; i < 20; i++) {
		if (sched_cb_test_remove(test, there))
			return;
	}
	kunit_skip(test, "preempted, or events of other users, in each of %d attempts", i);
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
