// SPDX-License-Identifier: GPL-2.0
/*
 * loop N [CHILDREN]: retire 2 N instructions, in addition to those of an empty program. Each of the
 * children does the same.
 */
#include <stdlib.h>
#include <sys/wait.h>

#include "perfctr.h"

int main(int argc, char **argv)
{
	unsigned int children = argc > 2 ? atoi(argv[2]) : 0;
	unsigned int n = argc > 1 ? atoi(argv[1]) : 1000000;

	while (children--) {
		if (!fork())
			break;
		wait(NULL);
	}
	work(n);
	return 0;
}
