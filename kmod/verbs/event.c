// SPDX-License-Identifier: GPL-2.0-only
/*
 * Asynchronous events and notifications of completions (IBTA 11.6.3). All of this runs in the
 * contexts of own/owner.h, often in softirq: no sleeping, no calls of the core. The handlers
 * are those of ib_uverbs, which queue the event for the program and wake it, or those of
 * consumers in the kernel. These may post and poll when they are notified of completions, which a
 * tasklet does, but not in the handler of an event.
 */
#include <linux/interrupt.h>
#include <linux/wait_bit.h>

#include "uapi/xroce.h"

#include "obj/cq.h"
#include "own/event.h"

#include "verbs.h"

static void xr_ib_qp_event(struct xr_ibqp *qp, enum ib_event_type type)
{
	struct ib_event event = {
		.device = qp->ib.device,
		.element.qp = &qp->ib,
		.event = type,
	};

	if (qp->ib.event_handler)
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
		xr_ib_qp_event(qp, IB_EVENT_QP_LAST_WQE_REACHED);
}

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

	if (srq->ib.event_handler)
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
		xr_ib_qp_event(event->context, IB_EVENT_SQ_DRAINED);
		break;
	case XROCE_EVENT_QP_LAST_WQE:
		xr_ib_last_wqe(event->context);
		break;
	case XROCE_EVENT_QP_FATAL:
		xr_ib_qp_event(event->context, IB_EVENT_QP_FATAL);
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
	unsigned long runs = READ_ONCE(cq->runs);

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

	if (ibcq->ib.uobject)
		xr_ib_cq_tell(ibcq);
	else
		tasklet_schedule(&ibcq->tasklet);
}

const struct xr_owner_ops xr_ib_owner_ops = {
	.event = xr_ib_event,
	.completion = xr_ib_completion,
};
