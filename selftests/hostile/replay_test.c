// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests captured on the path and sent again (ReDMArk, USENIX Security 2021), at the real
 * responder: which are executed twice, and what the responses are.
 */
#include <stdint.h>
#include <string.h>

#include "counters.h"
#include "live_qp.h"
#include "mem.h"
#include "mw.h"

#define ONE		0x0102030405060708ull
#define OTHER		0x7777777777777777ull
#define STEP		16u		/* addend of FETCH_ADD; CMP_SWAP swaps in ONE + STEP */
#define KEPT		16u		/* max_dest_rd_atomic of a wire */
#define ROOM		8192u		/* offset in the region of receive buffers */
#define HALF		0x800000u	/* half the PSN space */

static const struct wire_opts families[] = { {}, { .ipv6 = true } };
static const struct wire_opts receives[] = {
	{ .recv = true }, { .recv = true, .ipv6 = true },
};

static const struct wire_opts uc[] = {
	{ .type = XROCE_QPT_UC, .recv = true },
	{ .type = XROCE_QPT_UC, .recv = true, .ipv6 = true },
};

/* The PSN of request number @n. */
static uint32_t psn(uint32_t n)
{
	return (WIRE_PSN + n) & XROCE_PSN_MASK;
}

static __u64 *value(struct wire *w)
{
	return (__u64 *)w->mem;
}

static void value_is(struct wire *w, __u64 want)
{
	__u64 got = *value(w);

	check(got == want, "memory is %#llx, not %#llx", got, want);
}

static void expect(struct wire *w, uint8_t opcode, uint32_t at, uint32_t msn, __u64 orig)
{
	struct packet want = wire_response(w, opcode);

	want.syndrome = XROCE_SYN_ACK;
	want.psn = at;
	want.msn = msn;
	want.orig = orig;
	wire_expect(w, &want);
}

/* Pretend that many packets have been received. */
static void set_epsn(struct wire *w, uint32_t epsn)
{
	__u32 slot = w->qpn & (LIVE_QP_ENTRIES - 1);
	struct xroce_qp q;

	if (!live_map_get(LIVE_DEV, "qp", slot, &q))
		return;
	q.epsn = epsn & XROCE_PSN_MASK;
	live_map_put(LIVE_DEV, "qp", slot, &q);
}

/*
 * An operation that changes ONE to ONE + STEP and, if executed again, would change memory
 * again.
 */
static struct packet atomic(const struct wire *w, uint8_t opcode)
{
	struct packet p = w->req;

	p.opcode = opcode;
	p.payload = 0;
	p.compare = ONE;
	p.swap = opcode == XROCE_RC_CMP_SWAP ? ONE + STEP : STEP;
	return p;
}

/*
 * A replayed @req gets the original response each time and does not change memory, even if
 * memory holds the value that a swap compares with.
 */
static void same_again(struct wire *w, const struct packet *req, uint32_t msn)
{
	static const __u64 meanwhile[] = { ONE, OTHER, ONE };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(meanwhile) && !test_failed(); i++) {
		*value(w) = meanwhile[i];
		w->req = *req;
		wire_send(w);
		expect(w, XROCE_RC_ATOMIC_ACK, psn(0), msn, ONE);
		value_is(w, meanwhile[i]);
	}
	*value(w) = ONE + STEP;
}

static void atomic_one(const struct wire_opts *opts, uint8_t opcode)
{
	struct packet captured, want;
	struct wire w;
	uint32_t i;

	if (!wire_open(&w, opts))
		return;
	captured = atomic(&w, opcode);
	*value(&w) = ONE;
	w.req = captured;
	wire_send(&w);
	expect(&w, XROCE_RC_ATOMIC_ACK, psn(0), 1, ONE);
	value_is(&w, ONE + STEP);
	same_again(&w, &captured, 1);

	/* As many other atomics as leave its result in the replay ring; then one more. */
	for (i = 1; i < KEPT && !test_failed(); i++) {
		w.req = captured;
		w.req.va += 64;
		w.req.psn = psn(i);
		wire_send(&w);
		expect(&w, XROCE_RC_ATOMIC_ACK, psn(i), i + 1,
		       opcode == XROCE_RC_FETCH_ADD ? (i - 1) * STEP : 0);
	}
	same_again(&w, &captured, KEPT);
	w.req.opcode = XROCE_RC_FETCH_ADD;
	w.req.va = captured.va + 128;
	w.req.psn = psn(KEPT);
	wire_send(&w);
	expect(&w, XROCE_RC_ATOMIC_ACK, psn(KEPT), KEPT + 1, 0);
	*value(&w) = ONE;
	w.req = captured;
	wire_counted(&w, COUNTER(drop_psn));
	wire_quiet(&w);
	value_is(&w, ONE);

	/* More than half the PSN space behind counts as ahead. */
	set_epsn(&w, WIRE_PSN + HALF + 1);
	wire_send(&w);
	want = wire_response(&w, XROCE_RC_ACK);
	want.syndrome = XROCE_SYN_NAK_SEQ;
	want.psn = psn(HALF + 1);
	want.msn = KEPT + 1;
	wire_expect(&w, &want);
	wire_counted(&w, COUNTER(drop_psn));
	wire_quiet(&w);
	value_is(&w, ONE);
	wire_close(&w);
}

TEST(replay_atomic, "D2 D5", "a replayed FETCH_ADD or CMP_SWAP changes memory once")
{
	static const uint8_t opcodes[] = { XROCE_RC_FETCH_ADD, XROCE_RC_CMP_SWAP };
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(families); i++)
		for (j = 0; j < ARRAY_SIZE(opcodes) && !test_failed(); j++)
			atomic_one(&families[i], opcodes[j]);
}

/* After 2^24 packets a replay cannot be told from a new request. */
WIRE_TEST(replay_circle, "D5", "after 2^24 packets a PSN is valid again", &families[0])
{
	*value(w) = ONE;
	w->req = atomic(w, XROCE_RC_FETCH_ADD);
	wire_send(w);
	expect(w, XROCE_RC_ATOMIC_ACK, psn(0), 1, ONE);
	value_is(w, ONE + STEP);
	set_epsn(w, WIRE_PSN);
	wire_send(w);
	expect(w, XROCE_RC_ATOMIC_ACK, psn(0), 2, ONE + STEP);
	value_is(w, ONE + 2 * STEP);
}

/*
 * The queue pair is connected again with the same initial PSN: results kept for the old
 * connection are not replayed, and a captured request with the expected PSN is new.
 */
WIRE_TEST(replay_later, "D5", "replayed to a later connection of the queue pair", &families[0])
{
	struct packet captured;

	captured = atomic(w, XROCE_RC_FETCH_ADD);
	*value(w) = ONE;
	w->req = captured;
	wire_send(w);
	expect(w, XROCE_RC_ATOMIC_ACK, psn(0), 1, ONE);
	wire_again(w);
	w->req.opcode = XROCE_RC_WRITE_ONLY;
	w->req.payload = 64;
	w->req.va += 64;
	wire_send(w);
	wire_expect_ack(w, psn(0), 1);
	*value(w) = ONE;
	w->req = captured;
	wire_counted(w, COUNTER(drop_psn));
	wire_quiet(w);
	value_is(w, ONE);

	wire_again(w);
	wire_send(w);
	expect(w, XROCE_RC_ATOMIC_ACK, psn(0), 1, ONE);
	value_is(w, ONE + STEP);
}

/*
 * A WRITE of three packets and one of a single packet, replayed after memory has changed;
 * the last time without the FIRST packet.
 */
TEST(replay_write, "D2 D5", "a replayed WRITE does not undo later changes")
{
	static const uint8_t opcodes[] = {
		XROCE_RC_WRITE_FIRST, XROCE_RC_WRITE_MIDDLE, XROCE_RC_WRITE_LAST,
		XROCE_RC_WRITE_ONLY,
	};
	struct wire w;
	size_t i, round;

	for (i = 0; i < ARRAY_SIZE(families) && !test_failed(); i++) {
		if (!wire_open(&w, &families[i]))
			return;
		for (round = 0; round < 4 && !test_failed(); round++) {
			struct packet good = w.req;
			size_t k;

			for (k = round == 3; k < ARRAY_SIZE(opcodes); k++) {
				w.req.opcode = opcodes[k];
				w.req.psn = psn(k);
				w.req.payload = 1024;
				w.req.dmalen = k < 3 ? 3 * 1024 : 1024;
				wire_send(&w);
				wire_expect_ack(&w, round ? psn(3) : psn(k),
						round ? 2 : k < 2 ? 0 : k - 1);
				if (round)
					wire_untouched(&w);
			}
			if (!round)
				check(w.mem[0] == (char)packet_pattern(w.req.pattern, 0) &&
				      w.mem[3 * 1024 - 1], "not written");
			memset(w.mem, 0, WIRE_BYTES);
			w.req = good;
		}
		wire_close(&w);
	}
}

static void post(struct wire *w, __u64 wr_id)
{
	struct xroce_sge_local sge = { w->mr.iova + ROOM, 64, w->mr.lkey };

	check(!xroce_post_recv(w->rq, wr_id, &sge, 1), "post_recv");
}

/* Check that there is one completion, for @wr_id; or none, if that is 0. */
static void completed(struct wire *w, __u64 wr_id)
{
	struct xroce_cqe cqe[2] = {};
	int n = xroce_cq_poll(w->cq, cqe, ARRAY_SIZE(cqe));

	check(n == !!wr_id && cqe[0].wr_id == wr_id && !cqe[0].status,
	      "%d completions, of %#llx, status %u", n, cqe[0].wr_id, cqe[0].status);
}

/* A replayed SEND makes no second completion, consumes no receive and writes nothing. */
static void receive_one(const struct wire_opts *opts, uint8_t opcode)
{
	struct wire w;
	int i;

	if (!wire_open(&w, opts))
		return;
	post(&w, 1);
	post(&w, 2);
	w.req.opcode = opcode;
	w.req.imm = 0x12345678;
	wire_send(&w);
	wire_expect_ack(&w, psn(0), 1);
	completed(&w, 1);
	memset(w.mem, 0, WIRE_BYTES);
	for (i = 0; i < 3 && !test_failed(); i++) {
		wire_send(&w);
		wire_expect_ack(&w, psn(0), 1);
		completed(&w, 0);
		wire_untouched(&w);
	}
	w.req.psn = psn(1);
	wire_send(&w);
	wire_expect_ack(&w, psn(1), 2);
	completed(&w, 2);
	/* The receive queue is empty; a duplicate needs no receive. */
	w.req.psn = psn(0);
	wire_send(&w);
	wire_expect_ack(&w, psn(1), 2);
	completed(&w, 0);
	wire_close(&w);
}

TEST(replay_receive, "D2 D5", "a replayed SEND makes no second completion")
{
	static const uint8_t opcodes[] = {
		XROCE_RC_SEND_ONLY, XROCE_RC_SEND_ONLY_IMM, XROCE_RC_WRITE_ONLY_IMM,
	};
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(receives); i++)
		for (j = 0; j < ARRAY_SIZE(opcodes) && !test_failed(); j++)
			receive_one(&receives[i], opcodes[j]);
}

/* A window key that was invalidated and bound again is not invalidated by a replay. */
WIRE_TEST(replay_invalidate, "W7 D5",
	  "a replayed invalidation does not void a key that was bound again",
	  &(struct wire_opts){ .sq = MW_SQ, .recv = true })
{
	struct binding b;

	b = mw_whole(w, mw_bound(w, XROCE_MW_TYPE_2B));
	post(w, 1);
	w->req.opcode = XROCE_RC_SEND_ONLY_INV;
	w->req.imm = b.rkey;
	wire_send(w);
	wire_expect_ack(w, psn(0), 1);
	completed(w, 1);
	check(!mw_query(w, b.rkey).bound, "not invalidated");
	check(!mw_bind(w, XROCE_MW_TYPE_2B, &b), "bound anew");
	wire_send(w);
	wire_expect_ack(w, psn(0), 1);
	check(mw_query(w, b.rkey).bound, "invalidated again");
	mw_del(w, b.rkey);
}

static void read_expect(struct wire *w)
{
	struct packet want = wire_response(w, XROCE_RC_READ_RESPONSE_ONLY), got;
	struct frame f;
	uint32_t data;

	want.syndrome = XROCE_SYN_ACK;
	want.psn = psn(0);
	want.msn = 1;
	want.payload = 64;
	if (!check(wire_take(w, WIRE_MS, &got, &f), "no answer") ||
	    !check(!packet_diff(&want, &got), "it differs"))
		return;
	data = f.len - XROCE_ICRC_LEN - 64;
	check(!memcmp(f.bytes + data, w->mem, 64), "not the current contents of memory");
}

static void no_answer(struct wire *w)
{
	wire_counted(w, COUNTER(drop_psn));
	wire_quiet(w);
	check(qp_state(w->x, w->qpn) == XROCE_QPS_RTS, "state %u",
	      qp_state(w->x, w->qpn));
}

static void no_right(struct wire *w)
{
	struct xroce_mr_rereg r = {
		.mr = w->mr.mr,
		.mask = XROCE_REREG_ACCESS,
		.access = XROCE_ACCESS_LOCAL_WRITE | XROCE_ACCESS_REMOTE_WRITE,
	};

	check(!xroce_mr_rereg(w->x, &r), "REREG");
}

static void no_region(struct wire *w)
{
	check(!xroce_mr_dereg(w->x, w->mr.mr), "DEREG");
}

/* Invalidate the window whose key the READ uses. */
static void no_window(struct wire *w)
{
	check(!mw_inval(w, w->req.rkey), "LOCAL_INV");
}

/* A replayed READ returns the current memory, as long as its key is valid. */
static void read_one(const struct wire_opts *opts, void (*end)(struct wire *w))
{
	struct wire w;
	__u32 window = 0;

	if (!wire_open(&w, opts))
		return;
	w.req.opcode = XROCE_RC_READ_REQUEST;
	w.req.payload = 0;
	if (opts->sq) {
		window = mw_bound(&w, XROCE_MW_TYPE_2B);
		w.req.rkey = window;
	}
	memset(w.mem, 0x11, WIRE_BYTES);
	wire_send(&w);
	read_expect(&w);
	memset(w.mem, 0x22, WIRE_BYTES);
	wire_send(&w);
	read_expect(&w);
	end(&w);
	no_answer(&w);
	if (window)
		mw_del(&w, window);
	wire_close(&w);
}

TEST(replay_read, "R7 W7 D5", "a replayed READ works while its key is valid")
{
	static const struct {
		const struct wire_opts *opts;
		void (*end)(struct wire *w);
	} rows[] = {
		{ &families[0], no_right }, { &families[0], no_region },
		{ &families[1], no_region }, { &mw_rc, no_window },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows) && !test_failed(); i++)
		read_one(rows[i].opts, rows[i].end);
}

/* UC: a replayed message of one packet is executed again, at any time and with any PSN. */
static void uc_write(struct wire *w)
{
	static const uint32_t psns[] = { 0, 0, HALF, 12345 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(psns) && !test_failed(); i++) {
		memset(w->mem, 0, WIRE_BYTES);
		w->req.psn = psn(psns[i]);
		wire_counted(w, COUNTER(write));
		check(w->mem[0] == (char)packet_pattern(w->req.pattern, 0), "not written");
	}
	memset(w->mem, 0, WIRE_BYTES);
}

/* Send the packets of a message of three, from @first on; each increments @counter. */
static void uc_packets(struct wire *w, size_t first, size_t counter)
{
	static const uint8_t opcodes[] = {
		XROCE_RC_WRITE_FIRST, XROCE_RC_WRITE_MIDDLE, XROCE_RC_WRITE_LAST,
	};
	size_t i;

	memset(w->mem, 0, WIRE_BYTES);
	for (i = first; i < ARRAY_SIZE(opcodes) && !test_failed(); i++) {
		w->req.opcode = XROCE_OP_UC | opcodes[i];
		w->req.psn = psn(i);
		wire_counted(w, counter);
	}
}

/*
 * UC: a message of several packets is executed again if all are replayed, but not without
 * its first packet.
 */
static void uc_message(struct wire *w)
{
	struct packet only = w->req;
	int i;

	w->req.payload = 1024;
	w->req.dmalen = 3 * 1024;
	for (i = 0; i < 2; i++) {
		uc_packets(w, 0, COUNTER(write));
		check(w->mem[0] && w->mem[1024] && w->mem[3 * 1024 - 1], "not written");
	}
	uc_packets(w, 1, COUNTER(inv_order));
	wire_untouched(w);
	w->req = only;
}

static void uc_receive(struct wire *w)
{
	struct packet only = w->req;

	post(w, 1);
	post(w, 2);
	w->req.opcode = XROCE_OP_UC | XROCE_RC_SEND_ONLY;
	wire_counted(w, COUNTER(send));
	completed(w, 1);
	wire_counted(w, COUNTER(send));
	completed(w, 2);
	wire_counted(w, COUNTER(drop_recv));
	completed(w, 0);
	memset(w->mem, 0, WIRE_BYTES);
	w->req = only;
}

TEST(replay_uc, "R7 D2 D5", "UC executes replayed messages, within the grant")
{
	struct wire w;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(uc) && !test_failed(); i++) {
		if (!wire_open(&w, &uc[i]))
			return;
		uc_write(&w);
		uc_message(&w);
		uc_receive(&w);
		/* But not after the key has become invalid. */
		no_region(&w);
		wire_counted(&w, COUNTER(acc_key));
		wire_untouched(&w);
		wire_quiet(&w);
		wire_close(&w);
	}
}

TEST_MAIN(live_main);
