// SPDX-License-Identifier: GPL-2.0
/*
 * perfctr: low-level driver. It checks controls by the rules of the CPU family, and runs the
 * counters of a struct perfctr_cpu_state. It reserves the counters in perf's PMU driver (a claim,
 * see claim.c), which writes all registers.
 *
 * An overflow causes an NMI, in which no signal can be sent. The NMI stops the counters; an
 * irq_work calls the handler of the high-level driver.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/export.h>
#include <linux/irq_work.h>
#include <linux/mmap_lock.h>
#include <linux/mutex.h>
#include <linux/perfctr.h>
#include <linux/random.h>
#include <linux/siphash.h>
#include <linux/syscore_ops.h>
#include <asm/msr.h>
#include <asm/tlbflush.h>
#include <asm/tsc.h>

#include "engine.h"
#include "perfctr_rules.h"
#include "perfctr_state.h"

static_assert(sizeof(struct vperfctr_control) == 348);
static_assert(offsetof(struct vperfctr_control, preserve) == 328);
static_assert(sizeof(struct perfctr_sum_ctrs) == 152);
static_assert(offsetof(struct perfctr_sum_ctrs, pmc) == 8);
static_assert(sizeof(struct perfctr_cpu_control) == 324);
static_assert(offsetof(struct perfctr_cpu_control, pmc_map) == 12);
static_assert(offsetof(struct perfctr_cpu_control, evntsel) == 84);
static_assert(offsetof(struct perfctr_cpu_control, p4.escr) == 156);
static_assert(offsetof(struct perfctr_cpu_control, p4.pebs_enable) == 228);
static_assert(offsetof(struct perfctr_cpu_control, p4.pebs_matrix_vert) == 232);
static_assert(offsetof(struct perfctr_cpu_control, ireset) == 236);
static_assert(offsetof(struct perfctr_cpu_control, reserved) == 308);
static_assert(offsetof(struct perfctr_cpu_state, tsc_start) == 12);
static_assert(offsetof(struct perfctr_cpu_state, tsc_sum) == 16);
static_assert(offsetof(struct perfctr_cpu_state, pmc) == 24);
static_assert(sizeof_field(struct perfctr_cpu_state, pmc[0]) == 16);
static_assert(offsetof(struct perfctr_cpu_state, control) == 312);
static_assert(ARRAY_SIZE(((struct x86_claim *)0)->counter) == PERFCTR_MAX_COUNTERS);
static_assert(ARRAY_SIZE(((struct x86_claim *)0)->least) == PERFCTR_MAX_COUNTERS);

/**
 * struct perfctr_this_cpu - perfctr's state of one CPU
 * @state: the state that runs on this CPU; NULL: none
 * @work: calls the high-level driver after an overflow
 * @pc: program counter at the overflow
 * @last_counters: mask of the counters of the state suspended last
 * @handed_over: mask of the counters whose @saved is current
 * @saved: for each counter, its value when it was read last for a state
 */
struct perfctr_this_cpu {
	struct perfctr_cpu_state	*state;
	struct irq_work			work;
	unsigned long			pc;
	u64				last_counters;
	u64				handed_over;
	u32				saved[X86_COUNTERS_MAX];
};

static DEFINE_PER_CPU(struct perfctr_this_cpu, perfctr_this_cpu);

/* Constant after perfctr_cpu_init() */
static struct perfctr_cpu_kind perfctr_kind;
static siphash_key_t perfctr_id_key;

/* On hybrid CPUs: all possible CPUs, except those with perfctr_kind that have been online */
static struct cpumask perfctr_forbidden;
static int perfctr_online_state;

/* Name of the CPU type; NULL before perfctr_cpu_init() */
const char *perfctr_cpu_name;
EXPORT_SYMBOL_GPL(perfctr_cpu_name);

static perfctr_ihandler_t perfctr_ihandler;

/* struct perfctr_layer on the registers of this CPU */

/* As rdtsc(), but without the upper half */
static __always_inline u32 perfctr_hw_tsc(void)
{
	u32 low;

	asm volatile("rdtsc" : "=a" (low) : : "edx");
	return low;
}

static u64 perfctr_hw_read(int counter)
{
	return x86_read_counter(x86_this_cpu()->core, counter);
}

/* As rdpmcl(), but without the upper half: a caller needs three instructions less. */
static __always_inline u32 perfctr_hw_read_low(u32 map)
{
#ifdef CONFIG_PARAVIRT_XXL
	u64 value;

	rdpmcl(map, value);
	return value;
#else
	u32 low, high;

	asm volatile("rdpmc" : "=a" (low), "=d" (high) : "c" (map));
	if (tracepoint_enabled(rdpmc))
		do_trace_rdpmc(map, (u64)high << 32 | low, 0);
	return low;
#endif
}

static __always_inline int perfctr_hw_get(const struct x86_claim *claim)
{
	struct x86_pmu_cpu *cpu = x86_this_cpu();

	if (likely(x86_claim_get_fast(cpu, claim)))
		return 1;
	if (!cpu->core || (claim->counters & ~cpu->core->counters))
		return -EBUSY;
	return x86_claim_get(cpu, claim);
}

static void perfctr_hw_set(int counter, u64 value)
{
	x86_write_counter(x86_this_cpu(), counter, value);
}

static void perfctr_hw_start(const struct x86_claim *claim)
{
	x86_claim_start(x86_this_cpu(), claim);
}

static __always_inline void perfctr_hw_put(const struct x86_claim *claim)
{
	__this_cpu_write(perfctr_this_cpu.last_counters, claim->counters);
	x86_claim_put_fast(x86_this_cpu(), claim);
}

static void perfctr_hw_save(int counter, u32 value)
{
	__this_cpu_write(perfctr_this_cpu.saved[counter], value);
}

static u32 perfctr_hw_saved_value(int counter)
{
	return __this_cpu_read(perfctr_this_cpu.saved[counter]);
}

/* @saved is current for the counters that perfctr_cpu_hand_over() has announced. */
static bool perfctr_hw_has_saved(const struct x86_claim *claim)
{
	return !(claim->counters & ~__this_cpu_read(perfctr_this_cpu.handed_over));
}

/* With CR4.PCE set, the counters have been cleared of counts of other address spaces. */
static bool perfctr_hw_readable(void)
{
	return this_cpu_read(cpu_tlbstate.cr4) & X86_CR4_PCE;
}

static const struct perfctr_layer perfctr_hw = {
	.tsc	= perfctr_hw_tsc,
	.read	= perfctr_hw_read,
	.read_low = perfctr_hw_read_low,
	.get	= perfctr_hw_get,
	.set	= perfctr_hw_set,
	.start	= perfctr_hw_start,
	.put	= perfctr_hw_put,
	.save	= perfctr_hw_save,
	.saved_value = perfctr_hw_saved_value,
	.has_saved = perfctr_hw_has_saved,
	.readable = perfctr_hw_readable,
};

/*
 * struct perfctr_layer for a claim that continues, and for a claim whose counters run on after it.
 * Nothing but perfctr_resume_slow() and perfctr_suspend_slow() is called beside it, so the
 * functions save few registers.
 */

/* As perfctr_hw_read_low(), while reads are not traced */
static __always_inline u32 perfctr_fast_read_low(u32 map)
{
#ifdef CONFIG_PARAVIRT_XXL
	return perfctr_hw_read_low(map);
#else
	u32 low;

	asm volatile("rdpmc" : "=a" (low) : "c" (map) : "edx");
	return low;
#endif
}

static __always_inline int perfctr_fast_get(const struct x86_claim *claim)
{
	return x86_claim_get_fast(x86_this_cpu(), claim) ? 1 : -EBUSY;
}

static __always_inline void perfctr_fast_put(const struct x86_claim *claim)
{
	__this_cpu_write(perfctr_this_cpu.last_counters, claim->counters);
	x86_claim_put_running(x86_this_cpu(), claim);
}

static const struct perfctr_layer perfctr_fast = {
	.tsc	= perfctr_hw_tsc,
	.read	= perfctr_hw_read,
	.read_low = perfctr_fast_read_low,
	.get	= perfctr_fast_get,
	.set	= perfctr_hw_set,
	.start	= perfctr_hw_start,
	.put	= perfctr_fast_put,
	.save	= perfctr_hw_save,
	.saved_value = perfctr_hw_saved_value,
	.has_saved = perfctr_hw_has_saved,
	.readable = perfctr_hw_readable,
};

static noinline int perfctr_resume_slow(struct perfctr_cpu_state *state)
{
	return perfctr_state_resume(&perfctr_hw, state);
}

/* If perfctr_fast cannot run @state, it changes nothing. */
static __always_inline int perfctr_resume(struct perfctr_cpu_state *state)
{
	if (!tracepoint_enabled(rdpmc) && likely(!perfctr_state_resume(&perfctr_fast, state)))
		return 0;
	return perfctr_resume_slow(state);
}

static noinline void perfctr_suspend_slow(struct perfctr_cpu_state *state)
{
	struct x86_pmu_cpu *cpu = x86_this_cpu();

	perfctr_state_suspend(&perfctr_hw, state);
	if (cpu->claim_displaced)
		x86_claim_resched(cpu);
}

static __always_inline bool perfctr_suspends_fast(const struct perfctr_cpu_state *state)
{
	const struct x86_pmu_cpu *cpu = x86_this_cpu();

	if (tracepoint_enabled(rdpmc) || cpu->claim_displaced)
		return false;
	return !perfctr_cstatus_nrctrs(state->cstatus) || x86_claim_runs_on(cpu, &state->claim);
}

/**
 * perfctr_cpu_resume - run the counters of a state
 * @state: the state; must not run
 *
 * Interrupting counters continue from their start values, the others from the counters' current
 * values. Unchanged registers are not written.
 *
 * Context: preemption off until perfctr_cpu_suspend(), which must be called before a context
 * switch.
 * Return: 0 on success; -EBUSY with no counter running if this CPU lacks the counters, if pinned
 * events of perf need them, or if the system is being shut down; -EINVAL if @state is corrupt.
 */
int perfctr_cpu_resume(struct perfctr_cpu_state *state)
{
	unsigned long flags;
	int err = -EBUSY;

	lockdep_assert_preemption_disabled();
	local_irq_save(flags);
	if (!WARN_ON_ONCE(__this_cpu_read(perfctr_this_cpu.state))) {
		err = perfctr_resume(state);
		__this_cpu_write(perfctr_this_cpu.handed_over, 0);
		if (!err)
			__this_cpu_write(perfctr_this_cpu.state, state);
	}
	local_irq_restore(flags);
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
	unsigned long flags;

	lockdep_assert_preemption_disabled();
	local_irq_save(flags);
	if (!WARN_ON_ONCE(__this_cpu_read(perfctr_this_cpu.state) != state)) {
		__this_cpu_write(perfctr_this_cpu.state, NULL);
		if (likely(perfctr_suspends_fast(state)))
			perfctr_state_suspend(&perfctr_fast, state);
		else
			perfctr_suspend_slow(state);
	}
	local_irq_restore(flags);
}
EXPORT_SYMBOL_GPL(perfctr_cpu_suspend);

/**
 * perfctr_cpu_hide - hide the previous thread's counts from the next thread
 * @prev: the previous thread, with a suspended state
 * @next: the next thread
 *
 * perf_clear_dirty_counters() does not clear reserved counters. At the switch of the address space
 * the counters of @prev were still reserved: repeat the call after their release.
 *
 * Context: context switch, interrupts off.
 */
void perfctr_cpu_hide(const struct task_struct *prev, const struct task_struct *next)
{
	lockdep_assert_irqs_disabled();
	if (next->mm && next->mm != prev->mm && (this_cpu_read(cpu_tlbstate.cr4) & X86_CR4_PCE))
		perf_clear_dirty_counters();
}
EXPORT_SYMBOL_GPL(perfctr_cpu_hide);

/**
 * perfctr_cpu_hand_over - announce that another state is resumed next on this CPU
 *
 * perfctr_cpu_resume() then starts counters of the next state at the values that
 * perfctr_cpu_suspend() has read from the same counters.
 *
 * Context: interrupts off from before perfctr_cpu_suspend() until after perfctr_cpu_resume().
 */
void perfctr_cpu_hand_over(void)
{
	lockdep_assert_irqs_disabled();
	__this_cpu_write(perfctr_this_cpu.handed_over,
			 __this_cpu_read(perfctr_this_cpu.last_counters));
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
	local_irq_save(flags);
	if (!WARN_ON_ONCE(__this_cpu_read(perfctr_this_cpu.state) != state))
		perfctr_state_sample(&perfctr_hw, state);
	local_irq_restore(flags);
}
EXPORT_SYMBOL_GPL(perfctr_cpu_sample);

/**
 * perfctr_cpu_identify_overflow - find the counters that have overflowed, and reset them
 * @state: the state, suspended
 *
 * The counters get their start values from the control. perfctr_cpu_ireload() must be called before
 * they run again.
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
 * overflow. Then vperfctr_resume() calls this function, and reports the overflow.
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
 */
void perfctr_cpu_ireload(struct perfctr_cpu_state *state)
{
	state->k1 |= PERFCTR_RELOAD;
}
EXPORT_SYMBOL_GPL(perfctr_cpu_ireload);

/**
 * perfctr_cpu_restart - hide the counts so far from a new program of the same thread
 * @state: the state, suspended
 *
 * Begin a new period of all interrupting counters: otherwise their values would include what the
 * thread has counted since their last overflow. An overflow that was not reported is lost, unless
 * @state->revoked has it. If user space may read counters, clear the others: a switch of the
 * address space does not clear reserved counters.
 *
 * Context: interrupts off from before perfctr_cpu_suspend() until after perfctr_cpu_resume().
 */
void perfctr_cpu_restart(struct perfctr_cpu_state *state)
{
	lockdep_assert_irqs_disabled();
	perfctr_state_restart(state);
	perfctr_cpu_ireload(state);
	if (perfctr_hw_readable())
		perf_clear_dirty_counters();
}
EXPORT_SYMBOL_GPL(perfctr_cpu_restart);

/**
 * perfctr_cpu_update_control - check and use a new control
 * @state: the state, not running, with the new @state->control
 * @is_global: the control is not of a thread
 *
 * If the control is refused, nothing in @state is enabled, not even the TSC. Does not sleep.
 *
 * Return: 0 on success; -EPERM if the control has reserved bits, or needs interrupts or events that
 * are not supported (see perfctr_check() and perfctr_check_events()); -EINVAL if it is invalid.
 */
int perfctr_cpu_update_control(struct perfctr_cpu_state *state, int is_global)
{
	static atomic64_t last_id;
	int err;

	WARN_ON_ONCE(raw_cpu_read(perfctr_this_cpu.state) == state);
	state->cstatus = 0;
	state->revoked = 0;
	if (!perfctr_kind.family)
		return -EINVAL;
	err = perfctr_check(&perfctr_kind, &state->control, is_global, &state->claim);
	if (!err && x86_nr_cores)
		err = perfctr_check_events(x86_cores[0], &state->control, &state->claim);
	if (err)
		return err;
	/* User space can see the id, which must not reveal the number of controls. */
	state->claim.id = siphash_1u64(atomic64_inc_return(&last_id), &perfctr_id_key);
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
	to->claim = from->claim;
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
	return perfctr_counts_kernel(perfctr_kind.family, control);
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

/**
 * perfctr_cpu_interrupt - queue the overflow handler after x86_claim_handle_overflow()
 * @regs: the interrupted registers
 *
 * Context: NMI.
 */
void perfctr_cpu_interrupt(struct pt_regs *regs)
{
	struct perfctr_this_cpu *this = this_cpu_ptr(&perfctr_this_cpu);

	this->pc = instruction_pointer(regs);
	irq_work_queue(&this->work);
}

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
	if (!perfctr_service)
		perfctr_service = service;
	else if (strcmp(perfctr_service, service))
		return perfctr_service;
	return NULL;
}
EXPORT_SYMBOL_GPL(perfctr_cpu_reserve);

static void perfctr_stop(void *unused)
{
	struct x86_pmu_cpu *cpu = x86_this_cpu();

	if (cpu->core && !cpu->claimed)
		x86_claim_stop(cpu);
}

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
	on_each_cpu(perfctr_stop, NULL, 1);
	perfctr_service = NULL;
}
EXPORT_SYMBOL_GPL(perfctr_cpu_release);

/**
 * perfctr_cpu_get_info - describe the CPUs
 * @info: cpu_features, cpu_khz and tsc_to_cpu_mult are set
 */
void perfctr_cpu_get_info(struct perfctr_info *info)
{
	info->cpu_features = 0;
	if (perfctr_kind.counters && READ_ONCE(x86_rdpmc))
		info->cpu_features |= PERFCTR_FEATURE_RDPMC;
	if (perfctr_kind.family->has_tsc)
		info->cpu_features |= PERFCTR_FEATURE_RDTSC;
	if (perfctr_kind.interrupts && !perfctr_kind.family->no_interrupts)
		info->cpu_features |= PERFCTR_FEATURE_PCINT;
	info->cpu_khz = tsc_khz;
	info->tsc_to_cpu_mult = 1;
}
EXPORT_SYMBOL_GPL(perfctr_cpu_get_info);

/**
 * perfctr_cpu_forbidden - CPUs on which a state with counters cannot run
 *
 * Return: mask of the CPUs.
 */
const struct cpumask *perfctr_cpu_forbidden(void)
{
	return &perfctr_forbidden;
}
EXPORT_SYMBOL_GPL(perfctr_cpu_forbidden);

/**
 * perfctr_cpu_mapped - allow a program to read its counters
 * @mm: address space of the owner, where its state was mapped; locked for writing
 *
 * States that run in @mm show the start values of their counters from now on.
 */
void perfctr_cpu_mapped(struct mm_struct *mm)
{
	mmap_assert_write_locked(mm);
	/* Further mappings change nothing, and a process may map the state of each thread. */
	if (atomic_inc_return(&mm->context.perf_rdpmc_allowed) == 1)
		x86_update_user_pages(mm);
}

/**
 * perfctr_cpu_unmapped - undo perfctr_cpu_mapped()
 * @mm: address space of the owner, where its state was unmapped
 */
void perfctr_cpu_unmapped(struct mm_struct *mm)
{
	if (atomic_dec_and_test(&mm->context.perf_rdpmc_allowed))
		x86_update_user_pages(mm);
}

/**
 * perfctr_cpu_update_readable - update the page of the state that runs on this CPU
 *
 * Called when the permission of user space to read counters of this CPU may have changed.
 *
 * Context: interrupts off.
 */
void perfctr_cpu_update_readable(void)
{
	struct perfctr_cpu_state *state = __this_cpu_read(perfctr_this_cpu.state);

	lockdep_assert_irqs_disabled();
	if (state)
		perfctr_state_update_readable(&perfctr_hw, state);
}

/**
 * perfctr_cpu_revoke - stop the counters of the state that runs on this CPU
 *
 * Called when pinned events of perf need the counters, or at shutdown. The counters stay stopped
 * until the next control, and cstatus in the page has no counters, as on a CPU where they cannot be
 * reserved. An overflow whose interrupt is pending is reported nevertheless.
 *
 * Context: interrupts off.
 */
void perfctr_cpu_revoke(void)
{
	struct perfctr_cpu_state *state = __this_cpu_read(perfctr_this_cpu.state);

	lockdep_assert_irqs_disabled();
	if (!state || !perfctr_cstatus_nrctrs(state->cstatus))
		return;
	perfctr_state_revoke(&perfctr_hw, state);
	/* The counter's own interrupt may find no overflow any more. */
	if (state->revoked)
		irq_work_queue(this_cpu_ptr(&perfctr_this_cpu.work));
}

/* System suspend: the last CPU loses its register contents. */

static int perfctr_syscore_suspend(void *data)
{
	struct perfctr_this_cpu *this = this_cpu_ptr(&perfctr_this_cpu);

	if (this->state)
		perfctr_state_suspend(&perfctr_hw, this->state);
	return 0;
}

static void perfctr_syscore_resume(void *data)
{
	struct perfctr_this_cpu *this = this_cpu_ptr(&perfctr_this_cpu);

	this->handed_over = 0;
	if (this->state)
		WARN_ON_ONCE(perfctr_resume_slow(this->state));
}

static const struct syscore_ops perfctr_syscore_ops = {
	.suspend	= perfctr_syscore_suspend,
	.resume		= perfctr_syscore_resume,
};

static struct syscore perfctr_syscore = {
	.ops	= &perfctr_syscore_ops,
};

static const struct perfctr_family *perfctr_find_amd(void)
{
	if (boot_cpu_data.x86 == 0x6)
		return &perfctr_k7;
	if (boot_cpu_data.x86 >= 0x15)
		return &perfctr_amd_15h;
	if (boot_cpu_data.x86 >= 0x10 || topology_num_cores_per_package() > 1)
		return &perfctr_k8_multicore;
	return &perfctr_k8;
}

/* The families that the PMU driver supports */
static const struct perfctr_family *perfctr_find_family(const struct x86_core *core)
{
	switch (boot_cpu_data.x86_vendor) {
	case X86_VENDOR_AMD:
	case X86_VENDOR_HYGON:
		return perfctr_find_amd();
	case X86_VENDOR_CENTAUR:
	case X86_VENDOR_ZHAOXIN:
		return &perfctr_zhaoxin;
	case X86_VENDOR_INTEL:
		if (core->version)
			return &perfctr_intel_arch;
		return boot_cpu_data.x86 == 0x6 ? &perfctr_p6 : NULL;
	}
	return NULL;
}

/* The core type of a CPU is known only when the CPU is online for the first time. */
static int perfctr_cpu_online(unsigned int number)
{
	if (per_cpu(x86_pmu_cpu.core, number) == x86_cores[0])
		cpumask_clear_cpu(number, &perfctr_forbidden);
	return 0;
}

/* Forbid all CPUs. perfctr_cpu_online() allows those of the first core type. */
static int perfctr_forbid_cpus(void)
{
	int state;

	cpumask_copy(&perfctr_forbidden, cpu_possible_mask);
	/* A CPU that is brought online runs user tasks only after this state. */
	state = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "perfctr:online", perfctr_cpu_online, NULL);
	if (state < 0) {
		cpumask_clear(&perfctr_forbidden);
		return state;
	}
	perfctr_online_state = state;
	return 0;
}

/**
 * perfctr_cpu_init - detect the CPU type
 *
 * Without a PMU, only the TSC is supported.
 *
 * Context: process.
 * Return: 0 on success, -ENODEV if there is no TSC, either, or an error of cpuhp_setup_state().
 */
int perfctr_cpu_init(void)
{
	const struct x86_core *core = x86_nr_cores ? x86_cores[0] : NULL;
	const struct perfctr_family *family = core ? perfctr_find_family(core) : NULL;
	unsigned int cpu;
	int err;

	for_each_possible_cpu(cpu)
		init_irq_work(per_cpu_ptr(&perfctr_this_cpu.work, cpu), perfctr_call_handler);
	get_random_bytes(&perfctr_id_key, sizeof(perfctr_id_key));
	if (family) {
		err = core->kind ? perfctr_forbid_cpus() : 0;
		if (err)
			return err;
		perfctr_kind.family = family;
		perfctr_kind.counters = core->counters;
		perfctr_kind.interrupts = !(core->pmu.capabilities & PERF_PMU_CAP_NO_INTERRUPT);
		perfctr_cpu_name = core->model->name;
	} else if (boot_cpu_has(X86_FEATURE_TSC)) {
		perfctr_kind.family = &perfctr_generic;
		perfctr_cpu_name = perfctr_generic.name;
	} else {
		return -ENODEV;
	}
	register_syscore(&perfctr_syscore);
	return 0;
}
EXPORT_SYMBOL_GPL(perfctr_cpu_init);

/**
 * perfctr_cpu_exit - undo perfctr_cpu_init()
 */
void perfctr_cpu_exit(void)
{
	unsigned int cpu;

	unregister_syscore(&perfctr_syscore);
	if (perfctr_online_state)
		cpuhp_remove_state(perfctr_online_state);
	perfctr_online_state = 0;
	for_each_possible_cpu(cpu)
		irq_work_sync(per_cpu_ptr(&perfctr_this_cpu.work, cpu));
	perfctr_kind = (struct perfctr_cpu_kind){};
	cpumask_clear(&perfctr_forbidden);
	perfctr_cpu_name = NULL;
}
EXPORT_SYMBOL_GPL(perfctr_cpu_exit);
