// SPDX-License-Identifier: GPL-2.0
/* Virtual performance counters: reservation conflicts, mappings. */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/jiffies.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/sched/task.h>
#ifdef CONFIG_X86
#include <asm/perf_event.h>
#endif

#include "virtual.h"

static const char one[] = "one driver", two[] = "another driver";

/* The second driver gets the name of the first. */
static void test_reserve(struct kunit *test)
{
	const char *other;

	if (!perfctr_cpu_name)
		kunit_skip(test, "no counters, not even a clock");
	other = perfctr_cpu_reserve(one);
	if (other)
		kunit_skip(test, "%s has the hardware", other);
	KUNIT_EXPECT_STREQ(test, perfctr_cpu_reserve(two), one);
	KUNIT_EXPECT_EQ_MSG(test, vperfctr_use_hardware(), -EBUSY, "no object can be created");
	perfctr_cpu_release(one);
	KUNIT_EXPECT_NULL(test, perfctr_cpu_reserve(two));
	KUNIT_EXPECT_STREQ(test, perfctr_cpu_reserve(one), two);
	perfctr_cpu_release(two);
}

/* Objects reserve the hardware; the reservation ends some time after the last object. */
static void test_objects(struct kunit *test)
{
	const char *other;
	int i, err;

	if (!perfctr_cpu_name)
		kunit_skip(test, "no counters, not even a clock");
	err = vperfctr_use_hardware();
	if (err == -EBUSY)
		kunit_skip(test, "another driver has the hardware");
	KUNIT_ASSERT_EQ(test, err, 0);
	KUNIT_EXPECT_EQ(test, vperfctr_use_hardware(), 0);
	KUNIT_EXPECT_NOT_NULL(test, perfctr_cpu_reserve(one));
	vperfctr_unuse_hardware();
	KUNIT_EXPECT_NOT_NULL(test, perfctr_cpu_reserve(one));
	vperfctr_unuse_hardware();
	for (i = 0; i < 100; i++) {
		other = perfctr_cpu_reserve(one);
		if (!other)
			break;
		msleep(100);
	}
	KUNIT_EXPECT_NULL(test, other);
	if (!other)
		perfctr_cpu_release(one);
}

/* Can a counter at the highest rate wrap before the next sample, which may be a tick late? */
static bool may_wrap(const struct vperfctr *vp, unsigned long now)
{
	long ticks = vp->next_sample - now;

	return ticks > 0 && VPERFCTR_EVENTS_PER_SEC / HZ * (ticks + 1) >= 1ULL << 32;
}

/*
 * A counter of 32 bits must not wrap between two samples. Counters are sampled every hundredth of
 * a second. So up to 200 events in a nanosecond are counted, by the page and in the sums.
 */
static void test_samples(struct kunit *test)
{
	struct vperfctr *vp;
	bool wraps[2];
	u64 sum;

	KUNIT_EXPECT_EQ(test, VPERFCTR_EVENTS_PER_SEC, 200ULL * NSEC_PER_SEC);
	if (vperfctr_use_hardware())
		kunit_skip(test, "no clock, or another driver has it");
	vp = vperfctr_alloc();
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, vp);
	vperfctr_get(vp);
	vp->state->control.tsc_on = 1;
	local_irq_disable();
	perfctr_cpu_update_control(vp->state, 0);
	vperfctr_attach(vp, current);
	vperfctr_resume(vp);
	/* Another CPU may have advanced jiffies since, so the interval may be longer than seen. */
	wraps[0] = may_wrap(vp, jiffies);
	sum = vp->state->tsc_sum;
	vp->next_sample = jiffies;
	/* Let the clock advance. */
	ndelay(1000);
	__perfctr_tick(current);
	wraps[1] = may_wrap(vp, jiffies);
	sum = vp->state->tsc_sum - sum;
	vperfctr_detach(vp, current);
	local_irq_enable();

	KUNIT_EXPECT_FALSE(test, wraps[0]);
	KUNIT_EXPECT_FALSE(test, wraps[1]);
	KUNIT_EXPECT_NE_MSG(test, sum, 0, "the tick samples");
	vperfctr_put(vp);
}

/* After too many overflows in a tick, vperfctr_await_tick() waits for the next tick. */
static void test_await_tick(struct kunit *test)
{
	struct vperfctr *vp = kunit_kzalloc(test, sizeof(*vp), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, vp);
	for (i = 0; i < 10; i++) {
		vp->overflow_tick = jiffies;
		vp->overflows = INT_MAX;
		vperfctr_await_tick(vp);
		KUNIT_EXPECT_NE(test, vp->overflow_tick, jiffies);
	}
}

/*
 * In one tick, an object can have as many overflows as kernel.perf_event_max_sample_rate allows
 * samples of a perf event: before these, vperfctr_await_tick() does not wait.
 */
static void test_overflows_without_wait(struct kunit *test)
{
	struct vperfctr *vp = kunit_kzalloc(test, sizeof(*vp), GFP_KERNEL);
	unsigned int most;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, vp);
	/* A tick may begin in some of the calls. */
	for (i = 0; i < 100; i++) {
		most = DIV_ROUND_UP(READ_ONCE(sysctl_perf_event_sample_rate), HZ);
		vp->overflow_tick = jiffies;
		vp->overflows = most - 1;
		vperfctr_await_tick(vp);
		if (!time_after(jiffies, vp->overflow_tick))
			return;
	}
	KUNIT_FAIL(test, "%u overflows in a tick wait for the next tick", most - 1);
}

/* These tests use perf_rdpmc_allowed and struct x86_claim. */
#if defined(CONFIG_PERFCTR_COUNTERS) && defined(CONFIG_X86)
#define TEST_X86_COUNTERS
#endif

#if defined(TEST_X86_COUNTERS) || defined(CONFIG_KRETPROBES)
/* A file of a new object, which has no owner; skips the test without hardware */
static struct file *new_file(struct kunit *test)
{
	struct vperfctr *vp;
	struct file *file;

	if (vperfctr_use_hardware())
		kunit_skip(test, "no counters, not even a clock, or another driver has them");
	vp = vperfctr_alloc();
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, vp);
	file = vperfctr_new_file(vp);
	vperfctr_put(vp);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, file);
	return file;
}

static unsigned long map_file(struct kunit *test, struct file *file)
{
	return kunit_vm_mmap(test, file, 0, PAGE_SIZE, PROT_READ, MAP_SHARED, 0);
}
#endif

#ifdef TEST_X86_COUNTERS
static int rdpmc_users(void)
{
	return atomic_read(&current->mm->context.perf_rdpmc_allowed);
}

/* Open and close a copy of the vma at @addr, as fork does. The copy must not allow RDPMC. */
static void check_copied_vma(struct kunit *test, unsigned long addr)
{
	struct vm_area_struct *copy;

	mmap_write_lock(current->mm);
	copy = kmemdup(find_vma(current->mm, addr), sizeof(*copy), GFP_KERNEL);
	if (copy) {
		copy->vm_mm = &init_mm;
		copy->vm_ops->open(copy);
		KUNIT_EXPECT_EQ(test, atomic_read(&init_mm.context.perf_rdpmc_allowed), 0);
		copy->vm_ops->close(copy);
		KUNIT_EXPECT_EQ(test, atomic_read(&init_mm.context.perf_rdpmc_allowed), 0);
		kfree(copy);
	}
	mmap_write_unlock(current->mm);
}

/* A mapping allows RDPMC only in the owner's address space. */
static void test_rdpmc_of_owner_only(struct kunit *test)
{
	struct file *file = new_file(test);
	struct vperfctr *vp = file->private_data;
	unsigned long addr;

	addr = map_file(test, file);
	KUNIT_ASSERT_FALSE(test, !addr || IS_ERR_VALUE(addr));
	KUNIT_EXPECT_EQ(test, rdpmc_users(), 0);
	vm_munmap(addr, PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, rdpmc_users(), 0);
	rcu_assign_pointer(vp->owner, current);
	addr = map_file(test, file);
	rcu_assign_pointer(vp->owner, NULL);
	KUNIT_ASSERT_FALSE(test, !addr || IS_ERR_VALUE(addr));
	KUNIT_EXPECT_EQ(test, rdpmc_users(), 1);
	check_copied_vma(test, addr);
	KUNIT_EXPECT_EQ(test, rdpmc_users(), 1);
	vm_munmap(addr, PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, rdpmc_users(), 0);
	fput(file);
}

/*
 * Perf takes current's i-mode counter after an overflow, and before the interrupt of the overflow.
 * With @late the thread is switched out and in before the interrupt, too. Exactly one overflow must
 * be handled.
 */
static void revoke_after_overflow(struct kunit *test, bool late)
{
	struct vperfctr *vp;
	int err;

	if (vperfctr_use_hardware())
		kunit_skip(test, "no clock, or another driver has it");
	vp = vperfctr_alloc();
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, vp);
	vperfctr_get(vp);
	vp->state->control.tsc_on = 1;
	local_irq_disable();
	err = perfctr_cpu_update_control(vp->state, 0);
	vperfctr_attach(vp, current);
	vperfctr_resume(vp);
	/* As perfctr_cpu_revoke() leaves the state */
	vp->state->claim.n = 1;
	vp->state->control.ireset[0] = -100;
	vp->state->revoked = perfctr_mk_cstatus(0, 0, 1);
	/* Overflows of an earlier tick are not counted in this tick. */
	vp->overflow_tick = jiffies - 1;
	vp->overflows = 100;
	if (late) {
		vperfctr_suspend(vp);
		vperfctr_resume(vp);
	}
	vperfctr_overflow_handler(0);
	vperfctr_detach(vp, current);
	local_irq_enable();

	KUNIT_EXPECT_EQ(test, err, 0);
	KUNIT_EXPECT_EQ_MSG(test, vp->stopped_cstatus, perfctr_mk_cstatus(1, 0, 1), "can restart");
	KUNIT_EXPECT_EQ_MSG(test, vp->state->cstatus, perfctr_mk_cstatus(1, 0, 0), "stopped");
	KUNIT_EXPECT_EQ(test, (s32)vp->state->pmc[0].start, -100);
	KUNIT_EXPECT_EQ(test, vp->overflows, 1);
	/* With @late, an irq work sends the signal. */
	KUNIT_EXPECT_EQ(test, vp->pending, late ? BIT(0) : 0);
	vperfctr_put(vp);
}

static void test_revoke_after_overflow(struct kunit *test)
{
	revoke_after_overflow(test, false);
}

static void test_late_interrupt_after_revoke(struct kunit *test)
{
	revoke_after_overflow(test, true);
}

/*
 * Create a thread while the counters of current's object are stopped. The sums of current's other
 * children may be added to the new object, so it must have the mark for kernel counts.
 */
static void test_new_thread_of_stopped_counters(struct kunit *test)
{
	struct task_struct *child = kunit_kzalloc(test, sizeof(*child), GFP_KERNEL);
	bool in_kernel, marked = false;
	struct vperfctr *vp;

	KUNIT_ASSERT_NOT_NULL(test, child);
	if (vperfctr_use_hardware())
		kunit_skip(test, "no clock, or another driver has it");
	vp = vperfctr_alloc();
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, vp);
	vp->state->control.nractrs = 1;
	vp->state->control.evntsel[0] = ARCH_PERFMON_EVENTSEL_ENABLE | ARCH_PERFMON_EVENTSEL_USR |
					ARCH_PERFMON_EVENTSEL_OS | 0xc0;
	in_kernel = perfctr_cpu_counts_kernel(&vp->state->control);
	/* Unlike @counted, cstatus lacks counters that pinned events have. */
	vp->counted = perfctr_mk_cstatus(0, 1, 0);
	vperfctr_attach(vp, current);
	__perfctr_copy_task(child, CLONE_THREAD);
	if (rcu_access_pointer(child->perfctr)) {
		marked = vperfctr_of(child)->kernel;
		__perfctr_free_task(child);
	}
	vperfctr_detach(vp, current);
	KUNIT_EXPECT_EQ(test, marked, in_kernel);
}
#endif

#ifdef CONFIG_KRETPROBES
/* The task that security hooks refuse */
static struct task_struct *refused;

static int refuse(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	if (READ_ONCE(refused) == current)
		regs_set_return_value(regs, -EACCES);
	return 0;
}

static struct kretprobe hook_probe;

/* Make a security hook refuse @refused. unregister_kretprobe() undoes it. */
static void refuse_by(struct kunit *test, const char *hook)
{
	int err;

	hook_probe = (struct kretprobe){ .kp.symbol_name = hook, .handler = refuse };
	err = register_kretprobe(&hook_probe);
	if (err)
		kunit_skip(test, "no probe: %d", err);
}

/* A security module can refuse a new object. */
static void test_alloc_security_hook(struct kunit *test)
{
	struct vperfctr *vp;

	refuse_by(test, "security_perf_event_alloc");
	WRITE_ONCE(refused, current);
	vp = vperfctr_alloc();
	WRITE_ONCE(refused, NULL);
	unregister_kretprobe(&hook_probe);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(vp), -EACCES);
}

/* mmap: "A call that a module refuses fails with the module's error, such as EACCES." */
static void test_mmap_security_hook(struct kunit *test)
{
	unsigned long allowed, addr;
	struct file *file;

	/* Without kretprobes, refuse_by() skips the test, and would leak a file opened before. */
	refuse_by(test, "security_perf_event_read");
	unregister_kretprobe(&hook_probe);
	file = new_file(test);
	/* kunit_vm_mmap() gives the test an address space. */
	allowed = map_file(test, file);
	refuse_by(test, "security_perf_event_read");
	WRITE_ONCE(refused, current);
	addr = vm_mmap(file, 0, PAGE_SIZE, PROT_READ, MAP_SHARED, 0);
	WRITE_ONCE(refused, NULL);
	unregister_kretprobe(&hook_probe);
	fput(file);
	KUNIT_EXPECT_FALSE(test, !allowed || IS_ERR_VALUE(allowed));
	KUNIT_EXPECT_EQ(test, (long)addr, -EACCES);
}
#endif

/* Order: test_reserve needs unreserved hardware, and later cases reserve it. */
static struct kunit_case perfctr_virtual_cases[] = {
	KUNIT_CASE(test_reserve),
	KUNIT_CASE(test_objects),
	KUNIT_CASE(test_samples),
	KUNIT_CASE(test_await_tick),
	KUNIT_CASE(test_overflows_without_wait),
#ifdef CONFIG_KRETPROBES
	KUNIT_CASE(test_alloc_security_hook),
	KUNIT_CASE(test_mmap_security_hook),
#endif
#ifdef TEST_X86_COUNTERS
	KUNIT_CASE(test_rdpmc_of_owner_only),
	KUNIT_CASE(test_revoke_after_overflow),
	KUNIT_CASE(test_late_interrupt_after_revoke),
	KUNIT_CASE(test_new_thread_of_stopped_counters),
#endif
	{ }
};

static struct kunit_suite perfctr_virtual_suite = {
	.name = "perfctr_virtual",
	.test_cases = perfctr_virtual_cases,
};

kunit_test_suite(perfctr_virtual_suite);
