// SPDX-License-Identifier: GPL-2.0
/*
 * Guests of KVM: registers have the host's values on the host, and events do not count a host or a
 * guest that they exclude. As in KVM, a virtual CPU has a list of registers that each VM entry and
 * VM exit loads. A pair of different values is added to the list, or replaces the pair of its
 * register. A pair of equal values removes the register from the list.
 */
#define MACHINE_BRANCHES
#include "x86_events.h"
#include "../../../arch/x86/events/intel/lbr.c"

/* Maximum number of registers in the list */
#define VCPU_MSRS	8

/**
 * struct vcpu - the list of a virtual CPU
 * @msrs: the registers, and the values that VM entry and VM exit load
 * @nr: number of @msrs
 * @full: the list was full when a register was to be added
 */
struct vcpu {
	struct perf_guest_switch_msr	msrs[VCPU_MSRS];
	int				nr;
	bool				full;
};

static void vcpu_switch(struct vcpu *vcpu, const struct perf_guest_switch_msr *pair)
{
	int i;

	for (i = 0; i < vcpu->nr && vcpu->msrs[i].msr != pair->msr; i++)
		;
	if (pair->host == pair->guest) {
		if (i < vcpu->nr)
			vcpu->msrs[i] = vcpu->msrs[--vcpu->nr];
	} else if (i == VCPU_MSRS) {
		vcpu->full = true;
	} else {
		vcpu->nr += i == vcpu->nr;
		vcpu->msrs[i] = *pair;
	}
}

/* A VM entry updates the list first. */
static void vcpu_update(struct vcpu *vcpu)
{
	const struct perf_guest_switch_msr *msrs;
	int i, nr;

	msrs = perf_guest_get_msrs(&nr, NULL);
	for (i = 0; msrs && i < nr; i++)
		vcpu_switch(vcpu, &msrs[i]);
}

static void vcpu_run(struct vcpu *vcpu, u64 steps)
{
	vcpu_update(vcpu);
	enter_guest(vcpu->msrs, vcpu->nr, steps);
}

/* Return the value of a register in the guest: the host's, unless it is in the list. */
static u64 vcpu_value(struct vcpu *vcpu, u32 msr)
{
	int i;

	for (i = 0; i < vcpu->nr; i++) {
		if (vcpu->msrs[i].msr == msr)
			return vcpu->msrs[i].guest;
	}
	return *machine_register(msr, false);
}

/* Is a counter enabled, by its select? */
static bool enabled(u64 select)
{
	return select & ARCH_PERFMON_EVENTSEL_ENABLE;
}

static const struct { bool no_host, no_guest; } kinds[] = {
	{ }, { .no_guest = true }, { .no_host = true },
};

/* Open four events, of kinds[] in turn, starting with kind @first. */
static void open_kinds(int first)
{
	int i;

	for (i = 0; i < N; i++) {
		struct perf_event_attr attr = {
			.config = 0x20 + i,
			.exclude_host = kinds[(first + i) % ARRAY_SIZE(kinds)].no_host,
			.exclude_guest = kinds[(first + i) % ARRAY_SIZE(kinds)].no_guest,
		};

		assert(!open_event(&counted[i], &attr));
	}
}

/* Add or remove some of the four events. */
static void change_events(void)
{
	u64 added = 0, mask = 0;
	int i;

	perf_pmu_disable(&core.pmu);
	for (i = 0; i < N; i++) {
		if (machine_random(2))
			continue;
		if (counted[i].on)
			core.pmu.del(&counted[i].event, 0);
		else
			mask |= BIT_ULL(i);
		counted[i].on = false;
	}
	add_group(mask, &added, now());
	for (i = 0; i < N; i++)
		counted[i].on |= added >> i & 1;
	perf_pmu_enable(&core.pmu);
}

/* Do selects enable counters for the events that count here, and no other counters? */
static bool selects_right(struct vcpu *vcpu, bool guest)
{
	u64 wanted = 0, found = 0;
	int i;

	for (i = 0; i < N; i++) {
		const struct perf_event_attr *attr = &counted[i].event.attr;

		if (counted[i].on && !(guest ? attr->exclude_guest : attr->exclude_host))
			wanted |= BIT_ULL(x86_event_count(&counted[i].event)->counter);
	}
	for (i = 0; i < MACHINE_GENERAL; i++) {
		u32 msr = machine.msrs->select + i * machine.msrs->stride;

		if (enabled(guest ? vcpu_value(vcpu, msr) : machine.select[i]))
			found |= BIT_ULL(i);
	}
	return wanted == found;
}

/*
 * On a PMU without a common register, selects distinguish events of the host, of guests, and of
 * both. No counter is enabled without an event after two virtual CPUs have run in turn, while
 * events are added and removed.
 */
static bool by_selects(void)
{
	u64 seed;
	int i;

	row = &model;
	for (seed = 1; seed <= 200; seed++) {
		struct vcpu vcpus[2] = { };

		start_machine(&version_1, seed, GENMASK_ULL(30, 0));
		open_kinds(seed % ARRAY_SIZE(kinds));
		for (i = 0; i < 20; i++) {
			struct vcpu *vcpu = &vcpus[machine_random(2)];

			change_events();
			vcpu_update(vcpu);
			if (!selects_right(vcpu, true))
				return false;
			vcpu_run(vcpu, 100);
			if (vcpu->full || !selects_right(vcpu, false))
				return false;
		}
	}
	return !machine.unknown && !harness_warned;
}

/*
 * Counters of a claim count the guests that the thread runs. After the claim they run on, but do
 * not count guests, which may be those of other threads.
 */
static bool excludes_released(const struct x86_pmu_msrs *msrs)
{
	u64 bit = msrs->control ? BIT_ULL(0) : ARCH_PERFMON_EVENTSEL_ENABLE;
	u32 msr = msrs->control ?: msrs->select;
	struct vcpu vcpu = { };
	bool ok;

	row = &model;
	start_machine(msrs, 1, GENMASK_ULL(30, 0));
	claim_all(1);
	thread_runs();
	vcpu_update(&vcpu);
	ok = thread.running && (vcpu_value(&vcpu, msr) & bit);
	thread_stops();
	ok &= !!(*machine_register(msr, false) & bit);
	vcpu_update(&vcpu);
	return ok && !(vcpu_value(&vcpu, msr) & bit) && !vcpu.full && !harness_warned;
}

static bool is_cleared(int counter)
{
	return !((machine.counter[counter] + core.max_period) & GENMASK_ULL(MACHINE_WIDTH - 1, 0));
}

/* Return the mask of the general counters that run. */
static u64 counters_on(void)
{
	u64 on = 0;
	int i;

	for (i = 0; i < MACHINE_GENERAL; i++) {
		if (enabled(machine.select[i]))
			on |= BIT_ULL(i);
	}
	return machine.msrs->control ? on & machine.control : on;
}

/*
 * After KVM was given the host values of the global control register, or of the selects, an NMI
 * stops an event and the counter of a claim that has ended. The VM exit starts both counters again.
 */
static bool exit_starts_counters(const struct x86_pmu_msrs *msrs, u64 modes)
{
	struct perf_event_attr attr = {
		.config = ANY_CODE, .sample_period = 101, .exclude_guest = true,
	};
	struct vcpu vcpu = { };

	row = &model;
	start_machine(msrs, 1, GENMASK_ULL(30, 0));
	assert(!open_event(&counted[0], &attr));
	schedule_in(&counted[0]);
	claim_counters(1, 2, 1, modes, 0);
	thread_runs();
	thread_stops();
	counted[0].limit = counted[0].samples + 1;
	vcpu_update(&vcpu);
	run_kernel(200);
	machine_take_interrupt();
	assert(!x86_pmu_cpu.running && !counters_on());
	enter_guest(vcpu.msrs, vcpu.nr, 100);
	return !vcpu.full && counters_on() == (BIT_ULL(0) | BIT_ULL(2));
}

/* After the VM exit both counters count other tasks. The next program reads no such count. */
static bool rdpmc_reads_no_count_after_exit(const struct x86_pmu_msrs *msrs)
{
	bool ok = exit_starts_counters(msrs, ARCH_PERFMON_EVENTSEL_USR);

	allow_reads();
	user_reads = false;
	run_user(1000);
	allow_reads();
	return ok && is_cleared(0) && is_cleared(2) && !machine.unknown && !harness_warned;
}

/* As above, but the PMU is disabled, as in a context switch, and the counters are cleared twice. */
static bool rdpmc_reads_no_count_of_a_switch(const struct x86_pmu_msrs *msrs)
{
	bool ok = exit_starts_counters(msrs, ARCH_PERFMON_EVENTSEL_OS);

	user_reads = true;
	perf_pmu_disable(&core.pmu);
	x86_clear_unused(&x86_pmu_cpu);
	x86_clear_unused(&x86_pmu_cpu);
	run_kernel(1000);
	perf_pmu_enable(&core.pmu);
	user_reads = false;
	allow_reads();
	return ok && is_cleared(0) && is_cleared(2) && !machine.unknown && !harness_warned;
}

/*
 * A kernel thread runs, and then the program that has run the guest. With @enable, the PMU is
 * disabled and enabled while the thread runs.
 */
static bool rdpmc_reads_no_kernel_count_after_exit(const struct x86_pmu_msrs *msrs, bool enable)
{
	bool ok = exit_starts_counters(msrs, ARCH_PERFMON_EVENTSEL_OS);

	user_reads = true;
	in_kernel_thread = true;
	run_kernel(1000);
	if (enable) {
		perf_pmu_disable(&core.pmu);
		perf_pmu_enable(&core.pmu);
	}
	x86_clear_kernel(&x86_pmu_cpu);
	in_kernel_thread = false;
	return ok && is_cleared(0) && is_cleared(2) && !machine.unknown && !harness_warned;
}

/* The selects are equal to their shadow, even if an NMI stops an event while they are restored. */
static bool selects_restored(void)
{
	struct perf_event_attr attr = {
		.config = ANY_CODE, .sample_period = 101, .exclude_guest = true,
	};
	bool ok = true;
	u64 seed;

	row = &model;
	for (seed = 1; seed <= 1000; seed++) {
		struct vcpu vcpu = { };

		start_machine(&version_1, seed, GENMASK_ULL(30, 0));
		assert(!open_event(&counted[0], &attr));
		counted[0].limit = 1;
		schedule_in(&counted[0]);
		vcpu_run(&vcpu, 100);
		run_kernel(machine_random(100));
		allow_reads();
		machine_take_interrupt();
		ok &= !memcmp(machine.select, x86_pmu_cpu.select, sizeof(machine.select)) &&
		      enabled(machine.select[0]) == !counted[0].samples;
	}
	return ok && !machine.unknown && !harness_warned;
}

/* As AMD CPUs: a bit of each select excludes guests. */
#define HOST_ONLY	BIT_ULL(41)

static const struct x86_pmu_msrs host_only = {
	.select = 0xc0010200, .counter = 0xc0010201, .stride = 2,
	.run = ARCH_PERFMON_EVENTSEL_ENABLE, .halt = ARCH_PERFMON_EVENTSEL_ENABLE,
	.host_only = HOST_ONLY,
};

static const struct x86_pmu_msrs host_only_with_control = {
	.select = 0xc0010200, .counter = 0xc0010201, .stride = 2,
	.control = 0xc0000301, .status = 0xc0000300, .ack = 0xc0000302,
	.run = ARCH_PERFMON_EVENTSEL_ENABLE, .halt = ARCH_PERFMON_EVENTSEL_ENABLE,
	.host_only = HOST_ONLY,
};

/* Run a program on the host, or in a guest. Have N counters counted the host alone? */
static bool count_host(bool guest)
{
	u64 before[N], counted = guest ? 0 : 100;
	bool ok = true;
	int i;

	memcpy(before, machine.counter, sizeof(before));
	if (guest)
		enter_guest(NULL, 0, 100);
	else
		run_user(100);
	for (i = 0; i < N; i++)
		ok &= machine.counter[i] - before[i] == counted;
	return ok;
}

/* KVM sets up the CPU to run guests, or undoes that. */
static void set_svm(bool on)
{
	machine.svm = true;
	if (on)
		amd_pmu_enable_virt();
	else
		amd_pmu_disable_virt();
	machine.svm = on;
}

/*
 * On AMD CPUs, counters of a claim do not count the guests that the thread runs, and after the
 * claim they do not count guests of other threads. They count the host, also while no guest can
 * run.
 */
static bool claims_host(const struct x86_pmu_msrs *msrs)
{
	bool ok;

	row = &model;
	start_machine(msrs, 1, GENMASK_ULL(30, 0));
	claim_all(1);
	thread_runs();
	ok = thread.running && count_host(false);
	set_svm(true);
	ok &= count_host(false) && count_host(true);
	thread_stops();
	ok &= count_host(false) && count_host(true);

	claim_all(2);
	thread_runs();
	ok &= thread.running && count_host(false) && count_host(true);
	thread_stops();
	ok &= count_host(false) && count_host(true);

	set_svm(false);
	thread_runs();
	ok &= thread.running && count_host(false);
	/* KVM may set up the CPU, and undo that, while the thread runs. */
	set_svm(true);
	ok &= count_host(false) && count_host(true);
	set_svm(false);
	ok &= count_host(false);
	thread_stops();
	return ok && !machine.unknown && !harness_warned;
}

/*
 * The architectural LBR:
 * @ctl: its control register: bit 0 enables, bits 1 and 2 select kernel and user mode
 * @from: sources, the newest first
 * @to: targets
 */
#define DEPTH		32

static struct {
	u64	ctl;
	u64	from[DEPTH];
	u64	to[DEPTH];
} unit;

/* Each instruction is a branch. Addresses of guests and of the host differ. */
#define HOST_CODE	0x1000
#define GUEST_CODE	0x2000

enum x86_branch_kind x86_branch_kind_at(u64 from, u64 to, bool aborted, bool fused)
{
	return X86_BRANCH_NONE;
}

static bool machine_holds(int i)
{
	return false;
}

static void machine_branch(void)
{
	if (!(unit.ctl & BIT(0)) || !(unit.ctl & (machine.kernel ? BIT(1) : BIT(2))))
		return;
	memmove(unit.from + 1, unit.from, sizeof(unit.from) - sizeof(u64));
	memmove(unit.to + 1, unit.to, sizeof(unit.to) - sizeof(u64));
	unit.from[0] = machine.in_guest ? GUEST_CODE : HOST_CODE;
	unit.to[0] = unit.from[0];
}

static bool machine_branch_register(u32 msr, u64 *value, bool writes)
{
	u64 unused = 0, *at = &unused;

	if (msr == MSR_ARCH_LBR_CTL)
		at = &unit.ctl;
	else if (msr >= MSR_ARCH_LBR_FROM_0 && msr < MSR_ARCH_LBR_FROM_0 + DEPTH)
		at = &unit.from[msr - MSR_ARCH_LBR_FROM_0];
	else if (msr >= MSR_ARCH_LBR_TO_0 && msr < MSR_ARCH_LBR_TO_0 + DEPTH)
		at = &unit.to[msr - MSR_ARCH_LBR_TO_0];
	else if (msr == MSR_ARCH_LBR_DEPTH && writes)
		memset(unit.from, 0, sizeof(unit.from));
	else if (msr < MSR_ARCH_LBR_INFO_0 || msr >= MSR_ARCH_LBR_INFO_0 + DEPTH)
		return false;
	if (writes)
		*at = *value;
	else
		*value = *at;
	return true;
}

static const struct x86_model branch_model = {
	.name = "branches", .limits = limits, .config_mask = X86_RAW_EVENT_MASK,
};

static void start_branches(void)
{
	memset(&unit, 0, sizeof(unit));
	row = &branch_model;
	start_machine(&with_control, 1, GENMASK_ULL(30, 0));
	assert(!x86_branch_probe(&core) && core.branches.nr == DEPTH);
	x86_branch_reset(&x86_pmu_cpu);
}

/* Open an event that samples user branches. */
static void open_branches(struct counted *c, bool exclude_guest)
{
	struct perf_event_attr attr = {
		.config = ANY_CODE, .sample_period = 1000000, .exclude_kernel = true,
		.branch = true, .exclude_guest = exclude_guest,
		.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY,
	};

	assert(!open_event(c, &attr));
}

/* Return the number of records of guests. */
static int guest_records(void)
{
	int i, n = 0;

	for (i = 0; i < DEPTH; i++)
		n += unit.from[i] == GUEST_CODE;
	return n;
}

/* Do user branches of the host appear in the records? */
static bool records_host(void)
{
	run_user(10);
	return unit.from[0] == HOST_CODE;
}

/*
 * An event that excludes guests has no branches of a guest, also if it is stopped or shares the
 * unit with an event that counts guests. The latter alone has branches of the guest. The unit runs
 * on the host, and after the events are removed it stays disabled on the host and in guests.
 */
static bool excludes_branches(void)
{
	struct vcpu vcpu = { }, other = { };
	bool ok;

	start_branches();
	open_branches(&counted[0], true);
	open_branches(&counted[1], false);

	schedule_in(&counted[0]);
	ok = records_host();
	vcpu_run(&vcpu, 100);
	ok &= !guest_records() && records_host();
	core.pmu.stop(&counted[0].event, 0);
	vcpu_run(&vcpu, 100);
	core.pmu.start(&counted[0].event, 0);
	ok &= !guest_records() && records_host();

	schedule_in(&counted[1]);
	vcpu_run(&vcpu, 100);
	ok &= !guest_records() && records_host();
	schedule_out(&counted[0]);
	vcpu_run(&vcpu, 10);
	ok &= guest_records() == 10 && records_host();

	schedule_in(&counted[0]);
	vcpu_run(&vcpu, 100);
	vcpu_run(&other, 100);
	schedule_out(&counted[0]);
	schedule_out(&counted[1]);
	ok &= !(unit.ctl & BIT(0));
	vcpu_run(&vcpu, 100);
	vcpu_run(&other, 100);
	return ok && !(unit.ctl & BIT(0)) && !vcpu.full && !machine.unknown && !harness_warned;
}

int main(void)
{
	ktap_plan(15);
	ktap_result(by_selects(), "by_selects");
	ktap_result(excludes_released(&version_1), "excludes_released");
	ktap_result(excludes_released(&with_control), "excludes_released_with_control");
	ktap_result(rdpmc_reads_no_count_after_exit(&version_1), "rdpmc_reads_no_count_after_exit");
	ktap_result(rdpmc_reads_no_count_after_exit(&with_control),
		    "rdpmc_reads_no_count_after_exit_with_control");
	ktap_result(rdpmc_reads_no_count_of_a_switch(&version_1),
		    "rdpmc_reads_no_count_of_a_switch");
	ktap_result(rdpmc_reads_no_count_of_a_switch(&with_control),
		    "rdpmc_reads_no_count_of_a_switch_with_control");
	ktap_result(rdpmc_reads_no_kernel_count_after_exit(&version_1, false),
		    "rdpmc_reads_no_kernel_count_after_exit");
	ktap_result(rdpmc_reads_no_kernel_count_after_exit(&with_control, false),
		    "rdpmc_reads_no_kernel_count_after_exit_with_control");
	ktap_result(rdpmc_reads_no_kernel_count_after_exit(&version_1, true),
		    "rdpmc_reads_no_kernel_count_after_exit_and_enable");
	ktap_result(rdpmc_reads_no_kernel_count_after_exit(&with_control, true),
		    "rdpmc_reads_no_kernel_count_after_exit_and_enable_with_control");
	ktap_result(selects_restored(), "selects_restored");
	ktap_result(claims_host(&host_only), "claims_host");
	ktap_result(claims_host(&host_only_with_control), "claims_host_with_control");
	ktap_result(excludes_branches(), "excludes_branches");
	return ktap_end();
}
