// SPDX-License-Identifier: GPL-2.0
/* The file of an event: read, poll, signals, and the lookup of an event by its file */
#include <linux/anon_inodes.h>
#include <linux/compat.h>
#include <linux/fs.h>
#include <linux/poll.h>
#include <linux/security.h>

#include "control.h"
#include "delay.h"
#include "event.h"
#include "file.h"
#include "read.h"
#include "record/buffer.h"
#include "record/mmap.h"
#include "record/splice.h"

static int perf_file_release(struct inode *inode, struct file *file)
{
	perf_delay(CALL_CLOSE);
	return perf_event_release_kernel(file->private_data);
}

static ssize_t perf_file_read(struct file *file, char __user *buf, size_t count, loff_t *pos)
{
	int ret = security_perf_event_read(file->private_data);

	perf_delay(CALL_READ);
	return ret ?: perf_event_read_file(file->private_data, buf, count);
}

static long perf_file_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	perf_delay(CALL_IOCTL);
	return perf_event_ioctl(file->private_data, cmd, arg);
}

#ifdef CONFIG_COMPAT
/* Commands whose number contains the size of a pointer, which is smaller in a compat task */
static const unsigned int perf_file_pointer_commands[] = {
	PERF_EVENT_IOC_SET_FILTER, PERF_EVENT_IOC_ID, PERF_EVENT_IOC_QUERY_BPF,
	PERF_EVENT_IOC_MODIFY_ATTRIBUTES,
};

static unsigned int perf_file_compat_number(unsigned int cmd)
{
	return (cmd & ~(_IOC_SIZEMASK << _IOC_SIZESHIFT)) |
	       (sizeof(compat_uptr_t) << _IOC_SIZESHIFT);
}

static long perf_file_ioctl_compat(struct file *file, unsigned int cmd, unsigned long arg)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(perf_file_pointer_commands); i++) {
		if (cmd == perf_file_compat_number(perf_file_pointer_commands[i]))
			cmd = perf_file_pointer_commands[i];
	}
	return perf_file_ioctl(file, cmd, arg);
}
#else
# define perf_file_ioctl_compat NULL
#endif

/*
 * Return EPOLLIN once for each wakeup, and EPOLLHUP if there is no buffer or there can be
 * no more records.
 */
static __poll_t perf_file_poll(struct file *file, poll_table *wait)
{
	struct perf_event *event = file->private_data;
	__poll_t events = EPOLLHUP;
	struct perf_buffer *rb;

	if (perf_event_make_cold(event))
		return EPOLLERR;
	poll_wait(file, &event->cold->waitq, wait);
	if (perf_event_is_over(event))
		return EPOLLHUP;

	rcu_read_lock();
	rb = rcu_dereference(event->rb);
	if (rb)
		events = (__force __poll_t)atomic_xchg(&rb->poll, 0);
	rcu_read_unlock();
	return events;
}

/* fcntl(2): O_ASYNC is set or cleared. May sleep. Return as fasync_helper(), or -ENOMEM. */
static int perf_file_fasync(int fd, struct file *filp, int on)
{
	struct perf_event *event = filp->private_data;
	int ret;

	ret = perf_event_make_cold(event);
	if (ret)
		return ret;

	/* No lock is needed: fasync_helper() has its own. (All anonymous files share an inode.) */
	ret = fasync_helper(fd, filp, on, &event->cold->fasync);
	return ret < 0 ? ret : 0;
}

static const struct file_operations perf_file_fops = {
	.release	= perf_file_release,
	.read		= perf_file_read,
	.splice_read	= perf_event_splice_read,
	.poll		= perf_file_poll,
	.unlocked_ioctl	= perf_file_ioctl,
	.compat_ioctl	= perf_file_ioctl_compat,
	.mmap		= perf_event_mmap_file,
	.fasync		= perf_file_fasync,
};

/**
 * perf_event_new_file - create the file of a new event
 * @event: the event; the file takes over the caller's reference, unless this fails
 * @flags: O_*
 *
 * Context: may sleep.
 * Return: the file, or an ERR_PTR()
 */
struct file *perf_event_new_file(struct perf_event *event, unsigned int flags)
{
	return anon_inode_getfile("[perf_event]", &perf_file_fops, event, flags);
}

/**
 * perf_event_of_fd - get the event of a file descriptor
 * @f: file descriptor, held by the caller
 *
 * Return: the event, or NULL if @f is not open or not an event's
 */
struct perf_event *perf_event_of_fd(struct fd f)
{
	if (fd_empty(f) || fd_file(f)->f_op != &perf_file_fops)
		return NULL;
	return fd_file(f)->private_data;
}

static bool perf_file_is_event(const struct file *file)
{
	return file->f_op == &perf_file_fops;
}

/**
 * perf_event_get - get the file of an event
 * @fd: file descriptor
 *
 * Return: the file, for fput(), or an ERR_PTR() of -EBADF
 */
struct file *perf_event_get(unsigned int fd)
{
	struct file *held = fget(fd);

	if (held && perf_file_is_event(held))
		return held;
	if (held)
		fput(held);
	return ERR_PTR(-EBADF);
}

/**
 * perf_get_event - get the event of a file
 * @file: any file
 *
 * Return: the event, or an ERR_PTR() of -EINVAL
 */
const struct perf_event *perf_get_event(struct file *file)
{
	return perf_file_is_event(file) ? file->private_data : ERR_PTR(-EINVAL);
}

/**
 * perf_event_attrs - get the attribute of an event
 * @event: the event, or NULL
 *
 * Return: its attribute, or an ERR_PTR() of -EINVAL
 */
const struct perf_event_attr *perf_event_attrs(struct perf_event *event)
{
	return event ? &event->attr : ERR_PTR(-EINVAL);
}
