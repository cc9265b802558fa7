// SPDX-License-Identifier: GPL-2.0
/*
 * SWITCH records: preemption and, for events of a CPU, the other task of the switch.
 */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_sample.h"

#define THREADS	10

static struct pe_record rec;

FIXTURE(swtch) {
	struct perf_event_attr a;
	struct pe_ring ring;
	struct pe_sample s;
	struct pe_child child;
	int fd;
};

FIXTURE_SETUP(swtch)
{
	self->fd = -1;
	self->a = pe_attr_off(PERF_COUNT_SW_DUMMY);
	self->a.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_CPU;
	self->a.sample_id_all = 1;
	self->a.context_switch = 1;
	ASSERT_EQ(0, pe_move_to(0));
	ASSERT_EQ(0, pe_child_start(&self->child));
	ASSERT_EQ(0, pe_child_do(&self->child, PE_MOVE, 0));
}

FIXTURE_TEARDOWN(swtch)
{
	pe_child_end(&self->child);
	if (self->fd >= 0) {
		pe_ring_unmap(&self->ring);
		close(self->fd);
	}
}

static void start(struct __test_metadata *_metadata, struct _test_data_swtch *self, pid_t pid,
		  int cpu)
{
	self->fd = pe_open(&self->a, pid, cpu, -1, 0);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, pe_ring_map(&self->ring, self->fd, 64));
	ASSERT_EQ(0, pe_ioctl(self->fd, PERF_EVENT_IOC_ENABLE, 0));
}

static void count_outs(struct _test_data_swtch *self, unsigned int *out, unsigned int *preempted)
{
	while (pe_ring_next(&self->ring, &rec) == 1) {
		if (!(rec.head.misc & PERF_RECORD_MISC_SWITCH_OUT))
			continue;
		++*out;
		*preempted += !!(rec.head.misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT);
	}
}

/* A task that sleeps was not preempted. */
TEST_F(swtch, not_preempted_when_it_sleeps)
{
	unsigned int out = 0, preempted = 0;
	pid_t me = getpid(), pid;
	int i, go[2];

	ASSERT_EQ(0, pipe(go));
	pid = fork();
	if (!pid) {
		pe_die_with(me);
		if (read(go[0], &i, 1) != 1)
			_exit(1);
		for (i = 0; i < 100; i++)
			pe_switch();
		_exit(0);
	}
	start(_metadata, self, pid, -1);
	ASSERT_EQ(1, write(go[1], "", 1));
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	count_outs(self, &out, &preempted);
	/* Another task may also preempt the child. */
	EXPECT_LE(100, out - preempted);
}

/* Two tasks on one CPU that never sleep can only be preempted. */
TEST_F(swtch, preempted_when_it_does_not)
{
	unsigned int out = 0, preempted = 0, round;
	pid_t me = getpid(), busy = fork();

	if (!busy) {
		pe_die_with(me);
		for (;;)
			pe_spin(1000);
	}
	start(_metadata, self, busy, -1);
	/* Work in rounds, so that a slow machine has as many switches. */
	for (round = 0; round < 100000 && out < 5; round++) {
		pe_spin(100000);
		count_outs(self, &out, &preempted);
	}
	EXPECT_LE(5, out);
	EXPECT_EQ(out, preempted);
	kill(busy, SIGKILL);
	waitpid(busy, NULL, 0);
}

/*
 * In an event of a CPU each record names the task on the other side of the
 * switch.
 */
TEST_F(swtch, of_a_cpu_names_both_tasks)
{
	unsigned int to_child = 0, from_child = 0;
	__u32 other[2];
	int i;

	if (geteuid())
		SKIP(return, "needs root");
	start(_metadata, self, -1, 0);
	for (i = 0; i < 20; i++)
		ASSERT_EQ(0, pe_child_do(&self->child, PE_SPIN, 1));
	pe_ioctl(self->fd, PERF_EVENT_IOC_DISABLE, 0);
	while (pe_ring_next(&self->ring, &rec) == 1) {
		ASSERT_EQ(PERF_RECORD_SWITCH_CPU_WIDE, rec.head.type);
		/*
		 * The body begins with the other task, and ends with the
		 * sample_id.
		 */
		memcpy(other, rec.body, sizeof(other));
		rec.head.size -= sizeof(other);
		memmove(rec.body, rec.body + sizeof(other), rec.head.size);
		ASSERT_EQ(0, pe_id_parse(&self->a, &rec, &self->s));
		EXPECT_EQ(0, self->s.cpu);
		if (rec.head.misc & PERF_RECORD_MISC_SWITCH_OUT) {
			/* The previous task is in the sample_id, the next task in the body. */
			if (self->s.tid == getpid() && other[1] == self->child.pid) {
				EXPECT_EQ(self->child.pid, other[0]);
				to_child++;
			}
		} else if (self->s.tid == getpid() && other[1] == self->child.pid) {
			EXPECT_EQ(self->child.pid, other[0]);
			from_child++;
		}
	}
	EXPECT_LT(0, to_child);
	EXPECT_LT(0, from_child);
}

static void *end_at_once(void *unused)
{
	return NULL;
}

/*
 * A thread is switched out for the last time after it has released its id. The records of that
 * switch still have its process, also the record of the switch to the next task.
 */
TEST_F(swtch, of_a_thread_that_has_ended)
{
	unsigned int out = 0, in = 0, tries;
	__u32 other[2];
	pthread_t thread;
	int i;

	if (geteuid())
		SKIP(return, "needs root");
	start(_metadata, self, -1, 0);
	for (i = 0; i < THREADS; i++) {
		ASSERT_EQ(0, pthread_create(&thread, NULL, end_at_once, NULL));
		ASSERT_EQ(0, pthread_join(thread, NULL));
	}
	for (tries = 0; tries < 30000 && in < THREADS; tries++) {
		pe_sleep_ms(1);
		while (pe_ring_next(&self->ring, &rec) == 1) {
			ASSERT_EQ(PERF_RECORD_SWITCH_CPU_WIDE, rec.head.type);
			memcpy(other, rec.body, sizeof(other));
			rec.head.size -= sizeof(other);
			memmove(rec.body, rec.body + sizeof(other), rec.head.size);
			ASSERT_EQ(0, pe_id_parse(&self->a, &rec, &self->s));
			if (rec.head.misc & PERF_RECORD_MISC_SWITCH_OUT)
				out += self->s.pid == getpid() && self->s.tid == -1U;
			else
				in += other[0] == getpid() && other[1] == -1U;
		}
	}
	/* A thread may also be preempted before its last switch. */
	EXPECT_LE(THREADS, out);
	EXPECT_LE(THREADS, in);
}

TEST_HARNESS_MAIN
