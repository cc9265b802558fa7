// SPDX-License-Identifier: GPL-2.0
/*
 * A task is moved to another cgroup while another CPU switches to the task, as in
 * perf_cgroup_attach() of kernel/events/cgroup.c. At least one of the two must see the other's
 * store, or the CPU still counts for the old cgroup.
 *
 *	mover:	task's cgroup = new; full barrier; does the task run on that CPU? interrupt it
 *	switch:	task's CPU = this; full barrier; read the task's cgroup
 *
 * The model has only these six steps, written by hand: the rest of perf_cgroup_attach() and of
 * perf_cgroup_switch() needs a scheduler. BROKEN removes the full barriers, and both threads load
 * before they store, as any CPU then may.
 */
#include "harness.h"

/* Store, then load. Without a barrier a CPU may load first: BROKEN always does. */
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
	 * The barriers of move() and of switch_in() pair, like those of
	 * perf_cgroup_attach() and of a switch.
	 */
	smp_mb();
	return READ_ONCE(*other);
#endif
}

/*
 * Rounds of the two threads. Both start a round at the same time, and do not wait for each other
 * within a round.
 */
static u32 round_of[2] ____cacheline_aligned;
static u32 cgroup ____cacheline_aligned;
static u32 task_cpu ____cacheline_aligned;
static u32 seen_cpu, seen_cgroup;
static u64 rounds, missed;

/* Wait for the other thread. Return: false at the end of the run. */
static bool meet(unsigned int self)
{
	u32 mine = round_of[self] + 1;
	unsigned int tries = 0;

	/*
	 * Pairs with the acquire of the other thread below, which then sees
	 * all stores before this round.
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
		/* If both threads have read the old values, the CPU counts for the old cgroup. */
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
	harness_need_fault(&missed);
	harness_run(threads, ARRAY_SIZE(threads), harness_seconds(argc, argv));
	ktap_note("%llu rounds, %llu missed moves", (unsigned long long)rounds,
		  (unsigned long long)missed);
	ktap_result(rounds && !missed, "of a move and a switch at once, one sees the other");
	return ktap_end();
}
