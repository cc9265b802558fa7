/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Loops in assembly language, and the addresses of their instructions: b_ for branches, t_ for
 * branch targets, p_ for instructions with precise samples. Each test program defines its own
 * loops.
 */
#ifndef _SELFTESTS_PERF_EVENTS_PE_LOOPS_H
#define _SELFTESTS_PERF_EVENTS_PE_LOOPS_H

/* hw_branch.c, hw_branch_trace.c */
void turns_begin(unsigned long n);
void deep(unsigned long n);
extern char b_call[], b_ret[], b_indirect[], b_jump[], b_ret2[], b_loop[], b_deep[];
extern char t_turn[], t_called[], t_back[], t_called2[], t_jumped[], t_back2[];

/* hw_precise.c */
void stores(unsigned long n, void *to);
extern char p_store[], p_load[], p_branch[], p_end[];

#endif
