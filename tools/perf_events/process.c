// SPDX-License-Identifier: GPL-2.0
/*
 * Print all events of a process: events that watch one of its threads (also inherited events), and
 * events that it has opened.
 *
 * The kernel has no list of events, so this program reads /proc/PID/fd of all processes, and copies
 * the files of events by pidfd_getfd(2). pidfd_getfd(2) requires permission to trace the process,
 * and so reveals nothing that the caller could not read anyway. PERF_EVENT_IOC_STATE makes its own
 * checks. Events that the kernel has opened have no file, and are not found.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "perf-why.h"

#ifndef __NR_pidfd_open
#define __NR_pidfd_open		434
#endif
#ifndef __NR_pidfd_getfd
#define __NR_pidfd_getfd	438
#endif

#define SWAPPED_MAX	100

#define INHERITS	0x2	/* perf_event_state_info.attr_flags: attr.inherit */

/**
 * struct search - state of the search for the events of one process
 * @pid: the process
 * @tids: its threads
 * @nr_tids: number of @tids
 * @ids: ids of the events found so far; several files may have the same event
 * @nr_ids: number of @ids
 * @rows: number of rows printed
 * @closed: number of processes and files without permission
 * @mute: number of events for which PERF_EVENT_IOC_STATE fails
 * @swapped: number of files that were replaced before pidfd_getfd(2)
 * @pages: options of the output
 */
struct search {
	pid_t			pid;
	pid_t			*tids;
	unsigned int		nr_tids;
	__u64			*ids;
	unsigned int		nr_ids;
	unsigned int		rows;
	unsigned int		closed;
	unsigned int		mute;
	unsigned int		swapped;
	const struct pages	*pages;
};

/* Make room for one more element at the end of an array. */
static void *grow(void *array, unsigned int nr, size_t size)
{
	/* The size of the array is a power of two: double it when the array is full. */
	if (!(nr & (nr - 1))) {
		array = realloc(array, (nr ? 2 * nr : 1) * size);
		if (!array) {
			perror("perf-why");
			exit(2);
		}
	}
	return array;
}

static bool find_threads(struct search *s)
{
	char path[64];
	struct dirent *entry;
	DIR *dir;

	s->nr_tids = 0;
	snprintf(path, sizeof(path), "/proc/%d/task", s->pid);
	dir = opendir(path);
	if (!dir)
		return false;
	while ((entry = readdir(dir))) {
		if (!isdigit(entry->d_name[0]))
			continue;
		s->tids = grow(s->tids, s->nr_tids, sizeof(*s->tids));
		s->tids[s->nr_tids++] = atoi(entry->d_name);
	}
	closedir(dir);
	return true;
}

/* Was the event found in another file? If not, remember it. */
static bool is_known(struct search *s, __u64 id)
{
	unsigned int i;

	for (i = 0; i < s->nr_ids; i++) {
		if (s->ids[i] == id)
			return true;
	}
	s->ids = grow(s->ids, s->nr_ids, sizeof(*s->ids));
	s->ids[s->nr_ids++] = id;
	return false;
}

/*
 * Read the state of an event, or of the event that thread @tid inherited from it. Returns false on
 * an error.
 */
static bool ask(int fd, struct seen *seen, pid_t tid)
{
	memset(seen, 0, sizeof(*seen));
	seen->info.size = sizeof(seen->info);
	seen->info.tid = tid;
	seen->info.filter = (uintptr_t)seen->filter;
	seen->info.filter_size = sizeof(seen->filter);
	if (ioctl(fd, PERF_EVENT_IOC_STATE, &seen->info))
		return false;
	seen->tid = tid ?: seen->info.tid;
	return true;
}

static void show_row(struct search *s, struct seen *seen, pid_t opener)
{
	seen->opener = opener;
	if (!s->rows++ && !s->pages->json)
		show_state_header(s->pages->out);
	show_state(s->pages->out, seen, s->pages->json);
}

static void show_event(struct search *s, int fd, pid_t opener)
{
	static struct seen parent, child;
	unsigned int i;
	bool shown = false;

	if (!ask(fd, &parent, 0)) {
		s->mute++;
		return;
	}
	if (is_known(s, parent.info.id))
		return;
	for (i = 0; i < s->nr_tids; i++) {
		if (parent.tid == s->tids[i]) {
			show_row(s, &parent, opener);
			shown = true;
		} else if ((parent.info.attr_flags & INHERITS) && ask(fd, &child, s->tids[i])) {
			show_row(s, &child, opener);
			shown = true;
		}
	}
	if (!shown && opener == s->pid)
		show_row(s, &parent, opener);
}

/* Is the file an event, by the name of its link in /proc? */
static bool is_event(const char *path)
{
	char target[64];
	ssize_t length = readlink(path, target, sizeof(target) - 1);

	if (length < 0)
		return false;
	target[length] = 0;
	return !strcmp(target, "anon_inode:[perf_event]");
}

/*
 * Copy file @number of a process, if it is an event. The process may replace the file between the
 * check and pidfd_getfd(2). Such a file is neither used nor closed, since its file system may block
 * callers for ever. It stays open until exit.
 */
static int take_event(struct search *s, int pidfd, pid_t opener, int number)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", opener, number);
	if (!is_event(path))
		return -1;
	fd = syscall(__NR_pidfd_getfd, pidfd, number, 0);
	if (fd < 0) {
		s->closed += errno == EPERM;
		return -1;
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (is_event(path))
		return fd;
	if (++s->swapped == SWAPPED_MAX) {
		fprintf(stderr, "perf-why: process %d keeps replacing its files\n", opener);
		exit(2);
	}
	return -1;
}

static void look_into(struct search *s, pid_t opener)
{
	char path[64];
	struct dirent *entry;
	int pidfd, fd;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", opener);
	dir = opendir(path);
	pidfd = syscall(__NR_pidfd_open, opener, 0);
	if (!dir) {
		s->closed += errno == EACCES || errno == EPERM;
		goto out;
	}
	while (pidfd >= 0 && (entry = readdir(dir))) {
		if (!isdigit(entry->d_name[0]))
			continue;
		fd = take_event(s, pidfd, opener, atoi(entry->d_name));
		if (fd < 0)
			continue;
		show_event(s, fd, opener);
		close(fd);
	}
out:
	if (pidfd >= 0)
		close(pidfd);
	if (dir)
		closedir(dir);
}

static void look_into_all(struct search *s)
{
	struct dirent *entry;
	DIR *dir = opendir("/proc");

	while (dir && (entry = readdir(dir))) {
		if (isdigit(entry->d_name[0]) && atoi(entry->d_name) != getpid())
			look_into(s, atoi(entry->d_name));
	}
	if (dir)
		closedir(dir);
}

int show_process(pid_t pid, const struct pages *pages)
{
	struct search s = { .pid = pid, .pages = pages };
	unsigned int shown;

	for (shown = 0; next_page(pages, shown); shown++) {
		if (!find_threads(&s)) {
			if (!shown)
				fprintf(stderr, "perf-why: %d: %s\n", pid, strerror(errno));
			return shown ? 0 : 1;
		}
		s.nr_ids = 0;
		s.rows = 0;
		s.closed = 0;
		s.mute = 0;
		look_into_all(&s);
		if (!s.rows && !pages->json)
			fprintf(pages->out, "perf-why: no events of process %d found\n", pid);
		if (s.closed && !pages->json)
			fprintf(pages->out,
				"perf-why: no permission for %u processes or files of processes\n",
				s.closed);
		if (s.mute)
			fprintf(stderr, "perf-why: cannot read state of %u events: old kernel\n",
				s.mute);
	}
	free(s.tids);
	free(s.ids);
	return s.mute && !s.rows ? 1 : 0;
}
