// SPDX-License-Identifier: GPL-2.0
/*
 * perfctr: the low-level driver checks controls, and runs the counters of a struct
 * perfctr_cpu_state. A struct power_claim (a claim) reserves these counters in perf's PMU driver,
 * which writes all registers.
 *
 * The overflow interrupt can interrupt code with interrupts off, so the interrupt cannot send a
 * signal. The interrupt saves the counters of the state, and later counts are ignored. An irq_work
 * then calls the handler of the high-level driver.
 */
#include <linux/cpumask.h>
#include <linux/export.h>
#include <linux/irq_work.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/perfctr.h>
#include <linux/string.h>
#include <linux/timex.h>
#include <asm/cputable.h>
#include <asm/hw_irq.h>
#include <asm/time.h>
#include "claim.h"
#include "engine.h"
#include "isa207.h"
#include "perfctr_rules.h"
#include "perfctr_state.h"

static_assert(sizeof(struct vperfctr_control) == 212);
static_assert(offsetof(struct vperfctr_control, preserve) == 192);
static_assert(sizeof(struct perfctr_sum_ctrs) == 72);
static_assert(offsetof(struct perfctr_sum_ctrs, pmc) == 8);
static_assert(sizeof(struct perfctr_cpu_control) == 188);
static_assert(offsetof(struct perfctr_cpu_control, pmc_map) == 12);
static_assert(offsetof(struct perfctr_cpu_control, evntsel) == 44);
static_assert(offsetof(struct perfctr_cpu_control, evntsel_high) == 76);
static_assert(offsetof(struct perfctr_cpu_control, modes) == 108);
static_assert(offsetof(struct perfctr_cpu_control, ireset) == 140);
static_assert(offsetof(struct perfctr_cpu_control, reserved) == 172);
static_assert(offsetof(struct perfctr_cpu_state, tsc_start) == 12);
static_assert(offsetof(struct perfctr_cpu_state, tsc_sum) == 16);
static_assert(offsetof(struct perfctr_cpu_state, pmc) == 24);
static_assert(sizeof_field(struct perfctr_cpu_state, pmc[0]) == 16);
static_assert(offsetof(struct perfctr_cpu_state, control) == 152);

/**
 * struct perfctr_this_cpu - perfctr's state of one CPU
 * @state: the state that runs on this CPU; NULL: none
 * @work: calls the high-level driver after an overflow
 * @pc: program counter at the overflow
 * @stopped: the counters of @state have stopped at @values; later counts are ignored
 * @values: values of all counters at the overflow, PMC1 first
 */
struct perfctr_this_cpu {
	struct perfctr_cpu_state	*state;
	struct irq_work			work;
	unsigned long			pc;
	bool				stopped;
	u32				values[MAX_HWEVENTS];
};

static DEFINE_PER_CPU(struct perfctr_this_cpu, perfctr_this_cpu);

/* Constant after perfctr_cpu_init() */
static struct perfctr_cpu_kind perfctr_kind;

/* Name of the CPU type; NULL before perfctr_cpu_init() */
const char *perfctr_cpu_name;
EXPORT_SYMBOL_GPL(perfctr_cpu_name);

static perfctr_ihandler_t perfctr_ihandler;

/* struct perfctr_layer on the registers of this CPU */

static u32 perfctr_hw_tsc(void)
{
	return get_cycles();
}

static int perfctr_hw_get(const struct power_claim *claim)
{
	return power_claim_get(claim);
}

static u32 perfctr_hw_read(int counter)
{
	const struct perfctr_this_cpu *this = this_cpu_ptr(&perfctr_this_cpu);

	return this->stopped ? this->values[counter - 1] : power_pmc_read(counter);
}

static void perfctr_hw_set(int counter, u32 value)
{
	power_pmc_write(counter, value);
}

static void perfctr_hw_start(const struct power_claim *claim)
{
	power_claim_start(claim);
}

static void perfctr_hw_stop(void)
{
	perf_pmu_disable(&power_pmu_ops);
}

static void perfctr_hw_put(const struct power_claim *claim)
{
	power_claim_put(claim);
	perf_pmu_enable(&power_pmu_ops);
}

static const struct perfctr_layer perfctr_hw = {
	.tsc	= perfctr_hw_tsc,
	.get	= perfctr_hw_get,
	.read	= perfctr_hw_read,
	.set	= perfctr_hw_set,
	.start	= perfctr_hw_start,
	.stop	= perfctr_hw_stop,
	.put	= perfctr_hw_put,
};

/**
 * perfctr_cpu_resume - run the counters of a state
 * @state: the state; must not run
 *
 * Interrupting counters continue from their start values, the others from 0.
 *
 * Context: preemption off until perfctr_cpu_suspend(), which must be called before a context
 * switch.
 * Return: 0 on success; -EBUSY with no counter running if perf's pinned events need the counters;
 * -EINVAL if @state does not match its claim.
 */
int perfctr_cpu_resume(struct perfctr_cpu_state *state)
{
	struct perfctr_this_cpu *this;
	unsigned long flags;
	int err = -EBUSY;

	lockdep_assert_preemption_disabled();
	power_interrupt_off(flags);
	this = this_cpu_ptr(&perfctr_this_cpu);
	if (!WARN_ON_ONCE(this->state)) {
		this->stopped = false;
		err = perfctr_state_resume(&perfctr_hw, state);
		if (!err)
			this->state = state;
	}
	power_interrupt_on(flags);
	return err;
}
EXPORT_SYMBOL_GPL(perfctr_cpu_resume);

/**
 * perfctr_cpu_suspend - stop the counters of a state, and update its sums
 * @state: the state, running on this CPU
 *
 * Context: preemption off.
 */
void perfctr_cpu_suspend(struct perfctr_cpu_state *state)
{
	struct perfctr_this_cpu *this;
	unsigned long flags;

	lockdep_assert_preemption_disabled();
	power_interrupt_off(flags);
	this = this_cpu_ptr(&perfctr_this_cpu);
	if (!WARN_ON_ONCE(this->state != state)) {
		perfctr_state_suspend(&perfctr_hw, state);
		this->state = NULL;
		power_claim_resched();
	}
	power_interrupt_on(flags);
}
EXPORT_SYMBOL_GPL(perfctr_cpu_suspend);

/**
 * perfctr_cpu_hide - hide the previous thread's counts from the next thread
 * @prev: the previous thread, with a suspended state
 * @next: the next thread
 *
 * Does nothing: the counters were cleared when the state was suspended.
 *
 * Context: context switch, interrupts off.
 */
void perfctr_cpu_hide(const struct task_struct *prev, const struct task_struct *next)
{
}
EXPORT_SYMBOL_GPL(perfctr_cpu_hide);

/**
 * perfctr_cpu_hand_over - announce that another state is resumed next on this CPU
 *
 * Does nothing: counters do not run on from one state to another.
 *
 * Context: interrupts off from before perfctr_cpu_suspend() until after perfctr_cpu_resume().
 */
void perfctr_cpu_hand_over(void)
{
}
EXPORT_SYMBOL_GPL(perfctr_cpu_hand_over);

/**
 * perfctr_cpu_sample - update the sums of a running state
 * @state: the state, running on this CPU
 *
 * The sums of interrupting counters are updated only by perfctr_cpu_suspend().
 *
 * Context: preemption off.
 */
void perfctr_cpu_sample(struct perfctr_cpu_state *state)
{
	unsigned long flags;

	lockdep_assert_preemption_disabled();
	power_interrupt_off(flags);
	if (!WARN_ON_ONCE(__this_cpu_read(perfctr_this_cpu.state) != state))
		perfctr_state_sample(&perfctr_hw, state);
	power_interrupt_on(flags);
}
EXPORT_SYMBOL_GPL(perfctr_cpu_sample);

/**
 * perfctr_cpu_identify_overflow - find the counters that have overflowed, and reset them
 * @state: the state, suspended
 *
 * The counters get their start values from the control.
 *
 * Context: preemption off since @state was suspended.
 * Return: mask of the counters, by index in the control.
 */
unsigned int perfctr_cpu_identify_overflow(struct perfctr_cpu_state *state)
{
	WARN_ON_ONCE(raw_cpu_read(perfctr_this_cpu.state) == state);
	return perfctr_state_identify(state);
}
EXPORT_SYMBOL_GPL(perfctr_cpu_identify_overflow);

/**
 * perfctr_cpu_overflowed - check for an overflow that was not reported
 * @state: the state, suspended
 *
 * If the state is suspended before the overflow interrupt, the interrupt does not report the
 * overflow: vperfctr_resume() calls this function to find the overflow.
 *
 * Return: true if a counter has overflowed.
 */
bool perfctr_cpu_overflowed(const struct perfctr_cpu_state *state)
{
	return perfctr_state_overflowed(state);
}
EXPORT_SYMBOL_GPL(perfctr_cpu_overflowed);

/**
 * perfctr_cpu_ireload - program interrupting counters at the next resume, even if unchanged
 * @state: the state, suspended
 *
 * Does nothing: perfctr_cpu_resume() always programs interrupting counters.
 */
void perfctr_cpu_ireload(struct perfctr_cpu_state *state)
{
}
EXPORT_SYMBOL_GPL(perfctr_cpu_ireload);

/**
 * perfctr_cpu_restart - hide the counts so far from a new program of the same thread
 * @state: the state, suspended
 *
 * Begin a new period of all interrupting counters: otherwise their values would include what the
 * thread has counted since their last overflow. An overflow that was not reported is lost, unless
 * @state->revoked has it. The other counters start at 0 in perfctr_cpu_resume().
 *
 * Context: interrupts off from before perfctr_cpu_suspend() until after perfctr_cpu_resume().
 */
void perfctr_cpu_restart(struct perfctr_cpu_state *state)
{
	lockdep_assert_irqs_disabled();
	perfctr_state_restart(state);
}
EXPORT_SYMBOL_GPL(perfctr_cpu_restart);

/**
 * perfctr_cpu_update_control - check and use a new control
 * @state: the state, not running, with the new @state->control
 * @is_global: the control is not of a thread; the rules are the same
 *
 * If the control is refused, nothing in @state is enabled, not even the time base. Does not sleep.
 *
 * Return: 0 on success; -EPERM if the control has reserved bits, or needs interrupts that are not
 * supported (see perfctr_check()); -EINVAL if it is invalid, or if the counters cannot count these
 * events at once.
 */
int perfctr_cpu_update_control(struct perfctr_cpu_state *state, int is_global)
{
	struct power_claim *claim = perfctr_claim(state);
	int err;

	WARN_ON_ONCE(raw_cpu_read(perfctr_this_cpu.state) == state);
	state->cstatus = 0;
	state->revoked = 0;
	err = perfctr_check(&perfctr_kind, &state->control, claim);
	if (!err && claim->n)
		err = power_claim_check(claim);
	if (err)
		return err;
	perfctr_state_begin(state);
	return 0;
}
EXPORT_SYMBOL_GPL(perfctr_cpu_update_control);

/**
 * perfctr_cpu_copy_control - copy a control to another state
 * @to: a new state, without counters
 * @from: a state after perfctr_cpu_update_control()
 */
void perfctr_cpu_copy_control(struct perfctr_cpu_state *to, const struct perfctr_cpu_state *from)
{
	to->control = from->control;
	memcpy(to->claim, from->claim, sizeof(to->claim));
	perfctr_state_set_counters(to);
}
EXPORT_SYMBOL_GPL(perfctr_cpu_copy_control);

/**
 * perfctr_cpu_counts_kernel - check whether a control counts the kernel
 * @control: the control, which may be invalid
 *
 * Return: true if it does.
 */
bool perfctr_cpu_counts_kernel(const struct perfctr_cpu_control *control)
{
	return perfctr_counts_kernel(control);
}
EXPORT_SYMBOL_GPL(perfctr_cpu_counts_kernel);

/* Overflows */

static void perfctr_call_handler(struct irq_work *work)
{
	struct perfctr_this_cpu *this = container_of(work, struct perfctr_this_cpu, work);
	perfctr_ihandler_t handler = READ_ONCE(perfctr_ihandler);

	if (handler)
		handler(this->pc);
}

/*
 * power_claim_user::overflow. The PMU driver sets the overflowed counters to 0 afterwards. After an
 * overflow of an i-mode counter, later counts of all counters of the state are ignored.
 *
 * Context: overflow interrupt, counters frozen.
 */
static void perfctr_interrupt(struct pt_regs *regs, u32 counters, const u32 *values)
{
	struct perfctr_this_cpu *this = this_cpu_ptr(&perfctr_this_cpu);
	struct perfctr_cpu_state *state = this->state;

	if (!state || this->stopped)
		return;
	if (!(counters & perfctr_claim(state)->ints)) {
		perfctr_state_wrap(&perfctr_hw, state, counters);
		return;
	}
	memcpy(this->values, values, sizeof(this->values));
	this->stopped = true;
	this->pc = instruction_pointer(regs);
	irq_work_queue(&this->work);
}

/*
 * power_claim_user::revoke: pinned events of perf need the counters of the state that runs on this
 * CPU. The counters stay stopped until the next control, and cstatus in the page has no counters,
 * as after an error of perfctr_cpu_resume(). An overflow whose interrupt is pending is still
 * reported.
 *
 * Context: interrupts off, PMU disabled.
 */
static void perfctr_revoke(void)
{
	struct perfctr_cpu_state *state;
	unsigned long flags;

	power_interrupt_off(flags);
	state = __this_cpu_read(perfctr_this_cpu.state);
	if (state && perfctr_cstatus_nrctrs(state->cstatus)) {
		perfctr_state_revoke(&perfctr_hw, state);
		/* The pending overflow interrupt may find no overflow any more. */
		if (state->revoked)
			irq_work_queue(this_cpu_ptr(&perfctr_this_cpu.work));
	}
	power_interrupt_on(flags);
}

static const struct power_claim_user perfctr_claim_user = {
	.overflow	= perfctr_interrupt,
	.revoke		= perfctr_revoke,
};

/**
 * perfctr_cpu_set_ihandler - set the handler of overflows
 * @handler: called by an interrupt on the CPU of the overflow, with the program counter at the
 *	overflow; or NULL. The state that has overflowed may be suspended by then, see
 *	perfctr_cpu_overflowed()
 *
 * The caller has reserved the hardware and runs no state.
 */
void perfctr_cpu_set_ihandler(perfctr_ihandler_t handler)
{
	WRITE_ONCE(perfctr_ihandler, handler);
}
EXPORT_SYMBOL_GPL(perfctr_cpu_set_ihandler);

/* Reservation of the hardware */

static DEFINE_MUTEX(perfctr_mutex);
static const char *perfctr_service;

/**
 * perfctr_cpu_reserve - reserve the hardware for a high-level driver
 * @service: name of the driver
 *
 * Context: process.
 * Return: NULL on success, or the name of the driver that has reserved it.
 */
const char *perfctr_cpu_reserve(const char *service)
{
	guard(mutex)(&perfctr_mutex);
	if (perfctr_service)
		return strcmp(perfctr_service, service) ? perfctr_service : NULL;
	if (perfctr_kind.counters && power_claim_open(&perfctr_claim_user))
		return "another user of the PMU";
	perfctr_service = service;
	return NULL;
}
EXPORT_SYMBOL_GPL(perfctr_cpu_reserve);

/**
 * perfctr_cpu_release - release the hardware
 * @service: name of the driver
 *
 * The caller runs no state.
 *
 * Context: process.
 */
void perfctr_cpu_release(const char *service)
{
	guard(mutex)(&perfctr_mutex);
	if (WARN_ON_ONCE(!perfctr_service || strcmp(perfctr_service, service)))
		return;
	perfctr_cpu_set_ihandler(NULL);
	if (perfctr_kind.counters)
		power_claim_close();
	perfctr_service = NULL;
}
EXPORT_SYMBOL_GPL(perfctr_cpu_release);

/**
 * perfctr_cpu_get_info - describe the CPUs
 * @info: cpu_features, cpu_khz and tsc_to_cpu_mult are set
 *
 * From ISA 3.1 on, user space can read counters only with event-based branches.
 */
void perfctr_cpu_get_info(struct perfctr_info *info)
{
	info->cpu_features = PERFCTR_FEATURE_RDTSC;
	if (perfctr_kind.counters)
		info->cpu_features |= PERFCTR_FEATURE_PCINT;
	if (perfctr_kind.counters && !cpu_has_feature(CPU_FTR_ARCH_31))
		info->cpu_features |= PERFCTR_FEATURE_RDPMC;
	info->cpu_khz = tb_ticks_per_sec / 1000;
	info->tsc_to_cpu_mult = 1;
}
EXPORT_SYMBOL_GPL(perfctr_cpu_get_info);

/**
 * perfctr_cpu_forbidden - CPUs on which a state with counters cannot run
 *
 * Return: mask of the CPUs, which is empty.
 */
const struct cpumask *perfctr_cpu_forbidden(void)
{
	return cpu_none_mask;
}
EXPORT_SYMBOL_GPL(perfctr_cpu_forbidden);

/**
 * perfctr_cpu_mapped - allow a program to read its counters
 * @mm: address space of the owner, where its state was mapped; locked for writing
 *
 * Does nothing: all programs can read the counters, or none can.
 */
void perfctr_cpu_mapped(struct mm_struct *mm)
{
}

/**
 * perfctr_cpu_unmapped - undo perfctr_cpu_mapped()
 * @mm: address space of the owner, where its state was unmapped
 */
void perfctr_cpu_unmapped(struct mm_struct *mm)
{
}

/**
 * perfctr_cpu_init - detect the CPU type
 *
 * If the PMU driver cannot reserve counters, as before ISA 2.07, only the time base is supported.
 *
 * Return: 0.
 */
int perfctr_cpu_init(void)
{
	const struct isa207_layout *layout = isa207_running();
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		init_irq_work(per_cpu_ptr(&perfctr_this_cpu.work, cpu), perfctr_call_handler);
	perfctr_cpu_name = "Generic powerpc with time base";
	if (layout) {
		perfctr_kind.counters = power_driver->n_counter;
		/* The bits of event-based branches are invalid: such events need the whole PMU. */
		perfctr_kind.valid = ISA207_EVENT(layout->valid);
		perfctr_cpu_name = power_driver->name;
	}
	return 0;
}
EXPORT_SYMBOL_GPL(perfctr_cpu_init);

/**
 * perfctr_cpu_exit - undo perfctr_cpu_init()
 */
void perfctr_cpu_exit(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		irq_work_sync(per_cpu_ptr(&perfctr_this_cpu.work, cpu));
	perfctr_kind = (struct perfctr_cpu_kind){};
	perfctr_cpu_name = NULL;
}
EXPORT_SYMBOL_GPL(perfctr_cpu_exit);

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
#include "tests/perfctr_test.c"
#endif
