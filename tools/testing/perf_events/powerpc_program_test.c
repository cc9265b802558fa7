// SPDX-License-Identifier: GPL-2.0
/*
 * Event-based branches (the kernel's source), on a processor that is simulated in memory: PMC1
 * counts the steps of a program, which owns the counters. An overflow sets PMAO in MMCR0. With EBE,
 * and PME in BESCR, PMAO sets PMEO in BESCR. The program branches in a step in which BESCR has GE,
 * PME and PMEO. Without EBE, the processor interrupts the kernel while MMCR0 has PMAO. QEMU does so
 * with EBE, too.
 */
#define CONFIG_PPC64
#include "powerpc_kernel.h"

/* The registers */

enum {
	SPRN_PMC1 = 1, SPRN_PMC2, SPRN_PMC3, SPRN_PMC4, SPRN_PMC5, SPRN_PMC6, SPRN_PMC7, SPRN_PMC8,
	SPRN_MMCR0, SPRN_MMCR1, SPRN_MMCR2, SPRN_MMCR3, SPRN_MMCRA, SPRN_SIAR, SPRN_SDAR,
	SPRN_SIER, SPRN_SIER2, SPRN_SIER3, SPRN_BESCR, SPRN_END,
};

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

static unsigned long machine_registers[SPRN_END];
/* EBE does not prevent interrupts. */
static bool machine_is_qemu;

static unsigned long mfspr(int reg)
{
	return machine_registers[reg];
}

static void mtspr(int reg, unsigned long value)
{
	machine_registers[reg] = value;
}

/* The kernel around these files */

struct thread_struct {
	unsigned long	siar, sdar, sier, sier2, sier3, mmcr2, mmcr3;
	unsigned int	mmcr0;
};

struct task_struct {
	struct thread_struct	thread;
};

static struct task_struct program;

#define current			(&program)
#define CPU_FTR_MMCRA		2
#define CPU_FTR_ARCH_31		3
#define CPU_FTR_PMAO_BUG	4

#include "../../../arch/powerpc/perf/registers.c"
#include "../../../arch/powerpc/perf/overflow.c"

struct power_pmu *power_driver;

unsigned long power_bhrb_control(unsigned long mmcra)
{
	return mmcra;
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

void power_event_read(struct perf_event *event)
{
	NEVER();
}

void power_event_halt(struct perf_event *event)
{
	NEVER();
}

void power_event_arm(struct power_cpu *cpu, struct perf_event *event, int pmc)
{
	NEVER();
}

void power_limited_read(struct power_cpu *cpu)
{
	NEVER();
}

void power_limited_arm(struct power_cpu *cpu)
{
	NEVER();
}

bool power_sample_allowed(struct perf_event *event, struct pt_regs *regs)
{
	NEVER();
	return false;
}

u32 power_claim_serve(struct power_cpu *cpu, struct pt_regs *regs, u32 over)
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

static void machine_count(void)
{
	unsigned long *mmcr0 = &machine_registers[SPRN_MMCR0];

	if ((*mmcr0 & MMCR0_FC) || ++machine_registers[SPRN_PMC1] != PMC_OVERFLOW ||
	    !(*mmcr0 & MMCR0_PMXE))
		return;
	*mmcr0 &= ~MMCR0_PMXE;
	*mmcr0 |= MMCR0_PMAO | MMCR0_FC;
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

		machine_count();
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

/* The program runs on a CPU with the branches of PMC1. */
static struct power_cpu *program_begin(struct power_pmu *driver, bool qemu)
{
	struct power_cpu *cpu = &power_cpus;

	memset(machine_registers, 0, sizeof(machine_registers));
	machine_is_qemu = qemu;
	*driver = (struct power_pmu){ .n_counter = 6, .flags = PPMU_ARCH_207S };
	power_driver = driver;
	memset(cpu, 0, sizeof(*cpu));
	cpu->ebb = true;
	cpu->used = BIT(0);
	cpu->counts[0].pmc = 1;
	cpu->mmcr.mmcr0 = MMCR0_PMXE | MMCR0_FCECE | MMCR0_PMC1CE;
	memset(&program, 0, sizeof(program));
	program.thread.mmcr0 = MMCR0_PMXE;
	branches = 0;
	interrupts = 0;
	program_waits = false;
	power_control_freeze(cpu);
	power_control_write(cpu);
	machine_registers[SPRN_PMC1] = PMC_OVERFLOW - PERIOD;
	machine_registers[SPRN_BESCR] = BESCR_GE | BESCR_PME;
	power_user_run(cpu);
	return cpu;
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
	power_user_save(cpu);
	if (!(machine_registers[SPRN_MMCR0] & MMCR0_FC))
		return false;
	power_user_run(cpu);
	program_waits = false;
	return machine_run(1) && branches == 1 && machine_run(PERIOD) && branches == 2;
}

/* An interrupt for an event that was removed before it */
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
	ktap_plan(11);
	results("processor", false);
	results("qemu", true);
	ktap_result(!harness_warned, "warnings");
	return ktap_end();
}
