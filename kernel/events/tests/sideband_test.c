// SPDX-License-Identifier: GPL-2.0
/*
 * Side-band records that a task or a softirq writes: a softirq interrupts any task, so its records
 * are for the events of the CPU only.
 */
#include <kunit/test.h>
#include <linux/bpf.h>
#include <linux/interrupt.h>
#include <linux/perf_event.h>

#include "../record/buffer.h"
#include "../record/sideband.h"

#define TEST_ADDR	0x5a00beefUL
#define TEST_ID		0x5aeebeef

/* Records that the test writes */
enum test_record {
	TEST_KSYMBOL,
	TEST_BPF,
	TEST_TEXT_POKE,
	NR_TEST_RECORDS
};

/**
 * struct listener - an event that requests the records
 * @event: the event
 * @rb: its buffer
 */
struct listener {
	struct perf_event	*event;
	struct perf_buffer	*rb;
};

/**
 * struct writer - a tasklet that writes the records
 * @tasklet: the tasklet
 * @prog: the program of the BPF_EVENT record
 * @interrupted: the task that the tasklet has interrupted
 * @has_listener: result of perf_record_has_listener() for a KSYMBOL record
 */
struct writer {
	struct tasklet_struct	tasklet;
	struct bpf_prog		*prog;
	struct task_struct	*interrupted;
	bool			has_listener;
};

static void listener_end(void *data)
{
	struct listener *to = data;

	RCU_INIT_POINTER(to->event->rb, NULL);
	synchronize_rcu();
	perf_event_release_kernel(to->event);
	if (to->rb)
		perf_buffer_put(to->rb);
}

static struct listener *listener_make(struct kunit *test, int cpu, struct task_struct *task)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY,
		.size = sizeof(attr), .ksymbol = 1, .bpf_event = 1, .text_poke = 1,
	};
	struct listener *to = kunit_kzalloc(test, sizeof(*to), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, to);
	to->event = perf_event_create_kernel_counter(&attr, cpu, task, NULL, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(to->event));
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, listener_end, to), 0);
	to->rb = perf_buffer_alloc(1, 0, -1, false);
	KUNIT_ASSERT_NOT_NULL(test, to->rb);
	/* The test has no reader to wake up. */
	to->rb->ring.watermark = ULONG_MAX;
	rcu_assign_pointer(to->event->rb, to->rb);
	return to;
}

/* Write a record of each kind about code that is freed. */
static void write_records(struct bpf_prog *prog)
{
	static const u8 byte;

	__perf_event_ksymbol(PERF_RECORD_KSYMBOL_TYPE_OOL, TEST_ADDR, 8, true, "freed");
	__perf_event_text_poke((void *)TEST_ADDR, &byte, 1, NULL, 0);
	if (IS_ENABLED(CONFIG_BPF_SYSCALL))
		__perf_event_bpf_event(prog, PERF_BPF_EVENT_PROG_UNLOAD, 0);
}

/* Expect one or no record of each kind, apart from records of others. */
static void expect_records(struct kunit *test, const struct listener *to, bool some)
{
	unsigned long end = to->rb->ring.user->data_head, at;
	int found[NR_TEST_RECORDS] = {}, i;

	KUNIT_ASSERT_LT(test, end, PAGE_SIZE);
	for (at = 0; at < end;) {
		const struct perf_event_header *head = to->rb->chunks[0] + at;
		const void *body = head + 1;

		KUNIT_ASSERT_GE(test, head->size, sizeof(*head));
		if (head->type == PERF_RECORD_KSYMBOL)
			found[TEST_KSYMBOL] += *(u64 *)body == TEST_ADDR;
		if (head->type == PERF_RECORD_TEXT_POKE)
			found[TEST_TEXT_POKE] += *(u64 *)body == TEST_ADDR;
		if (head->type == PERF_RECORD_BPF_EVENT)
			found[TEST_BPF] += *(u32 *)(body + 4) == TEST_ID;
		at += head->size;
	}
	for (i = 0; i < NR_TEST_RECORDS; i++) {
		bool written = i != TEST_BPF || IS_ENABLED(CONFIG_BPF_SYSCALL);

		KUNIT_EXPECT_EQ_MSG(test, found[i], some && written, "record %d", i);
	}
}

static bool ksymbol_has_listener(void)
{
	struct perf_record record = { PERF_RECORD_OF(perf_ksymbol_kind) };

	return perf_record_has_listener(&record);
}

static void write_in_softirq(struct tasklet_struct *tasklet)
{
	struct writer *writer = container_of(tasklet, struct writer, tasklet);

	writer->interrupted = current;
	writer->has_listener = ksymbol_has_listener();
	write_records(writer->prog);
}

/* Write the records in a softirq that interrupts this task. */
static void interrupt_and_write(struct writer *writer)
{
	tasklet_setup(&writer->tasklet, write_in_softirq);
	/* The softirq runs in local_bh_enable(), and not in ksoftirqd or in an interrupt. */
	local_bh_disable();
	tasklet_schedule(&writer->tasklet);
	local_bh_enable();
	tasklet_kill(&writer->tasklet);
}

static int sideband_test_init(struct kunit *test)
{
	struct bpf_prog_aux *aux = kunit_kzalloc(test, sizeof(*aux), GFP_KERNEL);
	struct bpf_prog *prog = kunit_kzalloc(test, sizeof(*prog), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, aux);
	KUNIT_ASSERT_NOT_NULL(test, prog);
	aux->id = TEST_ID;
	prog->aux = aux;
	test->priv = prog;
	/* The events of a CPU get the records that are written on this CPU. */
	set_cpus_allowed_ptr(current, cpumask_of(cpumask_first(cpu_online_mask)));
	return 0;
}

/* A task frees code: its own events get the records, as do those of its CPU. */
static void records_of_a_task(struct kunit *test)
{
	struct listener *of_task = listener_make(test, -1, current);
	struct listener *of_cpu = listener_make(test, raw_smp_processor_id(), NULL);

	KUNIT_EXPECT_TRUE(test, ksymbol_has_listener());
	write_records(test->priv);
	expect_records(test, of_task, true);
	expect_records(test, of_cpu, true);
}

/* A softirq frees code, which may be another user's: the events of the CPU get the records. */
static void records_of_a_softirq(struct kunit *test)
{
	struct listener *of_task = listener_make(test, -1, current);
	struct listener *of_cpu = listener_make(test, raw_smp_processor_id(), NULL);
	struct writer writer = { .prog = test->priv };

	interrupt_and_write(&writer);
	KUNIT_ASSERT_PTR_EQ(test, writer.interrupted, current);
	KUNIT_EXPECT_TRUE(test, writer.has_listener);
	expect_records(test, of_task, false);
	expect_records(test, of_cpu, true);
}

/* The events of a task do not request the records of softirqs that interrupt the task. */
static void task_does_not_listen_to_softirqs(struct kunit *test)
{
	struct listener *of_task = listener_make(test, -1, current);
	struct writer writer = { .prog = test->priv };

	KUNIT_EXPECT_TRUE(test, ksymbol_has_listener());
	interrupt_and_write(&writer);
	KUNIT_ASSERT_PTR_EQ(test, writer.interrupted, current);
	KUNIT_EXPECT_FALSE(test, writer.has_listener);
	expect_records(test, of_task, false);
}

static struct kunit_case sideband_cases[] = {
	KUNIT_CASE(records_of_a_task),
	KUNIT_CASE(records_of_a_softirq),
	KUNIT_CASE(task_does_not_listen_to_softirqs),
	{}
};

static struct kunit_suite sideband_suite = {
	.name		= "perf_sideband",
	.init		= sideband_test_init,
	.test_cases	= sideband_cases,
};

kunit_test_suite(sideband_suite);
