/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interface between sideband.c and sideband_*.c: sideband_*.c create the records, sideband.c finds
 * the events that request them.
 */
#ifndef _KERNEL_EVENTS_SIDEBAND_H
#define _KERNEL_EVENTS_SIDEBAND_H

#include <linux/perf_event.h>

struct perf_record;

/**
 * struct perf_record_kind - description of a kind of record
 * @hook: its hooks
 * @attr_match: does an event with these attributes request such records? While such an event
 *	exists, the hooks are enabled
 * @type: PERF_RECORD_*, unless the sender or @fill sets it
 * @body_size: bytes of the body, unless @fill sets it
 * @record_match: does an event with these attributes get this particular record? NULL: yes
 * @fill: set type, misc and body of the record for an event; or NULL. Called for each event with
 *	preemption off
 *
 * A row is next to its functions; sideband.c lists all rows.
 */
struct perf_record_kind {
	enum perf_sideband_kind	hook;
	bool			(*attr_match)(const struct perf_event_attr *attr);
	u16			type;
	u16			body_size;
	bool			(*record_match)(const struct perf_event_attr *attr,
						const struct perf_record *record);
	void			(*fill)(struct perf_event *event, struct perf_record *record);
};

extern const struct perf_record_kind perf_comm_kind, perf_task_kind, perf_namespaces_kind,
				     perf_switch_kind, perf_mmap_kind, perf_build_id_kind,
				     perf_ksymbol_kind, perf_bpf_kind, perf_text_poke_kind,
				     perf_cgroup_kind;

/**
 * struct perf_record - a record for one or several events
 * @kind: its kind; NULL for a record to a single event
 * @type: PERF_RECORD_*
 * @misc: PERF_RECORD_MISC_*
 * @body_size: bytes of @body
 * @body: bytes after the header
 * @tail: two parts after @body; the record is padded with zeros to a multiple of 8
 * @tail_size: bytes of each part of @tail
 *
 * The sender owns the memory, usually together with the body.
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

/* Initialiser of a struct perf_record from its kind */
#define PERF_RECORD_OF(row)	\
	.kind = &(row), .type = (row).type, .body_size = (row).body_size

void perf_sideband_get(enum perf_sideband_kind kind);
void perf_sideband_put(enum perf_sideband_kind kind);

void perf_sideband_attach(struct perf_event *event);
void perf_sideband_detach(struct perf_event *event);
bool perf_attr_has_sideband(const struct perf_event_attr *attr);
void perf_sideband_open(struct perf_event *event);
void perf_sideband_close(struct perf_event *event);
void perf_sideband_init(void);

bool perf_record_has_listener(const struct perf_record *record);
void perf_record_send(struct perf_record *record, struct perf_event_context *ctx);
void perf_record_send_current(struct perf_record *record);
void perf_record_send_to(struct perf_event *event, struct perf_record *record);

#endif /* _KERNEL_EVENTS_SIDEBAND_H */
