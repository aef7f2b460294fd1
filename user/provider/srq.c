// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>

#include "resp.h"
#include "pd.h"
#include "rq.h"
#include "srq.h"

/**
 * struct xp_srq - a shared receive queue
 * @srq: that of libibverbs
 * @rq: the queue
 * @num: its number
 * @pd: the domain that it was made with, whose memory this is
 */
struct xp_srq {
	struct ibv_srq srq;
	struct xp_rq rq;
	uint32_t num;
	struct ibv_pd *pd;
};

static struct xp_srq *to_xp_srq(struct ibv_srq *ibsrq)
{
	return container_of(ibsrq, struct xp_srq, srq);
}

struct ibv_srq *xp_create_srq(struct ibv_pd *ibpd, struct ibv_srq_init_attr *attr)
{
	struct xp_srq *srq = xp_pd_alloc(ibpd, sizeof(*srq), XP_RESOURCE_SRQ);
	struct xp_create_srq_resp resp = {};
	struct ibv_create_srq cmd = {};
	int err;

	if (!srq)
		return NULL;
	srq->pd = ibpd;
	err = ibv_cmd_create_srq(ibpd, &srq->srq, attr, &cmd, sizeof(cmd), &resp.ibv, sizeof(resp));
	if (err)
		goto out_free;
	err = xp_ring_map(ibpd->context, &resp.xroce.ring, &srq->rq.ring);
	if (err)
		goto out_destroy;
	xp_lock_init(&srq->rq.lock, xp_pd_single(ibpd));
	srq->rq.max_sge = attr->attr.max_sge;
	srq->num = resp.xroce.srq;
	return &srq->srq;
out_destroy:
	ibv_cmd_destroy_srq(&srq->srq);
out_free:
	xp_pd_free(ibpd, srq, XP_RESOURCE_SRQ);
	errno = err;
	return NULL;
}

/* The kind of queue that there is, and no other. */
struct ibv_srq *xp_create_srq_ex(struct ibv_context *ibctx __attribute__((unused)),
				 struct ibv_srq_init_attr_ex *attr)
{
	struct ibv_srq_init_attr plain = { .srq_context = attr->srq_context, .attr = attr->attr };
	struct ibv_srq *ibsrq;

	if (attr->comp_mask & ~(IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD) ||
	    (attr->comp_mask & IBV_SRQ_INIT_ATTR_TYPE && attr->srq_type != IBV_SRQT_BASIC)) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	if (!(attr->comp_mask & IBV_SRQ_INIT_ATTR_PD)) {
		errno = EINVAL;
		return NULL;
	}
	ibsrq = xp_create_srq(attr->pd, &plain);
	if (ibsrq)
		attr->attr = plain.attr;
	return ibsrq;
}

/* With the lock for the whole command: nobody posts to the old ring. */
static int resize(struct ibv_srq *ibsrq, struct ibv_srq_attr *attr, int mask)
{
	struct xroce_abi_ring abi = {};
	struct {
		struct ibv_modify_srq ibv;
		struct xroce_modify_srq_cmd xroce;
	} cmd = { .xroce.ring = (uintptr_t)&abi };
	struct xp_rq *rq = &to_xp_srq(ibsrq)->rq;
	struct xp_ring ring;
	int err;

	if (attr->max_wr > XROCE_RQ_MAX)
		return EINVAL;
	/* Behind the command nothing may fail. */
	err = xp_ring_reserve(attr->max_wr, rq->ring.stride, &ring);
	if (err)
		return err;
	xp_lock(&rq->lock);
	err = ibv_cmd_modify_srq(ibsrq, attr, mask, &cmd.ibv, sizeof(cmd));
	if (err)
		xp_ring_unmap(&ring);
	else
		err = xp_ring_map(ibsrq->context, &abi, &ring);
	if (!err) {
		xp_ring_unmap(&rq->ring);
		rq->ring = ring;
	}
	xp_unlock(&rq->lock);
	return err;
}

int xp_modify_srq(struct ibv_srq *ibsrq, struct ibv_srq_attr *attr, int mask)
{
	struct ibv_modify_srq cmd = {};

	if (mask & IBV_SRQ_MAX_WR)
		return resize(ibsrq, attr, mask);
	return ibv_cmd_modify_srq(ibsrq, attr, mask, &cmd, sizeof(cmd));
}

int xp_query_srq(struct ibv_srq *ibsrq, struct ibv_srq_attr *attr)
{
	struct ibv_query_srq cmd = {};

	return ibv_cmd_query_srq(ibsrq, attr, &cmd, sizeof(cmd));
}

int xp_destroy_srq(struct ibv_srq *ibsrq)
{
	struct xp_srq *srq = to_xp_srq(ibsrq);
	int err = ibv_cmd_destroy_srq(ibsrq);

	if (err)
		return err;
	xp_ring_unmap(&srq->rq.ring);
	xp_pd_free(srq->pd, srq, XP_RESOURCE_SRQ);
	return 0;
}

int xp_get_srq_num(struct ibv_srq *ibsrq, uint32_t *num)
{
	*num = to_xp_srq(ibsrq)->num;
	return 0;
}

int xp_post_srq_recv(struct ibv_srq *ibsrq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	return xp_rq_post(&to_xp_srq(ibsrq)->rq, wr, bad);
}
