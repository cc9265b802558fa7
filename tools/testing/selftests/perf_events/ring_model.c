// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's own code for positions in a ring of records, run in user space:
 * writers interrupt one another at random steps, and a reader gives room back
 * whenever it likes.
 *
 * For longer runs, under the sanitizers: ring_model [runs [seed]]
 */
#include <assert.h>
#include <limits.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/perf_event.h>

#include "../kselftest.h"

/* What that code needs of the kernel. */
struct local_value {
	long v;
};

#define u64			uint64_t
#define local_t			struct local_value

#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)
#define READ_ONCE(x)		__atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, val)	__atomic_store_n(&(x), val, __ATOMIC_RELAXED)
#define barrier()		__atomic_signal_fence(__ATOMIC_SEQ_CST)
#define smp_wmb()		barrier() /* the reader is called from the writer */
#define smp_rmb()		barrier()
#define local_read(l)		READ_ONCE((l)->v)
#define local_set(l, i)		WRITE_ONCE((l)->v, i)
#define local_add(i, l)		__atomic_fetch_add(&(l)->v, i, __ATOMIC_RELAXED)
#define local_inc(l)		local_add(1, l)
#define container_of(p, type, m) ((type *)((char *)(p) - offsetof(type, m)))

static long local_xchg(local_t *l, long new)
{
	long old = l->v;

	l->v = new;
	return old;
}

static bool local_try_cmpxchg(local_t *l, long *old, long new)
{
	if (l->v != *old) {
		*old = l->v;
		return false;
	}
	l->v = new;
	return true;
}

/* One thread, and no signals: what interrupts comes in between two of these. */
struct atomic_value {
	long v;
};

#define atomic_long_t		struct atomic_value
#define atomic_long_read(l)	READ_ONCE((l)->v)
#define atomic_long_fetch_andnot_release(i, l) ((l)->v &= ~(i))
#define noinline

static long atomic_long_xchg(atomic_long_t *l, long new)
{
	long old = l->v;

	l->v = new;
	return old;
}

static bool atomic_long_try_cmpxchg(atomic_long_t *l, long *old, long new)
{
	if (l->v != *old) {
		*old = l->v;
		return false;
	}
	l->v = new;
	return true;
}

static long atomic_long_add_return(long i, atomic_long_t *l)
{
	return l->v += i;
}

static long atomic_long_sub_return(long i, atomic_long_t *l)
{
	return l->v -= i;
}

static long atomic_long_fetch_xor(long i, atomic_long_t *l)
{
	long old = l->v;

	l->v ^= i;
	return old;
}

#include "../../../../kernel/events/tests/ring_model.h"

static u64 rnd_state;

static unsigned int rnd(unsigned int below)
{
	rnd_state ^= rnd_state << 13;
	rnd_state ^= rnd_state >> 7;
	rnd_state ^= rnd_state << 17;
	return (rnd_state >> 32) % below;
}

static unsigned int interrupt_odds;

static void model_interrupt(struct ring_model *model)
{
	/* The reader, on another CPU. */
	if (!rnd(16) && !model->ring.overwrite) {
		model_read(model, true);
		if (rnd(2))
			model->page.data_tail = model->read;
	}
	if (model->level < MODEL_LEVELS && !rnd(interrupt_odds)) {
		model->words[model->level] = 1 + rnd(rnd(8) ? 6 : 40);
		model_write(model);
	}
}

static void run(struct ring_model *model)
{
	unsigned long start = rnd(2) ? rnd(1024) * 8 : -(unsigned long)rnd(1024) * 8;
	unsigned int i;

	model_reset(model, 64UL << rnd(7), start);
	model->backward = rnd(2);
	model->is_shared = rnd(2);
	model->consume = rnd(4);
	model->ring.overwrite = !rnd(4);
	model->ring.watermark = 1 + rnd(model->ring.size);
	local_set(&model->ring.mark, model->backward ? -start : start);
	interrupt_odds = 2 + rnd(60);
	for (i = 0; i < 200 && !model->fault; i++) {
		model->words[0] = 1 + rnd(rnd(8) ? 6 : 40);
		model_write(model);
		model_settle(model);
	}
}

int main(int argc, char **argv)
{
	unsigned long long records = 0, lost = 0;
	static struct ring_model model;
	long runs = argc > 1 ? atol(argv[1]) : 100;

	rnd_state = argc > 2 ? strtoull(argv[2], NULL, 0) : 88172645463325252ULL;
	ksft_print_header();
	ksft_set_plan(1);
	while (runs-- && !model.fault) {
		u64 seed = rnd_state;

		run(&model);
		records += model.attempts;
		lost += model.told_lost;
		if (model.fault)
			ksft_print_msg("%s: seed %llu, size %lu, %s, %s, %s, record %lu\n",
				       model.fault, (unsigned long long)seed, model.ring.size,
				       model.is_shared ? "shared" : "alone",
				       model.backward ? "backward" : "forward",
				       model.ring.overwrite ? "overwrite" : "with tail",
				       model.attempts);
	}
	ksft_print_msg("%llu records, %llu told lost\n", records, lost);
	ksft_test_result(!model.fault, "ring model\n");
	ksft_finished();
}
