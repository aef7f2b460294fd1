// SPDX-License-Identifier: GPL-2.0-only
/* Changing the algorithm of a connection: see cc_change.h. */
#include <linux/container_of.h>
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>

#include "uapi/xroce.h"

#include "own/owner.h"
#include "qp/qp.h"

#include "cc.h"
#include "cc_change.h"
#include "packet.h"

/*
 * Change the algorithm of a connection, which has one, to that of @name; NULL: "none". The lock of
 * the send side is held. Return: 0 or -ENOENT: there is no such algorithm.
 */
static int xr_cc_change_to(struct xr_qp *qp, const char *name)
{
	struct xr_send *s = &qp->send;
	int ret = xr_cc_restart(&s->cc, name, &s->rtt);

	if (ret)
		return ret;
	s->window = min(s->window, s->cc.window);
	/* Its packets are ECN-capable, or not any more. */
	xr_request_template(qp);
	return 0;
}

/**
 * xr_cc_change_if() - change the algorithm of a connection, if it has a certain one
 * @user: of the connection; under RCU, as it may be ending
 * @alg: the algorithm
 * @name: name of the new one; NULL: "none"
 */
void xr_cc_change_if(struct xr_cc_user *user, const struct xr_cc_alg *alg, const char *name)
{
	struct xr_send *s = container_of(user, struct xr_send, cc.user);
	struct xr_qp *qp = container_of(s, struct xr_qp, send);

	spin_lock_bh(&s->lock);
	/* The new one may have gone, too. */
	if (user->alg == alg && xr_cc_change_to(qp, name))
		xr_cc_change_to(qp, NULL);
	spin_unlock_bh(&s->lock);
}

/**
 * xr_cc_change() - change the algorithm of a connection
 * @link: the link
 * @caller: the requesting file
 * @qpn: number of the queue pair
 * @name: name of the algorithm
 *
 * Return: 0; -ENOENT: there is no such queue pair, or it is another user's; -EINVAL: it is not on
 * RC, or not in RTS or SQD; -ESRCH: there is no such algorithm.
 */
int xr_cc_change(struct xr_link *link, const struct xr_owner *caller, u32 qpn, const char *name)
{
	struct xr_qp *qp;
	int ret = 0;

	mutex_lock(&link->lock);
	qp = xr_qp_find(link, qpn);
	if (!qp || !xr_owner_tunes(caller, qp->owner)) {
		ret = -ENOENT;
		goto out;
	}
	spin_lock_bh(&qp->send.lock);
	if (qp->type != XROCE_QPT_RC || !qp->send.cc.ops)
		ret = -EINVAL;
	else if (xr_cc_change_to(qp, name))
		ret = -ESRCH;
	spin_unlock_bh(&qp->send.lock);
out:
	mutex_unlock(&link->lock);
	return ret;
}
