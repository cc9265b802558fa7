// SPDX-License-Identifier: GPL-2.0
/*
 * The user page of an event, with the kernel's source (kernel/events/record/page_lock.h). Each
 * write stores one number in all words.
 *
 * - The ABI's reader, with compiler barriers alone. A signal interrupts its thread to write: reader
 *   and writer are on the CPU on which the event's context runs.
 * - A writer that signals interrupt to write: an NMI during an update.
 * - A reader with read barriers. The writer is in another thread, and signals interrupt the writer
 *   to write.
 * - Writers in two threads, which signals interrupt to write: two CPUs with a context each, whose
 *   events share a buffer. After each pause of both threads, the lock is even, and a write is
 *   complete.
 */
#include "harness.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WORDS	8

struct perf_event_mmap_page {
	u32	lock;
	u64	word[WORDS];
};

/* Several CPUs write. */
static bool contended;
/* The thread is within an operation on local_t: one instruction, which no interrupt splits. */
static __thread bool in_instruction;
static __thread u64 seed = 1;

/* Another CPU may access the variable between the load and the store of an instruction. */
static void split_instruction(void)
{
	if (!READ_ONCE(contended))
		return;
	if (harness_random(&seed) % 64)
		harness_dawdle(&seed, 20);
	else
		sched_yield();
}

#undef local_add
#undef local_add_return
#undef local_try_cmpxchg

static long local_add_return(long n, local_t *l)
{
	long value;

	in_instruction = true;
	barrier();
	value = READ_ONCE(l->counter) + n;
	split_instruction();
	WRITE_ONCE(l->counter, value);
	barrier();
	in_instruction = false;
	return value;
}

static void local_add(long n, local_t *l)
{
	local_add_return(n, l);
}

static bool local_try_cmpxchg(local_t *l, long *old, long new)
{
	long value;

	in_instruction = true;
	barrier();
	value = READ_ONCE(l->counter);
	split_instruction();
	if (value == *old)
		WRITE_ONCE(l->counter, new);
	barrier();
	in_instruction = false;
	if (value == *old)
		return true;
	*old = value;
	return false;
}

#include "record/page_lock.h"

static struct perf_event_mmap_page page ____cacheline_aligned;
static struct perf_page_lock lock ____cacheline_aligned;
static u64 shown, interrupts, reads, torn, odd, stale;
static u64 pauses[2];

/* The CPU that the thread simulates */
static __thread int this_cpu;

/* Increment @shown in one instruction, because an interrupt increments it, too. */
static void count_one(void)
{
	__atomic_add_fetch(&shown, 1, __ATOMIC_RELAXED);
}

/* Repeats the steps of perf_event_update_userpage(); @shown is the count in the page. */
static void update(void)
{
	int tries = PERF_PAGE_TRIES, i;
	long number;
	u64 value;

	while (perf_page_begin(&page, &lock, this_cpu, &number)) {
		value = READ_ONCE(shown);
		for (i = 0; i < WORDS; i++)
			WRITE_ONCE(page.word[i], value);
		if (perf_page_end(&page, &lock, number))
			break;
		if (!--tries) {
			perf_page_abort(&page, &lock);
			break;
		}
	}
}

static void nested_update(int signal)
{
	if (in_instruction)
		return;
	count_one();
	update();
	__atomic_add_fetch(&interrupts, 1, __ATOMIC_RELAXED);
}

/* Interrupt this thread repeatedly, on its own CPU. */
static timer_t interrupt_this_thread(void)
{
	struct itimerspec often = { { 0, 11000 }, { 0, 11000 } };
	struct sigevent event = {
		.sigev_notify	= SIGEV_THREAD_ID,
		.sigev_signo	= SIGUSR1,
	};
	timer_t timer;

	event._sigev_un._tid = syscall(SYS_gettid);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) ||
	    timer_settime(timer, 0, &often, NULL)) {
		printf("Bail out! no timer\n");
		exit(1);
	}
	return timer;
}

static bool all_equal(const u64 *words)
{
	int i;

	for (i = 1; i < WORDS; i++) {
		if (words[i] != words[0])
			return false;
	}
	return true;
}

/* Read the page as the ABI's header documents it. */
static void read_here(void *unused)
{
	u64 words[WORDS];
	u32 seq;
	timer_t timer = interrupt_this_thread();
	int i;

	while (harness_goes_on()) {
		do {
			seq = READ_ONCE(page.lock);
			barrier();
			for (i = 0; i < WORDS; i++)
				words[i] = READ_ONCE(page.word[i]);
			barrier();
		} while (READ_ONCE(page.lock) != seq);
		torn += !all_equal(words);
		odd += seq & 1;
		reads++;
	}
	timer_delete(timer);
}

static void write_interrupted(void *unused)
{
	timer_t timer = interrupt_this_thread();
	u64 value, seen;
	bool equal;
	u32 seq;

	while (harness_goes_on()) {
		update();
		/* If no later write follows, the page has the last count. */
		do {
			seq = READ_ONCE(page.lock);
			barrier();
			value = READ_ONCE(shown);
			seen = READ_ONCE(page.word[0]);
			equal = all_equal(page.word);
			barrier();
		} while (READ_ONCE(page.lock) != seq);
		torn += !equal;
		odd += seq & 1;
		stale += seen != value;
		reads++;
	}
	timer_delete(timer);
}

static void write_elsewhere(void *unused)
{
	timer_t timer = interrupt_this_thread();

	while (harness_goes_on()) {
		count_one();
		update();
		harness_dawdle(&seed, 100);
	}
	timer_delete(timer);
}

static void read_carefully(void *unused)
{
	u64 words[WORDS], last = 0;
	u32 seq;
	int i;

	while (harness_goes_on()) {
		seq = READ_ONCE(page.lock);
		/*
		 * Pairs with perf_page_end(): if lock is even, the words below are of a complete
		 * write.
		 */
		smp_rmb();
		for (i = 0; i < WORDS; i++)
			words[i] = READ_ONCE(page.word[i]);
		/*
		 * Pairs with perf_page_begin(): if a word above is of a later write, lock has
		 * changed.
		 */
		smp_rmb();
		if ((seq & 1) || READ_ONCE(page.lock) != seq)
			continue;
		torn += !all_equal(words);
		stale += (s64)(words[0] - last) < 0;
		last = words[0];
		reads++;
	}
}

/* Wait for the other thread. Return false at the end of the run. */
static bool pause_together(void)
{
	u64 mine = pauses[this_cpu] + 1;

	/* Each thread sees all stores of the other thread before the pause. */
	smp_store_release(&pauses[this_cpu], mine);
	/* Pairs with the store above. */
	while (smp_load_acquire(&pauses[!this_cpu]) < mine) {
		if (!harness_goes_on())
			return false;
		sched_yield();
	}
	return true;
}

static void write_with_another(void *cpu)
{
	sigset_t signal;
	timer_t timer;
	int i;

	this_cpu = (long)cpu;
	seed += this_cpu;
	sigemptyset(&signal);
	sigaddset(&signal, SIGUSR1);
	timer = interrupt_this_thread();
	do {
		for (i = 0; i < 100; i++) {
			count_one();
			update();
			harness_dawdle(&seed, 20);
		}
		pthread_sigmask(SIG_BLOCK, &signal, NULL);
		if (!pause_together())
			break;
		if (!this_cpu) {
			odd += page.lock & 1;
			count_one();
			update();
			odd += page.lock & 1;
			stale += page.word[0] != shown;
			torn += !all_equal(page.word);
			reads++;
		}
		if (!pause_together())
			break;
		pthread_sigmask(SIG_UNBLOCK, &signal, NULL);
	} while (harness_goes_on());
	timer_delete(timer);
}

static void run(const char *name, void (*one)(void *), void (*other)(void *), double seconds)
{
	struct harness_thread threads[] = { { one }, { other, (void *)1 } };
	unsigned int nr = other ? 2 : 1;

	reads = 0;
	torn = 0;
	odd = 0;
	stale = 0;
	interrupts = 0;
	contended = one == other;
	memset(pauses, 0, sizeof(pauses));
	local_set(&lock.number, 0);
	lock.cpu = PERF_PAGE_FREE;
	harness_run(threads, nr, seconds);
	ktap_note("%llu reads, %llu interrupts: %llu torn, %llu odd, %llu stale",
		  (unsigned long long)reads, (unsigned long long)interrupts,
		  (unsigned long long)torn, (unsigned long long)odd, (unsigned long long)stale);
	ktap_result(reads && interrupts && !torn && !odd && !stale, name);
}

int main(int argc, char **argv)
{
	double seconds = harness_seconds(argc, argv) / 4;

	signal(SIGUSR1, nested_update);
	harness_need(&reads);
	harness_need(&interrupts);
	ktap_plan(4);
	run("the ABI's reader on the CPU that writes", read_here, NULL, seconds);
	run("a writer within a writer", write_interrupted, NULL, seconds);
	run("a careful reader on another CPU", write_elsewhere, read_carefully, seconds);
	run("writers on two CPUs", write_with_another, write_with_another, seconds);
	return ktap_end();
}
