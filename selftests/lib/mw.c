// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "mw.h"

const __u32 mw_types[3] = {
	XROCE_MW_TYPE_1, XROCE_MW_TYPE_2A, XROCE_MW_TYPE_2B,
};

const struct wire_opts mw_rc = { .sq = MW_SQ };

__u32 mw_new(struct wire *w, __u32 type)
{
	struct xroce_mw_add add = { .pd = w->pd, .type = type };
	int ret = xroce_mw_add(w->x, &add);

	check(!ret && add.rkey >> XROCE_KEY_SHIFT == add.mw, "window: %d", ret);
	return ret ? 0 : add.rkey;
}

void mw_del(struct wire *w, __u32 rkey)
{
	check_is(xroce_mw_del(w->x, rkey >> XROCE_KEY_SHIFT), 0, "MW_DEL");
}

struct xroce_mw_query mw_query(struct wire *w, __u32 rkey)
{
	struct xroce_mw_query q = { .mw = rkey >> XROCE_KEY_SHIFT };

	check_is(xroce_mw_query(w->x, &q), 0, "MW_QUERY");
	return q;
}

struct binding mw_whole(const struct wire *w, __u32 rkey)
{
	return (struct binding){
		.wr_id = 0x1234,
		.qpn = w->qpn,
		.flags = XROCE_SEND_SIGNALED,
		.rkey = rkey,
		.lkey = w->mr.lkey,
		.addr = w->mr.iova,
		.length = w->mr.length,
		.access = MW_ALL,
	};
}

int mw_bind_now(struct wire *w, __u32 type, struct binding *b)
{
	struct xroce_mw_bind bind = {
		.mw = b->rkey >> XROCE_KEY_SHIFT,
		.qpn = b->qpn,
		.rkey = type == XROCE_MW_TYPE_1 ? 0 : b->rkey,
		.lkey = b->lkey,
		.addr = b->addr,
		.length = b->length,
		.access = b->access,
	};
	int ret = xroce_mw_bind(w->x, &bind);

	if (!ret)
		b->rkey = bind.rkey;
	return ret;
}

int mw_completion(struct wire *w, struct xroce_cqe *cqe)
{
	struct xroce_cqe one;

	return xroce_cq_poll(w->cq, cqe ? : &one, 1) == 1 ?
	       (int)(cqe ? : &one)->status : -1;
}

struct xroce_send_wqe *mw_entry(const struct wire *w, __u32 i)
{
	return (void *)((char *)xroce_send_ring(w->send) + XROCE_RING_HEADER +
			(size_t)(i % w->opts.sq) * w->send_stride);
}

int mw_post_two(struct wire *w, const struct binding *b)
{
	const struct xroce_wr wr = {
		.wr_id = b->wr_id,
		.opcode = XROCE_WR_BIND_MW,
		.flags = b->flags,
		.imm_or_key = b->rkey,
		.rkey = b->lkey,
		.addr = b->addr,
		.length = b->length,
		.access = b->access,
	};

	return xroce_post_send(w->send, &wr, 1);
}

int mw_post_one(struct wire *w, struct binding *b)
{
	struct binding next = *b;
	int ret;

	next.rkey = xroce_draw_rkey(w->send, b->rkey);
	ret = mw_post_two(w, &next);
	if (!ret)
		b->rkey = next.rkey;
	return ret;
}

int mw_post_inval(struct wire *w, __u64 wr_id, __u32 rkey, __u32 flags)
{
	const struct xroce_wr wr = {
		.wr_id = wr_id,
		.opcode = XROCE_WR_LOCAL_INV,
		.flags = flags,
		.imm_or_key = rkey,
	};

	return xroce_post_send(w->send, &wr, 1);
}

int mw_bind(struct wire *w, __u32 type, struct binding *b)
{
	__u32 old = b->rkey;
	int ret = type == XROCE_MW_TYPE_1 ? mw_post_one(w, b) : mw_post_two(w, b);

	check(!ret && !xroce_send_doorbell(w->send) && xroce_send_idle(w->send),
	      "post: %d", ret);
	ret = mw_completion(w, NULL);
	if (ret)
		b->rkey = old;
	return ret;
}

int mw_inval(struct wire *w, __u32 rkey)
{
	int ret = mw_post_inval(w, 0x1235, rkey,
				       XROCE_SEND_SIGNALED);

	check(!ret && !xroce_send_doorbell(w->send), "post: %d", ret);
	return mw_completion(w, NULL);
}

__u32 mw_bound(struct wire *w, __u32 type)
{
	struct binding b = mw_whole(w, mw_new(w, type));
	int ret = mw_bind(w, type, &b);

	return check(!ret, "bind: status %d", ret) ? b.rkey : 0;
}

/* Apply the effect of a request to @mem. */
static void change(const struct packet *p, uint32_t off, char *mem)
{
	uint64_t word;
	uint32_t i;

	switch (p->opcode & ~XROCE_OP_SERVICE) {
	case XROCE_RC_WRITE_ONLY:
	case XROCE_RC_ATOMIC_WRITE:
		for (i = 0; i < p->payload; i++)
			mem[off + i] = packet_pattern(p->pattern, i);
		break;
	case XROCE_RC_FETCH_ADD:
		memcpy(&word, mem + off, sizeof(word));
		word += p->swap;
		memcpy(mem + off, &word, sizeof(word));
		break;
	}
}

/* Fill in a request. Each WRITE has another pattern than the one before. */
static void describe(struct packet *p, uint8_t opcode, __u64 va, __u32 len,
		     __u32 rkey)
{
	p->opcode = opcode;
	p->va = va;
	p->rkey = rkey;
	p->dmalen = len;
	p->payload = opcode == XROCE_RC_WRITE_ONLY ||
		     opcode == XROCE_RC_ATOMIC_WRITE ? len : 0;
	p->pad = -p->payload & 3;
	p->pattern += 41;
	p->swap = 0x100000001;
}

int mw_try(struct wire *w, uint8_t opcode, __u64 va, __u32 len, __u32 rkey)
{
	static char want[WIRE_BYTES];
	struct packet got;
	int cause = 0;

	memcpy(want, w->mem, sizeof(want));
	describe(&w->req, opcode, va, len, rkey);
	if (!wire_send(w) ||
	    !check(wire_take(w, WIRE_MS, &got, NULL), "no response"))
		return -1;
	check(got.psn == w->req.psn, "response with PSN %#x", got.psn);
	if (got.opcode == XROCE_RC_ACK && got.syndrome != XROCE_SYN_ACK) {
		struct xroce_qp_query q = { .qpn = w->qpn };

		check(!xroce_qp_query(w->x, &q) && q.state == XROCE_QPS_ERR &&
		      got.syndrome == XROCE_SYN_NAK_ACC,
		      "state %u, syndrome %#x", q.state, got.syndrome);
		cause = q.cause ? (int)q.cause : -1;
		wire_again(w);
	} else {
		change(&w->req, va - w->mr.iova, want);
		w->req.psn = (w->req.psn + 1) & XROCE_PSN_MASK;
	}
	check(!memcmp(want, w->mem, sizeof(want)), "memory differs from the expected");
	return cause;
}

int mw_try_write(struct wire *w, __u32 rkey)
{
	return mw_try(w, XROCE_RC_WRITE_ONLY, w->mr.iova, 8, rkey);
}
