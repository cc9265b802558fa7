// SPDX-License-Identifier: GPL-2.0
/*
 * PERF_EVENT_IOC_STATE: the state of an event, and the reason if it does not count.
 *
 * All values are derived at the call from data that scheduling and records keep anyway, so without
 * calls there is no cost. Exception: for a pinned group that does not fit,
 * perf_state_note_obstacle() notes the reason at once, because the reason may have disappeared by
 * the time of a call.
 *
 * A caller with the event's file may know everything about the event. Of the groups that have
 * counters while the event waits, the caller gets those for which perf_state_may_know() is true. Of
 * all other groups the caller learns only that they exist, which the event's own times reveal
 * anyway.
 */
#include <linux/bpf.h>
#include <linux/pid.h>
#include <linux/ptrace.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "record/aux.h"
#include "record/buffer.h"
#include "source/addr_filter.h"
#include "source/tracepoint.h"
#include "cgroup.h"
#include "cold.h"
#include "context.h"
#include "inherit_list.h"
#include "internal.h"
#include "permission.h"
#include "refuse.h"
#include "sched.h"
#include "state.h"
#include "throttle.h"
#include "time.h"
#include "time_seq.h"

/* Limit on the groups that a request collects: as many as most PMUs have counters */
#define GROUPS_NOTED	16

/* Fields of perf_event_obstacle_note::what */
#define NOTE_OBSTACLE	0x00f	/* enum perf_event_obstacle */
#define NOTE_KERNEL	0x010	/* the group with the noted id is a kernel event's */
#define NOTE_GROUPS	0xf00	/* number of pinned groups scheduled in; 15: or more */
#define NOTE_GROUP	0x100
#define NOTE_PID_SHIFT	12	/* process that opened the group; 0: unknown */

static_assert(sizeof(struct perf_event_state_info) == 416);
static_assert(offsetof(struct perf_event_state_info, groups) % sizeof(u64) == 0);
static_assert((int)PERF_LOSSES <= PERF_EVENT_MAX_LOSSES);
static_assert(sizeof(struct perf_event_obstacle_note) == sizeof(struct rb_node));

/**
 * struct noted_group - a group that is scheduled in
 * @owner: task that opened the leader, with a reference, or NULL
 * @reply: the group in the form that user space reads, without @reply.pid
 */
struct noted_group {
	struct task_struct		*owner;
	struct perf_event_state_group	reply;
};

/**
 * struct state_request - the request and its result
 * @info: state of the event
 * @groups: groups that are scheduled in while the event waits
 * @nr_noted: entries of @groups in use
 * @owner: task that opened the event, with a reference, or NULL
 * @filters: text of the event's filters, allocated with kvzalloc(), or NULL
 * @room: size of @filters in bytes
 * @what: copy of perf_event_obstacle_note.what, for an event in the error state
 * @id: copy of perf_event_obstacle_note.id
 * @exclusive: the event's group needs exclusive use of its PMU
 * @kept_off: the event's PMU excludes this CPU, or drivers have not prepared this CPU
 * @asked_rights: @sees_all is valid
 * @sees_all: the caller may know of groups of other users; see perf_state_sees_all()
 */
struct state_request {
	struct perf_event_state_info	info;
	struct noted_group		groups[GROUPS_NOTED];
	unsigned int			nr_noted;
	struct task_struct		*owner;
	char				*filters;
	size_t				room;
	unsigned long			what;
	u64				id;
	bool				exclusive;
	bool				kept_off;
	bool				asked_rights;
	bool				sees_all;
};

/* A reference to the task that opened an event; NULL if it has exited */
static struct task_struct *perf_state_owner(const struct perf_event *event)
{
	struct task_struct *owner;

	guard(rcu)();
	owner = READ_ONCE(event->owner);
	return owner && owner != PERF_TASK_GONE ? get_task_struct(owner) : NULL;
}

static void perf_state_put_owner(struct task_struct *owner)
{
	if (owner)
		put_task_struct(owner);
}

/* The process that opened an event, by its PID in the initial namespace; 0 if it has exited */
static unsigned long perf_state_pid(const struct perf_event *event)
{
	struct task_struct *owner;

	guard(rcu)();
	owner = READ_ONCE(event->owner);
	return owner && owner != PERF_TASK_GONE ? task_tgid_nr(owner) : 0;
}

/*
 * May the caller know of groups of other users? Checked at most once, and only if such groups
 * exist, because security modules may log the check. May sleep.
 */
static bool perf_state_sees_all(struct state_request *req)
{
	if (!req->asked_rights) {
		req->sees_all = perf_may_see_cpu();
		req->asked_rights = true;
	}
	return req->sees_all;
}

/*
 * May the caller know of an event that @owner has opened? Yes if the caller has ptrace read
 * access to that task, because /proc then shows the task's files, too. May sleep.
 */
static bool perf_state_may_know(struct state_request *req, struct task_struct *owner)
{
	if (owner && (owner == current ||
		      ptrace_may_access(owner, PTRACE_MODE_READ_REALCREDS | PTRACE_MODE_NOAUDIT)))
		return true;
	return perf_state_sees_all(req);
}

static bool perf_state_needs_counter(const struct perf_event *event)
{
	return !is_software_event(event) && (event->state > PERF_EVENT_STATE_OFF ||
					     event->state == PERF_EVENT_STATE_ERROR);
}

/*
 * Find the groups that keep out a pinned group. These are pinned, too, because flexible groups are
 * scheduled out for a pinned group.
 */
static unsigned int perf_state_find_pinned(const struct perf_event_pmu_context *epc,
					   const struct perf_event **first)
{
	const struct perf_event *leader;
	unsigned int nr = 0;

	if (!epc)
		return 0;
	list_for_each_entry(leader, &epc->pinned_active, active_list) {
		if (nr == NOTE_GROUPS / NOTE_GROUP)
			break;
		if (!*first || (leader->attr.exclusive && !(*first)->attr.exclusive))
			*first = leader;
		nr++;
	}
	return nr;
}

/**
 * perf_state_note_obstacle - note why a pinned group does not fit
 * @leader: leader of the group, which is put into the error state and is in no tree
 * @cpc: its PMU on this CPU
 *
 * Context: the locks of the CPU's and its task's context are held, interrupts are off.
 */
void perf_state_note_obstacle(struct perf_event *leader, const struct perf_cpu_pmu_context *cpc)
{
	struct perf_cpu_context *cpuctx = this_cpu_context();
	const struct perf_event *first = NULL;
	enum perf_event_obstacle why;
	unsigned int nr;

	WARN_ON_ONCE(!RB_EMPTY_NODE(&leader->group_node));
	nr = perf_state_find_pinned(perf_cpu_part(cpuctx, cpc->epc.pmu), &first);
	nr += perf_state_find_pinned(perf_pmu_context_of(cpuctx->task_ctx, cpc->epc.pmu), &first);
	if (cpc->exclusive)
		why = PERF_OBSTACLE_EXCLUSIVE;
	else if (leader->attr.exclusive && cpc->nr_exclusive_blockers)
		why = PERF_OBSTACLE_OWN_EXCLUSIVE;
	else
		why = first ? PERF_OBSTACLE_PINNED : PERF_OBSTACLE_PMU;
	leader->obstacle.what = why | min(nr, NOTE_GROUPS / NOTE_GROUP) * NOTE_GROUP;
	leader->obstacle.id = 0;
	if (!first)
		return;
	first = perf_event_parent(first);
	leader->obstacle.id = first->id;
	if (is_kernel_event(first))
		leader->obstacle.what |= NOTE_KERNEL;
	else
		leader->obstacle.what |= perf_state_pid(first) << NOTE_PID_SHIFT;
}

/*
 * Was the noted group opened by the process that opened the event? Both processes existed at the
 * time of the note. So equal PIDs mean the same process, and not a PID that was reused.
 */
static bool perf_state_note_is_own(struct state_request *req)
{
	unsigned long pid = req->what >> NOTE_PID_SHIFT;

	return pid && req->owner && task_tgid_nr(req->owner) == pid &&
	       perf_state_may_know(req, req->owner);
}

static void perf_state_copy_note(struct state_request *req)
{
	unsigned int nr = (req->what & NOTE_GROUPS) / NOTE_GROUP;
	struct perf_event_state_info *info = &req->info;
	bool own, all;

	info->obstacle = req->what & NOTE_OBSTACLE;
	if (!nr && (info->obstacle == PERF_OBSTACLE_NONE ||
		    info->obstacle == PERF_OBSTACLE_PMU))
		return;
	own = perf_state_note_is_own(req);
	all = perf_state_sees_all(req);
	/* The obstacle may be another user's exclusive group, without any pinned group. */
	if (!nr && all)
		return;
	if (!all && (!own || nr > 1))
		info->flags |= PERF_EVENT_OTHERS_ON;
	if (!all && !own) {
		info->obstacle = PERF_OBSTACLE_GROUPS;
		return;
	}
	info->on_groups = all ? nr : 1;
	info->nr_groups = 1;
	info->groups[0].id = req->id;
	info->groups[0].flags = PERF_EVENT_GROUP_PINNED;
	if (req->what & NOTE_KERNEL)
		info->groups[0].flags |= PERF_EVENT_GROUP_OF_KERNEL;
	if (own)
		info->groups[0].pid = task_tgid_vnr(req->owner);
}

static void perf_state_note_groups(struct state_request *req, const struct list_head *active,
				   u32 flags)
{
	const struct perf_event *leader, *parent;

	list_for_each_entry(leader, active, active_list) {
		struct noted_group *noted = &req->groups[req->nr_noted];

		/* User space knows the id of the parent event, not of an inherited one. */
		parent = perf_event_parent(leader);
		if (req->nr_noted == GROUPS_NOTED) {
			req->info.flags |= PERF_EVENT_OTHERS_ON;
			return;
		}
		noted->owner = perf_state_owner(parent);
		noted->reply.id = parent->id;
		noted->reply.flags = flags;
		if (leader->attr.exclusive)
			noted->reply.flags |= PERF_EVENT_GROUP_EXCLUSIVE;
		if (is_kernel_event(parent))
			noted->reply.flags |= PERF_EVENT_GROUP_OF_KERNEL;
		req->nr_noted++;
	}
}

/*
 * Collect the groups that occupy counters of @event's PMU on this CPU. The locks of both contexts
 * are held.
 */
static void perf_state_find_groups(struct state_request *req, const struct perf_event *event,
				   struct perf_cpu_context *cpuctx)
{
	struct perf_event_context *of_task = event->ctx == &cpuctx->ctx ?
					     cpuctx->task_ctx : event->ctx;
	const struct perf_event_pmu_context *part;
	struct pmu *pmu;

	if (WARN_ON_ONCE(!event->pmu_ctx))
		return;
	/* A software event in a group of hardware events waits for the PMU of the group. */
	pmu = event->pmu_ctx->pmu;
	req->exclusive = event->group_leader->attr.exclusive;
	req->kept_off = perf_pmu_filtered_here(pmu) || !cpuctx->ready;
	part = perf_cpu_part(cpuctx, pmu);
	if (part) {
		perf_state_note_groups(req, &part->pinned_active,
				       PERF_EVENT_GROUP_OF_CPU | PERF_EVENT_GROUP_PINNED);
		perf_state_note_groups(req, &part->flexible_active, PERF_EVENT_GROUP_OF_CPU);
	}
	part = perf_pmu_context_of(of_task, pmu);
	if (part) {
		perf_state_note_groups(req, &part->pinned_active, PERF_EVENT_GROUP_PINNED);
		perf_state_note_groups(req, &part->flexible_active, 0);
	}
}

/* Report the collected groups that the caller may know of. May sleep. */
static void perf_state_copy_groups(struct state_request *req)
{
	struct perf_event_state_info *info = &req->info;
	u32 all = PERF_EVENT_GROUP_PINNED, any = 0;
	unsigned int i;

	for (i = 0; i < req->nr_noted; i++) {
		struct noted_group *noted = &req->groups[i];

		if (!perf_state_may_know(req, noted->owner)) {
			info->flags |= PERF_EVENT_OTHERS_ON;
			continue;
		}
		all &= noted->reply.flags;
		any |= noted->reply.flags;
		if (noted->owner)
			noted->reply.pid = task_tgid_vnr(noted->owner);
		if (info->nr_groups < PERF_EVENT_MAX_GROUPS)
			info->groups[info->nr_groups++] = noted->reply;
		info->on_groups++;
	}
	if (req->kept_off)
		info->obstacle = PERF_OBSTACLE_CPU;
	else if (any & PERF_EVENT_GROUP_EXCLUSIVE)
		info->obstacle = PERF_OBSTACLE_EXCLUSIVE;
	else if (info->on_groups && req->exclusive)
		info->obstacle = PERF_OBSTACLE_OWN_EXCLUSIVE;
	else if (info->flags & PERF_EVENT_OTHERS_ON)
		info->obstacle = PERF_OBSTACLE_GROUPS;
	else if (!info->on_groups)
		info->obstacle = PERF_OBSTACLE_PMU;
	else
		info->obstacle = all ? PERF_OBSTACLE_PINNED : PERF_OBSTACLE_GROUPS;
}

/**
 * perf_event_applies_here - does an event apply to the task that runs on this CPU?
 * @event: event of a context that is scheduled in here
 * @cpuctx: this CPU's context, locked
 *
 * Return: true if the event's CPU is this one or any, and the running task is in the event's
 * cgroup or the event has none
 */
bool perf_event_applies_here(const struct perf_event *event, struct perf_cpu_context *cpuctx)
{
	struct perf_cgroup *cgrp;

	if (event->cpu != -1 && event->cpu != smp_processor_id())
		return false;
	if (!event->cgrp)
		return true;
	for (cgrp = perf_cgroup_here(cpuctx); cgrp; cgrp = perf_cgroup_parent_of(cgrp)) {
		if (cgrp == event->cgrp)
			return true;
	}
	return false;
}

/* The state of an enabled event; @cpuctx is NULL if its context is not scheduled in. */
static enum perf_event_status perf_state_of_enabled(const struct perf_event *event,
						    struct perf_cpu_context *cpuctx)
{
	if (event->group_leader->state < PERF_EVENT_STATE_INACTIVE)
		return PERF_STATUS_LEADER_OFF;
	/* A shared context (shared_ctx.h) may have replaced the inactive context. */
	if (!cpuctx && READ_ONCE(event->ctx->ctx_set))
		return PERF_STATUS_SHARED;
	if (!cpuctx || !perf_event_applies_here(event, cpuctx))
		return PERF_STATUS_NOT_RUNNING;
	return event->state == PERF_EVENT_STATE_ACTIVE ? PERF_STATUS_COUNTING : PERF_STATUS_WAITING;
}

static enum perf_event_status perf_state_of(const struct perf_event *event,
					    struct perf_cpu_context *cpuctx)
{
	switch (event->state) {
	case PERF_EVENT_STATE_DEAD:
		return PERF_STATUS_DEAD;
	case PERF_EVENT_STATE_EXIT:
		return PERF_STATUS_EXITED;
	case PERF_EVENT_STATE_ERROR:
		return PERF_STATUS_ERROR;
	case PERF_EVENT_STATE_OFF:
		return PERF_STATUS_DISABLED;
	default:
		return perf_state_of_enabled(event, cpuctx);
	}
}

/* Time in ns since an enabled event became active or inactive, at @now by the event's clock */
static u64 perf_state_lasts(const struct perf_event *event, u64 now)
{
	if (event->state != PERF_EVENT_STATE_ACTIVE)
		return now - event->state_since;
	return perf_time_at(atomic64_read(&event->time_running), now) - event->total_time_running;
}

/*
 * ns for which the event has had @status; 0 if unknown. The lock or mutex of its
 * context is held.
 */
static u64 perf_state_since(const struct perf_event *event, enum perf_event_status status)
{
	const struct perf_event_clock *clock = perf_event_clock(event, event->ctx);
	u64 now = perf_clock(), began = 0;

	switch (status) {
	case PERF_STATUS_NOT_RUNNING:
		if (perf_clock_cpu(clock) < 0) {
			began = perf_clock_stopped(clock);
			break;
		}
		fallthrough;
	case PERF_STATUS_COUNTING:
	case PERF_STATUS_WAITING:
		return perf_state_lasts(event, perf_clock_at(clock, now));
	case PERF_STATUS_LEADER_OFF:
		began = event->group_leader->state_since;
		break;
	case PERF_STATUS_EXITED:
	case PERF_STATUS_DISABLED:
	case PERF_STATUS_ERROR:
	case PERF_STATUS_DEAD:
		began = event->state_since;
		break;
	case PERF_STATUS_SHARED:
		break;
	}
	/* The clocks of two CPUs may differ a little. */
	return began ? max_t(s64, now - began, 0) : 0;
}

/* Runs with the locks of the event's context held, on the CPU where it is scheduled in, if any. */
static void perf_state_look(struct perf_event *event, struct perf_cpu_context *cpuctx, void *data)
{
	struct state_request *req = data;
	struct perf_event_state_info *info = &req->info;
	const struct perf_event *leader = event->group_leader;

	info->status = perf_state_of(event, cpuctx);
	info->since = perf_state_since(event, info->status);
	if (info->status == PERF_STATUS_COUNTING || info->status == PERF_STATUS_WAITING)
		info->cpu = smp_processor_id();
	if (info->status == PERF_STATUS_COUNTING && event->pmu_ctx) {
		/* hw.idx of a software event is in a union with other fields, such as pointers. */
		if (!is_software_event(event))
			info->counter = event->hw.idx;
		if (perf_event_throttled(event))
			info->flags |= PERF_EVENT_IS_THROTTLED;
	}
	if (info->status == PERF_STATUS_WAITING)
		perf_state_find_groups(req, event, cpuctx);
	if (leader->state == PERF_EVENT_STATE_ERROR && leader->attr.pinned) {
		req->what = leader->obstacle.what;
		req->id = leader->obstacle.id;
	}
}

/*
 * Fill in the identity of the event. The mutex of its context is held, or the inherit lock for an
 * inherited event.
 */
static void perf_state_identify(struct state_request *req, struct perf_event *event)
{
	const struct perf_event *leader = event->group_leader, *member;
	const struct perf_event_attr *attr = &event->attr;
	struct perf_event_state_info *info = &req->info;
	const struct task_struct *task;

	info->id = event->id;
	info->leader = leader->id;
	info->members = leader->nr_siblings + 1;
	info->needs = perf_state_needs_counter(leader);
	for_each_sibling_event(member, leader)
		info->needs += perf_state_needs_counter(member);
	info->asked_cpu = event->cpu;
	info->type = event->orig_type;
	info->config = attr->config;
	/* The word of the flag bits has no name; it follows read_format. */
	memcpy(&info->attr_flags, (const char *)attr +
	       offsetofend(struct perf_event_attr, read_format), sizeof(info->attr_flags));
	info->sample = attr->sample_period;
	if (event->parent)
		info->flags |= PERF_EVENT_IS_COPY;
	req->owner = perf_state_owner(perf_event_parent(event));

	guard(rcu)();
	strscpy(info->pmu, READ_ONCE(event->pmu)->name ?: "");
	task = READ_ONCE(event->ctx->task);
	info->tid = !is_task_event(event) ? -1 : task && task != PERF_TASK_GONE ?
		    task_pid_vnr((struct task_struct *)task) : 0;
}

/* The caller holds the locks of perf_state_identify(): the event does not move. May sleep. */
static void perf_state_of_event(struct state_request *req, struct perf_event *event)
{
	struct perf_event_state_info *info = &req->info;

	perf_state_identify(req, event);
	/*
	 * If the task has exited, nothing schedules the event any more. Before the exit, the
	 * event's state and the start of the state are consistent only with ctx->lock held.
	 */
	if (!perf_event_call(event, perf_state_look, req)) {
		info->status = perf_state_of(event, NULL);
		info->since = perf_state_since(event, info->status);
	}
	perf_event_times(event, &info->enabled, &info->running);
}

/* Report the inherited event in thread @tid, or @event itself if it counts that thread. */
static int perf_state_of_thread(struct state_request *req, struct perf_event *event, pid_t tid)
{
	struct task_struct *task = find_get_task_by_vpid(tid);
	struct perf_event *child, *found = NULL;

	if (!task)
		return perf_refuse_value(PERF_REFUSED_STATE_NO_COPY, tid);

	CLASS(event_context, ctx)(event);
	CLASS(inherit_lock, lock)(event);
	if (READ_ONCE(event->ctx->task) == task)
		found = event;
	for_each_child(child, event) {
		if (found)
			break;
		/* Inherited events in a shared context belong to no thread. */
		if (READ_ONCE(child->ctx->task) == task && !child->ctx->is_shared)
			found = child;
	}
	put_task_struct(task);
	if (!found)
		return perf_refuse_value(PERF_REFUSED_STATE_NO_COPY, tid);
	perf_state_of_event(req, found);
	return 0;
}

static void perf_state_of_buffer(struct perf_event *event,
				 struct perf_event_state_info *info)
{
	struct perf_buffer *rb;
	int i;

	guard(rcu)();
	rb = rcu_dereference(event->rb);
	if (!rb)
		return;
	info->flags |= PERF_EVENT_HAS_BUFFER;
	if (READ_ONCE(rb->paused))
		info->flags |= PERF_EVENT_IS_PAUSED;
	info->records = perf_buffer_records(rb);
	info->bytes = perf_buffer_bytes(rb, is_write_backward(event));
	info->aux_bytes = READ_ONCE(rb->aux_head);
	info->wakeups = local_read(&rb->ring.wakeups);
	for (i = 0; i < PERF_LOSSES; i++)
		info->losses[i] = atomic_long_read(&rb->lost[i]);
}

static void perf_state_of_bpf(struct perf_event *event, struct perf_event_state_info *info,
			      bool with_id)
{
	const struct bpf_prog *prog;

	/* A BPF link may be closed meanwhile. */
	guard(rcu)();
	prog = READ_ONCE(event->prog);
	if (prog)
		info->flags |= PERF_EVENT_HAS_BPF;
#ifdef CONFIG_BPF_SYSCALL
	if (prog && with_id)
		info->bpf_id = prog->aux->id;
#endif
}

/*
 * Allocate memory for the text of the filters that the event may have. No lock is held:
 * memory is not allocated under the mutex of a CPU's context.
 */
static int perf_state_make_room(struct state_request *req, const struct perf_event *event)
{
	/* A tracepoint's filter is shorter than a page. */
	req->room = is_tracing_event(event) ? PAGE_SIZE : perf_addr_filters_room(event);
	if (req->room)
		req->filters = kvzalloc(req->room, GFP_KERNEL_ACCOUNT);
	return req->room && !req->filters ? -ENOMEM : 0;
}

/* Fill in the text of the event's filters, if any. ctx->mutex is held. */
static void perf_state_of_filters(struct state_request *req, struct perf_event *event)
{
	const char *text = perf_tracepoint_filter(event);
	struct perf_event_state_info *info = &req->info;

	lockdep_assert_held(&event->ctx->mutex);
	if (text) {
		info->flags |= PERF_EVENT_HAS_FILTER;
		strscpy(req->filters, text, req->room);
	} else {
		info->addr_filters = perf_addr_filters_text(event, req->filters, req->room);
	}
	if (text || info->addr_filters)
		info->filter_length = strlen(req->filters) + 1;
}

/* Fill in the sample and buffer data of @event, which has the file. */
static int perf_state_of_parent(struct state_request *req, struct perf_event *event)
{
	const struct perf_event_cold *cold = READ_ONCE(event->cold);
	struct perf_event_state_info *info = &req->info;
	int err;

	info->lost = perf_event_lost(event);
	info->throttles = cold ? READ_ONCE(cold->throttles) : 0;
	info->allowed = (u32)READ_ONCE(perf_max_samples_per_tick) * HZ;
	perf_state_of_buffer(event, info);

	err = perf_state_make_room(req, event);
	if (err)
		return err;
	CLASS(event_context, ctx)(event);
	perf_state_of_bpf(event, info, event->prog && perf_may_see_bpf());
	perf_state_of_filters(req, event);
	return 0;
}

/* Write as much of the filters' text as fits into the caller's buffer. */
static int perf_state_write_filters(const struct state_request *req)
{
	const struct perf_event_state_info *info = &req->info;
	char __user *to = u64_to_user_ptr(info->filter);
	u32 size = min(info->filter_size, info->filter_length);

	if (!size)
		return 0;
	if (copy_to_user(to, req->filters, size - 1) || put_user(0, to + size - 1))
		return -EFAULT;
	return 0;
}

/*
 * Read the request: copy the fields set by the caller to @reply. All other fields must be 0,
 * because a later kernel may give them a meaning. Return: the size, or a negative errno.
 */
static long perf_state_read_request(void __user *from, struct perf_event_state_info *reply)
{
	struct perf_event_state_info request;
	u32 size;
	int err;

	if (get_user(size, (u32 __user *)from))
		return -EFAULT;
	if (size < offsetofend(struct perf_event_state_info, status) || size > PAGE_SIZE)
		return perf_refuse_value(PERF_REFUSED_STATE_SIZE, size);
	err = copy_struct_from_user(&request, sizeof(request), from, size);
	if (err)
		return err == -E2BIG ? perf_refuse_value(PERF_REFUSED_STATE_NEWER, size) : err;
	reply->tid = request.tid;
	reply->filter = request.filter;
	reply->filter_size = request.filter_size;
	request.size = 0;
	request.tid = 0;
	request.filter = 0;
	request.filter_size = 0;
	if (memchr_inv(&request, 0, sizeof(request)))
		return perf_refuse(PERF_REFUSED_STATE_FIELDS);
	return size;
}

/**
 * perf_event_copy_state_to_user - PERF_EVENT_IOC_STATE
 * @event: an event with a file
 * @to: a struct perf_event_state_info in user space, with size, tid, filter and filter_size set
 *
 * Context: may sleep; no locks are held.
 * Return: 0 on success, -EFAULT, -EINVAL if the size is out of range or another field is set,
 * -E2BIG if a field unknown to this kernel is set, -ESRCH if the thread did not inherit the event,
 * -ENOMEM
 */
long perf_event_copy_state_to_user(struct perf_event *event, void __user *to)
{
	struct state_request *req __free(kfree) = NULL;
	long size;
	int err = 0;

	req = kzalloc(sizeof(*req), GFP_KERNEL_ACCOUNT);
	if (!req)
		return -ENOMEM;
	size = perf_state_read_request(to, &req->info);
	if (size < 0)
		return size;
	req->info.size = sizeof(req->info);
	req->info.cpu = -1;
	req->info.counter = -1;
	if (req->info.tid) {
		err = perf_state_of_thread(req, event, req->info.tid);
	} else {
		CLASS(event_context, ctx)(event);
		perf_state_of_event(req, event);
	}
	err = err ?: perf_state_of_parent(req, event);
	if (!err) {
		if (req->info.status == PERF_STATUS_WAITING)
			perf_state_copy_groups(req);
		else
			perf_state_copy_note(req);
		err = perf_state_write_filters(req);
	}
	if (!err && copy_to_user(to, &req->info, min_t(size_t, size, sizeof(req->info))))
		err = -EFAULT;
	while (req->nr_noted)
		perf_state_put_owner(req->groups[--req->nr_noted].owner);
	perf_state_put_owner(req->owner);
	kvfree(req->filters);
	return err;
}
