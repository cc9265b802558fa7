// SPDX-License-Identifier: GPL-2.0
/*
 * Refusals of filters, BPF programs, mappings and splices on an open event.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "../kselftest_harness.h"
#include "pe_refused.h"
#include "pe_sample.h"
#include "pe_sim.h"
#include "pe_trace.h"

FIXTURE(refused_record) {
	long page;
};

FIXTURE_SETUP(refused_record)
{
	NEED_EXPLANATIONS(return);
	self->page = sysconf(_SC_PAGESIZE);
}

FIXTURE_TEARDOWN(refused_record)
{
}

TEST_F(refused_record, filters)
{
	int type = pe_sim_trace_type(), fd;

	if (type < 0 || geteuid())
		SKIP(return, "needs root and the simulated trace unit");
	fd = open_self(EVENT(.type = type, .config = 0));
	ASSERT_LE(0, fd);
#define FILTER(text)	ioctl(fd, PERF_EVENT_IOC_SET_FILTER, text)
	REFUSED(FILTER_TEXT, EINVAL, FILTER("nonsense"));
	REFUSED(FILTER_FILE, ENOENT, FILTER("filter 0x10/0x100@/no/such/file"));
	REFUSED(FILTER_KIND, EINVAL, FILTER("filter 0x10/0x100@/"));
	REFUSED(FILTER_MANY, EOPNOTSUPP, FILTER("stop 1,stop 2,stop 3,stop 4,stop 5"));
	REFUSED(BAD_ADDRESS, EFAULT, FILTER(8));
	close(fd);
	fd = open_event(EVENT(.type = type, .config = 0), -1, 0, -1, 0);
	ASSERT_LE(0, fd);
	REFUSED(FILTER_TASK, EOPNOTSUPP, FILTER("filter 0x10/0x100@/proc/self/exe"));
#undef FILTER
	close(fd);
}

/* Filters of tracepoints have another syntax, and the same reason. */
TEST_F(refused_record, filter_of_a_tracepoint)
{
	struct perf_event_attr attr;
	int fd;

	if (geteuid() || pe_tracepoint(&attr, "sched/sched_switch"))
		SKIP(return, "needs root and tracepoints");
	fd = open_self(&attr);
	ASSERT_LE(0, fd);
	REFUSED(FILTER_TEXT, EINVAL, ioctl(fd, PERF_EVENT_IOC_SET_FILTER, "prev_pid =="));
	close(fd);
}

#define BPF(event, prog)	ioctl(event, PERF_EVENT_IOC_SET_BPF, prog)

/* Load a program that reads a word far beyond the record of a tracepoint. */
static int load_reader(void)
{
	struct bpf_insn insns[] = {
		PE_INSN(BPF_LDX | BPF_MEM | BPF_W, 0, 1, 4096, 0),
		PE_INSN(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 1),
		PE_INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};

	return pe_bpf_load_code(BPF_PROG_TYPE_TRACEPOINT, insns, PE_ARRAY_SIZE(insns));
}

/* Load an overflow program that copies 64 bytes of the user stack to its own stack. */
static int load_stack_taker(void)
{
	struct bpf_insn insns[] = {
		PE_INSN(BPF_ALU64 | BPF_MOV | BPF_X, 2, 10, 0, 0),
		PE_INSN(BPF_ALU64 | BPF_ADD | BPF_K, 2, 0, 0, -64),
		PE_INSN(BPF_ALU64 | BPF_MOV | BPF_K, 3, 0, 0, 64),
		PE_INSN(BPF_ALU64 | BPF_MOV | BPF_K, 4, 0, 0, 0),
		PE_INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_get_stack),
		PE_INSN(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 1),
		PE_INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};

	return pe_bpf_load_code(BPF_PROG_TYPE_PERF_EVENT, insns, PE_ARRAY_SIZE(insns));
}

TEST_F(refused_record, bpf)
{
	int map = pe_bpf_counter(), overflow, trace, fd, other;
	struct perf_event_attr attr;

	if (map < 0 || pe_tracepoint(&attr, "sched/sched_switch"))
		SKIP(return, "needs BPF and tracepoints");
	overflow = pe_bpf_load(BPF_PROG_TYPE_PERF_EVENT, map, 1);
	trace = pe_bpf_load(BPF_PROG_TYPE_TRACEPOINT, map, 1);
	ASSERT_LE(0, overflow);
	ASSERT_LE(0, trace);

	fd = open_self(EVENT(.sample_period = 1000));
	REFUSED(BPF_KIND, EINVAL, BPF(fd, trace));
	EXPECT_EQ(0, BPF(fd, overflow));
	REFUSED(BPF_PRESENT, EEXIST, BPF(fd, overflow));
	close(fd);
	fd = open_self(EVENT(.sample_period = 1000, .precise_ip = 1));
	ASSERT_LE(0, fd);
	REFUSED(BPF_STACK, EPROTO, BPF(fd, load_stack_taker()));
	close(fd);

	fd = open_self(&attr);
	REFUSED(BPF_KIND, EINVAL, BPF(fd, overflow));
	REFUSED(BPF_CONTEXT, EACCES, BPF(fd, load_reader()));
	EXPECT_EQ(0, BPF(fd, trace));
	REFUSED(BPF_PRESENT, EEXIST, BPF(fd, trace));
	/* A tracepoint accepts a program only once, for any of its events. */
	other = open_self(&attr);
	ASSERT_LE(0, other);
	REFUSED(BPF_OTHER, EEXIST, BPF(other, trace));
	REFUSED(BAD_ADDRESS, EFAULT, ioctl(fd, PERF_EVENT_IOC_QUERY_BPF, 8));
	close(other);
	close(fd);
}

TEST_F(refused_record, length_of_a_mapping)
{
	size_t length = sizeof(long) < 8 ? 0 : (size_t)self->page << 31;
	int fd = open_self(EVENT());
	void *p;

	/* With a smaller address space mmap(2) fails before it calls the event. */
	p = mmap(NULL, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		SKIP(return, "no room for such a mapping");
	munmap(p, length);
	ASSERT_LE(0, fd);
	p = mmap(NULL, length, PROT_READ, MAP_SHARED, fd, 0);
	REFUSED(MMAP_LENGTH, ENOMEM, p == MAP_FAILED ? -1 : 0);
	close(fd);
}

TEST_F(refused_record, splices)
{
	struct pe_ring ring;
	int pipes[2], fd;

	signal(SIGPIPE, SIG_IGN);
	ASSERT_EQ(0, pipe(pipes));
	fd = open_self(EVENT(.sample_period = 1, .sample_type = PERF_SAMPLE_IP,
			     .write_backward = 1));
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_ring_map(&ring, fd, 2));
#define SPLICE(length)	splice(fd, NULL, pipes[1], NULL, length, 0)
	REFUSED(SPLICE_BACKWARD, EINVAL, SPLICE(4096));
	pe_ring_unmap(&ring);
	close(fd);

	fd = open_self(EVENT(.sample_period = 1, .sample_type = PERF_SAMPLE_IP));
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_ring_map(&ring, fd, 2));
	pe_fault(10);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	REFUSED(SPLICE_ROOM, ENOSPC, SPLICE(8));
	ring.page->data_tail += 3;
	REFUSED(SPLICE_TAIL, EIO, SPLICE(4096));
	ring.page->data_tail -= 3;
#undef SPLICE
	pe_ring_unmap(&ring);
	close(fd);
	close(pipes[0]);
	close(pipes[1]);
}

static char state_of(pid_t pid)
{
	char path[64], text[256] = "";
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	fd = open(path, O_RDONLY);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0 || !strrchr(text, ')'))
		return '?';
	close(fd);
	return strrchr(text, ')')[2];
}

/* The VFS checks for readers first: they exit while splice(2) waits for records. */
TEST_F(refused_record, splice_to_nobody)
{
	struct pe_ring ring;
	int pipes[2], fd, status;
	pid_t child;

	fd = open_self(EVENT(.sample_period = 1, .sample_type = PERF_SAMPLE_IP, .disabled = 1,
			     .wakeup_events = 1));
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_ring_map(&ring, fd, 2));
	ASSERT_EQ(0, pipe(pipes));
	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		signal(SIGPIPE, SIG_IGN);
		close(pipes[0]);
		_exit(!was_refused(splice(fd, NULL, pipes[1], NULL, 4096, 0), "SPLICE_PIPE",
				   EPIPE));
	}
	while (state_of(child) != 'S')
		pe_sleep_ms(1);
	close(pipes[0]);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	pe_fault(3);
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	pe_ring_unmap(&ring);
	close(fd);
	close(pipes[1]);
}

TEST_HARNESS_MAIN
