// SPDX-License-Identifier: GPL-2.0
/*
 * Selection of encodings and counters for a set of events.
 *
 * A depth-first search tries the encodings of each event, and checks each encoding against the
 * constraints of the preceding events. The cost of a combination is the number of events that must
 * leave their current counter. The search cuts a branch that is no cheaper than the best
 * combination so far. So if a combination exists, the search finds one with the fewest moves.
 * Usually the first encoding of each event fits and no event moves, so the first descent ends the
 * search.
 *
 * On x86 the assignment of counters is a bipartite matching. On powerpc the assignment is no such
 * matching, because select fields tie the encoding and counter of an event to the encodings and
 * counters of other events.
 *
 * This file uses no other part of the kernel, because it is also built in user space.
 */
#include "assign.h"

#ifdef __KERNEL__
#include <linux/limits.h>
#else
#include <limits.h>
#endif

/**
 * struct power_sum - constraints of the encodings selected so far
 * @mask: the constraint fields in use
 * @value: their values; sums in add fields
 * @named: mask of the counters that the encodings name
 * @needs_pmc4: an encoding has power_code::needs_pmc4
 * @on_pmc4: an encoding has power_code::on_pmc4
 * @moves: number of events that must move to a counter named by their encoding
 */
struct power_sum {
	unsigned long	mask;
	unsigned long	value;
	unsigned int	named;
	bool		needs_pmc4;
	bool		on_pmc4;
	int		moves;
};

/**
 * struct power_search - the search for the cheapest combination
 * @rules: the constraints of the processor
 * @picks: the events
 * @n: number of @picks
 * @least: number of moves of the best combination so far; INT_MAX: none found
 * @best: index of each event's encoding in that combination
 */
struct power_search {
	const struct power_rules	*rules;
	struct power_pick		*picks;
	int				n;
	int				least;
	u8				best[POWER_COUNTS_MAX];
};

/* Add @code to @sum. Returns false, with @sum invalid, if a constraint is violated. */
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
	sum->needs_pmc4 |= code->needs_pmc4;
	sum->on_pmc4 |= code->on_pmc4;
	if (code->pmc) {
		sum->named |= 1U << code->pmc;
		sum->moves += now && now != code->pmc;
	}
	return true;
}

/* Must an event whose encoding names no counter leave its counter? */
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
		for (j = 0; j < pick->alts.n && search->least; j++) {
			sum = *before;
			search->picks[i].choice = j;
			if (power_sum_add(search->rules, &sum, &pick->alts.codes[j], pick->now) &&
			    sum.moves < search->least)
				power_search_from(search, i + 1, &sum);
		}
		return;
	}
	if (before->needs_pmc4 && !before->on_pmc4 && !search->rules->is_subset)
		return;
	moves = before->moves;
	for (j = 0; j < i; j++) {
		pick = &search->picks[j];
		if (!pick->alts.codes[pick->choice].pmc)
			moves += power_must_move(pick, before->named);
	}
	if (moves >= search->least)
		return;
	search->least = moves;
	for (j = 0; j < i; j++)
		search->best[j] = search->picks[j].choice;
}

/* Assign counters for the selected encodings: named counters first, then the current ones. */
static void power_assign_picks(struct power_pick *picks, int n)
{
	unsigned int used = 0;
	int i, pmc;

	for (i = 0; i < n; i++) {
		picks[i].assigned = picks[i].alts.codes[picks[i].choice].pmc;
		used |= 1U << picks[i].assigned;
	}
	for (i = 0; i < n; i++) {
		if (picks[i].assigned || !picks[i].now || power_must_move(&picks[i], used))
			continue;
		picks[i].assigned = picks[i].now;
		used |= 1U << picks[i].now;
	}
	for (i = 0; i < n; i++) {
		for (pmc = POWER_ANY_FIRST; !picks[i].assigned && pmc <= POWER_ANY_LAST; pmc++) {
			if (used & 1U << pmc)
				continue;
			picks[i].assigned = pmc;
			used |= 1U << pmc;
		}
	}
}

/**
 * power_assign - select encodings and counters for a set of events
 * @rules: the constraints of the processor
 * @picks: array of @n events; power_pick::alts and now are set
 * @n: number of events, at most POWER_COUNTS_MAX
 *
 * @rules must allow at most as many events on POWER_ANY_FIRST to POWER_ANY_LAST as this range has
 * counters.
 *
 * Context: any.
 * Return: true if all events can be counted at once: power_pick::choice and assigned are set, and
 * as few events as possible move; false otherwise.
 */
bool power_assign(const struct power_rules *rules, struct power_pick *picks, int n)
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
	power_assign_picks(picks, n);
	return true;
}

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
#include "tests/assign_test.c"
#endif
