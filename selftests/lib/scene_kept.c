// SPDX-License-Identifier: GPL-2.0-only
/* Outcomes of READ, atomics, ATOMIC WRITE and FLUSH in golden tests. */
#include <linux/bpf.h>

#include "harness.h"
#include "scene_steps.h"

bool scene_is_atomic(uint8_t opcode)
{
	return opcode == XROCE_RC_CMP_SWAP || opcode == XROCE_RC_FETCH_ADD;
}

bool scene_is_kept(uint8_t opcode)
{
	return opcode == XROCE_RC_READ_REQUEST || scene_is_atomic(opcode) ||
	       opcode == XROCE_RC_ATOMIC_WRITE || opcode == XROCE_RC_FLUSH;
}

void scene_request(struct scene *s, uint8_t opcode)
{
	uint32_t all = XROCE_ACCESS_REMOTE & ~XROCE_ACCESS_FLUSH_PERSISTENT;

	s->qp.access = all;
	s->qp.rd_max = 16;
	s->mpt.access = all | XROCE_ACCESS_LOCAL_WRITE;
	s->req.opcode = opcode;
	s->req.va = (SCENE_IOVA + 200) & ~7ull;
	s->req.payload = opcode == XROCE_RC_ATOMIC_WRITE ? 8 : 0;
	s->req.dmalen = opcode == XROCE_RC_ATOMIC_WRITE ? 8 : 64;
	s->req.pad = 0;
	s->req.swap = 0x1122334455667788;
	s->req.compare = 0x99aabbccddeeff00;
	s->req.flush = XROCE_FLUSH_GLOBAL;
	scene_put(s);
}

bool scene_requested(struct scene *s, uint8_t opcode)
{
	if (!scene_init(s))
		return false;
	scene_request(s, opcode);
	return !test_failed();
}

uint32_t scene_packets(const struct scene *s, uint32_t bytes)
{
	return bytes ? (bytes - 1) / s->qp.mtu + 1 : 1;
}

/* Whether the frame of the request has room for the READ response. */
static bool fits(const struct scene *s)
{
	uint32_t headers = 14 + 4 * s->req.vlans + (s->req.ipv6 ? 40 : 20) +
			   8 + 12 + 4;
	uint32_t bytes = (s->req.dmalen + 3) & ~3u;

	return s->req.dmalen <= s->qp.mtu &&
	       headers + bytes + XROCE_ICRC_LEN <= NATIVE_LINEAR;
}

static void answered(struct scene *s, struct xroce_stat *delta,
		     uint64_t orig)
{
	struct packet say = {
		.opcode = XROCE_RC_READ_RESPONSE_ONLY,
		.psn = s->req.psn,
		.syndrome = XROCE_SYN_ACK,
		.msn = s->qp.msn,
	};

	if (scene_is_atomic(s->req.opcode)) {
		say.opcode = XROCE_RC_ATOMIC_ACK;
		say.orig = orig;
	}
	if (s->req.opcode == XROCE_RC_READ_REQUEST) {
		say.payload = s->req.dmalen;
		say.pad = -s->req.dmalen & 3;
		delta->read = 1;
		delta->read_bytes = s->req.dmalen;
		if (!fits(s)) {
			delta->queued = 1;
			scene_compare(s, XDP_DROP, delta);
			return;
		}
	}
	scene_answered(s, delta, &say);
}

static void keep(struct scene *s)
{
	struct xroce_rd *r = &s->rd.rd[s->qp.rd_head];

	*r = (struct xroce_rd){
		.psn = s->req.psn,
		.last = s->req.psn,
		.opcode = s->req.opcode,
	};
	if (s->req.opcode == XROCE_RC_READ_REQUEST) {
		r->last = PSN(s->req.psn + scene_packets(s, s->req.dmalen) - 1);
		r->rkey = s->req.rkey;
		r->va = s->req.va;
		r->len = s->req.dmalen;
	}
	s->qp.rd_head = (s->qp.rd_head + 1) % s->qp.rd_max;
	if (s->qp.rd_count < s->qp.rd_max)
		s->qp.rd_count++;
}

void expect_kept(struct scene *s)
{
	uint32_t packets = 1;
	struct xroce_stat delta;

	if (!check(s->qp.rd_max, "no responder resources") || !scene_offer(s))
		return;
	delta = scene_admitted(s);
	if (s->req.opcode == XROCE_RC_READ_REQUEST)
		packets = scene_packets(s, s->req.dmalen);
	else if (s->req.opcode == XROCE_RC_FLUSH)
		delta.flush = 1;
	else
		delta.atomic = 1;
	keep(s);
	s->qp.epsn = PSN(s->qp.epsn + packets);
	s->qp.msn = PSN(s->qp.msn + 1);
	s->qp.nak_sent = 0;
	s->qp.packets++;
	answered(s, &delta, 0);
}

void expect_again(struct scene *s, uint64_t orig)
{
	struct xroce_stat delta;

	if (!scene_offer(s))
		return;
	delta = scene_admitted(s);
	delta.duplicate = 1;
	s->qp.duplicates++;
	answered(s, &delta, orig);
}

void expect_not_inside(struct scene *s)
{
	struct packet req = s->req;

	s->req.opcode = XROCE_RC_WRITE_FIRST;
	s->req.payload = s->qp.mtu;
	s->req.dmalen = 2 * s->qp.mtu;
	expect_write(s);
	s->req = req;
	s->req.psn++;
	expect_nak(s, XROCE_CAUSE_INV_ORDER);
}

void expect_not_kept(const struct scene *fresh)
{
	struct scene s = *fresh;

	s.qp.rd_max = 0;
	expect_refused(&s, XROCE_CAUSE_INV_RESOURCES);
	s.qp.rd_max = 1;
	expect_accepted(&s);
}
