// SPDX-License-Identifier: GPL-2.0
/*
 * Threads map, unmap, redirect, open and close the same events, which write records. No call
 * may hang, and afterwards everything must work as before.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_lib.h"
#include "pe_rounds.h"
#include "pe_sample.h"

#define EVENTS		3
#define SECONDS		8
#define PAGES		50

static int fds[EVENTS];
static atomic_bool stop;
static size_t page_size;

static struct perf_event_attr fault_samples(void)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);

	a.sample_period = 1;
	a.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID;
	a.wakeup_events = 1;
	return a;
}

/* All threads are on one CPU, so that the others interrupt this one at any instruction. */
static void *fault_always(void *arg)
{
	pe_move_to(0);
	while (!stop)
		pe_fault(16);
	return NULL;
}

static void *map_and_unmap(void *arg)
{
	int fd = fds[(uintptr_t)arg];
	struct perf_event_mmap_page *p;

	pe_move_to((uintptr_t)arg % pe_cpu_count());
	while (!stop) {
		p = mmap(NULL, 3 * page_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (p == MAP_FAILED)
			continue;
		p->data_tail = p->data_head;
		munmap(p, 3 * page_size);
	}
	return NULL;
}

static void *redirect(void *arg)
{
	unsigned int seed = (uintptr_t)arg;

	while (!stop) {
		int fd = fds[rand_r(&seed) % EVENTS], to = rand_r(&seed) % (EVENTS + 1);
		struct pollfd p = { .fd = fd, .events = POLLIN };

		pe_ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, to < EVENTS ? fds[to] : -1UL);
		if (!(rand_r(&seed) % 16))
			pe_ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, rand_r(&seed) % 2);
		poll(&p, 1, 0);
	}
	return NULL;
}

static void *open_and_close(void *arg)
{
	struct perf_event_attr a = fault_samples();

	while (!stop) {
		int fd = pe_open(&a, -1, 0, -1, 0);
		void *p;

		if (fd < 0)
			continue;
		pe_ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, fds[0]);
		p = mmap(NULL, 3 * page_size, PROT_READ, MAP_SHARED, fd, 0);
		pe_fault(2);
		/* The mapping holds the event for a while. */
		close(fd);
		pe_fault(2);
		if (p != MAP_FAILED)
			munmap(p, 3 * page_size);
	}
	return NULL;
}

TEST(all_at_once)
{
	static void *(*const jobs[])(void *) = {
		fault_always, map_and_unmap, map_and_unmap, map_and_unmap,
		redirect, redirect, open_and_close,
	};
	static const uintptr_t args[] = { 0, 0, 1, 2, 7, 8, 0 };
	pthread_t threads[PE_ARRAY_SIZE(jobs)];
	struct perf_event_attr a = fault_samples();
	struct pe_ring ring;
	unsigned int i, n;

	page_size = sysconf(_SC_PAGESIZE);
	for (i = 0; i < EVENTS; i++) {
		fds[i] = pe_open(&a, -1, 0, -1, 0);
		ASSERT_LE(0, fds[i]);
	}
	for (i = 0; i < PE_ARRAY_SIZE(jobs); i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, jobs[i], (void *)args[i]));
	sleep(pe_rounds(SECONDS));
	stop = true;
	for (i = 0; i < PE_ARRAY_SIZE(jobs); i++)
		pthread_join(threads[i], NULL);

	/* No mapping is left, so no buffer is left either. */
	ASSERT_EQ(0, pe_move_to(0));
	for (i = 0; i < EVENTS; i++) {
		struct pollfd p = { .fd = fds[i], .events = POLLIN };

		EXPECT_EQ(1, poll(&p, 1, 0));
		EXPECT_EQ(POLLHUP, p.revents);
		EXPECT_EQ(-EINVAL, pe_ioctl(fds[i], PERF_EVENT_IOC_PAUSE_OUTPUT, 0));

		ASSERT_EQ(0, pe_ring_map(&ring, fds[i], 4));
		pe_fault(PAGES);
		n = pe_ring_drop(&ring, PERF_RECORD_SAMPLE);
		EXPECT_LE(PAGES, n);
		EXPECT_NE(~0U, n);
		pe_ring_unmap(&ring);
		close(fds[i]);
	}
}

TEST_HARNESS_MAIN
