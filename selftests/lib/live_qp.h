/* SPDX-License-Identifier: GPL-2.0-only */
/* Queue pairs of the real module in any state. */
#ifndef XROCE_LIVE_QP_H
#define XROCE_LIVE_QP_H

#include "live.h"

/* Attributes that the transition of an RC queue pair to RTR requires. */
#define RTR_ATTRS	(XROCE_QP_AV | XROCE_QP_PATH_MTU | XROCE_QP_DEST_QPN | \
			 XROCE_QP_RQ_PSN | XROCE_QP_MIN_RNR_TIMER | \
			 XROCE_QP_MAX_DEST_RD_ATOMIC)

/* And with a send queue of its own, that to RTS. */
#define RTS_SEND_ATTRS	(XROCE_QP_SQ_PSN | XROCE_QP_TIMEOUT | XROCE_QP_RETRY_CNT | \
			 XROCE_QP_RNR_RETRY | XROCE_QP_MAX_RD_ATOMIC | XROCE_QP_DMAC)

/*
 * Arguments to change to state @to, with correct values in all fields: for @type, or for
 * the connected types.
 */
struct xroce_qp_modify qp_change_of(__u32 type, __u32 qpn, __u32 to,
				    __u32 mask);
struct xroce_qp_modify qp_change(__u32 qpn, __u32 to, __u32 mask);

/* Change the state with these arguments. Return: the command's result. */
int qp_move(struct xroce *x, __u32 qpn, __u32 to, __u32 mask);

/* The state that QP_QUERY returns. */
__u32 qp_state(struct xroce *x, __u32 qpn);

/* Attributes that the transition of this type to state @to requires. */
__u32 qp_attrs(__u32 type, __u32 to);

/* A new queue pair in a state. Return: its number; 0 and a failed check on error. */
__u32 qp_of_type(struct xroce *x, __u32 pd, __u32 type, __u32 state);

/* The same for type RC. */
__u32 qp_in(struct xroce *x, __u32 pd, __u32 state);

#endif /* XROCE_LIVE_QP_H */
