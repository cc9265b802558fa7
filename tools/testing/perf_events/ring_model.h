/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A ring with writers that interrupt one another, and a reader on another CPU that checks the ring
 * at each step. Published records must be complete, and each record must be read once or be counted
 * as lost. In a shared ring a record may be lost only if there was a moment without space for it
 * during its write. For ring_model_test.c and the fuzzer fuzz_ring.c, which define when writers
 * interrupt: model_interrupt().
 *
 * In a shared ring, too, all writers are on one CPU: they interrupt it while it closes or publishes
 * an epoch. ring_shared.pml models parallel CPUs, and the selftest ring_threads runs them.
 */
#ifndef _TOOLS_TESTING_PERF_EVENTS_RING_MODEL_H
#define _TOOLS_TESTING_PERF_EVENTS_RING_MODEL_H

struct perf_ring;
static void model_step(struct perf_ring *ring);
#define PERF_RING_STEP(ring)	model_step(ring)
#include "record/ring_shared.h"

#define MODEL_WORDS_MAX		512
#define MODEL_LEVELS		4		/* task, softirq, interrupt, NMI */
#define MODEL_LOST_WORDS	3

/* First word of a record: type, length, round of the outermost writer, and writer */
#define MODEL_RECORD		1ULL
#define MODEL_LOST		2ULL

/**
 * struct ring_model - a ring, and its expected state
 * @ring: the ring under test
 * @page: first page of the ring
 * @data: memory of the records
 * @shared: second part of the ring, if several CPUs may write
 * @is_shared: several CPUs may write
 * @woken: a writer has requested a wakeup of the reader, which first publishes records that a
 *	writer has left
 * @asked: a record that requested a wakeup has been committed since the last wakeup
 * @backward: records are written backward
 * @consume: the reader frees space after each round
 * @read: the reader's position
 * @round: number of the outermost writer
 * @level: number of active writers
 * @attempts: number of records that writers have tried to write
 * @got: number of records that the reader has found
 * @told_lost: number of lost records by the LOST records
 * @wakeups_seen: ring.wakeups at the last request of a wakeup
 * @steps: number of steps of the writer at each level
 * @plan: step at which the writer at a level is interrupted, -1 for none
 * @words: length of records at each level
 * @needs: number of bytes that the writer at a level requests from a shared ring
 * @was_full: there was a moment without space for these bytes
 * @fault: the first fault, or NULL
 */
struct ring_model {
	struct perf_ring		ring;
	struct perf_event_mmap_page	page;
	u64				data[MODEL_WORDS_MAX];
	struct perf_shared_ring		shared;
	bool				is_shared;
	bool				woken;
	bool				asked;
	bool				backward;
	bool				consume;
	unsigned long			read;
	unsigned int			round;
	int				level;
	unsigned long			attempts;
	unsigned long			got;
	unsigned long			told_lost;
	unsigned long			wakeups_seen;
	int				steps[MODEL_LEVELS];
	int				plan[MODEL_LEVELS];
	unsigned int			words[MODEL_LEVELS];
	unsigned long			needs[MODEL_LEVELS];
	bool				was_full[MODEL_LEVELS];
	const char			*fault;
};

static void model_interrupt(struct ring_model *model);

static void model_fault(struct ring_model *model, const char *what)
{
	if (!model->fault)
		model->fault = what;
}

static u64 *model_word(struct ring_model *model, unsigned long pos)
{
	return &model->data[(pos & (model->ring.size - 1)) / sizeof(u64)];
}

static u64 model_body(u64 first, unsigned int i)
{
	return first * 0x9e3779b97f4a7c15ULL + i;
}

static void model_reset(struct ring_model *model, unsigned long size, unsigned long start)
{
	memset(model, 0, sizeof(*model));
	model->ring.size = size;
	model->ring.watermark = size / 2;
	model->ring.user = &model->page;
	local_set(&model->ring.head, start);
	model->page.data_head = start;
	model->page.data_tail = start;
	model->read = start;
	local_set(&model->ring.mark, start);
}

/* Check one record. Return: its length in bytes, or 0. */
static unsigned long model_parse(struct ring_model *model, unsigned long pos, unsigned long room,
				 bool count)
{
	u64 first = *model_word(model, pos);
	u64 type = first >> 56, words = first >> 48 & 0xff;
	unsigned int i;

	if ((type != MODEL_RECORD && type != MODEL_LOST) || !words || words * 8 > room) {
		model_fault(model, "the header of a record is invalid");
		return 0;
	}
	if (type == MODEL_LOST) {
		if (words != MODEL_LOST_WORDS)
			model_fault(model, "a LOST record of the wrong length");
		if (!*model_word(model, pos + 16))
			model_fault(model, "a LOST record with a count of 0");
		if (count)
			model->told_lost += *model_word(model, pos + 16);
	} else {
		for (i = 1; i < words; i++) {
			if (*model_word(model, pos + i * 8) != model_body(first, i))
				model_fault(model, "the words of a record are wrong");
		}
		if (count)
			model->got++;
	}
	return words * 8;
}

/* Check all published records that have not been read; with @count they count as read. */
static void model_read(struct ring_model *model, bool count)
{
	unsigned long head = READ_ONCE(model->page.data_head);
	unsigned long pos = model->backward ? head : model->read;
	unsigned long end = model->backward ? model->read : head;
	unsigned int round = model->backward ? UINT_MAX : 0;

	if (end - pos >= model->ring.size) {
		model_fault(model, "the published records are larger than the ring");
		return;
	}
	while (pos != end && !model->fault) {
		u64 first = *model_word(model, pos);
		unsigned int this_round = first >> 16 & 0xffffffff;
		unsigned long len = model_parse(model, pos, end - pos, count);

		if (!len)
			break;
		if (first >> 56 == MODEL_RECORD) {
			if (model->backward ? this_round > round : this_round < round)
				model_fault(model, "records are out of order");
			round = this_round;
		}
		pos += len;
	}
	if (count)
		model->read = head;
}

static unsigned long model_head(struct ring_model *model)
{
	return local_read(&model->ring.head) +
	       (atomic_long_read(&model->shared.head) & PERF_RING_POSITION);
}

/* Record whether the shared ring has no space now for the request of each active writer. */
static void model_look_for_room(struct ring_model *model)
{
	unsigned long tail, room;
	int level;

	tail = model->ring.overwrite ? local_read(&model->ring.head) + model->shared.published :
				       model->page.data_tail;
	room = perf_ring_room(model_head(model), tail, model->ring.size, model->backward);
	for (level = 0; level < model->level; level++)
		model->was_full[level] |= room < model->needs[level];
}

static void model_step(struct perf_ring *ring)
{
	struct ring_model *model = container_of(ring, struct ring_model, ring);

	if (!model->ring.overwrite)
		model_read(model, false);
	model_look_for_room(model);
	model_interrupt(model);
	model_look_for_room(model);
}

/* Copy the record, as between perf_output_begin() and perf_output_end(). */
static void model_copy(struct ring_model *model, unsigned long start, unsigned long lost,
		       u64 first)
{
	struct perf_ring *ring = &model->ring;
	unsigned int words = first >> 48 & 0xff, i;

	if (lost) {
		*model_word(model, start) = MODEL_LOST << 56 | (u64)MODEL_LOST_WORDS << 48;
		PERF_RING_STEP(ring);
		*model_word(model, start + 16) = lost;
		start += MODEL_LOST_WORDS * 8;
	}
	*model_word(model, start) = first;
	for (i = 1; i < words; i++) {
		PERF_RING_STEP(ring);
		*model_word(model, start + i * 8) = model_body(first, i);
	}
}

static void model_write_alone(struct ring_model *model, u64 first)
{
	struct perf_ring *ring = &model->ring;
	unsigned long bytes = (first >> 48 & 0xff) * 8, wakeups, start, lost;

	wakeups = perf_ring_enter(ring);
	lost = perf_ring_take_lost(ring);
	if (perf_ring_begin(ring, bytes + (lost ? MODEL_LOST_WORDS * 8 : 0), lost,
			    model->backward, &start))
		model_copy(model, start, lost, first);
	if (perf_ring_leave(ring, wakeups))
		model->wakeups_seen = local_read(&ring->wakeups);
}

static void model_write_shared(struct ring_model *model, u64 first)
{
	struct perf_ring *ring = &model->ring;
	unsigned long bytes = (first >> 48 & 0xff) * 8, ticket, start;
	unsigned long lost = atomic_long_xchg(perf_ring_word(&ring->lost), 0);
	int level = model->level - 1;

	bytes += lost ? MODEL_LOST_WORDS * 8 : 0;
	model->needs[level] = bytes;
	model->was_full[level] = false;
	model_look_for_room(model);
	ticket = perf_ring_reserve_shared(ring, &model->shared, bytes, model->backward, &start);
	if (!ticket) {
		if (!model->was_full[level])
			model_fault(model, "a record is lost, but the ring had space for it");
		perf_ring_lose(ring, lost + 1);
		return;
	}
	model_copy(model, start, lost, first);
	if (ticket & PERF_RING_WAKE)
		model->asked = true;
	if (perf_ring_commit(ring, &model->shared, ticket)) {
		model->asked = false;
		model->woken = true;
	}
}

/*
 * The interrupt that wakes the reader: it publishes records that a writer has left, until no writer
 * has requested another wakeup.
 */
static void model_wake(struct ring_model *model)
{
	model->level++;
	while (model->woken) {
		model->woken = false;
		if (perf_ring_flush(&model->ring, &model->shared, model->backward)) {
			model->asked = false;
			model->woken = true;
		}
	}
	model->level--;
}

/*
 * Write a record with the steps of perf_output_begin(), copies, and
 * perf_output_end().
 */
static void model_write(struct ring_model *model)
{
	unsigned int words = model->words[model->level];
	u64 first;

	if (!model->level)
		model->round++;
	model->steps[model->level] = 0;
	first = MODEL_RECORD << 56 | (u64)words << 48 | (u64)model->round << 16 |
		(model->attempts++ & 0xffff);
	model->level++;
	if (model->is_shared)
		model_write_shared(model, first);
	else
		model_write_alone(model, first);
	model->level--;
}

/* Check the counts, when no writer is active. */
static void model_settle(struct ring_model *model)
{
	struct perf_ring *ring = &model->ring;

	model_wake(model);
	if (ring->nest)
		model_fault(model, "the count of active writers is not 0");
	if (model->page.data_head != model_head(model))
		model_fault(model, "records are not published");
	if (atomic_long_read(&model->shared.head) & PERF_RING_CLOSING ||
	    atomic_long_read(&model->shared.committed[0]) ||
	    atomic_long_read(&model->shared.committed[1]))
		model_fault(model, "an epoch is still open");
	if (model->asked)
		model_fault(model, "a wakeup that a record requested is lost");
	if (model->wakeups_seen != (unsigned long)local_read(&ring->wakeups))
		model_fault(model, "a wakeup is lost");
	if (ring->overwrite) {
		model->read = model->page.data_head;
		return;
	}
	model_read(model, true);
	if (model->got + model->told_lost + local_read(&ring->lost) != model->attempts)
		model_fault(model, "the records read and lost are not all records");
	if (model->consume)
		model->page.data_tail = model->read;
}

#endif /* _TOOLS_TESTING_PERF_EVENTS_RING_MODEL_H */
