/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For CONFIG=parallel, this header is found before the kernel's own, and includes it
 * without CONFIG_HAVE_STATIC_CALL: a tracepoint then calls its probes through a pointer.
 * A static call would be patched into text that other CPUs execute.
 */
#include <linux/static_call.h>

#pragma push_macro("CONFIG_HAVE_STATIC_CALL")
#undef CONFIG_HAVE_STATIC_CALL
#include_next <linux/tracepoint.h>
#pragma pop_macro("CONFIG_HAVE_STATIC_CALL")
