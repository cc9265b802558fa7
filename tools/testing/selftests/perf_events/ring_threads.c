// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's code for a shared ring, run in user space by parallel threads, with signals in place
 * of interrupts. Each record must be read once and complete, or be counted as lost. At the end all
 * records must have been published. For longer runs: ring_threads [records [threads [seed]]]
 */
#include <assert.h>
#include <limits.h>
#include <linux/types.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <linux/perf_event.h>

#include "../kselftest.h"

/* Definitions of the kernel for the included header */
struct atomic_value {
	long v;
};

#define u64			uint64_t
#define local_t			struct atomic_value
#define atomic_long_t		struct atomic_value

#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)
#define noinline
#define READ_ONCE(x)		__atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, val)	__atomic_store_n(&(x), val, __ATOMIC_RELAXED)
#define barrier()		__atomic_signal_fence(__ATOMIC_SEQ_CST)
/* These barriers are exactly as strong as the header requires. */
#define smp_wmb()		__atomic_thread_fence(__ATOMIC_RELEASE)
/* as above */
#define smp_rmb()		__atomic_thread_fence(__ATOMIC_ACQUIRE)
/* as above */
#define smp_mb()		__atomic_thread_fence(__ATOMIC_SEQ_CST)

/* Only for rings that are not shared: not used here. */
#define local_read(l)		READ_ONCE((l)->v)
#define local_set(l, i)		WRITE_ONCE((l)->v, i)
#define local_add(i, l)		__atomic_fetch_add(&(l)->v, i, __ATOMIC_RELAXED)
#define local_inc(l)		local_add(1, l)
#define local_xchg(l, i)	__atomic_exchange_n(&(l)->v, i, __ATOMIC_RELAXED)
#define local_try_cmpxchg(l, old, new)	atomic_long_try_cmpxchg(l, old, new)

#define atomic_long_read(l)		READ_ONCE((l)->v)
#define atomic_long_xchg(l, i)		__atomic_exchange_n(&(l)->v, i, __ATOMIC_SEQ_CST)
#define atomic_long_add_return(i, l)	__atomic_add_fetch(&(l)->v, i, __ATOMIC_SEQ_CST)
#define atomic_long_sub_return(i, l)	__atomic_sub_fetch(&(l)->v, i, __ATOMIC_SEQ_CST)
#define atomic_long_fetch_xor(i, l)	__atomic_fetch_xor(&(l)->v, i, __ATOMIC_SEQ_CST)
#define atomic_long_fetch_andnot_release(i, l) \
	__atomic_fetch_and(&(l)->v, ~(i), __ATOMIC_RELEASE)

static bool atomic_long_try_cmpxchg(atomic_long_t *l, long *old, long new)
{
	return __atomic_compare_exchange_n(&l->v, old, new, false, __ATOMIC_SEQ_CST,
					   __ATOMIC_SEQ_CST);
}

/* At some steps yield the CPU to another thread. */
static __thread unsigned long noise;

static void step(void)
{
	noise = noise * 6364136223846793005UL + 1442695040888963407UL;
	if (!(noise >> 55 & 0x1ff))
		sched_yield();
}

#define PERF_RING_STEP(ring)	((void)(ring), step())
#include "../../../../kernel/events/record/ring_shared.h"

#define SIZE		1024UL
#define THREADS_MAX	64
#define WORDS_MAX	8

static struct perf_event_mmap_page page;
static struct perf_ring ring = { .size = SIZE, .watermark = SIZE / 4, .user = &page };
static struct perf_shared_ring shared;
static u64 data[SIZE / sizeof(u64)];

static struct {
	pthread_t	thread;
	u64		written;	/* records of the thread and its signal handler */
} writers[THREADS_MAX];

static __thread unsigned int me;
static unsigned int threads = 3, ended;
static unsigned long records = 100000, lost, attempts, wakeups;
static const char *fault;

/* The first word of a record has its writer, its number and its length in words. */
static void write_record(void)
{
	/*
	 * A signal handler takes the next number, so the numbers of one writer
	 * are not in order.
	 */
	u64 number = __atomic_add_fetch(&writers[me].written, 1, __ATOMIC_RELAXED);
	unsigned int words = 1 + (noise >> 40) % WORDS_MAX, i;
	unsigned long ticket, start;
	u64 first = (u64)me << 56 | number << 8 | words;

	__atomic_fetch_add(&attempts, 1, __ATOMIC_RELAXED);
	ticket = perf_ring_reserve_shared(&ring, &shared, words * 8, false, &start);
	if (!ticket) {
		__atomic_fetch_add(&lost, 1, __ATOMIC_RELAXED);
		/* The reader needs a CPU, too. */
		sched_yield();
		return;
	}
	for (i = 0; i < words; i++) {
		WRITE_ONCE(data[(start / 8 + i) % (SIZE / 8)], first + i * 0x9e3779b97f4a7c15ULL);
		step();
	}
	if (perf_ring_commit(&ring, &shared, ticket)) {
		__atomic_fetch_add(&wakeups, 1, __ATOMIC_RELAXED);
		perf_ring_flush(&ring, &shared, false);
	}
}

static void on_signal(int sig)
{
	write_record();
}

static void *writer(void *arg)
{
	unsigned long i;

	me = (unsigned long)arg;
	noise += me * 0x9e3779b97f4a7c15UL;
	for (i = 0; i < records; i++) {
		write_record();
		step();
	}
	__atomic_fetch_add(&ended, 1, __ATOMIC_RELEASE);
	return NULL;
}

/* Check the record at *@pos, and advance *@pos. */
static void read_record(u64 *pos, u64 head)
{
	u64 first = READ_ONCE(data[*pos / 8 % (SIZE / 8)]);
	unsigned int words = first & 0xff, by = first >> 56, i;

	if (!words || words > WORDS_MAX || words * 8 > head - *pos || by >= threads) {
		fault = "invalid header of a record";
		return;
	}
	for (i = 1; i < words; i++) {
		if (READ_ONCE(data[(*pos / 8 + i) % (SIZE / 8)]) !=
		    first + i * 0x9e3779b97f4a7c15ULL)
			fault = "a record is not complete";
	}
	/* Clear the record, so that it cannot be mistaken for a later one. */
	for (i = 0; i < words; i++)
		WRITE_ONCE(data[(*pos / 8 + i) % (SIZE / 8)], 0);
	*pos += words * 8;
}

static unsigned long read_all(void)
{
	u64 head = READ_ONCE(page.data_head), pos = page.data_tail;
	unsigned long got = 0;

	smp_rmb(); /* the head before the records */
	if (head - pos >= SIZE)
		fault = "more bytes are published than the ring has";
	for (; pos != head && !fault; got++)
		read_record(&pos, head);
	smp_mb(); /* the records before the tail */
	WRITE_ONCE(page.data_tail, pos);
	return got;
}

int main(int argc, char **argv)
{
	struct sigaction act = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	unsigned long got = 0, i, signals = 0, seed;

	if (argc > 1)
		records = strtoul(argv[1], NULL, 0);
	if (argc > 2)
		threads = strtoul(argv[2], NULL, 0) % (THREADS_MAX + 1);
	seed = argc > 3 ? strtoul(argv[3], NULL, 0) : time(NULL);
	noise = seed;
	ksft_print_header();
	ksft_set_plan(1);
	sigaction(SIGUSR1, &act, NULL);
	for (i = 0; i < threads; i++) {
		if (pthread_create(&writers[i].thread, NULL, writer, (void *)i))
			ksft_exit_fail_msg("no thread\n");
	}
	while (__atomic_load_n(&ended, __ATOMIC_ACQUIRE) < threads && !fault) {
		got += read_all();
		step();
		/* Threads are joined later, so the thread exists and gets the signal. */
		if (!(noise >> 50 & 0x3f) && !pthread_kill(writers[(noise >> 40) % threads].thread,
							   SIGUSR1))
			signals++;
	}
	for (i = 0; i < threads; i++)
		pthread_join(writers[i].thread, NULL);
	got += read_all();
	if (!fault && got + lost != attempts)
		fault = "records read and lost do not add up to records written";
	if (!fault && !got)
		fault = "all records are lost";
	if (!fault && (page.data_tail != (shared.head.v & PERF_RING_POSITION) ||
		       shared.head.v & PERF_RING_CLOSING || shared.committed[0].v ||
		       shared.committed[1].v))
		fault = "at the end some records are not published";
	if (!fault && got > SIZE && !wakeups)
		fault = "the reader was never woken";
	ksft_print_msg("seed %lu: %lu records, %lu lost, %lu wake-ups, %lu signals%s%s\n", seed,
		       got, lost, wakeups, signals, fault ? ": " : "", fault ?: "");
	ksft_test_result(!fault, "ring of several writers\n");
	ksft_finished();
}
