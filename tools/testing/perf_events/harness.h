/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the programs in this directory: the kernel's primitives for a thread that simulates a
 * CPU, threads that start and stop together, and KTAP. Barriers are exactly as strong as the
 * kernel's on the host's architecture: on x86 smp_rmb() and smp_wmb() are compiler barriers. A
 * thread may be preempted for long, as a virtual CPU may be.
 */
#ifndef _TOOLS_TESTING_PERF_EVENTS_HARNESS_H
#define _TOOLS_TESTING_PERF_EVENTS_HARNESS_H

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int32_t s32;
typedef int64_t s64;

/* Compiler */

#ifndef __always_inline
#define __always_inline		inline __attribute__((__always_inline__))
#endif
#define noinline		__attribute__((__noinline__))
#define __maybe_unused		__attribute__((__unused__))
#define ____cacheline_aligned	__attribute__((__aligned__(64)))
#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)
#define barrier()		__asm__ __volatile__("" : : : "memory")
#define READ_ONCE(x)		(*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, val)	(*(volatile __typeof__(x) *)&(x) = (val))
#define data_race(expr)		(expr)
#define WARN_ON_ONCE(cond)	harness_warn(cond, #cond, __FILE__, __LINE__)
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define container_of(ptr, type, member) \
	((type *)((char *)(ptr) - offsetof(type, member)))
#define ALIGN_DOWN(x, a)	((x) & ~((__typeof__(x))(a) - 1))
#define ALIGN(x, a)		ALIGN_DOWN((x) + ((a) - 1), a)
#define min(a, b)		((a) < (b) ? (a) : (b))
#define max(a, b)		((a) > (b) ? (a) : (b))
#define min_t(type, a, b)	((type)(a) < (type)(b) ? (type)(a) : (type)(b))
#define clamp_t(type, v, lo, hi)	min_t(type, max_t(type, v, lo), hi)
#define max_t(type, a, b)	((type)(a) > (type)(b) ? (type)(a) : (type)(b))

/* Only the first warning is printed; any warning fails the program. */
static bool harness_warned;

static inline bool harness_warn(bool cond, const char *what, const char *file, int line)
{
	if (unlikely(cond) && !__atomic_exchange_n(&harness_warned, true, __ATOMIC_RELAXED))
		printf("# %s:%d: %s\n", file, line, what);
	return cond;
}

/* Barriers */

#if defined(__x86_64__)
#define smp_mb()		__asm__ __volatile__("lock; addl $0,-132(%%rsp)" ::: "memory", "cc")
#define smp_rmb()		barrier()
#define smp_wmb()		barrier()
#define cpu_relax()		__asm__ __volatile__("rep; nop" ::: "memory")
#else
#define smp_mb()		__atomic_thread_fence(__ATOMIC_SEQ_CST)
#define smp_rmb()		__atomic_thread_fence(__ATOMIC_ACQUIRE)
#define smp_wmb()		__atomic_thread_fence(__ATOMIC_RELEASE)
#define cpu_relax()		barrier()
#endif
#define smp_load_acquire(p)	__atomic_load_n(p, __ATOMIC_ACQUIRE)
#define smp_store_release(p, v)	__atomic_store_n(p, v, __ATOMIC_RELEASE)
#if defined(__x86_64__)
#define smp_store_mb(var, value) \
	((void)__atomic_exchange_n(&(var), value, __ATOMIC_SEQ_CST))
#else
#define smp_store_mb(var, value) \
	do { WRITE_ONCE(var, value); smp_mb(); } while (0)
#endif

/* Atomics; those that return a value are full barriers. */

typedef struct { int counter; } atomic_t;
typedef struct { s64 counter; } atomic64_t;
typedef struct { long counter; } local_t;

typedef struct { long counter; } atomic_long_t;

#define atomic_read(a)			READ_ONCE((a)->counter)
#define atomic_set(a, v)		WRITE_ONCE((a)->counter, v)
#define atomic_inc(a) \
	((void)__atomic_fetch_add(&(a)->counter, 1, __ATOMIC_RELAXED))
#define atomic_add_return(n, a)		__atomic_add_fetch(&(a)->counter, n, __ATOMIC_SEQ_CST)
#define atomic_xchg(a, v)		__atomic_exchange_n(&(a)->counter, v, __ATOMIC_SEQ_CST)
#define atomic_try_cmpxchg(a, old, new) \
	__atomic_compare_exchange_n(&(a)->counter, old, new, false, __ATOMIC_SEQ_CST, \
				    __ATOMIC_RELAXED)
#define atomic64_read(a)		atomic_read(a)
#define atomic64_set(a, v)		atomic_set(a, v)
#define atomic64_read_acquire(a)	smp_load_acquire(&(a)->counter)
#define atomic64_set_release(a, v)	smp_store_release(&(a)->counter, v)
#define atomic64_add_return(n, a)	atomic_add_return(n, a)
#define atomic64_try_cmpxchg(a, o, n)	atomic_try_cmpxchg(a, o, n)

#define atomic_long_read(a)		atomic_read(a)
#define atomic_long_xchg(a, v)		atomic_xchg(a, v)
#define atomic_long_try_cmpxchg(a, o, n) atomic_try_cmpxchg(a, o, n)
#define atomic_long_add_return(n, a)	atomic_add_return(n, a)
#define atomic_long_sub_return(n, a)	__atomic_sub_fetch(&(a)->counter, n, __ATOMIC_SEQ_CST)
#define atomic_long_fetch_xor(n, a)	__atomic_fetch_xor(&(a)->counter, n, __ATOMIC_SEQ_CST)
#define atomic_long_fetch_andnot_release(n, a) \
	__atomic_fetch_and(&(a)->counter, ~(n), __ATOMIC_RELEASE)

/* Counters of one thread and its interrupts: no ordering towards other threads. */
#define local_read(l)			READ_ONCE((l)->counter)
#define local_set(l, v)			WRITE_ONCE((l)->counter, v)
#define local_add(n, l) \
	((void)__atomic_fetch_add(&(l)->counter, n, __ATOMIC_RELAXED))
#define local_add_return(n, l)		__atomic_add_fetch(&(l)->counter, n, __ATOMIC_RELAXED)
#define local_inc(l)			local_add(1, l)
#define local_xchg(l, v)		__atomic_exchange_n(&(l)->counter, v, __ATOMIC_RELAXED)
#define local_try_cmpxchg(l, old, new) \
	__atomic_compare_exchange_n(&(l)->counter, old, new, false, __ATOMIC_RELAXED, \
				    __ATOMIC_RELAXED)

/* A lock whose waiters yield the host's CPU, as its holder may be preempted. */
typedef struct { int locked; } raw_spinlock_t;

static inline bool raw_spin_trylock(raw_spinlock_t *lock)
{
	return !__atomic_exchange_n(&lock->locked, 1, __ATOMIC_ACQUIRE);
}

static inline void raw_spin_lock(raw_spinlock_t *lock)
{
	int tries = 0;

	while (!raw_spin_trylock(lock)) {
		if (++tries % 1024)
			cpu_relax();
		else
			sched_yield();
	}
}

static inline void raw_spin_unlock(raw_spinlock_t *lock)
{
	smp_store_release(&lock->locked, 0);
}

/* Threads */

static bool harness_stopped;
static unsigned int harness_waiting;

/* Should the thread continue? */
static inline bool harness_goes_on(void)
{
	return !READ_ONCE(harness_stopped);
}

/**
 * struct harness_thread - a thread that simulates a CPU
 * @func: its function, which runs until harness_goes_on() returns false
 * @arg: argument of @func
 * @id: set when the thread starts
 */
struct harness_thread {
	void		(*func)(void *arg);
	void		*arg;
	pthread_t	id;
};

static void *harness_start(void *data)
{
	struct harness_thread *thread = data;

	__atomic_fetch_sub(&harness_waiting, 1, __ATOMIC_ACQ_REL);
	while (smp_load_acquire(&harness_waiting))
		sched_yield();
	thread->func(thread->arg);
	return NULL;
}

/*
 * Increment *@count if @happened, in several threads at once. A plain addition, even of 0, might
 * overwrite the increment of another thread, and a fault would not be counted.
 */
static inline void harness_count(u64 *count, bool happened)
{
	if (happened)
		__atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
}

/* Parse the program's argument: the time to run in seconds. */
static inline double harness_seconds(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 1;

	return seconds > 0 ? seconds : 1;
}

/* Counts that must not stay 0, and the time limit of harness_run() for them */
#define HARNESS_NEEDS		4
#define HARNESS_PATIENCE	60
static const u64 *harness_needs[HARNESS_NEEDS];

/*
 * Make harness_run() continue until *@count is not 0, beyond its time if necessary: on a busy host
 * a thread may not have met the case that it tests.
 */
static inline void harness_need(const u64 *count)
{
	unsigned int i = 0;

	while (i < HARNESS_NEEDS && harness_needs[i])
		i++;
	assert(i < HARNESS_NEEDS);
	harness_needs[i] = count;
}

/* Make a program without one of its barriers run until it has counted a fault. */
static inline void harness_need_fault(const u64 *faults)
{
#ifdef BROKEN
	harness_need(faults);
#endif
}

static inline bool harness_has_all(void)
{
	unsigned int i;

	for (i = 0; i < HARNESS_NEEDS && harness_needs[i]; i++) {
		if (!READ_ONCE(*harness_needs[i]))
			return false;
	}
	return true;
}

/* Run all threads at once for that time and until harness_has_all(), and join them. */
static inline void harness_run(struct harness_thread *threads, unsigned int nr, double seconds)
{
	struct timespec span = { (time_t)seconds, (seconds - (time_t)seconds) * 1e9 };
	unsigned int i, more = HARNESS_PATIENCE;

	harness_stopped = false;
	harness_waiting = nr;
	for (i = 0; i < nr; i++) {
		if (pthread_create(&threads[i].id, NULL, harness_start, &threads[i])) {
			printf("Bail out! no thread\n");
			exit(1);
		}
	}
	nanosleep(&span, NULL);
	while (!harness_has_all() && more--)
		sleep(1);
	WRITE_ONCE(harness_stopped, true);
	for (i = 0; i < nr; i++)
		pthread_join(threads[i].id, NULL);
}

/* Return a pseudo-random number; each thread has a @state of its own, which is not 0. */
static inline u32 harness_random(u64 *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state >> 32;
}

/* Spend up to @most iterations in an empty loop, so that threads meet at different instructions. */
static inline void harness_dawdle(u64 *state, unsigned int most)
{
	unsigned int n = harness_random(state) % (most + 1);

	while (n--)
		barrier();
}

/* KTAP */

static unsigned int ktap_number, ktap_failed, ktap_planned;

static inline void ktap_plan(unsigned int nr)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("KTAP version 1\n1..%u\n", nr);
	ktap_planned = nr;
}

__attribute__((__format__(__printf__, 1, 2)))
static inline void ktap_note(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("# ", stdout);
	vprintf(format, args);
	putchar('\n');
	va_end(args);
}

static inline void ktap_result(bool ok, const char *name)
{
	ktap_failed += !ok;
	printf("%sok %u %s\n", ok ? "" : "not ", ++ktap_number, name);
}

/* A wrong number of results is a failure. Return: the exit status of main(). */
static inline int ktap_end(void)
{
	if (ktap_number != ktap_planned)
		ktap_note("%u results of a plan of %u", ktap_number, ktap_planned);
	return ktap_failed || harness_warned || ktap_number != ktap_planned ? 1 : 0;
}

#endif /* _TOOLS_TESTING_PERF_EVENTS_HARNESS_H */
