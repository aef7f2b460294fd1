// SPDX-License-Identifier: GPL-2.0-only
/* The send queue: completions, states, indices. And SEND with invalidate. */
#include <errno.h>
#include <string.h>

#include "live_qp.h"
#include "mw.h"

static struct wire w;

static struct xroce_send_wqe *entry(__u32 i)
{
	return mw_entry(&w, i);
}

TEST(mw_completions, "W10", "completions: wr_id, signalled or not, fence, order")
{
	struct binding b;
	struct xroce_cqe cqe;
	int i;

	if (!wire_open(&w, &mw_rc))
		return;
	b = mw_whole(&w, mw_new(&w, XROCE_MW_TYPE_2A));
	for (i = 0; i < 10; i++) {
		b.wr_id = 0xf00000000 + i;
		b.flags = (i & 1 ? XROCE_SEND_SIGNALED : 0) |
			  (i & 2 ? XROCE_SEND_FENCE : 0);
		check(!mw_post_two(&w, &b), "post");
		check(!mw_post_inval(&w, 100 + i, b.rkey,
					    b.flags), "post");
	}
	check(mw_completion(&w, NULL) == -1, "completion before they were applied");
	check(!xroce_send_doorbell(w.send), "apply");
	for (i = 1; i < 10; i += 2) {
		check(!mw_completion(&w, &cqe) &&
		      cqe.wr_id == b.wr_id - 9 + i && cqe.qpn == w.qpn &&
		      cqe.opcode == XROCE_WC_BIND_MW &&
		      cqe.imm_or_key == b.rkey, "bind %d", i);
		check(!mw_completion(&w, &cqe) && cqe.wr_id == 100u + i &&
		      cqe.opcode == XROCE_WC_LOCAL_INV, "invalidate %d", i);
	}
	check(mw_completion(&w, NULL) == -1, "completion of an unsignalled work request");
	wire_close(&w);
}

/* A failed work request has a completion even if unsignalled; later ones are flushed. */
TEST(mw_failure_flushes, "W10", "a failure moves the queue pair to ERR and flushes the rest")
{
	struct binding b, bad;
	struct xroce_cqe cqe;

	if (!wire_open(&w, &mw_rc))
		return;
	b = mw_whole(&w, mw_new(&w, XROCE_MW_TYPE_2B));
	b.flags = 0;
	bad = b;
	bad.length++;
	check(!mw_post_two(&w, &bad) && !mw_post_two(&w, &b) &&
	      !mw_post_inval(&w, 3, b.rkey, 0) &&
	      !xroce_send_doorbell(w.send), "post");
	check(mw_completion(&w, &cqe) == XROCE_WC_MW_BIND_ERR, "first");
	check(mw_completion(&w, &cqe) == XROCE_WC_WR_FLUSH_ERR, "second");
	check(mw_completion(&w, &cqe) == XROCE_WC_WR_FLUSH_ERR &&
	      cqe.wr_id == 3, "third");
	check(mw_completion(&w, &cqe) == -1, "no more");
	check(qp_state(w.x, w.qpn) == XROCE_QPS_ERR, "state");
	check(xroce_async_next(w.x, &(struct xroce_async){}) == -EAGAIN,
	      "an event, though the completion tells");
	check(!mw_query(&w, b.rkey).bound, "the window is bound");
	/* It stays in the error state until it is reset. */
	check(qp_move(w.x, w.qpn, XROCE_QPS_RTS, 0) == -EINVAL, "from ERR");
	wire_send(&w);
	wire_quiet(&w);
	check(wire_again(&w) && mw_bind(&w, XROCE_MW_TYPE_2B, &b) == -1,
	      "again");
	check(mw_query(&w, b.rkey).bound, "bound");
	wire_close(&w);
}

/* If a packet has a work request applied and that fails, the packet is dropped. */
TEST(mw_failure_stops_packet, "W10", "a failure stops the packet that applies it")
{
	struct binding bad;
	struct xroce_stat before;

	if (!wire_open(&w, &mw_rc))
		return;
	bad = mw_whole(&w, mw_new(&w, XROCE_MW_TYPE_2B));
	bad.length++;
	check(!mw_post_two(&w, &bad), "post");
	before = live_stat();
	wire_send(&w);
	wire_quiet(&w);
	check(live_stat().drop_error == before.drop_error + 1, "drop_error");
	check(!w.mem[0] && !w.mem[63], "written");
	check(mw_completion(&w, NULL) == XROCE_WC_MW_BIND_ERR, "completion");
	wire_close(&w);
}

TEST(mw_states, "W10 W2", "the result of a work request in each state")
{
	static const struct {
		__u32 state;
		int doorbell;
		int want;
	} cases[] = {
		{ XROCE_QPS_RESET, -EINVAL, -1 },
		{ XROCE_QPS_INIT, -EINVAL, -1 },
		{ XROCE_QPS_RTR, -EINVAL, -1 },
		{ XROCE_QPS_RTS, 0, 0 },
		{ XROCE_QPS_SQD, 0, -1 },
		{ XROCE_QPS_ERR, 0, XROCE_WC_WR_FLUSH_ERR },
	};
	struct binding b;
	__u32 to;
	size_t i;
	int got;

	if (!wire_open(&w, &mw_rc))
		return;
	for (i = 0; i < ARRAY_SIZE(cases) && !test_failed(); i++) {
		check(!qp_move(w.x, w.qpn, XROCE_QPS_RESET, 0), "RESET");
		for (to = 1; to <= cases[i].state; to++) {
			__u32 attrs = to < 3 ? qp_attrs(XROCE_QPT_RC, to) :
				      to == 3 ? RTS_SEND_ATTRS : 0;

			if (to != 5 && (to < 4 || to == cases[i].state))
				check(!qp_move(w.x, w.qpn, to, attrs), "to %u", to);
		}
		b = mw_whole(&w, mw_new(&w, XROCE_MW_TYPE_2B));
		check(!mw_post_two(&w, &b), "post");
		got = xroce_send_doorbell(w.send);
		check(got == cases[i].doorbell, "state %u: doorbell %d", cases[i].state, got);
		got = mw_completion(&w, NULL);
		check(got == cases[i].want, "state %u: %d", cases[i].state, got);
		check(qp_state(w.x, w.qpn) == cases[i].state, "state %u",
		      cases[i].state);
		check(mw_query(&w, b.rkey).bound == !cases[i].want, "bound");
	}
	wire_close(&w);
}

/* In SQD a work request waits for RTS; a packet does not have it executed. */
TEST(mw_drained, "W10", "in SQD a work request waits")
{
	struct binding b;

	if (!wire_open(&w, &mw_rc))
		return;
	b = mw_whole(&w, mw_new(&w, XROCE_MW_TYPE_2B));
	check(!qp_move(w.x, w.qpn, XROCE_QPS_SQD, 0) && !mw_post_two(&w, &b), "post");
	check(!mw_try_write(&w, w.mr.rkey) && !mw_query(&w, b.rkey).bound, "bound in SQD");
	check(!qp_move(w.x, w.qpn, XROCE_QPS_RTS, 0), "RTS");
	check(!mw_try_write(&w, b.rkey), "bound in RTS");
	wire_close(&w);
}

/* A move to ERR flushes what is posted, a move to RESET discards it. */
TEST(mw_modify_flushes, "W10", "a move to ERR flushes, a move to RESET discards")
{
	struct binding b;

	if (!wire_open(&w, &mw_rc))
		return;
	b = mw_whole(&w, mw_new(&w, XROCE_MW_TYPE_2B));
	check(!mw_post_two(&w, &b) &&
	      !qp_move(w.x, w.qpn, XROCE_QPS_ERR, 0), "to ERR");
	check(mw_completion(&w, NULL) == XROCE_WC_WR_FLUSH_ERR, "flushed");
	check(!mw_post_two(&w, &b) &&
	      qp_state(w.x, w.qpn) == XROCE_QPS_ERR, "in ERR");
	check(mw_completion(&w, NULL) == -1, "a query changes nothing");
	check(!xroce_send_doorbell(w.send) && mw_completion(&w, NULL) == XROCE_WC_WR_FLUSH_ERR,
	      "flushed by the doorbell");
	check(!mw_post_two(&w, &b) && wire_again(&w), "to RESET");
	check(mw_completion(&w, NULL) == -1 && xroce_send_idle(w.send),
	      "completion after RESET");
	check(!mw_query(&w, b.rkey).bound, "the window is bound");
	wire_close(&w);
}

TEST(mw_malformed, "W10", "invalid opcode, flags or reserved field")
{
	struct binding b;
	int i;

	if (!wire_open(&w, &mw_rc))
		return;
	for (i = 0; i < 4 && !test_failed(); i++) {
		b = mw_whole(&w, mw_new(&w, XROCE_MW_TYPE_2B));
		check(!mw_post_two(&w, &b), "post");
		switch (i) {
		case 0:
			entry(i)->opcode = 13;
			break;
		case 1:
			entry(i)->opcode = 1u << 31;
			break;
		case 2:
			entry(i)->flags |= 1u << 4;
			break;
		case 3:
			entry(i)->flags |= 1u << 31;
		}
		check(!xroce_send_doorbell(w.send) &&
		      mw_completion(&w, NULL) == XROCE_WC_LOC_QP_OP_ERR,
		      "case %d", i);
		check(!mw_query(&w, b.rkey).bound && wire_again(&w), "bound");
	}
	wire_close(&w);
}

/* What stands behind a request that sends waits for the doorbell; what precedes it does not. */
TEST(mw_behind, "W10", "what stands behind a SEND waits for the doorbell")
{
	struct xroce_send_header *h;
	struct binding b[2];
	int i;

	if (!wire_open(&w, &mw_rc))
		return;
	h = xroce_send_ring(w.send);
	for (i = 0; i < 2; i++) {
		b[i] = mw_whole(&w, mw_new(&w, XROCE_MW_TYPE_2B));
		b[i].flags = 0;
		check(!mw_post_two(&w, &b[i]), "bind");
	}
	/* A SEND between them. */
	*entry(2) = *entry(1);
	entry(1)->opcode = XROCE_WR_SEND;
	__atomic_store_n(&h->tail, 3, __ATOMIC_RELEASE);
	check(!mw_try_write(&w, b[0].rkey), "the first bind");
	check(h->head == 1 && !mw_query(&w, b[1].rkey).bound, "without the doorbell, head %u", h->head);
	check(!mw_try_write(&w, w.mr.rkey), "another packet");
	check(!mw_query(&w, b[1].rkey).bound, "the second bind");
	check(!xroce_send_doorbell(w.send) && mw_query(&w, b[1].rkey).bound, "with the doorbell");
	wire_close(&w);
}

/* With invalid indices the queue is taken to be empty. */
TEST(mw_indices, "W10", "indices out of range are taken for an empty queue")
{
	static const __u32 off[] = { MW_SQ + 1, 1000, 0x80000000, -1u };
	struct xroce_send_header *h;
	struct binding b;
	size_t i;
	__u32 tail;

	if (!wire_open(&w, &mw_rc))
		return;
	h = xroce_send_ring(w.send);
	b = mw_whole(&w, mw_new(&w, XROCE_MW_TYPE_2B));
	tail = h->tail;
	for (i = 0; i < ARRAY_SIZE(off); i++) {
		h->tail = tail + off[i];
		check(xroce_send_doorbell(w.send) == -EINVAL && h->head == tail, "tail + %#x",
		      off[i]);
		check(!mw_try_write(&w, w.mr.rkey), "WRITE with wrong indices");
	}
	h->tail = tail;
	/* The module ignores the head in the ring: it writes it only for the program. */
	h->head = 12345;
	check(!xroce_send_doorbell(w.send), "apply");
	h->head = tail;
	check(!mw_bind(&w, XROCE_MW_TYPE_2B, &b) &&
	      !mw_try_write(&w, b.rkey), "bind after wrong indices");
	wire_close(&w);
}

TEST(mw_full, "W10", "as many work requests as there are entries")
{
	struct binding b;
	__u32 i;

	if (!wire_open(&w, &mw_rc))
		return;
	b = mw_whole(&w, mw_new(&w, XROCE_MW_TYPE_1));
	b.flags = 0;
	for (i = 0; i < MW_SQ; i++)
		check(!mw_post_one(&w, &b), "post %u", i);
	check(mw_post_one(&w, &b) == -ENOSPC, "full");
	check(!mw_try_write(&w, b.rkey), "WRITE after the last bind");
	check(!mw_post_one(&w, &b), "post to the empty queue");
	wire_close(&w);
}

/* If the CQ is full, the queue pair goes to ERR; the module still works. */
TEST(mw_cq_full, "W10", "the completion queue is full")
{
	struct binding b;
	__u32 i, n = 0;

	if (!wire_open(&w, &mw_rc))
		return;
	b = mw_whole(&w, mw_new(&w, XROCE_MW_TYPE_1));
	for (i = 0; i < 5 * MW_SQ; i++)
		check(!mw_post_one(&w, &b) && !xroce_send_doorbell(w.send),
		      "post %u", i);
	check(qp_state(w.x, w.qpn) == XROCE_QPS_ERR, "state");
	while (mw_completion(&w, NULL) >= 0)
		n++;
	check(n == 4 * MW_SQ, "%u completions", n);
	wire_close(&w);
}

/* Deleting a queue pair first applies what is posted. */
TEST(mw_qp_delete_applies, "W10 W8", "deleting a queue pair first applies what is posted")
{
	struct binding b;
	int ret;

	if (!wire_open(&w, &mw_rc))
		return;
	b = mw_whole(&w, mw_new(&w, XROCE_MW_TYPE_2A));
	check(!mw_post_two(&w, &b), "post");
	ret = xroce_qp_del(w.x, w.qpn);
	check(ret == -EBUSY, "a window that has just been bound: %d", ret);
	check(!mw_post_inval(&w, 0, b.rkey, 0), "post");
	wire_close(&w);
}

/* If no packet comes, polling alone has the work request applied in the end. */
TEST(mw_poll_applies, "W10", "polling applies work requests if no packet comes")
{
	struct binding b;
	int i, ret = -1;

	if (!wire_open(&w, &mw_rc))
		return;
	b = mw_whole(&w, mw_new(&w, XROCE_MW_TYPE_2B));
	check(!mw_post_two(&w, &b), "post");
	for (i = 0; i < 100000 && ret < 0; i++)
		ret = mw_completion(&w, NULL);
	check(!ret && i > 1000, "status %d after %d polls", ret, i);
	wire_close(&w);
}

static const struct wire_opts with_recv = { .sq = MW_SQ, .recv = true };

/* Post a receive, then send a SEND with invalidate. Return: the response's syndrome. */
static int send_inv(__u32 key, __u64 wr_id)
{
	struct xroce_sge_local sge = { .length = 64, .lkey = w.mr.lkey };
	struct packet got;

	sge.addr = w.mr.iova;
	check(!xroce_post_recv(w.rq, wr_id, &sge, 1), "post_recv");
	w.req.opcode = XROCE_RC_SEND_ONLY_INV;
	w.req.imm = key;
	w.req.payload = 64;
	w.req.pad = 0;
	w.req.pattern++;
	wire_send(&w);
	if (!check(wire_take(&w, WIRE_MS, &got, NULL), "no answer"))
		return -1;
	if (got.syndrome == XROCE_SYN_ACK)
		w.req.psn = (w.req.psn + 1) & XROCE_PSN_MASK;
	return got.syndrome;
}

TEST(mw_remote_invalidate, "W7", "SEND with invalidate invalidates the window")
{
	struct xroce_cqe cqe;
	struct packet got;
	__u32 type, key;

	if (!wire_open(&w, &with_recv))
		return;
	for (type = XROCE_MW_TYPE_2A; type <= XROCE_MW_TYPE_2B; type++) {
		key = mw_bound(&w, type);
		check(!mw_try_write(&w, key), "bound");
		check(send_inv(key, 7) == XROCE_SYN_ACK, "invalidate");
		check(!mw_completion(&w, &cqe) && cqe.wr_id == 7 &&
		      cqe.flags == XROCE_WC_WITH_INV && cqe.imm_or_key == key &&
		      cqe.byte_len == 64, "flags %#x", cqe.flags);
		check(!mw_query(&w, key).bound, "window still bound");
		/* A duplicate is acknowledged, with no other effect. */
		w.req.psn = (w.req.psn - 1) & XROCE_PSN_MASK;
		wire_send(&w);
		check(wire_take(&w, WIRE_MS, &got, NULL) &&
		      got.syndrome == XROCE_SYN_ACK, "duplicate");
		w.req.psn = (w.req.psn + 1) & XROCE_PSN_MASK;
		check(mw_try_write(&w, key) == XROCE_CAUSE_ACC_KEY, "void");
		/* The window can be bound again. */
		struct binding b = mw_whole(&w, key);

		check(!mw_bind(&w, type, &b) && !mw_try_write(&w, key), "again");
		mw_del(&w, key);
	}
	wire_close(&w);
}

/* Keys that a peer may not invalidate, of a region among them. */
TEST(mw_remote_refused, "W7", "SEND with invalidate of a wrong key is refused")
{
	struct wire_opts opts = { .peer = 0x12, .sq = MW_SQ };
	static struct wire other;
	__u32 keys[6], i;

	if (!wire_open(&w, &with_recv))
		return;
	opts.with = &w;
	if (!wire_open(&other, &opts))
		return;
	keys[0] = w.mr.rkey;
	keys[1] = mw_bound(&w, XROCE_MW_TYPE_1);
	keys[2] = mw_new(&w, XROCE_MW_TYPE_2A);
	keys[3] = mw_new(&w, XROCE_MW_TYPE_2B);
	keys[4] = mw_bound(&other, XROCE_MW_TYPE_2B);
	keys[5] = mw_bound(&w, XROCE_MW_TYPE_2B) ^ 1;
	for (i = 0; i < 6 && !test_failed(); i++) {
		check(send_inv(keys[i], i) == XROCE_SYN_NAK_ACC, "key %u", i);
		check(mw_completion(&w, NULL) == XROCE_WC_WR_FLUSH_ERR,
		      "key %u: completion", i);
		check(wire_again(&w), "again");
	}
	check(mw_query(&w, keys[1]).bound && mw_query(&w, keys[4]).bound &&
	      mw_query(&w, keys[5]).bound, "a window was invalidated");
	mw_del(&w, keys[4]);
	wire_close(&other);
	wire_close(&w);
}

/* A window that no file owns, in a domain like that, where a file has its queue pair. */
TEST(mw_owners, "W10 W2", "a work request for a window that its file does not own")
{
	struct wire domain = { .x = live_open() };
	struct wire_opts opts = { .sq = MW_SQ, .with = &domain };
	struct xroce_mw_add add = { .flags = XROCE_F_PERSISTENT, .type = XROCE_MW_TYPE_2B };
	struct binding b;
	__u32 key;

	if (!domain.x)
		return;
	check(!xroce_pd_add(domain.x, XROCE_F_PERSISTENT, &domain.pd), "domain");
	if (wire_open(&w, &opts)) {
		add.pd = w.pd;
		check(!xroce_mw_add(w.x, &add), "MW_ADD");
		b = mw_whole(&w, add.rkey);
		check(mw_bind(&w, add.type, &b) == XROCE_WC_MW_BIND_ERR, "status");
		check(!mw_query(&w, add.rkey).bound, "it is bound");
		check(wire_again(&w), "again");
		key = mw_bound(&w, add.type);
		mw_del(&w, key);
		mw_del(&w, add.rkey);
		check(!xroce_mr_dereg(w.x, w.mr.mr), "MR_DEREG");
		wire_close(&w);
	}
	check(!xroce_pd_del(domain.x, domain.pd), "PD_DEL");
	live_close(domain.x);
}

/* The map claims that a window of another queue pair is of this one. The module knows better. */
TEST(mw_remote_lies, "W7 D5", "SEND with invalidate, and the map lies about the window")
{
	struct wire_opts opts = { .peer = 0x12, .sq = MW_SQ };
	static struct wire other;
	struct xroce_mpt truth, lie;
	__u32 key;

	if (!wire_open(&w, &with_recv))
		return;
	opts.with = &w;
	if (!wire_open(&other, &opts))
		return;
	key = mw_bound(&other, XROCE_MW_TYPE_2B);
	check(live_map_get(LIVE_DEV, "mpt", key >> XROCE_KEY_SHIFT, &truth), "get mpt");
	lie = truth;
	lie.qpn = w.qpn;
	check(live_map_put(LIVE_DEV, "mpt", key >> XROCE_KEY_SHIFT, &lie), "put mpt");
	check(send_inv(key, 1) == XROCE_SYN_NAK_ACC, "syndrome");
	check(mw_completion(&w, NULL) == XROCE_WC_WR_FLUSH_ERR, "completion");
	check(qp_state(w.x, w.qpn) == XROCE_QPS_ERR, "state");
	check(live_map_put(LIVE_DEV, "mpt", key >> XROCE_KEY_SHIFT, &truth), "put mpt");
	check(mw_query(&w, key).bound && !mw_try_write(&other, key), "the window was invalidated");
	mw_del(&w, key);
	wire_close(&other);
	wire_close(&w);
}

TEST_MAIN(live_main);
