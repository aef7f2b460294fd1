// SPDX-License-Identifier: GPL-2.0-only
/* Requests to queue pairs in SQD, and changes of attributes there (IBTA 10.3.1). */
#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "live_qp.h"
#include "wire.h"

static const struct wire_opts rc;

static bool to_sqd(struct wire *w)
{
	int ret = qp_move(w->x, w->qpn, XROCE_QPS_SQD, 0);

	return check(!ret, "to SQD: %d", ret);
}

/* READ back what was written, as message @msn. */
static void reads(struct wire *w, uint32_t msn)
{
	struct packet was = w->req, got;

	w->req.opcode = XROCE_RC_READ_REQUEST;
	w->req.payload = 0;
	wire_send(w);
	w->req = was;
	if (!check(wire_take(w, WIRE_MS, &got, NULL), "no response to the READ"))
		return;
	check(got.opcode == XROCE_RC_READ_RESPONSE_ONLY && got.psn == was.psn &&
	      got.msn == msn && got.payload == was.payload,
	      "opcode %#x, PSN %#x, MSN %u, %u bytes", got.opcode, got.psn, got.msn,
	      got.payload);
	w->req.psn++;
}

/*
 * Check that a WRITE is executed and acknowledged, that a READ is answered, and that the
 * state is and stays @state. They are the @nth pair of these.
 */
static void serves(struct wire *w, uint32_t nth, __u32 state)
{
	w->req.pattern += 17;
	wire_send(w);
	wire_expect_ack(w, w->req.psn, 2 * nth - 1);
	check(w->mem[63] == (char)packet_pattern(w->req.pattern, 63),
	      "nothing has been written");
	w->req.psn++;
	reads(w, 2 * nth);
	check(qp_state(w->x, w->qpn) == state, "state %u",
	      qp_state(w->x, w->qpn));
}

/* The queue pair continues with the same PSN in SQD, and back in RTS. */
WIRE_TEST(sqd_goes_on, "D5", "requests in SQD are served as in RTS", &rc)
{
	serves(w, 1, XROCE_QPS_RTS);
	if (to_sqd(w)) {
		serves(w, 2, XROCE_QPS_SQD);
		check(!qp_move(w->x, w->qpn, XROCE_QPS_RTS, 0), "to RTS");
		serves(w, 3, XROCE_QPS_RTS);
	}
}

/* A refusal in SQD ends the queue pair, as in RTS. */
WIRE_TEST(sqd_refused, "D5", "requests in SQD are refused as in RTS", &rc)
{
	struct packet want;

	if (to_sqd(w)) {
		w->req.rkey ^= 1;
		wire_send(w);
		want = wire_response(w, XROCE_RC_ACK);
		want.psn = w->req.psn;
		want.syndrome = XROCE_SYN_NAK_ACC;
		wire_expect(w, &want);
		check(qp_state(w->x, w->qpn) == XROCE_QPS_ERR, "state %u",
		      qp_state(w->x, w->qpn));
		check(qp_move(w->x, w->qpn, XROCE_QPS_RTS, 0), "ERR to RTS");
	}
}

/* A queue pair that was moved from SQD to ERR or RESET sends no response. */
static void ended(__u32 state)
{
	struct xroce_stat before, now;
	struct wire w;

	if (!wire_open(&w, &rc))
		return;
	if (to_sqd(&w)) {
		check(!qp_move(w.x, w.qpn, state, 0), "to state %u", state);
		before = live_stat();
		wire_send(&w);
		wire_quiet(&w);
		now = live_stat();
		check((state == XROCE_QPS_ERR ?
		       now.drop_error - before.drop_error :
		       now.drop_state - before.drop_state) == 1, "not dropped");
		check(!w.mem[0], "written");
	}
	wire_close(&w);
}

TEST(sqd_to_err, "D5", "no response after SQD to ERR") { ended(XROCE_QPS_ERR); }
TEST(sqd_to_reset, "D5", "no response after SQD to RESET") { ended(XROCE_QPS_RESET); }

static void move_to(struct wire *w, const char *own, const char *peer,
		    __u32 state, int want)
{
	struct xroce_qp_modify m = qp_change(w->qpn, state, XROCE_QP_AV);
	int ret;

	inet_pton(AF_INET6, own, m.sgid);
	inet_pton(AF_INET6, peer, m.dgid);
	m.tos = 0x28;
	ret = xroce_qp_modify(w->x, &m);
	check(ret == want, "new addresses in state %u: %d", state, ret);
	if (ret)
		return;
	w->tos = m.tos;
	memcpy(w->req.saddr, m.dgid, 16);
	memcpy(w->req.daddr, m.sgid, 16);
}

/* The peer moves to another address, and to the other address family. */
WIRE_TEST(sqd_addresses, "D1 D5", "the addresses can be changed in SQD", &rc)
{
	struct xroce_stat before, now;
	struct packet old;

	move_to(w, "::ffff:10.77.0.2", "::ffff:10.77.0.9", XROCE_QPS_RTS,
		-EINVAL);
	serves(w, 1, XROCE_QPS_RTS);
	if (!to_sqd(w))
		goto out;
	old = w->req;
	move_to(w, "::ffff:10.77.0.2", "::ffff:224.0.0.9", XROCE_QPS_SQD,
		-EINVAL);
	serves(w, 2, XROCE_QPS_SQD);
	move_to(w, "::ffff:10.77.0.4", "::ffff:10.77.0.9", XROCE_QPS_SQD, 0);
	serves(w, 3, XROCE_QPS_SQD);
	before = live_stat();
	memcpy(w->req.saddr, old.saddr, 16);
	wire_send(w);
	wire_quiet(w);
	now = live_stat();
	check(now.drop_addr - before.drop_addr == 1, "the old peer's packet");

	w->req.ipv6 = true;
	w->req.frag = 0;
	move_to(w, "fd77::4", "fd77::9", XROCE_QPS_SQD, 0);
	serves(w, 4, XROCE_QPS_SQD);
	check(!qp_move(w->x, w->qpn, XROCE_QPS_RTS, 0), "to RTS");
	serves(w, 5, XROCE_QPS_RTS);
out:
}

TEST_MAIN(live_main);
