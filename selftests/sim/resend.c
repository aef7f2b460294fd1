// SPDX-License-Identifier: GPL-2.0-only
/* Sending single packets again. A model of kmod/send/resend.c. */
#include <linux/minmax.h>

#include "../../kmod/send/psn.h"

#include "flow.h"
#include "packet.h"

bool resend_due(const struct requester *r)
{
	return (r->holes.due && r->credit) || r->probe_first || r->probe_last;
}

/* Send @n packets from @psn on again, or request them. */
static void again(struct flow *f, u32 psn, u32 n)
{
	struct requester *r = &f->requester;
	struct packet *p;

	if (f->kind.read) {
		p = packet_new(f, PACKET_READ, psn, FRAME_BYTES + RETH_BYTES);
		p->n = n;
	} else {
		p = packet_new(f, PACKET_WRITE, psn, FRAME_BYTES + flow_payload(f, psn));
		p->ask = true;
		p->ect = f->kind.ops->flags & XROCE_CC_ECN;
	}
	r->again++;
	xr_rtt_again(&r->rtt, psn, 1);
	xr_cc_sent(&r->cc, flow_payloads(f, psn, psn + n));
	link_send(p, &f->out);
}

/* A hole; of a READ, those that follow in the same part. */
static void fill(struct flow *f, struct hole *hole)
{
	struct requester *r = &f->requester;
	struct holes *h = &r->holes;
	u32 psn = hole->psn, end = psn + 1, part;

	part = f->kind.read ? requester_part_end(r, psn) : end;
	holes_sent(h, hole, r->top);
	while (end != part && ++hole < h->hole + h->n && hole->psn == end && !hole->at) {
		holes_sent(h, hole, r->top);
		end++;
	}
	r->credit--;
	xr_cc_loss(&r->cc, XROCE_CC_LOSS_NAK, 1);
	again(f, psn, end - psn);
}

void resend_step(struct flow *f)
{
	struct requester *r = &f->requester;
	u32 end = r->una + 1;

	if (r->holes.due && r->credit) {
		fill(f, holes_next(&r->holes));
		return;
	}
	if (r->probe_first) {
		r->probe_first = false;
		if (f->kind.read)
			end = requester_part_end(r, r->una);
		again(f, r->una, end - r->una);
		return;
	}
	/* A READ's end is asked for with the rest of it. */
	r->probe_last = false;
	if (!f->kind.read)
		again(f, r->psn - 1, 1);
}
