// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Queue pairs: making and destroying them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/cmd_ioctl.h>
#include <rdma/ib_user_ioctl_cmds.h>

#include "resp.h"
#include "cq.h"
#include "local.h"
#include "pd.h"
#include "qp.h"

#define COMP_MASK \
	(IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_CREATE_FLAGS | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS)

/* The structure may be one of an older program, which ends before this. */
static uint64_t send_ops(const struct ibv_qp_init_attr_ex *attr)
{
	return attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS ? attr->send_ops_flags : 0;
}

static int check(const struct ibv_qp_init_attr_ex *attr)
{
	if (attr->comp_mask & ~COMP_MASK ||
	    (attr->comp_mask & IBV_QP_INIT_ATTR_CREATE_FLAGS && attr->create_flags))
		return EOPNOTSUPP;
	if (attr->qp_type != IBV_QPT_RC && attr->qp_type != IBV_QPT_UC &&
	    attr->qp_type != IBV_QPT_UD)
		return EOPNOTSUPP;
	if (!(attr->comp_mask & IBV_QP_INIT_ATTR_PD) || !attr->send_cq || !attr->recv_cq)
		return EINVAL;
	return xp_wr_check(attr->qp_type, send_ops(attr));
}

/* Return: 0 or an errno. */
static int map(struct xp_qp *qp, const struct xroce_create_qp_resp *resp,
	       const struct ibv_qp_init_attr_ex *attr)
{
	struct ibv_context *ibctx = qp->vqp.qp.context;
	bool single = xp_pd_single(attr->pd);
	int err = xp_ring_map(ibctx, &resp->send, &qp->sq.ring);

	if (!err)
		err = xp_ring_map(ibctx, &resp->recv, &qp->rq.ring);
	if (err) {
		xp_ring_unmap(&qp->sq.ring);
		return err;
	}
	xp_lock_init(&qp->sq.lock, single);
	xp_lock_init(&qp->rq.lock, single);
	qp->sq.max_sge = attr->cap.max_send_sge;
	qp->sq.max_inline = attr->cap.max_inline_data;
	qp->sq.flags = attr->sq_sig_all ? XROCE_SEND_SIGNALED : 0;
	qp->rq.max_sge = attr->cap.max_recv_sge;
	return 0;
}

/* The attributes with which both structures begin, and the domain. */
static struct ibv_qp_init_attr_ex with_pd(const void *attr, struct ibv_pd *pd)
{
	struct ibv_qp_init_attr_ex ex = { .comp_mask = IBV_QP_INIT_ATTR_PD, .pd = pd };

	static_assert(offsetof(struct ibv_qp_init_attr, sq_sig_all) ==
		      offsetof(struct ibv_qp_init_attr_ex, sq_sig_all), "not a beginning");
	memcpy(&ex, attr, offsetof(struct ibv_qp_init_attr_ex, comp_mask));
	return ex;
}

/* The command, and the memory. Return: 0 or an errno. */
static int create(struct xp_context *ctx, struct xp_qp *qp, struct ibv_qp_init_attr_ex *attr)
{
	struct xp_create_qp_resp resp = {};
	struct ibv_create_qp_ex cmd = {};
	/* Without what the command does not know. */
	struct ibv_qp_init_attr_ex known = with_pd(attr, attr->pd);
	int err;

	xp_wr_prepare(qp);
	err = ibv_cmd_create_qp_ex2(&ctx->vctx.context, &qp->vqp, &known, &cmd, sizeof(cmd),
				    &resp.ibv, sizeof(resp));
	if (err)
		return err;
	attr->cap = known.cap;
	err = map(qp, &resp.xroce, attr);
	if (err)
		ibv_cmd_destroy_qp(&qp->vqp.qp);
	return err;
}

struct ibv_qp *xp_create_qp_ex(struct ibv_context *ibctx, struct ibv_qp_init_attr_ex *attr)
{
	struct xp_context *ctx = to_xp_context(ibctx);
	struct xp_qp *qp;
	int err = check(attr);

	if (err) {
		errno = err;
		return NULL;
	}
	qp = xp_pd_alloc(attr->pd, sizeof(*qp), XP_RESOURCE_QP);
	if (!qp)
		return NULL;
	qp->pd = attr->pd;
	pthread_mutex_lock(&ctx->qpn_lock);
	err = create(ctx, qp, attr);
	pthread_mutex_unlock(&ctx->qpn_lock);
	if (err) {
		xp_pd_free(attr->pd, qp, XP_RESOURCE_QP);
		errno = err;
		return NULL;
	}
	xp_wr_open(qp, send_ops(attr));
	pthread_mutex_lock(&ctx->lock);
	list_add_tail(&ctx->qps, &qp->node);
	pthread_mutex_unlock(&ctx->lock);
	return &qp->vqp.qp;
}

struct ibv_qp *xp_create_qp(struct ibv_pd *ibpd, struct ibv_qp_init_attr *attr)
{
	struct ibv_qp_init_attr_ex ex = with_pd(attr, ibpd);
	struct ibv_qp *ibqp = xp_create_qp_ex(ibpd->context, &ex);

	if (ibqp)
		attr->cap = ex.cap;
	return ibqp;
}

/* Of libibverbs, in no header for providers: $RDMAV_ALLOW_DISASSOC_DESTROY. */
extern bool verbs_allow_disassociate_destroy;

/*
 * As ibv_cmd_destroy_qp(), which waits for the program to acknowledge events, too. Return: 0, with
 * the number of them; or an errno.
 */
static int destroy(struct ibv_qp *ibqp, uint32_t *events)
{
	struct ib_uverbs_destroy_qp_resp resp = {};
	int err;

	DECLARE_COMMAND_BUFFER(cmd, UVERBS_OBJECT_QP, UVERBS_METHOD_QP_DESTROY, 2);
	fill_attr_in_obj(cmd, UVERBS_ATTR_DESTROY_QP_HANDLE, ibqp->handle);
	fill_attr_out_ptr(cmd, UVERBS_ATTR_DESTROY_QP_RESP, &resp);
	err = execute_ioctl(ibqp->context, cmd);
	*events = resp.events_reported;
	return err == EIO && verbs_allow_disassociate_destroy ? 0 : err;
}

/* Without locks: other queue pairs are made and destroyed meanwhile. */
static void wait_acknowledged(struct ibv_qp *ibqp, uint32_t events)
{
	pthread_mutex_lock(&ibqp->mutex);
	while (ibqp->events_completed != events)
		pthread_cond_wait(&ibqp->cond, &ibqp->mutex);
	pthread_mutex_unlock(&ibqp->mutex);
}

int xp_destroy_qp(struct ibv_qp *ibqp)
{
	struct xp_context *ctx = to_xp_context(ibqp->context);
	struct xp_qp *qp = to_xp_qp(ibqp);
	uint32_t events;
	int err;

	xp_local_finish(ctx);
	pthread_mutex_lock(&ctx->qpn_lock);
	err = destroy(ibqp, &events);
	if (!err)
		xp_qp_clean(qp);
	pthread_mutex_unlock(&ctx->qpn_lock);
	if (err)
		return err;
	pthread_mutex_lock(&ctx->lock);
	list_del(&qp->node);
	pthread_mutex_unlock(&ctx->lock);
	wait_acknowledged(ibqp, events);
	xp_ring_unmap(&qp->sq.ring);
	xp_ring_unmap(&qp->rq.ring);
	xp_pd_free(qp->pd, qp, XP_RESOURCE_QP);
	return 0;
}
