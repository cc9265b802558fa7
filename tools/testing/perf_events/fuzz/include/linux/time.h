/* SPDX-License-Identifier: GPL-2.0 */
/* Clock ids are those of the C library, which have the same numbers. */
#include <time.h>
