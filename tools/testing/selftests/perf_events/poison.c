// SPDX-License-Identifier: GPL-2.0
/*
 * Unused bytes of samples, bytes after the result of a call, and reserved parts of the mapped page
 * must not reveal uninitialised memory. record_ids.c checks records other than samples.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_records.h"
#include "pe_sim.h"
#include "pe_trace.h"

#define SAMPLES	4
/* Bits of sample_type that any software event may have. It may have only one of the two weights. */
#define BITS	25
#define NOT_ALL	(PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_AUX | PERF_SAMPLE_WEIGHT_STRUCT)

static struct pe_record rec;

FIXTURE(poison) {
	struct perf_event_attr a;
	struct pe_ring ring;
	/* Copy of the ring before the samples under test. */
	char *before;
	/* Position of the current record in the ring. */
	__u64 at;
	struct pe_sample s;
	/* The CPU of the event, or -1 for the test's own task. */
	int cpu;
	int fd;
};

FIXTURE_SETUP(poison)
{
	self->a = pe_attr_off(PERF_COUNT_SW_PAGE_FAULTS);
	self->a.sample_period = 1;
	self->a.sample_regs_user = 5;
	self->a.sample_regs_intr = 6;
	self->a.sample_stack_user = 4096;
	self->before = NULL;
	self->cpu = -1;
	self->fd = -1;
}

static void stop(struct _test_data_poison *self)
{
	if (self->fd < 0)
		return;
	pe_ring_unmap(&self->ring);
	free(self->before);
	self->before = NULL;
	close(self->fd);
	self->fd = -1;
}

FIXTURE_TEARDOWN(poison)
{
	stop(self);
}

static void start(struct __test_metadata *_metadata, struct _test_data_poison *self)
{
	if (!pe_has_cgroups())
		self->a.sample_type &= ~PERF_SAMPLE_CGROUP;
	self->fd = self->cpu < 0 ? pe_self(&self->a) : pe_open(&self->a, -1, self->cpu, -1, 0);
	ASSERT_LE(0, self->fd) {
		TH_LOG("sample_type %#llx", self->a.sample_type);
	}
	ASSERT_EQ(0, pe_ring_map(&self->ring, self->fd, 16));
	ASSERT_EQ(0, pe_ring_poison(&self->ring, self->fd, self->cpu));
	self->before = malloc(self->ring.size);
	ASSERT_NE(NULL, self->before);
	memcpy(self->before, self->ring.data, self->ring.size);
}

static int next(struct _test_data_poison *self)
{
	self->at = self->ring.page->data_tail;
	return pe_ring_next(&self->ring, &rec);
}

/*
 * Bytes that the kernel does not write must be unchanged: most are poison, and some are parts of
 * the samples that wrote the poison.
 */
static bool harmless(struct _test_data_poison *self, size_t offset, size_t len)
{
	__u64 at = self->at + sizeof(rec.head) + offset;

	for (; len--; at++) {
		char c = self->ring.data[at % self->ring.size];

		if (c && c != self->before[at % self->ring.size])
			return false;
	}
	return true;
}

/* A copy of a stack may be shorter than its space. */
static void check_stack(struct __test_metadata *_metadata, struct _test_data_poison *self)
{
	__u64 size, dyn;

	memcpy(&size, rec.body, sizeof(size));
	if (!size)
		return;
	memcpy(&dyn, rec.body + 8 + size, sizeof(dyn));
	ASSERT_LE(dyn, size);
	EXPECT_EQ(true, harmless(self, 8 + dyn, size - dyn));
}

static void check_fields(struct __test_metadata *_metadata, struct _test_data_poison *self)
{
	__u64 type = self->a.sample_type;

	ASSERT_EQ(PERF_RECORD_SAMPLE, rec.head.type);
	EXPECT_EQ(0, rec.head.misc & ~(PERF_RECORD_MISC_CPUMODE_MASK |
				       PERF_RECORD_MISC_EXACT_IP));
	ASSERT_EQ(0, pe_sample_parse(&self->a, &rec, &self->s)) {
		TH_LOG("sample_type %#llx", type);
	}
	EXPECT_EQ(0, self->s.res);
	/*
	 * The weight of a page fault is 0, and the other fields of drivers are
	 * empty.
	 */
	EXPECT_EQ(0, self->s.weight);
	EXPECT_EQ(0, self->s.transaction);
	if (type & PERF_SAMPLE_DATA_SRC)
		EXPECT_EQ(0, self->s.data_src >> 46);
	if (type == PERF_SAMPLE_STACK_USER)
		check_stack(_metadata, self);
	if (type & PERF_SAMPLE_RAW)
		EXPECT_EQ(0, (self->s.raw_size + 4) % 8);
}

/* Near the end of the stack there are fewer bytes than requested. */
static void fault_near_the_end(void *arg)
{
	pe_fault(1);
}

static void sample(struct __test_metadata *_metadata, struct _test_data_poison *self)
{
	unsigned int n = 0;

	start(_metadata, self);
	pe_ioctl(self->fd, PERF_EVENT_IOC_ENABLE, 0);
	pe_fault(SAMPLES - 1);
	fault_near_the_end(NULL);
	pe_ioctl(self->fd, PERF_EVENT_IOC_DISABLE, 0);
	while (next(self) == 1) {
		check_fields(_metadata, self);
		n++;
	}
	EXPECT_LE(SAMPLES, n);
	stop(self);
}

TEST_F(poison, each_field)
{
	unsigned int bit;

	for (bit = 0; bit < BITS; bit++) {
		self->a.sample_type = 1ULL << bit;
		if (self->a.sample_type & (PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_AUX))
			continue;
		sample(_metadata, self);
	}
}

TEST_F(poison, all_fields_but_one)
{
	const __u64 all = ((1ULL << BITS) - 1) & ~(__u64)NOT_ALL;
	unsigned int bit;

	self->a.sample_stack_user = 256;
	for (bit = 0; bit <= BITS; bit++) {
		self->a.sample_type = all & ~(1ULL << bit);
		if (bit < BITS && !(all & 1ULL << bit))
			continue;
		sample(_metadata, self);
	}
}

/* The length of the tracepoint's data is no multiple of a word. */
TEST_F(poison, raw_data)
{
	/*
	 * Common fields, the number of the system call, its argument; or the task, two names and a
	 * short
	 */
	const unsigned int known = 8 + (pe_compat() ? 4 + 2 * 16 + 2 : 2 * sizeof(long));
	__u32 size;

	if (pe_tracepoint(&self->a, pe_compat() ? pe_call_name() : "syscalls/sys_enter_getpgid"))
		SKIP(return, "no such tracepoint");
	self->a.sample_period = 1;
	self->a.sample_type = PERF_SAMPLE_RAW;
	start(_metadata, self);
	syscall(__NR_getpgid, 0);
	pe_call(1);
	ASSERT_EQ(1, next(self));
	ASSERT_EQ(0, pe_sample_parse(&self->a, &rec, &self->s));
	memcpy(&size, rec.body, sizeof(size));
	ASSERT_LT(known, size);
	EXPECT_EQ(true, harmless(self, 4 + known, size - known));
}

/* Load a program that writes bytes of its stack to the events of a map. */
static int load_writer(int map, unsigned int size)
{
	struct bpf_insn insns[] = {
		PE_INSN(BPF_ST | BPF_MEM | BPF_DW, 10, 0, -8, -1),
		PE_INSN(BPF_ST | BPF_MEM | BPF_DW, 10, 0, -16, -1),
		PE_INSN(BPF_LD | BPF_DW | BPF_IMM, 2, BPF_PSEUDO_MAP_FD, 0, map),
		PE_INSN(0, 0, 0, 0, 0),
		PE_INSN(BPF_ALU | BPF_MOV | BPF_K, 3, 0, 0, -1),	/* this CPU's */
		PE_INSN(BPF_ALU64 | BPF_MOV | BPF_X, 4, 10, 0, 0),
		PE_INSN(BPF_ALU64 | BPF_ADD | BPF_K, 4, 0, 0, -16),
		PE_INSN(BPF_ALU64 | BPF_MOV | BPF_K, 5, 0, 0, size),
		PE_INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_perf_event_output),
		PE_INSN(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0),
		PE_INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};

	return pe_bpf_load_code(BPF_PROG_TYPE_TRACEPOINT, insns, PE_ARRAY_SIZE(insns));
}

/* Data of any length is padded to a whole word. */
static void write_raw(struct __test_metadata *_metadata, struct _test_data_poison *self,
		      struct perf_event_attr *trigger, unsigned int size)
{
	int map, prog, fd;
	__u32 room;

	start(_metadata, self);
	map = pe_bpf_map(BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4, pe_cpu_count());
	ASSERT_LE(0, map);
	ASSERT_EQ(0, pe_bpf_set(map, 0, &self->fd));
	prog = load_writer(map, size);
	ASSERT_LE(0, prog);
	fd = pe_self(trigger);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog));
	pe_call(1);
	close(fd);
	close(prog);
	close(map);

	ASSERT_EQ(1, next(self));
	ASSERT_EQ(0, pe_sample_parse(&self->a, &rec, &self->s));
	memcpy(&room, rec.body, sizeof(room));
	ASSERT_LE(size, room);
	ASSERT_GT(size + 8, room);
	EXPECT_EQ(0, (room + 4) % 8);
	EXPECT_EQ(true, harmless(self, 4 + size, room - size))
		TH_LOG("behind %u bytes", size);
	stop(self);
}

TEST_F(poison, raw_data_of_programs)
{
	struct perf_event_attr trigger;
	unsigned int size;

	if (geteuid() || pe_tracepoint(&trigger, pe_call_name()))
		SKIP(return, "needs root, and tracepoints");
	/* The event is on this CPU, so it has the samples that the program writes. */
	self->a = pe_attr(PERF_COUNT_SW_BPF_OUTPUT);
	self->a.sample_period = 1;
	self->a.sample_type = PERF_SAMPLE_RAW;
	self->cpu = 0;
	ASSERT_EQ(0, pe_move_to(0));
	for (size = 1; size <= 16; size++)
		write_raw(_metadata, self, &trigger, size);
}

/* The mapped page */

static void check_page(struct __test_metadata *_metadata, const struct perf_event_mmap_page *p)
{
	const char *end = (const char *)p + sysconf(_SC_PAGESIZE);
	const char *at;

	EXPECT_EQ(0, p->capabilities >> 6);
	EXPECT_EQ(0, p->__reserved_1);
	for (at = (const char *)p->__reserved; at < (const char *)&p->data_head; at++)
		ASSERT_EQ(0, *at);
	for (at = (const char *)(p + 1); at < end; at++)
		ASSERT_EQ(0, *at);
	if (!p->aux_size) {
		EXPECT_EQ(0, p->aux_head);
		EXPECT_EQ(0, p->aux_tail);
	}
}

TEST_F(poison, page)
{
	static const unsigned int configs[] = {
		PERF_COUNT_SW_PAGE_FAULTS, PERF_COUNT_SW_DUMMY, PERF_COUNT_SW_TASK_CLOCK,
		PERF_COUNT_SW_CPU_CLOCK, PERF_COUNT_SW_CONTEXT_SWITCHES,
	};
	unsigned int i;

	for (i = 0; i < PE_ARRAY_SIZE(configs); i++) {
		self->a = pe_attr(configs[i]);
		self->fd = pe_self(&self->a);
		ASSERT_LE(0, self->fd);
		ASSERT_EQ(0, pe_ring_map(&self->ring, self->fd, i & 1));
		check_page(_metadata, self->ring.page);
		pe_fault(1);
		pe_sleep_ms(1);
		pe_ioctl(self->fd, PERF_EVENT_IOC_DISABLE, 0);
		check_page(_metadata, self->ring.page);
		stop(self);
	}
}

TEST_F(poison, page_of_a_hardware_event)
{
	self->a = pe_sim_attr();
	if (pe_sim_type() < 0)
		SKIP(return, "needs the simulated PMU");
	self->fd = pe_self(&self->a);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, pe_ring_map(&self->ring, self->fd, 1));
	pe_sleep_ms(1);
	check_page(_metadata, self->ring.page);
	pe_ioctl(self->fd, PERF_EVENT_IOC_DISABLE, 0);
	check_page(_metadata, self->ring.page);
}

/* A new buffer is zero: it shows no older memory. */
TEST_F(poison, buffer_at_first)
{
	unsigned int round;
	__u64 i;

	for (round = 0; round < 20; round++) {
		self->fd = pe_self(&self->a);
		ASSERT_LE(0, self->fd);
		ASSERT_EQ(0, pe_ring_map(&self->ring, self->fd, 1U << round % 5));
		for (i = 0; i < self->ring.size; i++)
			ASSERT_EQ(0, self->ring.data[i]);
		ASSERT_EQ(0, pe_ring_poison(&self->ring, self->fd, -1));
		stop(self);
	}
}

/* read(2) */

#define ROOM	1024
#define MEMBERS	3

/* At any alignment no byte before or after the values is written. */
static void check_read(struct __test_metadata *_metadata, int fd)
{
	static char room[ROOM];
	unsigned int at, i;
	ssize_t len;

	for (at = 64; at < 72; at++) {
		memset(room, PE_POISON, sizeof(room));
		len = read(fd, room + at, ROOM - 64 - at);
		ASSERT_LT(0, len);
		ASSERT_EQ(0, len % 8);
		for (i = 0; i < ROOM; i++)
			if (i < at || i >= at + len)
				ASSERT_EQ(PE_POISON, (unsigned char)room[i]);
		/* A short buffer is not written. */
		memset(room, PE_POISON, sizeof(room));
		ASSERT_EQ(-1, read(fd, room + at, len - 1));
		for (i = 0; i < ROOM; i++)
			ASSERT_EQ(PE_POISON, (unsigned char)room[i]);
	}
}

TEST_F(poison, values)
{
	int fd[MEMBERS], i, inherit;
	struct perf_event_attr a;
	pid_t me = getpid(), child;
	__u64 format;

	for (format = 0; format < PERF_FORMAT_MAX; format++) {
		for (inherit = 0; inherit < 2; inherit++) {
			a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
			a.read_format = format;
			a.inherit = inherit;
			for (i = 0; i < MEMBERS; i++) {
				fd[i] = pe_open(&a, 0, -1, i ? fd[0] : -1, 0);
				ASSERT_LE(0, fd[i]);
			}
			child = fork();
			ASSERT_LE(0, child);
			if (!child) {
				pe_die_with(me);
				pause();
				_exit(0);
			}
			for (i = 0; i < MEMBERS; i++)
				check_read(_metadata, fd[i]);
			kill(child, SIGKILL);
			waitpid(child, NULL, 0);
			for (i = 0; i < MEMBERS; i++) {
				check_read(_metadata, fd[i]);
				close(fd[i]);
			}
		}
	}
}

TEST_F(poison, end_of_file)
{
	char room[64], want[64];
	struct pe_child child;
	int fd;

	/* A read of a pinned event in the error state returns 0 and writes nothing. */
	self->a = pe_sim_attr();
	if (pe_sim_type() < 0)
		SKIP(return, "needs the simulated PMU");
	ASSERT_EQ(0, pe_child_start(&child));
	memset(want, PE_POISON, sizeof(want));
	memset(room, PE_POISON, sizeof(room));
	self->a.pinned = 1;
	for (fd = 0; fd < 8; fd++)
		ASSERT_LE(0, pe_open(&self->a, child.pid, -1, -1, 0));
	ASSERT_EQ(0, pe_child_do(&child, PE_SPIN, 100));
	fd = pe_open(&self->a, child.pid, -1, -1, 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_child_do(&child, PE_SPIN, 100));
	EXPECT_EQ(0, read(fd, room, sizeof(room)));
	EXPECT_EQ(0, memcmp(want, room, sizeof(room)));
	pe_child_end(&child);
}

/* ioctl(2) */

TEST_F(poison, id)
{
	char room[24], want[24];

	memset(want, PE_POISON, sizeof(want));
	memset(room, PE_POISON, sizeof(room));
	start(_metadata, self);
	ASSERT_EQ(0, ioctl(self->fd, PERF_EVENT_IOC_ID, room + 8));
	EXPECT_EQ(0, memcmp(want, room, 8));
	EXPECT_EQ(0, memcmp(want, room + 16, 8));
	EXPECT_NE(0, memcmp(want, room + 8, 8));
}

TEST_HARNESS_MAIN
