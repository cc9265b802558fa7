// SPDX-License-Identifier: GPL-2.0
/*
 * struct perf_event_attr of a new event: copy from user space, defaults and checks.
 * attr_stages[] has the rules that apply to all callers, perf_attr_demands[] the settings that need
 * a privilege. Both are checked in order, and user space gets the first error.
 */
#include <linux/capability.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/perf_event.h>
#include <linux/security.h>
#include <linux/stddef.h>
#include <linux/time.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>

#include "attr.h"

/**
 * perf_attr_copy - copy a struct perf_event_attr from user space
 * @uattr: of any published size, or of a later kernel
 * @attr: gets the attribute, with zeroes beyond the size of @uattr, and with defaults
 *
 * A size of zero means the first published one. If the size is out of range, or a field unknown
 * to this kernel is not zero, this kernel's size is written to @uattr->size.
 *
 * Context: may sleep.
 * Return: 0 on success, -EFAULT, -E2BIG
 */
int perf_attr_copy(struct perf_event_attr __user *uattr, struct perf_event_attr *attr)
{
	int err = -E2BIG;
	u32 size;

	if (get_user(size, &uattr->size))
		return -EFAULT;
	if (!size)
		size = PERF_ATTR_SIZE_VER0;

	if (size >= PERF_ATTR_SIZE_VER0 && size <= PAGE_SIZE)
		err = copy_struct_from_user(attr, sizeof(*attr), uattr, size);
	if (err == -E2BIG) {
		put_user(sizeof(*attr), &uattr->size);	/* may fail */
		return perf_refuse_value(PERF_REFUSED_ATTR_SIZE, size);
	}
	if (err)
		return err;

	attr->size = size;
	perf_attr_complete(attr, min(READ_ONCE(sysctl_perf_event_max_stack), U16_MAX));
	return 0;
}

/**
 * perf_attr_complete - set the defaults of an attribute
 * @attr: the attribute
 * @max_stack: default depth of callchains
 *
 * If attr.branch_sample_type has no privilege level, it gets the levels that the event counts.
 */
void perf_attr_complete(struct perf_event_attr *attr, u16 max_stack)
{
	if (!attr->sample_max_stack)
		attr->sample_max_stack = max_stack;

	if (!(attr->sample_type & PERF_SAMPLE_BRANCH_STACK) ||
	    (attr->branch_sample_type & PERF_SAMPLE_BRANCH_PLM_ALL))
		return;
	if (!attr->exclude_user)
		attr->branch_sample_type |= PERF_SAMPLE_BRANCH_USER;
	if (!attr->exclude_kernel)
		attr->branch_sample_type |= PERF_SAMPLE_BRANCH_KERNEL;
	if (!attr->exclude_hv)
		attr->branch_sample_type |= PERF_SAMPLE_BRANCH_HV;
}

static bool perf_attr_samples(const struct perf_event_attr *attr, u64 field)
{
	return attr->sample_type & field;
}

static bool perf_attr_flags_known(const struct perf_event_attr *attr)
{
	return !attr->__reserved_1;
}

static bool perf_attr_reserved_2_zero(const struct perf_event_attr *attr)
{
	return !attr->__reserved_2;
}

static bool perf_attr_aux_action_known(const struct perf_event_attr *attr)
{
	return !attr->__reserved_3;
}

static bool perf_attr_sample_type_known(const struct perf_event_attr *attr)
{
	return attr->sample_type < PERF_SAMPLE_MAX;
}

static bool perf_attr_read_format_known(const struct perf_event_attr *attr)
{
	return attr->read_format < PERF_FORMAT_MAX;
}

static bool perf_attr_branch_type_known(const struct perf_event_attr *attr)
{
	return attr->branch_sample_type < PERF_SAMPLE_BRANCH_MAX;
}

static bool perf_attr_branch_type_given(const struct perf_event_attr *attr)
{
	return attr->branch_sample_type & ~(u64)PERF_SAMPLE_BRANCH_PLM_ALL;
}

static bool perf_attr_regs_user_exist(const struct perf_event_attr *attr)
{
	return !perf_reg_validate(attr->sample_regs_user);
}

static bool perf_attr_stack_user_possible(const struct perf_event_attr *attr)
{
	return IS_ENABLED(CONFIG_HAVE_PERF_USER_STACK_DUMP);
}

static bool perf_attr_stack_user_fits(const struct perf_event_attr *attr)
{
	return attr->sample_stack_user < U16_MAX;
}

static bool perf_attr_stack_user_aligned(const struct perf_event_attr *attr)
{
	return attr->sample_stack_user % sizeof(u64) == 0;
}

static bool perf_attr_regs_intr_exist(const struct perf_event_attr *attr)
{
	return !perf_reg_validate(attr->sample_regs_intr);
}

static bool perf_attr_cgroup_known(const struct perf_event_attr *attr)
{
	return IS_ENABLED(CONFIG_CGROUP_PERF);
}

static bool perf_attr_one_weight(const struct perf_event_attr *attr)
{
	return (attr->sample_type & PERF_SAMPLE_WEIGHT_TYPE) != PERF_SAMPLE_WEIGHT_TYPE;
}

static bool perf_attr_inherits_to_threads(const struct perf_event_attr *attr)
{
	return attr->inherit || !attr->inherit_thread;
}

static bool perf_attr_one_way_at_exec(const struct perf_event_attr *attr)
{
	return !attr->remove_on_exec || !attr->enable_on_exec;
}

static bool perf_attr_sigtrap_ends_at_exec(const struct perf_event_attr *attr)
{
	return attr->remove_on_exec || !attr->sigtrap;
}

static bool perf_attr_inherited_read_has_tid(const struct perf_event_attr *attr)
{
	return !attr->inherit || perf_attr_samples(attr, PERF_SAMPLE_TID);
}

/**
 * struct attr_clock - a clock for attr.clockid
 * @id: CLOCK_*
 * @nmi_safe: @read can be called in an NMI
 * @read: return the time of the clock in ns
 */
struct attr_clock {
	clockid_t	id;
	bool		nmi_safe;
	u64		(*read)(void);
};

static const struct attr_clock perf_attr_known_clocks[] = {
	{ CLOCK_MONOTONIC,	true,	ktime_get_mono_fast_ns },
	{ CLOCK_MONOTONIC_RAW,	true,	ktime_get_raw_fast_ns },
	{ CLOCK_REALTIME,	false,	ktime_get_real_ns },
	{ CLOCK_BOOTTIME,	false,	ktime_get_boottime_ns },
	{ CLOCK_TAI,		false,	ktime_get_clocktai_ns },
};

/* Return the record clock with that @id, or NULL. */
static const struct attr_clock *perf_attr_find_clock(clockid_t id)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(perf_attr_known_clocks); i++) {
		if (perf_attr_known_clocks[i].id == id)
			return &perf_attr_known_clocks[i];
	}
	return NULL;
}

static bool perf_attr_clock_known(const struct perf_event_attr *attr)
{
	return !attr->use_clockid || perf_attr_find_clock(attr->clockid);
}

#define RULE(id, f, ver, at, bytes, fn, ...)				\
	{ .refusal = PERF_REFUSED_##id, .field = #f, .since = PERF_ATTR_SIZE_##ver,	\
	  .offset = at, .width = bytes, .holds = fn, __VA_ARGS__ }
#define WORD(id, f, ver, fn, ...)					\
	RULE(id, f, ver, offsetof(struct perf_event_attr, f),		\
	     sizeof_field(struct perf_event_attr, f), fn, __VA_ARGS__)
/* Rules for single bits. The value reported with a refusal is the word that contains the bit. */
#define FLAG(id, f, fn, ...)						\
	RULE(id, f, VER0, offsetofend(struct perf_event_attr, read_format), sizeof(u64), fn, \
	     __VA_ARGS__)
#define AUX_ACTION(id, f, fn)						\
	RULE(id, f, VER6, offsetof(struct perf_event_attr, aux_action), sizeof(u32), fn)

static const struct perf_attr_rule perf_attr_rules_at_copy[] = {
	FLAG(ATTR_FLAGS, __reserved_1, perf_attr_flags_known),
	WORD(ATTR_RESERVED_2, __reserved_2, VER5, perf_attr_reserved_2_zero),
	AUX_ACTION(AUX_ACTION, __reserved_3, perf_attr_aux_action_known),
	WORD(SAMPLE_TYPE, sample_type, VER0, perf_attr_sample_type_known),
	WORD(READ_FORMAT, read_format, VER0, perf_attr_read_format_known),
	WORD(BRANCH_TYPE, branch_sample_type, VER2, perf_attr_branch_type_known,
	     .sample_fields = PERF_SAMPLE_BRANCH_STACK),
	WORD(BRANCH_TYPE_NONE, branch_sample_type, VER2, perf_attr_branch_type_given,
	     .sample_fields = PERF_SAMPLE_BRANCH_STACK),
	WORD(REGS_USER, sample_regs_user, VER3, perf_attr_regs_user_exist,
	     .sample_fields = PERF_SAMPLE_REGS_USER),
	WORD(STACK_USER_ARCH, sample_stack_user, VER3, perf_attr_stack_user_possible,
	     .sample_fields = PERF_SAMPLE_STACK_USER),
	WORD(STACK_USER_SIZE, sample_stack_user, VER3, perf_attr_stack_user_fits,
	     .sample_fields = PERF_SAMPLE_STACK_USER),
	WORD(STACK_USER_ALIGN, sample_stack_user, VER3, perf_attr_stack_user_aligned,
	     .sample_fields = PERF_SAMPLE_STACK_USER),
	WORD(REGS_INTR, sample_regs_intr, VER4, perf_attr_regs_intr_exist,
	     .sample_fields = PERF_SAMPLE_REGS_INTR),
	WORD(SAMPLE_CGROUP, sample_type, VER0, perf_attr_cgroup_known,
	     .sample_fields = PERF_SAMPLE_CGROUP),
	WORD(SAMPLE_WEIGHTS, sample_type, VER0, perf_attr_one_weight,
	     .sample_fields = PERF_SAMPLE_WEIGHT_TYPE),
	FLAG(INHERIT_THREAD, inherit_thread, perf_attr_inherits_to_threads),
	FLAG(REMOVE_ON_EXEC, remove_on_exec, perf_attr_one_way_at_exec),
	FLAG(SIGTRAP_EXEC, sigtrap, perf_attr_sigtrap_ends_at_exec),
};

/* Sampled counts of inherited events need PERF_SAMPLE_TID to identify the task. */
static const struct perf_attr_rule perf_attr_rules_at_alloc[] = {
	FLAG(INHERIT_READ, inherit, perf_attr_inherited_read_has_tid,
	     .sample_fields = PERF_SAMPLE_READ),
};

static const struct perf_attr_rule perf_attr_rules_at_pmu[] = {
	WORD(CLOCKID, clockid, VER3, perf_attr_clock_known),
};

static const struct {
	const struct perf_attr_rule *rules;
	unsigned int nr;
} attr_stages[] = {
	[PERF_ATTR_AT_COPY]	= { perf_attr_rules_at_copy, ARRAY_SIZE(perf_attr_rules_at_copy) },
	[PERF_ATTR_AT_ALLOC]	= { perf_attr_rules_at_alloc,
	ARRAY_SIZE(perf_attr_rules_at_alloc) },
	[PERF_ATTR_AT_PMU]	= { perf_attr_rules_at_pmu, ARRAY_SIZE(perf_attr_rules_at_pmu) },
};

static bool perf_attr_rule_holds(const struct perf_attr_rule *rule,
				 const struct perf_event_attr *attr)
{
	return (rule->sample_fields && !perf_attr_samples(attr, rule->sample_fields)) ||
	       rule->holds(attr);
}

/**
 * perf_attr_broken_rule - find the first rule that an attribute breaks
 * @attr: from perf_attr_copy()
 * @stage: rules to check
 *
 * Context: any.
 * Return: the first broken rule, or NULL
 */
const struct perf_attr_rule *
perf_attr_broken_rule(const struct perf_event_attr *attr, enum perf_attr_stage stage)
{
	const struct perf_attr_rule *rule = attr_stages[stage].rules;
	const struct perf_attr_rule *end = rule + attr_stages[stage].nr;

	for (; rule < end; rule++) {
		if (!perf_attr_rule_holds(rule, attr))
			return rule;
	}
	return NULL;
}

/* Get the value that @rule checks. */
static u64 perf_attr_value(const struct perf_event_attr *attr, const struct perf_attr_rule *rule)
{
	const void *at = (const void *)attr + rule->offset;

	switch (rule->width) {
	case sizeof(u16):
		return *(const u16 *)at;
	case sizeof(u32):
		return *(const u32 *)at;
	default:
		return *(const u64 *)at;
	}
}

/**
 * perf_attr_check_at - check an attribute against the rules of a stage
 * @attr: from perf_attr_copy()
 * @stage: rules to check
 *
 * Checks that depend on the PMU, the target or the group are in other places.
 *
 * Return: 0 on success, -EINVAL, -ENOSYS if the architecture lacks support
 */
int perf_attr_check_at(const struct perf_event_attr *attr, enum perf_attr_stage stage)
{
	const struct perf_attr_rule *broken = perf_attr_broken_rule(attr, stage);

	return broken ? perf_refuse_value(broken->refusal, perf_attr_value(attr, broken)) : 0;
}

/**
 * perf_attr_clock_is_nmi_safe - can the event's samples be written in an NMI?
 * @attr: accepted by perf_attr_check()
 *
 * Return: false if the event's record clock must not be read in an NMI
 */
bool perf_attr_clock_is_nmi_safe(const struct perf_event_attr *attr)
{
	const struct attr_clock *clock = perf_attr_find_clock(attr->clockid);

	return !attr->use_clockid || (clock && clock->nmi_safe);
}

/*
 * Get the function that reads the record clock of an attribute, in ns. Return NULL without
 * attr.use_clockid, or for a clock that PERF_ATTR_AT_PMU will refuse. (kernel-doc cannot
 * parse this prototype.)
 */
u64 (*perf_attr_clock(const struct perf_event_attr *attr))(void)
{
	const struct attr_clock *clock = perf_attr_find_clock(attr->clockid);

	return attr->use_clockid && clock ? clock->read : NULL;
}

static int perf_attr_allow_open(const struct perf_event_attr *attr)
{
	return perf_allow_open();
}

static int perf_attr_allow_branch_levels(const struct perf_event_attr *attr)
{
	if (perf_attr_samples(attr, PERF_SAMPLE_BRANCH_STACK) &&
	    (attr->branch_sample_type & (PERF_SAMPLE_BRANCH_KERNEL | PERF_SAMPLE_BRANCH_HV)))
		return perf_allow_kernel();
	return 0;
}

static int perf_attr_allow_kernel_events(const struct perf_event_attr *attr)
{
	return attr->exclude_kernel ? 0 : perf_allow_kernel();
}

static int perf_attr_allow_kernel_callchain(const struct perf_event_attr *attr)
{
	if (perf_attr_samples(attr, PERF_SAMPLE_CALLCHAIN) && !attr->exclude_callchain_kernel)
		return perf_allow_kernel();
	return 0;
}

static int perf_attr_allow_kernel_text(const struct perf_event_attr *attr)
{
	return attr->text_poke ? perf_allow_kernel() : 0;
}

static int perf_attr_allow_namespaces(const struct perf_event_attr *attr)
{
	return attr->namespaces && !perfmon_capable() ? -EACCES : 0;
}

static int perf_attr_allow_freq(const struct perf_event_attr *attr)
{
	int max = READ_ONCE(sysctl_perf_event_sample_rate);

	return attr->freq && attr->sample_freq > max ? -EINVAL : 0;
}

/* A period must fit a signed count. */
static int perf_attr_allow_period(const struct perf_event_attr *attr)
{
	return !attr->freq && (s64)attr->sample_period < 0 ? -EINVAL : 0;
}

static int perf_attr_allow_physical_addresses(const struct perf_event_attr *attr)
{
	return perf_attr_samples(attr, PERF_SAMPLE_PHYS_ADDR) ? perf_allow_kernel() : 0;
}

/* Kernel registers may contain secrets. */
static int perf_attr_allow_kernel_registers(const struct perf_event_attr *attr)
{
	if (!perf_attr_samples(attr, PERF_SAMPLE_REGS_INTR))
		return 0;
	return security_locked_down(LOCKDOWN_PERF);
}

/**
 * struct attr_demand - a setting that needs a privilege
 * @refusal: reason for an error
 * @allow: return 0 if @attr does not have the setting, or the caller may use it
 */
struct attr_demand {
	enum perf_refusal_id	refusal;
	int			(*allow)(const struct perf_event_attr *attr);
};

static const struct attr_demand perf_attr_demands[] = {
	{ PERF_REFUSED_PARANOID_OPEN, perf_attr_allow_open },
	{ PERF_REFUSED_BRANCHES_KERNEL, perf_attr_allow_branch_levels },
	{ PERF_REFUSED_KERNEL_EVENTS, perf_attr_allow_kernel_events },
	{ PERF_REFUSED_KERNEL_CALLCHAIN, perf_attr_allow_kernel_callchain },
	{ PERF_REFUSED_KERNEL_TEXT, perf_attr_allow_kernel_text },
	{ PERF_REFUSED_NAMESPACES, perf_attr_allow_namespaces },
	{ PERF_REFUSED_FREQ_LIMIT, perf_attr_allow_freq },
	{ PERF_REFUSED_PERIOD_RANGE, perf_attr_allow_period },
	{ PERF_REFUSED_PHYS_ADDR, perf_attr_allow_physical_addresses },
	{ PERF_REFUSED_KERNEL_REGS, perf_attr_allow_kernel_registers },
};

/**
 * perf_attr_permit - check the caller's privileges for an attribute
 * @attr: accepted by perf_attr_check()
 *
 * Check all rules that depend on privileges and limits, but not on the target. The right to a CPU
 * or another task is checked with the target.
 *
 * Context: may sleep (LSM).
 * Return: 0 on success, -EACCES without the privilege, -EPERM under lockdown, an LSM's error,
 * -EINVAL for a rate or period beyond its limit
 */
int perf_attr_permit(const struct perf_event_attr *attr)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(perf_attr_demands); i++) {
		int err = perf_attr_demands[i].allow(attr);

		if (err)
			return perf_refuse_error(perf_attr_demands[i].refusal, err);
	}
	return 0;
}

#if IS_ENABLED(CONFIG_PERF_EVENTS_KUNIT_TEST)
#include "tests/attr_test.c"
#endif
