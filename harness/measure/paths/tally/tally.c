// SPDX-License-Identifier: GPL-2.0
/*
 * A plugin for QEMU that counts the instructions of a path in the guest: all instructions, locked
 * instructions, and calls of chosen functions, with which interrupted CPUs begin. A program in the
 * guest marks the begin and end of a path by no-ops (begin() and end() in paths.c); the paths are
 * numbered in order.
 *
 * Arguments: out=FILE; interrupt=ADDRESS, once for each such function; profile=FILE, for the number
 * of executions of each instruction, as "section address count".
 */
#include <linux/types.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <qemu-plugin.h>

#define MAX_ENTRIES	8
#define MARK		0x70650000u
#define BUCKETS		65536
#define PREFIXES	"\x66\x67\xf2\xf3\x2e\x36\x3e\x26\x64\x65\xf0"

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

/* An instruction of the guest, one entry for all of its translations */
struct insn {
	struct insn *next;
	__u64 address;
	__u64 count;		/* in this section */
	bool locked, enters, waits;
};

static FILE *out, *profile;
static __u64 entries[MAX_ENTRIES];
static unsigned int nr_entries;
static struct insn *buckets[BUCKETS];

static unsigned int section, sections;	/* current section, or 0; number so far */
static __u64 executed, locked, interrupts;

static struct insn *insn_at(__u64 address)
{
	struct insn **head = &buckets[(address ^ address >> 16) % BUCKETS], *insn;

	for (insn = *head; insn; insn = insn->next) {
		if (insn->address == address)
			return insn;
	}
	insn = calloc(1, sizeof(*insn));
	if (!insn)
		abort();
	insn->address = address;
	insn->next = *head;
	*head = insn;
	return insn;
}

static void print_section(void)
{
	struct insn *insn;
	int i;

	fprintf(out, "%u,%llu,%llu,%llu\n", section, executed, locked, interrupts);
	fflush(out);
	for (i = 0; i < BUCKETS; i++) {
		for (insn = buckets[i]; insn; insn = insn->next) {
			if (profile && insn->count)
				fprintf(profile, "%u %llx %llu\n", section, insn->address,
					insn->count);
			insn->count = 0;
		}
	}
}

static void end_section(unsigned int vcpu, void *data)
{
	if (section)
		print_section();
	section = 0;
}

static void begin_section(unsigned int vcpu, void *data)
{
	section = ++sections;
	executed = 0;
	locked = 0;
	interrupts = 0;
}

static void execute(unsigned int vcpu, void *data)
{
	struct insn *insn = data;

	if (!section)
		return;
	/* QEMU does not report the CPU if one thread runs all of them. */
	interrupts += insn->enters;
	if (insn->waits)
		return;
	executed++;
	locked += insn->locked;
	insn->count++;
}

/* A lock prefix, or an exchange with memory, which is locked without the prefix */
static bool is_locked(const __u8 *code, size_t size)
{
	size_t i;

	for (i = 0; i < size && memchr(PREFIXES, code[i], sizeof(PREFIXES) - 1); i++) {
		if (code[i] == 0xf0)
			return true;
	}
	if (i < size && (code[i] & 0xf0) == 0x40)
		i++;
	return i + 1 < size && (code[i] & 0xfe) == 0x86 && code[i + 1] < 0xc0;
}

/* Another CPU waits in a jump to itself: these instructions are not counted. */
static bool waits(const __u8 *code, size_t size)
{
	return size == 2 && !memcmp(code, "\xeb\xfe", 2);
}

static bool is_mark(const __u8 *code, size_t size, unsigned int number)
{
	__u32 value = MARK + number;

	return size == 7 && !memcmp(code, "\x0f\x1f\x80", 3) && !memcmp(code + 3, &value, 4);
}

static void translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb), i;

	for (i = 0; i < n; i++) {
		struct qemu_plugin_insn *in = qemu_plugin_tb_get_insn(tb, i);
		struct insn *insn = insn_at(qemu_plugin_insn_vaddr(in));
		qemu_plugin_vcpu_udata_cb_t call = execute;
		unsigned int s;
		__u8 code[16];
		size_t size = qemu_plugin_insn_data(in, code, sizeof(code));

		insn->locked = is_locked(code, size);
		insn->waits = waits(code, size);
		for (s = 0; s < nr_entries; s++)
			insn->enters |= entries[s] == insn->address;
		if (is_mark(code, size, 0))
			call = end_section;
		else if (is_mark(code, size, 1))
			call = begin_section;
		qemu_plugin_register_vcpu_insn_exec_cb(in, call, QEMU_PLUGIN_CB_NO_REGS, insn);
	}
}

static void finish(qemu_plugin_id_t id, void *data)
{
	fclose(out);
	if (profile)
		fclose(profile);
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
					   char **argv)
{
	int i;

	for (i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "out=", 4))
			out = fopen(argv[i] + 4, "w");
		else if (!strncmp(argv[i], "profile=", 8))
			profile = fopen(argv[i] + 8, "w");
		else if (!strncmp(argv[i], "interrupt=", 10) && nr_entries < MAX_ENTRIES)
			entries[nr_entries++] = strtoull(argv[i] + 10, NULL, 16);
		else
			return -1;
	}
	if (!out)
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
	qemu_plugin_register_atexit_cb(id, finish, NULL);
	return 0;
}
