/* SPDX-License-Identifier: GPL-2.0-only */
/* What is known of holes among the packets of a peer; gap.c judges them. */
#ifndef _XR_DEFER_HOLE_H
#define _XR_DEFER_HOLE_H

#include <linux/limits.h>
#include <linux/types.h>

#include "way.h"

/* Holes that were filled last, whose packets may come once more. */
#define XR_EARLY_FILLED		16u

#define XR_EARLY_NO_NAK		U32_MAX

/**
 * struct xr_early - what is known of holes among the packets of a peer (RC)
 * @sack: the peer understands selective acknowledgements
 * @ask: the peer is to get a selective acknowledgement
 * @sure: the last hole that was filled had been a loss, and its packet was not late only
 * @silent: the last frame was executed without a response
 * @done: PSN after that of the last frame that was executed
 * @back: when the peer last went back, in nanoseconds of CLOCK_MONOTONIC: it sends what was kept
 *	before that again
 * @ahead: the frame that is being executed, or was the last one, is one of those
 * @edge: PSN of the last frame that came in order
 * @came: a frame has come after it, out of order, and the work item has not ended since
 * @owed: way of an acknowledgement up to @done that has still to be sent
 * @owed_since: since when the peer has sent nothing again, in nanoseconds of CLOCK_MONOTONIC
 * @again: what xroce_qp::duplicates was then
 * @rnr: PSN of the last RNR NAK | XR_EARLY_RNR; written under the claim
 * @nak: PSN of the last sequence NAK, or XR_EARLY_NO_NAK; likewise
 * @lost: holes before this PSN count as lost, if it is after the expected PSN
 * @until: PSN behind the frames that were there at @since
 * @since: when the first hole that does not count as lost was noticed, in nanoseconds of
 *	CLOCK_MONOTONIC; 0: there is none
 * @reorder: time after which a hole counts as lost, in nanoseconds; measured, see gap.h
 * @filled: the last holes that had counted as lost and were filled: PSN, and how long they existed.
 *	A ring; @filled.ns is 0 if there is none
 * @filled.since: it was filled by a packet that was sent again: when it had appeared, in
 *	nanoseconds of CLOCK_MONOTONIC; 0: that is not known
 * @fills: number of entries written to @filled, whose remainder is the position of the next one
 * @port: UDP source port of the last frame that was not sent again, as in the packet
 * @ports: such frames have had different source ports
 */
struct xr_early {
	bool sack;
	bool ask;
	bool sure;
	bool silent;
	bool ahead;
	bool came;
	u32 edge;
	u32 done;
	u64 back;
	struct xr_defer_way owed;
	u64 owed_since;
	u64 again;
	u32 rnr;
	u32 nak;
	u32 lost;
	u32 until;
	u64 since;
	u32 reorder;
	struct {
		u32 psn;
		u32 ns;
		u64 since;
	} filled[XR_EARLY_FILLED];
	u8 fills;
	bool ports;
	__be16 port;
};

#endif
