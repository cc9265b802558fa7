// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of sample.c, included at its end
 *
 * The predicted size of a sample must be equal to the written size, and its contents must match
 * the description of the ABI. A parser written from that description reads it back.
 */
#include <kunit/test.h>
#include <linux/bitops.h>
#include <linux/mman.h>
#include <linux/perf_regs.h>
#include <linux/uaccess.h>

#include "../period.h"
#include "../record/aux.h"
#include "../record/sample_user.h"

#define TEST_BUFFER	SZ_128K
#define TEST_MEMBERS	3
#define CHAIN_LENGTH	5
#define NR_BRANCHES	2
#define TEST_FORMATS	(PERF_FORMAT_MAX - 1)

/* Values of fields, each a different number that is unlikely to occur by accident */
#define MARK(n)		(0x5a00000000000000ULL | (n))
/* A time has fewer bits, and the lowest bit of its word marks it as stopped. */
#define MARK_TIME(n)	(0x1a00000000000000ULL | (n))

/**
 * struct sample_env - an event, a sample, and its buffer
 * @ctx: the event's context, whose clock never ran
 * @pmu: PMU of @event
 * @event: the event
 * @member: siblings in its group
 * @cold: cold parts of the event and the siblings
 * @data: the sample
 * @handle: handle that writes to @buffer
 * @regs: registers of the sample
 * @raw: raw data of two fragments
 * @raw_tail: the second fragment
 * @branches: a branch stack
 * @counters: counters of @branches
 * @given: the driver sets all fields that it can
 * @buffer: the record
 */
struct sample_env {
	struct perf_event_context	ctx;
	struct pmu			pmu;
	struct perf_event		event;
	struct perf_event		member[TEST_MEMBERS];
	struct perf_event_cold		cold[1 + TEST_MEMBERS];
	struct perf_sample_data		data;
	struct perf_output_handle	handle;
	struct pt_regs			regs;
	struct perf_raw_record		raw;
	struct perf_raw_frag		raw_tail;
	struct {
		struct perf_branch_stack	stack;
		struct perf_branch_entry	entry[NR_BRANCHES];
	} branches;
	u64				counters[NR_BRANCHES];
	bool				given;
	u8				*buffer;
};

static u64 test_clock(void)
{
	return MARK(1);
}

static void test_pmu_read(struct perf_event *event)
{
	local64_inc(&event->count);
}

static void env_event(struct sample_env *env, struct perf_event *event,
		      struct perf_event_cold *cold, u64 id)
{
	event->cold = cold;
	cold->ns = &init_pid_ns;
	event->ctx = &env->ctx;
	event->pmu = &env->pmu;
	event->clock = test_clock;
	event->id = MARK(id);
	atomic64_set(&event->time_enabled, MARK_TIME(0x100) << 1);
	atomic64_set(&event->time_running, MARK_TIME(0x101) << 1);
	event->group_leader = &env->event;
	event->state = PERF_EVENT_STATE_OFF;
	local64_set(&event->count, id << 8);
	atomic64_set(&cold->lost_samples, id << 16);
	INIT_LIST_HEAD(&event->sibling_list);
}

static struct sample_env *env_alloc(struct kunit *test)
{
	struct sample_env *env = kunit_kzalloc(test, sizeof(*env), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, env);
	env->buffer = kunit_kzalloc(test, TEST_BUFFER, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, env->buffer);
	env->ctx.clock.cpu = -1;
	mutex_init(&env->ctx.mutex);
	env->pmu.read = test_pmu_read;
	env_event(env, &env->event, &env->cold[0], 0x10);
	for (i = 0; i < TEST_MEMBERS; i++)
		env_event(env, &env->member[i], &env->cold[1 + i], 0x20 + i);

	/* 13 bytes of raw data in two fragments; with size field and padding, 24 bytes */
	env->raw.frag.data = "raw data, 12";
	env->raw.frag.size = 12;
	env->raw.frag.next = &env->raw_tail;
	env->raw_tail.data = "!";
	env->raw_tail.size = 1;
	for (i = 0; i < NR_BRANCHES; i++) {
		env->branches.entry[i].from = MARK(0x200 + i);
		env->branches.entry[i].to = MARK(0x210 + i);
		env->counters[i] = MARK(0x220 + i);
	}
	env->branches.stack.nr = NR_BRANCHES;
	env->branches.stack.hw_idx = MARK(0x230);
	return env;
}

static void env_add_members(struct sample_env *env, int nr)
{
	int i;

	for (i = 0; i < nr; i++)
		list_add_tail(&env->member[i].sibling_list, &env->event.sibling_list);
	env->event.nr_siblings = nr;
}

/* Prepare and write a sample with these attributes. */
static void env_write(struct sample_env *env, struct perf_event_header *header)
{
	static struct {
		struct perf_callchain_entry	chain;
		u64				ip[CHAIN_LENGTH];
	} given = {
		.chain.nr = CHAIN_LENGTH,
		.ip = { PERF_CONTEXT_KERNEL, MARK(0x301), PERF_CONTEXT_USER,
			MARK(0x302), MARK(0x303) },
	};
	struct perf_sample_data *data = &env->data;
	u64 type = env->event.attr.sample_type;

	memset(data, 0x55, sizeof(*data));
	perf_sample_data_init(data, MARK(2), MARK(3));
	if (env->given) {
		perf_sample_save_raw_data(data, &env->event, &env->raw);
		perf_sample_save_brstack(data, &env->event, &env->branches.stack, env->counters);
		data->ip = MARK(4);
		data->weight.full = MARK(5);
		data->data_src.val = MARK(6);
		data->txn = MARK(7);
		data->phys_addr = MARK(8);
		data->sample_flags |= type & (PERF_SAMPLE_IP | PERF_SAMPLE_WEIGHT_TYPE |
					      PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION |
					      PERF_SAMPLE_PHYS_ADDR);
		if (type & PERF_SAMPLE_CALLCHAIN) {
			data->callchain = &given.chain;
			data->callchain_nr = CHAIN_LENGTH;
			data->dyn_size += CHAIN_LENGTH * sizeof(u64);
			data->sample_flags |= PERF_SAMPLE_CALLCHAIN;
		}
	}
	perf_sample_layout(&env->event);
	memset(&env->handle, 0, sizeof(env->handle));
	env->handle.event = &env->event;
	env->handle.addr = env->buffer;
	env->handle.size = TEST_BUFFER;

	preempt_disable();
	rcu_read_lock();
	perf_prepare_sample(data, &env->event, &env->regs);
	/* BPF programs read the sample before it is prepared for output. */
	perf_prepare_sample(data, &env->event, &env->regs);
	perf_prepare_header(header, data, &env->event, &env->regs);
	perf_output_sample(&env->handle, header, data, &env->event);
	rcu_read_unlock();
	preempt_enable();
}

/**
 * struct parser - a parser of a record
 * @test: the test that fails if the record is wrong
 * @type: sample_type of the record
 * @at: next position
 * @end: end of the record
 * @ok: the record is correct up to @at
 */
struct parser {
	struct kunit	*test;
	u64		type;
	const u8	*at;
	const u8	*end;
	bool		ok;
};

static u64 sample_test_take(struct parser *p, unsigned int size)
{
	u64 value = 0;

	if (p->at + size > p->end)
		p->ok = false;
	if (!p->ok)
		return 0;
	memcpy(&value, p->at, size);
	p->at += size;
	return value;
}

static void sample_test_expect(struct parser *p, const char *what, u64 value, u64 wanted)
{
	if (!p->ok || value == wanted)
		return;
	KUNIT_FAIL(p->test, "sample_type %#llx: %s is %#llx, not %#llx", p->type, what,
		   value, wanted);
	p->ok = false;
}

static void take_word(struct parser *p, const char *what, u64 wanted)
{
	sample_test_expect(p, what, sample_test_take(p, 8), wanted);
}

static void take_pair(struct parser *p, const char *what, u32 first, u32 second)
{
	sample_test_expect(p, what, sample_test_take(p, 4), first);
	sample_test_expect(p, what, sample_test_take(p, 4), second);
}

/* struct read_format of the ABI */
static void parse_read(struct parser *p, struct sample_env *env, int nr_members)
{
	u64 format = env->event.attr.read_format;
	u64 nr = 1, i;

	if (format & PERF_FORMAT_GROUP) {
		nr = 1 + nr_members;
		take_word(p, "nr", nr);
	} else {
		take_word(p, "value", 0x1000);
	}
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		take_word(p, "time_enabled", MARK_TIME(0x100));
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		take_word(p, "time_running", MARK_TIME(0x101));
	for (i = 0; i < nr; i++) {
		u64 id = i ? 0x20 + i - 1 : 0x10;

		if (format & PERF_FORMAT_GROUP)
			take_word(p, "value", id << 8);
		if (format & PERF_FORMAT_ID)
			take_word(p, "id", MARK(id));
		if (format & PERF_FORMAT_LOST)
			take_word(p, "lost", id << 16);
	}
}

static void parse_callchain(struct parser *p, const struct sample_env *env)
{
	u64 nr = sample_test_take(p, 8), i;

	sample_test_expect(p, "nr of ips", nr, env->given ? CHAIN_LENGTH : 0);
	for (i = 0; p->ok && i < nr; i++) {
		u64 ip = sample_test_take(p, 8);

		if (i == 1)
			sample_test_expect(p, "ips[1]", ip, MARK(0x301));
		if (i == CHAIN_LENGTH - 1)
			sample_test_expect(p, "last ip", ip, MARK(0x303));
	}
}

static void parse_raw(struct parser *p, const struct sample_env *env)
{
	u32 size = sample_test_take(p, 4);

	sample_test_expect(p, "raw size", size, env->given ? 20 : 4);
	if (!p->ok || p->at + size > p->end) {
		p->ok = false;
		return;
	}
	if (env->given)
		sample_test_expect(p, "raw data", memcmp(p->at, "raw data, 12!\0\0\0\0\0\0", 20),
				   0);
	p->at += size;
}

static void parse_branches(struct parser *p, const struct sample_env *env)
{
	u64 branch_type = env->event.attr.branch_sample_type;
	u64 nr = sample_test_take(p, 8), i;

	sample_test_expect(p, "branches", nr, env->given ? NR_BRANCHES : 0);
	if (branch_type & PERF_SAMPLE_BRANCH_HW_INDEX)
		take_word(p, "hw_idx", env->given ? MARK(0x230) : -1ULL);
	for (i = 0; p->ok && i < nr; i++) {
		take_word(p, "from", MARK(0x200 + i));
		take_word(p, "to", MARK(0x210 + i));
		take_word(p, "flags", 0);
	}
	for (i = 0; p->ok && i < nr && (branch_type & PERF_SAMPLE_BRANCH_COUNTERS); i++)
		take_word(p, "counters", MARK(0x220 + i));
}

static void parse_regs(struct parser *p, const struct sample_env *env, u64 mask, bool user)
{
	u64 abi = sample_test_take(p, 8);

	/* A kernel thread's sample has user registers only if the interrupt was in user mode. */
	sample_test_expect(p, "abi", abi, user && !user_mode((struct pt_regs *)&env->regs) ?
			      PERF_SAMPLE_REGS_ABI_NONE : perf_reg_abi(current));
	if (!abi)
		return;
	for (; p->ok && mask; mask &= mask - 1)
		take_word(p, "register",
			  perf_reg_value((struct pt_regs *)&env->regs, __ffs64(mask)));
}

static void parse_stack(struct parser *p)
{
	u64 size = sample_test_take(p, 8);

	p->at += size;
	if (size)
		sample_test_expect(p, "dyn_size", sample_test_take(p, 8) <= size, true);
}

/* In the order of the description of PERF_RECORD_SAMPLE */
static void parse_sample(struct parser *p, struct sample_env *env)
{
	const struct perf_event_attr *attr = &env->event.attr;
	bool given = env->given;
	u64 type = attr->sample_type;

	if (type & PERF_SAMPLE_IDENTIFIER)
		take_word(p, "sample_id", MARK(0x10));
	if (type & PERF_SAMPLE_IP)
		take_word(p, "ip", given ? MARK(4) : instruction_pointer(&env->regs));
	if (type & PERF_SAMPLE_TID)
		take_pair(p, "pid, tid", current->tgid, current->pid);
	if (type & PERF_SAMPLE_TIME)
		take_word(p, "time", MARK(1));
	if (type & PERF_SAMPLE_ADDR)
		take_word(p, "addr", MARK(2));
	if (type & PERF_SAMPLE_ID)
		take_word(p, "id", MARK(0x10));
	if (type & PERF_SAMPLE_STREAM_ID)
		take_word(p, "stream_id", MARK(0x10));
	if (type & PERF_SAMPLE_CPU)
		take_pair(p, "cpu, res", env->data.cpu_entry.cpu, 0);
	if (type & PERF_SAMPLE_PERIOD)
		take_word(p, "period", MARK(3));
	if (type & PERF_SAMPLE_READ)
		parse_read(p, env, env->event.nr_siblings);
	if (type & PERF_SAMPLE_CALLCHAIN)
		parse_callchain(p, env);
	if (type & PERF_SAMPLE_RAW)
		parse_raw(p, env);
	if (type & PERF_SAMPLE_BRANCH_STACK)
		parse_branches(p, env);
	if (type & PERF_SAMPLE_REGS_USER)
		parse_regs(p, env, attr->sample_regs_user, true);
	if (type & PERF_SAMPLE_STACK_USER)
		parse_stack(p);
	if (type & PERF_SAMPLE_WEIGHT_TYPE)
		take_word(p, "weight", given ? MARK(5) : 0);
	if (type & PERF_SAMPLE_DATA_SRC)
		take_word(p, "data_src", given ? MARK(6) : PERF_MEM_NA);
	if (type & PERF_SAMPLE_TRANSACTION)
		take_word(p, "transaction", given ? MARK(7) : 0);
	if (type & PERF_SAMPLE_REGS_INTR)
		parse_regs(p, env, attr->sample_regs_intr, false);
	if (type & PERF_SAMPLE_PHYS_ADDR)
		take_word(p, "phys_addr", given ? MARK(8) : 0);
	if (type & PERF_SAMPLE_CGROUP)
		take_word(p, "cgroup", env->data.cgroup);
	if (type & PERF_SAMPLE_DATA_PAGE_SIZE)
		take_word(p, "data_page_size", perf_get_page_size(env->data.addr));
	if (type & PERF_SAMPLE_CODE_PAGE_SIZE)
		take_word(p, "code_page_size", env->data.code_page_size);
	if (type & PERF_SAMPLE_AUX)
		take_word(p, "size of AUX data", 0);
}

/* Samples with only leading words are written directly, without preparation. */
static void check_short_cut(struct parser *p, struct sample_env *env, u64 written)
{
	u64 words[NR_LEADING] = { };

	if (p->type & ~SAMPLE_LEADING)
		return;
	perf_sample_data_init(&env->data, MARK(2), MARK(3));
	if (env->given && (p->type & PERF_SAMPLE_IP)) {
		env->data.ip = MARK(4);
		env->data.sample_flags |= PERF_SAMPLE_IP;
	}
	/*
	 * If the sample has a CPU, compare the samples only if this task has not moved since the
	 * first one.
	 */
	preempt_disable();
	perf_sample_put_leading(words, &env->data, &env->event, &env->regs, p->type);
	if (!(p->type & PERF_SAMPLE_CPU) || env->data.cpu_entry.cpu == smp_processor_id())
		sample_test_expect(p, "short cut", memcmp(words, env->buffer + 8, written - 8), 0);
	preempt_enable();
}

static bool check_sample(struct kunit *test, struct sample_env *env)
{
	struct perf_event_header header;
	struct parser p = {
		.test	= test,
		.type	= env->event.attr.sample_type,
		.at	= env->buffer,
		.ok	= true,
	};
	u64 written;

	env_write(env, &header);
	written = (u8 *)env->handle.addr - env->buffer;
	p.end = env->buffer + written;

	sample_test_expect(&p, "type", sample_test_take(&p, 4), PERF_RECORD_SAMPLE);
	sample_test_expect(&p, "misc", sample_test_take(&p, 2), perf_misc_flags(&env->regs));
	sample_test_expect(&p, "size", sample_test_take(&p, 2), written);
	sample_test_expect(&p, "predicted size", perf_sample_data_size(&env->data, &env->event),
			   written);
	parse_sample(&p, env);
	sample_test_expect(&p, "bytes left over", p.end - p.at, 0);
	check_short_cut(&p, env, written);
	if (!p.ok)
		KUNIT_FAIL(test, "sample_type %#llx, %llu bytes written", p.type, written);
	return p.ok;
}

/* Get the next greater number with the same number of set bits. */
static u64 next_of_weight(u64 mask)
{
	u64 low = mask & -mask, ripple = mask + low;

	return ripple | ((mask ^ ripple) >> (__ffs64(low) + 2));
}

static bool check_all_types(struct kunit *test, struct sample_env *env)
{
	unsigned int bits, nr = 0;
	u64 type;

	for (bits = 0; bits <= 4; bits++) {
		for (type = BIT_ULL(bits) - 1; type < PERF_SAMPLE_MAX;
		     type = next_of_weight(type)) {
			/*
			 * A sample has at most one kind of weight: perf_event_open() rejects
			 * both.
			 */
			if ((type & PERF_SAMPLE_WEIGHT_TYPE) != PERF_SAMPLE_WEIGHT_TYPE) {
				env->event.attr.sample_type = type;
				if (!check_sample(test, env))
					return false;
				nr++;
			}
			if (!type)
				break;
		}
		cond_resched();
	}
	/* All combinations of up to 4 of 25 fields, except those with both weights */
	KUNIT_EXPECT_EQ(test, nr, 1 + 25 + (300 - 1) + (2300 - 23) + (12650 - 253));
	return true;
}

static void test_all_types(struct kunit *test)
{
	struct sample_env *env = env_alloc(test);
	struct perf_event_attr *attr = &env->event.attr;

	attr->read_format = PERF_FORMAT_ID | PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED;
	attr->sample_regs_user = 0x1ff;
	attr->sample_regs_intr = 0x101;
	attr->sample_stack_user = 1024;
	env_add_members(env, 2);
	if (!check_all_types(test, env))
		return;

	/* Samples in user mode, with all fields that a driver may set */
	env->given = true;
	attr->branch_sample_type = PERF_SAMPLE_BRANCH_HW_INDEX | PERF_SAMPLE_BRANCH_COUNTERS;
#ifdef CONFIG_X86_64
	env->regs.cs = __USER_CS;
#endif
	check_all_types(test, env);
}

static void test_every_field(struct kunit *test)
{
	struct sample_env *env = env_alloc(test);

	env->event.attr.sample_type = (PERF_SAMPLE_MAX - 1) & ~(u64)PERF_SAMPLE_WEIGHT_STRUCT;
	env->event.attr.sample_regs_user = 0x1;
	env->event.attr.sample_regs_intr = 0xff;
	check_sample(test, env);
	env->given = true;
	check_sample(test, env);
}

static void test_read_formats(struct kunit *test)
{
	struct sample_env *env = env_alloc(test);
	u64 format;
	int nr;

	env->event.attr.sample_type = PERF_SAMPLE_READ | PERF_SAMPLE_TID;
	for (nr = 0; nr <= TEST_MEMBERS; nr++) {
		INIT_LIST_HEAD(&env->event.sibling_list);
		env_add_members(env, nr);
		for (format = 0; format <= TEST_FORMATS; format++) {
			env->event.attr.read_format = format;
			if (!check_sample(test, env))
				return;
		}
	}
}

/* Add or remove a sibling after the computation of the size. */
static void test_read_group_changes(struct kunit *test)
{
	struct sample_env *env = env_alloc(test);
	unsigned int size;
	int nr;

	env->event.attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_LOST;
	env->event.attr.sample_type = PERF_SAMPLE_READ;
	for (nr = 0; nr <= TEST_MEMBERS; nr++) {
		INIT_LIST_HEAD(&env->event.sibling_list);
		env_add_members(env, nr);
		for (size = 0; size <= TEST_MEMBERS; size++) {
			env->event.read_size = perf_event_read_size(env->event.attr.read_format,
								    size);
			env->handle.addr = env->buffer;
			env->handle.size = TEST_BUFFER;
			perf_output_read(&env->handle, &env->event, env->event.read_size);
			KUNIT_EXPECT_EQ(test, (u8 *)env->handle.addr - env->buffer,
					env->event.read_size);
			KUNIT_EXPECT_EQ(test, *(u64 *)env->buffer, 1 + size);
		}
	}
}

/* The reserved size is written, even if the group changes in the meantime. */
static void test_group_changes_under_sample(struct kunit *test)
{
	struct sample_env *env = env_alloc(test);
	struct perf_event *event = &env->event;
	struct perf_event_header header;
	int before, after;

	event->attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	event->attr.sample_type = PERF_SAMPLE_READ | PERF_SAMPLE_TRANSACTION;
	for (before = 0; before <= TEST_MEMBERS; before++) {
		for (after = 0; after <= TEST_MEMBERS; after++) {
			INIT_LIST_HEAD(&event->sibling_list);
			env_add_members(env, before);
			perf_sample_layout(event);
			perf_sample_data_init(&env->data, 0, 0);
			env->data.txn = 0x123456789abcdef0;
			env->data.sample_flags |= PERF_SAMPLE_TRANSACTION;
			perf_prepare_sample(&env->data, event, &env->regs);
			perf_prepare_header(&header, &env->data, event, &env->regs);

			INIT_LIST_HEAD(&event->sibling_list);
			env_add_members(env, after);
			perf_sample_layout(event);
			env->handle.event = event;
			env->handle.addr = env->buffer;
			env->handle.size = TEST_BUFFER;
			perf_output_sample(&env->handle, &header, &env->data, event);
			KUNIT_EXPECT_EQ(test, (u8 *)env->handle.addr - env->buffer, header.size);
			KUNIT_EXPECT_EQ(test, ((u64 *)env->buffer)[1], 1 + before);
			KUNIT_EXPECT_EQ(test, ((u64 *)env->handle.addr)[-1], env->data.txn);
		}
	}
}

/* Drivers read active members, unless the handle forbids it. */
static void test_read_members(struct kunit *test)
{
	struct sample_env *env = env_alloc(test);
	int skip;

	env->event.attr.read_format = PERF_FORMAT_GROUP;
	env->event.state = PERF_EVENT_STATE_ACTIVE;
	env->member[0].state = PERF_EVENT_STATE_ACTIVE;
	env_add_members(env, 2);
	perf_sample_layout(&env->event);
	for (skip = 1; skip >= 0; skip--) {
		env->handle.addr = env->buffer;
		env->handle.size = TEST_BUFFER;
		env->handle.skip_read = skip;
		perf_output_read(&env->handle, &env->event, env->event.read_size);
	}
	KUNIT_EXPECT_EQ(test, local64_read(&env->event.count), 0x1000);
	KUNIT_EXPECT_EQ(test, local64_read(&env->member[0].count), 0x2001);
	KUNIT_EXPECT_EQ(test, local64_read(&env->member[1].count), 0x2100);
}

static void test_read_size_limit(struct kunit *test)
{
	struct sample_env *env = env_alloc(test);
	struct perf_event *leader = &env->event, *event = &env->member[0];

	mutex_lock(&env->ctx.mutex);
	/* nr, and one word per event: 16 KiB are 2047 events */
	leader->attr.read_format = PERF_FORMAT_GROUP;
	leader->nr_siblings = 2045;
	KUNIT_EXPECT_EQ(test, perf_read_size_check(event, leader), 0);
	leader->nr_siblings = 2046;
	KUNIT_EXPECT_EQ(test, perf_read_size_check(event, leader), -E2BIG);

	/*
	 * The 16 KiB limit also applies without PERF_FORMAT_GROUP: it bounds loops over a group
	 * with interrupts off.
	 */
	leader->attr.read_format = 0;
	KUNIT_EXPECT_EQ(test, perf_read_size_check(event, leader), -E2BIG);

	/* Too long with the read_format of the new event, then with that of a member */
	leader->nr_siblings = 2045;
	KUNIT_EXPECT_EQ(test, perf_read_size_check(event, leader), 0);
	event->attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	KUNIT_EXPECT_EQ(test, perf_read_size_check(event, leader), -E2BIG);
	event->attr.read_format = 0;
	env->member[1].attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	list_add_tail(&env->member[1].sibling_list, &leader->sibling_list);
	KUNIT_EXPECT_EQ(test, perf_read_size_check(event, leader), -E2BIG);
	leader->nr_siblings = 1000;
	KUNIT_EXPECT_EQ(test, perf_read_size_check(event, leader), 0);
	mutex_unlock(&env->ctx.mutex);
}

/* The record's size is correct and fits into a u16, even if a driver sets very long fields. */
static void test_too_long(struct kunit *test)
{
	struct sample_env *env = env_alloc(test);
	struct perf_event_header header;
	char *data = kunit_kzalloc(test, SZ_128K, GFP_KERNEL);
	u32 size;

	KUNIT_ASSERT_NOT_NULL(test, data);
	env->given = true;
	env->event.attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_RAW;
	for (size = 65400; size < 65700; size++) {
		bool fits = 16 + round_up(size + 4, 8) <= 65528;
		u64 written;

		env->raw.frag = (struct perf_raw_frag) { .data = data, .size = size };
		env_write(env, &header);
		written = (u8 *)env->handle.addr - env->buffer;
		KUNIT_ASSERT_EQ(test, header.size, written);
		KUNIT_ASSERT_EQ(test, written, fits ? 16 + round_up(size + 4, 8) : 24);
	}
}

/* All combinations of words in the trailer of records other than samples */
static void test_trailer(struct kunit *test)
{
	struct sample_env *env = env_alloc(test);
	static const u64 bits[] = {
		PERF_SAMPLE_TID, PERF_SAMPLE_TIME, PERF_SAMPLE_ID, PERF_SAMPLE_STREAM_ID,
		PERF_SAMPLE_CPU, PERF_SAMPLE_IDENTIFIER,
	};
	struct perf_event_header header;
	unsigned int i, j;

	for (i = 0; i < 2 * BIT(ARRAY_SIZE(bits)); i++) {
		bool all = i & 1;
		struct parser p = { .test = test, .ok = true, .at = env->buffer };
		u64 type = PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD;

		for (j = 0; j < ARRAY_SIZE(bits); j++)
			type |= i & BIT(j + 1) ? bits[j] : 0;
		env->event.attr.sample_type = type;
		env->event.attr.sample_id_all = all;
		perf_sample_layout(&env->event);
		memset(&env->data, 0x55, sizeof(env->data));
		memset(&env->handle, 0, sizeof(env->handle));
		env->handle.addr = env->buffer;
		env->handle.size = TEST_BUFFER;
		header.size = 8;

		preempt_disable();
		perf_event_header__init_id(&header, &env->data, &env->event);
		perf_event__output_id_sample(&env->event, &env->handle, &env->data);
		preempt_enable();

		p.type = type;
		p.end = env->handle.addr;
		if (all && (type & PERF_SAMPLE_TID))
			take_pair(&p, "pid, tid", current->tgid, current->pid);
		if (all && (type & PERF_SAMPLE_TIME))
			take_word(&p, "time", MARK(1));
		if (all && (type & PERF_SAMPLE_ID))
			take_word(&p, "id", MARK(0x10));
		if (all && (type & PERF_SAMPLE_STREAM_ID))
			take_word(&p, "stream_id", MARK(0x10));
		if (all && (type & PERF_SAMPLE_CPU))
			take_pair(&p, "cpu, res", env->data.cpu_entry.cpu, 0);
		if (all && (type & PERF_SAMPLE_IDENTIFIER))
			take_word(&p, "identifier", MARK(0x10));
		KUNIT_ASSERT_TRUE(test, p.ok);
		KUNIT_ASSERT_PTR_EQ(test, p.at, p.end);
		KUNIT_ASSERT_EQ(test, header.size - 8, p.end - env->buffer);
	}
}

/* A driver sets the fields that it supports, and the core sets the others. */
static void test_own_sample(struct kunit *test)
{
	struct sample_env *env = env_alloc(test);
	struct perf_event_header header = {};
	u64 *word = (u64 *)env->buffer + 1;

	env->event.attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
				      PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD;
	perf_sample_layout(&env->event);
	memset(&env->data, 0xa5, sizeof(env->data));
	env->handle.event = &env->event;
	env->data.ip = MARK(5);
	env->data.period = MARK(6);
	env->handle.addr = env->buffer;
	env->handle.size = TEST_BUFFER;

	preempt_disable();
	perf_event_header__init(&header, &env->data, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER,
				sizeof(header) + env->event.header_size, &env->event);
	perf_output_sample(&env->handle, &header, &env->data, &env->event);
	preempt_enable();

	KUNIT_EXPECT_EQ(test, header.type, (u32)PERF_RECORD_SAMPLE);
	KUNIT_EXPECT_EQ(test, header.misc, (u16)PERF_RECORD_MISC_USER);
	KUNIT_EXPECT_EQ(test, header.size, 6 * sizeof(u64));
	KUNIT_EXPECT_PTR_EQ(test, env->handle.addr, (void *)env->buffer + header.size);
	KUNIT_EXPECT_EQ(test, *word++, MARK(0x10));
	KUNIT_EXPECT_EQ(test, *word++, MARK(5));
	KUNIT_EXPECT_EQ(test, *(u32 *)word, (u32)current->tgid);
	KUNIT_EXPECT_EQ(test, *((u32 *)word++ + 1), (u32)current->pid);
	KUNIT_EXPECT_EQ(test, *word++, MARK(1));
	KUNIT_EXPECT_EQ(test, *word, MARK(6));

	/* A field that the driver does not set is empty, and does not leak the driver's stack. */
	env->event.attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_ADDR | PERF_SAMPLE_CALLCHAIN |
				      PERF_SAMPLE_RAW | PERF_SAMPLE_BRANCH_STACK |
				      PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER |
				      PERF_SAMPLE_WEIGHT | PERF_SAMPLE_TRANSACTION |
				      PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_AUX;
	env->event.attr.sample_regs_user = 7;
	env->event.attr.sample_regs_intr = 7;
	perf_sample_layout(&env->event);
	memset(&env->data, 0xa5, sizeof(env->data));
	env->data.ip = MARK(5);
	env->handle.addr = env->buffer;
	env->handle.size = TEST_BUFFER;
	preempt_disable();
	perf_event_header__init(&header, &env->data, PERF_RECORD_SAMPLE, 0, 0, &env->event);
	KUNIT_EXPECT_EQ(test, header.size, 12 * sizeof(u64));
	if (header.size == 12 * sizeof(u64))
		perf_output_sample(&env->handle, &header, &env->data, &env->event);
	preempt_enable();
	word = (u64 *)env->buffer + 1;
	KUNIT_EXPECT_PTR_EQ(test, env->handle.addr, (void *)env->buffer + header.size);
	KUNIT_EXPECT_EQ(test, *word++, MARK(5));
	KUNIT_EXPECT_EQ(test, *word++, 0ULL);			/* address */
	KUNIT_EXPECT_EQ(test, *word++, 0ULL);			/* callchain */
	KUNIT_EXPECT_EQ(test, *(u32 *)word++, (u32)sizeof(u32));	/* raw data */
	for (; (u8 *)word < env->buffer + 12 * sizeof(u64); word++)
		KUNIT_EXPECT_EQ(test, *word, 0ULL);
	env->event.attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	perf_sample_layout(&env->event);

	/* Other records have these words in their trailer. */
	env->event.attr.sample_id_all = 1;
	preempt_disable();
	perf_event_header__init(&header, &env->data, PERF_RECORD_LOST, 0, 24, &env->event);
	preempt_enable();
	KUNIT_EXPECT_EQ(test, header.size, 24 + 3 * sizeof(u64));
}

/* Take a sample of @addr at @ip, and check the sizes of the two pages. */
static void check_page_sizes(struct kunit *test, struct sample_env *env, void *addr, void *ip,
			     u64 data_size, u64 code_size)
{
	preempt_disable();
	perf_sample_data_init(&env->data, (unsigned long)addr, 1);
	env->data.ip = (unsigned long)ip;
	env->data.sample_flags |= PERF_SAMPLE_IP;
	perf_sample_prepare(&env->data, &env->event, &env->regs);
	preempt_enable();
	KUNIT_EXPECT_EQ(test, env->data.data_page_size, data_size);
	KUNIT_EXPECT_EQ(test, env->data.code_page_size, code_size);
}

/*
 * User space can choose a data address of the kernel. The size of its page
 * would show what is mapped there.
 */
static void test_pages_of_the_kernel(struct kunit *test)
{
	u64 data_size = perf_get_page_size((unsigned long)test);
	u64 code_size = perf_get_page_size((unsigned long)test_pages_of_the_kernel);
	struct sample_env *env = env_alloc(test);
	unsigned long user;

	if (!IS_ENABLED(CONFIG_X86_64) && !IS_ENABLED(CONFIG_ARM64))
		kunit_skip(test, "no page tables of the kernel that can be walked");
	KUNIT_ASSERT_NE(test, data_size, 0);
	KUNIT_ASSERT_NE(test, code_size, 0);
	env->event.attr.sample_type = PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE;
	perf_sample_layout(&env->event);
	check_page_sizes(test, env, test, test_pages_of_the_kernel, data_size, code_size);

	env->event.attr.exclude_kernel = 1;
	check_page_sizes(test, env, test, test_pages_of_the_kernel, 0, 0);

	/* The pages of user space are shown. */
	user = kunit_vm_mmap(test, NULL, 0, PAGE_SIZE, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, 0);
	KUNIT_ASSERT_NE(test, user, 0);
	KUNIT_ASSERT_EQ(test, put_user(1, (int __user *)user), 0);
	check_page_sizes(test, env, (void *)user, (void *)user, PAGE_SIZE, PAGE_SIZE);
}

/* Check the length of a sample with registers of the interrupted code, and their ABI. */
static void check_interrupted_abi(struct kunit *test, struct sample_env *env, u64 abi)
{
	struct perf_event_header header;
	const u64 *word = (const u64 *)(env->buffer + sizeof(header));
	unsigned int registers = abi == PERF_SAMPLE_REGS_ABI_NONE ? 0 : 3;

	env_write(env, &header);
	KUNIT_EXPECT_EQ(test, header.size, sizeof(header) + (2 + registers) * sizeof(u64));
	KUNIT_EXPECT_EQ(test, word[0], MARK(3));
	KUNIT_EXPECT_EQ(test, word[1], abi);
}

/*
 * The interrupt of an event that excludes the kernel may arrive in the kernel, after the counter
 * has stopped. The registers may have addresses and data of the kernel.
 */
static void test_registers_of_the_kernel(struct kunit *test)
{
	struct sample_env *env = env_alloc(test);
	u64 abi = perf_reg_abi(current);

	if (user_mode(&env->regs) || perf_reg_validate(0x7))
		kunit_skip(test, "no registers of the kernel");
	env->event.attr.sample_type = PERF_SAMPLE_PERIOD | PERF_SAMPLE_REGS_INTR;
	env->event.attr.sample_regs_intr = 0x7;
	check_interrupted_abi(test, env, abi);
	env->event.attr.exclude_kernel = 1;
	check_interrupted_abi(test, env, PERF_SAMPLE_REGS_ABI_NONE);
#ifdef CONFIG_X86_64
	/* The registers of user mode are shown. */
	env->regs.cs = __USER_CS;
	check_interrupted_abi(test, env, abi);
#endif
}

static struct kunit_case sample_cases[] = {
	KUNIT_CASE_SLOW(test_all_types),
	KUNIT_CASE(test_every_field),
	KUNIT_CASE(test_read_formats),
	KUNIT_CASE(test_read_group_changes),
	KUNIT_CASE(test_group_changes_under_sample),
	KUNIT_CASE(test_read_members),
	KUNIT_CASE(test_read_size_limit),
	KUNIT_CASE(test_too_long),
	KUNIT_CASE(test_trailer),
	KUNIT_CASE(test_own_sample),
	KUNIT_CASE(test_pages_of_the_kernel),
	KUNIT_CASE(test_registers_of_the_kernel),
	{}
};

static struct kunit_suite sample_suite = {
	.name		= "perf_sample",
	.test_cases	= sample_cases,
};

kunit_test_suite(sample_suite);
