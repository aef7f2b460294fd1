// SPDX-License-Identifier: GPL-2.0-only
/*
 * Asynchronous events and notifications of completions (IBTA 11.6.3). All of this runs in the
 * contexts of own/owner.h, often in softirq: no sleeping, no calls of the core. The handlers
 * are those of ib_uverbs, which queue the event for the program and wake it, or those of
 * consumers in the kernel. These may post and poll when they are notified of completions, which a
 * tasklet does, but not in the handler of an event.
 *
 * ib_uverbs allocates memory for each event, which is charged to nobody, and keeps it until the
 * program reads the event. So at most one event of a kind and an object waits there: another one
 * tells nothing new. Completion events, which a program may count, are as many as the completion
 * queue has entries.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bits.h>
#include <linux/interrupt.h>
#include <linux/list.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/wait_bit.h>

#include "uapi/xroce.h"

#include "obj/cq.h"
#include "own/event.h"

#include "verbs.h"

/*
 * The beginning of the objects of ib_uverbs behind ib_qp::uobject, ib_srq::uobject and
 * ib_cq::uobject, from Linux 5.6 to 7.3 at least. They are declared in no header that modules have;
 * whether they are so is found out before the first event of each object, see
 * xr_ib_unread_known(). The events of an object are read in order.
 */
struct xr_ib_uevents {
	struct ib_uobject uobject;
	void *event_file;
	struct list_head unread;
	u32 read;
};

struct xr_ib_ucq {
	struct xr_ib_uevents async;
	struct list_head unread;
	u32 read;
};

void xr_ib_unread_init(struct xr_ib_unread *u)
{
	spin_lock_init(&u->lock);
	u->looked = false;
}

/*
 * Before the first event the list is empty: it points to itself, as nothing else does there. The
 * smallest of these objects, that of a shared receive queue, has 8 bytes behind it.
 */
static bool xr_ib_unread_known(struct xr_ib_unread *u, const struct list_head *unread, u32 read)
{
	if (!u->looked) {
		u->looked = true;
		u->known = unread->next == unread && unread->prev == unread && !read;
		if (!u->known)
			pr_warn_once("unknown structures of ib_uverbs: unread events are not limited\n");
	}
	return u->known;
}

/* Update @u with what the program has read. Its lock is held. Return: events that it has read. */
static u32 xr_ib_unread_sync(struct xr_ib_unread *u, const struct list_head *unread,
			     const u32 *read)
{
	bool none = list_empty(unread);

	/* ib_uverbs increments it before the list becomes empty. */
	smp_rmb();
	if (none) {
		u->next = READ_ONCE(*read);
		u->queued = 0;
	}
	return READ_ONCE(*read);
}

/*
 * True if an asynchronous event may be queued. It may not while the program has not read the one
 * before of its kind. @uobject is NULL for consumers in the kernel, which are called at once.
 */
static bool xr_ib_unread_add(struct xr_ib_unread *u, const void *uobject, enum xr_ib_kind kind)
{
	const struct xr_ib_uevents *ue = uobject;
	bool may = true;
	u32 read;

	if (!ue)
		return true;
	spin_lock_bh(&u->lock);
	if (xr_ib_unread_known(u, &ue->unread, ue->read)) {
		read = xr_ib_unread_sync(u, &ue->unread, &ue->read);
		may = !(u->queued & BIT(kind)) || (s32)(read - u->last[kind]) > 0;
		if (may) {
			u->queued |= BIT(kind);
			u->last[kind] = u->next++;
		}
	}
	spin_unlock_bh(&u->lock);
	return may;
}

/* True if a completion event may be queued. At most @max wait for the program. */
static bool xr_ib_unread_completion(struct xr_ib_unread *u, const void *uobject, u32 max)
{
	const struct xr_ib_ucq *uc = uobject;
	bool may = true;
	u32 read;

	spin_lock_bh(&u->lock);
	if (xr_ib_unread_known(u, &uc->unread, uc->read)) {
		read = xr_ib_unread_sync(u, &uc->unread, &uc->read);
		may = u->next - read < max;
		u->next += may;
	}
	spin_unlock_bh(&u->lock);
	return may;
}

static void xr_ib_qp_event(struct xr_ibqp *qp, enum xr_ib_kind kind, enum ib_event_type type)
{
	struct ib_event event = {
		.device = qp->ib.device,
		.element.qp = &qp->ib,
		.event = type,
	};

	if (qp->ib.event_handler && xr_ib_unread_add(&qp->unread, qp->ib.uobject, kind))
		qp->ib.event_handler(&event, qp->ib.qp_context);
}

/*
 * A queue pair has come to ERR, by itself or by modify_qp. It takes no more work requests from
 * its shared receive queue, if it has one: the program may destroy it once the completions of
 * those that it has taken are read (IBTA 11.6.3.1). Once until the next RESET: a packet and
 * modify_qp may come at the same time.
 */
void xr_ib_last_wqe(struct xr_ibqp *qp)
{
	if (qp->ib.srq && !xchg(&qp->last_wqe, true))
		xr_ib_qp_event(qp, XR_IB_QP_LAST_WQE, IB_EVENT_QP_LAST_WQE_REACHED);
}

/* Once in the life of a completion queue: see xr_cq_overflow(). */
static void xr_ib_cq_error(struct xr_ibcq *cq)
{
	struct ib_event event = {
		.device = cq->ib.device,
		.element.cq = &cq->ib,
		.event = IB_EVENT_CQ_ERR,
	};

	if (cq->ib.event_handler)
		cq->ib.event_handler(&event, cq->ib.cq_context);
}

static void xr_ib_srq_limit(struct xr_ibsrq *srq)
{
	struct ib_event event = {
		.device = srq->ib.device,
		.element.srq = &srq->ib,
		.event = IB_EVENT_SRQ_LIMIT_REACHED,
	};

	if (srq->ib.event_handler &&
	    xr_ib_unread_add(&srq->unread, srq->ib.uobject, XR_IB_SRQ_LIMIT))
		srq->ib.event_handler(&event, srq->ib.srq_context);
}

static void xr_ib_event(struct xr_owner *own, struct xr_event *event)
{
	switch (event->type) {
	case XROCE_EVENT_CQ_ERROR:
		xr_ib_cq_error(event->context);
		break;
	case XROCE_EVENT_SRQ_LIMIT:
		xr_ib_srq_limit(event->context);
		break;
	case XROCE_EVENT_SQ_DRAINED:
		xr_ib_qp_event(event->context, XR_IB_QP_DRAINED, IB_EVENT_SQ_DRAINED);
		break;
	case XROCE_EVENT_QP_LAST_WQE:
		xr_ib_last_wqe(event->context);
		break;
	case XROCE_EVENT_QP_FATAL:
		xr_ib_qp_event(event->context, XR_IB_QP_FATAL, IB_EVENT_QP_FATAL);
		xr_ib_last_wqe(event->context);
		break;
	}
}

static void xr_ib_cq_tell(struct xr_ibcq *ibcq)
{
	if (ibcq->ib.comp_handler)
		ibcq->ib.comp_handler(&ibcq->ib, ibcq->ib.cq_context);
}

static void xr_ib_cq_tasklet(struct tasklet_struct *tasklet)
{
	struct xr_ibcq *cq = container_of(tasklet, struct xr_ibcq, tasklet);

	WRITE_ONCE(cq->runs, cq->runs + 1);
	/* Pairs with xr_ib_cq_settle(), which sleeps. */
	wake_up_var(&cq->runs);
	xr_ib_cq_tell(cq);
}

void xr_ib_cq_init(struct xr_ibcq *cq)
{
	xr_ib_unread_init(&cq->unread);
	tasklet_setup(&cq->tasklet, xr_ib_cq_tasklet);
}

/*
 * Wait until a notification that is pending has been given. The queue pair whose completions caused
 * it is gone, and its consumer may free what the handler uses. Sleeps.
 */
void xr_ib_cq_settle(struct ib_cq *ib)
{
	struct xr_ibcq *cq = to_xr_ibcq(ib);
	struct tasklet_struct *tasklet = &cq->tasklet;
	unsigned long runs;

	/* Nor may it be held until later. */
	xr_cq_settle(cq->cq);
	runs = READ_ONCE(cq->runs);

	/*
	 * Other queue pairs may schedule it again and again: one run is enough. Sleep, because
	 * with PREEMPT_RT a task of higher priority that only yields would keep it from running.
	 * The bit is cleared after the tasklet has been locked and before it runs.
	 */
	wait_var_event(&cq->runs, READ_ONCE(cq->runs) != runs ||
				  !test_bit(TASKLET_STATE_SCHED, &tasklet->state));
	tasklet_unlock_wait(tasklet);
}

/*
 * A consumer in the kernel is not called from inside a verb, nor with locks held, nor by two CPUs
 * at a time (Documentation/infiniband/core_locking.rst). That of programs, ib_uverbs, only wakes
 * them up.
 */
static void xr_ib_completion(struct xr_owner *own, struct xr_cq *cq)
{
	struct xr_ibcq *ibcq = cq->context;

	if (!ibcq->ib.uobject)
		tasklet_schedule(&ibcq->tasklet);
	else if (xr_ib_unread_completion(&ibcq->unread, ibcq->ib.uobject,
					 READ_ONCE(cq->mask) + 1))
		xr_ib_cq_tell(ibcq);
}

const struct xr_owner_ops xr_ib_owner_ops = {
	.event = xr_ib_event,
	.completion = xr_ib_completion,
	.address = xr_ib_address,
};
