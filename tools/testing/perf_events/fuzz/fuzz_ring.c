// SPDX-License-Identifier: GPL-2.0
/*
 * Positions in a ring of records. The input is the size of the ring, the lengths of records, the
 * steps at which other writers interrupt, and the times at which the reader reads.
 */
#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>

#include "fuzz.h"
#include "../ring_model.h"

static struct fuzz_input plan;

static void model_interrupt(struct ring_model *model)
{
	u8 what;

	if (!plan.left)
		return;
	what = fuzz_take(&plan, 1);
	if ((what & 15) == 1 && !model->ring.overwrite) {
		model_read(model, true);
		if (what & 16)
			model->page.data_tail = model->read;
	}
	if (model->level < MODEL_LEVELS && (what & 15) == 2) {
		model->words[model->level] = 1 + (what >> 4) * (what & 128 ? 3 : 1);
		model_write(model);
	}
}

int fuzz_one_input(const u8 *data, size_t size)
{
	static struct ring_model model;
	unsigned long start;
	u8 how;

	plan = (struct fuzz_input){ data, min_t(size_t, size, 512) };
	how = fuzz_take(&plan, 1);
	start = (s64)(int)fuzz_take(&plan, 2) * 8;
	if (how & 128)
		start = -start;
	model_reset(&model, 64UL << (how & 3), start);
	model.backward = how & 4;
	model.consume = how & 8;
	model.is_shared = how & 64;
	model.ring.overwrite = (how & 48) == 48;
	model.ring.watermark = 1 + fuzz_take(&plan, 1) % model.ring.size;
	local_set(&model.ring.mark, model.backward ? -start : start);

	while (plan.left && !model.fault) {
		model.words[0] = 1 + fuzz_take(&plan, 1) % 40;
		model_write(&model);
		model_settle(&model);
	}
	if (model.fault) {
		fprintf(stderr, "%s: size %lu, %s, record %lu\n", model.fault, model.ring.size,
			model.backward ? "backward" : "forward", model.attempts);
		abort();
	}
	return 0;
}
