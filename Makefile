# SPDX-License-Identifier: GPL-2.0
# The harness: builds, boots, tests, measures and exports the perf events core.
#
#   ARCH=x86_64|i386|arm64|powerpc  the machine
#   CONFIG=run|debug|kcsan|gcov|bench|up|rt|least|parallel  the kernel's configuration, or several
#                                   joined by +

export ARCH ?= x86_64
export CONFIG ?= run

help:
	@echo 'make run          build our kernel, boot it, count and profile real programs with perf'
	@echo 'make test         unit tests, selftests (ours, base, debug kernel), tools, source checks'
	@echo '                  STAGES="debug checks ours leaks points x86 powerpc parallel arm64 pmu clients base" chooses;'
	@echo '                  harness/test/stage has those that run by name alone'
	@echo 'make shell        an interactive guest'
	@echo 'make kernel       build our kernel; the last line is the path of its image'
	@echo 'make base-kernel  the same for the base with its own perf code'
	@echo 'make bench        instructions per operation, ours and the base'
	@echo 'make fuzz         random system calls; SECONDS=n, SEED=n; CONFIG=debug and kcsan see more'
	@echo 'make fuzz-user    the parts that run in user space, under libFuzzer, SECONDS=n each'
	@echo 'make coverage     lines of kernel/events/ that the tests and SECONDS=n of make fuzz reach'
	@echo 'make variants     compile our core in configurations that no guest is booted with'
	@echo 'make series       the patch series against the base, in build/series'
	@echo 'make docs         the documents as web pages, in build/docs/html'
	@echo 'make dist         this version with its series, in build/perf-events-VERSION.tar.xz'
	@echo 'make clean        remove what was built, keep what was downloaded'
	@echo
	@echo 'ARCH=$(ARCH) (x86_64, i386, arm64, powerpc)'
	@echo 'CONFIG=$(CONFIG) (run, debug, kcsan, gcov, bench, up, rt, least, parallel, preempt)'

run:
	@harness/run/programs

test:
	@FOR_SECONDS=$(SECONDS) harness/test/stages $(STAGES)

shell:
	@harness/run/shell

kernel:
	@harness/build/kernel ours

base-kernel:
	@harness/build/kernel base

bench:
	@harness/measure/bench

fuzz:
	@harness/test/fuzz $(SECONDS) $(SEED)

fuzz-user:
	@harness/test/fuzz-user $(SECONDS)

coverage:
	@harness/test/coverage $(SECONDS)

variants:
	@harness/check/variants $(NAMES)

series:
	@harness/build/series

docs:
	@harness/build/base && harness/check/documents

dist:
	@harness/build/dist

clean:
	rm -rf build/obj build/tree* build/x86 build/powerpc build/stage build/selftests* build/initramfs* build/guest.* \
		build/series* build/dist build/perf-events-* build/docs build/bench build/coverage build/log build/test* \
		build/qemu/src build/qemu/obj build/qemu/built build/qemu-test*

.PHONY: help run test shell kernel base-kernel bench fuzz fuzz-user coverage variants series docs dist clean
