// SPDX-License-Identifier: GPL-2.0
/*
 * Buffers: allocation, lifetime, and the events that write to them.
 *
 * event->rb changes from one buffer to another with the locks of both buffers held. Without
 * a buffer there is no such lock, so event->rb changes by cmpxchg(). Writers read event->rb
 * with preemption off. A buffer is freed a grace period after its last reference was dropped.
 */
#include <linux/fs.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include <linux/vmalloc.h>

#include <asm/shmparam.h>

#include "../cold.h"
#include "../delay.h"
#include "../event.h"
#include "../internal.h"
#include "../refuse.h"
#include "buffer.h"
#include "output.h"
#include "ring.h"
#include "ring_shared.h"
#include "userpage.h"

/* Each record changes the shared positions: they are not in cache lines that writers only read. */
static_assert(!IS_ENABLED(CONFIG_64BIT) ||
	      offsetofend(struct perf_buffer, cpu) / L1_CACHE_BYTES <
	      offsetof(struct perf_buffer, shared) / L1_CACHE_BYTES);
/*
 * Each record changes several shared positions. All are in one cache line, so that only one line
 * moves between CPUs. With debugging or on PREEMPT_RT, locks have other sizes, and the positions
 * may be in two lines.
 */
static_assert(!IS_ENABLED(CONFIG_64BIT) || !IS_ENABLED(CONFIG_SMP) || sizeof(spinlock_t) > 4 ||
	      sizeof(struct mutex) > 32 || L1_CACHE_BYTES > 128 ||
	      offsetof(struct perf_buffer, shared) / L1_CACHE_BYTES ==
	      (offsetofend(struct perf_buffer, shared) - 1) / L1_CACHE_BYTES);

/* Maximum number of events of a buffer whose pollers are woken in an interrupt */
#define WAKE_AT_ONCE	64

#ifdef CONFIG_PERF_USE_VMALLOC

/*
 * With aliasing caches, user space and the kernel need addresses of the same colour: allocate
 * one contiguous area.
 */
static unsigned int perf_buffer_data_chunks(unsigned long nr_pages)
{
	return nr_pages ? 1 : 0;
}

static bool perf_buffer_alloc_memory(struct perf_buffer *rb, int node)
{
	/* As vmalloc_user(), but the memory is charged to the memory cgroup. */
	void *area = __vmalloc_node_range((rb->nr_pages + 1) << PAGE_SHIFT, SHMLBA, VMALLOC_START,
					  VMALLOC_END, GFP_KERNEL_ACCOUNT | __GFP_ZERO, PAGE_KERNEL,
					  VM_USERMAP, node, __builtin_return_address(0));

	if (!area)
		return false;
	rb->ring.user = area;
	if (rb->nr_chunks) {
		rb->chunks[0] = area + PAGE_SIZE;
		rb->chunk_shift += ilog2(rb->nr_pages);
	}
	return true;
}

static void perf_buffer_free_memory(struct perf_buffer *rb)
{
	vfree(rb->ring.user);
}

/**
 * perf_buffer_page - find a page of a buffer
 * @rb: the buffer
 * @pgoff: 0 for the user page, then the data pages
 *
 * The page is not replaced while @rb->lock or @rb->pages_lock is held.
 *
 * Return: the page, or NULL if @pgoff is beyond the last page
 */
struct page *perf_buffer_page(struct perf_buffer *rb, unsigned long pgoff)
{
	if (pgoff > rb->nr_pages)
		return NULL;
	return vmalloc_to_page((void *)rb->ring.user + (pgoff << PAGE_SHIFT));
}

/**
 * perf_buffer_exchange_page - replace a page of a buffer
 * @rb: the buffer, locked
 * @pos: position of the page's first byte
 * @fresh: the new page
 *
 * Return: NULL, as pages of a contiguous area cannot be replaced
 */
struct page *perf_buffer_exchange_page(struct perf_buffer *rb, unsigned long pos,
				       struct page *fresh)
{
	return NULL;
}

#else /* !CONFIG_PERF_USE_VMALLOC */

static unsigned int perf_buffer_data_chunks(unsigned long nr_pages)
{
	return nr_pages;
}

static void *perf_buffer_alloc_page_on(int node)
{
	struct page *page = alloc_pages_node(node, GFP_KERNEL_ACCOUNT | __GFP_ZERO, 0);

	return page ? page_address(page) : NULL;
}

static void perf_buffer_free_memory(struct perf_buffer *rb)
{
	unsigned int i;

	for (i = 0; i < rb->nr_chunks && rb->chunks[i]; i++)
		free_page((unsigned long)rb->chunks[i]);
	free_page((unsigned long)rb->ring.user);
}

static bool perf_buffer_alloc_memory(struct perf_buffer *rb, int node)
{
	unsigned int i;

	rb->ring.user = perf_buffer_alloc_page_on(node);
	if (!rb->ring.user)
		return false;
	for (i = 0; i < rb->nr_chunks; i++) {
		rb->chunks[i] = perf_buffer_alloc_page_on(node);
		if (!rb->chunks[i]) {
			perf_buffer_free_memory(rb);
			return false;
		}
	}
	return true;
}

/**
 * perf_buffer_page - find a page of a buffer
 * @rb: the buffer
 * @pgoff: 0 for the user page, then the data pages
 *
 * The page is not replaced while @rb->lock or @rb->pages_lock is held.
 *
 * Return: the page, or NULL if @pgoff is beyond the last page
 */
struct page *perf_buffer_page(struct perf_buffer *rb, unsigned long pgoff)
{
	void *at = rb->ring.user;

	if (pgoff > rb->nr_pages)
		return NULL;
	if (pgoff)
		at = rb->chunks[pgoff - 1];
	/* On some architectures virt_to_page() does not accept an expression. */
	return virt_to_page(at);
}

/**
 * perf_buffer_exchange_page - replace a page of a buffer
 * @rb: the buffer, locked
 * @pos: position of the page's first byte
 * @fresh: the new page, cleared here; the buffer takes over the caller's reference
 *
 * A writer that has reserved space in the old page may write to the page until a grace period has
 * passed.
 *
 * Return: the old page with the buffer's reference, or NULL if other code has references to the
 * page, such as page tables
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
		/* Writers that load the new pointer see the cleared page. */
		smp_store_release(chunk, page_address(fresh));
	} else {
		page = NULL;
	}
	spin_unlock(&rb->pages_lock);
	return page;
}

#endif /* CONFIG_PERF_USE_VMALLOC */

/**
 * perf_buffer_put - drop a reference to a buffer
 * @rb: the buffer
 *
 * Context: any but NMI.
 */
void perf_buffer_put(struct perf_buffer *rb)
{
	if (refcount_dec_and_test(&rb->refcount))
		queue_rcu_work(system_unbound_wq, &rb->work);
}

/* Wake the pollers of a buffer with many events. This is too slow for an interrupt. */
static void perf_buffer_wake_all_work(struct work_struct *work)
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

/* Runs after a grace period, when no writer and no reader of event->rb uses the buffer. */
static void perf_buffer_free(struct work_struct *work)
{
	struct perf_buffer *rb = container_of(to_rcu_work(work), struct perf_buffer, work);

	WARN_ON_ONCE(!list_empty(&rb->events) || rb->mappings);
	perf_buffer_free_memory(rb);
	kvfree(rb);
}

/**
 * perf_buffer_alloc - allocate a buffer
 * @nr_pages: pages of data, a power of two or 0
 * @watermark: bytes between wakeups; 0 for half the size
 * @cpu: the CPU that writes to it, or -1
 * @overwrite: the mapping is read-only, so the reader cannot move the tail
 *
 * Return: the unpublished buffer with one reference, or NULL
 */
struct perf_buffer *perf_buffer_alloc(unsigned long nr_pages, unsigned long watermark,
				      int cpu, bool overwrite)
{
	unsigned int nr_chunks = perf_buffer_data_chunks(nr_pages);
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
	rb->empty = !nr_chunks;
	rb->chunk_shift = PAGE_SHIFT;
	if (!perf_buffer_alloc_memory(rb, node)) {
		kvfree(rb);
		return NULL;
	}

	rb->cpu = cpu;
	rb->page_lock.cpu = PERF_PAGE_FREE;
	rb->ring.overwrite = overwrite;
	rb->ring.size = nr_pages << PAGE_SHIFT;
	rb->ring.watermark = watermark ? min(watermark, rb->ring.size) : rb->ring.size / 2;
	refcount_set(&rb->refcount, 1);
	mutex_init(&rb->lock);
	perf_lock_forbid_alloc(&rb->lock);
	spin_lock_init(&rb->events_lock);
	spin_lock_init(&rb->pages_lock);
	INIT_LIST_HEAD(&rb->events);
	INIT_RCU_WORK(&rb->work, perf_buffer_free);
	INIT_WORK(&rb->wake_work, perf_buffer_wake_all_work);
	perf_buffer_init_userpage(rb);
	return rb;
}

/* Get a reference to the event's buffer, or NULL. */
static struct perf_buffer *perf_buffer_get(struct perf_event *event)
{
	struct perf_buffer *rb;

	rcu_read_lock();
	do {
		/* The event holds a reference: if the count is 0, event->rb has changed. */
		rb = rcu_dereference(event->rb);
	} while (rb && !refcount_inc_not_zero(&rb->refcount));
	rcu_read_unlock();
	return rb;
}

/**
 * perf_buffer_lock - lock the buffer of an event
 * @event: the event
 *
 * Return: the buffer, with a reference; event->rb does not change until perf_buffer_unlock(). NULL
 * if the event has no buffer
 */
struct perf_buffer *perf_buffer_lock(struct perf_event *event)
{
	struct perf_buffer *rb;

	/* Retry each time that event->rb has changed. */
	for (;;) {
		rb = perf_buffer_get(event);
		if (!rb)
			return NULL;
		mutex_lock(&rb->lock);
		if (likely(rcu_access_pointer(event->rb) == rb))
			return rb;
		perf_buffer_unlock(rb);
	}
}

/**
 * perf_buffer_unlock - undo perf_buffer_lock()
 * @rb: the buffer
 */
void perf_buffer_unlock(struct perf_buffer *rb)
{
	mutex_unlock(&rb->lock);
	perf_buffer_put(rb);
}

/*
 * Prepare the buffer for writers on several CPUs. If no event was ever attached to the buffer,
 * these writers may start immediately, else after a grace period.
 */
static void perf_buffer_start_sharing(struct perf_buffer *rb)
{
	lockdep_assert_held(&rb->lock);
	/* Without SMP only one CPU writes. */
	if (!IS_ENABLED(CONFIG_SMP) || rb->sharing != PERF_SHARED_NOT)
		return;
	if (!rb->used) {
		WRITE_ONCE(rb->sharing, PERF_SHARED);
		return;
	}
	/* Store the new state first, so that the grace period begins after that. */
	WRITE_ONCE(rb->sharing, PERF_SHARED_CONVERTING);
	get_state_synchronize_rcu_full(&rb->grace_cookie);
	/*
	 * Pairs with perf_output_sharing_is_complete(): a writer that sees
	 * PERF_SHARED_GRACE_PERIOD sees the cookie.
	 */
	smp_store_release(&rb->sharing, PERF_SHARED_GRACE_PERIOD);
}

/* Wait for the writers of the protocol of one CPU, so that no more records are lost. */
static void perf_buffer_complete_sharing(struct perf_buffer *rb)
{
	lockdep_assert_held(&rb->lock);
	if (rb->sharing != PERF_SHARED_GRACE_PERIOD)
		return;
	cond_synchronize_rcu_full(&rb->grace_cookie);
	/*
	 * Pairs with perf_output_sharing_is_complete(): a writer that sees
	 * PERF_SHARED sees all records that were written before.
	 */
	smp_store_release(&rb->sharing, PERF_SHARED);
}

/*
 * Can several CPUs write records of the event? Inherited events of a per-task event run on any CPU.
 * With attr.inherit_stat, inherited events write a READ record on the CPU where their task exits,
 * even if the event is bound to a CPU.
 */
static bool perf_buffer_writes_anywhere(const struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	return attr->inherit && (event->cpu == -1 || attr->inherit_stat);
}

/**
 * perf_buffer_share - make the buffer of an event shared, because the event moves to another CPU
 * @event: not attached to its context; its ctx->mutex is held
 *
 * If the buffer was not shared before, records are lost, and counted as lost, until a grace period
 * has passed.
 *
 * Context: may sleep.
 */
void perf_buffer_share(struct perf_event *event)
{
	struct perf_buffer *rb = perf_buffer_lock(event);

	WARN_ON_ONCE(event->attach_state & PERF_ATTACH_CONTEXT);
	if (!rb)
		return;
	perf_buffer_start_sharing(rb);
	perf_buffer_unlock(rb);
}

/**
 * perf_buffer_share_if_elsewhere - make a new buffer shared if its event has moved to another CPU
 * @rb: the locked buffer, to which @event has just been attached
 * @event: event that may be moving to another CPU
 *
 * perf_hotplug_move_in() stores the event's CPU and then loads its buffer. The caller of
 * this function has stored the buffer, and this function loads the event's CPU. Both sides
 * have a full barrier, so at least one of them sees the mismatch of buffer and CPU:
 *
 *	CPU 0, mmap(2)				CPU 1, perf_hotplug_move_in()
 *
 *	event->rb = rb;				event->cpu = 1;
 *	  (cmpxchg() in perf_buffer_switch(),	smp_mb();
 *	   a full barrier)			perf_buffer_share(event):
 *	if (event->cpu != rb->cpu)		  rb = event->rb;
 *		perf_buffer_start_sharing(rb);	  if (rb) perf_buffer_start_sharing(rb);
 *
 * Without one of the barriers the load may be reordered before the store. Then CPU 0 sees the old
 * CPU, CPU 1 sees no buffer, and the event writes on CPU 1 to a buffer that allows only writers on
 * CPU 0.
 */
void perf_buffer_share_if_elsewhere(struct perf_buffer *rb, struct perf_event *event)
{
	if (unlikely(READ_ONCE(event->cpu) != rb->cpu))
		perf_buffer_start_sharing(rb);
}

/*
 * Change event->rb from @old to @new; each of them may be NULL. The locks of both are
 * held. Fail if event->rb is not @old: this is possible only if @old is NULL.
 *
 * Once event->rb is NULL, any task may attach the event to a buffer. So the event is removed
 * from the list of @old before event->rb changes, and added to the list of @new afterwards.
 */
static bool perf_buffer_switch(struct perf_event *event, struct perf_buffer *old,
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
		if (perf_buffer_writes_anywhere(event))
			perf_buffer_start_sharing(new);
		perf_buffer_complete_sharing(new);
		new->used = true;
		refcount_inc(&new->refcount);
	}

	/*
	 * The caller may have no reference to the event: the last munmap(2) detaches all events. A
	 * close waits for @old->lock only while event->rb is set. So after the exchange only RCU
	 * keeps @cold until the wakeup.
	 */
	guard(rcu)();
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
	/*
	 * While the event was in no list, its pollers may have missed a wakeup. Pollers must also
	 * see that the event has no buffer any more.
	 */
	wake_up_all(&cold->waitq);
	return true;
}

/**
 * perf_buffer_attach - attach an event to a buffer
 * @rb: the buffer, locked
 * @event: the event, with event->cold allocated
 *
 * Return: true on success, false if another task has attached the event to a buffer
 */
bool perf_buffer_attach(struct perf_buffer *rb, struct perf_event *event)
{
	return perf_buffer_switch(event, NULL, rb);
}

/**
 * perf_buffer_detach - detach an event from its buffer
 * @rb: the buffer, locked; the caller has a reference
 * @event: event that writes to @rb
 */
void perf_buffer_detach(struct perf_buffer *rb, struct perf_event *event)
{
	perf_buffer_switch(event, rb, NULL);
}

/**
 * perf_event_detach_buffer - detach an event from its buffer at close
 * @event: event whose page is not mapped; it may have no buffer
 *
 * Context: may sleep.
 */
void perf_event_detach_buffer(struct perf_event *event)
{
	struct perf_buffer *rb = perf_buffer_lock(event);

	if (!rb)
		return;
	perf_buffer_detach(rb, event);
	perf_buffer_unlock(rb);
}

/* May @event write its records to the buffer of @target? Return 0 or -EINVAL. */
static int perf_buffer_output_allowed(struct perf_event *event, struct perf_event *target)
{
	if (event == target)
		return perf_refuse(PERF_REFUSED_OUTPUT_SELF);
	/* The events of a buffer belong to one CPU, or to one task without a CPU. */
	if (event->cpu != target->cpu ||
	    (target->cpu == -1 && target->hw.target != event->hw.target))
		return perf_refuse(PERF_REFUSED_OUTPUT_TARGET);
	/* A buffer has one clock, and one direction of writing. */
	if (event->clock != target->clock)
		return perf_refuse(PERF_REFUSED_OUTPUT_CLOCK);
	if (is_write_backward(event) != is_write_backward(target))
		return perf_refuse(PERF_REFUSED_OUTPUT_BACKWARD);
	/* RCU keeps the memory of a PMU that is being unregistered. */
	guard(rcu)();
	return !has_aux(event) || !has_aux(target) || event->pmu == target->pmu ?
		0 : perf_refuse(PERF_REFUSED_OUTPUT_AUX);
}

static void perf_buffer_lock_two(struct perf_buffer *a, struct perf_buffer *b)
{
	if (a > b)
		swap(a, b);
	if (a)
		mutex_lock(&a->lock);
	if (b && b != a)
		mutex_lock_nested(&b->lock, SINGLE_DEPTH_NESTING);
}

static void perf_buffer_unlock_two(struct perf_buffer *a, struct perf_buffer *b)
{
	if (a)
		mutex_unlock(&a->lock);
	if (b && b != a)
		mutex_unlock(&b->lock);
}

static int perf_buffer_redirect(struct perf_event *event, struct perf_event *target)
{
	struct perf_buffer *old = perf_buffer_get(event);
	struct perf_buffer *new = target ? perf_buffer_get(target) : NULL;
	int ret = -EAGAIN;

	perf_buffer_lock_two(old, new);
	if (target && !new)
		ret = perf_refuse(PERF_REFUSED_OUTPUT_NO_BUFFER);
	else if (rcu_access_pointer(event->rb) != old ||
		 (target && rcu_access_pointer(target->rb) != new))
		ret = -EAGAIN;
	else if (perf_event_page_mapped(event))
		ret = perf_refuse(PERF_REFUSED_OUTPUT_MAPPED);
	else if (old == new || perf_buffer_switch(event, old, new))
		ret = 0;
	perf_buffer_unlock_two(old, new);

	if (new)
		perf_buffer_put(new);
	if (old)
		perf_buffer_put(old);
	return ret;
}

/**
 * perf_event_set_output - redirect an event to another event's buffer
 * @event: event whose page is not mapped
 * @target: event with a buffer; NULL to detach @event from its buffer
 *
 * Context: may sleep.
 * Return: 0 on success, -EINVAL if the two events cannot share a buffer, @target has no buffer or
 * the page of @event is mapped, -ENOMEM
 */
int perf_event_set_output(struct perf_event *event, struct perf_event *target)
{
	int ret;

	ret = target ? perf_buffer_output_allowed(event, target) : 0;
	if (!ret)
		ret = perf_event_make_cold(event);
	if (ret)
		return ret;
	/* Retry each time that event->rb or target->rb has changed. */
	do {
		ret = perf_buffer_redirect(event, target);
	} while (ret == -EAGAIN);
	return ret;
}

/**
 * perf_event_pause_output - pause or resume a buffer
 * @event: event with the buffer
 * @pause: not 0 to pause
 *
 * Return: 0 on success, -EINVAL if there is no buffer for records
 */
int perf_event_pause_output(struct perf_event *event, u32 pause)
{
	struct perf_buffer *rb;

	guard(rcu)();
	rb = rcu_dereference(event->rb);
	if (!rb || !rb->nr_pages)
		return perf_refuse(PERF_REFUSED_PAUSE_NO_BUFFER);
	WRITE_ONCE(rb->paused, !!pause);
	return 0;
}

/*
 * Wake the pollers of all events that write to the buffer. If there are many such events, wake only
 * the pollers of @event here: a worker wakes the others.
 */
static void perf_buffer_wake_pollers(struct perf_buffer *rb, struct perf_event *event)
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
	/* The queued work holds a reference. If it was queued before, drop the new reference. */
	if (refcount_inc_not_zero(&rb->refcount) &&
	    !queue_work(system_unbound_wq, &rb->wake_work))
		perf_buffer_put(rb);
	spin_unlock_irqrestore(&rb->events_lock, flags);
	wake_up_all(&event->cold->waitq);
}

/* Publish the records that perf_ring_publish() has left unpublished, if any. */
static void perf_buffer_publish_rest(struct perf_buffer *rb, struct perf_event *event)
{
	if (likely(!perf_output_sharing_is_complete(rb)))
		return;
	preempt_disable();
	/* perf_ring_flush() may leave records unpublished. The wakeup queued here flushes again. */
	if (perf_ring_flush(&rb->ring, &rb->shared, is_write_backward(event)))
		perf_output_wakeup(rb, event);
	preempt_enable();
}

/**
 * perf_event_wakeup - wake the pollers of an event, and send its signal
 * @event: the event; for an inherited event, event->parent is used
 *
 * The pollers of all events that write to the same buffer are woken.
 *
 * Context: any but NMI.
 */
void perf_event_wakeup(struct perf_event *event)
{
	struct perf_event *output = perf_event_parent(event);
	struct perf_event_cold *cold;
	struct perf_buffer *rb;
	int kill;

	rcu_read_lock();
	rb = rcu_dereference(output->rb);
	if (rb) {
		perf_buffer_publish_rest(rb, output);
		perf_buffer_wake_pollers(rb, output);
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
 * perf_event_is_over - can the event never count or write again?
 * @event: an event that is not inherited
 *
 * Return: true if its task and all tasks that inherited it have exited, or if the event is dead
 */
bool perf_event_is_over(struct perf_event *event)
{
	enum perf_event_state state = READ_ONCE(event->state);

	if (state == PERF_EVENT_STATE_EXIT) {
		/*
		 * Pairs with perf_exit_wake_parent(): either this CPU sees the empty list, or the
		 * exiting task sees event->rb and wakes the pollers.
		 */
		smp_mb();
		return list_empty_careful(perf_event_children(event));
	}
	return state == PERF_EVENT_STATE_DEAD;
}
