// SPDX-License-Identifier: GPL-2.0
/*
 * A 32-bit program without a C library. It waits for a byte, then touches
 * pages in a function three calls deep, so that the chain is known.
 */
#define PAGE	4096
#define PAGES	8
#define MARK	0x600dcafeU

static char memory[(PAGES + 1) * PAGE];

static long call3(long nr, long a, long b, long c)
{
	long ret;

	__asm__ __volatile__("int $0x80" : "=a" (ret) : "0" (nr), "b" (a), "c" (b), "d" (c)
			     : "memory");
	return ret;
}

int innermost(char *at)
{
	int i;

	for (i = 0; i < PAGES; i++) {
		at[i * PAGE] = 1;
		__asm__ __volatile__("" : : : "memory");
	}
	return i;
}

int between(char *at)
{
	unsigned int marks[16];
	int i;

	for (i = 0; i < 16; i++)
		marks[i] = MARK;
	__asm__ __volatile__("" : : "r" (marks) : "memory");
	i = innermost(at);
	__asm__ __volatile__("" : : "r" (marks) : "memory");
	return i + 1;
}

int outermost(char *at)
{
	int i = between(at);

	__asm__ __volatile__("" : "+r" (i));
	return i + 1;
}

void _start(void)
{
	char byte;

	/* read(2) and _exit(2) */
	call3(3, 0, (long)&byte, 1);
	call3(1, outermost(memory + PAGE) != PAGES + 2, 0, 0);
	__builtin_unreachable();
}
