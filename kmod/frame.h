/* SPDX-License-Identifier: GPL-2.0-only */
/* The bytes of an XDP frame, which may be in several fragments. */
#ifndef _XR_FRAME_H
#define _XR_FRAME_H

#include <linux/skbuff.h>
#include <net/xdp.h>

#include "xroce_kfunc.h"

/* Is a range inside the first buffer of the frame? */
static inline bool xr_frame_linear(const struct xdp_buff *xdp, u32 off, u32 len)
{
	return (u64)off + len <= xdp->data_end - xdp->data;
}

/* See XROCE_FRAME_ODD. */
static inline bool xr_frame_odd(const struct xdp_buff *xdp)
{
	return (unsigned long)xdp->data_hard_start & 1;
}

/* XROCE_FRAME_* of a frame. */
static inline int xr_frame_flags(struct xdp_buff *xdp)
{
	return (xdp_buff_has_frags(xdp) ? XROCE_FRAME_FRAGS : 0) |
	       (xr_frame_odd(xdp) ? XROCE_FRAME_ODD : 0);
}

/**
 * xr_frame_has() - is a range inside the frame?
 * @xdp: frame
 * @off: offset of its first byte
 * @len: bytes
 */
static inline bool xr_frame_has(struct xdp_buff *xdp, u32 off, u32 len)
{
	return likely(xr_frame_linear(xdp, off, len)) ||
	       (u64)off + len <= xdp_get_buff_len(xdp);
}

/**
 * xr_frame_at() - find a byte of the frame
 * @xdp: frame
 * @off: offset of the byte; it is inside the frame
 * @len: out: bytes from there on that lie together, at least 1
 *
 * Return: where it is.
 */
static inline void *xr_frame_at(struct xdp_buff *xdp, u32 off, u32 *len)
{
	u32 linear = xdp->data_end - xdp->data;
	const struct skb_shared_info *sinfo;
	const skb_frag_t *frag;

	if (likely(off < linear)) {
		*len = linear - off;
		return xdp->data + off;
	}
	off -= linear;
	sinfo = xdp_get_shared_info_from_buff(xdp);
	frag = sinfo->frags;
	while (off >= skb_frag_size(frag) &&
	       frag < sinfo->frags + sinfo->nr_frags - 1)
		off -= skb_frag_size(frag++);
	*len = skb_frag_size(frag) - off;
	return skb_frag_address(frag) + off;
}

#endif
