// SPDX-License-Identifier: GPL-2.0-only
/* Responders on a verbs device, which the same program drives: rxe, and xroce. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/verbs.h>

#include "gid.h"
#include "libxroce.h"
#include "responder.h"
#include "verbs_device.h"

#define CQES	16384	/* at least as many as receives are posted */

static const char *device;	/* name */
static bool attached;		/* xroce's link */
static struct ibv_context *ctx;
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static struct ibv_mr *mr;
static struct ibv_qp *qp;	/* only one at a time */

static const int rights = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
			  IBV_ACCESS_REMOTE_ATOMIC;

static bool done(int err, const char *what)
{
	if (err)
		fprintf(stderr, "bench: %s: %s: %s\n", device, what, strerror(err));
	return !err;
}

static bool verbs_take(const char *name, void *memory)
{
	device = name;
	ctx = verbs_device_open(name);
	if (!done(ctx ? 0 : errno, "open"))
		return false;
	pd = ibv_alloc_pd(ctx);
	if (!done(pd ? 0 : errno, "protection domain"))
		return false;
	cq = ibv_create_cq(ctx, CQES, NULL, NULL, 0);
	if (!done(cq ? 0 : errno, "completion queue"))
		return false;
	mr = ibv_reg_mr(pd, memory, RESPONDER_MEMORY,
			IBV_ACCESS_LOCAL_WRITE | rights);
	return done(mr ? 0 : errno, "region");
}

static bool verbs_ready_to_receive(const struct target *target)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qp_access_flags = rights,
	};
	uint8_t gid[16];
	int err;

	err = ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX |
				       IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
	if (!done(err, "INIT"))
		return false;
	responder_gid(RESPONDER_ADDR, gid);
	attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_4096,
		.dest_qp_num = PEER_QPN,
		.rq_psn = target->psn,
		.max_dest_rd_atomic = RESPONDER_RD_ATOMIC,
		.min_rnr_timer = 12,
		.ah_attr = {
			.is_global = 1,
			.port_num = 1,
			.grh.hop_limit = 64,
			.grh.sgid_index = gid_index(ctx, gid),
		},
	};
	responder_gid(PEER_ADDR, attr.ah_attr.grh.dgid.raw);
	err = ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_AV |
				       IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
				       IBV_QP_RQ_PSN |
				       IBV_QP_MAX_DEST_RD_ATOMIC |
				       IBV_QP_MIN_RNR_TIMER);
	return done(err, "RTR");
}

static bool verbs_post(uint32_t n)
{
	struct ibv_sge sge = { (uintptr_t)mr->addr, RESPONDER_RECEIVE, mr->lkey };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;
	int err = 0;

	while (n-- && !err)
		err = ibv_post_recv(qp, &wr, &bad);
	return done(err, "receives");
}

static bool verbs_connect(struct target *target)
{
	struct ibv_qp_init_attr init = {
		.send_cq = cq,
		.recv_cq = cq,
		.cap = {
			.max_send_wr = 1,
			.max_recv_wr = target->receives ?: 1,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
		.qp_type = IBV_QPT_RC,
	};

	qp = ibv_create_qp(pd, &init);
	if (!done(qp ? 0 : errno, "queue pair"))
		return false;
	if (!verbs_ready_to_receive(target) || !verbs_post(target->receives)) {
		ibv_destroy_qp(qp);
		return false;
	}
	target->qpn = qp->qp_num;
	target->rkey = mr->rkey;
	target->va = (uintptr_t)mr->addr;
	return true;
}

static uint32_t verbs_received(void)
{
	uint32_t n = 0;
	struct ibv_wc wc;

	while (ibv_poll_cq(cq, 1, &wc) > 0)
		n += wc.status == IBV_WC_SUCCESS;
	return n;
}

static void verbs_disconnect(const struct target *target)
{
	(void)target;
	done(ibv_destroy_qp(qp), "queue pair");
}

static void verbs_leave(void)
{
	if (mr)
		ibv_dereg_mr(mr);
	if (cq)
		ibv_destroy_cq(cq);
	if (pd)
		ibv_dealloc_pd(pd);
	if (ctx)
		ibv_close_device(ctx);
	mr = NULL;
	cq = NULL;
	pd = NULL;
	ctx = NULL;
}

static bool rxe_take(void *memory)
{
	return verbs_take(RESPONDER_RXE, memory);
}

const struct responder responder_rxe = {
	.name = "rxe",
	.executes = true,
	.open = rxe_take,
	.connect = verbs_connect,
	.received = verbs_received,
	.disconnect = verbs_disconnect,
	.close = verbs_leave,
};

static bool xroce_take(void *memory)
{
	struct xroce_attach_opts opts = { .size = sizeof(opts) };

	if (xroce_attach(RESPONDER_DEV, &opts)) {
		fprintf(stderr, "bench: verbs: attach: %s\n", opts.error);
		return false;
	}
	attached = true;
	if (system("rdma link add " RESPONDER_VERBS " type xroce netdev " RESPONDER_DEV)) {
		fprintf(stderr, "bench: verbs: rdma link add failed\n");
		return false;
	}
	return verbs_take(RESPONDER_VERBS, memory);
}

static void xroce_leave(void)
{
	char error[XROCE_ERROR_MAX];

	verbs_leave();
	/* The verbs device goes with its link. */
	if (attached && xroce_detach(RESPONDER_DEV, XROCE_F_FORCE, error))
		fprintf(stderr, "bench: verbs: detach: %s\n", error);
	attached = false;
}

const struct responder responder_verbs = {
	.name = "verbs",
	.executes = true,
	.open = xroce_take,
	.connect = verbs_connect,
	.received = verbs_received,
	.disconnect = verbs_disconnect,
	.close = xroce_leave,
};
