/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Access of the data path to the bytes of regions, with the checks that the XDP program has
 * made before: key, protection domain, rights (xr_rkey_acquire()) and bounds
 * (xr_mr_range()). Most accesses are to pinned memory in one block, and to the first buffer
 * of the frame: for these only the copy is not inlined.
 */
#ifndef _XR_FRAME_PAYLOAD_H
#define _XR_FRAME_PAYLOAD_H

#include <linux/io.h>

#include "bytes/frame.h"
#include "bytes/vector.h"
#include "obj/link.h"
#include "obj/mr.h"
#include "obj/mw.h"
#include "odp/odp.h"
#include "qp/qp.h"

int xr_mr_ready(const struct xr_mr *mr, u64 off, u32 len, bool write);
void xr_mr_miss(const struct xr_mr *mr, u64 va, u32 len, u32 ahead, bool write,
		struct xr_odp_miss *miss);
void xr_mr_move_any(const struct xr_mr *mr, u64 at, struct xdp_buff *xdp, u32 off,
		    u32 len, bool write);
void xr_mr_gather(void *to, struct xdp_buff *xdp, u32 off, u32 len);
int xr_mr_store(const struct xr_mr *mr, u64 va, const void *src, u32 len);

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

/* Return: address of the byte at @off of @umem, @in bytes into its block. It is resident. */
static inline void *xr_umem_at(const struct xr_umem *umem, u64 off, u64 in)
{
	const u64 *entry = unlikely(umem->sparse) ?
			   xr_odp_sparse_at(xr_odp_behind(umem), off >> PAGE_SHIFT) :
			   xr_mtt_at(&umem->mtt, off >> umem->page_shift);

	/* The low bits of an entry are flags of the pool and of on-demand memory. */
	return phys_to_virt((*entry & PAGE_MASK) + in);
}

/*
 * Return: address of the byte at @off of the region. @len: in: bytes wanted; out: bytes of
 * them that are contiguous. They are resident.
 */
static inline void *xr_mr_at(const struct xr_mr *mr, u64 off, u32 *len)
{
	const struct xr_umem *umem = mr->umem;
	u64 block = 1ull << umem->page_shift;
	u64 at = umem->offset + off, in = at & (block - 1);

	*len = min_t(u64, *len, block - in);
	return xr_umem_at(umem, at, in);
}

/* Return: address of a resident range of the region; NULL: it is in several blocks. */
static inline void *xr_mr_whole(const struct xr_mr *mr, u64 off, u32 len)
{
	const struct xr_umem *umem = mr->umem;
	u64 block = 1ull << umem->page_shift;
	u64 at = umem->offset + off, in = at & (block - 1);

	return likely(in + len <= block) ? xr_umem_at(umem, at, in) : NULL;
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

/**
 * xr_mr_write() - copy bytes of a frame into a region
 * @mr: region, held by the caller, who has the right to write to it
 * @va: address of the first byte in the region
 * @xdp: frame
 * @off: offset of the first byte in the frame; the range is inside the frame
 * @len: bytes
 *
 * Nothing is written if an error is returned.
 *
 * Return: 0; -ERANGE: outside the region; -EAGAIN, -EFAULT: as xr_odp_ready().
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

/**
 * struct xr_bytes - bytes to be written to regions
 * @buf: they are here; NULL: in a frame
 * @xdp: the frame, which has them
 * @off: their offset in it
 */
struct xr_bytes {
	const void *buf;
	struct xdp_buff *xdp;
	u32 off;
};

/* Copy the first @len of them into a region: as xr_mr_write(). */
static __always_inline int xr_mr_put(const struct xr_mr *mr, u64 va, const struct xr_bytes *from,
				     u32 len)
{
	return from->buf ? xr_mr_store(mr, va, from->buf, len) :
			   xr_mr_write(mr, va, from->xdp, from->off, len);
}

static __always_inline void xr_bytes_skip(struct xr_bytes *b, u32 n)
{
	b->off += n;
	if (b->buf)
		b->buf += n;
}

#endif
