// SPDX-License-Identifier: GPL-2.0
/*
 * Compare groups and lifetimes with a model: every short sequence of operations on three events of
 * a child, and long random ones. After each operation the child does work, and each event must have
 * the count of the model. The test prints the shortest sequence that fails. PE_MODEL_DEPTH=n sets
 * the length of the exhaustive sequences, which is 2 with PE_PERCENT below 50, else 3;
 * PE_MODEL_RANDOM=n the number of random ones,
 * PE_MODEL_SECONDS=n their time limit, and PE_MODEL_SEED=n their seed.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "../kselftest_harness.h"
#include "pe_fuzz.h"
#include "pe_lib.h"
#include "pe_rounds.h"
#include "pe_sim.h"

#define EVENTS		3
#define LONG		24
#define FAULTS		3
#define STEPS		5

/**
 * struct kind - kind of one of the three events
 * @sim: the event counts steps, not page faults
 * @disabled: opened disabled
 * @at_exec: enable_on_exec
 * @until_exec: remove_on_exec
 */
struct kind {
	bool sim, disabled, at_exec, until_exec;
};

/*
 * The first event leads the others, if it is open when they are opened. No page fault event leads
 * an event that counts steps: some kernels enable such a leader again when the member joins.
 */
static const struct kind worlds[][EVENTS] = {
	{ { 0 }, { 0 }, { 0 } },
	{ { .sim = 1 }, { .sim = 1 }, { .sim = 1 } },
	{ { 0 }, { .until_exec = 1 }, { .disabled = 1 } },
	{ { .sim = 1 }, { 0 }, { .sim = 1, .disabled = 1 } },
	{ { .disabled = 1, .at_exec = 1 }, { 0 }, { 0 } },
	{ { .sim = 1, .disabled = 1, .at_exec = 1 }, { .sim = 1, .until_exec = 1 }, { 0 } },
	{ { .sim = 1, .until_exec = 1 }, { .sim = 1 }, { .disabled = 1, .at_exec = 1 } },
};

/**
 * struct model - the expected state of one event
 * @fd: file descriptor of the real event, or -1
 * @map: its buffer, or NULL
 * @leader: index of its leader; its own index if it leads
 * @on: enabled
 * @dead: its task has exited, or exec has removed it
 * @at_exec: exec will enable it
 * @count: expected count
 */
struct model {
	int fd;
	void *map;
	int leader;
	bool on, dead, at_exec;
	__u64 count;
};

/**
 * struct world - the events and their child
 * @kinds: kinds of the events
 * @events: the model of each
 * @child: the child that the events count
 * @exited: the child has exited
 */
struct world {
	const struct kind *kinds;
	struct model events[EVENTS];
	struct pe_child child;
	bool exited;
};

static bool have_sim;

/* Map the pages that the child touches later. */
static bool warm(struct world *w)
{
	int i;

	for (i = 0; i < 3; i++) {
		if (pe_child_do(&w->child, PE_FAULT, FAULTS) ||
		    (have_sim && pe_child_do(&w->child, PE_STEP, STEPS)))
			return false;
	}
	return true;
}

static void leave_group(struct world *w, int i)
{
	int j;

	for (j = 0; j < EVENTS; j++) {
		if (w->events[j].leader == i)
			w->events[j].leader = j;
	}
	w->events[i].leader = i;
}

static bool do_open(struct world *w, int i)
{
	const struct kind *kind = &w->kinds[i];
	struct model *m = &w->events[i], *first = &w->events[0];
	struct perf_event_attr attr = pe_attr(PERF_COUNT_SW_PAGE_FAULTS);
	bool joins = i && first->fd >= 0;
	int fd;

	if (m->fd >= 0)
		return true;
	if (kind->sim)
		attr = pe_sim_attr();
	else
		attr.exclude_kernel = 1;
	attr.disabled = kind->disabled;
	attr.enable_on_exec = kind->at_exec;
	attr.remove_on_exec = kind->until_exec;
	fd = pe_open(&attr, w->child.pid, -1, joins ? first->fd : -1, 0);
	if (w->exited || (joins && first->dead))
		return fd < 0;
	if (fd < 0)
		return false;
	*m = (struct model) {
		.fd = fd, .leader = joins ? 0 : i, .on = !kind->disabled,
		.at_exec = kind->at_exec,
	};
	return true;
}

static bool do_unmap(struct world *w, int i)
{
	if (w->events[i].map)
		munmap(w->events[i].map, 2 * sysconf(_SC_PAGESIZE));
	w->events[i].map = NULL;
	return true;
}

static bool do_close(struct world *w, int i)
{
	struct model *m = &w->events[i];

	if (m->fd < 0)
		return true;
	close(m->fd);
	/* A mapping keeps the file, so the event leads its group until it is unmapped. */
	do_unmap(w, i);
	leave_group(w, i);
	m->fd = -1;
	return true;
}

/* Enable or disable an event; with @group its whole group. */
static bool do_switch(struct world *w, int i, bool on, bool group)
{
	struct model *m = &w->events[i];
	int leader = m->leader, j;

	if (m->fd < 0)
		return true;
	for (j = 0; j < EVENTS; j++) {
		struct model *other = &w->events[j];

		if (other->fd >= 0 && (j == i || (group && other->leader == leader)))
			other->on = on;
	}
	return !pe_ioctl(m->fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE,
			 group ? PERF_IOC_FLAG_GROUP : 0);
}

static bool do_reset(struct world *w, int i)
{
	if (w->events[i].fd < 0)
		return true;
	w->events[i].count = 0;
	return !pe_ioctl(w->events[i].fd, PERF_EVENT_IOC_RESET, 0);
}

static bool do_exec(struct world *w)
{
	int i;

	if (w->exited)
		return true;
	for (i = 0; i < EVENTS; i++) {
		struct model *m = &w->events[i];

		if (m->fd < 0 || m->dead)
			continue;
		if (m->at_exec)
			m->on = true;
		m->at_exec = false;
		if (w->kinds[i].until_exec) {
			m->dead = true;
			leave_group(w, i);
		}
	}
	/* An exec causes many faults. */
	return !pe_child_do(&w->child, PE_EXEC, 0) && warm(w);
}

static bool do_exit(struct world *w)
{
	int i;

	if (w->exited)
		return true;
	w->exited = true;
	for (i = 0; i < EVENTS; i++)
		w->events[i].dead = true;
	return !pe_child_end(&w->child);
}

static bool do_map(struct world *w, int i)
{
	struct model *m = &w->events[i];

	if (m->fd < 0 || m->map)
		return true;
	m->map = mmap(NULL, 2 * sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE, MAP_SHARED,
		      m->fd, 0);
	if (m->map != MAP_FAILED)
		return true;
	m->map = NULL;
	/* A dead event, or one whose output is redirected, need not have a record. */
	return true;
}

static bool do_output(struct world *w, int i)
{
	if (w->events[i].fd >= 0 && w->events[0].fd >= 0)
		pe_ioctl(w->events[i].fd, PERF_EVENT_IOC_SET_OUTPUT, w->events[0].fd);
	return true;
}

enum { OPEN, CLOSE, ON, OFF, GROUP_ON, GROUP_OFF, RESET, EXEC, FORK, EXIT, MAP, UNMAP, OUTPUT };

/**
 * struct op - an operation
 * @name: name for messages
 * @what: kind of the operation
 * @event: the event
 */
struct op {
	const char *name;
	int what;
	int event;
};

static const struct op ops[] = {
	{ "open 0", OPEN, 0 }, { "open 1", OPEN, 1 }, { "open 2", OPEN, 2 },
	{ "close 0", CLOSE, 0 }, { "close 1", CLOSE, 1 },
	{ "enable 0", ON, 0 }, { "disable 0", OFF, 0 }, { "disable 1", OFF, 1 },
	{ "enable group of 1", GROUP_ON, 1 }, { "disable group of 1", GROUP_OFF, 1 },
	{ "exec", EXEC }, { "exit", EXIT }, { "reset 1", RESET, 1 },
	/* Only long sequences have the operations below. */
	{ "close 2", CLOSE, 2 }, { "enable 2", ON, 2 }, { "disable group of 0", GROUP_OFF, 0 },
	{ "fork", FORK }, { "map 0", MAP, 0 }, { "unmap 0", UNMAP, 0 }, { "map 1", MAP, 1 },
	{ "unmap 1", UNMAP, 1 }, { "output 1", OUTPUT, 1 }, { "output 2", OUTPUT, 2 },
};

#define SHORT_OPS	13
#define OPS		((int)PE_ARRAY_SIZE(ops))

static bool apply(struct world *w, const struct op *op)
{
	switch (op->what) {
	case OPEN:
		return do_open(w, op->event);
	case CLOSE:
		return do_close(w, op->event);
	case ON:
	case OFF:
		return do_switch(w, op->event, op->what == ON, false);
	case GROUP_ON:
	case GROUP_OFF:
		return do_switch(w, op->event, op->what == GROUP_ON, true);
	case RESET:
		return do_reset(w, op->event);
	case EXEC:
		return do_exec(w);
	case FORK:
		return w->exited || (!pe_child_do(&w->child, PE_FORK_FAULT, 1) && warm(w));
	case EXIT:
		return do_exit(w);
	case MAP:
		return do_map(w, op->event);
	case UNMAP:
		return do_unmap(w, op->event);
	default:
		return do_output(w, op->event);
	}
}

/* exec and fork cause an unknown number of faults: reset all counts. */
static void reset_counts(struct world *w)
{
	int i;

	for (i = 0; i < EVENTS; i++) {
		if (w->events[i].fd >= 0)
			w->events[i].count = pe_count(w->events[i].fd);
	}
}

static bool counts(const struct world *w, int i)
{
	const struct model *m = &w->events[i], *leader = &w->events[m->leader];

	return m->fd >= 0 && !m->dead && m->on && leader->on;
}

static bool work_and_compare(struct world *w)
{
	__u64 count;
	int i;

	if (!w->exited && (pe_child_do(&w->child, PE_FAULT, FAULTS) ||
			   (have_sim && pe_child_do(&w->child, PE_STEP, STEPS))))
		return false;
	for (i = 0; i < EVENTS; i++) {
		struct model *m = &w->events[i];

		if (m->fd < 0)
			continue;
		if (counts(w, i))
			m->count += w->kinds[i].sim ? STEPS : FAULTS;
		count = pe_count(m->fd);
		if (count == m->count)
			continue;
		ksft_print_msg("event %d: counted %llu, expected %llu\n", i,
			       (unsigned long long)count, (unsigned long long)m->count);
		return false;
	}
	return true;
}

/*
 * Run a sequence. Return: whether all counts were as in the model. All events are closed
 * afterwards.
 */
static bool run(const struct kind *kinds, const int *seq, int n)
{
	static struct world w;
	static bool running;
	bool ok = true;
	int i;

	if (!running && pe_child_start(&w.child))
		return false;
	if (!running && (pe_child_do(&w.child, PE_MOVE, 0) || !warm(&w)))
		return false;
	running = true;
	w.kinds = kinds;
	w.exited = false;
	for (i = 0; i < EVENTS; i++)
		w.events[i] = (struct model) { .fd = -1, .leader = i };
	for (i = 0; i < n && ok; i++) {
		ok = apply(&w, &ops[seq[i]]);
		if (ops[seq[i]].what == EXEC || ops[seq[i]].what == FORK ||
		    ops[seq[i]].what == EXIT)
			reset_counts(&w);
		ok = ok && work_and_compare(&w);
	}
	for (i = 0; i < EVENTS; i++)
		do_close(&w, i);
	running = !w.exited;
	return ok;
}

/* Remove operations without which the sequence still fails, and print the rest. */
static void report(int world, int *seq, int n)
{
	int i;

	for (i = 0; i < n;) {
		int shorter[LONG];

		memcpy(shorter, seq, i * sizeof(*seq));
		memcpy(shorter + i, seq + i + 1, (n - i - 1) * sizeof(*seq));
		if (run(worlds[world], shorter, n - 1)) {
			i++;
			continue;
		}
		memcpy(seq, shorter, --n * sizeof(*seq));
		i = 0;
	}
	ksft_print_msg("world %d:", world);
	for (i = 0; i < n; i++)
		printf(" %s%s", ops[seq[i]].name, i < n - 1 ? "," : "\n");
}

static bool possible(int world)
{
	int i;

	for (i = 0; i < EVENTS; i++) {
		if (worlds[world][i].sim && !have_sim)
			return false;
	}
	return true;
}

static int env(const char *name, int value)
{
	const char *text = getenv(name);

	return text ? atoi(text) : value;
}

/* Try all sequences that begin with an open: other operations have no effect before. */
static int all_of_length(int world, int n)
{
	int seq[LONG] = { }, i;

	for (;;) {
		if (!run(worlds[world], seq, n)) {
			report(world, seq, n);
			return 1;
		}
		for (i = n - 1; i >= 0 && ++seq[i] == SHORT_OPS; i--)
			seq[i] = 0;
		if (i < 0 || seq[0] > 2)
			return 0;
	}
}

FIXTURE(model) {
};

FIXTURE_SETUP(model)
{
	if (geteuid())
		SKIP(return, "needs root");
	have_sim = pe_sim_type() >= 0;
}

FIXTURE_TEARDOWN(model)
{
}

TEST_F(model, every_short_sequence)
{
	int depth = env("PE_MODEL_DEPTH", pe_rounds(100) < 50 ? 2 : 3), n, i;

	for (n = 1; n <= depth && n <= LONG; n++) {
		for (i = 0; i < PE_ARRAY_SIZE(worlds); i++) {
			if (possible(i))
				ASSERT_EQ(0, all_of_length(i, n));
		}
	}
}

TEST_F(model, long_random_sequences)
{
	int rounds = env("PE_MODEL_RANDOM", pe_rounds(300)), seq[LONG], i, j, done = 0;
	struct pe_rng r = { env("PE_MODEL_SEED", 1) };
	time_t end = time(NULL) + env("PE_MODEL_SECONDS", 60);

	for (i = 0; i < rounds && (!done || time(NULL) < end); i++) {
		int world = i % PE_ARRAY_SIZE(worlds);

		if (!possible(world))
			continue;
		for (j = 0; j < LONG; j++)
			seq[j] = pe_below(&r, j < 3 ? 3 : OPS);
		done++;
		if (!run(worlds[world], seq, LONG)) {
			report(world, seq, LONG);
			ASSERT_EQ(0, 1);
		}
	}
	EXPECT_LT(0, done);
}

TEST_HARNESS_MAIN
