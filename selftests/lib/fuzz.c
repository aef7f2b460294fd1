// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include <sys/random.h>

#include "corpus.h"
#include "fuzz.h"
#include "harness.h"
#include "rng.h"
#include "setting.h"

void fuzz_begin(void)
{
	unsigned long seed;

	if (getrandom(&seed, sizeof(seed), 0) != sizeof(seed))
		seed = 1;
	seed = setting("XROCE_SEED", seed);
	note("XROCE_SEED=%#lx", seed);
	rng_seed(seed);
}

int fuzz_main(int argc, char **argv)
{
	fuzz_begin();
	return harness_main(argc, argv);
}

bool fuzz_once_in(uint32_t n)
{
	return !rng_below(n);
}

/* A step of either sign, often small, sometimes large. */
static int64_t nudge(void)
{
	static const int64_t steps[] = {
		1, 2, 3, 4, 64, 1024, 0x7fffff, 0x800000, 1ll << 31, 1ll << 32,
	};
	int64_t step = steps[rng_below(ARRAY_SIZE(steps))];

	return fuzz_once_in(2) ? step : -step;
}

/* Turn the WRITE in @req into a READ, atomic, ATOMIC WRITE or FLUSH. */
static void valid_kept(const struct xroce_mpt *mpt, struct packet *req)
{
	static const uint8_t ops[] = {
		XROCE_RC_READ_REQUEST, XROCE_RC_READ_REQUEST,
		XROCE_RC_CMP_SWAP, XROCE_RC_FETCH_ADD, XROCE_RC_ATOMIC_WRITE,
		XROCE_RC_FLUSH,
	};

	req->opcode = ops[rng_below(ARRAY_SIZE(ops))];
	req->payload = 0;
	req->flush = XROCE_FLUSH_GLOBAL | rng_below(2) << XROCE_FLUSH_SEL_SHIFT;
	req->swap = rng_next();
	req->compare = rng_next();
	if (req->opcode == XROCE_RC_READ_REQUEST ||
	    req->opcode == XROCE_RC_FLUSH)
		return;
	req->dmalen = 8;
	if (req->opcode == XROCE_RC_ATOMIC_WRITE)
		req->payload = 8;
	req->va = (mpt->iova + rng_next() % mpt->length) & ~7ull;
}

static void valid_write(const struct xroce_qp *qp, const struct xroce_mpt *mpt,
			struct packet *req)
{
	req->dmalen = rng_below(3 * qp->mtu);
	if (req->dmalen > mpt->length)
		req->dmalen = mpt->length;
	req->va = mpt->iova + rng_next() % (mpt->length - req->dmalen + 1);
	if (req->dmalen > qp->mtu) {
		req->payload = qp->mtu;
		req->opcode = XROCE_RC_WRITE_FIRST;
	} else {
		req->payload = req->dmalen;
		req->opcode = fuzz_once_in(4) ? XROCE_RC_WRITE_ONLY_IMM :
						XROCE_RC_WRITE_ONLY;
	}
}

static void valid_write_on(const struct xroce_qp *qp, struct packet *req)
{
	req->payload = qp->resid;
	req->opcode = fuzz_once_in(4) ? XROCE_RC_WRITE_LAST_IMM :
					XROCE_RC_WRITE_LAST;
	if (qp->resid > qp->mtu) {
		req->payload = qp->mtu;
		req->opcode = XROCE_RC_WRITE_MIDDLE;
	}
}

/* @on: continue a message in progress */
static void valid_send(const struct xroce_qp *qp, bool on, struct packet *req)
{
	static const uint8_t only[] = {
		XROCE_RC_SEND_ONLY, XROCE_RC_SEND_ONLY_IMM,
		XROCE_RC_SEND_ONLY_INV,
	};
	static const uint8_t last[] = {
		XROCE_RC_SEND_LAST, XROCE_RC_SEND_LAST_IMM,
		XROCE_RC_SEND_LAST_INV,
	};
	uint32_t kinds = qp->type == XROCE_QPT_RC ? 3 : 2;

	if (qp->type != XROCE_QPT_UD && fuzz_once_in(3)) {
		req->payload = qp->mtu;
		req->opcode = on ? XROCE_RC_SEND_MIDDLE : XROCE_RC_SEND_FIRST;
		return;
	}
	req->payload = on + rng_below(qp->mtu + 1 - on);
	req->opcode = (on ? last : only)[rng_below(kinds)];
}

void fuzz_valid(const struct xroce_qp *qp, const struct xroce_mpt *mpt,
		struct packet *req)
{
	*req = (struct packet){
		.dst_mac = { 2, 0, 0, 0, 0, 2 },
		.src_mac = { 2, 0, 0, 0, 0, 1 },
		.ipv6 = qp->ipv6,
		.ttl = 64,
		.frag = PACKET_IP_DF,
		.sport = 0xc000 | rng_below(0x4000),
		.dport = XROCE_UDP_PORT,
		.se = fuzz_once_in(4),
		.mig = true,
		.pkey = qp->pkey,
		.dqpn = qp->qpn,
		.ackreq = fuzz_once_in(2),
		.psn = qp->epsn,
		.rkey = mpt->key,
		.imm = mpt->key,
		.qkey = qp->qkey,
		.sqpn = rng_below(1 << 24),
		.pattern = rng_next(),
	};
	memcpy(req->saddr, qp->daddr, 16);
	memcpy(req->daddr, qp->saddr, 16);

	if (qp->op == XROCE_RC_WRITE_FIRST)
		valid_write_on(qp, req);
	else if (qp->op == XROCE_RC_SEND_FIRST)
		valid_send(qp, true, req);
	else if (qp->type == XROCE_QPT_UD || fuzz_once_in(4))
		valid_send(qp, false, req);
	else
		valid_write(qp, mpt, req);
	if (qp->op == XROCE_QP_OP_NONE && qp->type == XROCE_QPT_RC &&
	    fuzz_once_in(3))
		valid_kept(mpt, req);
	if (qp->type == XROCE_QPT_UC)
		req->opcode |= XROCE_OP_UC;
	if (qp->type == XROCE_QPT_UD)
		req->opcode |= XROCE_OP_UD;
	if (req->payload > 4096)
		req->payload = 4096;	/* the fields of @qp may have any value */
	req->pad = -req->payload & 3;
}

/* A selective acknowledgement, often whole, of whatever is kept or lost. */
static void change_sack(struct packet *req)
{
	static const uint32_t lost[] = { 0, 1, 5, 1023, 1024, 1025, 0x80000000, -1u };
	uint32_t i;

	req->opcode = XROCE_OP_SACK;
	req->syndrome = fuzz_once_in(4) ? rng_next() : XROCE_SYN_NAK_SEQ;
	req->sack_lost = lost[rng_below(ARRAY_SIZE(lost))];
	for (i = 0; i < ARRAY_SIZE(req->sack_bits); i++)
		req->sack_bits[i] = fuzz_once_in(2) ? rng_next() : 0;
	req->xth_cut = fuzz_once_in(4) ? rng_below(sizeof(struct xroce_sack) + 5) : 0;
	req->payload = fuzz_once_in(4) ? rng_below(64) : 0;
	req->pad = -req->payload & 3;
}

static void change_transport(struct packet *req)
{
	req->xth_cut = 0;
	switch (rng_below(20)) {
	case 0:
		req->opcode = rng_below(0x20) |
			      (req->opcode & XROCE_OP_SERVICE);
		break;
	case 1:
		req->opcode = rng_next();
		break;
	case 2:
		req->psn = (req->psn + nudge()) & XROCE_PSN_MASK;
		break;
	case 3:
		req->psn = (req->psn - 1 - rng_below(4)) & XROCE_PSN_MASK;
		break;
	case 4:
		req->rkey ^= 1u << rng_below(32);
		break;
	case 5:
		req->va += nudge();
		break;
	case 6:
		req->va = rng_next();
		break;
	case 7:
		req->dmalen += nudge();
		break;
	case 8:
		req->payload = fuzz_once_in(4) ? 0 : rng_below(4200);
		req->pad = -req->payload & 3;
		break;
	case 9:
		req->pad = rng_below(4);
		break;
	case 10:
		req->dqpn = fuzz_once_in(2) ? rng_below(1 << 24) :
					      req->dqpn ^ 1u << rng_below(24);
		break;
	case 11:
		req->opcode = (XROCE_RC_WRITE_FIRST + rng_below(6)) |
			      (req->opcode & XROCE_OP_SERVICE);
		break;
	case 12:
		req->opcode = XROCE_RC_CMP_SWAP + rng_below(11);
		break;
	case 13:
		req->flush = fuzz_once_in(4) ? rng_next() : rng_below(64);
		break;
	case 14:
		req->opcode = XROCE_OP_CNP;
		req->payload = fuzz_once_in(4) ? rng_below(32) : 16;
		req->pad = -req->payload & 3;
		break;
	case 15:
		req->imm ^= 1u << rng_below(32);
		break;
	case 16:
		req->qkey ^= 1u << rng_below(32);
		break;
	case 17:
		req->opcode ^= 0x20u << rng_below(3);
		break;
	case 18:
		change_sack(req);
		break;
	case 19:
		req->sack = fuzz_once_in(2);
		req->again = fuzz_once_in(2);
		break;
	}
}

static void change_envelope(struct packet *req)
{
	switch (rng_below(16)) {
	case 0:
		req->tver = rng_below(16);
		break;
	case 1:
		req->pkey ^= 1u << rng_below(16);
		break;
	case 2:
		req->saddr[rng_below(16)] ^= 1u << rng_below(8);
		break;
	case 3:
		req->daddr[rng_below(16)] ^= 1u << rng_below(8);
		break;
	case 4:
		req->ip_adjust = nudge();
		break;
	case 5:
		req->udp_adjust = nudge();
		break;
	case 6:
		req->ip_adjust = nudge();
		req->udp_adjust = req->ip_adjust;
		break;
	case 7:
		req->frag = rng_next();
		break;
	case 8:
		req->ip_options = rng_below(11);
		break;
	case 9:
		req->vlans = 1 + rng_below(PACKET_VLANS);
		req->vlan[0].tpid = 0x88a8;
		req->vlan[0].tci = rng_next();
		req->vlan[1].tpid = 0x8100;
		req->vlan[1].tci = rng_next();
		break;
	case 10:
		req->trailer = rng_below(64);
		break;
	case 11:
		req->ipv6 = !req->ipv6;
		break;
	case 12:
		req->ip_csum_flip = rng_next();
		break;
	case 13:
		req->ip6_ext = true;
		req->ip6_ext_type = rng_next();
		break;
	case 14:
		req->tos = rng_next();
		break;
	case 15:
		req->icrc_flip = 1u << rng_below(32);
		break;
	}
}

void fuzz_packet(const struct xroce_qp *qp, const struct xroce_mpt *mpt,
		 struct packet *req)
{
	uint32_t changes = rng_below(4);

	fuzz_valid(qp, mpt, req);
	if (fuzz_once_in(4))
		corpus_packet(rng_below(corpus_count), qp, mpt, req);
	while (changes--) {
		if (fuzz_once_in(3))
			change_envelope(req);
		else
			change_transport(req);
	}
}

void fuzz_frame(struct frame *frame)
{
	uint32_t headers = frame->data + 4;
	uint32_t flips;

	if (!fuzz_once_in(4))
		return;
	for (flips = rng_below(4); flips; flips--)
		frame->bytes[rng_below(headers)] ^= 1u << rng_below(8);
	if (fuzz_once_in(4))
		frame->len = rng_below(frame->len);
}
