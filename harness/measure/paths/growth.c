// SPDX-License-Identifier: GPL-2.0
/*
 * Growth of the cost of each path with the number of events n, up to a time limit
 *
 * A value is the whole cost of one call in the presence of n other events or groups. Paths with a
 * group have n members, limited to the maximum of both kernels; these are scheduled software
 * events of a task on one CPU. Other groups have one cycle counter each. Output as in bench.c.
 */
#include "lib.h"
#include <sys/resource.h>

#define MOST_EVENTS	10000
#define MOST_MEMBERS	2000
/* A size is skipped if all rows of a part would probably need more instructions than this. */
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

/* Open an event of the simulated PMU on any CPU, or a software event that is scheduled. */
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

/* Open one more event and close it. */
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

/* Cost of the exit of a child, until waitpid() returns; @forked is set to the cost of the fork */
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

/* Cost of exec of a program that reports its start */
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
		execl("/proc/self/exe", "growth", "since", before, to, NULL);
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

	/* Open the n groups first, so they are before the members in every order. */
	if (open_many(n, 0, 0, 1, 0) || open_members(nr, 0))
		return;
	open_close(0, members[0], &grown[ATTACH_MEMBER][at], &grown[DETACH_MEMBER][at]);
	grown[DISABLE_GROUP][at] = ioctl_cost(members[0], PERF_EVENT_IOC_DISABLE,
					      PERF_EVENT_IOC_ENABLE);
	ioctl(members[0], PERF_EVENT_IOC_DISABLE, 0);
	grown[ENABLE_GROUP][at] = ioctl_cost(members[0], PERF_EVENT_IOC_ENABLE,
					     PERF_EVENT_IOC_DISABLE);
	ioctl(members[0], PERF_EVENT_IOC_ENABLE, 0);
	/* Wait until events closed before are freed. */
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

/* A function, and the rows from @first to @last that it measures */
static const struct part {
	void (*measure)(int n, int at);
	enum growth first, last;
} parts[] = {
	{ grow_groups, ATTACH, ROTATE },
	{ grow_lives, EXEC, EXIT },
	{ grow_members, ATTACH_MEMBER, EXIT_GROUP },
	{ grow_mapped, SWITCH_MAPPED, SWITCH_MAPPED },
};

/* Return the size n of a row of @part. */
static int size_of(const struct part *part, int at)
{
	return part->measure == grow_members ? nr_members(grow[at]) : grow[at];
}

/*
 * The exponent of a cost's growth from the first size to the last, in hundredths: 100 is n, 112
 * is n log n between 1000 and 10,000, 200 is n squared
 */
static double slope(const struct part *part, const double *cost, int sizes)
{
	double growth = cost[sizes - 1] / cost[0], low = 1, high = 2, root, whole, power = 0;

	/* Compute the hundredth root of the ratio of the sizes. */
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

/* Estimate of the time for the next size, if the growth of the cost continues */
static double expected(const struct part *part, const double *took, int at)
{
	double value = took[at - 1];

	for (int n = size_of(part, at - 1); at > 1 && n < size_of(part, at); n *= 2)
		value *= took[at - 1] / took[at - 2];
	return value;
}

/* Print each line at once, so that a kernel that hangs later is still compared. */
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

int main(int argc, char **argv)
{
	struct rlimit limit = { 2 * MOST_EVENTS, 2 * MOST_EVENTS };
	int ok;

	if (argc > 3 && !strcmp(argv[1], "since"))
		return tell_since(argv[2], argv[3]);
	if (!sim_type() || setrlimit(RLIMIT_NOFILE, &limit))
		return 0;
	plain_switch = switch_cost(NULL, &ok);
	plain_spin = spin_cost();
	plain_exec = exec_cost(0);
	plain_exit = exit_cost(0, 1);
	plain_fork = forked;
	for (unsigned int i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		grow_part(&parts[i]);
	return 0;
}
