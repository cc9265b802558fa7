// SPDX-License-Identifier: GPL-2.0
/*
 * Detection of MSRs, for PMUs with a free-running MSR for each event.
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
 * perf_msr_probe - find the MSRs that this CPU has
 * @msr: array of @cnt MSRs
 * @cnt: number of MSRs, at most BITS_PER_LONG
 * @zero_too: an MSR that reads as 0 exists, too
 * @data: argument of perf_msr::test
 *
 * Hides the attributes of missing MSRs. An MSR is missing if a read faults, or, unless @zero_too is
 * set, returns 0: hypervisors return 0 for many unsupported MSRs.
 *
 * Context: process.
 * Return: bitmap of the MSRs that exist.
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
