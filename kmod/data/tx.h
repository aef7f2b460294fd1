/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Frames that the module builds and sends: responses that do not fit the frame of the
 * request or must not overtake earlier ones, and congestion notifications.
 */
#ifndef _XR_TX_H
#define _XR_TX_H

#include <linux/types.h>

struct xdp_frame;
struct xr_qp;
struct xr_tx_batch;
struct xroce_qp;

/**
 * struct xr_tx_packet - one packet of a response, or a congestion notification
 * @l2: Ethernet header with VLAN tags, from us to the peer; XR_TX_L2_ROOM bytes
 * @l2_len: length of that header, in bytes
 * @opcode: enum xroce_rc_opcode, or XROCE_OP_CNP, which uses none of the fields below
 * @syndrome: syndrome of the AETH; unused for XROCE_RC_READ_RESPONSE_MIDDLE
 * @psn: packet sequence number
 * @msn: message sequence number
 * @result: atomic acknowledgement: original value
 * @key: READ response with payload: R_Key of the request
 * @va: READ response with payload: address of the first byte
 * @len: bytes of payload
 * @ahead: bytes of the response after this packet
 * @begin: first packet of the response
 */
struct xr_tx_packet {
	const u8 *l2;
	u32 l2_len;
	u8 opcode;
	u8 syndrome;
	u32 psn;
	u32 msn;
	u64 result;
	u32 key;
	u64 va;
	u32 len;
	u32 ahead;
	bool begin;
};

int xr_tx_build(struct xr_tx_batch *batch, const struct xr_qp *qp,
		const struct xr_tx_packet *p);
int xr_tx_flush(struct xr_tx_batch *batch);
void xr_tx_lend(struct xr_tx_batch *batch, const struct xdp_frame *frame);
void xr_tx_lose(struct xr_tx_batch *batch, struct xdp_frame *frame);
void xr_tx_template(struct xroce_qp *q);
void xr_tx_drop(struct xr_tx_batch *batch);

#endif
