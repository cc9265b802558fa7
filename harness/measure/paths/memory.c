// SPDX-License-Identifier: GPL-2.0
/*
 * Memory used by perf events, in bytes, as "name,value" lines: per event, per context of a task,
 * and of the whole kernel after boot. To be run before any memory is freed, because freed memory
 * would be used again. With more than one possible CPU, the part that grows with their number is
 * printed separately.
 */
#include <err.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "lib.h"

#define MANY	1000
#define TASKS	200
#define CHILDREN	16

/* Value of a line in /proc/meminfo, in bytes */
static double memory(const char *key)
{
	size_t length = strlen(key);
	char line[128];
	double kb = 0;
	FILE *f = fopen("/proc/meminfo", "r");

	while (f && fgets(line, sizeof(line), f)) {
		if (!strncmp(line, key, length) && line[length] == ':') {
			kb = atof(line + length + 1);
			break;
		}
	}
	if (f)
		fclose(f);
	return kb * 1024;
}

/* Slab memory per object if many are created by opening @s; the set remains open */
static double bytes_of(struct set *s, int *ok)
{
	double before = memory("Slab");

	*ok = !open_set(s);
	return (memory("Slab") - before) / s->nr;
}

static void events(void)
{
	static struct set counting = { .nr = MANY, .cpu = -1, .config = PERF_COUNT_SW_DUMMY };
	static struct set sampling = { .nr = MANY, .cpu = -1, .config = PERF_COUNT_SW_DUMMY,
				       .sample_type = PERF_SAMPLE_IP };
	double value;
	int ok;

	value = bytes_of(&counting, &ok);
	report("bytes: a counting event of 1000", ok, value);
	value = bytes_of(&sampling, &ok);
	report("bytes: a sampling event of 1000", ok, value);
}

/* The first event of a task allocates its context. */
static void contexts(void)
{
	static struct set s = { .nr = 1, .cpu = -1, .config = PERF_COUNT_SW_DUMMY };
	pid_t child[MANY];
	double before;
	int ok = 1;

	for (int i = 0; i < MANY; i++) {
		child[i] = fork();
		if (!child[i]) {
			pause();
			_exit(0);
		}
	}
	sleep(1);
	before = memory("Slab");
	for (int i = 0; i < MANY; i++) {
		s.nr = 1;
		s.pid = child[i];
		ok &= !open_set(&s);
	}
	report("bytes: the first event of a task", ok, (memory("Slab") - before) / MANY);
	for (int i = 0; i < MANY; i++) {
		kill(child[i], SIGKILL);
		waitpid(child[i], NULL, 0);
	}
}

/* Memory of inherited events: the difference between tasks without and with them */
static void children(void)
{
	static struct set s = { .nr = CHILDREN, .cpu = -1, .config = PERF_COUNT_SW_PAGE_FAULTS,
				.inherit = 1 };
	pid_t child[2 * TASKS];
	double took[2];
	int ok = 1;

	/* Keep the first part's tasks, so that their memory is not used again. */
	for (int part = 0; part < 2; part++) {
		double before;

		if (part)
			ok = !open_set(&s);
		before = memory("Slab");
		for (int i = 0; i < TASKS; i++) {
			pid_t *pid = &child[part * TASKS + i];

			*pid = fork();
			if (!*pid) {
				pause();
				_exit(0);
			}
		}
		took[part] = memory("Slab") - before;
	}
	report("bytes: an inherited copy of 16 in a task", ok,
	       (took[1] - took[0]) / (TASKS * CHILDREN));
	for (int i = 0; i < 2 * TASKS; i++) {
		kill(child[i], SIGKILL);
		waitpid(child[i], NULL, 0);
	}
	close_set(&s);
}

/* Slab and per-CPU memory, which increases with the number of possible CPUs */
static double all_memory(void)
{
	return memory("Slab") + memory("Percpu");
}

static void report_each(const char *what, int cpus, int ok, double value)
{
	char name[64];

	snprintf(name, sizeof(name), "bytes: %s, %d possible CPUs", what, cpus);
	report(name, ok, value);
}

static void possible_cpus(int cpus)
{
	static struct set ring[200];
	double before;
	char name[64];
	FILE *f;
	int ok = 1;

	before = all_memory();
	for (int i = 0; i < 200; i++) {
		snprintf(name, sizeof(name), "/sys/fs/cgroup/perf_event/%d", i);
		ok &= !mkdir(name, 0755);
	}
	report_each("a cgroup", cpus, ok, (all_memory() - before) / 200);

	before = all_memory();
	f = fopen("/sys/module/sim_more/parameters/number", "w");
	ok = f && fprintf(f, "150") > 0;
	ok = f && !fclose(f) && ok;
	report_each("a PMU", cpus, ok, (all_memory() - before) / 150);

	before = all_memory();
	for (int i = 0; i < 200; i++) {
		ring[i] = (struct set){ .nr = 1, .cpu = -1, .config = PERF_COUNT_SW_PAGE_FAULTS,
					.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN };
		ok &= !open_set(&ring[i]);
	}
	report_each("a sampling event", cpus, ok, (all_memory() - before) / 200);
}

/* The number of possible CPUs, from a list such as "0-254" */
static int nr_possible(void)
{
	FILE *f = fopen("/sys/devices/system/cpu/possible", "r");
	int last = 0;

	if (f && fscanf(f, "0-%d", &last) != 1)
		last = 0;
	if (f)
		fclose(f);
	return last + 1;
}

int main(void)
{
	struct rlimit limit = { 4096, 4096 };
	int cpus = nr_possible();

	if (setrlimit(RLIMIT_NOFILE, &limit))
		err(1, "setrlimit");
	if (cpus > 1) {
		possible_cpus(cpus);
		return 0;
	}
	report("bytes: per-CPU memory of a CPU", 1, memory("Percpu"));
	report("bytes: in use when booted", 1, memory("MemTotal") - memory("MemFree"));
	events();
	contexts();
	children();
	return 0;
}
