// SPDX-License-Identifier: GPL-2.0
/* Unit tests of attr.c, included at its end: each field and each boundary of the attributes */
#include <kunit/test.h>
#include <linux/cred.h>
#include <linux/mman.h>
#include <linux/sizes.h>

/* All stages of the check, in order */
static int attr_test_check(const struct perf_event_attr *attr)
{
	return perf_attr_check(attr) ?: perf_attr_check_at(attr, PERF_ATTR_AT_ALLOC) ?:
	       perf_attr_check_at(attr, PERF_ATTR_AT_PMU);
}

/* Result of all stages for an attribute with only these fields */
#define CHECK_WITH(...)		attr_test_check(&(struct perf_event_attr){ __VA_ARGS__ })

static void rule_is_described(struct kunit *test, const struct perf_attr_rule *rule)
{
	/* For each field with a rule: its end, and the smallest structure size that includes it */
	static const struct {
		const char *field;
		size_t end;
		u16 since;
	} fields[] = {
#define FIELD(f, ver) { #f, offsetofend(struct perf_event_attr, f), PERF_ATTR_SIZE_##ver }
		FIELD(sample_type, VER0), FIELD(read_format, VER0),
		FIELD(branch_sample_type, VER2), FIELD(sample_regs_user, VER3),
		FIELD(sample_stack_user, VER3), FIELD(clockid, VER3),
		FIELD(sample_regs_intr, VER4), FIELD(__reserved_2, VER5),
#undef FIELD
	};
	unsigned int j;

	KUNIT_EXPECT_NOT_NULL(test, rule->field);
	KUNIT_EXPECT_LT(test, rule->refusal, PERF_REFUSALS);
	/* The text for user space names the same field. */
	KUNIT_EXPECT_STREQ(test, perf_refusal_rows[rule->refusal].field + strlen("attr."),
			   rule->field);
	KUNIT_EXPECT_GE(test, rule->since, PERF_ATTR_SIZE_VER0);
	KUNIT_EXPECT_LE(test, rule->since, sizeof(struct perf_event_attr));
	for (j = 0; j < ARRAY_SIZE(fields); j++) {
		if (strcmp(rule->field, fields[j].field))
			continue;
		KUNIT_EXPECT_EQ(test, rule->since, fields[j].since);
		KUNIT_EXPECT_LE(test, fields[j].end, rule->since);
		if (rule->since > PERF_ATTR_SIZE_VER0)
			KUNIT_EXPECT_GT(test, fields[j].end,
					rule->since == PERF_ATTR_SIZE_VER3 ?
					PERF_ATTR_SIZE_VER2 : rule->since - 8);
	}
}

static void attr_rules_are_described(struct kunit *test)
{
	unsigned int stage, i;

	for (stage = 0; stage < ARRAY_SIZE(attr_stages); stage++) {
		for (i = 0; i < attr_stages[stage].nr; i++)
			rule_is_described(test, &attr_stages[stage].rules[i]);
	}
}

static void attr_zero_is_valid(struct kunit *test)
{
	struct perf_event_attr attr = { };

	KUNIT_EXPECT_EQ(test, attr_test_check(&attr), 0);
	KUNIT_EXPECT_NULL(test, perf_attr_broken_rule(&attr, PERF_ATTR_AT_COPY));
}

static void attr_reserved(struct kunit *test)
{
	unsigned int bit;

	for (bit = 0; bit < 26; bit++)
		KUNIT_EXPECT_EQ(test, CHECK_WITH(.__reserved_1 = 1U << bit), -EINVAL);
	for (bit = 0; bit < 16; bit++)
		KUNIT_EXPECT_EQ(test, CHECK_WITH(.__reserved_2 = 1U << bit), -EINVAL);
	for (bit = 0; bit < 32; bit++)
		KUNIT_EXPECT_EQ(test, CHECK_WITH(.aux_action = 1U << bit),
				bit < 3 ? 0 : -EINVAL);
	KUNIT_EXPECT_STREQ(test, "__reserved_2",
			   perf_attr_broken_rule(&(struct perf_event_attr){
				.__reserved_2 = 1 }, PERF_ATTR_AT_COPY)->field);
}

/* Fields without a rule accept all values. */
static void attr_fields_without_rule(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, 0,
			CHECK_WITH(.type = ~0U, .size = ~0U, .config = ~0ULL,
				   .sample_period = ~0ULL, .wakeup_events = ~0U,
				   .bp_type = ~0U, .config1 = ~0ULL, .config2 = ~0ULL,
				   .config3 = ~0ULL, .sig_data = ~0ULL,
				   .branch_sample_type = ~0ULL, .sample_regs_user = ~0ULL,
				   .sample_stack_user = ~0U, .sample_regs_intr = ~0ULL,
				   .clockid = -1, .aux_watermark = ~0U,
				   .sample_max_stack = U16_MAX, .aux_sample_size = ~0U));
	KUNIT_EXPECT_EQ(test, 0,
			CHECK_WITH(.disabled = 1, .inherit = 1, .pinned = 1, .exclusive = 1,
				   .exclude_user = 1, .exclude_kernel = 1, .exclude_hv = 1,
				   .exclude_idle = 1, .mmap = 1, .comm = 1, .freq = 1,
				   .inherit_stat = 1, .task = 1, .watermark = 1,
				   .precise_ip = 3, .mmap_data = 1, .sample_id_all = 1,
				   .exclude_host = 1, .exclude_guest = 1,
				   .exclude_callchain_kernel = 1, .exclude_callchain_user = 1,
				   .mmap2 = 1, .comm_exec = 1, .context_switch = 1,
				   .write_backward = 1, .namespaces = 1, .ksymbol = 1,
				   .bpf_event = 1, .aux_output = 1, .cgroup = 1,
				   .text_poke = 1, .build_id = 1, .inherit_thread = 1,
				   .remove_on_exec = 1, .sigtrap = 1));
}

static void attr_sample_type(struct kunit *test)
{
	/* Bits of sample_type that are rejected or ignored without another field */
	u64 needy = PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_REGS_INTR;
	unsigned int bit;

	if (!IS_ENABLED(CONFIG_CGROUP_PERF))
		needy |= PERF_SAMPLE_CGROUP;
	for (bit = 0; bit < 64; bit++) {
		u64 type = BIT_ULL(bit);
		int want = type >= PERF_SAMPLE_MAX || (type & needy) ? -EINVAL : 0;

		if (type == PERF_SAMPLE_STACK_USER &&
		    !IS_ENABLED(CONFIG_HAVE_PERF_USER_STACK_DUMP))
			continue;
		KUNIT_EXPECT_EQ_MSG(test, CHECK_WITH(.sample_type = type), want, "bit %u", bit);
	}
	KUNIT_EXPECT_EQ(test, -EINVAL, CHECK_WITH(.sample_type = PERF_SAMPLE_WEIGHT_TYPE));
}

static void attr_read_format(struct kunit *test)
{
	unsigned int bit;
	u64 format;

	for (format = 0; format < PERF_FORMAT_MAX; format++)
		KUNIT_EXPECT_EQ(test, 0, CHECK_WITH(.read_format = format));
	for (bit = ilog2(PERF_FORMAT_MAX); bit < 64; bit++)
		KUNIT_EXPECT_EQ(test, -EINVAL, CHECK_WITH(.read_format = BIT_ULL(bit)));
}

static int check_branch(u64 filter)
{
	return CHECK_WITH(.sample_type = PERF_SAMPLE_BRANCH_STACK,
			  .branch_sample_type = filter);
}

static void attr_branch_type(struct kunit *test)
{
	unsigned int bit;

	for (bit = 0; bit < 64; bit++) {
		u64 filter = BIT_ULL(bit);
		bool level = filter & PERF_SAMPLE_BRANCH_PLM_ALL;

		KUNIT_EXPECT_EQ(test, check_branch(filter),
				level || filter >= PERF_SAMPLE_BRANCH_MAX ? -EINVAL : 0);
		KUNIT_EXPECT_EQ(test, check_branch(filter | PERF_SAMPLE_BRANCH_ANY),
				filter >= PERF_SAMPLE_BRANCH_MAX ? -EINVAL : 0);
	}
	KUNIT_EXPECT_EQ(test, check_branch(0), -EINVAL);
	KUNIT_EXPECT_EQ(test, check_branch(PERF_SAMPLE_BRANCH_PLM_ALL), -EINVAL);
	KUNIT_EXPECT_EQ(test, check_branch(PERF_SAMPLE_BRANCH_MAX - 1), 0);
}

static void attr_registers(struct kunit *test)
{
	unsigned int bit;

	if (!IS_ENABLED(CONFIG_HAVE_PERF_REGS))
		kunit_skip(test, "no registers on this architecture");

	for (bit = 0; bit < 64; bit++) {
		u64 mask = BIT_ULL(bit);
		int want = perf_reg_validate(mask);

		KUNIT_EXPECT_EQ(test, want, CHECK_WITH(.sample_type = PERF_SAMPLE_REGS_USER,
						       .sample_regs_user = mask));
		KUNIT_EXPECT_EQ(test, want, CHECK_WITH(.sample_type = PERF_SAMPLE_REGS_INTR,
						       .sample_regs_intr = mask));
	}
	KUNIT_EXPECT_EQ(test, 0, CHECK_WITH(.sample_type = PERF_SAMPLE_REGS_USER,
					    .sample_regs_user = 1));
	/* REGS_USER and REGS_INTR each need their own mask. */
	KUNIT_EXPECT_EQ(test, -EINVAL, CHECK_WITH(.sample_type = PERF_SAMPLE_REGS_USER,
						  .sample_regs_intr = 1));
	KUNIT_EXPECT_EQ(test, -EINVAL, CHECK_WITH(.sample_type = PERF_SAMPLE_REGS_INTR,
						  .sample_regs_user = 1));
}

static void attr_user_stack(struct kunit *test)
{
	static const struct {
		u32 size;
		int want;
	} cases[] = {
		{ 0, 0 }, { 1, -EINVAL }, { 4, -EINVAL }, { 7, -EINVAL }, { 8, 0 },
		{ 9, -EINVAL }, { 65520, 0 }, { 65527, -EINVAL }, { 65528, 0 },
		{ 65534, -EINVAL }, { 65535, -EINVAL }, { 65536, -EINVAL },
		{ 65544, -EINVAL }, { 0x80000000, -EINVAL }, { U32_MAX - 7, -EINVAL },
		{ U32_MAX, -EINVAL },
	};
	unsigned int i;

	if (!IS_ENABLED(CONFIG_HAVE_PERF_USER_STACK_DUMP)) {
		KUNIT_EXPECT_EQ(test, -ENOSYS,
				CHECK_WITH(.sample_type = PERF_SAMPLE_STACK_USER));
		return;
	}
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		KUNIT_EXPECT_EQ_MSG(test, cases[i].want,
				    CHECK_WITH(.sample_type = PERF_SAMPLE_STACK_USER,
					       .sample_stack_user = cases[i].size),
				    "size %u", cases[i].size);
	}
}

/* All combinations of flags and fields that require or exclude one another */
static void attr_pairs(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < 8; i++) {
		bool a = i & 1, b = i & 2, c = i & 4;
		u64 type = (b ? PERF_SAMPLE_READ : 0) | (c ? PERF_SAMPLE_TID : 0);

		KUNIT_EXPECT_EQ(test, !a && b ? -EINVAL : 0,
				CHECK_WITH(.inherit = a, .inherit_thread = b));
		KUNIT_EXPECT_EQ(test, (a && b) || (!a && c) ? -EINVAL : 0,
				CHECK_WITH(.remove_on_exec = a, .enable_on_exec = b,
					   .sigtrap = c));
		KUNIT_EXPECT_EQ(test, a && b && !c ? -EINVAL : 0,
				CHECK_WITH(.inherit = a, .sample_type = type));
		KUNIT_EXPECT_EQ(test, a && b && !c ? -EINVAL : 0,
				CHECK_WITH(.inherit = a, .sample_type = type,
					   .read_format = PERF_FORMAT_GROUP));
	}
}

static void attr_clocks(struct kunit *test)
{
	int id;

	for (id = -20; id < 40; id++) {
		struct perf_event_attr attr = { .clockid = id };
		bool fast = id == CLOCK_MONOTONIC || id == CLOCK_MONOTONIC_RAW;
		bool known = fast || id == CLOCK_REALTIME || id == CLOCK_BOOTTIME ||
			     id == CLOCK_TAI;

		KUNIT_EXPECT_EQ(test, attr_test_check(&attr), 0);
		KUNIT_EXPECT_TRUE(test, perf_attr_clock_is_nmi_safe(&attr));
		attr.use_clockid = 1;
		KUNIT_EXPECT_EQ_MSG(test, attr_test_check(&attr), known ? 0 : -EINVAL,
				    "clock %d", id);
		KUNIT_EXPECT_EQ(test, perf_attr_clock_is_nmi_safe(&attr), fast);
	}
}

/* If an attribute has several errors, the error of the earliest stage is returned. */
static void attr_in_stages(struct kunit *test)
{
	struct perf_event_attr attr = { .use_clockid = 1, .clockid = 1000 };

	KUNIT_EXPECT_EQ(test, perf_attr_check(&attr), 0);
	KUNIT_EXPECT_EQ(test, perf_attr_check_at(&attr, PERF_ATTR_AT_ALLOC), 0);
	KUNIT_EXPECT_EQ(test, perf_attr_check_at(&attr, PERF_ATTR_AT_PMU), -EINVAL);
	attr.inherit = 1;
	attr.sample_type = PERF_SAMPLE_READ;
	KUNIT_EXPECT_EQ(test, perf_attr_check(&attr), 0);
	KUNIT_EXPECT_EQ(test, perf_attr_check_at(&attr, PERF_ATTR_AT_ALLOC), -EINVAL);
}

static void attr_completed(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < 8; i++) {
		struct perf_event_attr attr = {
			.sample_type = PERF_SAMPLE_BRANCH_STACK,
			.branch_sample_type = PERF_SAMPLE_BRANCH_ANY,
			.exclude_user = !!(i & PERF_SAMPLE_BRANCH_USER),
			.exclude_kernel = !!(i & PERF_SAMPLE_BRANCH_KERNEL),
			.exclude_hv = !!(i & PERF_SAMPLE_BRANCH_HV),
		};

		perf_attr_complete(&attr, 127);
		KUNIT_EXPECT_EQ(test, attr.branch_sample_type,
				PERF_SAMPLE_BRANCH_ANY | (~i & PERF_SAMPLE_BRANCH_PLM_ALL));
		KUNIT_EXPECT_EQ(test, attr.sample_max_stack, 127);

		/* Privilege levels set in the attribute are unchanged. */
		attr.branch_sample_type = PERF_SAMPLE_BRANCH_HV;
		attr.sample_max_stack = 3;
		perf_attr_complete(&attr, 127);
		KUNIT_EXPECT_EQ(test, attr.branch_sample_type, PERF_SAMPLE_BRANCH_HV);
		KUNIT_EXPECT_EQ(test, attr.sample_max_stack, 3);

		attr.sample_type = 0;
		attr.branch_sample_type = 0;
		perf_attr_complete(&attr, 127);
		KUNIT_EXPECT_EQ(test, attr.branch_sample_type, 0);
	}
}

/*
 * The size to test after @size: each one up to 4 KiB, then the last ones of a larger page. Each
 * copy reads all bytes: with all sizes of a page of 64 KiB the tests would take half a minute.
 */
static u32 attr_next_size(u32 size)
{
	return size == SZ_4K ? max_t(u32, PAGE_SIZE - 8, SZ_4K + 1) : size + 1;
}

/* Copy of an attribute from user memory: two pages, with the attribute at their beginning */
static void attr_copied(struct kunit *test)
{
	const size_t full = sizeof(struct perf_event_attr);
	struct perf_event_attr __user *uattr;
	struct perf_event_attr in, attr;
	unsigned long addr;
	u32 size;

	addr = kunit_vm_mmap(test, NULL, 0, 2 * PAGE_SIZE, PROT_READ | PROT_WRITE,
			     MAP_ANONYMOUS | MAP_PRIVATE, 0);
	KUNIT_ASSERT_NE(test, addr, 0);
	KUNIT_ASSERT_LT(test, addr, (unsigned long)TASK_SIZE);
	uattr = (void __user *)addr;

	memset(&in, 0x5a, full);
	in.sample_type = 0;	/* perf_attr_copy() adds privilege levels to branch stacks */
	for (size = 0; size <= PAGE_SIZE + 8; size = attr_next_size(size)) {
		u32 used = size ?: PERF_ATTR_SIZE_VER0;
		u32 back;
		int err;

		in.size = size;
		KUNIT_ASSERT_EQ(test, copy_to_user(uattr, &in, full), 0);
		memset(&attr, 0xff, full);
		err = perf_attr_copy(uattr, &attr);
		KUNIT_ASSERT_EQ(test, get_user(back, &uattr->size), 0);

		if (used < PERF_ATTR_SIZE_VER0 || used > PAGE_SIZE) {
			KUNIT_EXPECT_EQ(test, err, -E2BIG);
			KUNIT_EXPECT_EQ(test, back, full);
			continue;
		}
		KUNIT_EXPECT_EQ_MSG(test, err, 0, "size %u", size);
		KUNIT_EXPECT_EQ(test, back, size);
		KUNIT_EXPECT_EQ(test, attr.size, used);
		attr.size = size;
		if (used <= offsetof(struct perf_event_attr, sample_max_stack)) {
			KUNIT_EXPECT_NE(test, attr.sample_max_stack, 0);
			attr.sample_max_stack = 0;
		}
		used = min_t(u32, used, full);
		KUNIT_EXPECT_MEMEQ(test, &attr, &in, used);
		KUNIT_EXPECT_NULL(test, memchr_inv((u8 *)&attr + used, 0, full - used));
	}
}

static void attr_copied_with_tail(struct kunit *test)
{
	const size_t full = sizeof(struct perf_event_attr);
	struct perf_event_attr __user *uattr;
	struct perf_event_attr attr;
	unsigned long addr;
	u8 __user *bytes;
	u32 at, back;

	addr = kunit_vm_mmap(test, NULL, 0, PAGE_SIZE, PROT_READ | PROT_WRITE,
			     MAP_ANONYMOUS | MAP_PRIVATE, 0);
	KUNIT_ASSERT_NE(test, addr, 0);
	KUNIT_ASSERT_LT(test, addr, (unsigned long)TASK_SIZE);
	uattr = (void __user *)addr;
	bytes = (u8 __user *)addr;

	for (at = full; at < PAGE_SIZE; at = attr_next_size(at)) {
		KUNIT_ASSERT_EQ(test, put_user(1, bytes + at), 0);

		/* The nonzero byte is the last one of the structure, then the first one after. */
		KUNIT_ASSERT_EQ(test, put_user(at + 1, &uattr->size), 0);
		KUNIT_EXPECT_EQ(test, perf_attr_copy(uattr, &attr), -E2BIG);
		KUNIT_ASSERT_EQ(test, get_user(back, &uattr->size), 0);
		KUNIT_EXPECT_EQ(test, back, full);
		KUNIT_ASSERT_EQ(test, put_user(at, &uattr->size), 0);
		KUNIT_EXPECT_EQ(test, perf_attr_copy(uattr, &attr), 0);

		KUNIT_ASSERT_EQ(test, put_user(0, bytes + at), 0);
	}

	/* First the attribute ends with the mapping, then it is beyond the mapping. */
	uattr = (void __user *)(addr + PAGE_SIZE - PERF_ATTR_SIZE_VER0);
	KUNIT_EXPECT_EQ(test, perf_attr_copy(uattr, &attr), 0);
	uattr = (void __user *)(addr + 2 * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, perf_attr_copy(uattr, &attr), -EFAULT);
}

static void attr_rates(struct kunit *test)
{
	u64 max = sysctl_perf_event_sample_rate;

	KUNIT_EXPECT_EQ(test, perf_attr_allow_freq(&(struct perf_event_attr){
			.freq = 1, .sample_freq = max }), 0);
	KUNIT_EXPECT_EQ(test, perf_attr_allow_freq(&(struct perf_event_attr){
			.freq = 1, .sample_freq = max + 1 }), -EINVAL);
	KUNIT_EXPECT_EQ(test, perf_attr_allow_freq(&(struct perf_event_attr){
			.freq = 1, .sample_freq = ~0ULL }), -EINVAL);
	KUNIT_EXPECT_EQ(test, perf_attr_allow_period(&(struct perf_event_attr){
			.sample_period = S64_MAX }), 0);
	KUNIT_EXPECT_EQ(test, perf_attr_allow_period(&(struct perf_event_attr){
			.sample_period = (u64)S64_MAX + 1 }), -EINVAL);
}

/**
 * struct permit_case - an attribute and the privilege it requires
 * @attr: the attribute
 * @level: the lowest perf_event_paranoid level that requires a privilege
 */
struct permit_case {
	struct perf_event_attr	attr;
	int			level;
};

#define PERMIT(lvl, ...)	{ .level = lvl, .attr = { .exclude_kernel = 1, __VA_ARGS__ } }
#define BRANCHES(f)		.sample_type = PERF_SAMPLE_BRANCH_STACK, .branch_sample_type = f

static const struct permit_case permit_cases[] = {
	{ .level = 2 },
	PERMIT(3),
	PERMIT(3, .exclude_user = 1, .exclude_hv = 1),
	PERMIT(3, BRANCHES(PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER)),
	PERMIT(2, BRANCHES(PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_KERNEL)),
	PERMIT(2, BRANCHES(PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_HV)),
	PERMIT(3, .branch_sample_type = PERF_SAMPLE_BRANCH_KERNEL),
	PERMIT(2, .sample_type = PERF_SAMPLE_CALLCHAIN),
	PERMIT(3, .sample_type = PERF_SAMPLE_CALLCHAIN, .exclude_callchain_kernel = 1),
	PERMIT(2, .sample_type = PERF_SAMPLE_PHYS_ADDR),
	PERMIT(2, .text_poke = 1),
	PERMIT(3, .ksymbol = 1, .bpf_event = 1),
	PERMIT(-1, .namespaces = 1),
	PERMIT(3, .sample_type = PERF_SAMPLE_REGS_INTR, .sample_regs_intr = 1),
};

static void permit_as(struct kunit *test, int cap, bool at_level_3)
{
	int was = sysctl_perf_event_paranoid, level;
	const struct cred *old;
	struct cred *cred;
	unsigned int i;

	cred = prepare_creds();
	KUNIT_ASSERT_NOT_NULL(test, cred);
	cap_clear(cred->cap_effective);
	if (cap >= 0)
		cap_raise(cred->cap_effective, cap);
	old = override_creds(cred);

	for (level = -1; level <= 3; level++) {
		sysctl_perf_event_paranoid = level;
		for (i = 0; i < ARRAY_SIZE(permit_cases); i++) {
			const struct permit_case *c = &permit_cases[i];
			bool ok = level < c->level || cap >= 0;

			if (level == 3)
				ok = at_level_3;
			KUNIT_EXPECT_EQ_MSG(test, perf_attr_permit(&c->attr),
					    ok ? 0 : -EACCES, "case %u, level %d", i, level);
		}
		KUNIT_EXPECT_EQ(test, perf_allow_kernel(), level < 2 || cap >= 0 ? 0 : -EACCES);
		KUNIT_EXPECT_EQ(test, perf_allow_cpu(), level < 1 || cap >= 0 ? 0 : -EACCES);
		KUNIT_EXPECT_EQ(test, perf_allow_tracepoint(),
				level < 0 || cap >= 0 ? 0 : -EPERM);
	}

	sysctl_perf_event_paranoid = was;
	revert_creds(old);
	put_cred(cred);
}

static void attr_permitted(struct kunit *test)
{
	permit_as(test, -1, false);
	permit_as(test, CAP_PERFMON, false);
	permit_as(test, CAP_SYS_ADMIN, true);
}

static struct kunit_case attr_test_cases[] = {
	KUNIT_CASE(attr_rules_are_described),
	KUNIT_CASE(attr_zero_is_valid),
	KUNIT_CASE(attr_reserved),
	KUNIT_CASE(attr_fields_without_rule),
	KUNIT_CASE(attr_sample_type),
	KUNIT_CASE(attr_read_format),
	KUNIT_CASE(attr_branch_type),
	KUNIT_CASE(attr_registers),
	KUNIT_CASE(attr_user_stack),
	KUNIT_CASE(attr_pairs),
	KUNIT_CASE(attr_clocks),
	KUNIT_CASE(attr_in_stages),
	KUNIT_CASE(attr_completed),
	KUNIT_CASE(attr_copied),
	KUNIT_CASE(attr_copied_with_tail),
	KUNIT_CASE(attr_rates),
	KUNIT_CASE(attr_permitted),
	{ }
};

static struct kunit_suite attr_test_suite = {
	.name		= "perf_attr",
	.test_cases	= attr_test_cases,
};

kunit_test_suite(attr_test_suite);
