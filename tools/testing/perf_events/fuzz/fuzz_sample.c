// SPDX-License-Identifier: GPL-2.0
/*
 * Samples, and the sample_id at the end of other records (sample.c, sample_fields.c,
 * sample_read.c). The input is an event and the data of a sample. The record is parsed as the ABI's
 * header documents it: each field must be at its offset with its value, and the record must have
 * the length in its header.
 */
#include <errno.h>
#include "include/sample_kernel.h"

#include "sample.h"
#include "sample_fields.h"
#include "sample_read.h"
#include "sample_user.h"
#include "bare/values.h"

#include "bare/sample_read.c"
#include "bare/sample_fields.c"
#undef WORD
#include "bare/sample.c"

#define MAX_SIBLINGS	600
#define ID		1000000
#define TIME		0x1122334455667788ULL

struct pid_namespace init_pid_ns;
static struct task_struct task = { .pid = 12, .tgid = 34 };
struct task_struct *const current = &task;

static struct fuzz_input in;
static struct perf_event event, siblings[MAX_SIBLINGS];
static struct pt_regs registers, user_registers;
static int linked;		/* number of siblings while the record is written */
static u8 *record;
static size_t record_size;
static bool window;		/* records do not cross the end of a page */

/**
 * struct told - the data of a sample
 * @chain_nr: number of frames in the call chain
 * @stack: number of bytes of the user's stack from its pointer on
 * @missing: number of bytes of @stack that cannot be read
 * @aux: number of bytes in the AUX area
 * @raw: number of bytes of raw data, if a driver fills in raw data
 * @branches: number of branches, if a driver fills in branches
 * @flags: fields that a driver has filled in
 */
static struct told {
	u32	chain_nr, stack, missing, aux, raw, branches;
	u64	flags;
} told;

static struct {
	struct perf_callchain_entry	entry;
	u64				ip[1 << 14];
} chain;

static u8 raw_data[1 << 17];

static struct {
	struct perf_branch_stack	stack;
	struct perf_branch_entry	entries[4096];
} branches;
static u64 branch_counters[4096];

struct perf_event *fuzz_sibling(u64 nr)
{
	return nr < (u64)linked ? &siblings[nr] : NULL;
}

struct perf_callchain_entry *perf_callchain(struct perf_event *unused, struct pt_regs *regs)
{
	chain.entry.nr = told.chain_nr;
	return &chain.entry;
}

void perf_event_times(struct perf_event *unused, u64 *enabled, u64 *running)
{
	*enabled = 1000;
	*running = 900;
}

void perf_event_add_child_times(struct perf_event *unused, u64 *enabled, u64 *running)
{
	*enabled += 1;
	*running += 1;
}

/* A driver's read increases the count of the event. */
static void read_more(struct perf_event *member)
{
	member->count.v = member->id * 5;
}

static struct pmu pmu = { .read = read_more };

static u64 clock_of_event(void)
{
	return TIME;
}

void perf_sample_user_regs(struct perf_regs *user, const struct perf_event *unused,
			   struct pt_regs *regs)
{
	user->regs = told.stack ? &user_registers : NULL;
	user->abi = told.stack ? PERF_SAMPLE_REGS_ABI_64 : PERF_SAMPLE_REGS_ABI_NONE;
}

u64 perf_sample_user_stack(struct pt_regs *regs, u64 want, u64 room)
{
	u64 some = regs ? min_t(u64, want, told.stack) & ~7ULL : 0;

	return room < 8 ? 0 : min(some, (room - 8) & ~7ULL);
}

void perf_output_user_stack(struct perf_output_handle *handle, struct pt_regs *regs, u64 size)
{
	static const u8 stack[U16_MAX] = { 0x5a };
	u64 copied = size - min_t(u64, size, told.missing);

	perf_output_put_u64(handle, size);
	if (!size)
		return;
	perf_output_copy(handle, stack, size);
	perf_output_put_u64(handle, copied);
}

u64 perf_sample_page_size(const struct perf_event *unused, unsigned long addr)
{
	return addr + 1;
}

u64 perf_virt_to_phys(u64 virt)
{
	return virt + 2;
}

unsigned long perf_aux_sample_size(struct perf_event *sampler, unsigned long size)
{
	return min_t(u64, size, told.aux) & ~7UL;
}

void perf_aux_sample_write(struct perf_event *sampler, struct perf_output_handle *handle,
			   unsigned long size)
{
	perf_output_copy(handle, raw_data, size);
}

/*
 * The record's memory has exactly the length of the record, so that AddressSanitizer detects a
 * write beyond it.
 */
int perf_output_begin_inline(struct perf_output_handle *handle, struct perf_event *unused,
			     unsigned int size, bool backward)
{
	fuzz_assert(size && !(size & 7) && size <= 65528 && !record);
	record = malloc(size);
	record_size = size;
	*handle = (struct perf_output_handle){ .at = record, .left = size };
	/* The group may change before the record is written. */
	linked = min(linked, (int)(fuzz_take(&in, 1) * 8));
	return 0;
}

void perf_output_end_inline(struct perf_output_handle *handle)
{
	fuzz_assert(!handle->left);
}

void perf_output_copy(struct perf_output_handle *handle, const void *from, size_t size)
{
	fuzz_assert(size <= handle->left);
	memcpy(handle->at, from, size);
	handle->at += size;
	handle->left -= size;
}

unsigned int perf_output_copy_custom(struct perf_output_handle *handle, perf_copy_f copy,
				     const void *from, unsigned int size)
{
	unsigned int missing;

	fuzz_assert(size <= handle->left);
	missing = copy(handle->at, from, 0, size);
	handle->at += size - missing;
	handle->left -= size - missing;
	return missing;
}

void perf_output_zero(struct perf_output_handle *handle, unsigned int size)
{
	fuzz_assert(size <= handle->left);
	memset(handle->at, 0, size);
	handle->at += size;
	handle->left -= size;
}

void *perf_output_window(struct perf_output_handle *handle, unsigned int size)
{
	void *at = handle->at;

	fuzz_assert(size <= handle->left);
	if (!window)
		return NULL;
	handle->at += size;
	handle->left -= size;
	return at;
}

/* Parse the record as user space does. */

static size_t pos;

static u64 word(void)
{
	u64 value;

	fuzz_assert(pos + sizeof(value) <= record_size);
	memcpy(&value, record + pos, sizeof(value));
	pos += sizeof(value);
	return value;
}

static void has(u64 bit, u64 value)
{
	if (event.attr.sample_type & bit)
		fuzz_assert(word() == value);
}

static void skip(size_t size)
{
	fuzz_assert(size <= record_size - pos);
	pos += size;
}

static u64 parent_id(void)
{
	return event.parent ? event.parent->id : event.id;
}

static u64 pair(u32 first, u32 second)
{
	u32 both[2] = { first, second };
	u64 value;

	memcpy(&value, both, sizeof(value));
	return value;
}

static void read_value(const struct perf_event *member, u64 value)
{
	u64 format = event.attr.read_format;

	fuzz_assert(word() == value);
	if (format & PERF_FORMAT_GROUP && format & PERF_FORMAT_ID)
		fuzz_assert(word() == (member == &event ? parent_id() : member ? member->id : 0));
	if (format & PERF_FORMAT_GROUP && format & PERF_FORMAT_LOST)
		fuzz_assert(word() == (member ? member->id * 7 : 0));
}

static void read_times(int children)
{
	if (event.attr.read_format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		fuzz_assert(word() == 1000ULL + children);
	if (event.attr.read_format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		fuzz_assert(word() == 900ULL + children);
}

static void read_values(void)
{
	u64 format = event.attr.read_format, nr, i;
	bool times = format & (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING);

	if (!(format & PERF_FORMAT_GROUP)) {
		read_value(&event, ID * 3);
		if (times)
			read_times(1);
		if (format & PERF_FORMAT_ID)
			fuzz_assert(word() == parent_id());
		if (format & PERF_FORMAT_LOST)
			fuzz_assert(word() == event.id * 7);
		return;
	}
	nr = word();
	fuzz_assert(nr == (u64)event.nr_siblings + 1);
	read_times(0);
	read_value(&event, ID * 3);
	for (i = 0; i < nr - 1; i++) {
		const struct perf_event *member = i < (u64)linked ? &siblings[i] : NULL;

		read_value(member, !member ? 0 : member->state == PERF_EVENT_STATE_ACTIVE ?
			   member->id * 5 : member->id * 3);
	}
}

/* Is the record, together with @more reserved bytes, so long that a field may have been cut? */
static bool full(size_t more)
{
	return record_size + 2 * sizeof(u64) + more > 65528;
}

static void read_chain(void)
{
	u64 nr = word(), i;
	size_t regs = 0;

	/*
	 * A driver fills in the chain before the core has decided whether the sample has
	 * registers.
	 */
	if (told.flags & PERF_SAMPLE_CALLCHAIN)
		regs = 8 * (hweight64(event.attr.sample_regs_user) +
			    hweight64(event.attr.sample_regs_intr));
	fuzz_assert(nr == told.chain_nr || (nr < told.chain_nr && full(regs)));
	for (i = 0; i < nr; i++)
		fuzz_assert(word() == chain.ip[i]);
}

static void read_raw(void)
{
	u32 size, given = told.flags & PERF_SAMPLE_RAW ? told.raw : 0, i;

	fuzz_assert(record_size - pos >= sizeof(size));
	memcpy(&size, record + pos, sizeof(size));
	pos += sizeof(size);
	fuzz_assert(size >= given && size < given + sizeof(u64));
	fuzz_assert(size <= record_size - pos && !memcmp(record + pos, raw_data, given));
	for (i = given; i < size; i++)
		fuzz_assert(!record[pos + i]);
	skip(size);
	fuzz_assert(!(pos & 7));
}

static void read_branches(void)
{
	bool given = told.flags & PERF_SAMPLE_BRANCH_STACK;
	u64 nr = word(), i;

	fuzz_assert(nr == (given ? told.branches : 0));
	if (event.attr.branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX)
		fuzz_assert(word() == (given ? 99 : -1ULL));
	for (i = 0; i < nr; i++) {
		fuzz_assert(word() == i);
		skip(2 * sizeof(u64));
	}
	if (event.attr.branch_sample_type & PERF_SAMPLE_BRANCH_COUNTERS)
		for (i = 0; i < nr; i++)
			fuzz_assert(word() == i + 1);
}

static void read_regs(u64 mask, bool some, const struct pt_regs *regs)
{
	int i;

	fuzz_assert(word() == (u64)(some ? PERF_SAMPLE_REGS_ABI_64 : PERF_SAMPLE_REGS_ABI_NONE));
	for (i = 0; i < 64 && some; i++) {
		if (mask >> i & 1)
			fuzz_assert(word() == regs->word[i]);
	}
}

static void read_stack(void)
{
	u64 size = word(), want = min(event.attr.sample_stack_user, told.stack) & ~7U;

	fuzz_assert(size == want || (size < want && full(0)));
	if (!size)
		return;
	skip(size);
	fuzz_assert(word() == size - min_t(u64, size, told.missing));
}

static void read_aux(void)
{
	u64 size = word(), want = min(event.attr.aux_sample_size & ~7U, told.aux & ~7U);

	fuzz_assert(size == want || (size < want && full(0)));
	skip(size);
}

static void read_sample(void)
{
	struct perf_event_header header;
	u64 type = event.attr.sample_type;
	u64 ip = told.flags & PERF_SAMPLE_IP ? 0x77 : registers.word[0];
	u64 addr = told.flags & PERF_SAMPLE_ADDR ? 0x88 : 0;

	memcpy(&header, record, sizeof(header));
	fuzz_assert(header.type == PERF_RECORD_SAMPLE && header.size == record_size);
	fuzz_assert(header.misc == PERF_RECORD_MISC_USER);
	pos = sizeof(header);
	has(PERF_SAMPLE_IDENTIFIER, parent_id());
	has(PERF_SAMPLE_IP, ip);
	has(PERF_SAMPLE_TID, pair(34, 12));
	has(PERF_SAMPLE_TIME, told.flags & PERF_SAMPLE_TIME ? 0x66 : TIME);
	has(PERF_SAMPLE_ADDR, addr);
	has(PERF_SAMPLE_ID, parent_id());
	has(PERF_SAMPLE_STREAM_ID, ID);
	has(PERF_SAMPLE_CPU, pair(7, 0));
	has(PERF_SAMPLE_PERIOD, 0x99);
	if (type & PERF_SAMPLE_READ)
		read_values();
	if (type & PERF_SAMPLE_CALLCHAIN)
		read_chain();
	if (type & PERF_SAMPLE_RAW)
		read_raw();
	if (type & PERF_SAMPLE_BRANCH_STACK)
		read_branches();
	if (type & PERF_SAMPLE_REGS_USER)
		read_regs(event.attr.sample_regs_user, told.stack, &user_registers);
	if (type & PERF_SAMPLE_STACK_USER)
		read_stack();
	has(PERF_SAMPLE_WEIGHT_TYPE, told.flags & PERF_SAMPLE_WEIGHT_TYPE ? 0x44 : 0);
	has(PERF_SAMPLE_DATA_SRC, told.flags & PERF_SAMPLE_DATA_SRC ? 0x55 : PERF_MEM_NA);
	has(PERF_SAMPLE_TRANSACTION, 0);
	if (type & PERF_SAMPLE_REGS_INTR)
		read_regs(event.attr.sample_regs_intr, true, &registers);
	has(PERF_SAMPLE_PHYS_ADDR, addr + 2);
	has(PERF_SAMPLE_CGROUP, 0);
	has(PERF_SAMPLE_DATA_PAGE_SIZE, addr + 1);
	has(PERF_SAMPLE_CODE_PAGE_SIZE, ip + 1);
	if (type & PERF_SAMPLE_AUX)
		read_aux();
	fuzz_assert(pos == record_size);
}

/* Return the upper limit of the record's size without fields that can be cut; SIZE_MAX: no limit */
static size_t least_refused(void)
{
	u64 type = event.attr.sample_type;
	size_t size = 8 + 8 * hweight64(type & ~(u64)PERF_SAMPLE_READ);

	/* A long chain of the driver leaves no space for later fields of the driver. */
	if (type & told.flags & PERF_SAMPLE_CALLCHAIN && told.chain_nr > PERF_MAX_STACK_DEPTH &&
	    type & told.flags & (PERF_SAMPLE_RAW | PERF_SAMPLE_BRANCH_STACK))
		return SIZE_MAX;
	if (type & PERF_SAMPLE_READ)
		size += 8 * (3 + 3 * (1 + event.nr_siblings));
	if (type & PERF_SAMPLE_CALLCHAIN && told.chain_nr <= PERF_MAX_STACK_DEPTH)
		size += 8 * told.chain_nr;
	if (type & told.flags & PERF_SAMPLE_RAW)
		size += told.raw + 8;
	if (type & PERF_SAMPLE_BRANCH_STACK)
		size += 8 + told.branches * (sizeof(struct perf_branch_entry) + 8);
	return size + 8 * hweight64(event.attr.sample_regs_user) +
		8 * hweight64(event.attr.sample_regs_intr);
}

static void set_up_event(void)
{
	struct perf_event_attr *attr = &event.attr;
	static struct perf_event parent = { .id = 77 };
	int i;

	memset(&event, 0, sizeof(event));
	attr->sample_type = fuzz_take(&in, 4) & (PERF_SAMPLE_MAX - 1);
	/* These bits select the same word: attr.c refuses both at once. */
	if ((attr->sample_type & PERF_SAMPLE_WEIGHT_TYPE) == PERF_SAMPLE_WEIGHT_TYPE)
		attr->sample_type &= ~(u64)PERF_SAMPLE_WEIGHT;
	attr->read_format = fuzz_take(&in, 1) & (PERF_FORMAT_MAX - 1);
	attr->branch_sample_type = fuzz_take(&in, 4) & (PERF_SAMPLE_BRANCH_MAX - 1);
	attr->sample_regs_user = fuzz_take_u64(&in);
	attr->sample_regs_intr = fuzz_take_u64(&in);
	attr->sample_stack_user = fuzz_take(&in, 2) % 65528 & ~7U;
	attr->aux_sample_size = fuzz_take(&in, 3) & ~7U;
	attr->sample_id_all = fuzz_take(&in, 1) & 1;
	event.group_leader = &event;
	event.id = ID;
	event.count.v = ID * 3;
	event.pmu = &pmu;
	event.clock = clock_of_event;
	event.state = PERF_EVENT_STATE_ACTIVE;
	event.parent = fuzz_take(&in, 1) & 1 ? &parent : NULL;
	event.nr_siblings = fuzz_take(&in, 2) % MAX_SIBLINGS;
	linked = event.nr_siblings;
	for (i = 0; i < linked; i++) {
		siblings[i].id = i + 1;
		siblings[i].count.v = siblings[i].id * 3;
		siblings[i].pmu = &pmu;
		siblings[i].state = i % 3 ? PERF_EVENT_STATE_ACTIVE : PERF_EVENT_STATE_OFF;
	}
	perf_sample_layout(&event);
}

static void set_up_data(struct perf_sample_data *data)
{
	static struct perf_raw_frag frags[2];
	static struct perf_raw_record raw;

	memset(data, 0xa5, sizeof(*data));
	told.flags = fuzz_take(&in, 4) & (PERF_SAMPLE_IP | PERF_SAMPLE_ADDR | PERF_SAMPLE_TIME |
		PERF_SAMPLE_WEIGHT_TYPE | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_RAW |
		PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_CALLCHAIN);
	if (told.flags & PERF_SAMPLE_WEIGHT_TYPE)
		told.flags |= PERF_SAMPLE_WEIGHT_TYPE;
	told.chain_nr = fuzz_take(&in, 2) % ARRAY_SIZE(chain.ip);
	if (told.chain_nr & 1)
		told.chain_nr %= 128;
	told.stack = fuzz_take(&in, 2);
	told.missing = fuzz_take(&in, 1);
	told.aux = fuzz_take(&in, 3);
	told.raw = fuzz_take(&in, 3) % sizeof(raw_data);
	told.branches = fuzz_take(&in, 2) % ARRAY_SIZE(branches.entries);
	window = fuzz_take(&in, 1) & 1;

	perf_sample_data_init(data, told.flags & PERF_SAMPLE_ADDR ? 0x88 : 0, 0x99);
	data->ip = 0x77;
	data->time = 0x66;
	data->weight.full = 0x44;
	data->data_src.val = 0x55;
	data->sample_flags |= told.flags & (PERF_SAMPLE_IP | PERF_SAMPLE_TIME |
					    PERF_SAMPLE_WEIGHT_TYPE | PERF_SAMPLE_DATA_SRC);
	if (told.flags & event.attr.sample_type & PERF_SAMPLE_CALLCHAIN)
		perf_sample_save_callchain(data, &event, &registers);
	if (told.flags & PERF_SAMPLE_RAW) {
		/* The raw data is in two pieces: a third, and the rest. */
		u32 first = told.raw / 3;

		frags[0] = (struct perf_raw_frag){ .data = raw_data + first,
						   .size = told.raw - first };
		raw.frag = (struct perf_raw_frag){ .next = &frags[0], .data = raw_data,
						   .size = first };
		perf_sample_save_raw_data(data, &event, &raw);
	}
	branches.stack.nr = told.branches;
	branches.stack.hw_idx = 99;
	if (told.flags & PERF_SAMPLE_BRANCH_STACK)
		perf_sample_save_brstack(data, &event, &branches.stack, branch_counters);
}

/* Check the sample_id of records other than samples. */
static void check_trailer(void)
{
	struct perf_event_header header = { .type = PERF_RECORD_LOST, .size = sizeof(header) };
	struct perf_output_handle handle;
	struct perf_sample_data data;

	memset(&data, 0xa5, sizeof(data));
	perf_event_header__init_id(&header, &data, &event);
	perf_output_begin_inline(&handle, &event, header.size, false);
	perf_output_put(&handle, header);
	perf_event__output_id_sample(&event, &handle, &data);
	perf_output_end_inline(&handle);
	pos = sizeof(header);
	if (event.attr.sample_id_all) {
		has(PERF_SAMPLE_TID, pair(34, 12));
		has(PERF_SAMPLE_TIME, TIME);
		has(PERF_SAMPLE_ID, parent_id());
		has(PERF_SAMPLE_STREAM_ID, ID);
		has(PERF_SAMPLE_CPU, pair(7, 0));
		has(PERF_SAMPLE_IDENTIFIER, parent_id());
	}
	fuzz_assert(pos == record_size);
	free(record);
	record = NULL;
}

static void fill_once(void)
{
	size_t i;

	if (chain.ip[0])
		return;
	for (i = 0; i < ARRAY_SIZE(chain.ip); i++)
		chain.ip[i] = i + 5;
	for (i = 0; i < sizeof(raw_data); i++)
		raw_data[i] = i * 11 + 1;
	for (i = 0; i < ARRAY_SIZE(branches.entries); i++) {
		branches.entries[i].from = i;
		branch_counters[i] = i + 1;
	}
	for (i = 0; i < 64; i++) {
		registers.word[i] = 100 + i;
		user_registers.word[i] = 200 + i;
	}
}

int fuzz_one_input(const u8 *data, size_t size)
{
	struct perf_sample_data sample;
	int err;

	in = (struct fuzz_input){ data, size };
	fill_once();
	set_up_event();
	set_up_data(&sample);
	err = perf_event_output(&event, &sample, &registers);
	if (err) {
		fuzz_assert(err == -E2BIG && !record && least_refused() > 65528);
		/* After the kernel has dropped raw data and branches, the record must fit. */
		fuzz_assert(perf_sample_data_size(&sample, &event) <= 65528);
	} else {
		read_sample();
		free(record);
		record = NULL;
	}
	check_trailer();
	fuzz_assert(!harness_warned);
	return 0;
}
