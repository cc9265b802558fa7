// SPDX-License-Identifier: GPL-2.0
/*
 * User space reads of counters with RDPMC, and the event's mapped page.
 *
 * With CR4.PCE set, a program can read all counters. CR4.PCE is set while an event or a state of
 * perfctr is mapped in the address space (or always, or never: "rdpmc" in the PMU's sysfs
 * directory).
 */
#include <linux/device.h>
#include <linux/mm.h>
#include <linux/sched/clock.h>
#include <asm/mmu_context.h>
#include <asm/timer.h>
#include <asm/tlbflush.h>

#include "engine.h"

DEFINE_STATIC_KEY_FALSE(rdpmc_never_available_key);
DEFINE_STATIC_KEY_FALSE(rdpmc_always_available_key);

/* "rdpmc" in sysfs. 0: no process may use RDPMC; 1: if an event or perfctr is mapped; 2: all may */
int x86_rdpmc = 1;
static DEFINE_MUTEX(x86_rdpmc_mutex);

/**
 * x86_user_reads - check whether user space may read counters of this CPU
 *
 * Context: any.
 * Return: true if CR4.PCE is set, or is about to be set.
 */
bool x86_user_reads(void)
{
	return this_cpu_read(x86_pmu_cpu.enabling_rdpmc) ||
	       (this_cpu_read(cpu_tlbstate.cr4) & X86_CR4_PCE);
}

/* Is the CPU in lazy TLB mode: a kernel thread keeps the address space of a process? */
static bool x86_is_lazy(void)
{
	return this_cpu_read(cpu_tlbstate_shared.is_lazy);
}

/**
 * x86_in_kernel_thread - check whether a kernel thread runs
 *
 * Lazy TLB mode alone is not enough: a kernel thread that makes an EFI call, or uses the address
 * space of a program (kthread_use_mm()), is not in this mode.
 *
 * Context: any.
 * Return: true if current is a kernel thread, or the CPU is in lazy TLB mode.
 */
bool x86_in_kernel_thread(void)
{
	return x86_is_lazy() || (current->flags & PF_KTHREAD);
}

/**
 * perf_clear_dirty_counters - clear counters before user space may read them
 *
 * Called when a program gets permission for RDPMC, and on a switch to an address space with this
 * permission: from another address space, or from a kernel thread that has kept this address space.
 *
 * Context: interrupts off.
 */
void perf_clear_dirty_counters(void)
{
	struct x86_pmu_cpu *cpu = this_cpu_ptr(&x86_pmu_cpu);

	if (!cpu->core)
		return;
	/* The address space had permission before the kernel thread ran. */
	if (x86_is_lazy() && x86_user_reads()) {
		x86_clear_kernel(cpu);
		return;
	}
	/* CR4.PCE is set later, and x86_clear_unused() updates the pages. */
	WRITE_ONCE(cpu->enabling_rdpmc, true);
	x86_clear_unused(cpu);
	WRITE_ONCE(cpu->enabling_rdpmc, false);
}

/* Remove the counter index from the user pages of programs that lose permission for RDPMC. */
static void x86_close_pages(void)
{
	struct x86_pmu_cpu *cpu = x86_this_cpu();
	int i;

	if (!cpu->core || x86_user_reads())
		return;
	for_each_x86_counter(i, cpu->core->counters) {
		const struct x86_count *count = cpu->owner[i];

		if (count && count->nr_events && count->counter == i)
			x86_count_update_pages(count);
	}
}

static void x86_update_user_page(void *unused)
{
	/* With permission, perf_clear_dirty_counters() updates the pages. */
	cr4_update_pce(NULL);
	x86_close_pages();
	perfctr_cpu_update_readable();
}

/**
 * x86_update_user_pages - update CR4.PCE on the CPUs that use an address space
 * @mm: the address space
 *
 * Context: interrupts on.
 */
void x86_update_user_pages(struct mm_struct *mm)
{
	on_each_cpu_mask(mm_cpumask(mm), x86_update_user_page, NULL, true);
}

/**
 * x86_event_mapped - struct pmu::event_mapped
 * @event: the event
 * @mm: the address space; mmap_lock is held for write, so CR4.PCE updates on its CPUs do not race
 */
void x86_event_mapped(struct perf_event *event, struct mm_struct *mm)
{
	if (!x86_event_is_readable(event))
		return;
	mmap_assert_write_locked(mm);
	if (atomic_inc_return(&mm->context.perf_rdpmc_allowed) == 1)
		x86_update_user_pages(mm);
}

/**
 * x86_event_unmapped - struct pmu::event_unmapped
 * @event: the event
 * @mm: the address space
 */
void x86_event_unmapped(struct perf_event *event, struct mm_struct *mm)
{
	if (!x86_event_is_readable(event))
		return;
	if (atomic_dec_and_test(&mm->context.perf_rdpmc_allowed))
		x86_update_user_pages(mm);
}

/**
 * x86_perf_clock_is_tsc - check whether perf_clock() is computed from the TSC of this CPU
 *
 * False if sched_clock is a clock of the hypervisor, such as kvmclock.
 *
 * Context: any.
 * Return: true if it is.
 */
bool x86_perf_clock_is_tsc(void)
{
	return using_native_sched_clock() && sched_clock_stable();
}

static void x86_userpage_clock(const struct perf_event *event,
			       struct perf_event_mmap_page *page, u64 now)
{
	struct cyc2ns_data data;
	u64 offset;

	if (!x86_perf_clock_is_tsc())
		return;
	cyc2ns_read_begin(&data);
	offset = data.cyc2ns_offset + __sched_clock_offset;
	page->cap_user_time = 1;
	page->time_mult = data.cyc2ns_mul;
	page->time_shift = data.cyc2ns_shift;
	page->time_offset = offset - now;
	/* time_zero is for the perf clock, which use_clockid replaces in records. */
	if (!event->attr.use_clockid) {
		page->cap_user_time_zero = 1;
		page->time_zero = offset;
	}
	cyc2ns_read_end();
}

/**
 * arch_perf_update_userpage - set the architecture's fields of an event's page
 * @event: the event
 * @page: the page; for events of the core PMU, its offset is relative to x86_count::total
 * @now: perf_clock() of the times in the page
 */
void arch_perf_update_userpage(struct perf_event *event, struct perf_event_mmap_page *page,
			       u64 now)
{
	page->cap_user_time = 0;
	page->cap_user_time_zero = 0;
	/* Without an index, the offset is the event's count only if the event is stopped. */
	page->cap_user_rdpmc = x86_event_is_readable(event) &&
			       (page->index || !x86_event_runs(event));
	page->pmc_width = 0;
	if (event->pmu->event_init == x86_event_init)
		x86_event_update_page(event, page);
	x86_userpage_clock(event, page, now);
}

static ssize_t rdpmc_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", x86_rdpmc);
}

static void x86_set_key(struct static_key_false *key, bool on)
{
	if (on)
		static_branch_enable(key);
	else
		static_branch_disable(key);
}

/**
 * x86_rdpmc_init - forbid RDPMC if the model has set "rdpmc" to 0
 *
 * With "rdpmc" 0, events are not readable, so their mappings do not set CR4.PCE. But mappings of
 * perfctr's state would set CR4.PCE without this call.
 *
 * Context: may sleep.
 */
void x86_rdpmc_init(void)
{
	guard(mutex)(&x86_rdpmc_mutex);
	x86_set_key(&rdpmc_never_available_key, !x86_rdpmc);
}

static ssize_t rdpmc_store(struct device *dev, struct device_attribute *attr,
			   const char *buf, size_t len)
{
	unsigned long value;
	int err = kstrtoul(buf, 0, &value);

	if (err)
		return err;
	if (value > 2)
		return -EINVAL;
	guard(mutex)(&x86_rdpmc_mutex);
	if (value == x86_rdpmc)
		return len;
	x86_set_key(&rdpmc_never_available_key, value == 0);
	x86_set_key(&rdpmc_always_available_key, value == 2);
	x86_rdpmc = value;
	on_each_cpu(x86_update_user_page, NULL, true);
	return len;
}

DEVICE_ATTR_ADMIN_RW(rdpmc);
