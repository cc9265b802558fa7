// SPDX-License-Identifier: GPL-2.0
/*
 * The first page of a mapping: an event's count and times, for user space to
 * read without a system call.
 */
#include "buffer.h"
#include "internal.h"

/**
 * arch_perf_update_userpage - fill in what only the architecture knows
 * @event: the event
 * @userpg: its page
 * @now: perf_clock() that belongs to the times in @userpg
 *
 * How to read counters and clock: the cap_user_* bits, pmc_width, time_*.
 * Any context.
 */
void __weak arch_perf_update_userpage(struct perf_event *event,
				      struct perf_event_mmap_page *userpg, u64 now)
{
}

/* Number of the counter for user space, plus one; 0 when it must not read it. */
static u32 counter_index(struct perf_event *event)
{
	if (event->state != PERF_EVENT_STATE_ACTIVE || (event->hw.state & PERF_HES_STOPPED))
		return 0;
	return event->pmu->event_idx ? event->pmu->event_idx(event) : 0;
}

/**
 * perf_event_update_userpage - bring the event's page up to date
 * @event: whose count, counter or times have changed course
 *
 * Any context; on the CPU where the event counts, if it does. The reader is a
 * task on this CPU, which sees page->lock change when it is interrupted.
 */
void perf_event_update_userpage(struct perf_event *event)
{
	struct perf_event_mmap_page *page;
	u64 now, enabled, running, offset;
	struct perf_buffer *rb;
	u32 index;

	preempt_disable_notrace();
	rb = rcu_dereference_sched(event->rb);
	/* Events that only write their records here have no part of the page. */
	if (likely(!rb) || !perf_event_page_mapped(event))
		goto out;

	page = rb->ring.user;
	now = perf_event_times(event, &enabled, &running);

	WRITE_ONCE(page->lock, page->lock + 1);
	barrier();
	perf_delay(USERPAGE_LOCKED);
	/* User space can write there, too. */
	index = counter_index(event);
	offset = perf_event_count(event);
	if (index)
		offset -= local64_read(&event->hw.prev_count);
	page->index = index;
	page->offset = offset;
	perf_event_add_child_times(event, &enabled, &running);
	page->time_enabled = enabled;
	page->time_running = running;
	arch_perf_update_userpage(event, page, now);
	barrier();
	WRITE_ONCE(page->lock, page->lock + 1);
out:
	preempt_enable_notrace();
}
EXPORT_SYMBOL_GPL(perf_event_update_userpage);

/**
 * perf_buffer_init_userpage - write the fields that never change
 * @rb: new
 */
void perf_buffer_init_userpage(struct perf_buffer *rb)
{
	struct perf_event_mmap_page *page = rb->ring.user;

	page->cap_bit0_is_deprecated = 1;
	page->size = offsetof(struct perf_event_mmap_page, __reserved);
	page->data_offset = PAGE_SIZE;
	page->data_size = rb->ring.size;
}
