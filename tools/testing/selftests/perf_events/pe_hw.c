// SPDX-License-Identifier: GPL-2.0
/*
 * Common code of the tests of hardware counters; see pe_hw.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#if defined(__x86_64__) || defined(__i386)
#include <cpuid.h>
#endif

#include "pe_hw.h"

/**
 * pe_hw_attr - attribute of a hardware event in user mode, disabled
 * @config: one of enum perf_hw_id
 *
 * Some machines cannot exclude the kernel, and count it, too.
 * Return: the attribute
 */
struct perf_event_attr pe_hw_attr(__u64 config)
{
	struct perf_event_attr attr = pe_attr_off(config);

	attr.type = PERF_TYPE_HARDWARE;
	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	return attr;
}

/**
 * pe_hw_exact - an event whose overflow interrupts are exact
 *
 * Emulated arm64 counters check the instruction counter for an overflow only from time to time.
 * Return: its config
 */
__u64 pe_hw_exact(void)
{
#ifdef __aarch64__
	return PERF_COUNT_HW_CPU_CYCLES;
#else
	return PERF_COUNT_HW_INSTRUCTIONS;
#endif
}

/* Does the environment demand the counters of the CPU? */
static bool is_needed(void)
{
	const char *need = getenv("PE_NEED_PMU");

	return need && *need;
}

/* CPUs and their features, by CPUID and the manuals only, so independent of the driver */
#if defined(__x86_64__) || defined(__i386)
#define INTEL_PENTIUM_PRO	0x601
#define INTEL_NETBURST		0xf00

/* CPUID leaf 1: ECX, and EDX for CPUID_DS */
#define CPUID_DTES64		0x4
#define CPUID_PDCM		0x8000
#define CPUID_HYPERVISOR	0x80000000
#define CPUID_DS		0x200000
/* CPUID leaf 0x80000022: EAX */
#define CPUID_AMD_LBR_V2	0x2

/* The family (bits 15:8) and model (7:0) of a CPU of Intel, else 0 */
static unsigned int intel_model(void)
{
	unsigned int a, b, c, d, family, model;

	if (!__get_cpuid(0, &a, &b, &c, &d) || b != signature_INTEL_ebx || !a)
		return 0;
	__cpuid(1, a, b, c, d);
	family = a >> 8 & 0xf;
	model = a >> 4 & 0xf;
	if (family == 6 || family == 15)
		model |= a >> 12 & 0xf0;
	return family << 8 | model;
}

/* A hypervisor may lack features that it passes through in CPUID. */
static bool has_hypervisor(void)
{
	unsigned int a, b, c, d;

	__cpuid(1, a, b, c, d);
	return c & CPUID_HYPERVISOR;
}

static bool is_skylake_with_pebs(void)
{
	unsigned int a, b, c, d;

	switch (intel_model()) {
	case 0x64e:
	case 0x65e:
	case 0x655:
	case 0x68e:
	case 0x69e:
		/* PEBS needs the debug store in a 64-bit format, and IA32_PERF_CAPABILITIES. */
		__cpuid(1, a, b, c, d);
		return d & CPUID_DS && c & CPUID_DTES64 && c & CPUID_PDCM && !has_hypervisor();
	}
	return false;
}

/* RDPMC of the first Pentium Pro has erratum 26. On Netburst, threads of a core share counters. */
static bool has_rdpmc(void)
{
	unsigned int model = intel_model();

	return model != INTEL_PENTIUM_PRO && (model & 0xf00) != INTEL_NETBURST;
}

static bool has_branch_records(void)
{
	unsigned int a, b, c, d;

	if (__get_cpuid(0x80000022, &a, &b, &c, &d) && a & CPUID_AMD_LBR_V2)
		return !has_hypervisor();
	return is_skylake_with_pebs();
}
#else
static bool is_skylake_with_pebs(void)
{
	return false;
}

static bool has_rdpmc(void)
{
	return false;
}

static bool has_branch_records(void)
{
	return false;
}
#endif

/**
 * pe_hw_missing - has the machine no hardware counters?
 *
 * With PE_NEED_PMU=1 in the environment, the test fails if the machine has none.
 *
 * Return: true when it has none
 */
bool pe_hw_missing(void)
{
	struct perf_event_attr attr = pe_hw_attr(PERF_COUNT_HW_INSTRUCTIONS);

	if (!pe_try(&attr, 0, -1, -1, 0))
		return false;
	if (is_needed()) {
		fprintf(stderr, "# no hardware counters\n");
		exit(1);
	}
	return true;
}

/**
 * pe_hw_must_be_precise - has the CPU, by its manual, precise samples of branches?
 *
 * Only some of the CPUs with precise samples are known here.
 * Return: true with PE_NEED_PMU on Skylake and Kaby Lake, with CPUID's features of PEBS
 */
bool pe_hw_must_be_precise(void)
{
	return is_needed() && is_skylake_with_pebs();
}

/**
 * pe_hw_must_be_readable - must programs be able to read counters by default?
 *
 * Return: true with PE_NEED_PMU on x86, but for the CPUs whose RDPMC has an erratum or reads the
 * counters of another thread
 */
bool pe_hw_must_be_readable(void)
{
	return is_needed() && has_rdpmc();
}

/**
 * pe_hw_branches - does the driver report to user space that the CPU has branch records?
 *
 * With PE_NEED_PMU=1 in the environment, the test fails if the driver reports none on a CPU that
 * certainly has some.
 *
 * Return: true if it does
 */
bool pe_hw_branches(void)
{
	if (!access("/sys/bus/event_source/devices/cpu/caps/branches", F_OK) ||
	    !access("/sys/bus/event_source/devices/cpu_core/caps/branches", F_OK))
		return true;
	if (is_needed() && has_branch_records()) {
		fprintf(stderr, "# no branch records\n");
		exit(1);
	}
	return false;
}

/**
 * pe_hw_share - may equal events share a counter?
 * @share: true to allow it; else each has a counter of its own from now on
 *
 * Return: true if the driver can share counters
 */
bool pe_hw_share(bool share)
{
	int fd = open("/sys/module/x86_pmu/parameters/share", O_WRONLY);
	bool can;

	if (fd < 0)
		fd = open("/sys/module/power_pmu/parameters/share", O_WRONLY);
	if (fd < 0)
		return false;
	can = write(fd, share ? "1" : "0", 1) == 1;
	close(fd);
	return can;
}

/**
 * pe_hw_counters - number of instruction counters
 *
 * Pinned events take the counters, until an event is in the error state.
 * Return: the number
 */
unsigned int pe_hw_counters(void)
{
	struct perf_event_attr attr = pe_hw_attr(PERF_COUNT_HW_INSTRUCTIONS);
	unsigned int n, i;
	int fd[PE_HW_MAX];
	__u64 value;

	attr.pinned = 1;
	attr.disabled = 0;
	for (n = 0; n < PE_HW_MAX; n++) {
		fd[n] = pe_self(&attr);
		if (fd[n] < 0)
			break;
		if (read(fd[n], &value, sizeof(value)) != sizeof(value)) {
			close(fd[n]);
			break;
		}
	}
	for (i = 0; i < n; i++)
		close(fd[i]);
	return n;
}

/**
 * pe_hw_loop - execute instructions
 * @instructions: number of instructions, even; a few more are executed
 */
__attribute__((noipa)) void pe_hw_loop(unsigned long instructions)
{
	unsigned long turns = instructions / 2;

#if defined(__x86_64__) || defined(__i386)
	__asm__ __volatile__(".globl pe_hw_loop_start, pe_hw_loop_end\n"
		"pe_hw_loop_start:\n"
		"1:	dec %0\n"
		"	jnz 1b\n"
		"pe_hw_loop_end:\n" : "+r" (turns) : : "cc");
#elif defined(__aarch64__)
	__asm__ __volatile__(".globl pe_hw_loop_start, pe_hw_loop_end\n"
		"pe_hw_loop_start:\n"
		"1:	subs %0, %0, #1\n"
		"	b.ne 1b\n"
		"pe_hw_loop_end:\n" : "+r" (turns) : : "cc");
#elif defined(__powerpc64__)
	__asm__ __volatile__(".globl pe_hw_loop_start, pe_hw_loop_end\n"
		"	mtctr %0\n"
		"pe_hw_loop_start:\n"
		"1:	addi %0, %0, -1\n"
		"	bdnz 1b\n"
		"pe_hw_loop_end:\n" : "+b" (turns) : : "ctr");
#elif defined(__riscv)
	__asm__ __volatile__(".globl pe_hw_loop_start, pe_hw_loop_end\n"
		".option push\n"
		".option norvc\n"
		"pe_hw_loop_start:\n"
		"1:	addi %0, %0, -1\n"
		"	bnez %0, 1b\n"
		"pe_hw_loop_end:\n"
		".option pop\n" : "+r" (turns));
#else
	__asm__ __volatile__(".globl pe_hw_loop_start, pe_hw_loop_end\n"
		"pe_hw_loop_start:\n"
		"pe_hw_loop_end:\n");
	while (turns--)
		__asm__ __volatile__("" : "+r" (turns));
#endif
}

/**
 * pe_hw_count - count a loop once
 * @fd: an instruction counter of this thread, disabled
 * @instructions: the length of the loop
 *
 * Return: the count of the loop
 */
__u64 pe_hw_count(int fd, unsigned long instructions)
{
	__u64 before = pe_count(fd);

	pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	pe_hw_loop(instructions);
	pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	return pe_count(fd) - before;
}

/**
 * pe_hw_lowest_count - the lowest count of several runs of a loop
 * @fd: an instruction counter of this thread, disabled
 * @instructions: the length of the loop
 *
 * Some machines count the kernel in spite of exclude_kernel, and an interrupt then adds thousands
 * of instructions. The lowest count has none.
 * Return: the count
 */
__u64 pe_hw_lowest_count(int fd, unsigned long instructions)
{
	__u64 least = -1ULL, n;
	int run;

	for (run = 0; run < 10; run++) {
		n = pe_hw_count(fd, instructions);
		least = n < least ? n : least;
	}
	return least;
}

/**
 * pe_hw_excludes - can the PMU exclude user mode and the kernel?
 *
 * QEMU's POWER PMU counts in all modes: MMCR2 and the freeze bits of MMCR0 for a mode have no
 * effect. For an event that excludes the kernel, an overflow in the kernel then ends a period
 * without a sample.
 * Return: false if an event that excludes user mode counts a loop in user mode, on powerpc
 */
bool pe_hw_excludes(void)
{
	bool excludes = true;
#ifdef __powerpc__
	struct perf_event_attr attr = pe_hw_attr(PERF_COUNT_HW_INSTRUCTIONS);
	const unsigned long loop = 1000000;
	int fd;

	attr.exclude_user = 1;
	attr.exclude_kernel = 0;
	fd = pe_self(&attr);
	if (fd >= 0) {
		excludes = pe_hw_lowest_count(fd, loop) < loop;
		close(fd);
	}
#endif
	return excludes;
}

/* Read a counter from user space, with the index from an event's page. */
static __u64 read_counter(__u32 index)
{
	__u64 value = 0;

#if defined(__x86_64__) || defined(__i386)
	__u32 low, high;

	__asm__ __volatile__("rdpmc" : "=a" (low), "=d" (high) : "c" (index - 1));
	value = (__u64)high << 32 | low;
#elif defined(__aarch64__)
	if (index == 32) {
		__asm__ __volatile__("mrs %0, pmccntr_el0" : "=r" (value));
	} else {
		__u64 select = index - 1;

		__asm__ __volatile__("msr pmselr_el0, %1\n"
				     "isb\n"
				     "mrs %0, pmxevcntr_el0" : "=r" (value) : "r" (select));
	}
#endif
	return value;
}

/**
 * pe_hw_read_page - read the count of an event from its page
 * @page: the page
 *
 * Return: the count
 */
__u64 pe_hw_read_page(const struct perf_event_mmap_page *page)
{
	__u64 count, counter;
	__u32 seq, width;

	do {
		seq = __atomic_load_n(&page->lock, __ATOMIC_ACQUIRE);
		count = page->offset;
		width = page->pmc_width;
		if (page->cap_user_rdpmc && page->index) {
			counter = read_counter(page->index) << (64 - width);
			count += (__s64)counter >> (64 - width);
		}
		__sync_synchronize();
	} while (__atomic_load_n(&page->lock, __ATOMIC_RELAXED) != seq);
	return count;
}
