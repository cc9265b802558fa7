// SPDX-License-Identifier: GPL-2.0
/*
 * Hardware events by system calls, on the simulated PMU: all counts are exact.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#include "../kselftest_harness.h"
#include "pe_sample.h"
#include "pe_sim.h"

FIXTURE(sim) {
	struct perf_event_attr attr;
};

FIXTURE_SETUP(sim)
{
	if (pe_sim_type() < 0)
		SKIP(return, "no simulated PMU");
	if (geteuid())
		SKIP(return, "needs root");
	self->attr = pe_sim_attr();
	ASSERT_EQ(0, pe_move_to(0));
}

FIXTURE_TEARDOWN(sim)
{
}

TEST_F(sim, counts_its_task_alone)
{
	int fd = pe_self(&self->attr), status;
	pid_t pid;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_sim_advance(1000));
	EXPECT_EQ(1000, pe_count(fd));
	pid = fork();
	if (!pid)
		_exit(pe_sim_advance(500) ? 1 : 0);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, status);
	EXPECT_EQ(1000, pe_count(fd));
	ASSERT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_RESET, 0));
	ASSERT_EQ(0, pe_sim_advance(3));
	EXPECT_EQ(3, pe_count(fd));
	ASSERT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_EQ(0, pe_sim_advance(100));
	EXPECT_EQ(3, pe_count(fd));
	ASSERT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	ASSERT_EQ(0, pe_sim_advance(100));
	EXPECT_EQ(103, pe_count(fd));
	close(fd);
}

TEST_F(sim, inherited_counts_are_added)
{
	int fd, i, status;

	self->attr.inherit = 1;
	fd = pe_self(&self->attr);
	ASSERT_LE(0, fd);
	for (i = 0; i < 5; i++) {
		pid_t pid = fork();

		if (!pid) {
			if (fork() == 0)
				_exit(pe_sim_advance(10) ? 1 : 0);
			wait(&status);
			_exit(status || pe_sim_advance(100) ? 1 : 0);
		}
	}
	for (i = 0; i < 5; i++) {
		wait(&status);
		EXPECT_EQ(0, status);
	}
	EXPECT_EQ(550, pe_count(fd));
	close(fd);
}

TEST_F(sim, group_is_read_at_one_moment)
{
	struct {
		__u64 nr, enabled, running, value[3];
	} got;
	int fd[3], i;

	self->attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
				 PERF_FORMAT_TOTAL_TIME_RUNNING;
	for (i = 0; i < 3; i++) {
		fd[i] = pe_open(&self->attr, 0, -1, i ? fd[0] : -1, 0);
		ASSERT_LE(0, fd[i]);
	}
	ASSERT_EQ(0, pe_ioctl(fd[0], PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP));
	ASSERT_EQ(0, pe_sim_advance(77));
	ASSERT_EQ(sizeof(got), read(fd[0], &got, sizeof(got)));
	EXPECT_EQ(3, got.nr);
	EXPECT_EQ(got.enabled, got.running);
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(77, got.value[i]);
		close(fd[i]);
	}
}

TEST_F(sim, group_larger_than_the_pmu_is_refused)
{
	int fd[PE_SIM_COUNTERS + 1], i;

	for (i = 0; i < PE_SIM_COUNTERS; i++) {
		fd[i] = pe_open(&self->attr, 0, -1, i ? fd[0] : -1, 0);
		ASSERT_LE(0, fd[i]);
	}
	EXPECT_EQ(-EINVAL, pe_open(&self->attr, 0, -1, fd[0], 0));
	ASSERT_EQ(0, pe_sim_advance(9));
	for (i = PE_SIM_COUNTERS - 1; i >= 0; i--) {
		EXPECT_EQ(9, pe_count(fd[i]));
		close(fd[i]);
	}
}

/* With twice as many events as counters each event counts, and each waits. */
TEST_F(sim, more_events_than_counters_share)
{
	struct {
		__u64 value, enabled, running;
	} got;
	int fd[2 * PE_SIM_COUNTERS], i, both, rounds = 0;

	self->attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	for (i = 0; i < 2 * PE_SIM_COUNTERS; i++) {
		fd[i] = pe_self(&self->attr);
		ASSERT_LE(0, fd[i]);
	}
	do {
		pe_spin(100000);
		ASSERT_EQ(0, pe_sim_advance(10));
		both = 0;
		for (i = 0; i < 2 * PE_SIM_COUNTERS; i++) {
			ASSERT_EQ(sizeof(got), read(fd[i], &got, sizeof(got)));
			EXPECT_LE(got.running, got.enabled);
			both += got.running && got.running < got.enabled;
		}
		rounds++;
	} while (both < 2 * PE_SIM_COUNTERS && rounds < 100000);
	EXPECT_EQ(2 * PE_SIM_COUNTERS, both);
	for (i = 0; i < 2 * PE_SIM_COUNTERS; i++)
		close(fd[i]);
}

TEST_F(sim, pinned_event_that_does_not_fit_reads_nothing)
{
	int fd[PE_SIM_COUNTERS + 1], i;
	__u64 value;

	self->attr.pinned = 1;
	for (i = 0; i <= PE_SIM_COUNTERS; i++) {
		fd[i] = pe_self(&self->attr);
		ASSERT_LE(0, fd[i]);
	}
	ASSERT_EQ(0, pe_sim_advance(4));
	for (i = 0; i < PE_SIM_COUNTERS; i++)
		EXPECT_EQ(4, pe_count(fd[i]));
	EXPECT_EQ(0, read(fd[i], &value, sizeof(value)));
	close(fd[0]);
	EXPECT_EQ(0, read(fd[i], &value, sizeof(value)));
	ASSERT_EQ(0, pe_ioctl(fd[i], PERF_EVENT_IOC_ENABLE, 0));
	ASSERT_EQ(0, pe_sim_advance(6));
	EXPECT_EQ(6, pe_count(fd[i]));
	for (i = 1; i <= PE_SIM_COUNTERS; i++)
		close(fd[i]);
}

/* Only overflows send signals: a debugger that waits for overflows expects no other signals. */
TEST_F(sim, pinned_event_that_does_not_fit_sends_no_signal)
{
	int fd[PE_SIM_COUNTERS + 1], i;
	sigset_t set;
	__u64 value;

	sigemptyset(&set);
	sigaddset(&set, SIGIO);
	ASSERT_EQ(0, sigprocmask(SIG_BLOCK, &set, NULL));
	self->attr.pinned = 1;
	for (i = 0; i <= PE_SIM_COUNTERS; i++) {
		self->attr.disabled = i == PE_SIM_COUNTERS;
		fd[i] = pe_self(&self->attr);
		ASSERT_LE(0, fd[i]);
	}
	i = PE_SIM_COUNTERS;
	ASSERT_EQ(0, fcntl(fd[i], F_SETOWN, getpid()));
	ASSERT_EQ(0, fcntl(fd[i], F_SETFL, O_ASYNC));
	ASSERT_EQ(0, pe_ioctl(fd[i], PERF_EVENT_IOC_ENABLE, 0));
	EXPECT_EQ(0, read(fd[i], &value, sizeof(value)));
	ASSERT_EQ(0, sigpending(&set));
	EXPECT_EQ(0, sigismember(&set, SIGIO));
	for (i = 0; i <= PE_SIM_COUNTERS; i++)
		close(fd[i]);
}

TEST_F(sim, follows_its_task_to_another_cpu)
{
	struct pe_child child;
	int fd, i;

	if (pe_cpu_count() < 2)
		SKIP(return, "needs two CPUs");
	fd = pe_self(&self->attr);
	ASSERT_LE(0, fd);
	for (i = 0; i < 50; i++) {
		ASSERT_EQ(0, pe_move_to(i & 1));
		ASSERT_EQ(0, pe_sim_advance(3));
		EXPECT_EQ(3 * (i + 1), pe_count(fd));
	}
	close(fd);

	/*
	 * The event is enabled, read and reset while its task runs on another
	 * CPU.
	 */
	ASSERT_EQ(0, pe_child_start(&child));
	ASSERT_EQ(0, pe_child_do(&child, PE_MOVE, 1));
	self->attr.config = PE_SIM_CYCLES;
	self->attr.disabled = 1;
	fd = pe_open(&self->attr, child.pid, -1, -1, 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_child_send(&child, PE_SPIN, 20000000));
	for (i = 0; i < 20; i++) {
		__u64 before;

		ASSERT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
		before = pe_count(fd);
		EXPECT_LE(before, pe_count(fd));
		ASSERT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
		before = pe_count(fd);
		EXPECT_EQ(before, pe_count(fd));
		ASSERT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_RESET, 0));
		EXPECT_EQ(0, pe_count(fd));
	}
	ASSERT_EQ(0, pe_child_answer(&child));
	close(fd);
	pe_child_end(&child);
}

TEST_F(sim, cpu_event_counts_all_tasks)
{
	int fd[2], status;
	pid_t pid;

	if (pe_cpu_count() < 2)
		SKIP(return, "needs two CPUs");
	fd[0] = pe_open(&self->attr, -1, 0, -1, 0);
	fd[1] = pe_open(&self->attr, -1, 1, -1, 0);
	ASSERT_LE(0, fd[0]);
	ASSERT_LE(0, fd[1]);
	ASSERT_EQ(0, pe_sim_advance(5));
	pid = fork();
	if (!pid)
		_exit(pe_move_to(1) || pe_sim_advance(7));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, status);
	EXPECT_EQ(5, pe_count(fd[0]));
	EXPECT_EQ(7, pe_count(fd[1]));
	close(fd[0]);
	close(fd[1]);
}

/* Events of a CPU and events of its task share the counters. */
/* Only ENABLE ends the error state. */
TEST_F(sim, disable_leaves_the_error_state_alone)
{
	int fd[PE_SIM_COUNTERS + 1];
	__u64 value;
	int i, last = PE_SIM_COUNTERS;

	self->attr.pinned = 1;
	for (i = 0; i <= last; i++) {
		fd[i] = pe_self(&self->attr);
		ASSERT_LE(0, fd[i]);
	}
	ASSERT_EQ(0, pe_sim_advance(10));
	EXPECT_EQ(0, read(fd[last], &value, sizeof(value)));
	ASSERT_EQ(0, close(fd[0]));
	ASSERT_EQ(0, pe_ioctl(fd[last], PERF_EVENT_IOC_DISABLE, 0));
	EXPECT_EQ(0, read(fd[last], &value, sizeof(value)));
	ASSERT_EQ(0, pe_sim_advance(10));
	EXPECT_EQ(0, read(fd[last], &value, sizeof(value)));
	ASSERT_EQ(0, pe_ioctl(fd[last], PERF_EVENT_IOC_ENABLE, 0));
	ASSERT_EQ(0, pe_sim_advance(10));
	EXPECT_EQ(10, pe_count(fd[last]));
	for (i = 1; i <= last; i++)
		close(fd[i]);
}

TEST_F(sim, pinned_cpu_before_flexible_task)
{
	int task[PE_SIM_COUNTERS], cpu[PE_SIM_COUNTERS], i;

	for (i = 0; i < PE_SIM_COUNTERS; i++) {
		task[i] = pe_self(&self->attr);
		ASSERT_LE(0, task[i]);
	}
	self->attr.pinned = 1;
	for (i = 0; i < PE_SIM_COUNTERS; i++) {
		cpu[i] = pe_open(&self->attr, -1, 0, -1, 0);
		ASSERT_LE(0, cpu[i]);
	}
	ASSERT_EQ(0, pe_sim_advance(2));
	for (i = 0; i < PE_SIM_COUNTERS; i++) {
		EXPECT_EQ(2, pe_count(cpu[i]));
		EXPECT_EQ(0, pe_count(task[i]));
		close(cpu[i]);
	}
	/*
	 * An event that waits gets a free counter at the next switch at the
	 * latest.
	 */
	pe_switch();
	ASSERT_EQ(0, pe_sim_advance(3));
	for (i = 0; i < PE_SIM_COUNTERS; i++) {
		EXPECT_EQ(3, pe_count(task[i]));
		close(task[i]);
	}
}

TEST_F(sim, sampling_writes_one_record_a_period)
{
	struct pe_ring ring;
	struct pe_record rec;
	struct pe_sample sample;
	int fd, n = 0;

	self->attr.sample_period = 100;
	self->attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_PERIOD |
				 PERF_SAMPLE_CPU;
	fd = pe_self(&self->attr);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_ring_map(&ring, fd, 8));
	ASSERT_EQ(0, pe_sim_advance(1050));
	while (pe_ring_find(&ring, &rec, PERF_RECORD_SAMPLE) > 0) {
		ASSERT_EQ(0, pe_sample_parse(&self->attr, &rec, &sample));
		EXPECT_EQ(100, sample.period);
		EXPECT_EQ(getpid(), sample.pid);
		EXPECT_EQ(0, sample.cpu);
		n++;
	}
	EXPECT_EQ(10, n);

	ASSERT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_PERIOD, (unsigned long)&(__u64){ 10 }));
	ASSERT_EQ(0, pe_sim_advance(50));
	EXPECT_LE(4, pe_ring_drop(&ring, PERF_RECORD_SAMPLE));
	pe_ring_unmap(&ring);
	close(fd);
}

TEST_F(sim, refresh_counts_down)
{
	struct pe_ring ring;
	int fd;

	self->attr.sample_period = 10;
	self->attr.sample_type = PERF_SAMPLE_IP;
	self->attr.disabled = 1;
	fd = pe_self(&self->attr);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_ring_map(&ring, fd, 1));
	ASSERT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_REFRESH, 3));
	ASSERT_EQ(0, pe_sim_advance(1000));
	EXPECT_EQ(30, pe_count(fd));
	EXPECT_EQ(3, pe_ring_drop(&ring, PERF_RECORD_SAMPLE));
	pe_ring_unmap(&ring);
	close(fd);
}

static int refreshed_fd, nr_handled;

static void refresh_and_advance(int sig)
{
	if (++nr_handled > 5)
		return;
	pe_ioctl(refreshed_fd, PERF_EVENT_IOC_REFRESH, 1);
	pe_sim_advance(1000);
}

/* The handler of an overflow allows one more, and makes steps for a hundred: it has one more. */
TEST_F(sim, refresh_in_the_handler)
{
	struct pe_ring ring;
	int fd;

	self->attr.sample_period = 10;
	self->attr.sample_type = PERF_SAMPLE_IP;
	self->attr.disabled = 1;
	fd = pe_self(&self->attr);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_ring_map(&ring, fd, 1));
	signal(SIGRTMIN, refresh_and_advance);
	ASSERT_EQ(0, fcntl(fd, F_SETOWN, getpid()));
	ASSERT_EQ(0, fcntl(fd, F_SETSIG, SIGRTMIN));
	ASSERT_EQ(0, fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_ASYNC));
	refreshed_fd = fd;
	ASSERT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_REFRESH, 1));
	ASSERT_EQ(0, pe_sim_advance(1000));
	EXPECT_EQ(6, nr_handled);
	EXPECT_EQ(60, pe_count(fd));
	EXPECT_EQ(6, pe_ring_drop(&ring, PERF_RECORD_SAMPLE));
	ASSERT_EQ(0, pe_sim_advance(1000));
	EXPECT_EQ(6, nr_handled);
	EXPECT_EQ(60, pe_count(fd));
	pe_ring_unmap(&ring);
	close(fd);
}

TEST_F(sim, generic_event_of_a_named_pmu)
{
	struct perf_event_attr attr = self->attr;
	int fd;

	attr.type = PERF_TYPE_HARDWARE;
	attr.config = (__u64)self->attr.type << PERF_PMU_TYPE_SHIFT | PERF_COUNT_HW_CPU_CYCLES;
	fd = pe_self(&attr);
	if (fd == -ENOENT)
		SKIP(return, "the simulated PMU does not serve generic events");
	ASSERT_LE(0, fd);
	pe_spin(1000);
	EXPECT_NE(0, pe_count(fd));
	close(fd);
	attr.config |= 0x80;
	EXPECT_EQ(-ENOENT, pe_open(&attr, 0, -1, -1, 0));
}

TEST_HARNESS_MAIN
