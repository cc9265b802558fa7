#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Compare perfex with itself, and with perf stat if there is one. Prints KTAP.
cd "$(dirname "$0")" || exit 1
out=$(mktemp)
trap 'rm -f "$out"' EXIT
n=0
failed=0
result() { # STATUS NAME
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $n $2"
	else
		echo "not ok $n $2"
		failed=1
	fi
}
skip() { # NAME WHY
	n=$((n + 1))
	echo "ok $n $1 # SKIP $2"
}
# Print the sum of an event, by the start of the line.
sum() { awk -v what="$1" 'index($0, what) == 1 { print $NF }' "$out"; }
near() { # NUMBER OTHER
	[ -n "$1" ] && [ -n "$2" ] && [ $(($1 - $2)) -le $slack ] && [ $(($2 - $1)) -le $slack ]
}

echo "TAP version 13"
# The kernel has no perfctr, or an x86 CPU has no clock.
lacks_perfctr() {
	[ -z "$PE_NEED_PERFCTR" ] || return 1
	# ENOSYS
	grep -q ': Function not ' "$out" && return 0
	grep -q 'No such device' "$out" && grep -q '^flags' /proc/cpuinfo &&
		! grep -qw tsc /proc/cpuinfo
}
LC_ALL=C ./perfex -i >"$out" 2>&1
status=$?
sed 's/^/# /' "$out"
if [ $status != 0 ]; then
	lacks_perfctr || exit 1
	echo "1..0 # SKIP no perfctr"
	exit 4
fi
echo 1..7
counters=$(grep -c 'cpu_features.* \(rdpmc\|pcint\)' "$out")

./perfex -o "$out" ./loop 1000 && [ "$(sum tsc)" -gt 0 ]
result $? "the clock of a program"

./perfex -o "$out" sh -c 'exit 3'
[ $? = 3 ]
result $? "the program's exit status"

./perfex -e 12x ./loop 2>/dev/null
[ $? = 2 ]
result $? "an event that is none"

# perfex prints the sums also if the kernel refuses these events.
case $(uname -m) in
ppc*) codes='0x100000002@1 0x200000002@2' ;;
*) codes='0x004100c0@0 0x005100c0@1' ;;
esac
./perfex -e "${codes% *}" -e "${codes#* }" -o "$out" ./loop 1000 2>/dev/null
[ -n "$(sum "event ${codes% *}")" ] && [ -n "$(sum "event ${codes#* }")" ]
result $? "all bits of an event"

# Instructions in user mode. Emulated counters of POWER count the kernel, too.
case $(uname -m) in
ppc*) event=0x500fa@5 slack=200000 ;;
*) event=0x4100c0 slack=1000 ;;
esac
if [ "$counters" = 0 ] && [ -z "$PE_NEED_PMU" ]; then
	skip "instructions of a program" "no counters"
	skip "instructions of children" "no counters"
	skip "perf stat counts the same" "no counters"
	exit $failed
fi
counted() { # N: print the instructions of a program with N rounds
	./perfex -e $event -o "$out" ./loop "$1" && sum event
}
few=$(counted 1000000) many=$(counted 2000000)
near $((many - few)) 2000000
result $? "instructions of a program"

./perfex -e $event -c -o "$out" ./loop 1000000 5
few=$(sum "children event")
./perfex -e $event -c -o "$out" ./loop 2000000 5
many=$(sum "children event")
near $(((many - few) / 5)) 2000000
result $? "instructions of children"

by_perf() { # N
	# On hybrid machines there is a line for each kind of core, one of them without a count.
	perf stat -x, -e instructions:u -o "$out" ./loop "$1" &&
		awk -F, '/instructions/ && $1 ~ /^[0-9]+$/ { print $1; exit }' "$out"
}
# The name perf may be a script that finds no perf for this kernel.
if perf --version >/dev/null 2>&1; then
	few=$(by_perf 1000000) many=$(by_perf 2000000)
	if [ -n "$few" ] && [ -n "$many" ]; then
		echo "# perf stat: $((many - few)) more for a million rounds"
		near $((many - few)) 2000000 && near "$many" "$(counted 2000000)"
	else
		sed 's/^/# /' "$out"
		false
	fi
	result $? "perf stat counts the same"
else
	skip "perf stat counts the same" "no perf"
fi
exit $failed
