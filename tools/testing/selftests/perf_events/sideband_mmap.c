// SPDX-License-Identifier: GPL-2.0
/*
 * Records of mappings: every kind of memory, name and file.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_overlay.h"
#include "pe_records.h"

static struct pe_record rec;

FIXTURE(map) {
	struct perf_event_attr a;
	struct pe_ring ring;
	struct pe_sample id;
	struct pe_mmap2 m;
	const char *name;
	long page;
	int fd, file;
};

FIXTURE_SETUP(map)
{
	self->page = sysconf(_SC_PAGESIZE);
	self->a = pe_attr(PERF_COUNT_SW_DUMMY);
	self->a.sample_type = PE_ID_FIELDS;
	self->a.sample_id_all = 1;
	self->a.mmap = 1;
	self->a.mmap2 = 1;
	self->fd = -1;
	self->file = -1;
}

FIXTURE_TEARDOWN(map)
{
	if (self->file >= 0)
		close(self->file);
	if (self->fd >= 0) {
		pe_ring_unmap(&self->ring);
		close(self->fd);
	}
}

static void start(struct __test_metadata *_metadata, struct _test_data_map *self, pid_t pid)
{
	self->fd = pe_open(&self->a, pid, -1, -1, 0);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, pe_ring_map(&self->ring, self->fd, 16));
	if (!pid)
		ASSERT_EQ(0, pe_ring_poison(&self->ring, self->fd, -1));
}

/* Take the next record, which must be an MMAP record, and in order. */
static bool next(struct __test_metadata *_metadata, struct _test_data_map *self)
{
	const char *fault;

	if (pe_ring_next(&self->ring, &rec) != 1)
		return false;
	fault = pe_record_fault(&self->a, &rec, &self->id);
	EXPECT_EQ(NULL, fault) {
		TH_LOG("%s", fault);
	}
	EXPECT_EQ(self->a.mmap2 ? PERF_RECORD_MMAP2 : PERF_RECORD_MMAP, rec.head.type);
	memset(&self->m, 0, sizeof(self->m));
	memcpy(&self->m, rec.body, self->a.mmap2 ? sizeof(self->m) : sizeof(self->m.base));
	self->name = pe_record_name(&rec);
	return true;
}

/* The record must name this file, with the inode and not a build id. */
static void expect_file(struct __test_metadata *_metadata, struct _test_data_map *self)
{
	struct stat st;

	ASSERT_EQ(0, fstat(self->file, &st));
	EXPECT_EQ(0, rec.head.misc & PERF_RECORD_MISC_MMAP_BUILD_ID);
	EXPECT_EQ(major(st.st_dev), self->m.maj);
	EXPECT_EQ(minor(st.st_dev), self->m.min);
	EXPECT_EQ(st.st_ino, self->m.ino);
}

static void *map_code(struct _test_data_map *self, long offset)
{
	return mmap(NULL, self->page, PROT_READ | PROT_EXEC, MAP_PRIVATE, self->file, offset);
}

#ifndef NT_GNU_BUILD_ID
# define NT_GNU_BUILD_ID 3
#endif

#if __SIZEOF_LONG__ == 8
# define elf_head elf64_hdr
# define elf_part elf64_phdr
#else
# define elf_head elf32_hdr
# define elf_part elf32_phdr
#endif

/* Find the build id among the notes of a program. */
static unsigned int search_notes(const char *at, const char *end, unsigned char *id)
{
	struct elf64_note note; /* the same in 32 bits */

	while (at + sizeof(note) <= end) {
		memcpy(&note, at, sizeof(note));
		at += sizeof(note);
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    !memcmp(at, "GNU", 4) && note.n_descsz <= 20) {
			memcpy(id, at + 4, note.n_descsz);
			return note.n_descsz;
		}
		at += (note.n_namesz + 3) / 4 * 4 + (note.n_descsz + 3) / 4 * 4;
	}
	return 0;
}

/* Find the build id of an ELF file. Return: its length in bytes. */
static unsigned int find_build_id(const char *path, unsigned char *id)
{
	unsigned int found = 0, i;
	const struct elf_head *head;
	const struct elf_part *part;
	struct stat st;
	void *file;
	int fd;

	fd = open(path, O_RDONLY);
	if (fd < 0 || fstat(fd, &st))
		return 0;
	file = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (file == MAP_FAILED)
		return 0;
	head = file;
	part = (void *)((char *)file + head->e_phoff);
	for (i = 0; i < head->e_phnum && !found; i++) {
		const char *at = (char *)file + part[i].p_offset;

		if (part[i].p_type == PT_NOTE)
			found = search_notes(at, at + part[i].p_filesz, id);
	}
	munmap(file, st.st_size);
	return found;
}

TEST_F(map, build_id)
{
	unsigned char id[20] = { 0 };
	unsigned int size = find_build_id("/proc/self/exe", id);
	char exe[512] = "";
	void *p;

	if (!size)
		SKIP(return, "this program has no build id");
	ASSERT_LT(0, readlink("/proc/self/exe", exe, sizeof(exe) - 1));
	self->a.build_id = 1;
	self->file = open("/proc/self/exe", O_RDONLY);
	start(_metadata, self, 0);
	/* The record has the build id, for any mapped part of the file. */
	p = map_code(self, self->page);
	ASSERT_NE(MAP_FAILED, p);
	ASSERT_EQ(true, next(_metadata, self));
	EXPECT_EQ(PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_BUILD_ID, rec.head.misc);
	EXPECT_EQ(size, self->m.build_id_size);
	EXPECT_EQ(0, memcmp(id, self->m.build_id, sizeof(id)));
	EXPECT_EQ((unsigned long)p, self->m.base.addr);
	EXPECT_EQ(self->page, self->m.base.pgoff);
	EXPECT_EQ(PROT_READ | PROT_EXEC, self->m.prot);
	EXPECT_STREQ(exe, self->name);
	munmap(p, self->page);
}

TEST_F(map, inode_in_place_of_a_build_id)
{
	void *p;

	/* The file has a build id, but attr.build_id is 0. */
	self->file = open("/proc/self/exe", O_RDONLY);
	start(_metadata, self, 0);
	p = map_code(self, 0);
	ASSERT_NE(MAP_FAILED, p);
	ASSERT_EQ(true, next(_metadata, self));
	expect_file(_metadata, self);
	munmap(p, self->page);
}

/* Create a file with only a build id of a few bytes. */
static int short_id_file(const unsigned char *id, unsigned int size)
{
	struct {
		struct elf_head elf;
		struct elf_part ph;
		struct elf64_note note;
		char name[4];
		unsigned char id[20];
	} file;
	static const unsigned short one = 1;
	bool little = *(const unsigned char *)&one;
	int fd = memfd_create("pe_short", 0);

	memset(&file, 0, sizeof(file));
	memcpy(file.elf.e_ident, ELFMAG, SELFMAG);
	file.elf.e_ident[EI_CLASS] = sizeof(long) == 8 ? ELFCLASS64 : ELFCLASS32;
	file.elf.e_ident[EI_DATA] = little ? ELFDATA2LSB : ELFDATA2MSB;
	file.elf.e_ident[EI_VERSION] = EV_CURRENT;
	file.elf.e_type = ET_DYN;
	file.elf.e_version = EV_CURRENT;
	file.elf.e_phoff = sizeof(file.elf);
	file.elf.e_ehsize = sizeof(file.elf);
	file.elf.e_phentsize = sizeof(file.ph);
	file.elf.e_phnum = 1;
	file.ph.p_type = PT_NOTE;
	file.ph.p_offset = sizeof(file.elf) + sizeof(file.ph);
	file.ph.p_filesz = sizeof(file.note) + sizeof(file.name) + size;
	file.ph.p_align = 4;
	file.note.n_namesz = 4;
	file.note.n_descsz = size;
	file.note.n_type = NT_GNU_BUILD_ID;
	memcpy(file.name, "GNU", 4);
	memcpy(file.id, id, size);
	if (write(fd, &file, sizeof(file)) != sizeof(file) || ftruncate(fd, 65536))
		return -1;
	return fd;
}

TEST_F(map, short_build_id)
{
	static const unsigned char id[20] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	void *own, *p;
	int exe;

	/* A short build id after a longer one: no byte of the longer one may leak. */
	self->a.build_id = 1;
	exe = open("/proc/self/exe", O_RDONLY);
	self->file = short_id_file(id, 8);
	ASSERT_LE(0, self->file);
	start(_metadata, self, 0);
	own = mmap(NULL, self->page, PROT_READ | PROT_EXEC, MAP_PRIVATE, exe, 0);
	ASSERT_EQ(true, next(_metadata, self));
	p = map_code(self, 0);
	ASSERT_NE(MAP_FAILED, p);
	ASSERT_EQ(true, next(_metadata, self));
	EXPECT_EQ(PERF_RECORD_MISC_MMAP_BUILD_ID,
		  rec.head.misc & PERF_RECORD_MISC_MMAP_BUILD_ID);
	EXPECT_EQ(8, self->m.build_id_size);
	EXPECT_EQ(0, memcmp(id, self->m.build_id, sizeof(id)));
	munmap(own, self->page);
	munmap(p, self->page);
	close(exe);
}

/* An event with attr.mmap2 alone has records: attr.mmap of another event is not needed. */
TEST_F(map, without_the_first_flag)
{
	void *p;

	if (!getenv("PE_HARD"))
		SKIP(return, "PE_HARD is not set");
	self->a.mmap = 0;
	self->file = open("/proc/self/exe", O_RDONLY);
	ASSERT_LE(0, self->file);
	start(_metadata, self, 0);
	p = map_code(self, 0);
	ASSERT_NE(MAP_FAILED, p);
	ASSERT_EQ(true, next(_metadata, self));
	EXPECT_EQ((uintptr_t)p, self->m.base.addr);
	expect_file(_metadata, self);
	munmap(p, self->page);
}

TEST_F(map, file_without_a_build_id)
{
	void *p, *anon;

	self->a.build_id = 1;
	self->file = memfd_create("pe_plain", 0);
	ASSERT_EQ(0, ftruncate(self->file, self->page));
	start(_metadata, self, 0);
	p = map_code(self, 0);
	ASSERT_NE(MAP_FAILED, p);
	ASSERT_EQ(true, next(_metadata, self));
	expect_file(_metadata, self);
	EXPECT_STREQ("/memfd:pe_plain (deleted)", self->name);

	anon = mmap(NULL, self->page, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, anon);
	ASSERT_EQ(true, next(_metadata, self));
	EXPECT_EQ(0, rec.head.misc & PERF_RECORD_MISC_MMAP_BUILD_ID);
	EXPECT_EQ(0, self->m.ino);
	munmap(p, self->page);
	munmap(anon, self->page);
}

TEST_F(map, anonymous)
{
	void *p;

	start(_metadata, self, 0);
	p = mmap(NULL, 3 * self->page, PROT_READ | PROT_WRITE | PROT_EXEC,
		 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, p);
	ASSERT_EQ(true, next(_metadata, self));
	EXPECT_EQ(PERF_RECORD_MISC_USER, rec.head.misc);
	EXPECT_STREQ("//anon", self->name);
	EXPECT_LE(self->m.base.addr, (unsigned long)p);
	EXPECT_GE(self->m.base.addr + self->m.base.len, (unsigned long)p + 3 * self->page);
	EXPECT_EQ(0, self->m.maj);
	EXPECT_EQ(0, self->m.min);
	EXPECT_EQ(0, self->m.ino);
	EXPECT_EQ(0, self->m.generation);
	EXPECT_EQ(PROT_READ | PROT_WRITE | PROT_EXEC, self->m.prot);
	EXPECT_EQ(MAP_PRIVATE, self->m.flags & MAP_TYPE);
	EXPECT_EQ(false, next(_metadata, self));
	munmap(p, 3 * self->page);
}

TEST_F(map, heap)
{
	char *end;

	/* A growing stack is data, and may become code. */
	self->a.mmap_data = 1;
	sbrk(2 * self->page);
	end = sbrk(0);
	start(_metadata, self, 0);
	ASSERT_EQ(end, sbrk(2 * self->page));
	ASSERT_EQ(true, next(_metadata, self));
	EXPECT_STREQ("[heap]", self->name);
	EXPECT_EQ(PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_DATA, rec.head.misc);
	EXPECT_EQ((unsigned long)end + 2 * self->page, self->m.base.addr + self->m.base.len);
	EXPECT_EQ(PROT_READ | PROT_WRITE, self->m.prot);

	end = (char *)(((unsigned long)end + self->page - 1) & -self->page);
	ASSERT_EQ(0, mprotect(end, self->page, PROT_READ | PROT_WRITE | PROT_EXEC));
	do {
		ASSERT_EQ(true, next(_metadata, self));
	} while (rec.head.misc & PERF_RECORD_MISC_MMAP_DATA);
	EXPECT_STREQ("[heap]", self->name);
	EXPECT_EQ((unsigned long)end, self->m.base.addr);
	EXPECT_EQ(self->page, self->m.base.len);
}

TEST_F(map, deleted_file)
{
	char path[] = "/tmp/pe_map_XXXXXX", name[64];
	void *p;

	self->file = mkstemp(path);
	ASSERT_LE(0, self->file);
	ASSERT_EQ(0, ftruncate(self->file, self->page));
	start(_metadata, self, 0);
	p = map_code(self, 0);
	if (p == MAP_FAILED) {
		unlink(path);
		SKIP(return, "no code in /tmp");
	}
	ASSERT_EQ(true, next(_metadata, self));
	EXPECT_STREQ(path, self->name);
	expect_file(_metadata, self);
	munmap(p, self->page);

	ASSERT_EQ(0, unlink(path));
	p = map_code(self, 0);
	ASSERT_NE(MAP_FAILED, p);
	ASSERT_EQ(true, next(_metadata, self));
	snprintf(name, sizeof(name), "%s (deleted)", path);
	EXPECT_STREQ(name, self->name);
	expect_file(_metadata, self);
	munmap(p, self->page);
}

/* Find the device and the inode of a mapping in /proc/self/maps. */
static bool find_in_maps(void *at, unsigned int *maj, unsigned int *min, unsigned long *ino)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long start;
	bool found = false;
	char line[512];

	while (maps && !found && fgets(line, sizeof(line), maps)) {
		found = sscanf(line, "%lx-%*x %*s %*x %x:%x %lu", &start, maj, min, ino) == 4 &&
			start == (unsigned long)at;
	}
	if (maps)
		fclose(maps);
	return found;
}

TEST_F(map, file_of_an_overlay)
{
	unsigned int maj, min;
	unsigned long ino;
	void *p;

	/* The record names the file that was opened, not the file of the lower file system. */
	self->file = pe_overlay_open(self->page);
	if (pe_overlay_skip(self->file))
		SKIP(return, "%s", pe_overlay_skip(self->file));
	ASSERT_LE(0, self->file);
	start(_metadata, self, 0);
	p = map_code(self, 0);
	ASSERT_NE(MAP_FAILED, p);
	ASSERT_EQ(true, next(_metadata, self));
	EXPECT_STREQ(PE_OVERLAY_FILE, self->name);
	ASSERT_EQ(true, find_in_maps(p, &maj, &min, &ino));
	EXPECT_EQ(maj, self->m.maj);
	EXPECT_EQ(min, self->m.min);
	EXPECT_EQ(ino, self->m.ino);
	munmap(p, self->page);
}

TEST_F(map, names_of_each_length)
{
	char path[64] = "/tmp/pe_";
	unsigned int len;
	void *p;

	/* A name of any length is padded to eight bytes. */
	start(_metadata, self, 0);
	for (len = strlen(path); len < 32; len++) {
		path[len] = 'a' + len % 26;
		path[len + 1] = 0;
		self->file = open(path, O_RDWR | O_CREAT, 0700);
		ASSERT_LE(0, self->file);
		ASSERT_EQ(0, ftruncate(self->file, self->page));
		ASSERT_EQ(0, pe_ring_poison(&self->ring, self->fd, -1));
		p = map_code(self, 0);
		unlink(path);
		if (p == MAP_FAILED)
			SKIP(return, "no code in /tmp");
		ASSERT_EQ(true, next(_metadata, self));
		EXPECT_STREQ(path, self->name);
		munmap(p, self->page);
		close(self->file);
		self->file = -1;
	}
}

TEST_F(map, data_becomes_code)
{
	char *p;

	self->file = memfd_create("pe_code", 0);
	ASSERT_EQ(0, ftruncate(self->file, 4 * self->page));
	start(_metadata, self, 0);
	p = mmap(NULL, 4 * self->page, PROT_READ, MAP_PRIVATE, self->file, 0);
	ASSERT_NE(MAP_FAILED, (void *)p);
	EXPECT_EQ(false, next(_metadata, self));
	/* A part of the mapping that becomes code has a record. */
	ASSERT_EQ(0, mprotect(p + self->page, 2 * self->page, PROT_READ | PROT_EXEC));
	ASSERT_EQ(true, next(_metadata, self));
	EXPECT_EQ(PERF_RECORD_MISC_USER, rec.head.misc);
	EXPECT_EQ((unsigned long)p + self->page, self->m.base.addr);
	EXPECT_EQ(2 * self->page, self->m.base.len);
	EXPECT_EQ(self->page, self->m.base.pgoff);
	EXPECT_EQ(PROT_READ | PROT_EXEC, self->m.prot);
	expect_file(_metadata, self);
	/* There is no record when the part becomes data again. */
	ASSERT_EQ(0, mprotect(p + self->page, 2 * self->page, PROT_READ));
	EXPECT_EQ(false, next(_metadata, self));
	munmap(p, 4 * self->page);
}

TEST_F(map, flags)
{
	void *p;

	self->file = memfd_create("pe_flags", 0);
	ASSERT_EQ(0, ftruncate(self->file, self->page));
	start(_metadata, self, 0);
	p = mmap(NULL, self->page, PROT_READ | PROT_EXEC, MAP_SHARED, self->file, 0);
	ASSERT_NE(MAP_FAILED, p);
	ASSERT_EQ(true, next(_metadata, self));
	EXPECT_EQ(MAP_SHARED, self->m.flags & MAP_TYPE);
	EXPECT_EQ(0, self->m.flags & MAP_LOCKED);
	munmap(p, self->page);
	p = mmap(NULL, self->page, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_LOCKED,
		 self->file, 0);
	if (p == MAP_FAILED)
		SKIP(return, "may not lock memory");
	ASSERT_EQ(true, next(_metadata, self));
	EXPECT_EQ(MAP_PRIVATE | MAP_LOCKED, self->m.flags & (MAP_TYPE | MAP_LOCKED));
	munmap(p, self->page);
}

/* Is there a record for a line of /proc/PID/maps? */
static bool told(struct _test_data_map *all, unsigned int nr, unsigned long from,
		 unsigned long to, unsigned long offset)
{
	while (nr--) {
		struct pe_mmap *m = &all[nr].m.base;

		if (m->addr == from && m->addr + m->len >= to && m->pgoff == offset)
			return true;
	}
	return false;
}

TEST_F(map, code_of_a_new_program)
{
	static struct _test_data_map all[64];
	unsigned long from, to, offset, vdso = 0;
	unsigned int nr = 0, lines = 0;
	struct pe_child child;
	char path[64], line[512], prot[8], name[256];
	FILE *maps;

	ASSERT_EQ(0, pe_child_start(&child));
	start(_metadata, self, child.pid);
	ASSERT_EQ(0, pe_child_do(&child, PE_EXEC, 0));
	while (nr < 64 && next(_metadata, self)) {
		EXPECT_EQ(child.pid, self->m.base.pid);
		EXPECT_EQ(child.pid, self->m.base.tid);
		if (!strcmp(self->name, "[vdso]"))
			vdso = self->m.base.addr;
		all[nr++] = *self;
	}
	snprintf(path, sizeof(path), "/proc/%d/maps", child.pid);
	maps = fopen(path, "r");
	ASSERT_NE(NULL, maps);
	while (fgets(line, sizeof(line), maps)) {
		name[0] = 0;
		if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %255s", &from, &to, prot, &offset,
			   name) < 4 || !strchr(prot, 'x') || !strcmp(name, "[vsyscall]"))
			continue;
		EXPECT_EQ(true, told(all, nr, from, to, offset)) {
			TH_LOG("no record of %s", line);
		}
		if (!strcmp(name, "[vdso]"))
			EXPECT_EQ(from, vdso);
		lines++;
	}
	fclose(maps);
	EXPECT_LE(1, lines);
	pe_child_end(&child);
}

TEST_HARNESS_MAIN
