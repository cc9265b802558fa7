/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The driver of x86 counters (the kernel's own source) in user space: the words of the
 * kernel that it uses, and a machine, which is made of memory. One CPU, one thread. The
 * headers that the sources include are empty files, and this one is included first.
 */
#ifndef _TOOLS_TESTING_PERF_EVENTS_X86_KERNEL_H
#define _TOOLS_TESTING_PERF_EVENTS_X86_KERNEL_H

#include <limits.h>

#include "harness.h"

/* Words */

#define __KERNEL__

typedef int16_t s16;

#define EXPORT_SYMBOL_GPL(x)	struct not_exported
#define MODULE_PARM_DESC(x, y)	struct not_described
#define module_param_named(name, var, type, mode)	struct not_a_parameter
#define DEFINE_PER_CPU(type, name)	type name
#define DECLARE_PER_CPU(type, name)	extern type name
#define DECLARE_BITMAP(name, n)	unsigned long name[((n) + 63) / 64]
#define this_cpu_ptr(p)		(p)
#define per_cpu_ptr(p, cpu)	(p)
#define per_cpu(var, cpu)	(var)
#define BIT(n)			(1UL << (n))
#define BIT_ULL(n)		(1ULL << (n))
#define GENMASK_ULL(h, l)	((~0ULL >> (63 - (h))) & (~0ULL << (l)))
#define hweight64(x)		__builtin_popcountll(x)
#define __ffs64(x)		((unsigned long)__builtin_ctzll(x))
#define U64_MAX			UINT64_MAX
#define NSEC_PER_MSEC		1000000UL
#define EINVAL			22
#define ENOENT			2
#define ENOMEM			12
#define ENODEV			19
#define EAGAIN			11
#define EBUSY			16
#define EOPNOTSUPP		95
#define GFP_KERNEL		0
#define pr_info(...)		printf("# " __VA_ARGS__)
#define pr_warn(...)		printf("# " __VA_ARGS__)
#define lockdep_assert_irqs_disabled()	do { } while (0)
#define array_index_nospec(i, n)	(i)
#define __packed		__attribute__((__packed__))

#define raw_spin_lock_init(l)	((l)->locked = 0)

static inline void free_memory(void *p)
{
	free(*(void **)p);
}

#define __free(how)		__attribute__((__cleanup__(free_memory)))
#define kzalloc(size, flags)	calloc(1, size)

/* Lists */

struct list_head {
	struct list_head *next, *prev;
};

static inline void INIT_LIST_HEAD(struct list_head *list)
{
	list->next = list;
	list->prev = list;
}

static inline void list_add_rcu(struct list_head *entry, struct list_head *head)
{
	entry->next = head->next;
	entry->prev = head;
	head->next->prev = entry;
	head->next = entry;
}

static inline void list_del_rcu(struct list_head *entry)
{
	entry->next->prev = entry->prev;
	entry->prev->next = entry->next;
}

#define list_entry(ptr, type, member)	container_of(ptr, type, member)
#define list_for_each_entry_rcu(pos, head, member, ...)				\
	for (pos = list_entry((head)->next, __typeof__(*pos), member);		\
	     &pos->member != (head);						\
	     pos = list_entry(pos->member.next, __typeof__(*pos), member))
#define list_first_or_null_rcu(head, type, member) \
	((head)->next == (head) ? NULL : list_entry((head)->next, type, member))

/* Numbers that an interrupt may change */

typedef struct { s64 counter; } local64_t;

#define local64_read(l)		READ_ONCE((l)->counter)
#define local64_set(l, v)	WRITE_ONCE((l)->counter, v)
#define local64_add(n, l)	local_add(n, l)
#define local64_sub(n, l)	local_add(-(s64)(n), l)

/* As local_try_cmpxchg(), whatever the types of the values. */
static inline bool local64_try_cmpxchg(local64_t *l, s64 *old, s64 new)
{
	return local_try_cmpxchg(l, old, new);
}

#define atomic64_fetch_andnot(mask, v)	__atomic_fetch_and(&(v)->counter, ~(mask), __ATOMIC_SEQ_CST)

/* Perf events */

#define PERF_TYPE_HARDWARE	0
#define PERF_TYPE_HW_CACHE	3
#define PERF_TYPE_RAW		4
#define PERF_COUNT_HW_MAX	10
#define PERF_COUNT_HW_CACHE_MAX	7
#define PERF_COUNT_HW_CACHE_OP_MAX	3
#define PERF_COUNT_HW_CACHE_RESULT_MAX	2
#define PERF_EF_START		0x01
#define PERF_EF_UPDATE		0x04
#define PERF_HES_STOPPED	0x01
#define PERF_HES_UPTODATE	0x02
#define PERF_PMU_TXN_ADD	0x1
#define PERF_PMU_TXN_READ	0x2
#define PERF_PMU_CAP_EXTENDED_HW_TYPE	0x0100
#define PERF_EVENT_FLAG_USER_READ_CNT	0x80000000

struct pt_regs;
struct mm_struct;
struct device;
struct attribute_group;
struct perf_event;

struct attribute {
	const char	*name;
	unsigned short	mode;
};

struct device_attribute {
	struct attribute	attr;
	ssize_t			(*show)(struct device *dev, struct device_attribute *attr,
					char *page);
};

typedef struct { u64 bits; } cpumask_t;

#define cpumask_test_cpu(cpu, mask)	((mask)->bits >> (cpu) & 1)
#define topology_sibling_cpumask(cpu)	(&(cpumask_t){ 1 })
#define topology_core_cpumask(cpu)	topology_sibling_cpumask(cpu)
#define topology_amd_node_id(cpu)	((cpu) & 0)
#define for_each_cpu(cpu, mask)		for ((cpu) = 0; (cpu) < 1 && (mask)->bits; (cpu)++)

struct pmu {
	int	type;
	int	capabilities;
	int	(*event_init)(struct perf_event *event);
	void	(*pmu_enable)(struct pmu *pmu);
	void	(*pmu_disable)(struct pmu *pmu);
	int	(*add)(struct perf_event *event, int flags);
	void	(*del)(struct perf_event *event, int flags);
	void	(*start)(struct perf_event *event, int flags);
	void	(*stop)(struct perf_event *event, int flags);
	void	(*read)(struct perf_event *event);
	void	(*start_txn)(struct pmu *pmu, unsigned int flags);
	int	(*commit_txn)(struct pmu *pmu);
	void	(*cancel_txn)(struct pmu *pmu);
	int	(*event_idx)(struct perf_event *event);
	void	(*event_mapped)(struct perf_event *event, struct mm_struct *mm);
	void	(*event_unmapped)(struct perf_event *event, struct mm_struct *mm);
	int	(*check_period)(struct perf_event *event, u64 value);
	bool	(*filter)(struct pmu *pmu, int cpu);
	int	disabled;
};

struct perf_event_attr {
	u32	type;
	u64	config;
	u64	config1;
	u64	sample_period;
	bool	freq;
	bool	exclude_user;
	bool	pinned;
	bool	exclude_kernel;
	bool	exclude_host;
	bool	exclude_guest;
	u8	precise_ip;
	bool	branch;
};

struct hw_perf_event_extra {
	u64		config;
	unsigned int	reg;
	int		alloc;
	int		idx;
};

struct hw_perf_event {
	u64				config;
	unsigned long			event_base;
	int				idx;
	int				last_cpu;
	int				flags;
	struct hw_perf_event_extra	extra_reg;
	int				state;
	local64_t			prev_count;
	u64				sample_period;
	u64				last_period;
	local64_t			period_left;
};

struct perf_event {
	struct pmu		*pmu;
	int			cpu;
	struct perf_event_attr	attr;
	struct hw_perf_event	hw;
	local64_t		count;
	struct list_head	active_entry;
	struct perf_event	*group_leader;
	struct perf_event	*members[8];
	int			nr_members;
};

#define for_each_sibling_event(member, leader)					\
	for (int __i = 0; __i < (leader)->nr_members &&				\
	     ((member) = (leader)->members[__i]); __i++)

struct perf_sample_data {
	u64	period;
};

#define is_sampling_event(event)	((event)->attr.sample_period != 0)
#define has_branch_stack(event)		((event)->attr.branch)
#define perf_allow_cpu()		0
#define perf_event_refuse(event, field, reason, error)	(error)
#define perf_sample_data_init(data, addr, p)	((data)->period = (p))
#define perf_event_update_userpage(event)	((void)(event))

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

void perf_pmu_resched(struct pmu *pmu);
int perf_event_overflow(struct perf_event *event, struct perf_sample_data *data,
			struct pt_regs *regs);

/* x86 */

#define INTEL_PMC_IDX_FIXED		32
#define INTEL_PMC_FIXED_RDPMC_BASE	BIT(30)
#define INTEL_FIXED_0_KERNEL		BIT_ULL(0)
#define INTEL_FIXED_0_USER		BIT_ULL(1)
#define INTEL_FIXED_0_ANYTHREAD		BIT_ULL(2)
#define INTEL_FIXED_0_ENABLE_PMI	BIT_ULL(3)
#define INTEL_FIXED_BITS_MASK		0xfULL
#define intel_fixed_bits_by_idx(n, bits)	((u64)(bits) << ((n) * 4))
#define ARCH_PERFMON_EVENTSEL_EVENT	0xffULL
#define ARCH_PERFMON_EVENTSEL_UMASK	0xff00ULL
#define ARCH_PERFMON_EVENTSEL_USR	BIT_ULL(16)
#define ARCH_PERFMON_EVENTSEL_OS	BIT_ULL(17)
#define ARCH_PERFMON_EVENTSEL_EDGE	BIT_ULL(18)
#define ARCH_PERFMON_EVENTSEL_INT	BIT_ULL(20)
#define ARCH_PERFMON_EVENTSEL_ANY	BIT_ULL(21)
#define ARCH_PERFMON_EVENTSEL_ENABLE	BIT_ULL(22)
#define ARCH_PERFMON_EVENTSEL_INV	BIT_ULL(23)
#define ARCH_PERFMON_EVENTSEL_CMASK	0xff000000ULL
#define INTEL_ARCH_EVENT_MASK		(ARCH_PERFMON_EVENTSEL_EVENT | ARCH_PERFMON_EVENTSEL_UMASK)
#define X86_ALL_EVENT_FLAGS						\
	(ARCH_PERFMON_EVENTSEL_EDGE | ARCH_PERFMON_EVENTSEL_INV |	\
	 ARCH_PERFMON_EVENTSEL_CMASK | ARCH_PERFMON_EVENTSEL_ANY)
#define X86_RAW_EVENT_MASK	(INTEL_ARCH_EVENT_MASK | ARCH_PERFMON_EVENTSEL_EDGE | \
				 ARCH_PERFMON_EVENTSEL_INV | ARCH_PERFMON_EVENTSEL_CMASK)
#define GLOBAL_STATUS_TRACE_TOPAPMI	BIT_ULL(55)
#define APIC_LVTPC			0x340
#define APIC_DM_NMI			0x400

struct x86_cpu_id {
	int model;
};

#define perf_guest_handle_intel_pt_intr()	0
#define intel_pt_interrupt()			do { } while (0)

/* The driver's own header for others is not needed. */
#define _ARCH_X86_EVENTS_PERF_EVENT_H

/* The machine: see x86_machine.h */

u64 machine_rdpmc(unsigned int index);
u64 machine_rdmsr(u32 msr);
void machine_wrmsr(u32 msr, u64 value);
void machine_apic_write(u32 reg, u32 value);
u64 machine_clock(void);
bool machine_in_nmi(void);

#define rdpmcl(index, value)	((value) = machine_rdpmc(index))
#define rdmsrl(msr, value)	((value) = machine_rdmsr(msr))
#define wrmsrl(msr, value)	machine_wrmsr(msr, value)
#define rdmsrl_safe(msr, p)	(*(p) = machine_rdmsr(msr), 0)
#define wrmsrl_safe(msr, value)	(machine_wrmsr(msr, value), 0)
#define apic_write(reg, value)	machine_apic_write(reg, value)
#define local_clock()		machine_clock()
#define in_nmi()		machine_in_nmi()

#endif /* _TOOLS_TESTING_PERF_EVENTS_X86_KERNEL_H */
