/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Counters of regions, from the map "mr_stat". */
#ifndef _XROCE_MR_STAT_H
#define _XROCE_MR_STAT_H

#include <linux/types.h>

/*
 * The map of a link. Return: its descriptor, or a negative errno; -EOVERFLOW:
 * regions are not counted there.
 */
int mr_stat_find(const char *netdev);

/* Likewise. Return: its descriptor, or -1 after saying why. */
int mr_stat_open(const char *netdev);

/* Print the counters of a region, by its handle. Return: an exit status. */
int mr_stat_print(const char *netdev, int fd, __u32 mr);

#endif /* _XROCE_MR_STAT_H */
