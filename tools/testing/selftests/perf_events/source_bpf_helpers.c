// SPDX-License-Identifier: GPL-2.0
/*
 * BPF programs that use events: they write to events, read them, take call chains, and read the
 * context of their event.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/bpf_perf_event.h>
#include <linux/hw_breakpoint.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_lib.h"
#include "pe_sample.h"
#include "pe_trace.h"

#define NR_RESULTS	8
#define STACK_DEPTH	16
/* Number of buckets of the map: large, as two stacks in one bucket are an error. */
#define STACKS		16384
#define MAX_CODE	64

/* Results are on the program's stack: [fp + RESULT(i)] */
#define RESULT(i)	(-8 * (NR_RESULTS - (i)))
#define KEY		(RESULT(0) - 8)

#define MOV(d, s)	PE_INSN(BPF_ALU64 | BPF_MOV | BPF_X, d, s, 0, 0)
#define SET(d, v)	PE_INSN(BPF_ALU64 | BPF_MOV | BPF_K, d, 0, 0, v)
/* Set a register, and clear its upper half. */
#define SET32(d, v)	PE_INSN(BPF_ALU | BPF_MOV | BPF_K, d, 0, 0, v)
#define ADD(d, v)	PE_INSN(BPF_ALU64 | BPF_ADD | BPF_K, d, 0, 0, v)
#define LOAD(d, s, o)	PE_INSN(BPF_LDX | BPF_MEM | BPF_DW, d, s, o, 0)
#define STORE(o, s)	PE_INSN(BPF_STX | BPF_MEM | BPF_DW, 10, s, o, 0)
#define STORE_K(o, v)	PE_INSN(BPF_ST | BPF_MEM | BPF_DW, 10, 0, o, v)
#define CALL(f)		PE_INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_##f)
#define EXIT		PE_INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)

/* r6: the program's context */
#define CONTEXT		6

static int results;

struct code {
	struct bpf_insn	insns[MAX_CODE];
	int		nr;
};

static void emit(struct code *c, struct bpf_insn insn)
{
	c->insns[c->nr++] = insn;
}

static void emit_map(struct code *c, int reg, int map)
{
	emit(c, PE_INSN(BPF_LD | BPF_DW | BPF_IMM, reg, BPF_PSEUDO_MAP_FD, 0, map));
	emit(c, PE_INSN(0, 0, 0, 0, 0));
}

/* The address of a result */
static void emit_address(struct code *c, int reg, int at)
{
	emit(c, MOV(reg, 10));
	emit(c, ADD(reg, at));
}

/* Set all results to zero. */
static void begin(struct code *c)
{
	int i;

	c->nr = 0;
	emit(c, MOV(CONTEXT, 1));
	for (i = 0; i < NR_RESULTS; i++)
		emit(c, STORE_K(RESULT(i), 0));
}

/* Store the results in the map, and end the program. */
static int finish(struct code *c, enum bpf_prog_type type)
{
	emit(c, STORE_K(KEY, 0));
	emit_map(c, 1, results);
	emit_address(c, 2, KEY);
	emit_address(c, 3, RESULT(0));
	emit(c, SET(4, 0));
	emit(c, CALL(map_update_elem));
	emit(c, SET(0, 1));
	emit(c, EXIT);
	return pe_bpf_load_code(type, c->insns, c->nr);
}

static int64_t result(int i)
{
	int64_t values[NR_RESULTS] = {};

	return pe_bpf_get(results, 0, values) ? INT64_MIN : values[i];
}

static __attribute__((noipa)) void fault_here(unsigned int pages)
{
	pe_fault(pages);
	/* Prevent a tail call: this function has to be on the stack. */
	asm volatile("");
}

/* Trigger of the program: a system call, a page fault, ... */
enum by { BY_KPROBE, BY_TRACEPOINT, BY_OVERFLOW };

static const enum bpf_prog_type prog_type[] = {
	[BY_KPROBE]	= BPF_PROG_TYPE_KPROBE,
	[BY_TRACEPOINT]	= BPF_PROG_TYPE_TRACEPOINT,
	[BY_OVERFLOW]	= BPF_PROG_TYPE_PERF_EVENT,
};

static int open_trigger(enum by by)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);

	if (by == BY_KPROBE) {
		if (pe_probe(&a, "kprobe"))
			return -ENOENT;
		a.kprobe_func = (unsigned long)PE_SYSCALL_FUNC("getppid");
	} else if (by == BY_TRACEPOINT) {
		if (pe_tracepoint(&a, pe_call_name()))
			return -ENOENT;
	} else {
		a.sample_period = 1;
		a.exclude_kernel = 1;
	}
	return pe_self(&a);
}

static void pull(enum by by, int n)
{
	if (by == BY_OVERFLOW)
		pe_fault(n);
	else
		pe_call(n);
}

FIXTURE(helper)
{
	int events;
	int trigger;
	int prog;
};

FIXTURE_VARIANT(helper)
{
	enum by by;
};

FIXTURE_VARIANT_ADD(helper, kprobe) { .by = BY_KPROBE };
FIXTURE_VARIANT_ADD(helper, tracepoint) { .by = BY_TRACEPOINT };
FIXTURE_VARIANT_ADD(helper, overflow) { .by = BY_OVERFLOW };

FIXTURE_SETUP(helper)
{
	results = pe_bpf_map(BPF_MAP_TYPE_ARRAY, 8 * NR_RESULTS, 1);
	if (results < 0)
		SKIP(return, "no BPF: %s", strerror(-results));
	self->prog = -1;
	self->events = pe_bpf_map(BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4, 64);
	ASSERT_LE(0, self->events);
	self->trigger = open_trigger(variant->by);
	if (self->trigger < 0)
		SKIP(return, "no such event");
	pull(variant->by, 1);
}

FIXTURE_TEARDOWN(helper)
{
	close(self->trigger);
	close(self->prog);
	close(self->events);
	close(results);
}

#define CURRENT_CPU	((int)BPF_F_CURRENT_CPU)
#define VALUE		0x12345678

/*
 * Load a program that writes eight bytes to the event of this CPU; the status
 * is result 0.
 */
static int load_output(enum bpf_prog_type type, int map)
{
	struct code c;

	begin(&c);
	emit(&c, STORE_K(RESULT(1), VALUE));
	emit(&c, MOV(1, CONTEXT));
	emit_map(&c, 2, map);
	emit(&c, SET32(3, CURRENT_CPU));
	emit_address(&c, 4, RESULT(1));
	emit(&c, SET(5, 8));
	emit(&c, CALL(perf_event_output));
	emit(&c, STORE(RESULT(0), 0));
	return finish(&c, type);
}

static struct perf_event_attr output_attr(void)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_BPF_OUTPUT);

	a.sample_period = 1;
	a.sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_TID;
	return a;
}

/*
 * Count records of this task in a ring; each has the eight bytes that the
 * program writes.
 */
static int outputs(struct pe_ring *ring, struct perf_event_attr *attr)
{
	struct pe_record rec;
	struct pe_sample s;
	uint64_t value;
	int n = 0;

	while (pe_ring_find(ring, &rec, PERF_RECORD_SAMPLE) > 0) {
		if (pe_sample_parse(attr, &rec, &s) || s.tid != gettid())
			continue;
		/* The raw data is u32 pid, tid; u32 size; data. */
		memcpy(&value, rec.body + 12, sizeof(value));
		if (s.raw_size < 8 || value != VALUE)
			return -1;
		n++;
	}
	return n;
}

TEST_F(helper, output)
{
	struct perf_event_attr a = output_attr();
	struct pe_ring rings[64];
	int fds[64], n = pe_cpu_count(), i, found, sum = 0;

	if (n > 64)
		n = 64;
	for (i = 0; i < n; i++) {
		fds[i] = pe_open(&a, -1, i, -1, 0);
		ASSERT_LE(0, fds[i]);
		ASSERT_EQ(0, pe_ring_map(&rings[i], fds[i], 4));
		ASSERT_EQ(0, pe_bpf_set(self->events, i, &fds[i]));
	}
	self->prog = load_output(prog_type[variant->by], self->events);
	ASSERT_LE(0, self->prog);
	ASSERT_EQ(0, pe_ioctl(self->trigger, PERF_EVENT_IOC_SET_BPF, self->prog));
	pull(variant->by, 20);
	EXPECT_EQ(0, pe_ioctl(self->trigger, PERF_EVENT_IOC_DISABLE, 0));
	EXPECT_EQ(0, result(0));
	for (i = 0; i < n; i++) {
		found = outputs(&rings[i], &a);
		EXPECT_LE(0, found);
		sum += found;
		pe_ring_unmap(&rings[i]);
		close(fds[i]);
	}
	EXPECT_LE(20, sum);
}

/* Write to an event of the task that runs the program, on any CPU. */
TEST_F(helper, output_to_task)
{
	struct perf_event_attr a = output_attr();
	int fd = pe_self(&a), n = pe_cpu_count(), i;
	struct pe_ring ring;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_ring_map(&ring, fd, 4));
	for (i = 0; i < n && i < 64; i++)
		ASSERT_EQ(0, pe_bpf_set(self->events, i, &fd));
	self->prog = load_output(prog_type[variant->by], self->events);
	ASSERT_LE(0, self->prog);
	ASSERT_EQ(0, pe_ioctl(self->trigger, PERF_EVENT_IOC_SET_BPF, self->prog));
	pull(variant->by, 20);
	EXPECT_EQ(0, result(0));
	EXPECT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	pull(variant->by, 1);
	EXPECT_EQ(-EOPNOTSUPP, result(0));
	EXPECT_LE(20, outputs(&ring, &a));
	pe_ring_unmap(&ring);
	close(fd);
}

/*
 * Process ids in records are of the opener's pid namespace, even if a task of another namespace
 * uses the event before it has a buffer.
 */
TEST_F(helper, output_has_ids_of_the_opener)
{
	struct perf_event_attr a = output_attr();
	int fd, n = pe_cpu_count(), i, status;
	struct pe_ring ring;
	pid_t child;

	/* Without a period, the event has no samples of its own. */
	a.sample_period = 0;
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	child = syscall(__NR_clone, CLONE_NEWPID | SIGCHLD, 0, 0, 0, 0);
	if (child < 0)
		SKIP(return, "no pid namespaces");
	if (!child) {
		struct pollfd p = { .fd = fd, .events = POLLIN };

		_exit(getpid() != 1 || poll(&p, 1, 0) != 1 || p.revents != POLLHUP);
	}
	ASSERT_EQ(child, waitpid(child, &status, 0));
	ASSERT_EQ(0, status);
	ASSERT_EQ(0, pe_ring_map(&ring, fd, 4));
	for (i = 0; i < n && i < 64; i++)
		ASSERT_EQ(0, pe_bpf_set(self->events, i, &fd));
	self->prog = load_output(prog_type[variant->by], self->events);
	ASSERT_LE(0, self->prog);
	ASSERT_EQ(0, pe_ioctl(self->trigger, PERF_EVENT_IOC_SET_BPF, self->prog));
	pull(variant->by, 20);
	EXPECT_EQ(0, result(0));
	EXPECT_LE(20, outputs(&ring, &a));
	pe_ring_unmap(&ring);
	close(fd);
}

TEST_F(helper, output_nowhere)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_DUMMY);
	int n = pe_cpu_count(), i, fd;

	self->prog = load_output(prog_type[variant->by], self->events);
	ASSERT_LE(0, self->prog);
	ASSERT_EQ(0, pe_ioctl(self->trigger, PERF_EVENT_IOC_SET_BPF, self->prog));
	pull(variant->by, 1);
	EXPECT_EQ(-ENOENT, result(0));
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	for (i = 0; i < n && i < 64; i++)
		ASSERT_EQ(0, pe_bpf_set(self->events, i, &fd));
	pull(variant->by, 1);
	EXPECT_EQ(-EINVAL, result(0));
	close(fd);
}

#define TOO_LARGE	70000

/* The size of a record is a u16, so this is too large. */
TEST_F(helper, output_too_large)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_BPF_OUTPUT);
	int data, n = pe_cpu_count(), i, fds[64];
	struct code c;

	if (!getenv("PE_HARD"))
		SKIP(return, "PE_HARD is not set");
	a.sample_type = PERF_SAMPLE_RAW;
	for (i = 0; i < n && i < 64; i++) {
		/* The events have no period, and no buffer. */
		fds[i] = pe_open(&a, -1, i, -1, 0);
		ASSERT_LE(0, fds[i]);
		ASSERT_EQ(0, pe_bpf_set(self->events, i, &fds[i]));
	}
	data = pe_bpf_map(BPF_MAP_TYPE_ARRAY, TOO_LARGE, 1);
	ASSERT_LE(0, data);
	begin(&c);
	emit(&c, MOV(1, CONTEXT));
	emit_map(&c, 2, self->events);
	emit(&c, SET32(3, CURRENT_CPU));
	emit(&c, PE_INSN(BPF_LD | BPF_DW | BPF_IMM, 4, BPF_PSEUDO_MAP_VALUE, 0, data));
	emit(&c, PE_INSN(0, 0, 0, 0, 0));
	emit(&c, SET(5, TOO_LARGE));
	emit(&c, CALL(perf_event_output));
	emit(&c, STORE(RESULT(0), 0));
	self->prog = finish(&c, prog_type[variant->by]);
	ASSERT_LE(0, self->prog);
	ASSERT_EQ(0, pe_ioctl(self->trigger, PERF_EVENT_IOC_SET_BPF, self->prog));
	pull(variant->by, 1);
	EXPECT_EQ(-E2BIG, result(0));
	while (i--)
		close(fds[i]);
	close(data);
}

/*
 * Load a program that reads the event: counter, enabled, running in results 1
 * to 3, and the status in 0.
 */
static int load_read_value(enum bpf_prog_type type, int map)
{
	struct code c;

	begin(&c);
	emit_map(&c, 1, map);
	emit(&c, SET32(2, CURRENT_CPU));
	emit_address(&c, 3, RESULT(1));
	emit(&c, SET(4, 24));
	emit(&c, CALL(perf_event_read_value));
	emit(&c, STORE(RESULT(0), 0));
	return finish(&c, type);
}

/* Attach a program that reads the event, on each CPU. */
static void attach_reader(struct __test_metadata *_metadata, struct _test_data_helper *self,
			  enum bpf_prog_type type, int fd)
{
	int n = pe_cpu_count(), i;

	for (i = 0; i < n && i < 64; i++)
		ASSERT_EQ(0, pe_bpf_set(self->events, i, &fd));
	self->prog = load_read_value(type, self->events);
	ASSERT_LE(0, self->prog);
	ASSERT_EQ(0, pe_ioctl(self->trigger, PERF_EVENT_IOC_SET_BPF, self->prog));
}

TEST_F(helper, read_value)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int fd;
	uint64_t before, after;

	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	attach_reader(_metadata, self, prog_type[variant->by], fd);
	pe_fault(30);
	before = pe_count(fd);
	pull(variant->by, 1);
	after = pe_count(fd);
	EXPECT_EQ(0, result(0));
	EXPECT_LE(before, result(1));
	EXPECT_GE(after, result(1));
	EXPECT_LT(0, result(2));
	EXPECT_EQ(result(2), result(3));
	close(fd);
}

/* While a pinned event does not count, its value is not valid: a program cannot read the event. */
TEST_F(helper, read_value_of_pinned)
{
	struct perf_event_attr a = pe_attr_off(PERF_COUNT_SW_PAGE_FAULTS);
	int fd;

	a.pinned = 1;
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	attach_reader(_metadata, self, prog_type[variant->by], fd);
	pull(variant->by, 1);
	EXPECT_EQ(-EBUSY, result(0));
	ASSERT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	pull(variant->by, 1);
	EXPECT_EQ(0, result(0));
	ASSERT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	pull(variant->by, 1);
	EXPECT_EQ(-EBUSY, result(0));
	close(fd);
}

/* A program cannot read an event of another task. */
TEST_F(helper, read_value_of_another)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int fd;
	struct pe_child c;

	ASSERT_EQ(0, pe_child_start(&c));
	fd = pe_open(&a, c.pid, -1, -1, 0);
	ASSERT_LE(0, fd);
	attach_reader(_metadata, self, prog_type[variant->by], fd);
	pull(variant->by, 1);
	EXPECT_EQ(-EINVAL, result(0));
	EXPECT_EQ(0, result(1));
	close(fd);
	pe_child_end(&c);
}

/* A map refuses an inherited event, because it counts in several tasks. */
TEST_F(helper, map_refuses)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	int fd;

	a.inherit = 1;
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	EXPECT_EQ(-EOPNOTSUPP, pe_bpf_set(self->events, 0, &fd));
	close(fd);
	EXPECT_EQ(-EBADF, pe_bpf_set(self->events, 0, &fd));
	EXPECT_EQ(-EBADF, pe_bpf_set(self->events, 0, &self->events));
}

TEST_F(helper, cookie)
{
	struct code c;
	int link;

	begin(&c);
	emit(&c, MOV(1, CONTEXT));
	emit(&c, CALL(get_attach_cookie));
	emit(&c, STORE(RESULT(0), 0));
	self->prog = finish(&c, prog_type[variant->by]);
	ASSERT_LE(0, self->prog);
	link = pe_bpf_link(self->prog, self->trigger, 0x123456789abcdef0ULL);
	ASSERT_LE(0, link);
	pull(variant->by, 1);
	EXPECT_EQ(0x123456789abcdef0LL, result(0));
	close(link);
}

/* Does the chain have an address within this function? */
static bool chain_has(const uint64_t *ips, const void *func)
{
	uint64_t at = (unsigned long)func;
	int i;

	for (i = 0; i < STACK_DEPTH; i++) {
		if (ips[i] >= at && ips[i] < at + 256)
			return true;
	}
	return false;
}

static void emit_stackid(struct code *c, int map, int flags, int at)
{
	emit(c, MOV(1, CONTEXT));
	emit_map(c, 2, map);
	emit(c, SET(3, flags));
	emit(c, CALL(get_stackid));
	emit(c, STORE(RESULT(at), 0));
}

/*
 * Load a program that takes the user's chain and the kernel's. Result 0: id of the user's chain; 1:
 * id of the kernel's; 2: length of the user's chain in bytes; 4 to 7: the start of the user's
 * chain.
 */
static int load_stacks(int map)
{
	struct code c;

	begin(&c);
	emit_stackid(&c, map, BPF_F_USER_STACK, 0);
	emit_stackid(&c, map, 0, 1);
	emit(&c, MOV(1, CONTEXT));
	emit_address(&c, 2, RESULT(4));
	emit(&c, SET(3, 32));
	emit(&c, SET(4, BPF_F_USER_STACK));
	emit(&c, CALL(get_stack));
	emit(&c, STORE(RESULT(2), 0));
	return finish(&c, BPF_PROG_TYPE_PERF_EVENT);
}

FIXTURE(stack)
{
	int map;
	int prog;
};

FIXTURE_VARIANT(stack)
{
	uint64_t sample_type;
	bool breakpoint;
};

FIXTURE_VARIANT_ADD(stack, without_chain) { .sample_type = 0 };
/* The chain is in the sample before the program runs. */
FIXTURE_VARIANT_ADD(stack, with_chain) { .sample_type = PERF_SAMPLE_CALLCHAIN };
FIXTURE_VARIANT_ADD(stack, breakpoint) {
	.sample_type = PERF_SAMPLE_CALLCHAIN,
	.breakpoint = true
};

FIXTURE_SETUP(stack)
{
	results = pe_bpf_map(BPF_MAP_TYPE_ARRAY, 8 * NR_RESULTS, 1);
	if (results < 0)
		SKIP(return, "no BPF: %s", strerror(-results));
	self->map = pe_bpf_map(BPF_MAP_TYPE_STACK_TRACE, 8 * STACK_DEPTH, STACKS);
	ASSERT_LE(0, self->map);
	self->prog = load_stacks(self->map);
	ASSERT_LE(0, self->prog);
}

FIXTURE_TEARDOWN(stack)
{
	close(self->prog);
	close(self->map);
	close(results);
}

TEST_F(stack, of_user)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	uint64_t ips[STACK_DEPTH] = {};
	int fd;

	a.sample_period = 1;
	a.sample_type = variant->sample_type;
	a.exclude_kernel = 1;
	if (variant->breakpoint) {
		a.type = PERF_TYPE_BREAKPOINT;
		a.config = 0;
		a.bp_type = HW_BREAKPOINT_X;
		a.bp_addr = (unsigned long)fault_here;
		a.bp_len = pe_kernel_long();
	}
	fault_here(1);
	fd = pe_self(&a);
	if (variant->breakpoint && pe_no_breakpoint(fd))
		SKIP(return, "no hardware breakpoints");
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_SET_BPF, self->prog));
	fault_here(1);
	EXPECT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_LE(0, result(0));
	EXPECT_EQ(0, pe_bpf_get(self->map, result(0), ips));
	/*
	 * The C library may lack frame pointers: check only the sampled
	 * function, at the top.
	 */
	EXPECT_TRUE(chain_has(ips, variant->breakpoint ? (void *)fault_here : (void *)pe_fault));
	EXPECT_LT(0, result(2));
	EXPECT_EQ(ips[0], result(4));
	close(fd);
}

/* A context switch happens in the kernel, and both stacks are available. */
TEST_F(stack, of_kernel)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_CONTEXT_SWITCHES);
	uint64_t ips[STACK_DEPTH] = {};
	int fd, i, of_kernel = 0;

	if (variant->breakpoint)
		return;
	a.sample_period = 1;
	a.sample_type = variant->sample_type;
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_SET_BPF, self->prog));
	pe_switch();
	EXPECT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_LE(0, result(0));
	ASSERT_LE(0, result(1));
	EXPECT_EQ(0, pe_bpf_get(self->map, result(1), ips));
	/* Unknown frames between known ones may be 0. */
	for (i = 0; i < STACK_DEPTH; i++)
		of_kernel += (int64_t)ips[i] < (int64_t)PERF_CONTEXT_MAX;
	if (sizeof(long) == 8) {
		EXPECT_GT(0, (int64_t)ips[0]);
		EXPECT_LE(2, of_kernel);
	}
	EXPECT_EQ(0, pe_bpf_get(self->map, result(0), ips));
	/* A chain from a sample starts with a context marker. */
	EXPECT_LT(0, (int64_t)ips[ips[0] == (uint64_t)PERF_CONTEXT_USER]);
	close(fd);
}

/*
 * Offset of a field in the context: after the registers, which on a 64-bit kernel are those of a
 * 64-bit program.
 */
#if defined(__i386)
# define REGS_64	(21 * 8)
#else
# define REGS_64	sizeof(bpf_user_pt_regs_t)
#endif
#define CONTEXT_AT(field)								\
	(offsetof(struct bpf_perf_event_data, field) +					\
	 (pe_compat() ? REGS_64 - offsetof(struct bpf_perf_event_data, sample_period) : 0))

FIXTURE(overflow)
{
	int prog;
};

FIXTURE_SETUP(overflow)
{
	struct code c;

	results = pe_bpf_map(BPF_MAP_TYPE_ARRAY, 8 * NR_RESULTS, 1);
	if (results < 0)
		SKIP(return, "no BPF: %s", strerror(-results));
	begin(&c);
	emit(&c, LOAD(1, CONTEXT, CONTEXT_AT(sample_period)));
	emit(&c, STORE(RESULT(0), 1));
	emit(&c, LOAD(1, CONTEXT, CONTEXT_AT(addr)));
	emit(&c, STORE(RESULT(1), 1));
	emit(&c, MOV(1, CONTEXT));
	emit_address(&c, 2, RESULT(2));
	emit(&c, SET(3, 24));
	emit(&c, CALL(perf_prog_read_value));
	emit(&c, STORE(RESULT(5), 0));
	self->prog = finish(&c, BPF_PROG_TYPE_PERF_EVENT);
	ASSERT_LE(0, self->prog);
}

FIXTURE_TEARDOWN(overflow)
{
	close(self->prog);
	close(results);
}

/* Check the context that the program reads. */
TEST_F(overflow, context)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	char *page;
	int fd;

	page = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, page);
	a.sample_period = 3;
	a.sample_type = PERF_SAMPLE_ADDR;
	a.exclude_kernel = 1;
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_SET_BPF, self->prog));
	pe_fault(32);
	EXPECT_EQ(3, result(0));
	EXPECT_LE(0, (int64_t)pe_count(fd) - result(2));
	EXPECT_EQ(0, result(2) % 3);
	EXPECT_LT(0, result(3));
	EXPECT_EQ(result(3), result(4));
	EXPECT_EQ(0, result(5));
	close(fd);

	a.sample_period = 1;
	fd = pe_self(&a);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_SET_BPF, self->prog));
	pe_touch(&page[100]);
	EXPECT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	EXPECT_EQ((unsigned long)&page[100], result(1));
	close(fd);
}

TEST_HARNESS_MAIN
