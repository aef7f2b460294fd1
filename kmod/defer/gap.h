/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Holes among the packets of a peer on RC, before the frames that are kept (early.h): which of them
 * are lost.
 *
 * Packets may only be late, so a hole counts as lost after a measured time, xr_early::reorder. The
 * time is 0 until a packet that had counted as lost turns out to have been late, and shrinks with
 * each hole that was a loss.
 *
 * A late packet is recognised in one of two ways. Peers that know selective acknowledgements mark
 * the packets that they send again (XROCE_BTH_AGAIN): a packet without the mark was late. Of other
 * peers two copies of the packet arrive. Two copies count also for peers with several paths
 * (send/paths.h): the copy that is sent again takes another path, and may overtake the first one.
 *
 * The lock of the deferred frames is held, but for functions that say otherwise.
 */
#ifndef _XR_DEFER_GAP_H
#define _XR_DEFER_GAP_H

#include <linux/time64.h>
#include <linux/types.h>

struct xr_defer;
struct xr_deferred;
struct xr_early;
struct xr_qp;
struct xroce_sack;

/* Bounds of xr_early::reorder, in nanoseconds. A time below MIN is stored as 0. */
#define XR_EARLY_REORDER_MIN	(50ull * NSEC_PER_USEC)
#define XR_EARLY_REORDER_MAX	(200ull * NSEC_PER_MSEC)

/*
 * If a hole is filled after this time, in nanoseconds, the peer has gone back after its ACK
 * timeout, which is 67 ms in most programs.
 */
#define XR_EARLY_TIMEOUT	(16ull * NSEC_PER_MSEC)

/* A peer that goes back has come to its end if it sends nothing again for this time. */
#define XR_EARLY_QUIET	(10ull * NSEC_PER_MSEC)

/* Frames are kept for this time without progress, in nanoseconds. */
#define XR_EARLY_HOLD	(2ull * NSEC_PER_SEC)

u32 xr_gap_epsn(const struct xr_qp *qp);
bool xr_gap_waits(const struct xr_qp *qp);
bool xr_gap_given_up(const struct xr_defer *k);
bool xr_gap_came(struct xr_qp *qp, struct xr_deferred *d);
void xr_gap_again(struct xr_qp *qp, u32 psn, bool marked);
void xr_gap_twice(struct xr_qp *qp, const struct xr_deferred *d);
bool xr_gap_expects(const struct xr_defer *k);
bool xr_gap_judge(struct xr_qp *qp, u32 epsn);
bool xr_gap_answers(const struct xr_defer *k);

/* Without the lock. The claim is held for the first three. */
bool xr_gap_unanswered(const struct xr_qp *qp);
void xr_gap_nak(struct xr_qp *qp, u32 psn, u8 syndrome);
bool xr_gap_refused(const struct xr_qp *qp);
bool xr_gap_sack(struct xr_qp *qp, struct xroce_sack *sack, u32 *psn, u32 *msn);

#endif
