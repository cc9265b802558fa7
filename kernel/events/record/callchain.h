/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_CALLCHAIN_H
#define _KERNEL_EVENTS_CALLCHAIN_H

int perf_callchain_set_limit(int *limit, int value);

#endif /* _KERNEL_EVENTS_CALLCHAIN_H */
