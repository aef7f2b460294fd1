// SPDX-License-Identifier: GPL-2.0-only
/* Owners: what they may change and see, and the end of what they have. */
#include <linux/capability.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/user_namespace.h>

#include "uapi/xroce.h"

#include "cq.h"
#include "link.h"
#include "mr.h"
#include "mw.h"
#include "owner.h"
#include "pd.h"
#include "qp.h"
#include "sq.h"
#include "srq.h"

void xr_owner_init(struct xr_owner *own)
{
	INIT_LIST_HEAD(&own->pds);
	INIT_LIST_HEAD(&own->mrs);
	INIT_LIST_HEAD(&own->mws);
	INIT_LIST_HEAD(&own->qps);
	INIT_LIST_HEAD(&own->cqs);
	INIT_LIST_HEAD(&own->srqs);
	own->sq = NULL;
	INIT_LIST_HEAD(&own->rings);
	own->ring_next = 0;
	xr_events_init(&own->events);
	own->pid = NULL;
	own->uid = INVALID_UID;
	own->limits = NULL;
	own->user = NULL;
	own->group = NULL;
}

/*
 * May @who change what @owner owns? Return: 0; -EPERM; or -ENOENT: it may not
 * even know that it is there.
 */
int xr_owner_check(const struct xr_link *link, const struct xr_owner *who,
		   const struct xr_owner *owner)
{
	if (owner == who)
		return 0;
	if (!capable(CAP_NET_ADMIN))
		return -ENOENT;
	return owner == &link->own ? 0 : -EPERM;
}

/* May @who look at what @owner owns? */
bool xr_owner_sees(const struct xr_owner *who, const struct xr_owner *owner)
{
	return owner == who || capable(CAP_NET_ADMIN);
}

/* May the caller have what is kept for administrators? To ask is no use of the right. */
bool xr_owner_admin(void)
{
	return ns_capable_noaudit(&init_user_ns, CAP_NET_ADMIN);
}

u32 xr_owner_pid(const struct xr_owner *owner)
{
	return owner->pid ? pid_vnr(owner->pid) : 0;
}

/* Destroy all that @own owns, members before their protection domains. */
void xr_owner_clear(struct xr_link *link, struct xr_owner *own)
{
	struct xr_qp *qp, *qp_next;
	struct xr_srq *srq, *srq_next;
	struct xr_cq *cq, *cq_next;
	struct xr_mr *mr, *mr_next;
	struct xr_mw *mw, *mw_next;
	struct xr_pd *pd, *pd_next;
	LIST_HEAD(gone);

	mutex_lock(&link->lock);
	/* First, so that queue pairs and regions need not look for theirs. */
	list_for_each_entry_safe(mw, mw_next, &own->mws, node) {
		xr_mw_destroy(link, mw);
		cond_resched();
	}
	list_for_each_entry_safe(qp, qp_next, &own->qps, node) {
		xr_qp_destroy(link, qp);
		cond_resched();
	}
	list_for_each_entry_safe(srq, srq_next, &own->srqs, node)
		xr_srq_destroy(link, srq);
	if (own->sq)
		xr_sq_destroy(own->sq);
	list_for_each_entry_safe(cq, cq_next, &own->cqs, node)
		xr_cq_destroy(link, cq);
	list_for_each_entry_safe(mr, mr_next, &own->mrs, node) {
		xr_mr_unlink(link, mr);
		list_add(&mr->node, &gone);
		cond_resched();
	}
	list_for_each_entry_safe(pd, pd_next, &own->pds, node) {
		xr_pd_destroy(link, pd);
		cond_resched();
	}
	mutex_unlock(&link->lock);

	list_for_each_entry_safe(mr, mr_next, &gone, node) {
		xr_mr_free(mr);
		cond_resched();
	}
}
