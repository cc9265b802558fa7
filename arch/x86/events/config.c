// SPDX-License-Identifier: GPL-2.0
/*
 * Initialization of events: from perf_event_attr to the event select, struct x86_event_sel.
 */
#include <linux/moduleparam.h>
#include <linux/nospec.h>
#include <linux/slab.h>
#include <asm/apic.h>
#include <asm/perf_event.h>
#include <asm/perf_regs.h>

#include "engine.h"

#undef MODULE_PARAM_PREFIX
#define MODULE_PARAM_PREFIX "x86_pmu."

/*
 * Equal events share one counter. If a test clears x86_share, each of the equal events needs its
 * own counter, so the test can fill the PMU with equal events.
 */
bool x86_share = true;
module_param_named(share, x86_share, bool, 0644);
MODULE_PARM_DESC(share, "share one counter among events that count the same");

/* Config of a PERF_TYPE_HARDWARE event. */
static int x86_generic_config(const struct x86_core *core, u64 number, u64 *config)
{
	if (number >= PERF_COUNT_HW_MAX)
		return -EINVAL;
	number = array_index_nospec(number, PERF_COUNT_HW_MAX);
	*config = core->generic[number];
	if (!*config)
		return -ENOENT;
	return *config == X86_IMPOSSIBLE ? -EINVAL : 0;
}

/* Config of a PERF_TYPE_HW_CACHE event. */
static int x86_cache_config(const struct x86_core *core, u64 packed, u64 *config, u64 *extra)
{
	unsigned int cache = packed & 0xff, op = (packed >> 8) & 0xff;
	unsigned int result = (packed >> 16) & 0xff;

	if (cache >= PERF_COUNT_HW_CACHE_MAX || op >= PERF_COUNT_HW_CACHE_OP_MAX ||
	    result >= PERF_COUNT_HW_CACHE_RESULT_MAX)
		return -EINVAL;
	cache = array_index_nospec(cache, PERF_COUNT_HW_CACHE_MAX);
	op = array_index_nospec(op, PERF_COUNT_HW_CACHE_OP_MAX);
	result = array_index_nospec(result, PERF_COUNT_HW_CACHE_RESULT_MAX);
	if (!core->model->cache)
		return -ENOENT;
	*config = (*core->model->cache)[cache][op][result];
	if (core->model->cache_extra) {
		*extra = (*core->model->cache_extra)[cache][op][result];
		if (*extra == X86_IMPOSSIBLE)
			return -EINVAL;
	}
	if (!*config)
		return -ENOENT;
	return *config == X86_IMPOSSIBLE ? -EINVAL : 0;
}

static int x86_set_config(struct x86_core *core, struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	struct hw_perf_event *hw = &event->hw;
	u64 config = attr->config & core->config_mask, extra = attr->config1;
	int err = 0;

	if (attr->type == PERF_TYPE_HARDWARE)
		err = x86_generic_config(core, attr->config, &config);
	else if (attr->type == PERF_TYPE_HW_CACHE)
		err = x86_cache_config(core, attr->config, &config, &extra);
	else if (attr->type != core->pmu.type)
		err = -ENOENT;
	if (err == -EINVAL)
		return perf_event_refuse(event, "attr.config",
					 "is a generic event that this processor lacks",
					 err);
	if (err)
		return err;

	hw->config = config;
	hw->extra_reg.config = extra;
	/* With x86_model::get_sel, the bits that are set below have another meaning. */
	if (core->model->get_sel)
		return 0;
	/*
	 * AnyThread also counts the core's other thread, which may run other tasks. An inherited
	 * event needs no permission: its parent event had it, and a fork must not fail.
	 */
	if (config & ARCH_PERFMON_EVENTSEL_ANY) {
		err = event->parent ? 0 : perf_allow_cpu();
		if (err)
			return perf_event_refuse(event, "attr.config",
						 "has AnyThread, which needs CAP_PERFMON",
						 err);
	}
	hw->config |= ARCH_PERFMON_EVENTSEL_INT;
	if (!attr->exclude_user)
		hw->config |= ARCH_PERFMON_EVENTSEL_USR;
	if (!attr->exclude_kernel)
		hw->config |= ARCH_PERFMON_EVENTSEL_OS;
	return 0;
}

static int x86_set_extra(const struct x86_core *core, struct perf_event *event)
{
	struct hw_perf_event_extra *reg = &event->hw.extra_reg;
	const struct x86_extra *extra = core->model->extra;

	reg->reg = 0;
	for (; extra && extra->msr; extra++) {
		u64 config = event->hw.config & extra->mask;

		if (config < extra->first || config > extra->last)
			continue;
		if (core->no_extra & BIT_ULL(extra - core->model->extra))
			return perf_event_refuse(event, "attr.config",
						 "needs an extra register (attr.config1) that this processor lacks",
						 -ENXIO);
		if (reg->config & ~extra->valid)
			return perf_event_refuse(event, "attr.config1",
						 "has invalid bits for this event", -EINVAL);
		reg->reg = extra->msr;
		reg->idx = extra - core->model->extra;
		return 0;
	}
	reg->config = 0;
	return 0;
}

/**
 * x86_find_limit - find the constraint of a config
 * @limit: array of constraints, or NULL
 * @config: the config
 *
 * Return: the first match, NULL if there is none.
 */
const struct x86_limit *x86_find_limit(const struct x86_limit *limit, u64 config)
{
	for (; limit && limit->mask; limit++) {
		u64 masked = config & limit->mask;

		if (masked >= limit->first && masked <= limit->last)
			return limit;
	}
	return NULL;
}

/**
 * x86_limit_counters - look up the counters that can count an event
 * @core: the PMU
 * @limits: array of constraints, or NULL
 * @sel: has the config; receives the flags of the constraint
 *
 * Context: any.
 * Return: mask of the counters; for a pair, of its possible lower counters.
 */
u64 x86_limit_counters(const struct x86_core *core, const struct x86_limit *limits,
		       struct x86_event_sel *sel)
{
	const u64 general = core->counters & X86_GENERAL(INTEL_PMC_IDX_FIXED);
	const struct x86_limit *limit = x86_find_limit(limits, sel->config);

	if (!limit)
		return general;
	if (limit->flags & X86_LIMIT_OR_GENERAL)
		return (limit->counters & core->counters) | general;
	if (limit->flags & X86_LIMIT_AMD_NB)
		sel->flags |= X86_AMD_NB;
	if (limit->flags & X86_LIMIT_HT_ERRATUM)
		sel->flags |= X86_HT_ERRATUM;
	if (limit->flags & X86_LIMIT_PAIR) {
		sel->flags |= X86_PAIR;
		return limit->counters & general & (general >> 1);
	}
	return limit->counters & core->counters;
}

/* Does the event use precisely distributed PEBS? */
static bool x86_event_is_distributed(const struct perf_event *event)
{
	const struct x86_model *model = to_x86_core(event->pmu)->model;

	return model->distributed_period && event->attr.precise_ip &&
	       event->attr.precise_ip == model->precise_levels;
}

/**
 * x86_event_least_period - the shortest period of an event
 * @event: the event, with hw.config set
 *
 * Return: the period.
 */
u64 x86_event_least_period(const struct perf_event *event)
{
	const struct x86_model *model = to_x86_core(event->pmu)->model;
	u64 least = 1;

	/*
	 * The period of KVM's events is the distance of a guest's counter to its overflow. If this
	 * period is too short for an erratum, the overflow is late, see x86_distance().
	 */
	if (model->min_period && !event->attr.exclude_host)
		least = model->min_period(event->hw.config);
	least = max(least, x86_event_brs_delay(event) + 1);
	/* See x86_intel_init_event(). Without TSX, the bit has other uses. */
	if (model->transactions && (event->hw.config & HSW_IN_TX_CHECKPOINTED))
		least = max(least, X86_NARROW_PERIOD);
	return x86_event_is_distributed(event) ? max(least, model->distributed_period) : least;
}

/**
 * x86_is_branch_trace - check whether an event with a period uses the branch trace store (BTS)
 * @event: the event, with hw.config set
 * @period: the period
 *
 * The CPU does not record branches of guests, so an event that excludes the host uses a counter.
 *
 * Return: true for branches on Intel CPUs with a fixed period of 1, unless the host is excluded.
 */
bool x86_is_branch_trace(const struct perf_event *event, u64 period)
{
	const struct x86_core *core = to_x86_core(event->pmu);
	u64 branches = core->generic[PERF_COUNT_HW_BRANCH_INSTRUCTIONS];

	return boot_cpu_data.x86_vendor == X86_VENDOR_INTEL && core->version && !event->attr.freq &&
	       !event->attr.exclude_host && period == 1 && branches &&
	       !((event->hw.config ^ branches) & INTEL_ARCH_EVENT_MASK);
}

/**
 * x86_event_get_sel - compute the select of an event
 * @event: an event of this driver
 * @sel: receives the select
 *
 * Context: interrupts off, or @event is new.
 * Return: 0 on success, -EINVAL if no counter can count the event.
 */
int x86_event_get_sel(struct perf_event *event, struct x86_event_sel *sel)
{
	struct x86_core *core = to_x86_core(event->pmu);
	const struct x86_limit *limits = x86_core_limits(core);
	const struct hw_perf_event *hw = &event->hw;

	if (event->attr.precise_ip)
		limits = x86_precise_limits(core, event) ?: limits;
	else if (x86_event_brs_delay(event))
		limits = core->model->branch_limits;
	*sel = (struct x86_event_sel){
		.config = hw->config,
		.extra = hw->extra_reg.config,
		.msr = hw->extra_reg.reg,
		.extra_idx = hw->extra_reg.reg ? hw->extra_reg.idx : -1,
	};
	if (core->metrics)
		x86_metrics_get_sel(event, sel);
	if (core->model->get_sel)
		core->model->get_sel(core, event, sel);
	else
		sel->allowed = x86_limit_counters(core, limits, sel);
	/* With x86_pmu_msrs::host_only, bits of the select exclude host or guest instead. */
	if (event->attr.exclude_host && !core->msrs->host_only)
		sel->flags |= X86_GUEST_ONLY;
	if (event->attr.exclude_guest && !core->msrs->host_only)
		sel->flags |= X86_HOST_ONLY;
	/* Topdown metrics use the counter of slots, so all events of slots share it. */
	if (event->attr.precise_ip || has_branch_stack(event) ||
	    (!READ_ONCE(x86_share) && !(sel->flags & X86_METRICS)))
		sel->flags |= X86_UNSHARED;
	if (x86_event_is_distributed(event))
		sel->flags |= X86_DISTRIBUTED;
	if (core->tfa_counters)
		sel->allowed &= x86_force_abort_limit(core);
	if (event->attr.precise_ip)
		sel->allowed = x86_precise_counters(core, sel->allowed);
	if (core->model->counters_of)
		sel->allowed &= core->model->counters_of(core, event, sel->allowed);
	return sel->allowed ? 0 : -EINVAL;
}

/**
 * struct x86_fake_cpu - a group on an otherwise unused CPU
 * @n: number of @sels, each for the events that share a counter
 * @traces: number of events that use the branch trace store
 * @nr_events: for each select, the number of events
 * @nr_sampling: for each select, the number of sampling events
 * @sels: the selects
 * @constraints: for each select, the counters that can count it
 * @extra: the extra registers
 * @common: values of the common registers, see x86_event_sel::common
 */
struct x86_fake_cpu {
	int			n;
	unsigned int		traces;
	unsigned int		nr_events[X86_COUNTERS_MAX];
	unsigned int		nr_sampling[X86_COUNTERS_MAX];
	struct x86_event_sel	sels[X86_COUNTERS_MAX];
	struct x86_constraint	constraints[X86_COUNTERS_MAX];
	struct x86_extra_set	extra;
	u64			common;
};

static int x86_fake_cpu_add(struct x86_fake_cpu *fake, struct x86_core *core,
			    struct perf_event *event)
{
	bool samples = is_sampling_event(event);
	struct x86_event_sel sel;
	int i, err;

	if (event->pmu != &core->pmu)
		return 0;
	if (event->hw.flags & X86_BRANCH_TRACE)
		return fake->traces++ ? -EINVAL : 0;
	err = x86_event_get_sel(event, &sel);
	if (err)
		return err;
	if (sel.extra_idx >= 0 &&
	    !x86_extra_get(&fake->extra, &core->model->extra[sel.extra_idx], &sel))
		return -EINVAL;
	fake->common |= sel.common;
	if (hweight64(fake->common) > 1)
		return -EINVAL;
	if (!x86_branch_fits(core, event, &fake->extra))
		return -EINVAL;
	/* Events with equal selects share a counter, as in x86_count_attach(). */
	for (i = 0; i < fake->n; i++) {
		if (x86_event_sels_equal(&fake->sels[i], &sel) && !(sel.flags & X86_UNSHARED) &&
		    fake->nr_events[i] < X86_COUNT_EVENTS_MAX &&
		    (!samples || fake->nr_sampling[i] < X86_COUNT_SAMPLING_MAX)) {
			fake->nr_events[i]++;
			fake->nr_sampling[i] += samples;
			return 0;
		}
	}
	if (fake->n == X86_COUNTERS_MAX)
		return -EINVAL;
	fake->nr_events[fake->n] = 1;
	fake->nr_sampling[fake->n] = samples;
	fake->constraints[fake->n] = (struct x86_constraint){
		.allowed = sel.allowed, .now = -1, .pair = sel.flags & X86_PAIR,
	};
	fake->sels[fake->n++] = sel;
	return 0;
}

/* Can the group with @event be scheduled at all? Perf adds the events in the same order. */
static int x86_check_group(struct x86_core *core, struct perf_event *event)
{
	struct perf_event *leader = event->group_leader, *member;
	struct x86_fake_cpu *fake __free(kfree) = kzalloc(sizeof(*fake), GFP_KERNEL);
	int err;

	if (!fake)
		return -ENOMEM;
	err = x86_fake_cpu_add(fake, core, leader);
	for_each_sibling_event(member, leader) {
		if (!err && member != event)
			err = x86_fake_cpu_add(fake, core, member);
	}
	if (!err && leader != event)
		err = x86_fake_cpu_add(fake, core, event);
	if (err)
		return err;
	return x86_assign_counters(fake->constraints, fake->n, 0) ? 0 : -EINVAL;
}

/*
 * Checked before attr.config: the error of an unsupported precise_ip has precedence over that of an
 * invalid config.
 */
static int x86_check_precise(const struct x86_core *core, struct perf_event *event)
{
	u8 most = x86_max_precise(core);

	if (event->attr.precise_ip <= most)
		return 0;
	if (core->model->forward) {
		int err = core->model->forward(event);

		if (err)
			return err;
	}
	return perf_event_refuse(event, "attr.precise_ip",
				 most ? "exceeds what this processor supports" :
				 "must be 0: this processor has no precise events", -EOPNOTSUPP);
}

/*
 * Only PEBS records have vector registers: neither an interrupt nor the kernel entry saves them for
 * samples.
 */
static int x86_check_vectors(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	if (attr->sample_regs_user & PERF_REG_EXTENDED_MASK)
		return perf_event_refuse(event, "attr.sample_regs_user",
					 "has vector registers: use sample_regs_intr instead",
					 -EINVAL);
	if ((attr->sample_regs_intr & PERF_REG_EXTENDED_MASK) && !attr->precise_ip)
		return perf_event_refuse(event, "attr.sample_regs_intr",
					 "has vector registers, which only precise events sample",
					 -EINVAL);
	return 0;
}

static bool x86_is_loads_aux(const struct x86_core *core, const struct perf_event *event)
{
	return event->pmu == &core->pmu &&
	       (event->hw.config & INTEL_ARCH_EVENT_MASK) == core->model->loads_aux;
}

/*
 * The CPU records the data source of a load only if the event x86_model::loads_aux is enabled, too.
 * So this event must be the leader, or a sibling that was opened before. Samples without a data
 * source do not need this event.
 */
static int x86_check_loads(const struct x86_core *core, struct perf_event *event)
{
	struct perf_event *leader = event->group_leader, *member;

	if (!core->model->loads || !(event->attr.sample_type & PERF_SAMPLE_DATA_SRC) ||
	    (event->hw.config & INTEL_ARCH_EVENT_MASK) != core->model->loads)
		return 0;
	if (x86_is_loads_aux(core, leader))
		return 0;
	for_each_sibling_event(member, leader) {
		if (member != event && x86_is_loads_aux(core, member))
			return 0;
	}
	return perf_event_refuse(event, "group_fd",
				 "must refer to a group with mem-loads-aux, for PERF_SAMPLE_DATA_SRC",
				 -ENODATA);
}

/**
 * x86_event_init - struct pmu::event_init
 * @event: the new event
 *
 * Context: process.
 * Return: 0 on success, -ENOENT if the event is not one of this PMU, -ENODATA if the data sources
 * of its samples need another event in the group, or another error.
 */
int x86_event_init(struct perf_event *event)
{
	struct x86_core *core = to_x86_core(event->pmu);
	struct hw_perf_event *hw = &event->hw;
	bool traced;
	int err;

	if (event->attr.type != PERF_TYPE_HARDWARE && event->attr.type != PERF_TYPE_HW_CACHE &&
	    event->attr.type != core->pmu.type)
		return -ENOENT;
	if (core->kind && event->cpu >= 0 && !cpumask_test_cpu(event->cpu, &core->cpus))
		return -ENOENT;

	err = x86_check_precise(core, event);
	if (err)
		return err;
	err = x86_set_config(core, event);
	if (!err)
		err = x86_metrics_check(event);
	if (!err)
		err = x86_check_loads(core, event);
	if (!err && core->model->init_event)
		err = core->model->init_event(event);
	if (!err)
		err = x86_set_extra(core, event);
	if (err) {
		/* Undo changes: perf tries other PMUs with the event. */
		hw->config = 0;
		hw->extra_reg = (struct hw_perf_event_extra){ };
		return err;
	}
	hw->idx = -1;
	hw->last_cpu = -1;
	err = x86_check_vectors(event);
	if (err)
		return err;
	if (event->attr.precise_ip) {
		err = x86_precise_init_event(event);
		if (err)
			return err;
	}
	traced = x86_is_branch_trace(event, event->attr.sample_period);
	/* Branch traces use no counter, so the minimum periods of counters do not apply. */
	if (is_sampling_event(event) && !event->attr.freq && !traced &&
	    event->attr.sample_period < x86_event_least_period(event))
		return perf_event_refuse(event, "attr.sample_period",
					 "is below the minimum of this event",
					 -EINVAL);
	if (!is_sampling_event(event)) {
		hw->sample_period = core->max_period;
		hw->last_period = hw->sample_period;
		local64_set(&hw->period_left, hw->sample_period);
	}
	if (x86_rdpmc)
		hw->flags |= PERF_EVENT_FLAG_USER_READ_CNT;
	if (traced) {
		err = x86_bts_init_event(event);
		if (err)
			return err;
	} else if (needs_branch_stack(event)) {
		err = x86_branch_init_event(event);
		if (err)
			return err;
		event->destroy = x86_branch_destroy;
	}
	err = x86_check_group(core, event);
	if (err && event->destroy) {
		event->destroy(event);
		event->destroy = NULL;
	}
	if (err != -EINVAL)
		return err;
	if (event->group_leader == event)
		return perf_event_refuse(event, "attr.config",
					 "is an event that no counter supports", err);
	return perf_event_refuse(event, "group_fd",
				 "refers to a group that does not fit on the counters together with this event: split it",
				 err);
}
