/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Operations on events and on a thread with a perfctr, as by the core of perf events and the
 * scheduler, and checks of the counts against the instructions of the CPU.
 */
#ifndef _TOOLS_TESTING_PERF_EVENTS_X86_EVENTS_H
#define _TOOLS_TESTING_PERF_EVENTS_X86_EVENTS_H

#include "x86_engine.h"

/* Are the count and the number of samples of a stopped event right? */
static inline bool is_right(const struct counted *c)
{
	const struct perf_event *event = &c->event;
	u64 count = local64_read(&event->count), period = event->attr.sample_period;

	if (count < c->lo || count > c->hi) {
		printf("# code %#llx counted %llu instead of %llu to %llu\n",
		       (unsigned long long)event->attr.config, (unsigned long long)count,
		       (unsigned long long)c->lo, (unsigned long long)c->hi);
		return false;
	}
	if (!period)
		return c->samples == 0;
	if (event->attr.exclude_kernel ? c->samples + c->lost == count / period :
	    c->samples <= count / period + 1)
		return true;
	printf("# code %#llx overflowed %llu times in %llu, with a period of %llu\n",
	       (unsigned long long)event->attr.config, (unsigned long long)c->samples,
	       (unsigned long long)count, (unsigned long long)period);
	return false;
}

/* Will a sampling event have a sample: is an interrupt pending, or can the counter overflow? */
static inline bool will_overflow(const struct counted *c, int counter)
{
	if (x86_counter_is_fixed(counter))
		counter += MACHINE_GENERAL - INTEL_PMC_IDX_FIXED;
	return !c->event.attr.sample_period || c->event.attr.precise_ip || machine.pending ||
	       (s32)machine.counter[counter] < 0;
}

/* Does an event that is on have a counter, and the right value in its extra register? */
static inline bool is_set_up(const struct counted *c)
{
	const struct x86_count *count = x86_event_count(&c->event);
	u64 code;

	if (!c->on)
		return true;
	if (!count || count->counter < 0)
		return false;
	if (!c->running)
		return true;
	if (!will_overflow(c, count->counter))
		return false;
	if (!c->event.attr.config1)
		return true;
	code = machine.select[count->counter] & ARCH_PERFMON_EVENTSEL_EVENT;
	return machine.extra[code == TWIN_CODE] == c->event.attr.config1;
}

/* Does a program that follows the protocol of the page read the right count? */
static inline bool is_page_right(const struct counted *c)
{
	const struct x86_count *count = x86_event_count(&c->event);
	u64 value, lo, hi;
	int counter;

	/* The CPU reloads the counter, so the value of the counter is not part of the count. */
	if (!c->on || !c->running || count->reload)
		return true;
	lo = c->lo + truth_lo(c, now()) - c->begun;
	hi = c->hi + truth(c, now()) - c->begun_hi;
	counter = counter_of(c->page.index - 1);
	if (x86_counter_is_fixed(counter))
		counter += MACHINE_GENERAL - INTEL_PMC_IDX_FIXED;
	value = c->page.index ? machine.counter[counter] : 0;
	/* The counter's value is signed. */
	if (c->page.index)
		value = (s64)(value << (64 - c->page.pmc_width)) >> (64 - c->page.pmc_width);
	value += c->page.offset;
	if (c->page.index && value >= lo && value <= hi)
		return true;
	printf("# code %#llx: page's index %u and count %llu instead of %llu to %llu\n",
	       (unsigned long long)c->event.attr.config, c->page.index, (unsigned long long)value,
	       (unsigned long long)lo, (unsigned long long)hi);
	return false;
}

/* Has this CPU taken the counters of its northbridge events, and does no other CPU use them? */
static inline bool is_node_right(void)
{
	u64 mine = 0;
	int i;

	for (i = 0; i < MACHINE_GENERAL; i++) {
		if ((machine.select[i] & ARCH_PERFMON_EVENTSEL_EVENT) == NB_CODE)
			mine |= BIT_ULL(i);
	}
	if (!(mine & other_cpu) &&
	    atomic64_read(&x86_pmu_cpu.first_nb.taken) == (s64)(mine | other_cpu))
		return true;
	printf("# counters %#llx count northbridge events, %#llx are taken, %#llx by another CPU\n",
	       (unsigned long long)mine,
	       (unsigned long long)atomic64_read(&x86_pmu_cpu.first_nb.taken),
	       (unsigned long long)other_cpu);
	return false;
}

/* Are these at most half of the general counters? */
static inline bool is_half(u64 counters)
{
	return hweight64(counters & X86_GENERAL(MACHINE_GENERAL)) <= MACHINE_GENERAL / 2;
}

/* Does the other thread corrupt no running counter, and is none of its counters corrupted? */
static inline bool is_thread_right(void)
{
	const struct x86_excl_thread *mine = &x86_pmu_cpu.first_excl.thread[0];
	const struct x86_excl_thread *other = &x86_pmu_cpu.first_excl.thread[1];
	u64 runs = machine.control & X86_GENERAL(MACHINE_GENERAL), leaks = 0;
	int i;

	if (!x86_pmu_cpu.excl)
		return true;
	for (i = 0; i < MACHINE_GENERAL; i++) {
		if ((machine.select[i] & ARCH_PERFMON_EVENTSEL_EVENT) == HT_CODE)
			leaks |= runs & BIT_ULL(i);
	}
	if (!(runs & other->exclusive) && !(leaks & other->used) &&
	    !(runs & ~mine->used) && !(leaks & ~mine->exclusive) &&
	    (!leaks || !other->online || is_half(x86_pmu_cpu.assigned_mask)))
		return true;
	printf("# counters %#llx run, %#llx of them corrupt; the other thread: %#llx, %#llx\n",
	       (unsigned long long)runs, (unsigned long long)leaks,
	       (unsigned long long)other->used, (unsigned long long)other->exclusive);
	return false;
}

static inline bool all_right(void)
{
	int i;

	if (!is_node_right() || !is_thread_right())
		return false;
	if (machine.left) {
		printf("# %lu overflows were not acknowledged\n", machine.left);
		return false;
	}
	for (i = 0; i < EVENTS; i++) {
		if (counted[i].on && !is_set_up(&counted[i])) {
			printf("# event %d is not set up\n", i);
			return false;
		}
		if (!is_page_right(&counted[i]))
			return false;
		if (!counted[i].on && counted[i].event.pmu && !is_right(&counted[i]))
			return false;
	}
	if (machine.unknown)
		printf("# %lu interrupts were unknown\n", machine.unknown);
	if (machine.swallowed)
		printf("# %lu interrupts of another device were swallowed\n", machine.swallowed);
	return !machine.unknown && !machine.swallowed && !harness_warned;
}

/* Operations of the core */

static inline void remove_event(struct counted *c, struct section before)
{
	bool was_running = c->running;

	core.pmu.del(&c->event, 0);
	c->on = false;
	/* An interrupt of the event may have stopped it during del(). */
	if (was_running && c->running)
		has_ended(c, before);
}

/*
 * Add the events of @mask as a group. On success the events are added to @added, for have_come().
 */
static inline void add_group(u64 mask, u64 *added, struct section before)
{
	u64 done = 0;
	int i, err = 0;

	core.pmu.start_txn(&core.pmu, PERF_PMU_TXN_ADD);
	for (i = 0; i < EVENTS && !err; i++) {
		if (!(mask & BIT_ULL(i)))
			continue;
		err = core.pmu.add(&counted[i].event, PERF_EF_START);
		if (!err)
			done |= BIT_ULL(i);
	}
	if (!err)
		err = core.pmu.commit_txn(&core.pmu);
	if (err) {
		for (i = 0; i < EVENTS; i++) {
			if (!(done & BIT_ULL(i)))
				continue;
			core.pmu.del(&counted[i].event, 0);
			/*
			 * The event may have counted, if it shared a counter that was running.
			 */
			counted[i].hi += truth(&counted[i], now()) - truth(&counted[i], before);
		}
		core.pmu.cancel_txn(&core.pmu);
		return;
	}
	*added |= done;
}

/* Events that were added while the PMU is disabled, and the moment before the first was added */
static u64 coming;
static struct section since;

static inline void have_come(void)
{
	int i;

	for (i = 0; i < EVENTS; i++) {
		if (!(coming & BIT_ULL(i)))
			continue;
		counted[i].on = true;
		has_begun(&counted[i], since);
	}
	coming = 0;
}

/*
 * The core's other thread starts or stops to use a counter, perhaps with an event of the erratum.
 */
static inline void change_other_thread(void)
{
	struct x86_excl_cntrs *excl = x86_pmu_cpu.excl;
	u64 bit = BIT_ULL(machine_random(MACHINE_GENERAL));

	if (!excl)
		return;
	if (excl->thread[1].used & bit) {
		excl->thread[1].used &= ~bit;
		excl->thread[1].exclusive &= ~bit;
	} else if (!(excl->thread[0].exclusive & bit)) {
		excl->thread[1].used |= bit;
		if (!(excl->thread[0].used & bit) && machine_random(2))
			excl->thread[1].exclusive |= bit;
	}
}

/* The core's other thread changes its counters even while a claim begins or ends. */
static bool other_thread_runs;

/* Schedule the flexible events out. Then schedule them and waiting events in, if they fit. */
void perf_pmu_resched_flexible(struct pmu *pmu)
{
	bool in_switch = pmu->disabled;
	struct section before = now();
	u64 back = 0, kept = 0;
	int i;

	perf_pmu_disable(&core.pmu);
	if (!in_switch)
		since = before;
	for (i = 0; i < EVENTS; i++) {
		struct counted *c = &counted[i];

		if (c->event.attr.pinned) {
			kept |= coming & BIT_ULL(i);
			back |= waiting & BIT_ULL(i);
		} else if (coming & BIT_ULL(i)) {
			core.pmu.del(&c->event, 0);
			c->hi += truth(c, now()) - truth(c, since);
			back |= BIT_ULL(i);
		} else if (c->on) {
			remove_event(c, before);
			back |= BIT_ULL(i);
		} else if (waiting & BIT_ULL(i)) {
			back |= BIT_ULL(i);
		}
	}
	coming = kept;
	for (i = 0; i < EVENTS; i++) {
		if (other_thread_runs)
			change_other_thread();
		if (back & BIT_ULL(i))
			add_group(BIT_ULL(i), &coming, since);
	}
	waiting = back & ~coming;
	perf_pmu_enable(&core.pmu);
	if (!in_switch)
		have_come();
}

static inline void thread_runs(void)
{
	if (!thread.has_control || thread.running || perfctr_state_resume(&layer, &thread.state))
		return;
	thread.running = true;
	thread.begun = machine.user;
}

static inline void thread_stops(void)
{
	if (!thread.running)
		return;
	perfctr_state_suspend(&layer, &thread.state);
	if (x86_pmu_cpu.claim_displaced)
		x86_claim_resched(&x86_pmu_cpu);
	thread.running = false;
	thread.counts += (thread.overflowed ? thread.until : machine.user) - thread.begun;
	thread.overflowed = false;
}

static inline bool thread_is_right(void)
{
	const struct perfctr_cpu_state *state = &thread.state;
	u32 i;

	if (thread.running)
		return true;
	for (i = 0; i < state->claim.n; i++) {
		if (state->pmc[i].sum == thread.counts)
			continue;
		printf("# the thread's counter %u, number %d, counted %llu of %llu\n", i,
		       state->claim.counter[i], (unsigned long long)state->pmc[i].sum,
		       (unsigned long long)thread.counts);
		return false;
	}
	return true;
}

/*
 * Are the registers as another kernel needs them? The selects halt all counters, and the control
 * register, if any, enables the general counters, as after a reset.
 */
static inline bool is_left(const struct x86_pmu_msrs *msrs)
{
	u64 before[ARRAY_SIZE(machine.counter)], select = 0;
	int i;

	memcpy(before, machine.counter, sizeof(before));
	machine.in_nmi = true;
	machine_run(1000);
	machine.in_nmi = false;
	for (i = 0; i < MACHINE_GENERAL; i++)
		select |= machine.select[i] & ~msrs->always;
	return !memcmp(before, machine.counter, sizeof(before)) && !select &&
	       !machine.fixed_control && !machine.status &&
	       machine.control == (msrs->control ? X86_GENERAL(MACHINE_GENERAL) : 0);
}

#define N	4

static inline void open_modes(int first, const u8 *codes, u64 period, bool kernel)
{
	int i;

	for (i = 0; i < N; i++) {
		struct perf_event_attr attr = {
			.config = codes[i], .exclude_kernel = !kernel, .sample_period = period,
		};

		assert(!open_event(&counted[first + i], &attr));
	}
}

static inline void open_user(int first, const u8 *codes, u64 period)
{
	open_modes(first, codes, period, false);
}

/* Remove the N events from @out on, and add the N events from @in on; -1: none. */
static inline void switch_events(int out, int in)
{
	u64 added = 0;
	int i;

	perf_pmu_disable(&core.pmu);
	for (i = 0; out >= 0 && i < N; i++)
		core.pmu.del(&counted[out + i].event, 0);
	if (in >= 0)
		add_group((u64)GENMASK_ULL(N - 1, 0) << in, &added, now());
	perf_pmu_enable(&core.pmu);
}

/* Add one event to its PMU, as when it is scheduled in. */
static inline void schedule_in(struct counted *c)
{
	perf_pmu_disable(&core.pmu);
	core.pmu.add(&c->event, PERF_EF_START);
	perf_pmu_enable(&core.pmu);
}

/* Remove one event from its PMU, as when it is scheduled out. */
static inline void schedule_out(struct counted *c)
{
	perf_pmu_disable(&core.pmu);
	core.pmu.del(&c->event, 0);
	perf_pmu_enable(&core.pmu);
}

static inline void run_user(u64 steps)
{
	machine_take_interrupt();
	machine.in_driver = false;
	machine.kernel = false;
	while (steps--)
		machine_step();
	machine.in_driver = true;
	machine.kernel = true;
}

/* Run the CPU in the kernel for some steps. */
static inline void run_kernel(u64 steps)
{
	machine.in_driver = false;
	while (steps--)
		machine_step();
	machine.in_driver = true;
}

static inline void load_register(u32 msr, u64 value)
{
	if (!machine_branch_register(msr, &value, true))
		*machine_register(msr, false) = value;
}

/* Enter and leave a guest, as KVM does, which runs for some steps. */
static inline void enter_guest(const struct perf_guest_switch_msr *msrs, int nr, u64 steps)
{
	int i;

	for (i = 0; i < nr; i++) {
		if (msrs[i].host != msrs[i].guest)
			load_register(msrs[i].msr, msrs[i].guest);
	}
	machine.pebs_armed &= machine.pebs_enable;
	machine.in_guest = true;
	run_user(steps);
	machine.in_guest = false;
	for (i = 0; i < nr; i++) {
		if (msrs[i].host != msrs[i].guest)
			load_register(msrs[i].msr, msrs[i].host);
	}
}

static inline void run_guest(u64 steps)
{
	const struct perf_guest_switch_msr *msrs;
	int nr;

	msrs = perf_guest_get_msrs(&nr, NULL);
	enter_guest(msrs, nr, steps);
}

/* Set CR4.PCE, for the running program or for the next one. */
static inline void allow_reads(void)
{
	x86_pmu_cpu.enabling_rdpmc = true;
	x86_clear_unused(&x86_pmu_cpu);
	x86_pmu_cpu.enabling_rdpmc = false;
	user_reads = true;
	if (thread.running)
		perfctr_state_update_readable(&layer, &thread.state);
}

/*
 * Create a control of the thread: @n counters from @first on, which count in @modes. @ireset: start
 * value of counters that interrupt; 0: counters that do not interrupt
 */
static inline void claim_counters(int id, int first, int n, u64 modes, s32 ireset)
{
	u64 ints = ireset ? ARCH_PERFMON_EVENTSEL_INT : 0;
	struct x86_claim *claim = &thread.state.claim;
	int i;

	thread = (struct thread){ .has_control = true };
	thread.state.control.nractrs = ireset ? 0 : n;
	thread.state.control.nrictrs = ireset ? n : 0;
	claim->id = id;
	for (i = 0; i < n; i++) {
		claim->counters |= BIT_ULL(first + i);
		claim->counter[i] = first + i;
		claim->config[i] = ANY_CODE | modes | ints;
		thread.state.control.pmc_map[i] = x86_rdpmc_index(first + i);
		thread.state.control.ireset[i] = ireset;
	}
	claim->ints = ireset ? claim->counters : 0;
	claim->n = n;
	perfctr_state_begin(&thread.state);
}

static inline void claim_all(int id)
{
	claim_counters(id, 0, N, ARCH_PERFMON_EVENTSEL_USR, 0);
}

#endif /* _TOOLS_TESTING_PERF_EVENTS_X86_EVENTS_H */
