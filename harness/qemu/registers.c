// SPDX-License-Identifier: GPL-2.0
/*
 * Open the events of an x86 PMU in many ways, alone and in groups, and print for each the errno of
 * the open, or the values of the registers while it is on. The outputs of two drivers are compared.
 *
 * A line is NAME MODE RESULT. RESULT is an errno, or for each running counter its number and its
 * select; fN is fixed counter N with its bits of the control register, and xADDRESS an extra
 * register.
 *
 * Registers are read by the kernel's msr device, on one CPU, as root.
 */
#include <cpuid.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <linux/perf_event.h>

#define DEVICES		"/sys/bus/event_source/devices/"
#define EVENTS_MAX	1024
#define GROUP_MAX	12
#define GROUPS		400
#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

/* Such a long period does not end, so no interrupt changes the registers. */
#define PERIOD		0x3fffffffULL

struct event {
	char	name[64];
	__u32	type;
	__u64	config, config1;
};

/* Attributes of an open, apart from the encoding */
struct mode {
	const char	*name;
	unsigned int	exclude_user:1, exclude_kernel:1, exclude_hv:1, exclude_idle:1,
			exclude_host:1, exclude_guest:1, pinned:1, exclusive:1, inherit:1,
			freq:1, cpu:1, precise:2;
	__u64		period;
	__u64		sample_type;
};

static const struct mode modes[] = {
	{ .name = "all" },
	{ .name = "user", .exclude_kernel = 1 },
	{ .name = "kernel", .exclude_user = 1 },
	{ .name = "neither", .exclude_user = 1, .exclude_kernel = 1 },
	{ .name = "no-hv", .exclude_hv = 1 },
	{ .name = "no-idle", .exclude_idle = 1 },
	{ .name = "guests", .exclude_host = 1 },
	{ .name = "host", .exclude_guest = 1 },
	{ .name = "nobody", .exclude_guest = 1, .exclude_host = 1 },
	{ .name = "pinned", .pinned = 1 },
	{ .name = "exclusive", .exclusive = 1 },
	{ .name = "inherited", .inherit = 1 },
	{ .name = "cpu", .cpu = 1 },
	{ .name = "sampled", .period = PERIOD },
	{ .name = "sampled-user", .period = PERIOD, .exclude_kernel = 1 },
	{ .name = "long", .period = 0x7fffffffffffULL },
	{ .name = "longer", .period = 0x7fffffffffffffffULL },
	{ .name = "frequency", .period = 1, .freq = 1 },
	{ .name = "precise-1", .period = PERIOD, .precise = 1 },
	{ .name = "precise-2", .period = PERIOD, .precise = 2 },
	{ .name = "precise-3", .period = PERIOD, .precise = 3 },
};

/* Every event is opened in the first mode, and precise events also in the last three. */
#define MODE_ALL	(&modes[0])
#define MODE_PRECISE	(&modes[ARRAY_SIZE(modes) - 3])

static struct event events[EVENTS_MAX];
static int n_events;
static __u32 pmu_type;
static int is_hybrid, max_precise;
static char pmu_dir[64];

static void add(const char *name, __u32 type, __u64 config, __u64 config1)
{
	struct event *e = &events[n_events];

	if (n_events == EVENTS_MAX)
		exit(fprintf(stderr, "more than %d events\n", EVENTS_MAX));
	snprintf(e->name, sizeof(e->name), "%s", name);
	e->type = type;
	/* On hybrid CPUs generic events name their PMU. */
	if (is_hybrid && (type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE))
		config |= (__u64)pmu_type << 32;
	e->config = config;
	e->config1 = config1;
	n_events++;
}

/* Registers */

/* The kinds of PMUs, by the addresses of their registers */
struct bank {
	unsigned int	select, stride, n, fixed_control, control;
	int		first_runs_all;
};

static struct bank bank;
static int msr_fd = -1;
static int is_p4, is_intel;

static const unsigned int extras[] = {
	0x10f, 0x1a6, 0x1a7, 0x1c8, 0x1d9, 0x3f1, 0x3f6, 0x3f7, 0x1328, 0x1329,
};

static int read_msr(unsigned int address, __u64 *value)
{
	return pread(msr_fd, value, 8, address) == 8 ? 0 : -1;
}

static void find_bank(void)
{
	unsigned int a, b, c, d, family, vendor, most, ext;

	__cpuid(0, most, vendor, c, d);
	__cpuid(1, a, b, c, d);
	family = (a >> 8) & 15;
	if (family == 15)
		family += (a >> 20) & 0xff;
	is_intel = vendor == 0x756e6547;
	if (vendor == 0x68747541 || vendor == 0x6f677948) {
		__cpuid(0x80000001, a, b, ext, d);
		bank = (struct bank){ 0xc0010000, 1, 4 };
		if (ext & 1 << 23)
			bank = (struct bank){ 0xc0010200, 2, 6 };
		__cpuid(0x80000000, a, b, c, d);
		if (a >= 0x80000022) {
			__cpuid(0x80000022, a, b, c, d);
			if (a & 1) {
				bank.control = 0xc0000301;
				bank.n = b & 15;
			}
		}
		return;
	}
	is_p4 = is_intel && family == 15;
	bank = (struct bank){ 0x186, 1, 2, .first_runs_all = 1 };
	if (is_intel && family == 11) {
		bank = (struct bank){ 0x28, 1, 2, 0, 0x2f };
	} else if (most >= 10) {
		__cpuid(10, a, b, c, d);
		if (a & 0xff)
			bank = (struct bank){ 0x186, 1, a >> 8 & 0xff };
		if ((a & 0xff) > 1) {
			bank.control = 0x38f;
			bank.fixed_control = 0x38d;
		}
	}
}

struct running {
	char	name[12];
	__u64	value;
};

static int compare(const void *a, const void *b)
{
	const struct running *x = a, *y = b;

	return x->value < y->value ? -1 : x->value > y->value;
}

static __u64 p4_before[0x53];

/* P4: the configuration registers of running counters, and their event selects */
static int running_p4(struct running *list)
{
	__u64 value, escr;
	int i, n = 0;

	for (i = 0; i < 18; i++) {
		if (read_msr(0x360 + i, &value) || !(value & 1 << 12))
			continue;
		sprintf(list[n].name, "%d", i);
		list[n++].value = value;
	}
	/* Selects that this case has changed: a previous case leaves its own. */
	for (i = 0x3a0; i <= 0x3f2; i++) {
		if (read_msr(i, &escr) || escr == p4_before[i - 0x3a0])
			continue;
		p4_before[i - 0x3a0] = escr;
		sprintf(list[n].name, "e%x", i);
		list[n++].value = escr;
	}
	return n;
}

static int running(struct running *list)
{
	__u64 control = ~0ULL, value, first = 0;
	unsigned int i;
	int n = 0;

	if (is_p4)
		return running_p4(list);
	if (bank.control && read_msr(bank.control, &control))
		control = 0;
	for (i = 0; i < bank.n; i++) {
		if (read_msr(bank.select + i * bank.stride, &value))
			continue;
		if (!i)
			first = value;
		if (bank.first_runs_all ? !(first & 1 << 22) || !(value & 3 << 16) :
		    !(value & 1 << 22) || !(control >> i & 1))
			continue;
		sprintf(list[n].name, "%u", i);
		/* The enable bit of a P6's first select enables all counters. */
		list[n++].value = bank.first_runs_all ? value & ~(1ULL << 22) : value;
	}
	if (bank.fixed_control && !read_msr(bank.fixed_control, &value)) {
		for (i = 0; i < 16; i++) {
			__u64 bits = value >> 4 * i & 0xf;

			if (!bits || !(control >> (32 + i) & 1))
				continue;
			sprintf(list[n].name, "f%u", i);
			list[n++].value = bits;
		}
	}
	return n;
}

/* Values before a case: a driver may leave old values, which are not compared. */
static __u64 before[ARRAY_SIZE(extras)];

static void note_extras(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(extras); i++)
		if (read_msr(extras[i], &before[i]))
			before[i] = 0;
}

static void print_extras(void)
{
	__u64 value;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(extras); i++) {
		if (!read_msr(extras[i], &value) && value != before[i])
			printf(" x%x=%llx", extras[i], value);
	}
}

/*
 * @names: print the numbers of counters, which two drivers may assign in another order.
 */
static void print_registers(int names, int with_extras)
{
	struct running list[128];
	int i, n = running(list);

	if (!n)
		printf(" off");
	if (names)
		for (i = 0; i < n; i++)
			printf(" %s:%llx", list[i].name, list[i].value);
	else
		qsort(list, n, sizeof(list[0]), compare);
	for (i = 0; !names && i < n; i++)
		printf(" %llx", list[i].value);
	if (with_extras && is_intel && !is_p4)
		print_extras();
}

/* Cases */

static int open_event(const struct event *e, const struct mode *m, int leader)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = e->type, .config = e->config, .config1 = e->config1,
		.disabled = leader < 0, .exclude_user = m->exclude_user,
		.exclude_kernel = m->exclude_kernel, .exclude_hv = m->exclude_hv,
		.exclude_idle = m->exclude_idle, .exclude_host = m->exclude_host,
		.exclude_guest = m->exclude_guest, .pinned = m->pinned && leader < 0,
		.exclusive = m->exclusive && leader < 0, .inherit = m->inherit, .freq = m->freq,
		.precise_ip = m->precise, .sample_period = m->period,
		.sample_type = m->period ? PERF_SAMPLE_IP | m->sample_type : 0,
	};

	return syscall(SYS_perf_event_open, &attr, m->cpu ? -1 : 0, m->cpu ? 0 : -1, leader, 0);
}

static void close_all(int *fds, int n)
{
	while (n-- > 0)
		close(fds[n]);
}

/*
 * Open unrelated events on all counters. A driver may leave a counter assigned to its last event,
 * so that the same event gets it again; after this the driver chooses among all.
 */
static void use_all_counters(void)
{
	struct event e = { .type = pmu_type };
	int fds[GROUP_MAX * 2], n = 0, i;

	for (i = 0; i < GROUP_MAX && !is_p4; i++) {
		/* A threshold excludes fixed counters. */
		e.config = 0xc0 | (__u64)(0xe0 + i) << 24;
		fds[n] = open_event(&e, MODE_ALL, n ? fds[0] : -1);
		if (fds[n] < 0)
			break;
		n++;
	}
	for (i = 0; i < 4 && n && bank.fixed_control; i++) {
		static const int fixed[] = { 0x3c, 0xc0, 0x0300, 0x0400 };

		e.config = fixed[i];
		fds[n] = open_event(&e, &modes[1], fds[0]);
		n += fds[n] >= 0;
	}
	if (n)
		ioctl(fds[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
	close_all(fds, n);
}

static void try_group(const char *name, const struct event *const *list, int n,
		      const struct mode *m)
{
	int fds[GROUP_MAX], i, with_extras = m->precise;

	if (n == 1)
		use_all_counters();
	note_extras();
	printf("%s %s", name, m->name);
	for (i = 0; i < n; i++) {
		with_extras |= list[i]->config1 || list[i]->type == PERF_TYPE_HW_CACHE;
		fds[i] = open_event(list[i], m, i ? fds[0] : -1);
		if (fds[i] < 0)
			break;
	}
	if (i < n) {
		printf(" member %d errno %d", i, errno);
	} else {
		ioctl(fds[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
		print_registers(n == 1, with_extras);
	}
	printf("\n");
	close_all(fds, i);
}

static void try(const struct event *e, const struct mode *m)
{
	try_group(e->name, &e, 1, m);
}

/*
 * Open as many copies of one event as a group accepts: they are on all counters that can count it.
 */
static void try_all_counters(const struct event *e, const struct mode *m)
{
	int fds[GROUP_MAX], n, error = 0;

	for (n = 0; n < GROUP_MAX; n++) {
		fds[n] = open_event(e, m, n ? fds[0] : -1);
		if (fds[n] < 0) {
			error = errno;
			break;
		}
	}
	printf("%s%s%s counters %d errno %d", e->name, m == MODE_ALL ? "" : " ",
	       m == MODE_ALL ? "" : m->name, n, error);
	if (n) {
		ioctl(fds[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
		print_registers(1, m->precise);
	}
	printf("\n");
	close_all(fds, n);
}

/* Groups of generic events, cache events and the events below: the same groups for every driver */
static void groups(void)
{
	static const unsigned short codes[] = {
		0x0010, 0x0111, 0x0048, 0x0148, 0x00a3, 0x08a3, 0x01c0, 0x01cd, 0x01d0, 0x81d0,
		0x01b7, 0x02b7, 0x012a, 0x0003, 0x03ff, 0x00e9, 0x00cb, 0x0080, 0x01c4, 0x00c5,
	};
	const struct event *list[GROUP_MAX];
	__u64 seed = 1;
	char name[600];
	int i, j, n, at;

	for (i = 0; i < (int)ARRAY_SIZE(codes) && !is_p4; i++) {
		snprintf(name, sizeof(name), "%x", codes[i]);
		add(name, pmu_type, codes[i], 0);
	}
	for (i = 0; i < GROUPS; i++) {
		n = 2 + i % 8;
		at = snprintf(name, sizeof(name), "group");
		for (j = 0; j < n; j++) {
			seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
			list[j] = &events[(seed >> 33) % n_events];
			at += snprintf(name + at, sizeof(name) - at, ",%s", list[j]->name);
		}
		try_group(name, list, n, MODE_ALL);
		if (i % 8 == 0)
			try_group(name, list, n, &modes[1 + i / 8 % 17]);
	}
}

/* Names in sysfs */

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

static void files(const char *below, void (*each)(const char *name, const char *text))
{
	struct dirent **found;
	char dir[128], text[256];
	int i, n;

	snprintf(dir, sizeof(dir), "%s%s", pmu_dir, below);
	n = scandir(dir, &found, NULL, alphasort);
	for (i = 0; i < n; i++)
		if (found[i]->d_name[0] != '.' &&
		    !read_text(dir, found[i]->d_name, text, sizeof(text)))
			each(found[i]->d_name, text);
}

/*
 * Insert a value into the bits of a format, "config:0-7,32-35". Returns 0, or -1 if the value is
 * too large.
 */
static int put_field(const char *format, __u64 value, __u64 *config, __u64 *config1)
{
	__u64 *to = strncmp(format, "config1:", 8) ? config : config1;
	const char *at = strchr(format, ':');
	unsigned int lo, hi;

	while (at) {
		int got = sscanf(at + 1, "%u-%u", &lo, &hi);

		if (got < 1)
			return -1;
		if (got < 2)
			hi = lo;
		for (; lo <= hi; lo++, value >>= 1)
			*to |= (value & 1) << lo;
		at = strchr(at + 1, ',');
	}
	return value ? -1 : 0;
}

static void add_named(const char *name, const char *text)
{
	char copy[256], format[64], dir[128], *term, *save = NULL;
	__u64 config = 0, config1 = 0;

	if (strchr(name, '.'))
		return;
	snprintf(dir, sizeof(dir), "%sformat/", pmu_dir);
	snprintf(copy, sizeof(copy), "%s", text);
	for (term = strtok_r(copy, ",", &save); term; term = strtok_r(NULL, ",", &save)) {
		char *value = strchr(term, '=');

		if (value)
			*value++ = 0;
		if (read_text(dir, term, format, sizeof(format)) ||
		    put_field(format, value ? strtoull(value, NULL, 0) : 1, &config, &config1)) {
			printf("# %s has a term without a format: %s\n", name, term);
			return;
		}
	}
	add(name, pmu_type, config, config1);
}

static void print_text(const char *name, const char *text)
{
	printf("sysfs %s %s\n", name, text);
}

/* A format field with a common event: all its bits, its highest bit, its lowest bit. */
static void try_format(const char *name, const char *text)
{
	static const __u64 values[] = { ~0ULL, 0, 1 };
	struct event e = { .type = pmu_type };
	unsigned int i, j;

	for (i = 0; i < n_events && i < 2; i++)
		for (j = 0; j < ARRAY_SIZE(values); j++) {
			__u64 one = 0, all = 0, value = values[j];

			e.config = i ? 0xc0 : 0x3c;
			e.config1 = 0;
			put_field(text, ~0ULL, &all, &one);
			if (!value)
				value = 1ULL << (__builtin_popcountll(all | one) - 1);
			put_field(text, value, &e.config, &e.config1);
			snprintf(e.name, sizeof(e.name), "format-%s-%d-%d", name, i, j);
			try(&e, MODE_ALL);
			try_all_counters(&e, MODE_ALL);
		}
}

/* Raw events */

static const unsigned char umasks[] = {
	0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x0c, 0x0e, 0x0f, 0x10, 0x14, 0x20,
	0x40, 0x41, 0x4f, 0x80, 0x81, 0x82, 0xc8, 0xf0, 0xff,
};

static void try_bits(const struct event *base, const char *what)
{
	struct event e = *base;
	int i;

	for (i = 0; i < 64; i++) {
		e.config = base->config ^ (what ? 0 : 1ULL << i);
		e.config1 = base->config1 ^ (what ? 1ULL << i : 0);
		snprintf(e.name, sizeof(e.name), "%.32s-bit%s-%d", base->name, what ?: "", i);
		try(&e, MODE_ALL);
	}
}

/* Every event code: its possible counters and its extra register */
static void try_code(unsigned int number)
{
	struct event e = { .type = pmu_type };
	unsigned int i;
	int fd;

	for (i = 0; i < ARRAY_SIZE(umasks); i++) {
		e.config = (number & 0xff) | (__u64)(number & 0xf00) << 24 | umasks[i] << 8;
		e.config1 = 0;
		snprintf(e.name, sizeof(e.name), "code-%x-%x", number, umasks[i]);
		try_all_counters(&e, MODE_ALL);
		if (max_precise)
			try_all_counters(&e, MODE_PRECISE);
		/* The highest level of precision may have fewer counters, for any event. */
		if (max_precise > 2 && i < 4)
			try_all_counters(&e, MODE_PRECISE + 2);
		e.config1 = ~0ULL;
		fd = open_event(&e, MODE_ALL, -1);
		if (fd >= 0) {
			close(fd);
			continue;
		}
		e.config1 = 0;
		try_bits(&e, "1");
	}
}

static void try_codes_p4(void)
{
	struct event e = { .type = pmu_type };
	int number, bit, on_thread;

	for (number = 0; number < 64; number++)
		for (bit = 0; bit < 16; bit++)
			for (on_thread = 0; on_thread < 2; on_thread++) {
				e.config = (__u64)number << 57 | 1ULL << (41 + bit) |
					   (__u64)on_thread << 63;
				snprintf(e.name, sizeof(e.name), "code-%x-%d-%d", number, bit,
					 on_thread);
				try_all_counters(&e, MODE_ALL);
			}
}

static int find_pmu(void)
{
	static const char * const names[] = { "cpu", "cpu_core", "cpu_atom" };
	char text[32], dir[64];
	unsigned int i;

	/* On a hybrid machine: the PMU of this CPU. */
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(dir, sizeof(dir), DEVICES "%s/", names[i]);
		if (read_text(dir, "type", text, sizeof(text)))
			continue;
		snprintf(pmu_dir, sizeof(pmu_dir), "%s", dir);
		pmu_type = atoi(text);
		is_hybrid = i > 0;
		if (!i || (!read_text(dir, "cpus", text, sizeof(text)) && text[0]))
			return 0;
	}
	return pmu_dir[0] ? 0 : -1;
}

int main(int argc, char **argv)
{
	unsigned int i, j, full = argc > 1 && !strcmp(argv[1], "full");
	struct event cycles = { .name = "cycles", .config = 0x3c };
	char name[64], text[32];

	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	if (find_pmu()) {
		printf("no PMU\n");
		return 0;
	}
	mknod("/tmp/msr", S_IFCHR | 0600, makedev(202, 0));
	msr_fd = open("/tmp/msr", O_RDONLY);
	if (msr_fd < 0)
		exit(fprintf(stderr, "no msr device: %s\n", strerror(errno)));
	find_bank();
	if (!read_text(pmu_dir, "caps/max_precise", text, sizeof(text)))
		max_precise = atoi(text);
	files("", print_text);
	files("format/", print_text);
	files("events/", print_text);
	files("caps/", print_text);
	for (i = 0; i < PERF_COUNT_HW_MAX + 2; i++) {
		snprintf(name, sizeof(name), "generic-%u", i);
		add(name, PERF_TYPE_HARDWARE, i, 0);
	}
	for (i = 0; i < PERF_COUNT_HW_CACHE_MAX * 16; i++) {
		if ((i & 3) > 2 || (i >> 2 & 3) > 2)
			continue;
		snprintf(name, sizeof(name), "cache-%u-%u-%u", i >> 4, i >> 2 & 3, i & 3);
		add(name, PERF_TYPE_HW_CACHE, i >> 4 | (i >> 2 & 3) << 8 | (i & 3) << 16, 0);
	}
	groups();
	files("events/", add_named);
	for (i = 0; i < (unsigned int)n_events; i++) {
		for (j = 0; j < ARRAY_SIZE(modes); j++) {
			/* Test cache events only in the first modes, and in those with PERIOD. */
			if (events[i].type == PERF_TYPE_HW_CACHE && j > 2 &&
			    modes[j].period != PERIOD)
				continue;
			try(&events[i], &modes[j]);
		}
		try_all_counters(&events[i], MODE_ALL);
	}
	cycles.type = pmu_type;
	try_bits(&cycles, NULL);
	try_bits(&cycles, "1");
	files("format/", try_format);
	if (is_p4)
		try_codes_p4();
	for (i = 0; !is_p4 && i < (full ? 0x200 : 0x100); i++)
		try_code(i);
	printf("# end\n");
	return 0;
}
