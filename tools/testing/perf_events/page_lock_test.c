// SPDX-License-Identifier: GPL-2.0
/*
 * The user page of an event, with the kernel's source (kernel/events/record/page_lock.h). Each
 * write stores one number in all words.
 *
 * - The ABI's reader, with compiler barriers alone, in a thread that a signal interrupts to write:
 *   the CPU on which the event's context runs.
 * - Writers that interrupt one another: an NMI within an update.
 * - A reader with read barriers in another thread than the writer, which is interrupted to write.
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

#include "record/page_lock.h"

static struct perf_event_mmap_page page ____cacheline_aligned;
static local_t lock ____cacheline_aligned;
static u64 shown, interrupts, reads, torn, odd, stale;

/* Increment in one instruction, because an interrupt increments it, too. */
static void count_one(void)
{
	__atomic_add_fetch(&shown, 1, __ATOMIC_RELAXED);
}

/* Follows perf_event_update_userpage(); @shown is the count in the page. */
static void update(void)
{
	int tries = PERF_PAGE_TRIES, i;
	u64 value;
	long mine;

	if (!perf_page_begin(&page, &lock))
		return;
	do {
		mine = local_read(&lock);
		value = READ_ONCE(shown);
		for (i = 0; i < WORDS; i++)
			WRITE_ONCE(page.word[i], value);
	} while (!perf_page_end(&page, &lock, mine) && --tries);
	if (!tries)
		perf_page_give_up(&page, &lock);
}

static void come_in(int signal)
{
	count_one();
	update();
	interrupts++;
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
	u64 seed = 1;

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
		 * Pairs with perf_page_end(): if lock is even, the words that are read are
		 * complete.
		 */
		smp_rmb();
		for (i = 0; i < WORDS; i++)
			words[i] = READ_ONCE(page.word[i]);
		/*
		 * Pairs with perf_page_begin(): if a word that was read has changed, lock has
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

static void run(const char *name, void (*one)(void *), void (*other)(void *), double seconds)
{
	struct harness_thread threads[] = { { one }, { other } };
	unsigned int nr = other ? 2 : 1;

	reads = 0;
	torn = 0;
	odd = 0;
	stale = 0;
	interrupts = 0;
	local_set(&lock, 0);
	harness_run(threads, nr, seconds);
	ktap_note("%llu reads, %llu interrupts: %llu torn, %llu odd, %llu stale",
		  (unsigned long long)reads, (unsigned long long)interrupts,
		  (unsigned long long)torn, (unsigned long long)odd, (unsigned long long)stale);
	ktap_result(reads && interrupts && !torn && !odd && !stale, name);
}

int main(int argc, char **argv)
{
	double seconds = harness_seconds(argc, argv) / 3;

	signal(SIGUSR1, come_in);
	harness_need(&reads);
	harness_need(&interrupts);
	ktap_plan(3);
	run("the ABI's reader on the CPU that writes", read_here, NULL, seconds);
	run("a writer within a writer", write_interrupted, NULL, seconds);
	run("a careful reader on another CPU", write_elsewhere, read_carefully, seconds);
	return ktap_end();
}
