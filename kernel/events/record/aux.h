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
 * @refcount: one for all mappings, one for an open transaction
 * @mappings: number of mappings of this area, protected by the buffer's lock
 * @rb: the buffer that the area belongs to; holds a reference
 * @pmu: the PMU that set the area up, and the only one that may write to it; NULL
 *	when the driver has left the area
 * @driver_entry: place among the areas that have a driver
 * @priv: the driver's pointer, from pmu::setup_aux
 * @free: pmu::free_aux, kept as @pmu may go first
 * @pgoff: where the mapping begins, in pages
 * @nr_pages: a power of two
 * @watermark: bytes after which a reader is to be woken; not in overwrite mode
 * @overwrite: the reader does not tell what it has read
 * @sampling: a piece of it is being copied into a sample
 * @writer: event that has a transaction open
 * @writer_cpu: CPU where the transaction was opened
 * @module: the driver's, held for @free
 * @charge: who pays for the pages, until they are free
 * @atomic_put: frees the area when a transaction held the last reference
 * @work: frees the area after a grace period, where that may sleep
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
void perf_aux_put(struct perf_aux *aux);	/* any context */
void perf_aux_put_now(struct perf_aux *aux);
struct page *perf_aux_page(struct perf_aux *aux, unsigned long pgoff);
void perf_aux_stop_writer(struct perf_aux *aux);
void perf_aux_revoke(struct pmu *pmu);
#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
extern void (*perf_test_aux_step)(void);
#endif
void perf_aux_record_itrace_start(struct perf_event *event);

/* Write an ITRACE_START record if the event, which goes on, is of a PMU that wants one. */
static inline void perf_log_itrace_start(struct perf_event *event)
{
	if (unlikely(event->pmu->capabilities & PERF_PMU_CAP_ITRACE))
		perf_aux_record_itrace_start(event);
}

/*
 * Samples with a piece of the AUX area: how many bytes of @size a sample of
 * the AUX event @sampler can have now (a multiple of 8; 0: none), and write
 * exactly that many. On the CPU that runs @sampler; any context.
 */
unsigned long perf_aux_sample_size(struct perf_event *sampler, unsigned long size);
void perf_aux_sample_write(struct perf_event *sampler, struct perf_output_handle *handle,
			   unsigned long size);

/*
 * Events of a group whose leader is an AUX event and that depend on it
 * (attr.aux_output, aux_sample_size, aux_pause, aux_resume).
 * perf_event_set_aux_output() returns false when the leader will not do.
 * perf_event_clear_aux_output() drops the link of a member, or all links to a
 * leader; the caller takes members that have lost their link off the PMU.
 */
bool perf_event_needs_aux(const struct perf_event *event);
bool perf_event_set_aux_output(struct perf_event *event, struct perf_event *leader);
void perf_event_clear_aux_output(struct perf_event *event);

#endif /* _KERNEL_EVENTS_AUX_H */
