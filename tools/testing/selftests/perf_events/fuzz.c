// SPDX-License-Identifier: GPL-2.0
/*
 * Random calls of the whole perf events ABI, by several processes with several threads each. The
 * test asserts that the kernel reports no fault, that no process hangs, that events count exactly
 * afterwards, and that no event leaks. PE_FUZZ_SECONDS=n sets the duration, PE_FUZZ_SEED=n the
 * seed, and PE_FUZZ_SKIP=hotplug,exec the operations to leave out. A seed repeats all calls, except
 * for the order of threads.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/perf_event_ext.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

#include "../kselftest.h"
#include "pe_fuzz_buffer.h"
#include "pe_fuzz_ops.h"

#define WORKERS		3
#define THREADS		3
#define GRACE_MS	180000	/* time in ms for the next process to exit */
#define ENV		"PE_FUZZ_CHILD"
#define CPU1		"/sys/devices/system/cpu/cpu1/online"

static int fds[PE_FUZZ_FDS];
static struct pe_fuzz_machine machine;
static struct pe_fuzz_shared *shared;

/* Breakpoints are set on these words. */
static __u64 data[8];

static __attribute__((noipa)) void func(void)
{
	__asm__ __volatile__("nop");
}

static __u64 now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ULL + ts.tv_nsec / 1000000;
}

static pid_t target_pid(struct pe_fuzzer *f)
{
	switch (pe_below(&f->rng, 10)) {
	case 0:
		return -1;
	case 1:
		return f->shared->pids[pe_below(&f->rng, PE_FUZZ_PIDS)];
	case 3:
		return getpid();
	case 4:
		return pe_chance(&f->rng, 20) ? 1 : getppid();
	default:
		return 0;
	}
}

static void keep(struct pe_fuzzer *f, int fd)
{
	int old;

	if (fd < 0)
		return;
	old = __atomic_exchange_n(&f->fds[pe_below(&f->rng, PE_FUZZ_FDS)], fd, __ATOMIC_RELAXED);
	if (old >= 0)
		close(old);
}

static int do_open(struct pe_fuzzer *f)
{
	struct pe_rng *r = &f->rng;
	struct perf_event_attr attr;
	unsigned int kind = pe_fuzz_attr(&attr, r, f->machine);
	int cpu = pe_chance(r, 65) ? -1 : pe_below(r, 2), group = -1, fd;
	pid_t pid = target_pid(f);
	unsigned long flags = 0;

	if (pid == -1 && cpu == -1)
		cpu = pe_below(r, 2);
	if (pe_chance(r, 20))
		group = pe_fuzz_fd(f);
	if (f->plain && pe_chance(r, 90))
		attr.exclude_kernel = 1;
	if (pe_chance(r, 12))
		flags |= PERF_FLAG_FD_OUTPUT;
	if (pe_chance(r, 12))
		flags |= PERF_FLAG_FD_NO_GROUP;
	if (pe_chance(r, 30))
		flags |= PERF_FLAG_FD_CLOEXEC;
	if (pe_chance(r, 4)) {
		flags |= PERF_FLAG_PID_CGROUP;
		pid = PE_FD_CGROUP + pe_below(r, 2);
		cpu = pe_below(r, 2);
	}
	if (pe_chance(r, 1))
		cpu = pe_rnd(r);
	if (pe_chance(r, 1))
		flags = pe_rnd(r);
	if (pe_chance(r, 2))
		attr.size = 64 + 8 * pe_below(r, 12);
	fd = pe_open(&attr, pid, cpu, group, flags);
	__atomic_add_fetch(fd < 0 ? &f->shared->refused[kind] : &f->shared->opened[kind], 1,
			   __ATOMIC_RELAXED);
	keep(f, fd);
	return fd;
}

/* Open a whole group in one operation, so that there are many groups. */
static int do_open_group(struct pe_fuzzer *f)
{
	int n = 2 + pe_below(&f->rng, 3), leader = -1, i, fd = -1, cpu;
	struct perf_event_attr attr;
	pid_t pid = target_pid(f);

	cpu = pid == -1 ? pe_below(&f->rng, 2) : -1;
	for (i = 0; i < n; i++) {
		bool inherit = i && attr.inherit;

		pe_fuzz_attr(&attr, &f->rng, f->machine);
		if (f->plain)
			attr.exclude_kernel = 1;
		if (i) {
			attr.use_clockid = 0;
			attr.inherit = inherit;
			attr.pinned = 0;
			attr.exclusive = 0;
		}
		fd = pe_open(&attr, pid, cpu, leader, 0);
		if (!i)
			leader = fd;
		if (leader < 0)
			return -1;
		if (fd != leader)
			keep(f, fd);
	}
	keep(f, leader);
	return fd;
}

static int do_close(struct pe_fuzzer *f)
{
	int *slot = &f->fds[pe_below(&f->rng, PE_FUZZ_FDS)];
	int fd = __atomic_exchange_n(slot, -1, __ATOMIC_RELAXED);

	return fd < 0 ? -1 : close(fd);
}

static const char * const filters[] = {
	"common_pid > 0", "common_pid == 0 || common_pid > 5", "nothing == 1", "common_pid >", "",
	"filter 0x0/0x100000@/proc/self/exe", "start 0x400000@/bin/busybox",
	"stop 0x401000@/bin/busybox,filter 0x0/0x1000@/bin/busybox", "filter 0x400000/0x1000",
	"start 0xffffffff81000000", "filter 0x0/0x1@/no/file", "filter", "start @/bin/busybox",
};

static int do_ioctl(struct pe_fuzzer *f)
{
	static const unsigned long cmds[] = {
		PERF_EVENT_IOC_ENABLE, PERF_EVENT_IOC_DISABLE, PERF_EVENT_IOC_RESET,
		PERF_EVENT_IOC_ENABLE, PERF_EVENT_IOC_DISABLE, PERF_EVENT_IOC_REFRESH,
		PERF_EVENT_IOC_PERIOD, PERF_EVENT_IOC_SET_OUTPUT, PERF_EVENT_IOC_SET_OUTPUT,
		PERF_EVENT_IOC_SET_FILTER, PERF_EVENT_IOC_ID, PERF_EVENT_IOC_SET_BPF,
		PERF_EVENT_IOC_PAUSE_OUTPUT, PERF_EVENT_IOC_QUERY_BPF,
		PERF_EVENT_IOC_MODIFY_ATTRIBUTES, PERF_EVENT_IOC_STATE,
	};
	static const int refresh[] = { 1, 2, 10, 0, -1, INT_MAX };
	static const __u64 periods[] = { 1, 10, 1000, 1ULL << 40, 0, ~0ULL };
	struct {
		struct perf_event_query_bpf head;
		__u32 ids[8];
	} query = { .head.ids_len = pe_below(&f->rng, 9) };
	unsigned long cmd = cmds[pe_below(&f->rng, PE_ARRAY_SIZE(cmds))];
	struct perf_event_state_info info;
	struct perf_event_attr attr;
	unsigned long arg = pe_below(&f->rng, 2);
	__u64 value;

	switch (cmd) {
	case PERF_EVENT_IOC_REFRESH:
		arg = refresh[pe_below(&f->rng, PE_ARRAY_SIZE(refresh))];
		break;
	case PERF_EVENT_IOC_STATE:
		memset(&info, 0, sizeof(info));
		info.size = pe_below(&f->rng, sizeof(info) + 1);
		if (pe_chance(&f->rng, 25))
			info.tid = pe_chance(&f->rng, 50) ? getpid() : (int)pe_below(&f->rng, 300);
		arg = (unsigned long)&info;
		break;
	case PERF_EVENT_IOC_PERIOD:
		value = periods[pe_below(&f->rng, PE_ARRAY_SIZE(periods))];
		arg = (unsigned long)&value;
		break;
	case PERF_EVENT_IOC_SET_OUTPUT:
		arg = pe_chance(&f->rng, 25) ? -1 : pe_fuzz_fd(f);
		break;
	case PERF_EVENT_IOC_SET_FILTER:
		arg = (unsigned long)filters[pe_below(&f->rng, PE_ARRAY_SIZE(filters))];
		break;
	case PERF_EVENT_IOC_ID:
		arg = (unsigned long)&value;
		break;
	case PERF_EVENT_IOC_SET_BPF:
		arg = PE_FD_PROG + pe_below(&f->rng, PE_FUZZ_PROGS);
		break;
	case PERF_EVENT_IOC_QUERY_BPF:
		arg = (unsigned long)&query;
		break;
	case PERF_EVENT_IOC_MODIFY_ATTRIBUTES:
		do
			pe_fuzz_attr(&attr, &f->rng, f->machine);
		while (attr.type != PERF_TYPE_BREAKPOINT && pe_chance(&f->rng, 95));
		arg = (unsigned long)&attr;
		break;
	}
	if (pe_chance(&f->rng, 1))
		arg = pe_rnd(&f->rng);
	return ioctl(pe_fuzz_fd(f), cmd, arg);
}

static int do_read(struct pe_fuzzer *f)
{
	static const unsigned int sizes[] = { 8, 16, 24, 32, 40, 256, 4096, 0, 4 };
	unsigned int size = sizes[pe_below(&f->rng, PE_ARRAY_SIZE(sizes))];
	struct iovec parts[2];
	char buf[4096];

	if (pe_chance(&f->rng, 2))
		return syscall(__NR_read, pe_fuzz_fd(f), 8UL, 64UL);
	if (pe_chance(&f->rng, 3)) {
		parts[0] = (struct iovec) { buf, 8 };
		parts[1] = (struct iovec) { buf + 8, size };
		return readv(pe_fuzz_fd(f), parts, 2);
	}
	return read(pe_fuzz_fd(f), buf, size);
}

/* Other calls of files */

static int do_poll(struct pe_fuzzer *f)
{
	struct pollfd p[2] = {
		{ .fd = pe_fuzz_fd(f), .events = POLLIN },
		{ .fd = pe_fuzz_fd(f), .events = POLLIN | POLLHUP },
	};

	return poll(p, 2, pe_chance(&f->rng, 10) ? 2 : 0);
}

static int do_fcntl(struct pe_fuzzer *f)
{
	int fd = pe_fuzz_fd(f);

	switch (pe_below(&f->rng, 4)) {
	case 0:
		return fcntl(fd, F_SETOWN, pe_chance(&f->rng, 80) ? getpid() : -getpgrp());
	case 1:
		return fcntl(fd, F_SETSIG, pe_chance(&f->rng, 50) ? SIGIO : SIGUSR1);
	case 2:
		return fcntl(fd, F_SETFL, pe_chance(&f->rng, 70) ? O_ASYNC : O_NONBLOCK);
	}
	fd = dup(fd);
	keep(f, fd);
	return fd;
}

static int do_prctl(struct pe_fuzzer *f)
{
	return prctl(pe_chance(&f->rng, 60) ? PR_TASK_PERF_EVENTS_ENABLE :
		     PR_TASK_PERF_EVENTS_DISABLE, 0, 0, 0, 0);
}

static int do_bpf(struct pe_fuzzer *f)
{
	unsigned int key = pe_below(&f->rng, 4), prog = pe_below(&f->rng, PE_FUZZ_PROGS);
	int fd = pe_fuzz_fd(f);
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	if (pe_chance(&f->rng, 40)) {
		fd = pe_bpf_link(PE_FD_PROG + prog, fd, 1);
		keep(f, fd);
		return fd;
	}
	attr.map_fd = PE_FD_ARRAY;
	attr.key = (unsigned long)&key;
	attr.value = (unsigned long)&fd;
	return pe_sys_bpf(pe_chance(&f->rng, 70) ? BPF_MAP_UPDATE_ELEM : BPF_MAP_DELETE_ELEM,
			  &attr);
}

/* Work to count */

static int do_load(struct pe_fuzzer *f)
{
	unsigned int n = 1 + pe_below(&f->rng, 20), i;

	switch (pe_below(&f->rng, 7)) {
	case 0:
		pe_fault(n);
		return 0;
	case 1:
		for (i = 0; i < n; i++)
			syscall(__NR_getppid);
		return 0;
	case 2:
		for (i = 0; i < n; i++) {
			pe_touch((char *)&data[i & 7]);
			func();
		}
		return 0;
	case 3:
		return sched_yield();
	case 4:
		pe_spin(n * 1000);
		return 0;
	case 5:
		return pe_set(PE_SIM_TRACE "trace", n * 100);
	default:
		return pe_sim_advance(n * n);
	}
}

static int do_move(struct pe_fuzzer *f)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(pe_below(&f->rng, 2), &set);
	if (pe_chance(&f->rng, 50)) {
		CPU_SET(0, &set);
		CPU_SET(1, &set);
	}
	return sched_setaffinity(0, sizeof(set), &set);
}

static int do_sleep(struct pe_fuzzer *f)
{
	pe_sleep_ms(pe_below(&f->rng, 3));
	return 0;
}

static void more(struct pe_fuzzer *f, unsigned int ops);

static int do_fork(struct pe_fuzzer *f)
{
	unsigned int ops = pe_below(&f->rng, 60);
	pid_t me = getpid(), pid;

	if (f->depth > 3)
		return -1;
	pid = fork();
	if (!pid) {
		pe_die_with(me);
		/* The buffers belong to the parent only. */
		memset(f->maps, 0, sizeof(f->maps));
		f->rng.state ^= getpid();
		f->depth++;
		more(f, ops);
		_exit(0);
	}
	f->shared->pids[pe_below(&f->rng, PE_FUZZ_PIDS)] = pid;
	if (pid > 0 && pe_chance(&f->rng, 50))
		waitpid(pid, NULL, pe_chance(&f->rng, 50) ? WNOHANG : 0);
	return pid;
}

static void *short_thread(void *arg)
{
	pe_fault((unsigned long)arg);
	return NULL;
}

static int do_thread(struct pe_fuzzer *f)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, short_thread, (void *)(long)pe_below(&f->rng, 5)))
		return -1;
	return pthread_join(thread, NULL);
}

static int do_exec(struct pe_fuzzer *f)
{
	char text[64];

	if (f->depth > 6)
		return -1;
	snprintf(text, sizeof(text), "%llu:%u", (unsigned long long)pe_rnd(&f->rng),
		 f->depth + 1);
	setenv(ENV, text, 1);
	return execl("/proc/self/exe", "fuzz", NULL);
}

static int do_kill(struct pe_fuzzer *f)
{
	pid_t pid = f->shared->pids[pe_below(&f->rng, PE_FUZZ_PIDS)];

	return pid > 1 ? kill(pid, pe_chance(&f->rng, 30) ? SIGKILL : SIGUSR1) : -1;
}

static int do_unprivileged(struct pe_fuzzer *f)
{
	/* Only this thread gives up its privileges; the others continue as root. */
	f->plain = true;
	return pe_become(PE_UID, pe_chance(&f->rng, 30) ? PE_CAP(CAP_PERFMON) : 0);
}

static int do_sysctl(struct pe_fuzzer *f)
{
	static const struct {
		const char *name;
		long values[2];
	} ctl[] = {
		{ PE_PARANOID, { 2, -1 } },
		{ PE_SYSCTL "perf_event_mlock_kb", { 516, 64 } },
		{ PE_SYSCTL "perf_event_max_sample_rate", { 5000, 1000 } },
		{ PE_SYSCTL "perf_event_max_stack", { 127, 20 } },
		{ PE_SYSCTL "perf_cpu_time_max_percent", { 25, 50 } },
		{ PE_SIM "perf_event_mux_interval_ms", { 4, 1 } },
	};
	unsigned int i = pe_below(&f->rng, PE_ARRAY_SIZE(ctl));

	return pe_set(ctl[i].name, ctl[i].values[pe_below(&f->rng, 2)]);
}

static int do_cgroup(struct pe_fuzzer *f)
{
	return pe_cgroup_enter(pe_chance(&f->rng, 50) ? "fuzz0" : "fuzz1", getpid());
}

static int do_hotplug(struct pe_fuzzer *f)
{
	pid_t none = 0;
	int ret;

	if (!__atomic_compare_exchange_n(&f->shared->hotplug, &none, syscall(__NR_gettid), false,
					 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return -1;
	ret = pe_set(CPU1, 0);
	pe_sleep_ms(pe_below(&f->rng, 3));
	pe_set(CPU1, 1);
	__atomic_store_n(&f->shared->hotplug, 0, __ATOMIC_RELEASE);
	return ret;
}

/* Online the CPU again if the thread that has offlined it was killed. A zombie keeps its id. */
static void finish_hotplug(void)
{
	pid_t tid = __atomic_load_n(&shared->hotplug, __ATOMIC_ACQUIRE);

	if (!tid || (!kill(tid, 0) && pe_task_state(tid) != 'Z') ||
	    !__atomic_compare_exchange_n(&shared->hotplug, &tid, getpid(), false, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED))
		return;
	pe_set(CPU1, 1);
	__atomic_store_n(&shared->hotplug, 0, __ATOMIC_RELEASE);
}

static const struct pe_fuzz_op ops[PE_FUZZ_OPS] = {
	{ "open", 300, do_open }, { "open_group", 60, do_open_group }, { "close", 110, do_close },
	{ "ioctl", 250, do_ioctl }, { "read", 100, do_read }, { "mmap", 100, do_mmap },
	{ "munmap", 40, do_munmap }, { "remap", 12, do_remap }, { "drain", 50, do_drain },
	{ "poll", 15, do_poll }, { "fcntl", 12, do_fcntl }, { "prctl", 15, do_prctl },
	{ "bpf", 12, do_bpf }, { "load", 250, do_load }, { "move", 25, do_move },
	{ "sleep", 10, do_sleep }, { "fork", 12, do_fork }, { "thread", 10, do_thread },
	{ "exec", 2, do_exec }, { "kill", 3, do_kill }, { "setuid", 1, do_unprivileged },
	{ "sysctl", 3, do_sysctl }, { "cgroup", 4, do_cgroup }, { "hotplug", 2, do_hotplug },
};

static void more(struct pe_fuzzer *f, unsigned int n)
{
	const char *skip = getenv("PE_FUZZ_SKIP") ?: "";
	unsigned int total = 0, i, at;

	for (i = 0; i < PE_FUZZ_OPS; i++)
		total += ops[i].weight;
	while (n-- && now_ms() < f->shared->deadline) {
		at = pe_below(&f->rng, total);
		for (i = 0; at >= ops[i].weight; i++)
			at -= ops[i].weight;
		if (strstr(skip, ops[i].name))
			continue;
		__atomic_add_fetch(&f->shared->calls[i], 1, __ATOMIC_RELAXED);
		if (ops[i].run(f) >= 0)
			__atomic_add_fetch(&f->shared->kept[i], 1, __ATOMIC_RELAXED);
	}
}

static void *fuzz_thread(void *arg)
{
	struct pe_fuzzer *f = arg;
	int i;

	more(f, f->left);
	for (i = 0; i < PE_FUZZ_MAPS; i++)
		unmap(&f->maps[i]);
	return NULL;
}

static void on_signal(int sig)
{
}

static void take_signals(void)
{
	static const int sigs[] = { SIGTRAP, SIGIO, SIGUSR1, SIGPIPE };
	unsigned int i;

	/* With SA_RESTART no caller has to handle EINTR. */
	for (i = 0; i < PE_ARRAY_SIZE(sigs); i++) {
		struct sigaction act = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

		sigaction(sigs[i], &act, NULL);
	}
}

/* A process of several threads; does not return. */
static void work(__u64 seed, unsigned int depth)
{
	static struct pe_fuzzer fuzzers[THREADS];
	pthread_t threads[THREADS];
	struct pe_rng r = { seed };
	int i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	take_signals();
	machine.data = data;
	machine.func = func;
	pe_fuzz_look(&machine);
	for (i = 0; i < THREADS; i++) {
		fuzzers[i] = (struct pe_fuzzer) {
			.rng = { pe_rnd(&r) }, .machine = &machine, .shared = shared, .fds = fds,
			.depth = depth, .left = 100 + pe_below(&r, 3000),
		};
		if (i && pthread_create(&threads[i], NULL, fuzz_thread, &fuzzers[i]))
			_exit(1);
	}
	fuzz_thread(&fuzzers[0]);
	for (i = 1; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	_exit(0);
}

static void map_shared(void)
{
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, PE_FD_SHARED, 0);
	if (shared == MAP_FAILED)
		_exit(1);
}

/*
 * Runs after do_exec(): files that were not close-on-exec are used by the new
 * program.
 */
static __attribute__((constructor)) void exec_target(void)
{
	const char *text = getenv(ENV);
	unsigned long long seed;
	unsigned int depth;
	int i;

	if (!text || sscanf(text, "%llu:%u", &seed, &depth) != 2)
		return;
	map_shared();
	/* An exec gives the caller the id of the first thread, which was maybe in do_hotplug(). */
	if (__atomic_load_n(&shared->hotplug, __ATOMIC_ACQUIRE) == getpid()) {
		pe_set(CPU1, 1);
		__atomic_store_n(&shared->hotplug, 0, __ATOMIC_RELEASE);
	}
	for (i = 0; i < PE_FUZZ_FDS; i++)
		fds[i] = fcntl(i + 3, F_GETFD) < 0 ? -1 : i + 3;
	work(seed, depth);
}

static void put_fd(int fd, int at)
{
	if (fd < 0)
		return;
	dup2(fd, at);
	close(fd);
}

/* A program that writes a record to the event of its CPU. */
static int load_output(int array)
{
	struct bpf_insn insns[] = {
		PE_INSN(BPF_ST | BPF_MEM | BPF_DW, 10, 0, -8, 0x5a),
		PE_INSN(BPF_LD | BPF_DW | BPF_IMM, 2, BPF_PSEUDO_MAP_FD, 0, array),
		PE_INSN(0, 0, 0, 0, 0),
		PE_INSN(BPF_ALU64 | BPF_MOV | BPF_K, 3, 0, 0, 0),
		PE_INSN(BPF_ALU64 | BPF_MOV | BPF_X, 4, 10, 0, 0),
		PE_INSN(BPF_ALU64 | BPF_ADD | BPF_K, 4, 0, 0, -8),
		PE_INSN(BPF_ALU64 | BPF_MOV | BPF_K, 5, 0, 0, 8),
		PE_INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_perf_event_output),
		PE_INSN(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 1),
		PE_INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_TRACEPOINT;
	attr.insns = (unsigned long)insns;
	attr.insn_cnt = PE_ARRAY_SIZE(insns);
	attr.license = (unsigned long)"GPL";
	return pe_sys_bpf(BPF_PROG_LOAD, &attr);
}

static void prepare(void)
{
	int counter = pe_bpf_counter();
	union bpf_attr attr;

	put_fd(memfd_create("fuzz", 0), PE_FD_SHARED);
	if (ftruncate(PE_FD_SHARED, sizeof(*shared)))
		ksft_exit_fail_msg("no memory to share\n");
	map_shared();
	put_fd(pe_cgroup_make("fuzz0"), PE_FD_CGROUP);
	put_fd(pe_cgroup_make("fuzz1"), PE_FD_CGROUP2);
	memset(&attr, 0, sizeof(attr));
	attr.map_type = BPF_MAP_TYPE_PERF_EVENT_ARRAY;
	attr.key_size = 4;
	attr.value_size = 4;
	attr.max_entries = 4;
	put_fd(pe_sys_bpf(BPF_MAP_CREATE, &attr), PE_FD_ARRAY);
	put_fd(pe_bpf_load(BPF_PROG_TYPE_PERF_EVENT, counter, 1), PE_FD_PROG);
	put_fd(pe_bpf_load(BPF_PROG_TYPE_TRACEPOINT, counter, 1), PE_FD_PROG + 1);
	put_fd(pe_bpf_load(BPF_PROG_TYPE_KPROBE, counter, 1), PE_FD_PROG + 2);
	put_fd(load_output(PE_FD_ARRAY), PE_FD_PROG + 3);
	close(counter);
	memset(fds, -1, sizeof(fds));
}

/*
 * Run the processes. Return: whether all have exited. Otherwise a process hangs. If an event sends
 * a signal for each system call, the return from a signal handler causes the next signal. This is
 * no fault of the kernel if the process can be killed. Each process is in the process group of its
 * worker. A change of credentials clears PR_SET_PDEATHSIG, so a process may outlive its worker.
 */
static bool run(__u64 seed, unsigned int seconds)
{
	pid_t workers[WORKERS] = { }, pid;
	struct pe_rng r = { seed };
	bool killed = false;
	__u64 last;
	int i;

	last = now_ms() + seconds * 1000ULL;
	shared->deadline = last;
	/* Adopt processes that lose their parent. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	take_signals();
	/*
	 * Workers open events on this process, too. If such an event sends a signal for each system
	 * call, the return from a handler causes the next signal, and this process kills no worker.
	 */
	signal(SIGTRAP, SIG_IGN);
	/* On a slow machine each may take long to exit, but they exit one after the other. */
	while (now_ms() < last + GRACE_MS) {
		bool over = now_ms() >= shared->deadline;

		if (!killed && now_ms() >= last + GRACE_MS / 2) {
			killed = true;
			ksft_print_msg("no process has exited for %d s: kill all\n",
				       GRACE_MS / 2000);
			pe_show_tasks();
			for (i = 0; i < WORKERS; i++)
				if (workers[i])
					kill(-workers[i], SIGKILL);
		}
		for (i = 0; !over && i < WORKERS; i++) {
			__u64 its = pe_rnd(&r);

			if (workers[i])
				continue;
			workers[i] = fork();
			if (!workers[i]) {
				setpgid(0, 0);
				work(its, 0);
			}
			if (workers[i] < 0)
				workers[i] = 0;
			shared->pids[i] = workers[i];
		}
		finish_hotplug();
		pid = waitpid(-1, NULL, WNOHANG);
		if (pid < 0 && over)
			return true;
		if (pid <= 0)
			pe_sleep_ms(5);
		else if (over)
			last = now_ms();
		for (i = 0; i < WORKERS; i++) {
			if (pid <= 0 || workers[i] != pid)
				continue;
			workers[i] = 0;
			kill(-pid, SIGKILL);
		}
	}
	return false;
}

static void show(void)
{
	__u64 total = 0;
	int i;

	for (i = 0; i < PE_FUZZ_OPS && ops[i].name; i++) {
		ksft_print_msg("%-10s %8llu calls, %8llu did something\n", ops[i].name,
			       (unsigned long long)shared->calls[i],
			       (unsigned long long)shared->kept[i]);
		total += shared->calls[i];
	}
	for (i = 0; i < PE_ARRAY_SIZE(pe_fuzz_kinds); i++)
		ksft_print_msg("%-10s %8llu opened, %8llu refused\n", pe_fuzz_kinds[i].name,
			       (unsigned long long)shared->opened[i],
			       (unsigned long long)shared->refused[i]);
	ksft_print_msg("%llu calls\n", (unsigned long long)total);
}

static bool faults_exactly(void)
{
	struct perf_event_attr faults = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	__u64 count;
	int fd;

	faults.exclude_kernel = 1;
	pe_fault(2);
	fd = pe_self(&faults);
	pe_fault(100);
	count = pe_count(fd);
	close(fd);
	if (count != 100)
		ksft_print_msg("event %d: %llu of 100 faults\n", fd, (unsigned long long)count);
	return count == 100;
}

/*
 * Count steps by a group. A work item frees the events that were in the BPF map, after a grace
 * period. Until then such an event of a CPU or of this process may occupy the counters: try again
 * if the group did not always run.
 */
static bool steps_exactly(void)
{
	struct perf_event_attr steps = pe_sim_attr();
	__u64 end = now_ms() + GRACE_MS, v[5];
	int fd, member, retries;
	bool ok;

	steps.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			    PERF_FORMAT_TOTAL_TIME_RUNNING;
	for (retries = 0; ; retries++) {
		memset(v, 0, sizeof(v));
		fd = pe_self(&steps);
		member = pe_open(&steps, 0, -1, fd, 0);
		pe_sim_advance(77);
		ok = read(fd, v, sizeof(v)) == sizeof(v) && v[3] == 77 && v[4] == 77;
		close(member);
		close(fd);
		if (ok) {
			if (retries)
				ksft_print_msg("the group always ran after %d retries\n", retries);
			return true;
		}
		if (v[1] == v[2] || now_ms() >= end)
			break;
		pe_sleep_ms(10);
	}
	ksft_print_msg("events %d, %d: %llu and %llu of 77 steps, enabled %llu ns, ran %llu ns\n",
		       fd, member, (unsigned long long)v[3], (unsigned long long)v[4],
		       (unsigned long long)v[1], (unsigned long long)v[2]);
	return false;
}

static bool counts_exactly(void)
{
	return faults_exactly() && (pe_sim_type() < 0 || steps_exactly());
}

static long env(const char *name, long value)
{
	const char *text = getenv(name);

	return text ? strtol(text, NULL, 0) : value;
}

int main(void)
{
	long seconds = env("PE_FUZZ_SECONDS", 20), seed = env("PE_FUZZ_SEED", now_ms() % 1000000);
	long paranoid = pe_get(PE_PARANOID), rate, stack, mlock, share, taint, now;
	bool ended;
	int fd;

	ksft_print_header();
	/* Runs only with PE_FUZZ_SECONDS, because each run uses a new seed. */
	if (!getenv("PE_FUZZ_SECONDS"))
		ksft_exit_skip("PE_FUZZ_SECONDS is not set\n");
	ksft_set_plan(3);
	ksft_print_msg("PE_FUZZ_SEED=%ld PE_FUZZ_SECONDS=%ld\n", seed, seconds);
	rate = pe_get(PE_SYSCTL "perf_event_max_sample_rate");
	stack = pe_get(PE_SYSCTL "perf_event_max_stack");
	mlock = pe_get(PE_SYSCTL "perf_event_mlock_kb");
	share = pe_get(PE_SYSCTL "perf_cpu_time_max_percent");
	taint = pe_get("/proc/sys/kernel/tainted");
	/* Emulated samples are slow: leave time for other work. */
	pe_set(PE_SYSCTL "perf_cpu_time_max_percent", 25);
	pe_set(PE_SYSCTL "perf_event_max_sample_rate", 2000);
	/* An operation must not make the output of the program that runs this test non-blocking. */
	for (fd = 3; fd < PE_FD_SHARED; fd++)
		close(fd);
	prepare();

	ended = run(seed, seconds);
	ksft_test_result(ended, "all processes exit\n");
	if (!ended)
		pe_show_tasks();
	show();
	pe_set(CPU1, 1);
	pe_set(PE_PARANOID, paranoid);
	/* The rate can only be set while perf_cpu_time_max_percent is a limit. */
	pe_set(PE_SYSCTL "perf_cpu_time_max_percent", 99);
	pe_set(PE_SYSCTL "perf_event_max_sample_rate", rate);
	pe_set(PE_SYSCTL "perf_cpu_time_max_percent", share);
	pe_set(PE_SYSCTL "perf_event_max_stack", stack);
	pe_set(PE_SYSCTL "perf_event_mlock_kb", mlock);
	close(PE_FD_ARRAY);
	pe_cgroup_remove("fuzz0");
	pe_cgroup_remove("fuzz1");
	ksft_test_result(counts_exactly(), "events count exactly afterwards\n");
	now = pe_get("/proc/sys/kernel/tainted");
	if (now != taint)
		ksft_print_msg("kernel.tainted: %#lx before, %#lx now\n", taint, now);
	ksft_test_result(now == taint, "no complaint\n");
	ksft_finished();
}
