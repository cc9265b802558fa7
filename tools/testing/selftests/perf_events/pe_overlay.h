/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A file on a stacked file system: the vma of its mapping has the file of the lower file system.
 */
#ifndef PE_OVERLAY_H
#define PE_OVERLAY_H

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

/* A directory of any system. Only the caller's mount namespace has the mounts on it. */
#define PE_OVERLAY		"/tmp"
#define PE_OVERLAY_FILE		PE_OVERLAY "/merged/file"
#define PE_OVERLAY_OPTIONS	"lowerdir=" PE_OVERLAY "/lower,upperdir=" PE_OVERLAY "/upper," \
				"workdir=" PE_OVERLAY "/work"

/**
 * pe_overlay_open - mount an overlay with one file of zeros, in a mount namespace of the caller
 * @size: size of the file in bytes
 *
 * Return: a descriptor of PE_OVERLAY_FILE, -EPERM if the mount is not possible, -ENODEV if the
 * kernel has no overlay file system, or another negative errno
 */
static int pe_overlay_open(long size)
{
	static const char * const dirs[] = {
		PE_OVERLAY "/lower", PE_OVERLAY "/upper", PE_OVERLAY "/work", PE_OVERLAY "/merged",
	};
	unsigned int i;
	int fd;

	if (unshare(CLONE_NEWNS))
		return -errno;
	/* In a chroot, the root may not be a mount point. */
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return -EPERM;
	if (mount("tmpfs", PE_OVERLAY, "tmpfs", 0, NULL))
		return -errno;
	for (i = 0; i < 4; i++) {
		if (mkdir(dirs[i], 0700))
			return -errno;
	}
	fd = open(PE_OVERLAY "/lower/file", O_CREAT | O_WRONLY, 0700);
	if (fd < 0 || ftruncate(fd, size))
		return -errno;
	close(fd);
	if (mount("overlay", PE_OVERLAY "/merged", "overlay", 0, PE_OVERLAY_OPTIONS))
		return -errno;
	fd = open(PE_OVERLAY_FILE, O_RDONLY);
	return fd < 0 ? -errno : fd;
}

/* Why a test that needs the overlay is skipped; NULL if @err is another error. */
static const char *pe_overlay_skip(int err)
{
	return err == -EPERM ? "cannot mount a file system" :
	       err == -ENODEV ? "the kernel has no overlay file system" : NULL;
}

#endif /* PE_OVERLAY_H */
