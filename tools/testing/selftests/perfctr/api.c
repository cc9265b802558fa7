// SPDX-License-Identifier: GPL-2.0
/*
 * The six calls: their results and their errors. Comments before tests quote sentences of
 * Documentation/userspace-api/perfctr.rst.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>

#include "../kselftest_harness.h"
#include "perfctr.h"

#define NOBODY		65534
#define PARANOID	"/proc/sys/kernel/perf_event_paranoid"
#define SUID_DUMPABLE	"/proc/sys/fs/suid_dumpable"

#define EXPECT_FAILS(err, call) do {			\
	errno = 0;					\
	EXPECT_EQ(-1, (call));				\
	EXPECT_EQ(err, errno);				\
} while (0)

FIXTURE(api) {
	int fd;
};

FIXTURE_SETUP(api)
{
	if (!has_perfctr())
		SKIP(return, "no perfctr");
	self->fd = vperfctr_open(0, 1);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(api)
{
	vperfctr_unlink(self->fd);
	close(self->fd);
}

/* Without the option all calls are ENOSYS. */
TEST(without)
{
	struct vperfctr_control control = { .si_signo = 0 };

	errno = 0;
	if (!perfctr_info(NULL, NULL, NULL) || errno != ENOSYS)
		SKIP(return, "the kernel has the option");
	EXPECT_FAILS(ENOSYS, vperfctr_open(0, 1));
	EXPECT_FAILS(ENOSYS, vperfctr_control(-1, &control));
	EXPECT_FAILS(ENOSYS, vperfctr_unlink(-1));
	EXPECT_FAILS(ENOSYS, vperfctr_iresume(-1));
	EXPECT_FAILS(ENOSYS, vperfctr_read(-1, NULL, NULL, NULL));
}

/* Programs that were built with other headers have these numbers, see the document's table. */
TEST_F(api, numbers)
{
	EXPECT_EQ(600, __NR_perfctr_info);
	EXPECT_EQ(601, __NR_vperfctr_open);
	EXPECT_EQ(602, __NR_vperfctr_control);
	EXPECT_EQ(603, __NR_vperfctr_unlink);
	EXPECT_EQ(604, __NR_vperfctr_iresume);
	EXPECT_EQ(605, __NR_vperfctr_read);
	EXPECT_EQ(0x06000500, PERFCTR_ABI_VERSION);
	EXPECT_EQ(0xff00ff00, PERFCTR_ABI_VERSION_MASK);
	EXPECT_EQ(1, PERFCTR_FEATURE_RDPMC);
	EXPECT_EQ(2, PERFCTR_FEATURE_RDTSC);
	EXPECT_EQ(4, PERFCTR_FEATURE_PCINT);
}

/* The structures are the same for 32-bit and 64-bit programs. */
TEST_F(api, structures)
{
	const size_t n = PERFCTR_MAX_COUNTERS;

	EXPECT_EQ(64, sizeof(struct perfctr_info));
	EXPECT_EQ(40, offsetof(struct perfctr_info, cpu_features));
	EXPECT_EQ(4, offsetof(struct perfctr_cpu_mask, mask));
	EXPECT_EQ(8 + 8 * n, sizeof(struct perfctr_sum_ctrs));
	EXPECT_EQ(24 + sizeof(struct perfctr_cpu_control), sizeof(struct vperfctr_control));
	EXPECT_EQ(4, offsetof(struct vperfctr_control, cpu_control));
	EXPECT_EQ(12, offsetof(struct perfctr_cpu_control, pmc_map));
	EXPECT_EQ(12 + 4 * n, offsetof(struct perfctr_cpu_control, evntsel));
	EXPECT_EQ(12, offsetof(struct perfctr_cpu_state, tsc_start));
	EXPECT_EQ(16, offsetof(struct perfctr_cpu_state, tsc_sum));
	EXPECT_EQ(24, offsetof(struct perfctr_cpu_state, pmc));
	EXPECT_EQ(24 + 16 * n, sizeof(struct perfctr_cpu_state));
#if defined(__x86_64__) || defined(__i386__)
	EXPECT_EQ(18, n);
	EXPECT_EQ(324, sizeof(struct perfctr_cpu_control));
	EXPECT_EQ(156, offsetof(struct perfctr_cpu_control, p4.escr));
	EXPECT_EQ(228, offsetof(struct perfctr_cpu_control, p4.pebs_enable));
	EXPECT_EQ(236, offsetof(struct perfctr_cpu_control, ireset));
#endif
}

/*
 * Each pointer may be NULL. A program and the kernel are compatible if their abi_version are equal
 * under the mask 0xff00ff00. cpu_features has the bits PERFCTR_FEATURE_RDPMC (the thread may read
 * its counters), RDTSC (the thread may read the TSC) and PCINT (there are i-mode counters).
 * cpu_features shows this: neither RDPMC nor PCINT is set. Programs can read counters up to POWER9;
 * from POWER10 on RDPMC is not set, and programs have to call vperfctr_read.
 */
TEST_F(api, info)
{
	struct perfctr_info info;

	EXPECT_EQ(0, perfctr_info(NULL, NULL, NULL));
	memset(&info, 0xff, sizeof(info));
	ASSERT_EQ(0, perfctr_info(&info, NULL, NULL));
	EXPECT_EQ(0x06000500, info.abi_version);
	EXPECT_STREQ("2.7.6", info.driver_version);
	EXPECT_EQ(0, info.cpu_type);
	EXPECT_LT(0, info.cpu_khz);
	EXPECT_EQ(1, info.tsc_to_cpu_mult);
	EXPECT_TRUE(info.cpu_features & PERFCTR_FEATURE_RDTSC);
	EXPECT_EQ(0, info.reserved[0] | info.reserved[1] | info.reserved[2]);
	if (!has_counters())
		EXPECT_EQ(PERFCTR_FEATURE_RDTSC, info.cpu_features);
	if (!cpu_has_rdpmc())
		EXPECT_FALSE(info.cpu_features & PERFCTR_FEATURE_RDPMC);
	EXPECT_FAILS(EFAULT, perfctr_info((void *)8, NULL, NULL));
}

/*
 * For a set of CPUs, the program passes the number of words in its mask, and always gets the number
 * that the kernel needs. With too few words the call fails with EOVERFLOW.
 */
TEST_F(api, masks)
{
	struct {
		struct perfctr_cpu_mask mask;
		__u32 words[64];
	} cpus = { .mask.nrwords = 0 };
	__u32 n;

	EXPECT_FAILS(EOVERFLOW, perfctr_info(NULL, &cpus.mask, NULL));
	n = cpus.mask.nrwords;
	ASSERT_LE(1, n);
	ASSERT_GE(64, n);
	EXPECT_EQ(0, perfctr_info(NULL, &cpus.mask, NULL));
	EXPECT_TRUE(cpus.words[0] & 1);
	EXPECT_EQ(0, perfctr_info(NULL, NULL, &cpus.mask));
	EXPECT_EQ(0, cpus.words[0] & 1);
	EXPECT_FAILS(EFAULT, perfctr_info(NULL, (void *)8, NULL));
}

/*
 * Returns an fd for the thread's object. tid 0, or the caller's own, is the caller. If creat is
 * not 0, the thread gets a new object, with nothing enabled; it must not have one already.
 */
TEST_F(api, created)
{
	static const struct vperfctr_control none;
	struct perfctr_sum_ctrs sums, children;
	struct vperfctr_control control;

	memset(&control, 0xff, sizeof(control));
	memset(&sums, 0xff, sizeof(sums));
	memset(&children, 0xff, sizeof(children));
	ASSERT_EQ(0, vperfctr_read(self->fd, &sums, &control, &children));
	EXPECT_EQ(0, memcmp(&control, &none, sizeof(none)));
	EXPECT_EQ(0, sums.tsc | sums.pmc[0] | children.tsc | children.pmc[0]);
	work(1000);
	ASSERT_EQ(0, vperfctr_read(self->fd, &sums, NULL, NULL));
	EXPECT_EQ(0, sums.tsc | sums.pmc[0]);
}

TEST_F(api, exists)
{
	int fd;

	EXPECT_FAILS(EEXIST, vperfctr_open(0, 1));
	EXPECT_FAILS(EEXIST, vperfctr_open(getpid(), 1));
	fd = vperfctr_open(getpid(), 0);
	EXPECT_LE(0, fd);
	close(fd);
}

/*
 * If creat is 0 and the thread has no object, the fd has no object either: the other calls on this
 * fd fail with EINVAL, mmap with EPERM.
 */
TEST_F(api, no_object)
{
	struct vperfctr_control control = { .si_signo = 0 };
	struct perfctr_sum_ctrs sums;
	int fd;

	ASSERT_EQ(0, vperfctr_unlink(self->fd));
	fd = vperfctr_open(0, 0);
	ASSERT_LE(0, fd);
	EXPECT_FAILS(EINVAL, vperfctr_control(fd, &control));
	EXPECT_FAILS(EINVAL, vperfctr_read(fd, &sums, NULL, NULL));
	EXPECT_FAILS(EINVAL, vperfctr_unlink(fd));
	EXPECT_FAILS(EINVAL, vperfctr_iresume(fd));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0));
	EXPECT_EQ(EPERM, errno);
	close(fd);
}

/* Errors: EBADF, EINVAL, ESRCH. Errors: EBADF, EINVAL, ESRCH, EFAULT. */
TEST_F(api, other_files)
{
	struct vperfctr_control control = { .si_signo = 0 };
	int other = open("/dev/null", O_RDONLY);

	EXPECT_FAILS(EINVAL, vperfctr_control(other, &control));
	EXPECT_FAILS(EINVAL, vperfctr_unlink(other));
	EXPECT_FAILS(EINVAL, vperfctr_iresume(other));
	EXPECT_FAILS(EINVAL, vperfctr_read(other, NULL, NULL, NULL));
	close(other);
	EXPECT_FAILS(EBADF, vperfctr_control(other, &control));
	EXPECT_FAILS(EBADF, vperfctr_unlink(-1));
	EXPECT_FAILS(EBADF, vperfctr_iresume(other));
	EXPECT_FAILS(EBADF, vperfctr_read(other, NULL, NULL, NULL));
	EXPECT_FAILS(EFAULT, vperfctr_control(self->fd, (void *)8));
	EXPECT_FAILS(EFAULT, vperfctr_read(self->fd, (void *)8, NULL, NULL));
	EXPECT_FAILS(EFAULT, vperfctr_read(self->fd, NULL, (void *)8, NULL));
	EXPECT_FAILS(EFAULT, vperfctr_read(self->fd, NULL, NULL, (void *)8));
}

/*
 * The fd is not closed by exec, and can be passed to other processes. It is vperfctr:[inode] of
 * the file system vperfctrfs in /proc/PID/fd, with the same inode for all. It supports only mmap
 * and close.
 */
TEST_F(api, file)
{
	struct stat st, other_st;
	char path[64], name[64];
	struct statfs fs;
	int other, zero;
	ssize_t n;

	ASSERT_EQ(0, fstat(self->fd, &st));
	EXPECT_EQ(S_IFCHR | 0600, st.st_mode);
	ASSERT_EQ(0, fstatfs(self->fd, &fs));
	EXPECT_EQ(VPERFCTRFS_MAGIC, fs.f_type);
	EXPECT_EQ(0, fcntl(self->fd, F_GETFD));
	EXPECT_EQ(O_RDONLY, fcntl(self->fd, F_GETFL) & O_ACCMODE);
	EXPECT_FAILS(EINVAL, read(self->fd, path, 1));
	EXPECT_FAILS(EBADF, write(self->fd, path, 1));
	EXPECT_FAILS(ENOTTY, ioctl(self->fd, FIONREAD, &zero));
	other = vperfctr_open(0, 0);
	ASSERT_EQ(0, fstat(other, &other_st));
	EXPECT_EQ(st.st_ino, other_st.st_ino);
	close(other);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", self->fd);
	n = readlink(path, name, sizeof(name) - 1);
	ASSERT_LT(0, n);
	name[n] = 0;
	snprintf(path, sizeof(path), "vperfctr:[%lu]", (unsigned long)st.st_ino);
	EXPECT_STREQ(path, name);
}

/*
 * One page of the fd can be mapped, at offset 0, PROT_READ and MAP_SHARED; anything else is EPERM.
 * It holds a struct vperfctr_state.
 */
TEST_F(api, mmap)
{
	size_t page = sysconf(_SC_PAGESIZE);
	void *p;

	p = mmap(NULL, page, PROT_READ, MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, p);
	EXPECT_FAILS(EACCES, mprotect(p, page, PROT_READ | PROT_WRITE));
	/* A mapping cannot grow. */
	EXPECT_EQ(MAP_FAILED, mremap(p, page, 2 * page, MREMAP_MAYMOVE));
	EXPECT_EQ(EFAULT, errno);
	munmap(p, page);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, 2 * page, PROT_READ, MAP_SHARED, self->fd, 0));
	EXPECT_EQ(EPERM, errno);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, page, PROT_READ, MAP_SHARED, self->fd, page));
	EXPECT_EQ(EPERM, errno);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, page, PROT_READ, MAP_PRIVATE, self->fd, 0));
	EXPECT_EQ(EPERM, errno);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, page, PROT_NONE, MAP_SHARED, self->fd, 0));
	EXPECT_EQ(EPERM, errno);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, page, PROT_READ | PROT_EXEC, MAP_SHARED, self->fd, 0));
	EXPECT_EQ(EPERM, errno);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, self->fd, 0));
	EXPECT_EQ(EACCES, errno);
}

#define OTHERS	100

/* The rest of the page reveals nothing about other objects. */
TEST_F(api, page_of_one_object)
{
	struct vperfctr_control control = { .cpu_control.tsc_on = 1 };
	size_t page = sysconf(_SC_PAGESIZE), i, first;
	const volatile __u64 *words;
	__u64 before[8192];
	pid_t child;
	int fd, status;

	ASSERT_GE(sizeof(before), page);
	words = mmap(NULL, page, PROT_READ, MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, words);
	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	first = sizeof(struct vperfctr_state) / sizeof(*words);
	for (i = first; i < page / sizeof(*words); i++)
		before[i] = words[i];
	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		vperfctr_unlink(vperfctr_open(0, 0));
		fd = vperfctr_open(0, 1);
		for (i = 0; i < OTHERS; i++) {
			if (vperfctr_control(fd, &control))
				_exit(1);
		}
		_exit(0);
	}
	ASSERT_EQ(child, waitpid(child, &status, 0));
	ASSERT_EQ(0, status);
	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	/*
	 * A number that grows with each control would have grown by at least the number of
	 * controls.
	 */
	for (i = first; i < page / sizeof(*words); i++) {
		if (words[i] != before[i])
			EXPECT_LT(1000 * OTHERS, words[i] - before[i]);
	}
}

/* Programs whose readable pages are all executable can map the page, too. */
TEST_F(api, mmap_of_old_programs)
{
	size_t page = sysconf(_SC_PAGESIZE);
	void *p;

	ASSERT_LE(0, personality(READ_IMPLIES_EXEC));
	p = mmap(NULL, page, PROT_READ, MAP_SHARED, self->fd, 0);
	EXPECT_NE(MAP_FAILED, p);
	if (p != MAP_FAILED)
		EXPECT_FAILS(EACCES, mprotect(p, page, PROT_READ | PROT_EXEC));
}

/* A control that enables nothing stops the counters, and keeps all sums. */
TEST_F(api, tsc)
{
	struct vperfctr_control control = { .cpu_control.tsc_on = 1 };
	struct perfctr_sum_ctrs a, b;

	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	ASSERT_EQ(0, vperfctr_read(self->fd, &a, NULL, NULL));
	work(1000);
	ASSERT_EQ(0, vperfctr_read(self->fd, &b, NULL, NULL));
	EXPECT_LT(a.tsc, b.tsc);
	memset(&control, 0, sizeof(control));
	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	ASSERT_EQ(0, vperfctr_read(self->fd, &a, NULL, NULL));
	work(1000);
	ASSERT_EQ(0, vperfctr_read(self->fd, &b, NULL, NULL));
	EXPECT_EQ(a.tsc, b.tsc);
	EXPECT_LT(0, b.tsc);
}

/*
 * Stops and samples the running counters, and starts those of the new control. The sums of
 * counters become zero, except those with their bit set in preserve; the TSC's sum becomes zero
 * only if the TSC was not enabled; the children's sums become zero. count.c has this of
 * counters.
 */
TEST_F(api, tsc_goes_on)
{
	struct vperfctr_control control = { .cpu_control.tsc_on = 1 };
	struct perfctr_sum_ctrs a, b;

	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	work(1000);
	ASSERT_EQ(0, vperfctr_read(self->fd, &a, NULL, NULL));
	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	ASSERT_EQ(0, vperfctr_read(self->fd, &b, NULL, NULL));
	EXPECT_LT(0, a.tsc);
	EXPECT_LE(a.tsc, b.tsc);
}

/*
 * Can a thread that may not read the TSC get its value through perfctr? Returns the number of the
 * first check that fails, or 0.
 */
static int sees_tsc(int fd, const volatile struct vperfctr_state *page)
{
	struct vperfctr_control control = { .cpu_control.tsc_on = 1 };
	struct perfctr_sum_ctrs a, b;

	if (page->cpu_state.tsc_start || perfctr_cstatus_has_tsc(page->cpu_state.cstatus))
		return 1;
	if (vperfctr_read(fd, &a, NULL, NULL))
		return 2;
	work(1000);
	sched_yield();
	if (vperfctr_read(fd, &b, NULL, NULL) || a.tsc != b.tsc)
		return 3;
	if (page->cpu_state.tsc_start)
		return 4;
	if (vperfctr_control(fd, &control) != -1 || errno != EPERM)
		return 5;
	if (page->cpu_state.tsc_start || page->cpu_state.cstatus)
		return 6;
	return 0;
}

/* Result of a process that cannot forbid itself the TSC */
#define NO_PR_SET_TSC	77

/* Return the result after PR_SET_TSC has failed: only powerpc has no PR_SET_TSC. */
static int cannot_set_tsc(void)
{
#ifdef __powerpc__
	if (errno == EINVAL)
		return NO_PR_SET_TSC;
#endif
	return 99;
}

static int forbid_tsc(const struct vperfctr_control *control)
{
	const volatile struct vperfctr_state *page;
	int fd = vperfctr_open(0, 0), n = control->cpu_control.nractrs, status;
	struct perfctr_sum_ctrs a, b;
	pid_t child;

	page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED || vperfctr_control(fd, control) || !page->cpu_state.tsc_start)
		return 100;
	if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV))
		return cannot_set_tsc();
	/* The counters still run. */
	if (page->cpu_state.cstatus != perfctr_mk_cstatus(0, n, 0))
		return 101;
	if (vperfctr_read(fd, &a, NULL, NULL))
		return 102;
	work(1000);
	if (vperfctr_read(fd, &b, NULL, NULL) || (n && b.pmc[0] - a.pmc[0] < 2000))
		return 103;
	child = fork();
	if (!child) {
		fd = vperfctr_open(0, 0);
		page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
		_exit(page == MAP_FAILED ? 99 : sees_tsc(fd, page));
	}
	if (waitpid(child, &status, 0) != child || status)
		return 104;
	status = sees_tsc(fd, page);
	if (status)
		return status;
	/* Allow the TSC again: the next control enables it. */
	if (prctl(PR_SET_TSC, PR_TSC_ENABLE) || page->cpu_state.tsc_start)
		return 105;
	if (vperfctr_control(fd, control) || !page->cpu_state.tsc_start)
		return 106;
	return 0;
}

/* Forbid the TSC after an overflow, and then restart the counters. Return: as for sees_tsc() */
static int forbid_stopped_tsc(const struct vperfctr_control *control)
{
	const volatile struct vperfctr_state *page;
	int fd = vperfctr_open(0, 0);

	page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED || vperfctr_control(fd, control))
		return 100;
	work(100000);
	if (page->cpu_state.cstatus != perfctr_mk_cstatus(1, 0, 0))
		return 101;
	if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV))
		return cannot_set_tsc();
	if (page->cpu_state.cstatus || page->cpu_state.tsc_start)
		return 102;
	if (vperfctr_iresume(fd))
		return 103;
	if (page->cpu_state.cstatus != perfctr_mk_cstatus(0, 0, 1))
		return 104;
	return sees_tsc(fd, page);
}

/* Forbid the TSC, and reap a child that may read it. Return: 0, or the number of a failed check */
static int forbid_childs_tsc(const struct vperfctr_control *control)
{
	int fd = vperfctr_open(0, 0), go[2], status;
	struct perfctr_sum_ctrs sums;
	pid_t child;
	char byte;

	if (vperfctr_control(fd, control) || pipe(go))
		return 100;
	child = fork();
	if (child < 0)
		return 101;
	if (!child) {
		close(go[1]);
		/* Wait for the end of file. */
		if (read(go[0], &byte, 1))
			_exit(1);
		work(1000);
		if (vperfctr_read(vperfctr_open(0, 0), &sums, NULL, NULL) || !sums.tsc)
			_exit(2);
		_exit(0);
	}
	if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV))
		return cannot_set_tsc();
	close(go[1]);
	if (waitpid(child, &status, 0) != child || status)
		return 102;
	if (vperfctr_read(fd, NULL, NULL, &sums) || sums.tsc)
		return 103;
	/* The child's counters are added nevertheless. */
	return control->cpu_control.nractrs && sums.pmc[0] < 2000 ? 104 : 0;
}

/* Run a function in a process of its own. Return: its result, or -1 */
static int result_of(int (*function)(const struct vperfctr_control *),
		     const struct vperfctr_control *control)
{
	pid_t child = fork();
	int status;

	if (!child)
		_exit(function(control));
	if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

/*
 * A control with the TSC is EPERM for a thread that may not read the TSC: after PR_TSC_SIGSEGV
 * of prctl(PR_SET_TSC), or in seccomp's strict mode. If a thread loses this right while the TSC
 * is enabled, the TSC stops, tsc_start becomes 0, and counters continue; the same applies to its
 * children. A new control can enable the TSC again once the thread may read it.
 */
TEST_F(api, tsc_forbidden)
{
	struct vperfctr_control control = instructions(0);
	int result;

	if (!has_counters())
		control.cpu_control.nractrs = 0;
	result = result_of(forbid_tsc, &control);
	if (result == NO_PR_SET_TSC)
		SKIP(return, "no PR_SET_TSC");
	EXPECT_EQ(0, result);
}

/* If a thread loses this right after an overflow, vperfctr_iresume does not start the TSC. */
TEST_F(api, tsc_forbidden_after_overflow)
{
	struct vperfctr_control control = instructions(-100000);
	int result;

	if (!has_counters() || !has(PERFCTR_FEATURE_PCINT))
		SKIP(return, "no counters that interrupt");
	result = result_of(forbid_stopped_tsc, &control);
	if (result == NO_PR_SET_TSC)
		SKIP(return, "no PR_SET_TSC");
	EXPECT_EQ(0, result);
}

/*
 * A child that was created before its parent lost this right keeps its own TSC, whose sum is not
 * added to its parent's when the child is reaped.
 */
TEST_F(api, tsc_of_child)
{
	struct vperfctr_control control = instructions(0);
	int result;

	if (!has_counters())
		control.cpu_control.nractrs = 0;
	result = result_of(forbid_childs_tsc, &control);
	if (result == NO_PR_SET_TSC)
		SKIP(return, "no PR_SET_TSC");
	EXPECT_EQ(0, result);
}

TEST_F(api, tsc_in_seccomp)
{
#if defined(__x86_64__) || defined(__i386__)
	struct vperfctr_control control = { .cpu_control.tsc_on = 1 };
	const volatile struct vperfctr_state *page;
	int fd, status;
	pid_t child;

	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		fd = vperfctr_open(0, 0);
		page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
		if (page == MAP_FAILED || vperfctr_control(fd, &control) ||
		    !page->cpu_state.tsc_start)
			_exit(1);
		if (prctl(PR_SET_SECCOMP, 1))
			_exit(errno == EINVAL ? 77 : 3);
		/* This mode allows only exit(2), which ends a thread. */
		syscall(SYS_exit, page->cpu_state.tsc_start || page->cpu_state.cstatus ? 2 : 0);
	}
	ASSERT_EQ(child, waitpid(child, &status, 0));
	ASSERT_TRUE(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		SKIP(return, "no seccomp");
	EXPECT_EQ(0, WEXITSTATUS(status));
#endif
}

/*
 * A refused control is stored, too: the counters and the TSC are stopped, the sums of counters do
 * not change, and vperfctr_read returns the refused control.
 */
TEST_F(api, refused)
{
	struct vperfctr_control control, shown;
	struct perfctr_sum_ctrs a, b;

	memset(&control, 0, sizeof(control));
	control.cpu_control.tsc_on = 1;
	control.si_signo = SIGUSR1;
	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	control.cpu_control.nractrs = 19;
	control.si_signo = SIGUSR2;
	control.preserve = 3;
	EXPECT_FAILS(EINVAL, vperfctr_control(self->fd, &control));
	ASSERT_EQ(0, vperfctr_read(self->fd, &a, &shown, NULL));
	EXPECT_EQ(19, shown.cpu_control.nractrs);
	EXPECT_EQ(SIGUSR1, shown.si_signo);
	EXPECT_EQ(0, shown.preserve);
	work(1000);
	ASSERT_EQ(0, vperfctr_read(self->fd, &b, NULL, NULL));
	EXPECT_EQ(a.tsc, b.tsc);
}

/* Does the thread's control enable the TSC, and does the TSC run? */
static bool counts_tsc(int fd)
{
	struct perfctr_sum_ctrs a, b;
	struct vperfctr_control shown;

	if (vperfctr_read(fd, &a, &shown, NULL) || !shown.cpu_control.tsc_on)
		return false;
	work(1000);
	return !vperfctr_read(fd, &b, NULL, NULL) && a.tsc < b.tsc;
}

/*
 * A control that fails with EACCES or EFAULT is not stored, and the previous control stays in
 * effect.
 */
TEST_F(api, not_stored)
{
	struct vperfctr_control control = { .cpu_control.tsc_on = 1 };
	int before, status, fd;
	pid_t child;

	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	EXPECT_FAILS(EFAULT, vperfctr_control(self->fd, (void *)8));
	EXPECT_TRUE(counts_tsc(self->fd));
	if (geteuid() || access(PARANOID, W_OK))
		SKIP(return, "needs root and perf_event_paranoid");
	before = replace_number(PARANOID, 3);
	ASSERT_NE(-2, before);
	child = fork();
	if (!child) {
		fd = vperfctr_open(0, 0);
		if (setuid(NOBODY))
			_exit(1);
		control.cpu_control.tsc_on = 0;
		if (vperfctr_control(fd, &control) != -1 || errno != EACCES)
			_exit(2);
		_exit(counts_tsc(fd) ? 0 : 3);
	}
	EXPECT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(3, replace_number(PARANOID, before));
}

/*
 * On these machines a control with i-mode counters is EPERM, a control with a-mode counters
 * EINVAL, and vperfctr_iresume is ENOSYS. Other errors: EBADF, EINVAL, ESRCH, ENOSYS (there are
 * no interrupts).
 */
TEST_F(api, iresume)
{
	struct vperfctr_control control = instructions(-100);
	bool counters = has_counters();

	if (has(PERFCTR_FEATURE_PCINT)) {
		EXPECT_FAILS(EPERM, vperfctr_iresume(self->fd));
		return;
	}
	EXPECT_FAILS(ENOSYS, vperfctr_iresume(self->fd));
	EXPECT_FAILS(EPERM, vperfctr_control(self->fd, &control));
	control = instructions(0);
	if (!counters)
		EXPECT_FAILS(EINVAL, vperfctr_control(self->fd, &control));
}

/*
 * Copies the sums, the control, and the sums of children; each pointer may be NULL. The caller's
 * own counters are sampled first, except i-mode counters, whose sums change only when they are
 * suspended. overflow.c has the latter.
 */
TEST_F(api, read)
{
	struct vperfctr_control control = { .cpu_control.tsc_on = 1 }, shown;
	struct perfctr_sum_ctrs sums, children;

	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	EXPECT_EQ(0, vperfctr_read(self->fd, NULL, NULL, NULL));
	memset(&shown, 0xff, sizeof(shown));
	EXPECT_EQ(0, vperfctr_read(self->fd, NULL, &shown, NULL));
	EXPECT_EQ(0, memcmp(&shown, &control, sizeof(control)));
	memset(&children, 0xff, sizeof(children));
	EXPECT_EQ(0, vperfctr_read(self->fd, NULL, NULL, &children));
	EXPECT_EQ(0, children.tsc);
	EXPECT_EQ(0, vperfctr_read(self->fd, &sums, NULL, NULL));
	EXPECT_LT(0, sums.tsc);
}

/*
 * Stops the counters, and takes the object from the thread. If the thread has lost the object
 * already, the call returns 0. The object exists until its last file is closed; its sums can still
 * be read.
 */
TEST_F(api, unlinked)
{
	struct vperfctr_control control = { .cpu_control.tsc_on = 1 };
	struct perfctr_sum_ctrs sums, again;

	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	work(1000);
	ASSERT_EQ(0, vperfctr_unlink(self->fd));
	EXPECT_EQ(0, vperfctr_unlink(self->fd));
	EXPECT_FAILS(ESRCH, vperfctr_control(self->fd, &control));
	if (has(PERFCTR_FEATURE_PCINT))
		EXPECT_FAILS(ESRCH, vperfctr_iresume(self->fd));
	ASSERT_EQ(0, vperfctr_read(self->fd, &sums, NULL, NULL));
	EXPECT_LT(0, sums.tsc);
	work(1000);
	ASSERT_EQ(0, vperfctr_read(self->fd, &again, NULL, NULL));
	EXPECT_EQ(sums.tsc, again.tsc);
}

/*
 * A thread that is not the caller must be traced by it, and be stopped; no such thread is ESRCH.
 * Once the thread has exited or was unlinked, any process with the file may call vperfctr_read.
 */
TEST_F(api, others)
{
	struct vperfctr_control control = { .cpu_control.tsc_on = 1 };
	struct perfctr_sum_ctrs sums;
	unsigned int *rounds, before;
	int fd, status;
	pid_t child;

	rounds = mmap(NULL, sizeof(*rounds), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)rounds);
	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		/* If an assertion fails, nothing else kills this child. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;; __atomic_add_fetch(rounds, 1, __ATOMIC_RELAXED))
			work(1000);
	}
	EXPECT_FAILS(ESRCH, vperfctr_open(0x3ffffff, 0));
	EXPECT_FAILS(ESRCH, vperfctr_open(-1, 0));
	EXPECT_FAILS(ESRCH, vperfctr_open(child, 0));
	ASSERT_EQ(0, ptrace(PTRACE_ATTACH, child, 0, 0));
	ASSERT_EQ(child, waitpid(child, &status, __WALL));
	/* The fork has given the child an object. */
	EXPECT_FAILS(EEXIST, vperfctr_open(child, 1));
	fd = vperfctr_open(child, 0);
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, vperfctr_control(fd, &control));
	EXPECT_EQ(0, vperfctr_read(fd, &sums, NULL, NULL));
	EXPECT_EQ(0, sums.tsc);
	before = __atomic_load_n(rounds, __ATOMIC_RELAXED);
	ASSERT_EQ(0, ptrace(PTRACE_DETACH, child, 0, 0));
	/* Wait until it has run. */
	while (__atomic_load_n(rounds, __ATOMIC_RELAXED) == before)
		usleep(1000);
	EXPECT_FAILS(ESRCH, vperfctr_read(fd, &sums, NULL, NULL));
	EXPECT_FAILS(ESRCH, vperfctr_control(fd, &control));
	EXPECT_FAILS(ESRCH, vperfctr_unlink(fd));
	kill(child, SIGKILL);
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, vperfctr_read(fd, &sums, NULL, NULL));
	EXPECT_LT(0, sums.tsc);
	EXPECT_FAILS(ESRCH, vperfctr_control(fd, &control));
	EXPECT_EQ(0, vperfctr_unlink(fd));
	close(fd);
	munmap(rounds, sizeof(*rounds));
}

static void *open_own(void *unused)
{
	return (void *)(long)(vperfctr_open(0, 0) < 0 ? errno : 0);
}

/* Body of the executed program. Return: errno of vperfctr_open(), or 0; 200 to 203 on failure */
static int open_after_exec(int fd)
{
	struct perfctr_sum_ctrs a, b;
	pthread_t thread;
	void *err;

	if (vperfctr_read(fd, &a, NULL, NULL))
		return 200;
	work(100000);
	if (vperfctr_read(fd, &b, NULL, NULL))
		return 201;
	/* The object has survived, and counts. */
	if (a.tsc == b.tsc)
		return 202;
	/* If the first thread exits, a new one may get the sums of children of the old program. */
	if (pthread_create(&thread, NULL, open_own, NULL) || pthread_join(thread, &err) ||
	    err != open_own(NULL))
		return 203;
	return (long)err;
}

/* Execute this program in a child, as root or another user. Return: the exit status, or -1 */
static int execute(bool drops, bool dumpable)
{
	char arg[16];
	int status;
	pid_t child = fork();

	if (!child) {
		/* A change of the user makes the process undumpable. */
		if (drops && (setgid(NOBODY) || setuid(NOBODY)))
			_exit(210);
		if (prctl(PR_GET_DUMPABLE) != !drops || prctl(PR_SET_DUMPABLE, dumpable))
			_exit(211);
		snprintf(arg, sizeof(arg), "%d", vperfctr_open(0, 0));
		execl("/proc/self/exe", "api", "open-after-exec", arg, NULL);
		_exit(212);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

/*
 * After exec, the object has the sums of both programs. If the old program was not dumpable, for
 * example because it had dropped privileges, only a caller with CAP_PERFMON or CAP_SYS_ADMIN can
 * open the object from then on, or the objects of new threads of this process; for others,
 * vperfctr_open fails with EPERM. So the new program cannot read the sums of a program that had
 * more privileges, unless the new program has inherited a file of the object, as for perf events.
 * A program stays dumpable if it sets PR_SET_DUMPABLE after it has dropped its privileges, or if
 * fs.suid_dumpable is 1.
 */
TEST_F(api, dropped)
{
	struct vperfctr_control control = { .cpu_control.tsc_on = 1 };
	int paranoid, dumpable;

	if (geteuid() || access(PARANOID, F_OK))
		SKIP(return, "needs root and perf_event_paranoid");
	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	paranoid = replace_number(PARANOID, 2);
	ASSERT_NE(-2, paranoid);
	dumpable = replace_number(SUID_DUMPABLE, 0);
	EXPECT_NE(-2, dumpable);
	EXPECT_EQ(EPERM, execute(true, false));
	EXPECT_EQ(0, execute(true, true));
	EXPECT_EQ(0, execute(false, false));
	EXPECT_EQ(0, execute(false, true));
	replace_number(SUID_DUMPABLE, dumpable);
	replace_number(PARANOID, paranoid);
}

/* Executed by a test */
static void __attribute__((constructor)) executed(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "open-after-exec"))
		_exit(open_after_exec(atoi(argv[2])));
}

TEST_HARNESS_MAIN
