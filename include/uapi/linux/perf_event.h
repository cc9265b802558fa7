/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The ABI of perf events: perf_event_open(2), the ioctls of an event's file, the pages that
 * mmap(2) of this file maps, and the records in these pages.
 *
 * "VERn" after a field of struct perf_event_attr means: PERF_ATTR_SIZE_VERn is the first size with
 * this field. A field without "VERn" is in every size. A MAX enumerator changes when enumerators
 * are added, so MAX enumerators are not ABI, with the exception of PERF_CONTEXT_MAX.
 */
#ifndef _UAPI_LINUX_PERF_EVENT_H
#define _UAPI_LINUX_PERF_EVENT_H

#include <linux/types.h>
#include <linux/ioctl.h>
#include <asm/byteorder.h>

/**
 * enum perf_type_id - the PMUs with a fixed number, for attr.type
 * @PERF_TYPE_HARDWARE: a generic hardware event, attr.config is enum perf_hw_id
 * @PERF_TYPE_SOFTWARE: an event of the kernel, attr.config is enum perf_sw_ids
 * @PERF_TYPE_TRACEPOINT: attr.config is the number in the tracepoint's tracefs file "id"
 * @PERF_TYPE_HW_CACHE: a generic cache event, attr.config as below
 * @PERF_TYPE_RAW: an event code of the CPU's PMU, as its sysfs directory "format" describes
 * @PERF_TYPE_BREAKPOINT: a hardware breakpoint, see attr.bp_type
 * @PERF_TYPE_MAX: not ABI
 *
 * Every other PMU has a number of its own, in /sys/bus/event_source/devices/PMU/type.
 */
enum perf_type_id {
	PERF_TYPE_HARDWARE			= 0,
	PERF_TYPE_SOFTWARE			= 1,
	PERF_TYPE_TRACEPOINT			= 2,
	PERF_TYPE_HW_CACHE			= 3,
	PERF_TYPE_RAW				= 4,
	PERF_TYPE_BREAKPOINT			= 5,

	PERF_TYPE_MAX,
};

/*
 * attr.config of PERF_TYPE_HARDWARE and PERF_TYPE_HW_CACHE:
 *
 *	bits	PERF_TYPE_HARDWARE	PERF_TYPE_HW_CACHE
 *	0-7	enum perf_hw_id		enum perf_hw_cache_id
 *	8-15	0			enum perf_hw_cache_op_id
 *	16-23	0			enum perf_hw_cache_op_result_id
 *	24-31	0			0
 *	32-63	attr.type of a PMU, or 0: the PMU of PERF_TYPE_RAW
 *
 * On a machine with several kinds of CPUs, the upper half selects one kind.
 */
#define PERF_PMU_TYPE_SHIFT		32
#define PERF_HW_EVENT_MASK		0xffffffff

/**
 * enum perf_hw_id - generic hardware events, for attr.config of PERF_TYPE_HARDWARE
 * @PERF_COUNT_HW_CPU_CYCLES: cycles in which the CPU was not halted, at its current frequency
 * @PERF_COUNT_HW_INSTRUCTIONS: retired instructions
 * @PERF_COUNT_HW_CACHE_REFERENCES: accesses to a cache, most often the last level
 * @PERF_COUNT_HW_CACHE_MISSES: misses of the same cache
 * @PERF_COUNT_HW_BRANCH_INSTRUCTIONS: retired branches
 * @PERF_COUNT_HW_BRANCH_MISSES: retired branches that were mispredicted
 * @PERF_COUNT_HW_BUS_CYCLES: cycles of the bus
 * @PERF_COUNT_HW_STALLED_CYCLES_FRONTEND: cycles in which fetch and decode gave no instruction
 * @PERF_COUNT_HW_STALLED_CYCLES_BACKEND: cycles in which instructions waited for a unit or data
 * @PERF_COUNT_HW_REF_CPU_CYCLES: cycles in which the CPU was not halted, at a fixed frequency
 * @PERF_COUNT_HW_MAX: not ABI
 *
 * The PMU's driver selects the nearest event of the CPU. If the CPU has none, the error is
 * -ENOENT, -EINVAL or -EOPNOTSUPP, depending on the driver.
 */
enum perf_hw_id {
	PERF_COUNT_HW_CPU_CYCLES		= 0,
	PERF_COUNT_HW_INSTRUCTIONS		= 1,
	PERF_COUNT_HW_CACHE_REFERENCES		= 2,
	PERF_COUNT_HW_CACHE_MISSES		= 3,
	PERF_COUNT_HW_BRANCH_INSTRUCTIONS	= 4,
	PERF_COUNT_HW_BRANCH_MISSES		= 5,
	PERF_COUNT_HW_BUS_CYCLES		= 6,
	PERF_COUNT_HW_STALLED_CYCLES_FRONTEND	= 7,
	PERF_COUNT_HW_STALLED_CYCLES_BACKEND	= 8,
	PERF_COUNT_HW_REF_CPU_CYCLES		= 9,

	PERF_COUNT_HW_MAX,
};

/**
 * enum perf_hw_cache_id - the cache of a PERF_TYPE_HW_CACHE event
 * @PERF_COUNT_HW_CACHE_L1D: first level data cache
 * @PERF_COUNT_HW_CACHE_L1I: first level instruction cache
 * @PERF_COUNT_HW_CACHE_LL: last level cache
 * @PERF_COUNT_HW_CACHE_DTLB: TLB of data
 * @PERF_COUNT_HW_CACHE_ITLB: TLB of instructions
 * @PERF_COUNT_HW_CACHE_BPU: branch predictor
 * @PERF_COUNT_HW_CACHE_NODE: memory of the CPU's NUMA node
 * @PERF_COUNT_HW_CACHE_MAX: not ABI
 */
enum perf_hw_cache_id {
	PERF_COUNT_HW_CACHE_L1D			= 0,
	PERF_COUNT_HW_CACHE_L1I			= 1,
	PERF_COUNT_HW_CACHE_LL			= 2,
	PERF_COUNT_HW_CACHE_DTLB		= 3,
	PERF_COUNT_HW_CACHE_ITLB		= 4,
	PERF_COUNT_HW_CACHE_BPU			= 5,
	PERF_COUNT_HW_CACHE_NODE		= 6,

	PERF_COUNT_HW_CACHE_MAX,
};

/**
 * enum perf_hw_cache_op_id - the kind of access of a PERF_TYPE_HW_CACHE event
 * @PERF_COUNT_HW_CACHE_OP_READ: loads, instruction fetches, predictions
 * @PERF_COUNT_HW_CACHE_OP_WRITE: stores
 * @PERF_COUNT_HW_CACHE_OP_PREFETCH: prefetches
 * @PERF_COUNT_HW_CACHE_OP_MAX: not ABI
 */
enum perf_hw_cache_op_id {
	PERF_COUNT_HW_CACHE_OP_READ		= 0,
	PERF_COUNT_HW_CACHE_OP_WRITE		= 1,
	PERF_COUNT_HW_CACHE_OP_PREFETCH		= 2,

	PERF_COUNT_HW_CACHE_OP_MAX,
};

/**
 * enum perf_hw_cache_op_result_id - which accesses a PERF_TYPE_HW_CACHE event counts
 * @PERF_COUNT_HW_CACHE_RESULT_ACCESS: all accesses
 * @PERF_COUNT_HW_CACHE_RESULT_MISS: the misses
 * @PERF_COUNT_HW_CACHE_RESULT_MAX: not ABI
 */
enum perf_hw_cache_op_result_id {
	PERF_COUNT_HW_CACHE_RESULT_ACCESS	= 0,
	PERF_COUNT_HW_CACHE_RESULT_MISS		= 1,

	PERF_COUNT_HW_CACHE_RESULT_MAX,
};

/**
 * enum perf_sw_ids - events of the kernel, for attr.config of PERF_TYPE_SOFTWARE
 * @PERF_COUNT_SW_CPU_CLOCK: time in which the task ran, or all time of the CPU, ns; a
 *	high-resolution timer takes the samples
 * @PERF_COUNT_SW_TASK_CLOCK: the same as PERF_COUNT_SW_CPU_CLOCK
 * @PERF_COUNT_SW_PAGE_FAULTS: page faults at addresses of user space
 * @PERF_COUNT_SW_CONTEXT_SWITCHES: switches from the task to another; 0 with attr.exclude_kernel
 * @PERF_COUNT_SW_CPU_MIGRATIONS: moves of the task to another CPU; 0 with attr.exclude_kernel
 * @PERF_COUNT_SW_PAGE_FAULTS_MIN: page faults that needed no I/O
 * @PERF_COUNT_SW_PAGE_FAULTS_MAJ: page faults that needed I/O
 * @PERF_COUNT_SW_ALIGNMENT_FAULTS: unaligned accesses that the kernel completed
 * @PERF_COUNT_SW_EMULATION_FAULTS: instructions that the kernel emulated
 * @PERF_COUNT_SW_DUMMY: counts nothing; for events that only request records
 * @PERF_COUNT_SW_BPF_OUTPUT: records that a BPF program wrote, as PERF_SAMPLE_RAW
 * @PERF_COUNT_SW_CGROUP_SWITCHES: switches of the CPU to a task of another cgroup; 0 with
 *	attr.exclude_kernel
 * @PERF_COUNT_SW_MAX: not ABI
 */
enum perf_sw_ids {
	PERF_COUNT_SW_CPU_CLOCK			= 0,
	PERF_COUNT_SW_TASK_CLOCK		= 1,
	PERF_COUNT_SW_PAGE_FAULTS		= 2,
	PERF_COUNT_SW_CONTEXT_SWITCHES		= 3,
	PERF_COUNT_SW_CPU_MIGRATIONS		= 4,
	PERF_COUNT_SW_PAGE_FAULTS_MIN		= 5,
	PERF_COUNT_SW_PAGE_FAULTS_MAJ		= 6,
	PERF_COUNT_SW_ALIGNMENT_FAULTS		= 7,
	PERF_COUNT_SW_EMULATION_FAULTS		= 8,
	PERF_COUNT_SW_DUMMY			= 9,
	PERF_COUNT_SW_BPF_OUTPUT		= 10,
	PERF_COUNT_SW_CGROUP_SWITCHES		= 11,

	PERF_COUNT_SW_MAX,
};

/**
 * enum perf_event_sample_format - fields of a sample, for attr.sample_type
 * @PERF_SAMPLE_IP: instruction pointer
 * @PERF_SAMPLE_TID: process and thread ID
 * @PERF_SAMPLE_TIME: time of the record clock, ns: the clock of attr.clockid, or the scheduler's
 * @PERF_SAMPLE_ADDR: data address, if the event has one
 * @PERF_SAMPLE_READ: counts in the layout of attr.read_format, without those of children
 * @PERF_SAMPLE_CALLCHAIN: call chain, at most attr.sample_max_stack addresses
 * @PERF_SAMPLE_ID: ID of the event; for an inherited event, the ID of the event that was opened
 * @PERF_SAMPLE_CPU: CPU
 * @PERF_SAMPLE_PERIOD: period with which the event was sampled
 * @PERF_SAMPLE_STREAM_ID: ID of the event; an inherited event has an ID of its own
 * @PERF_SAMPLE_RAW: data of the event's source, such as a tracepoint's fields
 * @PERF_SAMPLE_BRANCH_STACK: recent branches, as attr.branch_sample_type selects
 * @PERF_SAMPLE_REGS_USER: user registers in attr.sample_regs_user
 * @PERF_SAMPLE_STACK_USER: up to attr.sample_stack_user bytes of the user stack
 * @PERF_SAMPLE_WEIGHT: cost of the event as one number, most often a latency in cycles
 * @PERF_SAMPLE_DATA_SRC: source of the data, union perf_mem_data_src
 * @PERF_SAMPLE_IDENTIFIER: as PERF_SAMPLE_ID, at a fixed place; see enum perf_event_type
 * @PERF_SAMPLE_TRANSACTION: cause of a transaction's abort, PERF_TXN_*
 * @PERF_SAMPLE_REGS_INTR: registers in attr.sample_regs_intr, of the interrupted code
 * @PERF_SAMPLE_PHYS_ADDR: physical address of PERF_SAMPLE_ADDR; needs CAP_PERFMON or
 *	perf_event_paranoid below 2
 * @PERF_SAMPLE_AUX: up to attr.aux_sample_size bytes of the group leader's AUX area
 * @PERF_SAMPLE_CGROUP: ID of the task's cgroup; -EINVAL without CONFIG_CGROUP_PERF
 * @PERF_SAMPLE_DATA_PAGE_SIZE: size of the page of PERF_SAMPLE_ADDR
 * @PERF_SAMPLE_CODE_PAGE_SIZE: size of the page of PERF_SAMPLE_IP
 * @PERF_SAMPLE_WEIGHT_STRUCT: cost as three numbers; -EINVAL with PERF_SAMPLE_WEIGHT
 * @PERF_SAMPLE_MAX: not ABI; this bit and all above it are -EINVAL
 *
 * The description of PERF_RECORD_SAMPLE has the order of the fields.
 */
enum perf_event_sample_format {
	PERF_SAMPLE_IP				= 1U << 0,
	PERF_SAMPLE_TID				= 1U << 1,
	PERF_SAMPLE_TIME			= 1U << 2,
	PERF_SAMPLE_ADDR			= 1U << 3,
	PERF_SAMPLE_READ			= 1U << 4,
	PERF_SAMPLE_CALLCHAIN			= 1U << 5,
	PERF_SAMPLE_ID				= 1U << 6,
	PERF_SAMPLE_CPU				= 1U << 7,
	PERF_SAMPLE_PERIOD			= 1U << 8,
	PERF_SAMPLE_STREAM_ID			= 1U << 9,
	PERF_SAMPLE_RAW				= 1U << 10,
	PERF_SAMPLE_BRANCH_STACK		= 1U << 11,
	PERF_SAMPLE_REGS_USER			= 1U << 12,
	PERF_SAMPLE_STACK_USER			= 1U << 13,
	PERF_SAMPLE_WEIGHT			= 1U << 14,
	PERF_SAMPLE_DATA_SRC			= 1U << 15,
	PERF_SAMPLE_IDENTIFIER			= 1U << 16,
	PERF_SAMPLE_TRANSACTION			= 1U << 17,
	PERF_SAMPLE_REGS_INTR			= 1U << 18,
	PERF_SAMPLE_PHYS_ADDR			= 1U << 19,
	PERF_SAMPLE_AUX				= 1U << 20,
	PERF_SAMPLE_CGROUP			= 1U << 21,
	PERF_SAMPLE_DATA_PAGE_SIZE		= 1U << 22,
	PERF_SAMPLE_CODE_PAGE_SIZE		= 1U << 23,
	PERF_SAMPLE_WEIGHT_STRUCT		= 1U << 24,

	PERF_SAMPLE_MAX = 1U << 25,
};

/* The two formats of union perf_sample_weight. */
#define PERF_SAMPLE_WEIGHT_TYPE	(PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT)

/**
 * enum perf_branch_sample_type_shift - bits of enum perf_branch_sample_type
 * @PERF_SAMPLE_BRANCH_USER_SHIFT: branches in user space
 * @PERF_SAMPLE_BRANCH_KERNEL_SHIFT: branches in the kernel; need CAP_PERFMON or
 *	perf_event_paranoid below 2
 * @PERF_SAMPLE_BRANCH_HV_SHIFT: branches in the hypervisor; need the same right
 * @PERF_SAMPLE_BRANCH_ANY_SHIFT: every kind of branch
 * @PERF_SAMPLE_BRANCH_ANY_CALL_SHIFT: calls, and entries to the kernel
 * @PERF_SAMPLE_BRANCH_ANY_RETURN_SHIFT: returns, and exits from the kernel
 * @PERF_SAMPLE_BRANCH_IND_CALL_SHIFT: indirect calls
 * @PERF_SAMPLE_BRANCH_ABORT_TX_SHIFT: aborts of transactions
 * @PERF_SAMPLE_BRANCH_IN_TX_SHIFT: branches in transactions
 * @PERF_SAMPLE_BRANCH_NO_TX_SHIFT: branches outside transactions
 * @PERF_SAMPLE_BRANCH_COND_SHIFT: conditional branches
 * @PERF_SAMPLE_BRANCH_CALL_STACK_SHIFT: a call stack, that is, calls that have not returned
 * @PERF_SAMPLE_BRANCH_IND_JUMP_SHIFT: indirect jumps
 * @PERF_SAMPLE_BRANCH_CALL_SHIFT: direct calls
 * @PERF_SAMPLE_BRANCH_NO_FLAGS_SHIFT: the PMU need not set mispred and predicted
 * @PERF_SAMPLE_BRANCH_NO_CYCLES_SHIFT: the PMU need not set cycles
 * @PERF_SAMPLE_BRANCH_TYPE_SAVE_SHIFT: set type
 * @PERF_SAMPLE_BRANCH_HW_INDEX_SHIFT: the sample has the hardware's index of the first entry
 * @PERF_SAMPLE_BRANCH_PRIV_SAVE_SHIFT: set priv
 * @PERF_SAMPLE_BRANCH_COUNTERS_SHIFT: the sample has, for each branch, counts of events since the
 *	branch before it
 * @PERF_SAMPLE_BRANCH_MAX_SHIFT: not ABI
 */
enum perf_branch_sample_type_shift {
	PERF_SAMPLE_BRANCH_USER_SHIFT		= 0,
	PERF_SAMPLE_BRANCH_KERNEL_SHIFT		= 1,
	PERF_SAMPLE_BRANCH_HV_SHIFT		= 2,

	PERF_SAMPLE_BRANCH_ANY_SHIFT		= 3,
	PERF_SAMPLE_BRANCH_ANY_CALL_SHIFT	= 4,
	PERF_SAMPLE_BRANCH_ANY_RETURN_SHIFT	= 5,
	PERF_SAMPLE_BRANCH_IND_CALL_SHIFT	= 6,
	PERF_SAMPLE_BRANCH_ABORT_TX_SHIFT	= 7,
	PERF_SAMPLE_BRANCH_IN_TX_SHIFT		= 8,
	PERF_SAMPLE_BRANCH_NO_TX_SHIFT		= 9,
	PERF_SAMPLE_BRANCH_COND_SHIFT		= 10,

	PERF_SAMPLE_BRANCH_CALL_STACK_SHIFT	= 11,
	PERF_SAMPLE_BRANCH_IND_JUMP_SHIFT	= 12,
	PERF_SAMPLE_BRANCH_CALL_SHIFT		= 13,

	PERF_SAMPLE_BRANCH_NO_FLAGS_SHIFT	= 14,
	PERF_SAMPLE_BRANCH_NO_CYCLES_SHIFT	= 15,

	PERF_SAMPLE_BRANCH_TYPE_SAVE_SHIFT	= 16,

	PERF_SAMPLE_BRANCH_HW_INDEX_SHIFT	= 17,

	PERF_SAMPLE_BRANCH_PRIV_SAVE_SHIFT	= 18,

	PERF_SAMPLE_BRANCH_COUNTERS_SHIFT	= 19,

	PERF_SAMPLE_BRANCH_MAX_SHIFT
};

/*
 * attr.branch_sample_type, with PERF_SAMPLE_BRANCH_STACK. Branches of all selected kinds are
 * recorded. Without a privilege level, the levels of the event are used. -EINVAL if only privilege
 * levels are set, or PERF_SAMPLE_BRANCH_MAX or a bit above it; -EOPNOTSUPP if the PMU does not
 * support the selection.
 */
enum perf_branch_sample_type {
	PERF_SAMPLE_BRANCH_USER		= 1U << PERF_SAMPLE_BRANCH_USER_SHIFT,
	PERF_SAMPLE_BRANCH_KERNEL	= 1U << PERF_SAMPLE_BRANCH_KERNEL_SHIFT,
	PERF_SAMPLE_BRANCH_HV		= 1U << PERF_SAMPLE_BRANCH_HV_SHIFT,

	PERF_SAMPLE_BRANCH_ANY		= 1U << PERF_SAMPLE_BRANCH_ANY_SHIFT,
	PERF_SAMPLE_BRANCH_ANY_CALL	= 1U << PERF_SAMPLE_BRANCH_ANY_CALL_SHIFT,
	PERF_SAMPLE_BRANCH_ANY_RETURN	= 1U << PERF_SAMPLE_BRANCH_ANY_RETURN_SHIFT,
	PERF_SAMPLE_BRANCH_IND_CALL	= 1U << PERF_SAMPLE_BRANCH_IND_CALL_SHIFT,
	PERF_SAMPLE_BRANCH_ABORT_TX	= 1U << PERF_SAMPLE_BRANCH_ABORT_TX_SHIFT,
	PERF_SAMPLE_BRANCH_IN_TX	= 1U << PERF_SAMPLE_BRANCH_IN_TX_SHIFT,
	PERF_SAMPLE_BRANCH_NO_TX	= 1U << PERF_SAMPLE_BRANCH_NO_TX_SHIFT,
	PERF_SAMPLE_BRANCH_COND		= 1U << PERF_SAMPLE_BRANCH_COND_SHIFT,

	PERF_SAMPLE_BRANCH_CALL_STACK	= 1U << PERF_SAMPLE_BRANCH_CALL_STACK_SHIFT,
	PERF_SAMPLE_BRANCH_IND_JUMP	= 1U << PERF_SAMPLE_BRANCH_IND_JUMP_SHIFT,
	PERF_SAMPLE_BRANCH_CALL		= 1U << PERF_SAMPLE_BRANCH_CALL_SHIFT,

	PERF_SAMPLE_BRANCH_NO_FLAGS	= 1U << PERF_SAMPLE_BRANCH_NO_FLAGS_SHIFT,
	PERF_SAMPLE_BRANCH_NO_CYCLES	= 1U << PERF_SAMPLE_BRANCH_NO_CYCLES_SHIFT,

	PERF_SAMPLE_BRANCH_TYPE_SAVE	= 1U << PERF_SAMPLE_BRANCH_TYPE_SAVE_SHIFT,

	PERF_SAMPLE_BRANCH_HW_INDEX	= 1U << PERF_SAMPLE_BRANCH_HW_INDEX_SHIFT,

	PERF_SAMPLE_BRANCH_PRIV_SAVE	= 1U << PERF_SAMPLE_BRANCH_PRIV_SAVE_SHIFT,

	PERF_SAMPLE_BRANCH_COUNTERS	= 1U << PERF_SAMPLE_BRANCH_COUNTERS_SHIFT,

	PERF_SAMPLE_BRANCH_MAX		= 1U << PERF_SAMPLE_BRANCH_MAX_SHIFT,
};

/* perf_branch_entry.type: the kind of branch */
enum {
	PERF_BR_UNKNOWN		= 0,
	PERF_BR_COND		= 1,	/* conditional jump */
	PERF_BR_UNCOND		= 2,	/* direct jump, unconditional */
	PERF_BR_IND		= 3,	/* indirect jump */
	PERF_BR_CALL		= 4,	/* direct call */
	PERF_BR_IND_CALL	= 5,	/* indirect call */
	PERF_BR_RET		= 6,	/* return */
	PERF_BR_SYSCALL		= 7,	/* entry to the kernel by a system call */
	PERF_BR_SYSRET		= 8,	/* exit from a system call */
	PERF_BR_COND_CALL	= 9,	/* conditional call */
	PERF_BR_COND_RET	= 10,	/* conditional return */
	PERF_BR_ERET		= 11,	/* return from an exception */
	PERF_BR_IRQ		= 12,	/* interrupt */
	PERF_BR_SERROR		= 13,	/* SError exception */
	PERF_BR_NO_TX		= 14,	/* outside a transaction */
	PERF_BR_EXTEND_ABI	= 15,	/* the kind is in new_type */
	PERF_BR_MAX,
};

/* perf_branch_entry.spec: was the branch speculated, and was it right? */
enum {
	PERF_BR_SPEC_NA			= 0,	/* the PMU does not record it */
	PERF_BR_SPEC_WRONG_PATH		= 1,	/* speculated, on the wrong path */
	PERF_BR_NON_SPEC_CORRECT_PATH	= 2,	/* not speculated */
	PERF_BR_SPEC_CORRECT_PATH	= 3,	/* speculated, on the right path */
	PERF_BR_SPEC_MAX,
};

/* perf_branch_entry.new_type, if type is PERF_BR_EXTEND_ABI */
enum {
	PERF_BR_NEW_FAULT_ALGN		= 0,	/* unaligned access */
	PERF_BR_NEW_FAULT_DATA		= 1,	/* fault of a data access */
	PERF_BR_NEW_FAULT_INST		= 2,	/* fault of an instruction fetch */
	PERF_BR_NEW_ARCH_1		= 3,	/* from here on: defined by each architecture */
	PERF_BR_NEW_ARCH_2		= 4,
	PERF_BR_NEW_ARCH_3		= 5,
	PERF_BR_NEW_ARCH_4		= 6,
	PERF_BR_NEW_ARCH_5		= 7,
	PERF_BR_NEW_MAX,
};

/* perf_branch_entry.priv: privilege level of the branch's target */
enum {
	PERF_BR_PRIV_UNKNOWN	= 0,
	PERF_BR_PRIV_USER	= 1,
	PERF_BR_PRIV_KERNEL	= 2,
	PERF_BR_PRIV_HV		= 3,
};

#define PERF_BR_ARM64_FIQ		PERF_BR_NEW_ARCH_1
#define PERF_BR_ARM64_DEBUG_HALT	PERF_BR_NEW_ARCH_2
#define PERF_BR_ARM64_DEBUG_EXIT	PERF_BR_NEW_ARCH_3
#define PERF_BR_ARM64_DEBUG_INST	PERF_BR_NEW_ARCH_4
#define PERF_BR_ARM64_DEBUG_DATA	PERF_BR_NEW_ARCH_5

/* All privilege levels of attr.branch_sample_type. */
#define PERF_SAMPLE_BRANCH_PLM_ALL \
	(PERF_SAMPLE_BRANCH_USER | \
	 PERF_SAMPLE_BRANCH_KERNEL | \
	 PERF_SAMPLE_BRANCH_HV)

/**
 * enum perf_sample_regs_abi - width of sampled registers
 * @PERF_SAMPLE_REGS_ABI_NONE: no registers follow, for example for a kernel thread
 * @PERF_SAMPLE_REGS_ABI_32: the task is a 32-bit one
 * @PERF_SAMPLE_REGS_ABI_64: the task is a 64-bit one
 *
 * Each register has 64 bits in the sample, for both widths. PERF_SAMPLE_REGS_INTR has the task's
 * width even if the registers are the kernel's.
 */
enum perf_sample_regs_abi {
	PERF_SAMPLE_REGS_ABI_NONE	= 0,
	PERF_SAMPLE_REGS_ABI_32		= 1,
	PERF_SAMPLE_REGS_ABI_64		= 2,
};

/* PERF_SAMPLE_TRANSACTION: cause of the end of a transaction */
enum {
	PERF_TXN_ELISION        = (1 << 0), /* a lock was elided */
	PERF_TXN_TRANSACTION    = (1 << 1), /* the program began a transaction */
	PERF_TXN_SYNC           = (1 << 2), /* the sampled instruction is the cause */
	PERF_TXN_ASYNC          = (1 << 3), /* another instruction is the cause */
	PERF_TXN_RETRY          = (1 << 4), /* another try may succeed */
	PERF_TXN_CONFLICT       = (1 << 5), /* another CPU accessed the same memory */
	PERF_TXN_CAPACITY_WRITE = (1 << 6), /* too many stores */
	PERF_TXN_CAPACITY_READ  = (1 << 7), /* too many loads */

	PERF_TXN_MAX	        = (1 << 8),

	/* abort code of the program */
	PERF_TXN_ABORT_MASK  = (0xffffffffULL << 32),
	PERF_TXN_ABORT_SHIFT = 32,
};

/**
 * enum perf_event_read_format - values that read(2) returns, for attr.read_format
 * @PERF_FORMAT_TOTAL_TIME_ENABLED: the time in which the event was enabled, ns
 * @PERF_FORMAT_TOTAL_TIME_RUNNING: the time in which the event counted, ns; less than enabled if
 *	the event was multiplexed with others
 * @PERF_FORMAT_ID: the event's ID
 * @PERF_FORMAT_GROUP: counts of all events of the group, read through any of them
 * @PERF_FORMAT_LOST: number of records of the event that were lost
 * @PERF_FORMAT_MAX: not ABI; this bit and all above it are -EINVAL
 *
 * Each field is a __u64. If a format follows the field's name, the field exists only with this
 * format.
 *
 * Without PERF_FORMAT_GROUP::
 *
 *	value
 *	time_enabled		TOTAL_TIME_ENABLED
 *	time_running		TOTAL_TIME_RUNNING
 *	id			ID
 *	lost			LOST
 *
 * With PERF_FORMAT_GROUP (read(2) returns the times of the leader)::
 *
 *	nr
 *	time_enabled		TOTAL_TIME_ENABLED
 *	time_running		TOTAL_TIME_RUNNING
 *	then nr times, the leader first:
 *		value
 *		id		ID
 *		lost		LOST
 *
 * read(2) returns -ENOSPC if the buffer is too short. It returns 0 bytes for a pinned event without
 * a counter, and for an event whose PMU was unregistered.
 */
enum perf_event_read_format {
	PERF_FORMAT_TOTAL_TIME_ENABLED		= 1U << 0,
	PERF_FORMAT_TOTAL_TIME_RUNNING		= 1U << 1,
	PERF_FORMAT_ID				= 1U << 2,
	PERF_FORMAT_GROUP			= 1U << 3,
	PERF_FORMAT_LOST			= 1U << 4,

	PERF_FORMAT_MAX = 1U << 5,
};

/* Sizes of struct perf_event_attr over time; attr.size may be any number from VER0 to a page. */
#define PERF_ATTR_SIZE_VER0	64
#define PERF_ATTR_SIZE_VER1	72	/* + config2 */
#define PERF_ATTR_SIZE_VER2	80	/* + branch_sample_type */
#define PERF_ATTR_SIZE_VER3	96	/* + sample_regs_user, sample_stack_user, clockid */
#define PERF_ATTR_SIZE_VER4	104	/* + sample_regs_intr */
#define PERF_ATTR_SIZE_VER5	112	/* + aux_watermark, sample_max_stack */
#define PERF_ATTR_SIZE_VER6	120	/* + aux_sample_size, aux_action */
#define PERF_ATTR_SIZE_VER7	128	/* + sig_data */
#define PERF_ATTR_SIZE_VER8	136	/* + config3 */

/**
 * struct perf_event_attr - the event that perf_event_open(2) opens
 * @type: the PMU, enum perf_type_id or a number from sysfs; -ENOENT if there is none
 * @size: size of the caller's version of the structure; 0 means PERF_ATTR_SIZE_VER0. -E2BIG if the
 *	size is below PERF_ATTR_SIZE_VER0 or above a page, or if bytes beyond the kernel's version
 *	are not zero. With -E2BIG the kernel writes its own size here
 * @config: the event, as @type defines it
 * @sample_period: number of occurrences per sample; 0: count only. -EINVAL from 2^63 on
 * @sample_freq: with @freq: samples per second. -EINVAL above perf_event_max_sample_rate
 * @sample_type: fields of each sample, enum perf_event_sample_format
 * @read_format: values that read(2) returns, enum perf_event_read_format
 * @disabled: do not count until PERF_EVENT_IOC_ENABLE or @enable_on_exec. While a leader is
 *	disabled, no member of its group counts
 * @inherit: also count children and threads that the task creates later; -EINVAL with
 *	PERF_SAMPLE_READ but without PERF_SAMPLE_TID. mmap(2) of such an event is -EINVAL unless
 *	the event has a CPU
 * @pinned: always have a counter. Without a counter the event stops until PERF_EVENT_IOC_ENABLE,
 *	and read(2) returns 0 bytes. Leaders only
 * @exclusive: never share the PMU with another group. Leaders only
 * @exclude_user: do not count in user space
 * @exclude_kernel: do not count in the kernel; unless it is set, the caller needs CAP_PERFMON or
 *	perf_event_paranoid below 2, else -EACCES
 * @exclude_hv: do not count in the hypervisor
 * @exclude_idle: do not count in the idle task. Most PMUs ignore this flag. The clocks of
 *	enum perf_sw_ids count in the idle task, but take no samples there
 * @mmap: PERF_RECORD_MMAP for each executable mapping
 * @comm: PERF_RECORD_COMM for each change of a task's name
 * @freq: use @sample_freq in place of @sample_period
 * @inherit_stat: PERF_RECORD_READ with the count of each child, when the child exits
 * @enable_on_exec: enable the event at the task's next execve(2)
 * @task: PERF_RECORD_FORK and PERF_RECORD_EXIT; @comm, @mmap, @mmap_data and @mmap2 imply it
 * @watermark: use @wakeup_watermark in place of @wakeup_events
 * @precise_ip: distance (skid) of PERF_SAMPLE_IP from the instruction that caused the event.
 *	0: any; 1: constant; 2: none if possible; 3: none. -EOPNOTSUPP if the PMU does not support
 *	this level. See PERF_RECORD_MISC_EXACT_IP
 * @mmap_data: PERF_RECORD_MMAP for each mapping that is not executable
 * @sample_id_all: all records except samples end with struct sample_id, see enum perf_event_type
 * @exclude_host: count in guests only
 * @exclude_guest: do not count in guests
 * @exclude_callchain_kernel: call chains without the kernel's part; unless it is set,
 *	PERF_SAMPLE_CALLCHAIN needs CAP_PERFMON or perf_event_paranoid below 2, else -EACCES
 * @exclude_callchain_user: call chains without the part in user space
 * @mmap2: as @mmap, and PERF_RECORD_MMAP2 in place of PERF_RECORD_MMAP
 * @comm_exec: no effect. If a kernel accepts this flag, it sets PERF_RECORD_MISC_COMM_EXEC
 * @use_clockid: @clockid is the record clock
 * @context_switch: PERF_RECORD_SWITCH, or PERF_RECORD_SWITCH_CPU_WIDE for an event of a CPU
 * @write_backward: write records from the end of the buffer to its start
 * @namespaces: PERF_RECORD_NAMESPACES; -EACCES without CAP_PERFMON
 * @ksymbol: PERF_RECORD_KSYMBOL
 * @bpf_event: PERF_RECORD_BPF_EVENT
 * @aux_output: write samples to the group leader's AUX area
 * @cgroup: PERF_RECORD_CGROUP
 * @text_poke: PERF_RECORD_TEXT_POKE; needs CAP_PERFMON or perf_event_paranoid below 2
 * @build_id: with @mmap2: if the file has a build ID, record it in place of the inode
 * @inherit_thread: with @inherit: new threads of the process only; -EINVAL without @inherit
 * @remove_on_exec: remove the event at the task's execve(2); -EINVAL with @enable_on_exec
 * @sigtrap: send SIGTRAP to the task at each overflow; -EINVAL without @remove_on_exec, or without
 *	a task
 * @wakeup_events: wake up poll(2) after this number of samples, and after each half of the buffer
 * @wakeup_watermark: with @watermark: wake up poll(2) after this number of bytes of records; 0:
 *	after half of the buffer
 * @bp_type: of a breakpoint: HW_BREAKPOINT_* of <linux/hw_breakpoint.h>
 * @bp_addr: of a breakpoint: its address
 * @kprobe_func: of a kprobe: pointer to the function's name, or 0
 * @uprobe_path: of a uprobe: pointer to the file's path
 * @config1: more of @config
 * @bp_len: of a breakpoint: its length, bytes; sizeof(long) for HW_BREAKPOINT_X (VER1)
 * @kprobe_addr: of a kprobe without a name: its address (VER1)
 * @probe_offset: of a kprobe with a name, or a uprobe: offset (VER1)
 * @config2: more of @config (VER1)
 * @branch_sample_type: branches of PERF_SAMPLE_BRANCH_STACK, enum perf_branch_sample_type (VER2)
 * @sample_regs_user: registers of PERF_SAMPLE_REGS_USER, bits of <asm/perf_regs.h>; -EINVAL
 *	without a register, or if a register does not exist (VER3)
 * @sample_stack_user: maximum number of bytes of PERF_SAMPLE_STACK_USER; -EINVAL unless it is a
 *	multiple of 8 and below 65535 (VER3)
 * @clockid: with @use_clockid: CLOCK_MONOTONIC, _MONOTONIC_RAW, _REALTIME, _BOOTTIME or _TAI; the
 *	last three are -EINVAL if the PMU interrupts by NMI (VER3)
 * @sample_regs_intr: registers of PERF_SAMPLE_REGS_INTR: at the interrupt, or with @precise_ip at
 *	the sampled instruction; -EINVAL as for @sample_regs_user (VER4)
 * @aux_watermark: wake up poll(2) after this number of bytes in the AUX area; 0: after half of the
 *	area (VER5)
 * @sample_max_stack: maximum number of addresses of a call chain; 0: the sysctl
 *	perf_event_max_stack. -EOVERFLOW above this sysctl, with PERF_SAMPLE_CALLCHAIN (VER5)
 * @__reserved_2: -EINVAL unless 0 (VER5)
 * @aux_sample_size: maximum number of bytes of PERF_SAMPLE_AUX (VER6)
 * @aux_action: the bits that follow, as one word (VER6)
 * @aux_start_paused: the trace to the AUX area is paused at first; -EOPNOTSUPP if the PMU cannot
 *	pause (VER6)
 * @aux_pause: at each overflow, pause the trace to the group leader's AUX area (VER6)
 * @aux_resume: at each overflow, resume the trace to the group leader's AUX area (VER6)
 * @__reserved_3: -EINVAL unless 0 (VER6)
 * @sig_data: with @sigtrap: si_perf_data of the signal, cut to the size of the task's long (VER7)
 * @config3: more of @config (VER8)
 * @__reserved_1: -EINVAL unless 0
 *
 * Flags that a kernel does not know are -EINVAL. If the PMU counts in all modes, @exclude_user,
 * _kernel, _hv, _idle, _host and _guest are -EINVAL. Unless the group's leader has an AUX area,
 * @aux_output, @aux_pause, @aux_resume and @aux_sample_size are -EINVAL.
 */
struct perf_event_attr {
	__u32			type;
	__u32			size;
	__u64			config;

	union {
		__u64		sample_period;
		__u64		sample_freq;
	};

	__u64			sample_type;
	__u64			read_format;

	__u64			disabled       :  1,
				inherit	       :  1,
				pinned	       :  1,
				exclusive      :  1,
				exclude_user   :  1,
				exclude_kernel :  1,
				exclude_hv     :  1,
				exclude_idle   :  1,
				mmap           :  1,
				comm	       :  1,
				freq           :  1,
				inherit_stat   :  1,
				enable_on_exec :  1,
				task           :  1,
				watermark      :  1,
				precise_ip     :  2,
				mmap_data      :  1,
				sample_id_all  :  1,

				exclude_host   :  1,
				exclude_guest  :  1,

				exclude_callchain_kernel : 1,
				exclude_callchain_user   : 1,
				mmap2          :  1,
				comm_exec      :  1,
				use_clockid    :  1,
				context_switch :  1,
				write_backward :  1,
				namespaces     :  1,
				ksymbol        :  1,
				bpf_event      :  1,
				aux_output     :  1,
				cgroup         :  1,
				text_poke      :  1,
				build_id       :  1,
				inherit_thread :  1,
				remove_on_exec :  1,
				sigtrap        :  1,
				__reserved_1   : 26;

	union {
		__u32		wakeup_events;
		__u32		wakeup_watermark;
	};

	__u32			bp_type;
	union {
		__u64		bp_addr;
		__u64		kprobe_func;
		__u64		uprobe_path;
		__u64		config1;
	};
	union {
		__u64		bp_len;
		__u64		kprobe_addr;
		__u64		probe_offset;
		__u64		config2;
	};
	__u64	branch_sample_type;
	__u64	sample_regs_user;
	__u32	sample_stack_user;
	__s32	clockid;
	__u64	sample_regs_intr;
	__u32	aux_watermark;
	__u16	sample_max_stack;
	__u16	__reserved_2;
	__u32	aux_sample_size;

	union {
		__u32	aux_action;
		struct {
			__u32	aux_start_paused :  1,
				aux_pause        :  1,
				aux_resume       :  1,
				__reserved_3     : 29;
		};
	};

	__u64	sig_data;
	__u64	config3;
};

/**
 * struct perf_event_query_bpf - argument of PERF_EVENT_IOC_QUERY_BPF
 * @ids_len: number of entries in @ids, set by the caller. 0: report only the number of programs.
 *	-ENOSPC if there are more programs than entries
 * @prog_cnt: number of BPF programs of the event's tracepoint, set by the kernel
 * @ids: IDs of the programs, set by the kernel
 */
struct perf_event_query_bpf {
	__u32	ids_len;
	__u32	prog_cnt;
	__u32	ids[];
};

/*
 * ioctl(2) of an event's file. With PERF_IOC_FLAG_GROUP as argument, ENABLE, DISABLE and RESET
 * act on each event of the group. The argument is a pointer for PERIOD, SET_FILTER, ID, QUERY_BPF
 * and MODIFY_ATTRIBUTES, and a number for the others. -ENOTTY: an unknown ioctl.
 *
 * ENABLE, DISABLE: enable or disable the event and the events inherited from it
 * REFRESH: enable the event, and disable it after the given number of overflows; -EINVAL if the
 *	event does not sample, or has attr.inherit
 * RESET: set the counts of the event and of the events inherited from it to 0; the times do not
 *	change
 * PERIOD: set the period or, with attr.freq, the frequency; -EINVAL if the event does not sample,
 *	if the value is 0, or if perf_event_open(2) would refuse the value
 * SET_OUTPUT: write records to the buffer of another event; -1: to no buffer. -EINVAL if the
 *	event's own file is mapped
 * SET_FILTER: set a filter of a tracepoint or a probe, or address filters
 * ID: get the event's ID
 * SET_BPF: attach a BPF program, by its file
 * PAUSE_OUTPUT: not 0: drop new records; 0: write new records again
 * QUERY_BPF: list the BPF programs of the event's tracepoint
 * MODIFY_ATTRIBUTES: change bp_type, bp_addr, bp_len, sig_data and disabled of a breakpoint
 */
#define PERF_EVENT_IOC_ENABLE			_IO('$', 0)
#define PERF_EVENT_IOC_DISABLE			_IO('$', 1)
#define PERF_EVENT_IOC_REFRESH			_IO('$', 2)
#define PERF_EVENT_IOC_RESET			_IO('$', 3)
#define PERF_EVENT_IOC_PERIOD			_IOW('$', 4, __u64)
#define PERF_EVENT_IOC_SET_OUTPUT		_IO('$', 5)
#define PERF_EVENT_IOC_SET_FILTER		_IOW('$', 6, char *)
#define PERF_EVENT_IOC_ID			_IOR('$', 7, __u64 *)
#define PERF_EVENT_IOC_SET_BPF			_IOW('$', 8, __u32)
#define PERF_EVENT_IOC_PAUSE_OUTPUT		_IOW('$', 9, __u32)
#define PERF_EVENT_IOC_QUERY_BPF		_IOWR('$', 10, struct perf_event_query_bpf *)
#define PERF_EVENT_IOC_MODIFY_ATTRIBUTES	_IOW('$', 11, struct perf_event_attr *)

/**
 * enum perf_event_ioc_flags - flags in an ioctl's argument
 * @PERF_IOC_FLAG_GROUP: act on the whole group
 */
enum perf_event_ioc_flags {
	PERF_IOC_FLAG_GROUP		= 1U << 0,
};

/**
 * struct perf_event_mmap_page - the first page that mmap(2) of an event's file maps
 * @version: version of the structure
 * @compat_version: oldest version with which this version is compatible
 * @lock: generation of the fields up to @time_mask; odd while the kernel writes them
 * @index: the operand of rdpmc for the event's counter, plus 1; 0: no counter can be read
 * @offset: the event's count, less the counter's value; if @index is 0, the count itself
 * @time_enabled: time in which the event was enabled, ns, as of the last update
 * @time_running: time in which the event counted, ns, as of the last update
 * @capabilities: the bits that follow, as one word
 * @cap_bit0: always 0; in old kernels this bit had two different meanings
 * @cap_bit0_is_deprecated: 1 if @cap_bit0 has no meaning
 * @cap_user_rdpmc: user space may read the counter of @index
 * @cap_user_time: @time_shift, @time_mult and @time_offset are valid
 * @cap_user_time_zero: @time_zero is valid
 * @cap_user_time_short: @time_cycles and @time_mask are valid
 * @cap_____res: 0
 * @pmc_width: width of the counter in bits; the highest bit is the sign
 * @time_shift: shift of the conversion from cycles of the clock to ns
 * @time_mult: multiplier of this conversion
 * @time_offset: ns to add to the converted cycles for the time since the last update
 * @time_zero: ns to add to the converted cycles for the time stamp of a record
 * @size: size of the structure up to @__reserved
 * @__reserved_1: 0
 * @time_cycles: for a clock of less than 64 bits, cycles at the last update
 * @time_mask: for a clock of less than 64 bits, mask of these bits
 * @__reserved: 0; pads to 1024 bytes
 * @data_head: position of the kernel's next write. This position modulo @data_size is the offset in
 *	the buffer. It increases, or decreases with attr.write_backward. Read it with acquire
 *	semantics
 * @data_tail: end of the data that user space has read. If the pages are mapped writable, the
 *	kernel drops new records rather than overwrite unread ones. Write it with release semantics
 * @data_offset: start of the buffer in the mapping, bytes
 * @data_size: size of the buffer, bytes
 * @aux_head: as @data_head, for the AUX area. An area that is not mapped writable is overwritten,
 *	and the PMU may set the position modulo the size
 * @aux_tail: as @data_tail, for the AUX area
 * @aux_offset: file offset of the AUX area, beyond the buffer. User space sets the offset before it
 *	maps the area
 * @aux_size: size of the AUX area, 2^n pages. User space sets the size before it maps the area
 *
 * With this code a task reads the count of an event on itself, without a system call::
 *
 *	do {
 *		seq = READ_ONCE(page->lock);
 *		barrier();
 *		count = page->offset;
 *		enabled = page->time_enabled;
 *		running = page->time_running;
 *		if (page->cap_user_time) {
 *			cyc = rdtsc();
 *			if (page->cap_user_time_short)
 *				cyc = page->time_cycles +
 *				      ((cyc - page->time_cycles) & page->time_mask);
 *			offset = page->time_offset;
 *			mult = page->time_mult;
 *			shift = page->time_shift;
 *		}
 *		index = page->index;
 *		if (page->cap_user_rdpmc && index) {
 *			width = page->pmc_width;
 *			pmc = rdpmc(index - 1);
 *			count += (s64)(pmc << (64 - width)) >> (64 - width);
 *		}
 *		barrier();
 *	} while (READ_ONCE(page->lock) != seq);
 *
 * Without @cap_user_rdpmc the count in the page may be old: use read(2). The page has the count of
 * a child only after the child's task has exited.
 *
 * This is the time since the last update. Add it to enabled and, if index is not 0, to running::
 *
 *	delta = offset + (cyc >> shift) * mult +
 *		(((cyc & ((1ULL << shift) - 1)) * mult) >> shift);
 *
 * If @cap_user_time_zero is set, the same computation with @time_zero in place of @time_offset is
 * the current time stamp of a record.
 */
struct perf_event_mmap_page {
	__u32	version;
	__u32	compat_version;
	__u32	lock;
	__u32	index;
	__s64	offset;
	__u64	time_enabled;
	__u64	time_running;
	union {
		__u64	capabilities;
		struct {
			__u64	cap_bit0		: 1,
				cap_bit0_is_deprecated	: 1,

				cap_user_rdpmc		: 1,
				cap_user_time		: 1,
				cap_user_time_zero	: 1,
				cap_user_time_short	: 1,
				cap_____res		: 58;
		};
	};
	__u16	pmc_width;
	__u16	time_shift;
	__u32	time_mult;
	__u64	time_offset;
	__u64	time_zero;
	__u32	size;
	__u32	__reserved_1;
	__u64	time_cycles;
	__u64	time_mask;

	__u8	__reserved[116 * 8];

	__u64   data_head;
	__u64	data_tail;
	__u64	data_offset;
	__u64	data_size;

	__u64	aux_head;
	__u64	aux_tail;
	__u64	aux_offset;
	__u64	aux_size;
};

/*
 * perf_event_header.misc. Bits 0-2: the mode of the CPU. Bits 12-14 depend on the record's type.
 */
#define PERF_RECORD_MISC_CPUMODE_MASK		(7 << 0)
#define PERF_RECORD_MISC_CPUMODE_UNKNOWN	(0 << 0)
#define PERF_RECORD_MISC_KERNEL			(1 << 0)
#define PERF_RECORD_MISC_USER			(2 << 0)
#define PERF_RECORD_MISC_HYPERVISOR		(3 << 0)
#define PERF_RECORD_MISC_GUEST_KERNEL		(4 << 0)
#define PERF_RECORD_MISC_GUEST_USER		(5 << 0)

/* MMAP, MMAP2: only in files of the perf tool: reading /proc/PID/maps took too long */
#define PERF_RECORD_MISC_PROC_MAP_PARSE_TIMEOUT	(1 << 12)

/* MMAP, MMAP2: the mapping is not executable */
#define PERF_RECORD_MISC_MMAP_DATA		(1 << 13)
/* COMM: the name changed by execve(2) */
#define PERF_RECORD_MISC_COMM_EXEC		(1 << 13)
/* FORK: only in files of the perf tool */
#define PERF_RECORD_MISC_FORK_EXEC		(1 << 13)
/* SWITCH, SWITCH_CPU_WIDE: the task is switched out; else it is switched in */
#define PERF_RECORD_MISC_SWITCH_OUT		(1 << 13)

/* SAMPLE: PERF_SAMPLE_IP is the instruction that caused the event */
#define PERF_RECORD_MISC_EXACT_IP		(1 << 14)
/* SWITCH, SWITCH_CPU_WIDE: with SWITCH_OUT, the task was preempted while it could run */
#define PERF_RECORD_MISC_SWITCH_OUT_PREEMPT	(1 << 14)
/* MMAP2: a build ID in place of the inode */
#define PERF_RECORD_MISC_MMAP_BUILD_ID		(1 << 14)

/* reserved */
#define PERF_RECORD_MISC_EXT_RESERVED		(1 << 15)

/**
 * struct perf_event_header - start of each record
 * @type: enum perf_event_type
 * @misc: PERF_RECORD_MISC_*
 * @size: size of the record with this header, bytes; a multiple of 8
 */
struct perf_event_header {
	__u32	type;
	__u16	misc;
	__u16	size;
};

/**
 * struct perf_ns_link_info - a namespace in PERF_RECORD_NAMESPACES
 * @dev: device of its file in /proc/PID/ns
 * @ino: inode of that file
 */
struct perf_ns_link_info {
	__u64	dev;
	__u64	ino;
};

/* order of the namespaces in PERF_RECORD_NAMESPACES */
enum {
	NET_NS_INDEX		= 0,
	UTS_NS_INDEX		= 1,
	IPC_NS_INDEX		= 2,
	PID_NS_INDEX		= 3,
	USER_NS_INDEX		= 4,
	MNT_NS_INDEX		= 5,
	CGROUP_NS_INDEX		= 6,

	NR_NAMESPACES,
};

/**
 * enum perf_event_type - types of records, for perf_event_header.type
 * @PERF_RECORD_MMAP: a new mapping, see attr.mmap
 * @PERF_RECORD_LOST: number of records lost before this one
 * @PERF_RECORD_COMM: a task's new name, see attr.comm
 * @PERF_RECORD_EXIT: a task exits, see attr.task
 * @PERF_RECORD_THROTTLE: the event samples too often, and stops until the next tick
 * @PERF_RECORD_UNTHROTTLE: the event continues after PERF_RECORD_THROTTLE
 * @PERF_RECORD_FORK: a new task, see attr.task
 * @PERF_RECORD_READ: the count of a child whose task exits, see attr.inherit_stat
 * @PERF_RECORD_SAMPLE: a sample, see attr.sample_type
 * @PERF_RECORD_MMAP2: a new mapping, with more information about its file, see attr.mmap2
 * @PERF_RECORD_AUX: new data in the AUX area
 * @PERF_RECORD_ITRACE_START: an instruction trace starts
 * @PERF_RECORD_LOST_SAMPLES: the PMU lost samples
 * @PERF_RECORD_SWITCH: a switch to the task or away from it, see attr.context_switch
 * @PERF_RECORD_SWITCH_CPU_WIDE: the same for an event of a CPU, with the other task
 * @PERF_RECORD_NAMESPACES: a task's namespaces, see attr.namespaces
 * @PERF_RECORD_KSYMBOL: kernel code appears or disappears, see attr.ksymbol
 * @PERF_RECORD_BPF_EVENT: a BPF program appears or disappears, see attr.bpf_event
 * @PERF_RECORD_CGROUP: a new cgroup, see attr.cgroup
 * @PERF_RECORD_TEXT_POKE: kernel code changes, see attr.text_poke
 * @PERF_RECORD_AUX_OUTPUT_HW_ID: hardware ID of an event in the AUX area
 * @PERF_RECORD_MAX: not ABI
 *
 * The comment above each enumerator lists the fields after the header. With attr.sample_id_all
 * each record except a sample ends with struct sample_id. If a bit of attr.sample_type follows a
 * field, the field exists only if this bit is set::
 *
 *	struct sample_id {
 *		u32	pid, tid;	TID
 *		u64	time;		TIME
 *		u64	id;		ID
 *		u64	stream_id;	STREAM_ID
 *		u32	cpu, res;	CPU
 *		u64	id;		IDENTIFIER
 *	}
 *
 * PERF_SAMPLE_IDENTIFIER is the last field of struct sample_id, and the first field of a sample. So
 * a program can find the event of a record before it knows the event's attr.sample_type.
 */
enum perf_event_type {
	/*
	 * u32 pid, tid;
	 * u64 addr, len, pgoff;	all three in bytes
	 * char filename[];	as all strings below: zero-terminated, padded to 8 bytes
	 */
	PERF_RECORD_MMAP			= 1,

	/*
	 * u64 id;		of the event
	 * u64 lost;		number of records
	 */
	PERF_RECORD_LOST			= 2,

	/*
	 * u32 pid, tid;
	 * char comm[];
	 */
	PERF_RECORD_COMM			= 3,

	/*
	 * u32 pid, ppid;	process of the task, process of its parent
	 * u32 tid, ptid;	thread of the task; ptid equals ppid
	 * u64 time;
	 */
	PERF_RECORD_EXIT			= 4,

	/*
	 * u64 time;
	 * u64 id;
	 * u64 stream_id;
	 */
	PERF_RECORD_THROTTLE			= 5,
	PERF_RECORD_UNTHROTTLE			= 6,

	/*
	 * u32 pid, ppid;	process of the new task, process of its parent
	 * u32 tid, ptid;	thread of the new task, thread of its parent
	 * u64 time;
	 */
	PERF_RECORD_FORK			= 7,

	/*
	 * u32 pid, tid;
	 * the child's own count, in the layout of attr.read_format
	 */
	PERF_RECORD_READ			= 8,

	/*
	 * u64 id;			IDENTIFIER
	 * u64 ip;			IP
	 * u32 pid, tid;		TID
	 * u64 time;			TIME
	 * u64 addr;			ADDR
	 * u64 id;			ID
	 * u64 stream_id;		STREAM_ID
	 * u32 cpu, res;		CPU
	 * u64 period;			PERIOD
	 * counts, as read(2) has them	READ
	 * u64 nr;			CALLCHAIN
	 * u64 ips[nr];			CALLCHAIN, with enum perf_callchain_context between levels
	 * u32 size;			RAW; with padding of data to 8 bytes
	 * char data[size];		RAW; not ABI: the event's source defines it
	 * u64 nr;			BRANCH_STACK
	 * u64 hw_idx;			BRANCH_STACK, with PERF_SAMPLE_BRANCH_HW_INDEX; -1: unknown
	 * struct perf_branch_entry[nr]	BRANCH_STACK, the latest first
	 * u64 counters[nr];		BRANCH_STACK, with PERF_SAMPLE_BRANCH_COUNTERS; sysfs
	 *				caps/branch_counter_nr and _width describe their parts
	 * u64 abi;			REGS_USER, enum perf_sample_regs_abi
	 * u64 regs[];			REGS_USER, unless abi is NONE; lowest bit first
	 * u64 size;			STACK_USER
	 * char data[size];		STACK_USER
	 * u64 dyn_size;		STACK_USER, if size is not 0: bytes that are valid
	 * union perf_sample_weight	WEIGHT or WEIGHT_STRUCT
	 * u64 data_src;		DATA_SRC, union perf_mem_data_src
	 * u64 transaction;		TRANSACTION, PERF_TXN_*
	 * u64 abi;			REGS_INTR
	 * u64 regs[];			REGS_INTR, unless abi is NONE
	 * u64 phys_addr;		PHYS_ADDR
	 * u64 cgroup;			CGROUP
	 * u64 data_page_size;		DATA_PAGE_SIZE
	 * u64 code_page_size;		CODE_PAGE_SIZE
	 * u64 size;			AUX
	 * char data[size];		AUX
	 */
	PERF_RECORD_SAMPLE			= 9,

	/*
	 * u32 pid, tid;
	 * u64 addr, len, pgoff;
	 * then: u32 maj, min; u64 ino, ino_generation;
	 * or, with PERF_RECORD_MISC_MMAP_BUILD_ID: u8 build_id_size, u8 0, u16 0, u8 build_id[20];
	 * u32 prot, flags;	as of mmap(2)
	 * char filename[];
	 */
	PERF_RECORD_MMAP2			= 10,

	/*
	 * u64 aux_offset;	where the data starts; with PERF_AUX_FLAG_OVERWRITE, where it ends
	 * u64 aux_size;
	 * u64 flags;		PERF_AUX_FLAG_*
	 */
	PERF_RECORD_AUX				= 11,

	/*
	 * u32 pid, tid;
	 */
	PERF_RECORD_ITRACE_START		= 12,

	/*
	 * u64 lost;		number of samples
	 */
	PERF_RECORD_LOST_SAMPLES		= 13,

	/*
	 * no fields; PERF_RECORD_MISC_SWITCH_OUT is the direction of the switch
	 */
	PERF_RECORD_SWITCH			= 14,

	/*
	 * u32 next_prev_pid;	with PERF_RECORD_MISC_SWITCH_OUT: of the next task
	 * u32 next_prev_tid;	else: of the previous task
	 */
	PERF_RECORD_SWITCH_CPU_WIDE		= 15,

	/*
	 * u32 pid, tid;
	 * u64 nr_namespaces;
	 * struct perf_ns_link_info[nr_namespaces];
	 */
	PERF_RECORD_NAMESPACES			= 16,

	/*
	 * u64 addr;
	 * u32 len;
	 * u16 ksym_type;	enum perf_record_ksymbol_type
	 * u16 flags;		PERF_RECORD_KSYMBOL_FLAGS_*
	 * char name[];
	 */
	PERF_RECORD_KSYMBOL			= 17,

	/*
	 * u16 type;		enum perf_bpf_event_type
	 * u16 flags;		0
	 * u32 id;		of the BPF program
	 * u8 tag[BPF_TAG_SIZE];
	 */
	PERF_RECORD_BPF_EVENT			= 18,

	/*
	 * u64 id;		as PERF_SAMPLE_CGROUP
	 * char path[];
	 */
	PERF_RECORD_CGROUP			= 19,

	/*
	 * u64 addr;
	 * u16 old_len, new_len;	either may be 0
	 * u8 bytes[];			old_len bytes before the change, new_len after it
	 */
	PERF_RECORD_TEXT_POKE			= 20,

	/*
	 * u64 hw_id;		struct sample_id identifies the event
	 */
	PERF_RECORD_AUX_OUTPUT_HW_ID		= 21,

	PERF_RECORD_MAX,
};

/**
 * enum perf_record_ksymbol_type - kinds of code in PERF_RECORD_KSYMBOL
 * @PERF_RECORD_KSYMBOL_TYPE_UNKNOWN: not known
 * @PERF_RECORD_KSYMBOL_TYPE_BPF: a compiled BPF program
 * @PERF_RECORD_KSYMBOL_TYPE_OOL: code that the kernel generates beside its own text, such as for
 *	kprobes and trampolines of ftrace
 * @PERF_RECORD_KSYMBOL_TYPE_MAX: not ABI
 */
enum perf_record_ksymbol_type {
	PERF_RECORD_KSYMBOL_TYPE_UNKNOWN	= 0,
	PERF_RECORD_KSYMBOL_TYPE_BPF		= 1,
	PERF_RECORD_KSYMBOL_TYPE_OOL		= 2,
	PERF_RECORD_KSYMBOL_TYPE_MAX
};

/* PERF_RECORD_KSYMBOL: the code is removed */
#define PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER	(1 << 0)

/**
 * enum perf_bpf_event_type - the change of a program, in PERF_RECORD_BPF_EVENT
 * @PERF_BPF_EVENT_UNKNOWN: not known
 * @PERF_BPF_EVENT_PROG_LOAD: the program was loaded
 * @PERF_BPF_EVENT_PROG_UNLOAD: the program is being unloaded
 * @PERF_BPF_EVENT_MAX: not ABI
 */
enum perf_bpf_event_type {
	PERF_BPF_EVENT_UNKNOWN		= 0,
	PERF_BPF_EVENT_PROG_LOAD	= 1,
	PERF_BPF_EVENT_PROG_UNLOAD	= 2,
	PERF_BPF_EVENT_MAX,
};

/* Defaults of the sysctls perf_event_max_stack and perf_event_max_contexts_per_stack. */
#define PERF_MAX_STACK_DEPTH		127
#define PERF_MAX_CONTEXTS_PER_STACK	  8

/**
 * enum perf_callchain_context - context markers: entries of a call chain that are not addresses
 * @PERF_CONTEXT_HV: addresses of the hypervisor follow
 * @PERF_CONTEXT_KERNEL: addresses of the kernel follow
 * @PERF_CONTEXT_USER: addresses of user space follow
 * @PERF_CONTEXT_GUEST: addresses of a guest follow
 * @PERF_CONTEXT_GUEST_KERNEL: addresses of a guest's kernel follow
 * @PERF_CONTEXT_GUEST_USER: addresses of a guest's user space follow
 * @PERF_CONTEXT_MAX: the lowest marker: an entry is a marker if it is not below this value
 */
enum perf_callchain_context {
	PERF_CONTEXT_HV			= (__u64)-32,
	PERF_CONTEXT_KERNEL		= (__u64)-128,
	PERF_CONTEXT_USER		= (__u64)-512,

	PERF_CONTEXT_GUEST		= (__u64)-2048,
	PERF_CONTEXT_GUEST_KERNEL	= (__u64)-2176,
	PERF_CONTEXT_GUEST_USER		= (__u64)-2560,

	PERF_CONTEXT_MAX		= (__u64)-4095,
};

/* flags of PERF_RECORD_AUX */
#define PERF_AUX_FLAG_TRUNCATED			0x01	/* data did not fit into the area */
#define PERF_AUX_FLAG_OVERWRITE			0x02	/* a snapshot: the area is overwritten */
#define PERF_AUX_FLAG_PARTIAL			0x04	/* the data has gaps */
#define PERF_AUX_FLAG_COLLISION			0x08	/* two samples overlapped */
#define PERF_AUX_FLAG_PMU_FORMAT_TYPE_MASK	0xff00	/* the PMU's format of the data */

/* formats of Arm's CoreSight */
#define PERF_AUX_FLAG_CORESIGHT_FORMAT_CORESIGHT	0x0000	/* with frames of CoreSight */
#define PERF_AUX_FLAG_CORESIGHT_FORMAT_RAW		0x0100	/* as written by the source */

/*
 * flags of perf_event_open(2); other bits are -EINVAL
 */
/* the event does not join the group of group_fd, which is for PERF_FLAG_FD_OUTPUT alone */
#define PERF_FLAG_FD_NO_GROUP		(1UL << 0)
/* write records to the buffer of group_fd */
#define PERF_FLAG_FD_OUTPUT		(1UL << 1)
/* pid is a file descriptor of a cgroup's directory; -EINVAL with cpu -1 */
#define PERF_FLAG_PID_CGROUP		(1UL << 2)
/* close the file at execve(2) */
#define PERF_FLAG_FD_CLOEXEC		(1UL << 3)

/*
 * PERF_SAMPLE_DATA_SRC: source of a memory access. Below, each field has a comment, and macros for
 * its values. If the comment has "as a number", the macros are numbers, otherwise bits.
 * PERF_MEM_*_SHIFT is the position of the field in val.
 */
#if defined(__LITTLE_ENDIAN_BITFIELD)
union perf_mem_data_src {
	__u64 val;
	struct {
		__u64   mem_op:5,
			mem_lvl:14,
			mem_snoop:5,
			mem_lock:2,
			mem_dtlb:7,
			mem_lvl_num:4,
			mem_remote:1,
			mem_snoopx:2,
			mem_blk:3,
			mem_hops:3,
			mem_rsvd:18;
	};
};
#elif defined(__BIG_ENDIAN_BITFIELD)
union perf_mem_data_src {
	__u64 val;
	struct {
		__u64	mem_rsvd:18,
			mem_hops:3,
			mem_blk:3,
			mem_snoopx:2,
			mem_remote:1,
			mem_lvl_num:4,
			mem_dtlb:7,
			mem_lock:2,
			mem_snoop:5,
			mem_lvl:14,
			mem_op:5;
	};
};
#else
#error "Unknown endianness"
#endif

/* mem_op: kind of access. NA means "not known", here and in the other fields. */
#define PERF_MEM_OP_NA		0x01
#define PERF_MEM_OP_LOAD	0x02	/* load */
#define PERF_MEM_OP_STORE	0x04	/* store */
#define PERF_MEM_OP_PFETCH	0x08	/* prefetch */
#define PERF_MEM_OP_EXEC	0x10	/* instruction fetch */
#define PERF_MEM_OP_SHIFT	0

/*
 * mem_lvl: level of the memory hierarchy, with HIT or MISS. mem_lvl_num, mem_remote and mem_snoopx
 * are more detailed. A PMU may set mem_lvl, these three fields, or all four.
 */
#define PERF_MEM_LVL_NA		0x01
#define PERF_MEM_LVL_HIT	0x02
#define PERF_MEM_LVL_MISS	0x04
#define PERF_MEM_LVL_L1		0x08
#define PERF_MEM_LVL_LFB	0x10	/* line fill buffer */
#define PERF_MEM_LVL_L2		0x20
#define PERF_MEM_LVL_L3		0x40
#define PERF_MEM_LVL_LOC_RAM	0x80	/* memory of this node */
#define PERF_MEM_LVL_REM_RAM1	0x100	/* memory of another node, one hop away */
#define PERF_MEM_LVL_REM_RAM2	0x200	/* memory of another node, two hops away */
#define PERF_MEM_LVL_REM_CCE1	0x400	/* cache of another node, one hop away */
#define PERF_MEM_LVL_REM_CCE2	0x800	/* cache of another node, two hops away */
#define PERF_MEM_LVL_IO		0x1000	/* memory of a device */
#define PERF_MEM_LVL_UNC	0x2000	/* not cached */
#define PERF_MEM_LVL_SHIFT	5

/* mem_remote: the level in mem_lvl_num is of another node */
#define PERF_MEM_REMOTE_REMOTE	0x01
#define PERF_MEM_REMOTE_SHIFT	37

/* mem_lvl_num: level of the memory hierarchy, as a number */
#define PERF_MEM_LVLNUM_L1	0x01
#define PERF_MEM_LVLNUM_L2	0x02
#define PERF_MEM_LVLNUM_L3	0x03
#define PERF_MEM_LVLNUM_L4	0x04
#define PERF_MEM_LVLNUM_L2_MHB	0x05	/* buffer for misses of L2 */
#define PERF_MEM_LVLNUM_MSC	0x06	/* cache in front of the memory */
#define PERF_MEM_LVLNUM_UNC	0x08	/* not cached */
#define PERF_MEM_LVLNUM_CXL	0x09	/* memory behind CXL */
#define PERF_MEM_LVLNUM_IO	0x0a	/* memory of a device */
#define PERF_MEM_LVLNUM_ANY_CACHE 0x0b	/* some cache, level not known */
#define PERF_MEM_LVLNUM_LFB	0x0c	/* line fill buffer */
#define PERF_MEM_LVLNUM_RAM	0x0d	/* memory */
#define PERF_MEM_LVLNUM_PMEM	0x0e	/* persistent memory */
#define PERF_MEM_LVLNUM_NA	0x0f

#define PERF_MEM_LVLNUM_SHIFT	33

/* mem_snoop: was the line in another cache? */
#define PERF_MEM_SNOOP_NA	0x01
#define PERF_MEM_SNOOP_NONE	0x02	/* no other cache was snooped */
#define PERF_MEM_SNOOP_HIT	0x04	/* the line was in another cache, unmodified */
#define PERF_MEM_SNOOP_MISS	0x08	/* the line was in no other cache */
#define PERF_MEM_SNOOP_HITM	0x10	/* the line was in another cache, modified */
#define PERF_MEM_SNOOP_SHIFT	19

/* mem_snoopx: more bits of mem_snoop */
#define PERF_MEM_SNOOPX_FWD	0x01	/* the other cache forwarded the line */
#define PERF_MEM_SNOOPX_PEER	0x02	/* a peer's cache sent the line */
#define PERF_MEM_SNOOPX_SHIFT  38

/* mem_lock: was the access locked? */
#define PERF_MEM_LOCK_NA	0x01
#define PERF_MEM_LOCK_LOCKED	0x02	/* locked */
#define PERF_MEM_LOCK_SHIFT	24

/* mem_dtlb: how the address was translated, with HIT or MISS of the TLB */
#define PERF_MEM_TLB_NA		0x01
#define PERF_MEM_TLB_HIT	0x02
#define PERF_MEM_TLB_MISS	0x04
#define PERF_MEM_TLB_L1		0x08	/* first level */
#define PERF_MEM_TLB_L2		0x10	/* second level */
#define PERF_MEM_TLB_WK		0x20	/* the CPU walked the page table */
#define PERF_MEM_TLB_OS		0x40	/* the kernel handled a fault */
#define PERF_MEM_TLB_SHIFT	26

/* mem_blk: why a load was blocked */
#define PERF_MEM_BLK_NA		0x01
#define PERF_MEM_BLK_DATA	0x02	/* a store's data could not be forwarded */
#define PERF_MEM_BLK_ADDR	0x04	/* the address conflicted with that of a store */
#define PERF_MEM_BLK_SHIFT	40

/* mem_hops: distance, as a number; 0: not known */
#define PERF_MEM_HOPS_0		0x01	/* another core of the node */
#define PERF_MEM_HOPS_1		0x02	/* another node of the socket */
#define PERF_MEM_HOPS_2		0x03	/* another socket of the board */
#define PERF_MEM_HOPS_3		0x04	/* another board */
#define PERF_MEM_HOPS_SHIFT	43

/* PERF_MEM_S(OP, LOAD) is PERF_MEM_OP_LOAD, shifted to its position in val. */
#define PERF_MEM_S(a, s) \
	(((__u64)PERF_MEM_##a##_##s) << PERF_MEM_##a##_SHIFT)

/**
 * struct perf_branch_entry - a branch in PERF_SAMPLE_BRANCH_STACK
 * @from: address of the branch, or of the interrupted instruction
 * @to: address of the branch's target
 * @mispred: the target was mispredicted. If both @mispred and @predicted are 0, this is not known
 * @predicted: the target was predicted
 * @in_tx: the branch is in a transaction
 * @abort: the branch is the abort of a transaction
 * @cycles: cycles since the previous branch; 0: not known
 * @type: PERF_BR_*
 * @spec: PERF_BR_SPEC_*
 * @new_type: PERF_BR_NEW_*, if @type is PERF_BR_EXTEND_ABI
 * @priv: PERF_BR_PRIV_*
 * @reserved: 0
 */
struct perf_branch_entry {
	__u64	from;
	__u64	to;
	__u64	mispred:1,
		predicted:1,
		in_tx:1,
		abort:1,
		cycles:16,
		type:4,
		spec:2,
		new_type:4,
		priv:3,
		reserved:31;
};

/* Number of bits in the last word of struct perf_branch_entry that are in use */
#define PERF_BRANCH_ENTRY_INFO_BITS_MAX		33

/*
 * PERF_SAMPLE_WEIGHT is full. PERF_SAMPLE_WEIGHT_STRUCT has three numbers, as the PMU defines them.
 * On x86 var1_dw is the latency of the access, and var2_w the latency of the instruction or 0, both
 * in cycles.
 */
union perf_sample_weight {
	__u64		full;
#if defined(__LITTLE_ENDIAN_BITFIELD)
	struct {
		__u32	var1_dw;
		__u16	var2_w;
		__u16	var3_w;
	};
#elif defined(__BIG_ENDIAN_BITFIELD)
	struct {
		__u16	var3_w;
		__u16	var2_w;
		__u32	var1_dw;
	};
#else
#error "Unknown endianness"
#endif
};

#endif /* _UAPI_LINUX_PERF_EVENT_H */
