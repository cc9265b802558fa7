// SPDX-License-Identifier: GPL-2.0
/*
 * Counter values in records: PERF_SAMPLE_READ and PERF_RECORD_READ.
 */
#include <linux/perf_event.h>

#include "../cold.h"
#include "../internal.h"
#include "../time.h"
#include "sample_read.h"
#include "values.h"

/**
 * perf_event_read_size - get the size of the counter values
 * @read_format: PERF_FORMAT_*
 * @nr_siblings: members of the group without the leader
 *
 * read(2) and records have the same values.
 *
 * Return: bytes
 */
unsigned int perf_event_read_size(u64 read_format, unsigned int nr_siblings)
{
	unsigned int head = perf_format_time_words(read_format) * sizeof(u64);
	unsigned int entry = perf_format_entry_words(read_format) * sizeof(u64);

	if (!(read_format & PERF_FORMAT_GROUP))
		return head + entry;
	/* The number of events, the times, and an entry for each event */
	return sizeof(u64) + head + entry * (1 + nr_siblings);
}

static bool perf_read_fits(const struct perf_event *event, unsigned int nr_siblings)
{
	return perf_event_read_size(event->attr.read_format, nr_siblings) <= PERF_READ_SIZE_MAX;
}

/**
 * perf_read_size_check - does the size of a read allow one more member of a group?
 * @event: event to be attached
 * @leader: leader of its group, or @event itself
 *
 * Check the read size of each member, including @event. The limit also applies if no member has
 * PERF_FORMAT_GROUP, because it bounds all loops over a group with interrupts off.
 *
 * Context: the mutex of the context is held.
 * Return: 0 if the group may grow, else -E2BIG
 */
int perf_read_size_check(const struct perf_event *event, struct perf_event *leader)
{
	struct perf_event *member;
	unsigned int nr;

	if (leader == event)
		return perf_read_fits(event, 0) ? 0 : -E2BIG;

	lockdep_assert_held(&leader->ctx->mutex);
	nr = leader->nr_siblings + 1;
	if (perf_event_read_size(PERF_FORMAT_GROUP, nr) > PERF_READ_SIZE_MAX)
		return -E2BIG;
	if (!perf_read_fits(event, nr) || !perf_read_fits(leader, nr))
		return -E2BIG;
	for_each_sibling_event(member, leader) {
		if (!perf_read_fits(member, nr))
			return -E2BIG;
	}
	return 0;
}

/* Does each sample of the event contain the values of its group? */
static bool perf_samples_group(const struct perf_event *event)
{
	return is_sampling_event(event) && (event->attr.sample_type & PERF_SAMPLE_READ) &&
	       (event->attr.read_format & PERF_FORMAT_GROUP);
}

/**
 * perf_group_samples_check - does the size of samples allow one more member of a group?
 * @event: event to be attached
 * @leader: leader of its group, or @event itself
 *
 * One occurrence may cause a sample of each member, and each sample may contain the values of all
 * members. Without a limit the number of values would be the square of the number of members.
 *
 * Context: the mutex of the context is held.
 * Return: 0 if the group may grow, else -E2BIG
 */
int perf_group_samples_check(const struct perf_event *event, struct perf_event *leader)
{
	struct perf_event *member;
	unsigned int samples;

	if (leader == event)
		return 0;

	lockdep_assert_held(&leader->ctx->mutex);
	samples = perf_samples_group(event) + perf_samples_group(leader);
	for_each_sibling_event(member, leader)
		samples += perf_samples_group(member);
	return samples * (leader->nr_siblings + 2) > PERF_GROUP_VALUES_MAX ? -E2BIG : 0;
}

/* Write an entry: the value, and the words of the format. */
static u64 *perf_output_put_entry(u64 *to, const struct perf_event *event, u64 format)
{
	*to++ = perf_event_own_count(event);
	return perf_format_put_id(to, event, perf_event_parent(event)->id, format);
}

static void perf_output_entry(struct perf_output_handle *handle, struct perf_event *member,
			      const struct perf_event *sampling, u64 format)
{
	u64 words[3];
	u64 *end;

	/*
	 * Update the count of the member. @sampling was just updated, and the counts of always-on
	 * events are always up to date.
	 */
	if (member != sampling && !handle->skip_read && !is_always_on(member) &&
	    READ_ONCE(member->state) == PERF_EVENT_STATE_ACTIVE)
		member->pmu->read(member);
	end = perf_output_put_entry(words, member, format);
	perf_output_copy(handle, words, (char *)end - (char *)words);
}

/*
 * Write as many entries as were reserved. The group may have changed since the reservation, or may
 * be changing now. If members are missing, their entries are zero.
 */
static void perf_output_group(struct perf_output_handle *handle, struct perf_event *event,
			      unsigned int size, u64 enabled, u64 running)
{
	static const u64 nobody[3];
	u64 format = event->attr.read_format;
	struct perf_event *leader = event->group_leader;
	unsigned int entry = perf_format_entry_words(format) * sizeof(u64);
	unsigned int fixed = perf_event_read_size(format, 0) - entry;
	unsigned int nr = (size - fixed) / entry;
	struct perf_event *member;
	u64 words[3] = { nr };
	u64 *end = perf_format_put_times(words + 1, enabled, running, format);

	perf_output_copy(handle, words, (char *)end - (char *)words);
	perf_output_entry(handle, leader, event, format);
	nr--;
	for_each_sibling_event(member, leader) {
		if (!nr)
			return;
		perf_output_entry(handle, member, event, format);
		nr--;
	}
	for (; nr; nr--)
		perf_output_copy(handle, nobody, entry);
}

/**
 * perf_output_read - write counter values to a record
 * @handle: handle of the record
 * @event: event of the values; with PERF_FORMAT_GROUP, the values are those of its group
 * @size: reserved bytes, the value of event->read_size when the record began
 *
 * Members other than @event are read from hardware, unless @handle->skip_read is set. The values
 * are those of the events without their inherited events. The times of exited inherited events are
 * included, except with PERF_FORMAT_GROUP.
 *
 * Context: interrupts are off on the CPU of the event's context; or its task does not run, or the
 * event will not count any more.
 */
void perf_output_read(struct perf_output_handle *handle, struct perf_event *event,
		      unsigned int size)
{
	u64 format = event->attr.read_format;
	u64 enabled = 0, running = 0;
	u64 words[5];
	u64 *end;

	if (format & PERF_FORMAT_TIMES)
		perf_event_times(event, &enabled, &running);
	if (format & PERF_FORMAT_GROUP) {
		perf_output_group(handle, event, size, enabled, running);
		return;
	}

	perf_event_add_child_times(event, &enabled, &running);
	words[0] = perf_event_own_count(event);
	end = perf_format_put_times(words + 1, enabled, running, format);
	end = perf_format_put_id(end, event, perf_event_parent(event)->id, format);
	perf_output_copy(handle, words, (char *)end - (char *)words);
}
