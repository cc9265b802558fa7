// SPDX-License-Identifier: GPL-2.0
/*
 * Compare the parser of address filters with a second parser of the same grammar, which does not
 * change the text. Compare the address of a mapped part of a file with arithmetic that cannot
 * overflow.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>

#include "fuzz.h"

/* Parse a number in C's notation, which must be the whole text. */
static int kstrtoul(const char *text, unsigned int base, unsigned long *number)
{
	char *end;

	errno = 0;
	*number = strtoul(text, &end, base);
	if (errno == ERANGE)
		return -ERANGE;
	/* For "0x" strtoul() reads 0 and leaves "x": that is no number. */
	return end == text || *end ? -EINVAL : 0;
}

#include "source/addr_filter_parse.h"

#define MAX_FILTERS	64

static bool separates(char c)
{
	return c == ' ' || c == ',' || c == '\n';
}

/* Return the length of the next word, which starts at *at; 0 at the end. */
static size_t next_word(const char *text, size_t *at)
{
	size_t len = 0;

	while (separates(text[*at]))
		++*at;
	while (text[*at + len] && !separates(text[*at + len]))
		len++;
	return len;
}

/* Parse a number at the start of a word. Return: false if there is none, or it is too large. */
static bool front_number(const char *word, size_t len, size_t *used, unsigned long *number)
{
	unsigned int base = 10, digit;
	size_t i = 0;

	*number = 0;
	if (!len || !isdigit((u8)word[0]))
		return false;
	if (word[0] == '0' && len > 1 && tolower((u8)word[1]) == 'x') {
		base = 16;
		i = 2;
		if (len == 2 || !isxdigit((u8)word[2]))
			return false;
	} else if (word[0] == '0') {
		base = 8;
	}
	for (; i < len && isalnum((u8)word[i]); i++) {
		digit = isdigit((u8)word[i]) ? word[i] - '0' : tolower((u8)word[i]) - 'a' + 10;
		if (digit >= base || *number > (ULONG_MAX - digit) / base)
			return false;
		*number = *number * base + digit;
	}
	*used = i;
	return true;
}

/**
 * struct expected - a filter from the second parser
 * @spec: the filter without its path
 * @path: start of the path in the text, or 0
 * @path_len: length of the path in bytes
 */
struct expected {
	struct filter_spec	spec;
	size_t			path;
	size_t			path_len;
};

static bool read_where(const char *text, size_t at, size_t len, struct expected *e)
{
	size_t used;

	if (!front_number(text + at, len, &used, &e->spec.offset))
		return false;
	at += used;
	len -= used;
	if (len && text[at] == '/') {
		if (!front_number(text + at + 1, len - 1, &used, &e->spec.size))
			return false;
		at += used + 1;
		len -= used + 1;
	}
	if (len > 1 && text[at] == '@') {
		e->path = at + 1;
		e->path_len = len - 1;
		return true;
	}
	return !len;
}

/* Parse all filters. Return: their number; *wrong is set if the text after them is invalid. */
static int read_all(const char *text, struct expected *filters, bool *wrong)
{
	static const char * const names[] = { "stop", "start", "filter" };
	size_t at = 0, len, i;
	int nr = 0;

	*wrong = false;
	while (nr < MAX_FILTERS) {
		struct expected *e = &filters[nr];

		memset(e, 0, sizeof(*e));
		len = next_word(text, &at);
		if (!len)
			return nr;
		*wrong = true;
		for (i = 0; i < ARRAY_SIZE(names); i++) {
			if (len == strlen(names[i]) && !memcmp(text + at, names[i], len))
				break;
		}
		if (i == ARRAY_SIZE(names))
			return nr;
		e->spec.action = i;
		at += len;
		len = next_word(text, &at);
		if (!len || !read_where(text, at, len, e))
			return nr;
		if (i == FILTER_RANGE && !e->spec.size)
			return nr;
		if (e->spec.size && e->spec.size - 1 > ULONG_MAX - e->spec.offset)
			return nr;
		at += len;
		*wrong = false;
		nr++;
	}
	return nr;
}

static void check_text(const u8 *data, size_t size)
{
	static struct expected expected[MAX_FILTERS];
	/*
	 * The copy has exactly the length of the text, so that AddressSanitizer detects a read
	 * beyond it.
	 */
	char *text = malloc(size + 1), *original = malloc(size + 1), *rest = text;
	struct filter_spec spec;
	int nr, i, err;
	bool wrong;

	memcpy(text, data, size);
	text[size] = '\0';
	memcpy(original, text, size + 1);
	nr = read_all(original, expected, &wrong);
	for (i = 0; i < nr; i++) {
		struct expected *e = &expected[i];

		fuzz_assert(filter_parse_next(&rest, &spec) == 1);
		fuzz_assert(spec.action == e->spec.action);
		fuzz_assert(spec.offset == e->spec.offset);
		fuzz_assert(spec.size == e->spec.size);
		fuzz_assert(!spec.path == !e->path);
		if (spec.path) {
			fuzz_assert(spec.path == text + e->path);
			fuzz_assert(strlen(spec.path) == e->path_len);
			fuzz_assert(!memcmp(spec.path, original + e->path, e->path_len));
		}
	}
	if (nr < MAX_FILTERS) {
		err = filter_parse_next(&rest, &spec);
		fuzz_assert(wrong ? err == -EINVAL || err == -ERANGE : !err);
	}
	free(original);
	free(text);
}

/* Neither the addresses of a mapping nor its file offsets wrap. */
static void check_place(struct fuzz_input *in)
{
	unsigned long offset = fuzz_take_u64(in), size = fuzz_take_u64(in);
	unsigned long map = fuzz_take_u64(in), map_offset = fuzz_take_u64(in);
	unsigned long map_size = fuzz_take_u64(in), start = 0, len = 0;
	u128 from, to;
	bool some;

	if (!map_size || map_size - 1 > ULONG_MAX - map || map_size - 1 > ULONG_MAX - map_offset)
		return;
	if (size && size - 1 > ULONG_MAX - offset)
		return;
	some = filter_place(offset, size, map, map_offset, map_size, &start, &len);

	from = max((u128)offset, (u128)map_offset);
	to = min((u128)offset + (size ? size : 1),
		 (u128)map_offset + map_size);
	fuzz_assert(some == (from < to));
	if (!some)
		return;
	fuzz_assert(start == map + (unsigned long)(from - map_offset));
	fuzz_assert(len == (size ? (unsigned long)(to - from) : 0));
}

int fuzz_one_input(const u8 *data, size_t size)
{
	struct fuzz_input in = { data, size };

	if (fuzz_take(&in, 1) & 1)
		check_place(&in);
	else
		check_text(in.data, in.left);
	return 0;
}

/*
 * The mutator inserts words of the grammar, so that the fuzzer need not find
 * them letter by letter.
 */
size_t fuzz_custom_mutator(u8 *data, size_t size, size_t max_size, unsigned int seed)
{
	static const char * const words[] = {
		"filter ", "start ", "stop ", "0x", "0", "18446744073709551615", "/", "@",
		"@/bin/x", ",", "\n", "0xffffffffffffffff", "08", "1/2@a ",
	};
	const char *word = words[seed % ARRAY_SIZE(words)];
	size_t len = strlen(word), at;

	if (seed & 0x100 || size < 1 || (data[0] & 1) || size + len > max_size)
		return fuzz_mutate(data, size, max_size);
	at = 1 + (seed >> 16) % size;
	memmove(data + at + len, data + at, size - at);
	memcpy(data + at, word, len);
	return size + len;
}
