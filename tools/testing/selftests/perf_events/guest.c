// SPDX-License-Identifier: GPL-2.0
/*
 * Samples of a guest: the task of the event runs a virtual machine of one page with KVM. Samples of
 * a clock event must have the guest's mode and the guest's address.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "pe_sample.h"

#if defined(__x86_64__)
#include <linux/kvm.h>

#define GUEST_CODE	0x1000

/*
 * The guest counts down from 0x4000000, which takes long enough for samples,
 * and then writes to a port.
 */
static const unsigned char code[] = {
	0x66, 0xb9, 0x00, 0x00, 0x00, 0x04,	/* mov ecx, 0x4000000 */
	0x66, 0x49,				/* dec ecx */
	0x75, 0xfc,				/* jnz back */
	0xe6, 0x10,				/* out 0x10, al */
	0xeb, 0xf2,				/* jmp to the start */
};

FIXTURE(guest) {
	int kvm, vm, cpu;
	struct kvm_run *run;
	unsigned char *memory;
	struct pe_ring ring;
	int fd;
};

/*
 * A virtual machine of one processor, in real mode, that begins at GUEST_CODE.
 */
FIXTURE_SETUP(guest)
{
	struct kvm_userspace_memory_region region = { .memory_size = 0x1000 };
	struct kvm_sregs sregs;
	struct kvm_regs regs = { .rip = GUEST_CODE, .rflags = 2 };
	int len;

	self->kvm = open("/dev/kvm", O_RDWR);
	if (self->kvm < 0)
		SKIP(return, "no KVM");
	self->vm = ioctl(self->kvm, KVM_CREATE_VM, 0);
	ASSERT_LE(0, self->vm);
	self->memory = mmap(NULL, 0x1000, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
			    0);
	ASSERT_NE(MAP_FAILED, self->memory);
	memcpy(self->memory, code, sizeof(code));
	region.guest_phys_addr = GUEST_CODE;
	region.userspace_addr = (unsigned long)self->memory;
	ASSERT_EQ(0, ioctl(self->vm, KVM_SET_USER_MEMORY_REGION, &region));
	self->cpu = ioctl(self->vm, KVM_CREATE_VCPU, 0);
	ASSERT_LE(0, self->cpu);
	len = ioctl(self->kvm, KVM_GET_VCPU_MMAP_SIZE, 0);
	self->run = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, self->cpu, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->run);
	ASSERT_EQ(0, ioctl(self->cpu, KVM_GET_SREGS, &sregs));
	sregs.cs.base = 0;
	sregs.cs.selector = 0;
	ASSERT_EQ(0, ioctl(self->cpu, KVM_SET_SREGS, &sregs));
	ASSERT_EQ(0, ioctl(self->cpu, KVM_SET_REGS, &regs));
}

FIXTURE_TEARDOWN(guest)
{
}

TEST_F(guest, samples_say_so)
{
	struct perf_event_attr a = pe_attr_off(PERF_COUNT_SW_CPU_CLOCK);
	unsigned int of_guest = 0, of_host = 0, elsewhere = 0, turns, mode;
	static struct pe_record rec;
	struct pe_sample s;

	a.sample_period = 100000;
	a.sample_type = PERF_SAMPLE_IP;
	self->fd = pe_self(&a);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, pe_ring_map(&self->ring, self->fd, 8));
	pe_ioctl(self->fd, PERF_EVENT_IOC_ENABLE, 0);
	for (turns = 0; turns < 200 && (!of_guest || !of_host); turns++) {
		ASSERT_EQ(0, ioctl(self->cpu, KVM_RUN, 0));
		ASSERT_EQ(KVM_EXIT_IO, self->run->exit_reason);
		while (pe_ring_find(&self->ring, &rec, PERF_RECORD_SAMPLE) == 1) {
			ASSERT_EQ(0, pe_sample_parse(&a, &rec, &s));
			mode = rec.head.misc & PERF_RECORD_MISC_CPUMODE_MASK;
			if (mode != PERF_RECORD_MISC_GUEST_KERNEL &&
			    mode != PERF_RECORD_MISC_GUEST_USER) {
				of_host++;
				continue;
			}
			of_guest++;
			elsewhere += s.ip < GUEST_CODE || s.ip >= GUEST_CODE + sizeof(code);
		}
	}
	TH_LOG("%u samples of the guest, %u of the host", of_guest, of_host);
	EXPECT_LT(0, of_guest);
	EXPECT_EQ(0, elsewhere);
	pe_ring_unmap(&self->ring);
	close(self->fd);
}
#else
TEST(samples_say_so)
{
	SKIP(return, "no virtual machine for this architecture");
}
#endif

TEST_HARNESS_MAIN
