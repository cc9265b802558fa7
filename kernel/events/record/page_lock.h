/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Protocol for writing the user page while user space reads it.
 *
 * The reader that the ABI describes loads page->lock before and after it copies the fields, and
 * retries if the two values differ. This reader has only compiler barriers, and accepts odd
 * numbers, too. That is enough on the CPU that writes the page, where a reader sees each write as
 * atomic. perf_event_update_userpage() writes only on the CPU of that reader.
 *
 * A reader on another CPU must also have read barriers, and retry if the number is odd.
 *
 * An NMI may find a write of its own CPU in progress. The NMI then only increments the number by 2,
 * and the interrupted writer writes all fields again: page->lock is never even while the page is
 * half written.
 *
 * User space can write to page->lock. So the number is kept in the kernel, and page->lock is only
 * a copy: each write overwrites a value that user space has stored there. No increment is lost when
 * writers of one CPU interrupt each other.
 *
 * Two events of different contexts may be mapped through one buffer, so two CPUs may write at the
 * same time. Writers of different CPUs do not wait for each other: the fields may be mixed, and an
 * increment may be lost. But a writer never waits for a write of another CPU to end, and its last
 * store to page->lock is even. So page->lock is even when all writes have ended.
 *
 * This file needs no kernel context: a test program in user space includes it, and uses a
 * signal as the NMI.
 */
#ifndef _KERNEL_EVENTS_PAGE_LOCK_H
#define _KERNEL_EVENTS_PAGE_LOCK_H

/* Maximum number of attempts of a writer that is interrupted by other writers */
#define PERF_PAGE_TRIES		4

/* perf_page_lock::cpu while no CPU writes */
#define PERF_PAGE_FREE		(-1)

/**
 * struct perf_page_lock - the kernel's part of page->lock
 * @number: page->lock after the last write; even
 * @cpu: the CPU that has begun to write, or PERF_PAGE_FREE. A CPU finds its own number here only
 *	while it interrupts its own write: at the end of a write it stores PERF_PAGE_FREE
 */
struct perf_page_lock {
	local_t	number;
	int	cpu;
};

/**
 * perf_page_begin - begin to write the user page
 * @page: the page
 * @lock: the kernel's part of page->lock
 * @cpu: this CPU
 * @number: set for perf_page_end()
 *
 * The caller must read the values to be written after this call. The call after a failed
 * perf_page_end() returns true.
 *
 * Context: any, preemption is off.
 * Return: true if the caller must write the page and call perf_page_end(); false if it has
 * interrupted another writer, which will write the new values
 */
static __always_inline bool perf_page_begin(struct perf_event_mmap_page *page,
					    struct perf_page_lock *lock, int cpu, long *number)
{
	if (unlikely(READ_ONCE(lock->cpu) == cpu)) {
		local_add(2, &lock->number);
		return false;
	}
	/* From this store on, an NMI leaves the write to this writer. */
	WRITE_ONCE(lock->cpu, cpu);
	*number = local_read(&lock->number);
	WRITE_ONCE(page->lock, *number + 1);
	/* Pairs with the reader's read barrier before its last load of the lock. */
	smp_wmb();
	return true;
}

/**
 * perf_page_end - end a write of the user page
 * @page: the page
 * @lock: the kernel's part of page->lock
 * @number: from perf_page_begin()
 *
 * Return: true on success, false if another writer has interrupted the write: the caller must begin
 * again and write all values, as some may be older than those of the other writer
 */
static __always_inline bool perf_page_end(struct perf_event_mmap_page *page,
					  struct perf_page_lock *lock, long number)
{
	/* Pairs with the reader's read barrier after its first load of the lock. */
	smp_wmb();
	/*
	 * From here on, an NMI writes the page itself. An NMI before this has incremented
	 * lock->number, and the cmpxchg fails.
	 */
	WRITE_ONCE(lock->cpu, PERF_PAGE_FREE);
	if (unlikely(!local_try_cmpxchg(&lock->number, &number, number + 2)))
		return false;
	/*
	 * An NMI here writes the page, and a later number to page->lock, which the store below
	 * overwrites. That is harmless: neither number was published with any other content.
	 */
	WRITE_ONCE(page->lock, number + 2);
	return true;
}

/**
 * perf_page_abort - end a write that was interrupted in each attempt
 * @page: the page
 * @lock: the kernel's part of page->lock
 *
 * Called after perf_page_end() has failed. The next write updates the page.
 */
static inline void perf_page_abort(struct perf_event_mmap_page *page, struct perf_page_lock *lock)
{
	WRITE_ONCE(page->lock, local_add_return(2, &lock->number));
}

#endif /* _KERNEL_EVENTS_PAGE_LOCK_H */
