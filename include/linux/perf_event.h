/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Performance events: what the rest of the kernel and PMU drivers may use.
 *
 * User space's half of the interface is <uapi/linux/perf_event.h>; what only
 * kernel/events/ needs is kernel/events/internal.h.
 */
#ifndef _LINUX_PERF_EVENT_H
#define _LINUX_PERF_EVENT_H

#include <uapi/linux/perf_event.h>
#include <uapi/linux/bpf_perf_event.h>
#include <uapi/linux/perf_event_ext.h>

#ifdef CONFIG_PERF_EVENTS
#include <asm/perf_event.h>
#include <asm/local64.h>
#endif

#ifdef CONFIG_HAVE_HW_BREAKPOINT
#include <linux/rhashtable-types.h>
#include <asm/hw_breakpoint.h>
#endif

#include <linux/list.h>
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/hrtimer.h>
#include <linux/fs.h>
#include <linux/pid_namespace.h>
#include <linux/workqueue.h>
#include <linux/ftrace.h>
#include <linux/cpu.h>
#include <linux/irq_work.h>
#include <linux/static_key.h>
#include <linux/jump_label_ratelimit.h>
#include <linux/atomic.h>
#include <linux/sysfs.h>
#include <linux/perf_regs.h>
#include <linux/cgroup.h>
#include <linux/refcount.h>
#include <linux/security.h>
#include <linux/static_call.h>
#include <linux/lockdep.h>
#include <linux/seqlock.h>
#include <linux/rbtree.h>
#include <asm/local.h>

/* Bits that perf_guest_state() returns: none when no guest was interrupted. */
#define PERF_GUEST_ACTIVE	0x01
#define PERF_GUEST_USER		0x02

/**
 * struct perf_guest_info_callbacks - what a hypervisor tells about its guest
 * @state: PERF_GUEST_* bits of the guest that was interrupted; any context
 * @get_ip: the guest's instruction pointer; any context
 * @handle_intel_pt_intr: a PT interrupt that belongs to the guest; may be NULL.
 *	Returns non-zero when it was consumed.
 */
struct perf_guest_info_callbacks {
	unsigned int	(*state)(void);
	unsigned long	(*get_ip)(void);
	unsigned int	(*handle_intel_pt_intr)(void);
};

/**
 * struct perf_callchain_entry - a finished call chain
 * @nr: addresses and context markers in @ip
 * @ip: innermost first; PERF_CONTEXT_* values mark whose frames follow
 */
struct perf_callchain_entry {
	__u64	nr;
	__u64	ip[];
};

/**
 * struct perf_callchain_entry_ctx - a call chain being collected
 * @entry: where frames go
 * @max_stack: frames allowed
 * @nr: frames stored so far
 * @contexts: context markers stored so far
 * @contexts_maxed: a marker did not fit, so nothing more may be stored
 */
struct perf_callchain_entry_ctx {
	struct perf_callchain_entry	*entry;
	u32				max_stack;
	u32				nr;
	short				contexts;
	bool				contexts_maxed;
};

typedef unsigned long (*perf_copy_f)(void *dst, const void *src,
				     unsigned long off, unsigned long len);

/**
 * struct perf_raw_frag - one piece of PERF_SAMPLE_RAW data
 * @next: the next piece (a kernel pointer is never below %sizeof(u64)) or
 * @pad: in the last one, the bytes of padding behind the data
 * @copy: how to copy @data, or NULL for plain memory
 * @data: the bytes, or what @copy takes them from
 * @size: of @data, in bytes
 */
struct perf_raw_frag {
	union {
		struct perf_raw_frag	*next;
		unsigned long		pad;
	};
	perf_copy_f	copy;
	void		*data;
	u32		size;
} __packed;

/**
 * struct perf_raw_record - the whole of PERF_SAMPLE_RAW
 * @frag: the first piece
 * @size: what the record's size field says, set when the sample is prepared
 */
struct perf_raw_record {
	struct perf_raw_frag	frag;
	u32			size;
};

static __always_inline bool perf_raw_frag_last(const struct perf_raw_frag *frag)
{
	return frag->pad < sizeof(u64);
}

/**
 * struct perf_branch_stack - a copy of the hardware's record of branches
 * @nr: entries that are valid
 * @hw_idx: the hardware's write position, -1 when it has none to tell
 * @entries: newest first
 */
struct perf_branch_stack {
	__u64				nr;
	__u64				hw_idx;
	struct perf_branch_entry	entries[];
};

struct task_struct;
struct perf_event;
struct perf_event_context;
struct perf_event_pmu_context;
struct perf_family;
struct perf_sample_data;
struct perf_output_handle;
struct perf_buffer;
struct perf_cgroup;
struct perf_cpu_pmu_context;
struct bpf_prog;
struct pmu;

/**
 * struct hw_perf_event_extra - a register that several counters share
 * @config: value of the register
 * @reg: address of the register
 * @alloc: this event holds the register
 * @idx: number of the register in the driver's table
 */
struct hw_perf_event_extra {
	u64		config;
	unsigned int	reg;
	int		alloc;
	int		idx;
};

/*
 * hw_perf_event::flags: the low bits are the driver's. USER_READ_CNT says that user
 * space may read the counter (rdpmc). The driver sets it in event_init, or changes it
 * in event_mapped and event_unmapped.
 */
#define PERF_EVENT_FLAG_ARCH			0x0fffffff
#define PERF_EVENT_FLAG_USER_READ_CNT		0x80000000

static_assert((PERF_EVENT_FLAG_USER_READ_CNT & PERF_EVENT_FLAG_ARCH) == 0);

/* hw_perf_event::state: kept by the driver; the core looks at STOPPED alone */
#define PERF_HES_STOPPED	0x01	/* the counter does not run */
#define PERF_HES_UPTODATE	0x02	/* event->count is current */
#define PERF_HES_ARCH		0x04	/* the driver's own */

/**
 * struct perf_settled - values of copies that are settled: see kernel/events/settle.h
 * @count: sum of their counts
 * @enabled: sum of their enabled times, ns
 * @running: sum of their running times, ns
 */
struct perf_settled {
	u64		count;
	u64		enabled;
	u64		running;
};

/**
 * struct hw_perf_event - what a PMU driver keeps of an event
 * @config: of counters, the driver's: what is written to select the event
 * @last_tag: where the counter was before it was taken off
 * @config_base: address of the register that selects
 * @event_base: address of the counter
 * @event_base_rdpmc: its number for user space
 * @idx: its number, -1 for none
 * @last_cpu: where it was before
 * @flags: PERF_EVENT_FLAG_*
 * @extra_reg: a register that it shares with other events
 * @branch_reg: the same for branches
 * @aux_config: of AUX sources, the driver's
 * @aux_paused: see pmu::stop
 * @addr_filters: the driver's own form of the address filters
 * @addr_filters_gen: the core's: of the ranges that the driver has taken over
 * @sw_entry: of software events that are scheduled: in the CPU's list
 * @hrtimer: of clocks that sample, and of drivers that poll
 * @tp_list: of tracepoints: in their list
 * @pwr_acc: amd_power's
 * @ptsc: amd_power's
 * @info: of breakpoints, the architecture's
 * @bp_list: of breakpoints: those of one task
 * @iommu_bank: amd_iommu's
 * @iommu_cntr: amd_iommu's
 * @padding: amd_iommu's
 * @conf: amd_iommu's
 * @conf1: amd_iommu's
 * @settled: of a plain copy, which has no driver: what its root's sum has of it
 * @target: the task that the event was opened on, NULL for one of a CPU; the
 *	core's, from before pmu::event_init to after the event's destroy
 * @state: PERF_HES_*
 * @interrupts_seq: the core's: the tick that @interrupts counts for
 * @prev_count: the driver's: the counter's value that event->count includes.
 *	Changed by local64_xchg() or local64_try_cmpxchg() together with a
 *	local64_add() to event->count: see pmu::read. The page that user space
 *	maps gives it the difference
 * @sample_period: events from one overflow to the next; between two of them it
 *	changes, of an event with a frequency. The driver may set it in event_init
 *	for an event that does not sample, to the longest that the counter can do
 * @last_period: the period that has just ended, or begun: what the driver gives
 *	to perf_sample_data_init(), and sets to @sample_period as one begins
 * @period_left: events until the overflow, as of @prev_count. The driver takes
 *	from it what it adds to event->count. 0 or less: a new period is to
 *	begin, of @sample_period. The core sets it to 0 when the period has changed
 * @saved_metric: with @saved_slots, in place of the two before, for metrics that
 *	are not counts
 * @saved_slots: see @saved_metric
 * @interrupts: the core's: overflows in this tick, MAX_INTERRUPTS when throttled
 *
 * The first union is the driver's, by the kind of PMU; all of this is zero before
 * event_init, but for @target and the periods.
 */
struct hw_perf_event {
#ifdef CONFIG_PERF_EVENTS
	union {
		struct { /* counters */
			u64				config;
			u64				last_tag;
			unsigned long			config_base;
			unsigned long			event_base;
			int				event_base_rdpmc;
			int				idx;
			int				last_cpu;
			int				flags;
			struct hw_perf_event_extra	extra_reg;
			struct hw_perf_event_extra	branch_reg;
		};
		struct { /* AUX sources */
			u64				aux_config;
			unsigned int			aux_paused;
			void				*addr_filters;
			unsigned long			addr_filters_gen;
		};
		struct { /* software events that are scheduled */
			struct list_head		sw_entry;
		};
		struct { /* clocks that sample */
			struct hrtimer			hrtimer;
		};
		struct { /* tracepoints */
			struct list_head		tp_list;
		};
		struct { /* amd_power */
			u64				pwr_acc;
			u64				ptsc;
		};
#ifdef CONFIG_HAVE_HW_BREAKPOINT
		struct { /* breakpoints */
			struct arch_hw_breakpoint	info;
			struct rhlist_head		bp_list;
		};
#endif
		struct { /* amd_iommu */
			u8				iommu_bank;
			u8				iommu_cntr;
			u16				padding;
			u64				conf;
			u64				conf1;
		};
		struct perf_settled			settled;
	};
	struct task_struct	*target;
	int			state;
	u32			interrupts_seq;
	local64_t		prev_count;
	u64			sample_period;
	union {
		struct {
			u64		last_period;
			local64_t	period_left;
		};
		struct { /* top-down metrics */
			u64		saved_metric;
			u64		saved_slots;
		};
	};
	u64			interrupts;
#endif
};

/* pmu::start_txn: what the transaction is for */
#define PERF_PMU_TXN_ADD	0x1	/* members of a group get counters: all or none */
#define PERF_PMU_TXN_READ	0x2	/* members of a group are read: in one access */

/*
 * pmu::capabilities. The core refuses what a PMU does not say that it can; the
 * driver need not look at these parts of the attribute itself.
 *
 * NO_INTERRUPT: it cannot sample; user space gets -EOPNOTSUPP.
 * NO_NMI: local_irq_save() keeps its interrupt off, so that samples may have record
 *	clocks that must not be read in an NMI.
 * AUX_NO_SG: an AUX area that is overwritten has to be one piece of memory, or
 *	mmap(2) fails. The private field of a piece's first page has its order.
 * AUX_PREFER_LARGE: pieces of more than a page are welcome, but not needed.
 * EXTENDED_REGS: samples may have the registers of PERF_REG_EXTENDED_MASK.
 * EXCLUSIVE: its events are either all of tasks or all of CPUs (-EBUSY), and
 *	there is one of them at a time in a context.
 * ITRACE: it traces instructions; the core writes ITRACE_START before it begins,
 *	until the driver does so itself (perf_event_itrace_started()).
 * NO_EXCLUDE: it counts in every mode; attr.exclude_* are -EINVAL.
 * AUX_OUTPUT: its events may write into another PMU's AUX area (attr.aux_output);
 *	aux_output_match says into which.
 * EXTENDED_HW_TYPE: it takes generic events (PERF_TYPE_HARDWARE, HW_CACHE) that
 *	name its type in the upper half of config. event_init does not see that half.
 * AUX_PAUSE: start and stop know PERF_EF_PAUSE and PERF_EF_RESUME.
 */
#define PERF_PMU_CAP_NO_INTERRUPT	0x0001
#define PERF_PMU_CAP_NO_NMI		0x0002
#define PERF_PMU_CAP_AUX_NO_SG		0x0004
#define PERF_PMU_CAP_EXTENDED_REGS	0x0008
#define PERF_PMU_CAP_EXCLUSIVE		0x0010
#define PERF_PMU_CAP_ITRACE		0x0020
#define PERF_PMU_CAP_NO_EXCLUDE		0x0040
#define PERF_PMU_CAP_AUX_OUTPUT		0x0080
#define PERF_PMU_CAP_EXTENDED_HW_TYPE	0x0100
#define PERF_PMU_CAP_AUX_PAUSE		0x0200
#define PERF_PMU_CAP_AUX_PREFER_LARGE	0x0400

/**
 * enum perf_pmu_scope - which CPUs share one instance of a system-wide PMU
 * @PERF_PMU_SCOPE_NONE: none, or the driver sees to it
 * @PERF_PMU_SCOPE_CORE: the threads of a core
 * @PERF_PMU_SCOPE_DIE: the CPUs of a die
 * @PERF_PMU_SCOPE_CLUSTER: the CPUs of a cluster
 * @PERF_PMU_SCOPE_PKG: the CPUs of a package
 * @PERF_PMU_SCOPE_SYS_WIDE: all CPUs
 * @PERF_PMU_MAX_SCOPE: number of scopes
 *
 * One of the CPUs that share an instance speaks for it: sysfs shows that CPU in
 * "cpumask", and when it goes offline the core moves the events to another one.
 * Events may be opened on any CPU of the instance. If a CPU of the instance reads an
 * event, pmu::read runs on that CPU.
 */
enum perf_pmu_scope {
	PERF_PMU_SCOPE_NONE	= 0,
	PERF_PMU_SCOPE_CORE,
	PERF_PMU_SCOPE_DIE,
	PERF_PMU_SCOPE_CLUSTER,
	PERF_PMU_SCOPE_PKG,
	PERF_PMU_SCOPE_SYS_WIDE,
	PERF_PMU_MAX_SCOPE,
};

/* flags of pmu::add, start and stop; pmu::del gets none */
#define PERF_EF_START	0x01	/* add: and start counting */
#define PERF_EF_RELOAD	0x02	/* start: write the counter anew, from hw.period_left */
#define PERF_EF_UPDATE	0x04	/* stop: bring event->count up to date */
#define PERF_EF_PAUSE	0x08	/* stop: the AUX trace alone, until PERF_EF_RESUME */
#define PERF_EF_RESUME	0x10	/* start: ends PERF_EF_PAUSE */

/**
 * struct pmu - one source of events, as its driver describes it
 *
 * A driver fills in what it has, and calls perf_pmu_register(). It must have
 * event_init, add and del; the rest may be NULL, unless said below. What is left
 * out does nothing or is not supported. Documentation/core-api/perf-pmu-driver.rst
 * leads through a driver.
 *
 * Unless said otherwise a callback is called
 *
 * - on the CPU that event->oncpu names, with event->state ACTIVE,
 * - with interrupts off and the event's context's lock (a raw spinlock) held, so
 *   that it must neither sleep nor call what takes such a lock, nor wake anyone:
 *   the scheduler may be the caller, with its runqueue's lock;
 * - one at a time: no other callback for this CPU runs meanwhile, but for those
 *   that an NMI calls, which are said to be so;
 * - for an event of a CPU, while that CPU's drivers are ready: after the last startup
 *   callback of CPU hotplug up to CPUHP_AP_ONLINE_DYN_END has returned, and before
 *   the first of their teardown callbacks is called.
 *
 * With an interrupt that is an NMI, the driver's own handler comes at any moment,
 * also in the middle of a callback. Through it, its perf_event_overflow(), and
 * BPF programs that run there, the core may call read, stop and start with
 * PERF_EF_PAUSE and PERF_EF_RESUME, event_idx and snapshot_aux. No other callback
 * is ever called in an NMI. An interrupt that is no NMI can do the same in the
 * middle of callbacks that are called with interrupts on.
 *
 * Callbacks are called for an event from event_init on, until its destroy returns
 * (event->destroy, which event_init sets if it has anything to give back). After
 * perf_pmu_unregister() none is running or ever will.
 */
struct pmu {
	/** @entry: the core's list of PMUs */
	struct list_head		entry;

	/** @module: held while an event of this PMU exists; THIS_MODULE */
	struct module			*module;
	/** @dev: the core's, below /sys/bus/event_source/devices */
	struct device			*dev;
	/** @parent: of @dev; NULL for none */
	struct device			*parent;
	/** @attr_groups: sysfs attributes ("format", "events", ...); NULL-terminated */
	const struct attribute_group	**attr_groups;
	/** @attr_update: more of them, merged into groups that exist; NULL-terminated */
	const struct attribute_group	**attr_update;
	/** @name: in sysfs, from perf_pmu_register(); NULL: not to be seen there */
	const char			*name;
	/**
	 * @type: PERF_TYPE_*, attr.type of its events; or what perf_pmu_register() has
	 * found, for -1 or where the number asked for is taken
	 */
	int				type;
	/** @scope: PERF_PMU_SCOPE_*, which CPUs one instance serves */
	unsigned int			scope;

	/** @capabilities: PERF_PMU_CAP_* */
	int				capabilities;

	/** @pmu_disable_count: the core's: per CPU, nesting of perf_pmu_disable() */
	int __percpu			*pmu_disable_count;
	/**
	 * @cpu_pmu_context: the core's: per CPU, what is scheduled of this PMU; NULL until
	 * the first event that has to be scheduled
	 */
	struct perf_cpu_pmu_context __percpu *cpu_pmu_context;
	/** @exclusive_cnt: the core's, for PERF_PMU_CAP_EXCLUSIVE: > 0 of tasks, < 0 of CPUs */
	atomic_t			exclusive_cnt;
	/**
	 * @task_ctx_nr: perf_hw_context: there are counters, and not always enough;
	 * perf_sw_context: add never fails for want of a counter, so that its events
	 * may join any group, also of another PMU. It may fail for other reasons, as
	 * those of trace units do without a buffer or on a CPU that is not theirs:
	 * then the whole group is off. perf_invalid_context: it does not know tasks, and
	 * opening an event of a task or a cgroup is -EINVAL. Of the latter, without
	 * a @scope, the driver moves the events of a CPU that goes, by
	 * perf_pmu_migrate_context(); what it does not move has ended
	 */
	int				task_ctx_nr;
	/** @hrtimer_interval_ms: between two rotations, 0: one tick; user space may change it */
	int				hrtimer_interval_ms;
	/** @nr_addr_filters: the most address filters that an event may have */
	unsigned int			nr_addr_filters;

	/**
	 * @pmu_enable: let the whole PMU run on this CPU. The end of the outermost
	 * perf_pmu_enable(), which the driver may call, too; all that was added and
	 * started meanwhile begins now. Interrupts are off. No event need be on,
	 * and no context's lock held.
	 */
	void (*pmu_enable)(struct pmu *pmu);
	/**
	 * @pmu_disable: halt the whole PMU on this CPU. The core does so around add and
	 * del, a whole switch, a rotation and a tick. An NMI may still come, for an
	 * overflow just before or from a counter that does not stop at once: so the
	 * driver's tables, in which the handler looks for counters that may have
	 * overflowed, must always be consistent.
	 */
	void (*pmu_disable)(struct pmu *pmu);

	/**
	 * @event_init: take a new event, or refuse it
	 *
	 * Process context, may sleep; event->state and event->oncpu mean nothing yet.
	 * event->attr, cpu, hw.target (the task), group_leader, parent (of an event
	 * that fork() inherits) and hw.sample_period are set, event->pmu is this PMU.
	 * The event has no context. Of a member of a group (unless this PMU is of
	 * perf_sw_context) the mutex of the group's context is held, so that the
	 * group can be looked at; event->group_leader == event for any other.
	 *
	 * It fills in event->hw, may set event->cpu to the CPU that speaks for it,
	 * PERF_ATTACH_TASK_DATA in attach_state and PERF_EV_CAP_* in event_caps, and
	 * event->destroy, which the core calls once as the event goes; process
	 * context, may sleep. Return:
	 *
	 * - 0: it is this PMU's. The core still checks what @capabilities, @scope and
	 *   @task_ctx_nr say, and calls destroy if it refuses the event then.
	 * - -ENOENT: it is not: the core goes on to the next PMU, for events of a
	 *   generic type; for others, and for PERF_TYPE_RAW where this PMU has that
	 *   type itself, that is the end of it. The event must be as it
	 *   was: look at attr.type and attr.config before anything is written. If
	 *   attr.type has been set to another PMU's, that one is asked.
	 * - Any other error is final, and what user space gets. Nobody calls destroy.
	 *   -EINVAL: config or attributes that cannot be, or a group that can never
	 *   be on as a whole; -EOPNOTSUPP: what other hardware can (sampling,
	 *   branches, a precise_ip); -EBUSY: another user has it; -EACCES or -EPERM:
	 *   the caller may not; -ENODEV: no such CPU or device, or not any more;
	 *   -ENOMEM. Of an event that is inherited -ENODEV means that the new task does
	 *   without it; any other error makes fork() fail.
	 */
	int (*event_init)(struct perf_event *event);

	/**
	 * @event_mapped: the event's page, or its AUX area, is mapped into @mm, one
	 * more time: by mmap(2), or by mremap(2), after which @event_unmapped is called
	 * for the old place. fork() copies no mapping. @mm's mmap_lock is held for
	 * writing, no context's lock; may sleep. The event is in any state; one that is
	 * DEAD already is left out. A PMU with this or @event_unmapped stays registered.
	 */
	void (*event_mapped)(struct perf_event *event, struct mm_struct *mm);
	/** @event_unmapped: a mapping has gone; @mm's mmap_lock is held, or @mm goes */
	void (*event_unmapped)(struct perf_event *event, struct mm_struct *mm);

	/**
	 * @add: give the event a counter; the PMU is disabled on this CPU, and is in a
	 * transaction PERF_PMU_TXN_ADD, unless the group is another PMU's. @flags are
	 * PERF_EF_START: it is to count as soon as the PMU is enabled. A counter that
	 * is added without that has PERF_HES_STOPPED | PERF_HES_UPTODATE.
	 *
	 * Return: 0, or an error (-EAGAIN): there is none for it now. Then del is not
	 * called for it. A flexible group tries again later; a pinned one goes into
	 * the error state. What event_init took may not fail for any other reason
	 * than what else is on.
	 */
	int  (*add)(struct perf_event *event, int flags);
	/**
	 * @del: take the event's counter away; the PMU is disabled on this CPU. The
	 * event may have been stopped, paused or throttled, or never started: a group's
	 * transaction may have failed. The driver must bring event->count up to date,
	 * whatever @flags (the core passes 0): read is not called after this.
	 */
	void (*del)(struct perf_event *event, int flags);

	/**
	 * @start: let an event count that has a counter and was stopped. Without
	 * PERF_EF_RELOAD the counter goes on from where it stands. With it, it is
	 * set as hw.period_left says, which the core may have changed: it comes only
	 * after a stop with PERF_EF_UPDATE, or the difference would be lost. A
	 * throttled event goes on by stop with PERF_EF_UPDATE and start with RELOAD,
	 * whether the driver has marked it PERF_HES_STOPPED, has moved it to another
	 * counter, or has not halted it at all.
	 *
	 * The PMU need not be disabled. With PERF_EF_RESUME (alone), which needs
	 * PERF_PMU_CAP_AUX_PAUSE: no lock is held, the context is that of another
	 * event's overflow, NMI included. See @stop.
	 */
	void (*start)(struct perf_event *event, int flags);
	/**
	 * @stop: halt the event's counter, which the event keeps; a stopped event may
	 * be stopped again. The driver sets PERF_HES_STOPPED in hw.state. With
	 * PERF_EF_UPDATE it also brings event->count up to date and sets
	 * PERF_HES_UPTODATE.
	 *
	 * The driver calls its own stop, or the like, when perf_event_overflow() says
	 * so. If it goes on counting the core calls stop soon after that interrupt,
	 * in another one: the PMU is disabled, but no context's lock is held. Then the
	 * tick calls start alone. With PERF_EF_PAUSE (alone) the trace of an AUX event halts until
	 * PERF_EF_RESUME: as part of another event's overflow, NMI included, no lock
	 * held, perhaps in the middle of this event's add, start, stop or del, once
	 * event->state is ACTIVE. hw.aux_paused tells what holds: it is set before
	 * stop and cleared before start is called, and an event that is started by
	 * add or start(0) while it is set is to stay paused. One that would interrupt
	 * another on its CPU is left out.
	 */
	void (*stop)(struct perf_event *event, int flags);

	/**
	 * @read: bring event->count up to date; the counter goes on
	 *
	 * The context's lock is not always held, and other locks never: it is for
	 * read(2) (interrupts off, ctx->lock), on the event's CPU or, by
	 * PERF_EV_CAP_READ_ACTIVE_PKG, PERF_EV_CAP_READ_SCOPE or @scope, on one that
	 * shares the counter with it (a group on one that all members allow); but
	 * for samples of other members of its group, also of another PMU, and for
	 * perf_event_read_local() there is no lock, and the context is any, NMI
	 * included. So it may interrupt itself or another callback of this event:
	 * what is added to event->count must have been taken out of hw.prev_count by
	 * one atomic exchange (local64_try_cmpxchg()).
	 * The event may be stopped, by throttling for one. It may have no counter:
	 * event->state is ACTIVE from before add to after del, and an NMI that comes
	 * in between reads it; so the driver looks, and leaves event->count alone.
	 * Where CPUs share the counter, another one's read may be in progress at the
	 * same time.
	 */
	void (*read)(struct perf_event *event);

	/**
	 * @start_txn: several adds or reads follow, PERF_PMU_TXN_ADD or READ; all
	 * three of these callbacks, or none. None means that the PMU is disabled
	 * from the first add to the last, and that add itself says what fits.
	 *
	 * PERF_PMU_TXN_ADD: each group that comes on, also of one event; add may leave
	 * the question whether it fits to commit. PERF_PMU_TXN_READ: of a group's
	 * leader, for read(2); members of other PMUs are read in between. An NMI's
	 * read may come in the middle of either.
	 */
	void (*start_txn)(struct pmu *pmu, unsigned int txn_flags);
	/**
	 * @commit_txn: the end of it. Return: 0; or an error: of PERF_PMU_TXN_ADD,
	 * the group does not fit: the core dels what it has added, then cancels;
	 * of PERF_PMU_TXN_READ what read(2) returns, and the transaction is over.
	 */
	int  (*commit_txn)(struct pmu *pmu);
	/** @cancel_txn: the end of a PERF_PMU_TXN_ADD that an add or commit has refused */
	void (*cancel_txn)(struct pmu *pmu);

	/**
	 * @event_idx: number of the counter that user space may read (rdpmc), plus
	 * one; 0 for none. Any context, NMI included; for events that are not
	 * stopped. Called by perf_event_update_userpage(), which the driver calls
	 * whenever hw.prev_count or the counter changed: at add, del and reload.
	 */
	int (*event_idx)(struct perf_event *event);

	/**
	 * @sched_task: a task switch on a CPU that asked for it by
	 * perf_sched_cb_inc(), for hardware that keeps something of a task. The PMU
	 * is disabled; the locks of the CPU's and, unless @pmu_ctx is NULL, the running
	 * task's contexts are held; no event need be on.
	 * @task leaves (@sched_in false; its events are still on) or has come (true;
	 * its events are on already, but do not count before this has returned).
	 * @pmu_ctx: what @task's context has of this PMU; NULL where it has nothing
	 * that is enabled.
	 * May call perf_sched_cb_dec(). Not for a PMU with perf_sw_context, whose
	 * events go with others' groups
	 */
	void (*sched_task)(struct perf_event_pmu_context *pmu_ctx,
			   struct task_struct *task, bool sched_in);

	/**
	 * @task_ctx_cache: where pmu_ctx->task_ctx_data comes from, zeroed; for tasks
	 * with an event for which event_init set PERF_ATTACH_TASK_DATA
	 */
	struct kmem_cache *task_ctx_cache;
	/**
	 * @swap_task_ctx: two tasks exchange their contexts. This core does not let
	 * them do so, and never calls it.
	 */
	void (*swap_task_ctx)(struct perf_event_pmu_context *prev_epc,
			      struct perf_event_pmu_context *next_epc);

	/**
	 * @setup_aux: prepare an AUX area of @nr_pages (a power of two) whose
	 * addresses are @pages; @overwrite: the reader does not say what it has read.
	 * Process context, may sleep; the mm's mmap_lock and the buffer's lock are held.
	 * It may be called for other areas, and by other PMUs' events, at the same time.
	 * Return: what perf_aux_output_begin() and perf_get_aux() give back, or NULL:
	 * mmap(2) fails with -ENOMEM.
	 */
	void *(*setup_aux)(struct perf_event *event, void **pages, int nr_pages,
			   bool overwrite);
	/**
	 * @free_aux: undo @setup_aux, in the same context; needed if that is set. No
	 * transaction is open. It may be called long after the event has gone, but not
	 * after perf_pmu_unregister() has returned.
	 */
	void (*free_aux)(void *aux);
	/**
	 * @snapshot_aux: copy the last @size bytes of the trace into a sample, by
	 * perf_output_copy_aux(). Any context, NMI included, interrupts off, no lock;
	 * on the event's CPU. Return: bytes copied, 0 to @size; the rest is zeros.
	 */
	long (*snapshot_aux)(struct perf_event *event,
			     struct perf_output_handle *handle, unsigned long size);

	/**
	 * @addr_filters_validate: are these struct perf_addr_filter possible together?
	 * Process context, the context's mutex is held, may sleep; needed, as is
	 * @addr_filters_sync, where @nr_addr_filters is set. Return: 0, or what the
	 * ioctl returns; then the filters stay as they were.
	 */
	int  (*addr_filters_validate)(struct list_head *filters);
	/**
	 * @addr_filters_sync: take over event->addr_filter_ranges, in the order of
	 * the filters. Called by perf_event_addr_filters_sync(), which the driver
	 * calls in start, if they have changed; the filters' lock is held.
	 */
	void (*addr_filters_sync)(struct perf_event *event);

	/**
	 * @aux_output_match: asked of the PMU of an event with attr.aux_output: can it
	 * write into the AUX area of @event, the group's leader? Process context,
	 * the context's mutex is held. Return: 0 for no.
	 */
	int (*aux_output_match)(struct perf_event *event);

	/**
	 * @filter: are this PMU's groups to be kept off @cpu? Asked on that CPU, once for
	 * all groups of a task, CPU or cgroup that might go on, and by each rotation;
	 * for machines of unlike CPUs.
	 */
	bool (*filter)(struct pmu *pmu, int cpu);

	/**
	 * @check_period: can an open event without a frequency get this period? Process
	 * context, the context's mutex is held. At open, event_init checks the period.
	 * Return: 0, or an error, which becomes -EINVAL.
	 */
	int (*check_period)(struct perf_event *event, u64 value);
};

enum perf_addr_filter_action_t {
	PERF_ADDR_FILTER_ACTION_STOP = 0,
	PERF_ADDR_FILTER_ACTION_START,
	PERF_ADDR_FILTER_ACTION_FILTER,
};

/**
 * struct perf_addr_filter - one address range of PERF_EVENT_IOC_SET_FILTER
 * @entry: in the event's list
 * @path: the object file, empty for kernel addresses
 * @offset: into the file, or a kernel address
 * @size: bytes; 0 for a single address
 * @action: what the range does
 */
struct perf_addr_filter {
	struct list_head		entry;
	struct path			path;
	unsigned long			offset;
	unsigned long			size;
	enum perf_addr_filter_action_t	action;
};

/**
 * struct perf_addr_filters_head - the address filters of an event
 * @list: of struct perf_addr_filter
 * @lock: protects @list and the event's ranges; taken with interrupts off
 * @nr_file_filters: how many of them have a file
 */
struct perf_addr_filters_head {
	struct list_head	list;
	raw_spinlock_t		lock;
	unsigned int		nr_file_filters;
};

/**
 * struct perf_addr_filter_range - a filter as it applies to the current mm
 * @start: virtual address, 0 when the file is not mapped
 * @size: in bytes
 */
struct perf_addr_filter_range {
	unsigned long	start;
	unsigned long	size;
};

/**
 * struct perf_event_filters - what an event of a PMU with address filters has
 * @head: the filters of a root; copies use their root's
 * @gen: generation of @ranges; changes with them
 * @serial: for a root, how often it has got filters
 * @applied: the root's @serial for which @ranges were computed
 * @ranges: array of pmu::nr_addr_filters ranges, in the order of the filters
 */
struct perf_event_filters {
	struct perf_addr_filters_head	head;
	unsigned long			gen;
	unsigned long			serial;
	unsigned long			applied;
	struct perf_addr_filter_range	ranges[];
};

/**
 * enum perf_event_state - where an event is in its life
 * @PERF_EVENT_STATE_DEAD: closed, or its PMU is gone; for ever
 * @PERF_EVENT_STATE_EXIT: its task is gone, or the package that it counted; for ever
 * @PERF_EVENT_STATE_ERROR: pinned and did not fit; enabling tries again
 * @PERF_EVENT_STATE_OFF: disabled
 * @PERF_EVENT_STATE_INACTIVE: enabled, not counting now
 * @PERF_EVENT_STATE_ACTIVE: counting whenever its context runs
 *
 * Drivers compare: above OFF means enabled.
 */
enum perf_event_state {
	PERF_EVENT_STATE_DEAD		= -4,
	PERF_EVENT_STATE_EXIT		= -3,
	PERF_EVENT_STATE_ERROR		= -2,
	PERF_EVENT_STATE_OFF		= -1,
	PERF_EVENT_STATE_INACTIVE	=  0,
	PERF_EVENT_STATE_ACTIVE		=  1,
};

typedef void (*perf_overflow_handler_t)(struct perf_event *event,
					struct perf_sample_data *data,
					struct pt_regs *regs);

/*
 * event_caps; group_caps is what all members of a group have in common. Drivers
 * may set READ_ACTIVE_PKG and SIBLING in event_init; the others are the core's.
 */
#define PERF_EV_CAP_SOFTWARE		BIT(0)	/* competes for no counter */
#define PERF_EV_CAP_READ_ACTIVE_PKG	BIT(1)	/* any CPU of the package reads it */
#define PERF_EV_CAP_SIBLING		BIT(2)	/* must not be a leader */
#define PERF_EV_CAP_READ_SCOPE		BIT(3)	/* any CPU of the scope reads it */
#define PERF_EV_CAP_RESIDENT		BIT(4)	/* counts without being scheduled */

/*
 * attach_state. Drivers may set TASK_DATA and SCHED_CB in event_init, and look
 * at TASK; the others are the core's.
 */
#define PERF_ATTACH_CONTEXT	0x01	/* it is in its context's list */
#define PERF_ATTACH_GROUP	0x02	/* as a member, not as a leader */
#define PERF_ATTACH_TASK	0x04	/* it was opened on a task */
#define PERF_ATTACH_TASK_DATA	0x08	/* its task needs pmu::task_ctx_cache's data */
#define PERF_ATTACH_ITRACE	0x10	/* its driver writes ITRACE_START */
#define PERF_ATTACH_SCHED_CB	0x20	/* its add calls perf_sched_cb_inc(): look at switches */
#define PERF_ATTACH_CHILD	0x40	/* its root finds it */

/* The members of @event's group, without itself; none unless it is a leader. */
#define for_each_sibling_event(sibling, event)				\
	list_for_each_entry(sibling, perf_event_siblings(event), sibling_list)

/**
 * struct perf_event_obstacle_note - what was in the way of a pinned group that did not fit
 * @no_node: the word by which a group_node says that it is in no tree
 * @what: enum perf_event_obstacle, and more, as kernel/events/state.c packs it; 0: nothing
 * @id: of the leader of one of the groups that were in its way, or 0
 */
struct perf_event_obstacle_note {
	unsigned long	no_node;
	unsigned long	what;
	unsigned long	id;
};

/**
 * struct perf_event - one event, on one task or one CPU
 * @hlist_entry: where the event site finds it
 * @active_entry: or, for PMUs whose events have no site, the driver's own list
 * @state: changed by perf_event_set_state() alone, whose comment names the exceptions
 * @cpu: the CPU that the event is limited to, -1 for all
 * @oncpu: the CPU that the event counts on now, -1 for none
 * @attach_state: PERF_ATTACH_*
 * @event_caps: PERF_EV_CAP_*
 * @group_caps: of a leader, what its whole group has in common
 * @count: total so far, without copies
 * @ctx: the context that the event is attached to; kept until the event is freed
 * @pmu_ctx: the part of @ctx that schedules the event's group, NULL when resident
 * @pmu: the PMU that counts the event
 * @group_leader: itself, or the leader; of a detached event always itself
 * @sibling_list: of a leader, the list of its members; of a member, its place there
 * @nr_siblings: of a leader, the number of its members
 * @pending_kill: POLL_* that the next signal is to report
 * @time_enabled: ns that the event has been enabled; see kernel/events/time_seq.h
 * @time_running: ns that the event has counted; see kernel/events/time_seq.h
 * @total_time_running: of an event that is on, ns that it had counted when it was put on
 * @state_since: of any other, when its state began: by the clock of its times while it is
 *	enabled, else by perf_clock()
 * @attr: what was asked for
 * @active_list: place in the PMU context's list of groups that are on
 * @moving_entry: or, while it is off, in the list of events that move to another CPU
 * @left_entry: or, when it is off for ever, in the list of copies that leave a context
 * @group_node: place in the PMU context's tree of groups
 * @obstacle: or, of a leader in the error state, what was in its way; kernel/events/state.c
 * @group_runtime: ns that the group has run, for its age among others
 * @header_size: size in bytes of the part of a sample that does not vary
 * @id_header_size: size in bytes of the trailer of other records
 * @read_size: size in bytes of what read(2) returns
 * @event_flags: what the core knows of the event: PERF_EVENT_*, see kernel/events/event.h
 * @hw: state that the driver keeps
 * @event_entry: place in its context's list, RCU
 * @parent: of a copy, its root, to which it has a reference; NULL for a root
 * @id: number of the event, also the order of arrival
 * @rb: the buffer that the event writes to
 * @cold: the cold part, which few events have, or NULL
 * @overflow_handler: called at each overflow, in any context, preemption off
 * @overflow_handler_context: argument of the opener, for the kernel's own events
 * @bpf_cookie: for all other events, cookie of @prog
 * @clock: record clock
 * @prog: BPF program for overflows, or of the tracepoint
 * @tp_event: the trace event of a tracepoint or probe
 * @pmu_private: for all other PMUs, data of the driver
 * @copied_from: during a fork, what a plain copy has been copied from
 * @filter: the filter of a tracepoint or probe
 * @addr_filter_ranges: for other PMUs with address filters, their ranges, in a
 *	struct perf_event_filters
 * @lost_samples: for PMUs without any filters, number of samples that the driver
 *	dropped (powerpc)
 * @ns: for PMUs without any filters, PID namespace of samples (s390)
 * @aux_event: AUX leader that the event writes to or controls, or NULL; a reference
 * @cgrp: the only cgroup that the event counts for, or NULL
 * @destroy: set by the driver, called once when the event goes
 * @refcount: references to the event
 * @orig_type: attr.type as it was asked for
 * @owner: the task that opened the event, PERF_TASK_GONE for the kernel
 * @owner_entry: in @owner's list
 * @child_list: of a copy, its place among its root's copies
 * @rcu_head: for freeing, when the event is in neither of these lists any more
 * @late_entry: in the list of events that a worker is to free, when @rcu_head has served
 * @security: data of the security modules
 * @pmu_list: of a root, place in its PMU's list
 * @gone_entry: of a copy, place among those that exit, or are freed
 * @settled_next: of a copy that is settled, the next such one of its context
 * @ftrace_ops: for tracepoint events, the function tracer's
 *
 * Fields are ordered by use: first those that sites, switches and reads touch, then
 * those of drivers, then those that only open and close need.
 *
 * Unless said otherwise, the links between events and contexts are changed with both
 * ctx->lock and ctx->mutex held, and looked at with either held.
 */
struct perf_event {
#ifdef CONFIG_PERF_EVENTS
	union {
		struct hlist_node	hlist_entry;
		struct list_head	active_entry;
	};
	enum perf_event_state		state;
	int				cpu;
	int				oncpu;
	u16				attach_state;
	u8				event_caps;
	u8				group_caps;
	local64_t			count;
	struct perf_event_context	*ctx;
	struct perf_event_pmu_context	*pmu_ctx;
	struct pmu			*pmu;
	struct perf_event		*group_leader;
	struct list_head		sibling_list;
	unsigned int			nr_siblings;
	unsigned int			pending_kill; /* POLL_IN or POLL_HUP */
	atomic64_t			time_enabled;
	atomic64_t			time_running;
	union {
		u64			total_time_running;
		u64			state_since;
	};

	struct perf_event_attr		attr;

	/* scheduling of groups that need a counter */
	union {
		struct list_head	active_list;
		struct list_head	moving_entry;
		struct list_head	left_entry;
	};
	union {
		struct rb_node		group_node;
		struct perf_event_obstacle_note	obstacle;
	};
	u64				group_runtime;

	/* fixed parts of records and reads, computed when the group changes */
	u16				header_size;
	u16				id_header_size;
	u16				read_size;
	u16				event_flags;

	struct hw_perf_event		hw;

	struct list_head		event_entry;
	struct perf_event		*parent;
	u64				id;

	/* records: kernel/events/overflow.c, output.c */
	struct perf_buffer __rcu	*rb;
	struct perf_event_cold		*cold;
	perf_overflow_handler_t		overflow_handler;
	union {
		void			*overflow_handler_context;
		u64			bpf_cookie;
	};
	u64				(*clock)(void);

	struct bpf_prog			*prog;
	union {
		struct trace_event_call	*tp_event;
		void			*pmu_private;
		const struct perf_event	*copied_from;
	};
	union {
		struct event_filter		*filter;
		struct perf_addr_filter_range	*addr_filter_ranges;
		atomic64_t			lost_samples;
		struct pid_namespace		*ns;
	};
	struct perf_event		*aux_event;
	struct perf_cgroup		*cgrp;
	void				(*destroy)(struct perf_event *event);
	/* in another cache line than fields that samples of the event's copies look at */
	refcount_t			refcount;
	unsigned int			orig_type;
	struct task_struct		*owner;
	union {
		struct list_head	owner_entry;
		struct list_head	child_list;
		struct rcu_head		rcu_head;
		struct llist_node	late_entry;
	};
#ifdef CONFIG_SECURITY
	void				*security;
#endif
	union {
		struct list_head	pmu_list;
		struct list_head	gone_entry;
		struct perf_event	*settled_next;
	};
#ifdef CONFIG_FUNCTION_TRACER
	/* This is the last field: only tracepoint events have memory for it. */
	struct ftrace_ops		ftrace_ops;
#endif
#endif /* CONFIG_PERF_EVENTS */
};

#ifdef CONFIG_PERF_EVENTS
/* The empty list that a member has instead of a list of members. */
extern struct list_head perf_event_no_siblings;

static inline struct list_head *perf_event_siblings(const struct perf_event *event)
{
	if (event->group_leader != event)
		return &perf_event_no_siblings;
	return (struct list_head *)&event->sibling_list;
}
#endif

/**
 * struct perf_event_pmu_context - the events of one PMU in one context
 * @pmu: the PMU
 * @ctx: the context
 * @pmu_ctx_entry: in ctx->pmu_ctx_list
 * @pinned_active: pinned groups that are on
 * @flexible_active: flexible groups that are on
 * @pinned_groups: enabled pinned groups, ordered by CPU, cgroup and arrival
 * @flexible_groups: enabled flexible groups, ordered by CPU, cgroup and age
 * @age_base: ns of group_runtime that count as age 0
 * @embedded: part of a struct perf_cpu_pmu_context, never freed alone
 * @refcount: one reference for each event
 * @rcu_head: for freeing
 * @task_ctx_data: data of the driver, from pmu::task_ctx_cache, or NULL
 * @turn: for a task's context, ns by the context clock when its last turn was over
 *
 * Protected by the context's lock.
 */
struct perf_event_pmu_context {
	struct pmu			*pmu;
	struct perf_event_context	*ctx;
	struct list_head		pmu_ctx_entry;
	struct list_head		pinned_active;
	struct list_head		flexible_active;
	struct rb_root			pinned_groups;
	struct rb_root			flexible_groups;
	u64				age_base;
	bool				embedded;
	refcount_t			refcount;
	struct rcu_head			rcu_head;
	void				*task_ctx_data;
	u64				turn;
};

/**
 * struct perf_event_clock - time that runs only while its context does
 * @time: ns when it last stopped, or when times that run by it last changed
 * @offset: what to add to perf_clock() while it runs; see kernel/events/time_seq.h
 * @cpu: the CPU that the clock runs on, -1 while it stands
 *
 * Written under the context's lock; read by anyone in any context (see
 * perf_clock_at()).
 */
struct perf_event_clock {
	atomic64_t	time;
	atomic64_t	offset;
	int		cpu;
};

/* Lists of software events by config; the first are clocks, which have no site. */
#define PERF_SW_FIRST	PERF_COUNT_SW_PAGE_FAULTS
#define PERF_SW_LISTS	(PERF_COUNT_SW_MAX - PERF_SW_FIRST)

/**
 * struct perf_event_context - the events of one task or one CPU
 * @lock: protects what the CPU that runs the context looks at; innermost
 * @refcount: references of the task or CPU, and of every event that has this context
 * @clock: runs while the context does
 * @now: perf_clock() of the change that goes on, or of the last one
 * @seq: counts changes, and says whether one goes on; see kernel/events/time_seq.h
 * @nr_events: number of events that are attached or about to be
 * @nr_sched: enabled groups that have to be scheduled
 * @nr_freq: events that sample at a frequency and are on
 * @nr_user: events with PERF_EVENT_FLAG_USER_READ_CNT when they came
 * @walked: tracepoints about the task look at @event_list from other CPUs; never cleared
 * @residence: the context is a residence; see kernel/events/residence.h
 * @cloned: @clones has been set; never cleared
 * @settled: copies are settled, and the clock has stood since; kernel/events/settle.h
 * @family: the lock of its events' families; set once, at the first fork that inherits
 * @clones: shared with the contexts that are its clones, or NULL; changed under @mutex
 * @mapped: events with their page mapped
 * @task: NULL for a CPU's; PERF_TASK_GONE once the task has exited
 * @event_list: all events, RCU
 * @pmu_ctx_list: one part for each PMU that has events here
 * @sw_lists: resident software events, by config; RCU
 * @settled_copies: the first copy here that is settled, or NULL
 * @stirred_entry: in the family's list of contexts that have been stirred
 * @mutex: protects membership; held by open, close and ioctl
 * @rcu_head: for freeing
 */
struct perf_event_context {
	raw_spinlock_t			lock;
	refcount_t			refcount;
	struct perf_event_clock		clock;
	u64				now;
	unsigned int			seq;
	unsigned int			nr_events;
	unsigned int			nr_sched;
	unsigned int			nr_freq;
	unsigned int			nr_user;
	bool				walked;
	bool				residence;
	bool				cloned;
	bool				settled;
	struct perf_family		*family;
	struct perf_clones		*clones;
	struct hlist_head		mapped; /* of struct perf_event_cold */
	struct task_struct		*task;
	struct list_head		event_list;
	struct list_head		pmu_ctx_list;
	struct hlist_head		sw_lists[PERF_SW_LISTS];
	struct perf_event		*settled_copies;
	struct llist_node		stirred_entry;
	union {
		struct mutex		mutex; /* membership */
		struct rcu_head		rcu_head;
	};
};

/**
 * struct perf_output_handle - a record being written
 * @event: the event on whose behalf the record is written
 * @rb: the buffer that the record is written to
 * @wakeup: to be stored when the write ends
 * @size: bytes left on the current page (records) or granted (AUX)
 * @flags: of the record
 * @aux_flags: PERF_AUX_FLAG_* of the AUX record
 * @skip_read: the members' counters are not to be read while sampling
 * @shared: other CPUs may write to the buffer at the same time
 * @addr: where the next byte goes
 * @head: AUX: position where the transaction begins
 * @page: that @addr is on
 */
struct perf_output_handle {
	struct perf_event	*event;
	struct perf_buffer	*rb;
	unsigned long		wakeup;
	unsigned long		size;
	union {
		u64		flags;
		u64		aux_flags;
		struct {
			u64	skip_read : 1;
			u64	shared : 1;
		};
	};
	union {
		void		*addr;
		unsigned long	head;
	};
	int			page;
};

struct bpf_perf_event_data_kern {
	bpf_user_pt_regs_t		*regs;
	struct perf_sample_data		*data;
	struct perf_event		*event;
};

#ifdef CONFIG_CGROUP_PERF
/**
 * struct perf_cgroup_info - clock of one cgroup on one CPU
 * @clock: runs while a task of the cgroup or its descendants does
 * @active: number of events switched in
 */
struct perf_cgroup_info {
	struct perf_event_clock	clock;
	int			active;
};

/**
 * struct perf_cgroup - the perf_event controller's state of a cgroup
 * @css: the controller's part of the cgroup
 * @info: per CPU, the cgroup's clock there; NULL until it has its first event
 */
struct perf_cgroup {
	struct cgroup_subsys_state		css;
	struct perf_cgroup_info __percpu	*info;
};

/*
 * The cgroup of @task; @ctx, when given, is a context whose lock keeps the
 * answer from changing.
 */
static inline struct perf_cgroup *
perf_cgroup_from_task(struct task_struct *task, struct perf_event_context *ctx)
{
	return container_of(task_css_check(task, perf_event_cgrp_id,
					   !ctx || lockdep_is_held(&ctx->lock)),
			    struct perf_cgroup, css);
}
#endif /* CONFIG_CGROUP_PERF */

#ifdef CONFIG_PERF_EVENTS

/* AUX area transactions of drivers; interrupts off */
void *perf_aux_output_begin(struct perf_output_handle *handle,
			    struct perf_event *event);
void perf_aux_output_end(struct perf_output_handle *handle, unsigned long size);
int perf_aux_output_skip(struct perf_output_handle *handle, unsigned long size);
void *perf_get_aux(struct perf_output_handle *handle);
void perf_aux_output_flag(struct perf_output_handle *handle, u64 flags);
void perf_event_itrace_started(struct perf_event *event);
void perf_report_aux_output_id(struct perf_event *event, u64 hw_id);
long perf_output_copy_aux(struct perf_output_handle *aux_handle,
			  struct perf_output_handle *handle,
			  unsigned long from, unsigned long to);

/* PMU drivers */
int perf_event_refuse(const struct perf_event *event, const char *field, const char *reason,
		      int error);
int perf_pmu_register(struct pmu *pmu, const char *name, int type);
void perf_pmu_unregister(struct pmu *pmu);
void perf_pmu_disable(struct pmu *pmu);
void perf_pmu_enable(struct pmu *pmu);
void perf_pmu_resched(struct pmu *pmu);
void perf_pmu_resched_flexible(struct pmu *pmu);
void perf_sched_cb_dec(struct pmu *pmu);
struct perf_event_context *perf_cpu_task_ctx(void);
void perf_sched_cb_inc(struct pmu *pmu);
void perf_pmu_migrate_context(struct pmu *pmu, int src_cpu, int dst_cpu);
void perf_event_update_userpage(struct perf_event *event);

/* the scheduler, fork, exec and exit */
void __perf_event_task_sched_in(struct task_struct *prev, struct task_struct *task);
void __perf_event_task_sched_out(struct task_struct *prev, struct task_struct *next);
int perf_event_init_task(struct task_struct *child, u64 clone_flags);
void perf_event_exit_task(struct task_struct *child);
void perf_event_free_task(struct task_struct *task);
void perf_event_delayed_put(struct task_struct *task);
void perf_event_exec(void);
int perf_event_task_disable(void);
int perf_event_task_enable(void);
long perf_event_explain(void __user *buf, unsigned long size);
void perf_event_task_tick(void);
void perf_event_print_debug(void);

/* BPF and other holders of an event's file */
struct file *perf_event_get(unsigned int fd);
const struct perf_event *perf_get_event(struct file *file);
const struct perf_event_attr *perf_event_attrs(struct perf_event *event);

/* events that the kernel itself opens */
struct perf_event *
perf_event_create_kernel_counter(struct perf_event_attr *attr, int cpu,
				 struct task_struct *task,
				 perf_overflow_handler_t callback, void *context);
int perf_event_release_kernel(struct perf_event *event);
int perf_event_read_local(struct perf_event *event, u64 *value,
			  u64 *enabled, u64 *running);
u64 perf_event_read_value(struct perf_event *event, u64 *enabled, u64 *running);
void perf_event_enable(struct perf_event *event);
void perf_event_disable(struct perf_event *event);
void perf_event_disable_local(struct perf_event *event);
void perf_event_disable_inatomic(struct perf_event *event);
int perf_event_refresh(struct perf_event *event, int refresh);
u64 perf_event_pause(struct perf_event *event, bool reset);
int perf_event_period(struct perf_event *event, u64 value);
void perf_event_addr_filters_sync(struct perf_event *event);
int perf_event_account_interrupt(struct perf_event *event);

static inline bool is_write_backward(struct perf_event *event)
{
	return !!event->attr.write_backward;
}

static inline bool has_addr_filter(const struct perf_event *event)
{
	return event->pmu->nr_addr_filters;
}

static inline struct perf_event_filters *perf_event_filters(const struct perf_event *event)
{
	return container_of((void *)event->addr_filter_ranges, struct perf_event_filters, ranges);
}

/* Filters belong to the root, not to its copies. */
static inline struct perf_addr_filters_head *
perf_event_addr_filters(struct perf_event *event)
{
	return &perf_event_filters(event->parent ?: event)->head;
}

static inline bool is_sampling_event(const struct perf_event *event)
{
	return event->attr.sample_period != 0;
}

/* Software events never lack a counter. */
static inline int is_software_event(const struct perf_event *event)
{
	return event->event_caps & PERF_EV_CAP_SOFTWARE;
}

static inline bool event_has_any_exclude_flag(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	return attr->exclude_user || attr->exclude_kernel || attr->exclude_hv ||
	       attr->exclude_idle || attr->exclude_host || attr->exclude_guest;
}

/* samples */

/**
 * struct perf_sample_data - the fields of a sample before it is written
 * @sample_flags: PERF_SAMPLE_* bits of the fields that are already set
 * @period: of the event
 * @dyn_size: bytes of the fields whose size varies, without the read values
 * @type: the event's sample_type, as it applies here
 * @callchain_nr: words of @callchain that @dyn_size counts
 * @tid_entry: PERF_SAMPLE_TID: the task's process and thread
 * @time: PERF_SAMPLE_TIME: by the event's record clock, ns
 * @id: PERF_SAMPLE_ID, IDENTIFIER: id of the root
 * @cpu_entry: PERF_SAMPLE_CPU
 * @ip: PERF_SAMPLE_IP: where it was
 * @callchain: PERF_SAMPLE_CALLCHAIN; set by perf_sample_save_callchain()
 * @raw: PERF_SAMPLE_RAW; set by perf_sample_save_raw_data()
 * @br_stack: PERF_SAMPLE_BRANCH_STACK; set by perf_sample_save_brstack()
 * @br_stack_cntr: counters at each branch, or NULL; set with @br_stack
 * @weight: PERF_SAMPLE_WEIGHT, WEIGHT_STRUCT: cost of the sampled instruction
 * @data_src: PERF_SAMPLE_DATA_SRC: where the accessed memory was
 * @txn: PERF_SAMPLE_TRANSACTION: why a transaction was aborted
 * @regs_user: PERF_SAMPLE_REGS_USER, and where STACK_USER begins
 * @regs_intr: PERF_SAMPLE_REGS_INTR
 * @stack_user_size: PERF_SAMPLE_STACK_USER: bytes
 * @stream_id: PERF_SAMPLE_STREAM_ID: id of the event itself
 * @cgroup: PERF_SAMPLE_CGROUP: id of the task's cgroup
 * @addr: PERF_SAMPLE_ADDR: the address that the sample is about
 * @phys_addr: PERF_SAMPLE_PHYS_ADDR: physical address of @addr
 * @data_page_size: PERF_SAMPLE_DATA_PAGE_SIZE: of the page of @addr, bytes
 * @code_page_size: PERF_SAMPLE_CODE_PAGE_SIZE: of the page of @ip, bytes
 * @aux_size: PERF_SAMPLE_AUX: bytes
 *
 * A field of the record is valid if its bit is set in @sample_flags. A driver starts
 * with perf_sample_data_init() and adds the fields that its hardware has, and the
 * core adds those that are still missing.
 */
struct perf_sample_data {
	u64				sample_flags;
	u64				period;
	u64				dyn_size;

	u64				type;
	struct {
		u32	pid;
		u32	tid;
	}				tid_entry;
	u64				time;
	u64				id;
	struct {
		u32	cpu;
		u32	reserved;
	}				cpu_entry;

	u64				ip;
	struct perf_callchain_entry	*callchain;
	struct perf_raw_record		*raw;
	struct perf_branch_stack	*br_stack;
	u64				*br_stack_cntr;
	union perf_sample_weight	weight;
	union perf_mem_data_src		data_src;
	u64				txn;

	struct perf_regs		regs_user;
	struct perf_regs		regs_intr;
	u64				stack_user_size;

	u64				stream_id;
	u64				cgroup;
	u64				addr;
	u64				phys_addr;
	u64				data_page_size;
	u64				code_page_size;
	u64				aux_size;
	u64				callchain_nr;
} ____cacheline_aligned;

/* data_src of a sample without any information about the memory. */
#define PERF_MEM_NA (PERF_MEM_S(OP, NA)   | PERF_MEM_S(LVL, NA)   |\
		     PERF_MEM_S(SNOOP, NA) | PERF_MEM_S(LOCK, NA) |\
		     PERF_MEM_S(TLB, NA)   | PERF_MEM_S(LVLNUM, NA))

static inline void perf_sample_data_init(struct perf_sample_data *data,
					 u64 addr, u64 period)
{
	data->sample_flags = PERF_SAMPLE_PERIOD;
	data->period = period;
	data->dyn_size = 0;
	if (!addr)
		return;
	data->addr = addr;
	data->sample_flags |= PERF_SAMPLE_ADDR;
}

void perf_sample_save_callchain(struct perf_sample_data *data,
				struct perf_event *event, struct pt_regs *regs);
void perf_sample_save_raw_data(struct perf_sample_data *data,
			       struct perf_event *event,
			       struct perf_raw_record *raw);
void perf_sample_save_brstack(struct perf_sample_data *data,
			      struct perf_event *event,
			      struct perf_branch_stack *brs, u64 *brs_cntr);
u32 perf_sample_data_size(struct perf_sample_data *data, struct perf_event *event);

static inline void perf_clear_branch_entry_bitfields(struct perf_branch_entry *br)
{
	br->mispred = 0;
	br->predicted = 0;
	br->in_tx = 0;
	br->abort = 0;
	br->cycles = 0;
	br->type = 0;
	br->spec = PERF_BR_SPEC_NA;
	br->reserved = 0;
}

void perf_output_sample(struct perf_output_handle *handle,
			struct perf_event_header *header,
			struct perf_sample_data *data, struct perf_event *event);
void perf_prepare_sample(struct perf_sample_data *data,
			 struct perf_event *event, struct pt_regs *regs);
void perf_prepare_header(struct perf_event_header *header,
			 struct perf_sample_data *data,
			 struct perf_event *event, struct pt_regs *regs);
int perf_event_overflow(struct perf_event *event,
			struct perf_sample_data *data, struct pt_regs *regs);
void perf_event_output_forward(struct perf_event *event,
			       struct perf_sample_data *data, struct pt_regs *regs);
void perf_event_output_backward(struct perf_event *event,
				struct perf_sample_data *data, struct pt_regs *regs);
int perf_event_output(struct perf_event *event,
		      struct perf_sample_data *data, struct pt_regs *regs);

/* Is this the core's own handler, which writes records? */
static inline bool is_default_overflow_handler(struct perf_event *event)
{
	perf_overflow_handler_t handler = event->overflow_handler;

	return likely(handler == perf_event_output_forward) ||
	       unlikely(handler == perf_event_output_backward);
}

void perf_event_header__init(struct perf_event_header *header, struct perf_sample_data *data,
			     u32 type, u16 misc, u16 size, struct perf_event *event);
void perf_event_header__init_id(struct perf_event_header *header,
				struct perf_sample_data *data,
				struct perf_event *event);
void perf_event__output_id_sample(struct perf_event *event,
				  struct perf_output_handle *handle,
				  struct perf_sample_data *sample);
void perf_log_lost_samples(struct perf_event *event, u64 lost);

/* writing records */
int perf_output_begin(struct perf_output_handle *handle,
		      struct perf_sample_data *data,
		      struct perf_event *event, unsigned int size);
void perf_output_end(struct perf_output_handle *handle);
unsigned int perf_output_copy(struct perf_output_handle *handle,
			      const void *buf, unsigned int len);
unsigned int perf_output_skip(struct perf_output_handle *handle, unsigned int len);

#define perf_output_put(handle, x)	perf_output_copy((handle), &(x), sizeof(x))

/* software events */
extern struct static_key_deferred perf_swevent_enabled[PERF_COUNT_SW_MAX];
void ___perf_sw_event(u32 event_id, u64 nr, struct pt_regs *regs, u64 addr);
void __perf_sw_event(u32 event_id, u64 nr, struct pt_regs *regs, u64 addr);
int perf_swevent_get_recursion_context(void);
void perf_swevent_put_recursion_context(int rctx);
u64 perf_swevent_set_period(struct perf_event *event);

#ifndef perf_arch_fetch_caller_regs
static inline void perf_arch_fetch_caller_regs(struct pt_regs *regs, unsigned long ip) { }
#endif

/*
 * Registers of the caller: enough for an instruction pointer, a call chain
 * and the privilege level, for events raised where no interrupt was.
 */
static inline void perf_fetch_caller_regs(struct pt_regs *regs)
{
	perf_arch_fetch_caller_regs(regs, CALLER_ADDR0);
}

/**
 * perf_sw_event - the site of a software event: count an occurrence
 * @event_id: PERF_COUNT_SW_*
 * @nr: how many times it has happened
 * @regs: registers where it happened
 * @addr: the address that it is about, or 0
 *
 * Any context, NMI included. A nop while there are no such events.
 */
static __always_inline void
perf_sw_event(u32 event_id, u64 nr, struct pt_regs *regs, u64 addr)
{
	if (static_key_false(&perf_swevent_enabled[event_id].key))
		__perf_sw_event(event_id, nr, regs, addr);
}

DECLARE_PER_CPU(struct pt_regs, __perf_regs[4]);

/* perf_sw_event() for the scheduler: preemption is off, and there are no registers. */
static __always_inline void __perf_sw_event_sched(u32 event_id, u64 nr, u64 addr)
{
	struct pt_regs *regs = this_cpu_ptr(&__perf_regs[0]);

	perf_fetch_caller_regs(regs);
	___perf_sw_event(event_id, nr, regs, addr);
}

DECLARE_STATIC_KEY_FALSE(perf_sched_events);

static __always_inline bool __perf_sw_enabled(int swevt)
{
	return static_key_false(&perf_swevent_enabled[swevt].key);
}

static inline void perf_event_task_migrate(struct task_struct *task)
{
	if (__perf_sw_enabled(PERF_COUNT_SW_CPU_MIGRATIONS))
		task->sched_migrated = 1;
}

static inline void perf_event_task_sched_in(struct task_struct *prev,
					    struct task_struct *task)
{
	if (static_branch_unlikely(&perf_sched_events))
		__perf_event_task_sched_in(prev, task);

	if (__perf_sw_enabled(PERF_COUNT_SW_CPU_MIGRATIONS) && task->sched_migrated) {
		__perf_sw_event_sched(PERF_COUNT_SW_CPU_MIGRATIONS, 1, 0);
		task->sched_migrated = 0;
	}
}

static inline void perf_event_task_sched_out(struct task_struct *prev,
					     struct task_struct *next)
{
	if (__perf_sw_enabled(PERF_COUNT_SW_CONTEXT_SWITCHES))
		__perf_sw_event_sched(PERF_COUNT_SW_CONTEXT_SWITCHES, 1, 0);

#ifdef CONFIG_CGROUP_PERF
	if (__perf_sw_enabled(PERF_COUNT_SW_CGROUP_SWITCHES) &&
	    perf_cgroup_from_task(prev, NULL) != perf_cgroup_from_task(next, NULL))
		__perf_sw_event_sched(PERF_COUNT_SW_CGROUP_SWITCHES, 1, 0);
#endif

	if (static_branch_unlikely(&perf_sched_events))
		__perf_event_task_sched_out(prev, next);
}

#include <linux/perf_event_sideband.h>

/* guests */
#ifdef CONFIG_GUEST_PERF_EVENTS
extern struct perf_guest_info_callbacks __rcu *perf_guest_cbs;

DECLARE_STATIC_CALL(__perf_guest_state, *perf_guest_cbs->state);
DECLARE_STATIC_CALL(__perf_guest_get_ip, *perf_guest_cbs->get_ip);
DECLARE_STATIC_CALL(__perf_guest_handle_intel_pt_intr, *perf_guest_cbs->handle_intel_pt_intr);

static inline unsigned int perf_guest_state(void)
{
	return static_call(__perf_guest_state)();
}

static inline unsigned long perf_guest_get_ip(void)
{
	return static_call(__perf_guest_get_ip)();
}

static inline unsigned int perf_guest_handle_intel_pt_intr(void)
{
	return static_call(__perf_guest_handle_intel_pt_intr)();
}

void perf_register_guest_info_callbacks(struct perf_guest_info_callbacks *cbs);
void perf_unregister_guest_info_callbacks(struct perf_guest_info_callbacks *cbs);
#else
static inline unsigned int perf_guest_state(void)			{ return 0; }
static inline unsigned long perf_guest_get_ip(void)			{ return 0; }
static inline unsigned int perf_guest_handle_intel_pt_intr(void)	{ return 0; }
#endif

#ifndef perf_misc_flags
# define perf_misc_flags(regs) \
	(user_mode(regs) ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL)
# define perf_instruction_pointer(regs)	instruction_pointer(regs)
#endif
#ifndef perf_arch_bpf_user_pt_regs
# define perf_arch_bpf_user_pt_regs(regs) regs
#endif

/* call chains */
DECLARE_PER_CPU(struct perf_callchain_entry, perf_callchain_entry);

void perf_callchain_user(struct perf_callchain_entry_ctx *entry, struct pt_regs *regs);
void perf_callchain_kernel(struct perf_callchain_entry_ctx *entry, struct pt_regs *regs);
struct perf_callchain_entry *
get_perf_callchain(struct pt_regs *regs, bool kernel, bool user,
		   u32 max_stack, bool crosstask, bool add_mark);
int get_callchain_buffers(int max_stack);
void put_callchain_buffers(void);
struct perf_callchain_entry *get_callchain_entry(int *rctx);
void put_callchain_entry(int rctx);
struct perf_callchain_entry *
perf_callchain(struct perf_event *event, struct pt_regs *regs);

extern int sysctl_perf_event_max_stack;
extern int sysctl_perf_event_max_contexts_per_stack;

static inline int
perf_callchain_store_context(struct perf_callchain_entry_ctx *ctx, u64 ip)
{
	struct perf_callchain_entry *entry = ctx->entry;

	if (ctx->contexts >= sysctl_perf_event_max_contexts_per_stack) {
		ctx->contexts_maxed = true;
		return -1;
	}
	entry->ip[entry->nr++] = ip;
	ctx->contexts++;
	return 0;
}

/* Returns non-zero when the chain is full: stop walking. */
static inline int perf_callchain_store(struct perf_callchain_entry_ctx *ctx, u64 ip)
{
	struct perf_callchain_entry *entry = ctx->entry;

	if (ctx->nr >= ctx->max_stack || ctx->contexts_maxed)
		return -1;
	entry->ip[entry->nr++] = ip;
	ctx->nr++;
	return 0;
}

/* sysctls and what they allow */
extern int sysctl_perf_event_paranoid;
extern int sysctl_perf_event_mlock;
extern int sysctl_perf_event_sample_rate;
extern int sysctl_perf_cpu_time_max_percent;

void perf_sample_event_took(u64 sample_len_ns);

int perf_event_max_sample_rate_handler(const struct ctl_table *table, int write,
				       void *buffer, size_t *lenp, loff_t *ppos);
int perf_cpu_time_max_percent_handler(const struct ctl_table *table, int write,
				      void *buffer, size_t *lenp, loff_t *ppos);
int perf_event_max_stack_handler(const struct ctl_table *table, int write,
				 void *buffer, size_t *lenp, loff_t *ppos);

static inline bool perf_is_paranoid(void)
{
	return sysctl_perf_event_paranoid > -1;
}

/* Kinds of access that security_perf_event_open() is asked about. */
#define PERF_SECURITY_OPEN		0
#define PERF_SECURITY_CPU		1
#define PERF_SECURITY_KERNEL		2
#define PERF_SECURITY_TRACEPOINT	3

int perf_allow_open(void);
int perf_allow_kernel(void);
int perf_allow_cpu(void);
int perf_allow_tracepoint(void);

void perf_event_init(void);

/* tracepoints and BPF */
void perf_tp_event(u16 event_type, u64 count, void *record, int entry_size,
		   struct pt_regs *regs, struct hlist_head *head, int rctx,
		   struct task_struct *task);
void perf_bp_event(struct perf_event *event, void *data);

static inline bool has_branch_stack(const struct perf_event *event)
{
	return event->attr.sample_type & PERF_SAMPLE_BRANCH_STACK;
}

static inline bool needs_branch_stack(const struct perf_event *event)
{
	return event->attr.branch_sample_type != 0;
}

static inline bool has_aux(const struct perf_event *event)
{
	return event->pmu && event->pmu->setup_aux;
}

static inline bool branch_sample_no_flags(const struct perf_event *event)
{
	return event->attr.branch_sample_type & PERF_SAMPLE_BRANCH_NO_FLAGS;
}

static inline bool branch_sample_no_cycles(const struct perf_event *event)
{
	return event->attr.branch_sample_type & PERF_SAMPLE_BRANCH_NO_CYCLES;
}

static inline bool branch_sample_type(const struct perf_event *event)
{
	return event->attr.branch_sample_type & PERF_SAMPLE_BRANCH_TYPE_SAVE;
}

static inline bool branch_sample_hw_index(const struct perf_event *event)
{
	return event->attr.branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX;
}

static inline bool branch_sample_priv(const struct perf_event *event)
{
	return event->attr.branch_sample_type & PERF_SAMPLE_BRANCH_PRIV_SAVE;
}

static inline bool branch_sample_counters(const struct perf_event *event)
{
	return event->attr.branch_sample_type & PERF_SAMPLE_BRANCH_COUNTERS;
}

static inline bool branch_sample_call_stack(const struct perf_event *event)
{
	return event->attr.branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK;
}

#else /* !CONFIG_PERF_EVENTS */

static inline void *perf_aux_output_begin(struct perf_output_handle *handle,
					  struct perf_event *event)	{ return NULL; }
static inline void perf_aux_output_end(struct perf_output_handle *handle,
				       unsigned long size)		{ }
static inline int perf_aux_output_skip(struct perf_output_handle *handle,
				       unsigned long size)		{ return -EINVAL; }
static inline void *perf_get_aux(struct perf_output_handle *handle)	{ return NULL; }
static inline void perf_event_task_migrate(struct task_struct *task)	{ }
static inline void perf_event_task_sched_in(struct task_struct *prev,
					    struct task_struct *task)	{ }
static inline void perf_event_task_sched_out(struct task_struct *prev,
					     struct task_struct *next)	{ }
static inline int perf_event_init_task(struct task_struct *child,
				       u64 clone_flags)			{ return 0; }
static inline void perf_event_exit_task(struct task_struct *child)	{ }
static inline void perf_event_free_task(struct task_struct *task)	{ }
static inline void perf_event_delayed_put(struct task_struct *task)	{ }
static inline void perf_event_exec(void)				{ }
static inline struct file *perf_event_get(unsigned int fd)
{
	return ERR_PTR(-EINVAL);
}

static inline const struct perf_event *perf_get_event(struct file *file)
{
	return ERR_PTR(-EINVAL);
}

static inline const struct perf_event_attr *perf_event_attrs(struct perf_event *event)
{
	return ERR_PTR(-EINVAL);
}

static inline int perf_event_read_local(struct perf_event *event, u64 *value,
					u64 *enabled, u64 *running)	{ return -EINVAL; }
static inline void perf_event_print_debug(void)				{ }
static inline int perf_event_task_disable(void)				{ return -EINVAL; }
static inline int perf_event_task_enable(void)				{ return -EINVAL; }
static inline long perf_event_explain(void __user *buf, unsigned long size) { return -EINVAL; }
static inline int perf_event_refresh(struct perf_event *event, int refresh)
{
	return -EINVAL;
}

static inline void perf_sw_event(u32 event_id, u64 nr, struct pt_regs *regs,
				 u64 addr)				{ }
static inline void perf_bp_event(struct perf_event *event, void *data)	{ }
static inline void perf_event_mmap(struct vm_area_struct *vma)		{ }
static inline void perf_event_comm(struct task_struct *task, bool exec)	{ }
static inline void perf_event_fork(struct task_struct *task)		{ }
static inline void perf_event_namespaces(struct task_struct *task)	{ }
static inline void perf_event_ksymbol(u16 ksym_type, u64 addr, u32 len,
				      bool unregister, const char *sym)	{ }
static inline void perf_event_bpf_event(struct bpf_prog *prog,
					enum perf_bpf_event_type type,
					u16 flags)			{ }
static inline void perf_event_text_poke(const void *addr, const void *old_bytes,
					size_t old_len, const void *new_bytes,
					size_t new_len)			{ }
static inline void perf_event_init(void)				{ }
static inline int perf_swevent_get_recursion_context(void)		{ return -1; }
static inline void perf_swevent_put_recursion_context(int rctx)		{ }
static inline void perf_event_enable(struct perf_event *event)		{ }
static inline void perf_event_disable(struct perf_event *event)		{ }
static inline void perf_event_task_tick(void)				{ }
static inline int perf_event_release_kernel(struct perf_event *event)	{ return 0; }
static inline int perf_event_period(struct perf_event *event, u64 value) { return -EINVAL; }
static inline u64 perf_event_pause(struct perf_event *event, bool reset) { return 0; }
#endif /* CONFIG_PERF_EVENTS */

#if defined(CONFIG_PERF_EVENTS) && defined(CONFIG_CPU_SUP_INTEL)
void perf_restore_debug_store(void);
#else
static inline void perf_restore_debug_store(void)			{ }
#endif

/* sysfs attributes of PMUs */

/**
 * struct perf_pmu_events_attr - a named event in sysfs
 * @attr: the file
 * @id: the driver's number for it
 * @event_str: its text, or NULL where the show function knows
 */
struct perf_pmu_events_attr {
	struct device_attribute	attr;
	u64			id;
	const char		*event_str;
};

/**
 * struct perf_pmu_events_ht_attr - a named event that depends on SMT
 * @attr: the file
 * @id: the driver's number for it
 * @event_str_ht: its text with SMT
 * @event_str_noht: its text without
 */
struct perf_pmu_events_ht_attr {
	struct device_attribute	attr;
	u64			id;
	const char		*event_str_ht;
	const char		*event_str_noht;
};

/**
 * struct perf_pmu_events_hybrid_attr - a named event of some kinds of core
 * @attr: the file
 * @id: the driver's number for it
 * @event_str: texts, one a kind of core
 * @pmu_type: kinds of core
 */
struct perf_pmu_events_hybrid_attr {
	struct device_attribute	attr;
	u64			id;
	const char		*event_str;
	u64			pmu_type;
};

/**
 * struct perf_pmu_format_hybrid_attr - a format of some kinds of core
 * @attr: the file
 * @pmu_type: kinds of core
 */
struct perf_pmu_format_hybrid_attr {
	struct device_attribute	attr;
	u64			pmu_type;
};

ssize_t perf_event_sysfs_show(struct device *dev, struct device_attribute *attr, char *page);

#define PMU_EVENT_ATTR(_name, _var, _id, _show)				\
static struct perf_pmu_events_attr _var = {				\
	.attr = __ATTR(_name, 0444, _show, NULL),			\
	.id   =  _id,							\
};

#define PMU_EVENT_ATTR_STRING(_name, _var, _str)			\
static struct perf_pmu_events_attr _var = {				\
	.attr	   = __ATTR(_name, 0444, perf_event_sysfs_show, NULL),	\
	.id	   = 0,							\
	.event_str = _str,						\
};

#define PMU_EVENT_ATTR_ID(_name, _show, _id)				\
	(&((struct perf_pmu_events_attr[]) {				\
		{ .attr = __ATTR(_name, 0444, _show, NULL),		\
		  .id = _id, }						\
	})[0].attr.attr)

#define PMU_FORMAT_ATTR_SHOW(_name, _format)				\
static ssize_t								\
_name##_show(struct device *dev, struct device_attribute *attr, char *page) \
{									\
	BUILD_BUG_ON(sizeof(_format) >= PAGE_SIZE);			\
	return sprintf(page, _format "\n");				\
}

#define PMU_FORMAT_ATTR(_name, _format)					\
	PMU_FORMAT_ATTR_SHOW(_name, _format)				\
	static struct device_attribute format_attr_##_name = __ATTR_RO(_name)

/* CPU hotplug */
#ifdef CONFIG_PERF_EVENTS
int perf_event_init_cpu(unsigned int cpu);
int perf_event_exit_cpu(unsigned int cpu);
#else
#define perf_event_init_cpu	NULL
#define perf_event_exit_cpu	NULL
#endif

/* user-space access to counters: what an architecture says in the page; any context */
void arch_perf_update_userpage(struct perf_event *event,
			       struct perf_event_mmap_page *userpg, u64 now);

/* snapshot of the branch records, for BPF; NMI-safe */
typedef int (perf_snapshot_branch_stack_t)(struct perf_branch_entry *entries,
					   unsigned int cnt);
DECLARE_STATIC_CALL(perf_snapshot_branch_stack, perf_snapshot_branch_stack_t);

#ifndef PERF_NEEDS_LOPWR_CB
static inline void perf_lopwr_cb(bool mode)				{ }
#endif

#endif /* _LINUX_PERF_EVENT_H */
