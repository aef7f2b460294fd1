/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Responses that the module sends, one queue for each queue pair.
 *
 * The XDP program queues responses under the queue pair's claim, that is, in order. A
 * tasklet sends them, a few packets per run, so that other queue pairs are served, too. If
 * the device has no room, it tries again later. While responses are queued, or if the device
 * loses frames of XDP_TX (xdp_tx.c), xroce_qp::queued is not 0, and the program sends no
 * response itself.
 *
 * A response that the program sends itself leaves the driver at the end of the driver's
 * poll or later. A response queued behind it must not overtake it. A tasklet runs on the CPU
 * that polls, after the poll; a work item could run on the CPU of its previous run, if that
 * has not ended yet. The tasklet is not scheduled again before it has taken the queue's lock
 * (xr_responses::armed), because a run that is just starting would find newer responses.
 */
#ifndef _XR_RESPOND_QUEUE_H
#define _XR_RESPOND_QUEUE_H

#include <linux/types.h>

#include "respond.h"

struct xdp_frame;
struct xr_qp;
struct xroce_response;
struct xroce_stat;

/* Outstanding READs and atomics, at most XROCE_RD_MAX, and acknowledgements between them. */
#define XR_RESPONSE_MAX	256

/**
 * struct xr_response - a queued response and its progress
 * @psn: PSN of the next packet
 * @msn: message sequence number
 * @key: READ: R_Key
 * @left: READ: bytes that remain to be sent
 * @va: READ: address of the next byte
 * @result: atomic: original value
 * @opcode: XROCE_RC_ACK, XROCE_RC_ATOMIC_ACK, or XROCE_RC_READ_RESPONSE_ONLY for any READ
 * @syndrome: syndrome of an XROCE_RC_ACK
 * @begun: the first packet has been built
 * @again: see struct xroce_response
 */
struct xr_response {
	u32 psn;
	u32 msn;
	u32 key;
	u32 left;
	u64 va;
	u64 result;
	u8 opcode;
	u8 syndrome;
	bool begun;
	bool again;
};

static inline struct xr_response *xr_response_at(struct xr_responses *rs, u32 i)
{
	return &rs->response[(rs->head + i) % XR_RESPONSE_MAX];
}

void xr_responses_init(struct xr_responses *rs, struct xr_link *link, u32 qpn);
void xr_responses_open(struct xr_qp *qp);
void xr_responses_reset(struct xr_responses *rs);
void xr_responses_close(struct xr_qp *qp);
void xr_responses_free(struct xr_responses *rs);
void xr_responses_move(struct xr_qp *qp, const u8 *dmac);
int xr_response_queue(struct xr_qp *qp, const struct xroce_response *r,
		   const void *l2, u32 l2_len, bool must);
void xr_response_frame(struct xr_qp *qp, struct xdp_frame *frame);
void xr_response_spare(struct xr_qp *qp, struct xdp_frame *frame);
void xr_response_tell(struct xr_qp *qp, const void *l2, u32 l2_len, u32 psn, u32 msn, u8 syndrome);
void xr_responses_start(struct xr_qp *qp, const void *l2, u32 l2_len);

/* build.c; the lock of the queue is held */
u64 xr_responses_wait(struct xr_responses *rs);
int xr_responses_build(struct xr_qp *qp, int room);

#endif
