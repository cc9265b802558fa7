// SPDX-License-Identifier: GPL-2.0
/*
 * Which users can read refusals: prctl(PR_PERF_EXPLAIN) returns only the calling thread's own, and
 * an unprivileged user can open the tracepoint only for its own tasks.
 */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_records.h"
#include "pe_refused.h"
#include "pe_trace.h"

FIXTURE(permission_reason) {
	struct perf_event_attr attr;	/* samples refusals, if the kernel has the tracepoint */
	long level;
};

FIXTURE_SETUP(permission_reason)
{
	NEED_EXPLANATIONS(return);
	self->level = pe_get(PE_PARANOID);
	if (geteuid() || pe_tracepoint(&self->attr, "perf/perf_event_refused"))
		SKIP(return, "needs root and tracepoints");
	self->attr.sample_type = PERF_SAMPLE_RAW;
	self->attr.sample_period = 1;
}

FIXTURE_TEARDOWN(permission_reason)
{
	pe_set(PE_PARANOID, self->level);
}

static void *be_refused(void *unused)
{
	open_self(EVENT(.type = 0x7fffffff));
	return NULL;
}

static unsigned int refusals(struct pe_ring *ring)
{
	static struct pe_record rec;
	unsigned int n = 0;

	while (pe_ring_find(ring, &rec, PERF_RECORD_SAMPLE))
		n++;
	return n;
}

/* Returns 0 if an unprivileged user gets only its own refusals. */
static int hear(void *data)
{
	struct perf_event_attr *attr = data;
	pid_t child, parent = getppid();
	struct pe_ring ring;
	int fd;

	/* Events of the parent and of a CPU must be refused for lack of permission. */
	if (pe_open(attr, parent, -1, -1, 0) >= 0 || pe_open(attr, -1, 0, -1, 0) >= 0)
		return -EPERM;
	fd = pe_self(attr);
	if (fd < 0)
		return fd;
	if (pe_ring_map(&ring, fd, 8))
		return -ENOBUFS;
	child = fork();
	if (!child) {
		be_refused(NULL);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	if (refusals(&ring))
		return -EEXIST;
	be_refused(NULL);
	return refusals(&ring) == 1 ? 0 : -ENOENT;
}

TEST_F(permission_reason, tracepoint)
{
	ASSERT_EQ(0, pe_set(PE_PARANOID, 1));
	EXPECT_EQ(0, pe_run_as(PE_UID, 0, hear, &self->attr));
}

/* A thread cannot read a refusal of another thread or another process. */
TEST_F(permission_reason, prctl)
{
	struct perf_refusal refusal;
	pthread_t thread;
	pid_t child;
	int status;

	EXPECT_EQ(0, explain(&refusal));
	ASSERT_EQ(0, pthread_create(&thread, NULL, be_refused, NULL));
	ASSERT_EQ(0, pthread_join(thread, NULL));
	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		be_refused(NULL);
		_exit(explain(&refusal) <= 0);
	}
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, explain(&refusal));
	be_refused(NULL);
	EXPECT_EQ(sizeof(refusal), explain(&refusal));
}

TEST_HARNESS_MAIN
