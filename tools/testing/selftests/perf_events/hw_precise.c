// SPDX-License-Identifier: GPL-2.0
/*
 * Precise samples of hardware counters: the address is that of an instruction that caused the
 * event, and the registers have their values at that instruction.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_hw.h"
#include "pe_loops.h"
#include "pe_sample.h"
#include "pe_trace.h"

#ifdef __x86_64__
/* stores(n, to): n iterations of eight instructions, with one store, one load and one branch. */
__asm__("	.text\n"
"	.globl	stores, p_store, p_load, p_branch, p_end\n"
"stores:\n"
"1:	nop\n"
"	nop\n"
"p_store: movq	%rdi, (%rsi)\n"
"	nop\n"
"p_load: movq	8(%rsi), %rax\n"
"	nop\n"
"	decq	%rdi\n"
"p_branch: jnz	1b\n"
"p_end:	ret\n"
);

#define TURNS	200000UL
#define RATE	PE_SYSCTL "perf_event_max_sample_rate"
#define SHARE	PE_SYSCTL "perf_cpu_time_max_percent"

static struct pe_record rec;
static unsigned long place[2];

FIXTURE(precise) {
	struct perf_event_attr a;
	struct pe_ring ring;
	int fd;
};

FIXTURE_SETUP(precise)
{
	char caps[] = "/sys/bus/event_source/devices/cpu/caps/max_precise";

	if (pe_hw_missing())
		SKIP(return, "no hardware counters");
	if (pe_get(caps) < 2 && !pe_hw_must_be_precise())
		SKIP(return, "no precise samples");
	pe_move_to(0);
	self->a = pe_hw_attr(PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
	self->a.sample_period = 997;
	self->a.sample_type = PERF_SAMPLE_IP;
	self->a.precise_ip = 2;
	self->fd = pe_self(&self->a);
	if (self->fd == -ENOENT && !pe_hw_must_be_precise())
		SKIP(return, "another PMU has the precise samples");
	/* The first CPUs with PEBS support few events. */
	if (self->fd == -EINVAL && !pe_hw_must_be_precise())
		SKIP(return, "branches cannot be precise");
	ASSERT_LE(0, self->fd);
	close(self->fd);
	self->fd = -1;
}

FIXTURE_TEARDOWN(precise)
{
	if (self->fd >= 0) {
		pe_ring_unmap(&self->ring);
		close(self->fd);
	}
}

#define OPEN() do {							\
	self->fd = pe_self(&self->a);					\
	ASSERT_LE(0, self->fd);						\
	ASSERT_EQ(0, pe_ring_map(&self->ring, self->fd, 64));		\
} while (0)

static void run(int fd)
{
	pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	stores(TURNS, place);
	pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
}

static bool in_loop(__u64 ip)
{
	return ip >= (unsigned long)stores && ip < (unsigned long)p_end;
}

/* Check that all samples of the loop are at one instruction. Returns their number. */
static unsigned int check_ips(struct __test_metadata *_metadata, struct pe_ring *ring,
			      const char *at)
{
	unsigned int n = 0, wrong = 0, exact = 0;

	while (pe_ring_find(ring, &rec, PERF_RECORD_SAMPLE)) {
		__u64 ip = *(__u64 *)rec.body;

		if (!in_loop(ip))
			continue;
		n++;
		wrong += ip != (unsigned long)at;
		exact += !!(rec.head.misc & PERF_RECORD_MISC_EXACT_IP);
	}
	TH_LOG("%u samples, %u elsewhere", n, wrong);
	EXPECT_EQ(0, wrong);
	EXPECT_EQ(n, exact);
	return n;
}

TEST_F(precise, branches_at_the_branch)
{
	__u64 count;

	OPEN();
	run(self->fd);
	count = pe_count(self->fd);
	EXPECT_LE(TURNS, count);
	EXPECT_GE(TURNS + 1000, count);
	EXPECT_LE(TURNS / 997 - 2, check_ips(_metadata, &self->ring, p_branch));
}

TEST_F(precise, counts_as_any_other)
{
	struct perf_event_attr plain = pe_hw_attr(PERF_COUNT_HW_INSTRUCTIONS);
	unsigned int n;
	int fd;

	self->a.config = PERF_COUNT_HW_INSTRUCTIONS;
	/* Short periods are throttled, and then only the sampling event of the group stops. */
	self->a.sample_period = 9973;
	OPEN();
	plain.disabled = 0;
	fd = pe_open(&plain, 0, -1, self->fd, 0);
	ASSERT_LE(0, fd);
	run(self->fd);
	EXPECT_EQ(pe_count(fd), pe_count(self->fd));
	n = pe_ring_drop(&self->ring, PERF_RECORD_SAMPLE);
	EXPECT_EQ(pe_count(self->fd) / 9973, n);
	close(fd);
}

/* The loop counter counts down in one register, and all periods are equal. */
TEST_F(precise, registers_of_the_moment)
{
	unsigned int n = 0, wrong = 0;
	__u64 last = 0;

	self->a.sample_type |= PERF_SAMPLE_REGS_INTR;
	self->a.sample_regs_intr = 1 << 5;	/* DI */
	OPEN();
	run(self->fd);
	while (pe_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE)) {
		/* ip, ABI, register */
		const __u64 *word = (const __u64 *)rec.body;

		if (!in_loop(word[0]))
			continue;
		wrong += n++ && last - word[2] != 997;
		last = word[2];
	}
	TH_LOG("%u samples, %u wrong", n, wrong);
	EXPECT_LE(TURNS / 997 - 2, n);
	EXPECT_EQ(0, wrong);
}

/* Samples of loads and stores have the address of the access. */
static void check_address(struct __test_metadata *_metadata, struct pe_ring *ring, int fd,
			  const char *at, void *address, __u64 op)
{
	unsigned int n = 0, wrong = 0;

	run(fd);
	while (pe_ring_find(ring, &rec, PERF_RECORD_SAMPLE)) {
		/* ip, address, source */
		const __u64 *word = (const __u64 *)rec.body;
		union perf_mem_data_src source = { .val = word[2] };

		if (!in_loop(word[0]))
			continue;
		n++;
		wrong += word[0] != (unsigned long)at || word[1] != (unsigned long)address ||
			 source.mem_op != op;
	}
	TH_LOG("%u samples, %u wrong", n, wrong);
	EXPECT_LE(10, n);
	EXPECT_EQ(0, wrong);
}

#define EVENTS_DIR	"/sys/bus/event_source/devices/cpu/events/"

/* Does the CPU have this event for samples of memory? */
static bool has_event(const char *path, const char *want)
{
	char text[80] = "";
	int fd = open(path, O_RDONLY);

	if (fd < 0)
		return false;
	if (read(fd, text, sizeof(text) - 1) < 0)
		text[0] = 0;
	close(fd);
	text[strcspn(text, "\n")] = 0;
	return !strcmp(text, want);
}

static bool needs_aux(void)
{
	return !access(EVENTS_DIR "mem-loads-aux", F_OK);
}

TEST_F(precise, addresses_of_stores)
{
	/* CPUs with mem-loads-aux have two events for stores. */
	if (!needs_aux() && !has_event(EVENTS_DIR "mem-stores", "event=0xd0,umask=0x82"))
		SKIP(return, "the CPU has another event for stores, or none");
	self->a.type = PERF_TYPE_RAW;
	self->a.config = 0x82d0;
	self->a.sample_period = 97;
	self->a.sample_type |= PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC;
	OPEN();
	check_address(_metadata, &self->ring, self->fd, p_store, place, PERF_MEM_OP_STORE);
}

#define LOADS		0x1cd
#define LOADS_AUX	0x8203

/* Some CPUs record the data source of a load only if another event is in the group before it. */
TEST_F(precise, loads_without_source)
{
	struct perf_event_attr other = pe_hw_attr(PERF_COUNT_HW_INSTRUCTIONS);
	int leader;

	if (!needs_aux())
		SKIP(return, "loads need no other event");
	self->a.type = PERF_TYPE_RAW;
	self->a.config = LOADS;
	self->a.config1 = 3;
	self->a.sample_type |= PERF_SAMPLE_DATA_SRC;
	EXPECT_EQ(-ENODATA, pe_self(&self->a));
	leader = pe_self(&other);
	ASSERT_LE(0, leader);
	EXPECT_EQ(-ENODATA, pe_open(&self->a, 0, -1, leader, 0));
	close(leader);
	self->a.sample_type = PERF_SAMPLE_IP;
	leader = pe_self(&self->a);
	EXPECT_LE(0, leader);
	close(leader);
}

TEST_F(precise, addresses_of_loads)
{
	struct perf_event_attr aux = pe_hw_attr(PERF_COUNT_HW_INSTRUCTIONS);
	int leader = -1;

	if (!has_event(EVENTS_DIR "mem-loads", "event=0xcd,umask=0x1,ldlat=3"))
		SKIP(return, "the CPU has another event for loads");
	self->a.type = PERF_TYPE_RAW;
	if (needs_aux()) {
		aux.type = PERF_TYPE_RAW;
		aux.config = LOADS_AUX;
		aux.disabled = 0;
		leader = pe_self(&aux);
		ASSERT_LE(0, leader);
	}
	self->a.config = LOADS;
	self->a.config1 = 3;
	self->a.sample_period = 37;
	self->a.sample_type |= PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC;
	self->fd = pe_open(&self->a, 0, -1, leader, 0);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, pe_ring_map(&self->ring, self->fd, 64));
	check_address(_metadata, &self->ring, self->fd, p_load, &place[1], PERF_MEM_OP_LOAD);
	if (leader >= 0)
		close(leader);
}

TEST_F(precise, frequency)
{
	unsigned int n;

	self->a.freq = 1;
	self->a.sample_freq = 2000;
	OPEN();
	pe_ioctl(self->fd, PERF_EVENT_IOC_ENABLE, 0);
	for (int i = 0; i < 10; i++)
		stores(10 * TURNS, place);
	pe_ioctl(self->fd, PERF_EVENT_IOC_DISABLE, 0);
	n = check_ips(_metadata, &self->ring, p_branch);
	EXPECT_LE(10, n);
}

/*
 * Run the loop, with more records than the samples that a tick may have. The rate can only be set
 * while perf_cpu_time_max_percent is a limit.
 */
static void run_at_low_rate(struct __test_metadata *_metadata, int fd, unsigned long enable,
			    unsigned long limit)
{
	long rate = pe_get(RATE), share = pe_get(SHARE);

	EXPECT_EQ(0, pe_set(SHARE, 99));
	EXPECT_EQ(0, pe_set(RATE, 5000));
	EXPECT_EQ(0, pe_set(SHARE, 100));
	pe_ioctl(fd, enable, limit);
	stores(TURNS, place);
	pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	EXPECT_EQ(0, pe_set(SHARE, 99));
	EXPECT_EQ(0, pe_set(RATE, rate));
	EXPECT_EQ(0, pe_set(SHARE, share));
}

/* Do the records of the event wait in the buffer? Adaptive records do. Only they have vectors. */
static bool records_wait(const struct perf_event_attr *attr)
{
	struct perf_event_attr vectors = *attr;
	int fd;

	vectors.sample_type |= PERF_SAMPLE_REGS_INTR;
	vectors.sample_regs_intr = 1ULL << 32;
	fd = pe_self(&vectors);
	if (fd < 0)
		return false;
	close(fd);
	return true;
}

/* The limit is a number of samples, also if more records wait in the buffer. */
TEST_F(precise, limit)
{
	if (!getenv("PE_HARD"))
		SKIP(return, "PE_HARD is not set");
	if (geteuid())
		SKIP(return, "needs root, to set the rate");
	OPEN();
	run_at_low_rate(_metadata, self->fd, PERF_EVENT_IOC_REFRESH, 3);
	EXPECT_EQ(3, pe_ring_drop(&self->ring, PERF_RECORD_SAMPLE));
}

/*
 * A program runs for each record in the buffer, and can drop its sample. Throttling limits
 * interrupts, so records that wait in the buffer do not throttle the event.
 */
TEST_F(precise, program)
{
	int map = pe_bpf_counter(), program;

	if (!getenv("PE_HARD"))
		SKIP(return, "PE_HARD is not set");
	if (map < 0)
		SKIP(return, "no BPF: %s", strerror(-map));
	if (geteuid())
		SKIP(return, "needs root, to set the rate");
	program = pe_bpf_load(BPF_PROG_TYPE_PERF_EVENT, map, 0);
	ASSERT_LE(0, program);
	OPEN();
	EXPECT_EQ(0, pe_ioctl(self->fd, PERF_EVENT_IOC_SET_BPF, program));
	run_at_low_rate(_metadata, self->fd, PERF_EVENT_IOC_ENABLE, 0);
	EXPECT_LE(records_wait(&self->a) ? TURNS : 0, pe_count(self->fd));
	EXPECT_EQ(pe_count(self->fd) / 997, pe_bpf_counted(map));
	EXPECT_EQ(0, pe_ring_drop(&self->ring, PERF_RECORD_SAMPLE));
	close(program);
	close(map);
}

/* Only PEBS records have vector registers: all other requests for them are refused. */
TEST_F(precise, vectors)
{
	const int record = self->a.precise_ip;

	self->a.sample_type |= PERF_SAMPLE_REGS_USER;
	self->a.sample_regs_user = 1ULL << 32;
	EXPECT_GT(0, pe_self(&self->a));
	self->a.precise_ip = 0;
	EXPECT_GT(0, pe_self(&self->a));
	self->a.sample_type ^= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_REGS_INTR;
	self->a.sample_regs_user = 0;
	self->a.sample_regs_intr = 1ULL << 32;
	EXPECT_GT(0, pe_self(&self->a));
	self->a.precise_ip = record;
	self->a.sample_regs_intr = 1;
	OPEN();
}

TEST_F(precise, refused)
{
	long most = pe_get("/sys/bus/event_source/devices/cpu/caps/max_precise");

	self->a.sample_period = 0;
	EXPECT_EQ(-EINVAL, pe_self(&self->a));
	self->a.sample_period = 997;
	if (most < 3) {
		self->a.precise_ip = 3;
		EXPECT_EQ(-EOPNOTSUPP, pe_self(&self->a));
	}
}
#else
TEST(precise)
{
	SKIP(return, "the loop is written for x86_64");
}
#endif

TEST_HARNESS_MAIN
