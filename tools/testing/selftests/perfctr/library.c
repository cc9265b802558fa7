// SPDX-License-Identifier: GPL-2.0
/*
 * libperfctr on the counters of the caller, and on those of a traced child.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
/*
 * The library and perfctr.h have different functions with these names. The macro with parameters
 * does not replace the name of the structure.
 */
#define vperfctr_open		call_open
#define vperfctr_control(...)	call_control(__VA_ARGS__)
#define vperfctr_unlink		call_unlink
#define vperfctr_iresume	call_iresume
#include "perfctr.h"
#undef vperfctr_open
#undef vperfctr_control
#undef vperfctr_unlink
#undef vperfctr_iresume
#include "../../../perfctr/libperfctr.h"

FIXTURE(library) {
	struct vperfctr *counters;
	pid_t child;
};

FIXTURE_VARIANT(library) {
	bool own;
};

FIXTURE_VARIANT_ADD(library, own) {
	.own = true,
};

FIXTURE_VARIANT_ADD(library, traced) {
	.own = false,
};

#define ROUND	100000

FIXTURE_SETUP(library)
{
	int status;

	if (!has_perfctr())
		SKIP(return, "no perfctr");
	if (variant->own) {
		self->counters = vperfctr_open();
		ASSERT_NE(NULL, self->counters);
		return;
	}
	self->child = fork();
	ASSERT_LE(0, self->child);
	if (!self->child) {
		/* If the setup fails, nothing else kills this child. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		for (;;) {
			raise(SIGSTOP);
			work(ROUND);
		}
	}
	ASSERT_EQ(self->child, waitpid(self->child, &status, 0));
	ASSERT_TRUE(WIFSTOPPED(status));
	self->counters = rvperfctr_open(self->child);
	ASSERT_NE(NULL, self->counters);
}

FIXTURE_TEARDOWN(library)
{
	int status;

	if (self->counters) {
		vperfctr_unlink(self->counters);
		vperfctr_close(self->counters);
	}
	if (self->child > 0) {
		kill(self->child, SIGKILL);
		waitpid(self->child, &status, 0);
	}
}

/* The thread works for a round, and is stopped again if it is traced. Return: 0, or -1 */
static int run_round(pid_t child)
{
	int status;

	if (child <= 0) {
		work(ROUND);
		return 0;
	}
	if (ptrace(PTRACE_CONT, child, 0, 0) || waitpid(child, &status, 0) != child)
		return -1;
	return WIFSTOPPED(status) ? 0 : -1;
}

/* A refused control stops the TSC and the counters. */
TEST_F(library, refused)
{
	struct vperfctr_control control = { .cpu_control.tsc_on = 1 };

	EXPECT_EQ(0, vperfctr_is_running(self->counters));
	ASSERT_EQ(0, vperfctr_control(self->counters, &control));
	EXPECT_EQ(1, vperfctr_is_running(self->counters));
	control.cpu_control.nractrs = PERFCTR_MAX_COUNTERS + 1;
	EXPECT_EQ(-1, vperfctr_control(self->counters, &control));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(0, vperfctr_is_running(self->counters));
	control.cpu_control.nractrs = 0;
	ASSERT_EQ(0, vperfctr_control(self->counters, &control));
	EXPECT_EQ(1, vperfctr_is_running(self->counters));
	ASSERT_EQ(0, vperfctr_stop(self->counters));
	EXPECT_EQ(0, vperfctr_is_running(self->counters));
}

/* An overflow stops all counters until vperfctr_iresume(). The TSC is not in this control. */
TEST_F(library, overflow)
{
	struct vperfctr_control control = instructions(-ROUND);

	if (!has_counters() || !has(PERFCTR_FEATURE_PCINT))
		SKIP(return, "no counters that interrupt");
	control.cpu_control.tsc_on = 0;
	ASSERT_EQ(0, vperfctr_control(self->counters, &control));
	EXPECT_EQ(1, vperfctr_is_running(self->counters));
	ASSERT_EQ(0, run_round(self->child));
	EXPECT_EQ(0, vperfctr_is_running(self->counters));
	ASSERT_EQ(0, vperfctr_iresume(self->counters));
	EXPECT_EQ(1, vperfctr_is_running(self->counters));
}

/* The clock runs while the thread runs. While a tracer has stopped the thread, the clock stops. */
TEST_F(library, clock)
{
	struct vperfctr_control control = { .cpu_control.tsc_on = 1 };
	unsigned long long first, second;

	ASSERT_EQ(0, vperfctr_control(self->counters, &control));
	first = vperfctr_read_tsc(self->counters);
	ASSERT_EQ(0, run_round(self->child));
	second = vperfctr_read_tsc(self->counters);
	EXPECT_LT(first, second);
	if (!variant->own)
		EXPECT_EQ(second, vperfctr_read_tsc(self->counters));
}

TEST_HARNESS_MAIN
