/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fault injection in a system call, one allocation after the other, by CONFIG_FAULT_INJECTION's
 * /proc/self/fail-nth.
 */
#ifndef _SELFTESTS_PERF_EVENTS_PE_INJECT_H
#define _SELFTESTS_PERF_EVENTS_PE_INJECT_H

#include "pe_lib.h"

/**
 * struct pe_trial - a call under fault injection
 * @call: makes the call; returns 0 or more, or -errno
 * @undo: undoes a call that returned 0 or more
 * @unchanged: returns whether a failed call has changed nothing; or NULL
 * @arg: argument of these functions
 * @failed: result: number of failed calls
 * @borne: result: number of calls that succeeded in spite of a failed allocation
 * @err: result: error of a fault, or 0
 */
struct pe_trial {
	int (*call)(void *arg);
	void (*undo)(void *arg, int ret);
	bool (*unchanged)(void *arg);
	void *arg;
	unsigned int failed;
	unsigned int borne;
	int err;
};

int pe_inject_start(void);
void pe_inject_end(void);
const char *pe_inject(struct pe_trial *t);
int pe_inject_self(unsigned int nth);
bool pe_inject_happened(void);
int pe_leaks(void);

#endif
