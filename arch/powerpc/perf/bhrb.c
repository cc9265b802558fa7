// SPDX-License-Identifier: GPL-2.0
/*
 * The branch history buffer (BHRB) of a CPU, as branch stacks of samples.
 *
 * The newest entry is read first. An entry is the address of a branch, with a bit that says whether
 * it was mispredicted. For a branch whose target is in a register, the entry read before is that
 * target, and has that bit. Other targets stand in the branch's instruction. 0 ends the buffer.
 *
 * All of a CPU's is changed on that CPU with interrupts off, and read by its overflow interrupt
 * while the counters are frozen, and the buffer with them.
 */
#include <linux/percpu.h>
#include <linux/uaccess.h>
#include <asm/page.h>
#include <asm/ppc-opcode.h>

#include "bhrb.h"
#include "engine.h"

/* mfbhrbe; the register and the number of the entry are zero. */
#define BHRB_READ		0x7c00025c

#define BHRB_MISPREDICTED	0x1ULL
#define BHRB_TARGET		0x2ULL
#define BHRB_ADDRESS		(~0x3ULL)

/* Branches whose instruction has the target: their primary opcodes, and fields. */
#define OPCODE_BRANCH_COND	16
#define OPCODE_BRANCH		18
#define BRANCH_IS_ABSOLUTE	0x2

/**
 * struct bhrb_cpu - the buffer of a CPU
 * @users: added events that sample it
 * @filter: of the branches that it has, by bhrb_filter_map(); valid while there are users
 * @context: whose branches it may have, where its users are a task's
 * @stack: the last that was read
 * @entries: the storage behind @stack
 */
struct bhrb_cpu {
	int				users;
	u64				filter;
	struct perf_event_context	*context;
	struct perf_branch_stack	stack;
	struct perf_branch_entry	entries[BHRB_ENTRIES_MAX];
};

static DEFINE_PER_CPU(struct bhrb_cpu, bhrb_cpus);

/* The number of an entry is part of the instruction that reads it. */
static __always_inline unsigned long bhrb_entry(const int n)
{
	unsigned long value;

	asm volatile(".long %2 | (%0 << 21) | (%1 << 11)" : "=r" (value) :
		     "i" (n), "i" (BHRB_READ));
	return value;
}

/**
 * read_bhrb - read an entry of this CPU's buffer
 * @n: from 0, the newest, below BHRB_ENTRIES_MAX
 *
 * 0 if there is none. Only on a processor that has the buffer.
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

static void bhrb_clear(void)
{
	asm volatile(PPC_CLRBHRB);
}

/* The target of the branch @instruction at @from, or 0 where the instruction does not tell. */
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
 * bhrb_decode - make branches of what a buffer has
 * @out: gets at most @n
 * @raw: the entries as they are read, the newest first
 * @n: so many
 * @modes: PERF_SAMPLE_BRANCH_USER, PERF_SAMPLE_BRANCH_KERNEL: which addresses may be told
 * @fetch: reads an instruction; only called for addresses that may be told
 *
 * Returns how many branches there are. A branch that leads from or to what may not be told is left
 * out. Targets without a branch, as where the buffer has run over, are no branches. The target is
 * 0 where it cannot be known. Any context that @fetch allows.
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

/* User addresses are those of the task that the counters' interrupt has interrupted. */
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
 * power_bhrb_event_init - may an event have branch stacks?
 * @event: asks for them
 *
 * Process context. The core is asked to call power_bhrb_sched_task() at each switch between tasks.
 *
 * Return: 0; -EOPNOTSUPP on a processor without a buffer, and for branches that its filter cannot
 * tell apart; -EINVAL in a group whose members want different branches, since there is one filter.
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
 * power_bhrb_fits - does an event want the branches that the buffer has?
 * @event: has branch stacks, and is about to be added on this CPU
 *
 * Interrupts are off.
 */
bool power_bhrb_fits(const struct perf_event *event)
{
	const struct bhrb_cpu *cpu = this_cpu_ptr(&bhrb_cpus);

	return !cpu->users || cpu->filter == bhrb_filter(event);
}

/**
 * power_bhrb_add - an event with branch stacks is added
 * @event: on this CPU, interrupts off, the PMU disabled; power_bhrb_fits()
 *
 * Branches of another task are forgotten.
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
 * power_bhrb_del - an event with branch stacks is removed
 * @event: on this CPU, interrupts off, the PMU disabled
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
 * power_bhrb_control - what MMCRA is to be, with the buffer as its users want it
 * @mmcra: what it is to be otherwise
 *
 * On this CPU, interrupts off.
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
 * power_bhrb_sched_task - forget the branches of the task before
 * @pmu_ctx: of the task that comes or goes
 * @task: the task
 * @sched_in: it comes
 *
 * The scheduler's context switch, interrupts off.
 */
void power_bhrb_sched_task(struct perf_event_pmu_context *pmu_ctx, struct task_struct *task,
			   bool sched_in)
{
	if (power_driver->bhrb_nr && sched_in)
		bhrb_clear();
}

/**
 * power_bhrb_read - read this CPU's buffer for an event's sample
 * @event: overflows
 *
 * The result stands until the next call on this CPU. It is empty for an event that asks for other
 * branches than the buffer records. Overflow interrupt, with the counters frozen.
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
