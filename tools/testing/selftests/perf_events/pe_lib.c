// SPDX-License-Identifier: GPL-2.0
/*
 * Common code of the perf_events selftests; see pe_lib.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "pe_lib.h"

#define PE_CHILD_ENV	"PE_CHILD"

/**
 * struct pe_cmd - what travels to a child
 * @what: one of enum pe_order
 * @arg: its argument
 */
struct pe_cmd {
	unsigned long what;
	unsigned long arg;
};

/**
 * pe_attr - attributes of a software event that counts at once
 * @config: one of enum perf_sw_ids
 *
 * Return: the attributes
 */
struct perf_event_attr pe_attr(uint64_t config)
{
	struct perf_event_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.type = PERF_TYPE_SOFTWARE;
	attr.size = sizeof(attr);
	attr.config = config;
	return attr;
}

/**
 * pe_attr_off - attributes of a software event that starts disabled
 * @config: one of enum perf_sw_ids
 *
 * Return: the attributes
 */
struct perf_event_attr pe_attr_off(uint64_t config)
{
	struct perf_event_attr attr = pe_attr(config);

	attr.disabled = 1;
	return attr;
}

/**
 * pe_open - perf_event_open(2)
 * @attr: what to count
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
 * pe_try - see whether an event can be opened
 * @attr: what to count
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
 * @attr: what to count
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
 * Return: what ioctl returned, or -errno
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
 * Return: its count, or ~0 when the read does not give 8 bytes
 */
uint64_t pe_count(int fd)
{
	uint64_t value;

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
uint64_t pe_id(int fd)
{
	uint64_t id = 0;

	if (ioctl(fd, PERF_EVENT_IOC_ID, &id))
		return 0;
	return id;
}

/**
 * pe_fault - cause minor page faults
 * @pages: how many: one for each page of a new private mapping
 *
 * The first call of a process may cause a few more (code not yet mapped,
 * copy on write): call it once before a count that must be exact.
 */
void pe_fault(unsigned int pages)
{
	size_t page = sysconf(_SC_PAGESIZE), len = pages * page, at;
	volatile char *p;

	if (!pages)
		return;
	p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		abort();
	madvise((void *)p, len, MADV_NOHUGEPAGE);
	for (at = 0; at < len; at += page)
		p[at] = 1;
	munmap((void *)p, len);
}

/**
 * pe_spin - use the CPU in user mode
 * @rounds: how often to go round a loop
 */
void pe_spin(unsigned int rounds)
{
	volatile unsigned int i;

	for (i = 0; i < rounds; i++)
		;
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
 * pe_cpu_count - number of CPUs that are online
 *
 * Return: that number
 */
int pe_cpu_count(void)
{
	return sysconf(_SC_NPROCESSORS_ONLN);
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
int pe_set(const char *path, long value)
{
	char text[32];
	int fd = open(path, O_WRONLY), len, ret = 0;

	if (fd < 0)
		return -errno;
	len = snprintf(text, sizeof(text), "%ld\n", value);
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
 * pe_cgroup_root - where the control groups are that perf events know
 *
 * That is a hierarchy of the perf_event controller's own, or version 2.
 *
 * Return: the path of its root; "" if there is none
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
			strcpy(path, dir);
	}
	fclose(f);
	return path;
}

/**
 * pe_cgroup_make - make a control group whose tasks can be measured
 * @name: its name, below the root
 *
 * In version 2 the kernel gives the group what perf events need only once some
 * controller has been handed down from the root.
 *
 * Return: a file descriptor of its directory, or -errno
 */
int pe_cgroup_make(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/cgroup.subtree_control", pe_cgroup_root());
	put_text(path, "+pids");
	snprintf(path, sizeof(path), "%s/%s", pe_cgroup_root(), name);
	if (!*pe_cgroup_root() || mkdir(path, 0755))
		return -ENOENT;
	return open(path, O_RDONLY | O_DIRECTORY);
}

/**
 * pe_cgroup_enter - move a process to a control group
 * @name: the group; "" is the root
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
 * pe_cgroup_remove - remove an empty control group
 * @name: the group
 *
 * Return: 0 or -errno
 */
int pe_cgroup_remove(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", pe_cgroup_root(), name);
	return rmdir(path) ? -errno : 0;
}

static void *fault_thread(void *arg)
{
	pe_fault((unsigned long)arg);
	return NULL;
}

static int fork_fault(unsigned int pages, int deep)
{
	pid_t pid = fork();
	int status;

	if (pid < 0)
		return -errno;
	if (!pid) {
		if (deep)
			_exit(fork_fault(pages, deep - 1) ? 1 : 0);
		pe_fault(pages);
		_exit(0);
	}
	if (waitpid(pid, &status, 0) != pid)
		return -errno;
	return status;
}

static int thread_fault(unsigned long pages)
{
	pthread_t thread;
	int ret = pthread_create(&thread, NULL, fault_thread, (void *)pages);

	if (ret)
		return -ret;
	pthread_join(thread, NULL);
	return 0;
}

static int exec_self(int in, int out)
{
	char text[32];

	snprintf(text, sizeof(text), "%d:%d", in, out);
	setenv(PE_CHILD_ENV, text, 1);
	execl("/proc/self/exe", "child", NULL);
	return -errno;
}

static int child_work(const struct pe_cmd *cmd, int in, int out)
{
	struct perf_event_attr attr = pe_attr(cmd->arg);

	switch (cmd->what) {
	case PE_FAULT:
		pe_fault(cmd->arg);
		return 0;
	case PE_SPIN:
		pe_spin(cmd->arg);
		return 0;
	case PE_MOVE:
		return pe_move_to(cmd->arg);
	case PE_FORK_FAULT:
		return fork_fault(cmd->arg, 0);
	case PE_GRAND_FAULT:
		return fork_fault(cmd->arg, 1);
	case PE_THREAD_FAULT:
		return thread_fault(cmd->arg);
	case PE_PRCTL_OFF:
		return prctl(PR_TASK_PERF_EVENTS_DISABLE, 0, 0, 0, 0) ? -errno : 0;
	case PE_PRCTL_ON:
		return prctl(PR_TASK_PERF_EVENTS_ENABLE, 0, 0, 0, 0) ? -errno : 0;
	case PE_OPEN:
		return pe_self(&attr);
	case PE_DUMPABLE:
		return prctl(PR_SET_DUMPABLE, cmd->arg, 0, 0, 0) ? -errno : 0;
	case PE_SETUID:
		return pe_become(cmd->arg, 0);
	case PE_EXEC:
		return exec_self(in, out);
	case PE_EXIT:
		_exit(cmd->arg);
	}
	return -EINVAL;
}

static void child_loop(int in, int out)
{
	struct pe_cmd cmd;
	int ret;

	while (read(in, &cmd, sizeof(cmd)) == sizeof(cmd)) {
		ret = child_work(&cmd, in, out);
		if (write(out, &ret, sizeof(ret)) != sizeof(ret))
			break;
	}
	_exit(0);
}

/* A program that PE_EXEC started goes on as the child that it was. */
static __attribute__((constructor)) void exec_target(void)
{
	const char *text = getenv(PE_CHILD_ENV);
	int in, out, ret = 0;

	if (!text || sscanf(text, "%d:%d", &in, &out) != 2)
		return;
	unsetenv(PE_CHILD_ENV);
	if (write(out, &ret, sizeof(ret)) == sizeof(ret))
		child_loop(in, out);
	_exit(1);
}

/**
 * pe_child_start - start a child that works on command
 * @c: the child
 *
 * The child has already done each kind of work that must count exactly later.
 *
 * Return: 0 or -errno
 */
int pe_child_start(struct pe_child *c)
{
	int to[2], from[2];

	signal(SIGPIPE, SIG_IGN);
	if (pipe(to) || pipe(from))
		return -errno;
	c->pid = fork();
	if (c->pid < 0)
		return -errno;
	if (!c->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(to[1]);
		close(from[0]);
		child_loop(to[0], from[1]);
	}
	close(to[0]);
	close(from[1]);
	c->to = to[1];
	c->from = from[0];
	pe_child_do(c, PE_FAULT, 2);
	return pe_child_do(c, PE_FAULT, 2);
}

/**
 * pe_child_send - give a child an order
 * @c: the child
 * @what: the order
 * @arg: its argument
 *
 * Return: 0 or -errno
 */
int pe_child_send(struct pe_child *c, enum pe_order what, unsigned long arg)
{
	struct pe_cmd cmd = { what, arg };

	return write(c->to, &cmd, sizeof(cmd)) == sizeof(cmd) ? 0 : -errno;
}

/**
 * pe_child_answer - wait for the answer to an order
 * @c: the child
 *
 * Return: what the child answered, or -EPIPE when it is gone
 */
int pe_child_answer(struct pe_child *c)
{
	int ret;

	if (read(c->from, &ret, sizeof(ret)) != sizeof(ret))
		return -EPIPE;
	return ret;
}

/**
 * pe_child_do - give a child an order and wait for its answer
 * @c: the child
 * @what: the order
 * @arg: its argument
 *
 * Return: what the child answered, or -errno
 */
int pe_child_do(struct pe_child *c, enum pe_order what, unsigned long arg)
{
	int ret = pe_child_send(c, what, arg);

	return ret ? ret : pe_child_answer(c);
}

/**
 * pe_child_end - let a child exit, and wait for it
 * @c: the child
 *
 * Return: its wait status, or -errno
 */
int pe_child_end(struct pe_child *c)
{
	int status;

	pe_child_send(c, PE_EXIT, 0);
	close(c->to);
	close(c->from);
	if (waitpid(c->pid, &status, 0) != c->pid)
		return -errno;
	return status;
}

/**
 * pe_become - become a user with some capabilities
 * @uid: user and group
 * @caps: mask of capabilities to keep (below 64)
 *
 * Return: 0 or -errno
 */
int pe_become(uid_t uid, uint64_t caps)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2] = {
		{ .effective = caps, .permitted = caps },
		{ .effective = caps >> 32, .permitted = caps >> 32 },
	};

	if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) ||
	    syscall(__NR_setgroups, 0, NULL) ||
	    syscall(__NR_setresgid, uid, uid, uid) ||
	    syscall(__NR_setresuid, uid, uid, uid) ||
	    syscall(__NR_capset, &head, data))
		return -errno;
	return 0;
}

/**
 * pe_run_as - run a function in a child that is another user
 * @uid: the user
 * @caps: mask of capabilities that it has
 * @fn: the function; returns 0 or -errno
 * @arg: its argument
 *
 * Return: what @fn returned, or -errno
 */
int pe_run_as(uid_t uid, uint64_t caps, int (*fn)(void *), void *arg)
{
	pid_t pid = fork();
	int status;

	if (pid < 0)
		return -errno;
	if (!pid) {
		status = pe_become(uid, caps);
		_exit(status ? ENOTRECOVERABLE : -fn(arg));
	}
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -ECHILD;
	return -WEXITSTATUS(status);
}
