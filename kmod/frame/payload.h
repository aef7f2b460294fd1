/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Copying bytes of frames and buffers into regions, and of regions into frames. access.h has the
 * checks. Most copies are to pinned memory in one block, and from the first buffer of the frame:
 * for these only the copy itself is not inlined.
 */
#ifndef _XR_FRAME_PAYLOAD_H
#define _XR_FRAME_PAYLOAD_H

#include <linux/io.h>

#include "bytes/frame.h"
#include "bytes/vector.h"
#include "obj/mr.h"
#include "odp/odp.h"

#include "access.h"
#include "source.h"

void xr_mr_move_any(const struct xr_mr *mr, u64 at, struct xdp_buff *xdp, u32 off,
		    u32 len, bool write);
void xr_mr_gather(void *to, struct xdp_buff *xdp, u32 off, u32 len);
int xr_mr_store(const struct xr_mr *mr, u64 va, const void *src, u32 len);

/* Return: address of the byte at @off of @umem, @in bytes into its block. It is resident. */
static inline void *xr_umem_at(const struct xr_umem *umem, u64 off, u64 in)
{
	const u64 *entry = unlikely(umem->sparse) ?
			   xr_odp_sparse_at(umem, off >> PAGE_SHIFT) :
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

/* Copy the first @len bytes of @from into a region. Return: as xr_mr_write(). */
static __always_inline int xr_mr_put(const struct xr_mr *mr, u64 va, const struct xr_source *from,
				     u32 len)
{
	return from->buf ? xr_mr_store(mr, va, from->buf, len) :
			   xr_mr_write(mr, va, from->xdp, from->off, len);
}

#endif
