/* SPDX-License-Identifier: GPL-2.0-only */
/* A random request of a flow, with what it must leave in the memory of the client. */
#ifndef XROCE_VERBS_REQUEST_H
#define XROCE_VERBS_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include <infiniband/verbs.h>

#define REQUEST_MAX	65536u	/* bytes of a message */
#define REQUEST_TARGET	(2 * REQUEST_MAX)	/* bytes of the server's memory for a flow */
#define REQUEST_GUARD	64u	/* bytes before, between and after elements */
#define REQUEST_SGE	4u	/* elements */
#define REQUEST_SLOT	(REQUEST_MAX + (REQUEST_SGE + 2) * REQUEST_GUARD)
#define REQUEST_INLINE	64u	/* bytes of inline data */
#define REQUEST_BLANK	0xa5	/* content of memory that nobody writes to */

/**
 * struct request_op - a request
 * @id: its number in the flow, which is its wr_id
 * @opcode: operation
 * @flags: enum ibv_send_flags
 * @len: bytes of the message
 * @off: offset in the server's memory, except for SEND
 * @imm: immediate data
 * @compare: CMP_SWAP: value to compare with
 * @operand: atomics: value to add or to store
 * @slot: REQUEST_SLOT bytes of the client's memory
 * @image: what @slot must contain once the request is complete
 * @used: bytes of both that are used
 * @sge: elements
 * @num_sge: their number
 */
struct request_op {
	uint64_t id;
	enum ibv_wr_opcode opcode;
	unsigned int flags;
	uint32_t len;
	uint32_t off;
	uint32_t imm;
	uint64_t compare;
	uint64_t operand;
	uint8_t *slot;
	uint8_t *image;
	uint32_t used;
	struct ibv_sge sge[REQUEST_SGE];
	uint32_t num_sge;
};

/*
 * Choose all of @op but @id, @slot and @image, and fill the slot. @mtu in bytes; @lkey of it;
 * @empty: READs and WRITEs may have no bytes.
 */
void request_choose(struct request_op *op, uint32_t mtu, uint32_t lkey, bool empty);

/* Execute it: change @target, the model of the server's memory, or the image. */
void request_execute(struct request_op *op, uint8_t *target);

/* Post it. @va and @rkey are those of the server's memory. */
bool request_post_to(struct ibv_qp *qp, struct request_op *op, uint64_t va, uint32_t rkey);

/* Check the slot, and @wc, which is that of @op or of a later request. */
void request_check(const struct request_op *op, const struct ibv_wc *wc);

/* Copy the message that @op sends. */
void request_message(const struct request_op *op, uint8_t *to);

/* Does it consume a receive request? Is there more in the response than an acknowledgement? */
bool request_is_message(const struct request_op *op);
bool request_responds(const struct request_op *op);
bool request_has_imm(const struct request_op *op);
bool request_is_send(const struct request_op *op);

/* Must @op wait until @read is complete? A READ that is executed again sees later changes. */
bool request_hurts(const struct request_op *op, const struct request_op *read);

const char *request_name(const struct request_op *op);

#endif /* XROCE_VERBS_REQUEST_H */
