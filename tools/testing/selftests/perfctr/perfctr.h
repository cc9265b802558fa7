/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the perfctr tests: wrappers of the system calls, known work, and a control for it.
 */
#ifndef _SELFTESTS_PERFCTR_H
#define _SELFTESTS_PERFCTR_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/perfctr.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#elif defined(__powerpc__)
#include <sys/auxv.h>
#endif

/*
 * kselftest_harness.h ends a test after 30 seconds, which is too short for a loaded emulated
 * machine. Use only the runner's limit for the whole program. Include kselftest_harness.h before
 * this header.
 */
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT	7200

/*
 * kselftest_harness.h's SKIP() overwrites the result of a check that has failed before. This one
 * keeps the failure, and only runs @statement.
 */
#undef SKIP
#define SKIP(statement, ...)						\
	do {								\
		if (_metadata->exit_code != KSFT_FAIL) {		\
			snprintf(_metadata->results->reason,		\
				 sizeof(_metadata->results->reason), __VA_ARGS__);	\
			TH_LOG("SKIP: %s", _metadata->results->reason);	\
			_metadata->exit_code = KSFT_SKIP;		\
		}							\
		_metadata->trigger = 0;					\
		statement;						\
	} while (0)

#define SELECT_USER	0x10000u
#define SELECT_KERNEL	0x20000u
#define SELECT_PMI	0x100000u
#define SELECT_ENABLE	0x400000u

#ifdef PERFCTR_NOT_KERNEL
/* Instructions, on any of the first four counters; the fifth counts nothing else. */
#define INSTRUCTIONS	0x2
#else
/* Instructions retired in user space: the same select on Intel's and AMD's CPUs. */
#define INSTRUCTIONS	(0xc0 | SELECT_USER | SELECT_ENABLE)
#endif

#ifdef __powerpc__
/* Emulated counters also count the kernel (calls, ticks, switches), with any mode bits. */
#define SLACK		30000
#define UNCERTAIN	SLACK
#else
/* Upper limit of the instructions of a second read, or of a signal and its handler */
#define SLACK		2000
/* Allowed error of the difference of two counts */
#define UNCERTAIN	0
#endif

/*
 * Upper limit of the count of @n instructions. Where the kernel is counted, the instructions of
 * interrupts are a part of it that grows with the time.
 */
static inline long long at_most(long long n)
{
	return n + SLACK + (UNCERTAIN ? n / 16 : 0);
}

static inline int perfctr_info(struct perfctr_info *info, struct perfctr_cpu_mask *cpus,
			       struct perfctr_cpu_mask *forbidden)
{
	return syscall(__NR_perfctr_info, info, cpus, forbidden);
}

static inline int vperfctr_open(int tid, int creat)
{
	return syscall(__NR_vperfctr_open, tid, creat);
}

static inline int vperfctr_control(int fd, const struct vperfctr_control *control)
{
	return syscall(__NR_vperfctr_control, fd, control);
}

static inline int vperfctr_unlink(int fd)
{
	return syscall(__NR_vperfctr_unlink, fd);
}

static inline int vperfctr_iresume(int fd)
{
	return syscall(__NR_vperfctr_iresume, fd);
}

static inline int vperfctr_read(int fd, struct perfctr_sum_ctrs *sum,
				struct vperfctr_control *control,
				struct perfctr_sum_ctrs *children)
{
	return syscall(__NR_vperfctr_read, fd, sum, control, children);
}

/* Use the CPU; on x86 and powerpc with exactly 2 n instructions. */
static inline void work(unsigned int n)
{
	if (!n)
		return;
#if defined(__x86_64__) || defined(__i386__)
	asm volatile("1: dec %0\n\tjnz 1b" : "+r" (n) : : "cc");
#elif defined(__powerpc__)
	asm volatile("mtctr %0\n1: nop\n\tbdnz 1b" : : "r" ((unsigned long)n) : "ctr");
#else
	while (n--)
		asm volatile("" : "+r" (n));
#endif
}

/*
 * On a P6 the first counter's enable bit enables both counters, and the second has no enable bit.
 */
static inline int is_p6(void)
{
#if defined(__x86_64__) || defined(__i386__)
	unsigned int a, b, c, d;

	if (!__get_cpuid(0, &a, &b, &c, &d) || b != signature_INTEL_ebx)
		return 0;
	if (a >= 10) {
		__cpuid(10, a, b, c, d);
		if (a & 0xff)
			return 0;
	}
	__cpuid(1, a, b, c, d);
	return (a >> 8 & 0xf) == 6;
#else
	return 0;
#endif
}

/* Set counter @i of a control to the CPU's counter @map, with the event @select. */
static inline void set_counter(struct perfctr_cpu_control *control, unsigned int i,
			       unsigned int map, unsigned int select)
{
	control->pmc_map[i] = map;
#ifdef PERFCTR_NOT_KERNEL
	/* All counters can interrupt. */
	control->evntsel[i] = select & ~SELECT_PMI;
	control->modes[i] = PERFCTR_NOT_KERNEL | PERFCTR_NOT_HV;
#else
	control->evntsel[i] = map && is_p6() ? select & ~SELECT_ENABLE : select;
#endif
}

/*
 * A control of the TSC and one instruction counter. @ireset: start value of an i-mode counter, 0
 * for a-mode.
 */
static inline struct vperfctr_control instructions(int ireset)
{
	struct vperfctr_control control;

	memset(&control, 0, sizeof(control));
	control.cpu_control.tsc_on = 1;
	control.cpu_control.nractrs = !ireset;
	control.cpu_control.nrictrs = !!ireset;
#ifdef PERFCTR_NOT_KERNEL
	set_counter(&control.cpu_control, 0, 5, 0x500fa);
#else
	set_counter(&control.cpu_control, 0, 0, INSTRUCTIONS | (ireset ? SELECT_PMI : 0));
#endif
	control.cpu_control.ireset[0] = ireset;
	return control;
}

/*
 * Is perfctr there? ENOSYS: the kernel has no perfctr; ENODEV: the CPU has no clock, which is
 * possible on x86 only. After another error, and with PE_NEED_PERFCTR=1 in the environment after
 * any error, the test fails.
 */
static inline int has_perfctr(void)
{
	const char *need = getenv("PE_NEED_PERFCTR");
	int err = perfctr_info(NULL, NULL, NULL) ? errno : 0, has_clock = 1;
#if defined(__x86_64__) || defined(__i386__)
	unsigned int a, b, c, d;

	/* Bit 4 of EDX in CPUID leaf 1: there is a TSC. */
	has_clock = __get_cpuid(1, &a, &b, &c, &d) && (d & 1 << 4);
#endif
	if (!err)
		return 1;
	if ((!need || !*need) && (err == ENOSYS || (err == ENODEV && !has_clock)))
		return 0;
	fprintf(stderr, "# perfctr_info: %s\n", strerror(err));
	exit(1);
}

static inline int has(unsigned int features)
{
	struct perfctr_info info;

	return !perfctr_info(&info, NULL, NULL) && (info.cpu_features & features) == features;
}

/* Can threads with counters run on CPU 0 and on CPU 1? */
static inline int has_two_cpus(void)
{
	struct {
		struct perfctr_cpu_mask mask;
		__u32 words[64];
	} forbidden = { .mask.nrwords = 64 };

	return sysconf(_SC_NPROCESSORS_ONLN) > 1 && !perfctr_info(NULL, NULL, &forbidden.mask) &&
	       !(forbidden.words[0] & 3);
}

/*
 * Set the "rdpmc" attribute, by which the administrator decides which programs can read counters on
 * x86. The PMUs of a hybrid machine share it. Return: the old value, or 0 if it was not set
 */
static inline char set_rdpmc(char mode)
{
	int fd = open("/sys/bus/event_source/devices/cpu/rdpmc", O_RDWR);
	char old;

	if (fd < 0)
		fd = open("/sys/bus/event_source/devices/cpu_core/rdpmc", O_RDWR);
	if (read(fd, &old, 1) != 1 || pwrite(fd, &mode, 1, 0) != 1)
		old = 0;
	close(fd);
	return old;
}

/* Without such an instruction threads have no counters, and the tests are skipped. */
static inline unsigned int read_counter(unsigned int map)
{
	unsigned int low = 0;

#if defined(__x86_64__) || defined(__i386__)
	unsigned int high;

	asm volatile("rdpmc" : "=a" (low), "=d" (high) : "c" (map));
#elif defined(__powerpc__)
	/* Counter 5, the counter of instructions() */
	asm volatile("mfspr %0, 775" : "=r" (low));
#endif
	return low;
}

/*
 * Can the programs of a CPU with counters read them? From POWER10 on they cannot, and on the first
 * Pentium Pros they must not: RDPMC returns wrong values there (erratum 26). A Pentium 4 has no
 * counters of threads.
 */
static inline int cpu_has_rdpmc(void)
{
#if defined(__x86_64__) || defined(__i386__)
	unsigned int a, b, c, d;

	if (!is_p6())
		return 1;
	__cpuid(1, a, b, c, d);
	return (a >> 4 & 0xf) != 1 || (a & 0xf) >= 9;
#elif defined(__powerpc__)
	return !(getauxval(AT_HWCAP2) & PPC_FEATURE2_ARCH_3_1);
#else
	return 1;
#endif
}

/*
 * Are there counters, and not only the TSC? With PE_NEED_PMU=1 in the environment there must be
 * counters that interrupt, and that programs can read if the CPU has RDPMC: else the test fails.
 */
static inline int has_counters(void)
{
	const char *need = getenv("PE_NEED_PMU");
	unsigned int features = PERFCTR_FEATURE_PCINT;

	if (!need || !*need)
		return has(PERFCTR_FEATURE_RDPMC) || has(PERFCTR_FEATURE_PCINT);
	if (cpu_has_rdpmc())
		features |= PERFCTR_FEATURE_RDPMC;
	if (!has(features)) {
		fprintf(stderr, "# no counters, or they do not interrupt, or lack RDPMC\n");
		exit(1);
	}
	return 1;
}

/* Write a setting. Return: its value before, or -2 after an error */
static inline int replace_number(const char *path, int value)
{
	FILE *file = fopen(path, "r+");
	int before, failed;

	if (!file)
		return -2;
	failed = fscanf(file, "%d", &before) != 1;
	rewind(file);
	failed |= fprintf(file, "%d\n", value) < 0;
	failed |= fclose(file);
	return failed ? -2 : before;
}

/* Wait for the exit of all children. Return: the number of those that exited with 0 */
static inline int nr_succeeded(void)
{
	int n = 0, status;

	while (wait(&status) > 0) {
		n += !status;
		if (status)
			fprintf(stderr, "# a child ended with %#x\n", status);
	}
	return n;
}

#endif
