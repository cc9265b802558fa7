/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_EVENT_H
#define _KERNEL_EVENTS_EVENT_H

#include <linux/perf_event.h>

/* perf_event::event_flags: resources to be released */
#define PERF_EVENT_EXCLUSIVE_CNT	0x1	/* pmu->exclusive_cnt */
#define PERF_EVENT_CALLCHAIN		0x2	/* callchain buffers */
#define PERF_EVENT_WATCHES_SWITCHES	0x4	/* perf_sched_events_get() */
#define PERF_EVENT_ADDR_FILTERS		0x8	/* struct perf_event_filters */
#define PERF_EVENT_SIDEBAND		0x10	/* perf_sideband_users */
#define PERF_EVENT_FILTER_TEXT		0x800	/* text of a tracepoint's filter */
#define PERF_EVENT_NEEDS_TICK		0x80	/* perf_tick_get() */

/* ... counts and lists of the event's context */
#define PERF_EVENT_USER_READ		0x400	/* in ctx->nr_user */
#define PERF_EVENT_TP_TASK		0x4000	/* in perf_tp_task_events(ctx) */

/* ... set at open */
#define PERF_EVENT_OF_CGROUP		0x200	/* a cgroup event; set before event->cgrp */
#define PERF_EVENT_NO_KSYMBOL		0x8000	/* parent event: gets no PERF_RECORD_KSYMBOL */

/*
 * ... inheritance. An inherited event that is always on and only counts is made in a fast way:
 * perf_event_init_child() copies the event of the parent task, without a call of the driver.
 */
#define PERF_EVENT_PLAIN		0x20	/* parent event: may be inherited in this way */
#define PERF_EVENT_PLAIN_CHILD		0x40	/* inherited in this way */

/* ... status of an inherited event */
#define PERF_EVENT_CACHED		0x2000	/* in the parent event's sum, see child_cache.h */
#define PERF_EVENT_CALL_DONE		0x1000	/* read or reset by perf_children_call_running() */

/* ... status during a move to another CPU */
#define PERF_EVENT_REENABLE		0x100	/* to be enabled on the new CPU */

/*
 * Parent of an event: the event that was opened, even if @event was inherited more than once;
 * @event itself if it is not inherited. The parent has the file, the buffer, and the id by which
 * user space identifies all events that were inherited from it.
 */
static inline struct perf_event *perf_event_parent(const struct perf_event *event)
{
	return event->parent ?: (struct perf_event *)event;
}

static inline int is_exclusive_pmu(struct pmu *pmu)
{
	return pmu->capabilities & PERF_PMU_CAP_EXCLUSIVE;
}

void perf_event_caches_init(void);
void perf_event_own(struct perf_event *event);
void perf_task_unlink_events(struct task_struct *task);

/*
 * Can perf_event_init_child() create events inherited from @event? It is used only if this is true
 * for the whole group.
 */
static inline bool perf_event_is_plain(const struct perf_event *event)
{
	const struct perf_event *parent = perf_event_parent(event);

	return (parent->event_flags & PERF_EVENT_PLAIN) && !READ_ONCE(parent->prog);
}

/* Events of perf_event_init_child() are allocated and freed in batches, see inherit.c. */
#define PERF_CHILDREN_AT_ONCE	16	/* size of a batch */
int perf_event_alloc_children(struct perf_event **children, unsigned int nr);
void perf_event_free_children(struct perf_event **children, unsigned int nr);
void perf_event_init_child(struct perf_event *child, struct perf_event *event,
			   struct perf_event_context *ctx, struct perf_event *leader, u64 id);

struct perf_event *perf_event_alloc(const struct perf_event_attr *attr, int cpu,
				    struct task_struct *task,
				    struct perf_event *group_leader,
				    struct perf_event *parent,
				    perf_overflow_handler_t handler,
				    void *handler_context, int cgroup_fd);
void perf_event_put(struct perf_event *event);
void perf_event_put_child(struct perf_event *child, struct list_head *released);
void perf_event_free_released(struct list_head *released);
void perf_event_put_pmu(struct perf_event *child);

static inline bool perf_event_tryget(struct perf_event *event)
{
	return refcount_inc_not_zero(&event->refcount);
}

static inline void perf_event_get_ref(struct perf_event *event)
{
	refcount_inc(&event->refcount);
}

int perf_event_set_context(struct perf_event *event, struct perf_event_context *ctx);

/*
 * Detach @event and its inherited events from their contexts because their PMU is being
 * unregistered, and make @event dead. Afterwards no callback of the PMU runs for the event. The
 * caller has a reference, and calls perf_pmu_del_event() afterwards.
 */
void perf_event_revoke(struct perf_event *event);

int perf_event_make_cold(struct perf_event *event);

#endif /* _KERNEL_EVENTS_EVENT_H */
