/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The shadow model: random requests, the expected result of each, and the expected contents
 * of memory.
 *
 *   file:  | area 0 | area 1 | area 2 | area 3 |  guard | words: shared, 0..3 |
 *            under the key of server.mr                   under other keys
 *
 * Each queue pair has an area and words of its own. The model executes a request when it is
 * chosen, which is the order that the specification demands. The queue pairs race for the
 * shared words: the values found must form one chain, in which each operation found what
 * another one left.
 */
#ifndef XROCE_SHADOW_MODEL_H
#define XROCE_SHADOW_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "requester.h"

enum shadow_kind {
	SHADOW_WRITE,
	SHADOW_WRITE_IMM,
	SHADOW_READ,
	SHADOW_SEND,
	SHADOW_SEND_IMM,
	SHADOW_FETCH_ADD,
	SHADOW_CMP_SWAP,
	SHADOW_ATOMIC_WRITE,
	SHADOW_SHARED_ADD,	/* on words that the queue pairs share */
	SHADOW_SHARED_SWAP,
	SHADOW_KINDS
};

/**
 * struct shadow_op - a request of the model
 * @op: as posted
 * @kind: its kind
 * @off: offset in the file
 * @word: index of the shared word
 * @want: expected result of a READ, or of an atomic on an own word
 */
struct shadow_op {
	struct requester_op op;
	enum shadow_kind kind;
	uint32_t off;
	uint32_t word;
	uint8_t *want;
};

/* Make the regions, after the server's set-up. */
bool model_open(void);

/* Begin with the current contents of memory. */
void model_start(void);

/* Choose a request of queue pair @qp, except for @want and op.off. */
void model_choose(uint32_t qp, struct shadow_op *s);

/* Fill in the operands, and execute the request in the model. */
void model_execute(uint32_t qp, struct shadow_op *s);

/* Whether @s is a READ that is complete, but has not all that it should have read. */
bool model_is_short(const struct shadow_op *s);

/* The request is complete: compare its result. */
void model_compare(uint32_t qp, const struct shadow_op *s);

/* All requests are complete: check the shared words, too. */
void model_finish(void);

bool model_is_send(enum shadow_kind kind);
bool model_is_atomic(enum shadow_kind kind);
const char *model_name(enum shadow_kind kind);

/* Print the number of requests of each kind. */
void model_note_kinds(void);

#endif /* XROCE_SHADOW_MODEL_H */
