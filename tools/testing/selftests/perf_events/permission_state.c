// SPDX-License-Identifier: GPL-2.0
/*
 * Which users may read about other users' events: every combination of the level, the caller's
 * capabilities and the owner of the events that keep the caller's event waiting.
 */
#include <errno.h>
#include <linux/perf_event_ext.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_lib.h"
#include "pe_sim.h"

#define LOWEST		(-1)
#define HIGHEST		3

static const struct {
	const char	*name;
	uid_t		uid;
} owners[] = {
	{ "the same user", PE_UID }, { "another user", PE_OTHER_UID }, { "root", 0 },
};

static const struct {
	const char	*name;
	__u64		caps;
} rights[] = {
	{ "no right", 0 }, { "CAP_PERFMON", PE_CAP(CAP_PERFMON) },
	{ "CAP_SYS_PTRACE", PE_CAP(CAP_SYS_PTRACE) },
};

FIXTURE(permission_state) {
	long level;
};

FIXTURE_SETUP(permission_state)
{
	struct perf_event_state_info info = { .size = sizeof(info) };
	struct perf_event_attr a = pe_sim_attr();
	int fd;

	self->level = pe_get(PE_PARANOID);
	if (pe_sim_type() < 0 || geteuid())
		SKIP(return, "needs root and the simulated PMU");
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	if (pe_ioctl(fd, PERF_EVENT_IOC_STATE, (unsigned long)&info) == -ENOTTY)
		SKIP_OTHERS(return, "needs PERF_EVENT_IOC_STATE");
	close(fd);
	pe_move_to(0);
}

FIXTURE_TEARDOWN(permission_state)
{
	pe_set(PE_PARANOID, self->level);
}

/**
 * struct owner - a process that has pinned groups of one event on CPU 0
 * @uid: its user
 * @hidden: not dumpable, so that the same user may not trace it
 * @groups: number of groups
 * @exclusive: the groups are exclusive
 */
struct owner {
	uid_t		uid;
	bool		hidden;
	unsigned int	groups;
	bool		exclusive;
};

/* Return: its pid, or -errno. */
static pid_t start_owner(const struct owner *o)
{
	struct perf_event_attr a = pe_sim_attr();
	pid_t pid, me = getpid();
	unsigned int i;
	int ready[2];
	char c;

	if (pipe(ready))
		return -errno;
	pid = fork();
	if (!pid) {
		a.pinned = 1;
		a.exclusive = o->exclusive;
		for (i = 0; i < o->groups; i++) {
			if (pe_open(&a, -1, 0, -1, 0) < 0)
				_exit(1);
		}
		/*
		 * A process that changes its user is not dumpable, unless it sets PR_SET_DUMPABLE.
		 */
		if (o->uid && (pe_become(o->uid, 0) || prctl(PR_SET_DUMPABLE, !o->hidden)))
			_exit(1);
		pe_die_with(me);
		if (write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	if (read(ready[0], &c, 1) != 1) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		pid = -EIO;
	}
	close(ready[0]);
	return pid;
}

static void end_owner(pid_t owner)
{
	kill(owner, SIGKILL);
	waitpid(owner, NULL, 0);
}

static int tell(int fd, struct perf_event_state_info *info)
{
	memset(info, 0, sizeof(*info));
	info->size = sizeof(*info);
	return pe_ioctl(fd, PERF_EVENT_IOC_STATE, (unsigned long)info);
}

/* Return: 0 if a caller with @caps may read no values, 1 if it may read all, or a failed check */
static int what_is_told(__u64 caps, bool pinned, pid_t owner)
{
	struct perf_event_attr a = pe_sim_attr();
	struct perf_event_state_info info;
	unsigned int i, of_owner = 0;
	int fd;

	a.pinned = pinned;
	fd = pe_self(&a);
	if (fd < 0 || pe_become(PE_UID, caps) || tell(fd, &info))
		return 2;
	if (info.status != (pinned ? PERF_STATUS_ERROR : PERF_STATUS_WAITING))
		return 3;
	for (i = 0; i < info.nr_groups; i++)
		of_owner += info.groups[i].id && info.groups[i].pid == owner;
	if (!info.on_groups && !info.nr_groups && !info.groups[0].id &&
	    (info.flags & PERF_EVENT_OTHERS_ON) && info.obstacle == PERF_OBSTACLE_GROUPS)
		return 0;
	if (info.flags & PERF_EVENT_OTHERS_ON || info.on_groups != PE_SIM_COUNTERS)
		return 4;
	if (info.obstacle != PERF_OBSTACLE_PINNED)
		return 5;
	/* For a pinned event, the kernel reports one group, and not its owner. */
	return (pinned ? info.nr_groups == 1 : of_owner == PE_SIM_COUNTERS) ? 1 : 6;
}

static int groups_reported(__u64 caps, bool pinned, pid_t owner)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(what_is_told(caps, pinned, owner));
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

TEST_F(permission_state, of_everything)
{
	unsigned int o, r;
	int level;

	for (o = 0; o < PE_ARRAY_SIZE(owners); o++) {
		struct owner with = { .uid = owners[o].uid, .groups = PE_SIM_COUNTERS };
		pid_t owner = start_owner(&with);

		ASSERT_LT(0, owner);
		for (level = LOWEST; level <= HIGHEST; level++) {
			ASSERT_EQ(0, pe_set(PE_PARANOID, level));
			for (r = 0; r < PE_ARRAY_SIZE(rights); r++) {
				/* A caller that may monitor a CPU may read all groups. */
				bool all = level < 1 || (rights[r].caps & PE_CAP(CAP_PERFMON));
				bool of_owner = owners[o].uid == PE_UID ||
						(rights[r].caps & PE_CAP(CAP_SYS_PTRACE));

				EXPECT_EQ(all || of_owner,
					  groups_reported(rights[r].caps, false, owner))
					TH_LOG("level %d, %s, events of %s", level, rights[r].name,
					       owners[o].name);
				EXPECT_EQ(all, groups_reported(rights[r].caps, true, owner))
					TH_LOG("level %d, %s, note of %s", level, rights[r].name,
					       owners[o].name);
			}
		}
		end_owner(owner);
	}
}

/* A caller of the same user is refused if it has no permission to trace the owner. */
TEST_F(permission_state, of_one_that_hides)
{
	struct owner with = { .uid = PE_UID, .hidden = true, .groups = PE_SIM_COUNTERS };
	pid_t owner = start_owner(&with);

	ASSERT_LT(0, owner);
	ASSERT_EQ(0, pe_set(PE_PARANOID, 2));
	EXPECT_EQ(0, groups_reported(0, false, owner));
	EXPECT_EQ(1, groups_reported(PE_CAP(CAP_SYS_PTRACE), false, owner));
	end_owner(owner);
}

/* An exclusive group of another user is not reported either. */
TEST_F(permission_state, of_an_exclusive_group)
{
	struct owner with = { .uid = PE_OTHER_UID, .groups = 1, .exclusive = true };
	pid_t owner = start_owner(&with);

	ASSERT_LT(0, owner);
	ASSERT_EQ(0, pe_set(PE_PARANOID, 2));
	EXPECT_EQ(0, groups_reported(0, false, owner));
	EXPECT_EQ(0, groups_reported(0, true, owner));
	end_owner(owner);
}

/* Open pinned groups of one event each, and then another event, which waits. */
static int half_is_own(void *unused)
{
	struct perf_event_attr a = pe_sim_attr();
	struct perf_event_state_info info;
	unsigned int i;
	int fd;

	a.pinned = 1;
	for (i = 0; i < PE_SIM_COUNTERS / 2; i++) {
		if (pe_open(&a, -1, 0, -1, 0) < 0)
			return -EIO;
	}
	a.pinned = 0;
	fd = pe_self(&a);
	if (fd < 0 || pe_become(PE_UID, 0) || tell(fd, &info))
		return -EIO;
	if (info.status != PERF_STATUS_WAITING || info.obstacle != PERF_OBSTACLE_GROUPS ||
	    !(info.flags & PERF_EVENT_OTHERS_ON))
		return -EPROTO;
	if (info.on_groups != PE_SIM_COUNTERS / 2 || info.nr_groups != PE_SIM_COUNTERS / 2)
		return -ERANGE;
	for (i = 0; i < PE_SIM_COUNTERS / 2; i++) {
		if (info.groups[i].pid != getpid())
			return -EPERM;
	}
	return 0;
}

TEST_F(permission_state, of_half)
{
	struct owner with = { .uid = PE_OTHER_UID, .groups = PE_SIM_COUNTERS / 2 };
	pid_t owner = start_owner(&with);

	ASSERT_LT(0, owner);
	ASSERT_EQ(0, pe_set(PE_PARANOID, 2));
	EXPECT_EQ(0, pe_run_as(0, -1ULL, half_is_own, NULL));
	end_owner(owner);
}

/* The caller's own pinned group, and perhaps another user's, keep a pinned event off. */
static int note_is_own(void *two)
{
	struct perf_event_attr a = pe_sim_attr();
	struct perf_event_state_info info;
	int fd, i, leader = -1;

	a.pinned = 1;
	for (i = 0; i < PE_SIM_COUNTERS; i++) {
		fd = pe_open(&a, -1, 0, leader, 0);
		if (fd < 0)
			return -EIO;
		/* Only the leader is pinned. */
		a.pinned = two && i == 0;
		leader = a.pinned ? -1 : leader < 0 ? fd : leader;
	}
	a.pinned = 1;
	fd = pe_self(&a);
	if (fd < 0 || pe_become(PE_UID, 0) || tell(fd, &info))
		return -EIO;
	if (info.status != PERF_STATUS_ERROR || info.obstacle != PERF_OBSTACLE_PINNED)
		return -EPROTO;
	if (info.on_groups != 1 || info.nr_groups != 1 || !info.groups[0].id)
		return -ERANGE;
	if (!(info.flags & PERF_EVENT_OTHERS_ON) != !two)
		return -EUSERS;
	return info.groups[0].pid == getpid() ? 0 : -EPERM;
}

TEST_F(permission_state, of_a_note_of_its_own)
{
	ASSERT_EQ(0, pe_set(PE_PARANOID, 2));
	EXPECT_EQ(0, pe_run_as(0, -1ULL, note_is_own, NULL));
	EXPECT_EQ(0, pe_run_as(0, -1ULL, note_is_own, self));
}

TEST_HARNESS_MAIN
