// SPDX-License-Identifier: GPL-2.0
/*
 * perfex: run a program with performance counters, and print the counts.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libperfctr.h"

static const char usage[] =
"usage: perfex [-e SELECT[@COUNTER]]... [-c] [-o FILE] PROGRAM [ARGUMENT]...\n"
"       perfex -i\n"
"  -e  count event SELECT on COUNTER, a counter number of RDPMC (default: the first -e\n"
"      uses the first counter, and so on). On powerpc SELECT is an event code, which\n"
"      counts in user mode, and COUNTER 1 is PMC1\n"
"  -c  also print the counts of children of the program\n"
"  -o  print to FILE (default: standard error)\n"
"  -i  print the features of the CPU and the kernel\n";

static struct vperfctr_control control;

static int print_info(void)
{
	struct perfctr_info info;

	if (perfctr_get_info(&info)) {
		perror("perfex: perfctr_info");
		return 1;
	}
	printf("abi_version\t0x%08x%s\n", info.abi_version,
	       perfctr_abi_fits(&info) ? "" : " (unknown)");
	printf("driver_version\t%.*s\n", (int)sizeof(info.driver_version), info.driver_version);
	printf("cpu_vendor\t%s\n", perfctr_cpu_vendor_name());
	printf("cpu_features\t0x%x%s%s%s\n", info.cpu_features,
	       info.cpu_features & PERFCTR_FEATURE_RDPMC ? " rdpmc" : "",
	       info.cpu_features & PERFCTR_FEATURE_RDTSC ? " rdtsc" : "",
	       info.cpu_features & PERFCTR_FEATURE_PCINT ? " pcint" : "");
	printf("cpu_khz\t\t%u\n", info.cpu_khz);
	printf("tsc_to_cpu_mult\t%u\n", info.tsc_to_cpu_mult);
	return 0;
}

static int add_event(const char *text)
{
	struct perfctr_cpu_control *cpu = &control.cpu_control;
	unsigned int i = cpu->nractrs;
	char *end;

	if (i == PERFCTR_MAX_COUNTERS) {
		fputs("perfex: too many events\n", stderr);
		return -1;
	}
#ifdef PERFCTR_NOT_KERNEL
	unsigned long long code = strtoull(text, &end, 0);

	cpu->evntsel[i] = code;
	cpu->evntsel_high[i] = code >> 32;
	cpu->modes[i] = PERFCTR_NOT_KERNEL | PERFCTR_NOT_HV;
	cpu->pmc_map[i] = i + 1;
#else
	cpu->evntsel[i] = strtoul(text, &end, 0);
	cpu->pmc_map[i] = i;
#endif
	if (end != text && *end == '@') {
		text = end + 1;
		cpu->pmc_map[i] = strtoul(text, &end, 0);
	}
	if (end == text || *end) {
		fprintf(stderr, "perfex: invalid event: %s\n", text);
		return -1;
	}
	cpu->nractrs++;
	return 0;
}

/* Pass the object's file to the parent, which reads the sums after the program has exited. */
static int send_fd(int to, int fd)
{
	char space[CMSG_SPACE(sizeof(int))] = { }, byte = 0;
	struct iovec data = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr message = {
		.msg_iov = &data, .msg_iovlen = 1,
		.msg_control = space, .msg_controllen = sizeof(space),
	};
	struct cmsghdr *part = CMSG_FIRSTHDR(&message);

	part->cmsg_level = SOL_SOCKET;
	part->cmsg_type = SCM_RIGHTS;
	part->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(part), &fd, sizeof(int));
	return sendmsg(to, &message, 0) == 1 ? 0 : -1;
}

static int receive_fd(int from)
{
	char space[CMSG_SPACE(sizeof(int))], byte;
	struct iovec data = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr message = {
		.msg_iov = &data, .msg_iovlen = 1,
		.msg_control = space, .msg_controllen = sizeof(space),
	};
	struct cmsghdr *part;
	int fd;

	if (recvmsg(from, &message, MSG_CMSG_CLOEXEC) != 1)
		return -1;
	part = CMSG_FIRSTHDR(&message);
	if (!part || part->cmsg_type != SCM_RIGHTS)
		return -1;
	memcpy(&fd, CMSG_DATA(part), sizeof(int));
	return fd;
}

static void run(int parent, char **argv)
{
	struct vperfctr *self = vperfctr_open();

	if (!self) {
		perror("perfex: vperfctr_open");
	} else if (send_fd(parent, vperfctr_fd(self))) {
		perror("perfex: sendmsg");
	} else if (vperfctr_control(self, &control)) {
		perror("perfex: vperfctr_control");
	} else {
		close(parent);
		vperfctr_close(self);
		execvp(argv[0], argv);
		perror(argv[0]);
	}
	_exit(127);
}

/* All bits of an event select. On powerpc its upper half is in evntsel_high. */
static unsigned long long get_select(const struct perfctr_cpu_control *cpu, unsigned int i)
{
#ifdef PERFCTR_NOT_KERNEL
	return (unsigned long long)cpu->evntsel_high[i] << 32 | cpu->evntsel[i];
#else
	return cpu->evntsel[i];
#endif
}

static void print_sums(FILE *out, const char *what, const struct perfctr_sum_ctrs *sums)
{
	const struct perfctr_cpu_control *cpu = &control.cpu_control;
	unsigned int i;

	fprintf(out, "%stsc\t\t\t%20llu\n", what, (unsigned long long)sums->tsc);
	for (i = 0; i < cpu->nractrs; i++)
		fprintf(out, "%sevent 0x%08llx@%u\t%20llu\n", what, get_select(cpu, i),
			cpu->pmc_map[i], (unsigned long long)sums->pmc[i]);
}

int main(int argc, char **argv)
{
	struct perfctr_sum_ctrs sums, children;
	int c, fd, status, pair[2], with_children = 0;
	FILE *out = stderr;
	pid_t pid;

	control.cpu_control.tsc_on = 1;
	while ((c = getopt(argc, argv, "+e:co:ih")) != -1) {
		switch (c) {
		case 'e':
			if (add_event(optarg))
				return 2;
			break;
		case 'c':
			with_children = 1;
			break;
		case 'o':
			out = fopen(optarg, "we");
			if (!out) {
				perror(optarg);
				return 2;
			}
			break;
		case 'i':
			return print_info();
		default:
			fputs(usage, c == 'h' ? stdout : stderr);
			return c == 'h' ? 0 : 2;
		}
	}
	if (optind == argc) {
		fputs(usage, stderr);
		return 2;
	}
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) {
		perror("perfex: socketpair");
		return 1;
	}
	pid = fork();
	if (pid < 0) {
		perror("perfex: fork");
		return 1;
	}
	if (!pid)
		run(pair[1], argv + optind);
	close(pair[1]);
	fd = receive_fd(pair[0]);
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return 1;
	}
	if (fd < 0)
		return 1;
	if (syscall(__NR_vperfctr_read, fd, &sums, NULL, &children)) {
		perror("perfex: vperfctr_read");
		return 1;
	}
	print_sums(out, "", &sums);
	if (with_children)
		print_sums(out, "children ", &children);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
