// SPDX-License-Identifier: GPL-2.0
/*
 * Refusals that no PMU of a test machine gives user space: a PMU that exists only here
 * lacks what events ask of it, fails in each way, or goes.
 */
#include "../pmu.h"
#include "../refuse.h"
#include "../source/bpf.h"
#include "../syscall.h"
#include "sim_fixture.h"

/**
 * struct refuser - a PMU that refuses
 * @pmu: the PMU
 * @fail: what event_init returns
 * @says: the driver gives its own reason
 * @cpu: the CPU of which event_init says that it counts, or INT_MAX for none
 */
struct refuser {
	struct pmu	pmu;
	int		fail;
	bool		says;
	int		cpu;
};

#define SAYS		"has the sign of the crab"

static int refuser_init(struct perf_event *event)
{
	struct refuser *r = container_of(event->pmu, struct refuser, pmu);

	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	if (r->cpu != INT_MAX)
		event->cpu = r->cpu;
	return r->says ? perf_event_refuse(event, "attr.config2", SAYS, r->fail) : r->fail;
}

static int refuser_add(struct perf_event *event, int flags)
{
	return -EAGAIN;
}

static void refuser_del(struct perf_event *event, int flags)
{
}

/**
 * struct refuser_case - an event that a PMU refuses
 * @id: the row
 * @error: positive errno
 * @fail: as in struct refuser, positive
 * @says: as there
 * @of_cpu: the event is of a CPU, for which the PMU names none that counts
 * @capabilities: of the PMU
 * @no_tasks: the PMU knows no tasks
 * @attr: of the event, without its type
 */
struct refuser_case {
	enum perf_refusal_id	id;
	int			error;
	int			fail;
	bool			says;
	bool			of_cpu;
	int			capabilities;
	bool			no_tasks;
	struct perf_event_attr	attr;
};

#define CASE(name, errno, ...) \
	{ .id = PERF_REFUSED_##name, .error = errno, ##__VA_ARGS__ }

static const struct refuser_case refuser_cases[] = {
	CASE(PMU_SAYS, EDOM, .says = true, .fail = EDOM),
	CASE(PMU_CONFIG, EINVAL, .fail = EINVAL),
	CASE(PMU_RIGHTS, EACCES, .fail = EACCES),
	CASE(PMU_RIGHTS, EPERM, .fail = EPERM),
	CASE(PMU_BUSY, EBUSY, .fail = EBUSY),
	CASE(PMU_BUSY, ENOSPC, .fail = ENOSPC),
	CASE(PMU_CPU, ENODEV, .fail = ENODEV),
	CASE(PMU_BRANCHES, EOPNOTSUPP, .fail = EOPNOTSUPP,
	     .attr = { .sample_type = PERF_SAMPLE_BRANCH_STACK, .precise_ip = 1 }),
	CASE(PMU_SAMPLING, EOPNOTSUPP, .fail = EOPNOTSUPP,
	     .capabilities = PERF_PMU_CAP_NO_INTERRUPT, .attr = { .sample_period = 9 }),
	CASE(PMU_PRECISE, EOPNOTSUPP, .fail = EOPNOTSUPP, .attr = { .precise_ip = 3 }),
	CASE(PMU_EXCLUDES, EINVAL, .capabilities = PERF_PMU_CAP_NO_EXCLUDE,
	     .attr = { .exclude_user = 1 }),
	CASE(PMU_TASKS, EINVAL, .no_tasks = true),
	CASE(PMU_CPU, ENODEV, .of_cpu = true),
	CASE(PMU_AUX_OUTPUT, EOPNOTSUPP, .attr = { .aux_output = 1 }),
	CASE(PMU_AUX_PAUSE, EOPNOTSUPP, .attr = { .aux_start_paused = 1 }),
#ifdef CONFIG_X86 /* where there are such registers, and their mask is a constant */
	CASE(PMU_REGISTERS, EOPNOTSUPP, .attr = {
	     .sample_type = PERF_SAMPLE_REGS_INTR, .sample_regs_intr = PERF_REG_EXTENDED_MASK }),
#endif
};

static void refuser_try(struct kunit *test, const struct refuser_case *c)
{
	struct refuser r = {
		.fail	= -c->fail,
		.says	= c->says,
		.cpu	= c->of_cpu ? -1 : INT_MAX,
		.pmu	= {
			.capabilities	= c->capabilities,
			.task_ctx_nr	= c->no_tasks ? perf_invalid_context : perf_sw_context,
			.event_init	= refuser_init,
			.add		= refuser_add,
			.del		= refuser_del,
		},
	};
	struct task_struct *task = c->of_cpu ? NULL : current;
	struct perf_event_attr attr = c->attr;
	struct perf_event *event;

	KUNIT_ASSERT_EQ(test, perf_pmu_register(&r.pmu, "refuser", -1), 0);
	attr.type = r.pmu.type;
	attr.size = sizeof(attr);
	event = perf_event_alloc(&attr, c->of_cpu ? 0 : -1, task, NULL, NULL, NULL, NULL, -1);
	KUNIT_EXPECT_TRUE_MSG(test, event == ERR_PTR(-c->error), "%s: %ld",
			      perf_refusal_rows[c->id].name, PTR_ERR(event));
	KUNIT_EXPECT_EQ_MSG(test, perf_refusal_take(), c->id, "%s",
			    perf_refusal_rows[c->id].name);
	if (!IS_ERR(event))
		perf_event_release_kernel(event);
	perf_pmu_unregister(&r.pmu);
}

static void events_that_a_pmu_refuses(struct kunit *test)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(refuser_cases); i++)
		refuser_try(test, &refuser_cases[i]);
}

/* A driver that has not said why refuses a group's member for the group. */
static void groups_that_a_pmu_refuses(struct kunit *test)
{
	struct perf_event *leader = open_group(test, 4, false), *event;
	struct perf_event_attr attr = leader->attr;

	event = perf_event_alloc(&attr, -1, current, leader, NULL, NULL, NULL, -1);
	KUNIT_EXPECT_TRUE(test, event == ERR_PTR(-EINVAL));
	KUNIT_EXPECT_EQ(test, perf_refusal_take(), PERF_REFUSED_PMU_GROUP);
}

static int refuse_period(struct perf_event *event, u64 period)
{
	return -EINVAL;
}

static void period_that_a_pmu_refuses(struct kunit *test)
{
	struct sim_fixture *f = test->priv;
	struct perf_event_attr attr = {
		.type = f->sim->pmu.type, .config = STEP, .sample_period = 1000,
	};
	struct perf_event *event = open_attr(test, &attr, -1, current, NULL);

	f->sim->pmu.check_period = refuse_period;
	KUNIT_EXPECT_EQ(test, perf_event_period(event, 500), -EINVAL);
	KUNIT_EXPECT_EQ(test, perf_refusal_take(), PERF_REFUSED_PERIOD_PMU);
	KUNIT_EXPECT_EQ(test, event->attr.sample_period, 1000);
}

/* This PMU may interrupt by NMI, in which not all clocks can be read. */
static void clock_that_a_pmu_refuses(struct kunit *test)
{
	struct sim_fixture *f = test->priv;
	struct perf_event_attr attr = {
		.type = f->sim->pmu.type, .config = STEP, .use_clockid = 1,
		.clockid = CLOCK_REALTIME,
	};
	struct perf_event *event = open_attr(test, &attr, -1, current, NULL);

	f->sim->pmu.capabilities &= ~PERF_PMU_CAP_NO_NMI;
	KUNIT_EXPECT_EQ(test, perf_pmu_check_clock(event), -EINVAL);
	KUNIT_EXPECT_EQ(test, perf_refusal_take(), PERF_REFUSED_CLOCKID_NMI);
}

/* A dead event takes nothing that its PMU would have to look at. */
static void pmu_that_has_gone(struct kunit *test)
{
	static const struct sim_pmu_shape shape = { .nr_general = 2, .width = 32 };
	struct sim_fixture *f = test->priv;
	struct perf_event *event = open_group(test, 1, false);
	struct perf_event_context *ctx = event->ctx;

	perf_pmu_unregister(&f->sim->pmu);
	sim_pmu_free(f->sim);
	mutex_lock(&ctx->mutex);
#ifdef CONFIG_BPF_SYSCALL
	KUNIT_EXPECT_EQ(test, perf_event_set_bpf(event, NULL, 0), -ENODEV);
	KUNIT_EXPECT_EQ(test, perf_refusal_take(), PERF_REFUSED_EVENT_DEAD);
#endif
	KUNIT_EXPECT_EQ(test, perf_event_may_attach(event), -ENODEV);
	KUNIT_EXPECT_EQ(test, perf_refusal_take(), PERF_REFUSED_PMU_GONE);
	mutex_unlock(&ctx->mutex);
	KUNIT_EXPECT_EQ(test, perf_pmu_check_clock(event), -ENODEV);
	KUNIT_EXPECT_EQ(test, perf_refusal_take(), PERF_REFUSED_PMU_GONE);
	close_all(test);
	KUNIT_ASSERT_EQ(test, make_pmu(test, &shape), 0);
}

static struct kunit_case refuse_cases[] = {
	KUNIT_CASE(events_that_a_pmu_refuses),
	KUNIT_CASE(groups_that_a_pmu_refuses),
	KUNIT_CASE(period_that_a_pmu_refuses),
	KUNIT_CASE(clock_that_a_pmu_refuses),
	KUNIT_CASE(pmu_that_has_gone),
	{}
};

static struct kunit_suite refuse_suite = {
	.name		= "perf_refuse",
	.init		= sim_fixture_init,
	.exit		= sim_fixture_exit,
	.test_cases	= refuse_cases,
};

kunit_test_suite(refuse_suite);
