/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Performance counters of threads, for programs. Functions return 0, or -1 with errno, if
 * nothing else is said.
 */
#ifndef _LIBPERFCTR_H
#define _LIBPERFCTR_H

#include <linux/perfctr.h>

struct vperfctr;

/* The counters of the calling thread; it has them until they are unlinked, or it exits. */
struct vperfctr *vperfctr_open(void);
int vperfctr_info(const struct vperfctr *self, struct perfctr_info *info);
int vperfctr_control(const struct vperfctr *self, const struct vperfctr_control *control);
int vperfctr_stop(const struct vperfctr *self);
int vperfctr_is_running(const struct vperfctr *self);
int vperfctr_iresume(const struct vperfctr *self);
int vperfctr_unlink(const struct vperfctr *self);
void vperfctr_close(struct vperfctr *self);
int vperfctr_fd(const struct vperfctr *self);

/* Read by the mapped page, without a system call where the CPU lets programs do that. */
unsigned long long vperfctr_read_tsc(const struct vperfctr *self);
unsigned long long vperfctr_read_pmc(const struct vperfctr *self, unsigned int i);
int vperfctr_read_ctrs(const struct vperfctr *self, struct perfctr_sum_ctrs *sums);

/* Read by a system call; any pointer may be NULL. */
int vperfctr_read_state(const struct vperfctr *self, struct perfctr_sum_ctrs *sums,
			struct vperfctr_control *control, struct perfctr_sum_ctrs *children);

/* The counters of a thread that the caller traces, and that is stopped. */
struct vperfctr *rvperfctr_open(int tid);

/* What there is, without any counters of one's own. */
int perfctr_get_info(struct perfctr_info *info);
unsigned int perfctr_abi_fits(const struct perfctr_info *info);
const char *perfctr_cpu_vendor_name(void);

#endif
