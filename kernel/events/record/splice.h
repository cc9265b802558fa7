/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_SPLICE_H
#define _KERNEL_EVENTS_SPLICE_H

#include <linux/types.h>

struct file;
struct pipe_inode_info;

ssize_t perf_event_splice_read(struct file *file, loff_t *ppos, struct pipe_inode_info *pipe,
			       size_t len, unsigned int flags);

#endif /* _KERNEL_EVENTS_SPLICE_H */
