/* SPDX-License-Identifier: GPL-2.0 */
/* The clocks of the C library, which has the same numbers. */
#include <time.h>
