// SPDX-License-Identifier: GPL-2.0
/*
 * PEBS records, valid and malformed.
 */
#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/prandom.h>
#include <linux/string.h>

#include "../engine.h"

/* Words of the longest record, with all groups and all branches */
#define RECORD_WORDS	(4 + 4 + 18 + 32 + 3 * X86_BRANCHES_MAX)

#define USER_IP		0x401000ULL
#define NEXT_IP		0x401004ULL
#define KERNEL_IP	0xffffffff81000000ULL
#define ADDRESS		0x7f0000001000ULL
#define KERNEL_ADDRESS	0xfffffe0000001000ULL
#define TSC		123456789ULL

/* Every group of an adaptive record, and eight branches */
#define ALL_GROUPS	(X86_GROUP_MEMORY | X86_GROUP_REGISTERS | X86_GROUP_XMM |	\
			 X86_GROUP_BRANCHES | 7ULL << X86_GROUP_BRANCHES_SHIFT)
#define ALL_WORDS	(4 + 4 + 18 + 32 + 3 * 8)

/**
 * struct precise_env - a record, and the data for its conversion
 * @core: the core type
 * @cpu: the CPU
 * @event: the event
 * @words: the record, at the end of its memory
 * @regs: registers of the interrupt
 * @at: registers of the sample
 * @data: the sample
 */
struct precise_env {
	struct x86_core		core;
	struct x86_pmu_cpu	cpu;
	struct perf_event	event;
	u64			words[RECORD_WORDS];
	struct pt_regs		regs;
	struct x86_perf_regs	at;
	struct perf_sample_data	data;
};

static int precise_test_init(struct kunit *test)
{
	struct precise_env *env = kunit_kzalloc(test, sizeof(*env), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, env);
	env->cpu.core = &env->core;
	env->core.precise.format = 4;
	env->core.precise.adaptive = true;
	env->event.attr.precise_ip = 2;
	env->event.attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_ADDR | PERF_SAMPLE_WEIGHT |
				      PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_REGS_INTR;
	env->event.hw.flags = X86_PRECISE_LATENCY;
	test->priv = env;
	return 0;
}

/* Write an adaptive record in user mode with @groups, and with @size in its header. */
static void precise_write(struct precise_env *env, u64 groups, u64 size)
{
	u64 *words = env->words;
	int i;

	for (i = 0; i < RECORD_WORDS; i++)
		words[i] = 0x1000 + i;
	words[0] = groups | size << 48;
	words[1] = USER_IP;
	words[2] = BIT_ULL(1);
	words[3] = TSC;
	words[4] = ADDRESS;
	words[5] = 0x1;
	words[6] = 77;
	words[8 + 1] = NEXT_IP;
}

/* Convert the first @bytes. Returns false without a record or sample. */
static bool precise_read(struct precise_env *env, size_t bytes)
{
	struct x86_record record;

	env->data.sample_flags = 0;
	if (!x86_record_next(&env->core.precise, env->words, (void *)env->words + bytes, &record))
		return false;
	return x86_record_sample(&env->cpu, &env->event, &record, &env->regs, &env->data,
				 &env->at);
}

static void precise_groups(struct kunit *test)
{
	struct precise_env *env = test->priv;

	precise_write(env, ALL_GROUPS, ALL_WORDS * 8);
	KUNIT_ASSERT_TRUE(test, precise_read(env, ALL_WORDS * 8));
	KUNIT_EXPECT_EQ(test, env->at.regs.ip, USER_IP);
	KUNIT_EXPECT_TRUE(test, env->at.regs.flags & PERF_EFLAGS_EXACT);
	KUNIT_EXPECT_EQ(test, env->data.addr, ADDRESS);
	KUNIT_EXPECT_EQ(test, env->data.weight.full, 77);
	KUNIT_EXPECT_EQ(test, (u64)env->data.data_src.mem_op, PERF_MEM_OP_LOAD);
	KUNIT_EXPECT_EQ(test, (u64)env->data.data_src.mem_lvl,
			PERF_MEM_LVL_HIT | PERF_MEM_LVL_L1);
	KUNIT_EXPECT_EQ(test, env->at.regs.ax, 0x1000 + 8 + 2);
	KUNIT_EXPECT_EQ(test, env->at.regs.cx, 0x1000 + 8 + 3);
	KUNIT_EXPECT_EQ(test, env->at.regs.sp, 0x1000 + 8 + 6);
	KUNIT_EXPECT_EQ(test, env->at.regs.di, 0x1000 + 8 + 9);
	KUNIT_EXPECT_PTR_EQ(test, env->at.xmm_regs, &env->words[26]);
	/* Level 1 reports the address after the instruction. */
	env->event.attr.precise_ip = 1;
	KUNIT_ASSERT_TRUE(test, precise_read(env, ALL_WORDS * 8));
	KUNIT_EXPECT_EQ(test, env->at.regs.ip, NEXT_IP);
	KUNIT_EXPECT_FALSE(test, env->at.regs.flags & PERF_EFLAGS_EXACT);
}

/* Format 3 has no groups, and another order of registers. */
static void precise_fixed(struct kunit *test)
{
	struct precise_env *env = test->priv;
	int i;

	env->core.precise = (struct x86_precise){ .format = 3, .size = 25 * 8 };
	for (i = 0; i < RECORD_WORDS; i++)
		env->words[i] = 0x1000 + i;
	env->words[1] = NEXT_IP;
	env->words[19] = ADDRESS;
	env->words[20] = 0xa;
	env->words[21] = 255;
	env->words[22] = USER_IP;
	KUNIT_ASSERT_FALSE(test, precise_read(env, 24 * 8));
	KUNIT_ASSERT_TRUE(test, precise_read(env, 25 * 8));
	KUNIT_EXPECT_EQ(test, env->at.regs.ip, USER_IP);
	KUNIT_EXPECT_EQ(test, env->at.regs.bx, 0x1003);
	KUNIT_EXPECT_EQ(test, env->at.regs.cx, 0x1004);
	KUNIT_EXPECT_EQ(test, env->at.regs.sp, 0x1009);
	KUNIT_EXPECT_EQ(test, env->data.addr, ADDRESS);
	KUNIT_EXPECT_EQ(test, env->data.weight.full, 255);
	KUNIT_EXPECT_TRUE(test, env->data.data_src.mem_lvl & PERF_MEM_LVL_LOC_RAM);
	/* Without load latency, the weight is the length of a transaction. */
	env->event.hw.flags = X86_PRECISE_STORE;
	env->words[23] = 42;
	KUNIT_ASSERT_TRUE(test, precise_read(env, 25 * 8));
	KUNIT_EXPECT_EQ(test, env->data.weight.full, 42);
}

/* A size that is invalid, or beyond the end, ends the buffer. */
static void precise_sizes(struct kunit *test)
{
	static const u64 wrong[] = { 0, 8, 31, 33, ALL_WORDS * 8 + 8, 0xffff };
	struct precise_env *env = test->priv;
	int i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		precise_write(env, ALL_GROUPS, wrong[i]);
		KUNIT_EXPECT_FALSE_MSG(test, precise_read(env, ALL_WORDS * 8), "size %llu",
				       wrong[i]);
	}
	precise_write(env, ALL_GROUPS, 32);
	KUNIT_EXPECT_FALSE(test, precise_read(env, 0));
	KUNIT_EXPECT_FALSE(test, precise_read(env, 31));
}

/* Groups beyond the end of the record are ignored. */
static void precise_groups_out_of_record(struct kunit *test)
{
	struct precise_env *env = test->priv;

	env->at.xmm_regs = env->words;
	precise_write(env, ALL_GROUPS, 4 * 8);
	KUNIT_ASSERT_TRUE(test, precise_read(env, ALL_WORDS * 8));
	KUNIT_EXPECT_EQ(test, env->data.sample_flags & (PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC),
			0);
	KUNIT_EXPECT_NULL(test, env->at.xmm_regs);
	KUNIT_EXPECT_EQ(test, env->at.regs.ip, USER_IP);
	precise_write(env, ALL_GROUPS, (4 + 4 + 17) * 8);
	KUNIT_ASSERT_TRUE(test, precise_read(env, ALL_WORDS * 8));
	KUNIT_EXPECT_EQ(test, env->data.addr, ADDRESS);
	KUNIT_EXPECT_EQ(test, env->at.regs.ax, 0);
	KUNIT_EXPECT_NULL(test, env->at.xmm_regs);
}

/* A sample in a mode that the event excludes is dropped. */
static void precise_modes(struct kunit *test)
{
	struct precise_env *env = test->priv;

	precise_write(env, 0, 4 * 8);
	env->event.attr.exclude_user = 1;
	KUNIT_EXPECT_FALSE(test, precise_read(env, 4 * 8));
	env->event.attr.exclude_user = 0;
	env->event.attr.exclude_kernel = 1;
	KUNIT_EXPECT_TRUE(test, precise_read(env, 4 * 8));
	env->words[1] = KERNEL_IP;
	KUNIT_EXPECT_FALSE(test, precise_read(env, 4 * 8));
	env->event.attr.exclude_kernel = 0;
	KUNIT_EXPECT_TRUE(test, precise_read(env, 4 * 8));
}

/* An instruction in user mode may access memory of the kernel, which the event excludes. */
static void precise_kernel_address(struct kunit *test)
{
	struct precise_env *env = test->priv;

	precise_write(env, ALL_GROUPS, ALL_WORDS * 8);
	env->words[4] = KERNEL_ADDRESS;
	KUNIT_ASSERT_TRUE(test, precise_read(env, ALL_WORDS * 8));
	KUNIT_EXPECT_EQ(test, env->data.addr, KERNEL_ADDRESS);

	env->data.addr = 0;
	env->event.attr.exclude_kernel = 1;
	KUNIT_ASSERT_TRUE(test, precise_read(env, ALL_WORDS * 8));
	KUNIT_EXPECT_EQ(test, env->data.addr, 0);
	KUNIT_EXPECT_EQ(test, env->data.sample_flags & PERF_SAMPLE_ADDR, 0);
	KUNIT_EXPECT_EQ(test, env->data.weight.full, 77);

	env->words[4] = ADDRESS;
	KUNIT_ASSERT_TRUE(test, precise_read(env, ALL_WORDS * 8));
	KUNIT_EXPECT_EQ(test, env->data.addr, ADDRESS);
}

/* A record of user space, with its interrupt in the kernel: no sample has kernel registers. */
static void precise_kernel_registers(struct kunit *test)
{
	struct precise_env *env = test->priv;

	env->event.attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_REGS_USER;
	memset(&env->regs, 0x5a, sizeof(env->regs));
	env->regs.cs = __KERNEL_CS;
	precise_write(env, ALL_GROUPS, ALL_WORDS * 8);
	KUNIT_ASSERT_TRUE(test, precise_read(env, ALL_WORDS * 8));
	KUNIT_EXPECT_EQ(test, env->at.regs.ip, USER_IP);
	KUNIT_EXPECT_TRUE(test, user_mode(&env->at.regs));
	KUNIT_EXPECT_NE(test, env->at.regs.sp, env->regs.sp);
	KUNIT_EXPECT_NE(test, env->at.regs.bx, env->regs.bx);
	KUNIT_EXPECT_NE(test, env->at.regs.r15, env->regs.r15);

	/* A sample in the kernel has the registers of the interrupt. */
	env->words[1] = KERNEL_ADDRESS;
	env->words[8 + 1] = KERNEL_ADDRESS;
	KUNIT_ASSERT_TRUE(test, precise_read(env, ALL_WORDS * 8));
	KUNIT_EXPECT_FALSE(test, user_mode(&env->at.regs));
	KUNIT_EXPECT_EQ(test, env->at.regs.bx, env->regs.bx);
}

/*
 * An instruction of user space enters the kernel, as INT does. If the event excludes the kernel,
 * the sample does not have the registers after the instruction.
 */
static void precise_registers_of_entry(struct kunit *test)
{
	struct precise_env *env = test->priv;

	memset(&env->regs, 0x5a, sizeof(env->regs));
	env->regs.cs = __USER_CS;
	precise_write(env, ALL_GROUPS, ALL_WORDS * 8);
	env->words[8 + 1] = KERNEL_IP;
	env->words[8 + 6] = KERNEL_ADDRESS;
	KUNIT_ASSERT_TRUE(test, precise_read(env, ALL_WORDS * 8));
	KUNIT_EXPECT_EQ(test, env->at.regs.sp, (unsigned long)KERNEL_ADDRESS);

	env->event.attr.exclude_kernel = 1;
	KUNIT_ASSERT_TRUE(test, precise_read(env, ALL_WORDS * 8));
	KUNIT_EXPECT_EQ(test, (u64)env->at.regs.ip, USER_IP);
	KUNIT_EXPECT_EQ(test, env->at.regs.sp, env->regs.sp);

	/* Records of format 3 have no groups, and must not have kernel registers, either. */
	env->core.precise = (struct x86_precise){ .format = 3, .size = 25 * 8 };
	env->words[1] = KERNEL_IP;
	env->words[9] = KERNEL_ADDRESS;
	env->words[22] = USER_IP;
	KUNIT_ASSERT_TRUE(test, precise_read(env, 25 * 8));
	KUNIT_EXPECT_EQ(test, (u64)env->at.regs.ip, USER_IP);
	KUNIT_EXPECT_EQ(test, env->at.regs.sp, env->regs.sp);
}

/* Random words that fill their allocation: KASAN detects reads beyond it. */
static void precise_random(struct kunit *test)
{
	struct precise_env *env = test->priv;
	struct rnd_state random;
	int i;

	prandom_seed_state(&random, 1);
	for (i = 0; i < 3000; i++) {
		unsigned int left = prandom_u32_state(&random) % (RECORD_WORDS * 8 + 1);
		u64 *words = kmalloc(max(left, 8U), GFP_KERNEL);
		struct x86_record record;

		KUNIT_ASSERT_NOT_NULL(test, words);
		prandom_bytes_state(&random, words, left);
		if (left >= 8)
			words[0] = (words[0] & GENMASK_ULL(31, 0)) |
				   (u64)(prandom_u32_state(&random) % (left + 16)) << 48;
		if (x86_record_next(&env->core.precise, words, (void *)words + left, &record)) {
			KUNIT_EXPECT_LE(test, record.size, left);
			env->data.sample_flags = 0;
			x86_record_sample(&env->cpu, &env->event, &record, &env->regs,
					  &env->data, &env->at);
		}
		kfree(words);
	}
}

static struct kunit_case precise_test_cases[] = {
	KUNIT_CASE(precise_groups),
	KUNIT_CASE(precise_fixed),
	KUNIT_CASE(precise_sizes),
	KUNIT_CASE(precise_groups_out_of_record),
	KUNIT_CASE(precise_modes),
	KUNIT_CASE(precise_kernel_address),
	KUNIT_CASE(precise_kernel_registers),
	KUNIT_CASE(precise_registers_of_entry),
	KUNIT_CASE(precise_random),
	{ }
};

static struct kunit_suite precise_test_suite = {
	.name		= "x86_precise",
	.init		= precise_test_init,
	.test_cases	= precise_test_cases,
};

kunit_test_suite(precise_test_suite);

MODULE_DESCRIPTION("Unit tests of records of precise events");
MODULE_LICENSE("GPL");
