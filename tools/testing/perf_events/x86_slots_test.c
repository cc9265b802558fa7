// SPDX-License-Identifier: GPL-2.0
/* Topdown metrics: shares of the slots, while events are added and removed */
#include "x86_kernel.h"

/* Called at each division of the driver; NULL: divisions take no time */
static void (*in_division)(void);

static u64 divide(u64 value, u32 mul, u32 div)
{
	if (in_division)
		in_division();
	return (__uint128_t)value * mul / div;
}

#undef mul_u64_u32_div
#define mul_u64_u32_div	divide

#include "x86_events.h"

static const struct x86_limit slots_limits[] = {
	X86_LIMIT_NAME(0x04, 2),
	X86_LIMIT_END
};

static const struct x86_model slots_model = {
	.name = "slots", .limits = slots_limits, .config_mask = X86_RAW_EVENT_MASK,
	.metrics = MACHINE_SHARES,
};

static void open_slots(int i, u64 config, bool user)
{
	struct perf_event_attr attr = { .config = config, .exclude_kernel = user };
	struct counted *c = &counted[i];

	*c = (struct counted){ };
	c->event.attr = attr;
	c->event.attr.type = PERF_TYPE_RAW;
	c->event.pmu = &core.pmu;
	c->event.cpu = -1;
	c->event.group_leader = &counted[0].event;
	c->event.hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	assert(!x86_event_init(&c->event));
}

/* Start the machine, and open an event of slots. */
static void open_first(bool user, u64 seed, u64 max_period)
{
	row = &slots_model;
	start_machine(&with_control, seed, max_period);
	core.metrics = core.model->metrics;
	open_slots(0, 0x0400, user);
}

/* Start the machine, and open events of slots and of all metrics. */
static void open_shares(bool user, u64 seed)
{
	int i;

	open_first(user, seed, 4000);
	for (i = 0; i < MACHINE_SHARES; i++)
		open_slots(1 + i, 0x8000 + 0x100 * i, user);
}

/*
 * Is the count of each metric right? PERF_METRICS has a byte for each metric, so the error may be
 * half a 255th of the slots. For each of the @pieces, rounding adds some slots. Without @user, an
 * unknown number of the driver's instructions adds more.
 */
static bool shares_are_right(const u64 *truth, unsigned long pieces, bool user)
{
	u64 slots = local64_read(&counted[0].event.count);
	int i;

	if (!is_right(&counted[0]))
		return false;
	for (i = 0; i < MACHINE_SHARES; i++) {
		s64 off = local64_read(&counted[1 + i].event.count) - truth[i];

		if (off < 0)
			off = -off;
		if (off <= (s64)(slots / 500 + (user ? 10 : 80) * pieces))
			continue;
		printf("# share %d is off by %lld of %llu slots in %lu pieces\n", i, (long long)off,
		       (unsigned long long)slots, pieces);
		return false;
	}
	return true;
}

static bool shares(bool user, u64 seed)
{
	u64 truth[MACHINE_SHARES] = { }, before;
	unsigned long pieces = 0;
	int i, j, n = 1 + MACHINE_SHARES;
	bool on = false;

	open_shares(user, seed);
	for (i = 0; i < 500; i++) {
		struct section at = now();

		machine.share = machine_random(MACHINE_SHARES);
		perf_pmu_disable(&core.pmu);
		if (on && machine_random(2)) {
			for (j = 0; j < n; j++)
				remove_event(&counted[j], at);
			on = false;
		} else if (!on) {
			u64 added = 0;

			add_group(GENMASK_ULL(n - 1, 0), &added, at);
			on = added == GENMASK_ULL(n - 1, 0);
			assert(on);
		}
		perf_pmu_enable(&core.pmu);
		for (j = 0; j < n && on; j++) {
			if (counted[j].on)
				continue;
			counted[j].on = true;
			has_begun(&counted[j], at);
		}
		before = user ? machine.user : machine.all;
		machine_run(machine_random(20) ? machine_random(3000) : 200000);
		if (on) {
			truth[machine.share] += (user ? machine.user : machine.all) - before;
			pieces++;
		}
		if (!is_page_right(&counted[0]))
			return false;
		for (j = 0; j < n && on && machine_random(2); j++)
			core.pmu.read(&counted[j].event);
		if (!on && !shares_are_right(truth, pieces, user))
			return false;
	}
	return !harness_warned;
}

static bool shares_of_slots(void)
{
	u64 seed;

	for (seed = 1; seed < 20; seed++) {
		if (!shares(seed % 2, seed)) {
			printf("# seed %llu\n", (unsigned long long)seed);
			return false;
		}
	}
	return true;
}

/* Start the machine, with events of slots and of all metrics on the counter of slots. */
static void start_shares(bool user, u64 seed)
{
	int i, n = 1 + MACHINE_SHARES;
	struct section at;
	u64 added = 0;

	open_shares(user, seed);
	at = now();
	perf_pmu_disable(&core.pmu);
	add_group(GENMASK_ULL(n - 1, 0), &added, at);
	perf_pmu_enable(&core.pmu);
	for (i = 0; i < n; i++) {
		counted[i].on = true;
		has_begun(&counted[i], at);
	}
}

/* Run a program for a time, in which the counter of slots gets near to @value. */
static void run_long(u64 value)
{
	u64 n = value - machine.counter[MACHINE_SLOTS];

	machine.counter[MACHINE_SLOTS] = value;
	machine.shares[machine.share] += n;
	machine.user += n;
	machine.all += n;
	jiffies += 3600 * HZ;
}

/* Remove the events. Are the counts right, if all slots were of one category? */
static bool end_shares(bool user, u64 before, unsigned long pieces)
{
	u64 truth[MACHINE_SHARES] = { };
	struct section at = now();
	int i;

	perf_pmu_disable(&core.pmu);
	for (i = 0; i < 1 + MACHINE_SHARES; i++)
		remove_event(&counted[i], at);
	perf_pmu_enable(&core.pmu);
	truth[machine.share] = (user ? machine.user : machine.all) - before;
	return shares_are_right(truth, pieces, user) && !machine.unknown && !harness_warned;
}

/*
 * The counter of slots wraps after hours without a read. @reads: mask of the events that are read
 * between the wrap and the interrupt.
 */
static bool wraps(bool user, u64 reads, u64 seed)
{
	u64 before;
	int i;

	start_shares(user, seed);
	before = user ? machine.user : machine.all;
	machine_run(1000);
	machine_take_interrupt();
	run_long(GENMASK_ULL(MACHINE_WIDTH - 1, 0) - 50);
	if (!is_page_right(&counted[0]))
		return false;
	machine.held = true;
	run_user(200);
	assert(machine.counter[MACHINE_SLOTS] < 1000 && machine.pending);
	for_each_x86_counter(i, reads)
		core.pmu.read(&counted[i].event);
	if (reads && (u64)local64_read(&counted[__ffs64(reads)].event.count) < BIT_ULL(30)) {
		printf("# the wrap is missing in event %lu\n", __ffs64(reads));
		return false;
	}
	machine.held = false;
	machine_run(200);
	return end_shares(user, before, 10);
}

static bool slots_wrap(void)
{
	u64 seed;

	for (seed = 1; seed < 100; seed++) {
		/* All slots are of the first category, whose metric is event 1. */
		if (wraps(seed % 2, 0, seed) && wraps(seed % 2, BIT_ULL(0), seed) &&
		    wraps(seed % 2, BIT_ULL(1), seed))
			continue;
		printf("# seed %llu\n", (unsigned long long)seed);
		return false;
	}
	return true;
}

/* An overflow from before the counter was set to 0 adds no slots. */
static bool stale_wrap(void)
{
	u64 before;

	start_shares(true, 1);
	before = machine.user;
	machine_run(1000);
	core.pmu.read(&counted[1].event);
	machine.status |= machine_bit(MACHINE_SLOTS);
	machine_send();
	machine_run(1000);
	return end_shares(true, before, 10);
}

/* The counter of slots restarts if a metric overflows, or if the counter is in its upper half. */
static bool slots_restart(void)
{
	u64 before;

	start_shares(true, 1);
	before = machine.user;
	run_long(BIT_ULL(MACHINE_WIDTH - 2));
	machine.status |= X86_METRICS_RUN;
	machine_send();
	machine_run(100);
	if (machine.counter[MACHINE_SLOTS] > 1000)
		return false;
	run_long(BIT_ULL(MACHINE_WIDTH - 1) + 10);
	open_slots(5, ANY_CODE, true);
	schedule_in(&counted[5]);
	if (machine.counter[MACHINE_SLOTS] > 1000)
		return false;
	return end_shares(true, before, 10);
}

static void take_time(void)
{
	int i;

	for (i = 0; i < 10; i++)
		machine_step();
}

/*
 * A read of a metric sets the counter of slots to 0. The computation of the metrics takes time, and
 * the counter counts the driver, but no slots are lost.
 */
static bool reads_lose_no_slots(void)
{
	u64 before, slots;
	int i;

	start_shares(false, 1);
	/* Accesses to registers take no time. */
	machine.quiet = true;
	in_division = take_time;
	core.pmu.read(&counted[0].event);
	slots = local64_read(&counted[0].event.count);
	before = machine.all;
	for (i = 0; i < 100; i++) {
		machine_run(100);
		core.pmu.read(&counted[1].event);
		if (machine.counter[MACHINE_SLOTS] >= 100)
			return false;
	}
	core.pmu.read(&counted[0].event);
	slots = local64_read(&counted[0].event.count) - slots;
	in_division = NULL;
	printf("# %llu of %llu slots\n", (unsigned long long)slots,
	       (unsigned long long)(machine.all - before));
	return slots == machine.all - before && !harness_warned;
}

/* Lowest step of a metric between two NMIs, and the count at the last NMI */
static s64 least_step, count_at_nmi;

/* Number of NMIs during a reset */
static unsigned long during_reset;

static void read_in_nmi(const struct counted *c, const struct perf_sample_data *data,
			const struct pt_regs *regs)
{
	s64 count;

	during_reset += x86_event_count(&counted[1].event)->seq % 2;
	core.pmu.read(&counted[1].event);
	count = local64_read(&counted[1].event.count);
	least_step = min(least_step, count - count_at_nmi);
	count_at_nmi = count;
}

/*
 * An NMI reads a metric while the slots counter is reset, when the slots since the last reset are
 * in no total yet: the count of the metric does not step back.
 */
static bool metrics_do_not_step_back(void)
{
	struct perf_event_attr attr = { .config = ANY_CODE, .sample_period = 101 };
	u64 seed;
	int i;

	least_step = 0;
	during_reset = 0;
	check_sample = read_in_nmi;
	for (seed = 1; seed <= 50; seed++) {
		start_shares(false, seed);
		assert(!open_event(&counted[5], &attr));
		schedule_in(&counted[5]);
		count_at_nmi = 0;
		for (i = 0; i < 10; i++) {
			machine_run(5000);
			core.pmu.read(&counted[1].event);
		}
	}
	check_sample = NULL;
	printf("# %lu reads during a reset\n", during_reset);
	return least_step >= 0 && during_reset && !harness_warned;
}

/* A program that can read PERF_METRICS does not see the metrics of others. */
static bool rdpmc_reads_no_other_metrics(void)
{
	bool ok;

	open_first(true, 1, GENMASK_ULL(30, 0));
	schedule_in(&counted[0]);
	run_user(1000);
	ok = machine_shares();
	schedule_out(&counted[0]);
	allow_reads();
	return ok && !machine_shares() && !harness_warned;
}

/*
 * A kernel thread runs in the address space of a program that can read PERF_METRICS, and an event
 * of slots counts the thread. Then the event is removed. Return: the metrics were not 0.
 */
static bool count_kernel_thread(void)
{
	bool ok;

	open_first(false, 1, GENMASK_ULL(30, 0));
	schedule_in(&counted[0]);
	allow_reads();
	in_kernel_thread = true;
	machine_step();
	ok = machine_shares();
	schedule_out(&counted[0]);
	return ok;
}

/* The event is removed while a kernel thread runs in the program's address space. */
static bool rdpmc_reads_no_kernel_metrics(void)
{
	bool ok = count_kernel_thread();

	x86_clear_kernel(&x86_pmu_cpu);
	in_kernel_thread = false;
	return ok && !machine_shares() && !harness_warned;
}

/*
 * A kernel thread runs in the program's address space. If the events count user mode only, the
 * program's own metrics stay readable.
 */
static bool rdpmc_reads_own_metrics(void)
{
	u64 metrics;

	open_first(true, 1, GENMASK_ULL(30, 0));
	schedule_in(&counted[0]);
	allow_reads();
	run_user(1000);
	metrics = machine_shares();
	in_kernel_thread = true;
	machine_step();
	x86_clear_kernel(&x86_pmu_cpu);
	in_kernel_thread = false;
	return metrics && machine_shares() == metrics && !harness_warned;
}

/* Slots are sampled, in @user mode only or not, on the counter that has counted metrics before. */
static bool rdpmc_reads_no_metrics_if_sampling(bool user)
{
	struct perf_event_attr attr = {
		.config = 0x0400, .sample_period = BIT(20), .exclude_kernel = user,
	};
	bool ok = count_kernel_thread();

	assert(!open_event(&counted[1], &attr));
	schedule_in(&counted[1]);
	ok = ok && machine_shares();
	x86_clear_kernel(&x86_pmu_cpu);
	in_kernel_thread = false;
	if (machine_shares())
		printf("# metrics %#llx of a kernel thread\n",
		       (unsigned long long)machine_shares());
	return ok && !machine_shares() && !harness_warned;
}

/*
 * A fixed counter has no filters, so an event with a filter needs a general counter. On CPUs with
 * metrics, an event of slots cannot have a filter, and is refused.
 */
static bool slots_unfiltered(void)
{
	static const u64 filters[] = {
		ARCH_PERFMON_EVENTSEL_EDGE, ARCH_PERFMON_EVENTSEL_INV, BIT_ULL(24), BIT_ULL(31),
	};
	struct perf_event *event = &counted[0].event;
	struct perf_event_attr attr = { .config = 0x0400 };
	struct x86_event_sel sel;
	unsigned int i;

	row = &slots_model;
	start_machine(&with_control, 1, GENMASK_ULL(30, 0));
	if (open_event(&counted[0], &attr) || x86_event_get_sel(event, &sel) ||
	    sel.allowed != X86_FIXED(2))
		return false;
	for (i = 0; i < ARRAY_SIZE(filters); i++) {
		attr.config = 0x0400 | filters[i];
		if (open_event(&counted[0], &attr) || x86_event_get_sel(event, &sel) ||
		    sel.allowed != X86_GENERAL(MACHINE_GENERAL))
			return false;
		core.metrics = core.model->metrics;
		if (open_event(&counted[0], &attr) != -EINVAL)
			return false;
		core.metrics = 0;
	}
	return !harness_warned;
}

int main(void)
{
	ktap_plan(11);
	ktap_result(shares_of_slots(), "shares_of_slots");
	ktap_result(slots_wrap(), "slots_wrap");
	ktap_result(stale_wrap(), "stale_wrap");
	ktap_result(slots_restart(), "slots_restart");
	ktap_result(reads_lose_no_slots(), "reads_lose_no_slots");
	ktap_result(metrics_do_not_step_back(), "metrics_do_not_step_back");
	ktap_result(rdpmc_reads_no_other_metrics(), "rdpmc_reads_no_other_metrics");
	ktap_result(rdpmc_reads_no_kernel_metrics(), "rdpmc_reads_no_kernel_metrics");
	ktap_result(rdpmc_reads_own_metrics(), "rdpmc_reads_own_metrics");
	ktap_result(rdpmc_reads_no_metrics_if_sampling(false) &&
		    rdpmc_reads_no_metrics_if_sampling(true), "rdpmc_reads_no_metrics_if_sampling");
	ktap_result(slots_unfiltered(), "slots_unfiltered");
	return ktap_end();
}
