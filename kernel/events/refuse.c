// SPDX-License-Identifier: GPL-2.0
/*
 * Refused calls: the table of reasons, the last refusal of each task, and its report to user
 * space.
 *
 * Only the task itself accesses its struct perf_refused, so no lock is needed. The structure is
 * allocated at the task's first refusal and freed with the task.
 */
#include <kunit/test-bug.h>
#include <linux/debugfs.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "event.h"
#include "refuse.h"

#define CREATE_TRACE_POINTS
#include <trace/events/perf_events.h>

/* A string that fits the given member of struct perf_refusal, checked at build time */
#define WHOLE(member, text) \
	(&(text)[BUILD_BUG_ON_ZERO(sizeof(text) > sizeof_field(struct perf_refusal, member))])

const struct perf_refusal_row perf_refusal_rows[PERF_REFUSALS] = {
#define REFUSAL(id, error, to_blame, sentence) \
	{ WHOLE(name, #id), WHOLE(field, to_blame), WHOLE(reason, sentence), error },
#include "refuse_rows.h"
#undef REFUSAL
};

static atomic_long_t perf_refusal_counts[PERF_REFUSALS];

/**
 * struct perf_refused - the refusals of a task
 * @reported: the last refusal, in the form that user space reads
 * @noting: the reason noted by a check in a call that has not ended yet
 * @id: the row of @noting
 * @noted: @noting is valid
 */
struct perf_refused {
	struct perf_refusal	reported;
	struct perf_refusal	noting;
	enum perf_refusal_id	id;
	bool			noted;
};

/*
 * Some checks hold spinlocks or RCU, so the allocation must not sleep. If it fails, the
 * refusal is not explained.
 */
static struct perf_refused *perf_refused_get(void)
{
	struct task_struct *me = current;

	/* KUnit tests run in kernel threads and read the noted reason. */
	if (!in_task() || ((me->flags & PF_KTHREAD) && !kunit_get_current_test()))
		return NULL;
	if (!me->perf_refused)
		me->perf_refused = kzalloc(sizeof(*me->perf_refused),
					   GFP_NOWAIT | __GFP_NOWARN | __GFP_ACCOUNT);
	return me->perf_refused;
}

static int perf_refuse_as(enum perf_refusal_id id, int error, u64 value, const char *pmu)
{
	const struct perf_refusal_row *row = &perf_refusal_rows[id];
	struct perf_refused *refused = perf_refused_get();

	if (!refused)
		return error;
	refused->id = id;
	refused->noted = true;
	memset(&refused->noting, 0, sizeof(refused->noting));
	refused->noting.size = sizeof(refused->noting);
	refused->noting.error = -error;
	refused->noting.value = value;
	strscpy(refused->noting.name, row->name);
	strscpy(refused->noting.field, row->field);
	strscpy(refused->noting.reason, row->reason);
	strscpy(refused->noting.pmu, pmu ?: "");
	return error;
}

/**
 * perf_refuse - note why a call of current is refused
 * @id: the reason
 *
 * Outside of user space tasks nothing is noted.
 *
 * Context: any.
 * Return: the row's negative errno
 */
int perf_refuse(enum perf_refusal_id id)
{
	return perf_refuse_as(id, -perf_refusal_rows[id].error, 0, NULL);
}

/**
 * perf_refuse_value - note why a call of current is refused, and the refused value
 * @id: the reason
 * @value: value of the row's field
 *
 * Context: as perf_refuse().
 * Return: the row's negative errno
 */
int perf_refuse_value(enum perf_refusal_id id, u64 value)
{
	return perf_refuse_as(id, -perf_refusal_rows[id].error, value, NULL);
}

/* Get the reason of an errno that always has the same reason, or PERF_REFUSED_UNNAMED. */
static enum perf_refusal_id perf_refusal_of_errno(int error)
{
	switch (error) {
	case -ENOMEM:
		return PERF_REFUSED_NO_MEMORY;
	case -EFAULT:
		return PERF_REFUSED_BAD_ADDRESS;
	case -EMFILE:
		return PERF_REFUSED_NO_FILES_LEFT;
	case -ENFILE:
		return PERF_REFUSED_NO_FILES_AT_ALL;
	}
	return PERF_REFUSED_UNNAMED;
}

/**
 * perf_refuse_error - note why a call of current is refused with the errno of another function
 * @id: the reason, unless @error has the same reason everywhere, such as -ENOMEM
 * @error: negative errno, or 0 if the call is not refused
 *
 * Context: as perf_refuse().
 * Return: @error
 */
int perf_refuse_error(enum perf_refusal_id id, int error)
{
	enum perf_refusal_id of_errno = perf_refusal_of_errno(error);

	if (!error)
		return 0;
	return perf_refuse_as(of_errno != PERF_REFUSED_UNNAMED ? of_errno : id, error, 0, NULL);
}

/**
 * perf_refuse_with_pmu - note why a call of current is refused, and the name of the event's PMU
 * @id: the reason
 * @event: new event, with event->pmu set
 *
 * Context: as perf_refuse().
 * Return: the row's negative errno
 */
int perf_refuse_with_pmu(enum perf_refusal_id id, const struct perf_event *event)
{
	return perf_refuse_as(id, -perf_refusal_rows[id].error, 0, event->pmu->name);
}

/**
 * perf_event_refuse - for PMU drivers: note why an event is refused
 * @event: the event that event_init() or another callback refuses
 * @field: the field at fault, for example "attr.config1"
 * @reason: predicate of a sentence whose subject is @field, less than 128 bytes; both strings are
 *	copied
 * @error: negative errno
 *
 * Context: any.
 * Return: @error, for use in a return statement
 */
int perf_event_refuse(const struct perf_event *event, const char *field, const char *reason,
		      int error)
{
	struct perf_refused *refused;

	/* current has not requested an inherited event, so a failure is not reported to current. */
	if (event->parent)
		return error;
	perf_refuse_as(PERF_REFUSED_PMU_SAYS, error, 0, event->pmu->name);
	refused = perf_refused_get();
	if (refused) {
		strscpy(refused->noting.field, field);
		strscpy(refused->noting.reason, reason);
	}
	return error;
}
EXPORT_SYMBOL_GPL(perf_event_refuse);

static bool perf_refusal_is_noted(int error)
{
	const struct perf_refused *refused = current->perf_refused;

	return refused && refused->noted && refused->noting.error == -error;
}

/*
 * Guess the reason from the errno, the event and the PMU's capabilities, for a driver that has
 * noted none.
 */
static enum perf_refusal_id perf_refusal_guess(const struct perf_event *event, int error)
{
	const struct perf_event_attr *attr = &event->attr;

	switch (error) {
	case -EACCES:
	case -EPERM:
		return PERF_REFUSED_PMU_RIGHTS;
	case -EBUSY:
	case -ENOSPC:
	case -EAGAIN:
		return PERF_REFUSED_PMU_BUSY;
	case -ENODEV:
		return PERF_REFUSED_PMU_CPU;
	}
	if (attr->sample_type & PERF_SAMPLE_BRANCH_STACK)
		return PERF_REFUSED_PMU_BRANCHES;
	if (attr->sample_period && (event->pmu->capabilities & PERF_PMU_CAP_NO_INTERRUPT))
		return PERF_REFUSED_PMU_SAMPLING;
	if (event->pmu->task_ctx_nr == perf_invalid_context &&
	    (event->hw.target || (event->event_flags & PERF_EVENT_OF_CGROUP)))
		return PERF_REFUSED_PMU_TASKS;
	if ((event->pmu->capabilities & PERF_PMU_CAP_NO_EXCLUDE) &&
	    event_has_any_exclude_flag((struct perf_event *)event))
		return PERF_REFUSED_PMU_EXCLUDES;
	if (attr->precise_ip)
		return PERF_REFUSED_PMU_PRECISE;
	return event->group_leader != event ? PERF_REFUSED_PMU_GROUP : PERF_REFUSED_PMU_CONFIG;
}

/**
 * perf_refuse_by_pmu - note why a PMU refuses an event, unless its driver has done so
 * @event: new event, with event->pmu set
 * @error: negative errno of event_init()
 *
 * Context: as perf_refuse().
 * Return: @error
 */
int perf_refuse_by_pmu(const struct perf_event *event, int error)
{
	if (event->parent || perf_refusal_is_noted(error) ||
	    perf_refusal_of_errno(error) != PERF_REFUSED_UNNAMED)
		return error;
	return perf_refuse_as(perf_refusal_guess(event, error), error, 0, event->pmu->name);
}

/**
 * perf_refusal_clear - discard the noted reason
 *
 * For a reason that refuses no call of user space: another PMU may accept the event, or the
 * call was the kernel's own.
 */
void perf_refusal_clear(void)
{
	struct perf_refused *refused = current->perf_refused;

	if (refused)
		refused->noted = false;
}

#if IS_ENABLED(CONFIG_PERF_EVENTS_KUNIT_TEST)
/**
 * perf_refusal_look - for KUnit tests: the reason that user space would get
 *
 * The reason stays noted.
 *
 * Return: the reason noted for current, or NULL
 */
const struct perf_refusal *perf_refusal_look(void)
{
	struct perf_refused *refused = current->perf_refused;

	return refused && refused->noted ? &refused->noting : NULL;
}

/**
 * perf_refusal_take - for KUnit tests: the row of the noted reason, which is discarded
 *
 * Return: the row's number; PERF_REFUSALS if no reason is noted for current
 */
enum perf_refusal_id perf_refusal_take(void)
{
	struct perf_refused *refused = current->perf_refused;

	if (!refused || !refused->noted)
		return PERF_REFUSALS;
	refused->noted = false;
	return refused->id;
}
#endif

/**
 * perf_refusal_report - end a call that has failed
 * @call: the call
 * @error: negative errno that the call returns
 *
 * Store the reason that was noted last as current's last refusal, count it and trace it. If no
 * reason with the errno @error is noted, derive one from @error.
 *
 * Context: no locks are held.
 * Return: @error
 */
long perf_refusal_report(enum perf_refused_call call, long error)
{
	struct perf_refused *refused;

	/* User space repeats calls with these errnos: the calls are not refused. */
	if (error <= -ERESTARTSYS || error == -EINTR ||
	    (error == -EAGAIN && call == PERF_REFUSED_CALL_SPLICE)) {
		perf_refusal_clear();
		return error;
	}

	if (!perf_refusal_is_noted(error))
		perf_refuse_error(PERF_REFUSED_UNNAMED, error);

	refused = current->perf_refused;
	if (!refused || !refused->noted)
		return error;
	refused->noted = false;
	refused->reported = refused->noting;
	refused->reported.call = call;
	/*
	 * Programs ask for the inherited events in all threads of a process. A thread that did not
	 * inherit the event is a result, not a refusal: it is neither counted nor traced.
	 */
	if (refused->id == PERF_REFUSED_STATE_NO_COPY)
		return error;
	atomic_long_inc(&perf_refusal_counts[refused->id]);
	trace_perf_event_refused(&refused->reported);
	return error;
}

/**
 * perf_event_explain - prctl(PR_PERF_EXPLAIN)
 * @buf: gets the last refusal of current, a struct perf_refusal
 * @size: of @buf in bytes; more than LONG_MAX if an unused argument is not 0
 *
 * If this call fails, its refusal is reported by the next call.
 *
 * Context: may sleep.
 * Return: the size of the structure, 0 if no call was refused, -EINVAL if @size is out of
 * range, -EFAULT
 */
long perf_event_explain(void __user *buf, unsigned long size)
{
	const struct perf_refused *refused = current->perf_refused;
	long ret = 0;

	if (size > LONG_MAX) {
		ret = perf_refuse(PERF_REFUSED_EXPLAIN_SIZE);
	} else if (refused && refused->reported.call) {
		ret = sizeof(refused->reported);
		if (copy_to_user(buf, &refused->reported, min_t(size_t, size, ret)))
			ret = -EFAULT;
	}
	return perf_refusal_end(PERF_REFUSED_CALL_PRCTL, ret);
}

/**
 * perf_debugfs_dir - the directory of perf events in debugfs
 *
 * Context: initcalls, which run one at a time.
 * Return: the directory, or an ERR_PTR() that the debugfs functions accept
 */
struct dentry * __init perf_debugfs_dir(void)
{
	static struct dentry *dir __initdata;

	if (!dir)
		dir = debugfs_create_dir("perf_events", NULL);
	return dir;
}

static int refusals_show(struct seq_file *m, void *unused)
{
	int i;

	for (i = 0; i < PERF_REFUSALS; i++)
		seq_printf(m, "%ld %s\n", atomic_long_read(&perf_refusal_counts[i]),
			   perf_refusal_rows[i].name);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(refusals);

static int __init perf_refusal_debugfs_init(void)
{
	debugfs_create_file("refusals", 0400, perf_debugfs_dir(), NULL, &refusals_fops);
	return 0;
}
late_initcall(perf_refusal_debugfs_init);
