// SPDX-License-Identifier: GPL-2.0
/*
 * The choice among the encodings of events that are to count together, and of their counters.
 *
 * The search goes through the events in order and gives each one of its encodings that goes with
 * those before it; it costs one for each event that must leave the counter that it has. A
 * combination that costs no less than the best one so far is not followed further. So a choice is
 * found exactly if there is one, and among them one that moves as few events as possible. Nearly
 * always the first encodings go together and nothing moves, and nothing is searched.
 *
 * On x86 the assignment of counters is a matching. This one is not: where events have to agree on a
 * field, the choice of one event's encoding and counter depends on that of another.
 *
 * This file is free of everything else of the kernel, and is built in user space, too.
 */
#include "assign.h"

#ifdef __KERNEL__
#include <linux/limits.h>
#else
#include <limits.h>
#endif

/**
 * struct power_sum - what the events so far ask
 * @mask: fields of the constraints that somebody takes part in
 * @value: their values; counts, in fields that add
 * @named: counters that encodings have named
 * @needs: somebody needs what others give
 * @gives: somebody gives it
 * @moves: so many events must leave their counters for those that they name
 */
struct power_sum {
	unsigned long	mask;
	unsigned long	value;
	unsigned int	named;
	bool		needs;
	bool		gives;
	int		moves;
};

/**
 * struct power_search - the search for the best choice
 * @rules: of the processor
 * @picks: array of
 * @n: so many
 * @least: how many move in the best choice so far, INT_MAX: there is none
 * @best: the encoding of each in it
 */
struct power_search {
	const struct power_rules	*rules;
	struct power_pick		*picks;
	int				n;
	int				least;
	u8				best[POWER_COUNTS_MAX];
};

/* Add @code to @sum; false, and @sum means nothing, if it does not go with the others. */
static bool power_sum_add(const struct power_rules *rules, struct power_sum *sum,
			  const struct power_code *code, int now)
{
	unsigned long counted = code->value & rules->add_fields;
	unsigned long total = (sum->value | (code->value & ~counted)) + counted;
	unsigned long seen = total + rules->test_adder;

	if (((seen ^ sum->value) & sum->mask) || ((seen ^ code->value) & code->mask))
		return false;
	sum->mask |= code->mask;
	sum->value = total;
	sum->needs |= code->needs;
	sum->gives |= code->gives;
	if (code->pmc) {
		sum->named |= 1U << code->pmc;
		sum->moves += now && now != code->pmc;
	}
	return true;
}

/* Does an event that may be on any counter have to leave the one that it has? */
static bool power_must_move(const struct power_pick *pick, unsigned int named)
{
	return pick->now && (pick->now > POWER_ANY_LAST || (named & 1U << pick->now));
}

static void power_search_from(struct power_search *search, int i, const struct power_sum *before)
{
	const struct power_pick *pick = &search->picks[i];
	struct power_sum sum;
	int j, moves;

	if (i < search->n) {
		for (j = 0; j < pick->wish.n && search->least; j++) {
			sum = *before;
			search->picks[i].choice = j;
			if (power_sum_add(search->rules, &sum, &pick->wish.codes[j], pick->now) &&
			    sum.moves < search->least)
				power_search_from(search, i + 1, &sum);
		}
		return;
	}
	if (before->needs && !before->gives && !search->rules->rest)
		return;
	moves = before->moves;
	for (j = 0; j < i; j++) {
		pick = &search->picks[j];
		if (!pick->wish.codes[pick->choice].pmc)
			moves += power_must_move(pick, before->named);
	}
	if (moves >= search->least)
		return;
	search->least = moves;
	for (j = 0; j < i; j++)
		search->best[j] = search->picks[j].choice;
}

/* The encodings are known: counters that are named come first, then those to stay on. */
static void power_place_picks(struct power_pick *picks, int n)
{
	unsigned int used = 0;
	int i, pmc;

	for (i = 0; i < n; i++) {
		picks[i].place = picks[i].wish.codes[picks[i].choice].pmc;
		used |= 1U << picks[i].place;
	}
	for (i = 0; i < n; i++) {
		if (picks[i].place || !picks[i].now || power_must_move(&picks[i], used))
			continue;
		picks[i].place = picks[i].now;
		used |= 1U << picks[i].now;
	}
	for (i = 0; i < n; i++) {
		for (pmc = POWER_ANY_FIRST; !picks[i].place && pmc <= POWER_ANY_LAST; pmc++) {
			if (used & 1U << pmc)
				continue;
			picks[i].place = pmc;
			used |= 1U << pmc;
		}
	}
}

/**
 * power_choose - choose encodings and counters such that all can count together
 * @rules: of the processor
 * @picks: array of @n wishes, and what counter each has now
 * @n: at most POWER_COUNTS_MAX
 *
 * Any context. The constraints must not let more events onto the counters that count any than there
 * are of these.
 *
 * Return: true exactly if there is such a choice; then @choice and @place of each are set, and as
 * many as can stay have @place == @now. Otherwise these mean nothing.
 */
bool power_choose(const struct power_rules *rules, struct power_pick *picks, int n)
{
	struct power_search search = {
		.rules = rules, .picks = picks, .n = n, .least = INT_MAX,
	};
	struct power_sum none = {};
	int i;

	if (n > POWER_COUNTS_MAX)
		return false;
	power_search_from(&search, 0, &none);
	if (search.least == INT_MAX)
		return false;
	for (i = 0; i < n; i++)
		picks[i].choice = search.best[i];
	power_place_picks(picks, n);
	return true;
}

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
#include "tests/assign_test.c"
#endif
