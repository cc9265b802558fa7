// SPDX-License-Identifier: GPL-2.0
/*
 * Cost of hardware counters, as "name,value" lines: run where the CPU has a PMU. Both kernels
 * have the same driver for it, so the difference is the core's.
 */
#include "../lib.h"

static __u64 rdpmc(__u32 counter)
{
	__u32 low, high;

	__asm__ volatile("rdpmc" : "=a" (low), "=d" (high) : "c" (counter));
	return (__u64)high << 32 | low;
}

/* The loop that the ABI documents. */
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

/* Tasks that have inherited the same events, as those of "perf stat make" have. */
static void inherited_counters(double plain)
{
	static const int numbers[] = { 1, 4, 16 };
	double value;
	int ok;

	for (int i = 0; i < 3; i++) {
		struct set s = { .nr = numbers[i], .cpu = -1, .type = PERF_TYPE_RAW,
				 .config = 0xc0, .inherit = 1 };
		char name[64];

		value = switch_cost(&s, &ok);
		snprintf(name, sizeof(name), "switch: %d inherited Intel counters%s", numbers[i],
			 numbers[i] > 4 ? " (multiplexed)" : "");
		report(name, ok, value - plain);
	}
}

static void switches(void)
{
	static const int numbers[] = { 1, 2, 4, 8 };
	double plain, value;
	int ok;

	forget();
	plain = switch_cost(NULL, &ok);
	for (int i = 0; i < 4; i++) {
		struct set s = { .nr = numbers[i], .cpu = -1, .type = PERF_TYPE_RAW,
				 .config = 0xc0 };
		char name[64];

		value = switch_cost(&s, &ok);
		snprintf(name, sizeof(name), "switch: +%d Intel counters%s", numbers[i],
			 numbers[i] > 4 ? " (multiplexed)" : "");
		report(name, ok, value - plain);
	}
	inherited_counters(plain);
}

int main(void)
{
	reads();
	switches();
	return 0;
}
