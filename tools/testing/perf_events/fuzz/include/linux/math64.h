/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Multiplication and division with intermediate results of more than 64 bits
 */
#ifndef _FUZZ_LINUX_MATH64_H
#define _FUZZ_LINUX_MATH64_H

#include "../../fuzz.h"

#define U64_MAX			UINT64_MAX
#define S64_MAX			INT64_MAX

static inline u64 mul_u64_u64_shr(u64 a, u64 b, unsigned int shift)
{
	return (u128)a * b >> shift;
}

/* The processor traps if the quotient does not fit, or @divisor is 0. */
static inline u64 mul_u64_u64_div_u64(u64 a, u64 b, u64 divisor)
{
	u128 quotient;

	fuzz_assert(divisor);
	quotient = (u128)a * b / divisor;
	fuzz_assert(quotient <= U64_MAX);
	return quotient;
}

#endif /* _FUZZ_LINUX_MATH64_H */
