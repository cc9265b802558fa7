/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Each reason for which user space is refused: its name, the errno, the field or
 * argument that is to blame, and a sentence of which that field is the subject.
 * refuse.h makes an enum of these rows, refuse.c a table; there is no include guard
 * because of that. The names are ABI.
 */

/* The ABI's errno for a feature that the architecture lacks. */
#define REFUSED_REGS	(IS_ENABLED(CONFIG_HAVE_PERF_REGS) ? EINVAL : ENOSYS)

/* Any call */
REFUSAL(UNNAMED, EINVAL, "", "was refused for a reason that has no name yet")
REFUSAL(NO_MEMORY, ENOMEM, "", "needs more memory than there is, or than a memory cgroup allows")
REFUSAL(BAD_ADDRESS, EFAULT, "", "points to memory that the process does not have")
REFUSAL(NO_FILES_LEFT, EMFILE, "", "needs a file descriptor, and RLIMIT_NOFILE is reached")
REFUSAL(NO_FILES_AT_ALL, ENFILE, "", "needs a file, and fs.file-max of the machine is reached")
REFUSAL(SECURITY_MODULE, EACCES, "", "is forbidden by a security module")
REFUSAL(EVENT_DEAD, ENODEV, "fd", "is of an event whose PMU has gone")

/* perf_event_open(2): attr */
REFUSAL(ATTR_SIZE, E2BIG, "attr.size",
	"is out of range, or the structure has fields set that this kernel does not know")
REFUSAL(ATTR_FLAGS, EINVAL, "attr.__reserved_1", "has flags that this kernel does not know")
REFUSAL(ATTR_RESERVED_2, EINVAL, "attr.__reserved_2", "must be zero")
REFUSAL(AUX_ACTION, EINVAL, "attr.__reserved_3", "has AUX actions that this kernel does not know")
REFUSAL(SAMPLE_TYPE, EINVAL, "attr.sample_type",
	"has sample fields that this kernel does not know")
REFUSAL(READ_FORMAT, EINVAL, "attr.read_format", "has formats that this kernel does not know")
REFUSAL(BRANCH_TYPE, EINVAL, "attr.branch_sample_type",
	"has branch filters that this kernel does not know")
REFUSAL(BRANCH_TYPE_NONE, EINVAL, "attr.branch_sample_type",
	"needs a type of branch besides the privilege levels")
REFUSAL(REGS_USER, REFUSED_REGS, "attr.sample_regs_user",
	"names no register, or one that does not exist")
REFUSAL(STACK_USER_ARCH, ENOSYS, "attr.sample_stack_user",
	"cannot be had: this architecture does not sample user stacks")
REFUSAL(STACK_USER_SIZE, EINVAL, "attr.sample_stack_user", "must be less than 65535")
REFUSAL(STACK_USER_ALIGN, EINVAL, "attr.sample_stack_user", "must be a multiple of 8")
REFUSAL(REGS_INTR, REFUSED_REGS, "attr.sample_regs_intr",
	"names no register, or one that does not exist")
REFUSAL(SAMPLE_CGROUP, EINVAL, "attr.sample_type",
	"asks for cgroups, but this kernel has no perf_event cgroups")
REFUSAL(SAMPLE_WEIGHTS, EINVAL, "attr.sample_type",
	"has both WEIGHT and WEIGHT_STRUCT, which exclude each other")
REFUSAL(INHERIT_THREAD, EINVAL, "attr.inherit_thread", "needs attr.inherit")
REFUSAL(REMOVE_ON_EXEC, EINVAL, "attr.remove_on_exec", "contradicts attr.enable_on_exec")
REFUSAL(SIGTRAP_EXEC, EINVAL, "attr.sigtrap", "needs attr.remove_on_exec")
REFUSAL(INHERIT_READ, EINVAL, "attr.inherit",
	"with PERF_SAMPLE_READ needs PERF_SAMPLE_TID, to tell the counts of tasks apart")
REFUSAL(CLOCKID, EINVAL, "attr.clockid", "is not a clock that samples can have")
REFUSAL(CLOCKID_NMI, EINVAL, "attr.clockid",
	"is a clock that cannot be read in the NMI with which this PMU interrupts")

/* perf_event_open(2): privileges and limits */
REFUSAL(PARANOID_OPEN, EACCES, "perf_event_paranoid",
	"is 3: only CAP_SYS_ADMIN may open events")
REFUSAL(BRANCHES_KERNEL, EACCES, "attr.branch_sample_type",
	"includes the kernel: needs CAP_PERFMON, or perf_event_paranoid below 2")
REFUSAL(KERNEL_EVENTS, EACCES, "attr.exclude_kernel",
	"is not set: to count in the kernel needs CAP_PERFMON, or perf_event_paranoid below 2")
REFUSAL(KERNEL_CALLCHAIN, EACCES, "attr.exclude_callchain_kernel",
	"is not set: chains of the kernel need CAP_PERFMON, or perf_event_paranoid below 2")
REFUSAL(KERNEL_TEXT, EACCES, "attr.text_poke",
	"tells the kernel's code: needs CAP_PERFMON, or perf_event_paranoid below 2")
REFUSAL(NAMESPACES, EACCES, "attr.namespaces", "needs CAP_PERFMON")
REFUSAL(FREQ_LIMIT, EINVAL, "attr.sample_freq", "is above perf_event_max_sample_rate")
REFUSAL(PERIOD_RANGE, EINVAL, "attr.sample_period", "is 2^63 or more")
REFUSAL(PHYS_ADDR, EACCES, "attr.sample_type",
	"has physical addresses: needs CAP_PERFMON, or perf_event_paranoid below 2")
REFUSAL(KERNEL_REGS, EPERM, "attr.sample_type",
	"has registers at the interrupt, which lockdown forbids")
REFUSAL(CPU_FORBIDDEN, EACCES, "pid",
	"is not a task: all of a CPU needs CAP_PERFMON, or perf_event_paranoid below 1")
REFUSAL(TASK_FORBIDDEN, EACCES, "pid",
	"is a task that the caller may not trace; CAP_PERFMON, with sigtrap CAP_KILL too, may")

/* perf_event_open(2): the other arguments */
REFUSAL(OPEN_FLAGS, EINVAL, "flags", "has bits that this kernel does not know")
REFUSAL(CGROUP_NO_FD, EINVAL, "pid", "is -1, but PERF_FLAG_PID_CGROUP needs a cgroup's file")
REFUSAL(CGROUP_NO_CPU, EINVAL, "cpu", "is -1, but a cgroup is watched on one CPU at a time")
REFUSAL(CGROUP_FD, EBADF, "pid", "is not a file of the perf_event cgroup hierarchy")
REFUSAL(CGROUP_GROUP, EINVAL, "group_fd", "is of an event of another cgroup")
REFUSAL(GROUP_FD, EBADF, "group_fd", "is not an event's file")
REFUSAL(GROUP_DEAD, ENODEV, "group_fd", "is of an event whose task, or whose PMU, has gone")
REFUSAL(GROUP_INHERIT, EINVAL, "attr.inherit", "must be the same in all of a group")
REFUSAL(GROUP_UNFIT, EINVAL, "group_fd",
	"is no leader for it: not a leader, or of another task, CPU, clock or hardware PMU")
REFUSAL(GROUP_NEEDED, EINVAL, "group_fd", "must name a leader: this event cannot lead")
REFUSAL(GROUP_READ_SIZE, E2BIG, "group_fd",
	"is of a group that would be too long to be read at once (16 KiB)")
REFUSAL(GROUP_AUX, EINVAL, "group_fd",
	"must be of an AUX event: the attribute has aux_output, aux_pause or aux_resume")
REFUSAL(NO_TASK, ESRCH, "pid", "is not a task that there is")
REFUSAL(TASK_EXITED, ESRCH, "pid", "is a task that exits")
REFUSAL(CPU_RANGE, EINVAL, "cpu", "is not a CPU's number, or is -1 and pid is -1, too")
REFUSAL(CPU_IMPOSSIBLE, ENODEV, "cpu", "is one that this machine cannot have")
REFUSAL(CPU_OFFLINE, ENODEV, "cpu", "is offline")
REFUSAL(SIGTRAP_TASK, EINVAL, "attr.sigtrap", "needs a task, to which the signals go")

/* perf_event_open(2): the PMU */
REFUSAL(NO_PMU, ENOENT, "attr.type", "and attr.config name an event that no PMU here knows")
REFUSAL(PMU_GONE, ENODEV, "attr.type", "names a PMU that goes at this moment")
REFUSAL(PMU_SAYS, EINVAL, "", "was refused by the PMU")
REFUSAL(PMU_SAMPLING, EOPNOTSUPP, "attr.sample_period",
	"cannot be met: this PMU has no interrupt, and only counts")
REFUSAL(PMU_EXCLUDES, EINVAL, "attr.exclude_*", "cannot be met: this PMU counts always")
REFUSAL(PMU_REGISTERS, EOPNOTSUPP, "attr.sample_regs_*",
	"names extended registers, which this PMU does not have")
REFUSAL(PMU_TASKS, EINVAL, "pid", "must be -1: this PMU does not know tasks or cgroups")
REFUSAL(PMU_CPU, ENODEV, "cpu", "is not one that this PMU counts for")
REFUSAL(PMU_AUX_OUTPUT, EOPNOTSUPP, "attr.aux_output", "cannot be had from this PMU")
REFUSAL(PMU_AUX_PAUSE, EOPNOTSUPP, "attr.aux_start_paused", "cannot be had from this PMU")
REFUSAL(PMU_BRANCHES, EOPNOTSUPP, "attr.sample_type",
	"has branches: this PMU, or this event of it, does not record them")
REFUSAL(PMU_PRECISE, EOPNOTSUPP, "attr.precise_ip",
	"is higher than this PMU can be precise for this event")
REFUSAL(PMU_GROUP, EINVAL, "group_fd", "is of a group that this PMU cannot count at once with it")
REFUSAL(PMU_CONFIG, EINVAL, "attr.config", "or another field is not possible on this PMU")
REFUSAL(PMU_RIGHTS, EACCES, "attr.config", "is an event of this PMU that needs a privilege")
REFUSAL(PMU_BUSY, EBUSY, "attr.type", "is of a PMU of which others use what this event needs")
REFUSAL(PMU_TAKEN, EBUSY, "attr.type",
	"is of a PMU that serves one event at a time, or tasks and CPUs not at once")
REFUSAL(CALLCHAIN_DEPTH, EOVERFLOW, "attr.sample_max_stack", "is above perf_event_max_stack")

/* The buffer of another event: PERF_FLAG_FD_OUTPUT, PERF_EVENT_IOC_SET_OUTPUT */
REFUSAL(OUTPUT_FD, EBADF, "arg", "is not an event's file")
REFUSAL(OUTPUT_UNFIT, EINVAL, "output",
	"is an event that does not go with it: itself, another CPU, task, clock or direction")
REFUSAL(OUTPUT_NO_BUFFER, EINVAL, "output", "is an event that has no buffer: map it first")
REFUSAL(OUTPUT_MAPPED, EINVAL, "fd", "is mapped, and must keep its own buffer")

/* ioctl(2) */
REFUSAL(IOCTL_UNKNOWN, ENOTTY, "cmd", "is not known to this kernel")
REFUSAL(STATE_SIZE, EINVAL, "state.size", "is less than 8, or more than a page")
REFUSAL(STATE_FIELDS, EINVAL, "state",
	"has a field that is not zero besides size, tid, filter and filter_size")
REFUSAL(STATE_NEWER, E2BIG, "state.size", "includes fields set that this kernel does not know")
REFUSAL(STATE_NO_COPY, ESRCH, "state.tid", "is of no thread that the event or a copy of it watches")
REFUSAL(REFRESH_UNFIT, EINVAL, "fd", "is of an event that is inherited, or does not sample")
REFUSAL(PERIOD_COUNTING, EINVAL, "fd", "is of an event that does not sample")
REFUSAL(PERIOD_ZERO, EINVAL, "arg", "must not be zero")
REFUSAL(PERIOD_FREQ, EINVAL, "arg", "is above perf_event_max_sample_rate")
REFUSAL(PERIOD_LONG, EINVAL, "arg", "is 2^63 or more")
REFUSAL(PERIOD_PMU, EINVAL, "arg", "is not a period that the PMU can have")
REFUSAL(FILTER_TEXT, EINVAL, "arg", "is not a filter, or has a page or more")
REFUSAL(FILTER_NONE, EINVAL, "fd", "is of an event that takes no filters")
REFUSAL(FILTER_TASK, EOPNOTSUPP, "arg", "names a file, which only an event of a task can follow")
REFUSAL(FILTER_FILE, ENOENT, "arg", "names a file that cannot be found, or not by the caller")
REFUSAL(FILTER_KIND, EINVAL, "arg", "names a file that is not a regular one")
REFUSAL(FILTER_PMU, EOPNOTSUPP, "arg", "has filters that the PMU cannot have, or too many")
REFUSAL(BPF_FD, EBADF, "arg", "is not a BPF program's file")
REFUSAL(BPF_KIND, EINVAL, "arg", "is a BPF program of a kind that does not go with the event")
REFUSAL(BPF_CONTEXT, EACCES, "arg", "is a BPF program that looks beyond the event's record")
REFUSAL(BPF_PRESENT, EEXIST, "fd", "is of an event that has a BPF program")
REFUSAL(BPF_STACK, EPROTO, "arg",
	"is a BPF program that takes stacks: the precise event must sample call chains")
REFUSAL(BPF_OTHER, EINVAL, "arg", "is refused by BPF, or the tracing code")
REFUSAL(PAUSE_NO_BUFFER, EINVAL, "fd", "is of an event without a buffer for records")
REFUSAL(MODIFY_TYPE, EINVAL, "attr.type", "must not change")
REFUSAL(MODIFY_PMU, EOPNOTSUPP, "fd", "is of an event that is no breakpoint")
REFUSAL(MODIFY_MORE, EINVAL, "attr", "differs in more than a breakpoint's place, kind and signal")
REFUSAL(BREAKPOINT, EINVAL, "attr.bp_type", "or bp_addr, bp_len: not a breakpoint that can be")
REFUSAL(BREAKPOINT_KERNEL, EINVAL, "attr.exclude_kernel",
	"is set, but attr.bp_addr is in the kernel")
REFUSAL(BREAKPOINT_ADMIN, EPERM, "attr.bp_addr", "is in the kernel: needs CAP_SYS_ADMIN")
REFUSAL(BREAKPOINT_NONE, EOPNOTSUPP, "attr.bp_type",
	"is a kind of breakpoint that this machine does not have")
REFUSAL(BREAKPOINT_FULL, ENOSPC, "attr.type",
	"is of a breakpoint, and all debug registers are taken")

/* mmap(2) */
REFUSAL(MMAP_INHERIT, EINVAL, "fd", "is of an event that is inherited on any CPU: open one a CPU")
REFUSAL(MMAP_PRIVATE, EINVAL, "flags", "must have MAP_SHARED")
REFUSAL(MMAP_SIZE, EINVAL, "length", "must be one page, or one page and 2^n")
REFUSAL(MMAP_LENGTH, ENOMEM, "length", "is out of range")
REFUSAL(MMAP_OTHER_SIZE, EINVAL, "length", "differs from that of the buffer that there is")
REFUSAL(MMAP_LIMIT, EPERM, "length",
	"is beyond perf_event_mlock_kb and RLIMIT_MEMLOCK: needs CAP_IPC_LOCK")
REFUSAL(MMAP_AUX_PLACE, EINVAL, "offset", "and length are not aux_offset and aux_size of the page")
REFUSAL(MMAP_AUX_FIRST, EINVAL, "offset", "is not zero, but the records are not mapped yet")
REFUSAL(MMAP_AUX_PMU, EOPNOTSUPP, "fd", "is of an event whose PMU has no AUX area")

/* prctl(2) */
REFUSAL(EXPLAIN_SIZE, EINVAL, "size", "is out of range, or the last two arguments are not zero")

/* splice(2) */
REFUSAL(SPLICE_BACKWARD, EINVAL, "fd", "is of an event that writes backward")
REFUSAL(SPLICE_NO_BUFFER, EINVAL, "fd", "is of an event without a buffer")
REFUSAL(SPLICE_OVERWRITE, EINVAL, "fd", "has a buffer without records, or one that is overwritten")
REFUSAL(SPLICE_TAIL, EIO, "data_tail", "is not where a record begins")
REFUSAL(SPLICE_ROOM, ENOSPC, "len", "or the pipe is shorter than the next record")
REFUSAL(SPLICE_PIPE, EPIPE, "fd_out", "is a pipe without readers")

#undef REFUSED_REGS
