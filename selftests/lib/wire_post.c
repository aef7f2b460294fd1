// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "live_qp.h"
#include "wire_post.h"

void wire_post(struct wire *w, __u64 id, bool read, uint32_t len)
{
	struct xroce_sge_local sge = { w->mr.iova + (read ? WIRE_INTO : 0), len, w->mr.lkey };
	struct xroce_wr wr = {
		.wr_id = id,
		.opcode = read ? XROCE_WR_RDMA_READ : XROCE_WR_RDMA_WRITE,
		.flags = XROCE_SEND_SIGNALED,
		.rkey = 1,
		.num_sge = 1,
		.sge = &sge,
	};

	check_is(xroce_post_send(w->send, &wr, 1), 0, "post");
}

void wire_respond(struct wire *w, uint8_t opcode, uint32_t n, uint8_t syndrome)
{
	w->req.opcode = opcode;
	w->req.psn = (WIRE_PSN + n) & XROCE_PSN_MASK;
	w->req.syndrome = syndrome;
	w->req.ackreq = false;
	w->req.payload = 0;
	w->req.pad = 0;
	w->req.xth_cut = 0;
}

static bool completes(void *arg)
{
	struct wire *w = arg;
	struct xroce_cqe cqe;

	return xroce_cq_poll(w->cq, &cqe, 1) == 1 && check_is(cqe.status, 0, "status");
}

void wire_completes(struct wire *w)
{
	check(live_wait(completes, w), "it does not complete");
}

void wire_goes_on(struct wire *w, uint32_t n)
{
	struct packet got;

	wire_post(w, n, false, 8);
	do {
		if (!check(wire_take(w, WIRE_MS, &got, NULL), "no request"))
			return;
	} while (got.psn != ((WIRE_PSN + n) & XROCE_PSN_MASK));
	wire_respond(w, XROCE_RC_ACK, n, XROCE_SYN_ACK);
	wire_send(w);
	wire_completes(w);
}

bool wire_no_timeout(struct wire *w)
{
	struct xroce_qp_modify m = qp_change(w->qpn, XROCE_QPS_SQD, XROCE_QP_TIMEOUT);
	int ret = qp_move(w->x, w->qpn, XROCE_QPS_SQD, 0);

	m.timeout = 0;
	if (!ret)
		ret = xroce_qp_modify(w->x, &m);
	if (!ret)
		ret = qp_move(w->x, w->qpn, XROCE_QPS_RTS, 0);
	return check(!ret, "no timeout: %s", strerror(-ret));
}

struct xroce_qp_query wire_query(const struct wire *w)
{
	struct xroce_qp_query q = { .qpn = w->qpn };

	check_is(xroce_qp_query(w->x, &q), 0, "QP_QUERY");
	return q;
}
