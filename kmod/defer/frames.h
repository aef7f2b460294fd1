/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions that copy, queue and free deferred frames, and walk over them (structures: deferred.h).
 * On RC the frames are in the order of their PSNs, with each PSN once; otherwise in the order of
 * arrival. Each frame is a copy, charged to the owner.
 */
#ifndef _XR_DEFER_FRAMES_H
#define _XR_DEFER_FRAMES_H

#include <linux/rbtree.h>
#include <linux/types.h>

#include "deferred.h"

struct xdp_buff;
struct xr_qp;

u32 xr_deferred_bth(const struct xdp_buff *xdp);
struct xr_deferred *xr_deferred_copy(struct xdp_buff *xdp);
struct xr_deferred *xr_deferred_add(struct xr_qp *qp, struct xr_deferred *d);
void xr_deferred_free(struct xr_qp *qp, struct xr_deferred *d);

/* Return: the first frame, or NULL. The lock is held. */
static inline struct xr_deferred *xr_deferred_first(const struct xr_defer *k)
{
	return rb_entry_safe(rb_first_cached(&k->frames), struct xr_deferred, node);
}

static inline struct xr_deferred *xr_deferred_last(const struct xr_defer *k)
{
	return rb_entry_safe(rb_last(&k->frames.rb_root), struct xr_deferred, node);
}

static inline struct xr_deferred *xr_deferred_next(const struct xr_deferred *d)
{
	return rb_entry_safe(rb_next(&d->node), struct xr_deferred, node);
}

static inline struct xr_deferred *xr_deferred_prev(const struct xr_deferred *d)
{
	return rb_entry_safe(rb_prev(&d->node), struct xr_deferred, node);
}

#endif
