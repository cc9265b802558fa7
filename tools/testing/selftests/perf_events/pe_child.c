// SPDX-License-Identifier: GPL-2.0
/*
 * Children that execute orders, and other users; see pe_lib.h.
 */
#include <errno.h>
#include <linux/capability.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pe_lib.h"
#include "pe_sim.h"

#define PE_CHILD_ENV	"PE_CHILD"

/**
 * struct pe_cmd - message to a child
 * @what: one of enum pe_order
 * @arg: its argument
 */
struct pe_cmd {
	unsigned long what;
	unsigned long arg;
};

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
	case PE_STEP:
		return pe_sim_advance(cmd->arg);
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

/* A program that PE_EXEC has started continues as the same child. */
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
 * pe_child_start - start a child that executes orders
 * @c: the child
 *
 * The child has already called pe_fault(), so that later calls cause an exact number of faults.
 * Return: 0 or -errno
 */
int pe_child_start(struct pe_child *c)
{
	pid_t me = getpid();
	int to[2], from[2];

	signal(SIGPIPE, SIG_IGN);
	if (pipe(to) || pipe(from))
		return -errno;
	c->pid = fork();
	if (c->pid < 0)
		return -errno;
	if (!c->pid) {
		pe_die_with(me);
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
 * Return: the child's answer, or -EPIPE if the child has exited
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
 * Return: the child's answer, or -errno
 */
int pe_child_do(struct pe_child *c, enum pe_order what, unsigned long arg)
{
	int ret = pe_child_send(c, what, arg);

	return ret ? ret : pe_child_answer(c);
}

/**
 * pe_task_state - state of a task
 * @tid: id of a process or thread
 *
 * Return: the state in /proc, such as 'S' for a task that sleeps, or 0 on error
 */
char pe_task_state(pid_t tid)
{
	char path[32], line[128], state = 0;
	FILE *f;

	/* A read of stat would wait for the end of an exec of the task. */
	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	f = fopen(path, "r");
	if (f) {
		while (!state && fgets(line, sizeof(line), f))
			sscanf(line, "State: %c", &state);
		fclose(f);
	}
	return state;
}

/* Is a task switched out in read(2)? Return: 1, or 0, or -errno */
static int rests_in_read(pid_t pid)
{
	char path[32];
	int call = -1;
	FILE *f;

	/* The kernel waits until the task is switched out, and writes "running" if it wakes up. */
	snprintf(path, sizeof(path), "/proc/%d/syscall", pid);
	f = fopen(path, "r");
	if (!f)
		return -errno;
	if (fscanf(f, "%d", &call) != 1)
		call = -1;
	fclose(f);
	return call == __NR_read;
}

/**
 * pe_child_rest - wait until a child sleeps and is switched out
 * @c: the child; it has no order
 *
 * A task's state becomes "sleeping" a moment before the task is switched out, and on a loaded
 * machine the moment is long.
 * Return: 0 or -errno
 */
int pe_child_rest(struct pe_child *c)
{
	int ret = 0;
	char state;

	for (;;) {
		state = pe_task_state(c->pid);
		if (!state || state == 'Z')
			return -ESRCH;
		if (state == 'S')
			ret = rests_in_read(c->pid);
		if (ret)
			return ret < 0 ? ret : 0;
		pe_sleep_ms(1);
	}
}

/**
 * pe_child_end - order a child to exit, and reap it
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
int pe_become(uid_t uid, __u64 caps)
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
int pe_run_as(uid_t uid, __u64 caps, int (*fn)(void *), void *arg)
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
