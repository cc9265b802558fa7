/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Between record.c, which knows who listens, and record_*.c, which know what
 * there is to tell.
 */
#ifndef _KERNEL_EVENTS_SIDEBAND_H
#define _KERNEL_EVENTS_SIDEBAND_H

#include <linux/atomic.h>
#include <linux/perf_event.h>

/* Kinds of records that events ask for by one or several bits of their attr. */
enum perf_sideband_kind {
	PERF_SIDEBAND_MMAP,
	PERF_SIDEBAND_COMM,
	PERF_SIDEBAND_TASK,
	PERF_SIDEBAND_NAMESPACES,
	PERF_SIDEBAND_SWITCH,
	PERF_SIDEBAND_KSYMBOL,
	PERF_SIDEBAND_BPF,
	PERF_SIDEBAND_CGROUP,
	PERF_SIDEBAND_TEXT_POKE,
	PERF_SIDEBAND_BUILD_ID,	/* no record: a field of MMAP2 */
	NR_PERF_SIDEBAND,
};

/* Events that ask for a kind, on all CPUs and tasks. */
extern atomic_t perf_sideband_listeners[NR_PERF_SIDEBAND];

static inline bool perf_sideband_heard(enum perf_sideband_kind kind)
{
	return unlikely(atomic_read(&perf_sideband_listeners[kind]));
}

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

void perf_record_send(struct perf_record *record, struct perf_event_context *ctx);
void perf_record_send_current(struct perf_record *record);
void perf_record_send_to(struct perf_event *event, struct perf_record *record);

#endif /* _KERNEL_EVENTS_SIDEBAND_H */
