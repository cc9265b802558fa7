/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A call of the kernel in which one allocation after the other fails: by
 * CONFIG_FAULT_INJECTION's /proc/self/fail-nth.
 */
#ifndef _SELFTESTS_PERF_EVENTS_PE_INJECT_H
#define _SELFTESTS_PERF_EVENTS_PE_INJECT_H

#include "pe_lib.h"

/**
 * struct pe_trial - a call that is to fail in every way that it can
 * @call: makes it; 0 or more, or -errno
 * @undo: takes back a call that returned 0 or more
 * @unchanged: says whether all is as before, after a call that failed; or NULL
 * @arg: argument of these functions
 * @failed: filled in: how often it failed
 * @borne: filled in: how often the call succeeded without that memory
 * @err: filled in: what was wrong, or 0
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
