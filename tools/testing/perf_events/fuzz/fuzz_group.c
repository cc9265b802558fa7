// SPDX-License-Identifier: GPL-2.0
/*
 * Order in which groups get the PMU: the trees of groups and their ages
 * (group_tree.c). The input is what happens to some groups of a CPU and of its
 * task: they are enabled and disabled, run, wait, do not fit, and rotate. The
 * trees are compared with a sorted list, and no group may starve.
 */
#include "fuzz.h"
#include "rbtree.h"
#include <linux/lockdep.h>

#define NSEC_PER_MSEC		1000000L
#define U64_MAX			UINT64_MAX
#define PERF_EV_CAP_SOFTWARE	1
#define max3(a, b, c)		max(max(a, b), c)

enum perf_event_state {
	PERF_EVENT_STATE_OFF = -1,
	PERF_EVENT_STATE_INACTIVE,
	PERF_EVENT_STATE_ACTIVE,
};

/* The parts of the kernel's structures that group_tree.c uses. */
struct perf_cgroup;

struct perf_event_context {
	unsigned int	nr_sched;
};

struct perf_event_pmu_context {
	struct rb_root	pinned_groups, flexible_groups;
	u64		age_base;
};

struct perf_event {
	int				cpu;
	const struct perf_cgroup	*cgrp;
	u64				group_runtime;
	u64				id;
	struct rb_node			group_node;
	struct perf_event_pmu_context	*pmu_ctx;
	struct perf_event_context	*ctx;
	enum perf_event_state		state;
	unsigned int			group_caps;
	struct { bool pinned; } attr;

	/*
	 * Fields of the fuzzer: since when the group is on, and how many
	 * counters it needs.
	 */
	u64				since;
	unsigned int			size;
	unsigned int			waited;
};

struct perf_stretch_look {
	struct perf_event	*waiting;
	u64			youngest;
	u64			level;
};

static u64 now;

static u64 perf_event_ran(const struct perf_event *event)
{
	return now - event->since;
}

/* Its counts tell a switch of cgroups which PMUs to look at. */
static void perf_cgroup_count_group(struct perf_event *leader, int n) { }

#include "bare/group_tree.c"

#define NR_GROUPS	10
#define TASK		1	/* which part: the CPU's is 0 */

static struct perf_event groups[NR_GROUPS];
static struct perf_event_pmu_context parts[2];
static struct perf_event_context contexts[2];
static unsigned int counters;
static u64 next_id;
static bool task_served;
static u64 interval;	/* interval of the timer, ns */

static bool in_tree(const struct perf_event *leader)
{
	return !RB_EMPTY_NODE(&leader->group_node);
}

static bool is_on(const struct perf_event *leader)
{
	return leader->state == PERF_EVENT_STATE_ACTIVE;
}

static unsigned int in_use(void)
{
	unsigned int n = 0;
	int i;

	for (i = 0; i < NR_GROUPS; i++)
		n += is_on(&groups[i]) ? groups[i].size : 0;
	return n;
}

/*
 * Does @a come before @b in its stretch? This is the order that users of the
 * ABI see.
 */
static bool comes_first(const struct perf_event *a, const struct perf_event *b)
{
	u64 ms_a = a->group_runtime / (1 << 20), ms_b = b->group_runtime / (1 << 20);

	return ms_a < ms_b || (ms_a == ms_b && a->id < b->id);
}

/* List the groups of a stretch in their order, without the help of the tree. */
static int stretch(const struct perf_event *of, struct perf_event **list)
{
	int n = 0, i, k;

	for (i = 0; i < NR_GROUPS; i++) {
		struct perf_event *g = &groups[i];

		if (!in_tree(g) || g->pmu_ctx != of->pmu_ctx || g->cpu != of->cpu ||
		    g->cgrp != of->cgrp || g->attr.pinned != of->attr.pinned)
			continue;
		for (k = n++; k && comes_first(g, list[k - 1]); k--)
			list[k] = list[k - 1];
		list[k] = g;
	}
	return n;
}

static u64 runs_for(const struct perf_event *leader)
{
	return leader->group_runtime + (is_on(leader) ? now - leader->since : 0);
}

static void check_look(const struct perf_event *of, struct perf_event **list, int n)
{
	struct perf_stretch_look look = { .youngest = U64_MAX };
	u64 youngest = U64_MAX;
	int i;

	perf_stretch_look(of->pmu_ctx, of->cpu, of->cgrp, &look);
	for (i = 0; i < n && is_on(list[i]); i++)
		youngest = min(youngest, runs_for(list[i]));
	if (i < n)
		youngest = min(youngest, list[i]->group_runtime);
	fuzz_assert(look.waiting == (i < n ? list[i] : NULL));
	fuzz_assert(look.youngest == youngest);
	fuzz_assert(look.level == (n ? youngest : 0));
}

/*
 * Each stretch is found from its beginning to its end, and no other group is
 * found in it.
 */
static void check_trees(void)
{
	struct perf_event *list[NR_GROUPS], *leader;
	unsigned int nr[2] = { };
	int i, n, k;

	for (i = 0; i < NR_GROUPS; i++) {
		const struct perf_event *of = &groups[i];
		struct perf_event_pmu_context *part = of->pmu_ctx;

		nr[part - parts] += in_tree(of);
		n = stretch(of, list);
		leader = perf_group_first(of->attr.pinned ? &part->pinned_groups :
					  &part->flexible_groups, of->cpu, of->cgrp);
		for (k = 0; k < n; k++) {
			fuzz_assert(leader == list[k]);
			leader = perf_group_next(leader);
		}
		fuzz_assert(!leader);
		if (!of->attr.pinned)
			check_look(of, list, n);
		fuzz_assert(perf_group_age(of) == (runs_for(of) > part->age_base ?
						   runs_for(of) - part->age_base : 0));
	}
	fuzz_assert(nr[0] == contexts[0].nr_sched && nr[TASK] == contexts[TASK].nr_sched);
	fuzz_assert(in_use() <= counters);
}

static void take_off(struct perf_event *leader)
{
	u64 before = leader->group_runtime, ran = now - leader->since;

	leader->state = PERF_EVENT_STATE_INACTIVE;
	if (leader->attr.pinned)
		return;
	perf_group_ran(leader, ran);
	/*
	 * The time that the group has had on the PMU stays charged to the
	 * group.
	 */
	fuzz_assert(leader->group_runtime >= before + ran);
}

static bool put_on(struct perf_event *leader)
{
	if (in_use() + leader->size > counters)
		return false;
	leader->state = PERF_EVENT_STATE_ACTIVE;
	leader->since = now;
	leader->waited = 0;
	return true;
}

static void enable(struct perf_event *leader)
{
	struct perf_event *list[NR_GROUPS];
	u64 before = leader->group_runtime, youngest = U64_MAX;
	int n, i;

	leader->state = PERF_EVENT_STATE_INACTIVE;
	leader->waited = 0;
	n = stretch(leader, list);
	if (!leader->attr.pinned) {
		perf_group_level(leader);
		fuzz_assert(leader->group_runtime >= before);
		for (i = 0; i < n; i++)
			youngest = min(youngest, runs_for(list[i]));
		/* A group that comes is no younger than all that are there. */
		if (!(leader->group_caps & PERF_EV_CAP_SOFTWARE))
			fuzz_assert(!n || leader->group_runtime >= youngest);
	}
	perf_group_insert(leader);
}

static void disable(struct perf_event *leader)
{
	if (is_on(leader))
		take_off(leader);
	perf_group_erase(leader);
	fuzz_assert(!in_tree(leader));
	leader->state = PERF_EVENT_STATE_OFF;
}

static void look_at_part(int which, struct perf_stretch_look *look)
{
	/*
	 * Look at stretches as sched.c does: in the CPU's part those of this
	 * CPU, in a task's part those of any CPU, too. There are no cgroups
	 * here.
	 */
	perf_stretch_look(&parts[which], 0, NULL, look);
	if (which == TASK)
		perf_stretch_look(&parts[which], -1, NULL, look);
}

static struct perf_event *oldest_on(void)
{
	struct perf_event *best = NULL;
	int i;

	for (i = 0; i < NR_GROUPS; i++) {
		struct perf_event *g = &groups[i];

		if (is_on(g) && !g->attr.pinned &&
		    (!best || perf_group_age(g) > perf_group_age(best)))
			best = g;
	}
	return best;
}

static void fill_up(int which, int cpu)
{
	struct perf_event *leader;

	for (leader = perf_group_first(&parts[which].flexible_groups, cpu, NULL); leader;
	     leader = perf_group_next(leader)) {
		if (!is_on(leader))
			put_on(leader);
	}
}

/* Can a rotation bring on this group? Only flexible groups rotate. */
static bool can_rotate(const struct perf_event *leader)
{
	unsigned int pinned = 0;
	int i;

	for (i = 0; i < NR_GROUPS; i++)
		pinned += is_on(&groups[i]) && groups[i].attr.pinned ? groups[i].size : 0;
	return in_tree(leader) && !leader->attr.pinned && !leader->cgrp && leader->cpu <= 0 &&
	       (leader->cpu == 0 || leader->pmu_ctx == &parts[TASK]) &&
	       leader->size + pinned <= counters;
}

/*
 * While a group waits the timer rotates, and no more time passes than its
 * interval.
 */
static bool somebody_waits(void)
{
	int i;

	for (i = 0; i < NR_GROUPS; i++) {
		if (can_rotate(&groups[i]) && !is_on(&groups[i]))
			return true;
	}
	return false;
}

static void rotate(void)
{
	struct perf_stretch_look looks[2] = { { .youngest = U64_MAX }, { .youngest = U64_MAX } };
	struct perf_event *waiting, *victim;
	u64 bases[2] = { parts[0].age_base, parts[TASK].age_base };
	u64 youngest;
	int i;

	look_at_part(0, &looks[0]);
	look_at_part(TASK, &looks[TASK]);
	perf_ages_settle(&parts[0], &looks[0], &parts[TASK], &looks[TASK]);
	fuzz_assert(parts[0].age_base >= bases[0] && parts[TASK].age_base >= bases[TASK]);
	youngest = U64_MAX;
	for (i = 0; i < 2; i++) {
		u64 base = parts[i].age_base;

		if (looks[i].youngest == U64_MAX)
			continue;
		youngest = min(youngest, max(looks[i].youngest, base) - base);
		/* Each stretch is charged at most the limit. */
		fuzz_assert(looks[i].level <= base + 32 * NSEC_PER_MSEC);
	}
	fuzz_assert(youngest == U64_MAX || !youngest);

	if (looks[0].waiting && looks[TASK].waiting)
		waiting = looks[task_served = !task_served].waiting;
	else
		waiting = looks[0].waiting ? looks[0].waiting : looks[TASK].waiting;
	if (!waiting)
		return;
	for (i = 0; i < NR_GROUPS; i++)
		groups[i].waited += !is_on(&groups[i]);
	while (!put_on(waiting)) {
		victim = oldest_on();
		if (!victim) {
			perf_group_pass(waiting, interval);
			break;
		}
		take_off(victim);
	}
	fill_up(0, 0);
	fill_up(TASK, -1);
	fill_up(TASK, 0);
	for (i = 0; i < NR_GROUPS; i++) {
		if (!can_rotate(&groups[i]))
			groups[i].waited = 0;
	}
}

/*
 * When nothing else happens, and all ticks are as long as one another, each
 * group that fits has its turn. It may be older than the youngest by as much
 * as the limit. The bound is generous: it tells a long wait from an endless one.
 */
static void check_fair(u64 tick)
{
	unsigned int bound = 100 * NR_GROUPS, i, k;

	for (i = 0; i < NR_GROUPS; i++)
		groups[i].waited = 0;
	for (k = 0; k < 2 * bound; k++) {
		now += tick;
		rotate();
		for (i = 0; i < NR_GROUPS; i++)
			fuzz_assert(groups[i].waited <= bound);
	}
	check_trees();
}

static void set_up(struct fuzz_input *in)
{
	static const int cpus[] = { -1, 0, 0, 3 };
	int i;

	memset(groups, 0, sizeof(groups));
	memset(parts, 0, sizeof(parts));
	memset(contexts, 0, sizeof(contexts));
	task_served = false;
	now = 1 + (fuzz_take(in, 2) << 20);
	next_id = 0;
	interval = (1 + fuzz_take(in, 1) % 8) * NSEC_PER_MSEC;
	counters = 1 + fuzz_take(in, 1) % 6;
	for (i = 0; i < NR_GROUPS; i++) {
		struct perf_event *g = &groups[i];
		u8 what = fuzz_take(in, 1);
		int which = what & 1;

		g->id = next_id++;
		g->pmu_ctx = &parts[which];
		g->ctx = &contexts[which];
		/* An event in the context of a CPU is always of that CPU. */
		g->cpu = which == TASK ? cpus[what >> 1 & 3] : 0;
		g->cgrp = which != TASK && what & 8 ? (void *)parts : NULL;
		g->attr.pinned = (what & 0x70) == 0x70;
		g->group_caps = (what & 0x70) == 0x60 ? PERF_EV_CAP_SOFTWARE : 0;
		g->size = 1 + (what >> 4 & 3);
		g->state = PERF_EVENT_STATE_OFF;
		RB_CLEAR_NODE(&g->group_node);
	}
}

static void step(struct fuzz_input *in)
{
	u8 what = fuzz_take(in, 1);
	struct perf_event *g = &groups[(what >> 3) % NR_GROUPS];

	switch (what & 7) {
	case 0:
		if (!in_tree(g))
			enable(g);
		break;
	case 1:
		disable(g);
		break;
	case 2:
		if (in_tree(g) && !is_on(g))
			put_on(g);
		break;
	case 3:
		if (is_on(g))
			take_off(g);
		break;
	case 4:
		if (in_tree(g) && !is_on(g) && !g->attr.pinned) {
			struct perf_event *list[NR_GROUPS];
			int n;

			perf_group_pass(g, fuzz_take(in, 3));
			n = stretch(g, list);
			fuzz_assert(g->group_runtime >= list[n - 1]->group_runtime);
		}
		break;
	case 5:
		now += fuzz_take(in, somebody_waits() ? 3 : 1 + (what >> 3) % 5);
		break;
	default:
		rotate();
	}
}

int fuzz_one_input(const u8 *data, size_t size)
{
	struct fuzz_input in = { data, min_t(size_t, size, 128) };

	set_up(&in);
	while (in.left) {
		step(&in);
		check_trees();
	}
	check_fair(interval);
	fuzz_assert(!harness_warned);
	return 0;
}
