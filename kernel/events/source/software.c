// SPDX-License-Identifier: GPL-2.0
/*
 * Software events: page faults, context switches and others that the kernel raises.
 *
 * An event site is a place in the kernel that raises an event, such as a call of perf_sw_event().
 * The site walks three lists for its event: the always-on events of this CPU, the software events
 * in groups that are scheduled in on this CPU, and the always-on events of the running task. No
 * context switch schedules an always-on event in or out, so these events cost nothing in a switch.
 */
#include <linux/hardirq.h>
#include <linux/perf_event.h>

#include "../delay.h"
#include "../internal.h"
#include "../overflow.h"
#include "../stats.h"
#include "../throttle.h"
#include "clock.h"
#include "software.h"

struct static_key_deferred perf_swevent_enabled[PERF_COUNT_SW_MAX];
EXPORT_SYMBOL_GPL(perf_swevent_enabled);

/* Registers for event sites that have none of their own, one set for each recursion level */
DEFINE_PER_CPU(struct pt_regs, __perf_regs[4]);

static __always_inline int perf_swevent_get_recursion_level(void)
{
	int level = 0;

	BUILD_BUG_ON(PERF_NR_CONTEXTS != 4);
	/* Most events occur in task context. */
	if (unlikely(preempt_count() & (NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET)))
		level = interrupt_context_level();
	if (unlikely(current->perf_recursion[level]))
		return -1;
	current->perf_recursion[level] = 1;
	barrier();
	return level;
}

/**
 * perf_swevent_get_recursion_context - begin to raise an event
 *
 * Fails if the event is nested in another event at the same level (task, softirq, hard interrupt or
 * NMI).
 *
 * Context: any.
 * Return: the level, for perf_swevent_put_recursion_context(), or -1
 */
int perf_swevent_get_recursion_context(void)
{
	return perf_swevent_get_recursion_level();
}
EXPORT_SYMBOL_GPL(perf_swevent_get_recursion_context);

/**
 * perf_swevent_put_recursion_context - undo perf_swevent_get_recursion_context()
 * @rctx: its return value, not -1
 */
void perf_swevent_put_recursion_context(int rctx)
{
	barrier();
	current->perf_recursion[rctx] = 0;
}

/**
 * perf_site_interrupted - has this interrupt interrupted an event site?
 *
 * Event sites walk the lists of this CPU and of the running task with preemption off but
 * interrupts on. During the walk only interrupts of this CPU change these lists. If an
 * interrupt removed an event and added it again, or added it to another list, the interrupted site
 * could find this event or others twice, and count one occurrence twice. So such changes must
 * wait for the end of the site. An interrupt may remove an event at any time, because the site
 * still finds the next event.
 *
 * Return: true in a hard interrupt that has interrupted an event site in a task or softirq
 */
bool perf_site_interrupted(void)
{
	const u8 *busy = current->perf_recursion;

	return in_hardirq() && (busy[0] || busy[1]);
}

/**
 * perf_event_excludes - does the event exclude the mode of an occurrence?
 * @event: the event
 * @regs: registers at the occurrence, or NULL if unknown
 *
 * Return: true if the event must not count the occurrence
 */
bool perf_event_excludes(const struct perf_event *event, struct pt_regs *regs)
{
	if (!regs)
		return false;
	return user_mode(regs) ? event->attr.exclude_user : event->attr.exclude_kernel;
}

/**
 * perf_swevent_set_period - begin the next period of a software event
 * @event: sampling event at the end of a period
 *
 * hw.period_left counts from minus the period up to zero.
 *
 * Context: any. The call may be interrupted by another call for the same event.
 * Return: number of periods that have passed; 0 if the interrupting call has returned them
 */
u64 perf_swevent_set_period(struct perf_event *event)
{
	atomic64_t *left = perf_atomic64(&event->hw.period_left);
	u64 period = READ_ONCE(event->hw.last_period), passed;
	s64 now = atomic64_read(left);

	/*
	 * Without a frequency, only perf_event_restart_period() changes the period, perhaps on
	 * another CPU at the same time. A store here could undo that change.
	 */
	if (event->attr.freq)
		event->hw.last_period = event->hw.sample_period;
	/* A 32-bit CPU may read half a new last_period. The next occurrence reads it again. */
	if (!IS_ENABLED(CONFIG_64BIT) && unlikely(!period))
		return 0;
	do {
		if (now < 0)
			return 0;
		passed = div64_u64(period + now, period);
	} while (!atomic64_try_cmpxchg(left, &now, now - (s64)(passed * period)));

	return passed;
}

/*
 * Write samples for the periods that have passed. Together they count as one interrupt. The event
 * site may hold the lock of the run queue until all samples are written, including those of other
 * events. So one call writes at most as many samples as are allowed per tick, even if ticks occur
 * meanwhile.
 */
static void perf_swevent_sample_periods(struct perf_event *event, u64 passed,
					struct perf_sample_data *data, struct pt_regs *regs)
{
	unsigned int flags = 0;
	u64 samples, left;

	if (perf_swevent_throttled(event) || unlikely(!passed))
		return;
	/*
	 * The caller has seen that the event is enabled, so the overflows must see the limit of the
	 * event. Pairs with perf_enable_add_overflows(), which may run on another CPU.
	 */
	smp_rmb();
	samples = perf_overflow_samples(event, passed);
	for (left = samples; left; left--) {
		if (__perf_event_overflow(event, flags, data, regs))
			return;
		flags = PERF_OVERFLOW_MAY_THROTTLE | PERF_OVERFLOW_AGAIN;
	}
	if (unlikely(passed > samples))
		perf_overflow_throttle(event);
}

/*
 * Count occurrences for a sampling event. With @atomic, other CPUs may store to event->count and
 * event->hw.period_left meanwhile.
 */
static __always_inline void perf_swevent_count_and_sample(struct perf_event *event, u64 nr,
							  struct perf_sample_data *data,
							  struct pt_regs *regs, bool atomic)
{
	local64_t *left = &event->hw.period_left;
	bool fixed = !event->attr.freq;

	if (atomic)
		atomic64_add(nr, perf_atomic64(&event->count));
	else
		local64_add(nr, &event->count);
	if (!regs)
		return;

	if (fixed && (event->attr.sample_type & PERF_SAMPLE_PERIOD)) {
		/* The period in the sample is the number of occurrences: write one sample. */
		data->period = nr;
		perf_swevent_sample_periods(event, 1, data, regs);
		return;
	}
	data->period = event->hw.last_period;
	if (fixed && event->hw.sample_period == 1 && nr == 1)
		perf_swevent_sample_periods(event, 1, data, regs);
	else if (!(atomic ? atomic64_add_negative(nr, perf_atomic64(left)) :
			    local64_add_negative(nr, left)))
		perf_swevent_sample_periods(event, perf_swevent_set_period(event), data, regs);
}

/**
 * perf_swevent_event - count occurrences for an event of a tracepoint or breakpoint
 * @event: active event that does not exclude the occurrence
 * @nr: number of occurrences
 * @data: sample; this function may set its period
 * @regs: registers, or NULL: only count
 *
 * A tracepoint may be about a task that does not run. It may count on the event's CPU while another
 * CPU resets the event or begins a new period. So the additions are atomic.
 *
 * Context: any, preemption is off.
 */
void perf_swevent_event(struct perf_event *event, u64 nr,
			struct perf_sample_data *data, struct pt_regs *regs)
{
	if (is_sampling_event(event))
		perf_swevent_count_and_sample(event, nr, data, regs, true);
	else
		atomic64_add(nr, perf_atomic64(&event->count));
}

/**
 * struct occurrence - occurrences that an event site reports
 * @nr: number of occurrences
 * @regs: registers
 * @addr: address, for samples
 */
struct occurrence {
	u64		nr;
	struct pt_regs	*regs;
	u64		addr;
};

static noinline void perf_swevent_hit_sampling(struct perf_event *event,
					       const struct occurrence *what)
{
	/* Not initialised, because it is large, and only fields that are set are read. */
	struct perf_sample_data sample __uninitialized;

	if (event->hw.state == PERF_HES_STOPPED)
		return;
	perf_sample_data_init(&sample, what->addr, 0);
	perf_swevent_count_and_sample(event, what->nr, &sample, what->regs, false);
}

static __always_inline void perf_swevent_hit(struct perf_event *event,
					     const struct occurrence *what)
{
	if (READ_ONCE(event->state) < PERF_EVENT_STATE_ACTIVE ||
	    perf_event_excludes(event, what->regs))
		return;
	perf_delay(SW_SEEN);
	if (likely(!is_sampling_event(event)))
		local64_add(what->nr, &event->count);
	else
		perf_swevent_hit_sampling(event, what);
}

/**
 * ___perf_sw_event - raise an event with preemption off
 * @event_id: PERF_COUNT_SW_*
 * @nr: number of occurrences
 * @regs: registers
 * @addr: address, for samples
 *
 * For sites that cannot nest, such as the scheduler's.
 */
void ___perf_sw_event(u32 event_id, u64 nr, struct pt_regs *regs, u64 addr)
{
	const struct occurrence what = { .nr = nr, .regs = regs, .addr = addr };
	const struct perf_cpu_context *here = this_cpu_context();
	const unsigned int list = event_id - PERF_SW_FIRST;
	const struct perf_event_context *task_ctx;
	struct perf_event *e;

	guard(rcu)();
	hlist_for_each_entry_rcu(e, &here->ctx.sw_lists[list], hlist_entry)
		perf_swevent_hit(e, &what);
	list_for_each_entry_rcu(e, &here->sw_active[list], hw.sw_entry)
		perf_swevent_hit(e, &what);
	task_ctx = perf_task_context(current);
	if (!task_ctx)
		return;
	hlist_for_each_entry_rcu(e, &task_ctx->sw_lists[list], hlist_entry)
		perf_swevent_hit(e, &what);
}

/**
 * __perf_sw_event - raise an event, if any event of this type is open
 * @event_id: PERF_COUNT_SW_*
 * @nr: number of occurrences
 * @regs: registers
 * @addr: address, for samples
 *
 * See perf_sw_event().
 *
 * Context: any.
 */
void __perf_sw_event(u32 event_id, u64 nr, struct pt_regs *regs, u64 addr)
{
	int rctx;

	guard(preempt_notrace)();
	rctx = perf_swevent_get_recursion_level();
	if (unlikely(rctx < 0)) {
		__this_cpu_inc(perf_cpu_stats.recursions);
		return;
	}
	___perf_sw_event(event_id, nr, regs, addr);
	perf_swevent_put_recursion_context(rctx);
}
EXPORT_SYMBOL_GPL(__perf_sw_event);

/**
 * perf_swevent_always_on_add - add an always-on event to the lists of the event sites
 * @event: event of an always-on group; its context's lock is held
 */
void perf_swevent_always_on_add(struct perf_event *event)
{
	lockdep_assert_held(&event->ctx->lock);
	if (!perf_swevent_has_site(event) || !hlist_unhashed(&event->hlist_entry))
		return;
	hlist_add_head_rcu(&event->hlist_entry,
			   &event->ctx->sw_lists[event->attr.config - PERF_SW_FIRST]);
}

/**
 * perf_swevent_always_on_after - get the next event in the lists of the event sites
 * @ctx: the context, whose lock is held
 * @node: perf_event::hlist_entry of an event in these lists, or NULL for the first event of all
 *
 * Return: perf_event::hlist_entry of the event after @node, or NULL
 */
struct hlist_node *perf_swevent_always_on_after(struct perf_event_context *ctx,
						struct hlist_node *node)
{
	u64 config = PERF_SW_FIRST;

	lockdep_assert_held(&ctx->lock);
	if (node) {
		if (node->next)
			return node->next;
		config = hlist_entry(node, struct perf_event, hlist_entry)->attr.config + 1;
	}
	for (; config < PERF_COUNT_SW_MAX; config++) {
		node = ctx->sw_lists[config - PERF_SW_FIRST].first;
		if (node && perf_swevent_config_has_site(config))
			return node;
	}
	return NULL;
}

/**
 * perf_swevent_always_on_del - undo perf_swevent_always_on_add()
 * @event: its context's lock is held
 *
 * Until a grace period has passed, an event site may still use the event.
 */
void perf_swevent_always_on_del(struct perf_event *event)
{
	struct hlist_node **cursor = perf_tick_cursor(event->ctx);

	lockdep_assert_held(&event->ctx->lock);
	if (unlikely(*cursor == &event->hlist_entry))
		*cursor = perf_swevent_always_on_after(event->ctx, *cursor);
	hlist_del_init_rcu(&event->hlist_entry);
}

static void swevent_destroy(struct perf_event *event)
{
	static_key_slow_dec_deferred(&perf_swevent_enabled[event->attr.config]);
}

static int swevent_init(struct perf_event *event)
{
	u64 id = event->attr.config;

	if (event->attr.type != PERF_TYPE_SOFTWARE)
		return -ENOENT;
	if (has_branch_stack(event))
		return -EOPNOTSUPP;
	if (id >= PERF_COUNT_SW_MAX)
		return -ENOENT;
	/* Clock events have PMUs of their own. Change the type, so that the core tries that PMU. */
	if (id < PERF_SW_FIRST) {
		event->attr.type = perf_clock_pmu_type(id);
		return -ENOENT;
	}

	/*
	 * Cgroup events must be scheduled, and two kinds of per-task events: BPF output, because it
	 * needs event->oncpu; and an event of a task on one CPU, because its running time differs
	 * from its enabled time.
	 */
	if (!event->cgrp && !(event->hw.target && (event->cpu >= 0 ||
						   id == PERF_COUNT_SW_BPF_OUTPUT)))
		event->event_caps |= PERF_EV_CAP_ALWAYS_ON;

	/* period_left of a software event counts up to zero. (That of hardware counts down.) */
	local64_set(&event->hw.period_left, -(s64)event->hw.sample_period);

	/* An inherited event needs no reference to the key: event->parent has one. */
	if (!event->parent) {
		static_key_slow_inc(&perf_swevent_enabled[id].key);
		event->destroy = swevent_destroy;
	}
	return 0;
}

static int swevent_add(struct perf_event *event, int flags)
{
	struct perf_cpu_context *here = this_cpu_context();

	list_add_rcu(&event->hw.sw_entry, &here->sw_active[event->attr.config - PERF_SW_FIRST]);
	perf_delay(SW_ACTIVE_ADDED);
	event->hw.state = flags & PERF_EF_START ? 0 : PERF_HES_STOPPED;
	perf_event_update_userpage(event);
	return 0;
}

static void swevent_del(struct perf_event *event, int flags)
{
	list_del_rcu(&event->hw.sw_entry);
	perf_delay(SW_ACTIVE_DELETED);
}

static void swevent_start(struct perf_event *event, int flags)
{
	event->hw.state = 0;
}

static void swevent_stop(struct perf_event *event, int flags)
{
	event->hw.state = PERF_HES_STOPPED;
}

static void swevent_read(struct perf_event *event)
{
}

static struct pmu perf_software_pmu = {
	.task_ctx_nr	= perf_sw_context,
	.capabilities	= PERF_PMU_CAP_NO_NMI,
	.event_init	= swevent_init,
	.add		= swevent_add,
	.del		= swevent_del,
	.start		= swevent_start,
	.stop		= swevent_stop,
	.read		= swevent_read,
};

/**
 * perf_swevent_pmu_init - register the software PMU
 */
void __init perf_swevent_pmu_init(void)
{
	int id;

	/* If events are opened and closed in turn, the rate limit avoids repeated code patching. */
	for (id = 0; id < PERF_COUNT_SW_MAX; id++)
		jump_label_rate_limit(&perf_swevent_enabled[id], HZ);
	WARN_ON(perf_pmu_register(&perf_software_pmu, "software", PERF_TYPE_SOFTWARE));
}

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
#include "../tests/software_test.c"
#endif
