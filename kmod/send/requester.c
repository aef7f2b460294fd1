// SPDX-License-Identifier: GPL-2.0-only
/* Sending requests: order and window. See requester.h. */
#include <linux/etherdevice.h>
#include <linux/export.h>
#include <linux/irqflags.h>
#include <linux/log2.h>
#include <linux/math.h>
#include <linux/netdevice.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <net/xdp.h>

#include "uapi/xroce.h"
#include "xroce_map.h"
#include "xroce_wire.h"

#include "bytes/vector.h"
#include "frame/tx.h"
#include "obj/addr.h"
#include "obj/link.h"
#include "own/owner.h"
#include "qp/error.h"
#include "qp/qp.h"

#include "cc.h"
#include "count.h"
#include "inflight.h"
#include "local.h"
#include "packet.h"
#include "paths.h"
#include "requester.h"
#include "resend.h"
#include "steer.h"
#include "timer_compat.h"
#include "trace.h"

/* Bytes of a frame besides its payload, for the rate; some have more. */
#define XR_REQUESTER_HEADERS	64

/* Why nothing more is sent now. */
#define XR_IDLE		1	/* a response or another work request will go on */
#define XR_PACED	2	/* the rate */

static_assert(XR_CC_BATCH == XR_TX_BATCH);

/* Packets that a message of @len bytes has, on the wire or in the response to a READ. */
static u32 xr_requester_packets(const struct xr_qp *qp, u32 len)
{
	return len ? ((len - 1) >> ilog2(qp->mtu)) + 1 : 1;
}

/*
 * Tell the XDP program, and whoever reads the map, what is outstanding. The lock is held.
 * req_psn and req_op of the map are those of the oldest request whose response is more than an
 * acknowledgement.
 */
void xr_requester_show(struct xr_qp *qp)
{
	struct xr_send *s = &qp->send;
	struct xroce_qp *q = qp->map;
	const struct xr_swqe *w;
	u8 op = XROCE_QP_OP_NONE;
	u32 i;

	/* Of a READ at @next some parts may have been requested. */
	for (i = s->head; xr_send_active(s) && s->reads && (s32)(s->next + !!s->off - i) > 0; i++) {
		w = xr_swqe_at(s, i);
		if (!xr_swqe_responds(w))
			continue;
		op = w->opcode == XROCE_WR_RDMA_READ ? XROCE_RC_READ_REQUEST :
		     xr_swqe_is_atomic(w) ? XROCE_RC_FETCH_ADD : XROCE_RC_FLUSH;
		WRITE_ONCE(q->req_psn, xr_psn_add(w->psn, w->received >> ilog2(qp->mtu)));
		break;
	}
	WRITE_ONCE(q->req_op, op);
	WRITE_ONCE(q->req_una, s->una);
	WRITE_ONCE(q->req_top, s->top);
	WRITE_ONCE(q->req, xr_send_active(s) && qp->type == XROCE_QPT_RC);
}

/* xr_requester_show() for a requester that is active, as it was when that was called last. */
static __always_inline void xr_requester_sent(struct xr_qp *qp)
{
	const struct xr_send *s = &qp->send;

	if (s->reads) {
		xr_requester_show(qp);
		return;
	}
	WRITE_ONCE(qp->map->req_op, XROCE_QP_OP_NONE);
	WRITE_ONCE(qp->map->req_una, s->una);
	WRITE_ONCE(qp->map->req_top, s->top);
}

/* Schedule the tasklet. The lock is held. */
void xr_requester_arm(struct xr_send *s)
{
	if (s->state != XR_SEND_DYING)
		tasklet_schedule(&s->tasklet);
}

/* The local ACK timeout begins anew: there is progress, or the peer is alive. */
void xr_requester_restart(struct xr_send *s)
{
	s->deadline = jiffies + s->ticks;
}

/*
 * Have the timer run while requests are outstanding. It may expire too early, but not too late: the
 * timeout may have become shorter. The lock is held.
 */
static void xr_requester_watch(struct xr_send *s)
{
	if (s->ticks && xr_send_active(s) && s->una != s->psn &&
	    (!timer_pending(&s->timer) || time_after(s->timer.expires, s->deadline)))
		mod_timer(&s->timer, s->deadline);
	xr_resend_watch(s);
}

/* @packets more are acknowledged. The lock is held. */
void xr_requester_progress(struct xr_send *s, u32 packets)
{
	if (unlikely(s->window != s->cc.window))
		s->window = min(s->window + packets, s->cc.window);
	s->rtt.delivered += packets;
	if (s->rtt.timing &&
	    xr_psn_distance(s->rtt.psn, s->una) >= xr_psn_distance(s->top, s->una))
		xr_inflight_measured(s);
	s->since = 0;
	s->retries = 0;
	s->rnr_retries = 0;
	s->force = false;
	s->spared = 0;
	s->probe = 0;
	if (unlikely(s->probes)) {
		/* The timer begins anew, and not with a time that has doubled. */
		s->probes = 0;
		s->ticking = false;
	}
	xr_requester_restart(s);
}

/* Nothing is sent any more. The lock is held. */
void xr_requester_idle(struct xr_send *s)
{
	xr_cc_end(&s->cc);
	if (s->state != XR_SEND_DYING)
		s->state = XR_SEND_IDLE;
}

/**
 * xr_requester_fail() - end the connection
 * @qp: the queue pair; the lock of its send side is held
 * @status: of the oldest work request, if it is not XROCE_WC_SUCCESS. All others are flushed
 */
void xr_requester_fail(struct xr_qp *qp, u32 status)
{
	struct xr_send *s = &qp->send;

	xr_requester_idle(s);
	xr_qp_send_failed(qp);
	if (status && s->head != s->tail)
		xr_send_complete(qp, status);
	if (xr_send_flush(qp))
		xr_requester_arm(s);
	xr_requester_show(qp);
	xr_qp_send_flushed(qp);
}

/* True if the PSNs of a work request may be used. Half of the circle may be outstanding. */
static bool xr_requester_fits(const struct xr_send *s, u32 packets)
{
	u32 used = xr_psn_distance(s->psn, s->una);

	return !used || used + packets <= (XROCE_PSN_MASK + 1) / 2;
}

/*
 * Return: the size of the parts of a READ that begins now, see xr_swqe::part. Of a small window a
 * response is half, so that the next is on its way when one arrives; if the peer takes few READs at
 * a time, those are the window.
 */
static u8 xr_requester_read_part(const struct xr_send *s)
{
	u32 packets = 2 * s->cc.window / min_t(u32, s->attr.max_rd_atomic, 4);

	if (!(s->cc.ops->flags & XROCE_CC_PARTS) || packets >> XR_READ_PART)
		return XR_READ_PART;
	return packets ? ilog2(packets) : 0;
}

/*
 * Give a work request its PSNs, if it may begin now. Return: 0; XR_IDLE; or as
 * xr_request_local().
 */
static int xr_requester_begin(struct xr_qp *qp, struct xr_swqe *w)
{
	struct xr_send *s = &qp->send;
	u32 packets = 1;
	int ret;

	if (w->opcode != XROCE_WR_FLUSH)
		packets = xr_requester_packets(qp, w->length);
	if (!xr_requester_fits(s, packets))
		return XR_IDLE;
	if (xr_swqe_reads(w)) {
		ret = xr_request_local(qp, w);
		if (ret)
			return ret;
	}
	w->psn = s->psn;
	w->last = xr_psn_add(s->psn, packets - 1);
	w->part = 0;
	w->resumed = false;
	if (packets > 1 && w->opcode == XROCE_WR_RDMA_READ) {
		w->part = xr_requester_read_part(s);
		w->resumed = packets > 1u << w->part;
	}
	w->begun = true;
	return 0;
}

/* True if a packet is to be sent after this one, which so need not be acknowledged. */
static bool xr_requester_more(const struct xr_send *s)
{
	const struct xr_swqe *w;

	if (s->next + 1 == s->tail || s->next + 1 - s->head >= XR_SEND_BEGUN)
		return false;
	w = xr_swqe_at(s, s->next + 1);
	return !w->status && xr_swqe_sends(w) && (w->begun || s->state != XR_SEND_DRAINING) &&
	       !(w->flags & XROCE_SEND_FENCE);
}

/* UC and UD: a message is complete when it has been sent. */
static bool xr_requester_unreliable(const struct xr_qp *qp)
{
	return qp->type != XROCE_QPT_RC;
}

/*
 * True if the last packet of those that can be sent shall ask for an acknowledgement: somebody
 * waits for one. Without a completion nobody does, unless a work request follows that has to wait
 * for it, or the queue may become full.
 */
static bool xr_requester_awaited(const struct xr_send *s)
{
	return s->owed || s->next + 1 != s->tail || s->tail - s->head > s->mask / 2 ||
	       s->state != XR_SEND_RUNNING;
}

/*
 * True if a packet shall ask for an acknowledgement. @inflight: see xr_inflight_requests(); @end:
 * it is the last one of its message.
 */
static __always_inline bool xr_requester_asks(struct xr_qp *qp, const struct xr_swqe *w,
					      u32 inflight, bool end)
{
	struct xr_send *s = &qp->send;

	if (xr_requester_unreliable(qp))
		return false;
	if (s->force || s->silent >= s->cc.quarter)
		return true;
	/* The response to a READ or atomic acknowledges everything before. */
	if (xr_swqe_responds(w))
		return false;
	if (end && (s->signal_all || w->flags & XROCE_SEND_SIGNALED))
		s->owed = true;
	return inflight + 1 >= s->window ||
	       (end && !xr_requester_more(s) && xr_requester_awaited(s));
}

/* A packet of @w has been built: account for it. */
static void xr_requester_built(struct xr_qp *qp, struct xr_swqe *w, const struct xr_request *r)
{
	struct xr_send *s = &qp->send;
	bool responds = xr_swqe_responds(w), fresh = s->psn == s->top;
	u32 packets = 1;

	if (s->una == s->psn)
		xr_requester_restart(s);
	xr_cc_sent(&s->cc, r->len + r->want + XR_REQUESTER_HEADERS);
	if (!fresh) {
		xr_request_again(s);
		xr_requester_count(&qp->map->req_retransmits, 1);
		this_cpu_inc(s->batch.stat->req_retransmit);
	}
	if (responds) {
		packets = xr_psn_distance(w->last, s->psn) + 1;
		if (w->resumed)
			packets = xr_psn_distance(xr_swqe_part_end(w, s->psn), s->psn);
		s->reads++;
		s->extra += packets - 1;
	}
	s->psn = xr_psn_add(s->psn, packets);
	if (likely(fresh)) {
		if (!s->rtt.timing && (r->ack || responds) &&
		    (xr_psn_distance(r->psn, s->rtt.psn) >= s->cc.every || !s->rtt.srtt))
			xr_rtt_start(&s->rtt, r->psn);
		s->top = s->psn;
		if (xr_paths_many(s))
			xr_paths_try(s);
	} else {
		s->cc.lost += packets;
	}
	if (xr_requester_unreliable(qp))
		s->una = s->psn;
	if (r->ack || responds)
		xr_inflight_asked(s);
	else
		s->silent++;
	s->off += responds ? r->want : r->len;
	if (responds ? s->psn == xr_psn_add(w->last, 1) : s->off == w->length) {
		s->off = 0;
		s->next++;
	}
}

/*
 * Build the next packet of @w, which has PSNs. @inflight: see xr_inflight_requests(). Return: as
 * xr_request_build().
 */
static __always_inline int xr_requester_packet(struct xr_qp *qp, struct xr_swqe *w, u32 inflight)
{
	struct xr_send *s = &qp->send;
	struct xr_request r = {
		.w = w,
		.off = s->off,
		.psn = s->psn,
		.again = s->psn == s->top ? 0 : 1 + s->retries,
	};
	int ret;

	if (w->opcode == XROCE_WR_ATOMIC_WRITE)
		r.len = w->length;
	else if (w->opcode == XROCE_WR_RDMA_READ)
		r.off = xr_psn_distance(s->psn, w->psn) << ilog2(qp->mtu);
	else if (xr_swqe_responds(w))
		r.off = 0;
	else
		r.len = min(w->length - s->off, qp->mtu);
	if (w->opcode == XROCE_WR_RDMA_READ)
		r.want = likely(!w->resumed) ? w->length :
			 xr_request_want(qp, w, s->psn, xr_swqe_part_end(w, s->psn));
	r.ack = xr_requester_asks(qp, w, inflight, r.off + r.len == w->length);
	/* One section for all packets behind the first one, which may be the only one. */
	if (s->batch.count)
		xr_vector_hold();
	ret = xr_request_build(qp, &r);
	/* When the device has gone the packet is lost, and the work request ends nevertheless. */
	if (ret == -ENETDOWN)
		ret = 0;
	if (!ret)
		xr_requester_built(qp, w, &r);
	return ret;
}

/* Return: the work request at @next; NULL: there is none that may go on. */
static __always_inline struct xr_swqe *xr_requester_next(const struct xr_send *s)
{
	struct xr_swqe *w;

	if (s->next == s->tail || s->next - s->head >= XR_SEND_BEGUN)
		return NULL;
	w = xr_swqe_at(s, s->next);
	if (w->status || (!w->begun && s->state == XR_SEND_DRAINING))
		return NULL;
	return s->off || !(w->flags & XROCE_SEND_FENCE) || !s->reads ? w : NULL;
}

/* Execute a local operation, which is at @next. Return: 0; XR_IDLE. */
static int xr_requester_local(struct xr_qp *qp, struct xr_swqe *w)
{
	if (xr_local_waits(qp, w))
		return XR_IDLE;
	/* It is not executed again when packets are sent again. */
	if (!w->begun)
		w->status = xr_local_execute(qp, w);
	w->begun = !w->status;
	qp->send.next += w->begun;
	/* Its completion comes behind those before it. */
	qp->send.owed = true;
	return 0;
}

/*
 * Execute a part of the work request at @next: one packet, or a local operation. Return: 0;
 * XR_IDLE; XR_PACED; -ENOMEM; -ENETDOWN; -EAGAIN: on-demand memory is being brought in.
 */
static int xr_requester_step(struct xr_qp *qp)
{
	struct xr_send *s = &qp->send;
	struct xr_swqe *w;
	u32 inflight;
	int ret = 0;

	if (unlikely(xr_resend_due(s))) {
		if (xr_cc_wait(&s->cc))
			return XR_PACED;
		ret = xr_resend_step(qp);
		if (ret == -EFAULT)
			xr_requester_rewind(qp);
		return ret == -EFAULT ? 0 : ret;
	}
	w = xr_requester_next(s);
	if (!w)
		return XR_IDLE;
	if (!xr_swqe_sends(w))
		return xr_requester_local(qp, w);
	inflight = xr_inflight_requests(s);
	if (inflight >= s->window) {
		xr_requester_count(&qp->map->req_window, 1);
		s->cc.limited = true;
		return XR_IDLE;
	}
	if (xr_swqe_responds(w) && !s->attr.max_rd_atomic) {
		w->status = XROCE_WC_LOC_QP_OP_ERR;
		return 0;
	}
	if (xr_swqe_responds(w) && s->reads >= s->attr.max_rd_atomic)
		return XR_IDLE;
	if (xr_swqe_responds(w) && s->reads &&
	    xr_inflight_responses(s) + s->reads > s->cc.window) {
		s->cc.limited = true;
		return XR_IDLE;
	}
	if (xr_cc_wait(&s->cc))
		return XR_PACED;
	if (w->begun && !s->off && s->psn != s->top)
		w->resumed = true;
	if (!w->begun)
		ret = xr_requester_begin(qp, w);
	if (!ret)
		ret = xr_requester_packet(qp, w, inflight);
	if (ret == -EFAULT) {
		w->status = XROCE_WC_LOC_PROT_ERR;
		ret = 0;
	}
	return ret;
}

/* As xr_requester_settle(), if there may be anything. */
static noinline void xr_requester_settle_any(struct xr_qp *qp)
{
	struct xr_send *s = &qp->send;
	const struct xr_swqe *w;

	while (xr_send_active(s) && s->head != s->tail) {
		w = xr_swqe_at(s, s->head);
		/* In SQD, what has not been begun waits, though it has been refused. */
		if (w->status && s->state == XR_SEND_DRAINING && !w->begun)
			return;
		if (w->status && s->head == s->next) {
			xr_requester_fail(qp, w->status);
			return;
		}
		if (s->head == s->next || (xr_swqe_sends(w) && !xr_requester_unreliable(qp)))
			return;
		if (xr_send_complete(qp, XROCE_WC_SUCCESS))
			xr_requester_fail(qp, XROCE_WC_SUCCESS);
	}
}

/*
 * Complete local operations at the head of the queue, and what is sent on UC and UD. End the
 * connection if the oldest work request has failed before it was sent.
 */
static __always_inline void xr_requester_settle(struct xr_qp *qp)
{
	const struct xr_send *s = &qp->send;
	const struct xr_swqe *w = xr_swqe_at(s, s->head);

	/* Most often it waits for a response. */
	if (s->head == s->tail ||
	    likely(!w->status && xr_swqe_sends(w) && !xr_requester_unreliable(qp)))
		return;
	xr_requester_settle_any(qp);
}

/**
 * xr_requester_locals() - execute and complete local operations that are next
 * @qp: the queue pair; the lock of its send side is held, with bottom halves off
 *
 * They need neither the device nor the peer, so this is done also while the send side waits.
 */
void xr_requester_locals(struct xr_qp *qp)
{
	struct xr_swqe *w;

	do {
		w = xr_requester_next(&qp->send);
	} while (w && !xr_swqe_sends(w) && !xr_requester_local(qp, w));
	xr_requester_settle(qp);
}

/* Drop the frames that have been built. They count as sent; the timer sends them again. */
void xr_requester_drop(struct xr_send *s)
{
	xr_tx_drop(&s->batch);
	s->backoff = (struct xr_backoff){};
}

/*
 * True if the next datagram is for this device, and the batch for others, or the reverse. A batch
 * goes one way: see xr_tx_flush().
 */
static bool xr_requester_turns(const struct xr_qp *qp)
{
	const struct xr_send *s = &qp->send;

	if (likely(qp->type != XROCE_QPT_UD) || !s->batch.count || !s->batch.dev ||
	    s->next == s->tail)
		return false;
	return xr_addr_own(s->batch.dev, xr_swqe_at(s, s->next)->ud.dmac) !=
	       xr_addr_own(s->batch.dev, s->batch.frame[0]->data);
}

/*
 * Build and send packets, at most @budget. Return: as xr_requester_step(); 0: the budget is
 * used up; -EBUSY: the device has no room; -EMSGSIZE: as xr_tx_flush().
 */
static int xr_requester_send(struct xr_qp *qp, int budget)
{
	struct xr_send *s = &qp->send;
	u64 packets = s->batch.sent, bytes = s->batch.sent_bytes;
	int ret = 0, err = 0;

	while (!ret && !err && budget > 0) {
		while (!ret && budget > 0 && s->batch.count < XR_TX_BATCH &&
		       !xr_requester_turns(qp)) {
			ret = xr_requester_step(qp);
			budget--;
			/* As after most posts. */
			if (!ret && s->next == s->tail && !xr_resend_due(s))
				ret = XR_IDLE;
		}
		xr_vector_release();
		/* Before responses can arrive. */
		xr_requester_sent(qp);
		err = xr_tx_flush(&s->batch);
	}
	if (qp->type == XROCE_QPT_UC && s->batch.sent != packets)
		xr_steer_sent(s);
	xr_requester_count(&qp->map->req_packets, s->batch.sent - packets);
	xr_requester_count(&qp->map->req_bytes, s->batch.sent_bytes - bytes);
	if (err == -ENETDOWN)
		xr_requester_drop(s);
	else if (err)
		return err;
	return ret;
}

/**
 * xr_requester_run() - send what may be sent now
 * @qp: the queue pair; the lock of its send side is held
 *
 * In softirq, or with bottom halves off, under RCU.
 */
void xr_requester_run(struct xr_qp *qp)
{
	struct xr_send *s = &qp->send;
	bool due = s->next != s->tail || s->batch.count || xr_resend_due(s);
	bool waiting = s->wait || (due && xr_steer_moves(qp));
	int ret = XR_IDLE;

	/* The device is freed after an RCU grace period. */
	s->batch.dev = READ_ONCE(qp->link->dev);
	if (xr_send_active(s) && !waiting) {
		/* After most acknowledgements nothing is. */
		if (due)
			ret = xr_requester_send(qp, XR_REQUESTER_BUDGET);
		else
			xr_requester_show(qp);
	}
	xr_requester_settle(qp);
	if (!xr_send_active(s))
		return;
	if ((ret == XR_IDLE || ret == -EAGAIN) && !waiting && xr_inflight_unasked(s) &&
	    (s->owed || s->next != s->tail)) {
		/* No packet that asks for an ACK will follow: send the last one again, asking. */
		xr_resend_ask(qp);
		ret = xr_requester_send(qp, XR_REQUESTER_BUDGET);
		/* Meanwhile its memory may have gone, too. */
		xr_requester_settle(qp);
		if (!xr_send_active(s))
			return;
	}
	if (unlikely(ret == XR_PACED)) {
		s->cc.limited = true;
		xr_requester_wait(s, XR_WAIT_PACE, xr_cc_wait(&s->cc));
	} else if (ret == -EBUSY || ret == -ENOMEM || ret == -EAGAIN) {
		xr_requester_nap(s, ret == -EAGAIN ? XR_WAIT_MEMORY : XR_WAIT_DEVICE);
	} else if (unlikely(ret == -EMSGSIZE)) {
		xr_requester_narrow(qp);
		if (!xr_send_active(s))
			return;
	} else if (!waiting) {
		xr_backoff_sent(&s->backoff);
		if (!ret)
			xr_requester_arm(s);
	}
	if (s->notify && s->state == XR_SEND_DRAINING && !xr_send_drains(s)) {
		s->notify = false;
		xr_owner_raise(qp->owner, &s->drained);
	}
	if (waiting)
		xr_requester_show(qp);
	xr_requester_watch(s);
}

/**
 * xr_requester_quiet() - go on after a response, if nothing is to be sent or completed
 * @qp: the queue pair, whose requester is active; the lock of its send side is held
 *
 * That is so after most responses. Not if anything was lost.
 *
 * Return: true: that is so, and done; false: call xr_requester_run().
 */
bool xr_requester_quiet(struct xr_qp *qp)
{
	struct xr_send *s = &qp->send;
	const struct xr_swqe *w = xr_swqe_at(s, s->head);

	if (s->next != s->tail || s->psn != s->top || s->wait || s->batch.count || s->probe ||
	    s->score.open || s->notify || (s->silent && s->owed))
		return false;
	/* A local operation would be complete. */
	if (s->head != s->tail && !xr_swqe_sends(w))
		return false;
	xr_backoff_sent(&s->backoff);
	if (s->reads && w->received && w->opcode == XROCE_WR_RDMA_READ && s->una != w->psn) {
		/* Within the response to a READ, whose next packet is due. */
		WRITE_ONCE(qp->map->req_op, XROCE_RC_READ_REQUEST);
		WRITE_ONCE(qp->map->req_psn, s->una);
		WRITE_ONCE(qp->map->req_una, s->una);
	} else {
		xr_requester_sent(qp);
	}
	if (s->una != s->psn)
		xr_requester_watch(s);
	return true;
}

/* True if a packet, response or command has moved the queue pair to ERR. */
static bool xr_requester_ended(const struct xr_qp *qp)
{
	return xr_qp_state(qp) == XROCE_QPS_ERR;
}

/* Take over what a consumer in the kernel has posted. The lock is held. */
void xr_requester_take(struct xr_send *s)
{
	if (unlikely(s->by_kernel))
		/* Pairs with the release in xr_ib_post_one(): the entries are complete. */
		s->tail = smp_load_acquire(&s->posted);
}

/* Send, or flush in ERR. The lock is held. */
static void xr_requester_go(struct xr_qp *qp)
{
	struct xr_send *s = &qp->send;

	xr_requester_take(s);
	if (xr_requester_ended(qp)) {
		xr_requester_idle(s);
		if (xr_send_flush(qp))
			xr_requester_arm(s);
		xr_requester_show(qp);
	} else if (xr_send_active(s)) {
		xr_requester_run(qp);
	}
}

static void xr_requester_tasklet(struct tasklet_struct *tasklet)
{
	struct xr_qp *qp = container_of(tasklet, struct xr_qp, send.tasklet);
	struct xr_send *s = &qp->send;

	spin_lock(&s->lock);
	s->called = false;
	rcu_read_lock();
	if (s->state != XR_SEND_DYING) {
		if (unlikely(s->rest))
			s->rest(qp);
		xr_requester_go(qp);
	}
	rcu_read_unlock();
	spin_unlock(&s->lock);
}

/**
 * xr_requester_posted() - execute work requests that have been posted
 * @qp: the queue pair; the lock of its send side is held, with bottom halves off
 */
void xr_requester_posted(struct xr_qp *qp)
{
	struct xr_send *s = &qp->send;

	trace_xroce_doorbell(qp->link->id, qp->qpn, (s->by_kernel ? s->posted : s->tail) - s->head);
	if (s->state != XR_SEND_DYING)
		xr_requester_go(qp);
}
EXPORT_SYMBOL_GPL(xr_requester_posted);

/**
 * xr_requester_kick() - execute work requests that a consumer in the kernel has posted
 * @qp: the queue pair, which may be being destroyed by now
 *
 * In any context, under RCU, without the lock. With interrupts off nothing can be sent: the
 * tasklet does it.
 */
void xr_requester_kick(struct xr_qp *qp)
{
	struct xr_send *s = &qp->send;
	unsigned long flags;

	if (in_hardirq() || irqs_disabled()) {
		raw_spin_lock_irqsave(&s->post_lock, flags);
		if (s->state != XR_SEND_DYING)
			tasklet_schedule(&s->tasklet);
		raw_spin_unlock_irqrestore(&s->post_lock, flags);
		return;
	}
	spin_lock_bh(&s->lock);
	xr_requester_posted(qp);
	spin_unlock_bh(&s->lock);
}
EXPORT_SYMBOL_GPL(xr_requester_kick);

/* Make the send side of a queue pair, in RESET. */
void xr_requester_init(struct xr_send *s, struct xr_link *link, struct xr_qp *qp)
{
	s->batch.stat = link->stat;
	s->batch.loop = &link->loop;
	s->batch.qpn = qp->qpn;
	s->batch.whole = qp->type == XROCE_QPT_RC;
	s->paths = qp->type == XROCE_QPT_RC ? link->paths : 1;
	s->batch.stat_frames = &link->stat->req_tx;
	s->batch.stat_bytes = &link->stat->req_tx_bytes;
	raw_spin_lock_init(&s->post_lock);
	xr_steer_init(s);
	tasklet_setup(&s->tasklet, xr_requester_tasklet);
	hrtimer_setup(&s->pace, xr_requester_wake, CLOCK_MONOTONIC, HRTIMER_MODE_REL_SOFT);
	timer_setup(&s->timer, xr_requester_timeout, 0);
	hrtimer_setup(&s->tick, xr_requester_tick, CLOCK_MONOTONIC, HRTIMER_MODE_REL_SOFT);
	xr_event_init(&s->drained, XROCE_EVENT_SQ_DRAINED, qp->qpn, qp->context);
}
