/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How the data path comes to a region's bytes. Most are pinned, in one block, and in
 * the first buffer of the frame: for these nothing is called but the copy.
 */
#ifndef _XR_MR_COPY_H
#define _XR_MR_COPY_H

#include <linux/io.h>

#include "bytes/frame.h"
#include "bytes/vector.h"
#include "obj/link.h"
#include "obj/mr.h"
#include "obj/mw.h"
#include "obj/qp.h"
#include "odp/odp.h"

int xr_mr_ready(const struct xr_mr *mr, u64 off, u32 len, bool write);
void xr_mr_miss(const struct xr_mr *mr, u64 va, u32 len, u32 ahead, bool write,
		struct xr_odp_miss *miss);
void xr_mr_move_any(const struct xr_mr *mr, u64 at, struct xdp_buff *xdp, u32 off,
		    u32 len, bool write);
void xr_mr_gather(void *to, struct xdp_buff *xdp, u32 off, u32 len);
int xr_mr_store(const struct xr_mr *mr, u64 va, const void *src, u32 len);

/**
 * xr_rkey_acquire() - find the region behind an R_Key, and keep its pages
 * @qp: queue pair whose peer has sent the key
 * @va: first byte
 * @key: all 32 bits: a region's or a window's
 * @len: bytes; of a region the caller checks the bounds
 * @right: the XROCE_ACCESS_REMOTE_* that is needed
 *
 * Protection domain and rights of queue pair, region and window are looked at here, as
 * the maps "mpt" and "qp", by which the XDP program has judged, may say something else.
 * A remote right to write implies local write (xr_access_ok(), xr_mw_region()).
 *
 * Otherwise as xr_mr_acquire(), which is for L_Keys.
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

/* A byte of the pinned pages, which is @in bytes into its block. Its memory is there. */
static inline void *xr_umem_at(const struct xr_umem *umem, u64 off, u64 in)
{
	const u64 *entry = unlikely(umem->sparse) ?
			   xr_odp_sparse_at(xr_odp_behind(umem), off >> PAGE_SHIFT) :
			   xr_mtt_at(&umem->mtt, off >> umem->page_shift);

	/* The low bits of an entry are those of on-demand memory. */
	return phys_to_virt((*entry & PAGE_MASK) + in);
}

/* A byte of the region, and up to @len of them that lie together. Its memory is there. */
static inline void *xr_mr_at(const struct xr_mr *mr, u64 off, u32 *len)
{
	const struct xr_umem *umem = mr->umem;
	u64 block = 1ull << umem->page_shift;
	u64 at = umem->offset + off, in = at & (block - 1);

	*len = min_t(u64, *len, block - in);
	return xr_umem_at(umem, at, in);
}

/* A range of the region. Its memory is there. Return: NULL: it is in several pieces. */
static inline void *xr_mr_whole(const struct xr_mr *mr, u64 off, u32 len)
{
	const struct xr_umem *umem = mr->umem;
	u64 block = 1ull << umem->page_shift;
	u64 at = umem->offset + off, in = at & (block - 1);

	return likely(in + len <= block) ? xr_umem_at(umem, at, in) : NULL;
}

/* Where a range begins in the region, or -ERANGE: it is not inside. */
static inline int xr_mr_offset(const struct xr_mr *mr, u64 va, u32 len, u64 *off)
{
	*off = va - mr->iova;
	/* It wraps when @va lies before the region, and is too large then. */
	return *off > mr->umem->length || len > mr->umem->length - *off ? -ERANGE : 0;
}

/*
 * Is a range of on-demand memory in a single page that is there, and not in a tree, and
 * has its process not been reaped?
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
 * xr_mr_range() - find a range of a region, and see that its memory is there
 * @mr: held by the caller
 * @va: address of the first byte in the region
 * @len: bytes
 * @write: a constant: it is to be written to
 * @at: out: where the range begins in the region
 *
 * Return: 0; -ERANGE: outside the region; -EAGAIN, -EFAULT: as of xr_odp_ready().
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

/**
 * xr_mr_write() - copy bytes of a frame into a region
 * @mr: held by the caller, who may write to it
 * @va: address of the first byte in the region
 * @xdp: frame
 * @off: offset of the first byte in the frame; the range is inside it
 * @len: bytes
 *
 * Return: 0; -ERANGE: outside the region; -EAGAIN, -EFAULT: as of xr_odp_ready(), and
 * nothing is written.
 */
static __always_inline int xr_mr_write(const struct xr_mr *mr, u64 va,
				       struct xdp_buff *xdp, u32 off, u32 len)
{
	void *mem;
	int ret;
	u64 at;

	ret = xr_mr_range(mr, va, len, true, &at);
	if (unlikely(ret || !len))
		return ret;
	mem = xr_mr_whole(mr, at, len);
	if (unlikely(!mem))
		xr_mr_move_any(mr, at, xdp, off, len, true);
	else if (likely(xr_frame_linear(xdp, off, len)))
		xr_copy(mem, xdp->data + off, len);
	else
		xr_mr_gather(mem, xdp, off, len);
	return 0;
}

#endif
