// SPDX-License-Identifier: GPL-2.0
/* Records about the kernel: symbols, BPF programs, changes of kernel text. */
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/kallsyms.h>
#include <linux/perf_event.h>

#include "sideband.h"

/* PERF_RECORD_KSYMBOL */

/**
 * struct ksymbol_body - body of the record
 * @addr: first byte
 * @len: number of bytes
 * @ksym_type: PERF_RECORD_KSYMBOL_TYPE_*
 * @flags: PERF_RECORD_KSYMBOL_FLAGS_*
 */
struct ksymbol_body {
	u64	addr;
	u32	len;
	u16	ksym_type;
	u16	flags;
};

static bool perf_ksymbol_attr_match(const struct perf_event_attr *attr)
{
	return attr->ksymbol;
}

const struct perf_record_kind perf_ksymbol_kind = {
	.hook		= PERF_SIDEBAND_KSYMBOL,
	.attr_match	= perf_ksymbol_attr_match,
	.type		= PERF_RECORD_KSYMBOL,
	.body_size	= sizeof(struct ksymbol_body),
};

/**
 * __perf_event_ksymbol - a kernel symbol was added or removed
 * @ksym_type: PERF_RECORD_KSYMBOL_TYPE_*
 * @addr: first byte
 * @len: number of bytes
 * @unregister: true if the symbol was removed
 * @sym: name of the symbol
 */
void __perf_event_ksymbol(u16 ksym_type, u64 addr, u32 len, bool unregister, const char *sym)
{
	struct ksymbol_body body = {
		.addr		= addr,
		.len		= len,
		.ksym_type	= ksym_type,
		.flags		= unregister ? PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER : 0,
	};
	struct perf_record record = {
		PERF_RECORD_OF(perf_ksymbol_kind),
		.body		= &body,
	};
	char name[KSYM_NAME_LEN];

	if (WARN_ON_ONCE(ksym_type == PERF_RECORD_KSYMBOL_TYPE_UNKNOWN ||
			 ksym_type >= PERF_RECORD_KSYMBOL_TYPE_MAX))
		return;
	strscpy(name, sym);
	record.tail[0] = name;
	record.tail_size[0] = strlen(name) + 1;
	perf_record_send_current(&record);
}

/* PERF_RECORD_BPF_EVENT */

/**
 * struct bpf_body - body of the record
 * @type: PERF_BPF_EVENT_*
 * @flags: flags of the record
 * @id: of the program
 * @tag: of the program
 */
struct bpf_body {
	u16	type;
	u16	flags;
	u32	id;
	u8	tag[BPF_TAG_SIZE];
};

static bool perf_bpf_attr_match(const struct perf_event_attr *attr)
{
	return attr->bpf_event;
}

const struct perf_record_kind perf_bpf_kind = {
	.hook		= PERF_SIDEBAND_BPF,
	.attr_match	= perf_bpf_attr_match,
	.type		= PERF_RECORD_BPF_EVENT,
	.body_size	= sizeof(struct bpf_body),
};

#ifdef CONFIG_BPF_SYSCALL
static void perf_ksymbol_of_program(const struct bpf_prog *prog, bool unregister)
{
	perf_event_ksymbol(PERF_RECORD_KSYMBOL_TYPE_BPF, (u64)(unsigned long)prog->bpf_func,
			   prog->jited_len, unregister, prog->aux->ksym.name);
}

static void perf_ksymbols_of_program(const struct bpf_prog *prog, bool unregister)
{
	int i;

	perf_ksymbol_of_program(prog, unregister);
	/* Function 0 is the program itself. */
	for (i = 1; i < prog->aux->func_cnt; i++)
		perf_ksymbol_of_program(prog->aux->func[i], unregister);
}

/**
 * __perf_event_bpf_event - a BPF program was loaded, or is being unloaded
 * @prog: the program
 * @type: PERF_BPF_EVENT_PROG_LOAD or PROG_UNLOAD
 * @flags: flags of the record
 *
 * Also write KSYMBOL records for the program's functions.
 */
void __perf_event_bpf_event(struct bpf_prog *prog, enum perf_bpf_event_type type, u16 flags)
{
	struct bpf_body body = {
		.type	= type,
		.flags	= flags,
		.id	= prog->aux->id,
	};
	struct perf_record record = {
		PERF_RECORD_OF(perf_bpf_kind),
		.body		= &body,
	};

	if (type != PERF_BPF_EVENT_PROG_LOAD && type != PERF_BPF_EVENT_PROG_UNLOAD)
		return;
	if (perf_sideband_enabled(PERF_SIDEBAND_KSYMBOL))
		perf_ksymbols_of_program(prog, type == PERF_BPF_EVENT_PROG_UNLOAD);
	if (!perf_sideband_enabled(PERF_SIDEBAND_BPF))
		return;
	memcpy(body.tag, prog->tag, sizeof(body.tag));
	perf_record_send_current(&record);
}
#endif

/* PERF_RECORD_TEXT_POKE */

/**
 * struct text_poke_body - body of the record
 * @addr: first byte
 * @old_len: length of the old bytes, the first part of the tail
 * @new_len: length of the new bytes, the second part of the tail
 */
struct text_poke_body {
	u64	addr;
	u16	old_len;
	u16	new_len;
} __packed;

static_assert(sizeof(struct text_poke_body) == 12);

static bool perf_text_poke_attr_match(const struct perf_event_attr *attr)
{
	return attr->text_poke;
}

const struct perf_record_kind perf_text_poke_kind = {
	.hook		= PERF_SIDEBAND_TEXT_POKE,
	.attr_match	= perf_text_poke_attr_match,
	.type		= PERF_RECORD_TEXT_POKE,
	.body_size	= sizeof(struct text_poke_body),
};

/**
 * __perf_event_text_poke - the kernel's text is being changed
 * @addr: first byte
 * @old_bytes: old bytes
 * @old_len: number of old bytes; may be 0
 * @new_bytes: new bytes
 * @new_len: number of new bytes; may be 0
 */
void __perf_event_text_poke(const void *addr, const void *old_bytes, size_t old_len,
			    const void *new_bytes, size_t new_len)
{
	struct text_poke_body body = {
		.addr		= (unsigned long)addr,
		.old_len	= old_len,
		.new_len	= new_len,
	};
	struct perf_record record = {
		PERF_RECORD_OF(perf_text_poke_kind),
		.misc		= PERF_RECORD_MISC_KERNEL,
		.body		= &body,
		.tail		= { old_bytes, new_bytes },
		.tail_size	= { old_len, new_len },
	};

	if (old_len > U16_MAX || new_len > U16_MAX)
		return;
	perf_record_send_current(&record);
}

/* PERF_RECORD_CGROUP. attr.cgroup is accepted even without CONFIG_CGROUP_PERF. */

static bool perf_cgroup_attr_match(const struct perf_event_attr *attr)
{
	return attr->cgroup;
}

const struct perf_record_kind perf_cgroup_kind = {
	.hook		= PERF_SIDEBAND_CGROUP,
	.attr_match	= perf_cgroup_attr_match,
	.type		= PERF_RECORD_CGROUP,
	.body_size	= sizeof(u64),
};
