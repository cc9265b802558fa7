// SPDX-License-Identifier: GPL-2.0
/*
 * Positions in rings of records, and memory of real buffers. A user-space test with the same
 * headers covers writers that interrupt one another: tools/testing/perf_events/ring_model_test.c.
 */
#include <kunit/test.h>
#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/wait.h>

#include "../record/buffer.h"
#include "../record/output.h"

static void ring_room(struct kunit *test)
{
	static const unsigned long positions[] = {
		0, 1, 8, 63, 64, 65, 4096, LONG_MAX, 1UL << (BITS_PER_LONG - 1), -64UL, -8UL, -1UL,
	};
	unsigned long size, used;
	unsigned int i, k;

	for (size = 8; size <= 4096; size *= 2) {
		for (i = 0; i < ARRAY_SIZE(positions); i++) {
			for (used = 0; used < size; used++) {
				unsigned long pos = positions[i];

				KUNIT_EXPECT_EQ(test, perf_ring_room(pos + used, pos, size, false),
						size - 1 - used);
				KUNIT_EXPECT_EQ(test, perf_ring_room(pos - used, pos, size, true),
						size - 1 - used);
			}
			/*
			 * Invalid tails from user space never result in more space than the ring
			 * has.
			 */
			for (k = 0; k < ARRAY_SIZE(positions); k++)
				KUNIT_EXPECT_LT(test, perf_ring_room(positions[i], positions[k],
								     size, k & 1), size);
		}
	}
}

static void ring_place(struct kunit *test)
{
	unsigned long pos, offset;

	for (pos = 0; pos < 32 * 8; pos++) {
		KUNIT_EXPECT_EQ(test, perf_ring_place(pos, 3, 4, &offset), pos / 8 % 4);
		KUNIT_EXPECT_EQ(test, offset, pos % 8);
	}
	KUNIT_EXPECT_EQ(test, perf_ring_place(-1UL, 3, 4, &offset), 3);
	KUNIT_EXPECT_EQ(test, offset, 7);
	KUNIT_EXPECT_EQ(test, perf_ring_place(-1UL, 5, 1, &offset), 0);
	KUNIT_EXPECT_EQ(test, offset, 31);
}

struct real_buffer {
	struct perf_event	*event;
	struct perf_buffer	*rb;
};

static struct real_buffer real_buffer(struct kunit *test, unsigned long nr_pages)
{
	struct real_buffer real;

	real.event = kunit_kzalloc(test, sizeof(*real.event), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, real.event);
	real.event->cold = kunit_kzalloc(test, sizeof(*real.event->cold), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, real.event->cold);
	real.rb = perf_buffer_alloc(nr_pages, 0, -1, false);
	KUNIT_ASSERT_NOT_NULL(test, real.rb);
	/* Prevent wakeups, because the test's event does not support them. */
	real.rb->ring.watermark = ULONG_MAX;
	RCU_INIT_POINTER(real.event->rb, real.rb);
	return real;
}

static u8 *data_byte(struct perf_buffer *rb, unsigned long pos)
{
	unsigned long offset;
	unsigned int chunk = perf_ring_place(pos, rb->chunk_shift, rb->nr_chunks, &offset);

	return rb->chunks[chunk] + offset;
}

static unsigned long copy_half(void *to, const void *from, unsigned long off, unsigned long len)
{
	unsigned long n = min(len, off < 20 ? 20 - off : 0);

	memcpy(to, from + off, n);
	return len - n;
}

static void buffer_copies(struct kunit *test)
{
	struct real_buffer real = real_buffer(test, 2);
	struct perf_event_mmap_page *user = real.rb->ring.user;
	struct perf_output_handle handle;
	struct perf_sample_data data;
	u8 from[64], expect[64];
	unsigned int i, start;

	for (i = 0; i < sizeof(from); i++)
		from[i] = 0x40 + i;
	memcpy(expect, from, sizeof(from));
	memset(expect + 36, 0, 4);

	/*
	 * Write a record of 64 bytes at each position around the end of a page and around the end
	 * of the ring.
	 */
	for (start = PAGE_SIZE - 80; start < 2 * PAGE_SIZE + 80; start += 8) {
		if (start == PAGE_SIZE + 80)
			start = 2 * PAGE_SIZE - 80;
		local_set(&real.rb->ring.head, start);
		user->data_tail = start;
		for (i = 0; i < 64; i++)
			*data_byte(real.rb, start + i) = 0;

		KUNIT_ASSERT_EQ(test, perf_output_begin(&handle, &data, real.event, 64), 0);
		KUNIT_EXPECT_TRUE(test, preempt_count() || !IS_ENABLED(CONFIG_PREEMPT_COUNT));
		perf_output_put_u64(&handle, *(u64 *)from);
		KUNIT_EXPECT_EQ(test, perf_output_copy(&handle, from + 8, 8), 0);
		/* copy_half() copies 20 of 24 bytes. */
		KUNIT_EXPECT_EQ(test, 4, perf_output_copy_custom(&handle, copy_half,
								 from + 16, 24));
		KUNIT_EXPECT_EQ(test, perf_output_skip(&handle, 4), 0);
		for (i = 40; i < 64; i += 8)
			perf_output_put_u64(&handle, *(u64 *)(from + i));
		KUNIT_EXPECT_NE(test, user->data_head, start + 64);
		perf_output_end(&handle);

		KUNIT_EXPECT_EQ(test, user->data_head, start + 64);
		for (i = 0; i < 64; i++)
			KUNIT_EXPECT_EQ(test, *data_byte(real.rb, start + i), expect[i]);
	}
	KUNIT_EXPECT_EQ(test, perf_event_lost(real.event), 0);
	perf_buffer_put(real.rb);
}

static void buffer_refuses(struct kunit *test)
{
	struct real_buffer real = real_buffer(test, 1);
	struct perf_event child = { .parent = real.event };
	struct perf_output_handle handle;
	struct perf_sample_data data;

	/* 8 bytes are left in the ring. One byte is always unused. */
	local_set(&real.rb->ring.head, PAGE_SIZE - 16);
	KUNIT_EXPECT_EQ(test, perf_output_begin(&handle, &data, &child, 16), -ENOSPC);
	KUNIT_EXPECT_EQ(test, perf_event_lost(real.event), 1);
	KUNIT_EXPECT_EQ(test, local_read(&real.rb->ring.lost), 1);
	KUNIT_EXPECT_EQ(test, real.rb->ring.nest, 0);
	local_set(&real.rb->ring.lost, 0);
	KUNIT_EXPECT_EQ(test, perf_output_begin(&handle, &data, &child, 8), 0);
	KUNIT_EXPECT_PTR_EQ(test, handle.event, real.event);
	perf_output_put_u64(&handle, 1);
	perf_output_end(&handle);

	/* Another CPU owns the ring until the buffer is shared and a grace period has ended. */
	local_set(&real.rb->ring.head, 0);
	real.rb->cpu = nr_cpu_ids;
	KUNIT_EXPECT_EQ(test, perf_output_begin(&handle, &data, real.event, 8), -ENOSPC);
	KUNIT_EXPECT_EQ(test, perf_event_lost(real.event), 2);
	real.rb->used = true;
	perf_buffer_share(real.event);
	/* A grace period that begins here does not end inside an RCU read-side section. */
	scoped_guard(rcu) {
		get_state_synchronize_rcu_full(&real.rb->grace_cookie);
		KUNIT_EXPECT_EQ(test, perf_output_begin(&handle, &data, real.event, 8), -ENOSPC);
	}
	KUNIT_EXPECT_EQ(test, perf_event_lost(real.event), 3);
	KUNIT_EXPECT_EQ(test, local_read(&real.rb->ring.lost), 1);
	local_set(&real.rb->ring.lost, 0);
	synchronize_rcu();
	KUNIT_EXPECT_EQ(test, perf_output_begin(&handle, &data, real.event, 8), 0);
	perf_output_put_u64(&handle, 1);
	perf_output_end(&handle);

	KUNIT_EXPECT_EQ(test, perf_event_pause_output(real.event, 1), 0);
	KUNIT_EXPECT_EQ(test, perf_output_begin(&handle, &data, real.event, 8), -ENOSPC);
	KUNIT_EXPECT_EQ(test, local_read(&real.rb->ring.lost), 1);
	KUNIT_EXPECT_EQ(test, perf_event_lost(real.event), 4);
	perf_buffer_put(real.rb);

	/* Without data pages a record fails, but is not counted as lost. */
	real = real_buffer(test, 0);
	KUNIT_EXPECT_EQ(test, perf_output_begin(&handle, &data, real.event, 8), -ENOSPC);
	KUNIT_EXPECT_EQ(test, perf_event_lost(real.event), 0);
	KUNIT_EXPECT_EQ(test, perf_event_pause_output(real.event, 1), -EINVAL);
	perf_buffer_put(real.rb);

	RCU_INIT_POINTER(real.event->rb, NULL);
	KUNIT_EXPECT_EQ(test, perf_output_begin(&handle, &data, real.event, 8), -ENOSPC);
	KUNIT_EXPECT_EQ(test, perf_event_pause_output(real.event, 1), -EINVAL);
}

/* A record of one word, and the result of perf_output_begin() for it */
struct elsewhere {
	struct perf_event	*event;
	u64			word;
	int			ret;
};

static void write_word(void *info)
{
	struct elsewhere *other = info;
	struct perf_output_handle handle;
	struct perf_sample_data data;

	other->ret = perf_output_begin(&handle, &data, other->event, sizeof(u64));
	if (other->ret)
		return;
	perf_output_put_u64(&handle, other->word);
	perf_output_end(&handle);
}

/*
 * One CPU is in the middle of a record, like an interrupted or stopped CPU. Another CPU, with
 * interrupts off, must not wait for it.
 */
static void buffer_of_two_cpus(struct kunit *test)
{
	struct real_buffer real = real_buffer(test, 1);
	struct perf_event_mmap_page *user = real.rb->ring.user;
	struct elsewhere other = { .event = real.event, .word = 2 };
	struct elsewhere inside = { .event = real.event, .word = 3 };
	struct perf_output_handle handle;
	struct perf_sample_data data;
	unsigned int cpu, i;

	perf_buffer_share(real.event);
	KUNIT_ASSERT_EQ(test, perf_output_begin(&handle, &data, real.event, sizeof(u64)), 0);
	cpu = cpumask_any_but(cpu_online_mask, smp_processor_id());
	if (cpu >= nr_cpu_ids) {
		perf_output_end(&handle);
		perf_buffer_put(real.rb);
		kunit_skip(test, "one CPU");
	}
	KUNIT_EXPECT_EQ(test, smp_call_function_single(cpu, write_word, &other, 1), 0);
	KUNIT_EXPECT_EQ(test, other.ret, 0);
	write_word(&inside);
	KUNIT_EXPECT_EQ(test, inside.ret, 0);
	/* The records are not visible yet, because the record before them is not complete. */
	KUNIT_EXPECT_EQ(test, user->data_head, 0);
	perf_output_put_u64(&handle, 1);
	perf_output_end(&handle);

	KUNIT_EXPECT_EQ(test, user->data_head, 3 * sizeof(u64));
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, *(u64 *)data_byte(real.rb, i * sizeof(u64)), i + 1);
	KUNIT_EXPECT_EQ(test, perf_event_lost(real.event), 0);
	perf_buffer_put(real.rb);
}

/*
 * A record with PERF_RING_WAKE is committed while a wakeup of the readers flushes the
 * buffer. The flush publishes the record, so it must also wake the readers for it.
 */
static void flush_of_two_cpus_wakes(struct kunit *test)
{
	struct real_buffer real = real_buffer(test, 1);
	struct perf_shared_ring *shared = &real.rb->shared;
	unsigned long start;

	/* The event has no references, so no wakeup is queued for it. */
	KUNIT_ASSERT_EQ(test, refcount_read(&real.event->refcount), 0);
	perf_buffer_share(real.event);
	KUNIT_ASSERT_NE(test, perf_ring_reserve_shared(&real.rb->ring, shared, 8, false, &start),
			0);
	/* Repeat the steps of perf_ring_commit() if another CPU has set PERF_RING_CLOSING. */
	shared->wake[0] = true;
	atomic_long_add(8, &shared->committed[0]);
	KUNIT_EXPECT_EQ(test, real.rb->ring.user->data_head, 0);

	perf_event_wakeup(real.event);
	KUNIT_EXPECT_EQ(test, real.rb->ring.user->data_head, 8);
	KUNIT_EXPECT_NE(test, atomic_read(&real.rb->poll), 0);
	perf_buffer_put(real.rb);
}

/* A writer gets only memory that it has reserved. */
static void buffer_no_record_without_bytes(struct kunit *test)
{
	struct real_buffer real = real_buffer(test, 1);
	struct perf_output_handle handle;
	struct perf_sample_data data;
	unsigned int shared;

	for (shared = 0; shared < 2; shared++) {
		real.rb->ring.overwrite = shared;
		KUNIT_EXPECT_EQ(test, perf_output_begin(&handle, &data, real.event, 0), -ENOSPC);
		KUNIT_EXPECT_EQ(test, perf_event_lost(real.event), 2 * shared + 1);
		real.rb->ring.overwrite = !shared;
		KUNIT_EXPECT_EQ(test, perf_output_begin(&handle, &data, real.event, 0), -ENOSPC);
		perf_buffer_share(real.event);
	}
	perf_buffer_put(real.rb);
}

static struct page *page_of(void *address)
{
	return is_vmalloc_addr(address) ? vmalloc_to_page(address) : virt_to_page(address);
}

static void buffer_pages(struct kunit *test)
{
	unsigned long nr_pages, i;
	struct perf_buffer *rb;

	for (nr_pages = 0; nr_pages <= 64; nr_pages = nr_pages ? nr_pages * 2 : 1) {
		rb = perf_buffer_alloc(nr_pages, 100, -1, true);
		KUNIT_ASSERT_NOT_NULL(test, rb);
		KUNIT_EXPECT_EQ(test, rb->ring.user->data_size, nr_pages * PAGE_SIZE);
		KUNIT_EXPECT_EQ(test, rb->ring.watermark, nr_pages ? 100 : 0);
		KUNIT_EXPECT_PTR_EQ(test, perf_buffer_page(rb, 0), page_of(rb->ring.user));
		for (i = 1; i <= nr_pages; i++)
			KUNIT_EXPECT_PTR_EQ(test, perf_buffer_page(rb, i),
					    page_of(data_byte(rb, (i - 1) * PAGE_SIZE)));
		KUNIT_EXPECT_NULL(test, perf_buffer_page(rb, nr_pages + 1));
		KUNIT_EXPECT_NULL(test, perf_buffer_page(rb, ULONG_MAX));
		perf_buffer_put(rb);
	}
	KUNIT_EXPECT_NULL(test, perf_buffer_alloc(1UL << 31, 0, -1, false));
}

struct rcu_poller {
	struct wait_queue_entry	entry;
	unsigned int		wakeups;
	bool			unprotected;
};

static int rcu_poller_wake(struct wait_queue_entry *entry, unsigned int mode, int flags, void *key)
{
	struct rcu_poller *poller = container_of(entry, struct rcu_poller, entry);

	poller->wakeups++;
	if (IS_ENABLED(CONFIG_PREEMPT_RCU) && !rcu_preempt_depth())
		poller->unprotected = true;
	return 0;
}

/*
 * An event may be closed while the last munmap(2) detaches it: only RCU keeps the event until its
 * pollers are woken.
 */
static void buffer_detach_wakes_under_rcu(struct kunit *test)
{
	struct real_buffer real = real_buffer(test, 1);
	struct perf_event_cold *cold = real.event->cold;
	struct rcu_poller poller = {};

	cold->event = real.event;
	init_waitqueue_head(&cold->waitq);
	INIT_LIST_HEAD(&cold->rb_entry);
	RCU_INIT_POINTER(real.event->rb, NULL);
	init_waitqueue_func_entry(&poller.entry, rcu_poller_wake);

	mutex_lock(&real.rb->lock);
	KUNIT_EXPECT_TRUE(test, perf_buffer_attach(real.rb, real.event));
	add_wait_queue(&cold->waitq, &poller.entry);
	perf_buffer_detach(real.rb, real.event);
	mutex_unlock(&real.rb->lock);

	KUNIT_EXPECT_NULL(test, rcu_access_pointer(real.event->rb));
	KUNIT_EXPECT_EQ(test, poller.wakeups, 1);
	KUNIT_EXPECT_FALSE(test, poller.unprotected);
	perf_buffer_put(real.rb);
}

static struct kunit_case buffer_cases[] = {
	KUNIT_CASE(ring_room),
	KUNIT_CASE(ring_place),
	KUNIT_CASE(buffer_pages),
	KUNIT_CASE(buffer_copies),
	KUNIT_CASE(buffer_refuses),
	KUNIT_CASE(buffer_no_record_without_bytes),
	KUNIT_CASE(buffer_of_two_cpus),
	KUNIT_CASE(flush_of_two_cpus_wakes),
	KUNIT_CASE(buffer_detach_wakes_under_rcu),
	{}
};

static struct kunit_suite buffer_suite = {
	.name		= "perf_buffer",
	.test_cases	= buffer_cases,
};

kunit_test_suite(buffer_suite);
