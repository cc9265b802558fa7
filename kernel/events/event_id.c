// SPDX-License-Identifier: GPL-2.0
/* Unique ids of events */
#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/kconfig.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/types.h>

#include "event_id.h"

/*
 * The highest id allocated so far, for an event or in the block of a CPU. In a cache line of
 * its own, because several CPUs write it.
 */
static struct {
	atomic64_t last;
} ____cacheline_aligned_in_smp perf_event_ids;

static_assert(!IS_ENABLED(CONFIG_SMP) || sizeof(perf_event_ids) % SMP_CACHE_BYTES == 0);

#define IDS_AT_ONCE	64	/* ids that a CPU reserves for forks */
#define FEW_IDS		16	/* maximum number of a CPU's ids that a fork takes */

/**
 * struct id_block - ids that a CPU has reserved for inherited events
 * @next: first free id
 * @end: end of the block
 *
 * Used only by its CPU, in process context with preemption off.
 */
struct id_block {
	u64	next;
	u64	end;
};

static DEFINE_PER_CPU(struct id_block, id_block);

/**
 * perf_event_id_alloc_many - allocate ids for the inherited events of a fork
 * @nr: number of ids
 *
 * Groups with the same runtime are scheduled in the order of their ids, so ids must increase within
 * a context. The inherited events of a fork have consecutive ids, and an event that is opened later
 * has a higher id from perf_event_id_new(). Ids of inherited events from different CPUs have no
 * order.
 *
 * Context: process context.
 * Return: the first of @nr consecutive ids
 */
u64 perf_event_id_alloc_many(unsigned int nr)
{
	struct id_block *block;
	u64 first;

	if (nr > FEW_IDS)
		return atomic64_add_return(nr, &perf_event_ids.last) - nr + 1;

	guard(preempt)();
	block = this_cpu_ptr(&id_block);
	if (block->end - block->next < nr) {
		block->end = atomic64_add_return(IDS_AT_ONCE, &perf_event_ids.last) + 1;
		block->next = block->end - IDS_AT_ONCE;
	}
	first = block->next;
	block->next += nr;
	return first;
}

/**
 * perf_event_id_new - allocate an id that is higher than all others
 *
 * Context: any.
 * Return: the id
 */
u64 perf_event_id_new(void)
{
	return atomic64_inc_return(&perf_event_ids.last);
}
