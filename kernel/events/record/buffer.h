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
#include <linux/poll.h>
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

struct pipe_inode_info;
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
 * struct perf_aux - an AUX area
 * @refcount: one for all mappings, one for an open transaction
 * @mappings: of this area, protected by the buffer's lock
 * @rb: the buffer that it belongs to; a reference
 * @pmu: that set it up; no other may write to it. NULL: it is gone
 * @driver_entry: place among the areas that have a driver
 * @priv: the driver's, from pmu::setup_aux
 * @free: pmu::free_aux
 * @pgoff: where the mapping begins, in pages
 * @nr_pages: a power of two
 * @watermark: bytes after which a reader is to be woken; not in overwrite mode
 * @overwrite: the reader does not tell what it has read
 * @sampling: a piece of it is being copied into a sample
 * @writer: event that has a transaction open
 * @writer_cpu: where that runs
 * @module: the driver's, held for @free
 * @charge: who pays for the pages, until they are free
 * @atomic_put: frees the area when a transaction held the last reference
 * @work: frees the area after a grace period, where that may sleep
 * @pages: addresses of the pages
 */
struct perf_aux {
	refcount_t		refcount;
	unsigned int		mappings;
	struct perf_buffer	*rb;
	struct pmu		*pmu;
	struct list_head	driver_entry;
	void			*priv;
	void			(*free)(void *aux);
	unsigned long		pgoff;
	unsigned int		nr_pages;
	unsigned long		watermark;
	bool			overwrite;
	bool			sampling;
	struct perf_event	*writer;
	int			writer_cpu;
	struct module		*module;
	struct perf_charge	charge;
	struct irq_work		atomic_put;
	struct rcu_work		work;
	void			*pages[];
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

/* buffer.c: may sleep, unless said otherwise */
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
__poll_t perf_event_poll(struct file *file, poll_table *wait);

/* splice.c */
ssize_t perf_event_splice_read(struct file *file, loff_t *ppos, struct pipe_inode_info *pipe,
			       size_t len, unsigned int flags);

/* mmap.c */
int perf_event_mmap_file(struct file *file, struct vm_area_struct *vma);

/*
 * Is the event's page mapped? It changes under the lock of the event's context
 * only, together with the event's place in ctx->mapped, which the event has while it
 * is attached to the context, too.
 */
static inline bool perf_event_page_mapped(const struct perf_event *event)
{
	const struct perf_event_cold *cold = READ_ONCE(event->cold);

	return cold && atomic_read(&cold->mmap_count);
}

/* userpage.c */
void perf_buffer_init_userpage(struct perf_buffer *rb);
void perf_event_refresh_userpage(struct perf_event *event);	/* may sleep */

/*
 * output.c. Between perf_output_begin() and perf_output_end(): each returns
 * how many bytes were not copied, which is 0 except where user memory faulted
 * or the caller's function failed. Any context.
 */
unsigned int perf_output_copy_custom(struct perf_output_handle *handle, perf_copy_f copy,
				     const void *from, unsigned int len);
unsigned int perf_output_copy_user(struct perf_output_handle *handle,
				   const void __user *from, unsigned int len);
void perf_output_wakeup(struct perf_buffer *rb, struct perf_event *event);

/**
 * perf_output_window - memory of the buffer, to be written in place
 * @handle: between perf_output_begin() and perf_output_end()
 * @len: bytes that are left to be written; the caller writes all of them
 *
 * Return: where they go; NULL when they would cross the end of a page, and
 * perf_output_copy() has to be used.
 */
static __always_inline void *perf_output_window(struct perf_output_handle *handle,
						unsigned int len)
{
	void *at = handle->addr;

	if (unlikely(handle->size <= len))
		return NULL;
	handle->addr += len;
	handle->size -= len;
	return at;
}

/* perf_output_put() for what most records are made of. */
static __always_inline void perf_output_put_u64(struct perf_output_handle *handle, u64 value)
{
	u64 *at = perf_output_window(handle, sizeof(value));

	if (likely(at))
		*at = value;
	else
		perf_output_copy(handle, &value, sizeof(value));
}

/* mmap.c */
void perf_uncharge(struct perf_charge *charge);

/* aux.c */
struct perf_aux *perf_aux_alloc(struct perf_buffer *rb, struct perf_event *event,
				unsigned long pgoff, unsigned int nr_pages, bool overwrite);
void perf_aux_put(struct perf_aux *aux);	/* any context */
void perf_aux_put_now(struct perf_aux *aux);
struct page *perf_aux_page(struct perf_aux *aux, unsigned long pgoff);
void perf_aux_stop_writer(struct perf_aux *aux);
void perf_aux_revoke(struct pmu *pmu);
#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
extern void (*perf_test_aux_step)(void);
#endif
void perf_log_itrace_start(struct perf_event *event);

/*
 * Samples with a piece of the AUX area: how many bytes of @size a sample of
 * the AUX event @sampler can have now (a multiple of 8; 0: none), and write
 * exactly that many. On the CPU that runs @sampler; any context.
 */
unsigned long perf_aux_sample_size(struct perf_event *sampler, unsigned long size);
void perf_aux_sample_write(struct perf_event *sampler, struct perf_output_handle *handle,
			   unsigned long size);

/*
 * Events of a group whose leader is an AUX event and that depend on it
 * (attr.aux_output, aux_sample_size, aux_pause, aux_resume). set: true, or
 * false when the leader will not do. clear drops the link of a member, and all
 * links to a leader; the caller takes members without leader off the PMU.
 */
bool perf_event_needs_aux(const struct perf_event *event);
bool perf_event_set_aux_output(struct perf_event *event, struct perf_event *leader);
void perf_event_clear_aux_output(struct perf_event *event);

#endif /* _KERNEL_EVENTS_BUFFER_H */
