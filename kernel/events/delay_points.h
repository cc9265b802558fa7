/* SPDX-License-Identifier: GPL-2.0 */
/* Points of delay.h. Each name describes the last step that is complete. */

/* entry points from user space and the scheduler */
PERF_DELAY_POINT(CALL_OPEN),
PERF_DELAY_POINT(CALL_READ),
PERF_DELAY_POINT(CALL_IOCTL),
PERF_DELAY_POINT(CALL_MMAP),
PERF_DELAY_POINT(CALL_CLOSE),
PERF_DELAY_POINT(CALL_FORK),
PERF_DELAY_POINT(CALL_EXIT),
PERF_DELAY_POINT(CALL_EXEC),
PERF_DELAY_POINT(SWITCH_OUT),

/* an event's buffer: event->rb, and the buffer's list */
PERF_DELAY_POINT(BUFFER_SWITCH),		/* before event->rb changes */
PERF_DELAY_POINT(BUFFER_SWITCHED),	/* not in the new buffer's list yet */
PERF_DELAY_POINT(BUFFER_SEEN),		/* a writer has loaded event->rb */

/* an event and its context */
PERF_DELAY_POINT(ATTACHED),		/* in the context's list of events */
PERF_DELAY_POINT(CONTEXT_SEEN),		/* ctx->mutex not held yet */
PERF_DELAY_POINT(CALL_CPU),		/* before the call of the context's CPU */
PERF_DELAY_POINT(CALL_TOGETHER),		/* before the call of the inherited events' CPUs */
PERF_DELAY_POINT(CALL_RESERVED),		/* before the call of the task's CPU */
PERF_DELAY_POINT(CTX_SET_LEFT),		/* in no set; before the call of the task's CPU */

/* oncpu and state */
PERF_DELAY_POINT(ONCPU_SET),
PERF_DELAY_POINT(ACTIVE_SET),		/* not on its PMU yet */
PERF_DELAY_POINT(DELETED),		/* removed from its PMU */
PERF_DELAY_POINT(ONCPU_CLEARED),		/* still active */
PERF_DELAY_POINT(STATE_SEEN),		/* by perf_read_sync_count() */
PERF_DELAY_POINT(ONCPU_SEEN),

/* a context's sequence count and clock, an event's times */
PERF_DELAY_POINT(TIME_STEP),		/* any step of time_seq.h */
PERF_DELAY_POINT(CHANGE_ENDS),
PERF_DELAY_POINT(STATE_SET),		/* before the store */

/* removal of inherited events, and readers that sum them */
PERF_DELAY_POINT(CHILD_FOLDED),		/* still in the list of inherited events */
PERF_DELAY_POINT(CHILD_LEFT),		/* still in its context's list */
PERF_DELAY_POINT(CHILDREN_SEEN),	/* the list of inherited events is empty */
PERF_DELAY_POINT(CHILD_CACHED),	/* not at the end of the list of inherited events yet */
PERF_DELAY_POINT(CHILDREN_UNCACHED),	/* after perf_child_cache_del_stale() */

/* writers of a ring, on one CPU or several */
PERF_DELAY_POINT(RING_STEP),		/* any step of ring.h and ring_shared.h */

/* the AUX area */
PERF_DELAY_POINT(AUX_MADE),		/* buffer not locked yet */
PERF_DELAY_POINT(AUX_SEEN),		/* no reference yet */
PERF_DELAY_POINT(AUX_OPENED),		/* no writer stored yet */
PERF_DELAY_POINT(AUX_CLOSES),
PERF_DELAY_POINT(AUX_UNMAPPED),		/* writer not stopped yet */
PERF_DELAY_POINT(AUX_ASKED),		/* writer loaded */

/* event sites */
PERF_DELAY_POINT(SW_ACTIVE_ADDED),
PERF_DELAY_POINT(SW_ACTIVE_DELETED),
PERF_DELAY_POINT(SW_SEEN),		/* active, not counted yet */
PERF_DELAY_POINT(TRACEPOINT_SEEN),	/* an event of the task that the tracepoint is about */
PERF_DELAY_POINT(OVERFLOW),
PERF_DELAY_POINT(PROG_SET),		/* cookie set, program not yet */
PERF_DELAY_POINT(PROG_SEEN),

/* others */
PERF_DELAY_POINT(DISABLE_DUE),		/* not disabled yet */
PERF_DELAY_POINT(CGROUP_SWITCH),		/* before the check */
PERF_DELAY_POINT(CGROUP_ATTACH),		/* before the call of the task's CPU */
PERF_DELAY_POINT(MIGRATE_OUT),		/* removed from the old CPU */
PERF_DELAY_POINT(MIGRATE_IN),		/* new context set, not attached yet */
PERF_DELAY_POINT(USERPAGE_LOCKED),
PERF_DELAY_POINT(COLD_MADE),		/* not published yet */
