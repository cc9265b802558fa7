// SPDX-License-Identifier: GPL-2.0
/*
 * Branch sampling (BRS) of AMD CPUs of family 19h without version 2 of the last branch records.
 *
 * The unit starts at an overflow of counter 0. The unit delays the overflow interrupt, records the
 * next 16 taken branches of all privilege levels, the oldest one first, and then sends the
 * interrupt. It records nothing more until it is enabled again. A unit that is disabled sends a
 * delayed interrupt at once, or loses it: the driver accepts both, and checks the counter.
 *
 * A target of 0 marks a record as unused. The driver writes 0 to the target of each record that it
 * has read, so it needs no position from the unit, and never takes an old record for a new one.
 */
#include <linux/bitops.h>
#include <linux/static_call.h>
#include <asm/cpufeature.h>
#include <asm/msr.h>
#include <asm/processor.h>

#include "../engine.h"

/*
 * Bits of MSR_AMD_DBG_EXTN_CFG, from the Processor Programming Reference of family 19h model 01h.
 * All other bits are kept.
 */
#define BRS_CFG_ENABLE		BIT_ULL(2)
#define BRS_CFG_ONES		GENMASK_ULL(4, 3)	/* reserved, must be set */
#define BRS_CFG_VALID		BIT_ULL(5)		/* a branch was recorded */
#define BRS_CFG_NEXT		GENMASK_ULL(19, 16)	/* index of the next record */
#define BRS_CFG_COUNTER		GENMASK_ULL(26, 24)	/* the counter that starts the unit */

#define BRS_DEPTH		16

/* Source and target of a record, which have no flags */
#define BRS_FROM(i)		(MSR_AMD_SAMP_BR_FROM + 2 * (i))
#define BRS_TO(i)		(MSR_AMD_SAMP_BR_FROM + 2 * (i) + 1)

/* The low power callback must not be traced or instrumented, so it needs these accessors. */
static __always_inline void brs_write(u32 msr, u64 value)
{
	__wrmsr(msr, (u32)value, (u32)(value >> 32));
}

static __always_inline void brs_disable(void)
{
	brs_write(MSR_AMD_DBG_EXTN_CFG, __rdmsr(MSR_AMD_DBG_EXTN_CFG) & ~BRS_CFG_ENABLE);
}

/* Enable the disabled unit for counter 0, with all records unused. */
static __always_inline void brs_enable(void)
{
	unsigned int i;
	u64 config;

	/* Clear records that no sample has read: used records precede unused ones. */
	for (i = 0; i < BRS_DEPTH && __rdmsr(BRS_TO(i)); i++)
		brs_write(BRS_TO(i), 0);
	config = __rdmsr(MSR_AMD_DBG_EXTN_CFG);
	config &= ~(BRS_CFG_VALID | BRS_CFG_NEXT | BRS_CFG_COUNTER);
	brs_write(MSR_AMD_DBG_EXTN_CFG, config | BRS_CFG_ENABLE | BRS_CFG_ONES);
}

static void brs_on(const struct x86_core *core, bool call_stack)
{
	brs_enable();
}

static void brs_off(const struct x86_core *core)
{
	brs_disable();
}

/* Clear all records, even if the unit has written few: those of other tasks must not remain. */
static void brs_clear(const struct x86_core *core, bool call_stack)
{
	unsigned int i;

	for (i = 0; i < BRS_DEPTH; i++)
		wrmsrl(BRS_TO(i), 0);
}

/* The newest record is the last used one. All records read become unused. */
static unsigned int brs_read(const struct x86_core *core, struct x86_branch_raw *raw, u64 *newest)
{
	unsigned int n;
	u64 from, to;

	*newest = 0;
	for (n = 0; n < BRS_DEPTH; n++) {
		rdmsrl(BRS_TO(n), to);
		if (!to)
			break;
		rdmsrl(BRS_FROM(n), from);
		wrmsrl(BRS_TO(n), 0);
		raw[BRS_DEPTH - 1 - n] = (struct x86_branch_raw){ .from = from, .to = to };
	}
	memmove(raw, raw + BRS_DEPTH - n, n * sizeof(*raw));
	return n;
}

/* The registers may lack the sign bits, which are needed to recognize kernel addresses. */
static u64 brs_address(u64 value)
{
	return sign_extend64(value, boot_cpu_data.x86_virt_bits - 1);
}

static bool brs_decode(const struct x86_core *core, const struct x86_branch_raw *raw,
		       struct perf_branch_entry *entry)
{
	entry->from = brs_address(raw->from);
	entry->to = brs_address(raw->to);
	return true;
}

/* BRS needs a fixed period, counted in taken branches, and has no filter of branch types. */
static int brs_check(const struct x86_core *core, struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	if (!is_sampling_event(event) || attr->freq)
		return perf_event_refuse(event, "attr.freq",
					 "must be 0: branch stacks on this processor need a fixed sample_period",
					 -EINVAL);
	if (!x86_find_limit(core->model->branch_limits, event->hw.config))
		return perf_event_refuse(event, "attr.config",
					 "must be 0xc4 (taken branches) to sample branches on this processor",
					 -EINVAL);
	if ((attr->branch_sample_type & ~(u64)PERF_SAMPLE_BRANCH_PLM_ALL) !=
	    PERF_SAMPLE_BRANCH_ANY)
		return perf_event_refuse(event, "attr.branch_sample_type",
					 "must be PERF_SAMPLE_BRANCH_ANY on this processor",
					 -EINVAL);
	return 0;
}

static const struct x86_branch_ops brs_ops = {
	.check	= brs_check,
	.on	= brs_on,
	.off	= brs_off,
	.clear	= brs_clear,
	.read	= brs_read,
	.decode	= brs_decode,
};

/**
 * perf_amd_brs_lopwr_cb - disable the unit in low power states
 * @lopwr_in: the CPU is about to enter a low power state; false: it has left the state
 *
 * A CPU in such a state takes no branches, so the unit would delay the interrupt for long.
 *
 * Context: idle task, interrupts off. May not be instrumented.
 */
void noinstr perf_amd_brs_lopwr_cb(bool lopwr_in)
{
	struct x86_pmu_cpu *cpu = raw_cpu_ptr(&x86_pmu_cpu);
	struct x86_branch_cpu *branch = &cpu->branch;

	if (lopwr_in && READ_ONCE(branch->running)) {
		WRITE_ONCE(branch->asleep, true);
		WRITE_ONCE(branch->running, false);
		barrier();
		brs_disable();
	} else if (!lopwr_in && READ_ONCE(branch->asleep)) {
		WRITE_ONCE(branch->asleep, false);
		WRITE_ONCE(branch->running, true);
		/* BRS may have lost a delayed interrupt: x86_reprogram() checks the counter. */
		WRITE_ONCE(cpu->needs_reprogram, true);
		barrier();
		brs_enable();
	}
}

DEFINE_STATIC_CALL_NULL(perf_lopwr_cb, perf_amd_brs_lopwr_cb);
EXPORT_STATIC_CALL_TRAMP_GPL(perf_lopwr_cb);

/**
 * x86_brs_probe - detect branch sampling
 * @core: the core type of this CPU
 *
 * Context: boot.
 * Return: true on success, with &x86_core.branches set.
 */
bool x86_brs_probe(struct x86_core *core)
{
	const u32 last = BRS_TO(BRS_DEPTH - 1);
	u64 value;

	if (!core->model->branch_limits || !boot_cpu_has(X86_FEATURE_BRS))
		return false;
	/* A hypervisor may report the unit but lack the registers. */
	if (rdmsrl_safe(MSR_AMD_DBG_EXTN_CFG, &value) || wrmsrl_safe(last, 0) ||
	    rdmsrl_safe(last, &value) || value)
		return false;
	core->branches = (struct x86_branches){
		.ops = &brs_ops, .nr = BRS_DEPTH, .flags = X86_UNIT_DELAYS,
		.from = BRS_FROM(0), .to = BRS_TO(0),
	};
	static_call_update(perf_lopwr_cb, perf_amd_brs_lopwr_cb);
	return true;
}
