/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RCU for threads that simulate CPUs: the count of a thread is odd in a read-side section.
 */
#ifndef _TOOLS_TESTING_PERF_EVENTS_RCU_H
#define _TOOLS_TESTING_PERF_EVENTS_RCU_H

#include "harness.h"

#define RCU_THREADS	4

/* State of each thread that has read-side sections. */
static struct {
	unsigned int count;
} ____cacheline_aligned rcu_threads[RCU_THREADS];

#define rcu_dereference(p)		READ_ONCE(p)
#define rcu_assign_pointer(p, v)	smp_store_release(&(p), v)

static inline void rcu_read_lock(unsigned int thread)
{
	WRITE_ONCE(rcu_threads[thread].count, rcu_threads[thread].count + 1);
	/*
	 * Pairs with synchronize_rcu(): either synchronize_rcu() sees the section, or the section
	 * sees all stores before synchronize_rcu().
	 */
	smp_mb();
}

static inline void rcu_read_unlock(unsigned int thread)
{
	/*
	 * Pairs with synchronize_rcu(): if synchronize_rcu() sees this count, it sees all accesses
	 * of the section as done.
	 */
	smp_store_release(&rcu_threads[thread].count, rcu_threads[thread].count + 1);
}

/* Wait until each section that has started is over. The caller must not be in a section. */
static inline void synchronize_rcu(void)
{
	unsigned int i, seen, tries = 0;

	smp_mb();
	for (i = 0; i < RCU_THREADS; i++) {
		seen = smp_load_acquire(&rcu_threads[i].count);
		while ((seen & 1) && smp_load_acquire(&rcu_threads[i].count) == seen) {
			if (++tries % 1024)
				cpu_relax();
			else
				sched_yield();
		}
	}
	smp_mb();
}

#endif /* _TOOLS_TESTING_PERF_EVENTS_RCU_H */
