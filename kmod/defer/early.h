/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Packets of RC that come before one that is missing: they are kept as deferred frames, and
 * executed when the hole is filled. IBTA 9.7.5.1.1 lets a responder drop them, and most do; then
 * the peer sends everything again.
 *
 * Packets may only be late, so a hole counts as lost after a time that is measured. Then the peer
 * gets a NAK for a sequence error, once for each hole. If it has set XROCE_BTH_SACK, it gets
 * selective acknowledgements (struct xroce_sack) instead, which say what is there.
 *
 * The time is 0 until a packet that had counted as lost turns out to have been late: it came after
 * all, and the one that the peer sent again came, too. It shrinks with each hole that was a loss.
 */
#ifndef _XR_DEFER_EARLY_H
#define _XR_DEFER_EARLY_H

#include <linux/types.h>

#include "frame/batch.h"

struct xdp_buff;
struct xr_defer;
struct xr_deferred;
struct xr_qp;
struct xroce_sack;

/**
 * struct xr_defer_way - the way to the peer
 * @l2: Ethernet header of one of its frames
 * @l2_len: its length in bytes; 0: there was none
 */
struct xr_defer_way {
	u8 l2[XR_TX_L2_ROOM];
	u32 l2_len;
};

void xr_early_came(struct xr_qp *qp, struct xr_deferred *d);
void xr_early_again(struct xr_qp *qp, u32 psn);
bool xr_early_expects(const struct xr_defer *k);
bool xr_early_answers(const struct xr_defer *k);
bool xr_early_waits(const struct xr_qp *qp);
bool xr_early_given_up(const struct xr_defer *k);
bool xr_early_done(struct xr_qp *qp, const struct xr_deferred *d, const struct xdp_buff *xdp);
bool xr_early_tell(struct xr_qp *qp, struct xr_defer_way *way);
bool xr_early_sack(struct xr_qp *qp, struct xroce_sack *sack, u32 *psn, u32 *msn);

#endif
