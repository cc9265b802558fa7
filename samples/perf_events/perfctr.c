// SPDX-License-Identifier: GPL-2.0
/*
 * Counters of a thread by perfctr, without the library of tools/perfctr:
 *
 *	perfctr [ROUNDS]
 *
 * The thread opens counters of its own, and reads them by a system call. It reads the clock also
 * from the mapped page. All machines have the clock. Instructions are counted if the CPU has
 * counters.
 */
#include <errno.h>
#include <linux/perfctr.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Exit status of a skipped selftest: this machine or kernel cannot run the program. */
#define SKIP	4

#if defined(__x86_64__) || defined(__i386)
/* Retired instructions (0xc0) in user mode (bit 16), enabled (bit 22) */
#define COUNTER		0
#define INSTRUCTIONS	(0xc0 | 1 << 16 | 1 << 22)
#elif defined(__powerpc__)
#define COUNTER		5
#define INSTRUCTIONS	0x500fa
#endif

static int fd;

/* Return: the sums of counters and clock, after the kernel has sampled them */
static struct perfctr_sum_ctrs read_sums(void)
{
	struct perfctr_sum_ctrs sums = { 0 };

	if (syscall(__NR_vperfctr_read, fd, &sums, NULL, NULL))
		perror("vperfctr_read");
	return sums;
}

/* Return: the clock at the last sample, from the page */
static __u64 clock_in_page(const struct perfctr_cpu_state *state)
{
	__u32 start;
	__u64 sum;

	do {
		/* Only this CPU changes the page meanwhile, so compiler barriers are enough. */
		start = __atomic_load_n(&state->tsc_start, __ATOMIC_RELAXED);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		sum = state->tsc_sum;
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
	} while (start != __atomic_load_n(&state->tsc_start, __ATOMIC_RELAXED));
	return sum;
}

/* Two instructions a round on x86, at least one on others */
static void loop(unsigned long rounds)
{
#if defined(__x86_64__) || defined(__i386)
	if (!rounds)
		return;
	__asm__ __volatile__("1: dec %0\n\tjnz 1b" : "+r" (rounds) : : "cc");
#else
	while (rounds--)
		__asm__ __volatile__("" : "+r" (rounds));
#endif
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 0) : 1000;
	struct vperfctr_control control = { .cpu_control.tsc_on = 1 };
	const struct vperfctr_state *page;
	struct perfctr_sum_ctrs before, after;
	struct perfctr_info info;
	__u64 shown;

	if (syscall(__NR_perfctr_info, &info, NULL, NULL)) {
		perror("perfctr_info");
		return SKIP;
	}
	if ((info.abi_version ^ PERFCTR_ABI_VERSION) & PERFCTR_ABI_VERSION_MASK)
		return SKIP;
	/* Tid 0 is the calling thread, which must not have counters yet. */
	fd = syscall(__NR_vperfctr_open, 0, 1);
	if (fd < 0) {
		perror("vperfctr_open");
		return 1;
	}
	page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED) {
		perror("mmap");
		return 1;
	}
#ifdef INSTRUCTIONS
	if (info.cpu_features & PERFCTR_FEATURE_RDPMC) {
		control.cpu_control.nractrs = 1;
		control.cpu_control.pmc_map[0] = COUNTER;
		control.cpu_control.evntsel[0] = INSTRUCTIONS;
	}
#endif
	if (syscall(__NR_vperfctr_control, fd, &control)) {
		perror("vperfctr_control");
		return 1;
	}

	before = read_sums();
	loop(rounds);
	after = read_sums();
	/* Stop the counters. The sums remain. */
	syscall(__NR_vperfctr_unlink, fd);
	shown = clock_in_page(&page->cpu_state);

	if (control.cpu_control.nractrs)
		printf("instructions %llu\n", after.pmc[0] - before.pmc[0]);
	printf("clock %llu\n", after.tsc - before.tsc);
	printf("in order %s\n", before.tsc < after.tsc && after.tsc <= shown ? "yes" : "no");
	return 0;
}
