// SPDX-License-Identifier: GPL-2.0-only
/*
 * A work request is copied when its message begins: the program can write the
 * ring at any time. Each element is then checked against the module's own table
 * of regions as bytes arrive for it, one region held at a time.
 */
#include <linux/ip.h>
#include <linux/ipv6.h>

#include "uapi/xroce.h"
#include "xroce_kfunc.h"
#include "xroce_wire.h"

#include "cq.h"
#include "frame.h"
#include "keep.h"
#include "link.h"
#include "mr_copy.h"
#include "mr_stat.h"
#include "mw.h"
#include "qp.h"
#include "recv.h"
#include "srq.h"

/* Room for the IP header before a datagram (IBTA 11.4.1.2, A17.4.5.1). */
#define XR_GRH_LEN	sizeof(struct ipv6hdr)

/**
 * xr_recv_init() - make the receive side of a queue pair
 * @v: zeroed
 * @a: what the program wants
 *
 * Return: 0, -EINVAL or -ENOMEM; xr_recv_free() undoes it.
 */
int xr_recv_init(struct xr_recv *v, const struct xroce_qp_add *a)
{
	spin_lock_init(&v->lock);
	if (!a->recv_cq || a->srq) {
		if ((a->srq && !a->recv_cq) || a->rq_entries || a->rq_max_sge)
			return -EINVAL;
		return 0;
	}
	return xr_rq_init(&v->rq, a->rq_entries, a->rq_max_sge);
}

/**
 * xr_recv_join() - tie it to its completion queue and shared receive queue
 * @link: where; its lock is held
 * @qp: the queue pair; owner, domain and number are there
 * @a: in: which; out: where its own queue is
 *
 * Queues belong to files, and do not outlive their queue pairs' owner that way.
 *
 * Return: 0, -ENOENT or -EINVAL (another protection domain).
 */
int xr_recv_join(struct xr_link *link, struct xr_qp *qp,
		 struct xroce_qp_add *a)
{
	struct xr_recv *v = &qp->recv;

	xr_event_init(&v->fatal, XROCE_EVENT_QP_FATAL, qp->qpn);
	a->rq_offset = 0;
	a->rq_bytes = 0;
	if (!a->recv_cq)
		return 0;
	v->cq = xr_cq_find(link, qp->owner, a->recv_cq);
	if (!v->cq)
		return -ENOENT;
	if (a->srq) {
		v->srq = xr_srq_find(link, qp->owner, a->srq);
		if (!v->srq)
			return -ENOENT;
		if (v->srq->pd != qp->pd)
			return -EINVAL;
		v->srq->users++;
	} else {
		xr_ring_publish(&v->rq.ring, qp->owner);
		a->rq_offset = v->rq.ring.offset;
		a->rq_bytes = v->rq.ring.bytes;
	}
	v->cq->users++;
	return 0;
}

/* The opposite. Nothing is received when it returns. The link's lock is held. */
void xr_recv_leave(struct xr_qp *qp)
{
	struct xr_recv *v = &qp->recv;

	spin_lock_bh(&v->lock);
	v->on = false;
	v->busy = false;
	spin_unlock_bh(&v->lock);
	xr_event_cancel(&qp->owner->events, &v->fatal);
	if (v->srq)
		v->srq->users--;
	if (v->cq)
		v->cq->users--;
}

void xr_recv_free(struct xr_recv *v)
{
	xr_ring_free(&v->rq.ring);
}

/* Out of RESET. */
void xr_recv_start(struct xr_qp *qp)
{
	spin_lock_bh(&qp->recv.lock);
	qp->recv.on = true;
	spin_unlock_bh(&qp->recv.lock);
}

/* Back to RESET: what is posted is forgotten. */
void xr_recv_reset(struct xr_qp *qp)
{
	struct xr_recv *v = &qp->recv;

	spin_lock_bh(&v->lock);
	v->on = false;
	v->busy = false;
	if (v->rq.ring.mem)
		xr_rq_forget(&v->rq);
	spin_unlock_bh(&v->lock);
}

/* The work request in progress is over. @v->lock is held. */
static int xr_recv_error(struct xr_qp *qp, u32 status)
{
	struct xr_recv *v = &qp->recv;
	struct xroce_cqe cqe = {
		.wr_id = v->wqe.wr_id,
		.status = status,
		.opcode = XROCE_WC_RECV,
		.qpn = qp->qpn,
	};

	v->busy = false;
	return xr_cq_post(v->cq, &cqe);
}

/* Complete all that is posted, as far as there is room. @v->lock is held. */
static void xr_recv_flush(struct xr_qp *qp)
{
	struct xr_recv *v = &qp->recv;

	if (v->busy && xr_recv_error(qp, XROCE_WC_WR_FLUSH_ERR))
		return;
	/* Those of a shared queue are for others. */
	while (v->rq.ring.mem && xr_rq_take(&v->rq, &v->wqe) != -EAGAIN)
		if (xr_recv_error(qp, XROCE_WC_WR_FLUSH_ERR))
			return;
}

/* To ERR, as the program wants, or is about to learn. */
void xr_recv_stop(struct xr_qp *qp)
{
	spin_lock_bh(&qp->recv.lock);
	qp->recv.on = false;
	xr_recv_flush(qp);
	spin_unlock_bh(&qp->recv.lock);
}

/* To ERR because of a packet. @v->lock is held. */
static void xr_recv_fail_locked(struct xr_qp *qp)
{
	if (!qp->recv.on)
		return;
	qp->recv.on = false;
	xr_recv_flush(qp);
	xr_event_raise(&qp->owner->events, &qp->recv.fatal);
}

void xr_recv_fail(struct xr_qp *qp)
{
	spin_lock_bh(&qp->recv.lock);
	xr_recv_fail_locked(qp);
	spin_unlock_bh(&qp->recv.lock);
}

/* Take a work request, or begin again with the last one. */
static int xr_recv_begin(struct xr_recv *v)
{
	int ret = 0;
	u32 i;

	if (!v->busy)
		ret = v->srq ? xr_srq_take(v->srq, &v->wqe) :
			       xr_rq_take(&v->rq, &v->wqe);
	if (ret == -EAGAIN)
		return ret;
	v->busy = true;
	v->done = 0;
	v->sge = 0;
	v->in_sge = 0;
	v->room = 0;
	for (i = 0; i < v->wqe.num_sge; i++)
		v->room += v->wqe.sge[i].length;
	return ret;
}

/*
 * Into a part of an element: @buf, or else @len bytes of the frame at @off. Return:
 * 0, -EFAULT, or for memory on demand that is not there -EINPROGRESS, -EBUSY.
 */
static int xr_recv_store(struct xr_link *link, struct xr_qp *qp,
			 const struct xroce_sge_local *sge, u32 in,
			 const void *buf, struct xdp_buff *xdp, u32 off,
			 u32 len)
{
	u64 va = sge->addr + in;
	struct xr_mr *mr;
	int ret;

	mr = xr_mr_hold(link, sge->lkey);
	if (!mr)
		return -EFAULT;
	if (mr->pd != qp->pd || !(mr->access & XROCE_ACCESS_LOCAL_WRITE) ||
	    va < sge->addr)
		ret = -EFAULT;
	else if (buf)
		ret = xr_mr_store(mr, va, buf, len);
	else
		ret = xr_mr_write(mr, va, xdp, off, len, 0);
	if (ret == -EAGAIN)
		ret = xr_keep_missed(qp, mr->pin->odp, xdp);
	if (!ret)
		/* An IP header is a part of the packet that follows. */
		xr_mr_count_in(mr, !buf, len, !qp->recv.done);
	else if (ret != -EAGAIN && ret != -EINPROGRESS)
		xr_mr_count_refused(mr);
	xr_mr_drop();
	if (ret == -EAGAIN)
		return -EBUSY;
	return !ret || ret == -EINPROGRESS ? ret : -EFAULT;
}

/*
 * On from where the message has come to. There is room. What has been stored when
 * memory on demand is not there is stored again.
 */
static int xr_recv_scatter(struct xr_link *link, struct xr_qp *qp,
			   const void *buf, struct xdp_buff *xdp, u32 off,
			   u32 len)
{
	struct xr_recv *v = &qp->recv;
	const struct xroce_sge_local *sge;
	u32 n;
	int ret;

	while (len) {
		sge = &v->wqe.sge[v->sge];
		n = min(len, sge->length - v->in_sge);
		if (!n) {
			v->sge++;
			v->in_sge = 0;
			continue;
		}
		ret = xr_recv_store(link, qp, sge, v->in_sge, buf, xdp, off, n);
		if (ret)
			return ret;
		v->in_sge += n;
		v->done += n;
		len -= n;
		off += n;
		if (buf)
			buf += n;
	}
	return 0;
}

/* The IP header, at the end of its room. Return: 0 or -EINVAL. */
static int xr_recv_grh(struct xdp_buff *xdp, u32 l3, u8 *grh)
{
	u32 linear = xdp->data_end - xdp->data;
	u32 len = sizeof(struct iphdr);
	const u8 *ip = xdp->data + l3;

	if (l3 >= linear)
		return -EINVAL;
	if (*ip >> 4 == 6)
		len = sizeof(struct ipv6hdr);
	if (len > linear - l3)
		return -EINVAL;
	memset(grh, 0, XR_GRH_LEN);
	memcpy(grh + XR_GRH_LEN - len, ip, len);
	return 0;
}

/* The bytes of one packet. */
static int xr_recv_bytes(struct xr_link *link, struct xr_qp *qp,
			 struct xdp_buff *xdp, const struct xroce_recv *r)
{
	u32 grh_len = r->flags & XROCE_RECV_GRH ? XR_GRH_LEN : 0;
	struct xr_recv *v = &qp->recv;
	u64 total = (u64)v->done + grh_len + r->len;
	u32 done = v->done, sge = v->sge, in_sge = v->in_sge;
	u8 grh[XR_GRH_LEN];
	int ret = 0;

	if (total > v->room || total > XROCE_MAX_MSG)
		return -EMSGSIZE;
	if (grh_len) {
		ret = xr_recv_grh(xdp, r->l3, grh);
		if (!ret)
			ret = xr_recv_scatter(link, qp, grh, xdp, 0, grh_len);
	}
	if (!ret)
		ret = xr_recv_scatter(link, qp, NULL, xdp, r->off, r->len);
	if (ret == -EINPROGRESS || ret == -EBUSY) {
		v->done = done;
		v->sge = sge;
		v->in_sge = in_sge;
	}
	return ret;
}

static int xr_recv_end(struct xr_qp *qp, const struct xroce_recv *r)
{
	bool write = r->flags & XROCE_RECV_WRITE;
	struct xr_recv *v = &qp->recv;
	struct xroce_cqe cqe = {
		.wr_id = v->wqe.wr_id,
		.status = XROCE_WC_SUCCESS,
		.opcode = write ? XROCE_WC_RECV_RDMA_WITH_IMM : XROCE_WC_RECV,
		.byte_len = write ? r->byte_len : v->done,
		.imm_or_key = r->imm,
		.qpn = qp->qpn,
		.src_qpn = r->src_qpn,
		.pkey = r->pkey,
	};

	if (r->flags & XROCE_RECV_IMM)
		cqe.flags |= XROCE_WC_WITH_IMM;
	if (r->flags & XROCE_RECV_INV)
		cqe.flags |= XROCE_WC_WITH_INV;
	if (r->flags & XROCE_RECV_SOLICITED)
		cqe.flags |= XROCE_WC_SOLICITED;
	if (r->flags & XROCE_RECV_GRH)
		cqe.flags |= XROCE_WC_GRH;
	v->busy = false;
	return xr_cq_post(v->cq, &cqe);
}

/* What the program is told of a work request that ended with @error. */
static u32 xr_recv_status(int error)
{
	switch (error) {
	case -EMSGSIZE:
		return XROCE_WC_LOC_LEN_ERR;
	case -EFAULT:
		return XROCE_WC_LOC_PROT_ERR;
	default:
		return XROCE_WC_LOC_QP_OP_ERR;
	}
}

/**
 * xr_recv_packet() - receive a packet
 * @link: where
 * @qp: the queue pair
 * @xdp: the frame; the payload is inside it
 * @r: a copy of what the XDP program wants
 *
 * In softirq, under RCU.
 *
 * Return: see xroce_recv().
 */
int xr_recv_packet(struct xr_link *link, struct xr_qp *qp,
		   struct xdp_buff *xdp, const struct xroce_recv *r)
{
	struct xr_recv *v = &qp->recv;
	int ret = 0;

	spin_lock_bh(&v->lock);
	if (!v->on || !v->cq) {
		ret = -ENOENT;
		goto out;
	}
	if (r->flags & XROCE_RECV_BEGIN)
		ret = xr_recv_begin(v);
	if (ret == -EAGAIN)
		goto out;
	if (!v->busy) {
		ret = -ENOENT;
		goto out;
	}
	if (!ret && !(r->flags & XROCE_RECV_WRITE))
		ret = xr_recv_bytes(link, qp, xdp, r);
	if (!ret && r->flags & XROCE_RECV_END && r->flags & XROCE_RECV_INV &&
	    xr_mw_invalidate(link, qp, r->imm))
		ret = -EKEYREJECTED;
	if (!ret && r->flags & XROCE_RECV_END)
		ret = xr_recv_end(qp, r);
	/* Where nothing is answered, the next message may have the room. */
	if (!ret || ret == -EINPROGRESS || ret == -EBUSY ||
	    (ret == -EMSGSIZE && qp->type != XROCE_QPT_RC))
		goto out;
	/* The peer's error: the work request is flushed with the others. */
	if (v->busy && ret != -EKEYREJECTED)
		xr_recv_error(qp, xr_recv_status(ret));
	xr_recv_fail_locked(qp);
out:
	spin_unlock_bh(&v->lock);
	return ret;
}
