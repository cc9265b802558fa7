// SPDX-License-Identifier: GPL-2.0
/*
 * A control with counters of perfctr removes the forbidden CPUs from a thread's allowed CPUs while
 * the thread's cpuset changes (drivers/perfctr/allowed_cpus.h). The test changes the cpuset after
 * each write of the allowed CPUs. It asserts that the allowed CPUs are in the cpuset at the end,
 * and that a signal which kills the thread or its tracer ends the call.
 */
#include <errno.h>

#include "harness.h"

/* The kernel's functions and types; its headers are empty files here. */
#define GFP_KERNEL	0

struct cpumask {
	u64 bits;
};

#define cpumask_var_t	struct cpumask *

/**
 * struct task_struct - a thread
 * @cpus_ptr: its allowed CPUs
 * @killed: a fatal signal is pending
 */
struct task_struct {
	struct cpumask	*cpus_ptr;
	bool		killed;
};

#define MAX_CALLS	1000

static struct cpumask forbidden, cpuset, allowed;
static struct task_struct caller, thread, *current;
static u64 next_cpusets[2];
static unsigned int calls, changes, kill_at;
static struct task_struct *kills;

static inline bool alloc_cpumask_var(cpumask_var_t *mask, int gfp)
{
	static struct cpumask storage;

	*mask = &storage;
	return true;
}

static inline void free_cpumask_var(cpumask_var_t mask)
{
}

static inline bool cpumask_intersects(const struct cpumask *a, const struct cpumask *b)
{
	return a->bits & b->bits;
}

static inline bool cpumask_subset(const struct cpumask *a, const struct cpumask *b)
{
	return !(a->bits & ~b->bits);
}

static inline bool cpumask_andnot(struct cpumask *to, const struct cpumask *a,
				  const struct cpumask *b)
{
	to->bits = a->bits & ~b->bits;
	return to->bits;
}

static inline const struct cpumask *perfctr_cpu_forbidden(void)
{
	return &forbidden;
}

static inline bool fatal_signal_pending(const struct task_struct *task)
{
	return task->killed;
}

static inline int set_cpus_allowed_ptr(struct task_struct *task, const struct cpumask *cpus)
{
	task->cpus_ptr->bits = cpus->bits;
	if (++calls == kill_at)
		kills->killed = true;
	return 0;
}

/*
 * The cpuset has changed between two writes of the allowed CPUs: first the administrator's, then
 * the caller's.
 */
static inline void cpuset_cpus_allowed(struct task_struct *task, struct cpumask *cpus)
{
	/* The caller repeats without end. */
	if (calls > MAX_CALLS) {
		printf("# %u calls\n", calls);
		exit(1);
	}
	if (changes) {
		changes--;
		cpuset.bits = next_cpusets[changes & 1];
	}
	cpus->bits = cpuset.bits;
}

#include "../../../drivers/perfctr/allowed_cpus.h"

/* CPUs 2 and 3 are forbidden. The cpuset alternates between @a and @b, @nr times. */
static void begin(unsigned int nr, u64 a, u64 b)
{
	forbidden.bits = 0xc;
	cpuset.bits = 0xf;
	allowed.bits = 0xf;
	next_cpusets[1] = a;
	next_cpusets[0] = b;
	changes = nr;
	calls = 0;
	kill_at = 0;
	caller = (struct task_struct){ .cpus_ptr = &allowed };
	thread = (struct task_struct){ .cpus_ptr = &allowed };
	current = &caller;
}

/* The cpuset changes without end, and never has all allowed CPUs: only the signal ends the loop. */
static void begin_killed(struct task_struct *task, unsigned int at)
{
	begin(2 * MAX_CALLS, 0xd, 0xe);
	kills = task;
	kill_at = at;
}

/* Does the function return @expected, and leave the CPUs @left of the cpuset? 0: all */
static bool ends(int expected, u64 left)
{
	int err = vperfctr_leave_forbidden(&thread);

	printf("# error %d, CPUs %#llx of %#llx\n", -err, (unsigned long long)allowed.bits,
	       (unsigned long long)cpuset.bits);
	return err == expected && cpumask_subset(&allowed, &cpuset) &&
	       allowed.bits == (left ? left : cpuset.bits);
}

int main(void)
{
	ktap_plan(6);
	begin(0, 0, 0);
	ktap_result(ends(0, 0x3), "constant_cpuset");
	begin(1, 0, 0xe);
	ktap_result(ends(0, 0x2), "smaller_cpuset");
	begin(3, 0xd, 0xe);
	ktap_result(ends(0, 0x2), "changing_cpuset");
	begin(1, 0, 0xc);
	ktap_result(ends(-EINVAL, 0), "forbidden_cpuset");
	begin_killed(&caller, 10);
	ktap_result(ends(-ESRCH, 0), "killed_caller");
	begin_killed(&thread, 11);
	ktap_result(ends(-ESRCH, 0), "killed_thread");
	return ktap_end();
}
