// SPDX-License-Identifier: GPL-2.0
/*
 * The ring of records, with the kernel's source (kernel/events/record/ring.h): a writer that is
 * interrupted by others at any step, three deep, and a reader on another CPU. All records before
 * data_head must be complete, in the order in which space was reserved. Each record must be read
 * once, or reported as lost.
 */
#include "harness.h"

struct perf_event_mmap_page {
	u64	data_head;
	u64	data_tail;
};

struct perf_ring;
static void nested_write(struct perf_ring *ring);
#define PERF_RING_STEP(ring)	nested_write(ring)
#include "record/ring.h"

#define WORDS	64
#define LEVELS	4
/*
 * The first word of a record: a flag for lost records, its length in words, and its number or the
 * number of lost records
 */
#define HEAD(lost, words, n)	((u64)(lost) << 63 | (u64)(words) << 48 | (n))

static struct perf_event_mmap_page page ____cacheline_aligned;
static u64 data[WORDS] ____cacheline_aligned;
static struct perf_ring ring = {
	.size = sizeof(data), .watermark = sizeof(data) / 2, .user = &page,
};

static unsigned int level;
static u64 seed = 2862933555777941757ULL;
static u64 begun, written, lost_last;
static u64 read_records, told_lost, broken;

static void put(unsigned long *pos, u64 word)
{
	WRITE_ONCE(data[*pos / sizeof(u64) % WORDS], word);
	*pos += sizeof(u64);
	nested_write(&ring);
}

/* Write a record as perf_output_begin() and perf_output_end() do. */
static void write_record(void)
{
	unsigned int words = 1 + harness_random(&seed) % 5, i;
	unsigned long wakeups, lost, pos, len = words * sizeof(u64);
	u64 n = begun++;

	wakeups = perf_ring_enter(&ring);
	lost = perf_ring_take_lost(&ring);
	if (lost)
		len += 2 * sizeof(u64);
	if (perf_ring_begin(&ring, len, lost, false, &pos)) {
		if (lost) {
			put(&pos, HEAD(1, 2, n));
			put(&pos, lost);
		}
		put(&pos, HEAD(0, words, n));
		for (i = 1; i < words; i++)
			put(&pos, n * WORDS + i);
		written++;
	}
	perf_ring_leave(&ring, wakeups);
}

static void nested_write(struct perf_ring *unused)
{
	if (level == LEVELS || harness_random(&seed) % 32)
		return;
	level++;
	write_record();
	level--;
}

static void write_all(void *unused)
{
	while (harness_goes_on()) {
		level = 1;
		write_record();
		harness_dawdle(&seed, 500);
	}
}

static u64 word_at(u64 pos)
{
	return READ_ONCE(data[pos / sizeof(u64) % WORDS]);
}

/* Clear the record at @pos, so that look() cannot take it for a later record. */
static void wipe(u64 pos, unsigned int words)
{
	while (words--)
		WRITE_ONCE(data[(pos / sizeof(u64) + words) % WORDS], 0);
}

/* Check one record. Return: its length in bytes, or 0 for an invalid record. */
static unsigned int look(u64 pos, u64 end)
{
	u64 head = word_at(pos);
	unsigned int words = head >> 48 & 0x7fff, i;

	if (!words || words > 5 || words * sizeof(u64) > end - pos)
		return 0;
	if (head >> 63) {
		told_lost += word_at(pos + sizeof(u64));
		wipe(pos, 2);
		return 2 * sizeof(u64);
	}
	for (i = 1; i < words; i++) {
		if (word_at(pos + i * sizeof(u64)) != (head << 16 >> 16) * WORDS + i)
			return 0;
	}
	wipe(pos, words);
	read_records++;
	return words * sizeof(u64);
}

static void read_some(void)
{
	u64 head, tail = page.data_tail;
	unsigned int bytes;

	head = READ_ONCE(page.data_head);
	/* Read the head before the records, as the ABI documents it for readers. */
	smp_rmb();
	while (tail != head) {
		bytes = look(tail, head);
		if (!bytes) {
			broken++;
			tail = head;
			break;
		}
		tail += bytes;
	}
	smp_mb();
	WRITE_ONCE(page.data_tail, tail);
}

static void read_all(void *unused)
{
	u64 mine = 3935559000370003845ULL;

	while (harness_goes_on()) {
		read_some();
		harness_dawdle(&mine, 400);
	}
}

int main(int argc, char **argv)
{
	struct harness_thread threads[] = { { write_all }, { read_all } };

	ktap_plan(1);
	harness_need(&written);
	harness_run(threads, ARRAY_SIZE(threads), harness_seconds(argc, argv));
	read_some();
	lost_last = local_read(&ring.lost);
	ktap_note("%llu begun, %llu written, %llu read, %llu in LOST records, %llu broken",
		  (unsigned long long)begun, (unsigned long long)written,
		  (unsigned long long)read_records, (unsigned long long)told_lost,
		  (unsigned long long)broken);
	ktap_result(written && read_records == written && !broken &&
		    written + told_lost + lost_last == begun,
		    "each record is read once or reported as lost");
	return ktap_end();
}
