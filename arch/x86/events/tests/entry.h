/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Registers of a user task that has entered the kernel, for tests.
 */
#ifndef _ARCH_X86_EVENTS_TESTS_ENTRY_H
#define _ARCH_X86_EVENTS_TESTS_ENTRY_H

#include <linux/irqflags.h>
#include <linux/sched.h>
#include <asm/processor.h>
#include <asm/ptrace.h>

/**
 * struct entry_task - the test's own task, while it is used as a user task
 * @flags: task flags of the test
 * @saved: its registers at kernel entry
 * @irqflags: for local_irq_restore()
 */
struct entry_task {
	unsigned int	flags;
	struct pt_regs	saved;
	unsigned long	irqflags;
};

/* Make the current task a user task that entered the kernel with @regs. Disables interrupts. */
static inline void entry_begin(struct entry_task *task, const struct pt_regs *regs)
{
	local_irq_save(task->irqflags);
	task->flags = current->flags;
	task->saved = *task_pt_regs(current);
	*task_pt_regs(current) = *regs;
	current->flags &= ~(PF_KTHREAD | PF_USER_WORKER);
}

static inline void entry_end(const struct entry_task *task)
{
	current->flags = task->flags;
	*task_pt_regs(current) = task->saved;
	local_irq_restore(task->irqflags);
}

#endif
