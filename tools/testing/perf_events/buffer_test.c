// SPDX-License-Identifier: GPL-2.0
/*
 * An event's buffer: perf_buffer_switch(), perf_buffer_lock() and perf_buffer_get() of buffer.c,
 * and the writer's side of output.h. Two tasks attach their buffers to an event, and detach them
 * again; others write to the event's current buffer. The test asserts that no thread uses a buffer
 * after the grace period that follows its last reference, and that the event's pointer and the
 * buffer's list of events agree whenever the buffer's lock is held.
 *
 * The model repeats the order of references, lock and pointer by hand, because those functions need
 * mapped memory: a change of the order in buffer.c needs the same change in the model. With BROKEN
 * a buffer is freed without a grace period after its last reference.
 */
#include "rcu.h"

/**
 * struct buffer - a buffer to which events write
 * @refcount: references of the mapping and of the event
 * @lock: held to attach and to detach the event
 * @events: number of events in its list
 * @records: number of records written to the buffer
 * @freed: the buffer is freed, and no thread may use it
 */
struct buffer {
	int		refcount;
	raw_spinlock_t	lock;
	int		events;
	u64		records;
	bool		freed;
};

static struct buffer *event_rb ____cacheline_aligned;
static u64 written, switched, lost_race, used_freed, disagreed;

/* A freed buffer is reused, but not by a task or writer that might still use the old one. */
#define BUFFERS	4
static struct buffer buffers[2][BUFFERS];

static bool refcount_inc_not_zero(int *count)
{
	int old = READ_ONCE(*count);

	do {
		if (!old)
			return false;
	} while (!__atomic_compare_exchange_n(count, &old, old + 1, false, __ATOMIC_RELAXED,
					      __ATOMIC_RELAXED));
	return true;
}

static void buffer_put(struct buffer *rb)
{
	if (__atomic_sub_fetch(&rb->refcount, 1, __ATOMIC_ACQ_REL))
		return;
#ifndef BROKEN
	synchronize_rcu();
#endif
	smp_store_release(&rb->freed, true);
}

/* Repeats the steps of perf_buffer_get() and perf_buffer_lock(). */
static struct buffer *buffer_lock(unsigned int me)
{
	struct buffer *rb;

	for (;;) {
		rcu_read_lock(me);
		do {
			rb = rcu_dereference(event_rb);
		} while (rb && !refcount_inc_not_zero(&rb->refcount));
		rcu_read_unlock(me);
		if (!rb)
			return NULL;
		raw_spin_lock(&rb->lock);
		harness_count(&used_freed, READ_ONCE(rb->freed));
		if (READ_ONCE(event_rb) == rb)
			return rb;
		raw_spin_unlock(&rb->lock);
		buffer_put(rb);
	}
}

/*
 * Switch the event from @old to @new, as perf_buffer_switch() does. One of the two
 * buffers is NULL, and the caller holds the lock of the other buffer.
 */
static bool buffer_switch(struct buffer *old, struct buffer *new)
{
	struct buffer *expected = old;

	if (old)
		old->events--;
	if (new)
		__atomic_fetch_add(&new->refcount, 1, __ATOMIC_RELAXED);
	if (!__atomic_compare_exchange_n(&event_rb, &expected, new, false, __ATOMIC_SEQ_CST,
					 __ATOMIC_SEQ_CST)) {
		/*
		 * Only the holder of the old buffer's lock takes that buffer
		 * from the event.
		 */
		harness_count(&disagreed, old);
		if (new)
			buffer_put(new);
		return false;
	}
	if (new)
		new->events++;
	if (old)
		buffer_put(old);
	return true;
}

/* Map a new buffer for the event, then unmap it. */
static void map_and_unmap(void *arg)
{
	unsigned int me = (uintptr_t)arg, n = 0;
	u64 seed = 1442695040888963407ULL + me;
	struct buffer *rb, *mine;

	while (harness_goes_on()) {
		mine = &buffers[me][n++ % BUFFERS];
		/*
		 * If the other task has put the last reference, it may not
		 * have freed the buffer yet.
		 */
		while (n > BUFFERS && !smp_load_acquire(&mine->freed)) {
			if (!harness_goes_on())
				return;
			sched_yield();
		}
		memset(mine, 0, sizeof(*mine));
		mine->refcount = 1;
		raw_spin_lock(&mine->lock);
		if (buffer_switch(NULL, mine))
			harness_count(&switched, true);
		else
			harness_count(&lost_race, true);
		raw_spin_unlock(&mine->lock);
		harness_dawdle(&seed, 100);
		if (harness_random(&seed) % 16 == 0)
			sched_yield();

		/* The event may have the other task's buffer by now. */
		rb = buffer_lock(me);
		if (rb) {
			harness_count(&disagreed, rb->events != 1);
			buffer_switch(rb, NULL);
			harness_count(&disagreed, rb->events != 0);
			raw_spin_unlock(&rb->lock);
			buffer_put(rb);
		}
		/*
		 * The last mapping is unmapped: detach the buffer from the event, if the event
		 * still has it.
		 */
		raw_spin_lock(&mine->lock);
		if (READ_ONCE(event_rb) == mine)
			buffer_switch(mine, NULL);
		harness_count(&disagreed, mine->events != 0);
		raw_spin_unlock(&mine->lock);
		buffer_put(mine);
	}
}

/* Write as perf_output_begin() to perf_output_end() do. */
static void write_records(void *arg)
{
	unsigned int me = (uintptr_t)arg;
	u64 seed = 1181783497276652981ULL + me;
	struct buffer *rb;

	while (harness_goes_on()) {
		rcu_read_lock(me);
		rb = rcu_dereference(event_rb);
		if (rb) {
			harness_dawdle(&seed, 30);
			harness_count(&used_freed, READ_ONCE(rb->freed));
			__atomic_fetch_add(&rb->records, 1, __ATOMIC_RELAXED);
			written++;
		}
		rcu_read_unlock(me);
	}
}

int main(int argc, char **argv)
{
	struct harness_thread threads[] = {
		{ map_and_unmap, (void *)0 }, { map_and_unmap, (void *)1 },
		{ write_records, (void *)2 },
	};

	ktap_plan(1);
	harness_need(&switched);
	harness_need(&written);
	harness_need_fault(&used_freed);
	harness_run(threads, ARRAY_SIZE(threads), harness_seconds(argc, argv));
	ktap_note("%llu attached, %llu refused; %llu records; %llu freed used, %llu wrong lists",
		  (unsigned long long)switched, (unsigned long long)lost_race,
		  (unsigned long long)written, (unsigned long long)used_freed,
		  (unsigned long long)disagreed);
	ktap_result(switched && written && !used_freed && !disagreed,
		    "no buffer is used after it is freed");
	return ktap_end();
}
