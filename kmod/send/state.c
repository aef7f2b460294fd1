// SPDX-License-Identifier: GPL-2.0-only
/* The state of a send side: enum xr_send_state. */
#include <linux/etherdevice.h>
#include <linux/export.h>
#include <linux/jiffies.h>
#include <linux/sched.h>

#include "uapi/xroce.h"
#include "xroce_map.h"
#include "xroce_wire.h"

#include "own/owner.h"
#include "qp/error.h"
#include "qp/qp.h"

#include "cc.h"
#include "packet.h"
#include "requester.h"
#include "resend.h"
#include "state.h"
#include "steer.h"
#include "timer_compat.h"

/**
 * xr_send_move() - send to another Ethernet address
 * @qp: the queue pair; the lock of its link is held
 * @dmac: the peer's address, or that of the next hop
 *
 * Packets lost on the way to the previous address count for no attempt, and the peer is asked at
 * once how far it has come.
 */
void xr_send_move(struct xr_qp *qp, const u8 *dmac)
{
	struct xr_send *s = &qp->send;

	spin_lock_bh(&s->lock);
	ether_addr_copy(s->attr.dmac, dmac);
	if (xr_send_active(s))
		xr_request_template(qp);
	if (xr_send_active(s) && qp->type == XROCE_QPT_RC && s->una != s->psn) {
		s->retries = 0;
		xr_requester_restart(s);
		xr_resend_probe(s);
		xr_requester_arm(s);
	}
	spin_unlock_bh(&s->lock);
}

/* The queue pair comes to RTS, from RTR or SQD. */
void xr_send_start(struct xr_qp *qp)
{
	struct xr_send *s = &qp->send;

	if (!s->wqes)
		return;
	spin_lock_bh(&s->lock);
	/* It may have been ended meanwhile: then the tasklet flushes. */
	if (READ_ONCE(qp->failed)) {
		xr_requester_arm(s);
		spin_unlock_bh(&s->lock);
		return;
	}
	if (!xr_send_active(s)) {
		s->psn = s->attr.psn;
		s->una = s->psn;
		s->top = s->psn;
		xr_rtt_reset(&s->rtt);
		xr_cc_start(&s->cc, qp->type == XROCE_QPT_RC ? &qp->link->cc : NULL, qp->mtu,
			    READ_ONCE(qp->map->req_cnps));
		s->keeps = XR_KEEPS_UNKNOWN;
		s->discards = 0;
		s->tried = s->psn;
		s->asks = false;
		s->sacked = false;
		s->score.reorder = 0;
		s->score.sure = false;
		s->score.late = 0;
		s->stale = READ_ONCE(qp->map->req_stale);
		s->score.stale = s->stale;
		s->ticking = false;
		hrtimer_try_to_cancel(&s->tick);
		s->window = s->cc.window;
		xr_requester_rewind(qp);
		s->owed = false;
		xr_requester_progress(s, 0);
		s->backoff = (struct xr_backoff){};
		xr_steer_start(s);
	}
	xr_request_template(qp);
	s->state = XR_SEND_RUNNING;
	xr_requester_show(qp);
	xr_requester_arm(s);
	spin_unlock_bh(&s->lock);
}

/*
 * The queue pair comes to SQD, or is in it: no message is begun. @tell: if it comes there, raise
 * XROCE_EVENT_SQ_DRAINED once nothing is outstanding.
 */
void xr_send_drain(struct xr_qp *qp, bool tell)
{
	struct xr_send *s = &qp->send;

	spin_lock_bh(&s->lock);
	if (s->state != XR_SEND_DRAINING)
		s->notify = tell;
	/* Not if it has failed meanwhile. */
	if (xr_send_active(s))
		s->state = XR_SEND_DRAINING;
	s->owed = true;
	xr_requester_arm(s);
	spin_unlock_bh(&s->lock);
}

/* Send nothing any more, and take what consumers in the kernel have posted. @s->lock is held. */
static void xr_send_halt(struct xr_send *s)
{
	unsigned long irq;

	xr_requester_idle(s);
	/* If it is expiring now, xr_requester_wake() ends the wait. */
	if (hrtimer_try_to_cancel(&s->pace) >= 0)
		s->wait = XR_WAIT_NONE;
	xr_requester_drop(s);
	/* Whoever posts from now on sees the new state, if that is RESET. */
	raw_spin_lock_irqsave(&s->post_lock, irq);
	xr_requester_take(s);
	raw_spin_unlock_irqrestore(&s->post_lock, irq);
}

/* The queue pair comes to RESET, or is being destroyed: discard all work requests. */
void xr_send_reset(struct xr_qp *qp)
{
	struct xr_send *s = &qp->send;

	spin_lock_bh(&s->lock);
	xr_send_halt(s);
	xr_send_discard(s);
	xr_requester_show(qp);
	spin_unlock_bh(&s->lock);
}

/* The queue pair comes to ERR: complete all work requests. Sleeps. */
void xr_send_stop(struct xr_qp *qp)
{
	struct xr_send *s = &qp->send;
	bool more;

	spin_lock_bh(&s->lock);
	xr_send_halt(s);
	xr_requester_show(qp);
	spin_unlock_bh(&s->lock);
	do {
		spin_lock_bh(&s->lock);
		more = xr_send_flush(qp);
		spin_unlock_bh(&s->lock);
		cond_resched();
	} while (more);
}

/**
 * xr_send_quit() - end a connection whose peer is now another owner's
 * @qp: the queue pair, which is not being destroyed
 *
 * Nothing is sent any more when this returns. In process context, without locks of the queue pair.
 */
void xr_send_quit(struct xr_qp *qp)
{
	struct xr_send *s = &qp->send;

	spin_lock_bh(&s->lock);
	xr_requester_idle(s);
	/* The tasklet, which it schedules, flushes. */
	xr_qp_refused(qp);
	xr_requester_drop(s);
	spin_unlock_bh(&s->lock);
}

/*
 * The queue pair is being destroyed, and nobody finds it any more, but packets that have found
 * it may still be under way. Sleeps.
 */
void xr_send_close(struct xr_qp *qp)
{
	struct xr_send *s = &qp->send;
	unsigned long irq;

	spin_lock_bh(&s->lock);
	raw_spin_lock_irqsave(&s->post_lock, irq);
	s->state = XR_SEND_DYING;
	raw_spin_unlock_irqrestore(&s->post_lock, irq);
	s->consumer = NULL;
	spin_unlock_bh(&s->lock);
	timer_delete_sync(&s->timer);
	hrtimer_cancel(&s->pace);
	hrtimer_cancel(&s->tick);
	xr_steer_close(s);
	tasklet_kill(&s->tasklet);
	spin_lock_bh(&s->lock);
	xr_requester_drop(s);
	xr_cc_end(&s->cc);
	s->head = s->tail;
	spin_unlock_bh(&s->lock);
	xr_event_cancel(&qp->owner->events, &s->drained);
}
