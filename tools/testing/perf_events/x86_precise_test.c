// SPDX-License-Identifier: GPL-2.0
/*
 * Precise events (PEBS).
 */
#include "x86_events.h"

/*
 * Before kexec another kernel may have enabled PEBS, and the record of the next overflow is written
 * to the address in the debug store area. So PEBS is disabled before the address of the area is
 * cleared, also on a CPU whose precise events the driver does not support.
 */
static bool left_enabled(const struct x86_model *of)
{
	row = of;
	start_machine(&with_control, 1, 4000);
	x86_precise_probe(&core);
	bts_exists = true;
	machine.pebs_enable = 1;
	machine.ds_area = 0x1000;
	x86_ds_reset(&x86_pmu_cpu);
	return !machine.pebs_enable && !machine.ds_area && !machine.astray && !harness_warned;
}

static void probe(u64 capabilities, unsigned int branches)
{
	row = &model;
	start_machine(&with_control, 1, 4000);
	core.capabilities = capabilities;
	core.branches.nr = branches;
	core.precise = (struct x86_precise){ };
	x86_precise_probe(&core);
}

/*
 * If records have only the address of the next instruction, level 2 needs branch records. That is
 * so in formats 0 and 1 with PERF_CAP_PEBS_TRAP.
 */
static bool levels(void)
{
	bool ok = true;
	u64 format;

	for (format = 0; format <= 3; format++) {
		u64 capabilities = format << PEBS_FORMAT_SHIFT;

		probe(capabilities, 0);
		ok &= x86_max_precise(&core) == 2;
		probe(capabilities | PERF_CAP_PEBS_TRAP, 16);
		ok &= x86_max_precise(&core) == 2;
		probe(capabilities | PERF_CAP_PEBS_TRAP, 0);
		ok &= x86_max_precise(&core) == (format < 2 ? 1 : 2);
	}
	return ok && !harness_warned;
}

/* A guest may have PEBS, but version 1 of the PMU, without a status: nothing is precise. */
static bool no_status(void)
{
	struct perf_event_attr attr = {
		.config = ANY_CODE, .sample_period = 1000, .precise_ip = 1,
	};
	bool ok;

	row = &model;
	start_machine(&version_1, 1, 4000);
	x86_precise_probe(&core);
	ok = !x86_max_precise(&core) && open_event(&counted[0], &attr) == -EOPNOTSUPP;
	attr.precise_ip = 0;
	return ok && !open_event(&counted[0], &attr) && !harness_warned;
}

/*
 * A hypervisor may lose writes of the register that enables PEBS: nothing is precise. On bare metal
 * the register is not written at boot.
 */
static bool lost_writes(void)
{
	bool ok;

	row = &model;
	start_machine(&with_control, 1, 4000);
	core.precise = (struct x86_precise){ };
	x86_precise_probe(&core);
	ok = x86_max_precise(&core) == 2 && !machine.pebs_enable;
	core.precise = (struct x86_precise){ };
	machine.no_pebs = true;
	x86_precise_probe(&core);
	ok &= !x86_max_precise(&core);
	features &= ~BIT(X86_FEATURE_HYPERVISOR);
	machine.writes = 0;
	x86_precise_probe(&core);
	return ok && x86_max_precise(&core) == 2 && !machine.writes && !harness_warned;
}

/* Return the filter of branch records for an event that requests @filter, or an error. */
static s64 filter_of(u8 level, u64 filter, bool kernel)
{
	struct perf_event_attr attr = {
		.config = ANY_CODE, .sample_period = 1000, .precise_ip = 1,
		.exclude_kernel = !kernel,
	};
	struct perf_event *event = &counted[0].event;
	int err;

	assert(!open_event(&counted[0], &attr));
	event->attr.precise_ip = level;
	event->attr.branch_sample_type = filter;
	err = x86_precise_init_event(event);
	return err ?: (s64)event->attr.branch_sample_type;
}

/* An event of level 2 records all branches of its modes, and no filter may exclude them. */
static bool filters(void)
{
	const u64 any = PERF_SAMPLE_BRANCH_ANY, user = PERF_SAMPLE_BRANCH_USER;
	const u64 kernel = PERF_SAMPLE_BRANCH_KERNEL;
	bool ok;

	probe(1 << PEBS_FORMAT_SHIFT | PERF_CAP_PEBS_TRAP, 16);
	ok = filter_of(1, 0, false) == 0;
	ok &= filter_of(2, 0, false) == (s64)(any | user);
	ok &= filter_of(2, 0, true) == (s64)(any | user | kernel);
	ok &= filter_of(2, any | user, false) == (s64)(any | user);
	ok &= filter_of(2, any | user, true) == -EOPNOTSUPP;
	ok &= filter_of(2, PERF_SAMPLE_BRANCH_ANY_CALL | user, false) == -EOPNOTSUPP;
	probe(1 << PEBS_FORMAT_SHIFT, 16);
	ok &= filter_of(2, 0, false) == 0;
	probe(2 << PEBS_FORMAT_SHIFT | PERF_CAP_PEBS_TRAP, 16);
	ok &= filter_of(2, 0, false) == 0;
	return ok && !harness_warned;
}

/*
 * Format 0 is for counter 0 only. Core 2 may hang if the buffer exceeds a page, so format 0 is
 * limited to one page.
 */
static bool is_area_right(void)
{
	const struct debug_store *ds = &cpu_debug_store;

	if (pebs_format)
		return true;
	return !(machine.pebs_enable & ~1ULL) &&
	       ds->pebs_absolute_maximum - ds->pebs_buffer_base <= PAGE_SIZE &&
	       ds->pebs_interrupt_threshold <= ds->pebs_absolute_maximum;
}

/* The reload words of fixed counters follow 8 words for general counters; 32 from format 5 on. */
static bool reload_words(void)
{
	static const int words[] = { 8, 8, 32, 32 };
	const u64 *first = cpu_debug_store.pebs_event_reset;
	int i;

	for (i = 0; i < 4; i++) {
		core.precise.format = 4 + i / 2;
		if (pebs_reset_word(&x86_pmu_cpu, i) - first != i ||
		    pebs_reset_word(&x86_pmu_cpu, INTEL_PMC_IDX_FIXED + i) - first !=
		    words[i] + i)
			return false;
	}
	core.precise.format = 4;
	return true;
}

/*
 * With adaptive PEBS, each counter with a reload word can write records. Lion Cove has ten general
 * counters.
 */
static bool counters_with_records(void)
{
	const u64 fixed = X86_GENERAL(MACHINE_FIXED) << INTEL_PMC_IDX_FIXED;
	u64 format, found[2];

	for (format = 4; format <= 5; format++) {
		row = &model;
		pebs_format = 3;
		start_machine(&with_control, 1, 4000);
		core.capabilities = format << PEBS_FORMAT_SHIFT | PERF_CAP_PEBS_BASELINE;
		core.counters = X86_GENERAL(10) | fixed;
		core.precise = (struct x86_precise){ };
		x86_precise_probe(&core);
		if (!core.precise.adaptive)
			return false;
		found[format - 4] = x86_precise_counters(&core, core.counters);
	}
	return found[0] == (X86_GENERAL(8) | fixed) && found[1] == (X86_GENERAL(10) | fixed) &&
	       !harness_warned;
}

/*
 * Counts and samples of precise events are right in each format, beside other events. With
 * @unclear, formats 1 and 2 do not always name the counter of a record.
 */
static bool samples_are_right(unsigned int format, const struct x86_model *of, bool unclear)
{
	struct perf_event_attr attr = { .config = ANY_CODE };
	int i, j, n = format ? 3 : 2;
	struct section before;
	u64 all = 0, seed;
	bool ok = true;

	pebs_format = format;
	row = of;
	for (seed = 1; seed <= 500 && ok; seed++) {
		beside = seed % 2 ? MACHINE_FOREIGN : 0;
		start_machine(&with_control, seed, GENMASK_ULL(30, 0));
		machine.pebs_unclear = unclear;
		for (i = 0; i < n; i++) {
			attr.exclude_kernel = i < 2;
			attr.precise_ip = i != 1 ? 1 + machine_random(2) : 0;
			attr.sample_period = machine_random(3) ? 100 + machine_random(300) : 1000;
			attr.sample_type = machine_random(2) ? PERF_SAMPLE_CALLCHAIN : 0;
			assert(!open_event(&counted[i], &attr));
		}
		for (j = 0; j < 3 && ok; j++) {
			before = now();
			perf_pmu_disable(&core.pmu);
			since = before;
			add_group(GENMASK_ULL(n - 1, 0), &coming, before);
			perf_pmu_enable(&core.pmu);
			have_come();
			machine_run(machine_random(5000));
			ok &= all_right() && is_area_right();
			before = now();
			perf_pmu_disable(&core.pmu);
			for (i = 0; i < n; i++)
				remove_event(&counted[i], before);
			perf_pmu_enable(&core.pmu);
			ok &= all_right() && !machine.erratum_runs_precise;
		}
		for (i = 0; i < n; i++)
			all += counted[i].event.attr.precise_ip ? counted[i].samples : 0;
	}
	if (!ok)
		printf("# seed %llu\n", (unsigned long long)seed - 1);
	printf("# %llu precise samples\n", (unsigned long long)all);
	beside = 0;
	pebs_format = 3;
	return ok && all > 1000;
}

/*
 * Two events overflow together, and one record names both counters. The events have the codes
 * ANY_CODE and @config, and the machine counts each code at each step. Each period must have a
 * sample of each event, and at most @most interrupts.
 */
static bool together(unsigned int format, bool kernel, bool arms, u64 config, u64 period,
		     unsigned int most)
{
	struct perf_event_attr attr = {
		.config = ANY_CODE, .sample_period = period, .precise_ip = 1,
		.exclude_kernel = !kernel,
	};
	struct section before;
	u64 all;

	pebs_format = format;
	row = &model;
	start_machine(&with_control, 1, GENMASK_ULL(30, 0));
	machine.pebs_arms = arms;
	assert(!open_event(&counted[0], &attr));
	attr.config = config;
	assert(!open_event(&counted[1], &attr));
	before = now();
	perf_pmu_disable(&core.pmu);
	add_group(3, &coming, before);
	perf_pmu_enable(&core.pmu);
	have_come();
	machine_run(500000);
	all = (kernel ? machine.all - machine.driver : machine.user) / period;
	pebs_format = 3;
	printf("# %llu periods, samples %llu and %llu, %llu interrupts\n",
	       (unsigned long long)all, (unsigned long long)counted[0].samples,
	       (unsigned long long)counted[1].samples, (unsigned long long)machine.sent);
	return counted[0].samples + 1 >= all && counted[1].samples + 1 >= all &&
	       machine.sent <= most * (all + 1) && !harness_warned;
}

/* Formats 1 and 2, with and without the kernel; an overflow writes the record or arms PEBS. */
static bool all_together(u64 config, u64 period, unsigned int most)
{
	bool ok = true;
	int i;

	for (i = 0; i < 8; i++)
		ok &= together(1 + (i & 1), i & 2, i & 4, config, period, most);
	return ok;
}

/* Some selects of the workaround count, and must not cause a record of a precise event. */
static bool erratum_selects(void)
{
	struct perf_event_attr attr = {
		.config = ANY_CODE, .sample_period = 200, .precise_ip = 1, .exclude_kernel = 1,
	};
	struct section before;
	unsigned long runs;
	int i;

	pebs_format = 1;
	row = &erratum_model;
	start_machine(&with_control, 1, GENMASK_ULL(30, 0));
	assert(!open_event(&counted[0], &attr));
	attr.precise_ip = 0;
	attr.config = ANY_CODE + 1;
	assert(!open_event(&counted[1], &attr));
	for (i = 0; i < 2; i++) {
		runs = machine.erratum_runs;
		before = now();
		perf_pmu_disable(&core.pmu);
		since = before;
		add_group(BIT_ULL(i), &coming, before);
		perf_pmu_enable(&core.pmu);
		have_come();
		if (machine.erratum_runs == runs)
			return false;
		machine_run(1000);
	}
	pebs_format = 3;
	return all_right() && machine.pebs_enable && !machine.erratum_runs_precise &&
	       !harness_warned;
}

/* Stop the event, and start it again with another period, as PERF_EVENT_IOC_PERIOD does. */
static void change_period(struct counted *c, u64 period)
{
	struct section before = now();

	perf_pmu_disable(&core.pmu);
	core.pmu.stop(&c->event, PERF_EF_UPDATE);
	has_ended(c, before);
	before = now();
	c->event.attr.sample_period = period;
	c->event.hw.sample_period = period;
	local64_set(&c->event.hw.period_left, 0);
	core.pmu.start(&c->event, 0);
	perf_pmu_enable(&core.pmu);
	has_begun(c, before);
}

/* Is the count right, and are there no more samples than periods of at least this length? */
static bool is_counted(const struct counted *c, u64 shortest)
{
	u64 count = local64_read(&c->event.count);

	if (count >= c->lo && count <= c->hi && c->samples <= count / shortest)
		return true;
	printf("# counted %llu instead of %llu to %llu, with %llu samples\n",
	       (unsigned long long)count, (unsigned long long)c->lo, (unsigned long long)c->hi,
	       (unsigned long long)c->samples);
	return false;
}

/* Count a precise event on a CPU that arms PEBS at an overflow, and writes the record later. */
static void start_armed(struct counted *c, const struct perf_event_attr *attr, unsigned int seed)
{
	start_machine(&with_control, seed, GENMASK_ULL(30, 0));
	machine.pebs_arms = true;
	assert(!open_event(c, attr));
	since = now();
	schedule_in(c);
	coming = 1;
	have_come();
}

/*
 * An overflow arms PEBS: the next event writes the record, and reloads the counter. If the counter
 * is programmed in between, with PEBS enabled, the reload overwrites it: the count then has a jump.
 */
static bool armed(unsigned int format, bool kernel, u64 type)
{
	struct perf_event_attr attr = {
		.config = ANY_CODE, .sample_period = 50, .precise_ip = 1,
		.exclude_kernel = !kernel, .sample_type = type,
	};
	struct counted *c = &counted[0];
	bool ok = true;
	u64 seed, all = 0;
	int i;

	pebs_format = format;
	row = &model;
	for (seed = 1; seed <= 200 && ok; seed++) {
		start_armed(c, &attr, seed);
		for (i = 0; i < 50; i++) {
			machine_run(machine_random(300));
			change_period(c, 50 + machine_random(1000));
			ok &= c->running && is_set_up(c);
		}
		since = now();
		schedule_out(c);
		has_ended(c, since);
		ok &= is_counted(c, 50) && !machine.unknown && !harness_warned;
		all += c->samples;
	}
	pebs_format = 3;
	return ok && all > 200;
}

/*
 * As armed(), with a counter that is programmed before user space may read it: a longer period does
 * not program the counter, so the counter overflows before the end of the period.
 */
static bool cleared(void)
{
	struct perf_event_attr attr = {
		.config = ANY_CODE, .sample_period = X86_NEAR + 100, .precise_ip = 1,
		.exclude_kernel = 1,
	};
	struct counted *c = &counted[0];
	u64 i;

	pebs_format = 1;
	row = &model;
	start_armed(c, &attr, 1);
	change_period(c, 2 * X86_NEAR);
	for (i = 0; i < 2 * X86_NEAR && !machine.pebs_armed; i++)
		run_user(1);
	x86_clear_unused(&x86_pmu_cpu);
	run_user(10);
	since = now();
	schedule_out(c);
	has_ended(c, since);
	pebs_format = 3;
	return is_counted(c, X86_NEAR) && !machine.unknown && !harness_warned;
}

/*
 * If the interrupt of a record is delayed to the next record, there is no next record in formats
 * that do not reload the counter. The record is handled when another event is scheduled, and the
 * event continues.
 */
static bool delayed(unsigned int format)
{
	struct perf_event_attr attr = {
		.config = ANY_CODE, .sample_period = 200, .precise_ip = 1, .exclude_kernel = 1,
	};
	struct section before;
	bool ok;
	int i;

	pebs_format = format;
	row = &model;
	start_machine(&with_control, 1, GENMASK_ULL(30, 0));
	machine.pebs_delays = true;
	for (i = 0; i < 2; i++) {
		assert(!open_event(&counted[i], &attr));
		attr = (struct perf_event_attr){ .config = ANY_CODE + 1, .exclude_kernel = 1 };
	}
	before = now();
	schedule_in(&counted[0]);
	run_user(1000);
	ok = !counted[0].samples && !machine.sent;
	schedule_in(&counted[1]);
	ok &= counted[0].samples == 1;
	run_user(1000);
	schedule_out(&counted[1]);
	ok &= counted[0].samples == 2;
	core.pmu.read(&counted[0].event);
	ok &= local64_read(&counted[0].event.count) == (s64)(machine.user - before.user);
	pebs_format = 3;
	return ok && !harness_warned;
}

/*
 * In formats 1 and 2 a record has a copy of the status. The status may have been acknowledged since
 * the overflow of the record's counter, and have bits of fixed counters, which have no records.
 */
static bool unnamed(unsigned int format)
{
	const struct perf_event_attr attr = {
		.config = ANY_CODE, .sample_period = 200, .precise_ip = 1, .exclude_kernel = 1,
	};
	struct counted *c = &counted[0];

	pebs_format = format;
	row = &model;
	start_machine(&with_control, 1, GENMASK_ULL(30, 0));
	machine.pebs_unnamed = true;
	assert(!open_event(c, &attr));
	schedule_in(c);
	machine_run(10000);
	schedule_out(c);
	pebs_format = 3;
	return machine.user > 1000 && local64_read(&c->event.count) == (s64)machine.user &&
	       c->samples == machine.user / 200 && !machine.unknown && !harness_warned;
}

/* Return the value of a register in a guest: the host's, unless KVM switches it. */
static u64 guest_value(u32 msr)
{
	const struct perf_guest_switch_msr *msrs;
	int i, nr;

	msrs = perf_guest_get_msrs(&nr, NULL);
	for (i = 0; i < nr; i++) {
		if (msrs[i].msr == msr)
			return msrs[i].guest;
	}
	return *machine_register(msr, false);
}

/*
 * A precise event does not count a guest. PEBS is disabled in the guest unless it is adaptive. An
 * NMI between perf_guest_get_msrs() and the VM entry may stop the event: the VM exit nevertheless
 * writes the right value, and the event continues when it is started.
 */
static bool guests(void)
{
	struct perf_event_attr attr = {
		.config = ANY_CODE, .sample_period = 200, .precise_ip = 1, .exclude_kernel = 1,
	};
	const struct perf_guest_switch_msr *msrs;
	struct counted *c = &counted[0];
	u64 samples;
	bool ok;
	int nr;

	pebs_format = 1;
	row = &model;
	start_machine(&with_control, 1, GENMASK_ULL(30, 0));
	assert(!open_event(c, &attr));
	schedule_in(c);
	machine_run(1000);
	samples = c->samples;
	ok = samples && machine.pebs_enable;
	ok &= !(guest_value(with_control.control) & machine.pebs_enable);
	ok &= !guest_value(MSR_IA32_PEBS_ENABLE);
	core.precise.adaptive = true;
	ok &= !(guest_value(with_control.control) & machine.pebs_enable);
	ok &= guest_value(MSR_IA32_PEBS_ENABLE) == machine.pebs_enable;
	core.precise.adaptive = false;

	msrs = perf_guest_get_msrs(&nr, NULL);
	machine.in_nmi = true;
	core.pmu.stop(&c->event, 0);
	machine.in_nmi = false;
	enter_guest(msrs, nr, 1000);
	ok &= machine.pebs_enable == x86_pmu_cpu.precise.enabled;
	perf_pmu_disable(&core.pmu);
	core.pmu.start(&c->event, 0);
	perf_pmu_enable(&core.pmu);
	ok &= c->samples == samples;
	machine_run(1000);
	schedule_out(c);
	pebs_format = 3;
	return ok && c->samples > samples && !machine.pebs_enable && !machine.unknown &&
	       !harness_warned;
}

/*
 * A counter is armed when a guest is entered, with PEBS disabled. The event continues after the VM
 * exit, though perf does not disable the PMU meanwhile, and has all samples. An event that counts
 * the kernel may overflow just before the VM entry, and continues after the next one.
 */
static bool guest_while_armed(unsigned int format, bool kernel, u64 type)
{
	struct perf_event_attr attr = {
		.config = ANY_CODE, .sample_period = 50, .precise_ip = 1,
		.exclude_kernel = !kernel, .sample_type = type,
	};
	struct counted *c = &counted[0];
	u64 i, steps, before, least, in_guest = 0;
	unsigned int armed = 0, without = 0;
	bool ok = true;

	pebs_format = format;
	row = &model;
	start_armed(c, &attr, 1);
	for (i = 0; i < 1000 && ok; i++) {
		for (steps = machine_random(200); steps && !machine.pebs_armed; steps--)
			run_user(1);
		armed += !!machine.pebs_armed;
		before = machine.user;
		run_guest(machine_random(100));
		in_guest += machine.user - before;
		before = c->samples;
		machine_run(1000);
		core.pmu.read(&c->event);
		without = c->samples > before ? 0 : without + 1;
		ok &= without <= kernel;
	}
	schedule_out(c);
	pebs_format = 3;
	if (kernel)
		return ok && armed > 100 && !machine.unknown && !harness_warned;
	/* A period may be longer by the shortest distance to an overflow. */
	least = (machine.user - in_guest) / (attr.sample_period + X86_MIN_PERIOD);
	return ok && armed > 100 && !machine.unknown && !harness_warned &&
	       local64_read(&c->event.count) == (s64)(machine.user - in_guest) &&
	       c->samples >= least && c->samples <= (machine.user - in_guest) / attr.sample_period;
}

/* Numbers of samples of the host and of a guest; whether any other sample was written */
static unsigned long host_samples, guest_samples;
static bool wrong_sample;

/* In a guest, only samples of the host's precise events use the registers of the sample. */
static void check_guest_sample(const struct counted *c, const struct perf_sample_data *data,
			       const struct pt_regs *regs)
{
	struct pt_regs at = { .ip = MACHINE_CODE };
	unsigned long misc, ip;

	if (c->event.attr.precise_ip)
		at = *regs;
	misc = perf_misc_flags(&at);
	ip = perf_instruction_pointer(&at);
	if (misc == PERF_RECORD_MISC_USER && ip == MACHINE_CODE && c->event.attr.precise_ip)
		host_samples++;
	else if (misc == PERF_RECORD_MISC_GUEST_USER && ip == MACHINE_GUEST_IP &&
		 !c->event.attr.precise_ip)
		guest_samples++;
	else
		wrong_sample = true;
}

/*
 * Interrupts of a guest handle records, which are of the host, and overflows of other counters. The
 * records may also wait until the event is read by such an interrupt.
 */
static bool records_of_host(u64 type)
{
	struct perf_event_attr attr = {
		.config = ANY_CODE, .sample_period = 200, .precise_ip = 1, .exclude_kernel = 1,
		.sample_type = type,
	};
	struct pt_regs regs = { };
	u64 added = 0;
	int i;

	row = &model;
	start_machine(&with_control, 1, GENMASK_ULL(30, 0));
	host_samples = 0;
	guest_samples = 0;
	wrong_sample = false;
	check_sample = check_guest_sample;
	guest_state = PERF_GUEST_ACTIVE | PERF_GUEST_USER;
	assert(!open_event(&counted[0], &attr));
	attr.precise_ip = 0;
	attr.sample_period = 1000;
	assert(!open_event(&counted[1], &attr));
	perf_pmu_disable(&core.pmu);
	add_group(3, &added, now());
	perf_pmu_enable(&core.pmu);
	for (i = 0; i < 10; i++) {
		machine_run(5000);
		core.pmu.read(&counted[0].event);
		/* A software event in an interrupt of the guest */
		wrong_sample |= perf_misc_flags(&regs) != PERF_RECORD_MISC_GUEST_USER;
	}
	guest_state = 0;
	check_sample = NULL;
	return host_samples > 10 && guest_samples > 10 && !wrong_sample && !harness_warned;
}

/* Twenty records wait in the buffer, and the task is switched out. See struct counted. */
static bool records_wait(u64 stop_at, u64 limit, u64 samples)
{
	const struct perf_event_attr attr = {
		.config = ANY_CODE, .sample_period = 100, .precise_ip = 1, .exclude_kernel = 1,
	};
	struct perf_event_pmu_context context = {};
	struct counted *c = &counted[0];

	row = &model;
	start_machine(&with_control, 1, GENMASK_ULL(30, 0));
	assert(!open_event(c, &attr));
	c->stop_at = stop_at;
	c->limit = limit;
	schedule_in(c);
	run_user(2050);
	if (c->samples || machine.sent)
		return false;
	core.pmu.sched_task(&context, NULL, false);
	return c->samples == samples && !c->overflows && x86_event_runs(&c->event) == !limit &&
	       local64_read(&c->event.count) == (s64)(100 * samples) && !harness_warned;
}

/*
 * Outside of the interrupt no record counts for throttling, so all records become samples. A limit
 * ends the samples, though more records wait.
 */
static bool overflows_at_switch(void)
{
	return records_wait(0, 0, 20) && records_wait(5, 0, 20) && records_wait(0, 5, 5);
}

/*
 * An interrupt counts once for throttling, after the samples of all records. Here it throttles the
 * event, whose count includes the events since the last record.
 */
static bool overflows_in_interrupt(void)
{
	const struct perf_event_attr attr = {
		.config = ANY_CODE, .sample_period = 100, .precise_ip = 1, .exclude_kernel = 1,
	};
	struct counted *c = &counted[0];
	struct pt_regs regs = { };

	row = &model;
	start_machine(&with_control, 1, GENMASK_ULL(30, 0));
	assert(!open_event(c, &attr));
	c->stop_at = 1;
	schedule_in(c);
	run_user(2050);
	x86_precise_drain(&x86_pmu_cpu, &regs);
	return c->samples == 20 && c->overflows == 1 && !x86_event_runs(&c->event) &&
	       local64_read(&c->event.count) == (s64)machine.user && !harness_warned;
}

/*
 * User space is frozen before the CPU is suspended, and the last task is switched out. The event
 * has all samples and the right count, also after the CPU resumes with its registers cleared.
 */
static bool suspended(void)
{
	const struct perf_event_attr attr = {
		.config = ANY_CODE, .sample_period = 100, .precise_ip = 1, .exclude_kernel = 1,
	};
	struct perf_event_pmu_context context = {};
	struct counted *c = &counted[0];
	bool ok;

	row = &model;
	start_machine(&with_control, 1, GENMASK_ULL(30, 0));
	assert(!open_event(c, &attr));
	schedule_in(c);
	run_user(2050);
	core.pmu.sched_task(&context, NULL, false);
	x86_cpu_stop(&x86_pmu_cpu);
	ok = c->samples == 20;
	machine.ds_area = 0;
	machine.pebs_enable = 0;
	x86_cpu_start(&x86_pmu_cpu, &core, false);
	x86_pmu_cpu.needs_reprogram = true;
	x86_resume_reprogram(&x86_pmu_cpu);
	run_user(3000);
	core.pmu.read(&c->event);
	ok &= c->samples == 50 && local64_read(&c->event.count) == (s64)machine.user;
	schedule_out(c);
	return ok && !machine.astray && !machine.unknown && !harness_warned;
}

/* A signal or the pause of an AUX event at the overflow must not wait for further records. */
static bool some_do_not_wait(void)
{
	struct perf_event_attr attr = {
		.config = ANY_CODE, .sample_period = 100, .precise_ip = 1, .exclude_kernel = 1,
	};
	const struct perf_event *event = &counted[0].event;
	bool ok;

	row = &model;
	start_machine(&with_control, 1, GENMASK_ULL(30, 0));
	ok = !open_event(&counted[0], &attr) && (event->hw.flags & X86_PRECISE_MULTI);
	attr.aux_action = 1;
	ok &= !open_event(&counted[0], &attr) && !(event->hw.flags & X86_PRECISE_MULTI);
	attr.aux_action = 0;
	attr.sigtrap = true;
	ok &= !open_event(&counted[0], &attr) && !(event->hw.flags & X86_PRECISE_MULTI);
	return ok && (event->hw.flags & X86_PRECISE_RELOADS);
}

int main(void)
{
	ktap_plan(39);
	ktap_result(left_enabled(&model), "left_enabled");
	ktap_result(left_enabled(&thread_model), "left_enabled_without_precise_events");
	ktap_result(levels(), "levels");
	ktap_result(no_status(), "no_status");
	ktap_result(lost_writes(), "lost_writes");
	ktap_result(filters(), "filters");
	ktap_result(reload_words(), "reload_words");
	ktap_result(counters_with_records(), "counters_with_records");
	ktap_result(samples_are_right(0, &model, false), "samples_of_format_0");
	ktap_result(samples_are_right(1, &model, false), "samples_of_format_1");
	ktap_result(samples_are_right(2, &model, false), "samples_of_format_2");
	ktap_result(samples_are_right(3, &model, false), "samples_of_format_3");
	ktap_result(samples_are_right(1, &model, true), "records_of_unknown_counters");
	ktap_result(all_together(ANY_CODE, 20000, 1), "records_of_equal_events");
	ktap_result(all_together(ANY_CODE, 1024, 1), "records_of_equal_events_of_short_periods");
	ktap_result(all_together(ANY_CODE | 0x100, 20000, 3), "records_of_different_events");
	ktap_result(samples_are_right(1, &erratum_model, false),
		    "samples_of_format_1_with_erratum");
	ktap_result(samples_are_right(3, &erratum_model, false),
		    "samples_of_format_3_with_erratum");
	ktap_result(erratum_selects(), "erratum_selects");
	ktap_result(armed(1, false, 0), "period_changes_while_armed");
	ktap_result(armed(1, true, 0), "period_changes_while_armed_for_kernel");
	ktap_result(armed(3, false, 0), "period_changes_while_records_wait");
	ktap_result(armed(3, false, PERF_SAMPLE_CALLCHAIN), "period_changes_while_reloaded");
	ktap_result(unnamed(1), "records_of_no_counter_in_format_1");
	ktap_result(unnamed(2), "records_of_no_counter_in_format_2");
	ktap_result(delayed(0), "delayed_interrupts_of_format_0");
	ktap_result(delayed(1), "delayed_interrupts_of_format_1");
	ktap_result(cleared(), "counter_is_cleared_while_armed");
	ktap_result(guests(), "guests");
	ktap_result(guest_while_armed(1, false, 0), "guest_while_armed");
	ktap_result(guest_while_armed(1, true, 0), "guest_while_armed_for_kernel");
	ktap_result(guest_while_armed(3, false, 0), "guest_while_armed_and_records_wait");
	ktap_result(guest_while_armed(3, false, PERF_SAMPLE_CALLCHAIN),
		    "guest_while_armed_and_reloaded");
	ktap_result(records_of_host(0), "records_of_host_wait");
	ktap_result(records_of_host(PERF_SAMPLE_CALLCHAIN), "records_of_host");
	ktap_result(overflows_at_switch(), "overflows_at_switch");
	ktap_result(overflows_in_interrupt(), "overflows_in_interrupt");
	ktap_result(suspended(), "suspended");
	ktap_result(some_do_not_wait(), "some_do_not_wait");
	return ktap_end();
}
