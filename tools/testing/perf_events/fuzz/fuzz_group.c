// SPDX-License-Identifier: GPL-2.0
/*
 * Order in which groups are scheduled: the trees of groups and their ages (group_tree.c). The input
 * is a list of operations on groups of a CPU and of its task: enable, disable, run, wait, do not
 * fit, rotate. The trees are compared with a sorted list, and no group may starve.
 */
#include "fuzz.h"
#include "rbtree.h"
#include <linux/lockdep.h>

#define NSEC_PER_MSEC		1000000L
#define U64_MAX			UINT64_MAX
#define PERF_EV_CAP_SOFTWARE	1
#define max3(a, b, c)		max(max(a, b), c)
#define BIT_ULL(nr)		(1ULL << (nr))

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

struct pmu {
	int		hrtimer_interval_ms;
};

struct perf_event_pmu_context {
	struct pmu	*pmu;
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
	 * Fields of the fuzzer: start of the time on the PMU, number of counters, number of
	 * rotations that the group has waited, and the limit of these, 0 if unknown.
	 */
	u64				since;
	unsigned int			size;
	unsigned int			waited, may_wait;
};

struct perf_subtree_scan {
	struct perf_event	*waiting;
	u64			youngest;
	u64			level;
};

struct perf_group_gap {
	struct rb_root	*root;
	struct rb_node	*before;
	struct rb_node	*after;
};

static u64 now;

static u64 perf_event_time_on_pmu(const struct perf_event *event)
{
	return now - event->since;
}

/* The counts of cgroups select the PMUs at a cgroup switch. */
static void perf_cgroup_count_group(struct perf_event *leader, int n) { }

#include "bare/group_tree.c"

#define NR_GROUPS	10
#define TASK		1	/* the task's part; the CPU's is 0 */
#define SOFTWARE	2	/* the part of the task's groups that need no counter */

static struct perf_event groups[NR_GROUPS];
static struct perf_event_pmu_context parts[3];
static struct perf_event_context contexts[3];
static unsigned int counters;
static u64 next_id;
static bool last_was_task;
static struct pmu pmu;
static u64 interval;	/* interval of the timer, ns */

/* The limits in scheduling.rst, in intervals and in rotations */
#define LIMIT		(4 * interval)
#define MOST_TURNS	12

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

/* Is @a before @b in its subtree? User space can see this order. */
static bool comes_first(const struct perf_event *a, const struct perf_event *b)
{
	u64 ms_a = a->group_runtime / (1 << 20), ms_b = b->group_runtime / (1 << 20);

	return ms_a < ms_b || (ms_a == ms_b && a->id < b->id);
}

/* List the groups of a subtree in order, without the tree. */
static int subtree(const struct perf_event *of, struct perf_event **list)
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

static void check_scan(const struct perf_event *of, struct perf_event **list, int n)
{
	struct perf_subtree_scan scan = { .youngest = U64_MAX };
	u64 youngest = U64_MAX;
	int i;

	perf_subtree_scan(of->pmu_ctx, of->cpu, of->cgrp, &scan);
	for (i = 0; i < n && is_on(list[i]); i++)
		youngest = min(youngest, runs_for(list[i]));
	if (i < n)
		youngest = min(youngest, list[i]->group_runtime);
	fuzz_assert(scan.waiting == (i < n ? list[i] : NULL));
	fuzz_assert(scan.youngest == youngest);
	fuzz_assert(scan.level == (n ? youngest : 0));
}

/* A walk of a subtree finds all its groups, and no others. */
static void check_trees(void)
{
	struct perf_event *list[NR_GROUPS], *leader;
	unsigned int nr[3] = { };
	int i, n, k;

	for (i = 0; i < NR_GROUPS; i++) {
		const struct perf_event *of = &groups[i];
		struct perf_event_pmu_context *part = of->pmu_ctx;

		nr[part - parts] += in_tree(of);
		n = subtree(of, list);
		leader = perf_group_first(of->attr.pinned ? &part->pinned_groups :
					  &part->flexible_groups, of->cpu, of->cgrp);
		for (k = 0; k < n; k++) {
			fuzz_assert(leader == list[k]);
			leader = perf_group_next(leader);
		}
		fuzz_assert(!leader);
		if (!of->attr.pinned)
			check_scan(of, list, n);
		fuzz_assert(perf_group_age(of) == (runs_for(of) > part->age_base ?
						   runs_for(of) - part->age_base : 0));
	}
	for (i = 0; i < 3; i++)
		fuzz_assert(nr[i] == contexts[i].nr_sched);
	fuzz_assert(in_use() <= counters);
}

static void take_off(struct perf_event *leader)
{
	u64 before = leader->group_runtime, ran = now - leader->since, most;

	leader->state = PERF_EVENT_STATE_INACTIVE;
	if (leader->attr.pinned)
		return;
	perf_group_add_runtime(leader, ran);
	/* The group is charged for its time on the PMU, up to the limit. */
	most = leader->pmu_ctx->age_base + 2 * LIMIT;
	if (leader->group_caps & PERF_EV_CAP_SOFTWARE)
		fuzz_assert(leader->group_runtime >= before + ran);
	else
		fuzz_assert(leader->group_runtime >= min(before + ran, most) &&
			    leader->group_runtime <= most);
}

static bool put_on(struct perf_event *leader)
{
	if (in_use() + leader->size > counters)
		return false;
	leader->state = PERF_EVENT_STATE_ACTIVE;
	leader->since = now;
	leader->waited = 0;
	leader->may_wait = 0;
	return true;
}

static void enable(struct perf_event *leader)
{
	struct perf_event *list[NR_GROUPS];
	u64 before = leader->group_runtime, youngest = U64_MAX;
	int n, i;

	leader->state = PERF_EVENT_STATE_INACTIVE;
	leader->waited = 0;
	n = subtree(leader, list);
	if (!leader->attr.pinned) {
		perf_group_raise_age(leader);
		fuzz_assert(leader->group_runtime >= before);
		for (i = 0; i < n; i++)
			youngest = min(youngest, runs_for(list[i]));
		/* A group that is added is no younger than the youngest group of its subtree. */
		if (!(leader->group_caps & PERF_EV_CAP_SOFTWARE))
			fuzz_assert(!n || leader->group_runtime >= youngest);
	}
	perf_group_tree_insert(leader);
}

static void disable(struct perf_event *leader)
{
	if (is_on(leader))
		take_off(leader);
	perf_group_tree_del(leader);
	fuzz_assert(!in_tree(leader));
	leader->state = PERF_EVENT_STATE_OFF;
}

static void scan_part(int which, struct perf_subtree_scan *scan)
{
	/*
	 * Walk the subtrees that sched.c walks: those of this CPU, and in a task's part also those
	 * of any CPU. The fuzzer does not schedule groups of cgroups.
	 */
	perf_subtree_scan(&parts[which], 0, NULL, scan);
	if (which == TASK)
		perf_subtree_scan(&parts[which], -1, NULL, scan);
}

static struct perf_event *oldest_on(void)
{
	struct perf_event *best = NULL;
	int i;

	for (i = 0; i < NR_GROUPS; i++) {
		struct perf_event *g = &groups[i];

		if (is_on(g) && !g->attr.pinned && g->pmu_ctx != &parts[SOFTWARE] &&
		    (!best || perf_group_age(g) > perf_group_age(best)))
			best = g;
	}
	return best;
}

static void fill_up(int which, int cpu)
{
	struct perf_event *leader, *next;
	int tries = 8;

	for (leader = perf_group_first(&parts[which].flexible_groups, cpu, NULL);
	     leader && tries; leader = next) {
		next = perf_group_next(leader);
		if (is_on(leader) || put_on(leader))
			continue;
		tries--;
		if (!oldest_on())
			perf_group_tree_move_last(leader, interval);
	}
}

/* Schedule the groups out and in, as after a change of the context. */
static void resched(void)
{
	int i;

	for (i = NR_GROUPS - 1; i >= 0; i--) {
		if (is_on(&groups[i]) && !groups[i].attr.pinned)
			take_off(&groups[i]);
	}
	fill_up(0, 0);
	fill_up(TASK, -1);
	fill_up(TASK, 0);
}

/* Does rotation consider this group? */
static bool is_here(const struct perf_event *leader)
{
	return in_tree(leader) && !leader->attr.pinned && !leader->cgrp && leader->cpu <= 0 &&
	       leader->pmu_ctx != &parts[SOFTWARE];
}

/* Can a rotation schedule this group in? Only flexible groups rotate. */
static bool can_rotate(const struct perf_event *leader)
{
	unsigned int pinned = 0;
	int i;

	for (i = 0; i < NR_GROUPS; i++)
		pinned += is_on(&groups[i]) && groups[i].attr.pinned ? groups[i].size : 0;
	return is_here(leader) && leader->size + pinned <= counters;
}

/* Does a group wait? Then the timer rotates: time advances by at most its interval at once. */
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
	struct perf_subtree_scan scans[2] = { { .youngest = U64_MAX }, { .youngest = U64_MAX } };
	struct perf_event *waiting, *victim;
	u64 bases[2] = { parts[0].age_base, parts[TASK].age_base };
	u64 youngest;
	int i;

	scan_part(0, &scans[0]);
	scan_part(TASK, &scans[TASK]);
	perf_ages_normalize(&parts[0], &scans[0], &parts[TASK], &scans[TASK]);
	fuzz_assert(parts[0].age_base >= bases[0] && parts[TASK].age_base >= bases[TASK]);
	youngest = U64_MAX;
	for (i = 0; i < 2; i++) {
		u64 base = parts[i].age_base;

		if (scans[i].youngest == U64_MAX)
			continue;
		youngest = min(youngest, max(scans[i].youngest, base) - base);
		/* The charge of each subtree is at most the limit. */
		fuzz_assert(scans[i].level <= base + LIMIT);
	}
	fuzz_assert(youngest == U64_MAX || !youngest);

	if (scans[0].waiting && scans[TASK].waiting)
		waiting = scans[last_was_task = !last_was_task].waiting;
	else
		waiting = scans[0].waiting ? scans[0].waiting : scans[TASK].waiting;
	if (!waiting)
		return;
	for (i = 0; i < NR_GROUPS; i++)
		groups[i].waited += !is_on(&groups[i]);
	while (!put_on(waiting)) {
		victim = oldest_on();
		if (!victim) {
			perf_group_tree_move_last(waiting, interval);
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
 * Return the number of rotations for which @leader may wait from now on, without other operations.
 * Each rotation schedules a group of @leader's part in: every second rotation, if groups of the CPU
 * and of the task both wait. Only a group that is less than one step older than @leader can be
 * before @leader. Each time, that group runs for an interval, until it is old enough to be after
 * @leader. It may run once more if its subtree was below the base.
 */
static unsigned int longest_wait(const struct perf_event *leader)
{
	u64 base = leader->pmu_ctx->age_base, until = leader->group_runtime + (1 << 20);
	unsigned int turns = 0, all = 0;
	bool shared = false;
	int i;

	for (i = 0; i < NR_GROUPS; i++) {
		const struct perf_event *g = &groups[i];
		u64 ran = min(max(runs_for(g), base), base + 2 * LIMIT);

		if (g == leader || !is_here(g))
			continue;
		if (g->pmu_ctx != leader->pmu_ctx) {
			shared = true;
			continue;
		}
		turns = ran > until ? 0 : (until - ran) / interval + 1;
		turns += runs_for(g) < base;
		fuzz_assert(turns <= MOST_TURNS);
		all += turns;
	}
	return (all + 1) << shared;
}

/*
 * Without other operations, and with rotations at equal intervals, each group that fits runs after
 * at most longest_wait() rotations.
 */
static void check_fair(void)
{
	unsigned int bound = 2 * MOST_TURNS * NR_GROUPS, i, k;

	/* The first rotation raises bases that are too low. */
	rotate();
	for (i = 0; i < NR_GROUPS; i++) {
		groups[i].waited = 0;
		groups[i].may_wait = 0;
	}
	for (k = 0; k <= bound && somebody_waits(); k++) {
		for (i = 0; i < NR_GROUPS; i++) {
			struct perf_event *g = &groups[i];

			if (!can_rotate(g) || is_on(g))
				continue;
			if (!g->may_wait)
				g->may_wait = longest_wait(g);
			fuzz_assert(g->waited < g->may_wait);
		}
		now += interval;
		rotate();
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
	last_was_task = false;
	now = 1 + (fuzz_take(in, 2) << 20);
	next_id = 0;
	pmu.hrtimer_interval_ms = 1 + fuzz_take(in, 1) % 8;
	interval = pmu.hrtimer_interval_ms * NSEC_PER_MSEC;
	for (i = 0; i < 3; i++)
		parts[i].pmu = &pmu;
	counters = 1 + fuzz_take(in, 1) % 6;
	for (i = 0; i < NR_GROUPS; i++) {
		struct perf_event *g = &groups[i];
		u8 what = fuzz_take(in, 1);
		bool software = (what & 0x70) == 0x60;
		int which = software ? SOFTWARE : what & 1;

		g->id = next_id++;
		g->pmu_ctx = &parts[which];
		g->ctx = &contexts[which];
		/* An event in the context of a CPU is always of that CPU. */
		g->cpu = which ? cpus[what >> 1 & 3] : 0;
		g->cgrp = !which && what & 8 ? (void *)parts : NULL;
		g->attr.pinned = (what & 0x70) == 0x70;
		g->group_caps = software ? PERF_EV_CAP_SOFTWARE : 0;
		g->size = software ? 0 : 1 + (what >> 4 & 3);
		g->state = PERF_EVENT_STATE_OFF;
		RB_CLEAR_NODE(&g->group_node);
	}
}

static void step(struct fuzz_input *in)
{
	u8 what = fuzz_take(in, 1);
	struct perf_event *g = &groups[(what >> 3) % NR_GROUPS];
	unsigned int n;

	switch (what & 7) {
	case 0:
		if (!in_tree(g))
			enable(g);
		if (what >> 3 >= NR_GROUPS)
			resched();
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
			u64 most;
			int n;

			perf_group_tree_move_last(g, interval);
			most = g->pmu_ctx->age_base + 2 * LIMIT;
			n = subtree(g, list);
			/* The group is the last of its subtree, except for groups beyond @most. */
			while (n && list[n - 1] != g)
				fuzz_assert(list[--n]->group_runtime > most);
		}
		break;
	case 5:
		/* The timer expires many times, without other operations. */
		for (n = fuzz_take(in, 1) % 64; n--; rotate())
			now += interval;
		break;
	case 6:
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
	check_fair();
	fuzz_assert(!harness_warned);
	return 0;
}
