// SPDX-License-Identifier: GPL-2.0
/*
 * Print debugfs/perf_events/ as pages: the state of perf events on all CPUs.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "perf-why.h"

#define DIRECTORY	"/sys/kernel/debug/perf_events/"
#define COLUMNS_MAX	16

/* The files stay open: the kernel counts interrupts only while the first one is open. */
static struct {
	const char	*name;
	const char	*title;
	FILE		*file;
} tables[] = {
	{ "cpus", "CPUs", NULL }, { "pmus", "PMUs with groups to schedule", NULL },
	{ "buffers", "Buffers", NULL },
};

static FILE *refusals;

#define COUNT(a)	(sizeof(a) / sizeof((a)[0]))

static FILE *open_file(const char *name)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), DIRECTORY "%s", name);
	file = fopen(path, "re");
	if (!file)
		fprintf(stderr, "perf-why: %s: %s\n", path, strerror(errno));
	return file;
}

static unsigned int split(char *line, char *words[])
{
	unsigned int nr = 0;
	char *word, *rest = line;

	line[strcspn(line, "\n")] = 0;
	while (nr < COLUMNS_MAX && (word = strsep(&rest, " "))) {
		if (*word)
			words[nr++] = word;
	}
	return nr;
}

static void put_value(FILE *out, const char *word)
{
	const char *at = word + (*word == '-');

	while (isdigit(*at))
		at++;
	if (*at)
		put_json_text(out, word);
	else
		fputs(word, out);
}

/* Print a file whose first line has the names of the columns. */
static void show_table(FILE *out, FILE *file, bool json)
{
	char head[512], line[512], *names[COLUMNS_MAX], *words[COLUMNS_MAX];
	unsigned int nr, nr_names, i;
	bool first = true;

	rewind(file);
	if (!fgets(head, sizeof(head), file))
		return;
	nr_names = split(head, names);
	for (i = 0; !json && i < nr_names; i++)
		fprintf(out, "%15s", names[i]);
	if (!json)
		fputc('\n', out);
	while (fgets(line, sizeof(line), file)) {
		nr = split(line, words);
		if (json)
			fputs(first ? "{" : ",{", out);
		for (i = 0; i < nr && i < nr_names; i++) {
			if (json) {
				fprintf(out, "%s\"%s\":", i ? "," : "", names[i]);
				put_value(out, words[i]);
			} else {
				fprintf(out, "%15s", words[i]);
			}
		}
		fputc(json ? '}' : '\n', out);
		first = false;
	}
}

/* Print the names whose counts are not 0. Each line has a count and a name. */
static void show_refusals(FILE *out, bool json)
{
	const char *separator = "";
	unsigned long count;
	char name[64];

	rewind(refusals);
	while (fscanf(refusals, "%lu %63s", &count, name) == 2) {
		if (!count)
			continue;
		if (json)
			fprintf(out, "%s\"%s\":%lu", separator, name, count);
		else
			fprintf(out, "%14lu %s\n", count, name);
		separator = ",";
	}
}

int show_system(const struct pages *pages)
{
	FILE *out = pages->out;
	unsigned int shown, i;

	for (i = 0; i < COUNT(tables); i++) {
		tables[i].file = open_file(tables[i].name);
		if (!tables[i].file)
			return 1;
	}
	refusals = open_file("refusals");
	if (!refusals)
		return 1;
	for (shown = 0; next_page(pages, shown); shown++) {
		for (i = 0; i < COUNT(tables); i++) {
			if (pages->json)
				fprintf(out, "%c\"%s\":[", i ? ',' : '{', tables[i].name);
			else
				fprintf(out, "%s%s\n", i ? "\n" : "", tables[i].title);
			show_table(out, tables[i].file, pages->json);
			if (pages->json)
				fputc(']', out);
		}
		fputs(pages->json ? ",\"refusals\":{" : "\nRefusals\n", out);
		show_refusals(out, pages->json);
		if (pages->json)
			fputs("}}\n", out);
	}
	return 0;
}
