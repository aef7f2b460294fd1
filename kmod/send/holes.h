/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Request packets that the peer misses, according to its selective acknowledgements (sack.h), or to
 * its first NAK. Each is sent again once, by itself; and once more if something that was sent later
 * counts as lost or has arrived, or if nothing is heard of it. It is remembered until it is
 * acknowledged, so that a peer cannot have it sent more often.
 *
 * The functions need xr_score::seen, and the lock of the send side.
 */
#ifndef _XR_SEND_HOLES_H
#define _XR_SEND_HOLES_H

#include <linux/types.h>

#include "send.h"

void xr_holes_miss(struct xr_send *s, u32 psn, u32 lost);
void xr_holes_pass(struct xr_send *s);
bool xr_holes_next(const struct xr_send *s, u32 *psn, u32 *tries);
bool xr_holes_had(const struct xr_send *s, u32 psn);
void xr_holes_sent(struct xr_send *s, u32 psn);
void xr_holes_overdue(struct xr_send *s, u64 now, u64 timeout);
void xr_holes_reset(struct xr_send *s);

#endif
