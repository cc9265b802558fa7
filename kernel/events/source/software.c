// SPDX-License-Identifier: GPL-2.0
/*
 * Software events: page faults, context switches and the others that the
 * kernel raises itself.
 *
 * A site looks at three lists for its kind of event: the resident events of this
 * CPU, the software members of groups that are scheduled on this CPU, and the
 * resident events of the running task. So resident events cost nothing at a task
 * switch.
 */
#include <linux/hardirq.h>
#include <linux/perf_event.h>

#include "../delay.h"
#include "../internal.h"
#include "../overflow.h"
#include "../tally.h"
#include "../throttle.h"
#include "clock.h"
#include "software.h"

struct static_key_deferred perf_swevent_enabled[PERF_COUNT_SW_MAX];
EXPORT_SYMBOL_GPL(perf_swevent_enabled);

/* Registers of a site that has none of its own, one set a recursion level. */
DEFINE_PER_CPU(struct pt_regs, __perf_regs[4]);

static __always_inline int perf_swevent_get_recursion_level(void)
{
	int level = 0;

	BUILD_BUG_ON(PERF_NR_CONTEXTS != 4);
	/* Most events happen in tasks. */
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
 * Any context. An event that raises itself at the same level, task, softirq,
 * irq or NMI, is refused.
 * Return: the level, for perf_swevent_put_recursion_context(), or -1.
 */
int perf_swevent_get_recursion_context(void)
{
	return perf_swevent_get_recursion_level();
}
EXPORT_SYMBOL_GPL(perf_swevent_get_recursion_context);

/**
 * perf_swevent_put_recursion_context - end what the get began
 * @rctx: what it returned, not -1
 */
void perf_swevent_put_recursion_context(int rctx)
{
	barrier();
	current->perf_recursion[rctx] = 0;
}

/**
 * perf_site_interrupted - has this interrupt come into an event site?
 *
 * Sites walk this CPU's lists and the running task's with preemption off but with
 * interrupts on, and meanwhile only interrupts of this CPU change these lists. If
 * an interrupt took an event off and put it on again, or put it into another list,
 * the interrupted site could find it, or others, a second time and count one
 * occurrence twice. So such changes have to wait until the site has ended. An
 * interrupt may take an event off at any time: a site that stands at this event
 * still finds the next one.
 * Return: true in a hard interrupt that has interrupted a site of a task or softirq.
 */
bool perf_site_interrupted(void)
{
	const u8 *busy = current->perf_recursion;

	return in_hardirq() && (busy[0] || busy[1]);
}

/**
 * perf_event_excludes - does the event not want what happened in this mode?
 * @event: the event
 * @regs: where it happened, or NULL when that is unknown
 */
bool perf_event_excludes(const struct perf_event *event, struct pt_regs *regs)
{
	if (!regs)
		return false;
	return user_mode(regs) ? event->attr.exclude_user : event->attr.exclude_kernel;
}

/**
 * perf_swevent_set_period - begin the next period of a software event
 * @event: that samples, and has counted to the end of a period
 *
 * period_left runs from minus the period up to zero. Any context; may be
 * interrupted by itself.
 * Return: how many periods have gone by; 0 when an interrupting call took them.
 */
u64 perf_swevent_set_period(struct perf_event *event)
{
	local64_t *left = &event->hw.period_left;
	u64 period = event->hw.last_period, passed;
	s64 now = local64_read(left);

	event->hw.last_period = event->hw.sample_period;
	/* On 32 bits the period may be half stored now; the next occurrence counts it. */
	if (!IS_ENABLED(CONFIG_64BIT) && unlikely(!period))
		return 0;
	do {
		if (now < 0)
			return 0;
		passed = div64_u64(period + now, period);
	} while (!local64_try_cmpxchg(left, &now, now - (s64)(passed * period)));

	return passed;
}

/*
 * Write samples for the periods that have passed; all of them count as one
 * interrupt. The site waits for all samples, and for those of other events,
 * perhaps with the runqueue locked. So one occurrence makes no more samples than
 * are allowed in one tick, even if ticks come meanwhile.
 */
static void perf_swevent_sample_periods(struct perf_event *event, u64 passed,
					struct perf_sample_data *data, struct pt_regs *regs)
{
	unsigned int flags = 0;
	u64 samples, left;

	if (perf_event_quiet(event) || unlikely(!passed))
		return;
	samples = perf_overflow_samples(event, passed);
	for (left = samples; left; left--) {
		if (__perf_event_overflow(event, flags, data, regs))
			return;
		flags = PERF_OVERFLOW_HALT | PERF_OVERFLOW_AGAIN;
	}
	if (unlikely(passed > samples))
		perf_overflow_halt(event);
}

/* perf_swevent_event() for an event that samples. */
static __always_inline void perf_swevent_count_and_sample(struct perf_event *event, u64 nr,
							  struct perf_sample_data *data,
							  struct pt_regs *regs)
{
	bool fixed = !event->attr.freq;

	local64_add(nr, &event->count);
	if (!regs)
		return;

	if (fixed && (event->attr.sample_type & PERF_SAMPLE_PERIOD)) {
		/* The sample's period says how much it stands for: one is enough. */
		data->period = nr;
		perf_swevent_sample_periods(event, 1, data, regs);
		return;
	}
	data->period = event->hw.last_period;
	if (fixed && event->hw.sample_period == 1 && nr == 1)
		perf_swevent_sample_periods(event, 1, data, regs);
	else if (!local64_add_negative(nr, &event->hw.period_left))
		perf_swevent_sample_periods(event, perf_swevent_set_period(event), data, regs);
}

/**
 * perf_swevent_event - an event of the kernel's own happened to this event
 * @event: active, and it wants this
 * @nr: how many times
 * @data: what a sample would say; its period may be changed
 * @regs: where, or NULL: count only
 *
 * Preemption is off. Any context.
 */
void perf_swevent_event(struct perf_event *event, u64 nr,
			struct perf_sample_data *data, struct pt_regs *regs)
{
	if (is_sampling_event(event))
		perf_swevent_count_and_sample(event, nr, data, regs);
	else
		local64_add(nr, &event->count);
}

/**
 * struct occurrence - an event that the kernel raises
 * @nr: how many times
 * @regs: where
 * @addr: about which address
 */
struct occurrence {
	u64		nr;
	struct pt_regs	*regs;
	u64		addr;
};

static noinline void perf_swevent_hit_sampling(struct perf_event *event,
					       const struct occurrence *what)
{
	/* Large; whatever is read of it has been written. */
	struct perf_sample_data sample __uninitialized;

	if (event->hw.state == PERF_HES_STOPPED)
		return;
	perf_sample_data_init(&sample, what->addr, 0);
	perf_swevent_count_and_sample(event, what->nr, &sample, what->regs);
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
 * ___perf_sw_event - raise an event where preemption is off
 * @event_id: PERF_COUNT_SW_*
 * @nr: how many times
 * @regs: where
 * @addr: about which address
 *
 * For sites that cannot recurse into themselves, as the scheduler's.
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
 * __perf_sw_event - raise an event, when anybody listens
 * @event_id: PERF_COUNT_SW_*
 * @nr: how many times
 * @regs: where
 * @addr: about which address
 *
 * Any context. See perf_sw_event().
 */
void __perf_sw_event(u32 event_id, u64 nr, struct pt_regs *regs, u64 addr)
{
	int rctx;

	guard(preempt_notrace)();
	rctx = perf_swevent_get_recursion_level();
	if (unlikely(rctx < 0)) {
		__this_cpu_inc(perf_tally.recursions);
		return;
	}
	___perf_sw_event(event_id, nr, regs, addr);
	perf_swevent_put_recursion_context(rctx);
}
EXPORT_SYMBOL_GPL(__perf_sw_event);

/**
 * perf_swevent_resident_add - let the event sites find a resident event
 * @event: of a resident group; its context's lock is held
 */
void perf_swevent_resident_add(struct perf_event *event)
{
	lockdep_assert_held(&event->ctx->lock);
	if (!perf_swevent_has_site(event) || !hlist_unhashed(&event->hlist_entry))
		return;
	hlist_add_head_rcu(&event->hlist_entry,
			   &event->ctx->sw_lists[event->attr.config - PERF_SW_FIRST]);
}

/**
 * perf_swevent_resident_del - undo perf_swevent_resident_add()
 * @event: its context's lock is held
 *
 * A site may still be looking at it until a grace period has passed.
 */
void perf_swevent_resident_del(struct perf_event *event)
{
	lockdep_assert_held(&event->ctx->lock);
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
	/* Clock events have PMUs of their own; user space may name their types, too. */
	if (id < PERF_SW_FIRST) {
		event->attr.type = perf_clock_pmu_type(id);
		return -ENOENT;
	}

	/*
	 * BPF output asks an event of a task on which CPU it is, and an event
	 * of one task on one CPU runs less than it is enabled: these are
	 * scheduled.
	 */
	if (!event->cgrp && !(event->hw.target && (event->cpu >= 0 ||
						   id == PERF_COUNT_SW_BPF_OUTPUT)))
		event->event_caps |= PERF_EV_CAP_RESIDENT;

	/* Counted up to zero, unlike a hardware counter's. */
	local64_set(&event->hw.period_left, -(s64)event->hw.sample_period);

	/* The key stays on for a copy, as its root lives longer. */
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

	/* Rate limit: opening and closing events one after the other patches no code. */
	for (id = 0; id < PERF_COUNT_SW_MAX; id++)
		jump_label_rate_limit(&perf_swevent_enabled[id], HZ);
	WARN_ON(perf_pmu_register(&perf_software_pmu, "software", PERF_TYPE_SOFTWARE));
}

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
#include "../tests/software_test.c"
#endif
