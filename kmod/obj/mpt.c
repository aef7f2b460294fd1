// SPDX-License-Identifier: GPL-2.0-only
/*
 * Entries are written in place, under the link's lock, or of a window under its
 * own. The state is written last when an entry appears and first when it goes.
 */
#include <linux/bpf.h>

#include "xroce_map.h"

#include "mpt.h"

/* Array elements stay where they are as long as the map lives. */
struct xroce_mpt *xr_mpt_entry(struct bpf_map *map, u32 index)
{
	struct xroce_mpt *m;

	rcu_read_lock();
	m = map->ops->map_lookup_elem(map, &index);
	rcu_read_unlock();
	return m;
}

/**
 * xr_mpt_put_mr() - let peers reach a region
 * @m: its entry
 * @mr: what is to be there, which is valid; the module's own table has it already
 *
 * The entry may hold the region as it was, under another key: who reads the old
 * key with any of what follows is refused by the module, which has it no more.
 */
void xr_mpt_put_mr(struct xroce_mpt *m, const struct xroce_mpt *mr)
{
	xr_mpt_stop(m);
	WRITE_ONCE(m->type, XROCE_MPT_MR);
	WRITE_ONCE(m->access, mr->access);
	WRITE_ONCE(m->pd, mr->pd);
	WRITE_ONCE(m->iova, mr->iova);
	WRITE_ONCE(m->length, mr->length);
	/* After all the rest: who sees the key, and then VALID, sees it. */
	smp_store_release(&m->key, mr->key);
	smp_store_release(&m->state, XROCE_MPT_VALID);
}

/* Let peers reach it no more; it is to be written again. */
void xr_mpt_stop(struct xroce_mpt *m)
{
	WRITE_ONCE(m->state, XROCE_MPT_INVALID);
	smp_wmb();	/* no reader sees VALID with what follows */
}

/* Let peers reach it no more, for good. */
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
	/* The next owner's writes come after ours. */
	smp_store_release(&m->state, XROCE_MPT_FREE);
}
