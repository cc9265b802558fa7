// SPDX-License-Identifier: GPL-2.0
/*
 * Division of 64-bit numbers for 32-bit programs, which gcc takes from its library: a host of 64 bits
 * need not have that of 32 bits.
 */
#include <stdint.h>

uint64_t __udivdi3(uint64_t n, uint64_t d);
uint64_t __umoddi3(uint64_t n, uint64_t d);

static uint64_t divide(uint64_t n, uint64_t d, uint64_t *rest)
{
	uint64_t quotient = 0;

	*rest = 0;
	for (int i = 63; i >= 0; i--) {
		*rest = *rest << 1 | (n >> i & 1);
		if (*rest >= d) {
			*rest -= d;
			quotient |= 1ULL << i;
		}
	}
	return quotient;
}

uint64_t __udivdi3(uint64_t n, uint64_t d)
{
	uint64_t rest;

	return divide(n, d, &rest);
}

uint64_t __umoddi3(uint64_t n, uint64_t d)
{
	uint64_t rest;

	divide(n, d, &rest);
	return rest;
}
