// SPDX-License-Identifier: GPL-2.0
/*
 * Callchains.
 *
 * The length of a record must be known before its space in the ring buffer is reserved. So a
 * callchain is first recorded in a buffer of the CPU, and later copied to the record.
 *
 * Each CPU has one buffer for each context (task, softirq, interrupt, NMI). The buffers exist
 * while an event or a BPF map needs callchains. While the buffers exist, the sysctls for their
 * size cannot change.
 */
#include <linux/cleanup.h>
#include <linux/hardirq.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/uprobes.h>
#include <linux/vmalloc.h>

#include "../internal.h"
#include "../refuse.h"
#include "callchain.h"
#include "sample_user.h"

/**
 * struct callchain_cpu - the buffers of one CPU
 * @busy: the buffer is being filled, by context
 * @entry: the buffer, by context
 */
struct callchain_cpu {
	u8				busy[PERF_NR_CONTEXTS];
	struct perf_callchain_entry	*entry[PERF_NR_CONTEXTS];
};

/**
 * struct callchain_buffers - the buffers of all CPUs
 * @rcu_head: frees the buffers
 * @small: per-CPU memory for the buffers, or NULL if the buffers are too large for it
 * @large: if @small is NULL, by CPU: the memory for all buffers of the CPU
 */
struct callchain_buffers {
	struct rcu_head	rcu_head;
	void __percpu	*small;
	void		*large[];
};

static DEFINE_PER_CPU(struct callchain_cpu, callchain_cpu);

/* Protects the number of users, the buffers and the sysctls for their size */
static DEFINE_MUTEX(callchain_lock);
static unsigned int perf_callchain_users;
static struct callchain_buffers *perf_callchain_buffers;

/**
 * perf_callchain_kernel - walk the kernel stack
 * @entry: gets the frames through perf_callchain_store()
 * @regs: start of the walk, in kernel mode
 *
 * Architectures that can walk the stack override this function.
 *
 * Context: any.
 */
__weak void perf_callchain_kernel(struct perf_callchain_entry_ctx *entry,
				  struct pt_regs *regs)
{
}

/**
 * perf_callchain_user - walk the user stack
 * @entry: gets the frames through perf_callchain_store()
 * @regs: start of the walk, in user mode
 *
 * Architectures that can walk the stack override this function.
 *
 * Context: any; page faults must not sleep.
 */
__weak void perf_callchain_user(struct perf_callchain_entry_ctx *entry,
				struct pt_regs *regs)
{
}

static void perf_callchain_free_buffers(struct callchain_buffers *buffers)
{
	int cpu;

	free_percpu(buffers->small);
	if (!buffers->small) {
		for_each_possible_cpu(cpu)
			vfree(buffers->large[cpu]);
	}
	kfree(buffers);
}

static void perf_callchain_free_buffers_rcu(struct rcu_head *head)
{
	perf_callchain_free_buffers(container_of(head, struct callchain_buffers, rcu_head));
}

/* Allocate @size bytes of buffers for each CPU. kmalloc() would use up to twice as much. */
static struct callchain_buffers *perf_callchain_alloc_memory(size_t size)
{
	bool small = size <= PCPU_MIN_UNIT_SIZE;
	struct callchain_buffers *buffers;
	int cpu;

	buffers = kzalloc(struct_size(buffers, large, small ? 0 : nr_cpu_ids), GFP_KERNEL);
	if (!buffers)
		return NULL;
	if (small) {
		buffers->small = __alloc_percpu(size, L1_CACHE_BYTES);
		if (buffers->small)
			return buffers;
		kfree(buffers);
		return NULL;
	}
	for_each_possible_cpu(cpu) {
		buffers->large[cpu] = vmalloc_node(size, cpu_to_node(cpu));
		if (!buffers->large[cpu]) {
			perf_callchain_free_buffers(buffers);
			return NULL;
		}
	}
	return buffers;
}

static int perf_callchain_alloc_buffers(void)
{
	size_t size = struct_size_t(struct perf_callchain_entry, ip,
				    sysctl_perf_event_max_stack +
				    sysctl_perf_event_max_contexts_per_stack);
	struct callchain_buffers *buffers = perf_callchain_alloc_memory(size * PERF_NR_CONTEXTS);
	struct callchain_cpu *cc;
	void *memory;
	int cpu, i;

	if (!buffers)
		return -ENOMEM;
	perf_callchain_buffers = buffers;
	for_each_possible_cpu(cpu) {
		cc = per_cpu_ptr(&callchain_cpu, cpu);
		memory = buffers->small ? per_cpu_ptr(buffers->small, cpu) : buffers->large[cpu];
		for (i = 0; i < PERF_NR_CONTEXTS; i++)
			WRITE_ONCE(cc->entry[i], memory + i * size);
	}
	return 0;
}

static void perf_callchain_release_buffers(void)
{
	struct callchain_cpu *cc;
	int cpu, i;

	for_each_possible_cpu(cpu) {
		cc = per_cpu_ptr(&callchain_cpu, cpu);
		for (i = 0; i < PERF_NR_CONTEXTS; i++)
			WRITE_ONCE(cc->entry[i], NULL);
	}
	call_rcu(&perf_callchain_buffers->rcu_head, perf_callchain_free_buffers_rcu);
	perf_callchain_buffers = NULL;
}

/**
 * get_callchain_buffers - allocate the callchain buffers, or take a reference to them
 * @event_max_stack: maximum number of frames
 *
 * Context: may sleep.
 * Return: 0 on success, -ENOMEM, -EOVERFLOW if @event_max_stack exceeds perf_event_max_stack
 */
int get_callchain_buffers(int event_max_stack)
{
	int err;

	guard(mutex)(&callchain_lock);
	if (event_max_stack > sysctl_perf_event_max_stack)
		return perf_refuse_value(PERF_REFUSED_CALLCHAIN_DEPTH, event_max_stack);
	if (!perf_callchain_users) {
		err = perf_callchain_alloc_buffers();
		if (err)
			return err;
	}
	perf_callchain_users++;
	return 0;
}

/**
 * put_callchain_buffers - undo get_callchain_buffers()
 *
 * A callchain may still be written to a buffer. So the buffers are freed after a grace period.
 *
 * Context: may sleep.
 */
void put_callchain_buffers(void)
{
	guard(mutex)(&callchain_lock);
	if (!WARN_ON_ONCE(!perf_callchain_users) && !--perf_callchain_users)
		perf_callchain_release_buffers();
}

/**
 * perf_callchain_set_limit - change a sysctl for the size of the buffers
 * @limit: the sysctl's variable
 * @value: the new value
 *
 * Context: may sleep.
 * Return: 0 on success, -EBUSY while there are buffers
 */
int perf_callchain_set_limit(int *limit, int value)
{
	guard(mutex)(&callchain_lock);
	if (perf_callchain_users)
		return -EBUSY;
	/* A callchain may still be written to a buffer that put_callchain_buffers() releases. */
	synchronize_rcu();
	WRITE_ONCE(*limit, value);
	return 0;
}

/**
 * get_callchain_entry - get this CPU's buffer for the current context
 * @rctx: set for put_callchain_entry()
 *
 * The caller has called get_callchain_buffers(). RCU protects the buffer after
 * put_callchain_entry().
 *
 * Context: any, preemption is off.
 * Return: the buffer, or NULL if there is none or it is in use
 */
struct perf_callchain_entry *get_callchain_entry(int *rctx)
{
	struct callchain_cpu *cc = this_cpu_ptr(&callchain_cpu);
	int level = interrupt_context_level();
	struct perf_callchain_entry *entry;

	*rctx = level;
	if (cc->busy[level])
		return NULL;
	entry = READ_ONCE(cc->entry[level]);
	if (!entry)
		return NULL;
	cc->busy[level] = 1;
	barrier();
	return entry;
}

/**
 * put_callchain_entry - release the buffer for the next callchain
 * @rctx: from get_callchain_entry()
 *
 * The callchain in the buffer is valid until preemption is enabled.
 */
void put_callchain_entry(int rctx)
{
	barrier();
	this_cpu_ptr(&callchain_cpu)->busy[rctx] = 0;
}

/*
 * The return address of a function with a uretprobe is the trampoline. Replace it by the original
 * return address, which is in the return instance.
 */
static void perf_callchain_undo_uretprobes(struct perf_callchain_entry *entry, u64 first)
{
#ifdef CONFIG_UPROBES
	const struct return_instance *probe = current->utask ? current->utask->return_instances :
							      NULL;
	unsigned long trampoline;
	u64 i;

	if (likely(!probe))
		return;
	trampoline = uprobe_get_trampoline_vaddr();
	for (i = first; i < entry->nr && probe; i++) {
		if (entry->ip[i] != trampoline)
			continue;
		/* If a frame has several probes, only the last one has the original address. */
		while (probe->chained && probe->next)
			probe = probe->next;
		entry->ip[i] = probe->orig_ret_vaddr;
		probe = probe->next;
	}
#endif
}

static void perf_callchain_walk_user(struct perf_callchain_entry_ctx *ctx, struct pt_regs *regs,
				     bool add_mark)
{
	u64 first;

	if (!perf_user_memory_usable())
		return;
	if (!user_mode(regs))
		regs = task_pt_regs(current);
	if (!regs)
		return;
	if (add_mark)
		perf_callchain_store_context(ctx, PERF_CONTEXT_USER);
	first = ctx->entry->nr;
	perf_callchain_user(ctx, regs);
	perf_callchain_undo_uretprobes(ctx->entry, first);
}

/**
 * get_perf_callchain - record a callchain
 * @regs: start of the walk
 * @kernel: include kernel frames
 * @user: include user frames
 * @max_stack: maximum number of frames, without context markers
 * @crosstask: omit user frames, because the event counts another task than current
 * @add_mark: include context markers
 *
 * The callchain is valid until the CPU records another one in the same context.
 *
 * Context: any, preemption is off.
 * Return: the callchain, or NULL if there is no buffer or it is in use
 */
struct perf_callchain_entry *
get_perf_callchain(struct pt_regs *regs, bool kernel, bool user, u32 max_stack,
		   bool crosstask, bool add_mark)
{
	struct perf_callchain_entry_ctx ctx = {
		/* A buffer has space for as many frames as the sysctl allows. */
		.max_stack = min_t(u32, max_stack, sysctl_perf_event_max_stack),
	};
	int rctx;

	ctx.entry = get_callchain_entry(&rctx);
	if (!ctx.entry)
		return NULL;
	ctx.entry->nr = 0;

	if (kernel && !user_mode(regs)) {
		if (add_mark)
			perf_callchain_store_context(&ctx, PERF_CONTEXT_KERNEL);
		perf_callchain_kernel(&ctx, regs);
	}
	if (user && !crosstask)
		perf_callchain_walk_user(&ctx, regs, add_mark);

	put_callchain_entry(rctx);
	return ctx.entry;
}

/**
 * perf_callchain - record the callchain of a sample
 * @event: event that samples
 * @regs: registers at the sample
 *
 * Context: any, preemption is off.
 * Return: the callchain, never NULL. It is empty if the event excludes all frames, or if no buffer
 * is free
 */
struct perf_callchain_entry *perf_callchain(struct perf_event *event, struct pt_regs *regs)
{
	static struct perf_callchain_entry nothing;
	const struct perf_event_attr *attr = &event->attr;
	bool kernel = !attr->exclude_callchain_kernel;
	bool user = !attr->exclude_callchain_user;
	struct perf_callchain_entry *chain = NULL;

	if (kernel || user)
		chain = get_perf_callchain(regs, kernel, user,
					   attr->sample_max_stack ?: sysctl_perf_event_max_stack,
					   perf_event_of_another_task(event), true);
	return chain ?: &nothing;
}

/* Set by PMU drivers that provide branch records to BPF programs. */
DEFINE_STATIC_CALL_RET0(perf_snapshot_branch_stack, perf_snapshot_branch_stack_t);
