/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_EVENTS_COLD_H
#define _KERNEL_EVENTS_COLD_H

#include <linux/irq_work.h>
#include <linux/perf_event.h>
#include <linux/task_work.h>
#include <linux/wait.h>

/**
 * struct perf_event_cold - what only an event that writes records has
 * @event: whose it is
 * @waitq: who polls the event
 * @fasync: who gets a signal; protected by the file's inode lock
 * @rb_entry: place in the list of events that write to the buffer
 * @mmap_count: mappings made through this event
 * @sb_list: place in a CPU's list of sideband listeners
 * @event_limit: overflows left before the event disables itself
 * @pending_irq: irq work that wakes, signals and disables for an overflow
 * @pending_disable_irq: irq work of perf_event_disable_inatomic()
 * @pending_task: task work that sends a sigtrap
 * @pending_addr: of the sigtrap
 * @pending_wakeup: a wake-up is owed
 * @pending_disable: the event is to be disabled
 * @pending_work: @pending_task is queued
 *
 * Made by perf_event_make_cold() at open for events that sample or ask for
 * sideband records, else when a buffer is first attached; freed with the event.
 */
struct perf_event_cold {
	struct perf_event	*event;
	wait_queue_head_t	waitq;
	struct fasync_struct	*fasync;
	struct list_head	rb_entry;
	atomic_t		mmap_count;
	struct list_head	sb_list;
	atomic_t		event_limit;
	struct irq_work		pending_irq;
	struct irq_work		pending_disable_irq;
	struct callback_head	pending_task;
	unsigned long		pending_addr;
	unsigned int		pending_wakeup;
	unsigned int		pending_disable;
	unsigned int		pending_work;
};

/*
 * Give the event its cold part if it has none; -ENOMEM. May sleep, and be called
 * by several at a time.
 */
int perf_event_make_cold(struct perf_event *event);

#endif /* _KERNEL_EVENTS_COLD_H */
