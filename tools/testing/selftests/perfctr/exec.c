// SPDX-License-Identifier: GPL-2.0
/*
 * The program after an exec may have fewer privileges than the program before. So the counters that
 * the new program can read must not contain counts of an undumpable old program.
 */
#define _GNU_SOURCE
#include <limits.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "../kselftest_harness.h"
#include "beside.h"

FIXTURE(exec) {
	int fd;
};

FIXTURE_SETUP(exec)
{
	if (!has_counters())
		SKIP(return, "no counters");
	self->fd = vperfctr_open(0, 1);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(exec)
{
	vperfctr_unlink(self->fd);
	close(self->fd);
}

/* Number of instructions of a program that is not dumpable */
#define SECRET		100000000

/*
 * Executed by undumpable(): write the value of the counter to stdout. On x86 a program needs a
 * mapped event to read counters, unless @argv[2] is "2".
 */
static void __attribute__((constructor)) executed(int argc, char **argv)
{
	unsigned int value;
	int event;

	if (argc != 3 || strcmp(argv[1], "read-counter"))
		return;
	if (is_x86() && strcmp(argv[2], "2")) {
		event = open_event(0, -1, 0);
		if (mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, event, 0) ==
		    MAP_FAILED)
			_exit(4);
	}
	value = read_counter(0);
	_exit(write(STDOUT_FILENO, &value, sizeof(value)) != sizeof(value));
}

/*
 * Execute a program that reads the counter, after an undumpable program that has counted
 * @instructions. Return: the value that the program has read, or -1.
 */
static long long read_after_exec(const char *mode, unsigned int instructions)
{
	unsigned int value;
	bool ok;
	int fds[2], status;
	pid_t child;

	if (pipe(fds))
		return -1;
	child = fork();
	if (!child) {
		if (prctl(PR_SET_DUMPABLE, 0) || dup2(fds[1], STDOUT_FILENO) < 0)
			_exit(2);
		work(instructions / 2);
		execl("/proc/self/exe", "exec", "read-counter", mode, NULL);
		_exit(3);
	}
	close(fds[1]);
	ok = read(fds[0], &value, sizeof(value)) == sizeof(value);
	close(fds[0]);
	ok &= waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status);
	return ok ? value : -1;
}

/* Can a program read how many instructions an undumpable program has counted before exec? */
static bool counts_leak(int fd, const char *mode, int ireset)
{
	struct vperfctr_control control = instructions(ireset);
	struct perfctr_sum_ctrs before, after;
	long long few, many;

	if (vperfctr_control(fd, &control) || vperfctr_read(fd, NULL, NULL, &before))
		return true;
	few = read_after_exec(mode, SECRET / 100);
	many = read_after_exec(mode, SECRET);
	/* The counts of the children show that their counters ran. */
	if (few < 0 || many < 0 || vperfctr_read(fd, NULL, NULL, &after) ||
	    after.pmc[0] - before.pmc[0] < SECRET)
		return true;
	return abs((int)(many - few)) >= SECRET / 2;
}

/*
 * A program that reads counters cannot read what an undumpable program has counted before exec.
 * Such an exec also removes these counts from the counters, which the new program may be able to
 * read; periods of i-mode counters begin again.
 */
TEST_F(exec, undumpable)
{
	char old;

	if (!has(PERFCTR_FEATURE_RDPMC))
		SKIP(return, "programs cannot read counters");
	EXPECT_FALSE(counts_leak(self->fd, "1", 0));
	if (has(PERFCTR_FEATURE_PCINT))
		EXPECT_FALSE(counts_leak(self->fd, "1", INT_MIN / 2));
	/* Only root can write 2 to the rdpmc file of sysfs, which lets all programs use RDPMC. */
	if (!is_x86() || geteuid())
		return;
	old = set_rdpmc('2');
	ASSERT_NE(0, old);
	EXPECT_FALSE(counts_leak(self->fd, "2", 0));
	if (has(PERFCTR_FEATURE_PCINT))
		EXPECT_FALSE(counts_leak(self->fd, "2", INT_MIN / 2));
	ASSERT_EQ('2', set_rdpmc(old));
}

TEST_HARNESS_MAIN
