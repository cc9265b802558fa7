// SPDX-License-Identifier: GPL-2.0
/*
 * mmap(2) of an event's user page, records and AUX area.
 *
 * Each mapping has a reference to its buffer or AUX area, in vma->vm_private_data, and to the event
 * through its file. So a page fault takes no lock of perf events except perf_buffer::pages_lock. A
 * mapping is counted as a whole, so it cannot be split or grown. fork(2) copies a mapping only if
 * madvise(2) has requested that.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/user.h>
#include <linux/security.h>

#include "../cold.h"
#include "../delay.h"
#include "../event.h"
#include "../refuse.h"
#include "aux.h"
#include "buffer.h"
#include "mmap.h"
#include "userpage.h"

/* Get the number of pages for all buffers of a user, in addition to RLIMIT_MEMLOCK. */
static unsigned long perf_mmap_user_allowance(void)
{
	int kb = READ_ONCE(sysctl_perf_event_mlock);

	if (kb < 0)
		return ULONG_MAX;
	return ((unsigned long)kb >> (PAGE_SHIFT - 10)) * num_online_cpus();
}

/**
 * perf_uncharge - release a charge for memory
 * @charge: charge for memory that was freed; if its user is NULL, nothing happens
 *
 * Context: may sleep.
 */
void perf_uncharge(struct perf_charge *charge)
{
	if (!charge->user)
		return;
	atomic_long_sub(charge->locked, &charge->user->perf_mlock);
	atomic64_sub(charge->pinned, &charge->mm->pinned_vm);
	free_uid(charge->user);
	mmdrop(charge->mm);
	charge->user = NULL;
}

/* Charge the user up to its allowance, and the mm for the rest. */
static int perf_mmap_charge_pages(struct perf_charge *charge, struct mm_struct *mm,
				  unsigned long pages)
{
	unsigned long allowance = perf_mmap_user_allowance();
	struct user_struct *user = current_user();
	unsigned long room, limit;
	long old;

	old = atomic_long_read(&user->perf_mlock);
	do {
		room = old < allowance ? allowance - old : 0;
		charge->locked = min(pages, room);
	} while (!atomic_long_try_cmpxchg(&user->perf_mlock, &old, old + charge->locked));
	charge->pinned = pages - charge->locked;
	charge->user = get_uid(user);
	charge->mm = mm;
	mmgrab(mm);

	limit = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;
	if (atomic64_add_return(charge->pinned, &mm->pinned_vm) > limit &&
	    perf_is_paranoid() && !capable(CAP_IPC_LOCK)) {
		perf_uncharge(charge);
		return perf_refuse_value(PERF_REFUSED_MMAP_LIMIT, (u64)pages << PAGE_SHIFT);
	}
	return 0;
}

/* Add @n to the number of mappings of the event's page. Return the new number. */
static int perf_mmap_count(struct perf_event *event, int n)
{
	struct perf_event_context *ctx;
	int count;

	rcu_read_lock();
	/* Retry each time that the event has moved to another CPU. */
	for (;;) {
		ctx = READ_ONCE(event->ctx);
		raw_spin_lock_irq(&ctx->lock);
		if (likely(ctx == event->ctx))
			break;
		raw_spin_unlock_irq(&ctx->lock);
	}
	count = atomic_add_return(n, &event->cold->mmap_count);
	/* ctx->mapped lists the events with mappings. */
	if (!count)
		hlist_del_init(&event->cold->mapped_entry);
	else if ((event->attach_state & PERF_ATTACH_CONTEXT) && n > 0 && count == 1)
		hlist_add_head(&event->cold->mapped_entry, &ctx->mapped);
	raw_spin_unlock_irq(&ctx->lock);
	rcu_read_unlock();
	return count;
}

/* Add a mapping of the data or AUX area through the event. */
static void perf_mmap_add(struct perf_buffer *rb, struct perf_event *event)
{
	lockdep_assert_held(&rb->lock);
	rb->mappings++;
	refcount_inc(&rb->refcount);
	perf_mmap_count(event, 1);
}

static void perf_mmap_drop(struct perf_buffer *rb, struct perf_event *event)
{
	struct perf_event_cold *cold, *next;

	mutex_lock(&rb->lock);
	if (!perf_mmap_count(event, -1) && rcu_access_pointer(event->rb) == rb)
		perf_buffer_detach(rb, event);
	if (!--rb->mappings) {
		list_for_each_entry_safe(cold, next, &rb->events, rb_entry)
			perf_buffer_detach(rb, cold->event);
		perf_uncharge(&rb->charge);
	}
	mutex_unlock(&rb->lock);
	perf_buffer_put(rb);
}

/* Report a mapping to the driver, because the mm may now read the event's counter. */
static void perf_mmap_call_driver(struct vm_area_struct *vma, bool mapped)
{
	struct perf_event *event = vma->vm_file->private_data;
	void (*callback)(struct perf_event *event, struct mm_struct *mm);

	/*
	 * RCU keeps the memory of a PMU that is being unregistered. A PMU with one of these
	 * callbacks is never unregistered, so the callback can be called after the section.
	 */
	scoped_guard(rcu) {
		struct pmu *pmu = READ_ONCE(event->pmu);

		callback = mapped ? pmu->event_mapped : pmu->event_unmapped;
	}
	if (callback && READ_ONCE(event->state) != PERF_EVENT_STATE_DEAD)
		callback(event, vma->vm_mm);
}

static int perf_mmap_may_split(struct vm_area_struct *vma, unsigned long addr)
{
	return -EINVAL;
}

static vm_fault_t perf_mmap_fault_page(struct vm_fault *vmf, struct page *page)
{
	if (!page)
		return VM_FAULT_SIGBUS;
	/* User space may write only to the first page, for the tails. */
	if (vmf->pgoff && (vmf->flags & FAULT_FLAG_WRITE))
		return VM_FAULT_SIGBUS;
	get_page(page);
	vmf->page = page;
	return 0;
}

/* Lock the page: the fault is retried if an unlocked page has no address_space. */
static vm_fault_t perf_mmap_page_mkwrite(struct vm_fault *vmf)
{
	if (vmf->pgoff)
		return VM_FAULT_SIGBUS;
	lock_page(vmf->page);
	return VM_FAULT_LOCKED;
}

static vm_fault_t perf_mmap_data_fault(struct vm_fault *vmf)
{
	struct perf_buffer *rb = vmf->vma->vm_private_data;
	vm_fault_t ret;

	/*
	 * splice(2) must not replace the page between its lookup and the new reference. After that
	 * the reference prevents this.
	 */
	spin_lock(&rb->pages_lock);
	ret = perf_mmap_fault_page(vmf, perf_buffer_page(rb, vmf->pgoff));
	spin_unlock(&rb->pages_lock);
	return ret;
}

/* mremap(2) or fork(2) has duplicated the mapping. */
static void perf_mmap_data_open(struct vm_area_struct *vma)
{
	struct perf_event *event = vma->vm_file->private_data;
	struct perf_buffer *rb = vma->vm_private_data;

	mutex_lock(&rb->lock);
	perf_mmap_add(rb, event);
	mutex_unlock(&rb->lock);
	perf_mmap_call_driver(vma, true);
}

static void perf_mmap_data_close(struct vm_area_struct *vma)
{
	perf_mmap_call_driver(vma, false);
	perf_mmap_drop(vma->vm_private_data, vma->vm_file->private_data);
}

static const struct vm_operations_struct perf_mmap_data_vm_ops = {
	.open		= perf_mmap_data_open,
	.close		= perf_mmap_data_close,
	.may_split	= perf_mmap_may_split,
	.fault		= perf_mmap_data_fault,
	.page_mkwrite	= perf_mmap_page_mkwrite,
};

static vm_fault_t perf_mmap_aux_fault(struct vm_fault *vmf)
{
	return perf_mmap_fault_page(vmf, perf_aux_page(vmf->vma->vm_private_data, vmf->pgoff));
}

static void perf_mmap_add_aux(struct perf_aux *aux, struct perf_event *event)
{
	aux->mappings++;
	refcount_inc(&aux->refcount);
	perf_mmap_add(aux->rb, event);
}

static void perf_mmap_aux_open(struct vm_area_struct *vma)
{
	struct perf_event *event = vma->vm_file->private_data;
	struct perf_aux *aux = vma->vm_private_data;

	mutex_lock(&aux->rb->lock);
	perf_mmap_add_aux(aux, event);
	mutex_unlock(&aux->rb->lock);
	perf_mmap_call_driver(vma, true);
}

static void perf_mmap_aux_close(struct vm_area_struct *vma)
{
	struct perf_aux *aux = vma->vm_private_data;
	struct perf_buffer *rb = aux->rb;
	bool last;

	perf_mmap_call_driver(vma, false);

	mutex_lock(&rb->lock);
	last = !--aux->mappings;
	if (last) {
		RCU_INIT_POINTER(rb->aux, NULL);
		perf_delay(AUX_UNMAPPED);
	}
	mutex_unlock(&rb->lock);
	if (last)
		perf_aux_stop_writer(aux);
	perf_aux_put_now(aux);

	perf_mmap_drop(rb, vma->vm_file->private_data);
}

static const struct vm_operations_struct perf_mmap_aux_vm_ops = {
	.open		= perf_mmap_aux_open,
	.close		= perf_mmap_aux_close,
	.may_split	= perf_mmap_may_split,
	.fault		= perf_mmap_aux_fault,
	.page_mkwrite	= perf_mmap_page_mkwrite,
};

/* Allocate and map a buffer. Return -EAGAIN if another task has attached a buffer to the event. */
static int perf_mmap_new_data(struct perf_event *event, struct vm_area_struct *vma,
			      unsigned long nr_pages)
{
	const struct perf_event_attr *attr = &event->attr;
	struct perf_charge paid;
	struct perf_buffer *rb;
	int ret;

	ret = perf_mmap_charge_pages(&paid, vma->vm_mm, nr_pages + 1);
	if (ret)
		return ret;
	rb = perf_buffer_alloc(nr_pages, attr->watermark ? attr->wakeup_watermark : 0,
			       READ_ONCE(event->cpu), !(vma->vm_flags & VM_WRITE));
	if (!rb) {
		perf_uncharge(&paid);
		return -ENOMEM;
	}

	mutex_lock(&rb->lock);
	if (perf_buffer_attach(rb, event)) {
		perf_buffer_share_if_elsewhere(rb, event);
		rb->charge = paid;
		perf_mmap_add(rb, event);
		vma->vm_private_data = rb;
	} else {
		perf_uncharge(&paid);
		ret = -EAGAIN;
	}
	mutex_unlock(&rb->lock);
	perf_buffer_put(rb);
	return ret;
}

static int perf_mmap_data(struct perf_event *event, struct vm_area_struct *vma)
{
	unsigned long nr_pages = vma_pages(vma) - 1;
	struct perf_buffer *rb;
	int ret;

	if (nr_pages && !is_power_of_2(nr_pages))
		return perf_refuse_value(PERF_REFUSED_MMAP_SIZE, (u64)vma_pages(vma) << PAGE_SHIFT);
	/* Retry each time that event->rb has changed. */
	do {
		rb = perf_buffer_lock(event);
		if (!rb) {
			ret = perf_mmap_new_data(event, vma, nr_pages);
			continue;
		}
		if (rb->nr_pages == nr_pages) {
			perf_mmap_add(rb, event);
			vma->vm_private_data = rb;
			ret = 0;
		} else {
			ret = perf_refuse_value(PERF_REFUSED_MMAP_OTHER_SIZE,
						(u64)vma_pages(vma) << PAGE_SHIFT);
		}
		perf_buffer_unlock(rb);
	} while (ret == -EAGAIN);

	if (!ret)
		vma->vm_ops = &perf_mmap_data_vm_ops;
	return ret;
}

/* Are the offset and size of the mapping those in the user page? User space writes them there. */
static bool perf_mmap_aux_place_ok(struct perf_buffer *rb, struct perf_aux *aux,
				   struct vm_area_struct *vma)
{
	u64 offset = READ_ONCE(rb->ring.user->aux_offset);
	u64 size = READ_ONCE(rb->ring.user->aux_size);
	unsigned long nr_pages = vma_pages(vma);

	if (offset < rb->ring.size + PAGE_SIZE || offset != (u64)vma->vm_pgoff << PAGE_SHIFT)
		return false;
	if (size != (u64)nr_pages << PAGE_SHIFT || !is_power_of_2(nr_pages))
		return false;
	return !aux || (aux->pgoff == vma->vm_pgoff && aux->nr_pages == nr_pages);
}

/* Allocate and charge an unpublished area. Return it with one reference, or an ERR_PTR(). */
static struct perf_aux *perf_mmap_make_aux(struct perf_buffer *rb, struct perf_event *event,
					   struct vm_area_struct *vma)
{
	struct perf_charge paid;
	struct perf_aux *aux;
	int err;

	err = perf_mmap_charge_pages(&paid, vma->vm_mm, vma_pages(vma));
	if (err)
		return ERR_PTR(err);
	aux = perf_aux_alloc(rb, event, vma->vm_pgoff, vma_pages(vma),
			     !(vma->vm_flags & VM_WRITE));
	if (IS_ERR(aux))
		perf_uncharge(&paid);
	else
		aux->charge = paid;
	return aux;
}

/* Map the buffer's area, or @fresh if the buffer has none. Return -EAGAIN if both are NULL. */
static int perf_mmap_aux_locked(struct perf_buffer *rb, struct perf_event *event,
				struct vm_area_struct *vma, struct perf_aux *fresh)
{
	struct perf_aux *aux = rcu_dereference_protected(rb->aux, lockdep_is_held(&rb->lock));

	if (!perf_mmap_aux_place_ok(rb, aux, vma))
		return perf_refuse_value(PERF_REFUSED_MMAP_AUX_PLACE,
					 (u64)vma->vm_pgoff << PAGE_SHIFT);
	if (!aux && !fresh)
		return -EAGAIN;
	perf_mmap_add_aux(aux ?: fresh, event);
	vma->vm_private_data = aux ?: fresh;
	vma->vm_ops = &perf_mmap_aux_vm_ops;
	if (!aux)
		rcu_assign_pointer(rb->aux, fresh);
	return 0;
}

/*
 * The allocation of an area may take long, so the buffer's lock is not held meanwhile. If another
 * task has changed the event's buffer since, the new buffer needs a new area. If another task has
 * mapped an area of the buffer since, the next round maps that area.
 */
static int perf_mmap_aux(struct perf_event *event, struct vm_area_struct *vma)
{
	struct perf_aux *fresh = NULL;
	struct perf_buffer *rb;
	int ret;

	while ((rb = perf_buffer_lock(event))) {
		ret = perf_mmap_aux_locked(rb, event, vma, fresh && fresh->rb == rb ? fresh : NULL);
		mutex_unlock(&rb->lock);
		if (fresh)
			perf_aux_put_now(fresh);
		fresh = ret == -EAGAIN ? perf_mmap_make_aux(rb, event, vma) : NULL;
		perf_delay(AUX_MADE);
		perf_buffer_put(rb);
		if (IS_ERR_OR_NULL(fresh))
			return fresh ? PTR_ERR(fresh) : ret;
	}
	/* The event has no buffer any more. */
	if (fresh)
		perf_aux_put_now(fresh);
	return perf_refuse(PERF_REFUSED_MMAP_AUX_FIRST);
}

static int perf_mmap_event(struct perf_event *event, struct vm_area_struct *vma)
{
	int ret;

	/* The ABI forbids this: the inherited events would write to the buffer on several CPUs. */
	if (event->cpu == -1 && event->attr.inherit)
		return perf_refuse(PERF_REFUSED_MMAP_INHERIT);
	if (!(vma->vm_flags & VM_SHARED))
		return perf_refuse(PERF_REFUSED_MMAP_PRIVATE);
	if (READ_ONCE(event->state) == PERF_EVENT_STATE_DEAD)
		return perf_refuse(PERF_REFUSED_EVENT_DEAD);
	ret = perf_refuse_error(PERF_REFUSED_SECURITY_MODULE, security_perf_event_read(event));
	if (ret)
		return ret;
	ret = perf_event_make_cold(event);
	if (ret)
		return ret;

	if (vma_pages(vma) > INT_MAX)
		return perf_refuse(PERF_REFUSED_MMAP_LENGTH);
	ret = vma->vm_pgoff ? perf_mmap_aux(event, vma) : perf_mmap_data(event, vma);
	if (ret)
		return ret;

	vm_flags_set(vma, VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP);
	perf_mmap_call_driver(vma, true);
	perf_event_refresh_userpage(event);
	return 0;
}

/**
 * perf_event_mmap_file - mmap(2) of an event's file
 * @file: file of an event
 * @vma: at offset 0: the user page and the records, 1 + 2^n pages or 1 page; at the offset that
 *	user space has written to the user page: the AUX area, 2^n pages
 *
 * If the event already has a buffer, the mapping must have the same size, and maps this buffer.
 *
 * Context: mmap_lock is held for writing.
 * Return: 0 on success, -EINVAL if flags, size or offset are not valid, -EPERM if the locked memory
 * exceeds the user's limits, -ENOMEM, -EOPNOTSUPP if the event has no AUX area, -ENODEV if it is
 * dead, or an error of the security module
 */
int perf_event_mmap_file(struct file *file, struct vm_area_struct *vma)
{
	perf_delay(CALL_MMAP);
	return perf_refusal_end(PERF_REFUSED_CALL_MMAP,
				perf_mmap_event(file->private_data, vma));
}
