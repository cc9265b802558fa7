// SPDX-License-Identifier: GPL-2.0
/*
 * struct x86_count: an event select that is counted on one CPU, its total, and the events that
 * share its counter. Also the assignment of counters to all struct x86_count of a CPU.
 *
 * Context of all functions, unless noted: interrupts off, on the CPU of the struct x86_count.
 */
#include <linux/rculist.h>

#include "engine.h"

DEFINE_PER_CPU(struct x86_pmu_cpu, x86_pmu_cpu);

/*
 * Totals. An NMI may interrupt a change of a total: x86_count::seq is odd during a change.
 */

/**
 * x86_count_value - read x86_count::counter
 * @core: the PMU of this CPU
 * @count: has a counter
 *
 * Context: any.
 * Return: the value, negative up to the overflow.
 */
u64 x86_count_value(const struct x86_core *core, const struct x86_count *count)
{
	u64 value = x86_read_counter(core, count->counter);

	return count->sel.flags & X86_METRICS ? x86_metrics_value(core, count, value) : value;
}

static u64 x86_count_read_now(struct x86_pmu_cpu *cpu, const struct x86_count *count)
{
	unsigned int seq;
	int counter;
	u64 total;

	/*
	 * While PEBS records are handled, the total of a reloaded counter is incomplete: an NMI
	 * uses the last total.
	 */
	if (count->reload && READ_ONCE(cpu->precise.draining))
		return READ_ONCE(count->total);
	do {
		seq = READ_ONCE(count->seq);
		barrier();
		counter = READ_ONCE(count->counter);
		if (counter < 0 || (seq & 1))
			return READ_ONCE(count->total);
		total = READ_ONCE(count->offset) + x86_count_value(cpu->core, count);
		barrier();
		/* Repeat if an NMI has programmed the counter, and changed the offset. */
	} while (seq != READ_ONCE(count->seq));
	if (count->reload)
		total += count->reload * x86_precise_pending(cpu, counter);
	return total;
}

/**
 * x86_count_read_new - compute x86_count::total from the counter
 * @cpu: this CPU
 * @count: one of x86_pmu_cpu::counts
 *
 * While the PMU is disabled or a group is read, the counter is read only once in a generation
 * (x86_pmu_cpu::gen), except by an NMI.
 *
 * Context: any, including NMI.
 * Return: the total.
 */
u64 x86_count_read_new(struct x86_pmu_cpu *cpu, struct x86_count *count)
{
	if (in_nmi() || !(cpu->disabled || cpu->txn))
		return x86_count_read_now(cpu, count);
	if (count->gen != cpu->gen) {
		WRITE_ONCE(count->total, x86_count_read_now(cpu, count));
		count->gen = cpu->gen;
	}
	return count->total;
}

/**
 * x86_event_update - update an event from its x86_count::total
 * @event: an event that is attached to a struct x86_count
 * @total: the total, read after the last update of the event
 *
 * An NMI may interrupt this function and update the event: each part is added only once.
 *
 * Context: any.
 */
void x86_event_update(struct perf_event *event, u64 total)
{
	struct hw_perf_event *hw = &event->hw;
	s64 before, n;

	before = local64_read(&hw->prev_count);
	do {
		n = total - before;
		if (n <= 0)
			return;
	} while (!local64_try_cmpxchg(&hw->prev_count, &before, total));
	local64_add(n, &event->count);
	local64_sub(n, &hw->period_left);
}

/**
 * x86_event_due - x86_count::total at which an event needs an overflow
 * @event: a sampling event that is attached to a struct x86_count
 *
 * This is the end of the event's period, or x86_event_brs_delay() before the end.
 *
 * Return: the total.
 */
u64 x86_event_due(const struct perf_event *event)
{
	s64 left = local64_read(&event->hw.period_left), delay = x86_event_brs_delay(event);

	if (unlikely(delay))
		left = max(left - delay, 0);
	return local64_read(&event->hw.prev_count) + left;
}

/**
 * x86_event_is_due - check whether an event's period has ended, or its overflow was due
 * @event: a sampling event that is attached to a struct x86_count, and updated
 *
 * Context: any.
 * Return: true if the event takes a sample now.
 */
bool x86_event_is_due(const struct perf_event *event)
{
	return local64_read(&event->hw.period_left) <= (s64)x86_event_brs_delay(event);
}

/**
 * x86_event_begin_period - start a new period if x86_event_is_due()
 * @event: a sampling event
 *
 * The new period starts at the end of the last one. If the new period would have ended, too, it
 * starts now instead.
 */
void x86_event_begin_period(struct perf_event *event)
{
	struct hw_perf_event *hw = &event->hw;
	s64 left = local64_read(&hw->period_left), delay = x86_event_brs_delay(event);

	if (left > delay)
		return;
	left += hw->sample_period;
	if (left <= delay)
		left = hw->sample_period;
	local64_set(&hw->period_left, left);
	hw->last_period = hw->sample_period;
}

/**
 * x86_count_runs - check whether any of x86_count::events is started
 * @count: one of x86_pmu_cpu::counts
 *
 * Return: true if an event is started.
 */
bool x86_count_runs(const struct x86_count *count)
{
	struct perf_event *event;

	list_for_each_entry_rcu(event, &count->events, active_entry, true) {
		if (x86_event_runs(event))
			return true;
	}
	return false;
}

/**
 * x86_count_set_next_overflow - set the total at which the first event needs an interrupt
 * @count: receives x86_count::next_overflow
 *
 * Walks all events, at most X86_COUNT_EVENTS_MAX.
 */
void x86_count_set_next_overflow(struct x86_count *count)
{
	struct perf_event *event;
	u64 next = U64_MAX;

	list_for_each_entry_rcu(event, &count->events, active_entry, true) {
		if (is_sampling_event(event) && x86_event_runs(event))
			next = min(next, x86_event_due(event));
	}
	WRITE_ONCE(count->next_overflow, next);
}

/**
 * x86_count_clear_owner - clear x86_pmu_cpu::owner of x86_count::counter
 * @cpu: this CPU
 * @count: has a counter
 *
 * The counter may run on, but the upper counter of a pair is stopped.
 */
void x86_count_clear_owner(struct x86_pmu_cpu *cpu, struct x86_count *count)
{
	int counter = count->counter, upper = counter + 1;

	WRITE_ONCE(cpu->owner[counter], NULL);
	WRITE_ONCE(cpu->checkpointed, cpu->checkpointed & ~BIT_ULL(counter));
	if (!(count->sel.flags & X86_PAIR))
		return;
	WRITE_ONCE(cpu->owner[upper], NULL);
	x86_write_select(cpu, upper, 0);
	WRITE_ONCE(cpu->upper, cpu->upper & ~BIT_ULL(upper));
}

/*
 * Reprogram a counter that may contain counts of other tasks. A counter whose overflow is set to
 * the end of a sampling period holds only the distance to this end, and is not reprogrammed.
 */
static void x86_count_reprogram(struct x86_pmu_cpu *cpu, struct x86_count *count)
{
	if (count->next_overflow == U64_MAX || count->offset != count->next_overflow) {
		if (x86_precise_enabled(cpu) & BIT_ULL(count->counter)) {
			x86_precise_pause(cpu, count);
			WRITE_ONCE(cpu->needs_reprogram, true);
		}
		x86_check_late_nmi(cpu, x86_count_set_period(cpu, count));
		/*
		 * If an NMI has left an overflow of the counter unhandled, x86_prepare_running()
		 * must find it: invalidate the total, so that the counter is read again.
		 */
		count->gen = 0;
	}
	x86_count_update_pages(count);
}

/* Clear counters that may contain counts of other tasks, except counters reserved by perfctr. */
static void x86_clear(struct x86_pmu_cpu *cpu, u64 counters)
{
	u64 left = cpu->running & ~cpu->assigned_mask & ~cpu->claimed & cpu->core->counters &
		   counters;
	bool reprogramming = cpu->reprogramming, unknown;
	u64 to_clear;
	int i;

	/* A VM exit may have started counters that are not in x86_pmu_cpu::running. */
	if (unlikely(cpu->guest_ran))
		x86_set_global_ctrl_unknown(cpu);
	/* Still set if the PMU has been disabled since an earlier call. */
	unknown = READ_ONCE(cpu->control_unknown);
	if (left || unknown) {
		WRITE_ONCE(cpu->needs_reprogram, true);
		if (!cpu->disabled)
			x86_reprogram(cpu);
	}
	/* Drain PEBS records before their counters are programmed. */
	if (cpu->precise.enabled)
		x86_precise_drain(cpu, NULL);
	to_clear = counters & ~cpu->cleared & ~cpu->claimed;
	WRITE_ONCE(cpu->reprogramming, true);
	barrier();
	for_each_x86_counter(i, to_clear & cpu->core->counters) {
		struct x86_count *count = cpu->owner[i];

		if (!count)
			continue;
		if (count->nr_events) {
			to_clear &= ~BIT_ULL(i);
			if (count->sel.flags & X86_METRICS)
				to_clear &= ~X86_METRICS_RUN;
			if (count->counter == i)
				x86_count_reprogram(cpu, count);
			continue;
		}
		if (count->sel.flags & X86_METRICS)
			to_clear |= X86_METRICS_RUN;
		/* After x86_count_free(), x86_amd_nb_put_unused() does not clear the select. */
		x86_count_free(cpu, count);
		if (count->sel.flags & X86_AMD_NB)
			x86_write_select(cpu, i, 0);
	}
	x86_clear_counters(cpu, to_clear);
	/*
	 * If the PMU is disabled, counters that are to stop, or to count another event, run until
	 * the PMU is enabled. So these counters are not clean, and are cleared again the next time.
	 * After a VM exit any counter may run.
	 */
	if (cpu->disabled)
		cpu->cleared &= unknown ? 0 : ~cpu->running;
	if (IS_ENABLED(CONFIG_PERF_EVENTS_CHECK_REGISTERS))
		x86_check_clean(cpu);
	cpu->counted_kernel &= ~counters | cpu->claimed;
	barrier();
	WRITE_ONCE(cpu->reprogramming, reprogramming);
	/* Apply the changes that an NMI has deferred because of x86_pmu_cpu::reprogramming. */
	if (unlikely(READ_ONCE(cpu->needs_reprogram)) && !reprogramming && !cpu->disabled)
		x86_reprogram(cpu);
}

/**
 * x86_clear_unused - clear all counters that may contain counts of other tasks
 * @cpu: this CPU
 *
 * Otherwise the next process that may read counters would see these counts. A counter that perfctr
 * has released, but that still runs, is stopped, too. Counters of active events are reprogrammed.
 * Counters reserved by perfctr are left to perfctr_cpu_update_readable() and perfctr_cpu_hide().
 */
void x86_clear_unused(struct x86_pmu_cpu *cpu)
{
	x86_clear(cpu, x86_clearable(cpu->core));
}

/**
 * x86_clear_kernel - clear counters that may contain counts of a kernel thread
 * @cpu: this CPU, with no counter reserved by perfctr
 *
 * Called after a kernel thread, before a process that may read counters. The thread may have worked
 * for another process. Since x86_clear_unused(), the CPU has run only this process and kernel
 * threads. So counters that do not count the kernel contain only the process' own counts, and are
 * not changed, unless a guest has run.
 */
void x86_clear_kernel(struct x86_pmu_cpu *cpu)
{
	u64 counters;

	if (unlikely(cpu->guest_ran))
		x86_set_global_ctrl_unknown(cpu);
	counters = x86_kernel_counters(cpu, cpu->running & cpu->core->counters) |
		   cpu->counted_kernel;
	/* Return early in the common case, since x86_metrics_counter() searches a table. */
	if (!counters)
		return;
	/*
	 * The counter of slots may have other events by now, such as sampled slots. Its metrics are
	 * still readable.
	 */
	if (cpu->core->metrics && (counters & x86_metrics_counter(cpu->core)))
		counters |= X86_METRICS_RUN;
	x86_clear(cpu, counters);
}

/* Attaching events to struct x86_count */

/* Find a struct x86_count with this select, to share or to reuse. Sets @full if one is full. */
static struct x86_count *x86_find_count(struct x86_pmu_cpu *cpu, const struct x86_event_sel *sel,
					bool samples, bool *full)
{
	unsigned int most = sel->flags & X86_UNSHARED ? 1 : X86_COUNT_EVENTS_MAX;
	int i;

	for_each_x86_counter(i, cpu->used) {
		struct x86_count *count = &cpu->counts[i];

		if (!x86_event_sels_equal(&count->sel, sel))
			continue;
		if (count->nr_events < most &&
		    (!samples || count->nr_sampling < X86_COUNT_SAMPLING_MAX))
			return count;
		*full = true;
	}
	return NULL;
}

static struct x86_count *x86_new_count(struct x86_pmu_cpu *cpu, const struct x86_event_sel *sel)
{
	struct x86_count *count;
	int i;

	if (!~cpu->used)
		return NULL;
	i = __ffs64(~cpu->used);
	count = &cpu->counts[i];
	cpu->last_id = (cpu->last_id | (X86_COUNTS_MAX - 1)) + 1 + i;
	*count = (struct x86_count){
		.id = cpu->last_id, .sel = *sel, .counter = -1, .assigned = -1,
		.next_overflow = U64_MAX,
	};
	INIT_LIST_HEAD(&count->events);
	cpu->used |= BIT_ULL(i);
	return count;
}

/**
 * x86_count_release - make an element of x86_pmu_cpu::counts available
 * @cpu: this CPU
 * @count: has no events and no counter
 *
 * Context: interrupts off, or NMI.
 */
void x86_count_release(struct x86_pmu_cpu *cpu, struct x86_count *count)
{
	count->id = 0;
	cpu->used &= ~BIT_ULL(count - cpu->counts);
}

/*
 * May an event find @count by hw.last_tag, without computing its select? Only if the select depends
 * on the event alone: an extra register depends on other events, and x86_core::tfa_counters on a
 * setting. With x86_pmu_cpu::excl, a counter must be assigned anyway. With X86_UNSHARED, @count may
 * be full, which x86_last_count() does not check. A duplicate is not found this way: its events are
 * added to the first struct x86_count of the select as soon as that has room.
 */
static bool x86_count_is_reusable(const struct x86_pmu_cpu *cpu, const struct x86_count *count)
{
	return count->sel.extra_idx < 0 && !(count->sel.flags & X86_UNSHARED) &&
	       !count->duplicate && !cpu->core->tfa_counters && !cpu->excl;
}

/*
 * Find the struct x86_count that the event had last on this CPU, NULL if it was freed or is full.
 * Other events may have used it since.
 */
static struct x86_count *x86_last_count(struct x86_pmu_cpu *cpu, const struct perf_event *event,
					bool samples)
{
	u64 id = event->hw.last_tag;
	struct x86_count *count = &cpu->counts[id % X86_COUNTS_MAX];

	if (!id || count->id != id || event->hw.last_cpu != raw_smp_processor_id() ||
	    !READ_ONCE(x86_share))
		return NULL;
	if (count->nr_events >= X86_COUNT_EVENTS_MAX ||
	    (samples && count->nr_sampling >= X86_COUNT_SAMPLING_MAX))
		return NULL;
	return count;
}

static void x86_put_extra(struct x86_pmu_cpu *cpu, const struct x86_event_sel *sel,
			  struct x86_extra_reg *extra)
{
	if (extra)
		x86_count_put_extra(cpu, &cpu->core->model->extra[sel->extra_idx], extra);
}

/*
 * Find or allocate the struct x86_count of an event's select; sets @found, with the extra register
 * taken. Return: as x86_count_attach().
 */
static noinline int x86_select_count(struct x86_pmu_cpu *cpu, struct perf_event *event,
				     bool samples, struct x86_count **found)
{
	struct x86_extra_reg *extra = NULL;
	struct x86_count *count;
	struct x86_event_sel sel;
	bool full = false;
	int err;

	err = x86_event_get_sel(event, &sel);
	if (err)
		return err;
	if (sel.extra_idx >= 0) {
		extra = x86_count_get_extra(cpu, &cpu->core->model->extra[sel.extra_idx], &sel);
		if (!extra)
			return -EAGAIN;
	}
	count = x86_find_count(cpu, &sel, samples, &full);
	if (!count) {
		count = x86_new_count(cpu, &sel);
		if (!count) {
			x86_put_extra(cpu, &sel, extra);
			return -EAGAIN;
		}
		count->duplicate = full;
	}
	if (count->nr_events)
		/* The other events have taken the register already. */
		x86_put_extra(cpu, &sel, extra);
	else
		count->extra = extra;
	event->hw.last_cpu = raw_smp_processor_id();
	event->hw.last_tag = x86_count_is_reusable(cpu, count) ? count->id : 0;
	*found = count;
	return 0;
}

/**
 * x86_count_attach - add an event to the struct x86_count of its select
 * @cpu: this CPU
 * @event: an event that is not attached; it is not counted before x86_event_start()
 *
 * Sets x86_pmu_cpu::needs_assign if a counter must be assigned: see x86_counts_assign().
 *
 * Return: 0 on success, -EAGAIN if all of x86_pmu_cpu::counts are in use or an extra register is in
 * use with another value, -EINVAL if no counter can count the event.
 */
int x86_count_attach(struct x86_pmu_cpu *cpu, struct perf_event *event)
{
	bool samples = is_sampling_event(event);
	struct x86_count *count;
	int err;

	/* With the PMU enabled, an NMI could free the result of x86_last_count(). */
	WARN_ON_ONCE(!cpu->disabled);
	count = x86_last_count(cpu, event, samples);
	if (!count) {
		err = x86_select_count(cpu, event, samples, &count);
		if (err)
			return err;
	}
	if (!count->nr_events++) {
		/* Reuse the counter kept in @count, unless the core's other thread may use it. */
		if (count->counter >= 0 && !cpu->excl &&
		    !((cpu->assigned_mask | cpu->claimed) &
		      x86_count_counters(count, count->counter))) {
			count->assigned = count->counter;
			cpu->assigned_mask |= x86_count_counters(count, count->counter);
		} else {
			count->assigned = -1;
			cpu->needs_assign = true;
		}
	}
	count->nr_sampling += samples;
	count->reload = x86_precise_reload(cpu, event);
	event->hw.idx = count->assigned;
	WRITE_ONCE(event->hw.event_base, (unsigned long)count);
	list_add_rcu(&event->active_entry, &count->events);
	return 0;
}

/**
 * x86_count_detach - undo x86_count_attach()
 * @cpu: this CPU
 * @event: the event, stopped and updated
 */
void x86_count_detach(struct x86_pmu_cpu *cpu, struct perf_event *event)
{
	struct x86_count *count = x86_event_count(event);

	list_del_rcu(&event->active_entry);
	WRITE_ONCE(event->hw.event_base, 0);
	event->hw.idx = -1;
	cpu->needs_reprogram = true;
	count->nr_sampling -= is_sampling_event(event);
	if (--count->nr_events)
		return;
	x86_put_extra(cpu, &count->sel, count->extra);
	count->extra = NULL;
	if (count->sel.flags & X86_AMD_NB)
		cpu->nb_changed = true;
	cpu->excl_changed = true;
	if (count->assigned >= 0)
		cpu->assigned_mask &= ~x86_count_counters(count, count->assigned);
	count->assigned = -1;
	if (count->counter < 0)
		x86_count_release(cpu, count);
}

/* Assign counters on which no other CPU of the northbridge has a northbridge event. */
static bool x86_assign_amd_nb(struct x86_pmu_cpu *cpu, u64 claimed, struct x86_count **counts,
			      struct x86_constraint *constraints, int n)
{
	u64 others, mine;
	s64 seen;
	int i;

	do {
		others = x86_amd_nb_used_elsewhere(cpu, &seen);
		for (i = 0; i < n; i++) {
			if (counts[i]->sel.flags & X86_AMD_NB)
				constraints[i].allowed =
					x86_count_allowed(counts[i], claimed | others);
		}
		if (!x86_assign_counters(constraints, n, 0))
			return false;
		for (i = 0, mine = 0; i < n; i++) {
			if (counts[i]->sel.flags & X86_AMD_NB)
				mine |= x86_constraint_counters(&constraints[i],
								constraints[i].assigned);
		}
	} while (!x86_amd_nb_get(cpu, seen, mine));
	cpu->nb_changed = true;
	return true;
}

/*
 * A counter that @count keeps is not programmed again, so write its index to the page of a new
 * event.
 */
static void x86_update_page_index(struct x86_count *count)
{
	const struct perf_event *newest;

	if (count->counter < 0 || count->assigned != count->counter)
		return;
	newest = list_first_or_null_rcu(&count->events, struct perf_event, active_entry);
	if (newest && newest->hw.idx != count->counter)
		x86_count_update_pages(count);
}

/* Is any of x86_count::events pinned? */
static bool x86_count_is_pinned(const struct x86_count *count)
{
	struct perf_event *event;

	list_for_each_entry_rcu(event, &count->events, active_entry, true) {
		if (event->group_leader->attr.pinned)
			return true;
	}
	return false;
}

/**
 * x86_counts_assign_unclaimed - assign counters to all events
 * @cpu: this CPU
 * @claimed: mask of the counters not to be assigned: those reserved by perfctr
 * @pinned_only: assign counters only to pinned events, and events that share their counters. Perf
 *	removes all other events before the registers are programmed
 *
 * Events keep their counters if possible. No register is written. Counters that the core's other
 * thread or other CPUs of the northbridge must not use are reserved until x86_reprogram().
 *
 * Return: 0 on success, -EAGAIN if there are not enough counters, with nothing changed.
 */
int x86_counts_assign_unclaimed(struct x86_pmu_cpu *cpu, u64 claimed, bool pinned_only)
{
	struct x86_constraint constraints[X86_COUNTERS_MAX];
	struct x86_count *counts[X86_COUNTERS_MAX];
	bool has_amd_nb = false, found;
	u64 assigned = 0;
	int i, n = 0;

	for_each_x86_counter(i, cpu->used) {
		if (!cpu->counts[i].nr_events ||
		    (pinned_only && !x86_count_is_pinned(&cpu->counts[i])))
			continue;
		has_amd_nb |= cpu->counts[i].sel.flags & X86_AMD_NB;
		counts[n] = &cpu->counts[i];
		constraints[n] = (struct x86_constraint){
			.allowed = x86_count_allowed(counts[n], claimed),
			.now = counts[n]->counter,
			.pair = counts[n]->sel.flags & X86_PAIR,
		};
		n++;
	}
	if (cpu->excl)
		found = x86_counts_assign_excl(cpu, claimed, counts, constraints, n);
	else if (has_amd_nb)
		found = x86_assign_amd_nb(cpu, claimed, counts, constraints, n);
	else
		found = x86_assign_counters(constraints, n, GENMASK_ULL(63, INTEL_PMC_IDX_FIXED));
	if (!found)
		return -EAGAIN;
	if (pinned_only) {
		for_each_x86_counter(i, cpu->used)
			cpu->counts[i].assigned = -1;
	}
	for (i = 0; i < n; i++) {
		counts[i]->assigned = constraints[i].assigned;
		x86_update_page_index(counts[i]);
		assigned |= x86_constraint_counters(&constraints[i], constraints[i].assigned);
	}
	cpu->assigned_mask = assigned;
	cpu->needs_assign = false;
	cpu->needs_reprogram = true;
	return 0;
}

/* Has a pinned event no counter assigned? */
static bool x86_has_unassigned_pinned(const struct x86_pmu_cpu *cpu)
{
	int i;

	for_each_x86_counter(i, cpu->used) {
		const struct x86_count *count = &cpu->counts[i];

		if (count->nr_events && count->assigned < 0 && x86_count_is_pinned(count))
			return true;
	}
	return false;
}

/**
 * x86_counts_assign - assign counters to all events
 * @cpu: this CPU, whose PMU is disabled
 *
 * If pinned events need counters reserved by perfctr, the reservation ends: perfctr's user may lack
 * permission to disable these events.
 *
 * Return: as x86_counts_assign_unclaimed().
 */
int x86_counts_assign(struct x86_pmu_cpu *cpu)
{
	int err = x86_counts_assign_unclaimed(cpu, cpu->claimed, false);

	if (unlikely(err && cpu->claimed) && x86_has_unassigned_pinned(cpu)) {
		err = x86_counts_assign_unclaimed(cpu, 0, false);
		if (!err)
			x86_claim_revoke(cpu);
	}
	return err;
}
