// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of pmu.c, included at its end: registration of PMUs, with PMUs and events for the
 * test alone
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/device.h>
#include <linux/kthread.h>

/**
 * struct fake_pmu - a PMU that counts its calls
 * @pmu: the PMU
 * @supports: a type that the PMU supports in addition to its own
 * @disowns: the PMU rejects even events of its own type
 * @redirect: type that event_init stores in an event before it fails, 0 for none
 * @fail: result of event_init for an event of the PMU
 * @inits: calls of event_init
 * @destroys: calls of an event's destroy()
 * @enables: calls of pmu_enable
 * @disables: calls of pmu_disable
 */
struct fake_pmu {
	struct pmu	pmu;
	u32		supports;
	bool		disowns;
	u32		redirect;
	int		fail;
	atomic_t	inits;
	atomic_t	destroys;
	int		enables;
	int		disables;
};

#define NO_TYPE		(~0U)
#define to_fake(p)	container_of(p, struct fake_pmu, pmu)

static void fake_destroy(struct perf_event *event)
{
	atomic_inc(&to_fake(event->pmu)->destroys);
}

static int fake_init(struct perf_event *event)
{
	struct fake_pmu *fake = to_fake(event->pmu);

	atomic_inc(&fake->inits);
	if (fake->disowns || (event->attr.type != fake->pmu.type &&
			      event->attr.type != fake->supports)) {
		if (fake->redirect)
			event->attr.type = fake->redirect;
		return -ENOENT;
	}
	if (fake->fail)
		return fake->fail;
	event->destroy = fake_destroy;
	return 0;
}

static int fake_add(struct perf_event *event, int flags)
{
	return 0;
}

static void fake_del(struct perf_event *event, int flags)
{
}

static void fake_enable(struct pmu *pmu)
{
	to_fake(pmu)->enables++;
}

static void fake_disable(struct pmu *pmu)
{
	to_fake(pmu)->disables++;
}

static struct fake_pmu *fake_new(struct kunit *test)
{
	struct fake_pmu *fake = kunit_kzalloc(test, sizeof(*fake), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, fake);
	fake->supports = NO_TYPE;
	fake->pmu.event_init = fake_init;
	fake->pmu.add = fake_add;
	fake->pmu.del = fake_del;
	fake->pmu.task_ctx_nr = perf_hw_context;
	return fake;
}

static void fake_unregister(void *fake)
{
	perf_pmu_unregister(&((struct fake_pmu *)fake)->pmu);
}

/* Register a PMU, which is unregistered at the end of the test. */
static struct fake_pmu *fake_get(struct kunit *test, int capabilities)
{
	struct fake_pmu *fake = fake_new(test);

	fake->pmu.capabilities = capabilities;
	KUNIT_ASSERT_EQ(test, perf_pmu_register(&fake->pmu, NULL, -1), 0);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, fake_unregister, fake), 0);
	return fake;
}

/* Create an event of CPU 0, with the fields that pmu.c uses; freed with the test. */
static struct perf_event *event_new(struct kunit *test, u32 type, u64 config)
{
	struct perf_event *event = kunit_kzalloc(test, sizeof(*event), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, event);
	/* One more reference than the test drops, so that the event is not freed */
	refcount_set(&event->refcount, 2);
	event->state = PERF_EVENT_STATE_INACTIVE;
	event->attr.type = type;
	event->attr.config = config;
	event->group_leader = event;
	INIT_LIST_HEAD(&event->sibling_list);
	return event;
}

static struct pmu *init_event(struct perf_event *event)
{
	int idx = perf_pmus_read_lock();
	struct pmu *pmu = perf_pmu_init_event(event);

	perf_pmus_read_unlock(idx);
	return pmu;
}

static int try_event(struct perf_event *event)
{
	struct pmu *pmu = init_event(event);
	int err = PTR_ERR_OR_ZERO(pmu);

	if (err && !perf_pmu_is_unregistered(event))
		return -EUCLEAN;
	if (!err)
		err = perf_pmu_check_clock(event);
	perf_pmu_del_event(event);
	return perf_pmu_is_unregistered(event) ? err : -EUCLEAN;
}

static void pmu_types_are_allocated(struct kunit *test)
{
	struct fake_pmu *a = fake_get(test, 0), *b = fake_get(test, 0), *c = fake_new(test);
	int type = a->pmu.type;

	KUNIT_EXPECT_GE(test, a->pmu.type, PERF_TYPE_MAX);
	KUNIT_EXPECT_GE(test, b->pmu.type, PERF_TYPE_MAX);
	KUNIT_EXPECT_NE(test, a->pmu.type, b->pmu.type);

	/*
	 * A registration with a used type gets another type, and one with a free type gets this
	 * type.
	 */
	KUNIT_EXPECT_EQ(test, perf_pmu_register(&c->pmu, NULL, type), 0);
	KUNIT_EXPECT_GE(test, c->pmu.type, PERF_TYPE_MAX);
	KUNIT_EXPECT_NE(test, c->pmu.type, type);
	perf_pmu_unregister(&c->pmu);
	KUNIT_EXPECT_EQ(test, perf_pmu_register(&c->pmu, NULL, PERF_TYPE_SOFTWARE), 0);
	KUNIT_EXPECT_GE(test, c->pmu.type, PERF_TYPE_MAX);
	KUNIT_EXPECT_EQ(test, try_event(event_new(test, c->pmu.type, 1)), 0);
	perf_pmu_unregister(&c->pmu);
	kunit_release_action(test, fake_unregister, a);
	KUNIT_EXPECT_EQ(test, perf_pmu_register(&c->pmu, NULL, type), 0);
	KUNIT_EXPECT_EQ(test, c->pmu.type, type);
	perf_pmu_unregister(&c->pmu);
}

static void pmu_gets_defaults(struct kunit *test)
{
	struct pmu *pmu = &fake_get(test, 0)->pmu;
	unsigned int missing;

	KUNIT_EXPECT_NOT_NULL(test, pmu->start);
	KUNIT_EXPECT_NOT_NULL(test, pmu->stop);
	KUNIT_EXPECT_NOT_NULL(test, pmu->read);
	KUNIT_EXPECT_NOT_NULL(test, pmu->pmu_enable);
	KUNIT_EXPECT_NOT_NULL(test, pmu->pmu_disable);
	KUNIT_EXPECT_NOT_NULL(test, pmu->start_txn);
	KUNIT_EXPECT_EQ(test, pmu->event_idx(NULL), 0);
	KUNIT_EXPECT_EQ(test, pmu->check_period(NULL, ~0ULL), 0);
	KUNIT_EXPECT_GE(test, pmu->hrtimer_interval_ms, 1);

	for (missing = 0; missing < 4; missing++) {
		struct pmu part = *pmu;

		if (missing == 0)
			part.event_init = NULL;
		else if (missing == 1)
			part.add = NULL;
		else if (missing == 2)
			part.commit_txn = NULL;
		else
			part.scope = PERF_PMU_MAX_SCOPE;
		KUNIT_EXPECT_FALSE(test, perf_pmu_is_complete(&part));
	}
	KUNIT_EXPECT_TRUE(test, perf_pmu_is_complete(pmu));
}

static void pmu_has_a_device(struct kunit *test)
{
	struct fake_pmu *fake = fake_new(test);
	struct pmu *pmu = &fake->pmu;

	KUNIT_ASSERT_EQ(test, perf_pmu_register(pmu, "perf_pmu_test", -1), 0);
	KUNIT_EXPECT_NOT_NULL(test, pmu->dev);
	if (pmu->dev) {
		KUNIT_EXPECT_STREQ(test, dev_name(pmu->dev), "perf_pmu_test");
		KUNIT_EXPECT_PTR_EQ(test, dev_get_drvdata(pmu->dev), (void *)pmu);
	}
	perf_pmu_unregister(pmu);
	KUNIT_EXPECT_NULL(test, pmu->dev);

	/* A PMU without a name has no device. */
	KUNIT_EXPECT_NULL(test, fake_get(test, 0)->pmu.dev);
}

static void pmu_disable_nests(struct kunit *test)
{
	struct fake_pmu *fake = fake_new(test);
	struct pmu *pmu = &fake->pmu;

	pmu->pmu_enable = fake_enable;
	pmu->pmu_disable = fake_disable;
	KUNIT_ASSERT_EQ(test, perf_pmu_register(pmu, NULL, -1), 0);

	preempt_disable();
	perf_pmu_disable(pmu);
	KUNIT_EXPECT_EQ(test, fake->disables, 1);
	perf_pmu_disable(pmu);
	perf_pmu_enable(pmu);
	KUNIT_EXPECT_EQ(test, fake->disables, 1);
	KUNIT_EXPECT_EQ(test, fake->enables, 0);
	perf_pmu_enable(pmu);
	KUNIT_EXPECT_EQ(test, fake->enables, 1);

	/* A transaction that adds events disables the PMU, a read transaction does not. */
	pmu->start_txn(pmu, PERF_PMU_TXN_ADD);
	KUNIT_EXPECT_EQ(test, fake->disables, 2);
	KUNIT_EXPECT_EQ(test, pmu->commit_txn(pmu), 0);
	KUNIT_EXPECT_EQ(test, fake->enables, 2);
	pmu->start_txn(pmu, PERF_PMU_TXN_ADD);
	pmu->cancel_txn(pmu);
	KUNIT_EXPECT_EQ(test, fake->disables, 3);
	KUNIT_EXPECT_EQ(test, fake->enables, 3);
	pmu->start_txn(pmu, PERF_PMU_TXN_READ);
	KUNIT_EXPECT_EQ(test, pmu->commit_txn(pmu), 0);
	KUNIT_EXPECT_EQ(test, fake->disables, 3);
	KUNIT_EXPECT_EQ(test, fake->enables, 3);
	preempt_enable();

	perf_pmu_unregister(pmu);
}

static void pmu_is_found_by_type(struct kunit *test)
{
	struct fake_pmu *a = fake_get(test, 0), *b = fake_get(test, 0);
	struct perf_event *event = event_new(test, b->pmu.type, 1);

	KUNIT_EXPECT_PTR_EQ(test, init_event(event), &b->pmu);
	KUNIT_EXPECT_PTR_EQ(test, event->pmu, &b->pmu);
	KUNIT_EXPECT_EQ(test, event->orig_type, b->pmu.type);
	KUNIT_EXPECT_EQ(test, event->event_caps, 0);
	perf_pmu_del_event(event);
	perf_pmu_del_event(event);
	KUNIT_EXPECT_EQ(test, atomic_read(&b->destroys), 1);
	KUNIT_EXPECT_TRUE(test, perf_pmu_is_unregistered(event));

	/* If a type belongs to a PMU, no other PMU is called for it. */
	b->fail = -EBUSY;
	KUNIT_EXPECT_EQ(test, try_event(event_new(test, b->pmu.type, 1)), -EBUSY);
	b->fail = -ENOENT;
	KUNIT_EXPECT_EQ(test, try_event(event_new(test, b->pmu.type, 1)), -ENOENT);
	KUNIT_EXPECT_EQ(test, atomic_read(&a->inits), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&b->destroys), 1);

	/* No PMU has these types. Some of them exceed an int. */
	KUNIT_EXPECT_EQ(test, try_event(event_new(test, 4000, 1)), -ENOENT);
	KUNIT_EXPECT_EQ(test, try_event(event_new(test, 1U << 31, 1)), -ENOENT);
	KUNIT_EXPECT_EQ(test, try_event(event_new(test, ~0U, 1)), -ENOENT);
	KUNIT_EXPECT_EQ(test, atomic_read(&a->inits), 0);
}

static void pmu_of_generic_type(struct kunit *test)
{
	struct fake_pmu *fake = fake_get(test, PERF_PMU_CAP_EXTENDED_HW_TYPE);
	struct fake_pmu *plain = fake_get(test, 0);
	struct perf_event *event;
	int inits;

	/* The PMU whose type is in config gets the event. */
	fake->supports = PERF_TYPE_HARDWARE;
	plain->supports = PERF_TYPE_HARDWARE;
	event = event_new(test, PERF_TYPE_HARDWARE, (u64)fake->pmu.type << 32 | 7);
	KUNIT_EXPECT_PTR_EQ(test, init_event(event), &fake->pmu);
	KUNIT_EXPECT_EQ(test, event->attr.config, 7);
	KUNIT_EXPECT_EQ(test, event->orig_type, PERF_TYPE_HARDWARE);
	perf_pmu_del_event(event);

	/*
	 * attr.config names a PMU without PERF_PMU_CAP_EXTENDED_HW_TYPE: no event_init is called.
	 */
	inits = atomic_read(&fake->inits);
	KUNIT_EXPECT_EQ(test, -ENOENT, try_event(event_new(test, PERF_TYPE_HARDWARE,
							   (u64)plain->pmu.type << 32 | 7)));
	KUNIT_EXPECT_EQ(test, atomic_read(&fake->inits), inits);
	KUNIT_EXPECT_EQ(test, atomic_read(&plain->inits), 0);

	/* If config contains no type of a PMU, all PMUs are called for the plain event. */
	fake->supports = PERF_TYPE_HW_CACHE;
	plain->supports = NO_TYPE;
	event = event_new(test, PERF_TYPE_HW_CACHE, 0xdead00000000ULL | 7);
	KUNIT_EXPECT_PTR_EQ(test, init_event(event), &fake->pmu);
	KUNIT_EXPECT_EQ(test, event->attr.config, 7);
	perf_pmu_del_event(event);
	event = event_new(test, PERF_TYPE_HW_CACHE, ~0ULL);
	KUNIT_EXPECT_PTR_EQ(test, init_event(event), &fake->pmu);
	KUNIT_EXPECT_EQ(test, event->attr.config, ~0U);
	perf_pmu_del_event(event);
	inits = atomic_read(&fake->inits);

	/* Only PMUs with perf_sw_context are called for software events. */
	fake->supports = PERF_TYPE_SOFTWARE;
	KUNIT_EXPECT_EQ(test, -ENOENT,
			try_event(event_new(test, PERF_TYPE_SOFTWARE, 1ULL << 40)));
	KUNIT_EXPECT_EQ(test, atomic_read(&fake->inits), inits);
}

/* Register a PMU that is in sysfs, like a driver. */
static struct fake_pmu *fake_get_named(struct kunit *test, const char *name, int type)
{
	struct fake_pmu *fake = fake_new(test);

	KUNIT_ASSERT_EQ(test, perf_pmu_register(&fake->pmu, name, type), 0);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, fake_unregister, fake), 0);
	return fake;
}

/*
 * If two drivers support generic events, the one registered later is called first; the core's own
 * PMUs are called before both.
 */
static void last_registered_pmu_is_first(struct kunit *test)
{
	struct fake_pmu *own = fake_get(test, 0);
	struct fake_pmu *little = fake_get_named(test, "perf_pmu_test_little", -1);
	struct fake_pmu *big = fake_get_named(test, "perf_pmu_test_big", -1);
	struct perf_event *event = event_new(test, PERF_TYPE_HARDWARE, 0);
	int idx = perf_pmus_read_lock();

	little->supports = PERF_TYPE_HARDWARE;
	big->supports = PERF_TYPE_HARDWARE;
	/* perf_pmu_init_event() would call the PMU of raw events first, if there is one. */
	KUNIT_EXPECT_EQ(test, perf_pmu_try_all(event), 0);
	perf_pmus_read_unlock(idx);
	KUNIT_EXPECT_PTR_EQ(test, event->pmu, &big->pmu);
	KUNIT_EXPECT_EQ(test, atomic_read(&own->inits), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&little->inits), 0);
	perf_pmu_del_event(event);
}

/*
 * If the PMU of raw events rejects a raw event, no other PMU is called; for generic events other
 * PMUs are called.
 */
static void raw_pmu_rejects_raw_event(struct kunit *test)
{
	struct fake_pmu *raw = fake_get_named(test, "perf_pmu_test_raw", PERF_TYPE_RAW);
	struct fake_pmu *other = fake_get_named(test, "perf_pmu_test_other", -1);

	if (raw->pmu.type != PERF_TYPE_RAW)
		kunit_skip(test, "another PMU has PERF_TYPE_RAW");
	raw->disowns = true;
	other->supports = PERF_TYPE_RAW;
	KUNIT_EXPECT_EQ(test, try_event(event_new(test, PERF_TYPE_RAW, 1)), -ENOENT);
	KUNIT_EXPECT_EQ(test, atomic_read(&raw->inits), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&other->inits), 0);
	other->supports = PERF_TYPE_HW_CACHE;
	KUNIT_EXPECT_EQ(test, try_event(event_new(test, PERF_TYPE_HW_CACHE, 1)), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&other->destroys), 1);

	/* Without a PMU of raw events, any PMU may support raw events. */
	kunit_release_action(test, fake_unregister, raw);
	other->supports = PERF_TYPE_RAW;
	KUNIT_EXPECT_EQ(test, try_event(event_new(test, PERF_TYPE_RAW, 1)), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&other->destroys), 2);
}

static void pmu_may_redirect(struct kunit *test)
{
	struct fake_pmu *a = fake_get(test, 0), *b = fake_get(test, 0);
	struct perf_event *event = event_new(test, a->pmu.type, 1);

	/* The PMU changes the event's type to that of the PMU to be called instead. */
	a->disowns = true;
	a->redirect = b->pmu.type;
	KUNIT_EXPECT_PTR_EQ(test, init_event(event), &b->pmu);
	KUNIT_EXPECT_EQ(test, event->orig_type, a->pmu.type);
	KUNIT_EXPECT_EQ(test, event->attr.type, b->pmu.type);
	perf_pmu_del_event(event);
	KUNIT_EXPECT_EQ(test, atomic_read(&a->inits), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&b->inits), 1);

	/* Two PMUs that redirect to each other do not cause an endless loop. */
	b->disowns = true;
	b->redirect = a->pmu.type;
	KUNIT_EXPECT_EQ(test, try_event(event_new(test, a->pmu.type, 1)), -ENOENT);
	KUNIT_EXPECT_LE(test, atomic_read(&a->inits) + atomic_read(&b->inits), 2 + 4);
}

/**
 * struct demand_case - an event that requires a capability of the PMU
 * @name: for messages
 * @attr: the event's attribute
 * @cap: a capability of the PMU
 * @with: result if the PMU has @cap
 * @without: result if the PMU does not have @cap
 */
struct demand_case {
	const char		*name;
	struct perf_event_attr	attr;
	int			cap;
	int			with;
	int			without;
};

static const struct demand_case demand_cases[] = {
	{ "nothing", { }, PERF_PMU_CAP_NO_EXCLUDE, 0, 0 },
	{ "user", { .exclude_user = 1 }, PERF_PMU_CAP_NO_EXCLUDE, -EINVAL, 0 },
	{ "kernel", { .exclude_kernel = 1 }, PERF_PMU_CAP_NO_EXCLUDE, -EINVAL, 0 },
	{ "hv", { .exclude_hv = 1 }, PERF_PMU_CAP_NO_EXCLUDE, -EINVAL, 0 },
	{ "idle", { .exclude_idle = 1 }, PERF_PMU_CAP_NO_EXCLUDE, -EINVAL, 0 },
	{ "host", { .exclude_host = 1 }, PERF_PMU_CAP_NO_EXCLUDE, -EINVAL, 0 },
	{ "guest", { .exclude_guest = 1 }, PERF_PMU_CAP_NO_EXCLUDE, -EINVAL, 0 },
	{ "callchain", { .exclude_callchain_kernel = 1 }, PERF_PMU_CAP_NO_EXCLUDE, 0, 0 },
	{ "aux output", { .aux_output = 1 }, PERF_PMU_CAP_AUX_OUTPUT, 0, -EOPNOTSUPP },
	{ "aux output, pause", { .aux_output = 1, .aux_pause = 1 }, PERF_PMU_CAP_AUX_OUTPUT,
	  -EOPNOTSUPP, -EOPNOTSUPP },
	{ "aux output, resume", { .aux_output = 1, .aux_resume = 1 }, PERF_PMU_CAP_AUX_OUTPUT,
	  -EOPNOTSUPP, -EOPNOTSUPP },
	{ "aux paused", { .aux_start_paused = 1 }, PERF_PMU_CAP_AUX_PAUSE, 0, -EOPNOTSUPP },
	{ "fast clock", { .use_clockid = 1, .clockid = CLOCK_MONOTONIC },
	  PERF_PMU_CAP_NO_NMI, 0, 0 },
	{ "slow clock", { .use_clockid = 1, .clockid = CLOCK_REALTIME },
	  PERF_PMU_CAP_NO_NMI, 0, -EINVAL },
	{ "slow clock, not used", { .clockid = CLOCK_REALTIME }, PERF_PMU_CAP_NO_NMI, 0, 0 },
};

static int try_demand(struct kunit *test, struct fake_pmu *fake, const struct demand_case *c)
{
	struct perf_event *event = event_new(test, fake->pmu.type, 1);
	u32 type = event->attr.type;
	int destroyed = atomic_read(&fake->destroys);
	int err;

	event->attr = c->attr;
	event->attr.type = type;
	err = try_event(event);
	/* destroy was called once, both after a success and after an error. */
	KUNIT_EXPECT_EQ(test, atomic_read(&fake->destroys), destroyed + 1);
	return err;
}

static void pmu_capabilities_are_checked(struct kunit *test)
{
	struct fake_pmu *fake = fake_get(test, 0);
	unsigned int i, bit;

	for (i = 0; i < ARRAY_SIZE(demand_cases); i++) {
		const struct demand_case *c = &demand_cases[i];

		fake->pmu.capabilities = c->cap;
		KUNIT_EXPECT_EQ_MSG(test, try_demand(test, fake, c), c->with, "%s", c->name);
		fake->pmu.capabilities = 0;
		KUNIT_EXPECT_EQ_MSG(test, try_demand(test, fake, c), c->without, "%s", c->name);
	}
	for (bit = 0; bit < 64; bit++) {
		struct demand_case user = { .attr.sample_regs_user = BIT_ULL(bit) };
		struct demand_case intr = { .attr.sample_regs_intr = BIT_ULL(bit) };
		int want = BIT_ULL(bit) & PERF_REG_EXTENDED_MASK ? -EOPNOTSUPP : 0;

		fake->pmu.capabilities = 0;
		KUNIT_EXPECT_EQ(test, try_demand(test, fake, &user), want);
		KUNIT_EXPECT_EQ(test, try_demand(test, fake, &intr), want);
		fake->pmu.capabilities = PERF_PMU_CAP_EXTENDED_REGS;
		KUNIT_EXPECT_EQ(test, try_demand(test, fake, &user), 0);
		KUNIT_EXPECT_EQ(test, try_demand(test, fake, &intr), 0);
	}
}

static void pmu_without_tasks(struct kunit *test)
{
	struct fake_pmu *fake = fake_get(test, 0);
	struct perf_event *event = event_new(test, fake->pmu.type, 1);

	event->hw.target = current;
	KUNIT_EXPECT_EQ(test, try_event(event), 0);
	fake->pmu.task_ctx_nr = perf_invalid_context;
	KUNIT_EXPECT_EQ(test, try_event(event), -EINVAL);
	event->hw.target = NULL;
	KUNIT_EXPECT_EQ(test, try_event(event), 0);
	fake->pmu.task_ctx_nr = perf_sw_context;
	KUNIT_EXPECT_EQ(test, try_event(event), 0);
	KUNIT_EXPECT_EQ(test, event->event_caps, PERF_EV_CAP_SOFTWARE);
}

static void pmu_scopes(struct kunit *test)
{
	struct fake_pmu *fake = fake_get(test, 0);
	unsigned int scope, cpu, event_cpu;

	for (scope = PERF_PMU_SCOPE_NONE + 1; scope < PERF_PMU_MAX_SCOPE; scope++) {
		fake->pmu.scope = scope;
		for_each_online_cpu(cpu) {
			struct perf_event *event = event_new(test, fake->pmu.type, 1);
			unsigned int nr_cpus = 0;

			for_each_cpu(event_cpu, perf_scope_cpumask(scope))
				nr_cpus += perf_scope_same(scope, cpu, event_cpu);
			KUNIT_EXPECT_EQ_MSG(test, nr_cpus, 1, "scope %u, CPU %u", scope, cpu);
			KUNIT_EXPECT_TRUE(test, perf_scope_exists(scope, cpu));

			event->cpu = cpu;
			KUNIT_EXPECT_EQ(test, try_event(event), 0);
			KUNIT_EXPECT_EQ(test, event->event_caps, PERF_EV_CAP_READ_SCOPE);
		}
	}
	fake->pmu.scope = PERF_PMU_SCOPE_NONE;
}

static void pmu_of_inherited_event(struct kunit *test)
{
	struct fake_pmu *fake = fake_get(test, 0);
	struct perf_event *parent = event_new(test, fake->pmu.type, 1);
	struct perf_event *child = event_new(test, fake->pmu.type, 1);

	KUNIT_ASSERT_PTR_EQ(test, init_event(parent), &fake->pmu);
	parent->orig_type = 77;
	child->parent = parent;
	KUNIT_EXPECT_PTR_EQ(test, init_event(child), &fake->pmu);
	KUNIT_EXPECT_EQ(test, child->orig_type, 77);
	perf_pmu_del_event(child);

	kunit_release_action(test, fake_unregister, fake);
	KUNIT_EXPECT_TRUE(test, perf_pmu_is_unregistered(parent));
	KUNIT_EXPECT_EQ(test, try_event(child), -ENODEV);
	KUNIT_EXPECT_EQ(test, atomic_read(&fake->inits), 2);
}

/* A PMU counts inherited events but does not list them: forks do not contend for the list. */
static void pmu_does_not_list_children(struct kunit *test)
{
	struct fake_pmu *fake = fake_get(test, 0);
	struct perf_event *parent = event_new(test, fake->pmu.type, 1);
	struct perf_event *child = event_new(test, fake->pmu.type, 1);
	struct pmu_entry *pe = perf_pmu_entry_of_type(fake->pmu.type);

	KUNIT_ASSERT_PTR_EQ(test, init_event(parent), &fake->pmu);
	child->parent = parent;
	KUNIT_ASSERT_PTR_EQ(test, init_event(child), &fake->pmu);
	KUNIT_EXPECT_TRUE(test, list_is_singular(&pe->events));
	KUNIT_EXPECT_PTR_EQ(test, pe->events.next, &parent->pmu_list);
	perf_pmu_del_event(child);
	perf_pmu_del_event(child);
	KUNIT_EXPECT_TRUE(test, perf_pmu_is_unregistered(child));
	KUNIT_EXPECT_EQ(test, atomic_read(&fake->destroys), 1);
	/* The event's memory is freed before the PMU is unregistered. */
	perf_pmu_del_event(parent);
}

/* Unregistration makes the PMU's events dead, and removes them from the PMU. */
static void unregister_kills_events(struct kunit *test)
{
	struct fake_pmu *fake = fake_get(test, 0);
	struct perf_event *events[5];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(events); i++) {
		events[i] = event_new(test, fake->pmu.type, i);
		KUNIT_ASSERT_PTR_EQ(test, init_event(events[i]), &fake->pmu);
	}
	kunit_release_action(test, fake_unregister, fake);
	KUNIT_EXPECT_EQ(test, atomic_read(&fake->destroys), ARRAY_SIZE(events));
	for (i = 0; i < ARRAY_SIZE(events); i++) {
		KUNIT_EXPECT_EQ(test, events[i]->state, PERF_EVENT_STATE_DEAD);
		KUNIT_EXPECT_TRUE(test, perf_pmu_is_unregistered(events[i]));
		KUNIT_EXPECT_EQ(test, refcount_read(&events[i]->refcount), 2);
		perf_pmu_del_event(events[i]);
	}
	KUNIT_EXPECT_EQ(test, atomic_read(&fake->destroys), ARRAY_SIZE(events));
}

/**
 * struct closer - a thread that frees an event while its PMU is being unregistered
 * @event: the event
 * @dropped: the event has been freed
 */
struct closer {
	struct perf_event	*event;
	bool			dropped;
};

static int close_late(void *data)
{
	struct closer *closer = data;

	msleep(100);
	WRITE_ONCE(closer->dropped, true);
	perf_pmu_del_event(closer->event);
	return 0;
}

static void unregister_waits_for_free(struct kunit *test)
{
	struct fake_pmu *fake = fake_get(test, 0);
	struct closer closer = { .event = event_new(test, fake->pmu.type, 1) };
	struct task_struct *thread;

	KUNIT_ASSERT_PTR_EQ(test, init_event(closer.event), &fake->pmu);
	refcount_set(&closer.event->refcount, 0);
	thread = kthread_run(close_late, &closer, "pmu_test");
	KUNIT_ASSERT_FALSE(test, IS_ERR(thread));

	kunit_release_action(test, fake_unregister, fake);
	KUNIT_EXPECT_TRUE(test, closer.dropped);
	KUNIT_EXPECT_EQ(test, atomic_read(&fake->destroys), 1);
	KUNIT_EXPECT_EQ(test, closer.event->state, PERF_EVENT_STATE_INACTIVE);
	msleep(20);
}

/*
 * Unregistration waits for an event that a fork has made but not added to the parent event's list.
 */
static void unregister_waits_for_fork(struct kunit *test)
{
	struct fake_pmu *fake = fake_get(test, 0);
	struct perf_event *parent = event_new(test, fake->pmu.type, 1);
	struct closer closer = { .event = event_new(test, fake->pmu.type, 1) };
	struct task_struct *thread;

	KUNIT_ASSERT_PTR_EQ(test, init_event(parent), &fake->pmu);
	closer.event->parent = parent;
	KUNIT_ASSERT_PTR_EQ(test, init_event(closer.event), &fake->pmu);
	thread = kthread_run(close_late, &closer, "pmu_test");
	KUNIT_ASSERT_FALSE(test, IS_ERR(thread));

	kunit_release_action(test, fake_unregister, fake);
	KUNIT_EXPECT_TRUE(test, closer.dropped);
	KUNIT_EXPECT_EQ(test, atomic_read(&fake->destroys), 2);
	msleep(20);
}

/**
 * struct opener - a thread that opens and closes events in a loop
 * @event: the event that is opened again and again
 * @opened: number of opens that found a PMU
 * @stop: ends the thread
 * @done: the thread has ended
 */
struct opener {
	struct perf_event	*event;
	unsigned int		opened;
	bool			stop;
	struct completion	done;
};

static int open_and_close(void *data)
{
	struct opener *o = data;

	while (!READ_ONCE(o->stop)) {
		refcount_set(&o->event->refcount, 1);
		o->event->ctx = NULL;
		o->opened += !IS_ERR(init_event(o->event));
		/* perf_event_revoke() has a reference until it is done. */
		while (!refcount_dec_if_one(&o->event->refcount))
			cond_resched();
		perf_pmu_del_event(o->event);
		cond_resched();
	}
	complete(&o->done);
	return 0;
}

/* An unregistered PMU is never called, however open and unregistration race. */
static void unregister_races_with_open(struct kunit *test)
{
	struct fake_pmu *fake = fake_new(test);
	struct opener o = { .event = event_new(test, 0, 1) };
	struct task_struct *thread;
	unsigned int round, opened = 0;
	int type;

	init_completion(&o.done);
	KUNIT_ASSERT_EQ(test, perf_pmu_register(&fake->pmu, NULL, -1), 0);
	type = fake->pmu.type;
	o.event->attr.type = type;
	thread = kthread_run(open_and_close, &o, "pmu_test");
	KUNIT_ASSERT_FALSE(test, IS_ERR(thread));

	for (round = 0; round < 20; round++) {
		int inits, destroys, tries;

		/* Wait until the thread has opened events, which may take long on a busy host. */
		for (tries = 0; tries < 100000 && atomic_read(&fake->inits) < opened + 2; tries++)
			usleep_range(500, 1500);
		perf_pmu_unregister(&fake->pmu);
		inits = atomic_read(&fake->inits);
		destroys = atomic_read(&fake->destroys);
		KUNIT_EXPECT_EQ(test, inits, destroys);
		usleep_range(500, 1500);
		KUNIT_EXPECT_EQ(test, inits, atomic_read(&fake->inits));
		KUNIT_EXPECT_EQ(test, destroys, atomic_read(&fake->destroys));
		opened = inits;
		if (perf_pmu_register(&fake->pmu, NULL, type))
			break;
	}
	KUNIT_EXPECT_EQ(test, round, 20);
	KUNIT_EXPECT_GT(test, opened, 20);
	WRITE_ONCE(o.stop, true);
	wait_for_completion(&o.done);
	KUNIT_EXPECT_EQ(test, o.opened, atomic_read(&fake->inits));
	if (round == 20)
		perf_pmu_unregister(&fake->pmu);
}

static struct kunit_case pmu_test_cases[] = {
	KUNIT_CASE(pmu_types_are_allocated),
	KUNIT_CASE(pmu_gets_defaults),
	KUNIT_CASE(pmu_has_a_device),
	KUNIT_CASE(pmu_disable_nests),
	KUNIT_CASE(pmu_is_found_by_type),
	KUNIT_CASE(pmu_of_generic_type),
	KUNIT_CASE(last_registered_pmu_is_first),
	KUNIT_CASE(raw_pmu_rejects_raw_event),
	KUNIT_CASE(pmu_may_redirect),
	KUNIT_CASE(pmu_capabilities_are_checked),
	KUNIT_CASE(pmu_without_tasks),
	KUNIT_CASE(pmu_scopes),
	KUNIT_CASE(pmu_of_inherited_event),
	KUNIT_CASE(pmu_does_not_list_children),
	KUNIT_CASE(unregister_kills_events),
	KUNIT_CASE(unregister_waits_for_fork),
	KUNIT_CASE(unregister_waits_for_free),
	KUNIT_CASE(unregister_races_with_open),
	{ }
};

static struct kunit_suite pmu_test_suite = {
	.name		= "perf_pmu",
	.test_cases	= pmu_test_cases,
};

kunit_test_suite(pmu_test_suite);
