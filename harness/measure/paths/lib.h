/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by the benchmark programs: sets of events, a clock of instructions, and common paths */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BATCHES		9
#define MAX_EVENTS	1024
#define FAULT_PAGES	256
#define RING_PAGES	64

struct set {
	int nr;			/* events */
	__u64 config;			/* PERF_COUNT_SW_* */
	const __u64 *configs;		/* or these, in turn */
	int configs_nr;
	int type;			/* PERF_TYPE_*, or the number of a PMU; 0: software */
	int generic;			/* PERF_TYPE_HARDWARE, which is 0 */
	int group, inherit, cpu;
	int outputs;			/* number of BPF output events, which must be scheduled */
	pid_t pid;			/* of another task */
	int cgroup;			/* file descriptor, or 0 */
	int sideband;			/* mmap, comm, task records */
	int wakeup;			/* wakeup_events */
	int freq;			/* samples a second */
	__u64 read_format, sample_type;
	int fd[MAX_EVENTS];
	struct perf_event_mmap_page *ring;
};

static struct set *opened;	/* used by the measured path */
static char *pages;
static int ping[2], pong[2];
/* Called by the other task before the first switch */
static void (*other_task)(void);

static __s64 now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static inline int type_of(const char *pmu)
{
	char name[128];
	FILE *f;
	int type = 0;

	snprintf(name, sizeof(name), "/sys/bus/event_source/devices/%s/type", pmu);
	f = fopen(name, "r");

	if (!f || fscanf(f, "%d", &type) != 1)
		type = 0;
	if (f)
		fclose(f);
	return type;
}

/* Type of the simulated PMU, 0 if there is none */
static inline int sim_type(void)
{
	return type_of("sim");
}

/* Run for a time that includes ticks and rotations. */
static inline void spin(void)
{
	for (int i = 0; i < 40000000; i++)
		__asm__("" : : "r" (i) : "memory");
}

static void close_set(struct set *s)
{
	if (s->ring)
		munmap(s->ring, (RING_PAGES + 1) * getpagesize());
	s->ring = NULL;
	while (s->nr)
		close(s->fd[--s->nr]);
}

static int open_set(struct set *s)
{
	struct perf_event_attr attr = {
		.type = s->generic ? PERF_TYPE_HARDWARE : s->type ? s->type : PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = s->config,
		.inherit = s->inherit,
		.read_format = s->read_format,
		.sample_type = s->sample_type,
		.sample_period = s->freq ? s->freq : s->sample_type ? 1 : 0,
		.freq = s->freq > 0,
		.wakeup_events = s->wakeup,
		.mmap = s->sideband, .mmap2 = s->sideband,
		.comm = s->sideband, .task = s->sideband,
	};
	int want = s->nr;

	for (s->nr = 0; s->nr < want; s->nr++) {
		int leader = s->group && s->nr ? s->fd[0] : -1;
		int pid = s->cgroup ? s->cgroup : s->cpu < 0 ? s->pid : -1;
		int fd;

		attr.config = s->nr < s->outputs ? PERF_COUNT_SW_BPF_OUTPUT :
			      s->configs ? s->configs[s->nr % s->configs_nr] : s->config;
		fd = syscall(SYS_perf_event_open, &attr, pid, s->cpu, leader,
			     s->cgroup ? PERF_FLAG_PID_CGROUP : 0);
		if (fd < 0)
			goto fail;
		s->fd[s->nr] = fd;
	}
	if (s->sample_type || s->sideband) {
		s->ring = mmap(NULL, (RING_PAGES + 1) * getpagesize(), PROT_READ | PROT_WRITE,
			       MAP_SHARED, s->fd[0], 0);
		if (s->ring == MAP_FAILED) {
			s->ring = NULL;
			goto fail;
		}
	}
	return 0;
fail:
	close_set(s);
	return -1;
}

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Median of the batches, which excludes occasional timer ticks */
static double cost(void (*path)(void), int turns, int units)
{
	double batch[BATCHES];

	for (int i = 0; i < turns; i++)
		path();
	for (int b = 0; b < BATCHES; b++) {
		__s64 start = now();

		for (int i = 0; i < turns; i++)
			path();
		batch[b] = (double)(now() - start) / turns / units;
	}
	qsort(batch, BATCHES, sizeof(*batch), compare);
	return batch[BATCHES / 2];
}

/*
 * Create some mappings, so that the tree of mappings has free space: otherwise each measured
 * mapping might split a node of the tree.
 */
static inline void more_mappings(void)
{
	for (int i = 0; i < 5; i++)
		mmap(NULL, 4096, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

/*
 * Cost of a path without a buffer, to be compared with the cost with a buffer. As much memory is
 * mapped and in use as with a buffer, and a fork does not copy it, either.
 */
static inline double cost_without_ring(void (*path)(void), int turns, int units)
{
	size_t size = (RING_PAGES + 1) * getpagesize();
	void *place = mmap(NULL, size, PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	double value;

	madvise(place, size, MADV_DONTFORK);
	value = cost(path, turns, units);
	munmap(place, size);
	return value;
}

/* Wait until the kernel has disabled the hooks of closed events. */
static inline void wait_for_hooks(void)
{
	sleep(2);
}

static inline void report(const char *name, int ok, double value)
{
	if (ok)
		printf("%s,%.0f\n", name, value);
	else
		printf("%s,n/a\n", name);
	fflush(stdout);
}

static void round_trip(void)
{
	char c = 0;

	if (write(ping[1], &c, 1) != 1 || read(pong[0], &c, 1) != 1)
		exit(1);
}

/* Cost of a round trip to another task and back; the caller opens the events */
static inline double switch_cost(struct set *s, int *ok)
{
	double value;
	pid_t child;
	char c;

	if (pipe(ping) || pipe(pong))
		exit(1);
	*ok = !s || !open_set(s);
	child = fork();
	if (!child) {
		if (s && !s->inherit)
			close_set(s);
		if (other_task)
			other_task();
		close(ping[1]);
		while (read(ping[0], &c, 1) == 1 && write(pong[1], &c, 1) == 1)
			;
		_exit(0);
	}
	close(ping[0]);
	close(pong[1]);
	value = cost(round_trip, 200, 1);
	close(ping[1]);
	close(pong[0]);
	waitpid(child, NULL, 0);
	if (s && *ok)
		close_set(s);
	return value;
}

static inline void fork_wait(void)
{
	pid_t child = fork();

	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
}

static inline void faults(void)
{
	int size = getpagesize();

	for (int i = 0; i < FAULT_PAGES; i++)
		pages[i * size] = 1;
	madvise(pages, (size_t)FAULT_PAGES * size, MADV_DONTNEED);
	if (opened && opened->ring)
		opened->ring->data_tail = opened->ring->data_head;
}

static inline void read_event(void)
{
	__u64 buf[64];

	if (read(opened->fd[0], buf, sizeof(buf)) <= 0)
		exit(1);
}

static inline void on_off(void)
{
	ioctl(opened->fd[0], PERF_EVENT_IOC_ENABLE, 0);
	ioctl(opened->fd[0], PERF_EVENT_IOC_DISABLE, 0);
}

static inline void reset(void)
{
	ioctl(opened->fd[0], PERF_EVENT_IOC_RESET, 0);
}

static inline void prctl_on_off(void)
{
	prctl(PR_TASK_PERF_EVENTS_DISABLE);
	prctl(PR_TASK_PERF_EVENTS_ENABLE);
}
