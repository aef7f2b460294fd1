// SPDX-License-Identifier: GPL-2.0-only
/*
 * A window of type 1 is bound by ibv_bind_mw(), and an ATOMIC WRITE posted by
 * ibv_wr_atomic_write(). libibverbs 44 has no call for FLUSH, so it is written into the ring. All
 * others are posted by ibv_post_send() or by ibv_wr_start() and ibv_wr_complete(), at random.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "harness.h"
#include "rng.h"
#include "verbs_post.h"

#define RIGHTS	(IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC | \
		 WINDOW_FLUSH)

/* FLUSH in struct rxe_send_wr; headers of Linux before 6.2 do not have it. */
struct wr_flush {
	uint64_t remote_addr;
	uint32_t length;
	uint32_t rkey;
	uint8_t type;
	uint8_t level;
};

static struct ibv_mw_bind_info bind_info(const struct post_way *way, const struct window *w)
{
	return (struct ibv_mw_bind_info){
		.mr = way->mr,
		.addr = way->own + w->off,
		.length = w->len,
		.mw_access_flags = RIGHTS,
	};
}

static int post_bind_one(const struct post_way *way, const struct request_op *op)
{
	struct ibv_mw_bind bind = {
		.wr_id = op->id,
		.send_flags = op->flags,
		.bind_info = bind_info(way, op->window),
	};

	return ibv_bind_mw(way->qp, op->window->mw, &bind);
}

static int post_flush(const struct post_way *way, const struct request_op *op)
{
	volatile struct rxe_queue_buf *header = way->ring.at;
	uint32_t index = header->producer_index;
	struct rxe_send_wqe *w = ring_entry(&way->ring, index);
	struct wr_flush flush = {
		.remote_addr = way->peer + op->off,
		.rkey = op->key,
		.type = 1,	/* global visibility */
		.level = op->whole,
	};

	memset(w, 0, sizeof(*w));
	w->wr.wr_id = op->id;
	w->wr.opcode = op->opcode;
	w->wr.send_flags = op->flags;
	memcpy(&w->wr.wr, &flush, sizeof(flush));
	/* As ibv_wr_flush() of rdma-core: not in the element "length" of struct wr_flush. */
	w->dma.length = op->whole ? 0 : op->len;
	w->dma.resid = w->dma.length;
	w->iova = flush.remote_addr;
	__atomic_store_n(&header->producer_index, (index + 1) & header->index_mask,
			 __ATOMIC_RELEASE);
	return -ring_doorbell(way->qp->context, way->qp->handle);
}

static void wr_of(const struct post_way *way, struct request_op *op, struct ibv_send_wr *wr)
{
	bool add = op->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;

	*wr = (struct ibv_send_wr){
		.wr_id = op->id,
		.sg_list = op->sge,
		.num_sge = op->num_sge,
		.opcode = op->opcode,
		.send_flags = op->flags,
	};
	if (op->opcode == IBV_WR_BIND_MW) {
		wr->bind_mw.mw = op->window->mw;
		wr->bind_mw.rkey = op->key;
		wr->bind_mw.bind_info = bind_info(way, op->window);
	} else if (op->opcode == IBV_WR_LOCAL_INV || op->opcode == IBV_WR_SEND_WITH_INV) {
		wr->invalidate_rkey = op->key;
	} else if (request_is_atomic(op)) {
		wr->wr.atomic.remote_addr = way->peer + op->off;
		wr->wr.atomic.rkey = op->key;
		wr->wr.atomic.compare_add = add ? op->operand : op->compare;
		wr->wr.atomic.swap = op->operand;
	} else {
		wr->imm_data = op->imm;
		wr->wr.rdma.remote_addr = way->peer + op->off;
		wr->wr.rdma.rkey = op->key;
	}
}

static int post_send(const struct post_way *way, struct request_op *op)
{
	struct ibv_send_wr *bad, wr;

	wr_of(way, op, &wr);
	return ibv_post_send(way->qp, &wr, &bad);
}

static void wr_operation(const struct post_way *way, const struct request_op *op)
{
	uint64_t va = way->peer + op->off;
	struct ibv_mw_bind_info info;

	switch (op->opcode) {
	case IBV_WR_RDMA_WRITE:
		ibv_wr_rdma_write(way->ex, op->key, va);
		break;
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		ibv_wr_rdma_write_imm(way->ex, op->key, va, op->imm);
		break;
	case IBV_WR_SEND:
		ibv_wr_send(way->ex);
		break;
	case IBV_WR_SEND_WITH_IMM:
		ibv_wr_send_imm(way->ex, op->imm);
		break;
	case IBV_WR_SEND_WITH_INV:
		ibv_wr_send_inv(way->ex, op->key);
		break;
	case IBV_WR_RDMA_READ:
		ibv_wr_rdma_read(way->ex, op->key, va);
		break;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
		ibv_wr_atomic_cmp_swp(way->ex, op->key, va, op->compare, op->operand);
		break;
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		ibv_wr_atomic_fetch_add(way->ex, op->key, va, op->operand);
		break;
	case IBV_WR_ATOMIC_WRITE:
		ibv_wr_atomic_write(way->ex, op->key, va, &op->operand);
		break;
	case IBV_WR_LOCAL_INV:
		ibv_wr_local_inv(way->ex, op->key);
		break;
	case IBV_WR_BIND_MW:
		info = bind_info(way, op->window);
		ibv_wr_bind_mw(way->ex, op->window->mw, op->key, &info);
		break;
	}
}

/*
 * libibverbs 44 computes a wrong length of a list of inline data, and of a list of elements, too,
 * which only rxe believes.
 */
static bool post_may_extend(const struct post_way *way, const struct request_op *op)
{
	return op->num_sge < 2 || (way->ring.at && !(op->flags & IBV_SEND_INLINE));
}

static int post_wr(const struct post_way *way, struct request_op *op)
{
	struct ibv_qp_ex *ex = way->ex;

	ibv_wr_start(ex);
	ex->wr_id = op->id;
	ex->wr_flags = op->flags;
	wr_operation(way, op);
	if (op->num_sge && op->flags & IBV_SEND_INLINE)
		ibv_wr_set_inline_data(ex, (void *)(uintptr_t)op->sge[0].addr,
				       op->sge[0].length);
	else if (op->num_sge)
		ibv_wr_set_sge_list(ex, op->num_sge, op->sge);
	return ibv_wr_complete(ex);
}

static int post_any(const struct post_way *way, struct request_op *op)
{
	if (op->opcode == REQUEST_FLUSH)
		return post_flush(way, op);
	if (op->opcode == IBV_WR_BIND_MW && !window_is_two(op->window))
		return post_bind_one(way, op);
	if (op->opcode == IBV_WR_ATOMIC_WRITE || (post_may_extend(way, op) && rng_below(2)))
		return post_wr(way, op);
	return post_send(way, op);
}

bool post_request(struct post_way *way, struct request_op *op)
{
	int err = post_any(way, op);

	/* The program sets the key of a window of type 2. */
	if (op->opcode == IBV_WR_BIND_MW && window_is_two(op->window))
		op->window->mw->rkey = op->key;
	else if (op->opcode == IBV_WR_BIND_MW)
		check(op->window->mw->rkey == op->key, "a key");
	/* The message is in the work request now. */
	if (op->flags & IBV_SEND_INLINE) {
		memset(op->slot, REQUEST_BLANK, op->used);
		memset(op->image, REQUEST_BLANK, op->used);
	}
	return check(!err, "post %s: %s", request_name(op->opcode), strerror(err));
}
