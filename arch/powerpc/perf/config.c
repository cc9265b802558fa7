// SPDX-License-Identifier: GPL-2.0
/*
 * Initialization of events: from perf_event_attr to event codes and encodings.
 */
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <asm/cputable.h>
#include <asm/firmware.h>
#include <asm/pmc.h>
#include "bhrb.h"
#include "ebb.h"
#include "engine.h"
#include "isa207.h"

#undef MODULE_PARAM_PREFIX
#define MODULE_PARAM_PREFIX "power_pmu."

/* Tests clear this parameter to fill the PMU with equal events. */
bool power_share = true;
module_param_named(share, power_share, bool, 0644);
MODULE_PARM_DESC(share, "share one counter among equal counting events");

static atomic_t power_users;
static DEFINE_MUTEX(power_users_mutex);

/**
 * power_release - remove a user of the PMU hardware
 *
 * The last user releases the hardware, which other users may then reserve.
 *
 * Context: process.
 */
void power_release(void)
{
	if (atomic_add_unless(&power_users, -1, 1))
		return;
	mutex_lock(&power_users_mutex);
	if (atomic_dec_and_test(&power_users))
		release_pmc_hardware();
	mutex_unlock(&power_users_mutex);
}

static void power_event_destroy(struct perf_event *event)
{
	kfree(event->pmu_private);
	if (!event->parent)
		power_release();
}

/**
 * power_reserve - add a user of the PMU hardware
 *
 * Context: process.
 * Return: 0 on success, -EBUSY if another driver has reserved the hardware.
 */
int power_reserve(void)
{
	int err = 0;

	if (atomic_inc_not_zero(&power_users))
		return 0;
	mutex_lock(&power_users_mutex);
	if (!atomic_read(&power_users))
		err = reserve_pmc_hardware(power_interrupt) ? -EBUSY : 0;
	if (!err)
		atomic_inc(&power_users);
	mutex_unlock(&power_users_mutex);
	return err;
}

/* In the table, 0 is an event that the processor lacks, and -1 an operation that a cache lacks. */
static int power_cache_code(u64 config, u64 *code)
{
	unsigned int result = (config >> 16) & 0xff;
	unsigned int op = (config >> 8) & 0xff;
	unsigned int cache = config & 0xff;

	if (!power_driver->cache_events)
		return -EINVAL;
	if (cache >= PERF_COUNT_HW_CACHE_MAX || op >= PERF_COUNT_HW_CACHE_OP_MAX ||
	    result >= PERF_COUNT_HW_CACHE_RESULT_MAX)
		return -EINVAL;
	*code = (*power_driver->cache_events)[cache][op][result];
	if (*code == 0)
		return -EOPNOTSUPP;
	return *code == (u64)-1 ? -EINVAL : 0;
}

/* Look up the event code. Returns -ENOENT if another PMU may have the event. */
static int power_event_code(struct perf_event *event, u64 *code)
{
	u64 config = event->attr.config;

	switch (event->attr.type) {
	case PERF_TYPE_HARDWARE:
		if (config >= power_driver->n_generic || !power_driver->generic_events[config])
			return -EOPNOTSUPP;
		*code = power_driver->generic_events[config];
		return 0;
	case PERF_TYPE_HW_CACHE:
		return power_cache_code(config, code);
	case PERF_TYPE_RAW:
		*code = config;
		return 0;
	}
	return -ENOENT;
}

/**
 * power_code_is_listed - check for an event that this processor counts incorrectly
 * @code: the event code
 *
 * Context: any.
 * Return: true if the event is on the processor's list of such events.
 */
bool power_code_is_listed(u64 code)
{
	int i;

	for (i = 0; i < power_driver->n_blacklist_ev; i++) {
		if (power_driver->blacklist_ev[i] == code)
			return true;
	}
	return false;
}

/* Fill @codes with the event's own code, then its alternatives. Returns the number of codes. */
static int power_event_codes(const struct perf_event *event, u64 codes[])
{
	codes[0] = event->hw.config;
	if (!power_driver->get_alternatives)
		return 1;
	return power_driver->get_alternatives(event->hw.config, event->hw.flags, codes);
}

/**
 * power_encode - look up the constraints of an event code
 * @code: the event code
 * @config1: attr.config1
 * @to: receives the encoding
 *
 * Context: any.
 * Return: true on success, false if the processor has no such event.
 */
bool power_encode(u64 code, u64 config1, struct power_code *to)
{
	const struct isa207_layout *layout = isa207_running();

	to->code = code;
	to->pmc = layout ? ISA207_PMC(code) : 0;
	to->needs_pmc4 = layout && isa207_is_limited_l2l3(layout, code);
	to->on_pmc4 = to->needs_pmc4 && to->pmc == POWER_ANY_LAST;
	return !power_driver->get_constraint(code, &to->mask, &to->value, config1);
}

static u32 power_modes(const struct perf_event_attr *attr)
{
	return (attr->exclude_user ? POWER_NOT_USER : 0) |
	       (attr->exclude_kernel ? POWER_NOT_KERNEL : 0) |
	       (attr->exclude_hv ? POWER_NOT_HV : 0) |
	       (attr->exclude_idle ? POWER_NOT_IDLE : 0);
}

/* Encode those alternatives of an event that the processor supports. */
static struct power_encoded *power_event_encode(const struct perf_event *event)
{
	u64 codes[MAX_EVENT_ALTERNATIVES];
	int i, n = power_event_codes(event, codes);
	struct power_encoded *encoded;

	encoded = kzalloc(struct_size(encoded, codes, n), GFP_KERNEL);
	if (!encoded)
		return ERR_PTR(-ENOMEM);
	encoded->sel = (struct power_event_sel){
		.code = event->hw.config,
		.config1 = event->attr.config1,
		.flags = power_modes(&event->attr) | event->hw.flags << POWER_NOT_BITS,
	};
	encoded->alts.codes = encoded->codes;
	for (i = 0; i < n; i++) {
		if (power_encode(codes[i], event->attr.config1, &encoded->codes[encoded->alts.n]))
			encoded->alts.n++;
	}
	if (encoded->alts.n)
		return encoded;
	kfree(encoded);
	return ERR_PTR(-EINVAL);
}

static int power_group_member(struct power_cpu *group, const struct power_encoded *encoded)
{
	int slot = power_count_get(group, &encoded->sel, &encoded->alts, false);

	return slot < 0 ? -EINVAL : 0;
}

/*
 * Can the group be counted at once on an otherwise unused PMU? Each member must get a counter of
 * its own, without sharing with equal events.
 */
static int power_check_group(const struct perf_event *event, const struct power_encoded *encoded)
{
	const struct perf_event *leader = event->group_leader, *other;
	struct power_cpu *group;
	int err = 0;

	group = kzalloc(sizeof(*group), GFP_KERNEL);
	if (!group)
		return -ENOMEM;
	if (leader != event) {
		if (leader->pmu == event->pmu)
			err = power_group_member(group, leader->pmu_private);
		for_each_sibling_event(other, leader) {
			if (!err && other->pmu == event->pmu &&
			    other->state != PERF_EVENT_STATE_OFF)
				err = power_group_member(group, other->pmu_private);
		}
	}
	if (!err)
		err = power_group_member(group, encoded);
	if (!err && !power_counts_fit(group))
		err = -EINVAL;
	kfree(group);
	return err;
}

static u64 power_choose_limited_code(struct perf_event *event, u64 code)
{
	struct hw_perf_event *hw = &event->hw;
	bool can = !event->attr.exclude_user && !event->attr.exclude_kernel &&
		   !event->attr.exclude_hv && !event->attr.sample_period;
	u64 codes[MAX_EVENT_ALTERNATIVES];
	int n;

	if (!power_has(PPMU_LIMITED_PMC5_6) || !can)
		return code;
	hw->flags |= PPMU_LIMITED_PMC_OK;
	if (!power_driver->limited_pmc_event || !power_driver->limited_pmc_event(code))
		return code;
	n = power_driver->get_alternatives(code, hw->flags | PPMU_LIMITED_PMC_REQD, codes);
	return n ? codes[0] : code;
}

/* Set the members of @event that select its encodings. */
static int power_event_prepare(struct perf_event *event, u64 code)
{
	struct hw_perf_event *hw = &event->hw;

	hw->idx = 0;
	hw->flags = 0;
	/* Without a hypervisor there is nothing to exclude. */
	if (!firmware_has_feature(FW_FEATURE_LPAR))
		event->attr.exclude_hv = 0;
	/*
	 * Only the idle loop clears the run latch. Events of tasks and of user space never count in
	 * the idle loop. MMCR2 freezes events with exclude_idle there. So codes that count only
	 * while the run latch is set are alternatives for all of these events.
	 */
	if ((event->attach_state & PERF_ATTACH_TASK) || event->attr.exclude_kernel ||
	    (event->attr.exclude_idle && power_has(PPMU_ARCH_207S)))
		hw->flags |= PPMU_ONLY_COUNT_RUN;
	hw->config = power_choose_limited_code(event, code);
	if (isa207_running() && (hw->config & ISA207_EBB))
		hw->flags |= POWER_EBB;
	return power_ebb_check(event);
}

static int power_event_finish(struct perf_event *event)
{
	struct power_encoded *encoded = power_event_encode(event);
	int err;

	if (IS_ERR(encoded))
		return PTR_ERR(encoded);
	err = power_check_group(event, encoded);
	if (err == -EINVAL && event->group_leader == event)
		err = perf_event_refuse(event, "attr.config",
					"is an event that no counter supports", err);
	else if (err == -EINVAL)
		err = perf_event_refuse(event, "group_fd",
					"refers to a group that does not fit on the counters together with this event: split it",
					err);
	/* event->parent has reserved the hardware, and is freed after its inherited events. */
	if (!err && !event->parent)
		err = power_reserve();
	if (err) {
		kfree(encoded);
		return err;
	}
	event->pmu_private = encoded;
	event->destroy = power_event_destroy;
	return 0;
}

/**
 * power_event_init - struct pmu::event_init
 * @event: the new event
 *
 * Context: process.
 * Return: 0 on success, -ENOENT if the event is not one of this PMU, -EOPNOTSUPP if the processor
 * lacks a generic event or branch filter, -EINVAL if the event or group cannot be counted, -EACCES
 * (see power_ebb_check()), -EBUSY if another driver has the PMU hardware, or -ENOMEM.
 */
int power_event_init(struct perf_event *event)
{
	struct hw_perf_event *hw = &event->hw;
	u64 code;
	int err;

	if (!power_driver)
		return -ENOENT;
	err = power_event_code(event, &code);
	if (err == -ENOENT)
		return err;
	if (err)
		return perf_event_refuse(event, "attr.config",
					 "is a generic event that this processor lacks",
					 err);
	if (has_branch_stack(event)) {
		err = power_bhrb_event_init(event);
		if (err)
			return perf_event_refuse(event, "attr.branch_sample_type",
						 "differs from the group's, or is not supported",
						 err);
	}
	if (power_code_is_listed(code))
		return perf_event_refuse(event, "attr.config",
					 "is an event that this processor counts incorrectly",
					 -EINVAL);
	if (event->attr.type == PERF_TYPE_RAW && power_driver->check_attr_config &&
	    power_driver->check_attr_config(event))
		return perf_event_refuse(event, "attr.config",
					 "has reserved or contradictory fields",
					 -EINVAL);
	err = power_event_prepare(event, code);
	if (!err)
		err = power_event_finish(event);
	if (err)
		return err;
	hw->last_period = hw->sample_period;
	local64_set(&hw->period_left, hw->last_period);
	return 0;
}

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
#include "tests/config_test.c"
#endif
