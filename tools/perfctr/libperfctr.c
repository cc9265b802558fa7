// SPDX-License-Identifier: GPL-2.0
/*
 * Library for performance counters of threads.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "libperfctr.h"

/**
 * struct vperfctr - counters of a thread
 * @fd: file descriptor of the kernel's object
 * @own: the thread is the one that called vperfctr_open()
 * @rdpmc: the thread may read its counters in user mode
 * @state: mapped page of the object
 */
struct vperfctr {
	int					fd;
	int					own;
	int					rdpmc;
	const volatile struct vperfctr_state	*state;
};

#if defined(__x86_64__) || defined(__i386__)
static unsigned int read_counter(unsigned int map)
{
	unsigned int low, high;

	asm volatile("rdpmc" : "=a" (low), "=d" (high) : "c" (map));
	return low;
}

static unsigned int read_clock(void)
{
	unsigned int low, high;

	asm volatile("rdtsc" : "=a" (low), "=d" (high));
	return low;
}
#elif defined(__powerpc__)
/* The number of a special purpose register is part of the instruction. */
#define READ_REGISTER(number) ({						\
	unsigned long value_;							\
	asm volatile("mfspr %0, " #number : "=r" (value_));			\
	(unsigned int)value_;							\
})

static unsigned int read_counter(unsigned int map)
{
	switch (map) {
	case 1:
		return READ_REGISTER(771);
	case 2:
		return READ_REGISTER(772);
	case 3:
		return READ_REGISTER(773);
	case 4:
		return READ_REGISTER(774);
	case 5:
		return READ_REGISTER(775);
	case 6:
		return READ_REGISTER(776);
	}
	return 0;
}

static unsigned int read_clock(void)
{
	return READ_REGISTER(268);
}
#else
/* Not called: PERFCTR_FEATURE_RDPMC is not set on this architecture. */
static unsigned int read_counter(unsigned int map)
{
	return 0;
}

static unsigned int read_clock(void)
{
	unsigned long now = 0;

#if defined(__aarch64__)
	asm volatile("isb\n\tmrs %0, cntvct_el0" : "=r" (now));
#endif
	return now;
}
#endif

int perfctr_get_info(struct perfctr_info *info)
{
	return syscall(__NR_perfctr_info, info, NULL, NULL);
}

unsigned int perfctr_abi_fits(const struct perfctr_info *info)
{
	return !((info->abi_version ^ PERFCTR_ABI_VERSION) & PERFCTR_ABI_VERSION_MASK);
}

const char *perfctr_cpu_vendor_name(void)
{
	static char name[13];
#if defined(__x86_64__) || defined(__i386__)
	unsigned int max, word[3];

	if (__get_cpuid(0, &max, &word[0], &word[2], &word[1]))
		memcpy(name, word, sizeof(word));
#endif
	return name;
}

static struct vperfctr *new_vperfctr(int tid, int own)
{
	struct vperfctr *self;
	struct perfctr_info info;
	void *page;

	if (perfctr_get_info(&info))
		return NULL;
	if (!perfctr_abi_fits(&info)) {
		errno = EPROTO;
		return NULL;
	}
	self = calloc(1, sizeof(*self));
	if (!self)
		return NULL;
	self->own = own;
	self->rdpmc = !!(info.cpu_features & PERFCTR_FEATURE_RDPMC);
	self->fd = syscall(__NR_vperfctr_open, tid, 1);
	/* The thread may have an object already. */
	if (self->fd < 0 && errno == EEXIST)
		self->fd = syscall(__NR_vperfctr_open, tid, 0);
	if (self->fd < 0) {
		free(self);
		return NULL;
	}
	page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, self->fd, 0);
	if (page == MAP_FAILED) {
		vperfctr_close(self);
		return NULL;
	}
	self->state = page;
	return self;
}

struct vperfctr *vperfctr_open(void)
{
	return new_vperfctr(0, 1);
}

struct vperfctr *rvperfctr_open(int tid)
{
	return new_vperfctr(tid, 0);
}

int vperfctr_fd(const struct vperfctr *self)
{
	return self->fd;
}

int vperfctr_info(const struct vperfctr *self, struct perfctr_info *info)
{
	(void)self;
	return perfctr_get_info(info);
}

int vperfctr_control(const struct vperfctr *self, const struct vperfctr_control *control)
{
	return syscall(__NR_vperfctr_control, self->fd, control);
}

int vperfctr_stop(const struct vperfctr *self)
{
	struct vperfctr_control control;

	memset(&control, 0, sizeof(control));
	return vperfctr_control(self, &control);
}

int vperfctr_is_running(const struct vperfctr *self)
{
	/*
	 * The control does not show this: the kernel stores a refused control, too, and keeps the
	 * control when counters are stopped.
	 */
	return perfctr_cstatus_enabled(self->state->cpu_state.cstatus) != 0;
}

int vperfctr_iresume(const struct vperfctr *self)
{
	return syscall(__NR_vperfctr_iresume, self->fd);
}

int vperfctr_unlink(const struct vperfctr *self)
{
	return syscall(__NR_vperfctr_unlink, self->fd);
}

void vperfctr_close(struct vperfctr *self)
{
	if (self->state)
		munmap((void *)self->state, sysconf(_SC_PAGESIZE));
	close(self->fd);
	free(self);
}

int vperfctr_read_state(const struct vperfctr *self, struct perfctr_sum_ctrs *sums,
			struct vperfctr_control *control, struct perfctr_sum_ctrs *children)
{
	return syscall(__NR_vperfctr_read, self->fd, sums, control, children);
}

/*
 * May the page be read without a system call? Without the TSC a reader cannot detect that the
 * kernel has changed the page.
 */
static int page_is_readable(const struct vperfctr *self, unsigned int *cstatus)
{
	if (!self->own || !self->rdpmc)
		return 0;
	*cstatus = self->state->cpu_state.cstatus;
	return perfctr_cstatus_has_tsc(*cstatus);
}

unsigned long long vperfctr_read_tsc(const struct vperfctr *self)
{
	const volatile struct perfctr_cpu_state *state = &self->state->cpu_state;
	struct perfctr_sum_ctrs sums = { 0 };
	unsigned int cstatus, start, now;
	unsigned long long sum;

	if (!self->own) {
		vperfctr_read_state(self, &sums, NULL, NULL);
		return sums.tsc;
	}
	do {
		cstatus = state->cstatus;
		start = state->tsc_start;
		sum = state->tsc_sum;
		now = read_clock();
	} while (cstatus != state->cstatus || start != state->tsc_start);
	return perfctr_cstatus_has_tsc(cstatus) ? sum + (now - start) : sum;
}

/* When a counter of POWER drops speculative counts, it steps back by up to 255 counts. */
static unsigned int progress(unsigned int start, unsigned int now)
{
#ifdef __powerpc__
	if (start - now < 256)
		return 0;
#endif
	return now - start;
}

unsigned long long vperfctr_read_pmc(const struct vperfctr *self, unsigned int i)
{
	const volatile struct perfctr_cpu_state *state = &self->state->cpu_state;
	struct perfctr_sum_ctrs sums = { 0 };
	unsigned int cstatus, tsc, now, start;
	unsigned long long sum;

	if (i >= PERFCTR_MAX_COUNTERS)
		return 0;
	/*
	 * At any time, an overflow may stop the counters, and a signal handler or a tracer may set
	 * another control: retry then.
	 */
	while (page_is_readable(self, &cstatus)) {
		tsc = state->tsc_start;
		start = state->pmc[i].start;
		now = start;
		if (i < perfctr_cstatus_nrctrs(cstatus))
			now = read_counter(state->pmc[i].map);
		sum = state->pmc[i].sum;
		if (tsc == state->tsc_start && cstatus == state->cstatus)
			return sum + progress(start, now);
	}
	vperfctr_read_state(self, &sums, NULL, NULL);
	return sums.pmc[i];
}

int vperfctr_read_ctrs(const struct vperfctr *self, struct perfctr_sum_ctrs *sums)
{
	const volatile struct perfctr_cpu_state *state = &self->state->cpu_state;
	unsigned int cstatus, tsc, i;

	while (page_is_readable(self, &cstatus)) {
		memset(sums, 0, sizeof(*sums));
		tsc = state->tsc_start;
		sums->tsc = state->tsc_sum + (read_clock() - tsc);
		for (i = 0; i < perfctr_cstatus_nrctrs(cstatus) && i < PERFCTR_MAX_COUNTERS; i++)
			sums->pmc[i] = state->pmc[i].sum +
				       progress(state->pmc[i].start,
						read_counter(state->pmc[i].map));
		if (tsc == state->tsc_start && cstatus == state->cstatus)
			return 0;
	}
	return vperfctr_read_state(self, sums, NULL, NULL);
}
