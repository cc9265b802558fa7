// SPDX-License-Identifier: GPL-2.0
/*
 * Branch sampling (BRS) of AMD CPUs: the x86 driver (the kernel's source) on a simulated CPU, each
 * instruction of which is a taken branch. An overflow of counter 0 starts the branch unit, which
 * holds back the interrupt until it has recorded 16 branches. Each sample is compared with the
 * branches that the CPU has taken.
 */
#define MACHINE_BRANCHES
#include "x86_events.h"

#define DEPTH		16
#define BRANCHES	0xc4	/* the event of taken branches */
#define ENABLE		BIT_ULL(2)
#define ONES		GENMASK_ULL(4, 3)
#define VALID		BIT_ULL(5)
#define NEXT		GENMASK_ULL(19, 16)
#define COUNTER		GENMASK_ULL(26, 24)
/* Bits of the register that the driver must not change */
#define OTHERS		(BIT_ULL(0) | BIT_ULL(40))
#define HISTORY		256	/* a power of two */

/* branch.c refers to the unit of Intel CPUs, which this program does not test. */
const struct x86_branch_unit x86_lbr_arch;

/*
 * The branch unit:
 * @config: its register, without VALID and NEXT
 * @next: index of the next record
 * @valid: a branch was recorded
 * @holds: the unit records branches, and holds back an interrupt
 * @full: the unit has recorded DEPTH branches, and waits until its register is written
 * @loses: if the unit is disabled, a held interrupt is lost instead of sent
 * @absent: a hypervisor announces the unit, but ignores writes of its records
 * @from: sources
 * @to: targets
 * @full_count: number of times that the unit became full
 */
static struct {
	u64		config;
	unsigned int	next;
	bool		valid;
	bool		holds;
	bool		full;
	bool		loses;
	bool		absent;
	u64		from[DEPTH];
	u64		to[DEPTH];
	unsigned long	full_count;
} unit;

/* The branches that the CPU has taken, and their number; the number of the task that runs */
static struct perf_branch_entry taken[HISTORY];
static u64 nr_taken;
static unsigned int task;

enum x86_branch_kind x86_branch_kind_at(u64 from, u64 to, bool aborted, bool fused)
{
	return X86_BRANCH_NONE;
}

/* The task of an address of user space */
static unsigned int task_of(u64 address)
{
	return address >> 40;
}

static u64 address_here(void)
{
	u64 place = nr_taken << 4 | 1;

	return machine.kernel ? 0xffffffff80000000ULL | place : (u64)(task + 1) << 40 | place;
}

static void machine_branch(void)
{
	static u64 from;
	u64 to = address_here();

	taken[nr_taken++ % HISTORY] = (struct perf_branch_entry){ .from = from, .to = to };
	if (unit.holds) {
		/* Registers have 48 bits of an address. */
		unit.from[unit.next] = from & GENMASK_ULL(47, 0);
		unit.to[unit.next] = to & GENMASK_ULL(47, 0);
		unit.valid = true;
		unit.next = (unit.next + 1) % DEPTH;
		if (!unit.next) {
			unit.holds = false;
			unit.full = true;
			unit.full_count++;
			machine_send();
		}
	}
	from = to + 2;
}

static bool machine_holds(int i)
{
	if (i || unit.full || !(unit.config & ENABLE) || (unit.config & ONES) != ONES ||
	    (unit.config & COUNTER))
		return false;
	unit.holds = true;
	return true;
}

static void write_config(u64 value)
{
	unit.config = value & ~(VALID | NEXT);
	unit.next = (value & NEXT) >> 16;
	unit.valid = value & VALID;
	unit.full &= unit.valid;
	if (unit.holds && !(value & ENABLE)) {
		unit.holds = false;
		if (!unit.loses)
			machine_send();
	}
}

static bool machine_branch_register(u32 msr, u64 *value, bool writes)
{
	u32 i = msr - MSR_AMD_SAMP_BR_FROM;
	u64 *at;

	if (msr == MSR_AMD_DBG_EXTN_CFG) {
		if (writes)
			write_config(*value);
		else
			*value = unit.config | (unit.valid ? VALID : 0) | (u64)unit.next << 16;
		return true;
	}
	if (i >= 2 * DEPTH)
		return false;
	at = i % 2 ? &unit.to[i / 2] : &unit.from[i / 2];
	if (!writes)
		*value = *at;
	else if (!unit.absent)
		*at = *value;
	return true;
}

/* As Zen 3 */
static const struct x86_pmu_msrs six_counters = {
	.select = 0xc0010200, .counter = 0xc0010201, .stride = 2,
	.run = ARCH_PERFMON_EVENTSEL_ENABLE, .halt = ARCH_PERFMON_EVENTSEL_ENABLE,
	.host_only = BIT_ULL(41),
};

static const struct x86_limit branch_limits[] = {
	{ .first = BRANCHES, .last = BRANCHES, .mask = AMD64_RAW_EVENT_MASK, .counters = BIT(0) },
	X86_LIMIT_END
};

static const struct x86_model brs_model = {
	.name = "brs", .config_mask = AMD64_RAW_EVENT_MASK, .branches = &x86_lbr_amd,
	.branch_limits = branch_limits,
};

#define USER	PERF_SAMPLE_BRANCH_USER
#define KERNEL	PERF_SAMPLE_BRANCH_KERNEL
#define ANY	PERF_SAMPLE_BRANCH_ANY

/*
 * Set the registers as another kernel has left them before kexec: the unit is enabled, and one
 * record has a target of 0.
 */
static void leave_records(void)
{
	int i;

	unit.config = OTHERS | ENABLE | 3ULL << 24;
	unit.next = 7;
	unit.valid = true;
	for (i = 0; i < DEPTH; i++) {
		unit.from[i] = 0x990000000001ULL + i;
		unit.to[i] = i == 5 ? 0 : 0x990000000002ULL + i;
	}
}

static void start(u64 seed)
{
	memset(&unit, 0, sizeof(unit));
	leave_records();
	row = &brs_model;
	start_machine(&six_counters, seed, GENMASK_ULL(30, 0));
	features = BIT(X86_FEATURE_BRS) | BIT(X86_FEATURE_APIC);
	x86_branch_probe(&core);
	x86_branch_reset(&x86_pmu_cpu);
	task = 0;
	exclusive_users = 0;
	unit.full_count = 0;
}

static struct perf_event_attr brs_attr(u64 period, u64 type)
{
	return (struct perf_event_attr){
		.config = BRANCHES, .sample_period = period, .branch = true,
		.branch_sample_type = type, .exclude_kernel = !(type & KERNEL),
	};
}

static void open_brs(struct counted *c, u64 period, u64 type)
{
	struct perf_event_attr attr = brs_attr(period, type);

	assert(!open_event(c, &attr));
}

/* Numbers of samples and branches, and whether all samples were one period apart */
static struct {
	unsigned long	nr;
	unsigned long	branches;
	unsigned long	full;
	unsigned long	empty;
	unsigned long	wrong;
	bool		exact;
} seen;

/*
 * A sample has branches out of DEPTH consecutive branches that the CPU has taken, the newest first.
 * All are of the task that runs, and of privilege levels that the event does not exclude.
 */
static bool is_sample_right(const struct counted *c, const struct perf_branch_stack *stack)
{
	const u64 type = c->event.attr.branch_sample_type;
	u64 at = nr_taken, i, n = 0;

	if (stack->nr > DEPTH)
		return false;
	for (i = 0; i < stack->nr; i++) {
		const struct perf_branch_entry *e = &stack->entries[i], *t;
		bool kernel = (s64)e->from < 0 || (s64)e->to < 0;

		if (kernel && !(type & KERNEL))
			return false;
		if (!kernel && (!(type & USER) || task_of(e->from) != task + 1 ||
				task_of(e->to) != task + 1))
			return false;
		if (e->mispred || e->predicted || e->type || e->cycles)
			return false;
		do {
			if (!at || nr_taken - at > HISTORY - 2)
				return false;
			t = &taken[--at % HISTORY];
			/* Count the branches from the newest to the oldest of the sample. */
			n += n || (t->from == e->from && t->to == e->to);
		} while (t->from != e->from || t->to != e->to);
	}
	return n <= DEPTH;
}

static void check_stack(const struct counted *c, const struct perf_sample_data *data,
			const struct pt_regs *regs)
{
	const struct perf_branch_stack *stack = data->br_stack;

	if (!needs_branch_stack(&c->event))
		return;
	seen.nr++;
	seen.branches += stack->nr;
	seen.full += stack->nr == DEPTH;
	seen.empty += !stack->nr;
	seen.wrong += !is_sample_right(c, stack) || data->period != c->event.attr.sample_period;
	/* The counter has counted exactly the period, up to the newest branch. */
	seen.exact &= local64_read(&c->event.count) == seen.nr * c->event.attr.sample_period;
}

static void begin_samples(void)
{
	memset(&seen, 0, sizeof(seen));
	seen.exact = true;
	check_sample = check_stack;
}

static void end_samples(void)
{
	check_sample = NULL;
	printf("# %lu samples, %lu branches, %lu full, %lu empty, %lu wrong\n", seen.nr,
	       seen.branches, seen.full, seen.empty, seen.wrong);
}

static void run_program(u64 steps)
{
	machine.in_driver = false;
	machine.kernel = false;
	while (steps--) {
		machine_step();
		machine.kernel = true;
		machine.in_driver = true;
		machine_take_interrupt();
		machine.kernel = false;
		machine.in_driver = false;
	}
	machine.kernel = true;
	machine.in_driver = true;
}

/* Sample a program that makes no system calls: the period is exact, with all 16 branches. */
static bool exact_period(u64 period)
{
	struct counted *c = &counted[0];
	bool ok;

	start(period);
	begin_samples();
	open_brs(c, period, USER | ANY);
	schedule_in(c);
	ok = (s32)machine.counter[0] == -(s64)max(period - DEPTH, 2);
	run_program(200 * period);
	end_samples();
	/* A counter is never set to -1, so the shortest period is not exact. */
	if (period == DEPTH + 1)
		seen.exact = seen.nr >= 180;
	ok &= seen.nr >= 180 && seen.exact && seen.full == seen.nr && !seen.wrong;
	schedule_out(c);
	return ok && !machine.unknown && !(unit.config & ENABLE) && !harness_warned;
}

/*
 * Sample a program that makes system calls: samples have only branches of the event's privilege
 * levels, and the number of samples is right.
 */
static bool privileges(u64 type)
{
	struct counted *c = &counted[0];
	const u64 period = 1000;
	u64 count;
	bool ok;

	start(3);
	begin_samples();
	open_brs(c, period, type);
	schedule_in(c);
	machine_run(400 * period);
	schedule_out(c);
	end_samples();
	count = local64_read(&c->event.count);
	ok = seen.nr + 2 >= count / period && seen.nr <= count / period + 1;
	ok &= seen.nr > 100 && !seen.wrong && seen.branches > seen.nr;
	/* The unit has no filter, so only samples of all privilege levels have 16 branches. */
	ok &= (type & USER) && (type & KERNEL) ? seen.full == seen.nr : seen.full < seen.nr;
	return ok && !machine.unknown && !harness_warned;
}

/*
 * Interrupts of other counters stop the unit before it is full. This causes no unknown NMI, and the
 * event continues to sample.
 */
static bool other_interrupts(u64 type, bool loses)
{
	struct perf_event_attr attr = { .config = ANY_CODE, .sample_period = 997 };
	struct counted *c = &counted[0];
	u64 added = 0, count;
	bool ok;

	start(4);
	unit.loses = loses;
	begin_samples();
	open_brs(c, 1000, type);
	assert(!open_event(&counted[1], &attr));
	attr.sample_period = 1013;
	attr.config++;
	assert(!open_event(&counted[2], &attr));
	perf_pmu_disable(&core.pmu);
	add_group(7, &added, now());
	perf_pmu_enable(&core.pmu);
	machine_run(400000);
	perf_pmu_disable(&core.pmu);
	core.pmu.del(&c->event, 0);
	perf_pmu_enable(&core.pmu);
	end_samples();
	count = local64_read(&c->event.count);
	ok = seen.nr + 3 >= count / 1000 && seen.nr <= count / 1000 + 1;
	return ok && added == 7 && seen.full < seen.nr && !seen.wrong && !machine.unknown &&
	       !harness_warned;
}

/* Tasks with and without the event run by turns: a sample has only branches of its task. */
static bool switches(u64 seed, bool loses)
{
	struct perf_event_pmu_context context = { };
	struct task_struct dummy = { };
	bool on[3] = { }, ok = true;
	u64 period = 17 + seed % 60;
	int i, n;

	start(seed);
	unit.loses = loses;
	for (i = 0; i < 3; i++)
		open_brs(&counted[i], period, i < 2 ? USER | ANY : USER | KERNEL | ANY);
	for (n = 0; n < 60; n++) {
		struct counted *c = &counted[task];

		/* Task 3 has no event. */
		if (task < 3 && !on[task]) {
			perf_pmu_disable(&core.pmu);
			on[task] = !core.pmu.add(&c->event, PERF_EF_START);
			core.pmu.sched_task(&context, &dummy, true);
			perf_pmu_enable(&core.pmu);
			ok &= on[task];
		}
		machine_run(machine_random(machine_random(2) ? 30 : 300));
		machine_take_interrupt();
		if (task < 3 && !(unit.config & ENABLE))
			ok = false;
		/* Schedule the event out, perhaps just before the next task's event is added. */
		perf_pmu_disable(&core.pmu);
		if (task < 3) {
			core.pmu.sched_task(&context, &dummy, false);
			core.pmu.del(&c->event, 0);
			on[task] = false;
		}
		if (machine_random(2)) {
			perf_pmu_enable(&core.pmu);
			ok &= !(unit.config & ENABLE);
			perf_pmu_disable(&core.pmu);
		}
		task = machine_random(4);
		if (task < 3) {
			on[task] = !core.pmu.add(&counted[task].event, PERF_EF_START);
			ok &= on[task];
			core.pmu.sched_task(&context, &dummy, true);
		}
		perf_pmu_enable(&core.pmu);
	}
	return ok;
}

static bool tasks_apart(bool loses)
{
	bool ok = true;
	u64 seed;

	begin_samples();
	for (seed = 1; ok && seed <= 300; seed++)
		ok = switches(seed, loses) && !machine.unknown && !seen.wrong;
	end_samples();
	return ok && seen.nr > 1000 && seen.branches > seen.nr && !harness_warned;
}

/* The event of a CPU stays on at task switches, even if the unit holds back an interrupt. */
static bool stays_on(bool loses)
{
	struct perf_event_pmu_context context = { };
	struct counted *c = &counted[0];
	struct task_struct dummy = { };
	u64 n, count;

	start(10);
	unit.loses = loses;
	begin_samples();
	open_brs(c, 100, USER | ANY);
	schedule_in(c);
	for (n = 0; n < 1000; n++) {
		run_program(machine_random(100));
		perf_pmu_disable(&core.pmu);
		core.pmu.sched_task(&context, &dummy, false);
		task = n % 3;
		core.pmu.sched_task(&context, &dummy, true);
		perf_pmu_enable(&core.pmu);
	}
	schedule_out(c);
	end_samples();
	count = local64_read(&c->event.count);
	return count > 40000 && seen.nr + 2 >= count / 100 && seen.nr <= count / 100 + 1 &&
	       seen.full < seen.nr && !seen.wrong && !machine.unknown && !harness_warned;
}

/* A low power state disables the unit, which sends or loses the interrupt that it holds back. */
static bool low_power(bool loses)
{
	struct counted *c = &counted[0];
	u64 samples;
	bool ok;

	start(5);
	machine.quiet = true;
	unit.loses = loses;
	begin_samples();
	open_brs(c, 100, USER | ANY);
	/* Without an event, the callback does not enable the unit. */
	perf_amd_brs_lopwr_cb(true);
	perf_amd_brs_lopwr_cb(false);
	ok = !(unit.config & ENABLE);
	schedule_in(c);
	run_program(100 - DEPTH + 5);
	ok &= unit.holds && !seen.nr;
	perf_amd_brs_lopwr_cb(true);
	ok &= !(unit.config & ENABLE) && machine.pending == !loses;
	machine_take_interrupt();
	ok &= seen.nr == !loses && seen.branches == (loses ? 0 : 5);
	/* The interrupt does not enable the unit. */
	ok &= !(unit.config & ENABLE);
	perf_amd_brs_lopwr_cb(false);
	ok &= (unit.config & ENABLE) && !unit.to[0];
	/* If the interrupt was lost, the next context switch handles the overflow. */
	perf_pmu_disable(&core.pmu);
	perf_pmu_enable(&core.pmu);
	samples = seen.nr;
	run_program(1000);
	ok &= seen.nr - samples >= 9 && seen.nr - samples <= 11;

	/* An interrupt that wakes the CPU closes the event, or opens another one. */
	perf_amd_brs_lopwr_cb(true);
	schedule_out(c);
	perf_amd_brs_lopwr_cb(false);
	ok &= !(unit.config & ENABLE);
	perf_amd_brs_lopwr_cb(true);
	schedule_in(c);
	perf_amd_brs_lopwr_cb(false);
	ok &= !!(unit.config & ENABLE);
	samples = seen.nr;
	run_program(1000);
	ok &= seen.nr - samples >= 9 && seen.nr - samples <= 11;
	perf_amd_brs_lopwr_cb(true);
	x86_branch_reset(&x86_pmu_cpu);
	perf_amd_brs_lopwr_cb(false);
	ok &= !(unit.config & ENABLE);
	x86_branch_reprogram(&x86_pmu_cpu);
	ok &= !!(unit.config & ENABLE);

	/* An NMI at the beginning of the callback: the unit is enabled at the end of the state. */
	x86_pmu_cpu.branch.asleep = true;
	machine_nmi();
	x86_pmu_cpu.branch.running = false;
	brs_disable();
	perf_amd_brs_lopwr_cb(false);
	ok &= !!(unit.config & ENABLE);
	end_samples();
	return ok && !seen.wrong && !machine.unknown && !harness_warned;
}

/* The driver clears the records of another kernel, and keeps the other bits of the register. */
static bool clean_start(void)
{
	struct counted *c = &counted[0];
	bool ok;
	int i;

	start(6);
	machine.quiet = true;
	ok = core.branches.nr == DEPTH && !(unit.config & ENABLE) &&
	     (unit.config & OTHERS) == OTHERS;
	open_brs(c, 100, USER | ANY);
	schedule_in(c);
	ok &= unit.config == (OTHERS | ENABLE | ONES) && !unit.next && !unit.valid;
	for (i = 0; i < DEPTH; i++)
		ok &= !unit.to[i];
	/* A suspend changes the registers. The event continues. */
	x86_cpu_stop(&x86_pmu_cpu);
	leave_records();
	x86_cpu_start(&x86_pmu_cpu, &core, false);
	x86_extra_set_all_unknown(&x86_pmu_cpu);
	ok &= !(unit.config & ENABLE);
	x86_branch_reprogram(&x86_pmu_cpu);
	x86_pmu_cpu.needs_reprogram = true;
	x86_resume_reprogram(&x86_pmu_cpu);
	ok &= unit.config == (OTHERS | ENABLE | ONES) && !unit.next && !unit.to[0];
	begin_samples();
	run_program(1000);
	end_samples();
	ok &= seen.nr >= 9 && seen.full == seen.nr && !seen.wrong;
	schedule_out(c);
	return ok && unit.config == (OTHERS | ONES | (unit.config & VALID)) && !harness_warned;
}

static int refused(const struct perf_event_attr *attr)
{
	struct counted c;

	return open_event(&c, attr);
}

/* Which events can have branch stacks, with which attributes and counters? */
static bool refusals(void)
{
	struct perf_event_attr attr = brs_attr(DEPTH + 1, USER | ANY);
	struct counted *c = &counted[0];
	u64 types[] = {
		USER, USER | PERF_SAMPLE_BRANCH_ANY_CALL, USER | ANY | PERF_SAMPLE_BRANCH_COND,
		USER | PERF_SAMPLE_BRANCH_CALL_STACK, USER | ANY | PERF_SAMPLE_BRANCH_NO_FLAGS,
		USER | ANY | PERF_SAMPLE_BRANCH_TYPE_SAVE, USER | ANY | BIT(17),
	};
	/* Other events, and taken branches with a unit mask, edge, threshold, or another code */
	u64 configs[] = {
		0xc2, 0x1c4, BRANCHES | BIT_ULL(18), BRANCHES | BIT_ULL(23), BRANCHES | BIT_ULL(24),
		BRANCHES | BIT_ULL(32),
	};
	bool ok = true;
	unsigned int i;

	start(7);
	ok &= !refused(&attr) && exclusive_users == 1;
	for (i = 0; i < ARRAY_SIZE(types); i++) {
		attr.branch_sample_type = types[i];
		ok &= refused(&attr) == -EINVAL;
	}
	attr = brs_attr(DEPTH, USER | ANY);
	ok &= refused(&attr) == -EINVAL;
	attr.sample_period = 0;
	ok &= refused(&attr) == -EINVAL;
	attr.sample_period = 1000;
	attr.freq = true;
	ok &= refused(&attr) == -EINVAL;
	attr.freq = false;
	for (i = 0; i < ARRAY_SIZE(configs); i++) {
		attr.config = configs[i];
		ok &= refused(&attr) == -EINVAL;
	}
	ok &= exclusive_users == 1;
	attr = brs_attr(1000, USER | KERNEL | PERF_SAMPLE_BRANCH_HV | ANY);
	ok &= !open_event(c, &attr) && exclusive_users == 2;
	ok &= core.pmu.check_period(&c->event, DEPTH) == -EINVAL &&
	      !core.pmu.check_period(&c->event, DEPTH + 1) && !core.pmu.check_period(&c->event, 0);
	/*
	 * Events with a branch stack need counter 0, so a group has at most one of them. Without a
	 * branch stack, an event of taken branches counts on any other counter.
	 */
	counted[1].event = c->event;
	counted[1].event.group_leader = &c->event;
	ok &= x86_event_init(&counted[1].event) == -EINVAL && exclusive_users == 2;
	attr = (struct perf_event_attr){ .config = BRANCHES, .sample_period = 1 };
	ok &= !open_event(&counted[1], &attr);
	schedule_in(&counted[1]);
	schedule_in(c);
	ok &= x86_event_count(&c->event)->counter == 0 &&
	      x86_event_count(&counted[1].event)->counter > 0;
	schedule_out(c);
	schedule_out(&counted[1]);
	/* Without the unit, an event with a branch stack is refused. */
	features = BIT(X86_FEATURE_APIC);
	x86_branch_probe(&core);
	core.branches = (struct x86_branches){ };
	x86_branch_probe(&core);
	attr = brs_attr(1000, USER | ANY);
	ok &= !core.branches.ops && refused(&attr) == -EOPNOTSUPP;
	features |= BIT(X86_FEATURE_BRS);
	leave_records();
	unit.absent = true;
	x86_branch_probe(&core);
	ok &= !core.branches.ops && refused(&attr) == -EOPNOTSUPP;
	unit.absent = false;
	x86_branch_probe(&core);
	ok &= core.branches.ops && !refused(&attr);
	return ok && !harness_warned;
}

/* A stop does not lose the sample of an interrupt that the unit holds back. */
static bool restarts(void)
{
	struct counted *c = &counted[0];
	unsigned long n;

	start(8);
	machine.quiet = true;
	begin_samples();
	open_brs(c, 100, USER | ANY);
	for (n = 1; n <= 100; n++) {
		schedule_in(c);
		run_program(95);
		schedule_out(c);
		machine_take_interrupt();
	}
	end_samples();
	/* A period that would end at once is left out. */
	local64_set(&c->event.hw.period_left, DEPTH - 100);
	x86_event_begin_period(&c->event);
	if (local64_read(&c->event.hw.period_left) != 100)
		return false;
	/* The unit has recorded another number of branches at each stop. */
	return seen.nr + 2 >= local64_read(&c->event.count) / 100 && !seen.wrong &&
	       seen.nr > 80 && !machine.unknown && !harness_warned;
}

/* The number of register accesses of each operation has a limit. */
static bool is_cheap(void)
{
	struct perf_event_pmu_context context = { };
	struct task_struct dummy = { };
	struct counted *c = &counted[0];
	bool ok = true;

#define COST(what, most_reads, most_writes, ...) do {				\
	machine.reads_msr = 0;							\
	machine.writes = 0;							\
	__VA_ARGS__;								\
	printf("# %s: %lu reads, %lu writes\n", what, machine.reads_msr, machine.writes); \
	ok &= machine.reads_msr <= (most_reads) && machine.writes <= (most_writes);	\
} while (0)
	start(9);
	machine.quiet = true;
	open_brs(c, 100000, USER | ANY);
	begin_samples();
	COST("the first event", 2, 20, schedule_in(c));
	run_program(100000 - 1);
	COST("a sample", 35, 19, run_program(1));
	ok &= seen.full == 1;
	COST("a switch", 3, 18, perf_pmu_disable(&core.pmu);
	     core.pmu.sched_task(&context, &dummy, true);
	     perf_pmu_enable(&core.pmu));
	COST("sleep and wake", 3, 2, perf_amd_brs_lopwr_cb(true); perf_amd_brs_lopwr_cb(false));
	COST("the last event", 1, 2, schedule_out(c));
	end_samples();
	return ok;
}

int main(void)
{
	ktap_plan(20);
	ktap_result(exact_period(DEPTH + 1), "shortest_period");
	ktap_result(exact_period(DEPTH + 2), "period_18");
	ktap_result(exact_period(1000), "period_1000");
	ktap_result(exact_period(20011), "period_20011");
	ktap_result(privileges(USER | ANY), "user_alone");
	ktap_result(privileges(KERNEL | USER | ANY), "user_and_kernel");
	ktap_result(privileges(KERNEL | ANY), "kernel_alone");
	ktap_result(other_interrupts(USER | ANY, false), "other_interrupts_user");
	ktap_result(other_interrupts(USER | KERNEL | ANY, false), "other_interrupts");
	ktap_result(other_interrupts(USER | KERNEL | ANY, true), "other_interrupts_lost");
	ktap_result(tasks_apart(false), "tasks_apart");
	ktap_result(tasks_apart(true), "tasks_apart_lost");
	ktap_result(stays_on(false), "stays_on");
	ktap_result(stays_on(true), "stays_on_lost");
	ktap_result(low_power(false), "low_power");
	ktap_result(low_power(true), "low_power_lost");
	ktap_result(clean_start(), "clean_start");
	ktap_result(refusals(), "refusals");
	ktap_result(restarts(), "restarts");
	ktap_result(is_cheap(), "accesses");
	return ktap_end();
}
