// SPDX-License-Identifier: GPL-2.0
/*
 * AUX areas with a test driver: space for AUX output, records for the reader, and the lifetime of
 * the memory
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/cred.h>
#include <linux/kthread.h>
#include <linux/perf_event.h>
#include <linux/sched/mm.h>
#include <linux/sched/user.h>
#include <linux/slab.h>

#include "../cold.h"
#include "../record/aux.h"
#include "../record/buffer.h"
#include "../record/output.h"

#define AUX_PAGES	4
#define AUX_SIZE	(AUX_PAGES * PAGE_SIZE)

/* A grace period may take long on a loaded host. KUnit ends a test after 300 s. */
#define AUX_FREED_LIMIT	(120 * HZ)

/* A record in the buffer */
struct aux_record {
	struct perf_event_header	header;
	u64				offset;
	u64				size;
	u64				flags;
};

/**
 * struct aux_bench - an event with a buffer and an AUX area
 * @pmu: the driver
 * @event: the event
 * @cold: its cold part
 * @rb: its buffer
 * @aux: its AUX area
 * @read: position of the reader in the ring
 * @freed: pmu::free_aux was called
 * @pages: pages passed to pmu::setup_aux
 * @snapshot: result of pmu::snapshot_aux
 */
struct aux_bench {
	struct pmu		pmu;
	struct perf_event	event;
	struct perf_event_cold	cold;
	struct perf_buffer	*rb;
	struct perf_aux		*aux;
	unsigned long		read;
	struct completion	freed;
	void			**pages;
	long			snapshot;
};

/* pmu::setup_aux gets only the event, so find the bench from the event. */
static struct aux_bench *bench_of(struct perf_event *event)
{
	return container_of(event, struct aux_bench, event);
}

static void *test_setup_aux(struct perf_event *event, void **pages, int nr_pages, bool overwrite)
{
	struct aux_bench *bench = bench_of(event);

	bench->pages = pages;
	return nr_pages == AUX_PAGES ? bench : NULL;
}

static void test_free_aux(void *aux)
{
	struct aux_bench *bench = aux;

	complete(&bench->freed);
}

static long test_snapshot_aux(struct perf_event *event, struct perf_output_handle *handle,
			      unsigned long size)
{
	static const u8 bytes[16] = { [0 ... 15] = 0x5a };
	struct aux_bench *bench = bench_of(event);

	perf_output_copy(handle, bytes, bench->snapshot);
	/* An NMI that takes a sample during this call gets no AUX data. */
	if (perf_aux_sample_size(event, 64))
		return -EBUSY;
	return bench->snapshot;
}

static struct aux_bench *bench_make(struct kunit *test, bool overwrite, u32 watermark)
{
	struct aux_bench *bench = kunit_kzalloc(test, sizeof(*bench), GFP_KERNEL);
	struct perf_event *event;

	KUNIT_ASSERT_NOT_NULL(test, bench);
	init_completion(&bench->freed);
	bench->pmu.setup_aux = test_setup_aux;
	bench->pmu.free_aux = test_free_aux;
	bench->pmu.snapshot_aux = test_snapshot_aux;

	event = &bench->event;
	event->pmu = &bench->pmu;
	event->cpu = -1;
	event->attr.aux_watermark = watermark;
	event->cold = &bench->cold;
	bench->cold.event = event;
	bench->cold.ns = &init_pid_ns;
	init_waitqueue_head(&bench->cold.waitq);

	bench->rb = perf_buffer_alloc(1, 0, -1, false);
	KUNIT_ASSERT_NOT_NULL(test, bench->rb);
	RCU_INIT_POINTER(event->rb, bench->rb);

	bench->aux = perf_aux_alloc(bench->rb, event, 2, AUX_PAGES, overwrite);
	KUNIT_ASSERT_FALSE(test, IS_ERR(bench->aux));
	rcu_assign_pointer(bench->rb->aux, bench->aux);
	return bench;
}

static void bench_free(struct kunit *test, struct aux_bench *bench)
{
	RCU_INIT_POINTER(bench->rb->aux, NULL);
	perf_aux_put(bench->aux);
	KUNIT_EXPECT_NE(test, wait_for_completion_timeout(&bench->freed, AUX_FREED_LIMIT), 0);
	RCU_INIT_POINTER(bench->event.rb, NULL);
	perf_buffer_put(bench->rb);
}

/* Expect an AUX record with these contents as the next record. */
static void expect_record(struct kunit *test, struct aux_bench *bench, u64 offset, u64 size,
			  u64 flags)
{
	struct perf_event_mmap_page *user = bench->rb->ring.user;
	struct aux_record record;

	KUNIT_ASSERT_EQ(test, user->data_head, bench->read + sizeof(record));
	memcpy(&record, bench->rb->chunks[0] + bench->read, sizeof(record));
	KUNIT_EXPECT_EQ(test, record.header.type, PERF_RECORD_AUX);
	KUNIT_EXPECT_EQ(test, record.header.size, sizeof(record));
	KUNIT_EXPECT_EQ(test, record.offset, offset);
	KUNIT_EXPECT_EQ(test, record.size, size);
	KUNIT_EXPECT_EQ(test, record.flags, flags);
	bench->read += sizeof(record);
}

static void expect_nothing(struct kunit *test, struct aux_bench *bench)
{
	KUNIT_EXPECT_EQ(test, bench->rb->ring.user->data_head, bench->read);
}

static bool aux_test_woken(struct aux_bench *bench)
{
	return atomic_xchg(&bench->rb->poll, 0);
}

/* Begin AUX output with interrupts off, like a driver. */
static void *aux_begin(struct perf_output_handle *handle, struct perf_event *event)
{
	guard(irqsave)();
	return perf_aux_output_begin(handle, event);
}

static void aux_end(struct perf_output_handle *handle, unsigned long size)
{
	guard(irqsave)();
	perf_aux_output_end(handle, size);
}

static void aux_transactions(struct kunit *test)
{
	struct aux_bench *bench = bench_make(test, false, 0);
	struct perf_event_mmap_page *user = bench->rb->ring.user;
	struct perf_output_handle handle = {}, other = {};

	KUNIT_EXPECT_NULL(test, perf_get_aux(&handle));
	KUNIT_ASSERT_PTR_EQ(test, aux_begin(&handle, &bench->event), (void *)bench);
	KUNIT_EXPECT_PTR_EQ(test, perf_get_aux(&handle), (void *)bench);
	KUNIT_EXPECT_EQ(test, handle.head, 0);
	KUNIT_EXPECT_EQ(test, handle.size, AUX_SIZE - 1);
	KUNIT_EXPECT_EQ(test, handle.wakeup, AUX_SIZE / 2);
	/* A second AUX output cannot begin before the first one ends. */
	KUNIT_EXPECT_NULL(test, aux_begin(&other, &bench->event));
	KUNIT_EXPECT_NULL(test, perf_get_aux(&other));
	KUNIT_EXPECT_EQ(test, user->aux_head, 0);
	aux_end(&handle, 100);
	KUNIT_EXPECT_NULL(test, perf_get_aux(&handle));
	KUNIT_EXPECT_EQ(test, user->aux_head, 100);
	expect_record(test, bench, 0, 100, 0);
	KUNIT_EXPECT_FALSE(test, aux_test_woken(bench));

	/* An AUX output without data writes no record, unless it has a flag. */
	KUNIT_ASSERT_NOT_NULL(test, aux_begin(&handle, &bench->event));
	aux_end(&handle, 0);
	expect_nothing(test, bench);
	KUNIT_ASSERT_NOT_NULL(test, aux_begin(&handle, &bench->event));
	perf_aux_output_flag(&handle, PERF_AUX_FLAG_PARTIAL);
	aux_end(&handle, 0);
	expect_record(test, bench, 100, 0, PERF_AUX_FLAG_PARTIAL);
	/* A flag for the format of the data writes no record. */
	KUNIT_ASSERT_NOT_NULL(test, aux_begin(&handle, &bench->event));
	perf_aux_output_flag(&handle, PERF_AUX_FLAG_CORESIGHT_FORMAT_RAW);
	aux_end(&handle, 0);
	expect_nothing(test, bench);
	KUNIT_EXPECT_FALSE(test, aux_test_woken(bench));

	/* Write up to the watermark, in part by skipping. */
	KUNIT_ASSERT_NOT_NULL(test, aux_begin(&handle, &bench->event));
	KUNIT_EXPECT_EQ(test, handle.size, AUX_SIZE - 101);
	KUNIT_EXPECT_EQ(test, perf_aux_output_skip(&handle, AUX_SIZE - 100), -ENOSPC);
	KUNIT_EXPECT_EQ(test, perf_aux_output_skip(&handle, 28), 0);
	KUNIT_EXPECT_EQ(test, handle.head, 128);
	KUNIT_EXPECT_EQ(test, handle.size, AUX_SIZE - 129);
	KUNIT_EXPECT_EQ(test, user->aux_head, 128);
	aux_end(&handle, AUX_SIZE / 2 - 128);
	expect_record(test, bench, 128, AUX_SIZE / 2 - 128, 0);
	KUNIT_EXPECT_TRUE(test, aux_test_woken(bench));

	/* If the area is full, the event is disabled until the reader frees space. */
	KUNIT_ASSERT_NOT_NULL(test, aux_begin(&handle, &bench->event));
	KUNIT_EXPECT_EQ(test, handle.wakeup, AUX_SIZE);
	perf_aux_output_flag(&handle, PERF_AUX_FLAG_TRUNCATED);
	aux_end(&handle, handle.size);
	expect_record(test, bench, AUX_SIZE / 2, AUX_SIZE / 2 - 1, PERF_AUX_FLAG_TRUNCATED);
	KUNIT_EXPECT_TRUE(test, aux_test_woken(bench));
	KUNIT_EXPECT_NULL(test, aux_begin(&handle, &bench->event));
	KUNIT_EXPECT_NULL(test, perf_get_aux(&handle));
	KUNIT_EXPECT_TRUE(test, aux_test_woken(bench));
	user->aux_tail = 4096;
	KUNIT_ASSERT_NOT_NULL(test, aux_begin(&handle, &bench->event));
	KUNIT_EXPECT_EQ(test, handle.head, AUX_SIZE - 1);
	KUNIT_EXPECT_EQ(test, handle.size, 4096);
	aux_end(&handle, 0);

	/* With an invalid tail there is no space. */
	user->aux_tail = 3 * AUX_SIZE;
	KUNIT_EXPECT_NULL(test, aux_begin(&handle, &bench->event));
	user->aux_tail = -4 * AUX_SIZE;
	KUNIT_EXPECT_NULL(test, aux_begin(&handle, &bench->event));
	bench_free(test, bench);
}

static void aux_overwrite(struct kunit *test)
{
	struct aux_bench *bench = bench_make(test, true, 0);
	struct perf_event_mmap_page *user = bench->rb->ring.user;
	struct perf_output_handle handle;

	user->aux_tail = 1234;
	KUNIT_ASSERT_NOT_NULL(test, aux_begin(&handle, &bench->event));
	KUNIT_EXPECT_EQ(test, handle.size, 0);
	handle.head = 5000;
	aux_end(&handle, 0);
	/* In overwrite mode aux_head is sufficient, so there is no record. */
	expect_nothing(test, bench);
	KUNIT_EXPECT_EQ(test, user->aux_head, 5000);
	KUNIT_EXPECT_FALSE(test, aux_test_woken(bench));

	KUNIT_ASSERT_NOT_NULL(test, aux_begin(&handle, &bench->event));
	KUNIT_EXPECT_EQ(test, handle.head, 5000);
	handle.head = 77;
	aux_end(&handle, 16);
	expect_record(test, bench, 77, 16, PERF_AUX_FLAG_OVERWRITE);
	bench_free(test, bench);
}

static void aux_unmapped_meanwhile(struct kunit *test)
{
	struct aux_bench *bench = bench_make(test, false, 0);
	struct perf_event_mmap_page *user = bench->rb->ring.user;
	struct perf_output_handle handle;

	KUNIT_ASSERT_NOT_NULL(test, aux_begin(&handle, &bench->event));
	RCU_INIT_POINTER(bench->rb->aux, NULL);
	perf_aux_put(bench->aux);
	KUNIT_EXPECT_PTR_EQ(test, perf_get_aux(&handle), (void *)bench);
	/* During the AUX output the memory is not freed, and there is no reader to notify. */
	rcu_barrier();
	KUNIT_EXPECT_EQ(test, wait_for_completion_timeout(&bench->freed, HZ / 20), 0);
	memset(bench->pages[AUX_PAGES - 1], 0xff, PAGE_SIZE);
	aux_end(&handle, 4096);
	expect_nothing(test, bench);
	KUNIT_EXPECT_EQ(test, user->aux_head, 0);
	KUNIT_EXPECT_NULL(test, aux_begin(&handle, &bench->event));
	KUNIT_EXPECT_NE(test, wait_for_completion_timeout(&bench->freed, AUX_FREED_LIMIT), 0);

	RCU_INIT_POINTER(bench->event.rb, NULL);
	perf_buffer_put(bench->rb);
}

/*
 * The bench whose area user space unmaps between two steps of
 * perf_aux_output_begin().
 */
static struct aux_bench *aux_test_unmapped;

static void unmap_now(void)
{
	perf_test_aux_step = NULL;
	RCU_INIT_POINTER(aux_test_unmapped->rb->aux, NULL);
	/* No AUX output has begun, so perf_aux_stop_writer() does not wait. */
	perf_aux_stop_writer(aux_test_unmapped->aux);
	perf_aux_put(aux_test_unmapped->aux);
}

static void aux_unmapped_at_begin(struct kunit *test)
{
	struct aux_bench *bench = bench_make(test, false, 0);
	struct perf_output_handle handle;

	aux_test_unmapped = bench;
	perf_test_aux_step = unmap_now;
	KUNIT_EXPECT_NULL(test, aux_begin(&handle, &bench->event));
	KUNIT_EXPECT_NULL(test, perf_test_aux_step);
	KUNIT_EXPECT_NULL(test, bench->rb->aux_open);
	KUNIT_EXPECT_NULL(test, perf_get_aux(&handle));
	KUNIT_EXPECT_NE(test, wait_for_completion_timeout(&bench->freed, AUX_FREED_LIMIT), 0);
	perf_test_aux_step = NULL;

	RCU_INIT_POINTER(bench->event.rb, NULL);
	perf_buffer_put(bench->rb);
}

/* The memory of an unmapped area is free before user space can map the next area. */
static void aux_freed_at_once(struct kunit *test)
{
	struct aux_bench *bench = bench_make(test, false, 0);
	struct user_struct *user = get_uid(current_user());
	long before = atomic_long_read(&user->perf_mlock);

	/* Charge the pages as mmap(2) does. */
	atomic_long_add(AUX_PAGES, &user->perf_mlock);
	mmgrab(&init_mm);
	bench->aux->charge = (struct perf_charge) {
		.user = get_uid(user), .mm = &init_mm, .locked = AUX_PAGES,
	};
	refcount_inc(&bench->aux->refcount);
	RCU_INIT_POINTER(bench->rb->aux, NULL);
	perf_aux_put_now(bench->aux);
	KUNIT_EXPECT_FALSE(test, completion_done(&bench->freed));
	KUNIT_EXPECT_EQ(test, atomic_long_read(&user->perf_mlock), before + AUX_PAGES);
	perf_aux_put_now(bench->aux);
	KUNIT_EXPECT_TRUE(test, completion_done(&bench->freed));
	KUNIT_EXPECT_EQ(test, atomic_long_read(&user->perf_mlock), before);
	free_uid(user);

	RCU_INIT_POINTER(bench->event.rb, NULL);
	perf_buffer_put(bench->rb);
}

/* slow_setup_aux() completes slow_began, and waits for slow_goes. */
static struct completion slow_goes, slow_began;

static void *slow_setup_aux(struct perf_event *event, void **pages, int nr_pages, bool overwrite)
{
	complete(&slow_began);
	/* Longer than bench_free() may wait for the end of a grace period */
	wait_for_completion_timeout(&slow_goes, 60 * HZ);
	return test_setup_aux(event, pages, nr_pages, overwrite);
}

static int map_slowly(void *data)
{
	struct aux_bench *bench = data;

	bench->pmu.setup_aux = slow_setup_aux;
	bench->aux = perf_aux_alloc(bench->rb, &bench->event, 2, AUX_PAGES, false);
	complete(&bench->freed);
	return 0;
}

/* A slow pmu::setup_aux of one driver does not delay another driver. */
static void aux_drivers_do_not_wait(struct kunit *test)
{
	struct aux_bench *slow = bench_make(test, false, 0), *other;
	struct task_struct *thread;

	init_completion(&slow_goes);
	init_completion(&slow_began);
	RCU_INIT_POINTER(slow->rb->aux, NULL);
	perf_aux_put(slow->aux);
	wait_for_completion(&slow->freed);
	reinit_completion(&slow->freed);
	thread = kthread_run(map_slowly, slow, "perf_aux_test");
	KUNIT_ASSERT_FALSE(test, IS_ERR(thread));
	wait_for_completion(&slow_began);

	other = bench_make(test, false, 0);
	bench_free(test, other);
	/* Unregistration of another PMU does not wait for the slow driver, either. */
	perf_aux_revoke(&other->pmu);
	KUNIT_EXPECT_FALSE(test, completion_done(&slow->freed));

	complete(&slow_goes);
	wait_for_completion(&slow->freed);
	KUNIT_ASSERT_FALSE(test, IS_ERR(slow->aux));
	reinit_completion(&slow->freed);
	bench_free(test, slow);
}

static void aux_other_pmu(struct kunit *test)
{
	struct aux_bench *bench = bench_make(test, false, 0);
	struct perf_event child = { .parent = &bench->event, .pmu = &bench->pmu };
	struct perf_output_handle handle;
	struct pmu other = bench->pmu;

	/* An inherited event writes to the same area. An event of another PMU does not. */
	KUNIT_ASSERT_NOT_NULL(test, aux_begin(&handle, &child));
	KUNIT_EXPECT_PTR_EQ(test, handle.event, &child);
	aux_end(&handle, 8);
	expect_record(test, bench, 0, 8, 0);
	child.pmu = &other;
	KUNIT_EXPECT_NULL(test, aux_begin(&handle, &child));
	bench_free(test, bench);
}

/* Unregistering a PMU frees the driver's data of an area; the pages remain mapped. */
static void aux_driver_gone(struct kunit *test)
{
	struct aux_bench *bench = bench_make(test, false, 0);
	struct perf_output_handle handle;
	struct pmu other = bench->pmu;

	perf_aux_revoke(&other);
	KUNIT_EXPECT_FALSE(test, completion_done(&bench->freed));
	perf_aux_revoke(&bench->pmu);
	KUNIT_ASSERT_TRUE(test, completion_done(&bench->freed));
	KUNIT_EXPECT_NOT_NULL(test, perf_aux_page(bench->aux, bench->aux->pgoff));
	memset(bench->pages[AUX_PAGES - 1], 0xff, PAGE_SIZE);

	/* A later PMU at the same address gets no access to the area. */
	KUNIT_EXPECT_NULL(test, aux_begin(&handle, &bench->event));
	/* A mapping after unregistration does not call the driver, either. */
	bench->event.state = PERF_EVENT_STATE_DEAD;
	KUNIT_EXPECT_TRUE(test, IS_ERR(perf_aux_alloc(bench->rb, &bench->event, 1, AUX_PAGES,
						      false)));

	/* The memory is freed now, but pmu::free_aux is not called a second time. */
	reinit_completion(&bench->freed);
	RCU_INIT_POINTER(bench->rb->aux, NULL);
	perf_aux_put(bench->aux);
	rcu_barrier();
	KUNIT_EXPECT_EQ(test, wait_for_completion_timeout(&bench->freed, HZ / 20), 0);
	RCU_INIT_POINTER(bench->event.rb, NULL);
	perf_buffer_put(bench->rb);
}

static void aux_pieces(struct kunit *test)
{
	static const struct {
		int cap;
		bool overwrite;
		u32 watermark;
		unsigned int order;
	} cases[] = {
		{ 0, false, 0, 0 },
		{ 0, true, 0, 0 },
		{ PERF_PMU_CAP_AUX_PREFER_LARGE, false, 0, 1 },
		{ PERF_PMU_CAP_AUX_PREFER_LARGE, false, PAGE_SIZE, 0 },
		{ PERF_PMU_CAP_AUX_PREFER_LARGE, false, 3 * PAGE_SIZE, 2 },
		{ PERF_PMU_CAP_AUX_PREFER_LARGE, false, 64 * PAGE_SIZE, 2 },
		{ PERF_PMU_CAP_AUX_NO_SG, true, 0, 2 },
	};
	struct aux_bench *bench = bench_make(test, false, 0);
	struct perf_aux *aux;
	unsigned int i, k;

	bench_free(test, bench);
	bench->rb = perf_buffer_alloc(0, 0, -1, false);
	KUNIT_ASSERT_NOT_NULL(test, bench->rb);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		bench->pmu.capabilities = cases[i].cap;
		bench->event.attr.aux_watermark = cases[i].watermark;
		reinit_completion(&bench->freed);
		aux = perf_aux_alloc(bench->rb, &bench->event, 1, AUX_PAGES, cases[i].overwrite);
		KUNIT_ASSERT_FALSE(test, IS_ERR(aux));
		for (k = 0; k < AUX_PAGES; k++) {
			struct page *page = virt_to_page(aux->pages[k]);
			bool first = !(k & ((1 << cases[i].order) - 1));

			KUNIT_EXPECT_EQ(test, page_count(page), 1);
			KUNIT_EXPECT_EQ(test, page_private(page), cases[i].order * first);
			KUNIT_EXPECT_PTR_EQ(test, perf_aux_page(aux, 1 + k), page);
			if (!first)
				KUNIT_EXPECT_PTR_EQ(test, aux->pages[k],
						    aux->pages[k - 1] + PAGE_SIZE);
		}
		KUNIT_EXPECT_NULL(test, perf_aux_page(aux, 0));
		KUNIT_EXPECT_NULL(test, perf_aux_page(aux, 1 + AUX_PAGES));
		perf_aux_put(aux);
		KUNIT_EXPECT_NE(test,
				wait_for_completion_timeout(&bench->freed, AUX_FREED_LIMIT), 0);
	}

	/* Requests rejected by the driver, and PMUs without AUX area */
	aux = perf_aux_alloc(bench->rb, &bench->event, 1, 2 * AUX_PAGES, false);
	KUNIT_EXPECT_EQ(test, PTR_ERR(aux), -ENOMEM);
	bench->pmu.setup_aux = NULL;
	aux = perf_aux_alloc(bench->rb, &bench->event, 1, AUX_PAGES, false);
	KUNIT_EXPECT_EQ(test, PTR_ERR(aux), -EOPNOTSUPP);
	perf_buffer_put(bench->rb);
}

static void aux_copies(struct kunit *test)
{
	struct aux_bench *bench = bench_make(test, false, 0);
	struct perf_output_handle aux_handle, handle;
	struct perf_sample_data data;
	u8 *to = bench->rb->chunks[0];
	unsigned int i;

	for (i = 0; i < AUX_SIZE; i++)
		((u8 *)bench->pages[i / PAGE_SIZE])[i % PAGE_SIZE] = i / 16;
	KUNIT_ASSERT_NOT_NULL(test, aux_begin(&aux_handle, &bench->event));
	KUNIT_ASSERT_EQ(test, perf_output_begin(&handle, &data, &bench->event, 96), 0);
	/* Copy across the end of a page, then across the end of the area. */
	KUNIT_EXPECT_EQ(test, 48, perf_output_copy_aux(&aux_handle, &handle, PAGE_SIZE - 16,
						       PAGE_SIZE + 32));
	KUNIT_EXPECT_EQ(test, 48, perf_output_copy_aux(&aux_handle, &handle,
						       9 * AUX_SIZE - 32, 16));
	perf_output_end(&handle);
	for (i = 0; i < 48; i++) {
		KUNIT_EXPECT_EQ(test, to[i], (u8)((PAGE_SIZE - 16 + i) / 16));
		KUNIT_EXPECT_EQ(test, to[48 + i], (u8)((AUX_SIZE - 32 + i) % AUX_SIZE / 16));
	}
	aux_end(&aux_handle, 0);

	/*
	 * A sample contains the bytes from the driver, padded with zeros, of a trace that runs on
	 * this CPU.
	 */
	KUNIT_EXPECT_EQ(test, perf_aux_sample_size(NULL, 64), 0);
	KUNIT_EXPECT_EQ(test, perf_aux_sample_size(&bench->event, 64), 0);
	preempt_disable();
	bench->event.state = PERF_EVENT_STATE_ACTIVE;
	bench->event.oncpu = smp_processor_id() + 1;
	KUNIT_EXPECT_EQ(test, perf_aux_sample_size(&bench->event, 64), 0);
	bench->event.oncpu = smp_processor_id();
	KUNIT_EXPECT_EQ(test, perf_aux_sample_size(&bench->event, 9), 16);
	KUNIT_EXPECT_EQ(test, perf_aux_sample_size(&bench->event, ULONG_MAX), AUX_SIZE);
	bench->snapshot = 16;
	KUNIT_ASSERT_EQ(test, perf_output_begin(&handle, &data, &bench->event, 96), 0);
	perf_aux_sample_write(&bench->event, &handle, 96);
	perf_output_end(&handle);
	for (i = 0; i < 96; i++)
		KUNIT_EXPECT_EQ(test, to[96 + i], i < 16 ? 0x5a : 0);
	/* The AUX event was closed after the computation of the sample's size. */
	KUNIT_ASSERT_EQ(test, perf_output_begin(&handle, &data, &bench->event, 96), 0);
	perf_aux_sample_write(NULL, &handle, 96);
	perf_output_end(&handle);
	for (i = 0; i < 96; i++)
		KUNIT_EXPECT_EQ(test, to[2 * 96 + i], 0);
	bench->read = 3 * 96;
	expect_nothing(test, bench);

	rcu_assign_pointer(bench->rb->aux, NULL);
	KUNIT_EXPECT_EQ(test, perf_aux_sample_size(&bench->event, 64), 0);
	preempt_enable();
	bench_free(test, bench);
}

static int aux_test_matches(struct perf_event *leader)
{
	return 1;
}

static int matches_not(struct perf_event *leader)
{
	return 0;
}

/* The leader's PMU must support the AUX features that a member uses. */
static void aux_leader_has_capability(struct kunit *test)
{
	struct perf_event *leader = kunit_kzalloc(test, sizeof(*leader), GFP_KERNEL);
	struct perf_event *member = kunit_kzalloc(test, sizeof(*member), GFP_KERNEL);
	struct pmu *pmus = kunit_kcalloc(test, 2, sizeof(*pmus), GFP_KERNEL);
	struct perf_event_attr *attr;
	unsigned int can, asked;

	KUNIT_ASSERT_NOT_NULL(test, leader);
	KUNIT_ASSERT_NOT_NULL(test, member);
	KUNIT_ASSERT_NOT_NULL(test, pmus);
	attr = &member->attr;
	leader->pmu = &pmus[0];
	member->pmu = &pmus[1];
	INIT_LIST_HEAD(&leader->sibling_list);
	INIT_LIST_HEAD(&member->sibling_list);
	refcount_set(&leader->refcount, 1);
	refcount_set(&member->refcount, 1);
	for (can = 0; can < 16; can++) {
		pmus[0].setup_aux = can & 1 ? test_setup_aux : NULL;
		pmus[0].snapshot_aux = can & 2 ? test_snapshot_aux : NULL;
		pmus[0].capabilities = can & 4 ? PERF_PMU_CAP_AUX_PAUSE : 0;
		pmus[1].aux_output_match = can & 8 ? aux_test_matches :
					   can & 4 ? matches_not : NULL;
		for (asked = 0; asked < 16; asked++) {
			bool sample = asked & 1, output = asked & 8;
			bool want = can & 1;

			attr->aux_sample_size = sample ? 64 : 0;
			attr->aux_pause = !!(asked & 2);
			attr->aux_resume = !!(asked & 4);
			attr->aux_output = output;
			want &= !sample || (can & 2);
			want &= !(asked & 6) || (can & 4);
			want &= !output || (can & 8);
			want &= !(sample && output);
			KUNIT_EXPECT_EQ_MSG(test, perf_event_set_aux_output(member, leader), want,
					    "asked for %x of %x", asked, can);
			KUNIT_EXPECT_EQ(test, refcount_read(&leader->refcount), 1 + want);
			if (member->aux_event)
				perf_event_clear_aux_output(member);
			KUNIT_EXPECT_FALSE(test, perf_event_set_aux_output(leader, leader));
		}
	}
}

static struct kunit_case aux_cases[] = {
	KUNIT_CASE(aux_transactions),
	KUNIT_CASE(aux_overwrite),
	KUNIT_CASE(aux_unmapped_meanwhile),
	KUNIT_CASE(aux_unmapped_at_begin),
	KUNIT_CASE(aux_freed_at_once),
	KUNIT_CASE(aux_drivers_do_not_wait),
	KUNIT_CASE(aux_other_pmu),
	KUNIT_CASE(aux_driver_gone),
	KUNIT_CASE(aux_pieces),
	KUNIT_CASE(aux_copies),
	KUNIT_CASE(aux_leader_has_capability),
	{}
};

static struct kunit_suite aux_suite = {
	.name		= "perf_aux",
	.test_cases	= aux_cases,
};

kunit_test_suite(aux_suite);
