/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How the page that shows an event is written while user space reads it.
 *
 * The reader that the ABI describes takes page->lock before and after it copies
 * what it wants, and again when the two differ; between them it has compiler
 * barriers alone, and it takes an odd number as well as an even one. That is
 * enough for a reader on the CPU that writes, for which a write is one step.
 * perf_event_update_userpage() sees to it that there is no other one.
 *
 * A reader elsewhere is right if it has read barriers, too, and takes no odd
 * number.
 *
 * An NMI may want to write the page in the middle of another write. It only
 * changes the number, which stays odd, and the writer that it has interrupted
 * writes everything once more: the page is never even and half written.
 *
 * The number is ours, and the page only has a copy of it: user space can write
 * there. No increment is lost, whoever comes in between: the page's is odd while
 * it is written and even afterwards, whatever it was before.
 *
 * No kernel context is needed here: a program in user space includes this file,
 * with a signal for an NMI.
 */
#ifndef _KERNEL_EVENTS_PAGE_LOCK_H
#define _KERNEL_EVENTS_PAGE_LOCK_H

/* So often a writer begins again because another one has come in between. */
#define PERF_PAGE_TRIES		4

/**
 * perf_page_begin - begin to write the page
 * @page: the page
 * @lock: the number behind page->lock
 *
 * On one CPU at a time, preemption off; any context, also within another write,
 * between its perf_page_begin() and perf_page_end(). What is written is read
 * from here on.
 * Return: false within another write, which will write what has changed; nothing
 * is left to do. True otherwise: perf_page_end() follows.
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
	 * A writer that comes in here publishes a later number, and this one is shown
	 * after it: no other content has ever had either.
	 */
	WRITE_ONCE(page->lock, mine + 1);
	return true;
}

/**
 * perf_page_give_up - end a write that others have always come into
 * @page: the page
 * @lock: the number behind page->lock
 *
 * The page is brought up to date by the next write. In place of perf_page_end().
 */
static inline void perf_page_give_up(struct perf_event_mmap_page *page, local_t *lock)
{
	WRITE_ONCE(page->lock, local_add_return(1, lock));
}

#endif /* _KERNEL_EVENTS_PAGE_LOCK_H */
