// SPDX-License-Identifier: GPL-2.0
/*
 * Hardware breakpoints as events: the "breakpoint" PMU, the interface for debuggers, and the
 * reservation of debug registers.
 *
 * Each breakpoint reserves a debug register when it is created, on each CPU where it may be
 * scheduled in. So scheduling it in never fails. A per-CPU breakpoint always needs its register. A
 * per-task breakpoint needs a register only while the task runs on the CPU. So a CPU needs
 * registers for its own breakpoints, plus as many as any single task needs.
 */
#include <kunit/static_stub.h>
#include <linux/hashtable.h>
#include <linux/hw_breakpoint.h>
#include <linux/kdebug.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "../enable.h"
#include "../group.h"
#include "../inherit_list.h"
#include "../internal.h"
#include "../refuse.h"
#include "../syscall.h"
#include "breakpoint.h"
#include "software.h"

/* Maximum number of debug registers of one type, on any architecture */
#define BP_SLOTS_MAX	16

/**
 * struct bp_cpu - reservations on the debug registers of one CPU
 * @pinned: number of per-CPU breakpoints
 * @tasks: histogram of the tasks with breakpoints for this CPU only: [n] is the number of
 *	such tasks that need n registers on this CPU
 */
struct bp_cpu {
	unsigned int	pinned[TYPE_MAX];
	unsigned int	tasks[TYPE_MAX][BP_SLOTS_MAX + 1];
};

/**
 * struct bp_task_cpu - breakpoints of one task for one CPU only
 * @entry: entry in bp_task::cpus
 * @cpu: the CPU
 * @nr: number of breakpoints
 */
struct bp_task_cpu {
	struct list_head	entry;
	int			cpu;
	unsigned int		nr[TYPE_MAX];
};

/**
 * struct bp_task - reservations of one task, allocated with its first reservation
 * @node: entry in bp_machine::table
 * @task: the task, with a reference
 * @nr_events: number of breakpoints that point here
 * @any: registers needed on each CPU
 * @cpus: list of struct bp_task_cpu, additional registers on single CPUs
 */
struct bp_task {
	struct hlist_node	node;
	struct task_struct	*task;
	unsigned int		nr_events;
	unsigned int		any[TYPE_MAX];
	struct list_head	cpus;
};

#define BP_TASK_BITS	8

/**
 * struct bp_machine - all reservations of debug registers
 * @slots: number of registers of each CPU
 * @nr_cpus: number of possible CPUs
 * @cpu: reservations by CPU
 * @cpus: histogram: [n] is the number of CPUs with n per-CPU breakpoints
 * @tasks: histogram: [n] is the number of tasks that need n registers on each CPU
 * @table: struct bp_task by task
 */
struct bp_machine {
	unsigned int	slots[TYPE_MAX];
	unsigned int	nr_cpus;
	struct bp_cpu	*cpu;
	unsigned int	cpus[TYPE_MAX][BP_SLOTS_MAX + 1];
	unsigned int	tasks[TYPE_MAX][BP_SLOTS_MAX + 1];
	DECLARE_HASHTABLE(table, BP_TASK_BITS);
};

static struct bp_machine bp_machine;

/* Protects bp_machine, and pmu_private of breakpoints. No memory is allocated while it is held. */
static DEFINE_MUTEX(bp_mutex);

static enum bp_type_idx bp_slot_type(u64 bp_type)
{
	return bp_type & HW_BREAKPOINT_RW ? TYPE_DATA : TYPE_INST;
}

/* Get the largest n with a nonzero hist[n], or 0. */
static unsigned int bp_hist_max(const unsigned int *hist)
{
	unsigned int n = BP_SLOTS_MAX;

	while (n && !hist[n])
		n--;
	return n;
}

/* Count a CPU or task in hist[@to] instead of hist[@from]. hist[0] is not used. */
static void bp_hist_move(unsigned int *hist, unsigned int from, unsigned int to)
{
	if (from && !WARN_ON_ONCE(!hist[from]))
		hist[from]--;
	if (to)
		hist[to]++;
}

static int bp_machine_init(struct bp_machine *m, unsigned int nr_cpus)
{
	m->nr_cpus = nr_cpus;
	m->cpu = kcalloc(nr_cpus, sizeof(*m->cpu), GFP_KERNEL);
	hash_init(m->table);
	return m->cpu ? 0 : -ENOMEM;
}

static int bp_reserve_pinned(struct bp_machine *m, int cpu, enum bp_type_idx type)
{
	struct bp_cpu *c = &m->cpu[cpu];
	unsigned int task = max(bp_hist_max(m->tasks[type]), bp_hist_max(c->tasks[type]));

	if (c->pinned[type] + task >= m->slots[type])
		return -ENOSPC;
	bp_hist_move(m->cpus[type], c->pinned[type], c->pinned[type] + 1);
	c->pinned[type]++;
	return 0;
}

static void bp_release_pinned(struct bp_machine *m, int cpu, enum bp_type_idx type)
{
	struct bp_cpu *c = &m->cpu[cpu];

	if (WARN_ON_ONCE(!c->pinned[type]))
		return;
	bp_hist_move(m->cpus[type], c->pinned[type], c->pinned[type] - 1);
	c->pinned[type]--;
}

/* Set the number of registers that the task needs on each CPU, and update the histograms. */
static void bp_set_any(struct bp_machine *m, struct bp_task *t, enum bp_type_idx type,
		       unsigned int now)
{
	unsigned int was = t->any[type];
	struct bp_task_cpu *tc;

	bp_hist_move(m->tasks[type], was, now);
	list_for_each_entry(tc, &t->cpus, entry) {
		if (tc->nr[type])
			bp_hist_move(m->cpu[tc->cpu].tasks[type],
				     was + tc->nr[type], now + tc->nr[type]);
	}
	t->any[type] = now;
}

static int bp_reserve_any(struct bp_machine *m, struct bp_task *t, enum bp_type_idx type)
{
	unsigned int any = t->any[type];
	struct bp_task_cpu *tc;

	if (bp_hist_max(m->cpus[type]) + any >= m->slots[type])
		return -ENOSPC;
	list_for_each_entry(tc, &t->cpus, entry) {
		if (m->cpu[tc->cpu].pinned[type] + any + tc->nr[type] >= m->slots[type])
			return -ENOSPC;
	}
	bp_set_any(m, t, type, any + 1);
	return 0;
}

static void bp_release_any(struct bp_machine *m, struct bp_task *t, enum bp_type_idx type)
{
	if (!WARN_ON_ONCE(!t->any[type]))
		bp_set_any(m, t, type, t->any[type] - 1);
}

/**
 * struct bp_memory - memory for a reservation, allocated before bp_mutex is taken
 * @task: used if the task has no reservation yet
 * @task_cpu: used if the task has no reservation for this CPU only yet
 */
struct bp_memory {
	struct bp_task		*task;
	struct bp_task_cpu	*task_cpu;
};

static void bp_memory_free(struct bp_memory *spare)
{
	kfree(spare->task);
	kfree(spare->task_cpu);
}

static int bp_memory_alloc(struct bp_memory *spare)
{
	spare->task = kzalloc(sizeof(*spare->task), GFP_KERNEL_ACCOUNT);
	spare->task_cpu = kzalloc(sizeof(*spare->task_cpu), GFP_KERNEL_ACCOUNT);
	if (spare->task && spare->task_cpu)
		return 0;
	bp_memory_free(spare);
	return -ENOMEM;
}

static struct bp_task_cpu *bp_find_bound(struct bp_task *t, int cpu)
{
	struct bp_task_cpu *tc;

	list_for_each_entry(tc, &t->cpus, entry) {
		if (tc->cpu == cpu)
			return tc;
	}
	return NULL;
}

/* Set the number of registers on one CPU that the task needs in addition to those on each CPU. */
static void bp_set_bound(struct bp_machine *m, struct bp_task *t, struct bp_task_cpu *tc,
			 enum bp_type_idx type, unsigned int now)
{
	unsigned int was = tc->nr[type], any = t->any[type];

	bp_hist_move(m->cpu[tc->cpu].tasks[type], was ? any + was : 0, now ? any + now : 0);
	tc->nr[type] = now;
}

static int bp_reserve_bound(struct bp_machine *m, struct bp_task *t, int cpu,
			    enum bp_type_idx type, struct bp_memory *spare)
{
	struct bp_task_cpu *tc = bp_find_bound(t, cpu);
	unsigned int used = m->cpu[cpu].pinned[type] + t->any[type];

	if (used + (tc ? tc->nr[type] : 0) >= m->slots[type])
		return -ENOSPC;
	if (!tc) {
		tc = spare->task_cpu;
		spare->task_cpu = NULL;
		tc->cpu = cpu;
		list_add(&tc->entry, &t->cpus);
	}
	bp_set_bound(m, t, tc, type, tc->nr[type] + 1);
	return 0;
}

static void bp_release_bound(struct bp_machine *m, struct bp_task *t, int cpu,
			     enum bp_type_idx type)
{
	struct bp_task_cpu *tc = bp_find_bound(t, cpu);
	int i;

	if (WARN_ON_ONCE(!tc || !tc->nr[type]))
		return;
	bp_set_bound(m, t, tc, type, tc->nr[type] - 1);
	for (i = 0; i < TYPE_MAX; i++) {
		if (tc->nr[i])
			return;
	}
	list_del(&tc->entry);
	kfree(tc);
}

/**
 * bp_reserve - reserve one debug register
 * @m: the machine
 * @t: the task, or NULL
 * @cpu: the only CPU, or -1 for all CPUs
 * @type: type of the register
 * @spare: memory for the first reservation of a task for one CPU only; may be NULL for others
 *
 * Return: 0 on success, -ENOSPC
 */
static int bp_reserve(struct bp_machine *m, struct bp_task *t, int cpu, enum bp_type_idx type,
		      struct bp_memory *spare)
{
	if (!t)
		return bp_reserve_pinned(m, cpu, type);
	if (cpu < 0)
		return bp_reserve_any(m, t, type);
	return bp_reserve_bound(m, t, cpu, type, spare);
}

/**
 * bp_release - undo bp_reserve()
 * @m: the machine
 * @t: the task, or NULL
 * @cpu: the only CPU, or -1 for all CPUs
 * @type: type of the register
 */
static void bp_release(struct bp_machine *m, struct bp_task *t, int cpu, enum bp_type_idx type)
{
	if (!t)
		bp_release_pinned(m, cpu, type);
	else if (cpu < 0)
		bp_release_any(m, t, type);
	else
		bp_release_bound(m, t, cpu, type);
}

/* Find the struct bp_task of a task, or use that in @spare, for one more event. */
static struct bp_task *bp_task_get(struct bp_machine *m, struct task_struct *task,
				   struct bp_memory *spare)
{
	struct bp_task *t;

	hash_for_each_possible(m->table, t, node, (unsigned long)task) {
		if (t->task == task) {
			t->nr_events++;
			return t;
		}
	}
	t = spare->task;
	spare->task = NULL;
	t->task = get_task_struct(task);
	t->nr_events = 1;
	INIT_LIST_HEAD(&t->cpus);
	hash_add(m->table, &t->node, (unsigned long)task);
	return t;
}

static void bp_task_put(struct bp_task *t)
{
	if (--t->nr_events)
		return;
	WARN_ON_ONCE(!list_empty(&t->cpus));
	hash_del(&t->node);
	put_task_struct(t->task);
	kfree(t);
}

static bool bp_valid_type(u64 bp_type)
{
	return bp_type != HW_BREAKPOINT_EMPTY && bp_type != HW_BREAKPOINT_INVALID;
}

/* Check that the machine supports the breakpoint. Return 0, or an error. */
static int bp_reserve_check(const struct perf_event *bp)
{
	if (!bp_machine.slots[bp_slot_type(bp->attr.bp_type)])
		return perf_refuse(PERF_REFUSED_BREAKPOINT_NONE);
	if (!bp_valid_type(bp->attr.bp_type) || WARN_ON_ONCE(!bp->hw.target && bp->cpu < 0))
		return perf_refuse(PERF_REFUSED_BREAKPOINT);
	return 0;
}

/**
 * reserve_bp_slot - reserve the debug register of a breakpoint
 * @bp: event with attr, CPU and target task, without a register
 *
 * Context: may sleep.
 * Return: 0 on success, -EOPNOTSUPP if the CPUs do not support the type, -EINVAL if the type is not
 * valid, -ENOSPC, -ENOMEM
 */
int reserve_bp_slot(struct perf_event *bp)
{
	struct bp_memory spare = {};
	struct bp_task *t = NULL;
	int err;

	err = bp_reserve_check(bp);
	if (err)
		return err;
	if (bp->hw.target) {
		err = bp_memory_alloc(&spare);
		if (err)
			return err;
	}
	mutex_lock(&bp_mutex);
	if (bp->hw.target)
		t = bp_task_get(&bp_machine, bp->hw.target, &spare);
	err = bp_reserve(&bp_machine, t, bp->cpu, bp_slot_type(bp->attr.bp_type), &spare);
	if (err && t)
		bp_task_put(t);
	bp->pmu_private = err ? NULL : t;
	mutex_unlock(&bp_mutex);
	bp_memory_free(&spare);
	return err;
}

/**
 * release_bp_slot - undo reserve_bp_slot()
 * @bp: the breakpoint
 *
 * Context: may sleep.
 */
void release_bp_slot(struct perf_event *bp)
{
	struct bp_task *t = bp->pmu_private;

	mutex_lock(&bp_mutex);
	bp_release(&bp_machine, t, bp->cpu, bp_slot_type(bp->attr.bp_type));
	if (t)
		bp_task_put(t);
	bp->pmu_private = NULL;
	mutex_unlock(&bp_mutex);
}

/**
 * dbg_reserve_bp_slot - reserve_bp_slot() for a kernel debugger
 * @bp: a per-CPU breakpoint
 *
 * All other CPUs are stopped, so this function must not wait for the mutex.
 *
 * Return: 0 on success, -1 if a reservation is in progress, -ENOSPC
 */
int dbg_reserve_bp_slot(struct perf_event *bp)
{
	if (bp->hw.target || mutex_is_locked(&bp_mutex))
		return -1;
	return bp_reserve(&bp_machine, NULL, bp->cpu, bp_slot_type(bp->attr.bp_type), NULL);
}

/**
 * dbg_release_bp_slot - undo dbg_reserve_bp_slot()
 * @bp: the breakpoint
 *
 * Return: 0 on success, -1 if a reservation is in progress
 */
int dbg_release_bp_slot(struct perf_event *bp)
{
	if (bp->hw.target || mutex_is_locked(&bp_mutex))
		return -1;
	bp_release(&bp_machine, NULL, bp->cpu, bp_slot_type(bp->attr.bp_type));
	return 0;
}

/*
 * Translate @attr for the hardware. A breakpoint in the kernel's entry code recurses, and crashes
 * the kernel. So a kernel address needs CAP_SYS_ADMIN.
 */
static int bp_parse(struct perf_event *bp, const struct perf_event_attr *attr,
		    struct arch_hw_breakpoint *info)
{
	int err;

	KUNIT_STATIC_STUB_REDIRECT(bp_parse, bp, attr, info);

	memset(info, 0, sizeof(*info));
	err = hw_breakpoint_arch_parse(bp, attr, info);
	if (err || !arch_check_bp_in_kernelspace(info))
		return perf_refuse_error(PERF_REFUSED_BREAKPOINT, err);
	if (attr->exclude_kernel)
		return perf_refuse_value(PERF_REFUSED_BREAKPOINT_KERNEL, attr->bp_addr);
	/* The opener of the parent event had permission, so inherited events need none. */
	if (!bp->parent && !capable(CAP_SYS_ADMIN))
		return perf_refuse_value(PERF_REFUSED_BREAKPOINT_ADMIN, attr->bp_addr);
	return 0;
}

static void bp_event_destroy(struct perf_event *bp)
{
	release_bp_slot(bp);
}

/* Return an error that reserve_bp_slot() or bp_parse() would return, else @reason. */
static int bp_refuse(struct perf_event *bp, int reason)
{
	struct arch_hw_breakpoint info;
	int err;

	err = bp_reserve_check(bp);
	if (!err)
		err = bp_parse(bp, &bp->attr, &info);
	return err ?: reason;
}

static int bp_event_init(struct perf_event *bp)
{
	struct arch_hw_breakpoint info;
	int err;

	if (bp->attr.type != PERF_TYPE_BREAKPOINT)
		return -ENOENT;
	if (has_branch_stack(bp))
		return -EOPNOTSUPP;

	err = perf_event_may_reserve(bp);
	if (err)
		return bp_refuse(bp, err);
	err = reserve_bp_slot(bp);
	if (err == -ENOSPC)
		return perf_refuse(PERF_REFUSED_BREAKPOINT_FULL);
	if (err)
		return err;
	err = bp_parse(bp, &bp->attr, &info);
	if (err) {
		release_bp_slot(bp);
		return err;
	}
	bp->hw.info = info;
	bp->destroy = bp_event_destroy;
	return 0;
}

static void bp_event_start(struct perf_event *bp, int flags)
{
	bp->hw.state = 0;
}

static void bp_event_stop(struct perf_event *bp, int flags)
{
	bp->hw.state = PERF_HES_STOPPED;
}

static int bp_event_add(struct perf_event *bp, int flags)
{
	int err;

	bp->hw.state = flags & PERF_EF_START ? 0 : PERF_HES_STOPPED;
	if (is_sampling_event(bp)) {
		bp->hw.last_period = bp->hw.sample_period;
		perf_swevent_set_period(bp);
	}
	err = arch_install_hw_breakpoint(bp);
	if (!err)
		perf_event_update_userpage(bp);
	return err;
}

static void bp_event_del(struct perf_event *bp, int flags)
{
	arch_uninstall_hw_breakpoint(bp);
}

static struct pmu bp_pmu = {
	.task_ctx_nr	= perf_sw_context,
	.event_init	= bp_event_init,
	.add		= bp_event_add,
	.del		= bp_event_del,
	.start		= bp_event_start,
	.stop		= bp_event_stop,
	.read		= hw_breakpoint_pmu_read,
};

/**
 * perf_bp_event - handle a breakpoint hit
 * @bp: breakpoint installed on this CPU
 * @data: the registers, struct pt_regs
 *
 * Context: the architecture's exception handler, interrupts are off.
 */
void perf_bp_event(struct perf_event *bp, void *data)
{
	struct perf_sample_data sample;
	struct pt_regs *regs = data;

	if (bp->hw.state || perf_event_excludes(bp, regs))
		return;
	perf_sample_data_init(&sample, bp->attr.bp_addr, 0);
	perf_swevent_event(bp, 1, &sample, regs);
}

/**
 * struct bp_change - new settings of a breakpoint
 * @bp: the breakpoint
 * @attr: its new attr
 * @info: its new settings for the hardware
 * @reserved: the breakpoint needs a register of another type, which is reserved
 */
struct bp_change {
	struct perf_event		*bp;
	struct perf_event_attr		attr;
	struct arch_hw_breakpoint	info;
	bool				reserved;
};

/* Copy the settings that PERF_EVENT_IOC_MODIFY_ATTRIBUTES may change. */
static void bp_copy_settings(struct perf_event_attr *to, const struct perf_event_attr *from)
{
	to->bp_addr = from->bp_addr;
	to->bp_type = from->bp_type;
	to->bp_len = from->bp_len;
	to->sig_data = from->sig_data;
	to->disabled = from->disabled;
}

/**
 * perf_breakpoint_same_settings - do two events have the same modifiable settings?
 * @a: attr of a breakpoint; its inherit lock is held
 * @b: attr of the breakpoint's parent event, or of another event inherited from that parent event
 *
 * Return: true if all settings that perf_breakpoint_modify() may change are equal
 */
bool perf_breakpoint_same_settings(const struct perf_event_attr *a,
				   const struct perf_event_attr *b)
{
	struct perf_event_attr same = *a;

	bp_copy_settings(&same, b);
	return !memcmp(&same, a, sizeof(same));
}

/* Does the change need a debug register of another type? */
static bool bp_change_reserves(const struct perf_event *bp, const struct perf_event_attr *attr)
{
	return bp_slot_type(attr->bp_type) != bp_slot_type(bp->attr.bp_type);
}

/* Compute and check the new settings. Reserve no register. */
static int bp_change_check(struct bp_change *change, struct perf_event *bp,
			   const struct perf_event_attr *attr)
{
	change->bp = bp;
	change->attr = bp->attr;
	bp_copy_settings(&change->attr, attr);
	change->reserved = bp_change_reserves(bp, attr);

	if (!bp_valid_type(attr->bp_type))
		return perf_refuse_value(PERF_REFUSED_BREAKPOINT, attr->bp_type);
	return bp_parse(bp, &change->attr, &change->info);
}

/* Check the new settings, and reserve a register. Do not change the breakpoint yet. */
static int bp_change_prepare(struct bp_change *change, struct perf_event *bp,
			     const struct perf_event_attr *attr)
{
	int err;

	err = bp_change_check(change, bp, attr);
	if (err || !change->reserved)
		return err;
	/* The reservation for the old type already has its memory. */
	guard(mutex)(&bp_mutex);
	err = bp_reserve(&bp_machine, bp->pmu_private, bp->cpu, bp_slot_type(attr->bp_type), NULL);
	return err ? perf_refuse(PERF_REFUSED_BREAKPOINT_FULL) : 0;
}

static void bp_change_drop_slot(struct bp_change *change, u64 bp_type)
{
	if (!change->reserved)
		return;
	mutex_lock(&bp_mutex);
	bp_release(&bp_machine, change->bp->pmu_private, change->bp->cpu, bp_slot_type(bp_type));
	mutex_unlock(&bp_mutex);
}

/* Apply a change. The breakpoint is not installed. */
static void bp_change_commit(struct bp_change *change)
{
	struct perf_event *bp = change->bp;

	/* Changes of an inherited event need the inherit lock. Kernel users have other locks. */
	if (bp->parent)
		lockdep_assert_held(perf_inherit_lock(bp->parent));
	/* The architecture finds an installed breakpoint by its settings: they must not change. */
	WARN_ON_ONCE(bp->state == PERF_EVENT_STATE_ACTIVE);
	bp_change_drop_slot(change, bp->attr.bp_type);
	bp->attr = change->attr;
	bp->hw.info = change->info;
}

/* Undo bp_change_prepare(). */
static void bp_change_cancel(struct perf_event *bp, const struct perf_event_attr *attr)
{
	struct bp_change change = { .bp = bp, .reserved = bp_change_reserves(bp, attr) };

	bp_change_drop_slot(&change, attr->bp_type);
}

/* Undo bp_change_prepare() of the inherited events before @last, or of all if it is NULL. */
static void bp_cancel_children(struct perf_event *event, const struct perf_event_attr *attr,
			       const struct perf_event *last)
{
	struct perf_event *child;

	for_each_child(child, event) {
		if (child == last)
			break;
		bp_change_cancel(child, attr);
	}
}

/*
 * Apply a prepared change. Compute the new settings again, because storing them would need an
 * allocation for each event. The task may have executed another program since the preparation, and
 * the new program may be unable to have such a breakpoint. Then undo the preparation.
 */
static int bp_change_event(struct perf_event *bp, const struct perf_event_attr *attr)
{
	struct bp_change change;
	int err;

	err = bp_change_check(&change, bp, attr);
	if (err) {
		bp_change_cancel(bp, attr);
		return err;
	}
	_perf_event_disable(bp);
	bp_change_commit(&change);
	if (!attr->disabled)
		_perf_event_enable(bp);
	return 0;
}

static int bp_change_children(struct perf_event *event, const struct perf_event_attr *attr)
{
	struct bp_change change;
	struct perf_event *child;
	int err;

	err = bp_change_prepare(&change, event, attr);
	if (err)
		return err;
	for_each_child(child, event) {
		err = bp_change_prepare(&change, child, attr);
		if (err) {
			bp_change_cancel(event, attr);
			bp_cancel_children(event, attr, child);
			return err;
		}
	}
	err = bp_change_event(event, attr);
	if (err) {
		bp_cancel_children(event, attr, NULL);
		return err;
	}
	/* If an inherited event cannot be changed any more, it keeps its old settings. */
	for_each_child(child, event)
		bp_change_event(child, attr);
	return 0;
}

/**
 * perf_breakpoint_modify - PERF_EVENT_IOC_MODIFY_ATTRIBUTES
 * @event: an event of user space; ctx->mutex and, if it has inherited events, the inherit lock are
 *	held
 * @attr: checked as in perf_event_open(2)
 *
 * Address, type, length, sig_data and disabled may differ from the event's attr. Either the event
 * and all its inherited events change, or none. Exception: see bp_change_children().
 *
 * Context: may sleep.
 * Return: 0 on success, -EOPNOTSUPP for other PMUs, -EINVAL if other fields differ or the settings
 * are not valid, or an error of perf_event_open(2) for such a breakpoint
 */
int perf_breakpoint_modify(struct perf_event *event, const struct perf_event_attr *attr)
{
	struct perf_event_attr same = event->attr;

	if (event->pmu != &bp_pmu)
		return perf_refuse(PERF_REFUSED_MODIFY_PMU);
	bp_copy_settings(&same, attr);
	if (memcmp(&same, attr, sizeof(same)))
		return perf_refuse(PERF_REFUSED_MODIFY_MORE);

	return bp_change_children(event, attr);
}

/**
 * register_user_hw_breakpoint - create a per-task breakpoint for a debugger
 * @attr: see ptrace_breakpoint_init()
 * @triggered: called for each hit, with interrupts off
 * @context: for event->overflow_handler_context
 * @task: the task
 *
 * Context: may sleep.
 * Return: the event, or an ERR_PTR() as for perf_event_open(2)
 */
struct perf_event *register_user_hw_breakpoint(struct perf_event_attr *attr,
					       perf_overflow_handler_t triggered,
					       void *context, struct task_struct *task)
{
	return perf_event_create_kernel_counter(attr, -1, task, triggered, context);
}
EXPORT_SYMBOL_GPL(register_user_hw_breakpoint);

/**
 * modify_user_hw_breakpoint - change a debugger's breakpoint
 * @bp: from register_user_hw_breakpoint()
 * @attr: new address, type, length, sig_data and disabled; other fields are not used
 *
 * After an error the breakpoint has not changed.
 *
 * Context: may sleep. With interrupts off, only a handler may call this function, to disable a
 * breakpoint of current.
 * Return: 0 on success, or an error of perf_event_open(2)
 */
int modify_user_hw_breakpoint(struct perf_event *bp, struct perf_event_attr *attr)
{
	struct bp_change change;
	int err;

	err = bp_change_prepare(&change, bp, attr);
	if (err) {
		perf_refusal_clear();
		return err;
	}
	if (irqs_disabled() && bp->ctx && bp->ctx->task == current)
		perf_event_disable_local(bp);
	else
		perf_event_disable(bp);
	bp_change_commit(&change);
	if (!attr->disabled)
		perf_event_enable(bp);
	return 0;
}
EXPORT_SYMBOL_GPL(modify_user_hw_breakpoint);

/**
 * unregister_hw_breakpoint - free a breakpoint
 * @bp: from register_user_hw_breakpoint(), or NULL
 *
 * Context: may sleep.
 */
void unregister_hw_breakpoint(struct perf_event *bp)
{
	if (bp)
		perf_event_release_kernel(bp);
}
EXPORT_SYMBOL_GPL(unregister_hw_breakpoint);

/**
 * register_wide_hw_breakpoint - create a breakpoint on each online CPU
 * @attr: see hw_breakpoint_init()
 * @triggered: called for each hit, with interrupts off
 * @context: for event->overflow_handler_context
 *
 * A CPU that is onlined later has no breakpoint.
 *
 * Context: may sleep.
 * Return: per-CPU pointers to the events, NULL for a CPU without an event; or an ERR_PTR_PCPU()
 */
struct perf_event *__percpu *register_wide_hw_breakpoint(struct perf_event_attr *attr,
							 perf_overflow_handler_t triggered,
							 void *context)
{
	struct perf_event *__percpu *events = alloc_percpu(typeof(*events));
	struct perf_event *bp;
	int cpu;

	if (!events)
		return ERR_PTR_PCPU(-ENOMEM);

	for_each_online_cpu(cpu) {
		bp = perf_event_create_kernel_counter(attr, cpu, NULL, triggered, context);
		if (!IS_ERR(bp)) {
			*per_cpu_ptr(events, cpu) = bp;
		} else if (cpu_online(cpu) || PTR_ERR(bp) != -ENODEV) {
			unregister_wide_hw_breakpoint(events);
			return ERR_PTR_PCPU(PTR_ERR(bp));
		}
	}
	return events;
}
EXPORT_SYMBOL_GPL(register_wide_hw_breakpoint);

/**
 * unregister_wide_hw_breakpoint - undo register_wide_hw_breakpoint()
 * @events: from register_wide_hw_breakpoint()
 *
 * Context: may sleep.
 */
void unregister_wide_hw_breakpoint(struct perf_event *__percpu *events)
{
	int cpu;

	for_each_possible_cpu(cpu)
		unregister_hw_breakpoint(*per_cpu_ptr(events, cpu));
	free_percpu(events);
}
EXPORT_SYMBOL_GPL(unregister_wide_hw_breakpoint);

/* The highest priority, because other handlers may consume any debug exception */
static struct notifier_block bp_exceptions_nb = {
	.notifier_call	= hw_breakpoint_exceptions_notify,
	.priority	= INT_MAX,
};

/**
 * perf_breakpoint_pmu_init - count the debug registers, and register the PMU
 *
 * Context: at boot.
 */
void __init perf_breakpoint_pmu_init(void)
{
	int i;

	if (bp_machine_init(&bp_machine, nr_cpu_ids)) {
		pr_err("perf: no memory for hardware breakpoints\n");
		return;
	}
	perf_lock_forbid_alloc(&bp_mutex);
	for (i = 0; i < TYPE_MAX; i++)
		bp_machine.slots[i] = clamp(hw_breakpoint_slots(i), 0, BP_SLOTS_MAX);
	perf_pmu_register(&bp_pmu, "breakpoint", PERF_TYPE_BREAKPOINT);
	register_die_notifier(&bp_exceptions_nb);
}

/* CONFIG_HW_BREAKPOINT_KUNIT_TEST is the option of lib/ for the tests of breakpoints. */
#if defined(CONFIG_PERF_EVENTS_KUNIT_TEST) || defined(CONFIG_HW_BREAKPOINT_KUNIT_TEST)
#include "../tests/breakpoint_test.c"
#endif
