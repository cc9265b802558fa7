// SPDX-License-Identifier: GPL-2.0
/*
 * Two threads of a core that share all registers, as on a P4. Counters and extra registers of an
 * event belong to one thread, except those of some events, which both threads can count. The
 * threads run by turns on the registers of one machine.
 */
#include "x86_events.h"

#define OWN_CODE	0x20	/* event with counters and an extra register for each thread */
#define ONE_CODE	0x21	/* event of either thread, with registers of the second thread */
#define PLAIN_CODE	0x22	/* event of either thread, with the same counters as ONE_CODE */
#define VALUE(n)	((n) << 8)
#define METRIC(n)	((n) << 12)	/* value of a common register */
#define METRIC_SHIFT	32
#define EACH		(EVENTS / 2)	/* number of events of a thread */
#define SEEDS		300
#define STEPS		300

static struct x86_pmu_cpu second;

static const struct x86_extra threads_extra[] = {
	{ .first = 1, .msr = MACHINE_EXTRA, .valid = ~0ULL },
	{ .first = 1, .msr = MACHINE_EXTRA + 1, .valid = ~0ULL },
	{ }
};

static void threads_get_sel(struct x86_core *c, const struct perf_event *event,
			    struct x86_event_sel *sel)
{
	u64 config = event->hw.config, metric = config >> 12 & 7;
	unsigned int thread = x86_this_cpu() == &second;

	sel->config = (config & 0xfff) | ARCH_PERFMON_EVENTSEL_USR;
	sel->allowed = 0xc;
	if ((config & 0xff) == PLAIN_CODE)
		return;
	sel->extra_idx = (config & 0xff) == ONE_CODE ? 1 : thread;
	sel->msr = threads_extra[sel->extra_idx].msr;
	/* The value selects the thread, too. */
	sel->extra = (config & 0xf00) | BIT(thread) | metric << METRIC_SHIFT;
	sel->common = metric ? BIT(metric) : 0;
	if (!sel->extra_idx)
		sel->allowed = 0x3;
}

static void threads_write_extra(u32 msr, u64 value)
{
	if (value >> METRIC_SHIFT)
		wrmsrl(MSR_IA32_PEBS_ENABLE, METRIC(value >> METRIC_SHIFT));
	wrmsrl(msr, (u32)value);
}

static const struct x86_model two_threads = {
	.name = "two threads", .config_mask = 0xffff, .extra = threads_extra,
	.get_sel = threads_get_sel, .write_extra = threads_write_extra,
};

/* machine::user when an event was added, and the expected count without the time since then */
static u64 begun[EVENTS], sums[EVENTS];

/* Threads whose PMU is disabled */
static bool disabled[2];

static void act_as(int thread)
{
	other_thread = thread ? &second : NULL;
}

static void disable(int thread)
{
	act_as(thread);
	core.pmu.pmu_disable(&core.pmu);
	disabled[thread] = true;
}

static void enable(int thread)
{
	act_as(thread);
	core.pmu.pmu_enable(&core.pmu);
	disabled[thread] = false;
}

/* Bring up the CPU of a thread. */
static void bring_up(unsigned int thread)
{
	struct x86_pmu_cpu *cpu = per_cpu_ptr(&x86_pmu_cpu, thread);
	bool beside = online_cpus.bits;

	act_as(thread);
	online_cpus.bits |= BIT(thread);
	cpu->gen = 1;
	x86_extra_init(thread, &core);
	x86_extra_set_all_unknown(cpu);
	x86_amd_nb_init(thread);
	x86_excl_init(thread, &core);
	x86_cpu_start(cpu, &core, beside);
}

/* Take the CPU of a thread without events offline. */
static void take_offline(unsigned int thread)
{
	struct x86_pmu_cpu *cpu = per_cpu_ptr(&x86_pmu_cpu, thread);

	act_as(thread);
	online_cpus.bits &= ~BIT(thread);
	x86_counts_detach_counters(cpu);
	x86_reset_registers(cpu);
	x86_excl_put_all(cpu);
}

/* Start with the CPU of the first thread only. */
static void start_first(u64 seed)
{
	act_as(0);
	row = &two_threads;
	second_cpu = &second;
	start_machine(&shared, seed, GENMASK_ULL(30, 0));
	memset(begun, 0, sizeof(begun));
	memset(sums, 0, sizeof(sums));
	disabled[0] = false;
	disabled[1] = false;
	second = (struct x86_pmu_cpu){ };
}

static void start_threads(u64 seed)
{
	start_first(seed);
	bring_up(1);
}

/* Events from EACH on are of the second thread. */
static int open_on(int i, u64 config)
{
	struct perf_event_attr attr = { .config = config };

	act_as(i / EACH);
	sums[i] = 0;
	return open_event(&counted[i], &attr);
}

/* Add an event to its thread, whose PMU is disabled. Return: true if it is on */
static bool add(int i)
{
	act_as(i / EACH);
	counted[i].on = !core.pmu.add(&counted[i].event, PERF_EF_START);
	begun[i] = machine.user;
	return counted[i].on;
}

static void del(int i)
{
	act_as(i / EACH);
	core.pmu.del(&counted[i].event, 0);
	counted[i].on = false;
	sums[i] += machine.user - begun[i];
}

/* Open an event, and schedule it in. Return: true if it is on */
static bool schedule(int i, u64 config)
{
	bool on;

	assert(!open_on(i, config));
	disable(i / EACH);
	on = add(i);
	enable(i / EACH);
	return on;
}

static void unschedule(int i)
{
	disable(i / EACH);
	del(i);
	enable(i / EACH);
}

/* Do the registers of an event that is on have the right values? */
static bool has_registers(int i)
{
	const struct x86_count *count = x86_event_count(&counted[i].event);
	const struct x86_pmu_cpu *cpu = i < EACH ? &x86_pmu_cpu : &second;
	u64 metric;

	/* A counter in use is not clean: it must be cleared before another program reads it. */
	if (!count || count->counter < 0 || (cpu->cleared & BIT_ULL(count->counter)))
		return false;
	metric = METRIC(count->sel.extra >> METRIC_SHIFT);
	return machine.select[count->counter] ==
	       (count->sel.config | ARCH_PERFMON_EVENTSEL_ENABLE) &&
	       (count->sel.extra_idx < 0 ||
		machine.extra[count->sel.extra_idx] == (u32)count->sel.extra) &&
	       (!metric || machine.pebs_enable == metric);
}

/* Are the registers and counts of all threads right whose PMU is not disabled? */
static bool threads_right(void)
{
	int i;

	for (i = 0; i < EVENTS; i++) {
		struct counted *c = &counted[i];
		u64 count, right = sums[i];

		if (!c->event.pmu || disabled[i / EACH])
			continue;
		if (c->on && !has_registers(i)) {
			printf("# event %d has lost its registers\n", i);
			return false;
		}
		act_as(i / EACH);
		if (c->on) {
			core.pmu.read(&c->event);
			right += machine.user - begun[i];
		}
		count = local64_read(&c->event.count);
		if (count == right)
			continue;
		printf("# event %d counted %llu of %llu\n", i, (unsigned long long)count,
		       (unsigned long long)right);
		return false;
	}
	return !machine.unknown && !harness_warned;
}

static bool run_right(void)
{
	act_as(0);
	run_user(100);
	return threads_right();
}

/* If both threads count an event with the same registers, only one thread at a time counts it. */
static bool one_of_two(void)
{
	bool ok;

	ok = schedule(0, ONE_CODE) && run_right();
	ok = ok && !schedule(EACH, ONE_CODE) && run_right();
	/* The second thread's own events need the extra register, too. */
	ok = ok && !schedule(EACH, OWN_CODE) && run_right();
	ok = ok && schedule(1, OWN_CODE) && run_right();
	unschedule(0);
	ok = ok && schedule(EACH, ONE_CODE) && run_right();
	ok = ok && !schedule(0, ONE_CODE) && run_right();
	unschedule(EACH);
	return ok && schedule(0, ONE_CODE) && run_right();
}

static bool one_at_a_time(void)
{
	start_threads(1);
	return one_of_two();
}

/*
 * The threads share registers even if the second thread is first brought up while the first thread
 * is offline.
 */
static bool never_together(void)
{
	bool alone;

	start_first(1);
	take_offline(0);
	alone = !x86_pmu_cpu.excl->thread[x86_pmu_cpu.thread].online;
	bring_up(1);
	bring_up(0);
	return alone && x86_pmu_cpu.excl == second.excl && x86_pmu_cpu.thread != second.thread &&
	       x86_pmu_cpu.shared_extra == second.shared_extra && x86_pmu_cpu.nb == second.nb &&
	       one_of_two();
}

/* Each counter counts for one thread at a time. */
static bool counters_of_one(void)
{
	bool ok;

	start_threads(1);
	ok = schedule(0, PLAIN_CODE) && run_right();
	ok = ok && schedule(EACH, PLAIN_CODE) && run_right();
	ok = ok && !schedule(EACH + 1, PLAIN_CODE | VALUE(1)) && run_right();
	ok = ok && !schedule(1, ONE_CODE) && run_right();
	unschedule(0);
	return ok && schedule(EACH + 1, PLAIN_CODE | VALUE(1)) && run_right();
}

/*
 * An event of one thread does not stop an event of the other thread that counts, such as the event
 * of the NMI watchdog.
 */
static bool keeps_counting(void)
{
	bool ok;

	start_threads(1);
	ok = schedule(EACH, OWN_CODE) && run_right();
	ok = ok && !schedule(0, ONE_CODE) && run_right();
	/* An event keeps its registers if it is scheduled out and in while its PMU is disabled. */
	disable(1);
	del(EACH);
	ok = ok && !schedule(0, ONE_CODE);
	ok = ok && add(EACH);
	enable(1);
	return ok && run_right();
}

/* A thread does not write its former registers after the other thread has taken them. */
static bool leaves_registers(void)
{
	bool ok;

	start_threads(1);
	ok = schedule(0, ONE_CODE) && run_right();
	ok = ok && schedule(1, OWN_CODE) && run_right();
	unschedule(0);
	ok = ok && schedule(EACH, OWN_CODE) && schedule(EACH + 1, OWN_CODE) && run_right();
	act_as(0);
	x86_clear_unused(&x86_pmu_cpu);
	ok = ok && run_right();
	unschedule(1);
	take_offline(0);
	ok = ok && run_right();
	/* A register with the same value as before is written again. */
	unschedule(EACH);
	unschedule(EACH + 1);
	bring_up(0);
	ok = ok && schedule(0, ONE_CODE) && run_right();
	unschedule(0);
	ok = ok && schedule(EACH, OWN_CODE) && run_right();
	unschedule(EACH);
	return ok && schedule(0, ONE_CODE) && run_right();
}

/* The threads use the common registers with one value at a time. */
static bool one_metric(void)
{
	bool ok;

	start_threads(1);
	ok = schedule(0, OWN_CODE | METRIC(1)) && run_right();
	ok = ok && !schedule(EACH, OWN_CODE | METRIC(2)) && run_right();
	ok = ok && schedule(EACH, OWN_CODE | METRIC(1)) && run_right();
	unschedule(0);
	ok = ok && !schedule(0, OWN_CODE | METRIC(2)) && run_right();
	ok = ok && schedule(0, OWN_CODE) && run_right();
	unschedule(0);
	unschedule(EACH);
	ok = ok && schedule(0, OWN_CODE | METRIC(2)) && run_right();
	/* The other thread uses the registers, and then the first thread needs them again. */
	unschedule(0);
	ok = ok && schedule(EACH, OWN_CODE | METRIC(1)) && run_right();
	unschedule(EACH);
	ok = ok && schedule(0, OWN_CODE | METRIC(2)) && run_right();
	/* One thread cannot use the registers with two values, either. */
	ok = ok && !schedule(1, ONE_CODE | METRIC(3)) && run_right();
	/* A value is in use until the registers are programmed. */
	ok = ok && schedule(EACH, OWN_CODE | METRIC(2)) && run_right();
	unschedule(EACH);
	disable(0);
	del(0);
	ok = ok && !schedule(EACH, OWN_CODE | METRIC(1));
	enable(0);
	return ok && schedule(EACH, OWN_CODE | METRIC(1)) && run_right();
}

/* A group that needs two values of the common registers cannot be opened. */
static bool group_of_one_metric(void)
{
	struct perf_event event = {
		.attr = { .type = PERF_TYPE_RAW, .config = ONE_CODE | METRIC(1) },
		.pmu = &core.pmu, .cpu = -1, .group_leader = &counted[0].event,
	};
	bool ok;

	start_threads(1);
	assert(!open_on(0, OWN_CODE | METRIC(1)));
	ok = !x86_event_init(&event);
	event.attr.config = ONE_CODE | METRIC(2);
	return ok && x86_event_init(&event) == -EINVAL;
}

static void change_one(void)
{
	int i = machine_random(EVENTS);
	u64 config = OWN_CODE + machine_random(3) + VALUE(machine_random(2));

	if (!machine_random(3))
		config |= METRIC(1 + machine_random(2));
	if (!disabled[i / EACH])
		disable(i / EACH);
	if (counted[i].on) {
		del(i);
	} else {
		assert(!open_on(i, config));
		add(i);
	}
}

static void restart_second(void)
{
	int i;

	if (!disabled[1])
		disable(1);
	for (i = EACH; i < EVENTS; i++) {
		if (counted[i].on)
			del(i);
	}
	enable(1);
	take_offline(1);
	bring_up(1);
}

/* Change events of both threads at random, while the PMU of none, one or both is disabled. */
static bool at_random(u64 seed)
{
	bool ok = true;
	int i, step;

	start_threads(seed);
	for (step = 0; ok && step < STEPS; step++) {
		i = machine_random(2);
		switch (machine_random(12)) {
		case 0:
			restart_second();
			break;
		case 1:
			act_as(i);
			x86_clear_unused(i ? &second : &x86_pmu_cpu);
			break;
		case 2 ... 5:
			if (disabled[i])
				enable(i);
			break;
		default:
			change_one();
			break;
		}
		ok = threads_right();
		if (ok && !disabled[0] && !disabled[1])
			ok = run_right();
	}
	/* After all events are removed, each thread can use the common registers. */
	for (i = 0; ok && i < 2; i++) {
		if (!disabled[i])
			disable(i);
	}
	for (i = 0; ok && i < EVENTS; i++) {
		if (counted[i].on)
			del(i);
	}
	enable(0);
	enable(1);
	for (i = 0; ok && i < EVENTS; i += EACH) {
		ok = schedule(i, ONE_CODE | METRIC(i + 1)) && run_right();
		unschedule(i);
	}
	if (!ok)
		printf("# seed %llu\n", (unsigned long long)seed);
	return ok;
}

int main(void)
{
	bool ok = true;
	u64 seed;

	ktap_plan(8);
	ktap_result(one_at_a_time(), "one_at_a_time");
	ktap_result(never_together(), "never_together");
	ktap_result(counters_of_one(), "counters_of_one");
	ktap_result(keeps_counting(), "keeps_counting");
	ktap_result(leaves_registers(), "leaves_registers");
	ktap_result(one_metric(), "one_metric");
	ktap_result(group_of_one_metric(), "group_of_one_metric");
	for (seed = 1; ok && seed <= SEEDS; seed++)
		ok = at_random(seed);
	ktap_result(ok, "at_random");
	return ktap_end();
}
