/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations for the other PMU drivers below arch/x86/events/ (uncore, RAPL, PT, IBS, ...) and
 * for a few other users (Xen, resctrl).
 */
#ifndef _ARCH_X86_EVENTS_PERF_EVENT_H
#define _ARCH_X86_EVENTS_PERF_EVENT_H

#include <linux/bitops.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/sched.h>

/* Event constraints of uncore PMUs */

/**
 * struct event_constraint - the counters that can count some events
 * @code: config of the events, after @cmask
 * @cmask: mask applied to the config
 * @weight: number of bits in @idxmsk
 * @overlap: @idxmsk overlaps the counters of another constraint, and neither contains the other
 * @flags: for use by the driver
 * @idxmsk: bitmap of the counters
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

/* End of an array: no constraint has weight -1. */
#define EVENT_CONSTRAINT_END	{ .weight = -1 }

#define for_each_event_constraint(c, array)	\
	for ((c) = (array); (c)->weight >= 0; (c)++)

int perf_assign_events(struct event_constraint **constraints, int n,
		       int wmin, int wmax, int gpmax, int *assign);

/* Extra registers of uncore PMUs */

/**
 * struct extra_reg - extra register of some events
 * @event: config of the events, after @config_mask
 * @msr: the register; 0 ends an array
 * @config_mask: mask applied to the config
 * @valid_mask: valid bits of the register
 * @idx: EXTRA_REG_*, defined by the driver
 */
struct extra_reg {
	unsigned int	event;
	unsigned int	msr;
	u64		config_mask;
	u64		valid_mask;
	int		idx;
};

/* hw_perf_event_extra::idx of events without an extra register */
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

/* Event aliases in sysfs: event_attr_NAME, and its attribute */

#define EVENT_ATTR_STR(_name, _var, _text)	\
	PMU_EVENT_ATTR_STRING(_name, event_attr_##_var, _text)

#define EVENT_PTR(_var)	(&event_attr_##_var.attr.attr)

/* Users that exclude each other: LBR, BTS and PT */

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
 * struct x86_config - an event select by its fields
 * @event: event code
 * @umask: unit mask
 * @cmask: threshold of occurrences in a cycle
 * @edge: count transitions
 * @inv: count cycles with fewer than @cmask occurrences
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

/* For example, X86_CONFIG(.event = 0xd1, .umask = 0x10). */
#define X86_CONFIG(args...)	x86_config_value((struct x86_config){ args })

/**
 * struct x86_pmu - functions of the core PMU driver for other users
 * @handle_irq: handles an overflow interrupt with these registers. Called in an NMI, or in an
 *	interrupt that replaces it. Returns the number of overflows handled
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
unsigned int x86_guest_state(void);

/*
 * Is @ip a kernel address? Addresses of a 32-bit kernel are zero-extended in 64-bit registers, so
 * their sign bit is 0.
 */
static inline bool x86_is_kernel(u64 ip)
{
	return IS_ENABLED(CONFIG_X86_64) ? (s64)ip < 0 : ip >= PAGE_OFFSET;
}

/*
 * Set the registers of a sample to a linear address. With the flag of VM86 mode, the base of CS
 * would be added to the address, so PERF_EFLAGS_VM replaces the flag.
 *
 * A record of the CPU has no CS. For an address in user space, the sample has a CS of base 0. The
 * CS is that of 32-bit or 64-bit code, as in @regs, or if @regs are of the kernel, as in the user
 * registers of current.
 */
static inline void set_linear_ip(struct pt_regs *regs, unsigned long ip)
{
	struct pt_regs *user = user_mode(regs) ? regs : task_pt_regs(current);
	bool is_32bit = user_mode(user) && !user_64bit_mode(user);

	if (regs->flags & X86_VM_MASK)
		regs->flags ^= PERF_EFLAGS_VM | X86_VM_MASK;
	if (x86_is_kernel(ip))
		regs->cs = __KERNEL_CS;
	else
		regs->cs = is_32bit ? __USER32_CS : __USER_CS;
	regs->ip = ip;
}

#endif /* _ARCH_X86_EVENTS_PERF_EVENT_H */
