// SPDX-License-Identifier: GPL-2.0
/*
 * Ids of events, which no two events share.
 */
#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/kconfig.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/types.h>

#include "event_id.h"

/*
 * The highest id that has been given to an event, or to a CPU for the copies it makes; alone in
 * its cache line, which CPUs take from one another.
 */
static struct {
	atomic64_t last;
} ____cacheline_aligned_in_smp perf_event_ids;

static_assert(!IS_ENABLED(CONFIG_SMP) || sizeof(perf_event_ids) % SMP_CACHE_BYTES == 0);

#define IDS_AT_ONCE	64	/* that a CPU takes for copies */
#define FEW_IDS		16	/* are taken from these */

/**
 * struct id_block - ids that a CPU may give to copies
 * @next: the first of them
 * @end: the first behind them
 *
 * Used by the CPU alone, in process context with preemption off.
 */
struct id_block {
	u64	next;
	u64	end;
};

static DEFINE_PER_CPU(struct id_block, id_block);

/**
 * perf_event_id_take - take ids for the copies that a fork makes
 * @nr: how many
 *
 * Groups of one age go on in the order of their ids. So ids rise within a context: those
 * of the copies with which a task begins are in a row, and an event that is opened later
 * has a higher one from perf_event_id_new(). Ids of copies that are made on two CPUs may
 * be in any order. Process context. Return: the first of @nr ids in a row.
 */
u64 perf_event_id_take(unsigned int nr)
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
 * perf_event_id_new - take an id that is higher than all that have been taken
 *
 * Any context. Return: the id.
 */
u64 perf_event_id_new(void)
{
	return atomic64_inc_return(&perf_event_ids.last);
}
