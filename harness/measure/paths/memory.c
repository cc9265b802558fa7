// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that perf events take, in bytes, as "name,value" lines: of events, of the contexts of
 * tasks, of the whole kernel when it has booted. Run where nothing was freed yet: that would be
 * used again.
 */
#include <err.h>
#include <sys/resource.h>

#include "lib.h"

#define MANY	1000

/* A line of /proc/meminfo, in bytes. */
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

/* What a thing takes in slabs when many are made by opening @s; left open. */
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

/* The first event of a task brings its context. */
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

int main(void)
{
	struct rlimit limit = { 4096, 4096 };

	if (setrlimit(RLIMIT_NOFILE, &limit))
		err(1, "setrlimit");
	report("bytes: per-CPU memory of a CPU", 1, memory("Percpu"));
	report("bytes: in use when booted", 1, memory("MemTotal") - memory("MemFree"));
	events();
	contexts();
	return 0;
}
