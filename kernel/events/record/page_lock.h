/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Protocol for writing the user page while user space reads it.
 *
 * The reader that the ABI describes loads page->lock before and after it copies the fields,
 * and retries if the two values differ. It has only compiler barriers, and accepts an odd
 * number as well as an even one. That is enough on the CPU that writes, where the write is
 * atomic for it. perf_event_update_userpage() writes only on the CPU of that reader.
 *
 * A reader on another CPU must also have read barriers, and retry if the number is odd.
 *
 * An NMI may find a write in progress. It then only increments the number by 2, and the
 * interrupted writer writes all fields again: the number is never even while the page is half
 * written.
 *
 * User space can write to page->lock. So the number is kept in the kernel, and page->lock is
 * only a copy. No increment is lost when writers interrupt each other: page->lock is set to
 * an odd number when a write begins, and to an even number when it ends. A value that user
 * space has stored there is overwritten.
 *
 * This file needs no kernel context: a test program in user space includes it, and uses a
 * signal as the NMI.
 */
#ifndef _KERNEL_EVENTS_PAGE_LOCK_H
#define _KERNEL_EVENTS_PAGE_LOCK_H

/* Number of attempts of a writer that is interrupted by other writers */
#define PERF_PAGE_TRIES		4

/**
 * perf_page_begin - begin to write the user page
 * @page: the page
 * @lock: the number that page->lock is a copy of
 *
 * Called on one CPU at a time, also while an interrupted writer is between perf_page_begin() and
 * perf_page_end(). The caller must read the values to be written after this call.
 *
 * Context: any, preemption is off.
 * Return: true if the caller must write the page and call perf_page_end(); false if it has
 * interrupted another writer, which will write the new values
 */
static __always_inline bool perf_page_begin(struct perf_event_mmap_page *page, local_t *lock)
{
	/* An NMI between this load and the add leaves an even number even, and an odd one odd. */
	if (unlikely(local_read(lock) & 1)) {
		local_add(2, lock);
		return false;
	}
	WRITE_ONCE(page->lock, local_add_return(1, lock));
	/* Pairs with the reader's read barrier before its last load of the lock. */
	smp_wmb();
	return true;
}

/**
 * perf_page_end - end a write of the user page
 * @page: the page
 * @lock: the number that page->lock is a copy of
 * @mine: local_read() of @lock before the first store to the page
 *
 * Return: true on success, false if an NMI has interrupted the write: the caller must write all
 * values again, as some may be older than the NMI's
 */
static __always_inline bool perf_page_end(struct perf_event_mmap_page *page, local_t *lock,
					  long mine)
{
	/* Pairs with the reader's read barrier after its first load of the lock. */
	smp_wmb();
	if (unlikely(!local_try_cmpxchg(lock, &mine, mine + 1)))
		return false;
	/*
	 * An NMI here publishes a later number before this number is published. That is
	 * harmless: no other content of the page ever had either number.
	 */
	WRITE_ONCE(page->lock, mine + 1);
	return true;
}

/**
 * perf_page_give_up - end a write that was interrupted in each attempt
 * @page: the page
 * @lock: the number that page->lock is a copy of
 *
 * Called instead of perf_page_end(). The next write updates the page.
 */
static inline void perf_page_give_up(struct perf_event_mmap_page *page, local_t *lock)
{
	WRITE_ONCE(page->lock, local_add_return(1, lock));
}

#endif /* _KERNEL_EVENTS_PAGE_LOCK_H */
