// SPDX-License-Identifier: GPL-2.0
/*
 * Inherited events are removed while their event is read: perf_exit_fold_child() of exit.c,
 * perf_read_inherited() and perf_read_children_value() of read.c. A child's count must be in the
 * value exactly once: first from the list of children, then from the sum of removed children. A
 * reader that has seen a child in the list walks the list. All children may have been removed by
 * then, and a fork may add another child that exits during the walk: that child is not freed before
 * the reader has passed it.
 *
 * The model repeats the order of lists, lock and counts by hand, because those functions need
 * events and contexts: a change of the order in these files needs the same change in the model.
 * BROKEN removes the write barrier between the sum and the list, and reorders the two as a weakly
 * ordered CPU may.
 */
#include "harness.h"

struct list_head {
	struct list_head *next, *prev;
};

static void INIT_LIST_HEAD(struct list_head *list)
{
	WRITE_ONCE(list->next, list);
	WRITE_ONCE(list->prev, list);
}

static void list_add_tail(struct list_head *new, struct list_head *head)
{
	struct list_head *prev = head->prev;

	WRITE_ONCE(head->prev, new);
	new->next = head;
	new->prev = prev;
	WRITE_ONCE(prev->next, new);
}

static void list_del_init(struct list_head *entry)
{
	WRITE_ONCE(entry->next->prev, entry->prev);
	WRITE_ONCE(entry->prev->next, entry->next);
	INIT_LIST_HEAD(entry);
}

static bool list_empty_careful(const struct list_head *head)
{
	struct list_head *next = smp_load_acquire(&head->next);

	return next == head && next == READ_ONCE(head->prev);
}

#define CHILDREN	3

/**
 * struct child - an inherited event
 * @child_list: entry in the list of children
 * @count: count of the child itself
 * @freed: the memory of the child may be used for something else
 */
struct child {
	struct list_head	child_list;
	u64			count;
	bool			freed;
};

static struct {
	raw_spinlock_t		mutex;	/* mutex of the context: a fork holds it to inherit */
	raw_spinlock_t		lock;	/* the inherit lock: protects the list and the sum */
	struct list_head	children;
	u64			gone_count;
} parent ____cacheline_aligned;

/* The sum of all counts so far */
static u64 happened ____cacheline_aligned;
static u64 reads, alone, left, less, more, freed;

/* Wait between two steps: briefly, or until another thread has used this CPU. */
static void let_others_run(u64 *seed)
{
	if (harness_random(seed) % 4)
		harness_dawdle(seed, 200);
	else
		sched_yield();
}

/* Start a few tasks, each with a child of the event. They count, and all exit. */
static void live(void *arg)
{
	u64 seed = 6364136223846793005ULL + (uintptr_t)arg;
	struct child children[CHILDREN];
	unsigned int nr, i, n;

	while (harness_goes_on()) {
		nr = 1 + harness_random(&seed) % CHILDREN;
		for (i = 0; i < nr; i++) {
			children[i].count = 0;
			WRITE_ONCE(children[i].freed, false);
			raw_spin_lock(&parent.mutex);
			raw_spin_lock(&parent.lock);
			list_add_tail(&children[i].child_list, &parent.children);
			raw_spin_unlock(&parent.lock);
			raw_spin_unlock(&parent.mutex);
			for (n = harness_random(&seed) % 8; n; n--) {
				WRITE_ONCE(children[i].count, children[i].count + 1);
				__atomic_fetch_add(&happened, 1, __ATOMIC_RELEASE);
			}
		}
		let_others_run(&seed);
		for (i = 0; i < nr; i++) {
			raw_spin_lock(&parent.lock);
#ifdef BROKEN
			list_del_init(&children[i].child_list);
			let_others_run(&seed);
			__atomic_fetch_add(&parent.gone_count, children[i].count, __ATOMIC_RELAXED);
#else
			__atomic_fetch_add(&parent.gone_count, children[i].count, __ATOMIC_RELAXED);
			/* Pairs with smp_rmb() in the reader: as in perf_exit_fold_child(). */
			smp_wmb();
			list_del_init(&children[i].child_list);
#endif
			raw_spin_unlock(&parent.lock);
			WRITE_ONCE(children[i].freed, true);
			harness_dawdle(&seed, 20);
		}
		__atomic_fetch_add(&left, nr, __ATOMIC_RELAXED);
		let_others_run(&seed);
	}
}

/*
 * As perf_read_children_value() without the mutex of the parent's context: the lock
 * is always taken.
 */
static u64 children_value(u64 *seed)
{
	struct list_head *at;
	struct child *child;
	u64 total;

	raw_spin_lock(&parent.lock);
	let_others_run(seed);
	total = READ_ONCE(parent.gone_count);
	for (at = parent.children.next; at != &parent.children; at = at->next) {
		child = container_of(at, struct child, child_list);
		total += READ_ONCE(child->count);
		let_others_run(seed);
		if (READ_ONCE(child->freed)) {
			freed++;
			break;
		}
	}
	raw_spin_unlock(&parent.lock);
	return total;
}

static u64 family_value(u64 *seed)
{
	if (list_empty_careful(&parent.children)) {
		/* Pairs with smp_wmb() in live(): as in perf_read_inherited(). */
		smp_rmb();
		alone++;
		let_others_run(seed);
		return READ_ONCE(parent.gone_count);
	}
	let_others_run(seed);
	return children_value(seed);
}

static void read_family(void *unused)
{
	u64 before, value, seed = 1;

	while (harness_goes_on()) {
		before = smp_load_acquire(&happened);
		value = family_value(&seed);
		less += value < before;
		/*
		 * Each of the two threads that count may have added an occurrence to its child,
		 * but not yet to @happened.
		 */
		more += value > smp_load_acquire(&happened) + 2;
		reads++;
	}
}

int main(int argc, char **argv)
{
	struct harness_thread threads[] = {
		{ live, (void *)1 }, { live, (void *)2 }, { read_family },
	};

	INIT_LIST_HEAD(&parent.children);
	ktap_plan(2);
	harness_need(&left);
	harness_need(&reads);
	harness_need(&alone);
	harness_need_fault(&less);
	harness_run(threads, ARRAY_SIZE(threads), harness_seconds(argc, argv));
	ktap_note("%llu children gone, %llu reads, %llu lockless: %llu too small, %llu too large",
		  (unsigned long long)left, (unsigned long long)reads, (unsigned long long)alone,
		  (unsigned long long)less, (unsigned long long)more);
	ktap_note("%llu freed while they were read", (unsigned long long)freed);
	ktap_result(left && reads && alone && !less && !more, "a removed child is counted once");
	ktap_result(!freed, "a child is not freed while it is read");
	return ktap_end();
}
