/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The fuzzer's operations on mappings: buffers, AUX areas, and the calls of mm that
 * a mapping must refuse.
 */
#ifndef _SELFTESTS_PERF_EVENTS_PE_FUZZ_BUFFER_H
#define _SELFTESTS_PERF_EVENTS_PE_FUZZ_BUFFER_H

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pe_fuzz_ops.h"

static void map_aux(struct pe_fuzzer *f, struct pe_fuzz_map *map, int fd)
{
	struct perf_event_mmap_page *page = (void *)map->at;
	size_t len = 4096UL << pe_below(&f->rng, 5);
	void *at;

	page->aux_offset = pe_chance(&f->rng, 95) ? map->len : pe_rnd(&f->rng);
	page->aux_size = pe_chance(&f->rng, 95) ? len : pe_rnd(&f->rng);
	at = mmap(NULL, len, PROT_READ | (pe_chance(&f->rng, 70) ? PROT_WRITE : 0), MAP_SHARED,
		  fd, map->len);
	if (at == MAP_FAILED)
		return;
	map->aux = at;
	map->aux_len = len;
}

static int do_mmap(struct pe_fuzzer *f)
{
	struct pe_fuzz_map *map = &f->maps[pe_below(&f->rng, PE_FUZZ_MAPS)];
	size_t pages = 1 + (pe_chance(&f->rng, 90) ? 1UL << pe_below(&f->rng, 6) : 0);
	int fd = pe_fuzz_fd(f), how = MAP_SHARED;
	bool write = pe_chance(&f->rng, 80);
	off_t offset = 0;
	void *at;

	if (map->at)
		return -1;
	if (pe_chance(&f->rng, 3))
		pages = pe_below(&f->rng, 70);
	if (pe_chance(&f->rng, 2))
		how = MAP_PRIVATE;
	if (pe_chance(&f->rng, 2))
		offset = 4096 * pe_below(&f->rng, 8);
	at = mmap(NULL, pages * 4096, PROT_READ | (write ? PROT_WRITE : 0), how, fd, offset);
	if (at == MAP_FAILED)
		return -1;
	*map = (struct pe_fuzz_map) { .at = at, .len = pages * 4096, .write = write };
	if (write && pe_chance(&f->rng, 50))
		map_aux(f, map, fd);
	return 0;
}

static void unmap(struct pe_fuzz_map *map)
{
	if (map->aux)
		munmap(map->aux, map->aux_len);
	if (map->at)
		munmap(map->at, map->len);
	memset(map, 0, sizeof(*map));
}

static int do_munmap(struct pe_fuzzer *f)
{
	struct pe_fuzz_map *map = &f->maps[pe_below(&f->rng, PE_FUZZ_MAPS)];

	if (!map->at)
		return -1;
	if (map->aux && pe_chance(&f->rng, 30)) {
		munmap(map->aux, map->aux_len);
		map->aux = NULL;
		return 0;
	}
	if (map->aux && pe_chance(&f->rng, 30)) {
		/* The other order: the buffer before the AUX area. */
		munmap(map->at, map->len);
		munmap(map->aux, map->aux_len);
		memset(map, 0, sizeof(*map));
		return 0;
	}
	unmap(map);
	return 0;
}

/* Most of these calls must be refused. If a call succeeds, the mapping is not used again. */
static int do_remap(struct pe_fuzzer *f)
{
	struct pe_fuzz_map *map = &f->maps[pe_below(&f->rng, PE_FUZZ_MAPS)];
	size_t page = 4096;
	void *at;

	if (!map->at)
		return -1;
	switch (pe_below(&f->rng, 7)) {
	case 0:
		at = mremap(map->at, map->len, map->len * 2, MREMAP_MAYMOVE);
		if (at == MAP_FAILED)
			return -1;
		map->at = at;
		map->len *= 2;
		unmap(map);
		return 0;
	case 1:
		at = mremap(map->at, map->len, map->len, MREMAP_MAYMOVE | MREMAP_FIXED,
			    map->at + (1UL << 30));
		if (at == MAP_FAILED)
			return -1;
		map->at = at;
		return 0;
	case 2:
		if (map->len <= page)
			return -1;
		return munmap(map->at + map->len - page, page);
	case 3:
		return mprotect(map->at, page, PROT_READ) ? -1 : (map->write = false);
	case 4:
		return madvise(map->at, map->len, pe_chance(&f->rng, 50) ? MADV_DOFORK :
			       MADV_DONTNEED);
	case 5:
		return mlock(map->at, map->len);
	default:
		at = mremap(map->at, 0, map->len, MREMAP_MAYMOVE);
		if (at == MAP_FAILED)
			return -1;
		return munmap(at, map->len);
	}
}

static int do_drain(struct pe_fuzzer *f)
{
	struct pe_fuzz_map *map = &f->maps[pe_below(&f->rng, PE_FUZZ_MAPS)];
	struct perf_event_mmap_page *page = (void *)map->at;
	__u64 head, aux_head;

	if (!map->at)
		return -1;
	head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	aux_head = __atomic_load_n(&page->aux_head, __ATOMIC_ACQUIRE);
	if (!map->write)
		return 0;
	if (pe_chance(&f->rng, 5)) {
		((__u64 *)page)[pe_below(&f->rng, 512)] = pe_rnd(&f->rng);
		return 0;
	}
	__atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
	__atomic_store_n(&page->aux_tail, aux_head, __ATOMIC_RELEASE);
	return 1;
}

#endif /* _SELFTESTS_PERF_EVENTS_PE_FUZZ_BUFFER_H */
