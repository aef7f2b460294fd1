// SPDX-License-Identifier: GPL-2.0-only
/* Querying queue pairs. */
#include <linux/bitmap.h>
#include <linux/capability.h>
#include <linux/etherdevice.h>
#include <linux/export.h>
#include <linux/if_vlan.h>
#include <linux/log2.h>
#include <linux/string.h>

#include "uapi/xroce.h"
#include "xroce_map.h"
#include "xroce_wire.h"

#include "obj/cq.h"
#include "obj/link.h"
#include "obj/pd.h"
#include "own/owner.h"
#include "recv/srq.h"
#include "respond/pace.h"
#include "send/inflight.h"
#include "send/queue.h"
#include "send/score.h"

#include "qp.h"
#include "query.h"

/*
 * The cause that moved the queue pair to ERR. XROCE_CAUSE_ACC_PD and XROCE_CAUSE_ACC_QP say
 * that the key belongs to a region or window of another protection domain or queue pair,
 * perhaps another owner's. Without CAP_NET_ADMIN they are reported as XROCE_CAUSE_ACC_KEY.
 */
static u32 xr_qp_cause(const struct xr_qp *qp)
{
	u32 cause = READ_ONCE(qp->map->error);

	return (cause == XROCE_CAUSE_ACC_PD || cause == XROCE_CAUSE_ACC_QP) &&
	       !capable(CAP_NET_ADMIN) ? XROCE_CAUSE_ACC_KEY : cause;
}

/* Responses sent by the XDP program and by the module, and packets dropped. */
static void xr_qp_describe_tx(const struct xr_qp *qp, struct xroce_qp_query *q)
{
	const struct xr_tx_batch *batch = &qp->responses.batch;
	const struct xroce_qp *m = qp->map;
	u64 tx = 0;
	int i;

	/*
	 * The XDP program sends responses for RC only. Its counters may rise between the
	 * reads here.
	 */
	if (qp->type == XROCE_QPT_RC) {
		tx = READ_ONCE(m->packets) + READ_ONCE(m->duplicates) +
		     READ_ONCE(m->naks);
		tx -= min(tx, READ_ONCE(m->silent));
	}
	BUILD_BUG_ON(XROCE_DROP_TX - XROCE_DROP_QKEY != XROCE_QP_DROPS ||
		     XROCE_QP_DROPS >= ARRAY_SIZE(q->drops));
	q->tx = tx + READ_ONCE(batch->sent);
	q->tx_bytes = tx * XROCE_ACK_BYTES + READ_ONCE(m->tx_more) +
		      READ_ONCE(batch->sent_bytes);
	memset(q->drops, 0, sizeof(q->drops));
	for (i = 0; i < XROCE_QP_DROPS; i++)
		q->drops[i] = READ_ONCE(m->drops[i]);
	q->drops[XROCE_QP_DROPS] = READ_ONCE(batch->lost);
}

/* Counters of its requester. */
static void xr_qp_describe_req(const struct xroce_qp *m, struct xroce_qp_query *q)
{
	q->req_packets = READ_ONCE(m->req_packets);
	q->req_bytes = READ_ONCE(m->req_bytes);
	q->req_retransmits = READ_ONCE(m->req_retransmits);
	q->req_timeouts = READ_ONCE(m->req_timeouts);
	q->req_rnr_naks = READ_ONCE(m->req_rnr_naks);
	q->req_seq_naks = READ_ONCE(m->req_seq_naks);
	q->req_implied_naks = READ_ONCE(m->req_implied_naks);
	q->req_window = READ_ONCE(m->req_window);
	q->req_responses = READ_ONCE(m->req_responses);
	q->req_response_bytes = READ_ONCE(m->req_response_bytes);
	q->req_ignored = READ_ONCE(m->req_ignored);
}

/* Its send queue, and the attributes of its requester. */
static void xr_qp_describe_sq(struct xr_qp *qp, struct xroce_qp_query *q)
{
	struct xr_send *s = &qp->send;

	memset_startat(q, 0, sq_entries);
	q->req_probes = READ_ONCE(qp->map->req_probes);
	q->req_sacks = READ_ONCE(qp->map->req_sacks);
	q->req_cnps = READ_ONCE(qp->map->req_cnps);
	if (!s->wqes)
		return;
	spin_lock_bh(&s->lock);
	q->sq_entries = s->mask + 1;
	q->sq_max_sge = s->max_sge;
	q->sq_max_inline = s->max_data;
	q->sq_pending = s->tail - s->head;
	q->sq_draining = s->state == XR_SEND_DRAINING && xr_send_drains(s);
	q->sq_psn = xr_send_active(s) ? s->psn : s->attr.psn;
	q->timeout = s->attr.timeout;
	q->retry_cnt = s->attr.retry;
	q->rnr_retry = s->attr.rnr_retry;
	q->max_rd_atomic = s->attr.max_rd_atomic;
	ether_addr_copy(q->dmac, s->attr.dmac);
	if (s->attr.vlan <= VLAN_VID_MASK)
		q->vlan_tci = s->attr.vlan | s->attr.prio << VLAN_PRIO_SHIFT;
	if (qp->type == XROCE_QPT_RC && xr_send_active(s)) {
		q->sq_srtt = s->rtt.srtt / NSEC_PER_USEC;
		q->sq_window = s->window;
		q->sq_outstanding = xr_inflight_requests(s) + xr_inflight_responses(s);
		q->sq_holes = xr_score_holes(s);
	}
	if (qp->type == XROCE_QPT_RC && s->cc.ops) {
		q->cc_rate = s->cc.cost ? s->cc.state.rate : 0;
		q->cc_window = s->cc.window;
		strscpy(q->cc, s->cc.ops->name, sizeof(q->cc));
	}
	spin_unlock_bh(&s->lock);
}

static void xr_qp_describe(const struct xr_link *link, struct xr_qp *qp,
			   struct xroce_qp_query *q)
{
	const struct xroce_qp *m = qp->map;

	q->flags = xr_owner_flags(qp->owner);
	q->qpn = qp->qpn;
	q->pd = qp->pd->id;
	q->type = m->type;
	q->state = xr_qp_state(qp);
	q->access = qp->rights;
	q->pkey = m->pkey;
	q->path_mtu = m->mtu ? ilog2(m->mtu) - 7 : 0;
	q->dest_qpn = m->dest_qpn;
	q->rq_psn = READ_ONCE(m->epsn);
	q->msn = READ_ONCE(m->msn);
	q->min_rnr_timer = m->min_rnr_timer;
	q->max_dest_rd_atomic = qp->max_dest_rd_atomic;
	q->sport = m->sport;
	q->tos = qp->send.ecn ? m->tos & ~XROCE_ECN_MASK : m->tos;
	q->ttl = m->ttl;
	q->cause = xr_qp_cause(qp);
	memcpy(q->sgid, m->saddr, sizeof(q->sgid));
	memcpy(q->dgid, m->daddr, sizeof(q->dgid));
	q->pid = xr_owner_pid(qp->owner);
	q->reserved = 0;
	q->packets = READ_ONCE(m->packets);
	q->bytes = READ_ONCE(m->bytes);
	q->duplicates = READ_ONCE(m->duplicates);
	q->naks = READ_ONCE(m->naks) + READ_ONCE(qp->responses.naks);
	q->recv_cq = qp->recv.cq ? qp->recv.cq->id : 0;
	q->srq = qp->recv.srq ? qp->recv.srq->id : 0;
	q->rq_entries = qp->recv.rq.ring.mem ? qp->recv.rq.mask + 1 : 0;
	q->rq_max_sge = qp->recv.rq.max_sge;
	q->qkey = m->qkey;
	q->send_cq = qp->send.ring.mem ? qp->send.cq->id : 0;
	xr_qp_describe_tx(qp, q);
	xr_qp_describe_req(m, q);
	xr_qp_describe_sq(qp, q);
	q->read_rate = xr_pace_rate(qp);
}

/**
 * xr_qp_query() - query a queue pair
 * @link: the link
 * @caller: the requesting file
 * @q: in: number; XROCE_F_NEXT: the first at its position in the table, or at a later one, that
 *	@caller may see; out: all fields
 *
 * Return: 0; -ENOENT: @caller sees no such queue pair.
 */
int xr_qp_query(struct xr_link *link, struct xr_owner *caller, struct xroce_qp_query *q)
{
	bool next = q->flags & XROCE_F_NEXT;
	u32 slot = q->qpn & link->qp_mask;
	struct xr_qp *qp;

	mutex_lock(&link->lock);
	qp = next ? xr_qp_in(link, slot) : xr_qp_find(link, q->qpn);
	while (next && !(qp && xr_owner_sees(caller, qp->owner))) {
		slot = find_next_bit(link->qp_used, link->qp_entries, slot + 1);
		if (slot >= link->qp_entries) {
			qp = NULL;
			break;
		}
		qp = xr_qp_in(link, slot);
	}
	if (qp && !xr_owner_sees(caller, qp->owner))
		qp = NULL;
	if (qp)
		xr_qp_describe(link, qp, q);
	mutex_unlock(&link->lock);
	return qp ? 0 : -ENOENT;
}
EXPORT_SYMBOL_GPL(xr_qp_query);
