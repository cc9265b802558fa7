// SPDX-License-Identifier: GPL-2.0
/*
 * Writer and reader of a buffer on two CPUs: data_head must not include incomplete records, and
 * data from data_tail on must not be overwritten. The reader does not clear records. Each sample
 * must be newer than the last one, and have the address of the next page. A sample that is
 * published too early, or overwritten while it is read, has a time or an address of another lap of
 * the ring. PE_RECORDS sets the number of records.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_rounds.h"
#include "pe_sample.h"

#define RECORDS		30000
#define WINDOW		64

/* The layout of the samples. A page is no multiple of their size, so some wrap. */
struct sample {
	struct perf_event_header head;
	__u64 identifier, time, addr, id, stream_id;
};

struct lost {
	struct perf_event_header head;
	__u64 id, nr;
	__u64 trailer[4];
};

/* Any record. */
union record {
	struct perf_event_header head;
	struct sample sample;
	struct lost lost;
	__u64 word[64];
};

/**
 * struct stream - a buffer between two threads
 * @fd: the writer's event of page faults
 * @id: id of the event
 * @ring: its buffer
 * @faults: number of faults to cause
 * @ready: the buffer is mapped
 * @done: the writer has finished
 * @samples: number of samples that have been read
 * @told: number of records in LOST records
 * @last: time of the last sample
 * @memory: pages on which the writer faults in turn, repeatedly
 * @next: number of the next page, WINDOW if unknown
 * @followed: number of samples in the page @next
 */
struct stream {
	int fd;
	__u64 id;
	struct pe_ring ring;
	__u64 faults;
	int ready;
	int done;
	__u64 samples;
	__u64 told;
	__u64 last;
	char *memory;
	__u64 next;
	__u64 followed;
};

static int open_stream(struct stream *s)
{
	struct perf_event_attr a = pe_attr_off(PERF_COUNT_SW_PAGE_FAULTS);

	a.sample_period = 1;
	a.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |
			PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID;
	a.sample_id_all = 1;
	a.read_format = PERF_FORMAT_LOST;
	s->fd = pe_self(&a);
	if (s->fd < 0)
		return s->fd;
	s->id = pe_id(s->fd);
	return pe_ring_map(&s->ring, s->fd, 1);
}

static void *writer(void *arg)
{
	size_t page = sysconf(_SC_PAGESIZE), i;
	struct stream *s = arg;
	__u64 n;

	s->memory = mmap(NULL, WINDOW * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);
	if (s->memory == MAP_FAILED || pe_move_to(1) || open_stream(s))
		abort();
	madvise(s->memory, WINDOW * page, MADV_NOHUGEPAGE);
	__atomic_store_n(&s->ready, 1, __ATOMIC_RELEASE);
	pe_ioctl(s->fd, PERF_EVENT_IOC_ENABLE, 0);
	for (n = 0; n < s->faults; n += WINDOW) {
		for (i = 0; i < WINDOW; i++)
			pe_touch(s->memory + i * page);
		madvise(s->memory, WINDOW * page, MADV_DONTNEED);
	}
	pe_ioctl(s->fd, PERF_EVENT_IOC_DISABLE, 0);
	__atomic_store_n(&s->done, 1, __ATOMIC_RELEASE);
	return NULL;
}

static __u64 *word_at(struct stream *s, __u64 pos)
{
	return (__u64 *)(s->ring.data + pos % s->ring.size);
}

/* Copy the record at @pos. Return: a description of the fault, or NULL. */
static const char *take(struct stream *s, __u64 pos, __u64 head, union record *rec)
{
	unsigned int i;

	rec->word[0] = __atomic_load_n(word_at(s, pos), __ATOMIC_RELAXED);
	if (rec->head.size > sizeof(*rec) || rec->head.size < sizeof(rec->head) ||
	    rec->head.size > head - pos)
		return "a record has an impossible length";
	for (i = 1; i < rec->head.size / sizeof(__u64); i++)
		rec->word[i] = __atomic_load_n(word_at(s, pos + 8 * i), __ATOMIC_RELAXED);
	return NULL;
}

static const char *account(struct stream *s, const union record *rec)
{
	__u64 page = (rec->sample.addr - (unsigned long)s->memory) / sysconf(_SC_PAGESIZE);

	if (rec->head.type == PERF_RECORD_LOST) {
		s->told += rec->lost.nr;
		s->next = WINDOW;
	}
	if (rec->head.type != PERF_RECORD_SAMPLE)
		return NULL;
	if (rec->head.size != sizeof(rec->sample) || rec->sample.identifier != s->id ||
	    rec->sample.id != s->id || rec->sample.stream_id != s->id)
		return "a sample of another event";
	if (rec->sample.time < s->last)
		return "a sample that is older than the one before it";
	s->last = rec->sample.time;
	s->samples++;
	/* The thread may have faults on other pages in between. */
	if (page >= WINDOW)
		return NULL;
	if (s->next < WINDOW && page != s->next)
		return "a sample that does not follow the one before it";
	s->followed += s->next < WINDOW;
	s->next = (page + 1) % WINDOW;
	return NULL;
}

/* Read all published records, as the ABI documents it for readers. */
static const char *read_all(struct stream *s)
{
	__u64 tail = s->ring.page->data_tail, head;
	const char *fault = NULL;
	union record rec;

	head = __atomic_load_n(&s->ring.page->data_head, __ATOMIC_RELAXED);
	/* The head must be read before the records. */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	while (tail != head && !fault) {
		fault = take(s, tail, head, &rec) ?: account(s, &rec);
		tail += rec.head.size;
	}
	/* The records must be read before the tail is written. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&s->ring.page->data_tail, tail, __ATOMIC_RELAXED);
	return fault;
}

FIXTURE(order) {
	struct stream s;
};

FIXTURE_SETUP(order)
{
	const char *say = getenv("PE_RECORDS");

	self->s.next = WINDOW;
	self->s.faults = say ? strtoull(say, NULL, 10) : pe_rounds(RECORDS);
}

FIXTURE_TEARDOWN(order)
{
}

TEST_F(order, nothing_is_shown_early_or_overwritten)
{
	struct stream *s = &self->s;
	const char *fault = NULL;
	pthread_t thread;
	__u64 value[2];
	int done;

	if (pe_cpu_count() < 2)
		SKIP(return, "needs two CPUs");
	ASSERT_EQ(0, pe_move_to(0));
	ASSERT_EQ(0, pthread_create(&thread, NULL, writer, s));
	while (!__atomic_load_n(&s->ready, __ATOMIC_ACQUIRE))
		pe_sleep_ms(1);
	do {
		done = __atomic_load_n(&s->done, __ATOMIC_ACQUIRE);
		fault = read_all(s);
	} while (!fault && !done);
	pthread_join(thread, NULL);
	ASSERT_EQ(16, read(s->fd, value, sizeof(value)));
	TH_LOG("%llu written, %llu read, %llu of them in a row, %llu lost, %llu reported%s%s",
	       value[0], s->samples, s->followed, value[1], s->told, fault ? ": " : "",
	       fault ?: "");
	EXPECT_EQ(NULL, fault);
	EXPECT_LE(s->faults, value[0]);
	EXPECT_LT(0, s->followed);
	EXPECT_EQ(value[0], s->samples + value[1]);
	EXPECT_LE(s->told, value[1]);
	pe_ring_unmap(&s->ring);
	munmap(s->memory, WINDOW * sysconf(_SC_PAGESIZE));
	close(s->fd);
}

TEST_HARNESS_MAIN
