// SPDX-License-Identifier: GPL-2.0
/*
 * Unprivileged attackers load the kernel while a victim, another unprivileged user, counts. The
 * victim's counts must stay exact, and none of its opens may fail. The test prints the longest time
 * of each call. With PE_ATTACK_MS the test fails if a call takes longer; this requires a CPU for
 * each process. Each attack takes PE_ATTACK_SECONDS (default: 2). The test also fails if no
 * attacker of an attack ever succeeds in its calls.
 */
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_lib.h"
#include "pe_rounds.h"
#include "pe_sim.h"

#define FILES		4000	/* files that an attacker may have open */
#define PAGES		16	/* pages that the victim touches in a round */
#define WATCHPOINTS	4
#define ATTACKERS	3	/* processes */
#define TASKS		100	/* tasks that the attacker may have */
#define MEMORY_HIGH	(4 << 20)
#define GROUP		"pe_attack"

enum call {
	OPEN, ENABLE, DISABLE, RESET, READ, CLOSE, FORK, WATCH, PRCTL, TRACE,
	PROFILE_RESET, PROFILE_DIES, NR_CALLS,
};

static const char *const call_names[NR_CALLS] = {
	"open", "enable", "disable", "reset", "read", "close", "fork", "watchpoint", "prctl",
	"trace", "profiler's reset", "death of the profiler",
};

/**
 * struct victim - results of the victim and of the attackers, in shared memory
 * @rounds: number of rounds of the victim
 * @wrong: number of counts that did not match the victim's work
 * @count: the last of the wrong counts
 * @refused: number of opens that failed
 * @error: error of the last open that failed
 * @worst: longest time of each call, ns
 * @attacks: number of times that the calls of an attacker succeeded
 * @filters: number of times that a profiler set filters on an attacker
 */
struct victim {
	unsigned int	rounds;
	unsigned int	wrong;
	__u64		count;
	unsigned int	refused;
	int		error;
	__u64		worst[NR_CALLS];
	unsigned int	attacks;
	unsigned int	filters;
};

static struct victim *shared;

/* Count an attack if its calls have succeeded. */
static void attacked(bool really)
{
	if (really)
		__atomic_add_fetch(&shared->attacks, 1, __ATOMIC_RELAXED);
}

static __u64 now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static long env_number(const char *name, long otherwise)
{
	const char *text = getenv(name);

	return text ? atol(text) : otherwise;
}

static void took(struct victim *v, enum call which, __u64 since)
{
	__u64 ns = now() - since;

	if (ns > v->worst[which])
		v->worst[which] = ns;
}

#define TIMED(v, call, what) ({						\
	__u64 since_ = now();						\
	__typeof__(what) ret_ = (what);					\
	took(v, call, since_);						\
	ret_;								\
})

static struct perf_event_attr faults_attr(void)
{
	struct perf_event_attr attr = pe_attr_off(PERF_COUNT_SW_PAGE_FAULTS);

	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	return attr;
}

static struct perf_event_attr watchpoint_attr(void *address)
{
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_BREAKPOINT,
		.size		= sizeof(attr),
		.bp_type	= HW_BREAKPOINT_W,
		.bp_addr	= (unsigned long)address,
		.bp_len		= HW_BREAKPOINT_LEN_4,
		.exclude_kernel	= 1,
		.exclude_hv	= 1,
	};

	return attr;
}

static void expect(struct victim *v, __u64 count, __u64 right)
{
	if (count == right)
		return;
	v->wrong++;
	v->count = count;
}

static void refused(struct victim *v, int error)
{
	v->refused++;
	v->error = error;
}

/*
 * The victim uses all watchpoints: an attacker without permission to monitor the victim must not
 * take any of them.
 */
static void use_watchpoints(struct victim *v, int nr)
{
	static int words[WATCHPOINTS];
	int fd[WATCHPOINTS], i;

	for (i = 0; i < nr; i++) {
		struct perf_event_attr attr = watchpoint_attr((void *)&words[i]);

		fd[i] = TIMED(v, WATCH, pe_open(&attr, 0, -1, -1, 0));
		if (fd[i] < 0)
			refused(v, fd[i]);
		words[i]++;
		if (fd[i] >= 0)
			expect(v, pe_count(fd[i]), 1);
	}
	for (i = 0; i < nr; i++) {
		if (fd[i] >= 0)
			TIMED(v, CLOSE, close(fd[i]));
	}
}

static struct perf_event_attr trace_attr(void)
{
	struct perf_event_attr attr = faults_attr();

	attr.type = pe_sim_trace_type();
	attr.config = 0;
	return attr;
}

/*
 * Either tasks or CPUs use the trace unit: an attacker without permission must not make it busy for
 * the victim.
 */
static void use_trace(struct victim *v)
{
	struct perf_event_attr attr = trace_attr();
	int fd = TIMED(v, TRACE, pe_open(&attr, 0, -1, -1, 0));

	if (fd < 0)
		refused(v, fd);
	else
		TIMED(v, CLOSE, close(fd));
}

/* Use a counter with one inherited event, in a child that sleeps. */
static void use_counter(struct victim *v)
{
	struct perf_event_attr attr = faults_attr();
	pid_t me = getpid(), child;
	__u64 count;
	int fd;

	attr.inherit = 1;
	fd = TIMED(v, OPEN, pe_open(&attr, 0, -1, -1, 0));
	if (fd < 0) {
		refused(v, fd);
		return;
	}
	child = TIMED(v, FORK, fork());
	if (!child) {
		pe_die_with(me);
		pause();
		_exit(0);
	}
	TIMED(v, ENABLE, pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	TIMED(v, DISABLE, pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close(fd);

	fd = TIMED(v, OPEN, pe_open(&attr, 0, -1, -1, 0));
	if (fd < 0) {
		refused(v, fd);
		return;
	}
	TIMED(v, PRCTL, prctl(PR_TASK_PERF_EVENTS_ENABLE));
	TIMED(v, PRCTL, prctl(PR_TASK_PERF_EVENTS_DISABLE));
	TIMED(v, RESET, pe_ioctl(fd, PERF_EVENT_IOC_RESET, 0));
	/*
	 * Write to the pages that the fork has made copy-on-write, so that
	 * they cause no faults later.
	 */
	pe_fault(1);
	TIMED(v, DISABLE, pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	TIMED(v, ENABLE, pe_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	pe_fault(PAGES);
	TIMED(v, DISABLE, pe_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	count = TIMED(v, READ, pe_count(fd));
	expect(v, count, PAGES);
	TIMED(v, CLOSE, close(fd));
}

/* The attackers */

static void attack_begin(void)
{
	struct rlimit tasks = { TASKS, TASKS };

	setrlimit(RLIMIT_NPROC, &tasks);
	if (pe_become(PE_UID, 0))
		_exit(1);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static int open_many(struct perf_event_attr *attr, int cpu, int group, int *fd, int most)
{
	int nr;

	for (nr = 0; nr < most; nr++) {
		fd[nr] = pe_open(attr, 0, cpu, group, 0);
		if (fd[nr] < 0)
			break;
	}
	return nr;
}

static void close_many(const int *fd, int nr)
{
	while (nr--)
		close(fd[nr]);
}

static int many[FILES];
/* Number of files that an attacker uses, at most FILES */
static int files;

/*
 * Software events of a task and a CPU are scheduled; open and close large
 * groups of them.
 */
static void close_large_groups(pid_t victim)
{
	struct perf_event_attr attr = faults_attr();
	int others, members, leader;

	for (;;) {
		others = open_many(&attr, 0, -1, many, files / 2);
		leader = pe_open(&attr, 0, 0, -1, 0);
		attr.disabled = 0;
		members = open_many(&attr, 0, leader, many + others, files / 2 - 100);
		attr.disabled = 1;
		attacked(!close(leader) && others == files / 2 && members == files / 2 - 100);
		close_many(many, others + members);
	}
}

static void fork_many_children(pid_t victim)
{
	struct perf_event_attr attr = faults_attr();
	int nr, status;
	pid_t pid;

	attr.inherit = 1;
	nr = open_many(&attr, -1, -1, many, files / 4);
	if (!nr)
		_exit(2);
	for (;;) {
		pid = fork();
		if (!pid) {
			/* The fork inherits the attacker's events, too. */
			pid = fork();
			if (!pid)
				pe_fault(1);
			_exit(pid < 0);
		}
		while (waitpid(-1, &status, pid < 0 ? 0 : WNOHANG) > 0)
			attacked(nr == files / 4 && !status);
		pe_ioctl(many[nr - 1], PERF_EVENT_IOC_ENABLE, 0);
		pe_ioctl(many[nr - 1], PERF_EVENT_IOC_DISABLE, 0);
	}
}

static void flood_samples(pid_t victim)
{
	struct perf_event_attr attr = faults_attr();
	struct perf_event_mmap_page *ring[64];
	long page = sysconf(_SC_PAGESIZE);
	int i, fd, nr = 0;
	__u64 head;

	attr.disabled = 0;
	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_CALLCHAIN |
			   PERF_SAMPLE_STACK_USER;
	attr.exclude_callchain_kernel = 1;
	attr.sample_stack_user = 8192;
	attr.wakeup_events = 1;
	for (i = 0; i < 64; i++) {
		fd = pe_open(&attr, 0, -1, -1, 0);
		if (fd < 0)
			break;
		/* The buffer must have space for a sample. */
		ring[nr] = mmap(NULL, 5 * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (ring[nr] != MAP_FAILED)
			nr++;
	}
	if (!nr)
		_exit(2);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_CPU_CLOCK;
	attr.sample_period = 1;
	open_many(&attr, -1, -1, many, 16);
	for (;;) {
		pe_fault(64);
		/* Free space in all buffers, so that no sample is lost. */
		for (i = 0; i < nr; i++) {
			head = ring[i]->data_head;
			attacked(head != ring[i]->data_tail);
			ring[i]->data_tail = head;
		}
	}
}

static void redirect_many(pid_t victim)
{
	struct perf_event_attr attr = faults_attr();
	long page = sysconf(_SC_PAGESIZE);
	void *map[2];
	int fd[2], nr, i, way, done;

	for (;;) {
		for (i = 0; i < 2; i++) {
			fd[i] = pe_open(&attr, 0, -1, -1, 0);
			map[i] = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd[i], 0);
		}
		nr = open_many(&attr, -1, -1, many, files - 100);
		for (way = 0; way < 4; way++) {
			for (i = 0, done = 0; i < nr; i++)
				done += !pe_ioctl(many[i], PERF_EVENT_IOC_SET_OUTPUT, fd[way & 1]);
			attacked(done && done == files - 100);
		}
		for (i = 0; i < 2; i++) {
			if (map[i] != MAP_FAILED)
				munmap(map[i], 2 * page);
			close(fd[i]);
		}
		close_many(many, nr);
	}
}

/* Try to open events of the victim, and of CPUs: all of them must be refused. */
static void ask_for(struct perf_event_attr *attr, pid_t victim)
{
	int cpu = 0, of_task, of_cpu;

	for (;;) {
		of_task = pe_open(attr, victim, -1, -1, 0);
		of_cpu = pe_open(attr, -1, cpu, -1, 0);
		if (of_task >= 0 || of_cpu >= 0)
			_exit(2);
		attacked(of_task == -EACCES && of_cpu == -EACCES);
		cpu = (cpu + 1) % pe_cpu_count();
	}
}

static void ask_for_watchpoints(pid_t victim)
{
	static int word;
	struct perf_event_attr attr = watchpoint_attr(&word);

	ask_for(&attr, victim);
}

/* Try to open events of the trace unit: all of them must be refused. */
static void ask_for_trace(pid_t victim)
{
	struct perf_event_attr attr = trace_attr();

	ask_for(&attr, victim);
}

/* Change mappings of this process all the time, so that its mmap_lock is always contended. */
static void keep_own_mappings_busy(pid_t victim)
{
	/*
	 * With more pages the call takes so long on an emulated machine that the CPU does nothing
	 * else.
	 */
	size_t page = sysconf(_SC_PAGESIZE), size = 256 * page;
	char *at = mmap(NULL, size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	size_t i;

	if (at == MAP_FAILED)
		_exit(2);
	for (;;) {
		/* Make every second page a mapping of its own, then merge all of them. */
		for (i = 0; i < size; i += 2 * page)
			mprotect(at + i, page, PROT_READ);
		attacked(!mprotect(at, size, PROT_READ | PROT_WRITE));
	}
}

static void map_and_unmap(pid_t victim)
{
	struct perf_event_attr attr = faults_attr();
	long page = sysconf(_SC_PAGESIZE);
	void *map;
	int fd;

	for (;;) {
		fd = pe_open(&attr, 0, -1, -1, 0);
		map = mmap(NULL, 129 * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (map != MAP_FAILED) {
			pe_touch(map);
			attacked(!munmap(map, 129 * page));
		}
		close(fd);
	}
}

FIXTURE(attack) {
	struct victim *seen;
	pid_t victim;
	pid_t attackers[ATTACKERS];
	long seconds;
	int watchpoints;
	bool trace;
	bool profile;
};

/* Enter a cgroup with little memory, if the kernel has memory cgroups. */
static bool limit_memory(void)
{
	char path[256];

	if (!*pe_cgroup_root())
		return false;
	snprintf(path, sizeof(path), "%s/cgroup.subtree_control", pe_cgroup_root());
	if (access(path, W_OK))
		return false;
	{
		FILE *f = fopen(path, "w");

		if (!f)
			return false;
		fputs("+memory", f);
		fclose(f);
	}
	snprintf(path, sizeof(path), "%s/" GROUP, pe_cgroup_root());
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/" GROUP "/memory.high", pe_cgroup_root());
	return !pe_set(path, MEMORY_HIGH);
}

FIXTURE_SETUP(attack)
{
	struct rlimit limit = { FILES, FILES };
	int i;

	if (geteuid())
		SKIP(return, "needs root, to become other users");
	if (pe_get(PE_PARANOID) > 2)
		SKIP(return, "only root may open events");
	setrlimit(RLIMIT_NOFILE, &limit);
	files = pe_rounds(FILES);
	if (files < FILES / 10)
		files = FILES / 10;
	self->seconds = env_number("PE_ATTACK_SECONDS", pe_rounds(2));
	self->seen = mmap(NULL, sizeof(*self->seen), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->seen);
	shared = self->seen;
	for (i = 0; i < ATTACKERS; i++)
		self->attackers[i] = -1;
	{
		static int word;
		struct perf_event_attr attr = watchpoint_attr(&word);
		int fd[WATCHPOINTS], nr;
		__u64 hits = 0;

		nr = open_many(&attr, -1, -1, fd, WATCHPOINTS);
		pe_touch((char *)&word);
		/*
		 * On some machines no write hits a watchpoint: do not use watchpoints there. QEMU
		 * reports a write to only one of several registers with its address.
		 */
		for (i = 0; i < nr; i++)
			hits += pe_count(fd[i]);
		self->watchpoints = hits ? nr : 0;
		close_many(fd, nr);
	}
}

FIXTURE_TEARDOWN(attack)
{
}

static int profiled;

static void *set_filters(void *arg)
{
	struct victim *v = arg;
	char exe[128], text[160];
	int len = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	if (len < 0)
		_exit(2);
	exe[len] = '\0';
	snprintf(text, sizeof(text), "filter 0/0x10@%s", exe);
	for (;;) {
		if (pe_ioctl(profiled, PERF_EVENT_IOC_SET_FILTER, (unsigned long)text))
			_exit(2);
		__atomic_add_fetch(&v->filters, 1, __ATOMIC_RELAXED);
		pe_sleep_ms(1);
	}
	return NULL;
}

/*
 * A profiler that may monitor an attacker. While the profiler waits for the attacker's mmap_lock,
 * it must not block other users of the event, and a signal must kill it.
 */
static void be_profiler(struct victim *v, pid_t attacker)
{
	struct sched_param first = { .sched_priority = 1 };
	struct perf_event_attr attr = trace_attr();
	pthread_t thread;

	sched_setscheduler(0, SCHED_FIFO, &first);
	profiled = pe_open(&attr, attacker, -1, -1, 0);
	if (profiled < 0 || pthread_create(&thread, NULL, set_filters, v))
		_exit(2);
	for (;;) {
		TIMED(v, PROFILE_RESET, pe_ioctl(profiled, PERF_EVENT_IOC_RESET, 0));
		pe_sleep_ms(1);
	}
}

/* The profiler must have set filters, and must exit on a signal. */
static void end_profiler(struct __test_metadata *_metadata, struct victim *v, pid_t profiler)
{
	struct sched_param first = { .sched_priority = 1 }, none = {};
	int status;

	EXPECT_EQ(0, waitpid(profiler, &status, WNOHANG)) {
		TH_LOG("the profiler ended with %#x", status);
	}
	EXPECT_LT(0U, v->filters);
	sched_setscheduler(0, SCHED_FIFO, &first);
	kill(profiler, SIGKILL);
	TIMED(v, PROFILE_DIES, waitpid(profiler, NULL, 0));
	sched_setscheduler(0, SCHED_OTHER, &none);
}

static void be_victim(struct victim *v, int watchpoints, bool trace, int go)
{
	struct sched_param first = { .sched_priority = 1 };
	char c;

	/*
	 * With this priority only the kernel can make the profiler wait, not other tasks on its
	 * CPU.
	 */
	sched_setscheduler(0, SCHED_FIFO, &first);
	if (pe_become(PE_OTHER_UID, 0) || read(go, &c, 1) != 1)
		_exit(1);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		use_counter(v);
		use_watchpoints(v, watchpoints);
		if (trace)
			use_trace(v);
		__atomic_add_fetch(&v->rounds, 1, __ATOMIC_RELAXED);
		pe_sleep_ms(1);
	}
}

static int beside(struct __test_metadata *_metadata, struct _test_data_attack *self,
		  void (*attack)(pid_t victim), bool tight)
{
	struct victim *v = self->seen;
	long limit = env_number("PE_ATTACK_MS", 0);
	char path[256];
	int go[2], i, status;
	pid_t profiler = -1;

	ASSERT_EQ(0, pipe(go));
	self->victim = fork();
	if (!self->victim)
		be_victim(v, self->watchpoints, self->trace, go[0]);

	for (i = 0; i < ATTACKERS; i++) {
		self->attackers[i] = fork();
		if (!self->attackers[i]) {
			setpgid(0, 0);
			if (tight)
				pe_cgroup_enter(GROUP, getpid());
			attack_begin();
			attack(self->victim);
			_exit(0);
		}
		setpgid(self->attackers[i], self->attackers[i]);
	}
	if (self->profile) {
		profiler = fork();
		if (!profiler)
			be_profiler(v, self->attackers[0]);
	}
	ASSERT_EQ(1, write(go[1], "", 1));
	sleep(self->seconds);
	/* On a slow machine the first rounds and attacks may take longer. */
	for (i = 0; i < 1200 && (!v->rounds || !v->attacks || (self->profile && !v->filters)); i++)
		pe_sleep_ms(100);

	if (self->profile)
		end_profiler(_metadata, v, profiler);

	kill(self->victim, SIGKILL);
	waitpid(self->victim, NULL, 0);
	for (i = 0; i < ATTACKERS; i++) {
		/* An attacker exits only if an open succeeds that must be refused. */
		EXPECT_EQ(0, waitpid(self->attackers[i], &status, WNOHANG)) {
			TH_LOG("attacker %d ended with %#x", i, status);
		}
		/* Kill the tasks that the attacker has forked, too. */
		kill(-self->attackers[i], SIGKILL);
		waitpid(self->attackers[i], NULL, 0);
	}
	close(go[0]);
	close(go[1]);

	EXPECT_LT(0U, v->rounds);
	TH_LOG("%u attacks", v->attacks);
	EXPECT_LT(0U, v->attacks);
	EXPECT_EQ(0U, v->wrong) {
		TH_LOG("last: %llu", v->count);
	}
	EXPECT_EQ(0U, v->refused) {
		TH_LOG("last: %d", v->error);
	}
	for (i = 0; i < NR_CALLS; i++) {
		TH_LOG("%u rounds, worst %s: %llu us", v->rounds, call_names[i],
		       v->worst[i] / 1000);
		if (limit)
			EXPECT_GE((__u64)limit * 1000000, v->worst[i]);
	}
	if (tight) {
		snprintf(path, sizeof(path), "%s/" GROUP, pe_cgroup_root());
		for (i = 0; i < 100 && rmdir(path); i++)
			pe_sleep_ms(20);
	}
	return 0;
}

TEST_F(attack, large_groups_are_closed)
{
	beside(_metadata, self, close_large_groups, false);
}

TEST_F(attack, forks_with_little_memory)
{
	bool tight = limit_memory();

	if (!tight)
		TH_LOG("no limit of memory: the kernel has no memory cgroups");
	beside(_metadata, self, fork_many_children, tight);
}

TEST_F(attack, floods_of_samples)
{
	beside(_metadata, self, flood_samples, false);
}

TEST_F(attack, thousands_are_redirected)
{
	beside(_metadata, self, redirect_many, false);
}

TEST_F(attack, refused_watchpoints_take_none)
{
	/* The base kernel reserves the register before it checks the permission. */
	if (!getenv("PE_HARD"))
		SKIP(return, "PE_HARD is not set");
	if (!self->watchpoints)
		SKIP(return, "no watchpoints");
	beside(_metadata, self, ask_for_watchpoints, false);
}

TEST_F(attack, refused_traces_take_no_unit)
{
	/* The base kernel reserves the unit before it checks the permission. */
	if (!getenv("PE_HARD"))
		SKIP(return, "PE_HARD is not set");
	if (pe_sim_trace_type() <= 0)
		SKIP(return, "no simulated trace unit");
	self->trace = true;
	beside(_metadata, self, ask_for_trace, false);
}

TEST_F(attack, filters_on_who_keeps_his_mappings)
{
	if (pe_sim_trace_type() <= 0)
		SKIP(return, "no simulated trace unit");
	self->profile = true;
	beside(_metadata, self, keep_own_mappings_busy, false);
}

TEST_F(attack, buffers_come_and_go)
{
	beside(_metadata, self, map_and_unmap, false);
}

TEST_HARNESS_MAIN
