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

/* All areas that a driver has set up, and that it has not freed. */
static LIST_HEAD(driver_areas);
static DEFINE_SPINLOCK(areas_lock);	/* driver_areas; process context */
/* An area left the list; for perf_aux_revoke(). */
static DECLARE_WAIT_QUEUE_HEAD(area_left);

static unsigned long aux_size(const struct perf_aux *aux)
{
	return (unsigned long)aux->nr_pages << PAGE_SHIFT;
}

static void free_pages_of(struct perf_aux *aux)
{
	unsigned int i;

	for (i = 0; i < aux->nr_pages && aux->pages[i]; i++) {
		struct page *page = virt_to_page(aux->pages[i]);

		ClearPagePrivate(page);
		set_page_private(page, 0);
		__free_page(page);
	}
}

/* Single pages do, unless the driver says otherwise. */
static int piece_order(const struct perf_aux *aux, int capabilities)
{
	if (!(capabilities & (PERF_PMU_CAP_AUX_NO_SG | PERF_PMU_CAP_AUX_PREFER_LARGE)))
		return 0;
	/* Without overwriting, the hardware reports each piece: as often as is to be woken. */
	return aux->overwrite ? ilog2(aux->nr_pages) : get_order(aux->watermark);
}

/*
 * The largest pieces up to the given order. Drivers find a piece's order in
 * the private field of its first page; a page without is a piece by itself.
 */
static bool alloc_pages_for(struct perf_aux *aux, int node, int max_order)
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
static bool pieces_refused(struct perf_aux *aux, int capabilities, int max_order)
{
	return aux->overwrite && (capabilities & PERF_PMU_CAP_AUX_NO_SG) &&
	       page_private(virt_to_page(aux->pages[0])) != max_order;
}

/* The driver has nothing to do with the area any more. The caller alone may say so. */
static void leave_driver(struct perf_aux *aux)
{
	aux->free(aux->priv);
	module_put(aux->module);
	spin_lock(&areas_lock);
	list_del(&aux->driver_entry);
	WRITE_ONCE(aux->pmu, NULL);
	spin_unlock(&areas_lock);
	wake_up_all(&area_left);
}

/* There is no reference any more: give back all but the struct, for which RCU may look. */
static void release_memory(struct perf_aux *aux)
{
	if (aux->pmu)
		leave_driver(aux);
	free_pages_of(aux);
	perf_uncharge(&aux->charge);
	perf_buffer_put(aux->rb);
}

static void aux_free(struct work_struct *work)
{
	struct perf_aux *aux = container_of(to_rcu_work(work), struct perf_aux, work);

	release_memory(aux);
	kvfree(aux);
}

static void aux_release(struct irq_work *work)
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
 * perf_aux_put_now - drop a reference, and do not put off what follows from that
 * @aux: the area
 *
 * When munmap(2) of an area returns, its memory is free and no longer charged to
 * the user. May sleep.
 */
void perf_aux_put_now(struct perf_aux *aux)
{
	if (!refcount_dec_and_test(&aux->refcount))
		return;
	release_memory(aux);
	kvfree_rcu(aux, work.rcu);
}

/*
 * Get hold of an area of the PMU. Those that nobody holds leave on their own.
 * False: there are none but those.
 */
static bool hold_area(const struct pmu *pmu, struct perf_aux **held)
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
 * perf_aux_revoke - a PMU is going: free what its driver has of AUX areas
 * @pmu: whose events are dead, since grace periods of RCU and of
 *	perf_pmus_read_lock()
 *
 * The pages stay as long as they are mapped. May sleep.
 */
void perf_aux_revoke(struct pmu *pmu)
{
	struct perf_aux *aux;

	for (;;) {
		wait_event(area_left, hold_area(pmu, &aux));
		if (!aux)
			return;
		leave_driver(aux);
		perf_aux_put(aux);
	}
}

/*
 * Let the driver set the area up. A PMU that goes waits for that: perf_pmus_read_lock()
 * keeps the one of an event that is not dead.
 */
static bool enter_driver(struct perf_aux *aux, struct perf_event *event)
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
 * @rb: that it is to belong to; the caller has a reference, and has not locked it:
 *	this may wait long for memory
 * @event: whose driver sets it up
 * @pgoff: where in the file it is mapped, in pages
 * @nr_pages: a power of two
 * @overwrite: the reader will not tell what it has read
 *
 * The caller publishes it, or drops it. Two for one buffer may be made at a time.
 * May sleep.
 * Return: the area with one reference, or an error: -EOPNOTSUPP when the
 * driver has no AUX areas, -ENOMEM also when it does not like this one.
 */
struct perf_aux *perf_aux_alloc(struct perf_buffer *rb, struct perf_event *event,
				unsigned long pgoff, unsigned int nr_pages, bool overwrite)
{
	int node = event->cpu == -1 ? NUMA_NO_NODE : cpu_to_node(event->cpu);
	unsigned long watermark = event->attr.aux_watermark;
	struct perf_aux *aux;
	struct pmu *pmu;
	int capabilities, max_order;

	/* It may go meanwhile; enter_driver() looks. */
	scoped_guard(rcu) {
		pmu = READ_ONCE(event->pmu);
		if (!pmu->setup_aux)
			return ERR_PTR(-EOPNOTSUPP);
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
		aux->watermark = watermark ? watermark : aux_size(aux) / 2;
	max_order = piece_order(aux, capabilities);

	/* Complete before the driver has it: from then on perf_aux_revoke() finds it. */
	refcount_set(&aux->refcount, 1);
	init_irq_work(&aux->atomic_put, aux_release);
	INIT_RCU_WORK(&aux->work, aux_free);
	refcount_inc(&rb->refcount);
	aux->rb = rb;
	if (alloc_pages_for(aux, node, max_order) &&
	    !pieces_refused(aux, capabilities, max_order) &&
	    enter_driver(aux, event))
		return aux;

	perf_buffer_put(rb);
	free_pages_of(aux);
	kvfree(aux);
	return ERR_PTR(-ENOMEM);
}

/**
 * perf_aux_page - a page of an AUX area
 * @aux: the area
 * @pgoff: in the file
 *
 * Return: the page, or NULL when it is not one of the area.
 */
struct page *perf_aux_page(struct perf_aux *aux, unsigned long pgoff)
{
	pgoff -= aux->pgoff;
	return pgoff < aux->nr_pages ? virt_to_page(aux->pages[pgoff]) : NULL;
}

/* On the CPU where the transaction was opened, interrupts off. */
static void stop_writer_here(void *info)
{
	struct perf_cpu_context *cpuctx = this_cpu_ptr(&perf_cpu_context);
	struct perf_aux *aux = info;
	struct perf_event_context *ctx;
	struct perf_event *event;

	/* The next one may have begun elsewhere: ask again, there. */
	if (READ_ONCE(aux->rb->aux_open) != aux ||
	    READ_ONCE(aux->writer_cpu) != smp_processor_id())
		return;
	/* Still to come, or gone already, or attached: interrupts are off. */
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
 * @aux: that has no mapping left, so that no event will start again
 *
 * Its memory can then go. May sleep. An area with a driver that does not stop
 * lives on until it does; no transaction is opened on it any more, so that
 * asking a second time is for drivers that were between two steps.
 */
void perf_aux_stop_writer(struct perf_aux *aux)
{
	int i;

	/*
	 * The area has been taken from the buffer before its writer is looked
	 * for. Pairs with the barrier in aux_open_on(): a transaction that is
	 * not seen here has seen that the area is gone, and one that goes on is
	 * seen with its CPU.
	 */
	smp_mb();
	for (i = 0; i < STOP_ATTEMPTS && READ_ONCE(aux->rb->aux_open) == aux; i++)
		smp_call_function_single(READ_ONCE(aux->writer_cpu), stop_writer_here, aux, 1);
}

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
/* Called where another CPU may take the area away. */
void (*perf_test_aux_step)(void);

static void aux_test_step(void)
{
	if (perf_test_aux_step)
		perf_test_aux_step();
}
#else
static void aux_test_step(void)
{
}
#endif

/* An area for a transaction of the event, with a reference; NULL: none. */
static struct perf_aux *aux_get(struct perf_event *event)
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

/* Is it time to wake up? Then not before the next multiple of the watermark. */
static bool aux_wakeup_due(struct perf_buffer *rb, const struct perf_aux *aux)
{
	if (aux->overwrite || rb->aux_head - rb->aux_wakeup < aux->watermark)
		return false;
	rb->aux_wakeup = rounddown(rb->aux_head, aux->watermark);
	return true;
}

/* Show the reader what has been written. */
static void aux_publish(struct perf_buffer *rb)
{
	/* The trace before the head; the reader has a read barrier. */
	smp_wmb();
	WRITE_ONCE(rb->ring.user->aux_head, rb->aux_head);
}

static void aux_close(struct perf_output_handle *handle, struct perf_aux *aux)
{
	handle->event = NULL;
	WRITE_ONCE(aux->writer, NULL);
	perf_delay(AUX_CLOSES);
	/* The next transaction finds all of this one's work done. */
	smp_store_release(&aux->rb->aux_open, NULL);
	perf_aux_put(aux);
}

/* Make the event the one that writes to the area, unless another one does. */
static bool aux_open_on(struct perf_output_handle *handle, struct perf_event *event,
			struct perf_aux *aux)
{
	struct perf_buffer *rb = aux->rb;

	aux_test_step();
	if (cmpxchg(&rb->aux_open, NULL, aux)) {
		perf_aux_put(aux);
		return false;
	}
	perf_delay(AUX_OPENED);
	WRITE_ONCE(aux->writer_cpu, smp_processor_id());
	/* For perf_aux_stop_writer(), which asks that CPU. */
	smp_store_release(&aux->writer, event);
	/*
	 * It may have been unmapped since aux_get(): who did that saw no writer,
	 * and waits for none. Pairs with the barrier in perf_aux_stop_writer();
	 * without it both could miss each other, and the hardware would go on
	 * writing to memory that is mapped by nobody.
	 */
	smp_mb();
	if (likely(rcu_access_pointer(rb->aux) == aux))
		return true;
	aux_close(handle, aux);
	return false;
}

/**
 * perf_aux_output_begin - open a transaction
 * @handle: filled in: @head is where the hardware may write, @size how many
 *	bytes (0 in overwrite mode: all), @wakeup up to where at most before an
 *	interrupt is due
 * @event: that writes to the AUX area
 *
 * Interrupts are off. When there is no room the event disables itself; the
 * reader enables it again.
 * Return: what pmu::setup_aux returned, or NULL when nothing can be written.
 */
void *perf_aux_output_begin(struct perf_output_handle *handle, struct perf_event *event)
{
	struct perf_aux *aux = aux_get(event);
	struct perf_buffer *rb;
	unsigned long tail;

	handle->event = NULL;
	if (!aux)
		return NULL;
	rb = aux->rb;
	if (!aux_open_on(handle, event, aux))
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
	 * What is behind the tail has been read. Hardware is only started when
	 * there is room, which keeps its stores after this load.
	 */
	tail = READ_ONCE(rb->ring.user->aux_tail);
	handle->wakeup = rb->aux_wakeup + aux->watermark;
	if (handle->head - tail < aux_size(aux))
		handle->size = perf_ring_room(handle->head, tail, aux_size(aux), false);
	if (handle->size)
		return aux->priv;

	perf_event_disable_inatomic(event);
	perf_output_wakeup(rb, event);
	aux_close(handle, aux);
	return NULL;
}
EXPORT_SYMBOL_GPL(perf_aux_output_begin);

/* The body of PERF_RECORD_AUX. */
struct aux_body {
	u64	offset;
	u64	size;
	u64	flags;
};

static void tell_of_data(struct perf_event *event, u64 offset, u64 size, u64 flags)
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
 * @handle: of it
 * @size: bytes written; in overwrite mode @handle->head is where the hardware
 *	has got to
 *
 * Interrupts are off, and the data is visible to other CPUs. An AUX record
 * tells the reader, unless there is nothing new: in overwrite mode the head
 * alone says all.
 */
void perf_aux_output_end(struct perf_output_handle *handle, unsigned long size)
{
	struct perf_event *event = handle->event;
	struct perf_buffer *rb = handle->rb;
	struct perf_aux *aux = rb->aux_open;
	unsigned long offset = rb->aux_head;
	u64 flags = handle->aux_flags & ~(u64)PERF_AUX_FLAG_OVERWRITE;
	bool wake;

	/* Unmapped meanwhile: there is no one to tell, and nothing to show. */
	if (rcu_access_pointer(rb->aux) != aux)
		goto close;

	if (aux->overwrite) {
		offset = handle->head;
		rb->aux_head = offset;
	} else {
		rb->aux_head += size;
	}
	if (size || flags)
		tell_of_data(event, offset, size,
			     aux->overwrite ? flags | PERF_AUX_FLAG_OVERWRITE : flags);

	aux_publish(rb);
	wake = aux_wakeup_due(rb, aux);
	if (flags & PERF_AUX_FLAG_TRUNCATED) {
		perf_event_disable_inatomic(event);
		wake = true;
	}
	if (wake)
		perf_output_wakeup(rb, event);
close:
	aux_close(handle, aux);
}
EXPORT_SYMBOL_GPL(perf_aux_output_end);

/**
 * perf_aux_output_skip - leave room unused, for alignment or padding
 * @handle: of an open transaction
 * @size: bytes
 *
 * Return: 0, or -ENOSPC when there are not that many.
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
	aux_publish(rb);
	if (aux_wakeup_due(rb, aux)) {
		perf_output_wakeup(rb, handle->event);
		handle->wakeup = rb->aux_wakeup + aux->watermark;
	}
	return 0;
}
EXPORT_SYMBOL_GPL(perf_aux_output_skip);

/**
 * perf_get_aux - what pmu::setup_aux returned
 * @handle: zeroed, or of a transaction
 *
 * Return: that, or NULL when no transaction is open.
 */
void *perf_get_aux(struct perf_output_handle *handle)
{
	return handle->event ? handle->rb->aux_open->priv : NULL;
}
EXPORT_SYMBOL_GPL(perf_get_aux);

/**
 * perf_aux_output_flag - set flags of the record that the transaction will make
 * @handle: of an open transaction
 * @flags: PERF_AUX_FLAG_*, but OVERWRITE, which follows from the mapping
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
 * @to: position behind the last; equal places mean the whole area
 *
 * Return: bytes copied, or -EFAULT.
 */
long perf_output_copy_aux(struct perf_output_handle *aux_handle,
			  struct perf_output_handle *handle,
			  unsigned long from, unsigned long to)
{
	struct perf_aux *aux = aux_handle->rb->aux_open;
	unsigned long mask = aux_size(aux) - 1;
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
 * The area of an AUX event that traces on this CPU, with a reference. It may
 * have been closed, or be off, while the event that samples it goes on: then
 * the trace on this CPU is somebody else's.
 */
static struct perf_aux *aux_get_here(struct perf_event *sampler)
{
	if (!sampler || READ_ONCE(sampler->state) != PERF_EVENT_STATE_ACTIVE ||
	    READ_ONCE(sampler->oncpu) != smp_processor_id())
		return NULL;
	return aux_get(sampler);
}

/**
 * perf_aux_sample_size - how much of an AUX area a sample can have
 * @sampler: the AUX event, or NULL
 * @size: wanted
 *
 * Any context. Nothing while another sample, which this one interrupted, is
 * being filled.
 * Return: bytes, a multiple of 8.
 */
unsigned long perf_aux_sample_size(struct perf_event *sampler, unsigned long size)
{
	struct perf_aux *aux = aux_get_here(sampler);

	if (!aux)
		return 0;
	if (READ_ONCE(aux->sampling))
		size = 0;
	size = ALIGN(min(size, aux_size(aux)), sizeof(u64));
	perf_aux_put(aux);
	return size;
}

/**
 * perf_aux_sample_write - write a piece of an AUX area into a sample
 * @sampler: the AUX event, or NULL when it has been closed since
 * @handle: of the sample
 * @size: what perf_aux_sample_size() returned
 *
 * Any context. What the driver does not have is written as zeros.
 */
void perf_aux_sample_write(struct perf_event *sampler, struct perf_output_handle *handle,
			   unsigned long size)
{
	static const u8 zeros[64];
	struct perf_aux *aux;
	unsigned long flags;
	long copied = 0;

	/* The driver's state is that of this CPU. */
	local_irq_save(flags);
	aux = aux_get_here(sampler);
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
 * perf_log_itrace_start - write an ITRACE_START record
 * @event: that begins to run on this CPU, for the current task or for all
 *
 * Interrupts are off. Only for PMUs that trace instructions, until they say
 * themselves that they have begun.
 */
void perf_log_itrace_start(struct perf_event *event)
{
	struct perf_event *output = perf_event_root(event);
	u32 ids[2];
	struct perf_record record = {
		.type		= PERF_RECORD_ITRACE_START,
		.body		= ids,
		.body_size	= sizeof(ids),
	};

	if (!(output->pmu->capabilities & PERF_PMU_CAP_ITRACE) ||
	    (output->attach_state & PERF_ATTACH_ITRACE))
		return;
	ids[0] = perf_event_pid(output, current);
	ids[1] = perf_event_tid(output, current);
	perf_record_send_to(output, &record);
}

/**
 * perf_event_itrace_started - the driver itself says that a trace has begun
 * @event: that it has begun for; no ITRACE_START is written from now on
 */
void perf_event_itrace_started(struct perf_event *event)
{
	event->attach_state |= PERF_ATTACH_ITRACE;
}

/**
 * perf_report_aux_output_id - write an AUX_OUTPUT_HW_ID record
 * @event: whose samples go into an AUX area
 * @hw_id: by which the hardware names it there
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

static bool aux_leader_ok(struct perf_event *event, struct perf_event *leader)
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
 * @event: for which perf_event_needs_aux() is true
 * @leader: of the group that it joins
 *
 * The event holds the leader until perf_event_clear_aux_output().
 * Return: true, or false when the leader cannot do what is asked.
 */
bool perf_event_set_aux_output(struct perf_event *event, struct perf_event *leader)
{
	if (!leader || leader == event || !aux_leader_ok(event, leader))
		return false;
	if (!perf_event_tryget(leader))
		return false;
	event->aux_event = leader;
	return true;
}

static void aux_unlink(struct perf_event *event)
{
	struct perf_event *leader = event->aux_event;

	/* A sample that is being taken looks at it twice. */
	WRITE_ONCE(event->aux_event, NULL);
	perf_event_put(leader);
}

/**
 * perf_event_clear_aux_output - undo perf_event_set_aux_output()
 * @event: a member, or the leader; then all of its members are cut off
 *
 * The group may be on; who has read the link has RCU. The caller holds a reference.
 */
void perf_event_clear_aux_output(struct perf_event *event)
{
	struct perf_event *member;

	if (event->aux_event) {
		aux_unlink(event);
		return;
	}
	for_each_sibling_event(member, event) {
		if (member->aux_event == event)
			aux_unlink(member);
	}
}
