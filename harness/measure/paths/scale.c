// SPDX-License-Identifier: GPL-2.0
/*
 * How the cost of perf events grows: with hardware groups on the simulated PMU, with cgroups, with
 * the number of events, and field by field. Lines as those of bench.c. "scale growth" looks how
 * each path grows, as far as the kernel can be waited for.
 */
#include "lib.h"
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/stat.h>

#define CGROUPS	"/sys/fs/cgroup/perf_event/"

static int sim_type(void)
{
	return type_of("sim");
}

/* Groups of one cycle counter each; the PMU has five counters for them. */
static void hardware_switches(void)
{
	static const int numbers[] = { 1, 4, 16 };
	double plain;
	char name[64];
	int ok;

	plain = switch_cost(NULL, &ok);
	for (int i = 0; i < 3; i++) {
		struct set s = { .nr = numbers[i], .cpu = -1, .type = sim_type() };
		double value = 0;

		ok = 0;
		if (s.type)
			value = switch_cost(&s, &ok);
		snprintf(name, sizeof(name), "switch: +%d hardware%s", numbers[i],
			 numbers[i] > 5 ? " (multiplexed)" : "");
		report(name, ok, value - plain);
	}
}

/* A PMU that is told of switches, by events of this task or of a CPU. */
static void branch_switches(void)
{
	static const struct {
		const char *name;
		int nr, cpu;
	} rows[] = {
		{ "switch: +1 hardware with branches", 1, -1 },
		{ "switch: +4 hardware with branches", 4, -1 },
		{ "switch: 1 per-CPU hardware with branches", 1, 0 },
	};
	double plain;
	int ok;

	forget();
	plain = switch_cost(NULL, &ok);
	for (unsigned int i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct set s = {
			.nr = rows[i].nr, .cpu = rows[i].cpu, .type = type_of("sim_habits"),
		};
		double value = 0;

		ok = 0;
		if (s.type)
			value = switch_cost(&s, &ok);
		report(rows[i].name, ok, value - plain);
	}
}

static void spin(void)
{
	for (int i = 0; i < 40000000; i++)
		__asm__("" : : "r" (i) : "memory");
}

/* What multiplexing takes from a program, for each 4 ms. */
static void rotations(void)
{
	static const int numbers[] = { 4, 8, 16, 32, 64 };
	double plain = 0;
	char name[64];

	for (int i = 0; i < 5; i++) {
		struct set s = { .nr = numbers[i], .cpu = -1, .type = sim_type() };
		int ok = s.type && !open_set(&s);
		__s64 start = now();
		double took;

		spin();
		took = now() - start;
		if (!i)
			plain = took;
		snprintf(name, sizeof(name), "rotation: of %d groups", numbers[i]);
		report(name, ok && i, (took - plain) / (plain / 4e6));
		if (ok)
			close_set(&s);
	}
}

static void map_unmap(void)
{
	char *p = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(p, 4096);
}

static int mapped_file;

static void map_unmap_file(void)
{
	char *p = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, mapped_file, 0);

	munmap(p, 4096);
}

/* A task maps files, and so many of its events only count; a listener is on another task. */
static void listener_elsewhere(void)
{
	static const int numbers[] = { 0, 16, 1000 };
	static struct set counters;
	char name[64];
	double plain;
	pid_t other;

	mapped_file = open("/proc/self/exe", O_RDONLY);
	forget();
	plain = cost_without_ring(map_unmap_file, 200, 1);
	other = fork();
	if (!other) {
		pause();
		_exit(0);
	}
	for (int i = 0; i < 3; i++) {
		struct set listener = {
			.nr = 1, .cpu = -1, .config = PERF_COUNT_SW_DUMMY, .sideband = 1,
			.pid = other,
		};
		double value;
		int ok;

		counters = (struct set){
			.nr = numbers[i], .cpu = -1, .config = PERF_COUNT_SW_CPU_MIGRATIONS,
		};
		ok = !open_set(&counters) && !open_set(&listener);
		value = cost(map_unmap_file, 200, 1);
		snprintf(name, sizeof(name), "mmap + munmap: %d counters; listener elsewhere",
			 numbers[i]);
		report(name, ok, value - plain);
		close_set(&counters);
		close_set(&listener);
	}
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	close(mapped_file);
}

static void exec_true(void)
{
	pid_t child = fork();

	if (!child) {
		execl("/proc/self/exe", "scale", "true", NULL);
		_exit(1);
	}
	waitpid(child, NULL, 0);
}

static void sideband(void)
{
	static const struct {
		const char *name;
		void (*path)(void);
		int turns;
	} rows[] = {
		{ "mmap + munmap", map_unmap, 1000 },
		{ "fork + wait", fork_wait, 200 },
		{ "fork + exec + wait", exec_true, 100 },
	};
	char name[64];

	more_mappings();
	for (int i = 0; i < 3; i++) {
		struct set s = {
			.nr = 1, .cpu = -1, .config = PERF_COUNT_SW_DUMMY, .sideband = 1,
			.inherit = 0,
		};
		double plain, value;
		int ok;

		forget();
		plain = cost_without_ring(rows[i].path, rows[i].turns, 1);
		snprintf(name, sizeof(name), "%s: nobody listens (whole)", rows[i].name);
		report(name, 1, plain);
		ok = !open_set(&s);
		value = cost(rows[i].path, rows[i].turns, 1);
		snprintf(name, sizeof(name), "%s: with a listener", rows[i].name);
		report(name, ok, value - plain);
		if (ok)
			close_set(&s);
	}
}

static const struct {
	const char *name;
	__u64 bit;
} fields[] = {
	{ "TID", PERF_SAMPLE_TID }, { "TIME", PERF_SAMPLE_TIME }, { "ADDR", PERF_SAMPLE_ADDR },
	{ "READ", PERF_SAMPLE_READ }, { "CALLCHAIN", PERF_SAMPLE_CALLCHAIN },
	{ "ID", PERF_SAMPLE_ID }, { "CPU", PERF_SAMPLE_CPU }, { "PERIOD", PERF_SAMPLE_PERIOD },
	{ "STREAM_ID", PERF_SAMPLE_STREAM_ID }, { "IDENTIFIER", PERF_SAMPLE_IDENTIFIER },
	{ "DATA_SRC", PERF_SAMPLE_DATA_SRC }, { "WEIGHT", PERF_SAMPLE_WEIGHT },
	{ "PHYS_ADDR", PERF_SAMPLE_PHYS_ADDR }, { "CGROUP", PERF_SAMPLE_CGROUP },
	{ "DATA_PAGE_SIZE", PERF_SAMPLE_DATA_PAGE_SIZE },
};

static double fault_cost(__u64 sample_type, int wakeup, int *ok)
{
	struct set s = {
		.nr = 1, .cpu = -1, .config = PERF_COUNT_SW_PAGE_FAULTS,
		.sample_type = sample_type, .wakeup = wakeup,
	};
	double value;

	*ok = !open_set(&s);
	opened = *ok ? &s : NULL;
	value = cost(faults, 4, FAULT_PAGES);
	opened = NULL;
	if (*ok)
		close_set(&s);
	return value;
}

/* A whole sample with the instruction pointer and one more field. */
static void sample_fields(void)
{
	double plain, value;
	char name[64];
	int ok;

	forget();
	plain = cost(faults, 4, FAULT_PAGES);
	for (unsigned int i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		value = fault_cost(PERF_SAMPLE_IP | fields[i].bit, 0, &ok);
		snprintf(name, sizeof(name), "sample: IP and %s", fields[i].name);
		report(name, ok, value - plain);
	}
	value = fault_cost(PERF_SAMPLE_IP, 1, &ok);
	report("sample: IP and a wake-up for each", ok, value - plain);
}

static void poll_once(void)
{
	struct pollfd p = { .fd = opened->fd[0], .events = POLLIN };

	poll(&p, 1, 0);
}

static void redirect(void)
{
	ioctl(opened->fd[1], PERF_EVENT_IOC_SET_OUTPUT, opened->fd[0]);
	ioctl(opened->fd[1], PERF_EVENT_IOC_SET_OUTPUT, -1);
}

static void buffer_calls(void)
{
	struct set s = {
		.nr = 2, .cpu = -1, .config = PERF_COUNT_SW_DUMMY, .sample_type = PERF_SAMPLE_IP,
	};
	int ok = !open_set(&s);

	opened = &s;
	report("poll: nothing to read", ok, ok ? cost(poll_once, 200, 1) : 0);
	report("SET_OUTPUT and back", ok, ok ? cost(redirect, 50, 1) : 0);
	if (ok)
		close_set(&s);
	opened = NULL;
}

/* The times of an event, as its page has them: the loop that the ABI documents. */
static void read_page(void)
{
	struct perf_event_mmap_page *page = opened->ring;
	__u64 enabled, running, quot, rem, cycles, delta;
	__u32 seq, lo, hi;

	do {
		seq = page->lock;
		__asm__ volatile("" : : : "memory");
		enabled = page->time_enabled;
		running = page->time_running;
		__asm__ volatile("rdtsc" : "=a" (lo), "=d" (hi));
		cycles = (__u64)hi << 32 | lo;
		quot = cycles >> page->time_shift;
		rem = cycles & ((1ULL << page->time_shift) - 1);
		delta = page->time_offset + quot * page->time_mult +
			((rem * page->time_mult) >> page->time_shift);
		enabled += delta;
		running += delta;
		__asm__ volatile("" : : : "memory");
	} while (page->lock != seq);
	__asm__ volatile("" : : "r" (enabled), "r" (running));
}

static void read_both(void)
{
	__u64 buf[3];

	if (read(opened->fd[0], buf, sizeof(buf)) != sizeof(buf))
		exit(1);
}

static void pages_against_calls(void)
{
	struct set s = {
		.nr = 1, .cpu = -1, .config = PERF_COUNT_SW_DUMMY, .sample_type = PERF_SAMPLE_IP,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	int ok = !open_set(&s), paged;

	opened = &s;
	paged = ok && s.ring->cap_user_time;
	report("read: times by the page", paged, paged ? cost(read_page, 500, 1) : 0);
	report("read: times by read(2)", ok, ok ? cost(read_both, 200, 1) : 0);
	if (ok)
		close_set(&s);
	opened = NULL;
}

static void enter(const char *cgroup)
{
	FILE *f = fopen(cgroup, "w");

	if (f) {
		fprintf(f, "%d\n", getpid());
		fclose(f);
	}
}

static void leave_cgroup(void)
{
	enter(CGROUPS "cgroup.procs");
}

static const char *other_dir;

static void enter_other(void)
{
	enter(other_dir);
}

/* Two tasks in two cgroups; so many cgroups have four events each on this CPU. */
static void cgroup_switches(void)
{
	static const int numbers[] = { 1, 10, 100, 500 };
	static struct set sets[500];
	char name[64];
	double plain = 0;
	int made = 0, ok;

	other_task = leave_cgroup;
	forget();
	for (int i = -1; i < 4; i++) {
		int want = i < 0 ? 0 : numbers[i], opened_all = 1;
		double value;

		for (; made < want; made++) {
			struct set *s = &sets[made];

			snprintf(name, sizeof(name), CGROUPS "%d", made);
			mkdir(name, 0755);
			*s = (struct set){
				.nr = 4, .cpu = 0, .config = PERF_COUNT_SW_CONTEXT_SWITCHES,
				.cgroup = open(name, O_RDONLY),
			};
			if (s->cgroup < 0 || open_set(s))
				opened_all = 0;
		}
		/* This task runs in the first cgroup, the other one in none of them. */
		if (want)
			enter(CGROUPS "0/cgroup.procs");
		value = switch_cost(NULL, &ok);
		if (i < 0) {
			plain = value;
			continue;
		}
		snprintf(name, sizeof(name), "switch: %d cgroups of 4 events", want);
		report(name, opened_all, value - plain);
	}
	while (made--) {
		close_set(&sets[made]);
		close(sets[made].cgroup);
	}
}

/*
 * Two tasks in one cgroup, or in two that are so deep below their common one; the two of
 * them have four events each on this CPU, those above them none.
 */
static void cgroup_depths(void)
{
	static const int depths[] = { 0, 1, 4, 16 };
	static struct set sets[2];
	char dir[2][256], name[64];
	double plain, value;
	int ok;

	other_task = leave_cgroup;
	forget();
	plain = switch_cost(NULL, &ok);
	for (int i = 0; i < 4; i++) {
		for (int side = 0; side < 2; side++) {
			char *end = dir[side] + sprintf(dir[side], CGROUPS "%c", 'a' + side);

			mkdir(dir[side], 0755);
			for (int d = 1; d < depths[i]; d++) {
				end += sprintf(end, "/d");
				mkdir(dir[side], 0755);
			}
			sets[side] = (struct set){
				.nr = 4, .cpu = 0, .config = PERF_COUNT_SW_CONTEXT_SWITCHES,
				.cgroup = open(dir[side], O_RDONLY),
			};
			if (sets[side].cgroup < 0 || open_set(&sets[side]))
				ok = 0;
			sprintf(end, "/cgroup.procs");
		}
		enter(dir[0]);
		other_dir = dir[depths[i] > 0];
		other_task = enter_other;
		value = switch_cost(NULL, &(int){ 0 });
		if (depths[i])
			snprintf(name, sizeof(name), "switch: cgroups %d deep", depths[i]);
		else
			snprintf(name, sizeof(name), "switch: within a cgroup");
		report(name, ok, value - plain);
		leave_cgroup();
		for (int side = 0; side < 2; side++) {
			close_set(&sets[side]);
			close(sets[side].cgroup);
		}
	}
}

/*
 * What a timer tick, each 4 ms, costs with so many events that sample at a frequency and are
 * not on: they are of a cgroup that no task is in.
 */
static void ticks(void)
{
	static const int numbers[] = { 0, 10, 100, 1000, 2000 };
	static struct set sets[2];
	double plain = 0, took;
	char name[64];

	mkdir(CGROUPS "empty", 0755);
	/* What was closed before is freed, and the memory of this program is there. */
	forget();
	spin();
	for (int i = 0; i < 5; i++) {
		int cgroup = open(CGROUPS "empty", O_RDONLY), ok = cgroup >= 0;

		for (int n = numbers[i], k = 0; n > 0; n -= sets[k++].nr) {
			sets[k] = (struct set){
				.nr = n < 1000 ? n : 1000, .cpu = 0, .cgroup = cgroup,
				.config = PERF_COUNT_SW_CONTEXT_SWITCHES, .freq = 100,
			};
			if (open_set(&sets[k])) {
				ok = 0;
				break;
			}
		}
		/* Work that others have put off comes with some ticks, not with all. */
		took = 1e18;
		for (int n = 0; n < 5; n++) {
			__s64 start = now();

			spin();
			took = now() - start < took ? now() - start : took;
		}
		if (!i)
			plain = took;
		snprintf(name, sizeof(name), "tick: %d events that are not on", numbers[i]);
		if (i)
			report(name, ok, (took - plain) / (plain / 4e6));
		close_set(&sets[0]);
		close_set(&sets[1]);
		close(cgroup);
	}
	rmdir(CGROUPS "empty");
}

/* One thousand events, one after the other: is the last as cheap as the first? */
static void thousand(void)
{
	struct rlimit limit = { 4096, 4096 };
	static struct set s;
	__s64 start, first = 0, last = 0;
	pid_t child;

	setrlimit(RLIMIT_NOFILE, &limit);
	for (int i = 0; i < 10; i++) {
		struct set hundred = {
			.nr = 100, .cpu = -1, .config = PERF_COUNT_SW_PAGE_FAULTS,
		};

		start = now();
		if (open_set(&hundred))
			return;
		if (!i)
			first = now() - start;
		last = now() - start;
		memcpy(&s.fd[s.nr], hundred.fd, 100 * sizeof(int));
		s.nr += 100;
	}
	report("open: of the first 100", 1, first / 100.0);
	report("open: of the last 100 of 1000", 1, last / 100.0);
	start = now();
	close_set(&s);
	report("close: of 1000", 1, (now() - start) / 1000.0);

	child = fork();
	if (!child) {
		s.nr = 1000;
		s.cpu = -1;
		s.config = PERF_COUNT_SW_PAGE_FAULTS;
		_exit(open_set(&s) ? 1 : 0);
	}
	start = now();
	waitpid(child, NULL, 0);
	report("exit with 1000 events: open and exit per event", 1, (now() - start) / 1000.0);
}

/*
 * Growth: whole costs of one call beside n others. Where a path is about a group, it has n members,
 * but no more than every kernel takes; they are software events of a task on one CPU, which are
 * scheduled. Other groups are of one cycle counter each.
 */

#define MOST_EVENTS	10000
#define MOST_MEMBERS	2000
/* Instructions for all rows of a part with one size; a kernel that takes more is not asked. */
#define PATIENCE	20e9
#define TIMES		5

static const int grow[] = { 250, 500, 1000, 10000 };
#define NR_GROW		((int)(sizeof(grow) / sizeof(*grow)))

enum growth {
	ATTACH, DETACH, ENABLE, DISABLE, SWITCH, ROTATE, EXEC, EXIT,
	ATTACH_MEMBER, DETACH_MEMBER, ENABLE_GROUP, DISABLE_GROUP, DISSOLVE, FORK_GROUP, EXIT_GROUP,
	SWITCH_MAPPED, NR_GROWTHS,
};

static const char *const growths[] = {
	[ATTACH] = "attach beside n groups",
	[DETACH] = "detach beside n groups",
	[ENABLE] = "enable beside n groups",
	[DISABLE] = "disable beside n groups",
	[SWITCH] = "switch with n groups",
	[ROTATE] = "rotation of n groups",
	[EXEC] = "exec that removes n groups",
	[EXIT] = "exit with n groups",
	[ATTACH_MEMBER] = "attach to a group of n",
	[DETACH_MEMBER] = "detach from a group of n",
	[ENABLE_GROUP] = "enable a group of n",
	[DISABLE_GROUP] = "disable a group of n",
	[DISSOLVE] = "close the leader of n beside n groups",
	[FORK_GROUP] = "fork with an inherited group of n",
	[EXIT_GROUP] = "exit with an inherited group of n",
	[SWITCH_MAPPED] = "switch with n events and one mapped",
};

static double grown[NR_GROWTHS][NR_GROW];
static int many[MOST_EVENTS], members[MOST_MEMBERS];

/* Open an event: of the simulated PMU on any CPU, or of software and scheduled. */
static int open_one(int sim, pid_t pid, int leader, int disabled, int inherit, int on_exec)
{
	struct perf_event_attr attr = {
		.type = sim ? sim_type() : PERF_TYPE_SOFTWARE, .size = sizeof(attr),
		.config = sim ? 0 : PERF_COUNT_SW_PAGE_FAULTS,
		.disabled = disabled, .inherit = inherit, .remove_on_exec = on_exec,
	};

	return syscall(SYS_perf_event_open, &attr, pid, sim ? -1 : 0, leader, 0);
}

static int open_many(int n, int sim, pid_t pid, int disabled, int on_exec)
{
	for (int i = 0; i < n; i++) {
		many[i] = open_one(sim, pid, -1, disabled, 0, on_exec);
		if (many[i] < 0) {
			while (i--)
				close(many[i]);
			return -1;
		}
	}
	return 0;
}

static void close_many(int *fds, int n)
{
	for (int i = 0; i < n; i++)
		close(fds[i]);
}

static double median(double *values, int n)
{
	qsort(values, n, sizeof(*values), compare);
	return values[n / 2];
}

static double ioctl_cost(int fd, unsigned long first, unsigned long then)
{
	double took[TIMES];

	for (int i = 0; i < TIMES; i++) {
		__s64 start = now();

		ioctl(fd, first, 0);
		took[i] = now() - start;
		ioctl(fd, then, 0);
	}
	return median(took, TIMES);
}

/* Open one more, close it again. */
static void open_close(int sim, int leader, double *attach, double *detach)
{
	double opening[TIMES], closing[TIMES];

	for (int i = 0; i < TIMES; i++) {
		__s64 start = now();
		int fd = open_one(sim, 0, leader, 0, 0, 0);

		opening[i] = now() - start;
		start = now();
		close(fd);
		closing[i] = now() - start;
	}
	*attach = median(opening, TIMES);
	*detach = median(closing, TIMES);
}

static double plain_spin, plain_switch, plain_exec, plain_exit, plain_fork, forked;

static double spin_cost(void)
{
	__s64 start = now();

	spin();
	return now() - start;
}

static void grow_groups(int n, int at)
{
	int ok;

	if (open_many(n, 1, 0, 0, 0))
		return;
	open_close(1, -1, &grown[ATTACH][at], &grown[DETACH][at]);
	grown[ENABLE][at] = ioctl_cost(many[n / 2], PERF_EVENT_IOC_ENABLE, PERF_EVENT_IOC_DISABLE);
	ioctl(many[n / 2], PERF_EVENT_IOC_ENABLE, 0);
	grown[DISABLE][at] = ioctl_cost(many[n / 2], PERF_EVENT_IOC_DISABLE, PERF_EVENT_IOC_ENABLE);
	grown[SWITCH][at] = switch_cost(NULL, &ok) - plain_switch;
	grown[ROTATE][at] = (spin_cost() - plain_spin) / (plain_spin / 4e6);
	close_many(many, n);
}

/* From the moment at which it may exit to that at which it has; @forked is what the fork took. */
static double exit_cost(int n, int inherited)
{
	int go[2], there[2];
	__s64 start;
	pid_t child;
	char c = 0;

	if (pipe(go) || pipe(there))
		exit(1);
	start = now();
	child = fork();
	forked = now() - start;
	if (!child) {
		close(go[1]);
		if (write(there[1], &c, 1) != 1 || read(go[0], &c, 1) < 0)
			_exit(1);
		_exit(0);
	}
	if (read(there[0], &c, 1) != 1)
		exit(1);
	if (!inherited && open_many(n, 1, child, 0, 0))
		return -1;
	start = now();
	close(go[1]);
	waitpid(child, NULL, 0);
	start = now() - start;
	close(go[0]);
	close(there[0]);
	close(there[1]);
	if (!inherited)
		close_many(many, n);
	return start;
}

/* A program that tells when it began to run. */
static double exec_cost(int n)
{
	char before[32], to[16];
	double took = -1;
	int result[2];
	pid_t child;

	if (pipe(result))
		exit(1);
	child = fork();
	if (!child) {
		if (open_many(n, 1, 0, 0, 1))
			_exit(1);
		snprintf(to, sizeof(to), "%d", result[1]);
		snprintf(before, sizeof(before), "%lld", (long long)now());
		execl("/proc/self/exe", "scale", "since", before, to, NULL);
		_exit(1);
	}
	close(result[1]);
	if (read(result[0], &took, sizeof(took)) != sizeof(took))
		took = -1;
	close(result[0]);
	waitpid(child, NULL, 0);
	return took;
}

static int tell_since(const char *before, const char *to)
{
	double took = now() - atoll(before);

	return write(atoi(to), &took, sizeof(took)) != sizeof(took);
}

static void grow_lives(int n, int at)
{
	grown[EXEC][at] = exec_cost(n) - plain_exec;
	grown[EXIT][at] = exit_cost(n, 0) - plain_exit;
}

static int open_members(int n, int inherit)
{
	for (int i = 0; i < n; i++) {
		members[i] = open_one(0, 0, i ? members[0] : -1, 0, inherit, 0);
		if (members[i] < 0)
			return -1;
	}
	return 0;
}

static int nr_members(int n)
{
	return n < MOST_MEMBERS ? n : MOST_MEMBERS;
}

static void grow_members(int n, int at)
{
	int nr = nr_members(n);
	__s64 start;

	/* First, so that they come first in every order. */
	if (open_many(n, 0, 0, 1, 0) || open_members(nr, 0))
		return;
	open_close(0, members[0], &grown[ATTACH_MEMBER][at], &grown[DETACH_MEMBER][at]);
	grown[DISABLE_GROUP][at] = ioctl_cost(members[0], PERF_EVENT_IOC_DISABLE,
					      PERF_EVENT_IOC_ENABLE);
	ioctl(members[0], PERF_EVENT_IOC_DISABLE, 0);
	grown[ENABLE_GROUP][at] = ioctl_cost(members[0], PERF_EVENT_IOC_ENABLE,
					     PERF_EVENT_IOC_DISABLE);
	ioctl(members[0], PERF_EVENT_IOC_ENABLE, 0);
	/* Events that have been closed before are freed now, not meanwhile. */
	usleep(100000);
	start = now();
	close(members[0]);
	grown[DISSOLVE][at] = now() - start;
	close_many(many, n);
	close_many(members + 1, nr - 1);

	if (open_members(nr, 1))
		return;
	grown[EXIT_GROUP][at] = exit_cost(0, 1) - plain_exit;
	grown[FORK_GROUP][at] = forked - plain_fork;
	close_many(members, nr);
}

static void grow_mapped(int n, int at)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = PERF_COUNT_SW_DUMMY,
	};
	void *page = MAP_FAILED;
	int i, ok;

	for (i = 0; i < n; i++) {
		many[i] = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
		if (many[i] < 0)
			break;
	}
	if (i == n)
		page = mmap(NULL, getpagesize(), PROT_READ, MAP_SHARED, many[0], 0);
	if (page != MAP_FAILED) {
		grown[SWITCH_MAPPED][at] = switch_cost(NULL, &ok) - plain_switch;
		munmap(page, getpagesize());
	}
	close_many(many, i);
}

/* A function and the rows, from @first to @last, that it measures. */
static const struct part {
	void (*measure)(int n, int at);
	enum growth first, last;
} parts[] = {
	{ grow_groups, ATTACH, ROTATE },
	{ grow_lives, EXEC, EXIT },
	{ grow_members, ATTACH_MEMBER, EXIT_GROUP },
	{ grow_mapped, SWITCH_MAPPED, SWITCH_MAPPED },
};

/* The n of a part's row. */
static int size_of(const struct part *part, int at)
{
	return part->measure == grow_members ? nr_members(grow[at]) : grow[at];
}

/*
 * The power of n that a cost grows with from the first size to the last, in hundredths: 100 is n,
 * 112 n log n between 1000 and 10,000, 200 n squared.
 */
static double slope(const struct part *part, const double *cost, int sizes)
{
	double growth = cost[sizes - 1] / cost[0], low = 1, high = 2, root, whole, power = 0;

	/* Find the hundredth root of how much larger n is. */
	for (int i = 0; i < 50; i++) {
		root = (low + high) / 2;
		whole = 1;
		for (int n = 0; n < 100; n++)
			whole *= root;
		if (whole * size_of(part, 0) < size_of(part, sizes - 1))
			low = root;
		else
			high = root;
	}
	for (; growth > (1 + root) / 2; growth /= root)
		power++;
	return power;
}

/* The time that the next size will take, if the cost goes on growing as it has. */
static double expected(const struct part *part, const double *took, int at)
{
	double value = took[at - 1];

	for (int n = size_of(part, at - 1); at > 1 && n < size_of(part, at); n *= 2)
		value *= took[at - 1] / took[at - 2];
	return value;
}

/* Each line as soon as it is known: a kernel that hangs later is compared so far. */
static void grow_part(const struct part *part)
{
	double took[NR_GROW] = { };
	char name[96];
	int ok, sizes;

	for (sizes = 0; sizes < NR_GROW; sizes++) {
		__s64 start = now();

		if (sizes && expected(part, took, sizes) > PATIENCE)
			break;
		part->measure(grow[sizes], sizes);
		took[sizes] = now() - start;
		for (int g = part->first; g <= (int)part->last; g++) {
			snprintf(name, sizeof(name), "%s: n = %d", growths[g],
				 size_of(part, sizes));
			report(name, grown[g][sizes] > 0, grown[g][sizes]);
		}
	}
	for (int g = part->first; g <= (int)part->last; g++) {
		snprintf(name, sizeof(name), "%s: power of n in hundredths", growths[g]);
		ok = sizes > 1 && grown[g][sizes - 1] > 0 && grown[g][0] > 0;
		report(name, ok, ok ? slope(part, grown[g], sizes) : 0);
	}
}

static void growth(void)
{
	struct rlimit limit = { 2 * MOST_EVENTS, 2 * MOST_EVENTS };
	int ok;

	if (!sim_type() || setrlimit(RLIMIT_NOFILE, &limit))
		return;
	plain_switch = switch_cost(NULL, &ok);
	plain_spin = spin_cost();
	plain_exec = exec_cost(0);
	plain_exit = exit_cost(0, 1);
	plain_fork = forked;
	for (unsigned int i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		grow_part(&parts[i]);
}

int main(int argc, char **argv)
{
	struct rlimit limit = { 4096, 4096 };

	if (argc > 1 && !strcmp(argv[1], "growth")) {
		growth();
		return 0;
	}
	if (argc > 3 && !strcmp(argv[1], "since"))
		return tell_since(argv[2], argv[3]);
	/* What sideband() runs. */
	if (argc > 1)
		return 0;
	if (setrlimit(RLIMIT_NOFILE, &limit))
		return 1;
	pages = mmap(NULL, (size_t)FAULT_PAGES * getpagesize(), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED)
		return 1;
	madvise(pages, (size_t)FAULT_PAGES * getpagesize(), MADV_NOHUGEPAGE);
	hardware_switches();
	branch_switches();
	rotations();
	sideband();
	listener_elsewhere();
	sample_fields();
	buffer_calls();
	pages_against_calls();
	thousand();
	ticks();
	cgroup_switches();
	cgroup_depths();
	return 0;
}
