// SPDX-License-Identifier: GPL-2.0
/*
 * An unprivileged attacker has all counters of the CPU whenever it runs. Meanwhile another user
 * counts a task, and root counts the CPU. The counts of the task must be exact, and its event must
 * always have had a counter. An event of the CPU has no counter while the attacker runs, and must
 * count all work of other tasks, unless the attacker has pinned perf events. The test also fails if
 * the attack had no effect.
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

/* Take all counters. Run always, or wake up briefly. */
static void attack(bool sleeps)
{
	const struct timespec asleep = { .tv_nsec = ASLEEP_NS };
	const volatile struct vperfctr_state *page;
	struct vperfctr_control all;
	int fd;

	become(ATTACKER);
	prctl(PR_SET_TIMERSLACK, 1);
	fd = vperfctr_open(0, 1);
	page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
	if (fd < 0 || page == MAP_FAILED)
		_exit(91);
	all = all_counters(fd, 1);
	if (!all.cpu_control.nractrs || vperfctr_control(fd, &all))
		_exit(92);
	for (;;) {
		work(WORK_AWAKE);
		if (perfctr_cstatus_nractrs(page->cpu_state.cstatus) == all.cpu_control.nractrs)
			__atomic_add_fetch(&shared->attacks, 1, __ATOMIC_RELAXED);
		if (sleeps)
			nanosleep(&asleep, NULL);
	}
}

/* Take all counters by pinned events, and wake up briefly. */
static void pin(void)
{
	const struct timespec asleep = { .tv_nsec = ASLEEP_NS };
	int fds[MAX_EVENTS], n, i;

	become(ATTACKER);
	prctl(PR_SET_TIMERSLACK, 1);
	/* The last event is in the error state. */
	n = pin_all(fds, -1) - 1;
	if (n < 1)
		_exit(91);
	for (;;) {
		work(WORK_AWAKE);
		for (i = 0; i < n; i++) {
			if (count_of(fds[i]) < 0)
				_exit(92);
		}
		__atomic_add_fetch(&shared->attacks, 1, __ATOMIC_RELAXED);
		nanosleep(&asleep, NULL);
	}
}

static unsigned int nr_attacks(void)
{
	return __atomic_load_n(&shared->attacks, __ATOMIC_RELAXED);
}

static pid_t start_attacker(bool sleeps, bool pins)
{
	pid_t child;
	int i;

	shared->attacks = 0;
	child = fork();
	if (!child && pins)
		pin();
	if (!child)
		attack(sleeps);
	for (i = 0; i < 10000 && !nr_attacks(); i++)
		usleep(10000);
	return child;
}

/* Should the victim continue? Yes, until it has been attacked. */
static bool goes_on(int round, bool attacked)
{
	return round < ROUNDS || (round < MOST_ROUNDS && !attacked);
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
	struct times before, after;
	bool attacked = false;
	unsigned int attacks;
	int event, i;
	__u64 count;

	event = open_branches(-1);
	if (event < 0)
		return 1;
	attacks = nr_attacks();
	for (i = 0; goes_on(i, attacked); i++) {
		if (!read_times(event, &before))
			return 2;
		work(WORK);
		attacked = nr_attacks() != attacks;
		if (!read_times(event, &after))
			return 3;
		count = after.value - before.value;
		if (count < WORK || count > WORK + SLACK)
			return 4;
		if (after.running - before.running != after.enabled - before.enabled)
			return 5;
	}
	return attacked ? 0 : 6;
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

/*
 * An event of the CPU is scheduled in whenever the attacker is switched out, and so counts all work
 * of this task, however often and for how long the attacker runs.
 */
static void cpu_is_counted(struct __test_metadata *_metadata)
{
	struct times first, before, after;
	bool attacked = false;
	unsigned int attacks;
	int event, i;

	event = open_branches(0);
	ASSERT_LE(0, event);
	ASSERT_TRUE(read_times(event, &first));
	attacks = nr_attacks();
	for (i = 0, after = first; goes_on(i, attacked); i++) {
		before = after;
		work(WORK);
		/* Each attack that is seen here was between two reads of the event. */
		attacked = nr_attacks() != attacks;
		ASSERT_TRUE(read_times(event, &after));
		/* Other tasks may have been counted, too. */
		EXPECT_LE(WORK, after.value - before.value) {
			TH_LOG("round %d, %llu ns of %llu", i,
			       (unsigned long long)(after.running - before.running),
			       (unsigned long long)(after.enabled - before.enabled));
		}
	}
	EXPECT_TRUE(attacked);
	/* The attacker had the counter in between. */
	EXPECT_LT(after.running - first.running, after.enabled - first.enabled);
	close(event);
}

static void count_beside(struct __test_metadata *_metadata, bool sleeps)
{
	pid_t attacker = start_attacker(sleeps, false);
	int status;

	ASSERT_LE(0, attacker);
	EXPECT_LT(0, nr_attacks());
	victim_is_right(_metadata);
	cpu_is_counted(_metadata);
	EXPECT_EQ(0, waitpid(attacker, &status, WNOHANG)) {
		TH_LOG("the attacker ended with %#x", status);
	}
	kill(attacker, SIGKILL);
	waitpid(attacker, NULL, 0);
}

/* An attacker that never sleeps */
TEST_F(attack, claiming_hog)
{
	count_beside(_metadata, false);
}

/* An attacker that takes the counters of other tasks many times in a tick, each time briefly */
TEST_F(attack, evicting_sleeper)
{
	count_beside(_metadata, true);
}

/*
 * How often a thread can take the counters of such events is not limited: pinned perf events of a
 * thread take the counters of a CPU's events in each of its switches, too, and until the next
 * rotation. This attacker has pinned events, and does not use perfctr.
 */
TEST_F(attack, pinning_sleeper)
{
	pid_t attacker = start_attacker(true, true);
	struct times before, after;
	unsigned int attacks;
	int event, status, i;

	ASSERT_LE(0, attacker);
	EXPECT_LT(0, nr_attacks());
	event = open_branches(0);
	ASSERT_LE(0, event);
	ASSERT_TRUE(read_times(event, &before));
	attacks = nr_attacks();
	/* The last of these attacks has begun after the first read. */
	for (i = 0; i < MOST_ROUNDS && nr_attacks() < attacks + 2; i++)
		work(WORK);
	EXPECT_LE(attacks + 2, nr_attacks());
	ASSERT_TRUE(read_times(event, &after));
	EXPECT_LT(after.running - before.running, after.enabled - before.enabled);
	close(event);
	EXPECT_EQ(0, waitpid(attacker, &status, WNOHANG)) {
		TH_LOG("the attacker ended with %#x", status);
	}
	kill(attacker, SIGKILL);
	waitpid(attacker, NULL, 0);
}

TEST_HARNESS_MAIN
