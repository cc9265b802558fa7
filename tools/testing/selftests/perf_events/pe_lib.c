// SPDX-License-Identifier: GPL-2.0
/*
 * Common code of the perf_events selftests; see pe_lib.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/hw_breakpoint.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "pe_lib.h"

/**
 * pe_attr - attribute of a software event that starts enabled
 * @config: one of enum perf_sw_ids
 *
 * Return: the attribute
 */
struct perf_event_attr pe_attr(__u64 config)
{
	struct perf_event_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.type = PERF_TYPE_SOFTWARE;
	attr.size = sizeof(attr);
	attr.config = config;
	return attr;
}

/**
 * pe_attr_off - attribute of a software event that starts disabled
 * @config: one of enum perf_sw_ids
 *
 * Return: the attribute
 */
struct perf_event_attr pe_attr_off(__u64 config)
{
	struct perf_event_attr attr = pe_attr(config);

	attr.disabled = 1;
	return attr;
}

/**
 * pe_open - perf_event_open(2)
 * @attr: the attribute
 * @pid: target task
 * @cpu: target CPU
 * @group_fd: leader, or -1
 * @flags: PERF_FLAG_*
 *
 * Return: a file descriptor or -errno
 */
int pe_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
	    unsigned long flags)
{
	long fd = syscall(__NR_perf_event_open, attr, pid, cpu, group_fd, flags);

	return fd < 0 ? -errno : fd;
}

/**
 * pe_try - can an event be opened?
 * @attr: the attribute
 * @pid: target task
 * @cpu: target CPU
 * @group_fd: leader, or -1
 * @flags: PERF_FLAG_*
 *
 * Return: 0 or -errno
 */
int pe_try(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
	   unsigned long flags)
{
	int fd = pe_open(attr, pid, cpu, group_fd, flags);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

/**
 * pe_self - open an event on the caller, any CPU
 * @attr: the attribute
 *
 * Return: a file descriptor or -errno
 */
int pe_self(struct perf_event_attr *attr)
{
	return pe_open(attr, 0, -1, -1, 0);
}

/**
 * pe_ioctl - ioctl(2) on an event
 * @fd: the event
 * @cmd: PERF_EVENT_IOC_*
 * @arg: its argument
 *
 * Return: result of ioctl(2), or -errno
 */
int pe_ioctl(int fd, unsigned long cmd, unsigned long arg)
{
	int ret = ioctl(fd, cmd, arg);

	return ret < 0 ? -errno : ret;
}

/**
 * pe_count - read an event whose read_format is 0
 * @fd: the event
 *
 * Return: its count, or ~0 if the read does not return 8 bytes
 */
__u64 pe_count(int fd)
{
	__u64 value;

	if (read(fd, &value, sizeof(value)) != sizeof(value))
		return UINT64_MAX;
	return value;
}

/**
 * pe_id - the id of an event
 * @fd: the event
 *
 * Return: its id, or 0 on error
 */
__u64 pe_id(int fd)
{
	__u64 id = 0;

	if (ioctl(fd, PERF_EVENT_IOC_ID, &id))
		return 0;
	return id;
}

/* pe_fault() maps at most this at a time, so that a small machine has enough memory. */
#define FAULT_BYTES	(64UL << 20)

static void fault_some(unsigned int pages, size_t page)
{
	size_t len = pages * page, at;
	char *p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		abort();
	madvise(p, len, MADV_NOHUGEPAGE);
	for (at = 0; at < len; at += page)
		pe_touch(p + at);
	munmap(p, len);
}

/**
 * pe_fault - cause minor page faults
 * @pages: number of faults: one for each page of a new private mapping
 *
 * The first call of a process may cause a few more (code not yet mapped, copy on write): call it
 * once before a count that must be exact.
 */
void pe_fault(unsigned int pages)
{
	size_t page = sysconf(_SC_PAGESIZE);
	unsigned int most = FAULT_BYTES / page, nr;

	for (; pages; pages -= nr) {
		nr = pages < most ? pages : most;
		fault_some(nr, page);
	}
}

/**
 * pe_spin - use the CPU in user mode
 * @rounds: number of iterations
 */
void pe_spin(unsigned int rounds)
{
	unsigned int i;

	for (i = 0; i < rounds; i++)
		__asm__ __volatile__("" : "+r" (i));
}

/**
 * pe_sleep_ms - sleep
 * @ms: milliseconds
 */
void pe_sleep_ms(unsigned int ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000L };

	nanosleep(&ts, NULL);
}

/**
 * pe_die_with - kill this process when its parent exits
 * @parent: the parent's pid before the fork; the parent may already have exited
 */
void pe_die_with(pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
}

/**
 * pe_switch - be switched out and in
 *
 * A short sleep may end before the task is switched out.
 */
void pe_switch(void)
{
	struct rusage before, now;

	getrusage(RUSAGE_THREAD, &before);
	do {
		pe_sleep_ms(1);
		getrusage(RUSAGE_THREAD, &now);
	} while (now.ru_nvcsw == before.ru_nvcsw);
}

/**
 * pe_undisturbed - run with priority over ordinary tasks
 *
 * For tests whose task must not be preempted between two steps. Needs privilege; without it the
 * test runs with its old priority.
 */
void pe_undisturbed(void)
{
	struct sched_param param = { .sched_priority = 1 };

	sched_setscheduler(0, SCHED_FIFO, &param);
}

/**
 * pe_move_to - run on one CPU only
 * @cpu: that CPU
 *
 * Return: 0 or -errno
 */
int pe_move_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set) ? -errno : 0;
}

/**
 * pe_cpu_count - number of online CPUs
 *
 * Return: that number
 */
int pe_cpu_count(void)
{
	return sysconf(_SC_NPROCESSORS_ONLN);
}

/**
 * pe_no_breakpoint - is this the error of a missing debug register?
 * @err: error of perf_event_open(2) for a valid breakpoint, negative
 *
 * Return: true if the machine has no register of the type, or none that is free. With PE_HARD no
 * other program uses the registers, so a full machine is a failure; each x86 CPU has registers.
 */
bool pe_no_breakpoint(int err)
{
	if (err == -ENOSPC)
		return !getenv("PE_HARD");
#if defined(__x86_64__) || defined(__i386)
	return false;
#else
	/* ENODEV: a POWER9 whose watchpoint register is not usable */
	return err == -ENOENT || err == -EOPNOTSUPP || err == -ENODEV;
#endif
}

/**
 * pe_watch_user_only - can a watchpoint exclude the kernel?
 *
 * QEMU's powerpc compares accesses of user mode only with watchpoints that include the kernel.
 * Return: true if it can, or if there are no watchpoints
 */
bool pe_watch_user_only(void)
{
	static int known = -1;
	struct perf_event_attr attr = pe_attr(0);
	static char byte;
	int fd;

	if (known >= 0)
		return known;
	attr.type = PERF_TYPE_BREAKPOINT;
	attr.bp_type = HW_BREAKPOINT_W;
	attr.bp_addr = (unsigned long)&byte;
	attr.bp_len = HW_BREAKPOINT_LEN_1;
	attr.exclude_kernel = 1;
	fd = pe_self(&attr);
	if (fd < 0)
		return true;
	pe_touch(&byte);
	known = pe_count(fd) > 0;
	close(fd);
	return known;
}

/**
 * pe_compat - is this a 32-bit program on a 64-bit kernel?
 *
 * Return: true when it is one
 */
bool pe_compat(void)
{
	struct utsname name;

	return sizeof(long) == 4 && !uname(&name) && strstr(name.machine, "64");
}

/**
 * pe_kernel_long - size of a long in the kernel
 *
 * A code breakpoint must have this length, in 32-bit programs, too.
 * Return: bytes
 */
unsigned int pe_kernel_long(void)
{
	return pe_compat() ? 8 : sizeof(long);
}

/**
 * pe_kernel_address - an address in the kernel's part of the address space
 * @below: distance in bytes from the end of the address space
 *
 * Return: the address, which may be too large for a pointer of a 32-bit program
 */
__u64 pe_kernel_address(unsigned long below)
{
	return pe_kernel_long() == 8 ? -(__u64)below : -below;
}

/**
 * pe_get - read a file that holds one number
 * @path: the file
 *
 * Return: the number, or LONG_MIN on error
 */
long pe_get(const char *path)
{
	long value = (long)(1UL << (sizeof(long) * 8 - 1));
	FILE *f = fopen(path, "r");

	if (!f)
		return value;
	if (fscanf(f, "%ld", &value) != 1)
		value = (long)(1UL << (sizeof(long) * 8 - 1));
	fclose(f);
	return value;
}

/**
 * pe_set - write a number to a file
 * @path: the file
 * @value: the number
 *
 * Return: 0 or -errno
 */
int pe_set(const char *path, long long value)
{
	char text[32];
	int fd = open(path, O_WRONLY), len, ret = 0;

	if (fd < 0)
		return -errno;
	len = snprintf(text, sizeof(text), "%lld\n", value);
	if (write(fd, text, len) != len)
		ret = -errno;
	close(fd);
	return ret;
}

static int put_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY), ret = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

/**
 * pe_cgroup_root - root of the cgroup hierarchy that perf events use
 *
 * That is a hierarchy of the perf_event controller's own, or version 2.
 * Return: its path; "" if there is none
 */
const char *pe_cgroup_root(void)
{
	static char path[128];
	char line[512], dir[128], type[32], opts[256];
	FILE *f = fopen("/proc/mounts", "r");
	bool own = false;

	path[0] = 0;
	if (!f)
		return path;
	while (!own && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%*s %127s %31s %255s", dir, type, opts) != 3)
			continue;
		own = !strcmp(type, "cgroup") && strstr(opts, "perf_event");
		if (own || !strcmp(type, "cgroup2"))
			snprintf(path, sizeof(path), "%s", dir);
	}
	fclose(f);
	return path;
}

/**
 * pe_has_cgroups - does the kernel have events of cgroups?
 *
 * Return: true if it has them
 */
bool pe_has_cgroups(void)
{
	FILE *f = fopen("/proc/cgroups", "r");
	char line[128];
	bool has = false;

	while (f && !has && fgets(line, sizeof(line), f))
		has = !strncmp(line, "perf_event", strlen("perf_event"));
	if (f)
		fclose(f);
	return has;
}

/**
 * pe_cgroup_make - make a cgroup that events can use
 * @name: its name, below the root
 *
 * In version 2 a cgroup has a perf_event state of its own only after the root has enabled some
 * controller for its children.
 * Return: a file descriptor of its directory, or -errno
 */
int pe_cgroup_make(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/cgroup.subtree_control", pe_cgroup_root());
	put_text(path, "+pids");
	snprintf(path, sizeof(path), "%s/%s", pe_cgroup_root(), name);
	/* An aborted test may have left one. */
	if (!*pe_cgroup_root() || (mkdir(path, 0755) && errno != EEXIST))
		return -ENOENT;
	return open(path, O_RDONLY | O_DIRECTORY);
}

/**
 * pe_cgroup_id - the id of a cgroup
 * @dir: its directory
 *
 * st_ino is not used: it has only the lower half of the id if the kernel's long has 32 bits.
 * Return: its id, or 0 on error
 */
__u64 pe_cgroup_id(int dir)
{
	struct {
		struct file_handle head;
		__u64 id;
	} handle = { .head.handle_bytes = sizeof(handle.id) };
	int mount;

	if (name_to_handle_at(dir, "", &handle.head, &mount, AT_EMPTY_PATH))
		return 0;
	return handle.id;
}

/**
 * pe_cgroup_enter - move a process to a cgroup
 * @name: the cgroup; "" is the root
 * @pid: the process
 *
 * Return: 0 or -errno
 */
int pe_cgroup_enter(const char *name, pid_t pid)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s/cgroup.procs", pe_cgroup_root(), name);
	return pe_set(path, pid);
}

/**
 * pe_cgroup_remove - remove an empty cgroup
 * @name: the cgroup
 *
 * Return: 0 or -errno
 */
int pe_cgroup_remove(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", pe_cgroup_root(), name);
	return rmdir(path) ? -errno : 0;
}
