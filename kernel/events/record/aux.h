/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_AUX_H
#define _KERNEL_EVENTS_AUX_H

#include <linux/irq_work.h>
#include <linux/perf_event.h>
#include <linux/refcount.h>
#include <linux/workqueue.h>

#include "buffer.h"

/**
 * struct perf_aux - an AUX area
 * @refcount: one for each mapping, one for AUX output in progress
 * @mappings: number of mappings of this area, protected by the buffer's lock
 * @rb: buffer of the area, with a reference
 * @pmu: PMU that has set the area up. No other PMU may write to the area. NULL after the driver has
 *	released the area
 * @driver_entry: entry in the list of areas with a driver
 * @priv: the driver's pointer, from pmu::setup_aux
 * @free: copy of pmu::free_aux
 * @pgoff: offset of the mapping, in pages
 * @nr_pages: a power of two
 * @watermark: bytes between wakeups; not in overwrite mode
 * @overwrite: the mapping is read-only, so the reader cannot move the tail
 * @sampling: bytes of the area are being copied to a sample
 * @writer: event that writes to the area
 * @writer_cpu: CPU on which the AUX output began
 * @module: the driver's module, with a reference, for @free
 * @charge: charge for the pages, until they are freed
 * @atomic_put: frees the area if perf_aux_output_end() drops the last reference
 * @work: frees the area after a grace period, in a context that may sleep
 * @pages: addresses of the pages
 */
struct perf_aux {
	refcount_t		refcount;
	unsigned int		mappings;
	struct perf_buffer	*rb;
	struct pmu		*pmu;
	struct list_head	driver_entry;
	void			*priv;
	void			(*free)(void *aux);
	unsigned long		pgoff;
	unsigned int		nr_pages;
	unsigned long		watermark;
	bool			overwrite;
	bool			sampling;
	struct perf_event	*writer;
	int			writer_cpu;
	struct module		*module;
	struct perf_charge	charge;
	struct irq_work		atomic_put;
	struct rcu_work		work;
	void			*pages[];
};

struct perf_aux *perf_aux_alloc(struct perf_buffer *rb, struct perf_event *event,
				unsigned long pgoff, unsigned int nr_pages, bool overwrite);
void perf_aux_put(struct perf_aux *aux);
void perf_aux_put_now(struct perf_aux *aux);
struct page *perf_aux_page(struct perf_aux *aux, unsigned long pgoff);
void perf_aux_stop_writer(struct perf_aux *aux);
void perf_aux_revoke(struct pmu *pmu);
#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
extern void (*perf_test_aux_step)(void);
#endif
void perf_aux_record_itrace_start(struct perf_event *event);

/* If the PMU traces instructions, write an ITRACE_START record when its event starts. */
static inline void perf_log_itrace_start(struct perf_event *event)
{
	if (unlikely(event->pmu->capabilities & PERF_PMU_CAP_ITRACE))
		perf_aux_record_itrace_start(event);
}

unsigned long perf_aux_sample_size(struct perf_event *sampler, unsigned long size);
void perf_aux_sample_write(struct perf_event *sampler, struct perf_output_handle *handle,
			   unsigned long size);

/* One overflow cannot both pause and resume the AUX area. */
static inline bool perf_event_has_one_aux_action(const struct perf_event *event)
{
	return !event->attr.aux_pause || !event->attr.aux_resume;
}

bool perf_event_needs_aux(const struct perf_event *event);
bool perf_event_set_aux_output(struct perf_event *event, struct perf_event *leader);
void perf_event_clear_aux_output(struct perf_event *event);

#endif /* _KERNEL_EVENTS_AUX_H */
