/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* What the files of "xroce monitor" share. */
#ifndef _XROCE_MONITOR_H
#define _XROCE_MONITOR_H

#include <linux/types.h>

#include "watch/snapshot.h"

/* Begin an event: what it is, and when by CLOCK_MONOTONIC. */
void monitor_begin(const char *event, __u64 nanoseconds);

/* End it. Return: whether there are to be more. */
bool monitor_end(void);

/* Tell of what is in one of the two only, or has changed. */
void monitor_compare(const struct objects *before, const struct objects *now);

#endif /* _XROCE_MONITOR_H */
