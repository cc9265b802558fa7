/* SPDX-License-Identifier: GPL-2.0 */
/*
 * struct perf_event_attr: from user space to something that can be relied on.
 *
 * perf_event_open(2) calls, in this order (it decides which errno a request
 * with several faults gets):
 *
 *	flags					EINVAL
 *	perf_attr_copy()			EFAULT, E2BIG
 *	perf_attr_check()			EINVAL, ENOSYS
 *	security_perf_event_open(PERF_SECURITY_OPEN)	the security module's
 *	perf_attr_permit()			EACCES, EPERM, EINVAL
 *	the group, whether the target is there
 *	perf_pmu_init_event() (pmu.h), which checks PERF_ATTR_AT_ALLOC
 *	the cgroup				EBADF, EINVAL
 *	perf_pmu_check_clock() (pmu.h), which checks PERF_ATTR_AT_PMU
 *	the right to the target
 *
 * PERF_EVENT_IOC_MODIFY_ATTRIBUTES needs perf_attr_copy() and perf_attr_check().
 */
#ifndef _KERNEL_EVENTS_ATTR_H
#define _KERNEL_EVENTS_ATTR_H

#include <linux/types.h>

#include "refuse.h"

struct perf_event_attr;

/**
 * enum perf_attr_stage - when a rule is looked at
 * @PERF_ATTR_AT_COPY: as soon as the attribute is there
 * @PERF_ATTR_AT_ALLOC: before a PMU is looked for
 * @PERF_ATTR_AT_PMU: when it has been found
 */
enum perf_attr_stage {
	PERF_ATTR_AT_COPY,
	PERF_ATTR_AT_ALLOC,
	PERF_ATTR_AT_PMU,
};

/**
 * struct perf_attr_rule - one thing that an attribute must fulfil
 * @refusal: why a value was refused
 * @field: name of the field of struct perf_event_attr
 * @since: size of the first published structure that has the field
 * @offset: of the word of the structure in which the field lies
 * @width: bytes of that word
 * @of: sample fields, one of which has to be asked for; 0: it is about any event
 * @holds: does @attr keep to the rule? Pure: looks at nothing but @attr
 */
struct perf_attr_rule {
	enum perf_refusal_id	refusal;
	const char		*field;
	u16			since;
	u16			offset;
	u16			width;
	u64			of;
	bool			(*holds)(const struct perf_event_attr *attr);
};

int perf_attr_copy(struct perf_event_attr __user *uattr, struct perf_event_attr *attr);
void perf_attr_complete(struct perf_event_attr *attr, u16 max_stack);
const struct perf_attr_rule *
perf_attr_broken_rule(const struct perf_event_attr *attr, enum perf_attr_stage stage);
int perf_attr_check_at(const struct perf_event_attr *attr, enum perf_attr_stage stage);
int perf_attr_permit(const struct perf_event_attr *attr);
bool perf_attr_clock_is_nmi_safe(const struct perf_event_attr *attr);
u64 (*perf_attr_clock(const struct perf_event_attr *attr))(void);

/* Can this attribute be asked for at all? 0, -EINVAL or -ENOSYS. */
static inline int perf_attr_check(const struct perf_event_attr *attr)
{
	return perf_attr_check_at(attr, PERF_ATTR_AT_COPY);
}

#endif /* _KERNEL_EVENTS_ATTR_H */
