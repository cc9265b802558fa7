/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the tests of hardware counters, which skip on a machine that has
 * none.
 */
#ifndef _SELFTESTS_PERF_EVENTS_PE_HW_H
#define _SELFTESTS_PERF_EVENTS_PE_HW_H

#include <string.h>

#include "pe_lib.h"

#define PE_HW_MAX	64

extern char pe_hw_loop_start[], pe_hw_loop_end[];

/* pe_hw.c */
struct perf_event_attr pe_hw_attr(__u64 config);
__u64 pe_hw_exact(void);
bool pe_hw_missing(void);
bool pe_hw_excludes(void);
unsigned int pe_hw_counters(void);
bool pe_hw_share(bool share);
bool pe_hw_must_be_precise(void);
bool pe_hw_must_be_readable(void);
bool pe_hw_branches(void);
void pe_hw_loop(unsigned long instructions);
__u64 pe_hw_count(int fd, unsigned long instructions);
__u64 pe_hw_lowest_count(int fd, unsigned long instructions);
__u64 pe_hw_read_page(const struct perf_event_mmap_page *page);

#endif
