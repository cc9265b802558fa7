/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copy and check struct perf_event_attr.
 *
 * perf_event_open(2) calls these functions in this order, which determines the errno of a
 * request with several errors:
 *
 *	flags					EINVAL
 *	perf_attr_copy()			EFAULT, E2BIG
 *	perf_attr_check()			EINVAL, ENOSYS
 *	security_perf_event_open(PERF_SECURITY_OPEN)	the security module's
 *	perf_attr_permit()			EACCES, EPERM, EINVAL
 *	the group, existence of the target
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
 * enum perf_attr_stage - when a rule is checked
 * @PERF_ATTR_AT_COPY: after the copy from user space
 * @PERF_ATTR_AT_ALLOC: before the search for a PMU
 * @PERF_ATTR_AT_PMU: after the search for a PMU
 */
enum perf_attr_stage {
	PERF_ATTR_AT_COPY,
	PERF_ATTR_AT_ALLOC,
	PERF_ATTR_AT_PMU,
};

/**
 * struct perf_attr_rule - a rule for an attribute
 * @refusal: reason for an error
 * @field: name of the field of struct perf_event_attr
 * @since: first published size of the structure that has the field
 * @offset: offset of the word that contains the field
 * @width: size of that word in bytes
 * @sample_fields: PERF_SAMPLE_*: the rule applies if one of them is set; 0: it always applies
 * @holds: does @attr obey the rule? Depends only on @attr
 */
struct perf_attr_rule {
	enum perf_refusal_id	refusal;
	const char		*field;
	u16			since;
	u16			offset;
	u16			width;
	u64			sample_fields;
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

/* Check the rules that apply to all callers. Return 0, -EINVAL or -ENOSYS. */
static inline int perf_attr_check(const struct perf_event_attr *attr)
{
	return perf_attr_check_at(attr, PERF_ATTR_AT_COPY);
}

#endif /* _KERNEL_EVENTS_ATTR_H */
