// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of breakpoint.c, included at its end
 *
 * In each reachable state of a small machine, the accounting of debug registers is compared with
 * a recount. Then real breakpoints are tested.
 */
#include <kunit/test.h>
#include <linux/cred.h>
#include <linux/kthread.h>

#include "../context.h"

#define TEST_CPUS	3
#define TEST_TASKS	3
/* Kinds of breakpoints: per CPU; per task on all CPUs; per task on one CPU */
#define TEST_KINDS	(TEST_CPUS + TEST_TASKS * (1 + TEST_CPUS))

/* The register type with the highest number */
#define TEST_TYPE	(TYPE_MAX - 1)

/**
 * struct bp_world - a machine under test
 * @test: the test
 * @machine: the accounting under test
 * @tasks: tasks of the machine
 * @nr_tasks: number of @tasks that are used
 * @nr_kinds: number of kinds of breakpoints
 * @count: number of breakpoints of each kind
 * @seen: visited states, by number
 * @states: number of states in @seen
 */
struct bp_world {
	struct kunit		*test;
	struct bp_machine	machine;
	struct bp_task		tasks[TEST_TASKS];
	unsigned int		nr_tasks;
	unsigned int		nr_kinds;
	unsigned int		count[TEST_KINDS];
	unsigned long		*seen;
	unsigned int		states;
};

/* Get the task (-1: none) and the CPU (-1: all) of breakpoints of kind @k. */
static void kind_of(const struct bp_world *w, unsigned int k, int *task, int *cpu)
{
	unsigned int nr_cpus = w->machine.nr_cpus;

	if (k < nr_cpus) {
		*task = -1;
		*cpu = k;
		return;
	}
	k -= nr_cpus;
	*task = k / (nr_cpus + 1);
	*cpu = (int)(k % (nr_cpus + 1)) - 1;
}

static struct bp_task *kind_task(struct bp_world *w, int task)
{
	return task < 0 ? NULL : &w->tasks[task];
}

/*
 * Number of registers that a CPU needs for its own breakpoints and for those of one task that
 * runs there
 */
static unsigned int bp_test_need(const struct bp_world *w, unsigned int on_cpu, int of_task,
				 bool own)
{
	unsigned int k, n = 0;
	int task, cpu;

	for (k = 0; k < w->nr_kinds; k++) {
		kind_of(w, k, &task, &cpu);
		if (task < 0 ? own && cpu == on_cpu :
		    task == of_task && (cpu < 0 || cpu == on_cpu))
			n += w->count[k];
	}
	return n;
}

static bool bp_test_fits(const struct bp_world *w)
{
	unsigned int cpu;
	int task;

	for (cpu = 0; cpu < w->machine.nr_cpus; cpu++) {
		for (task = -1; task < (int)w->nr_tasks; task++) {
			if (bp_test_need(w, cpu, task, true) > w->machine.slots[TEST_TYPE])
				return false;
		}
	}
	return true;
}

static unsigned int count_of(const struct bp_world *w, int of_task, int on_cpu)
{
	unsigned int k;
	int task, cpu;

	for (k = 0; k < w->nr_kinds; k++) {
		kind_of(w, k, &task, &cpu);
		if (task == of_task && cpu == on_cpu)
			return w->count[k];
	}
	return 0;
}

/* The accounting depends only on the set of breakpoints, not on their order. */
static void check_books(struct bp_world *w)
{
	const struct bp_machine *m = &w->machine;
	unsigned int cpus[BP_SLOTS_MAX + 1] = {}, tasks[BP_SLOTS_MAX + 1] = {};
	unsigned int here[BP_SLOTS_MAX + 1];
	unsigned int cpu, n;
	int task;

	for (cpu = 0; cpu < m->nr_cpus; cpu++) {
		memset(here, 0, sizeof(here));
		n = count_of(w, -1, cpu);
		KUNIT_ASSERT_EQ(w->test, m->cpu[cpu].pinned[TEST_TYPE], n);
		if (n)
			cpus[n]++;
		for (task = 0; task < w->nr_tasks; task++) {
			if (count_of(w, task, cpu))
				here[bp_test_need(w, cpu, task, false)]++;
		}
		KUNIT_ASSERT_MEMEQ(w->test, m->cpu[cpu].tasks[TEST_TYPE], here, sizeof(here));
	}
	for (task = 0; task < w->nr_tasks; task++) {
		n = count_of(w, task, -1);
		if (n)
			tasks[n]++;
	}
	KUNIT_ASSERT_MEMEQ(w->test, m->cpus[TEST_TYPE], cpus, sizeof(cpus));
	KUNIT_ASSERT_MEMEQ(w->test, m->tasks[TEST_TYPE], tasks, sizeof(tasks));
}

static unsigned int state_number(const struct bp_world *w)
{
	unsigned int base = w->machine.slots[TEST_TYPE] + 1, n = 0, k;

	for (k = 0; k < w->nr_kinds; k++)
		n = n * base + w->count[k];
	return n;
}

/* In this state, try to add a breakpoint of each kind, and visit each new state. */
static void bp_test_visit(struct bp_world *w)
{
	unsigned int k;
	int task, cpu, err;

	if (test_and_set_bit(state_number(w), w->seen))
		return;
	w->states++;

	for (k = 0; k < w->nr_kinds; k++) {
		struct bp_memory spare;
		bool possible;

		KUNIT_ASSERT_EQ(w->test, bp_memory_alloc(&spare), 0);
		kind_of(w, k, &task, &cpu);
		w->count[k]++;
		possible = bp_test_fits(w);
		err = bp_reserve(&w->machine, kind_task(w, task), cpu, TEST_TYPE, &spare);
		bp_memory_free(&spare);
		KUNIT_ASSERT_EQ(w->test, err, possible ? 0 : -ENOSPC);
		if (possible) {
			check_books(w);
			bp_test_visit(w);
			bp_release(&w->machine, kind_task(w, task), cpu, TEST_TYPE);
		}
		w->count[k]--;
		check_books(w);
	}
}

struct bp_shape {
	unsigned int	cpus;
	unsigned int	tasks;
	unsigned int	slots;
};

static const struct bp_shape bp_shapes[] = {
	{ .cpus = 1, .tasks = 3, .slots = 2 },
	{ .cpus = 2, .tasks = 2, .slots = 2 },
	{ .cpus = 2, .tasks = 1, .slots = 4 },
	{ .cpus = 3, .tasks = 2, .slots = 1 },
	{ .cpus = 2, .tasks = 2, .slots = 0 },
};

static void bp_shape_desc(const struct bp_shape *shape, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%u CPUs, %u tasks, %u registers",
		 shape->cpus, shape->tasks, shape->slots);
}

KUNIT_ARRAY_PARAM(bp_shapes, bp_shapes, bp_shape_desc);

static void test_accounting(struct kunit *test)
{
	const struct bp_shape *shape = test->param_value;
	struct bp_world *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);
	unsigned int i, states = 1;

	KUNIT_ASSERT_NOT_NULL(test, w);
	w->test = test;
	w->nr_tasks = shape->tasks;
	w->nr_kinds = shape->cpus + shape->tasks * (1 + shape->cpus);
	KUNIT_ASSERT_EQ(test, bp_machine_init(&w->machine, shape->cpus), 0);
	w->machine.slots[TEST_TYPE] = shape->slots;
	for (i = 0; i < shape->tasks; i++)
		INIT_LIST_HEAD(&w->tasks[i].cpus);
	for (i = 0; i < w->nr_kinds; i++)
		states *= shape->slots + 1;
	w->seen = kunit_kcalloc(test, BITS_TO_LONGS(states), sizeof(long), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, w->seen);

	bp_test_visit(w);
	check_books(w);
	for (i = 0; i < shape->tasks; i++)
		KUNIT_EXPECT_TRUE(test, list_empty(&w->tasks[i].cpus));
	kunit_info(test, "%u states\n", w->states);
	kfree(w->machine.cpu);
}

static void test_task_record(struct kunit *test)
{
	struct bp_machine *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	struct bp_memory spare;
	struct bp_task *t;

	KUNIT_ASSERT_NOT_NULL(test, m);
	KUNIT_ASSERT_EQ(test, bp_memory_alloc(&spare), 0);
	KUNIT_ASSERT_EQ(test, bp_machine_init(m, 1), 0);
	t = bp_task_get(m, current, &spare);
	KUNIT_EXPECT_NULL(test, spare.task);
	KUNIT_EXPECT_PTR_EQ(test, bp_task_get(m, current, &spare), t);
	bp_memory_free(&spare);
	KUNIT_EXPECT_EQ(test, t->nr_events, 2U);
	bp_task_put(t);
	KUNIT_EXPECT_FALSE(test, hash_empty(m->table));
	bp_task_put(t);
	KUNIT_EXPECT_TRUE(test, hash_empty(m->table));
	kfree(m->cpu);
}

/* One word per breakpoint, because simulated CPUs report only one hit per access */
static u32 bp_test_words[BP_SLOTS_MAX + 2];
static unsigned int bp_test_hits;

static void bp_test_hit(struct perf_event *bp, struct perf_sample_data *data,
			struct pt_regs *regs)
{
	WRITE_ONCE(bp_test_hits, bp_test_hits + 1);
}

static void bp_test_attr(struct perf_event_attr *attr, unsigned int word)
{
	hw_breakpoint_init(attr);
	attr->bp_addr = (unsigned long)&bp_test_words[word];
	attr->bp_len = HW_BREAKPOINT_LEN_4;
	attr->bp_type = HW_BREAKPOINT_W;
}

/* Write every word once. Return: number of hits */
static unsigned int bp_test_write(void)
{
	unsigned int i;

	WRITE_ONCE(bp_test_hits, 0);
	for (i = 0; i <= BP_SLOTS_MAX; i++) {
		WRITE_ONCE(bp_test_words[i], i);
		/* Emulated CPUs clear the last hit only at an access to another address. */
		WRITE_ONCE(bp_test_words[BP_SLOTS_MAX + 1], i);
	}
	return READ_ONCE(bp_test_hits);
}

/* Count the free registers of each type: of a task on all CPUs, or without a task of one CPU. */
static void bp_test_count_free(struct bp_task *t, int cpu, unsigned int *nr)
{
	unsigned int type, i;

	guard(mutex)(&bp_mutex);
	for (type = 0; type < TYPE_MAX; type++) {
		for (i = 0; !bp_reserve(&bp_machine, t, cpu, type, NULL); i++)
			;
		nr[type] = i;
		while (i--)
			bp_release(&bp_machine, t, cpu, type);
	}
}

/*
 * Skip the test if the architecture refuses such a breakpoint of a task, or if no register is free.
 * After this call, an error of the registration is a failure.
 */
static void bp_test_require(struct kunit *test, const struct perf_event_attr *attr)
{
	struct perf_event *bp = kunit_kzalloc(test, sizeof(*bp), GFP_KERNEL);
	struct arch_hw_breakpoint info = {};
	unsigned int left[TYPE_MAX];
	struct bp_task task = {};

	KUNIT_ASSERT_NOT_NULL(test, bp);
	bp->attr = *attr;
	bp->cpu = -1;
	bp->hw.target = current;
	if (hw_breakpoint_arch_parse(bp, attr, &info))
		kunit_skip(test, "the architecture refuses such a breakpoint");
	INIT_LIST_HEAD(&task.cpus);
	bp_test_count_free(&task, -1, left);
	if (!left[bp_slot_type(attr->bp_type)])
		kunit_skip(test, "no free debug register");
}

/* A task, and then all CPUs, can have exactly as many breakpoints as there are registers. */
static void test_all_registers(struct kunit *test)
{
	unsigned int i, j, slots = bp_machine.slots[TYPE_DATA];
	struct perf_event *bps[BP_SLOTS_MAX + 1];
	struct perf_event * __percpu *wide;
	struct perf_event_attr attr;

	bp_test_attr(&attr, 0);
	bp_test_require(test, &attr);
	for (i = 0; i < slots; i++) {
		bp_test_attr(&attr, i);
		bps[i] = register_user_hw_breakpoint(&attr, bp_test_hit, NULL, current);
		if (IS_ERR(bps[i]))
			break;
	}
	KUNIT_ASSERT_NE(test, i, 0U);
	KUNIT_EXPECT_EQ(test, i, slots);
	bp_test_attr(&attr, i);
	KUNIT_EXPECT_EQ(test, PTR_ERR(register_user_hw_breakpoint(&attr, bp_test_hit, NULL,
								  current)), -ENOSPC);
	wide = register_wide_hw_breakpoint(&attr, bp_test_hit, NULL);
	KUNIT_EXPECT_EQ(test, PTR_ERR((void __force *)wide), -ENOSPC);
	KUNIT_EXPECT_EQ(test, bp_test_write(), i);

	unregister_hw_breakpoint(bps[--i]);
	wide = register_wide_hw_breakpoint(&attr, bp_test_hit, NULL);
	KUNIT_EXPECT_FALSE(test, IS_ERR((void __force *)wide));
	KUNIT_EXPECT_EQ(test, bp_test_write(), i + 1);
	if (!IS_ERR((void __force *)wide))
		unregister_wide_hw_breakpoint(wide);
	for (j = 0; j < i; j++)
		unregister_hw_breakpoint(bps[j]);
	KUNIT_EXPECT_EQ(test, bp_test_write(), 0U);
}

/* After a failed change a breakpoint is unchanged and still enabled. */
static void test_modify(struct kunit *test)
{
	struct perf_event_attr attr, bad;
	struct perf_event *bp;

	bp_test_attr(&attr, 0);
	bp_test_require(test, &attr);
	bp = register_user_hw_breakpoint(&attr, bp_test_hit, NULL, current);
	KUNIT_ASSERT_EQ(test, PTR_ERR_OR_ZERO(bp), 0);

	bad = bp->attr;
	bad.bp_type = HW_BREAKPOINT_INVALID;
	KUNIT_EXPECT_EQ(test, modify_user_hw_breakpoint(bp, &bad), -EINVAL);
	bad = bp->attr;
	bad.bp_len = 0;
	bad.disabled = 1;
	KUNIT_EXPECT_EQ(test, modify_user_hw_breakpoint(bp, &bad), -EINVAL);
	KUNIT_EXPECT_EQ(test, bp->attr.bp_len, (u64)HW_BREAKPOINT_LEN_4);
	KUNIT_EXPECT_EQ(test, bp->attr.bp_type, (u32)HW_BREAKPOINT_W);
	KUNIT_EXPECT_EQ(test, bp_test_write(), 1U);

	attr = bp->attr;
	attr.disabled = 1;
	KUNIT_EXPECT_EQ(test, modify_user_hw_breakpoint(bp, &attr), 0);
	KUNIT_EXPECT_EQ(test, bp_test_write(), 0U);

	attr.disabled = 0;
	attr.bp_len = HW_BREAKPOINT_LEN_1;
	attr.bp_addr += 3;
	KUNIT_EXPECT_EQ(test, modify_user_hw_breakpoint(bp, &attr), 0);
	WRITE_ONCE(bp_test_hits, 0);
	WRITE_ONCE(*(u8 *)&bp_test_words[0], 6);
	KUNIT_EXPECT_EQ(test, READ_ONCE(bp_test_hits), 0U);
	WRITE_ONCE(*((u8 *)&bp_test_words[0] + 3), 6);
	KUNIT_EXPECT_EQ(test, READ_ONCE(bp_test_hits), 1U);
	unregister_hw_breakpoint(bp);
}

/* A breakpoint at a user address, which kernel threads do not access */
static void bp_test_user_attr(struct perf_event_attr *attr)
{
	hw_breakpoint_init(attr);
	attr->bp_addr = PAGE_SIZE;
	attr->bp_len = HW_BREAKPOINT_LEN_4;
	attr->bp_type = HW_BREAKPOINT_W;
	attr->exclude_kernel = 1;
	attr->disabled = 1;
}

static int bp_test_idle(void *unused)
{
	return 0;
}

/* Create a task that never runs, and can inherit events like the new task of a fork. */
static struct task_struct *bp_test_make_child(struct kunit *test)
{
	struct task_struct *child = kthread_create(bp_test_idle, NULL, "perf_bp_child");

	KUNIT_ASSERT_FALSE(test, IS_ERR(child));
	/* kthread_bind() waits until the thread sleeps. */
	kthread_bind(child, raw_smp_processor_id());
	return child;
}

/* Number of checks of new settings up to the one that fails; 0: none fails */
static unsigned int bp_test_fails_at;

static int bp_test_parse(struct perf_event *bp, const struct perf_event_attr *attr,
			 struct arch_hw_breakpoint *info)
{
	memset(info, 0, sizeof(*info));
	return --bp_test_fails_at ? 0 : -EINVAL;
}

#define TEST_CHILDREN	2
#define TEST_EVENTS	(1 + TEST_CHILDREN)

/**
 * struct bp_failed_check - a failed check in a modification of a breakpoint with two children
 * @number: number of the check that fails: 1 to 3 for the breakpoint and its children before
 *	anything changes, 4 to 6 again; 0: none
 * @err: result of the modification
 * @changed: mask of the events that have the new settings then: bit 0 is the breakpoint
 */
struct bp_failed_check {
	unsigned int	number;
	int		err;
	unsigned long	changed;
};

static const struct bp_failed_check bp_failed_checks[] = {
	{ .number = 1, .err = -EINVAL },
	{ .number = 2, .err = -EINVAL },
	{ .number = 3, .err = -EINVAL },
	{ .number = 4, .err = -EINVAL },
	{ .number = 5, .changed = BIT(0) | BIT(2) },
	{ .number = 6, .changed = BIT(0) | BIT(1) },
	{ .number = 0, .changed = BIT(0) | BIT(1) | BIT(2) },
};

static void bp_failed_check_desc(const struct bp_failed_check *check, char *desc)
{
	if (check->number)
		snprintf(desc, KUNIT_PARAM_DESC_SIZE, "check %u fails", check->number);
	else
		snprintf(desc, KUNIT_PARAM_DESC_SIZE, "no check fails");
}

KUNIT_ARRAY_PARAM(bp_failed_checks, bp_failed_checks, bp_failed_check_desc);

/* The type after the modification; powerpc has registers for data only. */
static u32 bp_test_new_type(void)
{
	return bp_machine.slots[TYPE_INST] ? HW_BREAKPOINT_X : HW_BREAKPOINT_RW;
}

/* PERF_EVENT_IOC_MODIFY_ATTRIBUTES to another type of breakpoint, with a failed check */
static int bp_test_modify(struct kunit *test, struct perf_event *parent, unsigned int fails_at)
{
	struct perf_event_attr attr = parent->attr;
	int err;

	attr.bp_type = bp_test_new_type();
	attr.bp_len = sizeof(long);
	bp_test_fails_at = fails_at;
	kunit_activate_static_stub(test, bp_parse, bp_test_parse);
	scoped_guard(mutex, &parent->ctx->mutex) {
		CLASS(inherit_lock, lock)(parent);

		err = perf_breakpoint_modify(parent, &attr);
	}
	kunit_deactivate_static_stub(test, bp_parse);
	return err;
}

/* Does an event have a reservation for one register, of the type in its attr? */
static void bp_test_check_event(struct kunit *test, const struct perf_event *bp, bool changed,
				const unsigned int *before, const unsigned int *after)
{
	enum bp_type_idx old = bp_slot_type(HW_BREAKPOINT_W);
	enum bp_type_idx new = bp_slot_type(bp_test_new_type());
	unsigned int type;

	KUNIT_EXPECT_EQ(test, bp->attr.bp_type,
			changed ? bp_test_new_type() : HW_BREAKPOINT_W);
	for (type = 0; type < TYPE_MAX; type++)
		KUNIT_EXPECT_EQ(test, after[type] + (changed && type == new),
				before[type] + (changed && type == old));
}

/*
 * Settings are checked twice, and only the second check can fail if a task has meanwhile executed
 * another program. After any failure each event has one register, of the type in its attr, and
 * after the close all registers are free.
 */
static void test_modify_check_fails(struct kunit *test)
{
	const struct bp_failed_check *check = test->param_value;
	unsigned int before[TEST_EVENTS][TYPE_MAX], after[TEST_EVENTS][TYPE_MAX];
	unsigned int all[TYPE_MAX], left[TYPE_MAX];
	struct task_struct *children[TEST_CHILDREN];
	struct perf_event *events[TEST_EVENTS], *parent, *child;
	int here = raw_smp_processor_id(), i, n = 1;
	struct perf_event_attr attr;

	bp_test_user_attr(&attr);
	attr.inherit = 1;
	bp_test_require(test, &attr);
	bp_test_count_free(NULL, here, all);
	parent = register_user_hw_breakpoint(&attr, bp_test_hit, NULL, current);
	KUNIT_ASSERT_EQ(test, PTR_ERR_OR_ZERO(parent), 0);
	for (i = 0; i < TEST_CHILDREN; i++) {
		children[i] = bp_test_make_child(test);
		KUNIT_EXPECT_EQ(test, perf_event_init_task(children[i], 0), 0);
	}
	events[0] = parent;
	for_each_child(child, parent)
		events[n++] = child;
	KUNIT_EXPECT_EQ(test, n, TEST_EVENTS);

	for (i = 0; i < n; i++)
		bp_test_count_free(events[i]->pmu_private, -1, before[i]);
	KUNIT_EXPECT_EQ(test, bp_test_modify(test, parent, check->number), check->err);
	for (i = 0; i < n; i++) {
		bp_test_count_free(events[i]->pmu_private, -1, after[i]);
		bp_test_check_event(test, events[i], check->changed & BIT(i), before[i], after[i]);
	}

	unregister_hw_breakpoint(parent);
	for (i = 0; i < TEST_CHILDREN; i++)
		kthread_stop(children[i]);
	bp_test_count_free(NULL, here, left);
	KUNIT_EXPECT_MEMEQ(test, left, all, sizeof(all));
}

static bool bp_test_has_record(const struct task_struct *task)
{
	struct bp_task *t;

	guard(mutex)(&bp_mutex);
	hash_for_each_possible(bp_machine.table, t, node, (unsigned long)task) {
		if (t->task == task)
			return true;
	}
	return false;
}

/*
 * A breakpoint that is refused, because its settings are not valid or because no register is free,
 * keeps neither a register nor the record of its task, which has a reference to the task.
 */
static void test_refused_leaves_nothing(struct kunit *test)
{
	unsigned int all[TYPE_MAX], left[TYPE_MAX], i, slots = bp_machine.slots[TYPE_DATA];
	int here = raw_smp_processor_id();
	struct perf_event *bps[BP_SLOTS_MAX];
	struct perf_event_attr attr, bad;

	bp_test_user_attr(&attr);
	bad = attr;
	bad.bp_len = 0;
	bp_test_require(test, &attr);
	bp_test_count_free(NULL, here, all);
	KUNIT_EXPECT_EQ(test, PTR_ERR(register_user_hw_breakpoint(&bad, bp_test_hit, NULL,
								  current)), -EINVAL);
	KUNIT_EXPECT_FALSE(test, bp_test_has_record(current));
	bp_test_count_free(NULL, here, left);
	KUNIT_EXPECT_MEMEQ(test, left, all, sizeof(all));

	for (i = 0; i < slots; i++) {
		bps[i] = register_user_hw_breakpoint(&attr, bp_test_hit, NULL, current);
		if (IS_ERR(bps[i]))
			break;
	}
	KUNIT_EXPECT_EQ(test, i, slots);
	KUNIT_EXPECT_EQ(test, PTR_ERR(register_user_hw_breakpoint(&attr, bp_test_hit, NULL,
								  current)), -ENOSPC);
	KUNIT_EXPECT_TRUE(test, bp_test_has_record(current));
	while (i--)
		unregister_hw_breakpoint(bps[i]);
	KUNIT_EXPECT_FALSE(test, bp_test_has_record(current));
	bp_test_count_free(NULL, here, left);
	KUNIT_EXPECT_MEMEQ(test, left, all, sizeof(all));
}

/*
 * A breakpoint in the kernel needs CAP_SYS_ADMIN, but its children do not: the privileged opener
 * may observe an unprivileged task, whose forks must not fail.
 */
static void test_child_needs_no_permission(struct kunit *test)
{
	struct perf_event *parent, *refused;
	struct perf_event_attr attr;
	struct task_struct *child;
	const struct cred *own;
	struct cred *none;
	int err;

	bp_test_attr(&attr, 0);
	attr.inherit = 1;
	bp_test_require(test, &attr);
	none = prepare_creds();
	KUNIT_ASSERT_NOT_NULL(test, none);
	cap_clear(none->cap_effective);
	child = bp_test_make_child(test);
	parent = register_user_hw_breakpoint(&attr, bp_test_hit, NULL, current);
	if (IS_ERR(parent)) {
		kthread_stop(child);
		put_cred(none);
		KUNIT_FAIL_AND_ABORT(test, "register_user_hw_breakpoint(): %ld", PTR_ERR(parent));
	}

	own = override_creds(none);
	err = perf_event_init_task(child, 0);
	revert_creds(own);
	KUNIT_EXPECT_EQ(test, err, 0);
	KUNIT_EXPECT_FALSE(test, list_empty(perf_event_children(parent)));
	unregister_hw_breakpoint(parent);

	own = override_creds(none);
	refused = register_user_hw_breakpoint(&attr, bp_test_hit, NULL, current);
	revert_creds(own);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(refused),
			IS_ENABLED(CONFIG_MULTIUSER) ? -EPERM : 0);
	if (!IS_ERR(refused))
		unregister_hw_breakpoint(refused);
	kthread_stop(child);
	put_cred(none);
}

/*
 * A kernel debugger reserves the registers of a CPU while all other CPUs are stopped. It must not
 * change the accounting if one of these was changing it.
 */
static void test_debugger(struct kunit *test)
{
	struct perf_event *bp = kunit_kzalloc(test, sizeof(*bp), GFP_KERNEL);
	unsigned int all[TYPE_MAX], left[TYPE_MAX], i;
	struct perf_event_attr attr;

	KUNIT_ASSERT_NOT_NULL(test, bp);
	bp->cpu = raw_smp_processor_id();
	bp->attr.bp_type = HW_BREAKPOINT_W;
	bp_test_count_free(NULL, bp->cpu, all);
	if (!all[TYPE_DATA])
		kunit_skip(test, "no free debug register");

	for (i = 0; i < all[TYPE_DATA]; i++) {
		scoped_guard(mutex, &bp_mutex)
			KUNIT_EXPECT_EQ(test, dbg_reserve_bp_slot(bp), -1);
		KUNIT_EXPECT_EQ(test, dbg_reserve_bp_slot(bp), 0);
	}
	KUNIT_EXPECT_EQ(test, dbg_reserve_bp_slot(bp), -ENOSPC);
	bp_test_user_attr(&attr);
	KUNIT_EXPECT_EQ(test, PTR_ERR(register_user_hw_breakpoint(&attr, bp_test_hit, NULL,
								  current)), -ENOSPC);
	while (i--) {
		scoped_guard(mutex, &bp_mutex)
			KUNIT_EXPECT_EQ(test, dbg_release_bp_slot(bp), -1);
		KUNIT_EXPECT_EQ(test, dbg_release_bp_slot(bp), 0);
	}
	/* The debugger has no breakpoints of tasks. */
	bp->hw.target = current;
	KUNIT_EXPECT_EQ(test, dbg_reserve_bp_slot(bp), -1);
	KUNIT_EXPECT_EQ(test, dbg_release_bp_slot(bp), -1);
	bp_test_count_free(NULL, bp->cpu, left);
	KUNIT_EXPECT_MEMEQ(test, left, all, sizeof(all));
}

/* powerpc disables a breakpoint if the kernel cannot single-step over the instruction. */
static void test_disable(struct kunit *test)
{
	struct perf_event_attr attr;
	struct perf_event *bp;

	bp_test_attr(&attr, 0);
	attr.sample_period = 0;
	bp_test_require(test, &attr);
	bp = perf_event_create_kernel_counter(&attr, -1, current, NULL, NULL);
	KUNIT_ASSERT_EQ(test, PTR_ERR_OR_ZERO(bp), 0);
	bp_test_write();
	scoped_guard(irqsave)
		perf_event_disable_inatomic(bp);
	irq_work_sync(&bp->cold->stop_work);
	KUNIT_EXPECT_EQ(test, bp->state, PERF_EVENT_STATE_OFF);
	perf_event_release_kernel(bp);
}

static struct kunit_case breakpoint_cases[] = {
	KUNIT_CASE_PARAM(test_accounting, bp_shapes_gen_params),
	KUNIT_CASE(test_task_record),
	KUNIT_CASE(test_all_registers),
	KUNIT_CASE(test_modify),
	KUNIT_CASE_PARAM(test_modify_check_fails, bp_failed_checks_gen_params),
	KUNIT_CASE(test_refused_leaves_nothing),
	KUNIT_CASE(test_child_needs_no_permission),
	KUNIT_CASE(test_debugger),
	KUNIT_CASE(test_disable),
	{}
};

static struct kunit_suite breakpoint_suite = {
	.name		= "perf_breakpoint",
	.test_cases	= breakpoint_cases,
};

kunit_test_suite(breakpoint_suite);
