/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints, probes and BPF programs for the perf_events selftests. Wrappers of a system call
 * return its result, or -errno.
 */
#ifndef _SELFTESTS_PERF_EVENTS_PE_TRACE_H
#define _SELFTESTS_PERF_EVENTS_PE_TRACE_H

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pe_lib.h"

#if defined(__x86_64__)
# define PE_SYSCALL_FUNC(name)	"__x64_sys_" name
#elif defined(__i386)
# define PE_SYSCALL_FUNC(name)	"__ia32_sys_" name
#elif defined(__aarch64__)
# define PE_SYSCALL_FUNC(name)	"__arm64_sys_" name
#else
# define PE_SYSCALL_FUNC(name)	"sys_" name
#endif

#define PE_TRACING		"/sys/kernel/tracing"

/**
 * pe_tracepoint - attribute of a tracepoint
 * @attr: filled in: it starts enabled
 * @name: as "system/event"
 *
 * Return: 0 or -errno; -ENOENT if the kernel does not have it
 */
static inline int pe_tracepoint(struct perf_event_attr *attr, const char *name)
{
	char path[256];
	long id;

	if (access(PE_TRACING "/events", F_OK) &&
	    mount("tracefs", PE_TRACING, "tracefs", 0, NULL) && errno != EBUSY)
		return -errno;
	snprintf(path, sizeof(path), PE_TRACING "/events/%s/id", name);
	id = pe_get(path);
	if (id <= 0)
		return -ENOENT;
	*attr = pe_attr(id);
	attr->type = PERF_TYPE_TRACEPOINT;
	return 0;
}

/**
 * pe_call_name - a tracepoint that each call of pe_call() passes once
 *
 * Tracepoints of system calls ignore 32-bit programs on a 64-bit kernel: these use task_rename.
 * Return: its name, as "system/event"
 */
static inline const char *pe_call_name(void)
{
	return pe_compat() ? "task/task_rename" : "syscalls/sys_enter_getppid";
}

/**
 * pe_call - call getppid(2), which passes the tracepoint of pe_call_name()
 * @n: number of calls
 */
static inline void pe_call(int n)
{
	bool rename = pe_compat();

	while (n--) {
		syscall(__NR_getppid);
		if (rename)
			prctl(PR_SET_NAME, "renamed", 0, 0, 0);
	}
}

/**
 * pe_probe - attribute of a probe, without its address
 * @attr: filled in: it starts enabled
 * @pmu: "kprobe" or "uprobe"
 *
 * Return: 0, or -ENOENT if the kernel does not have it
 */
static inline int pe_probe(struct perf_event_attr *attr, const char *pmu)
{
	char path[256];
	long type;

	snprintf(path, sizeof(path), PE_DEVICES "%s/type", pmu);
	type = pe_get(path);
	if (type <= 0)
		return -ENOENT;
	*attr = pe_attr(0);
	attr->type = type;
	return 0;
}

/**
 * pe_file_offset - file offset of an address of this program
 * @addr: the address
 *
 * Return: the offset, or -1
 */
static inline long pe_file_offset(const void *addr)
{
	unsigned long start, end, offset, at = (unsigned long)addr;
	char line[512], exe[256], *name;
	long found = -1;
	ssize_t len;
	FILE *f;

	len = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	if (len < 0)
		return -1;
	exe[len] = '\0';
	f = fopen("/proc/self/maps", "r");
	if (!f)
		return -1;
	while (found < 0 && fgets(line, sizeof(line), f)) {
		name = strchr(line, '/');
		if (!name || strncmp(name, exe, len) || name[len] != '\n')
			continue;
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 &&
		    at >= start && at < end)
			found = at - start + offset;
	}
	fclose(f);
	return found;
}

static inline int pe_sys_bpf(int cmd, union bpf_attr *attr)
{
	long ret = syscall(__NR_bpf, cmd, attr, sizeof(*attr));

	return ret < 0 ? -errno : ret;
}

/**
 * pe_bpf_map - make a map with keys of four bytes
 * @type: BPF_MAP_TYPE_*
 * @size: bytes of a value
 * @nr: entries
 *
 * Return: its file descriptor or -errno
 */
static inline int pe_bpf_map(enum bpf_map_type type, unsigned int size, unsigned int nr)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_type = type;
	attr.key_size = 4;
	attr.value_size = size;
	attr.max_entries = nr;
	return pe_sys_bpf(BPF_MAP_CREATE, &attr);
}

/**
 * pe_bpf_get - look a key up
 * @map: the map
 * @key: the key
 * @value: the value is copied here
 *
 * Return: 0 or -errno
 */
static inline int pe_bpf_get(int map, __u32 key, void *value)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_fd = map;
	attr.key = (unsigned long)&key;
	attr.value = (unsigned long)value;
	return pe_sys_bpf(BPF_MAP_LOOKUP_ELEM, &attr);
}

/**
 * pe_bpf_set - set the value of a key
 * @map: the map
 * @key: the key
 * @value: its value; for a map of events a file descriptor
 *
 * Return: 0 or -errno
 */
static inline int pe_bpf_set(int map, __u32 key, const void *value)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_fd = map;
	attr.key = (unsigned long)&key;
	attr.value = (unsigned long)value;
	return pe_sys_bpf(BPF_MAP_UPDATE_ELEM, &attr);
}

/**
 * pe_bpf_counter - make a map of one u64
 *
 * Return: its file descriptor or -errno
 */
static inline int pe_bpf_counter(void)
{
	return pe_bpf_map(BPF_MAP_TYPE_ARRAY, 8, 1);
}

/**
 * pe_bpf_counted - read the counter
 * @map: result of pe_bpf_counter()
 *
 * Return: number of runs of programs with this map, or ~0
 */
static inline __u64 pe_bpf_counted(int map)
{
	__u64 value = 0;

	return pe_bpf_get(map, 0, &value) ? UINT64_MAX : value;
}

#define PE_INSN(c, d, s, o, i) \
	((struct bpf_insn) { .code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i) })

/**
 * pe_bpf_load_code - load a program
 * @type: BPF_PROG_TYPE_*
 * @insns: its instructions
 * @nr: number of instructions
 *
 * Return: its file descriptor or -errno
 */
static inline int pe_bpf_load_code(enum bpf_prog_type type, const struct bpf_insn *insns, int nr)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = type;
	attr.insns = (unsigned long)insns;
	attr.insn_cnt = nr;
	attr.license = (unsigned long)"GPL";
	return pe_sys_bpf(BPF_PROG_LOAD, &attr);
}

/**
 * pe_bpf_load - load a program that counts its runs
 * @type: BPF_PROG_TYPE_*
 * @map: map with the count
 * @result: return value of the program
 *
 * Return: its file descriptor or -errno
 */
static inline int pe_bpf_load(enum bpf_prog_type type, int map, int result)
{
	struct bpf_insn insns[] = {
		PE_INSN(BPF_LD | BPF_DW | BPF_IMM, 1, BPF_PSEUDO_MAP_FD, 0, map),
		PE_INSN(0, 0, 0, 0, 0),
		PE_INSN(BPF_ST | BPF_MEM | BPF_W, 10, 0, -4, 0),
		PE_INSN(BPF_ALU64 | BPF_MOV | BPF_X, 2, 10, 0, 0),
		PE_INSN(BPF_ALU64 | BPF_ADD | BPF_K, 2, 0, 0, -4),
		PE_INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_map_lookup_elem),
		PE_INSN(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 2, 0),
		PE_INSN(BPF_ALU64 | BPF_MOV | BPF_K, 1, 0, 0, 1),
		PE_INSN(BPF_STX | BPF_ATOMIC | BPF_DW, 0, 1, 0, BPF_ADD),
		PE_INSN(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, result),
		PE_INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};

	return pe_bpf_load_code(type, insns, PE_ARRAY_SIZE(insns));
}

/**
 * pe_bpf_link - attach a program to an event by a link
 * @prog: the program
 * @event: the event
 * @cookie: cookie of the link
 *
 * Return: the link's file descriptor or -errno
 */
static inline int pe_bpf_link(int prog, int event, __u64 cookie)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.link_create.prog_fd = prog;
	attr.link_create.target_fd = event;
	attr.link_create.attach_type = BPF_PERF_EVENT;
	attr.link_create.perf_event.bpf_cookie = cookie;
	return pe_sys_bpf(BPF_LINK_CREATE, &attr);
}

/**
 * pe_bpf_prog_id - the id of a program
 * @prog: the program
 *
 * Return: its id, or 0
 */
static inline unsigned int pe_bpf_prog_id(int prog)
{
	struct bpf_prog_info info;
	union bpf_attr attr;

	memset(&info, 0, sizeof(info));
	memset(&attr, 0, sizeof(attr));
	attr.info.bpf_fd = prog;
	attr.info.info_len = sizeof(info);
	attr.info.info = (unsigned long)&info;
	return pe_sys_bpf(BPF_OBJ_GET_INFO_BY_FD, &attr) ? 0 : info.id;
}

#endif
