// SPDX-License-Identifier: GPL-2.0
/*
 * The file that user space knows an event by.
 */
#include <linux/anon_inodes.h>
#include <linux/compat.h>
#include <linux/fs.h>
#include <linux/poll.h>
#include <linux/security.h>

#include "file.h"
#include "internal.h"
#include "read.h"
#include "record.h"
#include "record/buffer.h"

static int release(struct inode *inode, struct file *file)
{
	perf_delay(CALL_CLOSE);
	return perf_event_release_kernel(file->private_data);
}

static ssize_t read(struct file *file, char __user *buf, size_t count, loff_t *pos)
{
	int ret = security_perf_event_read(file->private_data);

	perf_delay(CALL_READ);
	return ret ?: perf_event_read_file(file->private_data, buf, count);
}

static long ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	perf_delay(CALL_IOCTL);
	return perf_event_ioctl(file->private_data, cmd, arg);
}

#ifdef CONFIG_COMPAT
/* Commands whose number holds the size of a pointer: a compat task's is smaller. */
static const unsigned int pointer_commands[] = {
	PERF_EVENT_IOC_SET_FILTER, PERF_EVENT_IOC_ID, PERF_EVENT_IOC_QUERY_BPF,
	PERF_EVENT_IOC_MODIFY_ATTRIBUTES,
};

static unsigned int compat_number(unsigned int cmd)
{
	return (cmd & ~(_IOC_SIZEMASK << _IOC_SIZESHIFT)) |
	       (sizeof(compat_uptr_t) << _IOC_SIZESHIFT);
}

static long ioctl_compat(struct file *file, unsigned int cmd, unsigned long arg)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(pointer_commands); i++) {
		if (cmd == compat_number(pointer_commands[i]))
			cmd = pointer_commands[i];
	}
	return ioctl(file, cmd, arg);
}
#else
# define ioctl_compat NULL
#endif

static const struct file_operations event_fops = {
	.release	= release,
	.read		= read,
	.splice_read	= perf_event_splice_read,
	.poll		= perf_event_poll,
	.unlocked_ioctl	= ioctl,
	.compat_ioctl	= ioctl_compat,
	.mmap		= perf_event_mmap_file,
	.fasync		= perf_event_fasync,
};

/**
 * perf_event_new_file - make the file of a new event
 * @event: whose reference the file takes over when it is released
 * @flags: O_*
 *
 * May sleep. Return: the file, or an error.
 */
struct file *perf_event_new_file(struct perf_event *event, unsigned int flags)
{
	return anon_inode_getfile("[perf_event]", &event_fops, event, flags);
}

/**
 * perf_event_of_fd - the event of a file descriptor
 * @f: held by the caller
 *
 * Return: the event, or NULL when @f is not open or not an event's.
 */
struct perf_event *perf_event_of_fd(struct fd f)
{
	if (fd_empty(f) || fd_file(f)->f_op != &event_fops)
		return NULL;
	return fd_file(f)->private_data;
}

static bool is_event_file(const struct file *file)
{
	return file->f_op == &event_fops;
}

/**
 * perf_event_get - the file of an event
 * @fd: file descriptor
 *
 * Return: the file, to be put with fput(), or -EBADF.
 */
struct file *perf_event_get(unsigned int fd)
{
	struct file *held = fget(fd);

	if (held && is_event_file(held))
		return held;
	if (held)
		fput(held);
	return ERR_PTR(-EBADF);
}

/**
 * perf_get_event - the event of a file
 * @file: any file
 *
 * Return: the event, or -EINVAL.
 */
const struct perf_event *perf_get_event(struct file *file)
{
	return is_event_file(file) ? file->private_data : ERR_PTR(-EINVAL);
}

/**
 * perf_event_attrs - what an event was opened with
 * @event: the event, or NULL
 *
 * Return: its attributes, or -EINVAL.
 */
const struct perf_event_attr *perf_event_attrs(struct perf_event *event)
{
	return event ? &event->attr : ERR_PTR(-EINVAL);
}
