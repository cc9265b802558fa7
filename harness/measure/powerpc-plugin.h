/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts of version 4 of QEMU's interface for plugins that powerpc-writes.c uses. Debian's
 * packages of QEMU have no header of it.
 */
#ifndef _HARNESS_MEASURE_POWERPC_PLUGIN_H
#define _HARNESS_MEASURE_POWERPC_PLUGIN_H

#include <stddef.h>
#include <linux/types.h>

struct qemu_plugin_tb;
struct qemu_plugin_insn;

enum { CB_NO_REGS };

typedef void (*translate_fn)(__u64 id, struct qemu_plugin_tb *tb);
typedef void (*execute_fn)(unsigned int vcpu, void *data);

void qemu_plugin_register_vcpu_tb_trans_cb(__u64 id, translate_fn fn);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, execute_fn fn, int flags,
					    void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *to, size_t size);

#endif
