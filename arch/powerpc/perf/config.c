// SPDX-License-Identifier: GPL-2.0
/*
 * From what user space asks for to an event of this processor.
 */
#include <linux/mutex.h>
#include <asm/cputable.h>
#include <asm/firmware.h>
#include <asm/pmc.h>
#include "engine.h"

static atomic_t power_users;
static DEFINE_MUTEX(power_users_mutex);

/* The last event gives the counters back to whoever wants them next. */
static void power_event_destroy(struct perf_event *event)
{
	if (atomic_add_unless(&power_users, -1, 1))
		return;
	mutex_lock(&power_users_mutex);
	if (atomic_dec_and_test(&power_users))
		release_pmc_hardware();
	mutex_unlock(&power_users_mutex);
}

static int power_reserve(void)
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

/* The encoding of a cache event: 0 is one that does not exist, and -1 one that cannot be. */
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

/* The driver's own code of an event; -ENOENT: not an event of this PMU. */
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

static bool power_code_is_listed(u64 code)
{
	int i;

	for (i = 0; i < power_driver->n_blacklist_ev; i++) {
		if (power_driver->blacklist_ev[i] == code)
			return true;
	}
	return false;
}

/**
 * power_wish_fill - collect the encodings that count an event, with their constraints
 * @wish: where to
 * @event: hw.config is its code
 *
 * Any context. Encodings that the processor does not have are left out.
 */
void power_wish_fill(struct power_wish *wish, struct perf_event *event)
{
	u64 codes[MAX_EVENT_ALTERNATIVES] = { event->hw.config };
	int i, n = 1;

	if (power_driver->get_alternatives)
		n = power_driver->get_alternatives(event->hw.config, event->hw.flags, codes);
	wish->n = 0;
	for (i = 0; i < n && wish->n < POWER_CODES_MAX; i++) {
		struct power_code *code = &wish->codes[wish->n];

		code->code = codes[i];
		if (!power_driver->get_constraint(codes[i], &code->mask, &code->value,
						  event->attr.config1))
			wish->n++;
	}
}

/**
 * power_wishes_fit - can these events count together?
 * @wishes: array of @n
 * @n: how many
 *
 * Any context. Return: true if so; then each one's choice is set.
 */
bool power_wishes_fit(struct power_wish *wishes, int n)
{
	struct power_rules rules = {
		.add_fields = power_driver->add_fields,
		.test_adder = power_driver->test_adder,
	};

	return n <= power_driver->n_counter && power_choose(&rules, wishes, n);
}

/**
 * power_modes_agree - do events freeze in the same modes, where the hardware wants it?
 * @events: array of @n
 * @n: how many
 *
 * Any context. From version 2.07 of the architecture on each counter has its own freeze bits.
 */
bool power_modes_agree(struct perf_event **events, int n)
{
	const struct perf_event_attr *first, *attr;
	int i;

	if (power_has(PPMU_ARCH_207S))
		return true;
	for (i = 1; i < n; i++) {
		first = &events[0]->attr;
		attr = &events[i]->attr;
		if (first->exclude_user != attr->exclude_user ||
		    first->exclude_kernel != attr->exclude_kernel ||
		    first->exclude_hv != attr->exclude_hv)
			return false;
	}
	return true;
}

/* Could the whole group count, if nobody else did? */
static int power_check_group(struct perf_event *event)
{
	struct perf_event *leader = event->group_leader, *other;
	struct perf_event *events[POWER_EVENTS_MAX];
	struct power_wish *wishes;
	int i, n = 0, err = -EINVAL;

	wishes = kcalloc(POWER_EVENTS_MAX, sizeof(*wishes), GFP_KERNEL);
	if (!wishes)
		return -ENOMEM;
	if (leader != event) {
		if (leader->pmu == event->pmu)
			events[n++] = leader;
		for_each_sibling_event(other, leader) {
			if (other->pmu != event->pmu || other->state == PERF_EVENT_STATE_OFF)
				continue;
			if (n == POWER_EVENTS_MAX - 1)
				goto out;
			events[n++] = other;
		}
	}
	events[n++] = event;
	if (!power_modes_agree(events, n))
		goto out;
	for (i = 0; i < n; i++) {
		power_wish_fill(&wishes[i], events[i]);
		if (!wishes[i].n)
			goto out;
	}
	if (power_wishes_fit(wishes, n))
		err = 0;
out:
	kfree(wishes);
	return err;
}

static u64 power_settle_limited(struct perf_event *event, u64 code)
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

/**
 * power_event_init - pmu::event_init, see there
 * @event: the new event
 *
 * Return: 0, or -ENOENT, -EOPNOTSUPP, -EINVAL, -EBUSY, -ENOMEM
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
	if (has_branch_stack(event))
		return -EOPNOTSUPP;
	if (err)
		return err;
	if (power_code_is_listed(code))
		return -EINVAL;
	if (event->attr.type == PERF_TYPE_RAW && power_driver->check_attr_config &&
	    power_driver->check_attr_config(event))
		return -EINVAL;
	hw->idx = 0;
	hw->flags = 0;
	/* Outside of a partition there is no hypervisor to exclude. */
	if (!firmware_has_feature(FW_FEATURE_LPAR))
		event->attr.exclude_hv = 0;
	/* Only the idle loop is not in the run state: events of tasks or of users never see it. */
	if ((event->attach_state & PERF_ATTACH_TASK) || event->attr.exclude_kernel ||
	    event->attr.exclude_idle)
		hw->flags |= PPMU_ONLY_COUNT_RUN;
	hw->config = power_settle_limited(event, code);
	err = power_check_group(event);
	if (!err)
		err = power_reserve();
	if (err)
		return err;
	hw->last_period = hw->sample_period;
	local64_set(&hw->period_left, hw->last_period);
	event->destroy = power_event_destroy;
	return 0;
}
