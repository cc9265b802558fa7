// SPDX-License-Identifier: GPL-2.0
/*
 * Read a count in user space, without a system call:
 *
 *	rdpmc [ROUNDS]
 *
 * If the CPU has counters, the program counts the instructions of a loop of ROUNDS. Otherwise it
 * counts page faults, one in each round. A page fault has no hardware counter, so read_event() uses
 * read(2).
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Exit status of a skipped selftest: this machine, kernel or user cannot run the program. */
#define SKIP	4

#if defined(__x86_64__) || defined(__i386)
static __u64 read_counter(__u32 counter)
{
	__u32 low, high;

	__asm__ __volatile__("rdpmc" : "=a" (low), "=d" (high) : "c" (counter));
	return low | (__u64)high << 32;
}

/* Two instructions a round */
static void loop(unsigned long rounds)
{
	if (!rounds)
		return;
	__asm__ __volatile__("1: dec %0\n\tjnz 1b" : "+r" (rounds) : : "cc");
}

#define HAS_COUNTER	1
#else
static __u64 read_counter(__u32 counter)
{
	return counter;
}

static void loop(unsigned long rounds)
{
	while (rounds--)
		__asm__ __volatile__("");
}

#define HAS_COUNTER	0
#endif

static __u64 read_by_call(int fd)
{
	__u64 count = 0;

	return read(fd, &count, sizeof(count)) == sizeof(count) ? count : 0;
}

/**
 * read_event - read the count of an event of the calling thread
 * @page: first page of the event's mapping
 * @fd: the event
 * @by_call: set to 1 if read(2) was needed
 *
 * The kernel increments lock before and after each change of the page. If lock is the same before
 * and after the fields are read, the fields belong together: the thread was not switched out in
 * between, and the counter still belongs to the event.
 *
 * Return: the count
 */
static __u64 read_event(const struct perf_event_mmap_page *page, int fd, int *by_call)
{
	__u32 lock, index;
	__u64 count, pmc;
	int width;

	do {
		/* Only this CPU changes the page meanwhile, so compiler barriers are enough. */
		lock = __atomic_load_n(&page->lock, __ATOMIC_RELAXED);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		count = page->offset;
		index = page->index;
		if (!HAS_COUNTER || !page->cap_user_rdpmc || !index) {
			*by_call = 1;
			return read_by_call(fd);
		}
		width = page->pmc_width;
		/* Extend the sign, which is the highest of the counter's bits. */
		pmc = read_counter(index - 1) << (64 - width);
		count += (__s64)pmc >> (64 - width);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
	} while (lock & 1 || lock != __atomic_load_n(&page->lock, __ATOMIC_RELAXED));
	return count;
}

static int open_event(__u32 type, __u64 config)
{
	struct perf_event_attr attr = {
		.type = type,
		.size = sizeof(attr),
		.config = config,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	return syscall(__NR_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static void touch(unsigned long rounds)
{
	char *next;
	long page_size = sysconf(_SC_PAGESIZE);

	next = mmap(NULL, (rounds + 1) * page_size, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (next == MAP_FAILED)
		return;
	/* One fault for each page. A kernel without huge pages refuses the call: ignore that. */
	madvise(next, (rounds + 1) * page_size, MADV_NOHUGEPAGE);
	for (; rounds--; next += page_size)
		__atomic_store_n(next, 1, __ATOMIC_RELAXED);
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 0) : 1000;
	__u64 first, before, after, last;
	struct perf_event_mmap_page *page;
	void (*work)(unsigned long rounds) = loop;
	int by_call = 0;
	int fd = open_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);

	if (fd < 0) {
		fd = open_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
		work = touch;
	}
	if (fd < 0) {
		perror("perf_event_open");
		return SKIP;
	}
	/* Map the user page alone: the event needs no buffer. */
	page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED) {
		perror("mmap");
		return 1;
	}
	/* Call both functions once first: page faults at their first call must not be counted. */
	work(1);
	read_event(page, fd, &by_call);
	by_call = 0;

	first = read_by_call(fd);
	before = read_event(page, fd, &by_call);
	work(rounds);
	after = read_event(page, fd, &by_call);
	last = read_by_call(fd);

	printf("%s %llu\n", work == loop ? "instructions" : "page-faults", after - before);
	printf("read by %s\n", by_call ? "read" : "rdpmc");
	/* All four reads are of one count, which never decreases. */
	printf("in order %s\n", first <= before && after <= last ? "yes" : "no");
	return 0;
}
