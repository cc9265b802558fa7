// SPDX-License-Identifier: GPL-2.0
/*
 * Branch trace store (BTS): buffer and registers, and events of branches with a period of 1.
 *
 * The BTS is disabled while records are taken. A record has two addresses, and one of them may be a
 * kernel address although the CPU does not record branches of the kernel, as in the return of a
 * system call. So records are also filtered in software, by address.
 *
 * Other code (branch records, block stepping, KVM) changes other bits of DEBUGCTL by a read and a
 * write. If an NMI between read and write disables the BTS, the write enables the BTS again, and
 * the next interrupt of the buffer disables the BTS.
 */
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <asm/cpu_entry_area.h>
#include <asm/cpufeature.h>
#include <asm/intel_ds.h>
#include <asm/msr.h>

#include "../engine.h"

#define BTS_RECORD		sizeof(struct x86_bts_record)
/* Records that the CPU may write before the interrupt is delivered */
#define BTS_SPARE		64
/*
 * Records until the interrupt, if the interrupt writes a sample for each record: more samples would
 * delay other interrupts for too long.
 */
#define BTS_SAMPLES		256

#define BTS_ON			(DEBUGCTLMSR_TR | DEBUGCTLMSR_BTS | DEBUGCTLMSR_BTINT)
#define BTS_CONTROL		(BTS_ON | DEBUGCTLMSR_BTS_OFF_OS | DEBUGCTLMSR_BTS_OFF_USR)

/* Set at boot, without concurrency */
static bool bts_exists __read_mostly;

/**
 * x86_bts_probe - detect the BTS
 * @core: the core type of the boot CPU
 *
 * Without a local APIC there is no interrupt, so the CPU would fill the buffer and drop further
 * records.
 *
 * Some hypervisors drop writes to DEBUGCTL. Write the interrupt bit to find out: this bit alone has
 * no effect.
 *
 * Context: boot, once.
 */
void x86_bts_probe(const struct x86_core *core)
{
	u64 old, value;

	if (boot_cpu_data.x86_vendor != X86_VENDOR_INTEL || !core->version ||
	    !boot_cpu_has(X86_FEATURE_DS) || !boot_cpu_has(X86_FEATURE_BTS) ||
	    !boot_cpu_has(X86_FEATURE_DTES64) || !boot_cpu_has(X86_FEATURE_APIC))
		return;
	if (rdmsrl_safe(MSR_IA32_DS_AREA, &value) || rdmsrl_safe(MSR_IA32_DEBUGCTLMSR, &old))
		return;
	/* Before kexec another kernel may have enabled the BTS. */
	old &= ~BTS_CONTROL;
	if (wrmsrl_safe(MSR_IA32_DEBUGCTLMSR, old | DEBUGCTLMSR_BTINT) ||
	    rdmsrl_safe(MSR_IA32_DEBUGCTLMSR, &value) || wrmsrl_safe(MSR_IA32_DEBUGCTLMSR, old))
		return;
	bts_exists = value & DEBUGCTLMSR_BTINT;
}

/**
 * x86_bts_exists - check whether the CPUs have a BTS
 *
 * Context: any.
 * Return: true if they have.
 */
bool x86_bts_exists(void)
{
	return bts_exists;
}

/* Buffers: allocated for all possible CPUs at the first event, and never freed */
static DEFINE_MUTEX(bts_mutex);
static bool bts_has_buffers __read_mostly;	/* written under bts_mutex */

static int bts_get_buffer(unsigned int number)
{
	struct x86_bts_cpu *bts = &per_cpu_ptr(&x86_pmu_cpu, number)->bts;
	void *area = get_cpu_entry_area(number)->cpu_debug_buffers.bts_buffer;

	if (bts->buffer)
		return 0;
	bts->buffer = x86_ds_map_buffer(number, area, BTS_BUFFER_SIZE);
	bts->base = (unsigned long)area;
	return bts->buffer ? 0 : -ENOMEM;
}

/**
 * x86_bts_get_buffers - allocate the buffers of all CPUs, unless they exist
 *
 * Context: process.
 * Return: 0 on success, -ENOMEM.
 */
int x86_bts_get_buffers(void)
{
	unsigned int cpu;

	/* Each fork calls this per inherited event: take no lock. Pairs with the release below. */
	if (smp_load_acquire(&bts_has_buffers))
		return 0;
	guard(mutex)(&bts_mutex);
	if (bts_has_buffers)
		return 0;
	for_each_possible_cpu(cpu) {
		if (bts_get_buffer(cpu))
			return -ENOMEM;
	}
	/* Pairs with the acquire above: all buffers are mapped. */
	smp_store_release(&bts_has_buffers, true);
	return 0;
}

static void bts_write_control(u64 bits)
{
	u64 old, value;

	rdmsrl(MSR_IA32_DEBUGCTLMSR, old);
	value = (old & ~BTS_CONTROL) | bits;
	if (value != old)
		wrmsrl(MSR_IA32_DEBUGCTLMSR, value);
}

/*
 * While x86_pmu_cpu::has_ds_area is false, as during suspend, MSR_IA32_DS_AREA may be 0. The CPU
 * would then read the address of the BTS buffer from memory at address 0.
 */
static void bts_continue(struct x86_pmu_cpu *cpu)
{
	if (READ_ONCE(cpu->bts.running) && READ_ONCE(cpu->has_ds_area) && !READ_ONCE(cpu->shutdown))
		bts_write_control(cpu->bts.control);
}

static u64 bts_control(const struct perf_event *event)
{
	u64 control = BTS_ON;

	if (!boot_cpu_has(X86_FEATURE_DSCPL))
		return control;
	if (event->attr.exclude_kernel)
		control |= DEBUGCTLMSR_BTS_OFF_OS;
	if (event->attr.exclude_user)
		control |= DEBUGCTLMSR_BTS_OFF_USR;
	return control;
}

/**
 * x86_bts_may_show - check whether an event may report a record, by its modes
 * @event: the event
 * @record: the record
 *
 * A branch between user space and the kernel has a kernel address.
 *
 * Return: false if the event excludes the mode of the record, true otherwise.
 */
bool x86_bts_may_show(const struct perf_event *event, const struct x86_bts_record *record)
{
	if (x86_is_kernel(record->from) || x86_is_kernel(record->to))
		return !event->attr.exclude_kernel;
	return !event->attr.exclude_user;
}

/* Number of records in the buffer */
static unsigned int bts_pending(const struct x86_bts_cpu *bts)
{
	u64 index = READ_ONCE(this_cpu_ptr(&cpu_debug_store)->bts_index);
	unsigned int size;

	if (index <= bts->base)
		return 0;
	size = min_t(u64, index - bts->base, BTS_BUFFER_SIZE);
	return size / BTS_RECORD;
}

/* Has the buffer raised an interrupt? */
static bool bts_is_full(void)
{
	const struct debug_store *ds = this_cpu_ptr(&cpu_debug_store);

	return READ_ONCE(ds->bts_index) >= READ_ONCE(ds->bts_interrupt_threshold);
}

/* Take all records. The CPU writes none, and x86_bts_cpu::draining is set. */
static void bts_drain(struct x86_pmu_cpu *cpu, bool interrupt)
{
	struct x86_bts_cpu *bts = &cpu->bts;
	unsigned int n = bts_pending(bts);

	if (n)
		bts->take(cpu, bts->event, bts->buffer, n, interrupt);
	WRITE_ONCE(this_cpu_ptr(&cpu_debug_store)->bts_index, bts->base);
}

/**
 * x86_bts_interrupt_after - set the interrupt threshold of the buffer
 * @cpu: this CPU, whose buffer is empty, or whose records are being taken
 * @n: number of records until the interrupt; U64_MAX: as many as the buffer allows. Below
 *	X86_BTS_LEAST, the interrupt is after X86_BTS_LEAST records
 *
 * Context: interrupts off, or NMI; the CPU writes no records.
 */
void x86_bts_interrupt_after(struct x86_pmu_cpu *cpu, u64 n)
{
	n = clamp_t(u64, n, X86_BTS_LEAST, X86_BTS_RECORDS - BTS_SPARE);
	WRITE_ONCE(this_cpu_ptr(&cpu_debug_store)->bts_interrupt_threshold,
		   cpu->bts.base + n * BTS_RECORD);
}

/**
 * x86_bts_start - start recording branches
 * @cpu: this CPU, with an event after x86_bts_add(). x86_bts_interrupt_after() was called
 *
 * Context: interrupts off.
 */
void x86_bts_start(struct x86_pmu_cpu *cpu)
{
	struct debug_store *ds = this_cpu_ptr(&cpu_debug_store);
	struct x86_bts_cpu *bts = &cpu->bts;

	lockdep_assert_irqs_disabled();
	/* The BTS may have been enabled again by mistake, see the top of this file. */
	bts_write_control(0);
	ds->bts_buffer_base = bts->base;
	WRITE_ONCE(ds->bts_index, bts->base);
	ds->bts_absolute_maximum = bts->base + X86_BTS_RECORDS * BTS_RECORD + 1;
	bts->control = bts_control(bts->event);
	x86_ds_use(cpu);
	/* Without this flag, x86_pmu_interrupt() could ignore the interrupt of the buffer. */
	cpu->has_counted = true;
	bts->used = true;
	barrier();
	WRITE_ONCE(bts->running, true);
	barrier();
	bts_continue(cpu);
}

/*
 * Take the records outside of the interrupt. If the threshold was reached, its interrupt may still
 * be pending.
 */
static void bts_drain_here(struct x86_pmu_cpu *cpu)
{
	bool full;

	bts_write_control(0);
	full = bts_is_full();
	bts_drain(cpu, false);
	if (full)
		x86_expect_late_nmi(cpu);
}

/**
 * x86_bts_stop - stop recording branches, and take the records
 * @cpu: this CPU
 *
 * Context: interrupts off, or x86_bts_take_t, also in an NMI.
 */
void x86_bts_stop(struct x86_pmu_cpu *cpu)
{
	struct x86_bts_cpu *bts = &cpu->bts;

	if (bts->draining) {
		/* The BTS is disabled, and bts_continue() does not enable the BTS after this. */
		WRITE_ONCE(bts->running, false);
		return;
	}
	if (!bts->running)
		return;
	WRITE_ONCE(bts->draining, true);
	barrier();
	WRITE_ONCE(bts->running, false);
	barrier();
	bts_drain_here(cpu);
	barrier();
	WRITE_ONCE(bts->draining, false);
}

/**
 * x86_bts_flush - take the records, before the event is read or the task is switched out
 * @cpu: this CPU
 *
 * Does nothing in an NMI.
 *
 * Context: interrupts off, or NMI.
 */
void x86_bts_flush(struct x86_pmu_cpu *cpu)
{
	struct x86_bts_cpu *bts = &cpu->bts;

	if (!bts->running || in_nmi() || bts->draining || !bts_pending(bts))
		return;
	WRITE_ONCE(bts->draining, true);
	barrier();
	bts_drain_here(cpu);
	barrier();
	WRITE_ONCE(bts->draining, false);
	barrier();
	bts_continue(cpu);
}

/**
 * x86_bts_reset - disable the BTS, which may be in any state
 * @cpu: this CPU, which is brought up, taken offline, shut down, suspended, or resumes
 *
 * Context: interrupts off, or NMI after a crash.
 */
void x86_bts_reset(struct x86_pmu_cpu *cpu)
{
	/* An NMI does not enable the BTS again, until x86_ds_use(). */
	WRITE_ONCE(cpu->has_ds_area, false);
	barrier();
	if (bts_exists)
		bts_write_control(0);
}

/**
 * x86_bts_resume - continue after x86_bts_reset()
 * @cpu: this CPU, which resumes
 *
 * Context: interrupts off.
 */
void x86_bts_resume(struct x86_pmu_cpu *cpu)
{
	lockdep_assert_irqs_disabled();
	if (!cpu->bts.running)
		return;
	x86_ds_use(cpu);
	bts_continue(cpu);
}

/**
 * x86_bts_begin_interrupt - stop recording during the overflow interrupt
 * @cpu: this CPU
 *
 * Context: overflow interrupt.
 * Return: true if x86_bts_end_interrupt() must be called.
 */
bool x86_bts_begin_interrupt(struct x86_pmu_cpu *cpu)
{
	if (!READ_ONCE(cpu->bts.running) || READ_ONCE(cpu->bts.draining))
		return false;
	bts_write_control(0);
	return true;
}

/**
 * x86_bts_handle_interrupt - take the records if the buffer has raised an interrupt
 * @cpu: this CPU
 *
 * Context: overflow interrupt, after x86_bts_begin_interrupt().
 * Return: true if the buffer has raised an interrupt.
 */
bool x86_bts_handle_interrupt(struct x86_pmu_cpu *cpu)
{
	struct x86_bts_cpu *bts = &cpu->bts;

	if (!READ_ONCE(bts->used) || !bts_is_full())
		return false;
	/* The interrupted code is taking the records. */
	if (READ_ONCE(bts->draining))
		return true;
	if (!READ_ONCE(bts->running)) {
		/* Enabled again by mistake, see the top of this file: drop the records. */
		bts_write_control(0);
		WRITE_ONCE(this_cpu_ptr(&cpu_debug_store)->bts_index, bts->base);
		return true;
	}
	WRITE_ONCE(bts->draining, true);
	barrier();
	bts_drain(cpu, true);
	barrier();
	WRITE_ONCE(bts->draining, false);
	return true;
}

/**
 * x86_bts_end_interrupt - continue recording, unless the event was stopped
 * @cpu: this CPU
 *
 * Context: overflow interrupt.
 */
void x86_bts_end_interrupt(struct x86_pmu_cpu *cpu)
{
	bts_continue(cpu);
}

/**
 * x86_bts_add - give the BTS of a CPU to an event
 * @cpu: this CPU
 * @event: the event
 * @take: takes its records
 *
 * Context: interrupts off.
 * Return: 0 on success, -EAGAIN if another event has the BTS.
 */
int x86_bts_add(struct x86_pmu_cpu *cpu, struct perf_event *event, x86_bts_take_t take)
{
	struct x86_bts_cpu *bts = &cpu->bts;

	lockdep_assert_irqs_disabled();
	if (bts->event)
		return -EAGAIN;
	bts->event = event;
	bts->take = take;
	return 0;
}

/**
 * x86_bts_del - undo x86_bts_add()
 * @cpu: this CPU
 * @event: the event, which is stopped
 *
 * Context: interrupts off.
 */
void x86_bts_del(struct x86_pmu_cpu *cpu, struct perf_event *event)
{
	lockdep_assert_irqs_disabled();
	if (!WARN_ON_ONCE(cpu->bts.event != event || cpu->bts.running))
		cpu->bts.event = NULL;
}

/*
 * Events of branches with a period of 1
 */

/**
 * x86_bts_init_event - check a new event of branches with a period of 1
 * @event: the new event
 *
 * On success event->destroy is set.
 *
 * Context: process.
 * Return: 0 on success, -EOPNOTSUPP without BTS or if the event is precise or of the kernel,
 * -EBUSY if PT or the PMU intel_bts is used, -ENOMEM, or an error of x86_branch_check().
 */
int x86_bts_init_event(struct perf_event *event)
{
	int err;

	if (!bts_exists)
		return perf_event_refuse(event, "attr.sample_period",
					 "of 1 on branch instructions needs BTS, which this processor lacks",
					 -EOPNOTSUPP);
	if (!event->attr.exclude_kernel)
		return perf_event_refuse(event, "attr.exclude_kernel",
					 "must be 1 for branches with a period of 1",
					 -EOPNOTSUPP);
	if (event->attr.precise_ip)
		return perf_event_refuse(event, "attr.precise_ip",
					 "must be 0 for branches with a period of 1", -EOPNOTSUPP);
	/* The branch stacks of the samples are empty: each branch is a sample. */
	err = needs_branch_stack(event) ? x86_branch_check(event) : 0;
	if (!err)
		err = x86_bts_get_buffers();
	if (err)
		return err;
	/* An inherited event uses its parent's LBR reservation: the parent is freed later. */
	err = event->parent ? 0 : x86_add_exclusive(x86_lbr_exclusive_lbr);
	if (err)
		return perf_event_refuse(event, "attr.sample_period",
					 "of 1 on branch instructions needs BTS, but PT or intel_bts is in use",
					 err);
	event->destroy = x86_branch_destroy;
	event->hw.flags |= X86_BRANCH_TRACE;
	event->attach_state |= PERF_ATTACH_SCHED_CB;
	return 0;
}

/*
 * Write a sample for each record. The registers at the time of the record are not known: all except
 * the address are 0.
 *
 * Throttling limits interrupts, so only one record of each interrupt counts for throttling: the
 * last one, since throttling stops the event, and later records would be lost.
 */
static void bts_sample(struct x86_pmu_cpu *cpu, struct perf_event *event,
		       const struct x86_bts_record *records, unsigned int n, bool interrupt)
{
	bool *from_record = &cpu->from_record[!!in_nmi()], outer = *from_record;
	struct perf_sample_data data;
	struct pt_regs regs;
	unsigned int i;
	int stop;

	while (n && !x86_bts_may_show(event, &records[n - 1]))
		n--;
	for (i = 0; i < n; i++) {
		if (!x86_bts_may_show(event, &records[i]))
			continue;
		local64_add(1, &event->count);
		perf_sample_data_init(&data, records[i].to, event->hw.last_period);
		regs = (struct pt_regs){ .ss = __USER_DS };
		set_linear_ip(&regs, records[i].from);
		*from_record = true;
		if (interrupt && i == n - 1)
			stop = perf_event_overflow(event, &data, &regs);
		else
			stop = perf_event_overflow_more(event, &data, &regs);
		*from_record = outer;
		/* The event has reached its limit, or is throttled after the last record. */
		if (stop) {
			x86_event_stop(event, 0);
			break;
		}
	}
}

/**
 * x86_bts_event_add - add an event of branches with a period of 1
 * @cpu: this CPU
 * @event: the event
 *
 * Return: 0 on success, -EAGAIN if another event has the BTS.
 */
int x86_bts_event_add(struct x86_pmu_cpu *cpu, struct perf_event *event)
{
	int err = x86_bts_add(cpu, event, bts_sample);

	if (!err)
		perf_sched_cb_inc(event->pmu);
	return err;
}

/**
 * x86_bts_event_start - start an event of branches with a period of 1
 * @cpu: this CPU
 * @event: the event
 */
void x86_bts_event_start(struct x86_pmu_cpu *cpu, struct perf_event *event)
{
	if (x86_event_runs(event))
		return;
	WRITE_ONCE(event->hw.state, 0);
	x86_bts_interrupt_after(cpu, BTS_SAMPLES);
	x86_bts_start(cpu);
}

/**
 * x86_bts_event_stop - stop an event of branches with a period of 1
 * @cpu: this CPU
 * @event: the event
 *
 * Context: interrupts off, or NMI.
 */
void x86_bts_event_stop(struct x86_pmu_cpu *cpu, struct perf_event *event)
{
	if (!x86_event_runs(event))
		return;
	WRITE_ONCE(event->hw.state, PERF_HES_STOPPED | PERF_HES_UPTODATE);
	x86_bts_stop(cpu);
	perf_event_update_userpage(event);
}

/**
 * x86_bts_event_del - remove an event of branches with a period of 1
 * @cpu: this CPU
 * @event: the event
 */
void x86_bts_event_del(struct x86_pmu_cpu *cpu, struct perf_event *event)
{
	x86_bts_event_stop(cpu, event);
	x86_bts_del(cpu, event);
	perf_sched_cb_dec(event->pmu);
}
