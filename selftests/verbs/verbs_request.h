/* SPDX-License-Identifier: GPL-2.0-only */
/* A random request of a stream, with what it must leave in the memory of its sender. */
#ifndef XROCE_VERBS_REQUEST_H
#define XROCE_VERBS_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include <infiniband/verbs.h>

#include "verbs_window.h"

#define REQUEST_MAX	65536u	/* bytes of a message */
#define REQUEST_TARGET	(2 * REQUEST_MAX)	/* bytes of memory that a stream accesses */
#define REQUEST_GUARD	64u	/* bytes before, between and after elements */
#define REQUEST_SGE	4u	/* elements */
#define REQUEST_SLOT	(REQUEST_MAX + (REQUEST_SGE + 2) * REQUEST_GUARD)
#define REQUEST_INLINE	64u	/* bytes of inline data */
#define REQUEST_BLANK	0xa5	/* content of memory that nobody writes to */

/* Opcodes of requests: enum ibv_wr_opcode, and FLUSH, which libibverbs 44 does not know. */
#define REQUEST_FLUSH		14
#define REQUEST_OPCODES		16	/* all are smaller */

/* A set of opcodes. */
#define REQUEST_BIT(opcode)	(1u << (opcode))
#define REQUEST_LOCAL		(REQUEST_BIT(IBV_WR_BIND_MW) | REQUEST_BIT(IBV_WR_LOCAL_INV))

/**
 * struct request_op - a request
 * @id: its number in the stream, which is its wr_id
 * @opcode: enum ibv_wr_opcode or REQUEST_FLUSH
 * @flags: enum ibv_send_flags
 * @len: bytes of the message; of memory that FLUSH names
 * @off: offset in the peer's memory, except for SEND
 * @key: R_Key of that memory; SEND with Invalidate, LOCAL_INV: key to invalidate; BIND_MW: the
 *       new one
 * @imm: immediate data
 * @compare: CMP_SWAP: value to compare with
 * @operand: atomics: value to add or to store; ATOMIC WRITE: to store
 * @whole: FLUSH: of the whole region
 * @window: window that is used, invalidated or bound; NULL: none
 * @slot: REQUEST_SLOT bytes of the sender's memory
 * @image: what @slot must contain once the request is complete
 * @used: bytes of both that are used
 * @sge: elements
 * @num_sge: their number
 */
struct request_op {
	uint64_t id;
	unsigned int opcode;
	unsigned int flags;
	uint32_t len;
	uint32_t off;
	uint32_t key;
	uint32_t imm;
	uint64_t compare;
	uint64_t operand;
	bool whole;
	struct window *window;
	uint8_t *slot;
	uint8_t *image;
	uint32_t used;
	struct ibv_sge sge[REQUEST_SGE];
	uint32_t num_sge;
};

/**
 * struct request_choice - what a random request may be
 * @ops: set of opcodes; those of REQUEST_LOCAL are left out
 * @mtu: in bytes
 * @lkey: of the slot
 * @rkey: of the peer's memory
 * @empty: READs and WRITEs may have no bytes
 * @read_windows: READs may use windows
 * @window: windows of the peer's memory
 * @windows: their number
 */
struct request_choice {
	uint32_t ops;
	uint32_t mtu;
	uint32_t lkey;
	uint32_t rkey;
	bool empty;
	bool read_windows;
	struct window *window;
	uint32_t windows;
};

/* Choose all of @op but @id, @slot and @image, and fill the slot. */
void request_choose(struct request_op *op, const struct request_choice *c);

/* The same for an operation on a window of the sender's memory: bind it, or invalidate it. */
void request_choose_bind(struct request_op *op, struct window *w);
void request_choose_inv(struct request_op *op, struct window *w);

/* Execute it: change @target, the model of the peer's memory, or the image. */
void request_execute(struct request_op *op, uint8_t *target);

/* Check the slot, and @wc, which is that of @op or of a later request. */
void request_check(const struct request_op *op, const struct ibv_wc *wc);

/* Copy the message that @op sends. */
void request_message(const struct request_op *op, uint8_t *to);

/* Does it consume a receive request? */
bool request_is_message(const struct request_op *op);
bool request_has_imm(const struct request_op *op);
bool request_is_send(const struct request_op *op);
bool request_is_atomic(const struct request_op *op);

/* Must @op wait until @read is complete? A READ that is executed again sees later changes. */
bool request_hurts(const struct request_op *op, const struct request_op *read);

const char *request_name(unsigned int opcode);

#endif /* XROCE_VERBS_REQUEST_H */
