// SPDX-License-Identifier: GPL-2.0-only
/* Making and freeing the ring of a send queue: see send/ring.h. */
#include <linux/align.h>
#include <linux/log2.h>
#include <linux/minmax.h>

#include "uapi/xroce.h"

#include "obj/cq.h"
#include "obj/link.h"
#include "own/owner.h"
#include "qp/qp.h"

#include "post.h"
#include "queue.h"
#include "ring.h"

static_assert(sizeof(struct xroce_send_header) <= XROCE_RING_HEADER);

/* Bytes of an entry. */
static u32 xr_send_ring_stride(u32 sge, u32 inline_data)
{
	u32 data = max_t(u32, inline_data, sge * sizeof(struct xroce_sge_local));

	return ALIGN(offsetof(struct xroce_send_wqe, sge) + data, 64);
}

/**
 * xr_send_ring_init() - make the send queue of a queue pair that is being made
 * @qp: the queue pair; its send side has its lock, and is otherwise zeroed
 * @a: arguments of QP_ADD
 *
 * Sleeps.
 *
 * Return: 0, and xr_send_ring_free() and xr_send_free() undo it; -EINVAL: the arguments about it;
 * -EOPNOTSUPP: it is for datagrams, and the owner has no address handles; -ENOMEM.
 */
int xr_send_ring_init(struct xr_qp *qp, const struct xroce_qp_add *a)
{
	struct xr_send *s = &qp->send;
	struct xroce_send_header *header;
	int ret;

	if (!a->send_entries)
		return a->send_max_sge || a->send_max_inline || a->send_cq ? -EINVAL : 0;
	if (a->send_entries < XROCE_SEND_MIN || a->send_entries > XROCE_SEND_MAX ||
	    !is_power_of_2(a->send_entries) || a->send_max_sge > XROCE_SEND_SGE_MAX ||
	    a->send_max_inline > XROCE_SEND_INLINE_MAX || !a->send_cq)
		return -EINVAL;
	if (a->type == XROCE_QPT_UD && !(qp->owner->ops && qp->owner->ops->address))
		return -EOPNOTSUPP;
	s->ring_stride = xr_send_ring_stride(a->send_max_sge, a->send_max_inline);
	ret = xr_ring_alloc(&s->ring, XR_FORMAT_OWN, a->send_entries, s->ring_stride);
	if (ret)
		return ret;
	header = s->ring.mem;
	ret = xr_send_open(qp, &(struct xr_send_init){
		.format = XR_FORMAT_OWN,
		.slots = a->send_entries,
		.max_sge = a->send_max_sge,
		.max_data = a->send_max_inline,
		.consumer = &header->head,
	});
	if (ret)
		xr_ring_free(&s->ring);
	return ret;
}

/**
 * xr_send_ring_join() - connect a send queue to its completion queue, and let programs map it
 * @link: the link, whose lock is held
 * @qp: the queue pair, which is not published yet
 * @a: in: number of the completion queue; out: offset, length and stride
 *
 * Return: 0, and xr_send_ring_leave() undoes it; -ENOENT: the owner has no such completion queue.
 */
int xr_send_ring_join(struct xr_link *link, struct xr_qp *qp, struct xroce_qp_add *a)
{
	struct xr_send *s = &qp->send;

	a->send_offset = 0;
	a->send_bytes = 0;
	a->send_stride = 0;
	if (!s->ring.mem)
		return 0;
	s->cq = xr_cq_find(link, qp->owner, a->send_cq);
	if (!s->cq)
		return -ENOENT;
	s->cq->users++;
	s->poll = xr_post_poll;
	xr_ring_publish(&s->ring, qp->owner);
	a->send_offset = s->ring.offset;
	a->send_bytes = s->ring.bytes;
	a->send_stride = s->ring_stride;
	return 0;
}

/* Nothing is completed any more. The link's lock is held. */
void xr_send_ring_leave(struct xr_qp *qp)
{
	if (qp->send.ring.mem)
		qp->send.cq->users--;
}

/* Packets that have found the queue pair may still read it. The link's lock is held. Sleeps. */
void xr_send_ring_free(struct xr_qp *qp)
{
	if (qp->send.ring.mem)
		xr_ring_retire(&qp->send.ring);
}
