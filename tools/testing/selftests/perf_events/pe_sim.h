/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The simulated PMU (CONFIG_PERF_EVENTS_SIM_PMU): a test decides when, and how often, its events
 * happen.
 */
#ifndef _SELFTESTS_PERF_EVENTS_PE_SIM_H
#define _SELFTESTS_PERF_EVENTS_PE_SIM_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pe_lib.h"

#define PE_SIM		PE_DEVICES "sim/"
#define PE_SIM_TRACE	PE_DEVICES "sim_trace/"

/* Counters of the machine's simulated PMU, with its default parameters. */
#define PE_SIM_COUNTERS	4

#define PE_SIM_CYCLES	0
#define PE_SIM_STEP	8

/* The PMU's type, or -ENOENT */
static inline int pe_sim_type(void)
{
	long type = pe_get(PE_SIM "type");

	return type < 0 ? -ENOENT : type;
}

/* The simulated trace unit's type, or -ENOENT */
static inline int pe_sim_trace_type(void)
{
	long type = pe_get(PE_SIM_TRACE "type");

	return type < 0 ? -ENOENT : type;
}

/* An event that counts steps. */
static inline struct perf_event_attr pe_sim_attr(void)
{
	struct perf_event_attr attr = pe_attr(PE_SIM_STEP);

	attr.type = pe_sim_type();
	return attr;
}

/* Make @n steps on the caller's CPU (or CPUs). */
static inline int pe_sim_advance(unsigned int n)
{
	return pe_set(PE_SIM "advance", n);
}

#endif
