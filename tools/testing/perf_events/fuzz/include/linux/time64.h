/* SPDX-License-Identifier: GPL-2.0 */
#define NSEC_PER_SEC		1000000000L
