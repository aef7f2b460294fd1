// SPDX-License-Identifier: GPL-2.0-only
/*
 * Responses that the module sends packet by packet, and those that are queued behind them:
 * order, PSN and MSN of each (IBTA 9.7.5.1, 9.7.7.1).
 */
#include <errno.h>
#include <string.h>

#include <sys/socket.h>

#include "live_mr.h"
#include "live_qp.h"
#include "wire.h"

#define MTU	1024u

static const struct wire_opts rc;

/* Set opcode and length of the next request. */
static void next(struct wire *w, uint8_t opcode, uint32_t bytes)
{
	w->req.opcode = opcode;
	w->req.dmalen = bytes;
	w->req.payload = opcode == XROCE_RC_WRITE_ONLY ? bytes : 0;
}

/* Expect the whole response to a READ with @psn, whose AETHs have @msn. */
static void expect_read(struct wire *w, uint32_t psn, uint32_t bytes,
			uint32_t msn)
{
	uint32_t at, left = bytes;
	struct packet want;

	for (at = 0; left && !test_failed(); at++) {
		uint32_t len = left < MTU ? left : MTU;
		bool last = len == left;

		want = wire_response(w, !at && last ? XROCE_RC_READ_RESPONSE_ONLY :
				     !at ? XROCE_RC_READ_RESPONSE_FIRST :
				     last ? XROCE_RC_READ_RESPONSE_LAST :
				     XROCE_RC_READ_RESPONSE_MIDDLE);
		want.psn = (psn + at) & XROCE_PSN_MASK;
		want.payload = len;
		want.pad = -len & 3;
		if (want.opcode != XROCE_RC_READ_RESPONSE_MIDDLE) {
			want.syndrome = XROCE_SYN_ACK;
			want.msn = msn;
		}
		wire_expect(w, &want);
		left -= len;
	}
}

static void expect_other(struct wire *w, uint8_t opcode, uint32_t psn,
			 uint32_t msn)
{
	struct packet want = wire_response(w, opcode);

	want.syndrome = XROCE_SYN_ACK;
	want.psn = psn & XROCE_PSN_MASK;
	want.msn = msn;
	wire_expect(w, &want);
}

/* Expect an atomic's response, with the value that a WRITE has put there. */
static void expect_atomic(struct wire *w, uint32_t psn, uint32_t msn)
{
	struct packet want = wire_response(w, XROCE_RC_ATOMIC_ACK);
	uint32_t i;

	want.syndrome = XROCE_SYN_ACK;
	want.psn = psn & XROCE_PSN_MASK;
	want.msn = msn;
	for (i = 8; i--;)
		want.orig = want.orig << 8 |
			    packet_pattern(w->req.pattern, i);
	wire_expect(w, &want);
}

WIRE_TEST(stream_lengths, "D2 D5", "a READ of any length is one message", &rc)
{
	static const uint32_t bytes[] = {
		1, MTU, MTU + 1, 2 * MTU, 5 * MTU - 3, WIRE_BYTES,
	};
	struct xroce_stat before = live_stat(), now;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bytes); i++) {
		next(w, XROCE_RC_READ_REQUEST, bytes[i]);
		wire_send(w);
		expect_read(w, w->req.psn, bytes[i], i + 1);
		w->req.psn += (bytes[i] + MTU - 1) / MTU;
	}
	wire_quiet(w);
	now = live_stat();
	/* READs of more than a packet are queued; that of MTU bytes may not fit its frame. */
	check(now.queued - before.queued >= 4 && now.queued - before.queued <= 5,
	      "%llu were queued", now.queued - before.queued);
}

/* No response overtakes a READ response, and each has the MSN of its own message. */
WIRE_TEST(stream_behind, "D2 D5", "order of responses, and the MSN of each", &rc)
{
	const uint32_t len = 12 * MTU;
	uint32_t psn;

	psn = w->req.psn;
	next(w, XROCE_RC_READ_REQUEST, len);
	wire_send(w);
	w->req.psn = psn + 12;
	next(w, XROCE_RC_WRITE_ONLY, 64);
	wire_send(w);
	w->req.psn = psn + 13;
	next(w, XROCE_RC_FETCH_ADD, 0);
	wire_send(w);
	w->req.psn = psn + 14;
	next(w, XROCE_RC_READ_REQUEST, MTU + 1);
	wire_send(w);
	w->req.psn = psn + 16;
	next(w, XROCE_RC_READ_REQUEST, 4);
	wire_send(w);

	expect_read(w, psn, len, 1);
	expect_other(w, XROCE_RC_ACK, psn + 12, 2);
	expect_atomic(w, psn + 13, 3);
	expect_read(w, psn + 14, MTU + 1, 4);
	expect_read(w, psn + 16, 4, 5);
	wire_quiet(w);
}

/* The MSN wraps at 24 bits. It is set in the map. */
WIRE_TEST(stream_wraps, "D5", "the MSN has 24 bits", &rc)
{
	struct xroce_qp e;
	__u32 slot;

	slot = w->qpn & (LIVE_QP_ENTRIES - 1);
	live_map_get(LIVE_DEV, "qp", slot, &e);
	e.msn = 0xfffffe;
	live_map_put(LIVE_DEV, "qp", slot, &e);
	next(w, XROCE_RC_READ_REQUEST, 3 * MTU);
	wire_send(w);
	expect_read(w, w->req.psn, 3 * MTU, 0xffffff);
	w->req.psn += 3;
	wire_send(w);
	expect_read(w, w->req.psn, 3 * MTU, 0);
	w->req.psn += 3;
	wire_send(w);
	expect_read(w, w->req.psn, 3 * MTU, 1);
	wire_quiet(w);
}

/* Duplicates of a READ, in whole and in part, have the newest MSN. */
WIRE_TEST(stream_again, "D5", "a duplicate has the newest MSN", &rc)
{
	uint32_t psn;

	psn = w->req.psn;
	next(w, XROCE_RC_READ_REQUEST, 5 * MTU);
	wire_send(w);
	expect_read(w, psn, 5 * MTU, 1);
	w->req.psn = psn + 5;
	next(w, XROCE_RC_WRITE_ONLY, 64);
	wire_send(w);
	wire_expect_ack(w, psn + 5, 2);

	w->req.psn = psn;
	next(w, XROCE_RC_READ_REQUEST, 5 * MTU);
	wire_send(w);
	expect_read(w, psn, 5 * MTU, 2);
	w->req.psn = psn + 3;
	w->req.va += 3 * MTU;
	next(w, XROCE_RC_READ_REQUEST, 2 * MTU);
	wire_send(w);
	expect_read(w, psn + 3, 2 * MTU, 2);
	wire_quiet(w);
}

/*
 * A duplicate READ after its region was deregistered gets no response, and the queue pair
 * stays in its state. A new READ is refused.
 */
WIRE_TEST(stream_gone, "R7 D5",
	  "after deregistration a duplicate READ is dropped, a new one refused", &rc)
{
	struct xroce_stat before, now;
	struct packet want;

	next(w, XROCE_RC_READ_REQUEST, 2 * MTU);
	wire_send(w);
	expect_read(w, w->req.psn, 2 * MTU, 1);
	check(!xroce_mr_dereg(w->x, w->mr.mr), "DEREG");
	before = live_stat();
	wire_send(w);
	wire_quiet(w);
	now = live_stat();
	check(now.drop_psn - before.drop_psn == 1 &&
	      now.nak_acc == before.nak_acc, "dropped, without a NAK");
	check(qp_state(w->x, w->qpn) == XROCE_QPS_RTS, "state %u",
	      qp_state(w->x, w->qpn));

	w->req.psn += 2;
	wire_send(w);
	want = wire_response(w, XROCE_RC_ACK);
	want.syndrome = XROCE_SYN_NAK_ACC;
	want.psn = w->req.psn & XROCE_PSN_MASK;
	want.msn = 1;
	wire_expect(w, &want);
	check(qp_state(w->x, w->qpn) == XROCE_QPS_ERR, "state %u",
	      qp_state(w->x, w->qpn));
}

static bool flushed(void *arg)
{
	struct xroce_cqe cqe;

	return xroce_cq_poll(((struct wire *)arg)->cq, &cqe, 1) == 1 &&
	       check(cqe.status == XROCE_WC_WR_FLUSH_ERR, "status %u", cqe.status);
}

/*
 * The response to a READ fails before its end, as the map has a longer region than there is:
 * the queue pair ends as after any other failure, with a cause, and it is counted.
 */
WIRE_TEST(stream_fails, "D5", "a READ that cannot be completed ends the queue pair",
	  &(struct wire_opts){ .recv = true })
{
	struct xroce_async async = {};
	struct xroce_stat before, now;
	struct xroce_sge_local sge;
	struct xroce_qp_query q;
	struct xroce_mpt m;
	struct packet got;
	int i;

	sge = (struct xroce_sge_local){ w->mr.iova, 64, w->mr.lkey };
	for (i = 0; i < 2; i++)
		check(!xroce_post_recv(w->rq, i, &sge, 1), "receive");
	check(live_map_get(LIVE_DEV, "mpt", w->mr.mr, &m), "entry");
	m.length += 4 * MTU;
	check(live_map_put(LIVE_DEV, "mpt", w->mr.mr, &m), "entry");
	w->req.va += WIRE_BYTES - MTU;
	before = live_stat();
	next(w, XROCE_RC_READ_REQUEST, 3 * MTU);
	wire_send(w);
	for (got.opcode = 0, i = 0; i < 3 && got.opcode != XROCE_RC_ACK; i++)
		if (!check(wire_take(w, WIRE_MS, &got, NULL), "no response"))
			break;
	check(got.opcode == XROCE_RC_ACK && got.syndrome == XROCE_SYN_NAK_ACC && !got.msn,
	      "opcode %u, syndrome %#x, MSN %u", got.opcode, got.syndrome, got.msn);
	for (i = 0; i < 2; i++)
		check(live_wait(flushed, w), "receive %d is not flushed", i);
	check(!xroce_async_next(w->x, &async) && async.id == w->qpn &&
	      async.type == XROCE_EVENT_QP_FATAL, "event %u", async.type);
	q = (struct xroce_qp_query){ .qpn = w->qpn };
	check(!xroce_qp_query(w->x, &q) && q.state == XROCE_QPS_ERR &&
	      q.cause == XROCE_CAUSE_ACC_MODULE && q.naks == 1,
	      "state %u, cause %u, %llu NAKs", q.state, q.cause, q.naks);
	now = live_stat();
	check(now.nak_acc - before.nak_acc == 1 && now.acc_module - before.acc_module == 1,
	      "NAKs %llu, cause %llu", now.nak_acc - before.nak_acc,
	      now.acc_module - before.acc_module);
	check(mr_counters(w->mr.mr).refused == 1, "not counted for the region");
}

/*
 * veth copies frames that others may use, and puts the end of a long frame in front of the
 * next frame. After an odd length the next frame begins at an odd address.
 */
WIRE_TEST(stream_odd_frames, "D1 R10", "frames at odd addresses", &rc)
{
	static uint8_t other[4293] = {
		2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x88, 0xb5,
	};
	unsigned int i;

	for (i = 0; i < 60 && !test_failed(); i++) {
		check(send(w->fd, other, sizeof(other) - 2 * i, 0) > 0, "send: %s",
		      strerror(errno));
		switch (i % 3) {
		case 0:
			next(w, XROCE_RC_WRITE_ONLY, 64);
			wire_send(w);
			expect_other(w, XROCE_RC_ACK, w->req.psn, i + 1);
			break;
		case 1:
			next(w, XROCE_RC_READ_REQUEST, 64);
			wire_send(w);
			expect_read(w, w->req.psn, 64, i + 1);
			break;
		case 2:
			next(w, XROCE_RC_FETCH_ADD, 0);
			wire_send(w);
			expect_atomic(w, w->req.psn, i + 1);
			break;
		}
		w->req.psn++;
	}
}

/* A region beside that of @w; @m: its entry in the map. */
static bool other_region(struct wire *w, struct xroce_mr_reg *other, struct xroce_mpt *m)
{
	*other = w->mr;
	other->iova += WIRE_BYTES;
	if (!check_is(xroce_mr_reg(w->x, other), 0, "region"))
		return false;
	w->req.va = other->iova;
	w->req.rkey = other->rkey;
	return check(live_map_get(LIVE_DEV, "mpt", other->mr, m), "entry");
}

/*
 * A READ is repeated, and the module finds that its region has gone, as the map has one that there
 * is not: nothing is sent, and the queue pair goes on.
 */
WIRE_TEST(stream_again_gone, "D5", "a duplicate READ of memory that has gone is dropped", &rc)
{
	struct xroce_mpt m, none;
	struct xroce_mr_reg other;
	uint32_t psn = w->req.psn;
	struct packet req = w->req;

	if (!other_region(w, &other, &m))
		return;
	next(w, XROCE_RC_READ_REQUEST, 5 * MTU);
	wire_send(w);
	expect_read(w, psn, 5 * MTU, 1);
	check(!xroce_mr_dereg(w->x, other.mr), "deregister");
	check(live_map_get(LIVE_DEV, "mpt", other.mr, &none) &&
	      live_map_put(LIVE_DEV, "mpt", other.mr, &m), "entry");
	wire_send(w);
	wire_quiet(w);
	check(live_map_put(LIVE_DEV, "mpt", other.mr, &none), "entry");
	check(qp_state(w->x, w->qpn) == XROCE_QPS_RTS, "state");
	w->req = req;
	w->req.psn = psn + 5;
	next(w, XROCE_RC_WRITE_ONLY, 64);
	wire_send(w);
	wire_expect_ack(w, psn + 5, 2);
}

TEST_MAIN(live_main);
