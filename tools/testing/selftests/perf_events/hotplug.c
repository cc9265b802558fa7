// SPDX-License-Identifier: GPL-2.0
/*
 * A CPU that goes away and comes back, again and again, under load and with
 * events of every kind open.
 */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "../kselftest_harness.h"
#include "pe_sim.h"

#define ONLINE		"/sys/devices/system/cpu/cpu1/online"
#define ROUNDS		100
#define SECONDS		15	/* at most, on a machine that is slow */
#define WORKERS		2
#define FAULTS		4
#define STEPS		7

/**
 * struct worker - a thread that makes faults and steps
 * @thread: it
 * @faults: its event of page faults
 * @steps: its group of steps, leader and member
 * @rounds: how many times it has made FAULTS faults and STEPS steps
 * @stop: it is to end
 * @err: what went wrong, 0 for nothing
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

TEST(events_outlive_their_cpu)
{
	struct perf_event_attr clock = pe_attr(PERF_COUNT_SW_CPU_CLOCK);
	struct perf_event_attr steps = pe_sim_attr();
	struct perf_event_attr faults = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int cpu_clock, cpu_steps = -1, cpu_faults, i;
	struct worker workers[WORKERS] = { };
	__u64 before, total = 0;
	time_t end = time(NULL) + SECONDS;

	if (geteuid() || access(ONLINE, W_OK))
		SKIP(return, "needs root, and a CPU 1 that can go offline");
	/* Kernels are known where an event of a CPU ends with it. */
	if (!getenv("PE_HARD"))
		SKIP(return, "PE_HARD is not set");
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

	for (i = 0; i < ROUNDS && time(NULL) < end; i++) {
		ASSERT_EQ(0, pe_set(ONLINE, 0));
		EXPECT_EQ(-ENODEV, pe_try(&clock, -1, 1, -1, 0));
		before = pe_count(cpu_clock);
		pe_spin(1000);
		/* It stands still while there is no CPU. */
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

TEST_HARNESS_MAIN
