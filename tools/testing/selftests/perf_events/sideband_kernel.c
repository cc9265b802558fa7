// SPDX-License-Identifier: GPL-2.0
/*
 * Records about the kernel: BPF programs, symbols that are added and removed, changes of its text,
 * cgroups.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_records.h"
#include "pe_trace.h"

#define INSTANCE	PE_TRACING "/instances/pe_sideband"
#define TRACED		"*sys_getppid\n"
#define MAX_SYMBOLS	64
#define MAX_POKES	512
#define MAX_BYTES	16

#if defined(__x86_64__) || defined(__i386)
# define TELLS_OF_TEXT	true
#else
# define TELLS_OF_TEXT	false
#endif

static struct pe_record rec;

FIXTURE(kernel) {
	struct perf_event_attr a;
	struct pe_ring ring;
	struct pe_sample id;
	int fd;
};

FIXTURE_SETUP(kernel)
{
	self->a = pe_attr(PERF_COUNT_SW_DUMMY);
	self->a.sample_type = PE_ID_FIELDS;
	self->a.sample_id_all = 1;
	self->fd = -1;
	if (geteuid())
		SKIP(return, "only for root");
}

FIXTURE_TEARDOWN(kernel)
{
	if (self->fd >= 0) {
		pe_ring_unmap(&self->ring);
		close(self->fd);
	}
}

static void start(struct __test_metadata *_metadata, struct _test_data_kernel *self)
{
	self->fd = pe_self(&self->a);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, pe_ring_map(&self->ring, self->fd, 64));
	ASSERT_EQ(0, pe_ring_poison(&self->ring, self->fd, -1));
}

static bool next(struct __test_metadata *_metadata, struct _test_data_kernel *self)
{
	const char *fault;

	if (pe_ring_next(&self->ring, &rec) != 1)
		return false;
	fault = pe_record_fault(&self->a, &rec, &self->id);
	EXPECT_EQ(NULL, fault) {
		TH_LOG("type %u: %s", rec.head.type, fault);
	}
	EXPECT_EQ(getpid(), self->id.pid);
	EXPECT_EQ(pe_id(self->fd), self->id.identifier);
	return true;
}

static struct pe_ksymbol ksymbol(void)
{
	struct pe_ksymbol k;

	memcpy(&k, rec.body, sizeof(k));
	return k;
}

/* BPF programs */

static int load_program(void)
{
	/* Load a program that calls a second function, which returns 0. */
	struct bpf_insn code[] = {
		PE_INSN(BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0, 1),
		PE_INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
		PE_INSN(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0),
		PE_INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};

	return pe_bpf_load_code(BPF_PROG_TYPE_SOCKET_FILTER, code, PE_ARRAY_SIZE(code));
}

/*
 * Get the information of bpf(2) about a program, with the addresses and lengths of its functions.
 */
static int program_info(int prog, struct bpf_prog_info *info, __u64 *addrs, __u32 *lens)
{
	union bpf_attr attr;

	memset(info, 0, sizeof(*info));
	info->nr_jited_ksyms = MAX_SYMBOLS;
	info->jited_ksyms = (unsigned long)addrs;
	info->nr_jited_func_lens = MAX_SYMBOLS;
	info->jited_func_lens = (unsigned long)lens;
	memset(&attr, 0, sizeof(attr));
	attr.info.bpf_fd = prog;
	attr.info.info_len = sizeof(*info);
	attr.info.info = (unsigned long)info;
	return pe_sys_bpf(BPF_OBJ_GET_INFO_BY_FD, &attr);
}

/*
 * Take the records of a program that has been loaded or unloaded: each of its
 * functions must have one.
 */
static void expect_program(struct __test_metadata *_metadata, struct _test_data_kernel *self,
			   struct bpf_prog_info *info, __u64 *addrs, __u32 *lens, bool gone)
{
	unsigned int symbols = 0, events = 0, i, seen = 0;
	struct pe_bpf_event event;
	struct pe_ksymbol k;
	char tag[32] = "bpf_prog_";
	const char *name;

	for (i = 0; i < BPF_TAG_SIZE; i++)
		sprintf(tag + strlen(tag), "%02x", info->tag[i]);
	/* An interpreted program has no code, and so no symbol. */
	if (!info->jited_prog_len)
		tag[0] = '\0';
	while (next(_metadata, self)) {
		if (rec.head.type == PERF_RECORD_BPF_EVENT) {
			memcpy(&event, rec.body, sizeof(event));
			EXPECT_EQ(gone ? PERF_BPF_EVENT_PROG_UNLOAD : PERF_BPF_EVENT_PROG_LOAD,
				  event.type);
			EXPECT_EQ(0, event.flags);
			EXPECT_EQ(info->id, event.id);
			EXPECT_EQ(0, memcmp(info->tag, event.tag, sizeof(event.tag)));
			events++;
			continue;
		}
		ASSERT_EQ(PERF_RECORD_KSYMBOL, rec.head.type);
		k = ksymbol();
		EXPECT_EQ(PERF_RECORD_KSYMBOL_TYPE_BPF, k.type);
		EXPECT_EQ(gone ? PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER : 0, k.flags);
		name = pe_record_name(&rec);
		EXPECT_TRUE(info->jited_prog_len ? !strncmp("bpf_prog_", name, 9) : !*name);
		for (i = 0; i < info->nr_jited_ksyms; i++) {
			if (addrs[i] != k.addr)
				continue;
			EXPECT_EQ(lens[i], k.len);
			if (!i)
				EXPECT_EQ(0, strncmp(tag, name, strlen(tag)));
			seen |= 1U << i;
		}
		symbols++;
	}
	EXPECT_EQ(!!self->a.bpf_event, events);
	if (!info->nr_jited_ksyms || !self->a.ksymbol)
		return;
	EXPECT_EQ((1U << info->nr_jited_ksyms) - 1, seen);
	EXPECT_EQ(info->nr_jited_ksyms, symbols);
}

static void program_comes_and_goes(struct __test_metadata *_metadata,
				   struct _test_data_kernel *self)
{
	__u64 addrs[MAX_SYMBOLS] = { 0 };
	__u32 lens[MAX_SYMBOLS] = { 0 };
	struct bpf_prog_info info;
	int prog;

	start(_metadata, self);
	prog = load_program();
	if (prog < 0)
		SKIP(return, "no BPF");
	ASSERT_EQ(0, program_info(prog, &info, addrs, lens));
	expect_program(_metadata, self, &info, addrs, lens, false);
	close(prog);
	expect_program(_metadata, self, &info, addrs, lens, true);
}

TEST_F(kernel, bpf_program)
{
	self->a.bpf_event = 1;
	self->a.ksymbol = 1;
	program_comes_and_goes(_metadata, self);
}

TEST_F(kernel, bpf_program_without_symbols)
{
	self->a.bpf_event = 1;
	program_comes_and_goes(_metadata, self);
}

TEST_F(kernel, symbols_of_a_bpf_program)
{
	self->a.ksymbol = 1;
	program_comes_and_goes(_metadata, self);
}

#define RECORDED_SYMBOL	2
#define RECORDED_PROGRAM	4
#define RECORDED_OTHER	8
#define RECORDED_BOTH	(RECORDED_PROGRAM | RECORDED_SYMBOL)

/* Drop the last reference to a program, and return RECORDED_* of the records, or 1 on failure. */
static int records_of_unload(struct perf_event_attr *a, int prog, int closed)
{
	int fd = pe_self(a), found = 0;
	struct pe_ring ring;
	char c;

	if (fd < 0 || pe_ring_map(&ring, fd, 8))
		return 1;
	/* The other task has closed its descriptor at the end of the pipe. */
	if (read(closed, &c, 1))
		return 1;
	close(prog);
	while (pe_ring_next(&ring, &rec) == 1)
		found |= rec.head.type == PERF_RECORD_KSYMBOL ? RECORDED_SYMBOL :
			rec.head.type == PERF_RECORD_BPF_EVENT ? RECORDED_PROGRAM : RECORDED_OTHER;
	return found;
}

/* records_of_unload() for another user with these capabilities */
static int records_as_user(__u64 caps, struct perf_event_attr *a)
{
	int prog = load_program(), pipes[2], status;
	pid_t pid;

	if (prog < 0 || pipe(pipes))
		return 1;
	pid = fork();
	if (!pid) {
		close(pipes[1]);
		_exit(pe_become(PE_UID, caps) ? 1 : records_of_unload(a, prog, pipes[0]));
	}
	close(prog);
	close(pipes[0]);
	close(pipes[1]);
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

TEST_F(kernel, symbols_need_permission)
{
	long was = pe_get(PE_PARANOID);
	int prog = load_program();

	/* The base kernel has records of symbols for every user. */
	if (!getenv("PE_HARD"))
		SKIP(return, "PE_HARD is not set");
	if (prog < 0)
		SKIP(return, "no BPF");
	close(prog);
	self->a.ksymbol = 1;
	self->a.bpf_event = 1;
	self->a.exclude_kernel = 1;
	EXPECT_EQ(0, pe_set(PE_PARANOID, 2));
	EXPECT_EQ(RECORDED_PROGRAM, records_as_user(0, &self->a));
	EXPECT_EQ(RECORDED_BOTH, records_as_user(PE_CAP(CAP_PERFMON), &self->a));
	EXPECT_EQ(0, pe_set(PE_PARANOID, 1));
	EXPECT_EQ(RECORDED_BOTH, records_as_user(0, &self->a));
	pe_set(PE_PARANOID, was);
}

/* Symbols that are added at run time */

struct symbols {
	unsigned int nr;
	__u64 addr[MAX_SYMBOLS];
};

/* Find the current symbols that have one of these names. */
static int find_symbols(struct symbols *s, const char *const *names)
{
	char line[512], name[256];
	unsigned long long addr;
	unsigned int i;
	FILE *f = fopen("/proc/kallsyms", "r");

	s->nr = 0;
	if (!f)
		return -errno;
	while (fgets(line, sizeof(line), f)) {
		/* Symbols of the kernel's image have no module's name. */
		if (!strchr(line, '['))
			continue;
		if (sscanf(line, "%llx %*c %255s", &addr, name) != 2)
			continue;
		for (i = 0; names[i]; i++)
			if (!strcmp(name, names[i]) && s->nr < MAX_SYMBOLS)
				s->addr[s->nr++] = addr;
	}
	fclose(f);
	return 0;
}

static bool has_symbol(const struct symbols *s, __u64 addr)
{
	unsigned int i;

	for (i = 0; i < s->nr; i++)
		if (s->addr[i] == addr)
			return true;
	return false;
}

/* Take the records, and store their symbols. */
static void told_symbols(struct __test_metadata *_metadata, struct _test_data_kernel *self,
			 struct symbols *come, struct symbols *gone)
{
	struct symbols *to;

	come->nr = 0;
	gone->nr = 0;
	while (next(_metadata, self)) {
		if (rec.head.type != PERF_RECORD_KSYMBOL)
			continue;
		EXPECT_EQ(PERF_RECORD_KSYMBOL_TYPE_OOL, ksymbol().type);
		EXPECT_LT(0, ksymbol().len);
		to = ksymbol().flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER ? gone : come;
		if (to->nr < MAX_SYMBOLS)
			to->addr[to->nr++] = ksymbol().addr;
	}
}

/* Each new symbol must have a record, and there must be no other record. */
static void expect_difference(struct __test_metadata *_metadata, const struct symbols *before,
			      const struct symbols *now, const struct symbols *found)
{
	unsigned int i, nr = 0;

	for (i = 0; i < now->nr; i++) {
		if (has_symbol(before, now->addr[i]))
			continue;
		EXPECT_EQ(true, has_symbol(found, now->addr[i]));
		nr++;
	}
	EXPECT_EQ(nr, found->nr);
}

static int put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_TRUNC), ret = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

static bool have_tracing(void)
{
	struct perf_event_attr attr;

	return pe_tracepoint(&attr, "sched/sched_switch") != -ENOENT;
}

TEST_F(kernel, symbol_of_a_tracer)
{
	static const char *const names[] = { "ftrace_trampoline", NULL };
	struct symbols before, during, after, come, gone;

	if (!have_tracing() || mkdir(INSTANCE, 0755))
		SKIP(return, "no instances of tracing");
	self->a.ksymbol = 1;
	start(_metadata, self);
	ASSERT_EQ(0, find_symbols(&before, names));
	if (put(INSTANCE "/set_ftrace_filter", TRACED) ||
	    put(INSTANCE "/current_tracer", "function")) {
		rmdir(INSTANCE);
		SKIP(return, "no tracer of functions");
	}
	ASSERT_EQ(0, find_symbols(&during, names));
	told_symbols(_metadata, self, &come, &gone);
	expect_difference(_metadata, &before, &during, &come);
	EXPECT_EQ(0, gone.nr);

	ASSERT_EQ(0, put(INSTANCE "/current_tracer", "nop"));
	ASSERT_EQ(0, rmdir(INSTANCE));
	ASSERT_EQ(0, find_symbols(&after, names));
	told_symbols(_metadata, self, &come, &gone);
	expect_difference(_metadata, &after, &during, &gone);
	EXPECT_EQ(0, come.nr);
}

/* A probe in the middle of a function: on the first instruction it may use ftrace. */
static int probe_amid(struct perf_event_attr *attr)
{
	int fd = -EINVAL;
	__u64 offset;

	attr->kprobe_func = (unsigned long)PE_SYSCALL_FUNC("getpid");
	for (offset = 9; offset < 48 && fd < 0; offset++) {
		attr->probe_offset = offset;
		fd = pe_self(attr);
	}
	return fd;
}

TEST_F(kernel, symbol_of_a_probe)
{
	static const char *const names[] = { "kprobe_insn_page", "kprobe_optinsn_page", NULL };
	struct symbols before, during, come, gone;
	struct perf_event_attr probe;
	int fd;

	if (pe_probe(&probe, "kprobe"))
		SKIP(return, "no kprobe PMU");
	self->a.ksymbol = 1;
	start(_metadata, self);
	ASSERT_EQ(0, find_symbols(&before, names));
	fd = probe_amid(&probe);
	if (fd < 0)
		SKIP(return, "no place for a probe");
	ASSERT_EQ(0, find_symbols(&during, names));
	EXPECT_LE(1, during.nr);
	told_symbols(_metadata, self, &come, &gone);
	expect_difference(_metadata, &before, &during, &come);
	EXPECT_EQ(0, gone.nr);
	close(fd);
}

/* Text */

/**
 * struct poke - one change of the kernel's text
 * @addr: address of the change
 * @old_len: bytes of @old
 * @new_len: bytes of @new
 * @old: text before the change
 * @new: text after it
 */
struct poke {
	__u64 addr;
	unsigned int old_len, new_len;
	unsigned char old[MAX_BYTES], new[MAX_BYTES];
};

static struct poke pokes[MAX_POKES];
static unsigned int nr_pokes;

static void take_pokes(struct __test_metadata *_metadata, struct _test_data_kernel *self)
{
	struct pe_text_poke head;
	const char *bytes;
	struct poke *p;

	nr_pokes = 0;
	while (next(_metadata, self) && nr_pokes < MAX_POKES) {
		if (rec.head.type != PERF_RECORD_TEXT_POKE)
			continue;
		memcpy(&head, rec.body, PE_TEXT_POKE);
		EXPECT_LT(0, head.old_len + head.new_len);
		p = &pokes[nr_pokes++];
		memset(p, 0, sizeof(*p));
		p->addr = head.addr;
		p->old_len = head.old_len;
		p->new_len = head.new_len;
		bytes = rec.body + PE_TEXT_POKE;
		memcpy(p->old, bytes, p->old_len < MAX_BYTES ? p->old_len : MAX_BYTES);
		bytes += p->old_len;
		memcpy(p->new, bytes, p->new_len < MAX_BYTES ? p->new_len : MAX_BYTES);
	}
}

/*
 * The old bytes of each change are the new bytes of the previous change at that address. In the end
 * the text must be as at first.
 */
static void expect_round_trip(struct __test_metadata *_metadata)
{
	const struct poke *first, *last;
	unsigned int i, j;

	for (i = 0; i < nr_pokes; i++) {
		first = &pokes[i];
		if (!first->addr || !first->old_len || first->old_len > MAX_BYTES)
			continue;
		last = first;
		for (j = i + 1; j < nr_pokes; j++) {
			if (pokes[j].addr != first->addr)
				continue;
			EXPECT_EQ(last->new_len, pokes[j].old_len);
			EXPECT_EQ(0, memcmp(last->new, pokes[j].old, MAX_BYTES));
			last = &pokes[j];
		}
		EXPECT_EQ(first->old_len, last->new_len);
		EXPECT_EQ(0, memcmp(first->old, last->new, MAX_BYTES)) {
			TH_LOG("text at %llx differs from the original text", first->addr);
		}
		for (j = i + 1; j < nr_pokes; j++)
			if (pokes[j].addr == first->addr)
				pokes[j].addr = 0;
	}
}

TEST_F(kernel, text_of_a_tracepoint)
{
	static const char enable[] = PE_TRACING "/events/sched/sched_process_exec/enable";
	int i;

	if (!TELLS_OF_TEXT || !have_tracing())
		SKIP(return, "no records of text changes, or no tracing");
	self->a.text_poke = 1;
	start(_metadata, self);
	/* The first round may change more than later ones. */
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, pe_ring_poison(&self->ring, self->fd, -1));
		ASSERT_EQ(0, pe_set(enable, 1));
		ASSERT_EQ(0, pe_set(enable, 0));
		take_pokes(_metadata, self);
		EXPECT_LE(2, nr_pokes);
		if (i)
			expect_round_trip(_metadata);
	}
}

TEST_F(kernel, text_of_a_probe)
{
	struct perf_event_attr probe;
	unsigned int i, armed = 0;
	struct symbols base;
	unsigned long long addr;
	char line[512], name[256];
	FILE *f;
	int fd;

	if (!TELLS_OF_TEXT || pe_probe(&probe, "kprobe"))
		SKIP(return, "no records of text changes, or no kprobe PMU");
	self->a.text_poke = 1;
	start(_metadata, self);
	fd = probe_amid(&probe);
	if (fd < 0)
		SKIP(return, "no place for a probe");
	take_pokes(_metadata, self);
	close(fd);

	base.nr = 0;
	f = fopen("/proc/kallsyms", "r");
	ASSERT_NE(NULL, f);
	while (!base.nr && fgets(line, sizeof(line), f))
		if (sscanf(line, "%llx %*c %255s", &addr, name) == 2 &&
		    !strcmp(name, PE_SYSCALL_FUNC("getpid")))
			base.addr[base.nr++] = addr;
	fclose(f);
	ASSERT_EQ(1, base.nr);
	for (i = 0; i < nr_pokes; i++) {
		if (pokes[i].addr != base.addr[0] + probe.probe_offset)
			continue;
		EXPECT_EQ(1, pokes[i].old_len);
		EXPECT_EQ(1, pokes[i].new_len);
		EXPECT_NE(0xcc, pokes[i].old[0]);
		EXPECT_EQ(0xcc, pokes[i].new[0]);
		armed++;
	}
	EXPECT_EQ(1, armed);
}

TEST_F(kernel, text_of_a_trampoline)
{
	struct symbols tramp = { 0 };
	unsigned int i, made = 0, freed = 0;

	/* 32-bit x86 has no trampolines: each traced function calls the one in the image. */
	if (pe_kernel_long() == 4)
		SKIP(return, "no trampolines");
	if (!TELLS_OF_TEXT || !have_tracing() || mkdir(INSTANCE, 0755))
		SKIP(return, "no records of text changes, or no instances of tracing");
	self->a.text_poke = 1;
	self->a.ksymbol = 1;
	start(_metadata, self);
	if (put(INSTANCE "/set_ftrace_filter", TRACED) ||
	    put(INSTANCE "/current_tracer", "function")) {
		rmdir(INSTANCE);
		SKIP(return, "no tracer of functions");
	}
	ASSERT_EQ(0, put(INSTANCE "/current_tracer", "nop"));
	ASSERT_EQ(0, rmdir(INSTANCE));
	while (next(_metadata, self)) {
		struct pe_text_poke poke;

		if (rec.head.type == PERF_RECORD_KSYMBOL) {
			if (!(ksymbol().flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER))
				tramp.addr[tramp.nr++ % MAX_SYMBOLS] = ksymbol().addr;
			continue;
		}
		ASSERT_EQ(PERF_RECORD_TEXT_POKE, rec.head.type);
		memcpy(&poke, rec.body, PE_TEXT_POKE);
		for (i = 0; i < tramp.nr; i++)
			if (tramp.addr[i] == poke.addr) {
				made += !poke.old_len;
				freed += !poke.new_len;
			}
	}
	/* The first record of a trampoline has no old bytes, the last one no new bytes. */
	EXPECT_LE(1, tramp.nr);
	EXPECT_EQ(tramp.nr, made);
	EXPECT_EQ(tramp.nr, freed);
}

/* Cgroups */

static __u64 record_id(void)
{
	__u64 id;

	memcpy(&id, rec.body, sizeof(id));
	return id;
}

/* In version 2 a cgroup below the root has a perf_event state only if the root has a controller. */
static bool has_perf_cgroups(void)
{
	char path[256], first = '\n';
	bool has = pe_has_cgroups();
	int fd;

	snprintf(path, sizeof(path), "%s/cgroup.subtree_control", pe_cgroup_root());
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return has;
	if (read(fd, &first, 1) != 1 || first == '\n')
		has = false;
	close(fd);
	return has;
}

TEST_F(kernel, control_group)
{
	static const char *const names[] = { "pe_r", "pe_r/in", "pe_r/in/deep-1234567" };
	char path[64];
	int i, dir;

	/* A cgroup that an aborted test has left would have no record. */
	for (i = 3; i--;)
		pe_cgroup_remove(names[i]);
	self->a.cgroup = 1;
	start(_metadata, self);
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, pe_ring_poison(&self->ring, self->fd, -1));
		dir = pe_cgroup_make(names[i]);
		if (dir < 0)
			SKIP(return, "no cgroups");
		if (!has_perf_cgroups()) {
			pe_cgroup_remove(names[0]);
			SKIP(return, "no cgroups of perf events");
		}
		ASSERT_EQ(1, pe_ring_find(&self->ring, &rec, PERF_RECORD_CGROUP));
		EXPECT_EQ(NULL, pe_record_fault(&self->a, &rec, &self->id));
		EXPECT_EQ(pe_cgroup_id(dir), record_id());
		snprintf(path, sizeof(path), "/%s", names[i]);
		EXPECT_STREQ(path, pe_record_name(&rec));
		EXPECT_EQ(0, pe_ring_next(&self->ring, &rec));
		close(dir);
	}
	/* Removing cgroups writes no record. */
	while (i--)
		EXPECT_EQ(0, pe_cgroup_remove(names[i]));
	EXPECT_EQ(0, pe_ring_next(&self->ring, &rec));
}

/* Paths of any length: a path that is too long is cut, or replaced by "//toolong". */
TEST_F(kernel, deep_control_groups)
{
	char path[8192] = "pe_deep", part[202];
	unsigned int depth = 0, whole = 0;
	const char *name;
	int dir;

	memset(part, 'x', sizeof(part));
	part[0] = '/';
	part[sizeof(part) - 1] = 0;
	self->a.cgroup = 1;
	start(_metadata, self);
	dir = pe_cgroup_make("pe_deep");
	if (dir < 0)
		SKIP(return, "no cgroups");
	ASSERT_EQ(0, fchdir(dir));
	close(dir);
	for (depth = 1; depth < 24; depth++) {
		ASSERT_EQ(0, pe_ring_poison(&self->ring, self->fd, -1));
		if (mkdir(part + 1, 0755) || chdir(part + 1))
			break;
		strcat(path, part);
		if (pe_ring_find(&self->ring, &rec, PERF_RECORD_CGROUP) != 1)
			continue;
		EXPECT_EQ(NULL, pe_record_fault(&self->a, &rec, &self->id));
		name = pe_record_name(&rec);
		if (strlen(path) > PATH_MAX - 16) {
			EXPECT_EQ(true, !strcmp(name, "//toolong") ||
				  (strlen(name) > PATH_MAX - 32 &&
				   !strncmp(path, name + 1, strlen(name + 1))));
			continue;
		}
		EXPECT_EQ('/', name[0]);
		EXPECT_EQ(0, strcmp(path, name + 1)) {
			TH_LOG("a path of %zu bytes", strlen(path));
		}
		whole++;
	}
	while (depth-- > 1) {
		EXPECT_EQ(0, chdir(".."));
		EXPECT_EQ(0, rmdir(part + 1));
	}
	EXPECT_EQ(0, chdir(".."));
	EXPECT_EQ(0, rmdir("pe_deep"));
	if (!has_perf_cgroups())
		SKIP(return, "no cgroups of perf events");
	EXPECT_LE(18, whole);
}

TEST_HARNESS_MAIN
