// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Connecting a queue pair: its states from RESET to RTS in one call. */
#include <errno.h>
#include <string.h>

#include "libxroce_priv.h"

static int to_state(struct xroce *x, struct xroce_qp_modify *m, __u32 state, __u32 mask)
{
	m->state = state;
	m->mask = XROCE_QP_STATE | mask;
	return xroce_qp_modify(x, m);
}

/* Which attributes RTR needs. */
static __u32 rtr_mask(__u32 type)
{
	switch (type) {
	case XROCE_QPT_UD:
		return XROCE_QP_AV;
	case XROCE_QPT_UC:
		return XROCE_QP_AV | XROCE_QP_PATH_MTU | XROCE_QP_DEST_QPN |
		       XROCE_QP_RQ_PSN;
	}
	return XROCE_QP_AV | XROCE_QP_PATH_MTU | XROCE_QP_DEST_QPN |
	       XROCE_QP_RQ_PSN | XROCE_QP_MIN_RNR_TIMER | XROCE_QP_MAX_DEST_RD_ATOMIC;
}

int xroce_qp_connect(struct xroce *x, const struct xroce_connect *c)
{
	struct xroce_qp_modify m = {
		.qpn = c->qpn,
		.access = c->access,
		.pkey = c->pkey ? : 0xffff,
		.path_mtu = c->path_mtu ? : XROCE_MTU_1024,
		.dest_qpn = c->dest_qpn,
		.rq_psn = c->rq_psn,
		.min_rnr_timer = c->min_rnr_timer ? : 12,
		.max_dest_rd_atomic = c->max_dest_rd_atomic ? : 16,
		.sport = c->sport,
		.tos = c->tos,
		.ttl = c->ttl,
		.qkey = c->qkey,
	};
	struct xroce_qp_query q = { .qpn = c->qpn };
	int err;

	if (c->size != sizeof(*c))
		return -EINVAL;
	err = xroce_qp_query(x, &q);
	if (err)
		return err;
	/* From another state the way back to RESET would end a connection. */
	if (q.state != XROCE_QPS_RESET)
		return -EINVAL;
	memcpy(m.sgid, c->sgid, sizeof(m.sgid));
	memcpy(m.dgid, c->dgid, sizeof(m.dgid));
	err = to_state(x, &m, XROCE_QPS_INIT, XROCE_QP_PKEY |
		       (q.type == XROCE_QPT_UD ? XROCE_QP_QKEY : XROCE_QP_ACCESS));
	if (err)
		return err;
	err = to_state(x, &m, XROCE_QPS_RTR, rtr_mask(q.type));
	if (!err)
		err = to_state(x, &m, XROCE_QPS_RTS, 0);
	if (err)
		to_state(x, &m, XROCE_QPS_RESET, 0);
	return err;
}
