/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Changes of a queue pair's state, and the attributes that go with each (IBTA table
 * 91): one table for the module, which obeys it, and the command, which explains it.
 */
#ifndef _XROCE_TRANSITION_H
#define _XROCE_TRANSITION_H

#ifdef __KERNEL__
#include <linux/kernel.h>
#else
#include <stddef.h>
#endif
#include <linux/types.h>

#include "uapi/xroce.h"

/**
 * struct xroce_transition - attributes of a change of state
 * @type: enum xroce_qp_type
 * @from: enum xroce_qp_state
 * @to: enum xroce_qp_state; @from for a change of attributes alone
 * @required: XROCE_QP_*
 * @optional: XROCE_QP_*
 */
struct xroce_transition {
	__u32 type;
	__u32 from;
	__u32 to;
	__u32 required;
	__u32 optional;
};

#define XROCE_UC_RTR	(XROCE_QP_AV | XROCE_QP_PATH_MTU | XROCE_QP_DEST_QPN | \
			 XROCE_QP_RQ_PSN)
#define XROCE_RC_RTR	(XROCE_UC_RTR | XROCE_QP_MIN_RNR_TIMER | \
			 XROCE_QP_MAX_DEST_RD_ATOMIC)

/* Any state to RESET or ERR stands apart: nothing but the state is given. */
static const struct xroce_transition xroce_transitions[] = {
	{ XROCE_QPT_RC, XROCE_QPS_RESET, XROCE_QPS_INIT,
	  XROCE_QP_ACCESS | XROCE_QP_PKEY, 0 },
	{ XROCE_QPT_RC, XROCE_QPS_INIT, XROCE_QPS_INIT, 0,
	  XROCE_QP_ACCESS | XROCE_QP_PKEY },
	{ XROCE_QPT_RC, XROCE_QPS_INIT, XROCE_QPS_RTR, XROCE_RC_RTR,
	  XROCE_QP_ACCESS | XROCE_QP_PKEY },
	{ XROCE_QPT_RC, XROCE_QPS_RTR, XROCE_QPS_RTS, 0,
	  XROCE_QP_ACCESS | XROCE_QP_MIN_RNR_TIMER },
	{ XROCE_QPT_RC, XROCE_QPS_RTS, XROCE_QPS_RTS, 0,
	  XROCE_QP_ACCESS | XROCE_QP_MIN_RNR_TIMER },
	{ XROCE_QPT_RC, XROCE_QPS_RTS, XROCE_QPS_SQD, 0, 0 },
	{ XROCE_QPT_RC, XROCE_QPS_SQD, XROCE_QPS_RTS, 0,
	  XROCE_QP_ACCESS | XROCE_QP_MIN_RNR_TIMER },
	{ XROCE_QPT_RC, XROCE_QPS_SQD, XROCE_QPS_SQD, 0,
	  XROCE_QP_AV | XROCE_QP_ACCESS | XROCE_QP_PKEY |
	  XROCE_QP_MIN_RNR_TIMER },
	{ XROCE_QPT_UC, XROCE_QPS_RESET, XROCE_QPS_INIT,
	  XROCE_QP_ACCESS | XROCE_QP_PKEY, 0 },
	{ XROCE_QPT_UC, XROCE_QPS_INIT, XROCE_QPS_INIT, 0,
	  XROCE_QP_ACCESS | XROCE_QP_PKEY },
	{ XROCE_QPT_UC, XROCE_QPS_INIT, XROCE_QPS_RTR, XROCE_UC_RTR,
	  XROCE_QP_ACCESS | XROCE_QP_PKEY },
	{ XROCE_QPT_UC, XROCE_QPS_RTR, XROCE_QPS_RTS, 0, XROCE_QP_ACCESS },
	{ XROCE_QPT_UC, XROCE_QPS_RTS, XROCE_QPS_RTS, 0, XROCE_QP_ACCESS },
	{ XROCE_QPT_UC, XROCE_QPS_RTS, XROCE_QPS_SQD, 0, 0 },
	{ XROCE_QPT_UC, XROCE_QPS_SQD, XROCE_QPS_RTS, 0, XROCE_QP_ACCESS },
	{ XROCE_QPT_UC, XROCE_QPS_SQD, XROCE_QPS_SQD, 0,
	  XROCE_QP_AV | XROCE_QP_ACCESS | XROCE_QP_PKEY },
	{ XROCE_QPT_UD, XROCE_QPS_RESET, XROCE_QPS_INIT,
	  XROCE_QP_PKEY | XROCE_QP_QKEY, 0 },
	{ XROCE_QPT_UD, XROCE_QPS_INIT, XROCE_QPS_INIT, 0,
	  XROCE_QP_PKEY | XROCE_QP_QKEY },
	{ XROCE_QPT_UD, XROCE_QPS_INIT, XROCE_QPS_RTR, XROCE_QP_AV,
	  XROCE_QP_PKEY | XROCE_QP_QKEY },
	{ XROCE_QPT_UD, XROCE_QPS_RTR, XROCE_QPS_RTS, 0, XROCE_QP_QKEY },
	{ XROCE_QPT_UD, XROCE_QPS_RTS, XROCE_QPS_RTS, 0, XROCE_QP_QKEY },
	{ XROCE_QPT_UD, XROCE_QPS_RTS, XROCE_QPS_SQD, 0, 0 },
	{ XROCE_QPT_UD, XROCE_QPS_SQD, XROCE_QPS_RTS, 0, XROCE_QP_QKEY },
	{ XROCE_QPT_UD, XROCE_QPS_SQD, XROCE_QPS_SQD, 0,
	  XROCE_QP_PKEY | XROCE_QP_QKEY },
};

#define XROCE_TRANSITIONS \
	(sizeof(xroce_transitions) / sizeof(xroce_transitions[0]))

/* Return: what a change takes; NULL: there is no such change. */
static inline const struct xroce_transition *
xroce_transition(__u32 type, __u32 from, __u32 to)
{
	static const struct xroce_transition end;
	const struct xroce_transition *t;
	size_t i;

	if (to == XROCE_QPS_RESET || to == XROCE_QPS_ERR)
		return &end;
	for (i = 0; i < XROCE_TRANSITIONS; i++) {
		t = &xroce_transitions[i];
		if (t->type == type && t->from == from && t->to == to)
			return t;
	}
	return NULL;
}

#endif /* _XROCE_TRANSITION_H */
