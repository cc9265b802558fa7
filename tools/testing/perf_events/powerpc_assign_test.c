// SPDX-License-Identifier: GPL-2.0
/*
 * The choice of encodings of events on powerpc (the kernel's source), compared with a search that
 * assigns counters one by one: all lists of up to six events, in every order.
 */
#include "harness.h"

#include "../../../arch/powerpc/perf/assign.c"
#include "../../../arch/powerpc/perf/tests/assign_check.h"

#define MAX_EVENTS	6

static bool try_all(void)
{
	unsigned long tried = 0;
	int kinds[MAX_EVENTS], n;

	for (n = 0; n <= MAX_EVENTS; n++) {
		const char *fault = check_all(kinds, 0, n, &tried);

		if (fault) {
			printf("# %d events: %s\n", n, fault);
			return false;
		}
	}
	printf("# %lu lists\n", tried);
	return true;
}

int main(void)
{
	ktap_plan(1);
	ktap_result(try_all(), "all_lists");
	return ktap_end();
}
