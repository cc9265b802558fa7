// SPDX-License-Identifier: GPL-2.0
/*
 * Periods of events that sample at a frequency, compared with arithmetic in
 * 128 bits.
 */
#include "fuzz.h"
#include "period.h"

#define STEPS	64

/* If @count events occur in @nsec ns, the period causes @freq overflows a second. */
static void check_period(u64 freq, u64 count, u64 nsec)
{
	u128 times = (u128)freq * nsec;
	u128 events = (u128)count * NSEC_PER_SEC, want;
	u64 period = perf_period_for(freq, count, nsec);

	fuzz_assert(period >= 1 && period <= S64_MAX);
	if (times > U64_MAX)
		times = U64_MAX;
	want = times ? events / times : S64_MAX;
	if (want > S64_MAX)
		want = S64_MAX;
	fuzz_assert(period == (want ? (u64)want : 1));
}

/*
 * Each tick moves the period towards the target, but never past it. A tick in the idle task does
 * not shorten the period.
 */
static void check_steps(u64 now, u64 target, bool known)
{
	u64 next;
	int i;

	next = perf_next_period(now, target, true, &(bool){ known });
	fuzz_assert(target <= now ? next == now : next > now && next <= target);
	for (i = 0; i < STEPS && now != target; i++) {
		next = perf_next_period(now, target, false, &known);

		fuzz_assert(next >= 1 && next <= S64_MAX);
		if (now < target)
			fuzz_assert(next > now && next <= target);
		else
			fuzz_assert(next < now && next >= target);
		/* A step is at least an eighth of the difference. */
		fuzz_assert((next > now ? next - now : now - next) >=
			    (target > now ? target - now : now - target) / 8);
		now = next;
	}
}

int fuzz_one_input(const u8 *data, size_t size)
{
	struct fuzz_input in = { data, size };
	u64 freq = fuzz_take_u64(&in), count = fuzz_take_u64(&in), nsec = fuzz_take_u64(&in);
	u64 now = fuzz_take_u64(&in) & S64_MAX, target = fuzz_take_u64(&in) & S64_MAX;

	check_period(freq, count, nsec);
	check_steps(now ? now : 1, target ? target : 1, freq & 1);
	return 0;
}
