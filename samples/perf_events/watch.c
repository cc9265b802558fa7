// SPDX-License-Identifier: GPL-2.0
/*
 * Watch a variable of the program itself by a hardware breakpoint:
 *
 *	watch [WRITES]
 *
 * Each write to the variable sends SIGTRAP to the writing thread. The signal handler runs before
 * the thread's next instruction, so the handler could examine the registers and stack of the write.
 * The program writes WRITES times (default 10), and counts the signals.
 */
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Exit status of a skipped selftest: this machine, kernel or user cannot run the program. */
#define SKIP	4
#define COOKIE	0x5eed

#ifndef TRAP_PERF
#define TRAP_PERF	6
#endif

/* Fields of siginfo_t from si_addr on, for TRAP_PERF: some C libraries have no names for them. */
struct trap {
	void *addr;
	unsigned long data;
	__u32 type;
	__u32 flags;
};

static struct {
	long value;
	long writes;
} watched;

static int signals, strange;
static int fd;

static void on_trap(int sig, siginfo_t *info, void *context)
{
	struct trap trap;

	(void)sig;
	(void)context;
	memcpy(&trap, &info->si_addr, sizeof(trap));
	signals++;
	if (info->si_code != TRAP_PERF || trap.addr != (void *)&watched.value ||
	    trap.data != COOKIE || trap.type != PERF_TYPE_BREAKPOINT)
		strange++;
	/*
	 * Some CPUs trap before the access (arm64), others after it (x86). A CPU that traps before
	 * the access repeats the access when the handler returns: disable the event, or it traps
	 * again.
	 */
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
}

int main(int argc, char **argv)
{
	long i, writes = argc > 1 ? strtol(argv[1], NULL, 0) : 10;
	struct sigaction action = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO };
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT,
		.size = sizeof(attr),
		.bp_type = HW_BREAKPOINT_W,
		.bp_addr = (unsigned long)&watched.value,
		.bp_len = sizeof(watched.value),
		.sample_period = 1,
		.disabled = 1,
		/* Writes by system calls do not count. */
		.exclude_kernel = 1,
		.exclude_hv = 1,
		/* sigtrap requires this: after execve(2) the signal would kill the program. */
		.remove_on_exec = 1,
		.sigtrap = 1,
		.sig_data = COOKIE,
	};

	sigaction(SIGTRAP, &action, NULL);
	/* The signal is sent to a thread, so the event must be that of a thread. */
	fd = syscall(__NR_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0) {
		perror("perf_event_open");
		return SKIP;
	}
	for (i = 0; i < writes; i++) {
		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		__atomic_store_n(&watched.value, i, __ATOMIC_RELAXED);
		__atomic_store_n(&watched.writes, i + 1, __ATOMIC_RELAXED);
	}
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	/* This write sends no signal, because the event is disabled. */
	__atomic_store_n(&watched.value, -1, __ATOMIC_RELAXED);
	printf("writes %ld\nsignals %d\nstrange %d\n", watched.writes, signals, strange);
	return 0;
}
