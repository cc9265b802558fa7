/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Between sideband.c, which knows who listens, and sideband_*.c, which know what
 * there is to tell.
 */
#ifndef _KERNEL_EVENTS_SIDEBAND_H
#define _KERNEL_EVENTS_SIDEBAND_H

#include <linux/perf_event.h>

/**
 * struct perf_record - a record that several events may get
 * @kind: who gets it
 * @type: PERF_RECORD_*
 * @misc: PERF_RECORD_MISC_*
 * @body_size: bytes of @body
 * @body: what follows the header
 * @tail: what follows @body, padded with zeros to a multiple of 8
 * @tail_size: bytes of each part of @tail
 * @wants: more to ask of an event than @kind does, or NULL
 * @fill: make @type, @misc and @body what this event is to see; or NULL.
 *	Called for one event after the other, preemption off
 *
 * In the memory of whoever has something to tell, most often in front of the
 * body.
 */
struct perf_record {
	enum perf_sideband_kind	kind;
	u16			type;
	u16			misc;
	u16			body_size;
	u16			tail_size[2];
	void			*body;
	const void		*tail[2];
	bool			(*wants)(const struct perf_event_attr *attr,
					 const struct perf_record *record);
	void			(*fill)(struct perf_event *event, struct perf_record *record);
};

/* May sleep: code is patched when the first one comes and some time after the last has gone. */
void perf_sideband_get(enum perf_sideband_kind kind);
void perf_sideband_put(enum perf_sideband_kind kind);

void perf_sideband_attach(struct perf_event *event);
void perf_sideband_detach(struct perf_event *event);
bool perf_sideband_wanted(const struct perf_event_attr *attr);
void perf_sideband_open(struct perf_event *event);
void perf_sideband_close(struct perf_event *event);
void perf_sideband_init(void);

void perf_record_send(struct perf_record *record, struct perf_event_context *ctx);
void perf_record_send_current(struct perf_record *record);
void perf_record_send_to(struct perf_event *event, struct perf_record *record);

#endif /* _KERNEL_EVENTS_SIDEBAND_H */
