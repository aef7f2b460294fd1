/* SPDX-License-Identifier: GPL-2.0-only */
/* Counts of the windows that are bound to a region or to a queue pair. */
#ifndef _XR_MW_COUNT_H
#define _XR_MW_COUNT_H

#include <linux/atomic.h>
#include <linux/limits.h>
#include <linux/types.h>

/* This bit closes a count: it makes the count negative, and no more windows are bound. */
#define XR_MW_DYING	INT_MIN

/* Close a count if no window is bound. Return: whether it was closed. */
static inline bool xr_mw_none(atomic_t *windows)
{
	return !atomic_cmpxchg(windows, 0, XR_MW_DYING);
}

/* Reopen a count that xr_mw_none() has closed. */
static inline void xr_mw_again(atomic_t *windows)
{
	atomic_set(windows, 0);
}

/* Close a count. Return: number of windows that are bound. */
static inline int xr_mw_close(atomic_t *windows)
{
	return atomic_fetch_or(XR_MW_DYING, windows) & INT_MAX;
}

#endif
