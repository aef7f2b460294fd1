/* SPDX-License-Identifier: GPL-2.0-only */
/* Packets of requests: headers, and the message out of local memory. */
#ifndef _XR_SEND_PACKET_H
#define _XR_SEND_PACKET_H

#include <linux/types.h>

struct xdp_buff;
struct xr_qp;
struct xr_send;
struct xr_swqe;

/**
 * struct xr_request - one packet of a request
 * @w: the work request
 * @off: bytes of the message before this packet; READ: bytes received already
 * @len: payload bytes, which are followed by a pad
 * @want: READ: bytes that are requested
 * @psn: PSN
 * @again: attempts before; beyond the first one it may count others
 * @ack: request an acknowledgement
 */
struct xr_request {
	const struct xr_swqe *w;
	u32 off;
	u32 len;
	u32 want;
	u32 psn;
	u32 again;
	bool ack;
};

u32 xr_request_want(const struct xr_qp *qp, const struct xr_swqe *w, u32 psn, u32 end);
void xr_request_ecn(struct xr_qp *qp, bool listens);
void xr_request_template(struct xr_qp *qp);
void xr_request_sack(struct xr_send *s);
void xr_request_again(struct xr_send *s);
int xr_request_build(struct xr_qp *qp, const struct xr_request *r);
int xr_request_local(struct xr_qp *qp, const struct xr_swqe *w);
int xr_request_scatter(struct xr_qp *qp, const struct xr_swqe *w, u32 pos, struct xdp_buff *xdp,
		       u32 off, u32 len);
int xr_request_result(struct xr_qp *qp, const struct xr_swqe *w, const u64 *result);

#endif
