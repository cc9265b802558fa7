// SPDX-License-Identifier: GPL-2.0
/*
 * Sample fields from user space and page tables: registers, stack, page sizes, physical
 * addresses. All functions run in any context: a page that is not resident is not faulted in.
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
 * perf_user_memory_usable - may a sample access current's user memory?
 *
 * A kernel thread may use the mm of another task. An exiting task has no mm after exit_mm(), which
 * clears task->mm before the page tables are freed.
 *
 * Return: true if current is a user task with an mm
 */
bool perf_user_memory_usable(void)
{
	return current->mm && !(current->flags & (PF_KTHREAD | PF_USER_WORKER));
}

/**
 * perf_sample_user_regs - get current's user registers
 * @user: set; abi and regs are 0 without user registers
 * @event: event that samples
 * @regs: registers at the sample
 *
 * A sample may be about a sleeping task, while current is another task, such as the waker. Such a
 * sample has no user registers.
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
 * perf_sample_user_stack - get the number of bytes of user stack to copy
 * @regs: user registers, or NULL
 * @want: bytes requested by the event
 * @room: free bytes of the record
 *
 * Return: bytes, a multiple of 8. If it is not 0, the record needs one more word
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
 * @handle: handle of the record
 * @regs: user registers
 * @size: from perf_sample_user_stack()
 *
 * The copy stops at the first page that is not resident. The last word is the number of bytes
 * copied.
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
 * perf_virt_to_phys - get the physical address of a sample's data address
 * @virt: address of current, or of the kernel's linear mapping
 *
 * Return: the address, 0 if it is unknown or not present
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
 * One function per level. Each function reads the entry of its level once. Another CPU may change
 * the tables meanwhile, but while interrupts are off here, no table is freed.
 */
static u64 perf_walk_pte(pmd_t pmd, unsigned long addr)
{
	pte_t *at = pte_offset_map(&pmd, addr), entry;
	u64 size;

	if (!at)
		return 0;
	/* For sparse: pte_offset_map() took the RCU lock, and pte_unmap() releases it. */
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
 * perf_get_page_size - get the size of the page at an address
 * @addr: address of current, or of the kernel
 *
 * Context: any.
 * Return: bytes, 0 if the address is not mapped
 */
u64 perf_get_page_size(unsigned long addr)
{
	struct mm_struct *mm = addr < TASK_SIZE_MAX ? current->mm : NULL;
	unsigned long flags;
	u64 size;

	if (!addr)
		return 0;
	local_irq_save(flags);
	/* User page tables may lack the kernel, and kernel threads may have no mm. */
	size = perf_walk_page_size(mm ?: &init_mm, addr);
	local_irq_restore(flags);
	return size;
}

/**
 * perf_sample_page_size - get the size of the page at an address of a sample
 * @event: event that samples
 * @addr: data or code address of the sample
 *
 * A program can choose a data address, for example that of a prefetch. The sizes of the kernel's
 * pages would show where the kernel is mapped. So an event that excludes the kernel does not get
 * these sizes.
 *
 * Context: any.
 * Return: bytes; 0 if the address is not mapped, or if it is an address of the kernel and the event
 * excludes the kernel
 */
u64 perf_sample_page_size(const struct perf_event *event, unsigned long addr)
{
	if (event->attr.exclude_kernel && addr >= TASK_SIZE_MAX)
		return 0;
	return perf_get_page_size(addr);
}
