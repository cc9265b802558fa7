// SPDX-License-Identifier: GPL-2.0
/*
 * A CPU that is offlined and onlined repeatedly, under load and with open events of every kind.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "../kselftest_harness.h"
#include "pe_rounds.h"
#include "pe_sample.h"
#include "pe_sim.h"

#define ONLINE		"/sys/devices/system/cpu/cpu1/online"
#define ROUNDS		pe_rounds(100)
#define SECONDS		15	/* time limit of a case on a slow machine */
#define WORKERS		2
#define FAULTS		4
#define STEPS		7

/**
 * struct worker - a thread that makes faults and steps
 * @thread: the thread
 * @faults: its event of page faults
 * @steps: its group of steps, leader and member
 * @rounds: number of rounds of FAULTS faults and STEPS steps
 * @stop: asks the thread to exit
 * @err: error, or 0
 */
struct worker {
	pthread_t thread;
	int faults;
	int steps[2];
	__u64 rounds;
	bool stop;
	int err;
};

static bool have_sim;

static void *work(void *arg)
{
	struct perf_event_attr faults = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct worker *me = arg;

	faults.exclude_kernel = 1;
	if (have_sim) {
		struct perf_event_attr steps = pe_sim_attr();

		me->steps[0] = pe_self(&steps);
		me->steps[1] = pe_open(&steps, 0, -1, me->steps[0], 0);
		if (me->steps[0] < 0 || me->steps[1] < 0)
			me->err = -1;
	}
	me->faults = pe_self(&faults);
	if (me->faults < 0)
		me->err = -1;
	while (!__atomic_load_n(&me->stop, __ATOMIC_RELAXED) && !me->err) {
		pe_fault(FAULTS);
		if (have_sim && pe_sim_advance(STEPS))
			me->err = -2;
		me->rounds++;
	}
	return NULL;
}

FIXTURE(load) {
};

FIXTURE_SETUP(load)
{
	if (geteuid() || access(ONLINE, W_OK))
		SKIP(return, "needs root, and a CPU 1 that can go offline");
	/* In some kernels the events of a CPU end when the CPU is offlined. */
	if (!getenv("PE_HARD"))
		SKIP(return, "PE_HARD is not set");
}

/* After a failure the CPU may be offline, and later programs would skip tests. */
FIXTURE_TEARDOWN(load)
{
	pe_set(ONLINE, 1);
}

static int nr_signals;

static void count_signal(int sig)
{
	__atomic_add_fetch(&nr_signals, 1, __ATOMIC_RELAXED);
}

/*
 * The last switch of a CPU that goes offline writes a record, which signals the reader. Later
 * records of this CPU must signal the reader, too.
 */
TEST_F(load, signals_after_the_last_switch)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_DUMMY);
	struct pe_ring ring;
	int round, fd, i;

	a.context_switch = 1;
	a.watermark = 1;
	a.wakeup_watermark = 1;
	fd = pe_open(&a, -1, 1, -1, 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_ring_map(&ring, fd, 64));
	signal(SIGIO, count_signal);
	ASSERT_EQ(0, fcntl(fd, F_SETOWN, getpid()));
	ASSERT_EQ(0, fcntl(fd, F_SETFL, O_ASYNC));
	for (round = 0; round < 3; round++) {
		/* A full buffer would get no records, and so cause no signals. */
		pe_ring_drop(&ring, PERF_RECORD_SWITCH_CPU_WIDE);
		ASSERT_EQ(0, pe_set(ONLINE, 0));
		ASSERT_EQ(0, pe_set(ONLINE, 1));
		ASSERT_EQ(0, pe_move_to(1));
		pe_ring_drop(&ring, PERF_RECORD_SWITCH_CPU_WIDE);
		__atomic_store_n(&nr_signals, 0, __ATOMIC_RELAXED);
		for (i = 0; i < 10000 && !__atomic_load_n(&nr_signals, __ATOMIC_RELAXED); i++)
			usleep(1000);
		EXPECT_LT(0, nr_signals);
		ASSERT_EQ(0, pe_move_to(0));
	}
	fcntl(fd, F_SETFL, 0);
	signal(SIGIO, SIG_DFL);
	pe_ring_unmap(&ring);
	close(fd);
}

TEST_F(load, events_outlive_their_cpu)
{
	struct perf_event_attr clock = pe_attr(PERF_COUNT_SW_CPU_CLOCK);
	struct perf_event_attr steps = pe_sim_attr();
	struct perf_event_attr faults = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int cpu_clock, cpu_steps = -1, cpu_faults, i;
	struct worker workers[WORKERS] = { };
	__u64 before, total = 0;
	time_t end;

	have_sim = pe_sim_type() >= 0;
	faults.exclude_kernel = 1;
	cpu_clock = pe_open(&clock, -1, 1, -1, 0);
	cpu_faults = pe_open(&faults, -1, 1, -1, 0);
	ASSERT_LE(0, cpu_clock);
	ASSERT_LE(0, cpu_faults);
	if (have_sim) {
		cpu_steps = pe_open(&steps, -1, 1, -1, 0);
		ASSERT_LE(0, cpu_steps);
	}
	for (i = 0; i < WORKERS; i++)
		ASSERT_EQ(0, pthread_create(&workers[i].thread, NULL, work, &workers[i]));

	end = time(NULL) + SECONDS;
	for (i = 0; i < ROUNDS && (!i || time(NULL) < end); i++) {
		ASSERT_EQ(0, pe_set(ONLINE, 0));
		EXPECT_EQ(-ENODEV, pe_try(&clock, -1, 1, -1, 0));
		before = pe_count(cpu_clock);
		pe_spin(1000);
		/* The clock does not run while the CPU is offline. */
		EXPECT_EQ(before, pe_count(cpu_clock));
		if (i & 1)
			EXPECT_EQ(0, pe_ioctl(cpu_clock, PERF_EVENT_IOC_DISABLE, 0));
		if (i & 1)
			EXPECT_EQ(0, pe_ioctl(cpu_clock, PERF_EVENT_IOC_ENABLE, 0));
		ASSERT_EQ(0, pe_set(ONLINE, 1));
		ASSERT_EQ(0, pe_move_to(1));
		EXPECT_LT(before, pe_count(cpu_clock));
		before = pe_count(cpu_faults);
		pe_fault(10);
		EXPECT_LE(before + 10, pe_count(cpu_faults));
		if (have_sim) {
			before = pe_count(cpu_steps);
			ASSERT_EQ(0, pe_sim_advance(5));
			EXPECT_LE(before + 5, pe_count(cpu_steps));
		}
		ASSERT_EQ(0, pe_move_to(0));
	}

	for (i = 0; i < WORKERS; i++) {
		__atomic_store_n(&workers[i].stop, true, __ATOMIC_RELAXED);
		ASSERT_EQ(0, pthread_join(workers[i].thread, NULL));
		EXPECT_EQ(0, workers[i].err);
		EXPECT_LE(FAULTS * workers[i].rounds, pe_count(workers[i].faults));
		if (have_sim) {
			EXPECT_EQ(STEPS * workers[i].rounds, pe_count(workers[i].steps[0]));
			EXPECT_EQ(STEPS * workers[i].rounds, pe_count(workers[i].steps[1]));
		}
		total += workers[i].rounds;
	}
	EXPECT_NE(0, total);
	close(cpu_clock);
	close(cpu_faults);
	if (have_sim)
		close(cpu_steps);
}

/* Result of read(2) with both times */
struct got {
	__u64 value, enabled, running;
};

#define KINDS		3

FIXTURE(cgroup) {
	struct pe_child child;
	struct perf_event_attr attrs[KINDS];
	int nr, dir;
};

FIXTURE_VARIANT(cgroup) {
	const char *name;
};

/* The tasks that offline a CPU run on it last, and are in the root cgroup. */
FIXTURE_VARIANT_ADD(cgroup, root) {
	.name = "",
};

FIXTURE_VARIANT_ADD(cgroup, made) {
	.name = "pe_hotplug",
};

FIXTURE_SETUP(cgroup)
{
	int i;

	self->child.pid = 0;
	if (geteuid() || access(ONLINE, W_OK))
		SKIP(return, "needs root, and a CPU 1 that can go offline");
	if (!getenv("PE_HARD"))
		SKIP(return, "PE_HARD is not set");
	self->attrs[0] = pe_attr(PERF_COUNT_SW_CPU_CLOCK);
	self->attrs[1] = pe_attr(PERF_COUNT_SW_CONTEXT_SWITCHES);
	self->nr = 2;
	if (pe_sim_type() >= 0) {
		self->attrs[2] = pe_sim_attr();
		self->attrs[2].config = PE_SIM_CYCLES;
		self->nr = 3;
	}
	for (i = 0; i < self->nr; i++)
		self->attrs[i].read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
					     PERF_FORMAT_TOTAL_TIME_RUNNING;
	self->dir = *variant->name ? pe_cgroup_make(variant->name) :
				     open(pe_cgroup_root(), O_RDONLY | O_DIRECTORY);
	if (self->dir < 0 || pe_try(&self->attrs[0], self->dir, 1, -1, PERF_FLAG_PID_CGROUP))
		SKIP(return, "no cgroups");
	ASSERT_EQ(0, pe_move_to(0));
	ASSERT_EQ(0, pe_child_start(&self->child));
	ASSERT_EQ(0, pe_cgroup_enter(variant->name, self->child.pid));
}

FIXTURE_TEARDOWN(cgroup)
{
	if (!self->child.pid)
		return;
	pe_set(ONLINE, 1);
	pe_child_end(&self->child);
	close(self->dir);
	if (*variant->name)
		EXPECT_EQ(0, pe_cgroup_remove(variant->name));
}

static void open_all(struct __test_metadata *_metadata, struct _test_data_cgroup *self, int *fds)
{
	int i;

	for (i = 0; i < self->nr; i++) {
		fds[i] = pe_open(&self->attrs[i], self->dir, 1, -1, PERF_FLAG_PID_CGROUP);
		ASSERT_LE(0, fds[i]);
	}
}

static void read_all(struct __test_metadata *_metadata, struct _test_data_cgroup *self, int *fds,
		     struct got *got)
{
	int i;

	for (i = 0; i < self->nr; i++)
		ASSERT_EQ(sizeof(got[i]), read(fds[i], &got[i], sizeof(got[i])));
}

/* An offline CPU must not be counted as running a task of the cgroup. */
TEST_F(cgroup, stands_still_without_its_cpu)
{
	struct got before[KINDS], after[KINDS];
	int keep[KINDS], gone[KINDS], round, i;

	open_all(_metadata, self, keep);
	for (round = 0; round < 5; round++) {
		open_all(_metadata, self, gone);
		ASSERT_EQ(0, pe_child_do(&self->child, PE_MOVE, 1));
		/* The child runs on the CPU when the CPU is offlined. */
		ASSERT_EQ(0, pe_child_send(&self->child, PE_SPIN, 10000000));
		ASSERT_EQ(0, pe_set(ONLINE, 0));
		read_all(_metadata, self, keep, before);
		pe_sleep_ms(20);
		ASSERT_EQ(0, pe_child_answer(&self->child));
		read_all(_metadata, self, keep, after);
		for (i = 0; i < self->nr; i++) {
			EXPECT_EQ(before[i].value, after[i].value);
			EXPECT_EQ(before[i].enabled, after[i].enabled);
			EXPECT_EQ(before[i].running, after[i].running);
			/* The cgroup had at most the time of one CPU. */
			EXPECT_EQ(after[i].enabled, after[i].running);
			close(gone[i]);
		}
		if (round & 1) {
			EXPECT_EQ(0, pe_ioctl(keep[0], PERF_EVENT_IOC_DISABLE, 0));
			EXPECT_EQ(0, pe_ioctl(keep[0], PERF_EVENT_IOC_ENABLE, 0));
		}

		ASSERT_EQ(0, pe_set(ONLINE, 1));
		ASSERT_EQ(0, pe_child_do(&self->child, PE_MOVE, 1));
		/* At least one context switch */
		ASSERT_EQ(0, pe_child_rest(&self->child));
		for (i = 0; i < 5; i++)
			ASSERT_EQ(0, pe_child_do(&self->child, PE_SPIN, 1000));
		read_all(_metadata, self, keep, after);
		for (i = 0; i < self->nr; i++) {
			EXPECT_LT(before[i].value, after[i].value);
			EXPECT_LT(before[i].enabled, after[i].enabled);
			EXPECT_LT(before[i].running, after[i].running);
		}
	}
	for (i = 0; i < self->nr; i++)
		close(keep[i]);
}

#define SHARING		(PE_SIM_COUNTERS + 2)

/* Open more events on a CPU than it has counters. */
static void crowd(struct __test_metadata *_metadata, int cpu, int *fds)
{
	struct perf_event_attr attr = pe_sim_attr();
	int i;

	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	for (i = 0; i < SHARING; i++) {
		fds[i] = pe_open(&attr, -1, cpu, -1, 0);
		ASSERT_LE(0, fds[i]);
	}
}

/* Time between two reads of the events. Their number is limited: the host may stop the guest. */
#define POLL_MS		5

/* Return a mask of the events that never run. */
static unsigned int waiting(const int *fds, int seconds)
{
	int polls = seconds * 1000 / POLL_MS;
	struct got first[SHARING], now;
	unsigned int left = (1 << SHARING) - 1;
	int i;

	for (i = 0; i < SHARING; i++) {
		if (read(fds[i], &first[i], sizeof(first[i])) != sizeof(first[i]))
			return left;
	}
	while (left && polls--) {
		pe_sleep_ms(POLL_MS);
		for (i = 0; i < SHARING; i++) {
			if (read(fds[i], &now, sizeof(now)) != sizeof(now))
				return left;
			if (now.running > first[i].running)
				left &= ~(1 << i);
		}
	}
	return left;
}

/* A rotation interval that is longer than offlining and onlining a CPU takes. */
#define INTERVAL	400
#define INTERVAL_FILE	PE_SIM "perf_event_mux_interval_ms"

FIXTURE(rotation) {
	int here[SHARING], there[SHARING];
	long interval;
};

FIXTURE_SETUP(rotation)
{
	self->interval = -1;
	if (geteuid() || access(ONLINE, W_OK))
		SKIP(return, "needs root, and a CPU 1 that can go offline");
	if (!getenv("PE_HARD"))
		SKIP(return, "PE_HARD is not set");
	if (pe_sim_type() < 0)
		SKIP(return, "no simulated PMU");
	self->interval = pe_get(INTERVAL_FILE);
	ASSERT_LT(0, self->interval);
	ASSERT_EQ(0, pe_set(INTERVAL_FILE, INTERVAL));
	ASSERT_EQ(0, pe_move_to(0));
}

FIXTURE_TEARDOWN(rotation)
{
	int i;

	if (self->interval < 0)
		return;
	pe_set(ONLINE, 1);
	for (i = 0; i < SHARING; i++) {
		close(self->here[i]);
		close(self->there[i]);
	}
	EXPECT_EQ(0, pe_set(INTERVAL_FILE, self->interval));
}

/*
 * Offline the CPU, and online it again: at once, or after its timer has expired on another CPU.
 */
static void go_and_come(struct __test_metadata *_metadata, struct _test_data_rotation *self,
			bool at_once)
{
	int round;

	crowd(_metadata, 0, self->here);
	crowd(_metadata, 1, self->there);
	EXPECT_EQ(0, waiting(self->there, 10));
	for (round = 0; round < 2; round++) {
		ASSERT_EQ(0, pe_set(ONLINE, 0));
		if (!at_once)
			EXPECT_EQ(0, waiting(self->here, 10));
		ASSERT_EQ(0, pe_set(ONLINE, 1));
		EXPECT_EQ(0, waiting(self->there, 10));
		EXPECT_EQ(0, waiting(self->here, 10));
	}
}

/*
 * The timer of an offlined CPU is migrated to another CPU, which also has events that wait. The
 * timer must not rotate those forever, instead of the events of its own CPU.
 */
TEST_F(rotation, after_a_while)
{
	go_and_come(_metadata, self, false);
}

TEST_F(rotation, at_once)
{
	go_and_come(_metadata, self, true);
}

TEST_HARNESS_MAIN
