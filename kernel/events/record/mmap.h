/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_MMAP_H
#define _KERNEL_EVENTS_MMAP_H

struct file;
struct perf_charge;
struct vm_area_struct;

int perf_event_mmap_file(struct file *file, struct vm_area_struct *vma);
void perf_uncharge(struct perf_charge *charge);

#endif /* _KERNEL_EVENTS_MMAP_H */
