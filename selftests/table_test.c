// SPDX-License-Identifier: GPL-2.0-only
/*
 * Opcode, error, answer: each row is run for each opcode that it is about, and
 * printed when it has been. Clauses are those of InfiniBand volume 1, with annex
 * 17 (RoCEv2) and annex 19 (FLUSH, ATOMIC WRITE).
 */
#include <stdio.h>

#include "harness.h"
#include "scene.h"

enum op {
	SEND_FIRST, SEND_MIDDLE, SEND_LAST, SEND_ONLY,
	WRITE_FIRST, WRITE_MIDDLE, WRITE_LAST, WRITE_ONLY,
	WRITE_LAST_IMM, WRITE_ONLY_IMM,
	READ, CMP_SWAP, FETCH_ADD, ATOMIC_WRITE, FLUSH, RESERVED, OPS,
};

static const struct {
	const char *name;
	uint8_t opcode;
	uint32_t right;
} ops[OPS] = {
	[SEND_FIRST] = { "SEND_FIRST", XROCE_RC_SEND_FIRST },
	[SEND_MIDDLE] = { "SEND_MIDDLE", XROCE_RC_SEND_MIDDLE },
	[SEND_LAST] = { "SEND_LAST", XROCE_RC_SEND_LAST },
	[SEND_ONLY] = { "SEND_ONLY", XROCE_RC_SEND_ONLY },
	[WRITE_FIRST] = { "WRITE_FIRST", XROCE_RC_WRITE_FIRST,
			  XROCE_ACCESS_REMOTE_WRITE },
	[WRITE_MIDDLE] = { "WRITE_MIDDLE", XROCE_RC_WRITE_MIDDLE,
			   XROCE_ACCESS_REMOTE_WRITE },
	[WRITE_LAST] = { "WRITE_LAST", XROCE_RC_WRITE_LAST,
			 XROCE_ACCESS_REMOTE_WRITE },
	[WRITE_ONLY] = { "WRITE_ONLY", XROCE_RC_WRITE_ONLY,
			 XROCE_ACCESS_REMOTE_WRITE },
	[WRITE_LAST_IMM] = { "WRITE_LAST_IMM", XROCE_RC_WRITE_LAST_IMM,
			     XROCE_ACCESS_REMOTE_WRITE },
	[WRITE_ONLY_IMM] = { "WRITE_ONLY_IMM", XROCE_RC_WRITE_ONLY_IMM,
			     XROCE_ACCESS_REMOTE_WRITE },
	[READ] = { "READ", XROCE_RC_READ_REQUEST, XROCE_ACCESS_REMOTE_READ },
	[CMP_SWAP] = { "CMP_SWAP", XROCE_RC_CMP_SWAP,
		       XROCE_ACCESS_REMOTE_ATOMIC },
	[FETCH_ADD] = { "FETCH_ADD", XROCE_RC_FETCH_ADD,
			XROCE_ACCESS_REMOTE_ATOMIC },
	[ATOMIC_WRITE] = { "ATOMIC_WRITE", XROCE_RC_ATOMIC_WRITE,
			   XROCE_ACCESS_REMOTE_WRITE },
	[FLUSH] = { "FLUSH", XROCE_RC_FLUSH, XROCE_ACCESS_FLUSH_GLOBAL },
	[RESERVED] = { "reserved", 0x15 },
};

#define OP(n)		(1u << (n))
#define ALL		(OP(OPS) - 1)
#define SENDS		(OP(SEND_FIRST) | OP(SEND_MIDDLE) | OP(SEND_LAST) | \
			 OP(SEND_ONLY))
#define BEGIN		(OP(WRITE_FIRST) | OP(WRITE_ONLY) | KEPT)
#define GO_ON		(OP(WRITE_MIDDLE) | OP(WRITE_LAST))
#define ATOMICS		(OP(CMP_SWAP) | OP(FETCH_ADD) | OP(ATOMIC_WRITE))
#define KEPT		(ATOMICS | OP(READ) | OP(FLUSH))
#define IMMS		(OP(WRITE_LAST_IMM) | OP(WRITE_ONLY_IMM))
#define EXECUTED	(BEGIN | GO_ON)
#define NOT_FIRST	(OP(SEND_MIDDLE) | OP(SEND_LAST) | GO_ON | \
			 OP(WRITE_LAST_IMM))
#define NEW		(ALL & ~NOT_FIRST & ~OP(RESERVED))

static enum op op;		/* that the row is run for */

static void version(struct scene *s) { s->req.tver = 1; }
static void no_qp(struct scene *s) { s->req.dqpn ^= 0x400; }
static void reset(struct scene *s) { s->qp.state = XROCE_QPS_INIT; }
static void in_error(struct scene *s) { s->qp.state = XROCE_QPS_ERR; }
static void address(struct scene *s) { s->req.saddr[15] ^= 4; }
static void partition(struct scene *s) { s->req.pkey ^= 8; }
static void service(struct scene *s) { s->req.opcode |= XROCE_OP_UC; }
static void ahead(struct scene *s) { s->req.psn = s->qp.epsn + 2; }
static void behind(struct scene *s) { s->req.psn = s->qp.epsn - 1; }
static void qp_right(struct scene *s) { s->qp.access &= ~ops[op].right; }
static void none_kept(struct scene *s) { s->qp.rd_max = 0; }
static void too_long(struct scene *s) { s->req.payload += 4; }
static void max_msg(struct scene *s) { s->req.dmalen = XROCE_MAX_MSG + 1; }
static void align(struct scene *s) { s->req.va += 4; }
static void placement(struct scene *s) { s->req.flush = 0; }
static void selectivity(struct scene *s) { s->req.flush = 0x21; }
static void region_right(struct scene *s) { s->mpt.access &= ~ops[op].right; }
static void pd(struct scene *s) { s->mpt.pd++; }
static void nothing(struct scene *s) { (void)s; }

static void ahead_again(struct scene *s)
{
	ahead(s);
	s->qp.nak_sent = 1;
}

static void pad(struct scene *s)
{
	if (s->req.payload)
		s->req.payload--;	/* or it would only be shorter */
	s->req.pad = 1;
}

static void cut(struct scene *s)
{
	s->req.ip_adjust = -12;
	s->req.udp_adjust = -12;
}

/* Within a WRITE for those that begin, without one for those that go on. */
static void order(struct scene *s)
{
	if (OP(op) & NOT_FIRST) {
		s->qp.op = XROCE_QP_OP_NONE;
		return;
	}
	s->qp.op = XROCE_RC_WRITE_FIRST;
	s->qp.va = SCENE_IOVA;
	s->qp.rkey = SCENE_KEY;
	s->qp.resid = 64;
}

static void persistence(struct scene *s)
{
	s->req.flush = XROCE_FLUSH_PERSISTENT;
}

static void region_persistence(struct scene *s)
{
	persistence(s);
	s->qp.access |= XROCE_ACCESS_FLUSH_PERSISTENT;
}

/* Of a message that goes on, the queue pair keeps what the first said. */
static void key(struct scene *s)
{
	s->req.rkey ^= 1;
	s->qp.rkey ^= 1;
}

static void bounds(struct scene *s)
{
	s->mpt.length = 0x10;
	s->mpt.iova = (s->req.va & ~7ull) - 0x10;
}

static void no_bytes(struct scene *s)
{
	scene_payload(s, 0);
	s->req.rkey ^= 1;
}

/* One READ, atomic or FLUSH is kept: this one, or another behind it. */
static void kept(struct scene *s)
{
	behind(s);
	s->rd.rd[0] = (struct xroce_rd){
		.psn = s->req.psn,
		.last = s->req.psn,
		.opcode = s->req.opcode,
	};
	if (op == READ) {
		s->rd.rd[0].rkey = s->req.rkey;
		s->rd.rd[0].va = s->req.va;
		s->rd.rd[0].len = s->req.dmalen;
	}
	s->qp.rd_head = 1;
	s->qp.rd_count = 1;
}

static void forgotten(struct scene *s)
{
	kept(s);
	s->req.psn -= 1;
}

static void another(struct scene *s)
{
	kept(s);
	s->rd.rd[0].opcode = op == READ ? XROCE_RC_FLUSH :
					  XROCE_RC_READ_REQUEST;
}

enum answer { DROP, NAK_SEQ, NAK, RNR, ACK_LAST, AGAIN, DONE };

/**
 * struct row - an error
 * @cause: for the reader
 * @clause: where it is specified
 * @ops: opcodes that it is possible with
 * @make: make it, out of a request that is right
 * @answer: what must come of it
 * @arg: NAK: enum xroce_cause; DROP: COUNTER()
 */
static const struct row {
	const char *cause;
	const char *clause;
	uint32_t ops;
	void (*make)(struct scene *s);
	enum answer answer;
	size_t arg;
} rows[] = {
	{ "no error", "9.4", EXECUTED, nothing, DONE },
	{ "header version", "9.6", ALL, version, DROP, COUNTER(drop_tver) },
	{ "no such queue pair", "9.6", ALL, no_qp, DROP, COUNTER(drop_qpn) },
	{ "opcode of another service", "9.6", ALL, service, DROP,
	  COUNTER(drop_opcode) },
	{ "queue pair in INIT", "10.3.1", ALL, reset, DROP,
	  COUNTER(drop_state) },
	{ "queue pair in ERR", "10.3.1", ALL, in_error, DROP,
	  COUNTER(drop_error) },
	{ "not the peer's address", "9.6, A17", ALL, address, DROP,
	  COUNTER(drop_addr) },
	{ "partition", "9.6, 10.9.3", ALL, partition, DROP,
	  COUNTER(drop_pkey) },
	{ "PSN ahead", "9.7.1", ALL, ahead, NAK_SEQ },
	{ "PSN ahead, NAK is out", "9.7.1", ALL, ahead_again, DROP,
	  COUNTER(drop_psn) },
	{ "PSN behind", "C9-105", ALL & ~KEPT & ~OP(RESERVED), behind,
	  ACK_LAST },
	{ "PSN behind, kept", "9.7.5.1.2", KEPT, kept, AGAIN },
	{ "PSN behind, forgotten", "9.7.5.1.2", KEPT, forgotten, DROP,
	  COUNTER(drop_psn) },
	{ "PSN behind, another request's", "9.7.5.1.2", KEPT, another, DROP,
	  COUNTER(drop_psn) },
	{ "reserved opcode", "9.7.4.1", OP(RESERVED), nothing, NAK,
	  XROCE_CAUSE_INV_OPCODE },
	{ "first within a message", "9.7.4.1", NEW, order, NAK,
	  XROCE_CAUSE_INV_ORDER },
	{ "no first before it", "9.7.4.1", NOT_FIRST, order, NAK,
	  XROCE_CAUSE_INV_ORDER },
	{ "queue pair lacks the right", "9.7.4.1", EXECUTED | IMMS, qp_right,
	  NAK, XROCE_CAUSE_INV_QP_ACCESS },
	{ "persistence, queue pair lacks it", "A19", OP(FLUSH), persistence,
	  NAK, XROCE_CAUSE_INV_QP_ACCESS },
	{ "no responder resources", "9.7.4.1", KEPT, none_kept, NAK,
	  XROCE_CAUSE_INV_RESOURCES },
	{ "payload too long", "9.7.4.1", EXECUTED | IMMS, too_long, NAK,
	  XROCE_CAUSE_INV_LENGTH },
	{ "pad", "9.7.4.1", EXECUTED & ~OP(WRITE_ONLY) & ~OP(WRITE_LAST), pad,
	  NAK, XROCE_CAUSE_INV_LENGTH },
	{ "headers or payload too short", "9.7.4.1", EXECUTED | IMMS, cut, NAK,
	  XROCE_CAUSE_INV_LENGTH },
	{ "RETH of more than 2^31 bytes", "C9-94",
	  OP(WRITE_FIRST) | OP(WRITE_ONLY) | OP(WRITE_ONLY_IMM) | OP(READ) |
	  OP(ATOMIC_WRITE) | OP(FLUSH), max_msg, NAK, XROCE_CAUSE_INV_LENGTH },
	{ "no placement", "A19", OP(FLUSH), placement, NAK,
	  XROCE_CAUSE_INV_LENGTH },
	{ "reserved selectivity", "A19", OP(FLUSH), selectivity, NAK,
	  XROCE_CAUSE_INV_LENGTH },
	{ "address not aligned", "9.4.5, A19", ATOMICS, align, NAK,
	  XROCE_CAUSE_INV_ALIGN },
	{ "no such key", "9.7.4.1.3", EXECUTED, key, NAK,
	  XROCE_CAUSE_ACC_KEY },
	{ "no such key, no bytes", "C9-88", OP(READ) | OP(WRITE_ONLY),
	  no_bytes, DONE },
	{ "protection domain", "9.7.4.1.3", EXECUTED, pd, NAK,
	  XROCE_CAUSE_ACC_PD },
	{ "region lacks the right", "9.7.4.1.3", EXECUTED, region_right, NAK,
	  XROCE_CAUSE_ACC_RIGHT },
	{ "persistence, region lacks it", "oA19-13", OP(FLUSH),
	  region_persistence, NAK, XROCE_CAUSE_ACC_RIGHT },
	{ "outside the region", "9.7.4.1.3", EXECUTED, bounds, NAK,
	  XROCE_CAUSE_ACC_BOUNDS },
	{ "no receive request", "9.7.5.2.8",
	  OP(SEND_FIRST) | OP(SEND_ONLY) | IMMS, nothing, RNR },
};

/* A request that is right, in the state that it needs. */
static bool stage(struct scene *s)
{
	if (!scene_init(s))
		return false;
	scene_request(s, ops[op].opcode);
	if (scene_is_kept(ops[op].opcode))
		return true;
	s->req.va = SCENE_IOVA + 200;
	scene_payload(s, 64);
	if (op == WRITE_FIRST || op == WRITE_MIDDLE) {
		scene_payload(s, 1024);
		s->req.dmalen = 2048;
	}
	if (OP(op) & NOT_FIRST && !(OP(op) & SENDS)) {
		s->qp.op = XROCE_RC_WRITE_FIRST;
		s->qp.va = s->req.va;
		s->qp.rkey = s->req.rkey;
		s->qp.resid = op == WRITE_MIDDLE ? 2048 : 64;
	}
	return true;
}

static const char *run(const struct row *row, struct scene *s)
{
	static char text[64];

	switch (row->answer) {
	case DROP:
		expect_drop(s, row->arg);
		return "dropped";
	case NAK_SEQ:
		expect_nak_seq(s);
		return "NAK 0x60, PSN expected";
	case NAK:
		expect_nak(s, row->arg);
		return row->arg < XROCE_CAUSE_ACC_KEY ?
		       "NAK 0x61, QP to error" : "NAK 0x62, QP to error";
	case RNR:
		expect_rnr(s);
		snprintf(text, sizeof(text), "RNR NAK %#x, QP stays",
			 XROCE_SYN_RNR | s->qp.min_rnr_timer);
		return text;
	case ACK_LAST:
		expect_duplicate(s);
		return "ACK of the last PSN, not executed";
	case AGAIN:
		expect_again(s, 0);
		return op == READ ? "READ again" : "answered, not executed";
	case DONE:
		if (scene_is_kept(s->req.opcode))
			expect_kept(s);
		else
			expect_write(s);
		return "executed";
	}
	return "?";
}

static void table(enum op which)
{
	const char *answer;
	struct scene s;
	size_t i;

	op = which;
	for (i = 0; i < ARRAY_SIZE(rows) && !test_failed(); i++) {
		const struct row *row = &rows[i];

		if (!(row->ops & OP(op)))
			continue;
		if (!stage(&s))
			return;
		row->make(&s);
		scene_put(&s);
		answer = run(row, &s);
		note("%-14s | %-33s | %-33s | %s%s", ops[op].name, row->cause,
		     answer, row->clause, test_failed() ? " | NOT SO" : "");
	}
}

#define TABLES(row)							\
	row(SEND_FIRST) row(SEND_MIDDLE) row(SEND_LAST) row(SEND_ONLY)	\
	row(WRITE_FIRST) row(WRITE_MIDDLE) row(WRITE_LAST)		\
	row(WRITE_ONLY) row(WRITE_LAST_IMM) row(WRITE_ONLY_IMM)		\
	row(READ) row(CMP_SWAP) row(FETCH_ADD) row(ATOMIC_WRITE)	\
	row(FLUSH) row(RESERVED)

#define FUNCTION(op)	static void table_##op(void) { table(op); }
#define TEST(op)	{ "table_" #op, "D2 D5 D6",			\
			  "every error of it, and its answer", table_##op },
TABLES(FUNCTION)
static const struct test tests[] = { TABLES(TEST) };

int main(int argc, char **argv)
{
	int status = harness_main(argc, argv, tests, ARRAY_SIZE(tests));

	native_close();
	return status;
}
