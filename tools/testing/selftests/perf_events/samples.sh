#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The programs of samples/perf_events print what they did, and their numbers are right. A program's
# exit status is 4 if it needs another machine, kernel or user. Prints KTAP.
cd "$(dirname "$0")" || exit 1
out=$(mktemp)
file=$(mktemp)
trap 'rm -f "$out" "$file"' EXIT
n=0
failed=0
status=0

# Print the rest of the line that begins with these words.
value() { sed -n "s/^$1 //p" "$out"; }

# Report the result of the last program, and of the checks of its output.
result() { # NAME STATUS
	n=$((n + 1))
	if [ $status = 4 ]; then
		echo "ok $n $1 # SKIP $(tail -n 1 "$out")"
	elif [ $status = 0 ] && [ "$2" = 0 ]; then
		echo "ok $n $1"
	else
		sed 's/^/# /' "$out"
		echo "not ok $n $1"
		failed=1
	fi
}

run() { # PROGRAM ARGUMENT...
	program=$1
	shift
	"./$program" "$@" >"$out" 2>&1
	status=$?
}

# The last program needs no hardware: a kernel with all features may not skip it.
needed() {
	[ $status != 4 ] || [ -z "$PE_HARD" ] || [ "$(id -u)" != 0 ] || status=1
}

is() { # LINES: the output is exactly these lines
	[ "$(cat "$out")" = "$1" ]
}

near() { # NUMBER OTHER
	[ -n "$1" ] && [ -n "$2" ] && [ $(($1 - $2)) -le 1000 ] && [ $(($2 - $1)) -le 1000 ]
}

# Generic hardware events count on one kind of cores only: all programs run on the first CPU.
taskset -p 1 $$ >/dev/null 2>&1

echo "TAP version 13"
echo "1..9"

# One page fault for each page
for pages in 0 1 250; do
	run count $pages
	needed
	[ "$(value page-faults)" = $pages ] && [ "$(value task-clock)" -gt 0 ]
	result "a function with $pages page faults" $?
done

# The size is 15. For each unit of size, fill() touches two pages when parse() calls it, and one
# page when render() calls it. render() itself touches one more page.
run profile -f 15
needed
is 'work;parse;fill 30
work;render;fill 15
work;render 15
lost 0'
result "a call chain for each page fault" $?

# Time depends on the machine, and a slow machine may lose samples. Samples are only in functions
# that use time. A function at its first or last instruction has no frame: its caller is missing in
# the chain.
run profile 15
needed
grep -qE '^work;(parse|render);fill [1-9]' "$out" && [ -n "$(value lost)" ] &&
	! grep -vE '^(|work.*|parse|render|lost) [0-9]+$' "$out"
result "call chains of time" $?

# Each occurrence is a sample or is lost, and the file has the samples. The command has at least one
# sample for each page that it writes.
run system "$file" ./count 400
needed
[ $status = 4 ] || {
	# The output includes the output of the command.
	[ "$(value page-faults)" = 400 ] &&
		[ "$(value events)" = $(($(value samples) + $(value lost))) ] &&
		[ "$(value 'of the command')" -ge $((400 - $(value lost))) ] &&
		[ "$(value 'of the command')" -le "$(value samples)" ] &&
		[ "$(value bytes)" = "$(wc -c <"$file")" ]
}
result "a file of all CPUs' samples" $?

run watch 25
# QEMU's powerpc compares accesses of user mode only with watchpoints that include the kernel.
case $(uname -m) in
ppc64*)
	if [ "$(value signals)" = 0 ]; then
		echo "no watchpoints of user mode alone" >>"$out"
		status=4
	fi ;;
esac
[ -z "$(value writes)" ] || is 'writes 25
signals 25
strange 0'
result "a signal for each write" $?

# The second run has 100000 rounds more. If the program can use rdpmc, a round has two instructions.
run rdpmc 300
first=$(value '[a-z-]*s')
needed
if [ -z "$(value page-faults)" ] && [ "$(value 'read by')" = rdpmc ]; then
	run rdpmc 100300
	near $(($(value instructions) - first)) 200000
else
	[ -z "$(value page-faults)" ] || [ "$(value page-faults)" = 300 ]
fi && [ "$(value 'in order')" = yes ]
result "a count read in user space" $?

run perfctr 300
first=$(value instructions)
[ "$(value 'in order')" = yes ] && if [ -n "$first" ]; then
	run perfctr 100300
	case $(uname -m) in
	x86_64 | i?86) near $(($(value instructions) - first)) 200000 ;;
	*) [ $(($(value instructions) - first)) -ge 100000 ] ;;
	esac && [ "$(value 'in order')" = yes ]
fi
result "counters of perfctr" $?
exit $failed
