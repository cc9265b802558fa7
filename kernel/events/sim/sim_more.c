// SPDX-License-Identifier: GPL-2.0
/*
 * PMUs that do not count, to measure the cost of many PMUs. Writing N to
 * /sys/module/sim_more/parameters/number registers N more PMUs, sim_more_0 and so on. They
 * are never unregistered.
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/slab.h>

#define SIM_MOST_PMUS	1000

static DEFINE_MUTEX(sim_more_lock);
static unsigned int number;	/* PMUs registered; protected by sim_more_lock */

/**
 * struct sim_more - a PMU that does not count
 * @pmu: the registered PMU
 * @name: its name in sysfs
 */
struct sim_more {
	struct pmu	pmu;
	char		name[16];
};

static int sim_more_event_init(struct perf_event *event)
{
	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	return is_sampling_event(event) || has_branch_stack(event) ? -EINVAL : 0;
}

static int sim_more_add(struct perf_event *event, int flags)
{
	return 0;
}

static void sim_more_del(struct perf_event *event, int flags)
{
}

/* Register one more PMU; sim_more_lock is held. */
static int sim_more_make(void)
{
	struct sim_more *made = kzalloc(sizeof(*made), GFP_KERNEL);
	int err;

	if (!made)
		return -ENOMEM;
	snprintf(made->name, sizeof(made->name), "sim_more_%u", number);
	made->pmu = (struct pmu) {
		.module		= THIS_MODULE,
		.task_ctx_nr	= perf_hw_context,
		.capabilities	= PERF_PMU_CAP_NO_INTERRUPT,
		.event_init	= sim_more_event_init,
		.add		= sim_more_add,
		.del		= sim_more_del,
	};
	err = perf_pmu_register(&made->pmu, made->name, -1);
	if (err) {
		kfree(made);
		return err;
	}
	number++;
	return 0;
}

static int sim_more_set(const char *text, const struct kernel_param *param)
{
	unsigned int more;
	int err = kstrtouint(text, 0, &more);

	if (err)
		return err;
	/* Not from the command line, which is parsed before PMUs can be registered. */
	if (system_state < SYSTEM_RUNNING)
		return -EBUSY;
	guard(mutex)(&sim_more_lock);
	if (more > SIM_MOST_PMUS - number)
		return -ERANGE;
	while (more-- && !err)
		err = sim_more_make();
	return err;
}

static const struct kernel_param_ops sim_more_ops = {
	.set	= sim_more_set,
	.get	= param_get_uint,
};
module_param_cb(number, &sim_more_ops, &number, 0600);
MODULE_PARM_DESC(number, "number of PMUs without counters; a write registers that many more");
