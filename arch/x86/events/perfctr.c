// SPDX-License-Identifier: GPL-2.0
/*
 * perfctr's low-level driver: finds out which rules hold for the CPUs, and runs states on
 * their counters, which it claims from the driver of perf's PMU. It writes no register.
 *
 * An overflow is an NMI, in which no signal can be sent. The NMI stops the counters; the
 * handler of the high-level driver is called by an interrupt, as soon as that is possible.
 */
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

/**
 * struct perfctr_this_cpu - what perfctr runs on a CPU
 * @state: runs there; NULL: none does
 * @work: calls the high-level driver after an overflow
 * @pc: where that was
 * @left: counters of the state that was suspended last
 * @handed_over: those whose @kept is still what they hold
 * @kept: what counters held when they were read last for a state, by their numbers
 */
struct perfctr_this_cpu {
	struct perfctr_cpu_state	*state;
	struct irq_work			work;
	unsigned long			pc;
	u64				left;
	u64				handed_over;
	u32				kept[X86_COUNTERS_MAX];
};

static DEFINE_PER_CPU(struct perfctr_this_cpu, perfctr_this_cpu);

/* Constant after perfctr_cpu_init(). */
static struct perfctr_cpu_kind perfctr_kind;
static struct cpumask perfctr_forbidden;
static siphash_key_t perfctr_id_key;

/**
 * perfctr_cpu_name - the kind of CPU; NULL before perfctr_cpu_init()
 */
const char *perfctr_cpu_name;
EXPORT_SYMBOL_GPL(perfctr_cpu_name);

static perfctr_ihandler_t perfctr_ihandler;

/* The layer of registers that there is. */

static u32 perfctr_hw_tsc(void)
{
	return rdtsc();
}

static u64 perfctr_hw_read(int counter)
{
	return x86_read_counter(x86_this_cpu()->core, counter);
}

static u32 perfctr_hw_low(u32 map)
{
	u64 value;

	rdpmcl(map, value);
	return value;
}

static __always_inline int perfctr_hw_take(const struct x86_claim *claim)
{
	struct x86_pmu_cpu *cpu = x86_this_cpu();

	if (likely(x86_claim_again(cpu, claim)))
		return 1;
	if (!cpu->core || (claim->counters & ~cpu->core->counters))
		return -EBUSY;
	return x86_claim(cpu, claim);
}

static void perfctr_hw_set(int counter, u64 value)
{
	x86_write_counter(x86_this_cpu(), counter, value);
}

static void perfctr_hw_run(const struct x86_claim *claim)
{
	x86_claim_run(x86_this_cpu(), claim);
}

static __always_inline void perfctr_hw_leave(const struct x86_claim *claim)
{
	__this_cpu_write(perfctr_this_cpu.left, claim->counters);
	x86_claim_leave(x86_this_cpu(), claim);
}

static void perfctr_hw_keep(int counter, u32 value)
{
	__this_cpu_write(perfctr_this_cpu.kept[counter], value);
}

static u32 perfctr_hw_kept_value(int counter)
{
	return __this_cpu_read(perfctr_this_cpu.kept[counter]);
}

/* Others of the claim may have run on since before the last one. */
static bool perfctr_hw_kept(const struct x86_claim *claim)
{
	return !(claim->counters & ~__this_cpu_read(perfctr_this_cpu.handed_over));
}

/* They have been cleared as the CPU came to an address space where they can be read. */
static bool perfctr_hw_readable(void)
{
	return this_cpu_read(cpu_tlbstate.cr4) & X86_CR4_PCE;
}

static const struct perfctr_layer perfctr_hw = {
	.tsc	= perfctr_hw_tsc,
	.read	= perfctr_hw_read,
	.low	= perfctr_hw_low,
	.take	= perfctr_hw_take,
	.set	= perfctr_hw_set,
	.run	= perfctr_hw_run,
	.leave	= perfctr_hw_leave,
	.keep	= perfctr_hw_keep,
	.kept_value = perfctr_hw_kept_value,
	.kept	= perfctr_hw_kept,
	.readable = perfctr_hw_readable,
};

/**
 * perfctr_cpu_resume - let a state's counters run
 * @state: that does not run
 *
 * Counters that interrupt go on from their start values, the others from whatever the CPU's
 * hold. Registers that hold what they should are not written. Preemption is off, and stays
 * off as long as @state runs, but for a switch, before which it is suspended.
 *
 * Return: 0, or -EBUSY: perf's pinned events need the counters, or the system is being shut down;
 * nothing runs.
 */
int perfctr_cpu_resume(struct perfctr_cpu_state *state)
{
	struct perfctr_this_cpu *this;
	unsigned long flags;
	int err;

	lockdep_assert_preemption_disabled();
	local_irq_save(flags);
	this = this_cpu_ptr(&perfctr_this_cpu);
	if (WARN_ON_ONCE(this->state)) {
		local_irq_restore(flags);
		return -EBUSY;
	}
	err = perfctr_state_resume(&perfctr_hw, state);
	this->handed_over = 0;
	if (!err)
		this->state = state;
	local_irq_restore(flags);
	return err;
}
EXPORT_SYMBOL_GPL(perfctr_cpu_resume);

/**
 * perfctr_cpu_suspend - stop a state's counters, and add up what they have counted
 * @state: that runs on this CPU
 *
 * Preemption is off.
 */
void perfctr_cpu_suspend(struct perfctr_cpu_state *state)
{
	struct perfctr_this_cpu *this;
	unsigned long flags;

	lockdep_assert_preemption_disabled();
	local_irq_save(flags);
	this = this_cpu_ptr(&perfctr_this_cpu);
	if (!WARN_ON_ONCE(this->state != state)) {
		this->state = NULL;
		perfctr_state_suspend(&perfctr_hw, state);
		if (unlikely(x86_this_cpu()->evicted))
			x86_claim_return(x86_this_cpu());
	}
	local_irq_restore(flags);
}
EXPORT_SYMBOL_GPL(perfctr_cpu_suspend);

/**
 * perfctr_cpu_hide - let a program that reads counters not see what another one's held
 * @prev: its state has been suspended
 * @next: the thread that this CPU goes on with
 *
 * In a switch, interrupts are off. As the address spaces were switched the counters were claimed,
 * and thus not cleared.
 */
void perfctr_cpu_hide(const struct task_struct *prev, const struct task_struct *next)
{
	lockdep_assert_irqs_disabled();
	if (next->mm && next->mm != prev->mm && (this_cpu_read(cpu_tlbstate.cr4) & X86_CR4_PCE))
		perf_clear_dirty_counters();
}
EXPORT_SYMBOL_GPL(perfctr_cpu_hide);

/**
 * perfctr_cpu_hand_over - the next thing on this CPU is that another state is resumed
 *
 * What the suspended state's counters held at its end is what the other's begin with, if they
 * are the same. Interrupts are off, from before perfctr_cpu_suspend() until after
 * perfctr_cpu_resume().
 */
void perfctr_cpu_hand_over(void)
{
	lockdep_assert_irqs_disabled();
	__this_cpu_write(perfctr_this_cpu.handed_over, __this_cpu_read(perfctr_this_cpu.left));
}
EXPORT_SYMBOL_GPL(perfctr_cpu_hand_over);

/**
 * perfctr_cpu_sample - add up what counters have counted, and let them run on
 * @state: that runs on this CPU
 *
 * Counters that interrupt keep their sums until they are suspended. Preemption is off.
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
 * perfctr_cpu_identify_overflow - which counters have overflowed?
 * @state: that is suspended
 *
 * These get their start values. perfctr_cpu_ireload() has to follow before they run again.
 * Preemption is off since @state was suspended.
 *
 * Return: mask of counters, by the control's indices
 */
unsigned int perfctr_cpu_identify_overflow(struct perfctr_cpu_state *state)
{
	WARN_ON_ONCE(raw_cpu_read(perfctr_this_cpu.state) == state);
	return perfctr_state_identify(state);
}
EXPORT_SYMBOL_GPL(perfctr_cpu_identify_overflow);

/**
 * perfctr_cpu_overflowed - has a counter overflowed, and nobody has heard of it?
 * @state: that is suspended
 *
 * The interrupt may be late: when the state is suspended before it comes, it finds nothing.
 */
bool perfctr_cpu_overflowed(const struct perfctr_cpu_state *state)
{
	return perfctr_state_overflowed(state);
}
EXPORT_SYMBOL_GPL(perfctr_cpu_overflowed);

/**
 * perfctr_cpu_ireload - set counters that interrupt at the next resume in any case
 * @state: that is suspended
 */
void perfctr_cpu_ireload(struct perfctr_cpu_state *state)
{
	state->k1 |= PERFCTR_RELOAD;
}
EXPORT_SYMBOL_GPL(perfctr_cpu_ireload);

/**
 * perfctr_cpu_update_control - begin with a new control
 * @state: that does not run, with the new @state->control
 * @is_global: it is not about a thread
 *
 * If the control is refused nothing in @state is enabled. It never sleeps.
 *
 * Return: 0; -EPERM: the control asks for what nobody may have, or for interrupts where
 * there are none; -EINVAL: for what makes no sense.
 */
int perfctr_cpu_update_control(struct perfctr_cpu_state *state, int is_global)
{
	static atomic64_t last_id;
	int err;

	WARN_ON_ONCE(raw_cpu_read(perfctr_this_cpu.state) == state);
	state->cstatus = 0;
	if (!perfctr_kind.family)
		return -EINVAL;
	err = perfctr_check(&perfctr_kind, &state->control, is_global, &state->claim);
	if (!err && x86_nr_cores)
		err = perfctr_check_events(x86_cores[0], &state->control, &state->claim);
	if (err)
		return err;
	/* The id is in the page that user space maps: it must not tell how many there have been. */
	state->claim.id = siphash_1u64(atomic64_inc_return(&last_id), &perfctr_id_key);
	perfctr_state_begin(state);
	return 0;
}
EXPORT_SYMBOL_GPL(perfctr_cpu_update_control);

/**
 * perfctr_cpu_copy_control - let a state have another's control
 * @to: new, with nothing enabled
 * @from: whose control perfctr_cpu_update_control() has accepted, or refused
 */
void perfctr_cpu_copy_control(struct perfctr_cpu_state *to, const struct perfctr_cpu_state *from)
{
	to->control = from->control;
	to->claim = from->claim;
	perfctr_state_set_counters(to);
}
EXPORT_SYMBOL_GPL(perfctr_cpu_copy_control);

/**
 * perfctr_cpu_counts_kernel - does a control count anything in the kernel?
 * @control: any; perfctr_cpu_update_control() may yet refuse it
 */
bool perfctr_cpu_counts_kernel(const struct perfctr_cpu_control *control)
{
	return perfctr_kernel(perfctr_kind.family, control);
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
 * perfctr_cpu_interrupt - claimed counters have overflowed, and stopped
 * @regs: where
 *
 * NMI.
 */
void perfctr_cpu_interrupt(struct pt_regs *regs)
{
	struct perfctr_this_cpu *this = this_cpu_ptr(&perfctr_this_cpu);

	this->pc = instruction_pointer(regs);
	irq_work_queue(&this->work);
}

/**
 * perfctr_cpu_set_ihandler - say who is called after an overflow
 * @handler: called in an interrupt on the CPU of the overflow, as soon as one can be; or
 *	NULL. It gets the program counter. The state that has overflowed may be suspended by
 *	then, see perfctr_cpu_overflowed()
 *
 * The caller has reserved the hardware, and runs nothing.
 */
void perfctr_cpu_set_ihandler(perfctr_ihandler_t handler)
{
	WRITE_ONCE(perfctr_ihandler, handler);
}
EXPORT_SYMBOL_GPL(perfctr_cpu_set_ihandler);

/* Who has the hardware */

static DEFINE_MUTEX(perfctr_mutex);
static const char *perfctr_service;

/**
 * perfctr_cpu_reserve - have the hardware
 * @service: name of the high-level driver
 *
 * May sleep.
 *
 * Return: NULL, or the name of another driver that has it.
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

static void perfctr_halt(void *unused)
{
	struct x86_pmu_cpu *cpu = x86_this_cpu();

	if (cpu->core && !cpu->claimed)
		x86_claim_halt(cpu);
}

/**
 * perfctr_cpu_release - have the hardware no more
 * @service: as it was given to perfctr_cpu_reserve()
 *
 * The caller runs nothing. May sleep.
 */
void perfctr_cpu_release(const char *service)
{
	guard(mutex)(&perfctr_mutex);
	if (WARN_ON_ONCE(!perfctr_service || strcmp(perfctr_service, service)))
		return;
	perfctr_cpu_set_ihandler(NULL);
	on_each_cpu(perfctr_halt, NULL, 1);
	perfctr_service = NULL;
}
EXPORT_SYMBOL_GPL(perfctr_cpu_release);

/**
 * perfctr_cpu_get_info - what the CPUs can do
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
 * perfctr_cpu_forbidden - CPUs that cannot run a state with counters
 */
const struct cpumask *perfctr_cpu_forbidden(void)
{
	return &perfctr_forbidden;
}
EXPORT_SYMBOL_GPL(perfctr_cpu_forbidden);

/**
 * perfctr_cpu_mapped - a program may read its counters from now on
 * @mm: of the owner, where its state has been mapped; locked for writing
 *
 * States that run in @mm tell from where they count, whether it could read counters before or
 * not.
 */
void perfctr_cpu_mapped(struct mm_struct *mm)
{
	mmap_assert_write_locked(mm);
	atomic_inc(&mm->context.perf_rdpmc_allowed);
	x86_tell_users(mm);
}

/**
 * perfctr_cpu_unmapped - undo perfctr_cpu_mapped()
 * @mm: from where the state has been unmapped
 */
void perfctr_cpu_unmapped(struct mm_struct *mm)
{
	if (atomic_dec_and_test(&mm->context.perf_rdpmc_allowed))
		x86_tell_users(mm);
}

/**
 * perfctr_cpu_readable - user space can read this CPU's counters from now on, or no more
 *
 * The page of the state that runs here is brought up to date. Interrupts are off.
 */
void perfctr_cpu_readable(void)
{
	struct perfctr_cpu_state *state = __this_cpu_read(perfctr_this_cpu.state);

	lockdep_assert_irqs_disabled();
	if (state)
		perfctr_state_readable(&perfctr_hw, state);
}

/**
 * perfctr_cpu_give_way - perf's pinned events need the counters of the state that runs here, or
 *	nothing is going to have them any more
 *
 * They stop until the next control, and the page says so, as if the state had moved to a CPU whose
 * counters cannot be had. Interrupts are off.
 */
void perfctr_cpu_give_way(void)
{
	struct perfctr_cpu_state *state = __this_cpu_read(perfctr_this_cpu.state);

	lockdep_assert_irqs_disabled();
	if (state && perfctr_cstatus_nrctrs(state->cstatus))
		perfctr_state_give_way(&perfctr_hw, state);
}

/* A suspend of the whole system: the last CPU's registers lose what they hold. */

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
		WARN_ON_ONCE(perfctr_state_resume(&perfctr_hw, this->state));
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

/* The families whose counters the registers' driver can run. */
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

/**
 * perfctr_cpu_init - find out what the CPUs can do
 *
 * Where there is no PMU whose counters can be had, there is the TSC.
 *
 * Return: 0, or -ENODEV: there is not even that.
 */
int perfctr_cpu_init(void)
{
	const struct x86_core *core = x86_nr_cores ? x86_cores[0] : NULL;
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		init_irq_work(per_cpu_ptr(&perfctr_this_cpu.work, cpu), perfctr_call_handler);
	get_random_bytes(&perfctr_id_key, sizeof(perfctr_id_key));
	perfctr_kind.family = core ? perfctr_find_family(core) : NULL;
	if (perfctr_kind.family) {
		perfctr_kind.counters = core->counters;
		perfctr_kind.interrupts = !(core->pmu.capabilities & PERF_PMU_CAP_NO_INTERRUPT);
		perfctr_cpu_name = core->model->name;
		/* Counters of the other kind of a hybrid CPU's cores are others. */
		if (core->kind)
			cpumask_andnot(&perfctr_forbidden, cpu_possible_mask, &core->cpus);
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
	for_each_possible_cpu(cpu)
		irq_work_sync(per_cpu_ptr(&perfctr_this_cpu.work, cpu));
	perfctr_kind = (struct perfctr_cpu_kind){};
	cpumask_clear(&perfctr_forbidden);
	perfctr_cpu_name = NULL;
}
EXPORT_SYMBOL_GPL(perfctr_cpu_exit);
