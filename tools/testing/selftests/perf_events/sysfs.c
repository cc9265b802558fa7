// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/bus/event_source: the files of each PMU.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_lib.h"

#define MAX_PMUS	64

FIXTURE(sysfs) {
	char name[MAX_PMUS][64];
	int nr;
};

FIXTURE_SETUP(sysfs)
{
	DIR *dir = opendir(PE_DEVICES);
	struct dirent *d;

	ASSERT_NE(NULL, dir);
	self->nr = 0;
	while (self->nr < MAX_PMUS && (d = readdir(dir)))
		if (d->d_name[0] != '.')
			snprintf(self->name[self->nr++], 64, "%.63s", d->d_name);
	closedir(dir);
	ASSERT_LT(0, self->nr);
}

FIXTURE_TEARDOWN(sysfs)
{
}

static const char *file_of(const char *pmu, const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), PE_DEVICES "%s/%s", pmu, name);
	return path;
}

TEST_F(sysfs, fixed_types)
{
	EXPECT_EQ(PERF_TYPE_SOFTWARE, pe_get(PE_DEVICES "software/type"));
	if (!access(PE_DEVICES "tracepoint", F_OK))
		EXPECT_EQ(PERF_TYPE_TRACEPOINT, pe_get(PE_DEVICES "tracepoint/type"));
	if (!access(PE_DEVICES "breakpoint", F_OK))
		EXPECT_EQ(PERF_TYPE_BREAKPOINT, pe_get(PE_DEVICES "breakpoint/type"));
	if (!access(PE_DEVICES "cpu", F_OK))
		EXPECT_EQ(PERF_TYPE_RAW, pe_get(PE_DEVICES "cpu/type"));
	if (!access(PE_DEVICES "kprobe", F_OK))
		EXPECT_LE(PERF_TYPE_MAX, pe_get(PE_DEVICES "kprobe/type"));
	if (!access(PE_DEVICES "uprobe", F_OK))
		EXPECT_LE(PERF_TYPE_MAX, pe_get(PE_DEVICES "uprobe/type"));
}

TEST_F(sysfs, types_differ)
{
	long type[MAX_PMUS];
	struct stat st;
	int i, j;

	for (i = 0; i < self->nr; i++) {
		ASSERT_EQ(0, stat(file_of(self->name[i], "type"), &st));
		EXPECT_EQ(S_IFREG | 0444, st.st_mode);
		type[i] = pe_get(file_of(self->name[i], "type"));
		EXPECT_LE(0, type[i]);
		for (j = 0; j < i; j++)
			EXPECT_NE(type[j], type[i]);
	}
}

TEST_F(sysfs, links)
{
	char path[PATH_MAX], want[80];
	int i;

	for (i = 0; i < self->nr; i++) {
		ASSERT_NE(NULL, realpath(file_of(self->name[i], "subsystem"), path));
		EXPECT_STREQ("/sys/bus/event_source", path);
		ASSERT_NE(NULL, realpath(file_of(self->name[i], "."), path));
		snprintf(want, sizeof(want), "/%s", self->name[i]);
		EXPECT_STREQ(want, strrchr(path, '/'));
	}
}

TEST_F(sysfs, no_such_type)
{
	struct perf_event_attr a = pe_attr(0);
	long type, highest = 0;
	int i;

	for (i = 0; i < self->nr; i++) {
		type = pe_get(file_of(self->name[i], "type"));
		if (type > highest)
			highest = type;
	}
	a.type = highest + 1;
	EXPECT_EQ(-ENOENT, pe_try(&a, 0, -1, -1, 0));
}

TEST_F(sysfs, hardware_without_a_pmu)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_HW_CPU_CYCLES);
	int i;

	for (i = 0; i < self->nr; i++)
		if (!strncmp(self->name[i], "cpu", 3) ||
		    !strncmp(self->name[i], "armv8", 5) ||
		    !strcmp(self->name[i], "sim_pmu"))
			SKIP(return, "there is a hardware PMU");
	a.type = PERF_TYPE_HARDWARE;
	EXPECT_EQ(-ENOENT, pe_try(&a, 0, -1, -1, 0));
	a.type = PERF_TYPE_HW_CACHE;
	EXPECT_EQ(-ENOENT, pe_try(&a, 0, -1, -1, 0));
	a.type = PERF_TYPE_RAW;
	EXPECT_EQ(-ENOENT, pe_try(&a, 0, -1, -1, 0));
}

TEST_F(sysfs, interval)
{
	const char *path;
	int i;
	long was;

	if (geteuid())
		SKIP(return, "needs root");
	for (i = 0; i < self->nr; i++) {
		path = file_of(self->name[i], "perf_event_mux_interval_ms");
		if (access(path, F_OK))
			continue;
		was = pe_get(path);
		EXPECT_LE(1, was);
		EXPECT_EQ(-EINVAL, pe_set(path, 0));
		EXPECT_EQ(-EINVAL, pe_set(path, -1));
		EXPECT_EQ(-ERANGE, pe_set(path, INT_MAX + 1LL));
		EXPECT_EQ(was, pe_get(path));
		EXPECT_EQ(0, pe_set(path, was + 1));
		EXPECT_EQ(was + 1, pe_get(path));
		EXPECT_EQ(0, pe_set(path, 1));
		EXPECT_EQ(0, pe_set(path, was));
		EXPECT_EQ(was, pe_get(path));
	}
}

/* Only 0 and 1 are valid, and a refused value changes nothing. */
TEST_F(sysfs, freeze_on_smi)
{
	const char *path;
	int i, found = 0;
	struct stat st;
	long was;

	if (geteuid())
		SKIP(return, "needs root");
	for (i = 0; i < self->nr; i++) {
		path = file_of(self->name[i], "freeze_on_smi");
		if (stat(path, &st))
			continue;
		found = 1;
		EXPECT_EQ(S_IFREG | 0644, st.st_mode);
		was = pe_get(path);
		EXPECT_TRUE(was == 0 || was == 1);
		EXPECT_EQ(0, pe_set(path, !was));
		EXPECT_EQ(!was, pe_get(path));
		EXPECT_EQ(-EINVAL, pe_set(path, 2));
		EXPECT_EQ(-EINVAL, pe_set(path, -1));
		EXPECT_EQ(!was, pe_get(path));
		EXPECT_EQ(0, pe_set(path, was));
		EXPECT_EQ(was, pe_get(path));
	}
	if (!found)
		SKIP(return, "no PMU has freeze_on_smi");
}

TEST_F(sysfs, software_has_an_interval)
{
	struct stat st;

	ASSERT_EQ(0, stat(file_of("software", "perf_event_mux_interval_ms"), &st));
	EXPECT_EQ(S_IFREG | 0644, st.st_mode);
	EXPECT_NE(0, access(file_of("software", "cpumask"), F_OK));
	EXPECT_NE(0, access(file_of("software", "format"), F_OK));
	EXPECT_NE(0, access(file_of("software", "events"), F_OK));
}

/* Return the first line of a small file, without its newline. */
static const char *line_of(const char *path)
{
	static char text[64];
	FILE *f = fopen(path, "r");

	text[0] = 0;
	if (!f)
		return text;
	if (fgets(text, sizeof(text), f))
		text[strcspn(text, "\n")] = 0;
	fclose(f);
	return text;
}

/* Only the administrator can read whether all programs may use RDPMC. */
TEST_F(sysfs, rdpmc_mode)
{
	struct stat st;
	int i, n = 0;

	for (i = 0; i < self->nr; i++) {
		if (stat(file_of(self->name[i], "rdpmc"), &st))
			continue;
		EXPECT_EQ(S_IFREG | 0600, st.st_mode);
		n++;
	}
	if (!n)
		SKIP(return, "no PMU has the file");
}

TEST_F(sysfs, probe_formats)
{
	if (!access(PE_DEVICES "kprobe", F_OK))
		EXPECT_STREQ("config:0", line_of(PE_DEVICES "kprobe/format/retprobe"));
	if (access(PE_DEVICES "uprobe", F_OK))
		SKIP(return, "no uprobes");
	EXPECT_STREQ("config:0", line_of(PE_DEVICES "uprobe/format/retprobe"));
	EXPECT_STREQ("config:32-63", line_of(PE_DEVICES "uprobe/format/ref_ctr_offset"));
}

TEST_HARNESS_MAIN
