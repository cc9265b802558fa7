// SPDX-License-Identifier: GPL-2.0
/*
 * Address filters: PERF_EVENT_IOC_SET_FILTER for PMUs that support them.
 *
 * The event that was opened has a list of filters. This event and each event inherited from it have
 * the resulting address ranges: a filter for a file becomes a range once the file is mapped, so
 * ranges differ between tasks.
 */
#include <linux/ctype.h>
#include <linux/fs.h>
#include <linux/fs_struct.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/namei.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include <linux/seq_buf.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_events.h>

#include "../context.h"
#include "../event.h"
#include "../inherit_list.h"
#include "../internal.h"
#include "../record/sideband.h"
#include "../refuse.h"
#include "../sched.h"
#include "../throttle.h"
#include "addr_filter.h"
#include "addr_filter_parse.h"

#define for_each_filter(filter, head) \
	list_for_each_entry(filter, &(head)->list, entry)

/**
 * struct filter_list - filters before they are added to an event
 * @list: list of struct perf_addr_filter
 * @nr: number of filters
 * @nr_files: number of filters for files
 * @ranges: scratch ranges, as many as the PMU supports
 */
struct filter_list {
	struct list_head		list;
	unsigned int			nr;
	unsigned int			nr_files;
	struct perf_addr_filter_range	*ranges;
};

static const enum perf_addr_filter_action_t actions[FILTER_ACTIONS] = {
	[FILTER_STOP]	= PERF_ADDR_FILTER_ACTION_STOP,
	[FILTER_START]	= PERF_ADDR_FILTER_ACTION_START,
	[FILTER_RANGE]	= PERF_ADDR_FILTER_ACTION_FILTER,
};

static bool perf_addr_filter_has_file(const struct perf_addr_filter *filter)
{
	return filter->path.dentry;
}

static void perf_addr_filter_free_list(struct list_head *list)
{
	struct perf_addr_filter *filter, *next;

	list_for_each_entry_safe(filter, next, list, entry) {
		if (perf_addr_filter_has_file(filter)) {
			path_put(&filter->path);
			perf_sideband_put(PERF_SIDEBAND_FILTERS);
		}
		kfree(filter);
	}
	INIT_LIST_HEAD(list);
}

/* Look up the file of a filter. Only a per-task event can follow the file's mappings. */
static int perf_addr_filter_set_file(struct perf_event *event, struct perf_addr_filter *filter,
				     const char *name)
{
	struct path path;
	int err;

	if (!event->hw.target)
		return perf_refuse(PERF_REFUSED_FILTER_TASK);
	err = kern_path(name, LOOKUP_FOLLOW, &path);
	if (err)
		return perf_refuse_error(PERF_REFUSED_FILTER_FILE, err);
	if (!d_is_reg(path.dentry)) {
		path_put(&path);
		return perf_refuse(PERF_REFUSED_FILTER_KIND);
	}
	filter->path = path;
	perf_sideband_get(PERF_SIDEBAND_FILTERS);
	return 0;
}

static int perf_addr_filter_add(struct perf_event *event, struct filter_list *filters,
				const struct filter_spec *spec)
{
	struct perf_addr_filter *filter;
	int err;

	filter = kzalloc(sizeof(*filter), GFP_KERNEL_ACCOUNT);
	if (!filter)
		return -ENOMEM;
	filter->action = actions[spec->action];
	filter->offset = spec->offset;
	filter->size = spec->size;
	if (spec->path) {
		err = perf_addr_filter_set_file(event, filter, spec->path);
		if (err) {
			kfree(filter);
			return err;
		}
		filters->nr_files++;
	}
	list_add_tail(&filter->entry, &filters->list);
	filters->nr++;
	return 0;
}

static int perf_addr_filter_parse(struct perf_event *event, char *text, struct filter_list *filters)
{
	struct filter_spec spec;
	int err;

	do {
		err = filter_parse_next(&text, &spec);
		if (err < 0)
			perf_refuse_error(PERF_REFUSED_FILTER_TEXT, err);
		if (err > 0)
			err = perf_addr_filter_add(event, filters, &spec) ?: 1;
	} while (err > 0);
	return err;
}

/*
 * Create all filters of @text, or return an error and create none.
 *
 * A lookup below /proc may take another task's exec_update_lock, which nests outside of every
 * context's mutex. So the mutex is dropped during lookups and allocations, and the event is
 * checked again afterwards.
 */
static int perf_addr_filter_make(struct perf_event *event, char *text, struct filter_list *filters)
{
	unsigned int most = event->pmu->nr_addr_filters;
	struct mutex *held = &event->ctx->mutex;
	int err;

	mutex_unlock(held);
	filters->ranges = kcalloc(most, sizeof(*filters->ranges), GFP_KERNEL);
	err = filters->ranges ? perf_addr_filter_parse(event, text, filters) : -ENOMEM;
	mutex_lock(held);

	/* The PMU was unregistered, or has moved the event to another CPU. */
	if (!err && (event->state == PERF_EVENT_STATE_DEAD || held != &event->ctx->mutex))
		err = perf_refuse(PERF_REFUSED_EVENT_DEAD);
	if (!err) {
		bool many = filters->nr > event->pmu->nr_addr_filters;

		err = perf_refuse_error(many ? PERF_REFUSED_FILTER_MANY : PERF_REFUSED_FILTER_PMU,
					event->pmu->addr_filters_validate(&filters->list));
		if (!err && many)
			err = perf_refuse(PERF_REFUSED_FILTER_MANY);
	}
	if (err) {
		perf_addr_filter_free_list(&filters->list);
		kfree(filters->ranges);
	}
	return err;
}

/* Compute the address range of a filter in a mapping. Return false if no part is mapped. */
static bool perf_addr_filter_in_vma(const struct perf_addr_filter *filter,
				    const struct vm_area_struct *vma,
				    struct perf_addr_filter_range *range)
{
	if (!perf_addr_filter_has_file(filter) || !vma->vm_file ||
	    d_inode(filter->path.dentry) != file_user_inode(vma->vm_file))
		return false;
	return filter_place(filter->offset, filter->size, vma->vm_start,
			    vma->vm_pgoff << PAGE_SHIFT, vma->vm_end - vma->vm_start,
			    &range->start, &range->size);
}

/*
 * Compute the range of @filter in @mm (locked; NULL: not mapped), or of a filter for the
 * kernel.
 */
static void perf_addr_filter_find_range(const struct perf_addr_filter *filter, struct mm_struct *mm,
					struct perf_addr_filter_range *range)
{
	struct vm_area_struct *vma;

	if (!perf_addr_filter_has_file(filter)) {
		range->start = filter->offset;
		range->size = filter->size;
		return;
	}
	range->start = 0;
	range->size = 0;
	if (!mm)
		return;

	VMA_ITERATOR(vmi, mm, 0);
	for_each_vma(vmi, vma) {
		if (perf_addr_filter_in_vma(filter, vma, range))
			return;
	}
}

/* Restart the event, so that its driver uses the new ranges. */
static void perf_addr_filter_restart(struct perf_event *event)
{
	if (event->state != PERF_EVENT_STATE_ACTIVE || event->oncpu != smp_processor_id())
		return;
	/* The next tick starts a stopped or throttled event, with the new ranges. */
	if ((event->hw.state & PERF_HES_STOPPED) || perf_event_throttled(event))
		return;
	perf_event_pmu_stop(event, PERF_EF_UPDATE);
	perf_event_pmu_start(event, 0);
}

static void perf_addr_filter_restart_locked(struct perf_event *event,
					    struct perf_cpu_context *cpuctx, void *data)
{
	if (cpuctx)
		perf_addr_filter_restart(event);
}

/*
 * Set the event's ranges to those of the filters in @mm. An inherited event has its parent's
 * filters.
 */
static void perf_addr_filter_set_ranges(struct perf_event *event,
					struct perf_addr_filter_range *ranges, struct mm_struct *mm)
{
	struct perf_addr_filters_head *head = perf_event_addr_filters(event);
	struct perf_addr_filter *filter;
	unsigned int nr = 0;

	for_each_filter(filter, head)
		perf_addr_filter_find_range(filter, mm, &ranges[nr++]);

	raw_spin_lock_irq(&head->lock);
	memcpy(event->addr_filter_ranges, ranges, nr * sizeof(*ranges));
	perf_event_filters(event)->gen++;
	raw_spin_unlock_irq(&head->lock);
}

/*
 * Apply the event's ranges, which were computed from the newest filters, to the hardware. Note the
 * filters' serial number in @applied: perf_addr_filters_inherit() copies @applied and the ranges
 * together, with head->lock held.
 */
static void perf_addr_filter_use_ranges(struct perf_event *event)
{
	struct perf_addr_filters_head *head = perf_event_addr_filters(event);

	raw_spin_lock_irq(&head->lock);
	perf_event_filters(event)->applied = perf_event_filters(perf_event_parent(event))->serial;
	raw_spin_unlock_irq(&head->lock);
	perf_event_call(event, perf_addr_filter_restart_locked, NULL);
}

/* Freeing the mm with the last reference may take long: use a worker. */
static void perf_addr_filter_put_mm(struct mm_struct *mm)
{
#ifdef CONFIG_MMU
	mmput_async(mm);
#else
	mmput(mm);
#endif
}

static bool perf_addr_filter_is_up_to_date(const struct perf_event *event)
{
	const struct perf_event_filters *parent = perf_event_filters(perf_event_parent(event));

	return perf_event_filters(event)->applied == parent->serial;
}

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
/* Called in a KUnit test after the ranges were set, before the task's mm is checked again. */
static void (*perf_addr_filter_test_step)(struct perf_event *event);
#endif

static void perf_addr_filter_ranges_are_set(struct perf_event *event)
{
#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
	void (*step)(struct perf_event *event) = READ_ONCE(perf_addr_filter_test_step);

	if (step)
		step(event);
#endif
}

/* Is the task's fork incomplete? Its mm may still be released without a lock if the fork fails. */
static bool perf_addr_filter_task_is_new(struct task_struct *task)
{
	/*
	 * The acquire orders the load of task->mm after this load. A state other than TASK_NEW then
	 * shows that fork has stored task->mm: between its stores of task->mm and of the state,
	 * fork releases locks and takes them again.
	 */
	return smp_load_acquire(&task->__state) == TASK_NEW;
}

/*
 * The task whose mappings of files the filters need; NULL: none. After an exec of a privileged
 * program the event has been removed from the task. Its mappings must not be accessed any more,
 * although hw.target still refers to the task.
 */
static struct task_struct *perf_addr_filter_task(const struct perf_event *event)
{
	return READ_ONCE(event->ctx->task) == PERF_TASK_GONE ? NULL : event->hw.target;
}

/*
 * Apply new filters to one event. @ranges is scratch memory. The update holds mmap_lock for
 * reading, so an mmap() of the task waits. A later execve() clears the ranges; after an
 * earlier execve() the task has another mm, and the loop repeats. The caller may have to wait for
 * that mm, so the event is up to date only at the end.
 *
 * Return true on success; false if the caller must wait for the mmap_lock of *@busy, or, if *@busy
 * is NULL, for the task's fork to complete.
 */
static bool perf_addr_filter_apply(struct perf_event *event, struct perf_addr_filter_range *ranges,
				   struct mm_struct **busy)
{
	struct task_struct *task = perf_addr_filter_task(event);
	struct mm_struct *mm;
	bool stays;

	if (perf_addr_filter_is_up_to_date(event))
		return true;
	do {
		*busy = mm = NULL;
		/* An exited task has no mm. */
		stays = true;
		if (perf_event_addr_filters(event)->nr_file_filters && task) {
			if (perf_addr_filter_task_is_new(task))
				return false;
			mm = get_task_mm(task);
		}
		if (mm && !mmap_read_trylock(mm)) {
			*busy = mm;
			return false;
		}
		perf_addr_filter_set_ranges(event, ranges, mm);
		perf_addr_filter_ranges_are_set(event);
		if (mm) {
			stays = READ_ONCE(task->mm) == mm;
			mmap_read_unlock(mm);
			perf_addr_filter_put_mm(mm);
		}
	} while (!stays);
	perf_addr_filter_use_ranges(event);
	return true;
}

/*
 * Apply new filters to an event and its inherited events, until one must wait. A fatal signal ends
 * the loop like an event that must wait: perf_addr_filter_wait() then returns -EINTR.
 */
static bool perf_addr_filter_apply_all(struct perf_event *event,
				       struct perf_addr_filter_range *ranges,
				       struct mm_struct **busy)
{
	bool done = perf_addr_filter_apply(event, ranges, busy);
	struct perf_event *child;

	CLASS(inherit_lock, lock)(event);
	for_each_child(child, event) {
		if (!done)
			break;
		if (fatal_signal_pending(current)) {
			*busy = NULL;
			return false;
		}
		/* For each event all mappings of its process are walked: there may be many. */
		cond_resched();
		done = perf_addr_filter_apply(child, ranges, busy);
	}
	return done;
}

/*
 * Wait for @busy, or, if @busy is NULL, for a fork to complete. Return 0, or -EINTR after a fatal
 * signal.
 */
static int perf_addr_filter_wait(struct mm_struct *busy)
{
	int err;

	if (!busy) {
		schedule_timeout_killable(1);
		return fatal_signal_pending(current) ? -EINTR : 0;
	}
	err = mmap_read_lock_killable(busy);
	if (!err)
		mmap_read_unlock(busy);
	perf_addr_filter_put_mm(busy);
	return err;
}

static void perf_addr_filter_apply_none(struct perf_event *event,
					struct perf_addr_filter_range *ranges)
{
	if (perf_addr_filter_is_up_to_date(event))
		return;
	perf_addr_filter_set_ranges(event, ranges, NULL);
	perf_addr_filter_use_ranges(event);
}

/* Clear the file ranges of all events that do not have the new filters yet. */
static void perf_addr_filter_apply_nothing(struct perf_event *event,
					   struct perf_addr_filter_range *ranges)
{
	struct perf_event *child;

	perf_addr_filter_apply_none(event, ranges);
	CLASS(inherit_lock, lock)(event);
	for_each_child(child, event) {
		cond_resched();
		perf_addr_filter_apply_none(child, ranges);
	}
}

/*
 * Apply new filters to an event and its inherited events. User space can make a task hold its
 * mmap_lock for long: drop the caller's ctx->mutex while waiting for the mmap_lock. A fatal signal
 * ends the wait. @serial is the number of the caller's filters.
 *
 * During the wait another setter may replace the filters. A caller that was killed then leaves all
 * events to that setter: if the caller marked them as up to date, without file ranges, that setter
 * would not set their ranges.
 */
static int perf_addr_filter_apply_children(struct perf_event *event,
					   struct perf_addr_filter_range *ranges,
					   unsigned long serial)
{
	struct mutex *held = &event->ctx->mutex;
	struct mm_struct *busy;
	int err;

	while (!perf_addr_filter_apply_all(event, ranges, &busy)) {
		mutex_unlock(held);
		err = perf_addr_filter_wait(busy);
		mutex_lock(held);
		/* The event's PMU was unregistered during the wait. */
		if (event->state == PERF_EVENT_STATE_DEAD)
			return perf_refuse(PERF_REFUSED_EVENT_DEAD);
		if (err) {
			if (perf_event_filters(event)->serial == serial)
				perf_addr_filter_apply_nothing(event, ranges);
			return err;
		}
	}
	return 0;
}

/**
 * perf_addr_filters_set - replace the address filters of an event and its inherited events
 * @event: event of user space with address filters; its context's mutex is held
 * @text: text of PERF_EVENT_IOC_SET_FILTER; modified
 *
 * ctx->mutex is dropped and taken again, because locks of files and mms nest outside of it. The
 * last of several concurrent calls wins. The event may be dead afterwards.
 *
 * The call may wait for the mmap_lock or the fork of a task. If a fatal signal ends this wait
 * (-EINTR), the event keeps the new filters, but each event that does not have its new ranges yet
 * has no file ranges, unless a concurrent call has set newer filters. If the PMU is unregistered
 * during the wait (-ENODEV), the event keeps the new filters, too. After all other errors nothing
 * has changed.
 *
 * Context: may sleep.
 * Return: 0 on success, -EINVAL if the text does not match the grammar, -EOPNOTSUPP if the PMU does
 * not support the filters, -ENODEV if the PMU was unregistered or the event has moved to another
 * CPU, -ERANGE, -ENOMEM, -EINTR, or an error of the file lookup
 */
int perf_addr_filters_set(struct perf_event *event, char *text)
{
	struct filter_list new = { .list = LIST_HEAD_INIT(new.list) };
	struct perf_addr_filters_head *head = perf_event_addr_filters(event);
	unsigned long serial;
	LIST_HEAD(old);
	int err;

	lockdep_assert_held(&event->ctx->mutex);
	if (WARN_ON_ONCE(event->parent))
		return -EINVAL;

	err = perf_addr_filter_make(event, text, &new);
	if (err)
		return err;

	scoped_guard(raw_spinlock_irq, &head->lock) {
		list_splice_init(&head->list, &old);
		list_splice(&new.list, &head->list);
		head->nr_file_filters = new.nr_files;
		serial = ++perf_event_filters(event)->serial;
	}
	err = perf_addr_filter_apply_children(event, new.ranges, serial);
	perf_addr_filter_free_list(&old);
	kfree(new.ranges);
	return err;
}

/*
 * Can the context, which is locked, have events with address filters? Such an event needs
 * scheduling, so it has a reference to its PMU's part of the context, even if another PMU schedules
 * its group.
 */
static bool perf_addr_filter_is_possible(const struct perf_event_context *ctx)
{
	const struct perf_event_pmu_context *epc;

	lockdep_assert_held(&ctx->lock);
	for_each_pmu_context(epc, ctx) {
		if (epc->pmu->nr_addr_filters)
			return true;
	}
	return false;
}

/*
 * Call @update for an event with address filters of the running task, and restart the event if
 * @update returns true. Another task may have removed the event since it was found.
 */
static void perf_addr_filter_update_event(struct perf_event *event, struct perf_event_context *ctx,
					  bool (*update)(struct perf_event *event, void *data),
					  void *data)
{
	struct perf_cpu_context *here;

	guard(irqsave)();
	here = this_cpu_context();
	perf_context_lock_cpu(here, ctx);
	if ((event->attach_state & PERF_ATTACH_CONTEXT) && update(event, data))
		perf_addr_filter_restart(event);
	perf_context_unlock_cpu(here, ctx);
}

/*
 * Call @update for each event with address filters of the running task. The task may have many
 * other events: interrupts are off only for those with filters. An event that is attached
 * meanwhile has no filters yet.
 */
static void perf_addr_filter_update_current(bool (*update)(struct perf_event *event, void *data),
					    void *data)
{
	struct perf_event_context *mine = perf_task_context(current);
	struct perf_event *traced;
	bool possible = false;

	if (!mine)
		return;
	scoped_guard(raw_spinlock_irqsave, &mine->lock)
		possible = perf_addr_filter_is_possible(mine);
	if (!possible)
		return;
	guard(rcu)();
	list_for_each_entry_rcu(traced, &mine->event_list, event_entry) {
		if (READ_ONCE(traced->event_flags) & PERF_EVENT_ADDR_FILTERS)
			perf_addr_filter_update_event(traced, mine, update, data);
	}
}

static bool perf_addr_filter_update_exec(struct perf_event *event, void *data)
{
	struct perf_addr_filters_head *head = perf_event_addr_filters(event);
	struct perf_addr_filter_range *range = event->addr_filter_ranges;
	struct perf_addr_filter *filter;
	bool changed = false;

	raw_spin_lock(&head->lock);
	for_each_filter(filter, head) {
		if (perf_addr_filter_has_file(filter) && range->start) {
			range->start = 0;
			range->size = 0;
			changed = true;
		}
		range++;
	}
	perf_event_filters(event)->gen += changed;
	raw_spin_unlock(&head->lock);
	return changed;
}

/**
 * perf_addr_filters_exec - the running task has a new mm, without mapped files
 */
void perf_addr_filters_exec(void)
{
	if (perf_sideband_enabled(PERF_SIDEBAND_FILTERS))
		perf_addr_filter_update_current(perf_addr_filter_update_exec, NULL);
}

static bool perf_addr_filter_update_mmap(struct perf_event *event, void *data)
{
	struct perf_addr_filters_head *head = perf_event_addr_filters(event);
	struct perf_addr_filter_range *range = event->addr_filter_ranges;
	struct vm_area_struct *vma = data;
	struct perf_addr_filter *filter;
	bool changed = false;

	raw_spin_lock(&head->lock);
	for_each_filter(filter, head)
		changed |= perf_addr_filter_in_vma(filter, vma, range++);
	perf_event_filters(event)->gen += changed;
	raw_spin_unlock(&head->lock);
	return changed;
}

/**
 * perf_addr_filters_mmap - the running task has created a mapping
 * @vma: the mapping; its mm is locked for writing
 */
void perf_addr_filters_mmap(struct vm_area_struct *vma)
{
	/* Only code is traced. */
	if (!(vma->vm_flags & VM_EXEC) || !vma->vm_file)
		return;
	perf_addr_filter_update_current(perf_addr_filter_update_mmap, vma);
}

/**
 * perf_event_addr_filters_sync - update the driver's address ranges, for pmu::start
 * @event: event that is being started
 *
 * Call pmu::addr_filters_sync if the ranges have changed.
 *
 * Context: interrupts are off.
 */
void perf_event_addr_filters_sync(struct perf_event *event)
{
	struct perf_addr_filters_head *head;
	unsigned long gen;

	if (!has_addr_filter(event))
		return;
	head = perf_event_addr_filters(event);
	raw_spin_lock(&head->lock);
	gen = perf_event_filters(event)->gen;
	if (event->hw.addr_filters_gen != gen)
		event->pmu->addr_filters_sync(event);
	event->hw.addr_filters_gen = gen;
	raw_spin_unlock(&head->lock);
}
EXPORT_SYMBOL_GPL(perf_event_addr_filters_sync);

/**
 * perf_addr_filters_inherit - copy the ranges to an inherited event
 * @event: inherited event that is not in its parent event's list yet; the inherit lock is held
 * @from: event of the running task, whose mm has the same mappings
 */
void perf_addr_filters_inherit(struct perf_event *event, struct perf_event *from)
{
	struct perf_addr_filters_head *head;

	lockdep_assert_held(perf_inherit_lock(event->parent));
	if (!has_addr_filter(event))
		return;
	head = perf_event_addr_filters(event);
	raw_spin_lock_irq(&head->lock);
	memcpy(event->addr_filter_ranges, from->addr_filter_ranges,
	       event->parent->pmu->nr_addr_filters * sizeof(*event->addr_filter_ranges));
	perf_event_filters(event)->gen++;
	perf_event_filters(event)->applied = perf_event_filters(from)->applied;
	raw_spin_unlock_irq(&head->lock);
}

/**
 * perf_addr_filters_init - allocate an event's address filters
 * @event: new event, with event->pmu set
 *
 * Context: may sleep.
 * Return: 0 on success, -ENOMEM
 */
int perf_addr_filters_init(struct perf_event *event)
{
	struct perf_event_filters *made;

	if (!has_addr_filter(event))
		return 0;
	made = kzalloc(struct_size(made, ranges, event->pmu->nr_addr_filters),
		       GFP_KERNEL_ACCOUNT);
	if (!made)
		return -ENOMEM;
	INIT_LIST_HEAD(&made->head.list);
	raw_spin_lock_init(&made->head.lock);
	made->gen = 1;
	event->addr_filter_ranges = made->ranges;
	event->event_flags |= PERF_EVENT_ADDR_FILTERS;
	return 0;
}

/**
 * perf_addr_filters_free - free an event's address filters
 * @event: event of any PMU that is being freed
 *
 * Context: may sleep.
 */
void perf_addr_filters_free(struct perf_event *event)
{
	if (!(event->event_flags & PERF_EVENT_ADDR_FILTERS))
		return;
	event->event_flags &= ~PERF_EVENT_ADDR_FILTERS;
	perf_addr_filter_free_list(&perf_event_filters(event)->head.list);
	kfree(perf_event_filters(event));
	event->addr_filter_ranges = NULL;
}

/* Maximum length of one filter in the text, without the path */
#define FILTER_TEXT_MAX	64

/* Format a filter's path in @path, relative to current's root directory. */
static const char *perf_addr_filter_path(const struct perf_addr_filter *filter, char *path)
{
	const char *name;
	struct path root;

	get_fs_root(current->fs, &root);
	name = __d_path(&filter->path, &root, path, PATH_MAX);
	path_put(&root);
	return IS_ERR_OR_NULL(name) ? "?" : name;
}

static void perf_addr_filter_print(struct seq_buf *to, const struct perf_addr_filter *filter,
				   char *path)
{
	static const char * const names[] = {
		[PERF_ADDR_FILTER_ACTION_STOP]		= "stop",
		[PERF_ADDR_FILTER_ACTION_START]		= "start",
		[PERF_ADDR_FILTER_ACTION_FILTER]	= "filter",
	};

	seq_buf_printf(to, "%s%s %#lx", seq_buf_used(to) ? "," : "", names[filter->action],
		       filter->offset);
	if (filter->size)
		seq_buf_printf(to, "/%#lx", filter->size);
	if (perf_addr_filter_has_file(filter))
		seq_buf_printf(to, "@%s", perf_addr_filter_path(filter, path));
}

/**
 * perf_addr_filters_room - get the maximum length of the text of an event's address filters
 * @event: event of any PMU, which may be unregistered since
 *
 * Context: any but NMI.
 * Return: bytes for perf_addr_filters_text(); 0 if the PMU has no filters
 */
size_t perf_addr_filters_room(const struct perf_event *event)
{
	unsigned int most;

	guard(rcu)();
	most = READ_ONCE(event->pmu)->nr_addr_filters;
	/* The space of one more filter: perf_addr_filters_text() formats each path there first. */
	return most ? (most + 1UL) * (FILTER_TEXT_MAX + PATH_MAX) : 0;
}

/**
 * perf_addr_filters_text - format an event's address filters as text
 * @event: event of any PMU; its context's mutex is held, which protects the filters
 * @text: gets the filters, with paths relative to current's root directory
 * @size: bytes of @text, perf_addr_filters_room() or 0
 *
 * Context: may sleep.
 * Return: number of filters
 */
unsigned int perf_addr_filters_text(struct perf_event *event, char *text, size_t size)
{
	const struct perf_addr_filter *filter;
	struct perf_addr_filters_head *head;
	unsigned int nr = 0;
	struct seq_buf to;

	lockdep_assert_held(&event->ctx->mutex);
	/* The event's PMU may be unregistered. */
	if (!size || !(event->event_flags & PERF_EVENT_ADDR_FILTERS))
		return 0;
	head = perf_event_addr_filters(event);
	size -= FILTER_TEXT_MAX + PATH_MAX;
	seq_buf_init(&to, text, size);
	for_each_filter(filter, head) {
		perf_addr_filter_print(&to, filter, text + size);
		nr++;
	}
	WARN_ON_ONCE(seq_buf_has_overflowed(&to));
	seq_buf_str(&to);
	return nr;
}

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
#include "../tests/addr_filter_test.c"
#endif
