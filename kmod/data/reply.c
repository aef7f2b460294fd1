// SPDX-License-Identifier: GPL-2.0-only
/* Queueing replies, cutting READ responses into packets, pacing. */
#include <linux/if_ether.h>
#include <linux/slab.h>
#include <net/xdp.h>

#include "xroce_kfunc.h"
#include "xroce_map.h"
#include "xroce_wire.h"

#include "obj/link.h"
#include "obj/qp.h"
#include "obj/recv_queue.h"
#include "obj/sq.h"

#include "compat.h"
#include "reply.h"
#include "tx.h"

/* Packets a run; then other work of this CPU has its turn. */
#define XR_REPLY_BUDGET	(2 * XR_TX_BATCH)
/*
 * A device without room, or memory on its way, is left alone for a while, so often
 * in a row. Other queue pairs' replies find none either: the pace is halved each
 * time, and goes up by and by until there is a batch in less than the least gap.
 */
#define XR_REPLY_NAPS	4000
#define XR_REPLY_GAP_MIN	(10 * NSEC_PER_USEC)
#define XR_REPLY_GAP	(50 * NSEC_PER_USEC)	/* to begin with */
#define XR_REPLY_GAP_MAX	NSEC_PER_MSEC
#define XR_REPLY_GAP_DECAY	16

static struct xr_reply *xr_reply_at(struct xr_replies *rs, u32 i)
{
	return &rs->reply[(rs->head + i) % XR_REPLY_MAX];
}

/* Whether there is anything to send. The queue's lock is held. */
static bool xr_replies_any(const struct xr_replies *rs)
{
	return rs->count || rs->batch.count || rs->cnp;
}

/* What the XDP program goes by. The queue's lock is held. */
static void xr_replies_show(struct xr_qp *qp)
{
	struct xr_replies *rs = &qp->replies;

	WRITE_ONCE(qp->map->queued,
		   rs->count + !!rs->batch.count + rs->armed);
}

/*
 * Have the tasklet run, on this CPU unless it is to run anyway. The queue's lock is
 * held.
 */
static void xr_replies_arm(struct xr_replies *rs)
{
	if (rs->armed)
		return;
	rs->armed = true;
	tasklet_schedule(&rs->tasklet);
}

/*
 * An acknowledgement takes the place of one that waits right before it: it
 * says more. Return: whether it did.
 */
static bool xr_reply_merge(struct xr_replies *rs, const struct xroce_reply *r)
{
	struct xr_reply *last;

	if (r->opcode != XROCE_RC_ACK || r->syndrome != XROCE_SYN_ACK ||
	    !rs->count)
		return false;
	last = xr_reply_at(rs, rs->count - 1);
	if (last->opcode != XROCE_RC_ACK || last->syndrome != XROCE_SYN_ACK)
		return false;
	/* That of a duplicate may say less. */
	if (((r->psn - last->psn) & XROCE_PSN_MASK) < 1u << 23)
		last->psn = r->psn;
	last->msn = r->msn;
	return true;
}

/* At the end of the queue. Its lock is held. Return: 0, -ENOSPC or -ENOMEM. */
static int xr_reply_add(struct xr_qp *qp, const struct xroce_reply *r)
{
	struct xr_replies *rs = &qp->replies;

	lockdep_assert_held(&rs->lock);
	if (rs->count == XR_REPLY_MAX)
		return -ENOSPC;
	if (!rs->reply)
		rs->reply = xr_qp_alloc(qp, XR_REPLY_MAX, sizeof(*rs->reply));
	if (!rs->reply)
		return -ENOMEM;
	*xr_reply_at(rs, rs->count++) = (struct xr_reply){
		.psn = r->psn & XROCE_PSN_MASK,
		.msn = r->msn & XROCE_PSN_MASK,
		.key = r->key,
		.left = r->opcode == XROCE_RC_READ_RESPONSE_ONLY ? r->len : 0,
		.va = r->va,
		.result = r->result,
		.opcode = r->opcode,
		.syndrome = r->syndrome,
	};
	return 0;
}

/* The way back is that of the newest request, with its addresses swapped. */
static void xr_replies_way(struct xr_replies *rs, const void *l2, u32 l2_len)
{
	lockdep_assert_held(&rs->lock);
	memcpy(rs->l2, l2, l2_len);
	memcpy(rs->l2, l2 + ETH_ALEN, ETH_ALEN);
	memcpy(rs->l2 + ETH_ALEN, l2, ETH_ALEN);
	rs->l2_len = l2_len;
}

/* There is something to send. The queue's lock is held. */
void xr_replies_start(struct xr_qp *qp, const void *l2, u32 l2_len)
{
	xr_replies_way(&qp->replies, l2, l2_len);
	xr_replies_arm(&qp->replies);
	xr_replies_show(qp);
}

static u8 xr_read_opcode(const struct xr_reply *r, u32 len)
{
	bool last = len == r->left;

	if (!r->begun)
		return last ? XROCE_RC_READ_RESPONSE_ONLY :
			      XROCE_RC_READ_RESPONSE_FIRST;
	return last ? XROCE_RC_READ_RESPONSE_LAST :
		      XROCE_RC_READ_RESPONSE_MIDDLE;
}

/*
 * The region has gone while it was being read, or memory is short, -EIO: say so, and
 * nothing more.
 */
static void xr_reply_fail(struct xr_qp *qp, struct xr_reply *r, int error)
{
	struct xr_replies *rs = &qp->replies;

	r->opcode = XROCE_RC_ACK;
	r->syndrome = error == -EIO ? XROCE_SYN_NAK_OP : XROCE_SYN_NAK_ACC;
	r->left = 0;
	rs->reads = 0;
	rs->count = 1;
	rs->failed = true;
	xr_qp_end(qp);
}

/* Give the queue's lock back. A reply that failed flushes what is posted. */
static void xr_replies_unlock(struct xr_qp *qp)
	__releases(&qp->replies.lock)
{
	bool failed = qp->replies.failed;

	qp->replies.failed = false;
	spin_unlock(&qp->replies.lock);
	if (unlikely(failed))
		xr_recv_fail(qp);
}

/* Build the next packet of the first reply. Return: whether it is its last. */
static int xr_reply_packet(struct xr_qp *qp, struct xr_reply *r, bool *last)
{
	struct xr_replies *rs = &qp->replies;
	u32 mtu = qp->mtu;
	struct xr_tx_packet p = {
		.l2 = rs->l2,
		.l2_len = rs->l2_len,
		.opcode = r->opcode,
		.syndrome = r->opcode == XROCE_RC_ACK ? r->syndrome :
							XROCE_SYN_ACK,
		.psn = r->psn,
		.msn = r->msn,
		.result = r->result,
		.key = r->key,
		.va = r->va,
		.len = min(r->left, mtu),
		.begin = !r->begun,
	};
	int ret;

	p.ahead = r->left - p.len;
	*last = !p.ahead;
	if (r->opcode == XROCE_RC_READ_RESPONSE_ONLY)
		p.opcode = xr_read_opcode(r, p.len);
	ret = xr_tx_build(&rs->batch, qp, &p);
	if (ret)
		return ret;
	r->begun = true;
	r->va += p.len;
	r->left -= p.len;
	r->psn = (r->psn + 1) & XROCE_PSN_MASK;
	return 0;
}

/*
 * Build the congestion notification that is to be sent. The queue's lock is held, and there is room in
 * the batch. Return: 0 or -ENOMEM.
 */
static int xr_reply_cnp(struct xr_qp *qp)
{
	struct xr_replies *rs = &qp->replies;
	struct xr_tx_packet p = {
		.l2 = rs->l2,
		.l2_len = rs->l2_len,
		.opcode = XROCE_OP_CNP,
	};
	int ret = xr_tx_build(&rs->batch, qp, &p);

	if (!ret)
		rs->cnp = false;
	return ret;
}

/*
 * Fill the batch. Return: packets built; or -ENOMEM, or -EAGAIN: memory that is on
 * its way.
 */
static int xr_replies_build(struct xr_qp *qp, int room)
{
	struct xr_replies *rs = &qp->replies;
	struct xr_reply *r;
	int built = 0, ret;
	bool last;

	if (rs->cnp && rs->batch.count < XR_TX_BATCH) {
		ret = xr_reply_cnp(qp);
		if (ret)
			return ret;
		built++;
	}
	while (rs->count && rs->batch.count < XR_TX_BATCH && built < room) {
		r = xr_reply_at(rs, 0);
		ret = xr_reply_packet(qp, r, &last);
		if (ret == -ENOMEM || ret == -EAGAIN)
			return built ? built : ret;
		if (ret) {
			xr_reply_fail(qp, r, ret);
			continue;
		}
		built++;
		if (!last)
			continue;
		rs->reads -= r->opcode == XROCE_RC_READ_RESPONSE_ONLY;
		rs->head = (rs->head + 1) % XR_REPLY_MAX;
		rs->count--;
	}
	return built;
}

/* Send the only packet that there is. Return: whether all is done. */
static bool xr_replies_now(struct xr_qp *qp)
{
	struct xr_replies *rs = &qp->replies;

	/* It goes away behind an RCU grace period. */
	rs->batch.dev = READ_ONCE(qp->link->dev);
	return xr_replies_build(qp, 1) > 0 &&
	       !xr_tx_flush(&rs->batch) && !rs->count && !rs->cnp;
}

/*
 * Send an answer without payload when nothing waits. Return: false: it could not be
 * made, and is to be queued.
 */
static bool xr_reply_alone(struct xr_qp *qp, const struct xroce_reply *r)
{
	struct xr_replies *rs = &qp->replies;
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
	/* It goes away behind an RCU grace period. */
	rs->batch.dev = READ_ONCE(qp->link->dev);
	if (unlikely(xr_tx_flush(&rs->batch))) {
		xr_replies_arm(rs);
		xr_replies_show(qp);
	}
	return true;
}

/**
 * xr_reply_queue() - queue a reply
 * @qp: whose it is
 * @r: what; checked here
 * @l2: Ethernet header of the request
 * @l2_len: its length, 14 to XR_TX_L2_MAX
 * @must: nobody else can send it
 *
 * In softirq. A reply of one packet goes out at once when nothing waits, unless @r says
 * that it is behind another.
 *
 * Return: 0; -EAGAIN: nothing waits, it is no READ, and not for @must; -ENOSPC;
 * -ENOENT: the queue pair is going; -EINVAL; -ENOMEM.
 */
int xr_reply_queue(struct xr_qp *qp, const struct xroce_reply *r,
		   const void *l2, u32 l2_len, bool must)
{
	struct xr_replies *rs = &qp->replies;
	bool read = r->opcode == XROCE_RC_READ_RESPONSE_ONLY;
	int ret = 0;

	if (!read && r->opcode != XROCE_RC_ACK &&
	    r->opcode != XROCE_RC_ATOMIC_ACK)
		return -EINVAL;
	if (r->len > XROCE_MAX_MSG)
		return -EINVAL;

	spin_lock(&rs->lock);
	if (rs->dead) {
		ret = -ENOENT;
		goto out;
	}
	if (!rs->count && !rs->batch.count && !rs->armed && !read) {
		if (!must) {
			ret = -EAGAIN;
			goto out;
		}
		xr_replies_way(rs, l2, l2_len);
		if (likely(!r->behind) && xr_reply_alone(qp, r))
			goto out;
	}
	if (xr_reply_merge(rs, r))
		goto out;
	if (read && rs->reads >= max(qp->max_dest_rd_atomic, 1u)) {
		ret = -ENOSPC;
		goto out;
	}
	ret = xr_reply_add(qp, r);
	if (ret)
		goto out;
	rs->reads += read;
	xr_replies_way(rs, l2, l2_len);
	if (rs->count > 1 || rs->batch.count || r->len > qp->mtu ||
	    rs->armed || r->behind || !xr_replies_now(qp))
		xr_replies_arm(rs);
	xr_replies_show(qp);
out:
	xr_replies_unlock(qp);
	return ret;
}

/**
 * xr_reply_frame() - send a reply that the XDP program has made
 * @qp: whose it is
 * @frame: what; used up. Without room it is lost, and the peer will ask again
 *
 * In softirq. It goes before all that is queued later.
 */
void xr_reply_frame(struct xr_qp *qp, struct xdp_frame *frame)
{
	struct xr_replies *rs = &qp->replies;

	spin_lock(&rs->lock);
	xr_tx_lend(&rs->batch, frame);
	if (!rs->dead && rs->batch.count < XR_TX_BATCH) {
		rs->batch.frame[rs->batch.count++] = frame;
		xr_replies_arm(rs);
		xr_replies_show(qp);
	} else {
		xr_tx_lose(&rs->batch, frame);
	}
	spin_unlock(&rs->lock);
}

/**
 * xr_reply_rnr() - tell the peer to come again (IBTA 9.7.5.2.8)
 * @qp: whose it is; this CPU has its claim
 * @l2: Ethernet header of a request
 * @l2_len: its length
 * @psn: of the packet
 * @msn: message sequence number
 *
 * In softirq. Without room, the peer's own timer has to tell it.
 */
void xr_reply_rnr(struct xr_qp *qp, const void *l2, u32 l2_len, u32 psn,
		  u32 msn)
{
	struct xr_replies *rs = &qp->replies;
	const struct xroce_reply r = {
		.opcode = XROCE_RC_ACK,
		.syndrome = XROCE_SYN_RNR | XROCE_RNR_FAULT,
		.psn = psn,
		.msn = msn,
	};

	spin_lock(&rs->lock);
	if (!rs->dead && !xr_reply_add(qp, &r))
		xr_replies_start(qp, l2, l2_len);
	spin_unlock(&rs->lock);
}

/* How long to wait before the next batch. */
static void xr_replies_pace(struct xr_replies *rs, bool full)
{
	if (full)
		rs->gap = clamp(2 * rs->gap, XR_REPLY_GAP, XR_REPLY_GAP_MAX);
	else
		rs->gap -= rs->gap / XR_REPLY_GAP_DECAY;
	if (rs->gap < XR_REPLY_GAP_MIN)
		rs->gap = 0;
}

static void xr_replies_run(struct tasklet_struct *tasklet)
{
	struct xr_qp *qp = container_of(tasklet, struct xr_qp, replies.tasklet);
	struct xr_replies *rs = &qp->replies;
	int budget = rs->gap ? XR_TX_BATCH : XR_REPLY_BUDGET;
	int ret;

	/* A key may have been revoked since: not before all that is posted is applied. */
	rcu_read_lock_bh();
	ret = xr_sq_poll(qp);
	rcu_read_unlock_bh();
	spin_lock(&rs->lock);
	rs->armed = false;
	rcu_read_lock();
	/* It goes away behind an RCU grace period. */
	rs->batch.dev = READ_ONCE(qp->link->dev);
	while (ret != -EAGAIN && !rs->dead && budget > 0) {
		ret = xr_replies_build(qp, budget);
		if (ret <= 0)
			break;
		budget -= ret;
		ret = xr_tx_flush(&rs->batch);
		if (ret)
			break;
	}
	if (!rs->dead && rs->batch.count && ret != -EBUSY)
		ret = xr_tx_flush(&rs->batch);
	rs->naps = ret == -EBUSY || ret == -ENOMEM || ret == -EAGAIN ?
		   rs->naps + 1 : 0;
	xr_replies_pace(rs, rs->naps);
	if (ret == -ENETDOWN || ret == -EMSGSIZE || rs->naps > XR_REPLY_NAPS) {
		/* The peer will ask again. */
		xr_tx_drop(&rs->batch);
		rs->count = 0;
		rs->reads = 0;
		rs->cnp = false;
	}
	rcu_read_unlock();
	if (!rs->dead && xr_replies_any(rs)) {
		if (rs->gap)
			hrtimer_start(&rs->timer, ns_to_ktime(rs->gap),
				      HRTIMER_MODE_REL_SOFT);
		else
			xr_replies_arm(rs);
	}
	if (!rs->dead)
		xr_replies_show(qp);
	xr_replies_unlock(qp);
}

static enum hrtimer_restart xr_replies_wake(struct hrtimer *timer)
{
	struct xr_replies *rs = container_of(timer, struct xr_replies, timer);

	spin_lock(&rs->lock);
	if (!rs->dead && xr_replies_any(rs))
		xr_replies_arm(rs);
	spin_unlock(&rs->lock);
	return HRTIMER_NORESTART;
}

/* @stat: counters of the queue pair's link. */
void xr_replies_init(struct xr_replies *rs, struct xroce_stat __percpu *stat)
{
	spin_lock_init(&rs->lock);
	rs->batch.stat = stat;
	tasklet_setup(&rs->tasklet, xr_replies_run);
	hrtimer_setup(&rs->timer, xr_replies_wake, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_SOFT);
	rs->dead = true;
}

/* The queue pair is ready to receive. */
void xr_replies_open(struct xr_replies *rs)
{
	spin_lock_bh(&rs->lock);
	rs->dead = false;
	spin_unlock_bh(&rs->lock);
}

/* The queue pair counts anew. It is closed. */
void xr_replies_reset(struct xr_replies *rs)
{
	spin_lock_bh(&rs->lock);
	rs->batch.sent = 0;
	rs->batch.sent_bytes = 0;
	rs->batch.lost = 0;
	spin_unlock_bh(&rs->lock);
}

/* Nothing is sent any more, and nothing queued. Sleeps. */
void xr_replies_close(struct xr_qp *qp)
{
	struct xr_replies *rs = &qp->replies;

	spin_lock_bh(&rs->lock);
	rs->dead = true;
	spin_unlock_bh(&rs->lock);
	hrtimer_cancel(&rs->timer);
	tasklet_kill(&rs->tasklet);
	spin_lock_bh(&rs->lock);
	xr_tx_drop(&rs->batch);
	rs->count = 0;
	rs->reads = 0;
	rs->head = 0;
	rs->naps = 0;
	rs->gap = 0;
	rs->cnp = false;
	xr_replies_show(qp);
	spin_unlock_bh(&rs->lock);
}

void xr_replies_free(struct xr_replies *rs)
{
	kfree(rs->reply);
}
