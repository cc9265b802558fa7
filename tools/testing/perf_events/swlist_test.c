// SPDX-License-Identifier: GPL-2.0
/*
 * The lists in which event sites find software events, of software.c: a site walks a list of its
 * CPU without a lock while another CPU, which holds the context's lock, adds and removes events. A
 * removed event is freed after a grace period. The test asserts that a walk ends, sees no freed
 * event, and sees each event that is always in the list once.
 *
 * The model repeats the list operations by hand, because those of the kernel need its list headers:
 * a change of the operations in software.c needs the same change in the model. With BROKEN a
 * removed event is freed without a grace period.
 */
#include "rcu.h"

#define EVENTS	6

/**
 * struct event - a software event
 * @next: as in struct hlist_node
 * @pprev: as in struct hlist_node; NULL if the event is in no list
 * @state: placeholder for the fields of struct perf_event
 * @freed: the event is freed
 * @count: number of walks that found the event
 */
struct event {
	struct event	*next, **pprev;
	int		state;
	bool		freed;
	u64		count;
};

static struct event *first ____cacheline_aligned;
static struct event stays[2], comes[EVENTS];
static u64 walks, changes, used_freed, twice, endless;

/* hlist_add_head_rcu() */
static void add(struct event *event)
{
	struct event *head = first;

	event->next = head;
	WRITE_ONCE(event->pprev, &first);
	rcu_assign_pointer(first, event);
	if (head)
		WRITE_ONCE(head->pprev, &event->next);
}

/* As hlist_del_init_rcu(): a walk that is at the removed event still finds the next event. */
static void del(struct event *event)
{
	WRITE_ONCE(*event->pprev, event->next);
	if (event->next)
		WRITE_ONCE(event->next->pprev, event->pprev);
	WRITE_ONCE(event->pprev, NULL);
}

static void change(void *unused)
{
	u64 seed = 4768777513237032717ULL;
	struct event *gone[EVENTS];
	unsigned int i, nr;

	while (harness_goes_on()) {
		nr = 0;
		for (i = 0; i < EVENTS; i++) {
			if (harness_random(&seed) & 1)
				continue;
			if (!comes[i].pprev) {
				WRITE_ONCE(comes[i].freed, false);
				add(&comes[i]);
			} else {
				WRITE_ONCE(comes[i].state, 0);
				del(&comes[i]);
				gone[nr++] = &comes[i];
			}
			changes++;
		}
#ifndef BROKEN
		synchronize_rcu();
#endif
		while (nr--) {
			WRITE_ONCE(gone[nr]->freed, true);
			gone[nr]->next = NULL;
		}
	}
}

static void walk(void *arg)
{
	unsigned int me = (uintptr_t)arg, steps;
	u64 seed = 1865811235122147685ULL + me, met[2];
	struct event *event;

	while (harness_goes_on()) {
		memset(met, 0, sizeof(met));
		steps = 0;
		rcu_read_lock(me);
		for (event = rcu_dereference(first); event; event = rcu_dereference(event->next)) {
			harness_count(&used_freed, READ_ONCE(event->freed));
			if (event >= stays && event < stays + ARRAY_SIZE(stays))
				met[event - stays]++;
			if (++steps > 10 * EVENTS) {
				harness_count(&endless, true);
				break;
			}
			harness_dawdle(&seed, 10);
		}
		rcu_read_unlock(me);
		harness_count(&twice, met[0] != 1 || met[1] != 1);
		harness_count(&walks, true);
	}
}

int main(int argc, char **argv)
{
	struct harness_thread threads[] = { { change }, { walk, (void *)0 }, { walk, (void *)1 } };
	unsigned int i;

	/* Both ends of the list are events that stay. */
	add(&stays[0]);
	for (i = 0; i < EVENTS; i++)
		add(&comes[i]);
	add(&stays[1]);
	ktap_plan(1);
	harness_need(&changes);
	harness_need(&walks);
	harness_need_fault(&twice);
	harness_run(threads, ARRAY_SIZE(threads), harness_seconds(argc, argv));
	ktap_note("%llu changes, %llu walks: %llu freed used, %llu not once, %llu endless",
		  (unsigned long long)changes, (unsigned long long)walks,
		  (unsigned long long)used_freed, (unsigned long long)twice,
		  (unsigned long long)endless);
	ktap_result(changes && walks && !used_freed && !twice && !endless,
		    "a site finds each event in the list once");
	return ktap_end();
}
