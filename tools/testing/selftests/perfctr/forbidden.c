// SPDX-License-Identifier: GPL-2.0
/*
 * CPUs on which no thread with counters runs: on hybrid machines the CPUs whose counters have
 * another type. Comments before tests quote sentences of Documentation/userspace-api/perfctr.rst.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "../kselftest_harness.h"
#include "perfctr.h"

#define MAX_CPUS	(32 * 64)

FIXTURE(forbidden) {
	int fd, good, bad;
	const volatile struct vperfctr_state *page;
};

static bool is_forbidden(const unsigned int *words, int cpu)
{
	return words[cpu / 32] >> cpu % 32 & 1;
}

/* Return the first online CPU that is, or is not, in a mask of @n CPUs. */
static int find_cpu(const unsigned int *words, int n, bool forbidden)
{
	cpu_set_t online;
	int cpu;

	sched_getaffinity(0, sizeof(online), &online);
	for (cpu = 0; cpu < n && cpu < CPU_SETSIZE; cpu++) {
		if (CPU_ISSET(cpu, &online) && is_forbidden(words, cpu) == forbidden)
			return cpu;
	}
	return -1;
}

static int stay_on(int cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	return sched_setaffinity(0, sizeof(one), &one);
}

/* Core type of this thread's CPU: bits 31 to 24 of EAX in CPUID leaf 1AH. */
static unsigned int own_core_type(void)
{
	unsigned int a = 0;

#if defined(__x86_64__) || defined(__i386__)
	unsigned int b, c, d;

	__get_cpuid_count(0x1a, 0, &a, &b, &c, &d);
#endif
	return a >> 24;
}

/* Is the core type of a CPU other than that of CPU 0, which the kernel has booted on? -1: error */
static int is_other_core(int cpu)
{
	unsigned int type;
	cpu_set_t before;
	int other;

	if (sched_getaffinity(0, sizeof(before), &before) || stay_on(0))
		return -1;
	type = own_core_type();
	other = stay_on(cpu) ? -1 : own_core_type() != type;
	return sched_setaffinity(0, sizeof(before), &before) ? -1 : other;
}

/**
 * struct cpu_mask - a set of CPUs
 * @mask: number of words that are read and written
 * @words: the set, follows @mask without a gap
 */
struct cpu_mask {
	struct perfctr_cpu_mask mask;
	__u32 words[MAX_CPUS / 32];
};

FIXTURE_SETUP(forbidden)
{
	struct cpu_mask cpus = { .mask.nrwords = MAX_CPUS / 32 };
	cpu_set_t online;
	int i, n;

	if (!has_counters())
		SKIP(return, "no counters");
	ASSERT_EQ(0, perfctr_info(NULL, NULL, &cpus.mask));
	n = 32 * cpus.mask.nrwords;
	self->bad = find_cpu(cpus.words, n, true);
	self->good = find_cpu(cpus.words, n, false);
	ASSERT_EQ(0, sched_getaffinity(0, sizeof(online), &online));
	for (i = 0; i < n && i < CPU_SETSIZE; i++) {
		if (!CPU_ISSET(i, &online))
			continue;
		EXPECT_EQ(is_other_core(i), is_forbidden(cpus.words, i))
			TH_LOG("CPU %d", i);
	}
	if (self->bad < 0)
		SKIP(return, "no forbidden CPUs");
	ASSERT_LE(0, self->good);
	self->fd = vperfctr_open(0, 1);
	ASSERT_LE(0, self->fd);
	self->page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, self->page);
}

FIXTURE_TEARDOWN(forbidden)
{
	vperfctr_unlink(self->fd);
	close(self->fd);
}

/*
 * The forbidden CPUs run no thread with counters: their counters have another type. A control
 * with counters removes the forbidden CPUs from the thread's allowed CPUs.
 */
TEST_F(forbidden, affinity)
{
	struct vperfctr_control control = instructions(0);
	cpu_set_t cpus;

	ASSERT_EQ(0, sched_getaffinity(0, sizeof(cpus), &cpus));
	ASSERT_TRUE(CPU_ISSET(self->bad, &cpus));
	/* The TSC alone works on all CPUs. */
	control.cpu_control.nractrs = 0;
	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	ASSERT_EQ(0, sched_getaffinity(0, sizeof(cpus), &cpus));
	EXPECT_TRUE(CPU_ISSET(self->bad, &cpus));
	control.cpu_control.nractrs = 1;
	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	ASSERT_EQ(0, sched_getaffinity(0, sizeof(cpus), &cpus));
	EXPECT_FALSE(CPU_ISSET(self->bad, &cpus));
	EXPECT_TRUE(CPU_ISSET(self->good, &cpus));
}

/*
 * EINVAL: no CPU is left. The same applies if no CPU is left. So the previous control stays in
 * effect, and vperfctr_read returns it.
 */
TEST_F(forbidden, none_left)
{
	struct vperfctr_control control = instructions(0), shown;

	control.cpu_control.nractrs = 0;
	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	ASSERT_EQ(0, stay_on(self->bad));
	control.cpu_control.nractrs = 1;
	EXPECT_EQ(-1, vperfctr_control(self->fd, &control));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(perfctr_mk_cstatus(1, 0, 0), self->page->cpu_state.cstatus);
	ASSERT_EQ(0, vperfctr_read(self->fd, NULL, &shown, NULL));
	EXPECT_EQ(0, shown.cpu_control.nractrs);
	EXPECT_EQ(self->bad, sched_getcpu());
}

static volatile int ills;

static void on_ill(int sig)
{
	ills++;
}

/* When a thread starts to run on a forbidden CPU, its counters stop, and it gets SIGILL. */
TEST_F(forbidden, migration)
{
	struct vperfctr_control control = instructions(0);
	struct perfctr_sum_ctrs before, after;

	signal(SIGILL, on_ill);
	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	work(10000);
	EXPECT_EQ(0, ills);
	ASSERT_EQ(0, stay_on(self->bad));
	work(10000);
	EXPECT_EQ(1, ills);
	EXPECT_EQ(0, self->page->cpu_state.cstatus);
	ASSERT_EQ(0, vperfctr_read(self->fd, &before, NULL, NULL));
	EXPECT_LE(20000, before.pmc[0]);
	ASSERT_EQ(0, stay_on(self->good));
	work(10000);
	ASSERT_EQ(0, vperfctr_read(self->fd, &after, NULL, NULL));
	EXPECT_EQ(before.pmc[0], after.pmc[0]);
	EXPECT_EQ(before.tsc, after.tsc);
	EXPECT_EQ(1, ills);
	/* A new control begins again. */
	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	work(10000);
	ASSERT_EQ(0, vperfctr_read(self->fd, &after, NULL, NULL));
	EXPECT_LE(20000, after.pmc[0]);
}

/*
 * When a thread starts to run on a forbidden CPU, its counters stop, and it gets SIGILL. On a
 * forbidden CPU vperfctr_iresume fails with EBUSY, and can be retried on another CPU. With each of
 * these EBUSY, the thread also gets SIGILL.
 */
TEST_F(forbidden, iresume)
{
	struct vperfctr_control control = instructions(-100000);

	if (!has(PERFCTR_FEATURE_PCINT))
		SKIP(return, "no counters that interrupt");
	signal(SIGILL, on_ill);
	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	work(100000);
	EXPECT_EQ(perfctr_mk_cstatus(1, 0, 0), self->page->cpu_state.cstatus);
	/* Only the TSC runs, which runs on all CPUs. */
	ASSERT_EQ(0, stay_on(self->bad));
	work(10000);
	EXPECT_EQ(0, ills);
	EXPECT_EQ(-1, vperfctr_iresume(self->fd));
	EXPECT_EQ(EBUSY, errno);
	work(10000);
	EXPECT_EQ(1, ills);
	EXPECT_EQ(0, self->page->cpu_state.cstatus);
	ASSERT_EQ(0, stay_on(self->good));
	EXPECT_EQ(0, vperfctr_iresume(self->fd));
	EXPECT_EQ(perfctr_mk_cstatus(1, 0, 1), self->page->cpu_state.cstatus);
	EXPECT_EQ(1, ills);
}

#define CPUSET_ROOT	"/tmp/perfctr-cpuset"
#define CPUSET_OWN	CPUSET_ROOT "/own"
#define CPUSET_ROUNDS	500

static bool put_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY), n = strlen(text);
	bool done;

	if (fd < 0)
		return false;
	done = write(fd, text, n) == n;
	close(fd);
	return done;
}

static bool has_text(const char *path, const char *text)
{
	char buf[256] = "";
	int fd = open(path, O_RDONLY);

	if (fd < 0)
		return false;
	if (read(fd, buf, sizeof(buf) - 1) < 0)
		buf[0] = 0;
	close(fd);
	return strstr(buf, text);
}

/**
 * struct cpuset - a cpuset of the test
 * @exists: the kernel has cpusets
 * @v2: it is in the unified hierarchy
 * @enabled: the test has enabled the controller there
 */
struct cpuset {
	bool exists;
	bool v2;
	bool enabled;
};

/* Does the kernel list cpusets as a controller that is not disabled? */
static bool lists_cpusets(void)
{
	FILE *list = fopen("/proc/cgroups", "r");
	char line[256];
	int enabled = 0;

	while (list && !enabled && fgets(line, sizeof(line), list))
		sscanf(line, "cpuset %*d %*d %d", &enabled);
	if (list)
		fclose(list);
	return enabled;
}

/* Mount the hierarchy of cpusets: the unified one, or that of version 1. */
static bool mount_cpusets(struct cpuset *set)
{
	const char *control = CPUSET_ROOT "/cgroup.subtree_control";

	mkdir(CPUSET_ROOT, 0755);
	set->exists = lists_cpusets();
	set->v2 = !mount("none", CPUSET_ROOT, "cgroup2", 0, NULL);
	if (set->v2) {
		/* Without version 1 of cpusets, only this file lists the controller. */
		set->exists |= has_text(CPUSET_ROOT "/cgroup.controllers", "cpuset");
		set->enabled = !has_text(control, "cpuset");
		if (!set->enabled || put_text(control, "+cpuset"))
			return true;
		umount(CPUSET_ROOT);
		set->v2 = false;
	}
	set->enabled = false;
	if (!mount("none", CPUSET_ROOT, "cgroup", 0, "cpuset"))
		return true;
	rmdir(CPUSET_ROOT);
	return false;
}

static void remove_cpuset(struct cpuset *set)
{
	put_text(CPUSET_ROOT "/cgroup.procs", "0");
	rmdir(CPUSET_OWN);
	if (set->enabled)
		put_text(CPUSET_ROOT "/cgroup.subtree_control", "-cpuset");
	umount(CPUSET_ROOT);
	rmdir(CPUSET_ROOT);
}

static bool set_cpuset(const char *list)
{
	return put_text(CPUSET_OWN "/cpuset.cpus", list);
}

/* Move this process to a new cpuset. */
static bool enter_cpuset(struct cpuset *set, const char *list)
{
	if (!mount_cpusets(set))
		return false;
	mkdir(CPUSET_OWN, 0755);
	/* In version 1 a cpuset without a memory node takes no process. */
	if ((!set->v2 && !put_text(CPUSET_OWN "/cpuset.mems", "0")) || !set_cpuset(list) ||
	    !put_text(CPUSET_OWN "/cgroup.procs", "0")) {
		remove_cpuset(set);
		return false;
	}
	return true;
}

static void print_cpus(char *list, size_t size, const cpu_set_t *cpus)
{
	size_t n = 0;
	int cpu;

	list[0] = 0;
	for (cpu = 0; cpu < CPU_SETSIZE && n < size; cpu++) {
		if (CPU_ISSET(cpu, cpus))
			n += snprintf(list + n, size - n, "%s%d", n ? "," : "", cpu);
	}
}

/**
 * struct shrink - memory of the test and of the administrator, which shrinks the cpuset
 * @shrink: number of the round in which the cpuset may shrink
 * @shrunk: number of the round in which it has
 * @widen: number of the round in which it may grow again
 * @widened: number of the round in which it has
 * @failed: number of writes to the cpuset that have failed
 */
struct shrink {
	int shrink;
	int shrunk;
	int widen;
	int widened;
	int failed;
};

static void wait_for(int *round, int n)
{
	while (__atomic_load_n(round, __ATOMIC_ACQUIRE) < n)
		sched_yield();
}

static void announce(int *round, int n)
{
	__atomic_store_n(round, n, __ATOMIC_RELEASE);
}

/* The administrator: it is not in the cpuset. */
static void administer(struct shrink *s, const char *wide, const char *narrow)
{
	int i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (i = 1; i <= CPUSET_ROUNDS; i++) {
		wait_for(&s->shrink, i);
		s->failed += !set_cpuset(narrow);
		announce(&s->shrunk, i);
		wait_for(&s->widen, i);
		s->failed += !set_cpuset(wide);
		announce(&s->widened, i);
	}
	_exit(0);
}

/* Are all allowed CPUs of this thread in a set? */
static bool is_in(const cpu_set_t *set)
{
	cpu_set_t cpus, both;

	if (sched_getaffinity(0, sizeof(cpus), &cpus))
		return false;
	CPU_AND(&both, &cpus, set);
	return CPU_EQUAL(&both, &cpus);
}

/*
 * 0, EINVAL if only forbidden CPUs are left, or EBUSY if the thread was moved to a forbidden CPU
 * before its counters started
 */
static bool is_control_result(int ret)
{
	return !ret || errno == EINVAL || errno == EBUSY;
}

/*
 * A control removes the forbidden CPUs from the thread's allowed CPUs while the administrator
 * removes the first CPU that is not forbidden from the thread's cpuset. After both, in any order,
 * all allowed CPUs of the thread are in its cpuset.
 */
TEST_F(forbidden, cpuset)
{
	struct vperfctr_control control = instructions(0), none = { .si_signo = 0 };
	int i, outside = 0, wrong = 0, status;
	char wide[CPU_SETSIZE * 5], narrow[CPU_SETSIZE * 5];
	cpu_set_t all, rest;
	struct cpuset set;
	struct shrink *s;
	pid_t admin;

	if (geteuid())
		SKIP(return, "needs root");
	ASSERT_EQ(0, sched_getaffinity(0, sizeof(all), &all));
	rest = all;
	CPU_CLR(self->good, &rest);
	print_cpus(wide, sizeof(wide), &all);
	print_cpus(narrow, sizeof(narrow), &rest);
	signal(SIGILL, on_ill);
	s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, s);
	admin = fork();
	ASSERT_LE(0, admin);
	if (!admin)
		administer(s, wide, narrow);
	if (!enter_cpuset(&set, wide)) {
		kill(admin, SIGKILL);
		waitpid(admin, &status, 0);
		ASSERT_FALSE(set.exists);
		SKIP(return, "no cpusets");
	}

	for (i = 1; i <= CPUSET_ROUNDS; i++) {
		announce(&s->shrink, i);
		/* Begin the control at another time of the administrator's write. */
		work(i % 128 * 100);
		wrong += !is_control_result(vperfctr_control(self->fd, &control));
		wait_for(&s->shrunk, i);
		outside += !is_in(&rest);
		/* Without counters the thread may run on all CPUs again. */
		wrong += !!vperfctr_control(self->fd, &none);
		announce(&s->widen, i);
		wait_for(&s->widened, i);
	}
	EXPECT_EQ(0, outside);
	EXPECT_EQ(0, wrong);
	EXPECT_EQ(0, s->failed);
	EXPECT_EQ(admin, waitpid(admin, &status, 0));
	EXPECT_EQ(0, status);
	remove_cpuset(&set);
	munmap(s, sizeof(*s));
}

static bool set_online(int cpu, bool online)
{
	char path[80];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
	return put_text(path, online ? "1" : "0");
}

/* Return a CPU that is present and offline, or -1. */
static int find_offline(void)
{
	char path[80];
	int cpu;

	for (cpu = 1; cpu < CPU_SETSIZE; cpu++) {
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
		if (has_text(path, "0"))
			return cpu;
	}
	return -1;
}

/* Is a CPU forbidden? -1: error */
static int forbids(int cpu)
{
	struct cpu_mask cpus = { .mask.nrwords = MAX_CPUS / 32 };

	return perfctr_info(NULL, NULL, &cpus.mask) ? -1 : is_forbidden(cpus.words, cpu);
}

/*
 * A hybrid CPU is forbidden until it is online for the first time, when the type of its counters
 * becomes known. After that it remains allowed or forbidden, even if it is offline. With
 * PE_FIRST_ONLINE=1 in the environment, there must be a hybrid CPU that was never online.
 */
TEST(online)
{
	struct vperfctr_control control = instructions(0);
	const char *env = getenv("PE_FIRST_ONLINE");
	struct perfctr_sum_ctrs sums;
	int cpu = find_offline(), fd, other;
	bool first = env && *env;

	if (!first && !has_counters())
		SKIP(return, "no counters");
	if (!first && (geteuid() || cpu < 0 || cpu >= MAX_CPUS))
		SKIP(return, "needs root, and a CPU that is offline");
	if (first) {
		ASSERT_TRUE(has_counters());
		ASSERT_LT(0, cpu);
		ASSERT_GT(MAX_CPUS, cpu);
		ASSERT_EQ(1, forbids(cpu));
		ASSERT_EQ(0, forbids(0));
	}
	errno = 0;
	if (!set_online(cpu, true)) {
		/* EPERM: the second thread of a core, which the administrator has switched off. */
		ASSERT_TRUE(!first && errno == EPERM)
			TH_LOG("error %d", errno);
		SKIP(return, "a CPU cannot be brought online");
	}
	other = is_other_core(cpu);
	EXPECT_LE(0, other);
	EXPECT_EQ(other, forbids(cpu));
	fd = vperfctr_open(0, 1);
	EXPECT_LE(0, fd);
	EXPECT_EQ(0, stay_on(cpu));
	EXPECT_EQ(other ? -1 : 0, vperfctr_control(fd, &control));
	if (other)
		EXPECT_EQ(EINVAL, errno);
	work(10000);
	EXPECT_EQ(0, vperfctr_read(fd, &sums, NULL, NULL));
	if (!other)
		EXPECT_LE(20000, sums.pmc[0]);
	EXPECT_EQ(0, vperfctr_unlink(fd));
	close(fd);
	EXPECT_EQ(0, stay_on(0));
	EXPECT_TRUE(set_online(cpu, false));
	EXPECT_EQ(other, forbids(cpu));
}

/* A child that has inherited the control gets SIGILL, too. */
TEST_F(forbidden, child)
{
	struct vperfctr_control control = instructions(0);
	int status;
	pid_t child;

	ASSERT_EQ(0, vperfctr_control(self->fd, &control));
	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		signal(SIGILL, SIG_DFL);
		stay_on(self->bad);
		work(10000);
		_exit(0);
	}
	ASSERT_EQ(child, waitpid(child, &status, 0));
	ASSERT_TRUE(WIFSIGNALED(status));
	EXPECT_EQ(SIGILL, WTERMSIG(status));
}

TEST_HARNESS_MAIN
