// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of an x86 PMU and its driver, for QEMU: KTAP on standard output. Numbers that must be the
 * same in every run and on every kernel are in lines that start with "# = ". Events count user
 * mode, unless a test says otherwise. Without -icount set PMU_HOST_TIME: then counts do not depend
 * on time.
 */
#define _GNU_SOURCE
#include <cpuid.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "pmu-test.h"

const char *why;
const char *skip;
char why_text[256];

void say(const char *format, ...)
{
	va_list args;

	printf("# = ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
}

void say_place(const char *format, ...)
{
	va_list args;

	printf("# ~ ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
}

__u64 moved(__u64 nr)
{
	return getenv("PMU_HOST_TIME") ? 1 + nr / 500 : 1;
}

/* Not inlined or cloned */
void loop(__u64 n)
{
	asm volatile(".globl loop_start, loop_end\n"
		     "loop_start:\n\t"
		     "nop\n\t"
		     "nop\n\t"
		     "dec %0\n\t"
		     "jnz loop_start\n"
		     "loop_end:" : "+c"(n) : : "cc");
}

struct perf_event_attr hardware(__u64 config)
{
	return (struct perf_event_attr) {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(struct perf_event_attr),
		.config = config,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
}

int open_event(struct perf_event_attr *attr, int group)
{
	return syscall(SYS_perf_event_open, attr, 0, -1, group, PERF_FLAG_FD_CLOEXEC);
}

static int open_counter(__u64 config, int group)
{
	struct perf_event_attr attr = hardware(config);
	int fd;

	attr.disabled = group < 0;
	fd = open_event(&attr, group);
	CHECK(fd >= 0, "event %llu cannot be opened: %s", config, strerror(errno));
	return fd;
}

__u64 value(int fd)
{
	__u64 v = 0;

	CHECK(read(fd, &v, sizeof(v)) == sizeof(v), "a counter cannot be read");
	return v;
}

/* Count of FD during a loop */
static __u64 count_loop(int fd, __u64 turns)
{
	ioctl(fd, PERF_EVENT_IOC_RESET, 0);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	loop(turns);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	return value(fd);
}

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text),
	      "%s: no %s", path, text);
	close(fd);
}

/* The sum of a row of /proc/interrupts. */
long sum_of_row(const char *row)
{
	char line[512];
	long sum = 0;
	FILE *f = fopen("/proc/interrupts", "r");

	while (f && fgets(line, sizeof(line), f)) {
		char *p = line + strspn(line, " ");

		if (strncmp(p, row, strlen(row)))
			continue;
		for (p += strlen(row) + 1; ; ) {
			char *end;
			long n = strtol(p, &end, 10);

			if (end == p)
				break;
			sum += n;
			p = end;
		}
	}
	if (f)
		fclose(f);
	return sum;
}

/* Counting */

static void count_events(void)
{
	static const struct {
		const char *name;
		__u64 config;
		double per_turn;
	} events[] = {
		{ "cycles", PERF_COUNT_HW_CPU_CYCLES, LOOP_LENGTH },
		{ "instructions", PERF_COUNT_HW_INSTRUCTIONS, LOOP_LENGTH },
		{ "branches", PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 1 },
		{ "branch-misses", PERF_COUNT_HW_BRANCH_MISSES, 1 / 32. },
		{ "cache-references", PERF_COUNT_HW_CACHE_REFERENCES, LOOP_LENGTH / 16. },
		{ "cache-misses", PERF_COUNT_HW_CACHE_MISSES, LOOP_LENGTH / 256. },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(events); i++) {
		int fd = open_counter(events[i].config, -1);
		__u64 one, two, expected;
		__s64 missing;

		if (fd < 0)
			return;
		count_loop(fd, 10);
		one = count_loop(fd, 64000);
		two = count_loop(fd, 6400000);
		if (events[i].per_turn >= 1)
			say("%s: %llu, %llu", events[i].name, one, two);
		/* The remainder of an event stays in the counter, for the next event on it. */
		expected = events[i].per_turn * (6400000 - 64000);
		missing = expected - (two - one);
		CHECK(missing == 0 || (events[i].per_turn < 1 && missing * missing == 1),
		      "%s counts %llu where %llu happen", events[i].name, two - one, expected);
		CHECK(one - events[i].per_turn * 64000 <= 100, "%s counts %llu at the ends",
		      events[i].name, (__u64)(one - events[i].per_turn * 64000));
		close(fd);
	}
}

static void small_counts(void)
{
	int fd = open_counter(PERF_COUNT_HW_INSTRUCTIONS, -1);
	__u64 before = count_loop(fd, 1);

	for (int turns = 2; turns < 700; turns++) {
		__u64 now = count_loop(fd, turns);

		CHECK(now - before == LOOP_LENGTH, "turn %d has %lld instructions", turns,
		      now - before);
		before = now;
	}
	close(fd);
}

static void string_instructions(void)
{
	int fd = open_counter(PERF_COUNT_HW_INSTRUCTIONS, -1);
	static char from[8192], to[8192];
	__u64 count[3];

	for (int i = 0; i < 3; i++) {
		long n = i ? 1000 * i : 1;
		void *d = to, *s = from;

		memset(to, 0, sizeof(to));
		ioctl(fd, PERF_EVENT_IOC_RESET, 0);
		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		asm volatile("rep movsb" : "+c"(n), "+D"(d), "+S"(s) : : "memory");
		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		count[i] = value(fd);
	}
	CHECK(count[0] == count[1] && count[1] == count[2],
	      "a repeated instruction counts %llu, %llu, %llu", count[0], count[1], count[2]);
	close(fd);
}

/* A fault and its handler do not count in user mode: the instruction counts once. */
static void count_faults(void)
{
	int fd = open_counter(PERF_COUNT_HW_INSTRUCTIONS, -1);
	size_t page = 4096, size = 64 * page;
	__u64 count[2];

	for (int faulting = 1; faulting >= 0; faulting--) {
		static char *p;

		if (faulting)
			p = mmap(NULL, size, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		madvise(p, size, MADV_NOHUGEPAGE);
		ioctl(fd, PERF_EVENT_IOC_RESET, 0);
		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		for (size_t i = 0; i < size; i += page)
			__atomic_store_n(p + i, 1, __ATOMIC_RELAXED);
		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		count[faulting] = value(fd);
	}
	say("stores to 64 pages: %llu", count[0]);
	CHECK(count[0] == count[1], "with faults %llu, without %llu", count[1], count[0]);
	close(fd);
}

/* Does one register start and stop all counters? Then they count the same instructions. */
static bool counters_start_together(void)
{
	__u32 a, b, c, d;

	if (__get_cpuid_count(0xa, 0, &a, &b, &c, &d) && (a & 0xff) >= 2)
		return true;
	return __get_cpuid_count(0x80000022, 0, &a, &b, &c, &d) && (a & 1);
}

static void user_and_kernel(void)
{
	__s64 slack = counters_start_together() ? 0 : 100;
	struct perf_event_attr attr = hardware(PERF_COUNT_HW_INSTRUCTIONS);
	__u64 buf[4];
	int fd[3];

	attr.read_format = PERF_FORMAT_GROUP;
	fd[0] = open_event(&attr, -1);
	attr.disabled = 0;
	attr.exclude_kernel = 0;
	attr.exclude_user = 1;
	fd[1] = open_event(&attr, fd[0]);
	attr.exclude_user = 0;
	fd[2] = open_event(&attr, fd[0]);
	CHECK(fd[2] >= 0, "no third instruction counter in a group");

	for (int run = 0; run < 240 && !why; run++) {
		ioctl(fd[0], PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
		ioctl(fd[0], PERF_EVENT_IOC_ENABLE, 0);
		loop(1000);
		for (int i = 0; i < run % 10; i++)
			getppid();
		ioctl(fd[0], PERF_EVENT_IOC_DISABLE, 0);
		if (read(fd[0], buf, sizeof(buf)) != sizeof(buf))
			buf[0] = 0;
		CHECK(buf[0] == 3, "the group cannot be read");
		CHECK(llabs((__s64)(buf[1] + buf[2] - buf[3])) <= slack,
		      "run %d: user %llu + kernel %llu is not %llu", run, buf[1], buf[2], buf[3]);
		CHECK(buf[1] >= 4000 && buf[2] >= 100, "user %llu, kernel %llu", buf[1], buf[2]);
	}
	for (int i = 0; i < 3; i++)
		close(fd[i]);
}

/* Sampling */

struct samples {
	__u64 nr, inside, lost, throttled, user, chain;
	__u64 at[LOOP_LENGTH];
};

void *map_ring(int fd)
{
	void *p = mmap(NULL, RING_SIZE + 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	CHECK(p != MAP_FAILED, "no ring buffer: %s", strerror(errno));
	return p == MAP_FAILED ? NULL : p;
}

/* Return the instruction of the loop at ADDRESS, or -1. */
static int place(__u64 address)
{
	__u64 offset = address - (__u64)loop_start;

	if (address >= (__u64)loop_end)
		return -1;
	return offset < 2 ? (int)offset : offset == 2 ? 2 : 3;
}

/* Samples are { header, ip, number of callers, callers }, or { header, ip }. */
static void collect(struct perf_event_mmap_page *page, struct samples *s, bool callers)
{
	char *data = (char *)page + 4096;
	__u64 size = RING_SIZE, head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);

	while (page->data_tail < head) {
		__u64 rec[64];
		struct perf_event_header *h = (void *)rec;
		__u64 tail = page->data_tail;

		for (int i = 0; i < 8; i++)
			((char *)rec)[i] = data[(tail + i) % size];
		for (unsigned int i = 8; i < h->size && i < sizeof(rec); i++)
			((char *)rec)[i] = data[(tail + i) % size];
		page->data_tail = tail + h->size;
		if (h->type == PERF_RECORD_LOST)
			s->lost += rec[2];
		if (h->type == PERF_RECORD_THROTTLE)
			s->throttled++;
		if (h->type != PERF_RECORD_SAMPLE)
			continue;
		s->nr++;
		s->user += (h->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER;
		if (place(rec[1]) >= 0) {
			s->inside++;
			s->at[place(rec[1])]++;
		}
		if (callers && rec[2] >= 3)
			s->chain++;
	}
}

static void sample_loop(__u64 config, __u64 period, __u64 turns, __u64 expected)
{
	struct perf_event_attr attr = hardware(config);
	struct perf_event_mmap_page *page;
	struct samples s = {};
	int fd;

	attr.sample_type = PERF_SAMPLE_IP;
	attr.sample_period = period;
	fd = open_event(&attr, -1);
	CHECK(fd >= 0, "no sampling: %s", strerror(errno));
	page = map_ring(fd);
	if (!page)
		return;
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	loop(turns);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	collect(page, &s, false);
	say("period %llu: %llu samples, counter %llu", period, s.nr, value(fd));
	say_place("%llu in the loop, by instruction: %llu %llu %llu %llu", s.inside, s.at[0],
		  s.at[1], s.at[2], s.at[3]);
	CHECK(!s.lost && !s.throttled, "%llu lost, throttled %llu times", s.lost, s.throttled);
	CHECK(s.nr == expected, "%llu samples instead of %llu", s.nr, expected);
	/* The interrupt of a sample may be delayed until the timer's interrupt has started. */
	CHECK(s.user + moved(s.nr) >= s.nr, "%llu samples of %llu are of user mode", s.user, s.nr);
	CHECK(s.inside + moved(s.nr) >= s.nr, "only %llu of %llu samples in the loop", s.inside,
	      s.nr);
	munmap(page, RING_SIZE + 4096);
	close(fd);
}

static void sampling(void)
{
	sample_loop(PERF_COUNT_HW_INSTRUCTIONS, 100000, 25000000, 1000);
	sample_loop(PERF_COUNT_HW_CPU_CYCLES, 100000, 25000000, 1000);
	sample_loop(PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 100000, 10000000, 100);
}

static void sampling_often(void)
{
	sample_loop(PERF_COUNT_HW_INSTRUCTIONS, 1000, 2000000, 8000);
}

static void sampling_evenly(void)
{
	struct samples s = {};
	struct perf_event_attr attr = hardware(PERF_COUNT_HW_INSTRUCTIONS);
	struct perf_event_mmap_page *page;
	int fd;

	attr.sample_type = PERF_SAMPLE_IP;
	attr.sample_period = 10007;
	fd = open_event(&attr, -1);
	page = map_ring(fd);
	if (!page)
		return;
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	loop(10000000);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	collect(page, &s, false);
	say("%llu samples", s.nr);
	say_place("by instruction: %llu %llu %llu %llu", s.at[0], s.at[1], s.at[2], s.at[3]);
	CHECK(s.nr == 40000000 / 10007, "%llu samples", s.nr);
	for (int i = 0; i < LOOP_LENGTH; i++)
		CHECK(s.at[i] + moved(s.nr) >= s.nr / 4 &&
		      s.at[i] <= s.nr / 4 + 1 + moved(s.nr),
		      "instruction %d has %llu of %llu samples", i, s.at[i], s.nr);
	munmap(page, RING_SIZE + 4096);
	close(fd);
}

/* Instructions and call chains of the kernel, from an NMI */
static void sampling_the_kernel(void)
{
	struct perf_event_attr attr = hardware(PERF_COUNT_HW_INSTRUCTIONS);
	struct perf_event_mmap_page *page;
	struct samples s = {};
	unsigned int seed = 1;
	__u64 total;
	int fd;

	attr.exclude_kernel = 0;
	attr.exclude_user = 1;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN;
	attr.exclude_callchain_user = 1;
	attr.sample_period = 10007;
	fd = open_event(&attr, -1);
	CHECK(fd >= 0, "no sampling of the kernel: %s", strerror(errno));
	page = map_ring(fd);
	if (!page)
		return;
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	/*
	 * No two iterations are alike: if the period were close to a multiple of an iteration, many
	 * samples would be at one instruction, perhaps at the return to user mode.
	 */
	for (int i = 0; i < 12000; i++) {
		close(dup(0));
		for (int more = rand_r(&seed) % 8; more; more--)
			syscall(SYS_getppid);
	}
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	total = value(fd);
	collect(page, &s, true);
	CHECK(!s.lost && !s.throttled, "%llu lost, throttled %llu times", s.lost, s.throttled);
	CHECK(s.nr == total / 10007, "%llu samples in %llu instructions", s.nr, total);
	/* The instruction that returns to user mode belongs to the kernel. */
	CHECK(s.nr > 100 && s.user * 20 < s.nr, "%llu of %llu samples are of user mode", s.user,
	      s.nr);
	CHECK(s.chain * 2 > s.nr, "only %llu of %llu samples have callers", s.chain, s.nr);
	munmap(page, RING_SIZE + 4096);
	close(fd);
}

static int signals;

static void on_signal(int sig)
{
	__atomic_add_fetch(&signals, 1, __ATOMIC_RELAXED);
}

static void signals_of_overflow(void)
{
	struct perf_event_attr attr = hardware(PERF_COUNT_HW_INSTRUCTIONS);
	void *page;
	int fd;

	signal(SIGIO, on_signal);
	signals = 0;
	attr.sample_period = 100000;
	attr.wakeup_events = 1;
	fd = open_event(&attr, -1);
	page = map_ring(fd);
	if (!page)
		return;
	fcntl(fd, F_SETOWN, getpid());
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_ASYNC);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	loop(500000);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	say("%d signals", READ_ONCE(signals));
	CHECK(READ_ONCE(signals) == 20, "%d signals for 20 periods", READ_ONCE(signals));
	munmap(page, RING_SIZE + 4096);
	close(fd);
	signal(SIGIO, SIG_DFL);
}

/* Branch records */

static int open_branches(__u64 filter, struct perf_event_mmap_page **page)
{
	struct perf_event_attr attr = hardware(PERF_COUNT_HW_CPU_CYCLES);
	int fd;

	attr.sample_type = PERF_SAMPLE_BRANCH_STACK;
	attr.sample_period = 10007;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER | filter;
	fd = open_event(&attr, -1);
	if (fd >= 0)
		*page = map_ring(fd);
	return fd;
}

struct branches {
	__u64 samples, entries, expected;
};

/* Count the entries FROM, TO of the samples, which are { header, number, entries }. */
static void collect_branches(struct perf_event_mmap_page *page, __u64 from, __u64 to,
			     struct branches *b)
{
	__u64 size = RING_SIZE, head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	__u64 *data = (void *)((char *)page + 4096);

	for (__u64 at = page->data_tail; at < head; ) {
		struct perf_event_header *h = (void *)&data[at % size / 8];
		__u64 nr = data[(at + 8) % size / 8];

		if (h->type == PERF_RECORD_SAMPLE) {
			b->samples++;
			for (__u64 i = 0; i < nr; i++) {
				b->entries++;
				b->expected += data[(at + 16 + i * 24) % size / 8] == from &&
					       data[(at + 24 + i * 24) % size / 8] == to;
			}
		}
		at += h->size;
		page->data_tail = at;
	}
}

static void branch_records(void)
{
	struct perf_event_mmap_page *page;
	struct branches any = {}, calls = {};
	int fd = open_branches(PERF_SAMPLE_BRANCH_ANY, &page);

	if (fd < 0 && errno == EOPNOTSUPP) {
		skip = "no branch records";
		return;
	}
	CHECK(fd >= 0, "no branch records: %s", strerror(errno));
	if (why)
		return;
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	loop(1000000);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	collect_branches(page, (__u64)loop_end - 2, (__u64)loop_start, &any);
	/* Branches of an interrupt replace entries, so runs may differ in these numbers. */
	printf("# any branch: %llu samples, %llu entries, %llu of the loop\n",
	       any.samples, any.entries, any.expected);
	CHECK(any.samples == 4000000 / 10007, "%llu samples", any.samples);
	CHECK(any.entries * 10 > any.samples * 16 * 9 && any.expected == any.entries,
	      "%llu entries, %llu of the loop", any.entries, any.expected);
	munmap(page, RING_SIZE + 4096);
	close(fd);

	fd = open_branches(PERF_SAMPLE_BRANCH_ANY_CALL, &page);
	CHECK(fd >= 0, "no filter for calls: %s", strerror(errno));
	if (why)
		return;
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	for (int i = 0; i < 10000; i++)
		loop(20);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	collect_branches(page, 0, 0, &calls);
	printf("# calls: %llu samples, %llu entries\n", calls.samples, calls.entries);
	CHECK(calls.samples > 50 && calls.entries >= calls.samples * 10,
	      "%llu samples with %llu calls", calls.samples, calls.entries);
	munmap(page, RING_SIZE + 4096);
	close(fd);
}

/* Without a system call */

static __u64 rdpmc(__u32 counter)
{
	__u32 low, high;

	asm volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(counter));
	return low | (__u64)high << 32;
}

/* As in the ABI: index, value and offset are consistent if lock has not changed. */
static __u64 read_page(struct perf_event_mmap_page *page)
{
	__u32 seq, index;
	__s64 count;

	do {
		seq = READ_ONCE(page->lock);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		index = READ_ONCE(page->index);
		count = READ_ONCE(page->offset);
		if (page->cap_user_rdpmc && index) {
			__s64 pmc = rdpmc(index - 1);

			pmc <<= 64 - page->pmc_width;
			pmc >>= 64 - page->pmc_width;
			count += pmc;
		}
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
	} while (READ_ONCE(page->lock) != seq);
	return count;
}

static __u64 count_loop_by_page(struct perf_event_mmap_page *page, __u64 turns)
{
	__u64 before = read_page(page);

	loop(turns);
	return read_page(page) - before;
}

static void reading_in_user_mode(void)
{
	__u64 configs[] = { PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_BRANCH_INSTRUCTIONS };

	for (int i = 0; i < 2; i++) {
		struct perf_event_attr attr = hardware(configs[i]);
		struct perf_event_mmap_page *page;
		__u64 before, after, read_value, expected = i ? 1 : LOOP_LENGTH;
		int fd;

		attr.disabled = 0;
		fd = open_event(&attr, -1);
		page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		CHECK(page != MAP_FAILED, "no page");
		if (page == MAP_FAILED)
			return;
		CHECK(page->cap_user_rdpmc && page->index, "rdpmc: %d, index %u",
		      (int)page->cap_user_rdpmc, page->index);
		CHECK(page->pmc_width == 48, "%u bits", page->pmc_width);
		if (why)
			return;
		count_loop_by_page(page, 10);
		before = count_loop_by_page(page, 1000);
		after = count_loop_by_page(page, 1001000);
		say("by page: %llu, %llu", before, after);
		CHECK(after - before == expected * 1000000, "%llu in a million turns",
		      after - before);
		read_value = value(fd);
		before = read_page(page);
		CHECK(before >= read_value && before - read_value < 1000,
		      "read %llu, then by page %llu", read_value, before);
		munmap(page, 4096);
		close(fd);
	}
}

/* Interrupts, switches and other CPUs */

static void see_watchdog(void)
{
	char on = 0;
	int fd = open("/proc/sys/kernel/nmi_watchdog", O_RDONLY);

	CHECK(fd >= 0 && read(fd, &on, 1) == 1 && on == '1', "the NMI watchdog is off");
	close(fd);
	CHECK(sum_of_row("NMI") > 0 && sum_of_row("PMI") > 0, "%ld NMIs, %ld PMIs",
	      sum_of_row("NMI"), sum_of_row("PMI"));
}

void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* Tasks that share a CPU each count their own work. */
static void share_cpus(int cpus)
{
	enum { TASKS = 6 };
	int status, pipes[TASKS][2];
	__u64 count[TASKS] = {};

	for (int t = 0; t < TASKS; t++) {
		if (pipe(pipes[t]))
			return;
		if (fork() == 0) {
			__u64 v;
			int fd;

			pin(t % cpus);
			fd = open_counter(PERF_COUNT_HW_INSTRUCTIONS, -1);
			count_loop(fd, 10);
			v = count_loop(fd, 4000000);
			if (write(pipes[t][1], &v, sizeof(v)) != sizeof(v))
				_exit(1);
			_exit(0);
		}
	}
	for (int t = 0; t < TASKS; t++) {
		wait(&status);
		CHECK(status == 0, "a task has died");
	}
	for (int t = 0; t < TASKS; t++) {
		CHECK(read(pipes[t][0], &count[t], 8) == 8, "no count of task %d", t);
		CHECK(count[t] == count[0], "task %d counts %llu, task 0 %llu", t, count[t],
		      count[0]);
		close(pipes[t][0]);
		close(pipes[t][1]);
	}
	say("%d tasks on %d CPUs: %llu each", TASKS, cpus, count[0]);
	CHECK(count[0] - 16000000 < 200, "%llu instructions", count[0]);
}

static void tasks_on_one_cpu(void)
{
	share_cpus(1);
}

static void tasks_on_all_cpus(void)
{
	share_cpus(sysconf(_SC_NPROCESSORS_ONLN));
}

/* Sample on several CPUs, while tasks switch, fork and exit. */
static void storm(void)
{
	int cpus = sysconf(_SC_NPROCESSORS_ONLN), fd[16];
	struct perf_event_mmap_page *page[16];
	struct samples s = {};
	pid_t busy[4];

	for (int c = 0; c < cpus && c < 16; c++) {
		struct perf_event_attr attr = hardware(PERF_COUNT_HW_CPU_CYCLES);

		attr.exclude_kernel = 0;
		attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN;
		attr.sample_period = 20011;
		fd[c] = syscall(SYS_perf_event_open, &attr, -1, c, -1, 0);
		CHECK(fd[c] >= 0, "CPU %d: %s", c, strerror(errno));
		page[c] = map_ring(fd[c]);
		if (!page[c])
			return;
	}
	for (int c = 0; c < cpus && c < 16; c++)
		ioctl(fd[c], PERF_EVENT_IOC_ENABLE, 0);
	for (int t = 0; t < 4; t++) {
		busy[t] = fork();
		if (busy[t])
			continue;
		pin(t % cpus);
		open_counter(PERF_COUNT_HW_INSTRUCTIONS, -1);
		for (int i = 0; i < 100; i++) {
			pid_t child = fork();

			if (!child)
				_exit(0);
			sched_yield();
			waitpid(child, NULL, 0);
		}
		_exit(0);
	}
	for (int t = 0; t < 4; t++)
		waitpid(busy[t], NULL, 0);
	for (int c = 0; c < cpus && c < 16; c++) {
		ioctl(fd[c], PERF_EVENT_IOC_DISABLE, 0);
		collect(page[c], &s, true);
		munmap(page[c], RING_SIZE + 4096);
		close(fd[c]);
	}
	CHECK(s.nr > 500, "only %llu samples", s.nr);
	CHECK(s.chain * 2 > s.nr, "only %llu of %llu samples have callers", s.chain, s.nr);
}

static const struct {
	const char *name;
	void (*run)(void);
} tests[] = {
	{ "counts_what_happens", count_events },
	{ "counts_all_generic_events", generic_events },
	{ "counts_every_turn", small_counts },
	{ "counts_a_repeated_instruction_once", string_instructions },
	{ "counts_a_faulting_instruction_once", count_faults },
	{ "user_and_kernel_make_the_total", user_and_kernel },
	{ "samples_every_period", sampling },
	{ "samples_often", sampling_often },
	{ "samples_evenly", sampling_evenly },
	{ "samples_the_kernel_with_callers", sampling_the_kernel },
	{ "signals_every_period", signals_of_overflow },
	{ "records_branches", branch_records },
	{ "shares_counters_fairly", multiplexing },
	{ "has_so_many_counters_and_no_more", too_many },
	{ "counts_on_all_counters_at_once", all_counters },
	{ "reads_in_user_mode", reading_in_user_mode },
	{ "counts_for_each_task", tasks_on_one_cpu },
	{ "counts_for_each_cpu", tasks_on_all_cpus },
	{ "records_precise_instructions", precise_samples },
	{ "records_registers", precise_registers },
	{ "records_many_before_an_interrupt", precise_in_one_buffer },
	{ "records_data_addresses", precise_data },
	{ "records_several_events", precise_together },
	{ "records_the_kernel", precise_in_the_kernel },
	{ "records_the_newest_branch_first", precise_branches },
	{ "survives_a_storm", storm },
	{ "survives_a_storm_of_records", precise_storm },
	{ "has_a_watchdog", see_watchdog },
};

int main(int argc, char **argv)
{
	int nr = ARRAY_SIZE(tests), failed = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	/* More samples a second than hardware should handle */
	write_file("/proc/sys/kernel/perf_cpu_time_max_percent", "50\n");
	write_file("/proc/sys/kernel/perf_event_max_sample_rate", "4000000\n");
	write_file("/proc/sys/kernel/perf_cpu_time_max_percent", "0\n");
	printf("KTAP version 1\n1..%d\n", nr);
	for (int i = 0; i < nr; i++) {
		if (argc > 1 && !strstr(tests[i].name, argv[1]))
			continue;
		why = NULL;
		skip = NULL;
		tests[i].run();
		if (why)
			printf("# %s\n", why);
		printf("%s %d %s%s%s\n", why ? "not ok" : "ok", i + 1, tests[i].name,
		       skip ? " # SKIP " : "", skip ?: "");
		failed += !!why;
	}
	return !!failed;
}
