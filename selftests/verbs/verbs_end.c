// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "gid.h"
#include "live.h"
#include "setting.h"
#include "verbs_device.h"
#include "verbs_end.h"

#define PORT	1

struct verbs_end xr_end, rxe_end;

bool end_open(struct verbs_end *e, const char *device, const char *address)
{
	int flags;

	*e = (struct verbs_end){ .ctx = verbs_device_open(device) };
	if (!check(e->ctx, "%s: %s", device, strerror(errno)))
		return false;
	flags = fcntl(e->ctx->async_fd, F_GETFL);
	fcntl(e->ctx->async_fd, F_SETFL, flags | O_NONBLOCK);
	gid_parse(address, e->gid.raw);
	e->gid_index = gid_index(e->ctx, e->gid.raw);
	e->pd = ibv_alloc_pd(e->ctx);
	return check(e->pd && e->gid_index >= 0, "%s: domain %p, address %d", device, e->pd,
		     e->gid_index);
}

void end_close(struct verbs_end *e)
{
	if (!e->ctx)
		return;
	check(!ibv_dealloc_pd(e->pd), "a domain is in use");
	check(!ibv_close_device(e->ctx), "close");
	e->ctx = NULL;
}

bool ends_open(void)
{
	return end_open(&xr_end, "xr0", "10.77.0.2") && end_open(&rxe_end, "rxe0", "10.77.0.1");
}

void ends_close(void)
{
	end_close(&xr_end);
	end_close(&rxe_end);
}

unsigned int end_events(struct verbs_end *e, enum ibv_event_type type)
{
	struct ibv_async_event event;

	while (!ibv_get_async_event(e->ctx, &event)) {
		if (event.event_type < ARRAY_SIZE(e->events))
			e->events[event.event_type]++;
		ibv_ack_async_event(&event);
	}
	return e->events[type];
}

struct ibv_qp *end_qp(struct verbs_end *e, enum ibv_qp_type type, struct ibv_cq *send_cq,
		      struct ibv_cq *recv_cq, struct ibv_srq *srq, uint32_t sends,
		      uint32_t receives)
{
	struct ibv_qp_init_attr init = {
		.qp_type = type,
		.send_cq = send_cq,
		.recv_cq = recv_cq,
		.srq = srq,
		.cap = { .max_send_wr = sends, .max_send_sge = 1,
			 .max_recv_wr = srq ? 0 : receives, .max_recv_sge = srq ? 0 : 2 },
	};
	struct ibv_qp *qp = ibv_create_qp(e->pd, &init);

	check(qp, "create a queue pair: %s", strerror(errno));
	return qp;
}

int end_state(struct ibv_qp *qp, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };

	return ibv_modify_qp(qp, &attr, IBV_QP_STATE);
}

static int to_init(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = PORT,
		.qkey = END_QKEY,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
				   IBV_ACCESS_REMOTE_ATOMIC,
	};
	int mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT;

	if (qp->qp_type == IBV_QPT_UC)
		attr.qp_access_flags = IBV_ACCESS_REMOTE_WRITE;
	return ibv_modify_qp(qp, &attr, mask | (qp->qp_type == IBV_QPT_UD ? IBV_QP_QKEY :
								       IBV_QP_ACCESS_FLAGS));
}

static int to_rtr(const struct verbs_end *e, struct ibv_qp *qp, const struct verbs_end *peer,
		  uint32_t peer_qpn)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = peer_qpn,
		.rq_psn = END_PSN,
		.max_dest_rd_atomic = 1,
		.min_rnr_timer = 1,
		.ah_attr = { .is_global = 1, .port_num = PORT,
			     .grh = { .sgid_index = e->gid_index, .hop_limit = 64,
				      .dgid = peer->gid } },
	};
	int mask = IBV_QP_STATE;

	if (qp->qp_type != IBV_QPT_UD)
		mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
	if (qp->qp_type == IBV_QPT_RC)
		mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	return ibv_modify_qp(qp, &attr, mask);
}

static int to_rts(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS,
		.sq_psn = END_PSN,
		.timeout = patient_code(16),
		.retry_cnt = 3,
		.rnr_retry = 0,
		.max_rd_atomic = 1,
	};
	int mask = IBV_QP_STATE | IBV_QP_SQ_PSN;

	if (qp->qp_type == IBV_QPT_RC)
		mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			IBV_QP_MAX_QP_RD_ATOMIC;
	return ibv_modify_qp(qp, &attr, mask);
}

int end_step(const struct verbs_end *e, struct ibv_qp *qp, const struct verbs_end *peer,
	     uint32_t peer_qpn, enum ibv_qp_state to)
{
	switch (to) {
	case IBV_QPS_INIT:	return to_init(qp);
	case IBV_QPS_RTR:	return to_rtr(e, qp, peer, peer_qpn);
	case IBV_QPS_RTS:	return to_rts(qp);
	default:		return end_state(qp, to);
	}
}

int end_move(const struct verbs_end *e, struct ibv_qp *qp, const struct verbs_end *peer,
	     uint32_t peer_qpn, enum ibv_qp_state to)
{
	enum ibv_qp_state state;
	int err = 0;

	for (state = IBV_QPS_RESET; state <= to && !err; state++)
		err = end_step(e, qp, peer, peer_qpn, state);
	return err;
}

bool ends_connect(struct ibv_qp *xr, struct ibv_qp *rxe)
{
	int ours = end_move(&xr_end, xr, &rxe_end, rxe->qp_num, IBV_QPS_RTS);
	int theirs = end_move(&rxe_end, rxe, &xr_end, xr->qp_num, IBV_QPS_RTS);

	/*
	 * rxe completes a request that has failed, then it moves the queue pair to ERR: it may
	 * do so after RESET, and INIT is refused.
	 */
	if (theirs == EINVAL)
		theirs = end_move(&rxe_end, rxe, &xr_end, xr->qp_num, IBV_QPS_RTS);
	return check(!ours && !theirs, "connect: %d, %d", ours, theirs);
}

struct wanted {
	struct ibv_cq *cq;
	struct ibv_wc *wc;
};

static bool polled(void *arg)
{
	struct wanted *w = arg;

	return ibv_poll_cq(w->cq, 1, w->wc) == 1;
}

int end_wait(struct ibv_cq *cq, struct ibv_wc *wc)
{
	struct wanted w = { cq, wc };

	return live_wait(polled, &w) ? (int)wc->status : -1;
}
