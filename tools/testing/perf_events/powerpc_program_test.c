// SPDX-License-Identifier: GPL-2.0
/*
 * Event-based branches (the kernel's source), on a processor that is simulated in memory: PMC1
 * counts the steps of a program, which owns the counters. An overflow sets PMAO in MMCR0. With EBE,
 * and PME in BESCR, PMAO sets PMEO in BESCR. The program branches in a step in which BESCR has GE,
 * PME and PMEO. Without EBE, the processor interrupts the kernel while MMCR0 has PMAO. QEMU does so
 * with EBE, too. PMC5 and PMC6 count every step in which nothing freezes them, also without an
 * event.
 *
 * Also the modes of events on processors before ISA 2.07, and the filters of branches.
 */
#define CONFIG_PPC64
#include "powerpc_kernel.h"

/* The registers */

enum {
	SPRN_PMC1 = 1, SPRN_PMC2, SPRN_PMC3, SPRN_PMC4, SPRN_PMC5, SPRN_PMC6, SPRN_PMC7, SPRN_PMC8,
	SPRN_MMCR0, SPRN_MMCR1, SPRN_MMCR2, SPRN_MMCR3, SPRN_MMCRA, SPRN_SIAR, SPRN_SDAR,
	SPRN_SIER, SPRN_SIER2, SPRN_SIER3, SPRN_BESCR, SPRN_END,
};

#define MMCR0_FCHV		0x00000001UL
#define MMCR0_BHRBA		0x00200000UL
#define MMCR0_EBE		0x00100000UL
#define MMCR0_PMCC		0x000c0000UL
#define MMCR0_PMCC_U6		0x00080000UL
#define MMCR0_PMCCEXT		0x00000200UL
#define MMCR0_PMAO		0x00000080UL
#define MMCR0_USER_MASK		(MMCR0_FC | MMCR0_PMXE | MMCR0_PMAO)
#define MMCR2_USER_MASK		0x4020100804020000UL
#define MMCRA_SAMPLE_ENABLE	0x1UL
#define MMCRA_BHRB_DISABLE	0x2000000000UL
#define SIER_USER_MASK		0x7fffffUL
#define BESCR_GE		0x8000000000000000UL
#define BESCR_PME		0x100000000UL
#define PROGRAM_PMEO		0x1UL

/* MMCR0: PMC5 and PMC6 count with the run latch clear; freeze both */
#define MMCR0_C56RUN		0x00000100UL
#define MMCR0_FC56		0x00000010UL

/* Each counter has 9 bits in MMCR2, those of PMC1 from bit 55 on: the counter is frozen if */
#define FREEZE_SUPERVISOR	0x100	/* MSR[HV] = 0, MSR[PR] = 0 */
#define FREEZE_PROBLEM		0x080	/* MSR[HV] = 0, MSR[PR] = 1 */
#define FREEZE_HOST_PROBLEM	0x040	/* MSR[HV] = 1, MSR[PR] = 1 */
#define FREEZE_MARKED		0x020	/* MSR[PMM] = 1 */
#define FREEZE_UNMARKED		0x010	/* MSR[PMM] = 0 */
#define FREEZE_WAIT		0x008	/* the run latch is clear */
#define FREEZE_HYPERVISOR	0x004	/* MSR[HV] = 1, MSR[PR] = 0 */

static unsigned long machine_registers[SPRN_END];
/* EBE does not prevent interrupts. */
static bool machine_is_qemu;

/**
 * struct machine_state - the state of a processor
 * @problem: PR of MSR
 * @hypervisor: HV of MSR
 * @marked: PMM of MSR
 * @waits: the run latch is clear
 */
struct machine_state {
	bool	problem;
	bool	hypervisor;
	bool	marked;
	bool	waits;
};

/* The program and its operating system run under a hypervisor. */
static const struct machine_state machine_program = { .problem = true };

/* The state in which the kernel runs while it reads MMCR0; NULL: reads take no time */
static const struct machine_state *machine_kernel;

static void machine_count_all(const struct machine_state *state);

static unsigned long mfspr(int reg)
{
	if (reg == SPRN_MMCR0 && machine_kernel)
		machine_count_all(machine_kernel);
	return machine_registers[reg];
}

static void mtspr(int reg, unsigned long value)
{
	machine_registers[reg] = value;
}

/* The kernel around these files */

struct thread_struct {
	unsigned long	siar, sdar, sier, sier2, sier3, mmcr2, mmcr3;
	unsigned int	mmcr0, used_ebb;
};

struct task_struct {
	struct thread_struct	thread;
};

static struct task_struct program;

#define current			(&program)
#define CPU_FTR_MMCRA		3
#define CPU_FTR_PMAO_BUG	4
#define BIT_ULL(n)		BIT(n)
#define GENMASK_ULL(h, l)	GENMASK(h, l)
#define MAX_EVENT_ALTERNATIVES	8
#define PPMU_ONLY_COUNT_RUN	0x8
#define PPMU_HAS_SIER		0x10
#define PERF_SAMPLE_BRANCH_PLM_ALL	0x7
#define PERF_SAMPLE_BRANCH_ANY		0x8
#define PERF_SAMPLE_BRANCH_ANY_CALL	0x10
#define PERF_SAMPLE_BRANCH_IND_CALL	0x40
#define PERF_SAMPLE_BRANCH_COND		0x400
#define PERF_SAMPLE_BRANCH_NO_FLAGS	0x4000
#define PERF_SAMPLE_BRANCH_NO_CYCLES	0x8000
#define PERF_SAMPLE_BRANCH_TYPE_SAVE	0x10000
#define PERF_SAMPLE_BRANCH_HW_INDEX	0x20000
#define PERF_SAMPLE_BRANCH_PRIV_SAVE	0x40000
#define PERF_SAMPLE_BRANCH_COUNTERS	0x80000
#define register_power_pmu(pmu)	((void)(pmu), 0)
#define perf_allow_kernel()	0
#define is_kernel_addr(addr)	((addr) >= 0xc000000000000000UL)

#include "../../../arch/powerpc/perf/assign.c"
#include "../../../arch/powerpc/perf/choose.c"
#include "../../../arch/powerpc/perf/isa207.c"
#include "../../../arch/powerpc/perf/registers.c"
#include "../../../arch/powerpc/perf/ebb.c"
#include "../../../arch/powerpc/perf/overflow.c"

struct power_pmu *power_driver;

unsigned long power_bhrb_control(unsigned long mmcra)
{
	return mmcra;
}

void bhrb_clear(void)
{
}

/* An event of an EBB program has no samples, so none of these functions is called. */
#define NEVER()		WARN_ON_ONCE(true)

void power_sample_regs(struct pt_regs *regs)
{
	NEVER();
}

void power_sample_fill(struct perf_event *event, struct perf_sample_data *data,
		       struct pt_regs *regs)
{
	NEVER();
}

void power_event_update(struct perf_event *event)
{
	NEVER();
}

void power_event_stop(struct perf_event *event)
{
	NEVER();
}

void power_event_set_period(struct power_cpu *cpu, struct perf_event *event, int pmc)
{
	NEVER();
}

void power_limited_read(struct power_cpu *cpu)
{
	NEVER();
}

void power_limited_start(struct power_cpu *cpu)
{
	NEVER();
}

bool power_sample_allowed(struct perf_event *event, struct pt_regs *regs)
{
	NEVER();
	return false;
}

u32 power_claim_handle_overflow(struct power_cpu *cpu, struct pt_regs *regs, u32 over)
{
	NEVER();
	return 0;
}

static int perf_event_overflow(struct perf_event *event, struct perf_sample_data *data,
			       struct pt_regs *regs)
{
	NEVER();
	return 0;
}

/* The program */

#define PERIOD	100

static int branches, interrupts;
/* The program waits until it has enabled branches again. */
static bool program_waits;

/* The handler of a branch runs the counter for the next period. */
static void program_branch(void)
{
	branches++;
	machine_registers[SPRN_BESCR] &= ~PROGRAM_PMEO;
	machine_registers[SPRN_PMC1] = PMC_OVERFLOW - PERIOD;
	machine_registers[SPRN_MMCR0] &= ~(MMCR0_PMAO | MMCR0_FC);
	machine_registers[SPRN_MMCR0] |= MMCR0_PMXE;
}

/* Bits of the field of MMCR2 that freeze a counter in @state */
static unsigned long machine_freezes(const struct machine_state *state)
{
	unsigned long bits = state->marked ? FREEZE_MARKED : FREEZE_UNMARKED;

	if (state->hypervisor)
		bits |= state->problem ? FREEZE_HOST_PROBLEM : FREEZE_HYPERVISOR;
	else
		bits |= state->problem ? FREEZE_PROBLEM : FREEZE_SUPERVISOR;
	return state->waits ? bits | FREEZE_WAIT : bits;
}

static bool machine_is_frozen(int pmc, const struct machine_state *state)
{
	unsigned long mmcr0 = machine_registers[SPRN_MMCR0];

	if (mmcr0 & MMCR0_FC)
		return true;
	if (pmc >= PMC_5 && ((mmcr0 & MMCR0_FC56) || (state->waits && !(mmcr0 & MMCR0_C56RUN))))
		return true;
	return machine_registers[SPRN_MMCR2] >> (55 - 9 * (pmc - 1)) & machine_freezes(state);
}

static void machine_count(int pmc, const struct machine_state *state)
{
	unsigned long *mmcr0 = &machine_registers[SPRN_MMCR0];
	unsigned long enabled = pmc == 1 ? MMCR0_PMC1CE : MMCR0_PMCjCE;

	if (machine_is_frozen(pmc, state) || ++machine_registers[pmc] != PMC_OVERFLOW ||
	    !(*mmcr0 & enabled) || !(*mmcr0 & MMCR0_PMXE))
		return;
	*mmcr0 &= ~MMCR0_PMXE;
	*mmcr0 |= MMCR0_PMAO | MMCR0_FC;
}

static void machine_count_all(const struct machine_state *state)
{
	machine_count(1, state);
	machine_count(PMC_5, state);
	machine_count(PMC_6, state);
}

static void machine_request(void)
{
	const unsigned long enabled = MMCR0_EBE | MMCR0_PMAO;

	if ((machine_registers[SPRN_MMCR0] & enabled) == enabled &&
	    (machine_registers[SPRN_BESCR] & BESCR_PME))
		machine_registers[SPRN_BESCR] |= PROGRAM_PMEO;
}

/* Run the program. Return: false if an interrupt repeats forever. */
static bool machine_run(int steps)
{
	const unsigned long ready = BESCR_GE | BESCR_PME | PROGRAM_PMEO;
	struct pt_regs regs = { .user = true };
	int repeats;

	while (steps--) {
		unsigned long *mmcr0 = &machine_registers[SPRN_MMCR0];

		machine_count_all(&machine_program);
		machine_request();
		for (repeats = 0; *mmcr0 & MMCR0_PMAO; repeats++) {
			if ((*mmcr0 & MMCR0_EBE) && !machine_is_qemu)
				break;
			if (repeats == 10)
				return false;
			interrupts++;
			power_interrupt(&regs);
		}
		if (!program_waits && (machine_registers[SPRN_BESCR] & ready) == ready)
			program_branch();
	}
	return true;
}

/* Program the registers for an event on each counter in the mask @used. */
static struct mmcr_regs machine_compute(const struct isa207_layout *layout, unsigned int used)
{
	struct isa207_count counts[PMC_6] = {};
	struct mmcr_regs mmcr;
	int pmc, n = 0;

	for (pmc = 1; pmc <= PMC_6; pmc++) {
		if (!(used & BIT(pmc)))
			continue;
		counts[n].code = pmc == PMC_5 ? ISA207_RUN_INST : pmc == PMC_6 ? ISA207_RUN_CYC :
				 (u64)pmc << 16 | ISA207_ANY_CYC;
		counts[n++].pmc = pmc;
	}
	isa207_compute_mmcr(layout, counts, n, &mmcr);
	mmcr.mmcr0 |= MMCR0_PMXE | MMCR0_FCECE;
	return mmcr;
}

/* The program runs on a CPU with the branches of @pmc. */
static struct power_cpu *program_begin_on(struct power_pmu *driver, bool qemu, int pmc)
{
	static const struct isa207_layout layout;
	struct power_cpu *cpu = &power_cpus;

	memset(machine_registers, 0, sizeof(machine_registers));
	machine_is_qemu = qemu;
	*driver = (struct power_pmu){ .n_counter = 6, .flags = PPMU_ARCH_207S };
	power_driver = driver;
	memset(cpu, 0, sizeof(*cpu));
	cpu->ebb = true;
	cpu->used = BIT(0);
	cpu->counts[0].pmc = pmc;
	cpu->mmcr = machine_compute(&layout, BIT(pmc));
	memset(&program, 0, sizeof(program));
	program.thread.mmcr0 = MMCR0_PMXE;
	branches = 0;
	interrupts = 0;
	program_waits = false;
	power_mmcr_freeze(cpu);
	power_mmcr_write(cpu);
	machine_registers[pmc] = PMC_OVERFLOW - PERIOD;
	machine_registers[SPRN_BESCR] = BESCR_GE | BESCR_PME;
	power_ebb_run(cpu);
	return cpu;
}

static struct power_cpu *program_begin(struct power_pmu *driver, bool qemu)
{
	return program_begin_on(driver, qemu, 1);
}

/* Each overflow is one branch. */
static bool test_branches(bool qemu)
{
	struct power_pmu driver;

	program_begin(&driver, qemu);
	if (!machine_run(10 * PERIOD))
		return false;
	ktap_note("%d branches, %d interrupts", branches, interrupts);
	return branches == 10 && interrupts == (qemu ? 10 : 0);
}

/* The program has its branch when it enables branches after the overflow. */
static bool test_later(bool qemu, unsigned long enable)
{
	struct power_pmu driver;

	program_begin(&driver, qemu);
	machine_registers[SPRN_BESCR] &= ~enable;
	if (!machine_run(2 * PERIOD) || branches)
		return false;
	machine_registers[SPRN_BESCR] |= enable;
	return machine_run(1) && branches == 1;
}

/* The program is switched out and in between the overflow and the branch. */
static bool test_switched(bool qemu)
{
	struct power_pmu driver;
	struct power_cpu *cpu = program_begin(&driver, qemu);

	program_waits = true;
	if (!machine_run(PERIOD))
		return false;
	power_ebb_save(cpu);
	if (!(machine_registers[SPRN_MMCR0] & MMCR0_FC))
		return false;
	power_ebb_run(cpu);
	program_waits = false;
	return machine_run(1) && branches == 1 && machine_run(PERIOD) && branches == 2;
}

/* Switch the program out. */
static void program_switch_out(struct power_cpu *cpu)
{
	power_ebb_save(cpu);
	cpu->ebb = false;
}

/* Add the program's event, and switch the program in. */
static void program_switch_in(struct power_cpu *cpu)
{
	struct perf_event event = {};

	power_ebb_add(cpu, &event);
	power_ebb_run(cpu);
}

/* Set SIER2 and SIER3 as an overflow does. */
static void machine_set_siers(unsigned long value)
{
	machine_registers[SPRN_SIER2] = value;
	machine_registers[SPRN_SIER3] = value;
}

static bool machine_has_siers(unsigned long value)
{
	return machine_registers[SPRN_SIER2] == value && machine_registers[SPRN_SIER3] == value;
}

/*
 * A program's child sees nothing of its parent in SIER2 and SIER3, which a fork copies. Later, the
 * two registers are the child's own.
 */
static bool test_child(void)
{
	struct power_pmu driver;
	struct power_cpu *cpu = program_begin(&driver, false);

	driver.flags |= PPMU_ARCH_31;
	program_switch_in(cpu);
	machine_set_siers(0x1234);
	program_switch_out(cpu);
	/* clear_task_ebb() clears most of the child's state. */
	program.thread.used_ebb = 0;
	program.thread.mmcr0 = 0;
	program.thread.sier = 0;
	program_switch_in(cpu);
	if (!machine_has_siers(0))
		return false;
	machine_set_siers(0x5678);
	program_switch_out(cpu);
	machine_set_siers(0);
	program_switch_in(cpu);
	return machine_has_siers(0x5678) && (machine_registers[SPRN_MMCR0] & MMCR0_PMXE);
}

/* A debugger can set all bits of the saved registers: the program gets only its own bits. */
static bool test_debugger(void)
{
	struct power_pmu driver;
	struct power_cpu *cpu = program_begin(&driver, false);
	unsigned long mmcr0, mmcr2;

	power_ebb_save(cpu);
	program.thread.mmcr0 = MMCR0_USER_MASK;
	program.thread.mmcr2 = MMCR2_USER_MASK;
	power_ebb_run(cpu);
	mmcr0 = machine_registers[SPRN_MMCR0];
	mmcr2 = machine_registers[SPRN_MMCR2];
	power_ebb_save(cpu);
	program.thread.mmcr0 = ~0U;
	program.thread.mmcr2 = ~0UL;
	power_ebb_run(cpu);
	return !(mmcr0 & MMCR0_BHRBA) && machine_registers[SPRN_MMCR0] == mmcr0 &&
	       machine_registers[SPRN_MMCR2] == mmcr2;
}

/*
 * A driver without PPMU_ARCH_31 programs MMCR3, and denies access to programs, if the processor has
 * ISA 3.1.
 */
static bool test_generic_driver(bool v31)
{
	struct power_pmu driver;
	struct power_cpu *cpu = program_begin(&driver, false);
	unsigned long denied, mmcr3;

	program_switch_out(cpu);
	kernel_has_v31 = v31;
	machine_registers[SPRN_MMCR3] = 1;
	power_mmcr_set_unknown(cpu);
	power_mmcr_freeze(cpu);
	power_mmcr_write(cpu);
	power_mmcr_run(cpu, 0);
	kernel_has_v31 = false;
	denied = machine_registers[SPRN_MMCR0] & MMCR0_PMCCEXT;
	mmcr3 = machine_registers[SPRN_MMCR3];
	return v31 ? denied && !mmcr3 : !denied && mmcr3;
}

/*
 * A processor with CPU_FTR_PMAO_BUG needs a true overflow for a pending branch, in any state of the
 * kernel. The counters keep their values.
 */
static bool test_overflow_made(void)
{
	struct power_pmu driver;
	int i, pmc;

	for (i = 0; i < 8; i++) {
		const struct machine_state state = {
			.hypervisor = i & 1, .marked = i & 2, .waits = i & 4,
		};

		power_mmcr_freeze(program_begin(&driver, false));
		for (pmc = 1; pmc <= PMC_6; pmc++)
			machine_registers[pmc] = pmc;
		machine_kernel = &state;
		power_overflow_make();
		machine_kernel = NULL;
		if (!(machine_registers[SPRN_MMCR0] & MMCR0_PMAO)) {
			ktap_note("hypervisor %d, marked %d, waits %d", state.hypervisor,
				  state.marked, state.waits);
			return false;
		}
		for (pmc = 1; pmc <= PMC_6; pmc++) {
			if (machine_registers[pmc] != pmc)
				return false;
		}
	}
	return !harness_warned;
}

/* The interrupt of an event that was removed before the interrupt does not change MMCR0. */
static bool test_late(bool qemu)
{
	struct pt_regs regs = { .user = true };
	struct power_pmu driver;
	unsigned long mmcr0;

	program_begin(&driver, qemu);
	mmcr0 = machine_registers[SPRN_MMCR0];
	power_interrupt(&regs);
	return machine_registers[SPRN_MMCR0] == mmcr0 && machine_run(PERIOD - 1) && !branches &&
	       machine_run(1) && branches == 1;
}

/* Does each of PMC5 and PMC6 count in @state exactly if it is in @used? */
static bool fixed_count(const struct isa207_layout *layout, unsigned int used,
			const struct machine_state *state)
{
	struct mmcr_regs mmcr = machine_compute(layout, used);
	int pmc;

	memset(machine_registers, 0, sizeof(machine_registers));
	machine_registers[SPRN_MMCR0] = mmcr.mmcr0;
	machine_registers[SPRN_MMCR2] = mmcr.mmcr2;
	machine_count_all(state);
	for (pmc = PMC_5; pmc <= PMC_6; pmc++) {
		bool runs = (used & BIT(pmc)) && (!state->waits || layout->fixed_idle);

		if (machine_registers[pmc] == runs)
			continue;
		ktap_note("PMC%d beside %#x: problem %d, hypervisor %d, marked %d, waits %d", pmc,
			  used, state->problem, state->hypervisor, state->marked, state->waits);
		return false;
	}
	return true;
}

/* PMC5 and PMC6 count in no state without an event, and in all states with one. */
static bool test_fixed(bool fixed_idle)
{
	const struct isa207_layout layout = { .fixed_idle = fixed_idle };
	unsigned int used;
	int i;

	for (used = 0; used <= (BIT(1) | BIT(PMC_5) | BIT(PMC_6)); used += 2) {
		for (i = 0; i < 16; i++) {
			const struct machine_state state = {
				.problem = i & 1, .hypervisor = i & 2, .marked = i & 4,
				.waits = i & 8,
			};

			if (!fixed_count(&layout, used, &state))
				return false;
		}
	}
	return true;
}

/* Does MMCR2 freeze @pmc, which has an event that is not counted in @modes, exactly in @modes? */
static bool modes_freeze(int pmc, u32 modes, bool host)
{
	static const struct isa207_layout layout;
	const struct isa207_count count = {
		.code = pmc == PMC_5 ? ISA207_RUN_INST : pmc == PMC_6 ? ISA207_RUN_CYC :
			(u64)pmc << 16 | ISA207_ANY_CYC,
		.modes = modes, .pmc = pmc,
	};
	const struct {
		struct machine_state	state;
		bool			frozen;
	} rows[] = {
		{ { .problem = true, .hypervisor = host }, modes & POWER_NOT_USER },
		{ { .hypervisor = host }, modes & POWER_NOT_KERNEL },
		/* The kernel of a host is its own hypervisor. */
		{ { .hypervisor = true }, modes & (host ? POWER_NOT_KERNEL : POWER_NOT_HV) },
	};
	struct mmcr_regs mmcr;
	int i;

	isa207_compute_mmcr(&layout, &count, 1, &mmcr);
	machine_registers[SPRN_MMCR0] = mmcr.mmcr0;
	machine_registers[SPRN_MMCR2] = mmcr.mmcr2;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		if (machine_is_frozen(pmc, &rows[i].state) == rows[i].frozen)
			continue;
		ktap_note("PMC%d without modes %#x: problem %d, hypervisor %d", pmc, modes,
			  rows[i].state.problem, rows[i].state.hypervisor);
		return false;
	}
	return true;
}

/* An event counts in exactly the modes that it does not exclude, in a host and in a guest. */
static bool test_modes(bool host)
{
	bool ok = true;
	u32 modes;
	int pmc;

	kernel_msr = host ? MSR_HV : 0;
	for (pmc = 1; pmc <= PMC_6; pmc++) {
		for (modes = 0; modes <= POWER_NOT_MODES; modes++)
			ok &= modes_freeze(pmc, modes, host);
	}
	kernel_msr = 0;
	return ok;
}

/* In problem state, only some bits of MMCR2 can be written. */
static void program_freeze(unsigned long bits)
{
	unsigned long *mmcr2 = &machine_registers[SPRN_MMCR2];

	*mmcr2 = (*mmcr2 & ~MMCR2_USER_MASK) | (bits & MMCR2_USER_MASK);
}

/*
 * A program with an event on only one of PMC5 and PMC6 runs the other one neither from the start
 * nor by a write of MMCR2, and has no branch for it. The kernel saves only the program's bits of
 * MMCR2.
 */
static bool test_program_fixed(int used)
{
	int unused = PMC_5 + PMC_6 - used;
	struct power_pmu driver;
	struct power_cpu *cpu = program_begin_on(&driver, false, used);

	machine_registers[unused] = PMC_OVERFLOW - 1;
	if (!machine_run(10) || branches)
		return false;
	program_freeze(0);
	if (!machine_run(10) || branches)
		return false;
	power_ebb_save(cpu);
	if (program.thread.mmcr2)
		return false;
	power_ebb_run(cpu);
	program_freeze(MMCR2_USER_MASK);
	if (!machine_run(10))
		return false;
	power_ebb_save(cpu);
	ktap_note("%d branches, PMC%d: %#lx, PMC%d: %#lx", branches, used, machine_registers[used],
		  unused, machine_registers[unused]);
	return program.thread.mmcr2 == MMCR2_USER_MASK && !branches &&
	       machine_registers[used] == PMC_OVERFLOW - PERIOD + 20 &&
	       machine_registers[unused] == PMC_OVERFLOW - 1;
}

static int test_compute(u64 events[], int n, unsigned int hwc[], struct mmcr_regs *mmcr,
			struct perf_event *pevents[], u32 flags)
{
	hwc[0] = 0;
	return 0;
}

/* MMCR0 of a processor before ISA 2.07, with an event that is not counted in @modes */
static unsigned long mmcr0_of_old(u32 modes)
{
	struct power_pmu driver = { .n_counter = 6, .compute_mmcr = test_compute };
	struct power_code code = { .code = 1 };
	struct power_event_sel sel = { .code = 1, .flags = modes };
	struct power_alternatives alts = { &code, 1 };
	struct power_cpu *cpu = &power_cpus;

	power_driver = &driver;
	memset(cpu, 0, sizeof(*cpu));
	if (power_count_get(cpu, &sel, &alts, false) || !power_counts_fit(cpu) ||
	    !power_counts_assign(cpu))
		return 0;
	return cpu->mmcr.mmcr0;
}

/* Does a processor before ISA 2.07 freeze the counters with @mmcr0 in @state? */
static bool old_is_frozen(unsigned long mmcr0, const struct machine_state *state)
{
	if (state->problem)
		return mmcr0 & MMCR0_FCP;
	return mmcr0 & (state->hypervisor ? MMCR0_FCHV : MMCR0_FCS);
}

/* An event counts in exactly the modes that it does not exclude, with and without HV in MSR. */
static bool test_modes_of_old(bool hv)
{
	const struct machine_state program = { .problem = true, .hypervisor = hv };
	const struct machine_state kernel = { .hypervisor = hv }, host = { .hypervisor = true };
	bool ok = true;
	u32 modes;

	kernel_msr = hv ? MSR_HV : 0;
	for (modes = 0; modes <= POWER_NOT_MODES; modes++) {
		unsigned long mmcr0 = mmcr0_of_old(modes);

		/* With HV in MSR, an event that excludes the hypervisor excludes the kernel. */
		ok &= mmcr0 && old_is_frozen(mmcr0, &program) == !!(modes & POWER_NOT_USER);
		if (hv)
			ok &= old_is_frozen(mmcr0, &kernel) == !!(modes & ~POWER_NOT_USER);
		else
			ok &= old_is_frozen(mmcr0, &kernel) == !!(modes & POWER_NOT_KERNEL) &&
			      old_is_frozen(mmcr0, &host) == !!(modes & POWER_NOT_HV);
		if (!ok) {
			ktap_note("without modes %#x: MMCR0 is %#lx", modes, mmcr0);
			break;
		}
	}
	kernel_msr = 0;
	return ok;
}

/* IFM of MMCRA selects branches: 1 for calls, 2 for indirect branches, 3 for conditional ones */
#define IFM(n)		((unsigned long)(n) << 30)

/* A kind of branch has a filter; flags for the fields of a record change nothing. */
static bool test_branch_filter(bool v31)
{
	static const u64 flags[] = {
		0, 0x7, PERF_SAMPLE_BRANCH_NO_FLAGS, PERF_SAMPLE_BRANCH_NO_CYCLES,
		PERF_SAMPLE_BRANCH_TYPE_SAVE, PERF_SAMPLE_BRANCH_HW_INDEX,
		PERF_SAMPLE_BRANCH_PRIV_SAVE,
		PERF_SAMPLE_BRANCH_NO_FLAGS | PERF_SAMPLE_BRANCH_NO_CYCLES,
	};
	const struct {
		u64	kinds;
		u64	filter;
	} rows[] = {
		{ PERF_SAMPLE_BRANCH_ANY, 0 },
		{ PERF_SAMPLE_BRANCH_ANY_CALL, IFM(1) },
		{ PERF_SAMPLE_BRANCH_IND_CALL, v31 ? IFM(2) : -1 },
		{ PERF_SAMPLE_BRANCH_COND, v31 ? IFM(3) : -1 },
		{ PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_IND_CALL, -1 },
		{ PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_COUNTERS, -1 },
		{ 0, -1 },
	};
	struct power_pmu driver = { .flags = PPMU_ARCH_207S | (v31 ? PPMU_ARCH_31 : 0) };
	int i, j;

	power_driver = &driver;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		for (j = 0; j < ARRAY_SIZE(flags); j++) {
			if (isa207_branch_filter(rows[i].kinds | flags[j]) == rows[i].filter)
				continue;
			ktap_note("branches %#llx with flags %#llx",
				  (unsigned long long)rows[i].kinds, (unsigned long long)flags[j]);
			return false;
		}
	}
	return true;
}

static void results(const char *machine, bool qemu)
{
	const struct {
		const char	*name;
		bool		ok;
	} tests[] = {
		{ "branches", test_branches(qemu) },
		{ "branches_enabled_later", test_later(qemu, BESCR_GE) },
		{ "exceptions_enabled_later", test_later(qemu, BESCR_PME) },
		{ "task_switch_before_branch", test_switched(qemu) },
		{ "late_interrupt", test_late(qemu) },
	};
	char name[80];
	int i;

	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		snprintf(name, sizeof(name), "%s: %s", machine, tests[i].name);
		ktap_result(tests[i].ok, name);
	}
}

int main(void)
{
	ktap_plan(26);
	results("processor", false);
	results("qemu", true);
	ktap_result(test_fixed(false), "fixed_counters");
	ktap_result(test_fixed(true), "fixed_counters_without_run_latch");
	ktap_result(test_modes(false), "modes_of_guest");
	ktap_result(test_modes(true), "modes_of_host");
	ktap_result(test_program_fixed(PMC_5), "program_with_pmc5_alone");
	ktap_result(test_program_fixed(PMC_6), "program_with_pmc6_alone");
	ktap_result(test_child(), "child_of_program");
	ktap_result(test_debugger(), "debugger_of_program");
	ktap_result(test_generic_driver(false), "generic_driver");
	ktap_result(test_generic_driver(true), "generic_driver_of_isa_3.1");
	ktap_result(test_overflow_made(), "overflow_made_in_any_state");
	ktap_result(test_modes_of_old(false), "modes_before_isa_2.07");
	ktap_result(test_modes_of_old(true), "modes_before_isa_2.07_with_hv");
	ktap_result(test_branch_filter(false), "branch_filter");
	ktap_result(test_branch_filter(true), "branch_filter_of_isa_3.1");
	ktap_result(!harness_warned, "warnings");
	return ktap_end();
}
