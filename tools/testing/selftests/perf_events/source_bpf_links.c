// SPDX-License-Identifier: GPL-2.0
/*
 * BPF links to events: their information, and the lifetimes of link, event and program.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_lib.h"
#include "pe_trace.h"

#define COOKIE	0xfedcba9876543210ULL

static __attribute__((noipa)) void probed(void)
{
	asm volatile("");
}

FIXTURE(link)
{
	struct perf_event_attr attr;
	int map;
	int prog;
	int other;	/* another program of the same type */
	int wrong;	/* a program of another type */
	int event;
	int link;
};

enum kind { SOFTWARE, TRACEPOINT, KPROBE, KRETPROBE, UPROBE, URETPROBE };

FIXTURE_VARIANT(link)
{
	enum kind kind;
	enum bpf_prog_type prog;
	enum bpf_prog_type wrong;
	enum bpf_perf_event_type said;
	int queried;	/* BPF_FD_TYPE_* */
};

FIXTURE_VARIANT_ADD(link, software) {
	.kind = SOFTWARE, .prog = BPF_PROG_TYPE_PERF_EVENT, .wrong = BPF_PROG_TYPE_KPROBE,
	.said = BPF_PERF_EVENT_EVENT, .queried = -1
};

FIXTURE_VARIANT_ADD(link, tracepoint) {
	.kind = TRACEPOINT, .prog = BPF_PROG_TYPE_TRACEPOINT, .wrong = BPF_PROG_TYPE_PERF_EVENT,
	.said = BPF_PERF_EVENT_TRACEPOINT, .queried = BPF_FD_TYPE_TRACEPOINT
};

FIXTURE_VARIANT_ADD(link, kprobe) {
	.kind = KPROBE, .prog = BPF_PROG_TYPE_KPROBE, .wrong = BPF_PROG_TYPE_TRACEPOINT,
	.said = BPF_PERF_EVENT_KPROBE, .queried = BPF_FD_TYPE_KPROBE
};

FIXTURE_VARIANT_ADD(link, kretprobe) {
	.kind = KRETPROBE, .prog = BPF_PROG_TYPE_KPROBE, .wrong = BPF_PROG_TYPE_PERF_EVENT,
	.said = BPF_PERF_EVENT_KRETPROBE, .queried = BPF_FD_TYPE_KRETPROBE
};

FIXTURE_VARIANT_ADD(link, uprobe) {
	.kind = UPROBE, .prog = BPF_PROG_TYPE_KPROBE, .wrong = BPF_PROG_TYPE_TRACEPOINT,
	.said = BPF_PERF_EVENT_UPROBE, .queried = BPF_FD_TYPE_UPROBE
};

FIXTURE_VARIANT_ADD(link, uretprobe) {
	.kind = URETPROBE, .prog = BPF_PROG_TYPE_KPROBE, .wrong = BPF_PROG_TYPE_PERF_EVENT,
	.said = BPF_PERF_EVENT_URETPROBE, .queried = BPF_FD_TYPE_URETPROBE
};

/* Path of this test, which links of uprobes report */
static char exe[256];

static int attr_of(enum kind kind, struct perf_event_attr *a)
{
	switch (kind) {
	case SOFTWARE:
		*a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
		a->sample_period = 1;
		a->exclude_kernel = 1;
		return 0;
	case TRACEPOINT:
		return pe_tracepoint(a, pe_call_name());
	case KPROBE:
	case KRETPROBE:
		if (pe_probe(a, "kprobe"))
			return -ENOENT;
		a->kprobe_func = (unsigned long)PE_SYSCALL_FUNC("getppid");
		a->config = kind == KRETPROBE;
		return 0;
	default:
		if (pe_probe(a, "uprobe") || readlink("/proc/self/exe", exe, sizeof(exe) - 1) < 0)
			return -ENOENT;
		a->uprobe_path = (unsigned long)exe;
		a->probe_offset = pe_file_offset(probed);
		a->config = kind == URETPROBE;
		return 0;
	}
}

/* Trigger the event. */
static void happen(enum kind kind, int n)
{
	if (kind == SOFTWARE) {
		pe_fault(n);
	} else if (kind < UPROBE) {
		pe_call(n);
	} else {
		while (n--)
			probed();
	}
}

FIXTURE_SETUP(link)
{
	self->map = pe_bpf_counter();
	if (self->map < 0)
		SKIP(return, "no BPF: %s", strerror(-self->map));
	if (attr_of(variant->kind, &self->attr))
		SKIP(return, "no such event");
	self->prog = pe_bpf_load(variant->prog, self->map, 1);
	self->other = pe_bpf_load(variant->prog, self->map, 1);
	self->wrong = pe_bpf_load(variant->wrong, self->map, 1);
	ASSERT_LE(0, self->prog);
	ASSERT_LE(0, self->other);
	ASSERT_LE(0, self->wrong);
	happen(variant->kind, 1);
	self->event = pe_self(&self->attr);
	ASSERT_LE(0, self->event);
	self->link = pe_bpf_link(self->prog, self->event, COOKIE);
	ASSERT_LE(0, self->link);
}

FIXTURE_TEARDOWN(link)
{
	close(self->link);
	close(self->event);
	close(self->prog);
	close(self->other);
	close(self->wrong);
	close(self->map);
}

/*
 * The link holds the event, which runs the program for as long as the link
 * exists.
 */
TEST_F(link, lives)
{
	uint64_t before;

	happen(variant->kind, 5);
	EXPECT_LE(5, pe_bpf_counted(self->map));
	close(self->event);
	close(self->prog);
	before = pe_bpf_counted(self->map);
	happen(variant->kind, 5);
	EXPECT_LE(before + 5, pe_bpf_counted(self->map));
	close(self->link);
	before = pe_bpf_counted(self->map);
	happen(variant->kind, 5);
	EXPECT_EQ(before, pe_bpf_counted(self->map));
}

/* An event has at most one program. After that is detached, another can be attached. */
TEST_F(link, only_one)
{
	EXPECT_EQ(-EEXIST, pe_bpf_link(self->other, self->event, 0));
	EXPECT_EQ(-EEXIST, pe_ioctl(self->event, PERF_EVENT_IOC_SET_BPF, self->other));
	close(self->link);
	EXPECT_EQ(-EINVAL, pe_bpf_link(self->wrong, self->event, 0));
	self->link = pe_bpf_link(self->other, self->event, 0);
	EXPECT_LE(0, self->link);
	happen(variant->kind, 5);
	EXPECT_LE(5, pe_bpf_counted(self->map));
}

TEST_F(link, not_to_anything)
{
	EXPECT_EQ(-EBADF, pe_bpf_link(self->other, -1, 0));
	EXPECT_GT(0, pe_bpf_link(self->other, self->map, 0));
	EXPECT_GT(0, pe_bpf_link(self->map, self->event, 0));
}

TEST_F(link, cannot_be_changed)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.link_update.link_fd = self->link;
	attr.link_update.new_prog_fd = self->other;
	EXPECT_GT(0, pe_sys_bpf(BPF_LINK_UPDATE, &attr));
	memset(&attr, 0, sizeof(attr));
	attr.link_detach.link_fd = self->link;
	EXPECT_EQ(-EOPNOTSUPP, pe_sys_bpf(BPF_LINK_DETACH, &attr));
	happen(variant->kind, 5);
	EXPECT_LE(5, pe_bpf_counted(self->map));
}

static int link_info(int link, struct bpf_link_info *info)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.info.bpf_fd = link;
	attr.info.info_len = sizeof(*info);
	attr.info.info = (unsigned long)info;
	return pe_sys_bpf(BPF_OBJ_GET_INFO_BY_FD, &attr);
}

TEST_F(link, says)
{
	struct bpf_link_info info;
	char name[256] = "";

	memset(&info, 0, sizeof(info));
	switch (variant->kind) {
	case SOFTWARE:
		break;
	case TRACEPOINT:
		info.perf_event.tracepoint.tp_name = (unsigned long)name;
		info.perf_event.tracepoint.name_len = sizeof(name);
		break;
	case KPROBE:
	case KRETPROBE:
		info.perf_event.kprobe.func_name = (unsigned long)name;
		info.perf_event.kprobe.name_len = sizeof(name);
		break;
	default:
		info.perf_event.uprobe.file_name = (unsigned long)name;
		info.perf_event.uprobe.name_len = sizeof(name);
	}
	ASSERT_EQ(0, link_info(self->link, &info));
	EXPECT_EQ(BPF_LINK_TYPE_PERF_EVENT, info.type);
	EXPECT_EQ(pe_bpf_prog_id(self->prog), info.prog_id);
	EXPECT_EQ(variant->said, info.perf_event.type);

	switch (variant->kind) {
	case SOFTWARE:
		EXPECT_EQ(PERF_TYPE_SOFTWARE, info.perf_event.event.type);
		EXPECT_EQ(PERF_COUNT_SW_PAGE_FAULTS, info.perf_event.event.config);
		EXPECT_EQ(COOKIE, info.perf_event.event.cookie);
		break;
	case TRACEPOINT:
		EXPECT_STREQ(strchr(pe_call_name(), '/') + 1, name);
		EXPECT_EQ(COOKIE, info.perf_event.tracepoint.cookie);
		break;
	case KPROBE:
	case KRETPROBE:
		EXPECT_STREQ(PE_SYSCALL_FUNC("getppid"), name);
		EXPECT_EQ(0, info.perf_event.kprobe.offset);
		EXPECT_EQ(COOKIE, info.perf_event.kprobe.cookie);
		break;
	default:
		EXPECT_STREQ(exe, name);
		EXPECT_EQ(pe_file_offset(probed), info.perf_event.uprobe.offset);
		EXPECT_EQ(COOKIE, info.perf_event.uprobe.cookie);
	}
}

TEST_F(link, task_fd_query)
{
	char name[256] = "";
	union bpf_attr attr;
	int ret;

	memset(&attr, 0, sizeof(attr));
	attr.task_fd_query.pid = getpid();
	attr.task_fd_query.fd = self->event;
	attr.task_fd_query.buf = (unsigned long)name;
	attr.task_fd_query.buf_len = sizeof(name);
	ret = pe_sys_bpf(BPF_TASK_FD_QUERY, &attr);
	if (variant->queried < 0) {
		EXPECT_EQ(-EOPNOTSUPP, ret);
		return;
	}
	EXPECT_EQ(0, ret);
	EXPECT_EQ(variant->queried, attr.task_fd_query.fd_type);
	EXPECT_EQ(pe_bpf_prog_id(self->prog), attr.task_fd_query.prog_id);
	EXPECT_LT(0, strlen(name));

	close(self->link);
	EXPECT_EQ(-ENOENT, pe_sys_bpf(BPF_TASK_FD_QUERY, &attr));
}

TEST_F(link, query_bpf)
{
	struct perf_event_query_bpf *q = calloc(1, sizeof(*q) + 4 * sizeof(uint32_t));
	int ret;

	ASSERT_NE(NULL, q);
	q->ids_len = 4;
	ret = pe_ioctl(self->event, PERF_EVENT_IOC_QUERY_BPF, (unsigned long)q);
	if (variant->kind != TRACEPOINT) {
		EXPECT_EQ(-EINVAL, ret);
	} else {
		EXPECT_EQ(0, ret);
		EXPECT_EQ(1, q->prog_cnt);
		EXPECT_EQ(pe_bpf_prog_id(self->prog), q->ids[0]);
		close(self->link);
		EXPECT_EQ(0, pe_ioctl(self->event, PERF_EVENT_IOC_QUERY_BPF, (unsigned long)q));
		EXPECT_EQ(0, q->prog_cnt);
	}
	free(q);
}

TEST_HARNESS_MAIN
