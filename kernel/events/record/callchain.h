/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_CALLCHAIN_H
#define _KERNEL_EVENTS_CALLCHAIN_H

/*
 * The stack limits cannot change while buffers of that size exist.
 * Store @value in *@limit unless there are such buffers (-EBUSY),
 * under the lock that get_callchain_buffers() takes. May sleep.
 */
int perf_callchain_set_limit(int *limit, int value);

#endif /* _KERNEL_EVENTS_CALLCHAIN_H */
