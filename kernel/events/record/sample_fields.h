/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_SAMPLE_FIELDS_H
#define _KERNEL_EVENTS_SAMPLE_FIELDS_H

#include <linux/bitops.h>
#include <linux/perf_event.h>

/**
 * struct sample_field - a field of a sample
 * @bit: its PERF_SAMPLE_* bit
 * @word: offset in struct perf_sample_data, for a field of one word
 * @prepare: collect the field, and add its bytes beyond 8 to perf_sample_data::dyn_size; may be
 *	NULL
 * @write: write the field; NULL to write @word
 */
struct sample_field {
	u32	bit;
	u16	word;
	void	(*prepare)(struct perf_sample_data *data, struct perf_event *event,
			   struct pt_regs *regs);
	void	(*write)(struct perf_output_handle *handle, struct perf_sample_data *data,
			 struct perf_event *event);
};

/* Bits of sample_type with a row in perf_sample_fields */
#define PERF_SAMPLE_TABLED							\
	(PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | PERF_SAMPLE_BRANCH_STACK |	\
	 PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER |			\
	 PERF_SAMPLE_WEIGHT_TYPE | PERF_SAMPLE_DATA_SRC |			\
	 PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_REGS_INTR |			\
	 PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CGROUP |				\
	 PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE |		\
	 PERF_SAMPLE_AUX)

/* Fields with a size limited by the free space of the record, and therefore prepared last */
#define PERF_SAMPLE_ELASTIC \
	(PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_AUX)

/* PERF_SAMPLE_WEIGHT and PERF_SAMPLE_WEIGHT_STRUCT share a row. */
#define PERF_SAMPLE_ROWS	(HWEIGHT32(PERF_SAMPLE_TABLED) - 1)

/*
 * Rows in the order of the record, without the leading words and the counter values. Each bit of
 * PERF_SAMPLE_TABLED has a row. So a walk that stops at the last bit it searches for needs no check
 * for the end of the table.
 */
extern const struct sample_field perf_sample_fields[PERF_SAMPLE_ROWS];

#endif /* _KERNEL_EVENTS_SAMPLE_FIELDS_H */
