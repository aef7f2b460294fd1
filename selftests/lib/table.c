// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "table.h"

#define QKEY	0x01020304u

static const struct {
	const char *name;
	uint8_t opcode;
	uint32_t right;
} ops[OPS] = {
	[SEND_FIRST] = { "SEND_FIRST", XROCE_RC_SEND_FIRST },
	[SEND_MIDDLE] = { "SEND_MIDDLE", XROCE_RC_SEND_MIDDLE },
	[SEND_LAST] = { "SEND_LAST", XROCE_RC_SEND_LAST },
	[SEND_LAST_IMM] = { "SEND_LAST_IMM", XROCE_RC_SEND_LAST_IMM },
	[SEND_LAST_INV] = { "SEND_LAST_INV", XROCE_RC_SEND_LAST_INV },
	[SEND_ONLY] = { "SEND_ONLY", XROCE_RC_SEND_ONLY },
	[SEND_ONLY_IMM] = { "SEND_ONLY_IMM", XROCE_RC_SEND_ONLY_IMM },
	[SEND_ONLY_INV] = { "SEND_ONLY_INV", XROCE_RC_SEND_ONLY_INV },
	[WRITE_FIRST] = { "WRITE_FIRST", XROCE_RC_WRITE_FIRST,
			  XROCE_ACCESS_REMOTE_WRITE },
	[WRITE_MIDDLE] = { "WRITE_MIDDLE", XROCE_RC_WRITE_MIDDLE,
			   XROCE_ACCESS_REMOTE_WRITE },
	[WRITE_LAST] = { "WRITE_LAST", XROCE_RC_WRITE_LAST,
			 XROCE_ACCESS_REMOTE_WRITE },
	[WRITE_LAST_IMM] = { "WRITE_LAST_IMM", XROCE_RC_WRITE_LAST_IMM,
			     XROCE_ACCESS_REMOTE_WRITE },
	[WRITE_ONLY] = { "WRITE_ONLY", XROCE_RC_WRITE_ONLY,
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
	[RESPONSE] = { "response", XROCE_RC_READ_RESPONSE_ONLY },
};

static const char *const services[] = {
	[XROCE_QPT_RC] = "RC", [XROCE_QPT_UC] = "UC", [XROCE_QPT_UD] = "UD",
};

enum op table_op;

uint32_t table_right(void)
{
	return ops[table_op].right;
}

uint8_t table_opcode(enum op op)
{
	return ops[op].opcode;
}

/* Set up the message in progress that the request continues. */
static void begun(struct scene *s)
{
	bool send = OP(table_op) & SENDS;

	s->qp.op = send ? XROCE_RC_SEND_FIRST : XROCE_RC_WRITE_FIRST;
	if (send)
		return;
	s->qp.va = s->req.va;
	s->qp.rkey = s->req.rkey;
	s->qp.resid = s->req.dmalen;
	s->qp.length = s->req.dmalen + s->qp.mtu;
}

/* Change request and queue pair to a service. */
static void serve(struct scene *s, enum xroce_qp_type type)
{
	s->qp.type = type;
	if (type == XROCE_QPT_UC)
		s->req.opcode |= XROCE_OP_UC;
	if (type == XROCE_QPT_UD) {
		s->req.opcode |= XROCE_OP_UD;
		memset(s->qp.daddr, 0, sizeof(s->qp.daddr));
		s->qp.qkey = QKEY;
		s->req.qkey = QKEY;
		s->req.sqpn = 0x00abcdef;
	}
}

/* Set up a right request and the state that it needs. */
static bool stage(struct scene *s, enum xroce_qp_type type)
{
	if (!scene_init(s))
		return false;
	s->qp.recv = 1;
	scene_request(s, ops[table_op].opcode);
	serve(s, type);
	if (OP(table_op) & KEPT)
		return true;
	s->req.va = SCENE_IOVA + 200;
	scene_payload(s, OP(table_op) & FULL ? s->qp.mtu : 64);
	if (OP(table_op) & FULL)
		s->req.dmalen += 64;
	if (OP(table_op) & GO_ON)
		begun(s);
	return true;
}

static const char *response(enum op op)
{
	if (OP(op) & ATOMICS)
		return "ATOMIC_ACK";
	return "READ_RESPONSE";
}

static const char *done(struct scene *s)
{
	static char text[64];

	if (scene_is_kept(s->req.opcode)) {
		expect_kept(s);
		snprintf(text, sizeof(text), "executed, %s",
			 response(table_op));
		return text;
	}
	if (OP(table_op) & SENDS)
		expect_send(s);
	else
		expect_write(s);
	return s->qp.type == XROCE_QPT_RC && s->req.ackreq ?
	       "executed, ACK" : "executed";
}

static const char *run(const struct row *row, struct scene *s)
{
	static char text[64];

	switch (row->answer) {
	case PASS:
		expect_pass(s, NO_COUNTER);
		return "passed to the stack";
	case DROP:
		expect_drop(s, row->arg);
		return "dropped";
	case LOST:
		expect_lost(s, row->arg);
		return "dropped with its message";
	case NAK_SEQ:
		expect_nak_seq(s);
		return "NAK 0x60, expected PSN";
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
		return s->req.ackreq ? "not executed, ACK of the last PSN" :
				       "not executed";
	case ACK_THIS:
		expect_duplicate(s);
		return "not executed, ACK of its PSN";
	case AGAIN:
		expect_again(s, 0);
		snprintf(text, sizeof(text), "%s, %s",
			 table_op == READ ? "read again" : "not executed",
			 response(table_op));
		return text;
	case DONE:
		return done(s);
	}
	return "?";
}

void table_print(enum xroce_qp_type type, enum op op, const char *cause,
		 const char *answer, const char *clause)
{
	note("%s %-14s | %-35s | %-33s | %s%s", services[type], ops[op].name,
	     cause, answer, clause, test_failed() ? " | FAILED" : "");
}

static void run_all(enum xroce_qp_type type, const struct row *rows, size_t n)
{
	const char *answer;
	struct scene s;
	size_t i, seen = 0;

	for (i = 0; i < n && !test_failed(); i++) {
		if (!(rows[i].ops & OP(table_op)))
			continue;
		if (!stage(&s, type))
			return;
		rows[i].make(&s);
		scene_put(&s);
		answer = run(&rows[i], &s);
		table_print(type, table_op, rows[i].cause, answer,
			    rows[i].clause);
		seen++;
	}
	check(seen, "no row for %s", ops[table_op].name);
}

void table_run(enum xroce_qp_type type, uint32_t which, const struct row *rows,
	       size_t n)
{
	for (table_op = 0; table_op < OPS && !test_failed(); table_op++)
		if (OP(table_op) & which)
			run_all(type, rows, n);
}
