/* SPDX-License-Identifier: GPL-2.0-only */
/* Queue pairs of the real module, brought into any state. */
#ifndef XROCE_LIVE_QP_H
#define XROCE_LIVE_QP_H

#include "live.h"

/* Attributes that the way to RTR requires. */
#define RTR_ATTRS	(XROCE_QP_AV | XROCE_QP_PATH_MTU | XROCE_QP_DEST_QPN | \
			 XROCE_QP_RQ_PSN | XROCE_QP_MIN_RNR_TIMER | \
			 XROCE_QP_MAX_DEST_RD_ATOMIC)

/*
 * A change to state @to, with right values in all fields, for connected types or
 * for @type.
 */
struct xroce_qp_modify qp_change_of(__u32 type, __u32 qpn, __u32 to,
				    __u32 mask);
struct xroce_qp_modify qp_change(__u32 qpn, __u32 to, __u32 mask);

/* Make that change. Return: the command's result. */
int qp_move(struct xroce *x, __u32 qpn, __u32 to, __u32 mask);

/* What QP_QUERY says. */
__u32 qp_state(struct xroce *x, __u32 qpn);

/* Attributes that a type's way to INIT or RTR requires. */
__u32 qp_attrs(__u32 type, __u32 to);

/* A new queue pair in a state; 0 and a failed check if that does not work. */
__u32 qp_of_type(struct xroce *x, __u32 pd, __u32 type, __u32 state);

/* The same of type RC. */
__u32 qp_in(struct xroce *x, __u32 pd, __u32 state);

#endif /* XROCE_LIVE_QP_H */
