// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "gid.h"
#include "requester.h"
#include "harness.h"
#include "setting.h"
#include "verbs_device.h"

#define WAIT_SECONDS	30	/* for emulated machines */

bool requester_open(struct requester *requester, const char *device, size_t size)
{
	memset(requester, 0, sizeof(*requester));
	requester->size = size;
	requester->buf = malloc(size);
	requester->ctx = verbs_device_open(device);
	if (!check(requester->buf && requester->ctx, "%s: %s", device,
		   strerror(errno)))
		return false;
	requester->pd = ibv_alloc_pd(requester->ctx);
	requester->cq = ibv_create_cq(requester->ctx, 2 * REQUESTER_DEPTH, NULL, NULL,
				   0);
	if (!check(requester->pd && requester->cq, "PD or CQ: %s", strerror(errno)))
		return false;
	requester->mr = ibv_reg_mr(requester->pd, requester->buf, size,
				IBV_ACCESS_LOCAL_WRITE);
	return check(requester->mr, "region: %s", strerror(errno));
}

void requester_close(struct requester *requester)
{
	if (requester->mr)
		ibv_dereg_mr(requester->mr);
	if (requester->cq)
		ibv_destroy_cq(requester->cq);
	if (requester->pd)
		ibv_dealloc_pd(requester->pd);
	if (requester->ctx)
		ibv_close_device(requester->ctx);
	free(requester->buf);
	memset(requester, 0, sizeof(*requester));
}

struct ibv_qp *requester_qp_add(struct requester *requester)
{
	struct ibv_qp_init_attr_ex init = {
		.send_cq = requester->cq,
		.recv_cq = requester->cq,
		.cap = {
			.max_send_wr = REQUESTER_DEPTH,
			.max_recv_wr = 1,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = 1,
		.comp_mask = IBV_QP_INIT_ATTR_PD |
			     IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = requester->pd,
		.send_ops_flags = IBV_QP_EX_WITH_ATOMIC_WRITE,
	};
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
	};
	struct ibv_qp *qp = ibv_create_qp_ex(requester->ctx, &init);
	int err;

	if (!check(qp, "queue pair: %s", strerror(errno)))
		return NULL;
	err = ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX |
				       IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
	if (check(!err, "INIT: %s", strerror(err)))
		return qp;
	ibv_destroy_qp(qp);
	return NULL;
}

bool requester_qp_connect(struct requester *requester, struct ibv_qp *qp,
		       const struct requester_path *path)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = path->mtu,
		.dest_qp_num = path->dest_qpn,
		.max_dest_rd_atomic = path->rd_atomic,
		.min_rnr_timer = 12,
		.ah_attr = {
			.is_global = 1,
			.port_num = 1,
			.grh.hop_limit = 64,
		},
	};
	int index = gid_index(requester->ctx, path->sgid);
	int err;

	if (!check(index >= 0, "the device has no such address"))
		return false;
	attr.ah_attr.grh.sgid_index = index;
	memcpy(attr.ah_attr.grh.dgid.raw, path->dgid, 16);
	err = ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_AV |
				       IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
				       IBV_QP_RQ_PSN |
				       IBV_QP_MAX_DEST_RD_ATOMIC |
				       IBV_QP_MIN_RNR_TIMER);
	if (!check(!err, "RTR: %s", strerror(err)))
		return false;

	attr.qp_state = IBV_QPS_RTS;
	attr.sq_psn = path->sq_psn;
	attr.timeout = path->timeout;
	attr.retry_cnt = path->retry;
	attr.rnr_retry = path->rnr_retry;
	attr.max_rd_atomic = path->rd_atomic;
	err = ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN |
				       IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
				       IBV_QP_RNR_RETRY |
				       IBV_QP_MAX_QP_RD_ATOMIC);
	return check(!err, "RTS: %s", strerror(err));
}

/* ibv_post_send() does not take ATOMIC WRITE. */
static int post_atomic_write(struct ibv_qp *qp, const struct requester_op *op)
{
	struct ibv_qp_ex *ex = ibv_qp_to_qp_ex(qp);

	ibv_wr_start(ex);
	ex->wr_id = op->id;
	ex->wr_flags = 0;
	ibv_wr_atomic_write(ex, op->rkey, op->va, &op->operand);
	return ibv_wr_complete(ex);
}

static int post_send(struct requester *requester, struct ibv_qp *qp,
		     const struct requester_op *op)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)requester->buf + op->off,
		.length = op->len,
		.lkey = requester->mr->lkey,
	};
	struct ibv_send_wr wr = {
		.sg_list = &sge,
		.num_sge = op->len ? 1 : 0,
		.wr_id = op->id,
		.opcode = op->opcode,
		.imm_data = op->imm,
		.send_flags = op->solicited ? IBV_SEND_SOLICITED : 0,
	};
	struct ibv_send_wr *bad;

	if (op->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD ||
	    op->opcode == IBV_WR_ATOMIC_CMP_AND_SWP) {
		bool add = op->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;

		wr.wr.atomic.remote_addr = op->va;
		wr.wr.atomic.rkey = op->rkey;
		wr.wr.atomic.compare_add = add ? op->operand : op->compare;
		wr.wr.atomic.swap = add ? 0 : op->operand;
	} else {
		wr.wr.rdma.remote_addr = op->va;
		wr.wr.rdma.rkey = op->rkey;
	}
	return ibv_post_send(qp, &wr, &bad);
}

bool requester_post(struct requester *requester, struct ibv_qp *qp,
		 const struct requester_op *op)
{
	int err = op->opcode == IBV_WR_ATOMIC_WRITE ?
		  post_atomic_write(qp, op) : post_send(requester, qp, op);

	return check(!err, "post: %s", strerror(err));
}

int requester_wait_for(struct requester *requester, struct ibv_wc *wc)
{
	double end = clock_now() + patience(WAIT_SECONDS);
	int n;

	do {
		n = ibv_poll_cq(requester->cq, 1, wc);
		if (n > 0)
			return wc->status;
	} while (!n && clock_now() < end);
	return -1;
}

int requester_wait(struct requester *requester)
{
	struct ibv_wc wc;

	return requester_wait_for(requester, &wc);
}

int requester_do(struct requester *requester, struct ibv_qp *qp,
	      const struct requester_op *op)
{
	if (!requester_post(requester, qp, op))
		return -1;
	return requester_wait(requester);
}
