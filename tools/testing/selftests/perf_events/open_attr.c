// SPDX-License-Identifier: GPL-2.0
/*
 * perf_event_open(2): the values of single attribute fields.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_lib.h"

static int try_self(struct perf_event_attr *attr)
{
	return pe_try(attr, 0, -1, -1, 0);
}

FIXTURE(attr) {
	struct perf_event_attr a;
};

FIXTURE_SETUP(attr)
{
	self->a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
}

FIXTURE_TEARDOWN(attr)
{
}

TEST_F(attr, every_software_event)
{
	__u64 config;

	for (config = 0; config < PERF_COUNT_SW_MAX; config++) {
		self->a.config = config;
		EXPECT_EQ(0, try_self(&self->a)) {
			TH_LOG("config %llu", (unsigned long long)config);
		}
	}
}

TEST_F(attr, bad_config)
{
	static const __u64 bad[] = {
		PERF_COUNT_SW_MAX, PERF_COUNT_SW_MAX + 1, 64, 1ULL << 31,
		1ULL << 32, (1ULL << 32) | PERF_COUNT_SW_PAGE_FAULTS, 1ULL << 63, ~0ULL,
	};
	unsigned int i;

	for (i = 0; i < PE_ARRAY_SIZE(bad); i++) {
		self->a.config = bad[i];
		EXPECT_EQ(-ENOENT, try_self(&self->a)) {
			TH_LOG("config %#llx", (unsigned long long)bad[i]);
		}
	}
}

TEST_F(attr, bad_type)
{
	static const __u32 bad[] = { 4000, 1U << 20, 1U << 31, UINT32_MAX };
	unsigned int i;

	for (i = 0; i < PE_ARRAY_SIZE(bad); i++) {
		self->a.type = bad[i];
		EXPECT_EQ(-ENOENT, try_self(&self->a));
	}
}

/*
 * Clock events have types of their own, the first ones that are not reserved.
 */
TEST_F(attr, types_of_clocks)
{
	__u32 type;
	__u64 config;

	for (type = PERF_TYPE_MAX; type < PERF_TYPE_MAX + 2; type++) {
		for (config = 0; config < PERF_COUNT_SW_MAX; config++) {
			self->a.type = type;
			self->a.config = config;
			EXPECT_EQ(config == type - PERF_TYPE_MAX ? 0 : -ENOENT,
				  try_self(&self->a))
				TH_LOG("type %u, config %llu", type, (unsigned long long)config);
		}
		self->a.config = type - PERF_TYPE_MAX;
		self->a.sample_period = 1000000;
		EXPECT_EQ(0, try_self(&self->a));
		self->a.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
		self->a.sample_type = PERF_SAMPLE_BRANCH_STACK;
		EXPECT_EQ(-EOPNOTSUPP, try_self(&self->a));
		self->a = pe_attr(0);
	}
}

TEST_F(attr, clock_of_its_own_type_counts)
{
	__u32 type;
	int fd;

	for (type = PERF_TYPE_MAX; type < PERF_TYPE_MAX + 2; type++) {
		self->a.type = type;
		self->a.config = type - PERF_TYPE_MAX;
		fd = pe_self(&self->a);
		ASSERT_LE(0, fd);
		pe_spin(1000);
		EXPECT_LT(0, pe_count(fd));
		close(fd);
	}
}

/* The upper half of config names one of several PMUs. A number without a PMU is ignored. */
TEST_F(attr, extended_type_of_no_pmu)
{
	static const __u64 configs[] = {
		PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_MAX, 0xffff,
	};
	unsigned int i, known = 0;
	int plain;

	for (i = 0; i < 2 * PE_ARRAY_SIZE(configs); i++) {
		self->a.type = i & 1 ? PERF_TYPE_HW_CACHE : PERF_TYPE_HARDWARE;
		self->a.config = configs[i / 2];
		plain = try_self(&self->a);
		known += !plain;
		self->a.config |= 0xdeadULL << 32;
		EXPECT_EQ(plain, try_self(&self->a));
		self->a.config |= ~0ULL << 32;
		EXPECT_EQ(plain, try_self(&self->a));
		/* The named PMU exists, but does not have this event. */
		self->a.config = (__u64)PERF_TYPE_SOFTWARE << 32 | configs[i / 2];
		EXPECT_EQ(-ENOENT, try_self(&self->a));
	}
	if (!known)
		SKIP(return, "no hardware counters: all of these events are refused");
}

TEST_F(attr, other_configs_are_ignored)
{
	self->a.config1 = ~0ULL;
	self->a.config2 = ~0ULL;
	self->a.config3 = ~0ULL;
	self->a.bp_type = ~0U;
	self->a.sig_data = ~0ULL;
	EXPECT_EQ(0, try_self(&self->a));
}

TEST_F(attr, reserved)
{
	unsigned char *bytes = (unsigned char *)&self->a;
	size_t flags = offsetof(struct perf_event_attr, read_format) + 8;
	unsigned int bit;

	/* The 26 highest of the 64 flag bits are reserved. */
	for (bit = 38; bit < 64; bit++) {
		bytes[flags + bit / 8] = 1 << bit % 8;
		EXPECT_EQ(-EINVAL, try_self(&self->a)) {
			TH_LOG("flag %u", bit);
		}
		bytes[flags + bit / 8] = 0;
	}
	for (bit = 0; bit < 16; bit++) {
		self->a.__reserved_2 = 1 << bit;
		EXPECT_EQ(-EINVAL, try_self(&self->a));
		self->a.__reserved_2 = 0;
	}
	for (bit = 3; bit < 32; bit++) {
		self->a.aux_action = 1U << bit;
		EXPECT_EQ(-EINVAL, try_self(&self->a));
		self->a.aux_action = 0;
	}
	/* An overflow cannot pause and resume. This error precedes the lack of an AUX area. */
	self->a.aux_start_paused = 1;
	self->a.aux_pause = 1;
	self->a.aux_resume = 1;
	EXPECT_EQ(-EINVAL, try_self(&self->a));
	self->a.aux_action = 0;
	EXPECT_EQ(0, try_self(&self->a));
}

TEST_F(attr, read_format)
{
	__u64 format;
	unsigned int bit;

	for (format = 0; format < PERF_FORMAT_MAX; format++) {
		self->a.read_format = format;
		EXPECT_EQ(0, try_self(&self->a));
	}
	for (bit = 5; bit < 64; bit++) {
		self->a.read_format = 1ULL << bit;
		EXPECT_EQ(-EINVAL, try_self(&self->a)) {
			TH_LOG("bit %u", bit);
		}
	}
}

TEST_F(attr, sample_type_reserved)
{
	unsigned int bit;

	for (bit = 25; bit < 64; bit++) {
		self->a.sample_type = 1ULL << bit;
		EXPECT_EQ(-EINVAL, try_self(&self->a)) {
			TH_LOG("bit %u", bit);
		}
	}
}

TEST_F(attr, sample_type_alone)
{
	/* Bits of sample_type that need no other field. */
	static const __u64 plain[] = {
		PERF_SAMPLE_IP, PERF_SAMPLE_TID, PERF_SAMPLE_TIME,
		PERF_SAMPLE_ADDR, PERF_SAMPLE_READ, PERF_SAMPLE_CALLCHAIN,
		PERF_SAMPLE_ID, PERF_SAMPLE_CPU, PERF_SAMPLE_PERIOD,
		PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_RAW, PERF_SAMPLE_WEIGHT,
		PERF_SAMPLE_DATA_SRC, PERF_SAMPLE_IDENTIFIER,
		PERF_SAMPLE_TRANSACTION, PERF_SAMPLE_PHYS_ADDR,
		PERF_SAMPLE_DATA_PAGE_SIZE, PERF_SAMPLE_CODE_PAGE_SIZE,
		PERF_SAMPLE_WEIGHT_STRUCT,
	};
	unsigned int i;

	for (i = 0; i < PE_ARRAY_SIZE(plain); i++) {
		self->a.sample_type = plain[i];
		self->a.sample_period = 0;
		EXPECT_EQ(0, try_self(&self->a)) {
			TH_LOG("counting, %#llx", (unsigned long long)plain[i]);
		}
		self->a.sample_period = 1000;
		EXPECT_EQ(0, try_self(&self->a)) {
			TH_LOG("sampling, %#llx", (unsigned long long)plain[i]);
		}
	}
}

TEST_F(attr, two_weights)
{
	self->a.sample_type = PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT;
	EXPECT_EQ(-EINVAL, try_self(&self->a));
}

TEST_F(attr, branch_stack)
{
	unsigned int bit;

	/* The mask is checked only with its bit in sample_type. */
	self->a.branch_sample_type = ~0ULL;
	EXPECT_EQ(0, try_self(&self->a));

	self->a.sample_type = PERF_SAMPLE_BRANCH_STACK;
	self->a.sample_period = 1000;
	self->a.exclude_kernel = 1;
	for (bit = PERF_SAMPLE_BRANCH_MAX_SHIFT; bit < 64; bit++) {
		self->a.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | 1ULL << bit;
		EXPECT_EQ(-EINVAL, try_self(&self->a));
	}

	/*
	 * The mask needs at least one kind of branch besides privilege levels.
	 */
	self->a.branch_sample_type = 0;
	EXPECT_EQ(-EINVAL, try_self(&self->a));
	self->a.branch_sample_type = PERF_SAMPLE_BRANCH_PLM_ALL;
	EXPECT_EQ(-EINVAL, try_self(&self->a));

	/* No software event has branches. */
	self->a.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
	EXPECT_EQ(-EOPNOTSUPP, try_self(&self->a));
}

TEST_F(attr, registers)
{
	/* Each architecture has register 0. An empty mask requests no register, and is refused. */
	self->a.sample_type = PERF_SAMPLE_REGS_USER;
	EXPECT_EQ(-EINVAL, try_self(&self->a));
	self->a.sample_regs_user = 1;
	EXPECT_EQ(0, try_self(&self->a));
	self->a.sample_regs_user = ~0ULL;
	EXPECT_EQ(-EINVAL, try_self(&self->a));

	self->a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	self->a.sample_type = PERF_SAMPLE_REGS_INTR;
	EXPECT_EQ(-EINVAL, try_self(&self->a));
	self->a.sample_regs_intr = 1;
	EXPECT_EQ(0, try_self(&self->a));
	self->a.sample_regs_intr = ~0ULL;
	EXPECT_EQ(-EINVAL, try_self(&self->a));

	/* Without the bit in sample_type any mask passes. */
	self->a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	self->a.sample_regs_user = 0xf00000;
	self->a.sample_regs_intr = 0xf00000;
	EXPECT_EQ(0, try_self(&self->a));
}

#if defined(__x86_64__) || defined(__i386)
TEST_F(attr, registers_x86)
{
	unsigned int bit;

	for (bit = 0; bit < 32; bit++) {
		/*
		 * Segment registers other than CS and SS are refused, and so is everything beyond
		 * R15, or GS on 32 bits.
		 */
		int want = (bit >= 12 && bit <= 15) || bit >= 24 ? -EINVAL : 0;

		if (sizeof(long) == 4 && !pe_compat())
			want = bit >= 16 ? -EINVAL : 0;

		self->a.sample_type = PERF_SAMPLE_REGS_USER;
		self->a.sample_regs_user = 1ULL << bit;
		EXPECT_EQ(want, try_self(&self->a)) {
			TH_LOG("user, bit %u", bit);
		}
		self->a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
		self->a.sample_type = PERF_SAMPLE_REGS_INTR;
		self->a.sample_regs_intr = 1ULL << bit;
		EXPECT_EQ(want, try_self(&self->a)) {
			TH_LOG("interrupt, bit %u", bit);
		}
		self->a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	}

	/* No software event has vector registers, whether the mask is used or not. */
	for (bit = 32; bit < 64; bit++) {
		self->a.sample_regs_user = 1ULL << bit;
		EXPECT_EQ(-EOPNOTSUPP, try_self(&self->a));
		self->a.sample_regs_user = 0;
		self->a.sample_regs_intr = 1ULL << bit;
		EXPECT_EQ(-EOPNOTSUPP, try_self(&self->a));
		self->a.sample_regs_intr = 0;
	}
}
#endif

TEST_F(attr, user_stack)
{
	static const struct {
		__u32 size;
		int want;
	} cases[] = {
		{ 8, 0 }, { 1024, 0 }, { 65528, 0 }, { 65527, -EINVAL },
		{ 4, -EINVAL }, { 12, -EINVAL }, { 65536, -EINVAL },
		{ 32768, 0 }, { UINT32_MAX, -EINVAL }, { UINT32_MAX - 7, -EINVAL },
	};
	unsigned int i;

	self->a.sample_stack_user = 12;
	EXPECT_EQ(0, try_self(&self->a));

	self->a.sample_type = PERF_SAMPLE_STACK_USER;
	for (i = 0; i < PE_ARRAY_SIZE(cases); i++) {
		self->a.sample_stack_user = cases[i].size;
		EXPECT_EQ(cases[i].want, try_self(&self->a)) {
			TH_LOG("size %u", cases[i].size);
		}
	}
}

TEST_F(attr, user_stack_of_size_zero)
{
	self->a.sample_type = PERF_SAMPLE_STACK_USER;
	self->a.sample_stack_user = 0;
	EXPECT_EQ(0, try_self(&self->a));
}

TEST_F(attr, cgroup_id)
{
	if (!pe_has_cgroups())
		SKIP(return, "no cgroups");
	self->a.sample_type = PERF_SAMPLE_CGROUP;
	EXPECT_EQ(0, try_self(&self->a));
	self->a.sample_type = 0;
	self->a.cgroup = 1;
	EXPECT_EQ(0, try_self(&self->a));
}

TEST_F(attr, aux)
{
	self->a.sample_type = PERF_SAMPLE_AUX;
	self->a.aux_sample_size = 4096;
	self->a.sample_period = 1000;
	EXPECT_EQ(-EINVAL, try_self(&self->a)) {
		TH_LOG("an AUX sample needs a group with an AUX event");
	}
}

TEST_HARNESS_MAIN
