// SPDX-License-Identifier: GPL-2.0
/*
 * The choice among the encodings of events that are to count together.
 *
 * The search goes through the events in order and gives each the first encoding that goes
 * with those before it; where there is none, the event before takes its next one. It visits
 * every combination before it gives up, and so finds a choice exactly if there is one. Nearly
 * always the first encodings go together, and nothing is searched.
 *
 * This file is free of everything else of the kernel, and is built in user space, too.
 */
#include "assign.h"

/**
 * struct power_sum - what the events so far ask of the constraint fields
 * @mask: fields that somebody takes part in
 * @value: their values; counts, in fields that count
 */
struct power_sum {
	unsigned long	mask;
	unsigned long	value;
};

/* Add @code to @sum; false, and @sum means nothing, if it does not go with the others. */
static bool power_sum_add(const struct power_rules *rules, struct power_sum *sum,
			  const struct power_code *code)
{
	unsigned long counted = code->value & rules->add_fields;
	unsigned long total = (sum->value | (code->value & ~counted)) + counted;
	unsigned long seen = total + rules->test_adder;

	if (((seen ^ sum->value) & sum->mask) || ((seen ^ code->value) & code->mask))
		return false;
	sum->mask |= code->mask;
	sum->value = total;
	return true;
}

/**
 * power_choose - choose an encoding of each event such that all can count together
 * @rules: of the processor
 * @wishes: array of @n events
 * @n: at most POWER_EVENTS_MAX
 *
 * Any context.
 *
 * Return: true exactly if there is such a choice; then @choice of each is set.
 */
bool power_choose(const struct power_rules *rules, struct power_wish *wishes, int n)
{
	struct power_sum sums[POWER_EVENTS_MAX + 1] = {};
	int i = 0, next = 0;

	if (n > POWER_EVENTS_MAX)
		return false;
	while (i < n) {
		for (; next < wishes[i].n; next++) {
			sums[i + 1] = sums[i];
			if (power_sum_add(rules, &sums[i + 1], &wishes[i].codes[next]))
				break;
		}
		if (next < wishes[i].n) {
			wishes[i++].choice = next;
			next = 0;
			continue;
		}
		if (!i)
			return false;
		next = wishes[--i].choice + 1;
	}
	return true;
}

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
#include "tests/assign_test.c"
#endif
