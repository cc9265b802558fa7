// SPDX-License-Identifier: GPL-2.0
/*
 * Calls on an event under memory fault injection: each allocation fails in turn. The call must
 * return an error, change nothing, and succeed when it is repeated.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/hw_breakpoint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_inject.h"
#include "pe_sample.h"
#include "pe_sim.h"
#include "pe_trace.h"

#define MLOCK_KB	PE_SYSCTL "perf_event_mlock_kb"
#define RING_PAGES	4

/**
 * struct use - an event and the call under test
 * @attr: attribute of the event
 * @fd: file descriptor of the event
 * @other: another file that the call needs
 * @text: text of the filter
 * @ring: buffer of the event
 * @aux: size of its AUX area
 * @pid: a child
 * @pipe: pipe for its records
 */
struct use {
	struct perf_event_attr attr;
	int fd, other;
	const char *text;
	struct pe_ring ring;
	size_t aux;
	pid_t pid;
	int pipe[2];
};

FIXTURE(call) {
	struct use u;
	struct pe_trial t;
	const char *wrong;
	long page;
};

FIXTURE_SETUP(call)
{
	if (geteuid() || pe_inject_start())
		SKIP(return, "needs root, CONFIG_FAILSLAB and CONFIG_FAIL_PAGE_ALLOC");
	self->page = sysconf(_SC_PAGESIZE);
	self->u.fd = -1;
	self->u.other = -1;
	self->u.attr = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	self->t.arg = &self->u;
}

FIXTURE_TEARDOWN(call)
{
	close(self->u.fd);
	close(self->u.other);
	pe_inject_end();
}

static void expect_borne(struct __test_metadata *_metadata, struct _test_data_call *self, int line)
{
	self->wrong = pe_inject(&self->t);
	EXPECT_EQ(NULL, self->wrong)
		TH_LOG("the call in line %d %s: %s", line, self->wrong,
		       strerror(-self->t.err));
}

#define EXPECT_BORNE(self) expect_borne(_metadata, self, __LINE__)

static void nothing(void *arg, int ret)
{
}

/* Buffers */

static int map_it(void *arg)
{
	struct use *u = arg;

	return pe_ring_map(&u->ring, u->fd, RING_PAGES);
}

static void unmap_it(void *arg, int ret)
{
	struct use *u = arg;

	pe_ring_unmap(&u->ring);
}

static int map_aux(void *arg)
{
	struct use *u = arg;
	void *p;

	u->ring.page->aux_offset = u->ring.len;
	u->ring.page->aux_size = u->aux;
	p = mmap(NULL, u->aux, PROT_READ | PROT_WRITE, MAP_SHARED, u->fd, u->ring.len);
	if (p == MAP_FAILED)
		return -errno;
	munmap(p, u->aux);
	return 0;
}

/* Become a user whose limit allows one such buffer, but not two. */
static int become_poor(void)
{
	struct rlimit none = { 0, 0 };
	int cpus = pe_cpu_count(), pages = (RING_PAGES + 1 + cpus) / cpus;

	if (pe_set(PE_PARANOID, 1) || pe_set(MLOCK_KB, pages * sysconf(_SC_PAGESIZE) / 1024) ||
	    setrlimit(RLIMIT_MEMLOCK, &none))
		return -errno;
	return pe_become(PE_UID, 0);
}

/* Run in a child, because a process cannot regain its limit. */
static void in_child(struct __test_metadata *_metadata, struct _test_data_call *self, bool aux)
{
	long kb = pe_get(MLOCK_KB), level = pe_get(PE_PARANOID);
	int status;
	pid_t pid;

	pid = fork();
	if (!pid) {
		/*
		 * The child opens a file of its own: the file that is open already belongs to the
		 * parent.
		 */
		if (pe_inject_start() || become_poor())
			_exit(2);
		self->u.fd = pe_self(&self->u.attr);
		if (self->u.fd < 0 || (aux && map_it(&self->u)))
			_exit(3);
		self->wrong = pe_inject(&self->t);
		if (self->wrong)
			TH_LOG("it %s: %s", self->wrong, strerror(-self->t.err));
		_exit(self->wrong ? 4 : !self->t.failed);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	pe_set(MLOCK_KB, kb);
	pe_set(PE_PARANOID, level);
}

TEST_F(call, map_a_buffer)
{
	self->u.attr.sample_period = 1000000;
	self->t.call = map_it;
	self->t.undo = unmap_it;
	in_child(_metadata, self, false);
}

TEST_F(call, map_an_aux_area)
{
	int type = pe_sim_trace_type();

	if (type < 0)
		SKIP(return, "no simulated trace unit");
	self->u.attr = pe_attr_off(0);
	self->u.attr.type = type;
	self->u.aux = self->page;
	self->t.call = map_aux;
	self->t.undo = nothing;
	in_child(_metadata, self, true);
}

TEST_F(call, write_to_anothers_buffer)
{
	struct pe_ring ring;

	self->u.attr.sample_period = 1;
	self->u.attr.exclude_kernel = 1;
	self->u.other = pe_self(&self->u.attr);
	self->u.fd = pe_self(&self->u.attr);
	ASSERT_LE(0, self->u.fd);
	ASSERT_EQ(0, pe_ring_map(&ring, self->u.other, RING_PAGES));
	self->t.call = map_it;
	self->t.undo = unmap_it;
	EXPECT_BORNE(self);
	/* After a failed mapping, the event can write to another buffer. */
	EXPECT_EQ(0, pe_ioctl(self->u.fd, PERF_EVENT_IOC_SET_OUTPUT, self->u.other));
	pe_ring_drop(&ring, PERF_RECORD_SAMPLE);
	pe_fault(1);
	EXPECT_LE(2, pe_ring_drop(&ring, PERF_RECORD_SAMPLE));
	pe_ring_unmap(&ring);
}

/* Filters and programs */

static int set_filter(void *arg)
{
	struct use *u = arg;

	return pe_ioctl(u->fd, PERF_EVENT_IOC_SET_FILTER, (unsigned long)u->text);
}

static void reset_filter(void *arg, int ret)
{
	struct use *u = arg;

	/*
	 * This filter rejects all occurrences. A filter cannot be replaced, so it is removed first.
	 */
	pe_ioctl(u->fd, PERF_EVENT_IOC_SET_FILTER, (unsigned long)"0");
	close(u->fd);
	u->fd = pe_self(&u->attr);
}

static bool counts_all(void *arg)
{
	struct use *u = arg;
	__u64 before = pe_count(u->fd);

	syscall(__NR_getppid);
	return pe_count(u->fd) == before + 1;
}

TEST_F(call, filter_a_tracepoint)
{
	if (pe_tracepoint(&self->u.attr, "syscalls/sys_enter_getppid"))
		SKIP(return, "no tracepoints");
	self->u.fd = pe_self(&self->u.attr);
	ASSERT_LE(0, self->u.fd);
	self->u.text = "common_pid == 0 || (common_pid < 0 && common_flags == 77)";
	self->t = (struct pe_trial) { set_filter, reset_filter, counts_all, &self->u };
	EXPECT_BORNE(self);
	EXPECT_NE(0, self->t.failed);
}

/* The first filter accepts this address, and no filter accepts the other one. */
#define PASSES	"7000 1"
#define STOPPED	"9000 1"

static bool see(const char *text)
{
	int fd = open(PE_SIM_TRACE "trace", O_WRONLY);
	ssize_t len = write(fd, text, strlen(text));

	close(fd);
	return len == strlen(text);
}

static void set_first_filter(void *arg, int ret)
{
	struct use *u = arg;

	ret = pe_ioctl(u->fd, PERF_EVENT_IOC_SET_FILTER, (unsigned long)"filter 0x7000/0x1000");
	if (ret)
		printf("# the first filter: %d\n", ret);
}

static bool has_first_filter(void *arg)
{
	struct use *u = arg;
	__u64 before = pe_count(u->fd), passed, stopped;

	if (!see(PASSES))
		return false;
	passed = pe_count(u->fd) - before;
	if (!see(STOPPED))
		return false;
	stopped = pe_count(u->fd) - before - passed;
	if (passed != 1 || stopped)
		printf("# %llu of the filter, %llu of others\n", passed, stopped);
	return passed == 1 && !stopped;
}

TEST_F(call, filter_addresses)
{
	int type = pe_sim_trace_type();
	struct use *u = &self->u;
	void *area;

	if (type < 0)
		SKIP(return, "no simulated trace unit");
	u->attr = pe_attr_off(0);
	u->attr.type = type;
	u->fd = pe_self(&u->attr);
	ASSERT_LE(0, u->fd);
	/* While its buffer has space, the event traces the addresses that the filter accepts. */
	ASSERT_EQ(0, pe_ring_map(&u->ring, u->fd, RING_PAGES));
	u->ring.page->aux_offset = u->ring.len;
	u->ring.page->aux_size = 16 * self->page;
	area = mmap(NULL, 16 * self->page, PROT_READ | PROT_WRITE, MAP_SHARED, u->fd,
		    u->ring.len);
	ASSERT_NE(MAP_FAILED, area);
	ASSERT_EQ(0, pe_ioctl(u->fd, PERF_EVENT_IOC_ENABLE, 0));
	set_first_filter(u, 0);
	ASSERT_EQ(true, has_first_filter(u));
	u->text = "filter 0x0/0x1000@/proc/self/exe,filter 0x1000/0x1000@/proc/self/exe";
	self->t = (struct pe_trial) { set_filter, set_first_filter, has_first_filter, u };
	EXPECT_BORNE(self);
	EXPECT_NE(0, self->t.failed);
	munmap(area, 16 * self->page);
	pe_ring_unmap(&u->ring);
}

static int set_program(void *arg)
{
	struct use *u = arg;

	return pe_ioctl(u->fd, PERF_EVENT_IOC_SET_BPF, u->other);
}

static int link_program(void *arg)
{
	struct use *u = arg;

	return pe_bpf_link(u->other, u->fd, 1);
}

static void close_it(void *arg, int fd)
{
	close(fd);
}

static void reopen(void *arg, int ret)
{
	struct use *u = arg;

	close(u->fd);
	u->fd = pe_self(&u->attr);
}

TEST_F(call, attach_a_program)
{
	static const enum bpf_prog_type types[] = {
		BPF_PROG_TYPE_PERF_EVENT, BPF_PROG_TYPE_TRACEPOINT,
	};
	int map = pe_bpf_counter();
	unsigned int i;

	if (map < 0)
		SKIP(return, "no BPF");
	for (i = 0; i < PE_ARRAY_SIZE(types); i++) {
		self->u.attr.sample_period = 1000000;
		if (i)
			ASSERT_EQ(0, pe_tracepoint(&self->u.attr, "syscalls/sys_enter_getppid"));
		self->u.other = pe_bpf_load(types[i], map, 1);
		ASSERT_LE(0, self->u.other);
		self->u.fd = pe_self(&self->u.attr);
		ASSERT_LE(0, self->u.fd);
		self->t = (struct pe_trial) { set_program, reopen, NULL, &self->u };
		if (i)
			self->t.unchanged = counts_all;
		EXPECT_BORNE(self);
		self->t.call = link_program;
		self->t.undo = close_it;
		EXPECT_BORNE(self);
		EXPECT_NE(0, self->t.failed);
		/* No program is attached any more that would count this call. */
		syscall(__NR_getppid);
		EXPECT_EQ(0, pe_bpf_counted(map));
		close(self->u.fd);
		close(self->u.other);
	}
	self->u.fd = -1;
	self->u.other = -1;
	close(map);
}

/* Inherited events */

/*
 * The child shares the parent's memory and files, and the parent waits until the child has exited.
 * So fork(2) has few allocations of its own that could fail.
 */
static int fork_it(void *arg)
{
	struct use *u = arg;

	u->pid = vfork();
	if (!u->pid)
		_exit(0);
	return u->pid < 0 ? -errno : 0;
}

static void wait_for_it(void *arg, int ret)
{
	struct use *u = arg;

	waitpid(u->pid, NULL, 0);
}

/* Open a leader and members of all kinds of events, all of them inherited. */
static int open_inherited(struct perf_event_attr *attr, int *fds, int room)
{
	struct perf_event_attr other;
	int n = 0, i;

	attr->inherit = 1;
	fds[n++] = pe_self(attr);
	for (i = 0; i < 3; i++) {
		attr->sample_period = i & 1;
		fds[n] = pe_open(attr, 0, -1, fds[0], 0);
		n++;
	}
	attr->sample_period = 0;
	fds[n++] = pe_self(attr);
	other = pe_attr(PERF_COUNT_SW_TASK_CLOCK);
	other.inherit = 1;
	fds[n++] = pe_self(&other);
	other.sample_period = 1000000000;
	fds[n++] = pe_self(&other);
	if (!pe_tracepoint(&other, "syscalls/sys_enter_getppid")) {
		other.inherit = 1;
		fds[n++] = pe_self(&other);
	}
	if (!pe_probe(&other, "kprobe")) {
		other.inherit = 1;
		other.kprobe_func = (unsigned long)PE_SYSCALL_FUNC("getppid");
		fds[n++] = pe_self(&other);
	}
	if (pe_sim_type() >= 0) {
		other = pe_sim_attr();
		other.inherit = 1;
		fds[n++] = pe_self(&other);
		fds[n] = pe_open(&other, 0, -1, fds[n - 1], 0);
		n++;
	}
	for (i = 0; i < n; i++) {
		if (fds[i] < 0)
			return fds[i];
	}
	return n;
}

static bool counts_faults(void *arg)
{
	struct use *u = arg;
	__u64 before = pe_count(u->fd);

	pe_fault(10);
	return pe_count(u->fd) == before + 10;
}

TEST_F(call, fork_with_events)
{
	int fds[32], n, i;

	self->u.attr.exclude_kernel = 1;
	n = open_inherited(&self->u.attr, fds, PE_ARRAY_SIZE(fds));
	ASSERT_LE(0, n);
	self->u.fd = fds[0];
	pe_fault(10);
	self->t = (struct pe_trial) { fork_it, wait_for_it, counts_faults, &self->u };
	EXPECT_BORNE(self);
	EXPECT_LT(10, self->t.failed);
	for (i = 1; i < n; i++)
		close(fds[i]);
}

/* Records that are spliced to a pipe */

static int splice_it(void *arg)
{
	struct use *u = arg;
	ssize_t n = splice(u->fd, NULL, u->pipe[1], NULL, 1 << 20, SPLICE_F_NONBLOCK);

	return n < 0 ? -errno : n;
}

/* Write more than three pages of records: splice(2) moves whole pages, and copies the ends. */
static void fill_again(void *arg, int ret)
{
	static char bytes[1 << 16];
	struct use *u = arg;

	while (read(u->pipe[0], bytes, sizeof(bytes)) > 0)
		;
	pe_ioctl(u->fd, PERF_EVENT_IOC_ENABLE, 0);
	pe_fault(3 * sysconf(_SC_PAGESIZE) / 16 + 100);
	pe_ioctl(u->fd, PERF_EVENT_IOC_DISABLE, 0);
}

static bool is_all_there(void *arg)
{
	struct use *u = arg;

	return u->ring.page->data_head - u->ring.page->data_tail > 3 * sysconf(_SC_PAGESIZE);
}

TEST_F(call, splice_records)
{
	struct use *u = &self->u;

	u->attr.disabled = 1;
	u->attr.exclude_kernel = 1;
	u->attr.sample_period = 1;
	u->attr.sample_type = PERF_SAMPLE_ADDR;
	u->fd = pe_self(&u->attr);
	ASSERT_LE(0, u->fd);
	ASSERT_EQ(0, pe_ring_map(&u->ring, u->fd, 8));
	ASSERT_EQ(0, pipe2(u->pipe, O_NONBLOCK));
	fill_again(u, 0);
	if (splice_it(u) == -EINVAL)
		SKIP(return, "no splice of records");
	fill_again(u, 0);
	self->t = (struct pe_trial) { splice_it, fill_again, is_all_there, u };
	EXPECT_BORNE(self);
	/* Allocations have failed both of several pages at a time and of single pages. */
	EXPECT_LT(3, self->t.failed);
	pe_ring_unmap(&u->ring);
	close(u->pipe[0]);
	close(u->pipe[1]);
}

/* The rest of the calls */

static int read_group(void *arg)
{
	struct use *u = arg;
	__u64 values[16];
	ssize_t len = read(u->fd, values, sizeof(values));

	return len < 0 ? -errno : 0;
}

TEST_F(call, read_a_group)
{
	int member;

	self->u.attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	self->u.attr.inherit = 1;
	self->u.fd = pe_self(&self->u.attr);
	ASSERT_LE(0, self->u.fd);
	member = pe_open(&self->u.attr, 0, -1, self->u.fd, 0);
	ASSERT_LE(0, member);
	self->t = (struct pe_trial) { read_group, nothing, NULL, &self->u };
	EXPECT_BORNE(self);
	close(member);
}

static int want_signals(void *arg)
{
	struct use *u = arg;

	return fcntl(u->fd, F_SETFL, O_ASYNC) ? -errno : 0;
}

static void want_none(void *arg, int ret)
{
	struct use *u = arg;

	fcntl(u->fd, F_SETFL, 0);
}

TEST_F(call, signals_of_a_file)
{
	self->t = (struct pe_trial) { want_signals, want_none, NULL, &self->u };
	self->u.fd = pe_self(&self->u.attr);
	ASSERT_LE(0, self->u.fd);
	EXPECT_BORNE(self);
	EXPECT_NE(0, self->t.failed);
}

static __u64 data[2];

static int move_breakpoint(void *arg)
{
	struct use *u = arg;

	u->attr.bp_addr = (unsigned long)&data[1];
	return pe_ioctl(u->fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, (unsigned long)&u->attr);
}

static void move_back(void *arg, int ret)
{
	struct use *u = arg;

	u->attr.bp_addr = (unsigned long)&data[0];
	pe_ioctl(u->fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, (unsigned long)&u->attr);
}

static bool is_at_first(void *arg)
{
	struct use *u = arg;
	__u64 before = pe_count(u->fd);

	pe_touch((char *)&data[1]);
	pe_touch((char *)&data[0]);
	return pe_count(u->fd) == before + 1;
}

TEST_F(call, move_a_breakpoint)
{
	struct perf_event_attr *a = &self->u.attr;

	*a = pe_attr(0);
	a->type = PERF_TYPE_BREAKPOINT;
	a->bp_type = HW_BREAKPOINT_W;
	a->bp_len = sizeof(long);
	a->bp_addr = (unsigned long)&data[0];
	a->exclude_kernel = 1;
	self->u.fd = pe_self(a);
	if (pe_no_breakpoint(self->u.fd))
		SKIP(return, "no breakpoints");
	ASSERT_LE(0, self->u.fd);
	self->t = (struct pe_trial) { move_breakpoint, move_back, is_at_first, &self->u };
	EXPECT_BORNE(self);
}

/* This test is the last: it finds leaks of all tests before it. */
TEST_F(call, loses_nothing)
{
	int leaks = pe_leaks();

	if (leaks == -ENOENT)
		SKIP(return, "needs CONFIG_DEBUG_KMEMLEAK");
	EXPECT_EQ(0, leaks);
}

TEST_HARNESS_MAIN
