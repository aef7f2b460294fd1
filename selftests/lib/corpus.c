// SPDX-License-Identifier: GPL-2.0-only
#include "corpus.h"
#include "counters.h"
#include "harness.h"

#define MTU	CORPUS_MTU
#define END	CORPUS_LENGTH
#define UNKNOWN	0x1b	/* reserved (IBTA table 35) */
#define UC	XROCE_QPT_UC
#define UD	XROCE_QPT_UD

#define ROW(name, op, moves, ...) \
	{ name, .opcode = XROCE_RC_##op, .counter = COUNTER(moves), __VA_ARGS__ }

const struct corpus_seed corpus[] = {
	ROW("write", WRITE_ONLY, write, .dmalen = 64, .payload = 64),
	ROW("write_empty", WRITE_ONLY, write),
	ROW("write_empty_key", WRITE_ONLY, write, .key = 1),
	ROW("write_first", WRITE_FIRST, write, .dmalen = END, .payload = MTU),
	ROW("write_last_byte", WRITE_ONLY, write, .va = END - 1, .dmalen = 1,
	    .payload = 1),
	ROW("write_beyond", WRITE_ONLY, acc_bounds, .va = END - 1, .dmalen = 2,
	    .payload = 2),
	ROW("write_before", WRITE_ONLY, acc_bounds, .va = -1, .dmalen = 2,
	    .payload = 2),
	ROW("write_begins_at_end", WRITE_ONLY, acc_bounds, .va = END,
	    .dmalen = 1, .payload = 1),
	ROW("write_rest_beyond", WRITE_FIRST, acc_bounds, .va = 1,
	    .dmalen = END, .payload = MTU),
	ROW("write_largest", WRITE_FIRST, acc_bounds, .dmalen = XROCE_MAX_MSG,
	    .payload = MTU),
	ROW("write_too_large", WRITE_FIRST, inv_length,
	    .dmalen = XROCE_MAX_MSG + 1, .payload = MTU),
	ROW("write_all_ones", WRITE_FIRST, inv_length, .dmalen = -1u,
	    .payload = MTU),
	ROW("write_key", WRITE_ONLY, acc_key, .key = 1, .dmalen = 1,
	    .payload = 1),
	ROW("write_index", WRITE_ONLY, acc_key, .key = 0x80000000, .dmalen = 1,
	    .payload = 1),
	ROW("write_shorter", WRITE_ONLY, inv_length, .dmalen = 64,
	    .payload = 60),
	ROW("write_longer", WRITE_ONLY, inv_length, .dmalen = 64, .payload = 68),
	ROW("write_no_pad", WRITE_ONLY, inv_length, .dmalen = 5, .payload = 5,
	    .pad = 1),
	ROW("write_pad_alone", WRITE_ONLY, inv_length, .dmalen = 4, .pad = 4),
	ROW("write_first_alone", WRITE_FIRST, inv_length, .dmalen = MTU,
	    .payload = MTU),
	ROW("write_middle", WRITE_MIDDLE, inv_order, .payload = MTU),
	ROW("write_last", WRITE_LAST, inv_order, .payload = 4),
	ROW("write_imm", WRITE_ONLY_IMM, write, .dmalen = 4, .payload = 4),
	ROW("write_imm_empty", WRITE_ONLY_IMM, write),
	ROW("read", READ_REQUEST, read, .dmalen = 64),
	ROW("read_all", READ_REQUEST, read, .dmalen = END),
	ROW("read_empty_key", READ_REQUEST, read, .key = 1),
	ROW("read_beyond", READ_REQUEST, acc_bounds, .va = 1, .dmalen = END),
	ROW("read_largest", READ_REQUEST, acc_bounds, .dmalen = XROCE_MAX_MSG),
	ROW("read_too_large", READ_REQUEST, inv_length, .dmalen = -1u),
	ROW("read_payload", READ_REQUEST, inv_length, .dmalen = 4,
	    .payload = 4),
	ROW("cmp_swap", CMP_SWAP, atomic),
	ROW("cmp_swap_odd", CMP_SWAP, inv_align, .va = 4),
	ROW("fetch_add_last", FETCH_ADD, atomic, .va = END - 8),
	ROW("fetch_add_beyond", FETCH_ADD, acc_bounds, .va = END),
	ROW("fetch_add_payload", FETCH_ADD, inv_length, .payload = 8),
	ROW("atomic_write", ATOMIC_WRITE, atomic, .dmalen = 8, .payload = 8),
	ROW("atomic_write_four", ATOMIC_WRITE, inv_length, .dmalen = 4,
	    .payload = 4),
	ROW("flush", FLUSH, flush, .dmalen = 64, .flush = 1),
	ROW("flush_region", FLUSH, flush, .va = -1, .dmalen = 64,
	    .flush = 0x11),
	ROW("flush_nothing", FLUSH, inv_length, .dmalen = 64),
	ROW("flush_persistent", FLUSH, inv_qp_access, .dmalen = 64,
	    .flush = 3),
	ROW("send", SEND_ONLY, send, .payload = 64),
	ROW("send_empty", SEND_ONLY, send),
	ROW("send_first", SEND_FIRST, send, .payload = MTU),
	ROW("send_first_short", SEND_FIRST, inv_length, .payload = MTU - 4),
	ROW("send_longer", SEND_ONLY, inv_length, .payload = MTU + 4),
	ROW("send_last", SEND_LAST, inv_order, .payload = 4),
	ROW("send_imm", SEND_ONLY_IMM, send, .payload = 3),
	ROW("send_inv_region", SEND_ONLY_INV, acc_key),
	ROW("again", WRITE_ONLY, duplicate, .psn = -1, .dmalen = 4,
	    .payload = 4),
	ROW("again_half", WRITE_ONLY, duplicate, .psn = -0x800000,
	    .dmalen = 4, .payload = 4),
	ROW("again_read", READ_REQUEST, drop_psn, .psn = -1, .dmalen = 4),
	{ "again_unknown", .opcode = UNKNOWN, .psn = -1,
	  .counter = COUNTER(drop_psn) },
	ROW("ahead", WRITE_ONLY, nak_seq, .psn = 1, .dmalen = 4, .payload = 4),
	ROW("ahead_half", WRITE_ONLY, nak_seq, .psn = 0x7fffff, .dmalen = 4,
	    .payload = 4),
	{ "unknown", .opcode = UNKNOWN, .counter = COUNTER(inv_opcode) },
	ROW("ack", ACK, drop_opcode),
	ROW("response", READ_RESPONSE_ONLY, drop_opcode, .payload = 64),
	{ "cnp", .opcode = XROCE_OP_CNP, .payload = XROCE_CNP_LEN,
	  .counter = COUNTER(cnp_rx) },
	{ "cnp_short", .opcode = XROCE_OP_CNP, .payload = XROCE_CNP_LEN - 4,
	  .counter = COUNTER(drop_opcode) },
	{ "sack", .opcode = XROCE_OP_SACK, .counter = COUNTER(drop_opcode) },
	{ "service", .opcode = XROCE_OP_SERVICE,
	  .counter = COUNTER(drop_opcode) },
	ROW("uc_write", WRITE_ONLY, write, .type = UC, .dmalen = 64,
	    .payload = 64),
	ROW("uc_write_beyond", WRITE_ONLY, acc_bounds, .type = UC, .va = END,
	    .dmalen = 4, .payload = 4),
	ROW("uc_write_gap", WRITE_FIRST, write, .type = UC, .psn = 5,
	    .dmalen = END, .payload = MTU),
	ROW("uc_middle", WRITE_MIDDLE, inv_order, .type = UC, .payload = MTU),
	ROW("uc_send", SEND_ONLY, send, .type = UC, .payload = 64),
	ROW("uc_send_inv", SEND_ONLY_INV, drop_opcode, .type = UC),
	ROW("uc_read", READ_REQUEST, drop_opcode, .type = UC, .dmalen = 4),
	ROW("ud_send", SEND_ONLY, send, .type = UD, .payload = 64),
	ROW("ud_send_imm", SEND_ONLY_IMM, send, .type = UD, .payload = 7),
	ROW("ud_longer", SEND_ONLY, inv_length, .type = UD,
	    .payload = MTU + 4),
	ROW("ud_qkey", SEND_ONLY, drop_qkey, .type = UD, .qkey = 1),
	ROW("ud_first", SEND_FIRST, drop_opcode, .type = UD, .payload = MTU),
	ROW("ud_write", WRITE_ONLY, drop_opcode, .type = UD),
};

const size_t corpus_count = ARRAY_SIZE(corpus);

void corpus_packet(size_t n, const struct xroce_qp *qp,
		   const struct xroce_mpt *mpt, struct packet *req)
{
	const struct corpus_seed *s = &corpus[n];

	req->opcode = s->opcode;
	if (s->type == UC)
		req->opcode |= XROCE_OP_UC;
	if (s->type == UD)
		req->opcode |= XROCE_OP_UD;
	req->psn = (qp->epsn + s->psn) & XROCE_PSN_MASK;
	req->va = mpt->iova + s->va;
	req->rkey = mpt->key ^ s->key;
	req->imm = mpt->key ^ s->key;
	req->qkey = qp->qkey ^ s->qkey;
	req->dmalen = s->dmalen;
	req->payload = s->payload;
	req->pad = s->pad ? s->pad - 1u : -s->payload & 3;
	req->flush = s->flush;
}
