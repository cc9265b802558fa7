// SPDX-License-Identifier: GPL-2.0
/*
 * Records other than samples: which events get a record, and how the record is written.
 *
 * Per-CPU events that request such records are in a list of their CPU, per-task events in the
 * context of the running task. A record is written for each such event of the CPU and of the task
 * in which the record originates. A record of an interrupt originates in no task.
 */
#include <linux/cache.h>
#include <linux/cgroup.h>
#include <linux/perf_event.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/rculist.h>

#include "../cold.h"
#include "../event.h"
#include "../internal.h"
#include "../permission.h"
#include "sample.h"
#include "sideband.h"

/**
 * struct listeners - events of one CPU that request records
 * @lock: protects changes of @events
 * @events: list of their struct perf_event_cold; RCU
 */
struct listeners {
	raw_spinlock_t		lock;
	struct list_head	events;
};

static DEFINE_PER_CPU(struct listeners, listeners) = {
	.lock = __RAW_SPIN_LOCK_UNLOCKED(listeners.lock),
};

/* Opens write these counters, and hooks on all CPUs read them: they have their own cache line. */
atomic_t perf_sideband_users[NR_PERF_SIDEBAND] __cacheline_aligned_in_smp;

/* All kinds of records. PERF_SIDEBAND_FILTERS is a hook without a record. */
static const struct perf_record_kind *const perf_record_kinds[] = {
	&perf_mmap_kind,
	&perf_build_id_kind,
	&perf_comm_kind,
	&perf_task_kind,
	&perf_namespaces_kind,
	&perf_switch_kind,
	&perf_ksymbol_kind,
	&perf_bpf_kind,
	&perf_cgroup_kind,
	&perf_text_poke_kind,
};

static_assert(ARRAY_SIZE(perf_record_kinds) == NR_PERF_SIDEBAND - 1);

/* Attribute flags that request any kind of record; computed at boot */
static u64 perf_sideband_flags __ro_after_init;

static u64 *perf_sideband_attr_flags(const struct perf_event_attr *attr)
{
	static_assert(offsetof(struct perf_event_attr, wakeup_events) ==
		      offsetofend(struct perf_event_attr, read_format) + sizeof(u64));

	return (u64 *)(&attr->read_format + 1);
}

static bool perf_sideband_any_enabled(const struct perf_event_attr *attr)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(perf_record_kinds); i++) {
		if (perf_record_kinds[i]->attr_match(attr))
			return true;
	}
	return false;
}

/**
 * perf_attr_has_sideband - do attributes request side-band records?
 * @attr: the attributes
 *
 * Return: true if the attributes request any kind of record in perf_record_kinds
 */
bool perf_attr_has_sideband(const struct perf_event_attr *attr)
{
	return *perf_sideband_attr_flags(attr) & perf_sideband_flags;
}

/**
 * perf_sideband_init - compute which attributes request records
 *
 * Context: at boot.
 */
void __init perf_sideband_init(void)
{
	struct perf_event_attr attr = {};
	int bit;

	/*
	 * Test each flag alone. For a kind that requires two flags this is enough, because one of
	 * these flags alone requests another kind.
	 */
	for (bit = 0; bit < 64; bit++) {
		*perf_sideband_attr_flags(&attr) = BIT_ULL(bit);
		if (perf_sideband_any_enabled(&attr))
			perf_sideband_flags |= BIT_ULL(bit);
	}
}

/**
 * perf_sideband_get - enable the hooks for a kind of record
 * @kind: kind of record
 *
 * Context: any.
 */
void perf_sideband_get(enum perf_sideband_kind kind)
{
	atomic_inc(&perf_sideband_users[kind]);
}

/**
 * perf_sideband_put - undo perf_sideband_get()
 * @kind: kind of record
 *
 * Context: any.
 */
void perf_sideband_put(enum perf_sideband_kind kind)
{
	WARN_ON_ONCE(atomic_dec_return(&perf_sideband_users[kind]) < 0);
}

/**
 * perf_sideband_open - enable the hooks for the records of a new event
 * @event: an event that is not inherited; the events inherited from @event use the same hooks
 *
 * KSYMBOL records have kernel addresses. Any task may load a BPF program, or drop the last
 * reference to one. So an event gets no KSYMBOL records if its opener may not count in the kernel.
 * The open succeeds, because tools set attr.ksymbol for all users.
 *
 * Context: may sleep.
 */
void perf_sideband_open(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	int i;

	if (!perf_attr_has_sideband(attr))
		return;
	event->event_flags |= PERF_EVENT_SIDEBAND;
	if (attr->ksymbol && !perf_may_see_kernel())
		event->event_flags |= PERF_EVENT_NO_KSYMBOL;
	for (i = 0; i < ARRAY_SIZE(perf_record_kinds); i++) {
		if (perf_record_kinds[i]->attr_match(attr))
			perf_sideband_get(perf_record_kinds[i]->hook);
	}
}

/**
 * perf_sideband_close - undo perf_sideband_open(), if it was called
 * @event: event that is being freed
 */
void perf_sideband_close(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	int i;

	if (!(event->event_flags & PERF_EVENT_SIDEBAND))
		return;
	event->event_flags &= ~PERF_EVENT_SIDEBAND;
	for (i = 0; i < ARRAY_SIZE(perf_record_kinds); i++) {
		if (perf_record_kinds[i]->attr_match(attr))
			perf_sideband_put(perf_record_kinds[i]->hook);
	}
}

/**
 * perf_sideband_attach - start to send records to an event
 * @event: attached to its context, whose mutex is held; event->cold is set if it requests records
 *
 * A grace period must pass between perf_sideband_detach() and a further perf_sideband_attach() of
 * the same event.
 */
void perf_sideband_attach(struct perf_event *event)
{
	struct listeners *cpu;

	if (event->ctx->task || !perf_attr_has_sideband(&event->attr))
		return;

	cpu = per_cpu_ptr(&listeners, event->cpu);
	raw_spin_lock_irq(&cpu->lock);
	if (!cpu->events.next)
		INIT_LIST_HEAD(&cpu->events);
	list_add_tail_rcu(&event->cold->sb_list, &cpu->events);
	raw_spin_unlock_irq(&cpu->lock);
}

/**
 * perf_sideband_detach - undo perf_sideband_attach()
 * @event: not attached to its context any more; event->cpu has not changed
 *
 * Until a grace period has passed, a record that is being written may still reach the event.
 */
void perf_sideband_detach(struct perf_event *event)
{
	struct listeners *cpu;
	unsigned long flags;

	if (event->ctx->task || !perf_attr_has_sideband(&event->attr))
		return;

	cpu = per_cpu_ptr(&listeners, event->cpu);
	raw_spin_lock_irqsave(&cpu->lock, flags);
	list_del_rcu(&event->cold->sb_list);
	raw_spin_unlock_irqrestore(&cpu->lock, flags);
}

/* Is the event enabled for this CPU and cgroup? */
static bool perf_sideband_listens(const struct perf_event *event)
{
	if (READ_ONCE(event->state) < PERF_EVENT_STATE_INACTIVE)
		return false;
	if (event->cpu >= 0 && event->cpu != smp_processor_id())
		return false;
#ifdef CONFIG_CGROUP_PERF
	if (event->cgrp) {
		struct perf_cgroup *now = perf_cgroup_from_task(current, NULL);

		return cgroup_is_descendant(now->css.cgroup, event->cgrp->css.cgroup);
	}
#endif
	return true;
}

static void perf_sideband_put_part(struct perf_output_handle *handle, const void *part,
				   unsigned int size)
{
	if (size)
		perf_output_copy(handle, part, size);
}

/**
 * perf_record_send_to - write a record for one event
 * @event: the event
 * @record: the record
 *
 * Context: any, preemption is off, in an RCU section.
 */
void perf_record_send_to(struct perf_event *event, struct perf_record *record)
{
	static const u64 zero;
	struct perf_sample_data sample __uninitialized;
	struct perf_output_handle handle __uninitialized;
	struct perf_event_header header;
	unsigned int length, padding;

	if (record->kind && record->kind->fill)
		record->kind->fill(event, record);
	length = record->body_size + record->tail_size[0] + record->tail_size[1];
	padding = -length & (sizeof(u64) - 1);
	/* Header and sample_id words need less than 128 bytes. */
	if (length > PERF_RECORD_SIZE_MAX - 128)
		return;

	header.type = record->type;
	header.misc = record->misc;
	header.size = sizeof(header) + length + padding;
	perf_event_header__init_id(&header, &sample, event);
	if (perf_output_begin(&handle, &sample, event, header.size))
		return;
	perf_output_put(&handle, header);
	perf_sideband_put_part(&handle, record->body, record->body_size);
	perf_sideband_put_part(&handle, record->tail[0], record->tail_size[0]);
	perf_sideband_put_part(&handle, record->tail[1], record->tail_size[1]);
	perf_sideband_put_part(&handle, &zero, padding);
	perf_event__output_id_sample(event, &handle, &sample);
	perf_output_end(&handle);
}

static bool perf_sideband_hides(const struct perf_event *event, const struct perf_record *record)
{
	return record->kind == &perf_ksymbol_kind &&
	       (perf_event_parent(event)->event_flags & PERF_EVENT_NO_KSYMBOL);
}

/*
 * Does the event get the record? The cheapest tests are first. A task may have a thousand counting
 * events: the test of event->cold, which is next to event->event_entry, excludes them. A tool may
 * have opened an event of the task on each of a thousand CPUs: event->cpu excludes all but one of
 * these events.
 */
static bool perf_sideband_takes(const struct perf_event *event, const struct perf_record *record)
{
	const struct perf_event_attr *attr = &event->attr;

	return READ_ONCE(event->cold) && perf_sideband_listens(event) &&
	       record->kind->attr_match(attr) && !perf_sideband_hides(event, record) &&
	       (!record->kind->record_match || record->kind->record_match(attr, record));
}

static void perf_sideband_offer(struct perf_event *event, struct perf_record *record)
{
	if (perf_sideband_takes(event, record))
		perf_record_send_to(event, record);
}

/*
 * Get the context for records that originate here, or NULL. A softirq or interrupt works for other
 * tasks than the one it interrupts: an RCU callback may free the BPF program of another user.
 */
static struct perf_event_context *perf_record_context(void)
{
	return in_task() ? perf_task_context(current) : NULL;
}

/**
 * perf_record_has_listener - would perf_record_send_current() write a record for any event?
 * @record: the record, with @kind and the fields that @kind->record_match uses
 *
 * Records with names or build ids are expensive, so callers check first. An event that is attached
 * after the check gets only later records.
 *
 * Context: any.
 * Return: true if an event would get the record
 */
bool perf_record_has_listener(const struct perf_record *record)
{
	const struct perf_event_context *ctx;
	const struct perf_event_cold *cold;
	const struct perf_event *event;
	const struct listeners *cpu;

	guard(preempt)();
	guard(rcu)();
	cpu = this_cpu_ptr(&listeners);
	if (READ_ONCE(cpu->events.next)) {
		list_for_each_entry_rcu(cold, &cpu->events, sb_list) {
			if (perf_sideband_takes(cold->event, record))
				return true;
		}
	}
	ctx = perf_record_context();
	if (!ctx)
		return false;
	list_for_each_entry_rcu(event, &ctx->event_list, event_entry) {
		if (perf_sideband_takes(event, record))
			return true;
	}
	return false;
}

/**
 * perf_record_send - write a record for all events of this CPU and a task that request it
 * @record: the record
 * @ctx: context of the task; NULL for the events of this CPU only
 *
 * Context: any. The caller holds a reference to @ctx, or is in an RCU section.
 */
void perf_record_send(struct perf_record *record, struct perf_event_context *ctx)
{
	struct perf_event_cold *cold;
	struct perf_event *event;
	struct listeners *cpu;

	preempt_disable();
	rcu_read_lock();
	cpu = this_cpu_ptr(&listeners);
	if (READ_ONCE(cpu->events.next)) {
		list_for_each_entry_rcu(cold, &cpu->events, sb_list)
			perf_sideband_offer(cold->event, record);
	}
	if (ctx) {
		list_for_each_entry_rcu(event, &ctx->event_list, event_entry)
			perf_sideband_offer(event, record);
	}
	rcu_read_unlock();
	preempt_enable();
}

/**
 * perf_record_send_current - write a record about an action of current, or of an interrupt
 * @record: the record
 *
 * In a softirq, hard interrupt or NMI, only the events of this CPU get the record.
 *
 * Context: any.
 */
void perf_record_send_current(struct perf_record *record)
{
	rcu_read_lock();
	perf_record_send(record, perf_record_context());
	rcu_read_unlock();
}
