// SPDX-License-Identifier: GPL-2.0
/*
 * An event that moves between CPUs while it is read: perf_event_sched_in() and
 * perf_event_sched_out() of sched.c on two CPUs that alternately run the event's context, and
 * perf_read_sync_count() of read.c on a third CPU. The test asserts that a read returns each
 * occurrence before the read exactly once.
 *
 * The model repeats the order of oncpu, state and count by hand, because those functions need a
 * scheduler: a change of the order in these files needs the same change in the model. BROKEN
 * removes the write barrier of perf_event_sched_in(), and delays the first of its two stores, as a
 * CPU may do without the barrier.
 */
#include "harness.h"

enum { INACTIVE, ACTIVE };

/**
 * struct cpu - a CPU with one counter
 * @counter: the event's counter while the event is on this CPU; only this CPU accesses it
 * @asked: an interrupt is pending
 */
struct cpu {
	u64	counter;
	int	asked;
} ____cacheline_aligned;

/* The fields of struct perf_event that the protocol uses, and the lock of its context */
static struct {
	raw_spinlock_t	lock;
	int		state;
	int		oncpu;
	u64		count;
} event = { .oncpu = -1 };

static struct cpu cpus[2];
/* The count that the event should have. */
static u64 happened ____cacheline_aligned;
static u64 reads, interrupts, switches, less, more;

static void sched_in(int me)
{
	raw_spin_lock(&event.lock);
#ifndef BROKEN
	WRITE_ONCE(event.oncpu, me);
#endif
	/* Pairs with the acquire in the reader: as in perf_event_sched_in(). */
	smp_wmb();
	smp_store_release(&event.state, ACTIVE);
	raw_spin_unlock(&event.lock);
}

/* As pmu->read: add the count of the counter to the event. */
static void read_counter(int me)
{
	WRITE_ONCE(event.count, event.count + cpus[me].counter);
	cpus[me].counter = 0;
}

static void sched_out(int me)
{
	raw_spin_lock(&event.lock);
	read_counter(me);
	/*
	 * Pairs with the acquire in the reader: as in perf_event_sched_out().
	 */
	smp_store_release(&event.oncpu, -1);
	smp_store_release(&event.state, INACTIVE);
	raw_spin_unlock(&event.lock);
}

/* The interrupt of a reader: perf_read_here(), if the task's context runs on this CPU. */
static void take_interrupt(int me, bool runs)
{
	if (likely(!smp_load_acquire(&cpus[me].asked)))
		return;
	if (runs) {
		raw_spin_lock(&event.lock);
		if (event.state == ACTIVE)
			read_counter(me);
		raw_spin_unlock(&event.lock);
	}
	smp_store_release(&cpus[me].asked, 0);
}

/* Without a barrier, a store may become visible long after the counter has started. */
static void be_late(int me, u64 *seed)
{
#ifdef BROKEN
	if (READ_ONCE(event.oncpu) == me || harness_random(seed) % 4)
		return;
	sched_yield();
	WRITE_ONCE(event.oncpu, me);
#endif
}

/* The CPU of the task. The task's work on one CPU is ordered before its work on the next. */
static int task_cpu;

static void run_cpu(void *arg)
{
	int me = (uintptr_t)arg, n;
	u64 seed = 88172645463325252ULL + me;

	while (harness_goes_on()) {
		take_interrupt(me, false);
		if (smp_load_acquire(&task_cpu) != me) {
			sched_yield();
			continue;
		}
		sched_in(me);
		for (n = harness_random(&seed) % 64; n; n--) {
			cpus[me].counter++;
			smp_store_release(&happened, happened + 1);
			be_late(me, &seed);
			take_interrupt(me, true);
		}
		sched_out(me);
		switches++;
		if (harness_random(&seed) % 4 == 0)
			smp_store_release(&task_cpu, !me);
	}
}

/* smp_call_function_single() */
static bool call_cpu(int cpu)
{
	smp_store_release(&cpus[cpu].asked, 1);
	while (smp_load_acquire(&cpus[cpu].asked)) {
		if (!harness_goes_on())
			return false;
		sched_yield();
	}
	return true;
}

static bool sync_count(void)
{
	int cpu;

	/* Pairs with perf_event_sched_in(): as in perf_read_sync_count(). */
	if (smp_load_acquire(&event.state) != ACTIVE)
		return true;
	cpu = READ_ONCE(event.oncpu);
	if (cpu >= 0) {
		interrupts++;
		return call_cpu(cpu);
	}
	smp_rmb();
	return true;
}

static void read_event(void *unused)
{
	u64 before, value;

	while (harness_goes_on()) {
		before = smp_load_acquire(&happened);
		if (!sync_count())
			return;
		value = READ_ONCE(event.count);
		less += value < before;
		/* The event may have counted, and not yet added the occurrence to @happened. */
		more += value > smp_load_acquire(&happened) + 1;
		reads++;
	}
}

int main(int argc, char **argv)
{
	struct harness_thread threads[] = {
		{ run_cpu, (void *)0 }, { run_cpu, (void *)1 }, { read_event },
	};

	ktap_plan(1);
	harness_need(&switches);
	harness_need(&reads);
	harness_need_fault(&less);
	harness_run(threads, ARRAY_SIZE(threads), harness_seconds(argc, argv));
	ktap_note("%llu switches, %llu reads, %llu by interrupt: %llu too small, %llu too large",
		  (unsigned long long)switches, (unsigned long long)reads,
		  (unsigned long long)interrupts, (unsigned long long)less,
		  (unsigned long long)more);
	ktap_result(switches && reads && !less && !more,
		    "a read returns each earlier occurrence once");
	return ktap_end();
}
