// SPDX-License-Identifier: GPL-2.0-only
/* Destroying the objects of files and links, and links. */
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "obj/cq.h"
#include "obj/front.h"
#include "obj/link.h"
#include "obj/mr.h"
#include "obj/mw.h"
#include "obj/pd.h"
#include "own/owner.h"
#include "qp/create.h"
#include "qp/qp.h"
#include "recv/srq.h"

#include "mr_reg.h"
#include "teardown.h"

/**
 * xr_teardown() - destroy all objects of an owner
 * @link: the link
 * @own: the owner: a file, or the link for persistent objects
 *
 * Members of protection domains are destroyed before the domains. Sleeps.
 */
void xr_teardown(struct xr_link *link, struct xr_owner *own)
{
	struct xr_qp *qp, *qp_next;
	struct xr_srq *srq, *srq_next;
	struct xr_cq *cq, *cq_next;
	struct xr_mr *mr, *mr_next;
	struct xr_mw *mw, *mw_next;
	struct xr_pd *pd, *pd_next;
	LIST_HEAD(gone);

	mutex_lock(&link->lock);
	/* Windows first, so that queue pairs and regions need not search for them. */
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

/**
 * xr_teardown_link() - destroy a link
 * @id: number of the link
 * @force: also destroy its persistent objects, and its verbs device though programs use it
 *
 * Return: 0; -ENOENT, -EBUSY: as xr_front_remove() and xr_link_take().
 */
int xr_teardown_link(u32 id, bool force)
{
	struct xr_link *link;
	int ret;

	ret = xr_front_remove(id, force);
	if (ret)
		return ret;
	link = xr_link_take(id, force);
	if (IS_ERR(link))
		return PTR_ERR(link);
	xr_teardown(link, &link->own);
	xr_link_free(link);
	return 0;
}

/* The module is being unloaded: destroy all links and the objects on them. */
void xr_teardown_links(void)
{
	u32 id;

	for (id = 0; id < XR_MAX_LINKS; id++)
		xr_teardown_link(id, true);
	/* Wait for RCU callbacks that are still pending. */
	rcu_barrier();
}
