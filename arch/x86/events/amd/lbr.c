// SPDX-License-Identifier: GPL-2.0
/*
 * Last branch records of AMD CPUs, version 2 (LbrExtV2): the first register is the newest record,
 * and the filter is the same as Intel's LBR_SELECT.
 */
#include <asm/cpufeature.h>
#include <asm/msr.h>
#include <asm/processor.h>

#include "../engine.h"

/* Addresses have 58 bits; the upper bits are flags. */
#define LBRV2_FLAGS		6
#define LBRV2_MISPREDICTED	BIT_ULL(63)	/* source */
#define LBRV2_NO_BRANCH		BIT_ULL(61)	/* target: erratum 1452, not a branch */
#define LBRV2_SPECULATIVE	BIT_ULL(62)	/* target */
#define LBRV2_VALID		BIT_ULL(63)	/* target */

static u32 lbrv2_from(const struct x86_branches *unit, unsigned int i)
{
	return unit->from + 2 * i;
}

static u32 lbrv2_to(const struct x86_branches *unit, unsigned int i)
{
	return unit->to + 2 * i;
}

static void lbrv2_on(const struct x86_core *core, bool call_stack)
{
	if (core->branches.freezes)
		msr_set_bit(MSR_IA32_DEBUGCTLMSR, __ffs(DEBUGCTLMSR_FREEZE_LBRS_ON_PMI));
	msr_set_bit(MSR_AMD_DBG_EXTN_CFG, __ffs64(DBG_EXTN_CFG_LBRV2EN));
}

/*
 * Outside of the overflow interrupt the unit is not frozen, and each branch before the write
 * replaces a record. msr_clear_bit() has several branches: write the register here.
 */
static void lbrv2_off(const struct x86_core *core)
{
	u64 config;

	rdmsrl(MSR_AMD_DBG_EXTN_CFG, config);
	wrmsrl(MSR_AMD_DBG_EXTN_CFG, config & ~DBG_EXTN_CFG_LBRV2EN);
	if (core->branches.freezes)
		msr_clear_bit(MSR_IA32_DEBUGCTLMSR, __ffs(DEBUGCTLMSR_FREEZE_LBRS_ON_PMI));
}

/*
 * A record that is neither valid nor speculative is unused, and ends the records: the records after
 * it were written before lbrv2_clear(), perhaps for another task.
 */
static void lbrv2_clear(const struct x86_core *core, bool call_stack)
{
	wrmsrl(core->branches.to, 0);
}

static unsigned int lbrv2_read(const struct x86_core *core, struct x86_branch_raw *raw,
			       u64 *newest)
{
	const struct x86_branches *unit = &core->branches;
	unsigned int i, nr = 0;

	*newest = 0;
	for (i = 0; i < unit->nr; i++) {
		rdmsrl(lbrv2_to(unit, i), raw[nr].to);
		if (!(raw[nr].to & (LBRV2_VALID | LBRV2_SPECULATIVE)))
			break;
		if (raw[nr].to & LBRV2_NO_BRANCH)
			continue;
		raw[nr].info = X86_INFO_NONE;
		rdmsrl(lbrv2_from(unit, i), raw[nr].from);
		nr++;
	}
	return nr;
}

static const u8 lbrv2_speculation[] = {
	PERF_BR_SPEC_NA, PERF_BR_SPEC_WRONG_PATH,
	PERF_BR_NON_SPEC_CORRECT_PATH, PERF_BR_SPEC_CORRECT_PATH,
};

static bool lbrv2_decode(const struct x86_core *core, const struct x86_branch_raw *raw,
			 struct perf_branch_entry *entry)
{
	entry->from = (s64)(raw->from << LBRV2_FLAGS) >> LBRV2_FLAGS;
	entry->to = (s64)(raw->to << LBRV2_FLAGS) >> LBRV2_FLAGS;
	entry->mispred = !!(raw->from & LBRV2_MISPREDICTED);
	entry->predicted = !entry->mispred;
	entry->spec = lbrv2_speculation[(raw->to & LBRV2_VALID ? 2 : 0) |
				      (raw->to & LBRV2_SPECULATIVE ? 1 : 0)];
	return true;
}

static const struct x86_branch_ops lbrv2_ops = {
	.on	= lbrv2_on,
	.off	= lbrv2_off,
	.clear	= lbrv2_clear,
	.read	= lbrv2_read,
	.decode	= lbrv2_decode,
};

static bool lbrv2_probe(struct x86_core *core)
{
	union cpuid_0x80000022_ebx ebx;
	struct x86_branches *unit = &core->branches;
	u64 value;

	if (core->version < 2 || !boot_cpu_has(X86_FEATURE_AMD_LBR_V2))
		return false;
	ebx.full = cpuid_ebx(EXT_PERFMON_DEBUG_FEATURES);
	unit->nr = min_t(unsigned int, ebx.split.lbr_v2_stack_sz, X86_BRANCHES_MAX);
	unit->ops = &lbrv2_ops;
	unit->freezes = boot_cpu_has(X86_FEATURE_AMD_LBR_PMC_FREEZE);
	unit->select = (struct x86_extra){ .msr = MSR_AMD64_LBR_SELECT };
	/* A hypervisor may report the LBR but lack the registers. */
	return unit->nr && !rdmsrl_safe(MSR_AMD64_LBR_SELECT, &value) &&
	       !rdmsrl_safe(MSR_AMD_DBG_EXTN_CFG, &value) &&
	       !rdmsrl_safe(lbrv2_to(unit, unit->nr - 1), &value);
}

static bool amd_lbr_probe(struct x86_core *core)
{
	return lbrv2_probe(core) || x86_brs_probe(core);
}

/* These registers and flags are for version 2; x86_brs_probe() sets those of BRS. */
const struct x86_branch_unit x86_lbr_amd = {
	.probe	= amd_lbr_probe,
	.from	= MSR_AMD_SAMP_BR_FROM,
	.to	= MSR_AMD_SAMP_BR_FROM + 1,
	.flags	= X86_UNIT_FILTER | X86_UNIT_FUSES,
};
