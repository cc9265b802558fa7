// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of group_tree.c, included at its end: the order of a tree.
 */
#include <kunit/test.h>

#include "../context.h"

/**
 * struct tree_fixture - a CPU context with some events
 * @ctx: the context, used by this test alone
 * @pmu: PMU of the events
 * @epc: its part of @ctx
 * @events: events, each its own leader, in no tree yet
 */
struct tree_fixture {
	struct perf_event_context	ctx;
	struct pmu			pmu;
	struct perf_event_pmu_context	epc;
	struct perf_event		events[LIMIT_RUNTIME_GROUPS + 2];
};

static int tree_test_init(struct kunit *test)
{
	struct tree_fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, f);
	perf_context_init(&f->ctx, NULL);
	f->pmu.hrtimer_interval_ms = 4;
	f->epc.pmu = &f->pmu;
	f->epc.ctx = &f->ctx;
	f->epc.pinned_groups = RB_ROOT;
	f->epc.flexible_groups = RB_ROOT;
	INIT_LIST_HEAD(&f->epc.flexible_active);
	for (i = 0; i < ARRAY_SIZE(f->events); i++) {
		struct perf_event *event = &f->events[i];

		event->ctx = &f->ctx;
		event->pmu = &f->pmu;
		event->pmu_ctx = &f->epc;
		event->group_leader = event;
		event->id = i;
		INIT_LIST_HEAD(&event->sibling_list);
		RB_CLEAR_NODE(&event->group_node);
	}
	test->priv = f;
	return 0;
}

static void tree_test_insert(struct tree_fixture *f, struct perf_event *event)
{
	raw_spin_lock_irq(&f->ctx.lock);
	perf_group_raise_age(event);
	perf_group_tree_insert(event);
	raw_spin_unlock_irq(&f->ctx.lock);
}

static void tree_separates_cpus(struct kunit *test)
{
	struct tree_fixture *f = test->priv;
	struct perf_event *e = f->events;
	int cpus[] = { -1, 3, -1, 0, 3, -1 };
	int i;

	for (i = 0; i < ARRAY_SIZE(cpus); i++) {
		e[i].cpu = cpus[i];
		tree_test_insert(f, &e[i]);
	}
	KUNIT_EXPECT_EQ(test, f->ctx.nr_sched, 6U);
	KUNIT_EXPECT_PTR_EQ(test, perf_group_first(&f->epc.flexible_groups, -1, NULL), &e[0]);
	KUNIT_EXPECT_PTR_EQ(test, perf_group_next(&e[0]), &e[2]);
	KUNIT_EXPECT_PTR_EQ(test, perf_group_next(&e[2]), &e[5]);
	KUNIT_EXPECT_NULL(test, perf_group_next(&e[5]));
	KUNIT_EXPECT_PTR_EQ(test, perf_group_first(&f->epc.flexible_groups, 3, NULL), &e[1]);
	KUNIT_EXPECT_PTR_EQ(test, perf_group_next(&e[1]), &e[4]);
	KUNIT_EXPECT_PTR_EQ(test, perf_group_first(&f->epc.flexible_groups, 0, NULL), &e[3]);
	KUNIT_EXPECT_NULL(test, perf_group_first(&f->epc.flexible_groups, 1, NULL));
	KUNIT_EXPECT_NULL(test, perf_group_first(&f->epc.pinned_groups, -1, NULL));
}

/* Groups inserted in sequence have the same places as groups inserted by a search. */
static void insertion_in_sequence(struct kunit *test)
{
	static const struct {
		int	cpu;
		u64	steps;
	} rows[][5] = {
		{ },
		{ { 0, 5 }, { 0, 4 }, { 0, 3 }, { 0, 2 }, { 0, 1 } },
		{ { 0, 1 }, { 0, 2 }, { 0, 3 }, { 0, 4 }, { 0, 5 } },
		{ { 2, 1 }, { 0, 9 }, { 0, 9 }, { -1, 0 }, { 2, 1 } },
		{ { 0, 3 }, { 0, 9 }, { 0, 3 }, { 0, 4 }, { 0, 4 } },
	};
	struct tree_fixture *f = test->priv;
	struct rb_root *root = &f->epc.flexible_groups;
	struct perf_event *e = f->events;
	struct perf_group_gap gap;
	struct rb_node *node;
	int row, i, found;

	for (row = 0; row < ARRAY_SIZE(rows); row++) {
		gap = (struct perf_group_gap){ };
		/*
		 * Insert e[5] first. The rows place the other groups before, around and after it.
		 */
		e[5].group_runtime = 3 << AGE_SHIFT;
		raw_spin_lock_irq(&f->ctx.lock);
		perf_group_tree_insert(&e[5]);
		for (i = 0; i < 5; i++) {
			e[i].cpu = rows[row][i].cpu;
			e[i].group_runtime = rows[row][i].steps << AGE_SHIFT;
			perf_group_insert_next(&e[i], &gap);
		}
		raw_spin_unlock_irq(&f->ctx.lock);
		KUNIT_EXPECT_EQ(test, f->ctx.nr_sched, 6U);
		found = 1;
		for (node = rb_first(root); node && rb_next(node); node = rb_next(node), found++)
			KUNIT_EXPECT_TRUE(test, perf_group_node_before(node, rb_next(node)));
		KUNIT_EXPECT_EQ(test, found, 6);
		raw_spin_lock_irq(&f->ctx.lock);
		for (i = 0; i < 6; i++)
			perf_group_tree_del(&e[i]);
		raw_spin_unlock_irq(&f->ctx.lock);
		KUNIT_EXPECT_TRUE(test, RB_EMPTY_ROOT(root));
	}
}

static void tree_test_ran(struct tree_fixture *f, struct perf_event *event, u64 ns)
{
	raw_spin_lock_irq(&f->ctx.lock);
	perf_group_add_runtime(event, ns);
	raw_spin_unlock_irq(&f->ctx.lock);
}

static void youngest_is_first(struct kunit *test)
{
	struct tree_fixture *f = test->priv;
	struct perf_event *e = f->events;
	struct rb_root *root = &f->epc.flexible_groups;
	u64 step = 1ULL << AGE_SHIFT;
	int i;

	for (i = 0; i < 3; i++)
		tree_test_insert(f, &e[i]);
	tree_test_ran(f, &e[0], 10 * step);
	KUNIT_EXPECT_PTR_EQ(test, perf_group_first(root, 0, NULL), &e[1]);
	tree_test_ran(f, &e[1], 5 * step);
	tree_test_ran(f, &e[2], 7 * step);
	KUNIT_EXPECT_PTR_EQ(test, perf_group_first(root, 0, NULL), &e[1]);
	KUNIT_EXPECT_PTR_EQ(test, perf_group_next(&e[1]), &e[2]);
	KUNIT_EXPECT_PTR_EQ(test, perf_group_next(&e[2]), &e[0]);

	/*
	 * A new group begins with the age of the youngest group, so that the others need not wait
	 * until it has run as long.
	 */
	tree_test_insert(f, &e[3]);
	KUNIT_EXPECT_EQ(test, e[3].group_runtime, 5 * step);
	KUNIT_EXPECT_PTR_EQ(test, perf_group_next(&e[1]), &e[3]);

	/* An age difference of less than a step does not change the order. */
	tree_test_ran(f, &e[1], step - 1);
	KUNIT_EXPECT_PTR_EQ(test, perf_group_first(root, 0, NULL), &e[1]);
	tree_test_ran(f, &e[1], 1);
	KUNIT_EXPECT_PTR_EQ(test, perf_group_first(root, 0, NULL), &e[3]);
	KUNIT_EXPECT_PTR_EQ(test, perf_group_next(&e[3]), &e[1]);

	/* A group that is removed and inserted again is no younger than before. */
	raw_spin_lock_irq(&f->ctx.lock);
	perf_group_tree_del(&e[0]);
	raw_spin_unlock_irq(&f->ctx.lock);
	tree_test_insert(f, &e[0]);
	KUNIT_EXPECT_EQ(test, e[0].group_runtime, 10 * step);

	raw_spin_lock_irq(&f->ctx.lock);
	for (i = 0; i < 4; i++)
		perf_group_tree_del(&e[i]);
	raw_spin_unlock_irq(&f->ctx.lock);
	KUNIT_EXPECT_TRUE(test, RB_EMPTY_ROOT(root));
	KUNIT_EXPECT_EQ(test, f->ctx.nr_sched, 0U);
}

static void tree_test_settle(struct tree_fixture *f, int cpus)
{
	struct perf_subtree_scan scan = { .youngest = U64_MAX };
	const struct perf_subtree_scan none = { .youngest = U64_MAX };

	raw_spin_lock_irq(&f->ctx.lock);
	while (cpus--)
		perf_subtree_scan(&f->epc, cpus, NULL, &scan);
	perf_ages_normalize(&f->epc, &scan, NULL, &none);
	raw_spin_unlock_irq(&f->ctx.lock);
}

static u64 tree_test_age(struct tree_fixture *f, struct perf_event *event)
{
	u64 age;

	raw_spin_lock_irq(&f->ctx.lock);
	age = perf_group_age(event);
	raw_spin_unlock_irq(&f->ctx.lock);
	return age;
}

/* Two groups run for a second, a millisecond at a time. */
static void tree_test_ran_together(struct tree_fixture *f, struct perf_event *a,
				   struct perf_event *b)
{
	int i;

	for (i = 0; i < MSEC_PER_SEC; i++) {
		tree_test_ran(f, a, NSEC_PER_MSEC);
		tree_test_ran(f, b, NSEC_PER_MSEC);
	}
}

/* Two subtrees: at first only groups of the first one run, for one second. */
static void idle_subtree_gets_no_advantage(struct kunit *test)
{
	struct tree_fixture *f = test->priv;
	struct perf_event *e = f->events;
	int i;

	for (i = 0; i < 4; i++) {
		e[i].cpu = i / 2;
		tree_test_insert(f, &e[i]);
	}
	tree_test_ran_together(f, &e[0], &e[1]);
	tree_test_ran(f, &e[1], 10);
	tree_test_settle(f, 1);
	KUNIT_EXPECT_EQ(test, tree_test_age(f, &e[0]), 0ULL);
	KUNIT_EXPECT_EQ(test, tree_test_age(f, &e[1]), 10ULL);

	/* The groups of the second subtree have not run yet, but get no advantage from that. */
	tree_test_settle(f, 2);
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_EQ(test, tree_test_age(f, &e[i]), i == 1 ? 10ULL : 0ULL);
	tree_test_ran(f, &e[2], 20);
	KUNIT_EXPECT_EQ(test, tree_test_age(f, &e[2]), 0ULL);
	tree_test_ran(f, &e[2], 20);
	KUNIT_EXPECT_EQ(test, tree_test_age(f, &e[2]), 20ULL);

	/* The second subtree runs alone. The age of its youngest group is limited. */
	tree_test_ran_together(f, &e[2], &e[3]);
	tree_test_ran(f, &e[3], NSEC_PER_MSEC);
	tree_test_settle(f, 2);
	KUNIT_EXPECT_EQ(test, tree_test_age(f, &e[0]), 0ULL);
	KUNIT_EXPECT_EQ(test, tree_test_age(f, &e[2]), perf_age_limit(&f->epc));
}

/* The age of a group that has run much longer than another one is limited. */
static void age_of_a_group_is_limited(struct kunit *test)
{
	struct tree_fixture *f = test->priv;
	struct perf_event *e = f->events;
	u64 limit = perf_age_limit(&f->epc);

	tree_test_insert(f, &e[0]);
	tree_test_insert(f, &e[1]);
	tree_test_ran(f, &e[0], 2 * limit);
	KUNIT_EXPECT_EQ(test, tree_test_age(f, &e[0]), 2 * limit);
	tree_test_ran(f, &e[0], NSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, tree_test_age(f, &e[0]), 2 * limit);
	KUNIT_EXPECT_PTR_EQ(test, perf_group_first(&f->epc.flexible_groups, 0, NULL), &e[1]);

	/* The runtime of a single group is not reduced: epc->age_base is raised instead. */
	raw_spin_lock_irq(&f->ctx.lock);
	perf_group_tree_del(&e[0]);
	raw_spin_unlock_irq(&f->ctx.lock);
	tree_test_ran(f, &e[1], NSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, e[1].group_runtime, (u64)NSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, tree_test_age(f, &e[1]), limit);
}

static void tree_test_insert_active(struct tree_fixture *f, int active, u64 limit)
{
	struct perf_event *e = f->events;
	int n;

	raw_spin_lock_irq(&f->ctx.lock);
	for (n = 0; n < active + 2; n++) {
		bool on = n < active;

		e[n].state = on ? PERF_EVENT_STATE_ACTIVE : PERF_EVENT_STATE_INACTIVE;
		/* The time is stopped, so the lowest bit is 0. */
		atomic64_set(&e[n].time_running, on ? 1000 * limit << 1 : 0);
		e[n].group_runtime = on ? 0 : 2 * limit;
		perf_group_tree_insert(&e[n]);
	}
	raw_spin_unlock_irq(&f->ctx.lock);
}

/*
 * When a group has run for very long, its runtime is compared with those of the first groups of its
 * subtree only. A younger group after these has the age 0.
 */
static void comparison_of_runtimes_is_limited(struct kunit *test)
{
	struct tree_fixture *f = test->priv;
	u64 limit = perf_age_limit(&f->epc);
	struct perf_event *e = f->events;
	int active, n;

	for (active = LIMIT_RUNTIME_GROUPS - 1; active <= LIMIT_RUNTIME_GROUPS; active++) {
		bool seen = active < LIMIT_RUNTIME_GROUPS;

		f->epc.age_base = 0;
		tree_test_insert_active(f, active, limit);
		tree_test_ran(f, &e[active + 1], 3000 * limit);
		KUNIT_EXPECT_EQ(test, tree_test_age(f, &e[active]), seen ? limit : 0ULL);
		KUNIT_EXPECT_EQ(test, tree_test_age(f, &e[active + 1]), 2 * limit);

		raw_spin_lock_irq(&f->ctx.lock);
		for (n = 0; n < active + 2; n++) {
			e[n].state = PERF_EVENT_STATE_INACTIVE;
			perf_group_tree_del(&e[n]);
		}
		raw_spin_unlock_irq(&f->ctx.lock);
	}
}

static struct kunit_case tree_cases[] = {
	KUNIT_CASE(tree_separates_cpus),
	KUNIT_CASE(insertion_in_sequence),
	KUNIT_CASE(youngest_is_first),
	KUNIT_CASE(idle_subtree_gets_no_advantage),
	KUNIT_CASE(age_of_a_group_is_limited),
	KUNIT_CASE(comparison_of_runtimes_is_limited),
	{}
};

static struct kunit_suite tree_suite = {
	.name		= "perf_group_tree",
	.init		= tree_test_init,
	.test_cases	= tree_cases,
};

kunit_test_suite(tree_suite);
