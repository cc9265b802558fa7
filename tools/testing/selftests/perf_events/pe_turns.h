/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A loop with branches of each kind, in assembly language, and the addresses of its branches (b_)
 * and of their targets (t_).
 */
#ifndef _SELFTESTS_PERF_EVENTS_PE_TURNS_H
#define _SELFTESTS_PERF_EVENTS_PE_TURNS_H

void turns_begin(unsigned long n);
extern char b_call[], b_ret[], b_indirect[], b_jump[], b_ret2[], b_loop[];
extern char t_turn[], t_called[], t_back[], t_called2[], t_jumped[], t_back2[];

/* turns_begin(n): n iterations of six branches; the last branch of the last one is not taken. */
__asm__("	.text\n"
"	.globl	turns_begin, b_call, b_ret, b_indirect, b_jump, b_ret2, b_loop\n"
"	.globl	t_turn, t_called, t_back, t_called2, t_jumped, t_back2\n"
"turns_begin:\n"
"	leaq	t_called2(%rip), %rax\n"
"t_turn:\n"
"b_call:	call	t_called\n"
"t_back:	nop\n"
"b_indirect: call *%rax\n"
"t_back2:	nop\n"
"	decq	%rdi\n"
"b_loop:	jnz	t_turn\n"
"	ret\n"
"t_called:	nop\n"
"b_ret:	ret\n"
"t_called2: nop\n"
"b_jump:	jmp	t_jumped\n"
"	nop\n"
"t_jumped: nop\n"
"b_ret2:	ret\n"
);

#endif
