/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Performance events: interface for PMU drivers and the rest of the kernel
 *
 * The interface for user space is in <uapi/linux/perf_event.h>. Declarations for kernel/events/
 * alone are in kernel/events/internal.h.
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

/* Result of perf_guest_state(); 0 if no guest was interrupted */
#define PERF_GUEST_ACTIVE	0x01
#define PERF_GUEST_USER		0x02

/**
 * struct perf_guest_info_callbacks - callbacks of a hypervisor, for samples of guests
 * @state: return the PERF_GUEST_* bits of the interrupted guest; any context
 * @get_ip: return the guest's instruction pointer; any context
 * @handle_intel_pt_intr: handle an Intel PT interrupt that belongs to the guest; may be NULL.
 *	Return: non-zero if the interrupt was handled
 */
struct perf_guest_info_callbacks {
	unsigned int	(*state)(void);
	unsigned long	(*get_ip)(void);
	unsigned int	(*handle_intel_pt_intr)(void);
};

/**
 * struct perf_callchain_entry - a complete call chain
 * @nr: number of addresses and context markers in @ip
 * @ip: addresses, innermost first; a PERF_CONTEXT_* value marks the context of the addresses
 *	after it
 */
struct perf_callchain_entry {
	__u64	nr;
	__u64	ip[];
};

/**
 * struct perf_callchain_entry_ctx - state of the collection of a call chain
 * @entry: the call chain
 * @max_stack: maximum number of addresses
 * @nr: number of addresses stored so far
 * @contexts: number of context markers stored so far
 * @contexts_maxed: a marker did not fit, and no further entry is stored
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
 * struct perf_raw_frag - one fragment of PERF_SAMPLE_RAW data
 * @next: the next fragment, except in the last one
 * @pad: in the last fragment, number of padding bytes after the data. perf_raw_frag_last() detects
 *	the last fragment by this value below %sizeof(u64): no pointer is so small
 * @copy: function that copies @data, or NULL for plain memory
 * @data: the data, or the argument of @copy
 * @size: size of @data in bytes
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
 * struct perf_raw_record - all PERF_SAMPLE_RAW data of a sample
 * @frag: the first fragment
 * @size: value of the record's size field, set when the sample is prepared
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
 * struct perf_branch_stack - a copy of the hardware's branch records
 * @nr: number of valid entries
 * @hw_idx: the hardware's write position, -1 if unknown
 * @entries: branches, newest first
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
struct perf_inherit_data;
struct perf_sample_data;
struct perf_output_handle;
struct perf_buffer;
struct perf_cgroup;
struct perf_cpu_pmu_context;
struct bpf_prog;
struct pmu;

/**
 * struct hw_perf_event_extra - an extra register that several counters share
 * @config: value of the register
 * @reg: address of the register
 * @alloc: the event has allocated the register
 * @idx: index of the register in the driver's table
 */
struct hw_perf_event_extra {
	u64		config;
	unsigned int	reg;
	int		alloc;
	int		idx;
};

/*
 * hw_perf_event::flags. The bits of FLAG_ARCH belong to the driver. USER_READ_CNT: user space may
 * read the counter (rdpmc). The driver sets it in event_init, or changes it in event_mapped and
 * event_unmapped.
 */
#define PERF_EVENT_FLAG_ARCH			0x0fffffff
#define PERF_EVENT_FLAG_USER_READ_CNT		0x80000000

static_assert((PERF_EVENT_FLAG_USER_READ_CNT & PERF_EVENT_FLAG_ARCH) == 0);

/* hw_perf_event::state: set by the driver; the core reads only STOPPED */
#define PERF_HES_STOPPED	0x01	/* the counter is stopped */
#define PERF_HES_UPTODATE	0x02	/* event->count is up to date */
#define PERF_HES_ARCH		0x04	/* reserved for the driver */

/**
 * struct perf_cached_values - values of cached inherited events, see kernel/events/child_cache.h
 * @count: sum of the counts
 * @enabled: sum of the enabled times, ns
 * @running: sum of the running times, ns
 */
struct perf_cached_values {
	u64		count;
	u64		enabled;
	u64		running;
};

/**
 * struct hw_perf_event - the PMU driver's data of an event
 * @config: counters: value of the register that selects the event
 * @last_tag: counters: data of the driver about the counter before the last del
 * @config_base: counters: address of the register that selects the event
 * @event_base: counters: address of the counter
 * @event_base_rdpmc: counters: number of the counter for rdpmc
 * @idx: counters: index of the counter, -1 for none
 * @last_cpu: counters: CPU of the last add
 * @flags: counters: PERF_EVENT_FLAG_*
 * @extra_reg: counters: extra register shared with other events
 * @branch_reg: counters: the same for branch records
 * @aux_config: AUX sources: value of the driver's configuration register
 * @aux_paused: AUX sources: the trace is paused, see pmu::stop
 * @addr_filters: AUX sources: the driver's form of the address filters
 * @addr_filters_gen: AUX sources: set by the core, generation of the ranges in @addr_filters
 * @sw_entry: scheduled software events: entry in the CPU's list
 * @hrtimer: sampling clocks, and drivers that poll: the timer
 * @tp_list: tracepoints: entry in the driver's list
 * @tp_filter: tracepoints: set by the core, text of the event's filter, or NULL
 * @tp_task_entry: tracepoints: set by the core, entry in perf_tp_task_events()
 * @pwr_acc: amd_power: data of the driver
 * @ptsc: amd_power: data of the driver
 * @info: breakpoints: data of the architecture
 * @bp_list: breakpoints: entry in the list of a task's breakpoints
 * @iommu_bank: amd_iommu: data of the driver
 * @iommu_cntr: amd_iommu: data of the driver
 * @padding: amd_iommu: data of the driver
 * @conf: amd_iommu: data of the driver
 * @conf1: amd_iommu: data of the driver
 * @cached: inherited events with PERF_EVENT_PLAIN_CHILD, which use no driver data: values that are
 *	part of the parent event's sum, see kernel/events/child_cache.h
 * @target: task that the event was opened on, NULL for a per-CPU event; set by the core from
 *	before pmu::event_init until after the event's destroy
 * @state: PERF_HES_*
 * @interrupts_seq: set by the core, the tick in which @interrupts was counted
 * @prev_count: set by the driver, the counter value that event->count includes. It is changed by
 *	local64_xchg() or local64_try_cmpxchg(), together with a local64_add() to event->count:
 *	see pmu::read. The offset in the user page is the count minus @prev_count
 * @sample_period: number of events between two overflows. For an event with a frequency, the core
 *	changes it. For an event that does not sample, the driver may set it in event_init to the
 *	maximum period of the counter
 * @last_period: period for the next sample. The driver sets it to @sample_period at the start of
 *	each period, and passes it to perf_sample_data_init() at the overflow
 * @period_left: number of events until the overflow, as of @prev_count. If the driver adds to
 *	event->count, it subtracts the same number here. At 0 or less, a new period of
 *	@sample_period begins. When the period changes, the core sets this field to 0
 * @saved_metric: top-down metrics (x86): data of the driver, in place of @last_period
 * @saved_slots: top-down metrics (x86): data of the driver, in place of @period_left
 * @interrupts: set by the core, number of overflows in this tick, MAX_INTERRUPTS if throttled
 *
 * The first union belongs to the driver, and has one struct per kind of PMU: the first words of
 * these descriptions name the kind. All fields are zero before event_init, except for @target and
 * the periods.
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
			char				*tp_filter;
			struct hlist_node		tp_task_entry;
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
		struct perf_cached_values		cached;
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

/* Flags of pmu::start_txn */
#define PERF_PMU_TXN_ADD	0x1	/* the members of a group get counters: all or none */
#define PERF_PMU_TXN_READ	0x2	/* the members of a group are read in one access */

/*
 * pmu::capabilities. The core refuses attributes that need a missing capability, so the
 * driver need not check these attributes.
 *
 * NO_INTERRUPT: no sampling; user space gets -EOPNOTSUPP.
 * NO_NMI: local_irq_save() disables the PMU's interrupt, so samples may use record clocks
 *	that must not be read in an NMI.
 * AUX_NO_SG: the AUX area of an overwrite buffer must be contiguous, otherwise mmap(2)
 *	fails. The order of an allocation is in the private field of its first page.
 * AUX_PREFER_LARGE: allocations of more than a page are preferred, but not required.
 * EXTENDED_REGS: samples may contain the registers of PERF_REG_EXTENDED_MASK.
 * EXCLUSIVE: the PMU's open events are all per-task, or all per-CPU (otherwise -EBUSY), and a
 *	context has at most one of them per CPU.
 * ITRACE: the PMU traces instructions. The core writes an ITRACE_START record each time an
 *	event is scheduled in, until the driver calls perf_event_itrace_started().
 * NO_EXCLUDE: the PMU counts in every mode; attr.exclude_* fail with -EINVAL.
 * AUX_OUTPUT: events may write to the AUX area of another PMU (attr.aux_output), see
 *	aux_output_match.
 * EXTENDED_HW_TYPE: the PMU supports generic events (PERF_TYPE_HARDWARE, HW_CACHE) with its
 *	type in the upper half of config. The core clears this half before event_init.
 * AUX_PAUSE: start and stop support PERF_EF_PAUSE and PERF_EF_RESUME.
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
 * enum perf_pmu_scope - the CPUs that share one instance of a system-wide PMU
 * @PERF_PMU_SCOPE_NONE: no scope, or the driver implements it
 * @PERF_PMU_SCOPE_CORE: the threads of a core
 * @PERF_PMU_SCOPE_DIE: the CPUs of a die
 * @PERF_PMU_SCOPE_CLUSTER: the CPUs of a cluster
 * @PERF_PMU_SCOPE_PKG: the CPUs of a package
 * @PERF_PMU_SCOPE_SYS_WIDE: all CPUs
 * @PERF_PMU_MAX_SCOPE: number of scopes
 *
 * The events of an instance are on one of its CPUs. This CPU is in sysfs, in "cpumask", and when
 * it is offlined the core moves the events to another CPU. Events may be opened on any CPU of the
 * instance. If a CPU of the instance reads an event, pmu::read runs on that CPU.
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

/* Flags of pmu::add, start and stop; pmu::del gets none */
#define PERF_EF_START	0x01	/* add: start the counter */
#define PERF_EF_RELOAD	0x02	/* start: set the counter from hw.period_left */
#define PERF_EF_UPDATE	0x04	/* stop: update event->count */
#define PERF_EF_PAUSE	0x08	/* stop: pause only the AUX trace, until PERF_EF_RESUME */
#define PERF_EF_RESUME	0x10	/* start: end PERF_EF_PAUSE */

/**
 * struct pmu - a source of events, as described by its driver
 *
 * A driver initializes the fields that it supports, and calls perf_pmu_register(). event_init,
 * add and del are mandatory. Unless the description of a callback says otherwise, all others may
 * be NULL: the operation does nothing, or is not supported.
 * Documentation/core-api/perf_events/pmu-driver.rst is a guide for drivers.
 *
 * Unless said otherwise, callbacks run
 *
 * - on the CPU event->oncpu, with event->state ACTIVE,
 * - with interrupts off and the lock (a raw spinlock) of the event's context held. So callbacks
 *   must not sleep, call functions that take a context's lock, or wake up tasks: the caller may
 *   be the scheduler, with the runqueue's lock held;
 * - one at a time on each CPU, except for those that may run in an NMI, see below;
 * - for a per-CPU event, only while the drivers have prepared the CPU: after the last startup
 *   callback of CPU hotplug up to CPUHP_AP_ONLINE_DYN_END has returned, and before the first of
 *   their teardown callbacks is called.
 *
 * If the PMU's interrupt is an NMI, the driver's handler runs at any time, also in the middle of
 * a callback. From the handler, through perf_event_overflow() or a BPF program, the core may call
 * read, stop with PERF_EF_PAUSE, start with PERF_EF_RESUME, event_idx and snapshot_aux. No other
 * callback runs in an NMI. An interrupt that is not an NMI can do the same in the middle of a
 * callback that runs with interrupts on.
 *
 * Callbacks are called for an event from event_init until its destroy returns
 * (event->destroy, set by event_init if resources must be released). After perf_pmu_unregister()
 * no callback runs.
 */
struct pmu {
	/** @entry: entry in the core's list of PMUs */
	struct list_head		entry;

	/** @module: owner of the PMU, THIS_MODULE; each event has a reference */
	struct module			*module;
	/** @dev: device in /sys/bus/event_source/devices, created by the core */
	struct device			*dev;
	/** @parent: parent of @dev, or NULL */
	struct device			*parent;
	/** @attr_groups: sysfs attributes ("format", "events", ...); NULL-terminated */
	const struct attribute_group	**attr_groups;
	/** @attr_update: more sysfs attributes, merged into existing groups; NULL-terminated */
	const struct attribute_group	**attr_update;
	/**
	 * @name: name in sysfs, set by perf_pmu_register(); NULL for a PMU that is not in sysfs
	 */
	const char			*name;
	/**
	 * @type: PERF_TYPE_*, value of attr.type for the PMU's events. perf_pmu_register()
	 * assigns a number if the argument is -1 or already in use
	 */
	int				type;
	/** @scope: PERF_PMU_SCOPE_*, the CPUs that share an instance */
	unsigned int			scope;

	/** @capabilities: PERF_PMU_CAP_* */
	int				capabilities;

	/** @pmu_disable_count: per CPU, nesting depth of perf_pmu_disable(); set by the core */
	int __percpu			*pmu_disable_count;
	/**
	 * @cpu_pmu_context: per CPU, scheduling data of this PMU; set by the core; NULL until the
	 * first event that must be scheduled
	 */
	struct perf_cpu_pmu_context __percpu *cpu_pmu_context;
	/**
	 * @exclusive_cnt: for PERF_PMU_CAP_EXCLUSIVE, > 0: per-task events, < 0: per-CPU events;
	 * set by the core
	 */
	atomic_t			exclusive_cnt;
	/**
	 * @task_ctx_nr: how the PMU's events are scheduled
	 *
	 * - perf_hw_context: the number of counters is limited.
	 * - perf_sw_context: add never fails for lack of a counter, so events may join any group,
	 *   also one of another PMU. add may fail for other reasons: for example, a trace unit
	 *   fails without a buffer, or on a CPU that it does not support. Then the whole group is
	 *   not scheduled in.
	 * - perf_invalid_context: the PMU supports no tasks, and opening an event for a task or a
	 *   cgroup fails with -EINVAL. If such a PMU has no @scope, its driver calls
	 *   perf_pmu_migrate_context() when a CPU is offlined. An event that the driver does not
	 *   move enters the state EXIT.
	 */
	int				task_ctx_nr;
	/** @hrtimer_interval_ms: rotation interval, 0: one tick; user space may change it */
	int				hrtimer_interval_ms;
	/** @nr_addr_filters: maximum number of address filters per event */
	unsigned int			nr_addr_filters;

	/**
	 * @pmu_enable: start the whole PMU on this CPU. Called at the end of the outermost
	 * perf_pmu_enable(), which the driver may call as well. Events that were added and
	 * started since pmu_disable begin to count. Interrupts are off. A context's lock is not
	 * always held, and there may be no scheduled event.
	 */
	void (*pmu_enable)(struct pmu *pmu);
	/**
	 * @pmu_disable: stop the whole PMU on this CPU. The core calls it before add and del, and
	 * for the duration of a context switch, a rotation and a tick. An NMI may still arrive,
	 * for an overflow just before, or from a counter that does not stop at once. So the
	 * tables that the handler reads must always be consistent.
	 */
	void (*pmu_disable)(struct pmu *pmu);

	/**
	 * @event_init: initialize a new event, or reject it
	 *
	 * event->attr, cpu, hw.target (the task), group_leader, parent (for an inherited event)
	 * and hw.sample_period are set, and event->pmu is this PMU. event->state and event->oncpu
	 * are not valid, and the event has no context. Unless this PMU has perf_sw_context, the
	 * mutex of the group's context is held for a sibling, so the driver may inspect the group.
	 * For all other events, event->group_leader == event.
	 *
	 * The driver initializes event->hw. It may set event->cpu to the CPU of the instance,
	 * PERF_ATTACH_TASK_DATA in attach_state, PERF_EV_CAP_* in event_caps, and event->destroy,
	 * which the core calls once when the event is freed, in process context where it may
	 * sleep.
	 *
	 * Context: process context, may sleep.
	 * Return:
	 *
	 * - 0: the event belongs to this PMU. The core then checks @capabilities, @scope and
	 *   @task_ctx_nr, and calls destroy if the event is rejected.
	 * - -ENOENT: the event does not belong to this PMU. The core tries the next PMU for
	 *   events of a generic type. For all other events, and for PERF_TYPE_RAW if that is this
	 *   PMU's own type, opening fails. The event must be unchanged: check attr.type and
	 *   attr.config before any write. If the driver has changed attr.type to the type of
	 *   another PMU, the core tries that one.
	 * - Any other error is final, and is returned to user space; destroy is not called.
	 *   -EINVAL: an invalid config or attribute, or a group that never fits as a whole;
	 *   -EOPNOTSUPP: a feature that only other hardware supports (sampling, branches, a
	 *   precise_ip); -EBUSY: in use by another user; -EACCES or -EPERM: not permitted;
	 *   -ENODEV: no such CPU or device, or removed; -ENOMEM. For an inherited event, -ENODEV
	 *   means that the new task does not inherit the event; any other error makes fork() fail.
	 */
	int (*event_init)(struct perf_event *event);

	/**
	 * @event_mapped: the event's page or AUX area has been mapped into @mm once more, by
	 * mmap(2) or mremap(2). After mremap(2) @event_unmapped is called for the old mapping.
	 * fork() copies no mapping. The event may be in any state except for DEAD. A PMU with
	 * this callback or @event_unmapped must remain registered.
	 *
	 * Context: process context, may sleep. @mm's mmap_lock is held for writing; no context's
	 * lock is held.
	 */
	void (*event_mapped)(struct perf_event *event, struct mm_struct *mm);
	/**
	 * @event_unmapped: a mapping has been removed; @mm's mmap_lock is held, or @mm is being
	 * freed
	 */
	void (*event_unmapped)(struct perf_event *event, struct mm_struct *mm);

	/**
	 * @add: allocate a counter for the event. The PMU is disabled on this CPU. For an event in
	 * a group of several, a PERF_PMU_TXN_ADD is open, unless another PMU schedules the group.
	 * With PERF_EF_START in @flags, the counter starts when the PMU is enabled. Without it,
	 * the driver sets hw.state to PERF_HES_STOPPED | PERF_HES_UPTODATE. For an event that
	 * event_init has accepted, add may fail only because of the other scheduled events.
	 *
	 * Return: 0, or an error (-EAGAIN) if there is no counter now. Then del is not called. A
	 * flexible group is tried again later; a pinned group enters the error state.
	 */
	int  (*add)(struct perf_event *event, int flags);
	/**
	 * @del: free the event's counter. The PMU is disabled on this CPU. The event may be
	 * stopped, paused or throttled, or may never have been started because the group's
	 * transaction failed. The driver must update event->count even without PERF_EF_UPDATE in
	 * @flags (the core passes 0), because read is not called after del.
	 */
	void (*del)(struct perf_event *event, int flags);

	/**
	 * @start: start the counter of a stopped event. Without PERF_EF_RELOAD, the counter
	 * continues from its current value. With it, the driver sets the counter from
	 * hw.period_left, which the core may have changed. The core passes PERF_EF_RELOAD only
	 * after a stop with PERF_EF_UPDATE, because the counts since the last update would be lost
	 * otherwise. A throttled event is restarted by a stop with PERF_EF_UPDATE and a start with
	 * PERF_EF_RELOAD, even if the driver has set PERF_HES_STOPPED, has moved the event to
	 * another counter, or has not stopped the counter at all.
	 *
	 * The PMU is not always disabled. PERF_EF_RESUME is passed alone, and only with
	 * PERF_PMU_CAP_AUX_PAUSE. The core then calls @start in the overflow of another event,
	 * possibly in an NMI, and holds no lock. See @stop.
	 */
	void (*start)(struct perf_event *event, int flags);
	/**
	 * @stop: stop the event's counter, without freeing it; the event may already be stopped.
	 * The driver sets PERF_HES_STOPPED in hw.state. With PERF_EF_UPDATE it also updates
	 * event->count and sets PERF_HES_UPTODATE.
	 *
	 * If perf_event_overflow() returns non-zero, the driver stops the event itself. If the
	 * driver does not stop the event, the core calls stop soon after, in another interrupt:
	 * the PMU is disabled, but no context's lock is held. Then the tick calls only start.
	 *
	 * PERF_EF_PAUSE is passed alone, and pauses the trace of an AUX event until
	 * PERF_EF_RESUME. The core then calls @stop in the overflow of another event, possibly in
	 * an NMI, and holds no lock. The AUX event's state is ACTIVE, but the event may be in the
	 * middle of add, start, stop or del. The core sets hw.aux_paused before this stop, and
	 * clears it before start with PERF_EF_RESUME. While it is set, add and start(0) leave the
	 * event paused. The core skips a pause or resume that would interrupt another one on its
	 * CPU.
	 */
	void (*stop)(struct perf_event *event, int flags);

	/**
	 * @read: update event->count; the counter continues
	 *
	 * For read(2), interrupts are off and ctx->lock is held. The CPU is the event's own, or,
	 * with PERF_EV_CAP_READ_ACTIVE_PKG, PERF_EV_CAP_READ_SCOPE or @scope, one that shares the
	 * counter (for a group, a CPU that all members allow). For samples of other group
	 * members, also of another PMU, and for perf_event_read_local(), the lock is not held,
	 * and the context is any, NMI included. So read may interrupt itself or another callback
	 * of this event: the difference added to event->count must come from one atomic exchange
	 * of hw.prev_count (local64_try_cmpxchg()). If CPUs share the counter, reads on several
	 * CPUs may run in parallel.
	 *
	 * The event may be stopped, for example by throttling. It may have no counter, because
	 * event->state is ACTIVE from before add until after del, and an NMI in between may read
	 * it. The driver must check this, and leave event->count unchanged then.
	 */
	void (*read)(struct perf_event *event);

	/**
	 * @start_txn: begin a transaction of several adds or reads, PERF_PMU_TXN_ADD or READ. A
	 * PMU has all three of these callbacks, or none. Without them, the PMU is disabled from
	 * the first add to the last, and each add checks whether the event fits.
	 *
	 * PERF_PMU_TXN_ADD is for each group of several events that is scheduled in. add may
	 * leave the check whether the group fits to commit_txn. A single event is added without a
	 * transaction: then add itself checks whether the event fits. PERF_PMU_TXN_READ is for
	 * read(2) of a group, on the leader's PMU; members of other PMUs are read in between. An
	 * NMI may call read in the middle of both.
	 */
	void (*start_txn)(struct pmu *pmu, unsigned int txn_flags);
	/**
	 * @commit_txn: end the transaction. After an error of PERF_PMU_TXN_ADD the core calls del
	 * for the events added so far, then cancel_txn. After an error of PERF_PMU_TXN_READ the
	 * transaction has ended, and read(2) returns the error.
	 *
	 * Return: 0, or an error: the group does not fit (PERF_PMU_TXN_ADD), or the read failed
	 */
	int  (*commit_txn)(struct pmu *pmu);
	/** @cancel_txn: end a PERF_PMU_TXN_ADD in which an add or commit_txn failed */
	void (*cancel_txn)(struct pmu *pmu);

	/**
	 * @event_idx: index of the counter for user space (rdpmc), plus one; 0 for none. Any
	 * context, NMI included; for events that are not stopped. Called by
	 * perf_event_update_userpage(), which the driver calls after each change of hw.prev_count
	 * or the counter: at add, del and reload.
	 */
	int (*event_idx)(struct perf_event *event);

	/**
	 * @sched_task: save or clear hardware data of a task in a context switch, on a CPU where
	 * the driver has called perf_sched_cb_inc(). If @sched_in is false, @task is being
	 * scheduled out, and its events are still scheduled. If @sched_in is true, @task has been
	 * scheduled in, and so have its events, but they do not count until this returns.
	 * @pmu_ctx is this PMU's part of @task's context (or of a shared context in its place), or
	 * of the CPU's context. It is the CPU's part, without task_ctx_data, if @task has no event
	 * of this PMU, and usually if @task has no enabled group that needs scheduling.
	 *
	 * The PMU is disabled. The locks of the CPU's context and of the context of @pmu_ctx are
	 * held. There may be no scheduled event. The driver may call perf_sched_cb_dec(). Not
	 * supported for PMUs with perf_sw_context, because their events are scheduled in groups of
	 * other PMUs.
	 */
	void (*sched_task)(struct perf_event_pmu_context *pmu_ctx,
			   struct task_struct *task, bool sched_in);

	/**
	 * @task_ctx_cache: cache for pmu_ctx->task_ctx_data, which is allocated zeroed, for tasks
	 * with an event for which event_init set PERF_ATTACH_TASK_DATA
	 */
	struct kmem_cache *task_ctx_cache;
	/** @swap_task_ctx: never called, because tasks do not exchange contexts */
	void (*swap_task_ctx)(struct perf_event_pmu_context *prev_epc,
			      struct perf_event_pmu_context *next_epc);

	/**
	 * @setup_aux: prepare an AUX area of @nr_pages (a power of two) pages with the addresses
	 * @pages. @overwrite: the reader does not update aux_tail, so old data is overwritten.
	 * Calls for other areas may run in parallel, even for the same event: then the core uses
	 * one of the areas, and frees the others.
	 *
	 * Context: process context, may sleep. The mm's mmap_lock is held.
	 * Return: data of the driver, which perf_aux_output_begin() and perf_get_aux() return; or
	 * NULL: mmap(2) fails with -ENOMEM
	 */
	void *(*setup_aux)(struct perf_event *event, void **pages, int nr_pages,
			   bool overwrite);
	/**
	 * @free_aux: undo @setup_aux; mandatory with @setup_aux. No AUX output is in progress.
	 * @free_aux may be called long after the event was freed, but not after
	 * perf_pmu_unregister() has returned.
	 *
	 * Context: process context, may sleep. An mm's mmap_lock may be held.
	 */
	void (*free_aux)(void *aux);
	/**
	 * @snapshot_aux: copy the last @size bytes of the trace into a sample, by
	 * perf_output_copy_aux(), on the event's CPU. The core fills the rest with zeros.
	 *
	 * Context: any, NMI included; interrupts are off, no lock is held.
	 * Return: number of bytes copied, 0 to @size
	 */
	long (*snapshot_aux)(struct perf_event *event,
			     struct perf_output_handle *handle, unsigned long size);

	/**
	 * @addr_filters_validate: check whether the PMU supports the list of struct
	 * perf_addr_filter. If @nr_addr_filters is set, this callback and @addr_filters_sync are
	 * mandatory.
	 *
	 * Context: process context, may sleep. The context's mutex is held.
	 * Return: 0, or an error, which the ioctl returns; the old filters stay in use then
	 */
	int  (*addr_filters_validate)(struct list_head *filters);
	/**
	 * @addr_filters_sync: use event->addr_filter_ranges, which are in the order of the
	 * filters. Called with the filters' lock held by perf_event_addr_filters_sync(), which
	 * the driver calls in start, if the ranges have changed.
	 */
	void (*addr_filters_sync)(struct perf_event *event);

	/**
	 * @aux_output_match: check whether an event of this PMU with attr.aux_output can write to
	 * the AUX area of @event, the group's leader.
	 *
	 * Context: process context. The context's mutex is held.
	 * Return: 0 if it cannot, non-zero if it can
	 */
	int (*aux_output_match)(struct perf_event *event);

	/**
	 * @filter: check whether @cpu must not schedule this PMU's groups, for systems with
	 * different kinds of CPUs. Called on @cpu before groups of a task, CPU or cgroup are
	 * scheduled in, in each rotation, and for PERF_EVENT_IOC_STATE.
	 */
	bool (*filter)(struct pmu *pmu, int cpu);

	/**
	 * @check_period: check a new period of an open event without a frequency. At open,
	 * event_init checks the period.
	 *
	 * Context: process context. The context's mutex is held.
	 * Return: 0, or an error; user space gets -EINVAL
	 */
	int (*check_period)(struct perf_event *event, u64 value);
};

enum perf_addr_filter_action_t {
	PERF_ADDR_FILTER_ACTION_STOP = 0,
	PERF_ADDR_FILTER_ACTION_START,
	PERF_ADDR_FILTER_ACTION_FILTER,
};

/**
 * struct perf_addr_filter - an address range of PERF_EVENT_IOC_SET_FILTER
 * @entry: entry in the event's list
 * @path: the object file, empty for kernel addresses
 * @offset: offset in the file, or a kernel address
 * @size: size in bytes; 0 for a single address
 * @action: effect of the range
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
 * @list: list of struct perf_addr_filter
 * @lock: protects @list and the event's ranges; taken with interrupts off
 * @nr_file_filters: number of filters with a file
 */
struct perf_addr_filters_head {
	struct list_head	list;
	raw_spinlock_t		lock;
	unsigned int		nr_file_filters;
};

/**
 * struct perf_addr_filter_range - a filter's range in the current mm
 * @start: virtual address, 0 if the file is not mapped
 * @size: size in bytes
 */
struct perf_addr_filter_range {
	unsigned long	start;
	unsigned long	size;
};

/**
 * struct perf_event_filters - data of an event of a PMU with address filters
 * @head: filters of an event that is not inherited; inherited events use event->parent's
 * @gen: generation of @ranges, changed with them
 * @serial: for an event that is not inherited, number of times that filters were set
 * @applied: value of the parent event's @serial for which @ranges were computed
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
 * enum perf_event_state - state of an event
 * @PERF_EVENT_STATE_DEAD: closed, or its PMU is unregistered; final
 * @PERF_EVENT_STATE_EXIT: its task has exited, attr.remove_on_exec has removed it, or its CPU went
 *	offline and its driver did not move it; final
 * @PERF_EVENT_STATE_ERROR: pinned and did not fit; enabling tries again
 * @PERF_EVENT_STATE_OFF: disabled
 * @PERF_EVENT_STATE_INACTIVE: enabled, but not scheduled in
 * @PERF_EVENT_STATE_ACTIVE: scheduled in, or always on; counts while its context is active
 *
 * In the states above OFF the event is enabled. Drivers compare with OFF to test this.
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
 * perf_event::event_caps. In a leader, group_caps has the capabilities that all members of the
 * group have. Drivers may set READ_ACTIVE_PKG and SIBLING in event_init. The core sets the others.
 */
#define PERF_EV_CAP_SOFTWARE		BIT(0)	/* needs no counter */
#define PERF_EV_CAP_READ_ACTIVE_PKG	BIT(1)	/* any CPU of the package can read it */
#define PERF_EV_CAP_SIBLING		BIT(2)	/* must not be a leader */
#define PERF_EV_CAP_READ_SCOPE		BIT(3)	/* any CPU of the scope can read it */
#define PERF_EV_CAP_ALWAYS_ON		BIT(4)	/* in a group of such events: always on */

/*
 * attach_state. Drivers may set TASK_DATA and SCHED_CB in event_init, and test TASK; the core
 * sets the others.
 */
#define PERF_ATTACH_CONTEXT	0x01	/* in its context's list */
#define PERF_ATTACH_GROUP	0x02	/* a sibling in a group */
#define PERF_ATTACH_TASK	0x04	/* opened on a task */
#define PERF_ATTACH_TASK_DATA	0x08	/* its task needs data from pmu::task_ctx_cache */
#define PERF_ATTACH_ITRACE	0x10	/* its driver reports ITRACE_START itself */
#define PERF_ATTACH_SCHED_CB	0x20	/* its add calls perf_sched_cb_inc() */
#define PERF_ATTACH_CHILD	0x40	/* in the parent event's list of inherited events */

/* Iterate over the siblings of the leader @event. An event that is not a leader has none. */
#define for_each_sibling_event(sibling, event)				\
	list_for_each_entry(sibling, perf_event_siblings(event), sibling_list)

/**
 * struct perf_event_obstacle_note - why a pinned group did not fit
 * @no_node: in place of the first word of group_node: marks the node as not in a tree
 * @what: enum perf_event_obstacle and more, packed as in kernel/events/state.c; 0: not noted
 * @id: id of the leader of a group that keeps the pinned group out, or 0
 */
struct perf_event_obstacle_note {
	unsigned long	no_node;
	unsigned long	what;
	unsigned long	id;
};

/**
 * struct perf_event - an event of a task or CPU
 * @hlist_entry: for software events and tracepoints, entry in a list that event sites walk; see
 *	kernel/events/source/software.c
 * @active_entry: for PMUs without event sites, entry in a list of the driver
 * @state: changed only by perf_event_set_state(), whose kernel-doc lists the exceptions
 * @cpu: CPU that the event is limited to, -1 for all
 * @oncpu: CPU that the event counts on now, -1 for none
 * @attach_state: PERF_ATTACH_*
 * @event_caps: PERF_EV_CAP_*
 * @group_caps: for a leader, the capabilities that all members of its group have
 * @count: count so far, without inherited events
 * @ctx: context that the event is attached to; valid until the event is freed
 * @pmu_ctx: the part of @ctx that schedules the event's group, NULL if the event is always on. The
 *	PMU of this part may differ from @pmu
 * @pmu: the event's PMU
 * @group_leader: leader of the group, or the event itself; always itself after detach
 * @sibling_list: for a leader, the list of its siblings; for a sibling, its entry there
 * @nr_siblings: for a leader, the number of its siblings
 * @pending_kill: POLL_* for the next signal
 * @time_enabled: enabled time, ns; see kernel/events/time_seq.h
 * @time_running: time of counting, ns; see kernel/events/time_seq.h
 * @total_time_running: while ACTIVE, value of @time_running when this state began, ns
 * @state_since: in all other states, the time when the state began, ns. It is a time of
 *	perf_event_clock() if the event is enabled, otherwise of perf_clock()
 * @attr: the event's attributes
 * @active_list: for a leader that is scheduled in, entry in the PMU context's list of active
 *	groups
 * @moving_entry: for other leaders, entry in the list of events that move to another CPU
 * @left_entry: for an inherited event in a final state, entry in a list of events that leave a
 *	context
 * @group_node: node in the PMU context's tree of groups
 * @obstacle: for a leader in the error state, why it did not fit; see kernel/events/state.c
 * @group_runtime: for the leader of a flexible group, the running time, ns, from which
 *	perf_group_age() computes the age; see kernel/events/group_tree.c
 * @header_size: size in bytes of the fixed part of a sample
 * @id_header_size: size in bytes of the trailer of other records
 * @read_size: size in bytes of the result of read(2)
 * @event_flags: internal flags PERF_EVENT_*, see kernel/events/event.h
 * @hw: data of the driver
 * @event_entry: entry in its context's list, RCU
 * @parent: for an inherited event, the event that was opened, with a reference; else NULL
 * @id: unique number of the event. In a context, events that are created later have higher ids
 * @rb: buffer that the event writes to
 * @cold: rarely used fields, see kernel/events/cold.h; NULL for most events
 * @overflow_handler: called at each overflow, in any context, with preemption off
 * @overflow_handler_context: for kernel events, argument of the opener
 * @bpf_cookie: for all other events, cookie of @prog
 * @clock: clock for records
 * @prog: BPF program for overflows, or of the tracepoint
 * @tp_event: trace event of a tracepoint or probe
 * @pmu_private: for all other PMUs, data of the driver
 * @inherited_from: with PERF_EVENT_PLAIN_CHILD, during the fork, the event of the parent task
 * @filter: filter of a tracepoint or probe
 * @addr_filter_ranges: for PMUs with address filters, the ranges, in a struct perf_event_filters
 * @lost_samples: for PMUs without filters, number of samples that the driver dropped (powerpc)
 * @ns: for PMUs without filters, PID namespace of samples (s390)
 * @aux_event: AUX leader that the event writes to or pauses, with a reference, or NULL
 * @cgrp: for a cgroup event, its cgroup, otherwise NULL
 * @destroy: set by the driver, called once when the event is freed
 * @refcount: number of references to the event
 * @orig_type: attr.type as passed by the opener
 * @owner: task that opened the event, PERF_TASK_GONE for kernel events
 * @owner_entry: entry in @owner's list
 * @child_list: for an inherited event, entry in the parent event's list of them
 * @rcu_head: for freeing, when the event is in neither list any more
 * @late_entry: entry in the list of events that a worker frees, after the use of @rcu_head
 * @security: data of the security modules
 * @pmu_list: for an event that is not inherited, entry in its PMU's list
 * @gone_entry: for an inherited event, entry in a list of events that exit or are freed
 * @cached_next: for a cached inherited event, the next one in its context
 * @ftrace_ops: for tracepoints, used by the function tracer
 *
 * Fields are ordered by use: first those of event sites, context switches and reads, then those
 * of drivers, then those used only at open and close.
 *
 * Unless said otherwise, links between events and contexts are written with both ctx->lock and
 * ctx->mutex held, and read with either held.
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

	/* groups that need scheduling */
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

	/* sizes, computed when the group changes */
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
		const struct perf_event	*inherited_from;
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
	/* In a different cache line from the fields that samples of inherited events read */
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
		struct perf_event	*cached_next;
	};
#ifdef CONFIG_FUNCTION_TRACER
	/* Last field, because only tracepoints have memory for it */
	struct ftrace_ops		ftrace_ops;
#endif
#endif /* CONFIG_PERF_EVENTS */
};

#ifdef CONFIG_PERF_EVENTS
/* The list of siblings of an event that is not a leader: always empty */
extern struct list_head perf_event_no_siblings;

static inline struct list_head *perf_event_siblings(const struct perf_event *event)
{
	if (event->group_leader != event)
		return &perf_event_no_siblings;
	return (struct list_head *)&event->sibling_list;
}
#endif

/**
 * struct perf_event_pmu_context - the part of a context for one PMU
 * @pmu: the PMU
 * @ctx: the context
 * @pmu_ctx_entry: entry in ctx->pmu_ctx_list
 * @pinned_active: pinned groups that are scheduled in
 * @flexible_active: flexible groups that are scheduled in
 * @pinned_groups: enabled pinned groups, ordered by CPU, cgroup and id of the leader
 * @flexible_groups: enabled flexible groups, ordered by CPU, cgroup and age
 * @age_base: value of group_runtime with age 0, ns
 * @embedded: part of a struct perf_cpu_pmu_context, not freed separately
 * @in_exec: an exec of the context's task changes many events; set with ctx->mutex held
 * @resched_due: the groups must be rescheduled at the end of that exec
 * @refcount: number of events
 * @rcu_head: for freeing
 * @task_ctx_data: data of the driver, from pmu::task_ctx_cache, or NULL
 * @last_task_rotation: for a task's context, time of its clock, ns, at the last rotation that
 *	scheduled in a group of the task, or found none waiting; see perf_task_rotation_is_due()
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
	bool				in_exec;
	bool				resched_due;
	refcount_t			refcount;
	struct rcu_head			rcu_head;
	void				*task_ctx_data;
	u64				last_task_rotation;
};

/**
 * struct perf_event_clock - a clock that runs only while its context is active
 * @time: ns at the last stop, or at the last change of times that use this clock
 * @offset: difference to perf_clock() while the clock runs; see kernel/events/time_seq.h
 * @cpu: CPU that the clock runs on, -1 while it is stopped
 *
 * Written with the context's lock held; read in any context, see perf_clock_at().
 */
struct perf_event_clock {
	atomic64_t	time;
	atomic64_t	offset;
	int		cpu;
};

/* Configs of the software events with event sites; the clocks, with lower configs, have none */
#define PERF_SW_FIRST	PERF_COUNT_SW_PAGE_FAULTS
#define PERF_SW_LISTS	(PERF_COUNT_SW_MAX - PERF_SW_FIRST)

/**
 * struct perf_event_context - the events of a task or CPU
 * @lock: protects the data used by the CPU where the context is active; for the lock order see
 *	kernel/events/internal.h
 * @refcount: references of the task or CPU, and of every event with this context
 * @clock: runs while the context is active
 * @now: perf_clock() of the current or last change
 * @seq: number of changes, and whether one is in progress; see kernel/events/time_seq.h
 * @nr_events: number of events that are attached or about to be attached
 * @nr_sched: number of enabled groups that must be scheduled
 * @nr_freq: number of active events that sample at a frequency
 * @nr_user: number of events that had PERF_EVENT_FLAG_USER_READ_CNT when they were attached
 * @walked: a tracepoint about the task may walk events of the context on another CPU; never cleared
 * @is_shared: the context is a shared context; see kernel/events/shared_ctx.h
 * @in_ctx_set: @ctx_set has been set; never cleared
 * @cached: inherited events of the context are cached, and its clock has not started since; see
 *	kernel/events/child_cache.h
 * @inherit_data: lock of the events inherited from its events; set once, by the first fork that
 *	inherits
 * @ctx_set: the contexts with events inherited from the same events, or NULL; changed with @mutex
 *	held
 * @mapped: events with a mapped page
 * @task: the task, NULL for a CPU; PERF_TASK_GONE after the task's exit
 * @event_list: all events, RCU
 * @pmu_ctx_list: one part for each PMU with events here
 * @sw_lists: always-on software events by config, RCU. Two list heads have other uses: see
 *	perf_tp_task_events() and perf_tick_cursor()
 * @cached_children: the first cached inherited event in this context, or NULL
 * @stale_entry: entry in a list of stale contexts; see kernel/events/child_cache.h
 * @mutex: protects which events belong to the context, and to which groups; held by open, close
 *	and ioctl
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
	bool				is_shared;
	bool				in_ctx_set;
	bool				cached;
	struct perf_inherit_data	*inherit_data;
	struct perf_ctx_set		*ctx_set;
	struct hlist_head		mapped; /* struct perf_event_cold */
	struct task_struct		*task;
	struct list_head		event_list;
	struct list_head		pmu_ctx_list;
	struct hlist_head		sw_lists[PERF_SW_LISTS];
	struct perf_event		*cached_children;
	struct llist_node		stale_entry;
	union {
		struct mutex		mutex; /* protects membership */
		struct rcu_head		rcu_head;
	};
};

/**
 * struct perf_output_handle - a record, or AUX data of an event, being written
 * @event: the event that writes
 * @rb: the buffer
 * @wakeup: records: result of perf_ring_enter() or perf_ring_reserve_shared(); AUX: position at
 *	which the hardware must interrupt at the latest
 * @size: number of bytes left in the current chunk of memory (records) or granted (AUX)
 * @flags: @skip_read and @shared as one word
 * @aux_flags: PERF_AUX_FLAG_* of the AUX record
 * @skip_read: do not read the counters of group members for this sample
 * @shared: other CPUs may write to the buffer at the same time
 * @addr: address of the next byte to be written
 * @head: AUX: position at perf_aux_output_begin()
 * @page: index of the chunk that contains @addr
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
 * struct perf_cgroup_info - a cgroup on one CPU
 * @clock: runs while a task of the cgroup or its descendants runs
 * @active: number of the cgroup's events in the CPU's context, in any state
 */
struct perf_cgroup_info {
	struct perf_event_clock	clock;
	int			active;
};

/**
 * struct perf_cgroup - the perf_event controller's data of a cgroup
 * @css: the controller's part of the cgroup
 * @info: per CPU, the cgroup's clock; NULL until the cgroup has its first event
 */
struct perf_cgroup {
	struct cgroup_subsys_state		css;
	struct perf_cgroup_info __percpu	*info;
};

/* Get the cgroup of @task. If @ctx is not NULL, its lock is held, so the cgroup does not change. */
static inline struct perf_cgroup *
perf_cgroup_from_task(struct task_struct *task, struct perf_event_context *ctx)
{
	return container_of(task_css_check(task, perf_event_cgrp_id,
					   !ctx || lockdep_is_held(&ctx->lock)),
			    struct perf_cgroup, css);
}
#endif /* CONFIG_CGROUP_PERF */

#ifdef CONFIG_PERF_EVENTS

/* AUX output of drivers; interrupts are off */
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

/* BPF and other users of an event's file */
struct file *perf_event_get(unsigned int fd);
const struct perf_event *perf_get_event(struct file *file);
const struct perf_event_attr *perf_event_attrs(struct perf_event *event);

/* kernel events */
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

/* An inherited event uses the filters of event->parent. */
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
 * @sample_flags: PERF_SAMPLE_* bits of the fields that are valid
 * @period: the sampling period
 * @dyn_size: size in bytes of the fields with variable size, without the read values
 * @type: sample_type of the sample
 * @callchain_nr: number of words of @callchain that @dyn_size includes
 * @tid_entry: PERF_SAMPLE_TID: process and thread id of the task
 * @time: PERF_SAMPLE_TIME: time by the event's record clock, ns
 * @id: PERF_SAMPLE_ID, IDENTIFIER: id of the parent event
 * @cpu_entry: PERF_SAMPLE_CPU
 * @ip: PERF_SAMPLE_IP: instruction pointer
 * @callchain: PERF_SAMPLE_CALLCHAIN; set by perf_sample_save_callchain()
 * @raw: PERF_SAMPLE_RAW; set by perf_sample_save_raw_data()
 * @br_stack: PERF_SAMPLE_BRANCH_STACK; set by perf_sample_save_brstack()
 * @br_stack_cntr: counters at each branch, or NULL; set with @br_stack
 * @weight: PERF_SAMPLE_WEIGHT, WEIGHT_STRUCT: cost of the sampled instruction
 * @data_src: PERF_SAMPLE_DATA_SRC: source of the accessed memory
 * @txn: PERF_SAMPLE_TRANSACTION: why a transaction was aborted
 * @regs_user: PERF_SAMPLE_REGS_USER, and the start of STACK_USER
 * @regs_intr: PERF_SAMPLE_REGS_INTR
 * @stack_user_size: PERF_SAMPLE_STACK_USER: size in bytes
 * @stream_id: PERF_SAMPLE_STREAM_ID: id of the event itself
 * @cgroup: PERF_SAMPLE_CGROUP: id of the task's cgroup
 * @addr: PERF_SAMPLE_ADDR: address to which the sample refers
 * @phys_addr: PERF_SAMPLE_PHYS_ADDR: physical address of @addr
 * @data_page_size: PERF_SAMPLE_DATA_PAGE_SIZE: size in bytes of the page of @addr
 * @code_page_size: PERF_SAMPLE_CODE_PAGE_SIZE: size in bytes of the page of @ip
 * @aux_size: PERF_SAMPLE_AUX: size in bytes
 *
 * A field of the record is valid if its bit is set in @sample_flags. A driver calls
 * perf_sample_data_init() first and adds the fields that its hardware supports. The core adds the
 * missing fields.
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

/* data_src of a sample without information about the memory access */
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
int perf_event_overflow_more(struct perf_event *event,
			     struct perf_sample_data *data, struct pt_regs *regs);
void perf_event_output_forward(struct perf_event *event,
			       struct perf_sample_data *data, struct pt_regs *regs);
void perf_event_output_backward(struct perf_event *event,
				struct perf_sample_data *data, struct pt_regs *regs);
int perf_event_output(struct perf_event *event,
		      struct perf_sample_data *data, struct pt_regs *regs);

/* Is the overflow handler the core's default handler, which writes records? */
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
 * Store registers of the caller, for a software event that is raised without an exception: those
 * for the instruction pointer, the call chain and the privilege level of a sample.
 */
static inline void perf_fetch_caller_regs(struct pt_regs *regs)
{
	perf_arch_fetch_caller_regs(regs, CALLER_ADDR0);
}

/**
 * perf_sw_event - the site of a software event: count an occurrence
 * @event_id: PERF_COUNT_SW_*
 * @nr: number of occurrences
 * @regs: registers at the occurrence
 * @addr: address to which the occurrence refers, or 0
 *
 * While no such event is open, this function is a no-op.
 *
 * Context: any, including NMI.
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

/* Return: 0, or -1 if the chain is full and the walk must stop */
static inline int perf_callchain_store(struct perf_callchain_entry_ctx *ctx, u64 ip)
{
	struct perf_callchain_entry *entry = ctx->entry;

	if (ctx->nr >= ctx->max_stack || ctx->contexts_maxed)
		return -1;
	entry->ip[entry->nr++] = ip;
	ctx->nr++;
	return 0;
}

/* sysctls */
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

/* Access types for security_perf_event_open() */
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
 * @id: the driver's number of the event
 * @event_str: contents of the file, or NULL if the show function generates it
 */
struct perf_pmu_events_attr {
	struct device_attribute	attr;
	u64			id;
	const char		*event_str;
};

/**
 * struct perf_pmu_events_ht_attr - a named event with a definition that depends on SMT
 * @attr: the file
 * @id: the driver's number of the event
 * @event_str_ht: contents of the file with SMT
 * @event_str_noht: contents of the file without SMT
 */
struct perf_pmu_events_ht_attr {
	struct device_attribute	attr;
	u64			id;
	const char		*event_str_ht;
	const char		*event_str_noht;
};

/**
 * struct perf_pmu_events_hybrid_attr - a named event of some types of hybrid cores
 * @attr: the file
 * @id: the driver's number of the event
 * @event_str: definitions, one per core type
 * @pmu_type: core types
 */
struct perf_pmu_events_hybrid_attr {
	struct device_attribute	attr;
	u64			id;
	const char		*event_str;
	u64			pmu_type;
};

/**
 * struct perf_pmu_format_hybrid_attr - a format of some types of hybrid cores
 * @attr: the file
 * @pmu_type: core types
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

/* Architecture-specific fields of the user page; any context */
void arch_perf_update_userpage(struct perf_event *event,
			       struct perf_event_mmap_page *userpg, u64 now);

/* Copy the branch records, for BPF; NMI-safe */
typedef int (perf_snapshot_branch_stack_t)(struct perf_branch_entry *entries,
					   unsigned int cnt);
DECLARE_STATIC_CALL(perf_snapshot_branch_stack, perf_snapshot_branch_stack_t);

#ifndef PERF_NEEDS_LOPWR_CB
static inline void perf_lopwr_cb(bool mode)				{ }
#endif

#endif /* _LINUX_PERF_EVENT_H */
