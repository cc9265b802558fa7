/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Performance counters of threads. After an error, a function sets errno and returns -1, or NULL
 * for a pointer. vperfctr_read_tsc() and vperfctr_read_pmc() return 0.
 */
#ifndef _LIBPERFCTR_H
#define _LIBPERFCTR_H

#include <linux/perfctr.h>

struct vperfctr;

/*
 * The counters of the calling thread. The thread has the counters until vperfctr_unlink(), exit, or
 * exec of a privileged or undumpable program.
 */
struct vperfctr *vperfctr_open(void);
int vperfctr_info(const struct vperfctr *self, struct perfctr_info *info);
int vperfctr_control(const struct vperfctr *self, const struct vperfctr_control *control);
int vperfctr_stop(const struct vperfctr *self);

/*
 * Do counters or the TSC run while the thread runs? After a refused control none of them run. After
 * an overflow, or if pinned perf events have the counters, only the TSC runs, if it is enabled.
 * The result does not change when the thread exits, or when the object is unlinked.
 */
int vperfctr_is_running(const struct vperfctr *self);
int vperfctr_iresume(const struct vperfctr *self);
int vperfctr_unlink(const struct vperfctr *self);
void vperfctr_close(struct vperfctr *self);
int vperfctr_fd(const struct vperfctr *self);

/*
 * Read the counts of the calling thread from the mapped page. vperfctr_read_pmc() and
 * vperfctr_read_ctrs() need a system call without RDPMC in user mode, or without the TSC in the
 * control. The counts of another thread need a system call, too.
 */
unsigned long long vperfctr_read_tsc(const struct vperfctr *self);
unsigned long long vperfctr_read_pmc(const struct vperfctr *self, unsigned int i);
int vperfctr_read_ctrs(const struct vperfctr *self, struct perfctr_sum_ctrs *sums);

/* Read by a system call. Any pointer may be NULL. */
int vperfctr_read_state(const struct vperfctr *self, struct perfctr_sum_ctrs *sums,
			struct vperfctr_control *control, struct perfctr_sum_ctrs *children);

/* The counters of another thread, which the caller traces and which is stopped. */
struct vperfctr *rvperfctr_open(int tid);

/* Properties of CPU and kernel. These need no open counters. */
int perfctr_get_info(struct perfctr_info *info);
unsigned int perfctr_abi_fits(const struct perfctr_info *info);
const char *perfctr_cpu_vendor_name(void);

#endif
