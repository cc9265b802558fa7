/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The driver of x86 counters (the kernel's source) in user space: the definitions of the kernel
 * that it uses, and a machine that is simulated in memory. One CPU, or two threads of a core by
 * turns. The headers that the sources include are empty files, and this header is included first.
 */
#ifndef _TOOLS_TESTING_PERF_EVENTS_X86_KERNEL_H
#define _TOOLS_TESTING_PERF_EVENTS_X86_KERNEL_H

#include <limits.h>

#include "harness.h"

/* Macros and types */

#define __KERNEL__

typedef int16_t s16;
typedef unsigned int gfp_t;

#define EXPORT_SYMBOL_GPL(x)	struct not_exported
#define MODULE_PARM_DESC(x, y)	struct not_described
#define early_initcall(x)	struct not_called
#define postcore_initcall(x)	struct not_called
#define arch_initcall(x)	struct not_called
#define on_each_cpu(f, data, wait)	((f)(data))
#define inc_irq_stat(member)	do { } while (0)
#define module_param_named(name, var, type, mode)	struct not_a_parameter
#define DEFINE_PER_CPU(type, name)	type name
#define DECLARE_PER_CPU(type, name)	extern type name
#define DECLARE_BITMAP(name, n)	unsigned long name[((n) + 63) / 64]
#define raw_cpu_ptr(p)		this_cpu_ptr(p)
#define this_cpu_ptr(p)		((__typeof__(&(p)[0]))machine_this_cpu(p))
#define per_cpu_ptr(p, cpu)	((__typeof__(&(p)[0]))machine_cpu(p, cpu))
#define per_cpu(var, cpu)	(*per_cpu_ptr(&(var), cpu))
#define BIT(n)			(1UL << (n))
#define BIT_ULL(n)		(1ULL << (n))
#define GENMASK_ULL(h, l)	((~0ULL >> (63 - (h))) & (~0ULL << (l)))
#define hweight64(x)		__builtin_popcountll(x)
#define mul_u64_u32_div(a, mul, div)	((u64)((unsigned __int128)(a) * (mul) / (div)))
#define __ffs64(x)		((unsigned long)__builtin_ctzll(x))
#define U64_MAX			UINT64_MAX
#define sign_extend64(value, bit)	((s64)((value) << (63 - (bit))) >> (63 - (bit)))
#define NSEC_PER_MSEC		1000000UL
#define EINVAL			22
#define ENOENT			2
#define ENOMEM			12
#define ENODEV			19
#define EAGAIN			11
#define EACCES			13
#define EBUSY			16
#define ENODATA			61
#define EOPNOTSUPP		95
#define ENXIO			6
#define GFP_KERNEL		0
#define pr_info(...)		printf("# " __VA_ARGS__)
#define pr_warn_once(fmt, n)	printf("# " fmt, (unsigned long long)(n))
#define pr_warn(...)		printf("# " __VA_ARGS__)
#define lockdep_assert_irqs_disabled()	do { } while (0)
#define array_index_nospec(i, n)	(i)
#define __packed		__attribute__((__packed__))

#define raw_spin_lock_init(l)	((l)->locked = 0)

struct x86_pmu_cpu;
extern struct x86_pmu_cpu x86_pmu_cpu;

/* The other thread of the core, while it runs; NULL: the first one runs */
static struct x86_pmu_cpu *other_thread;

static inline void *machine_this_cpu(void *p)
{
	return p == &x86_pmu_cpu && other_thread ? other_thread : p;
}

/* CPU 1, the second thread; NULL: there is none */
static struct x86_pmu_cpu *second_cpu;

static inline void *machine_cpu(void *p, unsigned int cpu)
{
	return p == &x86_pmu_cpu && cpu ? second_cpu : p;
}

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

/* As local_try_cmpxchg(), for values of any type. */
static inline bool local64_try_cmpxchg(local64_t *l, s64 *old, s64 new)
{
	return local_try_cmpxchg(l, old, new);
}

#define atomic64_fetch_andnot(mask, v)	__atomic_fetch_and(&(v)->counter, ~(mask), __ATOMIC_SEQ_CST)

/* Perf events */

#define PERF_TYPE_HARDWARE	0
#define PERF_TYPE_HW_CACHE	3
#define PERF_TYPE_RAW		4
#define PERF_COUNT_HW_CPU_CYCLES	0
#define PERF_COUNT_HW_BRANCH_INSTRUCTIONS	4
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
#define PERF_PMU_CAP_NO_INTERRUPT	0x1
#define PERF_PMU_CAP_EXTENDED_HW_TYPE	0x0100
#define PERF_EVENT_FLAG_USER_READ_CNT	0x80000000
#define PERF_ATTACH_TASK_DATA	0x08
#define PERF_ATTACH_SCHED_CB	0x20
#define PERF_SAMPLE_BRANCH_USER		BIT(0)
#define PERF_SAMPLE_BRANCH_KERNEL	BIT(1)
#define PERF_SAMPLE_BRANCH_HV		BIT(2)
#define PERF_SAMPLE_BRANCH_PLM_ALL	0x7U
#define PERF_SAMPLE_BRANCH_ANY		BIT(3)
#define PERF_SAMPLE_BRANCH_ANY_CALL	BIT(4)
#define PERF_SAMPLE_BRANCH_ANY_RETURN	BIT(5)
#define PERF_SAMPLE_BRANCH_IND_CALL	BIT(6)
#define PERF_SAMPLE_BRANCH_ABORT_TX	BIT(7)
#define PERF_SAMPLE_BRANCH_IN_TX	BIT(8)
#define PERF_SAMPLE_BRANCH_NO_TX	BIT(9)
#define PERF_SAMPLE_BRANCH_COND		BIT(10)
#define PERF_SAMPLE_BRANCH_CALL_STACK	BIT(11)
#define PERF_SAMPLE_BRANCH_IND_JUMP	BIT(12)
#define PERF_SAMPLE_BRANCH_CALL		BIT(13)
#define PERF_SAMPLE_BRANCH_NO_FLAGS	BIT(14)
#define PERF_SAMPLE_BRANCH_NO_CYCLES	BIT(15)
#define PERF_SAMPLE_BRANCH_TYPE_SAVE	BIT(16)
#define PERF_SAMPLE_BRANCH_COUNTERS	BIT(19)
#define PERF_SAMPLE_IP			BIT(0)
#define PERF_SAMPLE_TID			BIT(1)
#define PERF_SAMPLE_TIME		BIT(2)
#define PERF_SAMPLE_ADDR		BIT(3)
#define PERF_SAMPLE_CALLCHAIN		BIT(5)
#define PERF_SAMPLE_ID			BIT(6)
#define PERF_SAMPLE_CPU			BIT(7)
#define PERF_SAMPLE_PERIOD		BIT(8)
#define PERF_SAMPLE_STREAM_ID		BIT(9)
#define PERF_SAMPLE_BRANCH_STACK	BIT(11)
#define PERF_SAMPLE_DATA_SRC		BIT(15)
#define PERF_SAMPLE_IDENTIFIER		BIT(16)
#define PERF_SAMPLE_TRANSACTION		BIT(17)
#define PERF_SAMPLE_REGS_INTR		BIT(18)
#define PERF_SAMPLE_PHYS_ADDR		BIT(19)
#define PERF_SAMPLE_WEIGHT_TYPE		(BIT(14) | BIT(24))
#define PERF_BR_UNKNOWN		0
#define PERF_BR_COND		1
#define PERF_BR_UNCOND		2
#define PERF_BR_IND		3
#define PERF_BR_CALL		4
#define PERF_BR_IND_CALL	5
#define PERF_BR_RET		6
#define PERF_BR_SYSCALL		7
#define PERF_BR_SYSRET		8
#define PERF_BR_IRQ		12
#define PERF_BR_ERET		11

struct pt_regs {
	u64	ip;
	u64	ss;
	u64	flags, ax, bx, cx, dx, si, di, bp, sp;
};

struct x86_perf_regs {
	struct pt_regs	regs;
	u64		*xmm_regs;
};

struct mm_struct;
struct device;
struct attribute_group;
struct perf_event;
struct perf_event_pmu_context;
struct task_struct;

struct attribute {
	const char	*name;
	unsigned short	mode;
};

struct device_attribute {
	struct attribute	attr;
	ssize_t			(*show)(struct device *dev, struct device_attribute *attr,
					char *page);
	ssize_t			(*store)(struct device *dev, struct device_attribute *attr,
					 const char *page, size_t len);
};

#define DEVICE_ATTR_RW(name) \
	struct device_attribute dev_attr_##name = { .show = name##_show, .store = name##_store }
#define sysfs_emit(page, fmt, value)	sprintf(page, fmt, value)

static inline int kstrtobool(const char *page, bool *value)
{
	*value = *page == '1';
	return 0;
}

typedef struct cpumask { u64 bits; } cpumask_t;

#define cpumask_test_cpu(cpu, mask)	((mask)->bits >> (cpu) & 1)
#define topology_cluster_cpumask(cpu)	(&online_cpus)
#define topology_core_cpumask(cpu)	(&online_cpus)
#define topology_amd_node_id(cpu)	((cpu) & 0)

/* The CPUs that are online */
static cpumask_t online_cpus = { 1 };

/* The CPUs are cores of a module, not threads of a core. */
static bool cores_apart __maybe_unused;

static inline const struct cpumask *topology_sibling_cpumask(unsigned int cpu)
{
	static const cpumask_t alone[] = { { 1 }, { 2 } };

	return cores_apart ? &alone[cpu] : &online_cpus;
}

static inline unsigned int machine_next_cpu(unsigned int cpu, const cpumask_t *mask)
{
	while (cpu < 2 && !cpumask_test_cpu(cpu, mask))
		cpu++;
	return cpu;
}

#define for_each_cpu(cpu, mask)							\
	for ((cpu) = machine_next_cpu(0, mask); (cpu) < 2;			\
	     (cpu) = machine_next_cpu((cpu) + 1, mask))

struct pmu {
	int	type;
	int	capabilities;
	int	task_ctx_nr;
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
	void	(*sched_task)(struct perf_event_pmu_context *pmu_ctx, struct task_struct *task,
			      bool sched_in);
	void	*task_ctx_cache;
	bool	(*filter)(struct pmu *pmu, int cpu);
	void	*(*setup_aux)(struct perf_event *event, void **pages, int nr, bool overwrite);
	void	(*free_aux)(void *aux);
	int	disabled;
};

struct perf_event_attr {
	u32	type;
	u64	config;
	u64	config1;
	u64	config2;
	u64	sample_period;
	bool	freq;
	bool	exclude_user;
	bool	pinned;
	bool	exclude_kernel;
	bool	exclude_host;
	bool	exclude_guest;
	u8	precise_ip;
	bool	branch;
	u64	branch_sample_type;
	u64	sample_type;
	u64	sample_regs_user;
	u64	sample_regs_intr;
	u32	wakeup_events;
	bool	watermark;
	bool	sigtrap;
	u32	aux_action;
	bool	aux_output;
	bool	use_clockid;
};

struct hw_perf_event_extra {
	u64		config;
	unsigned int	reg;
	int		alloc;
	int		idx;
};

struct hw_perf_event {
	u64				config;
	u64				last_tag;
	unsigned long			event_base;
	int				idx;
	int				last_cpu;
	int				flags;
	struct hw_perf_event_extra	extra_reg;
	struct hw_perf_event_extra	branch_reg;
	int				state;
	local64_t			prev_count;
	u64				sample_period;
	u64				last_period;
	local64_t			period_left;
};

/* Fields of an event's page */
struct perf_event_mmap_page {
	u32	index;
	u64	offset;
	u64	cap_user_rdpmc:1, cap_user_time:1, cap_user_time_zero:1;
	u16	pmc_width;
	u16	time_shift;
	u32	time_mult;
	u64	time_offset;
	u64	time_zero;
};

struct perf_event {
	struct pmu		*pmu;
	int			cpu;
	struct perf_event_attr	attr;
	struct hw_perf_event	hw;
	local64_t		count;
	struct list_head	active_entry;
	struct perf_event	*group_leader;
	struct perf_event	*parent;
	unsigned int		attach_state;
	void			(*destroy)(struct perf_event *event);
	struct perf_event	*members[64];
	int			nr_members;
};

#define for_each_sibling_event(member, leader)					\
	for (int __i = 0; __i < (leader)->nr_members &&				\
	     ((member) = (leader)->members[__i]); __i++)

struct perf_branch_entry {
	u64	from;
	u64	to;
	u64	mispred:1, predicted:1, in_tx:1, abort:1, cycles:16, type:4, spec:2, new_type:4,
		priv:3, reserved:31;
};

struct perf_branch_stack {
	u64				nr;
	u64				hw_idx;
	struct perf_branch_entry	entries[];
};

struct perf_event_pmu_context {
	void	*task_ctx_data;
};

struct perf_sample_data {
	u64				sample_flags;
	u64				addr;
	u64				period;
	u64				time;
	u64				txn;
	struct { u64 val; }		data_src;
	struct { u64 full; u32 var1_dw; u16 var2_w, var3_w; } weight;
	struct perf_branch_stack	*br_stack;
};

#define is_sampling_event(event)	((event)->attr.sample_period != 0)
#define has_branch_stack(event)		((event)->attr.branch)
#define needs_branch_stack(event)	((event)->attr.branch_sample_type != 0)
#define branch_sample_has(event, bit)	(!!((event)->attr.branch_sample_type & (bit)))
#define branch_sample_call_stack(event)	branch_sample_has(event, PERF_SAMPLE_BRANCH_CALL_STACK)
#define branch_sample_counters(event)	branch_sample_has(event, PERF_SAMPLE_BRANCH_COUNTERS)
#define branch_sample_no_flags(event)	branch_sample_has(event, PERF_SAMPLE_BRANCH_NO_FLAGS)
#define branch_sample_no_cycles(event)	branch_sample_has(event, PERF_SAMPLE_BRANCH_NO_CYCLES)
#define branch_sample_type(event)	branch_sample_has(event, PERF_SAMPLE_BRANCH_TYPE_SAVE)
#define perf_clear_branch_entry_bitfields(br)					\
	(*(br) = (struct perf_branch_entry){ .from = (br)->from, .to = (br)->to })
#define perf_sample_save_brstack(data, event, brs, cntr)	((data)->br_stack = (brs))
#define perf_fetch_caller_regs(regs)	((regs)->ip = 0)
/* Errors of callers without permission for the kernel, and for a CPU */
static int kernel_forbidden __maybe_unused;
static int cpu_forbidden __maybe_unused;
#define perf_allow_kernel()		kernel_forbidden
#define perf_allow_cpu()		cpu_forbidden
#define perf_event_refuse(event, field, reason, error)	(error)
#define perf_sample_data_init(data, to, p)	((data)->addr = (to), (data)->period = (p))
void perf_event_update_userpage(struct perf_event *event);

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

void perf_pmu_resched_flexible(struct pmu *pmu);
extern unsigned long jiffies;
#define HZ 250
void perf_sched_cb_inc(struct pmu *pmu);
void perf_sched_cb_dec(struct pmu *pmu);
int perf_event_overflow(struct perf_event *event, struct perf_sample_data *data,
			struct pt_regs *regs);
int perf_event_overflow_more(struct perf_event *event, struct perf_sample_data *data,
			     struct pt_regs *regs);
int perf_event_account_interrupt(struct perf_event *event);

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
#define ARCH_PERFMON_EVENTSEL_EQ	BIT_ULL(36)
#define ARCH_PERFMON_EVENTSEL_UMASK2	GENMASK_ULL(47, 40)
#define HSW_IN_TX_CHECKPOINTED		BIT_ULL(33)
#define MSR_PERF_METRICS		0x329
#define INTEL_ARCH_EVENT_MASK		(ARCH_PERFMON_EVENTSEL_EVENT | ARCH_PERFMON_EVENTSEL_UMASK)
#define X86_ALL_EVENT_FLAGS						\
	(ARCH_PERFMON_EVENTSEL_EDGE | ARCH_PERFMON_EVENTSEL_INV |	\
	 ARCH_PERFMON_EVENTSEL_CMASK | ARCH_PERFMON_EVENTSEL_ANY)
#define AMD64_RAW_EVENT_MASK	(X86_RAW_EVENT_MASK | GENMASK_ULL(35, 32))
#define X86_RAW_EVENT_MASK	(INTEL_ARCH_EVENT_MASK | ARCH_PERFMON_EVENTSEL_EDGE | \
				 ARCH_PERFMON_EVENTSEL_INV | ARCH_PERFMON_EVENTSEL_CMASK)
#define GLOBAL_STATUS_TRACE_TOPAPMI	BIT_ULL(55)
#define MSR_IA32_DEBUGCTLMSR		0x1d9
#define APIC_LVTPC			0x340
#define APIC_DM_NMI			0x400
#define APIC_LVT_MASKED			BIT(16)

/* Index of the word of a PEBS record with the counters */
#define MACHINE_RECORD_COUNTERS	18

struct x86_cpu_id {
	unsigned long driver_data;
};

/* PERF_GUEST_*: the interrupt has interrupted a guest */
#define PERF_GUEST_ACTIVE		BIT(0)
#define PERF_GUEST_USER			BIT(1)
static unsigned int guest_state __maybe_unused;
#define perf_guest_state()			guest_state
#define MACHINE_GUEST_IP			0x12345000ULL
#define perf_guest_get_ip()			MACHINE_GUEST_IP
#define PERF_RECORD_MISC_KERNEL			1
#define PERF_RECORD_MISC_USER			2
#define PERF_RECORD_MISC_GUEST_KERNEL		4
#define PERF_RECORD_MISC_GUEST_USER		5
#define PERF_RECORD_MISC_EXACT_IP		BIT(14)
#define PERF_EFLAGS_EXACT			BIT(3)
#define X86_EFLAGS_FIXED			BIT(1)
#define PF_KTHREAD				BIT(21)
#define PF_USER_WORKER				BIT(14)
/* Interrupts are delivered without registers, as in user space. */
#define user_mode(regs)				true
#define task_pt_regs(task)			((struct pt_regs *)NULL)
#define current					((struct task_struct *)NULL)
#define x86_segment_base(regs)			0
unsigned int x86_guest_state(void);
#define perf_guest_handle_intel_pt_intr()	0

/* Number of interrupts of traces that the driver has handled */
static unsigned long traces_handled __maybe_unused;

#define intel_pt_interrupt()			((void)traces_handled++)

struct perf_guest_switch_msr {
	unsigned int	msr;
	u64		host;
	u64		guest;
};

enum {
	x86_lbr_exclusive_lbr,
	x86_lbr_exclusive_bts,
	x86_lbr_exclusive_pt,
};

bool x86_has_exclusive(unsigned int what);
int x86_add_exclusive(unsigned int what);
void x86_del_exclusive(unsigned int what);

/* The driver's own header for other code is not needed. */
#define _ARCH_X86_EVENTS_PERF_EVENT_H

/* Registers of branch records */
#define MSR_LBR_SELECT			0x1c8
#define MSR_LBR_TOS			0x1c9
#define MSR_LBR_NHM_FROM		0x680
#define MSR_LBR_NHM_TO			0x6c0
#define MSR_LBR_CORE_FROM		0x40
#define MSR_LBR_CORE_TO			0x60
#define MSR_LBR_INFO_0			0xdc0
#define MSR_ARCH_LBR_CTL		0x14ce
#define MSR_ARCH_LBR_DEPTH		0x14cf
#define MSR_ARCH_LBR_FROM_0		0x1500
#define MSR_ARCH_LBR_TO_0		0x1600
#define MSR_ARCH_LBR_INFO_0		0x1200
#define MSR_IA32_DEBUGCTLMSR		0x1d9
#define MSR_AMD64_LBR_SELECT		0xc000010e
#define MSR_AMD_DBG_EXTN_CFG		0xc000010f
#define MSR_AMD_SAMP_BR_FROM		0xc0010300
#define DBG_EXTN_CFG_LBRV2EN		BIT_ULL(6)
#define DEBUGCTLMSR_LBR			BIT(0)
#define DEBUGCTLMSR_TR			BIT(6)
#define DEBUGCTLMSR_BTS			BIT(7)
#define DEBUGCTLMSR_BTINT		BIT(8)
#define DEBUGCTLMSR_BTS_OFF_OS		BIT(9)
#define DEBUGCTLMSR_BTS_OFF_USR		BIT(10)
#define DEBUGCTLMSR_FREEZE_LBRS_ON_PMI	BIT(11)
#define LBR_INFO_MISPRED		BIT_ULL(63)
#define LBR_INFO_IN_TX			BIT_ULL(62)
#define LBR_INFO_ABORT			BIT_ULL(61)
#define LBR_INFO_CYC_CNT_VALID		BIT_ULL(60)
#define LBR_INFO_CYCLES			0xffff
#define LBR_INFO_BR_TYPE_OFFSET		56
#define LBR_INFO_BR_TYPE		(0xfull << LBR_INFO_BR_TYPE_OFFSET)
#define ARCH_LBR_CTL_LBREN		BIT(0)
#define ARCH_LBR_CTL_STACK		BIT(3)
#define ARCH_LBR_CTL_FILTER_OFFSET	16
#define EXT_PERFMON_DEBUG_FEATURES	0x80000022
#define GENMASK(h, l)			GENMASK_ULL(h, l)
#define PERF_BR_SPEC_NA			0
#define PERF_BR_SPEC_WRONG_PATH		1
#define PERF_BR_NON_SPEC_CORRECT_PATH	2
#define PERF_BR_SPEC_CORRECT_PATH	3
#define X86_FEATURE_RTM			1
#define X86_FEATURE_HLE			2
#define X86_FEATURE_ARCH_LBR		3
#define X86_FEATURE_AMD_LBR_V2		4
#define X86_FEATURE_AMD_LBR_PMC_FREEZE	5
#define X86_FEATURE_PEBS		6
#define X86_FEATURE_DS			7
#define X86_FEATURE_DTES64		8
#define X86_FEATURE_APIC		9
#define X86_FEATURE_BTS			10
#define X86_FEATURE_DSCPL		11
#define X86_FEATURE_BRS			12
#define X86_FEATURE_TSX_FORCE_ABORT	13
#define X86_FEATURE_RTM_ALWAYS_ABORT	14
#define X86_FEATURE_HYPERVISOR		21
#define X86_FEATURE_INTEL_PT		23
#define MSR_TSX_FORCE_ABORT		0x10f
#define MSR_IA32_PMC_V6_GP0_CTR		0x1900
#define MSR_IA32_PMC_V6_FX0_CTR		0x1980
#define MSR_IA32_PMC_V6_STEP		4
#define MSR_TFA_RTM_FORCE_ABORT		BIT_ULL(0)
#define CONFIG_CPU_SUP_INTEL		1
#define IS_ENABLED(option)		(option)

/* Value of CONFIG_PERF_EVENTS_CHECK_REGISTERS */
static bool check_registers;
#define CONFIG_PERF_EVENTS_CHECK_REGISTERS	check_registers

#define x86_is_kernel(ip)		((s64)(ip) < 0)
#define set_linear_ip(regs, linear)	((regs)->ip = (linear))
#define __USER_DS			0x2b
#define KMEM_CACHE(type, flags)		((void *)1)
struct kmem_cache;
#define static_call_update(name, func)	((void)(func))
#define DEFINE_STATIC_CALL_NULL(name, func)	struct not_called
#define EXPORT_STATIC_CALL_TRAMP_GPL(name)	struct not_exported
#define noinstr
#define local_irq_save(flags)		((flags) = 0)
#define local_irq_restore(flags)	((void)(flags))
#define raw_smp_processor_id()		0
#define fls(x)				((x) ? 32 - __builtin_clz(x) : 0)
#define __ffs(x)			__ffs64(x)

union cpuid_0x80000022_ebx {
	struct {
		u32 num_core_pmc:4, lbr_v2_stack_sz:6, reserved:22;
	} split;
	u32 full;
};

static u32 features __maybe_unused;

/* EBX and ECX of all leaves of CPUID with subleaves */
static u32 leaf_ebx __maybe_unused = 7, leaf_ecx __maybe_unused = 7;

#define INTEL_ATOM_BONNELL	0
#define X86_VENDOR_INTEL	0
#define boot_cpu_data \
	((struct { int x86_vendor; u32 x86_vfm; u8 x86_stepping, x86_virt_bits; }){	\
		.x86_vfm = 1, .x86_virt_bits = 48,				\
	})
#define boot_cpu_has(feature)		(features >> (feature) & 1)
#define cpuid_eax(leaf)			0x1cU
#define cpuid_ebx(leaf)			(16U << 4)
#define cpuid_count(leaf, sub, a, b, c, d)					\
	(*(a) = BIT(3), *(b) = leaf_ebx, *(c) = leaf_ecx, *(d) = 0)

struct task_struct {
	unsigned int	flags;
	unsigned long	nvcsw;
	unsigned long	nivcsw;
};

/* Registers of PEBS, and the debug store area and buffer of one CPU */
#define MSR_IA32_PEBS_ENABLE		0x3f1
#define MSR_PEBS_DATA_CFG		0x3f2
#define MSR_IA32_DS_AREA		0x600
#define PERF_CAP_PEBS_TRAP		BIT_ULL(6)
#define PERF_CAP_PEBS_FORMAT		0xf00
#define PERF_CAP_PEBS_BASELINE		BIT_ULL(14)
#define PERF_PMU_CAP_EXTENDED_REGS	0x8
#define PERF_REG_EXTENDED_MASK		GENMASK_ULL(63, 32)
#define PEBS_BUFFER_SIZE		(16 * PAGE_SIZE)
#define BTS_BUFFER_SIZE			(16 * PAGE_SIZE)
#define PAGE_SIZE			4096UL
#define PAGE_KERNEL			0
#define __GFP_ZERO			0
#define __GFP_NOWARN			1
#define __read_mostly
#define DEFINE_MUTEX(name)		int name __maybe_unused
#define guard(kind)			count_lock
#define for_each_possible_cpu(cpu)	for ((cpu) = 0; (cpu) < 1; (cpu)++)
#define alloc_pages_node(node, gfp, order)	\
	(assert((gfp) & __GFP_NOWARN), machine_alloc_buffer())
#define page_address(page)		((void *)(page))
#define virt_to_phys(p)			(p)
#define cea_set_pte(va, pa, prot)	machine_map(va, pa)
#define get_cpu_entry_area(cpu)		(&cpu_area_of)
#define smp_store_release(p, v)		__atomic_store_n(p, v, __ATOMIC_RELEASE)
#define smp_load_acquire(p)		__atomic_load_n(p, __ATOMIC_ACQUIRE)
#define sched_clock_stable()		true

/* Number of locks taken by guard() */
static unsigned long locks_taken;

static inline void count_lock(const void *lock)
{
	locks_taken++;
}

struct page;

#define MAX_PEBS_EVENTS_FMT4	8
#define MAX_PEBS_EVENTS		32
#define MAX_FIXED_PEBS_EVENTS	16

struct debug_store_buffers {
	char	bts_buffer[16 * 4096];
	char	pebs_buffer[16 * 4096];
};

struct debug_store {
	u64	bts_buffer_base;
	u64	bts_index;
	u64	bts_absolute_maximum;
	u64	bts_interrupt_threshold;
	u64	pebs_buffer_base;
	u64	pebs_index;
	u64	pebs_absolute_maximum;
	u64	pebs_interrupt_threshold;
	u64	pebs_event_reset[MAX_PEBS_EVENTS + MAX_FIXED_PEBS_EVENTS];
};

static struct {
	struct debug_store		cpu_debug_store;
	struct debug_store_buffers	cpu_debug_buffers;
} cpu_area_of __maybe_unused;

/* The kernel maps this memory at two addresses. The machine uses this one. */
static struct debug_store cpu_debug_store __maybe_unused;

/* Memory of the buffers, and for each page of cpu_area_of's buffers the memory that is mapped. */
#define MACHINE_BUFFERS		2
static char machine_buffers[MACHINE_BUFFERS][16 * 4096] __attribute__((__aligned__(4096)));
static int machine_nr_buffers;
static void *machine_mapped[MACHINE_BUFFERS * 16];

static inline struct page *machine_alloc_buffer(void)
{
	assert(machine_nr_buffers < MACHINE_BUFFERS);
	return (struct page *)machine_buffers[machine_nr_buffers++];
}

static inline void **machine_page_of(const void *address)
{
	size_t at = (const char *)address - (char *)&cpu_area_of.cpu_debug_buffers;

	assert(at / PAGE_SIZE < ARRAY_SIZE(machine_mapped));
	return &machine_mapped[at / PAGE_SIZE];
}

static inline void machine_map(void *address, void *memory)
{
	*machine_page_of(address) = memory;
}

/* Return the memory at an address of cpu_area_of's buffers. */
static inline void *machine_memory(u64 address)
{
	char *start = (char *)&cpu_area_of.cpu_debug_buffers, *at = (void *)(uintptr_t)address;

	assert(*machine_page_of(at));
	return *machine_page_of(at) + (at - start) % PAGE_SIZE;
}

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
#define __rdmsr(msr)		machine_rdmsr(msr)
#define __wrmsr(msr, low, high)	machine_wrmsr(msr, (u64)(high) << 32 | (low))
#define rdmsrl_safe(msr, p)	(*(p) = machine_rdmsr(msr), 0)
static inline int wrmsrl_safe(u32 msr, u64 value)
{
	machine_wrmsr(msr, value);
	return 0;
}

#define cmpxchg_local(p, old, new)						\
	({									\
		__typeof__(*(p)) __old = (old);					\
		__atomic_compare_exchange_n(p, &__old, new, false,		\
					    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);	\
		__old;								\
	})
#define apic_write(reg, value)	machine_apic_write(reg, value)
#define local_clock()		machine_clock()
#define in_nmi()		machine_in_nmi()

#endif /* _TOOLS_TESTING_PERF_EVENTS_X86_KERNEL_H */
