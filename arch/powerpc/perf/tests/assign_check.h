/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Checks of power_assign() by brute force: is a combination found exactly if one exists, and with
 * the fewest moves? The processor of the checks has four general counters, two fixed counters and
 * one select field. Used by the KUnit suite and by tools/testing/perf_events/powerpc_assign_test.c.
 */

/* Constraint fields: two bits for each counter, four bits for PMC1 to PMC4, one select field */
#define CHECK_FOUR	12
#define CHECK_AGREE	16

static const struct power_rules check_rules = {
	.add_fields = 0x1555, .test_adder = 0x3000,
};

/**
 * struct check_code - one encoding
 * @pmc: the counter named; 0: PMC1 to PMC4; -1: no encoding
 * @agree: value of the select field; -1: not used
 */
struct check_code {
	int	pmc;
	int	agree;
};

/* Events with one or two encodings */
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
	*to = (struct power_code){ .pmc = from->pmc };
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

#define CHECK_NEVER	99

/*
 * Returns the fewest moves with which the events @kinds, currently on the counters @now, can be
 * counted at once. Earlier events use the counters @used and the value @agree of the select field.
 * CHECK_NEVER: impossible.
 */
static int check_least(const int *kinds, const int *now, int n, int used, int agree)
{
	int i, pmc, moves, least = CHECK_NEVER;

	if (!n)
		return 0;
	for (i = 0; i < 2; i++) {
		const struct check_code *code = &check_kinds[*kinds][i];

		if (code->pmc < 0 || (agree >= 0 && code->agree >= 0 && code->agree != agree))
			continue;
		for (pmc = code->pmc ? code->pmc : 1; pmc <= (code->pmc ? code->pmc : 4); pmc++) {
			if (used & 1 << pmc)
				continue;
			moves = check_least(kinds + 1, now + 1, n - 1, used | 1 << pmc,
					    code->agree >= 0 ? code->agree : agree);
			moves += *now && *now != pmc;
			if (moves < least)
				least = moves;
		}
	}
	return least;
}

/* Returns the number of moves of a combination; -1: it violates a constraint. */
static int check_choice(const struct power_pick *picks, const int *kinds, int n)
{
	int i, used = 0, agree = -1, moves = 0;

	for (i = 0; i < n; i++) {
		const struct check_code *code = &check_kinds[kinds[i]][picks[i].choice];
		int assigned = picks[i].assigned;

		if (code->pmc ? assigned != code->pmc : assigned < 1 || assigned > 4)
			return -1;
		if (used & 1 << assigned)
			return -1;
		used |= 1 << assigned;
		if (code->agree >= 0 && agree >= 0 && code->agree != agree)
			return -1;
		if (code->agree >= 0)
			agree = code->agree;
		moves += picks[i].now && picks[i].now != assigned;
	}
	return moves;
}

/* Compares power_assign() with the brute force. Returns the fault found, or NULL. */
static const char *check_fault(const int *kinds, const int *now, int n)
{
	struct power_code codes[POWER_COUNTS_MAX][2];
	struct power_pick picks[POWER_COUNTS_MAX];
	int least = check_least(kinds, now, n, 0, -1);
	int i, j;

	for (i = 0; i < n; i++) {
		picks[i].alts.codes = codes[i];
		picks[i].alts.n = 0;
		picks[i].now = now[i];
		for (j = 0; j < 2 && check_kinds[kinds[i]][j].pmc >= 0; j++)
			check_encode(&check_kinds[kinds[i]][j], &codes[i][picks[i].alts.n++]);
	}
	if (power_assign(&check_rules, picks, n)) {
		if (least == CHECK_NEVER)
			return "power_assign() found an impossible combination";
	} else {
		return least == CHECK_NEVER ? NULL : "power_assign() missed a combination";
	}
	i = check_choice(picks, kinds, n);
	return i < 0 ? "a constraint is violated" : i > least ? "too many events move" : NULL;
}

/* Pseudo-random current counters: no two events on one counter, some on none */
static void check_scatter(int *now, int n, unsigned long seed)
{
	int i, pmc, used = 1;

	for (i = 0; i < n; i++) {
		seed = seed * 1103515245 + 12345;
		pmc = (seed >> 16) % 9;
		now[i] = pmc > 6 || (used & 1 << pmc) ? 0 : pmc;
		used |= 1 << now[i];
	}
}

/* Checks all lists of @n kinds in every order, for new events and for events on counters. */
static const char *check_all(int *kinds, int i, int n, unsigned long *tried)
{
	int now[POWER_COUNTS_MAX] = {};
	const char *fault = NULL;

	if (i == n) {
		fault = check_fault(kinds, now, n);
		check_scatter(now, n, ++*tried);
		return fault ?: check_fault(kinds, now, n);
	}
	for (kinds[i] = 0; kinds[i] < CHECK_KINDS && !fault; kinds[i]++)
		fault = check_all(kinds, i + 1, n, tried);
	return fault;
}
