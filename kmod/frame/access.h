/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether the data path may access a range of a region now. These are the checks that the XDP
 * program has made before: key, protection domain and rights (xr_rkey_acquire()), bounds
 * (xr_mr_range()); and whether the memory is resident.
 */
#ifndef _XR_FRAME_ACCESS_H
#define _XR_FRAME_ACCESS_H

#include <linux/compiler.h>
#include <linux/types.h>

#include "obj/link.h"
#include "obj/mr.h"
#include "obj/mw.h"
#include "odp/odp.h"
#include "qp/qp.h"

int xr_mr_ready(const struct xr_mr *mr, u64 off, u32 len, bool write);
void xr_mr_miss(const struct xr_mr *mr, u64 va, u32 len, u32 ahead, bool write,
		struct xr_odp_miss *miss);

/**
 * xr_rkey_acquire() - find the region that an R_Key gives access to, and hold it
 * @qp: queue pair whose peer has sent the key
 * @va: address of the first byte
 * @key: R_Key of a region or window, all 32 bits
 * @len: bytes. Checked against a window's bounds; the caller checks those of a region
 * @right: the XROCE_ACCESS_REMOTE_* that is needed
 *
 * Protection domain and rights of queue pair, region and window are checked here again,
 * because the XDP program has read them from maps, which others can write. A remote right
 * to write implies local write (xr_access_ok(), xr_mw_region()).
 *
 * Context and Return: as xr_mr_acquire(), which is for L_Keys.
 */
static __always_inline struct xr_mr *xr_rkey_acquire(const struct xr_qp *qp, u64 va,
						  u32 key, u32 len, u32 right)
{
	struct xr_mr *mr = xr_mr_acquire(qp->link, key);

	if (unlikely(!mr))
		return xr_mw_acquire(qp, va, key, len, right);
	if (likely(mr->pd == qp->pd &&
		   READ_ONCE(mr->access) & READ_ONCE(qp->access) & right))
		return mr;
	xr_mr_release();
	return NULL;
}

/* Find the offset of a range in the region. Return: 0, or -ERANGE: it is not inside. */
static inline int xr_mr_offset(const struct xr_mr *mr, u64 va, u32 len, u64 *off)
{
	*off = va - mr->iova;
	/* If @va is below the region, the difference wraps and is too large. */
	return *off > mr->umem->length || len > mr->umem->length - *off ? -ERANGE : 0;
}

/*
 * True if a range of on-demand memory is in a single resident page of a region with a table (not
 * an implicit one), and its process still exists.
 */
static inline bool xr_mr_resident(const struct xr_mr *mr, u64 off, u32 len, u64 rights)
{
	const struct xr_umem *umem = mr->umem;
	u64 first = (umem->offset + off) >> PAGE_SHIFT;

	return !umem->sparse &&
	       first == (umem->offset + off + len - 1) >> PAGE_SHIFT &&
	       (READ_ONCE(*xr_mtt_at(&umem->mtt, first)) & rights) == rights &&
	       !xr_odp_reaped(xr_odp_behind(umem));
}

/**
 * xr_mr_range() - find a range of a region, and check that it is resident
 * @mr: region, held by the caller
 * @va: address of the first byte in the region
 * @len: bytes
 * @write: the access writes; a constant
 * @at: out: offset of the range in the region
 *
 * Return: 0; -ERANGE: outside the region; -EAGAIN, -EFAULT: as xr_odp_ready().
 */
static __always_inline int xr_mr_range(const struct xr_mr *mr, u64 va, u32 len,
				       bool write, u64 *at)
{
	if (unlikely(xr_mr_offset(mr, va, len, at)))
		return -ERANGE;
	if (unlikely(mr->umem->on_demand) && len &&
	    !xr_mr_resident(mr, *at, len, write ? XR_ODP_RIGHTS : XR_ODP_READ))
		return xr_mr_ready(mr, *at, len, write);
	return 0;
}

#endif
