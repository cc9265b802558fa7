// SPDX-License-Identifier: GPL-2.0
/*
 * RDPMC must not leak counts of other users. A program, a task of another user and a kernel thread
 * are switched at random. Each sequence runs twice: the second time, the other user and the kernel
 * run for longer. The program must read the same at each step.
 */
#include "x86_events.h"

#define STEPS	60
#define SEEDS	300

/* N events per task, and two per-CPU events */
enum { PROGRAM, OTHER, KERNEL, TASKS };
#define WHOLE	(2 * N)

/**
 * struct task - a task on the CPU
 * @reads: its address space may read counters; not used for the kernel thread
 * @thread: its perfctr, while it does not run
 */
struct task {
	bool		reads;
	struct thread	thread;
};

/**
 * struct seen - values that the program and other owners of its files can read
 * @counter: by RDPMC, while it runs
 * @index: index in its events' pages
 * @offset: offset in its events' pages
 * @count: count of its events
 * @start: start value in its perfctr's page
 * @sum: sum in its perfctr's page
 */
struct seen {
	u64	counter[MACHINE_GENERAL + MACHINE_FIXED];
	u32	index[N];
	u64	offset[N];
	u64	count[N];
	u32	start[MACHINE_GENERAL + MACHINE_FIXED];
	u64	sum[MACHINE_GENERAL + MACHINE_FIXED];
};

static struct task tasks[TASKS];
static int current_task, loaded_mm;
static u64 secret;

/* Random state that alone selects the next action */
static u64 choice;

static u64 choose(u64 n)
{
	return harness_random(&choice) % n;
}

static void open_events(int first, int n)
{
	static const u8 codes[] = {
		0xc0, 0x3c, 0x20, 0x21, 0x22, 0x23, LIMITED_CODE, MACHINE_PAIR_CODE,
	};
	bool pinned = !choose(4), kernel = !choose(3);
	int i;

	for (i = first; i < first + n; i++) {
		struct perf_event_attr attr = {
			.config = codes[choose(ARRAY_SIZE(codes))], .exclude_kernel = !kernel,
			.pinned = pinned,
		};

		if (attr.config == MACHINE_PAIR_CODE && !row->merge)
			attr.config = ANY_CODE;
		assert(!open_event(&counted[i], &attr));
		waiting &= ~BIT_ULL(i);
	}
}

static void events_leave(int first, int n)
{
	int i;

	perf_pmu_disable(&core.pmu);
	for (i = first; i < first + n; i++) {
		waiting &= ~BIT_ULL(i);
		if (counted[i].on)
			remove_event(&counted[i], now());
	}
	perf_pmu_enable(&core.pmu);
}

static void events_come(int first, int n)
{
	int i;

	perf_pmu_disable(&core.pmu);
	since = now();
	for (i = first; i < first + n; i++) {
		if (counted[i].event.pmu)
			add_group(BIT_ULL(i), &coming, since);
	}
	perf_pmu_enable(&core.pmu);
	have_come();
}

/* perf_clear_dirty_counters() */
static void clear_counters(void)
{
	x86_pmu_cpu.enabling_rdpmc = true;
	x86_clear_unused(&x86_pmu_cpu);
	x86_pmu_cpu.enabling_rdpmc = false;
}

/* The address space is switched before the perfctr. A kernel thread keeps the address space. */
static void switch_mm(int prev, int next)
{
	if (next == KERNEL) {
		in_kernel_thread = true;
		return;
	}
	if (next == loaded_mm) {
		if (prev == KERNEL && user_reads)
			x86_clear_kernel(&x86_pmu_cpu);
		in_kernel_thread = false;
		return;
	}
	in_kernel_thread = false;
	loaded_mm = next;
	if (tasks[next].reads)
		clear_counters();
	user_reads = tasks[next].reads;
}

/* Like drivers/perfctr/thread.c */
static void switch_perfctr(int prev, int next)
{
	const struct perfctr_cpu_state *from = &thread.state, *to = &tasks[next].thread.state;
	bool running = thread.running;

	if (running) {
		thread_stops();
		if (next != KERNEL && prev != next && user_reads)
			clear_counters();
		handed_over = perfctr_cstatus_nrctrs(from->cstatus) &&
			      perfctr_cstatus_nrctrs(to->cstatus) &&
			      !perfctr_cstatus_has_ictrs(to->cstatus) &&
			      !(to->claim.counters & ~from->claim.counters);
	}
	tasks[prev].thread = thread;
	thread = tasks[next].thread;
	thread_runs();
	handed_over = false;
}

static void switch_to(int next)
{
	int prev = current_task;

	if (next == prev)
		return;
	if (prev != KERNEL)
		events_leave(prev * N, N);
	switch_mm(prev, next);
	switch_perfctr(prev, next);
	current_task = next;
	if (next != KERNEL)
		events_come(next * N, N);
}

/* The task maps its first event, or unmaps its last one: x86_update_user_pages(). */
static void map_or_unmap(void)
{
	int i;

	if (current_task == KERNEL)
		return;
	tasks[current_task].reads = !tasks[current_task].reads;
	if (tasks[current_task].reads) {
		allow_reads();
		return;
	}
	user_reads = false;
	for_each_x86_counter(i, core.counters) {
		const struct x86_count *count = x86_pmu_cpu.owner[i];

		if (count && count->nr_events && count->counter == i)
			x86_count_update_pages(count);
	}
	if (thread.running)
		perfctr_state_update_readable(&layer, &thread.state);
}

static void new_claim(void)
{
	static const u64 modes[] = {
		ARCH_PERFMON_EVENTSEL_USR, ARCH_PERFMON_EVENTSEL_USR | ARCH_PERFMON_EVENTSEL_OS,
	};
	bool fixed = core.msrs->fixed && !choose(3);
	int first = fixed ? INTEL_PMC_IDX_FIXED : choose(MACHINE_GENERAL);
	int n = 1 + choose(fixed ? MACHINE_FIXED : MACHINE_GENERAL - first);
	static int id;

	if (current_task == KERNEL)
		return;
	thread_stops();
	/* A child that inherits the perfctr may become another user by a set-user-ID program. */
	if (current_task == OTHER && tasks[PROGRAM].thread.has_control && choose(2))
		thread = tasks[PROGRAM].thread;
	else if (choose(4))
		claim_counters(++id, first, n, modes[choose(2)], choose(4) ? 0 : -1000000);
	else
		thread = (struct thread){ };
	thread_runs();
}

static void reopen(void)
{
	int first = current_task == KERNEL ? WHOLE : current_task * N;
	int n = current_task == KERNEL ? 2 : N;

	events_leave(first, n);
	open_events(first, n);
	events_come(first, n);
}

static void run_task(void)
{
	u64 steps = 50 + (current_task == PROGRAM ? 0 : secret);

	if (current_task == KERNEL)
		run_kernel(steps);
	else if (choose(4))
		run_user(steps);
	else if (choose(2))
		run_guest(steps);
	else
		run_kernel(steps);
}

static void step(void)
{
	switch (choose(9)) {
	case 0:
		map_or_unmap();
		break;
	case 1:
		new_claim();
		break;
	case 2:
		reopen();
		break;
	case 3:
	case 4:
		run_task();
		break;
	default:
		switch_to(choose(TASKS));
	}
}

/* Other processes with the program's files can read the pages at any time. */
static void see(struct seen *seen)
{
	const struct perfctr_cpu_state *state;
	int i;

	if (thread.running && !choose(4))
		perfctr_state_sample(&layer, &thread.state);
	state = current_task == PROGRAM ? &thread.state : &tasks[PROGRAM].thread.state;
	*seen = (struct seen){ };
	if (current_task == PROGRAM && user_reads)
		memcpy(seen->counter, machine.counter, sizeof(seen->counter));
	for (i = 0; i < N; i++) {
		struct counted *c = &counted[PROGRAM * N + i];

		seen->index[i] = c->page.index;
		seen->offset[i] = c->page.offset;
		if (!c->event.pmu)
			continue;
		if (c->on)
			core.pmu.read(&c->event);
		seen->count[i] = local64_read(&c->event.count);
	}
	for (i = 0; i < ARRAY_SIZE(seen->start); i++) {
		seen->start[i] = state->pmc[i].start;
		seen->sum[i] = state->pmc[i].sum;
	}
}

static void run(const struct x86_pmu_msrs *msrs, u64 seed, struct seen *seen)
{
	int i;

	start_machine(msrs, seed, GENMASK_ULL(30, 0));
	/* The number of accesses of the driver may depend on the other user. */
	machine.quiet = true;
	choice = seed;
	memset(tasks, 0, sizeof(tasks));
	current_task = PROGRAM;
	loaded_mm = PROGRAM;
	user_reads = false;
	in_kernel_thread = false;
	coming = 0;
	for (i = 0; i < STEPS; i++) {
		step();
		see(&seen[i]);
	}
	user_reads = true;
}

/* The only difference in the second run is that the other user runs for longer. */
static bool reads_the_same(const struct x86_pmu_msrs *msrs)
{
	static struct seen seen[2][STEPS];
	u64 seed;
	int i;

	for (seed = 1; seed <= SEEDS; seed++) {
		for (i = 0; i < 2; i++) {
			secret = i * 1000;
			run(msrs, seed, seen[i]);
		}
		for (i = 0; i < STEPS; i++) {
			if (!memcmp(&seen[0][i], &seen[1][i], sizeof(seen[0][i])))
				continue;
			printf("# seed %llu, step %d\n", (unsigned long long)seed, i);
			return false;
		}
	}
	return !harness_warned;
}

int main(void)
{
	check_registers = true;
	ktap_plan(7);
	ktap_result(reads_the_same(&with_control), "reads_the_same_with_mask");
	ktap_result(reads_the_same(&without_mask), "reads_the_same");
	ktap_result(reads_the_same(&selects_alone), "reads_the_same_by_selects_alone");
	ktap_result(reads_the_same(&ack_runs), "reads_the_same_where_ack_runs");
	row = &thread_model;
	ktap_result(reads_the_same(&version_1), "reads_the_same_version_1");
	ktap_result(reads_the_same(&marks), "reads_the_same_beside_marks");
	ktap_result(reads_the_same(&modes_halt), "reads_the_same_where_modes_halt");
	return ktap_end();
}
