// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of userpage.c, included at its end: the CPU that writes the page, and the page's
 * lock, with nested writers, writers of two CPUs and writes from user space
 */
#include <kunit/test.h>

#include "../context.h"

/* Uses of the page's lock by another CPU while this CPU writes */
enum page_test_meets {
	PAGE_TEST_ALONE,
	PAGE_TEST_BEGUN,
	PAGE_TEST_ENDED,
	PAGE_TEST_NUMBER_LOST,	/* the other CPU has overwritten an increment */
	PAGE_TEST_MEETINGS
};

/**
 * struct page_fixture - an event with a page
 * @ctx: its context
 * @pmu: its PMU
 * @event: the event
 * @cold: cold part of @event, which marks the page as mapped
 * @rb: the page's buffer
 * @page: the page
 * @nested: number of writers that are yet to interrupt another one
 * @inside: a writer has interrupted another one
 * @even_inside: the lock was even afterwards, so the page seemed complete
 * @meets: use of the lock by another CPU during the next write
 */
struct page_fixture {
	struct perf_event_context	ctx;
	struct pmu			pmu;
	struct perf_event		event;
	struct perf_event_cold		cold;
	struct perf_buffer		*rb;
	struct perf_event_mmap_page	*page;
	int				nested;
	bool				inside;
	bool				even_inside;
	enum page_test_meets		meets;
};

static void page_test_meet(struct page_fixture *f)
{
	struct perf_page_lock *lock = &f->rb->page_lock;

	switch (f->meets) {
	case PAGE_TEST_BEGUN:
		lock->cpu = nr_cpu_ids;
		f->page->lock = local_read(&lock->number) + 1;
		break;
	case PAGE_TEST_ENDED:
		lock->cpu = PERF_PAGE_FREE;
		f->page->lock = local_add_return(2, &lock->number);
		break;
	case PAGE_TEST_NUMBER_LOST:
		local_sub(2, &lock->number);
		break;
	default:
		break;
	}
	f->meets = PAGE_TEST_ALONE;
}

/*
 * Update the page in the middle of another update, like an NMI: the event counts, and its page is
 * written.
 */
static int nested_update(struct perf_event *event)
{
	struct page_fixture *f = container_of(event, struct page_fixture, event);
	int index = local64_read(&event->hw.prev_count);

	page_test_meet(f);
	if (f->nested && !f->inside) {
		f->nested--;
		f->inside = true;
		local64_add(10, &event->count);
		local64_add(10, &event->hw.prev_count);
		perf_event_update_userpage(event);
		/* The interrupted write is not complete, so the lock must still be odd. */
		f->even_inside |= !(f->page->lock & 1);
		f->inside = false;
	}
	return index;
}

static int page_test_init(struct kunit *test)
{
	struct page_fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, f);
	f->rb = perf_buffer_alloc(1, 0, -1, false);
	KUNIT_ASSERT_NOT_NULL(test, f->rb);
	f->page = f->rb->ring.user;
	perf_context_init(&f->ctx, NULL);
	atomic_set(&f->cold.mmap_count, 1);
	f->pmu.event_idx = nested_update;
	f->event.pmu = &f->pmu;
	f->event.ctx = &f->ctx;
	f->event.cold = &f->cold;
	f->event.cpu = -1;
	f->event.group_leader = &f->event;
	INIT_LIST_HEAD(&f->event.sibling_list);
	f->event.state = PERF_EVENT_STATE_OFF;
	rcu_assign_pointer(f->event.rb, f->rb);
	test->priv = f;
	return 0;
}

static void page_test_exit(struct kunit *test)
{
	struct page_fixture *f = test->priv;

	perf_buffer_put(f->rb);
}

static void update_from_cpu(struct page_fixture *f, int runs_on)
{
	raw_spin_lock_irq(&f->ctx.lock);
	f->ctx.clock.cpu = runs_on < 0 ? -1 : (smp_processor_id() + runs_on) % nr_cpu_ids;
	perf_event_update_userpage(&f->event);
	f->ctx.clock.cpu = -1;
	raw_spin_unlock_irq(&f->ctx.lock);
}

static void page_is_written_where_its_context_runs(struct kunit *test)
{
	struct page_fixture *f = test->priv;
	u32 lock = f->page->lock;

	local64_set(&f->event.count, 5);
	if (nr_cpu_ids > 1) {
		update_from_cpu(f, 1);
		KUNIT_EXPECT_EQ(test, f->page->lock, lock);
		KUNIT_EXPECT_EQ(test, f->page->offset, 0);
	}
	update_from_cpu(f, 0);
	KUNIT_EXPECT_EQ(test, f->page->lock, lock + 2);
	KUNIT_EXPECT_EQ(test, f->page->offset, 5);
	local64_set(&f->event.count, 6);
	/* The context is not active on any CPU. */
	update_from_cpu(f, -1);
	KUNIT_EXPECT_EQ(test, f->page->lock, lock + 4);
	KUNIT_EXPECT_EQ(test, f->page->offset, 6);
}

static void page_lock_is_even_after_user_writes(struct kunit *test)
{
	struct page_fixture *f = test->priv;
	u32 values[] = { 1, 7, U32_MAX, 0 };
	int i;

	for (i = 0; i < ARRAY_SIZE(values); i++) {
		f->page->lock = values[i];
		update_from_cpu(f, 0);
		KUNIT_EXPECT_EQ(test, f->page->lock & 1, 0);
		KUNIT_EXPECT_NE(test, f->page->lock, values[i]);
	}
}

/* The page's counter index and count must be from the same write. */
static void nested_userpage_writer_is_kept(struct kunit *test)
{
	struct page_fixture *f = test->priv;
	int nested;

	f->event.state = PERF_EVENT_STATE_ACTIVE;
	local64_set(&f->event.count, 1000);
	for (nested = 1; nested < PERF_PAGE_TRIES; nested++) {
		local64_set(&f->event.hw.prev_count, 1);
		f->nested = nested;
		update_from_cpu(f, 0);
		KUNIT_EXPECT_EQ(test, f->page->lock & 1, 0);
		KUNIT_EXPECT_EQ(test, f->page->index, local64_read(&f->event.hw.prev_count));
		KUNIT_EXPECT_EQ(test, f->page->offset + f->page->index,
				local64_read(&f->event.count));
		KUNIT_EXPECT_FALSE(test, f->even_inside);
	}
}

static void userpage_retries_are_bounded(struct kunit *test)
{
	struct page_fixture *f = test->priv;

	f->event.state = PERF_EVENT_STATE_ACTIVE;
	f->nested = 1000;
	update_from_cpu(f, 0);
	KUNIT_EXPECT_EQ(test, f->page->lock & 1, 0);
	KUNIT_EXPECT_LT(test, f->nested, 1000);
	/* The writer must have given up, otherwise all nested writers would have run. */
	KUNIT_EXPECT_GT(test, f->nested, 0);
	KUNIT_EXPECT_FALSE(test, f->even_inside);
	/* The next write is not affected. */
	f->nested = 0;
	update_from_cpu(f, 0);
	KUNIT_EXPECT_EQ(test, f->page->lock & 1, 0);
	KUNIT_EXPECT_EQ(test, f->page->offset + f->page->index, local64_read(&f->event.count));
}

static void expect_page_is_whole(struct kunit *test)
{
	struct page_fixture *f = test->priv;

	KUNIT_EXPECT_EQ(test, f->page->lock & 1, 0);
	KUNIT_EXPECT_EQ(test, f->page->index, local64_read(&f->event.hw.prev_count));
	KUNIT_EXPECT_EQ(test, f->page->offset + f->page->index, local64_read(&f->event.count));
}

/*
 * Events of two tasks, which run on two CPUs, are mapped through the same buffer. Readers must not
 * wait for ever, so each write ends with an even lock, for each use of the lock by the other CPU.
 */
static void writer_does_not_wait_for_another_cpu(struct kunit *test)
{
	struct page_fixture *f = test->priv;
	int i, nested;

	f->event.state = PERF_EVENT_STATE_ACTIVE;
	local64_set(&f->event.count, 1000);
	for (i = PAGE_TEST_BEGUN; i < PAGE_TEST_MEETINGS; i++) {
		for (nested = 0; nested < PERF_PAGE_TRIES - 1; nested++) {
			f->meets = i;
			f->nested = nested;
			local64_set(&f->event.hw.prev_count, 1);
			local64_inc(&f->event.count);
			update_from_cpu(f, 0);
			KUNIT_EXPECT_EQ(test, f->page->lock & 1, 0);
			/* With a lost increment, the writer may miss an NMI. */
			if (i == PAGE_TEST_NUMBER_LOST && nested)
				continue;
			expect_page_is_whole(test);
			KUNIT_EXPECT_EQ(test, f->nested, 0);
		}
		/* Another CPU updates the page, with page->lock, just before this CPU's update. */
		f->nested = 0;
		f->meets = i;
		page_test_meet(f);
		local64_inc(&f->event.count);
		update_from_cpu(f, 0);
		expect_page_is_whole(test);
	}
}

static struct kunit_case page_cases[] = {
	KUNIT_CASE(page_is_written_where_its_context_runs),
	KUNIT_CASE(page_lock_is_even_after_user_writes),
	KUNIT_CASE(nested_userpage_writer_is_kept),
	KUNIT_CASE(userpage_retries_are_bounded),
	KUNIT_CASE(writer_does_not_wait_for_another_cpu),
	{}
};

static struct kunit_suite page_suite = {
	.name		= "perf_userpage",
	.init		= page_test_init,
	.exit		= page_test_exit,
	.test_cases	= page_cases,
};

kunit_test_suite(page_suite);
