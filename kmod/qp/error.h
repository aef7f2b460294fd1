/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a queue pair comes to ERR, other than by QP_MODIFY: a packet, a work request or a response
 * has failed, or another owner has got the peer. With bottom halves off, in this order:
 *
 *   xr_qp_end()      the state: xr_qp::failed is set, and the map says ERR. Needs no lock
 *   xr_qp_revoke()   the peer accesses no memory any more. After a failure of the receive side only
 *                    for a consumer in the kernel, by the next step
 *   xr_qp_fail()     the queues are flushed, and an event tells the owner
 *
 * The others are these steps under recv->lock, for one cause each. QP_MODIFY to RESET is the only
 * way out.
 */
#ifndef _XR_QP_ERROR_H
#define _XR_QP_ERROR_H

struct xr_qp;

void xr_qp_end(struct xr_qp *qp);
void xr_qp_revoke(struct xr_qp *qp);
void xr_qp_fail(struct xr_qp *qp);
void xr_qp_fail_locked(struct xr_qp *qp);
void xr_qp_refused(struct xr_qp *qp);
void xr_qp_send_failed(struct xr_qp *qp);
void xr_qp_send_flushed(struct xr_qp *qp);
void xr_qp_grant(struct xr_qp *qp);

#endif
