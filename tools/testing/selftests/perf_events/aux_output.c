// SPDX-License-Identifier: GPL-2.0
/*
 * Events that write their samples into the AUX area of their group's leader (attr.aux_output), and
 * records that only drivers write: AUX_OUTPUT_HW_ID and LOST_SAMPLES. With the simulated trace
 * unit.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_records.h"
#include "pe_sim.h"

#define HW_ID	0x1234567890ULL

static struct pe_record rec;

FIXTURE(out) {
	struct perf_event_attr trace, packet;
	struct pe_ring ring;
	struct pe_sample id;
	void *area;
	size_t size;
	int fd;
};

FIXTURE_SETUP(out)
{
	long trace = pe_sim_trace_type(), packet = pe_get(PE_DEVICES "sim_packet/type");

	self->fd = -1;
	self->area = NULL;
	self->size = 4 * sysconf(_SC_PAGESIZE);
	if (trace < 0 || packet < 0 || geteuid())
		SKIP(return, "needs the simulated trace unit, and root");
	self->trace = pe_attr(0);
	self->trace.type = trace;
	self->trace.sample_id_all = 1;
	self->trace.sample_type = PE_ID_FIELDS;
	self->packet = pe_attr(HW_ID);
	self->packet.type = packet;
	self->packet.sample_id_all = 1;
	self->packet.sample_type = PE_ID_FIELDS;
	self->packet.aux_output = 1;
	ASSERT_EQ(0, pe_move_to(0));
}

FIXTURE_TEARDOWN(out)
{
	if (self->area)
		munmap(self->area, self->size);
	if (self->fd >= 0) {
		pe_ring_unmap(&self->ring);
		close(self->fd);
	}
}

/* Open and map the leader, with both of its buffers. */
static void start(struct __test_metadata *_metadata, struct _test_data_out *self)
{
	self->fd = pe_self(&self->trace);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, pe_ring_map(&self->ring, self->fd, 4));
	ASSERT_EQ(0, pe_ring_poison(&self->ring, self->fd, -1));
	self->ring.page->aux_offset = self->ring.len;
	self->ring.page->aux_size = self->size;
	self->area = mmap(NULL, self->size, PROT_READ | PROT_WRITE, MAP_SHARED, self->fd,
			  self->ring.len);
	ASSERT_NE(MAP_FAILED, self->area);
}

static int member(struct _test_data_out *self)
{
	int fd = pe_open(&self->packet, 0, -1, self->fd, 0), ret;

	if (fd < 0)
		return fd;
	ret = pe_ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, self->fd);
	return ret ? ret : fd;
}

static int enable(int fd)
{
	return pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
}

static int disable(int fd)
{
	return pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
}

/*
 * Find the next record of a type. Records must be in order, and each sample_id must belong to an
 * event of the test.
 */
static bool next(struct __test_metadata *_metadata, struct _test_data_out *self, __u32 type,
		 int fd)
{
	const char *fault;

	if (pe_ring_find(&self->ring, &rec, type) != 1)
		return false;
	fault = pe_record_fault(&self->trace, &rec, &self->id);
	EXPECT_EQ(NULL, fault) {
		TH_LOG("%s", fault);
	}
	EXPECT_EQ(getpid(), self->id.pid);
	EXPECT_EQ(getpid(), self->id.tid);
	EXPECT_EQ(0, self->id.cpu);
	EXPECT_EQ(pe_id(fd), self->id.id);
	EXPECT_EQ(pe_id(fd), self->id.stream_id);
	EXPECT_EQ(pe_id(fd), self->id.identifier);
	return true;
}

static __u64 word(void)
{
	__u64 value;

	memcpy(&value, rec.body, sizeof(value));
	return value;
}

TEST_F(out, rules)
{
	struct perf_event_attr other = pe_attr(PERF_COUNT_SW_DUMMY);
	int leader;

	self->fd = pe_self(&self->trace);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, pe_ring_map(&self->ring, self->fd, 1));
	EXPECT_EQ(0, pe_try(&self->packet, 0, -1, self->fd, 0));

	/* A member needs a leader that has an AUX area. */
	EXPECT_EQ(-EINVAL, pe_try(&self->packet, 0, -1, -1, 0));
	leader = pe_self(&other);
	ASSERT_LE(0, leader);
	EXPECT_EQ(-EINVAL, pe_try(&self->packet, 0, -1, leader, 0));
	self->packet.aux_output = 0;
	EXPECT_EQ(0, pe_try(&self->packet, 0, -1, leader, 0));
	EXPECT_EQ(0, pe_try(&self->packet, 0, -1, self->fd, 0));
	close(leader);

	/* aux_output and aux_sample_size exclude each other. */
	self->packet.aux_output = 1;
	self->packet.aux_sample_size = 64;
	EXPECT_EQ(-EINVAL, pe_try(&self->packet, 0, -1, self->fd, 0));
	self->packet.aux_sample_size = 0;

	/*
	 * The PMU must support aux_output. The trace unit's own PMU does not, and neither do other
	 * PMUs.
	 */
	other.aux_output = 1;
	EXPECT_EQ(-EOPNOTSUPP, pe_try(&other, 0, -1, self->fd, 0));
	self->trace.aux_output = 1;
	EXPECT_EQ(-EOPNOTSUPP, pe_try(&self->trace, 0, -1, self->fd, 0));
}

TEST_F(out, not_paused)
{
	/* attr.aux_action is newer than the other fields. */
	self->trace.aux_start_paused = 1;
	self->fd = pe_self(&self->trace);
	if (self->fd < 0 && !getenv("PE_HARD"))
		SKIP(return, "no pausing");
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, pe_ring_map(&self->ring, self->fd, 1));
	self->packet.aux_pause = 1;
	EXPECT_EQ(-EOPNOTSUPP, pe_try(&self->packet, 0, -1, self->fd, 0));
	self->packet.aux_pause = 0;
	self->packet.aux_resume = 1;
	EXPECT_EQ(-EOPNOTSUPP, pe_try(&self->packet, 0, -1, self->fd, 0));
}

TEST_F(out, hardware_id)
{
	__u64 told;
	int fd;

	start(_metadata, self);
	disable(self->fd);
	fd = member(self);
	ASSERT_LE(0, fd);
	enable(self->fd);
	/* The sample_id identifies the event of the record. */
	ASSERT_EQ(true, next(_metadata, self, PERF_RECORD_AUX_OUTPUT_HW_ID, fd));
	told = word();
	EXPECT_EQ(HW_ID, told);
	disable(self->fd);
	close(fd);
}

TEST_F(out, no_hardware_id_for_others)
{
	int fd;

	self->packet.aux_output = 0;
	start(_metadata, self);
	fd = member(self);
	ASSERT_LE(0, fd);
	disable(self->fd);
	enable(self->fd);
	EXPECT_EQ(0, pe_ring_find(&self->ring, &rec, PERF_RECORD_AUX_OUTPUT_HW_ID));
	close(fd);
}

TEST_F(out, two_members)
{
	unsigned int seen = 0;
	int fd[2], i;

	start(_metadata, self);
	disable(self->fd);
	for (i = 0; i < 2; i++) {
		self->packet.config = 100 + i;
		fd[i] = member(self);
		ASSERT_LE(0, fd[i]);
	}
	enable(self->fd);
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(true, next(_metadata, self, PERF_RECORD_AUX_OUTPUT_HW_ID, fd[i]));
		EXPECT_EQ(100 + i, word());
		seen++;
	}
	EXPECT_EQ(2, seen);
	disable(self->fd);
	close(fd[0]);
	close(fd[1]);
}

/* A member stops when its leader is closed. */
TEST_F(out, leader_goes_first)
{
	__u64 count;
	int fd;

	start(_metadata, self);
	fd = member(self);
	ASSERT_LE(0, fd);
	munmap(self->area, self->size);
	self->area = NULL;
	pe_ring_unmap(&self->ring);
	close(self->fd);
	self->fd = -1;
	/* The event is in error, so a read returns 0 bytes. */
	EXPECT_EQ(0, read(fd, &count, sizeof(count)));
	close(fd);
}

/* When execve(2) removes the leader, the member stops, and a fork(2) still succeeds. */
TEST_F(out, leader_goes_at_exec)
{
	struct pe_child child;
	int fd, all;

	ASSERT_EQ(0, pe_child_start(&child));
	self->trace.inherit = 1;
	self->trace.remove_on_exec = 1;
	self->packet.inherit = 1;
	self->fd = pe_open(&self->trace, child.pid, -1, -1, 0);
	ASSERT_LE(0, self->fd);
	fd = pe_open(&self->packet, child.pid, -1, self->fd, 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_child_do(&child, PE_FORK_FAULT, 1));
	ASSERT_EQ(0, pe_child_do(&child, PE_EXEC, 0));
	EXPECT_EQ(0, pe_child_do(&child, PE_FORK_FAULT, 1));
	close(self->fd);
	self->fd = -1;
	/* At any time either events of tasks or events of CPUs may use the unit. */
	self->trace.inherit = 0;
	self->trace.remove_on_exec = 0;
	all = pe_open(&self->trace, -1, 0, -1, 0);
	EXPECT_LE(0, all);
	if (all >= 0)
		close(all);
	close(fd);
	pe_child_end(&child);
}

TEST_F(out, records_of_the_trace)
{
	__u64 body[3];
	__u32 ids[2];

	start(_metadata, self);
	disable(self->fd);
	ASSERT_EQ(0, pe_ring_poison(&self->ring, self->fd, -1));
	enable(self->fd);
	ASSERT_EQ(true, next(_metadata, self, PERF_RECORD_ITRACE_START, self->fd));
	memcpy(ids, rec.body, sizeof(ids));
	EXPECT_EQ(getpid(), ids[0]);
	EXPECT_EQ(getpid(), ids[1]);
	ASSERT_EQ(0, pe_set(PE_SIM_TRACE "trace", 100));
	disable(self->fd);
	ASSERT_EQ(true, next(_metadata, self, PERF_RECORD_AUX, self->fd));
	memcpy(body, rec.body, sizeof(body));
	EXPECT_EQ(0, body[0]);
	EXPECT_EQ(100, body[1]);
	EXPECT_EQ(0, body[2]);
}

TEST_F(out, lost_samples)
{
	start(_metadata, self);
	disable(self->fd);
	ASSERT_EQ(0, pe_ring_poison(&self->ring, self->fd, -1));
	enable(self->fd);
	ASSERT_EQ(0, pe_set(PE_SIM_TRACE "lose", 7));
	ASSERT_EQ(true, next(_metadata, self, PERF_RECORD_LOST_SAMPLES, self->fd));
	EXPECT_EQ(7, word());
	ASSERT_EQ(0, pe_set(PE_SIM_TRACE "lose", 0x7fffffff));
	ASSERT_EQ(true, next(_metadata, self, PERF_RECORD_LOST_SAMPLES, self->fd));
	EXPECT_EQ(0x7fffffff, word());
	disable(self->fd);
	/* No event is active that could lose samples. */
	ASSERT_EQ(0, pe_set(PE_SIM_TRACE "lose", 7));
	EXPECT_EQ(0, pe_ring_find(&self->ring, &rec, PERF_RECORD_LOST_SAMPLES));
}

TEST_HARNESS_MAIN
