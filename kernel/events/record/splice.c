// SPDX-License-Identifier: GPL-2.0
/*
 * splice(2) from an event's file: moves whole records from the buffer to a pipe.
 *
 * splice(2) consumes records: it moves data_tail. If a page is full of spliced records and has no
 * other reference, the page itself is moved to the pipe, and an empty page replaces it. So if a
 * program splices, and does not access the records through the mapping, only the records at both
 * ends are copied.
 *
 * User space can write both data_head and data_tail. Wrong values affect only its own records: the
 * sizes of records are checked. With a wrong tail, a writer may still write to a page that was
 * removed from the buffer. The writer has preemption off, so the page is freed only after a further
 * grace period.
 */
#include <linux/fs.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/pipe_fs_i.h>
#include <linux/sched/signal.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/splice.h>
#include <linux/wait.h>

#include "../refuse.h"
#include "buffer.h"
#include "ring.h"
#include "sample.h"
#include "splice.h"

/* Maximum number of pages for one call. The longest record may need a page more than its size. */
#define SPLICE_PAGES	MAX(32, PERF_RECORD_SIZE_MAX / PAGE_SIZE + 2)

/**
 * struct splice_batch - pages for the pipe
 * @rcu: frees the pages that were removed from the buffer
 * @nr: pages in @page
 * @page: at first empty pages. They are allocated before the buffer is locked, because the
 *	allocation may take long. Later the pages that were removed from the buffer
 */
struct splice_batch {
	struct rcu_head	rcu;
	unsigned int	nr;
	struct page	*page[SPLICE_PAGES];
};

/**
 * struct splice_span - records to be spliced
 * @rb: the buffer, locked
 * @pos: position of the first record
 * @len: bytes, more than 0
 * @pack: copy the records to as few pages as possible, whatever their pages in the buffer
 */
struct splice_span {
	struct perf_buffer	*rb;
	unsigned long		pos;
	unsigned long		len;
	bool			pack;
};

static void *perf_splice_memory_at(struct perf_buffer *rb, unsigned long pos)
{
	unsigned long offset;
	unsigned int chunk = perf_ring_place(pos, rb->chunk_shift, rb->nr_chunks, &offset);

	return READ_ONCE(rb->chunks[chunk]) + offset;
}

/* Positions are multiples of 8, so a header does not cross the end of a page. */
static unsigned int perf_splice_record_size(struct perf_buffer *rb, unsigned long pos)
{
	const struct perf_event_header *header = perf_splice_memory_at(rb, pos);

	return READ_ONCE(header->size);
}

/*
 * Return the number of bytes of whole records at @pos that fit into @room, out of @unread
 * bytes; 0 if the first record is too long, -EIO if there is no valid record at @pos.
 */
static long perf_splice_whole_records(struct perf_buffer *rb, unsigned long pos,
				      unsigned long unread, unsigned long room)
{
	unsigned long len = 0;

	while (len < unread) {
		unsigned int size = perf_splice_record_size(rb, pos + len);

		if (size < sizeof(struct perf_event_header) || !IS_ALIGNED(size, sizeof(u64)) ||
		    size > unread - len)
			return len ? len : perf_refuse_value(PERF_REFUSED_SPLICE_TAIL, pos);
		if (size > room - len)
			break;
		len += size;
	}
	return len;
}

/* Find the records to be spliced. Return 1 on success, 0 if there is no record, or an error. */
static int perf_splice_find_records(struct splice_span *span, const struct pipe_inode_info *pipe,
				    size_t len)
{
	unsigned int used = pipe_occupancy(pipe->head, pipe->tail);
	unsigned long slots = min_t(unsigned long, pipe->max_usage - used, SPLICE_PAGES);
	struct perf_event_mmap_page *user = span->rb->ring.user;
	unsigned long unread;
	long found;

	unread = READ_ONCE(user->data_head);
	/* Pairs with perf_ring_leave(): read the head before the records. */
	smp_rmb();
	span->pos = READ_ONCE(user->data_tail);
	unread -= span->pos;
	if (!unread)
		return 0;
	if (unread >= span->rb->ring.size || !IS_ALIGNED(span->pos, sizeof(u64)))
		return perf_refuse_value(PERF_REFUSED_SPLICE_TAIL, span->pos);

	span->pack = false;
	found = perf_splice_whole_records(span->rb, span->pos, unread,
					  min_t(unsigned long, len, slots * PAGE_SIZE -
						offset_in_page(span->pos)));
	if (!found) {
		span->pack = true;
		found = perf_splice_whole_records(span->rb, span->pos, unread,
						  min_t(unsigned long, len, slots * PAGE_SIZE));
	}
	/* Waiting for space helps only if the pipe is not empty. */
	if (!found)
		return used && len >= slots * PAGE_SIZE ?
			-EAGAIN : perf_refuse_value(PERF_REFUSED_SPLICE_ROOM, len);
	if (found < 0)
		return found;
	span->len = found;
	return 1;
}

static void perf_splice_batch_free(struct splice_batch *batch)
{
	while (batch->nr)
		put_page(batch->page[--batch->nr]);
	kfree(batch);
}

static void perf_splice_batch_free_rcu(struct rcu_head *rcu)
{
	perf_splice_batch_free(container_of(rcu, struct splice_batch, rcu));
}

static unsigned int perf_splice_pages_for(const struct splice_span *span)
{
	return DIV_ROUND_UP(span->len + (span->pack ? 0 : offset_in_page(span->pos)), PAGE_SIZE);
}

static struct splice_batch *perf_splice_batch_alloc(unsigned int want)
{
	struct splice_batch *batch = kmalloc(sizeof(*batch), GFP_KERNEL_ACCOUNT);

	if (!batch)
		return NULL;
	for (batch->nr = 0; batch->nr < want; batch->nr++) {
		batch->page[batch->nr] = alloc_page(GFP_KERNEL_ACCOUNT);
		if (!batch->page[batch->nr]) {
			perf_splice_batch_free(batch);
			return NULL;
		}
	}
	return batch;
}

static void perf_splice_copy_records(struct perf_buffer *rb, unsigned long pos, void *to,
				     unsigned long len)
{
	while (len) {
		unsigned long n = min(len, PAGE_SIZE - offset_in_page(pos));

		memcpy(to, perf_splice_memory_at(rb, pos), n);
		pos += n;
		to += n;
		len -= n;
	}
}

/* Move the whole span to the pipe, which is locked and has space and a reader. */
static void perf_splice_fill_pipe(const struct splice_span *span, struct pipe_inode_info *pipe,
				  struct splice_batch *batch)
{
	unsigned long pos = span->pos, left = span->len, n;
	unsigned int i, kept = 0;

	for (i = 0; left; i++, pos += n, left -= n) {
		struct pipe_buffer buf = { .ops = &nosteal_pipe_buf_ops };
		struct page *old = NULL;

		n = min(left, PAGE_SIZE - (span->pack ? 0 : offset_in_page(pos)));
		if (!span->pack && n == PAGE_SIZE)
			old = perf_buffer_exchange_page(span->rb, pos, batch->page[i]);
		if (old) {
			batch->page[kept++] = old;
			get_page(old);
			buf.page = old;
		} else {
			perf_splice_copy_records(span->rb, pos, page_address(batch->page[i]), n);
			buf.page = batch->page[i];
		}
		buf.len = n;
		WARN_ON_ONCE(add_to_pipe(pipe, &buf) != n);
	}
	WARN_ON_ONCE(i > batch->nr);
	/* Another reader may have consumed records since the allocation: free the unused pages. */
	while (batch->nr > i)
		put_page(batch->page[--batch->nr]);
	batch->nr = kept;
}

/*
 * Return the number of spliced bytes, 0 if there is no record, or an error. If *@pages is NULL or
 * has too few pages, set @want to the number of pages and return 0.
 */
static ssize_t perf_splice_locked(struct perf_buffer *rb, struct pipe_inode_info *pipe, size_t len,
				  struct splice_batch **pages, unsigned int *want)
{
	struct splice_span span = { .rb = rb };
	struct splice_batch *batch = *pages;
	int ret;

	lockdep_assert_held(&rb->lock);
	if (!rb->nr_pages || rb->ring.overwrite)
		return perf_refuse(PERF_REFUSED_SPLICE_OVERWRITE);
	ret = perf_splice_find_records(&span, pipe, len);
	if (ret <= 0)
		return ret;
	if (!batch || batch->nr < perf_splice_pages_for(&span)) {
		*want = perf_splice_pages_for(&span);
		return 0;
	}

	*pages = NULL;
	perf_splice_fill_pipe(&span, pipe, batch);
	/*
	 * Read records and replace pages before the tail moves. Pairs with the barrier of
	 * perf_ring_reserve().
	 */
	smp_mb();
	WRITE_ONCE(rb->ring.user->data_tail, span.pos + span.len);

	if (batch->nr)
		call_rcu(&batch->rcu, perf_splice_batch_free_rcu);
	else
		kfree(batch);
	return span.len;
}

static ssize_t perf_splice_now(struct perf_event *event, struct pipe_inode_info *pipe, size_t len)
{
	struct splice_batch *batch = NULL;
	struct perf_buffer *rb;
	unsigned int want;
	ssize_t ret;

	if (!pipe->readers) {
		send_sig(SIGPIPE, current, 0);
		return perf_refuse(PERF_REFUSED_SPLICE_PIPE);
	}
	/* The loop ends: each round needs more pages than the last one, at most SPLICE_PAGES. */
	do {
		want = 0;
		rb = perf_buffer_lock(event);
		if (!rb) {
			ret = perf_refuse(PERF_REFUSED_SPLICE_NO_BUFFER);
			break;
		}
		ret = perf_splice_locked(rb, pipe, len, &batch, &want);
		perf_buffer_unlock(rb);
		if (want) {
			if (batch)
				perf_splice_batch_free(batch);
			batch = perf_splice_batch_alloc(want);
			if (!batch)
				ret = -ENOMEM;
		}
	} while (want && batch);
	if (batch)
		perf_splice_batch_free(batch);
	return ret;
}

/* Return true if there is a record, or if the event cannot write any more records. */
static bool perf_splice_is_ready(struct perf_event *event)
{
	struct perf_event_mmap_page *user;
	struct perf_buffer *rb;
	bool yes = true;

	rcu_read_lock();
	rb = rcu_dereference(event->rb);
	if (rb) {
		user = rb->ring.user;
		/* Compare data_head and data_tail as perf_splice_find_records() does. */
		yes = (unsigned long)READ_ONCE(user->data_head) !=
		      (unsigned long)READ_ONCE(user->data_tail);
	}
	rcu_read_unlock();
	return yes || perf_event_is_over(event);
}

/* Sleep until perf_splice_is_ready(), and the pipe has space. The pipe is unlocked meanwhile. */
static int perf_splice_wait_for_records(struct perf_event *event, struct pipe_inode_info *pipe)
{
	int ret;

	/* User space could make perf_splice_is_ready() true for ever: stop at a signal. */
	if (signal_pending(current))
		return -ERESTARTSYS;
	pipe_unlock(pipe);
	ret = wait_event_interruptible(event->cold->waitq, perf_splice_is_ready(event));
	pipe_lock(pipe);
	while (!ret && pipe->readers && pipe_full(pipe->head, pipe->tail, pipe->max_usage)) {
		if (signal_pending(current))
			ret = -ERESTARTSYS;
		else
			pipe_wait_writable(pipe);
	}
	return ret;
}

/**
 * perf_event_splice_read - splice(2) from an event's file to a pipe
 * @file: file of an event
 * @ppos: not used
 * @pipe: locked; unlocked while this sleeps
 * @len: bytes, at most the free space of the pipe
 * @flags: SPLICE_F_NONBLOCK, or O_NONBLOCK of @file, prevents sleeping
 *
 * Sleep like poll(2) if there is no record. The pipe gets whole records.
 *
 * Return: number of bytes consumed; 0 if there will be no more records; -EAGAIN if there is no
 * record now, or no space in the pipe; -ENOSPC if the next record is longer than @len or than
 * the pipe; -EIO if data_tail is not the start of a record; -EINVAL if the event has no buffer for
 * records, or if the buffer is written backward or mapped read-only; -EPIPE, -ENOMEM,
 * -ERESTARTSYS, or an error of the security module
 */
ssize_t perf_event_splice_read(struct file *file, loff_t *ppos, struct pipe_inode_info *pipe,
			       size_t len, unsigned int flags)
{
	struct perf_event *event = file->private_data;
	bool may_wait = !(flags & SPLICE_F_NONBLOCK) && !(file->f_flags & O_NONBLOCK);
	ssize_t ret = perf_refuse_error(PERF_REFUSED_SECURITY_MODULE,
					security_perf_event_read(event));
	bool over;

	if (!ret && is_write_backward(event))
		ret = perf_refuse(PERF_REFUSED_SPLICE_BACKWARD);
	while (!ret) {
		/*
		 * The last records are written before the event ends. So check for the end of the
		 * event before the buffer is read.
		 */
		over = perf_event_is_over(event);
		ret = perf_splice_now(event, pipe, len);
		if (ret || over)
			break;
		ret = may_wait ? perf_splice_wait_for_records(event, pipe) : -EAGAIN;
	}
	return perf_refusal_end(PERF_REFUSED_CALL_SPLICE, ret);
}
