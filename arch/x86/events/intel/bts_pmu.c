// SPDX-License-Identifier: GPL-2.0
/*
 * The PMU intel_bts: traces of branches in an AUX area.
 *
 * The trace consists of records of 24 bytes, struct x86_bts_record. Offsets of records in the area
 * are multiples of 24, so the last bytes of the area, too few for a record, are not used.
 *
 * The CPU writes to a buffer of its own, and the driver copies the records to the area. So the area
 * may have any pages, and has no records with kernel addresses if the event excludes the kernel.
 * The event nevertheless needs permission for the kernel.
 */
#include <linux/init.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <asm/intel_ds.h>

#include "../engine.h"

#define BTS_SIZE	sizeof(struct x86_bts_record)

/**
 * struct bts_area - an AUX area
 * @pages: addresses of the pages
 * @size: size in bytes, a power of two
 * @overwrite: new records overwrite old ones
 */
struct bts_area {
	void		**pages;
	unsigned long	size;
	bool		overwrite;
};

/**
 * struct bts_writer - the trace of one CPU
 * @handle: transaction
 * @area: the area of the open transaction; NULL: none is open
 * @offset: offset of the next record in @area
 * @written: number of bytes of @area written in the transaction
 *
 * Context: interrupts off, or NMI while the CPU writes records.
 */
struct bts_writer {
	struct perf_output_handle	handle;
	struct bts_area			*area;
	unsigned long			offset;
	unsigned long			written;
};

static DEFINE_PER_CPU(struct bts_writer, bts_writer);

/* Number of bytes at the end of the area that are too few for a record; 0 if one fits at @offset */
static unsigned long bts_rest(const struct bts_area *area, unsigned long offset)
{
	return area->size - offset < BTS_SIZE ? area->size - offset : 0;
}

/*
 * Number of records that fit into the open AUX transaction: up to the end of the area, or the end
 * of the free space.
 */
static unsigned long bts_room(const struct bts_writer *writer)
{
	const struct perf_output_handle *handle = &writer->handle;
	unsigned long bytes = writer->area->size - writer->offset;

	if (!writer->area->overwrite)
		bytes = min(bytes, handle->size - writer->written);
	return bytes / BTS_SIZE;
}

/*
 * Number of records until the reader is to be woken, or until little room is left. Then another
 * transaction gets the room that the reader has made.
 */
static unsigned long bts_until(const struct bts_writer *writer)
{
	const struct perf_output_handle *handle = &writer->handle;
	unsigned long left = handle->wakeup - handle->head;
	unsigned long most = handle->size / BTS_SIZE;

	if (writer->area->overwrite)
		return ULONG_MAX;
	most -= min(most, X86_BTS_LEAST);
	return (long)left > 0 ? min(DIV_ROUND_UP(left, BTS_SIZE), most) : most;
}

/*
 * Begin an AUX transaction. Records are at multiples of BTS_SIZE in the area: if the bytes up to
 * the end of the area are too few for a record, skip these bytes.
 */
static bool bts_open(struct bts_writer *writer, struct perf_event *event)
{
	struct perf_output_handle *handle = &writer->handle;
	unsigned long rest;

	writer->area = perf_aux_output_begin(handle, event);
	if (!writer->area)
		return false;
	writer->written = 0;
	writer->offset = handle->head & (writer->area->size - 1);
	rest = bts_rest(writer->area, writer->offset);
	/* If even these bytes are not free, there is no room for a record. */
	if (rest && (writer->area->overwrite || !perf_aux_output_skip(handle, rest)))
		writer->offset = 0;
	return true;
}

/* End the transaction. In overwrite mode, handle.head is an offset in the area. */
static void bts_close(struct bts_writer *writer)
{
	const struct bts_area *area = writer->area;

	if (!area)
		return;
	if (area->overwrite)
		writer->handle.head = writer->offset;
	writer->area = NULL;
	perf_aux_output_end(&writer->handle, writer->written);
}

/* A record may be on two pages. */
static void bts_store(struct bts_writer *writer, const struct x86_bts_record *record)
{
	void **page = &writer->area->pages[writer->offset >> PAGE_SHIFT];
	unsigned int at = offset_in_page(writer->offset);
	unsigned int first = min_t(unsigned int, BTS_SIZE, PAGE_SIZE - at);

	memcpy(page[0] + at, record, first);
	if (first < BTS_SIZE)
		memcpy(page[1], (const void *)record + first, BTS_SIZE - first);
	writer->offset += BTS_SIZE;
	writer->written = min(writer->written + BTS_SIZE, writer->area->size);
}

/*
 * Make room for a record. The end of the area ends the transaction, so that no PERF_RECORD_AUX
 * covers the unused bytes. If the reader is too slow, the trace ends, and the reader must enable
 * the event again.
 */
static bool bts_make_room(struct bts_writer *writer, struct perf_event *event)
{
	if (bts_room(writer))
		return true;
	if (writer->area->overwrite) {
		writer->offset = 0;
		return true;
	}
	if (bts_rest(writer->area, writer->offset) || writer->offset == writer->area->size) {
		bts_close(writer);
		if (!bts_open(writer, event))
			return false;
		if (bts_room(writer))
			return true;
	}
	perf_aux_output_flag(&writer->handle, PERF_AUX_FLAG_TRUNCATED);
	bts_close(writer);
	return false;
}

static void bts_end(struct x86_pmu_cpu *cpu, struct perf_event *event)
{
	event->hw.state = PERF_HES_STOPPED;
	x86_bts_stop(cpu);
}

/* Copy records to the area, see x86_bts_take_t. */
static void bts_copy(struct x86_pmu_cpu *cpu, struct perf_event *event,
		     const struct x86_bts_record *records, unsigned int n, bool interrupt)
{
	struct bts_writer *writer = this_cpu_ptr(&bts_writer);
	unsigned int i;

	if (!writer->area)
		return;
	for (i = 0; i < n; i++) {
		if (!x86_bts_may_show(event, &records[i]))
			continue;
		if (!bts_make_room(writer, event)) {
			bts_end(cpu, event);
			return;
		}
		bts_store(writer, &records[i]);
	}
	if (n >= X86_BTS_RECORDS)
		perf_aux_output_flag(&writer->handle, PERF_AUX_FLAG_PARTIAL);
	/* If the event is being stopped, bts_pmu_stop() ends the transaction. */
	if (writer->area->overwrite || !x86_event_runs(event))
		return;
	if (writer->written && writer->written / BTS_SIZE >= bts_until(writer)) {
		bts_close(writer);
		if (!bts_open(writer, event)) {
			bts_end(cpu, event);
			return;
		}
	}
	x86_bts_interrupt_after(cpu, bts_until(writer) - writer->written / BTS_SIZE);
}

static void bts_pmu_start(struct perf_event *event, int flags)
{
	struct bts_writer *writer = this_cpu_ptr(&bts_writer);
	struct x86_pmu_cpu *cpu = x86_this_cpu();

	if (x86_event_runs(event) || !bts_open(writer, event))
		return;
	WRITE_ONCE(event->hw.state, 0);
	x86_bts_interrupt_after(cpu, bts_until(writer));
	x86_bts_start(cpu);
}

static void bts_pmu_stop(struct perf_event *event, int flags)
{
	if (!x86_event_runs(event))
		return;
	WRITE_ONCE(event->hw.state, PERF_HES_STOPPED);
	x86_bts_stop(x86_this_cpu());
	bts_close(this_cpu_ptr(&bts_writer));
}

static int bts_pmu_add(struct perf_event *event, int flags)
{
	struct x86_pmu_cpu *cpu = x86_this_cpu();

	event->hw.state = PERF_HES_STOPPED;
	if (!cpu->core || x86_bts_add(cpu, event, bts_copy))
		return -EBUSY;
	if (!(flags & PERF_EF_START))
		return 0;
	bts_pmu_start(event, 0);
	if (x86_event_runs(event))
		return 0;
	/* There is no AUX area, or no free space in the area. */
	x86_bts_del(cpu, event);
	return -EINVAL;
}

static void bts_pmu_del(struct perf_event *event, int flags)
{
	bts_pmu_stop(event, PERF_EF_UPDATE);
	x86_bts_del(x86_this_cpu(), event);
}

/* The PMU only traces: event->count stays 0. */
static void bts_pmu_read(struct perf_event *event)
{
}

static void bts_pmu_destroy(struct perf_event *event)
{
	if (!event->parent)
		x86_del_exclusive(x86_lbr_exclusive_bts);
}

static int bts_pmu_init_event(struct perf_event *event)
{
	int err;

	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	/*
	 * If the event excludes the kernel, a filter in software removes records with kernel
	 * addresses, so every event needs permission for the kernel. Not checked for an inherited
	 * event: fork() needs no permission.
	 */
	err = event->parent ? 0 : perf_allow_kernel();
	if (err)
		return perf_event_refuse(event, "attr.type",
					 "is intel_bts: needs CAP_PERFMON, or perf_event_paranoid below 2",
					 err);
	/* The CPU does not record branches of guests. */
	if (event->attr.exclude_host)
		return perf_event_refuse(event, "attr.exclude_host", "must be 0 for intel_bts",
					 -EOPNOTSUPP);
	err = x86_bts_get_buffers();
	if (err)
		return err;
	/* An inherited event uses its parent's BTS reservation: the parent is freed later. */
	err = event->parent ? 0 : x86_add_exclusive(x86_lbr_exclusive_bts);
	if (err)
		return perf_event_refuse(event, "attr.type",
					 "is intel_bts, but branch records or PT are in use", err);
	event->destroy = bts_pmu_destroy;
	return 0;
}

/* Context: process. */
static void *bts_setup_aux(struct perf_event *event, void **pages, int nr_pages, bool overwrite)
{
	struct bts_area *area = kzalloc(sizeof(*area), GFP_KERNEL);

	if (!area)
		return NULL;
	area->pages = pages;
	area->size = (unsigned long)nr_pages << PAGE_SHIFT;
	area->overwrite = overwrite;
	return area;
}

static void bts_free_aux(void *area)
{
	kfree(area);
}

static struct pmu bts_pmu = {
	.task_ctx_nr	= perf_sw_context,
	.capabilities	= PERF_PMU_CAP_ITRACE | PERF_PMU_CAP_EXCLUSIVE,
	.event_init	= bts_pmu_init_event,
	.add		= bts_pmu_add,
	.del		= bts_pmu_del,
	.start		= bts_pmu_start,
	.stop		= bts_pmu_stop,
	.read		= bts_pmu_read,
	.setup_aux	= bts_setup_aux,
	.free_aux	= bts_free_aux,
};

static int __init bts_pmu_init(void)
{
	/* Without the core PMU, the buffer has no interrupt. */
	if (!x86_nr_cores || !x86_bts_exists())
		return -ENODEV;
	return perf_pmu_register(&bts_pmu, "intel_bts", -1);
}
arch_initcall(bts_pmu_init);
