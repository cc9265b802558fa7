/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_SAMPLE_FIELDS_H
#define _KERNEL_EVENTS_SAMPLE_FIELDS_H

#include <linux/perf_event.h>

/**
 * struct sample_field - one field of a sample
 * @bit: PERF_SAMPLE_* that asks for it
 * @word: of a field that is one word, its offset in struct perf_sample_data
 * @elastic: takes what is left of the record, so it is prepared last
 * @prepare: collect the field and add to dyn_size what it needs beyond 8
 *	bytes; NULL when there is nothing to do
 * @write: write the field, NULL to write @word
 */
struct sample_field {
	u32	bit;
	u16	word;
	bool	elastic;
	void	(*prepare)(struct perf_sample_data *data, struct perf_event *event,
			   struct pt_regs *regs);
	void	(*write)(struct perf_output_handle *handle, struct perf_sample_data *data,
			 struct perf_event *event);
};

/* In the order of the record, without the words that it begins with and the counter values. */
extern const struct sample_field perf_sample_fields[];

#endif /* _KERNEL_EVENTS_SAMPLE_FIELDS_H */
