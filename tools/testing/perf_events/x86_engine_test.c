// SPDX-License-Identifier: GPL-2.0
/*
 * The driver of x86 counters (the kernel's own source) on a CPU that is made of memory:
 * events that come, go, share, move, sample and are stopped by their interrupts, which come
 * at any access to a register. What each event has counted is compared with what the CPU
 * has done meanwhile; and the accesses of each operation are counted. A perfctr claims
 * counters for itself at any time, so that events make way.
 */
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

static struct section now(void)
{
	return (struct section){ machine.user, machine.driver, machine.all };
}

/* The most that an event can count: that of one which counts all the time. */
static u64 truth(const struct counted *c, struct section at)
{
	const struct perf_event_attr *attr = &c->event.attr;

	if (attr->exclude_kernel)
		return at.user;
	return attr->exclude_user ? at.all - at.user : at.all;
}

/* And at least. */
static u64 truth_lo(const struct counted *c, struct section at)
{
	return truth(c, at) - (c->event.attr.exclude_kernel ? 0 : at.driver);
}

static void has_begun(struct counted *c, struct section before)
{
	c->running = true;
	c->begun = truth_lo(c, now());
	c->begun_hi = truth(c, before);
}

static void has_ended(struct counted *c, struct section before)
{
	u64 until = truth_lo(c, before);

	c->running = false;
	/* It may have begun in the same section. */
	if (until > c->begun)
		c->lo += until - c->begun;
	c->hi += truth(c, now()) - c->begun_hi;
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

static u32 layer_tsc(void)
{
	return machine.all;
}

static u64 layer_read(int counter)
{
	return x86_read_counter(&core, counter);
}

static int counter_of(u32 map)
{
	return map & INTEL_PMC_FIXED_RDPMC_BASE ?
	       (int)(map & ~INTEL_PMC_FIXED_RDPMC_BASE) + INTEL_PMC_IDX_FIXED : (int)map;
}

static u32 layer_low(u32 map)
{
	return layer_read(counter_of(map));
}

static int layer_take(const struct x86_claim *claim)
{
	if (x86_claim_again(&x86_pmu_cpu, claim))
		return 1;
	return x86_claim(&x86_pmu_cpu, claim);
}

static void layer_set(int counter, u64 value)
{
	x86_write_counter(&x86_pmu_cpu, counter, value);
}

static void layer_run(const struct x86_claim *claim)
{
	x86_claim_run(&x86_pmu_cpu, claim);
}

static void layer_leave(const struct x86_claim *claim)
{
	x86_claim_leave(&x86_pmu_cpu, claim);
}

/* Other things run on the CPU in between, unless a test says that nothing does. */
static bool handed_over;
static u32 kept[X86_COUNTERS_MAX];

static void layer_keep(int counter, u32 value)
{
	kept[counter] = value;
}

static bool layer_kept(const struct x86_claim *claim)
{
	return handed_over;
}

static u32 layer_kept_value(int counter)
{
	return kept[counter];
}

static bool layer_readable(void)
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

static void start_machine(const struct x86_bank *bank, u64 seed, u64 max_period)
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
static int open_event(struct counted *c, const struct perf_event_attr *attr)
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

static struct perf_event_attr random_attr(void)
{
	static const u8 codes[] = {
		0xc0, 0x3c, ANY_CODE, LIMITED_CODE, EXTRA_CODE, TWIN_CODE, MACHINE_PAIR_CODE,
		NODE_CODE, LEAK_CODE,
	};
	struct perf_event_attr attr = { .config = codes[machine_random(ARRAY_SIZE(codes))] };

	if (!row->merge &&
	    (attr.config == NODE_CODE || attr.config == MACHINE_PAIR_CODE))
		attr.config = LEAK_CODE;
	if (attr.config == EXTRA_CODE || attr.config == TWIN_CODE)
		attr.config1 = 1 + machine_random(3);
	attr.exclude_kernel = machine_random(3) > 0;
	attr.exclude_user = !attr.exclude_kernel && machine_random(3) == 0;
	if (machine_random(2))
		attr.sample_period = 100 + machine_random(machine_random(2) ? 400 : 20000);
	if (core.precise.levels && attr.sample_period && machine_random(2) &&
	    (attr.config == ANY_CODE || attr.config == LIMITED_CODE))
		attr.precise_ip = 1 + machine_random(2);
	attr.pinned = machine_random(5) == 0;
	/* A call chain is not in the record. */
	if (attr.precise_ip && machine_random(3) == 0)
		attr.sample_type = PERF_SAMPLE_CALLCHAIN;
	return attr;
}

/* Did it count right, and overflow as often as it should? */
static bool is_right(const struct counted *c)
{
	const struct perf_event *event = &c->event;
	u64 count = local64_read(&event->count), period = event->attr.sample_period;

	if (count < c->lo || count > c->hi) {
		printf("# code %#llx counted %llu, and should have %llu to %llu\n",
		       (unsigned long long)event->attr.config, (unsigned long long)count,
		       (unsigned long long)c->lo, (unsigned long long)c->hi);
		return false;
	}
	if (!period)
		return c->samples == 0;
	if (event->attr.exclude_kernel ? c->samples == count / period :
	    c->samples <= count / period + 1)
		return true;
	printf("# code %#llx overflowed %llu times in %llu, with a period of %llu\n",
	       (unsigned long long)event->attr.config, (unsigned long long)c->samples,
	       (unsigned long long)count, (unsigned long long)period);
	return false;
}

/* An event that samples has an overflow before it, or its interrupt. */
static bool will_overflow(const struct counted *c, int counter)
{
	if (x86_counter_is_fixed(counter))
		counter += MACHINE_GENERAL - INTEL_PMC_IDX_FIXED;
	return !c->event.attr.sample_period || c->event.attr.precise_ip || machine.pending ||
	       (s32)machine.counter[counter] < 0;
}

/* A running event has a counter that counts it, and the register beside the select. */
static bool is_set_up(const struct counted *c)
{
	const struct x86_count *count = x86_event_count(&c->event);
	u64 code;

	if (!c->on)
		return true;
	if (!count || count->counter < 0)
		return false;
	if (!c->running)
		return true;
	if (!will_overflow(c, count->counter))
		return false;
	if (!count->extra)
		return true;
	code = machine.select[count->counter] & ARCH_PERFMON_EVENTSEL_EVENT;
	return machine.extra[code == TWIN_CODE] == c->event.attr.config1;
}

/* A program that reads the counter as the page says finds what the event has counted. */
static bool is_page_right(const struct counted *c)
{
	const struct x86_count *count = x86_event_count(&c->event);
	u64 value, lo, hi;
	int counter;

	/* The CPU reloads the counter by itself. */
	if (!c->on || !c->running || count->reload)
		return true;
	lo = c->lo + truth_lo(c, now()) - c->begun;
	hi = c->hi + truth(c, now()) - c->begun_hi;
	counter = counter_of(c->page_index - 1);
	if (x86_counter_is_fixed(counter))
		counter += MACHINE_GENERAL - INTEL_PMC_IDX_FIXED;
	value = c->page_index ? machine.counter[counter] : 0;
	/* The counter's value is signed. */
	value = (s64)(value << (64 - MACHINE_WIDTH)) >> (64 - MACHINE_WIDTH);
	value += c->page_offset;
	if (c->page_index && value >= lo && value <= hi)
		return true;
	printf("# code %#llx: page's index %u and count %llu, which should be %llu to %llu\n",
	       (unsigned long long)c->event.attr.config, c->page_index, (unsigned long long)value,
	       (unsigned long long)lo, (unsigned long long)hi);
	return false;
}

/* Events of the node are where this CPU stands for them, and the other one does not. */
static bool is_node_right(void)
{
	u64 mine = 0;
	int i;

	for (i = 0; i < MACHINE_GENERAL; i++) {
		if ((machine.select[i] & ARCH_PERFMON_EVENTSEL_EVENT) == NODE_CODE)
			mine |= BIT_ULL(i);
	}
	if (!(mine & other_cpu) &&
	    atomic64_read(&x86_pmu_cpu.first_node.taken) == (s64)(mine | other_cpu))
		return true;
	printf("# counters %#llx count the node's, %#llx are taken, %#llx by another CPU\n",
	       (unsigned long long)mine,
	       (unsigned long long)atomic64_read(&x86_pmu_cpu.first_node.taken),
	       (unsigned long long)other_cpu);
	return false;
}

/* Are these at most half of the general counters? */
static bool is_half(u64 counters)
{
	return hweight64(counters & X86_GENERAL(MACHINE_GENERAL)) <= MACHINE_GENERAL / 2;
}

/* No counter that runs has the number of one that the other thread spoils, or is to have alone. */
static bool is_thread_right(void)
{
	const struct x86_thread *mine = &x86_pmu_cpu.first_threads.thread[0];
	const struct x86_thread *other = &x86_pmu_cpu.first_threads.thread[1];
	u64 runs = machine.control & X86_GENERAL(MACHINE_GENERAL), leaks = 0;
	int i;

	if (!x86_pmu_cpu.threads)
		return true;
	for (i = 0; i < MACHINE_GENERAL; i++) {
		if ((machine.select[i] & ARCH_PERFMON_EVENTSEL_EVENT) == LEAK_CODE)
			leaks |= runs & BIT_ULL(i);
	}
	if (!(runs & other->leaks) && !(leaks & other->used) &&
	    !(runs & ~mine->used) && !(leaks & ~mine->leaks) &&
	    (!leaks || !other->online || is_half(x86_pmu_cpu.wanted)))
		return true;
	printf("# counters %#llx run, %#llx of them spoil; the other thread: %#llx, %#llx\n",
	       (unsigned long long)runs, (unsigned long long)leaks,
	       (unsigned long long)other->used, (unsigned long long)other->leaks);
	return false;
}

static bool all_right(void)
{
	int i;

	if (!is_node_right() || !is_thread_right())
		return false;
	if (machine.left) {
		printf("# %lu overflows were not acknowledged\n", machine.left);
		return false;
	}
	for (i = 0; i < EVENTS; i++) {
		if (counted[i].on && !is_set_up(&counted[i])) {
			printf("# event %d is not set up\n", i);
			return false;
		}
		if (!is_page_right(&counted[i]))
			return false;
		if (!counted[i].on && counted[i].event.pmu && !is_right(&counted[i]))
			return false;
	}
	if (machine.unknown)
		printf("# %lu interrupts were nobody's\n", machine.unknown);
	if (machine.swallowed)
		printf("# %lu interrupts were another device's\n", machine.swallowed);
	return !machine.unknown && !machine.swallowed && !harness_warned;
}

/* Changes, as the core makes them */

static void remove_event(struct counted *c, struct section before)
{
	bool was_running = c->running;

	core.pmu.del(&c->event, 0);
	c->on = false;
	/* Its own interrupt may have stopped it before. */
	if (was_running && c->running)
		has_ended(c, before);
}

/* Add events of @mask as a group; those that have been added wait in @added for the end. */
static void add_group(u64 mask, u64 *added, struct section before)
{
	u64 done = 0;
	int i, err = 0;

	core.pmu.start_txn(&core.pmu, PERF_PMU_TXN_ADD);
	for (i = 0; i < EVENTS && !err; i++) {
		if (!(mask & BIT_ULL(i)))
			continue;
		err = core.pmu.add(&counted[i].event, PERF_EF_START);
		if (!err)
			done |= BIT_ULL(i);
	}
	if (!err)
		err = core.pmu.commit_txn(&core.pmu);
	if (err) {
		for (i = 0; i < EVENTS; i++) {
			if (!(done & BIT_ULL(i)))
				continue;
			core.pmu.del(&counted[i].event, 0);
			/* It may have shared a counter that counts the kernel. */
			counted[i].hi += truth(&counted[i], now()) - truth(&counted[i], before);
		}
		core.pmu.cancel_txn(&core.pmu);
		return;
	}
	*added |= done;
}

/* Events that are on, but count only when the PMU is enabled: @since was before they were added. */
static u64 coming;
static struct section since;

static void have_come(void)
{
	int i;

	for (i = 0; i < EVENTS; i++) {
		if (!(coming & BIT_ULL(i)))
			continue;
		counted[i].on = true;
		has_begun(&counted[i], since);
	}
	coming = 0;
}

static void thread_switches(void);

/* The core does at any time on this CPU. */
static void write_pages(void)
{
	int i;

	for (i = 0; i < EVENTS; i++) {
		if (x86_event_count(&counted[i].event))
			perf_event_update_userpage(&counted[i].event);
	}
}

/*
 * Take some events off and put others on, as at a task switch. Threads may be switched in the
 * middle of it: the PMU stays disabled meanwhile, and events of a cgroup are on already.
 */
static void change_events(void)
{
	struct section before = now();
	u64 off = 0;
	int i;

	perf_pmu_disable(&core.pmu);
	since = before;
	for (i = 0; i < EVENTS; i++) {
		if (counted[i].on && machine_random(2))
			remove_event(&counted[i], before);
		else if (!counted[i].on && counted[i].event.pmu)
			off |= BIT_ULL(i);
	}
	/* The next task is of another process that may read counters. */
	if (!machine_random(4))
		x86_clear_unused(&x86_pmu_cpu);
	while (off) {
		u64 group = off & (machine_random(BIT_ULL(EVENTS)) | (off & -off));

		if (!machine_random(6))
			thread_switches();
		/* Some may be on again since the thread was switched. */
		add_group(group & ~coming, &coming, before);
		off &= ~group;
		if (machine_random(2))
			write_pages();
		if (!machine_random(3))
			break;
	}
	if (!machine_random(4))
		thread_switches();
	perf_pmu_enable(&core.pmu);
	for (i = 0; i < EVENTS; i++) {
		if ((coming & BIT_ULL(i)) && counted[i].event.attr.exclude_kernel &&
		    !machine_random(4))
			counted[i].stop_at = counted[i].samples + 1 + machine_random(3);
	}
	have_come();
}

static void stop_or_start(struct counted *c)
{
	struct section before = now();

	if (!c->on)
		return;
	if (c->running) {
		core.pmu.stop(&c->event, PERF_EF_UPDATE);
		has_ended(c, before);
	} else {
		core.pmu.start(&c->event, 0);
		has_begun(c, before);
	}
}

static void read_event(struct counted *c)
{
	if (c->on)
		core.pmu.read(&c->event);
}

static void reopen_event(struct counted *c)
{
	struct perf_event_attr attr = random_attr();

	if (c->on)
		return;
	waiting &= ~BIT_ULL(c - counted);
	if (open_event(c, &attr))
		*c = (struct counted){ };
}

/* The other CPU takes a counter, or gives it back. */
static void change_other_cpu(void)
{
	s64 taken = atomic64_read(&x86_pmu_cpu.first_node.taken);
	u64 bit = BIT_ULL(machine_random(MACHINE_GENERAL));

	if (taken & ~other_cpu & bit)
		return;
	other_cpu ^= bit;
	atomic64_try_cmpxchg(&x86_pmu_cpu.first_node.taken, &taken, taken ^ bit);
}

/* The core's other thread begins to use a counter, perhaps with an event that spoils, or ends. */
static void change_other_thread(void)
{
	struct x86_threads *threads = x86_pmu_cpu.threads;
	u64 bit = BIT_ULL(machine_random(MACHINE_GENERAL));

	if (!threads)
		return;
	if (threads->thread[1].used & bit) {
		threads->thread[1].used &= ~bit;
		threads->thread[1].leaks &= ~bit;
	} else if (!(threads->thread[0].leaks & bit)) {
		threads->thread[1].used |= bit;
		if (!(threads->thread[0].used & bit) && machine_random(2))
			threads->thread[1].leaks |= bit;
	}
}

/* A claim of counters is no reason for the core's other thread to wait. */
static bool other_thread_runs;

/* Flexible events are taken off, and added again if they fit. */
void perf_pmu_resched_flexible(struct pmu *pmu)
{
	bool in_switch = pmu->disabled;
	struct section before = now();
	u64 back = 0, kept = 0;
	int i;

	perf_pmu_disable(&core.pmu);
	if (!in_switch)
		since = before;
	for (i = 0; i < EVENTS; i++) {
		struct counted *c = &counted[i];

		if (c->event.attr.pinned) {
			kept |= coming & BIT_ULL(i);
		} else if (coming & BIT_ULL(i)) {
			core.pmu.del(&c->event, 0);
			c->hi += truth(c, now()) - truth(c, since);
			back |= BIT_ULL(i);
		} else if (c->on) {
			remove_event(c, before);
			back |= BIT_ULL(i);
		} else if (waiting & BIT_ULL(i)) {
			back |= BIT_ULL(i);
		}
	}
	coming = kept;
	for (i = 0; i < EVENTS; i++) {
		if (other_thread_runs)
			change_other_thread();
		if (back & BIT_ULL(i))
			add_group(BIT_ULL(i), &coming, since);
	}
	waiting = back & ~coming;
	perf_pmu_enable(&core.pmu);
	if (!in_switch)
		have_come();
}

static void thread_runs(void)
{
	if (!thread.has_control || thread.running || perfctr_state_resume(&layer, &thread.state))
		return;
	thread.running = true;
	thread.begun = machine.user;
}

static void thread_stops(void)
{
	if (!thread.running)
		return;
	perfctr_state_suspend(&layer, &thread.state);
	if (x86_pmu_cpu.evicted)
		x86_claim_return(&x86_pmu_cpu);
	thread.running = false;
	thread.counts += (thread.overflowed ? thread.until : machine.user) - thread.begun;
	thread.overflowed = false;
}

/* New counters of the thread: any, of any number. */
static void thread_begins(void)
{
	struct perfctr_cpu_control *control = &thread.state.control;
	struct x86_claim *claim = &thread.state.claim;
	static u64 last_id;
	u64 left;
	u32 i;

	thread_stops();
	thread = (struct thread){ .has_control = true, .state.claim.id = ++last_id };
	control->tsc_on = 1;
	for (left = core.counters; left && machine_random(4); left &= left - 1) {
		int counter = __ffs64(left);

		if (machine_random(2))
			continue;
		claim->counters |= BIT_ULL(counter);
		claim->counter[claim->n] = counter;
		control->pmc_map[claim->n] = x86_rdpmc_index(counter);
		claim->config[claim->n++] = ANY_CODE | ARCH_PERFMON_EVENTSEL_USR;
	}
	control->nractrs = machine_random(2) ? claim->n : machine_random(claim->n + 1);
	control->nrictrs = claim->n - control->nractrs;
	for (i = control->nractrs; i < claim->n; i++) {
		control->ireset[i] = -100 - (s32)machine_random(3000);
		claim->config[i] |= ARCH_PERFMON_EVENTSEL_INT;
		claim->ints |= BIT_ULL(claim->counter[i]);
	}
	perfctr_state_begin(&thread.state);
}

/* The interrupt, or the next switch, finds out what has overflowed. */
static void thread_goes_on(void)
{
	bool running = thread.running;

	thread_stops();
	if (perfctr_state_identify(&thread.state))
		thread.state.k1 |= PERFCTR_RELOAD;
	/* Between threads of two processes of which the second may read counters. */
	if (!machine_random(3))
		x86_clear_unused(&x86_pmu_cpu);
	handed_over = true;
	if (running)
		thread_runs();
	handed_over = false;
}

static void thread_switches(void)
{
	thread_goes_on();
	if (machine_random(2))
		thread_stops();
	else
		thread_runs();
}

static bool thread_is_right(void)
{
	const struct perfctr_cpu_state *state = &thread.state;
	u32 i;

	if (thread.running)
		return true;
	for (i = 0; i < state->claim.n; i++) {
		if (state->pmc[i].sum == thread.counts)
			continue;
		printf("# the thread's counter %u, number %d, counted %llu of %llu\n", i,
		       state->claim.counter[i], (unsigned long long)state->pmc[i].sum,
		       (unsigned long long)thread.counts);
		return false;
	}
	return true;
}

static void thread_step(void)
{
	switch (machine_random(6)) {
	case 0:
		thread_begins();
		break;
	case 1:
		thread_stops();
		break;
	case 2:
		if (!thread.running || thread.overflowed)
			break;
		if (machine_random(2))
			perfctr_state_sample(&layer, &thread.state);
		else
			perfctr_state_readable(&layer, &thread.state);
		break;
	default:
		thread_goes_on();
		thread_runs();
	}
}

static bool step(void)
{
	struct counted *c = &counted[machine_random(EVENTS)];

	switch (machine_random(10)) {
	case 0:
	case 1:
		change_events();
		break;
	case 2:
		stop_or_start(c);
		break;
	case 3:
		read_event(c);
		break;
	case 4:
		reopen_event(c);
		break;
	case 5:
		change_other_cpu();
		change_other_thread();
		break;
	case 6:
		thread_step();
		break;
	case 7:
		x86_clear_unused(&x86_pmu_cpu);
		break;
	default:
		machine_run(machine_random(300));
	}
	return machine.lies || (all_right() && thread_is_right());
}

static bool run_random(const struct x86_bank *bank, double seconds)
{
	clock_t end = clock() + seconds * CLOCKS_PER_SEC;
	unsigned long steps = 0;
	u64 seed;
	int i;

	other_thread_runs = true;
	for (seed = 1; clock() < end; seed++) {
		start_machine(bank, seed, 4000);
		for (i = 0; i < 500; i++, steps++) {
			if (!step()) {
				printf("# seed %llu, step %d\n", (unsigned long long)seed, i);
				return false;
			}
		}
	}
	other_thread_runs = false;
	printf("# %lu steps\n", steps);
	return true;
}

/* An event of user space is on, and a claim of its counter is about to be made. */
static void claim_counter_of(struct counted *c, bool pinned)
{
	struct perf_event_attr attr = {
		.config = ANY_CODE, .exclude_kernel = true, .pinned = pinned,
	};
	struct section before = now();

	assert(!open_event(c, &attr));
	perf_pmu_disable(&core.pmu);
	assert(!core.pmu.add(&c->event, PERF_EF_START));
	perf_pmu_enable(&core.pmu);
	c->on = true;
	has_begun(c, before);
	thread = (struct thread){
		.has_control = true, .state.control.nractrs = 1, .state.claim.id = 1,
		.state.claim.n = 1,
	};
	thread.state.claim.counter[0] = x86_event_count(&c->event)->counter;
	thread.state.claim.config[0] = ANY_CODE | ARCH_PERFMON_EVENTSEL_USR;
	thread.state.claim.counters = BIT_ULL(thread.state.claim.counter[0]);
	perfctr_state_begin(&thread.state);
}

/*
 * An event that cannot do without the counter of a claim is on whenever there is none, but for the
 * rest of the jiffy if claims begin too often.
 */
static bool evicted_returns(void)
{
	struct counted *c = &counted[0];
	int i, back = 0;
	bool ok = true;

	start_machine(&with_control, 1, 4000);
	claim_counter_of(c, false);
	x86_pmu_cpu.threads->thread[1].leaks =
		X86_GENERAL(MACHINE_GENERAL) & ~thread.state.claim.counters;
	x86_pmu_cpu.threads->thread[1].used = x86_pmu_cpu.threads->thread[1].leaks;
	for (i = 0; i < 100; i++) {
		thread_runs();
		ok &= thread.running && !c->on;
		machine_run(10);
		thread_stops();
		back += c->on;
		machine_run(10);
		ok &= all_right() && thread_is_right();
	}
	ok &= back > 1 && back < 100;
	jiffies++;
	perf_pmu_resched_flexible(&core.pmu);
	thread_runs();
	ok &= thread.running && !c->on;
	thread_stops();
	ok &= c->on;
	remove_event(c, now());
	return ok && all_right() && !harness_warned;
}

/*
 * Where the core's other thread spoils all other counters, a flexible event waits while another has
 * the counter that it can use, but a pinned event keeps it.
 */
static bool pinned_beside_thread(bool pinned)
{
	struct counted *c = &counted[0];
	struct x86_threads *threads;
	bool ok;

	start_machine(&with_control, 1, 4000);
	threads = x86_pmu_cpu.threads;
	claim_counter_of(c, pinned);
	threads->thread[1].leaks = X86_GENERAL(MACHINE_GENERAL) & ~threads->thread[0].used;
	threads->thread[1].used = threads->thread[1].leaks;
	thread_runs();
	ok = thread.running == !pinned && c->on == pinned && all_right();
	machine_run(100);
	thread_stops();
	ok &= c->on;
	/* One counter that is not spoilt is enough. */
	threads->thread[1].leaks &= threads->thread[1].leaks - 1;
	threads->thread[1].used = threads->thread[1].leaks;
	thread_runs();
	ok &= thread.running && c->on && all_right();
	machine_run(100);
	thread_stops();
	if (c->on)
		remove_event(c, now());
	return ok && all_right() && !harness_warned;
}

/* Add events from @first on as a group. Return: whether they are on. */
static bool add_opened(int first, int n)
{
	struct section before = now();
	u64 added = 0;
	int i;

	perf_pmu_disable(&core.pmu);
	add_group((u64)GENMASK_ULL(n - 1, 0) << first, &added, before);
	perf_pmu_enable(&core.pmu);
	for (i = first; added && i < first + n; i++) {
		counted[i].on = true;
		has_begun(&counted[i], before);
	}
	return added;
}

/* The same with new events of user space */
static bool add_new(int first, int n, u32 code, bool pinned)
{
	int i;

	for (i = first; i < first + n; i++) {
		/* They differ, so that they do not share a counter. */
		struct perf_event_attr attr = {
			.config = code | i << 8, .exclude_kernel = true, .pinned = pinned,
		};

		assert(!open_event(&counted[i], &attr));
	}
	return add_opened(first, n);
}

static void remove_events(int first, int n)
{
	while (n--)
		remove_event(&counted[first + n], now());
}

/* While one thread's events spoil counters, each thread has at most half of the general ones. */
static bool half_beside_thread(void)
{
	struct perf_event_attr cycles = { .config = 0x3c };
	struct x86_thread *other;
	bool ok;

	/* There is no other thread. */
	start_machine(&with_control, 2, 4000);
	ok = add_new(0, 4, LEAK_CODE, false);
	remove_events(0, 4);

	start_machine(&with_control, 1, 4000);
	other = &x86_pmu_cpu.first_threads.thread[1];
	ok &= !add_new(0, 3, LEAK_CODE, false) && add_new(0, 4, ANY_CODE, false);
	remove_events(0, 4);
	ok &= add_new(0, 2, LEAK_CODE, false) && !add_new(2, 1, ANY_CODE, false);
	remove_events(0, 2);
	other->used = BIT_ULL(0);
	other->leaks = BIT_ULL(0);
	ok &= add_new(0, 2, ANY_CODE, false) && !add_new(2, 1, ANY_CODE, false);
	remove_events(0, 2);
	other->used = 0;
	other->leaks = 0;

	/* Cycles of one mode leave the fixed counter, so that those of the other move to it. */
	cycles.exclude_user = true;
	assert(!open_event(&counted[0], &cycles));
	cycles = (struct perf_event_attr){ .config = 0x3c, .exclude_kernel = true };
	assert(!open_event(&counted[1], &cycles));
	add_opened(0, 1);
	add_opened(1, 1);
	ok &= x86_counter_is_fixed(x86_event_count(&counted[0].event)->counter) &&
	      !x86_counter_is_fixed(x86_event_count(&counted[1].event)->counter);
	remove_events(0, 1);
	ok &= add_new(2, 2, LEAK_CODE, false) &&
	      x86_counter_is_fixed(x86_event_count(&counted[1].event)->counter);
	ok &= all_right();
	remove_events(1, 3);
	return ok && all_right() && !harness_warned;
}

/* A claim of all general counters stays beside flexible events, and ends for pinned ones. */
static bool gives_way(const struct x86_bank *bank, bool ints)
{
	bool ok;
	int i;

	start_machine(bank, 1, 4000);
	thread = (struct thread){ .has_control = true, .state.claim.n = MACHINE_GENERAL };
	thread.state.claim.id = 1;
	thread.state.control.tsc_on = 1;
	for (i = 0; i < MACHINE_GENERAL; i++) {
		thread.state.claim.counter[i] = i;
		thread.state.claim.config[i] = ANY_CODE | ARCH_PERFMON_EVENTSEL_USR;
		thread.state.claim.counters |= BIT_ULL(i);
		thread.state.control.ireset[i] = -1000000;
	}
	if (ints) {
		thread.state.claim.ints = thread.state.claim.counters;
		thread.state.control.nrictrs = MACHINE_GENERAL;
	} else {
		thread.state.control.nractrs = MACHINE_GENERAL;
	}
	perfctr_state_begin(&thread.state);
	thread_runs();
	machine_run(100);
	ok = thread.running && !add_new(0, 1, ANY_CODE, false) && thread.running;
	machine_run(100);
	/* Three that have two counters between them would not be on without it, either. */
	ok &= !add_new(0, 3, LIMITED_CODE, true) && thread.running;
	machine_run(100);
	ok &= add_new(3, 1, LIMITED_CODE, true) && !thread.running;
	ok &= thread.state.cstatus == perfctr_mk_cstatus(1, 0, 0);
	machine_run(100);
	ok &= thread_is_right() && all_right();
	remove_event(&counted[3], now());
	return ok && all_right() && !harness_warned;
}

static bool run_beside(const struct x86_bank *bank, unsigned int what, double seconds)
{
	bool ok;

	beside = what;
	ok = run_random(bank, seconds);
	beside = 0;
	return ok;
}

/* On a PMU that lies nothing is counted right, but the driver goes on, and its NMIs end. */
static bool run_lying(const struct x86_bank *bank, double seconds)
{
	clock_t end = clock() + seconds * CLOCKS_PER_SEC;
	unsigned long steps = 0;
	u64 seed;
	int i;

	for (seed = 1; clock() < end; seed++) {
		start_machine(bank, seed, 4000);
		machine.lies = 1 + seed % 7;
		for (i = 0; i < 500; i++, steps++)
			step();
	}
	printf("# %lu steps\n", steps);
	return true;
}

/*
 * Accesses. Counts of user space alone are looked at: those of the kernel are halted in the
 * interrupt, and read once more when they change hands.
 */

#define N	4

static void open_modes(int first, const u8 *codes, u64 period, bool kernel)
{
	int i;

	for (i = 0; i < N; i++) {
		struct perf_event_attr attr = {
			.config = codes[i], .exclude_kernel = !kernel, .sample_period = period,
		};

		assert(!open_event(&counted[first + i], &attr));
	}
}

static void open_user(int first, const u8 *codes, u64 period)
{
	open_modes(first, codes, period, false);
}

/* Let events from @in on have the counters, and those from @out on leave; -1: none. */
static void switch_events(int out, int in)
{
	u64 added = 0;
	int i;

	perf_pmu_disable(&core.pmu);
	for (i = 0; out >= 0 && i < N; i++)
		core.pmu.del(&counted[out + i].event, 0);
	if (in >= 0)
		add_group((u64)GENMASK_ULL(N - 1, 0) << in, &added, now());
	perf_pmu_enable(&core.pmu);
}

static void forget_accesses(void)
{
	machine_run(100);
	machine.reads = 0;
	machine.reads_msr = 0;
	machine.writes = 0;
	machine.writes_control = 0;
}

/* Were there no more accesses since then? @control: of those, to the common register. */
static bool accesses(const char *what, unsigned long reads, unsigned long writes,
		     unsigned long control)
{
	printf("# %s: %lu reads, %lu writes, %lu of them of control\n", what,
	       machine.reads + machine.reads_msr, machine.writes, machine.writes_control);
	return machine.reads + machine.reads_msr <= reads && machine.writes <= writes &&
	       machine.writes_control <= control;
}

static bool switches(void)
{
	bool ok = true;

	switch_events(-1, 0);
	forget_accesses();
	switch_events(0, 4);
	ok &= accesses("switch to the same events", N, 0, 0);
	forget_accesses();
	switch_events(4, -1);
	ok &= accesses("switch to none", N, 1, 1);
	forget_accesses();
	switch_events(-1, 0);
	ok &= accesses("switch from none to those that have been there", N, 1, 1);
	switch_events(0, -1);
	return ok;
}

static bool other_events(const u8 *codes)
{
	bool ok;

	open_user(4, codes, 0);
	switch_events(-1, 0);
	forget_accesses();
	switch_events(0, 4);
	ok = accesses("switch to other events", N, N, 0);
	switch_events(4, -1);
	return ok;
}

static bool single_event(void)
{
	bool ok;

	switch_events(-1, 0);
	forget_accesses();
	core.pmu.read(&counted[0].event);
	ok = accesses("read", 1, 0, 0);
	forget_accesses();
	perf_pmu_disable(&core.pmu);
	core.pmu.del(&counted[0].event, 0);
	perf_pmu_enable(&core.pmu);
	ok &= accesses("disable", N, 1, 1);
	forget_accesses();
	perf_pmu_disable(&core.pmu);
	core.pmu.add(&counted[0].event, PERF_EF_START);
	perf_pmu_enable(&core.pmu);
	ok &= accesses("enable", N, 1, 1);
	switch_events(0, -1);
	return ok;
}

static bool overflow(const u8 *codes)
{
	u64 samples;

	open_user(0, codes, 1000);
	perf_pmu_disable(&core.pmu);
	core.pmu.add(&counted[0].event, PERF_EF_START);
	perf_pmu_enable(&core.pmu);
	forget_accesses();
	samples = counted[0].samples;
	while (counted[0].samples == samples)
		machine_run(1);
	return accesses("overflow", 3, 2, 0);
}

/*
 * Precise samples: each with its interrupt, and then a buffer full of them, whose interrupts
 * are few. The counter is never written, nor read but once an interrupt.
 */
static bool records(void)
{
	struct perf_event_attr attr = {
		.config = ANY_CODE, .exclude_kernel = true, .sample_period = 100,
		.precise_ip = 2, .sample_type = PERF_SAMPLE_CALLCHAIN,
	};
	struct counted *c = &counted[0];
	u64 samples;
	bool ok;

	if (!core.precise.levels)
		return true;
	perf_pmu_disable(&core.pmu);
	core.pmu.del(&c->event, 0);
	assert(!open_event(c, &attr));
	core.pmu.add(&c->event, PERF_EF_START);
	perf_pmu_enable(&core.pmu);
	forget_accesses();
	samples = c->samples;
	while (c->samples == samples)
		machine_run(1);
	ok = accesses("precise sample", 1, 1, 0);
	perf_pmu_disable(&core.pmu);
	core.pmu.del(&c->event, 0);
	attr.sample_type = 0;
	assert(!open_event(c, &attr));
	core.pmu.add(&c->event, PERF_EF_START);
	perf_pmu_enable(&core.pmu);
	forget_accesses();
	while (c->samples < 100)
		machine_run(1);
	ok &= accesses("buffer of precise samples", 1, 1, 0);
	printf("# samples of an interrupt: %llu\n", (unsigned long long)c->samples);
	perf_pmu_disable(&core.pmu);
	core.pmu.del(&c->event, 0);
	perf_pmu_enable(&core.pmu);
	return ok;
}

/* A perfctr of four counters: suspended and resumed, then another one's. */
static bool claims(const struct x86_bank *bank)
{
	bool ok;
	int i;

	start_machine(bank, 1, GENMASK_ULL(30, 0));
	thread.has_control = true;
	thread.state.control.nractrs = N;
	for (i = 0; i < N; i++) {
		thread.state.claim.counters |= BIT_ULL(i);
		thread.state.claim.counter[i] = i;
		thread.state.claim.config[i] = (0x20 + i) | ARCH_PERFMON_EVENTSEL_USR;
	}
	thread.state.claim.n = N;
	perfctr_state_begin(&thread.state);
	thread_runs();
	forget_accesses();
	thread_stops();
	handed_over = true;
	thread_runs();
	handed_over = false;
	ok = accesses("perfctr, suspend and resume", N, 0, 0);
	thread_stops();
	forget_accesses();
	x86_clear_kernel(&x86_pmu_cpu);
	ok &= accesses("perfctr of user mode, left in a kernel thread", 0, 0, 0);
	thread_runs();
	thread_stops();
	for (i = 0; i < N; i++)
		thread.state.claim.config[i] += 0x10;
	forget_accesses();
	/* The program cannot read counters, or each is written once more. */
	user_reads = false;
	thread_runs();
	user_reads = true;
	ok &= accesses("perfctr, resume of another control", N, N, 0);
	thread_stops();
	return ok && !harness_warned;
}

static bool within_bounds(const struct x86_bank *bank)
{
	static const u8 some[] = { 0x20, 0x21, 0x22, 0x23 }, others[] = { 0x30, 0x31, 0x32, 0x33 };
	bool ok;

	start_machine(bank, 1, GENMASK_ULL(30, 0));
	open_user(0, some, 0);
	open_user(4, some, 0);
	ok = switches();
	ok &= other_events(others);
	ok &= single_event();
	ok &= overflow(some);
	ok &= records();
	return claims(bank) && ok;
}

/*
 * RDPMC must not leak counts of other users. Another user's events, or perfctr, count for a short
 * or a long time. Then a program reads all counters, the pages of its events and its perfctr: it
 * must read the same both times.
 */

/* Events of the other user are the first N, and those of the program the next. */
#define OTHERS	0
#define OWN	N

/**
 * struct told - all that the program can read
 * @counter: by RDPMC
 * @shares: of the slots
 * @index: of its events' pages
 * @offset: the same
 * @count: of its events
 * @start: of its perfctr's page
 * @sum: the same
 */
struct told {
	u64	counter[MACHINE_GENERAL + MACHINE_FIXED];
	u64	shares;
	u32	index[N];
	u64	offset[N];
	u64	count[N];
	u32	start[N];
	u64	sum[N];
};

static void run_user(u64 steps)
{
	machine_take_interrupt();
	machine.in_driver = false;
	machine.kernel = false;
	while (steps--)
		machine_step();
	machine.in_driver = true;
	machine.kernel = true;
}

/* CR4.PCE is switched on, for another program or for the one that runs. */
static void allow_reads(void)
{
	x86_pmu_cpu.opening = true;
	x86_clear_unused(&x86_pmu_cpu);
	x86_pmu_cpu.opening = false;
	user_reads = true;
	if (thread.running)
		perfctr_state_readable(&layer, &thread.state);
}

/* A kernel thread comes in between, and keeps the address space. */
static void run_kernel_thread(u64 steps)
{
	machine.in_driver = false;
	while (steps--)
		machine_step();
	machine.in_driver = true;
	x86_clear_kernel(&x86_pmu_cpu);
}

/*
 * N counters from @first on, which count in @modes; @ireset: where they begin if they interrupt,
 * or 0
 */
static void claim_counters(int id, int first, int n, u64 modes, s32 ireset)
{
	u64 ints = ireset ? ARCH_PERFMON_EVENTSEL_INT : 0;
	struct x86_claim *claim = &thread.state.claim;
	int i;

	thread = (struct thread){ .has_control = true };
	thread.state.control.nractrs = ireset ? 0 : n;
	thread.state.control.nrictrs = ireset ? n : 0;
	claim->id = id;
	for (i = 0; i < n; i++) {
		claim->counters |= BIT_ULL(first + i);
		claim->counter[i] = first + i;
		claim->config[i] = ANY_CODE | modes | ints;
		thread.state.control.pmc_map[i] = x86_rdpmc_index(first + i);
		thread.state.control.ireset[i] = ireset;
	}
	claim->ints = ireset ? claim->counters : 0;
	claim->n = n;
	perfctr_state_begin(&thread.state);
}

static void claim_all(int id)
{
	claim_counters(id, 0, N, ARCH_PERFMON_EVENTSEL_USR, 0);
}

/* Fixed counters, or where there are none as many general ones */
static void claim_fixed(int id)
{
	claim_counters(id, core.bank->fixed ? INTEL_PMC_IDX_FIXED : 0, MACHINE_FIXED,
		       ARCH_PERFMON_EVENTSEL_USR, 0);
}

static void claim_ints(int id)
{
	claim_counters(id, 0, N, ARCH_PERFMON_EVENTSEL_USR, -1000000);
}

static const u8 their_codes[] = { 0x20, 0x21, 0x22, 0x23 };
static const u8 other_codes[] = { 0x30, 0x31, 0x32, 0x33 };
static const u8 fixed_codes[] = { 0xc0, 0x3c, 0x20, 0x21 };
static const u8 pair_codes[] = {
	MACHINE_PAIR_CODE, MACHINE_PAIR_CODE, MACHINE_PAIR_CODE, MACHINE_PAIR_CODE
};

/* The thread runs for a while, and counts. */
static void run_thread(u64 steps)
{
	thread_runs();
	assert(thread.running);
	run_user(steps);
	thread_stops();
}

/* A guest runs, as KVM enters it. */
static void run_guest(u64 steps)
{
	struct perf_guest_switch_msr *msrs;
	int i, nr;

	msrs = perf_guest_get_msrs(&nr, NULL);
	for (i = 0; i < nr; i++)
		*machine_register(msrs[i].msr, false) = msrs[i].guest;
	run_user(steps);
	for (i = 0; i < nr; i++)
		*machine_register(msrs[i].msr, false) = msrs[i].host;
}

/* Pinned events of others that stay have all general counters. */
static void pin_others(void)
{
	int i;

	for (i = 0; i < N; i++)
		counted[OTHERS + i].event.attr.pinned = true;
	switch_events(-1, OTHERS);
}

/*
 * The CPU switches from the thread, which may run, to another one, in an address space that may
 * read counters. The address space is switched first.
 */
static void switch_to_reader(const struct thread *next)
{
	bool running = thread.running;

	x86_pmu_cpu.opening = true;
	x86_clear_unused(&x86_pmu_cpu);
	x86_pmu_cpu.opening = false;
	user_reads = true;
	if (running) {
		thread_stops();
		/* perfctr_cpu_hide() */
		x86_clear_unused(&x86_pmu_cpu);
	}
	handed_over = running;
	thread = *next;
	thread_runs();
	handed_over = false;
}

/* The program's events had the counters after those of others, before it could read any. */
static void mapped_later(u64 secret)
{
	open_user(OWN, other_codes, 0);
	switch_events(-1, OTHERS);
	run_user(secret);
	switch_events(OTHERS, OWN);
	run_user(100);
	allow_reads();
}

/* Its events are the same as those of the others. */
static void same_counts(u64 secret)
{
	open_user(OWN, their_codes, 0);
	switch_events(-1, OTHERS);
	run_user(secret);
	switch_events(OTHERS, OWN);
	run_user(100);
	allow_reads();
}

/* Those of others stay, as they count all that runs on the CPU. */
static void events_stay(u64 secret)
{
	switch_events(-1, OTHERS);
	run_user(secret);
	allow_reads();
}

static void events_stay_and_are_shared(u64 secret)
{
	open_user(OWN, their_codes, 0);
	switch_events(-1, OTHERS);
	run_user(secret);
	allow_reads();
	switch_events(-1, OWN);
}

/* It cannot read counters: its pages do not say what is in them, either. */
static void page_alone(u64 secret)
{
	open_user(OWN, their_codes, 0);
	switch_events(-1, OTHERS);
	run_user(secret);
	switch_events(OTHERS, OWN);
}

static void page_of_other_event(u64 secret)
{
	open_user(OWN, other_codes, 0);
	switch_events(-1, OTHERS);
	run_user(secret);
	switch_events(OTHERS, OWN);
}

/* The counters of a perfctr run on when its thread does not. */
static void perfctr_left(u64 secret)
{
	claim_all(1);
	thread_runs();
	run_user(secret);
	thread_stops();
	run_user(secret);
	allow_reads();
	/* All counters are halted or cleared now. */
}

/* The program's perfctr had them again before it could read any. */
static void perfctr_mapped_later(u64 secret)
{
	claim_all(1);
	thread_runs();
	run_user(100);
	thread_stops();
	run_user(secret);
	thread_runs();
	run_user(100);
	allow_reads();
}

/* It could read them before, and others gave way. */
static void perfctr_takes(u64 secret)
{
	int i;

	switch_events(-1, OTHERS);
	for (i = 0; i < N; i++)
		counted[OTHERS + i].on = true;
	allow_reads();
	run_user(secret);
	claim_all(1);
	thread_runs();
}

/* Events of a whole CPU count kernel threads, too. */
static void events_in_kernel_thread(u64 secret)
{
	open_modes(OTHERS, their_codes, 0, true);
	switch_events(-1, OTHERS);
	allow_reads();
	run_user(100);
	run_kernel_thread(secret);
}

/* So does a perfctr of the program, which runs on in them, or of another thread of it. */
static void perfctr_in_kernel_thread(u64 secret)
{
	claim_counters(1, 0, N, ARCH_PERFMON_EVENTSEL_USR | ARCH_PERFMON_EVENTSEL_OS, 0);
	allow_reads();
	thread_runs();
	run_user(100);
	thread_stops();
	run_kernel_thread(secret);
}

static void perfctr_after_kernel_thread(u64 secret)
{
	perfctr_in_kernel_thread(secret);
	thread_runs();
}

/* Counters that fixed and paired counts of others have used */
static void fixed_counters(u64 secret)
{
	open_user(OTHERS, fixed_codes, 0);
	open_user(OWN, fixed_codes, 0);
	switch_events(-1, OTHERS);
	run_user(secret);
	switch_events(OTHERS, OWN);
	allow_reads();
}

static void pairs(u64 secret)
{
	open_user(OTHERS, pair_codes, 0);
	switch_events(-1, OTHERS);
	run_user(secret);
	open_user(OWN, pair_codes, 0);
	switch_events(OTHERS, OWN);
	allow_reads();
}

/* Events that stay have all counters, and the program's events get none. */
static void no_counter_left(u64 secret)
{
	open_user(OWN, other_codes, 0);
	pin_others();
	run_user(secret);
	allow_reads();
	switch_events(-1, OWN);
}

/* The event of a virtual CPU counts the guest, and the guest sees the count. */
static void guest_has_event(u64 secret)
{
	struct perf_event_attr attr = {
		.config = other_codes[0], .exclude_kernel = true, .exclude_host = true,
	};
	u64 added = 0;

	switch_events(-1, OTHERS);
	run_user(secret);
	switch_events(OTHERS, -1);
	assert(!open_event(&counted[OWN], &attr));
	perf_pmu_disable(&core.pmu);
	add_group(BIT_ULL(OWN), &added, now());
	perf_pmu_enable(&core.pmu);
	assert(added);
	run_user(secret);
	run_guest(100);
	run_user(secret);
}

/* The thread's process does not read counters, and a process that was passed the file maps it. */
static void perfctr_page_alone(u64 secret)
{
	claim_all(1);
	run_thread(100);
	run_user(secret);
	thread_runs();
}

/* A guest runs in between, with what runs on. */
static void perfctr_before_guest(u64 secret)
{
	claim_all(1);
	run_thread(100);
	run_guest(secret);
	thread_runs();
}

static void perfctr_before_guest_and_mapped(u64 secret)
{
	claim_all(1);
	run_thread(100);
	run_guest(secret);
	allow_reads();
	thread_runs();
}

/* Fixed counters, and counters that interrupt */
static void perfctr_takes_fixed(u64 secret)
{
	open_user(OTHERS, fixed_codes, 0);
	switch_events(-1, OTHERS);
	run_user(secret);
	switch_events(OTHERS, -1);
	claim_fixed(1);
	thread_runs();
	allow_reads();
}

static void perfctr_interrupts(u64 secret)
{
	switch_events(-1, OTHERS);
	run_user(secret);
	switch_events(OTHERS, -1);
	claim_ints(1);
	/* Each stop shows the value that a counter continues from. */
	run_thread(100);
	thread_runs();
}

/* Pinned events of others have the counters, or take them. */
static void perfctr_refused(u64 secret)
{
	pin_others();
	run_user(secret);
	allow_reads();
	claim_all(1);
	thread_runs();
	assert(!thread.running);
}

static void perfctr_gave_way(u64 secret)
{
	claim_all(1);
	thread_runs();
	run_user(100);
	pin_others();
	assert(!thread.running);
	run_user(secret);
}

/* Others have claimed the same counters while the program's thread was on another CPU. */
static void perfctr_comes_back(u64 secret)
{
	struct thread own;

	claim_all(1);
	run_thread(100);
	own = thread;
	claim_all(2);
	run_thread(secret);
	thread = own;
	thread_runs();
}

static void perfctr_comes_back_and_reads(u64 secret)
{
	struct thread own;

	claim_all(1);
	run_thread(100);
	own = thread;
	claim_all(2);
	thread_runs();
	run_user(secret);
	switch_to_reader(&own);
}

/* A child has inherited the claim, and has other rights since; the next thread is the parent. */
static void perfctr_after_child(u64 secret)
{
	struct thread own;

	claim_all(1);
	run_thread(100);
	own = thread;
	claim_all(1);
	run_thread(secret);
	handed_over = true;
	thread = own;
	thread_runs();
	handed_over = false;
}

static void perfctr_after_child_and_reads(u64 secret)
{
	struct thread own;

	claim_all(1);
	run_thread(100);
	own = thread;
	claim_all(1);
	thread_runs();
	run_user(secret);
	switch_to_reader(&own);
}

/* An execve() has taken its object from the thread, which runs beside the counters since. */
static void perfctr_after_exec(u64 secret)
{
	struct thread own;

	claim_all(1);
	run_thread(100);
	own = thread;
	claim_all(1);
	run_thread(100);
	run_user(secret);
	thread = own;
	thread_runs();
}

static void perfctr_after_exec_and_reads(u64 secret)
{
	struct thread own;

	claim_all(1);
	run_thread(100);
	own = thread;
	claim_all(1);
	run_thread(100);
	run_user(secret);
	switch_to_reader(&own);
}

static void look(struct told *told)
{
	struct told all = { };
	int i;

	/* What the program does itself it may see. */
	run_user(100);
	if (thread.running)
		perfctr_state_sample(&layer, &thread.state);
	for (i = 0; i < N; i++) {
		const struct counted *c = &counted[OWN + i];

		all.index[i] = c->page_index;
		all.offset[i] = c->page_offset;
		all.start[i] = thread.state.pmc[i].start;
		all.sum[i] = thread.running ? thread.state.pmc[i].sum : 0;
	}
	if (user_reads) {
		memcpy(all.counter, machine.counter, sizeof(all.counter));
		all.shares = machine_shares();
	}
	for (i = 0; i < N && counted[OWN + i].event.pmu; i++) {
		core.pmu.read(&counted[OWN + i].event);
		all.count[i] = local64_read(&counted[OWN + i].event.count);
	}
	*told = all;
}

static const struct way {
	const char	*name;
	void		(*go)(u64 secret);
} ways[] = {
	{ "mapped later", mapped_later },
	{ "same counts", same_counts },
	{ "events stay", events_stay },
	{ "events stay and are shared", events_stay_and_are_shared },
	{ "page alone", page_alone },
	{ "page of another event", page_of_other_event },
	{ "perfctr has left", perfctr_left },
	{ "perfctr, mapped later", perfctr_mapped_later },
	{ "perfctr takes", perfctr_takes },
	{ "events in a kernel thread", events_in_kernel_thread },
	{ "perfctr in a kernel thread", perfctr_in_kernel_thread },
	{ "perfctr after a kernel thread", perfctr_after_kernel_thread },
	{ "fixed counters", fixed_counters },
	{ "pairs", pairs },
	{ "no counter left", no_counter_left },
	{ "guest has event", guest_has_event },
	{ "perfctr, page alone", perfctr_page_alone },
	{ "perfctr before guest", perfctr_before_guest },
	{ "perfctr before guest and mapped", perfctr_before_guest_and_mapped },
	{ "perfctr takes fixed counters", perfctr_takes_fixed },
	{ "perfctr interrupts", perfctr_interrupts },
	{ "perfctr refused", perfctr_refused },
	{ "perfctr gave way", perfctr_gave_way },
	{ "perfctr comes back", perfctr_comes_back },
	{ "perfctr comes back and reads", perfctr_comes_back_and_reads },
	{ "perfctr after child", perfctr_after_child },
	{ "perfctr after child and reads", perfctr_after_child_and_reads },
	{ "perfctr after exec", perfctr_after_exec },
	{ "perfctr after exec and reads", perfctr_after_exec_and_reads },
};

static bool tells_nothing(const struct x86_bank *bank)
{
	static const u64 secrets[] = { 1000, 5000 };
	struct told told[ARRAY_SIZE(secrets)];
	bool ok = true;
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		for (j = 0; j < ARRAY_SIZE(secrets); j++) {
			start_machine(bank, 1, GENMASK_ULL(30, 0));
			user_reads = false;
			open_user(OTHERS, their_codes, 0);
			ways[i].go(secrets[j]);
			look(&told[j]);
			user_reads = true;
		}
		if (!memcmp(&told[0], &told[1], sizeof(told[0])))
			continue;
		printf("# %s: for %llu and %llu\n", ways[i].name,
		       (unsigned long long)secrets[0], (unsigned long long)secrets[1]);
		for (j = 0; j < ARRAY_SIZE(secrets); j++)
			printf("# counter 0 tells %#llx, the page %u and %#llx, the start %#x\n",
			       (unsigned long long)told[j].counter[0], told[j].index[0],
			       (unsigned long long)told[j].offset[0], told[j].start[0]);
		ok = false;
	}
	return ok && !harness_warned;
}

/* Shares of the slots, which are told for the slots of events that come and go */

static const struct x86_limit slots_limits[] = {
	X86_LIMIT_UMASK(0x00, 0x04, X86_FIXED(2)),
	X86_LIMIT_END
};

static const struct x86_model slots_model = {
	.name = "slots", .limits = slots_limits, .config_mask = X86_RAW_EVENT_MASK,
	.metrics = MACHINE_SHARES,
};

static void open_slots(int i, u64 config, bool user)
{
	struct perf_event_attr attr = { .config = config, .exclude_kernel = user };
	struct counted *c = &counted[i];

	*c = (struct counted){ };
	c->event.attr = attr;
	c->event.attr.type = PERF_TYPE_RAW;
	c->event.pmu = &core.pmu;
	c->event.cpu = -1;
	c->event.group_leader = &counted[0].event;
	c->event.hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	assert(!x86_event_init(&c->event));
}

/*
 * Each share has counted what the machine did meanwhile, as exactly as bytes can tell: half a
 * 255th of each piece, of which there are @pieces, and what is lost by rounding down. How many
 * instructions of the driver were counted is not known exactly.
 */
static bool shares_are_right(const u64 *truth, unsigned long pieces, bool user)
{
	u64 slots = local64_read(&counted[0].event.count);
	int i;

	if (!is_right(&counted[0]))
		return false;
	for (i = 0; i < MACHINE_SHARES; i++) {
		s64 off = local64_read(&counted[1 + i].event.count) - truth[i];

		if (off < 0)
			off = -off;
		if (off <= (s64)(slots / 500 + (user ? 10 : 80) * pieces))
			continue;
		printf("# share %d is off by %lld of %llu slots in %lu pieces\n", i, (long long)off,
		       (unsigned long long)slots, pieces);
		return false;
	}
	return true;
}

static bool shares(bool user, u64 seed)
{
	u64 truth[MACHINE_SHARES] = { }, before;
	unsigned long pieces = 0;
	int i, j, n = 1 + MACHINE_SHARES;
	bool on = false;

	start_machine(&with_control, seed, 4000);
	core.metrics = core.model->metrics;
	open_slots(0, 0x0400, user);
	for (i = 0; i < MACHINE_SHARES; i++)
		open_slots(1 + i, 0x8000 + 0x100 * i, user);
	for (i = 0; i < 500; i++) {
		struct section at = now();

		machine.share = machine_random(MACHINE_SHARES);
		perf_pmu_disable(&core.pmu);
		if (on && machine_random(2)) {
			for (j = 0; j < n; j++)
				remove_event(&counted[j], at);
			on = false;
		} else if (!on) {
			u64 added = 0;

			add_group(GENMASK_ULL(n - 1, 0), &added, at);
			on = added == GENMASK_ULL(n - 1, 0);
			assert(on);
		}
		perf_pmu_enable(&core.pmu);
		for (j = 0; j < n && on; j++) {
			if (counted[j].on)
				continue;
			counted[j].on = true;
			has_begun(&counted[j], at);
		}
		before = user ? machine.user : machine.all;
		machine_run(machine_random(20) ? machine_random(3000) : 200000);
		if (on) {
			truth[machine.share] += (user ? machine.user : machine.all) - before;
			pieces++;
		}
		for (j = 0; j < n && on && machine_random(2); j++)
			core.pmu.read(&counted[j].event);
		if (!on && !shares_are_right(truth, pieces, user))
			return false;
	}
	return !harness_warned;
}

static bool shares_of_slots(void)
{
	u64 seed;

	row = &slots_model;
	for (seed = 1; seed < 20; seed++) {
		if (!shares(seed % 2, seed)) {
			printf("# seed %llu\n", (unsigned long long)seed);
			return false;
		}
	}
	return true;
}

/* Shares of others are gone when a program can read the register of the shares. */
static bool shares_tell_nothing(void)
{
	bool ok;

	row = &slots_model;
	start_machine(&with_control, 1, GENMASK_ULL(30, 0));
	core.metrics = core.model->metrics;
	open_slots(0, 0x0400, true);
	perf_pmu_disable(&core.pmu);
	core.pmu.add(&counted[0].event, PERF_EF_START);
	perf_pmu_enable(&core.pmu);
	run_user(1000);
	ok = machine_shares();
	perf_pmu_disable(&core.pmu);
	core.pmu.del(&counted[0].event, 0);
	perf_pmu_enable(&core.pmu);
	allow_reads();
	return ok && !machine_shares() && !harness_warned;
}

/* Vector registers are only where there is a record that has them. */
static bool vectors(void)
{
	struct perf_event_attr attr = { .config = ANY_CODE, .sample_period = 1000 };
	bool ok;

	row = &model;
	start_machine(&with_control, 1, 4000);
	attr.sample_regs_user = BIT_ULL(32);
	ok = open_event(&counted[0], &attr) == -EINVAL;
	attr.precise_ip = 2;
	ok &= open_event(&counted[0], &attr) == -EINVAL;
	attr.sample_regs_user = BIT_ULL(31);
	attr.sample_regs_intr = BIT_ULL(63);
	ok &= !open_event(&counted[0], &attr);
	attr.precise_ip = 0;
	ok &= open_event(&counted[0], &attr) == -EINVAL;
	attr.sample_regs_intr = BIT_ULL(31);
	return ok && !open_event(&counted[0], &attr);
}

/* Counters that another kernel has left running are taken, and stand still. */
static bool left_running(void)
{
	u64 all;
	int i;

	row = &model;
	start_machine(&with_control, 1, 4000);
	all = core.counters;
	for (i = 0; i < MACHINE_GENERAL; i++)
		machine.select[i] = ANY_CODE | ARCH_PERFMON_EVENTSEL_ENABLE;
	if (x86_check_registers(&core) || core.counters != all)
		return false;
	for (i = 0; i < MACHINE_GENERAL && !machine.select[i]; i++)
		;
	return i == MACHINE_GENERAL;
}

/* Registers beside the selects that a hypervisor lacks are not used, nor are their twins. */
static bool no_extra(void)
{
	struct perf_event_attr attr = { .config = EXTRA_CODE, .config1 = 1 };
	bool ok;

	row = &model;
	start_machine(&with_control, 1, 4000);
	x86_check_extra(&core);
	ok = !core.no_extra && !machine.extra[0] && !open_event(&counted[0], &attr);
	start_machine(&with_control, 1, 4000);
	machine.no_extra = true;
	x86_check_extra(&core);
	ok &= core.no_extra == 3 && open_event(&counted[0], &attr) == -ENXIO;
	attr.config = TWIN_CODE;
	ok &= open_event(&counted[0], &attr) == -ENXIO;
	attr.config = ANY_CODE;
	return ok && !open_event(&counted[0], &attr);
}

/* Interrupts. @any: of user space's instructions alone, but those of both threads of the core. */
static bool goes_on_sampling(const struct x86_bank *bank, bool any, u64 period)
{
	struct perf_event_attr attr = {
		.config = ANY_CODE, .exclude_kernel = any, .sample_period = period,
	};
	int i, n = any ? 1 : 2;
	u64 added = 0;

	start_machine(bank, 1, GENMASK_ULL(30, 0));
	core.config_mask |= ARCH_PERFMON_EVENTSEL_ANY;
	if (any)
		attr.config |= ARCH_PERFMON_EVENTSEL_ANY;
	/* Equal periods of different events: one is over while the other is served. */
	for (i = 0; i < n; i++) {
		assert(!open_event(&counted[i], &attr));
		attr.config = LIMITED_CODE;
	}
	perf_pmu_disable(&core.pmu);
	add_group(GENMASK_ULL(n - 1, 0), &added, now());
	perf_pmu_enable(&core.pmu);
	for (u64 steps = 0; steps < 500 * max(period, 50); steps++) {
		machine_run(1);
		for (i = 0; i < n; i++) {
			if (will_overflow(&counted[i], x86_event_count(&counted[i].event)->counter))
				continue;
			printf("# event %d has stopped after %llu samples\n", i,
			       (unsigned long long)counted[i].samples);
			return false;
		}
	}
	return counted[0].samples > 200 && !machine.unknown && !harness_warned;
}

static bool run_alone(void)
{
	struct perf_event_attr attr = { .config = ANY_CODE, .sample_period = 1000 };

	assert(!open_event(&counted[0], &attr));
	perf_pmu_disable(&core.pmu);
	core.pmu.add(&counted[0].event, PERF_EF_START);
	perf_pmu_enable(&core.pmu);
	while (machine.sent < 10)
		machine_run(1);
	return counted[0].samples == 10 || counted[0].samples == 9;
}

/* What the status says beside overflows is acknowledged, and no interrupt is taken for it. */
static bool foreign_bits(void)
{
	u64 bits;
	bool ok;
	int i;

	row = &model;
	start_machine(&with_control, 1, 4000);
	/* Before anything counts, not even an overflow is the driver's. */
	machine.status = BIT_ULL(0) | BIT_ULL(63);
	ok = !machine_nmi();
	machine.status = 0;
	ok &= run_alone();
	for (i = 0; i < 64; i++) {
		bits = BIT_ULL(i) & MACHINE_STATUS_FOREIGN;
		if (!bits)
			continue;
		machine.status = bits;
		ok &= !machine_nmi() && !machine.status;
	}
	machine.status = MACHINE_STATUS_BUFFER;
	ok &= machine_nmi() && !machine.status;
	machine.status = GLOBAL_STATUS_TRACE_TOPAPMI;
	return ok && machine_nmi() && !machine.status;
}

/*
 * Microcode sets bits of the status that mean nothing. They make no interrupt the driver's, and are
 * left as they are.
 */
static bool reserved_bits(void)
{
	const u64 reserved = BIT_ULL(7) | BIT_ULL(40) | BIT_ULL(62);
	bool ok;

	row = &model;
	start_machine(&without_mask, 1, 4000);
	ok = run_alone();
	x86_pmu_cpu.late = 0;
	machine.status = reserved;
	ok &= !machine_nmi() && machine.status == reserved;
	machine.status |= BIT_ULL(0) | BIT_ULL(58);
	ok &= machine_nmi() && machine.status == reserved;
	x86_reset_registers(&x86_pmu_cpu);
	return ok && machine.status == reserved;
}

/* Nothing of what another kernel or the firmware has left in registers is there afterwards. */
static bool left_by_firmware(const struct x86_bank *bank)
{
	row = &model;
	start_machine(bank, 1, 4000);
	machine.debugctl = ~0ULL;
	machine.status = MACHINE_STATUS_FOREIGN | BIT_ULL(1);
	machine.control = 0;
	x86_reset_registers(&x86_pmu_cpu);
	return !machine.status && !machine.control && machine.debugctl == ~BIT_ULL(12);
}

/* An event that begins can interrupt, whatever has masked interrupts before. */
static bool unmasked_at_start(const struct x86_bank *bank)
{
	row = &model;
	start_machine(bank, 1, 4000);
	machine.masked = true;
	return run_alone();
}

/* Each thread of a core writes its own copy of a register whose value they share. */
static bool threads_write_extra(void)
{
	static struct x86_pmu_cpu sibling;
	struct x86_extra_reg *reg;
	struct x86_key key = { .extra = 3, .config = EXTRA_CODE };
	bool ok;

	row = &model;
	start_machine(&with_control, 1, 4000);
	sibling = (struct x86_pmu_cpu){ .core = &core, .core_extra = x86_pmu_cpu.core_extra };
	reg = x86_count_take_extra(&x86_pmu_cpu, &extra[0], &key);
	ok = reg && x86_count_take_extra(&sibling, &extra[0], &key) == reg;
	x86_extra_write(&x86_pmu_cpu, reg);
	ok &= machine.extra[0] == 3;
	/* The machine is the other thread now. */
	machine.extra[0] = 0;
	x86_extra_write(&sibling, reg);
	ok &= machine.extra[0] == 3;
	/* What is there is not written, and what has been lost is. */
	machine.extra[0] = 0;
	x86_extra_write(&sibling, reg);
	ok &= machine.extra[0] == 0;
	x86_extra_lost(&sibling);
	x86_extra_write(&sibling, reg);
	return ok && machine.extra[0] == 3;
}

/* What a VM exit leaves in the common register does not outlast the next switch. */
static bool healed(const struct x86_bank *bank)
{
	static const u8 codes[] = { 0x20, 0x21, 0x22, 0x23 };
	u64 runs;
	int nr;

	row = &model;
	start_machine(bank, 1, GENMASK_ULL(30, 0));
	open_user(0, codes, 0);
	switch_events(-1, 0);
	runs = machine.control;
	assert(perf_guest_get_msrs(&nr, NULL) && nr);
	machine.control = 0;
	switch_events(-1, -1);
	if (machine.control != runs)
		return false;
	/* One such write for each time. */
	forget_accesses();
	switch_events(-1, -1);
	return !machine.writes_control && runs;
}

/* AMD's KVM says when guests begin, and once more when there are none. */
static bool healed_beside_guests(void)
{
	static const u8 codes[] = { 0x20, 0x21, 0x22, 0x23 };
	bool ok = true;
	u64 runs;
	int i;

	row = &model;
	start_machine(&without_mask, 1, GENMASK_ULL(30, 0));
	open_user(0, codes, 0);
	switch_events(-1, 0);
	runs = machine.control;
	amd_pmu_enable_virt();
	for (i = 0; i < 3; i++) {
		machine.control = 0;
		switch_events(-1, -1);
		ok &= machine.control == runs;
	}
	machine.control = 0;
	amd_pmu_disable_virt();
	ok &= machine.control == runs;
	forget_accesses();
	switch_events(-1, -1);
	return ok && runs && !machine.writes_control;
}

/* The check finds nothing wrong with what the driver does, whatever that is, */
static bool checks_registers(const struct x86_bank *bank, double seconds)
{
	bool ok;

	check_registers = true;
	ok = run_random(bank, seconds);
	check_registers = false;
	return ok;
}

/* and warns when another has written a register, unless that may have been a guest. */
static bool finds_foreign_write(const struct x86_bank *bank, bool fixed)
{
	static const u8 codes[] = { 0x3c, 0x21, 0x22, 0x23 };
	bool ok;
	int nr;

	row = &model;
	start_machine(bank, 1, GENMASK_ULL(30, 0));
	open_user(0, codes, 0);
	switch_events(-1, 0);
	check_registers = true;
	switch_events(-1, -1);
	perf_guest_get_msrs(&nr, NULL);
	machine.control ^= !fixed;
	switch_events(-1, -1);
	ok = !harness_warned;
	*(fixed ? &machine.fixed_control : &machine.control) ^= 1;
	switch_events(-1, -1);
	ok &= harness_warned;
	harness_warned = false;
	check_registers = false;
	return ok;
}

/* A CPU with transactions */
static const struct x86_model transactions_model = {
	.name = "transactions", .limits = thread_limits, .extra = extra,
	.config_mask = X86_RAW_EVENT_MASK | HSW_IN_TX_CHECKPOINTED,
	.transactions = (struct attribute *[]){ NULL },
};

/*
 * The interrupt of a checkpointed counter aborts the transaction, which sets the counter back and
 * takes its bit out of the status. The interrupt is still the driver's, and none follows on it.
 */
static bool checkpointed(u64 period)
{
	struct perf_event_attr attr = {
		.config = ANY_CODE | HSW_IN_TX_CHECKPOINTED, .exclude_kernel = true,
		.sample_period = period,
	};
	struct counted *c = &counted[0];
	int counter;
	bool ok;

	row = &transactions_model;
	start_machine(&with_control, 1, GENMASK_ULL(30, 0));
	assert(!open_event(c, &attr));
	perf_pmu_disable(&core.pmu);
	core.pmu.add(&c->event, PERF_EF_START);
	perf_pmu_enable(&core.pmu);
	counter = x86_event_count(&c->event)->counter;
	machine.counter[counter] = -5U;
	ok = machine_nmi() && (s32)machine.counter[counter] < -(s32)BIT(20);
	/* Nor is it set to overflow soon again. */
	perf_pmu_disable(&core.pmu);
	x86_pmu_cpu.dirty = true;
	perf_pmu_enable(&core.pmu);
	ok &= (s32)machine.counter[counter] < -(s32)BIT(20);
	perf_pmu_disable(&core.pmu);
	core.pmu.del(&c->event, 0);
	x86_clear_unused(&x86_pmu_cpu);
	perf_pmu_enable(&core.pmu);
	return ok && !machine_nmi();
}

/* A CPU with the erratum */
static const struct x86_model idle_model = {
	.name = "idle", .limits = thread_limits, .extra = extra,
	.config_mask = X86_RAW_EVENT_MASK, .idle_selects = machine_idle_selects,
};

/* The selects have been there when general counters get new events, and not else. */
static bool idles(void)
{
	static const u8 some[] = { 0x20, 0x21, 0x22, 0x23 }, others[] = { 0x30, 0x31, 0x32, 0x33 };
	bool ok;

	row = &idle_model;
	start_machine(&with_control, 1, GENMASK_ULL(30, 0));
	open_user(0, some, 0);
	open_user(4, others, 0);
	switch_events(-1, 0);
	ok = machine.idled == 1 && machine.select[0] == x86_pmu_cpu.select[0] && machine.control;
	switch_events(0, -1);
	switch_events(-1, 0);
	ok &= machine.idled == 1;
	switch_events(0, 4);
	return ok && machine.idled == 2 && !harness_warned;
}

/* The same for counters of a perfctr, beside events that run on */
static bool idles_for_claims(void)
{
	static const u8 some[] = { 0x3c, 0x21, 0x22, 0x23 };
	bool ok;
	int i;

	row = &idle_model;
	start_machine(&with_control, 2, GENMASK_ULL(30, 0));
	/* Counters 0 to 2, and a fixed one */
	open_user(0, some, 0);
	switch_events(-1, 0);
	machine.idled = 0;
	claim_all(1);
	thread.state.control.nractrs = 1;
	thread.state.claim.counters = BIT_ULL(3);
	thread.state.claim.counter[0] = 3;
	thread.state.control.pmc_map[0] = 3;
	thread.state.claim.n = 1;
	perfctr_state_begin(&thread.state);
	for (i = 0; i < 3; i++) {
		thread_runs();
		ok = thread.running && machine.idled == 1 &&
		     machine.select[3] == x86_pmu_cpu.select[3] &&
		     machine.control == (x86_pmu_cpu.wanted | BIT_ULL(3));
		machine_run(100);
		thread_stops();
		if (!ok)
			return false;
	}
	return thread_is_right() && !harness_warned;
}

/* SysRq p changes nothing. */
static bool prints(const struct x86_bank *bank)
{
	static const u8 codes[] = { 0x20, 0x21, 0x22, 0x23 };

	row = &model;
	start_machine(bank, 1, GENMASK_ULL(30, 0));
	open_user(0, codes, 0);
	switch_events(-1, 0);
	forget_accesses();
	x86_print_registers(&x86_pmu_cpu);
	return !machine.writes && machine.reads == hweight64(core.counters) && machine.reads_msr;
}

/* The guest's select of @counter, as KVM is told it; that of the host if it is not switched */
static u64 guest_select(int counter)
{
	u32 msr = machine.bank->select + counter * machine.bank->stride;
	struct perf_guest_switch_msr *msrs;
	int i, nr;

	msrs = perf_guest_get_msrs(&nr, NULL);
	for (i = 0; i < nr; i++) {
		if (msrs[i].msr != msr)
			continue;
		assert(msrs[i].host == machine.select[counter]);
		return msrs[i].guest;
	}
	return machine.select[counter];
}

/* Events of the host alone, of guests alone, and of both, where only selects can tell */
static bool guests_by_selects(void)
{
	static const struct { bool no_host, no_guest; } kinds[] = { { }, { .no_guest = true },
								    { .no_host = true } };
	bool ok = true;
	u64 added = 0;
	int i;

	row = &model;
	start_machine(&version_1, 1, GENMASK_ULL(30, 0));
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct perf_event_attr attr = {
			.config = 0x20 + i, .exclude_host = kinds[i].no_host,
			.exclude_guest = kinds[i].no_guest,
		};

		assert(!open_event(&counted[i], &attr));
	}
	perf_pmu_disable(&core.pmu);
	add_group(GENMASK_ULL(2, 0), &added, now());
	perf_pmu_enable(&core.pmu);
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		int counter = x86_event_count(&counted[i].event)->counter;
		u64 guest = guest_select(counter) & ARCH_PERFMON_EVENTSEL_ENABLE;
		u64 host = machine.select[counter] & ARCH_PERFMON_EVENTSEL_ENABLE;

		ok &= !host == kinds[i].no_host && !guest == kinds[i].no_guest;
	}
	return ok;
}

/* Period 1 is the period: each instruction of user space is a sample. */
static bool each_one(const struct x86_bank *bank)
{
	struct perf_event_attr attr = {
		.config = ANY_CODE, .exclude_kernel = true, .sample_period = 1,
	};
	struct counted *c = &counted[0];

	row = &model;
	start_machine(bank, 1, GENMASK_ULL(30, 0));
	core.generic[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = X86_EVENT(0xc4, 0x00);
	assert(!open_event(c, &attr));
	assert(!core.pmu.check_period(&c->event, 1));
	perf_pmu_disable(&core.pmu);
	core.pmu.add(&c->event, PERF_EF_START);
	perf_pmu_enable(&core.pmu);
	run_user(0);
	while (machine.user < 1000) {
		machine.kernel = false;
		machine.in_driver = false;
		machine_step();
		machine.kernel = true;
		machine.in_driver = true;
		machine_take_interrupt();
	}
	core.pmu.read(&c->event);
	return c->samples == 1000 && local64_read(&c->event.count) == 1000;
}

/* but an event of branches does not become a trace of them. */
static bool no_branch_trace(void)
{
	struct perf_event_attr attr = { .config = X86_EVENT(0xc4, 0x00), .sample_period = 2 };
	struct counted *c = &counted[0];
	bool ok;

	row = &model;
	start_machine(&with_control, 1, GENMASK_ULL(30, 0));
	core.generic[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = X86_EVENT(0xc4, 0x00);
	assert(!open_event(c, &attr));
	ok = core.pmu.check_period(&c->event, 1) == -EINVAL;
	ok &= !core.pmu.check_period(&c->event, 2) && !core.pmu.check_period(&c->event, 0);
	c->event.attr.freq = true;
	return ok && !core.pmu.check_period(&c->event, 1);
}

/* The most precise events have a shortest period of their own, and no counter is set nearer. */
static bool distributed_period(void)
{
	struct perf_event_attr attr = {
		.config = ANY_CODE, .exclude_kernel = true, .precise_ip = 2, .sample_period = 127,
	};
	struct x86_model distributed_model = model;
	struct counted *c = &counted[0];
	bool ok;

	distributed_model.distributed_period = 128;
	row = &distributed_model;
	start_machine(&with_control, 1, GENMASK_ULL(30, 0));
	core.capabilities = 3 << PEBS_FORMAT_SHIFT;
	x86_precise_probe(&core);
	ok = open_event(c, &attr) == -EINVAL;
	attr.precise_ip = 1;
	ok &= !open_event(c, &attr) && !core.pmu.check_period(&c->event, 1);
	attr.precise_ip = 2;
	attr.sample_period = 128;
	ok &= !open_event(c, &attr) && core.pmu.check_period(&c->event, 127) == -EINVAL &&
	      !core.pmu.check_period(&c->event, 128) && !core.pmu.check_period(&c->event, 0);
	/* Little of the period is left. */
	local64_set(&c->event.hw.period_left, 3);
	perf_pmu_disable(&core.pmu);
	ok &= !core.pmu.add(&c->event, PERF_EF_START);
	perf_pmu_enable(&core.pmu);
	ok &= (s32)machine.counter[x86_event_count(&c->event)->counter] <= -128;
	core.pmu.del(&c->event, 0);
	row = &model;
	return ok && !harness_warned;
}

/* Tasks are switched, and events read, after all counters have been halted for another kernel. */
static bool halted_for_good(const struct x86_bank *bank)
{
	static const u8 some[] = { 0x20, 0x21, 0x22, 0x23 }, others[] = { 0x30, 0x31, 0x32, 0x33 };
	u64 count;
	int i;

	row = &model;
	start_machine(bank, 1, GENMASK_ULL(30, 0));
	open_user(0, some, 1000);
	open_user(4, others, 0);
	switch_events(-1, 0);
	machine_run(5000);
	x86_halt_for_good(&x86_pmu_cpu);
	core.pmu.read(&counted[0].event);
	count = local64_read(&counted[0].event.count);
	machine_run(1000);
	core.pmu.read(&counted[0].event);
	if (!count || (u64)local64_read(&counted[0].event.count) != count)
		return false;
	switch_events(0, 4);
	machine_run(1000);
	x86_clear_unused(&x86_pmu_cpu);
	switch_events(4, 0);
	machine_run(1000);
	for (i = 0; i < MACHINE_GENERAL; i++) {
		if (machine.select[i] & ~bank->always)
			return false;
	}
	return !machine.control && !machine.fixed_control && !machine.unknown && !harness_warned;
}

/* So are a perfctr's: what they have counted is kept, and they are not to be had again. */
static bool claims_end_for_good(const struct x86_bank *bank, bool ints)
{
	bool ok;

	row = &model;
	start_machine(bank, 1, 4000);
	claim_all(1);
	if (ints) {
		thread.state.claim.ints = thread.state.claim.counters;
		thread.state.control.nractrs = 0;
		thread.state.control.nrictrs = N;
		perfctr_state_begin(&thread.state);
	}
	thread_runs();
	machine_run(1000);
	x86_halt_for_good(&x86_pmu_cpu);
	machine_run(1000);
	ok = !thread.running && thread.counts && thread_is_right();
	claim_all(2);
	thread_runs();
	machine_run(1000);
	return ok && !thread.running && !machine.control && !x86_pmu_cpu.claimed &&
	       !(machine.select[0] & ~bank->always) && !harness_warned;
}

int main(int argc, char **argv)
{
	double seconds = harness_seconds(argc, argv);

	ktap_plan(77);
	ktap_result(within_bounds(&with_control), "accesses_with_mask");
	ktap_result(within_bounds(&without_mask), "accesses");
	ktap_result(tells_nothing(&with_control), "tells_nothing_with_mask");
	ktap_result(tells_nothing(&without_mask), "tells_nothing");
	ktap_result(tells_nothing(&selects_alone), "tells_nothing_by_selects_alone");
	ktap_result(run_random(&with_control, seconds / 6), "with_control_and_mask");
	ktap_result(run_random(&ack_runs, seconds / 6), "acknowledged_while_it_runs");
	ktap_result(run_random(&without_mask, seconds / 6), "with_control");
	ktap_result(run_random(&selects_alone, seconds / 6), "selects_alone");
	ktap_result(run_lying(&with_control, seconds / 20), "lies_with_control_and_mask");
	ktap_result(run_lying(&ack_runs, seconds / 20), "lies_acknowledged_while_it_runs");
	ktap_result(run_lying(&selects_alone, seconds / 20), "lies_selects_alone");
	ktap_result(run_beside(&selects_alone, MACHINE_FOREIGN, seconds / 6),
		    "foreign_selects_alone");
	ktap_result(run_beside(&without_mask, MACHINE_FOREIGN, seconds / 6),
		    "foreign_with_control");
	ktap_result(run_beside(&with_control, MACHINE_FOREIGN, seconds / 6),
		    "foreign_with_control_and_mask");
	ktap_result(run_beside(&with_control, MACHINE_TRACES, seconds / 6), "traces");
	ktap_result(run_beside(&selects_alone, MACHINE_MASKS, seconds / 6), "masked_selects_alone");
	ktap_result(run_beside(&without_mask, MACHINE_MASKS, seconds / 6), "masked_with_control");
	/* From here on without pairs. */
	row = &thread_model;
	/* Long periods, of counters that may run in the interrupt, and short ones */
	ktap_result(goes_on_sampling(&modes_halt, false, 20000), "goes_on_modes_halt");
	ktap_result(goes_on_sampling(&version_1, false, 20000), "goes_on_version_1");
	ktap_result(goes_on_sampling(&selects_alone, false, 20000), "goes_on_selects_alone");
	ktap_result(goes_on_sampling(&with_control, false, 1000), "goes_on_with_control");
	ktap_result(goes_on_sampling(&version_1, true, 8), "threads_version_1");
	ktap_result(goes_on_sampling(&with_control, true, 8), "threads_with_control");
	ktap_result(foreign_bits(), "foreign_bits");
	ktap_result(reserved_bits(), "reserved_bits");
	ktap_result(left_by_firmware(&with_control), "left_by_firmware");
	ktap_result(left_by_firmware(&ack_runs), "left_by_firmware_ack_runs");
	ktap_result(unmasked_at_start(&with_control), "unmasked_at_start");
	ktap_result(unmasked_at_start(&selects_alone), "unmasked_at_start_selects_alone");
	row = &thread_model;
	ktap_result(run_random(&modes_halt, seconds / 6), "modes_halt");
	ktap_result(run_random(&version_1, seconds / 6), "version_1");
	ktap_result(run_random(&marks, seconds / 6), "marks");
	ktap_result(run_beside(&modes_halt, MACHINE_FOREIGN, seconds / 6), "foreign_modes_halt");
	ktap_result(run_random(&with_control, seconds / 6), "with_another_thread");
	row = &thread_model;
	ktap_result(pinned_beside_thread(true), "pinned_keeps_its_counter");
	ktap_result(pinned_beside_thread(false), "flexible_waits");
	ktap_result(half_beside_thread(), "half_beside_thread");
	ktap_result(evicted_returns(), "evicted_returns");
	ktap_result(gives_way(&with_control, false), "gives_way");
	ktap_result(gives_way(&with_control, true), "gives_way_with_interrupts");
	ktap_result(gives_way(&version_1, false), "gives_way_version_1");
	ktap_result(gives_way(&version_1, true), "gives_way_version_1_with_interrupts");
	ktap_result(tells_nothing(&modes_halt), "tells_nothing_where_modes_halt");
	ktap_result(shares_of_slots(), "shares_of_slots");
	ktap_result(shares_tell_nothing(), "shares_tell_nothing");
	ktap_result(vectors(), "vectors");
	ktap_result(no_extra(), "no_extra");
	ktap_result(left_running(), "left_running");
	ktap_result(threads_write_extra(), "threads_write_extra");
	ktap_result(healed(&with_control), "healed");
	ktap_result(healed(&ack_runs), "healed_ack_runs");
	ktap_result(healed_beside_guests(), "healed_beside_guests");
	ktap_result(checks_registers(&with_control, seconds / 20), "checks_registers_with_mask");
	ktap_result(checks_registers(&without_mask, seconds / 20), "checks_registers");
	ktap_result(finds_foreign_write(&with_control, false), "finds_write_of_control");
	ktap_result(finds_foreign_write(&with_control, true), "finds_write_of_fixed_control");
	ktap_result(finds_foreign_write(&without_mask, false), "finds_write_of_control_of_amd");
	ktap_result(checkpointed(0), "checkpointed");
	ktap_result(checkpointed(3000), "checkpointed_samples");
	ktap_result(guests_by_selects(), "guests_by_selects");
	ktap_result(each_one(&with_control), "each_one_with_control_and_mask");
	ktap_result(each_one(&without_mask), "each_one_with_control");
	ktap_result(each_one(&selects_alone), "each_one");
	ktap_result(no_branch_trace(), "no_branch_trace");
	ktap_result(distributed_period(), "distributed_period");
	ktap_result(halted_for_good(&with_control), "halted_for_good_with_control");
	ktap_result(halted_for_good(&selects_alone), "halted_for_good");
	ktap_result(halted_for_good(&modes_halt), "halted_for_good_modes_halt");
	ktap_result(claims_end_for_good(&with_control, false), "claims_end_for_good_with_control");
	ktap_result(claims_end_for_good(&with_control, true), "claims_end_for_good_interrupts");
	ktap_result(claims_end_for_good(&selects_alone, false), "claims_end_for_good");
	ktap_result(prints(&with_control), "prints");
	ktap_result(prints(&selects_alone), "prints_selects_alone");
	ktap_result(idles(), "idles");
	ktap_result(idles_for_claims(), "idles_for_claims");
	row = &idle_model;
	ktap_result(run_random(&with_control, seconds / 6), "idles_at_random");
	return ktap_end();
}
