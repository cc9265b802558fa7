// SPDX-License-Identifier: GPL-2.0
/*
 * Memory fault injection; see pe_inject.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pe_inject.h"

#define DEBUGFS		"/sys/kernel/debug/"
#define MOST		2000	/* allocations of one call */

static int nth_fd = -1;

/*
 * Settings of fault injection: include allocations that may wait for memory, and single pages. Do
 * not log the injected failures.
 */
static struct {
	const char *path;
	char value;
	char was;
} knobs[] = {
	{ DEBUGFS "failslab/ignore-gfp-wait", 'N' },
	{ DEBUGFS "fail_page_alloc/ignore-gfp-wait", 'N' },
	{ DEBUGFS "fail_page_alloc/min-order", '0' },
	{ DEBUGFS "failslab/verbose", '0' },
	{ DEBUGFS "fail_page_alloc/verbose", '0' },
	{ DEBUGFS "fail_usercopy/verbose", '0' },
};

/* Read a file. Some of these files cannot seek, so each read opens the file anew. */
static bool look(const char *path, char *value)
{
	int fd = open(path, O_RDONLY);
	bool done = fd >= 0 && read(fd, value, 1) == 1;

	close(fd);
	return done;
}

static bool turn(const char *path, char value)
{
	int fd = open(path, O_WRONLY);
	bool done = fd >= 0 && write(fd, &value, 1) == 1;

	close(fd);
	return done;
}

/**
 * pe_inject_start - prepare this process for fault injection
 *
 * Needs root. The process may become another user afterwards.
 * Return: 0; -ENOENT if the kernel has no fault injection.
 */
int pe_inject_start(void)
{
	unsigned int i;

	nth_fd = open("/proc/self/fail-nth", O_RDWR | O_CLOEXEC);
	if (nth_fd < 0)
		return -ENOENT;
	for (i = 0; i < PE_ARRAY_SIZE(knobs); i++) {
		/* The first settings are required. */
		if ((!look(knobs[i].path, &knobs[i].was) ||
		     !turn(knobs[i].path, knobs[i].value)) && i < 3)
			return -ENOENT;
	}
	return 0;
}

/**
 * pe_inject_end - restore the settings
 */
void pe_inject_end(void)
{
	unsigned int i;

	for (i = 0; i < PE_ARRAY_SIZE(knobs); i++) {
		if (knobs[i].was)
			turn(knobs[i].path, knobs[i].was);
	}
	close(nth_fd);
}

static void arm(unsigned int nth)
{
	char text[16] = { };
	unsigned int i = sizeof(text) - 1;

	/* This loop must not allocate memory, so it does not use the C library. */
	do
		text[--i] = '0' + nth % 10;
	while (nth /= 10);
	if (pwrite(nth_fd, text + i, strlen(text + i), 0) < 0)
		_exit(99);
}

/* Has the allocation failed? If not, an allocation of pread() or pwrite() below may fail. */
static bool disarm(void)
{
	char text[16];
	ssize_t len = pread(nth_fd, text, sizeof(text), 0);
	bool happened = len > 0 && text[0] == '0';

	if (pwrite(nth_fd, "0", 1, 0) < 0)
		return happened;
	return happened;
}

static int lowest_free_fd(void)
{
	int fd = fcntl(nth_fd, F_DUPFD, 0);

	close(fd);
	return fd;
}

static bool is_shortage(int ret)
{
	/* fork(2) may fail with EAGAIN; a failed copy of user memory returns EFAULT. */
	return ret == -ENOMEM || ret == -EFAULT || ret == -EAGAIN;
}

/* Fail allocation @nth of the call. Return: true if the call has fewer allocations. */
static bool try(struct pe_trial *t, unsigned int nth, const char **wrong)
{
	int fd = lowest_free_fd(), ret;
	bool happened;

	arm(nth);
	ret = t->call(t->arg);
	happened = disarm();

	*wrong = NULL;
	if (ret >= 0) {
		t->borne += happened;
		t->undo(t->arg, ret);
	} else {
		t->failed++;
		t->err = ret;
		if (!happened)
			*wrong = "fails although no allocation has failed";
		else if (!is_shortage(ret))
			*wrong = "returns an unexpected error";
		else if (t->unchanged && !t->unchanged(t->arg))
			*wrong = "has failed and changed something";
	}
	if (!*wrong && lowest_free_fd() != fd)
		*wrong = "leaves a file open";
	return !happened;
}

/**
 * pe_inject - fail each allocation of a call in turn
 * @t: the call
 *
 * After each failure the same call has to succeed.
 * Return: NULL, or a text that describes the fault
 */
const char *pe_inject(struct pe_trial *t)
{
	const char *wrong;
	unsigned int nth;
	int ret;

	t->failed = 0;
	t->borne = 0;
	t->err = 0;
	/* The first call allocates objects that are kept. */
	ret = t->call(t->arg);
	if (ret < 0) {
		t->err = ret;
		return "does not succeed";
	}
	t->undo(t->arg, ret);

	for (nth = 1; nth < MOST; nth++) {
		bool last = try(t, nth, &wrong);

		if (wrong)
			return wrong;
		if (last)
			return NULL;
		ret = t->call(t->arg);
		if (ret < 0) {
			t->err = ret;
			return "does not succeed after a failure";
		}
		t->undo(t->arg, ret);
	}
	return "has too many allocations";
}

/**
 * pe_inject_self - fail one allocation of the calling task
 * @nth: number of the allocation, counted from now on, also in a program that it executes
 *
 * Return: 0, or -errno
 */
int pe_inject_self(unsigned int nth)
{
	close(nth_fd);
	nth_fd = open("/proc/self/fail-nth", O_RDWR | O_CLOEXEC);
	if (nth_fd < 0)
		return -errno;
	arm(nth);
	return 0;
}

/**
 * pe_inject_happened - has the allocation of pe_inject_self() failed?
 *
 * Ends the injection: no later allocation fails.
 * Return: true if it has
 */
bool pe_inject_happened(void)
{
	bool happened;

	if (nth_fd < 0)
		nth_fd = open("/proc/self/fail-nth", O_RDWR | O_CLOEXEC);
	/* If open(2) has failed, the failed allocation was one of open(2). */
	happened = nth_fd < 0 || disarm();
	close(nth_fd);
	nth_fd = -1;
	return happened;
}

/*
 * Read one report of kmemleak, up to the next one or the end. Return: whether
 * it is about perf events.
 */
static bool read_leak(FILE *f, char *first, size_t size, bool print)
{
	char text[4096];
	size_t len = 0;
	bool ours;

	do {
		len += snprintf(text + len, sizeof(text) - len, "# %s", first);
		if (len >= sizeof(text))
			len = sizeof(text) - 1;
		if (!fgets(first, size, f))
			*first = '\0';
	} while (*first == ' ');
	ours = strstr(text, "perf_");
	if (ours && print)
		fputs(text, stdout);
	return ours;
}

/**
 * pe_leaks - count leaked objects of perf events, by kmemleak
 *
 * Prints the first few. Takes some seconds, because young objects may still be in use.
 * Return: number of objects; -ENOENT if the kernel has no kmemleak.
 */
int pe_leaks(void)
{
	static const char scan[] = "scan";
	char line[256] = "";
	int i, n = 0;
	FILE *f;

	/* A changed object is reported only after a second scan that finds it unchanged. */
	for (i = 0; i < 3; i++) {
		int fd = open(DEBUGFS "kmemleak", O_WRONLY);

		if (fd < 0 || write(fd, scan, strlen(scan)) < 0) {
			close(fd);
			return -ENOENT;
		}
		close(fd);
		if (!i)
			pe_sleep_ms(6000);
	}
	f = fopen(DEBUGFS "kmemleak", "r");
	if (!f)
		return -errno;
	if (fgets(line, sizeof(line), f)) {
		while (*line)
			n += read_leak(f, line, sizeof(line), n < 3);
	}
	fclose(f);
	fflush(stdout);
	return n;
}
