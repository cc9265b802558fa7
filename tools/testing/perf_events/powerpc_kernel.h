/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The driver of powerpc counters (the kernel's source) in user space: the definitions of the kernel
 * that it uses when built for 32 bits. The headers that the sources include are empty files, and
 * this header is included first. One CPU, one thread.
 */
#ifndef _TOOLS_TESTING_PERF_EVENTS_POWERPC_KERNEL_H
#define _TOOLS_TESTING_PERF_EVENTS_POWERPC_KERNEL_H

#include <limits.h>
#include <sys/types.h>

#include "harness.h"

#define __KERNEL__
#define __init
#define CONFIG_PPC_POWERNV
#define BIT(n)			(1UL << (n))
#define GENMASK(h, l)		((~0UL >> (63 - (h))) & (~0UL << (l)))
#define BITS_PER_TYPE(type)	(8 * sizeof(type))
#define U8_MAX			UINT8_MAX
#define ffz(x)			__builtin_ctzl(~(unsigned long)(x))
/* The value of IS_ENABLED(CONFIG_PPC64); #ifdef CONFIG_PPC64 does not depend on it. */
#ifndef KERNEL_IS_64
#define KERNEL_IS_64		false
#endif
#define IS_ENABLED(option)	KERNEL_ENABLED_ ## option
#define KERNEL_ENABLED_CONFIG_PPC64			KERNEL_IS_64
#define KERNEL_ENABLED_CONFIG_PPC_IRQ_SOFT_MASK_DEBUG	true
#define DEFINE_PER_CPU(type, name)	type name
#define DECLARE_PER_CPU(type, name)	extern type name
#define this_cpu_ptr(p)		(p)
#define per_cpu_ptr(p, cpu)	((void)(cpu), (p))
#define guard(how)		guard_ ## how
#define WARN_ONCE(cond, ...)	WARN_ON_ONCE(cond)
#define lockdep_assert_irqs_disabled()	do { } while (0)
#define for_each_set_bit(i, mask, n)					\
	for ((i) = 0; (i) < (int)(n); (i)++)				\
		if (*(mask) >> (i) & 1)
#define local_irq_save(flags)		((flags) = 0)
#define local_irq_restore(flags)	((void)(flags))
#define mb()			smp_mb()
#define isync()			barrier()
#define hard_irq_disable()	do { } while (0)
#define set_pmi_irq_pending()	(kernel_pmi_pending = true)
#define ppc_set_pmu_inuse(inuse)	(kernel_pmu_inuse = (inuse))
#define smp_processor_id()	0
#define cpu_active(cpu)		((void)(cpu), true)
#define ppc_enable_pmcs()	ppc_set_pmu_inuse(1)
#define sched_clock()		0
#define perf_sample_event_took(ns)	((void)(ns))
#define user_mode(regs)		((regs)->user)
#define MSR_EE			0x8000
#define MSR_HV			(1UL << 60)

#define CPU_FTR_HVMODE		1
#define CPU_FTR_ARCH_31		2

/* The machine state register, with interrupts hard-disabled */
static unsigned long kernel_msr;

/* The processor has ISA 3.1. */
static bool kernel_has_v31;

/* The kernel runs in hypervisor mode with HV in MSR. */
static inline bool cpu_has_feature(int feature)
{
	return feature == CPU_FTR_HVMODE ? kernel_msr & MSR_HV :
	       feature == CPU_FTR_ARCH_31 && kernel_has_v31;
}

static inline unsigned long mfmsr(void)
{
	return kernel_msr;
}

/* A hypervisor has to save the registers. */
static bool kernel_pmu_inuse;
/* The overflow interrupt is pending. */
static __maybe_unused bool kernel_pmi_pending;

/* perfctr's low-level driver */
typedef u32 __u32;
typedef s32 __s32;
typedef u64 __u64;

#define BITS_PER_LONG			64
#define GENMASK_ULL(h, l)		GENMASK(h, l)
#define sizeof_field(type, member)	sizeof(((type *)0)->member)
#define EXPORT_SYMBOL_GPL(symbol)	extern __typeof__(symbol) symbol
#define lockdep_assert_preemption_disabled()	do { } while (0)
#define for_each_possible_cpu(cpu)	for ((cpu) = 0; (cpu) < 1; (cpu)++)
#define __this_cpu_read(variable)	(variable)
#define raw_cpu_read(variable)		(variable)
#define cmpxchg(p, old, new)		(*(p) == (old) ? *(p) = (new), (old) : *(p))
#define instruction_pointer(regs)	((regs)->nip)
#define tb_ticks_per_sec		512000000
#define cpu_none_mask			((const struct cpumask *)NULL)
#define DEFINE_MUTEX(name)		int name
#define guard_mutex(lock)		((void)*(lock))

/* Work that the interrupt queues; a test runs it afterwards. */
struct irq_work {
	void	(*function)(struct irq_work *work);
	bool	queued;
};

#define init_irq_work(work, what)	((work)->function = (what))
#define irq_work_queue(work)		((work)->queued = true)
#define irq_work_sync(work)		((void)(work))

struct cpumask;
struct mm_struct;

/* A timer, which a test calls */
enum hrtimer_restart { HRTIMER_NORESTART, HRTIMER_RESTART };

struct hrtimer {
	enum hrtimer_restart	(*function)(struct hrtimer *timer);
	bool			queued;
};

#define NSEC_PER_MSEC		1000000L
#define ns_to_ktime(ns)		(ns)
#define hrtimer_init(timer, clock, mode)	((timer)->queued = false)
#define hrtimer_start(timer, ns, mode)		((timer)->queued = true)
#define hrtimer_is_queued(timer)		((timer)->queued)
#define hrtimer_forward_now(timer, ns)		((void)(timer))
#define hrtimer_cancel(timer)			((timer)->queued = false)

static inline void guard_irqsave(void)
{
}

typedef struct { s64 counter; } local64_t;

#define local64_read(l)		READ_ONCE((l)->counter)
#define local64_set(l, v)	WRITE_ONCE((l)->counter, v)
#define local64_add(n, l)	local_add(n, l)
#define local64_sub(n, l)	local_add(-(s64)(n), l)

static inline bool local64_try_cmpxchg(local64_t *l, s64 *old, s64 new)
{
	return local_try_cmpxchg(l, old, new);
}

#define EPERM			1
#define EAGAIN			11
#define EBUSY			16
#define EINVAL			22
#define EOPNOTSUPP		95
#define PERF_EF_START		0x01
#define PERF_HES_STOPPED	0x01
#define PERF_HES_UPTODATE	0x02
#define PERF_PMU_TXN_ADD	0x1
#define PERF_ATTACH_TASK	0x4
#define PERF_RECORD_MISC_KERNEL	1
#define PERF_RECORD_MISC_USER	2
#define PERF_COUNT_HW_CACHE_MAX	7
#define PERF_COUNT_HW_CACHE_OP_MAX	3
#define PERF_COUNT_HW_CACHE_RESULT_MAX	2
#define MAX_HWEVENTS		8
#define PPMU_LIMITED_PMC5_6	0x1
#define PPMU_LIMITED_PMC_OK	0x1
#define PPMU_ARCH_207S		0x2
#define PPMU_ARCH_31		0x4

#define MMCR0_FC		0x80000000UL
#define MMCR0_FCS		0x40000000UL
#define MMCR0_FCP		0x20000000UL
#define MMCR0_PMXE		0x04000000UL
#define MMCR0_FCECE		0x02000000UL
#define MMCR0_PMC1CE		0x00008000UL
#define MMCR0_PMCjCE		0x00004000UL

struct pt_regs {
	unsigned long	nip;
	unsigned long	result;
	bool		user;
};

struct attribute {
	const char	*name;
	unsigned short	mode;
};

struct device;
struct attribute_group;

struct device_attribute {
	struct attribute	attr;
};

struct perf_event;
struct perf_event_context;
struct perf_event_pmu_context;
struct perf_branch_entry;
struct perf_branch_stack;
struct task_struct;

struct pmu {
	void	(*pmu_enable)(struct pmu *pmu);
	void	(*pmu_disable)(struct pmu *pmu);
	int	(*event_init)(struct perf_event *event);
	int	(*add)(struct perf_event *event, int flags);
	void	(*del)(struct perf_event *event, int flags);
	void	(*start)(struct perf_event *event, int flags);
	void	(*stop)(struct perf_event *event, int flags);
	void	(*read)(struct perf_event *event);
	void	(*start_txn)(struct pmu *pmu, unsigned int flags);
	void	(*cancel_txn)(struct pmu *pmu);
	int	(*commit_txn)(struct pmu *pmu);
	void	(*sched_task)(struct perf_event_pmu_context *pmu_ctx, struct task_struct *task,
			      bool sched_in);
	int	(*event_idx)(struct perf_event *event);
	int	disabled;
};

struct hw_perf_event {
	u64		config;
	unsigned long	event_base;
	int		idx;
	int		flags;
	int		state;
	local64_t	prev_count;
	u64		sample_period;
	u64		last_period;
	local64_t	period_left;
};

#define PERF_SAMPLE_IP		BIT(0)
#define PERF_SAMPLE_TIME	BIT(2)
#define PERF_SAMPLE_CALLCHAIN	BIT(5)

struct perf_event_attr {
	bool	pinned;
	bool	exclusive;
	bool	inherit;
	bool	freq;
	bool	enable_on_exec;
	bool	exclude_kernel;
	u64	sample_period;
	u64	sample_type;
};

struct perf_event {
	struct pmu		*pmu;
	struct perf_event_attr	attr;
	unsigned int		attach_state;
	struct hw_perf_event	hw;
	local64_t		count;
	struct perf_event	*group_leader;
	void			*pmu_private;
};

struct perf_sample_data {
	u64	period;
};

struct mmcr_regs {
	unsigned long	mmcr0;
	unsigned long	mmcr1;
	unsigned long	mmcr2;
	unsigned long	mmcr3;
	unsigned long	mmcra;
};

struct power_pmu {
	const char	*name;
	int		n_counter;
	unsigned long	add_fields;
	unsigned long	test_adder;
	int		(*compute_mmcr)(u64 events[], int n, unsigned int hwc[],
					struct mmcr_regs *mmcr, struct perf_event *pevents[],
					u32 flags);
	int		(*limited_pmc_event)(u64 code);
	int		(*get_constraint)(u64 code, unsigned long *mask, unsigned long *value,
					  u64 config1);
	int		(*get_alternatives)(u64 code, unsigned int flags, u64 codes[]);
	u32		flags;
};

#define perf_event_update_userpage(event)	((void)(event))
#define perf_sample_data_init(data, addr, p)	((data)->period = (p))
#define perf_event_account_interrupt(event)	((void)(event), 0)
#define has_branch_stack(event)			((void)(event), false)

struct syscore_ops {
	int	(*suspend)(void *data);
	void	(*resume)(void *data);
};

struct syscore {
	const struct syscore_ops	*ops;
};

void power_pmu_idle_enter(void);
void power_pmu_idle_exit(void);

static inline void perf_pmu_disable(struct pmu *pmu)
{
	if (!pmu->disabled++)
		pmu->pmu_disable(pmu);
}

static inline void perf_pmu_enable(struct pmu *pmu)
{
	if (!--pmu->disabled)
		pmu->pmu_enable(pmu);
}

static int perf_event_overflow(struct perf_event *event, struct perf_sample_data *data,
			       struct pt_regs *regs);

#endif
