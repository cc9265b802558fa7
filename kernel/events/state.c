// SPDX-License-Identifier: GPL-2.0
/*
 * PERF_EVENT_IOC_STATE: what an event is doing, and why it does not count if it does not.
 *
 * All is found out when somebody asks, from what scheduling and records keep anyway. So
 * this costs nothing where nobody asks.
 */
#include <linux/uaccess.h>

#include "record/buffer.h"
#include "cgroup.h"
#include "cold.h"
#include "context.h"
#include "internal.h"
#include "refuse.h"
#include "sched.h"
#include "state.h"
#include "throttle.h"
#include "time.h"

/**
 * struct state_request - what is asked, and what is found
 * @info: of the event
 * @caller: who asks
 * @sees_all: the caller may know of groups of others
 */
struct state_request {
	struct perf_event_state_info	info;
	const struct task_struct	*caller;
	bool				sees_all;
};

/*
 * Groups that are on. The caller learns the ids of those that it has opened; of others
 * it learns the ids if it may watch all of a CPU, else no more than that there are some,
 * which the event's own times tell anyway.
 */
static void perf_state_add_groups(struct state_request *req, const struct list_head *active)
{
	struct perf_event_state_info *info = &req->info;
	const struct perf_event *leader;

	list_for_each_entry(leader, active, active_list) {
		if (!req->sees_all && READ_ONCE(leader->owner) != req->caller) {
			info->flags |= PERF_EVENT_OTHERS_ON;
			continue;
		}
		if (info->nr_groups < PERF_EVENT_TELLS_GROUPS)
			info->groups[info->nr_groups] = leader->id;
		info->nr_groups++;
	}
}

/* Which groups have the counters of @event's PMU here? Both contexts' locks are held. */
static void perf_state_find_groups(struct state_request *req, const struct perf_event *event,
				   struct perf_cpu_context *cpuctx)
{
	struct perf_event_context *of_task = event->ctx == &cpuctx->ctx ?
					     cpuctx->task_ctx : event->ctx;
	struct perf_event_pmu_context *parts[2];
	const struct pmu *pmu;
	int i;

	if (WARN_ON_ONCE(!event->pmu_ctx))
		return;
	/* A software event that is in a group of hardware waits for hardware, too. */
	pmu = event->pmu_ctx->pmu;
	parts[0] = perf_cpu_part(cpuctx, pmu);
	parts[1] = perf_pmu_context_of(of_task, pmu);
	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		if (!parts[i])
			continue;
		perf_state_add_groups(req, &parts[i]->pinned_active);
		perf_state_add_groups(req, &parts[i]->flexible_active);
	}
}

static bool perf_state_watches_here(const struct perf_event *event,
				    struct perf_cpu_context *cpuctx)
{
	struct perf_cgroup *cgrp;

	if (event->cpu != -1 && event->cpu != smp_processor_id())
		return false;
	if (!event->cgrp)
		return true;
	for (cgrp = perf_cgroup_here(cpuctx); cgrp; cgrp = perf_cgroup_above(cgrp)) {
		if (cgrp == event->cgrp)
			return true;
	}
	return false;
}

/* What does an event do that is enabled? @cpuctx is NULL when its context is not on. */
static enum perf_event_doing perf_state_of_enabled(const struct perf_event *event,
						   struct perf_cpu_context *cpuctx)
{
	if (event->group_leader->state < PERF_EVENT_STATE_INACTIVE)
		return PERF_EVENT_GROUP_OFF;
	/* A residence stands in for such contexts. */
	if (!cpuctx && READ_ONCE(event->ctx->clones))
		return PERF_EVENT_SHARES;
	if (!cpuctx || !perf_state_watches_here(event, cpuctx))
		return PERF_EVENT_ELSEWHERE;
	return event->state == PERF_EVENT_STATE_ACTIVE ? PERF_EVENT_COUNTS : PERF_EVENT_WAITS;
}

static enum perf_event_doing perf_state_of(const struct perf_event *event,
					   struct perf_cpu_context *cpuctx)
{
	switch (event->state) {
	case PERF_EVENT_STATE_DEAD:
		return PERF_EVENT_DEAD;
	case PERF_EVENT_STATE_EXIT:
		return PERF_EVENT_EXITED;
	case PERF_EVENT_STATE_ERROR:
		return PERF_EVENT_ERROR;
	case PERF_EVENT_STATE_OFF:
		return PERF_EVENT_DISABLED;
	default:
		return perf_state_of_enabled(event, cpuctx);
	}
}

/* With the locks of the event's context held, on the CPU where that is on, if it is. */
static void perf_state_look(struct perf_event *event, struct perf_cpu_context *cpuctx, void *data)
{
	struct state_request *req = data;
	struct perf_event_state_info *info = &req->info;

	info->doing = perf_state_of(event, cpuctx);
	if (info->doing == PERF_EVENT_COUNTS || info->doing == PERF_EVENT_WAITS)
		info->cpu = smp_processor_id();
	if (info->doing == PERF_EVENT_COUNTS && event->pmu_ctx) {
		/* Software sources keep other things in that memory, pointers among them. */
		if (!is_software_event(event))
			info->counter = event->hw.idx;
		if (perf_event_throttled(event))
			info->flags |= PERF_EVENT_IS_THROTTLED;
	}
	if (info->doing == PERF_EVENT_WAITS)
		perf_state_find_groups(req, event, cpuctx);
}

static void perf_state_of_buffer(const struct perf_event *event,
				 struct perf_event_state_info *info)
{
	const struct perf_buffer *rb;

	guard(rcu)();
	rb = rcu_dereference(event->rb);
	if (!rb)
		return;
	info->wakeups = local_read(&rb->ring.wakeups);
	if (READ_ONCE(rb->paused))
		info->flags |= PERF_EVENT_IS_PAUSED;
}

/**
 * perf_event_tell_state - PERF_EVENT_IOC_STATE
 * @event: of a file
 * @to: a struct perf_event_state_info of user space, of which the size is filled in
 *
 * May sleep; no lock is held. Return: 0, -EFAULT, or -EINVAL for too small a size
 */
long perf_event_tell_state(struct perf_event *event, void __user *to)
{
	struct state_request req = {
		.info		= { .size = sizeof(req.info), .cpu = -1, .counter = -1 },
		.caller		= current,
		.sees_all	= !perf_allow_cpu(),
	};
	u32 size;

	if (get_user(size, (u32 __user *)to))
		return -EFAULT;
	if (size < offsetofend(struct perf_event_state_info, doing))
		return perf_refuse_value(PERF_REFUSED_STATE_SIZE, size);

	scoped_class(event_context, ctx, event) {
		/* When the task has exited, perf_event_call() calls nothing. */
		req.info.doing = perf_state_of(event, NULL);
		perf_event_call(event, perf_state_look, &req);
	}
	perf_event_times(event, &req.info.enabled, &req.info.running);
	req.info.lost = perf_event_lost(event);
	perf_state_of_buffer(event, &req.info);
	return copy_to_user(to, &req.info, min_t(size_t, size, sizeof(req.info))) ? -EFAULT : 0;
}
