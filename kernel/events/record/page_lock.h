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
 * A reader elsewhere that has read barriers, too, and takes no odd number, is
 * right unless an NMI writes the page in the middle of another write: then the
 * number is even between the end of the inner one and that of the outer one.
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
 * On one CPU at a time, preemption off; any context, also within another one
 * between its perf_page_begin() and perf_page_end(). What is written is read
 * from here on.
 * Return: for perf_page_end().
 */
static __always_inline u32 perf_page_begin(struct perf_event_mmap_page *page, local_t *lock)
{
	/* In one step: two writers with one number would pass for one. */
	u32 mine = local_add_return(2, lock);

	WRITE_ONCE(page->lock, mine - 1);
	/* Pairs with a read barrier that a careful reader has before its last look. */
	smp_wmb();
	return mine;
}

/**
 * perf_page_end - end what perf_page_begin() began
 * @page: the page
 * @lock: the number behind page->lock
 * @mine: what that returned
 *
 * Return: false when another one (an NMI) has come in meanwhile: what has been
 * written over it may be older, and is to be written again.
 */
static __always_inline bool perf_page_end(struct perf_event_mmap_page *page, const local_t *lock,
					  u32 mine)
{
	/* Pairs with the read barrier that a careful reader has after its first look. */
	smp_wmb();
	if (unlikely((u32)local_read(lock) != mine))
		return false;
	WRITE_ONCE(page->lock, mine);
	return true;
}

#endif /* _KERNEL_EVENTS_PAGE_LOCK_H */
