// SPDX-License-Identifier: GPL-2.0
/*
 * Pages that are printed repeatedly, as top(1) does.
 */
#include <unistd.h>

#include "perf-why.h"

bool next_page(const struct pages *pages, unsigned int shown)
{
	fflush(pages->out);
	if (pages->times && shown >= pages->times)
		return false;
	if (shown)
		usleep(pages->seconds * 1e6);
	/* Clear the screen, so that each page starts at the top of the terminal. */
	if (!pages->json && isatty(fileno(pages->out)))
		fputs("\033[H\033[J", pages->out);
	return !ferror(pages->out);
}
