/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rows of the model tables, for the tests of all rows and of single vendors.
 */
#ifndef _ARCH_X86_EVENTS_TESTS_MODELS_H
#define _ARCH_X86_EVENTS_TESTS_MODELS_H

#include <kunit/test.h>

#include "../engine.h"

/* False at the end of a table, as in x86_match_cpu() */
static inline bool models_is_line(const struct x86_cpu_id *line)
{
	return line->vendor | line->family | line->model | line->steppings | line->feature;
}

static inline const struct x86_model *models_row(const struct x86_cpu_id *line)
{
	return (const struct x86_model *)line->driver_data;
}

/* Find the extra register of a config, or NULL. */
static inline const struct x86_extra *models_extra_of(const struct x86_model *row, u64 config)
{
	const struct x86_extra *extra = row->extra;

	for (; extra && extra->msr; extra++) {
		if ((config & extra->mask) >= extra->first && (config & extra->mask) <= extra->last)
			return extra;
	}
	return NULL;
}

/* Compute the select of an event of a model, on a core with @counters. Returns 0 or an errno. */
static inline int models_sel_on(struct kunit *test, const struct x86_model *row,
				const struct x86_pmu_msrs *msrs, u64 counters,
				u64 config, struct x86_event_sel *sel)
{
	struct perf_event *event = kunit_kzalloc(test, sizeof(*event), GFP_KERNEL);
	struct x86_core *core = kunit_kzalloc(test, sizeof(*core), GFP_KERNEL);
	int err;

	KUNIT_ASSERT_NOT_NULL(test, row);
	KUNIT_ASSERT_NOT_NULL(test, event);
	KUNIT_ASSERT_NOT_NULL(test, core);
	core->model = row;
	core->msrs = msrs;
	core->counters = counters;
	event->pmu = &core->pmu;
	event->hw.config = config;
	if (!row->get_sel)
		event->hw.config |= ARCH_PERFMON_EVENTSEL_INT | ARCH_PERFMON_EVENTSEL_USR;
	err = x86_event_get_sel(event, sel);
	kunit_kfree(test, core);
	kunit_kfree(test, event);
	return err;
}

#endif
