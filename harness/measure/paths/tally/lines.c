// SPDX-License-Identifier: GPL-2.0
/*
 * A plugin for QEMU that counts the cache lines that CPUs transfer from one another. The guest's
 * CPUs execute the same path in turns (turns.c), and the plugin records which of them have a line
 * of 64 bytes, and which has written it. A turn transfers a line if it reads data that another
 * CPU's turn has written, or writes data that another CPU's turn has read or written. The result
 * does not depend on the timing of the CPUs: it is the cost of each operation if all CPUs execute
 * it.
 *
 * If one thread runs all CPUs, QEMU does not report the current CPU. So the turns are counted,
 * and the accesses of another CPU in the middle of a turn are attributed to the turn.
 *
 * Arguments: cpus=N; out=FILE, for a row "section,transferred lines" at the end of each section,
 * followed by "section address lines instruction-before instruction-after" for each line.
 */
#include <linux/types.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <qemu-plugin.h>

#define MARK	0x70660000u
#define BUCKETS	1048576u

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

/* Marks of the guest, by no-ops */
enum mark {
	TURN_ENDS,
	TURN_BEGINS,
	SECTION_BEGINS,
	SECTION_ENDS,
	NR_MARKS,
};

/* A cache line, by its physical address */
struct line {
	struct line *next;
	__u64 number;		/* physical address / 64 */
	__u64 address;		/* virtual address */
	__u64 holders;		/* mask of the CPUs with a copy */
	int writer;		/* CPU with a modified copy, or -1 */
	__u64 last;		/* last instruction that accessed the line */
	__u64 from, to;		/* instructions before and after the last transfer */
	__u64 taken;		/* number of transfers in this section */
};

static FILE *out;
static struct line **lines;
static int cpus;
static int turn = -1;		/* CPU with the current turn, or -1 */
static int next;		/* CPU with the next turn */
static unsigned int sections;
static bool counts;
static __u64 taken;

static struct line *line_at(__u64 number)
{
	struct line **head = &lines[(number ^ number >> 20) % BUCKETS], *line;

	for (line = *head; line; line = line->next) {
		if (line->number == number)
			return line;
	}
	line = calloc(1, sizeof(*line));
	if (!line)
		abort();
	line->number = number;
	line->writer = -1;
	line->next = *head;
	*head = line;
	return line;
}

/* Account an access of a CPU. Return: true if the line is transferred from another CPU */
static bool line_access(struct line *line, int cpu, bool store)
{
	__u64 me = 1ULL << cpu;
	bool over;

	if (store) {
		over = line->holders & ~me;
		line->holders = me;
		line->writer = cpu;
		return over;
	}
	over = line->writer >= 0 && line->writer != cpu;
	line->holders |= me;
	if (over)
		line->writer = -1;
	return over;
}

static void memory(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *data)
{
	struct qemu_plugin_hwaddr *where;
	__u64 insn = (__u64)(unsigned long)data;
	struct line *line;

	if (turn < 0)
		return;
	where = qemu_plugin_get_hwaddr(info, address);
	if (!where || qemu_plugin_hwaddr_is_io(where))
		return;
	line = line_at(qemu_plugin_hwaddr_phys_addr(where) / 64);
	if (line_access(line, turn, qemu_plugin_mem_is_store(info)) && counts) {
		taken++;
		line->taken++;
		line->from = line->last;
		line->to = insn;
	}
	line->last = insn;
	line->address = address;
}

static void print_section(void)
{
	struct line *line;
	unsigned int i;

	fprintf(out, "%u,%llu\n", sections, taken);
	for (i = 0; i < BUCKETS; i++) {
		for (line = lines[i]; line; line = line->next) {
			if (line->taken)
				fprintf(out, "%u %llx %llu %llx %llx\n", sections, line->address,
					line->taken, line->from, line->to);
			line->taken = 0;
		}
	}
	fflush(out);
}

static void mark(unsigned int vcpu, void *data)
{
	switch ((enum mark)(unsigned long)data) {
	case TURN_BEGINS:
		turn = next;
		next = (next + 1) % cpus;
		break;
	case TURN_ENDS:
		turn = -1;
		break;
	case SECTION_BEGINS:
		sections++;
		taken = 0;
		counts = true;
		break;
	case SECTION_ENDS:
		counts = false;
		print_section();
		break;
	default:
		break;
	}
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
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		unsigned long address = qemu_plugin_insn_vaddr(insn);
		__u8 code[16];
		size_t size = qemu_plugin_insn_data(insn, code, sizeof(code));
		unsigned long m;

		for (m = 0; m < NR_MARKS; m++) {
			if (is_mark(code, size, m))
				qemu_plugin_register_vcpu_insn_exec_cb(insn, mark,
								       QEMU_PLUGIN_CB_NO_REGS,
								       (void *)m);
		}
		qemu_plugin_register_vcpu_mem_cb(insn, memory, QEMU_PLUGIN_CB_NO_REGS,
						 QEMU_PLUGIN_MEM_RW,
						 (void *)address);
	}
}

static void finish(qemu_plugin_id_t id, void *data)
{
	fclose(out);
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
					   char **argv)
{
	int i;

	for (i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "out=", 4))
			out = fopen(argv[i] + 4, "w");
		else if (!strncmp(argv[i], "cpus=", 5))
			cpus = atoi(argv[i] + 5);
		else
			return -1;
	}
	lines = calloc(BUCKETS, sizeof(*lines));
	if (!out || !lines || cpus < 1 || cpus > 64)
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
	qemu_plugin_register_atexit_cb(id, finish, NULL);
	return 0;
}
