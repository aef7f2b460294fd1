// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Connecting a queue pair: RESET to INIT, RTR and RTS in one call. */
#include <errno.h>
#include <string.h>

#include "priv.h"
#include "xroce_transition.h"

/*
 * Change the state, and set the attributes that the transition requires, from @m, and those of
 * @more.
 */
static int to_state(struct xroce *x, struct xroce_qp_modify *m, __u32 type,
		    __u32 from, __u32 to, __u32 more)
{
	const struct xroce_transition *t = xroce_transition(type, from, to);

	m->state = to;
	m->mask = XROCE_QP_STATE | (t ? t->required : 0) | more;
	return xroce_qp_modify(x, m);
}

static bool has_dmac(const struct xroce_connect *c)
{
	static const __u8 none[sizeof(c->dmac)];

	return memcmp(c->dmac, none, sizeof(none));
}

/* The attributes of a requester; 0: the queue pair has no send queue. */
static __u32 requester(const struct xroce_connect *c, const struct xroce_qp_query *q)
{
	__u32 mask = XROCE_QP_SQ_PSN | XROCE_QP_DMAC;

	/* With @dmac and no send queue, the module refuses. */
	if (!q->sq_entries && !has_dmac(c))
		return 0;
	if (q->type == XROCE_QPT_RC)
		mask |= XROCE_QP_TIMEOUT | XROCE_QP_RETRY_CNT | XROCE_QP_RNR_RETRY |
			XROCE_QP_MAX_RD_ATOMIC;
	return mask;
}

/* Find the Ethernet address that the caller has not given. Return: 0 or -errno. */
static int find_peer(struct xroce *x, const struct xroce_connect *c,
		     const struct xroce_qp_query *q, __u8 dmac[6])
{
	memcpy(dmac, c->dmac, sizeof(c->dmac));
	if (!q->sq_entries || has_dmac(c))
		return 0;
	/* Which VLAN device the tag stands for is not known here. */
	return c->vlan_tci ? -EINVAL : xroce_peer_mac(x, c->dgid, dmac);
}

static int qp_connect(struct xroce *x, const struct xroce_connect *c)
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
		.sq_psn = c->sq_psn,
		.timeout = c->timeout ? : 14,
		.retry_cnt = c->retry_cnt ? : 7,
		.rnr_retry = c->rnr_retry ? : 7,
		.max_rd_atomic = c->max_rd_atomic ? : 16,
		.vlan_tci = c->vlan_tci,
	};
	struct xroce_qp_query q = { .qpn = c->qpn };
	int err;

	err = xroce_qp_query(x, &q);
	if (err)
		return err;
	/* In any other state, the way back to RESET after a failure would end a connection. */
	if (q.state != XROCE_QPS_RESET)
		return -EINVAL;
	memcpy(m.sgid, c->sgid, sizeof(m.sgid));
	memcpy(m.dgid, c->dgid, sizeof(m.dgid));
	err = find_peer(x, c, &q, m.dmac);
	if (err)
		return err;
	err = to_state(x, &m, q.type, XROCE_QPS_RESET, XROCE_QPS_INIT, 0);
	if (err)
		return err;
	err = to_state(x, &m, q.type, XROCE_QPS_INIT, XROCE_QPS_RTR, 0);
	if (!err)
		err = to_state(x, &m, q.type, XROCE_QPS_RTR, XROCE_QPS_RTS,
			       requester(c, &q));
	if (err)
		to_state(x, &m, q.type, q.state, XROCE_QPS_RESET, 0);
	return err;
}

int xroce_qp_connect(struct xroce *x, const struct xroce_connect *connect)
{
	struct xroce_connect c;
	int err;

	if (!XROCE_HAS(connect->size, struct xroce_connect, qpn))
		return -EINVAL;
	err = xroce_take(&c, sizeof(c), connect, connect->size);
	return err ? : qp_connect(x, &c);
}
