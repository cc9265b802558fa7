/* SPDX-License-Identifier: GPL-2.0 */
#define check_mul_overflow(a, b, product)	__builtin_mul_overflow(a, b, product)
