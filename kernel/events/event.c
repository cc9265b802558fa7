// SPDX-License-Identifier: GPL-2.0
/* Allocation, references and freeing of events */
#include <linux/llist.h>
#include <linux/pid_namespace.h>
#include <linux/sched/task.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/tick.h>

#include "attr.h"
#include "cgroup.h"
#include "cold.h"
#include "context.h"
#include "delay.h"
#include "event.h"
#include "event_id.h"
#include "exit.h"
#include "group.h"
#include "inherit_list.h"
#include "internal.h"
#include "overflow.h"
#include "pmu.h"
#include "record/aux.h"
#include "record/buffer.h"
#include "record/sideband.h"
#include "refuse.h"
#include "sched_cb.h"
#include "source/addr_filter.h"
#include "source/bpf.h"
#include "source/tracepoint.h"
#include "syscall.h"
#include "throttle.h"
#include "time.h"

/* Events of tracepoints have more fields than others: see EVENT_SIZE. */
static struct kmem_cache *perf_event_cache __ro_after_init;
static struct kmem_cache *perf_tracepoint_event_cache __ro_after_init;
static struct kmem_cache *perf_cold_cache __ro_after_init;

/**
 * struct late_events - events whose last reference was dropped in a context that cannot free them
 * @events: the events, linked by perf_event::late_entry
 * @work: frees @events, on any CPU
 */
struct late_events {
	struct llist_head	events;
	struct work_struct	work;
};

static DEFINE_PER_CPU(struct late_events, late_events);
/*
 * A failed fork waits for this work in perf_event_free_task(), where no worker can be forked:
 * WQ_MEM_RECLAIM gives the queue a worker of its own. Unbound, because a worker bound to a CPU
 * might wait for a real-time task that never sleeps.
 */
static struct workqueue_struct *late_events_wq __ro_after_init;

/* Context of an event whose PMU was unregistered before the event had a context */
#define REVOKED	((struct perf_event_context *)-1L)

/* Size of all events except those of tracepoints */
#define EVENT_SIZE	offsetofend(struct perf_event, pmu_list)

static_assert(!IS_ENABLED(CONFIG_64BIT) || EVENT_SIZE <= 640);
/* fork and exit write event->refcount; samples of inherited events read the fields before it. */
static_assert(!IS_ENABLED(CONFIG_64BIT) || L1_CACHE_BYTES > 64 ||
	      (offsetofend(struct perf_event, overflow_handler) - 1) / L1_CACHE_BYTES <
	      offsetof(struct perf_event, refcount) / L1_CACHE_BYTES);
/* With lock debugging perf_event_cold::waitq is larger. */
static_assert(!IS_ENABLED(CONFIG_64BIT) || sizeof(wait_queue_head_t) > 24 ||
	      sizeof(struct perf_event_cold) <= 272);

static void perf_event_free_late_work(struct work_struct *work);

/**
 * perf_event_caches_init - create the slab caches and the workqueue at boot
 */
void __init perf_event_caches_init(void)
{
	unsigned int cpu;

	perf_event_cache = kmem_cache_create("perf_event", EVENT_SIZE, 0,
					     SLAB_HWCACHE_ALIGN | SLAB_PANIC, NULL);
	perf_tracepoint_event_cache = kmem_cache_create("perf_event_tp", sizeof(struct perf_event),
							0, SLAB_HWCACHE_ALIGN | SLAB_PANIC, NULL);
	/* kmalloc() would round the size up. */
	perf_cold_cache = kmem_cache_create("perf_event_cold", sizeof(struct perf_event_cold), 0,
					    SLAB_PANIC, NULL);
	late_events_wq = alloc_workqueue("perf_event_free", WQ_MEM_RECLAIM | WQ_UNBOUND, 0);
	if (!late_events_wq)
		panic("perf: no memory for a workqueue");
	for_each_possible_cpu(cpu)
		INIT_WORK(&per_cpu_ptr(&late_events, cpu)->work, perf_event_free_late_work);
}

/*
 * Inherited events are allocated with ctx->mutex of a task held, and tasks that observe the task
 * wait for that mutex. So try these flags first: a task beyond its cgroup's memory.high is then
 * delayed on its return to user space, and not while it holds ctx->mutex.
 */
#define GFP_WITHOUT_WAITING	(GFP_NOWAIT | __GFP_NOWARN | __GFP_ACCOUNT)

static void perf_event_free_cold(struct perf_event_cold *cold)
{
	if (!cold)
		return;
	if (cold->ns)
		put_pid_ns(cold->ns);
	kmem_cache_free(perf_cold_cache, cold);
}

/**
 * perf_event_make_cold - allocate event->cold, if it is NULL
 * @event: the event; for the events that need event->cold see cold.h
 *
 * Several tasks may call this for one event at a time. May sleep.
 * Return: 0 on success, -ENOMEM
 */
int perf_event_make_cold(struct perf_event *event)
{
	struct perf_event_cold *cold;

	if (event->cold)
		return 0;
	cold = event->parent ? kmem_cache_zalloc(perf_cold_cache, GFP_WITHOUT_WAITING) : NULL;
	if (!cold)
		cold = kmem_cache_zalloc(perf_cold_cache, GFP_KERNEL_ACCOUNT);
	if (!cold)
		return -ENOMEM;
	cold->event = event;
	init_waitqueue_head(&cold->waitq);
	INIT_LIST_HEAD(&cold->rb_entry);
	INIT_HLIST_NODE(&cold->mapped_entry);
	INIT_LIST_HEAD(&cold->sb_list);
	INIT_LIST_HEAD(&cold->children);
	perf_overflow_init_cold(cold);
	if (!event->parent)
		cold->ns = get_pid_ns(task_active_pid_ns(current));
	perf_delay(COLD_MADE);
	/* If another task, for example in mmap(2), has set event->cold meanwhile, free @cold. */
	if (cmpxchg(&event->cold, NULL, cold))
		perf_event_free_cold(cold);
	return 0;
}

/* The steps of the initialisation that cannot fail */
static void perf_event_init_alloc(struct perf_event *event, const struct perf_event_attr *attr,
				  int cpu, struct task_struct *task, struct perf_event *leader,
				  struct perf_event *parent)
{
	struct list_head *heads[] = {
		&event->sibling_list, &event->event_entry, &event->active_list,
		&event->owner_entry, &event->pmu_list,
	};
	struct hw_perf_event *hw = &event->hw;
	int i;

	refcount_set(&event->refcount, 1);
	event->cpu = cpu;
	event->oncpu = -1;
	event->attr = *attr;
	/* Without PERF_SAMPLE_BRANCH_STACK it was not checked. Drivers may set it in event_init. */
	if (!has_branch_stack(event))
		event->attr.branch_sample_type = 0;
	event->orig_type = attr->type;
	/* pmu->event_init checks the group that the event will join. */
	event->group_leader = leader ?: event;
	event->state = attr->disabled ? PERF_EVENT_STATE_OFF : PERF_EVENT_STATE_INACTIVE;
	for (i = 0; i < ARRAY_SIZE(heads); i++)
		INIT_LIST_HEAD(heads[i]);
	RB_CLEAR_NODE(&event->group_node);
	/* perf_inherit_next_id() allocates the ids of inherited events. */
	event->id = parent ? 0 : perf_event_id_new();
	event->clock = perf_attr_clock(attr) ?: perf_clock;
	if (task) {
		/* pmu->event_init of tracepoints reads attach_state. */
		event->attach_state = PERF_ATTACH_TASK;
		hw->target = get_task_struct(task);
	}

	hw->sample_period = attr->freq && attr->sample_freq ? perf_first_period(attr) :
							      attr->sample_period;
	hw->last_period = hw->sample_period;
	local64_set(&hw->period_left, hw->sample_period);

	if (parent) {
		perf_event_get_ref(parent);
		event->parent = parent;
	}
}

/*
 * Reserve an exclusive PMU (a trace unit) for an event. The PMU has either per-task events, and
 * pmu->exclusive_cnt is positive, or per-CPU events, and pmu->exclusive_cnt is negative.
 */
static int perf_exclusive_reserve(struct perf_event *event)
{
	atomic_t *cnt = &event->pmu->exclusive_cnt;
	bool of_task = event->hw.target;
	int err, now;

	if (!is_exclusive_pmu(event->pmu))
		return 0;
	err = perf_event_may_reserve(event);
	if (err) {
		/* A busy PMU is reported to callers without permission, too. */
		now = atomic_read(cnt);
		if (of_task ? now < 0 : now > 0)
			err = perf_refuse_with_pmu(PERF_REFUSED_PMU_TAKEN, event);
		return err;
	}
	if (!(of_task ? atomic_inc_unless_negative(cnt) : atomic_dec_unless_positive(cnt)))
		return perf_refuse_with_pmu(PERF_REFUSED_PMU_TAKEN, event);
	event->event_flags |= PERF_EVENT_EXCLUSIVE_CNT;
	return 0;
}

/* Undo perf_exclusive_reserve(). */
static void perf_exclusive_release(struct perf_event *event)
{
	if (event->event_flags & PERF_EVENT_EXCLUSIVE_CNT)
		atomic_add(event->hw.target ? -1 : 1, &event->pmu->exclusive_cnt);
	event->event_flags &= ~PERF_EVENT_EXCLUSIVE_CNT;
}

static bool perf_event_needs_sched_events(const struct perf_event *event)
{
	return event->hw.target || event->cgrp || event->attr.context_switch ||
	       (event->attach_state & PERF_ATTACH_SCHED_CB);
}

static bool perf_event_needs_cold(const struct perf_event *event)
{
	return is_sampling_event(event) || perf_attr_has_sideband(&event->attr) ||
	       (!event->parent && (event->attr.inherit || is_bpf_output_event(event)));
}

/* Can perf_event_init_child() create events inherited from @event, with only a count and times? */
static bool perf_event_can_be_plain(const struct perf_event *event)
{
#ifdef CONFIG_SECURITY
	if (event->security)
		return false;
#endif
	return (event->event_caps & PERF_EV_CAP_ALWAYS_ON) && event->hw.target &&
	       event->attr.inherit && !is_sampling_event(event) &&
	       is_default_overflow_handler((struct perf_event *)event) &&
	       !perf_attr_has_sideband(&event->attr) && !perf_event_needs_aux(event);
}

/* The steps of perf_event_acquire() that need the PMU, which pmus_srcu keeps registered. */
static int perf_event_acquire_pmu(struct perf_event *event)
{
	struct pmu *pmu = perf_pmu_init_event(event);
	int err;

	if (IS_ERR(pmu))
		return PTR_ERR(pmu);
	event->group_caps = event->event_caps;

	/*
	 * event->cold is needed if the driver disables the event, as the overflow limit does: a
	 * trace unit without AUX space, and on powerpc a breakpoint that cannot be stepped over.
	 * Sampling events need it, too: pmu->event_init may have set a sample period from config.
	 */
	if (has_aux(event) || perf_event_needs_cold(event) || pmu->type == PERF_TYPE_BREAKPOINT) {
		err = perf_event_make_cold(event);
		if (err)
			return err;
	}
	/* The s390 driver writes samples itself, with event->ns (in a union with filters). */
	if (IS_ENABLED(CONFIG_S390) && pmu->type == PERF_TYPE_RAW &&
	    !WARN_ON_ONCE(has_addr_filter(event)))
		event->ns = perf_event_ns(event);

	err = perf_exclusive_reserve(event);
	if (err)
		return err;
	return perf_addr_filters_init(event);
}

/*
 * Steps that can fail. Each success is recorded in the event, so that perf_event_free() can
 * undo the completed steps.
 */
static int perf_event_acquire(struct perf_event *event, struct perf_event *leader,
			      perf_overflow_handler_t handler, void *handler_context, int cgroup_fd)
{
	struct perf_event *parent = event->parent;
	int idx, err, cgroup_err = 0;

	if (perf_event_needs_cold(event) || handler) {
		err = perf_event_make_cold(event);
		if (err)
			return err;
	}
	event->overflow_handler = handler ?: (parent ? parent->overflow_handler : NULL);
	event->overflow_handler_context = handler ? handler_context :
					  parent ? parent->overflow_handler_context : NULL;
	perf_overflow_init(event);

	/* event_init needs the cgroup, but an error of event_init precedes cgroup_err. */
	if (cgroup_fd != -1) {
		event->event_flags |= PERF_EVENT_OF_CGROUP;
		cgroup_err = perf_cgroup_connect(event, cgroup_fd, leader);
	} else if (leader && leader->cgrp && !event->hw.target) {
		event->event_flags |= PERF_EVENT_OF_CGROUP;
		perf_cgroup_set_from_leader(event, leader);
	}

	idx = perf_pmus_read_lock();
	err = perf_event_acquire_pmu(event);
	perf_pmus_read_unlock(idx);
	/* perf_pmu_init_event() has cleared the reason of cgroup_err: note the reason again. */
	if (!err && cgroup_err)
		err = perf_refuse_error(event->cgrp ? PERF_REFUSED_CGROUP_GROUP :
					PERF_REFUSED_CGROUP_FD, cgroup_err);
	if (err)
		return err;
	if (parent)
		perf_event_copy_bpf(event, parent);

	if (!parent && (event->attr.sample_type & PERF_SAMPLE_CALLCHAIN)) {
		err = get_callchain_buffers(event->attr.sample_max_stack);
		if (err)
			return err;
		event->event_flags |= PERF_EVENT_CALLCHAIN;
	}

	err = security_perf_event_alloc(event);
	if (err)
		return err == -ENOMEM || parent ? err :
			perf_refuse_error(PERF_REFUSED_SECURITY_MODULE, err);

	if (!parent && perf_event_can_be_plain(event))
		event->event_flags |= PERF_EVENT_PLAIN;

	/* An inherited event relies on the references of its parent event, which exists longer. */
	if (!parent)
		perf_sideband_open(event);
	if (!parent && perf_event_needs_sched_events(event)) {
		perf_sched_events_get();
		event->event_flags |= PERF_EVENT_WATCHES_SWITCHES;
	}
	if (tick_nohz_full_enabled() && !parent && event->attr.freq && event->attr.sample_freq) {
		perf_tick_get();
		event->event_flags |= PERF_EVENT_NEEDS_TICK;
	}
	return 0;
}

static void perf_event_free_memory(struct perf_event *event)
{
	/* Until now event sites may have used event->filter and event->cold. */
	perf_tracepoint_free_filter(event);
	perf_event_free_cold(event->cold);
	if (event->orig_type == PERF_TYPE_TRACEPOINT)
		kmem_cache_free(perf_tracepoint_event_cache, event);
	else
		kmem_cache_free(perf_event_cache, event);
}

static void perf_event_free_rcu(struct rcu_head *head)
{
	perf_event_free_memory(container_of(head, struct perf_event, rcu_head));
}

/* Free the events that perf_event_free_released() has linked. */
static void perf_event_free_ring_rcu(struct rcu_head *head)
{
	struct perf_event *first = container_of(head, struct perf_event, rcu_head), *event, *next;

	list_for_each_entry_safe(event, next, &first->gone_entry, gone_entry)
		perf_event_free_memory(event);
	perf_event_free_memory(first);
}

/* The buffers are freed under RCU, because a sample may still use them. */
static void perf_event_release_callchain(struct perf_event *event)
{
	if (!(event->event_flags & PERF_EVENT_CALLCHAIN))
		return;
	event->event_flags &= ~PERF_EVENT_CALLCHAIN;
	put_callchain_buffers();
}

static int perf_event_alloc_children_of(struct perf_event **children, unsigned int nr, gfp_t gfp)
{
	if (nr > 1)
		return kmem_cache_alloc_bulk(perf_event_cache, gfp, nr, (void **)children);
	children[0] = kmem_cache_alloc(perf_event_cache, gfp);
	return children[0] ? 1 : 0;
}

/**
 * perf_event_alloc_children - allocate memory for perf_event_init_child()
 * @children: set to the memory, which is not initialised
 * @nr: number of events
 *
 * Context: may sleep.
 * Return: @nr on success, 0 if memory is lacking
 */
int perf_event_alloc_children(struct perf_event **children, unsigned int nr)
{
	return perf_event_alloc_children_of(children, nr, GFP_WITHOUT_WAITING) ?:
	       perf_event_alloc_children_of(children, nr, GFP_KERNEL_ACCOUNT);
}

/**
 * perf_event_free_children - free memory of perf_event_alloc_children()
 * @children: unused memory, or events of perf_event_init_child() with a refcount of 0; the caller
 *	drops their references to parent event and context
 * @nr: number of entries
 */
void perf_event_free_children(struct perf_event **children, unsigned int nr)
{
	if (nr == 1)
		kmem_cache_free(perf_event_cache, children[0]);
	else if (nr)
		kmem_cache_free_bulk(perf_event_cache, nr, (void **)children);
}

/*
 * perf_event_init_child() names each field of an event once, with one of these macros. The sum of
 * the sizes of these fields must be the size of an event: the build fails if a new field is not
 * handled for inherited events. Of a union, only the largest member is named. CHILD_KEEPS_HW_PMU()
 * is for the union in struct hw_perf_event that has a member for each kind of PMU.
 */
#define CHILD_SETS(field)	(*({ named += sizeof(field); &(field); }))
#define CHILD_KEEPS(field)	(named += sizeof(field))
#define CHILD_KEEPS_HW_PMU()	(named += offsetof(struct hw_perf_event, target))

/**
 * perf_event_init_child - initialise an inherited event without a call of its driver
 * @child: memory from perf_event_alloc_children()
 * @event: an event of current; its parent event has PERF_EVENT_PLAIN
 * @ctx: unpublished context of the new task; the caller takes the reference of @child to @ctx
 * @leader: the event inherited from @event's leader, or NULL for a leader
 * @id: id of @child
 *
 * Cannot fail. Sets PERF_EVENT_PLAIN_CHILD. State, list entries and the reference to the parent
 * event are left to the caller. @child has no references to its task and PMU: @ctx has one to the
 * task, and the parent event one to the PMU.
 */
void perf_event_init_child(struct perf_event *child, struct perf_event *event,
			   struct perf_event_context *ctx, struct perf_event *leader, u64 id)
{
	struct rb_node *group_node;
	size_t named = 0;

	/*
	 * Other tasks may enable, disable or read @event during the copy, and interrupts count it:
	 * fields that change are set below, and hw.cached is set before PERF_EVENT_CACHED.
	 */
	data_race(memcpy(child, event, EVENT_SIZE));

	INIT_HLIST_NODE(&CHILD_SETS(child->hlist_entry));
	CHILD_SETS(child->state) = PERF_EVENT_STATE_OFF;
	CHILD_KEEPS(child->cpu);
	CHILD_SETS(child->oncpu) = -1;
	CHILD_SETS(child->attach_state) = PERF_ATTACH_CONTEXT | PERF_ATTACH_TASK |
					  PERF_ATTACH_CHILD | (leader ? PERF_ATTACH_GROUP : 0);
	CHILD_KEEPS(child->event_caps);
	CHILD_KEEPS(child->group_caps);
	local64_set(&CHILD_SETS(child->count), 0);
	CHILD_SETS(child->ctx) = ctx;
	CHILD_SETS(child->pmu_ctx) = NULL;
	CHILD_KEEPS(child->pmu);
	CHILD_SETS(child->group_leader) = leader ?: child;
	INIT_LIST_HEAD(&CHILD_SETS(child->sibling_list));
	CHILD_SETS(child->nr_siblings) = 0;
	CHILD_SETS(child->pending_kill) = 0;
	atomic64_set(&CHILD_SETS(child->time_enabled), 0);
	atomic64_set(&CHILD_SETS(child->time_running), 0);
	CHILD_SETS(child->total_time_running) = 0;
	CHILD_KEEPS(child->attr);

	/*
	 * An always-on event (see group.c) is in no tree, so child->group_runtime is not used. The
	 * sizes of its records are those of @event.
	 */
	INIT_LIST_HEAD(&CHILD_SETS(child->active_list));
	group_node = &CHILD_SETS(child->group_node);
	RB_CLEAR_NODE(group_node);
	CHILD_KEEPS(child->group_runtime);
	CHILD_KEEPS(child->header_size);
	CHILD_KEEPS(child->id_header_size);
	CHILD_KEEPS(child->read_size);
	CHILD_SETS(child->event_flags) = PERF_EVENT_PLAIN_CHILD;

	CHILD_KEEPS_HW_PMU();
	CHILD_SETS(child->hw.target) = ctx->task;
	CHILD_KEEPS(child->hw.state);
	CHILD_KEEPS(child->hw.interrupts_seq);
	local64_set(&CHILD_SETS(child->hw.prev_count), 0);
	CHILD_KEEPS(child->hw.sample_period);
	CHILD_KEEPS(child->hw.last_period);
	CHILD_KEEPS(child->hw.period_left);
	CHILD_KEEPS(child->hw.interrupts);

	/* The caller adds @child to its context. */
	CHILD_KEEPS(child->event_entry);
	CHILD_SETS(child->parent) = perf_event_parent(event);
	CHILD_SETS(child->id) = id;
	refcount_set(&CHILD_SETS(child->refcount), 1);
	CHILD_KEEPS(child->orig_type);

	RCU_INIT_POINTER(CHILD_SETS(child->rb), NULL);
	CHILD_SETS(child->cold) = NULL;
	CHILD_KEEPS(child->overflow_handler);
	CHILD_KEEPS(child->bpf_cookie);
	CHILD_KEEPS(child->clock);
	CHILD_SETS(child->prog) = NULL;
	CHILD_SETS(child->pmu_private) = NULL;
	CHILD_SETS(child->addr_filter_ranges) = NULL;
	CHILD_SETS(child->aux_event) = NULL;
	CHILD_KEEPS(child->cgrp);
	CHILD_SETS(child->destroy) = NULL;
	CHILD_SETS(child->owner) = NULL;
	INIT_LIST_HEAD(&CHILD_SETS(child->child_list));
#ifdef CONFIG_SECURITY
	CHILD_SETS(child->security) = NULL;
#endif
	/* @child is not in its PMU's list, so gone_entry is free for perf_exit_events(). */
	CHILD_KEEPS(child->gone_entry);
	/* On 32 bits there is padding. */
	BUILD_BUG_ON(IS_ENABLED(CONFIG_64BIT) && named != EVENT_SIZE);
}

/* Drop the references of an event of perf_event_init_child(); free it after a grace period. */
static void perf_event_free_child(struct perf_event *child)
{
	perf_context_put(child->ctx);
	perf_event_put(child->parent);
	call_rcu(&child->rcu_head, perf_event_free_rcu);
}

/* Undo the completed steps of perf_event_acquire(). May sleep. */
static void perf_event_release(struct perf_event *event)
{
	WARN_ON_ONCE(event->attach_state & PERF_ATTACH_CONTEXT);
	WARN_ON_ONCE(!list_empty(perf_event_children(event)));

	if (event->event_flags & PERF_EVENT_WATCHES_SWITCHES)
		perf_sched_events_put();
	if (event->event_flags & PERF_EVENT_NEEDS_TICK)
		perf_tick_put();
	perf_sideband_close(event);
	security_perf_event_free(event);
	if (event->rb)
		perf_event_detach_buffer(event);
	perf_event_release_callchain(event);
	perf_event_free_bpf(event);
	if (event->event_flags & (PERF_EVENT_ADDR_FILTERS | PERF_EVENT_FILTER_TEXT)) {
		perf_addr_filters_free(event);
		perf_tracepoint_free_text(event);
	}
	perf_exclusive_release(event);
	if (event->pmu) {
		/* Other PMUs have other data in this union, which must not be freed as a filter. */
		if (!is_tracing_event(event))
			event->filter = NULL;
		perf_pmu_del_event(event);
	}
	perf_cgroup_disconnect(event);
	if (event->ctx && event->ctx != REVOKED)
		perf_context_put(event->ctx);
	if (event->hw.target)
		put_task_struct(event->hw.target);
	if (event->parent)
		perf_event_put(event->parent);
}

/* perf_event_release(), and free the event. May sleep. */
static void perf_event_free(struct perf_event *event)
{
	perf_event_release(event);
	/*
	 * No event site could find an event without a context, so the event needs no grace period.
	 * With one, refused opens at a high rate could delay other grace periods.
	 */
	if (event->ctx)
		call_rcu(&event->rcu_head, perf_event_free_rcu);
	else
		perf_event_free_rcu(&event->rcu_head);
}

/**
 * perf_event_put_pmu - drop the PMU of an inherited event before the event is freed
 * @child: detached, and not in its parent event's list; the caller holds a reference
 *
 * A pending sigtrap holds @child until the task returns to user space, but perf_pmu_unregister()
 * must not wait so long. PMUs of always-on events are never unregistered, and not dropped here.
 * Context: may sleep. The mutex of @child's context may be held, but not the inherit lock.
 */
void perf_event_put_pmu(struct perf_event *child)
{
	/* An always-on inherited event of an exited task is still marked as attached. */
	if (!child->attr.sigtrap || (child->event_caps & PERF_EV_CAP_ALWAYS_ON))
		return;
	WARN_ON_ONCE(child->attach_state & PERF_ATTACH_CONTEXT);
	perf_exclusive_release(child);
	perf_pmu_del_event(child);
}

/* Free events whose last reference was dropped where perf_event_free() cannot sleep. */
static void perf_event_free_late_work(struct work_struct *work)
{
	struct late_events *late = container_of(work, struct late_events, work);
	struct perf_event *event, *next;

	/* A user may close hundreds of thousands of events in a grace period. */
	llist_for_each_entry_safe(event, next, llist_del_all(&late->events), late_entry) {
		perf_event_free(event);
		cond_resched();
	}
}

static void perf_event_free_late(struct perf_event *event)
{
	/* The caller may migrate after this, because any CPU may add to any list. */
	struct late_events *late = raw_cpu_ptr(&late_events);

	if (llist_add(&event->late_entry, &late->events))
		queue_work(late_events_wq, &late->work);
}

static void perf_event_free_late_rcu(struct rcu_head *head)
{
	perf_event_free_late(container_of(head, struct perf_event, rcu_head));
}

/* May perf_sw_event() on some CPU be writing a sample for the event? It holds no reference. */
static bool perf_event_is_sampled_by_sites(const struct perf_event *event)
{
	return (event->event_caps & PERF_EV_CAP_ALWAYS_ON) && is_sampling_event(event) &&
	       event->ctx;
}

/* Free an event without references. Any context but NMI. */
static void perf_event_end(struct perf_event *event)
{
	if (event->event_flags & PERF_EVENT_PLAIN_CHILD)
		perf_event_free_child(event);
	else if (perf_event_is_sampled_by_sites(event))
		call_rcu(&event->rcu_head, perf_event_free_late_rcu);
	else if (!in_task() || irqs_disabled() || preempt_count() || rcu_preempt_depth())
		perf_event_free_late(event);
	else
		perf_event_free(event);
}

/**
 * perf_event_put - drop a reference, and free the event with the last one
 * @event: the event
 *
 * Context: any but NMI.
 */
void perf_event_put(struct perf_event *event)
{
	if (refcount_dec_and_test(&event->refcount))
		perf_event_end(event);
}

/**
 * perf_event_put_child - perf_event_put() for one of many inherited events
 * @child: inherited event that was attached to a context
 * @released: list for perf_event_free_released(), which frees all its events by one RCU callback
 *
 * Context: may sleep.
 */
void perf_event_put_child(struct perf_event *child, struct list_head *released)
{
	if (!refcount_dec_and_test(&child->refcount))
		return;
	if ((child->event_flags & PERF_EVENT_PLAIN_CHILD) ||
	    perf_event_is_sampled_by_sites(child)) {
		perf_event_end(child);
		return;
	}
	perf_event_release(child);
	list_add(&child->gone_entry, released);
}

/**
 * perf_event_free_released - free the events that perf_event_put_child() has collected
 * @released: the list, of a bounded length; it is empty afterwards
 *
 * A single RCU callback frees all events of the list.
 */
void perf_event_free_released(struct list_head *released)
{
	struct perf_event *first;

	if (list_empty(released))
		return;
	first = list_first_entry(released, struct perf_event, gone_entry);
	/* The other events remain linked to the first one, for the callback. */
	list_del_init(released);
	call_rcu(&first->rcu_head, perf_event_free_ring_rcu);
}

/* Allocate zeroed memory: with a constant size the memset() is fast. */
static struct perf_event *perf_event_alloc_clear(bool tracepoint, gfp_t gfp)
{
	struct perf_event *event;

	if (tracepoint)
		return kmem_cache_zalloc(perf_tracepoint_event_cache, gfp);
	event = kmem_cache_alloc(perf_event_cache, gfp);
	if (event)
		memset(event, 0, EVENT_SIZE);
	return event;
}

/**
 * perf_event_alloc - allocate an event, which is not attached yet
 * @attr: checked attribute
 * @cpu: the CPU, or -1
 * @task: the task, or NULL
 * @leader: leader of the group that the event will join, or NULL; a caller that fails before the
 *	join sets event->group_leader to the event itself before it drops the event
 * @parent: parent event of an inherited event, or NULL
 * @handler: overflow handler, called instead of writing a record; or NULL
 * @handler_context: for @handler
 * @cgroup_fd: file descriptor of a cgroup, or -1
 *
 * Context: may sleep.
 * Return: the event with one reference, or an ERR_PTR(): -EINVAL if @cpu is out of range,
 * -ENODEV if no such CPU is possible, -ENOENT if no PMU supports the event, or an error of the PMU
 */
struct perf_event *perf_event_alloc(const struct perf_event_attr *attr, int cpu,
				    struct task_struct *task, struct perf_event *leader,
				    struct perf_event *parent, perf_overflow_handler_t handler,
				    void *handler_context, int cgroup_fd)
{
	bool tracepoint = (parent ? parent->orig_type : attr->type) == PERF_TYPE_TRACEPOINT;
	struct perf_event *event;
	int err;

	if ((unsigned int)cpu >= nr_cpu_ids && !(task && cpu == -1))
		return ERR_PTR(perf_refuse_value(PERF_REFUSED_CPU_RANGE, cpu));
	/* Only possible CPUs have contexts. */
	if (cpu >= 0 && !cpu_possible(cpu))
		return ERR_PTR(perf_refuse_value(PERF_REFUSED_CPU_IMPOSSIBLE, cpu));
	/* The signal of sigtrap is sent to the event's task. */
	if (attr->sigtrap && !task)
		return ERR_PTR(perf_refuse(PERF_REFUSED_SIGTRAP_TASK));

	event = parent ? perf_event_alloc_clear(tracepoint, GFP_WITHOUT_WAITING) : NULL;
	if (!event)
		event = perf_event_alloc_clear(tracepoint, GFP_KERNEL_ACCOUNT);
	if (!event)
		return ERR_PTR(-ENOMEM);

	perf_event_init_alloc(event, attr, cpu, task, leader, parent);
	if (parent)
		event->orig_type = parent->orig_type;
	err = perf_event_acquire(event, leader, handler, handler_context, cgroup_fd);
	if (err) {
		/*
		 * perf_pmu_unregister() may hold a reference to the event, and must not follow
		 * event->group_leader to the leader.
		 */
		event->group_leader = event;
		perf_event_put(event);
		return ERR_PTR(err);
	}
	return event;
}

/* The owner's perf_event_mutex is held. */
static void perf_event_disown_locked(struct perf_event *event)
{
	if (!event->owner)
		return;
	list_del_init(&event->owner_entry);
	/* Pairs with perf_event_disown(): NULL means that the event has left the task's list. */
	smp_store_release(&event->owner, NULL);
}

static void perf_event_disown(struct perf_event *event)
{
	struct task_struct *owner;

	rcu_read_lock();
	/* Pairs with the release in perf_event_disown_locked(). */
	owner = smp_load_acquire(&event->owner);
	if (owner && owner != PERF_TASK_GONE)
		get_task_struct(owner);
	else
		owner = NULL;
	rcu_read_unlock();
	if (!owner)
		return;

	scoped_guard(mutex, &owner->perf_event_mutex)
		perf_event_disown_locked(event);
	put_task_struct(owner);
}

/**
 * perf_event_own - make current the owner of an event that it has opened
 * @event: the new event
 *
 * Context: may sleep.
 */
void perf_event_own(struct perf_event *event)
{
	struct task_struct *me = current;

	guard(mutex)(&me->perf_event_mutex);
	WRITE_ONCE(event->owner, me);
	list_add_tail(&event->owner_entry, &me->perf_event_list);
}

/**
 * perf_task_unlink_events - clear the owner of all events that an exiting task has opened
 * @task: the task
 *
 * Context: may sleep.
 */
void perf_task_unlink_events(struct task_struct *task)
{
	struct perf_event *owned, *next;

	guard(mutex)(&task->perf_event_mutex);
	list_for_each_entry_safe(owned, next, &task->perf_event_list, owner_entry)
		perf_event_disown_locked(owned);
}

/* Detach an event permanently: it does not count any more, and no event site finds it. */
static void perf_event_detach_dead(struct perf_event *event)
{
	CLASS(event_context, ctx)(event);

	/* Inherited events have no file: they are removed with their parent event. */
	WARN_ON_ONCE(event->parent);
	perf_event_clear_aux_output(event);
	perf_event_detach(event, PERF_EVENT_STATE_DEAD);
}

/**
 * perf_event_release_kernel - close an event
 * @event: the event; the caller's reference is dropped
 *
 * The event and its inherited events stop counting and leave their groups. Holders of other
 * references find the event dead. May sleep.
 * Return: 0, for file_operations
 */
int perf_event_release_kernel(struct perf_event *event)
{
	if (!is_kernel_event(event))
		perf_event_disown(event);
	perf_event_detach_dead(event);

	perf_overflow_cancel(event);
	perf_children_detach(event);
	perf_event_detach_buffer(event);
	perf_event_release_callchain(event);
	perf_event_put(event);
	return 0;
}
EXPORT_SYMBOL_GPL(perf_event_release_kernel);

/**
 * perf_event_set_context - set the context of a new event
 * @event: the event, without a context
 * @ctx: the context; on success the event takes over the caller's reference, else it is dropped
 *
 * Return: 0 on success, -ENODEV if the event's PMU was unregistered
 */
int perf_event_set_context(struct perf_event *event, struct perf_event_context *ctx)
{
	/* Either perf_event_revoke() has stored REVOKED before, or it will see @ctx. */
	if (!cmpxchg(&event->ctx, NULL, ctx))
		return 0;
	perf_context_put(ctx);
	return perf_refuse(PERF_REFUSED_PMU_GONE);
}

/**
 * perf_event_revoke - make an event dead because its PMU is being unregistered
 * @event: the event, not inherited, possibly not attached yet; the caller holds a reference
 *
 * Removes the events inherited from @event; a fork in progress drops its inherited event. The file
 * stays open: read(2) returns end of file, poll(2) POLLHUP. May sleep, also under perf_pmus_lock.
 */
void perf_event_revoke(struct perf_event *event)
{
	if (!cmpxchg(&event->ctx, NULL, REVOKED)) {
		WRITE_ONCE(event->state, PERF_EVENT_STATE_DEAD);
		return;
	}
	perf_event_detach_dead(event);
	perf_overflow_cancel(event);
	perf_children_revoke(event);
	if (event->cold)
		perf_event_wakeup(event);
}
