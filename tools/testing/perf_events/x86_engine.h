/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The driver of x86 counters (the kernel's own source) on a CPU that is made of memory: what all
 * of its tests share. The CPU's interrupts come at any access to a register.
 */
#ifndef _TOOLS_TESTING_PERF_EVENTS_X86_ENGINE_H
#define _TOOLS_TESTING_PERF_EVENTS_X86_ENGINE_H

#include "x86_kernel.h"

#define CONFIG_PERFCTR_COUNTERS
#define __KERNEL__
#define __u32 u32
#define __s32 s32
#define __u64 u64
#include "../../../arch/x86/include/asm/perfctr.h"

static inline void msr_clear_bit(u32 msr, u8 bit)
{
	machine_wrmsr(msr, machine_rdmsr(msr) & ~BIT_ULL(bit));
}

/* Whether the driver does what it does with that option */
static bool check_registers;
#define CONFIG_PERF_EVENTS_CHECK_REGISTERS	check_registers

#include "../../../arch/x86/events/assign.c"
#include "../../../arch/x86/events/engine.h"
#include "../../../arch/x86/events/registers.c"
#include "../../../arch/x86/events/extra.c"
#include "../../../arch/x86/events/node.c"
#include "../../../arch/x86/events/thread.c"
#include "../../../arch/x86/events/metrics.c"
#include "../../../arch/x86/events/count.c"
#include "../../../arch/x86/events/apply.c"
#include "../../../arch/x86/events/claim.c"
#include "../../../arch/x86/events/config.c"
#include "../../../arch/x86/events/pmu.c"
#include "../../../arch/x86/events/overflow.c"
#include "../../../arch/x86/events/guests.c"
#include "../../../arch/x86/events/amd/guests.c"
#include "../../../arch/x86/events/intel/pebs.c"
#include "../../../arch/x86/events/perfctr_state.h"

#include "x86_machine.h"

#define EVENTS		10
#define ANY_CODE	0x11	/* an event that every general counter counts */
#define LIMITED_CODE	0x10	/* one that only counters 0 and 1 count */
#define EXTRA_CODE	0xb7	/* with a register beside the select, and its twin */
#define TWIN_CODE	0xbb
#define NODE_CODE	0xe9	/* one that is common to the CPUs of the node */
#define LEAK_CODE	0xd0	/* one that spoils counts of the core's other thread */

/* Programs may read all events. */
int x86_rdpmc = 1;

void x86_event_mapped(struct perf_event *event, struct mm_struct *mm) { }

void x86_event_unmapped(struct perf_event *event, struct mm_struct *mm) { }

/* CR4.PCE: the program that runs can read counters. */
static bool user_reads = true;

/* A test is over before the next one, unless it says so. */
unsigned long jiffies = 1;

bool x86_user_reads(void)
{
	return user_reads || x86_pmu_cpu.opening;
}

/* A kernel thread runs, in the address space before it. */
static bool in_kernel_thread;

bool x86_in_kernel_thread(void)
{
	return in_kernel_thread;
}

/* The CPU's microcode takes no counter. */
u64 x86_force_abort_limit(const struct x86_core *core)
{
	return core->counters;
}

void x86_force_abort(struct x86_pmu_cpu *cpu, u64 counters) { }

/* Records have nothing in them but the counters that they are for. */

bool x86_record_next(const struct x86_precise *precise, const void *at, const void *end,
		     struct x86_record *record)
{
	record->start = at;
	record->size = MACHINE_RECORD;
	record->counters = record->start[MACHINE_RECORD_COUNTERS];
	return at + MACHINE_RECORD <= end;
}

u64 x86_precise_groups(const struct x86_core *core, const struct perf_event *event)
{
	return 0;
}

bool x86_record_sample(struct x86_pmu_cpu *cpu, struct perf_event *event,
		       const struct x86_record *record, struct pt_regs *regs,
		       struct perf_sample_data *data, struct x86_perf_regs *at)
{
	return true;
}

/* Branches have a machine of their own, in x86_branch_test.c: no event here wants any. */

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

void perf_sched_cb_inc(struct pmu *pmu) { }

void perf_sched_cb_dec(struct pmu *pmu) { }

void x86_branch_apply(struct x86_pmu_cpu *cpu) { }

void x86_branch_reset(struct x86_pmu_cpu *cpu) { }

u64 x86_branch_begin_interrupt(struct x86_pmu_cpu *cpu)
{
	return 0;
}

void x86_branch_end_interrupt(struct x86_pmu_cpu *cpu, u64 frozen) { }

void x86_branch_sample(struct x86_pmu_cpu *cpu, struct perf_event *event,
		       struct perf_sample_data *data)
{
}

/* Kinds of PMU */

static const struct x86_bank with_control = {
	.select = 0x186, .counter = 0xc1, .stride = 1, .fixed = 0x309, .fixed_control = 0x38d,
	.control = 0x38f, .status = 0x38e, .ack = 0x390, .others = ~0ULL,
	.run = ARCH_PERFMON_EVENTSEL_ENABLE, .halt = ARCH_PERFMON_EVENTSEL_ENABLE,
	.masks_lvt = true,
};

/* The same, but its status can be cleared only while it runs. */
static const struct x86_bank ack_runs = {
	.select = 0x186, .counter = 0xc1, .stride = 1, .fixed = 0x309, .fixed_control = 0x38d,
	.control = 0x38f, .status = 0x38e, .ack = 0x390, .others = ~0ULL,
	.run = ARCH_PERFMON_EVENTSEL_ENABLE, .halt = ARCH_PERFMON_EVENTSEL_ENABLE,
	.ack_runs = true, .masks_lvt = true,
};

static const struct x86_bank without_mask = {
	.select = 0xc0010200, .counter = 0xc0010201, .stride = 2,
	.control = 0xc0000301, .status = 0xc0000300, .ack = 0xc0000302,
	.others = BIT_ULL(58) | BIT_ULL(59),
	.run = ARCH_PERFMON_EVENTSEL_ENABLE, .halt = ARCH_PERFMON_EVENTSEL_ENABLE,
};

static const struct x86_bank selects_alone = {
	.select = 0xc0010000, .counter = 0xc0010004, .stride = 1,
	.run = ARCH_PERFMON_EVENTSEL_ENABLE, .halt = ARCH_PERFMON_EVENTSEL_ENABLE,
};

/* As the P6's: a counter is halted by a select that has no mode to count in. */
static const struct x86_bank modes_halt = {
	.select = 0xc0010000, .counter = 0xc0010004, .stride = 1,
	.halt = ARCH_PERFMON_EVENTSEL_USR | ARCH_PERFMON_EVENTSEL_OS,
	.always = ARCH_PERFMON_EVENTSEL_ENABLE, .masks_lvt = true,
};

/* Version 1 of the architecture, as guests have it: Intel's without common registers */
static const struct x86_bank version_1 = {
	.select = 0x186, .counter = 0xc1, .stride = 1,
	.run = ARCH_PERFMON_EVENTSEL_ENABLE, .halt = ARCH_PERFMON_EVENTSEL_ENABLE,
	.masks_lvt = true,
};

/* As the P4's: each select keeps a mark of its counter's overflow. */
static const struct x86_bank marks = {
	.select = 0x186, .counter = 0xc1, .stride = 1,
	.run = ARCH_PERFMON_EVENTSEL_ENABLE, .halt = ARCH_PERFMON_EVENTSEL_ENABLE,
	.masks_lvt = true, .sticky = true,
};

static const struct x86_limit limits[] = {
	X86_LIMIT_FIXED(0xc0, 0x00, 0),
	X86_LIMIT_FIXED(0x3c, 0x00, 1),
	X86_LIMIT_EVENT(LIMITED_CODE, X86_GENERAL(2)),
	{ .first = MACHINE_PAIR_CODE, .last = MACHINE_PAIR_CODE, .mask = X86_MATCH_EVENT,
	  .counters = 0x5, .flags = X86_LIMIT_PAIR },
	{ .first = NODE_CODE, .last = NODE_CODE, .mask = X86_MATCH_EVENT,
	  .counters = X86_GENERAL(4), .flags = X86_LIMIT_NODE },
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
	{ .first = LEAK_CODE, .last = LEAK_CODE, .mask = X86_MATCH_EVENT,
	  .counters = X86_GENERAL(4), .flags = X86_LIMIT_HT_LEAKS },
	X86_LIMIT_END
};

static const struct x86_model thread_model = {
	.name = "threads", .limits = thread_limits, .extra = extra,
	.config_mask = X86_RAW_EVENT_MASK,
};

/* A CPU with the erratum */
static const struct x86_model idle_model = {
	.name = "idle", .limits = thread_limits, .extra = extra,
	.config_mask = X86_RAW_EVENT_MASK, .idle_selects = machine_idle_selects,
};

static struct x86_core core;

/* The trace's driver has users while the machine has traces. */
bool x86_has_exclusive(unsigned int what)
{
	return what == x86_lbr_exclusive_pt && (machine.beside & MACHINE_TRACES);
}

/* The row that is tested */
static const struct x86_model *row = &model;

/* and what there is beside the counters: MACHINE_* */
static unsigned int beside;

/**
 * struct counted - an event, and what it should have counted
 * @event: as the driver knows it
 * @on: it has been added
 * @running: and started, and not been stopped
 * @begun: what it would count, at the start: after it surely counted, and
 * @begun_hi: before
 * @lo: it has counted at least this, before @begun
 * @hi: at most this
 * @samples: its overflows so far
 * @stop_at: of these, the one that stops the event, as throttling does
 * @lost: number of periods without a sample: it was stopped at the end, before a late overflow
 * @page_index: of its page: number of the counter plus one, or 0
 * @page_offset: the same: what has to be added to the counter
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
	u64			stop_at;
	u64			lost;
	u32			page_index;
	u64			page_offset;
};

static struct counted counted[EVENTS];

/* As the core does, and arch_perf_update_userpage(). */
void perf_event_update_userpage(struct perf_event *event)
{
	struct counted *c = container_of(event, struct counted, event);

	c->page_index = event->hw.state & PERF_HES_STOPPED ? 0 : core.pmu.event_idx(event);
	c->page_offset = local64_read(&event->count);
	if (c->page_index)
		c->page_offset += x86_event_count(event)->bias -
				  local64_read(&event->hw.prev_count);
}

/* Counters that the node's other CPU has an event of the node on. */
static u64 other_cpu;

/**
 * struct section - what the events may count while the kernel changes them
 * @user: instructions at its begin, see struct machine
 * @driver: the same
 * @all: the same
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

/* The most that an event can count: that of one which counts all the time. */
static inline u64 truth(const struct counted *c, struct section at)
{
	const struct perf_event_attr *attr = &c->event.attr;

	if (attr->exclude_kernel)
		return at.user;
	return attr->exclude_user ? at.all - at.user : at.all;
}

/* And at least. */
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
	u64 until = truth_lo(c, before);

	c->running = false;
	/* It may have begun in the same section. */
	if (until > c->begun)
		c->lo += until - c->begun;
	c->hi += truth(c, now()) - c->begun_hi;
	/* A counter is never set to -1, so an overflow may be one event after the period's end. */
	if (c->event.attr.sample_period && !local64_read(&c->event.hw.period_left))
		c->lost++;
}

int perf_event_overflow(struct perf_event *event, struct perf_sample_data *data,
			struct pt_regs *regs)
{
	struct counted *c = container_of(event, struct counted, event);

	c->samples++;
	if (c->samples != c->stop_at)
		return 0;
	/* Only events of user space are stopped, whose truth stands still meanwhile. */
	has_ended(c, now());
	return 1;
}

/* Of a full buffer */
int perf_event_output(struct perf_event *event, struct perf_sample_data *data,
		      struct pt_regs *regs)
{
	struct counted *c = container_of(event, struct counted, event);

	c->samples++;
	/* The one that is to stop it stops it with the next interrupt. */
	if (c->samples == c->stop_at)
		c->stop_at++;
	return 0;
}

/* A thread with a perfctr, which counts instructions of user space. */

/**
 * struct thread - its counters, and what they should have counted
 * @state: the counters
 * @has_control: there are any
 * @running: they run
 * @begun: instructions of user space so far, when they began to
 * @overflowed: the interrupt has stopped them
 * @until: instructions of user space when it did
 * @counts: all counters should have
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

static inline u32 layer_low(u32 map)
{
	return layer_read(counter_of(map));
}

static inline int layer_take(const struct x86_claim *claim)
{
	if (x86_claim_again(&x86_pmu_cpu, claim))
		return 1;
	return x86_claim(&x86_pmu_cpu, claim);
}

static inline void layer_set(int counter, u64 value)
{
	x86_write_counter(&x86_pmu_cpu, counter, value);
}

static inline void layer_run(const struct x86_claim *claim)
{
	x86_claim_run(&x86_pmu_cpu, claim);
}

static inline void layer_leave(const struct x86_claim *claim)
{
	x86_claim_leave(&x86_pmu_cpu, claim);
}

/* Other things run on the CPU in between, unless a test says that nothing does. */
static bool handed_over;
static u32 kept[X86_COUNTERS_MAX];

static inline void layer_keep(int counter, u32 value)
{
	kept[counter] = value;
}

static inline bool layer_kept(const struct x86_claim *claim)
{
	return handed_over;
}

static inline u32 layer_kept_value(int counter)
{
	return kept[counter];
}

static inline bool layer_readable(void)
{
	return user_reads;
}

static const struct perfctr_layer layer = {
	.tsc = layer_tsc, .read = layer_read, .low = layer_low, .take = layer_take,
	.set = layer_set, .run = layer_run, .leave = layer_leave,
	.keep = layer_keep, .kept = layer_kept, .kept_value = layer_kept_value,
	.readable = layer_readable,
};

void perfctr_cpu_interrupt(struct pt_regs *regs)
{
	if (thread.overflowed)
		return;
	thread.overflowed = true;
	thread.until = machine.user;
}

/* Flexible events that are off since they were scheduled last */
static u64 waiting;

/* The thread's counters stop until its next control. */
void perfctr_cpu_give_way(void)
{
	if (!thread.running)
		return;
	perfctr_state_give_way(&layer, &thread.state);
	thread.has_control = false;
	thread.running = false;
	thread.counts += (thread.overflowed ? thread.until : machine.user) - thread.begun;
	thread.overflowed = false;
}

static inline void start_machine(const struct x86_bank *bank, u64 seed, u64 max_period)
{
	struct x86_pmu_cpu *cpu = &x86_pmu_cpu;

	machine_start(bank, seed);
	core = (struct x86_core){
		.model = row, .bank = bank, .version = bank->control ? 2 : 1,
		.counters = X86_GENERAL(MACHINE_GENERAL) |
			    (bank->fixed ? X86_GENERAL(MACHINE_FIXED) << INTEL_PMC_IDX_FIXED : 0),
		.width = MACHINE_WIDTH, .fixed_width = MACHINE_WIDTH, .max_period = max_period,
		.config_mask = row->config_mask, .counter_msr = bank->counter,
	};
	x86_core_fill(&core);
	core.pmu.type = PERF_TYPE_RAW;
	features = ~0U;
	/* Where the interrupt masks itself, and the status tells, it is Intel's. */
	if (bank->masks_lvt && bank->status && !bank->ack_runs && row == &model) {
		core.capabilities = 3 << PEBS_FORMAT_SHIFT;
		x86_precise_probe(&core);
	}
	memset(cpu, 0, sizeof(*cpu));
	memset(&cpu_debug_store, 0, sizeof(cpu_debug_store));
	pebs_has_buffers = false;
	cpu->turn = 1;
	x86_extra_init(0);
	x86_extra_lost(cpu);
	x86_node_init(0);
	x86_threads_init(0, &core);
	cpu->first_threads.thread[1].online = seed % 2;
	other_cpu = 0;
	cpu->core = &core;
	x86_reset_registers(cpu);
	x86_precise_reset(cpu);
	memset(counted, 0, sizeof(counted));
	thread = (struct thread){ };
	waiting = 0;
	machine.beside = beside;
}

/* As the core of perf events does when an event is opened. */
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
