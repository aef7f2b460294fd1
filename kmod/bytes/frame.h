/* SPDX-License-Identifier: GPL-2.0-only */
/* The bytes of an XDP frame, which may have fragments. */
#ifndef _XR_FRAME_H
#define _XR_FRAME_H

#include <linux/if_vlan.h>
#include <linux/skbuff.h>
#include <net/xdp.h>

#include "xroce_kfunc.h"

/* Bytes of the Ethernet header, with VLAN tags, of a frame that we have made or admitted. */
static inline u32 xr_frame_l2_len(const void *frame)
{
	const struct vlan_ethhdr *eth = frame;

	if (!eth_type_vlan(eth->h_vlan_proto))
		return ETH_HLEN;
	return eth_type_vlan(eth->h_vlan_encapsulated_proto) ? ETH_HLEN + 2 * VLAN_HLEN :
							       VLAN_ETH_HLEN;
}

/* True if a range is inside the first buffer of the frame. */
static inline bool xr_frame_linear(const struct xdp_buff *xdp, u32 off, u32 len)
{
	return (u64)off + len <= xdp->data_end - xdp->data;
}

/* See XROCE_FRAME_ODD. */
static inline bool xr_frame_odd(const struct xdp_buff *xdp)
{
	return (unsigned long)xdp->data_hard_start & 1;
}

/* Return: XROCE_FRAME_* of a frame. */
static inline int xr_frame_flags(struct xdp_buff *xdp)
{
	return (xdp_buff_has_frags(xdp) ? XROCE_FRAME_FRAGS : 0) |
	       (xr_frame_odd(xdp) ? XROCE_FRAME_ODD : 0);
}

/**
 * xr_frame_has() - check that a range is inside the frame
 * @xdp: frame
 * @off: offset of its first byte
 * @len: bytes
 */
static inline bool xr_frame_has(struct xdp_buff *xdp, u32 off, u32 len)
{
	return likely(xr_frame_linear(xdp, off, len)) ||
	       (u64)off + len <= xdp_get_buff_len(xdp);
}

/* Cut the frame to the length of a response, if that is possible: see xroce_write::cut. */
static __always_inline void xr_frame_cut(struct xdp_buff *xdp, u32 len)
{
	if (likely(len >= ETH_HLEN && len <= xdp->data_end - xdp->data &&
		   !xr_frame_flags(xdp)))
		xdp->data_end = xdp->data + len;
}

/**
 * xr_frame_resize() - change the length of a frame
 * @xdp: frame
 * @headers: bytes at the beginning that are preserved; they are inside the first buffer
 * @want: the new length; the content after the headers is undefined
 *
 * Like bpf_xdp_adjust_tail(), but does not clear new bytes. If there is no room at the end,
 * like bpf_xdp_adjust_head().
 *
 * Return: false: there is no room, or the frame has one of XROCE_FRAME_*; it is unchanged.
 */
static inline bool xr_frame_resize(struct xdp_buff *xdp, u32 headers, u32 want)
{
	void *data = xdp->data, *hard_end = xdp_data_hard_end(xdp), *begin;

	if (unlikely(xdp_buff_has_frags(xdp) || xr_frame_odd(xdp)))
		return false;
	if (likely(want <= hard_end - data)) {
		xdp->data_end = data + want;
		return true;
	}
	begin = xdp->data_end - want;
	if (begin < xdp->data_hard_start + sizeof(struct xdp_frame) ||
	    (!xdp_data_meta_unsupported(xdp) && xdp->data_meta != data))
		return false;
	memmove(begin, data, headers);
	xdp->data = begin;
	xdp->data_meta -= data - begin;
	return true;
}

/**
 * xr_frame_at() - find a byte of the frame
 * @xdp: frame
 * @off: offset of the byte; it is inside the frame
 * @len: out: contiguous bytes from there on, at least 1
 *
 * Return: the address of the byte.
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
