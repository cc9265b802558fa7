/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the perf_events selftests: opening and reading events, a child that executes orders,
 * and users for the permission tests. Wrappers of a system call return its result, or -errno.
 */
#ifndef _SELFTESTS_PERF_EVENTS_PE_LIB_H
#define _SELFTESTS_PERF_EVENTS_PE_LIB_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/types.h>

#ifndef CAP_PERFMON
#define CAP_PERFMON		38
#endif
#ifndef CAP_SYS_PTRACE
#define CAP_SYS_PTRACE		19
#endif
#ifndef CAP_SYS_ADMIN
#define CAP_SYS_ADMIN		21
#endif

/*
 * kselftest_harness.h ends a test after 30 seconds, which is too short for a loaded emulated
 * machine. Use only the runner's limit for the whole program. Include kselftest_harness.h before
 * this header.
 */
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT	7200

/*
 * kselftest_harness.h's SKIP() overwrites the result of a check that has failed before. This one
 * keeps the failure, and only runs @statement.
 */
#undef SKIP
#define SKIP(statement, ...)						\
	do {								\
		if (_metadata->exit_code != KSFT_FAIL) {		\
			snprintf(_metadata->results->reason,		\
				 sizeof(_metadata->results->reason), __VA_ARGS__);	\
			TH_LOG("SKIP: %s", _metadata->results->reason);	\
			_metadata->exit_code = KSFT_SKIP;		\
		}							\
		_metadata->trigger = 0;					\
		statement;						\
	} while (0)

/* For FIXTURE_SETUP(): with PE_HARD the kernel must have the feature under test. */
#define SKIP_OTHERS(statement, why)		\
	do {					\
		ASSERT_EQ(NULL, getenv("PE_HARD"));	\
		SKIP(statement, why);		\
	} while (0)

#define PE_CAP(n)		(1ULL << (n))
#define PE_ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* A user id that owns nothing. */
#define PE_UID			4321
#define PE_OTHER_UID		4322

#define PE_SYSCTL		"/proc/sys/kernel/"
#define PE_PARANOID		PE_SYSCTL "perf_event_paranoid"
#define PE_DEVICES		"/sys/bus/event_source/devices/"

/* Events */
struct perf_event_attr pe_attr(__u64 config);
struct perf_event_attr pe_attr_off(__u64 config);
int pe_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
	    unsigned long flags);
int pe_try(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
	   unsigned long flags);
int pe_self(struct perf_event_attr *attr);
int pe_ioctl(int fd, unsigned long cmd, unsigned long arg);
__u64 pe_count(int fd);
__u64 pe_id(int fd);

/* Work whose events are known */

/* Write to memory with an access that the compiler does not remove. */
static inline void pe_touch(char *p)
{
	*p = 1;
	__asm__ __volatile__("" : : "r" (p) : "memory");
}

void pe_fault(unsigned int pages);
void pe_spin(unsigned int rounds);
void pe_sleep_ms(unsigned int ms);
void pe_die_with(pid_t parent);
void pe_switch(void);
void pe_undisturbed(void);
int pe_move_to(int cpu);
int pe_cpu_count(void);
bool pe_no_breakpoint(int err);
bool pe_watch_user_only(void);
bool pe_compat(void);
unsigned int pe_kernel_long(void);
__u64 pe_kernel_address(unsigned long below);

/* Files of one number */
long pe_get(const char *path);
int pe_set(const char *path, long long value);

/* Cgroups, in the hierarchy that perf events use */
const char *pe_cgroup_root(void);
bool pe_has_cgroups(void);
int pe_cgroup_make(const char *name);
__u64 pe_cgroup_id(int dir);
int pe_cgroup_enter(const char *name, pid_t pid);
int pe_cgroup_remove(const char *name);

/* A child that executes orders, and sleeps in read(2) in between */
enum pe_order {
	PE_FAULT,		/* touch arg new pages */
	PE_SPIN,		/* spin for arg rounds */
	PE_MOVE,		/* run on CPU arg only */
	PE_FORK_FAULT,		/* fork and wait a child that touches arg pages */
	PE_THREAD_FAULT,	/* touch arg pages in a thread */
	PE_GRAND_FAULT,		/* touch arg pages in a child of a child */
	PE_PRCTL_OFF,		/* prctl(PR_TASK_PERF_EVENTS_DISABLE) */
	PE_PRCTL_ON,		/* prctl(PR_TASK_PERF_EVENTS_ENABLE) */
	PE_OPEN,		/* open event arg (a config) on itself, keep it */
	PE_DUMPABLE,		/* prctl(PR_SET_DUMPABLE, arg) */
	PE_SETUID,		/* become user arg */
	PE_EXEC,		/* exec this program, which continues as the same child */
	PE_STEP,		/* arg steps of the simulated PMU */
	PE_EXIT,		/* _exit(arg) */
};

/**
 * struct pe_child - a child that executes orders
 * @pid: its process id
 * @to: pipe for orders
 * @from: pipe for answers
 */
struct pe_child {
	pid_t pid;
	int to;
	int from;
};

int pe_child_start(struct pe_child *c);
int pe_child_do(struct pe_child *c, enum pe_order what, unsigned long arg);
int pe_child_send(struct pe_child *c, enum pe_order what, unsigned long arg);
int pe_child_answer(struct pe_child *c);
char pe_task_state(pid_t tid);
int pe_child_rest(struct pe_child *c);
int pe_child_end(struct pe_child *c);

/* pe_hang.c */
void pe_show_tasks(void);

/* Other users, with some capabilities */
int pe_become(uid_t uid, __u64 caps);
int pe_run_as(uid_t uid, __u64 caps, int (*fn)(void *), void *arg);

#endif
