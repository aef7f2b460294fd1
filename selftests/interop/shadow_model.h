/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The shadow model: random requests, what each of them must find, and what
 * memory holds in the end.
 *
 *   file:  | area 0 | area 1 | area 2 | area 3 |  guard | words: shared, 0..3 |
 *            under the key of server.mr                   under a key of their own
 *
 * A queue pair's area and words are its own. The model executes each request
 * when it is chosen, in the order that the specification demands. On the shared
 * words the queue pairs race: the values found must form one chain, each the
 * successor of another.
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
	SHADOW_SHARED_ADD,	/* of words that the queue pairs share */
	SHADOW_SHARED_SWAP,
	SHADOW_KINDS
};

/**
 * struct shadow_op - a request of the model
 * @op: as posted
 * @kind: what it is
 * @off: in the file
 * @word: of a shared word
 * @want: what a READ must find, or an atomic of an own word
 */
struct shadow_op {
	struct requester_op op;
	enum shadow_kind kind;
	uint32_t off;
	uint32_t word;
	uint8_t *want;
};

/* After the server's set-up: regions. */
bool model_open(void);

/* Begin, with memory as it is. */
void model_start(void);

/* Choose a request of queue pair @qp: all but @want and its place in op.off. */
void model_choose(uint32_t qp, struct shadow_op *s);

/* Fill in operands, and carry it out. */
void model_execute(uint32_t qp, struct shadow_op *s);

/* It is complete: compare what it found. */
void model_compare(uint32_t qp, const struct shadow_op *s);

/* All are complete: what the shared words must hold is known as well. */
void model_finish(void);

bool model_is_send(enum shadow_kind kind);
bool model_is_atomic(enum shadow_kind kind);
const char *model_name(enum shadow_kind kind);

/* Diagnostics: how many of each kind. */
void model_note_kinds(void);

#endif /* XROCE_SHADOW_MODEL_H */
