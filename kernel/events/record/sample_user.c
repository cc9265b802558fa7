// SPDX-License-Identifier: GPL-2.0
/*
 * Fields of samples that come from user space and page tables: registers, stack, page
 * sizes, physical addresses. Any context, never a fault that sleeps.
 */
#include <linux/io.h>
#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/pgtable.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>

#include "../internal.h"
#include "output.h"
#include "sample_user.h"

/**
 * perf_user_memory_usable - may a sample look at current's user memory?
 *
 * Not that of a kernel thread, which may run on a borrowed address space, and
 * not once an exiting task has let go of its own: exit_mm() takes task->mm away
 * before the page tables are torn down.
 * Return: true when it may.
 */
bool perf_user_memory_usable(void)
{
	return current->mm && !(current->flags & (PF_KTHREAD | PF_USER_WORKER));
}

/**
 * perf_sample_user_regs - current's registers in user mode
 * @user: filled in; abi and regs are 0 when there are none
 * @event: that samples
 * @regs: where the sample happened
 *
 * There are none when the sample is about a task that sleeps: current is then
 * another task, for instance the one that wakes it.
 */
void perf_sample_user_regs(struct perf_regs *user, const struct perf_event *event,
			   struct pt_regs *regs)
{
	if (perf_event_of_another_task(event)) {
		user->abi = PERF_SAMPLE_REGS_ABI_NONE;
		user->regs = NULL;
	} else if (user_mode(regs)) {
		user->abi = perf_reg_abi(current);
		user->regs = regs;
	} else if (perf_user_memory_usable()) {
		perf_get_regs_user(user, regs);
	} else {
		user->abi = PERF_SAMPLE_REGS_ABI_NONE;
		user->regs = NULL;
	}
}

static unsigned long perf_sample_stack_pointer(struct pt_regs *regs)
{
#ifdef CONFIG_HAVE_PERF_USER_STACK_DUMP
	return user_stack_pointer(regs);
#else
	return 0;
#endif
}

/**
 * perf_sample_user_stack - how much of the user's stack to copy
 * @regs: in user mode, or NULL
 * @want: bytes that the event asks for
 * @room: bytes that the record can still grow by
 *
 * Return: bytes, a multiple of 8. The copy needs a word more than that.
 */
u64 perf_sample_user_stack(struct pt_regs *regs, u64 want, u64 room)
{
	unsigned long sp;

	if (!regs || !perf_user_memory_usable())
		return 0;
	sp = perf_sample_stack_pointer(regs);
	if (!sp || sp >= TASK_SIZE)
		return 0;

	want = round_up(min_t(u64, want, TASK_SIZE - sp), sizeof(u64));
	if (room < sizeof(u64))
		return 0;
	return min(want, round_down(room - sizeof(u64), sizeof(u64)));
}

/**
 * perf_output_user_stack - write PERF_SAMPLE_STACK_USER
 * @handle: of the record
 * @regs: in user mode
 * @size: what perf_sample_user_stack() said
 *
 * Memory that is not there is left out at the end: the last word says how much
 * was copied.
 */
void perf_output_user_stack(struct perf_output_handle *handle, struct pt_regs *regs,
			    u64 size)
{
	unsigned int missing;

	perf_output_put_u64(handle, size);
	if (!size)
		return;
	missing = perf_output_copy_user(handle,
					(const void __user *)perf_sample_stack_pointer(regs), size);
	perf_output_skip(handle, missing);
	perf_output_put_u64(handle, size - missing);
}

/**
 * perf_virt_to_phys - the physical address behind a sample's data address
 * @virt: of current's, or of the kernel's linear mapping
 *
 * Return: the address, 0 when it is unknown or not present.
 */
u64 perf_virt_to_phys(u64 virt)
{
	unsigned long addr = virt;
	struct page *page;
	u64 phys = 0;

	if (!addr)
		return 0;
	if (addr >= TASK_SIZE) {
		if (!is_vmalloc_addr((void *)addr) && virt_addr_valid((void *)addr))
			phys = virt_to_phys((void *)addr);
		return phys;
	}
	if (!perf_user_memory_usable())
		return 0;

	pagefault_disable();
	if (get_user_page_fast_only(addr, 0, &page)) {
		phys = page_to_phys(page) + offset_in_page(addr);
		put_page(page);
	}
	pagefault_enable();
	return phys;
}

#ifdef CONFIG_HAVE_GUP_FAST
/*
 * One function a level. Every entry is read once: what another CPU does to the
 * tables meanwhile shows at the next level or not at all. With interrupts off,
 * none of the tables can be freed.
 */
static u64 perf_walk_pte(pmd_t pmd, unsigned long addr)
{
	pte_t *at = pte_offset_map(&pmd, addr), entry;
	u64 size;

	if (!at)
		return 0;
	/* For sparse: pte_offset_map() has taken the RCU lock that pte_unmap() releases. */
	__acquire(RCU);
	entry = ptep_get_lockless(at);
	size = pte_present(entry) ? __pte_leaf_size(pmd, entry) : 0;
	pte_unmap(at);
	return size;
}

static u64 perf_walk_pmd(pud_t *table, pud_t pud, unsigned long addr)
{
	pmd_t entry = pmdp_get_lockless(pmd_offset_lockless(table, pud, addr));

	if (!pmd_present(entry))
		return 0;
	return pmd_leaf(entry) ? pmd_leaf_size(entry) : perf_walk_pte(entry, addr);
}

static u64 perf_walk_pud(p4d_t *table, p4d_t p4d, unsigned long addr)
{
	pud_t *at = pud_offset_lockless(table, p4d, addr), entry = READ_ONCE(*at);

	if (!pud_present(entry))
		return 0;
	return pud_leaf(entry) ? pud_leaf_size(entry) : perf_walk_pmd(at, entry, addr);
}

static u64 perf_walk_p4d(pgd_t *table, pgd_t pgd, unsigned long addr)
{
	p4d_t *at = p4d_offset_lockless(table, pgd, addr), entry = READ_ONCE(*at);

	if (!p4d_present(entry))
		return 0;
	return p4d_leaf(entry) ? p4d_leaf_size(entry) : perf_walk_pud(at, entry, addr);
}

static u64 perf_walk_page_size(struct mm_struct *mm, unsigned long addr)
{
	pgd_t *at = pgd_offset(mm, addr), entry = READ_ONCE(*at);

	if (pgd_none(entry))
		return 0;
	return pgd_leaf(entry) ? pgd_leaf_size(entry) : perf_walk_p4d(at, entry, addr);
}
#else
static u64 perf_walk_page_size(struct mm_struct *mm, unsigned long addr)
{
	return 0;
}
#endif

/**
 * perf_get_page_size - the size of the page that an address is mapped by
 * @addr: of current's, or of the kernel's
 *
 * Any context.
 * Return: bytes, 0 when it is not mapped.
 */
u64 perf_get_page_size(unsigned long addr)
{
	struct mm_struct *mm = addr < TASK_SIZE_MAX ? current->mm : NULL;
	unsigned long flags;
	u64 size;

	if (!addr)
		return 0;
	local_irq_save(flags);
	/* Tasks' tables need not map the kernel, and kernel threads have none: use init_mm. */
	size = perf_walk_page_size(mm ?: &init_mm, addr);
	local_irq_restore(flags);
	return size;
}
