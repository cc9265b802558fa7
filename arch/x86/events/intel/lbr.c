// SPDX-License-Identifier: GPL-2.0
/*
 * Last branch records (LBR) of Intel CPUs. The model-specific LBR is a ring of registers, and
 * MSR_LBR_TOS has the index of the newest record. In the architectural LBR, reported by CPUID, the
 * first register has the newest record.
 *
 * A record with source address 0 is empty, and lbr_read() stops at an empty record. So lbr_clear()
 * clears only the newest record of a model-specific LBR, except in call stack mode.
 */
#include <asm/cpu_device_id.h>
#include <asm/cpufeature.h>
#include <asm/msr.h>
#include <asm/processor.h>

#include "../engine.h"

/* MSR_IA32_PERF_CAPABILITIES: record format */
#define LBR_FORMAT		GENMASK_ULL(5, 0)

/**
 * struct lbr_format - data in a record format
 * @from_flags: number of upper bits of the source register that are flags
 * @in_tx: the second and third of the @from_flags are transaction flags
 * @to_cycles: the upper 16 bits of the target register are cycles
 * @info: there are INFO registers
 * @packed: source and target are in one register
 */
struct lbr_format {
	u8	from_flags;
	bool	in_tx;
	bool	to_cycles;
	bool	info;
	bool	packed;
};

static const struct lbr_format lbr_formats[] = {
	[0] = { .packed = true },
	[1] = { },				/* linear addresses */
	[2] = { },				/* effective addresses; segments have base 0 */
	[3] = { .from_flags = 1 },
	[4] = { .from_flags = 3, .in_tx = true },
	[5] = { .info = true },
	[6] = { .from_flags = 1, .to_cycles = true },
	[7] = { .info = true },
};

#define LBR_MISPREDICTED	BIT_ULL(63)
#define LBR_IN_TX		BIT_ULL(62)
#define LBR_ABORT		BIT_ULL(61)
/* Source of a branch from a filtered privilege level, with the architectural LBR */
#define LBR_FILTERED		0xffffffffULL

/* From this version of the PMU on, the global status has a bit for a frozen LBR. */
#define LBR_STATUS_VERSION	4

static bool lbr_is_arch(const struct x86_core *core)
{
	return core->branches.from == MSR_ARCH_LBR_FROM_0;
}

/* Index of the newest record; always 0 with the architectural LBR. */
static u64 lbr_newest(const struct x86_core *core)
{
	u64 newest = 0;

	if (!lbr_is_arch(core))
		rdmsrl(MSR_LBR_TOS, newest);
	return newest % core->branches.nr;
}

/* Register index of the record @i before the newest */
static unsigned int lbr_number(const struct x86_core *core, u64 newest, unsigned int i)
{
	if (lbr_is_arch(core))
		return i;
	return (newest + core->branches.nr - i) % core->branches.nr;
}

/*
 * In the call stack mode of the model-specific LBR, a freeze near a call or a return may move the
 * index of the newest record by one. So the unit does not freeze in this mode.
 */
static void lbr_on(const struct x86_core *core, bool call_stack)
{
	u64 old, debugctl;

	rdmsrl(MSR_IA32_DEBUGCTLMSR, old);
	debugctl = old;
	if (!call_stack || core->branches.freezes_stack)
		debugctl |= DEBUGCTLMSR_FREEZE_LBRS_ON_PMI;
	if (!lbr_is_arch(core))
		debugctl |= DEBUGCTLMSR_LBR;
	if (debugctl != old)
		wrmsrl(MSR_IA32_DEBUGCTLMSR, debugctl);
}

static void lbr_off(const struct x86_core *core)
{
	u64 debugctl;

	if (lbr_is_arch(core))
		wrmsrl(MSR_ARCH_LBR_CTL, 0);
	rdmsrl(MSR_IA32_DEBUGCTLMSR, debugctl);
	if (debugctl & (DEBUGCTLMSR_LBR | DEBUGCTLMSR_FREEZE_LBRS_ON_PMI))
		wrmsrl(MSR_IA32_DEBUGCTLMSR,
		       debugctl & ~(DEBUGCTLMSR_LBR | DEBUGCTLMSR_FREEZE_LBRS_ON_PMI));
}

/* The CPU clears DEBUGCTLMSR_LBR when it raises a debug exception. */
static bool lbr_is_on(const struct x86_core *core)
{
	u64 debugctl;

	rdmsrl(MSR_IA32_DEBUGCTLMSR, debugctl);
	return debugctl & DEBUGCTLMSR_LBR;
}

/* In call stack mode, a return without a call would make older records valid again: clear all. */
static void lbr_clear(const struct x86_core *core, bool call_stack)
{
	unsigned int i;

	if (lbr_is_arch(core)) {
		wrmsrl(MSR_ARCH_LBR_DEPTH, core->branches.nr);
		return;
	}
	if (!call_stack) {
		wrmsrl(core->branches.from + lbr_newest(core), 0);
		return;
	}
	for (i = 0; i < core->branches.nr; i++)
		wrmsrl(core->branches.from + i, 0);
}

static unsigned int lbr_read(const struct x86_core *core, struct x86_branch_raw *raw,
			     u64 *newest)
{
	const struct x86_branches *unit = &core->branches;
	unsigned int i;

	*newest = lbr_newest(core);
	for (i = 0; i < unit->nr; i++) {
		unsigned int n = lbr_number(core, *newest, i);

		rdmsrl(unit->from + n, raw[i].from);
		if (!raw[i].from)
			break;
		raw[i].to = 0;
		raw[i].info = X86_INFO_NONE;
		if (!unit->packed)
			rdmsrl(unit->to + n, raw[i].to);
	}
	return i;
}

static void lbr_read_info(const struct x86_core *core, struct x86_branch_raw *raw,
			  unsigned int nr, u64 newest)
{
	unsigned int i;

	if (!core->branches.info)
		return;
	for (i = 0; i < nr; i++)
		rdmsrl(core->branches.info + lbr_number(core, newest, i), raw[i].info);
}

/* A deep idle state clears all registers, so it is enough to check one. */
static bool lbr_unchanged(const struct x86_core *core, const struct x86_branch_raw *raw, u64 newest)
{
	u64 from;

	rdmsrl(core->branches.from + lbr_number(core, newest, 0), from);
	return from == raw[0].from;
}

/* Branch types of INFO */
static const u8 lbr_info_types[] = {
	PERF_BR_COND, PERF_BR_IND, PERF_BR_UNCOND, PERF_BR_IND_CALL, PERF_BR_CALL, PERF_BR_RET,
};

static void lbr_decode_info(const struct x86_branches *unit, u64 info,
			    struct perf_branch_entry *entry)
{
	unsigned int type = (info & LBR_INFO_BR_TYPE) >> LBR_INFO_BR_TYPE_OFFSET;

	if (unit->info_mispred) {
		entry->mispred = !!(info & LBR_INFO_MISPRED);
		entry->predicted = !entry->mispred;
	}
	entry->in_tx = unit->info_tx && (info & LBR_INFO_IN_TX);
	entry->abort = unit->info_tx && (info & LBR_INFO_ABORT);
	if (unit->info_cycles && (!unit->info_valid || (info & LBR_INFO_CYC_CNT_VALID)))
		entry->cycles = info & LBR_INFO_CYCLES;
	if (unit->info_kind && type < ARRAY_SIZE(lbr_info_types))
		entry->type = lbr_info_types[type];
}

/* Sign-extend an address, which may have flags in the upper bits. */
static u64 lbr_address(u64 value, unsigned int flags)
{
	return (s64)(value << flags) >> flags;
}

static bool lbr_decode(const struct x86_core *core, const struct x86_branch_raw *raw,
		       struct perf_branch_entry *entry)
{
	const struct x86_branches *unit = &core->branches;

	if (unit->packed) {
		entry->from = (u32)raw->from;
		entry->to = raw->from >> 32;
		return true;
	}
	/* The filtered level is the kernel, or user space if the kernel is the target. */
	if (lbr_is_arch(core) && raw->from == LBR_FILTERED && !x86_is_kernel(raw->to))
		return false;
	entry->from = lbr_address(raw->from, unit->from_flags);
	entry->to = unit->to_cycles ? lbr_address(raw->to, 16) : raw->to;
	if (unit->from_flags) {
		entry->mispred = !!(raw->from & LBR_MISPREDICTED);
		entry->predicted = !entry->mispred;
	}
	if (unit->in_tx) {
		entry->in_tx = !!(raw->from & LBR_IN_TX);
		entry->abort = !!(raw->from & LBR_ABORT);
	}
	if (unit->to_cycles)
		entry->cycles = raw->to >> 48;
	if (unit->info && raw->info != X86_INFO_NONE)
		lbr_decode_info(unit, raw->info, entry);
	return true;
}

/*
 * Without transactional memory, the two transaction flags are read as 0, but must be written as the
 * sign extension of the address.
 */
static u64 lbr_writable(const struct x86_branches *unit, u64 from)
{
	const u64 bits = LBR_IN_TX | LBR_ABORT;

	if (unit->from_flags != 3 || unit->in_tx)
		return from;
	return (from & ~bits) | ((from << 2) & bits);
}

static void lbr_restore(const struct x86_core *core, const struct x86_branch_raw *raw,
			unsigned int nr, u64 newest)
{
	const struct x86_branches *unit = &core->branches;
	unsigned int i;

	if (lbr_is_arch(core))
		wrmsrl(MSR_ARCH_LBR_DEPTH, unit->nr);
	else if (lbr_newest(core) != newest)
		wrmsrl(MSR_LBR_TOS, newest);
	for (i = 0; i < nr; i++) {
		unsigned int n = lbr_number(core, newest, i);

		wrmsrl(unit->from + n, lbr_writable(unit, raw[i].from));
		if (!unit->packed)
			wrmsrl(unit->to + n, raw[i].to);
		if (unit->info)
			wrmsrl(unit->info + n, raw[i].info);
	}
	if (lbr_is_arch(core))
		return;
	for (; i < unit->nr; i++)
		wrmsrl(unit->from + lbr_number(core, newest, i), 0);
}

static const struct x86_branch_ops lbr_ops = {
	.on		= lbr_on,
	.off		= lbr_off,
	.is_on		= lbr_is_on,
	.clear		= lbr_clear,
	.read		= lbr_read,
	.read_info	= lbr_read_info,
	.decode		= lbr_decode,
	.unchanged	= lbr_unchanged,
	.restore	= lbr_restore,
};

/* An address that is valid in all formats */
#define LBR_PROBE		0x10

/*
 * Does an LBR register keep a value? Some hypervisors drop the write, and return 0 at a read. After
 * the test, clear the register: the old value may be a record of another kernel, and a write of the
 * old value may fault, see lbr_writable().
 */
static bool lbr_keeps(u32 msr)
{
	u64 back;

	return !wrmsrl_safe(msr, LBR_PROBE) && !rdmsrl_safe(msr, &back) && back == LBR_PROBE &&
	       !wrmsrl_safe(msr, 0);
}

static bool lbr_works(const struct x86_core *core)
{
	const struct x86_branches *unit = &core->branches;
	u64 value;
	int i;

	if (rdmsrl_safe(MSR_LBR_TOS, &value))
		return false;
	/* Before kexec another kernel may have enabled the recording. */
	lbr_off(core);
	if (unit->select.msr && rdmsrl_safe(unit->select.msr, &value))
		return false;
	for (i = 0; i < unit->nr; i++) {
		if (!lbr_keeps(unit->from + i) || (!unit->packed && !lbr_keeps(unit->to + i)) ||
		    (unit->info && rdmsrl_safe(unit->info + i, &value)))
			return false;
	}
	return true;
}

static bool lbr_probe(struct x86_core *core)
{
	unsigned int number = core->capabilities & LBR_FORMAT;
	struct x86_branches *unit = &core->branches;
	const struct lbr_format *format;
	bool has_tx;

	if (number >= ARRAY_SIZE(lbr_formats))
		return false;
	format = &lbr_formats[number];
	has_tx = boot_cpu_has(X86_FEATURE_RTM) || boot_cpu_has(X86_FEATURE_HLE);
	unit->ops = &lbr_ops;
	unit->from_flags = format->from_flags;
	unit->in_tx = format->in_tx && has_tx;
	unit->to_cycles = format->to_cycles;
	unit->packed = format->packed;
	unit->info = format->info ? unit->info : 0;
	unit->info_mispred = true;
	unit->info_cycles = true;
	unit->info_tx = has_tx;
	unit->freezes = true;
	unit->halts = core->version < LBR_STATUS_VERSION;
	if (format->info && !unit->info)
		return false;
	return lbr_works(core);
}

/*
 * Architectural LBR: CPUID reports depth and features. One register has the enable bit and the
 * filter. A set bit of the filter includes a class of branches; a set bit of LBR_SELECT excludes a
 * class.
 */

#define LBR_CPUID		0x1c
#define LBR_CPUID_DEPTHS	GENMASK(7, 0)	/* EAX: bit n: a depth of 8 * (n + 1) */
#define LBR_CPUID_LEVELS	BIT(0)		/* EBX: filter by privilege level */
#define LBR_CPUID_CLASSES	BIT(1)		/* EBX: filter by branch class */
#define LBR_CPUID_CALL_STACK	BIT(2)		/* EBX: call stack mode */
#define LBR_CPUID_MISPRED	BIT(0)		/* ECX: mispredictions in INFO */
#define LBR_CPUID_CYCLES	BIT(1)		/* ECX: cycles in INFO */
#define LBR_CPUID_TYPES		BIT(2)		/* ECX: branch types in INFO */

#define LBR_CTL_KERNEL		BIT_ULL(1)
#define LBR_CTL_USER		BIT_ULL(2)

/* Classes of LBR_SELECT, in the order of the bits of MSR_ARCH_LBR_CTL */
static const u64 lbr_ctl_classes[] = {
	X86_LBR_JCC, X86_LBR_REL_JMP, X86_LBR_IND_JMP, X86_LBR_REL_CALL, X86_LBR_IND_CALL,
	X86_LBR_RET, X86_LBR_FAR,
};

static u64 lbr_arch_filter(const struct x86_core *core, u64 select)
{
	u64 ctl = ARCH_LBR_CTL_LBREN;
	int i;

	if (!(select & X86_LBR_NOT_KERNEL))
		ctl |= LBR_CTL_KERNEL;
	if (!(select & X86_LBR_NOT_USER))
		ctl |= LBR_CTL_USER;
	if (select & X86_LBR_CALL_STACK)
		ctl |= ARCH_LBR_CTL_STACK;
	for (i = 0; i < ARRAY_SIZE(lbr_ctl_classes); i++) {
		if (!(select & lbr_ctl_classes[i]))
			ctl |= BIT_ULL(ARCH_LBR_CTL_FILTER_OFFSET + i);
	}
	return ctl;
}

/* A debug exception does not change MSR_ARCH_LBR_CTL. */
static const struct x86_branch_ops lbr_arch_ops = {
	.on		= lbr_on,
	.off		= lbr_off,
	.clear		= lbr_clear,
	.read		= lbr_read,
	.read_info	= lbr_read_info,
	.decode		= lbr_decode,
	.unchanged	= lbr_unchanged,
	.restore	= lbr_restore,
	.filter		= lbr_arch_filter,
};

static bool lbr_arch_probe(struct x86_core *core)
{
	struct x86_branches *unit = &core->branches;
	unsigned int eax, ebx, ecx, edx;

	if (!boot_cpu_has(X86_FEATURE_ARCH_LBR) || cpuid_eax(0) < LBR_CPUID)
		return false;
	cpuid_count(LBR_CPUID, 0, &eax, &ebx, &ecx, &edx);
	/* Events rely on these filters. */
	if (!(eax & LBR_CPUID_DEPTHS) || !(ebx & LBR_CPUID_LEVELS) || !(ebx & LBR_CPUID_CLASSES))
		return false;
	unit->nr = min_t(unsigned int, 8 * fls(eax & LBR_CPUID_DEPTHS), X86_BRANCHES_MAX);
	unit->ops = &lbr_arch_ops;
	unit->select = (struct x86_extra){ .msr = MSR_ARCH_LBR_CTL };
	if (ebx & LBR_CPUID_CALL_STACK)
		unit->flags |= X86_UNIT_CALL_STACK;
	unit->info_mispred = ecx & LBR_CPUID_MISPRED;
	unit->info_cycles = ecx & LBR_CPUID_CYCLES;
	unit->info_tx = boot_cpu_has(X86_FEATURE_RTM);
	unit->info_kind = ecx & LBR_CPUID_TYPES;
	unit->info_valid = true;
	unit->freezes = true;
	unit->freezes_stack = true;
	return !wrmsrl_safe(MSR_ARCH_LBR_DEPTH, unit->nr);
}

const struct x86_branch_unit x86_lbr_arch = {
	.probe = lbr_arch_probe, .from = MSR_ARCH_LBR_FROM_0, .to = MSR_ARCH_LBR_TO_0,
	.info = MSR_ARCH_LBR_INFO_0, .flags = X86_UNIT_FILTER_RUNS,
};

const struct x86_branch_unit x86_lbr_core2 = {
	.probe = lbr_probe, .from = MSR_LBR_CORE_FROM, .to = MSR_LBR_CORE_TO, .nr = 4,
};

/* Bonnell before stepping 10 cannot freeze the LBR, so the NMI handler would fill the LBR. */
static bool lbr_bonnell_probe(struct x86_core *core)
{
	if (boot_cpu_data.x86_vfm == INTEL_ATOM_BONNELL && boot_cpu_data.x86_stepping < 10)
		return false;
	return lbr_probe(core);
}

const struct x86_branch_unit x86_lbr_bonnell = {
	.probe = lbr_bonnell_probe, .from = MSR_LBR_CORE_FROM, .to = MSR_LBR_CORE_TO, .nr = 8,
};

const struct x86_branch_unit x86_lbr_silvermont = {
	.probe = lbr_probe, .from = MSR_LBR_CORE_FROM, .to = MSR_LBR_CORE_TO, .nr = 8,
	.flags = X86_UNIT_FILTER,
};

/* Knights Landing reports format 1, but its records have the misprediction flag of format 3. */
static bool lbr_knights_landing_probe(struct x86_core *core)
{
	if (!lbr_probe(core))
		return false;
	if ((core->capabilities & LBR_FORMAT) == 1)
		core->branches.from_flags = 1;
	return true;
}

const struct x86_branch_unit x86_lbr_knights_landing = {
	.probe = lbr_knights_landing_probe, .from = MSR_LBR_NHM_FROM, .to = MSR_LBR_NHM_TO, .nr = 8,
	.flags = X86_UNIT_FILTER,
};

const struct x86_branch_unit x86_lbr_nehalem = {
	.probe = lbr_probe, .from = MSR_LBR_NHM_FROM, .to = MSR_LBR_NHM_TO, .nr = 16,
	.flags = X86_UNIT_FILTER | X86_UNIT_FILTER_CORE | X86_UNIT_CALLS_JUMP,
};

const struct x86_branch_unit x86_lbr_sandybridge = {
	.probe = lbr_probe, .from = MSR_LBR_NHM_FROM, .to = MSR_LBR_NHM_TO, .nr = 16,
	.flags = X86_UNIT_FILTER,
};

const struct x86_branch_unit x86_lbr_haswell = {
	.probe = lbr_probe, .from = MSR_LBR_NHM_FROM, .to = MSR_LBR_NHM_TO, .nr = 16,
	.flags = X86_UNIT_FILTER | X86_UNIT_CALL_STACK | X86_UNIT_ABORTS_TWICE,
};

const struct x86_branch_unit x86_lbr_broadwell = {
	.probe = lbr_probe, .from = MSR_LBR_NHM_FROM, .to = MSR_LBR_NHM_TO, .nr = 16,
	.flags = X86_UNIT_FILTER | X86_UNIT_CALL_STACK,
};

const struct x86_branch_unit x86_lbr_skylake = {
	.probe = lbr_probe, .from = MSR_LBR_NHM_FROM, .to = MSR_LBR_NHM_TO,
	.info = MSR_LBR_INFO_0, .nr = 32,
	.flags = X86_UNIT_FILTER | X86_UNIT_CALL_STACK,
};
