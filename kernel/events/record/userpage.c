// SPDX-License-Identifier: GPL-2.0
/* The user page: an event's count and times, readable without a system call. */
#include "../cold.h"
#include "../context.h"
#include "../delay.h"
#include "../internal.h"
#include "../read.h"
#include "../time.h"
#include "../time_seq.h"
#include "buffer.h"
#include "output.h"
#include "page_lock.h"
#include "userpage.h"

/**
 * arch_perf_update_userpage - fill in the architecture's fields of the user page
 * @event: the event
 * @userpg: its page
 * @now: value of perf_clock() to which the other fields of @userpg refer
 *
 * These fields describe how user space reads counters and perf_clock(): the cap_user_* bits,
 * pmc_width and time_*.
 *
 * Context: any.
 */
void __weak arch_perf_update_userpage(struct perf_event *event,
				      struct perf_event_mmap_page *userpg, u64 now)
{
}

/* Get the number of the counter plus one, or 0 if user space must not read the counter. */
static u32 perf_userpage_counter_index(struct perf_event *event)
{
	if (event->state != PERF_EVENT_STATE_ACTIVE || (event->hw.state & PERF_HES_STOPPED))
		return 0;
	return event->pmu->event_idx ? event->pmu->event_idx(event) : 0;
}

/*
 * May this CPU write the page? The page is written only on the CPU of its reader: the CPU on which
 * the event's context is scheduled in. If the context is scheduled out, any CPU may write the page.
 * Then the caller holds the context's lock, so the context is not scheduled in meanwhile.
 */
static bool perf_userpage_is_ours(const struct perf_event *event)
{
	const struct perf_event_context *ctx = READ_ONCE(event->ctx);
	int cpu = perf_clock_cpu(&ctx->clock);

	if (cpu < 0)
		lockdep_assert_held(&ctx->lock);
	return cpu < 0 || cpu == smp_processor_id();
}

/* Fill in the fields of the event, but not those of the data and AUX areas. */
static void perf_userpage_fill(struct perf_event *event, struct perf_event_mmap_page *page)
{
	u64 now, enabled, running, offset;
	u32 index = perf_userpage_counter_index(event);

	/* User space can write to the page, so compute all fields and read none of them. */
	offset = perf_event_count(event);
	if (index)
		offset -= local64_read(&event->hw.prev_count);
	now = perf_event_times(event, &enabled, &running);
	perf_event_add_child_times(event, &enabled, &running);
	page->index = index;
	page->offset = offset;
	page->time_enabled = enabled;
	page->time_running = running;
	arch_perf_update_userpage(event, page, now);
}

/**
 * perf_event_update_userpage - update the user page of an event
 * @event: event whose count, counter or times have changed other than by counting
 *
 * On another CPU than that of the event's context this function does nothing: the page is written
 * at the next switch to the task, or by perf_event_refresh_userpage().
 *
 * Context: any, on the CPU of the event's context, or with the context's lock held while the
 * context is scheduled out.
 */
void perf_event_update_userpage(struct perf_event *event)
{
	struct perf_event_mmap_page *page;
	struct perf_buffer *rb;
	int tries = PERF_PAGE_TRIES;
	long number;

	if (!rcu_access_pointer(event->rb))
		return;
	preempt_disable_notrace();
	rb = rcu_dereference_sched(event->rb);
	/* The page describes a mapped event, not other events that write to the buffer. */
	if (!rb || !perf_event_page_mapped(event) || !perf_userpage_is_ours(event))
		goto out;

	page = rb->ring.user;
	while (likely(perf_page_begin(page, &rb->page_lock, smp_processor_id(), &number))) {
		perf_delay(USERPAGE_LOCKED);
		perf_userpage_fill(event, page);
		if (likely(perf_page_end(page, &rb->page_lock, number)))
			break;
		/* Stop after PERF_PAGE_TRIES attempts that other writers have interrupted. */
		if (!--tries) {
			perf_page_abort(page, &rb->page_lock);
			break;
		}
	}
out:
	preempt_enable_notrace();
}
EXPORT_SYMBOL_GPL(perf_event_update_userpage);

static void perf_userpage_refresh_locked(struct perf_event *event, struct perf_cpu_context *cpuctx,
					 void *data)
{
	const struct perf_event_context *ctx = data;

	/* If the event has moved, the lock of its new context is not held. */
	if (READ_ONCE(event->ctx) == ctx)
		perf_event_update_userpage(event);
}

/**
 * perf_event_refresh_userpage - update the user page of an event, from any CPU
 * @event: the caller holds a reference
 *
 * Context: may sleep.
 */
void perf_event_refresh_userpage(struct perf_event *event)
{
	struct perf_event_context *ctx;

	do {
		ctx = READ_ONCE(event->ctx);
		if (perf_context_call(ctx, event, perf_userpage_refresh_locked, ctx))
			continue;
		/* The task has exited: no other CPU changes the event. */
		scoped_guard(raw_spinlock_irq, &ctx->lock)
			perf_event_update_userpage(event);
		/* Retry if the event has moved: at most once for each CPU that is offlined. */
	} while (ctx != READ_ONCE(event->ctx));
}

/**
 * perf_buffer_init_userpage - write the constant fields of the user page
 * @rb: new buffer
 */
void perf_buffer_init_userpage(struct perf_buffer *rb)
{
	struct perf_event_mmap_page *page = rb->ring.user;

	page->cap_bit0_is_deprecated = 1;
	page->size = offsetof(struct perf_event_mmap_page, __reserved);
	page->data_offset = PAGE_SIZE;
	page->data_size = rb->ring.size;
}

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
#include "../tests/userpage_test.c"
#endif
