/* SPDX-License-Identifier: GPL-2.0 */
/*
 * In front of the kernel's own for CONFIG=parallel: a tracepoint calls what is
 * attached to it through a pointer. A static call would be patched into text that
 * other CPUs execute.
 */
#include <linux/static_call.h>

#pragma push_macro("CONFIG_HAVE_STATIC_CALL")
#undef CONFIG_HAVE_STATIC_CALL
#include_next <linux/tracepoint.h>
#pragma pop_macro("CONFIG_HAVE_STATIC_CALL")
