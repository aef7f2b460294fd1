/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Declarations shared by the files of "xroce monitor". */
#ifndef _XROCE_MONITOR_H
#define _XROCE_MONITOR_H

#include <linux/types.h>

#include "watch/snapshot.h"

/* Begin to print an event. @nanoseconds: its time, CLOCK_MONOTONIC. */
void monitor_begin(const char *event, __u64 nanoseconds);

/* End an event. Return: false if no more events are to be printed. */
bool monitor_end(void);

/* Print an event for each object that was added, deleted or changed. */
void monitor_compare(const struct objects *before, const struct objects *now);

#endif /* _XROCE_MONITOR_H */
