// SPDX-License-Identifier: GPL-2.0
/*
 * A simulated PMU with selectable properties ("habits") of real drivers.
 *
 * Drivers of hardware that no test reaches rely on guarantees of the core, for example that the PMU
 * is disabled during pmu::sched_task, or that a counter is read before it is reprogrammed. This PMU
 * checks these guarantees, and counts violations. Its callbacks call those of the simulated PMU.
 *
 * With sim_habits.mask=M on the command line user space gets such a PMU, sim_habits. The driver
 * uses only interfaces for PMU drivers.
 */
#include <linux/delay.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "sim_habits.h"

static unsigned int mask;
module_param(mask, uint, 0444);
MODULE_PARM_DESC(mask, "properties of the PMU sim_habits; 0: do not register it");

/* hw_perf_event::flags: the event is in the simulated list of SIM_PAIRS. */
#define LISTED	0x1

/**
 * struct task_data - state that the PMU saves for a task that is switched out
 * @record: simulated branch record of the task
 * @valid: @record was saved
 */
struct task_data {
	pid_t	record;
	bool	valid;
};

static struct kmem_cache *sim_habits_task_data_cache;

static struct sim_habits *to_habits(const struct pmu *pmu)
{
	return to_sim(pmu)->habits;
}

static void sim_habits_complain(struct sim_habits *h, const char *complaint)
{
	if (atomic_inc_return(&h->complaints) == 1)
		WRITE_ONCE(h->complaint, complaint);
}

static void sim_habits_expect(struct sim_habits *h, bool so, const char *complaint)
{
	if (unlikely(!so))
		sim_habits_complain(h, complaint);
}

static bool sim_habits_stands(const struct sim_habits *h)
{
	return !this_cpu_ptr(h->sim->cpus)->enabled;
}

/* Check the guarantees that hold in each callback for a scheduled event. */
static void sim_habits_check_place(struct sim_habits *h, const struct perf_event *event)
{
	sim_habits_expect(h, irqs_disabled(), "interrupts are on");
	sim_habits_expect(h, event->oncpu == smp_processor_id(), "the event is on another CPU");
	sim_habits_expect(h, event->state == PERF_EVENT_STATE_ACTIVE, "the event is not active");
	sim_habits_expect(h, !(h->mask & SIM_OTHER_CPU) || h->cpu < 0 ||
			  smp_processor_id() == h->cpu,
			  "the event is not on the CPU that its driver selected");
}

/* Context switches */

static bool sim_habits_runs_for_a_task(const struct sim_cpu *cpu)
{
	int i;

	for (i = 0; i < SIM_MAX_COUNTERS; i++) {
		if (cpu->counters[i].event &&
		    (cpu->counters[i].event->attach_state & PERF_ATTACH_TASK))
			return true;
	}
	return false;
}

static bool sim_habits_of_cgroup(const struct perf_event *event)
{
	return event->cgrp;
}

static void sim_habits_switched(struct sim_habits *h, struct perf_event_pmu_context *pmu_ctx,
				struct task_struct *task, bool sched_in)
{
	struct sim_habits_cpu *cpu = this_cpu_ptr(h->cpus);
	struct task_data *data = NULL;

	sim_habits_expect(h, sim_habits_stands(h), "sched_task is called while the PMU runs");
	sim_habits_expect(h, task == current, "the task of the switch is not current");
	sim_habits_expect(h, pmu_ctx && pmu_ctx->pmu == &h->sim->pmu && pmu_ctx->ctx,
			  "sched_task has no context of its PMU");
	if (pmu_ctx && (h->mask & SIM_TASK_DATA))
		data = pmu_ctx->task_ctx_data;
	cpu->due = !sched_in;
	cpu->cgroup_due = false;
	if (sched_in) {
		cpu->ins++;
		cpu->record = data && data->valid ? data->record : 0;
		cpu->restored += data && data->valid;
		return;
	}
	cpu->outs++;
	if (data)
		*data = (struct task_data){ .record = cpu->record, .valid = true };
	if ((h->mask & SIM_LEAVES) && cpu->asked) {
		cpu->asked = false;
		perf_sched_cb_dec(&h->sim->pmu);
	}
}

/* sched_task has no PMU argument: as in real drivers, each PMU has its own callback. */
static struct sim_habits *sim_habits_switchers[3];

#define SCHED_TASK(n)								\
static void sched_task_##n(struct perf_event_pmu_context *pmu_ctx,		\
			   struct task_struct *task, bool sched_in)		\
{										\
	sim_habits_switched(sim_habits_switchers[n], pmu_ctx, task, sched_in);			\
}

SCHED_TASK(0)
SCHED_TASK(1)
SCHED_TASK(2)

static const typeof_member(struct pmu, sched_task) sched_tasks[] = {
	sched_task_0, sched_task_1, sched_task_2,
};

static bool sim_habits_become_switcher(struct sim_habits *h)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(sim_habits_switchers); i++) {
		if (!cmpxchg(&sim_habits_switchers[i], NULL, h)) {
			h->sim->pmu.sched_task = sched_tasks[i];
			return true;
		}
	}
	return false;
}

/* Callbacks of struct pmu */

static int sim_habits_event_init(struct perf_event *event)
{
	struct sim_habits *h = to_habits(event->pmu);
	int err;

	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	if (h->mask & SIM_SLEEPS) {
		mutex_lock(&h->lock);
		fsleep(1000);
		mutex_unlock(&h->lock);
	}
	if ((h->mask & SIM_LIMITED) && event->attr.sample_period && !event->attr.freq &&
	    event->attr.sample_period < SIM_LEAST_PERIOD)
		return -EINVAL;
	err = h->plain.event_init(event);
	if (err)
		return err;
	if (h->mask & SIM_OTHER_CPU)
		event->cpu = h->cpu;
	if (h->mask & SIM_SWITCH)
		event->attach_state |= PERF_ATTACH_SCHED_CB;
	if (h->mask & SIM_TASK_DATA)
		event->attach_state |= PERF_ATTACH_TASK_DATA;
	return 0;
}

static int sim_habits_check_period(struct perf_event *event, u64 period)
{
	return period < SIM_LEAST_PERIOD ? -EINVAL : 0;
}

static int sim_habits_add(struct perf_event *event, int flags)
{
	struct sim_habits *h = to_habits(event->pmu);
	struct sim_habits_cpu *cpu = this_cpu_ptr(h->cpus);
	int err;

	sim_habits_check_place(h, event);
	sim_habits_expect(h, sim_habits_stands(h), "an event is added while the PMU runs");
	event->hw.flags &= ~LISTED;
	if (READ_ONCE(h->mask) & SIM_REFUSES)
		return -ENOENT;
	err = h->plain.add(event, flags);
	if (err)
		return err;
	if (flags & PERF_EF_START)
		event->hw.flags |= LISTED;
	cpu->cgroup_due |= cpu->due && sim_habits_of_cgroup(event);
	cpu->users++;
	if ((h->mask & SIM_SWITCH) && !cpu->asked) {
		cpu->asked = true;
		perf_sched_cb_inc(event->pmu);
	}
	return 0;
}

static void sim_habits_del(struct perf_event *event, int flags)
{
	struct sim_habits *h = to_habits(event->pmu);
	struct sim_habits_cpu *cpu = this_cpu_ptr(h->cpus);

	sim_habits_check_place(h, event);
	sim_habits_expect(h, sim_habits_stands(h), "an event is removed while the PMU runs");
	sim_habits_expect(h, cpu->users, "an event is removed that was not added");
	h->plain.del(event, flags);
	if (!--cpu->users && cpu->asked) {
		cpu->asked = false;
		perf_sched_cb_dec(event->pmu);
	}
}

static void sim_habits_start(struct perf_event *event, int flags)
{
	struct sim_habits *h = to_habits(event->pmu);

	sim_habits_check_place(h, event);
	sim_habits_expect(h, event->hw.state & PERF_HES_STOPPED,
			  "an event is started that is not stopped");
	sim_habits_expect(h, !(flags & PERF_EF_RELOAD) || (event->hw.state & PERF_HES_UPTODATE),
			  "a counter is reloaded that has not been read");
	sim_habits_expect(h, !(h->mask & SIM_PAIRS) || !(event->hw.flags & LISTED),
			  "an event is started twice");
	event->hw.flags |= LISTED;
	h->plain.start(event, flags);
}

static void sim_habits_stop(struct perf_event *event, int flags)
{
	struct sim_habits *h = to_habits(event->pmu);

	sim_habits_check_place(h, event);
	sim_habits_expect(h, !(h->mask & SIM_PAIRS) || (event->hw.flags & LISTED),
			  "an event is stopped twice");
	event->hw.flags &= ~LISTED;
	h->plain.stop(event, flags);
}

static void sim_habits_read(struct perf_event *event)
{
	struct sim_habits *h = to_habits(event->pmu);

	this_cpu_ptr(h->cpus)->reads++;
	/* An event with a scope can be read on any CPU of the scope. */
	if (h->mask & SIM_SCOPE) {
		if (event->oncpu != smp_processor_id())
			return;
	} else {
		sim_habits_check_place(h, event);
	}
	h->plain.read(event);
}

static void sim_habits_enable(struct pmu *pmu)
{
	struct sim_habits *h = to_habits(pmu);
	struct sim_habits_cpu *cpu = this_cpu_ptr(h->cpus);

	sim_habits_expect(h, sim_habits_stands(h), "the PMU is enabled twice");
	if (h->mask & SIM_MOVES)
		sim_pmu_shuffle(h->sim);
	cpu->enables++;
	if (unlikely(cpu->due))
		cpu->early += cpu->cgroup_due ||
			      sim_habits_runs_for_a_task(this_cpu_ptr(h->sim->cpus));
	h->plain.pmu_enable(pmu);
}

static void sim_habits_disable(struct pmu *pmu)
{
	struct sim_habits *h = to_habits(pmu);

	sim_habits_expect(h, !sim_habits_stands(h), "the PMU is disabled twice");
	h->plain.pmu_disable(pmu);
}

/* Set the fields of struct pmu that are not callbacks. */
static void sim_habits_set_kind(struct sim_habits *h)
{
	struct pmu *pmu = &h->sim->pmu;

	if (h->mask & SIM_SCOPE) {
		pmu->scope = PERF_PMU_SCOPE_PKG;
		pmu->task_ctx_nr = perf_invalid_context;
	}
	if (h->mask & SIM_SOFTWARE)
		pmu->task_ctx_nr = perf_sw_context;
	if (h->mask & SIM_OTHER_CPU)
		pmu->task_ctx_nr = perf_invalid_context;
	if (h->mask & SIM_EXCLUSIVE)
		pmu->capabilities |= PERF_PMU_CAP_EXCLUSIVE;
	if (h->mask & SIM_NO_INTERRUPT)
		pmu->capabilities |= PERF_PMU_CAP_NO_INTERRUPT;
	if (h->mask & SIM_TASK_DATA)
		pmu->task_ctx_cache = sim_habits_task_data_cache;
	if (h->mask & SIM_LIMITED)
		pmu->check_period = sim_habits_check_period;
	if (h->mask & SIM_NO_TXN) {
		pmu->start_txn = NULL;
		pmu->commit_txn = NULL;
		pmu->cancel_txn = NULL;
	}
	h->sim->ignores_stop = h->mask & SIM_IGNORES;
	h->sim->halts_unmarked = h->mask & SIM_UNMARKED;
}

/**
 * sim_habits_alloc - allocate a PMU with habits, which the caller registers
 * @shape: parameters of its counters
 * @mask: SIM_* habits
 *
 * Context: may sleep.
 * Return: the PMU, or NULL if memory is lacking, the parameters are not valid, or there are
 * three PMUs with SIM_SWITCH
 */
struct sim_habits *sim_habits_alloc(const struct sim_pmu_shape *shape, unsigned int mask)
{
	struct sim_habits *h = kzalloc(sizeof(*h), GFP_KERNEL);
	struct pmu *pmu;

	if (!h)
		return NULL;
	h->mask = mask;
	mutex_init(&h->lock);
	h->cpus = alloc_percpu(struct sim_habits_cpu);
	h->sim = sim_pmu_alloc(shape);
	if (!h->cpus || !h->sim || ((mask & SIM_SWITCH) && !sim_habits_become_switcher(h))) {
		sim_habits_free(h);
		return NULL;
	}
	h->sim->habits = h;
	pmu = &h->sim->pmu;
	h->plain = *pmu;
	pmu->capabilities &= ~PERF_PMU_CAP_EXTENDED_HW_TYPE;
	pmu->event_init = sim_habits_event_init;
	pmu->add = sim_habits_add;
	pmu->del = sim_habits_del;
	pmu->start = sim_habits_start;
	pmu->stop = sim_habits_stop;
	pmu->read = sim_habits_read;
	pmu->pmu_enable = sim_habits_enable;
	pmu->pmu_disable = sim_habits_disable;
	sim_habits_set_kind(h);
	return h;
}

/**
 * sim_habits_free - undo sim_habits_alloc()
 * @habits: not registered
 *
 * Context: may sleep.
 */
void sim_habits_free(struct sim_habits *habits)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(sim_habits_switchers); i++)
		cmpxchg(&sim_habits_switchers[i], habits, NULL);
	if (habits->sim)
		sim_pmu_free(habits->sim);
	free_percpu(habits->cpus);
	kfree(habits);
}

static int __init sim_habits_init(void)
{
	static const struct sim_pmu_shape shape = { .nr_general = 4, .width = 48 };
	struct sim_habits *h;
	int err;

	sim_habits_task_data_cache = KMEM_CACHE(task_data, 0);
	if (!sim_habits_task_data_cache)
		return -ENOMEM;
	if (!mask)
		return 0;
	h = sim_habits_alloc(&shape, mask);
	if (!h)
		return -EINVAL;
	err = perf_pmu_register(&h->sim->pmu, "sim_habits", -1);
	if (err)
		sim_habits_free(h);
	return err;
}
device_initcall(sim_habits_init);
