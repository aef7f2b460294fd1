// SPDX-License-Identifier: GPL-2.0-only
/* The rate of READ responses after congestion notifications: see pace.h. */
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/time64.h>

#include "xroce_map.h"
#include "xroce_wire.h"

#include "qp/qp.h"

#include "pace.h"

/* Time of a step of DCQCN: so many packets at the rate, within these bounds, in nanoseconds. */
#define XR_PACE_STEP		8u
#define XR_PACE_SHORT		(50ull * NSEC_PER_USEC)
#define XR_PACE_LONG		(10ull * NSEC_PER_MSEC)

/*
 * The rate is measured over XR_PACE_SHORT and so many packets, which is what the tasklet sends at
 * once; or over XR_PACE_LONG, if that comes first.
 */
#define XR_PACE_SAMPLE		64u

/* Packets that are measured at most, so that rates of them fit into 64 bits. */
#define XR_PACE_MOST		(1u << 22)

/*
 * Packets of the path MTU a second, at least. The gap of 20 ms is below local ACK timeouts that are
 * usual, 67 ms and more.
 */
#define XR_PACE_LEAST		50u

/* After this time without notifications nothing is paced, and what was measured is forgotten. */
#define XR_PACE_CALM		((u64)NSEC_PER_SEC)

/* Bytes of READ responses so far, and those of others, which are short or rare. */
static u64 xr_pace_bytes(const struct xr_qp *qp)
{
	return READ_ONCE(qp->map->tx_more) + qp->responses.batch.sent_bytes;
}

/* Measure the rate from now on. */
static void xr_pace_measure(struct xr_qp *qp, struct xr_pace *p, u64 now)
{
	p->since = now;
	p->bytes = xr_pace_bytes(qp);
}

/* Return: the time of a step at the rate, in nanoseconds. */
static u32 xr_pace_step(const struct xr_pace *p)
{
	const struct xroce_cc *c = &p->cc.state;

	return clamp(div64_u64((u64)XR_PACE_STEP * c->mtu * NSEC_PER_SEC, max(c->rate, 1ull)),
		     XR_PACE_SHORT, XR_PACE_LONG);
}

/* Tell DCQCN what happened since the last time. */
static void xr_pace_tell(struct xr_pace *p, struct xroce_cc_ack *a)
{
	struct xroce_cc *c = &p->cc.state;

	a->acked = p->packets;
	p->packets = 0;
	p->since = a->now;
	xr_cc_tell(&p->cc, a, (u64)XR_PACE_LEAST * c->mtu);
	c->srtt = xr_pace_step(p);
}

/* Cut the rate. */
static void xr_pace_cut(struct xr_pace *p, struct xroce_cc_ack *a)
{
	p->cut = a->now;
	a->cnps = 1;
	xr_pace_tell(p, a);
}

/* A notification, while the rate is measured: cut it, if it is known. */
static void xr_pace_begin(struct xr_qp *qp, struct xr_pace *p, u64 now)
{
	u64 time = now - p->since;
	u32 mtu = p->cc.state.mtu;
	s64 bytes = xr_pace_bytes(qp) - p->bytes;
	struct xroce_cc_ack a = { .now = now, .rtt = time };
	u32 packets = div_u64(clamp_t(s64, bytes, 0, (s64)XR_PACE_MOST * mtu), mtu);

	if (time < XR_PACE_SHORT || (time < XR_PACE_LONG && packets < XR_PACE_SAMPLE))
		return;
	if (time > XR_PACE_CALM || packets < 2) {
		xr_pace_measure(qp, p, now);
		return;
	}
	p->line = div64_u64((u64)packets * mtu * NSEC_PER_SEC, time);
	p->packets = 0;
	a.delivered = packets;
	xr_pace_cut(p, &a);
	qp->responses.paced = true;
}

/* Return: the pacing of a queue pair that has got its first notification; NULL: no memory. */
static struct xr_pace *xr_pace_add(struct xr_qp *qp, u64 now)
{
	struct xr_pace *p = xr_qp_alloc(qp, 1, sizeof(*p));

	if (!p)
		return NULL;
	*p = (struct xr_pace){};
	xr_cc_begin(&p->cc, &xr_cc_dcqcn, qp->mtu);
	xr_pace_measure(qp, p, now);
	return p;
}

/* Send as fast as possible again. The lock is held. */
void xr_pace_end(struct xr_responses *rs)
{
	kfree(rs->pace);
	rs->pace = NULL;
	rs->paced = false;
}

/**
 * xr_pace_cnp() - the peer has sent a congestion notification
 * @qp: the queue pair
 *
 * In softirq.
 */
void xr_pace_cnp(struct xr_qp *qp)
{
	struct xr_responses *rs = &qp->responses;
	struct xroce_cc_ack a = { .again = 1 };
	struct xr_pace *p;

	/* Only RC has READs. */
	if (qp->type != XROCE_QPT_RC || !(READ_ONCE(qp->map->tos) & XROCE_ECN_MASK))
		return;
	spin_lock(&rs->lock);
	if (!rs->active)
		goto out;
	a.now = ktime_get_ns();
	p = rs->pace;
	if (!p)
		p = rs->pace = xr_pace_add(qp, a.now);
	else if (!p->line)
		xr_pace_begin(qp, p, a.now);
	else if (a.now - p->cut >= p->cc.state.srtt)
		xr_pace_cut(p, &a);
	if (p)
		p->heard = a.now;
	xr_responses_show(qp);
out:
	spin_unlock(&rs->lock);
}

/**
 * xr_pace_update() - let the rate recover
 * @qp: queue pair, whose responses are paced
 *
 * The lock of its responses is held, in softirq.
 */
void xr_pace_update(struct xr_qp *qp)
{
	struct xr_responses *rs = &qp->responses;
	struct xroce_cc_ack a = { .now = ktime_get_ns(), .again = 1 };
	struct xr_pace *p = rs->pace;

	if (p->line && a.now - p->since >= p->cc.state.srtt)
		xr_pace_tell(p, &a);
	if (a.now - p->heard > XR_PACE_CALM || (p->line && p->cc.state.rate >= p->line)) {
		xr_pace_end(rs);
		xr_responses_show(qp);
	}
}

/* Return: bytes a second of READ responses; 0: as fast as possible. In process context. */
u64 xr_pace_rate(struct xr_qp *qp)
{
	struct xr_responses *rs = &qp->responses;
	u64 rate = 0;

	spin_lock_bh(&rs->lock);
	if (rs->pace && rs->pace->line)
		rate = rs->pace->cc.state.rate;
	rate = min_not_zero(rate, xr_repeat_rate(&rs->repeat, qp->mtu));
	spin_unlock_bh(&rs->lock);
	return rate;
}
