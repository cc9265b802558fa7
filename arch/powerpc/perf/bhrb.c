// SPDX-License-Identifier: GPL-2.0
/*
 * The branch history rolling buffer (BHRB) of a CPU, recorded as branch stacks of samples.
 *
 * Entry 0 is the newest. An entry has the address of a branch instruction and a bit for a
 * misprediction. A branch to a target in a register has two entries: the target is read first and
 * has the misprediction bit. The target of any other branch is decoded from the instruction. An
 * entry of 0 ends the buffer.
 *
 * The state of a CPU is changed on that CPU with interrupts off. The overflow interrupt reads the
 * buffer while the counters are frozen, which freezes the buffer, too.
 */
#include <linux/percpu.h>
#include <linux/uaccess.h>
#include <asm/page.h>
#include <asm/ppc-opcode.h>

#include "bhrb.h"
#include "engine.h"

/* mfbhrbe without its operands: the target register and the number of the entry */
#define BHRB_READ		0x7c00025c

#define BHRB_MISPREDICTED	0x1ULL
#define BHRB_TARGET		0x2ULL
#define BHRB_ADDRESS		(~0x3ULL)

/* Branches with the target in the instruction: primary opcodes, and the absolute address bit */
#define OPCODE_BRANCH_COND	16
#define OPCODE_BRANCH		18
#define BRANCH_IS_ABSOLUTE	0x2

/**
 * struct bhrb_cpu - the buffer of a CPU
 * @users: number of added events with a branch stack
 * @filter: the filter programmed, from power_pmu::bhrb_filter_map; valid if @users is not 0
 * @context: the task context whose branches are in the buffer, if the users are task events
 * @stack: the branch stack read last
 * @entries: the storage of @stack
 */
struct bhrb_cpu {
	int				users;
	u64				filter;
	struct perf_event_context	*context;
	struct perf_branch_stack	stack;
	struct perf_branch_entry	entries[BHRB_ENTRIES_MAX];
};

static DEFINE_PER_CPU(struct bhrb_cpu, bhrb_cpus);

/* The number of the entry is an immediate operand, so each number has its own instruction. */
static __always_inline unsigned long bhrb_entry(const int n)
{
	unsigned long value;

	asm volatile(".long %2 | (%0 << 21) | (%1 << 11)" : "=r" (value) :
		     "i" (n), "i" (BHRB_READ));
	return value;
}

/**
 * read_bhrb - read an entry of this CPU's buffer
 * @n: number of the entry, 0 for the newest, below BHRB_ENTRIES_MAX
 *
 * Context: any; only on a processor with a BHRB.
 * Return: the entry, 0 if it is empty.
 */
unsigned long read_bhrb(int n)
{
	switch (n) {
	case 0:
		return bhrb_entry(0);
	case 1:
		return bhrb_entry(1);
	case 2:
		return bhrb_entry(2);
	case 3:
		return bhrb_entry(3);
	case 4:
		return bhrb_entry(4);
	case 5:
		return bhrb_entry(5);
	case 6:
		return bhrb_entry(6);
	case 7:
		return bhrb_entry(7);
	case 8:
		return bhrb_entry(8);
	case 9:
		return bhrb_entry(9);
	case 10:
		return bhrb_entry(10);
	case 11:
		return bhrb_entry(11);
	case 12:
		return bhrb_entry(12);
	case 13:
		return bhrb_entry(13);
	case 14:
		return bhrb_entry(14);
	case 15:
		return bhrb_entry(15);
	case 16:
		return bhrb_entry(16);
	case 17:
		return bhrb_entry(17);
	case 18:
		return bhrb_entry(18);
	case 19:
		return bhrb_entry(19);
	case 20:
		return bhrb_entry(20);
	case 21:
		return bhrb_entry(21);
	case 22:
		return bhrb_entry(22);
	case 23:
		return bhrb_entry(23);
	case 24:
		return bhrb_entry(24);
	case 25:
		return bhrb_entry(25);
	case 26:
		return bhrb_entry(26);
	case 27:
		return bhrb_entry(27);
	case 28:
		return bhrb_entry(28);
	case 29:
		return bhrb_entry(29);
	case 30:
		return bhrb_entry(30);
	case 31:
		return bhrb_entry(31);
	default:
		return 0;
	}
}

/**
 * bhrb_clear - clear this CPU's buffer
 *
 * Context: any; only on a processor with a BHRB.
 */
void bhrb_clear(void)
{
	asm volatile(PPC_CLRBHRB);
}

/* Returns the target of the branch @instruction at @from, or 0 if the target is in a register. */
static u64 bhrb_target(u64 from, u32 instruction)
{
	s64 target;

	switch (instruction >> 26) {
	case OPCODE_BRANCH:
		target = sign_extend64(instruction & 0x03fffffc, 25);
		break;
	case OPCODE_BRANCH_COND:
		target = sign_extend64(instruction & 0xfffc, 15);
		break;
	default:
		return 0;
	}
	return instruction & BRANCH_IS_ABSOLUTE ? target : from + target;
}

static bool bhrb_may_show(u64 address, u64 modes)
{
	u64 mode = is_kernel_addr(address) ? PERF_SAMPLE_BRANCH_KERNEL : PERF_SAMPLE_BRANCH_USER;

	return modes & mode;
}

/**
 * bhrb_decode - convert raw BHRB entries to branch entries
 * @out: at least @n branch entries
 * @raw: the raw entries, the newest first
 * @n: number of @raw
 * @modes: PERF_SAMPLE_BRANCH_USER and PERF_SAMPLE_BRANCH_KERNEL: addresses that may be reported
 * @fetch: reads an instruction; called only for addresses within @modes
 *
 * A branch from or to an address outside of @modes is dropped. A target entry without a branch
 * entry is dropped, too: the buffer may have wrapped. An unknown target is reported as 0.
 *
 * Context: any context in which @fetch may be called.
 * Return: number of branch entries in @out.
 */
int bhrb_decode(struct perf_branch_entry *out, const u64 *raw, int n, u64 modes,
		bhrb_fetch_fn fetch)
{
	bool have_target = false, missed;
	u64 target = 0, from, entry = 0;
	u32 instruction;
	int i, found = 0;

	for (i = 0; i < n && raw[i]; i++) {
		from = raw[i] & BHRB_ADDRESS;
		if (raw[i] & BHRB_TARGET) {
			target = from;
			entry = raw[i];
			have_target = true;
			continue;
		}
		missed = (have_target ? entry : raw[i]) & BHRB_MISPREDICTED;
		if (from && bhrb_may_show(from, modes)) {
			if (!have_target && !fetch(from, &instruction))
				target = bhrb_target(from, instruction);
			if (!target || bhrb_may_show(target, modes)) {
				out[found] = (struct perf_branch_entry){
					.from = from,
					.to = target,
					.mispred = missed,
					.predicted = !missed,
				};
				found++;
			}
		}
		target = 0;
		have_target = false;
	}
	return found;
}

/* A user address is in the memory of current, the interrupted task. */
static int bhrb_fetch(u64 address, u32 *instruction)
{
	if (is_kernel_addr(address))
		return copy_from_kernel_nofault(instruction, (void *)address, sizeof(*instruction));
	return copy_from_user_nofault(instruction, (void __user *)address, sizeof(*instruction));
}

static u64 bhrb_filter(const struct perf_event *event)
{
	return power_driver->bhrb_filter_map(event->attr.branch_sample_type);
}

/**
 * power_bhrb_event_init - check whether an event can have a branch stack
 * @event: a new event with a branch stack
 *
 * The core has to call power_bhrb_sched_task() at context switches: PERF_ATTACH_SCHED_CB.
 *
 * Context: process.
 * Return: 0 on success, -EOPNOTSUPP if the processor has no BHRB or cannot filter these branches,
 * -EINVAL if another event of the group needs a different filter, since a CPU has only one filter.
 */
int power_bhrb_event_init(struct perf_event *event)
{
	const struct perf_event *leader = event->group_leader, *other;

	if (!power_driver->bhrb_nr || bhrb_filter(event) == (u64)-1)
		return -EOPNOTSUPP;
	event->attach_state |= PERF_ATTACH_SCHED_CB;
	if (leader == event)
		return 0;
	if (leader->pmu == event->pmu && has_branch_stack(leader) &&
	    bhrb_filter(leader) != bhrb_filter(event))
		return -EINVAL;
	for_each_sibling_event(other, leader) {
		if (other->pmu == event->pmu && has_branch_stack(other) &&
		    bhrb_filter(other) != bhrb_filter(event))
			return -EINVAL;
	}
	return 0;
}

/**
 * power_bhrb_fits - compare an event's branch filter with the programmed one
 * @event: an event with a branch stack, about to be added on this CPU
 *
 * Context: interrupts off.
 * Return: true if the event can be added.
 */
bool power_bhrb_fits(const struct perf_event *event)
{
	const struct bhrb_cpu *cpu = this_cpu_ptr(&bhrb_cpus);

	return !cpu->users || cpu->filter == bhrb_filter(event);
}

/**
 * power_bhrb_add - add a user of this CPU's buffer
 * @event: an event with a branch stack; power_bhrb_fits() is true
 *
 * Clears the branches of another task.
 *
 * Context: interrupts off, PMU disabled.
 */
void power_bhrb_add(struct perf_event *event)
{
	struct bhrb_cpu *cpu = this_cpu_ptr(&bhrb_cpus);

	lockdep_assert_irqs_disabled();
	if (event->ctx->task && cpu->context != event->ctx) {
		bhrb_clear();
		cpu->context = event->ctx;
	}
	if (!cpu->users++)
		cpu->filter = bhrb_filter(event);
	perf_sched_cb_inc(event->pmu);
}

/**
 * power_bhrb_del - undo power_bhrb_add()
 * @event: the event
 *
 * Context: interrupts off, PMU disabled.
 */
void power_bhrb_del(struct perf_event *event)
{
	struct bhrb_cpu *cpu = this_cpu_ptr(&bhrb_cpus);

	lockdep_assert_irqs_disabled();
	if (WARN_ON_ONCE(!cpu->users))
		return;
	if (!--cpu->users)
		cpu->context = NULL;
	perf_sched_cb_dec(event->pmu);
}

/**
 * power_bhrb_control - add the BHRB filter to a value for MMCRA
 * @mmcra: the value without a filter
 *
 * Context: interrupts off.
 * Return: the value to program on this CPU.
 */
unsigned long power_bhrb_control(unsigned long mmcra)
{
	const struct bhrb_cpu *cpu = this_cpu_ptr(&bhrb_cpus);

	if (!cpu->users)
		return mmcra;
	if (power_has(PPMU_ARCH_31))
		mmcra &= ~MMCRA_BHRB_DISABLE;
	return mmcra | cpu->filter;
}

/**
 * power_bhrb_sched_task - clear the branches of the previous task
 * @pmu_ctx: the PMU context of @task, or that of the CPU
 * @task: the task that is switched in or out
 * @sched_in: @task is switched in
 *
 * Context: context switch, interrupts off.
 */
void power_bhrb_sched_task(struct perf_event_pmu_context *pmu_ctx, struct task_struct *task,
			   bool sched_in)
{
	if (power_driver->bhrb_nr && sched_in)
		bhrb_clear();
}

/**
 * power_bhrb_read - read this CPU's buffer for a sample
 * @event: the event that has overflowed
 *
 * Context: overflow interrupt, counters frozen.
 * Return: the branch stack, valid until the next call on this CPU. The stack is empty if the
 * programmed filter is not the one of @event.
 */
struct perf_branch_stack *power_bhrb_read(struct perf_event *event)
{
	struct bhrb_cpu *cpu = this_cpu_ptr(&bhrb_cpus);
	u64 raw[BHRB_ENTRIES_MAX];
	int n;

	cpu->stack.nr = 0;
	cpu->stack.hw_idx = -1ULL;
	if (!cpu->users || cpu->filter != bhrb_filter(event))
		return &cpu->stack;
	for (n = 0; n < min(power_driver->bhrb_nr, BHRB_ENTRIES_MAX); n++) {
		raw[n] = read_bhrb(n);
		if (!raw[n])
			break;
	}
	cpu->stack.nr = bhrb_decode(cpu->stack.entries, raw, n,
				    event->attr.branch_sample_type, bhrb_fetch);
	return &cpu->stack;
}

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
#include "tests/bhrb_test.c"
#endif
