/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SELFTESTS_PERF_EVENTS_PE_FUZZ_OPS_H
#define _SELFTESTS_PERF_EVENTS_PE_FUZZ_OPS_H

#include "pe_fuzz.h"

#define PE_FUZZ_FDS	48
#define PE_FUZZ_MAPS	6
#define PE_FUZZ_PIDS	16
#define PE_FUZZ_OPS	32

/* Descriptors with the same number in all processes of the fuzzer, also after an exec */
enum pe_fuzz_fixed {
	PE_FD_SHARED = 900,	/* struct pe_fuzz_shared */
	PE_FD_ARRAY,		/* BPF map of events */
	PE_FD_CGROUP,		/* first of two directories */
	PE_FD_CGROUP2,
	PE_FD_PROG,		/* first of BPF programs */
};

#define PE_FUZZ_PROGS	4

/**
 * struct pe_fuzz_shared - state that all processes of the fuzzer share
 * @deadline: CLOCK_MONOTONIC, in ms, when all of them exit
 * @pids: some of the processes
 * @hotplug: thread that offlines and onlines a CPU, 0 for none
 * @calls: number of calls of each operation
 * @kept: number of successful calls of each operation
 * @opened: number of opens of each kind of event
 * @refused: number of refused opens of each kind of event
 */
struct pe_fuzz_shared {
	__u64 deadline;
	pid_t pids[PE_FUZZ_PIDS];
	pid_t hotplug;
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
 * @write: the mapping is writable
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
 * @rng: its random number generator
 * @machine: PMUs and targets
 * @shared: state that all processes share
 * @fds: files of the process; -1 for none
 * @maps: mappings of this thread
 * @depth: forks and execs since the first process
 * @left: number of operations left
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
 * struct pe_fuzz_op - an operation of the fuzzer
 * @name: name for messages
 * @weight: relative frequency
 * @run: does it; returns 0 or more on success
 */
struct pe_fuzz_op {
	const char *name;
	unsigned int weight;
	int (*run)(struct pe_fuzzer *f);
};

static inline int pe_fuzz_fd(struct pe_fuzzer *f)
{
	/* Not below 3, which may be a terminal: a read of a terminal would not return. */
	if (pe_chance(&f->rng, 2))
		return pe_chance(&f->rng, 5) ? -1 : 3 + pe_below(&f->rng, 64);
	return __atomic_load_n(&f->fds[pe_below(&f->rng, PE_FUZZ_FDS)], __ATOMIC_RELAXED);
}

#endif
