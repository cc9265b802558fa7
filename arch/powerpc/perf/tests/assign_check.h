/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Is a choice of encodings right? Tried by counters given out one by one, on a processor with
 * four counters that count anything and two fixed ones, where events may have to agree on a
 * field. Used by the KUnit suite and by tools/testing/perf_events/powerpc_assign_test.c.
 */

/* Constraint fields: two bits a counter, four for the first four, and one to agree on. */
#define CHECK_FOUR	12
#define CHECK_AGREE	16

static const struct power_rules check_rules = {
	.add_fields = 0x1555, .test_adder = 0x3000,
};

/**
 * struct check_code - one encoding, as the brute force sees it
 * @pmc: the counter that it names, 0: any of the first four, -1: there is no such encoding
 * @agree: 0 or 1: what it wants of the field, -1: it takes no part
 */
struct check_code {
	int	pmc;
	int	agree;
};

/* Kinds of events, each with up to two encodings. */
static const struct check_code check_kinds[][2] = {
	{ {  0, -1 }, { -1 } }, { {  0,  0 }, { -1 } }, { { 0, 1 }, { -1 } },
	{ {  1, -1 }, { -1 } }, { {  1,  0 }, { -1 } }, { { 1, 1 }, { -1 } },
	{ {  2, -1 }, { -1 } }, { {  3,  1 }, { -1 } }, { { 4, 0 }, { -1 } },
	{ {  5, -1 }, { -1 } }, { {  6, -1 }, { -1 } },
	{ {  5, -1 }, {  0, -1 } }, { { 0, -1 }, { 6, -1 } },
	{ {  2, -1 }, {  6, -1 } }, { { 4, -1 }, { 5, -1 } },
	{ {  1,  0 }, {  3,  1 } }, { { 2,  1 }, { 2, 0 } },
};

#define CHECK_KINDS	((int)ARRAY_SIZE(check_kinds))

static void check_encode(const struct check_code *from, struct power_code *to)
{
	to->mask = 0;
	to->value = 0;
	if (from->pmc) {
		to->mask |= 2UL << 2 * (from->pmc - 1);
		to->value |= 1UL << 2 * (from->pmc - 1);
	}
	if (from->pmc <= 4) {
		to->mask |= 8UL << CHECK_FOUR;
		to->value |= 1UL << CHECK_FOUR;
	}
	if (from->agree >= 0) {
		to->mask |= 1UL << CHECK_AGREE;
		to->value |= (unsigned long)from->agree << CHECK_AGREE;
	}
}

/* Can these kinds count together, while the counters @used are taken and @agree is set? */
static bool check_possible(const int *kinds, int n, int used, int agree)
{
	int i, pmc;

	if (!n)
		return true;
	for (i = 0; i < 2; i++) {
		const struct check_code *code = &check_kinds[*kinds][i];

		if (code->pmc < 0 || (agree >= 0 && code->agree >= 0 && code->agree != agree))
			continue;
		for (pmc = code->pmc ? code->pmc : 1; pmc <= (code->pmc ? code->pmc : 4); pmc++) {
			if (!(used & 1 << pmc) &&
			    check_possible(kinds + 1, n - 1, used | 1 << pmc,
					   code->agree >= 0 ? code->agree : agree))
				return true;
		}
	}
	return false;
}

/* The choice that was made, by counters: those that are named, and enough for the others. */
static bool check_choice(const struct power_wish *wishes, const int *kinds, int n)
{
	int i, used = 0, four = 0, agree = -1;

	for (i = 0; i < n; i++) {
		const struct check_code *code = &check_kinds[kinds[i]][wishes[i].choice];

		if (code->pmc && (used & 1 << code->pmc))
			return false;
		if (code->pmc)
			used |= 1 << code->pmc;
		four += code->pmc <= 4;
		if (code->agree >= 0 && agree >= 0 && code->agree != agree)
			return false;
		if (code->agree >= 0)
			agree = code->agree;
	}
	return four <= 4;
}

/* Return: the fault in what power_choose() says of these kinds, or NULL. */
static const char *check_fault(const int *kinds, int n)
{
	struct power_wish wishes[POWER_EVENTS_MAX];
	bool possible = check_possible(kinds, n, 0, -1);
	int i, j;

	for (i = 0; i < n; i++) {
		wishes[i].n = 0;
		for (j = 0; j < 2 && check_kinds[kinds[i]][j].pmc >= 0; j++)
			check_encode(&check_kinds[kinds[i]][j], &wishes[i].codes[wishes[i].n++]);
	}
	if (power_choose(&check_rules, wishes, n) != possible)
		return possible ? "a choice is not found" : "there is no choice";
	return !possible || check_choice(wishes, kinds, n) ? NULL : "the choice cannot count";
}

/* All lists of @n kinds, in every order. */
static const char *check_all(int *kinds, int i, int n, unsigned long *tried)
{
	const char *fault = NULL;

	if (i == n) {
		++*tried;
		return check_fault(kinds, n);
	}
	for (kinds[i] = 0; kinds[i] < CHECK_KINDS && !fault; kinds[i]++)
		fault = check_all(kinds, i + 1, n, tried);
	return fault;
}
