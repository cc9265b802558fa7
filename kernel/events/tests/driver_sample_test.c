// SPDX-License-Identifier: GPL-2.0
/*
 * Fields of a sample that do not originate in the core. A test driver sets all fields that the
 * core leaves to drivers, and a test hypervisor reports its guest. The buffer must contain each
 * value as it was set. Timestamps must be read from the requested clock.
 */
#include <kunit/test.h>
#include <linux/kallsyms.h>
#include <linux/perf_event.h>
#include <linux/slab.h>

#include "../record/buffer.h"
#include "../record/sideband.h"
#include "../context.h"
#include "../event.h"
#include "../group.h"

#define MARK(n)		(0x5a00000000000000ULL | (n))
#define NR_BRANCHES	2

/**
 * struct test_driver - a driver that sets all fields, and its event
 * @pmu: the driver
 * @event: the event, on the test's task
 * @rb: its buffer
 * @read: number of bytes of @rb that have been read
 * @regs: registers of the sample
 */
struct test_driver {
	struct pmu		pmu;
	struct perf_event	*event;
	struct perf_buffer	*rb;
	unsigned long		read;
	struct pt_regs		regs;
};

static int test_driver_init(struct perf_event *event)
{
	return event->attr.type == event->pmu->type ? 0 : -ENOENT;
}

static int test_driver_add(struct perf_event *event, int flags)
{
	return 0;
}

static void test_driver_ignores(struct perf_event *event, int flags)
{
}

static void test_driver_read(struct perf_event *event)
{
}

static void test_driver_end(void *data)
{
	struct test_driver *t = data;

	if (t->event) {
		RCU_INIT_POINTER(t->event->rb, NULL);
		perf_event_release_kernel(t->event);
	}
	if (t->rb)
		perf_buffer_put(t->rb);
	perf_pmu_unregister(&t->pmu);
}

static struct test_driver *test_driver_make(struct kunit *test, struct perf_event_attr *attr)
{
	struct test_driver *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	struct perf_event *event;
	int err;

	KUNIT_ASSERT_NOT_NULL(test, t);
	t->pmu.task_ctx_nr = perf_sw_context;
	t->pmu.event_init = test_driver_init;
	t->pmu.add = test_driver_add;
	t->pmu.del = test_driver_ignores;
	t->pmu.start = test_driver_ignores;
	t->pmu.stop = test_driver_ignores;
	t->pmu.read = test_driver_read;
	KUNIT_ASSERT_EQ(test, perf_pmu_register(&t->pmu, NULL, -1), 0);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, test_driver_end, t), 0);

	attr->type = t->pmu.type;
	attr->size = sizeof(*attr);
	attr->sample_period = 1;
	event = perf_event_alloc(attr, -1, current, NULL, NULL, NULL, NULL, -1);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	event->ctx = perf_context_find(current, -1);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event->ctx));
	scoped_guard(mutex, &event->ctx->mutex)
		err = perf_event_attach(event);
	KUNIT_ASSERT_EQ(test, err, 0);
	t->event = event;
	t->rb = perf_buffer_alloc(1, 0, -1, false);
	KUNIT_ASSERT_NOT_NULL(test, t->rb);
	/* The test has no reader to wake up. */
	t->rb->ring.watermark = ULONG_MAX;
	rcu_assign_pointer(event->rb, t->rb);
	return t;
}

/* An overflow, like in an interrupt handler */
static void driver_sample_overflow(struct test_driver *t, struct perf_sample_data *data)
{
	guard(irqsave)();
	perf_fetch_caller_regs(&t->regs);
	perf_event_overflow(t->event, data, &t->regs);
}

/* Get the body of the next record, which has @words words. */
static const u64 *next_record(struct kunit *test, struct test_driver *t, u16 misc,
			      unsigned int words)
{
	const struct perf_event_header *head = t->rb->chunks[0] + t->read;

	KUNIT_ASSERT_EQ(test, t->rb->ring.user->data_head - t->read,
			sizeof(*head) + words * sizeof(u64));
	KUNIT_EXPECT_EQ(test, head->type, (u32)PERF_RECORD_SAMPLE);
	KUNIT_EXPECT_EQ(test, head->misc, misc);
	KUNIT_EXPECT_EQ(test, head->size, sizeof(*head) + words * sizeof(u64));
	t->read += head->size;
	return (const u64 *)(head + 1);
}

static void memory_accesses(struct kunit *test)
{
	struct perf_event_attr attr = {
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_ADDR | PERF_SAMPLE_WEIGHT_STRUCT |
			       PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION |
			       PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_DATA_PAGE_SIZE |
			       PERF_SAMPLE_CODE_PAGE_SIZE,
	};
	struct test_driver *t = test_driver_make(test, &attr);
	union perf_sample_weight weight;
	union perf_mem_data_src src = { .val = 0 };
	struct perf_sample_data data;
	const u64 *word;

	src.mem_op = PERF_MEM_OP_LOAD;
	src.mem_lvl = PERF_MEM_LVL_HIT | PERF_MEM_LVL_L2;
	src.mem_snoop = PERF_MEM_SNOOP_HITM;
	src.mem_lock = PERF_MEM_LOCK_LOCKED;
	src.mem_dtlb = PERF_MEM_TLB_MISS | PERF_MEM_TLB_WK;
	src.mem_lvl_num = PERF_MEM_LVLNUM_L2;
	src.mem_remote = PERF_MEM_REMOTE_REMOTE;
	src.mem_snoopx = PERF_MEM_SNOOPX_PEER;
	src.mem_blk = PERF_MEM_BLK_ADDR;
	src.mem_hops = PERF_MEM_HOPS_2;

	perf_sample_data_init(&data, 0, 1);
	data.ip = MARK(1);
	data.addr = MARK(2);
	data.weight.var1_dw = 0x11223344;
	data.weight.var2_w = 0x5566;
	data.weight.var3_w = 0x7788;
	data.data_src = src;
	data.txn = PERF_TXN_ELISION | PERF_TXN_CONFLICT | 0x1234ULL << PERF_TXN_ABORT_SHIFT;
	data.phys_addr = MARK(3);
	data.data_page_size = MARK(4);
	data.code_page_size = MARK(5);
	data.sample_flags |= attr.sample_type;
	driver_sample_overflow(t, &data);

	word = next_record(test, t, PERF_RECORD_MISC_KERNEL, 8);
	KUNIT_EXPECT_EQ(test, word[0], MARK(1));
	KUNIT_EXPECT_EQ(test, word[1], MARK(2));
	weight.full = word[2];
	KUNIT_EXPECT_EQ(test, weight.var1_dw, 0x11223344U);
	KUNIT_EXPECT_EQ(test, weight.var2_w, 0x5566);
	KUNIT_EXPECT_EQ(test, weight.var3_w, 0x7788);
	KUNIT_EXPECT_EQ(test, word[3], src.val);
	KUNIT_EXPECT_EQ(test, word[4], PERF_TXN_ELISION | PERF_TXN_CONFLICT | 0x123400000000ULL);
	KUNIT_EXPECT_EQ(test, word[5], MARK(3));
	KUNIT_EXPECT_EQ(test, word[6], MARK(4));
	KUNIT_EXPECT_EQ(test, word[7], MARK(5));

	/* Fields that the driver does not set are 0, or not available. */
	perf_sample_data_init(&data, 0, 1);
	driver_sample_overflow(t, &data);
	word = next_record(test, t, PERF_RECORD_MISC_KERNEL, 8);
	KUNIT_EXPECT_EQ(test, word[1], 0);
	KUNIT_EXPECT_EQ(test, word[2], 0);
	KUNIT_EXPECT_EQ(test, word[3], (u64)PERF_MEM_NA);
	KUNIT_EXPECT_EQ(test, word[4], 0);
	KUNIT_EXPECT_EQ(test, word[5], 0);
}

static void branches(struct kunit *test)
{
	struct perf_event_attr attr = {
		.sample_type = PERF_SAMPLE_BRANCH_STACK,
		.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_HW_INDEX |
				      PERF_SAMPLE_BRANCH_TYPE_SAVE |
				      PERF_SAMPLE_BRANCH_PRIV_SAVE | PERF_SAMPLE_BRANCH_COUNTERS,
	};
	struct test_driver *t = test_driver_make(test, &attr);
	struct {
		struct perf_branch_stack	stack;
		struct perf_branch_entry	entry[NR_BRANCHES];
	} *saved = kunit_kzalloc(test, sizeof(*saved), GFP_KERNEL);
	u64 counters[NR_BRANCHES] = { MARK(8), MARK(9) };
	struct perf_branch_entry *entry;
	struct perf_sample_data data;
	const u64 *word;

	KUNIT_ASSERT_NOT_NULL(test, saved);
	saved->stack.nr = NR_BRANCHES;
	saved->stack.hw_idx = 5;
	entry = saved->stack.entries;
	entry[0] = (struct perf_branch_entry) {
		.from = MARK(1), .to = MARK(2), .mispred = 1, .in_tx = 1, .cycles = 0x1234,
		.type = PERF_BR_COND_CALL, .spec = PERF_BR_SPEC_WRONG_PATH, .priv = PERF_BR_PRIV_HV,
	};
	entry[1] = (struct perf_branch_entry) {
		.from = MARK(3), .to = MARK(4), .predicted = 1, .abort = 1,
		.type = PERF_BR_EXTEND_ABI, .new_type = PERF_BR_NEW_FAULT_DATA,
		.spec = PERF_BR_NON_SPEC_CORRECT_PATH, .priv = PERF_BR_PRIV_USER,
	};
	perf_sample_data_init(&data, 0, 1);
	perf_sample_save_brstack(&data, t->event, &saved->stack, counters);
	driver_sample_overflow(t, &data);

	word = next_record(test, t, PERF_RECORD_MISC_KERNEL, 2 + 3 * NR_BRANCHES + NR_BRANCHES);
	KUNIT_EXPECT_EQ(test, word[0], NR_BRANCHES);
	KUNIT_EXPECT_EQ(test, word[1], 5);
	KUNIT_EXPECT_EQ(test, word[2], MARK(1));
	KUNIT_EXPECT_EQ(test, word[3], MARK(2));
	KUNIT_EXPECT_EQ(test, word[5], MARK(3));
	KUNIT_EXPECT_EQ(test, word[6], MARK(4));
	KUNIT_EXPECT_MEMEQ(test, word + 2, saved->stack.entries, sizeof(saved->entry));
	KUNIT_EXPECT_EQ(test, word[8], MARK(8));
	KUNIT_EXPECT_EQ(test, word[9], MARK(9));
#ifdef __LITTLE_ENDIAN
	/* mispred, in_tx, cycles, type, spec and privilege, from the lowest bit upwards */
	KUNIT_EXPECT_EQ(test, word[4], 1 | 4 | 0x1234 << 4 | PERF_BR_COND_CALL << 20 |
			PERF_BR_SPEC_WRONG_PATH << 24 | (u64)PERF_BR_PRIV_HV << 30);
	KUNIT_EXPECT_EQ(test, word[7], 2 | 8 | PERF_BR_EXTEND_ABI << 20 |
			PERF_BR_NON_SPEC_CORRECT_PATH << 24 | PERF_BR_NEW_FAULT_DATA << 26 |
			(u64)PERF_BR_PRIV_USER << 30);
#endif
}

/* A driver that writes the record itself sets the fields of the sample and the misc flags. */
static void sample_in_hypervisor_mode(struct kunit *test)
{
	struct perf_event_attr attr = { .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD };
	struct test_driver *t = test_driver_make(test, &attr);
	u16 misc = PERF_RECORD_MISC_HYPERVISOR | PERF_RECORD_MISC_EXACT_IP;
	struct perf_output_handle handle;
	struct perf_event_header header;
	struct perf_sample_data data;
	const u64 *word;
	int err;

	data.ip = MARK(1);
	data.period = 3;
	scoped_guard(preempt) {
		perf_event_header__init(&header, &data, PERF_RECORD_SAMPLE, misc,
					sizeof(header), t->event);
		err = perf_output_begin(&handle, &data, t->event, header.size);
		if (!err) {
			perf_output_sample(&handle, &header, &data, t->event);
			perf_output_end(&handle);
		}
	}
	KUNIT_ASSERT_EQ(test, err, 0);
	word = next_record(test, t, misc, 2);
	KUNIT_EXPECT_EQ(test, word[0], MARK(1));
	KUNIT_EXPECT_EQ(test, word[1], 3);
}

#ifdef CONFIG_GUEST_PERF_EVENTS
static unsigned int guest_is, guest_asked;

static unsigned int guest_state(void)
{
	guest_asked++;
	return guest_is;
}

static unsigned long guest_ip(void)
{
	return 0x123456;
}

static unsigned int guest_pt_interrupt(void)
{
	return 7;
}

static struct perf_guest_info_callbacks plain_guest = {
	.state = guest_state, .get_ip = guest_ip,
};

static struct perf_guest_info_callbacks pt_guest = {
	.state = guest_state, .get_ip = guest_ip, .handle_intel_pt_intr = guest_pt_interrupt,
};

static void guest_goes(void *cbs)
{
	perf_unregister_guest_info_callbacks(cbs);
}

/*
 * Expect one sample with @misc in its header and the instruction pointer of the guest or the
 * task.
 */
static void expect_sample(struct kunit *test, struct test_driver *t, u16 misc, bool in_guest)
{
	struct perf_sample_data data;
	const u64 *word;

	perf_sample_data_init(&data, 0, 1);
	driver_sample_overflow(t, &data);
	word = next_record(test, t, misc, 1);
	if (in_guest)
		KUNIT_EXPECT_EQ(test, word[0], 0x123456);
	else
		KUNIT_EXPECT_EQ(test, word[0], instruction_pointer(&t->regs));
}

static void sample_of_a_guest(struct kunit *test)
{
	struct perf_event_attr attr = { .sample_type = PERF_SAMPLE_IP };
	struct test_driver *t;
	unsigned int asked;

	if (!IS_ENABLED(CONFIG_X86) && !IS_ENABLED(CONFIG_ARM64))
		kunit_skip(test, "samples do not report guests on this architecture");
	if (rcu_access_pointer(perf_guest_cbs))
		kunit_skip(test, "a hypervisor is registered");
	t = test_driver_make(test, &attr);
	guest_is = PERF_GUEST_ACTIVE;
	expect_sample(test, t, PERF_RECORD_MISC_KERNEL, false);

	perf_register_guest_info_callbacks(&plain_guest);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, guest_goes, &plain_guest), 0);
	expect_sample(test, t, PERF_RECORD_MISC_GUEST_KERNEL, true);
	guest_is |= PERF_GUEST_USER;
	expect_sample(test, t, PERF_RECORD_MISC_GUEST_USER, true);
	/* No guest was interrupted. */
	guest_is = 0;
	expect_sample(test, t, PERF_RECORD_MISC_KERNEL, false);
	KUNIT_EXPECT_GT(test, guest_asked, 0);
	KUNIT_EXPECT_EQ(test, perf_guest_handle_intel_pt_intr(), 0);

	/* An unregistered hypervisor is not called any more, and another one can register. */
	kunit_release_action(test, guest_goes, &plain_guest);
	guest_is = PERF_GUEST_ACTIVE;
	asked = guest_asked;
	expect_sample(test, t, PERF_RECORD_MISC_KERNEL, false);
	KUNIT_EXPECT_EQ(test, guest_asked, asked);
	perf_register_guest_info_callbacks(&pt_guest);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, guest_goes, &pt_guest), 0);
	KUNIT_EXPECT_EQ(test, perf_guest_handle_intel_pt_intr(), 7);
	expect_sample(test, t, PERF_RECORD_MISC_GUEST_KERNEL, true);
}
#else
static void sample_of_a_guest(struct kunit *test)
{
	kunit_skip(test, "needs CONFIG_GUEST_PERF_EVENTS");
}
#endif /* CONFIG_GUEST_PERF_EVENTS */

/*
 * Compare the clocks by name: some of them differ only after suspend or after the time was set,
 * and inline functions have a different address in each file.
 */
static void record_uses_the_selected_clock(struct kunit *test)
{
	static const struct {
		clockid_t	id;
		const char	*name;
	} clocks[] = {
		{ CLOCK_MONOTONIC,	"ktime_get_mono_fast_ns" },
		{ CLOCK_MONOTONIC_RAW,	"ktime_get_raw_fast_ns" },
		{ CLOCK_REALTIME,	"ktime_get_real_ns" },
		{ CLOCK_BOOTTIME,	"ktime_get_boottime_ns" },
		{ CLOCK_TAI,		"ktime_get_clocktai_ns" },
	};
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS,
		.size = sizeof(attr), .use_clockid = 1,
	};
	struct perf_event *event;
	char name[KSYM_SYMBOL_LEN];
	int i;

	if (!IS_ENABLED(CONFIG_KALLSYMS))
		kunit_skip(test, "needs CONFIG_KALLSYMS");
	for (i = 0; i < ARRAY_SIZE(clocks); i++) {
		attr.clockid = clocks[i].id;
		event = perf_event_create_kernel_counter(&attr, -1, current, NULL, NULL);
		KUNIT_ASSERT_FALSE(test, IS_ERR(event));
		snprintf(name, sizeof(name), "%ps", event->clock);
		KUNIT_EXPECT_STREQ(test, name, clocks[i].name);
		perf_event_release_kernel(event);
	}
}

static bool driver_sample_needs_data(const struct perf_event_attr *attr,
				     const struct perf_record *record)
{
	return attr->mmap_data;
}

/* A record is written only if an enabled event on this CPU requests it. */
static void record_needs_enabled_event(struct kunit *test)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY,
		.size = sizeof(attr),
	};
	struct perf_record_kind data_kind = perf_mmap_kind;
	struct perf_record record = { .kind = &data_kind };
	struct perf_event *counter, *listener;

	data_kind.record_match = NULL;
	counter = perf_event_create_kernel_counter(&attr, -1, current, NULL, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(counter));
	attr.mmap = 1;
	KUNIT_EXPECT_FALSE(test, perf_record_has_listener(&record));
	listener = perf_event_create_kernel_counter(&attr, -1, current, NULL, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(listener));
	KUNIT_EXPECT_TRUE(test, perf_record_has_listener(&record));
	record.kind = &perf_cgroup_kind;
	KUNIT_EXPECT_FALSE(test, perf_record_has_listener(&record));
	data_kind.record_match = driver_sample_needs_data;
	record.kind = &data_kind;
	KUNIT_EXPECT_FALSE(test, perf_record_has_listener(&record));
	data_kind.record_match = NULL;
	perf_event_disable(listener);
	KUNIT_EXPECT_FALSE(test, perf_record_has_listener(&record));
	perf_event_release_kernel(listener);
	/* A listener on a CPU gets the records of all tasks there. */
	listener = perf_event_create_kernel_counter(&attr, raw_smp_processor_id(), NULL, NULL,
						    NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(listener));
	scoped_guard(preempt)
		KUNIT_EXPECT_EQ(test, perf_record_has_listener(&record),
				listener->cpu == smp_processor_id());
	perf_event_release_kernel(listener);
	KUNIT_EXPECT_FALSE(test, perf_record_has_listener(&record));
	perf_event_release_kernel(counter);
}

/* The hooks for an event's records are enabled from the event's open to its close. */
static void hooks_of_an_event(struct kunit *test)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY,
		.size = sizeof(attr), .namespaces = 1,
	};
	const atomic_t *users = &perf_sideband_users[PERF_SIDEBAND_NAMESPACES];
	const atomic_t *others = &perf_sideband_users[PERF_SIDEBAND_KSYMBOL];
	int before = atomic_read(users), before_others = atomic_read(others), i;
	struct perf_event *listener[2];

	for (i = 0; i < ARRAY_SIZE(listener); i++) {
		listener[i] = perf_event_create_kernel_counter(&attr, -1, current, NULL, NULL);
		KUNIT_ASSERT_FALSE(test, IS_ERR(listener[i]));
		KUNIT_EXPECT_EQ(test, atomic_read(users), before + i + 1);
	}
	KUNIT_EXPECT_TRUE(test, perf_sideband_enabled(PERF_SIDEBAND_NAMESPACES));
	KUNIT_EXPECT_EQ(test, atomic_read(others), before_others);
	for (i = 0; i < ARRAY_SIZE(listener); i++)
		perf_event_release_kernel(listener[i]);
	KUNIT_EXPECT_EQ(test, atomic_read(users), before);
	KUNIT_EXPECT_EQ(test, perf_sideband_enabled(PERF_SIDEBAND_NAMESPACES), before > 0);
}

/* Some drivers call perf_sample_save_callchain() even for samples without a call chain. */
static void no_callchain_unless_requested(struct kunit *test)
{
	struct perf_event_attr attr = { .sample_type = PERF_SAMPLE_IP };
	struct test_driver *t = test_driver_make(test, &attr);
	struct perf_sample_data data;

	guard(irqsave)();
	perf_fetch_caller_regs(&t->regs);
	perf_sample_data_init(&data, 0, 1);
	perf_sample_save_callchain(&data, t->event, &t->regs);
	KUNIT_EXPECT_EQ(test, data.sample_flags & PERF_SAMPLE_CALLCHAIN, 0);
	KUNIT_EXPECT_EQ(test, data.dyn_size, 0);
}

/* A callback that copies only the first 5 bytes */
static unsigned long copy_five(void *to, const void *from, unsigned long off, unsigned long len)
{
	unsigned long n = off < 5 ? min(len, 5 - off) : 0;

	memcpy(to, from + off, n);
	return len - n;
}

/*
 * Raw data that a callback does not copy is 0: it is not what an older record had there, and the
 * data after it is in its place.
 */
static void raw_data_that_is_not_copied(struct kunit *test)
{
	struct perf_event_attr attr = {
		.sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_WEIGHT,
	};
	struct perf_raw_frag last = { .data = "!", .size = 1 };
	struct perf_raw_record raw = {
		.frag = { .next = &last, .copy = copy_five, .data = "raw data, 12", .size = 12 },
	};
	static const u8 wanted[20] = "raw d\0\0\0\0\0\0\0!";
	struct test_driver *t = test_driver_make(test, &attr);
	struct perf_event_mmap_page *user = t->rb->ring.user;
	u8 *bytes = t->rb->chunks[0], body[32];
	struct perf_sample_data data;
	unsigned long start;
	u64 weight;
	u32 size;
	int i;

	/* The record crosses the end of the buffer at each of its words. */
	for (start = PAGE_SIZE - 48; start <= PAGE_SIZE; start += 8) {
		memset(bytes, 0xee, PAGE_SIZE);
		local_set(&t->rb->ring.head, start);
		user->data_tail = start;
		scoped_guard(irqsave) {
			perf_fetch_caller_regs(&t->regs);
			perf_sample_data_init(&data, 0, 1);
			perf_sample_save_raw_data(&data, t->event, &raw);
			data.weight.full = 0x1234;
			data.sample_flags |= PERF_SAMPLE_WEIGHT;
			perf_event_output(t->event, &data, &t->regs);
		}
		KUNIT_ASSERT_EQ(test, user->data_head, start + 8 + sizeof(body));
		for (i = 0; i < sizeof(body); i++)
			body[i] = bytes[(start + 8 + i) % PAGE_SIZE];
		memcpy(&size, body, sizeof(size));
		memcpy(&weight, body + 24, sizeof(weight));
		KUNIT_EXPECT_EQ(test, size, sizeof(wanted));
		KUNIT_EXPECT_MEMEQ(test, body + 4, wanted, sizeof(wanted));
		KUNIT_EXPECT_EQ(test, weight, 0x1234);
	}
}

static struct kunit_case driver_sample_cases[] = {
	KUNIT_CASE(raw_data_that_is_not_copied),
	KUNIT_CASE(no_callchain_unless_requested),
	KUNIT_CASE(memory_accesses),
	KUNIT_CASE(branches),
	KUNIT_CASE(sample_in_hypervisor_mode),
	KUNIT_CASE(sample_of_a_guest),
	KUNIT_CASE(record_uses_the_selected_clock),
	KUNIT_CASE(record_needs_enabled_event),
	KUNIT_CASE(hooks_of_an_event),
	{}
};

static struct kunit_suite driver_sample_suite = {
	.name		= "perf_driver_sample",
	.test_cases	= driver_sample_cases,
};

kunit_test_suite(driver_sample_suite);
