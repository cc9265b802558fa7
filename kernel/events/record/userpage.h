/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_USERPAGE_H
#define _KERNEL_EVENTS_USERPAGE_H

#include <linux/perf_event.h>

#include "../cold.h"

struct perf_buffer;

/*
 * Is the event's page mapped? This changes only under the lock of the event's context,
 * together with the event's entry in ctx->mapped. A mapped event has an entry while it is
 * attached to the context.
 */
static inline bool perf_event_page_mapped(const struct perf_event *event)
{
	const struct perf_event_cold *cold = READ_ONCE(event->cold);

	return cold && atomic_read(&cold->mmap_count);
}

void perf_buffer_init_userpage(struct perf_buffer *rb);
void perf_event_refresh_userpage(struct perf_event *event);	/* may sleep */

#endif /* _KERNEL_EVENTS_USERPAGE_H */
