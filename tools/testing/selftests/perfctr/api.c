// SPDX-License-Identifier: GPL-2.0
/*
 * The six calls: what they say, and what they refuse. Each comment is a sentence of
 * Documentation/userspace-api/perfctr.rst.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>

#include "../kselftest_harness.h"
#include "perfctr.h"

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
	struct perfctr_info info;

	if (perfctr_info(&info, NULL, NULL))
		SKIP(return, "no perfctr");
	self->fd = vperfctr_open(0, 1);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(api)
{
	vperfctr_unlink(self->fd);
	close(self->fd);
}

/* The version fits under the mask; features are true; what is reserved is 0. */
TEST_F(api, info)
{
	struct perfctr_info info;

	memset(&info, 0xff, sizeof(info));
	ASSERT_EQ(0, perfctr_info(&info, NULL, NULL));
	EXPECT_EQ(PERFCTR_ABI_VERSION, info.abi_version);
	EXPECT_EQ(0, info.cpu_type);
	EXPECT_EQ(1, info.tsc_to_cpu_mult);
	EXPECT_TRUE(info.cpu_features & PERFCTR_FEATURE_RDTSC);
	EXPECT_EQ(0, info.reserved[0] | info.reserved[1] | info.reserved[2]);
	EXPECT_FAILS(EFAULT, perfctr_info((void *)8, NULL, NULL));
}

/* The number of words that are needed is always written; with too few it is EOVERFLOW. */
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

/* With creat not 0, a thread that has an object is EEXIST. */
TEST_F(api, exists)
{
	int fd;

	EXPECT_FAILS(EEXIST, vperfctr_open(0, 1));
	EXPECT_FAILS(EEXIST, vperfctr_open(getpid(), 1));
	fd = vperfctr_open(getpid(), 0);
	EXPECT_LE(0, fd);
	close(fd);
}

/* Without an object an fd is one all the same; the other calls are EINVAL, mmap is EPERM. */
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

/* Other files are EINVAL, none is EBADF. */
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

/* A file is a character device's, and is not closed by exec; /proc says what it is. */
TEST_F(api, file)
{
	char path[64], name[64];
	struct statfs fs;
	struct stat st;
	ssize_t n;

	ASSERT_EQ(0, fstat(self->fd, &st));
	EXPECT_EQ(S_IFCHR | 0600, st.st_mode);
	ASSERT_EQ(0, fstatfs(self->fd, &fs));
	EXPECT_EQ(VPERFCTRFS_MAGIC, fs.f_type);
	EXPECT_EQ(0, fcntl(self->fd, F_GETFD));
	EXPECT_EQ(O_RDONLY, fcntl(self->fd, F_GETFL) & O_ACCMODE);
	EXPECT_FAILS(EINVAL, read(self->fd, path, 1));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", self->fd);
	n = readlink(path, name, sizeof(name) - 1);
	ASSERT_LT(0, n);
	name[n] = 0;
	snprintf(path, sizeof(path), "vperfctr:[%lu]", (unsigned long)st.st_ino);
	EXPECT_STREQ(path, name);
}

/* One page at offset 0 can be mapped, shared and to be read; anything else is EPERM. */
TEST_F(api, mmap)
{
	size_t page = sysconf(_SC_PAGESIZE);
	void *p;

	p = mmap(NULL, page, PROT_READ, MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, p);
	EXPECT_FAILS(EACCES, mprotect(p, page, PROT_READ | PROT_WRITE));
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

/* Programs whose readable pages are all executable can map it, too. */
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

/* The TSC alone goes on in the page and by the call; stopped, it stands. */
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

/* A control that is refused stops the counters, and is what read shows. */
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

/* Nothing has overflowed: EPERM; counters that cannot: ENOSYS. */
TEST_F(api, iresume)
{
	if (has(PERFCTR_FEATURE_PCINT)) {
		EXPECT_FAILS(EPERM, vperfctr_iresume(self->fd));
	} else {
		struct vperfctr_control control = instructions(-100);

		EXPECT_FAILS(ENOSYS, vperfctr_iresume(self->fd));
		EXPECT_FAILS(EPERM, vperfctr_control(self->fd, &control));
	}
}

/* Unlinked, control and iresume are ESRCH, and unlink is 0; anybody may read. */
TEST_F(api, unlinked)
{
	struct vperfctr_control control = { .cpu_control.tsc_on = 1 };
	struct perfctr_sum_ctrs sums;

	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	work(1000);
	ASSERT_EQ(0, vperfctr_unlink(self->fd));
	EXPECT_EQ(0, vperfctr_unlink(self->fd));
	EXPECT_FAILS(ESRCH, vperfctr_control(self->fd, &control));
	if (has(PERFCTR_FEATURE_PCINT))
		EXPECT_FAILS(ESRCH, vperfctr_iresume(self->fd));
	ASSERT_EQ(0, vperfctr_read(self->fd, &sums, NULL, NULL));
	EXPECT_LT(0, sums.tsc);
}

/* Another thread must be traced by the caller, and be stopped; no such thread is ESRCH. */
TEST_F(api, others)
{
	struct vperfctr_control control = { .cpu_control.tsc_on = 1 };
	struct perfctr_sum_ctrs sums;
	int fd, status;
	pid_t child = fork();

	ASSERT_LE(0, child);
	if (!child) {
		for (;;)
			work(1000);
	}
	EXPECT_FAILS(ESRCH, vperfctr_open(0x3ffffff, 0));
	EXPECT_FAILS(ESRCH, vperfctr_open(-1, 0));
	EXPECT_FAILS(ESRCH, vperfctr_open(child, 0));
	ASSERT_EQ(0, ptrace(PTRACE_ATTACH, child, 0, 0));
	ASSERT_EQ(child, waitpid(child, &status, __WALL));
	/* The fork has given it an object. */
	EXPECT_FAILS(EEXIST, vperfctr_open(child, 1));
	fd = vperfctr_open(child, 0);
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, vperfctr_control(fd, &control));
	EXPECT_EQ(0, vperfctr_read(fd, &sums, NULL, NULL));
	EXPECT_EQ(0, sums.tsc);
	ASSERT_EQ(0, ptrace(PTRACE_DETACH, child, 0, 0));
	usleep(100000);
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
}

TEST_HARNESS_MAIN
