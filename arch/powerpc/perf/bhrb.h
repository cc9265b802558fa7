/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The branch history rolling buffer (BHRB), recorded as branch stacks of samples.
 */
#ifndef _POWERPC_PERF_BHRB_H
#define _POWERPC_PERF_BHRB_H

#include <linux/perf_event.h>

/* Maximum number of entries of any processor */
#define BHRB_ENTRIES_MAX	32

#ifdef CONFIG_PPC64
void bhrb_clear(void);
int power_bhrb_event_init(struct perf_event *event);
bool power_bhrb_fits(const struct perf_event *event);
unsigned long power_bhrb_control(unsigned long mmcra);
void power_bhrb_add(struct perf_event *event);
void power_bhrb_del(struct perf_event *event);
void power_bhrb_sched_task(struct perf_event_pmu_context *pmu_ctx, struct task_struct *task,
			   bool sched_in);
struct perf_branch_stack *power_bhrb_read(struct perf_event *event);

/*
 * Reads the instruction at @address, without sleeping. Returns 0, or -EFAULT after a page fault.
 */
typedef int (*bhrb_fetch_fn)(u64 address, u32 *instruction);

int bhrb_decode(struct perf_branch_entry *out, const u64 *raw, int n, u64 modes,
		bhrb_fetch_fn fetch);
#else
static inline int power_bhrb_event_init(struct perf_event *event) { return -EOPNOTSUPP; }
static inline bool power_bhrb_fits(const struct perf_event *event) { return false; }
static inline void power_bhrb_add(struct perf_event *event) { }
static inline void power_bhrb_del(struct perf_event *event) { }
static inline struct perf_branch_stack *power_bhrb_read(struct perf_event *event) { return NULL; }
#define power_bhrb_sched_task	NULL
#endif

#endif
