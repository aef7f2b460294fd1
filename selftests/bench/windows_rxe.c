// SPDX-License-Identifier: GPL-2.0-only
/*
 * The operations of windows.c with rxe.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include <infiniband/verbs.h>

#include "responder.h"
#include "verbs_device.h"
#include "windows.h"

static struct {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	struct ibv_qp *qp;
	struct ibv_mw *one;
	struct ibv_mw *two;
	uint32_t rkey;
} rxe;

static bool rxe_qp(void)
{
	struct ibv_qp_init_attr init = {
		.send_cq = rxe.cq,
		.recv_cq = rxe.cq,
		.cap = { 16, 1, 1, 1 },
		.qp_type = IBV_QPT_RC,
	};
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE,
		.path_mtu = IBV_MTU_4096,
		.dest_qp_num = PEER_QPN,
		.min_rnr_timer = 12,
		.ah_attr = { .is_global = 1, .port_num = 1,
			     .grh.hop_limit = 64, .grh.sgid_index = 1 },
	};
	int err;

	rxe.qp = ibv_create_qp(rxe.pd, &init);
	if (!mw_done(rxe.qp ? 0 : errno, "rxe: queue pair"))
		return false;
	responder_gid(PEER_ADDR, a.ah_attr.grh.dgid.raw);
	err = ibv_modify_qp(rxe.qp, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX |
			    IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
	a.qp_state = IBV_QPS_RTR;
	if (!err)
		err = ibv_modify_qp(rxe.qp, &a, IBV_QP_STATE | IBV_QP_AV |
				    IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
				    IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
				    IBV_QP_MIN_RNR_TIMER);
	a.qp_state = IBV_QPS_RTS;
	if (!err)
		err = ibv_modify_qp(rxe.qp, &a, IBV_QP_STATE | IBV_QP_TIMEOUT |
				    IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
				    IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
	return mw_done(err, "rxe: queue pair");
}

static struct ibv_mr *rxe_region(void)
{
	return ibv_reg_mr(rxe.pd, mw_memory, MW_LENGTH, MW_REGION);
}

bool rxe_open(void)
{
	rxe.ctx = verbs_device_open(RESPONDER_RXE);
	if (!mw_done(rxe.ctx ? 0 : errno, RESPONDER_RXE))
		return false;
	rxe.pd = ibv_alloc_pd(rxe.ctx);
	rxe.cq = ibv_create_cq(rxe.ctx, 64, NULL, NULL, 0);
	if (!mw_done(rxe.pd && rxe.cq ? 0 : errno, "rxe"))
		return false;
	rxe.mr = rxe_region();
	rxe.one = ibv_alloc_mw(rxe.pd, IBV_MW_TYPE_1);
	rxe.two = ibv_alloc_mw(rxe.pd, IBV_MW_TYPE_2);
	if (!mw_done(rxe.mr && rxe.one && rxe.two ? 0 : errno, "rxe: windows"))
		return false;
	rxe.rkey = rxe.two->rkey;
	return rxe_qp();
}

static void rxe_completion(void)
{
	struct ibv_wc wc = { .status = -1 };
	int n;

	/* rxe's worker gets the only CPU when this process yields. */
	while (!(n = ibv_poll_cq(rxe.cq, 1, &wc)))
		sched_yield();
	if (n != 1 || wc.status) {
		fprintf(stderr, "bench: rxe: completion of %llu: %s\n",
			(unsigned long long)wc.wr_id,
			ibv_wc_status_str(wc.status));
		exit(1);
	}
}

static void rxe_post(struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad;

	wr->send_flags = IBV_SEND_SIGNALED;
	if (mw_done(ibv_post_send(rxe.qp, wr, &bad), "rxe: post"))
		rxe_completion();
}

void rxe_two(uint32_t n)
{
	struct ibv_send_wr wr;

	for (; n; n -= 2) {
		rxe.rkey = ibv_inc_rkey(rxe.rkey);
		wr = (struct ibv_send_wr){
			.wr_id = 1,
			.opcode = IBV_WR_BIND_MW,
			.bind_mw = { rxe.two, rxe.rkey,
				     { rxe.mr, (uintptr_t)mw_memory, MW_LENGTH,
				       MW_RIGHTS } },
		};
		rxe_post(&wr);
		/* The next bind names the window by its current key. */
		rxe.two->rkey = rxe.rkey;
		wr = (struct ibv_send_wr){
			.wr_id = 2,
			.opcode = IBV_WR_LOCAL_INV,
			.invalidate_rkey = rxe.rkey,
		};
		rxe_post(&wr);
	}
}

void rxe_one(uint32_t n)
{
	struct ibv_mw_bind b = {
		.send_flags = IBV_SEND_SIGNALED,
		.bind_info = { rxe.mr, (uintptr_t)mw_memory, MW_LENGTH, MW_RIGHTS },
	};

	while (n--)
		if (mw_done(ibv_bind_mw(rxe.qp, rxe.one, &b), "rxe: bind"))
			rxe_completion();
}

void rxe_register(uint32_t n)
{
	struct ibv_mr *mr;

	while (n--) {
		mr = rxe_region();
		if (!mw_done(mr ? 0 : errno, "rxe: register"))
			return;
		mw_done(ibv_dereg_mr(mr), "rxe: deregister");
	}
}
