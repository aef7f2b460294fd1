// SPDX-License-Identifier: GPL-2.0-only
/* Deferring frames, and executing them once on-demand memory is resident. */
#include <linux/module.h>
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
#include "own/limit.h"
#include "qp/qp.h"
#include "respond/queue.h"

#include "defer.h"
#include "odp.h"
#include "timers.h"
#include "trace.h"
#include "wait.h"

/* Frames per run of the work item, before it yields to other work on this CPU. */
#define XR_DEFER_BUDGET	32
static unsigned int odp_defer_max = XR_QP_DEFERRED_MAX;
module_param(odp_defer_max, uint, 0644);
MODULE_PARM_DESC(odp_defer_max,
		 "packets of a queue pair deferred while on-demand memory is brought in, 0: none, RNR NAKs instead (256)");

/*
 * A fault takes longer than this only if it waits for a disk. The peer's retry timer is
 * longer: 67 ms with perftest.
 */
static unsigned int odp_defer_ms = 20;
module_param(odp_defer_ms, uint, 0644);
MODULE_PARM_DESC(odp_defer_ms,
		 "milliseconds after which a deferred packet is answered with an RNR NAK (20)");

/* True if the XDP program is running on a frame of this queue, in this softirq. */
static bool xr_defer_running(const struct xr_defer *k)
{
	return READ_ONCE(k->runner) == current;
}

/* Copy a frame to memory of our own. Return: the copy, or NULL. */
static struct xdp_frame *xr_defer_copy(struct xdp_buff *xdp)
{
	u32 len = xdp_get_buff_len(xdp), off = 0, n;
	u32 size = SKB_HEAD_ALIGN(XDP_PACKET_HEADROOM + len);
	struct xdp_rxq_info rxq = { .mem.type = MEM_TYPE_PAGE_SHARED };
	struct xdp_buff copy;
	void *frag, *from;

	frag = xr_tx_alloc(size);
	if (!frag)
		return NULL;
	xdp_init_buff(&copy, size, &rxq);
	xdp_prepare_buff(&copy, frag, XDP_PACKET_HEADROOM, len, false);
	while (off < len) {
		from = xr_frame_at(xdp, off, &n);
		n = min(n, len - off);
		memcpy(copy.data + off, from, n);
		off += n;
	}
	return xdp_convert_buff_to_frame(&copy);
}

/* Tell the XDP program whether there are deferred frames. The lock is held. */
static void xr_defer_show(struct xr_qp *qp)
{
	lockdep_assert_held(&qp->defer.lock);
	WRITE_ONCE(qp->map->deferred, !!qp->defer.count);
}

/* Return: when the first frame has waited for too long, in jiffies. The lock is held. */
static unsigned long xr_defer_end(const struct xr_defer *k)
{
	return k->since + msecs_to_jiffies(READ_ONCE(odp_defer_ms));
}

/*
 * Append a copy of the frame. The lock is held. Return: 0; -ENOSPC: no room, no program to
 * execute it later, or the queue is closed, refusing or has lost a frame; -ENOMEM.
 */
static int xr_defer_add(struct xr_qp *qp, struct xdp_buff *xdp)
{
	struct xr_defer *k = &qp->defer;
	struct xdp_frame *frame;

	lockdep_assert_held(&k->lock);
	if (!k->active || k->refuse || k->lost ||
	    !rcu_access_pointer(qp->link->prog) ||
	    k->count >= min(READ_ONCE(odp_defer_max), XR_QP_DEFERRED_MAX))
		return -ENOSPC;
	if (!k->frame)
		k->frame = xr_qp_alloc(qp, XR_QP_DEFERRED_MAX, sizeof(*k->frame));
	if (!k->frame)
		return -ENOMEM;
	if (!xr_charge_deferred(qp->owner))
		return -ENOSPC;
	frame = xr_defer_copy(xdp);
	if (!frame) {
		xr_uncharge_deferred(qp->owner);
		return -ENOMEM;
	}
	if (!k->count) {
		k->since = jiffies;
		mod_timer(&k->timer, xr_defer_end(k));
	}
	k->frame[(k->head + k->count++) % XR_QP_DEFERRED_MAX] = frame;
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
		if (READ_ONCE(k->refuse)) {
			k->told = true;
			return -EAGAIN;
		}
		k->stay = true;
		xr_defer_wait(k, miss->odp);
	} else {
		spin_lock(&k->lock);
		/* Frames deferred after this packet passed qp_detour() must not precede it. */
		ret = k->count ? -ENOSPC : xr_defer_add(qp, xdp);
		if (!ret)
			xr_defer_wait(k, miss->odp);
		spin_unlock(&k->lock);
		if (ret)
			return -EAGAIN;
	}
	return -EINPROGRESS;
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
		spin_unlock(&k->lock);
		return -EALREADY;
	}
	ret = k->count ? xr_defer_add(qp, xdp) : -ENOENT;
	if (ret == -ENOSPC || ret == -ENOMEM)
		k->lost = true;
	spin_unlock(&k->lock);
	return ret;
}

static struct xdp_frame *xr_defer_first(struct xr_defer *k)
{
	struct xdp_frame *frame;

	spin_lock(&k->lock);
	frame = k->active && k->count ? k->frame[k->head] : NULL;
	spin_unlock(&k->lock);
	return frame;
}

/* Remove the first frame. The lock is held. */
static struct xdp_frame *xr_defer_take(struct xr_qp *qp)
{
	struct xr_defer *k = &qp->defer;
	struct xdp_frame *frame = k->frame[k->head];

	k->head = (k->head + 1) % XR_QP_DEFERRED_MAX;
	k->count--;
	xr_uncharge_deferred(qp->owner);
	return frame;
}

/* Drop all frames. The lock is held. */
static void xr_defer_clear(struct xr_qp *qp)
{
	struct xr_defer *k = &qp->defer;

	while (k->count)
		xdp_return_frame(xr_defer_take(qp));
	k->lost = false;
	k->refuse = false;
}

/*
 * Frames behind the last deferred one have been dropped. The peer may have nothing more to
 * send that would provoke a sequence NAK, so it gets an RNR NAK, unless another packet has
 * the claim. This is called before the XDP program sees that the queue is empty: it would
 * answer the next packet with a sequence NAK. The lock is held. Return: whether to call
 * xr_defer_tell(), which sends the NAK and releases the claim.
 */
static bool xr_defer_claim(struct xr_qp *qp)
{
	struct xroce_qp *q = qp->map;

	if (qp->type != XROCE_QPT_RC || cmpxchg(&q->claim, 0, 1))
		return false;
	if (q->nak_sent || q->error) {
		xr_qp_release(q);
		return false;
	}
	q->nak_sent = 1;
	q->naks++;
	q->silent++;
	return true;
}

static void xr_defer_tell(struct xr_qp *qp, const void *l2, u32 l2_len)
{
	struct xroce_qp *q = qp->map;

	xr_response_rnr(qp, l2, l2_len, q->epsn, q->msn);
	xr_qp_release(q);
}

/*
 * Remove the first frame, which has been executed. If its peer gets an RNR NAK (RC), drop
 * the frames behind it: the peer sends them again, too. After a timeout there is no NAK if
 * the memory became resident just in time. Return: whether xr_defer_tell() must be called.
 */
static bool xr_defer_pop(struct xr_qp *qp)
{
	struct xr_defer *k = &qp->defer;
	bool tell = false;

	spin_lock(&k->lock);
	xr_defer_take(qp);
	k->since = jiffies;
	if (k->told && qp->type == XROCE_QPT_RC)
		xr_defer_clear(qp);
	/* The timer has expired; the next frame may have to wait, too. */
	if (k->refuse && k->count && k->active)
		mod_timer(&k->timer, xr_defer_end(k));
	k->refuse = false;
	if (!k->count) {
		tell = k->lost && xr_defer_claim(qp);
		k->lost = false;
	}
	xr_defer_show(qp);
	spin_unlock(&k->lock);
	return tell;
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

/* Execute the first frame. Return: false: there is none, or it has to wait. */
static bool xr_defer_step(struct xr_qp *qp, struct net_device *dev)
{
	struct xr_defer *k = &qp->defer;
	struct xdp_frame *frame = xr_defer_first(k);
	bool told, tell = false;
	u8 l2[XR_TX_L2_MAX];
	struct xr_run run;
	u32 l2_len, act;

	if (!frame)
		return false;
	xr_run_open(&run, frame, dev);
	/* A program that is not ours may have deferred a shorter one. */
	l2_len = min_t(u32, xr_frame_l2_len(run.xdp.data), run.xdp.data_end - run.xdp.data);
	memcpy(l2, run.xdp.data, l2_len);
	k->stay = false;
	k->told = false;
	act = xr_defer_run(qp, &run);
	/* Deferred again; the frame has not changed. */
	if (k->stay)
		return false;
	frame = xr_run_response(&run, act);
	/*
	 * After an RNR NAK the peer may send again at once, so the queue must be empty
	 * before the NAK is sent. Any other response is sent before the frame is removed:
	 * responses to packets that are no longer deferred must follow it.
	 */
	told = k->told;
	if (told)
		xr_defer_pop(qp);
	if (frame)
		xr_response_frame(qp, frame);
	else
		xr_run_free(&run);
	if (!told)
		tell = xr_defer_pop(qp);
	if (tell)
		xr_defer_tell(qp, l2, l2_len);
	return true;
}

static void xr_defer_work(struct work_struct *work)
{
	struct xr_qp *qp = container_of(work, struct xr_qp, defer.work);
	int budget = XR_DEFER_BUDGET;
	struct net_device *dev;

	qp->defer.again = false;
	rcu_read_lock_bh();
	/* The device is freed after an RCU grace period. */
	dev = READ_ONCE(qp->link->dev);
	while (dev && budget && xr_defer_step(qp, dev))
		budget--;
	rcu_read_unlock_bh();
	/* With @again, another CPU has the claim, and is about to release it. */
	if (!budget || qp->defer.again)
		queue_work(system_bh_wq, &qp->defer.work);
}

/* The first frame has waited for too long: execute it, with an RNR NAK if it misses again. */
static void xr_defer_timeout(struct timer_list *timer)
{
	struct xr_defer *k = timer_container_of(k, timer, timer);
	unsigned long end;

	spin_lock(&k->lock);
	end = xr_defer_end(k);
	if (!k->active || !k->count)
		goto out;
	if (time_before(jiffies, end)) {
		mod_timer(&k->timer, end);
		goto out;
	}
	WRITE_ONCE(k->refuse, true);
	xr_odp_wait_end(&k->waiter);
	queue_work(system_bh_wq, &k->work);
out:
	spin_unlock(&k->lock);
}

void xr_defer_init(struct xr_defer *k)
{
	spin_lock_init(&k->lock);
	xr_odp_waiter_init(&k->waiter, xr_defer_wake);
	INIT_WORK(&k->work, xr_defer_work);
	/* xr_defer_open() enables it. */
	disable_work(&k->work);
	timer_setup(&k->timer, xr_defer_timeout, 0);
}

/* Allow frames to be deferred: the queue pair becomes ready to receive. Under link->lock. */
void xr_defer_open(struct xr_defer *k)
{
	if (!k->active)
		enable_work(&k->work);
	spin_lock_bh(&k->lock);
	k->active = true;
	spin_unlock_bh(&k->lock);
}

/*
 * Drop the deferred frames, and wait until none is being executed. Afterwards no frame is
 * deferred. Under link->lock, like xr_defer_open(). Sleeps.
 *
 * The work item is not queued any more either. The timer checks @active under the lock, and
 * is deleted below. The work item itself, and xr_odp_wake() for memory that its last run has
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
	timer_delete_sync(&k->timer);
	if (was)
		disable_work_sync(&k->work);
	/* The last run of the work item may have added the waiter again. */
	xr_odp_wait_end(&k->waiter);
	spin_lock_bh(&k->lock);
	xr_defer_clear(qp);
	xr_defer_show(qp);
	spin_unlock_bh(&k->lock);
}

void xr_defer_free(struct xr_defer *k)
{
	kfree(k->frame);
}
