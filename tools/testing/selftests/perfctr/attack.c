// SPDX-License-Identifier: GPL-2.0
/*
 * An unprivileged attacker has all counters of the CPU whenever it runs. Meanwhile another user
 * counts a task, and root counts the CPU. The counts of the task must be exact, and its event must
 * always have had a counter. An event of the CPU must count about as much of a known work as it
 * does beside an attacker that has the counters by pinned perf events. The test also fails if the
 * attack had no effect.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "../kselftest_harness.h"
#include "beside.h"

#define ATTACKER	65533
#define ROUNDS		50
#define MOST_ROUNDS	5000	/* if the attacker has not run before */
#define WORK		1000000
#define WORK_AWAKE	10000	/* some 10 us */
#define ASLEEP_NS	90000

/**
 * struct times - result of a read of an event
 * @value: count
 * @enabled: time enabled
 * @running: time with a counter
 */
struct times {
	__u64	value;
	__u64	enabled;
	__u64	running;
};

/**
 * struct shared - memory that the attacker writes
 * @attacks: number of times that the attacker ran with all counters
 */
struct shared {
	unsigned int	attacks;
};

static struct shared *shared;

FIXTURE(attack) {
	int watchdog;
};

FIXTURE_SETUP(attack)
{
	if (!is_x86())
		SKIP(return, "only x86 has events that share no counter");
	if (!has_counters())
		SKIP(return, "no counters");
	if (geteuid())
		SKIP(return, "needs root, to become other users");
	if (set_number(PARANOID, -1) > 2)
		SKIP(return, "only root may open events");
	/* The NMI watchdog is a pinned event, and has a counter that no attacker gets. */
	self->watchdog = set_number(WATCHDOG, 0);
	ASSERT_EQ(0, stay_on(0));
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	ASSERT_NE(MAP_FAILED, shared);
}

FIXTURE_TEARDOWN(attack)
{
	if (self->watchdog > 0)
		set_number(WATCHDOG, self->watchdog);
}

static void become(unsigned int id)
{
	if (setgid(id) || setuid(id))
		_exit(90);
	/* The change of credentials has reset this. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

/* Take all counters by perfctr, or by pinned events. Run always, or wake up briefly. */
static void attack(bool by_perfctr, bool sleeps)
{
	const struct timespec asleep = { .tv_nsec = ASLEEP_NS };
	const volatile struct vperfctr_state *page = NULL;
	struct vperfctr_control all;
	int fds[MAX_EVENTS], fd;

	become(ATTACKER);
	prctl(PR_SET_TIMERSLACK, 1);
	if (by_perfctr) {
		fd = vperfctr_open(0, 1);
		page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
		if (fd < 0 || page == MAP_FAILED)
			_exit(91);
		all = all_counters(fd, 1);
		if (!all.cpu_control.nractrs || vperfctr_control(fd, &all))
			_exit(92);
	} else if (!pin_all(fds, -1)) {
		_exit(93);
	}
	for (;;) {
		work(WORK_AWAKE);
		if (!page || perfctr_cstatus_nractrs(page->cpu_state.cstatus) ==
			     all.cpu_control.nractrs)
			__atomic_add_fetch(&shared->attacks, 1, __ATOMIC_RELAXED);
		if (sleeps)
			nanosleep(&asleep, NULL);
	}
}

static unsigned int nr_attacks(void)
{
	return __atomic_load_n(&shared->attacks, __ATOMIC_RELAXED);
}

static pid_t start_attacker(bool by_perfctr, bool sleeps)
{
	pid_t child;
	int i;

	shared->attacks = 0;
	child = fork();
	if (!child)
		attack(by_perfctr, sleeps);
	for (i = 0; i < 10000 && !nr_attacks(); i++)
		usleep(10000);
	return child;
}

/* Should the victim continue? Yes, until the number of attacks differs from @attacks. */
static bool goes_on(int round, unsigned int attacks)
{
	return round < ROUNDS || (round < MOST_ROUNDS && nr_attacks() == attacks);
}

/* Branches: no fixed counter counts them. */
static int open_branches(int cpu)
{
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_HARDWARE,
		.size		= sizeof(attr),
		.config		= PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
		.read_format	= PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.exclude_kernel	= 1,
	};

	return syscall(__NR_perf_event_open, &attr, cpu < 0 ? 0 : -1, cpu, -1, 0);
}

static bool read_times(int event, struct times *times)
{
	return read(event, times, sizeof(*times)) == sizeof(*times);
}

/* The victim counts itself. Return: 0, or a description of the fault. */
static int count_own(void)
{
	unsigned int attacks = nr_attacks();
	struct times before, after;
	int event, i;
	__u64 count;

	event = open_branches(-1);
	if (event < 0)
		return 1;
	for (i = 0; goes_on(i, attacks); i++) {
		if (!read_times(event, &before))
			return 2;
		work(WORK);
		if (!read_times(event, &after))
			return 3;
		count = after.value - before.value;
		if (count < WORK || count > WORK + SLACK)
			return 4;
		if (after.running - before.running != after.enabled - before.enabled)
			return 5;
	}
	return nr_attacks() == attacks ? 6 : 0;
}

static void victim_is_right(struct __test_metadata *_metadata)
{
	pid_t child = fork();
	int status;

	ASSERT_LE(0, child);
	if (!child) {
		become(NOBODY);
		_exit(count_own());
	}
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
}

/* Return: the part of the work that an event of the CPU counts, in percent. */
static __u64 count_cpu(struct __test_metadata *_metadata)
{
	unsigned int attacks = nr_attacks();
	struct times first, before, after;
	__u64 counted = 0, count;
	int event, i;

	event = open_branches(0);
	ASSERT_LE(0, event);
	ASSERT_TRUE(read_times(event, &first));
	for (i = 0, after = first; goes_on(i, attacks); i++) {
		before = after;
		work(WORK);
		ASSERT_TRUE(read_times(event, &after));
		count = after.value - before.value;
		/* Other tasks may have been counted, too. */
		counted += count < WORK ? count : WORK;
	}
	/* The attacker had the counter in between. */
	EXPECT_LT(first.running, after.running);
	EXPECT_LT(after.running - first.running, after.enabled - first.enabled);
	EXPECT_NE(attacks, nr_attacks());
	close(event);
	return counted * 100 / ((__u64)i * WORK);
}

static __u64 count_beside(struct __test_metadata *_metadata, bool by_perfctr, bool sleeps)
{
	pid_t attacker = start_attacker(by_perfctr, sleeps);
	__u64 percent;
	int status;

	ASSERT_LE(0, attacker);
	EXPECT_LT(0, nr_attacks());
	victim_is_right(_metadata);
	percent = count_cpu(_metadata);
	EXPECT_EQ(0, waitpid(attacker, &status, WNOHANG)) {
		TH_LOG("the attacker ended with %#x", status);
	}
	kill(attacker, SIGKILL);
	waitpid(attacker, NULL, 0);
	return percent;
}

static void is_fair(struct __test_metadata *_metadata, bool sleeps)
{
	__u64 beside_perf = count_beside(_metadata, false, sleeps);
	__u64 beside_claim = count_beside(_metadata, true, sleeps);

	TH_LOG("counted beside pinned events: %llu%%, beside perfctr: %llu%%", beside_perf,
	       beside_claim);
	/*
	 * The machine decides how often the attacker runs: a quarter of the other share suffices.
	 */
	EXPECT_LE(beside_perf / 4, beside_claim);
	EXPECT_LT(0, beside_claim);
}

/* An attacker that never sleeps */
TEST_F(attack, claiming_hog)
{
	is_fair(_metadata, false);
}

/* An attacker that takes the counters of other tasks many times in a tick, each time briefly */
TEST_F(attack, evicting_sleeper)
{
	is_fair(_metadata, true);
}

TEST_HARNESS_MAIN
