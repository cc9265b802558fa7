// SPDX-License-Identifier: GPL-2.0
/* PERF_RECORD_MMAP and PERF_RECORD_MMAP2 */
#include <linux/buildid.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/hugetlb_inline.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/perf_event.h>
#include <linux/slab.h>

#include "../source/addr_filter.h"
#include "sample.h"
#include "sideband.h"

/**
 * struct mmap_body - body of the record
 * @pid: process
 * @tid: thread
 * @addr: first byte
 * @len: number of bytes
 * @pgoff: offset in the file, in bytes
 * @maj: major number of the file's device. This and all further fields are only in MMAP2 records
 * @min: minor number of the file's device
 * @ino: inode number of the file
 * @ino_generation: generation of the inode
 * @build_id_size: bytes of @build_id. The build id replaces the four fields from @maj on
 * @reserved: 0
 * @build_id: build id of the file, padded with 0
 * @prot: PROT_*
 * @flags: MAP_*
 */
struct mmap_body {
	u32	pid;
	u32	tid;
	u64	addr;
	u64	len;
	u64	pgoff;
	union {
		struct {
			u32	maj;
			u32	min;
			u64	ino;
			u64	ino_generation;
		};
		struct {
			u8	build_id_size;
			u8	reserved[3];
			u8	build_id[BUILD_ID_SIZE_MAX];
		};
	};
	u32	prot;
	u32	flags;
};

static_assert(sizeof(struct mmap_body) == 64);

/**
 * struct mmap_record - record of a mapping
 * @record: the record
 * @body: its body
 * @executable: the mapping is executable
 * @inode: inode of the file, or NULL
 * @build_id_size: bytes of @build_id, 0 if there is none
 * @build_id: build id of the file
 */
struct mmap_record {
	struct perf_record	record;
	struct mmap_body	body;
	bool			executable;
	const struct inode	*inode;
	u32			build_id_size;
	u8			build_id[BUILD_ID_SIZE_MAX];
};

static bool perf_mmap_record_match(const struct perf_event_attr *attr,
				   const struct perf_record *record)
{
	const struct mmap_record *mr = container_of(record, struct mmap_record, record);

	return mr->executable ? attr->mmap || attr->mmap2 : attr->mmap_data;
}

static void perf_record_fill_mmap(struct perf_event *event, struct perf_record *record)
{
	struct mmap_record *mr = container_of(record, struct mmap_record, record);
	const struct inode *inode = mr->inode;
	struct mmap_body *body = &mr->body;

	body->pid = perf_event_pid(event, current);
	body->tid = perf_event_tid(event, current);
	record->misc &= ~PERF_RECORD_MISC_MMAP_BUILD_ID;
	if (!event->attr.mmap2) {
		record->type = PERF_RECORD_MMAP;
		record->body_size = offsetof(struct mmap_body, maj);
		return;
	}

	record->type = PERF_RECORD_MMAP2;
	record->body_size = sizeof(*body);
	body->maj = inode ? MAJOR(inode->i_sb->s_dev) : 0;
	body->min = inode ? MINOR(inode->i_sb->s_dev) : 0;
	body->ino = inode ? inode->i_ino : 0;
	body->ino_generation = inode ? inode->i_generation : 0;
	if (event->attr.build_id && mr->build_id_size) {
		record->misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
		memset(body->reserved, 0, sizeof(body->reserved));
		body->build_id_size = mr->build_id_size;
		memcpy(body->build_id, mr->build_id, sizeof(body->build_id));
	}
}

static bool perf_mmap_attr_match(const struct perf_event_attr *attr)
{
	return attr->mmap || attr->mmap2 || attr->mmap_data;
}

const struct perf_record_kind perf_mmap_kind = {
	.hook		= PERF_SIDEBAND_MMAP,
	.attr_match	= perf_mmap_attr_match,
	.record_match	= perf_mmap_record_match,
	.fill		= perf_record_fill_mmap,
};

static bool perf_build_id_attr_match(const struct perf_event_attr *attr)
{
	return attr->build_id && attr->mmap2;
}

/* A build id is a field of MMAP2 records. While the hook is enabled, the build ids are read. */
const struct perf_record_kind perf_build_id_kind = {
	.hook		= PERF_SIDEBAND_BUILD_ID,
	.attr_match	= perf_build_id_attr_match,
	.record_match	= perf_mmap_record_match,
};

/* Read the build id of the mapped file, if an event requests it in the record. */
static void perf_record_read_build_id(struct mmap_record *mr, struct vm_area_struct *vma)
{
	mr->record.kind = &perf_build_id_kind;
	if (perf_record_has_listener(&mr->record) &&
	    build_id_parse_nofault(vma, mr->build_id, &mr->build_id_size))
		mr->build_id_size = 0;
	mr->record.kind = &perf_mmap_kind;
}

/*
 * The name of a mapping: a path, or a word such as "[heap]". @buf has PATH_MAX bytes, or is
 * NULL.
 */
static const char *perf_record_mapping_name(struct vm_area_struct *vma, char *buf)
{
	const char *name;

	if (vma->vm_file) {
		if (!buf)
			return "//enomem";
		/* The path of a deleted file ends with " (deleted)". */
		name = d_path(file_user_path(vma->vm_file), buf, PATH_MAX);
		return IS_ERR(name) ? "//toolong" : name;
	}
	name = vma->vm_ops && vma->vm_ops->name ? vma->vm_ops->name(vma) : NULL;
	if (!name)
		name = arch_vma_name(vma);
	if (name)
		return name;
	if (vma_is_initial_heap(vma))
		return "[heap]";
	if (vma_is_initial_stack(vma))
		return "[stack]";
	return "//anon";
}

static u32 perf_record_mapping_prot(vm_flags_t flags)
{
	return (flags & VM_READ ? PROT_READ : 0) | (flags & VM_WRITE ? PROT_WRITE : 0) |
	       (flags & VM_EXEC ? PROT_EXEC : 0);
}

static u32 perf_record_mapping_flags(struct vm_area_struct *vma)
{
	u32 flags = vma->vm_flags & VM_MAYSHARE ? MAP_SHARED : MAP_PRIVATE;

	if (vma->vm_flags & VM_LOCKED)
		flags |= MAP_LOCKED;
	if (is_vm_hugetlb_page(vma))
		flags |= MAP_HUGETLB;
	return flags;
}

static void perf_record_send_mmap(struct vm_area_struct *vma)
{
	bool executable = vma->vm_flags & VM_EXEC;
	struct mmap_record mr = {
		.record = {
			PERF_RECORD_OF(perf_mmap_kind),
			.misc	= PERF_RECORD_MISC_USER |
				  (executable ? 0 : PERF_RECORD_MISC_MMAP_DATA),
		},
		.body = {
			.addr	= vma->vm_start,
			.len	= vma->vm_end - vma->vm_start,
			.pgoff	= (u64)vma->vm_pgoff << PAGE_SHIFT,
			.prot	= perf_record_mapping_prot(vma->vm_flags),
			.flags	= perf_record_mapping_flags(vma),
		},
		.executable	= executable,
		.inode		= vma->vm_file ? file_user_inode(vma->vm_file) : NULL,
	};
	const char *name;
	char *buf;

	if (!perf_record_has_listener(&mr.record))
		return;
	buf = vma->vm_file ? kmalloc(PATH_MAX, GFP_KERNEL) : NULL;
	name = perf_record_mapping_name(vma, buf);
	if (vma->vm_file && perf_sideband_enabled(PERF_SIDEBAND_BUILD_ID))
		perf_record_read_build_id(&mr, vma);
	mr.record.body = &mr.body;
	mr.record.tail[0] = name;
	mr.record.tail_size[0] = strlen(name) + 1;
	perf_record_send_current(&mr.record);
	kfree(buf);
}

/**
 * __perf_event_mmap - current has created or changed a mapping
 * @vma: the mapping; its mm is locked for writing
 *
 * Context: may sleep.
 */
void __perf_event_mmap(struct vm_area_struct *vma)
{
	if (perf_sideband_enabled(PERF_SIDEBAND_FILTERS))
		perf_addr_filters_mmap(vma);
	if (perf_sideband_enabled(PERF_SIDEBAND_MMAP))
		perf_record_send_mmap(vma);
}
