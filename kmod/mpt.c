// SPDX-License-Identifier: GPL-2.0-only
/*
 * Entries are written in place, under the link's lock. The state is written
 * last when an entry appears and first when it goes.
 */
#include <linux/bpf.h>

#include "xroce_map.h"

#include "link.h"
#include "mpt.h"
#include "mr.h"
#include "pd.h"

/* Array elements stay where they are as long as the map lives. */
static struct xroce_mpt *xr_mpt_entry(const struct xr_link *link, u32 index)
{
	struct xroce_mpt *m;

	rcu_read_lock();
	m = link->mpt_map->ops->map_lookup_elem(link->mpt_map, &index);
	rcu_read_unlock();
	return m;
}

/**
 * xr_mpt_set_mr() - let peers reach a region
 * @link: where
 * @mr: the region; the module's own table has it already
 *
 * The entry may hold the region as it was, under another key: who reads the old
 * key with any of what follows is refused by the module, which has it no more.
 */
void xr_mpt_set_mr(struct xr_link *link, const struct xr_mr *mr)
{
	struct xroce_mpt *m = xr_mpt_entry(link, mr->key >> XROCE_KEY_SHIFT);

	WRITE_ONCE(m->state, XROCE_MPT_INVALID);
	/* No reader sees VALID with what follows. */
	smp_wmb();
	WRITE_ONCE(m->type, XROCE_MPT_MR);
	WRITE_ONCE(m->access, mr->access);
	WRITE_ONCE(m->pd, mr->pd->id);
	WRITE_ONCE(m->iova, mr->iova);
	WRITE_ONCE(m->length, mr->pin->length);
	/* After all the rest: who sees the key, and then VALID, sees it. */
	smp_store_release(&m->key, mr->key);
	smp_store_release(&m->state, XROCE_MPT_VALID);
}

/**
 * xr_mpt_clear() - let peers reach it no more
 * @link: where
 * @index: the entry
 */
void xr_mpt_clear(struct xr_link *link, u32 index)
{
	struct xroce_mpt *m = xr_mpt_entry(link, index);

	WRITE_ONCE(m->state, XROCE_MPT_INVALID);
	smp_wmb();	/* no reader sees VALID with what follows */
	WRITE_ONCE(m->key, 0);
	WRITE_ONCE(m->type, 0);
	WRITE_ONCE(m->access, 0);
	WRITE_ONCE(m->pd, 0);
	WRITE_ONCE(m->iova, 0);
	WRITE_ONCE(m->length, 0);
	/* The next owner's writes come after ours. */
	smp_store_release(&m->state, XROCE_MPT_FREE);
}
