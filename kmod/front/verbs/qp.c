// SPDX-License-Identifier: GPL-2.0-only
/* Verbs: creating, querying and destroying queue pairs. */
#include <linux/capability.h>
#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>

#include "uapi/xroce.h"

#include "obj/cq.h"
#include "own/owner.h"
#include "qp/create.h"
#include "qp/qp.h"
#include "qp/query.h"
#include "recv/srq.h"

#include "verbs.h"

static_assert((int)IB_QPT_RC == (int)XROCE_QPT_RC);
static_assert((int)IB_QPT_UC == (int)XROCE_QPT_UC);
static_assert((int)IB_QPT_UD == (int)XROCE_QPT_UD);
static_assert((int)IB_QPS_RESET == (int)XROCE_QPS_RESET);
static_assert((int)IB_QPS_INIT == (int)XROCE_QPS_INIT);
static_assert((int)IB_QPS_RTR == (int)XROCE_QPS_RTR);
static_assert((int)IB_QPS_RTS == (int)XROCE_QPS_RTS);
static_assert((int)IB_QPS_SQD == (int)XROCE_QPS_SQD);
static_assert((int)IB_QPS_ERR == (int)XROCE_QPS_ERR);

/* Return: 0; -EOPNOTSUPP: a kind of queue pair that there is not; -EINVAL: out of range. */
static int xr_ib_qp_check(const struct ib_qp_init_attr *init, const struct ib_udata *udata)
{
	const struct ib_qp_cap *cap = &init->cap;

	switch (init->qp_type) {
	case IB_QPT_RC:
	case IB_QPT_UC:
	case IB_QPT_UD:
		break;
	case IB_QPT_GSI:
		if (!udata)
			break;
		fallthrough;
	default:
		return -EOPNOTSUPP;
	}
	if (init->create_flags || init->rwq_ind_tbl)
		return -EOPNOTSUPP;
	if (!init->send_cq || !init->recv_cq)
		return -EINVAL;
	if (cap->max_send_wr > XROCE_SEND_MAX - 1 || cap->max_send_sge > XROCE_SEND_SGE_MAX ||
	    cap->max_inline_data > XROCE_SEND_INLINE_MAX)
		return -EINVAL;
	if (!init->srq && (cap->max_recv_wr > XROCE_RQ_MAX - 1 ||
			   cap->max_recv_sge > XROCE_RQ_SGE_MAX))
		return -EINVAL;
	return 0;
}

/* What the provider is told about a new queue pair. */
union xr_ib_qp_resp {
	struct rxe_create_qp_resp rxe;
	struct xroce_create_qp_resp own;
};

static size_t xr_ib_qp_resp_size(enum xr_format format)
{
	return format == XR_FORMAT_RXE ? sizeof(struct rxe_create_qp_resp) :
					 sizeof(struct xroce_create_qp_resp);
}

/* @udata has room for it. @a: of QP_ADD. */
static int xr_ib_qp_respond(struct ib_udata *udata, const struct xr_ibqp *qp,
			    const struct xroce_qp_add *a)
{
	enum xr_format format = xr_ib_format(qp->ib.device, udata);
	union xr_ib_qp_resp resp = {};

	if (format == XR_FORMAT_RXE) {
		resp.rxe.rq_mi.offset = a->rq_offset;
		resp.rxe.rq_mi.size = a->rq_bytes;
		resp.rxe.sq_mi.offset = qp->send.offset;
		resp.rxe.sq_mi.size = qp->send.bytes;
	} else {
		resp.own.send = xr_ib_ring(a->send_offset, a->send_bytes, a->send_entries,
					   a->send_stride);
		if (a->rq_entries)
			resp.own.recv = xr_ib_ring(a->rq_offset, a->rq_bytes, a->rq_entries,
						   qp->qp->recv.rq.stride);
	}
	return xr_ib_respond(udata, &resp, xr_ib_qp_resp_size(format));
}

/* Create the link's queue pair. @cap: out: what its receive queue can do. */
static int xr_ib_qp_add(struct xr_ibqp *qp, struct ib_udata *udata,
			const struct ib_qp_init_attr *init, struct xroce_qp_add *a,
			struct ib_qp_cap *cap)
{
	struct xr_owner *own = xr_ib_owner(qp->ib.device, udata);
	const struct xr_qp_init by_verbs = {
		.owner = own,
		.context = qp,
		.format = xr_ib_format(qp->ib.device, udata),
		.gsi = init->qp_type == IB_QPT_GSI,
	};
	struct xr_qp *new;

	a->pd = to_xr_ibpd(qp->ib.pd)->id;
	a->type = by_verbs.gsi ? XROCE_QPT_UD : init->qp_type;
	a->recv_cq = to_xr_ibcq(init->recv_cq)->cq->id;
	cap->max_recv_wr = 0;
	cap->max_recv_sge = 0;
	if (init->srq) {
		a->srq = to_xr_ibsrq(init->srq)->srq->id;
	} else {
		a->rq_entries = xr_ib_slots(by_verbs.format, init->cap.max_recv_wr);
		a->rq_max_sge = max(init->cap.max_recv_sge, 1u);
		cap->max_recv_wr = a->rq_entries - xr_ib_empty(by_verbs.format);
		cap->max_recv_sge = a->rq_max_sge;
	}
	if (by_verbs.format == XR_FORMAT_OWN) {
		a->send_cq = to_xr_ibcq(init->send_cq)->cq->id;
		xr_ib_send_ask(a, cap);
	}
	new = xr_qp_create(xr_ib_link(qp->ib.device), own, &by_verbs, a);
	if (IS_ERR(new))
		return xr_ib_errno(PTR_ERR(new));
	qp->qp = new;
	qp->ib.qp_num = a->qpn;
	return 0;
}

/*
 * True if a queue pair holds the module. A program's context does. Of consumers in the kernel a
 * queue pair is what they have while they use a device, for which a disk may depend on it; some
 * have a protection domain on each device that there is. QP 1 is ib_core's and goes with the
 * device.
 */
static bool xr_ib_qp_holds(const struct ib_qp *ib, const struct ib_udata *udata)
{
	return !udata && ib->qp_type != IB_QPT_GSI;
}

int xr_ib_create_qp(struct ib_qp *ib, struct ib_qp_init_attr *init, struct ib_udata *udata)
{
	enum xr_format format = xr_ib_format(ib->device, udata);
	struct xr_ibqp *qp = to_xr_ibqp(ib);
	struct ib_qp_cap cap = init->cap;
	struct xroce_qp_add a = {};
	int ret;

	ret = xr_ib_qp_check(init, udata);
	if (ret)
		return ret;
	if (udata && udata->outlen < xr_ib_qp_resp_size(format))
		return -EINVAL;
	if (xr_ib_qp_holds(ib, udata) && !try_module_get(THIS_MODULE))
		return -ENODEV;
	mutex_init(&qp->modify_lock);
	xr_ib_unread_init(&qp->unread);
	qp->sq_sig_type = init->sq_sig_type;
	if (format == XR_FORMAT_RXE)
		ret = xr_ib_send_create(qp, udata, &cap);
	if (ret)
		goto err;
	ret = xr_ib_qp_add(qp, udata, init, &a, &cap);
	if (ret)
		goto err_send;
	ret = xr_ib_send_open(qp, &cap);
	if (ret)
		goto err_qp;
	ret = xr_ib_qp_respond(udata, qp, &a);
	if (ret)
		goto err_qp;
	qp->cap = cap;
	init->cap = cap;
	return 0;

err_qp:
	xr_qp_delete(xr_ib_link(ib->device), xr_ib_owner(ib->device, udata), a.qpn);
err_send:
	xr_ib_send_destroy(qp);
err:
	mutex_destroy(&qp->modify_lock);
	if (xr_ib_qp_holds(ib, udata))
		module_put(THIS_MODULE);
	return ret;
}

/*
 * True if the caller may know which PSNs are expected now. ib_core's list of queue pairs, which
 * everybody can read (rdma resource show qp), asks for no attribute by name.
 */
static bool xr_ib_query_live(const struct xr_ibqp *qp, int mask)
{
	return mask || qp->qp->owner->pid == task_tgid(current) || capable(CAP_NET_ADMIN);
}

/* The link knows the state and what the responder needs; qp_modify.c has kept the rest. */
int xr_ib_query_qp(struct ib_qp *ib, struct ib_qp_attr *attr, int mask,
		   struct ib_qp_init_attr *init)
{
	struct xroce_qp_query q = { .qpn = ib->qp_num };
	struct xr_ibqp *qp = to_xr_ibqp(ib);
	bool live = false;
	u32 psn = 0;
	int ret;

	mutex_lock(&qp->modify_lock);
	ret = qp->qp ? xr_qp_query(qp->qp->link, qp->qp->owner, &q) : -EINVAL;
	if (!ret) {
		*attr = qp->attr;
		psn = READ_ONCE(qp->qp->send.attr.psn);
		live = xr_ib_query_live(qp, mask);
	}
	mutex_unlock(&qp->modify_lock);
	if (ret)
		return ret;
	attr->qp_state = q.state;
	attr->cur_qp_state = q.state;
	attr->path_mtu = q.path_mtu;
	attr->qkey = q.qkey;
	if (live)
		attr->rq_psn = q.rq_psn;
	attr->sq_psn = live ? q.sq_psn : psn;
	attr->sq_draining = q.sq_draining;
	attr->timeout = q.timeout;
	attr->retry_cnt = q.retry_cnt;
	attr->rnr_retry = q.rnr_retry;
	attr->max_rd_atomic = q.max_rd_atomic;
	attr->dest_qp_num = q.dest_qpn;
	attr->min_rnr_timer = q.min_rnr_timer;
	attr->max_dest_rd_atomic = q.max_dest_rd_atomic;
	attr->cap = qp->cap;

	init->event_handler = ib->event_handler;
	init->qp_context = ib->qp_context;
	init->send_cq = ib->send_cq;
	init->recv_cq = ib->recv_cq;
	init->srq = ib->srq;
	init->cap = qp->cap;
	init->sq_sig_type = qp->sq_sig_type;
	init->qp_type = ib->qp_type;
	return 0;
}

/* Windows that are bound to the queue pair are unbound. */
int xr_ib_destroy_qp(struct ib_qp *ib, struct ib_udata *udata)
{
	struct xr_ibqp *qp = to_xr_ibqp(ib);
	int ret;

	mutex_lock(&qp->modify_lock);
	xr_ib_counter_quit(qp);
	ret = xr_qp_delete(qp->qp->link, xr_ib_owner(ib->device, udata), ib->qp_num);
	/* Some kernels query it until this returns: rdma(8) lists it. */
	if (ret)
		xr_ib_counter_stay(qp);
	else
		qp->qp = NULL;
	mutex_unlock(&qp->modify_lock);
	if (ret)
		return ret;
	xr_ib_send_destroy(qp);
	if (!udata && ib->send_cq)
		xr_ib_cq_settle(ib->send_cq);
	if (!udata && ib->recv_cq)
		xr_ib_cq_settle(ib->recv_cq);
	if (xr_ib_qp_holds(ib, udata))
		module_put(THIS_MODULE);
	/* Nothing that sleeps may follow: see xr_ib_exit(). */
	return 0;
}
