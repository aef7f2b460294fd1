/* SPDX-License-Identifier: GPL-2.0-only */
/* Writing the map "mpt", in which the XDP program looks up keys. */
#ifndef _XR_MPT_H
#define _XR_MPT_H

#include <linux/types.h>

#include "xroce_map.h"

struct bpf_map;

struct xroce_mpt *xr_mpt_entry(struct bpf_map *map, u32 index);
void xr_mpt_put_mr(struct xroce_mpt *m, const struct xroce_mpt *mr);
void xr_mpt_stop(struct xroce_mpt *m);
void xr_mpt_clear(struct xroce_mpt *m);

/**
 * xr_mpt_put_mw() - publish a window
 * @m: its entry, which is not VALID
 * @mw: the new contents; VALID: bound, and the module's own table has it already;
 *	INVALID: not bound
 *
 * The caller holds the window's lock, or nobody else has the window yet. Inline, so that
 * a bind does not build @mw in memory.
 */
static inline void xr_mpt_put_mw(struct xroce_mpt *m, const struct xroce_mpt *mw)
{
	WRITE_ONCE(m->key, mw->key);
	WRITE_ONCE(m->type, mw->type);
	WRITE_ONCE(m->access, mw->access);
	WRITE_ONCE(m->pd, mw->pd);
	WRITE_ONCE(m->qpn, mw->qpn);
	WRITE_ONCE(m->iova, mw->iova);
	WRITE_ONCE(m->length, mw->length);
	WRITE_ONCE(m->mr, mw->mr);
	/* Last: a reader that sees the new state sees all of the above. */
	smp_store_release(&m->state, mw->state);
}

#endif
