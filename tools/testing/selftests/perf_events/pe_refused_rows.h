/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The expected report for each reason, besides the errno: the calls that can be refused for it,
 * its name, the field and the sentence. This copy makes the tests fail when the kernel's table
 * changes. With PMU_SAYS the driver provides field and sentence.
 *
 * No include guard: each user defines REFUSAL() before it includes the rows.
 */

/* Any call */
REFUSAL(ANY, UNNAMED, "", "was refused for an unnamed reason")
REFUSAL(ANY, NO_MEMORY, "", "needs more memory than is free, or than the memory cgroup allows")
REFUSAL(ANY, BAD_ADDRESS, "", "has a pointer to memory that the process cannot access")
REFUSAL(ANY, NO_FILES_LEFT, "", "needs a file descriptor, and RLIMIT_NOFILE is reached")
REFUSAL(ANY, NO_FILES_AT_ALL, "", "needs a file, and fs.file-max is reached")
REFUSAL(ANY, SECURITY_MODULE, "", "is forbidden by a security module")
REFUSAL(IOCTL | MMAP, EVENT_DEAD, "fd", "is of an event whose PMU was unregistered")

/* perf_event_open(2): attr */
REFUSAL(OPEN | IOCTL, ATTR_SIZE, "attr.size",
	"is out of range, or the structure has fields set that this kernel does not know")
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
	"needs a branch type besides the privilege levels")
REFUSAL(OPEN | IOCTL, REGS_USER, "attr.sample_regs_user",
	"names no register, or one that does not exist")
REFUSAL(OPEN | IOCTL, STACK_USER_ARCH, "attr.sample_stack_user",
	"is not supported: this architecture cannot sample user stacks")
REFUSAL(OPEN | IOCTL, STACK_USER_SIZE, "attr.sample_stack_user", "must be less than 65535")
REFUSAL(OPEN | IOCTL, STACK_USER_ALIGN, "attr.sample_stack_user", "must be a multiple of 8")
REFUSAL(OPEN | IOCTL, REGS_INTR, "attr.sample_regs_intr",
	"names no register, or one that does not exist")
REFUSAL(OPEN | IOCTL, SAMPLE_CGROUP, "attr.sample_type",
	"asks for cgroups, but this kernel has no perf_event cgroups")
REFUSAL(OPEN | IOCTL, SAMPLE_WEIGHTS, "attr.sample_type",
	"has both WEIGHT and WEIGHT_STRUCT: set only one")
REFUSAL(OPEN | IOCTL, INHERIT_THREAD, "attr.inherit_thread", "needs attr.inherit")
REFUSAL(OPEN | IOCTL, REMOVE_ON_EXEC, "attr.remove_on_exec", "contradicts attr.enable_on_exec")
REFUSAL(OPEN | IOCTL, SIGTRAP_EXEC, "attr.sigtrap", "needs attr.remove_on_exec")
REFUSAL(OPEN | IOCTL, INHERIT_READ, "attr.inherit",
	"with PERF_SAMPLE_READ needs PERF_SAMPLE_TID, to tell the counts of tasks apart")
REFUSAL(OPEN | IOCTL, CLOCKID, "attr.clockid", "is not a clock that samples can use")
REFUSAL(OPEN | IOCTL, CLOCKID_NMI, "attr.clockid",
	"is a clock that cannot be read in NMI context, and this PMU interrupts by NMI")

/* perf_event_open(2): privileges and limits */
REFUSAL(OPEN, PARANOID_OPEN, "perf_event_paranoid", "is 3: only CAP_SYS_ADMIN may open events")
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
	"is a task that the caller may not trace: needs CAP_PERFMON, with sigtrap CAP_KILL too")

/* perf_event_open(2): the other arguments */
REFUSAL(OPEN, OPEN_FLAGS, "flags", "has bits that this kernel does not know")
REFUSAL(OPEN, CGROUP_NO_FD, "pid", "is -1, but PERF_FLAG_PID_CGROUP needs the fd of a cgroup")
REFUSAL(OPEN, CGROUP_NO_CPU, "cpu", "is -1, but PERF_FLAG_PID_CGROUP needs a CPU")
REFUSAL(OPEN, CGROUP_FD, "pid", "is not a file of the perf_event cgroup hierarchy")
REFUSAL(OPEN, CGROUP_GROUP, "group_fd", "is of an event of another cgroup")
REFUSAL(OPEN, GROUP_FD, "group_fd", "is not an event's file")
REFUSAL(OPEN, GROUP_DEAD, "group_fd",
	"is of an event whose task exited or whose PMU was unregistered")
REFUSAL(OPEN, GROUP_INHERIT, "attr.inherit", "must be the same for all events of a group")
REFUSAL(OPEN, GROUP_MEMBER, "group_fd",
	"is of a group member: group_fd must be of the group leader")
REFUSAL(OPEN, GROUP_TARGET, "group_fd", "is of a group that counts another task, CPU or cgroup")
REFUSAL(OPEN, GROUP_CLOCK, "attr.clockid",
	"must be the same for all events of a group, and so must attr.use_clockid")
REFUSAL(OPEN, GROUP_PINNED, "attr.pinned",
	"is for group leaders: set it only for the first event of a group")
REFUSAL(OPEN, GROUP_EXCLUSIVE, "attr.exclusive",
	"is for group leaders: set it only for the first event of a group")
REFUSAL(OPEN, GROUP_PMU, "group_fd",
	"is of a group with hardware events of another PMU: open a group for each PMU")
REFUSAL(OPEN, GROUP_NEEDED, "group_fd", "must be a group leader: this event cannot be one")
REFUSAL(OPEN, GROUP_READ_SIZE, "group_fd", "is of a group whose read(2) would exceed 16 KiB")
REFUSAL(OPEN, GROUP_AUX, "group_fd",
	"must be of an AUX event: the attribute has aux_output, aux_pause or aux_resume")
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
REFUSAL(OPEN, PMU_TASKS, "pid", "must be -1: this PMU does not count by task or cgroup")
REFUSAL(OPEN, PMU_CPU, "cpu", "is not a CPU that this PMU counts on")
REFUSAL(OPEN, PMU_AUX_OUTPUT, "attr.aux_output", "is not supported by this PMU")
REFUSAL(OPEN, PMU_AUX_PAUSE, "attr.aux_start_paused", "is not supported by this PMU")
REFUSAL(OPEN, PMU_BRANCHES, "attr.sample_type",
	"has PERF_SAMPLE_BRANCH_STACK: this PMU, or this event, does not record branches")
REFUSAL(OPEN, PMU_PRECISE, "attr.precise_ip", "is above the precision of this event on this PMU")
REFUSAL(OPEN, PMU_GROUP, "group_fd",
	"is of a group that this PMU cannot schedule together with this event")
REFUSAL(OPEN, PMU_CONFIG, "attr.config", "or another field is not supported by this PMU")
REFUSAL(OPEN, PMU_RIGHTS, "attr.config", "is an event that needs a privilege")
REFUSAL(OPEN, PMU_BUSY, "attr.type",
	"names a busy PMU: other users have the counters or registers of this event")
REFUSAL(OPEN, PMU_TAKEN, "attr.type",
	"names a PMU that allows only one event, or does not mix task and CPU events")
REFUSAL(OPEN, CALLCHAIN_DEPTH, "attr.sample_max_stack", "is above perf_event_max_stack")

/* The buffer of another event */
REFUSAL(OPEN | IOCTL, OUTPUT_FD, "arg", "is not an event's file")
REFUSAL(OPEN | IOCTL, OUTPUT_SELF, "output", "is the event itself: pass the event with the buffer")
REFUSAL(OPEN | IOCTL, OUTPUT_TARGET, "output",
	"is an event of another task or CPU: open one buffer for each")
REFUSAL(OPEN | IOCTL, OUTPUT_CLOCK, "attr.clockid",
	"must be the same for all events of a buffer, and so must attr.use_clockid")
REFUSAL(OPEN | IOCTL, OUTPUT_BACKWARD, "attr.write_backward",
	"must be the same for all events of a buffer")
REFUSAL(OPEN | IOCTL, OUTPUT_AUX, "output",
	"is an event with an AUX area of another PMU: a buffer has one AUX area")
REFUSAL(OPEN | IOCTL, OUTPUT_NO_BUFFER, "output", "is an event without a buffer: map it first")
REFUSAL(OPEN | IOCTL, OUTPUT_MAPPED, "fd", "is mapped, and must keep its own buffer")

/* ioctl(2) */
REFUSAL(IOCTL, IOCTL_UNKNOWN, "cmd", "is not known to this kernel")
REFUSAL(IOCTL, STATE_SIZE, "state.size", "is less than 8, or more than a page")
REFUSAL(IOCTL, STATE_FIELDS, "state",
	"has a field that is not zero, other than size, tid, filter and filter_size")
REFUSAL(IOCTL, STATE_NEWER, "state.size", "includes nonzero fields that this kernel does not know")
REFUSAL(IOCTL, STATE_NO_COPY, "state.tid",
	"is not a thread that the event or an inherited copy of it counts")
REFUSAL(IOCTL, REFRESH_UNFIT, "fd", "is of an event that is inherited or does not sample")
REFUSAL(IOCTL, PERIOD_COUNTING, "fd", "is of an event that does not sample")
REFUSAL(IOCTL, PERIOD_ZERO, "arg", "must not be zero")
REFUSAL(IOCTL, PERIOD_FREQ, "arg", "is above perf_event_max_sample_rate")
REFUSAL(IOCTL, PERIOD_LONG, "arg", "is 2^63 or more")
REFUSAL(IOCTL, PERIOD_PMU, "arg", "is not a period that the PMU supports")
REFUSAL(IOCTL, FILTER_TEXT, "arg", "is not a filter, or is a page or longer")
REFUSAL(IOCTL, FILTER_NONE, "fd", "is of an event that takes no filters")
REFUSAL(IOCTL, FILTER_TASK, "arg",
	"names a file, but only an event of a task supports file filters")
REFUSAL(IOCTL, FILTER_FILE, "arg",
	"names a file that does not exist, or that the caller cannot reach")
REFUSAL(IOCTL, FILTER_KIND, "arg", "names a file that is not regular")
REFUSAL(IOCTL, FILTER_MANY, "arg", "has more address filters than the PMU supports")
REFUSAL(IOCTL, FILTER_PMU, "arg", "has an address filter that the PMU does not support")
REFUSAL(IOCTL, BPF_FD, "arg", "is not a BPF program's file")
REFUSAL(IOCTL, BPF_KIND, "arg", "is a BPF program that this event does not support")
REFUSAL(IOCTL, BPF_CONTEXT, "arg", "is a BPF program that reads beyond the event's record")
REFUSAL(IOCTL, BPF_PRESENT, "fd", "is of an event that already has a BPF program")
REFUSAL(IOCTL, BPF_STACK, "arg",
	"is a BPF program that reads stacks: a precise event must sample callchains")
REFUSAL(IOCTL, BPF_OTHER, "arg", "is refused by BPF or by the tracing code")
REFUSAL(IOCTL, PAUSE_NO_BUFFER, "fd", "is of an event without a buffer for records")
REFUSAL(IOCTL, MODIFY_TYPE, "attr.type", "must not change")
REFUSAL(IOCTL, MODIFY_PMU, "fd", "is of an event that is not a breakpoint")
REFUSAL(IOCTL, MODIFY_MORE, "attr", "differs in more than a breakpoint's address, type and signal")
REFUSAL(OPEN | IOCTL, BREAKPOINT, "attr.bp_type",
	"or bp_addr, bp_len is not valid for a breakpoint")
REFUSAL(OPEN | IOCTL, BREAKPOINT_KERNEL, "attr.bp_addr",
	"is in the kernel, but attr.exclude_kernel is set")
REFUSAL(OPEN | IOCTL, BREAKPOINT_ADMIN, "attr.bp_addr", "is in the kernel: needs CAP_SYS_ADMIN")
REFUSAL(OPEN | IOCTL, BREAKPOINT_NONE, "attr.bp_type",
	"is a type of breakpoint that this machine does not have")
REFUSAL(OPEN | IOCTL, BREAKPOINT_FULL, "attr.type",
	"is a breakpoint, and all debug registers are in use")

/* mmap(2) */
REFUSAL(MMAP, MMAP_INHERIT, "fd", "is of an inherited event with cpu -1: open one event per CPU")
REFUSAL(MMAP, MMAP_PRIVATE, "flags", "must have MAP_SHARED")
REFUSAL(MMAP, MMAP_SIZE, "length", "must be one page, or one page and 2^n")
REFUSAL(MMAP, MMAP_LENGTH, "length", "is out of range")
REFUSAL(MMAP, MMAP_OTHER_SIZE, "length", "differs from the length of the existing buffer")
REFUSAL(MMAP, MMAP_LIMIT, "length",
	"exceeds perf_event_mlock_kb and RLIMIT_MEMLOCK: needs CAP_IPC_LOCK")
REFUSAL(MMAP, MMAP_AUX_PLACE, "offset",
	"and length differ from aux_offset and aux_size of the user page")
REFUSAL(MMAP, MMAP_AUX_FIRST, "offset", "is not zero, but the records are not mapped yet")
REFUSAL(MMAP, MMAP_AUX_PMU, "fd", "is of an event whose PMU has no AUX area")

/* prctl(2) */
REFUSAL(PRCTL, EXPLAIN_SIZE, "size", "is out of range, or the last two arguments are not zero")

/* splice(2) */
REFUSAL(SPLICE, SPLICE_BACKWARD, "fd", "is of an event that writes backward")
REFUSAL(SPLICE, SPLICE_NO_BUFFER, "fd", "is of an event without a buffer")
REFUSAL(SPLICE, SPLICE_OVERWRITE, "fd",
	"has a buffer without records, or one that the kernel overwrites")
REFUSAL(SPLICE, SPLICE_TAIL, "data_tail", "is not where a record begins")
REFUSAL(SPLICE, SPLICE_ROOM, "len", "or the pipe is shorter than the next record")
REFUSAL(SPLICE, SPLICE_PIPE, "fd_out", "is a pipe without readers")
