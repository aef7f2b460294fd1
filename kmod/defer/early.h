/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Packets of RC that come before one that is missing: they are kept as deferred frames, and
 * executed when the hole is filled. IBTA 9.7.5.1.1 lets a responder drop them, and most do; then
 * the peer sends everything again.
 *
 * Once a hole counts as lost (gap.h), the peer gets a NAK for a sequence error, once for each
 * packet that is missing. If it has set XROCE_BTH_SACK, it gets selective acknowledgements (struct
 * xroce_sack) instead, which say what is there. When the hole is filled, the frames are executed in
 * order, with one acknowledgement. A peer that goes back for a NAK sends the READ requests among
 * them again, and these have two responses then; so the first of them is dropped with all that is
 * behind it.
 *
 * A peer that goes back may lose its position by an acknowledgement of what it has yet to send
 * again. rxe of Linux 6.12 then waits forever if the last packet is lost, because its timer is off
 * (check_psn() and reset_retry_timer() of rxe_comp.c). So what was kept is not acknowledged before
 * the peer comes to it, unless it sends nothing again for XR_EARLY_QUIET.
 */
#ifndef _XR_DEFER_EARLY_H
#define _XR_DEFER_EARLY_H

#include <linux/types.h>

struct xdp_buff;
struct xr_defer_way;
struct xr_deferred;
struct xr_early;
struct xr_qp;

void xr_early_begin(struct xr_early *e, const struct xr_deferred *d);
bool xr_early_done(struct xr_qp *qp, const struct xr_deferred *d, const struct xdp_buff *xdp);
bool xr_early_tell(struct xr_qp *qp, struct xr_defer_way *way);

#endif
