// SPDX-License-Identifier: GPL-2.0
/*
 * perf_event_open(2): each kind of event as a member of each kind of leader. The table has the
 * results of Linux 6.12.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_lib.h"
#include "pe_trace.h"

/* Which task or cgroup */
enum target { SELF, CHILD, ANY_TASK, CGROUP, OTHER_CGROUP };

/**
 * struct kind - a kind of event
 * @name: name for messages
 * @target: its task or cgroup
 * @cpu: its CPU, or -1
 * @change: changes the attribute, which is that of a page fault event
 */
struct kind {
	const char	*name;
	enum target	target;
	int		cpu;
	void		(*change)(struct perf_event_attr *attr);
};

static void set_clock(struct perf_event_attr *a)
{
	a->config = PERF_COUNT_SW_TASK_CLOCK;
}

static void set_cpu_clock(struct perf_event_attr *a)
{
	a->config = PERF_COUNT_SW_CPU_CLOCK;
}

static void set_clockid(struct perf_event_attr *a)
{
	a->use_clockid = 1;
	a->clockid = CLOCK_MONOTONIC;
}

static void set_exclusive(struct perf_event_attr *a)
{
	a->exclusive = 1;
}

static void set_pinned(struct perf_event_attr *a)
{
	a->pinned = 1;
}

static void set_inherit(struct perf_event_attr *a)
{
	a->inherit = 1;
}

static void set_sampling(struct perf_event_attr *a)
{
	a->sample_period = 1000000;
}

static void set_group_read(struct perf_event_attr *a)
{
	a->read_format = PERF_FORMAT_GROUP;
}

static void set_disabled(struct perf_event_attr *a)
{
	a->disabled = 1;
}

static void set_tracepoint(struct perf_event_attr *a)
{
	pe_tracepoint(a, pe_call_name());
}

static const struct kind kinds[] = {
	{ "self", SELF, -1 },
	{ "self, CPU 0", SELF, 0 },
	{ "self, CPU 1", SELF, 1 },
	{ "child", CHILD, -1 },
	{ "child, CPU 0", CHILD, 0 },
	{ "CPU 0", ANY_TASK, 0 },
	{ "CPU 1", ANY_TASK, 1 },
	{ "cgroup, CPU 0", CGROUP, 0 },
	{ "cgroup, CPU 1", CGROUP, 1 },
	{ "other cgroup, CPU 0", OTHER_CGROUP, 0 },
	{ "task clock", SELF, -1, set_clock },
	{ "CPU clock", SELF, -1, set_cpu_clock },
	{ "CPU clock, CPU 0", ANY_TASK, 0, set_cpu_clock },
	{ "monotonic clock", SELF, -1, set_clockid },
	{ "exclusive", SELF, -1, set_exclusive },
	{ "pinned", SELF, -1, set_pinned },
	{ "inherited", SELF, -1, set_inherit },
	{ "sampling", SELF, -1, set_sampling },
	{ "group read", SELF, -1, set_group_read },
	{ "disabled", SELF, -1, set_disabled },
	{ "tracepoint", SELF, -1, set_tracepoint },
	{ "tracepoint, CPU 0", ANY_TASK, 0, set_tracepoint },
};

#define KINDS	((int)PE_ARRAY_SIZE(kinds))

/* A row for each leader, a column for each member: '.' for success, 'I' for EINVAL */
static const char * const expected[KINDS] = {
	".IIIIIIIII..IIIII....I",	/* self */
	"I.IIIIIIIIIIIIIIIIIIII",	/* self, CPU 0 */
	"II.IIIIIIIIIIIIIIIIIII",	/* self, CPU 1 */
	"III.IIIIIIIIIIIIIIIIII",	/* child */
	"IIII.IIIIIIIIIIIIIIIII",	/* child, CPU 0 */
	"IIIII.IIIIII.IIIIIIII.",	/* CPU 0 */
	"IIIIII.IIIIIIIIIIIIIII",	/* CPU 1 */
	"IIIII.I.IIII.IIIIIIII.",	/* cgroup, CPU 0 */
	"IIIIII.I.IIIIIIIIIIIII",	/* cgroup, CPU 1 */
	"IIIII.III.II.IIIIIIII.",	/* other cgroup, CPU 0 */
	".IIIIIIIII..IIIII....I",	/* task clock */
	".IIIIIIIII..IIIII....I",	/* CPU clock */
	"IIIII.IIIIII.IIIIIIII.",	/* CPU clock, CPU 0 */
	"IIIIIIIIIIIII.IIIIIIII",	/* monotonic clock */
	".IIIIIIIII..IIIII....I",	/* exclusive */
	".IIIIIIIII..IIIII....I",	/* pinned */
	"IIIIIIIIIIIIIIII.IIIII",	/* inherited */
	".IIIIIIIII..IIIII....I",	/* sampling */
	".IIIIIIIII..IIIII....I",	/* group read */
	".IIIIIIIII..IIIII....I",	/* disabled */
	".IIIIIIIII..IIIII....I",	/* tracepoint */
	"IIIII.IIIIII.IIIIIIII.",	/* tracepoint, CPU 0 */
};

FIXTURE(pairs) {
	struct pe_child child;
	char name[2][32];
	int cgroup[2];
};

FIXTURE_SETUP(pairs)
{
	int i;

	if (pe_cpu_count() < 2)
		SKIP(return, "needs two CPUs");
	for (i = 0; i < 2; i++) {
		snprintf(self->name[i], sizeof(self->name[i]), "pe_pairs_%d_%d", getpid(), i);
		self->cgroup[i] = pe_cgroup_make(self->name[i]);
		if (self->cgroup[i] < 0)
			SKIP(return, "cannot make a cgroup");
	}
	ASSERT_EQ(0, pe_child_start(&self->child));
}

FIXTURE_TEARDOWN(pairs)
{
	int i;

	pe_child_end(&self->child);
	for (i = 0; i < 2; i++) {
		close(self->cgroup[i]);
		pe_cgroup_remove(self->name[i]);
	}
}

static int open_kind(const struct kind *kind, const int *cgroup, pid_t child, int leader)
{
	const int target[] = { 0, child, -1, cgroup[0], cgroup[1] };
	struct perf_event_attr attr = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);

	if (kind->change)
		kind->change(&attr);
	return pe_open(&attr, target[kind->target], kind->cpu, leader,
		       kind->target >= CGROUP ? PERF_FLAG_PID_CGROUP : 0);
}

TEST_F(pairs, as_on_linux_6_12)
{
	int i, j, leader, member;
	char row[KINDS + 1];

	for (i = 0; i < KINDS; i++) {
		leader = open_kind(&kinds[i], self->cgroup, self->child.pid, -1);
		ASSERT_LE(0, leader)
			TH_LOG("%s", kinds[i].name);
		for (j = 0; j < KINDS; j++) {
			member = open_kind(&kinds[j], self->cgroup, self->child.pid, leader);
			row[j] = member >= 0 ? '.' : member == -EINVAL ? 'I' : '?';
			if (member >= 0)
				close(member);
		}
		row[KINDS] = 0;
		EXPECT_STREQ(expected[i], row)
			TH_LOG("leader: %s", kinds[i].name);
		close(leader);
	}
}

TEST_HARNESS_MAIN
