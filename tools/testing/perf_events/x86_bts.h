/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The branch trace store of the x86 driver, an AUX area for its traces, and a check of each branch.
 */
#ifndef _TOOLS_TESTING_PERF_EVENTS_X86_BTS_H
#define _TOOLS_TESTING_PERF_EVENTS_X86_BTS_H

#include "x86_events.h"

#define perf_sw_context			0
#define PERF_PMU_CAP_EXCLUSIVE		0x10
#define PERF_PMU_CAP_ITRACE		0x20
#define PERF_AUX_FLAG_TRUNCATED		0x01
#define PERF_AUX_FLAG_PARTIAL		0x04
#define PAGE_SHIFT			12
#define DIV_ROUND_UP(n, d)		(((n) + (d) - 1) / (d))
#define offset_in_page(p)		((p) & (PAGE_SIZE - 1))
#define kfree(p)			free(p)
#define __init				__maybe_unused

struct perf_output_handle {
	unsigned long	head;
	unsigned long	size;
	unsigned long	wakeup;
	u64		aux_flags;
};

static inline int perf_pmu_register(struct pmu *pmu, const char *name, int type)
{
	return 0;
}

/* A minimal AUX area in place of the core's */

#define AUX_PAGES	4

static struct {
	u8		memory[AUX_PAGES][4096];
	void		*pages[AUX_PAGES];
	unsigned long	head;
	unsigned long	tail;
	unsigned long	woken;
	unsigned long	watermark;
	struct bts_area	*area;
	bool		overwrite;
	bool		open;
	bool		truncated;
	bool		partial;
	bool		full;
} aux;

#define AUX_SIZE	sizeof(aux.memory)

static inline void aux_wake(void)
{
	if (aux.head - aux.woken >= aux.watermark)
		aux.woken = aux.head / aux.watermark * aux.watermark;
}

static inline void *perf_aux_output_begin(struct perf_output_handle *handle,
					  struct perf_event *event)
{
	assert(!aux.open);
	*handle = (struct perf_output_handle){ .head = aux.head };
	if (!aux.overwrite) {
		handle->size = AUX_SIZE - (aux.head - aux.tail);
		handle->wakeup = aux.woken + aux.watermark;
		aux.full = !handle->size;
		if (aux.full)
			return NULL;
	}
	aux.open = true;
	return aux.area;
}

static inline void perf_aux_output_end(struct perf_output_handle *handle, unsigned long size)
{
	assert(aux.open);
	if (aux.overwrite) {
		assert(handle->head < AUX_SIZE && size <= AUX_SIZE);
		aux.head = handle->head;
	} else {
		/* An AUX record has only whole records of branches. */
		assert(size <= handle->size && size % sizeof(struct x86_bts_record) == 0);
		assert(!size || aux.head % AUX_SIZE % sizeof(struct x86_bts_record) == 0);
		assert(aux.head % AUX_SIZE + size <= AUX_SIZE);
		aux.head += size;
	}
	aux_wake();
	aux.truncated |= handle->aux_flags & PERF_AUX_FLAG_TRUNCATED;
	aux.partial |= handle->aux_flags & PERF_AUX_FLAG_PARTIAL;
	aux.open = false;
}

static inline int perf_aux_output_skip(struct perf_output_handle *handle, unsigned long size)
{
	if (size > handle->size)
		return -EINVAL;
	aux.head += size;
	handle->head = aux.head;
	handle->size -= size;
	aux_wake();
	handle->wakeup = aux.woken + aux.watermark;
	return 0;
}

static inline void perf_aux_output_flag(struct perf_output_handle *handle, u64 flags)
{
	handle->aux_flags |= flags;
}

int x86_nr_cores = 1;

#include "../../../arch/x86/events/intel/bts_pmu.c"

#define BRANCHES	X86_EVENT(0xc4, 0x00)

/* The number of the next branch of the event, and whether any branch was wrong */
static u64 expected;
static bool is_wrong;

static inline void check_branch(u64 from, u64 to)
{
	if (from != MACHINE_CODE + expected * 16 || to != from + 8) {
		if (!is_wrong)
			printf("# branch %#llx to %#llx instead of number %llu\n",
			       (unsigned long long)from, (unsigned long long)to,
			       (unsigned long long)expected);
		is_wrong = true;
	}
	expected++;
}

static inline void check_branch_sample(const struct counted *c, const struct perf_sample_data *data,
				       const struct pt_regs *regs)
{
	if (!(c->event.hw.flags & X86_BRANCH_TRACE))
		return;
	is_wrong |= machine.debugctl & DEBUGCTLMSR_TR;
	/* BTS records only the host, so a sample never has the mode of an interrupted guest. */
	is_wrong |= perf_misc_flags((struct pt_regs *)regs) != PERF_RECORD_MISC_USER;
	check_branch(perf_instruction_pointer((struct pt_regs *)regs), data->addr);
}

/* Start the machine. @lacking: features that the CPU lacks */
static inline void start(u64 seed, u32 lacking)
{
	row = &model;
	start_machine(&with_control, seed, GENMASK_ULL(30, 0));
	features &= ~lacking;
	machine.reports_full = seed % 2;
	core.generic[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = BRANCHES;
	x86_bts_probe(&core);
	check_sample = check_branch_sample;
	guest_state = 0;
	is_wrong = false;
}

static inline bool is_off(void)
{
	return !(machine.debugctl & BTS_CONTROL);
}

#endif
