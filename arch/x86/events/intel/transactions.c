// SPDX-License-Identifier: GPL-2.0
/*
 * Names of events of transactional memory: of restricted transactions ("tx"), of elided
 * locks ("el"), why either was given up, and cycles in transactions of both kinds, all of
 * them and those of transactions that were committed.
 *
 * The codes are those of Intel's lists of events (tools/perf/pmu-events/arch/x86/).
 */
#include "tables.h"

/**
 * x86_intel_hsw_transactions - names of events from Haswell to Skylake
 *
 * What did not fit is what was written.
 */
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

/**
 * x86_intel_icl_transactions - the same from Ice Lake to Tiger Lake
 *
 * What did not fit has been read or written.
 */
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

/**
 * x86_intel_glc_transactions - the same from Golden Cove on
 *
 * There is no elision of locks any more.
 */
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
