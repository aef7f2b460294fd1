// SPDX-License-Identifier: GPL-2.0-only
/* What a requester does with an answer. See requester.h. */
#include <linux/minmax.h>

#include "../../kmod/send/psn.h"

#include "flow.h"
#include "packet.h"

/* NAKs of a peer that seems to discard packets after which it is tried again: XR_SEND_DISCARDS. */
#define DISCARDS_SOON	2u
#define DISCARDS	16u

/* True if the packet that is timed is acknowledged. */
static bool timed_arrived(const struct requester *r)
{
	return r->rtt.timing &&
	       xr_psn_distance(r->rtt.psn, r->una) >= xr_psn_distance(r->top, r->una);
}

/* As xr_requester_progress() of the module. */
static void progress(struct requester *r, u32 packets)
{
	if (r->window != r->cc.window)
		r->window = min(r->window + packets, r->cc.window);
	r->rtt.delivered += packets;
	if (timed_arrived(r))
		requester_measure(r);
	r->retries = 0;
	r->force = false;
	r->probe_first = false;
	r->probe_last = false;
	r->probes = 0;
	requester_restart(r);
}

/* The packet @psn of a response is there, and all before it. */
static void counted(struct requester *r, u32 psn)
{
	if (r->part[r->reads_done % REQUESTER_READS].end == psn + 1) {
		r->reads_done++;
		r->reads--;
	} else {
		r->extra--;
	}
}

/* As xr_ack_tried() of the module. */
static void tried(struct requester *r)
{
	s32 ahead = r->una - r->trial;

	if (r->keeps != KEEPS_TRIAL || ahead < 0)
		return;
	if (ahead) {
		r->keeps = KEEPS;
	} else if (r->una == r->top) {
		r->keeps = KEEPS_UNKNOWN;
	} else {
		r->keeps = KEEPS_NOT;
		requester_rewind(r);
	}
}

void requester_moved(struct flow *f, u32 psn)
{
	struct requester *r = &f->requester;
	u32 n = psn - r->una, noted = 0;

	if (!n)
		return;
	for (; r->una != psn; r->una++) {
		noted += bits_remove(&r->has, r->una);
		if (f->kind.read)
			counted(r, r->una);
	}
	if ((s32)(r->psn - r->una) < 0)
		r->psn = r->una;
	r->kept -= noted;
	r->rtt.delivered -= noted;
	if (!r->kept)
		r->high = r->una;
	holes_pass(&r->holes, r->una);
	r->credit = min(r->credit + n, XROCE_CC_WINDOW_MAX);
	progress(r, n);
	flow_completed(f, r->una);
	tried(r);
}

/* The packet @psn, behind a hole, has arrived. */
static void note(struct requester *r, u32 psn)
{
	if (!r->kept && !r->holes.n)
		r->credit = r->window;
	if (!bits_add(&r->has, psn))
		return;
	r->kept++;
	r->rtt.delivered++;
	if (r->rtt.timing && !xr_psn_distance(r->rtt.psn, psn))
		requester_measure(r);
}

/*
 * A NAK of the oldest packet. As in xr_ack_single() of the module it is sent again alone, unless
 * the peer seems to discard what follows.
 */
static void take_nak(struct flow *f)
{
	struct requester *r = &f->requester;

	if (r->keeps == KEEPS_TRIAL && r->una == r->trial)
		r->keeps = KEEPS_NOT;
	if (!requester_retries(f, XROCE_CC_LOSS_NAK))
		return;
	if (r->keeps == KEEPS_NOT && r->discards <= DISCARDS &&
	    (++r->discards == DISCARDS_SOON || r->discards == DISCARDS))
		r->keeps = KEEPS_UNKNOWN;
	if (r->keeps == KEEPS_NOT) {
		requester_rewind(r);
		return;
	}
	r->keeps = KEEPS_TRIAL;
	r->trial = r->una + 1;
	r->credit = r->window;
	holes_miss(&r->holes, r->una, r->top);
}

/*
 * Before the peer is known to keep packets it is not asked to name them: what it says of a hole is
 * a NAK, once.
 */
static bool is_nak(struct flow *f)
{
	struct requester *r = &f->requester;

	if (r->keeps == KEEPS)
		return false;
	if (r->nak != r->una + 1)
		take_nak(f);
	r->nak = r->una + 1;
	return true;
}

static void take_sack(struct flow *f, const struct packet *p)
{
	struct requester *r = &f->requester;
	const struct sack *s = p->sack;
	u32 i, kept = r->kept;

	requester_moved(f, p->psn);
	if (p->psn != r->una || is_nak(f))
		return;
	for (i = 1; i < s->lost; i++)
		if (s->kept[i / 64] >> i % 64 & 1)
			note(r, r->una + i);
	for (i = 0; i < s->lost; i++)
		if (!bits_has(&r->has, r->una + i))
			holes_miss(&r->holes, r->una + i, r->una + s->lost);
	if (r->kept > kept)
		requester_restart(r);
}

/* A packet of a response to a READ. What is missing before it is lost. */
static void take_response(struct flow *f, const struct packet *p)
{
	struct requester *r = &f->requester;
	u32 psn = p->psn;

	if (p->marked)
		r->cnps++;
	if (bits_has(&r->has, psn))
		return;
	f->bytes += flow_payload(f, psn);
	if (psn != r->una) {
		note(r, psn);
		requester_restart(r);
		for (psn = r->una; psn != p->psn; psn++)
			if (!bits_has(&r->has, psn))
				holes_miss(&r->holes, psn, p->psn + 1);
		return;
	}
	do
		psn++;
	while (bits_has(&r->has, psn) && psn != r->top);
	requester_moved(f, psn);
}

void requester_packet(struct flow *f, const struct packet *p)
{
	struct requester *r = &f->requester;

	if (p->kind == PACKET_CNP) {
		r->cnps++;
		return;
	}
	if (r->ended)
		return;
	r->heard++;
	/* An old one: all before it was acknowledged before. */
	if ((s32)(p->psn - r->una) < 0)
		return;
	if (p->kind == PACKET_ACK)
		requester_moved(f, p->psn);
	else if (p->kind == PACKET_SACK)
		take_sack(f, p);
	else
		take_response(f, p);
	requester_run(f);
}
