// SPDX-License-Identifier: GPL-2.0
/*
 * usage: counters NAME [switches]. Cost of hardware counters, or only of switches with them, as
 * "name,value" lines. NAME is the PMU's in the rows of switches. Unless X86_DRIVERS=ours both
 * kernels have the same driver, and the difference is the core's.
 */
#include "../lib.h"

static __u64 rdpmc(__u32 counter)
{
	__u32 low, high;

	__asm__ volatile("rdpmc" : "=a" (low), "=d" (high) : "c" (counter));
	return (__u64)high << 32 | low;
}

/* Read the counter by the loop in the ABI's documentation. */
static void read_counter(void)
{
	struct perf_event_mmap_page *page = opened->ring;
	__u32 seq, index;
	__s64 count, pmc;

	do {
		seq = page->lock;
		__asm__ volatile("" : : : "memory");
		index = page->index;
		count = page->offset;
		if (index) {
			pmc = rdpmc(index - 1);
			pmc <<= 64 - page->pmc_width;
			pmc >>= 64 - page->pmc_width;
			count += pmc;
		}
		__asm__ volatile("" : : : "memory");
	} while (page->lock != seq);
	__asm__ volatile("" : : "r" (count));
}

static void reads(void)
{
	struct set one = { .nr = 1, .cpu = -1, .type = PERF_TYPE_RAW, .config = 0xc0,
			   .sample_type = 0 };
	struct set four = { .nr = 4, .cpu = -1, .type = PERF_TYPE_RAW, .config = 0xc0,
			    .group = 1, .read_format = PERF_FORMAT_GROUP };
	int ok = !open_set(&one), paged = 0;

	if (ok) {
		one.ring = mmap(NULL, (RING_PAGES + 1) * getpagesize(), PROT_READ | PROT_WRITE,
				MAP_SHARED, one.fd[0], 0);
		if (one.ring == MAP_FAILED)
			one.ring = NULL;
		paged = one.ring && one.ring->cap_user_rdpmc && one.ring->index;
	}
	opened = &one;
	report("read: a hardware counter by the page", paged,
	       paged ? cost(read_counter, 500, 1) : 0);
	report("read: a hardware counter by read(2)", ok, ok ? cost(read_event, 200, 1) : 0);
	report("enable + disable: a hardware counter", ok, ok ? cost(on_off, 200, 1) : 0);
	opened = NULL;
	if (ok)
		close_set(&one);

	ok = !open_set(&four);
	opened = &four;
	report("read: a group of 4 hardware counters", ok, ok ? cost(read_event, 200, 1) : 0);
	opened = NULL;
	if (ok)
		close_set(&four);
}

/* The cost of events in a switch between two tasks, apart from that of the switch */
static void switch_row(const char *name, struct set s)
{
	static double plain;
	double value;
	int ok;

	if (!plain)
		plain = switch_cost(NULL, &ok);
	value = switch_cost(&s, &ok);
	report(name, ok, value - plain);
}

static void switches(const char *pmu)
{
	static const __u64 kinds[] = { PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_INSTRUCTIONS,
				       PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
				       PERF_COUNT_HW_BRANCH_MISSES };
	struct set same = { .cpu = -1, .type = PERF_TYPE_RAW, .config = 0xc0 };
	struct set unlike = { .nr = 16, .cpu = -1, .generic = 1,
			      .configs = kinds, .configs_nr = 4 };
	char name[80];

	wait_for_hooks();
	for (same.nr = 1; same.nr <= 16; same.nr *= 2) {
		snprintf(name, sizeof(name), "switch: +%d %s counters%s", same.nr, pmu,
			 same.nr > 4 ? " (multiplexed)" : "");
		switch_row(name, same);
	}
	snprintf(name, sizeof(name), "switch: +16 %s counters of four kinds", pmu);
	switch_row(name, unlike);

	/* Tasks that have inherited the same events, as those of "perf stat make" have */
	same.inherit = 1;
	for (same.nr = 1; same.nr <= 16; same.nr *= 4) {
		snprintf(name, sizeof(name), "switch: %d inherited %s counters%s", same.nr, pmu,
			 same.nr > 4 ? " (multiplexed)" : "");
		switch_row(name, same);
	}
}

int main(int argc, char **argv)
{
	const char *pmu = argc > 1 ? argv[1] : "hardware";

	if (argc < 3)
		reads();
	switches(pmu);
	return 0;
}
