/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Definitions that the drivers of other PMUs below arch/x86/events/ (uncore, RAPL, PT, IBS,
 * ...) and a few callers elsewhere (Xen, resctrl) may use of the driver of the CPU's own
 * counters.
 */
#ifndef _ARCH_X86_EVENTS_PERF_EVENT_H
#define _ARCH_X86_EVENTS_PERF_EVENT_H

#include <linux/bitops.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>

/* Counters that can count an event: those of uncore PMUs */

/**
 * struct event_constraint - which counters count some events
 * @code: it is about events whose config has these bits,
 * @cmask: of those in this mask
 * @weight: number of bits in @idxmsk
 * @overlap: @idxmsk overlaps that of others, without being part of it or the other
 *	way round
 * @flags: the driver's own
 * @idxmsk: the counters, a bitmap
 * @idxmsk64: the same as a number
 */
struct event_constraint {
	u64	cmask;
	u64	code;
	int	flags;
	int	overlap;
	int	weight;
	union {
		u64		idxmsk64;
		unsigned long	idxmsk[BITS_TO_LONGS(X86_PMC_IDX_MAX)];
	};
};

#define __EVENT_CONSTRAINT(_code, _counters, _cmask, _weight, _overlap, _flags)	\
{										\
	.idxmsk64	= (_counters),						\
	.code		= (_code),						\
	.cmask		= (_cmask),						\
	.weight		= (_weight),						\
	.overlap	= (_overlap),						\
	.flags		= (_flags),						\
}

#define EVENT_CONSTRAINT(_code, _counters, _cmask)				\
	__EVENT_CONSTRAINT(_code, _counters, _cmask, HWEIGHT(_counters), 0, 0)

#define EVENT_CONSTRAINT_OVERLAP(_code, _counters, _cmask)			\
	__EVENT_CONSTRAINT(_code, _counters, _cmask, HWEIGHT(_counters), 1, 0)

/* The end of an array; -1 is no number of counters. */
#define EVENT_CONSTRAINT_END	{ .weight = -1 }

#define for_each_event_constraint(c, array)	\
	for ((c) = (array); (c)->weight >= 0; (c)++)

int perf_assign_events(struct event_constraint **constraints, int n,
		       int wmin, int wmax, int gpmax, int *assign);

/* Registers beside the selects: those of uncore PMUs */

/**
 * struct extra_reg - events that need one more register
 * @event: they are those whose config is this
 * @msr: the register; 0 ends an array
 * @config_mask: after this mask has been applied
 * @valid_mask: bits that may be set in the register
 * @idx: EXTRA_REG_*, the driver's number for it
 */
struct extra_reg {
	unsigned int	event;
	unsigned int	msr;
	u64		config_mask;
	u64		valid_mask;
	int		idx;
};

/* hw_perf_event_extra::idx of an event that needs none */
#define EXTRA_REG_NONE	(-1)

#define EVENT_EXTRA_REG(_event, _msr, _config_mask, _valid_mask, _idx)		\
{										\
	.event		= (_event),						\
	.msr		= (_msr),						\
	.config_mask	= (_config_mask),					\
	.valid_mask	= (_valid_mask),					\
	.idx		= EXTRA_REG_##_idx,					\
}

#define EVENT_EXTRA_END	{ }

/* Named events in sysfs: event_attr_NAME, and the attribute of it */

#define EVENT_ATTR_STR(_name, _var, _text)	\
	PMU_EVENT_ATTR_STRING(_name, event_attr_##_var, _text)

#define EVENT_PTR(_var)	(&event_attr_##_var.attr.attr)

/* Users of the branch records that shut one another out */

enum {
	x86_lbr_exclusive_lbr,
	x86_lbr_exclusive_bts,
	x86_lbr_exclusive_pt,
	x86_lbr_exclusive_max,
};

int x86_add_exclusive(unsigned int what);
void x86_del_exclusive(unsigned int what);
bool x86_has_exclusive(unsigned int what);

/**
 * struct x86_config - an event select by the names of its parts
 * @event: the event's code
 * @umask: its unit mask
 * @cmask: how many at once count as one
 * @edge: count when it begins
 * @inv: count when there are fewer than @cmask
 */
struct x86_config {
	u8	event;
	u8	umask;
	u8	cmask;
	bool	edge;
	bool	inv;
};

static inline u64 x86_config_value(struct x86_config config)
{
	return config.event | config.umask << 8 | (u64)config.cmask << 24 |
	       (config.edge ? ARCH_PERFMON_EVENTSEL_EDGE : 0) |
	       (config.inv ? ARCH_PERFMON_EVENTSEL_INV : 0);
}

/* As in X86_CONFIG(.event = 0xd1, .umask = 0x10). */
#define X86_CONFIG(args...)	x86_config_value((struct x86_config){ args })

/**
 * struct x86_pmu - what others call of the driver of the CPU's counters
 * @handle_irq: an overflow interrupt has come, with these registers; NMI context, or an
 *	interrupt that takes its place. Returns the number of counters that were served
 */
struct x86_pmu {
	int	(*handle_irq)(struct pt_regs *regs);
};

extern struct x86_pmu x86_pmu;

#ifdef CONFIG_CPU_SUP_INTEL
void intel_pt_interrupt(void);
#else
static inline void intel_pt_interrupt(void) { }
#endif

unsigned long x86_segment_base(struct pt_regs *regs);

/*
 * Is an address the kernel's? Registers of 64 bits hold addresses of a 32-bit kernel zero-extended,
 * so that the sign tells nothing there.
 */
static inline bool x86_is_kernel(u64 ip)
{
	return IS_ENABLED(CONFIG_X86_64) ? (s64)ip < 0 : ip >= PAGE_OFFSET;
}

/*
 * Registers that say where a sample was: @ip is linear, whatever the code segment's base.
 * PERF_EFLAGS_VM keeps what X86_VM_MASK said before.
 */
static inline void set_linear_ip(struct pt_regs *regs, unsigned long ip)
{
	if (regs->flags & X86_VM_MASK)
		regs->flags ^= PERF_EFLAGS_VM | X86_VM_MASK;
	regs->cs = x86_is_kernel(ip) ? __KERNEL_CS : __USER_CS;
	regs->ip = ip;
}

#endif /* _ARCH_X86_EVENTS_PERF_EVENT_H */
