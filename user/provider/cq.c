// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Completion queues: the verbs that are commands. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "resp.h"
#include "cq.h"
#include "pd.h"

#define COMP_MASK	(IBV_CQ_INIT_ATTR_MASK_FLAGS | IBV_CQ_INIT_ATTR_MASK_PD)
#define CREATE_FLAGS	(IBV_CREATE_CQ_ATTR_SINGLE_THREADED | IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN)
/* What struct xroce_cqe has. */
#define WC_FLAGS	(IBV_WC_STANDARD_FLAGS | IBV_WC_EX_WITH_CVLAN | \
			 IBV_WC_EX_WITH_COMPLETION_TIMESTAMP | \
			 IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK)

/* True if one thread at a time uses the queue. */
static bool is_single(const struct ibv_cq_init_attr_ex *attr)
{
	if (attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS &&
	    attr->flags & IBV_CREATE_CQ_ATTR_SINGLE_THREADED)
		return true;
	return attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_PD && xp_pd_single(attr->parent_domain);
}

static int check(const struct ibv_cq_init_attr_ex *attr)
{
	if (attr->comp_mask & ~COMP_MASK || attr->wc_flags & ~(uint64_t)WC_FLAGS)
		return EOPNOTSUPP;
	if (attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS && attr->flags & ~CREATE_FLAGS)
		return EOPNOTSUPP;
	return !attr->cqe || attr->cqe > INT_MAX ? EINVAL : 0;
}

/* Return: the queue; NULL, with errno. */
static struct xp_cq *create(struct ibv_context *ibctx, const struct ibv_cq_init_attr_ex *attr)
{
	struct ibv_pd *pd = attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_PD ? attr->parent_domain : NULL;
	struct ibv_cq_init_attr_ex known = {
		.cqe = attr->cqe,
		.cq_context = attr->cq_context,
		.channel = attr->channel,
		.comp_vector = attr->comp_vector,
		.wc_flags = attr->wc_flags,
		.comp_mask = attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS,
		.flags = attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS ? attr->flags : 0,
	};
	struct xp_create_cq_resp resp = {};
	struct ibv_create_cq_ex cmd = {};
	struct xp_cq *cq;
	int err = check(attr);

	if (err) {
		errno = err;
		return NULL;
	}
	/* One kind of timestamps: the module stamps, and the wall clock is computed from that. */
	if (known.wc_flags & IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK)
		known.wc_flags |= IBV_WC_EX_WITH_COMPLETION_TIMESTAMP;
	cq = xp_pd_alloc(pd, sizeof(*cq), XP_RESOURCE_CQ);
	if (!cq)
		return NULL;
	cq->pd = pd;
	err = ibv_cmd_create_cq_ex(ibctx, &known, &cq->vcq, &cmd, sizeof(cmd), &resp.ibv,
				   sizeof(resp), 0);
	if (err)
		goto out_free;
	err = xp_ring_map(ibctx, &resp.xroce.ring, &cq->ring);
	if (err)
		goto out_destroy;
	cq->header = cq->ring.mem;
	xp_lock_init(&cq->lock, is_single(attr));
	return cq;
out_destroy:
	ibv_cmd_destroy_cq(&cq->vcq.cq);
out_free:
	xp_pd_free(pd, cq, XP_RESOURCE_CQ);
	errno = err;
	return NULL;
}

struct ibv_cq *xp_create_cq(struct ibv_context *ibctx, int cqe, struct ibv_comp_channel *channel,
			    int vector)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = cqe < 0 ? 0 : cqe,
		.channel = channel,
		.comp_vector = vector,
	};
	struct xp_cq *cq = create(ibctx, &attr);

	return cq ? &cq->vcq.cq : NULL;
}

struct ibv_cq_ex *xp_create_cq_ex(struct ibv_context *ibctx, struct ibv_cq_init_attr_ex *attr)
{
	struct xp_cq *cq = create(ibctx, attr);

	if (!cq)
		return NULL;
	xp_cq_ex_open(&cq->vcq.cq_ex);
	return &cq->vcq.cq_ex;
}

/* Exchange the rings. Whoever arms the queue may still write to the old one, so it stays. */
static void replace(struct xp_cq *cq, const struct xp_ring *ring)
{
	struct xroce_cq_header *old = cq->header;

	cq->old[cq->olds++] = cq->ring;
	cq->ring = *ring;
	__atomic_store_n(&cq->header, (struct xroce_cq_header *)ring->mem, __ATOMIC_SEQ_CST);
	xp_cq_arm_moved(cq, old);
}

/* The command, with nothing behind it that may fail. Return: 0, with the new ring; or an errno. */
static int resize(struct xp_cq *cq, int cqe, struct xp_ring *ring)
{
	struct xp_resize_cq_resp resp = {};
	struct ibv_resize_cq cmd = {};
	int err;

	if (cqe <= 0 || cqe > XROCE_CQ_MAX)
		return EINVAL;
	err = xp_ring_reserve(cqe, cq->ring.stride, ring);
	if (err)
		return err;
	err = ibv_cmd_resize_cq(&cq->vcq.cq, cqe, &cmd, sizeof(cmd), &resp.ibv, sizeof(resp));
	if (err)
		xp_ring_unmap(ring);
	else
		err = xp_ring_map(cq->vcq.cq.context, &resp.xroce.ring, ring);
	return err;
}

/* With the lock for the whole command: nobody polls the old ring once the module has the new. */
int xp_resize_cq(struct ibv_cq *ibcq, int cqe)
{
	struct xp_cq *cq = to_xp_cq(ibcq);
	struct xp_ring ring, *old;
	int err;

	xp_lock(&cq->lock);
	old = realloc(cq->old, (cq->olds + 1) * sizeof(*old));
	if (!old) {
		xp_unlock(&cq->lock);
		return ENOMEM;
	}
	cq->old = old;
	err = resize(cq, cqe, &ring);
	if (!err)
		replace(cq, &ring);
	xp_unlock(&cq->lock);
	return err;
}

int xp_modify_cq(struct ibv_cq *ibcq, struct ibv_modify_cq_attr *attr)
{
	struct ibv_modify_cq cmd = {};

	return ibv_cmd_modify_cq(ibcq, attr, &cmd, sizeof(cmd));
}

int xp_destroy_cq(struct ibv_cq *ibcq)
{
	struct xp_cq *cq = to_xp_cq(ibcq);
	int err = ibv_cmd_destroy_cq(ibcq);

	if (err)
		return err;
	while (cq->olds)
		xp_ring_unmap(&cq->old[--cq->olds]);
	free(cq->old);
	xp_ring_unmap(&cq->ring);
	xp_pd_free(cq->pd, cq, XP_RESOURCE_CQ);
	return 0;
}

/* From the newest to the oldest: those that stay move up, behind what is new meanwhile. */
void xp_cq_clean(struct xp_cq *cq, uint32_t qpn)
{
	const struct xroce_cqe *cqe;
	uint32_t to, i;

	xp_lock(&cq->lock);
	i = to = __atomic_load_n(&xp_cq_header(cq)->tail, __ATOMIC_ACQUIRE);
	/* It has been overrun: the oldest ones are gone. */
	if (to - cq->head > cq->ring.mask + 1)
		cq->head = to - (cq->ring.mask + 1);
	while (i != cq->head) {
		cqe = xp_ring_entry(&cq->ring, --i);
		if (cqe->qpn == qpn)
			continue;
		if (--to != i)
			*(struct xroce_cqe *)xp_ring_entry(&cq->ring, to) = *cqe;
	}
	cq->head = to;
	xp_cq_take(cq);
	xp_unlock(&cq->lock);
}
