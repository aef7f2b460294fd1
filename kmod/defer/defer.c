// SPDX-License-Identifier: GPL-2.0-only
/*
 * Deferring frames, and executing them: once on-demand memory is resident, or, on RC, once the
 * packet that is missing before them has come.
 */
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <net/xdp.h>

#include "xroce_map.h"
#include "xroce_wire.h"

#include "bytes/frame.h"
#include "frame/run.h"
#include "frame/tx.h"
#include "obj/link.h"
#include "odp/odp.h"
#include "odp/wait.h"
#include "own/limit.h"
#include "qp/qp.h"
#include "respond/queue.h"
#include "send/psn.h"

#include "defer.h"
#include "early.h"
#include "frames.h"
#include "gap.h"
#include "limit.h"
#include "timer_compat.h"
#include "trace.h"
#include "way.h"

/* Frames per run of the work item, before it yields to other work on this CPU. */
#define XR_DEFER_BUDGET	32

/* Attempts to take the claim for an RNR NAK, while other packets have it. */
#define XR_DEFER_CLAIMS	1000

/* True if the XDP program is running on a frame of this queue, in this softirq. */
static bool xr_defer_running(const struct xr_defer *k)
{
	return READ_ONCE(k->runner) == current;
}

/* Tell the XDP program whether there are deferred frames. The lock is held. */
static void xr_defer_show(struct xr_qp *qp)
{
	lockdep_assert_held(&qp->defer.lock);
	WRITE_ONCE(qp->map->deferred, !!qp->defer.count);
}

/*
 * Return: nanoseconds for which the first frame may still wait for memory; 0: it has waited for too
 * long. The lock is held.
 */
static u64 xr_defer_rest(const struct xr_defer *k)
{
	u64 waited = ktime_get_ns() - k->since, ns = xr_defer_longest();

	return ns > waited ? ns - waited : 0;
}

/* The first frame waits for memory. The lock is held. */
static void xr_defer_watch(struct xr_defer *k)
{
	hrtimer_start(&k->timer, ns_to_ktime(xr_defer_rest(k)), HRTIMER_MODE_REL_PINNED_SOFT);
}

/* Drop the frames from @d on, which may be NULL. The lock is held. Return: how many. */
static u32 xr_defer_drop(struct xr_qp *qp, struct xr_deferred *d)
{
	u32 count = qp->defer.count;
	struct xr_deferred *next;

	for (; d; d = next) {
		next = xr_deferred_next(d);
		rb_erase_cached(&d->node, &qp->defer.frames);
		xr_deferred_free(qp, d);
	}
	return count - qp->defer.count;
}

/*
 * The peer sends everything behind @d again. Drop the frames from the first READ request on: its
 * response would be sent twice, and may be megabytes; and acknowledgements of packets that come
 * again would arrive among the responses. The lock is held.
 */
static void xr_defer_forgo(struct xr_qp *qp, struct xr_deferred *d)
{
	qp->defer.early.back = d->at;
	do {
		d = xr_deferred_next(d);
	} while (d && d->opcode != XROCE_RC_READ_REQUEST);
	this_cpu_add(qp->link->stat->drop_psn, xr_defer_drop(qp, d));
}

/*
 * Add a copy of the frame in its place. @max: how many frames there may be with it. The lock is
 * held. Return: 0; -EEXIST: a frame with its PSN is there; -ENOSPC: no room, no program to execute
 * it later, or the queue is closed, refusing or has lost a frame; -ENOMEM.
 */
static int xr_defer_add(struct xr_qp *qp, struct xdp_buff *xdp, u32 max)
{
	struct xr_defer *k = &qp->defer;
	struct xr_deferred *d, *at;

	lockdep_assert_held(&k->lock);
	if (!k->active || k->refuse || k->lost ||
	    !rcu_access_pointer(qp->link->prog) ||
	    k->count >= max)
		return -ENOSPC;
	if (!xr_charge_deferred(qp->owner))
		return -ENOSPC;
	d = xr_deferred_copy(xdp);
	if (!d) {
		xr_uncharge_deferred(qp->owner);
		return -ENOMEM;
	}
	k->count++;
	at = xr_deferred_add(qp, d);
	if (at) {
		xr_gap_twice(qp, d);
		xr_deferred_free(qp, d);
		return -EEXIST;
	}
	if (d == xr_deferred_first(k))
		k->since = d->at;
	if (qp->type == XROCE_QPT_RC && xr_gap_came(qp, d))
		xr_defer_forgo(qp, d);
	xr_defer_show(qp);
	trace_xroce_defer(qp->link->id, qp->qpn, k->count);
	return 0;
}

/* The memory that the first frame waits for may be resident. Under xr_odp::req_lock. */
static void xr_defer_wake(struct xr_odp_waiter *waiter)
{
	struct xr_defer *k = container_of(waiter, struct xr_defer, waiter);

	queue_work(system_bh_wq, &k->work);
}

/* The first frame waits for @odp, unless all requests have been served meanwhile. Under RCU. */
static void xr_defer_wait(struct xr_defer *k, struct xr_odp *odp)
{
	if (!xr_odp_wait(&k->waiter, odp))
		xr_defer_wake(&k->waiter);
}

/**
 * xr_defer_missed() - request a fault, and defer the frame that needs it
 * @qp: queue pair of the frame; this CPU has the claim
 * @miss: the memory, from xr_odp_miss() in the same RCU read-side section
 * @xdp: the frame, unchanged since it arrived
 *
 * In softirq. The caller holds no region, see xr_odp_ask().
 *
 * Return: -EINPROGRESS: the frame is deferred; -EAGAIN: it cannot be deferred, or has been
 * deferred for too long; -EFAULT or -EIO of xr_odp_ask(): the memory is not accessible.
 */
int xr_defer_missed(struct xr_qp *qp, const struct xr_odp_miss *miss,
		   struct xdp_buff *xdp)
{
	struct xr_defer *k = &qp->defer;
	int ret = xr_odp_ask(miss, qp->epoch);

	if (ret != -EAGAIN)
		return ret;
	if (xr_defer_running(k)) {
		if (READ_ONCE(k->refuse) || xr_defer_never()) {
			k->told = true;
			return -EAGAIN;
		}
		k->stay = true;
		xr_defer_wait(k, miss->odp);
	} else {
		spin_lock(&k->lock);
		/*
		 * Frames deferred after this packet passed qp_detour() must not precede it. On RC
		 * they are behind it.
		 */
		ret = k->count && qp->type != XROCE_QPT_RC ? -ENOSPC :
		      xr_defer_add(qp, xdp, xr_defer_max_memory());
		if (!ret) {
			xr_defer_watch(k);
			xr_defer_wait(k, miss->odp);
		}
		spin_unlock(&k->lock);
		if (ret)
			return -EAGAIN;
	}
	return -EINPROGRESS;
}

/*
 * Return: how far a frame is ahead of the PSN that is expected, if the queue pair orders its frames
 * by PSN; otherwise, or if it has no PSN, 1.
 */
static s32 xr_defer_ahead(const struct xr_qp *qp, const struct xdp_buff *xdp)
{
	u32 bth = xr_deferred_bth(xdp);
	const struct xroce_bth *h = xdp->data + bth;

	if (qp->type != XROCE_QPT_RC || !bth)
		return 1;
	return xr_psn_diff(ntohl(READ_ONCE(h->apsn)), READ_ONCE(qp->map->epsn));
}

/*
 * Defer a frame behind others. On RC a frame before the expected PSN does not wait for those, and
 * one for which there is no room, or which is too far behind the hole, is only one more that is
 * missing. The lock is held. Return: as xr_defer_behind().
 */
static int xr_defer_among(struct xr_qp *qp, struct xdp_buff *xdp)
{
	s32 ahead = xr_defer_ahead(qp, xdp);
	struct xr_defer *k = &qp->defer;
	bool memory;
	int ret;

	if (!k->count)
		return -ENOENT;
	if (ahead < 0)
		return -EALREADY;
	/* Before xr_defer_max_behind() reads it: the memory may become resident at any time. */
	memory = READ_ONCE(k->waiter.on);
	if (!memory && ahead >= (s32)XR_EARLY_PSNS)
		return -ENOSPC;
	ret = xr_defer_add(qp, xdp, xr_defer_max_behind(qp));
	if (!ahead || k->early.ask)
		queue_work(system_bh_wq, &k->work);
	if (ret == -EEXIST)
		return 0;
	if (!ret || (qp->type == XROCE_QPT_RC && !memory && !READ_ONCE(k->waiter.on)))
		return ret && !ahead ? -EALREADY : ret;
	if (ret == -ENOSPC || ret == -ENOMEM)
		k->lost = true;
	return ret;
}

/**
 * xr_defer_behind() - defer a frame behind the deferred frames of its queue pair
 * @qp: queue pair of the frame
 * @xdp: the frame
 * @busy: another CPU has the claim
 *
 * In softirq.
 *
 * Return: see xroce_defer().
 */
int xr_defer_behind(struct xr_qp *qp, struct xdp_buff *xdp, bool busy)
{
	struct xr_defer *k = &qp->defer;
	bool running = xr_defer_running(k);
	int ret;

	if (running && !busy)
		return -EALREADY;
	if (running && !READ_ONCE(k->refuse)) {
		k->stay = true;
		k->again = true;
		return 0;
	}
	spin_lock(&k->lock);
	if (running) {
		/* The claim was not released in time: give up this frame. */
		k->lost = true;
		ret = -EALREADY;
	} else {
		ret = xr_defer_among(qp, xdp);
	}
	spin_unlock(&k->lock);
	return ret;
}

/**
 * xr_defer_early() - keep a frame behind a hole
 * @qp: queue pair of the frame, on RC; this CPU has the claim
 * @xdp: the frame
 *
 * In softirq.
 *
 * Return: see xroce_defer().
 */
int xr_defer_early(struct xr_qp *qp, struct xdp_buff *xdp)
{
	s32 ahead = xr_defer_ahead(qp, xdp);
	struct xr_defer *k = &qp->defer;
	int ret;

	if (xr_defer_running(k) || qp->type != XROCE_QPT_RC || ahead <= 0 ||
	    ahead >= (s32)XR_EARLY_PSNS || xr_gap_refused(qp))
		return -EINVAL;
	spin_lock(&k->lock);
	ret = xr_defer_add(qp, xdp, xr_defer_max_behind(qp));
	if (!ret) {
		queue_work(system_bh_wq, &k->work);
		ret = xr_gap_answers(k) ? 0 : -EAGAIN;
	} else if (ret == -EEXIST) {
		ret = 0;
	}
	spin_unlock(&k->lock);
	return ret;
}

/**
 * xr_defer_again() - note a packet that has been executed before
 * @qp: its queue pair
 * @xdp: the frame
 *
 * It may show that the packet which was executed then, or the original of it, had been late.
 */
void xr_defer_again(struct xr_qp *qp, struct xdp_buff *xdp)
{
	struct xr_defer *k = &qp->defer;
	u32 bth = xr_deferred_bth(xdp);
	const struct xroce_bth *h = xdp->data + bth;

	if (!bth || !xr_gap_expects(k))
		return;
	spin_lock(&k->lock);
	xr_gap_again(qp, ntohl(READ_ONCE(h->apsn)) & XROCE_PSN_MASK,
		     READ_ONCE(h->dqpn) & htonl(XROCE_BTH_AGAIN));
	spin_unlock(&k->lock);
}

/*
 * Take out the first frame, to execute it. On RC one that has been executed meanwhile is dropped,
 * and one behind a hole stays. The lock is not held. Return: the frame, or NULL.
 */
static struct xr_deferred *xr_defer_take(struct xr_qp *qp)
{
	struct xr_defer *k = &qp->defer;
	struct xr_deferred *d;
	s32 ahead = 0;

	spin_lock(&k->lock);
	for (;;) {
		d = k->active ? xr_deferred_first(k) : NULL;
		if (d && qp->type == XROCE_QPT_RC)
			ahead = xr_psn_diff(d->psn, READ_ONCE(qp->map->epsn));
		if (!d || ahead > 0)
			break;
		rb_erase_cached(&d->node, &k->frames);
		if (!ahead) {
			xr_early_begin(&k->early, d);
			break;
		}
		xr_deferred_free(qp, d);
		k->since = ktime_get_ns();
	}
	xr_defer_show(qp);
	spin_unlock(&k->lock);
	return d && ahead <= 0 ? d : NULL;
}

/* A frame has been executed, and stays the first one. */
static void xr_defer_back(struct xr_qp *qp, struct xr_deferred *d)
{
	struct xr_defer *k = &qp->defer;

	spin_lock(&k->lock);
	if (xr_deferred_add(qp, d))
		xr_deferred_free(qp, d);
	else
		xr_defer_watch(k);
	spin_unlock(&k->lock);
}

/* Drop all frames. The lock is held. Return: how many. */
static u32 xr_defer_clear(struct xr_qp *qp)
{
	struct xr_defer *k = &qp->defer;

	k->lost = false;
	k->refuse = false;
	return xr_defer_drop(qp, xr_deferred_first(k));
}

/*
 * Frames behind the last deferred one have been dropped. The peer may have nothing more to
 * send that would provoke a sequence NAK, so it gets an RNR NAK. This is called before the XDP
 * program sees that the queue is empty: it would answer the next packet with a sequence NAK. The
 * lock is held. Return: 1: call xr_defer_tell(), which sends the NAK and releases the claim; 0: no
 * NAK is due; -EBUSY: another packet has the claim.
 */
static int xr_defer_claim(struct xr_qp *qp)
{
	struct xroce_qp *q = qp->map;

	if (qp->type != XROCE_QPT_RC)
		return 0;
	if (cmpxchg(&q->claim, 0, 1))
		return -EBUSY;
	if (q->nak_sent || q->error) {
		xr_qp_release(q);
		return 0;
	}
	q->nak_sent = 1;
	q->naks++;
	q->silent++;
	return 1;
}

static void xr_defer_tell(struct xr_qp *qp, const struct xr_defer_way *way)
{
	struct xroce_qp *q = qp->map;

	xr_response_tell(qp, way->l2, way->l2_len, q->epsn, q->msn,
			 XROCE_SYN_RNR | XROCE_RNR_FAULT);
	xr_qp_release(q);
}

/*
 * A frame has been executed. If its peer gets an RNR NAK (RC), drop the frames behind it: the peer
 * sends them again, too. After a timeout there is no NAK if the memory became resident just in
 * time. Return: whether xr_defer_tell() must be called.
 */
static bool xr_defer_pop(struct xr_qp *qp)
{
	struct xr_defer *k = &qp->defer;
	int tell = 0, tries = XR_DEFER_CLAIMS;

	spin_lock(&k->lock);
	while (k->lost && k->count == 1 && !k->told && tries--) {
		tell = xr_defer_claim(qp);
		if (tell != -EBUSY)
			break;
		/* A packet that has the claim may be waiting for the lock. */
		spin_unlock(&k->lock);
		cpu_relax();
		spin_lock(&k->lock);
	}
	k->count--;
	xr_uncharge_deferred(qp->owner);
	k->since = ktime_get_ns();
	if (k->told && qp->type == XROCE_QPT_RC)
		xr_defer_clear(qp);
	k->refuse = false;
	if (!k->count)
		k->lost = false;
	xr_defer_show(qp);
	spin_unlock(&k->lock);
	return tell > 0;
}

/* Run the XDP program on the first frame. Return: XDP_*. */
static u32 xr_defer_run(struct xr_qp *qp, struct xr_run *run)
{
	u32 act;

	WRITE_ONCE(qp->defer.runner, current);
	act = xr_run_prog(run, rcu_dereference_bh(qp->link->prog));
	WRITE_ONCE(qp->defer.runner, NULL);
	return act;
}

/*
 * Execute the first frame. @way: out: its Ethernet header. Return: false: there is none, or it has
 * to wait.
 */
static bool xr_defer_step(struct xr_qp *qp, struct net_device *dev, struct xr_defer_way *way)
{
	struct xr_deferred *d = xr_defer_take(qp);
	struct xr_defer *k = &qp->defer;
	bool told, spare, tell = false;
	struct xdp_frame *frame;
	struct xr_run run;
	u32 act;

	if (!d)
		return false;
	xr_run_open(&run, d->frame, dev);
	/* A program that is not ours may have deferred a shorter one. */
	way->l2_len = min_t(u32, xr_frame_l2_len(run.xdp.data), run.xdp.data_end - run.xdp.data);
	memcpy(way->l2, run.xdp.data, way->l2_len);
	k->stay = false;
	k->told = false;
	act = xr_defer_run(qp, &run);
	if (k->stay) {
		/* Deferred again; the frame has not changed. */
		xr_defer_back(qp, d);
		return false;
	}
	spare = xr_early_done(qp, d, act == XDP_TX ? &run.xdp : NULL);
	/*
	 * After an RNR NAK the peer may send again at once, so the queue must be empty
	 * before the NAK is sent. Any other response is sent before the frame is counted off:
	 * responses to packets that are no longer deferred must follow it.
	 */
	told = k->told;
	if (told)
		xr_defer_pop(qp);
	frame = xr_run_response(&run, act);
	if (frame && spare)
		xr_response_spare(qp, frame);
	else if (frame)
		xr_response_frame(qp, frame);
	else
		xr_run_free(&run);
	if (!told)
		tell = xr_defer_pop(qp);
	if (tell)
		xr_defer_tell(qp, way);
	return true;
}

static void xr_defer_work(struct work_struct *work)
{
	struct xr_qp *qp = container_of(work, struct xr_qp, defer.work);
	struct xr_defer_way way = {};
	int budget = XR_DEFER_BUDGET;
	struct net_device *dev;

	qp->defer.again = false;
	rcu_read_lock_bh();
	/* The device is freed after an RCU grace period. */
	dev = READ_ONCE(qp->link->dev);
	while (dev && budget && xr_defer_step(qp, dev, &way))
		budget--;
	if (qp->type == XROCE_QPT_RC && xr_early_tell(qp, &way))
		qp->defer.again = true;
	rcu_read_unlock_bh();
	/* With @again, another CPU has the claim, and is about to release it. */
	if (!budget || qp->defer.again)
		queue_work(system_bh_wq, &qp->defer.work);
}

/* The first frame has waited for too long: execute it, with an RNR NAK if it misses again. */
static enum hrtimer_restart xr_defer_timeout(struct hrtimer *timer)
{
	struct xr_defer *k = container_of(timer, struct xr_defer, timer);
	struct xr_qp *qp = container_of(k, struct xr_qp, defer);
	u64 rest;

	spin_lock(&k->lock);
	/* It may have been started again since it expired. */
	if (!k->active || hrtimer_is_queued(timer))
		goto out;
	if (!k->count) {
		if (k->early.owed.l2_len)
			queue_work(system_bh_wq, &k->work);
		goto out;
	}
	rest = xr_defer_rest(k);
	if (xr_gap_waits(qp)) {
		if (xr_gap_given_up(k)) {
			this_cpu_add(qp->link->stat->drop_psn, xr_defer_clear(qp));
			xr_defer_show(qp);
		} else {
			queue_work(system_bh_wq, &k->work);
		}
	} else if (rest) {
		hrtimer_start(timer, ns_to_ktime(rest), HRTIMER_MODE_REL_PINNED_SOFT);
	} else {
		WRITE_ONCE(k->refuse, true);
		xr_odp_wait_end(&k->waiter);
		queue_work(system_bh_wq, &k->work);
	}
out:
	spin_unlock(&k->lock);
	return HRTIMER_NORESTART;
}

void xr_defer_init(struct xr_defer *k)
{
	spin_lock_init(&k->lock);
	k->frames = RB_ROOT_CACHED;
	xr_odp_waiter_init(&k->waiter, xr_defer_wake);
	INIT_WORK(&k->work, xr_defer_work);
	/* xr_defer_open() enables it. */
	disable_work(&k->work);
	hrtimer_setup(&k->timer, xr_defer_timeout, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_SOFT);
}

/* Allow frames to be deferred: the queue pair becomes ready to receive. Under link->lock. */
void xr_defer_open(struct xr_defer *k)
{
	if (!k->active)
		enable_work(&k->work);
	spin_lock_bh(&k->lock);
	if (!k->active)
		k->early = (struct xr_early){ .nak = XR_EARLY_NO_NAK };
	k->active = true;
	spin_unlock_bh(&k->lock);
}

/*
 * Drop the deferred frames, and wait until none is being executed. Afterwards no frame is
 * deferred. Under link->lock, like xr_defer_open(). Sleeps.
 *
 * The work item is not queued any more either. The timer checks @active under the lock, and
 * is cancelled below. The work item itself, and xr_odp_wake() for memory that its last run has
 * missed, may try to queue it until the waiter is off the list; but the item is disabled
 * until xr_defer_open(). disable_work_sync() and enable_work() are balanced by @active. A
 * packet outside the work item gets on the list only if its frame is added, which @active
 * prevents.
 */
void xr_defer_close(struct xr_qp *qp)
{
	struct xr_defer *k = &qp->defer;
	bool was;

	spin_lock_bh(&k->lock);
	was = k->active;
	k->active = false;
	spin_unlock_bh(&k->lock);
	if (was)
		disable_work_sync(&k->work);
	/* The last run of the work item may have started it. */
	hrtimer_cancel(&k->timer);
	/* Likewise it may have added the waiter again. */
	xr_odp_wait_end(&k->waiter);
	spin_lock_bh(&k->lock);
	xr_defer_clear(qp);
	xr_defer_show(qp);
	spin_unlock_bh(&k->lock);
}
