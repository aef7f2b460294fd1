/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Counters of regions, from the map "mr_stat". */
#ifndef _XROCE_MR_STAT_H
#define _XROCE_MR_STAT_H

#include <linux/types.h>

/* Open this map. Return: its descriptor, or -1 after printing an error. */
int mr_stat_open(const char *netdev);

/* Print the counters of a region, by its handle. Return: an exit status. */
int mr_stat_print(const char *netdev, int fd, __u32 mr);

#endif /* _XROCE_MR_STAT_H */
