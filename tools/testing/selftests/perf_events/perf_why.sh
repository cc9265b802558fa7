#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# perf-why tells why an event is refused: one that it opens itself, and those of a command.

dir=$(dirname "$0")
why=$dir/perf-why
out=$(mktemp)
trap 'rm -f "$out"' EXIT
n=0
failed=0

result() { # STATUS NAME
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $n $2"
	else
		failed=1
		sed 's/^/# /' "$out"
		echo "not ok $n $2"
	fi
}

# Run perf-why: does it end with this status, and tell this?
tells() { # STATUS TEXT ARGUMENT...
	status=$1 text=$2
	shift 2
	"$why" -o "$out" "$@" 2>/dev/null
	[ $? = "$status" ] && grep -q "$text" "$out"
}

echo "TAP version 13"
"$why" -o "$out" -e type=0x7fffffff 2>&1 | grep -q 'does not say why' && {
	echo "1..0 # SKIP this kernel does not explain refusals"
	exit 4
}
echo "1..6"
tells 1 'sample_freq is above perf_event_max_sample_rate' -e freq,sample_freq=1000000000
result $? refused
tells 0 'can be opened' -e type=1,config=2,exclude_kernel
result $? opened
tells 1 '"name":"NO_PMU","field":"attr.type","value":1,' --json -e type=1,config=99
result $? json
[ -e /sys/kernel/tracing/events ] || mount -t tracefs none /sys/kernel/tracing 2>/dev/null
if [ -r /sys/kernel/tracing/events/perf/perf_event_refused/id ]; then
	tells 1 'perf-why: perf-why\[[0-9]*\]: perf_event_open: ENOENT: attr.type' -- \
		"$why" -e type=1,config=99
	result $? command
	tells 3 '2 refused' -- sh -c "'$why' -e cpu=-7 & wait; '$why' -e config=77,type=1; exit 3"
	result $? children
	tells 0 '^perf-why: 0 refused' -- true
	result $? nothing_refused
else
	for test in command children nothing_refused; do
		n=$((n + 1))
		echo "ok $n $test # SKIP cannot read tracefs"
	done
fi
exit $failed
