/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_SAMPLE_FIELDS_H
#define _KERNEL_EVENTS_SAMPLE_FIELDS_H

#include <linux/bitops.h>
#include <linux/perf_event.h>

/**
 * struct sample_field - one field of a sample
 * @bit: PERF_SAMPLE_* that asks for it
 * @word: of a field that is one word, its offset in struct perf_sample_data
 * @prepare: collect the field and add to dyn_size what it needs beyond 8
 *	bytes; NULL when there is nothing to do
 * @write: write the field, NULL to write @word
 */
struct sample_field {
	u32	bit;
	u16	word;
	void	(*prepare)(struct perf_sample_data *data, struct perf_event *event,
			   struct pt_regs *regs);
	void	(*write)(struct perf_output_handle *handle, struct perf_sample_data *data,
			 struct perf_event *event);
};

/* The bits of sample_type that have a row in perf_sample_fields. */
#define PERF_SAMPLE_TABLED							\
	(PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | PERF_SAMPLE_BRANCH_STACK |	\
	 PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER |			\
	 PERF_SAMPLE_WEIGHT_TYPE | PERF_SAMPLE_DATA_SRC |			\
	 PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_REGS_INTR |			\
	 PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CGROUP |				\
	 PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE |		\
	 PERF_SAMPLE_AUX)

/* The bits of fields that take what is left of the record, and so are prepared last. */
#define PERF_SAMPLE_ELASTIC \
	(PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_AUX)

/* PERF_SAMPLE_WEIGHT and PERF_SAMPLE_WEIGHT_STRUCT are two names of one field. */
#define PERF_SAMPLE_ROWS	(HWEIGHT32(PERF_SAMPLE_TABLED) - 1)

/*
 * In the order of the record, without the words that it begins with and the
 * counter values. A walk that looks for bits of PERF_SAMPLE_TABLED finds the
 * last of them before the end.
 */
extern const struct sample_field perf_sample_fields[PERF_SAMPLE_ROWS];

#endif /* _KERNEL_EVENTS_SAMPLE_FIELDS_H */
