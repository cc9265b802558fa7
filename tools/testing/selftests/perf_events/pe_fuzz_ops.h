/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SELFTESTS_PERF_EVENTS_PE_FUZZ_OPS_H
#define _SELFTESTS_PERF_EVENTS_PE_FUZZ_OPS_H

#include "pe_fuzz.h"

#define PE_FUZZ_FDS	48
#define PE_FUZZ_MAPS	6
#define PE_FUZZ_PIDS	16
#define PE_FUZZ_OPS	32

/* Files that all processes of the fuzzer have, whichever program they exec. */
enum pe_fuzz_fixed {
	PE_FD_SHARED = 900,	/* struct pe_fuzz_shared */
	PE_FD_ARRAY,		/* BPF map of events */
	PE_FD_CGROUP,		/* first of two directories */
	PE_FD_CGROUP2,
	PE_FD_PROG,		/* first of BPF programs */
};

#define PE_FUZZ_PROGS	4

/**
 * struct pe_fuzz_shared - what all processes of the fuzzer share
 * @deadline: CLOCK_MONOTONIC, in ms, when all of them end
 * @pids: some of the processes
 * @hotplug: a process takes a CPU offline and online
 * @calls: of each operation
 * @kept: of each operation: successful ones
 * @opened: of each kind of event
 * @refused: of each kind of event
 */
struct pe_fuzz_shared {
	__u64 deadline;
	pid_t pids[PE_FUZZ_PIDS];
	int hotplug;
	__u64 calls[PE_FUZZ_OPS];
	__u64 kept[PE_FUZZ_OPS];
	__u64 opened[16];
	__u64 refused[16];
};

/**
 * struct pe_fuzz_map - a mapping of a thread
 * @at: address, or NULL
 * @len: bytes
 * @aux: AUX area of the same event, or NULL
 * @aux_len: its size in bytes
 * @write: it may be written to
 */
struct pe_fuzz_map {
	char *at;
	size_t len;
	char *aux;
	size_t aux_len;
	bool write;
};

/**
 * struct pe_fuzzer - a thread of the fuzzer
 * @rng: its chance
 * @machine: what there is to open
 * @shared: state that all processes share
 * @fds: files of the process; -1 for none
 * @maps: mappings of this thread
 * @depth: forks and execs since the first process
 * @left: operations to go
 * @plain: it has given up its privileges
 */
struct pe_fuzzer {
	struct pe_rng rng;
	const struct pe_fuzz_machine *machine;
	struct pe_fuzz_shared *shared;
	int *fds;
	struct pe_fuzz_map maps[PE_FUZZ_MAPS];
	unsigned int depth;
	unsigned int left;
	bool plain;
};

/**
 * struct pe_fuzz_op - something that the fuzzer does
 * @name: its name, for messages
 * @weight: how often
 * @run: does it; returns 0 or more if it did something
 */
struct pe_fuzz_op {
	const char *name;
	unsigned int weight;
	int (*run)(struct pe_fuzzer *f);
};

static inline int pe_fuzz_fd(struct pe_fuzzer *f)
{
	/* Use any file but a terminal: a read of a terminal never returns. */
	if (pe_chance(&f->rng, 2))
		return pe_chance(&f->rng, 5) ? -1 : 3 + pe_below(&f->rng, 64);
	return __atomic_load_n(&f->fds[pe_below(&f->rng, PE_FUZZ_FDS)], __ATOMIC_RELAXED);
}

#endif
