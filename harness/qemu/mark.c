// SPDX-License-Identifier: GPL-2.0
/*
 * mark NUMBER: write a mark into the log of QEMU's x-msr-trace, by a leaf of CPUID that QEMU
 * reserves for it. CPUID needs no privilege, and no driver in the guest.
 */
#include <cpuid.h>
#include <stdlib.h>

#define LEAF_MARK 0x4d41524b

int main(int argc, char **argv)
{
	unsigned int eax, ebx, ecx, edx;

	if (argc != 2)
		return 1;
	__cpuid_count(LEAF_MARK, atoi(argv[1]), eax, ebx, ecx, edx);
	return 0;
}
