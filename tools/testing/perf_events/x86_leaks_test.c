// SPDX-License-Identifier: GPL-2.0
/*
 * RDPMC must not leak counts of other users. Another user's events, or perfctr, count for a short
 * or a long time. Then a program reads all counters, the pages of its events and its perfctr: it
 * must read the same both times.
 */
#include "x86_events.h"

/* Events of the other user are the first N, and those of the program the next. */
#define OTHERS	0
#define OWN	N

/**
 * struct told - all that the program can read
 * @counter: by RDPMC
 * @shares: of the slots
 * @index: of its events' pages
 * @offset: the same
 * @count: of its events
 * @start: of its perfctr's page
 * @sum: the same
 */
struct told {
	u64	counter[MACHINE_GENERAL + MACHINE_FIXED];
	u64	shares;
	u32	index[N];
	u64	offset[N];
	u64	count[N];
	u32	start[N];
	u64	sum[N];
};

/* A kernel thread comes in between, and keeps the address space. */
static void run_kernel_thread(u64 steps)
{
	machine.in_driver = false;
	while (steps--)
		machine_step();
	machine.in_driver = true;
	x86_clear_kernel(&x86_pmu_cpu);
}

/* Fixed counters, or where there are none as many general ones */
static void claim_fixed(int id)
{
	claim_counters(id, core.bank->fixed ? INTEL_PMC_IDX_FIXED : 0, MACHINE_FIXED,
		       ARCH_PERFMON_EVENTSEL_USR, 0);
}

static void claim_ints(int id)
{
	claim_counters(id, 0, N, ARCH_PERFMON_EVENTSEL_USR, -1000000);
}

static const u8 their_codes[] = { 0x20, 0x21, 0x22, 0x23 };
static const u8 other_codes[] = { 0x30, 0x31, 0x32, 0x33 };
static const u8 fixed_codes[] = { 0xc0, 0x3c, 0x20, 0x21 };
static const u8 pair_codes[] = {
	MACHINE_PAIR_CODE, MACHINE_PAIR_CODE, MACHINE_PAIR_CODE, MACHINE_PAIR_CODE
};

/* The thread runs for a while, and counts. */
static void run_thread(u64 steps)
{
	thread_runs();
	assert(thread.running);
	run_user(steps);
	thread_stops();
}

/* A guest runs, as KVM enters it. */
static void run_guest(u64 steps)
{
	struct perf_guest_switch_msr *msrs;
	int i, nr;

	msrs = perf_guest_get_msrs(&nr, NULL);
	for (i = 0; i < nr; i++)
		*machine_register(msrs[i].msr, false) = msrs[i].guest;
	run_user(steps);
	for (i = 0; i < nr; i++)
		*machine_register(msrs[i].msr, false) = msrs[i].host;
}

/* Pinned events of others that stay have all general counters. */
static void pin_others(void)
{
	int i;

	for (i = 0; i < N; i++)
		counted[OTHERS + i].event.attr.pinned = true;
	switch_events(-1, OTHERS);
}

/*
 * The CPU switches from the thread, which may run, to another one, in an address space that may
 * read counters. The address space is switched first.
 */
static void switch_to_reader(const struct thread *next)
{
	bool running = thread.running;

	x86_pmu_cpu.opening = true;
	x86_clear_unused(&x86_pmu_cpu);
	x86_pmu_cpu.opening = false;
	user_reads = true;
	if (running) {
		thread_stops();
		/* perfctr_cpu_hide() */
		x86_clear_unused(&x86_pmu_cpu);
	}
	handed_over = running;
	thread = *next;
	thread_runs();
	handed_over = false;
}

/* The program's events had the counters after those of others, before it could read any. */
static void mapped_later(u64 secret)
{
	open_user(OWN, other_codes, 0);
	switch_events(-1, OTHERS);
	run_user(secret);
	switch_events(OTHERS, OWN);
	run_user(100);
	allow_reads();
}

/* Its events are the same as those of the others. */
static void same_counts(u64 secret)
{
	open_user(OWN, their_codes, 0);
	switch_events(-1, OTHERS);
	run_user(secret);
	switch_events(OTHERS, OWN);
	run_user(100);
	allow_reads();
}

/* Those of others stay, as they count all that runs on the CPU. */
static void events_stay(u64 secret)
{
	switch_events(-1, OTHERS);
	run_user(secret);
	allow_reads();
}

static void events_stay_and_are_shared(u64 secret)
{
	open_user(OWN, their_codes, 0);
	switch_events(-1, OTHERS);
	run_user(secret);
	allow_reads();
	switch_events(-1, OWN);
}

/* It cannot read counters: its pages do not say what is in them, either. */
static void page_alone(u64 secret)
{
	open_user(OWN, their_codes, 0);
	switch_events(-1, OTHERS);
	run_user(secret);
	switch_events(OTHERS, OWN);
}

static void page_of_other_event(u64 secret)
{
	open_user(OWN, other_codes, 0);
	switch_events(-1, OTHERS);
	run_user(secret);
	switch_events(OTHERS, OWN);
}

/* The counters of a perfctr run on when its thread does not. */
static void perfctr_left(u64 secret)
{
	claim_all(1);
	thread_runs();
	run_user(secret);
	thread_stops();
	run_user(secret);
	allow_reads();
	/* All counters are halted or cleared now. */
}

/* The program's perfctr had them again before it could read any. */
static void perfctr_mapped_later(u64 secret)
{
	claim_all(1);
	thread_runs();
	run_user(100);
	thread_stops();
	run_user(secret);
	thread_runs();
	run_user(100);
	allow_reads();
}

/* It could read them before, and others gave way. */
static void perfctr_takes(u64 secret)
{
	int i;

	switch_events(-1, OTHERS);
	for (i = 0; i < N; i++)
		counted[OTHERS + i].on = true;
	allow_reads();
	run_user(secret);
	claim_all(1);
	thread_runs();
}

/* Events of a whole CPU count kernel threads, too. */
static void events_in_kernel_thread(u64 secret)
{
	open_modes(OTHERS, their_codes, 0, true);
	switch_events(-1, OTHERS);
	allow_reads();
	run_user(100);
	run_kernel_thread(secret);
}

/* So does a perfctr of the program, which runs on in them, or of another thread of it. */
static void perfctr_in_kernel_thread(u64 secret)
{
	claim_counters(1, 0, N, ARCH_PERFMON_EVENTSEL_USR | ARCH_PERFMON_EVENTSEL_OS, 0);
	allow_reads();
	thread_runs();
	run_user(100);
	thread_stops();
	run_kernel_thread(secret);
}

static void perfctr_after_kernel_thread(u64 secret)
{
	perfctr_in_kernel_thread(secret);
	thread_runs();
}

/* Counters that fixed and paired counts of others have used */
static void fixed_counters(u64 secret)
{
	open_user(OTHERS, fixed_codes, 0);
	open_user(OWN, fixed_codes, 0);
	switch_events(-1, OTHERS);
	run_user(secret);
	switch_events(OTHERS, OWN);
	allow_reads();
}

static void pairs(u64 secret)
{
	open_user(OTHERS, pair_codes, 0);
	switch_events(-1, OTHERS);
	run_user(secret);
	open_user(OWN, pair_codes, 0);
	switch_events(OTHERS, OWN);
	allow_reads();
}

/* Events that stay have all counters, and the program's events get none. */
static void no_counter_left(u64 secret)
{
	open_user(OWN, other_codes, 0);
	pin_others();
	run_user(secret);
	allow_reads();
	switch_events(-1, OWN);
}

/* The event of a virtual CPU counts the guest, and the guest sees the count. */
static void guest_has_event(u64 secret)
{
	struct perf_event_attr attr = {
		.config = other_codes[0], .exclude_kernel = true, .exclude_host = true,
	};
	u64 added = 0;

	switch_events(-1, OTHERS);
	run_user(secret);
	switch_events(OTHERS, -1);
	assert(!open_event(&counted[OWN], &attr));
	perf_pmu_disable(&core.pmu);
	add_group(BIT_ULL(OWN), &added, now());
	perf_pmu_enable(&core.pmu);
	assert(added);
	run_user(secret);
	run_guest(100);
	run_user(secret);
}

/* The thread's process does not read counters, and a process that was passed the file maps it. */
static void perfctr_page_alone(u64 secret)
{
	claim_all(1);
	run_thread(100);
	run_user(secret);
	thread_runs();
}

/* A guest runs in between, with what runs on. */
static void perfctr_before_guest(u64 secret)
{
	claim_all(1);
	run_thread(100);
	run_guest(secret);
	thread_runs();
}

static void perfctr_before_guest_and_mapped(u64 secret)
{
	claim_all(1);
	run_thread(100);
	run_guest(secret);
	allow_reads();
	thread_runs();
}

/* Fixed counters, and counters that interrupt */
static void perfctr_takes_fixed(u64 secret)
{
	open_user(OTHERS, fixed_codes, 0);
	switch_events(-1, OTHERS);
	run_user(secret);
	switch_events(OTHERS, -1);
	claim_fixed(1);
	thread_runs();
	allow_reads();
}

static void perfctr_interrupts(u64 secret)
{
	switch_events(-1, OTHERS);
	run_user(secret);
	switch_events(OTHERS, -1);
	claim_ints(1);
	/* Each stop shows the value that a counter continues from. */
	run_thread(100);
	thread_runs();
}

/* Pinned events of others have the counters, or take them. */
static void perfctr_refused(u64 secret)
{
	pin_others();
	run_user(secret);
	allow_reads();
	claim_all(1);
	thread_runs();
	assert(!thread.running);
}

static void perfctr_gave_way(u64 secret)
{
	claim_all(1);
	thread_runs();
	run_user(100);
	pin_others();
	assert(!thread.running);
	run_user(secret);
}

/* Others have claimed the same counters while the program's thread was on another CPU. */
static void perfctr_comes_back(u64 secret)
{
	struct thread own;

	claim_all(1);
	run_thread(100);
	own = thread;
	claim_all(2);
	run_thread(secret);
	thread = own;
	thread_runs();
}

static void perfctr_comes_back_and_reads(u64 secret)
{
	struct thread own;

	claim_all(1);
	run_thread(100);
	own = thread;
	claim_all(2);
	thread_runs();
	run_user(secret);
	switch_to_reader(&own);
}

/* A child has inherited the claim, and has other rights since; the next thread is the parent. */
static void perfctr_after_child(u64 secret)
{
	struct thread own;

	claim_all(1);
	run_thread(100);
	own = thread;
	claim_all(1);
	run_thread(secret);
	handed_over = true;
	thread = own;
	thread_runs();
	handed_over = false;
}

static void perfctr_after_child_and_reads(u64 secret)
{
	struct thread own;

	claim_all(1);
	run_thread(100);
	own = thread;
	claim_all(1);
	thread_runs();
	run_user(secret);
	switch_to_reader(&own);
}

/* An execve() has taken its object from the thread, which runs beside the counters since. */
static void perfctr_after_exec(u64 secret)
{
	struct thread own;

	claim_all(1);
	run_thread(100);
	own = thread;
	claim_all(1);
	run_thread(100);
	run_user(secret);
	thread = own;
	thread_runs();
}

static void perfctr_after_exec_and_reads(u64 secret)
{
	struct thread own;

	claim_all(1);
	run_thread(100);
	own = thread;
	claim_all(1);
	run_thread(100);
	run_user(secret);
	switch_to_reader(&own);
}

static void look(struct told *told)
{
	struct told all = { };
	int i;

	/* What the program does itself it may see. */
	run_user(100);
	if (thread.running)
		perfctr_state_sample(&layer, &thread.state);
	for (i = 0; i < N; i++) {
		const struct counted *c = &counted[OWN + i];

		all.index[i] = c->page_index;
		all.offset[i] = c->page_offset;
		all.start[i] = thread.state.pmc[i].start;
		all.sum[i] = thread.running ? thread.state.pmc[i].sum : 0;
	}
	if (user_reads) {
		memcpy(all.counter, machine.counter, sizeof(all.counter));
		all.shares = machine_shares();
	}
	for (i = 0; i < N && counted[OWN + i].event.pmu; i++) {
		core.pmu.read(&counted[OWN + i].event);
		all.count[i] = local64_read(&counted[OWN + i].event.count);
	}
	*told = all;
}

static const struct way {
	const char	*name;
	void		(*go)(u64 secret);
} ways[] = {
	{ "mapped later", mapped_later },
	{ "same counts", same_counts },
	{ "events stay", events_stay },
	{ "events stay and are shared", events_stay_and_are_shared },
	{ "page alone", page_alone },
	{ "page of another event", page_of_other_event },
	{ "perfctr has left", perfctr_left },
	{ "perfctr, mapped later", perfctr_mapped_later },
	{ "perfctr takes", perfctr_takes },
	{ "events in a kernel thread", events_in_kernel_thread },
	{ "perfctr in a kernel thread", perfctr_in_kernel_thread },
	{ "perfctr after a kernel thread", perfctr_after_kernel_thread },
	{ "fixed counters", fixed_counters },
	{ "pairs", pairs },
	{ "no counter left", no_counter_left },
	{ "guest has event", guest_has_event },
	{ "perfctr, page alone", perfctr_page_alone },
	{ "perfctr before guest", perfctr_before_guest },
	{ "perfctr before guest and mapped", perfctr_before_guest_and_mapped },
	{ "perfctr takes fixed counters", perfctr_takes_fixed },
	{ "perfctr interrupts", perfctr_interrupts },
	{ "perfctr refused", perfctr_refused },
	{ "perfctr gave way", perfctr_gave_way },
	{ "perfctr comes back", perfctr_comes_back },
	{ "perfctr comes back and reads", perfctr_comes_back_and_reads },
	{ "perfctr after child", perfctr_after_child },
	{ "perfctr after child and reads", perfctr_after_child_and_reads },
	{ "perfctr after exec", perfctr_after_exec },
	{ "perfctr after exec and reads", perfctr_after_exec_and_reads },
};

static bool tells_nothing(const struct x86_bank *bank)
{
	static const u64 secrets[] = { 1000, 5000 };
	struct told told[ARRAY_SIZE(secrets)];
	bool ok = true;
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		for (j = 0; j < ARRAY_SIZE(secrets); j++) {
			start_machine(bank, 1, GENMASK_ULL(30, 0));
			user_reads = false;
			open_user(OTHERS, their_codes, 0);
			ways[i].go(secrets[j]);
			look(&told[j]);
			user_reads = true;
		}
		if (!memcmp(&told[0], &told[1], sizeof(told[0])))
			continue;
		printf("# %s: for %llu and %llu\n", ways[i].name,
		       (unsigned long long)secrets[0], (unsigned long long)secrets[1]);
		for (j = 0; j < ARRAY_SIZE(secrets); j++)
			printf("# counter 0 tells %#llx, the page %u and %#llx, the start %#x\n",
			       (unsigned long long)told[j].counter[0], told[j].index[0],
			       (unsigned long long)told[j].offset[0], told[j].start[0]);
		ok = false;
	}
	return ok && !harness_warned;
}

int main(void)
{
	ktap_plan(4);
	ktap_result(tells_nothing(&with_control), "tells_nothing_with_mask");
	ktap_result(tells_nothing(&without_mask), "tells_nothing");
	ktap_result(tells_nothing(&selects_alone), "tells_nothing_by_selects_alone");
	row = &thread_model;
	ktap_result(tells_nothing(&modes_halt), "tells_nothing_where_modes_halt");
	return ktap_end();
}
