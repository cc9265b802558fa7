/* SPDX-License-Identifier: GPL-2.0 */
/*
 * struct perf_event_attr: from user space to something that can be relied on.
 *
 * perf_event_open(2) calls, in this order (it decides which errno a request
 * with several faults gets):
 *
 *	flags					EINVAL
 *	security_perf_event_open(PERF_SECURITY_OPEN)
 *	perf_attr_copy()			EFAULT, E2BIG
 *	perf_attr_check()			EINVAL, ENOSYS
 *	perf_attr_permit()			EACCES, EPERM, EINVAL
 *	the target, the group, the PMU (pmu.h)
 *
 * PERF_EVENT_IOC_MODIFY_ATTRIBUTES needs the first three as well.
 */
#ifndef _KERNEL_EVENTS_ATTR_H
#define _KERNEL_EVENTS_ATTR_H

#include <linux/types.h>

struct perf_event_attr;

/**
 * struct perf_attr_rule - one thing that an attribute must fulfil
 * @field: of struct perf_event_attr, as user space calls it
 * @reason: why a value was refused, in words
 * @since: size of the first published structure that has the field
 * @error: negative errno of a refusal
 * @holds: does @attr keep to the rule? Pure: looks at nothing but @attr
 */
struct perf_attr_rule {
	const char	*field;
	const char	*reason;
	u16		since;
	s16		error;
	bool		(*holds)(const struct perf_event_attr *attr);
};

int perf_attr_copy(struct perf_event_attr __user *uattr, struct perf_event_attr *attr);
void perf_attr_complete(struct perf_event_attr *attr, u16 max_stack);
const struct perf_attr_rule *perf_attr_broken_rule(const struct perf_event_attr *attr);
int perf_attr_check(const struct perf_event_attr *attr);
int perf_attr_permit(const struct perf_event_attr *attr);
bool perf_attr_clock_is_nmi_safe(const struct perf_event_attr *attr);

#endif /* _KERNEL_EVENTS_ATTR_H */
