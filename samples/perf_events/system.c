// SPDX-License-Identifier: GPL-2.0
/*
 * Sample all CPUs into a file while a command runs:
 *
 *	system FILE COMMAND [ARGUMENT]...
 *
 * Each page fault of the system is a sample. splice(2) moves the records of each CPU's buffer to
 * the file. So the program copies no records, and reads them only at the end. It needs a kernel
 * that splices records, and CAP_PERFMON or kernel.perf_event_paranoid below 1.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Exit status of a skipped selftest: this machine, kernel or user cannot run the program. */
#define SKIP		4
#define BUFFER_PAGES	128	/* a power of two */

/* A record of the file, as sample_type below selects */
struct sample {
	struct perf_event_header header;
	__u32 pid, tid;
	__u64 time;
	__u64 addr;
	__u32 cpu, zero;
};

/* Layout of the data that read(2) of an event returns; attr.read_format selects the fields */
struct count {
	__u64 value;
	__u64 lost;
};

/* Return: the fd of an event of the CPU with a mapped buffer, or a negative errno */
static int open_cpu(int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_PAGE_FAULTS,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |
			       PERF_SAMPLE_CPU,
		.read_format = PERF_FORMAT_LOST,
		.disabled = 1,
		/* poll(2) returns when the buffer is half full. */
		.watermark = 1,
	};
	size_t size = (1 + BUFFER_PAGES) * sysconf(_SC_PAGESIZE);
	int fd = syscall(__NR_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return -errno;
	/*
	 * The mapping is needed for the buffer, but not accessed. The kernel moves pages that were
	 * not accessed, and copies the others.
	 */
	if (mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED)
		return -errno;
	return fd;
}

/* Move all records of a buffer to the file. Return: 0, or a negative errno */
static int drain(int fd, int *pipe_fds, int file)
{
	ssize_t n, moved;

	for (;;) {
		/* At most 1 MiB; the pipe takes as many whole records as it has space for. */
		n = splice(fd, NULL, pipe_fds[1], NULL, 1 << 20, SPLICE_F_NONBLOCK);
		if (n < 0)
			return errno == EAGAIN ? 0 : -errno;
		if (!n)
			return 0;
		for (; n; n -= moved) {
			moved = splice(pipe_fds[0], NULL, file, NULL, n, 0);
			if (moved <= 0)
				return moved ? -errno : -EIO;
		}
	}
}

static int drain_all(struct pollfd *polled, int nr, int *pipe_fds, int file)
{
	int i, ret = 0;

	for (i = 0; i < nr && !ret; i++)
		ret = drain(polled[i].fd, pipe_fds, file);
	return ret;
}

/* Run the command, and meanwhile move the records of all tasks to the file. */
static int record(struct pollfd *polled, int nr, int file, char **command, pid_t *pid)
{
	int i, ret, status, pipe_fds[2];

	if (pipe2(pipe_fds, O_CLOEXEC))
		return -errno;
	ret = drain_all(polled, nr, pipe_fds, file);
	if (ret)
		return ret;
	for (i = 0; i < nr; i++)
		ioctl(polled[i].fd, PERF_EVENT_IOC_ENABLE, 0);
	*pid = fork();
	if (!*pid) {
		execvp(command[0], command);
		_exit(127);
	}
	if (*pid < 0)
		return -errno;
	while (!ret && !waitpid(*pid, &status, WNOHANG)) {
		poll(polled, nr, 100);
		ret = drain_all(polled, nr, pipe_fds, file);
	}
	for (i = 0; i < nr; i++)
		ioctl(polled[i].fd, PERF_EVENT_IOC_DISABLE, 0);
	return ret ?: drain_all(polled, nr, pipe_fds, file);
}

/* Read the file. Another program could also do this later. */
static void report(int file, pid_t pid)
{
	unsigned long long samples = 0, of_command = 0, others = 0;
	off_t at, size = lseek(file, 0, SEEK_END);
	struct sample sample;

	for (at = 0; at < size; at += sample.header.size) {
		if (pread(file, &sample, sizeof(sample), at) < (ssize_t)sizeof(sample.header) ||
		    !sample.header.size)
			break;
		if (sample.header.type != PERF_RECORD_SAMPLE) {
			others++;
			continue;
		}
		samples++;
		of_command += sample.pid == (__u32)pid;
	}
	printf("samples %llu\nof the command %llu\nother records %llu\nbytes %llu\n",
	       samples, of_command, others, (unsigned long long)at);
}

int main(int argc, char **argv)
{
	int cpu, cpus = sysconf(_SC_NPROCESSORS_CONF), nr = 0, ret, file;
	struct pollfd *polled = calloc(cpus, sizeof(*polled));
	__u64 events = 0, lost = 0;
	struct count count;
	pid_t pid = -1;

	if (argc < 3 || !polled) {
		fprintf(stderr, "usage: %s FILE COMMAND [ARGUMENT]...\n", argv[0]);
		return 1;
	}
	file = open(argv[1], O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (file < 0) {
		perror(argv[1]);
		return 1;
	}
	for (cpu = 0; cpu < cpus; cpu++) {
		ret = open_cpu(cpu);
		if (ret == -ENODEV)	/* the CPU is offline */
			continue;
		if (ret < 0) {
			errno = -ret;
			perror("perf_event_open");
			return SKIP;
		}
		polled[nr].fd = ret;
		polled[nr++].events = POLLIN;
	}
	ret = record(polled, nr, file, argv + 2, &pid);
	if (ret) {
		errno = -ret;
		perror("splice");
		/* A kernel that cannot splice records refuses it before the command runs. */
		return ret == -EINVAL && pid < 0 ? SKIP : 1;
	}
	while (nr--) {
		if (read(polled[nr].fd, &count, sizeof(count)) != sizeof(count))
			return 1;
		events += count.value;
		lost += count.lost;
	}
	report(file, pid);
	printf("events %llu\nlost %llu\n", events, lost);
	return 0;
}
