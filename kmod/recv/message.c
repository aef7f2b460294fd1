// SPDX-License-Identifier: GPL-2.0-only
/*
 * Receiving messages into receive work requests.
 *
 * A work request is copied out of the ring when its message begins, because the program can
 * write to the ring at any time. If the message is a single packet, no copy is needed: each
 * field is read once. The L_Key of an element is looked up in the module's own table when
 * bytes arrive for it. One region is held at a time.
 */
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>

#include "uapi/xroce.h"
#include "xroce_kfunc.h"
#include "xroce_wire.h"

#include "bytes/frame.h"
#include "frame/payload.h"
#include "obj/cq.h"
#include "obj/fast.h"
#include "obj/link.h"
#include "obj/mr_stat.h"
#include "obj/mw.h"
#include "defer/defer.h"
#include "qp/error.h"
#include "qp/qp.h"

#include "message.h"
#include "queue.h"
#include "srq.h"

/* Room for the IP header before a datagram (IBTA 11.4.1.2, A17.4.5.1). */
#define XR_GRH_LEN	sizeof(struct ipv6hdr)

/*
 * Take a work request. If the previous message has not ended, use its work request again.
 * Return: 0, -EAGAIN: there is none, or -EINVAL: it is malformed.
 */
static int xr_recv_begin(struct xr_recv *v)
{
	int ret = 0;

	if (likely(!v->busy))
		ret = v->srq ? xr_srq_take(v->srq, &v->wqe) :
			       xr_rq_take(&v->rq, v->format, &v->wqe);
	if (ret == -EAGAIN)
		return ret;
	v->busy = true;
	v->done = 0;
	v->sge = 0;
	v->in_sge = 0;
	return ret;
}

/*
 * Writing to an element has failed with @ret. Release its region, and defer the frame if
 * on-demand memory is missing. Return: as xr_recv_store().
 */
static noinline int xr_recv_not_stored(struct xr_qp *qp, const struct xr_mr *mr, u64 va,
				       u32 len, struct xdp_buff *xdp, int ret)
{
	struct xr_odp_miss miss;

	if (ret == -EAGAIN)
		xr_mr_miss(mr, va, len, 0, true, &miss);
	xr_mr_release();
	if (ret == -EAGAIN)
		ret = qp->recv.group ? xr_odp_ask(&miss, qp->epoch) :
				       xr_defer_missed(qp, &miss, xdp);
	if (ret == -EAGAIN)
		return -EBUSY;
	if (ret == -EINPROGRESS)
		return ret;
	/* The structure is still allocated: this is an RCU read-side section. */
	xr_mr_count_refused(mr->stat);
	return -EFAULT;
}

/*
 * Write @len bytes to an element, at @in. Return: 0; -EFAULT: not accessible; -EINPROGRESS:
 * on-demand memory is not resident and the frame has been deferred; -EBUSY: the same, but it
 * could not be deferred.
 */
static __always_inline int xr_recv_store(struct xr_qp *qp,
					 const struct xroce_sge_local *sge, u32 in,
					 const struct xr_source *from, u32 len)
{
	u64 va = sge->addr + in;
	struct xr_mr *mr;
	int ret;

	mr = xr_mr_acquire(qp->link, sge->lkey);
	if (unlikely(!mr))
		return -EFAULT;
	if (unlikely(mr->pd != qp->recv.pd || va < sge->addr ||
		     !(READ_ONCE(mr->access) & XROCE_ACCESS_LOCAL_WRITE)))
		ret = -EFAULT;
	else
		ret = xr_mr_put(mr, va, from, len);
	if (likely(!ret)) {
		/* In a buffer is the IP header; its packet is counted with the payload. */
		xr_mr_count_in(mr->stat, !from->buf, len, !qp->recv.done);
		xr_mr_release();
		return 0;
	}
	return xr_recv_not_stored(qp, mr, va, len, from->xdp, ret);
}

/*
 * Write the next @len bytes of a message, for which the work request has room. If on-demand
 * memory is missing on the way, xr_recv_bytes() resets the position, and bytes that are
 * already written are written again later. Return: as xr_recv_store().
 */
static __always_inline int xr_recv_scatter(struct xr_qp *qp, struct xr_source from, u32 len)
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
		ret = xr_recv_store(qp, sge, v->in_sge, &from, n);
		if (ret)
			return ret;
		v->in_sge += n;
		v->done += n;
		len -= n;
		xr_source_skip(&from, n);
	}
	return 0;
}

/* The VLAN tag in front of the IP header at @l3, in the first buffer; 0: none. */
static u16 xr_recv_tag(const struct xdp_buff *xdp, u32 l3)
{
	const struct vlan_ethhdr *eth = xdp->data;

	return l3 >= sizeof(*eth) && eth_type_vlan(eth->h_vlan_proto) ?
	       ntohs(eth->h_vlan_TCI) : 0;
}

/*
 * Write the IP header to the end of its XR_GRH_LEN bytes. Return: as xr_recv_scatter(), or
 * -EINVAL: the header is not inside the first buffer.
 */
static noinline int xr_recv_grh(struct xr_qp *qp, struct xdp_buff *xdp, u32 l3)
{
	u32 linear = xdp->data_end - xdp->data;
	u32 len = sizeof(struct iphdr);
	const u8 *ip = xdp->data + l3;
	u8 grh[XR_GRH_LEN] = {};

	if (l3 >= linear)
		return -EINVAL;
	qp->recv.ipv6 = *ip >> 4 == 6;
	if (qp->recv.ipv6)
		len = sizeof(struct ipv6hdr);
	if (len > linear - l3)
		return -EINVAL;
	memcpy(grh + XR_GRH_LEN - len, ip, len);
	qp->recv.vlan_tci = xr_recv_tag(xdp, l3);
	return xr_recv_scatter(qp, (struct xr_source){ grh, xdp }, XR_GRH_LEN);
}

/*
 * Write the payload of one packet, with @grh after its IP header. Return: as xr_recv_grh(),
 * or -EMSGSIZE: the message is longer than the work request, or than XROCE_MAX_MSG.
 */
static __always_inline int xr_recv_bytes(struct xr_qp *qp, struct xdp_buff *xdp,
					 u32 off, u32 len, bool grh, u32 l3)
{
	struct xr_recv *v = &qp->recv;
	u32 done = v->done, sge = v->sge, in_sge = v->in_sge;
	u64 total = (u64)done + (grh ? XR_GRH_LEN : 0) + len;
	int ret = 0;

	if (unlikely(total > v->wqe.room || total > XROCE_MAX_MSG))
		return -EMSGSIZE;
	if (unlikely(grh))
		ret = xr_recv_grh(qp, xdp, l3);
	if (likely(!ret))
		ret = xr_recv_scatter(qp, (struct xr_source){ NULL, xdp, off }, len);
	if (unlikely(ret == -EINPROGRESS || ret == -EBUSY)) {
		v->done = done;
		v->sge = sge;
		v->in_sge = in_sge;
	}
	return ret;
}

/* Convert XROCE_RECV_* of the last packet of a message to enum xroce_wc_flags. */
static __always_inline u32 xr_recv_flags(const struct xr_recv *v, u32 flags)
{
	if (likely(!(flags & ~(XROCE_RECV_BEGIN | XROCE_RECV_END))))
		return 0;
	return (flags & XROCE_RECV_IMM ? XROCE_WC_WITH_IMM : 0) |
	       (flags & XROCE_RECV_INV ? XROCE_WC_WITH_INV : 0) |
	       (flags & XROCE_RECV_SOLICITED ? XROCE_WC_SOLICITED : 0) |
	       (!(flags & XROCE_RECV_GRH) ? 0 :
		v->ipv6 ? XROCE_WC_GRH | XROCE_WC_IPV6 : XROCE_WC_GRH);
}

/*
 * Post the completion of a message, of which @cqe has work request, operation, length, immediate
 * data or key, and of a datagram the VLAN tag. recv->lock is held. Return: 0, or -ENOSPC: the
 * completion queue is full.
 */
static __always_inline int xr_recv_done(struct xr_qp *qp, enum xr_format format,
					const struct xroce_recv *r, u32 flags,
					struct xroce_cqe *cqe)
{
	cqe->status = XROCE_WC_SUCCESS;
	cqe->qpn = qp->qpn;
	cqe->src_qpn = READ_ONCE(r->src_qpn);
	cqe->flags = xr_recv_flags(&qp->recv, flags);
	cqe->pkey = READ_ONCE(r->pkey);
	return xr_cq_post_as(qp->recv.cq, format, cqe);
}

/* Complete the message in progress. Return: as xr_recv_done(). */
static __always_inline int xr_recv_end(struct xr_qp *qp, const struct xroce_recv *r,
				       u32 flags, u32 imm)
{
	struct xr_recv *v = &qp->recv;
	struct xroce_cqe cqe = {
		.wr_id = v->wqe.wr_id,
		.opcode = XROCE_WC_RECV,
		.byte_len = v->done,
		.imm_or_key = imm,
		.vlan_tci = flags & XROCE_RECV_GRH ? v->vlan_tci : 0,
	};

	v->busy = false;
	if (flags & XROCE_RECV_WRITE) {
		cqe.opcode = XROCE_WC_RECV_RDMA_WITH_IMM;
		cqe.byte_len = READ_ONCE(r->byte_len);
	}
	return xr_recv_done(qp, v->format, r, flags, &cqe);
}

/**
 * struct xr_recv_packet - a packet that is received
 * @xdp: the frame
 * @r: arguments of xroce_recv(), of which these are read:
 * @flags: XROCE_RECV_*
 * @off: offset of the payload in the frame
 * @len: its bytes
 */
struct xr_recv_packet {
	struct xdp_buff *xdp;
	const struct xroce_recv *r;
	u32 flags;
	u32 off;
	u32 len;
};

/*
 * Fast path: a SEND of one packet into a single element in one block of pinned memory. The
 * work request is not copied. @format is that of the queue pair's queues. recv->lock is held.
 * Return: 0; -ENOSPC as xr_recv_done(); 1: the packet or the work request is of another kind,
 * and nothing has been done.
 */
static __always_inline int xr_recv_only(struct xr_qp *qp, enum xr_format format,
					const struct xr_recv_packet *p)
{
	const struct xroce_sge_local *sge;
	struct xr_recv *v = &qp->recv;
	u64 wr_id, addr, at;
	struct xr_mr *mr;
	const void *w;
	void *mem;
	int ret;

	if ((p->flags & ~XROCE_RECV_SOLICITED) != (XROCE_RECV_BEGIN | XROCE_RECV_END) ||
	    v->busy || v->srq || !p->len || !xr_rq_count(&v->rq, format))
		return 1;
	w = xr_rq_next(&v->rq, format);
	sge = xr_rq_sge(w, format);
	if (xr_rq_num_sge(w, format) != 1 || READ_ONCE(sge->length) < p->len)
		return 1;
	wr_id = xr_rq_wr_id(w);
	addr = READ_ONCE(sge->addr);
	mr = xr_mr_acquire(qp->link, READ_ONCE(sge->lkey));
	if (unlikely(!mr))
		return 1;
	/* Without the right it is being deregistered, and its memory may be gone. */
	if (unlikely(mr->pd != qp->pd || !(READ_ONCE(mr->access) & XROCE_ACCESS_LOCAL_WRITE) ||
		     mr->umem->on_demand || xr_mr_offset(mr, addr, p->len, &at)))
		mem = NULL;
	else
		mem = xr_mr_whole(mr, at, p->len);
	if (unlikely(!mem || !xr_frame_linear(p->xdp, p->off, p->len))) {
		xr_mr_release();
		return 1;
	}
	xr_copy(mem, p->xdp->data + p->off, p->len);
	xr_mr_count_in(mr->stat, 1, p->len, 1);
	xr_mr_release();
	xr_rq_taken(&v->rq, format);
	ret = xr_recv_done(qp, format, p->r, p->flags, &(struct xroce_cqe){
		.wr_id = wr_id,
		.opcode = XROCE_WC_RECV,
		.byte_len = p->len,
	});
	if (unlikely(ret)) {
		xr_qp_end(qp);
		xr_qp_fail_locked(qp);
	}
	return ret;
}

/* Return: completion status of a work request that failed with @error. */
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

/* All packets that xr_recv_only() leaves. recv->lock is held. Return: see xroce_recv(). */
static noinline int xr_recv_any(struct xr_qp *qp, struct xdp_buff *xdp,
				const struct xroce_recv *r, u32 flags, u32 off, u32 len)
{
	struct xr_recv *v = &qp->recv;
	u32 imm = READ_ONCE(r->imm);
	int ret = 0;

	if (!xr_frame_has(xdp, off, len))
		return -EINVAL;
	v->group = flags & XROCE_RECV_MCAST;
	if (flags & XROCE_RECV_BEGIN)
		ret = xr_recv_begin(v);
	if (ret == -EAGAIN)
		return ret;
	if (!v->busy)
		return -ENOENT;
	if (!ret && !(flags & XROCE_RECV_WRITE))
		ret = xr_recv_bytes(qp, xdp, off, len, flags & XROCE_RECV_GRH,
				    READ_ONCE(r->l3));
	if (!ret && flags & XROCE_RECV_END) {
		if (flags & XROCE_RECV_INV && xr_invalidate(qp, imm, true))
			ret = -EKEYREJECTED;
		else
			ret = xr_recv_end(qp, r, flags, imm);
	}
	/* UC and UD: a message that is too long leaves its work request to the next one. */
	if (!ret || ret == -EINPROGRESS || ret == -EBUSY ||
	    (ret == -EMSGSIZE && qp->type != XROCE_QPT_RC))
		return ret;
	xr_qp_end(qp);
	/* -EKEYREJECTED is an error of the peer: the work request is flushed instead. */
	if (v->busy && ret != -EKEYREJECTED)
		xr_recv_error(qp, xr_recv_status(ret));
	xr_qp_fail_locked(qp);
	return ret;
}

/**
 * xr_recv_packet() - receive a packet
 * @xdp: the frame
 * @r: arguments of xroce_recv(); they may change at any time, so each is read once
 *
 * In softirq, under RCU.
 *
 * Return: see xroce_recv().
 */
int xr_recv_packet(struct xdp_buff *xdp, const struct xroce_recv *r)
{
	struct xr_qp *qp = xr_qp_rcu(READ_ONCE(r->link), READ_ONCE(r->qpn));
	const struct xr_recv_packet p = {
		.xdp = xdp,
		.r = r,
		.flags = READ_ONCE(r->flags),
		.off = READ_ONCE(r->off),
		.len = READ_ONCE(r->len),
	};
	struct xr_recv *v;
	int ret = -ENOENT;

	if (unlikely(!qp))
		return ret;
	v = &qp->recv;
	spin_lock(&v->lock);
	if (likely(v->active && v->cq)) {
		ret = likely(v->format == XR_FORMAT_OWN) ?
		      xr_recv_only(qp, XR_FORMAT_OWN, &p) : xr_recv_only(qp, XR_FORMAT_RXE, &p);
		if (ret > 0)
			ret = xr_recv_any(qp, xdp, r, p.flags, p.off, p.len);
	}
	spin_unlock(&v->lock);
	if (likely(!ret))
		xr_frame_cut(xdp, READ_ONCE(r->cut));
	return ret;
}
