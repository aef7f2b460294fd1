// SPDX-License-Identifier: GPL-2.0-only
/* Sending: order, window, rate. See requester.h. */
#include <linux/ktime.h>
#include <linux/minmax.h>

#include "../../kmod/send/psn.h"

#include "flow.h"
#include "list.h"
#include "packet.h"

/* Bytes of a frame besides its payload, for the rate: XR_REQUESTER_HEADERS of the module. */
#define HEADERS		64

/* A READ of more than 1 << READ_PART packets is requested in parts: XR_READ_PART. */
#define READ_PART	9

/* Timeouts without progress that end a connection, less one: retry_cnt. */
#define RETRIES		7

/* The rate allows another packet. */
static void go_on(void *arg)
{
	requester_run(arg);
}

void requester_open(struct flow *f)
{
	struct requester *r = &f->requester;

	*r = (struct requester){};
	list_start(&r->cc, &f->kind);
	r->window = r->cc.window;
	r->pace.run = go_on;
	r->pace.arg = f;
	requester_watch_open(f);
}

void requester_close(struct flow *f)
{
	struct requester *r = &f->requester;

	event_stop(&r->pace);
	requester_watch_close(f);
	holes_close(&r->holes);
	xr_cc_end(&r->cc);
}

void requester_measure(struct requester *r)
{
	r->window = xr_cc_measured(&r->cc, &r->rtt, r->psn - r->una, r->cnps, r->window);
}

/* Packets of requests that have not arrived, as far as known. */
static u32 inflight(const struct flow *f)
{
	const struct requester *r = &f->requester;
	u32 sent = r->psn - r->una - r->extra;

	return f->kind.read ? sent : sent - min(sent, r->kept);
}

/* The window, or the READs outstanding, allow no more. */
static bool full(struct flow *f)
{
	struct requester *r = &f->requester;
	u32 expected;

	if (inflight(f) >= r->window) {
		r->cc.limited = true;
		return true;
	}
	if (!f->kind.read || !r->reads)
		return false;
	if (r->reads == REQUESTER_READS)
		return true;
	expected = r->extra - min(r->extra, r->kept);
	if (expected + r->reads <= r->cc.window)
		return false;
	r->cc.limited = true;
	return true;
}

/* A READ begins: its parts are about half a window. */
static void choose_part(struct flow *f)
{
	struct requester *r = &f->requester;
	u32 packets = 2 * r->cc.window / min(REQUESTER_READS, 4u);

	r->size = READ_PART;
	if (!(f->kind.ops->flags & XROCE_CC_PARTS) || packets >> READ_PART)
		return;
	for (r->size = 0; packets >> (r->size + 1); r->size++)
		;
}

u32 requester_part_end(const struct requester *r, u32 psn)
{
	u32 i, end = r->psn;

	for (i = 0; i < r->reads; i++) {
		end = r->part[(r->reads_done + i) % REQUESTER_READS].end;
		if ((s32)(end - psn) > 0)
			break;
	}
	return end;
}

/* A packet is sent in order. @packets: that the request, or its response, has. */
static void built(struct flow *f, bool asks, u32 packets, u64 bytes)
{
	struct requester *r = &f->requester;
	bool fresh = r->psn == r->top;
	u32 psn = r->psn;

	if (r->una == r->psn)
		requester_restart(r);
	xr_cc_sent(&r->cc, bytes + HEADERS);
	if (!fresh) {
		r->cc.lost += packets;
		r->again++;
	}
	r->psn += packets;
	if (fresh) {
		if (!r->rtt.timing && asks &&
		    (xr_psn_distance(psn, r->rtt.psn) >= r->cc.every || !r->rtt.srtt))
			xr_rtt_start(&r->rtt, psn);
		r->top = r->psn;
	}
	r->silent = asks ? 0 : r->silent + 1;
}

static void send_read(struct flow *f)
{
	struct requester *r = &f->requester;
	u32 left = f->packets - r->psn % f->packets, n;
	struct part *part = &r->part[(r->reads_done + r->reads) % REQUESTER_READS];
	struct packet *p;

	if (left == f->packets)
		choose_part(f);
	n = min(left, 1u << r->size);
	p = packet_new(f, PACKET_READ, r->psn, FRAME_BYTES + RETH_BYTES);
	p->n = n;
	part->psn = r->psn;
	part->end = r->psn + n;
	r->reads++;
	r->extra += n - 1;
	built(f, true, n, flow_payloads(f, r->psn, r->psn + n));
	link_send(p, &f->out);
}

static void send_write(struct flow *f)
{
	struct requester *r = &f->requester;
	bool end = r->psn + 1 == flow_posted(f);
	u32 payload = flow_payload(f, r->psn);
	u32 reth = r->psn % f->packets ? 0 : RETH_BYTES;
	struct packet *p = packet_new(f, PACKET_WRITE, r->psn, FRAME_BYTES + reth + payload);

	p->ask = r->force || r->silent >= r->cc.quarter || end || inflight(f) + 1 >= r->window;
	p->ect = f->kind.ops->flags & XROCE_CC_ECN;
	built(f, p->ask, 1, payload);
	link_send(p, &f->out);
}

/* Send one packet. Return: whether that was possible; @wait: out: it waits for the rate. */
static bool step(struct flow *f, bool *wait)
{
	struct requester *r = &f->requester;
	bool again = resend_due(r);

	if (!again && (r->psn == flow_posted(f) || full(f)))
		return false;
	*wait = xr_cc_wait(&r->cc);
	if (*wait)
		return false;
	if (again)
		resend_step(f);
	else if (f->kind.read)
		send_read(f);
	else
		send_write(f);
	return true;
}

void requester_rewind(struct requester *r)
{
	xr_rtt_again(&r->rtt, r->una, r->top - r->una);
	holes_close(&r->holes);
	r->probe_first = false;
	r->probe_last = false;
	r->psn = r->una;
	r->silent = 0;
}

/*
 * No packet outstanding has asked for an answer, and none will: send all again, asking. Return:
 * whether that is so.
 */
static bool unasked(struct flow *f)
{
	struct requester *r = &f->requester;

	if (!r->silent || r->force || f->kind.read || r->una == r->psn ||
	    r->silent < r->psn - r->una)
		return false;
	r->force = true;
	requester_rewind(r);
	return true;
}

void requester_run(struct flow *f)
{
	struct requester *r = &f->requester;
	bool wait = false;

	if (r->ended || r->pace.place)
		return;
	do {
		while (step(f, &wait))
			;
	} while (!wait && unasked(f));
	if (wait) {
		r->cc.limited = true;
		event_start(&r->pace, ktime_get_ns() + xr_cc_wait(&r->cc));
	}
	requester_watch(f);
}

/* As xr_requester_shrink() of the module. */
static void shrink(struct requester *r, enum xroce_cc_loss how)
{
	u32 least = 1;

	if (how == XROCE_CC_LOSS_NAK) {
		least = min(2 * (r->rtt.delivered - r->refused), r->cc.window / 5 * 4);
		r->refused = r->rtt.delivered;
	}
	r->window = max3(r->window / 2, least, 1u);
	r->window = min(r->window, r->cc.window);
}

bool requester_retries(struct flow *f, enum xroce_cc_loss how)
{
	struct requester *r = &f->requester;

	if (r->retries == RETRIES) {
		r->ended = true;
		requester_watch_close(f);
		return false;
	}
	r->retries++;
	if (how != XROCE_CC_LOSS_NAK)
		xr_cc_loss(&r->cc, how, 0);
	shrink(r, how);
	requester_restart(r);
	return true;
}
