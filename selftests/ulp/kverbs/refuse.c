// SPDX-License-Identifier: GPL-2.0-only
/* Rows: what a consumer in the kernel must not get, and what is no longer its own. */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/string.h>
#include <rdma/ib_verbs.h>

#include "kverbs.h"

#define KV_QKEY		0x1234
#define KV_MTU		4096u	/* of datagrams, on a netdev with an MTU of 4300 */

static struct ib_qp *kv_datagram_qp(struct kv_end *e)
{
	struct ib_qp_init_attr init = {
		.qp_type = IB_QPT_UD,
		.sq_sig_type = IB_SIGNAL_REQ_WR,
		.send_cq = e->cq,
		.recv_cq = e->cq,
		.cap = { .max_send_wr = 8, .max_recv_wr = 1, .max_send_sge = 1,
			 .max_recv_sge = 1 },
	};

	return ib_create_qp(e->pd, &init);
}

static int kv_datagram_ready(struct ib_qp *qp)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_INIT, .port_num = 1, .qkey = KV_QKEY,
	};
	int ret;

	ret = ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_QKEY);
	attr.qp_state = IB_QPS_RTR;
	ret = ret ?: ib_modify_qp(qp, &attr, IB_QP_STATE);
	attr.qp_state = IB_QPS_RTS;
	return ret ?: ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_SQ_PSN);
}

/* @own, @foreign: address handles of a's domain and of another one. */
static int kv_datagrams(struct kv *kv, struct ib_qp *qp, struct ib_ah *own, struct ib_ah *foreign)
{
	struct ib_sge sge = kv_sge(&kv->a, KV_MTU);
	struct ib_ud_wr wr = {
		.wr = { .opcode = IB_WR_SEND, .sg_list = &sge, .num_sge = 1 },
		.remote_qpn = kv->b.qp->qp_num,
		.remote_qkey = KV_QKEY,
	};
	struct ib_qp *rc = kv->a.qp;
	int ret;

	expect(kv_datagram_ready(qp), 0);
	expect(ib_post_send(qp, &wr.wr, NULL), -EINVAL);
	wr.ah = foreign;
	expect(ib_post_send(qp, &wr.wr, NULL), -EINVAL);
	wr.ah = own;
	wr.wr.opcode = IB_WR_RDMA_WRITE;
	expect(ib_post_send(qp, &wr.wr, NULL), -EINVAL);
	wr.wr.opcode = IB_WR_SEND;
	sge.length = KV_MTU + 1;
	expect(ib_post_send(qp, &wr.wr, NULL), -EINVAL);
	/* Nothing of these has been posted. */
	sge.length = KV_MTU;
	kv->a.qp = qp;
	ret = kv_do(&kv->a, &wr.wr);
	kv->a.qp = rc;
	expect(ret, IB_WC_SUCCESS);
	return 0;
}

static int kv_datagram_handles(struct kv *kv, struct ib_qp *qp)
{
	struct rdma_ah_attr attr = {};
	struct ib_ah *own, *foreign;
	int ret;

	expect(kv_address(kv->dev, &attr), 0);
	own = rdma_create_ah(kv->a.pd, &attr, RDMA_CREATE_AH_SLEEPABLE);
	expect(PTR_ERR_OR_ZERO(own), 0);
	foreign = rdma_create_ah(kv->other.pd, &attr, RDMA_CREATE_AH_SLEEPABLE);
	ret = PTR_ERR_OR_ZERO(foreign) ?: kv_datagrams(kv, qp, own, foreign);
	if (!IS_ERR(foreign))
		rdma_destroy_ah(foreign, RDMA_DESTROY_AH_SLEEPABLE);
	rdma_destroy_ah(own, RDMA_DESTROY_AH_SLEEPABLE);
	return ret;
}

/* Datagrams by no address handle, by one of another domain, too long, or of another opcode. */
int kv_datagram_refused(struct kv *kv)
{
	struct ib_qp *qp = kv_datagram_qp(&kv->a);
	int ret;

	expect(PTR_ERR_OR_ZERO(qp), 0);
	ret = kv_datagram_handles(kv, qp);
	ib_destroy_qp(qp);
	return ret;
}

/* Requests that a connected queue pair does not execute. */
int kv_post_refused(struct kv *kv)
{
	struct ib_sge sge = kv_sge(&kv->a, 8);
	struct ib_rdma_wr wr = {
		.wr = { .opcode = IB_WR_RDMA_READ, .sg_list = &sge, .num_sge = 1,
			.send_flags = IB_SEND_INLINE },
	};
	struct ib_mr *mr = kv->b.mr;
	struct ib_reg_wr reg = { .wr.opcode = IB_WR_REG_MR, .mr = mr, .access = KV_RW };

	expect(kv_register(kv, 1, KV_RW), 0);
	wr.remote_addr = mr->iova;
	wr.rkey = mr->rkey;
	expect(ib_post_send(kv->a.qp, &wr.wr, NULL), -EINVAL);
	wr.wr.opcode = IB_WR_LSO;
	expect(ib_post_send(kv->a.qp, &wr.wr, NULL), -EINVAL);
	/* The key of another region, which is a's. */
	expect(kv_inv(&kv->b, mr->rkey), IB_WC_SUCCESS);
	reg.key = kv->a.mr->rkey;
	expect(ib_post_send(kv->b.qp, &reg.wr, NULL), -EINVAL);
	expect(kv_reg(&kv->b, &kv->b, 2, KV_RW), IB_WC_SUCCESS);
	return 0;
}

/* Pages of a region that are smaller than the kernel's, or no power of 2; memory without end. */
int kv_region_refused(struct kv *kv)
{
	struct ib_mr *mr = kv->b.mr, *user;
	struct ib_pd *pd;

	expect(kv_register(kv, 1, KV_RW), 0);
	expect(ib_map_mr_sg(mr, &kv->b.sg, 1, NULL, PAGE_SIZE / 2), -EINVAL);
	expect(ib_map_mr_sg(mr, &kv->b.sg, 1, NULL, 3 * PAGE_SIZE), -EINVAL);
	/* Memory of a program, which there is none of; and all memory, for peers. */
	user = ib_reg_user_mr(kv->b.pd, 0, PAGE_SIZE, 0, IB_ACCESS_LOCAL_WRITE);
	if (!IS_ERR(user))
		ib_dereg_mr(user);
	expect(PTR_ERR_OR_ZERO(user), -EOPNOTSUPP);
	pd = ib_alloc_pd(kv->dev, IB_PD_UNSAFE_GLOBAL_RKEY);
	if (!IS_ERR(pd))
		ib_dealloc_pd(pd);
	expect(PTR_ERR_OR_ZERO(pd), -EOPNOTSUPP);
	return 0;
}

static int kv_create(struct kv *kv, const struct ib_qp_init_attr *init)
{
	struct ib_qp_init_attr copy = *init;
	struct ib_qp *qp = ib_create_qp(kv->a.pd, &copy);

	if (IS_ERR(qp))
		return PTR_ERR(qp);
	ib_destroy_qp(qp);
	return 0;
}

/* Queues that there are not. */
int kv_create_refused(struct kv *kv)
{
	struct ib_qp_init_attr init = {
		.qp_type = IB_QPT_RC,
		.send_cq = kv->a.cq,
		.recv_cq = kv->a.cq,
		.cap = { .max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1,
			 .max_recv_sge = 1 },
	};
	struct ib_srq_init_attr shared = {
		.srq_type = IB_SRQT_TM,
		.attr = { .max_wr = 1, .max_sge = 1 },
	};
	struct ib_srq *srq;

	expect(kv_create(kv, &init), 0);
	init.create_flags = IB_QP_CREATE_NETIF_QP;
	expect(kv_create(kv, &init), -EOPNOTSUPP);
	init.create_flags = 0;
	init.send_cq = NULL;
	expect(kv_create(kv, &init), -EINVAL);
	init.send_cq = kv->a.cq;
	init.recv_cq = NULL;
	expect(kv_create(kv, &init), -EINVAL);
	shared.ext.cq = kv->a.cq;
	srq = ib_create_srq(kv->a.pd, &shared);
	if (!IS_ERR(srq))
		ib_destroy_srq(srq);
	expect(PTR_ERR_OR_ZERO(srq), -EOPNOTSUPP);
	/* Only programs can map another ring. */
	expect(ib_resize_cq(kv->a.cq, KV_DEPTH), -EOPNOTSUPP);
	return 0;
}

/* Completions of a queue pair are gone when it is, before anybody has polled them. */
int kv_completions_gone(struct kv *kv)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_ERR };
	struct ib_wc wc;

	expect(kv_recv(&kv->a), 0);
	expect(kv_recv(&kv->a), 0);
	expect(ib_modify_qp(kv->a.qp, &attr, IB_QP_STATE), 0);
	ib_destroy_qp(kv->a.qp);
	kv->a.qp = NULL;
	expect(ib_poll_cq(kv->a.cq, 1, &wc), 0);
	return 0;
}

/*
 * A region is invalidated behind a SEND out of it, for which the peer has no receive yet: not
 * before the SEND, which is sent again, is acknowledged.
 */
int kv_inv_follows(struct kv *kv)
{
	struct ib_mr *mr = kv->a.mr;
	struct ib_sge sge = { .length = 64 };
	struct ib_send_wr inv = { .opcode = IB_WR_LOCAL_INV, .send_flags = IB_SEND_SIGNALED };
	struct ib_send_wr send = {
		.opcode = IB_WR_SEND, .send_flags = IB_SEND_SIGNALED,
		.sg_list = &sge, .num_sge = 1, .next = &inv,
	};
	struct ib_wc wc;
	int i;

	memset(kv->a.buf, 0xa5, KV_BYTES);
	expect(kv_map(&kv->a, KV_OFF, KV_LEN), 1);
	expect(kv_reg(&kv->a, &kv->a, 1, KV_RW), IB_WC_SUCCESS);
	sge.addr = mr->iova;
	sge.lkey = mr->lkey;
	inv.ex.invalidate_rkey = mr->rkey;
	expect(ib_post_send(kv->a.qp, &send, NULL), 0);
	/* Some refusals for want of a receive. */
	msleep(50);
	expect(ib_poll_cq(kv->a.cq, 1, &wc), 0);
	expect(kv_recv(&kv->b), 0);
	for (i = 0; i < 2; i++) {
		expect(kv_poll(&kv->a, &wc), 0);
		expect(wc.status, IB_WC_SUCCESS);
		expect(wc.opcode, i ? IB_WC_LOCAL_INV : IB_WC_SEND);
	}
	expect(kv_poll(&kv->b, &wc), 0);
	expect(wc.status, IB_WC_SUCCESS);
	expect(memcmp(kv->b.buf, kv->a.buf, 64), 0);
	return 0;
}

/* More sends than the queue holds, to a peer that does not answer. */
int kv_full_sends(struct kv *kv)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_ERR };
	struct ib_rdma_wr wr = { .wr.opcode = IB_WR_RDMA_WRITE };
	u32 i = 0;

	expect(ib_modify_qp(kv->b.qp, &attr, IB_QP_STATE), 0);
	while (i < 4 * KV_DEPTH && !ib_post_send(kv->a.qp, &wr.wr, NULL))
		i++;
	expect(i >= KV_DEPTH && i < 4 * KV_DEPTH, 1);
	expect(ib_post_send(kv->a.qp, &wr.wr, NULL), -ENOMEM);
	return 0;
}
