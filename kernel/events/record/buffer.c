// SPDX-License-Identifier: GPL-2.0
/*
 * Buffers: their memory and life, and which events write to them.
 *
 * event->rb changes from one buffer to another with the locks of both held,
 * where NULL has no lock: so it changes by compare and exchange. Writers look
 * at it with preemption off, and a buffer is freed a grace period after its
 * last reference.
 */
#include <linux/fs.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include <linux/vmalloc.h>

#include "../cold.h"
#include "../delay.h"
#include "../event.h"
#include "../internal.h"
#include "buffer.h"
#include "output.h"
#include "ring.h"
#include "ring_shared.h"
#include "userpage.h"

/* Those who wait for so many events are woken in an interrupt. */
#define WAKE_AT_ONCE	64

#ifdef CONFIG_PERF_USE_VMALLOC

/*
 * Caches of these architectures may tell virtual addresses apart, so user
 * space and kernel need addresses of the same colour: one area for all.
 */
static unsigned int data_chunks(unsigned long nr_pages)
{
	return nr_pages ? 1 : 0;
}

static bool alloc_memory(struct perf_buffer *rb, int node)
{
	void *area = vmalloc_user((rb->nr_pages + 1) << PAGE_SHIFT);

	if (!area)
		return false;
	rb->ring.user = area;
	if (rb->nr_chunks) {
		rb->chunks[0] = area + PAGE_SIZE;
		rb->chunk_shift += ilog2(rb->nr_pages);
	}
	return true;
}

static void free_memory(struct perf_buffer *rb)
{
	vfree(rb->ring.user);
}

/**
 * perf_buffer_page - a page of a buffer
 * @rb: the buffer
 * @pgoff: 0 for the first page, then the data
 *
 * Return: the page, or NULL when there are not that many. It stays that page
 * while the buffer's lock or pages_lock is held.
 */
struct page *perf_buffer_page(struct perf_buffer *rb, unsigned long pgoff)
{
	if (pgoff > rb->nr_pages)
		return NULL;
	return vmalloc_to_page((void *)rb->ring.user + (pgoff << PAGE_SHIFT));
}

/**
 * perf_buffer_exchange_page - take a page out of a buffer
 * @rb: the buffer, locked
 * @pos: of the page's first byte
 * @fresh: to put in its place
 *
 * Return: NULL, pages of one area cannot be exchanged.
 */
struct page *perf_buffer_exchange_page(struct perf_buffer *rb, unsigned long pos,
				       struct page *fresh)
{
	return NULL;
}

#else /* !CONFIG_PERF_USE_VMALLOC */

static unsigned int data_chunks(unsigned long nr_pages)
{
	return nr_pages;
}

static void *alloc_page_on(int node)
{
	struct page *page = alloc_pages_node(node, GFP_KERNEL_ACCOUNT | __GFP_ZERO, 0);

	return page ? page_address(page) : NULL;
}

static void free_memory(struct perf_buffer *rb)
{
	unsigned int i;

	for (i = 0; i < rb->nr_chunks && rb->chunks[i]; i++)
		free_page((unsigned long)rb->chunks[i]);
	free_page((unsigned long)rb->ring.user);
}

static bool alloc_memory(struct perf_buffer *rb, int node)
{
	unsigned int i;

	rb->ring.user = alloc_page_on(node);
	if (!rb->ring.user)
		return false;
	for (i = 0; i < rb->nr_chunks; i++) {
		rb->chunks[i] = alloc_page_on(node);
		if (!rb->chunks[i]) {
			free_memory(rb);
			return false;
		}
	}
	return true;
}

/**
 * perf_buffer_page - a page of a buffer
 * @rb: the buffer
 * @pgoff: 0 for the first page, then the data
 *
 * Return: the page, or NULL when there are not that many. It stays that page
 * while the buffer's lock or pages_lock is held.
 */
struct page *perf_buffer_page(struct perf_buffer *rb, unsigned long pgoff)
{
	void *at = rb->ring.user;

	if (pgoff > rb->nr_pages)
		return NULL;
	if (pgoff)
		at = rb->chunks[pgoff - 1];
	/* Some architectures' macros want no expression here. */
	return virt_to_page(at);
}

/**
 * perf_buffer_exchange_page - take a page out of a buffer
 * @rb: the buffer, locked
 * @pos: of the page's first byte
 * @fresh: to put in its place; cleared here. The buffer takes over the reference
 *
 * Writers that were told that they may write to the page can do so until a
 * grace period has passed.
 * Return: the page, which is the caller's now, or NULL when somebody else uses
 * it: it is in a page table, or user space's memory is read from there.
 */
struct page *perf_buffer_exchange_page(struct perf_buffer *rb, unsigned long pos,
				       struct page *fresh)
{
	unsigned long offset;
	void **chunk = &rb->chunks[perf_ring_place(pos, rb->chunk_shift, rb->nr_chunks, &offset)];
	struct page *page = virt_to_page(*chunk);

	lockdep_assert_held(&rb->lock);
	if (page_count(page) != 1)
		return NULL;
	clear_page(page_address(fresh));
	spin_lock(&rb->pages_lock);
	if (page_count(page) == 1) {
		/* A writer that follows the pointer finds the page cleared. */
		smp_store_release(chunk, page_address(fresh));
	} else {
		page = NULL;
	}
	spin_unlock(&rb->pages_lock);
	return page;
}

#endif /* CONFIG_PERF_USE_VMALLOC */

/**
 * perf_buffer_put - drop a reference
 * @rb: the buffer
 *
 * Any context but NMI.
 */
void perf_buffer_put(struct perf_buffer *rb)
{
	if (refcount_dec_and_test(&rb->refcount))
		queue_rcu_work(system_unbound_wq, &rb->work);
}

/* Many events write to the buffer: not in an interrupt, and not all in one go. */
static void wake_all_work(struct work_struct *work)
{
	struct perf_buffer *rb = container_of(work, struct perf_buffer, wake_work);
	struct perf_event_cold *cold;

	mutex_lock(&rb->lock);
	list_for_each_entry(cold, &rb->events, rb_entry) {
		wake_up_all(&cold->waitq);
		cond_resched();
	}
	mutex_unlock(&rb->lock);
	perf_buffer_put(rb);
}

/* After a grace period: no writer and no reader of event->rb has it any more. */
static void buffer_free(struct work_struct *work)
{
	struct perf_buffer *rb = container_of(to_rcu_work(work), struct perf_buffer, work);

	WARN_ON_ONCE(!list_empty(&rb->events) || rb->mappings);
	free_memory(rb);
	kvfree(rb);
}

/**
 * perf_buffer_alloc - make a buffer that nobody knows yet
 * @nr_pages: of data, a power of two or 0
 * @watermark: bytes after which a reader is to be woken; 0 for half the size
 * @cpu: that writes to it, or -1
 * @overwrite: the reader will not tell what it has read
 *
 * Return: the buffer with one reference, or NULL.
 */
struct perf_buffer *perf_buffer_alloc(unsigned long nr_pages, unsigned long watermark,
				      int cpu, bool overwrite)
{
	unsigned int nr_chunks = data_chunks(nr_pages);
	int node = cpu == -1 ? NUMA_NO_NODE : cpu_to_node(cpu);
	struct perf_buffer *rb;

	if (nr_pages > UINT_MAX / 2)
		return NULL;
	rb = kvzalloc_node(struct_size(rb, chunks, nr_chunks), GFP_KERNEL_ACCOUNT | __GFP_NOWARN,
			   node);
	if (!rb)
		return NULL;

	rb->nr_pages = nr_pages;
	rb->nr_chunks = nr_chunks;
	rb->chunk_shift = PAGE_SHIFT;
	if (!alloc_memory(rb, node)) {
		kvfree(rb);
		return NULL;
	}

	rb->cpu = cpu;
	rb->ring.overwrite = overwrite;
	rb->ring.size = nr_pages << PAGE_SHIFT;
	rb->ring.watermark = watermark ? min(watermark, rb->ring.size) : rb->ring.size / 2;
	refcount_set(&rb->refcount, 1);
	mutex_init(&rb->lock);
	perf_lock_allocates_nothing(&rb->lock);
	spin_lock_init(&rb->events_lock);
	spin_lock_init(&rb->pages_lock);
	INIT_LIST_HEAD(&rb->events);
	INIT_RCU_WORK(&rb->work, buffer_free);
	INIT_WORK(&rb->wake_work, wake_all_work);
	perf_buffer_init_userpage(rb);
	return rb;
}

/* The event's buffer with a reference, or NULL. */
static struct perf_buffer *buffer_get(struct perf_event *event)
{
	struct perf_buffer *rb;

	rcu_read_lock();
	do {
		/* A buffer that is gone is no longer the event's: this ends. */
		rb = rcu_dereference(event->rb);
	} while (rb && !refcount_inc_not_zero(&rb->refcount));
	rcu_read_unlock();
	return rb;
}

/**
 * perf_buffer_lock - lock the buffer that an event writes to
 * @event: the event
 *
 * Return: the buffer, which stays the event's until perf_buffer_unlock(), or
 * NULL when there is none.
 */
struct perf_buffer *perf_buffer_lock(struct perf_event *event)
{
	struct perf_buffer *rb;

	/* Each round but the first is for another buffer that the event was given since. */
	for (;;) {
		rb = buffer_get(event);
		if (!rb)
			return NULL;
		mutex_lock(&rb->lock);
		if (likely(rcu_access_pointer(event->rb) == rb))
			return rb;
		perf_buffer_unlock(rb);
	}
}

/**
 * perf_buffer_unlock - end what perf_buffer_lock() began
 * @rb: what that returned
 */
void perf_buffer_unlock(struct perf_buffer *rb)
{
	mutex_unlock(&rb->lock);
	perf_buffer_put(rb);
}

/*
 * Several CPUs are going to write. Where no event has ever written they may at
 * once, else when a grace period has passed.
 */
static void start_sharing(struct perf_buffer *rb)
{
	lockdep_assert_held(&rb->lock);
	/* Where there is one CPU, no other one writes. */
	if (!IS_ENABLED(CONFIG_SMP) || rb->sharing != PERF_SHARED_NOT)
		return;
	if (!rb->used) {
		WRITE_ONCE(rb->sharing, PERF_SHARED);
		return;
	}
	/* The grace period begins after writers can see this. */
	WRITE_ONCE(rb->sharing, PERF_SHARED_SOON);
	get_state_synchronize_rcu_full(&rb->shared_since);
	/* Pairs with perf_output_sharing_is_settled(): who sees it sees the cookie. */
	smp_store_release(&rb->sharing, PERF_SHARED_SINCE);
}

/* Wait for old writers to finish, so that from here on no writer is turned away. */
static void settle_sharing(struct perf_buffer *rb)
{
	lockdep_assert_held(&rb->lock);
	if (rb->sharing != PERF_SHARED_SINCE)
		return;
	cond_synchronize_rcu_full(&rb->shared_since);
	/* Pairs with perf_output_sharing_is_settled(): who sees it sees all records of before. */
	smp_store_release(&rb->sharing, PERF_SHARED);
}

/*
 * Copies of an inherited event run on any CPU, and so does the one that writes
 * a READ record at its task's end.
 */
static bool writes_anywhere(const struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	return attr->inherit && (event->cpu == -1 || attr->inherit_stat);
}

/**
 * perf_buffer_share - an event that writes to a CPU's buffer goes to another CPU
 * @event: not attached; its ctx->mutex is held
 *
 * Until a grace period has passed what is written to the buffer is lost, and
 * counted. May sleep.
 */
void perf_buffer_share(struct perf_event *event)
{
	struct perf_buffer *rb = perf_buffer_lock(event);

	WARN_ON_ONCE(event->attach_state & PERF_ATTACH_CONTEXT);
	if (!rb)
		return;
	start_sharing(rb);
	perf_buffer_unlock(rb);
}

/**
 * perf_buffer_share_if_elsewhere - an event has got a buffer while it was moved
 * @rb: locked; @event has just been attached to it
 * @event: that may be on the way to another CPU
 *
 * move_in() stores the event's CPU and then looks for its buffer. Here the buffer
 * has been stored and the event's CPU is looked at. Both are fully ordered, so one
 * of the two finds that buffer and event are of different CPUs:
 *
 *	CPU 0, mmap(2)				CPU 1, move_in()
 *
 *	event->rb = rb;				event->cpu = 1;
 *	  (cmpxchg() in buffer_switch(),	smp_mb();
 *	   a full barrier)			perf_buffer_share(event):
 *	if (event->cpu != rb->cpu)		  rb = event->rb;
 *		start_sharing(rb);		  if (rb) start_sharing(rb);
 *
 * Without either barrier a load may come before its CPU's store: CPU 0 finds the
 * CPU of before, CPU 1 finds no buffer, and the event writes from CPU 1 to a
 * buffer that takes all its writers for CPU 0's.
 */
void perf_buffer_share_if_elsewhere(struct perf_buffer *rb, struct perf_event *event)
{
	if (unlikely(READ_ONCE(event->cpu) != rb->cpu))
		start_sharing(rb);
}

/*
 * Let the event write to @new instead of @old, either of which may be NULL.
 * Locks of both are held. Fails when the event has another buffer, which can
 * be only where @old is NULL.
 *
 * An event without a buffer is anybody's to give one. So it leaves a list
 * before the pointer says so, and joins one after.
 */
static bool buffer_switch(struct perf_event *event, struct perf_buffer *old,
			  struct perf_buffer *new)
{
	struct perf_event_cold *cold = event->cold;

	if (old) {
		lockdep_assert_held(&old->lock);
		spin_lock_irq(&old->events_lock);
		list_del_init(&cold->rb_entry);
		old->nr_events--;
		spin_unlock_irq(&old->events_lock);
	}
	if (new) {
		lockdep_assert_held(&new->lock);
		if (writes_anywhere(event))
			start_sharing(new);
		settle_sharing(new);
		new->used = true;
		refcount_inc(&new->refcount);
	}

	perf_delay(BUFFER_SWITCH);
	if (unrcu_pointer(cmpxchg(&event->rb, RCU_INITIALIZER(old), RCU_INITIALIZER(new))) != old) {
		WARN_ON_ONCE(old);
		if (new)
			perf_buffer_put(new);
		return false;
	}
	perf_delay(BUFFER_SWITCHED);

	if (new) {
		spin_lock_irq(&new->events_lock);
		list_add(&cold->rb_entry, &new->events);
		new->nr_events++;
		spin_unlock_irq(&new->events_lock);
	}
	if (old)
		perf_buffer_put(old);
	/* For a wake-up in between, and to see that there is no buffer now. */
	wake_up_all(&cold->waitq);
	return true;
}

/**
 * perf_buffer_attach - let an event write to a buffer
 * @rb: locked
 * @event: has its cold part
 *
 * Return: false when the event has a buffer by now.
 */
bool perf_buffer_attach(struct perf_buffer *rb, struct perf_event *event)
{
	return buffer_switch(event, NULL, rb);
}

/**
 * perf_buffer_detach - let an event write to a buffer no longer
 * @rb: locked; the caller has a reference
 * @event: that writes to it
 */
void perf_buffer_detach(struct perf_buffer *rb, struct perf_event *event)
{
	buffer_switch(event, rb, NULL);
}

/**
 * perf_event_detach_buffer - the event is to be closed
 * @event: whose page is not mapped
 */
void perf_event_detach_buffer(struct perf_event *event)
{
	struct perf_buffer *rb = perf_buffer_lock(event);

	if (!rb)
		return;
	perf_buffer_detach(rb, event);
	perf_buffer_unlock(rb);
}

/* May the records of the one event be among those of the other? */
static bool output_allowed(struct perf_event *event, struct perf_event *target)
{
	if (event == target)
		return false;
	/* One CPU at a time writes to a buffer. */
	if (event->cpu != target->cpu)
		return false;
	if (target->cpu == -1 && target->hw.target != event->hw.target)
		return false;
	/* Records are ordered by time, and lie in one direction. */
	if (event->clock != target->clock)
		return false;
	if (is_write_backward(event) != is_write_backward(target))
		return false;
	/* A PMU may be going. */
	guard(rcu)();
	return !has_aux(event) || !has_aux(target) || event->pmu == target->pmu;
}

static void lock_two(struct perf_buffer *a, struct perf_buffer *b)
{
	if (a > b)
		swap(a, b);
	if (a)
		mutex_lock(&a->lock);
	if (b && b != a)
		mutex_lock_nested(&b->lock, SINGLE_DEPTH_NESTING);
}

static void unlock_two(struct perf_buffer *a, struct perf_buffer *b)
{
	if (a)
		mutex_unlock(&a->lock);
	if (b && b != a)
		mutex_unlock(&b->lock);
}

static int redirect(struct perf_event *event, struct perf_event *target)
{
	struct perf_buffer *old = buffer_get(event);
	struct perf_buffer *new = target ? buffer_get(target) : NULL;
	int ret = -EAGAIN;

	lock_two(old, new);
	if (target && !new)
		ret = -EINVAL;
	else if (rcu_access_pointer(event->rb) != old ||
		 (target && rcu_access_pointer(target->rb) != new))
		ret = -EAGAIN;
	else if (perf_event_page_mapped(event))
		ret = -EINVAL;
	else if (old == new || buffer_switch(event, old, new))
		ret = 0;
	unlock_two(old, new);

	if (new)
		perf_buffer_put(new);
	if (old)
		perf_buffer_put(old);
	return ret;
}

/**
 * perf_event_set_output - let an event write to another one's buffer
 * @event: whose page is not mapped
 * @target: that has a buffer; NULL: @event is to have none
 *
 * Return: 0, -EINVAL when the two do not go together or a buffer is missing or
 * in use, -ENOMEM.
 */
int perf_event_set_output(struct perf_event *event, struct perf_event *target)
{
	int ret;

	if (target && !output_allowed(event, target))
		return -EINVAL;
	ret = perf_event_make_cold(event);
	if (ret)
		return ret;
	/* Again for each time that one of the two was given another buffer meanwhile. */
	do {
		ret = redirect(event, target);
	} while (ret == -EAGAIN);
	return ret;
}

/**
 * perf_event_pause_output - turn writers away, or let them in again
 * @event: whose buffer it is about
 * @pause: not 0 to pause
 *
 * Return: 0, or -EINVAL when there is no buffer for records.
 */
int perf_event_pause_output(struct perf_event *event, u32 pause)
{
	struct perf_buffer *rb;
	int ret = -EINVAL;

	rcu_read_lock();
	rb = rcu_dereference(event->rb);
	if (rb && rb->nr_pages) {
		WRITE_ONCE(rb->paused, !!pause);
		ret = 0;
	}
	rcu_read_unlock();
	return ret;
}

/* Wake who polls @event at once, and who polls others by a worker when they are many. */
static void wake_pollers(struct perf_buffer *rb, struct perf_event *event)
{
	struct perf_event_cold *cold;
	unsigned long flags;

	spin_lock_irqsave(&rb->events_lock, flags);
	if (likely(rb->nr_events <= WAKE_AT_ONCE)) {
		list_for_each_entry(cold, &rb->events, rb_entry)
			wake_up_all(&cold->waitq);
		spin_unlock_irqrestore(&rb->events_lock, flags);
		return;
	}
	/* The work has a reference; if it is queued already, it has its own. */
	if (refcount_inc_not_zero(&rb->refcount) &&
	    !queue_work(system_unbound_wq, &rb->wake_work))
		perf_buffer_put(rb);
	spin_unlock_irqrestore(&rb->events_lock, flags);
	wake_up_all(&event->cold->waitq);
}

/* Show what a writer has left to be shown; see perf_ring_show(). */
static void show_rest(struct perf_buffer *rb, struct perf_event *event)
{
	if (likely(!perf_output_sharing_is_settled(rb)))
		return;
	preempt_disable();
	perf_ring_flush(&rb->ring, &rb->shared, is_write_backward(event));
	preempt_enable();
}

/**
 * perf_event_wakeup - wake who waits for the event, and send its signal
 * @event: that has its cold part; may be a child, then its parent is meant
 *
 * Any context but NMI. All who poll an event that writes to the same buffer
 * are woken.
 */
void perf_event_wakeup(struct perf_event *event)
{
	struct perf_event *output = perf_event_root(event);
	struct perf_event_cold *cold;
	struct perf_buffer *rb;
	int kill;

	rcu_read_lock();
	rb = rcu_dereference(output->rb);
	if (rb) {
		show_rest(rb, output);
		wake_pollers(rb, output);
	} else if (output->cold) {
		wake_up_all(&output->cold->waitq);
	}
	rcu_read_unlock();

	cold = event->cold;
	if (!cold || !output->cold)
		return;
	kill = xchg(&event->pending_kill, 0);
	if (kill)
		kill_fasync(&output->cold->fasync, SIGIO, kill);
}

/**
 * perf_event_is_over - will nothing ever come of this event again?
 * @event: any
 *
 * Return: true when its task and those of its copies are gone, or it is dead.
 */
bool perf_event_is_over(struct perf_event *event)
{
	enum perf_event_state state = READ_ONCE(event->state);

	if (state == PERF_EVENT_STATE_EXIT)
		return list_empty_careful(perf_event_copies(event));
	return state == PERF_EVENT_STATE_DEAD;
}
