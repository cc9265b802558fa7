/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _FUZZ_LINUX_TIMEKEEPING_H
#define _FUZZ_LINUX_TIMEKEEPING_H

#include <linux/perf_event.h>

/* Tables name these clocks, but nothing reads them. */
static inline u64 ktime_get_mono_fast_ns(void) { return 1; }
static inline u64 ktime_get_raw_fast_ns(void) { return 2; }
static inline u64 ktime_get_real_ns(void) { return 3; }
static inline u64 ktime_get_boottime_ns(void) { return 4; }
static inline u64 ktime_get_clocktai_ns(void) { return 5; }

#endif /* _FUZZ_LINUX_TIMEKEEPING_H */
