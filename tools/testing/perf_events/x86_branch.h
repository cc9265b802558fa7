/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The branch records of the x86 driver (the kernel's source) on a CPU with simulated registers.
 * Tasks call, return and jump, and interrupts take samples. Each sample is compared with the
 * branches of its task. If the kernel is recorded, the driver's own branches are recorded at each
 * access to a register.
 */
#ifndef _TOOLS_TESTING_PERF_EVENTS_X86_BRANCH_H
#define _TOOLS_TESTING_PERF_EVENTS_X86_BRANCH_H

#include "x86_kernel.h"

#define CONFIG_PERFCTR_COUNTERS
#define __u16 u16
#define __u32 u32
#define __s32 s32
#define __u64 u64
#include "../../../arch/x86/include/asm/perfctr.h"

static int exclusive_users;

int x86_add_exclusive(unsigned int what)
{
	exclusive_users++;
	return 0;
}

void x86_del_exclusive(unsigned int what)
{
	exclusive_users--;
}

static inline void msr_set_bit(u32 msr, int bit);
static inline void msr_clear_bit(u32 msr, int bit);

#include "../../../arch/x86/events/assign.h"
#include "../../../arch/x86/events/engine.h"
#include "../../../arch/x86/events/extra.c"
#include "../../../arch/x86/events/branch_filter.c"
#include "../../../arch/x86/events/branch.c"
#include "../../../arch/x86/events/intel/lbr.c"
#include "../../../arch/x86/events/amd/lbr.c"

struct x86_pmu_cpu x86_pmu_cpu;

#define TASKS		4
#define HISTORY		256
#define REGISTERS	32

/**
 * struct branch - a branch
 * @from: source; the upper half is the number of the task
 * @to: target
 * @kind: X86_BRANCH_*: CALL, RET or JMP
 */
struct branch {
	u64			from;
	u64			to;
	enum x86_branch_kind	kind;
};

/**
 * struct task - the branches of a task
 * @branches: ring of its branches
 * @nr: number of its branches so far
 * @since: @nr when the task or its events were last switched in
 * @calls: calls that the record should have, the innermost last
 * @nr_calls: number of @calls
 * @task: the scheduler's part of the task
 * @context: the perf core's context of its PMU
 * @saved: the driver's saved record
 */
struct task {
	struct branch			branches[HISTORY];
	u64				nr;
	u64				since;
	struct branch			calls[REGISTERS];
	unsigned int			nr_calls;
	struct task_struct		task;
	struct perf_event_pmu_context	context;
	struct x86_branch_saved		saved;
};

static struct task tasks[TASKS];
static struct task *current_task = &tasks[0];

/**
 * struct machine - the CPU
 * @from: source registers
 * @to: target registers
 * @info: info registers
 * @newest: number of the newest register
 * @select: the filter
 * @debugctl: enables recording, on Intel
 * @config: enables recording, on AMD
 * @ctl: filter and enable bit of architectural branch records
 * @frozen: the recording has stopped until the status is acknowledged
 * @from_signs: sources are written with bits 61 and 62 equal to bit 60, and read with 0 there
 * @reads: number of register reads
 * @writes: number of register writes
 * @random: state of the random number generator
 */
struct machine {
	u64		from[REGISTERS];
	u64		to[REGISTERS];
	u64		info[REGISTERS];
	u64		newest;
	u64		select;
	u64		debugctl;
	u64		config;
	u64		ctl;
	bool		frozen;
	bool		from_signs;
	unsigned long	reads;
	unsigned long	writes;
	u64		random;
};

static struct machine machine;

static struct x86_core core;

static inline u64 any(u64 n)
{
	return harness_random(&machine.random) % n;
}

static inline bool is_amd(void)
{
	return core.branches.ops == &lbrv2_ops;
}

static inline bool is_arch(void)
{
	return core.branches.ops == &lbr_arch_ops;
}

static inline bool is_in_row(void)
{
	return is_amd() || is_arch();
}

static inline bool records(const struct branch *b)
{
	static const u64 classes[] = {
		[X86_BRANCH_CALL] = X86_LBR_REL_CALL, [X86_BRANCH_RET] = X86_LBR_RET,
		[X86_BRANCH_JMP] = X86_LBR_REL_JMP,
	};
	bool kernel = (s64)b->to < 0;

	if (machine.frozen)
		return false;
	if (is_arch()) {
		static const u8 bits[] = {
			[X86_BRANCH_CALL] = 19, [X86_BRANCH_RET] = 21, [X86_BRANCH_JMP] = 17,
		};

		return (machine.ctl & 1) && (machine.ctl & (kernel ? 2 : 4)) &&
		       (machine.ctl >> bits[b->kind] & 1);
	}
	if (is_amd() ? !(machine.config & DBG_EXTN_CFG_LBRV2EN) :
		       !(machine.debugctl & DEBUGCTLMSR_LBR))
		return false;
	if (machine.select & (kernel ? X86_LBR_NOT_KERNEL : X86_LBR_NOT_USER))
		return false;
	return !(machine.select & classes[b->kind]);
}

static inline void move_row(int by)
{
	int n = core.branches.nr - 1;

	if (by > 0) {
		memmove(machine.from + 1, machine.from, n * sizeof(u64));
		memmove(machine.to + 1, machine.to, n * sizeof(u64));
		memmove(machine.info + 1, machine.info, n * sizeof(u64));
		return;
	}
	memmove(machine.from, machine.from + 1, n * sizeof(u64));
	memmove(machine.to, machine.to + 1, n * sizeof(u64));
	memmove(machine.info, machine.info + 1, n * sizeof(u64));
	machine.from[n] = 0;
}

/* AMD's erratum 1452: a record that is not a branch, with bit 61 set */
static inline void record_no_branch(const struct branch *b)
{
	move_row(1);
	machine.from[0] = any(2) ? b->from & GENMASK_ULL(57, 0) : 0;
	machine.to[0] = (b->to & GENMASK_ULL(57, 0)) | GENMASK_ULL(63, 61);
}

/* Number of these records in the registers */
static inline u64 no_branches(void)
{
	u64 n = 0;
	int i;

	for (i = 0; i < core.branches.nr && is_amd() && machine.to[i] >> 62; i++)
		n += machine.to[i] >> 61 & 1;
	return n;
}

/* The CPU takes a branch. */
static inline void take(const struct branch *b)
{
	bool stack = is_arch() ? machine.ctl & ARCH_LBR_CTL_STACK :
				 machine.select & X86_LBR_CALL_STACK;

	if (!records(b))
		return;
	if (stack && b->kind == X86_BRANCH_RET) {
		if (is_in_row()) {
			move_row(-1);
			return;
		}
		machine.from[machine.newest] = 0;
		machine.newest = (machine.newest + core.branches.nr - 1) % core.branches.nr;
		return;
	}
	if (is_amd() && !any(8))
		record_no_branch(b);
	if (is_in_row())
		move_row(1);
	else
		machine.newest = (machine.newest + 1) % core.branches.nr;
	machine.from[machine.newest] = b->from;
	machine.to[machine.newest] = b->to | (is_amd() ? BIT_ULL(63) : 0);
	machine.info[machine.newest] = LBR_INFO_MISPRED | (b->from & 0xffff) |
				       (is_arch() ? LBR_INFO_CYC_CNT_VALID : 0);
	if (is_amd()) {
		machine.from[0] &= GENMASK_ULL(57, 0);
		machine.to[0] &= GENMASK_ULL(57, 0) | BIT_ULL(63);
	}
}

/* The driver takes a branch. */
static inline void pass(void)
{
	struct branch b = {
		.from = 0xffffffff81000000ULL + any(0x1000), .to = 0xffffffff82000000ULL,
		.kind = X86_BRANCH_CALL + (any(2) ? 0 : X86_BRANCH_RET - X86_BRANCH_CALL),
	};

	take(&b);
}

static inline u64 *machine_register(u32 msr)
{
	const struct x86_branches *unit = &core.branches;
	u32 i = is_amd() ? (msr - unit->from) / 2 : msr - unit->from;

	if (msr == MSR_LBR_TOS && !is_in_row())
		return &machine.newest;
	if (msr == (is_amd() ? MSR_AMD64_LBR_SELECT : MSR_LBR_SELECT))
		return &machine.select;
	if (msr == MSR_IA32_DEBUGCTLMSR)
		return &machine.debugctl;
	if (msr == MSR_AMD_DBG_EXTN_CFG)
		return &machine.config;
	if (msr == MSR_ARCH_LBR_CTL)
		return &machine.ctl;
	if (is_amd() && msr >= unit->from && i < unit->nr)
		return (msr - unit->from) % 2 ? &machine.to[i] : &machine.from[i];
	if (msr >= unit->from && i < unit->nr)
		return &machine.from[i];
	if (msr >= unit->to && msr < unit->to + unit->nr)
		return &machine.to[msr - unit->to];
	if (unit->info && msr >= unit->info && msr < unit->info + unit->nr)
		return &machine.info[msr - unit->info];
	printf("# register %#x does not exist\n", msr);
	abort();
}

u64 machine_rdmsr(u32 msr)
{
	u64 value;

	machine.reads++;
	value = *machine_register(msr);
	/* The driver takes no branch between the read of MSR_LBR_TOS and the use of its value. */
	if (msr != MSR_LBR_TOS)
		pass();
	return value;
}

void machine_wrmsr(u32 msr, u64 value)
{
	machine.writes++;
	if (msr == MSR_ARCH_LBR_DEPTH) {
		memset(machine.from, 0, sizeof(machine.from));
		return;
	}
	if (machine.from_signs && msr >= core.branches.from &&
	    msr < core.branches.from + core.branches.nr) {
		/* If bits 60 to 62 differ, the write faults, and does not change the register. */
		if ((value >> 60 & 7) != 0 && (value >> 60 & 7) != 7)
			return;
		value &= ~GENMASK_ULL(62, 61);
	}
	*machine_register(msr) = value;
	pass();
}

u64 machine_rdpmc(unsigned int index) { return 0; }
void machine_apic_write(u32 reg, u32 value) { }
u64 machine_clock(void) { return 0; }

static bool interrupted;

bool machine_in_nmi(void)
{
	return interrupted;
}

static inline void msr_set_bit(u32 msr, int bit)
{
	wrmsrl(msr, machine_rdmsr(msr) | BIT_ULL(bit));
}

static inline void msr_clear_bit(u32 msr, int bit)
{
	wrmsrl(msr, machine_rdmsr(msr) & ~BIT_ULL(bit));
}

void x86_acknowledge_bits(struct x86_pmu_cpu *cpu, u64 status)
{
	if (status & X86_STATUS_BRANCHES_FROZEN)
		machine.frozen = false;
}

enum x86_branch_kind x86_branch_kind_at(u64 from, u64 to, bool aborted, bool fused)
{
	return from & 3 ? X86_BRANCH_CALL + (from & 3) : X86_BRANCH_NONE;
}

static int sched_cb;

void perf_sched_cb_inc(struct pmu *pmu)
{
	sched_cb++;
}

void perf_sched_cb_dec(struct pmu *pmu)
{
	sched_cb--;
	assert(sched_cb >= 0);
}

/* Events */

static struct perf_event events[3];
static bool on[3];

static inline void open_event(int i, u64 type)
{
	struct perf_event *event = &events[i];

	*event = (struct perf_event){ .pmu = &core.pmu };
	event->attr.branch = true;
	event->attr.branch_sample_type = type;
	harness_warn(x86_branch_init_event(event), "an event is refused", __FILE__, __LINE__);
}

static inline void enable_pmu(void)
{
	if (x86_pmu_cpu.branch.changed)
		x86_branch_reprogram(&x86_pmu_cpu);
}

static inline bool has_users(void)
{
	return on[0] || on[1] || on[2];
}

static inline bool is_stack(void)
{
	return events[0].attr.branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK;
}

/* Samples of @task must have no earlier branches, except calls if @keep_calls. */
static inline void begin(struct task *task, bool keep_calls)
{
	task->since = task->nr;
	if (!keep_calls)
		task->nr_calls = 0;
}

/* A deep idle state clears the registers. */
static inline void sleep_deeply(void)
{
	memset(machine.from, 0, sizeof(machine.from));
	memset(machine.to, 0, sizeof(machine.to));
	memset(machine.info, 0, sizeof(machine.info));
	machine.newest = 0;
}

/*
 * A debug exception disables the model-specific LBR: SDM, "Monitoring Branches, Exceptions, and
 * Interrupts".
 */
static inline void raise_debug_exception(void)
{
	machine.debugctl &= ~DEBUGCTLMSR_LBR;
}

static inline void run_task(u64 steps)
{
	struct task *task = current_task;

	while (steps--) {
		struct branch b = {
			.from = (task - tasks + 1) << 32 | task->nr << 4 | 1 | any(16) << 28,
			.to = (task - tasks + 1) << 32 | any(1 << 20) << 4,
			.kind = X86_BRANCH_JMP,
		};

		if (any(3))
			b.kind = any(9) < 5 ? X86_BRANCH_CALL : X86_BRANCH_RET;
		take(&b);
		task->branches[task->nr++ % HISTORY] = b;
		if (!has_users() || !is_stack())
			continue;
		if (b.kind == X86_BRANCH_RET && task->nr_calls) {
			task->nr_calls--;
		} else if (b.kind == X86_BRANCH_CALL) {
			if (task->nr_calls == core.branches.nr)
				memmove(task->calls, task->calls + 1,
					--task->nr_calls * sizeof(b));
			task->calls[task->nr_calls++] = b;
		}
	}
}

static inline bool is_branch(const struct perf_branch_entry *e, const struct branch *b, u64 type)
{
	bool flags = !(type & PERF_SAMPLE_BRANCH_NO_FLAGS);
	bool cycles = !(type & PERF_SAMPLE_BRANCH_NO_CYCLES);

	if (e->from != b->from || e->to != b->to)
		return false;
	if (is_amd())
		return !e->mispred && e->predicted && e->spec == PERF_BR_NON_SPEC_CORRECT_PATH;
	return (!flags || e->mispred) && e->cycles == (cycles ? (u16)b->from : 0);
}

/* Does a sample match the branches of its task? */
static inline bool is_right(const struct perf_event *event, const struct perf_branch_stack *stack)
{
	const u64 type = event->attr.branch_sample_type;
	struct task *task = current_task;
	u64 i, n = task->nr, most, least;

	most = core.branches.nr - no_branches();
	most = is_stack() ? task->nr_calls : min(task->nr - task->since, most);
	/* A branch of the kernel replaces a branch of the task, so the length is the same. */
	least = most;
	for (i = 0; i < stack->nr; i++) {
		const struct perf_branch_entry *e = &stack->entries[i];
		const struct branch *b = NULL;

		if ((s64)e->from < 0) {
			if (!(type & PERF_SAMPLE_BRANCH_KERNEL))
				break;
			most = min(most, core.branches.nr - 1);
			continue;
		}
		if (is_stack())
			b = i < most ? &task->calls[most - 1 - i] : NULL;
		else if (n > task->since)
			b = &task->branches[--n % HISTORY];
		if (!b || !is_branch(e, b, type))
			break;
	}
	if (i < stack->nr || stack->nr < least ||
	    (!(type & PERF_SAMPLE_BRANCH_KERNEL) && stack->nr != most)) {
		printf("# entry %llu of %llu is wrong, %llu expected: task %d, from %#llx\n",
		       (unsigned long long)i, (unsigned long long)stack->nr,
		       (unsigned long long)most, (int)(task - tasks),
		       (unsigned long long)stack->entries[i].from);
		return false;
	}
	return true;
}

/*
 * The overflow interrupts a call or a return. If the model-specific LBR freezes then, in call stack
 * mode hardware moves the index of the newest record.
 */
static inline void freeze(void)
{
	if (!is_in_row() && !is_amd() && (machine.select & X86_LBR_CALL_STACK) &&
	    (machine.debugctl & DEBUGCTLMSR_FREEZE_LBRS_ON_PMI))
		machine.newest = (machine.newest + 1) % core.branches.nr;
}

/* An interrupt takes samples while the driver writes a sample without branches. */
static inline bool sample(void)
{
	struct x86_pmu_cpu *cpu = &x86_pmu_cpu;
	struct perf_sample_data data, drained;
	u64 later, frozen;
	int i;

	x86_branch_sample_of(cpu, &events[0], &drained, NULL, 0, -1ULL);
	interrupted = true;
	freeze();
	later = x86_branch_begin_interrupt(cpu);
	/* The overflow has stopped the recording, unless DEBUGCTL was not that of the host. */
	frozen = any(2) ? 0 : later;
	machine.frozen = frozen;
	x86_branch_check_frozen(cpu, frozen);
	for (i = 0; i < ARRAY_SIZE(events); i++) {
		if (!on[i])
			continue;
		data.br_stack = NULL;
		x86_branch_sample(cpu, &events[i], &data);
		if (!data.br_stack || !is_right(&events[i], data.br_stack))
			return false;
	}
	x86_branch_end_interrupt(cpu, frozen);
	interrupted = false;
	return !drained.br_stack->nr && drained.br_stack->hw_idx == -1ULL;
}

/**
 * struct config - a CPU and the requests of its events
 * @name: name for the log
 * @unit: branch unit of the CPU
 * @capabilities: Intel's capabilities, with the format in the lowest bits
 * @features: of CPUID
 * @type: branch_sample_type of all events, without bits that need no filter
 */
struct config {
	const char			*name;
	const struct x86_branch_unit	*unit;
	u64				capabilities;
	u32				features;
	u64				type;
};

#define USER	(PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY)
#define KERNEL	(PERF_SAMPLE_BRANCH_KERNEL | USER)
#define STACK	(PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK)

static const struct config configs[] = {
	{ "skylake, user", &x86_lbr_skylake, 5, 0, USER },
	{ "skylake, all", &x86_lbr_skylake, 5, 0, KERNEL },
	{ "skylake, calls", &x86_lbr_skylake, 5, 0, STACK },
	{ "architectural, user", &x86_lbr_arch, 0, BIT(X86_FEATURE_ARCH_LBR), USER },
	{ "architectural, calls", &x86_lbr_arch, 0, BIT(X86_FEATURE_ARCH_LBR), STACK },
	{ "architectural, all", &x86_lbr_arch, 0, BIT(X86_FEATURE_ARCH_LBR), KERNEL },
	{ "amd, user", &x86_lbr_amd, 0,
	  BIT(X86_FEATURE_AMD_LBR_V2) | BIT(X86_FEATURE_AMD_LBR_PMC_FREEZE), USER },
	{ "amd, all", &x86_lbr_amd, 0, BIT(X86_FEATURE_AMD_LBR_V2), KERNEL },
	{ "amd, all, freezes", &x86_lbr_amd, 0,
	  BIT(X86_FEATURE_AMD_LBR_V2) | BIT(X86_FEATURE_AMD_LBR_PMC_FREEZE), KERNEL },
};

static inline void start(const struct config *config, u64 seed)
{
	static struct x86_model model;
	int i;

	model = (struct x86_model){ .branches = config->unit };
	features = config->features;
	memset(&machine, 0, sizeof(machine));
	memset(tasks, 0, sizeof(tasks));
	memset(&x86_pmu_cpu, 0, sizeof(x86_pmu_cpu));
	memset(on, 0, sizeof(on));
	machine.random = seed;
	sched_cb = 0;
	core = (struct x86_core){
		.model = &model, .version = 4, .capabilities = config->capabilities,
	};
	/* x86_branch_probe() accesses registers, and is_amd() must be right before that. */
	core.branches.ops = config->unit == &x86_lbr_amd ? &lbrv2_ops : &lbr_ops;
	x86_pmu_cpu.core = &core;
	x86_extra_init(0, &core);
	x86_extra_set_all_unknown(&x86_pmu_cpu);
	x86_branch_probe(&core);
	x86_branch_reset(&x86_pmu_cpu);
	for (i = 0; i < REGISTERS; i++) {
		machine.from[i] = 0x600000000ULL + i;
		machine.to[i] = 0x600000000ULL | BIT_ULL(63);
	}
	for (i = 0; i < TASKS; i++)
		tasks[i].context.task_ctx_data = &tasks[i].saved;
	for (i = 0; i < ARRAY_SIZE(events); i++)
		open_event(i, config->type | (any(2) ? PERF_SAMPLE_BRANCH_NO_CYCLES : 0) |
				      (any(2) ? PERF_SAMPLE_BRANCH_NO_FLAGS : 0));
	current_task = &tasks[0];
}

#endif
