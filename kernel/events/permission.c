// SPDX-License-Identifier: GPL-2.0
/*
 * Permissions: perf_event_paranoid, capabilities, and the security modules.
 */
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <linux/security.h>

#include "permission.h"

/* -1: all; 0: no tracepoint data; 1: no CPU events; 2: no kernel; 3: nothing */
int sysctl_perf_event_paranoid __read_mostly =
	IS_ENABLED(CONFIG_SECURITY_PERF_EVENTS_RESTRICT) ? 3 : 2;

/* Is the caller's level too low for something forbidden from @level on? */
static bool perf_forbidden_from(int level)
{
	return READ_ONCE(sysctl_perf_event_paranoid) >= level && !perfmon_capable();
}

/**
 * perf_allow_open - may the caller have events, or counters of its own, at all?
 *
 * perf_event_open(2) and perfctr's calls ask this. The security modules are asked apart, by
 * security_perf_event_open(PERF_SECURITY_OPEN). Level 3 leaves all to the administrator:
 * CAP_PERFMON is not enough. Process context.
 *
 * Return: 0 or -EACCES
 */
int perf_allow_open(void)
{
	if (READ_ONCE(sysctl_perf_event_paranoid) > 2 && !capable(CAP_SYS_ADMIN))
		return -EACCES;
	return 0;
}

/**
 * perf_allow_kernel - may the caller look into the kernel?
 *
 * Process context; may sleep (LSM).
 *
 * Return: 0, -EACCES or a security module's error
 */
int perf_allow_kernel(void)
{
	if (perf_forbidden_from(2))
		return -EACCES;
	return security_perf_event_open(PERF_SECURITY_KERNEL);
}
EXPORT_SYMBOL_GPL(perf_allow_kernel);

/**
 * perf_allow_cpu - may the caller watch everything that runs on a CPU?
 *
 * Process context; may sleep (LSM).
 *
 * Return: 0, -EACCES or a security module's error
 */
int perf_allow_cpu(void)
{
	if (perf_forbidden_from(1))
		return -EACCES;
	return security_perf_event_open(PERF_SECURITY_CPU);
}

/**
 * perf_allow_tracepoint - may the caller have tracepoints' data?
 *
 * Process context; may sleep (LSM).
 *
 * Return: 0, -EPERM or a security module's error
 */
int perf_allow_tracepoint(void)
{
	if (perf_forbidden_from(0))
		return -EPERM;
	return security_perf_event_open(PERF_SECURITY_TRACEPOINT);
}

/* perfmon_capable() for a question to which no is a usual answer. */
static bool perf_is_capable_quietly(void)
{
	return ns_capable_noaudit(&init_user_ns, CAP_PERFMON) ||
	       ns_capable_noaudit(&init_user_ns, CAP_SYS_ADMIN);
}

/**
 * perf_may_see_cpu - may the caller be told of all events on a CPU?
 *
 * As perf_allow_cpu(), but no capability that is lacking is logged. A security module
 * is asked only where capabilities and the level allow it.
 *
 * Process context; may sleep (LSM).
 * Return: whether it may
 */
bool perf_may_see_cpu(void)
{
	return (READ_ONCE(sysctl_perf_event_paranoid) < 1 || perf_is_capable_quietly()) &&
	       !security_perf_event_open(PERF_SECURITY_CPU);
}

/**
 * perf_may_see_bpf - may the caller be told the ids of BPF programs?
 *
 * Process context. Return: whether it may
 */
bool perf_may_see_bpf(void)
{
	return perf_is_capable_quietly();
}
