// SPDX-License-Identifier: GPL-2.0
/*
 * Every order of mmap, munmap, close and redirection of three events. After each step the test
 * computes which event writes to which buffer, and checks this by one page fault.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_lib.h"
#include "pe_rounds.h"

#define EVENTS		3
#define NONE		-1
#define RECORD		24		/* header, IP, TID */
#define MAX_STEPS	12

/**
 * struct known - an event and its expected state
 * @fd: file descriptor, or NONE after close
 * @page: its mapping, or NULL
 * @writes_to: number of a buffer, or NONE
 * @maps: number of the buffer of @page, or NONE
 */
struct known {
	int fd;
	struct perf_event_mmap_page *page;
	int writes_to;
	int maps;
};

/**
 * struct order - an order of steps, and its progress
 * @events: the events
 * @nr_buffers: number of buffers made so far
 * @page_size: in bytes
 * @nr_steps: number of steps
 * @steps: numbers of steps, see do_step()
 */
struct order {
	struct known events[EVENTS];
	int nr_buffers;
	long page_size;
	int nr_steps;
	int steps[MAX_STEPS];
};

FIXTURE(orders) {
	struct order order;
};

FIXTURE_SETUP(orders)
{
	self->order.page_size = sysconf(_SC_PAGESIZE);
}

FIXTURE_TEARDOWN(orders)
{
}

static int start(struct order *order)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int i;

	a.disabled = 1;
	a.exclude_kernel = 1;
	a.sample_period = 1;
	a.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID;
	order->nr_buffers = 0;
	for (i = 0; i < EVENTS; i++) {
		struct known *e = &order->events[i];

		e->fd = pe_open(&a, 0, -1, -1, 0);
		if (e->fd < 0)
			return e->fd;
		e->page = NULL;
		e->writes_to = NONE;
		e->maps = NONE;
	}
	return 0;
}

static int map_count(struct order *order, int buffer)
{
	int i, n = 0;

	for (i = 0; i < EVENTS; i++)
		n += order->events[i].maps == buffer;
	return n;
}

static const char *do_map(struct order *order, struct known *e)
{
	void *p;

	if (e->fd == NONE || e->page)
		return NULL;
	p = mmap(NULL, 2 * order->page_size, PROT_READ | PROT_WRITE, MAP_SHARED, e->fd, 0);
	if (p == MAP_FAILED)
		return "mmap";
	e->page = p;
	if (e->writes_to == NONE)
		e->writes_to = order->nr_buffers++;
	e->maps = e->writes_to;
	return NULL;
}

static const char *do_unmap(struct order *order, struct known *e)
{
	int buffer = e->maps, i;

	if (!e->page)
		return NULL;
	/* A mapping cannot be unmapped in pieces. */
	if (!munmap(e->page, order->page_size) || errno != EINVAL)
		return "munmap of the first page";
	if (!munmap((char *)e->page + order->page_size, order->page_size) || errno != EINVAL)
		return "munmap of the last page";
	if (mremap(e->page, 2 * order->page_size, 3 * order->page_size, MREMAP_MAYMOVE) !=
	    MAP_FAILED)
		return "mremap to a larger size";
	if (munmap(e->page, 2 * order->page_size))
		return "munmap";
	e->page = NULL;
	e->maps = NONE;
	e->writes_to = NONE;
	if (!map_count(order, buffer)) {
		for (i = 0; i < EVENTS; i++) {
			if (order->events[i].writes_to == buffer)
				order->events[i].writes_to = NONE;
		}
	}
	return NULL;
}

static const char *do_close(struct known *e)
{
	if (e->fd == NONE)
		return NULL;
	if (close(e->fd))
		return "close";
	e->fd = NONE;
	/* A mapping holds the event: a closed event is freed only after it is unmapped. */
	if (!e->page)
		e->writes_to = NONE;
	return NULL;
}

static const char *do_redirect(struct known *e, struct known *to)
{
	int want = 0, ret;

	if (e->fd == NONE || (to && to->fd == NONE))
		return NULL;
	if (e->page || (to && to->writes_to == NONE))
		want = -EINVAL;
	ret = pe_ioctl(e->fd, PERF_EVENT_IOC_SET_OUTPUT, to ? to->fd : -1L);
	if (ret != want)
		return "PERF_EVENT_IOC_SET_OUTPUT";
	if (!ret)
		e->writes_to = to ? to->writes_to : NONE;
	return NULL;
}

/* mmap, munmap and close of each event; redirection of each to each other or to none */
#define NR_STEPS	(3 * EVENTS + EVENTS * EVENTS)

static const char *do_step(struct order *order, int step)
{
	struct known *events = order->events;
	int which = step % EVENTS, to;

	switch (step / EVENTS) {
	case 0:
		return do_map(order, &events[which]);
	case 1:
		return do_unmap(order, &events[which]);
	case 2:
		return do_close(&events[which]);
	default:
		to = step / EVENTS - 3;
		return do_redirect(&events[which], to == which ? NULL : &events[to]);
	}
}

/*
 * Cause one page fault in user mode: each event that has a buffer writes a
 * record.
 */
static const char *check(struct order *order)
{
	__u64 before[EVENTS];
	int i, k, writers;

	for (i = 0; i < EVENTS; i++) {
		struct known *e = &order->events[i];

		if (e->page)
			before[i] = e->page->data_head;
		if (e->fd != NONE) {
			struct pollfd p = { .fd = e->fd, .events = POLLIN };

			poll(&p, 1, 0);
			k = e->writes_to == NONE;
			if (k != !!(p.revents & POLLHUP))
				return "POLLHUP";
		}
	}

	prctl(PR_TASK_PERF_EVENTS_ENABLE);
	pe_fault(1);
	prctl(PR_TASK_PERF_EVENTS_DISABLE);

	for (i = 0; i < EVENTS; i++) {
		struct known *e = &order->events[i];

		if (!e->page)
			continue;
		for (k = 0, writers = 0; k < EVENTS; k++)
			writers += order->events[k].writes_to == e->maps;
		if (e->page->data_head - before[i] != writers * RECORD)
			return "number of records";
	}
	return NULL;
}

static const char *run(struct order *order)
{
	const char *wrong = NULL;
	int i;

	if (start(order))
		return "open";
	for (i = 0; i < order->nr_steps && !wrong; i++) {
		wrong = do_step(order, order->steps[i]);
		if (!wrong)
			wrong = check(order);
	}
	for (i = 0; i < EVENTS; i++) {
		if (order->events[i].fd != NONE)
			close(order->events[i].fd);
		if (order->events[i].page)
			munmap(order->events[i].page, 2 * order->page_size);
	}
	return wrong;
}

static void report(struct order *order, const char *wrong)
{
	int n;

	ksft_print_msg("%s, after steps", wrong);
	for (n = 0; n < order->nr_steps; n++)
		printf(" %d", order->steps[n]);
	printf("\n");
}

/*
 * Try every order of three steps after an mmap: without a buffer few steps have an effect. With
 * PE_PERCENT, try that part of them, evenly spread: the stride is a prime that does not divide
 * their number.
 */
TEST_F(orders, every_short_one)
{
	struct order *order = &self->order;
	const int all = NR_STEPS * NR_STEPS * NR_STEPS, stride = 1009;
	const char *wrong = NULL;
	int i, n;

	order->nr_steps = 4;
	for (i = 0; i < pe_rounds(all) && !wrong; i++) {
		n = i * stride % all;
		order->steps[0] = 0;
		order->steps[1] = n / (NR_STEPS * NR_STEPS);
		order->steps[2] = n / NR_STEPS % NR_STEPS;
		order->steps[3] = n % NR_STEPS;
		wrong = run(order);
	}
	if (wrong)
		report(order, wrong);
	EXPECT_EQ(NULL, wrong);
}

TEST_F(orders, some_long_ones)
{
	struct order *order = &self->order;
	const char *wrong = NULL;
	time_t end = time(NULL) + 60;
	int n, i;

	srandom(1);
	order->nr_steps = MAX_STEPS;
	/* The host may stop the machine for this time: run at least one order. */
	for (n = 0; n < pe_rounds(1500) && !wrong && (!n || time(NULL) < end); n++) {
		for (i = 0; i < MAX_STEPS; i++) {
			int step = random() % NR_STEPS;

			/*
			 * Close only in the second half: closing earlier would leave few steps with
			 * an effect.
			 */
			if (step / EVENTS == 2 && i < MAX_STEPS / 2)
				step -= 2 * EVENTS;
			order->steps[i] = step;
		}
		wrong = run(order);
	}
	if (wrong)
		report(order, wrong);
	EXPECT_EQ(NULL, wrong);
}

TEST_HARNESS_MAIN
