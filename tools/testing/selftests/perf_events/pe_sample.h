/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads records from an event's buffer, only by the layouts in include/uapi/linux/perf_event.h.
 */
#ifndef _SELFTESTS_PERF_EVENTS_PE_SAMPLE_H
#define _SELFTESTS_PERF_EVENTS_PE_SAMPLE_H

#include "pe_lib.h"

#define PE_MAX_IPS	128
#define PE_MAX_VALUES	64

/**
 * struct pe_ring - a mapped buffer
 * @page: its control page
 * @data: the records
 * @size: bytes of @data
 * @len: bytes of the whole mapping
 */
struct pe_ring {
	struct perf_event_mmap_page *page;
	char *data;
	__u64 size;
	size_t len;
};

/**
 * struct pe_record - a copy of a record
 * @head: its header
 * @body: the rest
 */
struct pe_record {
	struct perf_event_header head;
	char body[65536];
};

/**
 * struct pe_sample - the fields of a sample, or of a record's sample_id
 * @ip: and others: the ABI's fields of the same names
 * @nr_values: number of u64s in @values, the raw read format
 * @nr_ips: number of entries in @ips, with context markers
 * @raw_size: bytes of PERF_SAMPLE_RAW
 * @user_abi: register ABI of the user registers
 * @user_regs: number of user registers
 * @intr_abi: register ABI of the registers at the event
 * @intr_regs: number of these registers
 * @stack_size: size of the user stack's copy
 * @stack_dyn: number of valid bytes in the copy
 */
struct pe_sample {
	__u64 ip;
	__u32 pid, tid;
	__u64 time;
	__u64 addr;
	__u64 id;
	__u64 identifier;
	__u64 stream_id;
	__u32 cpu, res;
	__u64 period;
	unsigned int nr_values;
	__u64 values[PE_MAX_VALUES];
	__u64 nr_ips;
	__u64 ips[PE_MAX_IPS];
	__u32 raw_size;
	__u64 user_abi;
	unsigned int user_regs;
	__u64 intr_abi;
	unsigned int intr_regs;
	__u64 stack_size;
	__u64 stack_dyn;
	__u64 weight;
	__u64 data_src;
	__u64 transaction;
	__u64 phys_addr;
	__u64 cgroup;
	__u64 data_page_size;
	__u64 code_page_size;
};

int pe_ring_map(struct pe_ring *ring, int fd, unsigned int pages);
void pe_ring_unmap(struct pe_ring *ring);
int pe_ring_next(struct pe_ring *ring, struct pe_record *rec);
int pe_ring_find(struct pe_ring *ring, struct pe_record *rec, __u32 type);
unsigned int pe_ring_drop(struct pe_ring *ring, __u32 type);
int pe_sample_parse(const struct perf_event_attr *attr, const struct pe_record *rec,
		    struct pe_sample *s);
int pe_id_parse(const struct perf_event_attr *attr, const struct pe_record *rec,
		struct pe_sample *s);

#endif
