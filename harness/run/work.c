// SPDX-License-Identifier: GPL-2.0
/*
 * A program to profile, with known functions and shares. The last line of its output has
 * "key=value" pairs that a profile has to match.
 *
 *   spin MS	for MS ms of CPU time three quarters in heavy(), one in light(), both called from
 *		middle(), from outer(), from main()
 *   read MS	for MS ms of CPU time in read(2): the kernel fills a buffer with zeros
 *   touch N	N page faults in touch()
 *
 * Build with -O1 -fno-inline: the compiler then makes no tail calls.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS	100000
#define BARRIER(x)	({ __asm__ __volatile__("" : "+r" (x) : : "memory"); })

static long cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* The compiler omits a frame pointer that it does not need. */
#ifdef FRAMES
#define FRAME()	do { void *f = __builtin_frame_address(0); BARRIER(f); } while (0)
#else
#define FRAME()	do { } while (0)
#endif

unsigned long heavy(unsigned long n)
{
	FRAME();
	while (n--)
		BARRIER(n);
	return n;
}

unsigned long light(unsigned long n)
{
	FRAME();
	while (n--)
		BARRIER(n);
	return n;
}

unsigned long middle(unsigned long n)
{
	unsigned long r = heavy(3 * n);

	BARRIER(r);
	r += light(n);
	BARRIER(r);
	return r;
}

unsigned long outer(unsigned long n)
{
	unsigned long r = middle(n);

	BARRIER(r);
	return r;
}

long zeros(int fd, char *to, size_t len)
{
	long n;

	FRAME();
	/*
	 * The C library's function may have no frame pointer, which would hide this function's
	 * frame.
	 */
#ifdef __x86_64__
	__asm__ __volatile__("syscall" : "=a" (n) : "0" (0L), "D" (fd), "S" (to), "d" (len)
			     : "rcx", "r11", "memory");
#else
	n = read(fd, to, len);
#endif

	BARRIER(n);
	return n;
}

void touch(char *p, long pages, long size)
{
	FRAME();
	for (long i = 0; i < pages; i++) {
		p[i * size] = 1;
		BARRIER(p);
	}
}

int main(int argc, char **argv)
{
	long n = argc > 2 ? atol(argv[2]) : 0, size = sysconf(_SC_PAGESIZE);

	if (argc < 3)
		return 2;
	if (!strcmp(argv[1], "spin")) {
		while (cpu_ms() < n)
			outer(ROUNDS);
	} else if (!strcmp(argv[1], "read")) {
		int fd = open("/dev/zero", O_RDONLY);
		char *to = malloc(1 << 20);

		while (cpu_ms() < n)
			zeros(fd, to, 1 << 20);
	} else {
		char *p = mmap(NULL, n * size, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		madvise(p, n * size, MADV_NOHUGEPAGE);
		touch(p, n, size);
		printf("first=%lx last=%lx ", (long)p, (long)(p + (n - 1) * size));
	}
	printf("cpu_ms=%ld\n", cpu_ms());
	return 0;
}
