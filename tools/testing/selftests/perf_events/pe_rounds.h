/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Number of rounds of a test that repeats the same steps, so that tasks or CPUs meet in different
 * ways. PE_PERCENT in the environment reduces it, for slow kernels.
 */
#ifndef PE_ROUNDS_H
#define PE_ROUNDS_H

#include <stdlib.h>

/* PE_PERCENT of @n, at least 1; without PE_PERCENT @n */
static inline int pe_rounds(int n)
{
	const char *percent = getenv("PE_PERCENT");

	if (percent)
		n = n * atoi(percent) / 100;
	return n > 0 ? n : 1;
}

#endif
