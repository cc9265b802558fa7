// SPDX-License-Identifier: GPL-2.0
/*
 * AUX areas, with the simulated trace unit: it traces as many bytes as a test requests, and the
 * bytes count up.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_sample.h"
#include "pe_sim.h"

#define AUX_PAGES	4

static struct pe_record rec;

/* Body of PERF_RECORD_AUX */
struct aux {
	__u64 offset;
	__u64 size;
	__u64 flags;
};

FIXTURE(aux) {
	struct perf_event_attr a;
	struct pe_ring ring;
	struct pe_sample s;
	unsigned char *area;
	size_t size;
	long page;
	int fd;
};

FIXTURE_SETUP(aux)
{
	int type = pe_sim_trace_type();

	self->fd = -1;
	self->ring.page = NULL;
	self->area = NULL;
	if (type < 0 || geteuid())
		SKIP(return, "needs the simulated trace unit, and root");
	self->page = sysconf(_SC_PAGESIZE);
	self->size = AUX_PAGES * self->page;
	self->a = pe_attr_off(0);
	self->a.type = type;
	/* A task that is switched out ends its trace with a record, so avoid preemption. */
	pe_undisturbed();
	ASSERT_EQ(0, pe_move_to(0));
}

static void unmap_area(unsigned char **area, size_t size)
{
	if (*area)
		munmap(*area, size);
	*area = NULL;
}

FIXTURE_TEARDOWN(aux)
{
	unmap_area(&self->area, self->size);
	if (self->ring.page)
		pe_ring_unmap(&self->ring);
	if (self->fd >= 0)
		close(self->fd);
}

static int trace(unsigned int bytes)
{
	return pe_set(PE_SIM_TRACE "trace", bytes);
}

static void *map_area(int fd, struct pe_ring *ring, size_t size, int prot)
{
	ring->page->aux_offset = ring->len;
	ring->page->aux_size = size;
	return mmap(NULL, size, prot, MAP_SHARED, fd, ring->len);
}

/* Open an event, and map its buffer and its AUX area. */
static int start(struct __test_metadata *_metadata, struct _test_data_aux *self, int prot)
{
	void *p;

	self->fd = pe_self(&self->a);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, pe_ring_map(&self->ring, self->fd, 4));
	p = map_area(self->fd, &self->ring, self->size, prot);
	ASSERT_NE(MAP_FAILED, p);
	self->area = p;
	return 0;
}

static int enable(int fd)
{
	return pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
}

static int disable(int fd)
{
	return pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
}

static bool next_aux(struct pe_ring *ring, struct aux *aux)
{
	if (pe_ring_find(ring, &rec, PERF_RECORD_AUX) != 1)
		return false;
	memcpy(aux, rec.body, sizeof(*aux));
	return true;
}

/* Return the number of wrong bytes from a position on. */
static unsigned int wrong(struct _test_data_aux *self, __u64 from, __u64 to, unsigned char first)
{
	unsigned int nr = 0;

	for (; from < to; from++, first++)
		nr += self->area[from % self->size] != first;
	return nr;
}

TEST_F(aux, mapping)
{
	struct perf_event_mmap_page *p;
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_DUMMY);
	struct pe_ring ring;
	void *area;
	int fd;

	self->fd = pe_self(&self->a);
	ASSERT_LE(0, self->fd);
	/*
	 * The records must be mapped first, then the area, with the offset and size
	 * in the page; any other mapping is refused.
	 */
	EXPECT_EQ(MAP_FAILED, mmap(NULL, self->size, PROT_READ | PROT_WRITE, MAP_SHARED,
				   self->fd, 5 * self->page));
	ASSERT_EQ(0, pe_ring_map(&self->ring, self->fd, 4));
	p = self->ring.page;
	EXPECT_EQ(MAP_FAILED, mmap(NULL, self->size, PROT_READ | PROT_WRITE, MAP_SHARED,
				   self->fd, self->ring.len));
	p->aux_offset = self->ring.len;
	p->aux_size = self->size;
	EXPECT_EQ(MAP_FAILED, mmap(NULL, self->size / 2, PROT_READ, MAP_SHARED, self->fd,
				   self->ring.len));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, self->size, PROT_READ, MAP_SHARED, self->fd,
				   self->ring.len + self->page));
	/*
	 * Refused: an area inside of the records, or of a size that is no
	 * power of two.
	 */
	p->aux_offset = self->ring.len - self->page;
	EXPECT_EQ(MAP_FAILED, mmap(NULL, self->size, PROT_READ, MAP_SHARED, self->fd,
				   self->ring.len - self->page));
	p->aux_offset = self->ring.len;
	p->aux_size = 3 * self->page;
	EXPECT_EQ(MAP_FAILED, mmap(NULL, 3 * self->page, PROT_READ, MAP_SHARED, self->fd,
				   self->ring.len));
	EXPECT_EQ(EINVAL, errno);
	area = map_area(self->fd, &self->ring, self->size, PROT_READ | PROT_WRITE);
	EXPECT_NE(MAP_FAILED, area);
	/* Map the area again, and unmap one mapping. */
	self->area = map_area(self->fd, &self->ring, self->size, PROT_READ | PROT_WRITE);
	EXPECT_NE(MAP_FAILED, (void *)self->area);
	munmap(area, self->size);

	/* Only an event of a trace unit has an AUX area. */
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_ring_map(&ring, fd, 1));
	EXPECT_EQ(MAP_FAILED, map_area(fd, &ring, self->size, PROT_READ | PROT_WRITE));
	EXPECT_EQ(EOPNOTSUPP, errno);
	pe_ring_unmap(&ring);
	close(fd);
}

TEST_F(aux, needs_an_area)
{
	/* Without an AUX area the event cannot run; with one it runs. */
	self->fd = pe_self(&self->a);
	ASSERT_LE(0, self->fd);
	enable(self->fd);
	ASSERT_EQ(0, trace(100));
	EXPECT_EQ(0, pe_count(self->fd));
	disable(self->fd);
}

TEST_F(aux, records)
{
	struct aux aux;

	start(_metadata, self, PROT_READ | PROT_WRITE);
	enable(self->fd);
	ASSERT_EQ(0, trace(1000));
	/* A record is written when the trace stops, or at a watermark. */
	EXPECT_EQ(0, self->ring.page->aux_head);
	disable(self->fd);
	EXPECT_EQ(1000, self->ring.page->aux_head);
	ASSERT_EQ(true, next_aux(&self->ring, &aux));
	EXPECT_EQ(0, aux.offset);
	EXPECT_EQ(1000, aux.size);
	EXPECT_EQ(0, aux.flags);
	EXPECT_EQ(0, wrong(self, 0, 1000, 0));
	EXPECT_EQ(1000, pe_count(self->fd));

	enable(self->fd);
	ASSERT_EQ(0, trace(24));
	disable(self->fd);
	ASSERT_EQ(true, next_aux(&self->ring, &aux));
	EXPECT_EQ(1000, aux.offset);
	EXPECT_EQ(24, aux.size);
	EXPECT_EQ(0, wrong(self, 0, 1024, 0));
	/* Without new trace data there is no record. */
	enable(self->fd);
	disable(self->fd);
	EXPECT_EQ(false, next_aux(&self->ring, &aux));
}

TEST_F(aux, watermark)
{
	struct pollfd p = { .events = POLLIN };
	__u64 told = 0, nr = 0;
	struct aux aux;

	self->a.aux_watermark = 1000;
	start(_metadata, self, PROT_READ | PROT_WRITE);
	p.fd = self->fd;
	enable(self->fd);
	poll(&p, 1, 0);
	ASSERT_EQ(0, trace(999));
	EXPECT_EQ(0, poll(&p, 1, 0));
	ASSERT_EQ(0, trace(2));
	EXPECT_EQ(1, poll(&p, 1, 20000));
	EXPECT_LE(1000, self->ring.page->aux_head);
	ASSERT_EQ(0, trace(2999));
	disable(self->fd);
	/* There is a record at each watermark, and after each switch of the task. */
	while (next_aux(&self->ring, &aux)) {
		EXPECT_EQ(told, aux.offset);
		EXPECT_GE(1000, aux.size);
		told += aux.size;
		nr++;
	}
	EXPECT_EQ(4000, told);
	EXPECT_LE(4, nr);
	EXPECT_EQ(0, wrong(self, 0, 4000, 0));
}

TEST_F(aux, full)
{
	__u64 read = 0, told = 0, flags = 0;
	struct aux aux;
	int round;

	/* The trace stops when the area is full; after data is consumed, IOC_ENABLE restarts it. */
	start(_metadata, self, PROT_READ | PROT_WRITE);
	enable(self->fd);
	ASSERT_EQ(0, trace(10 * self->size));
	EXPECT_GE(self->size, self->ring.page->aux_head);
	EXPECT_LE(self->size - 64, self->ring.page->aux_head);
	while (next_aux(&self->ring, &aux)) {
		EXPECT_EQ(told, aux.offset);
		told += aux.size;
		flags |= aux.flags;
	}
	EXPECT_EQ(told, self->ring.page->aux_head);
	EXPECT_EQ(PERF_AUX_FLAG_PARTIAL, flags);
	EXPECT_EQ(0, wrong(self, 0, told, 0));

	for (round = 0; round < 20; round++) {
		__u64 head = self->ring.page->aux_head;

		ASSERT_EQ(0, wrong(self, read, head, read));
		read = head;
		__atomic_store_n(&self->ring.page->aux_tail, head, __ATOMIC_RELEASE);
		enable(self->fd);
		ASSERT_EQ(0, trace(1 + 777 * round));
		disable(self->fd);
		EXPECT_LE(head, self->ring.page->aux_head);
		EXPECT_GE(head + 1 + 777 * round, self->ring.page->aux_head);
		pe_ring_drop(&self->ring, 0);
	}
	EXPECT_LT(self->size, self->ring.page->aux_head);
}

TEST_F(aux, overwritten)
{
	struct aux aux;
	__u64 head;

	/* In overwrite mode the area has the last bytes. */
	start(_metadata, self, PROT_READ);
	enable(self->fd);
	ASSERT_EQ(0, trace(3 * self->size + 100));
	disable(self->fd);
	head = self->ring.page->aux_head;
	EXPECT_EQ(3 * self->size + 100, head);
	ASSERT_EQ(true, next_aux(&self->ring, &aux));
	EXPECT_EQ(PERF_AUX_FLAG_OVERWRITE, aux.flags & PERF_AUX_FLAG_OVERWRITE);
	EXPECT_EQ(head, aux.offset);
	EXPECT_EQ(0, wrong(self, head - self->size, head, head - self->size));
}

TEST_F(aux, read_only_for_user_space)
{
	struct perf_event_mmap_page *p;

	start(_metadata, self, PROT_READ | PROT_WRITE);
	p = self->ring.page;
	/* Later changes of the page's fields do not change the area. */
	p->aux_size = 1 << 30;
	p->aux_offset = 0;
	enable(self->fd);
	ASSERT_EQ(0, trace(500));
	disable(self->fd);
	EXPECT_EQ(500, p->aux_head);
	EXPECT_EQ(0, wrong(self, 0, 500, 0));
}

TEST_F(aux, start_of_a_trace)
{
	__u32 ids[2];

	start(_metadata, self, PROT_READ | PROT_WRITE);
	enable(self->fd);
	disable(self->fd);
	ASSERT_EQ(1, pe_ring_find(&self->ring, &rec, PERF_RECORD_ITRACE_START));
	memcpy(ids, rec.body, sizeof(ids));
	EXPECT_EQ(getpid(), ids[0]);
	EXPECT_EQ(getpid(), ids[1]);
}

/* A driver that writes ITRACE_START itself does so at start: there must be exactly one record. */
TEST_F(aux, itrace_start_record)
{
	unsigned int i, nr = 0;

	self->a.config = 1;
	start(_metadata, self, PROT_READ | PROT_WRITE);
	for (i = 0; i < 3; i++) {
		enable(self->fd);
		disable(self->fd);
	}
	while (pe_ring_find(&self->ring, &rec, PERF_RECORD_ITRACE_START) == 1)
		nr++;
	EXPECT_EQ(1, nr);
}

TEST_F(aux, in_samples)
{
	struct perf_event_attr m = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	unsigned char bytes[64];
	__u64 size;
	int member, i;

	/* Samples of a member contain the last bytes of the trace. */
	start(_metadata, self, PROT_READ);
	m.sample_period = 1;
	m.sample_type = PERF_SAMPLE_AUX;
	m.aux_sample_size = 64;
	m.exclude_kernel = 1;
	EXPECT_EQ(-EINVAL, pe_try(&m, 0, -1, -1, 0));
	member = pe_open(&m, 0, -1, self->fd, 0);
	ASSERT_LE(0, member);
	ASSERT_EQ(0, pe_ioctl(member, PERF_EVENT_IOC_SET_OUTPUT, self->fd));
	pe_fault(1);
	enable(self->fd);
	ASSERT_EQ(0, trace(5000));
	pe_ring_drop(&self->ring, 0);
	pe_fault(1);
	disable(self->fd);
	ASSERT_EQ(1, pe_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE));
	ASSERT_EQ(8 + 8 + 64, rec.head.size);
	memcpy(&size, rec.body, sizeof(size));
	ASSERT_EQ(64, size);
	memcpy(bytes, rec.body + 8, sizeof(bytes));
	for (i = 0; i < 64; i++)
		EXPECT_EQ((unsigned char)(5000 - 64 + i), bytes[i]);
	close(member);
}

static int aux_size(struct pe_ring *ring)
{
	__u64 size;

	if (pe_ring_find(ring, &rec, PERF_RECORD_SAMPLE) != 1)
		return -1;
	memcpy(&size, rec.body, sizeof(size));
	return rec.head.size == 8 + 8 + size ? size : -2;
}

/* After execve(2) has removed the traced event, its sampling member continues without it. */
TEST_F(aux, in_samples_until_exec)
{
	struct perf_event_attr m = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct pe_child child;
	struct pe_ring ring;
	int member, size, nr = 0;

	ASSERT_EQ(0, pe_child_start(&child));
	self->a.remove_on_exec = 1;
	self->fd = pe_open(&self->a, child.pid, -1, -1, 0);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, pe_ring_map(&self->ring, self->fd, 1));
	self->area = map_area(self->fd, &self->ring, self->size, PROT_READ);
	ASSERT_NE(MAP_FAILED, (void *)self->area);
	m.sample_period = 1;
	m.sample_type = PERF_SAMPLE_AUX;
	m.aux_sample_size = 64;
	m.exclude_kernel = 1;
	member = pe_open(&m, child.pid, -1, self->fd, 0);
	ASSERT_LE(0, member);
	ASSERT_EQ(0, pe_ring_map(&ring, member, 8));
	enable(self->fd);
	ASSERT_EQ(0, pe_child_do(&child, PE_FAULT, 3));
	for (nr = 0; (size = aux_size(&ring)) >= 0; nr++)
		EXPECT_EQ(64, size);
	EXPECT_LE(3, nr);
	EXPECT_EQ(-1, size);

	ASSERT_EQ(0, pe_child_do(&child, PE_EXEC, 0));
	pe_ring_drop(&ring, 0);
	ASSERT_EQ(0, enable(member));
	ASSERT_EQ(0, pe_child_do(&child, PE_FAULT, 3));
	for (nr = 0; (size = aux_size(&ring)) >= 0; nr++)
		EXPECT_EQ(0, size);
	EXPECT_LE(3, nr);
	EXPECT_EQ(-1, size);
	pe_ring_unmap(&ring);
	close(member);
	pe_child_end(&child);
}

/* A fork succeeds with an event whose traced event is removed. */
TEST_F(aux, in_samples_beside_a_fork)
{
	struct perf_event_attr m = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct pe_child child;
	int member;

	self->a.inherit = 1;
	self->fd = pe_open(&self->a, 0, -1, -1, 0);
	ASSERT_LE(0, self->fd);
	m.inherit = 1;
	m.sample_period = 1;
	m.sample_type = PERF_SAMPLE_AUX;
	m.aux_sample_size = 64;
	m.exclude_kernel = 1;
	member = pe_open(&m, 0, -1, self->fd, 0);
	ASSERT_LE(0, member);
	ASSERT_EQ(0, pe_child_start(&child));
	pe_child_end(&child);
	ASSERT_EQ(0, close(self->fd));
	self->fd = -1;
	ASSERT_EQ(0, pe_child_start(&child));
	pe_child_end(&child);
	close(member);
}

TEST_F(aux, paused_and_resumed)
{
	struct perf_event_attr m = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int pause, resume;

	/* attr.aux_action is newer than the other fields. */
	m.sample_period = 1;
	m.exclude_kernel = 1;
	m.aux_pause = 1;
	start(_metadata, self, PROT_READ | PROT_WRITE);
	pause = pe_open(&m, 0, -1, self->fd, 0);
	if (pause < 0 && !getenv("PE_HARD"))
		SKIP(return, "no pausing");
	ASSERT_LE(0, pause);
	m.aux_resume = 1;
	EXPECT_EQ(-EINVAL, pe_try(&m, 0, -1, self->fd, 0));
	m.aux_pause = 0;
	m.config = PERF_COUNT_SW_CPU_MIGRATIONS;
	m.exclude_kernel = 0;
	resume = pe_open(&m, 0, -1, self->fd, 0);
	ASSERT_LE(0, resume);
	/*
	 * Page faults of this program pause the trace, too. All of them happen before the
	 * migration, which resumes it.
	 */
	enable(self->fd);
	ASSERT_EQ(0, trace(100));
	pe_count(self->fd);
	pe_fault(1);
	ASSERT_EQ(0, pe_ioctl(self->fd, PERF_EVENT_IOC_RESET, 0));
	if (pe_move_to(1))
		SKIP(return, "needs two CPUs");
	pe_move_to(0);
	ASSERT_EQ(0, trace(100));
	EXPECT_EQ(100, pe_count(self->fd));
	pe_fault(1);
	ASSERT_EQ(0, trace(100));
	EXPECT_EQ(100, pe_count(self->fd));
	pe_move_to(1);
	pe_move_to(0);
	ASSERT_EQ(0, trace(100));
	EXPECT_EQ(200, pe_count(self->fd));
	disable(self->fd);
	close(pause);
	close(resume);
}

TEST_F(aux, starts_paused)
{
	struct perf_event_attr m = pe_attr(PERF_COUNT_SW_CPU_MIGRATIONS);
	int resume;

	self->a.aux_start_paused = 1;
	self->fd = pe_self(&self->a);
	if (self->fd < 0 && !getenv("PE_HARD"))
		SKIP(return, "no pausing");
	ASSERT_LE(0, self->fd);
	close(self->fd);
	start(_metadata, self, PROT_READ | PROT_WRITE);
	m.sample_period = 1;
	m.aux_resume = 1;
	resume = pe_open(&m, 0, -1, self->fd, 0);
	ASSERT_LE(0, resume);
	enable(self->fd);
	ASSERT_EQ(0, trace(100));
	EXPECT_EQ(0, pe_count(self->fd));
	if (pe_move_to(1))
		SKIP(return, "needs two CPUs");
	pe_move_to(0);
	ASSERT_EQ(0, trace(100));
	EXPECT_EQ(100, pe_count(self->fd));
	disable(self->fd);
	close(resume);
}

TEST_F(aux, unmapped_while_it_traces)
{
	start(_metadata, self, PROT_READ | PROT_WRITE);
	enable(self->fd);
	ASSERT_EQ(0, trace(100));
	unmap_area(&self->area, self->size);
	ASSERT_EQ(0, trace(100));
	EXPECT_EQ(100, pe_count(self->fd));
	disable(self->fd);
	/* Another area can be mapped after that. */
	self->area = map_area(self->fd, &self->ring, self->size, PROT_READ | PROT_WRITE);
	ASSERT_NE(MAP_FAILED, (void *)self->area);
	enable(self->fd);
	ASSERT_EQ(0, trace(100));
	disable(self->fd);
	EXPECT_EQ(200, pe_count(self->fd));
}

/* The area can be moved as a whole, also while the unit writes to it, but not resized. */
TEST_F(aux, moved)
{
	struct aux aux;
	void *to;

	start(_metadata, self, PROT_READ | PROT_WRITE);
	to = mmap(NULL, self->size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, to);
	enable(self->fd);
	ASSERT_EQ(0, trace(100));
	ASSERT_EQ(to, mremap(self->area, self->size, self->size, MREMAP_MAYMOVE | MREMAP_FIXED,
			     to));
	self->area = to;
	EXPECT_EQ(MAP_FAILED, mremap(to, self->size, self->page, 0));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(MAP_FAILED, mremap(to, self->size, 2 * self->size, MREMAP_MAYMOVE));
	EXPECT_EQ(EFAULT, errno);
	ASSERT_EQ(0, trace(100));
	disable(self->fd);
	EXPECT_EQ(200, pe_count(self->fd));
	ASSERT_EQ(true, next_aux(&self->ring, &aux));
	EXPECT_EQ(0, aux.offset);
	EXPECT_EQ(200, aux.size);
	EXPECT_EQ(0, wrong(self, 0, 200, 0));

	/* That was the only mapping of the area: the event has none any more. */
	unmap_area(&self->area, self->size);
	enable(self->fd);
	ASSERT_EQ(0, trace(100));
	disable(self->fd);
	EXPECT_EQ(200, pe_count(self->fd));
	self->area = map_area(self->fd, &self->ring, self->size, PROT_READ | PROT_WRITE);
	ASSERT_NE(MAP_FAILED, (void *)self->area);
	enable(self->fd);
	ASSERT_EQ(0, trace(100));
	disable(self->fd);
	EXPECT_EQ(300, pe_count(self->fd));
}

TEST_F(aux, closed_while_it_is_mapped)
{
	start(_metadata, self, PROT_READ | PROT_WRITE);
	enable(self->fd);
	ASSERT_EQ(0, trace(100));
	/* The mappings hold the file, so the event stays open. */
	close(self->fd);
	self->fd = -1;
	ASSERT_EQ(0, trace(100));
	pe_ring_unmap(&self->ring);
	self->ring.page = NULL;
	ASSERT_EQ(0, trace(100));
	EXPECT_EQ(0, self->area[0]);
}

TEST_F(aux, exclusive)
{
	int other;

	/* There is one unit, so it runs one event. */
	start(_metadata, self, PROT_READ | PROT_WRITE);
	other = pe_self(&self->a);
	EXPECT_EQ(-EBUSY, other);
	if (other >= 0)
		close(other);
}

TEST_HARNESS_MAIN
