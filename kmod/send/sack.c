// SPDX-License-Identifier: GPL-2.0-only
/* Selective acknowledgements: see sack.h. The lock of the send side is held. */
#include <linux/bitmap.h>
#include <linux/minmax.h>
#include <net/xdp.h>

#include "xroce_wire.h"

#include "bytes/frame.h"
#include "qp/qp.h"

#include "holes.h"
#include "psn.h"
#include "queue.h"
#include "sack.h"
#include "score.h"

/* Copy it from the frame, which has it, and which may change. */
static void xr_sack_copy(struct xdp_buff *xdp, u32 off, struct xroce_sack *sack)
{
	u32 at = 0, n;
	void *from;

	while (at < sizeof(*sack)) {
		from = xr_frame_at(xdp, off + at, &n);
		n = min_t(u32, n, sizeof(*sack) - at);
		memcpy((void *)sack + at, from, n);
		at += n;
	}
}

/**
 * struct xr_sack - a selective acknowledgement
 * @psn: PSN that the peer expects
 * @lost: packets from there on of which those that are missing are lost
 * @sent: packets from there on that have been sent
 * @bits: those from there on that the peer keeps
 */
struct xr_sack {
	u32 psn;
	u32 lost;
	u32 sent;
	DECLARE_BITMAP(bits, XROCE_SACK_BITS);
};

/*
 * Note the packets @begin to @end, counted from xr_sack::psn, of a WRITE or SEND. Return: false:
 * there is no memory.
 */
static bool xr_sack_packets(struct xr_qp *qp, const struct xr_sack *a, u32 begin, u32 end)
{
	u32 from, to, i;

	for (from = find_next_bit(a->bits, end, begin); from < end;
	     from = find_next_bit(a->bits, end, to)) {
		to = find_next_zero_bit(a->bits, end, from);
		if (!xr_score_kept(qp, xr_psn_add(a->psn, from), to - from))
			return false;
	}
	end = min(end, a->lost);
	for (i = find_next_zero_bit(a->bits, end, begin); i < end;
	     i = find_next_zero_bit(a->bits, end, i + 1))
		xr_holes_miss(&qp->send, xr_psn_add(a->psn, i), xr_psn_add(a->psn, a->lost));
	return true;
}

/* Likewise the parts of a READ, or an atomic: what the peer keeps of them is yet to be answered. */
static void xr_sack_parts(struct xr_qp *qp, const struct xr_sack *a, const struct xr_swqe *w,
			  u32 begin, u32 end)
{
	u32 psn, n = begin;

	while (n < min(end, a->lost)) {
		psn = xr_psn_add(a->psn, n);
		if (!test_bit(n, a->bits))
			xr_holes_miss(&qp->send, psn, xr_psn_add(a->psn, a->lost));
		n = xr_psn_distance(xr_swqe_part_end(w, psn), a->psn);
	}
}

/**
 * xr_sack_note() - note the packets that the peer keeps, and which of the others are lost
 * @qp: the queue pair
 * @psn: PSN that the peer expects, which has been sent and is not acknowledged
 * @xdp: the frame
 * @off: offset of struct xroce_sack in it
 *
 * Packets that have not been sent, or are about to be sent again in order, are ignored.
 *
 * Return: false: there is no memory.
 */
bool xr_sack_note(struct xr_qp *qp, u32 psn, struct xdp_buff *xdp, u32 off)
{
	struct xr_send *s = &qp->send;
	const struct xr_swqe *w;
	struct xroce_sack sack;
	u32 i, begin, end;
	struct xr_sack a;

	if (!xr_score_begin(qp))
		return false;
	xr_holes_pass(s);
	xr_sack_copy(xdp, off, &sack);
	for (i = 0; i < ARRAY_SIZE(sack.bits); i++)
		sack.bits[i] = (__force __be32)ntohl(sack.bits[i]);
	bitmap_from_arr32(a.bits, (__force u32 *)sack.bits, XROCE_SACK_BITS);
	a.psn = psn;
	a.sent = min(xr_psn_distance(s->psn, psn), XROCE_SACK_BITS);
	if (xr_psn_distance(psn, s->una) >= xr_psn_distance(s->psn, s->una))
		return true;
	a.lost = min(ntohl(sack.lost), a.sent);
	/* It is missing, whatever they say. */
	__clear_bit(0, a.bits);
	for (i = s->head; i != s->tail; i++) {
		w = xr_swqe_at(s, i);
		if (!w->begun)
			break;
		if (!xr_swqe_sends(w) || xr_psn_diff(w->last, psn) < 0)
			continue;
		begin = xr_psn_diff(w->psn, psn) > 0 ? xr_psn_distance(w->psn, psn) : 0;
		end = min(xr_psn_distance(w->last, psn) + 1, a.sent);
		if (begin >= a.sent)
			break;
		if (xr_swqe_responds(w))
			xr_sack_parts(qp, &a, w, begin, end);
		else if (!xr_sack_packets(qp, &a, begin, end))
			return false;
	}
	return true;
}
