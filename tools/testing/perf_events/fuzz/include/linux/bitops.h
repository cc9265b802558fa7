/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _FUZZ_LINUX_BITOPS_H
#define _FUZZ_LINUX_BITOPS_H

#define HWEIGHT32(x)	__builtin_popcount(x)

#endif /* _FUZZ_LINUX_BITOPS_H */
