// SPDX-License-Identifier: GPL-2.0
/*
 * Print the frequency of this machine's TSC in kHz, for the guest's command line: an emulated guest
 * has the same TSC, but often fails to calibrate it on a busy host.
 */
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

int main(void)
{
	struct timespec pause = { .tv_nsec = 300 * 1000 * 1000 };
	unsigned long long ticks;
	double ms;

	ms = now();
	ticks = __rdtsc();
	nanosleep(&pause, NULL);
	ms = now() - ms;
	ticks = __rdtsc() - ticks;
	printf("%.0f\n", ticks / ms);
	return 0;
}
