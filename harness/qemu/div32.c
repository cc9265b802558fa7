// SPDX-License-Identifier: GPL-2.0
/*
 * 64-bit division for 32-bit programs. gcc takes it from libgcc, whose 32-bit version a 64-bit host
 * may lack.
 */
typedef unsigned long long u64;

static u64 divide(u64 n, u64 d, u64 *rest)
{
	u64 quotient = 0;

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

u64 __udivdi3(u64 n, u64 d)
{
	u64 rest;

	return divide(n, d, &rest);
}

u64 __umoddi3(u64 n, u64 d)
{
	u64 rest;

	divide(n, d, &rest);
	return rest;
}
