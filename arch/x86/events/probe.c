// SPDX-License-Identifier: GPL-2.0
/*
 * Registers that count: found by looking.
 */
#include <linux/export.h>
#include <linux/bits.h>
#include <asm/msr.h>

#include "probe.h"

static umode_t perf_msr_hidden(struct kobject *kobj, struct attribute *attr, int i)
{
	return 0;
}

/**
 * perf_msr_probe - which of some registers does this CPU have?
 * @msr: array of @cnt
 * @cnt: at most BITS_PER_LONG
 * @zero_too: a register that reads 0 is there, too
 * @data: for their test functions
 *
 * Hides the attributes of those that are missing. A register that faults, or that has
 * no use (it reads 0, as hypervisors let many do), is missing. Process context.
 *
 * Return: bit mask of those that are there.
 */
unsigned long perf_msr_probe(struct perf_msr *msr, int cnt, bool zero_too, void *data)
{
	unsigned long found = 0;
	int i;

	if (cnt > BITS_PER_LONG)
		return 0;
	for (i = 0; i < cnt; i++) {
		const u64 mask = msr[i].mask ?: ~0ULL;
		u64 value;

		if (msr[i].grp)
			msr[i].grp->is_visible = perf_msr_hidden;
		if (msr[i].test && !msr[i].test(i, data))
			continue;
		if (!msr[i].no_check &&
		    (!msr[i].msr || rdmsrl_safe(msr[i].msr, &value) ||
		     (!zero_too && !(value & mask))))
			continue;
		if (msr[i].grp)
			msr[i].grp->is_visible = NULL;
		found |= BIT(i);
	}
	return found;
}
EXPORT_SYMBOL_GPL(perf_msr_probe);
