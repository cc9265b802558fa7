# SPDX-License-Identifier: GPL-2.0
# Sourced by every script of the harness: paths, messages, errors and other shared functions.
# shellcheck shell=bash disable=SC2034 # its variables are for the scripts that source it

set -eu -o pipefail
TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
H=$TOP/harness
B=$TOP/build
LOG=$B/log
ARCH=${ARCH:-x86_64}
CONFIG=${CONFIG:-run}
SERIES=6.12
BASE=$B/base-src
JOBS=$(nproc)
# The tree has the base's PMU drivers or ours. Each variant has its own directory, because stages build
# from both at the same time. Their names have the same form relative to their objects, so ccache finds
# results of the other tree.
X86_DRIVERS=${X86_DRIVERS:-base}
POWERPC_DRIVERS=${POWERPC_DRIVERS:-base}
export ARCH CONFIG X86_DRIVERS POWERPC_DRIVERS LC_ALL=C
# ccache reads the compiler's list of headers, instead of preprocessing each file before it is compiled.
export CCACHE_DEPEND=1
mkdir -p "$LOG"
[[ $X86_DRIVERS = @(base|ours) ]] || { echo "error: X86_DRIVERS is base or ours" >&2; exit 1; }
[[ $POWERPC_DRIVERS = @(base|ours) ]] ||
	{ echo "error: POWERPC_DRIVERS is base or ours" >&2; exit 1; }

D=$B
[ "$X86_DRIVERS" = base ] || D+=/x86
[ "$POWERPC_DRIVERS" = base ] || D+=/powerpc
TREE=$D/tree

say() { echo "$*" >&2; }

die() {
	say "error: $*"
	exit 1
}

as_root() {
	if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# The base files that the series deletes or replaces.
removed() {
	grep -hv '^#' "$H/remove"
	[ "$X86_DRIVERS" = base ] || grep -hv '^#' "$H/remove-x86"
	[ "$POWERPC_DRIVERS" = base ] || grep -hv '^#' "$H/remove-powerpc"
}

# step NAME WHAT COMMAND...: run a long command, with its output in build/log/NAME.log, and print
# WHAT and how long it takes.
step() {
	local name=$1 what=$2 log start=$SECONDS rc=0 pid
	log=$LOG/$name.log
	shift 2
	say "$what ... (log: build/log/$name.log)"
	"$@" >"$log" 2>&1 </dev/null &
	pid=$!
	while sleep 0.2; kill -0 $pid 2>/dev/null; do
		if [ -t 2 ]; then
			printf '\r  %ds ' $((SECONDS - start)) >&2
		elif [ $((SECONDS - start)) -ge $((${said:=0} + 60)) ]; then
			said=$((SECONDS - start))
			say "  ... ${said}s"
		fi
	done
	said=0
	wait $pid || rc=$?
	[ ! -t 2 ] || printf '\r' >&2
	if [ $rc -ne 0 ]; then
		grep -nE '(error|Error|undefined reference)' "$log" | head -20 >&2 || true
		tail -n 12 "$log" >&2
		die "$what failed after $((SECONDS - start))s; full output: $log"
	fi
	say "  done in $((SECONDS - start))s"
}

# kernel_image ours|base: build that kernel and print only the path of its image.
kernel_image() {
	"$H/build/kernel" "$1" | tail -n 1
}

# put_libraries ROOT PROGRAM...: copy the libraries that programs of this system load to below ROOT.
put_libraries() {
	local root=$1 lib
	shift
	libraries "$@" | while read -r lib; do
		mkdir -p "$root$(dirname "$lib")"
		cp -L "$lib" "$root$lib"
	done
}

libraries() { # PROGRAM...: print the paths of the libraries that they load
	ldd "$@" | sed -n 's,.*[[:space:]]\(/[^ ]*\) (.*,\1,p' | sort -u
}

# chosen NAME [CHOSEN...]: succeeds if NAME is one of CHOSEN, or if there is no CHOSEN.
chosen() {
	[ $# -eq 1 ] || [[ " ${*:2} " = *" $1 "* ]]
}

# compile_logged NAME COMMAND...: compile by COMMAND, with its output in build/log/NAME.log. Fails if
# COMMAND fails or the compiler prints a warning, and prints the warnings as KTAP diagnostics.
compile_logged() {
	local log=$LOG/$1.log start=$SECONDS rc=0
	say "compiling $1 (log: build/log/$1.log)"
	shift
	"$@" >"$log" 2>&1 </dev/null || rc=1
	# Ignore warnings about system calls that the base lacks on a machine (sparc's clone3).
	! grep -E '(warning|error):|Error [0-9]|No rule to make' "$log" |
		grep -v '#warning syscall [a-z0-9_]* not ' | sed "s,$TREE/,," | sort -u | sed 's/^/# /' |
		head -n 40 | grep . || rc=1
	say "  done in $((SECONDS - start))s"
	return $rc
}

# guest_died NAME LOG: print a failed test for a guest that did not end by itself.
guest_died() {
	local why
	why=$("$H/test/splats" "$LOG/$2.console" | head -n 1 | tr -d '#') || true
	echo "not ok 1 guest $1: ${why:-hang or panic}, build/log/$2.console"
}

# need PACKAGE...: install the packages that are missing, after naming them.
need() {
	missing "$@" >/dev/null || install_missing "$@" || exit 1
}

missing() { # PACKAGE...: print the packages that are not installed; fails if there are any
	local p none=0
	for p; do
		[ "$(dpkg-query -Wf '${db:Status-Abbrev}' "$p" 2>/dev/null)" = "ii " ] && continue
		echo "$p"
		none=1
	done
	return $none
}

# Take the lock of the system's apt, until the shell or subshell of the caller ends. Without it, an
# update of the index in one stage fails a download or an update in another one.
take_apt() {
	mkdir -p "$B"
	exec 7>"$B/apt.lock"
	flock 7
}

# One caller at a time installs. A caller that had to wait checks again which packages are missing.
install_missing() (
	take_apt
	mapfile -t missing < <(missing "$@")
	[ ${#missing[@]} -gt 0 ] || return 0
	say "installing with apt-get: ${missing[*]}"
	# shellcheck disable=SC2317 # called by step
	apt_get() { as_root env DEBIAN_FRONTEND=noninteractive apt-get "$@"; }
	# Debian keeps only the newest packages: an old index may name files that are gone.
	step apt-update "updating the package index" apt_get update
	step apt-install "installing ${#missing[@]} packages" \
		apt_get install -y --no-install-recommends "${missing[@]}"
)

# abi_headers OBJ: install the headers of the ABI in OBJ/usr/include. Two stages may call this at once,
# but kbuild cannot install twice at once, so the callers take turns.
abi_headers() (
	mkdir -p "$1"
	exec 8>"$1/headers.lock"
	flock 8
	make -s -C "$TREE" O="$1" headers
)

# debian_mirror RELEASE: print the address from which apt is configured to get that release.
debian_mirror() {
	local uri update
	for update in '' 1; do
		# On a fresh machine apt may never have fetched its index.
		[ -z "$update" ] || (take_apt; as_root apt-get update >&2)
		uri=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' \
			"Codename: $1" | sed -n 1p)
		[ -z "$uri" ] || { echo "$uri"; return; }
	done
	die "apt is not configured for Debian's $1"
}

# For each machine: its kernel's image, the compiler, and the QEMU that emulates it.
case $ARCH in
x86_64)
	TARGET=bzImage IMAGE=arch/x86/boot/bzImage CROSS_COMPILE='' QEMU=qemu-system-x86_64
	;;
i386)
	TARGET=bzImage IMAGE=arch/x86/boot/bzImage CROSS_COMPILE=i686-linux-gnu- QEMU=qemu-system-x86_64
	DEBARCH=i386 CROSS_DEBS=(gcc-i686-linux-gnu libc6-dev-i386-cross)
	;;
arm64)
	TARGET=Image IMAGE=arch/arm64/boot/Image CROSS_COMPILE=aarch64-linux-gnu- QEMU=qemu-system-aarch64
	DEBARCH=arm64 CROSS_DEBS=(gcc-aarch64-linux-gnu libc6-dev-arm64-cross)
	;;
powerpc)
	TARGET=vmlinux IMAGE=vmlinux CROSS_COMPILE=powerpc64le-linux-gnu- QEMU=qemu-system-ppc64
	DEBARCH=ppc64el CROSS_DEBS=(gcc-powerpc64le-linux-gnu libc6-dev-ppc64el-cross)
	;;
*) die "ARCH=$ARCH: there are x86_64, i386, arm64 and powerpc" ;;
esac
export CROSS_COMPILE
# The suffix of directories of build/ with files for guests of this machine.
FOR=
[ "$ARCH" = x86_64 ] || FOR=-$ARCH

need_build() {
	need gcc make libc6-dev bc bison flex libelf-dev libssl-dev perl python3-minimal rsync \
		patch xz-utils cpio ccache ${CROSS_DEBS[@]+"${CROSS_DEBS[@]}"}
}

need_guest() {
	need busybox-static cpio gzip coreutils xz-utils binutils
	[ $QEMU != qemu-system-x86_64 ] || need qemu-system-x86
	[ "$ARCH" != x86_64 ] || need linux-perf
}
