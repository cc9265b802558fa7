/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests of perfctr share: the system calls by their names, work that is known, and
 * a control for it.
 */
#ifndef _SELFTESTS_PERFCTR_H
#define _SELFTESTS_PERFCTR_H

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/perfctr.h>

#define SELECT_USER	0x10000u
#define SELECT_KERNEL	0x20000u
#define SELECT_PMI	0x100000u
#define SELECT_ENABLE	0x400000u

/* Instructions retired in user space: the same select on Intel's and AMD's CPUs. */
#define INSTRUCTIONS	(0xc0 | SELECT_USER | SELECT_ENABLE)

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

/* Use the CPU; on x86 with 2 n instructions, whatever the compiler thinks. */
static inline void work(unsigned int n)
{
	if (!n)
		return;
#if defined(__x86_64__) || defined(__i386__)
	asm volatile("1: dec %0\n\tjnz 1b" : "+r" (n) : : "cc");
#else
	while (n--)
		asm volatile("" : "+r" (n));
#endif
}

/* The TSC and one counter of instructions; @ireset: from where it overflows, 0: it does not. */
static inline struct vperfctr_control instructions(int ireset)
{
	struct vperfctr_control control;

	memset(&control, 0, sizeof(control));
	control.cpu_control.tsc_on = 1;
	control.cpu_control.nractrs = !ireset;
	control.cpu_control.nrictrs = !!ireset;
	control.cpu_control.evntsel[0] = INSTRUCTIONS | (ireset ? SELECT_PMI : 0);
	control.cpu_control.ireset[0] = ireset;
	return control;
}

static inline int has(unsigned int features)
{
	struct perfctr_info info;

	return !perfctr_info(&info, NULL, NULL) && (info.cpu_features & features) == features;
}

#endif
