// SPDX-License-Identifier: GPL-2.0
/*
 * perfctr's low-level driver for CPUs without counters for threads. It has only the clock
 * that user space can read. perfctr calls this clock TSC: the time stamp counter on x86, the
 * virtual counter on arm64, the time base on powerpc.
 */
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/perfctr.h>
#include <linux/string.h>
#include <linux/timex.h>

#ifdef CONFIG_X86
#include <asm/tsc.h>
#elif defined(CONFIG_ARM64)
#include <clocksource/arm_arch_timer.h>
#elif defined(CONFIG_PPC)
#include <asm/time.h>
#endif

/* Name of the clock; NULL before perfctr_cpu_init(). */
const char *perfctr_cpu_name;
EXPORT_SYMBOL_GPL(perfctr_cpu_name);

static const char *perfctr_clock_name(void)
{
#ifdef CONFIG_X86
	return boot_cpu_has(X86_FEATURE_TSC) ? "Generic x86 with TSC" : NULL;
#elif defined(CONFIG_ARM64)
	return "Generic arm64 with virtual counter";
#else
	return "Generic powerpc with time base";
#endif
}

static u32 perfctr_clock_khz(void)
{
#ifdef CONFIG_X86
	return tsc_khz;
#elif defined(CONFIG_ARM64)
	return arch_timer_get_cntfrq() / 1000;
#else
	return tb_ticks_per_sec / 1000;
#endif
}

/**
 * perfctr_cpu_init - detect the clock
 *
 * Return: 0 on success, -ENODEV if there is no clock
 */
int perfctr_cpu_init(void)
{
	perfctr_cpu_name = perfctr_clock_name();
	return perfctr_cpu_name ? 0 : -ENODEV;
}
EXPORT_SYMBOL_GPL(perfctr_cpu_init);

/**
 * perfctr_cpu_exit - undo perfctr_cpu_init()
 */
void perfctr_cpu_exit(void)
{
	perfctr_cpu_name = NULL;
}
EXPORT_SYMBOL_GPL(perfctr_cpu_exit);

/**
 * perfctr_cpu_get_info - report the features of the CPUs
 * @info: cpu_features, cpu_khz and tsc_to_cpu_mult are set
 */
void perfctr_cpu_get_info(struct perfctr_info *info)
{
	info->cpu_features = PERFCTR_FEATURE_RDTSC;
	info->cpu_khz = perfctr_clock_khz();
	info->tsc_to_cpu_mult = 1;
}
EXPORT_SYMBOL_GPL(perfctr_cpu_get_info);

/* Reservation of the hardware */

static DEFINE_MUTEX(perfctr_mutex);
static const char *perfctr_service;

/**
 * perfctr_cpu_reserve - reserve the hardware for a high-level driver
 * @service: name of the high-level driver
 *
 * Context: may sleep.
 * Return: NULL on success, or the name of the driver that has reserved it
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

/**
 * perfctr_cpu_release - end a reservation of the hardware
 * @service: as passed to perfctr_cpu_reserve()
 *
 * Context: may sleep.
 */
void perfctr_cpu_release(const char *service)
{
	guard(mutex)(&perfctr_mutex);
	if (!WARN_ON_ONCE(!perfctr_service || strcmp(perfctr_service, service)))
		perfctr_service = NULL;
}
EXPORT_SYMBOL_GPL(perfctr_cpu_release);

/**
 * perfctr_cpu_update_control - check and use a new control
 * @state: not running, with the new @state->control
 * @is_global: the control is not for a thread
 *
 * A refused control leaves nothing in @state enabled.
 *
 * Context: never sleeps.
 * Return: 0 on success, -EPERM for a control with interrupts, -EINVAL for one with counters
 */
int perfctr_cpu_update_control(struct perfctr_cpu_state *state, int is_global)
{
	state->cstatus = 0;
	if (state->control.nrictrs)
		return -EPERM;
	if (state->control.nractrs)
		return -EINVAL;
	state->cstatus = perfctr_mk_cstatus(state->control.tsc_on, 0, 0);
	return 0;
}
EXPORT_SYMBOL_GPL(perfctr_cpu_update_control);

/**
 * perfctr_cpu_copy_control - copy a control to a new state
 * @to: new, with nothing enabled
 * @from: perfctr_cpu_update_control() has accepted or refused its control
 */
void perfctr_cpu_copy_control(struct perfctr_cpu_state *to, const struct perfctr_cpu_state *from)
{
	to->control = from->control;
}
EXPORT_SYMBOL_GPL(perfctr_cpu_copy_control);

/**
 * perfctr_cpu_resume - start a state's clock
 * @state: not running
 *
 * Context: preemption is off.
 * Return: 0
 */
int perfctr_cpu_resume(struct perfctr_cpu_state *state)
{
	lockdep_assert_preemption_disabled();
	state->tsc_start = get_cycles();
	return 0;
}
EXPORT_SYMBOL_GPL(perfctr_cpu_resume);

/**
 * perfctr_cpu_sample - add the clock's ticks since the last sample; the clock continues
 * @state: running on this CPU
 *
 * Context: preemption is off.
 */
void perfctr_cpu_sample(struct perfctr_cpu_state *state)
{
	u32 now = get_cycles();

	lockdep_assert_preemption_disabled();
	if (!perfctr_cstatus_has_tsc(state->cstatus))
		return;
	state->tsc_sum += now - state->tsc_start;
	/* A new tsc_start makes a reader in user space retry: write it last. */
	barrier();
	state->tsc_start = now;
}
EXPORT_SYMBOL_GPL(perfctr_cpu_sample);

/**
 * perfctr_cpu_suspend - stop a state's clock
 * @state: running on this CPU
 *
 * Context: preemption is off.
 */
void perfctr_cpu_suspend(struct perfctr_cpu_state *state)
{
	perfctr_cpu_sample(state);
}
EXPORT_SYMBOL_GPL(perfctr_cpu_suspend);

/**
 * perfctr_cpu_forbidden - CPUs that cannot run a state with counters
 *
 * Return: the set of CPUs
 */
const struct cpumask *perfctr_cpu_forbidden(void)
{
	return cpu_none_mask;
}
EXPORT_SYMBOL_GPL(perfctr_cpu_forbidden);

/* Stubs: there are no counters. */

void perfctr_cpu_hide(const struct task_struct *prev, const struct task_struct *next) { }
EXPORT_SYMBOL_GPL(perfctr_cpu_hide);

void perfctr_cpu_hand_over(void) { }
EXPORT_SYMBOL_GPL(perfctr_cpu_hand_over);

void perfctr_cpu_set_ihandler(perfctr_ihandler_t handler) { }
EXPORT_SYMBOL_GPL(perfctr_cpu_set_ihandler);

unsigned int perfctr_cpu_identify_overflow(struct perfctr_cpu_state *state)
{
	return 0;
}
EXPORT_SYMBOL_GPL(perfctr_cpu_identify_overflow);

void perfctr_cpu_ireload(struct perfctr_cpu_state *state) { }
EXPORT_SYMBOL_GPL(perfctr_cpu_ireload);

void perfctr_cpu_restart(struct perfctr_cpu_state *state) { }
EXPORT_SYMBOL_GPL(perfctr_cpu_restart);

bool perfctr_cpu_overflowed(const struct perfctr_cpu_state *state)
{
	return false;
}
EXPORT_SYMBOL_GPL(perfctr_cpu_overflowed);

bool perfctr_cpu_counts_kernel(const struct perfctr_cpu_control *control)
{
	return false;
}
EXPORT_SYMBOL_GPL(perfctr_cpu_counts_kernel);

void perfctr_cpu_mapped(struct mm_struct *mm) { }

void perfctr_cpu_unmapped(struct mm_struct *mm) { }
