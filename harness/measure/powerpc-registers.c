// SPDX-License-Identifier: GPL-2.0
/*
 * Open every event of a powerpc PMU in many ways, alone and in groups, and print for each the
 * errno, or the values of the control registers while it counts. The outputs of two drivers are
 * compared.
 *
 * A line is NAME MODE RESULT, and RESULT an errno, or MMCR0 MMCR1 MMCR2 MMCR3 MMCRA in hexadecimal.
 *
 * Registers are read from sysfs; MMCR2 is read in user mode, if the processor allows it. One CPU,
 * root, perf_event_paranoid -1.
 *
 * registers FILE opens the raw events in FILE instead. A line is a group, and an event is CONFIG or
 * CONFIG:CONFIG1 in hexadecimal.
 */
#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <fcntl.h>
#include <linux/perf_event.h>

#define PMU	"/sys/bus/event_source/devices/cpu/"
#define CPU0	"/sys/devices/system/cpu/cpu0/"
#define MAX	2048
#define GROUP	6
#define GROUPS	300

struct event {
	char		name[80];
	__u32	type;
	__u64	config, config1;
};

/* Attributes of an open, apart from the encoding */
struct mode {
	const char	*name;
	unsigned int	exclude_user:1, exclude_kernel:1, exclude_hv:1, exclude_idle:1, ebb:1;
	__u64		period, branches;
};

/* Such a long period does not end, so no interrupt changes the registers. */
#define PERIOD	1073741824ULL

/* With this bit, an overflow of the event causes an event-based branch, and no interrupt. */
#define EBB	0x8000000000000000ULL

static const struct mode modes[] = {
	{ .name = "all" },
	{ .name = "user", .exclude_kernel = 1, .exclude_hv = 1 },
	{ .name = "kernel", .exclude_user = 1, .exclude_hv = 1 },
	{ .name = "hv", .exclude_user = 1, .exclude_kernel = 1 },
	{ .name = "idle", .exclude_idle = 1 },
	{ .name = "sampled", .period = PERIOD },
	{ .name = "sampled-user", .period = PERIOD, .exclude_kernel = 1, .exclude_hv = 1 },
	{ .name = "sampled-kernel", .period = PERIOD, .exclude_user = 1, .exclude_hv = 1 },
	{ .name = "branches", .period = PERIOD, .branches = PERF_SAMPLE_BRANCH_ANY },
	{ .name = "calls", .period = PERIOD, .branches = PERF_SAMPLE_BRANCH_ANY_CALL },
	{ .name = "returns", .period = PERIOD, .branches = PERF_SAMPLE_BRANCH_ANY_RETURN },
	{ .name = "indirect", .period = PERIOD, .branches = PERF_SAMPLE_BRANCH_IND_CALL },
	{ .name = "conditions", .period = PERIOD, .branches = PERF_SAMPLE_BRANCH_COND },
	{ .name = "ebb", .ebb = 1 },
};

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))
#define MODES	ARRAY_SIZE(modes)

static struct event events[MAX];
static int n_events;

static void add(const char *name, __u32 type, __u64 config, __u64 config1)
{
	struct event *e = &events[n_events];

	if (n_events == MAX)
		exit(fprintf(stderr, "more than %d events\n", MAX));
	snprintf(e->name, sizeof(e->name), "%s", name);
	e->type = type;
	e->config = config;
	e->config1 = config1;
	n_events++;
}

static int read_text(const char *dir, const char *name, char *text, size_t size)
{
	char path[512];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s%s", dir, name);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return -1;
	n = read(fd, text, size - 1);
	close(fd);
	if (n <= 0)
		return -1;
	text[n] = 0;
	text[strcspn(text, "\n")] = 0;
	return 0;
}

/* Call @each for the files of a directory, sorted by name. */
static void files(const char *dir, void (*each)(const char *name, const char *text))
{
	struct dirent **found;
	char text[256];
	int i, n = scandir(dir, &found, NULL, alphasort);

	for (i = 0; i < n; i++)
		if (found[i]->d_name[0] != '.' &&
		    !read_text(dir, found[i]->d_name, text, sizeof(text)))
			each(found[i]->d_name, text);
}

static void add_named(const char *name, const char *text)
{
	if (!strncmp(text, "event=", 6))
		add(name, PERF_TYPE_RAW, strtoull(text + 6, NULL, 16), 0);
}

/*
 * A format field alone, and with the code of cycles: all its bits, its highest bit, its lowest bit.
 */
static void add_format(const char *name, const char *text)
{
	__u64 values[3], v;
	unsigned int lo, hi, one;
	char label[80];
	int i, base;

	one = !strncmp(text, "config1:", 8);
	i = sscanf(strchr(text, ':') + 1, "%u-%u", &lo, &hi);
	if (i < 1)
		return;
	if (i < 2)
		hi = lo;
	values[0] = (hi - lo == 63 ? ~0ULL : (1ULL << (hi - lo + 1)) - 1) << lo;
	values[1] = 1ULL << hi;
	values[2] = 1ULL << lo;
	for (base = 0; base <= 0x1001e; base += 0x1001e)
		for (i = 0; i < 3; i++) {
			v = values[i];
			snprintf(label, sizeof(label), "format-%s-%d-%x", name, i, base);
			add(label, PERF_TYPE_RAW, base | (one ? 0 : v), one ? v : 0);
		}
}

static int open_event(const struct event *e, const struct mode *m, int leader)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = e->type, .config = e->config, .config1 = e->config1,
		.disabled = leader < 0, .exclude_user = m->exclude_user,
		.exclude_kernel = m->exclude_kernel, .exclude_hv = m->exclude_hv,
		.exclude_idle = m->exclude_idle, .sample_period = m->period,
		.sample_type = m->period ? PERF_SAMPLE_IP : 0,
	};

	if (m->branches) {
		attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
		attr.branch_sample_type = m->branches;
	}
	if (m->ebb) {
		attr.config |= EBB;
		attr.pinned = leader < 0;
		attr.exclusive = leader < 0;
	}

	return syscall(SYS_perf_event_open, &attr, 0, -1, leader, 0);
}

static sigjmp_buf refused;

static void refuse(int sig)
{
	siglongjmp(refused, sig);
}

static void print_mmcr2(void)
{
	unsigned long v;

	if (sigsetjmp(refused, 1)) {
		printf(" -");
		return;
	}
	asm volatile("mfspr %0, 769" : "=r" (v));
	printf(" %lx", v);
}

static void print_registers(void)
{
	static const char * const names[] = { "mmcr0", "mmcr1", NULL, "mmcr3", "mmcra" };
	char text[64];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (!names[i])
			print_mmcr2();
		else if (read_text(CPU0, names[i], text, sizeof(text)))
			printf(" -");
		else
			printf(" %s", text);
	}
}

static void try_group(const char *name, const struct event *const *list, int n,
		      const struct mode *m)
{
	int fds[GROUP + 1], i, error = 0;
	__u64 value[3] = { 0 };

	for (i = 0; i < n && !error; i++) {
		fds[i] = open_event(list[i], m, i ? fds[0] : -1);
		if (fds[i] < 0)
			error = errno;
	}
	n = error ? i - 1 : i;
	printf("%s %s", name, m->name);
	if (error) {
		printf(" member %d errno %d", n, error);
	} else {
		ioctl(fds[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
		print_registers();
		if (read(fds[0], value, sizeof(value)) < 0)
			printf(" read errno %d", errno);
	}
	printf("\n");
	while (n-- > 0)
		close(fds[n]);
}

/* The same groups on every kernel with the same events */
static void groups(void)
{
	const struct event *list[GROUP];
	__u64 seed = 1;
	char name[600];
	int i, j, n, at;

	for (i = 0; i < GROUPS; i++) {
		n = 2 + i % (GROUP - 1);
		at = snprintf(name, sizeof(name), "group");
		for (j = 0; j < n; j++) {
			seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
			list[j] = &events[(seed >> 33) % n_events];
			at += snprintf(name + at, sizeof(name) - at, ",%s", list[j]->name);
		}
		for (j = 0; j < 6; j += 5)
			try_group(name, list, n, &modes[j]);
	}
}

static int listed(const char *path)
{
	const struct event *list[GROUP];
	char line[400], *at, *end;
	FILE *file = fopen(path, "r");
	int n;

	if (!file) {
		perror(path);
		return 1;
	}
	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = 0;
		n_events = 0;
		for (n = 0, at = line; n < GROUP; at = end) {
			__u64 config = strtoull(at, &end, 16), config1 = 0;

			if (end == at)
				break;
			if (*end == ':')
				config1 = strtoull(end + 1, &end, 16);
			add("", PERF_TYPE_RAW, config, config1);
			list[n] = &events[n];
			n++;
		}
		if (n)
			try_group(line, list, n, &modes[0]);
	}
	fclose(file);
	return 0;
}

int main(int argc, char *argv[])
{
	const struct event *one;
	char name[80];
	unsigned int i, j, k;

	signal(SIGILL, refuse);
	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	if (argc > 1)
		return listed(argv[1]);
	for (i = 0; i < PERF_COUNT_HW_MAX; i++) {
		snprintf(name, sizeof(name), "generic-%u", i);
		add(name, PERF_TYPE_HARDWARE, i, 0);
	}
	for (i = 0; i < PERF_COUNT_HW_CACHE_MAX; i++)
		for (j = 0; j < PERF_COUNT_HW_CACHE_OP_MAX; j++)
			for (k = 0; k < PERF_COUNT_HW_CACHE_RESULT_MAX; k++) {
				snprintf(name, sizeof(name), "cache-%u-%u-%u", i, j, k);
				add(name, PERF_TYPE_HW_CACHE, i | j << 8 | k << 16, 0);
			}
	/*
	 * Groups have only the events above: other drivers may have other names for events, and
	 * refuse most extreme values of fields.
	 */
	k = n_events;
	groups();
	files(PMU "events/", add_named);
	files(PMU "format/", add_format);
	for (i = 0; i < (unsigned int)n_events; i++)
		for (j = 0; j < MODES; j++) {
			one = &events[i];
			try_group(one->name, &one, 1, &modes[j]);
		}
	printf("# %d events, %u in groups\n", n_events, k);
	return 0;
}
