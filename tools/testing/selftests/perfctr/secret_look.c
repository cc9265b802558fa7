// SPDX-License-Identifier: GPL-2.0
/*
 * Counters of the program secret, and the values that a process can read; see secret.h.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "secret.h"

/* More instructions than the attacker executes in user mode */
#define LIMIT		500000
/* If the kernel is counted, too: minimum of the limit, and factor on measure_opening() */
#define LIMIT_KERNEL	4000000
#define TIMES_OPENED	4

/* Period of root's samples: it does not end during a test, and starts near a multiple of 2^31 */
#define PERIOD		0x7fffffff

/* Event select: cycles in which fewer than @n instructions retire */
#define CYCLES_BELOW(n)	(0xc0 | 1 << 23 | (__u64)(n) << 24)
/* No CPU retires more instructions in a cycle. */
#define MOST_RETIRED	32

struct shared *shared;
struct own own = { .object = -1 };
/* Do the counters in own count this process? They do not in the helper. */
bool owner = true;

static const volatile struct perf_event_mmap_page *event_page[MAX_OWN];
static const volatile struct vperfctr_state *object_page;

/**
 * must - end this process if a step has failed
 * @holds: false if the step has failed
 * @line: line of the step
 */
void must(bool holds, int line)
{
	if (holds)
		return;
	shared->line = line;
	_exit(1);
}

/**
 * cannot - end this process and skip the test: this CPU or kernel has no such counters
 * @why: the reason that the test prints
 */
void cannot(const char *why)
{
	snprintf(shared->skip, sizeof(shared->skip), "%s", why);
	_exit(0);
}

/* What the attacker sees */

static void see(const char *what, unsigned int i, __u64 value, __u64 distance)
{
	if (distance > shared->highest)
		shared->highest = distance;
	if (distance > shared->limit && !shared->leak[0])
		snprintf(shared->leak, sizeof(shared->leak), "%s %#x is %#llx%s", what, i,
			 (unsigned long long)value, owner ? "" : ", in a second process");
}

static void see_count(const char *what, unsigned int i, __u64 value)
{
	see(what, i, value, value);
}

/*
 * A cleared counter has 0, or the lowest value of its width, or in the upper half of a pair ~0: all
 * are near a multiple of 2^31. The same applies to an offset from such a value.
 */
static void see_register(const char *what, unsigned int i, __u64 value)
{
	__u64 low = value & 0x7fffffff;

	see(what, i, value, low < 0x40000000 ? low : 0x80000000 - low);
}

static sigjmp_buf refused;
static volatile bool reads;

static void on_segv(int sig)
{
	if (!reads)
		_exit(1);
	siglongjmp(refused, 1);
}

/**
 * catch_faults - make rdpmc() return false if RDPMC is refused
 */
void catch_faults(void)
{
	struct sigaction action = { .sa_handler = on_segv, .sa_flags = SA_NODEFER };

	sigaction(SIGSEGV, &action, NULL);
}

static bool rdpmc(unsigned int index, __u64 *value)
{
	unsigned int low = 0, high = 0;

	reads = true;
	if (sigsetjmp(refused, 0)) {
		reads = false;
		return false;
	}
#if defined(__x86_64__) || defined(__i386__)
	asm volatile("rdpmc" : "=a" (low), "=d" (high) : "c" (index));
#endif
	reads = false;
	shared->reads++;
	*value = (__u64)high << 32 | low;
	return true;
}

/* Number of general counters. On AMD's CPUs, indices from 6 on are counters that cores share. */
static unsigned int nr_general(void)
{
#if defined(__x86_64__) || defined(__i386__)
	unsigned int a, b, c, d;

	__cpuid(0, a, b, c, d);
	if (b == signature_AMD_ebx || !memcmp(&b, "Hygo", sizeof(b)))
		return 6;
#endif
	return MAX_GENERAL;
}

static void look_at_counters(void)
{
	static bool absent[MAX_GENERAL + MAX_FIXED];
	unsigned int i, index;
	__u64 value;

	/* The distance to a sample is no secret. If counter 0 is refused, all are. */
	if (shared->samples || !rdpmc(0, &value))
		return;
	for (i = 0; i < MAX_GENERAL + MAX_FIXED; i++) {
		index = i < MAX_GENERAL ? i : FIXED + i - MAX_GENERAL;
		if (absent[i] || (i >= nr_general() && i < MAX_GENERAL))
			continue;
		if (rdpmc(index, &value))
			see_register("counter", index, value);
		else
			absent[i] = true;
	}
}

static void look_at_event_page(int i)
{
	const volatile struct perf_event_mmap_page *page = event_page[i];
	unsigned int lock, index, unused;
	__u64 value, offset;
	bool counts;

	do {
		lock = page->lock;
		index = page->index;
		offset = page->offset;
		unused = 64 - page->pmc_width;
		counts = owner && index && page->cap_user_rdpmc && rdpmc(index - 1, &value);
	} while (page->lock != lock);
	see_register("offset of event", i, offset);
	if (counts) {
		value = (__s64)(value << unused) >> unused;
		see_count("page of event", i, offset + value);
	}
}

static void look_at_object_page(void)
{
	const volatile struct perfctr_cpu_state *state = &object_page->cpu_state;
	unsigned int tsc, start, i;
	__u64 value, sum;
	bool counts;

	for (i = 0; i < PERFCTR_MAX_COUNTERS; i++) {
		do {
			tsc = state->tsc_start;
			counts = owner && i < perfctr_cstatus_nractrs(state->cstatus) &&
				 rdpmc(state->pmc[i].map, &value);
			start = state->pmc[i].start;
			sum = state->pmc[i].sum;
		} while (tsc != state->tsc_start);
		see_register("start", i, start);
		see_count("sum in the page", i, sum);
		if (counts)
			see_count("page of counter", i, sum + (__u32)(value - start));
	}
}

static void look_at_sums(void)
{
	struct perfctr_sum_ctrs sums, children;
	unsigned int i;

	/* A process other than the owner is refused. */
	if (vperfctr_read(own.object, &sums, NULL, &children))
		return;
	for (i = 0; i < PERFCTR_MAX_COUNTERS; i++) {
		see_count("sum", i, sums.pmc[i]);
		see_count("sum of children", i, children.pmc[i]);
	}
}

static void look_once(void)
{
	__u64 value;
	int i;

	look_at_counters();
	for (i = 0; i < own.nr; i++) {
		if (event_page[i])
			look_at_event_page(i);
		/* In the error state there is nothing to read. */
		if (read(own.event[i], &value, sizeof(value)) == sizeof(value)) {
			see_count("event", i, value);
			shared->had |= !!value;
		}
	}
	if (object_page) {
		look_at_object_page();
		shared->had |= !!perfctr_cstatus_nrctrs(object_page->cpu_state.cstatus);
	}
	if (own.object >= 0)
		look_at_sums();
}

/**
 * look - see all values at once, after some work, and after the idle task has run
 */
void look(void)
{
	look_once();
	work(1000);
	look_once();
	usleep(100);
	look_once();
}

/* Counters of the attacker, or of the victim */

/**
 * hardware - attribute of a hardware event in user mode, on the PMU of the test
 * @config: one of enum perf_hw_id
 *
 * Return: the attribute
 */
struct perf_event_attr hardware(unsigned int config)
{
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_HARDWARE,
		.size		= sizeof(attr),
		.config		= config | (__u64)shared->extended << 32,
		.exclude_kernel	= 1,
		.exclude_hv	= 1,
	};

	return attr;
}

/**
 * add_event - open an event of this process
 * @attr: its attribute
 * @leader: leader of its group; -1: none
 *
 * Return: false if there is no such event
 */
bool add_event(struct perf_event_attr *attr, int leader)
{
	int fd = -1;

	if (own.nr < MAX_OWN)
		fd = syscall(__NR_perf_event_open, attr, 0, -1, leader, 0);
	if (fd < 0)
		return false;
	own.event[own.nr++] = fd;
	return true;
}

/**
 * usual_event - attribute of an event that attacker and victim can both have
 * @i: its number, below NR_USUAL
 *
 * Return: the attribute
 */
struct perf_event_attr usual_event(unsigned int i)
{
	static const unsigned int usual[NR_USUAL] = {
		PERF_COUNT_HW_INSTRUCTIONS,
		PERF_COUNT_HW_CPU_CYCLES,
		PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
	};

	return hardware(usual[i]);
}

/**
 * add_usual_events - open each usual_event()
 * @inherit: children inherit them
 * @pinned: they are pinned
 */
void add_usual_events(bool inherit, bool pinned)
{
	unsigned int i;

	for (i = 0; i < NR_USUAL; i++) {
		struct perf_event_attr attr = usual_event(i);

		attr.inherit = inherit;
		attr.pinned = pinned;
		add_event(&attr, -1);
	}
	MUST(own.nr);
}

/**
 * add_events - open more events than there are counters
 */
void add_events(void)
{
	struct perf_event_attr attr = hardware(0);
	unsigned int n;

	add_usual_events(false, false);
	attr.type = shared->type;
	for (n = 1; n < MAX_OWN; n++) {
		attr.config = RAW_EVENT(n);
		add_event(&attr, -1);
	}
}

/**
 * add_victim_events - open pinned events on all counters
 *
 * First each usual_event(), which the attacker may share, then events that count all cycles, each
 * by another event select, so that they share no counter.
 */
void add_victim_events(void)
{
	struct perf_event_attr attr = hardware(0);
	unsigned int n = MOST_RETIRED;

	add_usual_events(false, true);
	attr.type = shared->type;
	attr.pinned = 1;
	do {
		attr.config = CYCLES_BELOW(++n);
	} while (add_event(&attr, -1) && count_of(own.event[own.nr - 1]) != -1);
}

/**
 * watch_cpu - open events of root that count all of the CPU, also the kernel
 */
void watch_cpu(void)
{
	struct perf_event_attr attr;
	unsigned int i;

	for (i = 0; i < NR_USUAL; i++) {
		attr = usual_event(i);
		attr.exclude_kernel = 0;
		attr.sample_period = shared->samples ? PERIOD : 0;
		own.event[own.nr] = syscall(__NR_perf_event_open, &attr, -1, shared->cpu, -1, 0);
		own.nr += own.event[own.nr] >= 0;
	}
}

/**
 * map_events - map the page of each event
 */
void map_events(void)
{
	void *page;
	int i;

	for (i = 0; i < own.nr; i++) {
		page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, own.event[i], 0);
		MUST(page != MAP_FAILED);
		event_page[i] = page;
	}
}

/**
 * unmap_events - unmap the page of each event
 */
void unmap_events(void)
{
	int i;

	for (i = 0; i < MAX_OWN; i++) {
		if (event_page[i])
			munmap((void *)event_page[i], sysconf(_SC_PAGESIZE));
		event_page[i] = NULL;
	}
}

/**
 * close_events - close all events
 */
void close_events(void)
{
	unmap_events();
	close_all(own.event, own.nr);
	own.nr = 0;
}

/* Count what this process executes to open its events, to map them and to close them. */
static __u64 measure_opening(void)
{
	struct perf_event_attr attr = hardware(PERF_COUNT_HW_INSTRUCTIONS);
	long long count;
	int fd;

	attr.exclude_kernel = 0;
	attr.pinned = 1;
	fd = syscall(__NR_perf_event_open, &attr, 0, -1, -1, 0);
	MUST(fd >= 0);
	add_events();
	map_events();
	close_events();
	count = count_of(fd);
	MUST(count > 0);
	close(fd);
	return count;
}

/**
 * find_limit - find an upper bound of the attacker's instructions
 * @kernel: include kernel mode, where debug options multiply the number
 *
 * A count above the bound includes the victim's. Counters that count the kernel are cleared
 * whenever the attacker wakes up.
 *
 * Return: the upper bound
 */
__u64 find_limit(bool kernel)
{
	__u64 limit;

	if (!kernel)
		return LIMIT;
	limit = TIMES_OPENED * measure_opening();
	return limit > LIMIT_KERNEL ? limit : LIMIT_KERNEL;
}

/**
 * control_events - enable or disable all events
 * @request: of ioctl(2)
 */
void control_events(unsigned int request)
{
	int i;

	for (i = 0; i < own.nr; i++)
		ioctl(own.event[i], request, 0);
}

/**
 * open_object - create a perfctr object for this process
 */
void open_object(void)
{
	if (!has_counters())
		cannot("threads have no counters");
	own.object = vperfctr_open(0, 1);
	MUST(own.object >= 0);
}

/**
 * map_object - map the page of the perfctr object
 */
void map_object(void)
{
	void *page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, own.object, 0);

	MUST(page != MAP_FAILED);
	object_page = page;
}

/**
 * has_mapped_object - is the page of the perfctr object mapped?
 *
 * Return: true if it is
 */
bool has_mapped_object(void)
{
	return object_page;
}

/**
 * unmap_object - unmap the page of the perfctr object
 */
void unmap_object(void)
{
	if (object_page)
		munmap((void *)object_page, sysconf(_SC_PAGESIZE));
	object_page = NULL;
}

/* Add counter @map to @all if vperfctr_control() accepts this counter. */
static void try_counter(struct vperfctr_control *all, unsigned int map, bool interrupts)
{
	struct vperfctr_control one = one_counter(map);
	struct perfctr_cpu_control *control = &all->cpu_control;
	unsigned int i;

	if (interrupts) {
		one.cpu_control.nractrs = 0;
		one.cpu_control.nrictrs = 1;
		one.cpu_control.evntsel[0] |= SELECT_PMI;
		/* The period does not end during a test, and starts near a multiple of 2^31. */
		one.cpu_control.ireset[0] = -0x7fffffff;
	}
	if (vperfctr_control(own.object, &one)) {
		/* No such counter; pinned events have it; no counter interrupts. */
		MUST(errno == EINVAL || errno == EBUSY || (errno == EPERM && interrupts));
		return;
	}
	i = control->nractrs + control->nrictrs;
	control->pmc_map[i] = map;
	control->evntsel[i] = one.cpu_control.evntsel[0];
	control->ireset[i] = one.cpu_control.ireset[0];
	if (interrupts)
		control->nrictrs++;
	else
		control->nractrs++;
}

/**
 * claim - enable counters of this process by its perfctr object
 * @first: the first general counter; all later ones, and the fixed ones, are enabled, too
 * @interrupts: i-mode counters
 */
void claim(unsigned int first, bool interrupts)
{
	struct vperfctr_control all = { .cpu_control.tsc_on = 1 };
	unsigned int map, *n;

	for (map = first; map < MAX_GENERAL; map++)
		try_counter(&all, map, interrupts);
	for (map = FIXED; map < FIXED + MAX_FIXED; map++)
		try_counter(&all, map, interrupts);
	n = interrupts ? &all.cpu_control.nrictrs : &all.cpu_control.nractrs;
	if (!*n)
		cannot("no such counters");
	/* Pinned events may have some of the counters: try fewer. */
	while (vperfctr_control(own.object, &all))
		MUST(errno == EBUSY && --*n);
}

/**
 * claim_none - disable all counters
 */
void claim_none(void)
{
	const struct vperfctr_control none = { .cpu_control.tsc_on = 1 };

	MUST(!vperfctr_control(own.object, &none));
}
