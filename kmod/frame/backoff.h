/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Waiting for room in the device, or for memory for frames. Others compete for the same room, so
 * the gap between batches doubles each time that there is none, and shrinks with each batch that
 * is sent; below XR_BACKOFF_MIN there is no gap. Gaps are in nanoseconds.
 */
#ifndef _XR_FRAME_BACKOFF_H
#define _XR_FRAME_BACKOFF_H

#include <linux/minmax.h>
#include <linux/time64.h>
#include <linux/types.h>

#define XR_BACKOFF_MIN		(10 * NSEC_PER_USEC)
#define XR_BACKOFF_FIRST	(50 * NSEC_PER_USEC)
#define XR_BACKOFF_MAX		NSEC_PER_MSEC
#define XR_BACKOFF_DECAY	16
#define XR_BACKOFF_FAILS	4000	/* in a row; then the frames are dropped */

/**
 * struct xr_backoff - of one sender of frames
 * @gap: nanoseconds between batches; 0: none
 * @fails: consecutive attempts that found no room or no memory
 */
struct xr_backoff {
	u64 gap;
	u32 fails;
};

/* There was no room, or no memory. Return: true if the frames should be dropped. */
static inline bool xr_backoff_fail(struct xr_backoff *b)
{
	b->gap = clamp(2 * b->gap, XR_BACKOFF_FIRST, XR_BACKOFF_MAX);
	return ++b->fails > XR_BACKOFF_FAILS;
}

/* Frames were sent, or there were none. */
static inline void xr_backoff_sent(struct xr_backoff *b)
{
	b->fails = 0;
	if (likely(!b->gap))
		return;
	b->gap -= b->gap / XR_BACKOFF_DECAY;
	if (b->gap < XR_BACKOFF_MIN)
		b->gap = 0;
}

#endif
