// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Connecting a queue pair: RESET to INIT, RTR and RTS in one call. */
#include <errno.h>
#include <string.h>

#include "priv.h"
#include "xroce_transition.h"

/* Change the state, and set the attributes that the transition requires, from @m. */
static int to_state(struct xroce *x, struct xroce_qp_modify *m, __u32 type,
		    __u32 from, __u32 to)
{
	const struct xroce_transition *t = xroce_transition(type, from, to);

	m->state = to;
	m->mask = XROCE_QP_STATE | (t ? t->required : 0);
	return xroce_qp_modify(x, m);
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
	/* In any other state, the way back to RESET after a failure would end a connection. */
	if (q.state != XROCE_QPS_RESET)
		return -EINVAL;
	memcpy(m.sgid, c->sgid, sizeof(m.sgid));
	memcpy(m.dgid, c->dgid, sizeof(m.dgid));
	err = to_state(x, &m, q.type, XROCE_QPS_RESET, XROCE_QPS_INIT);
	if (err)
		return err;
	err = to_state(x, &m, q.type, XROCE_QPS_INIT, XROCE_QPS_RTR);
	if (!err)
		err = to_state(x, &m, q.type, XROCE_QPS_RTR, XROCE_QPS_RTS);
	if (err)
		to_state(x, &m, q.type, q.state, XROCE_QPS_RESET);
	return err;
}
