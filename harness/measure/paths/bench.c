// SPDX-License-Identifier: GPL-2.0
/*
 * Cost of the paths of perf events, as "name,value" lines
 *
 * For runs in which one nanosecond of CLOCK_MONOTONIC is one instruction: each value is a number
 * of instructions, and the same in every run. For switches, forks and faults it is the difference
 * between the path with and without events, for system calls on an event the cost of the whole
 * call or pair of calls. A value is n/a if the events of its path cannot be opened.
 */
#include "lib.h"

static void switches(void)
{
	static const struct {
		const char *name;
		struct set set;
	} rows[] = {
		{ "switch: +1 software", { .nr = 1 } },
		{ "switch: +4 software", { .nr = 4 } },
		{ "switch: +16 software", { .nr = 16 } },
		{ "switch: +64 software", { .nr = 64 } },
		{ "switch: +1 task-clock", { .nr = 1, .config = PERF_COUNT_SW_TASK_CLOCK } },
		{ "switch: +4 task-clock", { .nr = 4, .config = PERF_COUNT_SW_TASK_CLOCK } },
		{ "switch: +16 task-clock", { .nr = 16, .config = PERF_COUNT_SW_TASK_CLOCK } },
		{ "switch: group of 16 software", { .nr = 16, .group = 1 } },
		{ "switch: 16 inherited", { .nr = 16, .inherit = 1 } },
		{ "switch: 16 inherited incl. 4 BPF output",
		  { .nr = 16, .inherit = 1, .outputs = 4 } },
		{ "switch: 1 per-CPU", { .nr = 1, .cpu = 0 } },
		{ "switch: 16 per-CPU", { .nr = 16, .cpu = 0 } },
	};
	double plain;
	int ok;

	wait_for_hooks();	/* switch hooks may still be enabled for events closed at boot */
	plain = switch_cost(NULL, &ok);
	report("switch: none (whole round trip)", 1, plain);
	for (unsigned int i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct set s = rows[i].set;
		double value;

		if (!strstr(rows[i].name, "per-CPU"))
			s.cpu = -1;
		else
			wait_for_hooks();
		if (!s.config)
			s.config = PERF_COUNT_SW_PAGE_FAULTS;
		value = switch_cost(&s, &ok);
		report(rows[i].name, ok, value - plain);
	}
}

static void null_call(void)
{
	syscall(SYS_getppid);
}

static void open_close(void)
{
	if (open_set(opened))
		exit(1);
	close_set(opened);
	opened->nr = 1;
}

static void calls(void)
{
	static const __u64 times = PERF_FORMAT_TOTAL_TIME_ENABLED |
				      PERF_FORMAT_TOTAL_TIME_RUNNING;
	static const struct {
		const char *name;
		void (*path)(void);
		struct set set;
	} rows[] = {
		{ "read: one counter", read_event, { .nr = 1 } },
		{ "read: group of 8 with ids and times", read_event,
		  { .nr = 8, .group = 1,
		    .read_format = times | PERF_FORMAT_ID | PERF_FORMAT_GROUP } },
		{ "enable + disable", on_off, { .nr = 1 } },
		{ "RESET", reset, { .nr = 1 } },
		{ "prctl disable + enable", prctl_on_off, { .nr = 1 } },
	};
	int ok;

	report("system call (getppid)", 1, cost(null_call, 500, 1));
	for (unsigned int i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct set s = rows[i].set;
		double value = 0;

		s.cpu = -1;
		s.config = PERF_COUNT_SW_PAGE_FAULTS;
		ok = !open_set(&s);
		opened = &s;
		if (ok)
			value = cost(rows[i].path, 200, 1);
		report(rows[i].name, ok, value);
		if (ok)
			close_set(&s);
		opened = NULL;
	}
}

static void lives(void)
{
	static const int numbers[] = { 1, 4, 16 };
	struct set one = { .nr = 1, .cpu = -1, .config = PERF_COUNT_SW_PAGE_FAULTS };
	double plain, value = 0;
	char name[64];
	int ok;

	ok = !open_set(&one);
	if (ok) {
		close_set(&one);
		one.nr = 1;
		opened = &one;
		value = cost(open_close, 100, 1);
		opened = NULL;
	}
	report("open + close", ok, value);

	wait_for_hooks();
	plain = cost(fork_wait, 100, 1);
	report("fork + wait: none (whole)", 1, plain);
	for (int i = 0; i < 3; i++) {
		struct set s = {
			.nr = numbers[i], .cpu = -1, .inherit = 1,
			.config = PERF_COUNT_SW_DUMMY,
		};

		ok = !open_set(&s);
		value = cost(fork_wait, 100, 1);
		snprintf(name, sizeof(name), "fork + wait: per event of %d inherited", numbers[i]);
		report(name, ok, (value - plain) / numbers[i]);
		if (ok)
			close_set(&s);
	}
}

static void page_faults(void)
{
	static const __u64 few = PERF_SAMPLE_IP | PERF_SAMPLE_TID;
	static const struct {
		const char *name;
		__u64 sample_type;
	} rows[] = {
		{ "page fault counted", 0 },
		{ "page fault sampled: IP TID", few },
		{ "page fault sampled: 7 fields", few | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |
		  PERF_SAMPLE_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD },
		{ "page fault sampled: IP TID TIME call chain", few | PERF_SAMPLE_TIME |
		  PERF_SAMPLE_CALLCHAIN },
	};
	double plain, value;
	int ok;

	pages = mmap(NULL, (size_t)FAULT_PAGES * getpagesize(), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED)
		exit(1);
	madvise(pages, (size_t)FAULT_PAGES * getpagesize(), MADV_NOHUGEPAGE);
	more_mappings();
	wait_for_hooks();
	plain = cost_without_ring(faults, 4, FAULT_PAGES);
	report("page fault: none (whole)", 1, plain);
	for (unsigned int i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct set s = {
			.nr = 1, .cpu = -1, .config = PERF_COUNT_SW_PAGE_FAULTS,
			.sample_type = rows[i].sample_type,
		};

		ok = !open_set(&s);
		opened = ok ? &s : NULL;
		value = s.ring ? cost(faults, 4, FAULT_PAGES) :
				 cost_without_ring(faults, 4, FAULT_PAGES);
		report(rows[i].name, ok, value - plain);
		opened = NULL;
		if (ok)
			close_set(&s);
	}
}

int main(void)
{
	switches();
	calls();
	lives();
	page_faults();
	return 0;
}
