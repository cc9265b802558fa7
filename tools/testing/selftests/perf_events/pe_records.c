// SPDX-License-Identifier: GPL-2.0
/* Checks that every record must pass; see pe_records.h. */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pe_records.h"

/*
 * Bytes of this program's stack in one sample: less than a page, as the buffer
 * may be one page.
 */
#define POISON_BYTES	2048

/**
 * struct layout - the parts of one kind of record
 * @fixed: bytes of fixed meaning after the header
 * @named: a string follows
 * @misc: bits of misc that the header must have
 * @may: bits of misc that it may have
 */
struct layout {
	unsigned int fixed;
	bool named;
	__u16 misc, may;
};

#define MAY_MMAP	PERF_RECORD_MISC_MMAP_DATA
#define MAY_MMAP2	(PERF_RECORD_MISC_MMAP_DATA | PERF_RECORD_MISC_MMAP_BUILD_ID)
#define MAY_SWITCH	(PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT)

static const struct layout layouts[PERF_RECORD_MAX] = {
	[PERF_RECORD_MMAP]		= { sizeof(struct pe_mmap), true,
					    PERF_RECORD_MISC_USER, MAY_MMAP },
	[PERF_RECORD_LOST]		= { 16 },
	[PERF_RECORD_COMM]		= { 8, true, 0, PERF_RECORD_MISC_COMM_EXEC },
	[PERF_RECORD_EXIT]		= { sizeof(struct pe_task) },
	[PERF_RECORD_THROTTLE]		= { 24 },
	[PERF_RECORD_UNTHROTTLE]	= { 24 },
	[PERF_RECORD_FORK]		= { sizeof(struct pe_task) },
	[PERF_RECORD_READ]		= { 8 },
	[PERF_RECORD_MMAP2]		= { sizeof(struct pe_mmap2), true,
					    PERF_RECORD_MISC_USER, MAY_MMAP2 },
	[PERF_RECORD_AUX]		= { 24 },
	[PERF_RECORD_ITRACE_START]	= { 8 },
	[PERF_RECORD_LOST_SAMPLES]	= { 8 },
	[PERF_RECORD_SWITCH]		= { 0, false, 0, MAY_SWITCH },
	[PERF_RECORD_SWITCH_CPU_WIDE]	= { 8, false, 0, MAY_SWITCH },
	[PERF_RECORD_NAMESPACES]	= { sizeof(struct pe_namespaces) },
	[PERF_RECORD_KSYMBOL]		= { sizeof(struct pe_ksymbol), true },
	[PERF_RECORD_BPF_EVENT]		= { sizeof(struct pe_bpf_event) },
	[PERF_RECORD_CGROUP]		= { 8, true },
	[PERF_RECORD_TEXT_POKE]		= { PE_TEXT_POKE, false, PERF_RECORD_MISC_KERNEL },
	[PERF_RECORD_AUX_OUTPUT_HW_ID]	= { 8 },
};

static unsigned int read_size(const struct perf_event_attr *attr, const char *at)
{
	__u64 format = attr->read_format, nr = 1;
	unsigned int words, each;

	words = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
		!!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	each = 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);
	if (format & PERF_FORMAT_GROUP) {
		memcpy(&nr, at, sizeof(nr));
		words++;
	}
	return 8 * (words + nr * each);
}

static bool all_zero(const char *from, const char *to)
{
	while (from < to)
		if (*from++)
			return false;
	return true;
}

/* With a build id in place of the inode, some bytes are reserved or unused: these must be zero. */
static const char *build_id_fault(const struct pe_record *rec)
{
	struct pe_mmap2 m;
	unsigned int i;

	memcpy(&m, rec->body, sizeof(m));
	if (m.build_id_size > sizeof(m.build_id))
		return "a build id that is too long";
	if (m.reserved[0] || m.reserved[1] || m.reserved[2])
		return "reserved bytes before the build id";
	for (i = m.build_id_size; i < sizeof(m.build_id); i++)
		if (m.build_id[i])
			return "bytes behind the build id";
	return NULL;
}

static unsigned int id_size(const struct perf_event_attr *attr)
{
	return attr->sample_id_all ? 8 * __builtin_popcountll(attr->sample_type & PE_ID_FIELDS) : 0;
}

/**
 * pe_record_name - the string in a record
 * @rec: a record of a kind that has one
 *
 * Return: the string
 */
const char *pe_record_name(const struct pe_record *rec)
{
	return rec->body + layouts[rec->head.type].fixed;
}

/**
 * pe_record_fault - check the length and the unused bytes of a record
 * @attr: the event's attribute
 * @rec: the record, not a sample
 * @id: result: its sample_id
 *
 * Return: a description of the fault, or NULL
 */
const char *pe_record_fault(const struct perf_event_attr *attr, const struct pe_record *rec,
			    struct pe_sample *id)
{
	unsigned int body = rec->head.size - sizeof(rec->head), used;
	const struct layout *layout;
	struct pe_text_poke poke;
	const char *fault, *end;

	memset(id, 0, sizeof(*id));
	if (rec->head.type >= PERF_RECORD_MAX || rec->head.type == PERF_RECORD_SAMPLE ||
	    !rec->head.type)
		return "unknown type";
	layout = &layouts[rec->head.type];
	if ((rec->head.misc & ~layout->may) != layout->misc)
		return "other bits of misc";
	if (body < id_size(attr) + layout->fixed)
		return "too short";
	body -= id_size(attr);
	used = layout->fixed;
	if (layout->named) {
		end = memchr(rec->body + used, 0, body - used);
		if (!end)
			return "a string without end";
		used = end + 1 - rec->body;
	}
	if (rec->head.type == PERF_RECORD_TEXT_POKE) {
		memcpy(&poke, rec->body, PE_TEXT_POKE);
		used += poke.old_len + poke.new_len;
	}
	if (rec->head.type == PERF_RECORD_READ)
		used += read_size(attr, rec->body + used);
	if (body != (used + 7) / 8 * 8)
		return "wrong length";
	if (!all_zero(rec->body + used, rec->body + body))
		return "padding that is not zero";
	if (rec->head.type == PERF_RECORD_MMAP2 &&
	    rec->head.misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		fault = build_id_fault(rec);
		if (fault)
			return fault;
	}
	if (!attr->sample_id_all)
		return NULL;
	if (pe_id_parse(attr, rec, id) != body)
		return "sample_id of a wrong length";
	return id->res ? "reserved word beside the CPU" : NULL;
}

/*
 * Cause a fault with a stack full of poison. Not inlined, so that it has a stack frame of its own.
 */
static __attribute__((noipa)) void poisoned_fault(char *page)
{
	char room[2 * POISON_BYTES];

	memset(room, PE_POISON, sizeof(room));
	__asm__ __volatile__("" : : "r" (room) : "memory");
	madvise(page, sysconf(_SC_PAGESIZE), MADV_DONTNEED);
	pe_touch(page);
}

/**
 * pe_ring_poison - fill a buffer with poison, which no record may contain
 * @ring: a buffer, whose records are dropped
 * @fd: its event, on the caller
 * @cpu: the CPU argument that @fd was opened with
 *
 * Only the kernel writes to the data, so the poison is the stack in samples. Bytes that a later
 * record does not initialise then contain poison.
 * Return: 0 or -errno
 */
int pe_ring_poison(struct pe_ring *ring, int fd, int cpu)
{
	struct perf_event_attr attr = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	long size = sysconf(_SC_PAGESIZE);
	int event, ret = 0;
	__u64 until;
	char *page;

	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_STACK_USER;
	attr.sample_stack_user = POISON_BYTES;
	attr.exclude_kernel = 1;
	pe_ring_drop(ring, 0);
	event = pe_open(&attr, 0, cpu, -1, 0);
	if (event < 0)
		return event;
	page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		ret = -errno;
	else
		ret = pe_ioctl(event, PERF_EVENT_IOC_SET_OUTPUT, fd);
	until = ring->page->data_head + ring->size;
	while (!ret && ring->page->data_head < until) {
		__u64 before = ring->page->data_head;

		poisoned_fault(page);
		if (ring->page->data_head == before)
			ret = -EIO;
		pe_ring_drop(ring, 0);
	}
	close(event);
	if (page != MAP_FAILED)
		munmap(page, size);
	pe_ring_drop(ring, 0);
	return ret;
}
