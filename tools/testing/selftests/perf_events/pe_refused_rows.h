/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The expected report for each reason, besides the errno: the calls that can be refused for it,
 * its name, the field and the sentence. This copy makes the tests fail when the kernel's table
 * changes. With PMU_SAYS the driver provides field and sentence.
 *
 * No include guard: each user defines REFUSAL() before it includes the rows.
 */

/* Any call */
REFUSAL(ANY, UNNAMED, "", "the kernel has no explanation for this error")
REFUSAL(ANY, NO_MEMORY, "", "needs more memory than is free, or than the memory cgroup allows")
REFUSAL(ANY, BAD_ADDRESS, "", "has a pointer to memory that the process cannot access")
REFUSAL(ANY, NO_FILES_LEFT, "",
	"needs a file descriptor, and RLIMIT_NOFILE is reached: raise it (ulimit -n)")
REFUSAL(ANY, NO_FILES_AT_ALL, "", "needs a file, and fs.file-max is reached: raise this sysctl")
REFUSAL(ANY, SECURITY_MODULE, "", "is forbidden by a security module")
REFUSAL(IOCTL | MMAP, EVENT_DEAD, "fd", "refers to an event whose PMU was unregistered")

/* perf_event_open(2): attr */
REFUSAL(OPEN | IOCTL, ATTR_SIZE, "attr.size",
	"is below 64, is above a page, or covers nonzero fields that this kernel does not know")
REFUSAL(OPEN | IOCTL, ATTR_FLAGS, "attr.__reserved_1", "has flags that this kernel does not know")
REFUSAL(OPEN | IOCTL, ATTR_RESERVED_2, "attr.__reserved_2", "must be zero")
REFUSAL(OPEN | IOCTL, AUX_ACTION, "attr.__reserved_3",
	"has AUX actions that this kernel does not know")
REFUSAL(OPEN | IOCTL, SAMPLE_TYPE, "attr.sample_type",
	"has sample fields that this kernel does not know")
REFUSAL(OPEN | IOCTL, READ_FORMAT, "attr.read_format", "has formats that this kernel does not know")
REFUSAL(OPEN | IOCTL, BRANCH_TYPE, "attr.branch_sample_type",
	"has branch filters that this kernel does not know")
REFUSAL(OPEN | IOCTL, BRANCH_TYPE_NONE, "attr.branch_sample_type",
	"has only privilege levels: add a branch type, such as PERF_SAMPLE_BRANCH_ANY")
REFUSAL(OPEN | IOCTL, REGS_USER, "attr.sample_regs_user",
	"is 0, or has a register that this architecture lacks")
REFUSAL(OPEN | IOCTL, STACK_USER_ARCH, "attr.sample_stack_user",
	"is not supported: this architecture cannot sample user stacks")
REFUSAL(OPEN | IOCTL, STACK_USER_SIZE, "attr.sample_stack_user", "must be less than 65535")
REFUSAL(OPEN | IOCTL, STACK_USER_ALIGN, "attr.sample_stack_user", "must be a multiple of 8")
REFUSAL(OPEN | IOCTL, REGS_INTR, "attr.sample_regs_intr",
	"is 0, or has a register that this architecture lacks")
REFUSAL(OPEN | IOCTL, SAMPLE_CGROUP, "attr.sample_type",
	"has PERF_SAMPLE_CGROUP, which needs a kernel with CONFIG_CGROUP_PERF")
REFUSAL(OPEN | IOCTL, SAMPLE_WEIGHTS, "attr.sample_type",
	"has both WEIGHT and WEIGHT_STRUCT: set only one")
REFUSAL(OPEN | IOCTL, INHERIT_THREAD, "attr.inherit_thread", "needs attr.inherit")
REFUSAL(OPEN | IOCTL, REMOVE_ON_EXEC, "attr.remove_on_exec",
	"contradicts attr.enable_on_exec: set only one")
REFUSAL(OPEN | IOCTL, SIGTRAP_EXEC, "attr.sigtrap", "needs attr.remove_on_exec")
REFUSAL(OPEN | IOCTL, INHERIT_READ, "attr.inherit",
	"with PERF_SAMPLE_READ needs PERF_SAMPLE_TID: each task has its own count")
REFUSAL(OPEN | IOCTL, CLOCKID, "attr.clockid",
	"must be CLOCK_MONOTONIC, MONOTONIC_RAW, REALTIME, BOOTTIME or TAI")
REFUSAL(OPEN | IOCTL, CLOCKID_NMI, "attr.clockid",
	"is not readable in the NMI of this PMU: use CLOCK_MONOTONIC or CLOCK_MONOTONIC_RAW")

/* perf_event_open(2): privileges and limits */
REFUSAL(OPEN, PARANOID_OPEN, "perf_event_paranoid",
	"is 3 or more: only CAP_SYS_ADMIN may open events")
REFUSAL(OPEN, BRANCHES_KERNEL, "attr.branch_sample_type",
	"includes the kernel: needs CAP_PERFMON, or perf_event_paranoid below 2")
REFUSAL(OPEN, KERNEL_EVENTS, "attr.exclude_kernel",
	"is not set: counting in the kernel needs CAP_PERFMON, or perf_event_paranoid below 2")
REFUSAL(OPEN, KERNEL_CALLCHAIN, "attr.exclude_callchain_kernel",
	"is not set: kernel callchains need CAP_PERFMON, or perf_event_paranoid below 2")
REFUSAL(OPEN, KERNEL_TEXT, "attr.text_poke",
	"records kernel code: needs CAP_PERFMON, or perf_event_paranoid below 2")
REFUSAL(OPEN, NAMESPACES, "attr.namespaces", "needs CAP_PERFMON")
REFUSAL(OPEN | IOCTL, FREQ_LIMIT, "attr.sample_freq", "is above perf_event_max_sample_rate")
REFUSAL(OPEN | IOCTL, PERIOD_RANGE, "attr.sample_period", "is 2^63 or more")
REFUSAL(OPEN, PHYS_ADDR, "attr.sample_type",
	"has physical addresses: needs CAP_PERFMON, or perf_event_paranoid below 2")
REFUSAL(OPEN, KERNEL_REGS, "attr.sample_type", "has PERF_SAMPLE_REGS_INTR, which lockdown forbids")
REFUSAL(OPEN, CPU_FORBIDDEN, "pid",
	"is not a task: a per-CPU event needs CAP_PERFMON, or perf_event_paranoid below 1")
REFUSAL(OPEN, TASK_FORBIDDEN, "pid",
	"is a task that the caller may not trace: needs CAP_PERFMON, and for attr.sigtrap CAP_KILL")

/* perf_event_open(2): the other arguments */
REFUSAL(OPEN, OPEN_FLAGS, "flags", "has bits that this kernel does not know")
REFUSAL(OPEN, CGROUP_NO_FD, "pid", "is -1, but PERF_FLAG_PID_CGROUP needs the fd of a cgroup")
REFUSAL(OPEN, CGROUP_NO_CPU, "cpu",
	"is -1, but PERF_FLAG_PID_CGROUP needs a CPU: open one event per CPU")
REFUSAL(OPEN, CGROUP_FD, "pid",
	"is not the fd of a directory in a cgroup hierarchy with the perf_event controller")
REFUSAL(OPEN, CGROUP_GROUP, "group_fd", "refers to a group that counts another cgroup")
REFUSAL(OPEN, GROUP_FD, "group_fd", "is not the fd of an event")
REFUSAL(OPEN, GROUP_DEAD, "group_fd",
	"refers to an event that was ended by exit, exec, CPU hotplug, or removal of its PMU")
REFUSAL(OPEN, GROUP_INHERIT, "attr.inherit", "must be the same for all events of a group")
REFUSAL(OPEN, GROUP_MEMBER, "group_fd",
	"refers to a group member: it must refer to the group leader")
REFUSAL(OPEN, GROUP_TARGET, "group_fd", "refers to a group that counts another task, CPU or cgroup")
REFUSAL(OPEN, GROUP_CLOCK, "attr.clockid",
	"must be the same for all events of a group, and so must attr.use_clockid")
REFUSAL(OPEN, GROUP_PINNED, "attr.pinned",
	"is for group leaders: set it only for the first event of a group")
REFUSAL(OPEN, GROUP_EXCLUSIVE, "attr.exclusive",
	"is for group leaders: set it only for the first event of a group")
REFUSAL(OPEN, GROUP_PMU, "group_fd",
	"refers to a group with hardware events of another PMU: open a group for each PMU")
REFUSAL(OPEN, GROUP_NEEDED, "group_fd",
	"must refer to a group leader: this event can only be a member")
REFUSAL(OPEN, GROUP_READ_SIZE, "group_fd",
	"refers to a group whose read(2) would exceed 16 KiB: open another group")
REFUSAL(OPEN, GROUP_SAMPLES, "group_fd",
	"refers to a large group with many events that sample all values: sample with fewer events")
REFUSAL(OPEN, GROUP_AUX, "group_fd",
	"must refer to an event with an AUX area, for attr.aux_output, aux_pause and aux_resume")
REFUSAL(OPEN, NO_TASK, "pid", "is not an existing task")
REFUSAL(OPEN, TASK_EXITED, "pid", "is a task that is exiting")
REFUSAL(OPEN, NO_TARGET, "pid", "and cpu are both -1: pass a task, a CPU, or both")
REFUSAL(OPEN, CPU_RANGE, "cpu", "is above the highest CPU number, or below -1")
REFUSAL(OPEN, CPU_IMPOSSIBLE, "cpu", "is not a possible CPU of this machine")
REFUSAL(OPEN, CPU_OFFLINE, "cpu", "is offline")
REFUSAL(OPEN, SIGTRAP_TASK, "attr.sigtrap", "needs a task: the event sends signals to it")

/* perf_event_open(2): the PMU */
REFUSAL(OPEN, NO_PMU, "attr.type", "and attr.config name an event that no PMU supports")
REFUSAL(OPEN, PMU_GONE, "attr.type", "names a PMU that is being unregistered")
REFUSAL(OPEN, PMU_SAMPLING, "attr.sample_period",
	"is not supported: this PMU has no interrupt, and only counts")
REFUSAL(OPEN, PMU_EXCLUDES, "attr.exclude_*", "is not supported: this PMU counts in all modes")
REFUSAL(OPEN, PMU_REGISTERS, "attr.sample_regs_*",
	"names extended registers, which this PMU does not have")
REFUSAL(OPEN, PMU_TASKS, "pid", "must be -1: this PMU counts whole CPUs, not tasks or cgroups")
REFUSAL(OPEN, PMU_CPU, "cpu", "is not a CPU that this PMU counts on")
REFUSAL(OPEN, PMU_AUX_OUTPUT, "attr.aux_output",
	"is not supported by this PMU, or not with attr.aux_pause or aux_resume")
REFUSAL(OPEN, AUX_BOTH, "attr.aux_resume", "contradicts attr.aux_pause: set only one")
REFUSAL(OPEN, PMU_AUX_PAUSE, "attr.aux_start_paused", "is not supported by this PMU")
REFUSAL(OPEN, PMU_BRANCHES, "attr.sample_type",
	"has PERF_SAMPLE_BRANCH_STACK: this PMU, or this event, does not record branches")
REFUSAL(OPEN, PMU_PRECISE, "attr.precise_ip", "is above the precision of this event on this PMU")
REFUSAL(OPEN, PMU_GROUP, "group_fd",
	"refers to a group that this PMU cannot schedule together with this event")
REFUSAL(OPEN, PMU_CONFIG, "attr.config", "or another field is not supported by this PMU")
REFUSAL(OPEN, PMU_RIGHTS, "attr.config",
	"names an event that needs a capability, such as CAP_PERFMON or CAP_SYS_ADMIN")
REFUSAL(OPEN, PMU_BUSY, "attr.type",
	"names a busy PMU: other users have the counters or registers of this event")
REFUSAL(OPEN, PMU_TAKEN, "attr.type",
	"names an exclusive PMU in use: one event per task or one per CPU, not both at once")
REFUSAL(OPEN, CALLCHAIN_DEPTH, "attr.sample_max_stack", "is above perf_event_max_stack")

/* The buffer of another event */
REFUSAL(OPEN | IOCTL, OUTPUT_FD, "arg", "is not the fd of an event")
REFUSAL(OPEN | IOCTL, OUTPUT_SELF, "output",
	"is the event itself: name the event that has the buffer")
REFUSAL(OPEN | IOCTL, OUTPUT_TARGET, "output",
	"is an event of another task or CPU: open one buffer for each")
REFUSAL(OPEN | IOCTL, OUTPUT_CLOCK, "attr.clockid",
	"must be the same for all events of a buffer, and so must attr.use_clockid")
REFUSAL(OPEN | IOCTL, OUTPUT_BACKWARD, "attr.write_backward",
	"must be the same for all events of a buffer")
REFUSAL(OPEN | IOCTL, OUTPUT_AUX, "output",
	"is an event with an AUX area of another PMU: a buffer has one AUX area")
REFUSAL(OPEN | IOCTL, OUTPUT_NO_BUFFER, "output", "is an event without a buffer: map it first")
REFUSAL(OPEN | IOCTL, OUTPUT_MAPPED, "fd",
	"refers to an event with its own mapping: unmap it first")

/* ioctl(2) */
REFUSAL(IOCTL, IOCTL_UNKNOWN, "cmd", "is not known to this kernel")
REFUSAL(IOCTL, STATE_SIZE, "state.size", "is less than 8, or more than a page")
REFUSAL(IOCTL, STATE_FIELDS, "state", "must be zero except for size, tid, filter and filter_size")
REFUSAL(IOCTL, STATE_NEWER, "state.size", "includes nonzero fields that this kernel does not know")
REFUSAL(IOCTL, STATE_NO_COPY, "state.tid",
	"is not the event's thread, and did not inherit the event")
REFUSAL(IOCTL, REFRESH_UNFIT, "fd", "refers to an event that has attr.inherit, or that only counts")
REFUSAL(IOCTL, PERIOD_COUNTING, "fd",
	"refers to an event that only counts: open it with a period or frequency")
REFUSAL(IOCTL, PERIOD_ZERO, "arg", "must not be zero")
REFUSAL(IOCTL, PERIOD_FREQ, "arg", "is above perf_event_max_sample_rate")
REFUSAL(IOCTL, PERIOD_LONG, "arg", "is 2^63 or more")
REFUSAL(IOCTL, PERIOD_PMU, "arg", "is not a period that the PMU supports")
REFUSAL(IOCTL, FILTER_TEXT, "arg",
	"is not a valid filter for this event, or does not fit into a page")
REFUSAL(IOCTL, FILTER_NONE, "fd", "refers to an event that takes no filters")
REFUSAL(IOCTL, FILTER_TASK, "arg", "names a file, but only events of a task can filter by file")
REFUSAL(IOCTL, FILTER_FILE, "arg",
	"names a file that does not exist, or that the caller cannot reach")
REFUSAL(IOCTL, FILTER_KIND, "arg", "names a file that is not a regular one")
REFUSAL(IOCTL, FILTER_MANY, "arg", "has more address filters than the PMU supports")
REFUSAL(IOCTL, FILTER_PMU, "arg", "has an address filter that the PMU does not support")
REFUSAL(IOCTL, BPF_FD, "arg", "is not the fd of a BPF program")
REFUSAL(IOCTL, BPF_KIND, "arg", "is a BPF program of a type that this event cannot run")
REFUSAL(IOCTL, BPF_CONTEXT, "arg", "is a BPF program that reads beyond the event's record")
REFUSAL(IOCTL, BPF_PRESENT, "fd", "refers to an event that already has a BPF program")
REFUSAL(IOCTL, BPF_STACK, "arg",
	"is a BPF program that reads stacks: precise events need CALLCHAIN, no exclude_callchain_*")
REFUSAL(IOCTL, BPF_OTHER, "arg", "is refused by BPF or by the tracing code")
REFUSAL(IOCTL, PAUSE_NO_BUFFER, "fd", "refers to an event without a buffer for records")
REFUSAL(IOCTL, MODIFY_TYPE, "attr.type", "must not change")
REFUSAL(IOCTL, MODIFY_PMU, "fd",
	"refers to an event that is not a breakpoint: only breakpoints can be modified")
REFUSAL(IOCTL, MODIFY_MORE, "attr",
	"differs in more than bp_addr, bp_type, bp_len, sig_data and disabled")
REFUSAL(OPEN | IOCTL, BREAKPOINT, "attr.bp_type",
	"is not possible with this bp_addr and bp_len: check type, length and alignment")
REFUSAL(OPEN | IOCTL, BREAKPOINT_KERNEL, "attr.bp_addr",
	"is in the kernel, but attr.exclude_kernel is set")
REFUSAL(OPEN | IOCTL, BREAKPOINT_ADMIN, "attr.bp_addr", "is in the kernel: needs CAP_SYS_ADMIN")
REFUSAL(OPEN | IOCTL, BREAKPOINT_NONE, "attr.bp_type",
	"is a type of breakpoint that this machine does not have")
REFUSAL(OPEN | IOCTL, BREAKPOINT_FULL, "attr.type",
	"is a breakpoint, and all debug registers are in use")

/* mmap(2) */
REFUSAL(MMAP, MMAP_INHERIT, "fd",
	"refers to an event with attr.inherit and cpu -1: open one event per CPU")
REFUSAL(MMAP, MMAP_PRIVATE, "flags", "must have MAP_SHARED")
REFUSAL(MMAP, MMAP_SIZE, "length", "must be 1 page, or 1 + 2^n pages")
REFUSAL(MMAP, MMAP_LENGTH, "length", "is above 2^31 - 1 pages")
REFUSAL(MMAP, MMAP_OTHER_SIZE, "length", "differs from the length of the existing buffer")
REFUSAL(MMAP, MMAP_LIMIT, "length",
	"exceeds perf_event_mlock_kb and RLIMIT_MEMLOCK: needs CAP_IPC_LOCK")
REFUSAL(MMAP, MMAP_AUX_PLACE, "offset",
	"and length must equal the user page's aux_offset, aux_size: 2^n pages after the data area")
REFUSAL(MMAP, MMAP_AUX_FIRST, "offset",
	"is not zero, but the event has no buffer: map its records at offset 0 first")
REFUSAL(MMAP, MMAP_AUX_PMU, "fd", "refers to an event whose PMU has no AUX area")

/* prctl(2) */
REFUSAL(PRCTL, EXPLAIN_SIZE, "size", "is out of range, or the last two arguments are not zero")

/* splice(2) */
REFUSAL(SPLICE, SPLICE_BACKWARD, "fd",
	"refers to an event with attr.write_backward: read its buffer by mmap(2)")
REFUSAL(SPLICE, SPLICE_NO_BUFFER, "fd", "refers to an event without a buffer")
REFUSAL(SPLICE, SPLICE_OVERWRITE, "fd",
	"has no page for records, or is mapped read-only: map 1 + 2^n pages with PROT_WRITE")
REFUSAL(SPLICE, SPLICE_TAIL, "data_tail", "is not the start of a record")
REFUSAL(SPLICE, SPLICE_ROOM, "len",
	"or the pipe is too short for the next record: a record has up to 64 KiB")
REFUSAL(SPLICE, SPLICE_PIPE, "fd_out", "is a pipe without readers")
