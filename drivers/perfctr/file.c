// SPDX-License-Identifier: GPL-2.0
/*
 * Virtual performance counters: the pseudo file system of the objects' files. A file has an
 * object or none, and supports only mmap and close. All files share one inode and one name,
 * because neither describes an object.
 */
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/mount.h>
#include <linux/perf_event.h>
#include <linux/pseudo_fs.h>
#include <linux/security.h>

#include "virtual.h"

/* Template for alloc_file_clone(). It has no object and is never closed. */
static struct file *vperfctr_first_file __ro_after_init;

static int vperfctr_release(struct inode *inode, struct file *file)
{
	struct vperfctr *vp = file->private_data;

	if (vp)
		vperfctr_put(vp);
	return 0;
}

static vm_fault_t vperfctr_fault(struct vm_fault *vmf)
{
	struct vperfctr *vp = vmf->vma->vm_file->private_data;

	if (vmf->pgoff)
		return VM_FAULT_SIGBUS;
	vmf->page = virt_to_page(vp->state);
	get_page(vmf->page);
	return 0;
}

/*
 * A mapping allows RDPMC only in the address space of the object's owner. vm_private_data is this
 * address space, or NULL if the mapping does not allow RDPMC. The pointer is only compared, never
 * dereferenced.
 */
static bool vperfctr_vma_counts(const struct vm_area_struct *vma)
{
	return vma->vm_private_data;
}

/* The owner's mm is NULL during exit; an unlinked object has no owner. */
static bool vperfctr_owner_uses(struct vperfctr *vp, const struct mm_struct *mm)
{
	const struct task_struct *owner;

	guard(rcu)();
	owner = rcu_dereference(vp->owner);
	return owner && READ_ONCE(owner->mm) == mm;
}

/*
 * mremap() calls this function for the moved mapping, which still allows RDPMC. fork() calls this
 * function for the copy of the mapping, which does not allow RDPMC.
 */
static void vperfctr_vma_open(struct vm_area_struct *vma)
{
	if (vma->vm_private_data != vma->vm_mm)
		vma->vm_private_data = NULL;
	if (vperfctr_vma_counts(vma))
		perfctr_cpu_mapped(vma->vm_mm);
}

static void vperfctr_vma_close(struct vm_area_struct *vma)
{
	if (vperfctr_vma_counts(vma))
		perfctr_cpu_unmapped(vma->vm_mm);
}

static const struct vm_operations_struct vperfctr_vm_ops = {
	.open	= vperfctr_vma_open,
	.close	= vperfctr_vma_close,
	.fault	= vperfctr_fault,
};

static int vperfctr_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct vperfctr *vp = file->private_data;
	int err;

	if (!vp || vma->vm_pgoff || vma->vm_end - vma->vm_start != PAGE_SIZE ||
	    (vma->vm_flags & (VM_WRITE | VM_MAYWRITE | VM_EXEC)) ||
	    !(vma->vm_flags & VM_READ) || !(vma->vm_flags & VM_MAYSHARE))
		return -EPERM;
	err = security_perf_event_read(vperfctr_label(vp));
	if (err)
		return err;
	vm_flags_mod(vma, VM_DONTEXPAND | VM_DONTDUMP, VM_MAYEXEC);
	vma->vm_ops = &vperfctr_vm_ops;
	if (vperfctr_owner_uses(vp, vma->vm_mm)) {
		vma->vm_private_data = vma->vm_mm;
		perfctr_cpu_mapped(vma->vm_mm);
	}
	return 0;
}

static const struct file_operations vperfctr_fops = {
	.release	= vperfctr_release,
	.mmap		= vperfctr_mmap,
};

static char *vperfctr_dname(struct dentry *dentry, char *buffer, int size)
{
	return dynamic_dname(buffer, size, "vperfctr:[%lu]", d_inode(dentry)->i_ino);
}

static const struct dentry_operations vperfctr_dentry_ops = {
	.d_dname	= vperfctr_dname,
};

static const struct super_operations vperfctr_super_ops = {
	.statfs	= simple_statfs,
};

static int vperfctr_init_fs_context(struct fs_context *fc)
{
	struct pseudo_fs_context *ctx = init_pseudo(fc, VPERFCTRFS_MAGIC);

	if (!ctx)
		return -ENOMEM;
	ctx->ops = &vperfctr_super_ops;
	ctx->dops = &vperfctr_dentry_ops;
	/*
	 * Without this flag, READ_IMPLIES_EXEC makes a readable mapping executable, and
	 * vperfctr_mmap() refuses executable mappings.
	 */
	fc->s_iflags |= SB_I_NOEXEC;
	return 0;
}

static struct file_system_type vperfctr_fs = {
	.name			= "vperfctrfs",
	.init_fs_context	= vperfctr_init_fs_context,
	.kill_sb		= kill_anon_super,
};

static struct file * __init vperfctr_make_first_file(struct vfsmount *mnt)
{
	struct inode *inode = alloc_anon_inode(mnt->mnt_sb);
	struct file *file;

	if (IS_ERR(inode))
		return ERR_CAST(inode);
	inode->i_mode = S_IFCHR | 0600;
	file = alloc_file_pseudo(inode, mnt, "", O_RDONLY, &vperfctr_fops);
	if (IS_ERR(file))
		iput(inode);
	return file;
}

/**
 * vperfctr_init_fs - register the pseudo file system
 *
 * Context: at boot.
 * Return: 0 on success, -ENOMEM, or the error of the file system layer
 */
int __init vperfctr_init_fs(void)
{
	int err = register_filesystem(&vperfctr_fs);
	struct vfsmount *mnt;

	if (err)
		return err;
	mnt = kern_mount(&vperfctr_fs);
	if (IS_ERR(mnt)) {
		err = PTR_ERR(mnt);
		goto unregister;
	}
	vperfctr_first_file = vperfctr_make_first_file(mnt);
	if (!IS_ERR(vperfctr_first_file))
		return 0;
	err = PTR_ERR(vperfctr_first_file);
	kern_unmount(mnt);
unregister:
	unregister_filesystem(&vperfctr_fs);
	return err;
}

/**
 * vperfctr_new_file - create a file for an object
 * @vp: the object, the file takes a reference; NULL: no object
 *
 * Context: may sleep.
 * Return: the file, or an ERR_PTR() of -ENOMEM or -ENFILE
 */
struct file *vperfctr_new_file(struct vperfctr *vp)
{
	struct file *file = alloc_file_clone(vperfctr_first_file, O_RDONLY, &vperfctr_fops);

	if (IS_ERR(file))
		return file;
	if (vp)
		vperfctr_get(vp);
	file->private_data = vp;
	return file;
}

/**
 * vperfctr_is_file - is this a vperfctr's file?
 * @file: any file
 *
 * Return: true if it is
 */
bool vperfctr_is_file(const struct file *file)
{
	return file->f_op == &vperfctr_fops;
}
