/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Between sideband.c, which knows who listens, and sideband_*.c, which know what
 * there is to tell.
 */
#ifndef _KERNEL_EVENTS_SIDEBAND_H
#define _KERNEL_EVENTS_SIDEBAND_H

#include <linux/perf_event.h>

struct perf_record;

/**
 * struct perf_record_kind - what is to be said of a kind of record, in one row
 * @key: the static key of the sites that tell of it
 * @asks: do these attributes ask for it? The key is on while an event does
 * @type: PERF_RECORD_*, unless the sender or @fill knows better
 * @body_size: bytes of the body, unless @fill knows better
 * @wants: of events that ask for the kind, which want this record; NULL for all
 * @fill: make type, misc and body of the record what this event is to see; or NULL.
 *	Called for one event after the other, preemption off
 *
 * A row stands beside the functions that it names; sideband.c lists all rows.
 */
struct perf_record_kind {
	enum perf_sideband_kind	key;
	bool			(*asks)(const struct perf_event_attr *attr);
	u16			type;
	u16			body_size;
	bool			(*wants)(const struct perf_event_attr *attr,
					 const struct perf_record *record);
	void			(*fill)(struct perf_event *event, struct perf_record *record);
};

extern const struct perf_record_kind perf_comm_kind, perf_task_kind, perf_namespaces_kind,
				     perf_switch_kind, perf_mmap_kind, perf_build_id_kind,
				     perf_ksymbol_kind, perf_bpf_kind, perf_text_poke_kind,
				     perf_cgroup_kind;

/**
 * struct perf_record - a record that several events may get
 * @kind: who gets it; NULL for one that the sender gives to a single event
 * @type: PERF_RECORD_*
 * @misc: PERF_RECORD_MISC_*
 * @body_size: bytes of @body
 * @body: what follows the header
 * @tail: what follows @body, padded with zeros to a multiple of 8
 * @tail_size: bytes of each part of @tail
 *
 * In the memory of whoever has something to tell, most often in front of the
 * body.
 */
struct perf_record {
	const struct perf_record_kind *kind;
	u16			type;
	u16			misc;
	u16			body_size;
	u16			tail_size[2];
	void			*body;
	const void		*tail[2];
};

/* For the initializer of a struct perf_record: what its kind says. */
#define PERF_RECORD_OF(row)	\
	.kind = &(row), .type = (row).type, .body_size = (row).body_size

/* May sleep: code is patched when the first one comes and some time after the last has gone. */
void perf_sideband_get(enum perf_sideband_kind kind);
void perf_sideband_put(enum perf_sideband_kind kind);

void perf_sideband_attach(struct perf_event *event);
void perf_sideband_detach(struct perf_event *event);
bool perf_sideband_wanted(const struct perf_event_attr *attr);
void perf_sideband_open(struct perf_event *event);
void perf_sideband_close(struct perf_event *event);
void perf_sideband_init(void);

bool perf_record_taken(const struct perf_record *record);
void perf_record_send(struct perf_record *record, struct perf_event_context *ctx);
void perf_record_send_current(struct perf_record *record);
void perf_record_send_to(struct perf_event *event, struct perf_record *record);

#endif /* _KERNEL_EVENTS_SIDEBAND_H */
