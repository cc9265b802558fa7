/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_EVENT_ID_H
#define _KERNEL_EVENTS_EVENT_ID_H

#include <linux/types.h>

u64 perf_event_id_alloc_many(unsigned int nr);
u64 perf_event_id_new(void);

#endif /* _KERNEL_EVENTS_EVENT_ID_H */
