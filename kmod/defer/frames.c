// SPDX-License-Identifier: GPL-2.0-only
/* The deferred frames of a queue pair, in order: see frames.h. */
#include <linux/cache.h>
#include <linux/skbuff.h>
#include <linux/timekeeping.h>
#include <net/xdp.h>

#include "xroce_wire.h"

#include "bytes/frame.h"
#include "bytes/icrc.h"
#include "frame/tx.h"
#include "own/limit.h"
#include "qp/qp.h"
#include "send/psn.h"

#include "frames.h"

/* Bytes before the frame. */
#define XR_DEFERRED_ROOM	ALIGN(sizeof(struct xr_deferred), SMP_CACHE_BYTES)

/*
 * Return: the offset of the base transport header; 0: the headers are not inside the first buffer.
 * If the frame has not been admitted, the offset has no meaning.
 */
u32 xr_deferred_bth(const struct xdp_buff *xdp)
{
	u32 linear = xdp->data_end - xdp->data, l3, end;

	if (linear <= sizeof(struct vlan_ethhdr) + VLAN_HLEN)
		return 0;
	l3 = xr_frame_l2_len(xdp->data);
	end = l3 + xr_icrc_headers_len(xr_icrc_ipv6(xdp->data + l3));
	return end <= linear ? end - sizeof(struct xroce_bth) : 0;
}

/**
 * xr_deferred_copy() - copy a frame to memory of our own
 * @xdp: the frame
 *
 * Return: the copy; NULL: no memory, or its headers are not inside the first buffer.
 */
struct xr_deferred *xr_deferred_copy(struct xdp_buff *xdp)
{
	u32 bth = xr_deferred_bth(xdp);
	u32 len = xdp_get_buff_len(xdp), off = 0, n;
	u32 size = SKB_HEAD_ALIGN(XDP_PACKET_HEADROOM + len);
	struct xdp_rxq_info rxq = { .mem.type = MEM_TYPE_PAGE_SHARED };
	const struct xroce_bth *h;
	struct xr_deferred *d;
	struct xdp_buff copy;
	void *from;

	if (!bth)
		return NULL;
	d = xr_tx_alloc(XR_DEFERRED_ROOM + size);
	if (!d)
		return NULL;
	xdp_init_buff(&copy, size, &rxq);
	xdp_prepare_buff(&copy, (void *)d + XR_DEFERRED_ROOM, XDP_PACKET_HEADROOM, len, false);
	while (off < len) {
		from = xr_frame_at(xdp, off, &n);
		n = min(n, len - off);
		memcpy(copy.data + off, from, n);
		off += n;
	}
	/* Of the copy: the frame may change. */
	h = copy.data + bth;
	*d = (struct xr_deferred){
		.frame = xdp_convert_buff_to_frame(&copy),
		.at = ktime_get_ns(),
		.psn = ntohl(h->apsn) & XROCE_PSN_MASK,
		.bth = bth,
		.opcode = h->opcode,
	};
	return d;
}

/**
 * xr_deferred_add() - add a frame in its place, without counting it
 * @qp: the queue pair; the lock of its deferred frames is held
 * @d: the frame
 *
 * Return: NULL; on RC a frame with the same PSN, if there is one, and then @d is not added.
 */
struct xr_deferred *xr_deferred_add(struct xr_qp *qp, struct xr_deferred *d)
{
	struct rb_root_cached *frames = &qp->defer.frames;
	struct rb_node **link = &frames->rb_root.rb_node, *parent = NULL;
	bool sorted = qp->type == XROCE_QPT_RC, first = true;
	struct xr_deferred *at;
	s32 diff = 1;

	lockdep_assert_held(&qp->defer.lock);
	while (*link) {
		parent = *link;
		at = rb_entry(parent, struct xr_deferred, node);
		if (sorted)
			diff = xr_psn_diff(d->psn, at->psn);
		if (!diff)
			return at;
		if (diff < 0) {
			link = &parent->rb_left;
		} else {
			link = &parent->rb_right;
			first = false;
		}
	}
	rb_link_node(&d->node, parent, link);
	rb_insert_color_cached(&d->node, frames, first);
	return NULL;
}

/* Free a frame that has been taken out, and its charge. The lock is held. */
void xr_deferred_free(struct xr_qp *qp, struct xr_deferred *d)
{
	xdp_return_frame(d->frame);
	qp->defer.count--;
	xr_uncharge_deferred(qp->owner);
}
