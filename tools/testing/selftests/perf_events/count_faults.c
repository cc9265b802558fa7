// SPDX-License-Identifier: GPL-2.0
/* Page faults: software events whose count is exactly known. */
#include <fcntl.h>
#include <linux/fs.h>
#include <pthread.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_lib.h"

#define PAGES	100

/* Count the faults of touching PAGES new pages. All other memory is mapped before. */
static __u64 count_faults(struct perf_event_attr *attr)
{
	int fd = pe_self(attr), i;
	__u64 count;

	if (fd < 0)
		return UINT64_MAX;
	for (i = 0; i < 2; i++) {
		pe_ioctl(fd, PERF_EVENT_IOC_RESET, 0);
		pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		pe_fault(PAGES);
		pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	}
	count = pe_count(fd);
	close(fd);
	return count;
}

TEST(exact)
{
	struct perf_event_attr a = pe_attr_off(PERF_COUNT_SW_PAGE_FAULTS);

	EXPECT_EQ(PAGES, count_faults(&a));
	a = pe_attr_off(PERF_COUNT_SW_PAGE_FAULTS_MIN);
	EXPECT_EQ(PAGES, count_faults(&a));
	a = pe_attr_off(PERF_COUNT_SW_PAGE_FAULTS_MAJ);
	EXPECT_EQ(0, count_faults(&a));
}

TEST(others_stay_zero)
{
	static const unsigned int configs[] = {
		PERF_COUNT_SW_DUMMY, PERF_COUNT_SW_ALIGNMENT_FAULTS,
		PERF_COUNT_SW_EMULATION_FAULTS, PERF_COUNT_SW_BPF_OUTPUT,
	};
	struct perf_event_attr a;
	unsigned int i;

	for (i = 0; i < PE_ARRAY_SIZE(configs); i++) {
		a = pe_attr_off(configs[i]);
		EXPECT_EQ(0, count_faults(&a));
	}
}

TEST(exclude_user)
{
	struct perf_event_attr a = pe_attr_off(PERF_COUNT_SW_PAGE_FAULTS);

	a.exclude_user = 1;
	EXPECT_EQ(0, count_faults(&a));
	a.exclude_kernel = 1;
	EXPECT_EQ(0, count_faults(&a));
}

TEST(exclude_kernel)
{
	struct perf_event_attr a = pe_attr_off(PERF_COUNT_SW_PAGE_FAULTS);

	a.exclude_kernel = 1;
	a.exclude_hv = 1;
	a.exclude_idle = 1;
	EXPECT_EQ(PAGES, count_faults(&a));
}

TEST(exclude_host_or_guest)
{
	struct perf_event_attr a = pe_attr_off(PERF_COUNT_SW_PAGE_FAULTS);

	/* Software events do not distinguish host and guest. */
	a.exclude_guest = 1;
	EXPECT_EQ(PAGES, count_faults(&a));
	a.exclude_guest = 0;
	a.exclude_host = 1;
	EXPECT_EQ(PAGES, count_faults(&a));
}

/* The kernel touches the pages: read a file into them. */
static __u64 count_kernel_faults(struct perf_event_attr *attr, int from)
{
	size_t page = sysconf(_SC_PAGESIZE), i;
	int fd = pe_self(attr), round;
	__u64 count;
	char *p;

	for (round = 0; round < 2; round++) {
		p = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		madvise(p, PAGES * page, MADV_NOHUGEPAGE);
		pe_ioctl(fd, PERF_EVENT_IOC_RESET, 0);
		pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		for (i = 0; i < PAGES; i++)
			if (pread(from, p + i * page, 1, 0) != 1)
				return UINT64_MAX;
		pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		munmap(p, PAGES * page);
	}
	count = pe_count(fd);
	close(fd);
	return count;
}

TEST(faults_of_the_kernel)
{
	struct perf_event_attr a = pe_attr_off(PERF_COUNT_SW_PAGE_FAULTS);
	int from = memfd_create("from", 0);

	ASSERT_EQ(1, write(from, "x", 1));
	EXPECT_EQ(PAGES, count_kernel_faults(&a, from));
	a.exclude_user = 1;
	EXPECT_EQ(PAGES, count_kernel_faults(&a, from));
	a.exclude_user = 0;
	a.exclude_kernel = 1;
	EXPECT_EQ(0, count_kernel_faults(&a, from));
	close(from);
}

TEST(second_touch_is_free)
{
	struct perf_event_attr a = pe_attr_off(PERF_COUNT_SW_PAGE_FAULTS);
	size_t page = sysconf(_SC_PAGESIZE), i;
	int fd = pe_self(&a);
	char *p;

	ASSERT_LE(0, fd);
	p = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	ASSERT_NE(MAP_FAILED, p);
	for (i = 0; i < PAGES; i++)
		pe_touch(p + i * page);
	ASSERT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	for (i = 0; i < PAGES; i++)
		pe_touch(p + i * page);
	ASSERT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	EXPECT_EQ(0, pe_count(fd));
	close(fd);
}

TEST(only_while_enabled)
{
	struct perf_event_attr a = pe_attr_off(PERF_COUNT_SW_PAGE_FAULTS);
	int fd = pe_self(&a), round;

	ASSERT_LE(0, fd);
	pe_fault(PAGES);
	EXPECT_EQ(0, pe_count(fd));
	for (round = 1; round <= 5; round++) {
		pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		pe_fault(7);
		pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		EXPECT_EQ(7 * round, pe_count(fd));
		pe_fault(PAGES);
		EXPECT_EQ(7 * round, pe_count(fd));
	}
	close(fd);
}

static void *thread_work(void *arg)
{
	pe_fault(*(int *)arg);
	return NULL;
}

TEST(another_thread)
{
	struct perf_event_attr a = pe_attr_off(PERF_COUNT_SW_PAGE_FAULTS);
	int fd = pe_self(&a), pages = PAGES, i;
	pthread_t thread;

	ASSERT_LE(0, fd);
	/*
	 * The event does not count the other thread. Start and end of the thread cost this thread
	 * some faults.
	 */
	for (i = 0; i < 2; i++) {
		pe_ioctl(fd, PERF_EVENT_IOC_RESET, 0);
		pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		ASSERT_EQ(0, pthread_create(&thread, NULL, thread_work, &pages));
		pthread_join(thread, NULL);
		pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	}
	EXPECT_GT(PAGES / 2, pe_count(fd));
	close(fd);
}

TEST(another_process)
{
	struct perf_event_attr a = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	struct pe_child child;
	__u64 before;
	int fd;

	ASSERT_EQ(0, pe_child_start(&child));
	fd = pe_open(&a, child.pid, -1, -1, 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pe_child_do(&child, PE_FAULT, PAGES));
	before = pe_count(fd);
	ASSERT_EQ(0, pe_child_do(&child, PE_FAULT, PAGES));
	EXPECT_EQ(before + PAGES, pe_count(fd));

	/* The event is on the child: faults of this task do not count. */
	pe_fault(PAGES);
	EXPECT_EQ(before + PAGES, pe_count(fd));
	close(fd);
	pe_child_end(&child);
}

TEST(several_watchers)
{
	struct perf_event_attr a = pe_attr_off(PERF_COUNT_SW_PAGE_FAULTS);
	int fd[10], i;

	for (i = 0; i < 10; i++) {
		fd[i] = pe_self(&a);
		ASSERT_LE(0, fd[i]);
	}
	pe_fault(PAGES);
	for (i = 0; i < 10; i++) {
		pe_ioctl(fd[i], PERF_EVENT_IOC_ENABLE, 0);
		pe_fault(10);
	}
	for (i = 0; i < 10; i++) {
		pe_ioctl(fd[i], PERF_EVENT_IOC_DISABLE, 0);
		EXPECT_EQ(100 - 10 * i, pe_count(fd[i]));
	}
	for (i = 0; i < 10; i++)
		close(fd[i]);
}

TEST(file_in_memory)
{
	struct perf_event_attr a = pe_attr_off(PERF_COUNT_SW_PAGE_FAULTS_MAJ);
	size_t page = sysconf(_SC_PAGESIZE), i;
	int fd = pe_self(&a), file = memfd_create("f", 0);
	char *p;

	/* Pages of a file in memory (tmpfs) are minor faults. */
	ASSERT_EQ(0, ftruncate(file, PAGES * page));
	p = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	ASSERT_NE(MAP_FAILED, p);
	pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	for (i = 0; i < PAGES; i++)
		pe_touch(p + i * page);
	pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	EXPECT_EQ(0, pe_count(fd));
	close(file);
	close(fd);
}

static void look_at(const char *p)
{
	__asm__ __volatile__("" : : "r" (*p) : "memory");
}

/* Pages that are only on a disk are major faults. The disk is a RAM disk. */
TEST(major)
{
	struct perf_event_attr a = pe_attr_off(PERF_COUNT_SW_PAGE_FAULTS_MAJ);
	size_t page = sysconf(_SC_PAGESIZE), pages = 8, i;
	int disk = open("/dev/ram0", O_RDONLY), fd = pe_self(&a), all;
	char *p;

	if (disk < 0)
		SKIP(return, "needs CONFIG_BLK_DEV_RAM, and root");
	ASSERT_LE(0, fd);
	a = pe_attr_off(PERF_COUNT_SW_PAGE_FAULTS);
	all = pe_self(&a);
	ASSERT_LE(0, all);
	p = mmap(NULL, pages * page, PROT_READ, MAP_SHARED, disk, 0);
	ASSERT_NE(MAP_FAILED, p);
	/*
	 * Each fault maps one page: no page is read ahead, and no neighbouring page is
	 * mapped.
	 */
	ASSERT_EQ(0, madvise(p, pages * page, MADV_RANDOM));
	for (i = 0; i < pages; i++) {
		ASSERT_EQ(0, ioctl(disk, BLKFLSBUF, 0));
		ASSERT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
		ASSERT_EQ(0, pe_ioctl(all, PERF_EVENT_IOC_ENABLE, 0));
		look_at(p + i * page);
		ASSERT_EQ(0, pe_ioctl(all, PERF_EVENT_IOC_DISABLE, 0));
		ASSERT_EQ(0, pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
		EXPECT_EQ(i + 1, pe_count(fd));
	}
	/* Major faults are counted by the event of all faults, too. */
	EXPECT_LE(pages, pe_count(all));
	/* Pages in the page cache are not read again. */
	pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	for (i = 0; i < pages; i++)
		look_at(p + i * page);
	pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	EXPECT_EQ(pages, pe_count(fd));
	munmap(p, pages * page);
	close(disk);
	close(all);
	close(fd);
}

#ifdef __powerpc__
#define TIMES	50

static void read_processor_version(void)
{
	unsigned long version;

	/*
	 * User space cannot read this register: the kernel emulates the
	 * instruction.
	 */
	__asm__ __volatile__("mfspr %0, 287" : "=r" (version));
}

static void load_many(void)
{
	static unsigned int words[2] = { 1, 2 };

	/*
	 * Little endian has no load of several registers, and the assembler
	 * refuses one: this is lmw 30, 0(9).
	 */
	__asm__ __volatile__("mr 9, %0\n"
			     ".long 0xbbc90000" : : "r" (words) : "r9", "r30", "r31", "memory");
}

static __u64 count_instructions(__u64 config, void (*what)(void))
{
	struct perf_event_attr a = pe_attr_off(config);
	int fd = pe_self(&a), i;
	__u64 count;

	if (fd < 0)
		return UINT64_MAX;
	pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	for (i = 0; i < TIMES; i++)
		what();
	pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	count = pe_count(fd);
	close(fd);
	return count;
}

TEST(emulated)
{
	EXPECT_EQ(TIMES, count_instructions(PERF_COUNT_SW_EMULATION_FAULTS,
					    read_processor_version));
	EXPECT_EQ(0, count_instructions(PERF_COUNT_SW_ALIGNMENT_FAULTS, read_processor_version));
}

TEST(misaligned)
{
	EXPECT_EQ(TIMES, count_instructions(PERF_COUNT_SW_ALIGNMENT_FAULTS, load_many));
	EXPECT_EQ(0, count_instructions(PERF_COUNT_SW_EMULATION_FAULTS, load_many));
}
#endif

TEST_HARNESS_MAIN
