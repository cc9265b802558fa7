// SPDX-License-Identifier: GPL-2.0
/*
 * Debug store area: the addresses of the buffers to which the CPU writes PEBS and BTS records.
 *
 * Area and buffers are in the CPU entry area, which is mapped in all address spaces.
 */
#include <linux/gfp.h>
#include <asm/cpu_entry_area.h>
#include <asm/intel_ds.h>
#include <asm/io.h>
#include <asm/msr.h>

#include "../engine.h"

/**
 * x86_ds_map_buffer - allocate a buffer, and map it in the CPU entry area
 * @number: the CPU
 * @area: address in its CPU entry area, where nothing was mapped before: no TLB flush is needed
 * @size: size in bytes
 *
 * Context: process.
 * Return: address of the buffer in the direct mapping, NULL without memory.
 */
void *x86_ds_map_buffer(unsigned int number, void *area, unsigned int size)
{
	/* Any user can cause a failure, so it is not logged. */
	const gfp_t gfp = GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN;
	struct page *pages = alloc_pages_node(cpu_to_node(number), gfp, get_order(size));
	void *buffer;
	unsigned int at;

	if (!pages)
		return NULL;
	buffer = page_address(pages);
	for (at = 0; at < size; at += PAGE_SIZE)
		cea_set_pte(area + at, virt_to_phys(buffer + at), PAGE_KERNEL);
	return buffer;
}

/**
 * x86_ds_use - set the register of the debug store area
 * @cpu: this CPU
 *
 * Context: interrupts off, or NMI.
 */
void x86_ds_use(struct x86_pmu_cpu *cpu)
{
	if (READ_ONCE(cpu->has_ds_area))
		return;
	/* An NMI that finds the flag set does not write the register. */
	wrmsrl(MSR_IA32_DS_AREA,
	       (unsigned long)&get_cpu_entry_area(raw_smp_processor_id())->cpu_debug_store);
	barrier();
	WRITE_ONCE(cpu->has_ds_area, true);
}

/**
 * x86_ds_reset - disable PEBS and BTS, which may be in any state
 * @cpu: this CPU, which is brought up, taken offline, shut down, or resumes
 *
 * Context: interrupts off, or NMI after a crash.
 */
void x86_ds_reset(struct x86_pmu_cpu *cpu)
{
	x86_precise_reset(cpu);
	x86_bts_reset(cpu);
	if (cpu->core->precise.levels || x86_bts_exists())
		wrmsrl(MSR_IA32_DS_AREA, 0);
}
