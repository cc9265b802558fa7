// SPDX-License-Identifier: GPL-2.0
/*
 * Single operations of the branch unit: its registers at the start, its users, the accesses of each
 * operation, a change of branch_sample_type, types of branches, and call stacks after sleep.
 */
#include "x86_branch.h"

/*
 * The registers have records of another kernel, as after kexec, and may still record. The probe
 * must accept, stop and clear the registers, also on a Haswell without transactions.
 */
static bool finds_registers(bool on)
{
	static const struct x86_model model = { .branches = &x86_lbr_haswell };
	unsigned int i;

	features = 0;
	memset(&machine, 0, sizeof(machine));
	memset(&x86_pmu_cpu, 0, sizeof(x86_pmu_cpu));
	machine.random = 1;
	machine.from_signs = true;
	core = (struct x86_core){ .model = &model, .version = 3, .capabilities = 4 };
	core.branches.ops = &lbr_ops;
	for (i = 0; i < REGISTERS; i++) {
		machine.from[i] = 0xffffffff81000000ULL & ~GENMASK_ULL(62, 61);
		machine.to[i] = 0xffffffff82000000ULL;
	}
	if (on)
		machine.debugctl = DEBUGCTLMSR_LBR;
	x86_branch_probe(&core);
	if (core.branches.ops != &lbr_ops || (machine.debugctl & DEBUGCTLMSR_LBR))
		return false;
	for (i = 0; i < core.branches.nr; i++) {
		if (machine.from[i] || machine.to[i])
			return false;
	}
	return !harness_warned;
}

/* An event with a branch stack is a user of the branch unit; its children are not. */
static bool counts_users(void)
{
	struct perf_event parent = { .pmu = &core.pmu },
			  child = { .pmu = &core.pmu, .parent = &parent };
	int before = exclusive_users, during;

	parent.attr.branch = true;
	parent.attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY;
	child.attr = parent.attr;
	if (x86_branch_init_event(&parent) || x86_branch_init_event(&child))
		return false;
	during = exclusive_users;
	x86_branch_destroy(&child);
	if (exclusive_users != during || during != before + 1)
		return false;
	x86_branch_destroy(&parent);
	return exclusive_users == before;
}

/* Number of register accesses of each operation */
static bool is_cheap(void)
{
	static const struct config plain = { "", &x86_lbr_skylake, 5, 0, USER };
	static const struct config calls = { "", &x86_lbr_skylake, 5, 0, STACK };
	struct perf_sample_data data;
	unsigned long reads, writes;
	unsigned int i;
	bool ok = true;

#define COST(what, most_reads, most_writes, ...) do {				\
	machine.reads = 0;							\
	machine.writes = 0;							\
	__VA_ARGS__;								\
	reads = machine.reads;							\
	writes = machine.writes;						\
	printf("# %s: %lu reads, %lu writes\n", what, reads, writes);		\
	ok &= reads <= (most_reads) && writes <= (most_writes);			\
} while (0)
	start(&plain, 1);
	open_event(0, USER);
	open_event(1, USER | PERF_SAMPLE_BRANCH_NO_FLAGS | PERF_SAMPLE_BRANCH_NO_CYCLES);
	COST("the first event", 2, 3, x86_branch_add(&x86_pmu_cpu, &events[0]), enable_pmu());
	COST("the second event", 0, 0, x86_branch_add(&x86_pmu_cpu, &events[1]), enable_pmu());
	run_task(100);
	COST("a sample with flags", 98, 0, x86_branch_begin_interrupt(&x86_pmu_cpu),
	     x86_branch_sample(&x86_pmu_cpu, &events[0], &data),
	     x86_branch_end_interrupt(&x86_pmu_cpu, 0));
	COST("a sample of addresses", 66, 0, x86_branch_begin_interrupt(&x86_pmu_cpu),
	     x86_branch_sample(&x86_pmu_cpu, &events[1], &data),
	     x86_branch_end_interrupt(&x86_pmu_cpu, 0));
	COST("a switch", 2, 1, x86_branch_sched_task(&tasks[0].context, &tasks[0].task, false),
	     x86_branch_sched_task(&tasks[1].context, &tasks[1].task, true), enable_pmu());
	run_task(3);
	COST("a sample soon after a switch", 12, 0, x86_branch_begin_interrupt(&x86_pmu_cpu),
	     x86_branch_sample(&x86_pmu_cpu, &events[0], &data),
	     x86_branch_end_interrupt(&x86_pmu_cpu, 0));
	COST("the last event", 1, 1, x86_branch_del(&x86_pmu_cpu, &events[0]),
	     x86_branch_del(&x86_pmu_cpu, &events[1]), enable_pmu());
	COST("a switch and an interrupt without events", 0, 0,
	     x86_branch_sched_task(&tasks[0].context, &tasks[0].task, false),
	     x86_branch_sched_task(&tasks[1].context, &tasks[1].task, true), enable_pmu(),
	     x86_branch_begin_interrupt(&x86_pmu_cpu), x86_branch_end_interrupt(&x86_pmu_cpu, 0));
	start(&calls, 1);
	x86_branch_add(&x86_pmu_cpu, &events[0]);
	enable_pmu();
	while (current_task->nr_calls != 5) {
		on[0] = true;
		run_task(1);
	}
	COST("a switch from a task with 5 calls", 18, 0,
	     x86_branch_sched_task(&tasks[0].context, &tasks[0].task, false));
	COST("a switch back, with the task's calls in the registers", 2, 0,
	     x86_branch_sched_task(&tasks[0].context, &tasks[0].task, true));
	x86_pmu_cpu.branch.regs_stamp = 0;
	COST("a switch back, with other registers", 2, 42,
	     x86_branch_sched_task(&tasks[0].context, &tasks[0].task, true));
	/* No debug exception disables these units. */
	for (i = 3; i < ARRAY_SIZE(configs); i += 3) {
		start(&configs[i], 1);
		x86_branch_add(&x86_pmu_cpu, &events[0]);
		enable_pmu();
		COST("an interrupt without samples", 0, 0, x86_branch_begin_interrupt(&x86_pmu_cpu),
		     x86_branch_end_interrupt(&x86_pmu_cpu, 0));
	}
	return ok;
}

/* Does the unit record calls of user space? */
static bool records_user(void)
{
	const struct branch call = { .from = 0x1000, .to = 0x2000, .kind = X86_BRANCH_CALL };

	return records(&call);
}

/* An interrupt reads records. With @freezes, the overflow freezes records of the kernel. */
static void interrupt(bool freezes)
{
	struct x86_pmu_cpu *cpu = &x86_pmu_cpu;
	struct perf_sample_data data;
	u64 frozen;

	interrupted = true;
	frozen = x86_branch_begin_interrupt(cpu) & (freezes ? ~0ULL : 0);
	machine.frozen = frozen;
	x86_branch_check_frozen(cpu, frozen);
	x86_branch_sample(cpu, &events[0], &data);
	x86_branch_end_interrupt(cpu, frozen);
	interrupted = false;
}

static void switch_task(unsigned int from, unsigned int to)
{
	x86_branch_sched_task(&tasks[from].context, &tasks[from].task, false);
	x86_branch_sched_task(&tasks[to].context, &tasks[to].task, true);
	enable_pmu();
}

/*
 * After a debug exception, the next interrupt or the next context switch enables the unit again.
 * @kind: 0 and 1: an interrupt; otherwise a switch
 */
static bool records_after_exception(const struct config *config, bool halts, unsigned int kind)
{
	u64 before, on = DEBUGCTLMSR_LBR;

	start(config, 1);
	core.branches.halts = halts;
	x86_branch_add(&x86_pmu_cpu, &events[0]);
	enable_pmu();
	before = machine.debugctl;
	if (!records_user() || !(before & on))
		return false;
	raise_debug_exception();
	if (records_user())
		return false;
	if (kind < 2)
		interrupt(kind);
	else
		switch_task(0, kind - 2);
	return records_user() && machine.debugctl == before && !harness_warned;
}

static bool records_after_exceptions(void)
{
	unsigned int i, kind;
	bool ok = true;

	for (i = 0; i < 3; i++) {
		for (kind = 0; kind < 4; kind++) {
			ok &= records_after_exception(&configs[i], false, kind);
			ok &= records_after_exception(&configs[i], true, kind);
		}
	}
	return ok;
}

/*
 * After a debug exception, samples have no call stack, not even the next one: returns were not
 * recorded, so the calls in the registers may be wrong. A VM exit disables the unit, too, but the
 * call stack stays right.
 */
static bool clears_calls(bool in_guest, bool switches, bool snapshots)
{
	struct perf_branch_entry entries[REGISTERS];
	static const struct config config = { "", &x86_lbr_skylake, 5, 0, STACK };
	bool ok;

	start(&config, 1);
	x86_branch_add(&x86_pmu_cpu, &events[0]);
	enable_pmu();
	on[0] = true;
	while (current_task->nr_calls != 5)
		run_task(1);
	raise_debug_exception();
	guest_state = in_guest ? PERF_GUEST_ACTIVE : 0;
	if (!in_guest)
		begin(current_task, false);
	if (switches)
		switch_task(0, 0);
	ok = !snapshots || !x86_branch_snapshot(entries, REGISTERS);
	ok &= sample();
	interrupted = false;
	guest_state = 0;
	if (in_guest)
		machine.debugctl |= DEBUGCTLMSR_LBR;
	run_task(3);
	return ok && sample() && !harness_warned;
}

/* The registers have the task's calls again after the task has slept and no other task has run. */
static bool keeps_calls(const struct config *config, bool deeply)
{
	struct branch calls[5];
	unsigned int i, n;

	start(config, 1);
	x86_branch_add(&x86_pmu_cpu, &events[0]);
	enable_pmu();
	on[0] = true;
	while (current_task->nr_calls != ARRAY_SIZE(calls))
		run_task(1);
	memcpy(calls, current_task->calls, sizeof(calls));
	x86_branch_sched_task(&tasks[0].context, &tasks[0].task, false);
	if (deeply)
		sleep_deeply();
	x86_branch_sched_task(&tasks[0].context, &tasks[0].task, true);
	enable_pmu();
	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		const struct branch *call = &calls[ARRAY_SIZE(calls) - 1 - i];

		n = is_in_row() ? i : (machine.newest + core.branches.nr - i) % core.branches.nr;
		if (machine.from[n] != call->from || machine.to[n] != call->to)
			return false;
	}
	return !harness_warned;
}

/*
 * An NMI interrupts the change of the type, and restarts a unit that halts in interrupts: a sample
 * of the new type must not have records of the old one.
 */
static bool changes_type(void)
{
	static const u64 types[] = { USER, STACK, USER };
	static const struct config skylake = { "", &x86_lbr_skylake, 5, 0, USER };
	struct x86_pmu_cpu *cpu = &x86_pmu_cpu;
	unsigned int i;

	start(&skylake, 1);
	core.branches.halts = true;
	for (i = 0; i < ARRAY_SIZE(types); i++) {
		if (i)
			x86_branch_del(cpu, &events[0]);
		open_event(0, types[i]);
		x86_branch_add(cpu, &events[0]);
		on[0] = true;
		interrupted = true;
		x86_branch_end_interrupt(cpu, x86_branch_begin_interrupt(cpu));
		interrupted = false;
		enable_pmu();
		begin(current_task, false);
		run_task(3);
		if (!sample())
			return false;
		run_task(100);
	}
	return !harness_warned;
}

/* Does a branch with this INFO pass an event's filter, and has its entry this type? */
static bool has_recorded(u64 wanted, u64 from, u64 info, unsigned int type)
{
	struct x86_branch_raw raw = { .from = from, .to = 0x1000, .info = info };
	struct perf_branch_entry entry;

	open_event(0, PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_TYPE_SAVE | wanted);
	return x86_branch_filter(&events[0], &raw, &core, &entry) && entry.type == type;
}

/* As has_recorded(), with the branch type @kind in INFO */
static bool has_type(u64 wanted, u64 from, u64 kind, unsigned int type)
{
	return has_recorded(wanted, from, kind << LBR_INFO_BR_TYPE_OFFSET | LBR_INFO_CYC_CNT_VALID,
			    type);
}

/*
 * If the instruction of a branch cannot be read, the branch has the type that the CPU has recorded,
 * if any: the types are in the order of the manual. The type of the instruction has precedence.
 */
static bool keeps_types(void)
{
	static const u8 types[] = {
		PERF_BR_COND, PERF_BR_IND, PERF_BR_UNCOND, PERF_BR_IND_CALL, PERF_BR_CALL,
		PERF_BR_RET, PERF_BR_UNKNOWN,
	};
	static const struct config config = {
		"", &x86_lbr_arch, 0, BIT(X86_FEATURE_ARCH_LBR), USER
	};
	const u64 any_type = PERF_SAMPLE_BRANCH_ANY, call = PERF_SAMPLE_BRANCH_ANY_CALL;
	/* See x86_branch_kind_at() */
	const u64 unreadable = 0x2000, is_return = 0x2003;
	unsigned int i;
	bool ok = true;

	start(&config, 1);
	core.branches.info_kind = true;
	for (i = 0; i < ARRAY_SIZE(types); i++) {
		ok &= has_type(any_type, unreadable, i, types[i]);
		ok &= has_type(any_type, is_return, i, PERF_BR_RET);
	}
	/* A predicted conditional branch without a cycle count */
	ok &= has_recorded(PERF_SAMPLE_BRANCH_COND, unreadable, 0, PERF_BR_COND);
	ok &= has_type(call, unreadable, 4, PERF_BR_CALL);
	ok &= !has_type(call, unreadable, 5, PERF_BR_RET);
	ok &= !has_type(call, unreadable, 6, PERF_BR_UNKNOWN);
	core.branches.info_kind = false;
	return ok && has_type(any_type, unreadable, 4, PERF_BR_UNKNOWN) && !harness_warned;
}

/*
 * An event without flags and cycles reads INFO if it needs types of branches, and only then: the
 * sample has a call whose instruction cannot be read.
 */
static bool reads_types(void)
{
	static const u64 types[] = {
		PERF_SAMPLE_BRANCH_ANY, PERF_SAMPLE_BRANCH_ANY_CALL,
		PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_TYPE_SAVE,
	};
	struct x86_pmu_cpu *cpu = &x86_pmu_cpu;
	unsigned long reads[ARRAY_SIZE(types)];
	struct perf_sample_data data;
	unsigned int i;
	bool ok = true;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		/* The architectural LBR, with types */
		start(&configs[3], 1);
		core.branches.info_kind = true;
		open_event(0, PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_NO_FLAGS |
			      PERF_SAMPLE_BRANCH_NO_CYCLES | types[i]);
		x86_branch_add(cpu, &events[0]);
		enable_pmu();
		machine.from[0] = 0x2000;
		machine.to[0] = 0x1000;
		machine.info[0] = 4ULL << LBR_INFO_BR_TYPE_OFFSET | LBR_INFO_CYC_CNT_VALID;
		machine.reads = 0;
		interrupted = true;
		x86_branch_begin_interrupt(cpu);
		x86_branch_sample(cpu, &events[0], &data);
		x86_branch_end_interrupt(cpu, 0);
		interrupted = false;
		reads[i] = machine.reads;
		ok &= data.br_stack->nr == 1 && data.br_stack->entries[0].from == 0x2000;
	}
	return ok && reads[1] == reads[0] + 1 && reads[2] == reads[0] + 1 &&
	       data.br_stack->entries[0].type == PERF_BR_CALL && !harness_warned;
}

/*
 * A BPF program in the interrupt takes a snapshot. The records do not change until the end of the
 * interrupt, so that a later sample has no branches of the driver. Then the unit records again.
 */
static bool keeps_stopped(const struct config *config, bool halts)
{
	struct perf_branch_entry entries[REGISTERS];
	struct x86_pmu_cpu *cpu = &x86_pmu_cpu;
	u64 from[REGISTERS];
	bool ok;

	start(config, 1);
	core.branches.halts = halts;
	x86_branch_add(cpu, &events[0]);
	enable_pmu();
	run_task(100);
	interrupted = true;
	/* The overflow has disabled the unit. */
	if (halts)
		machine.debugctl &= ~DEBUGCTLMSR_LBR;
	x86_branch_begin_interrupt(cpu);
	memcpy(from, machine.from, sizeof(from));
	ok = x86_branch_snapshot(entries, REGISTERS) > 0;
	ok &= x86_branch_snapshot(entries, REGISTERS) > 0;
	ok &= !memcmp(from, machine.from, sizeof(from));
	x86_branch_end_interrupt(cpu, 0);
	interrupted = false;
	run_task(100);
	ok &= memcmp(from, machine.from, sizeof(from)) && cpu->branch.running;
	return ok && !harness_warned;
}

/*
 * The architectural LBR has only what CPUID reports. Events rely on both filters: without one there
 * is no unit. A field of INFO that CPUID does not report is not in the entry, even if INFO has it.
 */
static bool follows_cpuid(u32 ebx, u32 ecx)
{
	static const struct x86_model model = { };
	const struct x86_branch_raw mispredicted = {
		.from = 0x2000, .to = 0x1000,
		.info = LBR_INFO_MISPRED | LBR_INFO_CYC_CNT_VALID | 9 |
			4ULL << LBR_INFO_BR_TYPE_OFFSET,
	}, predicted = { .from = 0x2000, .to = 0x1000 };
	struct perf_branch_entry entry = { }, other = { };
	bool ok;

	features = BIT(X86_FEATURE_ARCH_LBR);
	memset(&machine, 0, sizeof(machine));
	core = (struct x86_core){ .model = &model, .version = 5 };
	leaf_ebx = ebx;
	leaf_ecx = ecx;
	x86_branch_probe(&core);
	leaf_ebx = 7;
	leaf_ecx = 7;
	if (!core.branches.ops || (ebx & 3) != 3)
		return !core.branches.ops && (ebx & 3) != 3 && !core.branches.nr;
	ok = !!(core.branches.flags & X86_UNIT_CALL_STACK) == (ebx >> 2 & 1);
	core.branches.ops->decode(&core, &mispredicted, &entry);
	core.branches.ops->decode(&core, &predicted, &other);
	/* Without information, a branch is neither mispredicted nor predicted. */
	ok &= entry.mispred == (ecx & 1) && !entry.predicted;
	ok &= !other.mispred && other.predicted == (ecx & 1);
	ok &= entry.cycles == (ecx & 2 ? 9 : 0);
	return ok && entry.type == (ecx & 4 ? PERF_BR_CALL : 0) && !harness_warned;
}

static bool follows_cpuids(void)
{
	u32 bits;
	bool ok = true;

	for (bits = 0; bits < 64; bits++)
		ok &= follows_cpuid(bits >> 3, bits & 7);
	return ok;
}

/*
 * Flags and cycles in the upper bits of a register do not change the address, which may have 57
 * bits, or 48 bits beside cycles: CPUs with the format with cycles have no larger addresses.
 */
static bool keeps_addresses(void)
{
	static const u64 addresses[] = {
		0x10, 0x00007ffffffffff0ULL, 0xffff800000000010ULL, 0xfffffffffffffff0ULL,
		0x00fffffffffffff0ULL, 0x0080000000000010ULL, 0xff00000000000010ULL,
		0xff7ffffffffffff0ULL,
	};
	struct perf_branch_entry entry;
	struct x86_branch_raw raw;
	unsigned int format, i, n;
	u64 flags;

	for (format = 1; format < ARRAY_SIZE(lbr_formats); format++) {
		core.branches = (struct x86_branches){
			.from_flags = lbr_formats[format].from_flags,
			.to_cycles = lbr_formats[format].to_cycles,
		};
		n = core.branches.to_cycles ? 4 : ARRAY_SIZE(addresses);
		for (i = 0; i < 2 * n; i++) {
			flags = ~(~0ULL >> core.branches.from_flags);
			raw.from = i % 2 ? addresses[i / 2] | flags : addresses[i / 2] & ~flags;
			flags = core.branches.to_cycles ? GENMASK_ULL(63, 48) : 0;
			raw.to = i % 2 ? addresses[i / 2] | flags : addresses[i / 2] & ~flags;
			if (!lbr_decode(&core, &raw, &entry) || entry.from != addresses[i / 2] ||
			    entry.to != addresses[i / 2])
				return false;
		}
	}
	return true;
}

/*
 * On Nehalem, a filter without the class of jumps also drops some calls and returns. So LBR_SELECT
 * must pass jumps: indirect ones are bit 6, relative ones bit 7.
 */
static bool selects_jumps(u64 type, u64 jumps)
{
	static const struct config config = { "", &x86_lbr_nehalem, 3, 0, USER };

	start(&config, 1);
	open_event(0, PERF_SAMPLE_BRANCH_USER | type);
	return !(events[0].hw.branch_reg.config & jumps);
}

/* Knights Landing has the misprediction flag, although it reports the format without flags. */
static bool has_flag_without_format(void)
{
	static const struct config config = { "", &x86_lbr_knights_landing, 1, 0, USER };
	const struct x86_branch_raw raw = { .from = BIT_ULL(63) | 0x2000, .to = 0x1000 };
	struct perf_branch_entry entry = { };

	start(&config, 1);
	return lbr_decode(&core, &raw, &entry) && entry.from == 0x2000 && entry.mispred;
}

/*
 * The architectural LBR writes no source of a branch from a level that the event does not record.
 * If that level is the kernel, the driver drops the branch.
 */
static bool has_filtered_source(u64 type, u64 to)
{
	static const struct config config = {
		"", &x86_lbr_arch, 0, BIT(X86_FEATURE_ARCH_LBR), USER
	};
	const struct x86_branch_raw raw = { .from = 0xffffffff, .to = to };
	struct perf_branch_entry entry = { };

	start(&config, 1);
	open_event(0, type | PERF_SAMPLE_BRANCH_ANY);
	return x86_branch_filter(&events[0], &raw, &core, &entry);
}

/*
 * Haswell records an abort of a transaction twice, the later record without its flags. @type:
 * filter of the event; @second: source of the later record. Return: number of branches of a sample
 * with two other branches, less these two.
 */
static unsigned int nr_aborts(const struct x86_branch_unit *unit, u64 type, u64 second)
{
	const struct x86_branch_raw raw[] = {
		{ .from = 0x3000, .to = 0x1000 },
		{ .from = second, .to = 0x1000 },
		{ .from = 0x2000 | BIT_ULL(62) | BIT_ULL(61), .to = 0x1000 },
		{ .from = 0x4000, .to = 0x1000 },
	};
	const struct config config = { "", unit, 4, BIT(X86_FEATURE_RTM), USER };
	struct perf_sample_data data = { };

	start(&config, 1);
	open_event(0, PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY | type);
	x86_branch_sample_of(&x86_pmu_cpu, &events[0], &data, raw, ARRAY_SIZE(raw), 0);
	/* The two others are unchanged. */
	if (data.br_stack->entries[0].from != 0x3000 ||
	    data.br_stack->entries[data.br_stack->nr - 1].from != 0x4000)
		return 0;
	return data.br_stack->nr - 2;
}

int main(void)
{
	unsigned int i;
	char name[64];

	ktap_plan(29);
	ktap_result(selects_jumps(PERF_SAMPLE_BRANCH_IND_CALL, BIT(6)), "jumps beside calls");
	ktap_result(selects_jumps(PERF_SAMPLE_BRANCH_ANY_RETURN, BIT(6) | BIT(7)),
		    "jumps beside returns");
	ktap_result(has_flag_without_format(), "flag that the format lacks");
	ktap_result(!has_filtered_source(PERF_SAMPLE_BRANCH_USER, 0x1000),
		    "kernel source that the CPU has filtered");
	ktap_result(has_filtered_source(PERF_SAMPLE_BRANCH_KERNEL, 0xffffffff81000000ULL),
		    "user source that the CPU has filtered");
	ktap_result(nr_aborts(&x86_lbr_haswell, 0, 0x2000) == 1, "abort that is recorded twice");
	/* The filter drops a branch from the kernel. The flags are the upper 3 bits. */
	ktap_result(nr_aborts(&x86_lbr_haswell, 0, 0x1fffffff81000000ULL) == 1,
		    "abort whose later record is filtered");
	ktap_result(!nr_aborts(&x86_lbr_haswell, PERF_SAMPLE_BRANCH_NO_TX, 0x2000),
		    "abort whose first record is filtered");
	ktap_result(nr_aborts(&x86_lbr_broadwell, 0, 0x2000) == 2, "abort that is recorded once");
	ktap_result(is_cheap(), "accesses to registers");
	ktap_result(records_after_exceptions(), "records after a debug exception");
	ktap_result(clears_calls(false, false, false), "calls after a debug exception");
	ktap_result(clears_calls(false, true, false), "calls of a switch after a debug exception");
	ktap_result(clears_calls(false, false, true), "snapshot after a debug exception");
	ktap_result(clears_calls(true, false, false), "calls after a VM exit");
	ktap_result(finds_registers(false), "registers with records of another kernel");
	ktap_result(finds_registers(true), "registers that record");
	ktap_result(counts_users(), "users of the branch unit");
	ktap_result(changes_type(), "change of the type");
	ktap_result(keeps_types(), "types of branches");
	ktap_result(reads_types(), "reads of types");
	ktap_result(follows_cpuids(), "fields reported by CPUID");
	ktap_result(keeps_addresses(), "addresses beside flags");
	for (i = 0; i < 2; i++) {
		/* The kernel is recorded: by a unit that halts in interrupts, or never freezes. */
		const struct config *config = &configs[i ? 7 : 1];

		snprintf(name, sizeof(name), "%s, snapshot in an interrupt", config->name);
		ktap_result(keeps_stopped(config, !i), name);
	}
	for (i = 0; i < 4; i++) {
		/* The configurations with call stacks */
		const struct config *config = &configs[i < 2 ? 2 : 4];

		snprintf(name, sizeof(name), "%s, after sleep %u", config->name, i % 2);
		ktap_result(keeps_calls(config, i % 2), name);
	}
	return ktap_end();
}
