// SPDX-License-Identifier: GPL-2.0
/*
 * Unit test of inherit_list.c, included at its end: the order in which inherited events are removed
 * after their parent event was closed
 */
#include <kunit/test.h>

static struct perf_event_context *inherit_list_test_context(struct kunit *test, bool shared)
{
	struct perf_event_context *ctx = kunit_kzalloc(test, sizeof(*ctx), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, ctx);
	mutex_init(&ctx->mutex);
	ctx->is_shared = shared;
	return ctx;
}

/*
 * Events in contexts of tasks are removed before those in shared contexts. Once only those in
 * shared contexts are left, each call returns the first event without a search.
 */
static void shared_ctx_children_are_last(struct kunit *test)
{
	struct perf_event_context *shared = inherit_list_test_context(test, true);
	struct perf_event_context *task = inherit_list_test_context(test, false);
	struct perf_event *parent = kunit_kzalloc(test, sizeof(*parent), GFP_KERNEL);
	struct perf_event *children = kunit_kcalloc(test, 4, sizeof(*children), GFP_KERNEL);
	struct perf_event_cold *cold = kunit_kzalloc(test, sizeof(*cold), GFP_KERNEL);
	bool only_shared = false;
	int i, err;

	KUNIT_ASSERT_NOT_NULL(test, parent);
	KUNIT_ASSERT_NOT_NULL(test, children);
	KUNIT_ASSERT_NOT_NULL(test, cold);
	INIT_LIST_HEAD(&cold->children);
	parent->cold = cold;
	parent->ctx = task;
	scoped_guard(mutex, &task->mutex)
		err = perf_inherit_data_alloc(task);
	KUNIT_ASSERT_EQ(test, err, 0);
	for (i = 0; i < 4; i++) {
		children[i].ctx = i == 2 ? task : shared;
		list_add_tail(&children[i].child_list, &cold->children);
	}

	mutex_lock(perf_inherit_lock(parent));
	KUNIT_EXPECT_PTR_EQ(test, perf_children_next(parent, &only_shared), &children[2]);
	KUNIT_EXPECT_FALSE(test, only_shared);
	list_del(&children[2].child_list);
	KUNIT_EXPECT_PTR_EQ(test, perf_children_next(parent, &only_shared), &children[3]);
	KUNIT_EXPECT_TRUE(test, only_shared);
	/* A search would find this event. */
	children[0].ctx = task;
	KUNIT_EXPECT_PTR_EQ(test, perf_children_next(parent, &only_shared), &children[3]);
	mutex_unlock(perf_inherit_lock(parent));
	perf_inherit_data_free(task);
}

static struct kunit_case inherit_list_cases[] = {
	KUNIT_CASE(shared_ctx_children_are_last),
	{}
};

static struct kunit_suite inherit_list_suite = {
	.name		= "perf_inherit_list",
	.test_cases	= inherit_list_cases,
};

kunit_test_suite(inherit_list_suite);
