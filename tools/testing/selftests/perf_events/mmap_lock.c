// SPDX-License-Identifier: GPL-2.0
/*
 * The control page's lock, for a reader that has only compiler barriers, as in
 * include/uapi/linux/perf_event.h: a task reads the page of an event of its own, while tasks on
 * other CPUs change the event. Such a reader requires that no other CPU writes the page while it
 * runs.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_rounds.h"
#include "pe_sample.h"

#define READ_ONCE(x)	__atomic_load_n(&(x), __ATOMIC_RELAXED)
#define barrier()	({ __asm__ __volatile__("" : : : "memory"); })
#define RUN_MS	3000
#define MOST_ROUNDS	1000000

/**
 * struct reader - the task that reads its event's page
 * @thread: the thread
 * @tid: its id, 0 before it runs
 * @page: the page, NULL before it is mapped
 * @stop: asks the thread to exit
 * @reads: number of reads
 * @odd: number of reads during a write of the page
 * @torn: number of reads with times of two different moments
 * @changes: number of reads that saw a change
 */
struct reader {
	pthread_t thread;
	pid_t tid;
	struct perf_event_mmap_page *page;
	int stop;
	unsigned long reads;
	unsigned long odd;
	unsigned long torn;
	unsigned long changes;
};

static void *read_page(void *arg)
{
	struct perf_event_mmap_page *page;
	struct reader *r = arg;
	__u64 enabled, running, last = 0;
	__u32 seq;

	pe_move_to(1);
	__atomic_store_n(&r->tid, syscall(__NR_gettid), __ATOMIC_RELEASE);
	while (!(page = __atomic_load_n(&r->page, __ATOMIC_ACQUIRE)))
		;
	while (!__atomic_load_n(&r->stop, __ATOMIC_RELAXED)) {
		do {
			seq = READ_ONCE(page->lock);
			barrier();
			enabled = READ_ONCE(page->time_enabled);
			running = READ_ONCE(page->time_running);
			barrier();
		} while (READ_ONCE(page->lock) != seq);
		r->reads++;
		r->odd += seq & 1;
		/*
		 * A software event counts whenever its task runs, so both
		 * times must be equal.
		 */
		r->torn += enabled != running;
		if (enabled != last)
			__atomic_add_fetch(&r->changes, 1, __ATOMIC_RELAXED);
		last = enabled;
	}
	return NULL;
}

static long long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

/*
 * Change the event as often as the time allows, and until the reader has seen that the page
 * changes, if it ever does: the host may stop the machine for longer than the time.
 */
static unsigned long change_from_elsewhere(struct reader *r, int fd, size_t len)
{
	long long end = now_ms() + pe_rounds(RUN_MS);
	unsigned long rounds = 0;
	void *again;

	do {
		pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		pe_ioctl(fd, PERF_EVENT_IOC_RESET, 0);
		again = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (again != MAP_FAILED)
			munmap(again, len);
		rounds++;
	} while (now_ms() < end || (rounds < MOST_ROUNDS &&
				    __atomic_load_n(&r->changes, __ATOMIC_RELAXED) < 2));
	return rounds;
}

TEST(page_is_not_written_while_its_reader_runs)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct reader r = {};
	struct pe_ring ring;
	unsigned long rounds;
	int fd;

	if (!getenv("PE_HARD"))
		SKIP(return, "6.12 writes the page from any CPU");
	if (pe_cpu_count() < 2)
		SKIP(return, "needs two CPUs");
	pe_move_to(0);
	ASSERT_EQ(0, pthread_create(&r.thread, NULL, read_page, &r));
	while (!__atomic_load_n(&r.tid, __ATOMIC_ACQUIRE))
		pe_sleep_ms(1);
	fd = pe_open(&a, r.tid, -1, -1, 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_ring_map(&ring, fd, 1));
	__atomic_store_n(&r.page, ring.page, __ATOMIC_RELEASE);

	rounds = change_from_elsewhere(&r, fd, ring.len);
	__atomic_store_n(&r.stop, 1, __ATOMIC_RELAXED);
	pthread_join(r.thread, NULL);
	TH_LOG("%lu rounds, %lu reads: %lu odd, %lu torn, %lu changes", rounds, r.reads, r.odd,
	       r.torn, r.changes);
	EXPECT_NE(0, rounds);
	EXPECT_NE(0, r.reads);
	/* Unless the page has changed between reads, this test shows nothing. */
	EXPECT_LT(1, r.changes);
	EXPECT_EQ(0, r.odd);
	EXPECT_EQ(0, r.torn);
	/* After the last write the lock is even, for any order of writers. */
	EXPECT_EQ(0, ring.page->lock & 1);
	pe_ring_unmap(&ring);
	close(fd);
}

/* User space may write to the lock; the kernel does not rely on its value. */
TEST(lock_that_user_space_makes_odd_is_even_again)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct pe_ring ring;
	int fd;

	if (!getenv("PE_HARD"))
		SKIP(return, "6.12 relies on the lock's value in the page");
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_ring_map(&ring, fd, 1));
	EXPECT_EQ(0, ring.page->lock & 1);
	ring.page->lock++;
	ASSERT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_RESET, 0));
	EXPECT_EQ(0, READ_ONCE(ring.page->lock) & 1);
	pe_ring_unmap(&ring);
	close(fd);
}

/*
 * RESET sets the page's count to zero at once, for an event of any task, also of a task that has
 * exited.
 */
TEST(reset_shows_on_the_page)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct pe_ring ring;
	int fd;

	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_ring_map(&ring, fd, 1));
	pe_fault(5);
	ASSERT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	if (getenv("PE_HARD"))
		EXPECT_LE(5, ring.page->offset);
	ASSERT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_RESET, 0));
	EXPECT_EQ(0, ring.page->offset);
	pe_ring_unmap(&ring);
	close(fd);
}

TEST(reset_shows_on_the_page_of_a_task_that_is_gone)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct pe_child c;
	struct pe_ring ring;
	int fd;

	ASSERT_EQ(0, pe_child_start(&c));
	fd = pe_open(&a, c.pid, -1, -1, 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_ring_map(&ring, fd, 1));
	ASSERT_EQ(0, pe_child_do(&c, PE_FAULT, 4));
	ASSERT_EQ(0, pe_child_end(&c));
	EXPECT_LE(4, pe_count(fd));
	/* A new mapping shows the count, which RESET then clears. */
	pe_ring_unmap(&ring);
	ASSERT_EQ(0, pe_ring_map(&ring, fd, 1));
	EXPECT_LE(4, ring.page->offset);
	ASSERT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_RESET, 0));
	EXPECT_EQ(0, ring.page->offset);
	EXPECT_EQ(0, ring.page->lock & 1);
	pe_ring_unmap(&ring);
	close(fd);
}

TEST_HARNESS_MAIN
