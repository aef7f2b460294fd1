/* SPDX-License-Identifier: GPL-2.0-only */
/* Counts of the windows that are bound to a region, or tied to a queue pair. */
#ifndef _XR_MW_COUNT_H
#define _XR_MW_COUNT_H

#include <linux/atomic.h>
#include <linux/limits.h>
#include <linux/types.h>

/* A count of bound windows that takes no more of them. */
#define XR_MW_GOING	INT_MIN

/* Let nothing be bound any more, if nothing is. Return: whether that is so. */
static inline bool xr_mw_none(atomic_t *windows)
{
	return !atomic_cmpxchg(windows, 0, XR_MW_GOING);
}

/* After xr_mw_none(): the region stays as it is. */
static inline void xr_mw_again(atomic_t *windows)
{
	atomic_set(windows, 0);
}

/* Let nothing be bound any more. Return: how many windows are. */
static inline int xr_mw_close(atomic_t *windows)
{
	return atomic_fetch_or(XR_MW_GOING, windows) & INT_MAX;
}

#endif
