// SPDX-License-Identifier: GPL-2.0
/* Permissions: perf_event_paranoid, capabilities, and the security modules */
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <linux/security.h>

#include "permission.h"

/* -1: allow all; 0: no tracepoint data; 1: no per-CPU events; 2: no kernel; 3: no events */
int sysctl_perf_event_paranoid __read_mostly =
	IS_ENABLED(CONFIG_SECURITY_PERF_EVENTS_RESTRICT) ? 3 : 2;

/* Is the caller denied an operation that perf_event_paranoid restricts from @level on? */
static bool perf_forbidden_from(int level)
{
	return READ_ONCE(sysctl_perf_event_paranoid) >= level && !perfmon_capable();
}

/**
 * perf_allow_open - may the caller open events, or perfctr counters, at all?
 *
 * perf_event_open(2) and perfctr's system calls check this. Security modules are called
 * separately, by security_perf_event_open(PERF_SECURITY_OPEN). Level 3 needs CAP_SYS_ADMIN:
 * CAP_PERFMON is not enough.
 *
 * Context: process context.
 * Return: 0 if it may, -EACCES
 */
int perf_allow_open(void)
{
	if (READ_ONCE(sysctl_perf_event_paranoid) > 2 && !capable(CAP_SYS_ADMIN))
		return -EACCES;
	return 0;
}

/**
 * perf_allow_kernel - may the caller count in the kernel?
 *
 * Context: process context, may sleep (LSM).
 * Return: 0 if it may, -EACCES, or an error of a security module
 */
int perf_allow_kernel(void)
{
	if (perf_forbidden_from(2))
		return -EACCES;
	return security_perf_event_open(PERF_SECURITY_KERNEL);
}
EXPORT_SYMBOL_GPL(perf_allow_kernel);

/**
 * perf_allow_cpu - may the caller open per-CPU events?
 *
 * Context: process context, may sleep (LSM).
 * Return: 0 if it may, -EACCES, or an error of a security module
 */
int perf_allow_cpu(void)
{
	if (perf_forbidden_from(1))
		return -EACCES;
	return security_perf_event_open(PERF_SECURITY_CPU);
}

/**
 * perf_allow_tracepoint - may the caller get the data of tracepoints?
 *
 * Context: process context, may sleep (LSM).
 * Return: 0 if it may, -EPERM, or an error of a security module
 */
int perf_allow_tracepoint(void)
{
	if (perf_forbidden_from(0))
		return -EPERM;
	return security_perf_event_open(PERF_SECURITY_TRACEPOINT);
}

/* perfmon_capable() without an audit message */
static bool perf_is_capable_quietly(void)
{
	return ns_capable_noaudit(&init_user_ns, CAP_PERFMON) ||
	       ns_capable_noaudit(&init_user_ns, CAP_SYS_ADMIN);
}

/**
 * perf_may_see_cpu - may the caller see all events on a CPU?
 *
 * As perf_allow_cpu(), but a missing capability is not logged. A security module is called only
 * if capabilities and the level allow it.
 *
 * Context: process context, may sleep (LSM).
 * Return: true if it may
 */
bool perf_may_see_cpu(void)
{
	return (READ_ONCE(sysctl_perf_event_paranoid) < 1 || perf_is_capable_quietly()) &&
	       !security_perf_event_open(PERF_SECURITY_CPU);
}

/**
 * perf_may_see_kernel - may the caller see addresses of the kernel?
 *
 * As perf_allow_kernel(), but a missing capability is not logged. A security module is called
 * only if capabilities and the level allow it.
 *
 * Context: process context, may sleep (LSM).
 * Return: true if it may
 */
bool perf_may_see_kernel(void)
{
	return (READ_ONCE(sysctl_perf_event_paranoid) < 2 || perf_is_capable_quietly()) &&
	       !security_perf_event_open(PERF_SECURITY_KERNEL);
}

/**
 * perf_may_see_bpf - may the caller see the ids of BPF programs?
 *
 * Context: process context.
 * Return: true if it may
 */
bool perf_may_see_bpf(void)
{
	return perf_is_capable_quietly();
}
