/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Responses that wait to be sent, a queue for each queue pair.
 *
 * The XDP program queues them under the queue pair's claim, so in order. A tasklet
 * sends them: a few packets a run, so that others get their turn, and a device
 * without room is tried again later. While anything waits the map says so
 * (xroce_qp::queued), and the program answers nothing itself.
 *
 * What the program has answered itself leaves the driver no sooner than the end
 * of its poll. What is queued behind it must not go before: so a tasklet, which
 * runs on the CPU that polls, after the poll. A work item would run where its
 * last run has not ended yet. And it is told only once to run: told again
 * while it starts, it would find what came since.
 */
#ifndef _XR_RESPONSE_H
#define _XR_RESPONSE_H

#include <linux/types.h>

struct xdp_frame;
struct xr_qp;
struct xr_responses;
struct xroce_response;
struct xroce_stat;

/* READs and atomics that may be outstanding, and acknowledgements between. */
#define XR_RESPONSE_MAX	256

/**
 * struct xr_response - a response, and how far it has got
 * @psn: of the next packet
 * @msn: message sequence number
 * @key: READ: R_Key
 * @left: READ: bytes to send
 * @va: READ: next byte
 * @result: atomic: what was there
 * @opcode: XROCE_RC_ACK, XROCE_RC_ATOMIC_ACK, XROCE_RC_READ_RESPONSE_ONLY
 * @syndrome: of XROCE_RC_ACK
 * @begun: its first packet has been sent
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
};

void xr_responses_init(struct xr_responses *rs, struct xroce_stat __percpu *stat);
void xr_responses_open(struct xr_responses *rs);
void xr_responses_reset(struct xr_responses *rs);
void xr_responses_close(struct xr_qp *qp);
void xr_responses_free(struct xr_responses *rs);
int xr_response_queue(struct xr_qp *qp, const struct xroce_response *r,
		   const void *l2, u32 l2_len, bool must);
void xr_response_frame(struct xr_qp *qp, struct xdp_frame *frame);
void xr_response_rnr(struct xr_qp *qp, const void *l2, u32 l2_len, u32 psn,
		  u32 msn);
void xr_responses_start(struct xr_qp *qp, const void *l2, u32 l2_len);

#endif
