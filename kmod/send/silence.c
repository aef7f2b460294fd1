// SPDX-License-Identifier: GPL-2.0-only
/* A peer that is not heard: the local ACK timeout, and the timer of probes. See requester.h. */
#include <linux/hrtimer.h>
#include <linux/jiffies.h>
#include <linux/minmax.h>
#include <linux/timer.h>

#include "xroce_map.h"

#include "obj/link.h"
#include "qp/path.h"
#include "qp/qp.h"

#include "count.h"
#include "psn.h"
#include "requester.h"
#include "resend.h"
#include "rtt.h"
#include "timer_compat.h"

/*
 * Times that a local ACK timeout is extended because there are responses, though none that is of
 * use.
 */
#define XR_SPARED	8

/* The local ACK timeout has ended, if there was no progress (IBTA 9.7.6.1.3). */
void xr_requester_timeout(struct timer_list *timer)
{
	struct xr_send *s = timer_container_of(s, timer, timer);
	struct xr_qp *qp = container_of(s, struct xr_qp, send);
	unsigned long due;

	spin_lock(&s->lock);
	/* An attribute of 0 may have been set meanwhile. */
	if (!xr_send_active(s) || s->una == s->psn || !s->ticks)
		goto out;
	if (xr_requester_excused(s))
		xr_requester_restart(s);
	/* On a long path no answer may have come yet. */
	due = s->deadline - s->ticks + max(s->ticks, xr_rtt_ticks(&s->rtt));
	if (time_before(jiffies, due)) {
		mod_timer(&s->timer, due);
		goto out;
	}
	/* The peer is alive: it answers what was sent before. But that must not go on for ever. */
	if (READ_ONCE(qp->map->req_stale) != s->stale && s->spared < XR_SPARED) {
		s->stale = READ_ONCE(qp->map->req_stale);
		s->spared++;
		xr_requester_restart(s);
		mod_timer(&s->timer, s->deadline);
		goto out;
	}
	xr_requester_count(&qp->map->req_timeouts, 1);
	this_cpu_inc(s->batch.stat->req_timeout);
	xr_path_silent(qp->link);
	s->wait = XR_WAIT_NONE;
	rcu_read_lock();
	if (xr_requester_retries(qp, XR_AGAIN_TIMEOUT)) {
		xr_resend_probe(s);
		xr_requester_run(qp);
	}
	rcu_read_unlock();
out:
	spin_unlock(&s->lock);
}

/*
 * Nothing has been heard since the request was sent again that the peer had missed: it discards
 * what follows. Return: whether that is so.
 */
static bool xr_requester_discards(struct xr_qp *qp)
{
	struct xr_send *s = &qp->send;

	if (s->keeps != XR_KEEPS_TRIAL || !s->probes || xr_psn_diff(s->una, s->trial) < 0)
		return false;
	s->keeps = XR_KEEPS_NOT;
	xr_requester_rewind(qp);
	return true;
}

/* Judge holes, and send a probe if nothing has been heard: see resend.h. */
enum hrtimer_restart xr_requester_tick(struct hrtimer *timer)
{
	struct xr_send *s = container_of(timer, struct xr_send, tick);
	struct xr_qp *qp = container_of(s, struct xr_qp, send);
	enum hrtimer_restart ret = HRTIMER_NORESTART;

	spin_lock(&s->lock);
	/* It may have been started again since it expired. */
	if (hrtimer_is_queued(timer))
		goto out;
	s->ticking = false;
	if (!xr_send_active(s) || s->una == s->psn || !s->ticks)
		goto out;
	rcu_read_lock();
	if (!xr_send_waits(s) && (xr_resend_overdue(qp) || xr_requester_discards(qp)))
		xr_requester_run(qp);
	rcu_read_unlock();
	if (!xr_send_active(s) || hrtimer_is_queued(timer))
		goto out;
	s->ticking = true;
	hrtimer_forward_now(timer, ns_to_ktime(xr_resend_period(qp)));
	ret = HRTIMER_RESTART;
out:
	spin_unlock(&s->lock);
	return ret;
}
