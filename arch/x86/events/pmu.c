// SPDX-License-Identifier: GPL-2.0
/*
 * The callbacks of struct pmu.
 *
 * Perf calls the scheduling callbacks (from pmu_enable to cancel_txn, and sched_task) with
 * interrupts off, on the CPU of the event. An NMI may call read and stop, also in the middle of
 * another callback.
 */
#include "engine.h"

/* Start a new generation: each x86_count::total read so far is outdated. */
static void x86_new_generation(struct x86_pmu_cpu *cpu)
{
	cpu->gen++;
}

/**
 * x86_defer_reprogram - defer changes until x86_resume_reprogram()
 * @cpu: this CPU
 *
 * Context: interrupts off.
 */
void x86_defer_reprogram(struct x86_pmu_cpu *cpu)
{
	x86_new_generation(cpu);
	cpu->disabled = true;
}

/**
 * x86_resume_reprogram - apply deferred changes, and apply later ones at once
 * @cpu: this CPU
 *
 * Context: interrupts off.
 */
void x86_resume_reprogram(struct x86_pmu_cpu *cpu)
{
	/* An NMI while x86_pmu_cpu::disabled is set leaves its changes to this loop. */
	do {
		if (READ_ONCE(cpu->needs_reprogram))
			x86_reprogram(cpu);
		WRITE_ONCE(cpu->disabled, false);
		barrier();
	} while (READ_ONCE(cpu->needs_reprogram) && !cpu->shutdown);
}

static void x86_core_disable(struct pmu *pmu)
{
	struct x86_pmu_cpu *cpu = x86_this_cpu();

	if (cpu->core != to_x86_core(pmu))
		return;
	if (IS_ENABLED(CONFIG_PERF_EVENTS_CHECK_REGISTERS))
		x86_check_global_ctrl(cpu);
	x86_defer_reprogram(cpu);
}

/**
 * x86_set_global_ctrl_unknown - make x86_reprogram() write the global control register
 * @cpu: this CPU
 *
 * A VM exit, or a hypervisor, may have left another value in the register. For example, an NMI
 * before the VM entry has stopped a counter after KVM was given the host value. Without global
 * control, the selects are written instead, at once.
 *
 * Context: interrupts off.
 */
void x86_set_global_ctrl_unknown(struct x86_pmu_cpu *cpu)
{
	bool guest_ran = cpu->guest_ran;

	/* A counter that a VM exit has started may have counted a kernel thread. */
	if (guest_ran && x86_in_kernel_thread())
		cpu->counted_kernel |= cpu->core->counters;
	cpu->guest_ran = false;
	if (!cpu->core->msrs->control) {
		if (guest_ran)
			x86_restore_selects(cpu);
		return;
	}
	/* From here on an NMI writes the register, too, because of @control_unknown. */
	WRITE_ONCE(cpu->control_unknown, true);
	WRITE_ONCE(cpu->needs_reprogram, true);
}

static void x86_core_enable(struct pmu *pmu)
{
	struct x86_pmu_cpu *cpu = x86_this_cpu();

	if (cpu->core != to_x86_core(pmu))
		return;
	if (cpu->branch.changed && !cpu->shutdown)
		x86_branch_reprogram(cpu);
	if (unlikely(cpu->guest_ran || cpu->runs_guests))
		x86_set_global_ctrl_unknown(cpu);
	x86_resume_reprogram(cpu);
}

/* Unless the PMU is disabled, changes are applied at once. */
static void x86_apply_changes(struct x86_pmu_cpu *cpu)
{
	WRITE_ONCE(cpu->needs_reprogram, true);
	barrier();
	if (!cpu->disabled)
		x86_reprogram(cpu);
}

/* Start a stopped event of @count. */
static __always_inline void x86_event_start_count(struct x86_pmu_cpu *cpu,
						  struct perf_event *event,
						  struct x86_count *count)
{
	/*
	 * An event stopped after its overflow, but before the delayed BRS interrupt, has no new
	 * period yet: begin it now.
	 */
	if (local64_read(&event->hw.period_left) <= 0)
		x86_event_begin_period(event);
	count->reload = x86_precise_reload(cpu, event);
	local64_set(&event->hw.prev_count, x86_event_total(cpu, event, count));
	/*
	 * While hw.state is 0, the overflow interrupt handles the event, so hw.prev_count is set
	 * before. The interrupt computes x86_count::next_overflow without stopped events, so
	 * x86_count::next_overflow is set after hw.state.
	 */
	barrier();
	WRITE_ONCE(event->hw.state, 0);
	barrier();
	if (is_sampling_event(event))
		WRITE_ONCE(count->next_overflow, min(count->next_overflow, x86_event_due(event)));
	perf_event_update_userpage(event);
	x86_apply_changes(cpu);
}

static void x86_event_start(struct perf_event *event, int flags)
{
	struct x86_pmu_cpu *cpu = x86_this_cpu();
	struct x86_count *count = x86_event_count(event);

	if (event->hw.flags & X86_BRANCH_TRACE) {
		x86_bts_event_start(cpu, event);
		return;
	}
	if (!WARN_ON_ONCE(!count) && !x86_event_runs(event))
		x86_event_start_count(cpu, event, count);
}

/*
 * Stop an event of @count, unless the event is stopped already. Does not update the page. Returns
 * true if this call has stopped the event. Context: interrupts off, or NMI.
 */
static __always_inline bool x86_event_stop_count(struct x86_pmu_cpu *cpu,
						 struct perf_event *event,
						 struct x86_count *count)
{
	if (!x86_event_runs(event))
		return false;
	x86_precise_flush(cpu, event);
	if (!x86_event_runs(event))
		return false;
	x86_event_update(event, x86_event_total(cpu, event, count));
	WRITE_ONCE(event->hw.state, PERF_HES_STOPPED | PERF_HES_UPTODATE);
	if (is_sampling_event(event))
		x86_count_set_next_overflow(count);
	return true;
}

/**
 * x86_event_stop - stop an event
 * @event: an event, attached to a struct x86_count or not
 * @flags: PERF_EF_UPDATE, not used: the event is always updated, since other events may continue
 *	with its counter
 *
 * Context: interrupts off, or NMI.
 */
void x86_event_stop(struct perf_event *event, int flags)
{
	struct x86_pmu_cpu *cpu = this_cpu_ptr(&x86_pmu_cpu);
	struct x86_count *count = x86_event_count(event);

	if (event->hw.flags & X86_BRANCH_TRACE)
		x86_bts_event_stop(cpu, event);
	if (!count || !x86_event_stop_count(cpu, event, count))
		return;
	perf_event_update_userpage(event);
	x86_apply_changes(cpu);
}

static void x86_event_read(struct perf_event *event)
{
	struct x86_pmu_cpu *cpu = this_cpu_ptr(&x86_pmu_cpu);
	struct x86_count *count = x86_event_count(event);
	u64 total;

	if (event->hw.flags & X86_BRANCH_TRACE)
		x86_bts_flush(cpu);
	if (!count || !x86_event_runs(event))
		return;
	x86_precise_flush(cpu, event);
	total = x86_event_total(cpu, event, count);
	/*
	 * Each PEBS record in the buffer ends a period, and its sample is not written yet: count
	 * only up to the first of these ends.
	 */
	if (count->reload && in_nmi())
		total = min(total, READ_ONCE(count->offset));
	x86_event_update(event, total);
	/* No interrupt programs an overflowed counter again, so do it before the counter wraps. */
	if (unlikely(event->pmu->capabilities & PERF_PMU_CAP_NO_INTERRUPT) && !in_nmi() &&
	    (s64)(total - count->offset) >= 0)
		x86_apply_changes(cpu);
}

static int x86_event_add(struct perf_event *event, int flags)
{
	struct x86_pmu_cpu *cpu = x86_this_cpu();
	int err;

	if (cpu->core != to_x86_core(event->pmu))
		return -EAGAIN;
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (event->hw.flags & X86_BRANCH_TRACE) {
		err = x86_bts_event_add(cpu, event);
		if (!err && (flags & PERF_EF_START))
			x86_bts_event_start(cpu, event);
		return err;
	}
	if (needs_branch_stack(event)) {
		err = x86_branch_add(cpu, event);
		if (err)
			return err;
	}
	err = x86_count_attach(cpu, event);
	if (err) {
		x86_branch_del(cpu, event);
		return err;
	}
	if (event->hw.flags & X86_PRECISE_MULTI)
		perf_sched_cb_inc(event->pmu);
	if (cpu->needs_assign && !(cpu->txn & PERF_PMU_TXN_ADD)) {
		err = x86_counts_assign(cpu);
		if (err) {
			x86_count_detach(cpu, event);
			x86_branch_del(cpu, event);
			if (event->hw.flags & X86_PRECISE_MULTI)
				perf_sched_cb_dec(event->pmu);
			cpu->needs_assign = false;
			return err;
		}
	}
	if (flags & PERF_EF_START)
		x86_event_start_count(cpu, event, x86_event_count(event));
	return 0;
}

static void x86_event_del(struct perf_event *event, int flags)
{
	struct x86_pmu_cpu *cpu = x86_this_cpu();
	struct x86_count *count = x86_event_count(event);

	if (event->hw.flags & X86_BRANCH_TRACE)
		x86_bts_event_del(cpu, event);
	if (!count)
		return;
	if (x86_event_stop_count(cpu, event, count))
		x86_apply_changes(cpu);
	x86_count_detach(cpu, event);
	if (needs_branch_stack(event))
		x86_branch_del(cpu, event);
	if (event->hw.flags & X86_PRECISE_MULTI)
		perf_sched_cb_dec(event->pmu);
	perf_event_update_userpage(event);
}

/* In a transaction a group is added or read as a whole; each counter is read only once. */
static void x86_txn_begin(struct pmu *pmu, unsigned int flags)
{
	struct x86_pmu_cpu *cpu = x86_this_cpu();

	WARN_ON_ONCE(cpu->txn);
	cpu->txn = flags;
	if (flags & PERF_PMU_TXN_ADD) {
		cpu->needs_assign = false;
		perf_pmu_disable(pmu);
	} else if (!cpu->disabled) {
		x86_new_generation(cpu);
	}
}

static void x86_txn_end(struct pmu *pmu, struct x86_pmu_cpu *cpu)
{
	unsigned int flags = cpu->txn;

	WARN_ON_ONCE(!flags);
	cpu->txn = 0;
	if (flags & PERF_PMU_TXN_ADD)
		perf_pmu_enable(pmu);
}

static int x86_txn_commit(struct pmu *pmu)
{
	struct x86_pmu_cpu *cpu = x86_this_cpu();

	if (cpu->needs_assign && x86_counts_assign(cpu))
		return -EAGAIN;
	x86_txn_end(pmu, cpu);
	return 0;
}

static void x86_txn_cancel(struct pmu *pmu)
{
	struct x86_pmu_cpu *cpu = x86_this_cpu();

	cpu->needs_assign = false;
	x86_txn_end(pmu, cpu);
}

/* Drain the PEBS and BTS records of a task that is switched out. */
static void x86_sched_task(struct perf_event_pmu_context *pmu_ctx, struct task_struct *task,
			   bool sched_in)
{
	struct x86_pmu_cpu *cpu = x86_this_cpu();

	if (!sched_in) {
		x86_precise_drain(cpu, NULL);
		x86_bts_flush(cpu);
	}
	x86_branch_sched_task(pmu_ctx, task, sched_in);
}

/*
 * Context: any. If another counter is assigned, the page is written again before user space runs.
 * Without permission for RDPMC there is no index: with an index, the page's offset would reveal the
 * former value of the counter.
 */
static int x86_event_index(struct perf_event *event)
{
	struct x86_count *count = x86_event_count(event);
	int counter;

	/* A metric has no counter, and a reloaded counter lacks the periods of pending records. */
	if (!x86_event_is_readable(event) || !x86_user_reads() || !count || count->reload ||
	    x86_event_metric(event) >= 0)
		return 0;
	counter = READ_ONCE(count->counter);
	return counter < 0 ? 0 : x86_rdpmc_index(counter) + 1;
}

/**
 * x86_event_update_page - set pmc_width and offset of an event's user page
 * @event: an event of this driver
 * @page: the page. If programs can read the counter, index is set, and the event's count is offset
 *	plus x86_count::total; this function makes it offset plus the value of the counter
 *
 * Programs sign-extend the value of the counter from pmc_width bits. With X86_METRICS, the slots
 * counter starts at 0, and its value is never negative. So pmc_width is then one bit more than the
 * width of the counter.
 *
 * Context: any.
 */
void x86_event_update_page(const struct perf_event *event, struct perf_event_mmap_page *page)
{
	const struct x86_core *core = to_x86_core(event->pmu);
	const struct x86_count *count = x86_event_count(event);

	page->pmc_width = core->width;
	if (!page->index || !count)
		return;
	page->offset += READ_ONCE(count->offset);
	page->pmc_width = x86_counter_width(core, count->counter);
	if (count->sel.flags & X86_METRICS) {
		page->offset -= x86_metrics_span(core);
		page->pmc_width++;
	}
}

/* Errata may limit the period. An open event cannot change to the branch trace store, or back. */
static int x86_event_check_period(struct perf_event *event, u64 value)
{
	if (x86_is_branch_trace(event, value) || (event->hw.flags & X86_BRANCH_TRACE))
		return -EINVAL;
	return value && value < x86_event_least_period(event) ? -EINVAL : 0;
}

/* Do not schedule groups on CPUs of another core type. */
static bool x86_core_filter(struct pmu *pmu, int cpu)
{
	return !cpumask_test_cpu(cpu, &to_x86_core(pmu)->cpus);
}

/**
 * x86_core_init_pmu - initialize the struct pmu of a core type
 * @core: the core type
 */
void x86_core_init_pmu(struct x86_core *core)
{
	core->pmu = (struct pmu) {
		.event_init	= x86_event_init,
		.pmu_enable	= x86_core_enable,
		.pmu_disable	= x86_core_disable,
		.add		= x86_event_add,
		.del		= x86_event_del,
		.start		= x86_event_start,
		.stop		= x86_event_stop,
		.read		= x86_event_read,
		.start_txn	= x86_txn_begin,
		.commit_txn	= x86_txn_commit,
		.cancel_txn	= x86_txn_cancel,
		.event_idx	= x86_event_index,
		.event_mapped	= x86_event_mapped,
		.event_unmapped	= x86_event_unmapped,
		.check_period	= x86_event_check_period,
		.sched_task	= x86_sched_task,
		.filter		= core->kind ? x86_core_filter : NULL,
	};
	if (core->kind)
		core->pmu.capabilities |= PERF_PMU_CAP_EXTENDED_HW_TYPE;
}
