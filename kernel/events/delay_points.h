/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The points of delay.h, each named for what has been done, or seen, when it is
 * passed, while the next step has not.
 */

/* how user space and the scheduler come in */
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
PERF_DELAY_POINT(BUFFER_SWITCH),		/* about to change event->rb */
PERF_DELAY_POINT(BUFFER_SWITCHED),	/* not in the list of the new one */
PERF_DELAY_POINT(BUFFER_SEEN),		/* a writer has read event->rb */

/* an event and its context */
PERF_DELAY_POINT(ATTACHED),		/* in the list of the context's events */
PERF_DELAY_POINT(CONTEXT_SEEN),		/* its mutex is not held */
PERF_DELAY_POINT(CALL_CPU),		/* about to ask the CPU that runs it */
PERF_DELAY_POINT(CALL_TOGETHER),		/* about to ask the CPUs that run copies */
PERF_DELAY_POINT(CALL_RESERVED),		/* about to ask the CPU where the task was */
PERF_DELAY_POINT(RESIDENCE_LEFT),		/* about to ask the task's CPU, no clone any more */

/* oncpu and state */
PERF_DELAY_POINT(ONCPU_SET),
PERF_DELAY_POINT(ACTIVE_SET),		/* and not on its PMU */
PERF_DELAY_POINT(DELETED),		/* off its PMU */
PERF_DELAY_POINT(ONCPU_CLEARED),		/* and still active */
PERF_DELAY_POINT(STATE_SEEN),		/* by perf_read_sync_count() */
PERF_DELAY_POINT(ONCPU_SEEN),

/* a context's sequence count and clock, an event's times */
PERF_DELAY_POINT(TIME_STEP),		/* any step of time_seq.h */
PERF_DELAY_POINT(CHANGE_ENDS),
PERF_DELAY_POINT(STATE_SET),		/* about to be set */

/* copies that leave, and readers that add copies up */
PERF_DELAY_POINT(COPY_FOLDED),		/* and in the family's list */
PERF_DELAY_POINT(COPY_LEFT),		/* and in its context's */
PERF_DELAY_POINT(COPIES_SEEN),		/* there are none */
PERF_DELAY_POINT(COPY_SETTLED),		/* and not at the end of the family's list */
PERF_DELAY_POINT(COPIES_CAUGHT_UP),	/* with contexts that have been stirred */

/* a ring's writers, of one CPU or of several */
PERF_DELAY_POINT(RING_STEP),		/* any step of ring.h and ring_shared.h */

/* the AUX area */
PERF_DELAY_POINT(AUX_MADE),		/* its buffer is not locked */
PERF_DELAY_POINT(AUX_SEEN),		/* without a reference */
PERF_DELAY_POINT(AUX_OPENED),		/* by nobody in particular */
PERF_DELAY_POINT(AUX_CLOSES),
PERF_DELAY_POINT(AUX_UNMAPPED),		/* its writer has not been stopped */
PERF_DELAY_POINT(AUX_ASKED),		/* who writes there */

/* event sites */
PERF_DELAY_POINT(SW_ACTIVE_ADDED),
PERF_DELAY_POINT(SW_ACTIVE_DELETED),
PERF_DELAY_POINT(SW_SEEN),		/* to be active, and not counted */
PERF_DELAY_POINT(TRACEPOINT_SEEN),	/* an event of the task that it is about */
PERF_DELAY_POINT(OVERFLOW),
PERF_DELAY_POINT(PROG_SET),		/* about to be set, its cookie is */
PERF_DELAY_POINT(PROG_SEEN),

/* the rest */
PERF_DELAY_POINT(DISABLE_DUE),		/* and not done */
PERF_DELAY_POINT(CGROUP_SWITCH),		/* about to look whether it is one */
PERF_DELAY_POINT(CGROUP_ATTACH),		/* about to ask the CPU where the task was */
PERF_DELAY_POINT(MIGRATE_OUT),		/* of the old CPU */
PERF_DELAY_POINT(MIGRATE_IN),		/* the context is the new one, and does not have it */
PERF_DELAY_POINT(USERPAGE_LOCKED),
PERF_DELAY_POINT(COLD_MADE),		/* and not published */
