// SPDX-License-Identifier: GPL-2.0
/*
 * Times that the x86 driver computes from the TSC: the fields of an event's page, and the times of
 * PEBS records. Both are right only if perf_clock() is computed from the TSC. A hypervisor may
 * have another clock, whose parameters the driver does not know.
 */
#include "x86_kernel.h"

#define CONFIG_PERFCTR_COUNTERS
#define __u16 u16
#define __u32 u32
#define __s32 s32
#define __u64 u64
#include "../../../arch/x86/include/asm/perfctr.h"

/* The clock: perf_clock() is the TSC times MULT / 2^SHIFT plus OFFSET, if @native and @stable. */
#define MULT		3000
#define SHIFT		10
#define OFFSET		777777
#define BOOT_OFFSET	55

static bool native = true, stable = true;
static const u64 __sched_clock_offset = BOOT_OFFSET;

struct cyc2ns_data {
	u32	cyc2ns_mul;
	u32	cyc2ns_shift;
	u64	cyc2ns_offset;
};

static void cyc2ns_read_begin(struct cyc2ns_data *data)
{
	*data = (struct cyc2ns_data){
		.cyc2ns_mul = MULT, .cyc2ns_shift = SHIFT, .cyc2ns_offset = OFFSET,
	};
}

static u64 native_sched_clock_from_tsc(u64 tsc)
{
	return (tsc * MULT >> SHIFT) + OFFSET;
}

#define cyc2ns_read_end()		do { } while (0)
#define using_native_sched_clock()	native
#undef sched_clock_stable
#define sched_clock_stable()		stable

/* Definitions of the kernel for functions that this program does not call */

struct static_key_false {
	bool	enabled;
};

struct mm_struct {
	struct { atomic_t perf_rdpmc_allowed; } context;
	cpumask_t	cpus;
};

static struct { u64 cr4; bool is_lazy; } cpu_tlbstate, cpu_tlbstate_shared;

#define X86_CR4_PCE			BIT(8)
#define this_cpu_read(field)		(field)
#define DEFINE_STATIC_KEY_FALSE(key)	struct static_key_false key
#define static_branch_enable(key)	((void)(key))
#define static_branch_disable(key)	((void)(key))
#define on_each_cpu_mask(mask, func, info, wait)	((void)(mask), (void)(wait), func(info))
#define mm_cpumask(mm)			(&(mm)->cpus)
#define mmap_assert_write_locked(mm)	((void)(mm))
#define cr4_update_pce(info)		((void)(info))
#define atomic_inc_return(a)		atomic_add_return(1, a)
#define atomic_dec_and_test(a)		(!atomic_add_return(-1, a))
#define kstrtoul(page, base, value)	(*(value) = strtoul(page, NULL, base), 0)
#define DEVICE_ATTR_ADMIN_RW(name)	DEVICE_ATTR_RW(name)

/* Definitions for functions of pebs_record.c that this program does not call */

#define PERF_SAMPLE_REGS_USER		BIT(12)
#define PERF_SAMPLE_STACK_USER		BIT(13)
#define PERF_SAMPLE_DATA_PAGE_SIZE	BIT(22)
#define PERF_SAMPLE_WEIGHT_STRUCT	BIT(24)
#define PERF_TXN_TRANSACTION		BIT(6)
#define PERF_TXN_ABORT_SHIFT		32
#define __KERNEL_DS			0x18

#define perf_sample_save_callchain(...)	do { } while (0)

#include "../../../arch/x86/events/rdpmc.c"
#include "../../../arch/x86/events/intel/pebs_record.c"

struct x86_pmu_cpu x86_pmu_cpu;

int x86_event_init(struct perf_event *event) { return 0; }
void x86_clear_kernel(struct x86_pmu_cpu *cpu) { }
void x86_clear_unused(struct x86_pmu_cpu *cpu) { }
void x86_count_update_pages(const struct x86_count *count) { }
void perfctr_cpu_update_readable(void) { }
void x86_event_update_page(const struct perf_event *event, struct perf_event_mmap_page *page) { }
u64 x86_precise_address(struct x86_pmu_cpu *cpu, u64 next) { return 0; }

u64 x86_pebs_data_src(const struct x86_model *model, const struct perf_event *event, u64 status)
{
	return 0;
}

void x86_branch_sample(struct x86_pmu_cpu *cpu, struct perf_event *event,
		       struct perf_sample_data *data)
{
}

void x86_branch_sample_of(struct x86_pmu_cpu *cpu, struct perf_event *event,
			  struct perf_sample_data *data, const struct x86_branch_raw *raw,
			  unsigned int nr, u64 newest)
{
}

u64 machine_rdpmc(unsigned int index) { return 0; }
u64 machine_rdmsr(u32 msr) { return 0; }
void machine_wrmsr(u32 msr, u64 value) { }
void machine_apic_write(u32 reg, u32 value) { }
u64 machine_clock(void) { return 0; }
bool machine_in_nmi(void) { return false; }

#define TSC	123456789ULL

static struct x86_core core = { .precise = { .format = 4, .adaptive = true } };
static struct perf_event event = { .pmu = &core.pmu, .attr.precise_ip = 2 };

/* Convert a record with the time stamp TSC. */
static struct perf_sample_data read_record(void)
{
	/* The size of the record and no optional group, the address, the counters, the time */
	const u64 words[] = { 4ULL * 8 << 48, 0x401000, 1, TSC };
	struct perf_sample_data data = { };
	struct x86_record record;
	struct pt_regs regs = { };
	struct x86_perf_regs at;

	x86_pmu_cpu.core = &core;
	assert(x86_record_next(&core.precise, words, words + 4, &record));
	assert(x86_record_sample(&x86_pmu_cpu, &event, &record, &regs, &data, &at));
	return data;
}

static struct perf_event_mmap_page read_page(u64 now)
{
	struct perf_event_mmap_page page = { };

	arch_perf_update_userpage(&event, &page, now);
	return page;
}

/* Both times are right: TSC * MULT / 2^SHIFT plus the offsets. */
static bool from_tsc(void)
{
	const u64 now = 1000, time = (TSC * MULT >> SHIFT) + OFFSET + BOOT_OFFSET;
	struct perf_event_mmap_page page = read_page(now);
	struct perf_sample_data data = read_record();
	u64 cycles = TSC * page.time_mult >> page.time_shift;

	return (data.sample_flags & PERF_SAMPLE_TIME) && data.time == time &&
	       page.cap_user_time && page.cap_user_time_zero && page.time_zero + cycles == time &&
	       page.time_offset + cycles == time - now;
}

/* The page has no time, and a record leaves the time to the core of perf events. */
static bool left_to_core(void)
{
	struct perf_event_mmap_page page = read_page(1000);

	return !page.cap_user_time && !page.cap_user_time_zero &&
	       !(read_record().sample_flags & PERF_SAMPLE_TIME);
}

int main(void)
{
	ktap_plan(3);
	ktap_result(from_tsc(), "from_tsc");
	native = false;
	ktap_result(left_to_core(), "clock_of_hypervisor");
	native = true;
	stable = false;
	ktap_result(left_to_core(), "unstable_clock");
	return ktap_end();
}
