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

#ifdef CONFIG_PERF_EVENTS
#include <asm/perf_event.h>
#include <asm/local64.h>
#endif

#ifdef CONFIG_HAVE_HW_BREAKPOINT
#include <linux/rhashtable-types.h>
#include <asm/hw_breakpoint.h>
#endif

#include <linux/list.h>
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

/* What perf_guest_state() answers; zero outside a guest's time slice. */
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
struct perf_sample_data;
struct perf_output_handle;
struct perf_buffer;
struct perf_cgroup;
struct bpf_prog;
struct pmu;

/**
 * struct hw_perf_event_extra - a register that several counters share
 * @config: its value
 * @reg: its address
 * @alloc: this event holds it
 * @idx: its number in the driver's table
 */
struct hw_perf_event_extra {
	u64		config;
	unsigned int	reg;
	int		alloc;
	int		idx;
};

/* hw_perf_event::flags: low bits are the architecture's, these are the core's. */
#define PERF_EVENT_FLAG_ARCH			0x0fffffff
#define PERF_EVENT_FLAG_USER_READ_CNT		0x80000000

static_assert((PERF_EVENT_FLAG_USER_READ_CNT & PERF_EVENT_FLAG_ARCH) == 0);

/* hw_perf_event::state */
#define PERF_HES_STOPPED	0x01	/* the counter does not run */
#define PERF_HES_UPTODATE	0x02	/* event->count is current */
#define PERF_HES_ARCH		0x04

/**
 * struct hw_perf_event - what a PMU driver keeps of an event
 *
 * The first union is the driver's, by the kind of PMU. @target is the task
 * that the event was opened on, valid during pmu::event_init and as long as
 * the event has a task context. @sample_period, @last_period and @period_left
 * belong to the core's overflow code, which a driver follows.
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

struct perf_cpu_pmu_context;

/* pmu::start_txn: what the transaction is for */
#define PERF_PMU_TXN_ADD	0x1
#define PERF_PMU_TXN_READ	0x2

/* pmu::capabilities */
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

/* flags of pmu::add, del, start and stop */
#define PERF_EF_START	0x01	/* add: and start counting */
#define PERF_EF_RELOAD	0x02	/* start: write the counter anew */
#define PERF_EF_UPDATE	0x04	/* del, stop: bring event->count up to date */
#define PERF_EF_PAUSE	0x08	/* stop: AUX area only, until PERF_EF_RESUME */
#define PERF_EF_RESUME	0x10	/* start: ends PERF_EF_PAUSE */

/**
 * struct pmu - one source of events, as its driver describes it
 * @entry: the core's list of PMUs
 * @module: held while an event of this PMU exists
 * @dev: under /sys/bus/event_source/devices
 * @parent: of @dev, or NULL
 * @attr_groups: sysfs attributes, given before perf_pmu_register()
 * @attr_update: more of them, merged into groups that exist
 * @name: in sysfs
 * @type: PERF_TYPE_*, or assigned by perf_pmu_register(), as it is when that is taken
 * @scope: which CPUs one instance serves
 * @capabilities: PERF_PMU_CAP_*
 * @pmu_disable_count: per CPU, nesting of perf_pmu_disable()
 * @cpu_pmu_context: per CPU, the core's state for this PMU
 * @exclusive_cnt: events of an exclusive PMU: > 0 per task, < 0 per CPU
 * @task_ctx_nr: perf_hw_context, perf_sw_context (add never fails) or
 *	perf_invalid_context (no task events; without a @scope the driver moves those
 *	of a CPU that goes by perf_pmu_migrate_context(), and what it leaves has ended)
 * @hrtimer_interval_ms: of rotation
 * @nr_addr_filters: that an event may have
 *
 * The callbacks are called with interrupts off on the CPU of the event, the
 * CPU context's lock and, for a task event, the task context's lock held,
 * unless said otherwise. Events of a CPU have no counter there before the last
 * startup callback of CPU hotplug up to CPUHP_AP_ONLINE_DYN_END has returned, nor
 * after the first of their teardown callbacks has been called.
 */
struct pmu {
	struct list_head		entry;

	struct module			*module;
	struct device			*dev;
	struct device			*parent;
	const struct attribute_group	**attr_groups;
	const struct attribute_group	**attr_update;
	const char			*name;
	int				type;
	unsigned int			scope;

	int				capabilities;

	int __percpu			*pmu_disable_count;
	struct perf_cpu_pmu_context __percpu *cpu_pmu_context;
	atomic_t			exclusive_cnt;
	int				task_ctx_nr;
	int				hrtimer_interval_ms;
	unsigned int			nr_addr_filters;

	/* Stop and restart the whole PMU on this CPU; nests. */
	void (*pmu_enable)(struct pmu *pmu);
	void (*pmu_disable)(struct pmu *pmu);

	/*
	 * Take a new event or refuse it; may sleep. -ENOENT: not of this PMU,
	 * ask the next one; of raw events that is final if this is the PMU of
	 * PERF_TYPE_RAW. Any other error is final.
	 */
	int (*event_init)(struct perf_event *event);

	/* The event's page was mapped into or is gone from @mm; may sleep. */
	void (*event_mapped)(struct perf_event *event, struct mm_struct *mm);
	void (*event_unmapped)(struct perf_event *event, struct mm_struct *mm);

	/* Give the event a counter (-EAGAIN: none is free) or take it away. */
	int  (*add)(struct perf_event *event, int flags);
	void (*del)(struct perf_event *event, int flags);

	/*
	 * Run or halt the counter of an event that has one. Of an event that the
	 * driver has halted, because perf_event_overflow() said so, the tick asks
	 * both: stop with PERF_EF_UPDATE, then start with PERF_EF_RELOAD. It does so
	 * whether the driver has marked it PERF_HES_STOPPED, has moved it to another
	 * counter, or has not halted it at all.
	 */
	void (*start)(struct perf_event *event, int flags);
	void (*stop)(struct perf_event *event, int flags);

	/* Bring event->count up to date. */
	void (*read)(struct perf_event *event);

	/*
	 * Several adds (all or none) or reads (one access) in a row. commit
	 * returns non-zero when the group does not fit; the core then cancels.
	 */
	void (*start_txn)(struct pmu *pmu, unsigned int txn_flags);
	int  (*commit_txn)(struct pmu *pmu);
	void (*cancel_txn)(struct pmu *pmu);

	/* The counter's number for user space, plus one; 0 for none. */
	int (*event_idx)(struct perf_event *event);

	/*
	 * A task switch on a CPU that asked with perf_sched_cb_inc(): called before
	 * the events of @task are removed and after they have been added, and @task
	 * is current; the PMU is disabled, and is not enabled in between. @pmu_ctx is
	 * NULL where the task has no event of the PMU. May call perf_sched_cb_dec().
	 * Not for a PMU with perf_sw_context, whose events go with others' groups.
	 */
	void (*sched_task)(struct perf_event_pmu_context *pmu_ctx,
			   struct task_struct *task, bool sched_in);

	/*
	 * Where task_ctx_data comes from, of events with PERF_ATTACH_TASK_DATA,
	 * and what to do when contexts trade.
	 */
	struct kmem_cache *task_ctx_cache;
	void (*swap_task_ctx)(struct perf_event_pmu_context *prev_epc,
			      struct perf_event_pmu_context *next_epc);

	/* AUX area: allocate and free (may sleep), copy for a sample (NMI). */
	void *(*setup_aux)(struct perf_event *event, void **pages, int nr_pages,
			   bool overwrite);
	void (*free_aux)(void *aux);
	long (*snapshot_aux)(struct perf_event *event,
			     struct perf_output_handle *handle, unsigned long size);

	/* Are these filters possible (may sleep); put them into the hardware. */
	int  (*addr_filters_validate)(struct list_head *filters);
	void (*addr_filters_sync)(struct perf_event *event);

	/* Can this event's samples go into that AUX event's area? */
	int (*aux_output_match)(struct perf_event *event);

	/* Are this PMU's events to be kept off @cpu? */
	bool (*filter)(struct pmu *pmu, int cpu);

	/* Is this period possible? */
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
 * @head: the filters, of an event that was opened; copies use their root's
 * @gen: of @ranges; changes with them
 * @ranges: pmu::nr_addr_filters, in the order of the filters
 */
struct perf_event_filters {
	struct perf_addr_filters_head	head;
	unsigned long			gen;
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

/* event_caps; group_caps is what all members of a group have in common */
#define PERF_EV_CAP_SOFTWARE		BIT(0)	/* add never fails */
#define PERF_EV_CAP_READ_ACTIVE_PKG	BIT(1)	/* any CPU of the package reads it */
#define PERF_EV_CAP_SIBLING		BIT(2)	/* must not be a leader */
#define PERF_EV_CAP_READ_SCOPE		BIT(3)	/* any CPU of the scope reads it */
#define PERF_EV_CAP_RESIDENT		BIT(4)	/* counts without being scheduled */

/* attach_state */
#define PERF_ATTACH_CONTEXT	0x01
#define PERF_ATTACH_GROUP	0x02
#define PERF_ATTACH_TASK	0x04
#define PERF_ATTACH_TASK_DATA	0x08
#define PERF_ATTACH_ITRACE	0x10
#define PERF_ATTACH_SCHED_CB	0x20
#define PERF_ATTACH_CHILD	0x40

/* The members of @event's group, without itself; none unless it is a leader. */
#define for_each_sibling_event(sibling, event)				\
	list_for_each_entry(sibling, perf_event_siblings(event), sibling_list)

/**
 * struct perf_event - one event, on one task or one CPU
 * @hlist_entry: where the event site finds it
 * @active_entry: or, for PMUs whose events have no site, the driver's own list
 * @state: changed by perf_event_set_state() alone
 * @cpu: that it is limited to, -1 for all
 * @oncpu: that it counts on now, -1 for none
 * @attach_state: PERF_ATTACH_*
 * @event_caps: PERF_EV_CAP_*
 * @group_caps: of a leader, what its whole group has in common
 * @count: total so far, without children
 * @ctx: the context it is attached to; kept until it is freed
 * @pmu_ctx: the part of @ctx that schedules its group, NULL when resident
 * @pmu: that counts it
 * @group_leader: itself, or the leader; of a detached event always itself
 * @sibling_list: of a leader its members, of a member its place there
 * @nr_siblings: of a leader
 * @pending_kill: what the next signal is to say
 * @total_time_enabled: ns, up to @tstamp
 * @total_time_running: ns, up to @tstamp
 * @tstamp: context time when state last changed
 * @attr: what was asked for
 * @active_list: place in the PMU context's list of groups that are on
 * @group_node: place in the PMU context's tree of groups
 * @group_runtime: ns that the group has run, for fairness between groups
 * @header_size: of a sample, bytes whose number does not change
 * @id_header_size: of the trailer of other records
 * @read_size: of what read(2) returns
 * @hw_flags: what is to be given back when it is freed; see event.h
 * @hw: the driver's
 * @event_entry: in its context's list, RCU
 * @parent: what it was inherited from: the event that was opened
 * @id: its own, also the order of arrival
 * @refcount: of the event
 * @orig_type: attr.type as it was asked for
 * @rb: that it writes to
 * @cold: what few events have, or NULL
 * @overflow_handler: called at each overflow, in any context, preemption off
 * @overflow_handler_context: of an event of the kernel's own
 * @bpf_cookie: of any other, for @prog
 * @clock: time of its records
 * @prog: BPF program for its overflows, or of its tracepoint
 * @tp_event: of a tracepoint or probe
 * @pmu_private: of any other PMU
 * @filter: of a tracepoint or probe
 * @addr_filter_ranges: of any other PMU that has address filters, in a
 *	struct perf_event_filters
 * @lost_samples: that its driver dropped; of PMUs without such filters (powerpc)
 * @ns: whose numbers its samples give for processes; likewise (s390)
 * @aux_event: AUX leader that it writes to or controls, or NULL; a reference
 * @cgrp: that it counts for alone, or NULL
 * @destroy: the driver's, called once when the event goes
 * @owner: who opened it, PERF_TASK_GONE for the kernel
 * @owner_entry: in @owner's list
 * @child_list: of a copy, its place among its root's copies
 * @rcu_head: of an event that is in neither list any more
 * @security: of the security modules
 * @pmu_list: in its PMU's list
 * @ftrace_ops: of a tracepoint
 *
 * The order of fields is by use: first what an event site, a switch and a
 * read touch, then drivers' parts, then what open and close need.
 *
 * Protection, unless said otherwise: ctx->lock and ctx->mutex both held to
 * change how events hang together, either to look at it.
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
	u64				total_time_enabled;
	u64				total_time_running;
	u64				tstamp;

	struct perf_event_attr		attr;

	/* scheduling of groups that need a counter */
	struct list_head		active_list;
	struct rb_node			group_node;
	u64				group_runtime;

	/* fixed parts of records and reads, computed when the group changes */
	u16				header_size;
	u16				id_header_size;
	u16				read_size;
	u16				hw_flags;

	struct hw_perf_event		hw;

	struct list_head		event_entry;
	struct perf_event		*parent;
	u64				id;
	refcount_t			refcount;
	unsigned int			orig_type;

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
	struct task_struct		*owner;
	union {
		struct list_head	owner_entry;
		struct list_head	child_list;
		struct rcu_head		rcu_head;
	};
#ifdef CONFIG_SECURITY
	void				*security;
#endif
	struct list_head		pmu_list;
#ifdef CONFIG_FUNCTION_TRACER
	/* Last: only events of the tracepoint PMU are allocated that long. */
	struct ftrace_ops		ftrace_ops;
#endif
#endif /* CONFIG_PERF_EVENTS */
};

#ifdef CONFIG_PERF_EVENTS
/* What a member has for members: nothing is ever added to it. */
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
 * @pinned_groups: all pinned groups, ordered by CPU, cgroup and arrival
 * @flexible_groups: all flexible groups, ordered by CPU, cgroup and run time
 * @embedded: part of a struct perf_cpu_pmu_context, never freed alone
 * @rotate_necessary: an enabled group did not fit
 * @refcount: one an event
 * @rcu_head: to free it
 * @task_ctx_data: the driver's, of pmu::task_ctx_cache
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
	bool				embedded;
	bool				rotate_necessary;
	refcount_t			refcount;
	struct rcu_head			rcu_head;
	void				*task_ctx_data;
};

/**
 * struct perf_cpu_pmu_context - one PMU on one CPU
 * @epc: the CPU context's part
 * @sched_cb_entry: in this CPU's list of PMUs to call at a task switch
 * @sched_cb_usage: how many asked for that
 * @active_oncpu: events that have a counter
 * @most_oncpu: the most that ever had one at a time
 * @exclusive: an exclusive group is on
 * @turn: whose waiting group rotation serves next, the CPU's or the task's
 * @hrtimer_active: the rotation timer runs
 * @hrtimer_lock: protects it
 * @hrtimer: the rotation timer
 * @hrtimer_interval: its period
 */
struct perf_cpu_pmu_context {
	struct perf_event_pmu_context	epc;
	struct list_head		sched_cb_entry;
	int				sched_cb_usage;
	int				active_oncpu;
	int				most_oncpu;
	bool				exclusive;
	bool				turn;
	bool				hrtimer_active;
	raw_spinlock_t			hrtimer_lock;
	struct hrtimer			hrtimer;
	ktime_t				hrtimer_interval;
};

/**
 * struct perf_event_clock - time that runs only while its context does
 * @time: ns when it last stopped
 * @offset: what to add to perf_clock() while it runs
 * @cpu: that it runs on, -1 while it stands
 *
 * Written under the context's lock, while it runs by that CPU; read by anyone in any
 * context (see perf_clock_read()).
 */
struct perf_event_clock {
	u64	time;
	u64	offset;
	int	cpu;
};

/* Lists of software events by config; the first are clocks, which have no site. */
#define PERF_SW_FIRST	PERF_COUNT_SW_PAGE_FAULTS
#define PERF_SW_LISTS	(PERF_COUNT_SW_MAX - PERF_SW_FIRST)

/**
 * struct perf_event_context - the events of one task or one CPU
 * @lock: what the CPU that runs the context may look at; innermost
 * @refcount: task or CPU, and every attached event
 * @clock: runs while the context does
 * @now: perf_clock() of the change that goes on
 * @seq: odd while events' states and times change
 * @nr_events: attached
 * @nr_sched: groups that have to be scheduled
 * @nr_freq: events that sample at a frequency
 * @nr_mapped: events with their page mapped
 * @nr_user: events with PERF_EVENT_FLAG_USER_READ_CNT when they came
 * @walked: tracepoints about the task look at @event_list from other CPUs; for ever
 * @task: NULL for a CPU's; PERF_TASK_GONE once the task has exited
 * @event_list: all events, RCU
 * @pmu_ctx_list: one part for each PMU that has events here
 * @sw_lists: resident software events, by config; RCU
 * @mutex: membership; open, close and ioctl
 * @rcu_head: to free it, when nobody can take @mutex any more
 */
struct perf_event_context {
	raw_spinlock_t			lock;
	refcount_t			refcount;
	struct perf_event_clock		clock;
	u64				now;
	seqcount_t			seq;
	unsigned int			nr_events;
	unsigned int			nr_sched;
	unsigned int			nr_freq;
	unsigned int			nr_mapped;
	unsigned int			nr_user;
	bool				walked;
	struct task_struct		*task;
	struct list_head		event_list;
	struct list_head		pmu_ctx_list;
	struct hlist_head		sw_lists[PERF_SW_LISTS];
	union {
		struct mutex		mutex; /* membership */
		struct rcu_head		rcu_head;
	};
};

/**
 * struct perf_output_handle - a record being written
 * @event: on whose behalf
 * @rb: into which buffer
 * @wakeup: to be stored when the write ends
 * @size: bytes left on the current page (records) or granted (AUX)
 * @flags: of the record
 * @aux_flags: PERF_AUX_FLAG_* of the AUX record
 * @skip_read: the members' counters are not to be read while sampling
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
 * @css: what cgroups know of it
 * @info: per CPU
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
int perf_pmu_register(struct pmu *pmu, const char *name, int type);
void perf_pmu_unregister(struct pmu *pmu);
void perf_pmu_disable(struct pmu *pmu);
void perf_pmu_enable(struct pmu *pmu);
void perf_pmu_resched(struct pmu *pmu);
void perf_sched_cb_dec(struct pmu *pmu);
struct perf_event_context *perf_cpu_task_ctx(void);
void perf_sched_cb_inc(struct pmu *pmu);
void perf_pmu_migrate_context(struct pmu *pmu, int src_cpu, int dst_cpu);
void perf_event_update_userpage(struct perf_event *event);
void arch_perf_update_userpage(struct perf_event *event,
			       struct perf_event_mmap_page *userpg, u64 now);
int perf_num_counters(void);
const char *perf_pmu_name(void);
u64 perf_get_page_size(unsigned long addr);

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

/* Filters belong to the event that was opened, not to its inherited copies. */
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

static inline int in_software_context(struct perf_event *event)
{
	return !event->pmu_ctx || event->pmu_ctx->pmu->task_ctx_nr == perf_sw_context;
}

static inline int is_exclusive_pmu(struct pmu *pmu)
{
	return pmu->capabilities & PERF_PMU_CAP_EXCLUSIVE;
}

static inline bool event_has_any_exclude_flag(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	return attr->exclude_user || attr->exclude_kernel || attr->exclude_hv ||
	       attr->exclude_idle || attr->exclude_host || attr->exclude_guest;
}

/* samples */

/**
 * struct perf_sample_data - what is known of a sample before it is written
 * @sample_flags: PERF_SAMPLE_* bits of the fields that are already set
 * @period: of the event
 * @dyn_size: bytes of the fields whose size varies, without the read values
 * @type: the event's sample_type, as it applies here
 * @callchain_nr: words of @callchain that @dyn_size counts
 *
 * The rest are the record's fields, each valid when its bit is set in
 * @sample_flags. A driver starts with perf_sample_data_init(), adds what its
 * hardware told, and the core collects what is still missing.
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

/* What data_src says when nobody knows. */
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
int perf_output_begin_forward(struct perf_output_handle *handle,
			      struct perf_sample_data *data,
			      struct perf_event *event, unsigned int size);
int perf_output_begin_backward(struct perf_output_handle *handle,
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
 * perf_sw_event - an event of the kernel's own happened
 * @event_id: PERF_COUNT_SW_*
 * @nr: how many times
 * @regs: where
 * @addr: what address it was about, or 0
 *
 * Any context, NMI included. A nop while nobody listens.
 */
static __always_inline void
perf_sw_event(u32 event_id, u64 nr, struct pt_regs *regs, u64 addr)
{
	if (static_key_false(&perf_swevent_enabled[event_id].key))
		__perf_sw_event(event_id, nr, regs, addr);
}

DECLARE_PER_CPU(struct pt_regs, __perf_regs[4]);

/* As perf_sw_event(), in the scheduler: preemption is off, no registers. */
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

/* sideband: what samples need to be understood */

/* What there is to tell, each with a key that is on while somebody asks. */
enum perf_sideband_kind {
	PERF_SIDEBAND_MMAP,
	PERF_SIDEBAND_COMM,
	PERF_SIDEBAND_TASK,
	PERF_SIDEBAND_NAMESPACES,
	PERF_SIDEBAND_SWITCH,
	PERF_SIDEBAND_KSYMBOL,
	PERF_SIDEBAND_BPF,
	PERF_SIDEBAND_CGROUP,
	PERF_SIDEBAND_TEXT_POKE,
	PERF_SIDEBAND_BUILD_ID,		/* no record: a field of MMAP2 */
	PERF_SIDEBAND_FILTERS,		/* no record: address filters on files */
	NR_PERF_SIDEBAND,
};

extern struct static_key_deferred perf_sideband_keys[NR_PERF_SIDEBAND];

static __always_inline bool perf_sideband_heard(enum perf_sideband_kind kind)
{
	return static_key_false(&perf_sideband_keys[kind].key);
}

void __perf_event_mmap(struct vm_area_struct *vma);
void __perf_event_comm(struct task_struct *task, bool exec);
void __perf_event_fork(struct task_struct *task);
void __perf_event_namespaces(struct task_struct *task);
void __perf_event_ksymbol(u16 ksym_type, u64 addr, u32 len, bool unregister,
			  const char *sym);
void __perf_event_bpf_event(struct bpf_prog *prog, enum perf_bpf_event_type type,
			    u16 flags);
void __perf_event_text_poke(const void *addr, const void *old_bytes, size_t old_len,
			    const void *new_bytes, size_t new_len);

/* current has mapped something, or changed how it is mapped; its mm is locked for writing */
static inline void perf_event_mmap(struct vm_area_struct *vma)
{
	if (perf_sideband_heard(PERF_SIDEBAND_MMAP) || perf_sideband_heard(PERF_SIDEBAND_FILTERS))
		__perf_event_mmap(vma);
}

/* A task has a new name. */
static inline void perf_event_comm(struct task_struct *task, bool exec)
{
	if (perf_sideband_heard(PERF_SIDEBAND_COMM))
		__perf_event_comm(task, exec);
}

/* A task, current or one that it has made, is in new namespaces. */
static inline void perf_event_namespaces(struct task_struct *task)
{
	if (perf_sideband_heard(PERF_SIDEBAND_NAMESPACES))
		__perf_event_namespaces(task);
}

/* current has made a task, which begins in some namespaces. */
static inline void perf_event_fork(struct task_struct *task)
{
	if (perf_sideband_heard(PERF_SIDEBAND_TASK))
		__perf_event_fork(task);
	perf_event_namespaces(task);
}

/* The kernel has a new symbol, or one less. */
static inline void perf_event_ksymbol(u16 ksym_type, u64 addr, u32 len, bool unregister,
				      const char *sym)
{
	if (perf_sideband_heard(PERF_SIDEBAND_KSYMBOL))
		__perf_event_ksymbol(ksym_type, addr, len, unregister, sym);
}

/* A BPF program is loaded or unloaded; its symbols are told, too. */
static inline void perf_event_bpf_event(struct bpf_prog *prog, enum perf_bpf_event_type type,
					u16 flags)
{
	if (perf_sideband_heard(PERF_SIDEBAND_BPF) || perf_sideband_heard(PERF_SIDEBAND_KSYMBOL))
		__perf_event_bpf_event(prog, type, flags);
}

/* Kernel text is about to be changed. */
static inline void perf_event_text_poke(const void *addr, const void *old_bytes, size_t old_len,
					const void *new_bytes, size_t new_len)
{
	if (perf_sideband_heard(PERF_SIDEBAND_TEXT_POKE))
		__perf_event_text_poke(addr, old_bytes, old_len, new_bytes, new_len);
}

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

/* What security_perf_event_open() is asked about. */
#define PERF_SECURITY_OPEN		0
#define PERF_SECURITY_CPU		1
#define PERF_SECURITY_KERNEL		2
#define PERF_SECURITY_TRACEPOINT	3

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

static inline bool has_aux_action(const struct perf_event *event)
{
	return event->attr.aux_sample_size || event->attr.aux_pause ||
	       event->attr.aux_resume;
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

/* A task that may not be watched any more has this in its context. */
#define PERF_TASK_GONE	((void *)-1L)

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

/* user-space access to counters: bits of an architecture's own choice */
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
