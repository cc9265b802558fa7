/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_SAMPLE_USER_H
#define _KERNEL_EVENTS_SAMPLE_USER_H

#include <linux/perf_event.h>

bool perf_user_memory_usable(void);
void perf_sample_user_regs(struct perf_regs *user, const struct perf_event *event,
			   struct pt_regs *regs);
u64 perf_sample_user_stack(struct pt_regs *regs, u64 want, u64 room);
void perf_output_user_stack(struct perf_output_handle *handle, struct pt_regs *regs,
			    u64 size);
u64 perf_get_page_size(unsigned long addr);
u64 perf_sample_page_size(const struct perf_event *event, unsigned long addr);
u64 perf_virt_to_phys(u64 virt);

#endif /* _KERNEL_EVENTS_SAMPLE_USER_H */
