// SPDX-License-Identifier: GPL-2.0
/*
 * Comparison of plain and full inherited events, see perf_event_init_child()
 *
 * A plain inherited event is copied from the memory of the parent task's event, and a full one is
 * made by all steps of an open. A fork may make either of them, so their contents must be equal.
 * Here one of each is made from the same events, and their whole memory is compared.
 */
#include <linux/kthread.h>
#include <linux/sched/task.h>

#include "../event_id.h"
#include "../inherit_list.h"
#include "sim_fixture.h"

#define MOST_CHILDREN	20

/* Tracepoints, which have no plain inherited events, have another field after pmu_list. */
#define COMPARED	offsetofend(struct perf_event, pmu_list)

/**
 * struct forked - a task and its inherited events
 * @task: the task, which sleeps
 * @ctx: its context
 * @children: its events, in the order of the context's list
 * @nr: number of @children
 */
struct forked {
	struct task_struct		*task;
	struct perf_event_context	*ctx;
	struct perf_event		*children[MOST_CHILDREN];
	int				nr;
};

/**
 * struct field - a part of struct perf_event
 * @start: offset of its first byte
 * @end: offset after its last byte
 */
struct field {
	size_t	start;
	size_t	end;
};

#define FIELD(name)	{ offsetof(struct perf_event, name), offsetofend(struct perf_event, name) }

/* Fields that differ between a plain and a full inherited event, with reasons */
static const struct field differing[] = {
	FIELD(id),		/* each event has its own */
	FIELD(child_list),	/* both are in the parent event's list, one after the other */
	FIELD(event_flags),	/* has the flag for plain inherited events; compared below */
	FIELD(destroy),		/* a plain inherited event has no resources to release */
	FIELD(pmu_list),	/* plain inherited events are not in the PMU's list */
};

static bool may_differ(size_t offset)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(differing); i++) {
		if (offset >= differing[i].start && offset < differing[i].end)
			return true;
	}
	return false;
}

static int sleep_on(void *unused)
{
	while (!kthread_should_stop())
		schedule_timeout_interruptible(HZ);
	return 0;
}

/* Create a task with events inherited from the events of current. */
static void make_child(struct kunit *test, struct forked *f)
{
	struct perf_event *event;

	f->task = make_sleeper(test, sleep_on);
	KUNIT_EXPECT_EQ(test, perf_event_init_task(f->task, 0), 0);
	f->ctx = perf_task_context(f->task);
	f->nr = 0;
	if (!f->ctx)
		return;
	guard(mutex)(&f->ctx->mutex);
	list_for_each_entry(event, &f->ctx->event_list, event_entry) {
		if (f->nr < MOST_CHILDREN)
			f->children[f->nr++] = event;
	}
}

/* Translate a word of @from, such as a pointer to its task's context, to the equivalent in @to. */
static unsigned long child_translate(unsigned long word, const struct forked *from,
				     const struct forked *to)
{
	int i;

	for (i = 0; i < from->nr; i++) {
		if (word - (unsigned long)from->children[i] < COMPARED)
			return word - (unsigned long)from->children[i] +
			       (unsigned long)to->children[i];
	}
	if (word - (unsigned long)from->ctx < sizeof(*from->ctx))
		return word - (unsigned long)from->ctx + (unsigned long)to->ctx;
	return word == (unsigned long)from->task ? (unsigned long)to->task : word;
}

static void child_compare(struct kunit *test, const struct forked *plain,
			  const struct forked *full, int i)
{
	const unsigned long *a = (unsigned long *)plain->children[i];
	const unsigned long *b = (unsigned long *)full->children[i];
	size_t at;

	KUNIT_EXPECT_EQ(test, plain->children[i]->event_flags, PERF_EVENT_PLAIN_CHILD);
	KUNIT_EXPECT_EQ(test, full->children[i]->event_flags, 0);
	for (at = 0; at < COMPARED; at += sizeof(*a), a++, b++) {
		/* The sizes, which share words with fields that may differ, are compared below. */
		if (!may_differ(at) && !may_differ(at + sizeof(*a) - 1))
			KUNIT_EXPECT_EQ_MSG(test, child_translate(*a, plain, full), *b,
					    "event %d, byte %zu of struct perf_event", i, at);
	}
	KUNIT_EXPECT_EQ(test, plain->children[i]->header_size, full->children[i]->header_size);
	KUNIT_EXPECT_EQ(test, plain->children[i]->id_header_size,
			full->children[i]->id_header_size);
	KUNIT_EXPECT_EQ(test, plain->children[i]->read_size, full->children[i]->read_size);
}

/* Change all fields of the event that an inherited event must not inherit. */
static void use_event(struct perf_event *event)
{
	event->owner = PERF_TASK_GONE;
	event->pending_kill = POLL_HUP;
	local64_add(5, &event->count);
	local64_set(&event->hw.prev_count, 7);
}

static void fork_and_compare(struct kunit *test)
{
	struct sim_fixture *f = test->priv;
	struct forked plain, full;
	int i;

	sim_test_pass(1000);
	for (i = 0; i < f->nr; i++) {
		use_event(f->events[i]);
		KUNIT_EXPECT_TRUE(test, perf_event_is_plain(f->events[i]));
	}
	make_child(test, &plain);
	for (i = 0; i < f->nr; i++)
		f->events[i]->event_flags &= ~PERF_EVENT_PLAIN;
	make_child(test, &full);

	KUNIT_EXPECT_EQ(test, plain.nr, f->nr);
	KUNIT_EXPECT_EQ(test, full.nr, f->nr);
	if (plain.nr == f->nr && full.nr == f->nr) {
		for (i = 0; i < f->nr; i++)
			child_compare(test, &plain, &full, i);
	}
	kthread_stop(plain.task);
	kthread_stop(full.task);
	close_all(test);
}

static struct perf_event *open_to_inherit(struct kunit *test, u64 config, bool disabled,
					  struct perf_event *leader)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = config, .inherit = 1, .disabled = disabled,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_ID,
		.exclude_hv = 1,
	};

	return open_attr(test, &attr, -1, current, leader);
}

static void child_events_alone(struct kunit *test)
{
	u64 config;

	for (config = 0; config < PERF_COUNT_SW_BPF_OUTPUT; config++) {
		open_to_inherit(test, config, false, NULL);
		fork_and_compare(test);
		open_to_inherit(test, config, true, NULL);
		fork_and_compare(test);
	}
}

static void child_groups(struct kunit *test)
{
	int off;

	/* First with all events enabled, then with one of them disabled in turn */
	for (off = 0; off < 4; off++) {
		struct perf_event *leader;

		leader = open_to_inherit(test, PERF_COUNT_SW_PAGE_FAULTS, off == 1, NULL);
		open_to_inherit(test, PERF_COUNT_SW_TASK_CLOCK, off == 2, leader);
		open_to_inherit(test, PERF_COUNT_SW_DUMMY, off == 3, leader);
		fork_and_compare(test);
	}
}

/*
 * An inherited event is off until perf_inherit_begin_child(), even if the event it is inherited
 * from is active: its times must not run, even if the group changes.
 */
static void child_is_off_until_it_begins(struct kunit *test)
{
	struct perf_event *event = open_to_inherit(test, PERF_COUNT_SW_TASK_CLOCK, false, NULL),
			  *child;

	child = kunit_kzalloc(test, sizeof(*child), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, child);
	scoped_guard(mutex, &event->ctx->mutex)
		perf_event_init_child(child, event, event->ctx, NULL, perf_event_id_new());
	KUNIT_EXPECT_EQ(test, event->state, PERF_EVENT_STATE_ACTIVE);
	KUNIT_EXPECT_EQ(test, child->state, PERF_EVENT_STATE_OFF);
}

/*
 * Groups of equal age are scheduled in by id. So ids increase from one inherited event of a task to
 * the next, and to an event opened on the task later. No two events have the same id.
 */
static void children_have_rising_ids(struct kunit *test)
{
	/*
	 * More forks than a CPU has reserved ids. The last forks inherit more events than a CPU
	 * has reserved ids.
	 */
	enum { CHILDREN = 40, FEW = 3, MANY = 20 };
	struct perf_event *last_opened = NULL, *opened;
	struct forked child;
	u64 highest = 0;
	int i, k, nr = 0;

	for (; nr < FEW; nr++)
		last_opened = open_to_inherit(test, PERF_COUNT_SW_DUMMY, false, NULL);
	for (k = 0; k < CHILDREN; k++) {
		for (; k == CHILDREN - 5 && nr < MANY; nr++)
			last_opened = open_to_inherit(test, PERF_COUNT_SW_DUMMY, false, NULL);
		/* Full and plain inherited events have ids from the same sequence. */
		if (k % 2)
			last_opened->event_flags &= ~PERF_EVENT_PLAIN;
		else
			last_opened->event_flags |= PERF_EVENT_PLAIN;
		make_child(test, &child);
		KUNIT_EXPECT_EQ(test, child.nr, nr);
		for (i = 0; i < child.nr; i++) {
			/* Ids increase on each CPU, and this thread is pinned to one. */
			KUNIT_EXPECT_GT(test, child.children[i]->id, highest);
			highest = child.children[i]->id;
		}
		kthread_stop(child.task);
	}
	opened = open_to_inherit(test, PERF_COUNT_SW_DUMMY, false, NULL);
	KUNIT_EXPECT_GT(test, opened->id, highest);
	KUNIT_EXPECT_NE(test, opened->id, last_opened->id);
	close_all(test);
}

/*
 * The inherited events of a group are removed one after the other. A reader of the group waits
 * until all are removed.
 */
static void group_read_waits_for_removal(struct kunit *test)
{
	struct perf_event *leader = open_to_inherit(test, PERF_COUNT_SW_DUMMY, false, NULL);
	struct forked child;
	struct mutex *lock; /* lock of the leader's inherited events */

	make_child(test, &child);
	kthread_stop(child.task);
	KUNIT_EXPECT_TRUE(test, list_empty(perf_event_children(leader)));
	mutex_lock(&leader->ctx->mutex);
	lock = perf_inherit_lock_group(leader);
	KUNIT_EXPECT_PTR_EQ(test, lock, perf_inherit_lock(leader));
	perf_inherit_unlock(lock);
	mutex_unlock(&leader->ctx->mutex);
	close_all(test);
}

static struct kunit_case child_cases[] = {
	KUNIT_CASE(child_is_off_until_it_begins),
	KUNIT_CASE(child_events_alone),
	KUNIT_CASE(child_groups),
	KUNIT_CASE(children_have_rising_ids),
	KUNIT_CASE(group_read_waits_for_removal),
	{}
};

static struct kunit_suite child_suite = {
	.name		= "perf_child",
	.init		= sim_fixture_init,
	.exit		= sim_fixture_exit,
	.test_cases	= child_cases,
};

kunit_test_suite(child_suite);
