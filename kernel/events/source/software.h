/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_SOFTWARE_H
#define _KERNEL_EVENTS_SOFTWARE_H

#include <linux/perf_event.h>

void perf_swevent_event(struct perf_event *event, u64 nr,
			struct perf_sample_data *data, struct pt_regs *regs);
void perf_swevent_always_on_add(struct perf_event *event);
void perf_swevent_always_on_del(struct perf_event *event);
struct hlist_node *perf_swevent_always_on_after(struct perf_event_context *ctx,
						struct hlist_node *node);
bool perf_event_excludes(const struct perf_event *event, struct pt_regs *regs);
bool perf_site_interrupted(void);

/* Maximum number of retries of a change whose interrupt has interrupted an event site */
#define PERF_SITE_ROUNDS	64

void perf_swevent_pmu_init(void);

/* Is there an event site for always-on events of this config? */
static inline bool perf_swevent_config_has_site(u64 config)
{
	return config >= PERF_SW_FIRST && config != PERF_COUNT_SW_DUMMY &&
	       config != PERF_COUNT_SW_BPF_OUTPUT;
}

static inline bool perf_swevent_has_site(const struct perf_event *event)
{
	return perf_swevent_config_has_site(event->attr.config);
}

/* perf_swevent_always_on_add() for an always-on inherited event in an unpublished context */
static inline void perf_swevent_child_add(struct perf_event *child)
{
	if (perf_swevent_has_site(child))
		hlist_add_head(&child->hlist_entry,
			       &child->ctx->sw_lists[child->attr.config - PERF_SW_FIRST]);
}

#endif /* _KERNEL_EVENTS_SOFTWARE_H */
