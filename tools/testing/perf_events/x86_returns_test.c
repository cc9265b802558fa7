// SPDX-License-Identifier: GPL-2.0
/* Events that are added again: reuse of their struct x86_count, and its changes in between */
#include "x86_events.h"

static struct x86_count *count_of(int i)
{
	return x86_event_count(&counted[i].event);
}

/* Open an event of user space, or of the kernel. */
static void open_one(int i, u64 config, bool kernel)
{
	struct perf_event_attr attr = {
		.config = config, .exclude_kernel = !kernel, .exclude_user = kernel,
	};

	assert(!open_event(&counted[i], &attr));
}

/* Add an event. Return: true if it is on */
static bool comes(int i)
{
	struct section before = now();
	int err;

	perf_pmu_disable(&core.pmu);
	err = core.pmu.add(&counted[i].event, PERF_EF_START);
	perf_pmu_enable(&core.pmu);
	if (err)
		return false;
	counted[i].on = true;
	has_begun(&counted[i], before);
	return true;
}

/* Remove an event. */
static void leaves(int i)
{
	perf_pmu_disable(&core.pmu);
	remove_event(&counted[i], now());
	perf_pmu_enable(&core.pmu);
}

static bool ends_right(void)
{
	int i;

	machine_run(1000);
	if (!all_right())
		return false;
	for (i = 0; i < EVENTS; i++) {
		if (counted[i].on)
			leaves(i);
	}
	return all_right() && !harness_warned;
}

/* The counter of an event that is added again is not programmed again. */
static bool count_is_kept(void)
{
	const struct x86_count *count;
	u64 select;

	start_machine(&with_control, 1, 4000);
	open_one(0, ANY_CODE, false);
	if (!comes(0))
		return false;
	count = count_of(0);
	machine_run(1000);
	leaves(0);
	select = machine.select[count->counter];
	machine.writes = 0;
	/* Only the control register is written. */
	return comes(0) && count_of(0) == count && machine.writes == 1 &&
	       machine.select[count->counter] == select && ends_right();
}

/* Before the event is added again, other events use all counters. */
static bool counter_is_taken(void)
{
	int i;

	start_machine(&with_control, 1, 4000);
	for (i = 0; i <= MACHINE_GENERAL; i++)
		open_one(i, ANY_CODE | i << 8, false);
	if (!comes(0))
		return false;
	leaves(0);
	for (i = 1; i <= MACHINE_GENERAL; i++) {
		if (!comes(i))
			return false;
	}
	machine_run(1000);
	if (comes(0))
		return false;
	leaves(2);
	return comes(0) && ends_right();
}

/* Before the event is added again, its struct x86_count is used for another select. */
static bool storage_is_reused(void)
{
	u64 id;

	start_machine(&with_control, 1, 4000);
	open_one(0, ANY_CODE, false);
	open_one(1, ANY_CODE, true);
	if (!comes(0))
		return false;
	id = counted[0].event.hw.last_tag;
	leaves(0);
	x86_clear_unused(&x86_pmu_cpu);
	if (!comes(1))
		return false;
	return id && counted[1].event.hw.last_tag % X86_COUNTS_MAX == id % X86_COUNTS_MAX &&
	       comes(0) && count_of(0) != count_of(1) && ends_right();
}

/* The event was on another CPU. On this CPU, the count of the same number has another select. */
static bool cpu_is_another(void)
{
	start_machine(&with_control, 1, 4000);
	open_one(0, ANY_CODE, false);
	open_one(1, ANY_CODE, true);
	if (!comes(1))
		return false;
	counted[0].event.hw.last_tag = count_of(1)->id;
	counted[0].event.hw.last_cpu = 1;
	return comes(0) && count_of(0) != count_of(1) && ends_right();
}

/* Before the event is added again, its count has as many sampling events as allowed. */
static bool count_is_full(void)
{
	struct perf_event_attr attr = {
		.config = ANY_CODE, .exclude_kernel = true, .sample_period = 1000,
	};
	const struct x86_count *count;
	int i;

	start_machine(&with_control, 1, 4000);
	for (i = 0; i <= X86_COUNT_SAMPLING_MAX; i++)
		assert(!open_event(&counted[i], &attr));
	for (i = 0; i < X86_COUNT_SAMPLING_MAX; i++) {
		if (!comes(i))
			return false;
	}
	count = count_of(0);
	leaves(0);
	return comes(X86_COUNT_SAMPLING_MAX) && count_of(X86_COUNT_SAMPLING_MAX) == count &&
	       comes(0) && count_of(0) != count && ends_right();
}

/*
 * If a count is full, a second count with the same select is made. When the first count has room
 * again, events of both share its counter, so that four selects fit on four counters.
 */
static bool second_count_is_left(void)
{
	struct perf_event_attr attr = {
		.config = ANY_CODE, .exclude_kernel = true, .sample_period = 1000,
	};
	int i, n = X86_COUNT_SAMPLING_MAX;

	start_machine(&with_control, 1, 4000);
	for (i = 0; i <= n; i++)
		assert(!open_event(&counted[i], &attr));
	for (; i < n + MACHINE_GENERAL; i++) {
		attr.config = ANY_CODE | i << 8;
		assert(!open_event(&counted[i], &attr));
	}
	for (i = 0; i <= n; i++) {
		if (!comes(i))
			return false;
	}
	if (count_of(n) == count_of(n - 1))
		return false;
	for (i = 0; i <= n; i++)
		leaves(i);
	for (i = n - 1; i < n + MACHINE_GENERAL; i++) {
		if (!comes(i))
			return false;
	}
	return count_of(n) == count_of(n - 1) && ends_right();
}

static void open_extra(int i, u64 value)
{
	struct perf_event_attr attr = {
		.config = EXTRA_CODE, .config1 = value, .exclude_kernel = true,
	};

	assert(!open_event(&counted[i], &attr));
}

/*
 * Before the event is added again, the extra register of the event, and then both extra registers,
 * have values for other events. The event keeps its counter, because the other events use a counter
 * that was free before.
 */
static bool register_is_changed(void)
{
	int i;

	start_machine(&with_control, 1, 4000);
	for (i = 0; i < 3; i++)
		open_extra(i, 1 + i);
	open_one(3, ANY_CODE, false);
	if (!comes(3) || !comes(0))
		return false;
	leaves(0);
	leaves(3);
	if (!comes(1) || !comes(0) || !all_right())
		return false;
	leaves(0);
	if (!comes(2) || comes(0) || !all_right())
		return false;
	leaves(1);
	return comes(0) && ends_right();
}

/* Before events are added again, the administrator forbids equal events to share a counter. */
static bool sharing_ends(void)
{
	bool ok;

	start_machine(&with_control, 1, 4000);
	open_one(0, ANY_CODE, false);
	open_one(1, ANY_CODE, false);
	if (!comes(0) || !comes(1) || count_of(0) != count_of(1))
		return false;
	leaves(1);
	leaves(0);
	x86_share = false;
	ok = comes(0) && comes(1) && count_of(0) != count_of(1) && ends_right();
	x86_share = true;
	return ok;
}

/* Before the event is added again, the CPU is suspended, and its registers are reset. */
static bool cpu_was_suspended(void)
{
	start_machine(&with_control, 1, 4000);
	open_one(0, ANY_CODE, false);
	if (!comes(0))
		return false;
	leaves(0);
	x86_cpu_stop(&x86_pmu_cpu);
	x86_cpu_start(&x86_pmu_cpu, &core, false);
	x86_resume_reprogram(&x86_pmu_cpu);
	return comes(0) && ends_right();
}

/* The event is stopped when it is removed, and is started after it is added again. */
static bool event_is_stopped(void)
{
	struct section before;

	start_machine(&with_control, 1, 4000);
	open_one(0, ANY_CODE, false);
	if (!comes(0))
		return false;
	before = now();
	core.pmu.stop(&counted[0].event, PERF_EF_UPDATE);
	has_ended(&counted[0], before);
	leaves(0);
	machine_run(1000);
	perf_pmu_disable(&core.pmu);
	if (core.pmu.add(&counted[0].event, 0))
		return false;
	perf_pmu_enable(&core.pmu);
	counted[0].on = true;
	machine_run(1000);
	if (!all_right())
		return false;
	before = now();
	core.pmu.start(&counted[0].event, 0);
	has_begun(&counted[0], before);
	return ends_right();
}

int main(void)
{
	ktap_plan(10);
	ktap_result(count_is_kept(), "count_is_kept");
	ktap_result(counter_is_taken(), "counter_is_taken");
	ktap_result(storage_is_reused(), "storage_is_reused");
	ktap_result(cpu_is_another(), "cpu_is_another");
	ktap_result(count_is_full(), "count_is_full");
	ktap_result(second_count_is_left(), "second_count_is_left");
	ktap_result(register_is_changed(), "register_is_changed");
	ktap_result(sharing_ends(), "sharing_ends");
	ktap_result(cpu_was_suspended(), "cpu_was_suspended");
	ktap_result(event_is_stopped(), "event_is_stopped");
	return ktap_end();
}
