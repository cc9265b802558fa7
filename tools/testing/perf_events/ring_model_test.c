// SPDX-License-Identifier: GPL-2.0
/*
 * The ring of records, with the kernel's source (kernel/events/record/ring.h and ring_shared.h).
 * First, writers interrupt one another at each possible step, up to three deep, with full rings and
 * watermarks. Then writers interrupt one another at random, and a reader frees space at any time.
 */
#include <limits.h>

#include "harness.h"

struct perf_event_mmap_page {
	u64	data_head;
	u64	data_tail;
};

#include "ring_model.h"

/* A writer that is not interrupted takes fewer steps than this. */
#define MODEL_STEPS	24

static struct ring_model the_model, *model = &the_model;
static bool failed;		/* the running case */
static u64 seed = 88172645463325252ULL;
static unsigned int odds;	/* one step in @odds is interrupted; 0: as planned */

static unsigned int below(unsigned int n)
{
	return harness_random(&seed) % n;
}

static void interrupt_at_random(void)
{
	/* The reader is on another CPU, so it may read at any step. */
	if (!below(16) && !model->ring.overwrite) {
		model_read(model, true);
		if (below(2))
			model->page.data_tail = model->read;
	}
	if (model->level < MODEL_LEVELS && !below(odds)) {
		model->words[model->level] = 1 + below(below(8) ? 6 : 40);
		model_write(model);
	}
}

static void model_interrupt(struct ring_model *unused)
{
	int level = model->level - 1;

	if (odds)
		interrupt_at_random();
	else if (model->level < MODEL_LEVELS && model->steps[level]++ == model->plan[level])
		model_write(model);
}

#define expect(cond) do {						\
	if (!(cond) && !failed)						\
		ktap_note("line %d: %s does not hold", __LINE__, #cond); \
	failed |= !(cond);						\
} while (0)

/* Report the fault of the model, if any. The first fault fails the case. */
static void check_model(void)
{
	if (!model->fault)
		return;
	if (!failed)
		ktap_note("%s: size %lu, %s, %s, %s, plan %d %d %d, %lu records",
			  model->fault, model->ring.size, model->is_shared ? "shared" : "alone",
			  model->backward ? "backward" : "forward",
			  model->ring.overwrite ? "overwrite" : "with tail",
			  model->plan[0], model->plan[1], model->plan[2], model->attempts);
	failed = true;
}

/* Write some records, then one with nested writers, free space, and write one more. */
static void run_plan(unsigned long start, unsigned int way, unsigned int before,
		     const int plan[3])
{
	static const unsigned int words[MODEL_LEVELS] = { 2, 1, 3, 2 };
	unsigned int i;

	model_reset(model, 64, start);
	model->backward = way & 1;
	model->ring.overwrite = way & 2;
	model->is_shared = way & 4;
	model->ring.watermark = 24;
	local_set(&model->ring.mark, model->backward ? -start : start);
	memcpy(model->words, words, sizeof(words));
	memset(model->plan, -1, sizeof(model->plan));

	for (i = 0; i < before; i++)
		model_write(model);
	memcpy(model->plan, plan, 3 * sizeof(*plan));
	model_write(model);
	model->consume = true;
	model_settle(model);
	memset(model->plan, -1, sizeof(model->plan));
	model_write(model);
	model_settle(model);
	if (model->fault)
		memcpy(model->plan, plan, 3 * sizeof(*plan));
	check_model();
}

/* Return: whether the writer had the planned step, and was interrupted at it. */
static bool plan_happened(unsigned int before)
{
	return model->attempts > before + 2;
}

static void ring_one_interrupted(void)
{
	unsigned int way, before, place;
	int plan[3] = { -1, -1, -1 };

	for (way = 0; way < 8; way++) {
		for (place = 0; place < 64; place += 8) {
			for (before = 0; before < 5; before++) {
				for (plan[0] = 0; plan[0] < MODEL_STEPS; plan[0]++) {
					run_plan(place, way, before, plan);
					if (!plan_happened(before))
						break;
				}
				expect(plan[0] < MODEL_STEPS);
				/* Positions wrap at the end of an unsigned long. */
				plan[0] = 4;
				run_plan(place - 64, way, before, plan);
			}
		}
	}
}

static void ring_two_interrupted(void)
{
	unsigned int way, before, place;
	int plan[3] = { -1, -1, -1 };

	for (way = 0; way < 8; way++) {
		for (place = 0; place < 64; place += 8) {
			for (before = 0; before < 4; before++) {
				for (plan[0] = 0; plan[0] < 18; plan[0]++) {
					for (plan[1] = 0; plan[1] < 18; plan[1]++)
						run_plan(place, way, before, plan);
				}
			}
		}
	}
}

static void ring_three_interrupted(void)
{
	unsigned int way;
	int plan[3];

	for (way = 0; way < 8; way++) {
		for (plan[0] = 0; plan[0] < 18; plan[0]++) {
			for (plan[1] = 0; plan[1] < 18; plan[1]++) {
				for (plan[2] = 0; plan[2] < 18; plan[2]++)
					run_plan(way & 1 ? 24 : 48, way, 1, plan);
			}
		}
	}
}

static void ring_full(void)
{
	unsigned int way, i;

	for (way = 0; way < 4; way++) {
		model_reset(model, 64, 16);
		model->backward = way & 1;
		model->is_shared = way & 2;
		model->ring.watermark = ULONG_MAX;
		memset(model->plan, -1, sizeof(model->plan));
		model->words[0] = 2;
		for (i = 0; i < 10; i++)
			model_write(model);
		/* The ring is never entirely full: it has space for 3 records of 16 bytes. */
		model_settle(model);
		expect(model->got == 3);
		expect(model->told_lost == 0);
		expect(local_read(&model->ring.lost) == 7);

		model->page.data_tail = model->read;
		/*
		 * A record of 5 words would fill the ring entirely, because a
		 * LOST record precedes it.
		 */
		model->words[0] = 5;
		model_write(model);
		expect(local_read(&model->ring.lost) == 8);
		model->words[0] = 4;
		model_write(model);
		model_settle(model);
		expect(model->got == 4);
		expect(model->told_lost == 8);
		expect(local_read(&model->ring.lost) == 0);
		check_model();

		/*
		 * A record that is larger than the ring is refused in
		 * overwrite mode, too.
		 */
		model->ring.overwrite = true;
		model->words[0] = 8;
		model_write(model);
		expect(local_read(&model->ring.lost) == 1);
	}
}

static void ring_watermark(void)
{
	unsigned int backward, i, woken;

	for (backward = 0; backward < 2; backward++) {
		model_reset(model, 256, 0);
		model->backward = backward;
		model->consume = true;
		model->ring.watermark = 40;
		memset(model->plan, -1, sizeof(model->plan));
		model->words[0] = 2;
		for (i = 1; i <= 100; i++) {
			model_write(model);
			model_settle(model);
			/* Each record that crosses a multiple of 40 bytes wakes the reader. */
			woken = (i * 16 - 1) / 40;
			expect(local_read(&model->ring.wakeups) == woken);
		}
		check_model();
	}
}

static void run_at_random(void)
{
	unsigned long start = (below(2) ? 8UL : -8UL) * below(1024);
	unsigned int i;

	model_reset(model, 64UL << below(7), start);
	model->backward = below(2);
	model->is_shared = below(2);
	model->consume = below(4);
	model->ring.overwrite = !below(4);
	model->ring.watermark = 1 + below(model->ring.size);
	local_set(&model->ring.mark, model->backward ? -start : start);
	odds = 2 + below(60);
	for (i = 0; i < 200 && !model->fault; i++) {
		model->words[0] = 1 + below(below(8) ? 6 : 40);
		model_write(model);
		model_settle(model);
	}
	odds = 0;
}

static double seconds;

static void ring_at_random(void)
{
	u64 records = 0, lost = 0;
	time_t end = time(NULL) + (time_t)seconds + 1;

	while (time(NULL) < end && !failed) {
		u64 seed_of_run = seed;

		run_at_random();
		check_model();
		records += model->attempts;
		lost += model->told_lost;
		if (failed)
			ktap_note("seed %llu", (unsigned long long)seed_of_run);
	}
	ktap_note("%llu records, %llu in LOST records", (unsigned long long)records,
		  (unsigned long long)lost);
}

static void test(const char *name, void (*func)(void))
{
	failed = false;
	func();
	ktap_result(!failed, name);
}

int main(int argc, char **argv)
{
	seconds = harness_seconds(argc, argv);
	ktap_plan(6);
	test("a full ring", ring_full);
	test("wakeups at a watermark", ring_watermark);
	test("a writer that is interrupted at each step", ring_one_interrupted);
	test("a writer whose interrupt is interrupted", ring_two_interrupted);
	test("three nested interrupts", ring_three_interrupted);
	test("interrupts at random", ring_at_random);
	return ktap_end();
}
