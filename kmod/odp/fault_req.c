// SPDX-License-Identifier: GPL-2.0-only
/* Fault requests: the pages that accesses have missed, for the fault worker. */
#include "odp.h"
#include "wait.h"

/*
 * How long a failed request is kept for the peer's retry: the longest RNR timer is 0.65 s.
 */
#define XR_ODP_PATIENCE	(2 * HZ)
/*
 * If memory is short the kernel is busy reclaiming. The worker retries after 1, 2, 4 ms and
 * so on: about a second in all.
 */
#define XR_ODP_TRIES	10

/* True if a page is resident with all of @rights. This CPU's hazard pointer protects the memory. */
static bool xr_odp_there(struct xr_odp *odp, u64 page, u64 rights)
{
	struct xr_odp_child *child;
	const u64 *entry;

	if (!odp->umem.sparse) {
		entry = xr_mtt_at(&odp->umem.mtt, page);
	} else {
		child = xr_odp_child(odp, page);
		if (!child)
			return false;
		entry = &child->entry[page % XR_ODP_PAGES];
	}
	return (READ_ONCE(*entry) & rights) == rights;
}

/**
 * xr_odp_miss() - record what an access has missed, for xr_odp_ask()
 * @odp: on-demand memory; this CPU's hazard pointer protects it
 * @off: as for xr_odp_ready(), which has returned -EAGAIN; @len and @write as well
 * @len: bytes, at least one
 * @ahead: bytes that follow in the message, a hint
 * @write: the access writes
 * @miss: out: the missing pages; the last page if all have become resident meanwhile
 *
 * In softirq.
 */
void xr_odp_miss(struct xr_odp *odp, u64 off, u32 len, u32 ahead, bool write,
		 struct xr_odp_miss *miss)
{
	const u64 rights = write ? XR_ODP_RIGHTS : XR_ODP_READ;

	*miss = (struct xr_odp_miss){
		.odp = odp,
		.first = off >> PAGE_SHIFT,
		.last = (off + len - 1) >> PAGE_SHIFT,
		.ahead = ahead,
		.write = write,
	};
	while (miss->first < miss->last && xr_odp_there(odp, miss->first, rights))
		miss->first++;
}

/*
 * Look for a request that covers @m. Requests of other callers that have failed do not
 * count: the pages may be accessible by now. @free: out: a request that can be overwritten,
 * if any.
 *
 * Return: -EAGAIN: the pages are on their way; -EFAULT, -EIO: @caller's request for them
 * has failed, and is forgotten; 0: there is no such request.
 */
static int xr_odp_known(struct xr_odp *odp, const struct xr_odp_miss *m,
			u64 caller, struct xr_fault_req **free)
{
	struct xr_fault_req *w;

	for (w = odp->req; w < odp->req + XR_FAULT_REQS; w++) {
		if (w->state == XR_ODP_FAILED &&
		    time_after(jiffies, w->since + XR_ODP_PATIENCE))
			w->state = XR_ODP_FREE;
		if (w->state == XR_ODP_FREE) {
			*free = w;
		} else if (w->state == XR_ODP_FAILED) {
			if (w->caller == caller && m->last >= w->first &&
			    m->first < w->first + w->need &&
			    (m->write || !w->write)) {
				w->state = XR_ODP_FREE;
				return w->error;
			}
			/* If its caller comes back, it asks again. */
			*free = *free ? : w;
		} else if (m->first >= w->first &&
			   m->last < w->first + w->need + w->ahead &&
			   (w->write || !m->write)) {
			return -EAGAIN;
		}
	}
	return 0;
}

/**
 * xr_odp_ask() - request the pages that an access has missed
 * @m: the pages, from xr_odp_miss() in the same RCU read-side section
 * @caller: xr_qp::epoch of the queue pair
 *
 * In softirq. The caller holds no hazard pointer, because this takes locks, which sleep with
 * PREEMPT_RT. Nothing is queued if a request covers the pages already, if all requests are in
 * use, or if the memory is being released.
 *
 * Return: -EAGAIN: the pages are on their way, or ask again; -EFAULT: @caller's last request
 * for them has failed, or the process has ended; -EIO: @caller's request has failed because
 * the kernel is out of memory.
 */
int xr_odp_ask(const struct xr_odp_miss *m, u64 caller)
{
	struct xr_odp *odp = m->odp;
	struct xr_fault_req *req = NULL;
	int ret;

	if (READ_ONCE(odp->exited))
		return -EFAULT;
	spin_lock_bh(&odp->req_lock);
	ret = xr_odp_known(odp, m, caller, &req);
	if (!ret && req && !odp->dying) {
		*req = (struct xr_fault_req){
			.state = XR_ODP_QUEUED,
			.write = m->write,
			.first = m->first,
			.need = m->last - m->first + 1,
			.ahead = DIV_ROUND_UP((u64)m->ahead, PAGE_SIZE),
			.since = jiffies,
			.caller = caller,
		};
		xr_odp_queue(odp, 0);
	}
	spin_unlock_bh(&odp->req_lock);
	return ret ? : -EAGAIN;
}

/*
 * Pages have become resident. Failed requests for them are forgotten, as their callers will
 * find the pages, and a request that is being served does not fail.
 */
void xr_odp_came(struct xr_odp *odp, u64 first, u64 nr)
{
	struct xr_fault_req *w;

	spin_lock_bh(&odp->req_lock);
	for (w = odp->req; w < odp->req + XR_FAULT_REQS; w++) {
		if (w->first >= first + nr || first >= w->first + w->need)
			continue;
		w->came = true;
		if (w->state == XR_ODP_FAILED)
			w->state = XR_ODP_FREE;
	}
	spin_unlock_bh(&odp->req_lock);
}

/* True if a request is pending, after which xr_odp_wake() is called. @odp->req_lock is held. */
bool xr_odp_requested(const struct xr_odp *odp)
{
	const struct xr_fault_req *w;

	lockdep_assert_held(&odp->req_lock);
	if (odp->dying)
		return false;
	for (w = odp->req; w < odp->req + XR_FAULT_REQS; w++)
		if (w->state == XR_ODP_QUEUED || w->state == XR_ODP_BUSY)
			return true;
	return false;
}

/* The memory is being released: accept and serve no more requests. */
void xr_odp_end(struct xr_odp *odp)
{
	spin_lock_bh(&odp->req_lock);
	odp->dying = true;
	xr_odp_wake(odp);
	spin_unlock_bh(&odp->req_lock);
}

/* For the worker: the next request that is due, and a copy of it, or NULL. */
struct xr_fault_req *xr_odp_take(struct xr_odp *odp, struct xr_fault_req *copy)
{
	struct xr_fault_req *w, *due = NULL;
	unsigned long wait = ULONG_MAX;

	spin_lock_bh(&odp->req_lock);
	for (w = odp->req; w < odp->req + XR_FAULT_REQS; w++) {
		if (w->state != XR_ODP_QUEUED || odp->dying)
			continue;
		if (time_before(jiffies, w->since)) {
			wait = min(wait, w->since - jiffies);
			continue;
		}
		w->state = XR_ODP_BUSY;
		w->came = false;
		*copy = *w;
		due = w;
		break;
	}
	if (!due && wait != ULONG_MAX)
		xr_odp_queue(odp, wait);
	spin_unlock_bh(&odp->req_lock);
	return due;
}

/*
 * A request has been served with the result @ret. -ENOMEM: the worker tries again later.
 * -EFAULT, or -ENOMEM once too often: the request has failed, and its caller will be told.
 * After other errors the caller may ask again. Waiters are woken.
 */
void xr_odp_done(struct xr_odp *odp, struct xr_fault_req *w, int ret)
{
	spin_lock_bh(&odp->req_lock);
	w->since = jiffies;
	w->error = ret == -ENOMEM ? -EIO : ret;
	if (ret == -ENOMEM && w->tries < XR_ODP_TRIES) {
		w->state = XR_ODP_QUEUED;
		w->since += msecs_to_jiffies(1u << w->tries++);
	} else if (!ret) {
		w->state = XR_ODP_FREE;
		atomic64_inc(&odp->faults);
	} else {
		w->state = !w->came && (ret == -EFAULT || ret == -ENOMEM) ?
			   XR_ODP_FAILED : XR_ODP_FREE;
		atomic64_inc(&odp->failed);
	}
	xr_odp_wake(odp);
	spin_unlock_bh(&odp->req_lock);
}
