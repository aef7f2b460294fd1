/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tables of cause, opcodes, answer and clause. Each row is run for each of its opcodes,
 * with a request that is right except for the cause, and printed.
 */
#ifndef XROCE_TABLE_H
#define XROCE_TABLE_H

#include <stdint.h>

#include "scene.h"

enum op {
	SEND_FIRST, SEND_MIDDLE, SEND_LAST, SEND_LAST_IMM, SEND_LAST_INV,
	SEND_ONLY, SEND_ONLY_IMM, SEND_ONLY_INV,
	WRITE_FIRST, WRITE_MIDDLE, WRITE_LAST, WRITE_LAST_IMM,
	WRITE_ONLY, WRITE_ONLY_IMM,
	READ, CMP_SWAP, FETCH_ADD, ATOMIC_WRITE, FLUSH,
	RESERVED, RESPONSE, OPS,
};

#define OP(n)		(1u << (n))

/* By position in the message. */
#define FIRSTS		(OP(SEND_FIRST) | OP(WRITE_FIRST))
#define MIDDLES		(OP(SEND_MIDDLE) | OP(WRITE_MIDDLE))
#define LASTS		(OP(SEND_LAST) | OP(SEND_LAST_IMM) | OP(SEND_LAST_INV) | \
			 OP(WRITE_LAST) | OP(WRITE_LAST_IMM))
#define ONLIES		(OP(SEND_ONLY) | OP(SEND_ONLY_IMM) | OP(SEND_ONLY_INV) | \
			 OP(WRITE_ONLY) | OP(WRITE_ONLY_IMM))
#define FULL		(FIRSTS | MIDDLES)	/* as long as the path MTU */
#define GO_ON		(MIDDLES | LASTS)
#define BEGIN		(FIRSTS | ONLIES | KEPT)

/* By operation. */
#define ATOMICS		(OP(CMP_SWAP) | OP(FETCH_ADD))
#define EIGHT		(ATOMICS | OP(ATOMIC_WRITE))
#define KEPT		(EIGHT | OP(READ) | OP(FLUSH))
#define INVS		(OP(SEND_LAST_INV) | OP(SEND_ONLY_INV))
#define IMMS		(OP(WRITE_LAST_IMM) | OP(WRITE_ONLY_IMM))
#define SENDS		(OP(SEND_FIRST) | OP(SEND_MIDDLE) | OP(SEND_LAST) | \
			 OP(SEND_LAST_IMM) | OP(SEND_ONLY) | OP(SEND_ONLY_IMM) | \
			 INVS)
#define WRITES		(OP(WRITE_FIRST) | OP(WRITE_MIDDLE) | OP(WRITE_LAST) | \
			 OP(WRITE_ONLY) | IMMS)
#define RANGES		(WRITES | KEPT)		/* with a range of memory */
#define REQUESTS	(SENDS | RANGES)
#define ALL		(REQUESTS | OP(RESERVED))
#define ANY		(ALL | OP(RESPONSE))

/* By headers between BTH and payload: a RETH; any header. */
#define RETHS		(OP(WRITE_FIRST) | OP(WRITE_ONLY) | OP(WRITE_ONLY_IMM) | \
			 OP(READ) | OP(ATOMIC_WRITE) | OP(FLUSH))
#define HEADERS		(RETHS | ATOMICS | INVS | OP(SEND_LAST_IMM) | \
			 OP(SEND_ONLY_IMM) | OP(WRITE_LAST_IMM))
/* Requests that need a receive work request. */
#define TAKES		(OP(SEND_FIRST) | OP(SEND_ONLY) | OP(SEND_ONLY_IMM) | \
			 OP(SEND_ONLY_INV) | IMMS)

/* The opcodes of the unreliable services. */
#define UC_OPS		((SENDS & ~INVS) | WRITES)
#define UD_OPS		(OP(SEND_ONLY) | OP(SEND_ONLY_IMM))

enum answer {
	PASS, DROP, LOST, NAK_SEQ, NAK, RNR, ACK_LAST, ACK_THIS, AGAIN, DONE,
};

/**
 * struct row - a cause and its answer
 * @cause: in words
 * @clause: clause of the specification, InfiniBand volume 1
 * @ops: opcodes with which the cause is possible
 * @make: change a right request so that it has the cause
 * @answer: the expected outcome
 * @arg: NAK: enum xroce_cause; DROP, LOST: COUNTER()
 */
struct row {
	const char *cause;
	const char *clause;
	uint32_t ops;
	void (*make)(struct scene *s);
	enum answer answer;
	size_t arg;
};

/* The opcode for which a row is run, and the access right that it needs; 0: none. */
extern enum op table_op;
uint32_t table_right(void);

/* The BTH opcode of the reliable connection. */
uint8_t table_opcode(enum op op);

/* Run the rows for each of these opcodes, on a queue pair of this type. */
void table_run(enum xroce_qp_type type, uint32_t ops, const struct row *rows,
	       size_t n);

/* Print the result of a row. */
void table_print(enum xroce_qp_type type, enum op op, const char *cause,
		 const char *answer, const char *clause);

#endif /* XROCE_TABLE_H */
