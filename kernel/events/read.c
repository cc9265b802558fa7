// SPDX-License-Identifier: GPL-2.0
/*
 * Reading an event: read(2), and the kernel's own readers.
 *
 * A resident event's count is always current: reading it takes no interrupt
 * to another CPU and, for an event that is not inherited, no lock.
 */
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/uaccess.h>

#include "context.h"
#include "inherit.h"
#include "internal.h"
#include "read.h"
#include "software.h"

static u64 own_count(const struct perf_event *event)
{
	if (is_resident_clock(event) && is_resident(event))
		return perf_clock_event_count(event);
	return local64_read(&event->count);
}

/**
 * perf_event_count - an event's value as far as it is known
 * @event: the event
 *
 * With the children that have exited; without asking the hardware. Any context.
 */
u64 perf_event_count(const struct perf_event *event)
{
	return own_count(event) + atomic64_read(&event->child_count);
}

/**
 * struct read_call - a read on its way to the event's CPU
 * @event: what to read
 * @group: with its whole group
 * @err: from a PMU that reads groups in one transaction
 */
struct read_call {
	struct perf_event	*event;
	bool			group;
	int			err;
};

static void read_member(struct perf_event *event)
{
	/* A software member of the group has a PMU of its own. */
	if (event->state == PERF_EVENT_STATE_ACTIVE)
		event->pmu->read(event);
}

/* On the CPU where the event counts, or on another one that can read it. */
static void read_here(void *info)
{
	struct perf_cpu_context *cpuctx = this_cpu_context();
	struct read_call *call = info;
	struct perf_event *event = call->event;
	struct perf_event_context *ctx = event->ctx;
	struct perf_event *member;
	struct pmu *pmu = event->pmu;

	if (ctx->task && cpuctx->task_ctx != ctx)
		return;		/* It has been taken off, and read with that. */

	raw_spin_lock(&ctx->lock);
	if (!call->group) {
		read_member(event);
	} else if (event->state == PERF_EVENT_STATE_ACTIVE) {
		pmu->start_txn(pmu, PERF_PMU_TXN_READ);
		read_member(event);
		for_each_sibling_event(member, event)
			read_member(member);
		call->err = pmu->commit_txn(pmu);
	}
	raw_spin_unlock(&ctx->lock);
}

/* The CPU to read on: this one, when the PMU is shared with it. */
static int reading_cpu(const struct perf_event *event, int cpu)
{
	int here = raw_smp_processor_id();

	if ((event->event_caps & PERF_EV_CAP_READ_ACTIVE_PKG) &&
	    topology_physical_package_id(here) == topology_physical_package_id(cpu))
		return here;
	return cpu;
}

/*
 * Bring event->count up to date. The event stays attached meanwhile: ctx->mutex,
 * the family's lock, or a reference that keeps its file open. May sleep.
 */
static int sync_count(struct perf_event *event, bool group)
{
	struct read_call call = { .event = event, .group = group };
	int cpu;

	if (is_resident(event) || READ_ONCE(event->state) != PERF_EVENT_STATE_ACTIVE)
		return 0;

	preempt_disable();
	cpu = READ_ONCE(event->oncpu);
	if (cpu >= 0)
		smp_call_function_single(reading_cpu(event, cpu), read_here, &call, 1);
	preempt_enable();
	return call.err;
}

static void add_times(struct perf_event *event, u64 *enabled, u64 *running)
{
	u64 on, ran;

	perf_event_times(event, &on, &ran);
	*enabled += on + atomic64_read(&event->child_total_time_enabled);
	*running += ran + atomic64_read(&event->child_total_time_running);
}

/**
 * perf_event_read_value - value and times of an event and all its copies
 * @event: that the caller keeps alive
 * @enabled: filled in, nanoseconds
 * @running: filled in, nanoseconds
 *
 * May sleep. Return: the value.
 */
u64 perf_event_read_value(struct perf_event *event, u64 *enabled, u64 *running)
{
	struct perf_event *child;
	struct mutex *lock = NULL;
	u64 total;

	*enabled = 0;
	*running = 0;

	/* A child that is gone from the list is in the sums read below. */
	if (event->attr.inherit && !event->parent && !list_empty_careful(&event->child_list)) {
		lock = perf_family_lock(event);
		mutex_lock(lock);
	}
	smp_rmb(); /* pairs with exit_child() */

	sync_count(event, false);
	total = perf_event_count(event);
	add_times(event, enabled, running);
	if (!lock)
		return total;

	for_each_copy(child, event) {
		sync_count(child, false);
		total += perf_event_count(child);
		add_times(child, enabled, running);
	}
	mutex_unlock(lock);
	return total;
}
EXPORT_SYMBOL_GPL(perf_event_read_value);

/**
 * perf_event_sync - bring the count of one event up to date
 * @event: ctx->mutex is held, or the family's lock
 *
 * May sleep.
 */
void perf_event_sync(struct perf_event *event)
{
	sync_count(event, false);
}

/* Words that a member takes in a group read, or an event in a single one. */
static unsigned int member_words(u64 format)
{
	return 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);
}

static void put_id_lost(u64 *at, const struct perf_event *event, u64 format)
{
	if (format & PERF_FORMAT_ID)
		*at++ = (event->parent ?: event)->id;
	if (format & PERF_FORMAT_LOST)
		*at = atomic64_read(&event->lost_samples);
}

static ssize_t read_one(struct perf_event *event, char __user *buf)
{
	u64 format = event->attr.read_format;
	u64 words[5], enabled, running;
	int n = 0;

	words[n++] = perf_event_read_value(event, &enabled, &running);
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		words[n++] = enabled;
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		words[n++] = running;
	put_id_lost(&words[n], event, format);
	n += member_words(format) - 1;

	if (copy_to_user(buf, words, n * sizeof(u64)))
		return -EFAULT;
	return n * sizeof(u64);
}

/* Is a copy of a group still a copy, member by member? */
static bool same_group(const struct perf_event *leader, const struct perf_event *child)
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

/* Add a group's values to those that are there. */
static int add_group(struct perf_event *leader, u64 format, u64 *words)
{
	unsigned int step = member_words(format);
	struct perf_event *member;
	u64 enabled = 0, running = 0;
	int n = 1, err;

	err = sync_count(leader, true);
	if (err)
		return err;
	add_times(leader, &enabled, &running);
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		words[n++] += enabled;
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		words[n++] += running;

	words[n] += perf_event_count(leader);
	put_id_lost(&words[n + 1], leader->parent ?: leader, format);
	for_each_sibling_event(member, leader) {
		n += step;
		words[n] += perf_event_count(member);
		put_id_lost(&words[n + 1], member->parent ?: member, format);
	}
	return 0;
}

static ssize_t read_group(struct perf_event *event, char __user *buf)
{
	struct perf_event *leader = event->group_leader, *child;
	u64 format = event->attr.read_format;
	u64 few[40], *words = few;
	size_t size = event->read_size;
	struct mutex *lock = NULL;
	ssize_t ret;

	lockdep_assert_held(&leader->ctx->mutex);
	if (size > sizeof(few)) {
		words = kmalloc(size, GFP_KERNEL);
		if (!words)
			return -ENOMEM;
	}
	memset(words, 0, size);
	words[0] = 1 + leader->nr_siblings;

	if (leader->attr.inherit && !leader->parent) {
		lock = perf_family_lock(leader);
		mutex_lock(lock);
	}
	ret = add_group(leader, format, words);
	if (lock) {
		for_each_copy(child, leader) {
			if (ret)
				break;
			ret = same_group(leader, child) ? add_group(child, format, words) :
							  -ECHILD;
		}
		mutex_unlock(lock);
	}

	if (!ret)
		ret = copy_to_user(buf, words, size) ? -EFAULT : size;
	if (words != few)
		kfree(words);
	return ret;
}

/**
 * perf_event_read_file - read(2)
 * @event: of the file
 * @buf: where to
 * @count: room there, in bytes
 *
 * May sleep. Return: bytes, as attr.read_format lays them out; 0 (end of file)
 * for an event that could not be scheduled or whose PMU is gone; -ENOSPC when
 * @count is too small; -ECHILD when a copy of the group is not the same group
 * any more; -EFAULT, -ENOMEM.
 */
ssize_t perf_event_read_file(struct perf_event *event, char __user *buf, size_t count)
{
	enum perf_event_state state = READ_ONCE(event->state);

	if (state == PERF_EVENT_STATE_ERROR || state == PERF_EVENT_STATE_DEAD)
		return 0;
	if (count < event->read_size)
		return -ENOSPC;
	if (!(event->attr.read_format & PERF_FORMAT_GROUP))
		return read_one(event, buf);

	CLASS(event_context, ctx)(event);
	/* The group may have grown meanwhile. */
	return count < event->read_size ? -ENOSPC : read_group(event, buf);
}

/**
 * perf_event_read_local - read an event of this CPU or of current
 * @event: not inherited
 * @value: filled in
 * @enabled: filled in unless NULL, nanoseconds
 * @running: filled in unless NULL, nanoseconds
 *
 * Any context, NMI included. Return: 0; -EOPNOTSUPP for an inherited event;
 * -EINVAL when the event is neither current's nor this CPU's; -EBUSY when it is
 * pinned and not on.
 */
int perf_event_read_local(struct perf_event *event, u64 *value, u64 *enabled, u64 *running)
{
	unsigned long flags;
	u64 on, ran;
	int cpu, ret = 0;

	/* The sum over copies cannot be had without sleeping. */
	if (event->attr.inherit)
		return -EOPNOTSUPP;

	local_irq_save(flags);
	cpu = smp_processor_id();
	if (is_task_event(event) ? event->hw.target != current : event->cpu != cpu) {
		ret = -EINVAL;
		goto out;
	}
	if (event->attr.pinned && !is_resident(event) && event->oncpu != cpu) {
		ret = -EBUSY;
		goto out;
	}
	if (!is_resident(event) && event->oncpu == cpu &&
	    event->state == PERF_EVENT_STATE_ACTIVE)
		event->pmu->read(event);

	*value = own_count(event);
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
