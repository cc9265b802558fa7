/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Protocol for writing the user page while user space reads it.
 *
 * The reader in the ABI's description loads page->lock before and after it copies the fields, and
 * retries if the two values differ. It has only compiler barriers, and accepts odd numbers.
 * perf_event_update_userpage() writes only on the CPU of this reader: a write interrupts the
 * reader, and is complete when the reader continues. So such a reader never sees half a write.
 *
 * A reader on another CPU also needs read barriers, and must retry if the number is odd.
 *
 * An NMI may find a write of its own CPU in progress. The NMI then only increments the number by 2,
 * and the interrupted writer writes all fields again. So page->lock is never even while the page is
 * half written.
 *
 * User space can write to page->lock. So the kernel keeps the number in its own memory, and
 * page->lock is only a copy: each write overwrites the value that user space has stored. No
 * increment is lost when writers of one CPU interrupt each other.
 *
 * Two events of different contexts may be mapped through one buffer, so two CPUs may write at the
 * same time. Neither waits for the other: the page may have fields of both, and an increment may be
 * lost. But the last store of each writer to page->lock is even. So page->lock is even when all
 * writes have ended.
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
 * @cpu: the CPU that has begun to write, or PERF_PAGE_FREE. The end of a write stores
 *	PERF_PAGE_FREE, so a CPU finds its own number here only if it interrupts its own write
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
 * The caller must read the values for the page after this call. After a failed perf_page_end(),
 * the next call returns true.
 *
 * Context: any, preemption is off.
 * Return: true if the caller must write the page and call perf_page_end(); false if the caller has
 * interrupted another writer, and that writer will write the new values
 */
static __always_inline bool perf_page_begin(struct perf_event_mmap_page *page,
					    struct perf_page_lock *lock, int cpu, long *number)
{
	if (unlikely(READ_ONCE(lock->cpu) == cpu)) {
		local_add(2, &lock->number);
		return false;
	}
	/* An NMI after this store leaves the write to this writer. */
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
 * Return: true on success; false if another writer has interrupted the write. Then some values may
 * be older than those of the other writer, so the caller must begin again and write all values
 */
static __always_inline bool perf_page_end(struct perf_event_mmap_page *page,
					  struct perf_page_lock *lock, long number)
{
	/* Pairs with the reader's read barrier after its first load of the lock. */
	smp_wmb();
	/*
	 * An NMI after this store writes the page itself. An NMI before this store has incremented
	 * lock->number, so the cmpxchg fails.
	 */
	WRITE_ONCE(lock->cpu, PERF_PAGE_FREE);
	if (unlikely(!local_try_cmpxchg(&lock->number, &number, number + 2)))
		return false;
	/*
	 * An NMI here writes the page, and a later number to page->lock. The store below overwrites
	 * this number by an earlier one. A reader can see both numbers, but only with the fields
	 * that the NMI has written.
	 */
	WRITE_ONCE(page->lock, number + 2);
	return true;
}

/**
 * perf_page_abort - end a write that was interrupted in each attempt
 * @page: the page
 * @lock: the kernel's part of page->lock
 *
 * Called after perf_page_end() has failed. The page is correct again after the next write.
 */
static inline void perf_page_abort(struct perf_event_mmap_page *page, struct perf_page_lock *lock)
{
	WRITE_ONCE(page->lock, local_add_return(2, &lock->number));
}

#endif /* _KERNEL_EVENTS_PAGE_LOCK_H */
