// SPDX-License-Identifier: GPL-2.0
/*
 * Branch trace store: each branch of user space while an event runs becomes one sample, or one
 * record in the AUX area, in order. Branches of the kernel, or of other times, do not.
 */
#include "x86_events.h"

#define perf_sw_context			0
#define PERF_PMU_CAP_EXCLUSIVE		0x10
#define PERF_PMU_CAP_ITRACE		0x20
#define PERF_AUX_FLAG_TRUNCATED		0x01
#define PERF_AUX_FLAG_PARTIAL		0x04
#define PAGE_SHIFT			12
#define DIV_ROUND_UP(n, d)		(((n) + (d) - 1) / (d))
#define offset_in_page(p)		((p) & (PAGE_SIZE - 1))
#define kfree(p)			free(p)
#define __init				__maybe_unused

struct perf_output_handle {
	unsigned long	head;
	unsigned long	size;
	unsigned long	wakeup;
	u64		aux_flags;
};

static int perf_pmu_register(struct pmu *pmu, const char *name, int type)
{
	return 0;
}

static void *perf_aux_output_begin(struct perf_output_handle *handle, struct perf_event *event);
static void perf_aux_output_end(struct perf_output_handle *handle, unsigned long size);
static int perf_aux_output_skip(struct perf_output_handle *handle, unsigned long size);
static void perf_aux_output_flag(struct perf_output_handle *handle, u64 flags);
int x86_nr_cores = 1;

#include "../../../arch/x86/events/intel/bts_pmu.c"

#define BRANCHES	X86_EVENT(0xc4, 0x00)

/* The number of the next branch of the event, and whether any branch was wrong */
static u64 expected;
static bool is_wrong;

static void check_branch(u64 from, u64 to)
{
	if (from != MACHINE_CODE + expected * 16 || to != from + 8) {
		if (!is_wrong)
			printf("# branch %#llx to %#llx instead of number %llu\n",
			       (unsigned long long)from, (unsigned long long)to,
			       (unsigned long long)expected);
		is_wrong = true;
	}
	expected++;
}

static void check_branch_sample(const struct counted *c, const struct perf_sample_data *data,
				const struct pt_regs *regs)
{
	if (!(c->event.hw.flags & X86_BRANCH_TRACE))
		return;
	is_wrong |= machine.debugctl & DEBUGCTLMSR_TR;
	check_branch(regs->ip, data->addr);
}

static void start(u64 seed, u32 lacking)
{
	row = &model;
	start_machine(&with_control, seed, GENMASK_ULL(30, 0));
	features &= ~lacking;
	machine.reports_full = seed % 2;
	core.generic[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = BRANCHES;
	x86_bts_probe(&core);
	check_sample = check_branch_sample;
	is_wrong = false;
}

static const struct perf_event_attr every_branch = {
	.config = BRANCHES, .exclude_kernel = true, .sample_period = 1,
};

/* Start the machine, and an event of all branches from now on. */
static void start_event(u64 seed)
{
	start(seed, 0);
	assert(!open_event(&counted[0], &every_branch));
	expected = machine.jumps + 1;
	schedule_in(&counted[0]);
}

static bool is_off(void)
{
	return !(machine.debugctl & BTS_CONTROL);
}

/* Does the event have all branches so far, and is nothing else wrong? */
static bool has_all(const struct counted *c)
{
	bool ok = expected == machine.jumps + 1 && !is_wrong && !machine.lost &&
		  !machine.unknown && !machine.swallowed && !harness_warned &&
		  local64_read(&c->event.count) == (s64)c->samples;

	if (!ok)
		printf("# %llu of %llu branches, %llu lost, %lu unknown, %lu swallowed\n",
		       (unsigned long long)expected - 1, (unsigned long long)machine.jumps,
		       (unsigned long long)machine.lost, machine.unknown, machine.swallowed);
	return ok;
}

/*
 * Sample every branch, with reads, switches and stops at random times, and other events. @lacking:
 * features that the CPU lacks
 */
static bool samples_all(u64 seed, u32 lacking, bool others, bool foreign)
{
	struct counted *c = &counted[0];
	u64 first, added = 0;
	bool ok = true;
	int i;

	beside = foreign ? MACHINE_FOREIGN : 0;
	start(seed, lacking);
	beside = 0;
	assert(!open_event(c, &every_branch));
	if (others) {
		struct perf_event_attr attr = {
			.config = ANY_CODE, .precise_ip = 2, .exclude_kernel = true,
			.sample_period = 500,
		};

		assert(!open_event(&counted[1], &attr));
		attr.precise_ip = 0;
		attr.sample_period = 700;
		assert(!open_event(&counted[2], &attr));
		perf_pmu_disable(&core.pmu);
		add_group(6, &added, now());
		perf_pmu_enable(&core.pmu);
	}
	for (i = 0; i < 8 && ok; i++) {
		machine_run(machine_random(300));
		ok &= is_off();
		expected = machine.jumps + 1;
		first = expected;
		schedule_in(c);
		while (machine_random(8)) {
			machine_run(machine_random(4) ? machine_random(100) : 6000);
			if (!machine_random(3))
				core.pmu.read(&c->event);
			if (!machine_random(3))
				core.pmu.sched_task(NULL, NULL, false);
			if (!machine_random(3)) {
				core.pmu.stop(&c->event, 0);
				ok &= is_off();
				core.pmu.start(&c->event, 0);
			}
		}
		schedule_out(c);
		ok &= is_off() && has_all(c) && first <= expected;
	}
	if (others)
		ok &= counted[1].samples && counted[2].samples;
	return ok;
}

static bool samples_all_seeds(u32 lacking, bool others, bool foreign)
{
	u64 seed;

	for (seed = 1; seed <= 40; seed++) {
		if (!samples_all(seed, lacking, others, foreign))
			return false;
	}
	return true;
}

/*
 * The BTS samples only branches of user space, on a CPU with BTS, while no user of another kind has
 * the branch records.
 */
static bool refusals(void)
{
	struct perf_event_attr attr = every_branch;
	struct counted *c = &counted[0];
	bool ok;

	start(1, BIT(X86_FEATURE_BTS));
	ok = open_event(c, &attr) == -EOPNOTSUPP;
	attr.sample_period = 2;
	ok &= !open_event(c, &attr);
	start(1, 0);
	ok &= !open_event(c, &every_branch) && core.pmu.check_period(&c->event, 1) == -EINVAL &&
	      core.pmu.check_period(&c->event, 1000) == -EINVAL;
	/* A frequency of 1 is no period of 1. */
	attr = every_branch;
	attr.freq = true;
	ok &= !open_event(c, &attr) && !(c->event.hw.flags & X86_BRANCH_TRACE);
	attr = every_branch;
	attr.exclude_kernel = false;
	ok &= open_event(c, &attr) == -EOPNOTSUPP;
	attr = every_branch;
	attr.precise_ip = 1;
	ok &= open_event(c, &attr) == -EOPNOTSUPP;
	attr = every_branch;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
	ok &= open_event(c, &attr) == -EOPNOTSUPP;
	branch_stack_error = 0;
	ok &= !open_event(c, &attr) && (c->event.hw.flags & X86_BRANCH_TRACE);
	branch_stack_error = -EOPNOTSUPP;
	branches_taken = -EBUSY;
	ok &= open_event(c, &every_branch) == -EBUSY;
	branches_taken = 0;
	attr = every_branch;
	attr.exclude_guest = true;
	return ok && !open_event(c, &attr) && (c->event.hw.flags & X86_BRANCH_TRACE);
}

static u64 at_least_32(u64 config)
{
	return 32;
}

/*
 * Branches of guests are not recorded: a counter counts them. Its period may be 1, or become 1,
 * also if an erratum requires longer periods of other events.
 */
static bool counts_guest(u64 (*min_period)(u64 config))
{
	struct perf_event_attr attr = { .config = BRANCHES, .exclude_host = 1, .sample_period = 1 };
	struct x86_model limited = model;
	struct counted *c = &counted[0];
	bool ok;

	start(1, 0);
	limited.min_period = min_period;
	core.model = &limited;
	ok = !open_event(c, &attr) && !(c->event.hw.flags & X86_BRANCH_TRACE);
	schedule_in(c);
	run_guest(1000);
	schedule_out(c);
	return ok && local64_read(&c->event.count) == 1000 && !machine.unknown &&
	       !core.pmu.check_period(&c->event, 1000) && !core.pmu.check_period(&c->event, 1);
}

/*
 * A counter with a short period is set to the minimum. If another event is stopped and started
 * before the overflow, the overflow is not postponed.
 */
static bool overflows_beside_others(void)
{
	struct perf_event_attr attr = { .config = BRANCHES, .exclude_host = 1, .sample_period = 1 };
	struct counted *c = &counted[0], *other = &counted[1];
	struct x86_model limited = model;
	int i;

	start(1, 0);
	limited.min_period = at_least_32;
	core.model = &limited;
	assert(!open_event(c, &attr));
	attr.config = ANY_CODE;
	attr.sample_period = 0;
	assert(!open_event(other, &attr));
	schedule_in(c);
	schedule_in(other);
	for (i = 0; i < 20; i++) {
		run_guest(5);
		core.pmu.stop(&other->event, 0);
		core.pmu.start(&other->event, 0);
	}
	schedule_out(c);
	return c->samples && !machine.unknown && !harness_warned;
}

/* Without a local APIC the buffer has no interrupt: there is no BTS, also not for the AUX area. */
static bool without_interrupt(void)
{
	start(1, BIT(X86_FEATURE_APIC));
	return open_event(&counted[0], &every_branch) == -EOPNOTSUPP &&
	       bts_pmu_init() == -ENODEV;
}

/* The shortest period of the counters is no limit of the BTS, which uses no counter. */
static bool without_shortest_period(void)
{
	struct x86_model limited = model;
	struct counted *c = &counted[0];
	struct perf_event_attr attr = every_branch;
	bool ok;

	start(1, 0);
	limited.min_period = at_least_32;
	core.model = &limited;
	ok = !open_event(c, &every_branch) && (c->event.hw.flags & X86_BRANCH_TRACE);
	expected = machine.jumps + 1;
	schedule_in(c);
	machine_run(10000);
	schedule_out(c);
	ok &= has_all(c) && c->samples;
	/* It is the limit of all other periods. */
	attr.sample_period = 2;
	ok &= open_event(c, &attr) == -EINVAL;
	attr.sample_period = 32;
	ok &= !open_event(c, &attr) && core.pmu.check_period(&c->event, 31) == -EINVAL &&
	      core.pmu.check_period(&c->event, 1) == -EINVAL &&
	      !core.pmu.check_period(&c->event, 33);
	return ok;
}

/* A trace needs permission for the kernel, also without the kernel; a child does not need it. */
static bool permissions(void)
{
	struct perf_event event = { .pmu = &bts_pmu, .cpu = -1, .attr.exclude_kernel = true };
	struct counted *c = &counted[0];
	bool ok;

	start(1, 0);
	exclusive_users = 0;
	kernel_forbidden = -EACCES;
	ok = bts_pmu.event_init(&event) == -EACCES && !exclusive_users && !event.destroy;
	event.attr.type = PERF_TYPE_RAW;
	ok &= bts_pmu.event_init(&event) == -ENOENT;
	event.attr.type = 0;
	event.parent = &event;
	event.attr.exclude_host = true;
	ok &= bts_pmu.event_init(&event) == -EOPNOTSUPP;
	event.attr.exclude_host = false;
	ok &= !bts_pmu.event_init(&event) && !exclusive_users;
	/* Samples need no permission: the core checks exclude_kernel. */
	ok &= !open_event(c, &every_branch) && exclusive_users == 1;
	c->event.parent = &c->event;
	ok &= !x86_event_init(&c->event) && exclusive_users == 1;
	kernel_forbidden = 0;
	event.parent = NULL;
	ok &= !bts_pmu.event_init(&event) && exclusive_users == 2;
	event.destroy(&event);
	return ok && exclusive_users == 1;
}

/* One event at a time has the BTS, also in a group. */
static bool one_at_a_time(void)
{
	struct perf_event *leader = &counted[0].event, *member = &counted[1].event;
	bool ok;

	start(1, 0);
	assert(!open_event(&counted[0], &every_branch));
	assert(!open_event(&counted[1], &every_branch));
	/* The core calls sched_task only for such events, while one is scheduled. */
	ok = leader->attach_state & PERF_ATTACH_SCHED_CB;
	schedule_in(&counted[0]);
	ok &= sched_cb_users == 1;
	ok &= core.pmu.add(member, PERF_EF_START) == -EAGAIN && sched_cb_users == 1;
	schedule_out(&counted[0]);
	ok &= !sched_cb_users;
	schedule_in(&counted[1]);
	ok &= x86_pmu_cpu.bts.event == member;
	schedule_out(&counted[1]);
	leader->members[0] = member;
	leader->nr_members = 1;
	member->group_leader = leader;
	return ok && x86_event_init(member) == -EINVAL;
}

/* The core stops the event at an overflow, as to throttle it, and later starts it again. */
static bool throttled(void)
{
	struct counted *c = &counted[0];
	u64 samples;
	bool ok;

	start_event(1);
	c->stop_at = 1;
	while (!c->samples)
		machine_run(100);
	/* Nevertheless all records in the buffer become samples, but these are not many. */
	samples = c->samples;
	ok = samples > 200 && samples <= BTS_SAMPLES && c->overflows == 1 && is_off() && !is_wrong;
	machine_run(10000);
	ok &= c->samples == samples && !x86_event_runs(&c->event);
	expected = machine.jumps + 1;
	core.pmu.start(&c->event, 0);
	machine_run(10000);
	schedule_out(c);
	return ok && has_all(c) && is_off();
}

/* The last sample of an interrupt is an overflow, also if records without a sample follow. */
static bool overflows_once(void)
{
	const struct x86_bts_record records[] = {
		{ MACHINE_CODE, MACHINE_CODE + 8 }, { MACHINE_CODE + 16, MACHINE_CODE + 24 },
		{ MACHINE_CODE + 32, MACHINE_KERNEL },
	};
	struct counted *c = &counted[0];

	start(1, 0);
	machine.quiet = true;
	assert(!open_event(c, &every_branch));
	schedule_in(c);
	expected = 0;
	/* Only an overflow can stop the event. */
	c->stop_at = 2;
	bts_sample(&x86_pmu_cpu, &c->event, records, ARRAY_SIZE(records), true);
	return c->samples == 2 && c->overflows == 1 && !x86_event_runs(&c->event) &&
	       expected == 2 && !harness_warned;
}

/* The limit of PERF_EVENT_IOC_REFRESH ends the samples and the count, though more records wait. */
static bool limited(void)
{
	struct counted *c = &counted[0];
	bool ok;

	start_event(1);
	c->limit = 100;
	machine_run(10000);
	ok = !x86_event_runs(&c->event) && is_off();
	schedule_out(c);
	return ok && c->samples == 100 && local64_read(&c->event.count) == 100 && !is_wrong &&
	       !harness_warned;
}

/* In an NMI, as for a sample of another event, a read leaves the records in the buffer. */
static bool read_in_nmi(void)
{
	struct counted *c = &counted[0];
	bool ok;

	start_event(1);
	run_user(100);
	machine.in_nmi = true;
	core.pmu.read(&c->event);
	machine.in_nmi = false;
	ok = !c->samples && !is_off();
	schedule_out(c);
	return ok && has_all(c);
}

/* The interrupt of the buffer is late: the driver takes the records before it. */
static bool late_interrupt(void)
{
	struct counted *c = &counted[0];
	bool ok = true;
	u64 seed;

	for (seed = 1; seed <= 200 && ok; seed++) {
		start_event(seed);
		run_user(BTS_SAMPLES + 10);
		if (seed % 4 < 2)
			core.pmu.sched_task(NULL, NULL, false);
		else
			core.pmu.stop(&c->event, 0);
		/* All samples are written before another task runs. */
		ok &= expected == machine.jumps + 1;
		machine_take_interrupt();
		schedule_out(c);
		ok &= has_all(c);
	}
	return ok;
}

/* Another user of DEBUGCTL enables the BTS again: the driver disables it, and drops the records. */
static bool enabled_by_mistake(void)
{
	struct counted *c = &counted[0];
	u64 debugctl;
	bool ok;

	start_event(1);
	debugctl = machine.debugctl;
	machine_run(1000);
	schedule_out(c);
	ok = has_all(c) && is_off();
	machine.debugctl = debugctl;
	while (!is_off() && machine.jumps < 10000)
		machine_run(100);
	ok &= is_off() && !is_wrong && !machine.unknown;
	/* An event gets no records from before its start. */
	machine.debugctl = debugctl;
	machine_run(500);
	expected = machine.jumps + 1;
	schedule_in(c);
	machine_run(10000);
	schedule_out(c);
	return ok && has_all(c) && is_off();
}

/* The driver does not change the other bits of DEBUGCTL. */
static bool keeps_others(void)
{
	const u64 others = DEBUGCTLMSR_LBR | DEBUGCTLMSR_FREEZE_LBRS_ON_PMI | BIT(1);
	struct counted *c = &counted[0];
	bool ok;

	start(1, 0);
	assert(!open_event(c, &every_branch));
	machine.debugctl = others;
	expected = machine.jumps + 1;
	schedule_in(c);
	ok = (machine.debugctl & ~BTS_CONTROL) == others && !is_off();
	machine_run(6000);
	schedule_out(c);
	return ok && machine.debugctl == others && has_all(c);
}

/*
 * A suspend clears the registers, and the event continues. After a shutdown or a crash, the CPU
 * writes no more records.
 */
static bool suspended(void)
{
	struct x86_pmu_cpu *cpu = &x86_pmu_cpu;
	struct counted *c = &counted[0];
	bool ok;

	start_event(1);
	machine_run(1000);
	x86_cpu_stop(cpu);
	ok = is_off();
	machine.ds_area = 0;
	machine.debugctl = 0;
	x86_cpu_start(cpu, &core, false);
	x86_bts_resume(cpu);
	cpu->needs_reprogram = true;
	x86_resume_reprogram(cpu);
	machine_run(6000);
	core.pmu.read(&c->event);
	ok &= has_all(c) && !is_off();
	x86_cpu_crash_shutdown(cpu);
	ok &= is_off() && !machine.ds_area;
	schedule_out(c);
	schedule_in(c);
	machine_run(1000);
	return ok && is_off();
}

/*
 * NMIs while the CPU is suspended and resumes: the CPU writes no records without the address of the
 * debug store area.
 */
static bool suspended_with_nmis(void)
{
	struct x86_pmu_cpu *cpu = &x86_pmu_cpu;
	struct counted *c = &counted[0];
	bool ok = true;
	u64 seed;

	for (seed = 1; seed <= 100 && ok; seed++) {
		beside = MACHINE_FOREIGN;
		start_event(seed);
		beside = 0;
		machine_run(machine_random(1000));
		x86_cpu_stop(cpu);
		machine_nmi();
		ok &= is_off();
		machine.ds_area = 0;
		x86_cpu_start(cpu, &core, false);
		machine_nmi();
		ok &= is_off();
		x86_bts_resume(cpu);
		machine_nmi();
		ok &= !is_off();
		cpu->needs_reprogram = true;
		x86_resume_reprogram(cpu);
		machine_run(1000);
		schedule_out(c);
		ok &= !is_wrong && !machine.lost;
	}
	return ok;
}

/* A minimal AUX area in place of the core's, and its reader */

#define AUX_PAGES	4

static struct {
	u8		memory[AUX_PAGES][4096];
	void		*pages[AUX_PAGES];
	unsigned long	head;
	unsigned long	tail;
	unsigned long	woken;
	unsigned long	watermark;
	struct bts_area	*area;
	bool		overwrite;
	bool		open;
	bool		truncated;
	bool		partial;
	bool		full;
} aux;

#define AUX_SIZE	sizeof(aux.memory)

static void aux_wake(void)
{
	if (aux.head - aux.woken >= aux.watermark)
		aux.woken = aux.head / aux.watermark * aux.watermark;
}

static void *perf_aux_output_begin(struct perf_output_handle *handle, struct perf_event *event)
{
	assert(!aux.open);
	*handle = (struct perf_output_handle){ .head = aux.head };
	if (!aux.overwrite) {
		handle->size = AUX_SIZE - (aux.head - aux.tail);
		handle->wakeup = aux.woken + aux.watermark;
		aux.full = !handle->size;
		if (aux.full)
			return NULL;
	}
	aux.open = true;
	return aux.area;
}

static void perf_aux_output_end(struct perf_output_handle *handle, unsigned long size)
{
	assert(aux.open);
	if (aux.overwrite) {
		assert(handle->head < AUX_SIZE && size <= AUX_SIZE);
		aux.head = handle->head;
	} else {
		/* An AUX record has only whole records of branches. */
		assert(size <= handle->size && size % sizeof(struct x86_bts_record) == 0);
		assert(!size || aux.head % AUX_SIZE % sizeof(struct x86_bts_record) == 0);
		assert(aux.head % AUX_SIZE + size <= AUX_SIZE);
		aux.head += size;
	}
	aux_wake();
	aux.truncated |= handle->aux_flags & PERF_AUX_FLAG_TRUNCATED;
	aux.partial |= handle->aux_flags & PERF_AUX_FLAG_PARTIAL;
	aux.open = false;
}

static int perf_aux_output_skip(struct perf_output_handle *handle, unsigned long size)
{
	if (size > handle->size)
		return -EINVAL;
	aux.head += size;
	handle->head = aux.head;
	handle->size -= size;
	aux_wake();
	handle->wakeup = aux.woken + aux.watermark;
	return 0;
}

static void perf_aux_output_flag(struct perf_output_handle *handle, u64 flags)
{
	handle->aux_flags |= flags;
}

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

/* The free space ends within the area: what the reader has not read is kept. */
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
	ktap_plan(27);
	ktap_result(samples_all_seeds(0, false, false), "samples_all");
	ktap_result(samples_all_seeds(BIT(X86_FEATURE_DSCPL), false, false),
		    "samples_all_without_filter");
	ktap_result(samples_all_seeds(0, true, false), "samples_all_beside_others");
	ktap_result(samples_all_seeds(0, false, true), "samples_all_with_foreign_nmis");
	ktap_result(refusals(), "refusals");
	ktap_result(counts_guest(NULL), "counts_guest");
	ktap_result(counts_guest(at_least_32), "counts_guest_despite_erratum");
	ktap_result(overflows_beside_others(), "overflows_beside_others");
	ktap_result(without_interrupt(), "without_interrupt");
	ktap_result(without_shortest_period(), "without_shortest_period");
	ktap_result(permissions(), "permissions");
	ktap_result(one_at_a_time(), "one_at_a_time");
	ktap_result(throttled(), "throttled");
	ktap_result(overflows_once(), "overflows_once");
	ktap_result(limited(), "limited");
	ktap_result(read_in_nmi(), "read_in_nmi");
	ktap_result(late_interrupt(), "late_interrupt");
	ktap_result(enabled_by_mistake(), "enabled_by_mistake");
	ktap_result(keeps_others(), "keeps_others");
	ktap_result(suspended(), "suspended");
	ktap_result(suspended_with_nmis(), "suspended_with_nmis");
	ktap_result(traces_all_seeds(0) && traces_all_seeds(BIT(X86_FEATURE_DSCPL)), "traces_all");
	ktap_result(slow_reader(), "slow_reader");
	ktap_result(little_room(), "little_room");
	ktap_result(has_gap(), "has_gap");
	ktap_result(overwrites(), "overwrites");
	ktap_result(traces_kernel(), "traces_kernel");
	return ktap_end();
}
