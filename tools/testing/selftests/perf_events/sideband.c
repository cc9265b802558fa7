// SPDX-License-Identifier: GPL-2.0
/*
 * Sideband records: mappings, names, fork and exit of tasks, switches.
 */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_sample.h"

#define ID_FIELDS	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |	\
			 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |		\
			 PERF_SAMPLE_IDENTIFIER)

static struct pe_record rec;

FIXTURE(side) {
	struct perf_event_attr a;
	struct pe_ring ring;
	struct pe_sample s;
	struct pe_child child;
	int fd;
};

FIXTURE_SETUP(side)
{
	self->a = pe_attr(PERF_COUNT_SW_DUMMY);
	self->a.sample_type = ID_FIELDS;
	self->a.sample_id_all = 1;
	self->fd = -1;
	ASSERT_EQ(0, pe_child_start(&self->child));
}

FIXTURE_TEARDOWN(side)
{
	pe_child_end(&self->child);
	if (self->fd >= 0) {
		pe_ring_unmap(&self->ring);
		close(self->fd);
	}
}

static int start(struct perf_event_attr *attr, struct pe_ring *ring, pid_t pid)
{
	int fd = pe_open(attr, pid, -1, -1, 0), ret;

	if (fd < 0)
		return fd;
	ret = pe_ring_map(ring, fd, 8);
	return ret ? ret : fd;
}

/**
 * struct task_body - body of PERF_RECORD_FORK and PERF_RECORD_EXIT
 * @pid: and the others: as in the ABI
 */
struct task_body {
	__u32 pid, ppid;
	__u32 tid, ptid;
	__u64 time;
};

/**
 * struct mmap_body - fixed part of PERF_RECORD_MMAP
 * @pid: and the others: as in the ABI
 */
struct mmap_body {
	__u32 pid, tid;
	__u64 addr;
	__u64 len;
	__u64 pgoff;
};

/**
 * struct mmap2_body - fixed part of PERF_RECORD_MMAP2
 * @base: the fields of PERF_RECORD_MMAP
 * @maj: and the others: as in the ABI
 */
struct mmap2_body {
	struct mmap_body base;
	__u32 maj, min;
	__u64 ino, generation;
	__u32 prot, flags;
};

TEST_F(side, name)
{
	int len;

	self->a.comm = 1;
	self->fd = start(&self->a, &self->ring, 0);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, prctl(PR_SET_NAME, "pe_side", 0, 0, 0));
	ASSERT_EQ(1, pe_ring_next(&self->ring, &rec));
	EXPECT_EQ(PERF_RECORD_COMM, rec.head.type);
	EXPECT_EQ(0, rec.head.misc & PERF_RECORD_MISC_COMM_EXEC);
	len = pe_id_parse(&self->a, &rec, &self->s);
	/* Two ids, the name and its zero byte, padded to eight bytes. */
	ASSERT_EQ(16, len);
	EXPECT_EQ(getpid(), ((__u32 *)rec.body)[0]);
	EXPECT_EQ(getpid(), ((__u32 *)rec.body)[1]);
	EXPECT_STREQ("pe_side", rec.body + 8);
	EXPECT_EQ(getpid(), self->s.pid);
	EXPECT_EQ(getpid(), self->s.tid);
	EXPECT_EQ(pe_id(self->fd), self->s.id);
	EXPECT_EQ(pe_id(self->fd), self->s.stream_id);
	EXPECT_EQ(pe_id(self->fd), self->s.identifier);
	EXPECT_LT(0, self->s.time);
	EXPECT_EQ(0, pe_ring_next(&self->ring, &rec));
}

TEST_F(side, name_by_exec)
{
	self->a.comm = 1;
	self->a.comm_exec = 1;
	self->fd = start(&self->a, &self->ring, self->child.pid);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, pe_child_do(&self->child, PE_EXEC, 0));
	ASSERT_EQ(1, pe_ring_find(&self->ring, &rec, PERF_RECORD_COMM));
	EXPECT_EQ(PERF_RECORD_MISC_COMM_EXEC,
		  rec.head.misc & PERF_RECORD_MISC_COMM_EXEC);
	EXPECT_EQ(self->child.pid, ((__u32 *)rec.body)[0]);
}

TEST_F(side, without_sample_id)
{
	self->a.comm = 1;
	self->a.sample_id_all = 0;
	self->fd = start(&self->a, &self->ring, 0);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, prctl(PR_SET_NAME, "pe", 0, 0, 0));
	ASSERT_EQ(1, pe_ring_next(&self->ring, &rec));
	EXPECT_EQ(PERF_RECORD_COMM, rec.head.type);
	EXPECT_EQ(8 + 8 + 8, rec.head.size);
}

TEST_F(side, tasks)
{
	struct task_body body;
	__u32 kid;

	self->a.task = 1;
	self->a.inherit = 0;
	self->fd = start(&self->a, &self->ring, self->child.pid);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, pe_child_do(&self->child, PE_FORK_FAULT, 1));
	ASSERT_EQ(1, pe_ring_next(&self->ring, &rec));
	ASSERT_EQ(PERF_RECORD_FORK, rec.head.type);
	ASSERT_EQ(sizeof(body), pe_id_parse(&self->a, &rec, &self->s));
	memcpy(&body, rec.body, sizeof(body));
	kid = body.pid;
	EXPECT_NE(self->child.pid, kid);
	EXPECT_EQ(kid, body.tid);
	EXPECT_EQ(self->child.pid, body.ppid);
	EXPECT_EQ(self->child.pid, body.ptid);
	EXPECT_LT(0, body.time);
	EXPECT_EQ(self->child.pid, self->s.pid);

	/* The child's exit has a record, the exit of the child's child has none. */
	ASSERT_EQ(0, pe_child_end(&self->child));
	ASSERT_EQ(1, pe_ring_next(&self->ring, &rec));
	ASSERT_EQ(PERF_RECORD_EXIT, rec.head.type);
	memcpy(&body, rec.body, sizeof(body));
	EXPECT_EQ(self->child.pid, body.pid);
	EXPECT_EQ(self->child.pid, body.tid);
	EXPECT_EQ(0, pe_ring_next(&self->ring, &rec));
	ASSERT_EQ(0, pe_child_start(&self->child));
}

TEST_F(side, mapping)
{
	long page = sysconf(_SC_PAGESIZE);
	struct mmap_body body;
	int file = open("/proc/self/exe", O_RDONLY);
	void *p;

	ASSERT_LE(0, file);
	self->a.mmap = 1;
	self->fd = start(&self->a, &self->ring, 0);
	ASSERT_LE(0, self->fd);
	pe_ring_drop(&self->ring, 0);

	/* Mappings of data have records only with mmap_data. */
	p = mmap(NULL, page, PROT_READ, MAP_PRIVATE, file, 0);
	munmap(p, page);
	EXPECT_EQ(0, pe_ring_next(&self->ring, &rec));

	p = mmap(NULL, page, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, page);
	ASSERT_NE(MAP_FAILED, p);
	ASSERT_EQ(1, pe_ring_next(&self->ring, &rec));
	EXPECT_EQ(PERF_RECORD_MMAP, rec.head.type);
	EXPECT_EQ(PERF_RECORD_MISC_USER, rec.head.misc);
	memcpy(&body, rec.body, sizeof(body));
	EXPECT_EQ(getpid(), body.pid);
	EXPECT_EQ(getpid(), body.tid);
	EXPECT_EQ((unsigned long)p, body.addr);
	EXPECT_EQ(page, body.len);
	EXPECT_EQ(page, body.pgoff);
	EXPECT_NE(NULL, strstr(rec.body + sizeof(body), "/sideband"));
	EXPECT_EQ(sizeof(body) + (strlen(rec.body + sizeof(body)) + 8) / 8 * 8,
		  pe_id_parse(&self->a, &rec, &self->s));
	munmap(p, page);
	EXPECT_EQ(0, pe_ring_next(&self->ring, &rec));
	close(file);
}

TEST_F(side, data_mapping)
{
	long page = sysconf(_SC_PAGESIZE);
	int file = open("/proc/self/exe", O_RDONLY);
	struct mmap_body body;
	void *p;

	self->a.mmap_data = 1;
	self->fd = start(&self->a, &self->ring, 0);
	ASSERT_LE(0, self->fd);
	pe_ring_drop(&self->ring, 0);
	p = mmap(NULL, page, PROT_READ, MAP_PRIVATE, file, 0);
	ASSERT_NE(MAP_FAILED, p);
	ASSERT_EQ(1, pe_ring_next(&self->ring, &rec));
	EXPECT_EQ(PERF_RECORD_MMAP, rec.head.type);
	EXPECT_EQ(PERF_RECORD_MISC_MMAP_DATA,
		  rec.head.misc & PERF_RECORD_MISC_MMAP_DATA);
	memcpy(&body, rec.body, sizeof(body));
	EXPECT_EQ((unsigned long)p, body.addr);
	munmap(p, page);

	p = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		 -1, 0);
	ASSERT_NE(MAP_FAILED, p);
	ASSERT_EQ(1, pe_ring_next(&self->ring, &rec));
	EXPECT_STREQ("//anon", rec.body + sizeof(body));
	munmap(p, page);
	close(file);
}

TEST_F(side, mapping_with_inode)
{
	long page = sysconf(_SC_PAGESIZE);
	int file = open("/proc/self/exe", O_RDONLY);
	struct mmap2_body body;
	void *p;

	self->a.mmap = 1;
	self->a.mmap2 = 1;
	self->fd = start(&self->a, &self->ring, 0);
	ASSERT_LE(0, self->fd);
	pe_ring_drop(&self->ring, 0);
	p = mmap(NULL, page, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
	ASSERT_NE(MAP_FAILED, p);
	ASSERT_EQ(1, pe_ring_next(&self->ring, &rec));
	EXPECT_EQ(PERF_RECORD_MMAP2, rec.head.type);
	memcpy(&body, rec.body, sizeof(body));
	EXPECT_EQ((unsigned long)p, body.base.addr);
	EXPECT_EQ(PROT_READ | PROT_EXEC, body.prot);
	EXPECT_EQ(MAP_PRIVATE, body.flags & MAP_TYPE);
	EXPECT_NE(0, body.ino);
	EXPECT_NE(NULL, strstr(rec.body + sizeof(body), "/sideband"));
	munmap(p, page);
	close(file);
}

TEST_F(side, switches)
{
	unsigned int out = 0, in = 0, misc, i;

	self->a.context_switch = 1;
	ASSERT_EQ(0, pe_move_to(0));
	ASSERT_EQ(0, pe_child_do(&self->child, PE_MOVE, 0));
	self->fd = start(&self->a, &self->ring, 0);
	ASSERT_LE(0, self->fd);
	for (i = 0; i < 10; i++)
		ASSERT_EQ(0, pe_child_do(&self->child, PE_SPIN, 1));
	while (pe_ring_next(&self->ring, &rec) == 1) {
		ASSERT_EQ(PERF_RECORD_SWITCH, rec.head.type);
		ASSERT_EQ(0, pe_id_parse(&self->a, &rec, &self->s));
		EXPECT_EQ(getpid(), self->s.tid);
		misc = rec.head.misc & PERF_RECORD_MISC_SWITCH_OUT;
		out += !!misc;
		in += !misc;
	}
	EXPECT_LE(10, out);
	EXPECT_LE(10, in);
	EXPECT_GE(out + 1, in);
	EXPECT_GE(in + 1, out);
}

TEST_F(side, none_while_disabled)
{
	self->a.comm = 1;
	self->a.disabled = 1;
	self->fd = start(&self->a, &self->ring, 0);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, prctl(PR_SET_NAME, "off", 0, 0, 0));
	EXPECT_EQ(0, pe_ring_next(&self->ring, &rec));
	pe_ioctl(self->fd, PERF_EVENT_IOC_ENABLE, 0);
	ASSERT_EQ(0, prctl(PR_SET_NAME, "on", 0, 0, 0));
	EXPECT_EQ(1, pe_ring_next(&self->ring, &rec));
	EXPECT_STREQ("on", rec.body + 8);
}

TEST_F(side, of_a_cpu)
{
	self->a.comm = 1;
	ASSERT_EQ(0, pe_move_to(0));
	self->fd = pe_open(&self->a, -1, 0, -1, 0);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, pe_ring_map(&self->ring, self->fd, 8));
	ASSERT_EQ(0, prctl(PR_SET_NAME, "on_cpu_0", 0, 0, 0));
	do {
		ASSERT_EQ(1, pe_ring_find(&self->ring, &rec, PERF_RECORD_COMM));
	} while (((__u32 *)rec.body)[0] != getpid());
	EXPECT_STREQ("on_cpu_0", rec.body + 8);
}

TEST_HARNESS_MAIN
