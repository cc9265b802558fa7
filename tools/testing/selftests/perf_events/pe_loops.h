/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Loops in assembly language, and the addresses of their instructions: b_ for branches, p_ for
 * instructions with precise samples. Each test program defines its own loops.
 */
#ifndef _SELFTESTS_PERF_EVENTS_PE_LOOPS_H
#define _SELFTESTS_PERF_EVENTS_PE_LOOPS_H

/* hw_branch.c */
void deep(unsigned long n);
extern char b_deep[];

/* hw_precise.c */
void stores(unsigned long n, void *to);
extern char p_store[], p_load[], p_branch[], p_end[];

#endif
