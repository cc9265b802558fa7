// SPDX-License-Identifier: GPL-2.0
/*
 * RDPMC must not leak counts of other users. Another user's events, or perfctr, count for a short
 * or a long time. Then a program reads all counters, the pages of its events and its perfctr: it
 * must read the same both times.
 */
#include "x86_events.h"

/* Numbers of events: first those of the other user, then those of the program */
#define OTHERS	0
#define OWN	N

/**
 * struct told - all values that the program can read
 * @counter: by RDPMC
 * @shares: shares of the slots
 * @index: index in its events' pages
 * @offset: offset in its events' pages
 * @count: count of its events
 * @start: start value in its perfctr's page
 * @sum: sum in its perfctr's page
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

/* Switch to a kernel thread, which keeps the address space, and run it. */
static void enter_kernel_thread(u64 steps)
{
	in_kernel_thread = true;
	run_kernel(steps);
}

/* Run a kernel thread, and then the program again. */
static void run_kernel_thread(u64 steps)
{
	enter_kernel_thread(steps);
	x86_clear_kernel(&x86_pmu_cpu);
	in_kernel_thread = false;
}

/* Claim fixed counters, or the same number of general counters if there are none. */
static void claim_fixed(int id)
{
	claim_counters(id, core.msrs->fixed ? INTEL_PMC_IDX_FIXED : 0, MACHINE_FIXED,
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

/* Run the thread, which counts, for some steps. */
static void run_thread(u64 steps)
{
	thread_runs();
	assert(thread.running);
	run_user(steps);
	thread_stops();
}

/*
 * Enable flexible per-CPU events of others, which remain on because they count all tasks of the
 * CPU.
 */
static void others_stay(void)
{
	int i;

	switch_events(-1, OTHERS);
	for (i = 0; i < N; i++)
		counted[OTHERS + i].on = true;
}

/* Enable pinned per-CPU events of others on all general counters. */
static void pin_others(void)
{
	int i;

	for (i = 0; i < N; i++)
		counted[OTHERS + i].event.attr.pinned = true;
	switch_events(-1, OTHERS);
}

/* Switch from others to the program, which can read counters. */
static void switch_to_program(int in)
{
	switch_events(OTHERS, -1);
	allow_reads();
	switch_events(-1, in);
}

/*
 * Switch from the thread, which may be running, to another one, with an address space that may
 * read counters. The address space is switched first.
 */
static void switch_to_reader(const struct thread *next)
{
	bool running = thread.running;

	x86_pmu_cpu.enabling_rdpmc = true;
	x86_clear_unused(&x86_pmu_cpu);
	x86_pmu_cpu.enabling_rdpmc = false;
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

/*
 * The program's events take the counters of the others' events. After that the program can read
 * counters.
 */
static void mapped_later(u64 secret)
{
	open_user(OWN, other_codes, 0);
	switch_events(-1, OTHERS);
	run_user(secret);
	switch_events(OTHERS, OWN);
	run_user(100);
	allow_reads();
}

/* The program's events are equal to the others'. */
static void same_counts(u64 secret)
{
	open_user(OWN, their_codes, 0);
	switch_events(-1, OTHERS);
	run_user(secret);
	switch_events(OTHERS, OWN);
	run_user(100);
	allow_reads();
}

/* The others' events remain on, because they count all tasks of the CPU. */
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

/* The program cannot read counters: the pages of its events must not reveal values, either. */
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

/* The counters of a perfctr continue to run after its thread is switched out. */
static void perfctr_left(u64 secret)
{
	claim_all(1);
	thread_runs();
	run_user(secret);
	thread_stops();
	run_user(secret);
	allow_reads();
}

/* The program's perfctr has counters. After that the program can read counters. */
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

/* The program can read counters. Then its perfctr takes the counters of the others' events. */
static void perfctr_takes(u64 secret)
{
	others_stay();
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

/* The events are removed while the kernel thread runs, and other events may get their counters. */
static void events_leave_in_kernel_thread(u64 secret)
{
	open_modes(OTHERS, fixed_codes, 0, true);
	switch_events(-1, OTHERS);
	allow_reads();
	enter_kernel_thread(secret);
	switch_events(OTHERS, -1);
	run_kernel_thread(100);
}

static void counters_change_in_kernel_thread(u64 secret)
{
	open_modes(OTHERS, fixed_codes, 0, true);
	open_user(OWN, fixed_codes, 0);
	switch_events(-1, OTHERS);
	allow_reads();
	enter_kernel_thread(secret);
	switch_events(OTHERS, OWN);
	run_kernel_thread(100);
}

/*
 * A perfctr of the program, or of another thread of the program, continues to count in kernel
 * threads, too.
 */
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

/* Events of others count a secret, then events of the program replace them. */
static void others_then_own(const u8 *codes, u64 secret)
{
	open_user(OTHERS, codes, 0);
	open_user(OWN, codes, 0);
	switch_events(-1, OTHERS);
	run_user(secret);
	switch_events(OTHERS, OWN);
	allow_reads();
}

/* Events of others count a secret, then the program runs without events. */
static void others_then_none(const u8 *codes, u64 period, u64 secret)
{
	open_user(OTHERS, codes, period);
	switch_events(-1, OTHERS);
	run_user(secret);
	switch_to_program(-1);
}

/* Events of others use fixed counters, or pairs of counters. */
static void fixed_counters(u64 secret)
{
	others_then_own(fixed_codes, secret);
}

static void fixed_counters_left(u64 secret)
{
	others_then_none(fixed_codes, 0, secret);
}

static void pairs(u64 secret)
{
	others_then_own(pair_codes, secret);
}

static void pairs_left(u64 secret)
{
	others_then_none(pair_codes, 0, secret);
}

/* Events of others sample. */
static void samples(u64 secret)
{
	open_user(OTHERS, their_codes, BIT(20));
	open_user(OWN, their_codes, BIT(19));
	switch_events(-1, OTHERS);
	run_user(secret);
	switch_to_program(OWN);
}

static void samples_left(u64 secret)
{
	others_then_none(their_codes, BIT(20), secret);
}

/* Per-CPU events have all counters, and the program's events get none. */
static void no_counter_left(u64 secret)
{
	open_user(OWN, other_codes, 0);
	pin_others();
	run_user(secret);
	allow_reads();
	switch_events(-1, OWN);
}

/* The program's events get no counters, then the others' events are removed, and they do. */
static void counters_left_again(u64 secret)
{
	open_user(OWN, other_codes, 0);
	pin_others();
	switch_events(-1, OWN);
	assert(!x86_event_count(&counted[OWN].event));
	run_user(secret);
	switch_to_program(OWN);
	assert(x86_event_count(&counted[OWN].event));
}

/* Others have counted the same events while the program's thread was on another CPU. */
static void events_come_back(u64 secret)
{
	open_user(OWN, their_codes, 0);
	switch_events(-1, OWN);
	run_user(100);
	switch_events(OWN, OTHERS);
	run_user(secret);
	switch_events(OTHERS, OWN);
}

static void events_come_back_and_are_read(u64 secret)
{
	open_user(OWN, their_codes, 0);
	allow_reads();
	switch_events(-1, OWN);
	run_user(100);
	user_reads = false;
	switch_events(OWN, OTHERS);
	run_user(secret);
	switch_to_program(OWN);
}

/* The program that the thread executes has no mapping of its events, but another process does. */
static void events_after_exec(u64 secret)
{
	open_user(OWN, their_codes, 0);
	allow_reads();
	switch_events(-1, OWN);
	run_user(100);
	user_reads = false;
	switch_events(OWN, OTHERS);
	run_user(secret);
	switch_events(OTHERS, OWN);
}

/* A child has inherited the events. The PMU is disabled during the whole switch to its parent. */
static void events_after_child(u64 secret)
{
	open_user(OWN, their_codes, 0);
	switch_events(-1, OTHERS);
	run_user(secret);
	perf_pmu_disable(&core.pmu);
	switch_to_program(OWN);
	perf_pmu_enable(&core.pmu);
}

/* A process that has received the files maps the events, and runs on the CPU after others. */
static void events_passed(u64 secret)
{
	open_user(OWN, their_codes, 0);
	switch_events(-1, OWN);
	run_user(100);
	switch_events(OWN, OTHERS);
	run_user(secret);
	switch_to_program(-1);
}

/* The event of a virtual CPU counts the guest, and the guest reads the count. */
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

/* The thread's process cannot read counters, but a process that has received the file maps it. */
static void perfctr_page_alone(u64 secret)
{
	claim_all(1);
	run_thread(100);
	run_user(secret);
	thread_runs();
}

/* A guest runs after the thread is switched out, while the thread's counters continue to run. */
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

/* A perfctr with fixed counters, after events of others */
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

static void perfctr_takes_fixed_and_reads(u64 secret)
{
	static const u8 codes[] = { 0xc0, 0x3c, 0xc0, 0x3c };

	/* Without fixed counters, the others' events remain on counters that are not claimed. */
	if (!core.msrs->fixed)
		return;
	open_user(OTHERS, codes, 0);
	others_stay();
	allow_reads();
	run_user(secret);
	claim_fixed(1);
	thread_runs();
}

static void perfctr_takes_pairs(u64 secret)
{
	open_user(OTHERS, pair_codes, 0);
	switch_events(-1, OTHERS);
	run_user(secret);
	switch_events(OTHERS, -1);
	claim_all(1);
	thread_runs();
}

static void perfctr_interrupts(u64 secret)
{
	switch_events(-1, OTHERS);
	run_user(secret);
	switch_events(OTHERS, -1);
	claim_ints(1);
	/* Each stop reveals the start value of a counter. */
	run_thread(100);
	thread_runs();
}

/* The values of counters that sample are no secret, but the start values of a perfctr are. */
static void perfctr_takes_samples(u64 secret)
{
	open_user(OTHERS, their_codes, BIT(20));
	others_stay();
	run_user(secret);
	allow_reads();
	claim_all(1);
	thread_runs();
}

/* Pinned events of others have the counters, or get them later. */
static void perfctr_refused(u64 secret)
{
	pin_others();
	run_user(secret);
	allow_reads();
	claim_all(1);
	thread_runs();
	assert(!thread.running);
}

static void perfctr_after_refusal(u64 secret)
{
	pin_others();
	claim_all(1);
	thread_runs();
	assert(!thread.running);
	run_user(secret);
	switch_events(OTHERS, -1);
	claim_all(1);
	thread_runs();
	assert(thread.running);
}

static void perfctr_revoked(u64 secret)
{
	claim_all(1);
	thread_runs();
	run_user(100);
	pin_others();
	assert(!thread.running);
	run_user(secret);
}

/* The others' perfctr has counted the same events. */
static void perfctr_is_equal(u64 secret)
{
	claim_all(2);
	run_thread(secret);
	claim_all(1);
	thread_runs();
}

static void perfctr_is_equal_and_reads(u64 secret)
{
	struct thread own;

	claim_all(1);
	own = thread;
	claim_all(2);
	thread_runs();
	run_user(secret);
	switch_to_reader(&own);
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

/*
 * A child that has inherited the perfctr runs as another user. The next thread is the
 * parent.
 */
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

/* An execve() has detached the perfctr from a thread, which then runs while the counters run. */
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

	/* The counts of the program's own work are no leak. */
	run_user(100);
	if (thread.running)
		perfctr_state_sample(&layer, &thread.state);
	for (i = 0; i < N; i++) {
		const struct counted *c = &counted[OWN + i];

		all.index[i] = c->page.index;
		all.offset[i] = c->page.offset;
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

/* How the program gets counters used by others */
enum how {
	ALONE,		/* with events of its own */
	SHARED,		/* with events that are equal to those of others */
	FIXED,
	PAIRED,
	SAMPLED,
	FAILED,		/* after an error */
	MIGRATED,
	EXECUTED,
	FORKED,
	PASSED,		/* by a file that has been passed to another process */
	GUEST,
	KERNEL,		/* after a kernel thread has run */
	HOWS
};

static const char * const how_names[HOWS] = {
	"alone", "shared", "fixed", "paired", "sampled", "after an error", "after migration",
	"after execve()", "after fork()", "by a passed file", "a guest", "a kernel thread",
};

static const struct way {
	enum how	how;
	bool		perfctr;
	const char	*name;
	void		(*go)(u64 secret);
} ways[] = {
	{ ALONE, false, "mapped later", mapped_later },
	{ ALONE, false, "events stay", events_stay },
	{ ALONE, false, "page of another event", page_of_other_event },
	{ ALONE, true, "perfctr suspended", perfctr_left },
	{ ALONE, true, "perfctr, mapped later", perfctr_mapped_later },
	{ ALONE, true, "perfctr takes", perfctr_takes },
	{ SHARED, false, "same counts", same_counts },
	{ SHARED, false, "events stay and are shared", events_stay_and_are_shared },
	{ SHARED, false, "page alone", page_alone },
	{ SHARED, true, "perfctr is equal", perfctr_is_equal },
	{ SHARED, true, "perfctr is equal and reads", perfctr_is_equal_and_reads },
	{ FIXED, false, "fixed counters", fixed_counters },
	{ FIXED, false, "fixed counters, then no events", fixed_counters_left },
	{ FIXED, true, "perfctr takes fixed counters", perfctr_takes_fixed },
	{ FIXED, true, "perfctr takes fixed counters and reads", perfctr_takes_fixed_and_reads },
	{ PAIRED, false, "pairs", pairs },
	{ PAIRED, false, "pairs, then no events", pairs_left },
	{ PAIRED, true, "perfctr takes pairs", perfctr_takes_pairs },
	{ SAMPLED, false, "samples", samples },
	{ SAMPLED, false, "samples, then no events", samples_left },
	{ SAMPLED, true, "perfctr interrupts", perfctr_interrupts },
	{ SAMPLED, true, "perfctr takes counters that sample", perfctr_takes_samples },
	{ FAILED, false, "no free counter", no_counter_left },
	{ FAILED, false, "free counters again", counters_left_again },
	{ FAILED, true, "perfctr refused", perfctr_refused },
	{ FAILED, true, "perfctr after refusal", perfctr_after_refusal },
	{ FAILED, true, "perfctr revoked", perfctr_revoked },
	{ MIGRATED, false, "events return", events_come_back },
	{ MIGRATED, false, "events return and are read", events_come_back_and_are_read },
	{ MIGRATED, true, "perfctr returns", perfctr_comes_back },
	{ MIGRATED, true, "perfctr returns and reads", perfctr_comes_back_and_reads },
	{ EXECUTED, false, "events after exec", events_after_exec },
	{ EXECUTED, true, "perfctr after exec", perfctr_after_exec },
	{ EXECUTED, true, "perfctr after exec and reads", perfctr_after_exec_and_reads },
	{ FORKED, false, "events after child", events_after_child },
	{ FORKED, true, "perfctr after child", perfctr_after_child },
	{ FORKED, true, "perfctr after child and reads", perfctr_after_child_and_reads },
	{ PASSED, false, "events passed", events_passed },
	{ PASSED, true, "perfctr, page alone", perfctr_page_alone },
	{ GUEST, false, "guest has event", guest_has_event },
	{ GUEST, true, "perfctr before guest", perfctr_before_guest },
	{ GUEST, true, "perfctr before guest and mapped", perfctr_before_guest_and_mapped },
	{ KERNEL, false, "events in a kernel thread", events_in_kernel_thread },
	{ KERNEL, false, "events removed in a kernel thread", events_leave_in_kernel_thread },
	{ KERNEL, false, "counters change in a kernel thread", counters_change_in_kernel_thread },
	{ KERNEL, true, "perfctr in a kernel thread", perfctr_in_kernel_thread },
	{ KERNEL, true, "perfctr after a kernel thread", perfctr_after_kernel_thread },
};

/* Each way is tested with events, and with a perfctr. */
static bool has_all_ways(void)
{
	bool tried[HOWS][2] = { }, ok = true;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ways); i++)
		tried[ways[i].how][ways[i].perfctr] = true;
	for (i = 0; i < 2 * HOWS; i++) {
		if (tried[i / 2][i % 2])
			continue;
		printf("# %s: no way of %s\n", how_names[i / 2], i % 2 ? "perfctr" : "events");
		ok = false;
	}
	return ok;
}

/* Has the program read the same values after both secrets? */
static bool is_same(const struct way *way, const char *when, const struct told *told)
{
	int i;

	if (!memcmp(&told[0], &told[1], sizeof(told[0])))
		return true;
	printf("# %s%s\n", way->name, when);
	for (i = 0; i < 2; i++)
		printf("# counter 0: %#llx, page: %u and %#llx, start value: %#x\n",
		       (unsigned long long)told[i].counter[0], told[i].index[0],
		       (unsigned long long)told[i].offset[0], told[i].start[0]);
	return false;
}

static bool reads_no_other_count(const struct x86_pmu_msrs *msrs)
{
	static const u64 secrets[] = { 1000, 5000 };
	struct told told[ARRAY_SIZE(secrets)], later[ARRAY_SIZE(secrets)];
	bool ok = true;
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		for (j = 0; j < ARRAY_SIZE(secrets); j++) {
			start_machine(msrs, 1, GENMASK_ULL(30, 0));
			user_reads = false;
			open_user(OTHERS, their_codes, 0);
			ways[i].go(secrets[j]);
			look(&told[j]);
			/* The program may map an event at any time. */
			allow_reads();
			look(&later[j]);
		}
		ok &= is_same(&ways[i], "", told);
		ok &= is_same(&ways[i], ", mapped later", later);
	}
	return ok && !harness_warned;
}

int main(void)
{
	check_registers = true;
	ktap_plan(8);
	ktap_result(has_all_ways(), "has_all_ways");
	ktap_result(reads_no_other_count(&with_control), "reads_no_other_count_with_mask");
	ktap_result(reads_no_other_count(&without_mask), "reads_no_other_count");
	ktap_result(reads_no_other_count(&selects_alone), "reads_no_other_count_by_selects_alone");
	ktap_result(reads_no_other_count(&ack_runs), "reads_no_other_count_where_ack_runs");
	row = &thread_model;
	ktap_result(reads_no_other_count(&version_1), "reads_no_other_count_version_1");
	ktap_result(reads_no_other_count(&marks), "reads_no_other_count_beside_marks");
	ktap_result(reads_no_other_count(&modes_halt), "reads_no_other_count_where_modes_halt");
	return ktap_end();
}
