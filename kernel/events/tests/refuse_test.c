// SPDX-License-Identifier: GPL-2.0
/*
 * Refusals that user space cannot get from the PMUs of a test machine: a test PMU lacks features
 * that events require, fails in each way, or is unregistered.
 */
#include <linux/mman.h>
#include <linux/perf_event_ext.h>
#include <linux/trace_events.h>
#include <linux/uaccess.h>

#include "../control.h"
#include "../pmu.h"
#include "../record/buffer.h"
#include "../refuse.h"
#include "../source/bpf.h"
#include "../state.h"
#include "../syscall.h"
#include "sim_fixture.h"

/**
 * struct refuser - a PMU that rejects events
 * @pmu: the PMU
 * @init_ret: result of event_init
 * @says: the driver reports its own reason
 * @cpu: CPU that event_init selects, or INT_MAX for none
 */
struct refuser {
	struct pmu	pmu;
	int		init_ret;
	bool		says;
	int		cpu;
};

#define SAYS		"must be a prime number"

static int refuser_init(struct perf_event *event)
{
	struct refuser *r = container_of(event->pmu, struct refuser, pmu);

	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	if (r->cpu != INT_MAX)
		event->cpu = r->cpu;
	return r->says ? perf_event_refuse(event, "attr.config2", SAYS, r->init_ret) : r->init_ret;
}

static int refuser_add(struct perf_event *event, int flags)
{
	return -EAGAIN;
}

static void refuser_del(struct perf_event *event, int flags)
{
}

/**
 * struct refuser_case - an event that a PMU rejects
 * @id: the row
 * @error: positive errno
 * @init_errno: positive errno of event_init, or 0
 * @says: as in struct refuser
 * @of_cpu: the event is a per-CPU one, for which the PMU selects no CPU
 * @capabilities: of the PMU
 * @no_tasks: the PMU does not support tasks
 * @attr: of the event, without its type
 */
struct refuser_case {
	enum perf_refusal_id	id;
	int			error;
	int			init_errno;
	bool			says;
	bool			of_cpu;
	int			capabilities;
	bool			no_tasks;
	struct perf_event_attr	attr;
};

#define CASE(name, errno, ...) \
	{ .id = PERF_REFUSED_##name, .error = errno, ##__VA_ARGS__ }

static const struct refuser_case refuser_cases[] = {
	CASE(PMU_SAYS, EDOM, .says = true, .init_errno = EDOM),
	CASE(PMU_CONFIG, EINVAL, .init_errno = EINVAL),
	CASE(PMU_RIGHTS, EACCES, .init_errno = EACCES),
	CASE(PMU_RIGHTS, EPERM, .init_errno = EPERM),
	CASE(PMU_BUSY, EBUSY, .init_errno = EBUSY),
	CASE(PMU_BUSY, ENOSPC, .init_errno = ENOSPC),
	CASE(PMU_CPU, ENODEV, .init_errno = ENODEV),
	CASE(PMU_BRANCHES, EOPNOTSUPP, .init_errno = EOPNOTSUPP,
	     .attr = { .sample_type = PERF_SAMPLE_BRANCH_STACK, .precise_ip = 1 }),
	CASE(PMU_SAMPLING, EOPNOTSUPP, .init_errno = EOPNOTSUPP,
	     .capabilities = PERF_PMU_CAP_NO_INTERRUPT, .attr = { .sample_period = 9 }),
	CASE(PMU_PRECISE, EOPNOTSUPP, .init_errno = EOPNOTSUPP, .attr = { .precise_ip = 3 }),
	CASE(PMU_EXCLUDES, EINVAL, .capabilities = PERF_PMU_CAP_NO_EXCLUDE,
	     .attr = { .exclude_user = 1 }),
	CASE(PMU_EXCLUDES, EINVAL, .capabilities = PERF_PMU_CAP_NO_EXCLUDE, .init_errno = EINVAL,
	     .attr = { .exclude_user = 1 }),
	CASE(PMU_TASKS, EINVAL, .no_tasks = true),
	CASE(PMU_TASKS, EINVAL, .no_tasks = true, .init_errno = EINVAL),
	CASE(PMU_CPU, ENODEV, .of_cpu = true),
	CASE(PMU_AUX_OUTPUT, EOPNOTSUPP, .attr = { .aux_output = 1 }),
	CASE(AUX_BOTH, EINVAL, .attr = { .aux_pause = 1, .aux_resume = 1, .aux_start_paused = 1 }),
	CASE(PMU_AUX_PAUSE, EOPNOTSUPP, .attr = { .aux_start_paused = 1 }),
#ifdef CONFIG_X86 /* only if such registers exist, and their mask is a constant */
	CASE(PMU_REGISTERS, EOPNOTSUPP, .attr = {
	     .sample_type = PERF_SAMPLE_REGS_INTR, .sample_regs_intr = PERF_REG_EXTENDED_MASK }),
#endif
};

/* Check that user space gets the row's or the driver's reason, and the name of the PMU. */
static void refuser_is_reported(struct kunit *test, const struct refuser_case *c)
{
	const struct perf_refusal_row *row = &perf_refusal_rows[c->id];
	const struct perf_refusal *reported = perf_refusal_look();

	KUNIT_ASSERT_NOT_NULL(test, reported);
	KUNIT_EXPECT_EQ(test, reported->error, c->error);
	KUNIT_EXPECT_STREQ(test, reported->name, row->name);
	KUNIT_EXPECT_STREQ(test, reported->field, c->says ? "attr.config2" : row->field);
	KUNIT_EXPECT_STREQ(test, reported->reason, c->says ? SAYS : row->reason);
	KUNIT_EXPECT_STREQ(test, reported->pmu, "refuser");
}

static void refuser_try(struct kunit *test, const struct refuser_case *c)
{
	struct refuser r = {
		.init_ret	= -c->init_errno,
		.says		= c->says,
		.cpu		= c->of_cpu ? -1 : INT_MAX,
		.pmu		= {
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
	refuser_is_reported(test, c);
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

/* If a driver rejects a sibling without a reason of its own, the reported reason is the group. */
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

/* The driver of this PMU may write samples in an NMI, where not all clocks can be read. */
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

/* A page in user space, mapped until the test ends */
static void __user *user_page(struct kunit *test)
{
	unsigned long at = kunit_vm_mmap(test, NULL, 0, PAGE_SIZE, PROT_READ | PROT_WRITE,
					 MAP_ANONYMOUS | MAP_PRIVATE, 0);

	KUNIT_ASSERT_FALSE(test, !at || IS_ERR_VALUE(at));
	return (void __user *)at;
}

/* Call PERF_EVENT_IOC_STATE. */
static void get_state(struct kunit *test, struct perf_event *event,
		      struct perf_event_state_info *info)
{
	struct perf_event_state_info __user *reported = user_page(test);

	KUNIT_ASSERT_EQ(test, put_user(sizeof(*info), &reported->size), 0);
	KUNIT_ASSERT_EQ(test, perf_event_copy_state_to_user(event, reported), 0);
	KUNIT_ASSERT_EQ(test, copy_from_user(info, reported, sizeof(*info)), 0);
}

static bool keep_off(struct pmu *pmu, int cpu)
{
	return true;
}

/* An event waits because of its PMU: add fails, or the PMU does not count on this CPU. */
static void refusal_by_busy_pmu(struct kunit *test)
{
	struct refuser r = {
		.cpu	= INT_MAX,
		.pmu		= {
			.task_ctx_nr	= perf_hw_context,
			.event_init	= refuser_init,
			.add		= refuser_add,
			.del		= refuser_del,
		},
	};
	struct perf_event_state_info info;
	struct perf_event_attr attr = { };

	KUNIT_ASSERT_EQ(test, perf_pmu_register(&r.pmu, "refuser", -1), 0);
	attr.type = r.pmu.type;
	get_state(test, open_attr(test, &attr, -1, current, NULL), &info);
	KUNIT_EXPECT_EQ(test, info.status, PERF_STATUS_WAITING);
	KUNIT_EXPECT_EQ(test, info.obstacle, PERF_OBSTACLE_PMU);
	KUNIT_EXPECT_STREQ(test, info.pmu, "refuser");
	close_all(test);
	r.pmu.filter = keep_off;
	get_state(test, open_attr(test, &attr, -1, current, NULL), &info);
	KUNIT_EXPECT_EQ(test, info.status, PERF_STATUS_WAITING);
	KUNIT_EXPECT_EQ(test, info.obstacle, PERF_OBSTACLE_CPU);
	close_all(test);
	perf_pmu_unregister(&r.pmu);
}

static void *no_area(struct perf_event *event, void **pages, int nr_pages, bool overwrite)
{
	return NULL;
}

/* A buffer has one AUX area, which belongs to one PMU. */
static void output_to_another_aux_pmu(struct kunit *test)
{
	struct refuser r[2] = { { .cpu = INT_MAX }, { .cpu = INT_MAX } };
	struct perf_event_attr attr = { };
	struct perf_event *events[2];
	int i;

	for (i = 0; i < 2; i++) {
		r[i].pmu = (struct pmu){
			.task_ctx_nr	= perf_hw_context,
			.event_init	= refuser_init,
			.add		= refuser_add,
			.del		= refuser_del,
			.setup_aux	= no_area,
		};
		KUNIT_ASSERT_EQ(test, perf_pmu_register(&r[i].pmu, i ? "other" : "refuser", -1),
				0);
		attr.type = r[i].pmu.type;
		events[i] = open_attr(test, &attr, -1, current, NULL);
	}
	KUNIT_EXPECT_EQ(test, perf_event_set_output(events[0], events[1]), -EINVAL);
	KUNIT_EXPECT_EQ(test, perf_refusal_take(), PERF_REFUSED_OUTPUT_AUX);
	close_all(test);
	for (i = 0; i < 2; i++)
		perf_pmu_unregister(&r[i].pmu);
}

/* Call ioctl(2), and then get the reason, like a program. */
static void filter_of_a_dead_event(struct kunit *test, struct perf_event *event)
{
	const struct perf_refusal_row *row = &perf_refusal_rows[PERF_REFUSED_EVENT_DEAD];
	void __user *page = user_page(test);
	struct perf_refusal reported;

	KUNIT_EXPECT_EQ(test, perf_event_ioctl(event, PERF_EVENT_IOC_SET_FILTER,
					       (unsigned long)page), -ENODEV);
	KUNIT_ASSERT_EQ(test, perf_event_explain(page, sizeof(reported)), sizeof(reported));
	KUNIT_ASSERT_EQ(test, copy_from_user(&reported, page, sizeof(reported)), 0);
	KUNIT_EXPECT_STREQ(test, reported.name, row->name);
	KUNIT_EXPECT_STREQ(test, reported.reason, row->reason);
	KUNIT_EXPECT_EQ(test, reported.call, PERF_REFUSED_CALL_IOCTL);
	KUNIT_EXPECT_EQ(test, reported.error, ENODEV);
}

/* A dead event accepts no setting that its PMU would have to check. */
static void refusal_after_unregister(struct kunit *test)
{
	static const struct sim_pmu_shape shape = { .nr_general = 2, .width = 32 };
	struct sim_fixture *f = test->priv;
	struct perf_event *event = open_group(test, 1, false);
	struct perf_event_context *ctx = event->ctx;
	struct perf_event_state_info info;

	perf_pmu_unregister(&f->sim->pmu);
	sim_pmu_free(f->sim);
	get_state(test, event, &info);
	KUNIT_EXPECT_EQ(test, info.status, PERF_STATUS_DEAD);
	KUNIT_EXPECT_EQ(test, info.obstacle, PERF_OBSTACLE_NONE);
	filter_of_a_dead_event(test, event);
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

/* Does prctl(PR_PERF_EXPLAIN) report a refusal to current? */
static bool one_is_told(void)
{
	return perf_event_explain(NULL, 0) == sizeof(struct perf_refusal);
}

/*
 * PR_PERF_EXPLAIN reports the reason of the last call that reports reasons. A reason noted by a
 * call without reports must neither replace this reason, nor be reported by a later call.
 */
static void refusals_of_other_calls(struct kunit *test)
{
	struct sim_fixture *f = test->priv;
	struct perf_event_attr attr = { .type = INT_MAX, .size = sizeof(attr) };
	struct perf_event *event = open_group(test, 1, false);

	perf_refuse(PERF_REFUSED_PERIOD_ZERO);
	perf_refusal_report(PERF_REFUSED_CALL_IOCTL, -EINVAL);
	KUNIT_EXPECT_TRUE(test, one_is_told());
	KUNIT_EXPECT_EQ(test, perf_refusal_take(), PERF_REFUSALS);

	/* The reported reason is kept while another one is noted, and if the call is restarted. */
	perf_refuse_error(PERF_REFUSED_PMU_SAYS, -EINTR);
	KUNIT_EXPECT_TRUE(test, one_is_told());
	perf_refusal_report(PERF_REFUSED_CALL_IOCTL, -EINTR);
	KUNIT_EXPECT_EQ(test, perf_refusal_take(), PERF_REFUSALS);

	KUNIT_EXPECT_TRUE(test, IS_ERR(perf_event_create_kernel_counter(&attr, 0, NULL, NULL,
									NULL)));
	KUNIT_EXPECT_EQ(test, perf_refusal_take(), PERF_REFUSALS);
#ifdef CONFIG_BPF_SYSCALL
	event->prog = (void *)f; /* any non-NULL pointer: the event has a program */
	KUNIT_EXPECT_EQ(test, perf_event_set_bpf_prog(event, NULL, 0), -EEXIST);
	event->prog = NULL;
	KUNIT_EXPECT_EQ(test, perf_refusal_take(), PERF_REFUSALS);
#endif
	KUNIT_EXPECT_TRUE(test, one_is_told());
}

/* A function of another subsystem may also fail for lack of memory, or for a bad pointer. */
static void errors_of_functions_from_elsewhere(struct kunit *test)
{
	static const struct {
		int			error;
		enum perf_refusal_id	id;
	} cases[] = {
		{ -ENOMEM, PERF_REFUSED_NO_MEMORY },
		{ -EFAULT, PERF_REFUSED_BAD_ADDRESS },
		{ -EMFILE, PERF_REFUSED_NO_FILES_LEFT },
		{ -ENFILE, PERF_REFUSED_NO_FILES_AT_ALL },
		{ -EINVAL, PERF_REFUSED_FILTER_TEXT },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		KUNIT_EXPECT_EQ(test, perf_refuse_error(PERF_REFUSED_FILTER_TEXT, cases[i].error),
				cases[i].error);
		KUNIT_EXPECT_EQ(test, perf_refusal_take(), cases[i].id);
	}
	KUNIT_EXPECT_EQ(test, perf_refuse_error(PERF_REFUSED_FILTER_TEXT, 0), 0);
	KUNIT_EXPECT_EQ(test, perf_refusal_take(), PERF_REFUSALS);
}

static struct kunit_case refuse_cases[] = {
	KUNIT_CASE(errors_of_functions_from_elsewhere),
	KUNIT_CASE(refusals_of_other_calls),
	KUNIT_CASE(events_that_a_pmu_refuses),
	KUNIT_CASE(groups_that_a_pmu_refuses),
	KUNIT_CASE(period_that_a_pmu_refuses),
	KUNIT_CASE(clock_that_a_pmu_refuses),
	KUNIT_CASE(output_to_another_aux_pmu),
	KUNIT_CASE(refusal_by_busy_pmu),
	KUNIT_CASE(refusal_after_unregister),
	{}
};

static struct kunit_suite refuse_suite = {
	.name		= "perf_refuse",
	.init		= sim_fixture_init,
	.exit		= sim_fixture_exit,
	.test_cases	= refuse_cases,
};

kunit_test_suite(refuse_suite);
