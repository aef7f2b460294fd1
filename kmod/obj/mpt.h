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
 * xr_mpt_put() - publish a window, or a region that work requests register
 * @m: its entry, which is not VALID
 * @to: the new contents; VALID: it gives access, and the module's own table has it already;
 *	INVALID: it gives none
 *
 * The caller holds the object's lock, or nobody else has the object yet. Inline, so that
 * a bind does not build @to in memory.
 */
static inline void xr_mpt_put(struct xroce_mpt *m, const struct xroce_mpt *to)
{
	WRITE_ONCE(m->key, to->key);
	WRITE_ONCE(m->type, to->type);
	WRITE_ONCE(m->access, to->access);
	WRITE_ONCE(m->pd, to->pd);
	WRITE_ONCE(m->qpn, to->qpn);
	WRITE_ONCE(m->iova, to->iova);
	WRITE_ONCE(m->length, to->length);
	WRITE_ONCE(m->mr, to->mr);
	/* Last: a reader that sees the new state sees all of the above. */
	smp_store_release(&m->state, to->state);
}

#endif
