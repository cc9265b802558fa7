// SPDX-License-Identifier: GPL-2.0
/*
 * PEBS records, valid and malformed.
 */
#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/prandom.h>
#include <linux/string.h>
#include <asm/cpu_device_id.h>
#include <asm/intel-family.h>

#include "../engine.h"
#include "entry.h"
#include "models_intel.h"

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

static const struct x86_model *precise_row(u32 vfm, bool e_core)
{
	const struct x86_model *row;
	int n;

	row = models_of_vfm(vfm, 0, &n);
	return row && e_core ? row->e_core_model : row;
}

static int precise_test_init(struct kunit *test)
{
	struct precise_env *env = kunit_kzalloc(test, sizeof(*env), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, env);
	env->cpu.core = &env->core;
	env->core.model = precise_row(INTEL_ICELAKE, false);
	KUNIT_ASSERT_NOT_NULL(test, env->core.model);
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

static bool precise_decode(const struct x86_core *core, const struct x86_branch_raw *raw,
			   struct perf_branch_entry *entry)
{
	entry->from = raw->from;
	entry->to = raw->to;
	return true;
}

/*
 * Outside of an interrupt, records are drained while the branch unit records: its branches are not
 * those before the record.
 */
static void precise_drained_branches(struct kunit *test)
{
	static const struct x86_branch_ops ops = { .decode = precise_decode };
	struct precise_env *env = test->priv;

	env->core.precise = (struct x86_precise){ .format = 3, .size = 25 * 8 };
	env->core.branches.ops = &ops;
	env->cpu.branch.raw[0] = (struct x86_branch_raw){ .from = USER_IP, .to = NEXT_IP };
	env->cpu.branch.nr = 1;
	env->event.attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
	env->event.attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY;
	env->words[1] = NEXT_IP;
	env->words[22] = USER_IP;
	KUNIT_ASSERT_TRUE(test, precise_read(env, 25 * 8));
	KUNIT_ASSERT_TRUE(test, env->data.sample_flags & PERF_SAMPLE_BRANCH_STACK);
	KUNIT_EXPECT_EQ(test, env->data.br_stack->nr, 0);
	/* In the interrupt, the unit has stopped. */
	env->data.sample_flags = 0;
	x86_branch_sample(&env->cpu, &env->event, &env->data);
	KUNIT_EXPECT_EQ(test, env->data.br_stack->nr, 1);
}

#define LOAD_LATENCY	X86_EVENT(0xcd, 0x01)	/* of Core CPUs, and of Atom CPUs */
#define LITTLE_LOAD	X86_EVENT(0xd0, 0x05)
#define NEHALEM_LOAD	X86_EVENT(0x0b, 0x10)
#define STORE_LATENCY	X86_EVENT(0xcd, 0x02)
#define LITTLE_STORE	X86_EVENT(0xd0, 0x06)

#define S(_field, _value)	PERF_MEM_S(_field, _value)
#define LOAD		S(OP, LOAD)
#define STORE		S(OP, STORE)
/* A hit in a level: as LVLNUM alone, and as both LVLNUM and LVL */
#define AT(_number)	(S(LVL, HIT) | S(LVLNUM, _number))
#define IN(_level)	(AT(_level) | S(LVL, _level))
#define LOCAL		(AT(RAM) | S(LVL, LOC_RAM))
#define FAR		S(REMOTE, REMOTE)
#define FAR_L3		(AT(L3) | S(LVL, REM_CCE1) | FAR)
#define UNKNOWN		(S(LVL, NA) | S(LVLNUM, NA) | S(SNOOP, NA))
/* A hit in a TLB, and a miss in both TLBs; the same for accesses that were not blocked */
#define TLB_HIT		(S(TLB, HIT) | S(TLB, L1) | S(TLB, L2))
#define TLB_MISS	(S(TLB, MISS) | S(TLB, L2))
#define FAST		(TLB_HIT | S(BLK, NA))
#define WALKED		(TLB_MISS | S(BLK, NA))
#define LOCKED		S(LOCK, LOCKED)
/* Neither TLB nor lock is known. */
#define SOURCE_ONLY	(S(TLB, NA) | S(LOCK, NA) | S(BLK, NA))

/* The codes and bits of the status word depend on the CPU. */
static void precise_sources(struct kunit *test)
{
	static const struct {
		u32 vfm;
		bool e_core;
		u64 event;
		u64 status;
		u64 source;
	} cases[] = {
		/* A clean and a modified copy in another core have other codes on Nehalem. */
		{ INTEL_NEHALEM, 0, NEHALEM_LOAD, 0x05,
		  LOAD | IN(L3) | S(SNOOP, HIT) | SOURCE_ONLY },
		{ INTEL_NEHALEM, 0, NEHALEM_LOAD, 0x06,
		  LOAD | IN(L3) | S(SNOOP, HITM) | SOURCE_ONLY },
		{ INTEL_WESTMERE, 0, NEHALEM_LOAD, 0x06, LOAD | IN(L3) | S(SNOOP, HITM) | FAST },
		{ INTEL_BROADWELL, 0, LOAD_LATENCY, 0x06, LOAD | IN(L3) | S(SNOOP, HIT) | FAST },
		{ INTEL_BROADWELL, 0, LOAD_LATENCY, 0x07, LOAD | IN(L3) | S(SNOOP, HITM) | FAST },
		{ INTEL_BROADWELL, 0, LOAD_LATENCY, 0x08, LOAD | FAR_L3 | S(SNOOP, HIT) | FAST },
		{ INTEL_BROADWELL, 0, LOAD_LATENCY, 0x0c, LOAD | LOCAL | S(SNOOP, NONE) | FAST },
		/* A fourth level cache; the same code is persistent memory on servers */
		{ INTEL_SKYLAKE, 0, LOAD_LATENCY, 0x08, LOAD | AT(L4) | S(SNOOP, HIT) | FAST },
		{ INTEL_SKYLAKE, 0, LOAD_LATENCY, 0x09,
		  LOAD | AT(L4) | FAR | S(SNOOP, HIT) | FAST },
		{ INTEL_SKYLAKE, 0, LOAD_LATENCY, 0x0a, LOAD | LOCAL | S(SNOOP, HIT) | FAST },
		{ INTEL_ICELAKE, 0, LOAD_LATENCY, 0x08, LOAD | AT(L4) | S(SNOOP, HIT) | FAST },
		{ INTEL_ALDERLAKE, 0, LOAD_LATENCY, 0x08, LOAD | AT(L4) | S(SNOOP, HIT) | FAST },
		{ INTEL_METEORLAKE, 0, LOAD_LATENCY, 0x08, LOAD | AT(L4) | S(SNOOP, HIT) | FAST },
		{ INTEL_SKYLAKE_X, 0, LOAD_LATENCY, 0x08, LOAD | AT(PMEM) | S(SNOOP, HIT) | FAST },
		{ INTEL_SKYLAKE_X, 0, LOAD_LATENCY, 0x09,
		  LOAD | AT(PMEM) | FAR | S(SNOOP, HIT) | FAST },
		{ INTEL_ICELAKE_X, 0, LOAD_LATENCY, 0x08, LOAD | AT(PMEM) | S(SNOOP, HIT) | FAST },
		{ INTEL_ICELAKE_D, 0, LOAD_LATENCY, 0x08, LOAD | AT(PMEM) | S(SNOOP, HIT) | FAST },
		{ INTEL_SAPPHIRERAPIDS_X, 0, LOAD_LATENCY, 0x08,
		  LOAD | AT(PMEM) | S(SNOOP, HIT) | FAST },
		{ INTEL_GRANITERAPIDS_X, 0, LOAD_LATENCY, 0x08,
		  LOAD | AT(PMEM) | S(SNOOP, HIT) | FAST },
		/* Another node */
		{ INTEL_SKYLAKE_X, 0, LOAD_LATENCY, 0x0b,
		  LOAD | AT(RAM) | FAR | S(SNOOP, NONE) | FAST },
		{ INTEL_SKYLAKE_X, 0, LOAD_LATENCY, 0x0c,
		  LOAD | AT(ANY_CACHE) | FAR | S(SNOOPX, FWD) | FAST },
		{ INTEL_SKYLAKE_X, 0, LOAD_LATENCY, 0x0d,
		  LOAD | AT(ANY_CACHE) | FAR | S(SNOOP, HITM) | FAST },
		{ INTEL_SAPPHIRERAPIDS_X, 0, LOAD_LATENCY, 0x0d,
		  LOAD | AT(ANY_CACHE) | FAR | S(SNOOP, HITM) | FAST },
		/* TLB, lock and blocks */
		{ INTEL_SKYLAKE, 0, LOAD_LATENCY, 0x13, LOAD | IN(L2) | S(SNOOP, NONE) | WALKED },
		{ INTEL_SKYLAKE, 0, LOAD_LATENCY, 0x21,
		  LOAD | IN(L1) | S(SNOOP, NONE) | LOCKED | FAST },
		{ INTEL_ICELAKE, 0, LOAD_LATENCY, 0xc1, LOAD | IN(L1) | S(SNOOP, NONE) | FAST },
		{ INTEL_ALDERLAKE, 0, LOAD_LATENCY, 0x41,
		  LOAD | IN(L1) | S(SNOOP, NONE) | TLB_HIT | S(BLK, DATA) },
		{ INTEL_ALDERLAKE, 0, LOAD_LATENCY, 0x81,
		  LOAD | IN(L1) | S(SNOOP, NONE) | TLB_HIT | S(BLK, ADDR) },
		{ INTEL_SAPPHIRERAPIDS_X, 0, LOAD_LATENCY, 0xc1,
		  LOAD | IN(L1) | S(SNOOP, NONE) | TLB_HIT | S(BLK, DATA) | S(BLK, ADDR) },
		/* Gracemont: the bits for TLB and lock are swapped. */
		{ INTEL_ALDERLAKE, 1, LITTLE_LOAD, 0x05, LOAD | IN(L3) | S(SNOOP, HIT) | FAST },
		{ INTEL_ALDERLAKE, 1, LITTLE_LOAD, 0x06, LOAD | IN(L3) | S(SNOOP, HIT) | FAST },
		{ INTEL_ALDERLAKE, 1, LITTLE_LOAD, 0x08, LOAD | IN(L3) | S(SNOOPX, FWD) | FAST },
		{ INTEL_ATOM_GRACEMONT, 0, LITTLE_LOAD, 0x08,
		  LOAD | IN(L3) | S(SNOOPX, FWD) | FAST },
		{ INTEL_ALDERLAKE, 1, LITTLE_LOAD, 0x11,
		  LOAD | IN(L1) | S(SNOOP, NONE) | LOCKED | FAST },
		{ INTEL_ALDERLAKE, 1, LITTLE_LOAD, 0x23, LOAD | IN(L2) | S(SNOOP, NONE) | WALKED },
		{ INTEL_ALDERLAKE, 1, LITTLE_LOAD, 0xc1,
		  LOAD | IN(L1) | S(SNOOP, NONE) | TLB_HIT | S(BLK, DATA) },
		/* Crestmont: codes of five bits */
		{ INTEL_METEORLAKE, 1, LITTLE_LOAD, 0x07, LOAD | IN(L3) | S(SNOOPX, FWD) | FAST },
		{ INTEL_METEORLAKE, 1, LITTLE_LOAD, 0x08, LOAD | IN(L3) | S(SNOOP, HITM) | FAST },
		{ INTEL_ATOM_CRESTMONT_X, 0, LITTLE_LOAD, 0x0a,
		  LOAD | LOCAL | S(SNOOP, NONE) | FAST },
		{ INTEL_ATOM_CRESTMONT_X, 0, LITTLE_LOAD, 0x0b,
		  LOAD | AT(RAM) | FAR | S(SNOOP, NONE) | FAST },
		{ INTEL_ATOM_CRESTMONT_X, 0, LITTLE_LOAD, 0x0c,
		  LOAD | AT(RAM) | FAR | S(SNOOPX, FWD) | FAST },
		{ INTEL_LUNARLAKE_M, 1, LITTLE_LOAD, 0x0d,
		  LOAD | AT(RAM) | FAR | S(SNOOP, HITM) | FAST },
		{ INTEL_METEORLAKE, 1, LITTLE_LOAD, 0x11, LOAD | UNKNOWN | FAST },
		{ INTEL_METEORLAKE, 1, LITTLE_LOAD, 0x21,
		  LOAD | IN(L1) | S(SNOOP, NONE) | LOCKED | FAST },
		{ INTEL_METEORLAKE, 1, LITTLE_LOAD, 0x43, LOAD | IN(L2) | S(SNOOP, NONE) | WALKED },
		{ INTEL_METEORLAKE, 1, LITTLE_LOAD, 0x81,
		  LOAD | IN(L1) | S(SNOOP, NONE) | TLB_HIT | S(BLK, DATA) },
		/* Lion Cove: codes of eight bits */
		{ INTEL_LUNARLAKE_M, 0, LOAD_LATENCY, 0x04, LOAD | UNKNOWN | FAST },
		{ INTEL_LUNARLAKE_M, 0, LOAD_LATENCY, 0xff, LOAD | UNKNOWN | FAST },
		{ INTEL_LUNARLAKE_M, 0, LOAD_LATENCY, 0x02, LOAD | IN(L1) | S(SNOOP, NONE) | FAST },
		{ INTEL_ARROWLAKE, 0, LOAD_LATENCY, 0x05, LOAD | IN(L2) | S(SNOOP, NONE) | FAST },
		{ INTEL_LUNARLAKE_M, 0, LOAD_LATENCY, 0x06,
		  LOAD | AT(L2_MHB) | S(SNOOP, NONE) | FAST },
		{ INTEL_LUNARLAKE_M, 0, LOAD_LATENCY, 0x0c, LOAD | IN(L3) | S(SNOOPX, FWD) | FAST },
		{ INTEL_LUNARLAKE_M, 0, LOAD_LATENCY, 0x10,
		  LOAD | AT(MSC) | S(SNOOP, NONE) | FAST },
		{ INTEL_LUNARLAKE_M, 0, LOAD_LATENCY, 0x11, LOAD | LOCAL | S(SNOOP, NONE) | FAST },
		{ INTEL_LUNARLAKE_M, 0, LOAD_LATENCY, 0x401,
		  LOAD | IN(L1) | S(SNOOP, NONE) | WALKED },
		{ INTEL_LUNARLAKE_M, 0, LOAD_LATENCY, 0x801,
		  LOAD | IN(L1) | S(SNOOP, NONE) | LOCKED | FAST },
		{ INTEL_LUNARLAKE_M, 0, LOAD_LATENCY, 0x3001,
		  LOAD | IN(L1) | S(SNOOP, NONE) | TLB_HIT | S(BLK, DATA) | S(BLK, ADDR) },
		/* Stores with latency have the codes of loads. */
		{ INTEL_SAPPHIRERAPIDS_X, 0, STORE_LATENCY, 0x13,
		  STORE | IN(L2) | S(SNOOP, NONE) | WALKED },
		{ INTEL_ALDERLAKE, 0, STORE_LATENCY, 0x24,
		  STORE | IN(L3) | S(SNOOP, NONE) | LOCKED | FAST },
		{ INTEL_ALDERLAKE, 1, LITTLE_STORE, 0x24,
		  STORE | IN(L3) | S(SNOOP, NONE) | WALKED },
		/* Precise stores of Sandy Bridge, and other stores, have no such codes. */
		{ INTEL_SANDYBRIDGE, 0, STORE_LATENCY, 0x11,
		  STORE | S(LVL, HIT) | S(LVL, L1) | S(SNOOP, NA) | TLB_MISS },
		/* The status word of a load without latency is not used. */
		{ INTEL_HASWELL, 0, X86_EVENT(0xd1, 0x01), 0x00,
		  LOAD | S(LVL, NA) | S(LVLNUM, NA) | S(SNOOP, NA) | S(LOCK, NA) | S(TLB, NA) },
		{ INTEL_SKYLAKE, 0, X86_EVENT(0xd1, 0x01), 0x01,
		  LOAD | S(LVL, NA) | S(LVLNUM, NA) | S(SNOOP, NA) | S(LOCK, NA) | S(TLB, NA) },
		{ INTEL_SAPPHIRERAPIDS_X, 0, X86_EVENT(0xd0, 0x82), 0x02,
		  STORE | S(LVL, MISS) | S(LVL, L1) | S(LVLNUM, NA) | S(SNOOP, NA) | S(LOCK, NA) |
		  S(TLB, NA) },
		/* Hits of the second level TLB, by loads and by stores */
		{ INTEL_METEORLAKE, 0, X86_EVENT(0xd0, 0x09), 0x01,
		  LOAD | S(LVL, NA) | S(LVLNUM, NA) | S(SNOOP, NA) | S(LOCK, NA) | S(TLB, NA) },
		{ INTEL_GRANITERAPIDS_X, 0, X86_EVENT(0xd0, 0x0a), 0x01,
		  STORE | S(LVL, HIT) | S(LVL, L1) | S(LVLNUM, NA) | S(SNOOP, NA) | S(LOCK, NA) |
		  S(TLB, NA) },
		/* Any retired load or store */
		{ INTEL_SKYLAKE, 0, X86_EVENT(0xd0, 0x83), 0x01, PERF_MEM_NA },
		{ INTEL_ICELAKE, 0, X86_EVENT(0xd0, 0x83), 0x01, PERF_MEM_NA },
	};
	struct precise_env *env = test->priv;
	const char *kind;
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		kind = "";
		if (cases[i].e_core)
			kind = " E-core";
		env->core.model = precise_row(cases[i].vfm, cases[i].e_core);
		KUNIT_ASSERT_NOT_NULL(test, env->core.model);
		env->event.hw.flags = x86_precise_access(env->core.model, cases[i].event);
		precise_write(env, ALL_GROUPS, ALL_WORDS * 8);
		env->words[5] = cases[i].status;
		KUNIT_ASSERT_TRUE(test, precise_read(env, ALL_WORDS * 8));
		KUNIT_EXPECT_EQ_MSG(test, env->data.data_src.val, cases[i].source,
				    "%s%s: event %#llx, status %#llx", env->core.model->name, kind,
				    cases[i].event, cases[i].status);
	}
}

#define TWO_LATENCIES	(300ULL << 32 | 45)

/*
 * From Golden Cove on, the latency of the instruction is in bits 15:0, and that of the cache in
 * bits 47:32. The first word may have the retire latency in bits 47:32.
 */
static void precise_weights(struct kunit *test)
{
	static const struct {
		u32 vfm;
		bool e_core, timed;
		u64 full;
		u32 cache;
		u16 instruction, retire;
	} cases[] = {
		{ INTEL_ICELAKE, 0, 0, TWO_LATENCIES, 45, 0, 0 },
		{ INTEL_SAPPHIRERAPIDS_X, 0, 0, 300, 300, 45, 0 },
		{ INTEL_ALDERLAKE, 0, 0, 300, 300, 45, 0 },
		{ INTEL_ALDERLAKE, 1, 1, 300, 300, 45, 9 },
		{ INTEL_METEORLAKE, 1, 1, 300, 300, 45, 9 },
		{ INTEL_LUNARLAKE_M, 0, 1, 300, 300, 45, 9 },
	};
	struct precise_env *env = test->priv;
	union perf_sample_weight *weight = &env->data.weight;
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		env->core.model = precise_row(cases[i].vfm, cases[i].e_core);
		KUNIT_ASSERT_NOT_NULL(test, env->core.model);
		env->core.precise.timed = cases[i].timed;
		precise_write(env, ALL_GROUPS | 9ULL << 32, ALL_WORDS * 8);
		env->words[6] = TWO_LATENCIES;
		env->event.attr.sample_type = PERF_SAMPLE_WEIGHT;
		KUNIT_ASSERT_TRUE(test, precise_read(env, ALL_WORDS * 8));
		KUNIT_EXPECT_EQ(test, env->data.sample_flags & PERF_SAMPLE_WEIGHT_TYPE,
				PERF_SAMPLE_WEIGHT);
		KUNIT_EXPECT_EQ(test, weight->full, cases[i].full);
		env->event.attr.sample_type = PERF_SAMPLE_WEIGHT_STRUCT;
		KUNIT_ASSERT_TRUE(test, precise_read(env, ALL_WORDS * 8));
		KUNIT_EXPECT_EQ(test, env->data.sample_flags & PERF_SAMPLE_WEIGHT_TYPE,
				PERF_SAMPLE_WEIGHT_STRUCT);
		KUNIT_EXPECT_EQ(test, weight->var1_dw, cases[i].cache);
		KUNIT_EXPECT_EQ(test, weight->var2_w, cases[i].instruction);
		KUNIT_EXPECT_EQ(test, weight->var3_w, cases[i].retire);
	}
	/* Without a latency, the weight is the length of the transaction. */
	env->words[6] = 0;
	env->words[7] = 42;
	KUNIT_ASSERT_TRUE(test, precise_read(env, ALL_WORDS * 8));
	KUNIT_EXPECT_EQ(test, weight->var1_dw, 42);
	KUNIT_EXPECT_EQ(test, weight->var2_w, 0);
}

/* No record is read if its size is invalid, or exceeds the rest of the buffer. */
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

/*
 * A pointer to user space may have a tag in bits 62 to 57 (LAM57), and canonical addresses have 57
 * bits. An address of the kernel keeps these bits. Code addresses have no tag.
 */
static void precise_tagged_address(struct kunit *test)
{
	static const struct { u64 recorded, sampled; } cases[] = {
		{ ADDRESS | BIT_ULL(57), ADDRESS },
		{ ADDRESS | BIT_ULL(62), ADDRESS },
		{ ADDRESS | 0x7e00000000000000ULL, ADDRESS },
		{ 0x00ffffffffffffffULL, 0x00ffffffffffffffULL },
		{ 0x2aff800000000008ULL, 0x00ff800000000008ULL },
		{ KERNEL_ADDRESS, KERNEL_ADDRESS },
		{ 0xff00000000000000ULL, 0xff00000000000000ULL },
	};
	struct precise_env *env = test->priv;
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		precise_write(env, ALL_GROUPS, ALL_WORDS * 8);
		env->words[4] = cases[i].recorded;
		KUNIT_ASSERT_TRUE(test, precise_read(env, ALL_WORDS * 8));
		KUNIT_EXPECT_TRUE(test, env->data.sample_flags & PERF_SAMPLE_ADDR);
		KUNIT_EXPECT_EQ_MSG(test, env->data.addr, cases[i].sampled, "address %#llx",
				    cases[i].recorded);
	}
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
 * A record has no CS. The sample of a 32-bit program has the CS of 32-bit code, whose base is 0, as
 * the address is linear. A program may also use segments of its LDT, which have 32-bit code.
 */
static void precise_code_segment(struct kunit *test)
{
	static const struct { u16 interrupt, user; } cases[] = {
		{ __USER_CS, __USER_CS }, { __USER32_CS, __USER32_CS }, { 0x7, __USER32_CS },
		{ 0xf, __USER32_CS },
	};
	struct precise_env *env = test->priv;
	int i;

	env->event.attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_REGS_USER;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		env->regs.cs = cases[i].interrupt;
		precise_write(env, ALL_GROUPS, ALL_WORDS * 8);
		KUNIT_ASSERT_TRUE(test, precise_read(env, ALL_WORDS * 8));
		KUNIT_EXPECT_EQ_MSG(test, (u16)env->at.regs.cs, cases[i].user, "case %d", i);
		KUNIT_EXPECT_TRUE(test, user_mode(&env->at.regs));
		KUNIT_EXPECT_EQ(test, x86_segment_base(&env->at.regs), 0);
		KUNIT_EXPECT_EQ(test, (u64)env->at.regs.ip, USER_IP);

		env->words[1] = KERNEL_IP;
		env->words[8 + 1] = KERNEL_IP;
		KUNIT_ASSERT_TRUE(test, precise_read(env, ALL_WORDS * 8));
		KUNIT_EXPECT_EQ_MSG(test, (u16)env->at.regs.cs, __KERNEL_CS, "case %d", i);
	}
}

/*
 * A record of user space, with its interrupt in the kernel: CS is the one at the kernel entry. A
 * kernel thread, whose interrupt drains records of an earlier program, has none.
 */
static void precise_segment_at_entry(struct kunit *test)
{
	static const u16 segments[] = { __USER_CS, __USER32_CS };
	struct precise_env *env = test->priv;
	struct pt_regs entry = { .ip = NEXT_IP, .sp = ADDRESS, .ss = __USER_DS };
	struct entry_task task;
	bool sampled;
	int i;

	env->event.attr.sample_type = PERF_SAMPLE_IP;
	env->event.attr.exclude_kernel = 1;
	env->regs.cs = __KERNEL_CS;
	env->regs.sp = KERNEL_ADDRESS;
	precise_write(env, ALL_GROUPS, ALL_WORDS * 8);
	for (i = 0; i < ARRAY_SIZE(segments); i++) {
		entry.cs = segments[i];
		entry_begin(&task, &entry);
		sampled = precise_read(env, ALL_WORDS * 8);
		entry_end(&task);
		KUNIT_ASSERT_TRUE(test, sampled);
		KUNIT_EXPECT_EQ_MSG(test, (u16)env->at.regs.cs, segments[i], "case %d", i);
		KUNIT_EXPECT_TRUE(test, user_mode(&env->at.regs));
		KUNIT_EXPECT_EQ(test, (u64)env->at.regs.ip, USER_IP);
		KUNIT_EXPECT_EQ(test, env->at.regs.sp, (unsigned long)ADDRESS);
	}
	KUNIT_ASSERT_TRUE(test, precise_read(env, ALL_WORDS * 8));
	KUNIT_EXPECT_EQ(test, (u16)env->at.regs.cs, __USER_CS);
	KUNIT_EXPECT_EQ(test, env->at.regs.sp, 0UL);
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

/*
 * Registers of user space are those of the record, as is the address of the sample. The record of
 * an instruction that enters the kernel has registers of the kernel, so the sample does not have
 * the registers of this record, even if the event samples the kernel.
 */
static void precise_user_registers(struct kunit *test)
{
	static const u64 with_kernel[] = {
		PERF_SAMPLE_REGS_USER, PERF_SAMPLE_REGS_USER | PERF_SAMPLE_REGS_INTR,
		PERF_SAMPLE_STACK_USER | PERF_SAMPLE_REGS_INTR,
	};
	struct precise_env *env = test->priv;
	int i;

	env->event.attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_REGS_USER;
	KUNIT_EXPECT_EQ(test, x86_precise_data_cfg(&env->core, &env->event), 0);
	env->event.attr.sample_regs_user = BIT_ULL(PERF_REG_X86_SP);
	KUNIT_EXPECT_EQ(test, x86_precise_data_cfg(&env->core, &env->event), X86_GROUP_REGISTERS);

	memset(&env->regs, 0x5a, sizeof(env->regs));
	env->regs.cs = __USER_CS;
	precise_write(env, ALL_GROUPS, ALL_WORDS * 8);
	KUNIT_ASSERT_TRUE(test, precise_read(env, ALL_WORDS * 8));
	KUNIT_EXPECT_EQ(test, (u64)env->at.regs.ip, USER_IP);
	KUNIT_EXPECT_EQ(test, env->at.regs.sp, 0x1000 + 8 + 6);
	KUNIT_EXPECT_EQ(test, env->at.regs.bp, 0x1000 + 8 + 7);

	/* User space has interrupts on, and the kernel just after its entry has them off. */
	env->regs.flags = X86_EFLAGS_IF;
	KUNIT_ASSERT_EQ(test, env->words[8] & X86_EFLAGS_IF, 0);
	env->words[8 + 1] = KERNEL_IP;
	env->words[8 + 6] = KERNEL_ADDRESS;
	for (i = 0; i < ARRAY_SIZE(with_kernel); i++) {
		env->event.attr.sample_type = PERF_SAMPLE_IP | with_kernel[i];
		KUNIT_ASSERT_TRUE(test, precise_read(env, ALL_WORDS * 8));
		KUNIT_EXPECT_EQ(test, (u64)env->at.regs.ip, USER_IP);
		KUNIT_EXPECT_EQ_MSG(test, env->at.regs.sp, env->regs.sp, "case %d", i);
		KUNIT_EXPECT_EQ_MSG(test, env->at.regs.flags & X86_EFLAGS_IF, X86_EFLAGS_IF,
				    "case %d", i);
	}

	env->event.attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_REGS_USER;
	env->core.precise = (struct x86_precise){ .format = 3, .size = 25 * 8 };
	env->words[1] = NEXT_IP;
	env->words[9] = ADDRESS;
	env->words[22] = USER_IP;
	KUNIT_ASSERT_TRUE(test, precise_read(env, 25 * 8));
	KUNIT_EXPECT_EQ(test, env->at.regs.sp, (unsigned long)ADDRESS);
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
	KUNIT_CASE(precise_drained_branches),
	KUNIT_CASE(precise_sources),
	KUNIT_CASE(precise_weights),
	KUNIT_CASE(precise_sizes),
	KUNIT_CASE(precise_groups_out_of_record),
	KUNIT_CASE(precise_modes),
	KUNIT_CASE(precise_kernel_address),
	KUNIT_CASE(precise_tagged_address),
	KUNIT_CASE(precise_kernel_registers),
	KUNIT_CASE(precise_code_segment),
	KUNIT_CASE(precise_segment_at_entry),
	KUNIT_CASE(precise_registers_of_entry),
	KUNIT_CASE(precise_user_registers),
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
