/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Replacement for the kernel's <linux/perf_event.h> and all that it includes: the ABI, and the
 * definitions that code without kernel context uses. The fuzzer defines functions that depend on
 * the caller.
 */
#ifndef _FUZZ_LINUX_PERF_EVENT_H
#define _FUZZ_LINUX_PERF_EVENT_H

#include <errno.h>
#include <limits.h>
#include_next <linux/perf_event.h>
#include <linux/perf_event_ext.h>

#include "../../fuzz.h"

/* The configuration has all options. */
#define CONFIG_HAVE_PERF_REGS			1
#define CONFIG_HAVE_PERF_USER_STACK_DUMP	1
#define CONFIG_CGROUP_PERF			1

/* 1 for an option that is defined as 1, else 0; also for #if. */
#define FUZZ_COMMA_1			0,
#define FUZZ_SECOND(first, second, ...)	second
#define FUZZ_IS_1(maybe_comma)		FUZZ_SECOND(maybe_comma 1, 0, 0)
#define FUZZ_PASTE(value)		FUZZ_IS_1(FUZZ_COMMA_##value)
#define IS_ENABLED(option)		FUZZ_PASTE(option)

#define sizeof_field(type, member)	sizeof(((type *)0)->member)
#define offsetofend(type, member)	(offsetof(type, member) + sizeof_field(type, member))
#define U16_MAX			UINT16_MAX
#define PAGE_SIZE		4096UL
#define __user

typedef int16_t s16;

struct perf_event;

#define LOCKDOWN_PERF		1

extern int sysctl_perf_event_paranoid;
extern int sysctl_perf_event_sample_rate;
extern int sysctl_perf_event_max_stack;

int perf_reg_validate(u64 mask);
int perf_allow_open(void);
int perf_allow_kernel(void);
int security_locked_down(int what);
bool perfmon_capable(void);

/* The fuzzer provides user memory; false for an unmapped address. */
bool fuzz_copy_from_user(void *to, const void *from, size_t n);
bool fuzz_copy_to_user(void *to, const void *from, size_t n);

#define get_user(x, ptr) \
	(fuzz_copy_from_user(&(x), ptr, sizeof(x)) ? 0 : -EFAULT)
#define put_user(value, ptr) ({						\
	__typeof__(*(ptr)) _value = (value);				\
	fuzz_copy_to_user(ptr, &_value, sizeof(_value)) ? 0 : -EFAULT;	\
})

int copy_struct_from_user(void *to, size_t to_size, const void *from, size_t from_size);

#endif /* _FUZZ_LINUX_PERF_EVENT_H */
