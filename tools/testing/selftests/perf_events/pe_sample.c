// SPDX-License-Identifier: GPL-2.0
/*
 * A reader of perf event buffers; see pe_sample.h.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pe_sample.h"

/**
 * pe_ring_map - map an event's buffer
 * @ring: filled in
 * @fd: the event
 * @pages: pages of records: a power of two, or 0
 *
 * Return: 0 or -errno
 */
int pe_ring_map(struct pe_ring *ring, int fd, unsigned int pages)
{
	long page = sysconf(_SC_PAGESIZE);
	void *p;

	ring->len = (1 + pages) * page;
	p = mmap(NULL, ring->len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return -errno;
	ring->page = p;
	ring->data = (char *)p + page;
	ring->size = pages * page;
	return 0;
}

/**
 * pe_ring_unmap - unmap a buffer
 * @ring: the buffer
 */
void pe_ring_unmap(struct pe_ring *ring)
{
	munmap(ring->page, ring->len);
}

static void copy_out(struct pe_ring *ring, __u64 from, void *to, size_t len)
{
	size_t at = from % ring->size, first = ring->size - at;

	if (first > len)
		first = len;
	memcpy(to, ring->data + at, first);
	memcpy((char *)to + first, ring->data, len - first);
}

/**
 * pe_ring_next - take the next record
 * @ring: the buffer
 * @rec: filled in
 *
 * Return: 1; 0 if there is none; -EBADMSG for an impossible size
 */
int pe_ring_next(struct pe_ring *ring, struct pe_record *rec)
{
	/* A position has as many bits as the kernel's long. */
	unsigned long head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	unsigned long tail = ring->page->data_tail;

	if (head == tail)
		return 0;
	copy_out(ring, tail, &rec->head, sizeof(rec->head));
	if (rec->head.size < sizeof(rec->head) || rec->head.size % 8 ||
	    rec->head.size > head - tail)
		return -EBADMSG;
	copy_out(ring, tail + sizeof(rec->head), rec->body,
		 rec->head.size - sizeof(rec->head));
	__atomic_store_n(&ring->page->data_tail, tail + rec->head.size,
			 __ATOMIC_RELEASE);
	return 1;
}

/**
 * pe_ring_find - take records up to the first of one type
 * @ring: the buffer
 * @rec: filled in
 * @type: PERF_RECORD_*
 *
 * Return: as pe_ring_next()
 */
int pe_ring_find(struct pe_ring *ring, struct pe_record *rec, __u32 type)
{
	int ret;

	do {
		ret = pe_ring_next(ring, rec);
	} while (ret > 0 && rec->head.type != type);
	return ret;
}

/**
 * pe_ring_drop - take all records
 * @ring: the buffer
 * @type: PERF_RECORD_*
 *
 * Return: number of records of @type, or ~0 for a damaged record
 */
unsigned int pe_ring_drop(struct pe_ring *ring, __u32 type)
{
	static struct pe_record rec;
	unsigned int nr = 0;
	int ret;

	while ((ret = pe_ring_next(ring, &rec)) > 0)
		nr += rec.head.type == type;
	return ret < 0 ? ~0U : nr;
}

/**
 * struct cursor - the rest of a record
 * @at: next byte
 * @left: bytes left
 * @bad: a field was longer than the rest
 */
struct cursor {
	const char *at;
	size_t left;
	bool bad;
};

static void take(struct cursor *c, void *to, size_t len)
{
	if (len > c->left) {
		c->bad = true;
		return;
	}
	if (to)
		memcpy(to, c->at, len);
	c->at += len;
	c->left -= len;
}

static __u64 take_u64(struct cursor *c)
{
	__u64 v = 0;

	take(c, &v, sizeof(v));
	return v;
}

static __u32 take_u32(struct cursor *c)
{
	__u32 v = 0;

	take(c, &v, sizeof(v));
	return v;
}

static void take_values(struct cursor *c, __u64 format, struct pe_sample *s)
{
	unsigned int times, each, i;
	__u64 nr = 1;

	times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
		!!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	each = 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);
	s->nr_values = 0;
	if (format & PERF_FORMAT_GROUP) {
		nr = take_u64(c);
		s->values[s->nr_values++] = nr;
	}
	if (nr > PE_MAX_VALUES || 1 + times + nr * each > PE_MAX_VALUES) {
		c->bad = true;
		return;
	}
	for (i = 0; i < times + nr * each; i++)
		s->values[s->nr_values++] = take_u64(c);
}

static unsigned int take_regs(struct cursor *c, __u64 mask, __u64 *abi)
{
	unsigned int nr = __builtin_popcountll(mask);

	*abi = take_u64(c);
	if (*abi == PERF_SAMPLE_REGS_ABI_NONE)
		return 0;
	take(c, NULL, 8 * nr);
	return nr;
}

static void take_chain(struct cursor *c, struct pe_sample *s)
{
	__u64 i;

	s->nr_ips = take_u64(c);
	if (s->nr_ips > PE_MAX_IPS) {
		c->bad = true;
		return;
	}
	for (i = 0; i < s->nr_ips; i++)
		s->ips[i] = take_u64(c);
}

/* Parse the fields up to the period, which have fixed sizes. */
static void take_fixed(struct cursor *c, __u64 type, struct pe_sample *s)
{
	if (type & PERF_SAMPLE_IDENTIFIER)
		s->identifier = take_u64(c);
	if (type & PERF_SAMPLE_IP)
		s->ip = take_u64(c);
	if (type & PERF_SAMPLE_TID) {
		s->pid = take_u32(c);
		s->tid = take_u32(c);
	}
	if (type & PERF_SAMPLE_TIME)
		s->time = take_u64(c);
	if (type & PERF_SAMPLE_ADDR)
		s->addr = take_u64(c);
	if (type & PERF_SAMPLE_ID)
		s->id = take_u64(c);
	if (type & PERF_SAMPLE_STREAM_ID)
		s->stream_id = take_u64(c);
	if (type & PERF_SAMPLE_CPU) {
		s->cpu = take_u32(c);
		s->res = take_u32(c);
	}
	if (type & PERF_SAMPLE_PERIOD)
		s->period = take_u64(c);
}

static void take_stack(struct cursor *c, struct pe_sample *s)
{
	s->stack_size = take_u64(c);
	if (!s->stack_size)
		return;
	take(c, NULL, s->stack_size);
	s->stack_dyn = take_u64(c);
}

static void take_late(struct cursor *c, const struct perf_event_attr *attr,
		      struct pe_sample *s)
{
	__u64 type = attr->sample_type;

	if (type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT))
		s->weight = take_u64(c);
	if (type & PERF_SAMPLE_DATA_SRC)
		s->data_src = take_u64(c);
	if (type & PERF_SAMPLE_TRANSACTION)
		s->transaction = take_u64(c);
	if (type & PERF_SAMPLE_REGS_INTR)
		s->intr_regs = take_regs(c, attr->sample_regs_intr, &s->intr_abi);
	if (type & PERF_SAMPLE_PHYS_ADDR)
		s->phys_addr = take_u64(c);
	if (type & PERF_SAMPLE_CGROUP)
		s->cgroup = take_u64(c);
	if (type & PERF_SAMPLE_DATA_PAGE_SIZE)
		s->data_page_size = take_u64(c);
	if (type & PERF_SAMPLE_CODE_PAGE_SIZE)
		s->code_page_size = take_u64(c);
}

/**
 * pe_sample_parse - parse a PERF_RECORD_SAMPLE
 * @attr: the event's attribute
 * @rec: the record
 * @s: filled in
 *
 * Return: 0, or -EBADMSG if the record is not exactly as long as its fields
 */
int pe_sample_parse(const struct perf_event_attr *attr, const struct pe_record *rec,
		    struct pe_sample *s)
{
	struct cursor c = { rec->body, rec->head.size - sizeof(rec->head) };
	__u64 type = attr->sample_type;

	memset(s, 0, sizeof(*s));
	take_fixed(&c, type, s);
	if (type & PERF_SAMPLE_READ)
		take_values(&c, attr->read_format, s);
	if (type & PERF_SAMPLE_CALLCHAIN)
		take_chain(&c, s);
	if (type & PERF_SAMPLE_RAW) {
		s->raw_size = take_u32(&c);
		take(&c, NULL, s->raw_size);
	}
	if (type & PERF_SAMPLE_REGS_USER)
		s->user_regs = take_regs(&c, attr->sample_regs_user, &s->user_abi);
	if (type & PERF_SAMPLE_STACK_USER)
		take_stack(&c, s);
	take_late(&c, attr, s);
	return c.bad || c.left ? -EBADMSG : 0;
}

/**
 * pe_id_parse - parse the sample_id at the end of a record other than a sample
 * @attr: the event's attribute, with sample_id_all
 * @rec: the record
 * @s: filled in
 *
 * Return: number of bytes of the body before the sample_id, or -EBADMSG
 */
int pe_id_parse(const struct perf_event_attr *attr, const struct pe_record *rec,
		struct pe_sample *s)
{
	static const __u64 order[] = {
		PERF_SAMPLE_TID, PERF_SAMPLE_TIME, PERF_SAMPLE_ID,
		PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU, PERF_SAMPLE_IDENTIFIER,
	};
	struct cursor c = { rec->body, rec->head.size - sizeof(rec->head) };
	__u64 type = 0;
	size_t len = 0, before;
	unsigned int i;

	memset(s, 0, sizeof(*s));
	for (i = 0; i < PE_ARRAY_SIZE(order); i++) {
		type |= attr->sample_type & order[i];
		len += attr->sample_type & order[i] ? 8 : 0;
	}
	if (len > c.left)
		return -EBADMSG;
	before = c.left - len;
	take(&c, NULL, before);
	take_fixed(&c, type & ~PERF_SAMPLE_IDENTIFIER, s);
	if (type & PERF_SAMPLE_IDENTIFIER)
		s->identifier = take_u64(&c);
	return before;
}
