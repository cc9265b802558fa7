/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Buffers that user space maps: records, and the AUX area.
 *
 * The buffer belongs to nobody: each event that writes to it and each mapping
 * holds a reference. While it has a mapping events may be attached to it; with
 * the last mapping all of them are detached.
 */
#ifndef _KERNEL_EVENTS_BUFFER_H
#define _KERNEL_EVENTS_BUFFER_H

#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
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
#include "ring_shared.h"

struct user_struct;

/**
 * struct perf_charge - locked memory that somebody was charged for
 * @user: whose allowance of perf_event_mlock_kb pays for @locked; NULL: nobody's
 * @mm: whose RLIMIT_MEMLOCK pays for @pinned; kept, so that it is given back
 *	where it came from whoever unmaps last
 * @locked: pages
 * @pinned: pages
 */
struct perf_charge {
	struct user_struct	*user;
	struct mm_struct	*mm;
	unsigned long		locked;
	unsigned long		pinned;
};

/**
 * enum perf_sharing - do several CPUs write to a buffer?
 * @PERF_SHARED_NOT: one at a time
 * @PERF_SHARED_SOON: so it was; what comes now is turned away
 * @PERF_SHARED_SINCE: the same, until a grace period has passed
 * @PERF_SHARED: several do; for ever
 *
 * The two protocols do not mix: no record may be begun by the one while another
 * CPU, or what an interrupt has come into, writes one by the other.
 */
enum perf_sharing {
	PERF_SHARED_NOT,
	PERF_SHARED_SOON,
	PERF_SHARED_SINCE,
	PERF_SHARED,
};

/**
 * struct perf_buffer - what events write their records to
 * @ring: positions; its CPU's
 * @samples: since the last wake-up that wakeup_events asked for
 * @special: either of the next two, looked at by each writer
 * @sharing: enum perf_sharing
 * @paused: writers are turned away (and counted as lost)
 * @page_lock: the number behind the first page's lock; see page_lock.h
 * @nr_chunks: of data memory, a power of two or 0
 * @chunk_shift: log2 of their size
 * @poll: what poll(2) is to report next
 * @cpu: that alone may write, -1 when it is wherever the task runs
 * @refcount: one for each event in @events, one for each mapping
 * @lock: attach, detach, map and the AUX area. Two of them: by address.
 *	Inside mmap_lock and ctx->mutex; no memory is allocated under it, as CPU
 *	hotplug and workers wait for it
 * @mappings: of data and AUX area; 0: no event may be attached (any more)
 * @events: that write here; changed with @lock and @events_lock held
 * @nr_events: of them, with the same locks
 * @used: an event has been attached
 * @events_lock: to look at @events in interrupts
 * @pages_lock: to get a reference to one of @chunks, or to exchange it
 * @nr_pages: of data
 * @charge: who pays for the memory
 * @shared_since: cookie of the grace period of PERF_SHARED_SINCE
 * @shared: positions when several CPUs write; apart from what they only read
 * @wake_work: wakes those who wait when they are many
 * @aux: the AUX area while it is mapped, RCU
 * @aux_open: the area that a transaction is open on
 * @aux_head: bytes written to AUX areas so far
 * @aux_wakeup: @aux_head when the watermark was last passed
 * @work: frees the buffer after a grace period
 * @chunks: addresses of the data memory
 */
struct perf_buffer {
	struct perf_ring	ring;
	local_t			samples;
	union {
		u16		special;
		struct {
			u8	sharing;
			bool	paused;
		};
	};
	local_t			page_lock;
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
	spinlock_t		events_lock; /* @events, in interrupts */
	spinlock_t		pages_lock; /* references to @chunks */
	unsigned long		nr_pages;
	struct perf_charge	charge;

	struct rcu_gp_oldstate	shared_since;
	struct perf_shared_ring	shared;
	struct work_struct	wake_work;

	struct perf_aux __rcu	*aux;
	struct perf_aux		*aux_open;
	unsigned long		aux_head;
	unsigned long		aux_wakeup;

	struct rcu_work		work;
	void			*chunks[];
};

/* May sleep, unless said otherwise. */
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

#endif /* _KERNEL_EVENTS_BUFFER_H */
