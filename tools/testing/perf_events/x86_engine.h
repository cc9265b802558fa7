/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The driver of x86 counters (the kernel's source) on a simulated CPU, for all tests of the driver.
 * The CPU may deliver an interrupt at any access to a register.
 */
#ifndef _TOOLS_TESTING_PERF_EVENTS_X86_ENGINE_H
#define _TOOLS_TESTING_PERF_EVENTS_X86_ENGINE_H

#include "x86_kernel.h"

#define CONFIG_PERFCTR_COUNTERS
#define __KERNEL__
#define __u16 u16
#define __u32 u32
#define __s32 s32
#define __u64 u64
#include "../../../arch/x86/include/asm/perfctr.h"

static inline void msr_clear_bit(u32 msr, u8 bit)
{
	machine_wrmsr(msr, machine_rdmsr(msr) & ~BIT_ULL(bit));
}

/* The branch unit of a test that models it */
#ifdef MACHINE_BRANCHES
#define CONFIG_PERF_EVENTS_AMD_BRS

static inline void msr_set_bit(u32 msr, u8 bit)
{
	machine_wrmsr(msr, machine_rdmsr(msr) | BIT_ULL(bit));
}
#endif

#include "../../../arch/x86/events/assign.c"
#include "../../../arch/x86/events/engine.h"
#include "../../../arch/x86/events/registers.c"
#include "../../../arch/x86/events/extra.c"
#include "../../../arch/x86/events/amd_nb.c"
#include "../../../arch/x86/events/excl_cntrs.c"
#include "../../../arch/x86/events/metrics.c"
#include "../../../arch/x86/events/force_abort.c"
#include "../../../arch/x86/events/count.c"
#include "../../../arch/x86/events/reprogram.c"
#include "../../../arch/x86/events/claim.c"
#include "../../../arch/x86/events/config.c"
#include "../../../arch/x86/events/pmu.c"
#include "../../../arch/x86/events/overflow.c"
#include "../../../arch/x86/events/sample_ip.c"
#include "../../../arch/x86/events/guests.c"
#include "../../../arch/x86/events/amd/guests.c"
#include "../../../arch/x86/events/intel/ds.c"
#include "../../../arch/x86/events/intel/pebs.c"
#include "../../../arch/x86/events/intel/bts.c"
#ifdef MACHINE_BRANCHES
#include "../../../arch/x86/events/branch_filter.c"
#include "../../../arch/x86/events/branch.c"
#include "../../../arch/x86/events/amd/lbr.c"
#include "../../../arch/x86/events/amd/brs.c"
#endif
#include "../../../arch/x86/events/perfctr_state.h"

#include "x86_machine.h"

#define EVENTS		10
#define ANY_CODE	0x11	/* event that any general counter can count */
#define LIMITED_CODE	0x10	/* event that only counters 0 and 1 can count */
#define EXTRA_CODE	0xb7	/* event with an extra register, which has a twin */
#define TWIN_CODE	0xbb
#define NB_CODE		0xe9	/* northbridge event, see amd_nb.c */
#define HT_CODE		0xd0	/* event with the erratum of excl_cntrs.c */

/* Programs with a mapped event may read counters. */
int x86_rdpmc = 1;

void x86_event_mapped(struct perf_event *event, struct mm_struct *mm) { }

void x86_event_unmapped(struct perf_event *event, struct mm_struct *mm) { }

/* CR4.PCE: the running program can read counters */
static bool user_reads = true;

/* Advanced only by a test */
unsigned long jiffies = 1;

bool x86_user_reads(void)
{
	return user_reads || x86_pmu_cpu.enabling_rdpmc;
}

bool x86_perf_clock_is_tsc(void)
{
	return true;
}

/* A kernel thread runs, with the address space of the previous program */
static bool in_kernel_thread;

bool x86_in_kernel_thread(void)
{
	return in_kernel_thread;
}

/* Record format of the next machine, 0 to 3. A record has only the mask of its counters, if any. */
static unsigned int pebs_format = 3;

bool x86_record_next(const struct x86_precise *precise, const void *at, const void *end,
		     struct x86_record *record)
{
	record->start = at;
	record->size = precise->size;
	if (at + record->size > end)
		return false;
	record->counters = precise->format ? record->start[MACHINE_RECORD_COUNTERS] : 0;
	return true;
}

u64 x86_precise_data_cfg(const struct x86_core *core, const struct perf_event *event)
{
	return 0;
}

bool x86_record_sample(struct x86_pmu_cpu *cpu, struct perf_event *event,
		       const struct x86_record *record, struct pt_regs *regs,
		       struct perf_sample_data *data, struct x86_perf_regs *at)
{
	at->regs = (struct pt_regs){ .ip = MACHINE_CODE };
	return true;
}

/* Number of events that need pmu::sched_task */
static int sched_cb_users;

void perf_sched_cb_inc(struct pmu *pmu)
{
	sched_cb_users++;
}

void perf_sched_cb_dec(struct pmu *pmu)
{
	sched_cb_users--;
}

#ifndef MACHINE_BRANCHES
/* Error for events with a branch stack; most tests have no such events. */
static int branch_stack_error = -EOPNOTSUPP;

int x86_branch_check(struct perf_event *event)
{
	return branch_stack_error;
}

int x86_branch_init_event(struct perf_event *event)
{
	return -EOPNOTSUPP;
}

void x86_branch_destroy(struct perf_event *event) { }

bool x86_branch_fits(const struct x86_core *core, struct perf_event *event,
		     struct x86_extra_set *set)
{
	return true;
}

int x86_branch_add(struct x86_pmu_cpu *cpu, struct perf_event *event)
{
	return 0;
}

void x86_branch_del(struct x86_pmu_cpu *cpu, struct perf_event *event) { }

void x86_branch_sched_task(struct perf_event_pmu_context *pmu_ctx, struct task_struct *task,
			   bool sched_in)
{
}

void x86_branch_reprogram(struct x86_pmu_cpu *cpu) { }

void x86_branch_reset(struct x86_pmu_cpu *cpu) { }

/*
 * Status bits that x86_branch_begin_interrupt() returns; number of calls that check the status for
 * these bits, and the bits found by the last one
 */
static u64 branches_later, branches_found;
static unsigned long branches_checked;

u64 x86_branch_begin_interrupt(struct x86_pmu_cpu *cpu)
{
	return branches_later;
}

void x86_branch_check_frozen(struct x86_pmu_cpu *cpu, u64 frozen)
{
	branches_checked++;
	branches_found = frozen;
}

void x86_branch_end_interrupt(struct x86_pmu_cpu *cpu, u64 frozen) { }

void x86_branch_sample(struct x86_pmu_cpu *cpu, struct perf_event *event,
		       struct perf_sample_data *data)
{
}
#endif

/* Kinds of PMU */

static const struct x86_pmu_msrs with_control = {
	.select = 0x186, .counter = 0xc1, .stride = 1, .fixed = 0x309, .fixed_control = 0x38d,
	.control = 0x38f, .status = 0x38e, .ack = 0x390, .others = ~0ULL,
	.run = ARCH_PERFMON_EVENTSEL_ENABLE, .halt = ARCH_PERFMON_EVENTSEL_ENABLE,
	.masks_lvt = true,
};

/* As with_control, but the status can be acknowledged only while a counter is enabled */
static const struct x86_pmu_msrs ack_runs = {
	.select = 0x186, .counter = 0xc1, .stride = 1, .fixed = 0x309, .fixed_control = 0x38d,
	.control = 0x38f, .status = 0x38e, .ack = 0x390, .others = ~0ULL,
	.run = ARCH_PERFMON_EVENTSEL_ENABLE, .halt = ARCH_PERFMON_EVENTSEL_ENABLE,
	.ack_runs = true, .masks_lvt = true,
};

static const struct x86_pmu_msrs without_mask = {
	.select = 0xc0010200, .counter = 0xc0010201, .stride = 2,
	.control = 0xc0000301, .status = 0xc0000300, .ack = 0xc0000302,
	.others = BIT_ULL(58) | BIT_ULL(59),
	.run = ARCH_PERFMON_EVENTSEL_ENABLE, .halt = ARCH_PERFMON_EVENTSEL_ENABLE,
};

static const struct x86_pmu_msrs selects_alone = {
	.select = 0xc0010000, .counter = 0xc0010004, .stride = 1,
	.run = ARCH_PERFMON_EVENTSEL_ENABLE, .halt = ARCH_PERFMON_EVENTSEL_ENABLE,
};

/* As on a P6: the driver stops a counter by clearing the modes of its select. */
static const struct x86_pmu_msrs modes_halt = {
	.select = 0xc0010000, .counter = 0xc0010004, .stride = 1,
	.halt = ARCH_PERFMON_EVENTSEL_USR | ARCH_PERFMON_EVENTSEL_OS,
	.always = ARCH_PERFMON_EVENTSEL_ENABLE, .masks_lvt = true,
};

/* Version 1 of Intel's architectural PMU, as in guests: without global registers */
static const struct x86_pmu_msrs version_1 = {
	.select = 0x186, .counter = 0xc1, .stride = 1,
	.run = ARCH_PERFMON_EVENTSEL_ENABLE, .halt = ARCH_PERFMON_EVENTSEL_ENABLE,
	.masks_lvt = true,
};

/* As on a P4: each select keeps an overflow flag until it is written. */
static const struct x86_pmu_msrs marks = {
	.select = 0x186, .counter = 0xc1, .stride = 1,
	.run = ARCH_PERFMON_EVENTSEL_ENABLE, .halt = ARCH_PERFMON_EVENTSEL_ENABLE,
	.masks_lvt = true, .sticky = BIT_ULL(31),
};

/* As on a P4: the threads of a core share all registers. */
static const struct x86_pmu_msrs shared = {
	.select = 0x186, .counter = 0xc1, .stride = 1,
	.run = ARCH_PERFMON_EVENTSEL_ENABLE, .halt = ARCH_PERFMON_EVENTSEL_ENABLE,
	.masks_lvt = true, .sticky = BIT_ULL(31), .shared = true,
};

static const struct x86_limit limits[] = {
	X86_LIMIT_FIXED(0xc0, 0x00, 0),
	X86_LIMIT_FIXED(0x3c, 0x00, 1),
	X86_LIMIT_EVENT(LIMITED_CODE, X86_GENERAL(2)),
	{ .first = MACHINE_PAIR_CODE, .last = MACHINE_PAIR_CODE, .mask = X86_MATCH_EVENT,
	  .counters = 0x5, .flags = X86_LIMIT_PAIR },
	{ .first = NB_CODE, .last = NB_CODE, .mask = X86_MATCH_EVENT,
	  .counters = X86_GENERAL(4), .flags = X86_LIMIT_AMD_NB },
	X86_LIMIT_END
};

static const struct x86_extra extra[] = {
	{ .first = EXTRA_CODE, .last = EXTRA_CODE, .mask = X86_MATCH_EVENT,
	  .msr = MACHINE_EXTRA, .valid = 0xff, .twin = TWIN_CODE - EXTRA_CODE, .per_core = true },
	{ .first = TWIN_CODE, .last = TWIN_CODE, .mask = X86_MATCH_EVENT,
	  .msr = MACHINE_EXTRA + 1, .valid = 0xff, .twin = EXTRA_CODE - TWIN_CODE,
	  .per_core = true },
	{ }
};

static const struct x86_limit precise[] = {
	X86_LIMIT_EVENT(LIMITED_CODE, X86_GENERAL(2)),
	X86_LIMIT_END
};

static const struct x86_model model = {
	.precise = precise, .precise_levels = 2,
	.name = "test", .limits = limits, .extra = extra, .config_mask = X86_RAW_EVENT_MASK,
	.merge = MACHINE_MERGE,
};

/* A CPU whose core has a second thread */
static const struct x86_limit thread_limits[] = {
	X86_LIMIT_FIXED(0xc0, 0x00, 0),
	X86_LIMIT_FIXED(0x3c, 0x00, 1),
	X86_LIMIT_EVENT(LIMITED_CODE, X86_GENERAL(2)),
	{ .first = HT_CODE, .last = HT_CODE, .mask = X86_MATCH_EVENT,
	  .counters = X86_GENERAL(4), .flags = X86_LIMIT_HT_ERRATUM },
	X86_LIMIT_END
};

static const struct x86_model thread_model = {
	.name = "threads", .limits = thread_limits, .extra = extra,
	.config_mask = X86_RAW_EVENT_MASK,
};

/* A CPU with the erratum of x86_model::erratum_selects */
static const struct x86_model erratum_model = {
	.name = "erratum", .limits = thread_limits, .extra = extra,
	.precise = precise, .precise_levels = 2,
	.config_mask = X86_RAW_EVENT_MASK, .erratum_selects = machine_erratum_selects,
};

static struct x86_core core;

/* The PMU of each core type. Most tests do not detect the core types, and have none here. */
struct x86_core *x86_cores[X86_CORES_MAX];

/* The PT driver has users while the machine has traces. */
bool x86_has_exclusive(unsigned int what)
{
	return what == x86_lbr_exclusive_pt && (machine.beside & MACHINE_TRACES);
}

/* Error for new users of the branch records, while a user of another kind has them; or 0 */
static int branches_taken;

/* Number of users of branch records */
static int exclusive_users;

int x86_add_exclusive(unsigned int what)
{
	exclusive_users += !branches_taken;
	return branches_taken;
}

void x86_del_exclusive(unsigned int what)
{
	exclusive_users--;
}

/* The model of the CPU */
static const struct x86_model *row = &model;

/* Other sources of NMIs of the next machine: MACHINE_* */
static unsigned int beside;

/**
 * struct counted - an event, and the limits of its expected count
 * @event: the event
 * @on: the event was added
 * @running: the event is started
 * @begun: truth_lo() just after the last start
 * @begun_hi: truth() just before the last start
 * @lo: lower limit of the count at the last stop
 * @hi: upper limit of the count at the last stop
 * @samples: number of samples
 * @overflows: number of overflows that count for throttling
 * @stop_at: value of @samples from which on the next of these @overflows stops the event; 0: none
 * @limit: value of @samples at which each overflow stops the event, as the limit of
 *	PERF_EVENT_IOC_REFRESH; 0: none
 * @lost: number of periods without a sample, because the event was stopped at the end of the
 *	period, before a late overflow
 * @page: the event's page
 */
struct counted {
	struct perf_event	event;
	bool			on;
	bool			running;
	u64			begun;
	u64			begun_hi;
	u64			lo;
	u64			hi;
	u64			samples;
	u64			overflows;
	u64			stop_at;
	u64			limit;
	u64			lost;
	struct perf_event_mmap_page	page;
};

static struct counted counted[EVENTS];

/* Like perf_event_update_userpage() of the core, which calls arch_perf_update_userpage() */
void perf_event_update_userpage(struct perf_event *event)
{
	struct counted *c = container_of(event, struct counted, event);

	c->page.index = event->hw.state & PERF_HES_STOPPED ? 0 : core.pmu.event_idx(event);
	c->page.offset = local64_read(&event->count);
	if (c->page.index)
		c->page.offset -= local64_read(&event->hw.prev_count);
	x86_event_update_page(event, &c->page);
}

/* Counters with a northbridge event on another CPU of the northbridge */
static u64 other_cpu;

/**
 * struct section - numbers of instructions at a moment, see struct machine
 * @user: machine::user
 * @driver: machine::driver
 * @all: machine::all
 */
struct section {
	u64	user;
	u64	driver;
	u64	all;
};

static inline struct section now(void)
{
	return (struct section){ machine.user, machine.driver, machine.all };
}

/* Upper limit of the count at @at, if the event counts all the time */
static inline u64 truth(const struct counted *c, struct section at)
{
	const struct perf_event_attr *attr = &c->event.attr;

	if (attr->exclude_kernel)
		return at.user;
	return attr->exclude_user ? at.all - at.user : at.all;
}

/* Lower limit of the count: the counter may be stopped during instructions of the driver. */
static inline u64 truth_lo(const struct counted *c, struct section at)
{
	return truth(c, at) - (c->event.attr.exclude_kernel ? 0 : at.driver);
}

static inline void has_begun(struct counted *c, struct section before)
{
	c->running = true;
	c->begun = truth_lo(c, now());
	c->begun_hi = truth(c, before);
}

static inline void has_ended(struct counted *c, struct section before)
{
	s64 left = local64_read(&c->event.hw.period_left);
	u64 until = truth_lo(c, before);

	c->running = false;
	/* The event may have been started after @before. */
	if (until > c->begun)
		c->lo += until - c->begun;
	c->hi += truth(c, now()) - c->begun_hi;
	/*
	 * A counter is never set to -1, so it may overflow one occurrence after the period, and
	 * more after a record whose counter is unknown.
	 */
	if (c->event.attr.sample_period && (machine.pebs_unclear ? left <= 0 : !left))
		c->lost++;
}

/* A test's own check of each sample; NULL: none */
static void (*check_sample)(const struct counted *c, const struct perf_sample_data *data,
			    const struct pt_regs *regs);

/* Write a sample. Return: whether it reaches the limit. */
static bool write_sample(struct counted *c, const struct perf_sample_data *data,
			 const struct pt_regs *regs)
{
	c->samples++;
	if (check_sample)
		check_sample(c, data, regs);
	return c->samples == c->limit;
}

/* Count an overflow. Return: whether it throttles the event. */
static bool count_overflow(struct counted *c)
{
	c->overflows++;
	if (!c->stop_at || c->samples < c->stop_at)
		return false;
	c->stop_at = 0;
	return true;
}

/* Only events that exclude the kernel are stopped: their truth() does not change here. */
static int end_if(struct counted *c, bool stop)
{
	if (stop)
		has_ended(c, now());
	return stop;
}

int perf_event_overflow(struct perf_event *event, struct perf_sample_data *data,
			struct pt_regs *regs)
{
	struct counted *c = container_of(event, struct counted, event);
	bool limited = write_sample(c, data, regs);

	return end_if(c, count_overflow(c) || limited);
}

/* Called for all samples of a drained buffer except one that counts for throttling */
int perf_event_overflow_more(struct perf_event *event, struct perf_sample_data *data,
			     struct pt_regs *regs)
{
	struct counted *c = container_of(event, struct counted, event);

	return end_if(c, write_sample(c, data, regs));
}

/* Called after these samples, unless one of them counts for throttling */
int perf_event_account_interrupt(struct perf_event *event)
{
	struct counted *c = container_of(event, struct counted, event);

	return end_if(c, count_overflow(c));
}

/* A thread with a perfctr that counts instructions of user space */

/**
 * struct thread - the state of a perfctr, and its expected sums
 * @state: the state
 * @has_control: @state has a control
 * @running: @state runs
 * @begun: machine::user at the last resume
 * @overflowed: the overflow interrupt has stopped the counters
 * @until: machine::user at that interrupt
 * @counts: expected sum of each counter
 */
struct thread {
	struct perfctr_cpu_state	state;
	bool				has_control;
	bool				running;
	u64				begun;
	bool				overflowed;
	u64				until;
	u64				counts;
};

static struct thread thread;

static inline u32 layer_tsc(void)
{
	return machine.all;
}

static inline u64 layer_read(int counter)
{
	return x86_read_counter(&core, counter);
}

static inline int counter_of(u32 map)
{
	return map & INTEL_PMC_FIXED_RDPMC_BASE ?
	       (int)(map & ~INTEL_PMC_FIXED_RDPMC_BASE) + INTEL_PMC_IDX_FIXED : (int)map;
}

static inline u32 layer_read_low(u32 map)
{
	return layer_read(counter_of(map));
}

static inline int layer_get(const struct x86_claim *claim)
{
	if (x86_claim_get_fast(&x86_pmu_cpu, claim))
		return 1;
	return x86_claim_get(&x86_pmu_cpu, claim);
}

static inline void layer_set(int counter, u64 value)
{
	x86_write_counter(&x86_pmu_cpu, counter, value);
}

static inline void layer_start(const struct x86_claim *claim)
{
	x86_claim_start(&x86_pmu_cpu, claim);
}

static inline void layer_put(const struct x86_claim *claim)
{
	x86_claim_put_fast(&x86_pmu_cpu, claim);
}

/*
 * The values in @saved are current: the counters were not used since the last suspend. Set by
 * tests.
 */
static bool handed_over;
static u32 saved[X86_COUNTERS_MAX];

static inline void layer_save(int counter, u32 value)
{
	saved[counter] = value;
}

static inline bool layer_has_saved(const struct x86_claim *claim)
{
	return handed_over;
}

static inline u32 layer_saved_value(int counter)
{
	return saved[counter];
}

static inline bool layer_readable(void)
{
	return user_reads;
}

static const struct perfctr_layer layer = {
	.tsc = layer_tsc, .read = layer_read, .read_low = layer_read_low, .get = layer_get,
	.set = layer_set, .start = layer_start, .put = layer_put,
	.save = layer_save, .has_saved = layer_has_saved, .saved_value = layer_saved_value,
	.readable = layer_readable,
};

void perfctr_cpu_interrupt(struct pt_regs *regs)
{
	if (thread.overflowed)
		return;
	thread.overflowed = true;
	thread.until = machine.user;
}

/* Flexible events that did not fit when they were last scheduled */
static u64 waiting;

/* The thread's counters stop until its next control. */
void perfctr_cpu_revoke(void)
{
	if (!thread.running)
		return;
	perfctr_state_revoke(&layer, &thread.state);
	thread.has_control = false;
	thread.running = false;
	thread.counts += (thread.overflowed ? thread.until : machine.user) - thread.begun;
	thread.overflowed = false;
}

static inline void start_machine(const struct x86_pmu_msrs *msrs, u64 seed, u64 max_period)
{
	struct x86_pmu_cpu *cpu = &x86_pmu_cpu;

	machine_start(msrs, seed);
	core = (struct x86_core){
		.model = row, .msrs = msrs, .version = msrs->control ? 2 : 1,
		.counters = X86_GENERAL(MACHINE_GENERAL) |
			    (msrs->fixed ? X86_GENERAL(MACHINE_FIXED) << INTEL_PMC_IDX_FIXED : 0),
		.width = MACHINE_WIDTH, .fixed_width = MACHINE_WIDTH, .max_period = max_period,
		.config_mask = row->config_mask, .counter_msr = msrs->counter,
	};
	x86_core_init_pmu(&core);
	core.pmu.type = PERF_TYPE_RAW;
	features = ~0U;
	/* PEBS needs a PMU like Intel's: a status register, and an interrupt that masks itself. */
	if (msrs->masks_lvt && msrs->status && !msrs->ack_runs && row->precise) {
		core.capabilities = pebs_format << PEBS_FORMAT_SHIFT;
		x86_precise_probe(&core);
	}
	machine.pebs_size = core.precise.size;
	memset(cpu, 0, sizeof(*cpu));
	memset(&cpu_debug_store, 0, sizeof(cpu_debug_store));
	machine_nr_buffers = 0;
	memset(machine_mapped, 0, sizeof(machine_mapped));
	pebs_has_buffers = false;
	online_cpus.bits = 1;
	bts_has_buffers = false;
	bts_exists = false;
	cpu->gen = 1;
	cpu->select_clear = msrs->host_only;
	x86_extra_init(0, &core);
	x86_extra_set_all_unknown(cpu);
	x86_amd_nb_init(0);
	x86_excl_init(0, &core);
	cpu->first_excl.thread[1].online = seed % 2;
	other_cpu = 0;
	cpu->core = &core;
	x86_reset_registers(cpu);
	x86_ds_reset(cpu);
	memset(counted, 0, sizeof(counted));
	sched_cb_users = 0;
	thread = (struct thread){ };
	waiting = 0;
	machine.beside = beside;
}

/* Open an event, as the core of perf events does. */
static inline int open_event(struct counted *c, const struct perf_event_attr *attr)
{
	struct perf_event *event = &c->event;
	int err;

	*c = (struct counted){ };
	event->attr = *attr;
	event->attr.type = PERF_TYPE_RAW;
	event->pmu = &core.pmu;
	event->cpu = -1;
	event->group_leader = event;
	event->hw.sample_period = attr->sample_period;
	event->hw.last_period = attr->sample_period;
	local64_set(&event->hw.period_left, (s64)attr->sample_period);
	err = x86_event_init(event);
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	return err;
}

#endif /* _TOOLS_TESTING_PERF_EVENTS_X86_ENGINE_H */
