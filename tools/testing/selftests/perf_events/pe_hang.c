// SPDX-License-Identifier: GPL-2.0
/* Print tasks that hang, with their stacks; see pe_lib.h. */
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pe_lib.h"

static FILE *open_file(const char *dir, const char *name)
{
	char path[300];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return fopen(path, "r");
}

/* Print stat up to the times in user and kernel mode, the fields 14 and 15. */
static void show_stat(const char *dir)
{
	FILE *f = open_file(dir, "stat");
	char line[1024], *at;
	int field = 2;

	if (!f)
		return;
	if (fgets(line, sizeof(line), f)) {
		at = strrchr(line, ')');
		while (at && field++ < 16)
			at = strchr(at + 1, ' ');
		if (at)
			*at = '\0';
		printf("#   %s\n", line);
	}
	fclose(f);
}

/* Print signals: pending for the thread and for the process, blocked, ignored and handled. */
static void show_signals(const char *dir)
{
	FILE *f = open_file(dir, "status");
	char line[256], name[16], mask[32];

	if (!f)
		return;
	printf("#    ");
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%15[A-Za-z]: %31s", name, mask) == 2 &&
		    ((!strncmp(name, "Sig", 3) && strcmp(name, "SigQ")) || !strcmp(name, "ShdPnd")))
			printf(" %s %s", name, mask);
	}
	printf("\n");
	fclose(f);
}

static void show_stack(const char *dir)
{
	FILE *f = open_file(dir, "stack");
	char line[256];

	if (!f)
		return;
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		if (*line)
			printf("#     %s\n", line);
	}
	fclose(f);
}

static bool has_program(const char *dir)
{
	FILE *f = open_file(dir, "maps");
	bool has;

	if (!f)
		return false;
	has = fgetc(f) != EOF;
	fclose(f);
	return has;
}

static bool waits_for_disk(const char *dir)
{
	FILE *f = open_file(dir, "stat");
	char state = 0;

	if (!f)
		return false;
	if (fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
		state = 0;
	fclose(f);
	return state == 'D';
}

/**
 * pe_show_tasks - print all tasks with their times, signals and stacks, after a timeout
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
		show_stat(dir);
		show_signals(dir);
		show_stack(dir);
	}
	globfree(&tasks);
	fflush(stdout);

	fd = open("/proc/sysrq-trigger", O_WRONLY);
	for (i = 0; i < 5 && write(fd, "l", 1) == 1; i++)
		pe_sleep_ms(300);
	close(fd);
}
