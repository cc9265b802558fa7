// SPDX-License-Identifier: GPL-2.0
/*
 * Programming of the registers. x86_reprogram() writes the counters and selects of this CPU as
 * count.c has assigned them to events, and enables the counters that are to run, including those
 * that claim.c has programmed for perfctr.
 *
 * Events with the same select share a struct x86_count, and so its counter. The PMU is not stopped
 * while these events move to another counter: a counter may run while it is written. So first
 * x86_pmu_cpu::owner of the old counter is cleared, and the counter is read. The value and the
 * overflows of a counter without an owner are ignored.
 */
#include "engine.h"

/*
 * If no event needs the next overflow of a counter, the counter keeps its value, unless the
 * overflow is nearer than X86_NEAR.
 */
#define X86_NEAR	BIT_ULL(20)

/*
 * Minimum distance to the overflow of a counter that counts the kernel, if the counter has missed
 * its overflow, or is the lower one of a pair. The overflow interrupt ignores a counter that is
 * being programmed, so the counter must not overflow before it is fully programmed. The lower
 * counter of a pair must not carry before the upper one is written.
 */
#define X86_MIN_PERIOD_OVERDUE	64

static u64 x86_count_min_period(const struct x86_count *count, const struct x86_core *core)
{
	u64 least = X86_MIN_PERIOD;

	if (core->model->min_period)
		least = max(least, core->model->min_period(count->sel.config));
	if (count->sel.flags & X86_DISTRIBUTED)
		least = max(least, core->model->distributed_period);
	return least;
}

/* Periods must be multiples of this power of two. */
static u64 x86_count_period_step(const struct x86_count *count, const struct x86_core *core)
{
	return core->model->period_step ? core->model->period_step(count->sel.config) : 1;
}

/* Returns the distance from @total to the overflow for which the counter is programmed. */
static u64 x86_distance(struct x86_count *count, const struct x86_core *core, u64 total)
{
	s64 left = count->next_overflow - total, least = x86_count_min_period(count, core);
	u64 step = x86_count_period_step(count, core);

	if (count->sel.flags & X86_METRICS)
		return x86_metrics_span(core);
	/*
	 * The overflow interrupt of a checkpointed counter aborts the transaction, which rolls the
	 * counter back to just before the overflow. So the interrupt programs the longest distance:
	 * with a shorter one, each retry of the transaction would overflow.
	 */
	if (count->next_overflow == U64_MAX || (in_nmi() && x86_is_checkpointed(core, count)))
		return core->max_period;
	/* If the overflow was missed, the counter must overflow as soon as it may. */
	if (left <= 0)
		least = max_t(s64, least, count->apart);
	if ((left <= 0 || (count->sel.flags & X86_PAIR)) &&
	    (core->model->get_sel || (count->sel.config & ARCH_PERFMON_EVENTSEL_OS)))
		least = max_t(s64, least, X86_MIN_PERIOD_OVERDUE);
	left = clamp_t(s64, left, least, core->max_period);
	/* If this period is rounded up, the next one is shorter. */
	return min_t(u64, ALIGN(left, step), ALIGN_DOWN(core->max_period, step));
}

/* Can the counter, which overflows at the total @offset, stay as programmed? */
static bool x86_is_armed(struct x86_count *count, const struct x86_core *core,
			 u64 offset, u64 total)
{
	s64 left = offset - total;

	if (count->sel.flags & X86_METRICS)
		return left > (s64)x86_metrics_span(core) / 2;
	if (x86_is_checkpointed(core, count))
		return left > X86_NEAR;
	if (left <= 0 || left > core->max_period)
		return false;
	if (count->next_overflow == U64_MAX)
		return left > min(X86_NEAR, core->max_period / 2);
	/* An earlier overflow does no harm if it is not near. */
	if ((s64)(count->next_overflow - offset) > 0)
		return left > X86_NEAR;
	/* Due to step or minimum distance, reprogramming would not make the overflow earlier. */
	return offset - count->next_overflow < x86_count_period_step(count, core) ||
	       left <= x86_distance(count, core, total);
}

/**
 * x86_check_late_nmi - expect a late interrupt of a counter that is reprogrammed
 * @cpu: this CPU
 * @value: the value of the counter before
 *
 * If the counter has overflowed, or overflows just before it is reprogrammed, its interrupt finds
 * no overflow.
 */
void x86_check_late_nmi(struct x86_pmu_cpu *cpu, u64 value)
{
	const struct x86_pmu_msrs *msrs = cpu->core->msrs;

	/* Intel CPUs send one interrupt for all overflows until the status is read, never late. */
	if ((msrs->status && msrs->masks_lvt) || (s64)value < -X86_REPROGRAM_INCREMENT_MAX)
		return;
	x86_expect_late_nmi(cpu);
}

/*
 * Stop a counter about to be written, if its select has a sticky overflow flag. Otherwise an
 * overflow before x86_clear_sticky_overflow(), which must follow, would lose its interrupt.
 */
static void x86_pause_select(struct x86_pmu_cpu *cpu, int counter)
{
	const struct x86_pmu_msrs *msrs = cpu->core->msrs;

	if (msrs->sticky)
		wrmsrl(x86_select_msr(msrs, counter),
		       READ_ONCE(cpu->select[counter]) & ~msrs->halt);
}

/* Clear a sticky overflow flag of a counter that was written. */
static void x86_clear_sticky_overflow(struct x86_pmu_cpu *cpu, int counter)
{
	if (cpu->core->msrs->sticky)
		wrmsrl(x86_select_msr(cpu->core->msrs, counter), READ_ONCE(cpu->select[counter]));
}

/**
 * x86_count_set_period - program x86_count::counter for the next overflow
 * @cpu: this CPU
 * @count: has a counter
 *
 * Context: interrupts off, or NMI.
 * Return: the value of the counter before, 0 or more after an overflow. The interrupt of this
 * overflow may be late, see x86_check_late_nmi().
 */
u64 x86_count_set_period(struct x86_pmu_cpu *cpu, struct x86_count *count)
{
	const struct x86_core *core = cpu->core;
	u64 value, total, distance, metrics = 0;

	WRITE_ONCE(count->seq, count->seq + 1);
	barrier();
	x86_pause_select(cpu, count->counter);
	if (count->sel.flags & X86_METRICS)
		metrics = x86_metrics_read();
	value = x86_count_value(core, count);
	total = count->offset + value;
	WRITE_ONCE(count->total, total);
	distance = x86_distance(count, core, total);
	x86_write_counter(cpu, count->counter, -distance);
	/*
	 * The write discards the slots counted since x86_count_value(). To keep these few, the read
	 * of PERF_METRICS precedes x86_count_value(), and the divisions of x86_metrics_update()
	 * follow the write. Stopping the counter would lose the same slots.
	 */
	if (count->sel.flags & X86_METRICS) {
		x86_metrics_restart(count);
		x86_metrics_update(cpu, value + x86_metrics_span(core), metrics);
	}
	if (count->sel.flags & X86_PAIR)
		x86_write_upper(cpu, count->counter + 1);
	x86_clear_sticky_overflow(cpu, count->counter);
	WRITE_ONCE(count->offset, total + distance);
	barrier();
	WRITE_ONCE(count->seq, count->seq + 1);
	return value;
}

/**
 * x86_count_update_pages - update the user pages of all events that share this counter
 * @count: its counter was programmed
 *
 * Context: interrupts off.
 */
void x86_count_update_pages(const struct x86_count *count)
{
	struct perf_event *event;

	list_for_each_entry_rcu(event, &count->events, active_entry, true) {
		event->hw.idx = count->counter;
		perf_event_update_userpage(event);
	}
}

/* Add the value of x86_count::counter to x86_count::total, and release the counter. */
static void x86_count_detach_counter(struct x86_pmu_cpu *cpu, struct x86_count *count)
{
	u64 value;

	x86_count_clear_owner(cpu, count);
	WRITE_ONCE(count->seq, count->seq + 1);
	barrier();
	value = x86_count_value(cpu->core, count);
	if (count->sel.flags & X86_METRICS)
		x86_metrics_update(cpu, value + x86_metrics_span(cpu->core), x86_metrics_read());
	WRITE_ONCE(count->total, count->offset + value);
	WRITE_ONCE(count->counter, -1);
	barrier();
	WRITE_ONCE(count->seq, count->seq + 1);
	x86_check_late_nmi(cpu, value);
}

/**
 * x86_count_free - free a struct x86_count that was kept for reuse
 * @cpu: this CPU
 * @count: has a counter, and no events. The counter's value is saved in x86_pmu_cpu::value if it is
 *	known
 */
void x86_count_free(struct x86_pmu_cpu *cpu, struct x86_count *count)
{
	int counter = count->counter;
	bool reprogramming = cpu->reprogramming;

	/*
	 * An NMI could call x86_reprogram(), and so give this counter, with its pending overflow,
	 * to other events. x86_pmu_cpu::reprogramming prevents that.
	 */
	WRITE_ONCE(cpu->reprogramming, true);
	barrier();
	x86_count_clear_owner(cpu, count);
	barrier();
	if (count->gen == cpu->gen && !(count->sel.config & ARCH_PERFMON_EVENTSEL_OS)) {
		cpu->value[counter] = count->total - count->offset;
		cpu->value_gen[counter] = cpu->gen;
		x86_check_late_nmi(cpu, cpu->value[counter]);
	} else if (!cpu->core->msrs->status) {
		x86_check_late_nmi(cpu, x86_read_counter(cpu->core, counter));
	}
	x86_count_release(cpu, count);
	barrier();
	WRITE_ONCE(cpu->reprogramming, reprogramming);
	/* Apply the changes that an NMI has deferred because of x86_pmu_cpu::reprogramming. */
	if (unlikely(READ_ONCE(cpu->needs_reprogram)) && !reprogramming && !cpu->disabled)
		x86_reprogram(cpu);
}

/**
 * x86_counts_detach_counters - save all counters in x86_count::total, and release them
 * @cpu: this CPU, whose registers are about to be lost
 *
 * Context: interrupts off.
 */
void x86_counts_detach_counters(struct x86_pmu_cpu *cpu)
{
	int i;

	cpu->released_claim = 0;
	for_each_x86_counter(i, cpu->core->counters) {
		struct x86_count *count = cpu->owner[i];

		if (count && count->nr_events)
			x86_count_detach_counter(cpu, count);
		else if (count)
			x86_count_free(cpu, count);
		cpu->value_gen[i] = 0;
	}
}

/**
 * x86_cpu_start - begin to use the registers of a CPU that is brought up, or resumes
 * @cpu: this CPU
 * @core: its PMU
 * @beside: the other thread of the core is online, and has reset the registers that both share
 *
 * Firmware may have left counters that are about to overflow. Perf has no event for such an
 * overflow, and the kernel would report its NMI as unknown. So the interrupt is unmasked last.
 *
 * Context: interrupts off.
 */
void x86_cpu_start(struct x86_pmu_cpu *cpu, struct x86_core *core, bool beside)
{
	lockdep_assert_irqs_disabled();
	/* Until @core is set, the driver handles no interrupt. */
	cpu->core = core;
	if (core->msrs->shared && !beside)
		x86_set_selects_unknown(cpu);
	x86_reset_registers(cpu);
	x86_branch_reset(cpu);
	x86_ds_reset(cpu);
	x86_unmask_lvtpc();
}

/**
 * x86_cpu_stop - stop using the registers of a CPU that is suspended
 * @cpu: this CPU. Its events stay scheduled; x86_cpu_start() and x86_resume_reprogram()
 *	continue them
 *
 * The local APIC saves LVTPC after this function, and restores LVTPC before x86_cpu_start() resets
 * the counters, which firmware may have left running. So the interrupt is masked here. An NMI
 * before the masking leaves its changes to x86_resume_reprogram(), and does not program counters
 * again.
 *
 * No PEBS records wait in the buffer. Records wait only if their events exclude the kernel. User
 * space has been frozen, and x86_sched_task() has drained the buffer after the last task that ran
 * in user mode.
 *
 * Context: interrupts off.
 */
void x86_cpu_stop(struct x86_pmu_cpu *cpu)
{
	lockdep_assert_irqs_disabled();
	x86_defer_reprogram(cpu);
	x86_counts_detach_counters(cpu);
	x86_reset_registers(cpu);
	x86_bts_reset(cpu);
	x86_mask_lvtpc();
}

/**
 * x86_cpu_shutdown - halt and clear all counters before kexec
 * @cpu: this CPU
 *
 * Events that are scheduled later count nothing, and perfctr can reserve no counters any more.
 *
 * Context: interrupts off.
 */
void x86_cpu_shutdown(struct x86_pmu_cpu *cpu)
{
	lockdep_assert_irqs_disabled();
	/* perfctr reads its counters before they are cleared. */
	if (cpu->claimed)
		perfctr_cpu_revoke();
	WRITE_ONCE(cpu->shutdown, true);
	barrier();
	x86_counts_detach_counters(cpu);
	x86_reset_registers(cpu);
	x86_branch_reset(cpu);
	x86_ds_reset(cpu);
	x86_leave_registers(cpu);
}

/**
 * x86_cpu_crash_shutdown - halt and clear all counters after a crash
 * @cpu: this CPU
 *
 * The crash may have interrupted the driver anywhere, and the interrupted code never continues. So
 * the registers are written, and no other state of the driver is used, which may be inconsistent.
 *
 * Context: interrupts off, or NMI. Takes no lock.
 */
void x86_cpu_crash_shutdown(struct x86_pmu_cpu *cpu)
{
	WRITE_ONCE(cpu->shutdown, true);
	barrier();
	x86_reset_registers(cpu);
	x86_branch_reset(cpu);
	x86_ds_reset(cpu);
	x86_leave_registers(cpu);
}

static u64 x86_count_select(struct x86_pmu_cpu *cpu, const struct x86_count *count, bool runs)
{
	const struct x86_pmu_msrs *msrs = cpu->core->msrs;
	u64 select = count->sel.config & ~cpu->select_clear;

	return runs || msrs->control ? select | msrs->run : select & ~msrs->halt;
}

/* The upper counter of a pair counts the carries of the lower one. */
static void x86_attach_upper(struct x86_pmu_cpu *cpu, int upper)
{
	const struct x86_core *core = cpu->core;

	WRITE_ONCE(cpu->upper, cpu->upper | BIT_ULL(upper));
	x86_write_select(cpu, upper, core->model->merge | core->msrs->run);
	cpu->cleared &= ~BIT_ULL(upper);
	cpu->value_gen[upper] = 0;
}

/* Use the counter assigned to @count. The counter keeps its value if x86_is_armed(). */
static void x86_count_attach_counter(struct x86_pmu_cpu *cpu, struct x86_count *count)
{
	const struct x86_core *core = cpu->core;
	int counter = count->assigned;
	bool pair = count->sel.flags & X86_PAIR, known;
	u64 value, distance;

	if (pair)
		x86_attach_upper(cpu, counter + 1);
	if (!x86_counter_is_fixed(counter))
		x86_write_select(cpu, counter, x86_count_select(cpu, count, x86_count_runs(count)));
	known = cpu->value_gen[counter] == cpu->gen;
	value = known ? cpu->value[counter] : x86_read_counter(core, counter);
	if (count->sel.flags & X86_METRICS ||
	    !x86_is_armed(count, core, count->total - value, count->total)) {
		/*
		 * Without a status register, a counter near its overflow, such as the former upper
		 * counter of a pair, may have caused an NMI since the select was written. If the
		 * value is known, x86_count_free() has checked it.
		 */
		if (!known && !core->msrs->status)
			x86_check_late_nmi(cpu, value);
		distance = x86_distance(count, core, count->total);
		value = -distance;
		x86_pause_select(cpu, counter);
		x86_write_counter(cpu, counter, value);
		x86_clear_sticky_overflow(cpu, counter);
	}
	if (count->sel.flags & X86_METRICS) {
		cpu->cleared &= ~X86_METRICS_RUN;
		x86_metrics_restart(count);
	}
	if (pair)
		x86_write_upper(cpu, counter + 1);
	cpu->cleared &= ~BIT_ULL(counter);
	cpu->value_gen[counter] = 0;
	count->offset = count->total - value;
	barrier();
	WRITE_ONCE(count->counter, counter);
	barrier();
	if (x86_is_checkpointed(core, count))
		WRITE_ONCE(cpu->checkpointed, cpu->checkpointed | BIT_ULL(counter));
	WRITE_ONCE(cpu->owner[counter], count);
	if (pair)
		WRITE_ONCE(cpu->owner[counter + 1], count);
	x86_count_update_pages(count);
}

/* Program the control bits of fixed counters. @attaching: mask of x86_pmu_cpu::counts */
static void x86_select_fixed(struct x86_pmu_cpu *cpu, u64 attaching)
{
	u64 control = cpu->fixed_control;
	int i;

	for_each_x86_counter(i, attaching) {
		const struct x86_count *count = &cpu->counts[i];
		int n = count->assigned - INTEL_PMC_IDX_FIXED;
		u64 bits;

		if (n < 0)
			continue;
		bits = x86_fixed_select(count->sel.config & ~cpu->select_clear);
		control &= ~intel_fixed_bits_by_idx(n, x86_fixed_bits(cpu->core));
		control |= intel_fixed_bits_by_idx(n, bits);
	}
	if (cpu->core->msrs->fixed_control)
		x86_write_fixed_control(cpu, control);
}

/* Take the counters assigned to @count from other events. */
static void x86_make_room(struct x86_pmu_cpu *cpu, const struct x86_count *count)
{
	int i;

	for_each_x86_counter(i, x86_count_counters(count, count->assigned)) {
		struct x86_count *there = cpu->owner[i];

		if (there && there->nr_events)
			x86_count_detach_counter(cpu, there);
		else if (there)
			x86_count_free(cpu, there);
	}
}

/* Move events to the counters assigned. */
static void x86_move_counts(struct x86_pmu_cpu *cpu)
{
	u64 attaching = 0, used = cpu->used, counters = 0;
	bool general = false;
	int i;

	for_each_x86_counter(i, used) {
		struct x86_count *count = &cpu->counts[i];

		if (!count->nr_events || count->assigned == count->counter || count->assigned < 0)
			continue;
		if (count->counter >= 0)
			x86_count_detach_counter(cpu, count);
		x86_make_room(cpu, count);
		attaching |= BIT_ULL(i);
		counters |= x86_count_counters(count, count->assigned);
		general |= !x86_counter_is_fixed(count->assigned);
	}
	if (!attaching)
		return;
	x86_unmask_lvtpc();
	x86_unignore_overflows(cpu, counters);
	for_each_x86_counter(i, attaching) {
		if (cpu->counts[i].extra)
			x86_extra_write(cpu, cpu->counts[i].extra);
	}
	if (general && cpu->core->model->erratum_selects)
		x86_write_erratum_selects(cpu);
	x86_select_fixed(cpu, attaching);
	for_each_x86_counter(i, attaching)
		x86_count_attach_counter(cpu, &cpu->counts[i]);
}

/*
 * Returns the mask of the counters to run, and reprograms counters where the next overflow of an
 * event has changed.
 */
static u64 x86_prepare_running(struct x86_pmu_cpu *cpu)
{
	u64 running = 0, guest_only = 0, host_only = 0;
	int i;

	for_each_x86_counter(i, cpu->used) {
		struct x86_count *count = &cpu->counts[i];
		u64 bits;

		if (!count->nr_events || count->counter < 0 || !x86_count_runs(count))
			continue;
		/* Other events may have used the extra register meanwhile. */
		if (count->extra)
			x86_extra_write(cpu, count->extra);
		bits = x86_count_counters(count, count->counter);
		if (count->sel.flags & X86_METRICS)
			bits |= X86_METRICS_RUN;
		running |= bits;
		if (count->sel.flags & X86_GUEST_ONLY)
			guest_only |= bits;
		if (count->sel.flags & X86_HOST_ONLY)
			host_only |= bits;
		if (!x86_is_armed(count, cpu->core, count->offset, x86_count_read(cpu, count))) {
			x86_precise_pause(cpu, count);
			x86_check_late_nmi(cpu, x86_count_set_period(cpu, count));
			x86_count_update_pages(count);
		}
	}
	cpu->guest_only = guest_only;
	cpu->host_only = host_only;
	return running;
}

/*
 * Without global control, the select of a counter enables it. The upper counter of a pair may
 * always be enabled: it counts only with the lower one.
 */
static void x86_run_by_selects(struct x86_pmu_cpu *cpu, u64 running)
{
	const struct x86_pmu_msrs *msrs = cpu->core->msrs;
	int i;

	for_each_x86_counter(i, cpu->core->counters & ~cpu->upper) {
		const struct x86_count *count = cpu->owner[i];

		if (running & cpu->claimed & BIT_ULL(i))
			x86_write_select(cpu, i, cpu->select[i] | msrs->run);
		else if (running & BIT_ULL(i))
			x86_write_select(cpu, i, x86_count_select(cpu, count, true));
		else
			x86_write_select(cpu, i, cpu->select[i] & ~msrs->halt);
	}
}

/*
 * Release counters that no longer have a northbridge event, so that other CPUs of the northbridge
 * can take them. Their selects are not kept for reuse.
 */
static void x86_amd_nb_put_unused(struct x86_pmu_cpu *cpu)
{
	u64 keep = 0;
	int i;

	cpu->nb_changed = false;
	for_each_x86_counter(i, cpu->used) {
		struct x86_count *count = &cpu->counts[i];
		int counter = count->counter;

		if (!(count->sel.flags & X86_AMD_NB) || counter < 0)
			continue;
		if (count->nr_events) {
			keep |= BIT_ULL(counter);
			continue;
		}
		x86_count_free(cpu, count);
		x86_write_select(cpu, counter, 0);
	}
	x86_amd_nb_put_others(cpu, keep);
}

/*
 * For threads that share all registers: free the selects kept on unused counters, which the other
 * thread may use from now on. The selects are 0 in the shadow and the counters are marked as clean,
 * so this thread writes neither until one of its events has the counter again.
 */
static void x86_put_unused_counters(struct x86_pmu_cpu *cpu)
{
	u64 unused = cpu->core->counters & ~cpu->assigned_mask & ~cpu->claimed;
	int i;

	for_each_x86_counter(i, unused) {
		if (!cpu->select[i])
			continue;
		if (cpu->owner[i])
			x86_count_free(cpu, cpu->owner[i]);
		x86_write_select(cpu, i, 0);
		x86_clear_counters(cpu, BIT_ULL(i));
	}
}

/*
 * Release the counter that the microcode uses, unless an event or perfctr needs the counter. From
 * now on the microcode may change the counter and the select. So no select is kept for reuse on the
 * counter, and the next event writes the select again.
 */
static void x86_put_tfa_counters(struct x86_pmu_cpu *cpu)
{
	u64 used = cpu->assigned_mask | cpu->claimed;
	int i;

	for_each_x86_counter(i, cpu->force_abort ? cpu->core->tfa_counters & ~used : 0) {
		struct x86_count *count = cpu->owner[i];

		if (count && count->nr_events)
			x86_count_detach_counter(cpu, count);
		else if (count)
			x86_count_free(cpu, count);
		x86_write_select(cpu, i, 0);
		/* x86_force_abort() gives the counter to the microcode: clear it before. */
		if (count)
			x86_clear_counters(cpu, BIT_ULL(i));
	}
	x86_force_abort(cpu, used);
}

/*
 * Release the registers that this CPU does not use any more. All registers are programmed, so
 * counters without events are stopped.
 */
static void x86_excl_put_unused(struct x86_pmu_cpu *cpu)
{
	struct x86_excl_thread used = { .used = cpu->assigned_mask | cpu->claimed };
	int i;

	if (cpu->core->msrs->shared)
		x86_put_unused_counters(cpu);
	for_each_x86_counter(i, cpu->used) {
		const struct x86_count *count = &cpu->counts[i];

		if (!count->nr_events || count->counter < 0)
			continue;
		if (count->sel.flags & X86_HT_ERRATUM)
			used.exclusive |= BIT_ULL(count->counter);
		if (count->sel.extra_idx >= 0)
			used.extra |= BIT_ULL(count->sel.extra_idx);
		used.common |= count->sel.common;
	}
	x86_excl_put_others(cpu, &used);
}

/*
 * Are there changes to be applied? The release of counters takes a lock, so an NMI that applies
 * changes leaves the release to the interrupted code.
 */
static bool x86_has_changes(const struct x86_pmu_cpu *cpu)
{
	return READ_ONCE(cpu->needs_reprogram) || (cpu->excl && cpu->excl_changed && !in_nmi());
}

/**
 * x86_reprogram - program the registers of this CPU for the counters assigned to events
 * @cpu: this CPU
 *
 * An NMI may stop events meanwhile, or find an overflow of a counter that is being programmed. Then
 * the NMI sets x86_pmu_cpu::needs_reprogram, which repeats the loop. The loop ends: NMIs are
 * throttled, and a counter that has missed its overflow does not overflow again within one round.
 *
 * Context: interrupts off, or NMI.
 */
void x86_reprogram(struct x86_pmu_cpu *cpu)
{
	bool again = false;
	u64 running;

	if (cpu->reprogramming || cpu->shutdown)
		return;
	cpu->reprogramming = true;
	while (x86_has_changes(cpu)) {
		/* Totals read before the NMI are outdated. */
		if (again)
			cpu->gen++;
		again = true;
		cpu->needs_reprogram = false;
		cpu->released_claim = 0;
		barrier();
		if (cpu->assigned_mask & cpu->core->tfa_counters)
			x86_force_abort(cpu, cpu->assigned_mask);
		x86_precise_disable_moved(cpu);
		x86_move_counts(cpu);
		running = x86_prepare_running(cpu) | READ_ONCE(cpu->claim_running);
		x86_precise_reprogram(cpu);
		if (unlikely(cpu->running & ~running) && x86_in_kernel_thread())
			cpu->counted_kernel |= x86_kernel_counters(cpu, cpu->running & ~running &
								   cpu->core->counters);
		cpu->running = running;
		if (cpu->core->msrs->control)
			x86_write_global_ctrl(cpu, running & ~cpu->guest_only);
		else
			x86_run_by_selects(cpu, running & ~cpu->guest_only);
		if (cpu->core->tfa_counters)
			x86_put_tfa_counters(cpu);
		/* An NMI does not attach, detach or move events. */
		if (cpu->nb_changed && !in_nmi())
			x86_amd_nb_put_unused(cpu);
		if (cpu->excl && cpu->excl_changed && !in_nmi())
			x86_excl_put_unused(cpu);
		barrier();
	}
	cpu->reprogramming = false;
}
