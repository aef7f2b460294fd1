// SPDX-License-Identifier: GPL-2.0-only
/* The way of a queue pair to each of its states. */
#include <arpa/inet.h>
#include <string.h>

#include "live_qp.h"

static void ipv4(__u8 gid[16], const char *text)
{
	memset(gid, 0, 10);
	gid[10] = gid[11] = 0xff;
	inet_pton(AF_INET, text, gid + 12);
}

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
	};

	ipv4(m.sgid, "10.77.0.2");
	ipv4(m.dgid, "10.77.0.1");
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
	int ret = xroce_qp_query(x, &q);

	check(!ret, "query of %#x: %d", qpn, ret);
	return q.state;
}

__u32 qp_in(struct xroce *x, __u32 pd, __u32 state)
{
	__u32 qpn = 0;
	int ret = xroce_qp_add(x, 0, pd, &qpn);

	if (!ret && state == XROCE_QPS_ERR)
		ret = qp_move(x, qpn, XROCE_QPS_ERR, 0);
	else if (!ret && state >= XROCE_QPS_INIT)
		ret = qp_move(x, qpn, XROCE_QPS_INIT,
			      XROCE_QP_ACCESS | XROCE_QP_PKEY);
	if (!ret && (state == XROCE_QPS_RTR || state == XROCE_QPS_RTS))
		ret = qp_move(x, qpn, XROCE_QPS_RTR, RTR_ATTRS);
	if (!ret && state == XROCE_QPS_RTS)
		ret = qp_move(x, qpn, XROCE_QPS_RTS, 0);
	check(!ret && qp_state(x, qpn) == state, "to state %u: %d", state, ret);
	return ret ? 0 : qpn;
}
