// SPDX-License-Identifier: GPL-2.0
/* Print tasks that hang, with their stacks; see pe_lib.h. */
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pe_lib.h"

static void show_file(const char *dir, const char *name)
{
	char path[300], line[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "r");
	if (!f)
		return;
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		if (strcmp(name, "stat") && *line)
			printf("#     %s\n", line);
		else
			printf("#   %.60s\n", line);
	}
	fclose(f);
}

static bool has_program(const char *dir)
{
	char path[300];
	FILE *f;
	bool has;

	snprintf(path, sizeof(path), "%s/maps", dir);
	f = fopen(path, "r");
	if (!f)
		return false;
	has = fgetc(f) != EOF;
	fclose(f);
	return has;
}

static bool waits_for_disk(const char *dir)
{
	char path[300], state = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/stat", dir);
	f = fopen(path, "r");
	if (!f)
		return false;
	if (fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
		state = 0;
	fclose(f);
	return state == 'D';
}

/**
 * pe_show_tasks - print all tasks with their stacks, after a timeout
 *
 * Kernel threads are printed only if they wait for something that should be short. The stack of a
 * running task cannot be read; sysrq prints it on the console a few times.
 */
void pe_show_tasks(void)
{
	glob_t tasks;
	size_t i;
	int fd;

	if (glob("/proc/[0-9]*/task/*", 0, NULL, &tasks))
		return;
	for (i = 0; i < tasks.gl_pathc; i++) {
		const char *dir = tasks.gl_pathv[i];

		if (!has_program(dir) && !waits_for_disk(dir))
			continue;
		show_file(dir, "stat");
		show_file(dir, "stack");
	}
	globfree(&tasks);
	fflush(stdout);

	fd = open("/proc/sysrq-trigger", O_WRONLY);
	for (i = 0; i < 5 && write(fd, "l", 1) == 1; i++)
		pe_sleep_ms(300);
	close(fd);
}
