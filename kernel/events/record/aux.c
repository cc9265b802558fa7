// SPDX-License-Identifier: GPL-2.0
/*
 * AUX areas: memory that hardware writes to by itself.
 *
 * A driver opens a transaction, lets the hardware write, and closes it with
 * the number of bytes written. One transaction at a time is open on a buffer.
 * It keeps the area alive, also when user space unmaps it meanwhile.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/wait.h>

#include "../context.h"
#include "../delay.h"
#include "../event.h"
#include "../internal.h"
#include "../pmu.h"
#include "../refuse.h"
#include "../sched.h"
#include "aux.h"
#include "buffer.h"
#include "mmap.h"
#include "output.h"
#include "ring.h"
#include "sample.h"
#include "sideband.h"

/* Attempts to make a driver close its transaction. */
#define STOP_ATTEMPTS	10

/* All areas that a driver has set up and has not freed yet. */
static LIST_HEAD(driver_areas);
static DEFINE_SPINLOCK(areas_lock);	/* driver_areas; process context */
/* perf_aux_revoke() sleeps here until an area has left the list. */
static DECLARE_WAIT_QUEUE_HEAD(area_left);

static unsigned long perf_aux_area_size(const struct perf_aux *aux)
{
	return (unsigned long)aux->nr_pages << PAGE_SHIFT;
}

static void perf_aux_free_pages_of(struct perf_aux *aux)
{
	unsigned int i;

	for (i = 0; i < aux->nr_pages && aux->pages[i]; i++) {
		struct page *page = virt_to_page(aux->pages[i]);

		ClearPagePrivate(page);
		set_page_private(page, 0);
		__free_page(page);
	}
}

/* Order of the pieces to allocate: single pages, unless the driver says otherwise. */
static int perf_aux_piece_order(const struct perf_aux *aux, int capabilities)
{
	if (!(capabilities & (PERF_PMU_CAP_AUX_NO_SG | PERF_PMU_CAP_AUX_PREFER_LARGE)))
		return 0;
	/*
	 * Without overwriting, the hardware raises an interrupt at the end of
	 * each piece. So a piece is as large as the watermark, at which the
	 * reader is to be woken anyway.
	 */
	return aux->overwrite ? ilog2(aux->nr_pages) : get_order(aux->watermark);
}

/*
 * Allocate the area in pieces that are as large as can be had, up to the given
 * order. Drivers find a piece's order in the private field of its first page; a
 * page without the private flag is a piece by itself.
 */
static bool perf_aux_alloc_pages_for(struct perf_aux *aux, int node, int max_order)
{
	const gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN | __GFP_NORETRY;
	unsigned int have = 0, i;

	while (have < aux->nr_pages) {
		int order = min3(max_order, MAX_PAGE_ORDER, ilog2(aux->nr_pages - have));
		struct page *page;

		while (!(page = alloc_pages_node(node, gfp, order))) {
			if (!order--)
				return false;
		}
		if (order) {
			split_page(page, order);
			SetPagePrivate(page);
			set_page_private(page, order);
		}
		for (i = 0; i < 1U << order; i++)
			aux->pages[have++] = page_address(page + i);
	}
	return true;
}

/* Does the driver need one piece of memory, and did not get it? */
static bool perf_aux_pieces_refused(struct perf_aux *aux, int capabilities, int max_order)
{
	return aux->overwrite && (capabilities & PERF_PMU_CAP_AUX_NO_SG) &&
	       page_private(virt_to_page(aux->pages[0])) != max_order;
}

/*
 * Take the area away from its driver. Called once for each area: by the holder
 * of its last reference, or by perf_aux_revoke().
 */
static void perf_aux_leave_driver(struct perf_aux *aux)
{
	aux->free(aux->priv);
	module_put(aux->module);
	spin_lock(&areas_lock);
	list_del(&aux->driver_entry);
	WRITE_ONCE(aux->pmu, NULL);
	spin_unlock(&areas_lock);
	wake_up_all(&area_left);
}

/*
 * After the last reference: give back everything but struct perf_aux itself,
 * which readers under RCU may still look at.
 */
static void perf_aux_release_memory(struct perf_aux *aux)
{
	if (aux->pmu)
		perf_aux_leave_driver(aux);
	perf_aux_free_pages_of(aux);
	perf_uncharge(&aux->charge);
	perf_buffer_put(aux->rb);
}

static void perf_aux_free(struct work_struct *work)
{
	struct perf_aux *aux = container_of(to_rcu_work(work), struct perf_aux, work);

	perf_aux_release_memory(aux);
	kvfree(aux);
}

static void perf_aux_release(struct irq_work *work)
{
	struct perf_aux *aux = container_of(work, struct perf_aux, atomic_put);

	queue_rcu_work(system_unbound_wq, &aux->work);
}

/**
 * perf_aux_put - drop a reference
 * @aux: the area
 *
 * Any context, NMI included.
 */
void perf_aux_put(struct perf_aux *aux)
{
	if (refcount_dec_and_test(&aux->refcount))
		irq_work_queue(&aux->atomic_put);
}

/**
 * perf_aux_put_now - drop a reference, and free the memory before returning
 * @aux: the area
 *
 * Used for munmap(2): when that returns, the memory of the area is to be free
 * and no longer charged to the user. May sleep.
 */
void perf_aux_put_now(struct perf_aux *aux)
{
	if (!refcount_dec_and_test(&aux->refcount))
		return;
	perf_aux_release_memory(aux);
	kvfree_rcu(aux, work.rcu);
}

/*
 * Get a reference to an area of the PMU. An area whose last reference is gone
 * is about to leave the list on its own and cannot be held.
 * Return: true when an area is held in *@held, or when the PMU has none (*@held
 * is NULL); false when it only has areas that are about to leave the list.
 */
static bool perf_aux_hold_area(const struct pmu *pmu, struct perf_aux **held)
{
	struct perf_aux *aux;
	bool some = false;

	*held = NULL;
	spin_lock(&areas_lock);
	list_for_each_entry(aux, &driver_areas, driver_entry) {
		if (aux->pmu != pmu)
			continue;
		some = true;
		if (refcount_inc_not_zero(&aux->refcount)) {
			*held = aux;
			break;
		}
	}
	spin_unlock(&areas_lock);
	return *held || !some;
}

/**
 * perf_aux_revoke - take all AUX areas away from the driver of a PMU that goes
 * @pmu: the PMU; its events have been dead for a grace period of RCU and one of
 *	perf_pmus_read_lock()
 *
 * The pages of an area stay as long as they are mapped. May sleep.
 */
void perf_aux_revoke(struct pmu *pmu)
{
	struct perf_aux *aux;

	for (;;) {
		wait_event(area_left, perf_aux_hold_area(pmu, &aux));
		if (!aux)
			return;
		perf_aux_leave_driver(aux);
		perf_aux_put(aux);
	}
}

/*
 * Let the driver set the area up. perf_pmus_read_lock() keeps the PMU of an event
 * that is not dead; a PMU that is being unregistered waits for it to end.
 */
static bool perf_aux_enter_driver(struct perf_aux *aux, struct perf_event *event)
{
	int idx = perf_pmus_read_lock();

	if (READ_ONCE(event->state) != PERF_EVENT_STATE_DEAD)
		aux->priv = aux->pmu->setup_aux(event, aux->pages, aux->nr_pages, aux->overwrite);
	if (aux->priv) {
		aux->free = aux->pmu->free_aux;
		aux->module = aux->pmu->module;
		__module_get(aux->module);
		spin_lock(&areas_lock);
		list_add(&aux->driver_entry, &driver_areas);
		spin_unlock(&areas_lock);
	}
	perf_pmus_read_unlock(idx);
	return aux->priv;
}

/**
 * perf_aux_alloc - make an AUX area
 * @rb: buffer that the area is to belong to; the caller has a reference, and has
 *	not locked it, as this may wait long for memory
 * @event: event whose driver sets the area up
 * @pgoff: where in the file the area is mapped, in pages
 * @nr_pages: size of the area, a power of two
 * @overwrite: the reader will not tell what it has read
 *
 * The caller publishes the area, or drops it: two callers may make an area for
 * the same buffer at the same time. May sleep.
 * Return: the area with one reference, or an error: -EOPNOTSUPP when the
 * driver has no AUX areas, -ENOMEM without memory or when the driver refuses.
 */
struct perf_aux *perf_aux_alloc(struct perf_buffer *rb, struct perf_event *event,
				unsigned long pgoff, unsigned int nr_pages, bool overwrite)
{
	int node = event->cpu == -1 ? NUMA_NO_NODE : cpu_to_node(event->cpu);
	unsigned long watermark = event->attr.aux_watermark;
	struct perf_aux *aux;
	struct pmu *pmu;
	int capabilities, max_order;

	/* The PMU may be unregistered after this; perf_aux_enter_driver() looks again. */
	scoped_guard(rcu) {
		pmu = READ_ONCE(event->pmu);
		if (!pmu->setup_aux)
			return ERR_PTR(perf_refuse(PERF_REFUSED_MMAP_AUX_PMU));
		capabilities = pmu->capabilities;
	}
	aux = kvzalloc_node(struct_size(aux, pages, nr_pages), GFP_KERNEL_ACCOUNT | __GFP_NOWARN,
			    node);
	if (!aux)
		return ERR_PTR(-ENOMEM);

	aux->nr_pages = nr_pages;
	aux->pgoff = pgoff;
	aux->overwrite = overwrite;
	aux->pmu = pmu;
	if (!overwrite)
		aux->watermark = watermark ? watermark : perf_aux_area_size(aux) / 2;
	max_order = perf_aux_piece_order(aux, capabilities);

	/*
	 * The area is complete before perf_aux_enter_driver() lists it: from
	 * then on perf_aux_revoke() may find it.
	 */
	refcount_set(&aux->refcount, 1);
	init_irq_work(&aux->atomic_put, perf_aux_release);
	INIT_RCU_WORK(&aux->work, perf_aux_free);
	refcount_inc(&rb->refcount);
	aux->rb = rb;
	if (perf_aux_alloc_pages_for(aux, node, max_order) &&
	    !perf_aux_pieces_refused(aux, capabilities, max_order) &&
	    perf_aux_enter_driver(aux, event))
		return aux;

	perf_buffer_put(rb);
	perf_aux_free_pages_of(aux);
	kvfree(aux);
	return ERR_PTR(-ENOMEM);
}

/**
 * perf_aux_page - a page of an AUX area
 * @aux: the area
 * @pgoff: offset in the event's file, in pages
 *
 * Return: the page, or NULL when the area has no page there.
 */
struct page *perf_aux_page(struct perf_aux *aux, unsigned long pgoff)
{
	pgoff -= aux->pgoff;
	return pgoff < aux->nr_pages ? virt_to_page(aux->pages[pgoff]) : NULL;
}

/* Runs on the CPU where the transaction was opened, with interrupts off. */
static void perf_aux_stop_writer_here(void *info)
{
	struct perf_cpu_context *cpuctx = this_cpu_ptr(&perf_cpu_context);
	struct perf_aux *aux = info;
	struct perf_event_context *ctx;
	struct perf_event *event;

	/* The next transaction may have begun on another CPU: the caller asks there. */
	if (READ_ONCE(aux->rb->aux_open) != aux ||
	    READ_ONCE(aux->writer_cpu) != smp_processor_id())
		return;
	/*
	 * The writer is not stored yet, or has closed the transaction, or it is
	 * an event that stays attached while interrupts are off here.
	 */
	event = smp_load_acquire(&aux->writer);
	perf_delay(AUX_ASKED);
	if (!event)
		return;
	ctx = READ_ONCE(event->ctx);
	perf_context_lock_cpu(cpuctx, ctx);
	if (READ_ONCE(aux->rb->aux_open) == aux && event->state == PERF_EVENT_STATE_ACTIVE &&
	    event->oncpu == smp_processor_id())
		perf_event_pmu_stop(event, PERF_EF_UPDATE);
	perf_context_unlock_cpu(cpuctx, ctx);
}

/**
 * perf_aux_stop_writer - stop the event that writes to an area
 * @aux: area that has no mapping left, so that no event will start again
 *
 * The memory of the area can be freed afterwards. May sleep. If the driver does
 * not close its transaction, the area lives on until it does. No transaction is
 * opened on the area any more; the event is asked several times because its
 * driver may have been between two steps the first time.
 */
void perf_aux_stop_writer(struct perf_aux *aux)
{
	int i;

	/*
	 * The area has been taken from the buffer before its writer is looked
	 * for. Pairs with the barrier in perf_aux_open_on(): a transaction that
	 * is not seen here has seen that the area is gone, and one that goes on
	 * is seen with its CPU.
	 */
	smp_mb();
	for (i = 0; i < STOP_ATTEMPTS && READ_ONCE(aux->rb->aux_open) == aux; i++)
		smp_call_function_single(READ_ONCE(aux->writer_cpu), perf_aux_stop_writer_here, aux,
					 1);
}

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
/* KUnit hook, called in perf_aux_open_on() where another CPU may unmap the area. */
void (*perf_test_aux_step)(void);

static void perf_aux_test_step(void)
{
	if (perf_test_aux_step)
		perf_test_aux_step();
}
#else
static void perf_aux_test_step(void)
{
}
#endif

/* The area that the event may open a transaction on, with a reference, or NULL. */
static struct perf_aux *perf_aux_get(struct perf_event *event)
{
	struct perf_event *output = perf_event_root(event);
	struct perf_aux *aux = NULL;
	struct perf_buffer *rb;

	rcu_read_lock();
	rb = rcu_dereference(output->rb);
	if (rb)
		aux = rcu_dereference(rb->aux);
	perf_delay(AUX_SEEN);
	if (aux && (READ_ONCE(aux->pmu) != event->pmu || !refcount_inc_not_zero(&aux->refcount)))
		aux = NULL;
	rcu_read_unlock();
	return aux;
}

/*
 * Has a watermark's worth of data been written since the last wake-up? If so,
 * the next wake-up is due at the next multiple of the watermark.
 */
static bool perf_aux_wakeup_due(struct perf_buffer *rb, const struct perf_aux *aux)
{
	if (aux->overwrite || rb->aux_head - rb->aux_wakeup < aux->watermark)
		return false;
	rb->aux_wakeup = rounddown(rb->aux_head, aux->watermark);
	return true;
}

/* Show the reader what has been written. */
static void perf_aux_publish(struct perf_buffer *rb)
{
	/*
	 * The trace is visible before the head. Pairs with the read barrier of
	 * the reader between its load of aux_head and its loads of the trace.
	 */
	smp_wmb();
	WRITE_ONCE(rb->ring.user->aux_head, rb->aux_head);
}

static void perf_aux_close(struct perf_output_handle *handle, struct perf_aux *aux)
{
	handle->event = NULL;
	WRITE_ONCE(aux->writer, NULL);
	perf_delay(AUX_CLOSES);
	/* The cmpxchg of the next transaction finds all of this one's work done. */
	smp_store_release(&aux->rb->aux_open, NULL);
	perf_aux_put(aux);
}

/*
 * Make the event the writer of the area, unless the buffer has a transaction open
 * already. Drops the reference to @aux when that fails.
 */
static bool perf_aux_open_on(struct perf_output_handle *handle, struct perf_event *event,
			     struct perf_aux *aux)
{
	struct perf_buffer *rb = aux->rb;

	perf_aux_test_step();
	if (cmpxchg(&rb->aux_open, NULL, aux)) {
		perf_aux_put(aux);
		return false;
	}
	perf_delay(AUX_OPENED);
	WRITE_ONCE(aux->writer_cpu, smp_processor_id());
	/* Pairs with the load in perf_aux_stop_writer_here(), which runs on this CPU. */
	smp_store_release(&aux->writer, event);
	/*
	 * The area may have been unmapped since perf_aux_get(), by a task that
	 * saw no writer and so does not wait for one. Pairs with the barrier in
	 * perf_aux_stop_writer(); without the two barriers each side could miss
	 * the other, and the hardware would go on writing to memory that is
	 * mapped by nobody.
	 */
	smp_mb();
	if (likely(rcu_access_pointer(rb->aux) == aux))
		return true;
	perf_aux_close(handle, aux);
	return false;
}

/**
 * perf_aux_output_begin - open a transaction
 * @handle: filled in: @head is where the hardware may write, @size how many
 *	bytes (0 in overwrite mode: all), @wakeup up to where at most before an
 *	interrupt is due
 * @event: event that writes to the AUX area
 *
 * Interrupts are off. When there is no room the event is disabled; the reader
 * has to enable it again.
 * Return: what pmu::setup_aux returned, or NULL when nothing can be written.
 */
void *perf_aux_output_begin(struct perf_output_handle *handle, struct perf_event *event)
{
	struct perf_aux *aux = perf_aux_get(event);
	struct perf_buffer *rb;
	unsigned long tail;

	handle->event = NULL;
	if (!aux)
		return NULL;
	rb = aux->rb;
	if (!perf_aux_open_on(handle, event, aux))
		return NULL;

	handle->rb = rb;
	handle->event = event;
	handle->head = rb->aux_head;
	handle->size = 0;
	handle->wakeup = 0;
	handle->aux_flags = 0;
	if (aux->overwrite)
		return aux->priv;

	/*
	 * The reader has finished with the bytes before the tail. Hardware is
	 * only started when there is room, so that its stores come after this
	 * load.
	 */
	tail = READ_ONCE(rb->ring.user->aux_tail);
	handle->wakeup = rb->aux_wakeup + aux->watermark;
	if (handle->head - tail < perf_aux_area_size(aux))
		handle->size = perf_ring_room(handle->head, tail, perf_aux_area_size(aux), false);
	if (handle->size)
		return aux->priv;

	perf_event_disable_inatomic(event);
	perf_output_wakeup(rb, event);
	perf_aux_close(handle, aux);
	return NULL;
}
EXPORT_SYMBOL_GPL(perf_aux_output_begin);

/* The body of PERF_RECORD_AUX. */
struct aux_body {
	u64	offset;
	u64	size;
	u64	flags;
};

static void perf_aux_tell_of_data(struct perf_event *event, u64 offset, u64 size, u64 flags)
{
	struct aux_body body = { offset, size, flags };
	struct perf_record record = {
		.type		= PERF_RECORD_AUX,
		.body		= &body,
		.body_size	= sizeof(body),
	};

	perf_record_send_to(event, &record);
}

/**
 * perf_aux_output_end - close a transaction
 * @handle: handle of the open transaction
 * @size: bytes written; in overwrite mode @handle->head is where the hardware
 *	has got to
 *
 * Interrupts are off, and the data is visible to other CPUs. An AUX record
 * tells the reader of the data, unless @size and the flags are 0, which they may
 * be in overwrite mode: there the head alone says where the data ends.
 */
void perf_aux_output_end(struct perf_output_handle *handle, unsigned long size)
{
	struct perf_event *event = handle->event;
	struct perf_buffer *rb = handle->rb;
	struct perf_aux *aux = rb->aux_open;
	unsigned long offset = rb->aux_head;
	u64 flags = handle->aux_flags & ~(u64)PERF_AUX_FLAG_OVERWRITE;
	bool wake;

	/* The area has been unmapped meanwhile: no reader is left to tell. */
	if (rcu_access_pointer(rb->aux) != aux)
		goto close;

	if (aux->overwrite) {
		offset = handle->head;
		rb->aux_head = offset;
	} else {
		rb->aux_head += size;
	}
	if (size || flags)
		perf_aux_tell_of_data(event, offset, size,
				      aux->overwrite ? flags | PERF_AUX_FLAG_OVERWRITE : flags);

	perf_aux_publish(rb);
	wake = perf_aux_wakeup_due(rb, aux);
	if (flags & PERF_AUX_FLAG_TRUNCATED) {
		perf_event_disable_inatomic(event);
		wake = true;
	}
	if (wake)
		perf_output_wakeup(rb, event);
close:
	perf_aux_close(handle, aux);
}
EXPORT_SYMBOL_GPL(perf_aux_output_end);

/**
 * perf_aux_output_skip - leave room unused, for alignment or padding
 * @handle: of an open transaction
 * @size: bytes to skip
 *
 * Interrupts are off.
 * Return: 0, or -ENOSPC when the transaction has less room than that.
 */
int perf_aux_output_skip(struct perf_output_handle *handle, unsigned long size)
{
	struct perf_buffer *rb = handle->rb;
	struct perf_aux *aux = rb->aux_open;

	if (size > handle->size)
		return -ENOSPC;

	rb->aux_head += size;
	handle->head = rb->aux_head;
	handle->size -= size;
	perf_aux_publish(rb);
	if (perf_aux_wakeup_due(rb, aux)) {
		perf_output_wakeup(rb, handle->event);
		handle->wakeup = rb->aux_wakeup + aux->watermark;
	}
	return 0;
}
EXPORT_SYMBOL_GPL(perf_aux_output_skip);

/**
 * perf_get_aux - what pmu::setup_aux returned
 * @handle: zeroed, or used for a transaction before
 *
 * Return: the driver's pointer, or NULL when no transaction is open.
 */
void *perf_get_aux(struct perf_output_handle *handle)
{
	return handle->event ? handle->rb->aux_open->priv : NULL;
}
EXPORT_SYMBOL_GPL(perf_get_aux);

/**
 * perf_aux_output_flag - set flags of the record that the transaction will make
 * @handle: of an open transaction
 * @flags: PERF_AUX_FLAG_*, except OVERWRITE, which follows from the mapping
 */
void perf_aux_output_flag(struct perf_output_handle *handle, u64 flags)
{
	if (WARN_ON_ONCE(flags & PERF_AUX_FLAG_OVERWRITE))
		return;
	handle->aux_flags |= flags;
}
EXPORT_SYMBOL_GPL(perf_aux_output_flag);

/**
 * perf_output_copy_aux - copy a piece of an AUX area into a record
 * @aux_handle: of an open transaction
 * @handle: of the record
 * @from: position of the first byte
 * @to: position behind the last byte; when both are the same modulo the size of
 *	the area, the whole area is copied
 *
 * Return: bytes copied, or -EFAULT.
 */
long perf_output_copy_aux(struct perf_output_handle *aux_handle,
			  struct perf_output_handle *handle,
			  unsigned long from, unsigned long to)
{
	struct perf_aux *aux = aux_handle->rb->aux_open;
	unsigned long mask = perf_aux_area_size(aux) - 1;
	unsigned long left = ((to - from - 1) & mask) + 1;
	long copied = 0;

	while (left) {
		unsigned long offset = from & mask;
		unsigned long n = min(left, PAGE_SIZE - offset_in_page(offset));

		if (perf_output_copy(handle, aux->pages[offset >> PAGE_SHIFT] +
				     offset_in_page(offset), n))
			return -EFAULT;
		copied += n;
		left -= n;
		from += n;
	}
	return copied;
}

/*
 * The area of @sampler, with a reference, if that AUX event traces on this CPU.
 * The AUX event may have been closed, or be off, while the event that samples it
 * goes on: then a trace on this CPU belongs to another event.
 */
static struct perf_aux *perf_aux_get_here(struct perf_event *sampler)
{
	if (!sampler || READ_ONCE(sampler->state) != PERF_EVENT_STATE_ACTIVE ||
	    READ_ONCE(sampler->oncpu) != smp_processor_id())
		return NULL;
	return perf_aux_get(sampler);
}

/**
 * perf_aux_sample_size - how much of an AUX area a sample can have
 * @sampler: the AUX event, or NULL
 * @size: bytes that the sample wants, a multiple of 8
 *
 * Any context, on the CPU that runs @sampler.
 * Return: bytes, a multiple of 8; 0 when the area cannot be had, also while the
 * sample that this one has interrupted is being filled from it.
 */
unsigned long perf_aux_sample_size(struct perf_event *sampler, unsigned long size)
{
	struct perf_aux *aux = perf_aux_get_here(sampler);

	if (!aux)
		return 0;
	if (READ_ONCE(aux->sampling))
		size = 0;
	size = ALIGN(min(size, perf_aux_area_size(aux)), sizeof(u64));
	perf_aux_put(aux);
	return size;
}

/**
 * perf_aux_sample_write - write a piece of an AUX area into a sample
 * @sampler: the AUX event, or NULL when it has been closed since
 * @handle: of the sample
 * @size: what perf_aux_sample_size() returned
 *
 * Any context, on the CPU that runs @sampler. Bytes that the driver does not have
 * are written as zeros, so that exactly @size bytes are written.
 */
void perf_aux_sample_write(struct perf_event *sampler, struct perf_output_handle *handle,
			   unsigned long size)
{
	static const u8 zeros[64];
	struct perf_aux *aux;
	unsigned long flags;
	long copied = 0;

	/* The driver's state belongs to this CPU; its interrupt may change it. */
	local_irq_save(flags);
	aux = perf_aux_get_here(sampler);
	if (aux && size) {
		WRITE_ONCE(aux->sampling, true);
		barrier();
		copied = sampler->pmu->snapshot_aux(sampler, handle, size);
		barrier();
		WRITE_ONCE(aux->sampling, false);
	}
	local_irq_restore(flags);
	if (aux)
		perf_aux_put(aux);
	if (WARN_ON_ONCE(copied < 0 || copied > size))
		return;
	for (size -= copied; size; size -= copied) {
		copied = min(size, sizeof(zeros));
		perf_output_copy(handle, zeros, copied);
	}
}

/**
 * perf_aux_record_itrace_start - write an ITRACE_START record
 * @event: event of a PMU that traces instructions, which begins to run on this CPU, for
 *	the current task or for all
 *
 * Interrupts are off. Does nothing once the event's driver has called
 * perf_event_itrace_started().
 */
void perf_aux_record_itrace_start(struct perf_event *event)
{
	struct perf_event *output = perf_event_root(event);
	u32 ids[2];
	struct perf_record record = {
		.type		= PERF_RECORD_ITRACE_START,
		.body		= ids,
		.body_size	= sizeof(ids),
	};

	if (output->attach_state & PERF_ATTACH_ITRACE)
		return;
	ids[0] = perf_event_pid(output, current);
	ids[1] = perf_event_tid(output, current);
	perf_record_send_to(output, &record);
}

/**
 * perf_event_itrace_started - let the driver say itself that a trace has begun
 * @event: event whose trace has begun; perf_aux_record_itrace_start() writes no
 *	ITRACE_START record for it from now on
 */
void perf_event_itrace_started(struct perf_event *event)
{
	event->attach_state |= PERF_ATTACH_ITRACE;
}

/**
 * perf_report_aux_output_id - write an AUX_OUTPUT_HW_ID record
 * @event: event whose samples go into an AUX area
 * @hw_id: number by which the hardware names the event there
 *
 * Any context, preemption off.
 */
void perf_report_aux_output_id(struct perf_event *event, u64 hw_id)
{
	struct perf_record record = {
		.type		= PERF_RECORD_AUX_OUTPUT_HW_ID,
		.body		= &hw_id,
		.body_size	= sizeof(hw_id),
	};

	perf_record_send_to(perf_event_root(event), &record);
}
EXPORT_SYMBOL_GPL(perf_report_aux_output_id);

/**
 * perf_event_needs_aux - does the event depend on an AUX event as its leader?
 * @event: initialised
 *
 * Return: true when attr.aux_output, aux_sample_size, aux_pause or aux_resume
 * say so.
 */
bool perf_event_needs_aux(const struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	return attr->aux_output || attr->aux_sample_size || attr->aux_pause || attr->aux_resume;
}

static bool perf_aux_leader_ok(struct perf_event *event, struct perf_event *leader)
{
	const struct perf_event_attr *attr = &event->attr;

	if (!has_aux(leader))
		return false;
	if (attr->aux_output && attr->aux_sample_size)
		return false;
	if (attr->aux_output && !(event->pmu->aux_output_match &&
				  event->pmu->aux_output_match(leader)))
		return false;
	if ((attr->aux_pause || attr->aux_resume) &&
	    !(leader->pmu->capabilities & PERF_PMU_CAP_AUX_PAUSE))
		return false;
	return !attr->aux_sample_size || leader->pmu->snapshot_aux;
}

/**
 * perf_event_set_aux_output - tie an event to the AUX event that it depends on
 * @event: event for which perf_event_needs_aux() is true
 * @leader: leader of the group that it joins, or NULL
 *
 * The event holds the leader until perf_event_clear_aux_output().
 * Return: true, or false when the leader cannot do what is asked.
 */
bool perf_event_set_aux_output(struct perf_event *event, struct perf_event *leader)
{
	if (!leader || leader == event || !perf_aux_leader_ok(event, leader))
		return false;
	if (!perf_event_tryget(leader))
		return false;
	event->aux_event = leader;
	return true;
}

static void perf_aux_unlink(struct perf_event *event)
{
	struct perf_event *leader = event->aux_event;

	/* A sample that is being taken loads the link twice, without a lock. */
	WRITE_ONCE(event->aux_event, NULL);
	perf_event_put(leader);
}

/**
 * perf_event_clear_aux_output - undo perf_event_set_aux_output()
 * @event: a member, or the leader, all of whose members are cut off then
 *
 * The group may be on: samples follow the link under RCU. The caller holds a
 * reference to @event.
 */
void perf_event_clear_aux_output(struct perf_event *event)
{
	struct perf_event *member;

	if (event->aux_event) {
		perf_aux_unlink(event);
		return;
	}
	/* RCU keeps a PMU that is being unregistered. */
	scoped_guard(rcu) {
		if (!has_aux(event))
			return;
	}
	for_each_sibling_event(member, event) {
		if (member->aux_event == event)
			perf_aux_unlink(member);
	}
}
