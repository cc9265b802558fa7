// SPDX-License-Identifier: GPL-2.0
/*
 * struct perf_event_attr from user space. The input is the caller's permissions, and the memory
 * that the system call reads, of any length.
 */
#include <linux/perf_event.h>

static const u8 *user;		/* memory of the caller */
static size_t user_size;
static u32 *written;		/* the size that the kernel has stored, or NULL */
static u32 size_stored;

static bool privileged, locked_down;

int sysctl_perf_event_paranoid;
int sysctl_perf_event_sample_rate;
int sysctl_perf_event_max_stack;

static bool in_user_memory(const void *at, size_t n)
{
	return (uintptr_t)at >= (uintptr_t)user && (uintptr_t)at <= (uintptr_t)user + user_size &&
	       n <= (uintptr_t)user + user_size - (uintptr_t)at;
}

bool fuzz_copy_from_user(void *to, const void *from, size_t n)
{
	if (!in_user_memory(from, n))
		return false;
	memcpy(to, from, n);
	return true;
}

/* The kernel writes no field of the caller's attribute except size. */
bool fuzz_copy_to_user(void *to, const void *from, size_t n)
{
	fuzz_assert(n == sizeof(size_stored));
	fuzz_assert(to == user + offsetof(struct perf_event_attr, size));
	if (!in_user_memory(to, n))
		return false;
	memcpy(&size_stored, from, n);
	written = &size_stored;
	return true;
}

/* If a structure is larger than the kernel's, the unknown bytes must be zero. */
int copy_struct_from_user(void *to, size_t to_size, const void *from, size_t from_size)
{
	const u8 *bytes = from;
	size_t i;

	for (i = to_size; i < from_size; i++) {
		if (!in_user_memory(bytes + i, 1))
			return -EFAULT;
		if (bytes[i])
			return -E2BIG;
	}
	memset(to, 0, to_size);
	return fuzz_copy_from_user(to, from, min(to_size, from_size)) ? 0 : -EFAULT;
}

/* As on x86: other registers do not exist, or cannot be sampled. */
#define KNOWN_REGS	0xff0fffULL

int perf_reg_validate(u64 mask)
{
	return !mask || mask & ~KNOWN_REGS ? -EINVAL : 0;
}

int perf_allow_open(void)
{
	return privileged || sysctl_perf_event_paranoid <= 2 ? 0 : -EACCES;
}

int perf_allow_kernel(void)
{
	return privileged || sysctl_perf_event_paranoid <= 1 ? 0 : -EACCES;
}

int security_locked_down(int what)
{
	return locked_down ? -EPERM : 0;
}

bool perfmon_capable(void)
{
	return privileged;
}

#include "attr.c"

/* The errno of each reason; the fuzzer does not need the texts. */
static const int refusals[] = {
#define REFUSAL(id, error, ...)		\
	[PERF_REFUSED_##id] = -(error),
#include "refuse_rows.h"
#undef REFUSAL
};

int perf_refuse_value(enum perf_refusal_id id, u64 value)
{
	return refusals[id];
}

int perf_refuse_error(enum perf_refusal_id id, int error)
{
	return error;
}

/*
 * The copy must have the bytes of the user's memory, except for the defaults
 * that the ABI documents.
 */
static void check_copy(const struct perf_event_attr *attr, int err)
{
	struct perf_event_attr raw = { };
	u32 size = 0;

	if (user_size < offsetofend(struct perf_event_attr, size)) {
		fuzz_assert(err == -EFAULT);
		return;
	}
	memcpy(&size, user + offsetof(struct perf_event_attr, size), sizeof(size));
	if (!size)
		size = PERF_ATTR_SIZE_VER0;
	if (size < PERF_ATTR_SIZE_VER0 || size > PAGE_SIZE) {
		fuzz_assert(err == -E2BIG);
		fuzz_assert(written && *written == sizeof(*attr));
		return;
	}
	if (err) {
		fuzz_assert(err == -EFAULT || err == -E2BIG);
		fuzz_assert((err == -E2BIG) == (written && *written == sizeof(*attr)));
		fuzz_assert(err == -E2BIG ? size > sizeof(*attr) : user_size < size);
		return;
	}
	fuzz_assert(!written && user_size >= size);
	memcpy(&raw, user, min_t(size_t, size, sizeof(raw)));
	fuzz_assert(attr->size == size);
	raw.size = size;
	/* The default of sample_max_stack is never 0. */
	fuzz_assert(attr->sample_max_stack);
	if (!raw.sample_max_stack)
		raw.sample_max_stack = min(sysctl_perf_event_max_stack, U16_MAX);
	if (raw.sample_type & PERF_SAMPLE_BRANCH_STACK &&
	    !(raw.branch_sample_type & PERF_SAMPLE_BRANCH_PLM_ALL))
		raw.branch_sample_type |= (raw.exclude_user ? 0 : PERF_SAMPLE_BRANCH_USER) |
					  (raw.exclude_kernel ? 0 : PERF_SAMPLE_BRANCH_KERNEL) |
					  (raw.exclude_hv ? 0 : PERF_SAMPLE_BRANCH_HV);
	fuzz_assert(!memcmp(&raw, attr, sizeof(raw)));
}

/* An accepted attribute has no field that the kernel would ignore. */
static void check_accepted(const struct perf_event_attr *attr)
{
	u64 type = attr->sample_type;

	fuzz_assert(!attr->__reserved_1 && !attr->__reserved_2 && !attr->__reserved_3);
	fuzz_assert(type < PERF_SAMPLE_MAX && attr->read_format < PERF_FORMAT_MAX);
	fuzz_assert((type & PERF_SAMPLE_WEIGHT_TYPE) != PERF_SAMPLE_WEIGHT_TYPE);
	if (type & PERF_SAMPLE_BRANCH_STACK) {
		fuzz_assert(attr->branch_sample_type < PERF_SAMPLE_BRANCH_MAX);
		fuzz_assert(attr->branch_sample_type & ~(u64)PERF_SAMPLE_BRANCH_PLM_ALL);
	}
	if (type & PERF_SAMPLE_STACK_USER)
		fuzz_assert(attr->sample_stack_user < U16_MAX && !(attr->sample_stack_user & 7));
	if (type & PERF_SAMPLE_REGS_USER)
		fuzz_assert(attr->sample_regs_user && !(attr->sample_regs_user & ~KNOWN_REGS));
	if (type & PERF_SAMPLE_REGS_INTR)
		fuzz_assert(attr->sample_regs_intr && !(attr->sample_regs_intr & ~KNOWN_REGS));
	fuzz_assert(attr->inherit || !attr->inherit_thread);
	fuzz_assert(!attr->remove_on_exec || !attr->enable_on_exec);
	fuzz_assert(attr->remove_on_exec || !attr->sigtrap);
}

/* An accepted attribute requests nothing for which its caller has no permission. */
static void check_permitted(const struct perf_event_attr *attr)
{
	u64 type = attr->sample_type;

	fuzz_assert(attr->freq ? attr->sample_freq <= (u64)sysctl_perf_event_sample_rate :
				 !(attr->sample_period >> 63));
	fuzz_assert(!locked_down || !(type & PERF_SAMPLE_REGS_INTR));
	if (privileged)
		return;
	fuzz_assert(sysctl_perf_event_paranoid <= 2 && !attr->namespaces);
	if (sysctl_perf_event_paranoid <= 1)
		return;
	fuzz_assert(attr->exclude_kernel && !attr->text_poke);
	fuzz_assert(!(type & PERF_SAMPLE_PHYS_ADDR));
	fuzz_assert(!(type & PERF_SAMPLE_CALLCHAIN) || attr->exclude_callchain_kernel);
	fuzz_assert(!(type & PERF_SAMPLE_BRANCH_STACK) ||
		    !(attr->branch_sample_type & (PERF_SAMPLE_BRANCH_KERNEL |
						  PERF_SAMPLE_BRANCH_HV)));
}

static void check_stages(const struct perf_event_attr *attr)
{
	enum perf_attr_stage stage;

	for (stage = PERF_ATTR_AT_COPY; stage <= PERF_ATTR_AT_PMU; stage++) {
		const struct perf_attr_rule *broken = perf_attr_broken_rule(attr, stage);
		int err = perf_attr_check_at(attr, stage);

		fuzz_assert(err == (broken ? refusals[broken->refusal] : 0));
		fuzz_assert(!err || err == -EINVAL || err == -ENOSYS);
		/* A refused field is within the bytes from user space. */
		fuzz_assert(!broken || broken->since <= sizeof(*attr));
	}
	if (!perf_attr_check_at(attr, PERF_ATTR_AT_ALLOC))
		fuzz_assert(!attr->inherit || !(attr->sample_type & PERF_SAMPLE_READ) ||
			    attr->sample_type & PERF_SAMPLE_TID);
	/* A clock that is safe in an NMI must be a valid clock. */
	if (attr->use_clockid && perf_attr_clock_is_nmi_safe(attr))
		fuzz_assert(!perf_attr_check_at(attr, PERF_ATTR_AT_PMU));
}

int fuzz_one_input(const u8 *data, size_t size)
{
	struct fuzz_input in = { data, size };
	struct perf_event_attr attr;
	u8 rights = fuzz_take(&in, 1), *memory;
	int err;

	privileged = rights & 1;
	locked_down = rights & 2;
	sysctl_perf_event_paranoid = (int)(rights >> 2 & 7) - 1;
	sysctl_perf_event_sample_rate = rights & 32 ? 100000 : 1;
	sysctl_perf_event_max_stack = rights & 64 ? 127 : 1 << 20;

	/*
	 * Copy the input to memory of exactly its length, so that AddressSanitizer detects a read
	 * beyond it.
	 */
	memory = malloc(in.left ? in.left : 1);
	memcpy(memory, in.data, in.left);
	user = memory;
	user_size = in.left;
	written = NULL;
	memset(&attr, 0xa5, sizeof(attr));

	err = perf_attr_copy((void *)memory, &attr);
	check_copy(&attr, err);
	if (!err) {
		check_stages(&attr);
		if (!perf_attr_check(&attr)) {
			check_accepted(&attr);
			if (!perf_attr_permit(&attr))
				check_permitted(&attr);
		}
	}
	free(memory);
	return 0;
}
