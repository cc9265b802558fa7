#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# planted.sh O EVENTS KHDR: plant one fault at a time in a copy of the sources, and check that the
# fuzzer of that source finds it. Prints KTAP. ONLY=NAME runs one fuzzer alone.
set -u
out=$1/planted events=$2 khdr=$3
limit=${FOR:-60} only=${ONLY:-}

# fuzzer | file, anywhere in kernel/events/ | sed script that plants the fault
faults() {
	cat <<'END'
fuzz_attr|attr.c|s/!attr->__reserved_3/!attr->__reserved_2/
fuzz_attr|attr.c|s/return attr->sample_stack_user < U16_MAX/return true/
fuzz_attr|attr.c|s/size <= PAGE_SIZE/size <= 2 * PAGE_SIZE/
fuzz_attr|attr.c|s/return attr->freq && attr->sample_freq/return !attr->freq \&\& attr->sample_freq/
fuzz_attr|attr.c|s/attr->exclude_kernel ? 0 : perf_allow_kernel/1 ? 0 : perf_allow_kernel/
fuzz_filter|addr_filter_parse.h|s/err = kstrtoul(\*word, 0, number)/err = kstrtoul(*word, 10, number)/
fuzz_filter|addr_filter_parse.h|s/\*end = follows;/(void)follows;/
fuzz_filter|addr_filter_parse.h|s/spec->size && spec->offset + (spec->size - 1)/spec->size \&\& spec->offset + spec->size/
fuzz_filter|addr_filter_parse.h|s/skip >= size/skip > size/
fuzz_filter|addr_filter_parse.h|s/if (!word)$/if (0)/
fuzz_group|group_tree.c|s/return perf_group_age_steps(a) < perf_group_age_steps(b)/return perf_group_age_steps(a) > perf_group_age_steps(b)/
fuzz_group|group_tree.c|s/if (a->cgrp != b->cgrp)/if (0)/
fuzz_group|group_tree.c|s/if (!next || perf_group_before(leader, next))/if (1)/
fuzz_group|group_tree.c|s/scan.level, epc->age_base);/epc->age_base, epc->age_base);/
fuzz_group|group_tree.c|s/node = cmp < 0 ? node->rb_left : node->rb_right/node = cmp <= 0 ? node->rb_left : node->rb_right/
fuzz_group|group_tree.c|s/most + max(ns, AGE_STEP)/most/
fuzz_group|group_tree.c|s/most + max(ns, AGE_STEP)/most + ns/
fuzz_group|group_tree.c|s/if (level > epc->age_base + limit)/if (0)/
fuzz_group|group_tree.c|s/runtime += perf_event_time_on_pmu(leader);/;/
fuzz_group|group_tree.c|s/min(leader->group_runtime, perf_group_max_runtime(epc))/leader->group_runtime/
fuzz_group|group_tree.c|s/perf_age_base_raise(epc, min(perf_subtree_youngest(leader), leader->group_runtime));/;/
fuzz_ring|ring.h|s/return ~unread \& (size - 1)/return (~unread \& (size - 1)) + 1/
fuzz_ring|ring.h|s/^\t\tif (likely((unsigned long)local_read(&ring->head) == head))/\t\tif (1)/
fuzz_ring|ring.h|s/perf_ring_lose(ring, lost + 1)/perf_ring_lose(ring, 1)/
fuzz_ring|ring.h|s/if (unlikely(ring->nest > 1))/if (unlikely(ring->nest > 2))/
fuzz_period|period.h|s/check_mul_overflow(freq, nsec, &divisor)/(divisor = freq * nsec, 0)/
fuzz_period|period.h|s/if (mul_u64_u64_shr(.*) >= divisor)/if (0)/
fuzz_period|period.h|s/step += delta < 0 ? -1 : 1/;/
fuzz_period|period.h|s/if (target < now \&\& idle)/if (0)/
fuzz_period|period.h|s/if (target < now \&\& idle)/if (idle)/
fuzz_sample|sample.c|s/if ((type \& PERF_SAMPLE_BRANCH_STACK) \&\& branch_sample_hw_index(event))/if (0)/
fuzz_sample|sample.c|s/WORD(STREAM_ID,\t*stream_id)/WORD(STREAM_ID, id)/
fuzz_sample|sample.c|s/want |= PERF_SAMPLE_IP;/;/
fuzz_sample|sample.c|s/if (perf_sample_data_size(data, event) > PERF_RECORD_SIZE_MAX \&\&/if (0 \&\&/
fuzz_sample|sample_fields.c|s/frag->pad = raw->size - bytes;/frag->pad = 0;/
fuzz_sample|sample_fields.c|s/if (later \& PERF_SAMPLE_REGS_INTR)/if (0)/
fuzz_sample|sample_fields.c|s/data->dyn_size += brs->nr \* one;/data->dyn_size += brs->nr * sizeof(u64);/
fuzz_sample|sample_read.c|s/for (; nr; nr--)/for (; 0; nr--)/
fuzz_sample|values.h|s/if (format \& PERF_FORMAT_LOST)/if (0)/
fuzz_time|time_seq.h|s/u64 value = (s64)word >> 1/u64 value = word >> 1/
fuzz_time|time_seq.h|s/return cpu >= 0 \&\& ahead > 0/return cpu >= 0/
fuzz_time|time_seq.h|s/^\tif (ahead > 0)$/\tif (0)/
fuzz_time|time_seq.h|s/seq \& PERF_CHANGE_ACTIVE ? READ_ONCE(ctx->now) : perf_clock()/perf_clock()/
fuzz_time|time.c|s/return leader <= PERF_EVENT_STATE_OFF ? leader : own/return own/
fuzz_time|time.c|s/state >= PERF_EVENT_STATE_ACTIVE)/state >= PERF_EVENT_STATE_INACTIVE)/
fuzz_time|time.c|s/if (perf_time_event_is_enabled(event->state) != perf_time_event_is_enabled(state))/if (0)/
fuzz_time|time.c|s/^\t\tevent->total_time_running = .*/\t\t;/
END
}

rm -rf "$out"
mkdir -p "$out"
echo "KTAP version 1"
echo "1..$(faults | grep -c "^$only")"
n=0 failed=0
while IFS='|' read -r fuzzer file change; do
	n=$((n + 1))
	d=$out/$n
	cp -r "$events" "$d"
	file=$(cd "$events" && find . -name "$file")
	sed -i "$change" "$d/$file"
	if cmp -s "$d/$file" "$events/$file"; then
		echo "not ok $n $fuzzer: nothing to change by $change"
		failed=1
		continue
	fi
	make -s O="$d" EVENTS="$d" KHDR="$khdr" "$d/$fuzzer" || failed=1
	mkdir -p "$d/inputs"
	if "$d/$fuzzer" -max_total_time="$limit" -verbosity=0 -timeout=10 -artifact_prefix="$d/" \
			"$d/inputs" >"$d/log" 2>&1 || [ ! -x "$d/$fuzzer" ]; then
		echo "not ok $n $fuzzer does not find: $change"
		failed=1
	else
		echo "ok $n $fuzzer finds: $change"
	fi
	rm -rf "$d"
done < <(faults | grep "^$only")
exit $failed
