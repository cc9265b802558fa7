// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of addr_filter.c, included at its end: grammar of address filters, and addresses of
 * file ranges
 */
#include <kunit/test.h>
#include <linux/kthread.h>
#include <linux/prandom.h>
#include <linux/sched/signal.h>
#include <linux/shmem_fs.h>

#define TEST_FILTERS	3
#define TOP		(ULONG_MAX)

/**
 * struct parse_case - a text and the expected result of the parser
 * @text: the text
 * @nr: number of filters before the end of @text or its first error
 * @err: result of the parser: 0 or -errno
 * @spec: expected filters
 */
struct parse_case {
	const char		*text;
	unsigned int		nr;
	int			err;
	struct filter_spec	spec[TEST_FILTERS];
};

static const struct parse_case parse_cases[] = {
	{ "", 0, 0 },
	{ " ,\n, ", 0, 0 },
	{ "filter 0x100/0x20", 1, 0, { { FILTER_RANGE, 0x100, 0x20 } } },
	{ "filter 100/20", 1, 0, { { FILTER_RANGE, 100, 20 } } },
	{ "filter 010/010", 1, 0, { { FILTER_RANGE, 8, 8 } } },
	{ "start 0xffffffff", 1, 0, { { FILTER_START, 0xffffffff } } },
	{ "stop 0", 1, 0, { { FILTER_STOP } } },
	{ "stop 0x10/0x20", 1, 0, { { FILTER_STOP, 0x10, 0x20 } } },
	{ "start 0x10/0", 1, 0, { { FILTER_START, 0x10 } } },
	{ "start 1@/bin/true", 1, 0, { { FILTER_START, 1, 0, "/bin/true" } } },
	{ "filter 1/2@x", 1, 0, { { FILTER_RANGE, 1, 2, "x" } } },
	{ "filter 1/2@a@b/c", 1, 0, { { FILTER_RANGE, 1, 2, "a@b/c" } } },
	{ "filter 1/2@@", 1, 0, { { FILTER_RANGE, 1, 2, "@" } } },
	{ "  filter ,\n 1/2, ,start 3\n", 2, 0,
	  { { FILTER_RANGE, 1, 2 }, { FILTER_START, 3 } } },
	{ "filter 1/2@f,filter 3/4@g,stop 5", 3, 0,
	  { { FILTER_RANGE, 1, 2, "f" }, { FILTER_RANGE, 3, 4, "g" }, { FILTER_STOP, 5 } } },
	{ "filter", 0, -EINVAL },
	{ "filter ", 0, -EINVAL },
	{ "filter 1", 0, -EINVAL },
	{ "filter 1/0", 0, -EINVAL },
	{ "filter 1@f", 0, -EINVAL },
	{ "filter start", 0, -EINVAL },
	{ "Filter 1/2", 0, -EINVAL },
	{ "filters 1/2", 0, -EINVAL },
	{ "filte 1/2", 0, -EINVAL },
	{ "tracestop 1/2", 0, -EINVAL },
	{ "1/2", 0, -EINVAL },
	{ "filter 1/2/3", 0, -EINVAL },
	{ "filter 1/", 0, -EINVAL },
	{ "filter /2", 0, -EINVAL },
	{ "filter -1/2", 0, -EINVAL },
	{ "filter +1/2", 0, -EINVAL },
	{ "filter 0x/2", 0, -EINVAL },
	{ "filter 1g/2", 0, -EINVAL },
	{ "filter 08/2", 0, -EINVAL },
	{ "filter f/2", 0, -EINVAL },
	{ "filter 1/2@", 0, -EINVAL },
	{ "start 1@", 0, -EINVAL },
	{ "start @f", 0, -EINVAL },
	{ "start 1x@f", 0, -EINVAL },
	{ "start 1 @f", 1, -EINVAL, { { FILTER_START, 1 } } },
	{ "start 1 2", 1, -EINVAL, { { FILTER_START, 1 } } },
	{ "start 1,stop", 1, -EINVAL, { { FILTER_START, 1 } } },
	{ "start 0x10000000000000000", 0, -ERANGE },
	{ "filter 1/99999999999999999999", 0, -ERANGE },
#if BITS_PER_LONG == 64
	{ "filter 0xfffffffffffff000/0x1000", 1, 0,
	  { { FILTER_RANGE, 0xfffffffffffff000, 0x1000 } } },
	{ "filter 0xfffffffffffff000/0x1001", 0, -EINVAL },
	{ "filter 1/0xffffffffffffffff", 1, 0, { { FILTER_RANGE, 1, TOP } } },
	{ "filter 2/0xffffffffffffffff", 0, -EINVAL },
#endif
};

static void parse_case_desc(const struct parse_case *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%*pE", (int)strlen(c->text), c->text);
}

KUNIT_ARRAY_PARAM(parse, parse_cases, parse_case_desc);

static void test_parse(struct kunit *test)
{
	const struct parse_case *c = test->param_value;
	char *copy = kunit_kzalloc(test, strlen(c->text) + 1, GFP_KERNEL);
	struct filter_spec spec;
	unsigned int nr = 0;
	char *text = copy;
	int err;

	KUNIT_ASSERT_NOT_NULL(test, copy);
	memcpy(copy, c->text, strlen(c->text));
	while ((err = filter_parse_next(&text, &spec)) > 0) {
		const struct filter_spec *want = &c->spec[nr++];

		KUNIT_ASSERT_LE(test, nr, c->nr);
		KUNIT_EXPECT_EQ(test, spec.action, want->action);
		KUNIT_EXPECT_EQ(test, spec.offset, want->offset);
		KUNIT_EXPECT_EQ(test, spec.size, want->size);
		KUNIT_EXPECT_EQ(test, !spec.path, !want->path);
		if (spec.path && want->path)
			KUNIT_EXPECT_STREQ(test, spec.path, want->path);
	}
	KUNIT_EXPECT_EQ(test, err, c->err);
	KUNIT_EXPECT_EQ(test, nr, c->nr);
}

/*
 * For random texts, the parser ends, reads only the text, and makes only filters that the grammar
 * allows.
 */
static void test_parse_fuzz(struct kunit *test)
{
	static const char alphabet[] = "filterstartstop0123xaf/@,\n -";
	static const char * const words[] = { "filter ", "start ", "stop ", "0x1", "/2", "@f" };
	struct rnd_state rnd;
	char buf[64], *text;
	unsigned int i, n, len;

	prandom_seed_state(&rnd, 1);
	for (i = 0; i < 20000; i++) {
		struct filter_spec spec;
		int err;

		len = prandom_u32_state(&rnd) % (sizeof(buf) - 8);
		for (n = 0; n < len; ) {
			if (prandom_u32_state(&rnd) % 4)
				n += strscpy(buf + n, words[prandom_u32_state(&rnd) %
					     ARRAY_SIZE(words)], sizeof(buf) - n);
			else
				buf[n++] = alphabet[prandom_u32_state(&rnd) %
						    (sizeof(alphabet) - 1)];
		}
		buf[n] = '\0';
		text = buf;
		for (len = 0; (err = filter_parse_next(&text, &spec)) > 0; len++) {
			KUNIT_ASSERT_LT(test, len, sizeof(buf));
			KUNIT_ASSERT_LT(test, spec.action, FILTER_ACTIONS);
			if (spec.action == FILTER_RANGE)
				KUNIT_ASSERT_NE(test, spec.size, 0UL);
			if (spec.path)
				KUNIT_ASSERT_TRUE(test, spec.path > buf && spec.path < buf + n);
		}
		KUNIT_ASSERT_TRUE(test, !err || err == -EINVAL || err == -ERANGE);
	}
}

/*
 * Compare the address range of a filter with one found byte by byte, for a small file and a small
 * mapping.
 */
static void test_address_range(struct kunit *test)
{
	unsigned long start, len, b;
	unsigned int i;

	for (i = 0; i < 6 * 6 * 6 * 5; i++) {
		unsigned long offset = i % 6, size = i / 6 % 6;
		unsigned long map_offset = i / 36 % 6, map_size = i / 216 + 1;
		unsigned long first = 0, bytes = 0;
		bool found;

		for (b = offset; b < offset + max(size, 1); b++) {
			if (b < map_offset || b >= map_offset + map_size)
				continue;
			if (!bytes++)
				first = 100 + b - map_offset;
		}
		found = filter_place(offset, size, 100, map_offset, map_size, &start, &len);
		KUNIT_ASSERT_EQ(test, found, bytes > 0);
		if (!found)
			continue;
		KUNIT_ASSERT_EQ(test, start, first);
		KUNIT_ASSERT_EQ(test, len, size ? bytes : 0);
	}

	KUNIT_EXPECT_TRUE(test, filter_place(1, TOP, 0x1000, 0, 0x1000, &start, &len));
	KUNIT_EXPECT_EQ(test, start, 0x1001UL);
	KUNIT_EXPECT_EQ(test, len, 0xfffUL);
	KUNIT_EXPECT_FALSE(test, filter_place(TOP, 0, 0x1000, 0, 0x1000, &start, &len));
}

/* A PMU with address filters that stores its last ranges */
#define TEST_NR		4
#define TEST_REFUSED	0xbad

static struct perf_addr_filter_range filter_test_told[TEST_NR];
static unsigned int nr_told;

/* Event that gets newer filters from a concurrent call, once its driver gets the ranges */
static struct perf_event *filter_test_rival_of;

static void tracer_sync(struct perf_event *event)
{
	if (filter_test_rival_of == event) {
		filter_test_rival_of = NULL;
		perf_event_filters(event)->serial++;
	}
	memcpy(filter_test_told, event->addr_filter_ranges, sizeof(filter_test_told));
	WRITE_ONCE(nr_told, nr_told + 1);
}

static int tracer_validate(struct list_head *list)
{
	struct perf_addr_filter *filter;

	list_for_each_entry(filter, list, entry) {
		if (filter->offset == TEST_REFUSED)
			return -EOPNOTSUPP;
	}
	return 0;
}

static void tracer_start(struct perf_event *event, int flags)
{
	event->hw.state = 0;
	perf_event_addr_filters_sync(event);
}

static void tracer_stop(struct perf_event *event, int flags)
{
	event->hw.state = PERF_HES_STOPPED;
}

static int tracer_add(struct perf_event *event, int flags)
{
	if (flags & PERF_EF_START)
		tracer_start(event, 0);
	else
		tracer_stop(event, 0);
	return 0;
}

static int tracer_init(struct perf_event *event)
{
	return event->attr.type == event->pmu->type ? 0 : -ENOENT;
}

static void tracer_read(struct perf_event *event)
{
}

static struct pmu filter_test_tracer = {
	.task_ctx_nr		= perf_hw_context,
	.nr_addr_filters	= TEST_NR,
	.event_init		= tracer_init,
	.add			= tracer_add,
	.del			= tracer_stop,
	.start			= tracer_start,
	.stop			= tracer_stop,
	.read			= tracer_read,
	.addr_filters_validate	= tracer_validate,
	.addr_filters_sync	= tracer_sync,
};

static struct perf_event *tracer_open_attr(struct kunit *test, int cpu, struct task_struct *task,
					   bool inherit)
{
	struct perf_event_attr attr = {
		.type		= filter_test_tracer.type,
		.size		= sizeof(attr),
		.inherit	= inherit,
	};
	struct perf_event *event = perf_event_create_kernel_counter(&attr, cpu, task, NULL, NULL);

	KUNIT_EXPECT_NOT_ERR_OR_NULL(test, event);
	return event;
}

static struct perf_event *tracer_open(struct kunit *test, int cpu, struct task_struct *task)
{
	return tracer_open_attr(test, cpu, task, false);
}

static int tracer_set(struct perf_event *event, const char *text)
{
	char *copy = kstrdup(text, GFP_KERNEL);
	int err = 0;

	if (!copy)
		return -ENOMEM;
	scoped_class(event_context, ctx, event)
		err = perf_addr_filters_set(event, copy);
	kfree(copy);
	return err;
}

/* A rejected text has a reason, and does not change the list, the ranges or the hardware. */
static void filter_test_refused(struct kunit *test, struct perf_event *event, const char *text,
				int err, enum perf_refusal_id id)
{
	struct perf_addr_filter_range ranges[TEST_NR];
	struct list_head *first = perf_event_addr_filters(event)->list.next;
	unsigned long gen = perf_event_filters(event)->gen;
	int files = atomic_read(&perf_sideband_users[PERF_SIDEBAND_FILTERS]);
	unsigned int told_before = READ_ONCE(nr_told);

	memcpy(ranges, event->addr_filter_ranges, sizeof(ranges));
	KUNIT_EXPECT_EQ_MSG(test, tracer_set(event, text), err, "%s", text);
	KUNIT_EXPECT_EQ_MSG(test, perf_refusal_take(), id, "%s", text);
	KUNIT_EXPECT_PTR_EQ_MSG(test, perf_event_addr_filters(event)->list.next, first, "%s", text);
	KUNIT_EXPECT_EQ_MSG(test, perf_event_filters(event)->gen, gen, "%s", text);
	KUNIT_EXPECT_EQ_MSG(test, atomic_read(&perf_sideband_users[PERF_SIDEBAND_FILTERS]),
			    files, "%s", text);
	KUNIT_EXPECT_EQ_MSG(test, READ_ONCE(nr_told), told_before, "%s", text);
	KUNIT_EXPECT_MEMEQ(test, event->addr_filter_ranges, ranges, sizeof(ranges));
}

static void test_set(struct kunit *test)
{
	struct perf_event *event, *cpu;
	unsigned int before;

	KUNIT_ASSERT_EQ(test, perf_pmu_register(&filter_test_tracer, NULL, -1), 0);
	event = tracer_open(test, -1, current);
	cpu = tracer_open(test, 0, NULL);
	if (IS_ERR(event) || IS_ERR(cpu)) {
		perf_pmu_unregister(&filter_test_tracer);
		return;
	}

	/* Add a user of the hooks for file filters: a rejected text must not change the number. */
	perf_sideband_get(PERF_SIDEBAND_FILTERS);
	before = READ_ONCE(nr_told);
	KUNIT_EXPECT_EQ(test, tracer_set(event, "filter 0x1000/0x100,stop 0x2000"), 0);
	KUNIT_EXPECT_EQ(test, list_count_nodes(&perf_event_addr_filters(event)->list), 2UL);
	KUNIT_EXPECT_LT(test, before, READ_ONCE(nr_told));
	KUNIT_EXPECT_EQ(test, filter_test_told[0].start, 0x1000UL);
	KUNIT_EXPECT_EQ(test, filter_test_told[0].size, 0x100UL);
	KUNIT_EXPECT_EQ(test, filter_test_told[1].start, 0x2000UL);
	KUNIT_EXPECT_EQ(test, filter_test_told[1].size, 0UL);

	filter_test_refused(test, event, "filter 0x1000/0x100,nothing", -EINVAL,
			    PERF_REFUSED_FILTER_TEXT);
	filter_test_refused(test, event, "filter 1/2,filter 0xbad/1", -EOPNOTSUPP,
			    PERF_REFUSED_FILTER_PMU);
	filter_test_refused(test, event, "stop 1,stop 2,stop 3,stop 4,stop 5", -EOPNOTSUPP,
			    PERF_REFUSED_FILTER_MANY);
	filter_test_refused(test, event, "stop 1,stop 2@/no/such/file", -ENOENT,
			    PERF_REFUSED_FILTER_FILE);
	filter_test_refused(test, event, "stop 1,stop 2@/", -EINVAL,
			    PERF_REFUSED_FILTER_KIND);
	filter_test_refused(test, event, "stop 99999999999999999999", -ERANGE,
			    PERF_REFUSED_FILTER_TEXT);
	filter_test_refused(test, cpu, "stop 1,stop 2@/", -EOPNOTSUPP,
			    PERF_REFUSED_FILTER_TASK);

	KUNIT_EXPECT_EQ(test, tracer_set(event, "stop 1,stop 2,stop 3,stop 4"), 0);
	KUNIT_EXPECT_EQ(test, filter_test_told[3].start, 4UL);
	KUNIT_EXPECT_EQ(test, tracer_set(event, ""), 0);
	KUNIT_EXPECT_TRUE(test, list_empty(&perf_event_addr_filters(event)->list));

	perf_sideband_put(PERF_SIDEBAND_FILTERS);
	perf_event_release_kernel(event);
	perf_event_release_kernel(cpu);
	perf_pmu_unregister(&filter_test_tracer);
}

static int filter_test_idle(void *data)
{
	return 0;
}

static void filter_test_kill(bool on)
{
	struct sighand_struct *sighand = rcu_dereference_raw(current->sighand);

	spin_lock_irq(&sighand->siglock);
	if (on) {
		sigaddset(&current->pending.signal, SIGKILL);
		set_thread_flag(TIF_SIGPENDING);
	} else {
		sigdelset(&current->pending.signal, SIGKILL);
		recalc_sigpending();
	}
	spin_unlock_irq(&sighand->siglock);
}

/* Create a task that sleeps and inherits the events of current. Return: the task, or NULL */
static struct task_struct *filter_test_make_child(struct kunit *test)
{
	struct task_struct *thread = kthread_create(filter_test_idle, NULL, "perf_filter");

	KUNIT_EXPECT_FALSE(test, IS_ERR(thread));
	if (IS_ERR(thread))
		return NULL;
	/* A new kthread runs for a moment: wait until it sleeps. */
	kthread_bind(thread, raw_smp_processor_id());
	KUNIT_EXPECT_EQ(test, perf_event_init_task(thread, 0), 0);
	return thread;
}

static void filter_test_set_killed(struct kunit *test, struct perf_event *event)
{
	struct task_struct *thread = filter_test_make_child(test);
	struct perf_event *child;
	int err;

	if (!thread)
		return;
	filter_test_kill(true);
	err = tracer_set(event, "filter 0x1000/0x100");
	filter_test_kill(false);
	KUNIT_EXPECT_EQ(test, err, -EINTR);
	scoped_class(event_context, ctx, event) {
		CLASS(inherit_lock, lock)(event);
		KUNIT_EXPECT_TRUE(test, lock && !list_empty(perf_event_children(event)));
		for_each_child(child, event)
			KUNIT_EXPECT_EQ(test, child->addr_filter_ranges[0].start, 0x1000UL);
	}
	kthread_stop(thread);
}

/*
 * A task that is killed while it sets filters gets an error, and no inherited event keeps the
 * ranges of the old filters.
 */
static void test_set_by_killed_task(struct kunit *test)
{
	struct perf_event *event;

	KUNIT_ASSERT_EQ(test, perf_pmu_register(&filter_test_tracer, NULL, -1), 0);
	event = tracer_open_attr(test, -1, current, true);
	if (!IS_ERR(event)) {
		filter_test_set_killed(test, event);
		perf_event_release_kernel(event);
	}
	perf_pmu_unregister(&filter_test_tracer);
}

static void filter_test_set_killed_by_rival(struct kunit *test, struct perf_event *event)
{
	struct perf_event_filters *filters = perf_event_filters(event);
	struct task_struct *thread = filter_test_make_child(test);
	struct perf_addr_filter_range ranges[TEST_NR] = { };
	struct mm_struct *busy = NULL;
	struct perf_event *child;
	int err;

	if (!thread)
		return;
	filter_test_rival_of = event;
	filter_test_kill(true);
	err = tracer_set(event, "filter 0x1000/0x100");
	filter_test_kill(false);
	KUNIT_EXPECT_EQ(test, err, -EINTR);
	KUNIT_EXPECT_NULL(test, filter_test_rival_of);
	scoped_class(event_context, ctx, event) {
		scoped_class(inherit_lock, lock, event) {
			for_each_child(child, event)
				KUNIT_EXPECT_FALSE(test, perf_addr_filter_is_up_to_date(child));
		}
		/* The other call sets the ranges of its filters. */
		KUNIT_EXPECT_TRUE(test, perf_addr_filter_apply_all(event, ranges, &busy));
		CLASS(inherit_lock, lock)(event);
		KUNIT_EXPECT_TRUE(test, lock && !list_empty(perf_event_children(event)));
		for_each_child(child, event) {
			KUNIT_EXPECT_EQ(test, perf_event_filters(child)->applied, filters->serial);
			KUNIT_EXPECT_EQ(test, child->addr_filter_ranges[0].start, 0x1000UL);
		}
	}
	kthread_stop(thread);
}

/*
 * A task is killed while it sets filters, after another task has set newer ones: the inherited
 * events wait for the newer filters.
 */
static void test_killed_task_has_a_rival(struct kunit *test)
{
	struct perf_event *event;

	KUNIT_ASSERT_EQ(test, perf_pmu_register(&filter_test_tracer, NULL, -1), 0);
	event = tracer_open_attr(test, -1, current, true);
	if (!IS_ERR(event)) {
		filter_test_set_killed_by_rival(test, event);
		perf_event_release_kernel(event);
	}
	perf_pmu_unregister(&filter_test_tracer);
}

static void filter_test_set_killed_in_wait(struct kunit *test, struct perf_event *event)
{
	struct task_struct *task = kunit_kzalloc(test, sizeof(*task), GFP_KERNEL);
	struct perf_event_filters *filters = perf_event_filters(event);
	struct perf_addr_filter_range ranges[TEST_NR] = { };
	struct task_struct *target = event->hw.target;
	unsigned int told_before;

	KUNIT_EXPECT_NOT_NULL(test, task);
	if (!task)
		return;
	KUNIT_EXPECT_EQ(test, tracer_set(event, "filter 0x1000/0x100"), 0);
	KUNIT_EXPECT_EQ(test, filter_test_told[0].start, 0x1000UL);

	CLASS(event_context, ctx)(event);
	/* The setter waits for the end of the task's fork, to find the range of a file. */
	task->__state = TASK_NEW;
	event->hw.target = task;
	filters->head.nr_file_filters = 1;
	list_first_entry(&filters->head.list, struct perf_addr_filter, entry)->offset = 0x2000;
	told_before = READ_ONCE(nr_told);
	filter_test_kill(true);
	KUNIT_EXPECT_EQ(test, -EINTR,
			perf_addr_filter_apply_children(event, ranges, ++filters->serial));
	filter_test_kill(false);
	KUNIT_EXPECT_LT(test, told_before, READ_ONCE(nr_told));
	KUNIT_EXPECT_EQ(test, filter_test_told[0].start, 0x2000UL);
	filters->head.nr_file_filters = 0;
	event->hw.target = target;
}

/* After a setter was killed, no running event continues with the ranges of the old filters. */
static void test_hardware_of_killed_task(struct kunit *test)
{
	struct perf_event *event;

	KUNIT_ASSERT_EQ(test, perf_pmu_register(&filter_test_tracer, NULL, -1), 0);
	event = tracer_open(test, -1, current);
	if (!IS_ERR(event)) {
		filter_test_set_killed_in_wait(test, event);
		perf_event_release_kernel(event);
	}
	perf_pmu_unregister(&filter_test_tracer);
}

static struct mm_struct *filter_test_new_mm;

/* The event's task executes a program, and then holds its mmap_lock for writing. */
static void filter_test_exec(struct perf_event *event)
{
	struct mm_struct *mm = filter_test_new_mm;

	if (!mm || event->hw.target->mm == mm)
		return;
	event->hw.target->mm = mm;
	WARN_ON_ONCE(!down_write_trylock(&mm->mmap_lock));
}

static void filter_test_set_during_exec(struct kunit *test, struct perf_event *event)
{
	struct perf_event_filters *filters = perf_event_filters(event);
	struct perf_addr_filter_range ranges[TEST_NR] = { };
	struct task_struct *target = event->hw.target, *task;
	struct mm_struct *old_mm = mm_alloc(), *busy = NULL;
	unsigned int told_before;

	filter_test_new_mm = mm_alloc();
	task = kunit_kzalloc(test, sizeof(*task), GFP_KERNEL);
	KUNIT_EXPECT_TRUE(test, old_mm && filter_test_new_mm && task);
	if (old_mm && filter_test_new_mm && task) {
		spin_lock_init(&task->alloc_lock);
		task->mm = old_mm;
		CLASS(event_context, ctx)(event);
		event->hw.target = task;
		filters->head.nr_file_filters = 1;
		filters->serial++;
		told_before = READ_ONCE(nr_told);
		WRITE_ONCE(perf_addr_filter_test_step, filter_test_exec);
		KUNIT_EXPECT_FALSE(test, perf_addr_filter_apply(event, ranges, &busy));
		WRITE_ONCE(perf_addr_filter_test_step, NULL);
		KUNIT_EXPECT_PTR_EQ(test, busy, filter_test_new_mm);
		KUNIT_EXPECT_FALSE(test, perf_addr_filter_is_up_to_date(event));
		if (busy) {
			mmap_write_unlock(busy);
			mmput(busy);
		}
		KUNIT_EXPECT_TRUE(test, perf_addr_filter_apply(event, ranges, &busy));
		KUNIT_EXPECT_TRUE(test, perf_addr_filter_is_up_to_date(event));
		KUNIT_EXPECT_LT(test, told_before, READ_ONCE(nr_told));
		filters->head.nr_file_filters = 0;
		event->hw.target = target;
	}
	if (filter_test_new_mm)
		mmput(filter_test_new_mm);
	if (old_mm)
		mmput(old_mm);
}

/*
 * The task gets another mm while its ranges are computed, and that mm is locked: the event has the
 * old mm's ranges, so the setter must compute them again after its wait.
 */
static void test_set_during_exec(struct kunit *test)
{
	struct perf_event *event;

	KUNIT_ASSERT_EQ(test, perf_pmu_register(&filter_test_tracer, NULL, -1), 0);
	event = tracer_open(test, -1, current);
	if (!IS_ERR(event)) {
		filter_test_set_during_exec(test, event);
		perf_event_release_kernel(event);
	}
	perf_pmu_unregister(&filter_test_tracer);
}

/* An exec of a privileged program removes events, but they still refer to the task. */
static void test_task_after_exec(struct kunit *test)
{
	struct perf_event_context *gone = kunit_kzalloc(test, sizeof(*gone), GFP_KERNEL), *ctx;
	struct task_struct *after;
	struct perf_event *event;

	KUNIT_ASSERT_NOT_NULL(test, gone);
	gone->task = PERF_TASK_GONE;
	KUNIT_ASSERT_EQ(test, perf_pmu_register(&filter_test_tracer, NULL, -1), 0);
	event = tracer_open(test, -1, current);
	if (!IS_ERR(event)) {
		KUNIT_EXPECT_PTR_EQ(test, perf_addr_filter_task(event), current);
		scoped_guard(irq) {
			ctx = event->ctx;
			event->ctx = gone;
			after = perf_addr_filter_task(event);
			event->ctx = ctx;
		}
		KUNIT_EXPECT_NULL(test, after);
		perf_event_release_kernel(event);
	}
	perf_pmu_unregister(&filter_test_tracer);
}

static bool filter_test_is_possible(struct perf_event_context *ctx)
{
	bool possible = false;

	scoped_guard(raw_spinlock_irq, &ctx->lock)
		possible = perf_addr_filter_is_possible(ctx);
	return possible;
}

/*
 * When a file is mapped, a task's events are walked only if one of them may have a filter.
 */
static void test_walk_needs_a_filter(struct kunit *test)
{
	struct perf_event_attr attr = {
		.type	= PERF_TYPE_SOFTWARE,
		.size	= sizeof(attr),
		.config	= PERF_COUNT_SW_PAGE_FAULTS,
	};
	struct perf_event *other, *event;

	other = perf_event_create_kernel_counter(&attr, -1, current, NULL, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, other);
	KUNIT_EXPECT_FALSE(test, filter_test_is_possible(other->ctx));
	if (perf_pmu_register(&filter_test_tracer, NULL, -1)) {
		KUNIT_FAIL(test, "no PMU");
		goto out;
	}
	event = tracer_open(test, -1, current);
	if (!IS_ERR(event)) {
		KUNIT_EXPECT_PTR_EQ(test, event->ctx, other->ctx);
		KUNIT_EXPECT_TRUE(test, filter_test_is_possible(other->ctx));
		perf_event_release_kernel(event);
	}
	KUNIT_EXPECT_FALSE(test, filter_test_is_possible(other->ctx));
	perf_pmu_unregister(&filter_test_tracer);
out:
	perf_event_release_kernel(other);
}

/**
 * struct filter_test_walk - calls made by perf_addr_filter_update_current()
 * @event: event of each call
 * @seq: ctx->seq during each call; different if the context was unlocked between two calls
 * @nr: number of calls
 */
struct filter_test_walk {
	const struct perf_event	*event[4];
	unsigned int		seq[4];
	unsigned int		nr;
};

static bool filter_test_note_call(struct perf_event *event, void *data)
{
	struct filter_test_walk *walk = data;

	lockdep_assert_held(&event->ctx->lock);
	if (walk->nr < ARRAY_SIZE(walk->event)) {
		walk->event[walk->nr] = event;
		walk->seq[walk->nr] = event->ctx->seq;
	}
	walk->nr++;
	return false;
}

/*
 * When a file is mapped, the context is locked for each event with address filters separately, and
 * not for the task's other events, of which there may be many.
 */
static void test_walk_locks_filters_only(struct kunit *test)
{
	struct perf_event_attr attr = {
		.type	= PERF_TYPE_SOFTWARE,
		.size	= sizeof(attr),
		.config	= PERF_COUNT_SW_PAGE_FAULTS,
	};
	struct perf_event *first, *other, *last;
	struct filter_test_walk walk = { };

	KUNIT_ASSERT_EQ(test, perf_pmu_register(&filter_test_tracer, NULL, -1), 0);
	first = tracer_open(test, -1, current);
	other = perf_event_create_kernel_counter(&attr, -1, current, NULL, NULL);
	KUNIT_EXPECT_NOT_ERR_OR_NULL(test, other);
	last = tracer_open(test, -1, current);
	if (!IS_ERR(first) && !IS_ERR(other) && !IS_ERR(last)) {
		perf_addr_filter_update_current(filter_test_note_call, &walk);
		KUNIT_EXPECT_EQ(test, walk.nr, 2U);
		KUNIT_EXPECT_PTR_EQ(test, walk.event[0], first);
		KUNIT_EXPECT_PTR_EQ(test, walk.event[1], last);
		KUNIT_EXPECT_NE(test, walk.seq[0], walk.seq[1]);
	}
	if (!IS_ERR(last))
		perf_event_release_kernel(last);
	if (!IS_ERR(other))
		perf_event_release_kernel(other);
	if (!IS_ERR(first))
		perf_event_release_kernel(first);
	perf_pmu_unregister(&filter_test_tracer);
}

/*
 * A filter on a file has no address before mmap(2) and after munmap(2), and the address of the
 * mapping in between.
 */
static void test_mapped(struct kunit *test)
{
	struct perf_event *event = kunit_kzalloc(test, sizeof(*event), GFP_KERNEL);
	struct perf_event_filters *filters = kunit_kzalloc(test, struct_size(filters, ranges, 2),
							   GFP_KERNEL);
	struct perf_addr_filter_range *ranges = filters->ranges;
	struct perf_addr_filter file_filter = {}, kernel_filter = {};
	struct vm_area_struct vma = {};
	struct file *file;

	KUNIT_ASSERT_NOT_NULL(test, event);
	KUNIT_ASSERT_NOT_NULL(test, filters);
	file = shmem_kernel_file_setup("perf_addr_filter", 4 * PAGE_SIZE, 0);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, file);
	raw_spin_lock_init(&filters->head.lock);
	INIT_LIST_HEAD(&filters->head.list);
	event->addr_filter_ranges = ranges;
	kernel_filter.offset = 0x1000;
	file_filter.path = file->f_path;
	file_filter.offset = PAGE_SIZE + 16;
	file_filter.size = PAGE_SIZE;
	list_add_tail(&kernel_filter.entry, &perf_event_addr_filters(event)->list);
	list_add_tail(&file_filter.entry, &perf_event_addr_filters(event)->list);

	vma.vm_start = 16 * PAGE_SIZE;
	vma.vm_end = 17 * PAGE_SIZE;
	KUNIT_EXPECT_FALSE(test, perf_addr_filter_update_mmap(event, &vma));
	vma.vm_file = file;
	KUNIT_EXPECT_FALSE(test, perf_addr_filter_update_mmap(event, &vma));
	vma.vm_pgoff = 1;
	KUNIT_EXPECT_TRUE(test, perf_addr_filter_update_mmap(event, &vma));
	KUNIT_EXPECT_EQ(test, ranges[0].start, 0UL);
	KUNIT_EXPECT_EQ(test, ranges[1].start, 16 * PAGE_SIZE + 16);
	KUNIT_EXPECT_EQ(test, ranges[1].size, PAGE_SIZE - 16);
	KUNIT_EXPECT_EQ(test, perf_event_filters(event)->gen, 1UL);

	KUNIT_EXPECT_TRUE(test, perf_addr_filter_update_exec(event, NULL));
	KUNIT_EXPECT_EQ(test, ranges[1].start, 0UL);
	KUNIT_EXPECT_FALSE(test, perf_addr_filter_update_exec(event, NULL));
	KUNIT_EXPECT_EQ(test, perf_event_filters(event)->gen, 2UL);
	fput(file);
}

static struct kunit_case addr_filter_cases[] = {
	KUNIT_CASE_PARAM(test_parse, parse_gen_params),
	KUNIT_CASE(test_parse_fuzz),
	KUNIT_CASE(test_address_range),
	KUNIT_CASE(test_set),
	KUNIT_CASE(test_set_by_killed_task),
	KUNIT_CASE(test_killed_task_has_a_rival),
	KUNIT_CASE(test_hardware_of_killed_task),
	KUNIT_CASE(test_set_during_exec),
	KUNIT_CASE(test_task_after_exec),
	KUNIT_CASE(test_walk_needs_a_filter),
	KUNIT_CASE(test_walk_locks_filters_only),
	KUNIT_CASE(test_mapped),
	{}
};

static struct kunit_suite addr_filter_suite = {
	.name		= "perf_addr_filter",
	.test_cases	= addr_filter_cases,
};

kunit_test_suite(addr_filter_suite);
