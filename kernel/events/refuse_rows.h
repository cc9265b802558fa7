/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One row for each reason of a refused call: name, errno, the field or argument at fault, and the
 * predicate of a sentence whose subject is this field, or the call if there is no field (UNNAMED is
 * a whole sentence). The names are ABI. No include guard: refuse.h includes the rows for an enum,
 * refuse.c for a table.
 */

/* By the ABI, registers are refused with -ENOSYS on architectures without HAVE_PERF_REGS. */
#define REFUSED_REGS	(IS_ENABLED(CONFIG_HAVE_PERF_REGS) ? EINVAL : ENOSYS)

/* Any call */
REFUSAL(UNNAMED, EINVAL, "", "the kernel has no explanation for this error")
REFUSAL(NO_MEMORY, ENOMEM, "", "needs more memory than is free, or than the memory cgroup allows")
REFUSAL(BAD_ADDRESS, EFAULT, "", "has a pointer to memory that the process cannot access")
REFUSAL(NO_FILES_LEFT, EMFILE, "",
	"needs a file descriptor, and RLIMIT_NOFILE is reached: raise it (ulimit -n)")
REFUSAL(NO_FILES_AT_ALL, ENFILE, "", "needs a file, and fs.file-max is reached: raise this sysctl")
REFUSAL(SECURITY_MODULE, EACCES, "", "is forbidden by a security module")
REFUSAL(EVENT_DEAD, ENODEV, "fd", "refers to an event whose PMU was unregistered")

/* perf_event_open(2): attr */
REFUSAL(ATTR_SIZE, E2BIG, "attr.size",
	"is below 64, is above a page, or covers nonzero fields that this kernel does not know")
REFUSAL(ATTR_FLAGS, EINVAL, "attr.__reserved_1", "has flags that this kernel does not know")
REFUSAL(ATTR_RESERVED_2, EINVAL, "attr.__reserved_2", "must be zero")
REFUSAL(AUX_ACTION, EINVAL, "attr.__reserved_3", "has AUX actions that this kernel does not know")
REFUSAL(SAMPLE_TYPE, EINVAL, "attr.sample_type",
	"has sample fields that this kernel does not know")
REFUSAL(READ_FORMAT, EINVAL, "attr.read_format", "has formats that this kernel does not know")
REFUSAL(BRANCH_TYPE, EINVAL, "attr.branch_sample_type",
	"has branch filters that this kernel does not know")
REFUSAL(BRANCH_TYPE_NONE, EINVAL, "attr.branch_sample_type",
	"has only privilege levels: add a branch type, such as PERF_SAMPLE_BRANCH_ANY")
REFUSAL(REGS_USER, REFUSED_REGS, "attr.sample_regs_user",
	"is 0, or has a register that this architecture lacks")
REFUSAL(STACK_USER_ARCH, ENOSYS, "attr.sample_stack_user",
	"is not supported: this architecture cannot sample user stacks")
REFUSAL(STACK_USER_SIZE, EINVAL, "attr.sample_stack_user", "must be less than 65535")
REFUSAL(STACK_USER_ALIGN, EINVAL, "attr.sample_stack_user", "must be a multiple of 8")
REFUSAL(REGS_INTR, REFUSED_REGS, "attr.sample_regs_intr",
	"is 0, or has a register that this architecture lacks")
REFUSAL(SAMPLE_CGROUP, EINVAL, "attr.sample_type",
	"has PERF_SAMPLE_CGROUP, which needs a kernel with CONFIG_CGROUP_PERF")
REFUSAL(SAMPLE_WEIGHTS, EINVAL, "attr.sample_type",
	"has both WEIGHT and WEIGHT_STRUCT: set only one")
REFUSAL(INHERIT_THREAD, EINVAL, "attr.inherit_thread", "needs attr.inherit")
REFUSAL(REMOVE_ON_EXEC, EINVAL, "attr.remove_on_exec",
	"contradicts attr.enable_on_exec: set only one")
REFUSAL(SIGTRAP_EXEC, EINVAL, "attr.sigtrap", "needs attr.remove_on_exec")
REFUSAL(INHERIT_READ, EINVAL, "attr.inherit",
	"with PERF_SAMPLE_READ needs PERF_SAMPLE_TID: each task has its own count")
REFUSAL(CLOCKID, EINVAL, "attr.clockid",
	"must be CLOCK_MONOTONIC, MONOTONIC_RAW, REALTIME, BOOTTIME or TAI")
REFUSAL(CLOCKID_NMI, EINVAL, "attr.clockid",
	"is not readable in the NMI of this PMU: use CLOCK_MONOTONIC or CLOCK_MONOTONIC_RAW")

/* perf_event_open(2): privileges and limits */
REFUSAL(PARANOID_OPEN, EACCES, "perf_event_paranoid",
	"is 3 or more: only CAP_SYS_ADMIN may open events")
REFUSAL(BRANCHES_KERNEL, EACCES, "attr.branch_sample_type",
	"includes the kernel: needs CAP_PERFMON, or perf_event_paranoid below 2")
REFUSAL(KERNEL_EVENTS, EACCES, "attr.exclude_kernel",
	"is not set: counting in the kernel needs CAP_PERFMON, or perf_event_paranoid below 2")
REFUSAL(KERNEL_CALLCHAIN, EACCES, "attr.exclude_callchain_kernel",
	"is not set: kernel callchains need CAP_PERFMON, or perf_event_paranoid below 2")
REFUSAL(KERNEL_TEXT, EACCES, "attr.text_poke",
	"records kernel code: needs CAP_PERFMON, or perf_event_paranoid below 2")
REFUSAL(NAMESPACES, EACCES, "attr.namespaces", "needs CAP_PERFMON")
REFUSAL(FREQ_LIMIT, EINVAL, "attr.sample_freq", "is above perf_event_max_sample_rate")
REFUSAL(PERIOD_RANGE, EINVAL, "attr.sample_period", "is 2^63 or more")
REFUSAL(PHYS_ADDR, EACCES, "attr.sample_type",
	"has physical addresses: needs CAP_PERFMON, or perf_event_paranoid below 2")
REFUSAL(KERNEL_REGS, EPERM, "attr.sample_type", "has PERF_SAMPLE_REGS_INTR, which lockdown forbids")
REFUSAL(CPU_FORBIDDEN, EACCES, "pid",
	"is not a task: a per-CPU event needs CAP_PERFMON, or perf_event_paranoid below 1")
REFUSAL(TASK_FORBIDDEN, EACCES, "pid",
	"is a task that the caller may not trace: needs CAP_PERFMON, and for attr.sigtrap CAP_KILL")

/* perf_event_open(2): the other arguments */
REFUSAL(OPEN_FLAGS, EINVAL, "flags", "has bits that this kernel does not know")
REFUSAL(CGROUP_NO_FD, EINVAL, "pid", "is -1, but PERF_FLAG_PID_CGROUP needs the fd of a cgroup")
REFUSAL(CGROUP_NO_CPU, EINVAL, "cpu",
	"is -1, but PERF_FLAG_PID_CGROUP needs a CPU: open one event per CPU")
REFUSAL(CGROUP_FD, EBADF, "pid",
	"is not the fd of a directory in a cgroup hierarchy with the perf_event controller")
REFUSAL(CGROUP_GROUP, EINVAL, "group_fd", "refers to a group that counts another cgroup")
REFUSAL(GROUP_FD, EBADF, "group_fd", "is not the fd of an event")
REFUSAL(GROUP_DEAD, ENODEV, "group_fd",
	"refers to an event that was ended by exit, exec, CPU hotplug, or removal of its PMU")
REFUSAL(GROUP_INHERIT, EINVAL, "attr.inherit", "must be the same for all events of a group")
REFUSAL(GROUP_MEMBER, EINVAL, "group_fd",
	"refers to a group member: it must refer to the group leader")
REFUSAL(GROUP_TARGET, EINVAL, "group_fd",
	"refers to a group that counts another task, CPU or cgroup")
REFUSAL(GROUP_CLOCK, EINVAL, "attr.clockid",
	"must be the same for all events of a group, and so must attr.use_clockid")
REFUSAL(GROUP_PINNED, EINVAL, "attr.pinned",
	"is for group leaders: set it only for the first event of a group")
REFUSAL(GROUP_EXCLUSIVE, EINVAL, "attr.exclusive",
	"is for group leaders: set it only for the first event of a group")
REFUSAL(GROUP_PMU, EINVAL, "group_fd",
	"refers to a group with hardware events of another PMU: open a group for each PMU")
REFUSAL(GROUP_NEEDED, EINVAL, "group_fd",
	"must refer to a group leader: this event can only be a member")
REFUSAL(GROUP_READ_SIZE, E2BIG, "group_fd",
	"refers to a group whose read(2) would exceed 16 KiB: open another group")
REFUSAL(GROUP_SAMPLES, E2BIG, "group_fd",
	"refers to a large group with many events that sample all values: sample with fewer events")
REFUSAL(GROUP_AUX, EINVAL, "group_fd",
	"must refer to an event with an AUX area, for attr.aux_output, aux_pause and aux_resume")
REFUSAL(NO_TASK, ESRCH, "pid", "is not an existing task")
REFUSAL(TASK_EXITED, ESRCH, "pid", "is a task that is exiting")
REFUSAL(NO_TARGET, EINVAL, "pid", "and cpu are both -1: pass a task, a CPU, or both")
REFUSAL(CPU_RANGE, EINVAL, "cpu", "is above the highest CPU number, or below -1")
REFUSAL(CPU_IMPOSSIBLE, ENODEV, "cpu", "is not a possible CPU of this machine")
REFUSAL(CPU_OFFLINE, ENODEV, "cpu", "is offline")
REFUSAL(SIGTRAP_TASK, EINVAL, "attr.sigtrap", "needs a task: the event sends signals to it")

/* perf_event_open(2): the PMU */
REFUSAL(NO_PMU, ENOENT, "attr.type", "and attr.config name an event that no PMU supports")
REFUSAL(PMU_GONE, ENODEV, "attr.type", "names a PMU that is being unregistered")
/* perf_event_refuse() replaces errno, field and sentence by those of the driver. */
REFUSAL(PMU_SAYS, EINVAL, "", "is replaced by the field and the sentence of the PMU driver")
REFUSAL(PMU_SAMPLING, EOPNOTSUPP, "attr.sample_period",
	"is not supported: this PMU has no interrupt, and only counts")
REFUSAL(PMU_EXCLUDES, EINVAL, "attr.exclude_*", "is not supported: this PMU counts in all modes")
REFUSAL(PMU_REGISTERS, EOPNOTSUPP, "attr.sample_regs_*",
	"names extended registers, which this PMU does not have")
REFUSAL(PMU_TASKS, EINVAL, "pid", "must be -1: this PMU counts whole CPUs, not tasks or cgroups")
REFUSAL(PMU_CPU, ENODEV, "cpu", "is not a CPU that this PMU counts on")
REFUSAL(PMU_AUX_OUTPUT, EOPNOTSUPP, "attr.aux_output",
	"is not supported by this PMU, or not with attr.aux_pause or aux_resume")
REFUSAL(AUX_BOTH, EINVAL, "attr.aux_resume", "contradicts attr.aux_pause: set only one")
REFUSAL(PMU_AUX_PAUSE, EOPNOTSUPP, "attr.aux_start_paused", "is not supported by this PMU")
REFUSAL(PMU_BRANCHES, EOPNOTSUPP, "attr.sample_type",
	"has PERF_SAMPLE_BRANCH_STACK: this PMU, or this event, does not record branches")
REFUSAL(PMU_PRECISE, EOPNOTSUPP, "attr.precise_ip",
	"is above the precision of this event on this PMU")
REFUSAL(PMU_GROUP, EINVAL, "group_fd",
	"refers to a group that this PMU cannot schedule together with this event")
REFUSAL(PMU_CONFIG, EINVAL, "attr.config", "or another field is not supported by this PMU")
REFUSAL(PMU_RIGHTS, EACCES, "attr.config",
	"names an event that needs a capability, such as CAP_PERFMON or CAP_SYS_ADMIN")
REFUSAL(PMU_BUSY, EBUSY, "attr.type",
	"names a busy PMU: other users have the counters or registers of this event")
REFUSAL(PMU_TAKEN, EBUSY, "attr.type",
	"names an exclusive PMU in use: one event per task or one per CPU, not both at once")
REFUSAL(CALLCHAIN_DEPTH, EOVERFLOW, "attr.sample_max_stack", "is above perf_event_max_stack")

/*
 * The buffer of another event: PERF_FLAG_FD_OUTPUT, PERF_EVENT_IOC_SET_OUTPUT. "output" is that
 * event, to which group_fd or arg refers.
 */
REFUSAL(OUTPUT_FD, EBADF, "arg", "is not the fd of an event")
REFUSAL(OUTPUT_SELF, EINVAL, "output",
	"is the event itself: name the event that has the buffer")
REFUSAL(OUTPUT_TARGET, EINVAL, "output",
	"is an event of another task or CPU: open one buffer for each")
REFUSAL(OUTPUT_CLOCK, EINVAL, "attr.clockid",
	"must be the same for all events of a buffer, and so must attr.use_clockid")
REFUSAL(OUTPUT_BACKWARD, EINVAL, "attr.write_backward",
	"must be the same for all events of a buffer")
REFUSAL(OUTPUT_AUX, EINVAL, "output",
	"is an event with an AUX area of another PMU: a buffer has one AUX area")
REFUSAL(OUTPUT_NO_BUFFER, EINVAL, "output", "is an event without a buffer: map it first")
REFUSAL(OUTPUT_MAPPED, EINVAL, "fd", "refers to an event with its own mapping: unmap it first")

/* ioctl(2) */
REFUSAL(IOCTL_UNKNOWN, ENOTTY, "cmd", "is not known to this kernel")
REFUSAL(STATE_SIZE, EINVAL, "state.size", "is less than 8, or more than a page")
REFUSAL(STATE_FIELDS, EINVAL, "state", "must be zero except for size, tid, filter and filter_size")
REFUSAL(STATE_NEWER, E2BIG, "state.size", "includes nonzero fields that this kernel does not know")
REFUSAL(STATE_NO_COPY, ESRCH, "state.tid",
	"is not the event's thread, and did not inherit the event")
REFUSAL(REFRESH_UNFIT, EINVAL, "fd",
	"refers to an event that has attr.inherit, or that only counts")
REFUSAL(PERIOD_COUNTING, EINVAL, "fd",
	"refers to an event that only counts: open it with a period or frequency")
REFUSAL(PERIOD_ZERO, EINVAL, "arg", "must not be zero")
REFUSAL(PERIOD_FREQ, EINVAL, "arg", "is above perf_event_max_sample_rate")
REFUSAL(PERIOD_LONG, EINVAL, "arg", "is 2^63 or more")
REFUSAL(PERIOD_PMU, EINVAL, "arg", "is not a period that the PMU supports")
REFUSAL(FILTER_TEXT, EINVAL, "arg",
	"is not a valid filter for this event, or does not fit into a page")
REFUSAL(FILTER_NONE, EINVAL, "fd", "refers to an event that takes no filters")
REFUSAL(FILTER_TASK, EOPNOTSUPP, "arg",
	"names a file, but only events of a task can filter by file")
REFUSAL(FILTER_FILE, ENOENT, "arg",
	"names a file that does not exist, or that the caller cannot reach")
REFUSAL(FILTER_KIND, EINVAL, "arg", "names a file that is not a regular one")
REFUSAL(FILTER_MANY, EOPNOTSUPP, "arg", "has more address filters than the PMU supports")
REFUSAL(FILTER_PMU, EOPNOTSUPP, "arg", "has an address filter that the PMU does not support")
REFUSAL(BPF_FD, EBADF, "arg", "is not the fd of a BPF program")
REFUSAL(BPF_KIND, EINVAL, "arg", "is a BPF program of a type that this event cannot run")
REFUSAL(BPF_CONTEXT, EACCES, "arg", "is a BPF program that reads beyond the event's record")
REFUSAL(BPF_PRESENT, EEXIST, "fd", "refers to an event that already has a BPF program")
REFUSAL(BPF_STACK, EPROTO, "arg",
	"is a BPF program that reads stacks: precise events need CALLCHAIN, no exclude_callchain_*")
REFUSAL(BPF_OTHER, EINVAL, "arg", "is refused by BPF or by the tracing code")
REFUSAL(PAUSE_NO_BUFFER, EINVAL, "fd", "refers to an event without a buffer for records")
REFUSAL(MODIFY_TYPE, EINVAL, "attr.type", "must not change")
REFUSAL(MODIFY_PMU, EOPNOTSUPP, "fd",
	"refers to an event that is not a breakpoint: only breakpoints can be modified")
REFUSAL(MODIFY_MORE, EINVAL, "attr",
	"differs in more than bp_addr, bp_type, bp_len, sig_data and disabled")
REFUSAL(BREAKPOINT, EINVAL, "attr.bp_type",
	"is not possible with this bp_addr and bp_len: check type, length and alignment")
REFUSAL(BREAKPOINT_KERNEL, EINVAL, "attr.bp_addr",
	"is in the kernel, but attr.exclude_kernel is set")
REFUSAL(BREAKPOINT_ADMIN, EPERM, "attr.bp_addr", "is in the kernel: needs CAP_SYS_ADMIN")
REFUSAL(BREAKPOINT_NONE, EOPNOTSUPP, "attr.bp_type",
	"is a type of breakpoint that this machine does not have")
REFUSAL(BREAKPOINT_FULL, ENOSPC, "attr.type", "is a breakpoint, and all debug registers are in use")

/* mmap(2) */
REFUSAL(MMAP_INHERIT, EINVAL, "fd",
	"refers to an event with attr.inherit and cpu -1: open one event per CPU")
REFUSAL(MMAP_PRIVATE, EINVAL, "flags", "must have MAP_SHARED")
REFUSAL(MMAP_SIZE, EINVAL, "length", "must be 1 page, or 1 + 2^n pages")
REFUSAL(MMAP_LENGTH, ENOMEM, "length", "is above 2^31 - 1 pages")
REFUSAL(MMAP_OTHER_SIZE, EINVAL, "length", "differs from the length of the existing buffer")
REFUSAL(MMAP_LIMIT, EPERM, "length",
	"exceeds perf_event_mlock_kb and RLIMIT_MEMLOCK: needs CAP_IPC_LOCK")
REFUSAL(MMAP_AUX_PLACE, EINVAL, "offset",
	"and length must equal the user page's aux_offset, aux_size: 2^n pages after the data area")
REFUSAL(MMAP_AUX_FIRST, EINVAL, "offset",
	"is not zero, but the event has no buffer: map its records at offset 0 first")
REFUSAL(MMAP_AUX_PMU, EOPNOTSUPP, "fd", "refers to an event whose PMU has no AUX area")

/* prctl(2) */
REFUSAL(EXPLAIN_SIZE, EINVAL, "size", "is out of range, or the last two arguments are not zero")

/* splice(2) */
REFUSAL(SPLICE_BACKWARD, EINVAL, "fd",
	"refers to an event with attr.write_backward: read its buffer by mmap(2)")
REFUSAL(SPLICE_NO_BUFFER, EINVAL, "fd", "refers to an event without a buffer")
REFUSAL(SPLICE_OVERWRITE, EINVAL, "fd",
	"has no page for records, or is mapped read-only: map 1 + 2^n pages with PROT_WRITE")
REFUSAL(SPLICE_TAIL, EIO, "data_tail", "is not the start of a record")
REFUSAL(SPLICE_ROOM, ENOSPC, "len",
	"or the pipe is too short for the next record: a record has up to 64 KiB")
REFUSAL(SPLICE_PIPE, EPIPE, "fd_out", "is a pipe without readers")

#undef REFUSED_REGS
