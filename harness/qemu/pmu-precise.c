// SPDX-License-Identifier: GPL-2.0
/*
 * Precise events: the CPU writes records to memory (PEBS). Here the address is exactly that of the
 * instruction that made the counter overflow.
 */
#define _GNU_SOURCE
#include <cpuid.h>
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pmu-test.h"

/* In sample_regs_intr */
#define REG_CX		2
#define REG_SI		4
#define REG_DI		5

/* Offsets of the instructions of loop(), and its length */
static const unsigned char places[LOOP_LENGTH] = { 0, 1, 2, 5 };

static bool no_records(void)
{
	__u32 a, b, c, d;

	if (__get_cpuid(1, &a, &b, &c, &d) && (d & (1 << 21)))
		return false;
	skip = "no debug store";
	return true;
}

static struct perf_event_attr precise(__u64 config, __u64 period)
{
	struct perf_event_attr attr = hardware(config);

	attr.sample_type = PERF_SAMPLE_IP;
	attr.sample_period = period;
	attr.precise_ip = 2;
	return attr;
}

static int open_precise(struct perf_event_attr *attr, struct perf_event_mmap_page **page)
{
	int fd = open_event(attr, -1);

	CHECK(fd >= 0, "no precise event: %s", strerror(errno));
	*page = fd >= 0 ? map_ring(fd) : NULL;
	return fd;
}

static void close_precise(int fd, struct perf_event_mmap_page *page)
{
	munmap(page, RING_SIZE + 4096);
	close(fd);
}

/* Copy the next record, of up to SIZE bytes, into BUF; false if there is none. */
static bool next_record(struct perf_event_mmap_page *page, void *buf, size_t size)
{
	const char *data = (char *)page + 4096;
	struct perf_event_header *h = buf;
	__u64 tail = page->data_tail;

	if (tail == __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE))
		return false;
	for (size_t i = 0; i < sizeof(*h); i++)
		((char *)buf)[i] = data[(tail + i) % RING_SIZE];
	for (size_t i = sizeof(*h); i < h->size && i < size; i++)
		((char *)buf)[i] = data[(tail + i) % RING_SIZE];
	page->data_tail = tail + h->size;
	return true;
}

struct found {
	__u64 nr, exact, other;
	__u64 at[LOOP_LENGTH], elsewhere;
};

/* Count samples, whose first word is an address, by the instruction in the loop. */
static struct found find(struct perf_event_mmap_page *page)
{
	struct found f = {};
	__u64 rec[64];

	while (next_record(page, rec, sizeof(rec))) {
		struct perf_event_header *h = (void *)rec;
		int i;

		if (h->type != PERF_RECORD_SAMPLE) {
			f.other++;
			continue;
		}
		f.nr++;
		f.exact += !!(h->misc & PERF_RECORD_MISC_EXACT_IP);
		for (i = 0; i < LOOP_LENGTH; i++) {
			if (rec[1] == (__u64)loop_start + places[i])
				break;
		}
		if (i < LOOP_LENGTH)
			f.at[i]++;
		else
			f.elsewhere++;
	}
	return f;
}

static void sample_precisely(__u64 config, __u64 period, int level, __u64 turns)
{
	struct perf_event_attr attr = precise(config, period);
	__u64 per_turn = config == PERF_COUNT_HW_BRANCH_INSTRUCTIONS ? 1 : LOOP_LENGTH;
	struct perf_event_attr counting = hardware(config);
	struct perf_event_mmap_page *page;
	struct found f;
	int fd, plain;

	attr.precise_ip = level;
	fd = open_precise(&attr, &page);
	/* A second counter, which starts and stops at the same time, counts without records. */
	counting.disabled = 0;
	plain = open_event(&counting, fd);
	CHECK(plain >= 0, "no counter beside: %s", strerror(errno));
	if (why)
		return;
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	loop(turns);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	f = find(page);
	say("event %llu, level %d, period %llu: %llu records, counter %llu", config, level, period,
	    f.nr, value(fd));
	say_place("by instruction: %llu %llu %llu %llu, elsewhere %llu", f.at[0], f.at[1], f.at[2],
		  f.at[3], f.elsewhere);
	CHECK(!f.other, "%llu records are no samples", f.other);
	CHECK(f.nr == value(fd) / period, "%llu records of %llu events", f.nr, value(fd));
	CHECK(value(fd) == value(plain), "%llu events, %llu without records", value(fd),
	      value(plain));
	CHECK(value(fd) - turns * per_turn < 100, "%llu events", value(fd));
	/* Records of level 1 have the address of the next instruction. */
	CHECK(f.exact == (level > 1 ? f.nr : 0), "%llu of %llu are exact", f.exact, f.nr);
	CHECK(f.elsewhere <= moved(f.nr), "%llu of %llu at no instruction of the loop",
	      f.elsewhere, f.nr);
	/* Only the last instruction is a branch; the next one is its target. */
	if (per_turn == 1)
		CHECK(f.at[level > 1 ? 3 : 0] + f.elsewhere == f.nr,
		      "%llu records: not all of the branch", f.nr);
	else if (period % 2)
		for (int i = 0; i < LOOP_LENGTH; i++)
			CHECK(f.at[i] + 1 + moved(f.nr) >= f.nr / 4 &&
			      f.at[i] <= f.nr / 4 + 1 + moved(f.nr),
			      "instruction %d has %llu of %llu", i, f.at[i], f.nr);
	close(plain);
	close_precise(fd, page);
}

void precise_samples(void)
{
	if (no_records())
		return;
	for (int level = 1; level <= 3; level++) {
		/* The highest level supports only instructions. */
		sample_precisely(PERF_COUNT_HW_INSTRUCTIONS, 10007, level, 1000000);
		if (level == 3)
			break;
		sample_precisely(PERF_COUNT_HW_CPU_CYCLES, 10007, level, 1000000);
		sample_precisely(PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 10007, level, 4000000);
	}
	sample_precisely(PERF_COUNT_HW_INSTRUCTIONS, 100000, 2, 2500000);
}

/* The registers are those after the instruction: loop() decrements one of them. */
void precise_registers(void)
{
	enum { PERIOD = 4000, TURNS = 500000 };
	struct perf_event_attr attr = precise(PERF_COUNT_HW_INSTRUCTIONS, PERIOD);
	struct perf_event_mmap_page *page;
	__u64 rec[16], last = 0, nr = 0, wrong = 0;
	int fd;

	if (no_records())
		return;
	attr.sample_type |= PERF_SAMPLE_REGS_INTR;
	attr.sample_regs_intr = 1 << REG_CX;
	fd = open_precise(&attr, &page);
	if (why)
		return;
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	loop(TURNS);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	/* { header, ip, ABI, register } */
	while (next_record(page, rec, sizeof(rec))) {
		if (((struct perf_event_header *)rec)->type != PERF_RECORD_SAMPLE)
			continue;
		if (nr++)
			wrong += last - rec[3] != PERIOD / LOOP_LENGTH;
		last = rec[3];
	}
	say("%llu records with registers, the last %llu turns before the end", nr, last);
	CHECK(nr == TURNS * LOOP_LENGTH / PERIOD, "%llu records", nr);
	CHECK(!wrong, "%llu of %llu registers are not those of the instruction", wrong, nr);
	close_precise(fd, page);
}

/* With a fixed period and simple samples, the interrupt is sent when the buffer is almost full. */
void precise_in_one_buffer(void)
{
	struct perf_event_attr attr = precise(PERF_COUNT_HW_INSTRUCTIONS, 1009);
	struct perf_event_mmap_page *page;
	struct found f;
	long interrupts;
	int fd;

	if (no_records())
		return;
	pin(0);
	fd = open_precise(&attr, &page);
	if (why)
		return;
	interrupts = sum_of_row("PMI");
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	loop(1000000);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	interrupts = sum_of_row("PMI") - interrupts;
	f = find(page);
	say("%llu records, counter %llu", f.nr, value(fd));
	say_place("%llu of the loop", f.nr - f.elsewhere);
	CHECK(f.nr == value(fd) / 1009, "%llu records of %llu events", f.nr, value(fd));
	CHECK(interrupts * 10 < (long)f.nr, "%ld interrupts for %llu records", interrupts, f.nr);
	close_precise(fd, page);
}

/* If two counters overflow at one instruction, they share one record. */
void precise_together(void)
{
	static const struct {
		__u64 config, period, per_turn;
	} events[] = {
		{ PERF_COUNT_HW_INSTRUCTIONS, 4000, LOOP_LENGTH },
		{ PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 1000, 1 },
		{ PERF_COUNT_HW_CPU_CYCLES, 3001, LOOP_LENGTH },
	};
	enum { NR = ARRAY_SIZE(events), TURNS = 1000000 };
	struct perf_event_mmap_page *page[NR];
	struct found f;
	int fd[NR];

	if (no_records())
		return;
	for (int i = 0; i < NR; i++) {
		struct perf_event_attr attr = precise(events[i].config, events[i].period);

		attr.disabled = !i;
		fd[i] = open_event(&attr, i ? fd[0] : -1);
		CHECK(fd[i] >= 0, "event %d: %s", i, strerror(errno));
		page[i] = fd[i] >= 0 ? map_ring(fd[i]) : NULL;
		if (why)
			return;
	}
	ioctl(fd[0], PERF_EVENT_IOC_ENABLE, 0);
	loop(TURNS);
	ioctl(fd[0], PERF_EVENT_IOC_DISABLE, 0);
	for (int i = 0; i < NR; i++) {
		f = find(page[i]);
		say("event %llu: %llu records, counter %llu", events[i].config, f.nr, value(fd[i]));
		CHECK(f.nr == value(fd[i]) / events[i].period, "event %d: %llu records of %llu", i,
		      f.nr, value(fd[i]));
		CHECK(value(fd[i]) - events[i].per_turn * TURNS < 100, "event %d counts %llu", i,
		      value(fd[i]));
		CHECK(!f.other, "event %d: %llu records are no samples", i, f.other);
	}
	for (int i = 0; i < NR; i++)
		close_precise(fd[i], page[i]);
}

void precise_in_the_kernel(void)
{
	struct perf_event_attr attr = precise(PERF_COUNT_HW_INSTRUCTIONS, 10007);
	__u64 rec[16], nr = 0, kernel = 0, exact = 0, total;
	struct perf_event_mmap_page *page;
	int fd;

	if (no_records())
		return;
	attr.exclude_kernel = 0;
	attr.exclude_user = 1;
	fd = open_precise(&attr, &page);
	if (why)
		return;
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	for (int i = 0; i < 10000; i++)
		close(dup(0));
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	total = value(fd);
	while (next_record(page, rec, sizeof(rec))) {
		struct perf_event_header *h = (void *)rec;

		if (h->type != PERF_RECORD_SAMPLE)
			continue;
		nr++;
		kernel += (h->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL &&
			  rec[1] >> 63;
		exact += !!(h->misc & PERF_RECORD_MISC_EXACT_IP);
	}
	printf("# %llu records in %llu instructions\n", nr, total);
	CHECK(nr > 100 && nr == total / 10007, "%llu records in %llu instructions", nr, total);
	CHECK(kernel == nr && exact == nr, "of %llu, %llu of the kernel, %llu exact", nr, kernel,
	      exact);
	close_precise(fd, page);
}

extern const char walk_load[], walk_store[];

/*
 * Load word after word of N from FROM, with the address in one register, and store it to TO, with
 * the address in another.
 */
static void walk(const __u64 *from, __u64 *to, __u64 n)
{
	__u64 word;

	asm volatile(".globl walk_load, walk_store\n"
		     "walk_load:\n\t"
		     "mov (%%rsi), %3\n\t"
		     "nop\n"
		     "walk_store:\n\t"
		     "mov %3, (%%rdi)\n\t"
		     "add $8, %%rsi\n\t"
		     "add $8, %%rdi\n\t"
		     "dec %2\n\t"
		     "jnz walk_load"
		     : "+S"(from), "+D"(to), "+c"(n), "=&r"(word) : : "cc", "memory");
}

/* The record of a load or store has the address of the access, which is in a register. */
void precise_data(void)
{
	static const struct {
		__u64 config, latency;
		const char *at;
		int reg;
		__u64 hit;	/* fields of the data source that are reported */
	} events[] = {
		{ 0x81d0, 0, walk_load, REG_SI, 0 },
		{ 0x82d0, 0, walk_store, REG_DI, PERF_MEM_LVL_L1 },
		{ 0x01cd, 30, walk_load, REG_SI, PERF_MEM_LVL_LOC_RAM },
	};
	enum { WORDS = 8192, TURNS = 50, PERIOD = 97 };
	static __u64 from[WORDS], to[WORDS];

	if (no_records())
		return;
	for (unsigned int i = 0; i < ARRAY_SIZE(events); i++) {
		struct perf_event_attr attr = precise(events[i].config, PERIOD);
		__u64 rec[16], nr = 0, here = 0, right = 0, level = 0;
		struct perf_event_mmap_page *page;
		int fd;

		attr.type = PERF_TYPE_RAW;
		attr.config1 = events[i].latency;
		attr.sample_type |= PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_REGS_INTR;
		attr.sample_regs_intr = 1 << events[i].reg;
		fd = open_precise(&attr, &page);
		if (why)
			return;
		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		for (int turn = 0; turn < TURNS; turn++)
			walk(from, to, WORDS);
		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		/* { header, ip, address, source, ABI, register } */
		while (next_record(page, rec, sizeof(rec))) {
			union perf_mem_data_src source = { .val = rec[3] };

			if (((struct perf_event_header *)rec)->type != PERF_RECORD_SAMPLE)
				continue;
			nr++;
			here += rec[1] == (__u64)events[i].at;
			right += rec[2] == rec[5];
			level += (source.mem_lvl & events[i].hit) == events[i].hit;
		}
		say("event %#llx: counter %llu", events[i].config, value(fd));
		say_place("%llu records, %llu of the loop", nr, here);
		CHECK(nr > 10 && nr + moved(nr) >= value(fd) / PERIOD && nr <= value(fd) / PERIOD,
		      "%llu records of %llu events", nr, value(fd));
		CHECK(here + moved(nr) >= nr, "only %llu of %llu are of the instruction", here, nr);
		CHECK(right + moved(nr) >= nr, "only %llu of %llu have the right address", right,
		      nr);
		CHECK(level == nr, "%llu of %llu come from where they should", level, nr);
		close_precise(fd, page);
	}
}

extern const char zigzag_first[], zigzag_last[];

/* N iterations with two taken branches each */
static void zigzag(__u64 n)
{
	asm volatile("1:\n\t"
		     ".globl zigzag_first, zigzag_last\n"
		     "zigzag_first:\n\t"
		     "jmp 2f\n\t"
		     "nop\n"
		     "2:\n\t"
		     "dec %0\n"
		     "zigzag_last:\n\t"
		     "jnz 1b" : "+c"(n) : : "cc");
}

/* The record of a precise branch event matches the first of its branch records. */
void precise_branches(void)
{
	struct perf_event_attr attr = precise(PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 1001);
	__u64 rec[256], nr = 0, right = 0, first = 0, entries = 0;
	struct perf_event_mmap_page *page;
	int fd;

	if (no_records())
		return;
	attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY;
	fd = open_precise(&attr, &page);
	if (why)
		return;
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	zigzag(100000);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	/* { header, ip, number, { from, to, flags } } */
	while (next_record(page, rec, sizeof(rec))) {
		if (((struct perf_event_header *)rec)->type != PERF_RECORD_SAMPLE)
			continue;
		nr++;
		entries += rec[2];
		right += rec[2] > 1 && rec[3] == rec[1] && rec[6] != rec[1] &&
			 (rec[3] == (__u64)zigzag_first || rec[3] == (__u64)zigzag_last) &&
			 (rec[6] == (__u64)zigzag_first || rec[6] == (__u64)zigzag_last);
		first += rec[1] == (__u64)zigzag_first;
	}
	say("%llu records", nr);
	say_place("%llu of the first branch", first);
	printf("# %llu branches\n", entries);
	CHECK(nr == value(fd) / 1001, "%llu records in %llu branches", nr, value(fd));
	CHECK(right == nr, "only %llu of %llu records begin with their own branch", right, nr);
	CHECK(first + moved(nr) >= nr / 2 && first <= nr / 2 + moved(nr),
	      "%llu of %llu of the first branch", first, nr);
	CHECK(entries > nr * 16, "%llu branches in %llu records", entries, nr);
	close_precise(fd, page);
}

/* Sample precisely on several CPUs, while tasks switch, fork and exit. */
void precise_storm(void)
{
	enum { MAX = 16, TASKS = 4 };
	int cpus = sysconf(_SC_NPROCESSORS_ONLN), fd[MAX];
	struct perf_event_mmap_page *page[MAX];
	__u64 rec[64], nr = 0, wrong = 0;
	pid_t busy[TASKS];

	if (no_records())
		return;
	if (cpus > MAX)
		cpus = MAX;
	for (int c = 0; c < cpus; c++) {
		struct perf_event_attr attr = precise(PERF_COUNT_HW_CPU_CYCLES, 5003);

		attr.exclude_kernel = 0;
		attr.sample_type |= PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_INTR;
		attr.sample_regs_intr = 1 << REG_CX;
		fd[c] = syscall(SYS_perf_event_open, &attr, -1, c, -1, 0);
		CHECK(fd[c] >= 0, "CPU %d: %s", c, strerror(errno));
		page[c] = fd[c] >= 0 ? map_ring(fd[c]) : NULL;
		if (why)
			return;
	}
	for (int c = 0; c < cpus; c++)
		ioctl(fd[c], PERF_EVENT_IOC_ENABLE, 0);
	for (int t = 0; t < TASKS; t++) {
		struct perf_event_attr attr = precise(PERF_COUNT_HW_INSTRUCTIONS, 1009);

		busy[t] = fork();
		if (busy[t])
			continue;
		pin(t % cpus);
		attr.disabled = 0;
		attr.inherit = 1;
		CHECK(open_event(&attr, -1) >= 0, "no precise event: %s", strerror(errno));
		for (int i = 0; i < 50; i++) {
			pid_t child = fork();

			if (!child)
				_exit(0);
			sched_yield();
			loop(1000);
			waitpid(child, NULL, 0);
		}
		_exit(!!why);
	}
	for (int t = 0; t < TASKS; t++) {
		int status;

		waitpid(busy[t], &status, 0);
		CHECK(!status, "a task ends with %#x", status);
	}
	for (int c = 0; c < cpus; c++) {
		ioctl(fd[c], PERF_EVENT_IOC_DISABLE, 0);
		while (next_record(page[c], rec, sizeof(rec))) {
			struct perf_event_header *h = (void *)rec;

			if (h->type != PERF_RECORD_SAMPLE)
				continue;
			nr++;
			wrong += !(h->misc & PERF_RECORD_MISC_EXACT_IP);
		}
		close_precise(fd[c], page[c]);
	}
	CHECK(nr > 500, "only %llu samples", nr);
	CHECK(!wrong, "%llu of %llu are not exact", wrong, nr);
}
