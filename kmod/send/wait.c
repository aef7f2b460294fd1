// SPDX-License-Identifier: GPL-2.0-only
/* Waiting before more is sent: enum xr_send_wait. See requester.h. */
#include <linux/hrtimer.h>
#include <linux/minmax.h>

#include "uapi/xroce.h"

#include "frame/tx.h"
#include "qp/qp.h"

#include "requester.h"

/*
 * Waits that could go on for ever, for receives or memory that never come, become longer: to this
 * part of the time that has passed, but not longer than this, in nanoseconds, if the peer does not
 * ask for it.
 */
#define XR_REQUESTER_PART	4
#define XR_REQUESTER_PAUSE_MAX	(100 * NSEC_PER_MSEC)

/* How long a packet waits that exceeds the MTU of the device, and how often it looks. */
#define XR_NARROW_MAX	(5 * NSEC_PER_SEC)
#define XR_NARROW_LOOK	(10 * NSEC_PER_MSEC)

/* Send nothing for @ns nanoseconds. The lock is held. */
void xr_requester_wait(struct xr_send *s, enum xr_send_wait wait, u64 ns)
{
	if (s->state == XR_SEND_DYING)
		return;
	s->wait = wait;
	/* Pinned: this CPU goes on, as its queue of the device has what was sent before. */
	hrtimer_start(&s->pace, ns_to_ktime(ns), HRTIMER_MODE_REL_PINNED_SOFT);
}

/* Return: @ns, or more if a wait like this began long ago. @since: when; 0: now. */
static u64 xr_requester_longer(u64 ns, u64 *since)
{
	u64 now = ktime_get_ns();

	if (!*since)
		*since = now;
	return max(ns, min((now - *since) / XR_REQUESTER_PART, XR_REQUESTER_PAUSE_MAX));
}

/**
 * xr_requester_pause() - wait for the peer, or for the memory of a response
 * @s: the send side; its lock is held
 * @ns: time, in nanoseconds; it is longer if there has been no progress for long
 */
void xr_requester_pause(struct xr_send *s, u64 ns)
{
	xr_requester_wait(s, XR_WAIT_PEER, xr_requester_longer(ns, &s->since));
}

/* Wait for something of this host. On-demand memory may never come: that wait grows. */
void xr_requester_nap(struct xr_send *s, enum xr_send_wait wait)
{
	bool first = !s->backoff.fails, drop = xr_backoff_fail(&s->backoff);
	u64 ns = s->backoff.gap;

	if (first)
		s->nap_since = 0;
	if (wait == XR_WAIT_MEMORY)
		ns = xr_requester_longer(ns, &s->nap_since);
	xr_requester_wait(s, wait, ns);
	if (drop)
		xr_requester_drop(s);
}

/*
 * The next packet exceeds the MTU of the device, which has been lowered: wait until it is raised
 * again. If it is not, end the connection.
 */
void xr_requester_narrow(struct xr_qp *qp)
{
	struct xr_send *s = &qp->send;
	u64 now = ktime_get_ns();

	if (!s->backoff.fails || !s->nap_since) {
		s->nap_since = now;
		/* What precedes it may have asked for no response: send that again, asking. */
		if (!s->force) {
			xr_tx_drop(&s->batch);
			s->force = true;
			xr_requester_rewind(qp);
		}
	}
	xr_backoff_fail(&s->backoff);
	if (now - s->nap_since < XR_NARROW_MAX) {
		xr_requester_wait(s, XR_WAIT_DEVICE, XR_NARROW_LOOK);
		return;
	}
	xr_requester_drop(s);
	xr_requester_fail(qp, XROCE_WC_LOC_LEN_ERR);
}

enum hrtimer_restart xr_requester_wake(struct hrtimer *timer)
{
	struct xr_send *s = container_of(timer, struct xr_send, pace);

	spin_lock(&s->lock);
	/* Another wait may have begun since the timer expired. */
	if (!hrtimer_is_queued(timer)) {
		/* The timer may expire before the tasklet has sent anything, or waits again. */
		if (xr_requester_excused(s))
			xr_requester_restart(s);
		s->wait = XR_WAIT_NONE;
		if (xr_send_active(s))
			xr_requester_arm(s);
	}
	spin_unlock(&s->lock);
	return HRTIMER_NORESTART;
}
