#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Opens of the stock perf that fail: the message of perf, and the reason from perf-why. The table is
# also in Documentation/userspace-api/perf-why.rst.

dir=$(cd "$(dirname "$0")" && pwd)
why=$dir/perf-why
words=$(mktemp)
out=$(mktemp)
level=/proc/sys/kernel/perf_event_paranoid
was=$(cat $level)
trap 'rm -f "$words" "$out"; echo "$was" >$level' EXIT
n=0
failed=0
cpu1=/sys/devices/system/cpu/cpu1/online

echo "TAP version 13"
if ! command -v perf >/dev/null || [ "$(id -u)" != 0 ] || [ "$(uname -m)" != x86_64 ]; then
	echo "1..0 # SKIP needs perf, root, and x86_64 as breakpoints differ"
	exit 4
fi
[ -e /sys/kernel/tracing/events ] || mount -t tracefs none /sys/kernel/tracing 2>/dev/null
if [ ! -e /sys/kernel/tracing/events/perf/perf_event_refused ]; then
	if [ -n "$PE_HARD" ] && [ -e /sys/kernel/tracing/events ]; then
		echo "not ok 1 refusals are traced"
		exit 1
	fi
	echo "1..0 # SKIP this kernel does not explain refusals"
	exit 4
fi
if [ ! -e /sys/bus/event_source/devices/sim ] || [ ! -e /sys/bus/event_source/devices/msr ] ||
	[ -e /sys/bus/event_source/devices/cpu ]; then
	echo "1..0 # SKIP for a machine with the simulated PMU and msr, and no other"
	exit 4
fi
cd /tmp || exit 1

result() { # STATUS NAME
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $n $2"
	else
		failed=1
		echo "not ok $n $2"
	fi
}

# Check the message of perf for a command, and the kernel's reason. SHOW=1 prints both.
refused() { # NAME PERFS-WORDS REASON COMMAND...
	name=$1 perfs=$2 reason=$3
	shift 3
	timeout 60 "$why" -o "$out" -- "$@" >"$words" 2>&1
	grep -qF -e "$perfs" "$words" && grep -qF -e "$reason" "$out"
	status=$?
	if [ $status != 0 ] || [ -n "$SHOW" ]; then
		echo "# $*"
		sed 's/^/# perf: /' "$words"
		sed 's/^/# why:  /' "$out"
	fi
	result $status "$name"
}

# Check a command as refused(), but run it as an ordinary user.
user() { # NAME PERFS-WORDS REASON COMMAND
	refused "$1" "$2" "$3" su -s /bin/sh nobody -c "cd /tmp; exec $4"
}

echo 2 >$level
refused raw '<not supported>' \
	'attr.type (4) and attr.config name an event that no PMU supports' \
	perf stat -e r7fffffff7fffffff true
refused no_hardware 'The branches event is not supported.' \
	'attr.type and attr.config name an event that no PMU supports' \
	perf record -e branches true
refused config '<not supported>' \
	'PMU sim: attr.config or config1 has bits that no simulated event has' \
	perf stat -e sim/config=0xfe/ true
refused precise \
	'PMU Hardware doesn'\''t support sampling/overflow-interrupts. Try '\''perf stat'\''' \
	'PMU sim: attr.precise_ip is above the precision of this event on this PMU' \
	perf record -e sim/step/p true
refused group '<not counted>' \
	'PMU sim: group_fd refers to a group that this PMU cannot schedule together with this event' \
	perf stat -e '{sim/step/,sim/step/,sim/step/,sim/step/,sim/step/}' true
refused exclude '<not supported>' \
	'PMU msr: attr.exclude_* is not supported: this PMU counts in all modes' \
	perf stat -e msr/tsc/u true
refused sampling \
	'Invalid event (msr/tsc/) in per-thread mode, enable system wide with '\''-a'\''.' \
	'PMU msr: attr.sample_period is not supported: this PMU has no interrupt, and only counts' \
	perf record -e msr/tsc/ -c 1000 true
refused branches 'PMU Hardware or event type doesn'\''t support branch stack sampling.' \
	'PMU software: attr.sample_type has PERF_SAMPLE_BRANCH_STACK: this PMU, or this event,' \
	perf record -b -e cpu-clock true
refused breakpoints 'syscall returned with 28 (No space left on device)' \
	'attr.type is a breakpoint, and all debug registers are in use' \
	perf stat -e mem:0x1000:w,mem:0x1010:w,mem:0x1020:w,mem:0x1030:w,mem:0x1040:w true
refused kernel_breakpoint '<not supported>' \
	'attr.bp_addr (0xffffffff81000000) is in the kernel, but attr.exclude_kernel is set' \
	perf stat -e mem:0xffffffff81000000:w:u true
refused odd_breakpoint '<not supported>' \
	'attr.bp_type is not possible with this bp_addr and bp_len: check type,' \
	perf stat -e mem:0x1001/4:w true
refused depth 'syscall returned with 75 (Value too large for defined data type)' \
	'attr.sample_max_stack (2000) is above perf_event_max_stack' \
	perf record -g -e cpu-clock/max-stack=2000/ true
refused period \
	'Invalid event (cpu-clock) in per-thread mode, enable system wide with '\''-a'\''.' \
	'attr.sample_period is 2^63 or more' \
	perf record -c 9223372036854775808 -e cpu-clock true
refused no_cpu '<not supported>' \
	'cpu (77) is above the highest CPU number, or below -1' \
	perf stat -C 77 -e page-faults true
if [ -w $cpu1 ] && echo 0 >$cpu1 2>/dev/null; then
	refused offline_cpu 'No such device - did you specify an out-of-range profile CPU?' \
		'cpu (1) is offline' \
		perf stat -C 1 -e page-faults true
	echo 1 >$cpu1
fi
refused dead_pid 'Problems finding threads of monitor' \
	'0 refused' \
	perf stat -e page-faults -p 999999
refused no_cgroup 'no access to cgroup' \
	'0 refused' \
	perf stat -e page-faults -G nowhere -a true
refused fds '' \
	'needs a file descriptor, and RLIMIT_NOFILE is reached: raise it (ulimit -n)' \
	sh -c 'ulimit -n 10; exec perf stat -e page-faults,minor-faults,cs,migrations,dummy -a true'
user kernel 'Access to performance monitoring and observability operations is limited.' \
	'attr.exclude_kernel is not set: counting in the kernel needs CAP_PERFMON, or' \
	'perf record -o /dev/null -e cpu-clock:k true'
user all_cpus \
	'Access to performance monitoring and observability operations is limited.' \
	'pid is not a task: a per-CPU event needs CAP_PERFMON, or perf_event_paranoid below 1' \
	'perf stat -a true'
user other_task \
	'Access to performance monitoring and observability operations is limited.' \
	'pid (1) is a task that the caller may not trace: needs CAP_PERFMON, and for' \
	'perf stat -e page-faults:u -p 1'
user namespaces \
	'Access to performance monitoring and observability operations is limited.' \
	'attr.namespaces needs CAP_PERFMON' \
	'perf record -o /dev/null --namespaces -e cpu-clock:u true'
user phys_data \
	'Access to performance monitoring and observability operations is limited.' \
	'attr.sample_type has physical addresses: needs CAP_PERFMON, or' \
	'perf record -o /dev/null --phys-data -e cpu-clock:u true'
user kernel_branches \
	'Access to performance monitoring and observability operations is limited.' \
	'attr.branch_sample_type includes the kernel: needs CAP_PERFMON, or' \
	'perf record -o /dev/null -j any,k -e sim/step/ true'
user mlock 'Permission error mapping pages.' \
	'length (16781312) exceeds perf_event_mlock_kb and RLIMIT_MEMLOCK: needs CAP_IPC_LOCK' \
	'perf record -o /dev/null -m 4096 -e cpu-clock:u true'
echo 3 >$level
user level_3 'Access to performance monitoring and observability operations is limited.' \
	'perf_event_paranoid is 3 or more: only CAP_SYS_ADMIN may open events' \
	'perf stat -e page-faults:u true'
echo 2 >$level
echo "1..$n"
exit $failed
