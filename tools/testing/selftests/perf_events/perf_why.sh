#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# perf-why prints why an event is refused: its own event, or events of a command. It also prints the
# state of the events of a process, and the state of perf events on all CPUs.

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

# Run perf-why, and check its exit status and its output.
tells() { # STATUS TEXT ARGUMENT...
	status=$1 text=$2
	shift 2
	"$why" -o "$out" "$@" 2>/dev/null
	[ $? = "$status" ] && grep -q "$text" "$out"
}

echo "TAP version 13"
"$why" -o "$out" -e type=0x7fffffff 2>&1 | grep -q 'does not explain refusals' && {
	[ -z "$PE_HARD" ] || { echo "not ok 1 refusals are explained"; exit 1; }
	echo "1..0 # SKIP this kernel does not explain refusals"
	exit 4
}
echo "1..15"
tells 1 'sample_freq is above perf_event_max_sample_rate' -e freq,sample_freq=1000000000
result $? refused
tells 0 'can be opened' -e type=1,config=2,exclude_kernel
result $? opened
tells 1 '"name":"NO_PMU","field":"attr.type","value":1,' --json -e type=1,config=99
result $? json
# The value of a flag, the word of all flags, is not printed. A CPU is a decimal number.
tells 1 ' attr.sigtrap needs attr.remove_on_exec$' -e sigtrap
result $? flag
tells 1 ' cpu (1048576) is ' -e cpu=1048576 && tells 1 ' pid (-5) is ' -e pid=-5
result $? decimal
tells 1 ' attr.__reserved_3 (0x80) has AUX actions ' -e aux_action=0x80
result $? aux_action
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

# Events of a process: twelve events of a busy child on CPU 0, read from another CPU. They are
# multiplexed, and the child may be preempted briefly, so retry.
shows() { # PATTERN PATTERN ARGUMENT...
	one=$1 other=$2 looks=30
	shift 2
	while [ $looks -gt 0 ]; do
		looks=$((looks - 1))
		"$dir/state" --busy "$why" -o "$out" "$@" 2>/dev/null || return
		grep -q "$one" "$out" && grep -q "$other" "$out" && return
	done
	return 1
}

# Each event has waited while it was enabled and did not count, and not longer than since it last
# counted. The events are not read at one moment; the test "state" adds up their times.
sums() {
	num='([0-9]*)'
	tr -d '"' <"$out" |
		sed -E "s/.*state:([a-z ]*),since:$num,enabled:$num,running:$num,.*/\2 \3 \4 \1/" |
		awk '
		$3 > $2 || ($4 == "waits" && $1 > $2 - $3) { wrong = 1 }
		END { exit wrong || NR != 12 }'
}

if [ "$(nproc)" -gt 1 ] && [ -e /sys/bus/event_source/devices/sim ]; then
	shows ' sim/0x8/ .* counts ' \
		' waits .* needs 1 counter, other groups are on: .*, .*, .*, .* of state\[' &&
		[ "$(grep -c 'sim/0x8/' "$out")" = 12 ]
	result $? process
	shows '"state":"counts"' '"state":"waits".*"on_groups":4,' --json && sums
	result $? process_json
else
	for test in process process_json; do
		n=$((n + 1))
		echo "ok $n $test # SKIP needs two CPUs and the simulated PMU"
	done
fi
# The text of a tracepoint's filter
held=$(mktemp)
"$dir/state_filter" --hold >"$held" &
holder=$!
while kill -0 $holder 2>/dev/null && ! grep -q ready "$held"; do sleep 0.1; done
if kill -0 $holder 2>/dev/null; then
	tells 0 ' Filter: prev_pid == 77 && next_comm != "st???"\.$' -p $holder &&
		tells 0 '"filter":"prev_pid == 77 && next_comm != \\"st.*\\ufffd\\""' \
			--json -p $holder
	result $? filter
	kill $holder
else
	n=$((n + 1))
	echo "ok $n filter # SKIP needs root and tracepoints"
fi
wait $holder 2>/dev/null
rm -f "$held"
"$why" -p 2147483647 >"$out" 2>&1
[ $? = 1 ]
result $? no_process
[ -d /sys/kernel/debug/perf_events ] || mount -t debugfs none /sys/kernel/debug 2>/dev/null
if [ -r /sys/kernel/debug/perf_events/cpus ]; then
	tells 0 '^ *cpu *events' --system -n 2 -d 0.1 && [ "$(grep -c '^Buffers' "$out")" = 2 ]
	result $? system
	tells 0 '^{"cpus":\[{"cpu":0,.*"pmus":\[.*"refusals":{.*}}$' \
		--system --json -n 1
	result $? system_json
else
	for test in system system_json; do
		if [ -n "$PE_HARD" ] && [ "$(id -u)" = 0 ]; then
			result 1 $test
			continue
		fi
		n=$((n + 1))
		echo "ok $n $test # SKIP cannot read debugfs"
	done
fi
exit $failed
