/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Buffers that user space maps: records, and the AUX area.
 *
 * A buffer has no owner: each event that writes to the buffer and each mapping holds a reference.
 * Events can be attached only while the buffer has a mapping. The last unmap detaches all events.
 */
#ifndef _KERNEL_EVENTS_BUFFER_H
#define _KERNEL_EVENTS_BUFFER_H

#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/perf_event_ext.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <asm/local.h>

#include "../cold.h"
#include "../delay.h"

#if defined(CONFIG_PERF_EVENTS_DELAYS) && !defined(PERF_RING_STEP)
#define PERF_RING_STEP(ring)	((void)(ring), perf_delay(RING_STEP))
#endif
#include "page_lock.h"
#include "ring_shared.h"

struct user_struct;

/**
 * struct perf_charge - charge for locked memory
 * @user: user charged with @locked, within perf_event_mlock_kb; NULL if nothing is charged
 * @mm: mm charged with @pinned, within RLIMIT_MEMLOCK. The charge is released from @mm, even if the
 *	last mapping was in another mm
 * @locked: pages charged to @user
 * @pinned: pages charged to @mm
 */
struct perf_charge {
	struct user_struct	*user;
	struct mm_struct	*mm;
	unsigned long		locked;
	unsigned long		pinned;
};

/**
 * enum perf_sharing - does more than one CPU write to a buffer?
 * @PERF_SHARED_NOT: no, one CPU at a time writes, by the protocol of ring.h
 * @PERF_SHARED_CONVERTING: no record may begin, and new ones are lost; old ones may be incomplete
 * @PERF_SHARED_GRACE_PERIOD: as PERF_SHARED_CONVERTING, until the grace period with the cookie in
 *	perf_buffer::grace_cookie has passed
 * @PERF_SHARED: yes, by the protocol of ring_shared.h; the buffer remains in this state
 *
 * While a record of one protocol is incomplete, on another CPU or in the interrupted code, no
 * record of the other protocol may begin. So a grace period separates the protocols.
 */
enum perf_sharing {
	PERF_SHARED_NOT,
	PERF_SHARED_CONVERTING,
	PERF_SHARED_GRACE_PERIOD,
	PERF_SHARED,
};

/**
 * struct perf_buffer - memory for the records of events
 * @ring: positions while one CPU at a time writes
 * @samples: samples since the last wakeup for attr.wakeup_events
 * @special: @sharing, @paused and @empty as one word, so that writers need only one test
 * @sharing: enum perf_sharing
 * @paused: records are dropped, and counted as lost
 * @empty: the buffer has no data memory, and records are dropped
 * @page_lock: the kernel's part of the user page's lock; see page_lock.h
 * @nr_chunks: number of chunks of data memory, a power of two or 0
 * @chunk_shift: log2 of the size of a chunk in bytes
 * @poll: events for the next poll(2)
 * @cpu: the only CPU that may write while the buffer is not shared, or -1: the CPU of the task
 * @refcount: one for each event in @events, one for each mapping
 * @lock: protects attach, detach, mmap and the AUX area. The locks of two buffers are taken in
 *	address order. @lock nests inside mmap_lock and ctx->mutex. CPU hotplug and workers wait
 *	for @lock, so no memory is allocated while it is held
 * @mappings: number of mappings of data and AUX area; without a mapping no event can be attached
 * @events: events that write to the buffer; changed with @lock and @events_lock held
 * @nr_events: length of @events, changed with the same locks
 * @used: an event is, or was, attached to the buffer
 * @events_lock: protects reads of @events in interrupts
 * @pages_lock: held to take a reference to one of @chunks, or to replace it
 * @nr_pages: pages of data
 * @charge: charge for the memory
 * @grace_cookie: cookie of the grace period of PERF_SHARED_GRACE_PERIOD
 * @shared: positions while several CPUs write, in a cache line of their own
 * @lost: lost records of all events, by cause
 * @wake_work: wakes the pollers of a buffer with many events
 * @aux: the AUX area while it is mapped, RCU
 * @aux_open: the area that an event writes to, or NULL
 * @aux_head: bytes written to AUX areas
 * @aux_wakeup: @aux_head at the last wakeup, rounded down to a multiple of the watermark
 * @work: frees the buffer after a grace period
 * @chunks: addresses of the data memory
 */
struct perf_buffer {
	struct perf_ring	ring;
	local_t			samples;
	union {
		u32		special;
		struct {
			u8	sharing;
			bool	paused;
			bool	empty;
		};
	};
	struct perf_page_lock	page_lock;
	unsigned int		nr_chunks;
	unsigned int		chunk_shift;
	atomic_t		poll;
	int			cpu;

	refcount_t		refcount;
	struct mutex		lock;	/* attach, detach, map */
	unsigned int		mappings;
	struct list_head	events;
	unsigned int		nr_events;
	bool			used;
	spinlock_t		events_lock; /* protects @events in interrupts */
	spinlock_t		pages_lock; /* references to @chunks */
	unsigned long		nr_pages;
	struct perf_charge	charge;
	struct rcu_gp_oldstate	grace_cookie;

	struct perf_shared_ring	shared;

	atomic_long_t		lost[PERF_LOSSES];
	struct work_struct	wake_work;

	struct perf_aux __rcu	*aux;
	struct perf_aux		*aux_open;
	unsigned long		aux_head;
	unsigned long		aux_wakeup;

	struct rcu_work		work;
	void			*chunks[];
};

/* May sleep, except where noted. */
struct perf_buffer *perf_buffer_alloc(unsigned long nr_pages, unsigned long watermark,
				      int cpu, bool overwrite);
void perf_buffer_put(struct perf_buffer *rb);
void perf_buffer_share(struct perf_event *event);
void perf_buffer_share_if_elsewhere(struct perf_buffer *rb, struct perf_event *event);
struct perf_buffer *perf_buffer_lock(struct perf_event *event);
void perf_buffer_unlock(struct perf_buffer *rb);
bool perf_buffer_attach(struct perf_buffer *rb, struct perf_event *event);
void perf_buffer_detach(struct perf_buffer *rb, struct perf_event *event);
struct page *perf_buffer_page(struct perf_buffer *rb, unsigned long pgoff);
struct page *perf_buffer_exchange_page(struct perf_buffer *rb, unsigned long pos,
				       struct page *fresh);
int perf_event_set_output(struct perf_event *event, struct perf_event *target);
void perf_event_detach_buffer(struct perf_event *event);
int perf_event_pause_output(struct perf_event *event, u32 pause);
void perf_event_wakeup(struct perf_event *event);	/* any context but NMI */
bool perf_event_is_over(struct perf_event *event);

/* Get the number of records, including those that are being written. Any context. */
static inline u64 perf_buffer_records(const struct perf_buffer *rb)
{
	/* Writers change ring.visits without a lock. */
	return data_race(rb->ring.visits) / PERF_RING_VISIT +
	       atomic_long_read(&rb->shared.records);
}

/* Get the number of bytes that writers have reserved. Any context. */
static inline unsigned long perf_buffer_bytes(const struct perf_buffer *rb, bool backward)
{
	unsigned long head = local_read(&rb->ring.head);

	/* shared.head is relative to ring.head, and has two flag bits. */
	head += atomic_long_read(&rb->shared.head) & PERF_RING_POSITION;
	return perf_ring_distance(head, backward);
}

#endif /* _KERNEL_EVENTS_BUFFER_H */
