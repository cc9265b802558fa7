// SPDX-License-Identifier: GPL-2.0
/*
 * Random operations with branch records: tasks are switched, call, return and jump, events are
 * opened and closed, and interrupts take samples. x86_branch_unit_test.c tests single operations.
 */
#include "x86_branch.h"

static void change_events(void)
{
	bool had = has_users();
	int i = any(ARRAY_SIZE(events));

	if (on[i])
		x86_branch_del(&x86_pmu_cpu, &events[i]);
	else if (x86_branch_add(&x86_pmu_cpu, &events[i]))
		return;
	on[i] = !on[i];
	enable_pmu();
	if (!had && has_users())
		begin(current_task, false);
}

/* A debug exception before a switch or an interrupt. No branch is missed, but calls are lost. */
static void except(void)
{
	if (any(10))
		return;
	raise_debug_exception();
	if (!is_in_row())
		current_task->nr_calls = 0;
}

static void switch_tasks(void)
{
	struct task *next = &tasks[any(TASKS)];
	bool saved = is_stack() && has_users();
	u64 mask = 0;
	int i;

	if (next == current_task)
		return;
	except();
	current_task->task.nvcsw++;
	if (has_users())
		x86_branch_sched_task(&current_task->context, &current_task->task, false);
	if (any(10) == 0)
		sleep_deeply();
	/* Schedule the events of the task out, and those of the next task in. */
	if (any(2)) {
		for (i = 0; i < ARRAY_SIZE(events); i++) {
			if (!on[i])
				continue;
			x86_branch_del(&x86_pmu_cpu, &events[i]);
			mask |= BIT_ULL(i);
		}
		if (any(2))
			enable_pmu();
		for (i = 0; i < ARRAY_SIZE(events); i++) {
			if (mask & BIT_ULL(i))
				x86_branch_add(&x86_pmu_cpu, &events[i]);
		}
	}
	if (!saved)
		current_task->nr_calls = 0;
	current_task = next;
	if (has_users())
		x86_branch_sched_task(&current_task->context, &current_task->task, true);
	begin(current_task, is_stack() && has_users());
	enable_pmu();
}

/* An interrupt without samples. An overflow after the interrupt has no effect on the unit. */
static void interrupt_without_samples(void)
{
	struct x86_pmu_cpu *cpu = &x86_pmu_cpu;

	interrupted = true;
	x86_branch_end_interrupt(cpu, x86_branch_begin_interrupt(cpu));
	x86_branch_check_frozen(cpu, 0);
	interrupted = false;
}

static bool run(const struct config *config, u64 seed)
{
	int i;

	start(config, seed);
	if (!core.branches.ops)
		return false;
	for (i = 0; i < 300; i++) {
		switch (any(5)) {
		case 0:
			change_events();
			break;
		case 1:
			switch_tasks();
			break;
		case 2:
			except();
			if (!any(4)) {
				interrupt_without_samples();
			} else if (!sample()) {
				printf("# step %d of seed %llu\n", i, (unsigned long long)seed);
				return false;
			}
			break;
		default:
			run_task(any(any(2) ? 5 : 80));
		}
		if (harness_warned)
			return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	int seconds = argc > 1 ? atoi(argv[1]) : 2, failed = 0;
	unsigned int i;

	printf("1..%zu\n", ARRAY_SIZE(configs));
	for (i = 0; i < ARRAY_SIZE(configs); i++) {
		const clock_t end = clock() + max(seconds / 8, 1) * CLOCKS_PER_SEC;
		unsigned long runs = 0;
		bool ok;

		do {
			ok = run(&configs[i], ++runs * 2654435761U);
		} while (ok && clock() < end);
		printf("%sok %u %s: %lu runs\n", ok ? "" : "not ", i + 1, configs[i].name, runs);
		failed += !ok;
	}
	return failed != 0;
}
