// SPDX-License-Identifier: GPL-2.0
/*
 * Traces of the branch trace store: each branch while an event runs becomes one record in the AUX
 * area, in order. Branches at other times, or of an excluded privilege level, have no record.
 */
#include "x86_bts.h"

static void aux_start(struct perf_event *event, bool overwrite, bool kernel)
{
	int i;

	memset(&aux, 0, sizeof(aux));
	for (i = 0; i < AUX_PAGES; i++)
		aux.pages[i] = aux.memory[i];
	aux.watermark = AUX_SIZE / 2;
	aux.overwrite = overwrite;
	*event = (struct perf_event){
		.pmu = &bts_pmu, .cpu = -1, .attr.exclude_kernel = !kernel,
	};
	assert(!bts_pmu.event_init(event));
	aux.area = bts_pmu.setup_aux(event, aux.pages, AUX_PAGES, overwrite);
}

/* Return the record at an offset of the area. */
static struct x86_bts_record aux_record(unsigned long offset)
{
	struct x86_bts_record record;

	memcpy(&record, (u8 *)aux.memory + offset, sizeof(record));
	return record;
}

static void aux_read(void)
{
	while (aux.tail != aux.head) {
		unsigned long offset = aux.tail % AUX_SIZE;
		struct x86_bts_record record;

		if (AUX_SIZE - offset < sizeof(record)) {
			aux.tail += AUX_SIZE - offset;
			continue;
		}
		record = aux_record(offset);
		check_branch(record.from, record.to);
		aux.tail += sizeof(record);
	}
}

static bool aux_is_right(void)
{
	bool ok = !is_wrong && !machine.lost && !machine.unknown && !machine.swallowed &&
		  !harness_warned && !aux.open && !aux.partial;

	if (!ok)
		printf("# %llu branches lost, %lu unknown, %lu swallowed\n",
		       (unsigned long long)machine.lost, machine.unknown, machine.swallowed);
	return ok;
}

/* A reader that is woken at the watermark gets all branches. */
static bool traces_all(u64 seed, u32 lacking)
{
	struct perf_event event;
	bool ok = true;
	int i;

	start(seed, lacking);
	aux_start(&event, false, false);
	for (i = 0; i < 20 && ok; i++) {
		unsigned long woken = aux.woken;

		machine_run(machine_random(300));
		ok &= is_off();
		expected = machine.jumps + 1;
		ok &= !bts_pmu.add(&event, PERF_EF_START);
		while (machine_random(50) && ok) {
			machine_run(machine_random(100));
			if (aux.woken == woken)
				continue;
			woken = aux.woken;
			ok &= aux.head - aux.tail <= AUX_SIZE / 2 +
			      (X86_BTS_LEAST + 1) * sizeof(struct x86_bts_record);
			aux_read();
		}
		bts_pmu.del(&event, 0);
		ok &= is_off() && !aux.truncated;
		aux_read();
		ok &= aux_is_right() && expected == machine.jumps + 1;
	}
	bts_pmu.free_aux(aux.area);
	return ok;
}

static bool traces_all_seeds(u32 lacking)
{
	u64 seed;

	for (seed = 1; seed <= 100; seed++) {
		if (!traces_all(seed, lacking))
			return false;
	}
	return true;
}

/*
 * If the reader is too slow, the area is full: the trace ends with a flag. It continues when the
 * event is added again.
 */
static bool slow_reader(void)
{
	struct perf_event event;
	u64 before;
	bool ok;

	start(1, 0);
	aux_start(&event, false, false);
	expected = machine.jumps + 1;
	before = expected;
	ok = !bts_pmu.add(&event, PERF_EF_START);
	machine_run(20000);
	ok &= aux.truncated && is_off() && !x86_event_runs(&event) && !aux.open;
	aux_read();
	ok &= expected - before == AUX_SIZE / sizeof(struct x86_bts_record);
	bts_pmu.del(&event, 0);
	aux.truncated = false;
	expected = machine.jumps + 1;
	ok &= !bts_pmu.add(&event, PERF_EF_START);
	machine_run(300);
	bts_pmu.del(&event, 0);
	aux_read();
	ok &= !aux.truncated && aux_is_right() && expected == machine.jumps + 1;
	/* Without any free space the event is not added. */
	aux.tail = aux.head - AUX_SIZE;
	ok &= bts_pmu.add(&event, PERF_EF_START) == -EINVAL && aux.full && is_off();
	ok &= !x86_pmu_cpu.bts.event;
	aux.area = NULL;
	aux.tail = aux.head;
	ok &= bts_pmu.add(&event, PERF_EF_START) == -EINVAL;
	aux.open = false;
	return ok && aux_is_right();
}

/* In overwrite mode the area has the newest branches before the head. */
static bool overwrites(void)
{
	const unsigned long n = AUX_SIZE / sizeof(struct x86_bts_record);
	struct perf_event event;
	bool ok = true;
	u64 seed;

	for (seed = 1; seed <= 30 && ok; seed++) {
		unsigned long at, i, had = 0;

		start(seed, 0);
		aux_start(&event, true, false);
		for (i = 0; i < 3; i++) {
			ok &= !bts_pmu.add(&event, PERF_EF_START);
			machine_run(machine_random(10000));
			bts_pmu.del(&event, 0);
			ok &= is_off();
			had = min(machine.jumps, n);
			expected = machine.jumps + 1 - had;
			at = aux.head / sizeof(struct x86_bts_record) + n - had;
			ok &= aux.head % sizeof(struct x86_bts_record) == 0;
			for (; had && ok; had--, at++) {
				struct x86_bts_record record;

				record = aux_record(at % n * sizeof(record));
				check_branch(record.from, record.to);
			}
		}
		ok &= aux_is_right();
		bts_pmu.free_aux(aux.area);
	}
	return ok;
}

/* An event that includes the kernel traces branches of the kernel and of user space. */
static bool traces_kernel(void)
{
	struct perf_event event, other;
	u64 offset, n = 0;
	bool ok;

	start(1, 0);
	aux_start(&event, false, true);
	other = event;
	ok = !bts_pmu.add(&event, PERF_EF_START);
	ok &= bts_pmu.add(&other, PERF_EF_START) == -EBUSY;
	machine_run(500);
	bts_pmu.del(&event, 0);
	for (offset = 0; offset < aux.head; offset += sizeof(struct x86_bts_record))
		n += x86_is_kernel(aux_record(offset).from);
	ok &= n && n < aux.head / sizeof(struct x86_bts_record);
	/* An event that excludes user space, on a CPU that does not filter by privilege level */
	start(1, BIT(X86_FEATURE_DSCPL));
	aux_start(&event, false, true);
	event.attr.exclude_user = true;
	ok &= !bts_pmu.add(&event, PERF_EF_START);
	machine_run(500);
	bts_pmu.del(&event, 0);
	ok &= aux.head > 0;
	for (offset = 0; offset < aux.head; offset += sizeof(struct x86_bts_record)) {
		struct x86_bts_record record = aux_record(offset);

		ok &= x86_is_kernel(record.from) || x86_is_kernel(record.to);
	}
	/* A CPU that filters does not write the branches of the user. */
	start(1, 0);
	aux_start(&event, false, true);
	event.attr.exclude_user = true;
	ok &= !bts_pmu.add(&event, PERF_EF_START);
	run_user(4 * X86_BTS_RECORDS);
	ok &= !machine.sent && !machine.lost;
	bts_pmu.del(&event, 0);
	return ok && aux_is_right();
}

/* The free space ends within the area: records that were not read are kept. */
static bool little_room(void)
{
	const unsigned long n = AUX_SIZE / sizeof(struct x86_bts_record), read = 100;
	struct perf_event event;
	unsigned long i;
	bool ok;

	start(1, 0);
	aux_start(&event, false, false);
	aux.watermark = AUX_SIZE;
	/* A stop at the end of the space does not look for more. */
	machine.held = true;
	ok = !bts_pmu.add(&event, PERF_EF_START);
	run_user(n + 1);
	bts_pmu.del(&event, 0);
	machine.held = false;
	ok &= aux.head == n * sizeof(struct x86_bts_record) && !aux.full && !aux.truncated;
	aux.tail = read * sizeof(struct x86_bts_record);
	expected = 1;
	ok &= !bts_pmu.add(&event, PERF_EF_START);
	machine_run(1000);
	bts_pmu.del(&event, 0);
	ok &= aux.truncated && aux.head == AUX_SIZE + aux.tail;
	/* The records that were not read are those of the first run. */
	expected = read + 1;
	for (i = read; i < n; i++) {
		struct x86_bts_record record = aux_record(i * sizeof(record));

		check_branch(record.from, record.to);
	}
	bts_pmu.free_aux(aux.area);
	return ok && aux_is_right();
}

/* While the interrupt is blocked for long, the buffer is filled: a flag shows the gap. */
static bool has_gap(void)
{
	struct perf_event event;
	bool ok = true;
	int i;

	start(1, 0);
	aux_start(&event, true, false);
	for (i = 0; i < 2; i++) {
		aux.partial = false;
		ok &= !bts_pmu.add(&event, PERF_EF_START);
		machine.held = true;
		run_user(X86_BTS_RECORDS - 1 + 3 * i);
		machine.held = false;
		ok &= machine.pending && machine.lost == i;
		machine_take_interrupt();
		run_user(100);
		bts_pmu.del(&event, 0);
		ok &= aux.partial == i && !aux.truncated && is_off() && !aux.open;
	}
	bts_pmu.free_aux(aux.area);
	return ok && !machine.unknown && !harness_warned;
}

int main(void)
{
	ktap_plan(6);
	ktap_result(traces_all_seeds(0) && traces_all_seeds(BIT(X86_FEATURE_DSCPL)), "traces_all");
	ktap_result(slow_reader(), "slow_reader");
	ktap_result(little_room(), "little_room");
	ktap_result(has_gap(), "has_gap");
	ktap_result(overwrites(), "overwrites");
	ktap_result(traces_kernel(), "traces_kernel");
	return ktap_end();
}
