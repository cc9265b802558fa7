// SPDX-License-Identifier: GPL-2.0
/*
 * Many records through small buffers: several writers and readers, and two CPUs. The records that
 * were read and those that were reported lost must add up to all that were written. PE_RECORDS sets
 * the total number of records.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_rounds.h"
#include "pe_sample.h"

#define RECORDS		60000
#define WRITERS		6
#define MAX_CPUS	8
#define WINDOW		64	/* pages that a writer faults on at a time */

enum way { BY_TAIL, BY_SPLICE };

/**
 * struct lane - a buffer, with its reader
 * @attr: attribute of the page fault event that writes to it
 * @ring: the buffer
 * @fd: the event
 * @id: id of that event, the first field of every sample
 * @cpu: CPU of the writers
 * @way: how the reader takes records
 * @faults: number of faults of a writer
 * @ready: the event is open
 * @done: the writers have finished
 * @read: number of samples of the event that were read
 * @others: number of samples of other events
 * @told: number of samples in LOST records
 * @broken: number of invalid records
 */
struct lane {
	struct perf_event_attr attr;
	struct pe_ring ring;
	int fd;
	__u64 id;
	int cpu;
	enum way way;
	__u64 faults;
	int ready;
	int done;
	__u64 read;
	__u64 others;
	__u64 told;
	__u64 broken;
};

static int go;

static int open_lane(struct lane *l, pid_t pid, int cpu)
{
	l->attr = pe_attr_off(PERF_COUNT_SW_PAGE_FAULTS);
	l->attr.sample_period = 1;
	l->attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ADDR;
	l->attr.read_format = PERF_FORMAT_LOST;
	/*
	 * Half of the events have records of a length that does not divide a
	 * page.
	 */
	if (l->cpu & 1)
		l->attr.sample_type |= PERF_SAMPLE_TID | PERF_SAMPLE_CPU;
	l->fd = pe_open(&l->attr, pid, cpu, -1, 0);
	if (l->fd < 0)
		return l->fd;
	l->id = pe_id(l->fd);
	return pe_ring_map(&l->ring, l->fd, 1 << (l->cpu & 1));
}

static void close_lane(struct lane *l)
{
	pe_ring_unmap(&l->ring);
	close(l->fd);
}

/* Cause @nr page faults, one for each page. */
static void fault(__u64 nr)
{
	size_t page = sysconf(_SC_PAGESIZE), i;
	char *p;

	p = mmap(NULL, WINDOW * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		abort();
	madvise(p, WINDOW * page, MADV_NOHUGEPAGE);
	for (; nr; nr -= i) {
		for (i = 0; i < WINDOW && i < nr; i++)
			pe_touch(p + i * page);
		madvise(p, WINDOW * page, MADV_DONTNEED);
	}
	munmap(p, WINDOW * page);
}

/* A writer with an event of its own */
static void *own_writer(void *arg)
{
	struct lane *l = arg;

	pe_move_to(l->cpu);
	if (open_lane(l, 0, -1))
		abort();
	__atomic_store_n(&l->ready, 1, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&go, __ATOMIC_ACQUIRE))
		pe_sleep_ms(1);
	pe_ioctl(l->fd, PERF_EVENT_IOC_ENABLE, 0);
	fault(l->faults);
	pe_ioctl(l->fd, PERF_EVENT_IOC_DISABLE, 0);
	__atomic_store_n(&l->done, 1, __ATOMIC_RELEASE);
	return NULL;
}

/* One of several writers on a CPU, with one event of the CPU */
static void *cpu_writer(void *arg)
{
	struct lane *l = arg;

	pe_move_to(l->cpu);
	while (!__atomic_load_n(&go, __ATOMIC_ACQUIRE))
		pe_sleep_ms(1);
	fault(l->faults);
	return NULL;
}

static void account(struct lane *l, const struct perf_event_header *head, const char *body)
{
	__u64 id, lost;

	switch (head->type) {
	case PERF_RECORD_SAMPLE:
		memcpy(&id, body, sizeof(id));
		if (id == l->id)
			l->read++;
		else
			l->others++;
		break;
	case PERF_RECORD_LOST:
		memcpy(&lost, body + 8, sizeof(lost));
		l->told += lost;
		break;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		break;
	default:
		l->broken++;
	}
}

static bool take_by_tail(struct lane *l, struct pe_record *rec)
{
	int ret = pe_ring_next(&l->ring, rec);

	if (ret < 0) {
		l->broken++;
		l->ring.page->data_tail = l->ring.page->data_head;
	} else if (ret > 0) {
		account(l, &rec->head, rec->body);
	}
	return ret;
}

static bool take_by_splice(struct lane *l, const int pipe[2], char *bytes, size_t size)
{
	ssize_t n = splice(l->fd, NULL, pipe[1], NULL, size, SPLICE_F_NONBLOCK);
	struct perf_event_header head;
	ssize_t at;

	if (n < 0 && errno == EINVAL)
		l->way = BY_TAIL;
	if (n <= 0)
		return false;
	if (read(pipe[0], bytes, n) != n) {
		l->broken++;
		return true;
	}
	for (at = 0; at < n; at += head.size) {
		memcpy(&head, bytes + at, sizeof(head));
		if (head.size < sizeof(head) || head.size > n - at) {
			l->broken++;
			return true;
		}
		account(l, &head, bytes + at + sizeof(head));
	}
	return true;
}

static void *reader(void *arg)
{
	const size_t size = 65536;
	struct pe_record *rec = malloc(sizeof(*rec));
	char *bytes = malloc(size);
	struct lane *l = arg;
	int pipe[2], done;
	bool more;

	if (!rec || !bytes || pipe2(pipe, O_NONBLOCK))
		abort();
	while (!__atomic_load_n(&l->ready, __ATOMIC_ACQUIRE))
		pe_sleep_ms(1);
	do {
		done = __atomic_load_n(&l->done, __ATOMIC_ACQUIRE);
		if (l->way == BY_SPLICE)
			more = take_by_splice(l, pipe, bytes, size);
		else
			more = take_by_tail(l, rec);
		if (!more)
			sched_yield();
	} while (more || !done);
	close(pipe[0]);
	close(pipe[1]);
	free(bytes);
	free(rec);
	return NULL;
}

static void take_all(struct lane *l)
{
	static struct pe_record rec;

	while (take_by_tail(l, &rec))
		;
}

/* Read the count, and the number of lost samples. */
static bool values(int fd, __u64 value[2])
{
	return read(fd, value, 16) == 16;
}

static __u64 how_many(void)
{
	const char *say = getenv("PE_RECORDS");

	return say ? strtoull(say, NULL, 10) : pe_rounds(RECORDS);
}

FIXTURE(records) {
	__u64 all;
};

FIXTURE_SETUP(records)
{
	self->all = how_many();
}

FIXTURE_TEARDOWN(records)
{
}

TEST_F(records, in_buffers_of_tasks)
{
	static struct lane lane[WRITERS];
	pthread_t w[WRITERS], r[WRITERS];
	__u64 value[2], written = 0;
	int i;

	for (i = 0; i < WRITERS; i++) {
		lane[i].cpu = i % pe_cpu_count();
		lane[i].way = i % 3 ? BY_TAIL : BY_SPLICE;
		lane[i].faults = self->all / WRITERS + 1;
		ASSERT_EQ(0, pthread_create(&w[i], NULL, own_writer, &lane[i]));
		ASSERT_EQ(0, pthread_create(&r[i], NULL, reader, &lane[i]));
	}
	__atomic_store_n(&go, 1, __ATOMIC_RELEASE);
	for (i = 0; i < WRITERS; i++) {
		struct lane *l = &lane[i];

		pthread_join(w[i], NULL);
		pthread_join(r[i], NULL);
		take_all(l);
		ASSERT_EQ(true, values(l->fd, value));
		TH_LOG("written %llu, read %llu, lost %llu, of which reported %llu",
		       (unsigned long long)value[0], (unsigned long long)l->read,
		       (unsigned long long)value[1], (unsigned long long)l->told);
		EXPECT_LE(l->faults, value[0]);
		EXPECT_EQ(value[0], l->read + value[1]);
		/* Records that are lost at the end are not reported, as no record follows. */
		EXPECT_GE(value[1], l->told);
		EXPECT_EQ(0, l->others);
		EXPECT_EQ(0, l->broken);
		written += value[0];
		close_lane(l);
	}
	EXPECT_LE(self->all, written);
}

TEST_F(records, in_buffers_of_cpus)
{
	struct perf_event_attr a = pe_attr_off(PERF_COUNT_SW_CPU_CLOCK);
	int nr_cpus = pe_cpu_count(), i, clock[MAX_CPUS];
	static struct lane lane[MAX_CPUS];
	pthread_t w[WRITERS], r[MAX_CPUS];
	__u64 value[2], more[2], written = 0;

	if (geteuid())
		SKIP(return, "needs root");
	if (nr_cpus > MAX_CPUS)
		nr_cpus = MAX_CPUS;
	/*
	 * A clock event writes to the same buffer, and interrupts the other
	 * writers. On a slow kernel the interrupts must leave them time.
	 */
	a.sample_period = pe_rounds(100) < 100 ? 500000 : 100000;
	a.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP;
	a.read_format = PERF_FORMAT_LOST;
	for (i = 0; i < nr_cpus; i++) {
		struct lane *l = &lane[i];

		l->cpu = i;
		l->way = i & 1 ? BY_TAIL : BY_SPLICE;
		l->faults = self->all / WRITERS + 1;
		ASSERT_EQ(0, open_lane(l, -1, i));
		clock[i] = pe_open(&a, -1, i, -1, 0);
		ASSERT_LE(0, clock[i]);
		ASSERT_EQ(0, pe_ioctl(clock[i], PERF_EVENT_IOC_SET_OUTPUT, l->fd));
		l->ready = 1;
		ASSERT_EQ(0, pthread_create(&r[i], NULL, reader, l));
	}
	for (i = 0; i < WRITERS; i++)
		ASSERT_EQ(0, pthread_create(&w[i], NULL, cpu_writer, &lane[i % nr_cpus]));
	for (i = 0; i < nr_cpus; i++) {
		ASSERT_EQ(0, pe_ioctl(lane[i].fd, PERF_EVENT_IOC_ENABLE, 0));
		ASSERT_EQ(0, pe_ioctl(clock[i], PERF_EVENT_IOC_ENABLE, 0));
	}
	__atomic_store_n(&go, 1, __ATOMIC_RELEASE);
	for (i = 0; i < WRITERS; i++)
		pthread_join(w[i], NULL);
	for (i = 0; i < nr_cpus; i++) {
		struct lane *l = &lane[i];

		ASSERT_EQ(0, pe_ioctl(clock[i], PERF_EVENT_IOC_DISABLE, 0));
		ASSERT_EQ(0, pe_ioctl(l->fd, PERF_EVENT_IOC_DISABLE, 0));
		__atomic_store_n(&l->done, 1, __ATOMIC_RELEASE);
		pthread_join(r[i], NULL);
		/* There is space now: the next record reports all lost records. */
		ASSERT_EQ(0, pe_move_to(i));
		ASSERT_EQ(0, pe_ioctl(l->fd, PERF_EVENT_IOC_ENABLE, 0));
		fault(1);
		ASSERT_EQ(0, pe_ioctl(l->fd, PERF_EVENT_IOC_DISABLE, 0));
		take_all(l);
		ASSERT_EQ(true, values(l->fd, value));
		ASSERT_EQ(true, values(clock[i], more));
		TH_LOG("written %llu, read %llu, lost %llu; of the clock %llu, lost %llu",
		       (unsigned long long)value[0], (unsigned long long)l->read,
		       (unsigned long long)value[1], (unsigned long long)l->others,
		       (unsigned long long)more[1]);
		EXPECT_EQ(value[0], l->read + value[1]);
		EXPECT_EQ(value[1] + more[1], l->told);
		EXPECT_LT(0, l->others + more[1]);
		EXPECT_EQ(0, l->broken);
		written += value[0];
		close(clock[i]);
		close_lane(l);
	}
	EXPECT_LE(self->all, written);
}

TEST_HARNESS_MAIN
