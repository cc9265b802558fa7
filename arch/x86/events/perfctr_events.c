// SPDX-License-Identifier: GPL-2.0
/*
 * perfctr: checks of a control's events against the constraints and errata of the CPU model.
 */
#include "engine.h"
#include "perfctr_rules.h"

/* Flags of refused events; for northbridge events, see the rules of the family. */
#define PERFCTR_REFUSED_FLAGS	(X86_PAIR | X86_HT_ERRATUM)

static bool perfctr_needs_extra_reg(const struct x86_extra *extra, u64 config)
{
	for (; extra && extra->msr; extra++) {
		if ((config & extra->mask) >= extra->first && (config & extra->mask) <= extra->last)
			return true;
	}
	return false;
}

static int perfctr_check_period(const struct x86_model *model, u64 config, s32 ireset)
{
	/* A switch may stop a counter anywhere in a period: the rest is rarely a multiple. */
	if (model->period_step && model->period_step(config) > 1)
		return -EPERM;
	if (model->min_period && -(s64)ireset < (s64)model->min_period(config))
		return -EINVAL;
	return 0;
}

/**
 * perfctr_check_events - check the events of a control against its counters
 * @core: the PMU
 * @control: the control, accepted by perfctr_check()
 * @claim: its counters; receives x86_claim::least
 *
 * Context: any.
 * Return: 0 on success; -EPERM if an event needs an extra register or a pair of counters, affects
 * the other thread of the core (erratum), or allows only periods that are multiples of a step
 * (erratum); -EINVAL if the counter does not support the event or is used for transactions, or if
 * the event needs a longer period.
 */
int perfctr_check_events(const struct x86_core *core, const struct perfctr_cpu_control *control,
			 struct x86_claim *claim)
{
	const struct x86_model *model = core->model;
	unsigned int i;
	int err;

	for (i = 0; i < claim->n; i++) {
		struct x86_event_sel sel = { .config = claim->config[i] };
		int counter = claim->counter[i];
		u64 allowed;

		if (model->min_period)
			claim->least[i] = min_t(u64, model->min_period(sel.config), U16_MAX);
		if (x86_counter_is_fixed(counter))
			continue;
		allowed = x86_limit_counters(core, x86_core_limits(core), &sel);
		if (core->tfa_counters)
			allowed &= x86_force_abort_limit(core);
		if ((sel.flags & PERFCTR_REFUSED_FLAGS) ||
		    perfctr_needs_extra_reg(model->extra, sel.config))
			return -EPERM;
		if (!(allowed & BIT_ULL(counter)))
			return -EINVAL;
		if (!(claim->ints & BIT_ULL(counter)))
			continue;
		err = perfctr_check_period(model, sel.config, control->ireset[i]);
		if (err)
			return err;
	}
	return 0;
}
