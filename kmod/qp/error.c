// SPDX-License-Identifier: GPL-2.0-only
/* How a queue pair comes to ERR: see error.h. */
#include <linux/export.h>

#include "mem/hazard.h"
#include "own/owner.h"
#include "recv/queue.h"

#include "error.h"
#include "qp.h"
#include "trace.h"

/**
 * xr_qp_end() - move a queue pair to ERR after a packet, work request or response has failed
 * @qp: the queue pair
 *
 * With bottom halves off. The claim is not needed. The caller calls xr_qp_fail() afterwards, as
 * soon as it holds no lock that is taken inside recv->lock (main.h).
 */
void xr_qp_end(struct xr_qp *qp)
{
	if (!READ_ONCE(qp->failed))
		trace_xroce_qp_state(qp->link->id, qp->qpn, READ_ONCE(qp->state), XROCE_QPS_ERR);
	WRITE_ONCE(qp->failed, true);
	/*
	 * Pairs with the barrier in xr_qp_modify(): either our ERR is the last state that is
	 * written, or xr_qp_modify() sees @failed and writes ERR.
	 */
	smp_mb();
	WRITE_ONCE(qp->map->state, XROCE_QPS_ERR);
}

/**
 * xr_qp_revoke() - let no request of the peer access memory any more
 * @qp: the queue pair, in ERR
 *
 * For use before completions tell a consumer in the kernel, which may free the memory then. In any
 * context, under any locks; this CPU holds no region. The data path reads @access when it holds a
 * region or window (xr_rkey_acquire()). The next change to INIT grants rights again.
 */
void xr_qp_revoke(struct xr_qp *qp)
{
	WRITE_ONCE(qp->access, 0);
	xr_hazard_wait_all();
}

/* Give a queue pair the rights of its attribute, unless it has failed. */
void xr_qp_grant(struct xr_qp *qp)
{
	spin_lock_bh(&qp->recv.lock);
	if (!READ_ONCE(qp->failed))
		WRITE_ONCE(qp->access, qp->rights);
	spin_unlock_bh(&qp->recv.lock);
}

/*
 * Flush the receive queue, unless that has been done. recv->lock is held. Return: whether it was
 * done now.
 */
static bool xr_qp_flush_recv(struct xr_qp *qp)
{
	if (!qp->recv.active)
		return false;
	/* Memory of programs remains: READs of the peer that precede what has failed may end. */
	if (xr_owner_flags(qp->owner) & XROCE_F_KERNEL)
		xr_qp_revoke(qp);
	xr_recv_close(qp);
	return true;
}

/**
 * xr_qp_fail() - flush both queues and raise XROCE_EVENT_QP_FATAL
 * @qp: the queue pair, after xr_qp_end(). Only the first call does something
 *
 * With bottom halves off, without locks of the queue pair.
 */
void xr_qp_fail(struct xr_qp *qp)
{
	spin_lock_bh(&qp->recv.lock);
	xr_qp_fail_locked(qp);
	spin_unlock_bh(&qp->recv.lock);
}
EXPORT_SYMBOL_GPL(xr_qp_fail);

/* The same with recv->lock held. */
void xr_qp_fail_locked(struct xr_qp *qp)
{
	if (!xr_qp_flush_recv(qp))
		return;
	/* The tasklet flushes the send queue, whose lock is taken before this one. */
	tasklet_schedule(&qp->send.tasklet);
	xr_owner_raise(qp->owner, &qp->recv.fatal);
}

/*
 * The XDP program has refused a packet, or another owner has got the peer: the first and the last
 * step, which revokes memory of consumers in the kernel only.
 */
void xr_qp_refused(struct xr_qp *qp)
{
	spin_lock_bh(&qp->recv.lock);
	xr_qp_end(qp);
	xr_qp_fail_locked(qp);
	spin_unlock_bh(&qp->recv.lock);
}

/* A work request has failed: the first two steps, before its completion. send->lock is held. */
void xr_qp_send_failed(struct xr_qp *qp)
{
	spin_lock_bh(&qp->recv.lock);
	xr_qp_end(qp);
	xr_qp_revoke(qp);
	spin_unlock_bh(&qp->recv.lock);
}

/*
 * The last step after xr_qp_send_failed(), with send->lock held. The completion tells the owner
 * already: there is no event, except that no more work requests are taken from a shared receive
 * queue (IBTA 11.6.3.1).
 */
void xr_qp_send_flushed(struct xr_qp *qp)
{
	spin_lock_bh(&qp->recv.lock);
	if (xr_qp_flush_recv(qp) && qp->recv.srq)
		xr_owner_raise(qp->owner, &qp->recv.last);
	spin_unlock_bh(&qp->recv.lock);
}
