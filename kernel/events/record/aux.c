// SPDX-License-Identifier: GPL-2.0
/*
 * AUX areas: buffers to which hardware writes directly.
 *
 * A driver begins the AUX output of an event with perf_aux_output_begin(), starts the hardware, and
 * ends the output with perf_aux_output_end() and the number of bytes written. One event at a time
 * writes to the AUX area of a buffer. The output holds a reference to the area, so the area
 * survives an munmap(2).
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

/* Maximum number of attempts to make a driver end its AUX output */
#define STOP_ATTEMPTS	10

/* Areas with driver data: from pmu::setup_aux until pmu::free_aux */
static LIST_HEAD(driver_areas);
static DEFINE_SPINLOCK(areas_lock);	/* protects driver_areas; process context */
/* perf_aux_revoke() waits here until an area is removed from driver_areas. */
static DECLARE_WAIT_QUEUE_HEAD(area_freed);

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

/* Maximum order of the allocations: single pages, unless the driver needs or prefers larger ones */
static int perf_aux_max_order(const struct perf_aux *aux, int capabilities)
{
	if (!(capabilities & (PERF_PMU_CAP_AUX_NO_SG | PERF_PMU_CAP_AUX_PREFER_LARGE)))
		return 0;
	/*
	 * Without overwriting, the hardware interrupts at the end of each allocation. The
	 * reader is woken once per watermark. So an allocation is not larger than necessary
	 * for the watermark.
	 */
	return aux->overwrite ? ilog2(aux->nr_pages) : get_order(aux->watermark);
}

/*
 * Allocate the area in chunks of the largest order available, up to @max_order. The private
 * field of a chunk's first page has the order of the chunk, for the driver. A page without
 * the private flag is a chunk of order 0.
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

/* Does the allocation have several chunks, although the driver needs a single one? */
static bool perf_aux_has_too_many_chunks(struct perf_aux *aux, int capabilities, int max_order)
{
	return aux->overwrite && (capabilities & PERF_PMU_CAP_AUX_NO_SG) &&
	       page_private(virt_to_page(aux->pages[0])) != max_order;
}

/*
 * Release the area's driver data. Called once per area: by perf_aux_revoke(), or with the
 * last reference.
 */
static void perf_aux_driver_free(struct perf_aux *aux)
{
	aux->free(aux->priv);
	module_put(aux->module);
	spin_lock(&areas_lock);
	list_del(&aux->driver_entry);
	WRITE_ONCE(aux->pmu, NULL);
	spin_unlock(&areas_lock);
	wake_up_all(&area_freed);
}

/*
 * Called when the last reference was dropped. RCU readers may still access struct perf_aux, so
 * release everything else.
 */
static void perf_aux_release_memory(struct perf_aux *aux)
{
	if (aux->pmu)
		perf_aux_driver_free(aux);
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
 * perf_aux_put - drop a reference to an area
 * @aux: the area
 *
 * Context: any, including NMI.
 */
void perf_aux_put(struct perf_aux *aux)
{
	if (refcount_dec_and_test(&aux->refcount))
		irq_work_queue(&aux->atomic_put);
}

/**
 * perf_aux_put_now - drop a reference, and free the memory of the area synchronously
 * @aux: the area
 *
 * When munmap(2) returns, the memory must be free, and no longer charged to the user.
 *
 * Context: may sleep.
 */
void perf_aux_put_now(struct perf_aux *aux)
{
	if (!refcount_dec_and_test(&aux->refcount))
		return;
	perf_aux_release_memory(aux);
	kvfree_rcu(aux, work.rcu);
}

/*
 * Get a reference to an area of @pmu. If the reference count of an area is 0, the area is about to
 * be removed from the list, and no reference can be taken.
 *
 * Return true with an area in *@held, or with NULL if @pmu has no area; false if all its areas are
 * about to be removed from the list.
 */
static bool perf_aux_get_area(const struct pmu *pmu, struct perf_aux **held)
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
 * perf_aux_revoke - release the driver data of all AUX areas of a PMU that is being unregistered
 * @pmu: the PMU. A grace period of RCU, and one of perf_pmus_read_lock(), have passed since its
 *	events became dead
 *
 * The pages of an area are freed later, after its last mapping ends.
 *
 * Context: may sleep.
 */
void perf_aux_revoke(struct pmu *pmu)
{
	struct perf_aux *aux;

	for (;;) {
		wait_event(area_freed, perf_aux_get_area(pmu, &aux));
		if (!aux)
			return;
		perf_aux_driver_free(aux);
		perf_aux_put(aux);
	}
}

/*
 * Call the driver to set the area up. If the event is not dead in the section of
 * perf_pmus_read_lock(), its PMU remains registered until the end of this section.
 */
static bool perf_aux_driver_setup(struct perf_aux *aux, struct perf_event *event)
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
 * perf_aux_alloc - allocate an AUX area
 * @rb: buffer of the area. The caller has a reference. The allocation may take long, so the caller
 *	does not hold the buffer's lock
 * @event: event whose driver sets the area up
 * @pgoff: offset of the mapping in the event's file, in pages
 * @nr_pages: size of the area, a power of two
 * @overwrite: the mapping is read-only, so the reader cannot move the tail
 *
 * Two tasks may allocate an area for the same buffer at the same time. The caller publishes one of
 * the areas, and drops the other.
 *
 * Context: may sleep.
 * Return: the area with one reference, or an ERR_PTR(): -EOPNOTSUPP if the driver has no AUX
 * areas, -ENOMEM if memory is lacking or the driver fails
 */
struct perf_aux *perf_aux_alloc(struct perf_buffer *rb, struct perf_event *event,
				unsigned long pgoff, unsigned int nr_pages, bool overwrite)
{
	int node = event->cpu == -1 ? NUMA_NO_NODE : cpu_to_node(event->cpu);
	unsigned long watermark = event->attr.aux_watermark;
	struct perf_aux *aux;
	struct pmu *pmu;
	int capabilities, max_order;

	/* The PMU may be unregistered after this section; perf_aux_driver_setup() checks again. */
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
	max_order = perf_aux_max_order(aux, capabilities);

	/*
	 * Complete the area first: perf_aux_revoke() may find it as soon as
	 * perf_aux_driver_setup() has added it to the list.
	 */
	refcount_set(&aux->refcount, 1);
	init_irq_work(&aux->atomic_put, perf_aux_release);
	INIT_RCU_WORK(&aux->work, perf_aux_free);
	refcount_inc(&rb->refcount);
	aux->rb = rb;
	if (perf_aux_alloc_pages_for(aux, node, max_order) &&
	    !perf_aux_has_too_many_chunks(aux, capabilities, max_order) &&
	    perf_aux_driver_setup(aux, event))
		return aux;

	perf_buffer_put(rb);
	perf_aux_free_pages_of(aux);
	kvfree(aux);
	return ERR_PTR(-ENOMEM);
}

/**
 * perf_aux_page - find a page of an AUX area
 * @aux: the area
 * @pgoff: offset in the event's file, in pages
 *
 * Return: the page, or NULL if the area has no page at @pgoff
 */
struct page *perf_aux_page(struct perf_aux *aux, unsigned long pgoff)
{
	pgoff -= aux->pgoff;
	return pgoff < aux->nr_pages ? virt_to_page(aux->pages[pgoff]) : NULL;
}

/* Called with interrupts off on aux->writer_cpu, where the AUX output began. */
static void perf_aux_stop_writer_here(void *info)
{
	struct perf_cpu_context *cpuctx = this_cpu_ptr(&perf_cpu_context);
	struct perf_aux *aux = info;
	struct perf_event_context *ctx;
	struct perf_event *event;

	/* The next AUX output may have begun on another CPU. Then the caller retries there. */
	if (READ_ONCE(aux->rb->aux_open) != aux ||
	    READ_ONCE(aux->writer_cpu) != smp_processor_id())
		return;
	/*
	 * aux->writer is NULL before perf_aux_open_on() stores the event, and after the output
	 * ends. The event cannot be detached while interrupts are off here.
	 */
	event = smp_load_acquire(&aux->writer);
	perf_delay(AUX_ASKED);
	if (!event)
		return;
	ctx = READ_ONCE(event->ctx);
	/* The output of another CPU's event began after the check of writer_cpu. */
	if (!ctx->task && ctx != &cpuctx->ctx)
		return;
	perf_context_lock_cpu(cpuctx, ctx);
	if (READ_ONCE(aux->rb->aux_open) == aux && event->state == PERF_EVENT_STATE_ACTIVE &&
	    event->oncpu == smp_processor_id())
		perf_event_pmu_stop(event, PERF_EF_UPDATE);
	perf_context_unlock_cpu(cpuctx, ctx);
}

/**
 * perf_aux_stop_writer - stop the event that writes to an area
 * @aux: area without a mapping, so that no event can start to write to it
 *
 * After this call the memory of the area can be freed. If the driver does not end its AUX output,
 * the reference of the output keeps the area until the output ends. Several attempts are needed,
 * because the driver may be about to begin or end the output during the first attempt.
 *
 * Context: may sleep.
 */
void perf_aux_stop_writer(struct perf_aux *aux)
{
	int i;

	/*
	 * rb->aux is cleared before the writer is read. Pairs with the barrier in
	 * perf_aux_open_on(): either this CPU sees rb->aux_open and aux->writer_cpu, or
	 * perf_aux_output_begin() sees that rb->aux is NULL.
	 */
	smp_mb();
	for (i = 0; i < STOP_ATTEMPTS && READ_ONCE(aux->rb->aux_open) == aux; i++)
		smp_call_function_single(READ_ONCE(aux->writer_cpu), perf_aux_stop_writer_here, aux,
					 1);
}

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
/* KUnit hook in perf_aux_open_on(), at the point where another CPU may unmap the area */
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

/* Get a reference to the area for the event's AUX output, or NULL. */
static struct perf_aux *perf_aux_get(struct perf_event *event)
{
	struct perf_event *output = perf_event_parent(event);
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
 * Is a wakeup due, because a watermark of bytes was written since the last wakeup? If so, set
 * rb->aux_wakeup to the head, rounded down to a multiple of the watermark.
 */
static bool perf_aux_wakeup_due(struct perf_buffer *rb, const struct perf_aux *aux)
{
	if (aux->overwrite || rb->aux_head - rb->aux_wakeup < aux->watermark)
		return false;
	rb->aux_wakeup = rounddown(rb->aux_head, aux->watermark);
	return true;
}

/* Publish the head to the reader. */
static void perf_aux_publish(struct perf_buffer *rb)
{
	/*
	 * Pairs with the reader's read barrier between its load of perf_event_mmap_page::aux_head
	 * and its loads of the trace: the trace is visible before the head.
	 */
	smp_wmb();
	WRITE_ONCE(rb->ring.user->aux_head, rb->aux_head);
}

static void perf_aux_close(struct perf_output_handle *handle, struct perf_aux *aux)
{
	handle->event = NULL;
	WRITE_ONCE(aux->writer, NULL);
	perf_delay(AUX_CLOSES);
	/* Pairs with the cmpxchg() in perf_aux_open_on() of the next AUX output. */
	smp_store_release(&aux->rb->aux_open, NULL);
	perf_aux_put(aux);
}

/*
 * Make the event the writer of the area. If the area already has a writer, or was unmapped, drop
 * the reference to @aux and return false.
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
	/* Pairs with perf_aux_stop_writer_here(): a CPU that loads @event also sees event->ctx. */
	smp_store_release(&aux->writer, event);
	/*
	 * The area may have been unmapped since perf_aux_get(), and perf_aux_stop_writer()
	 * may have seen no writer. Pairs with the barrier in perf_aux_stop_writer(): without
	 * both barriers each side could miss the other, and the hardware would continue to
	 * write to memory without a mapping.
	 */
	smp_mb();
	if (likely(rcu_access_pointer(rb->aux) == aux))
		return true;
	perf_aux_close(handle, aux);
	return false;
}

/**
 * perf_aux_output_begin - begin AUX output
 * @handle: @head is set to the position of the first byte that the hardware may write, @size to the
 *	number of bytes, @wakeup to the position at which the hardware must interrupt at the
 *	latest. In overwrite mode @size and @wakeup are 0, and the hardware may write to the whole
 *	area
 * @event: event that writes to the AUX area
 *
 * If the area has no free space, the event is disabled, and user space must enable it again.
 *
 * Context: interrupts are off.
 * Return: the pointer from pmu::setup_aux, or NULL if the hardware cannot write
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
	 * The reader has consumed the bytes before the tail. The hardware starts only if
	 * there is free space, so its stores are after this load.
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

/* Body of PERF_RECORD_AUX */
struct aux_body {
	u64	offset;
	u64	size;
	u64	flags;
};

static void perf_aux_write_record(struct perf_event *event, u64 offset, u64 size, u64 flags)
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
 * perf_aux_output_end - end AUX output
 * @handle: from perf_aux_output_begin()
 * @size: bytes written. In overwrite mode the driver also sets @handle->head to the end of the data
 *
 * Write an AUX record if there is data, or if a flag such as PERF_AUX_FLAG_TRUNCATED is set. Some
 * drivers set format flags at each begin, so these flags alone cause no record. In overwrite mode
 * the offset in the record is @handle->head.
 *
 * Context: interrupts are off, and the data is visible to other CPUs.
 */
void perf_aux_output_end(struct perf_output_handle *handle, unsigned long size)
{
	struct perf_event *event = handle->event;
	struct perf_buffer *rb = handle->rb;
	struct perf_aux *aux = rb->aux_open;
	unsigned long offset = rb->aux_head;
	u64 flags = handle->aux_flags & ~(u64)PERF_AUX_FLAG_OVERWRITE;
	bool wake;

	/* If the area was unmapped since the output began, it has no reader. */
	if (rcu_access_pointer(rb->aux) != aux)
		goto close;

	if (aux->overwrite) {
		offset = handle->head;
		rb->aux_head = offset;
	} else {
		rb->aux_head += size;
	}
	if (size || (flags & ~(u64)PERF_AUX_FLAG_PMU_FORMAT_TYPE_MASK))
		perf_aux_write_record(event, offset, size,
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
 * perf_aux_output_skip - skip bytes, for alignment or padding
 * @handle: from perf_aux_output_begin()
 * @size: bytes to skip
 *
 * Context: interrupts are off.
 * Return: 0 on success, -ENOSPC if @handle has less free space
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
 * perf_get_aux - get the pointer from pmu::setup_aux
 * @handle: zeroed, or used before
 *
 * Return: the driver's pointer, or NULL if no output has begun
 */
void *perf_get_aux(struct perf_output_handle *handle)
{
	return handle->event ? handle->rb->aux_open->priv : NULL;
}
EXPORT_SYMBOL_GPL(perf_get_aux);

/**
 * perf_aux_output_flag - set flags of the PERF_RECORD_AUX of an AUX output
 * @handle: from perf_aux_output_begin()
 * @flags: PERF_AUX_FLAG_*, except OVERWRITE, which depends on the mapping
 */
void perf_aux_output_flag(struct perf_output_handle *handle, u64 flags)
{
	if (WARN_ON_ONCE(flags & PERF_AUX_FLAG_OVERWRITE))
		return;
	handle->aux_flags |= flags;
}
EXPORT_SYMBOL_GPL(perf_aux_output_flag);

/**
 * perf_output_copy_aux - copy a part of an AUX area to a record
 * @aux_handle: handle of the AUX output
 * @handle: handle of the record
 * @from: position of the first byte
 * @to: position after the last byte. If both are equal modulo the size of the area, the whole area
 *	is copied
 *
 * Return: bytes copied, or -EFAULT
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
 * Get a reference to the area of the AUX event @sampler, or NULL. If @sampler is closed or
 * scheduled out, a trace on this CPU belongs to another event.
 */
static struct perf_aux *perf_aux_get_here(struct perf_event *sampler)
{
	if (!sampler || READ_ONCE(sampler->state) != PERF_EVENT_STATE_ACTIVE ||
	    READ_ONCE(sampler->oncpu) != smp_processor_id())
		return NULL;
	return perf_aux_get(sampler);
}

/**
 * perf_aux_sample_size - get the number of AUX bytes for a sample
 * @sampler: the AUX event, or NULL
 * @size: bytes wanted, a multiple of 8
 *
 * Context: any, on the CPU of @sampler.
 * Return: bytes, a multiple of 8; 0 if there is no area, or if this CPU has interrupted a copy from
 * the area
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
 * perf_aux_sample_write - write a part of an AUX area to a sample
 * @sampler: the AUX event, or NULL if it was closed since
 * @handle: handle of the sample
 * @size: from perf_aux_sample_size()
 *
 * Write exactly @size bytes. If the driver provides fewer bytes, the others are zero.
 *
 * Context: any, on the CPU of @sampler.
 */
void perf_aux_sample_write(struct perf_event *sampler, struct perf_output_handle *handle,
			   unsigned long size)
{
	struct perf_aux *aux;
	unsigned long flags;
	long copied = 0;

	/* The driver's interrupt handler changes per-CPU state that snapshot_aux() uses. */
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
	perf_output_zero(handle, size - copied);
}

/**
 * perf_aux_record_itrace_start - write an ITRACE_START record
 * @event: event of a PMU that traces instructions. The event starts on this CPU, for the current
 *	task or for all tasks
 *
 * After the driver has called perf_event_itrace_started(), no record is written.
 *
 * Context: interrupts are off.
 */
void perf_aux_record_itrace_start(struct perf_event *event)
{
	struct perf_event *output = perf_event_parent(event);
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
 * perf_event_itrace_started - stop the core from writing ITRACE_START records for an event
 * @event: the event, whose driver reports the start of a trace in the trace itself
 */
void perf_event_itrace_started(struct perf_event *event)
{
	event->attach_state |= PERF_ATTACH_ITRACE;
}

/**
 * perf_report_aux_output_id - write an AUX_OUTPUT_HW_ID record
 * @event: event with samples in an AUX area
 * @hw_id: the hardware's number of the event in that area
 *
 * Context: any, preemption is off.
 */
void perf_report_aux_output_id(struct perf_event *event, u64 hw_id)
{
	struct perf_record record = {
		.type		= PERF_RECORD_AUX_OUTPUT_HW_ID,
		.body		= &hw_id,
		.body_size	= sizeof(hw_id),
	};

	perf_record_send_to(perf_event_parent(event), &record);
}
EXPORT_SYMBOL_GPL(perf_report_aux_output_id);

/**
 * perf_event_needs_aux - does the event need an AUX event as its group leader?
 * @event: initialised
 *
 * Return: true with attr.aux_output, attr.aux_sample_size, attr.aux_pause or attr.aux_resume
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
 * perf_event_set_aux_output - link an event to the AUX event that it needs
 * @event: event for which perf_event_needs_aux() is true
 * @leader: leader of its group, or NULL
 *
 * The event holds a reference to the leader until perf_event_clear_aux_output().
 *
 * Return: true on success, false if the leader does not support the event
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

	/* A sample loads event->aux_event twice, without a lock. */
	WRITE_ONCE(event->aux_event, NULL);
	perf_event_put(leader);
}

/**
 * perf_event_clear_aux_output - undo perf_event_set_aux_output()
 * @event: a sibling, or a leader: the links of all its siblings are removed
 *
 * The group may be scheduled in: samples read the link under RCU. The caller holds a
 * reference to @event.
 */
void perf_event_clear_aux_output(struct perf_event *event)
{
	struct perf_event *member;

	if (event->aux_event) {
		perf_aux_unlink(event);
		return;
	}
	/* RCU keeps the memory of a PMU that is being unregistered. */
	scoped_guard(rcu) {
		if (!has_aux(event))
			return;
	}
	for_each_sibling_event(member, event) {
		if (member->aux_event == event)
			perf_aux_unlink(member);
	}
}
