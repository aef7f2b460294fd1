// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writing the memory protection table, the map "mpt".
 *
 * Entries are written in place, under the link's lock or, when a work request binds, registers or
 * invalidates, under the lock of the window or region. The state is written last when an entry
 * becomes valid, and first when it becomes invalid.
 */
#include <linux/bpf.h>

#include "xroce_map.h"

#include "mpt.h"

/* Find an entry. Its address does not change while the map exists. */
struct xroce_mpt *xr_mpt_entry(struct bpf_map *map, u32 index)
{
	struct xroce_mpt *m;

	rcu_read_lock();
	m = map->ops->map_lookup_elem(map, &index);
	rcu_read_unlock();
	return m;
}

/**
 * xr_mpt_put_mr() - write the entry of a region, so that peers can access it
 * @m: the entry
 * @mr: the new values; the module's own table must have the region already
 *
 * The entry may be valid for the region before re-registration, under another key. If the
 * XDP program reads the old key together with new values, the module refuses the access,
 * because its own table no longer has that key.
 */
void xr_mpt_put_mr(struct xroce_mpt *m, const struct xroce_mpt *mr)
{
	xr_mpt_stop(m);
	WRITE_ONCE(m->type, XROCE_MPT_MR);
	WRITE_ONCE(m->access, mr->access);
	WRITE_ONCE(m->pd, mr->pd);
	WRITE_ONCE(m->iova, mr->iova);
	WRITE_ONCE(m->length, mr->length);
	/* Written last: a reader that sees this key, and then VALID, sees the rest. */
	smp_store_release(&m->key, mr->key);
	smp_store_release(&m->state, XROCE_MPT_VALID);
}

/* Make an entry invalid before it is written again. */
void xr_mpt_stop(struct xroce_mpt *m)
{
	WRITE_ONCE(m->state, XROCE_MPT_INVALID);
	smp_wmb();	/* INVALID is visible before anything that is written next */
}

/* Make an entry invalid and free it. */
void xr_mpt_clear(struct xroce_mpt *m)
{
	xr_mpt_stop(m);
	WRITE_ONCE(m->key, 0);
	WRITE_ONCE(m->type, 0);
	WRITE_ONCE(m->access, 0);
	WRITE_ONCE(m->pd, 0);
	WRITE_ONCE(m->qpn, 0);
	WRITE_ONCE(m->iova, 0);
	WRITE_ONCE(m->length, 0);
	WRITE_ONCE(m->mr, 0);
	/* FREE is visible after the zeros above. */
	smp_store_release(&m->state, XROCE_MPT_FREE);
}
