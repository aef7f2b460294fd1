// SPDX-License-Identifier: GPL-2.0-only
/* The queue of responses, and the tasklet that sends them: see queue.h. */
#include <linux/if_ether.h>
#include <linux/slab.h>
#include <net/xdp.h>

#include "xroce_kfunc.h"
#include "xroce_map.h"
#include "xroce_wire.h"

#include "bytes/vector.h"
#include "defer/gap.h"
#include "frame/tx.h"
#include "obj/link.h"
#include "qp/error.h"
#include "qp/qp.h"
#include "send/psn.h"

#include "pace.h"
#include "queue.h"
#include "timer_compat.h"
#include "trace.h"

/* Packets per run of the tasklet, before it yields to other work on this CPU. */
#define XR_RESPONSE_BUDGET	(2 * XR_TX_BATCH)

/* Whether there is anything to send. The queue's lock is held. */
static bool xr_responses_any(const struct xr_responses *rs)
{
	return rs->count || rs->batch.count || rs->cnp || rs->sack;
}

/*
 * Schedule the tasklet on this CPU, unless it is already scheduled somewhere. The queue's
 * lock is held.
 */
static void xr_responses_arm(struct xr_responses *rs)
{
	if (rs->armed)
		return;
	rs->armed = true;
	tasklet_schedule(&rs->tasklet);
}

static bool xr_response_is_ack(u32 opcode, u8 syndrome)
{
	return opcode == XROCE_RC_ACK && syndrome == XROCE_SYN_ACK;
}

/*
 * Return: whether the newest READ whose response is queued is behind @psn. The response
 * acknowledges everything before it (IBTA 9.7.5.1.2). After an acknowledgement that arrives among
 * responses, the requester of rxe takes the READ for complete if the next response is lost.
 */
static bool xr_response_covers(struct xr_responses *rs, u32 psn)
{
	struct xr_response *q;
	u32 i;

	for (i = rs->count; i; i--) {
		q = xr_response_at(rs, i - 1);
		if (q->opcode == XROCE_RC_READ_RESPONSE_ONLY)
			return xr_psn_diff(q->psn, psn) > 0;
	}
	return false;
}

/*
 * Leave out an acknowledgement that says nothing new, or let it replace one at the end of the
 * queue: acknowledgements are cumulative. Return: whether it needs no place in the queue.
 */
static bool xr_response_merge(struct xr_responses *rs, const struct xroce_response *r)
{
	struct xr_response *last;

	if (!xr_response_is_ack(r->opcode, r->syndrome) || !rs->count)
		return false;
	if (xr_response_covers(rs, r->psn))
		return true;
	last = xr_response_at(rs, rs->count - 1);
	if (!xr_response_is_ack(last->opcode, last->syndrome))
		return false;
	/* The acknowledgement of a duplicate may have an earlier PSN. */
	if (xr_psn_diff(r->psn, last->psn) >= 0)
		last->psn = r->psn;
	last->msn = r->msn;
	return true;
}

/* The PSN behind a READ response of @left bytes that goes on with @psn. */
static u32 xr_response_end(const struct xr_qp *qp, u32 psn, u32 left)
{
	return (psn + (left ? DIV_ROUND_UP(left, qp->mtu) : 1)) & XROCE_PSN_MASK;
}

/*
 * The peer asks again for a READ whose response is queued: it has lost a packet, and ignores those
 * behind it. Go on from the packet that it wants, so that a response is not queued twice, however
 * often a peer asks. A response in front of the replay of an earlier request cannot stand for one
 * that follows it. Return: whether there is such a response.
 */
static bool xr_response_resume(struct xr_qp *qp, const struct xroce_response *r)
{
	u32 psn = r->psn & XROCE_PSN_MASK, end = xr_response_end(qp, psn, r->len), i;
	struct xr_responses *rs = &qp->responses;
	struct xr_response *q;

	for (i = rs->count; i; i--) {
		q = xr_response_at(rs, i - 1);
		if (q->opcode == XROCE_RC_READ_RESPONSE_ONLY && q->key == r->key &&
		    q->va + q->left == r->va + r->len &&
		    xr_response_end(qp, q->psn, q->left) == end) {
			if (!q->begun && q->psn == psn)
				return true;
			/* It is still to come. */
			if (xr_psn_diff(psn, q->psn) > 0) {
				if (q->again)
					xr_repeat_vain(&rs->repeat);
				return true;
			}
			q->psn = psn;
			q->va = r->va;
			q->left = r->len;
			q->begun = false;
			q->again = true;
			xr_repeat_more(&rs->repeat);
			return true;
		}
		if (xr_psn_diff(q->psn, psn) < 0)
			return false;
	}
	return false;
}

/* Append to the queue. Its lock is held. Return: 0, -ENOSPC or -ENOMEM. */
static int xr_response_add(struct xr_qp *qp, const struct xroce_response *r)
{
	struct xr_responses *rs = &qp->responses;

	lockdep_assert_held(&rs->lock);
	if (rs->count == XR_RESPONSE_MAX)
		return -ENOSPC;
	if (!rs->response)
		rs->response = xr_qp_alloc(qp, XR_RESPONSE_MAX, sizeof(*rs->response));
	if (!rs->response)
		return -ENOMEM;
	*xr_response_at(rs, rs->count++) = (struct xr_response){
		.psn = r->psn & XROCE_PSN_MASK,
		.msn = r->msn & XROCE_PSN_MASK,
		.key = r->key,
		.left = r->opcode == XROCE_RC_READ_RESPONSE_ONLY ? r->len : 0,
		.va = r->va,
		.result = r->result,
		.opcode = r->opcode,
		.syndrome = r->syndrome,
		.again = r->again,
	};
	return 0;
}

/*
 * Responses go to the peer's Ethernet address if the queue pair was given it; otherwise to where
 * the newest request came from.
 */
static void xr_responses_way(struct xr_qp *qp, const void *l2, u32 l2_len)
{
	struct xr_responses *rs = &qp->responses;
	u64 dmac = READ_ONCE(qp->map->dmac);

	lockdep_assert_held(&rs->lock);
	/* A constant, so that the copy is inlined: buffers of frames have so many bytes. */
	memcpy(rs->l2, l2, XR_TX_L2_ROOM);
	memcpy(rs->l2, dmac ? (const void *)&dmac : l2 + ETH_ALEN, ETH_ALEN);
	memcpy(rs->l2 + ETH_ALEN, l2, ETH_ALEN);
	rs->l2_len = l2_len;
}

/**
 * xr_responses_move() - set where responses and congestion notifications go
 * @qp: the queue pair; the lock of its link is held
 * @dmac: the peer's Ethernet address, or that of the next hop; 0: where each request comes from
 *
 * That includes responses that are queued, but not frames that have been built.
 */
void xr_responses_move(struct xr_qp *qp, const u8 *dmac)
{
	struct xr_responses *rs = &qp->responses;
	u64 word = 0;

	memcpy(&word, dmac, ETH_ALEN);
	spin_lock_bh(&rs->lock);
	WRITE_ONCE(qp->map->dmac, word);
	if (word)
		memcpy(rs->l2, &word, ETH_ALEN);
	spin_unlock_bh(&rs->lock);
}

/* Send what is queued, with the Ethernet header of a request. The queue's lock is held. */
void xr_responses_start(struct xr_qp *qp, const void *l2, u32 l2_len)
{
	xr_responses_way(qp, l2, l2_len);
	xr_responses_arm(&qp->responses);
	xr_responses_show(qp);
}

/*
 * Release the queue's lock. If a response has failed, flush the receive queue, whose lock
 * comes before this one.
 */
static void xr_responses_unlock(struct xr_qp *qp)
	__releases(&qp->responses.lock)
{
	bool failed = qp->responses.failed;

	qp->responses.failed = false;
	spin_unlock(&qp->responses.lock);
	if (unlikely(failed))
		xr_qp_fail(qp);
}

/* Build and send the only packet of the queue. Return: whether nothing is left to send. */
static bool xr_responses_now(struct xr_qp *qp)
{
	struct xr_responses *rs = &qp->responses;

	/* The device is freed after an RCU grace period. */
	rs->batch.dev = READ_ONCE(qp->link->dev);
	return xr_responses_build(qp, 1) > 0 &&
	       !xr_tx_flush(&rs->batch) && !rs->count && !rs->cnp && !rs->sack;
}

/*
 * Send a response without payload at once; the queue is empty. Return: false: out of memory,
 * the response has to be queued.
 */
static bool xr_response_alone(struct xr_qp *qp, const struct xroce_response *r)
{
	struct xr_responses *rs = &qp->responses;
	const struct xr_tx_packet p = {
		.l2 = rs->l2,
		.l2_len = rs->l2_len,
		.opcode = r->opcode,
		.syndrome = r->opcode == XROCE_RC_ACK ? r->syndrome :
							XROCE_SYN_ACK,
		.psn = r->psn & XROCE_PSN_MASK,
		.msn = r->msn & XROCE_PSN_MASK,
		.result = r->result,
	};

	if (xr_tx_build(&rs->batch, qp, &p))
		return false;
	/* The device is freed after an RCU grace period. */
	rs->batch.dev = READ_ONCE(qp->link->dev);
	if (unlikely(xr_tx_flush(&rs->batch))) {
		xr_responses_arm(rs);
		xr_responses_show(qp);
	}
	return true;
}

/**
 * xr_response_queue() - queue a response
 * @qp: queue pair
 * @r: the response; checked here
 * @l2: Ethernet header of the request
 * @l2_len: its length in bytes, ETH_HLEN to XR_TX_L2_MAX
 * @must: the response cannot be sent in the frame of the request
 *
 * In softirq. A response of one packet is sent at once if the queue is empty and
 * xroce_response::behind is not set.
 *
 * Return: 0; -EAGAIN: the queue is empty, the response is no READ, @must is not set, and the
 * device loses no frames of XDP_TX: send it in the frame; -ENOSPC: the queue is full, or has its
 * maximum of READs; -ENOENT: the queue pair is not connected, or is being destroyed; -EINVAL;
 * -ENOMEM.
 */
int xr_response_queue(struct xr_qp *qp, const struct xroce_response *r,
		   const void *l2, u32 l2_len, bool must)
{
	struct xr_responses *rs = &qp->responses;
	bool read = r->opcode == XROCE_RC_READ_RESPONSE_ONLY;
	int ret = 0;

	if (!read && r->opcode != XROCE_RC_ACK &&
	    r->opcode != XROCE_RC_ATOMIC_ACK)
		return -EINVAL;
	if (r->len > XROCE_MAX_MSG)
		return -EINVAL;

	spin_lock(&rs->lock);
	if (!rs->active) {
		ret = -ENOENT;
		goto out;
	}
	if (xr_response_is_ack(r->opcode, r->syndrome) && xr_gap_unanswered(qp))
		goto out;
	if (!rs->count && !rs->batch.count && !rs->armed && !read) {
		if (unlikely(rs->pace))
			xr_pace_update(qp);
		if (!must && !READ_ONCE(qp->link->tx_lost)) {
			ret = -EAGAIN;
			goto out;
		}
		xr_responses_way(qp, l2, l2_len);
		if (likely(!r->behind) && xr_response_alone(qp, r))
			goto out;
	}
	if (!read && xr_response_merge(rs, r))
		goto out;
	if (read && r->again && xr_response_resume(qp, r))
		goto out;
	if (read && rs->reads >= max(qp->max_dest_rd_atomic, 1u)) {
		ret = -ENOSPC;
		goto out;
	}
	ret = xr_response_add(qp, r);
	if (ret)
		goto out;
	rs->reads += read;
	if (r->again)
		xr_repeat_more(&rs->repeat);
	xr_responses_way(qp, l2, l2_len);
	if (rs->count > 1 || rs->batch.count || r->len > qp->mtu ||
	    rs->armed || r->behind || !xr_responses_now(qp))
		xr_responses_arm(rs);
	xr_responses_show(qp);
out:
	xr_responses_unlock(qp);
	return ret;
}

/**
 * xr_response_frame() - send a response that the XDP program has made of a deferred frame
 * @qp: queue pair
 * @frame: the response; consumed. It is dropped if there is no room; the peer then retries
 *
 * In softirq. It precedes all responses that are queued later.
 */
void xr_response_frame(struct xr_qp *qp, struct xdp_frame *frame)
{
	struct xr_responses *rs = &qp->responses;

	spin_lock(&rs->lock);
	xr_tx_lend(&rs->batch, frame);
	if (rs->active && rs->batch.count < XR_TX_BATCH) {
		rs->batch.frame[rs->batch.count++] = frame;
		xr_responses_arm(rs);
		xr_responses_show(qp);
	} else {
		xr_tx_lose(&rs->batch, frame);
	}
	spin_unlock(&rs->lock);
}

/* Free an acknowledgement that the XDP program has made, and that need not be sent. */
void xr_response_spare(struct xr_qp *qp, struct xdp_frame *frame)
{
	struct xr_responses *rs = &qp->responses;

	spin_lock(&rs->lock);
	xr_tx_lend(&rs->batch, frame);
	rs->batch.lost++;
	spin_unlock(&rs->lock);
	xdp_return_frame(frame);
}

/**
 * xr_response_tell() - queue an acknowledgement or NAK that no packet has asked for
 * @qp: queue pair; this CPU has the claim
 * @l2: Ethernet header of a request
 * @l2_len: its length in bytes
 * @psn: PSN
 * @msn: message sequence number
 * @syndrome: syndrome of the AETH (IBTA 9.7.5.2)
 *
 * In softirq. If there is no room, the peer asks when its own timer expires.
 */
void xr_response_tell(struct xr_qp *qp, const void *l2, u32 l2_len, u32 psn, u32 msn, u8 syndrome)
{
	struct xr_responses *rs = &qp->responses;
	const struct xroce_response r = {
		.opcode = XROCE_RC_ACK,
		.syndrome = syndrome,
		.psn = psn,
		.msn = msn,
	};

	if (syndrome != XROCE_SYN_ACK)
		trace_xroce_nak_sent(qp->link->id, qp->qpn, psn, syndrome);
	xr_gap_nak(qp, psn, syndrome);
	spin_lock(&rs->lock);
	if (rs->active && !xr_response_merge(rs, &r) && !xr_response_add(qp, &r))
		xr_responses_start(qp, l2, l2_len);
	spin_unlock(&rs->lock);
}

/* Come back for what is left. The lock is held. */
static void xr_responses_later(struct xr_responses *rs)
{
	u64 gap = rs->backoff.gap;

	if ((rs->pace || rs->repeat.gap) && !rs->batch.count)
		gap = max(gap, xr_responses_wait(rs));
	/* Pinned: a device has a queue for each CPU, and one that is full keeps packets. */
	if (gap)
		hrtimer_start(&rs->timer, ns_to_ktime(gap), HRTIMER_MODE_REL_PINNED_SOFT);
	else
		xr_responses_arm(rs);
}

static void xr_responses_run(struct tasklet_struct *tasklet)
{
	struct xr_qp *qp = container_of(tasklet, struct xr_qp, responses.tasklet);
	struct xr_responses *rs = &qp->responses;
	int budget = rs->backoff.gap ? XR_TX_BATCH : XR_RESPONSE_BUDGET;
	bool drop = false;
	int ret;

	/* Posted work requests may revoke a key: apply them before memory is read. */
	rcu_read_lock_bh();
	ret = xr_qp_poll(qp);
	rcu_read_unlock_bh();
	spin_lock(&rs->lock);
	rs->armed = false;
	rcu_read_lock();
	/* The device is freed after an RCU grace period. */
	rs->batch.dev = READ_ONCE(qp->link->dev);
	while (ret != -EAGAIN && rs->active && budget > 0) {
		ret = xr_responses_build(qp, budget);
		xr_vector_release();
		if (ret <= 0)
			break;
		budget -= ret;
		ret = xr_tx_flush(&rs->batch);
		if (ret)
			break;
	}
	if (rs->active && rs->batch.count && ret != -EBUSY)
		ret = xr_tx_flush(&rs->batch);
	if (ret == -EBUSY || ret == -ENOMEM || ret == -EAGAIN)
		drop = xr_backoff_fail(&rs->backoff);
	else
		xr_backoff_sent(&rs->backoff);
	if (ret == -ENETDOWN || drop) {
		/* The peer retries. */
		xr_tx_drop(&rs->batch);
		rs->count = 0;
		rs->reads = 0;
		rs->cnp = false;
		rs->sack = false;
	}
	rcu_read_unlock();
	if (rs->active && xr_responses_any(rs))
		xr_responses_later(rs);
	if (rs->active)
		xr_responses_show(qp);
	xr_responses_unlock(qp);
}

static enum hrtimer_restart xr_responses_wake(struct hrtimer *timer)
{
	struct xr_responses *rs = container_of(timer, struct xr_responses, timer);

	spin_lock(&rs->lock);
	if (rs->active && xr_responses_any(rs))
		xr_responses_arm(rs);
	spin_unlock(&rs->lock);
	return HRTIMER_NORESTART;
}

void xr_responses_init(struct xr_responses *rs, struct xr_link *link, u32 qpn)
{
	spin_lock_init(&rs->lock);
	rs->batch.stat = link->stat;
	rs->batch.stat_frames = &link->stat->module_tx;
	rs->batch.stat_bytes = &link->stat->module_tx_bytes;
	rs->batch.loop = &link->loop;
	rs->batch.qpn = qpn;
	tasklet_setup(&rs->tasklet, xr_responses_run);
	hrtimer_setup(&rs->timer, xr_responses_wake, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_PINNED_SOFT);
	rs->active = false;
}

/* Accept responses: the queue pair becomes ready to receive. */
void xr_responses_open(struct xr_qp *qp)
{
	struct xr_responses *rs = &qp->responses;

	spin_lock_bh(&rs->lock);
	rs->active = true;
	xr_responses_show(qp);
	spin_unlock_bh(&rs->lock);
}

/* Zero the counters. The queue is closed. */
void xr_responses_reset(struct xr_responses *rs)
{
	spin_lock_bh(&rs->lock);
	rs->naks = 0;
	rs->batch.sent = 0;
	rs->batch.sent_bytes = 0;
	rs->batch.lost = 0;
	spin_unlock_bh(&rs->lock);
}

/* Drop all responses and stop sending. Afterwards none is accepted. Sleeps. */
void xr_responses_close(struct xr_qp *qp)
{
	struct xr_responses *rs = &qp->responses;

	spin_lock_bh(&rs->lock);
	rs->active = false;
	spin_unlock_bh(&rs->lock);
	hrtimer_cancel(&rs->timer);
	tasklet_kill(&rs->tasklet);
	spin_lock_bh(&rs->lock);
	xr_tx_drop(&rs->batch);
	rs->count = 0;
	rs->reads = 0;
	rs->head = 0;
	rs->backoff = (struct xr_backoff){};
	rs->cnp = false;
	rs->sack = false;
	xr_pace_end(rs);
	rs->repeat = (struct xr_repeat){};
	xr_responses_show(qp);
	spin_unlock_bh(&rs->lock);
}

void xr_responses_free(struct xr_responses *rs)
{
	kfree(rs->response);
}
