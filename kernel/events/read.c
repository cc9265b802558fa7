// SPDX-License-Identifier: GPL-2.0
/*
 * Reading an event: read(2), and readers in the kernel
 *
 * The count of an always-on event (see group.c) is always up to date: a read needs no interrupt of
 * another CPU and, for an event that is not inherited, no lock.
 */
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/uaccess.h>

#include "child_cache.h"
#include "cold.h"
#include "context.h"
#include "delay.h"
#include "inherit_list.h"
#include "internal.h"
#include "pmu_scope.h"
#include "read.h"
#include "record/sample_read.h"
#include "record/values.h"
#include "time.h"
#include "time_seq.h"

/* The event's last known own count, plus the counts of removed inherited events */
static __always_inline u64 perf_read_known_count(const struct perf_event *event)
{
	const struct perf_event_cold *cold = READ_ONCE(event->cold);

	return perf_event_own_count(event) + (cold ? atomic64_read(&cold->gone_count) : 0);
}

/**
 * perf_event_count - get the last known count of an event
 * @event: the event
 *
 * Includes the counts of removed inherited events; does not read the hardware.
 *
 * Context: any, including NMI.
 * Return: the count
 */
u64 perf_event_count(const struct perf_event *event)
{
	return perf_read_known_count(event);
}

/**
 * struct read_call - a read on the event's CPU
 * @event: the event
 * @group: read the whole group, whose leader is @event
 * @err: result: error of a PMU that reads groups in one transaction
 */
struct read_call {
	struct perf_event	*event;
	bool			group;
	int			err;
};

/* Get the CPU for a read: this CPU if it shares the counters with @cpu, otherwise @cpu. */
static int perf_read_cpu(const struct perf_event *event, bool group, int cpu)
{
	u8 caps = group ? event->group_caps : event->event_caps;
	int here = raw_smp_processor_id();

	if ((caps & PERF_EV_CAP_READ_ACTIVE_PKG) &&
	    topology_physical_package_id(here) == topology_physical_package_id(cpu))
		return here;
	if ((caps & PERF_EV_CAP_READ_SCOPE) &&
	    perf_scope_same(event->pmu->scope, here, cpu))
		return here;
	return cpu;
}

static void perf_read_member(struct perf_event *event)
{
	/* A group may have software events, each read by its own PMU. */
	if (event->state == PERF_EVENT_STATE_ACTIVE)
		event->pmu->read(event);
}

/* Read on the event's CPU, or a CPU that shares its counters. Interrupts are off. */
static void perf_read_here(void *info)
{
	struct perf_cpu_context *cpuctx = this_cpu_context();
	struct read_call *call = info;
	struct perf_event *event = call->event;
	struct perf_event_context *ctx = event->ctx;
	struct perf_event *member;
	struct pmu *pmu;

	if (ctx->task && cpuctx->task_ctx != ctx)
		return;		/* the schedule out has read the event */

	raw_spin_lock(&ctx->lock);
	/* An event that is on another CPU now was read when it was scheduled out here. */
	if (event->state == PERF_EVENT_STATE_ACTIVE &&
	    perf_read_cpu(event, call->group, event->oncpu) != smp_processor_id())
		goto unlock;
	/* CPU hotplug has moved the event, and has read it: its new context is not locked. */
	if (READ_ONCE(event->ctx) != ctx)
		goto unlock;
	if (!call->group) {
		perf_read_member(event);
	} else if (event->state == PERF_EVENT_STATE_ACTIVE) {
		/* If the leader is a software event, the PMU of the members may be another one. */
		pmu = event->pmu_ctx ? event->pmu_ctx->pmu : event->pmu;
		pmu->start_txn(pmu, PERF_PMU_TXN_READ);
		perf_read_member(event);
		for_each_sibling_event(member, event)
			perf_read_member(member);
		call->err = pmu->commit_txn(pmu);
	}
unlock:
	raw_spin_unlock(&ctx->lock);
}

/*
 * Update event->count. The event stays attached: ctx->mutex or the inherit lock is held, or
 * a reference keeps its file open. May sleep.
 *
 * No lock is held, and another CPU may schedule the event in or out concurrently:
 *
 *	perf_event_sched_in()			perf_read_sync_count()
 *
 *	event->oncpu = cpu;			if (event->state != ACTIVE)  (acquire)
 *	smp_wmb();					return;
 *	event->state = ACTIVE;			cpu = event->oncpu;
 *
 * In another order the reader could see ACTIVE and the old oncpu, -1, and would omit the
 * counter's value.
 *
 *	perf_event_sched_out()			perf_read_sync_count()
 *
 *	pmu->del(): event->count += more;	cpu = event->oncpu;
 *	event->oncpu = -1;  (release)		if (cpu < 0)
 *	event->state = INACTIVE;			smp_rmb();
 *						... event->count ...
 *
 * In another order the reader could see that the event is on no CPU, and the count from
 * before it was scheduled in.
 */
static int perf_read_sync_count(struct perf_event *event, bool group)
{
	struct read_call call = { .event = event, .group = group };
	int cpu;

	/* RCU protects the leader, which may be closed concurrently. */
	scoped_guard(rcu) {
		if (is_always_on(event))
			return 0;
	}
	/* Pairs with perf_event_sched_in(): if ACTIVE is seen, so is oncpu. */
	if (smp_load_acquire(&event->state) != PERF_EVENT_STATE_ACTIVE)
		return 0;
	perf_delay(STATE_SEEN);

	preempt_disable();
	cpu = READ_ONCE(event->oncpu);
	perf_delay(ONCPU_SEEN);
	if (cpu >= 0)
		smp_call_function_single(perf_read_cpu(event, group, cpu), perf_read_here, &call,
					 1);
	else
		smp_rmb(); /* Pairs with perf_event_sched_out(): its del() has read the count. */
	preempt_enable();
	return call.err;
}

static void perf_read_add_times(struct perf_event *event, u64 *enabled, u64 *running)
{
	u64 on, ran;

	perf_event_times(event, &on, &ran);
	*enabled += on;
	*running += ran;
	if (event->attr.inherit)
		perf_event_add_child_times(event, enabled, running);
}

/* perf_read_add_child_times() for a running clock, or a concurrent change */
static noinline void perf_read_add_running_times(const struct perf_event *child, u64 *enabled,
						 u64 *running)
{
	u64 on, ran;

	perf_event_times(child, &on, &ran);
	*enabled += on;
	*running += ran;
}

/* Add the times of an inherited event, which has no gone_* sums. Usually its task sleeps. */
static __always_inline void perf_read_add_child_times(const struct perf_event *child, u64 *enabled,
						      u64 *running)
{
	struct perf_times times;

	if (unlikely(!perf_times_clock_stopped(child, &times))) {
		perf_read_add_running_times(child, enabled, running);
		return;
	}
	*enabled += times.enabled;
	*running += times.running;
}

/* Read an inherited event on its CPU, with its context's lock held. */
static void perf_read_child_locked(struct perf_event *child, struct perf_cpu_context *cpuctx,
				   void *data)
{
	perf_read_member(child);
	child->event_flags |= PERF_EVENT_CALL_DONE;
}

/*
 * Count of an inherited event. The inherit lock is held, which also protects child->group_leader.
 */
static __always_inline u64 perf_read_child_count(struct perf_event *child, bool is_clock)
{
	if (unlikely(child->event_flags & PERF_EVENT_CALL_DONE))
		child->event_flags &= ~PERF_EVENT_CALL_DONE;
	/* Pairs with perf_event_set_state(): unless ACTIVE is read, the count is up to date. */
	else if (!is_always_on(child) && smp_load_acquire(&child->state) == PERF_EVENT_STATE_ACTIVE)
		perf_read_sync_count(child, false);
	return is_clock ? perf_event_own_count(child) : local64_read(&child->count);
}

/*
 * Add the values and, unless @enabled is NULL, the times of all inherited events. There may be very
 * many. Events in contexts whose clock is stopped are cached (see child_cache.h): later reads add
 * only the sum of these events. An event that is not cached takes few instructions and cache lines.
 */
static __always_inline u64 perf_read_add_all_children(struct perf_event *parent, bool is_clock,
						      u64 *enabled, u64 *running)
{
	const struct list_head *children = perf_event_children(parent);
	const struct perf_cached_values *cached = &parent->cold->cached;
	bool caches = perf_parent_caches(parent);
	struct perf_event *child, *next;
	u64 total = 0;

	if (caches)
		perf_child_cache_del_stale(parent);
	if (!(parent->event_caps & PERF_EV_CAP_ALWAYS_ON))
		perf_children_call_running(parent, perf_read_child_locked);
	perf_delay(CHILDREN_UNCACHED);
	list_for_each_entry_safe(child, next, children, child_list) {
		/* All events after this one are cached, too. */
		if (perf_child_is_cached(child))
			break;
		if (caches && perf_child_may_be_cached(child) && perf_child_cache_add(child))
			continue;
		total += perf_read_child_count(child, is_clock);
		if (enabled)
			perf_read_add_child_times(child, enabled, running);
	}
	if (!caches)
		return total;
	if (enabled) {
		*enabled += cached->enabled;
		*running += cached->running;
	}
	return total + cached->count;
}

/* Value and, unless @enabled is NULL, times of an event and its inherited events */
static u64 perf_read_children_value(struct perf_event *event, u64 *enabled, u64 *running)
{
	u64 total;

	/*
	 * The event was inherited, so the lock exists. perf_inherit_lock_event() cannot be used, as
	 * ctx->mutex is not held.
	 */
	guard(mutex)(perf_inherit_lock(event));
	perf_read_sync_count(event, false);
	total = perf_event_count(event);
	if (enabled)
		perf_read_add_times(event, enabled, running);
	/* Events inherited from a clock event are clock events. */
	if (is_counting_clock(event))
		return total + perf_read_add_all_children(event, true, enabled, running);
	return total + (enabled ? perf_read_add_all_children(event, false, enabled, running) :
				  perf_read_add_all_children(event, false, NULL, NULL));
}

static u64 perf_read_inherited(struct perf_event *event, u64 *enabled, u64 *running)
{
	u64 total;

	/* An event that has left the list is in the sums that are read below. */
	if (event->attr.inherit && !event->parent &&
	    !list_empty_careful(perf_event_children(event))) {
		/*
		 * Pairs with perf_inherit_data_alloc(): the lock exists if the list is not empty.
		 * list_empty_careful() loads list_head::prev without acquire, and prev alone can
		 * make the list look non-empty, so this barrier is needed.
		 */
		smp_rmb();
		return perf_read_children_value(event, enabled, running);
	}
	/*
	 * Pairs with perf_exit_fold_child():
	 *
	 *	perf_exit_fold_child()			perf_read_inherited()
	 *
	 *	gone_* += its counts;			if (list_empty(children))
	 *	smp_wmb();				smp_rmb();
	 *	list_del_init(&child->child_list);	total = count + gone_count;
	 *
	 * In another order the reader could find the inherited event neither in the list nor in the
	 * sums, and return less than an earlier read.
	 */
	smp_rmb();
	perf_delay(CHILDREN_SEEN);

	perf_read_sync_count(event, false);
	total = perf_event_count(event);
	if (enabled)
		perf_read_add_times(event, enabled, running);
	return total;
}

/**
 * perf_event_read_value - read the value and times of an event and all its inherited events
 * @event: the event; the caller holds a reference
 * @enabled: set to the enabled time, ns
 * @running: set to the running time, ns
 *
 * Context: may sleep.
 * Return: the value
 */
u64 perf_event_read_value(struct perf_event *event, u64 *enabled, u64 *running)
{
	*enabled = 0;
	*running = 0;
	return perf_read_inherited(event, enabled, running);
}
EXPORT_SYMBOL_GPL(perf_event_read_value);

/**
 * perf_event_sync - update the count of one event
 * @event: the event; ctx->mutex is held, or the inherit lock for an inherited event
 *
 * Context: may sleep.
 */
void perf_event_sync(struct perf_event *event)
{
	perf_read_sync_count(event, false);
}

/* Store the words one by one: for so few this is faster than a string move. */
static ssize_t perf_read_put_words(u64 __user *to, const u64 *words, size_t n)
{
	size_t left = n;

	if (!IS_ENABLED(CONFIG_HAVE_EFFICIENT_UNALIGNED_ACCESS) &&
	    !IS_ALIGNED((unsigned long)to, sizeof(u64)))
		return copy_to_user(to, words, n * sizeof(u64)) ? -EFAULT : n * sizeof(u64);
	if (!user_write_access_begin(to, n * sizeof(u64)))
		return -EFAULT;
	for (; left >= 4; left -= 4, words += 4, to += 4) {
		unsafe_put_user(words[0], to, fault);
		unsafe_put_user(words[1], to + 1, fault);
		unsafe_put_user(words[2], to + 2, fault);
		unsafe_put_user(words[3], to + 3, fault);
	}
	for (; left; left--, words++, to++)
		unsafe_put_user(words[0], to, fault);
	user_write_access_end();
	return n * sizeof(u64);
fault:
	user_write_access_end();
	return -EFAULT;
}

static ssize_t perf_read_one(struct perf_event *event, u64 __user *buf)
{
	u64 format = event->attr.read_format;
	u64 words[5], enabled = 0, running = 0;
	u64 *end = words + 1;

	if (format & PERF_FORMAT_TIMES) {
		words[0] = perf_read_inherited(event, &enabled, &running);
		end = perf_format_put_times(end, enabled, running, format);
	} else {
		words[0] = perf_read_inherited(event, NULL, NULL);
	}
	end = perf_format_put_id(end, event, perf_event_parent(event)->id, format);

	return perf_read_put_words(buf, words, end - words);
}

/* Does an inherited group still match the parent events' group, member by member? */
static bool perf_read_same_group(const struct perf_event *leader, const struct perf_event *child)
{
	const struct perf_event *a, *b;

	if (leader->nr_siblings != child->nr_siblings)
		return false;
	b = child;
	for_each_sibling_event(a, leader) {
		b = b == child ? list_first_entry(&child->sibling_list, struct perf_event,
						  sibling_list) : list_next_entry(b, sibling_list);
		if (b->parent != a)
			return false;
	}
	return true;
}

/* Store the values of one member. Return the position of the next member. */
static __always_inline u64 *perf_read_put_member(u64 *at, const struct perf_event *event,
						 u64 format)
{
	*at++ = perf_read_known_count(event);
	return perf_format_put_id(at, event, event->id, format);
}

/*
 * Add the counts of an inherited group to those of the parent events. A cached event keeps its own
 * count. The read of a group adds this count, but not the sums of cached events in the parent
 * events, so nothing is added twice.
 */
static u64 *perf_read_add_children(u64 *at, const struct perf_event *leader, u64 format)
{
	const struct perf_event *member;

	*at += perf_read_known_count(leader);
	for_each_sibling_event(member, leader) {
		at += perf_format_entry_words(format);
		*at += perf_read_known_count(member);
	}
	return at + perf_format_entry_words(format);
}

static u64 *perf_read_put_members(u64 *at, const struct perf_event *leader, u64 format)
{
	const struct perf_event *member;

	at = perf_read_put_member(at, leader, format);
	/* Avoid tests of the format in the loop for the most frequent format. */
	if ((format & (PERF_FORMAT_ID | PERF_FORMAT_LOST)) == PERF_FORMAT_ID) {
		for_each_sibling_event(member, leader)
			at = perf_read_put_member(at, member, PERF_FORMAT_ID);
		return at;
	}
	for_each_sibling_event(member, leader)
		at = perf_read_put_member(at, member, format);
	return at;
}

static u64 *perf_read_store_or_add_values(u64 *at, struct perf_event *leader, u64 format)
{
	if (format & PERF_FORMAT_TIMES) {
		u64 enabled = 0, running = 0;

		/* Add the times of an inherited group to the stored times. */
		if (leader->parent) {
			if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
				enabled = at[0];
			if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
				running = at[perf_format_time_words(format) - 1];
			perf_read_add_child_times(leader, &enabled, &running);
		} else {
			perf_read_add_times(leader, &enabled, &running);
		}
		at = perf_format_put_times(at, enabled, running, format);
	}
	return leader->parent ? perf_read_add_children(at, leader, format) :
				perf_read_put_members(at, leader, format);
}

/* Store a group's values, or add those of an inherited group to the stored values. */
static int perf_read_store_or_add_group(struct perf_event *leader, u64 format, u64 *words,
					size_t *size)
{
	u64 *at = words + 1;
	int err;

	err = perf_read_sync_count(leader, true);
	if (err)
		return err;
	if (is_always_on(leader)) {
		at = perf_read_store_or_add_values(at, leader, format);
	} else {
		/*
		 * The lock prevents a schedule out halfway: all values are from the same time,
		 * unless an overflow has updated a member's count since perf_read_sync_count().
		 */
		raw_spin_lock_irq(&leader->ctx->lock);
		at = perf_read_store_or_add_values(at, leader, format);
		raw_spin_unlock_irq(&leader->ctx->lock);
	}
	*size = (char *)at - (char *)words;
	return 0;
}

/*
 * Sum the values of a group and of its inherited events in @words, an array of @has bytes. @room is
 * the size of user space's buffer. Return the number of bytes; -ENOSPC if user space's buffer is
 * too small; -E2BIG if @words is too small.
 */
static ssize_t perf_read_sum_group(struct perf_event *event, size_t room, u64 *words, size_t has)
{
	struct perf_event *leader = event->group_leader, *child;
	u64 format = event->attr.read_format;
	struct mutex *lock = NULL;
	size_t size;
	int err;

	lockdep_assert_held(&leader->ctx->mutex);
	/* event->read_size is not updated when members are removed after their task's exit. */
	size = perf_event_read_size(format, leader->nr_siblings);
	if (room < size)
		return -ENOSPC;
	if (has < size)
		return -E2BIG;
	words[0] = 1 + leader->nr_siblings;

	if (leader->attr.inherit && !leader->parent)
		lock = perf_inherit_lock_group(leader);
	err = perf_read_store_or_add_group(leader, format, words, &size);
	if (lock) {
		for_each_child(child, leader) {
			if (err)
				break;
			err = perf_read_same_group(leader, child) ?
			      perf_read_store_or_add_group(child, format, words, &size) : -ECHILD;
		}
	}
	perf_inherit_unlock(lock);
	return err ?: size;
}

/*
 * Allocations and writes to user memory may take long, so they are done without ctx->mutex.
 * The group may grow in the meantime.
 */
static ssize_t perf_read_group_file(struct perf_event *event, u64 __user *buf, size_t room)
{
	u64 few[20];	/* enough for eight members with ids and times */
	ssize_t ret;

	do {
		u64 *many __free(kfree) = NULL;
		size_t has = max(READ_ONCE(event->read_size), sizeof(few));
		u64 *words = few;

		if (has > sizeof(few)) {
			many = kmalloc(has, GFP_KERNEL);
			if (!many)
				return -ENOMEM;
			words = many;
		}
		scoped_class(event_context, ctx, event)
			ret = perf_read_sum_group(event, room, words, has);
		if (ret > 0)
			ret = perf_read_put_words(buf, words, ret / sizeof(u64));
	} while (ret == -E2BIG);
	return ret;
}

/**
 * perf_event_read_file - read(2)
 * @event: the event of the file
 * @buf: buffer for the values
 * @count: size of @buf in bytes
 *
 * Context: may sleep.
 * Return: bytes, in the layout of attr.read_format; 0 (end of file) for an event in the error state
 * or whose PMU was unregistered; -ENOSPC if @count is too small; -ECHILD if an inherited group does
 * not match the group any more; -EFAULT, -ENOMEM
 */
ssize_t perf_event_read_file(struct perf_event *event, char __user *buf, size_t count)
{
	enum perf_event_state state = READ_ONCE(event->state);

	if (state == PERF_EVENT_STATE_ERROR || state == PERF_EVENT_STATE_DEAD)
		return 0;
	if (event->attr.read_format & PERF_FORMAT_GROUP)
		return perf_read_group_file(event, (u64 __user *)buf, count);
	if (count < event->read_size)
		return -ENOSPC;
	return perf_read_one(event, (u64 __user *)buf);
}

/**
 * perf_event_read_local - read an event of this CPU or of current
 * @event: the event, without attr.inherit
 * @value: set to the count
 * @enabled: set to the enabled time in ns, unless NULL
 * @running: set to the running time in ns, unless NULL
 *
 * Context: any, including NMI.
 * Return: 0 on success, -EOPNOTSUPP for an event with attr.inherit, -EINVAL if the event is
 * neither current's nor of this CPU (or of a CPU that shares its counter), -EBUSY if the event
 * is pinned and not active
 */
int perf_event_read_local(struct perf_event *event, u64 *value, u64 *enabled, u64 *running)
{
	unsigned long flags;
	u64 on, ran;
	int cpu, oncpu, ret = 0;

	/* Reading the inherited events may sleep. */
	if (event->attr.inherit)
		return -EOPNOTSUPP;

	local_irq_save(flags);
	cpu = smp_processor_id();
	if (is_task_event(event) ? event->hw.target != current :
				   perf_read_cpu(event, false, event->cpu) != cpu) {
		ret = -EINVAL;
		goto out;
	}
	oncpu = event->oncpu;
	if (oncpu >= 0)
		oncpu = perf_read_cpu(event, false, oncpu);
	if (event->attr.pinned && (is_always_on(event) ?
				   READ_ONCE(event->state) != PERF_EVENT_STATE_ACTIVE :
				   oncpu != cpu)) {
		ret = -EBUSY;
		goto out;
	}
	if (!is_always_on(event) && oncpu == cpu &&
	    event->state == PERF_EVENT_STATE_ACTIVE)
		event->pmu->read(event);

	*value = perf_event_own_count(event);
	if (enabled || running) {
		perf_event_times(event, &on, &ran);
		if (enabled)
			*enabled = on;
		if (running)
			*running = ran;
	}
out:
	local_irq_restore(flags);
	return ret;
}
