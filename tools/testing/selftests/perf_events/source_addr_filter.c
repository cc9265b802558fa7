// SPDX-License-Identifier: GPL-2.0
/*
 * Address filters: PERF_EVENT_IOC_SET_FILTER on the simulated trace unit, which traces a byte for
 * an address that the filters accept.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_lib.h"
#include "pe_overlay.h"
#include "pe_sim.h"
#include "pe_trace.h"

#define RING_PAGES	1
#define AUX_PAGES	16
#define TRACE_ENV	"PE_TRACE_AT"

static long page_size;

static __attribute__((noipa)) void target(void)
{
	asm volatile("" ::: "memory");
}

/* Send an address to the trace unit of this CPU. */
static void see(unsigned long addr)
{
	int fd = open(PE_SIM_TRACE "trace", O_WRONLY);
	char text[32];
	int len;

	len = snprintf(text, sizeof(text), "%lx 1", addr);
	if (write(fd, text, len) != len)
		abort();
	close(fd);
}

/* A program that a test executes: it sends one address to the unit, and exits. */
static __attribute__((constructor)) void exec_target(void)
{
	const char *text = getenv(TRACE_ENV);

	if (!text)
		return;
	see(strtoul(text, NULL, 16));
	_exit(0);
}

/**
 * struct unit - an event of the trace unit
 * @attr: its attribute
 * @fd: the event, or -1
 * @ring: its buffer, mapped
 * @aux: its AUX area, mapped
 * @path: a file for filters, if the test has created one
 */
struct unit {
	struct perf_event_attr	attr;
	int			fd;
	char			*ring;
	char			*aux;
	char			path[32];
};

/* The unit needs an AUX area before it is enabled. */
static int open_trace(struct unit *u, pid_t pid, int cpu)
{
	struct perf_event_mmap_page *page;

	u->attr.disabled = 1;
	u->fd = pe_open(&u->attr, pid, cpu, -1, 0);
	if (u->fd < 0)
		return u->fd;
	u->ring = mmap(NULL, (1 + RING_PAGES) * page_size, PROT_READ | PROT_WRITE,
		       MAP_SHARED, u->fd, 0);
	if (u->ring == MAP_FAILED)
		return -errno;
	page = (void *)u->ring;
	page->aux_offset = (1 + RING_PAGES) * page_size;
	page->aux_size = AUX_PAGES * page_size;
	u->aux = mmap(NULL, page->aux_size, PROT_READ | PROT_WRITE, MAP_SHARED, u->fd,
		      page->aux_offset);
	if (u->aux == MAP_FAILED)
		return -errno;
	return pe_ioctl(u->fd, PERF_EVENT_IOC_ENABLE, 0);
}

static void close_trace(struct unit *u)
{
	if (u->fd < 0)
		return;
	munmap(u->aux, AUX_PAGES * page_size);
	munmap(u->ring, (1 + RING_PAGES) * page_size);
	close(u->fd);
	u->fd = -1;
}

/* Create a file of four pages, which tests map. */
static int make_file(struct unit *u)
{
	int fd;

	snprintf(u->path, sizeof(u->path), "/tmp/pe_filter_XXXXXX");
	fd = mkstemp(u->path);
	if (fd >= 0 && ftruncate(fd, 4 * page_size))
		return -1;
	return fd;
}

FIXTURE(filter)
{
	struct unit u;
};

FIXTURE_SETUP(filter)
{
	long type = pe_sim_trace_type();

	self->u.fd = -1;
	self->u.path[0] = '\0';
	if (type <= 0)
		SKIP(return, "no simulated trace unit");
	page_size = sysconf(_SC_PAGESIZE);
	pe_move_to(0);
	self->u.attr = pe_attr(0);
	self->u.attr.type = type;
	/* 6.12 follows mappings only while an event requests their records. Tools set this, too. */
	self->u.attr.mmap = 1;
}

FIXTURE_TEARDOWN(filter)
{
	close_trace(&self->u);
	if (self->u.path[0])
		unlink(self->u.path);
}

static int set(int fd, const char *text)
{
	return pe_ioctl(fd, PERF_EVENT_IOC_SET_FILTER, (unsigned long)text);
}

static bool traced(int fd, unsigned long addr)
{
	uint64_t before = pe_count(fd);

	see(addr);
	return pe_count(fd) == before + 1;
}

TEST_F(filter, kernel_ranges)
{
	ASSERT_EQ(0, open_trace(&self->u, 0, -1));
	EXPECT_TRUE(traced(self->u.fd, 0x5000));

	EXPECT_EQ(0, set(self->u.fd, "filter 0x1000/0x100"));
	EXPECT_FALSE(traced(self->u.fd, 0xfff));
	EXPECT_TRUE(traced(self->u.fd, 0x1000));
	EXPECT_TRUE(traced(self->u.fd, 0x10ff));
	EXPECT_FALSE(traced(self->u.fd, 0x1100));

	/* New filters replace the old ones. */
	EXPECT_EQ(0, set(self->u.fd, "filter 0x2000/0x100, filter 0x4000/1"));
	EXPECT_FALSE(traced(self->u.fd, 0x1000));
	EXPECT_TRUE(traced(self->u.fd, 0x20ff));
	EXPECT_TRUE(traced(self->u.fd, 0x4000));
	EXPECT_FALSE(traced(self->u.fd, 0x4001));
}

TEST_F(filter, start_and_stop)
{
	/* A switch of the task resets the state of the filters, so avoid preemption. */
	pe_undisturbed();
	ASSERT_EQ(0, open_trace(&self->u, 0, -1));
	EXPECT_EQ(0, set(self->u.fd, "start 0x1000,stop 0x2000"));
	EXPECT_FALSE(traced(self->u.fd, 0x3000));
	EXPECT_TRUE(traced(self->u.fd, 0x1000));
	EXPECT_TRUE(traced(self->u.fd, 0x3000));
	EXPECT_FALSE(traced(self->u.fd, 0x2000));
	EXPECT_FALSE(traced(self->u.fd, 0x3000));
}

/* A refused text changes no filter. */
TEST_F(filter, refused)
{
	static const struct {
		const char *text;
		int err;
	} bad[] = {
		{ "filter", -EINVAL },
		{ "filter 0x2000", -EINVAL },
		{ "filter 0x2000/0", -EINVAL },
		{ "filter 0x2000/0x100,nonsense", -EINVAL },
		{ "nonsense 0x2000/0x100", -EINVAL },
		{ "filter 0x2000/0x100@/no/such/file", -ENOENT },
		{ "filter 0x2000/0x100@/", -EINVAL },
		{ "stop 1,stop 2,stop 3,stop 4,stop 5", -EOPNOTSUPP },
	};
	unsigned int i;

	ASSERT_EQ(0, open_trace(&self->u, 0, -1));
	EXPECT_EQ(0, set(self->u.fd, "filter 0x1000/0x100"));
	for (i = 0; i < PE_ARRAY_SIZE(bad); i++) {
		EXPECT_EQ(bad[i].err, set(self->u.fd, bad[i].text)) TH_LOG("%s", bad[i].text);
		EXPECT_TRUE(traced(self->u.fd, 0x1000)) TH_LOG("%s", bad[i].text);
		EXPECT_FALSE(traced(self->u.fd, 0x2000)) TH_LOG("%s", bad[i].text);
	}
	EXPECT_EQ(-EFAULT, pe_ioctl(self->u.fd, PERF_EVENT_IOC_SET_FILTER, 8));
}

/* Filters with addresses of the kernel are allowed, but trace nothing. */
TEST_F(filter, user_only)
{
	const char *kernel = sizeof(long) == 8 ? "filter 0xffffffff81000000/0x100" :
						 "filter 0xc1000000/0x100";

	self->u.attr.exclude_kernel = 1;
	ASSERT_EQ(0, open_trace(&self->u, 0, -1));
	EXPECT_TRUE(traced(self->u.fd, 0x5000));
	EXPECT_EQ(0, set(self->u.fd, kernel));
	EXPECT_FALSE(traced(self->u.fd, 0x5000));
}

/* The filters belong to the event, on any CPU of its task. */
TEST_F(filter, of_a_task_that_migrates)
{
	int i;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP(return, "needs two CPUs");
	ASSERT_EQ(0, open_trace(&self->u, 0, -1));
	EXPECT_EQ(0, set(self->u.fd, "filter 0x1000/0x100"));
	for (i = 1; i >= 0; i--) {
		pe_move_to(i);
		EXPECT_TRUE(traced(self->u.fd, 0x1000));
		EXPECT_FALSE(traced(self->u.fd, 0x2000));
	}
}

/*
 * The address of a mapped file differs between tasks, so an event of a CPU has no filters on files.
 */
TEST_F(filter, of_a_cpu)
{
	char text[64];
	int file;

	ASSERT_EQ(0, open_trace(&self->u, -1, 0));
	EXPECT_EQ(0, set(self->u.fd, "filter 0x1000/0x100"));
	EXPECT_TRUE(traced(self->u.fd, 0x1000));
	EXPECT_FALSE(traced(self->u.fd, 0x2000));
	file = make_file(&self->u);
	ASSERT_LE(0, file);
	close(file);
	snprintf(text, sizeof(text), "filter 0/0x100@%s", self->u.path);
	EXPECT_EQ(-EOPNOTSUPP, set(self->u.fd, text));
	EXPECT_TRUE(traced(self->u.fd, 0x1000));
}

static void exe_filter(char *text, size_t size)
{
	int len = snprintf(text, size, "filter 0x%lx/0x10@", pe_file_offset(target));

	len += readlink("/proc/self/exe", text + len, size - len - 1);
	text[len] = '\0';
}

TEST_F(filter, of_a_file_that_is_mapped)
{
	unsigned long at = (unsigned long)target;
	char text[300];

	ASSERT_EQ(0, open_trace(&self->u, 0, -1));
	exe_filter(text, sizeof(text));
	EXPECT_EQ(0, set(self->u.fd, text));
	EXPECT_FALSE(traced(self->u.fd, at - 1));
	EXPECT_TRUE(traced(self->u.fd, at));
	EXPECT_TRUE(traced(self->u.fd, at + 15));
	EXPECT_FALSE(traced(self->u.fd, at + 16));
}

TEST_F(filter, of_a_file_that_is_mapped_later)
{
	unsigned long all, part;
	char text[64];
	int file;

	file = make_file(&self->u);
	ASSERT_LE(0, file);
	ASSERT_EQ(0, open_trace(&self->u, 0, -1));
	/* The filter includes the second page and half of the third. */
	snprintf(text, sizeof(text), "filter 0x%lx/0x%lx@%s", page_size, page_size * 3 / 2,
		 self->u.path);
	EXPECT_EQ(0, set(self->u.fd, text));
	EXPECT_FALSE(traced(self->u.fd, page_size));
	EXPECT_FALSE(traced(self->u.fd, 0));

	/* A mapping of data is not traced. */
	all = (unsigned long)mmap(NULL, 4 * page_size, PROT_READ, MAP_PRIVATE, file, 0);
	EXPECT_FALSE(traced(self->u.fd, all + page_size));
	munmap((void *)all, 4 * page_size);

	part = (unsigned long)mmap(NULL, page_size, PROT_READ | PROT_EXEC, MAP_PRIVATE, file,
				   2 * page_size);
	EXPECT_TRUE(traced(self->u.fd, part));
	EXPECT_TRUE(traced(self->u.fd, part + page_size / 2 - 1));
	EXPECT_FALSE(traced(self->u.fd, part + page_size / 2));
	EXPECT_FALSE(traced(self->u.fd, part - 1));
	munmap((void *)part, page_size);

	all = (unsigned long)mmap(NULL, 4 * page_size, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
	EXPECT_FALSE(traced(self->u.fd, all));
	EXPECT_TRUE(traced(self->u.fd, all + page_size));
	EXPECT_TRUE(traced(self->u.fd, all + page_size * 5 / 2 - 1));
	EXPECT_FALSE(traced(self->u.fd, all + page_size * 5 / 2));
	munmap((void *)all, 4 * page_size);
	close(file);
}

TEST_F(filter, of_a_file_of_an_overlay)
{
	unsigned long at;
	char text[64];
	int file;

	file = pe_overlay_open(page_size);
	if (pe_overlay_skip(file))
		SKIP(return, "%s", pe_overlay_skip(file));
	ASSERT_LE(0, file);
	ASSERT_EQ(0, open_trace(&self->u, 0, -1));
	snprintf(text, sizeof(text), "filter 0x10/0x10@%s", PE_OVERLAY_FILE);
	EXPECT_EQ(0, set(self->u.fd, text));
	at = (unsigned long)mmap(NULL, page_size, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
	EXPECT_FALSE(traced(self->u.fd, at));
	EXPECT_TRUE(traced(self->u.fd, at + 0x10));
	munmap((void *)at, page_size);
	close(file);
}

/*
 * A new program has new mappings: this program's file is at the same address, the other file is not
 * mapped.
 */
TEST_F(filter, exec)
{
	unsigned long at;
	char text[300], addr[32];
	pid_t me = getpid(), pid;
	int file, go[2];
	char c;

	file = make_file(&self->u);
	ASSERT_LE(0, file);
	at = (unsigned long)mmap(NULL, 4 * page_size, PROT_READ | PROT_EXEC, MAP_SHARED, file, 0);
	ASSERT_EQ(0, pipe(go));
	pid = fork();
	if (!pid) {
		pe_die_with(me);
		if (read(go[0], &c, 1) != 1)
			_exit(1);
		see(at);
		snprintf(addr, sizeof(addr), "%lx", at);
		setenv(TRACE_ENV, addr, 1);
		execl("/proc/self/exe", "exec_target", NULL);
		_exit(1);
	}
	ASSERT_EQ(0, open_trace(&self->u, pid, -1));
	snprintf(text, sizeof(text), "filter 0/0x100@%s", self->u.path);
	EXPECT_EQ(0, set(self->u.fd, text));
	ASSERT_EQ(1, write(go[1], "", 1));
	waitpid(pid, NULL, 0);
	EXPECT_EQ(1, pe_count(self->u.fd));
	close_trace(&self->u);

	pid = fork();
	if (!pid) {
		pe_die_with(me);
		if (read(go[0], &c, 1) != 1)
			_exit(1);
		see((unsigned long)target);
		snprintf(addr, sizeof(addr), "%lx", (unsigned long)target);
		setenv(TRACE_ENV, addr, 1);
		execl("/proc/self/exe", "exec_target", NULL);
		_exit(1);
	}
	ASSERT_EQ(0, open_trace(&self->u, pid, -1));
	exe_filter(text, sizeof(text));
	EXPECT_EQ(0, set(self->u.fd, text));
	ASSERT_EQ(1, write(go[1], "", 1));
	waitpid(pid, NULL, 0);
	EXPECT_EQ(2, pe_count(self->u.fd));
}

/*
 * An inherited event has its parent's filters, also when these change. It has no AUX area of its
 * own: the two share one, on one CPU.
 */
TEST_F(filter, inherit)
{
	unsigned long at = (unsigned long)target;
	char text[300], c;
	int go[2], done[2];
	pid_t pid;

	self->u.attr.inherit = 1;
	ASSERT_EQ(0, open_trace(&self->u, 0, 0));
	exe_filter(text, sizeof(text));
	EXPECT_EQ(0, set(self->u.fd, text));
	ASSERT_EQ(0, pipe(go));
	ASSERT_EQ(0, pipe(done));
	pid = fork();
	if (!pid) {
		see(at);
		see(0x1000);
		if (write(done[1], "", 1) != 1 || read(go[0], &c, 1) != 1)
			_exit(1);
		see(at);
		see(0x1000);
		see(0x1001);
		_exit(0);
	}
	ASSERT_EQ(1, read(done[0], &c, 1));
	EXPECT_EQ(1, pe_count(self->u.fd));
	EXPECT_EQ(0, set(self->u.fd, "filter 0x1000/2"));
	ASSERT_EQ(1, write(go[1], "", 1));
	waitpid(pid, NULL, 0);
	EXPECT_EQ(3, pe_count(self->u.fd));
}

static bool done;

static void *map_and_unmap(void *path)
{
	int fd = open(path, O_RDONLY);

	while (!__atomic_load_n(&done, __ATOMIC_RELAXED)) {
		void *p = mmap(NULL, page_size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

		munmap(p, page_size);
	}
	close(fd);
	return NULL;
}

/*
 * Filters change while tasks that inherited them map the file. 6.12 hangs in this test sometimes.
 */
TEST_F(filter, changed_while_mapping)
{
	char one[128], two[128];
	pid_t me = getpid(), pid;
	pthread_t thread;
	int file, i;

	if (!getenv("PE_HARD"))
		SKIP(return, "PE_HARD is not set");
	file = make_file(&self->u);
	ASSERT_LE(0, file);
	snprintf(one, sizeof(one), "filter 0/0x100@%s", self->u.path);
	snprintf(two, sizeof(two), "filter 0x10/0x10@%s,start 0x20@%s", self->u.path, self->u.path);
	self->u.attr.inherit = 1;
	ASSERT_EQ(0, open_trace(&self->u, 0, 0));
	pid = fork();
	if (!pid) {
		pe_die_with(me);
		map_and_unmap(self->u.path);
		_exit(0);
	}
	ASSERT_EQ(0, pthread_create(&thread, NULL, map_and_unmap, self->u.path));
	for (i = 0; i < 100; i++)
		EXPECT_EQ(0, set(self->u.fd, i & 1 ? one : two));
	__atomic_store_n(&done, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	EXPECT_EQ(0, set(self->u.fd, "filter 0x1000/1"));
	EXPECT_TRUE(traced(self->u.fd, 0x1000));
	EXPECT_FALSE(traced(self->u.fd, 0x1001));
	close(file);
}

/* A fork that fails late, after it has copied the mm: the id is in use. */
static long fork_in_vain(pid_t taken)
{
	__u64 tid = (__u64)(unsigned long)&taken;
	struct clone_args args = {
		.exit_signal = SIGCHLD, .set_tid = tid, .set_tid_size = 1,
	};

	return syscall(__NR_clone3, &args, sizeof(args)) == -1 ? errno : 0;
}

/* Fork repeatedly. Add to *@seen each child that sent the target to the trace unit. */
static void *fork_often(void *seen)
{
	pid_t pid;

	pe_move_to(0);
	while (!__atomic_load_n(&done, __ATOMIC_RELAXED)) {
		if (fork_in_vain(getpid()) != EEXIST)
			break;
		pid = fork();
		if (!pid) {
			see((unsigned long)target);
			_exit(0);
		}
		if (pid > 0 && waitpid(pid, NULL, 0) == pid)
			__atomic_add_fetch((long *)seen, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

/* Each child sends the target to the unit, and both filters include the file of the target. */
TEST_F(filter, changed_while_forking)
{
	char one[300], two[310];
	pthread_t thread;
	long seen = 0;
	int i;

	if (!getenv("PE_HARD"))
		SKIP(return, "PE_HARD is not set");
	done = false;
	exe_filter(one, sizeof(one));
	snprintf(two, sizeof(two), "%s,filter 0x10/1", one);
	self->u.attr.inherit = 1;
	ASSERT_EQ(0, open_trace(&self->u, 0, 0));
	ASSERT_EQ(0, set(self->u.fd, one));
	ASSERT_EQ(0, pthread_create(&thread, NULL, fork_often, &seen));
	if (sysconf(_SC_NPROCESSORS_ONLN) > 1)
		pe_move_to(1);
	for (i = 0; i < 300 || (i < 60000 && !__atomic_load_n(&seen, __ATOMIC_RELAXED)); i++) {
		EXPECT_EQ(0, set(self->u.fd, i & 1 ? one : two));
		/* If the CPUs of a guest take turns, the thread may not have run yet. */
		if (i >= 300)
			pe_sleep_ms(1);
	}
	__atomic_store_n(&done, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	EXPECT_LT(0, seen);
	EXPECT_EQ(seen, pe_count(self->u.fd));
}

TEST_HARNESS_MAIN
