// SPDX-License-Identifier: GPL-2.0-only
/*
 * Entries are written in place, under the link's lock, or of a window under its
 * own. The state is written last when an entry appears and first when it goes.
 */
#include <linux/bpf.h>

#include "xroce_map.h"

#include "link.h"
#include "mpt.h"
#include "mr.h"
#include "mw.h"
#include "pd.h"

/* Array elements stay where they are as long as the map lives. */
struct xroce_mpt *xr_mpt_entry(const struct xr_link *link, u32 index)
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
	WRITE_ONCE(m->length, mr->umem->length);
	/* After all the rest: who sees the key, and then VALID, sees it. */
	smp_store_release(&m->key, mr->key);
	smp_store_release(&m->state, XROCE_MPT_VALID);
}

static u32 xr_mpt_type(const struct xr_mw *mw)
{
	switch (mw->type) {
	case XROCE_MW_TYPE_1:
		return XROCE_MPT_MW_1;
	case XROCE_MW_TYPE_2A:
		return XROCE_MPT_MW_2A;
	default:
		return XROCE_MPT_MW_2B;
	}
}

static void xr_mpt_put_mw(const struct xr_mw *mw)
{
	struct xroce_mpt *m = mw->map;

	WRITE_ONCE(m->key, mw->key);
	WRITE_ONCE(m->type, xr_mpt_type(mw));
	WRITE_ONCE(m->access, mw->access);
	WRITE_ONCE(m->pd, mw->pd->id);
	WRITE_ONCE(m->qpn, mw->qpn);
	WRITE_ONCE(m->iova, mw->addr);
	WRITE_ONCE(m->length, mw->length);
	WRITE_ONCE(m->mr, mw->mr ? mw->mr->key >> XROCE_KEY_SHIFT : 0);
}

/**
 * xr_mpt_bind_mw() - let peers reach what a window is bound to
 * @mw: the window; its lock is held, and it can be used already
 */
void xr_mpt_bind_mw(const struct xr_mw *mw)
{
	xr_mpt_put_mw(mw);
	/* After all the rest: who sees VALID sees it. */
	smp_store_release(&mw->map->state, XROCE_MPT_VALID);
}

/**
 * xr_mpt_stop_mw() - let peers through a window no more
 * @mw: the window; its lock is held; the entry is to be written again
 */
void xr_mpt_stop_mw(const struct xr_mw *mw)
{
	WRITE_ONCE(mw->map->state, XROCE_MPT_INVALID);
	smp_wmb();	/* no reader sees VALID with what follows */
}

/**
 * xr_mpt_unbind_mw() - show a window that is bound to nothing
 * @mw: the window; its lock is held, or nobody else has it yet
 */
void xr_mpt_unbind_mw(const struct xr_mw *mw)
{
	xr_mpt_put_mw(mw);
	/* Not FREE any more, after all the rest. */
	smp_store_release(&mw->map->state, XROCE_MPT_INVALID);
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
	WRITE_ONCE(m->qpn, 0);
	WRITE_ONCE(m->iova, 0);
	WRITE_ONCE(m->length, 0);
	WRITE_ONCE(m->mr, 0);
	/* The next owner's writes come after ours. */
	smp_store_release(&m->state, XROCE_MPT_FREE);
}
