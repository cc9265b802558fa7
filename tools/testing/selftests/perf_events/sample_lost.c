// SPDX-License-Identifier: GPL-2.0
/*
 * Full, paused and overwritten buffers; wakeups and signals.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_sample.h"

static struct pe_record rec;

FIXTURE(buffer) {
	struct perf_event_attr a;
	struct pe_ring ring;
	int fd;
};

FIXTURE_SETUP(buffer)
{
	self->a = pe_attr_off(PERF_COUNT_SW_PAGE_FAULTS);
	self->a.sample_period = 1;
	self->a.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_ADDR;
	self->a.wakeup_events = 1;
	self->fd = -1;
}

FIXTURE_TEARDOWN(buffer)
{
	if (self->fd >= 0) {
		pe_ring_unmap(&self->ring);
		close(self->fd);
	}
}

static int start(struct perf_event_attr *attr, struct pe_ring *ring, int pages)
{
	int fd = pe_self(attr), ret;

	if (fd < 0)
		return fd;
	ret = pe_ring_map(ring, fd, pages);
	if (ret)
		return ret;
	pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	pe_fault(1);
	pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	pe_ring_drop(ring, 0);
	return fd;
}

static void faults(int fd, unsigned int nr)
{
	pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	pe_fault(nr);
	pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
}

TEST_F(buffer, wraps_around)
{
	int round;

	self->fd = start(&self->a, &self->ring, 1);
	ASSERT_LE(0, self->fd);
	for (round = 0; round < 50; round++) {
		faults(self->fd, 100);
		EXPECT_EQ(100, pe_ring_drop(&self->ring, PERF_RECORD_SAMPLE));
	}
	EXPECT_LT(5000 * 24, self->ring.page->data_head);
}

TEST_F(buffer, full)
{
	__u64 lost[2], value[2], head;
	unsigned int kept, nr;

	/*
	 * Records that do not fit are lost. A LOST record reports them when there is space again.
	 */
	self->a.read_format = PERF_FORMAT_LOST;
	self->fd = start(&self->a, &self->ring, 1);
	ASSERT_LE(0, self->fd);
	nr = self->ring.size / 8;
	faults(self->fd, nr - 1);
	head = self->ring.page->data_head;
	faults(self->fd, 1);
	EXPECT_EQ(head, self->ring.page->data_head);
	EXPECT_GE(self->ring.size, head - self->ring.page->data_tail);
	ASSERT_EQ(16, read(self->fd, value, sizeof(value)));
	kept = pe_ring_drop(&self->ring, PERF_RECORD_SAMPLE);
	EXPECT_LT(self->ring.size / 24 - 5, kept);
	EXPECT_GE(self->ring.size / 24, kept);
	EXPECT_EQ(nr - kept, value[1]);

	faults(self->fd, 1);
	ASSERT_EQ(1, pe_ring_next(&self->ring, &rec));
	ASSERT_EQ(PERF_RECORD_LOST, rec.head.type);
	ASSERT_EQ(24, rec.head.size);
	memcpy(lost, rec.body, sizeof(lost));
	EXPECT_EQ(pe_id(self->fd), lost[0]);
	EXPECT_EQ(nr - kept, lost[1]);
	ASSERT_EQ(1, pe_ring_next(&self->ring, &rec));
	EXPECT_EQ(PERF_RECORD_SAMPLE, rec.head.type);
	EXPECT_EQ(0, pe_ring_next(&self->ring, &rec));
	ASSERT_EQ(16, read(self->fd, value, sizeof(value)));
	EXPECT_EQ(nr - kept, value[1]);
}

TEST_F(buffer, paused)
{
	__u64 head;

	self->fd = start(&self->a, &self->ring, 4);
	ASSERT_LE(0, self->fd);
	head = self->ring.page->data_head;
	ASSERT_EQ(0, pe_ioctl(self->fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1));
	faults(self->fd, 10);
	EXPECT_EQ(head, self->ring.page->data_head);
	ASSERT_EQ(0, pe_ioctl(self->fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 0));
	faults(self->fd, 10);
	/* Records that the buffer missed while it was paused count as lost. */
	ASSERT_EQ(1, pe_ring_next(&self->ring, &rec));
	EXPECT_EQ(PERF_RECORD_LOST, rec.head.type);
	EXPECT_EQ(10, pe_ring_drop(&self->ring, PERF_RECORD_SAMPLE));
}

TEST_F(buffer, poll_every_event)
{
	struct pollfd p = { .events = POLLIN };

	self->fd = start(&self->a, &self->ring, 4);
	ASSERT_LE(0, self->fd);
	p.fd = self->fd;
	poll(&p, 1, 0);
	EXPECT_EQ(0, poll(&p, 1, 0));
	faults(self->fd, 1);
	EXPECT_EQ(1, poll(&p, 1, 20000));
	EXPECT_EQ(POLLIN, p.revents & POLLIN);
	/* poll(2) reports records once: unread records are not reported again. */
	EXPECT_EQ(0, poll(&p, 1, 0));
}

TEST_F(buffer, poll_every_few_events)
{
	struct pollfd p = { .events = POLLIN };
	int i, woken = 0;

	self->a.wakeup_events = 5;
	self->fd = start(&self->a, &self->ring, 4);
	ASSERT_LE(0, self->fd);
	p.fd = self->fd;
	poll(&p, 1, 0);
	for (i = 0; i < 50; i++) {
		faults(self->fd, 1);
		woken += poll(&p, 1, 0) == 1;
	}
	EXPECT_EQ(10, woken);
}

TEST_F(buffer, poll_at_a_watermark)
{
	struct pollfd p = { .events = POLLIN };
	int i, woken = 0;

	/* A sample has 24 bytes, so ten of them pass the watermark. */
	self->a.watermark = 1;
	self->a.wakeup_watermark = 240;
	self->fd = start(&self->a, &self->ring, 4);
	ASSERT_LE(0, self->fd);
	p.fd = self->fd;
	for (i = 0; i < 100; i++) {
		faults(self->fd, 1);
		woken += poll(&p, 1, 0) == 1;
	}
	EXPECT_LE(8, woken);
	EXPECT_GE(11, woken);
}

TEST_F(buffer, poll_wakes_a_sleeper)
{
	struct pollfd p = { .events = POLLIN };
	pid_t me = getpid(), child;
	int go[2], ready[2], i;
	char c;

	self->a.disabled = 0;
	ASSERT_EQ(0, pipe(go));
	ASSERT_EQ(0, pipe(ready));
	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		pe_die_with(me);
		/* Map the pages that are touched later. */
		for (i = 0; i < 2; i++)
			pe_task_state(me);
		if (write(ready[1], "", 1) != 1 || read(go[0], &c, 1) != 1)
			_exit(1);
		/* Wait until the parent sleeps in poll(2). */
		while (pe_task_state(me) != 'S')
			pe_sleep_ms(1);
		pe_fault(3);
		for (;;)
			pause();
	}
	ASSERT_EQ(1, read(ready[0], &c, 1));
	self->fd = pe_open(&self->a, child, -1, -1, 0);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, pe_ring_map(&self->ring, self->fd, 4));
	p.fd = self->fd;
	ASSERT_EQ(1, write(go[1], "", 1));
	EXPECT_EQ(1, poll(&p, 1, -1));
	EXPECT_EQ(POLLIN, p.revents & POLLIN);
	EXPECT_LE(1, pe_ring_drop(&self->ring, PERF_RECORD_SAMPLE));
	kill(child, SIGKILL);
	ASSERT_EQ(child, waitpid(child, NULL, 0));
	for (i = 0; i < 2; i++) {
		close(go[i]);
		close(ready[i]);
	}
}

static int signals, last_code;

static void on_signal(int nr, siginfo_t *info, void *context)
{
	__atomic_fetch_add(&signals, 1, __ATOMIC_SEQ_CST);
	__atomic_store_n(&last_code, info->si_code, __ATOMIC_SEQ_CST);
}

TEST_F(buffer, signals)
{
	struct sigaction act = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };

	ASSERT_EQ(0, sigaction(SIGRTMIN, &act, NULL));
	self->fd = start(&self->a, &self->ring, 4);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, fcntl(self->fd, F_SETOWN, getpid()));
	ASSERT_EQ(0, fcntl(self->fd, F_SETSIG, SIGRTMIN));
	ASSERT_EQ(0, fcntl(self->fd, F_SETFL, fcntl(self->fd, F_GETFL) | O_ASYNC));
	faults(self->fd, 5);
	EXPECT_LE(1, __atomic_load_n(&signals, __ATOMIC_SEQ_CST));
	EXPECT_EQ(POLL_IN, __atomic_load_n(&last_code, __ATOMIC_SEQ_CST));
}

TEST_F(buffer, refresh)
{
	struct sigaction act = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };

	/* The event has a limit of overflows, and the last one is a hangup. */
	ASSERT_EQ(0, sigaction(SIGRTMIN, &act, NULL));
	self->fd = start(&self->a, &self->ring, 4);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, fcntl(self->fd, F_SETOWN, getpid()));
	ASSERT_EQ(0, fcntl(self->fd, F_SETSIG, SIGRTMIN));
	ASSERT_EQ(0, fcntl(self->fd, F_SETFL, fcntl(self->fd, F_GETFL) | O_ASYNC));
	ASSERT_EQ(0, pe_ioctl(self->fd, PERF_EVENT_IOC_REFRESH, 3));
	pe_fault(10);
	EXPECT_LE(1, __atomic_load_n(&signals, __ATOMIC_SEQ_CST));
	EXPECT_EQ(POLL_HUP, __atomic_load_n(&last_code, __ATOMIC_SEQ_CST));
	EXPECT_EQ(3, pe_ring_drop(&self->ring, PERF_RECORD_SAMPLE));
	pe_fault(10);
	EXPECT_EQ(0, pe_ring_drop(&self->ring, PERF_RECORD_SAMPLE));
}

TEST_F(buffer, new_period)
{
	__u64 period = 5;

	self->fd = start(&self->a, &self->ring, 4);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, pe_ioctl(self->fd, PERF_EVENT_IOC_PERIOD, (unsigned long)&period));
	faults(self->fd, 50);
	EXPECT_LE(9, pe_ring_drop(&self->ring, PERF_RECORD_SAMPLE));
	period = 1;
	ASSERT_EQ(0, pe_ioctl(self->fd, PERF_EVENT_IOC_PERIOD, (unsigned long)&period));
	faults(self->fd, 20);
	EXPECT_LE(15, pe_ring_drop(&self->ring, PERF_RECORD_SAMPLE));
}

TEST_HARNESS_MAIN
