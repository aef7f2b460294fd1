// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "harness.h"
#include "rng.h"
#include "verbs_request.h"

bool request_is_send(const struct request_op *op)
{
	return op->opcode == IBV_WR_SEND || op->opcode == IBV_WR_SEND_WITH_IMM;
}

bool request_has_imm(const struct request_op *op)
{
	return op->opcode == IBV_WR_SEND_WITH_IMM || op->opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
}

bool request_is_message(const struct request_op *op)
{
	return request_is_send(op) || request_has_imm(op);
}

static bool is_atomic(const struct request_op *op)
{
	return op->opcode == IBV_WR_ATOMIC_CMP_AND_SWP ||
	       op->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
}

bool request_responds(const struct request_op *op)
{
	return is_atomic(op) || op->opcode == IBV_WR_RDMA_READ;
}

bool request_hurts(const struct request_op *op, const struct request_op *read)
{
	if (read->opcode != IBV_WR_RDMA_READ || op->opcode == IBV_WR_RDMA_READ ||
	    request_is_send(op))
		return false;
	return read->off < op->off + op->len && op->off < read->off + read->len;
}

const char *request_name(const struct request_op *op)
{
	switch (op->opcode) {
	case IBV_WR_SEND:			return "SEND";
	case IBV_WR_SEND_WITH_IMM:		return "SEND_WITH_IMM";
	case IBV_WR_RDMA_WRITE:			return "WRITE";
	case IBV_WR_RDMA_WRITE_WITH_IMM:	return "WRITE_WITH_IMM";
	case IBV_WR_RDMA_READ:			return "READ";
	case IBV_WR_ATOMIC_CMP_AND_SWP:		return "CMP_SWAP";
	default:				return "FETCH_ADD";
	}
}

static uint32_t random_length(uint32_t mtu)
{
	switch (rng_below(32)) {
	case 0:			return 0;
	case 1:			return REQUEST_MAX - rng_below(mtu);
	case 2 ... 4:		return mtu * (1 + rng_below(3));
	case 5 ... 8:		return rng_below(REQUEST_INLINE + 1);
	}
	return rng_below(3 * mtu + 1);
}

/* Divide the message among elements of the slot, with guards between. */
static void divide(struct request_op *op, uint32_t lkey)
{
	uint32_t at = REQUEST_GUARD, left = op->len, i, n;

	op->num_sge = is_atomic(op) ? 1 : 1 + rng_below(REQUEST_SGE);
	if (!is_atomic(op))
		at += rng_below(REQUEST_GUARD);
	for (i = 0; i < op->num_sge; i++) {
		n = i + 1 == op->num_sge ? left : rng_below(left + 1);
		op->sge[i] = (struct ibv_sge){ (uintptr_t)op->slot + at, n, lkey };
		at += n + REQUEST_GUARD;
		left -= n;
	}
	op->used = at;
}

/* Of element @i in the slot and in the image. */
static uint32_t place(const struct request_op *op, uint32_t i)
{
	return op->sge[i].addr - (uintptr_t)op->slot;
}

static void fill(struct request_op *op)
{
	uint32_t i;

	memset(op->slot, REQUEST_BLANK, op->used);
	for (i = 0; i < op->num_sge && !request_responds(op); i++)
		rng_fill(op->slot + place(op, i), op->sge[i].length);
	memcpy(op->image, op->slot, op->used);
}

void request_choose(struct request_op *op, uint32_t mtu, uint32_t lkey, bool empty)
{
	static const enum ibv_wr_opcode opcodes[] = {
		IBV_WR_SEND, IBV_WR_SEND_WITH_IMM, IBV_WR_RDMA_WRITE,
		IBV_WR_RDMA_WRITE_WITH_IMM, IBV_WR_RDMA_READ, IBV_WR_RDMA_READ,
		IBV_WR_ATOMIC_CMP_AND_SWP, IBV_WR_ATOMIC_FETCH_AND_ADD,
	};

	op->opcode = opcodes[rng_below(ARRAY_SIZE(opcodes))];
	op->len = is_atomic(op) ? 8 : random_length(mtu);
	if (!op->len && !empty && !request_is_send(op))
		op->len = 1;
	op->off = rng_below(REQUEST_TARGET - op->len + 1);
	if (is_atomic(op))
		op->off = rng_below(8) * 8;
	op->imm = rng_next();
	op->operand = rng_next();
	op->flags = rng_below(2) ? IBV_SEND_SIGNALED : 0;
	op->flags |= rng_below(8) ? 0 : IBV_SEND_FENCE;
	if (!request_responds(op) && op->len <= REQUEST_INLINE && rng_below(2))
		op->flags |= IBV_SEND_INLINE;
	divide(op, lkey);
	fill(op);
}

/* What a READ or atomic finds at @from goes to the elements of the image. */
static void find(struct request_op *op, const uint8_t *from)
{
	uint32_t i;

	for (i = 0; i < op->num_sge; i++) {
		memcpy(op->image + place(op, i), from, op->sge[i].length);
		from += op->sge[i].length;
	}
}

static void change_word(const struct request_op *op, uint8_t *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	if (op->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD)
		word += op->operand;
	else if (word == op->compare)
		word = op->operand;
	memcpy(at, &word, sizeof(word));
}

void request_execute(struct request_op *op, uint8_t *target)
{
	uint8_t *at = target + op->off;

	if (request_responds(op)) {
		/* Half of the comparisons hold. */
		memcpy(&op->compare, at, is_atomic(op) ? sizeof(op->compare) : 0);
		op->compare += rng_below(2);
		find(op, at);
		if (is_atomic(op))
			change_word(op, at);
	} else if (!request_is_send(op)) {
		request_message(op, at);
	}
}

void request_message(const struct request_op *op, uint8_t *to)
{
	uint32_t i;

	for (i = 0; i < op->num_sge; i++) {
		memcpy(to, op->image + place(op, i), op->sge[i].length);
		to += op->sge[i].length;
	}
}

bool request_post_to(struct ibv_qp *qp, struct request_op *op, uint64_t va, uint32_t rkey)
{
	bool add = op->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
	struct ibv_send_wr *bad, wr = {
		.wr_id = op->id,
		.sg_list = op->sge,
		.num_sge = op->num_sge,
		.opcode = op->opcode,
		.send_flags = op->flags,
		.imm_data = op->imm,
	};
	int err;

	if (is_atomic(op)) {
		wr.wr.atomic.remote_addr = va + op->off;
		wr.wr.atomic.rkey = rkey;
		wr.wr.atomic.compare_add = add ? op->operand : op->compare;
		wr.wr.atomic.swap = op->operand;
	} else {
		wr.wr.rdma.remote_addr = va + op->off;
		wr.wr.rdma.rkey = rkey;
	}
	err = ibv_post_send(qp, &wr, &bad);
	/* The message is in the work request now. */
	if (op->flags & IBV_SEND_INLINE) {
		memset(op->slot, REQUEST_BLANK, op->used);
		memset(op->image, REQUEST_BLANK, op->used);
	}
	return check(!err, "post: %s", strerror(err));
}

static enum ibv_wc_opcode wc_opcode(const struct request_op *op)
{
	switch (op->opcode) {
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_WRITE_WITH_IMM:	return IBV_WC_RDMA_WRITE;
	case IBV_WR_RDMA_READ:			return IBV_WC_RDMA_READ;
	case IBV_WR_ATOMIC_CMP_AND_SWP:		return IBV_WC_COMP_SWAP;
	case IBV_WR_ATOMIC_FETCH_AND_ADD:	return IBV_WC_FETCH_ADD;
	default:				return IBV_WC_SEND;
	}
}

void request_check(const struct request_op *op, const struct ibv_wc *wc)
{
	uint32_t i;

	if (wc->wr_id == op->id) {
		check(wc->opcode == wc_opcode(op), "%s: opcode %d", request_name(op), wc->opcode);
		check(!request_responds(op) || wc->byte_len == op->len, "%s of %u: %u bytes",
		      request_name(op), op->len, wc->byte_len);
	}
	if (!memcmp(op->slot, op->image, op->used))
		return;
	for (i = 0; op->slot[i] == op->image[i]; i++)
		;
	check(false, "request %llu, %s of %u at %#x: local byte %u of %u is %#x, not %#x",
	      (long long)op->id, request_name(op), op->len, op->off, i, op->used, op->slot[i],
	      op->image[i]);
}
