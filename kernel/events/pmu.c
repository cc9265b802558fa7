// SPDX-License-Identifier: GPL-2.0
/*
 * Registration of PMUs, the PMU of an event, and the capabilities that events need. For the
 * locking see pmu.h.
 */
#include <linux/cache.h>
#include <linux/idr.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu-refcount.h>
#include <linux/perf_event.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/srcu.h>
#include <linux/wait.h>

#include "attr.h"
#include "context.h"
#include "event.h"
#include "internal.h"
#include "pmu.h"
#include "pmu_scope.h"
#include "pmu_sysfs.h"
#include "record/aux.h"
#include "refuse.h"
#include "rotate.h"

/**
 * struct pmu_entry - registration data of a PMU
 * @pmu: the PMU
 * @gone: @pmu is being unregistered: no new events
 * @children: one reference for each inherited event, in a per-CPU counter until the PMU is
 *	unregistered
 * @stats: per-CPU statistics for debugfs; NULL before the first reader
 * @left: perf_pmu_unregister() waits here for @events and @children
 * @rcu_head: for kfree_rcu()
 * @lock: protects @events; innermost, process context. Not in the cache line of the fields that
 *	forks and exits with inherited events read, because each open and close writes it
 * @events: all events of the PMU except inherited ones, which are found through event->parent
 */
struct pmu_entry {
	struct pmu		*pmu;
	bool			gone;
	struct percpu_ref	children;
	struct perf_pmu_stats __percpu *stats;
	wait_queue_head_t	left;
	struct rcu_head		rcu_head;

	spinlock_t		lock ____cacheline_aligned_in_smp; /* protects @events */
	struct list_head	events;
};

/* kmalloc() aligns a size of whole cache lines to cache lines. */
static_assert(!IS_ENABLED(CONFIG_SMP) || offsetof(struct pmu_entry, lock) >= SMP_CACHE_BYTES);

DEFINE_MUTEX(perf_pmus_lock);	/* protects perf_pmus and pmu_types */
DEFINE_STATIC_SRCU(pmus_srcu);
LIST_HEAD(perf_pmus);
/* PMUs by type: struct pmu_entry, or NULL for a type that is only reserved */
static DEFINE_IDR(pmu_types);

/* Default callbacks */

static void perf_pmu_nop(struct pmu *pmu)
{
}

static void perf_pmu_no_flags(struct perf_event *event, int flags)
{
}

static void perf_pmu_no_read(struct perf_event *event)
{
}

static int perf_pmu_no_event_idx(struct perf_event *event)
{
	return 0;
}

static int perf_pmu_any_period(struct perf_event *event, u64 value)
{
	return 0;
}

/* The default transaction keeps the PMU disabled while members are added. */
static DEFINE_PER_CPU(unsigned int, txn_flags);

static void perf_pmu_default_start_txn(struct pmu *pmu, unsigned int flags)
{
	__this_cpu_write(txn_flags, flags);
	if (flags == PERF_PMU_TXN_ADD)
		perf_pmu_disable(pmu);
}

static void perf_pmu_default_cancel_txn(struct pmu *pmu)
{
	if (__this_cpu_xchg(txn_flags, 0) == PERF_PMU_TXN_ADD)
		perf_pmu_enable(pmu);
}

static int perf_pmu_default_commit_txn(struct pmu *pmu)
{
	perf_pmu_default_cancel_txn(pmu);
	return 0;
}

static void perf_pmu_set_defaults(struct pmu *pmu)
{
	if (!pmu->pmu_enable)
		pmu->pmu_enable = perf_pmu_nop;
	if (!pmu->pmu_disable)
		pmu->pmu_disable = perf_pmu_nop;
	if (!pmu->start)
		pmu->start = perf_pmu_no_flags;
	if (!pmu->stop)
		pmu->stop = perf_pmu_no_flags;
	if (!pmu->read)
		pmu->read = perf_pmu_no_read;
	if (!pmu->start_txn) {
		pmu->start_txn = perf_pmu_default_start_txn;
		pmu->commit_txn = perf_pmu_default_commit_txn;
		pmu->cancel_txn = perf_pmu_default_cancel_txn;
	}
	if (!pmu->event_idx)
		pmu->event_idx = perf_pmu_no_event_idx;
	if (!pmu->check_period)
		pmu->check_period = perf_pmu_any_period;
	if (pmu->hrtimer_interval_ms < 1)
		pmu->hrtimer_interval_ms = max(MSEC_PER_SEC / HZ, 1L);
	atomic_set(&pmu->exclusive_cnt, 0);
}

/**
 * perf_pmu_disable - stop all of a PMU's counters on this CPU
 * @pmu: the PMU
 *
 * Calls can be nested.
 *
 * Context: preemption is off.
 */
void perf_pmu_disable(struct pmu *pmu)
{
	if (__this_cpu_inc_return(*pmu->pmu_disable_count) == 1)
		pmu->pmu_disable(pmu);
}

/**
 * perf_pmu_enable - undo one perf_pmu_disable()
 * @pmu: the PMU
 *
 * Context: preemption is off.
 */
void perf_pmu_enable(struct pmu *pmu)
{
	if (__this_cpu_dec_return(*pmu->pmu_disable_count) == 0)
		pmu->pmu_enable(pmu);
}

/*
 * PMU of events whose PMU was unregistered. Its callbacks should never be called, and do
 * nothing.
 */

static int perf_pmu_dead_init(struct perf_event *event)
{
	return -ENOENT;
}

static int perf_pmu_dead_add(struct perf_event *event, int flags)
{
	return -ENODEV;
}

static DEFINE_PER_CPU(int, gone_disable_count);

static struct pmu perf_pmu_dead = {
	.name			= "gone",
	.type			= -1,
	.capabilities		= PERF_PMU_CAP_NO_INTERRUPT,
	.task_ctx_nr		= perf_invalid_context,
	.pmu_disable_count	= &gone_disable_count,
	.pmu_enable		= perf_pmu_nop,
	.pmu_disable		= perf_pmu_nop,
	.event_init		= perf_pmu_dead_init,
	.add			= perf_pmu_dead_add,
	.del			= perf_pmu_no_flags,
	.start			= perf_pmu_no_flags,
	.stop			= perf_pmu_no_flags,
	.read			= perf_pmu_no_read,
	.start_txn		= perf_pmu_default_start_txn,
	.commit_txn		= perf_pmu_default_commit_txn,
	.cancel_txn		= perf_pmu_default_cancel_txn,
	.event_idx		= perf_pmu_no_event_idx,
	.check_period		= perf_pmu_any_period,
};

/**
 * perf_pmu_is_unregistered - was the event's PMU unregistered?
 * @event: the event
 *
 * Return: true after perf_pmu_del_event()
 */
bool perf_pmu_is_unregistered(const struct perf_event *event)
{
	return READ_ONCE(event->pmu) == &perf_pmu_dead;
}

/* Capabilities that an event needs of its PMU */

static bool perf_pmu_exclusion_possible(const struct perf_event *event)
{
	return !(event->pmu->capabilities & PERF_PMU_CAP_NO_EXCLUDE) ||
	       !event_has_any_exclude_flag((struct perf_event *)event);
}

static bool perf_pmu_registers_possible(const struct perf_event *event)
{
	u64 regs = event->attr.sample_regs_user | event->attr.sample_regs_intr;

	return !(regs & PERF_REG_EXTENDED_MASK) ||
	       (event->pmu->capabilities & PERF_PMU_CAP_EXTENDED_REGS);
}

static bool perf_pmu_target_possible(const struct perf_event *event)
{
	if (event->pmu->task_ctx_nr != perf_invalid_context)
		return true;
	return !event->hw.target && !(event->event_flags & PERF_EVENT_OF_CGROUP);
}

static bool perf_pmu_aux_output_possible(const struct perf_event *event)
{
	if (!event->attr.aux_output)
		return true;
	return (event->pmu->capabilities & PERF_PMU_CAP_AUX_OUTPUT) &&
	       !event->attr.aux_pause && !event->attr.aux_resume;
}

static bool perf_pmu_aux_pause_possible(const struct perf_event *event)
{
	return !event->attr.aux_start_paused ||
	       (event->pmu->capabilities & PERF_PMU_CAP_AUX_PAUSE);
}

static bool perf_pmu_cpu_possible_for(const struct perf_event *event)
{
	unsigned int scope = event->pmu->scope;

	/* event_init may have set event->cpu: to an invalid CPU if the instance has none. */
	if (!event->hw.target && ((unsigned int)event->cpu >= nr_cpu_ids ||
				  !cpu_possible(event->cpu)))
		return false;
	return scope == PERF_PMU_SCOPE_NONE || event->cpu < 0 ||
	       perf_scope_exists(scope, event->cpu);
}

/**
 * struct pmu_demand - a capability that an event may need of its PMU
 * @refusal: reason for an error
 * @possible: return true if the event does not need it, or the PMU has it
 */
struct pmu_demand {
	enum perf_refusal_id	refusal;
	bool			(*possible)(const struct perf_event *event);
};

static const struct pmu_demand perf_pmu_demands[] = {
	{ PERF_REFUSED_PMU_EXCLUDES, perf_pmu_exclusion_possible },
	{ PERF_REFUSED_PMU_REGISTERS, perf_pmu_registers_possible },
	{ PERF_REFUSED_PMU_TASKS, perf_pmu_target_possible },
	{ PERF_REFUSED_PMU_CPU, perf_pmu_cpu_possible_for },
	{ PERF_REFUSED_PMU_AUX_OUTPUT, perf_pmu_aux_output_possible },
	{ PERF_REFUSED_AUX_BOTH, perf_event_has_one_aux_action },
	{ PERF_REFUSED_PMU_AUX_PAUSE, perf_pmu_aux_pause_possible },
};

static int perf_pmu_can_do(const struct perf_event *event)
{
	unsigned int i;

	/* A PMU that has accepted the parent event accepts the inherited one. */
	if (event->parent)
		return 0;
	for (i = 0; i < ARRAY_SIZE(perf_pmu_demands); i++) {
		if (!perf_pmu_demands[i].possible(event))
			return perf_refuse_with_pmu(perf_pmu_demands[i].refusal, event);
	}
	return 0;
}

/**
 * perf_pmu_check_clock - can samples of this event use its record clock?
 * @event: new event, with event->pmu set
 *
 * Called after perf_pmu_init_event(), because the order of the checks determines the errno: see
 * attr.h. The PMU may be unregistered concurrently: the caller is in an RCU or SRCU (pmus_srcu)
 * section, so the PMU's memory is not freed.
 *
 * Return: 0 on success, -ENODEV if the PMU was unregistered, -EINVAL if samples, or samples in an
 * NMI, cannot use the record clock
 */
int perf_pmu_check_clock(const struct perf_event *event)
{
	const struct pmu *pmu = READ_ONCE(event->pmu);
	int err = perf_attr_check_at(&event->attr, PERF_ATTR_AT_PMU);

	if (pmu == &perf_pmu_dead)
		return perf_refuse(PERF_REFUSED_PMU_GONE);
	if (!err && !(pmu->capabilities & PERF_PMU_CAP_NO_NMI) &&
	    !perf_attr_clock_is_nmi_safe(&event->attr))
		err = perf_refuse_value(PERF_REFUSED_CLOCKID_NMI, event->attr.clockid);
	return err;
}

/* Search for an event's PMU */

static struct pmu_entry *perf_pmu_entry_of_type(u32 type)
{
	struct pmu_entry *pe;

	rcu_read_lock();
	pe = type <= INT_MAX ? idr_find(&pmu_types, type) : NULL;
	rcu_read_unlock();
	return pe;
}

/**
 * perf_pmu_stats - get the statistics of a PMU
 * @pmu: registered, protected by RCU or perf_pmus_lock
 *
 * Context: any, including NMI.
 * Return: per-CPU statistics; NULL before perf_pmu_install_stats()
 */
struct perf_pmu_stats __percpu *perf_pmu_stats(const struct pmu *pmu)
{
	struct pmu_entry *pe = perf_pmu_entry_of_type(pmu->type);

	return pe && pe->pmu == pmu ? READ_ONCE(pe->stats) : NULL;
}

/**
 * perf_pmu_install_stats - give memory for statistics to a PMU that has none
 * @stats: the per-CPU memory
 *
 * Context: may sleep.
 * Return: true if a PMU has taken it
 */
bool perf_pmu_install_stats(struct perf_pmu_stats __percpu *stats)
{
	struct pmu_entry *pe;
	struct pmu *pmu;

	guard(mutex)(&perf_pmus_lock);
	list_for_each_entry(pmu, &perf_pmus, entry) {
		pe = perf_pmu_entry_of_type(pmu->type);
		if (!WARN_ON_ONCE(!pe) && !pe->stats) {
			WRITE_ONCE(pe->stats, stats);
			return true;
		}
	}
	return false;
}

/* Drivers check whether the whole group fits, so the group must not change. */
static int perf_pmu_event_init(struct pmu *pmu, struct perf_event *event)
{
	struct perf_event *leader = event->group_leader;
	unsigned int nofs;
	int err;

	if (leader == event || pmu->task_ctx_nr == perf_sw_context)
		return pmu->event_init(event);
	if (event->parent) {
		lockdep_assert_held(&leader->ctx->mutex);
		return pmu->event_init(event);
	}
	CLASS(event_context, ctx)(leader);
	/*
	 * Avoid a false lockdep report about an allocation under ctx->mutex: drivers do not
	 * charge memory to a cgroup, so they do not wait for one that has reached its limit.
	 */
	nofs = memalloc_nofs_save();
	err = pmu->event_init(event);
	memalloc_nofs_restore(nofs);
	return err;
}

/*
 * Add an event that the PMU has accepted, so that the unregistration of the PMU waits for it. An
 * inherited event is not listed, to avoid a lock of the PMU in all forks: perf_event_revoke() of
 * event->parent removes the inherited event.
 */
static void perf_pmu_entry_add_event(struct pmu_entry *pe, struct perf_event *event)
{
	if (event->parent) {
		percpu_ref_get(&pe->children);
		return;
	}
	spin_lock(&pe->lock);
	list_add_tail(&event->pmu_list, &pe->events);
	spin_unlock(&pe->lock);
}

/* Does this PMU accept the event? pmus_srcu is held. */
static int perf_pmu_entry_try(struct pmu_entry *pe, struct perf_event *event)
{
	struct pmu *pmu = pe->pmu;
	int err = -ENODEV;

	lockdep_assert(srcu_read_lock_held(&pmus_srcu));
	if (READ_ONCE(pe->gone))
		return event->parent ? -ENODEV : perf_refuse(PERF_REFUSED_NO_PMU);
	/* Inherited events need no module reference: perf_pmu_unregister() waits for them. */
	if (!event->parent && !try_module_get(pmu->module))
		return perf_refuse(PERF_REFUSED_PMU_GONE);

	event->pmu = pmu;
	err = perf_pmu_event_init(pmu, event);
	if (err) {
		if (err != -ENOENT)
			perf_refuse_by_pmu(event, err);
		/* event_init has failed and kept no resource, so there is nothing to destroy. */
		event->destroy = NULL;
		goto refused;
	}
	err = perf_pmu_can_do(event);
	if (!err && !(event->event_caps & PERF_EV_CAP_ALWAYS_ON))
		err = perf_cpu_pmu_contexts_make(pmu);
	if (err)
		goto undo;
	/* hw.aux_paused has the current state; attr.aux_start_paused is only its initial value. */
	if (event->attr.aux_start_paused)
		event->hw.aux_paused = 1;

	/* Software events ignore the scope: a group may have events of several software PMUs. */
	if (pmu->task_ctx_nr == perf_sw_context)
		event->event_caps |= PERF_EV_CAP_SOFTWARE;
	else if (pmu->scope != PERF_PMU_SCOPE_NONE && event->cpu >= 0)
		event->event_caps |= PERF_EV_CAP_READ_SCOPE;

	perf_pmu_entry_add_event(pe, event);
	return 0;

undo:
	if (event->destroy)
		event->destroy(event);
	event->destroy = NULL;
refused:
	event->pmu = &perf_pmu_dead;
	if (!event->parent)
		module_put(pmu->module);
	return err;
}

/* Types of events that PMUs of other types may support */
static bool perf_pmu_type_is_generic(u32 type)
{
	return type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE ||
	       type == PERF_TYPE_RAW || type == PERF_TYPE_SOFTWARE;
}

static int perf_pmu_try_all(struct perf_event *event)
{
	bool software = event->attr.type == PERF_TYPE_SOFTWARE;
	struct pmu *pmu;

	if (!perf_pmu_type_is_generic(event->attr.type))
		return -ENOENT;

	list_for_each_entry_srcu(pmu, &perf_pmus, entry, srcu_read_lock_held(&pmus_srcu)) {
		struct pmu_entry *pe = perf_pmu_entry_of_type(pmu->type);
		int err;

		if (!pe || (software && pmu->task_ctx_nr != perf_sw_context))
			continue;
		err = perf_pmu_entry_try(pe, event);
		if (err != -ENOENT)
			return err;
	}
	return -ENOENT;
}

/*
 * Call pmu::event_init of the PMU with @type. The callback may set attr.type to another PMU's type
 * and return -ENOENT: then call that PMU, a limited number of times.
 */
static int perf_pmu_try_type(struct perf_event *event, u32 type)
{
	int hops;

	for (hops = 0; hops < 4; hops++) {
		struct pmu_entry *pe = perf_pmu_entry_of_type(type);
		int err;

		if (!pe)
			break;
		err = perf_pmu_entry_try(pe, event);
		if (err != -ENOENT || event->attr.type == type)
			return err;
		type = event->attr.type;
	}
	return -ENOENT;
}

/*
 * Call the PMU with @type, the upper half of config. Without such a PMU, call all. The PMU must
 * have PERF_PMU_CAP_EXTENDED_HW_TYPE, unless @type is PERF_TYPE_RAW.
 */
static int perf_pmu_try_extended(struct perf_event *event, u32 type)
{
	struct pmu_entry *pe = perf_pmu_entry_of_type(type);

	if (pe && type != PERF_TYPE_RAW &&
	    !(pe->pmu->capabilities & PERF_PMU_CAP_EXTENDED_HW_TYPE))
		return -ENOENT;
	event->attr.config &= PERF_HW_EVENT_MASK;
	return pe && !READ_ONCE(pe->gone) ? perf_pmu_entry_try(pe, event) : perf_pmu_try_all(event);
}

/*
 * The PMU of event->parent, @same, may be being unregistered, but its type is not free yet: before
 * perf_pmu_unregister() frees the type, it waits until event->parent has left the PMU, and then for
 * this SRCU section (pmus_srcu).
 */
static int perf_pmu_try_same(struct perf_event *event, const struct pmu *same)
{
	struct pmu_entry *pe;

	event->orig_type = event->parent->orig_type;
	if (same == &perf_pmu_dead)
		return -ENODEV;
	pe = perf_pmu_entry_of_type(same->type);
	if (WARN_ON_ONCE(!pe || pe->pmu != same))
		return -ENODEV;
	return perf_pmu_entry_try(pe, event);
}

static int perf_pmu_find_and_init(struct perf_event *event)
{
	u32 type = event->attr.type;
	int err;

	if (event->parent)
		return perf_pmu_try_same(event, READ_ONCE(event->parent->pmu));

	err = perf_attr_check_at(&event->attr, PERF_ATTR_AT_ALLOC);
	if (err)
		return err;

	event->orig_type = type;
	if (type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE) {
		u32 extended = event->attr.config >> PERF_PMU_TYPE_SHIFT;

		if (extended)
			return perf_pmu_try_extended(event, extended);
		type = PERF_TYPE_RAW;
	}

	err = perf_pmu_try_type(event, type);
	if (err != -ENOENT)
		return err;
	/* The config of a raw event has a meaning only for the PMU of raw events. */
	if (event->orig_type == PERF_TYPE_RAW && perf_pmu_entry_of_type(PERF_TYPE_RAW))
		return -ENOENT;
	return perf_pmu_try_all(event);
}

/**
 * perf_pmus_read_lock - prevent PMUs from being unregistered
 *
 * perf_pmu_unregister() waits for the end of this section. So in the section an event may use the
 * PMU that it has found, although the event is not attached. Calls can be nested.
 *
 * Context: may sleep.
 * Return: argument for perf_pmus_read_unlock()
 */
int perf_pmus_read_lock(void)
	__acquires(&pmus_srcu)
{
	return srcu_read_lock(&pmus_srcu);
}

/**
 * perf_pmus_read_unlock - undo perf_pmus_read_lock()
 * @idx: from perf_pmus_read_lock()
 */
void perf_pmus_read_unlock(int idx)
	__releases(&pmus_srcu)
{
	srcu_read_unlock(&pmus_srcu, idx);
}

/**
 * perf_pmu_init_event - find the PMU of a new event
 * @event: new event; pmu.h lists the fields that are set, and the errors
 *
 * Context: between perf_pmus_read_lock() and perf_pmus_read_unlock().
 * Return: the PMU, which is event->pmu now, or an ERR_PTR()
 */
struct pmu *perf_pmu_init_event(struct perf_event *event)
{
	int err;

	event->pmu = &perf_pmu_dead;
	perf_refusal_clear();
	err = perf_pmu_find_and_init(event);
	if (err == -ENOENT && !event->parent)
		perf_refuse_value(PERF_REFUSED_NO_PMU, event->attr.type);
	else if (!err || event->parent)
		perf_refusal_clear();
	/* A concurrent unregistration may change event->pmu. */
	return err ? ERR_PTR(err) : READ_ONCE(event->pmu);
}

/**
 * perf_pmu_del_event - remove an event from its PMU
 * @event: in no context, its counter is stopped; see pmu.h
 */
void perf_pmu_del_event(struct perf_event *event)
{
	struct pmu *pmu = event->pmu;
	struct module *module;
	struct pmu_entry *pe;

	if (!pmu || pmu == &perf_pmu_dead)
		return;

	module = pmu->module;
	if (event->destroy)
		event->destroy(event);
	event->destroy = NULL;

	/* The PMU may be freed once it has no events. */
	rcu_read_lock();
	pe = perf_pmu_entry_of_type(pmu->type);
	if (event->parent) {
		WRITE_ONCE(event->pmu, &perf_pmu_dead);
		percpu_ref_put(&pe->children);
		rcu_read_unlock();
		return;
	}
	spin_lock(&pe->lock);
	WRITE_ONCE(event->pmu, &perf_pmu_dead);
	list_del(&event->pmu_list);
	spin_unlock(&pe->lock);
	if (READ_ONCE(pe->gone))
		wake_up(&pe->left);
	rcu_read_unlock();
	module_put(module);
}

/* Registration */

/* The first event allocates cpu_pmu_context. Drivers may disable the PMU before that. */
static int perf_pmu_alloc_percpu(struct pmu *pmu)
{
	pmu->cpu_pmu_context = NULL;
	pmu->pmu_disable_count = alloc_percpu(int);
	return pmu->pmu_disable_count ? 0 : -ENOMEM;
}

static void perf_pmu_free_percpu(struct pmu *pmu)
{
	perf_cpu_pmu_contexts_free(pmu);
	free_percpu(pmu->pmu_disable_count);
	pmu->pmu_disable_count = NULL;
}

/*
 * Allocate a type: the requested one, or for -1 a new one. If the type is in use, the PMU
 * gets a new one, and can still support generic events.
 */
static int perf_pmu_type_alloc(const struct pmu *pmu, int type)
{
	int got;

	if (type >= 0) {
		got = idr_alloc(&pmu_types, NULL, type, type + 1, GFP_KERNEL);
		if (got != -ENOSPC)
			return got;
		pr_warn("perf: type %d of PMU %s is in use, the PMU gets another type\n", type,
			pmu->name ?: "without name");
	}
	return idr_alloc(&pmu_types, NULL, PERF_TYPE_MAX, 0, GFP_KERNEL);
}

/*
 * The list starts with the kernel's own PMUs, which have most of the events. PMUs of drivers
 * follow, the last registered one first: this PMU gets the generic events that several PMUs
 * support. On ARM it is the PMU of the big cores, which is probed after that of the little cores.
 */
static void perf_pmu_list(struct pmu *pmu, bool own)
{
	struct pmu *next;

	lockdep_assert_held(&perf_pmus_lock);
	if (own) {
		list_add_rcu(&pmu->entry, &perf_pmus);
		return;
	}
	list_for_each_entry(next, &perf_pmus, entry) {
		if (next->name && next->type != PERF_TYPE_SOFTWARE)
			break;
	}
	list_add_tail_rcu(&pmu->entry, &next->entry);
}

/* The last inherited event of a PMU that is being unregistered was freed. */
static void perf_pmu_entry_has_no_children(struct percpu_ref *children)
{
	wake_up(&container_of(children, struct pmu_entry, children)->left);
}

static struct pmu_entry *perf_pmu_entry_alloc(struct pmu *pmu)
{
	struct pmu_entry *pe = kzalloc(sizeof(*pe), GFP_KERNEL);

	if (!pe)
		return NULL;
	if (percpu_ref_init(&pe->children, perf_pmu_entry_has_no_children, 0, GFP_KERNEL)) {
		kfree(pe);
		return NULL;
	}
	pe->pmu = pmu;
	spin_lock_init(&pe->lock);
	INIT_LIST_HEAD(&pe->events);
	init_waitqueue_head(&pe->left);
	return pe;
}

static bool perf_pmu_is_complete(const struct pmu *pmu)
{
	return pmu->event_init && pmu->add && pmu->del && pmu->scope < PERF_PMU_MAX_SCOPE &&
	       !pmu->start_txn == !pmu->commit_txn && !pmu->start_txn == !pmu->cancel_txn;
}

/**
 * perf_pmu_register - register a PMU
 * @pmu: initialised by its driver; optional callbacks get defaults
 * @name: name in sysfs, or NULL for a PMU that is not in sysfs; not copied
 * @type: PERF_TYPE_*, or -1 for a new type. If another PMU has the type, this PMU gets a new one
 *
 * Events can be opened once this returns, and shortly before. Of several PMUs for the same
 * generic events, the one registered last is called first. May sleep.
 *
 * Return: 0 on success, -EINVAL if a mandatory field is missing, -EEXIST if the name is in use,
 * -ENOMEM
 */
int perf_pmu_register(struct pmu *pmu, const char *name, int type)
{
	struct pmu_entry *pe;
	int err;

	if (WARN_ON_ONCE(!perf_pmu_is_complete(pmu)))
		return -EINVAL;
	pe = perf_pmu_entry_alloc(pmu);
	if (!pe)
		return -ENOMEM;

	pmu->name = name;
	perf_pmu_set_defaults(pmu);
	err = perf_pmu_alloc_percpu(pmu);
	if (err)
		goto free_entry;

	mutex_lock(&perf_pmus_lock);
	err = perf_pmu_type_alloc(pmu, type);
	if (err < 0)
		goto unlock;
	pmu->type = err;
	err = perf_pmu_dev_add(pmu);
	if (err)
		goto free_type;

	idr_replace(&pmu_types, pe, pmu->type);
	perf_pmu_list(pmu, pmu->type == PERF_TYPE_SOFTWARE || !name);
	mutex_unlock(&perf_pmus_lock);
	return 0;

free_type:
	idr_remove(&pmu_types, pmu->type);
unlock:
	mutex_unlock(&perf_pmus_lock);
	perf_pmu_free_percpu(pmu);
free_entry:
	percpu_ref_exit(&pe->children);
	kfree(pe);
	return err;
}
EXPORT_SYMBOL_GPL(perf_pmu_register);

/*
 * Take a reference to an event of the list. Events that are being freed are skipped, as they
 * leave the list themselves. Return false if there are only such events.
 */
static bool perf_pmu_entry_hold_event(struct pmu_entry *pe, struct perf_event **held)
{
	struct perf_event *event;
	bool done;

	*held = NULL;
	spin_lock(&pe->lock);
	list_for_each_entry(event, &pe->events, pmu_list) {
		if (perf_event_tryget(event)) {
			*held = event;
			break;
		}
	}
	done = *held || list_empty(&pe->events);
	spin_unlock(&pe->lock);
	return done;
}

static void perf_pmu_entry_revoke_events(struct pmu_entry *pe)
{
	struct perf_event *event;

	for (;;) {
		wait_event(pe->left, perf_pmu_entry_hold_event(pe, &event));
		if (!event)
			break;
		perf_event_revoke(event);
		perf_pmu_del_event(event);
		perf_event_put(event);
	}
	/*
	 * The lists of inherited events are empty. The remaining events belong to a fork that was
	 * too late to add them to a list, or have references that are dropped in bounded time.
	 */
	wait_event(pe->left, percpu_ref_is_zero(&pe->children));
}

/**
 * perf_pmu_unregister - unregister a PMU
 * @pmu: the PMU, which was registered with perf_pmu_register()
 *
 * Afterwards the PMU's events are dead, and none of its callbacks is called any more. May sleep.
 * The caller must not hold a context's mutex, nor a lock that pmu::event_init, pmu::setup_aux,
 * pmu::free_aux or perf_event::destroy takes.
 */
void perf_pmu_unregister(struct pmu *pmu)
{
	struct pmu_entry *pe;

	mutex_lock(&perf_pmus_lock);
	pe = perf_pmu_entry_of_type(pmu->type);
	if (WARN_ON_ONCE(!pe || pe->pmu != pmu || pe->gone)) {
		mutex_unlock(&perf_pmus_lock);
		return;
	}
	WRITE_ONCE(pe->gone, true);
	list_del_rcu(&pmu->entry);
	mutex_unlock(&perf_pmus_lock);

	/* Wait until the callers that have found the PMU have added their events to pe->events. */
	synchronize_srcu(&pmus_srcu);
	percpu_ref_kill(&pe->children);
	perf_pmu_dev_remove(pmu);
	perf_pmu_entry_revoke_events(pe);

	/*
	 * Wait for walks under RCU, which use the PMU's part of a CPU's context, and for
	 * perf_pmu_del_event() of the last inherited event, which uses pe->children and pe->left.
	 */
	synchronize_rcu();
	percpu_ref_exit(&pe->children);
	/* RCU frees task data to the PMU's cache, which the driver may destroy after this. */
	if (pmu->task_ctx_cache)
		rcu_barrier();
	/* An mmap(2) of an AUX area may have seen a live event: wait for such calls. */
	synchronize_srcu(&pmus_srcu);
	perf_aux_revoke(pmu);
	perf_pmu_free_percpu(pmu);
	free_percpu(pe->stats);
	pe->stats = NULL;

	/* Free the type last: until then no other PMU can get it. */
	mutex_lock(&perf_pmus_lock);
	idr_remove(&pmu_types, pmu->type);
	mutex_unlock(&perf_pmus_lock);
	/* Callers that have found the entry by its type may read pe->gone until now. */
	synchronize_srcu(&pmus_srcu);
	kfree_rcu(pe, rcu_head);
}
EXPORT_SYMBOL_GPL(perf_pmu_unregister);

/**
 * perf_event_print_debug - print the state of this CPU's counters
 *
 * For SysRq p, with interrupts off or on. Architectures with readable counters override this
 * function.
 */
void __weak perf_event_print_debug(void)
{
}

#if IS_ENABLED(CONFIG_PERF_EVENTS_KUNIT_TEST)
#include "tests/pmu_test.c"
#endif
