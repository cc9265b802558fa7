// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of group.c, included at its end: which events may join a group,
 * and which PMU schedules a group.
 */
#include <kunit/test.h>

#include "../record/sample_read.h"

/**
 * struct group_fixture - a CPU context with two PMUs and some events
 * @ctx: the context, used by this test alone
 * @other_ctx: another context
 * @software: a PMU with perf_sw_context
 * @hardware: a PMU with perf_hw_context
 * @other_hardware: another PMU with perf_hw_context
 * @events: software events in @ctx, always on, each its own leader
 */
struct group_fixture {
	struct perf_event_context	ctx;
	struct perf_event_context	other_ctx;
	struct pmu			software;
	struct pmu			hardware;
	struct pmu			other_hardware;
	struct perf_event		events[6];
};

static int group_test_init(struct kunit *test)
{
	struct group_fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, f);
	perf_context_init(&f->ctx, NULL);
	perf_context_init(&f->other_ctx, NULL);
	for (i = 0; i < ARRAY_SIZE(f->events); i++) {
		struct perf_event *event = &f->events[i];

		event->ctx = &f->ctx;
		event->pmu = &f->software;
		event->event_caps = PERF_EV_CAP_SOFTWARE | PERF_EV_CAP_ALWAYS_ON;
		event->group_leader = event;
		event->id = i;
		event->clock = perf_clock;
		INIT_LIST_HEAD(&event->sibling_list);
	}
	test->priv = f;
	return 0;
}

static void make_hardware(struct perf_event *event, struct pmu *pmu)
{
	event->pmu = pmu;
	event->event_caps = 0;
}

static void group_test_join(struct perf_event *leader, struct perf_event *event)
{
	event->group_leader = leader;
	list_add_tail(&event->sibling_list, &leader->sibling_list);
	leader->nr_siblings++;
}

/* The event may not join, for this reason. */
static void group_test_refused(struct kunit *test, const struct perf_event *leader,
			       const struct perf_event *event, enum perf_refusal_id id)
{
	KUNIT_EXPECT_EQ(test, perf_group_may_join(leader, event), -EINVAL);
	KUNIT_EXPECT_EQ(test, perf_refusal_take(), id);
}

static void software_joins_software(struct kunit *test)
{
	struct group_fixture *f = test->priv;

	KUNIT_EXPECT_EQ(test, perf_group_may_join(&f->events[0], &f->events[1]), 0);
}

static void sibling_cannot_lead(struct kunit *test)
{
	struct group_fixture *f = test->priv;

	group_test_join(&f->events[0], &f->events[1]);
	group_test_refused(test, &f->events[1], &f->events[2], PERF_REFUSED_GROUP_MEMBER);
}

static u64 other_clock(void)
{
	return 0;
}

/* Invariant: all events of a group have one context, CPU, cgroup and clock. */
static void unequal_pairs_are_refused(struct kunit *test)
{
	struct group_fixture *f = test->priv;
	struct perf_event *leader = &f->events[0], *event = &f->events[1];

	event->ctx = &f->other_ctx;
	group_test_refused(test, leader, event, PERF_REFUSED_GROUP_TARGET);
	event->ctx = leader->ctx;

	event->cpu = leader->cpu + 1;
	group_test_refused(test, leader, event, PERF_REFUSED_GROUP_TARGET);
	event->cpu = leader->cpu;

	event->clock = other_clock;
	group_test_refused(test, leader, event, PERF_REFUSED_GROUP_CLOCK);
	event->clock = leader->clock;

	event->cgrp = (void *)1;
	group_test_refused(test, leader, event, PERF_REFUSED_GROUP_TARGET);
	event->cgrp = NULL;

	event->attr.pinned = 1;
	group_test_refused(test, leader, event, PERF_REFUSED_GROUP_PINNED);
	event->attr.pinned = 0;

	event->attr.exclusive = 1;
	group_test_refused(test, leader, event, PERF_REFUSED_GROUP_EXCLUSIVE);
	event->attr.exclusive = 0;

	KUNIT_EXPECT_EQ(test, perf_group_may_join(leader, event), 0);
}

/*
 * Invariant: a group has hardware events of only one PMU. All combinations of leader, sibling and
 * new event on two PMUs are tried.
 */
static void hardware_of_one_pmu_only(struct kunit *test)
{
	struct group_fixture *f = test->priv;
	struct pmu *pmus[] = { &f->software, &f->hardware, &f->other_hardware };
	int l, m, n;

	for (l = 0; l < 3; l++) {
		for (m = 0; m < 3; m++) {
			for (n = 0; n < 3; n++) {
				struct perf_event *e = f->events;
				bool clash = n && ((l && l != n) || (m && m != n));

				/* Skip leaders and siblings that cannot form a group. */
				if (l && m && l != m)
					continue;
				group_test_init(test);
				f = test->priv;
				e = f->events;
				pmus[0] = &f->software;
				pmus[1] = &f->hardware;
				pmus[2] = &f->other_hardware;
				if (l)
					make_hardware(&e[0], pmus[l]);
				if (m)
					make_hardware(&e[1], pmus[m]);
				if (n)
					make_hardware(&e[2], pmus[n]);
				group_test_join(&e[0], &e[1]);
				if (clash)
					group_test_refused(test, &e[0], &e[2],
							   PERF_REFUSED_GROUP_PMU);
				else
					KUNIT_EXPECT_EQ(test, perf_group_may_join(&e[0], &e[2]), 0);
			}
		}
	}
}

static void hardware_member_decides_the_pmu(struct kunit *test)
{
	struct group_fixture *f = test->priv;
	struct perf_event *e = f->events;

	KUNIT_EXPECT_NULL(test, perf_group_find_pmu(&e[0]));
	group_test_join(&e[0], &e[1]);
	KUNIT_EXPECT_NULL(test, perf_group_find_pmu(&e[0]));

	/* The new event is like a tracepoint: software, but scheduled. */
	e[1].event_caps = PERF_EV_CAP_SOFTWARE;
	e[1].pmu = &f->other_hardware;
	KUNIT_EXPECT_PTR_EQ(test, perf_group_find_pmu(&e[0]), &f->other_hardware);

	make_hardware(&e[2], &f->hardware);
	group_test_join(&e[0], &e[2]);
	KUNIT_EXPECT_PTR_EQ(test, perf_group_find_pmu(&e[0]), &f->hardware);
}

static void always_on_group_needs_every_member(struct kunit *test)
{
	struct group_fixture *f = test->priv;
	struct perf_event *e = f->events;

	group_test_join(&e[0], &e[1]);
	perf_group_update_caps(&e[0]);
	KUNIT_EXPECT_TRUE(test, is_always_on(&e[1]));
	make_hardware(&e[2], &f->hardware);
	group_test_join(&e[0], &e[2]);
	perf_group_update_caps(&e[0]);
	KUNIT_EXPECT_FALSE(test, is_always_on(&e[1]));
	KUNIT_EXPECT_FALSE(test, e[0].group_caps & PERF_EV_CAP_SOFTWARE);
}

/* Members that sample the values of the group, times all members, are at most 16384. */
static void samples_of_all_values_are_limited(struct kunit *test)
{
	const struct perf_event_attr samples = {
		.sample_period = 1, .sample_type = PERF_SAMPLE_READ,
		.read_format = PERF_FORMAT_GROUP,
	};
	struct group_fixture *f = test->priv;
	struct perf_event *leader = &f->events[0], *member = &f->events[1], *event = &f->events[2];

	guard(mutex)(&f->ctx.mutex);
	group_test_join(leader, member);
	leader->nr_siblings = 2045;
	leader->attr = samples;
	event->attr = samples;
	KUNIT_EXPECT_EQ(test, perf_group_samples_check(event, leader), 0);

	/* Three of 5461 members, then three of 5462 */
	member->attr = samples;
	leader->nr_siblings = 5459;
	KUNIT_EXPECT_EQ(test, perf_group_samples_check(event, leader), 0);
	leader->nr_siblings = 5460;
	KUNIT_EXPECT_EQ(test, perf_group_samples_check(event, leader), -E2BIG);

	/* In turn, one of the three events does not sample the values of the group. */
	event->attr.sample_period = 0;
	KUNIT_EXPECT_EQ(test, perf_group_samples_check(event, leader), 0);
	event->attr = samples;
	leader->attr.sample_type = PERF_SAMPLE_IP;
	KUNIT_EXPECT_EQ(test, perf_group_samples_check(event, leader), 0);
	leader->attr = samples;
	member->attr.read_format = PERF_FORMAT_ID;
	KUNIT_EXPECT_EQ(test, perf_group_samples_check(event, leader), 0);
}

static struct kunit_case group_cases[] = {
	KUNIT_CASE(software_joins_software),
	KUNIT_CASE(sibling_cannot_lead),
	KUNIT_CASE(unequal_pairs_are_refused),
	KUNIT_CASE(hardware_of_one_pmu_only),
	KUNIT_CASE(hardware_member_decides_the_pmu),
	KUNIT_CASE(always_on_group_needs_every_member),
	KUNIT_CASE(samples_of_all_values_are_limited),
	{}
};

static struct kunit_suite group_suite = {
	.name		= "perf_group",
	.init		= group_test_init,
	.test_cases	= group_cases,
};

kunit_test_suite(group_suite);
