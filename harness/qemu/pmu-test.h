/* SPDX-License-Identifier: GPL-2.0 */
/* Helpers of the tests of an x86 PMU: see pmu-test.c. */
#ifndef PMU_TEST_H
#define PMU_TEST_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define READ_ONCE(x) __atomic_load_n(&(x), __ATOMIC_RELAXED)

#define RING_PAGES	256
#define RING_SIZE	(RING_PAGES * 4096)
#define LOOP_LENGTH	4	/* instructions of a turn of loop() */

extern const char *why;		/* the running test has failed, and why */
extern const char *skip;	/* it cannot run here */
extern char why_text[256];

#define CHECK(cond, ...)						\
	do {								\
		if (!(cond) && !why) {					\
			snprintf(why_text, sizeof(why_text), __VA_ARGS__); \
			why = why_text;					\
		}							\
	} while (0)

/* Print a line that is the same in every run. */
void say(const char *format, ...);

/*
 * Print a line with places of samples. An interrupt may move a sample, so if time is the host's,
 * the line may differ.
 */
void say_place(const char *format, ...);

/*
 * Return how many of NR samples interrupts may have moved to another instruction, or into the
 * kernel, where samples are dropped. If time is the host's, the same number of instructions has
 * more interrupts.
 */
__u64 moved(__u64 nr);

/* N turns of four instructions, the last of which is a branch. */
void loop(__u64 n);
extern const char loop_start[], loop_end[];

struct perf_event_attr hardware(__u64 config);
int open_event(struct perf_event_attr *attr, int group);
__u64 value(int fd);
void *map_ring(int fd);
void pin(int cpu);
long sum_of_row(const char *row);

/* pmu-counters.c */
void generic_events(void);
void multiplexing(void);
void too_many(void);
void all_counters(void);

/* pmu-precise.c */
void precise_samples(void);
void precise_registers(void);
void precise_in_one_buffer(void);
void precise_together(void);
void precise_in_the_kernel(void);
void precise_data(void);
void precise_branches(void);
void precise_storm(void);

#endif
