// SPDX-License-Identifier: GPL-2.0
/*
 * Print the state of an event: a line of text for users, or of JSON for programs.
 */
#include <stdio.h>
#include <string.h>

#include "perf-why.h"

static const char *const statuses[] = {
	[PERF_STATUS_COUNTING]		= "counts",
	[PERF_STATUS_WAITING]		= "waits",
	[PERF_STATUS_NOT_RUNNING]	= "not running",
	[PERF_STATUS_DISABLED]		= "disabled",
	[PERF_STATUS_LEADER_OFF]	= "group off",
	[PERF_STATUS_ERROR]		= "error",
	[PERF_STATUS_EXITED]		= "exited",
	[PERF_STATUS_DEAD]		= "dead",
	[PERF_STATUS_SHARED]		= "shared",
};

/* Printed after "needs 2 counters, " */
static const char *const obstacles[] = {
	[PERF_OBSTACLE_GROUPS]		= "other groups are on",
	[PERF_OBSTACLE_PINNED]		= "pinned groups have them",
	[PERF_OBSTACLE_EXCLUSIVE]	= "an exclusive group has the PMU",
	[PERF_OBSTACLE_OWN_EXCLUSIVE]	= "it is exclusive, and other groups are on",
	[PERF_OBSTACLE_CPU]		= "the PMU does not count on this CPU",
	[PERF_OBSTACLE_PMU]		= "the PMU has fewer counters free",
};

static const char *const losses[] = {
	[PERF_LOST_FULL]	= "full",
	[PERF_LOST_PAUSED]	= "paused",
	[PERF_LOST_CONVERTING]	= "buffer_conversion",
	[PERF_LOST_ELSEWHERE]	= "other_cpu",
	[PERF_LOST_LARGE]	= "large",
};

static const struct {
	__u32		flag;
	const char	*name;
} flags[] = {
	{ PERF_EVENT_IS_THROTTLED, "throttled" },
	{ PERF_EVENT_IS_PAUSED, "paused" },
	{ PERF_EVENT_OTHERS_ON, "others_on" },
	{ PERF_EVENT_HAS_FILTER, "filter" },
	{ PERF_EVENT_HAS_BPF, "bpf" },
	{ PERF_EVENT_IS_COPY, "copy" },
};

#define COUNT(a)	(sizeof(a) / sizeof((a)[0]))

static const char *name_of(const char *const names[], unsigned int nr, unsigned int i)
{
	return i < nr && names[i] ? names[i] : "?";
}

/* Print the groups that have the counters instead, and the programs that have opened them. */
static void show_groups(FILE *out, const struct perf_event_state_info *info)
{
	const char *separator = ":";
	__u32 i;

	for (i = 0; i < info->nr_groups; i++) {
		const struct perf_event_state_group *group = &info->groups[i];

		fprintf(out, "%s %llu", separator, (unsigned long long)group->id);
		if (i + 1 == info->nr_groups || info->groups[i + 1].pid != group->pid) {
			if (group->flags & PERF_EVENT_GROUP_OF_KERNEL)
				fprintf(out, " of the kernel");
			else if (group->pid)
				fprintf(out, " of %s[%d]", comm_of(group->pid), group->pid);
		}
		separator = ",";
	}
	if (info->on_groups > info->nr_groups)
		fprintf(out, ", and %u more", info->on_groups - info->nr_groups);
	if (info->flags & PERF_EVENT_OTHERS_ON)
		fprintf(out, "%s groups not shown", separator);
}

/* A process chooses this text: replace characters that a terminal might interpret. */
static void put_harmless(FILE *out, const char *text)
{
	for (; *text; text++)
		fputc(*text < ' ' || *text > '~' ? '?' : *text, out);
}

static void show_filters(FILE *out, const struct seen *seen)
{
	const struct perf_event_state_info *info = &seen->info;

	if (info->flags & PERF_EVENT_HAS_FILTER)
		fprintf(out, " Filter: ");
	else if (info->addr_filters)
		fprintf(out, " %u address filter%s: ", info->addr_filters,
			info->addr_filters == 1 ? "" : "s");
	if (seen->filter[0]) {
		put_harmless(out, seen->filter);
		fprintf(out, info->filter_length > sizeof(seen->filter) ? " ..." : ".");
	}
	if (info->flags & PERF_EVENT_HAS_BPF)
		fprintf(out, " Has a BPF program");
	if (info->bpf_id)
		fprintf(out, ", id %u", info->bpf_id);
	if (info->flags & PERF_EVENT_HAS_BPF)
		fputc('.', out);
}

static void show_why(FILE *out, const struct seen *seen)
{
	const struct perf_event_state_info *info = &seen->info;
	unsigned int i;

	if (info->obstacle) {
		fprintf(out, " needs %u counter%s, %s", info->needs, info->needs == 1 ? "" : "s",
			name_of(obstacles, COUNT(obstacles), info->obstacle));
		show_groups(out, info);
		fprintf(out, ".");
	}
	if (info->throttles)
		fprintf(out, " Throttled %u times: more than %u overflows a second.",
			info->throttles, info->allowed);
	if (info->flags & PERF_EVENT_IS_PAUSED)
		fprintf(out, " Its buffer is paused.");
	if (info->lost)
		fprintf(out, " Lost %llu records.", (unsigned long long)info->lost);
	for (i = 0; i < COUNT(losses); i++) {
		if (info->losses[i])
			fprintf(out, " The buffer lost %llu records (%s).",
				(unsigned long long)info->losses[i], losses[i]);
	}
	show_filters(out, seen);
}

void show_state_header(FILE *out)
{
	fprintf(out, "%7s %7s %7s %-22s %-11s %12s %12s %6s %4s %4s %10s %8s  WHY\n",
		"TID", "OPENER", "ID", "EVENT", "STATE", "SINCE ms", "ENABLED ms", "ON %", "CPU",
		"CTR", "RECORDS", "WAKEUPS");
}

static void show_text(FILE *out, const struct seen *seen)
{
	const struct perf_event_state_info *info = &seen->info;
	char event[64];

	snprintf(event, sizeof(event), "%s/%#llx/", info->pmu, (unsigned long long)info->config);
	fprintf(out, "%7d %7d %7llu %-22s %-11s %12.3f %12.3f %6.1f %4d %4d %10llu %8llu ",
		seen->tid, seen->opener, (unsigned long long)info->id, event,
		name_of(statuses, COUNT(statuses), info->status),
		info->since / 1e6, info->enabled / 1e6,
		info->enabled ? 100.0 * info->running / info->enabled : 0, info->cpu,
		info->counter, (unsigned long long)info->records,
		(unsigned long long)info->wakeups);
	show_why(out, seen);
	fputc('\n', out);
}

static void put_number(FILE *out, const char *key, long long value)
{
	fprintf(out, ",\"%s\":%lld", key, value);
}

static void put_groups(FILE *out, const struct perf_event_state_info *info)
{
	__u32 i;

	fprintf(out, ",\"groups\":[");
	for (i = 0; i < info->nr_groups; i++) {
		const struct perf_event_state_group *group = &info->groups[i];

		fprintf(out, "%s{\"id\":%llu", i ? "," : "", (unsigned long long)group->id);
		put_number(out, "pid", group->pid);
		put_number(out, "pinned", !!(group->flags & PERF_EVENT_GROUP_PINNED));
		put_number(out, "exclusive", !!(group->flags & PERF_EVENT_GROUP_EXCLUSIVE));
		put_number(out, "of_cpu", !!(group->flags & PERF_EVENT_GROUP_OF_CPU));
		put_number(out, "of_kernel", !!(group->flags & PERF_EVENT_GROUP_OF_KERNEL));
		fputc('}', out);
	}
	fputc(']', out);
}

static void put_names(FILE *out, const struct perf_event_state_info *info)
{
	const char *separator = "";
	unsigned int i;

	fprintf(out, ",\"flags\":[");
	for (i = 0; i < COUNT(flags); i++) {
		if (info->flags & flags[i].flag) {
			fprintf(out, "%s\"%s\"", separator, flags[i].name);
			separator = ",";
		}
	}
	fprintf(out, "],\"losses\":{");
	for (i = 0; i < COUNT(losses); i++)
		fprintf(out, "%s\"%s\":%llu", i ? "," : "", losses[i],
			(unsigned long long)info->losses[i]);
	fputc('}', out);
}

static void show_json(FILE *out, const struct seen *seen)
{
	const struct perf_event_state_info *info = &seen->info;

	fprintf(out, "{\"tid\":%d", seen->tid);
	put_number(out, "opener", seen->opener);
	put_number(out, "id", info->id);
	put_number(out, "leader", info->leader);
	put_number(out, "members", info->members);
	fprintf(out, ",\"pmu\":");
	put_json_text(out, info->pmu);
	put_number(out, "type", info->type);
	fprintf(out, ",\"config\":%llu", (unsigned long long)info->config);
	fprintf(out, ",\"state\":");
	put_json_text(out, name_of(statuses, COUNT(statuses), info->status));
	put_number(out, "since", info->since);
	put_number(out, "enabled", info->enabled);
	put_number(out, "running", info->running);
	put_number(out, "cpu", info->cpu);
	put_number(out, "counter", info->counter);
	fprintf(out, ",\"obstacle\":");
	put_json_text(out, info->obstacle ?
		      name_of(obstacles, COUNT(obstacles), info->obstacle) : "");
	put_number(out, "needs", info->needs);
	put_number(out, "on_groups", info->on_groups);
	put_groups(out, info);
	put_number(out, "throttles", info->throttles);
	put_number(out, "allowed", info->allowed);
	put_number(out, "lost", info->lost);
	put_number(out, "records", info->records);
	put_number(out, "bytes", info->bytes);
	put_number(out, "aux_bytes", info->aux_bytes);
	put_number(out, "wakeups", info->wakeups);
	fprintf(out, ",\"filter\":");
	put_json_text(out, seen->filter);
	put_number(out, "addr_filters", info->addr_filters);
	put_number(out, "bpf_id", info->bpf_id);
	put_names(out, info);
	fprintf(out, "}\n");
}

void show_state(FILE *out, const struct seen *seen, bool json)
{
	if (json)
		show_json(out, seen);
	else
		show_text(out, seen);
}
