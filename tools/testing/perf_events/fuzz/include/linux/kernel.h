/* SPDX-License-Identifier: GPL-2.0 */
/* See perf_event.h. */
#include <linux/perf_event.h>
