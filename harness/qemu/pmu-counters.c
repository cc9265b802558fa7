// SPDX-License-Identifier: GPL-2.0
/* As many events as counters, and more */
#define _GNU_SOURCE
#include <cpuid.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "pmu-test.h"

/* Number of general counters, if CPUID has it, else 0 */
static int general_counters(void)
{
	__u32 a, b, c, d;

	if (__get_cpuid_count(0xa, 0, &a, &b, &c, &d) && (a & 0xff))
		return a >> 8 & 0xff;
	if (__get_cpuid_count(0x80000022, 0, &a, &b, &c, &d) && (a & 1))
		return b & 0xf;
	return 0;
}

/* Number of Intel's fixed counters */
static int fixed_counters(void)
{
	__u32 a, b, c, d;

	return __get_cpuid_count(0xa, 0, &a, &b, &c, &d) ? d & 0x1f : 0;
}

static const char *name_of_cache(int cache, int op, int result)
{
	static const char * const caches[] = {
		"L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node",
	};
	static const char * const ops[] = { "loads", "stores", "prefetches" };
	static char name[64];

	snprintf(name, sizeof(name), "%s %s%s", caches[cache], ops[op],
		 result ? ", misses" : "");
	return name;
}

/*
 * Count a generic event over a loop of TURNS iterations. Return: false if the PMU does not have the
 * event.
 */
static bool count_generic(const char *name, __u32 type, __u64 config, __u64 *count)
{
	enum { TURNS = 100000 };
	struct perf_event_attr attr = hardware(config);
	int fd;

	attr.type = type;
	/* Pinned: always on its counter, or in the error state. */
	attr.pinned = 1;
	fd = open_event(&attr, -1);
	if (fd < 0) {
		say("%s: %s", name, strerror(errno));
		/* ENXIO: the event needs a register that QEMU does not have. */
		CHECK(errno == ENOENT || errno == EINVAL || errno == ENXIO, "%s: %s", name,
		      strerror(errno));
		return false;
	}
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	loop(TURNS);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	*count = value(fd);
	/* Rounded, because the calls before and after the loop also count a few events. */
	say("%s: %llu in a thousand rounds", name, (*count + 5) / (TURNS / 1000));
	close(fd);
	return true;
}

/* All generic and cache events of the machine; others are refused. */
void generic_events(void)
{
	__u64 count, instructions = 0, bus = 0, loads = 0;
	int cache, op, result, have = 0;

	count_generic("instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS,
		      &instructions);
	if (count_generic("bus cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES, &bus))
		CHECK(bus && bus <= instructions, "%llu bus cycles", bus);
	count_generic("reference cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, &count);
	count_generic("stalled cycles, frontend", PERF_TYPE_HARDWARE,
		      PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, &count);
	count_generic("stalled cycles, backend", PERF_TYPE_HARDWARE,
		      PERF_COUNT_HW_STALLED_CYCLES_BACKEND, &count);
	for (cache = 0; cache < PERF_COUNT_HW_CACHE_MAX; cache++) {
		for (op = 0; op < PERF_COUNT_HW_CACHE_OP_MAX; op++) {
			for (result = 0; result < PERF_COUNT_HW_CACHE_RESULT_MAX; result++) {
				count = 0;
				have += count_generic(name_of_cache(cache, op, result),
						      PERF_TYPE_HW_CACHE,
						      cache | op << 8 | result << 16, &count);
				if (!op && !result && count > loads)
					loads = count;
			}
		}
	}
	say("%d events of caches", have);
	CHECK(have >= 4, "%d events of caches", have);
	/* Only some of the instructions are loads. */
	CHECK(loads && loads <= instructions, "%llu loads in %llu instructions", loads,
	      instructions);
}

struct scaled {
	__u64 value, enabled, running;
};

void multiplexing(void)
{
	enum { MAX = 12, TURNS = 50000000 };
	struct perf_event_attr attr = hardware(PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
	int fd[MAX], nr = general_counters() < 8 ? 8 : MAX;
	bool shared = false;

	if (getenv("PMU_HOST_TIME")) {
		skip = "how long an event runs depends on the host";
		return;
	}
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	for (int i = 0; i < nr; i++) {
		fd[i] = open_event(&attr, -1);
		CHECK(fd[i] >= 0, "event %d: %s", i, strerror(errno));
	}
	for (int i = 0; i < nr; i++)
		ioctl(fd[i], PERF_EVENT_IOC_ENABLE, 0);
	loop(TURNS);
	for (int i = 0; i < nr; i++)
		ioctl(fd[i], PERF_EVENT_IOC_DISABLE, 0);
	for (int i = 0; i < nr; i++) {
		struct scaled s = {};
		double scaled;

		if (read(fd[i], &s, sizeof(s)) != sizeof(s))
			s.running = 0;
		CHECK(s.running, "event %d never ran", i);
		scaled = s.running ? (double)s.value * s.enabled / s.running : 0;
		printf("# event %d: %.3f %% of the time, off by %.3f %%\n", i,
		       100. * s.running / s.enabled, 100 * (scaled / TURNS - 1));
		shared |= s.running < s.enabled;
		CHECK(scaled > TURNS * 0.99 && scaled < TURNS * 1.01,
		      "event %d: %.0f branches of %d", i, scaled, TURNS);
		CHECK(s.running * 4 > s.enabled, "event %d ran for %llu of %llu ns only", i,
		      s.running, s.enabled);
		close(fd[i]);
	}
	CHECK(shared, "%d events fit: there is nothing to share", nr);
}

void too_many(void)
{
	struct perf_event_attr attr = hardware(PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
	int fd[16], nr, last;
	__u64 v;

	fd[0] = open_event(&attr, -1);
	attr.disabled = 0;
	for (nr = 1; nr < 16; nr++) {
		fd[nr] = open_event(&attr, fd[0]);
		if (fd[nr] < 0)
			break;
	}
	say("groups of up to %d branch counters", nr);
	CHECK(nr == (general_counters() ?: nr), "a group of %d on %d counters", nr,
	      general_counters());
	CHECK(nr >= 4 && nr < 16 && errno == EINVAL, "a group of %d, then %s", nr, strerror(errno));
	while (nr)
		close(fd[--nr]);

	/*
	 * Pinned, without a free counter: the event is in the error state, and read(2) returns end
	 * of file.
	 */
	attr.pinned = 1;
	for (nr = 0; nr < 16; nr++) {
		fd[nr] = open_event(&attr, -1);
		CHECK(fd[nr] >= 0, "pinned event %d: %s", nr, strerror(errno));
		last = read(fd[nr], &v, sizeof(v));
		if (last <= 0)
			break;
	}
	say("%d pinned branch counters", nr);
	CHECK(nr >= 3 && nr < 16 && last == 0, "pinned event %d: read gives %d", nr, last);
	for (int i = 0; i <= nr && i < 16; i++)
		close(fd[i]);
}

/* All Intel counters at once, except the fixed counter of cycles, which the watchdog has. */
void all_counters(void)
{
	/* Instructions, reference cycles, and slots, each with a fixed counter. */
	static const struct {
		__u32 type;
		__u64 config;
	} fixed[] = {
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES },
		{ PERF_TYPE_RAW, 0x0400 },
	};
	struct perf_event_attr attr = hardware(PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
	int nr, general = general_counters(), events = general + fixed_counters() - 1;
	struct {
		__u64 nr, enabled, running, value[16];
	} group;
	__u64 ends;
	int fd[16];

	if (!fixed_counters()) {
		skip = "no fixed counters";
		return;
	}
	attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			   PERF_FORMAT_TOTAL_TIME_RUNNING;
	for (nr = 0; nr < events && nr < 16; nr++) {
		attr.disabled = !nr;
		if (nr >= general) {
			attr.type = fixed[nr - general].type;
			attr.config = fixed[nr - general].config;
		}
		fd[nr] = open_event(&attr, nr ? fd[0] : -1);
		CHECK(fd[nr] >= 0, "event %d of a group of %d: %s", nr, events, strerror(errno));
	}
	if (why)
		return;
	ioctl(fd[0], PERF_EVENT_IOC_ENABLE, 0);
	loop(1000000);
	ioctl(fd[0], PERF_EVENT_IOC_DISABLE, 0);
	CHECK(read(fd[0], &group, sizeof(group)) == (3 + nr) * 8, "the group cannot be read");
	CHECK(group.running && group.running == group.enabled, "a group of %d does not run", nr);
	say("%d events at once: %llu branches, %llu instructions", nr, group.value[0],
	    group.value[general]);
	for (int i = 0; i < nr && !why; i++) {
		ends = group.value[i] - (i < general ? 1 : LOOP_LENGTH) * 1000000;
		CHECK(ends < 100, "event %d counts %llu", i, group.value[i]);
	}
	while (nr)
		close(fd[--nr]);
}
