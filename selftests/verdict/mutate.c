// SPDX-License-Identifier: GPL-2.0-only
#include "mutate.h"
#include "table.h"

#define PSN(n)	((n) & XROCE_PSN_MASK)

void mutate_none(struct scene *s) { (void)s; }
void mutate_no_ack(struct scene *s) { s->req.ackreq = false; }

void mutate_frame_cut(struct scene *s) { s->cut = 4; }
void mutate_checksum(struct scene *s) { s->req.ip_csum_flip = 0x10; }
void mutate_version(struct scene *s) { s->req.tver = 1; }
void mutate_no_qp(struct scene *s) { s->req.dqpn ^= 0x400; }
void mutate_reset(struct scene *s) { s->qp.state = XROCE_QPS_RESET; }
void mutate_init(struct scene *s) { s->qp.state = XROCE_QPS_INIT; }
void mutate_rtr(struct scene *s) { s->qp.state = XROCE_QPS_RTR; }
void mutate_rts(struct scene *s) { s->qp.state = XROCE_QPS_RTS; }
void mutate_sqd(struct scene *s) { s->qp.state = XROCE_QPS_SQD; }
void mutate_err(struct scene *s) { s->qp.state = XROCE_QPS_ERR; }
void mutate_refused(struct scene *s) { s->qp.error = XROCE_CAUSE_ACC_KEY; }
void mutate_saddr(struct scene *s) { s->req.saddr[15] ^= 4; }
void mutate_daddr(struct scene *s) { s->req.daddr[15] ^= 4; }
void mutate_pkey(struct scene *s) { s->req.pkey ^= 8; }
void mutate_qkey(struct scene *s) { s->req.qkey ^= 1; }

void mutate_ahead(struct scene *s) { s->req.psn = PSN(s->qp.epsn + 2); }
void mutate_behind(struct scene *s) { s->req.psn = PSN(s->qp.epsn - 1); }
void mutate_no_first(struct scene *s) { s->qp.op = XROCE_QP_OP_NONE; }

void mutate_longer(struct scene *s) { s->req.payload += 4; }
void mutate_shorter(struct scene *s) { s->req.payload -= 4; }
void mutate_max_msg(struct scene *s) { s->req.dmalen = XROCE_MAX_MSG + 1; }
void mutate_not_eight(struct scene *s) { s->req.dmalen = 16; }

void mutate_qp_rights(struct scene *s) { s->qp.access = 0; }
void mutate_qp_right(struct scene *s) { s->qp.access &= ~table_right(); }
void mutate_no_resources(struct scene *s) { s->qp.rd_max = 0; }
void mutate_no_recv(struct scene *s) { s->qp.recv = 0; }
void mutate_align(struct scene *s) { s->req.va += 4; }
void mutate_invalid(struct scene *s) { s->mpt.state = XROCE_MPT_FREE; }
void mutate_pd(struct scene *s) { s->mpt.pd++; }
void mutate_region_right(struct scene *s) { s->mpt.access &= ~table_right(); }
void mutate_invalidate(struct scene *s) { s->req.imm = SCENE_KEY; }

void mutate_placement(struct scene *s) { s->req.flush = 0; }

static void lengths(struct scene *s, int by)
{
	s->req.ip_adjust = by;
	s->req.udp_adjust = by;
}

void mutate_bth_cut(struct scene *s)
{
	scene_payload(s, 0);
	lengths(s, -4 - (int)packet_xth_len(s->req.opcode));
}

void mutate_service(struct scene *s)
{
	s->req.opcode ^= XROCE_OP_RD;
}

void mutate_limited(struct scene *s)
{
	s->qp.pkey = 0x7fff;
	s->req.pkey = 0x7fff;
}

void mutate_ahead_again(struct scene *s)
{
	mutate_ahead(s);
	s->qp.nak_sent = 1;
}

void mutate_behind_no_ack(struct scene *s)
{
	mutate_behind(s);
	mutate_no_ack(s);
}

/* The key of a duplicate WRITE is not checked. */
void mutate_behind_key(struct scene *s)
{
	mutate_behind(s);
	s->req.rkey ^= 1;
}

/* Keep a READ, atomic or FLUSH with the PSN before the expected one. */
static struct xroce_rd *keep(struct scene *s, uint8_t opcode)
{
	struct xroce_rd *r = &s->rd.rd[0];

	*r = (struct xroce_rd){
		.psn = PSN(s->qp.epsn - 1),
		.last = PSN(s->qp.epsn - 1),
		.opcode = opcode,
	};
	if (opcode == XROCE_RC_READ_REQUEST) {
		r->rkey = s->req.rkey;
		r->va = s->req.va;
		r->len = s->req.dmalen;
	}
	s->qp.rd_max = 16;
	s->qp.rd_head = 1;
	s->qp.rd_count = 1;
	return r;
}

void mutate_behind_read(struct scene *s)
{
	keep(s, XROCE_RC_READ_REQUEST);
	s->req.psn = PSN(s->qp.epsn - 2);
}

void mutate_kept(struct scene *s)
{
	mutate_behind(s);
	keep(s, s->req.opcode);
}

/* The request is the rest of a kept READ that has one more packet before it. */
void mutate_kept_rest(struct scene *s)
{
	struct xroce_rd *r;

	mutate_kept(s);
	r = &s->rd.rd[0];
	r->psn = PSN(r->psn - 1);
	r->va -= s->qp.mtu;
	r->len += s->qp.mtu;
	s->mpt.iova -= s->qp.mtu;
}

void mutate_forgotten(struct scene *s)
{
	mutate_kept(s);
	s->req.psn = PSN(s->req.psn - 1);
}

void mutate_another(struct scene *s)
{
	mutate_behind(s);
	keep(s, table_op == READ ? XROCE_RC_FLUSH : XROCE_RC_READ_REQUEST);
}

void mutate_kept_key(struct scene *s)
{
	mutate_kept(s);
	s->req.rkey ^= 1;
}

void mutate_kept_longer(struct scene *s)
{
	mutate_kept(s);
	s->req.dmalen++;
}

void mutate_kept_right(struct scene *s)
{
	mutate_kept(s);
	mutate_region_right(s);
}

void mutate_in_write(struct scene *s)
{
	s->qp.op = XROCE_RC_WRITE_FIRST;
	s->qp.va = SCENE_IOVA;
	s->qp.rkey = SCENE_KEY;
	s->qp.resid = 64;
	s->qp.length = 2048;
}

void mutate_in_send(struct scene *s)
{
	s->qp.op = XROCE_RC_SEND_FIRST;
}

void mutate_headers_cut(struct scene *s)
{
	s->req.payload = 0;
	s->req.pad = 0;
	lengths(s, -4);
}

/* Payload and RETH length agree. */
void mutate_over_mtu(struct scene *s)
{
	scene_payload(s, s->qp.mtu + 4);
	s->qp.resid = s->req.dmalen;
}

void mutate_empty(struct scene *s)
{
	s->req.payload = 0;
}

void mutate_full_pad(struct scene *s)
{
	if (s->req.payload) {
		s->req.payload--;	/* the packet keeps its length */
		s->req.pad = 1;
	} else {
		s->req.pad = 1;
		lengths(s, -1);		/* the pad count without the pad byte */
	}
}

void mutate_right_pad(struct scene *s)
{
	scene_payload(s, 61);
	s->qp.resid = 61;
}

/* The pad count without the pad byte, which would make the length of the packet odd. */
void mutate_pad_alone(struct scene *s)
{
	scene_payload(s, 0);
	s->qp.resid = 0;
	s->req.pad = 1;
	lengths(s, -1);
}

void mutate_odd(struct scene *s)
{
	mutate_right_pad(s);
	s->req.pad = 0;
}

/* A packet as long as the path MTU, after which the message has no bytes left. */
void mutate_ends_early(struct scene *s)
{
	s->req.dmalen = s->qp.mtu;
	s->qp.resid = s->qp.mtu;
}

/* For a message in progress, the queue pair has the key of its first packet. */
static void other_key(struct scene *s, uint32_t bit)
{
	s->req.rkey ^= bit;
	s->qp.rkey ^= bit;
}

void mutate_key(struct scene *s)
{
	other_key(s, 1);
}

void mutate_index(struct scene *s)
{
	other_key(s, 1 << XROCE_KEY_SHIFT);
}

void mutate_no_bytes(struct scene *s)
{
	scene_payload(s, 0);
}

void mutate_no_bytes_key(struct scene *s)
{
	mutate_no_bytes(s);
	s->req.rkey ^= 1;
}

/* The region begins one byte after the start of the access, or ends one byte before its end. */
void mutate_below(struct scene *s)
{
	s->mpt.iova = s->req.va + 1;
}

void mutate_above(struct scene *s)
{
	uint32_t len = OP(table_op) & EIGHT ? 8 : s->req.dmalen;

	s->mpt.iova = s->req.va - 8;
	s->mpt.length = 8 + len - 1;
}

/* The access passes 2^64, into a region that begins at 0. */
void mutate_wraps(struct scene *s)
{
	s->req.va = -8ull;
	s->qp.va = -8ull;
	s->mpt.iova = 0;
}

static void window(struct scene *s, enum xroce_mpt_type type)
{
	s->mpt.type = type;
	s->mpt.qpn = type == XROCE_MPT_MW_1 ? 0 : s->qp.qpn;
	s->req.imm = SCENE_KEY;
}

void mutate_window_1(struct scene *s)
{
	window(s, XROCE_MPT_MW_1);
}

void mutate_window_2a(struct scene *s)
{
	window(s, XROCE_MPT_MW_2A);
}

void mutate_window_2b(struct scene *s)
{
	window(s, XROCE_MPT_MW_2B);
}

void mutate_window_2a_pd(struct scene *s)
{
	window(s, XROCE_MPT_MW_2A);
	mutate_pd(s);
}

void mutate_window_2b_pd(struct scene *s)
{
	window(s, XROCE_MPT_MW_2B);
	mutate_pd(s);
}

void mutate_window_2a_qp(struct scene *s)
{
	window(s, XROCE_MPT_MW_2A);
	s->mpt.qpn++;
}

void mutate_window_2b_qp(struct scene *s)
{
	window(s, XROCE_MPT_MW_2B);
	s->mpt.qpn++;
}

void mutate_selectivity(struct scene *s)
{
	s->req.flush |= 2 << XROCE_FLUSH_SEL_SHIFT;
}

void mutate_persistence(struct scene *s)
{
	s->req.flush = XROCE_FLUSH_PERSISTENT;
}

void mutate_region_persistence(struct scene *s)
{
	mutate_persistence(s);
	s->qp.access |= XROCE_ACCESS_FLUSH_PERSISTENT;
}

/* The range is ignored. */
void mutate_whole_region(struct scene *s)
{
	s->req.flush |= XROCE_FLUSH_SEL_MR << XROCE_FLUSH_SEL_SHIFT;
	s->req.va = 0;
	s->req.dmalen = 8;
}
