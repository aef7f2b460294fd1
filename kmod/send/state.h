/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Changes of the state of a send side, see enum xr_send_state. Under the link's lock, which
 * serialises them; a failure may make it idle meanwhile.
 */
#ifndef _XR_SEND_STATE_H
#define _XR_SEND_STATE_H

#include <linux/types.h>

struct xr_qp;

void xr_send_start(struct xr_qp *qp);
void xr_send_drain(struct xr_qp *qp, bool tell);
void xr_send_stop(struct xr_qp *qp);
void xr_send_reset(struct xr_qp *qp);
void xr_send_quit(struct xr_qp *qp);
void xr_send_close(struct xr_qp *qp);
void xr_send_move(struct xr_qp *qp, const u8 *dmac);

#endif
