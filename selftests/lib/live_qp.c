// SPDX-License-Identifier: GPL-2.0-only
/* Moving a queue pair to any of its states. */
#include <string.h>

#include "gid.h"
#include "live_qp.h"

struct xroce_qp_modify qp_change(__u32 qpn, __u32 to, __u32 mask)
{
	struct xroce_qp_modify m = {
		.qpn = qpn,
		.mask = XROCE_QP_STATE | mask,
		.state = to,
		.access = XROCE_ACCESS_REMOTE_WRITE,
		.pkey = 0xffff,
		.path_mtu = XROCE_MTU_1024,
		.dest_qpn = 0x000011,
		.rq_psn = 0xabcdef,
		.min_rnr_timer = 12,
		.max_dest_rd_atomic = 16,
		.sq_psn = 0xabcdef,
		.timeout = 14,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.max_rd_atomic = 16,
		.dmac = { 0x02, 0, 0, 0, 0, 1 },
	};

	gid_parse("10.77.0.2", m.sgid);
	gid_parse("10.77.0.1", m.dgid);
	return m;
}

struct xroce_qp_modify qp_change_of(__u32 type, __u32 qpn, __u32 to,
				    __u32 mask)
{
	struct xroce_qp_modify m = qp_change(qpn, to, mask);

	/* A datagram may come from any peer. */
	if (type == XROCE_QPT_UD)
		memset(m.dgid, 0, sizeof(m.dgid));
	return m;
}

int qp_move(struct xroce *x, __u32 qpn, __u32 to, __u32 mask)
{
	struct xroce_qp_modify m = qp_change(qpn, to, mask);

	return xroce_qp_modify(x, &m);
}

__u32 qp_state(struct xroce *x, __u32 qpn)
{
	struct xroce_qp_query q = { .qpn = qpn };

	check_is(xroce_qp_query(x, &q), 0, "query of %#x", qpn);
	return q.state;
}

__u32 qp_attrs(__u32 type, __u32 to)
{
	if (to == XROCE_QPS_INIT)
		return XROCE_QP_PKEY | (type == XROCE_QPT_UD ?
					XROCE_QP_QKEY : XROCE_QP_ACCESS);
	if (to != XROCE_QPS_RTR)
		return 0;
	if (type == XROCE_QPT_UD)
		return XROCE_QP_AV;
	return type == XROCE_QPT_RC ? RTR_ATTRS :
	       XROCE_QP_AV | XROCE_QP_PATH_MTU | XROCE_QP_DEST_QPN |
	       XROCE_QP_RQ_PSN;
}

__u32 qp_of_type(struct xroce *x, __u32 pd, __u32 type, __u32 state)
{
	struct xroce_qp_add add = { .pd = pd, .type = type };
	struct xroce_qp_modify m;
	struct xroce_rq *rq;
	__u32 to = state == XROCE_QPS_ERR ? XROCE_QPS_ERR : XROCE_QPS_INIT;
	int ret = xroce_qp_create(x, &add, &rq);

	for (; !ret && to <= state; to++) {
		m = qp_change_of(type, add.qpn, to, qp_attrs(type, to));
		ret = xroce_qp_modify(x, &m);
	}
	check(!ret && qp_state(x, add.qpn) == state, "to state %u: %d", state,
	      ret);
	return ret ? 0 : add.qpn;
}

__u32 qp_in(struct xroce *x, __u32 pd, __u32 state)
{
	return qp_of_type(x, pd, XROCE_QPT_RC, state);
}
