/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How the page that shows an event is written while user space reads it.
 *
 * The reader that the ABI describes loads page->lock before and after it copies
 * the fields that it wants, and starts again when the two differ. It has compiler
 * barriers only, and accepts an odd number as well as an even one. That is enough
 * for a reader on the CPU that writes, since a write is one step for it.
 * perf_event_update_userpage() writes on the CPU of that reader only.
 *
 * A reader on another CPU is right if it also has read barriers, and starts again
 * when the number is odd.
 *
 * An NMI may want to write the page in the middle of another write. It only
 * changes the number, which stays odd, and the writer that it has interrupted
 * writes everything once more: the number is never even while the page is half
 * written.
 *
 * User space can write to page->lock. So the number is kept in the kernel, and
 * page->lock is only a copy of it. No increment is lost when writers interrupt one
 * another: page->lock is odd while the page is written, and even afterwards,
 * whatever user space has stored there before.
 *
 * No kernel context is needed here: a program in user space includes this file,
 * with a signal for an NMI.
 */
#ifndef _KERNEL_EVENTS_PAGE_LOCK_H
#define _KERNEL_EVENTS_PAGE_LOCK_H

/* A writer writes the page at most so many times because others have interrupted it. */
#define PERF_PAGE_TRIES		4

/**
 * perf_page_begin - begin to write the page
 * @page: the page
 * @lock: the number behind page->lock
 *
 * Called on one CPU at a time, with preemption off, in any context, also while
 * another writer is between perf_page_begin() and perf_page_end(). The values to
 * be written must be read after this.
 * Return: true when the caller is to write the page and call perf_page_end();
 * false when it has interrupted another writer, which will write the new values.
 */
static __always_inline bool perf_page_begin(struct perf_event_mmap_page *page, local_t *lock)
{
	/* An interruption after this look leaves an even number even, an odd one odd. */
	if (unlikely(local_read(lock) & 1)) {
		local_add(2, lock);
		return false;
	}
	WRITE_ONCE(page->lock, local_add_return(1, lock));
	/* Pairs with a read barrier that a careful reader has before its last look. */
	smp_wmb();
	return true;
}

/**
 * perf_page_end - end what perf_page_begin() began
 * @page: the page
 * @lock: the number behind page->lock
 * @mine: local_read() of it, before the first word was written
 *
 * Return: false when another writer (an NMI) has come in meanwhile: some words
 * may be older than its, and all are to be written again.
 */
static __always_inline bool perf_page_end(struct perf_event_mmap_page *page, local_t *lock,
					  long mine)
{
	/* Pairs with the read barrier that a careful reader has after its first look. */
	smp_wmb();
	if (unlikely(!local_try_cmpxchg(lock, &mine, mine + 1)))
		return false;
	/*
	 * A writer that interrupts this one here publishes a later number first,
	 * and then this number is published. That does no harm: no other content
	 * of the page has ever had either of the two numbers.
	 */
	WRITE_ONCE(page->lock, mine + 1);
	return true;
}

/**
 * perf_page_give_up - end a write that was interrupted by writers every time
 * @page: the page
 * @lock: the number behind page->lock
 *
 * Called in place of perf_page_end(). The next write brings the page up to date.
 */
static inline void perf_page_give_up(struct perf_event_mmap_page *page, local_t *lock)
{
	WRITE_ONCE(page->lock, local_add_return(1, lock));
}

#endif /* _KERNEL_EVENTS_PAGE_LOCK_H */
