// SPDX-License-Identifier: GPL-2.0
/*
 * A plugin for qemu-system-ppc64 that counts the writes of the PMU's registers between two marks of
 * powerpc-switches.c, and prints the number for each pair of marks to FILE of out=FILE. One CPU.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "powerpc-plugin.h"

int qemu_plugin_version = 4;

/* li 0, 0x7065 and li 0, 0x7066 */
#define MARK_BEGIN	0x38007065
#define MARK_END	0x38007066

/* mtspr without its operands */
#define WRITE		0x7c0003a6
#define WRITE_MASK	0xfc0007fe

static FILE *out;
static bool counting;
static unsigned long writes;

static void begin(unsigned int vcpu, void *data)
{
	counting = true;
	writes = 0;
}

static void end(unsigned int vcpu, void *data)
{
	if (counting)
		fprintf(out, "%lu\n", writes);
	fflush(out);
	counting = false;
}

static void write_register(unsigned int vcpu, void *data)
{
	writes += counting;
}

/* The counters, MMCR0 to MMCR3, MMCRA, SIAR, SDAR, SIER to SIER3, as written in the kernel */
static bool is_pmu(__u32 code)
{
	/* The two halves of the register's number are swapped. */
	unsigned int number = (code >> 16 & 0x1f) | (code >> 6 & 0x3e0);

	return (number >= 784 && number <= 798) || (number >= 752 && number <= 754);
}

static void translate(__u64 id, struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb), i;

	for (i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		execute_fn call = NULL;
		__u32 code = 0;

		/* A little-endian guest, on a little-endian host */
		qemu_plugin_insn_data(insn, &code, sizeof(code));
		if (code == MARK_BEGIN)
			call = begin;
		else if (code == MARK_END)
			call = end;
		else if ((code & WRITE_MASK) == WRITE && is_pmu(code))
			call = write_register;
		if (call)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, call, CB_NO_REGS, NULL);
	}
}

int qemu_plugin_install(__u64 id, const void *info, int argc, char **argv)
{
	if (argc != 1 || strncmp(argv[0], "out=", 4))
		return -1;
	out = fopen(argv[0] + 4, "w");
	if (!out)
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
	return 0;
}
