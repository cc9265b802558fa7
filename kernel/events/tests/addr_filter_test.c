// SPDX-License-Identifier: GPL-2.0
/*
 * The grammar of address filters, and where a file's range is in memory.
 *
 * Included at the end of addr_filter.c.
 */
#include <kunit/test.h>
#include <linux/prandom.h>

#define TEST_FILTERS	3
#define TOP		(ULONG_MAX)

/**
 * struct parse_case - a text and what it says
 * @text: the text
 * @nr: filters before its end or first fault
 * @err: 0 or the fault
 * @spec: the filters
 */
struct parse_case {
	const char		*text;
	unsigned int		nr;
	int			err;
	struct filter_spec	spec[TEST_FILTERS];
};

static const struct parse_case parse_cases[] = {
	{ "", 0, 0 },
	{ " ,\n, ", 0, 0 },
	{ "filter 0x100/0x20", 1, 0, { { FILTER_RANGE, 0x100, 0x20 } } },
	{ "filter 100/20", 1, 0, { { FILTER_RANGE, 100, 20 } } },
	{ "filter 010/010", 1, 0, { { FILTER_RANGE, 8, 8 } } },
	{ "start 0xffffffff", 1, 0, { { FILTER_START, 0xffffffff } } },
	{ "stop 0", 1, 0, { { FILTER_STOP } } },
	{ "stop 0x10/0x20", 1, 0, { { FILTER_STOP, 0x10, 0x20 } } },
	{ "start 0x10/0", 1, 0, { { FILTER_START, 0x10 } } },
	{ "start 1@/bin/true", 1, 0, { { FILTER_START, 1, 0, "/bin/true" } } },
	{ "filter 1/2@x", 1, 0, { { FILTER_RANGE, 1, 2, "x" } } },
	{ "filter 1/2@a@b/c", 1, 0, { { FILTER_RANGE, 1, 2, "a@b/c" } } },
	{ "filter 1/2@@", 1, 0, { { FILTER_RANGE, 1, 2, "@" } } },
	{ "  filter ,\n 1/2, ,start 3\n", 2, 0,
	  { { FILTER_RANGE, 1, 2 }, { FILTER_START, 3 } } },
	{ "filter 1/2@f,filter 3/4@g,stop 5", 3, 0,
	  { { FILTER_RANGE, 1, 2, "f" }, { FILTER_RANGE, 3, 4, "g" }, { FILTER_STOP, 5 } } },
	{ "filter", 0, -EINVAL },
	{ "filter ", 0, -EINVAL },
	{ "filter 1", 0, -EINVAL },
	{ "filter 1/0", 0, -EINVAL },
	{ "filter 1@f", 0, -EINVAL },
	{ "filter start", 0, -EINVAL },
	{ "Filter 1/2", 0, -EINVAL },
	{ "filters 1/2", 0, -EINVAL },
	{ "filte 1/2", 0, -EINVAL },
	{ "tracestop 1/2", 0, -EINVAL },
	{ "1/2", 0, -EINVAL },
	{ "filter 1/2/3", 0, -EINVAL },
	{ "filter 1/", 0, -EINVAL },
	{ "filter /2", 0, -EINVAL },
	{ "filter -1/2", 0, -EINVAL },
	{ "filter +1/2", 0, -EINVAL },
	{ "filter 0x/2", 0, -EINVAL },
	{ "filter 1g/2", 0, -EINVAL },
	{ "filter 08/2", 0, -EINVAL },
	{ "filter f/2", 0, -EINVAL },
	{ "filter 1/2@", 0, -EINVAL },
	{ "start 1@", 0, -EINVAL },
	{ "start @f", 0, -EINVAL },
	{ "start 1x@f", 0, -EINVAL },
	{ "start 1 @f", 1, -EINVAL, { { FILTER_START, 1 } } },
	{ "start 1 2", 1, -EINVAL, { { FILTER_START, 1 } } },
	{ "start 1,stop", 1, -EINVAL, { { FILTER_START, 1 } } },
	{ "start 0x10000000000000000", 0, -ERANGE },
	{ "filter 1/99999999999999999999", 0, -ERANGE },
#if BITS_PER_LONG == 64
	{ "filter 0xfffffffffffff000/0x1000", 1, 0,
	  { { FILTER_RANGE, 0xfffffffffffff000, 0x1000 } } },
	{ "filter 0xfffffffffffff000/0x1001", 0, -EINVAL },
	{ "filter 1/0xffffffffffffffff", 1, 0, { { FILTER_RANGE, 1, TOP } } },
	{ "filter 2/0xffffffffffffffff", 0, -EINVAL },
#endif
};

static void parse_case_desc(const struct parse_case *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%*pE", (int)strlen(c->text), c->text);
}

KUNIT_ARRAY_PARAM(parse, parse_cases, parse_case_desc);

static void test_parse(struct kunit *test)
{
	const struct parse_case *c = test->param_value;
	char *copy = kunit_kzalloc(test, strlen(c->text) + 1, GFP_KERNEL);
	struct filter_spec spec;
	unsigned int nr = 0;
	char *text = copy;
	int err;

	KUNIT_ASSERT_NOT_NULL(test, copy);
	memcpy(copy, c->text, strlen(c->text));
	while ((err = filter_parse_next(&text, &spec)) > 0) {
		const struct filter_spec *want = &c->spec[nr++];

		KUNIT_ASSERT_LE(test, nr, c->nr);
		KUNIT_EXPECT_EQ(test, spec.action, want->action);
		KUNIT_EXPECT_EQ(test, spec.offset, want->offset);
		KUNIT_EXPECT_EQ(test, spec.size, want->size);
		KUNIT_EXPECT_EQ(test, !spec.path, !want->path);
		if (spec.path && want->path)
			KUNIT_EXPECT_STREQ(test, spec.path, want->path);
	}
	KUNIT_EXPECT_EQ(test, err, c->err);
	KUNIT_EXPECT_EQ(test, nr, c->nr);
}

/* Any bytes: it ends, stays inside of the text, and keeps its own rules. */
static void test_parse_fuzz(struct kunit *test)
{
	static const char alphabet[] = "filterstartstop0123xaf/@,\n -";
	static const char * const words[] = { "filter ", "start ", "stop ", "0x1", "/2", "@f" };
	struct rnd_state rnd;
	char buf[64], *text;
	unsigned int i, n, len;

	prandom_seed_state(&rnd, 1);
	for (i = 0; i < 20000; i++) {
		struct filter_spec spec;
		int err;

		len = prandom_u32_state(&rnd) % (sizeof(buf) - 8);
		for (n = 0; n < len; ) {
			if (prandom_u32_state(&rnd) % 4)
				n += strscpy(buf + n, words[prandom_u32_state(&rnd) %
					     ARRAY_SIZE(words)], sizeof(buf) - n);
			else
				buf[n++] = alphabet[prandom_u32_state(&rnd) %
						    (sizeof(alphabet) - 1)];
		}
		buf[n] = '\0';
		text = buf;
		for (len = 0; (err = filter_parse_next(&text, &spec)) > 0; len++) {
			KUNIT_ASSERT_LT(test, len, sizeof(buf));
			KUNIT_ASSERT_LT(test, spec.action, FILTER_ACTIONS);
			if (spec.action == FILTER_RANGE)
				KUNIT_ASSERT_NE(test, spec.size, 0UL);
			if (spec.path)
				KUNIT_ASSERT_TRUE(test, spec.path > buf && spec.path < buf + n);
		}
		KUNIT_ASSERT_TRUE(test, !err || err == -EINVAL || err == -ERANGE);
	}
}

/* Against a look at every byte of a small file and a small mapping. */
static void test_place(struct kunit *test)
{
	unsigned long start, len, b;
	unsigned int i;

	for (i = 0; i < 6 * 6 * 6 * 5; i++) {
		unsigned long offset = i % 6, size = i / 6 % 6;
		unsigned long map_offset = i / 36 % 6, map_size = i / 216 + 1;
		unsigned long first = 0, bytes = 0;
		bool found;

		for (b = offset; b < offset + max(size, 1); b++) {
			if (b < map_offset || b >= map_offset + map_size)
				continue;
			if (!bytes++)
				first = 100 + b - map_offset;
		}
		found = filter_place(offset, size, 100, map_offset, map_size, &start, &len);
		KUNIT_ASSERT_EQ(test, found, bytes > 0);
		if (!found)
			continue;
		KUNIT_ASSERT_EQ(test, start, first);
		KUNIT_ASSERT_EQ(test, len, size ? bytes : 0);
	}

	KUNIT_EXPECT_TRUE(test, filter_place(1, TOP, 0x1000, 0, 0x1000, &start, &len));
	KUNIT_EXPECT_EQ(test, start, 0x1001UL);
	KUNIT_EXPECT_EQ(test, len, 0xfffUL);
	KUNIT_EXPECT_FALSE(test, filter_place(TOP, 0, 0x1000, 0, 0x1000, &start, &len));
}

static struct kunit_case addr_filter_cases[] = {
	KUNIT_CASE_PARAM(test_parse, parse_gen_params),
	KUNIT_CASE(test_parse_fuzz),
	KUNIT_CASE(test_place),
	{}
};

static struct kunit_suite addr_filter_suite = {
	.name		= "perf_addr_filter",
	.test_cases	= addr_filter_cases,
};

kunit_test_suite(addr_filter_suite);
