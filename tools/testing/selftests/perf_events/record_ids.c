// SPDX-License-Identifier: GPL-2.0
/*
 * The sample_id at the end of records: any choice of its fields, for every kind of record. Each
 * record must have the right length, and unused bytes must be zero.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_records.h"
#include "pe_sim.h"
#include "pe_trace.h"

#define RATE		PE_SYSCTL "perf_event_max_sample_rate"
#define PERCENT		PE_SYSCTL "perf_cpu_time_max_percent"
#define POKE		PE_TRACING "/events/sched/sched_process_exec/enable"
#define COMBINATIONS	64

static struct pe_record rec;

/**
 * struct listener - an event with a buffer
 * @attr: its attribute
 * @ring: its buffer
 * @fd: file descriptor of the event, or -1
 * @id: its id
 * @cpu: CPU argument of the open
 * @seen: kinds of records that were read from the buffer
 */
struct listener {
	struct perf_event_attr attr;
	struct pe_ring ring;
	int fd, cpu;
	__u64 id;
	__u32 seen;
};

static const __u64 fields[] = {
	PERF_SAMPLE_TID, PERF_SAMPLE_TIME, PERF_SAMPLE_ID,
	PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU, PERF_SAMPLE_IDENTIFIER,
};

FIXTURE(ids) {
	struct perf_event_attr a;
	struct listener task, task2, cpu;
};

static __u64 now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

FIXTURE_SETUP(ids)
{
	self->a = pe_attr(PERF_COUNT_SW_DUMMY);
	self->a.sample_id_all = 1;
	self->a.use_clockid = 1;
	self->a.clockid = CLOCK_MONOTONIC;
	self->task.fd = -1;
	self->task2.fd = -1;
	self->cpu.fd = -1;
	if (geteuid())
		SKIP(return, "only for root");
	ASSERT_EQ(0, pe_move_to(0));
}

static void stop(struct listener *l)
{
	if (l->fd < 0)
		return;
	pe_ring_unmap(&l->ring);
	close(l->fd);
	l->fd = -1;
}

FIXTURE_TEARDOWN(ids)
{
	stop(&self->task);
	stop(&self->task2);
	stop(&self->cpu);
}

/*
 * Open and map an event. The buffer of an event on other tasks is not poisoned: it contains records
 * of these tasks.
 */
static void start(struct __test_metadata *_metadata, struct listener *l,
		  const struct perf_event_attr *attr, pid_t pid, int cpu, unsigned int pages)
{
	l->attr = *attr;
	l->cpu = cpu;
	l->seen = 0;
	l->fd = pe_open(&l->attr, pid, cpu, -1, 0);
	ASSERT_LE(0, l->fd);
	ASSERT_EQ(0, pe_ring_map(&l->ring, l->fd, pages));
	l->id = pe_id(l->fd);
}

/* Check that the requested fields are present and correct. */
static void check_id(struct __test_metadata *_metadata, struct listener *l,
		     const struct pe_sample *id, __u64 from, __u64 to)
{
	__u64 type = l->attr.sample_type;

	EXPECT_EQ(type & PERF_SAMPLE_ID ? l->id : 0, id->id);
	EXPECT_EQ(type & PERF_SAMPLE_STREAM_ID ? l->id : 0, id->stream_id);
	EXPECT_EQ(type & PERF_SAMPLE_IDENTIFIER ? l->id : 0, id->identifier);
	EXPECT_EQ(0, id->cpu);
	EXPECT_EQ(0, id->res);
	if (type & PERF_SAMPLE_TIME) {
		EXPECT_LE(from, id->time);
		EXPECT_GE(to, id->time);
	}
	if (l->cpu < 0 && type & PERF_SAMPLE_TID) {
		EXPECT_EQ(getpid(), id->pid);
		EXPECT_EQ(getpid(), id->tid);
	}
}

static void check_all(struct __test_metadata *_metadata, struct listener *l, __u64 from)
{
	struct pe_sample id;
	const char *fault;

	while (pe_ring_next(&l->ring, &rec) == 1) {
		if (rec.head.type == PERF_RECORD_SAMPLE)
			continue;
		fault = pe_record_fault(&l->attr, &rec, &id);
		ASSERT_EQ(NULL, fault) {
			TH_LOG("type %u with %#llx: %s", rec.head.type, l->attr.sample_type,
			       fault);
		}
		check_id(_metadata, l, &id, from, now());
		l->seen |= 1U << rec.head.type;
	}
}

static void expect_seen(struct __test_metadata *_metadata, struct listener *l, __u32 kind)
{
	EXPECT_NE(0, l->seen & 1U << kind) {
		TH_LOG("no record of type %u", kind);
	}
}

/* Cause a record of each kind. */
static void deeds(struct __test_metadata *_metadata)
{
	struct bpf_insn code[] = {
		PE_INSN(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0),
		PE_INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};
	int file = open("/proc/self/exe", O_RDONLY), dir;
	long page = sysconf(_SC_PAGESIZE);
	pid_t child;
	void *p;

	prctl(PR_SET_NAME, "pe_ids", 0, 0, 0);
	p = mmap(NULL, page, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
	munmap(p, page);
	close(file);
	child = fork();
	if (!child) {
		prctl(PR_SET_NAME, "child", 0, 0, 0);
		_exit(0);
	}
	ASSERT_EQ(child, waitpid(child, NULL, 0));
	close(pe_bpf_load_code(BPF_PROG_TYPE_SOCKET_FILTER, code, PE_ARRAY_SIZE(code)));
	dir = pe_cgroup_make("pe_ids");
	if (dir >= 0) {
		close(dir);
		pe_cgroup_remove("pe_ids");
	}
}

TEST_F(ids, any_choice)
{
	unsigned int choice, i;
	__u64 from;

	self->a.comm = 1;
	self->a.task = 1;
	self->a.mmap = 1;
	self->a.context_switch = 1;
	self->a.namespaces = 1;
	self->a.ksymbol = 1;
	self->a.bpf_event = 1;
	self->a.cgroup = 1;
	for (choice = 0; choice < COMBINATIONS; choice++) {
		self->a.sample_type = 0;
		for (i = 0; i < PE_ARRAY_SIZE(fields); i++)
			self->a.sample_type |= choice & 1U << i ? fields[i] : 0;
		self->a.mmap2 = 0;
		self->a.build_id = 0;
		from = now();
		start(_metadata, &self->task, &self->a, 0, -1, 8);
		self->a.mmap2 = 1;
		self->a.build_id = choice & 1;
		start(_metadata, &self->task2, &self->a, 0, -1, 8);
		start(_metadata, &self->cpu, &self->a, -1, 0, 64);
		deeds(_metadata);
		check_all(_metadata, &self->task, from);
		check_all(_metadata, &self->task2, from);
		check_all(_metadata, &self->cpu, from);
		expect_seen(_metadata, &self->task, PERF_RECORD_COMM);
		expect_seen(_metadata, &self->task, PERF_RECORD_MMAP);
		expect_seen(_metadata, &self->task, PERF_RECORD_FORK);
		expect_seen(_metadata, &self->task, PERF_RECORD_SWITCH);
		expect_seen(_metadata, &self->task, PERF_RECORD_NAMESPACES);
		expect_seen(_metadata, &self->task2, PERF_RECORD_MMAP2);
		expect_seen(_metadata, &self->cpu, PERF_RECORD_EXIT);
		expect_seen(_metadata, &self->cpu, PERF_RECORD_SWITCH_CPU_WIDE);
		stop(&self->task);
		stop(&self->task2);
		stop(&self->cpu);
	}
}

/* Records in a buffer full of poison have the right ids, too. */
TEST_F(ids, on_poison)
{
	char name[16];
	unsigned int len;

	self->a.sample_type = PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;
	self->a.use_clockid = 0;
	self->a.comm = 1;
	self->a.mmap2 = 1;
	self->a.mmap = 1;
	self->a.build_id = 1;
	self->a.task = 1;
	self->a.namespaces = 1;
	self->a.ksymbol = 1;
	self->a.bpf_event = 1;
	self->a.cgroup = 1;
	/* The sample_id has no time: the test cannot compare times of this clock. */
	start(_metadata, &self->task, &self->a, 0, -1, 8);
	for (len = 1; len < sizeof(name); len++) {
		ASSERT_EQ(0, pe_ring_poison(&self->task.ring, self->task.fd, -1));
		memset(name, 'n', len);
		name[len] = 0;
		prctl(PR_SET_NAME, name, 0, 0, 0);
		deeds(_metadata);
		check_all(_metadata, &self->task, 0);
	}
	expect_seen(_metadata, &self->task, PERF_RECORD_COMM);
	expect_seen(_metadata, &self->task, PERF_RECORD_FORK);
}

TEST_F(ids, of_changed_text)
{
	struct perf_event_attr unused;
	unsigned int choice, i;
	__u64 from;

#if !defined(__x86_64__) && !defined(__i386)
	SKIP(return, "no records of text changes on this architecture");
#endif
	if (pe_tracepoint(&unused, "sched/sched_process_exec"))
		SKIP(return, "no tracepoints");
	self->a.text_poke = 1;
	for (choice = 0; choice <= PE_ARRAY_SIZE(fields); choice++) {
		self->a.sample_type = 0;
		for (i = 0; i < PE_ARRAY_SIZE(fields); i++)
			if (choice == i || choice == PE_ARRAY_SIZE(fields))
				self->a.sample_type |= fields[i];
		from = now();
		start(_metadata, &self->task, &self->a, 0, -1, 16);
		ASSERT_EQ(0, pe_set(POKE, 1));
		ASSERT_EQ(0, pe_set(POKE, 0));
		check_all(_metadata, &self->task, from);
		expect_seen(_metadata, &self->task, PERF_RECORD_TEXT_POKE);
		stop(&self->task);
	}
}

TEST_F(ids, of_lost_records)
{
	unsigned int choice, i;
	__u64 from;

	self->a.comm = 1;
	for (choice = 0; choice < COMBINATIONS; choice++) {
		self->a.sample_type = 0;
		for (i = 0; i < PE_ARRAY_SIZE(fields); i++)
			self->a.sample_type |= choice & 1U << i ? fields[i] : 0;
		from = now();
		start(_metadata, &self->task, &self->a, 0, -1, 1);
		for (i = 0; i <= self->task.ring.size / 24; i++)
			prctl(PR_SET_NAME, "lost", 0, 0, 0);
		check_all(_metadata, &self->task, from);
		/* A LOST record precedes this record, now that there is space again. */
		prctl(PR_SET_NAME, "found", 0, 0, 0);
		check_all(_metadata, &self->task, from);
		expect_seen(_metadata, &self->task, PERF_RECORD_LOST);
		stop(&self->task);
	}
}

FIXTURE(throttle) {
	struct perf_event_attr a;
	struct listener l;
	long rate, percent;
};

FIXTURE_SETUP(throttle)
{
	self->l.fd = -1;
	self->rate = pe_get(RATE);
	self->percent = pe_get(PERCENT);
	self->a = pe_sim_attr();
	self->a.sample_id_all = 1;
	self->a.use_clockid = 1;
	self->a.clockid = CLOCK_MONOTONIC;
	self->a.sample_period = 1;
	if (geteuid() || pe_sim_type() < 0)
		SKIP(return, "needs the simulated PMU, and root");
	ASSERT_EQ(0, pe_set(PERCENT, 90));
	ASSERT_EQ(0, pe_set(RATE, 1000));
	ASSERT_EQ(0, pe_move_to(0));
}

FIXTURE_TEARDOWN(throttle)
{
	stop(&self->l);
	if (pe_get(RATE) != self->rate)
		pe_set(RATE, self->rate);
	if (pe_get(PERCENT) != self->percent)
		pe_set(PERCENT, self->percent);
}

TEST_F(throttle, ids)
{
	__u32 both = 1U << PERF_RECORD_THROTTLE | 1U << PERF_RECORD_UNTHROTTLE;
	unsigned int choice, i, tries;
	__u64 from;

	for (choice = 0; choice <= PE_ARRAY_SIZE(fields); choice++) {
		self->a.sample_type = 0;
		for (i = 0; i < PE_ARRAY_SIZE(fields); i++)
			if (choice == i || choice == PE_ARRAY_SIZE(fields))
				self->a.sample_type |= fields[i];
		from = now();
		start(_metadata, &self->l, &self->a, 0, -1, 8);
		for (tries = 0; tries < 100000 && (self->l.seen & both) != both; tries++) {
			ASSERT_EQ(0, pe_sim_advance(10));
			check_all(_metadata, &self->l, from);
		}
		expect_seen(_metadata, &self->l, PERF_RECORD_THROTTLE);
		expect_seen(_metadata, &self->l, PERF_RECORD_UNTHROTTLE);
		stop(&self->l);
	}
}

TEST_HARNESS_MAIN
