// SPDX-License-Identifier: GPL-2.0
/*
 * Count and sample in every way on a PMU that may return wrong values. The counts mean nothing: the
 * program only has to finish, and prints the number of its opens.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/perf_event.h>

#define PAGES	(9 * 4096)
#define GROUP	6
#define END	(~0UL)

static unsigned long opens, refused, others;

static int open_event(struct perf_event_attr *attr, int leader)
{
	int fd = syscall(SYS_perf_event_open, attr, 0, -1, leader, 0);

	opens++;
	refused += fd < 0;
	return fd;
}

static void work(void)
{
	unsigned long n;

	for (n = 0; n < 30000; n++)
		asm volatile("");
	getppid();
}

/* The page must not have the index of a missing counter, since RDPMC of it would raise a signal. */
static void read_by_page(struct perf_event_mmap_page *page)
{
	unsigned int index = page->index, lo, hi;

	if (page->cap_user_rdpmc && index) {
		asm volatile("rdpmc" : "=a"(lo), "=d"(hi) : "c"(index - 1));
		others += lo | hi;
	}
}

static void use(struct perf_event_attr *attr, int members)
{
	unsigned long values[2 + 2 * GROUP];
	int fds[GROUP], n = 0;
	void *page;

	for (n = 0; n < members; n++) {
		fds[n] = open_event(attr, n ? fds[0] : -1);
		if (fds[n] < 0)
			break;
	}
	if (!n)
		return;
	page = mmap(NULL, PAGES, PROT_READ | PROT_WRITE, MAP_SHARED, fds[0], 0);
	ioctl(fds[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
	work();
	if (page != MAP_FAILED)
		read_by_page(page);
	others += read(fds[0], values, sizeof(values));
	ioctl(fds[0], PERF_EVENT_IOC_RESET, 0);
	usleep(1000);
	work();
	ioctl(fds[0], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
	if (page != MAP_FAILED)
		munmap(page, PAGES);
	while (n--)
		close(fds[n]);
}

int main(void)
{
	static const unsigned long periods[] = { 0, 1, 100, 1000, 50000, 1UL << 31, 1UL << 46,
						 END };
	struct perf_event_attr attr;
	unsigned int i, config, flags;

	for (config = 0; config < PERF_COUNT_HW_MAX; config++)
		for (i = 0; periods[i] != END; i++)
			for (flags = 0; flags < 16; flags++) {
				attr = (struct perf_event_attr) {
					.size = sizeof(attr), .type = PERF_TYPE_HARDWARE,
					.config = config, .disabled = 1,
					.sample_period = periods[i],
					.sample_type = PERF_SAMPLE_IP, .pinned = flags & 1,
					.exclude_kernel = !!(flags & 2),
					.precise_ip = flags & 4 && periods[i] ? 2 : 0,
				};
				if (flags & 8 && periods[i]) {
					attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
					attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY |
						PERF_SAMPLE_BRANCH_USER;
				}
				use(&attr, 1);
				if (!(flags & 12))
					use(&attr, GROUP);
			}
	/* Offcore responses and load latency need an extra register. */
	for (i = 0; i < 2; i++) {
		attr = (struct perf_event_attr) {
			.size = sizeof(attr), .type = PERF_TYPE_RAW, .disabled = 1,
			.config = i ? 0x01cd : 0x01b7, .config1 = i ? 3 : 0x10001,
		};
		use(&attr, 1);
	}
	printf("alive: %lu opens, %lu refused\n", opens, refused);
	return others == 1;
}
