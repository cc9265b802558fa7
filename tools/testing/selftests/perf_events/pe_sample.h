/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reading records from an event's buffer, after the layouts that
 * include/uapi/linux/perf_event.h documents and nothing else.
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
	uint64_t size;
	size_t len;
};

/**
 * struct pe_record - one record, copied out of the buffer
 * @head: its header
 * @body: what follows the header
 */
struct pe_record {
	struct perf_event_header head;
	char body[65536];
};

/**
 * struct pe_sample - the fields of a sample, or of a record's sample_id
 * @ip: and others: the ABI's fields of the same names
 * @nr_values: u64s in @values, the raw read format
 * @nr_ips: entries in @ips, with context markers
 * @raw_size: bytes of PERF_SAMPLE_RAW
 * @user_abi: register ABI of the user registers
 * @user_regs: number of user registers
 * @intr_abi: register ABI of the registers at the event
 * @intr_regs: number of those
 * @stack_size: room of the user stack's copy
 * @stack_dyn: bytes of it that are valid
 */
struct pe_sample {
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time;
	uint64_t addr;
	uint64_t id;
	uint64_t identifier;
	uint64_t stream_id;
	uint32_t cpu, res;
	uint64_t period;
	unsigned int nr_values;
	uint64_t values[PE_MAX_VALUES];
	uint64_t nr_ips;
	uint64_t ips[PE_MAX_IPS];
	uint32_t raw_size;
	uint64_t user_abi;
	unsigned int user_regs;
	uint64_t intr_abi;
	unsigned int intr_regs;
	uint64_t stack_size;
	uint64_t stack_dyn;
	uint64_t weight;
	uint64_t data_src;
	uint64_t transaction;
	uint64_t phys_addr;
	uint64_t cgroup;
	uint64_t data_page_size;
	uint64_t code_page_size;
};

int pe_ring_map(struct pe_ring *ring, int fd, unsigned int pages);
void pe_ring_unmap(struct pe_ring *ring);
int pe_ring_next(struct pe_ring *ring, struct pe_record *rec);
int pe_ring_find(struct pe_ring *ring, struct pe_record *rec, uint32_t type);
unsigned int pe_ring_drop(struct pe_ring *ring, uint32_t type);
int pe_sample_parse(const struct perf_event_attr *attr, const struct pe_record *rec,
		    struct pe_sample *s);
int pe_id_parse(const struct perf_event_attr *attr, const struct pe_record *rec,
		struct pe_sample *s);

#endif
