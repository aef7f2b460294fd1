/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sending single packets again: holes that count as lost (score.h), and probes. Both go before what
 * xr_send::psn says. A READ is requested again from the hole to its end, which a responder takes
 * for a part of a duplicate request (IBTA 9.7.5.1.2).
 *
 * A connection that hears nothing for one to two round-trip times, at least 2 ms, sends the
 * oldest packet that is not acknowledged and the last one again: whatever was lost, a request, its
 * acknowledgement or a NAK, one of them makes the peer say how far it has come. The time doubles
 * with each of the first XR_PROBE_DOUBLE probes, up to the local ACK timeout, which alone counts
 * attempts and ends the connection.
 *
 * A peer cannot have more sent than it has executed, but for a window: xr_score::credit. RNR NAKs:
 * ack.c and wait.c; retry counts: retry.c.
 *
 * The lock of the send side is held for all functions.
 */
#ifndef _XR_SEND_RESEND_H
#define _XR_SEND_RESEND_H

#include <linux/types.h>

#include "psn.h"
#include "send.h"

struct xr_qp;

int xr_resend_step(struct xr_qp *qp);
void xr_resend_watch(struct xr_send *s);
void xr_resend_ask(struct xr_qp *qp);
void xr_resend_probe(struct xr_send *s);
void xr_resend_gap(struct xr_send *s);
bool xr_resend_overdue(struct xr_qp *qp);
u64 xr_resend_period(const struct xr_qp *qp);
void xr_resend_reset(struct xr_send *s);
struct xr_swqe *xr_resend_owner(const struct xr_send *s, u32 psn);

/*
 * True if a hole is to be sent again here. Holes from xr_send::psn on are not: after a rewind
 * everything from there is sent again in order.
 */
static inline bool xr_resend_holes(const struct xr_send *s)
{
	return s->score.open && s->score.credit &&
	       (s->score.seen->due || (s->score.next != s->score.lost &&
				       xr_psn_distance(s->score.next, s->una) <
				       xr_psn_distance(s->psn, s->una)));
}

/* True if xr_resend_step() has a packet to send. */
static inline bool xr_resend_due(const struct xr_send *s)
{
	return s->probe || xr_resend_holes(s);
}

#endif
