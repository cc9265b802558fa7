// SPDX-License-Identifier: GPL-2.0
/*
 * Parse an event from text: names of fields of struct perf_event_attr, and the other arguments of
 * perf_event_open(2).
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "perf-why.h"

/**
 * struct word - a field of struct perf_event_attr that is not a bit-field
 * @name: name of the field
 * @offset: offset of the field
 * @size: size of the field in bytes
 */
struct word {
	const char	*name;
	unsigned short	offset;
	unsigned short	size;
};

#define WORD(field)	{ #field, offsetof(struct perf_event_attr, field),	\
			  sizeof(((struct perf_event_attr *)0)->field) }

static const struct word words[] = {
	WORD(type), WORD(size), WORD(config), WORD(sample_period), WORD(sample_freq),
	WORD(sample_type), WORD(read_format), WORD(wakeup_events), WORD(wakeup_watermark),
	WORD(bp_type), WORD(bp_addr), WORD(bp_len), WORD(config1), WORD(config2),
	WORD(branch_sample_type), WORD(sample_regs_user), WORD(sample_stack_user), WORD(clockid),
	WORD(sample_regs_intr), WORD(aux_watermark), WORD(sample_max_stack),
	WORD(aux_sample_size), WORD(sig_data), WORD(config3),
	/* Old headers call this word __reserved_3. */
	{ "aux_action", offsetof(struct perf_event_attr, aux_sample_size) + sizeof(__u32),
	  sizeof(__u32) }, { }
};

/* The bit-fields follow read_format. The compiler chooses the position of each. */
#define FLAGS		(offsetof(struct perf_event_attr, read_format) + sizeof(__u64))

/**
 * struct flag - a bit-field of one bit
 * @name: name of the field
 * @set: an attribute with only this bit set
 */
struct flag {
	const char		*name;
	struct perf_event_attr	set;
};

#define FLAG(field)	{ #field, { .field = 1 } }

static const struct flag flags[] = {
	FLAG(disabled), FLAG(inherit), FLAG(pinned), FLAG(exclusive), FLAG(exclude_user),
	FLAG(exclude_kernel), FLAG(exclude_hv), FLAG(exclude_idle), FLAG(mmap), FLAG(comm),
	FLAG(freq), FLAG(inherit_stat), FLAG(enable_on_exec), FLAG(task), FLAG(watermark),
	FLAG(mmap_data), FLAG(sample_id_all), FLAG(exclude_host), FLAG(exclude_guest),
	FLAG(exclude_callchain_kernel), FLAG(exclude_callchain_user), FLAG(mmap2),
	FLAG(comm_exec), FLAG(use_clockid), FLAG(context_switch), FLAG(write_backward),
	FLAG(namespaces), FLAG(ksymbol), FLAG(bpf_event), FLAG(aux_output), FLAG(cgroup),
	FLAG(text_poke), FLAG(build_id), FLAG(inherit_thread), FLAG(remove_on_exec),
	FLAG(sigtrap), { }
};

static bool set_word(struct perf_event_attr *attr, const char *name, unsigned long long value)
{
	const struct word *word;
	char *at;

	for (word = words; word->name; word++) {
		if (strcmp(name, word->name))
			continue;
		at = (char *)attr + word->offset;
		switch (word->size) {
		case sizeof(__u16):
			*(__u16 *)at = value;
			break;
		case sizeof(__u32):
			*(__u32 *)at = value;
			break;
		default:
			*(__u64 *)at = value;
		}
		return true;
	}
	return false;
}

static const struct flag *find_flag(const char *name)
{
	const struct flag *flag = flags;

	while (flag->name && strcmp(name, flag->name))
		flag++;
	return flag->name ? flag : NULL;
}

bool is_flag_field(const char *field)
{
	static const char prefix[] = "attr.";

	return !strncmp(field, prefix, sizeof(prefix) - 1) &&
	       find_flag(field + sizeof(prefix) - 1);
}

static bool set_flag(struct perf_event_attr *attr, const char *name, bool value)
{
	__u64 *to = (__u64 *)((char *)attr + FLAGS);
	const struct flag *flag = find_flag(name);
	__u64 bit;

	if (!flag)
		return false;
	bit = *(const __u64 *)((const char *)&flag->set + FLAGS);
	*to = value ? *to | bit : *to & ~bit;
	return true;
}

static bool set_field(struct event_args *event, const char *name, unsigned long long value)
{
	if (set_word(&event->attr, name, value) || set_flag(&event->attr, name, value))
		return true;
	if (!strcmp(name, "precise_ip"))
		event->attr.precise_ip = value;
	else if (!strcmp(name, "pid"))
		event->pid = value;
	else if (!strcmp(name, "cpu"))
		event->cpu = value;
	else if (!strcmp(name, "flags"))
		event->flags = value;
	else
		return false;
	return true;
}

const char *parse_event(struct event_args *event, char *text)
{
	char *item, *value, *end;
	unsigned long long n;

	memset(event, 0, sizeof(*event));
	event->attr.size = sizeof(event->attr);
	event->cpu = -1;
	while ((item = strsep(&text, ","))) {
		value = strchr(item, '=');
		n = 1;
		if (value) {
			*value++ = 0;
			n = strtoull(value, &end, 0);
			if (*end || end == value)
				return item;
		}
		if (!set_field(event, item, n))
			return item;
	}
	return NULL;
}
