/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_FILE_H
#define _KERNEL_EVENTS_FILE_H

#include <linux/file.h>
#include <linux/perf_event.h>

struct file *perf_event_new_file(struct perf_event *event, unsigned int flags);

/* Get the event of @f, which the caller holds, or NULL if @f is not the file of an event. */
struct perf_event *perf_event_of_fd(struct fd f);

#endif /* _KERNEL_EVENTS_FILE_H */
