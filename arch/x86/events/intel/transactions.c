// SPDX-License-Identifier: GPL-2.0
/*
 * Event aliases of transactional memory: restricted transactions ("tx"), lock elision ("el"),
 * causes of aborts, cycles in transactions ("t"), and cycles in committed transactions ("ct").
 *
 * The codes are from Intel's event lists (tools/perf/pmu-events/arch/x86/).
 */
#include "tables.h"

/* Haswell to Skylake: the capacity is that of writes. */
struct attribute *x86_intel_hsw_transactions[] = {
	X86_EVENT_ATTR("tx-start", "event=0xc9,umask=0x1"),
	X86_EVENT_ATTR("tx-commit", "event=0xc9,umask=0x2"),
	X86_EVENT_ATTR("tx-abort", "event=0xc9,umask=0x4"),
	X86_EVENT_ATTR("tx-capacity", "event=0x54,umask=0x2"),
	X86_EVENT_ATTR("tx-conflict", "event=0x54,umask=0x1"),
	X86_EVENT_ATTR("el-start", "event=0xc8,umask=0x1"),
	X86_EVENT_ATTR("el-commit", "event=0xc8,umask=0x2"),
	X86_EVENT_ATTR("el-abort", "event=0xc8,umask=0x4"),
	X86_EVENT_ATTR("el-capacity", "event=0x54,umask=0x2"),
	X86_EVENT_ATTR("el-conflict", "event=0x54,umask=0x1"),
	X86_EVENT_ATTR("cycles-t", "event=0x3c,in_tx=1"),
	X86_EVENT_ATTR("cycles-ct", "event=0x3c,in_tx=1,in_tx_cp=1"),
	NULL
};

/* Ice Lake to Tiger Lake: capacities of reads and of writes */
struct attribute *x86_intel_icl_transactions[] = {
	X86_EVENT_ATTR("tx-start", "event=0xc9,umask=0x1"),
	X86_EVENT_ATTR("tx-commit", "event=0xc9,umask=0x2"),
	X86_EVENT_ATTR("tx-abort", "event=0xc9,umask=0x4"),
	X86_EVENT_ATTR("tx-capacity-read", "event=0x54,umask=0x80"),
	X86_EVENT_ATTR("tx-capacity-write", "event=0x54,umask=0x2"),
	X86_EVENT_ATTR("tx-conflict", "event=0x54,umask=0x1"),
	X86_EVENT_ATTR("el-start", "event=0xc8,umask=0x1"),
	X86_EVENT_ATTR("el-commit", "event=0xc8,umask=0x2"),
	X86_EVENT_ATTR("el-abort", "event=0xc8,umask=0x4"),
	X86_EVENT_ATTR("el-capacity-read", "event=0x54,umask=0x80"),
	X86_EVENT_ATTR("el-capacity-write", "event=0x54,umask=0x2"),
	X86_EVENT_ATTR("el-conflict", "event=0x54,umask=0x1"),
	X86_EVENT_ATTR("cycles-t", "event=0x3c,in_tx=1"),
	X86_EVENT_ATTR("cycles-ct", "event=0x3c,in_tx=1,in_tx_cp=1"),
	NULL
};

/* From Golden Cove on: no lock elision */
struct attribute *x86_intel_glc_transactions[] = {
	X86_EVENT_ATTR("tx-start", "event=0xc9,umask=0x1"),
	X86_EVENT_ATTR("tx-commit", "event=0xc9,umask=0x2"),
	X86_EVENT_ATTR("tx-abort", "event=0xc9,umask=0x4"),
	X86_EVENT_ATTR("tx-capacity-read", "event=0x54,umask=0x80"),
	X86_EVENT_ATTR("tx-capacity-write", "event=0x54,umask=0x2"),
	X86_EVENT_ATTR("tx-conflict", "event=0x54,umask=0x1"),
	X86_EVENT_ATTR("cycles-t", "event=0x3c,in_tx=1"),
	X86_EVENT_ATTR("cycles-ct", "event=0x3c,in_tx=1,in_tx_cp=1"),
	NULL
};
