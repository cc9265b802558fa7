// SPDX-License-Identifier: GPL-2.0
/*
 * Events with branch stacks: when branches are recorded, and for which task.
 *
 * The records belong to a CPU, not to a task: records of a task are cleared when another is
 * switched in. Only call stacks (PERF_SAMPLE_BRANCH_CALL_STACK) are saved and restored, in
 * pmu_ctx->task_ctx_data.
 *
 * An overflow interrupt reads the records once, for the first sample that needs them.
 */
#include <linux/slab.h>
#include <linux/static_call.h>

#include "engine.h"

static int x86_branch_snapshot(struct perf_branch_entry *entries, unsigned int cnt);

/* Are kernel branches recorded? Then the driver's own branches overwrite the records. */
static bool x86_branch_in_kernel(const struct x86_branch_cpu *branch)
{
	return !branch->select || (branch->type & PERF_SAMPLE_BRANCH_KERNEL);
}

static bool x86_branch_call_stack(const struct x86_branch_cpu *branch)
{
	return branch->type & PERF_SAMPLE_BRANCH_CALL_STACK;
}

/* Shared by all core types; created at boot, without concurrency. */
static struct kmem_cache *x86_branch_cache;

/**
 * x86_branch_probe - detect the branch unit of a core type
 * @core: the core type of this CPU
 *
 * Context: boot, once; for a second core type on its first CPU, which is being brought up.
 * Return: 0 on success, also without a branch unit; -ENOMEM.
 */
int x86_branch_probe(struct x86_core *core)
{
	const struct x86_branch_unit *unit = core->model->branches;
	struct x86_branches *branches = &core->branches;

	if (IS_ENABLED(CONFIG_CPU_SUP_INTEL) && boot_cpu_has(X86_FEATURE_ARCH_LBR))
		unit = &x86_lbr_arch;
	if (!unit)
		return 0;
	branches->flags = unit->flags;
	branches->nr = unit->nr;
	branches->from = unit->from;
	branches->to = unit->to;
	branches->info = unit->info;
	if (unit->flags & X86_UNIT_FILTER)
		branches->select = (struct x86_extra){
			.msr = MSR_LBR_SELECT, .per_core = unit->flags & X86_UNIT_FILTER_CORE,
		};
	if (!unit->probe(core) || WARN_ON_ONCE(branches->nr > X86_BRANCHES_MAX)) {
		*branches = (struct x86_branches){ };
		return 0;
	}
	/*
	 * With X86_UNIT_DELAYS there are records only after an overflow, so no snapshot can be
	 * taken. A second core type is detected with the CPU hotplug lock held for writing, which
	 * static_call_update() would take.
	 */
	if (!(branches->flags & X86_UNIT_DELAYS) && !x86_nr_cores)
		static_call_update(perf_snapshot_branch_stack, x86_branch_snapshot);
	if (!(branches->flags & X86_UNIT_CALL_STACK))
		return 0;
	if (!x86_branch_cache)
		x86_branch_cache = KMEM_CACHE(x86_branch_saved, 0);
	core->pmu.task_ctx_cache = x86_branch_cache;
	return x86_branch_cache ? 0 : -ENOMEM;
}

/**
 * x86_branch_check - check the branch stack of a new event
 * @event: the new event
 *
 * Context: process.
 * Return: 0 on success, -EOPNOTSUPP if the CPU cannot record these branches, -EINVAL if
 * attr.branch_sample_type is invalid, or if AMD BRS cannot sample this event (brs_check()).
 */
int x86_branch_check(struct perf_event *event)
{
	const struct x86_core *core = to_x86_core(event->pmu);
	int err;

	if (!core->branches.ops)
		return perf_event_refuse(event, "attr.sample_type",
					 "has branch stacks, which this processor lacks",
					 -EOPNOTSUPP);
	err = core->branches.ops->check ? core->branches.ops->check(core, event) : 0;
	return err ?: x86_branch_filter_init(core, event);
}

/**
 * x86_branch_init_event - check a new event with a branch stack, and reserve the branch unit
 * @event: the new event
 *
 * On success x86_branch_destroy() must be called later.
 *
 * Context: process.
 * Return: 0 on success, -EBUSY if PT or the PMU intel_bts is used, or an error of
 * x86_branch_check().
 */
int x86_branch_init_event(struct perf_event *event)
{
	int err = x86_branch_check(event);

	if (err)
		return err;
	/* An inherited event uses its parent's LBR reservation: the parent is freed later. */
	err = event->parent ? 0 : x86_add_exclusive(x86_lbr_exclusive_lbr);
	if (err)
		return perf_event_refuse(event, "attr.sample_type",
					 "has branch stacks, but the branch unit is in use", err);
	event->attach_state |= PERF_ATTACH_SCHED_CB;
	if (branch_sample_call_stack(event))
		event->attach_state |= PERF_ATTACH_TASK_DATA;
	return 0;
}

/**
 * x86_branch_destroy - perf_event::destroy
 * @event: an event that x86_branch_init_event() has accepted
 */
void x86_branch_destroy(struct perf_event *event)
{
	if (!event->parent)
		x86_del_exclusive(x86_lbr_exclusive_lbr);
}

static struct x86_event_sel x86_branch_get_sel(const struct x86_core *core,
					       const struct perf_event *event)
{
	return (struct x86_event_sel){
		.extra = event->hw.branch_reg.config, .msr = core->branches.select.msr,
	};
}

/**
 * x86_branch_fits - check whether the hardware filter fits other events
 * @core: the PMU
 * @event: any event
 * @set: the extra registers taken by other events; the filter of @event is added
 *
 * Context: the caller is the only user of @set.
 * Return: true if it fits.
 */
bool x86_branch_fits(const struct x86_core *core, struct perf_event *event,
		     struct x86_extra_set *set)
{
	struct x86_event_sel sel;

	if (!needs_branch_stack(event) || !core->branches.select.msr)
		return true;
	sel = x86_branch_get_sel(core, event);
	return x86_extra_get(set, &core->branches.select, &sel);
}

/*
 * The interrupt handler calls this function only if x86_branch_cpu::running is set.
 * x86_branch_cpu::asleep is not changed: the handler may interrupt perf_amd_brs_lopwr_cb() between
 * the writes of both.
 */
static void x86_branch_on(struct x86_pmu_cpu *cpu)
{
	struct x86_branch_cpu *branch = &cpu->branch;

	if (branch->select)
		x86_extra_write(cpu, branch->select);
	WRITE_ONCE(branch->running, true);
	barrier();
	cpu->core->branches.ops->on(cpu->core, x86_branch_call_stack(branch));
}

/* Disable the unit, but leave x86_branch_cpu::running to the caller. Inline: calls add records. */
static __always_inline void x86_branch_stop(struct x86_pmu_cpu *cpu)
{
	const struct x86_branches *unit = &cpu->core->branches;
	struct x86_branch_cpu *branch = &cpu->branch;

	unit->ops->off(cpu->core);
	/* With X86_UNIT_FILTER_RUNS, off() has changed the filter register. */
	if (branch->select && (unit->flags & X86_UNIT_FILTER_RUNS))
		x86_extra_set_unknown(cpu, branch->select);
}

static __always_inline void x86_branch_off(struct x86_pmu_cpu *cpu)
{
	struct x86_branch_cpu *branch = &cpu->branch;

	WRITE_ONCE(branch->asleep, false);
	WRITE_ONCE(branch->running, false);
	barrier();
	x86_branch_stop(cpu);
}

static void x86_branch_clear(struct x86_pmu_cpu *cpu)
{
	struct x86_branch_cpu *branch = &cpu->branch;

	cpu->core->branches.ops->clear(cpu->core, x86_branch_call_stack(branch));
	branch->regs_stamp = 0;
}

/*
 * Has a debug exception, of a single step or a hardware breakpoint, disabled the running unit? A VM
 * exit disables the unit, too, but KVM enables the unit before user space runs again.
 */
static bool x86_branch_was_disabled(const struct x86_pmu_cpu *cpu)
{
	const struct x86_branch_ops *ops = cpu->core->branches.ops;

	return ops->is_on && !ops->is_on(cpu->core) && !perf_guest_state();
}

/*
 * Enable the unit again after a debug exception. The disabled unit has missed calls and returns, so
 * the call stack is wrong.
 */
static void x86_branch_reenable(struct x86_pmu_cpu *cpu)
{
	bool call_stack = x86_branch_call_stack(&cpu->branch);

	if (!x86_branch_was_disabled(cpu))
		return;
	if (call_stack)
		x86_branch_clear(cpu);
	cpu->core->branches.ops->on(cpu->core, call_stack);
}

/**
 * x86_branch_add - add a user of the branch unit, if an event has a branch stack
 * @cpu: this CPU, whose PMU is disabled
 * @event: any event
 *
 * Return: 0 on success, -EAGAIN if other events use another hardware filter.
 */
int x86_branch_add(struct x86_pmu_cpu *cpu, struct perf_event *event)
{
	struct x86_branch_cpu *branch = &cpu->branch;
	const struct x86_extra *row = &cpu->core->branches.select;
	struct x86_extra_reg *reg = NULL;
	struct x86_event_sel sel;

	if (!needs_branch_stack(event))
		return 0;
	/*
	 * x86_branch_del() leaves the unit running until the PMU is enabled. Between the changes of
	 * filter and type, an NMI could restart the unit with the new filter and the old type:
	 * disable the unit first.
	 */
	if (!branch->users && branch->running && branch->type != event->attr.branch_sample_type)
		x86_branch_off(cpu);
	if (row->msr) {
		sel = x86_branch_get_sel(cpu->core, event);
		reg = x86_count_get_extra(cpu, row, &sel);
		if (!reg)
			return -EAGAIN;
	}
	if (!branch->users++)
		branch->changed = true;
	branch->select = reg;
	branch->type = event->attr.branch_sample_type;
	perf_sched_cb_inc(event->pmu);
	return 0;
}

/**
 * x86_branch_del - undo x86_branch_add()
 * @cpu: this CPU, whose PMU is disabled
 * @event: any event
 */
void x86_branch_del(struct x86_pmu_cpu *cpu, struct perf_event *event)
{
	struct x86_branch_cpu *branch = &cpu->branch;

	if (!needs_branch_stack(event))
		return;
	if (branch->select)
		x86_count_put_extra(cpu, &cpu->core->branches.select, branch->select);
	WARN_ON_ONCE(!branch->users);
	if (!--branch->users)
		branch->changed = true;
	perf_sched_cb_dec(event->pmu);
}

/**
 * x86_branch_reprogram - enable or disable the branch unit, as events need it
 * @cpu: this CPU, whose PMU is about to be enabled
 *
 * Context: interrupts off.
 */
void x86_branch_reprogram(struct x86_pmu_cpu *cpu)
{
	struct x86_branch_cpu *branch = &cpu->branch;
	bool fresh = branch->fresh;

	branch->changed = false;
	branch->fresh = false;
	if (branch->users && branch->running &&
	    (!branch->select || x86_extra_is_written(cpu, branch->select)))
		return;
	if (branch->running || branch->asleep)
		x86_branch_off(cpu);
	if (!branch->users)
		return;
	/* Branches recorded with another filter are not for the new event. */
	if (!fresh)
		x86_branch_clear(cpu);
	branch->regs_stamp = 0;
	x86_branch_on(cpu);
}

/**
 * x86_branch_reset - disable the branch unit, which may be in any state
 * @cpu: this CPU, which is brought up, taken offline, shut down, or resumes
 *
 * Context: interrupts off, or NMI after a crash.
 */
void x86_branch_reset(struct x86_pmu_cpu *cpu)
{
	struct x86_branch_cpu *branch = &cpu->branch;

	if (!cpu->core->branches.ops)
		return;
	x86_branch_off(cpu);
	branch->fresh = false;
	branch->regs_stamp = 0;
	branch->changed = true;
}

/*
 * Number of context switches of @task: if it has changed since the save, the task has run, and the
 * saved call stack is outdated.
 */
static unsigned long x86_branch_switches(const struct task_struct *task)
{
	return task->nvcsw + task->nivcsw;
}

/* Save the call stack of a task that is switched out. The records stay valid. */
static void x86_branch_save(struct x86_pmu_cpu *cpu, struct x86_branch_saved *saved,
			    const struct task_struct *task)
{
	const struct x86_branch_ops *ops = cpu->core->branches.ops;
	struct x86_branch_cpu *branch = &cpu->branch;

	saved->nr = ops->read(cpu->core, saved->raw, &saved->newest);
	if (ops->read_info)
		ops->read_info(cpu->core, saved->raw, saved->nr, saved->newest);
	saved->stamp = ++branch->stamp;
	saved->cpu = raw_smp_processor_id();
	saved->switches = x86_branch_switches(task);
	branch->regs_stamp = saved->stamp;
}

static void x86_branch_restore(struct x86_pmu_cpu *cpu, struct x86_branch_saved *saved)
{
	const struct x86_branch_ops *ops = cpu->core->branches.ops;
	struct x86_branch_cpu *branch = &cpu->branch;

	/* The registers still have the saved records: no deep idle state has cleared them. */
	if (saved->cpu == raw_smp_processor_id() && saved->stamp == branch->regs_stamp &&
	    (!saved->nr || ops->unchanged(cpu->core, saved->raw, saved->newest)))
		return;
	branch->regs_stamp = 0;
	ops->restore(cpu->core, saved->raw, saved->nr, saved->newest);
}

/**
 * x86_branch_sched_task - context switch, see struct pmu::sched_task
 * @pmu_ctx: the PMU context of @task, or that of the CPU, without task_ctx_data
 * @task: the task that is switched in or out
 * @sched_in: @task is switched in
 */
void x86_branch_sched_task(struct perf_event_pmu_context *pmu_ctx, struct task_struct *task,
			   bool sched_in)
{
	struct x86_pmu_cpu *cpu = x86_this_cpu();
	struct x86_branch_cpu *branch = &cpu->branch;
	struct x86_branch_saved *saved = pmu_ctx->task_ctx_data;
	bool delays = cpu->core->branches.flags & X86_UNIT_DELAYS, halt;

	if (!branch->users)
		return;
	if (!sched_in && (!saved || !x86_branch_call_stack(branch) || !branch->running))
		return;
	if (branch->running)
		x86_branch_reenable(cpu);
	/*
	 * If the unit ran, the call stack would get calls of this function, and BRS would record
	 * branches while its records are cleared.
	 */
	halt = branch->running && (x86_branch_call_stack(branch) || delays) &&
	       x86_branch_in_kernel(branch);
	if (halt)
		x86_branch_off(cpu);
	/* BRS may lose a delayed interrupt: x86_reprogram() checks the counter. */
	if (delays)
		WRITE_ONCE(cpu->needs_reprogram, true);
	if (!sched_in) {
		x86_branch_save(cpu, saved, task);
	} else {
		if (x86_branch_call_stack(branch) && saved && saved->stamp &&
		    saved->switches == x86_branch_switches(task))
			x86_branch_restore(cpu, saved);
		else
			x86_branch_clear(cpu);
		branch->fresh = true;
		branch->changed = true;
	}
	if (halt)
		x86_branch_on(cpu);
}

/*
 * Is the first of @nr records at @raw a second record of an abort? That has no abort flag, so look
 * at the next older record.
 */
static bool x86_branch_repeats(const struct x86_core *core, const struct x86_branch_raw *raw,
			       unsigned int nr)
{
	struct perf_branch_entry older = { };

	return (core->branches.flags & X86_UNIT_ABORTS_TWICE) && nr > 1 && raw[1].from &&
	       core->branches.ops->decode(core, &raw[1], &older) && older.abort;
}

/* bpf_get_branch_snapshot(): all records, not filtered for an event */
static int x86_branch_snapshot(struct perf_branch_entry *entries, unsigned int cnt)
{
	unsigned int i, n, nr = 0;
	struct x86_branch_raw *raw;
	struct x86_pmu_cpu *cpu;
	unsigned long flags;
	bool wrong;
	u64 newest;

	local_irq_save(flags);
	cpu = this_cpu_ptr(&x86_pmu_cpu);
	if (cpu->core && READ_ONCE(cpu->branch.running)) {
		const struct x86_branch_ops *ops = cpu->core->branches.ops;

		raw = cpu->branch.snapshot[!!in_nmi()];
		/* Without call stack mode the records are right, and a check would add branches. */
		wrong = x86_branch_call_stack(&cpu->branch) && !cpu->branch.stopped &&
			x86_branch_was_disabled(cpu);
		x86_branch_off(cpu);
		if (wrong)
			x86_branch_clear(cpu);
		n = ops->read(cpu->core, raw, &newest);
		if (ops->read_info)
			ops->read_info(cpu->core, raw, n, newest);
		/* In the overflow interrupt, x86_branch_end_interrupt() enables a stopped unit. */
		if (cpu->branch.stopped)
			WRITE_ONCE(cpu->branch.running, true);
		else
			x86_branch_on(cpu);
		for (i = 0; i < n && nr < cnt; i++) {
			if (x86_branch_repeats(cpu->core, &raw[i], n - i))
				continue;
			perf_clear_branch_entry_bitfields(&entries[nr]);
			if (ops->decode(cpu->core, &raw[i], &entries[nr]))
				nr++;
		}
	}
	local_irq_restore(flags);
	return nr;
}

static bool x86_branch_freezes(const struct x86_pmu_cpu *cpu)
{
	const struct x86_branches *unit = &cpu->core->branches;

	return unit->freezes && (unit->freezes_stack || !x86_branch_call_stack(&cpu->branch));
}

/**
 * x86_branch_begin_interrupt - stop recording, if kernel branches are recorded
 * @cpu: this CPU
 *
 * Context: overflow interrupt.
 * Return: status bits not to acknowledge before x86_branch_end_interrupt().
 */
u64 x86_branch_begin_interrupt(struct x86_pmu_cpu *cpu)
{
	struct x86_branch_cpu *branch = &cpu->branch;
	const struct x86_branches *unit = &cpu->core->branches;

	branch->interrupts++;
	if (!READ_ONCE(branch->running))
		return 0;
	if (x86_branch_freezes(cpu) && unit->halts) {
		branch->stopped = true;
		return 0;
	}
	if (x86_branch_in_kernel(branch) && x86_branch_freezes(cpu)) {
		branch->unchecked = true;
		return X86_STATUS_BRANCHES_FROZEN;
	}
	x86_branch_reenable(cpu);
	if (!x86_branch_in_kernel(branch))
		return 0;
	/* The unit is still in use: x86_branch_cpu::running stays set until the end. */
	branch->stopped = true;
	x86_branch_stop(cpu);
	return 0;
}

/**
 * x86_branch_check_frozen - stop recording, if the interrupt has not frozen the unit
 * @cpu: this CPU
 * @frozen: bits returned by x86_branch_begin_interrupt() that are set in the status
 *
 * An overflow does not freeze the unit while DEBUGCTL does not have the host's value: a VM exit of
 * Intel CPUs clears DEBUGCTL, and on AMD CPUs KVM loads a guest's value. Only the first call in an
 * interrupt has an effect. An interrupt that reads no records need not call this function.
 *
 * Context: overflow interrupt, before the records are read.
 */
void x86_branch_check_frozen(struct x86_pmu_cpu *cpu, u64 frozen)
{
	struct x86_branch_cpu *branch = &cpu->branch;

	if (branch->unchecked && !frozen) {
		branch->stopped = true;
		x86_branch_stop(cpu);
	}
	branch->unchecked = false;
}

/**
 * x86_branch_end_interrupt - continue to record branches
 * @cpu: this CPU
 * @frozen: bits returned by x86_branch_begin_interrupt() that were set in the status
 *
 * Context: overflow interrupt.
 */
void x86_branch_end_interrupt(struct x86_pmu_cpu *cpu, u64 frozen)
{
	struct x86_branch_cpu *branch = &cpu->branch;
	bool stopped = branch->stopped;

	branch->unchecked = false;
	branch->stopped = false;
	if (frozen) {
		x86_acknowledge_bits(cpu, frozen);
		x86_branch_reenable(cpu);
	}
	if (stopped && READ_ONCE(branch->running))
		x86_branch_on(cpu);
}

/* Read the records, once in an interrupt. */
static void x86_branch_read(struct x86_pmu_cpu *cpu, bool info)
{
	const struct x86_branch_ops *ops = cpu->core->branches.ops;
	struct x86_branch_cpu *branch = &cpu->branch;

	if (branch->gen != branch->interrupts) {
		branch->gen = branch->interrupts;
		branch->nr = branch->running || branch->asleep ?
			ops->read(cpu->core, branch->raw, &branch->newest) : 0;
		branch->has_info = false;
	}
	if (info && !branch->has_info && ops->read_info) {
		ops->read_info(cpu->core, branch->raw, branch->nr, branch->newest);
		branch->has_info = true;
	}
}

static struct perf_branch_stack *x86_branch_stack(struct x86_branch_cpu *branch)
{
	return (struct perf_branch_stack *)branch->stack[!!in_nmi()];
}

/**
 * x86_branch_sample_of - add branches to a sample
 * @cpu: this CPU
 * @event: an event with a branch stack
 * @data: the sample
 * @raw: the records, the newest first
 * @nr: number of @raw; an empty record ends them, too
 * @newest: register index of the newest record; -1ULL: not known
 *
 * Context: overflow interrupt, or interrupts off while PEBS records are drained.
 */
void x86_branch_sample_of(struct x86_pmu_cpu *cpu, struct perf_event *event,
			  struct perf_sample_data *data, const struct x86_branch_raw *raw,
			  unsigned int nr, u64 newest)
{
	struct perf_branch_stack *stack = x86_branch_stack(&cpu->branch);
	bool info = x86_branch_needs_info(cpu->core, event);
	unsigned int i;

	stack->nr = 0;
	stack->hw_idx = newest;
	for (i = 0; i < min_t(unsigned int, nr, X86_BRANCHES_MAX) && raw[i].from; i++) {
		struct x86_branch_raw one = raw[i];

		if (x86_branch_repeats(cpu->core, &raw[i], nr - i))
			continue;
		if (!info)
			one.info = X86_INFO_NONE;
		if (x86_branch_filter(event, &one, cpu->core, &stack->entries[stack->nr]))
			stack->nr++;
	}
	perf_sample_save_brstack(data, event, stack, NULL);
}

/**
 * x86_branch_sample - add the recorded branches to a sample
 * @cpu: this CPU
 * @event: an event with a branch stack
 * @data: the sample; its branches are valid until the next sample
 *
 * Context: overflow interrupt, after x86_branch_begin_interrupt().
 */
void x86_branch_sample(struct x86_pmu_cpu *cpu, struct perf_event *event,
		       struct perf_sample_data *data)
{
	struct x86_branch_cpu *branch = &cpu->branch;

	x86_branch_read(cpu, x86_branch_needs_info(cpu->core, event));
	x86_branch_sample_of(cpu, event, data, branch->raw, branch->nr, branch->newest);
}

/**
 * x86_branch_last - the newest branch
 * @cpu: this CPU
 * @entry: receives the branch
 *
 * Context: overflow interrupt, after x86_branch_begin_interrupt().
 * Return: true on success, false if there is none.
 */
bool x86_branch_last(struct x86_pmu_cpu *cpu, struct perf_branch_entry *entry)
{
	struct x86_branch_cpu *branch = &cpu->branch;

	if (!cpu->core->branches.ops)
		return false;
	x86_branch_read(cpu, false);
	perf_clear_branch_entry_bitfields(entry);
	return branch->nr && cpu->core->branches.ops->decode(cpu->core, &branch->raw[0], entry);
}
