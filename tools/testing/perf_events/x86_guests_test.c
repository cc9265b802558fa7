// SPDX-License-Identifier: GPL-2.0
/*
 * Guests of KVM: registers have the host's values on the host, and events count only what they do
 * not exclude. As in KVM, a virtual CPU has a list of registers that each VM entry and VM exit
 * loads. A pair of different values is added to the list, or replaces the pair of its register. A
 * pair of equal values removes the register from the list.
 */
#include "x86_events.h"

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

int main(void)
{
	ktap_plan(1);
	ktap_result(by_selects(), "by_selects");
	return ktap_end();
}
