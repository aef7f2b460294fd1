/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Packets with PSNs from xr_send::una on that have arrived out of order: packets of responses that
 * have been written to memory, and request packets that the peer has executed or keeps. Between
 * them are holes. Packets may only be late, so a hole counts as lost after a measured time,
 * xr_score::reorder: 0 until a packet that was sent again turns out to have been late only. If the
 * last one was only late, or nothing is known yet, only the first hole counts as lost, until it is
 * known whether it was.
 *
 * A hole that counts as lost is sent again (resend.h). The lock of the send side is held for all
 * functions.
 */
#ifndef _XR_SEND_SCORE_H
#define _XR_SEND_SCORE_H

#include <linux/bitops.h>
#include <linux/types.h>

#include "psn.h"
#include "send.h"

struct xr_qp;
struct xr_swqe;

bool xr_score_response(struct xr_qp *qp, u32 psn);
bool xr_score_requests(struct xr_qp *qp, u32 psn, u32 n);
bool xr_score_kept(struct xr_qp *qp, u32 psn, u32 n);
bool xr_score_begin(struct xr_qp *qp);
u32 xr_score_holes(const struct xr_send *s);
void xr_score_origin(struct xr_send *s, const struct xr_swqe *w, u32 psn, u32 opcode);
u32 xr_score_noted(const struct xr_score *c, u32 from, u32 n);
void xr_score_pass(struct xr_send *s, u32 from, bool end, u32 responses);
void xr_score_judge(struct xr_send *s, u64 now);
void xr_score_defer(struct xr_send *s, u32 end);
bool xr_score_again(const struct xr_send *s, u64 now, u64 timeout);
void xr_score_resent(struct xr_send *s, u32 psn, u32 n);
void xr_score_rescan(struct xr_send *s);
void xr_score_reset(struct xr_send *s);

/* True if all request packets from @una to @psn are noted. */
static inline bool xr_score_acked(const struct xr_score *c, u32 una, u32 psn)
{
	return c->open && xr_psn_distance(psn, una) <= xr_psn_distance(c->acked, una);
}

/* True if @psn, which is less than XR_SCORE_PSNS behind xr_send::una, has arrived. */
static inline bool xr_score_has(const struct xr_score *c, u32 psn)
{
	return c->open && test_bit(psn % XR_SCORE_PSNS, c->seen->has);
}

#endif
