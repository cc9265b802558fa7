/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Layouts of all records but samples, from include/uapi/linux/perf_event.h.
 */
#ifndef _SELFTESTS_PERF_EVENTS_PE_RECORDS_H
#define _SELFTESTS_PERF_EVENTS_PE_RECORDS_H

#include "pe_sample.h"

/* Byte in a buffer that no record has written since pe_ring_poison() */
#define PE_POISON	0xee

#define PE_ID_FIELDS	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |	\
			 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |		\
			 PERF_SAMPLE_IDENTIFIER)

/**
 * struct pe_task - body of PERF_RECORD_FORK and PERF_RECORD_EXIT
 * @pid: and the others: as in the ABI
 */
struct pe_task {
	__u32 pid, ppid;
	__u32 tid, ptid;
	__u64 time;
};

/**
 * struct pe_mmap - fixed part of PERF_RECORD_MMAP
 * @pid: and the others: as in the ABI
 */
struct pe_mmap {
	__u32 pid, tid;
	__u64 addr;
	__u64 len;
	__u64 pgoff;
};

/**
 * struct pe_mmap2 - fixed part of PERF_RECORD_MMAP2
 * @base: the fields of PERF_RECORD_MMAP
 * @maj: and the others: as in the ABI
 */
struct pe_mmap2 {
	struct pe_mmap base;
	union {
		struct {
			__u32 maj, min;
			__u64 ino, generation;
		};
		struct {
			__u8 build_id_size;
			__u8 reserved[3];
			__u8 build_id[20];
		};
	};
	__u32 prot, flags;
};

/**
 * struct pe_ksymbol - fixed part of PERF_RECORD_KSYMBOL
 * @addr: and the others: as in the ABI
 */
struct pe_ksymbol {
	__u64 addr;
	__u32 len;
	__u16 type;
	__u16 flags;
};

/**
 * struct pe_bpf_event - body of PERF_RECORD_BPF_EVENT
 * @type: and the others: as in the ABI
 */
struct pe_bpf_event {
	__u16 type;
	__u16 flags;
	__u32 id;
	__u8 tag[8];
};

/**
 * struct pe_text_poke - fixed part of PERF_RECORD_TEXT_POKE, PE_TEXT_POKE bytes
 * @addr: and the others: as in the ABI
 */
struct pe_text_poke {
	__u64 addr;
	__u16 old_len;
	__u16 new_len;
};

#define PE_TEXT_POKE	12

/**
 * struct pe_namespaces - body of PERF_RECORD_NAMESPACES
 * @pid: and the others: as in the ABI
 */
struct pe_namespaces {
	__u32 pid, tid;
	__u64 nr;
	struct perf_ns_link_info link[NR_NAMESPACES];
};

const char *pe_record_fault(const struct perf_event_attr *attr, const struct pe_record *rec,
			    struct pe_sample *id);
const char *pe_record_name(const struct pe_record *rec);
int pe_ring_poison(struct pe_ring *ring, int fd, int cpu);

#endif
