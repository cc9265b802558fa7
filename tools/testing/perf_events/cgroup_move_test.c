// SPDX-License-Identifier: GPL-2.0
/*
 * A task is moved to another cgroup while another CPU switches to it, as in
 * perf_cgroup_attach() of kernel/events/cgroup.c: at least one of the two must
 * see what the other has done, or the CPU goes on counting for the old cgroup.
 *
 * mover:  task's cgroup = new;  full barrier;  is it on that CPU? tell it
 * switch: task's CPU = this;    full barrier;  go on with the task's cgroup
 *
 * These six steps are all that is modelled, by hand: the rest of
 * perf_cgroup_attach() and of perf_cgroup_switch() needs a scheduler. With
 * BROKEN the full barriers are gone, and both look before they store, as any
 * CPU then may.
 */
#include "harness.h"

/*
 * Store, then look; with BROKEN the look may come first, as it may without a
 * barrier.
 */
static u32 store_and_look(u32 *mine, u32 value, const u32 *other)
{
#ifdef BROKEN
	u32 seen = READ_ONCE(*other);

	sched_yield();
	WRITE_ONCE(*mine, value);
	return seen;
#else
	WRITE_ONCE(*mine, value);
	/*
	 * In move() pairs with the barrier of switch_in(), and there with that
	 * of move(): as in perf_cgroup_attach(), and at each switch.
	 */
	smp_mb();
	return READ_ONCE(*other);
#endif
}

/*
 * Rounds of the two threads. Both begin a round at the same time, and neither
 * knows how far the other is in it.
 */
static u32 round_of[2] ____cacheline_aligned;
static u32 cgroup ____cacheline_aligned;
static u32 task_cpu ____cacheline_aligned;
static u32 seen_cpu, seen_cgroup;
static u64 rounds, missed;

/* Wait for the other thread. Return: false when that has stopped. */
static bool meet(unsigned int self)
{
	u32 mine = round_of[self] + 1;
	unsigned int tries = 0;

	/*
	 * Pairs with the other thread's acquire below: it finds what was
	 * written before this round.
	 */
	smp_store_release(&round_of[self], mine);
	/* Pairs with the other thread's release above. */
	while ((s32)(smp_load_acquire(&round_of[!self]) - mine) < 0) {
		if (!harness_goes_on())
			return false;
		if (++tries % 4096 == 0)
			sched_yield();
	}
	return true;
}

static void move(void *unused)
{
	u64 seed = 88172645463325252ULL;

	while (meet(0)) {
		harness_dawdle(&seed, 20);
		seen_cpu = store_and_look(&cgroup, round_of[0], &task_cpu);
		if (!meet(0))
			return;
		/*
		 * When both have seen the old values, nobody tells the CPU of
		 * the move.
		 */
		missed += seen_cpu != round_of[0] - 1 && seen_cgroup != round_of[0] - 1;
		rounds++;
	}
}

static void switch_in(void *unused)
{
	u64 seed = 362436069362436069ULL;

	while (meet(1)) {
		harness_dawdle(&seed, 20);
		seen_cgroup = store_and_look(&task_cpu, round_of[1], &cgroup);
		if (!meet(1))
			return;
	}
}

int main(int argc, char **argv)
{
	struct harness_thread threads[] = { { move }, { switch_in } };

	ktap_plan(1);
	harness_need(&rounds);
	harness_run(threads, ARRAY_SIZE(threads), harness_seconds(argc, argv));
	ktap_note("%llu rounds, %llu moves that nobody saw", (unsigned long long)rounds,
		  (unsigned long long)missed);
	ktap_result(rounds && !missed, "a move and a switch: one sees the other");
	return ktap_end();
}
