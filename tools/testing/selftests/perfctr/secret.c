// SPDX-License-Identifier: GPL-2.0
/*
 * A counter must not reveal its counts of another user's task. A victim runs a loop of known
 * length, the secret, on the CPU of an attacker, and counters count it. The attacker, another
 * process, gets counters in many ways before, between and after the runs, by perf events and by
 * perfctr. It reads all that it can: each counter by RDPMC, the pages of its events and of its
 * perfctr object, and their counts and sums by system call. No value may be higher than what the
 * attacker can have counted itself, which is less than the secret.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "../kselftest_harness.h"
#include "secret.h"

#define ATTACKER	65533

/* Only PMU drivers that have perfctr have this parameter. */
#define SHARE		"/sys/module/x86_pmu/parameters/share"
/* Environment variable: the fd of struct shared, for a program that the attacker executes */
#define AGAIN		"SECRET_AGAIN"

enum phase { BEFORE, BETWEEN, AFTER };

static int shared_fd;

/* Processes */

static void become(unsigned int id)
{
	MUST(!setgid(id) && !setuid(id));
	/* setuid() has cleared the parent-death signal. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* setuid() has made the process undumpable. Other users' processes usually are dumpable. */
	prctl(PR_SET_DUMPABLE, 1);
}

/* Call @order for each phase that arrives, and answer it. */
static void serve(const struct pipes *pipes, void (*order)(enum phase))
{
	char phase;

	while (read(pipes->order[0], &phase, 1) == 1) {
		order(phase);
		MUST(write(pipes->answer[1], &phase, 1) == 1);
	}
	_exit(0);
}

/* Send an order to process @first, and wait for the answer of process @last. */
static bool tell_through(const struct pipes *first, const struct pipes *last, char phase)
{
	return write(first->order[1], &phase, 1) == 1 && read(last->answer[0], &phase, 1) == 1;
}

static bool tell(const struct pipes *pipes, char phase)
{
	return tell_through(pipes, pipes, phase);
}

/* Fork a process that reads orders and writes answers. */
static pid_t start(struct pipes *pipes)
{
	pid_t pid = fork();

	MUST(pid >= 0);
	if (!pid) {
		close(pipes->order[1]);
		close(pipes->answer[0]);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		return 0;
	}
	close(pipes->order[0]);
	close(pipes->answer[1]);
	return pid;
}

/* The helper, a second process of the attacker: it has inherited or received files and mappings. */

static int passed[2] = { -1, -1 };

static void send_fd(char kind, int fd)
{
	char space[CMSG_SPACE(sizeof(fd))] = "";
	struct iovec iov = { &kind, 1 };
	struct msghdr message = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = space, .msg_controllen = sizeof(space),
	};
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);

	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(header), &fd, sizeof(fd));
	MUST(sendmsg(passed[0], &message, 0) == 1);
}

static int receive_fd(char *kind)
{
	char space[CMSG_SPACE(sizeof(int))] = "";
	struct iovec iov = { kind, 1 };
	struct msghdr message = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = space, .msg_controllen = sizeof(space),
	};
	int fd;

	if (recvmsg(passed[1], &message, MSG_DONTWAIT) != 1)
		return -1;
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(fd));
	return fd;
}

static void help(enum phase phase)
{
	bool news = false;
	char kind;
	int fd;

	while (passed[1] >= 0 && (fd = receive_fd(&kind)) >= 0) {
		news = true;
		if (kind == 'o')
			own.object = fd;
		else
			own.event[own.nr++] = fd;
	}
	if (news) {
		map_events();
		if (own.object >= 0 && !has_mapped_object())
			map_object();
	}
	look();
}

static void start_helper(void)
{
	shared->has_helper = true;
	if (!start(&shared->helper)) {
		/* Only the attacker may keep this end: the parent must notice if it exits. */
		close(shared->attacker.answer[1]);
		owner = false;
		/* The attacker's page, but sums of the object that this process has inherited */
		if (own.object >= 0) {
			own.object = vperfctr_open(0, 0);
			MUST(own.object >= 0);
		}
		serve(&shared->helper, help);
	}
}

/* The ways to get a counter */

static void by_event(enum phase phase)
{
	if (phase == BETWEEN) {
		add_events();
		map_events();
	} else if (phase == AFTER) {
		unmap_events();
		look();
		map_events();
		look();
		close_events();
	}
}

static void by_late_mapping(enum phase phase)
{
	if (phase == BEFORE)
		add_events();
	else if (phase == BETWEEN)
		map_events();
	else
		unmap_events();
}

static void by_enabling(enum phase phase)
{
	if (phase == BEFORE) {
		add_events();
		map_events();
		look();
		control_events(PERF_EVENT_IOC_DISABLE);
	} else {
		control_events(PERF_EVENT_IOC_ENABLE);
		look();
		control_events(PERF_EVENT_IOC_DISABLE);
		look();
		control_events(PERF_EVENT_IOC_ENABLE);
	}
}

static void by_equal_event(enum phase phase)
{
	if (phase != AFTER) {
		add_usual_events(false, false);
		map_events();
	} else {
		close_events();
		add_usual_events(false, true);
	}
}

/* A pair of AMD's counters counts one event; elsewhere, a group of two events. */
static void by_pair(enum phase phase)
{
	struct perf_event_attr flops = hardware(0), attr;
	unsigned int i;

	if (phase == BEFORE)
		return;
	close_events();
	for (i = 0; i < 2; i++) {
		attr = usual_event(2 * i);
		add_event(&attr, i ? own.event[0] : -1);
	}
	flops.type = shared->type;
	flops.config = 0xff03;
	for (i = 0; i < 2; i++)
		add_event(&flops, -1);
	map_events();
}

/* An event in the error state is enabled again, and a refused control is repeated. */
static void by_error(enum phase phase)
{
	struct perf_event_attr attr = hardware(PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
	int fds[MAX_EVENTS], n;

	if (phase == BEFORE)
		return;
	close_events();
	n = pin_all(fds, -1);
	attr.pinned = 1;
	MUST(add_event(&attr, -1));
	map_events();
	if (has_counters() && own.object < 0) {
		struct vperfctr_control control = one_counter(0);

		open_object();
		vperfctr_control(own.object, &control);
		map_object();
	}
	look();
	close_all(fds, n);
	look();
	control_events(PERF_EVENT_IOC_ENABLE);
	if (own.object >= 0)
		claim(1, false);
}

static void by_control(enum phase phase)
{
	if (phase == BETWEEN) {
		open_object();
		map_object();
		claim(0, false);
	} else if (phase == AFTER) {
		claim_none();
		look();
		claim(0, false);
		look();
		unmap_object();
	}
}

/* The object is mapped when its counters already run. */
static void by_control_before(enum phase phase)
{
	if (phase == BEFORE) {
		open_object();
		claim(0, false);
	} else if (phase == BETWEEN) {
		map_object();
	} else {
		unmap_object();
		look();
		MUST(!vperfctr_unlink(own.object));
	}
}

/*
 * Counters run on after perfctr has released them, and are reserved again when the victim has run
 * twice. Where root samples the CPU meanwhile, RDPMC shows the values of the reserved counters: the
 * distance to the next sample is no secret, but must not become a start value.
 */
static void by_claiming_again(enum phase phase)
{
	if (phase == BEFORE) {
		open_object();
		map_object();
		claim(0, false);
		claim_none();
	} else if (phase == AFTER) {
		claim(0, false);
	}
}

static void by_interrupting(enum phase phase)
{
	if (phase == BEFORE) {
		open_object();
	} else {
		claim(0, true);
		if (!has_mapped_object())
			map_object();
	}
}

static void by_fixed(enum phase phase)
{
	if (phase == BEFORE) {
		open_object();
		map_object();
	} else {
		claim(MAX_GENERAL, phase == AFTER);
	}
}

static void by_both(enum phase phase)
{
	if (phase == BEFORE) {
		add_events();
		map_events();
		open_object();
		claim(1, false);
	} else {
		claim(phase == AFTER, false);
		if (!has_mapped_object())
			map_object();
	}
}

static void by_move(enum phase phase)
{
	if (shared->other_cpu < 0)
		cannot("needs two CPUs with this PMU");
	if (phase == BEFORE) {
		add_events();
		map_events();
		if (has_counters()) {
			open_object();
			claim(1, false);
			map_object();
		}
		return;
	}
	MUST(!stay_on(shared->other_cpu));
	look();
	MUST(!stay_on(shared->cpu));
}

static void *map_elsewhere(void *unused)
{
	MUST(!stay_on(shared->other_cpu));
	map_object();
	return NULL;
}

/*
 * Another thread maps the object on another CPU. Meanwhile the idle task runs on the CPU of the
 * counters, with the attacker's address space.
 */
static void by_mapping_elsewhere(enum phase phase)
{
	pthread_t thread;

	if (shared->other_cpu < 0)
		cannot("needs two CPUs with this PMU");
	if (phase == BEFORE) {
		open_object();
		claim(0, false);
	} else if (phase == BETWEEN) {
		MUST(!pthread_create(&thread, NULL, map_elsewhere, NULL));
		MUST(!pthread_join(thread, NULL));
	}
}

/* exec: the new program has the file descriptors, but no mapping. */
static void by_exec(enum phase phase)
{
	char again[20];

	if (phase == BEFORE) {
		add_events();
		if (has_counters()) {
			open_object();
			claim(1, false);
		}
	} else if (phase == BETWEEN) {
		shared->own = own;
		snprintf(again, sizeof(again), "%d", shared_fd);
		setenv(AGAIN, again, 1);
		execl("/proc/self/exe", "secret", NULL);
		MUST(false);
	}
}

/* Children inherit events and objects. */
static void by_fork(enum phase phase)
{
	int status;
	pid_t pid;

	if (phase == BEFORE) {
		/* A task's event with inherit cannot be mapped. */
		add_usual_events(true, false);
		if (has_counters()) {
			open_object();
			claim(1, false);
			map_object();
		}
		return;
	}
	pid = fork();
	MUST(pid >= 0);
	if (!pid) {
		look();
		if (own.object >= 0) {
			own.object = vperfctr_open(0, 0);
			map_object();
		}
		own.nr = 0;
		add_events();
		map_events();
		look();
		_exit(0);
	}
	MUST(waitpid(pid, &status, 0) == pid && !status);
}

/* The helper gets the files, and the owner of the counters has no right to RDPMC. */
static void by_passing(enum phase phase)
{
	int i;

	if (phase == BEFORE) {
		MUST(!socketpair(AF_UNIX, SOCK_DGRAM, 0, passed));
		start_helper();
		add_usual_events(false, false);
		for (i = 0; i < own.nr; i++)
			send_fd('e', own.event[i]);
		if (!has_counters())
			return;
		open_object();
		claim(0, false);
		send_fd('o', own.object);
	} else if (phase == AFTER && own.object >= 0) {
		map_object();
	}
}

/* The helper inherits the mapping, and looks while the owner of the counters sleeps. */
static void by_polling(enum phase phase)
{
	if (phase == BEFORE) {
		open_object();
		map_object();
		claim(0, false);
		start_helper();
		unmap_object();
	} else {
		claim(0, false);
	}
}

static void (*way)(enum phase);

static void attack(enum phase phase)
{
	look();
	way(phase);
	look();
}

/* A program that by_exec() has started continues as the same process. */
static __attribute__((constructor)) void after_exec(void)
{
	const char *again = getenv(AGAIN);
	char phase = BETWEEN;

	if (!again)
		return;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, atoi(again), 0);
	if (shared == MAP_FAILED)
		_exit(1);
	catch_faults();
	own = shared->own;
	look();
	map_events();
	if (own.object >= 0)
		map_object();
	look();
	MUST(write(shared->attacker.answer[1], &phase, 1) == 1);
	way = by_exec;
	serve(&shared->attacker, attack);
}

static void take_secret_counts(void)
{
	struct perfctr_sum_ctrs sums;
	long long count;
	int i;

	for (i = 0; i < own.nr; i++) {
		count = count_of(own.event[i]);
		if (count > 0 && (__u64)count > shared->counted)
			shared->counted = count;
	}
	if (own.object < 0 || vperfctr_read(own.object, &sums, NULL, NULL))
		return;
	for (i = 0; i < PERFCTR_MAX_COUNTERS; i++) {
		if (sums.pmc[i] > shared->counted)
			shared->counted = sums.pmc[i];
	}
}

/*
 * Run the secret at each order. In the last phase the victim does not answer, but passes on the
 * order: the CPU switches from the victim, whose counters run, to the attacker or its helper.
 */
static void serve_as_victim(const struct pipes *pipes)
{
	const struct pipes *next;
	char phase;

	while (read(pipes->order[0], &phase, 1) == 1) {
		/* Wait until the parent sleeps in read() of the answer. */
		usleep(100);
		/* 3 limit branches, and 6 limit instructions */
		work(3 * shared->limit);
		take_secret_counts();
		next = shared->has_helper ? &shared->helper : &shared->attacker;
		MUST(write(phase == AFTER ? next->order[1] : pipes->answer[1], &phase, 1) == 1);
	}
	_exit(0);
}

FIXTURE(secret) {
	int	watchdog;
	int	paranoid;
};

/**
 * struct victim - kind of victim
 * @events: it has events on all counters
 * @object: it has a perfctr object with all counters
 * @maps: it maps them, and so can read counters
 * @root: root counts the CPU
 */
struct victim {
	bool	events;
	bool	object;
	bool	maps;
	bool	root;
};

FIXTURE_VARIANT(secret) {
	struct victim victim;
};

FIXTURE_VARIANT_ADD(secret, no_counter) {
};

FIXTURE_VARIANT_ADD(secret, events) {
	.victim.events = true,
};

FIXTURE_VARIANT_ADD(secret, mapped_events) {
	.victim = { .events = true, .maps = true },
};

FIXTURE_VARIANT_ADD(secret, object) {
	.victim.object = true,
};

FIXTURE_VARIANT_ADD(secret, mapped_object) {
	.victim = { .object = true, .maps = true },
};

FIXTURE_VARIANT_ADD(secret, cpu) {
	.victim.root = true,
};

/* Read a file of a PMU. Return: false if there is none. */
static bool read_file(const char *pmu, const char *name, char *text, size_t size)
{
	char path[80];
	ssize_t n = -1;
	int fd;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/%s", pmu, name);
	fd = open(path, O_RDONLY);
	if (fd >= 0) {
		n = read(fd, text, size - 1);
		close(fd);
	}
	if (n >= 0)
		text[n] = 0;
	return n > 0;
}

/* Find the first two CPUs of a PMU. The only PMU has no list of its CPUs: it has all. */
static bool find_cpus(const char *pmu)
{
	int from, to, n = 0, cpus[2] = { -1, -1 };
	char list[80], *next = list;

	if (!read_file(pmu, "type", list, sizeof(list)))
		return false;
	shared->type = atoi(list);
	shared->extended = 0;
	if (read_file(pmu, "cpus", list, sizeof(list)))
		shared->extended = shared->type;
	else
		snprintf(list, sizeof(list), "0-1");
	while (n < 2 && *next >= '0' && *next <= '9') {
		from = strtol(next, &next, 10);
		to = *next == '-' ? strtol(next + 1, &next, 10) : from;
		for (; from <= to && n < 2; from++) {
			if (!stay_on(from))
				cpus[n++] = from;
		}
		next += *next == ',';
	}
	shared->cpu = cpus[0];
	shared->other_cpu = cpus[1];
	return n && !stay_on(cpus[0]);
}

/* With PE_NEED_PMU=1 in the environment, a test without counters fails. */
static bool needs_pmu(void)
{
	const char *need = getenv("PE_NEED_PMU");

	return need && *need;
}

/* Return: what this machine lacks; NULL: nothing */
static const char *find_missing(void)
{
	if (access(SHARE, F_OK))
		return "other drivers than those of perfctr";
	if (!find_cpus("cpu") && !find_cpus("cpu_core") && !find_cpus("cpu_atom"))
		return "no PMU";
	return NULL;
}

static bool can_count(__u64 config)
{
	struct perf_event_attr attr = hardware(config);
	int fd = syscall(__NR_perf_event_open, &attr, 0, -1, -1, 0);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

FIXTURE_SETUP(secret)
{
	const char *missing;

	if (!is_x86())
		SKIP(return, "only x86 programs can read counters");
	if (geteuid())
		SKIP(return, "needs root, to become other users");
	shared_fd = syscall(__NR_memfd_create, "secret", 0);
	ASSERT_EQ(0, ftruncate(shared_fd, sizeof(*shared)));
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, shared_fd, 0);
	ASSERT_NE(MAP_FAILED, shared);
	missing = find_missing();
	if (missing) {
		ASSERT_FALSE(needs_pmu())
			TH_LOG("%s", missing);
		SKIP(return, "%s", missing);
	}
	/* Without events, few ways have a counter. A ZX-C has only cycles. */
	if (!can_count(PERF_COUNT_HW_INSTRUCTIONS)) {
		ASSERT_TRUE(errno == ENOENT && can_count(PERF_COUNT_HW_CPU_CYCLES));
		SKIP(return, "no event of instructions");
	}
	/* With PE_NEED_PMU=1 this fails without counters for perfctr. */
	has_counters();
	/* The watchdog's event samples: its counter has the distance to the next overflow. */
	self->watchdog = set_number(WATCHDOG, 0);
	self->paranoid = set_number(PARANOID, -1);
	if (self->paranoid > 2)
		set_number(PARANOID, 2);
}

FIXTURE_TEARDOWN(secret)
{
	if (self->watchdog > 0)
		set_number(WATCHDOG, self->watchdog);
	if (self->paranoid > 2)
		set_number(PARANOID, self->paranoid);
}

static void be_victim(const struct pipes *pipes, const struct victim *kind)
{
	if (kind->events)
		add_victim_events();
	if (kind->object) {
		open_object();
		claim(0, false);
	}
	if (kind->maps && own.nr)
		map_events();
	if (kind->maps && own.object >= 0)
		map_object();
	become(NOBODY);
	serve_as_victim(pipes);
}

static void prepare(struct __test_metadata *_metadata, struct pipes *pipes)
{
	ASSERT_EQ(0, pipe(pipes->order));
	ASSERT_EQ(0, pipe(pipes->answer));
}

/*
 * Run BEFORE of the attacker, then the victim, then this process, then BETWEEN of the attacker;
 * then the victim again, directly followed by AFTER. If there is a helper, it runs after each phase
 * of the attacker, and before BETWEEN and AFTER. Return: false if a process has ended.
 */
static bool run_phases(const struct pipes *victim)
{
	const struct pipes *attacker = &shared->attacker, *helper = &shared->helper;

	if (!tell(attacker, BEFORE))
		return false;
	if (!shared->has_helper)
		return tell(victim, BETWEEN) && tell(attacker, BETWEEN) &&
		       tell_through(victim, attacker, AFTER);
	return tell(helper, BEFORE) &&
	       tell(victim, BETWEEN) && tell(helper, BETWEEN) &&
	       tell(attacker, BETWEEN) && tell(helper, BETWEEN) &&
	       tell_through(victim, helper, AFTER) && tell(attacker, AFTER) && tell(helper, AFTER);
}

static void steal(struct __test_metadata *_metadata, const struct victim *kind,
		  void (*by)(enum phase))
{
	bool counts = kind->events || kind->object || kind->root, done;
	struct pipes victim;
	pid_t pids[2];

	way = by;
	shared->limit = find_limit(kind->root);
	shared->samples = kind->root && by == by_claiming_again;
	catch_faults();
	/* A process that has ended reads no orders. */
	signal(SIGPIPE, SIG_IGN);
	prepare(_metadata, &victim);
	prepare(_metadata, &shared->helper);
	prepare(_metadata, &shared->attacker);
	pids[0] = start(&victim);
	if (!pids[0]) {
		/* Only the attacker and the helper keep these ends: their exit must be noticed. */
		close(shared->helper.answer[1]);
		close(shared->attacker.answer[1]);
		be_victim(&victim, kind);
	}
	pids[1] = start(&shared->attacker);
	if (!pids[1]) {
		become(ATTACKER);
		serve(&shared->attacker, attack);
	}
	close(shared->helper.order[0]);
	close(shared->helper.answer[1]);
	if (kind->root)
		watch_cpu();
	done = run_phases(&victim);
	if (kind->root)
		take_secret_counts();
	kill(pids[0], SIGKILL);
	kill(pids[1], SIGKILL);
	while (wait(NULL) > 0)
		;
	TH_LOG("the victim counted %llu, the attacker saw up to %llu",
	       (unsigned long long)shared->counted, (unsigned long long)shared->highest);
	/* Check this first: an attacker without counters may have the right to RDPMC. */
	ASSERT_EQ(0, shared->leak[0])
		TH_LOG("%s", shared->leak);
	if (!done && shared->skip[0])
		SKIP(return, "%s", shared->skip);
	ASSERT_TRUE(done)
		TH_LOG("line %d has failed", shared->line);
	ASSERT_LE(counts ? shared->limit : 0, shared->counted);
	if (by != by_polling && has(PERFCTR_FEATURE_RDPMC)) {
		ASSERT_NE(0, shared->reads)
			TH_LOG("the attacker could read no counter");
	}
	if (!shared->had) {
		/* Events of root may have all counters. */
		ASSERT_TRUE(kind->root || !needs_pmu());
		SKIP(return, "the attacker had no counter");
	}
}

TEST_F(secret, event)
{
	steal(_metadata, &variant->victim, by_event);
}

TEST_F(secret, late_mapping)
{
	steal(_metadata, &variant->victim, by_late_mapping);
}

TEST_F(secret, enabled_again)
{
	steal(_metadata, &variant->victim, by_enabling);
}

TEST_F(secret, equal_event)
{
	steal(_metadata, &variant->victim, by_equal_event);
}

TEST_F(secret, pair)
{
	steal(_metadata, &variant->victim, by_pair);
}

TEST_F(secret, error)
{
	steal(_metadata, &variant->victim, by_error);
}

TEST_F(secret, control)
{
	steal(_metadata, &variant->victim, by_control);
}

TEST_F(secret, control_before)
{
	steal(_metadata, &variant->victim, by_control_before);
}

TEST_F(secret, claimed_again)
{
	steal(_metadata, &variant->victim, by_claiming_again);
}

TEST_F(secret, interrupting)
{
	steal(_metadata, &variant->victim, by_interrupting);
}

TEST_F(secret, fixed)
{
	steal(_metadata, &variant->victim, by_fixed);
}

TEST_F(secret, both)
{
	steal(_metadata, &variant->victim, by_both);
}

TEST_F(secret, moved)
{
	steal(_metadata, &variant->victim, by_move);
}

TEST_F(secret, mapped_elsewhere)
{
	steal(_metadata, &variant->victim, by_mapping_elsewhere);
}

TEST_F(secret, exec)
{
	steal(_metadata, &variant->victim, by_exec);
}

TEST_F(secret, fork)
{
	steal(_metadata, &variant->victim, by_fork);
}

TEST_F(secret, passed)
{
	steal(_metadata, &variant->victim, by_passing);
}

TEST_F(secret, polled)
{
	steal(_metadata, &variant->victim, by_polling);
}

TEST_HARNESS_MAIN
