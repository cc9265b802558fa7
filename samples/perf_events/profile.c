// SPDX-License-Identifier: GPL-2.0
/*
 * A program that profiles itself, with call chains:
 *
 *	profile [-f] [SIZE]
 *
 * The program samples its CPU time or, with -f, each of its page faults. Each line of the output is
 * a call chain, the outermost function first, and its number of samples. Tools for flame graphs
 * accept such lines. Functions of the C library are omitted, and consecutive entries of one
 * function are merged.
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Exit status of a skipped selftest: this machine, kernel or user cannot run the program. */
#define SKIP		4
#define BUFFER_PAGES	64	/* a power of two */
#define MAX_CHAINS	64

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

/*
 * If the name of a section is an identifier, the linker defines symbols for the start and the end
 * of the section. With noipa the compiler does not copy or inline the function.
 */
#define profiled	__attribute__((noipa, section("profiled")))
extern const char __start_profiled[], __stop_profiled[];

static char *next;
static long page_size;
/* How often fill() writes each page */
static unsigned int passes = 1;

/* fill() calls this function, because only a function with a call has a frame everywhere. */
static profiled char *take_page(void)
{
	char *page = next;

	next += page_size;
	return page;
}

static profiled void fill(unsigned int pages)
{
	while (pages--) {
		char *page = take_page();
		unsigned int pass;
		long i;

		for (pass = 0; pass < passes; pass++) {
			for (i = 0; i < page_size; i++)
				__atomic_store_n(&page[i], i, __ATOMIC_RELAXED);
		}
	}
}

static profiled void parse(unsigned int size)
{
	fill(2 * size);
}

static profiled void render(unsigned int size)
{
	fill(size);
	while (size--)
		__atomic_store_n(take_page(), 1, __ATOMIC_RELAXED);
}

static profiled void work(unsigned int size)
{
	parse(size);
	render(size);
}

static const struct {
	const char *name;
	void *start;
} functions[] = {
	{ "take_page", take_page }, { "fill", fill }, { "parse", parse },
	{ "render", render }, { "work", work },
};

static struct chain {
	char text[128];
	unsigned long samples;
} chains[MAX_CHAINS];

/* Return: the name of the last function that begins at or before the address */
static const char *name_of(unsigned long address)
{
	unsigned long start, best = 0;
	const char *name = NULL;
	unsigned int i;

	if (address < (unsigned long)__start_profiled || address >= (unsigned long)__stop_profiled)
		return NULL;
	for (i = 0; i < ARRAY_SIZE(functions); i++) {
		start = (unsigned long)functions[i].start;
		if (start <= address && start >= best) {
			best = start;
			name = functions[i].name;
		}
	}
	return name;
}

/* A sample begins with the innermost function. All other addresses are those after a call. */
static void add_chain(const __u64 *ips, __u64 nr)
{
	const char *name, *last = NULL;
	char text[128] = "";
	unsigned int c;
	size_t len = 0;

	while (nr--) {
		/* Skip context markers, which are not below PERF_CONTEXT_MAX. */
		if (ips[nr] >= PERF_CONTEXT_MAX)
			continue;
		name = name_of(ips[nr] - (nr > 1));
		if (!name || name == last || len + strlen(name) + 2 > sizeof(text))
			continue;
		len += sprintf(text + len, "%s%s", len ? ";" : "", name);
		last = name;
	}
	for (c = 0; c < MAX_CHAINS - 1 && chains[c].samples; c++) {
		if (!strcmp(chains[c].text, text))
			break;
	}
	memcpy(chains[c].text, text, sizeof(text));
	chains[c].samples++;
}

/* Layout of the data that read(2) returns; attr.read_format selects the fields */
struct count {
	__u64 value;
	__u64 lost;
};

/* Take all records out of the buffer. */
static void read_buffer(struct perf_event_mmap_page *page)
{
	const char *data = (const char *)page + page_size;
	__u64 size = BUFFER_PAGES * page_size;
	/* A record has 64 KiB at most, and may wrap around. */
	static __u64 record[1 << 13];
	struct perf_event_header *header = (void *)record;
	__u64 head, tail = page->data_tail, i;

	/* Load data_head before the records. */
	head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	for (; tail != head; tail += header->size) {
		/* Records are multiples of 8 bytes. */
		record[0] = *(const __u64 *)(data + tail % size);
		for (i = 8; i < header->size; i += 8)
			record[i / 8] = *(const __u64 *)(data + (tail + i) % size);
		if (header->type == PERF_RECORD_SAMPLE)
			add_chain(record + 2, record[1]);
	}
	/* After this store the kernel may overwrite these records. */
	__atomic_store_n(&page->data_tail, tail, __ATOMIC_RELEASE);
}

int main(int argc, char **argv)
{
	int faults = argc > 1 && !strcmp(argv[1], "-f");
	unsigned int size = argc > 1 + faults ? strtoul(argv[1 + faults], NULL, 0) : 20;
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = faults ? PERF_COUNT_SW_PAGE_FAULTS : PERF_COUNT_SW_TASK_CLOCK,
		.sample_type = PERF_SAMPLE_CALLCHAIN,
		.read_format = PERF_FORMAT_LOST,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_callchain_kernel = 1,
	};
	struct perf_event_mmap_page *page;
	struct count count;
	unsigned int c;
	size_t bytes;
	int fd;

	page_size = sysconf(_SC_PAGESIZE);
	if (faults) {
		attr.sample_period = 1;
	} else {
		attr.freq = 1;
		attr.sample_freq = 1000;
		/* Use some CPU time. */
		passes = (1 << 20) / page_size;
	}
	bytes = (4 * size + 4) * page_size;
	next = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (next == MAP_FAILED) {
		perror("mmap");
		return 1;
	}
	/* One fault for each page. A kernel without huge pages refuses the call: ignore that. */
	madvise(next, bytes, MADV_NOHUGEPAGE);
	/* Call the functions once first: page faults on their code must not be sampled. */
	work(0);

	fd = syscall(__NR_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0) {
		perror("perf_event_open");
		return SKIP;
	}
	page = mmap(NULL, (1 + BUFFER_PAGES) * page_size, PROT_READ | PROT_WRITE, MAP_SHARED,
		    fd, 0);
	if (page == MAP_FAILED) {
		perror("mmap");
		return 1;
	}
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	work(size);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	read_buffer(page);
	/* The buffer may have no PERF_RECORD_LOST, which also needs space: read the number. */
	if (read(fd, &count, sizeof(count)) != sizeof(count)) {
		perror("read");
		return 1;
	}
	for (c = 0; c < MAX_CHAINS && chains[c].samples; c++)
		printf("%s %lu\n", chains[c].text, chains[c].samples);
	printf("lost %llu\n", count.lost);
	return 0;
}
