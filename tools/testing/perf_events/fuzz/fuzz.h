/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the fuzzers: reading an input piece by piece, and an assertion that ends the program.
 */
#ifndef _TOOLS_TESTING_PERF_EVENTS_FUZZ_H
#define _TOOLS_TESTING_PERF_EVENTS_FUZZ_H

#include "../harness.h"

typedef unsigned __int128 u128;

/**
 * struct fuzz_input - the rest of an input
 * @data: the next byte
 * @left: number of bytes left
 */
struct fuzz_input {
	const u8	*data;
	size_t		left;
};

/* Take the next @size bytes, up to 8, as a number; bytes beyond the end are zero. */
static inline u64 fuzz_take(struct fuzz_input *in, size_t size)
{
	size_t n = min(size, in->left);
	u64 value = 0;

	memcpy(&value, in->data, n);
	in->data += n;
	in->left -= n;
	return value;
}

/* Take a number that is likely to be a corner case: small, a power of two, or next to one. */
static inline u64 fuzz_take_u64(struct fuzz_input *in)
{
	u64 kind = fuzz_take(in, 1);
	u64 near = 1ULL << (kind & 63);

	switch (kind >> 6) {
	case 0:
		return fuzz_take(in, 8);
	case 1:
		return near;
	case 2:
		return near - 1;
	default:
		return -near + (s64)(signed char)fuzz_take(in, 1);
	}
}

/* End the program, with a report of the fuzzer, if @cond is false. */
#define fuzz_assert(cond) do {						\
	if (!(cond)) {							\
		fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #cond); \
		abort();						\
	}								\
} while (0)

/* libFuzzer's names */
#define fuzz_one_input		LLVMFuzzerTestOneInput
#define fuzz_custom_mutator	LLVMFuzzerCustomMutator
#define fuzz_mutate		LLVMFuzzerMutate

int fuzz_one_input(const u8 *data, size_t size);
size_t fuzz_custom_mutator(u8 *data, size_t size, size_t max_size, unsigned int seed);
size_t fuzz_mutate(u8 *data, size_t size, size_t max_size);

#endif /* _TOOLS_TESTING_PERF_EVENTS_FUZZ_H */
