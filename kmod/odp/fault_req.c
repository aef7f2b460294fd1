// SPDX-License-Identifier: GPL-2.0-only
/* What accesses have missed: asked for, seen to, or not to be had. */
#include "odp.h"

/* Long enough for the requester to come again: the longest RNR timer is 0.65 s. */
#define XR_ODP_PATIENCE	(2 * HZ)
/*
 * Where memory is short the kernel is busy making room. It is asked again after a
 * millisecond, then after twice that, and so on; a second in all.
 */
#define XR_ODP_TRIES	10

/* Is a page there, with all of @rights? The memory is held. */
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
 * xr_odp_miss() - say what an access has missed, for xr_odp_ask()
 * @odp: memory; this CPU is on it
 * @off: as for xr_odp_ready(), which has returned -EAGAIN; and so are @len and @write
 * @len: bytes, at least one
 * @ahead: bytes that the message goes on for, a hint
 * @write: they will be written
 * @miss: out: what; if all has come meanwhile, its last page
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
 * Is it on its way already, or has @caller been refused it? What others were refused says
 * nothing: it may be there by now. @free: out: a place for another want, if any.
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
			/* Who comes back for that can ask anew. */
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
 * xr_odp_ask() - send for the pages that an access has missed
 * @m: what, of xr_odp_miss() in the same RCU read-side section
 * @caller: asks, xr_qp::epoch
 *
 * In softirq. The caller holds no region (hazard.h): locks are taken, which sleep with
 * PREEMPT_RT. What is wanted already is not asked for again, and nothing is of memory
 * that has been let go meanwhile.
 *
 * Return: -EAGAIN: it is on its way; -EFAULT: @caller has asked for it before, and it
 * cannot be had; -EIO: nor for want of memory.
 */
int xr_odp_ask(const struct xr_odp_miss *m, u64 caller)
{
	struct xr_odp *odp = m->odp;
	struct xr_fault_req *req = NULL;
	int ret;

	if (READ_ONCE(odp->gone))
		return -EFAULT;
	spin_lock_bh(&odp->req_lock);
	ret = xr_odp_known(odp, m, caller, &req);
	if (!ret && req && !odp->closing) {
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
 * Pages have come. What could not be had of them before, and comes by another way,
 * has not failed: who asked for it will not ask again, but find it.
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

/**
 * xr_odp_requested() - is something on its way, after which xr_odp_wake() is called?
 * @odp: memory
 */
bool xr_odp_requested(struct xr_odp *odp)
{
	struct xr_fault_req *w;
	bool wanted = false;

	spin_lock_bh(&odp->req_lock);
	for (w = odp->req; w < odp->req + XR_FAULT_REQS; w++)
		wanted |= w->state == XR_ODP_QUEUED || w->state == XR_ODP_BUSY;
	wanted &= !odp->closing;
	spin_unlock_bh(&odp->req_lock);
	return wanted;
}

/* For the worker: the next want that is due, or NULL, and a copy of it. */
struct xr_fault_req *xr_odp_take(struct xr_odp *odp, struct xr_fault_req *copy)
{
	struct xr_fault_req *w, *due = NULL;
	unsigned long wait = ULONG_MAX;

	spin_lock_bh(&odp->req_lock);
	for (w = odp->req; w < odp->req + XR_FAULT_REQS; w++) {
		if (w->state != XR_ODP_QUEUED || odp->closing)
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
 * What could not be done now may be asked for again; what cannot be, not. For memory
 * the worker asks again itself.
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
	spin_unlock_bh(&odp->req_lock);
}
