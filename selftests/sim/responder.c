// SPDX-License-Identifier: GPL-2.0-only
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "xroce_cc.h"

#include "flow.h"
#include "memory.h"
#include "packet.h"

/* Packets that are kept at most: XR_QP_EARLY_MAX of kmod/defer/limit.h. */
#define KEPT_MAX	1024u

/* Time between two notifications: cnp_interval of kmod/respond/cnp.c. */
#define CNP_NS		(50 * NSEC_PER_USEC)

void responder_open(struct flow *f)
{
	f->responder = (struct responder){};
}

static void answer(struct flow *f, u8 kind, u32 bytes)
{
	struct responder *r = &f->responder;
	struct packet *p = packet_new(f, kind, r->epsn, FRAME_BYTES + bytes);
	u32 i, n;

	if (kind == PACKET_SACK) {
		p->sack = memory_new(1, sizeof(*p->sack));
		n = min(r->high - r->epsn, SACK_PSNS);
		p->sack->lost = n;
		for (i = 1; i < n; i++)
			if (bits_has(&r->has, r->epsn + i))
				p->sack->kept[i / 64] |= 1ull << i % 64;
	}
	link_send(p, &f->back);
}

static void notify(struct flow *f)
{
	u64 now = ktime_get_ns();

	if (now < f->responder.cnp_next)
		return;
	f->responder.cnp_next = now + CNP_NS;
	answer(f, PACKET_CNP, CNP_BYTES);
}

/* The packets that were asked for leave as fast as the host can send. */
static void respond(struct flow *f, u32 psn, u32 n)
{
	struct packet *p;

	while (n--) {
		p = packet_new(f, PACKET_RESPONSE, psn, FRAME_BYTES + flow_payload(f, psn));
		p->ect = f->kind.ops->flags & XROCE_CC_ECN;
		link_send(p, &f->back);
		psn++;
	}
}

/* It was asked what has arrived. */
static void tell(struct flow *f)
{
	if (f->responder.kept)
		answer(f, PACKET_SACK, AETH_BYTES + SACK_BYTES);
	else
		answer(f, PACKET_ACK, AETH_BYTES);
}

/* The one that is expected: execute it, and those behind it. */
static void in_order(struct flow *f, bool ask)
{
	struct responder *r = &f->responder;
	bool hole = r->kept;

	f->bytes += flow_payload(f, r->epsn++);
	while (bits_remove(&r->has, r->epsn)) {
		r->kept--;
		r->epsn++;
	}
	if (!r->kept)
		r->high = r->epsn;
	if (ask || (hole && !r->kept))
		tell(f);
}

/* One behind a hole. A new hole is told of at once. */
static void early(struct flow *f, u32 psn, bool ask)
{
	struct responder *r = &f->responder;
	bool hole = (s32)(psn - r->high) > 0;

	if (r->kept == KEPT_MAX || psn - r->epsn >= BITS_PSNS)
		return;
	if (bits_add(&r->has, psn)) {
		r->kept++;
		f->bytes += flow_payload(f, psn);
	}
	if ((s32)(psn - r->high) >= 0)
		r->high = psn + 1;
	if (ask || hole)
		tell(f);
}

static void write(struct flow *f, const struct packet *p)
{
	s32 ahead = p->psn - f->responder.epsn;

	if (ahead > 0)
		early(f, p->psn, p->ask);
	else if (!ahead)
		in_order(f, p->ask);
	else if (p->ask)
		tell(f);
}

void responder_packet(struct flow *f, const struct packet *p)
{
	if (p->marked)
		notify(f);
	if (p->kind == PACKET_READ)
		respond(f, p->psn, p->n);
	else
		write(f, p);
}
