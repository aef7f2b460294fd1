// SPDX-License-Identifier: GPL-2.0-only
/* RDMA READ: responses, and every kind of refusal. */
#include "access.h"
#include "harness.h"

#define PSN(n)	((n) & XROCE_PSN_MASK)

/* A READ of @bytes, in order. */
static void read_bytes(struct scene *s, uint32_t bytes)
{
	s->req.dmalen = bytes;
	s->req.psn = s->qp.epsn;
	expect_kept(s);
	if (test_failed())
		note("READ of %u bytes, path MTU %u", bytes, s->qp.mtu);
}

TEST(read_answer, "D1 D2 D5", "opcode, AETH, pad and length of responses")
{
	struct scene s;
	uint32_t bytes;

	if (!scene_requested(&s, XROCE_RC_READ_REQUEST))
		return;
	for (bytes = 0; bytes <= 70 && !test_failed(); bytes++) {
		s.req.ackreq = bytes & 1;	/* it is answered all the same */
		read_bytes(&s, bytes);
	}
	if (!scene_requested(&s, XROCE_RC_READ_REQUEST))
		return;
	scene_ipv6(&s);
	for (bytes = 0; bytes <= 9 && !test_failed(); bytes++)
		read_bytes(&s, bytes);
}

REQUEST_TEST(read_vlan, "D1", "a response that is longer than the request, with VLAN tags",
	     XROCE_RC_READ_REQUEST)
{
	while (s->req.vlans < PACKET_VLANS) {
		s->req.vlan[s->req.vlans].tpid = 0x8100;
		s->req.vlan[s->req.vlans].tci = 0x2064 + s->req.vlans;
		s->req.vlans++;
		read_bytes(s, 61);
		read_bytes(s, 1024);
	}
}

REQUEST_TEST(read_packets, "D2 D5", "a READ takes a PSN for each packet of the response",
	     XROCE_RC_READ_REQUEST)
{
	size_t i, j;

	for (i = 0; i < SCENE_MTUS; i++) {
		uint32_t mtu = scene_mtus[i];
		const struct {
			uint32_t bytes, packets;
		} rows[] = {
			{ 0, 1 }, { 1, 1 }, { mtu - 1, 1 }, { mtu, 1 },
			{ mtu + 1, 2 }, { 2 * mtu, 2 }, { 2 * mtu + 1, 3 },
			{ 65536, 65536 / mtu }, { 65537, 65536 / mtu + 1 },
		};

		s->qp.mtu = mtu;
		scene_put(s);
		for (j = 0; j < ARRAY_SIZE(rows) && !test_failed(); j++) {
			uint32_t first = s->qp.epsn;

			read_bytes(s, rows[j].bytes);
			check(s->qp.epsn == PSN(first + rows[j].packets),
			      "expected PSN is %#x", s->qp.epsn);
		}
	}
}

REQUEST_TEST(read_psn_wraps, "D5", "the PSNs of a response pass 2^24", XROCE_RC_READ_REQUEST)
{
	s->qp.epsn = 0xfffffe;
	scene_put(s);
	read_bytes(s, 64);
	read_bytes(s, 3 * 1024);
	check(s->qp.epsn == 2, "expected PSN is %#x", s->qp.epsn);
	read_bytes(s, 64);

	s->qp.epsn = 0xffffff;
	scene_put(s);
	read_bytes(s, 64);
	check(s->qp.epsn == 0, "expected PSN is %#x", s->qp.epsn);
}

REQUEST_TEST(read_msn_wraps, "D5", "the MSN of a response passes 2^24", XROCE_RC_READ_REQUEST)
{
	s->qp.msn = 0xffffff;
	scene_put(s);
	read_bytes(s, 64);
	check(s->qp.msn == 0, "MSN is %#x", s->qp.msn);
}

REQUEST_TEST(read_longest, "D5 D6", "a READ of 2^31 bytes, and of more", XROCE_RC_READ_REQUEST)
{
	access_longest(s);
	s->qp.mtu = 256;
	access_longest(s);
}

/* A READ request has a RETH and nothing else. */
REQUEST_TEST(read_lengths, "D5 D6", "a READ request with payload, pad or half a RETH",
	     XROCE_RC_READ_REQUEST)
{
	static const uint32_t cuts[] = { 1, 2, 3, 4, 8, 15, 16 };
	uint32_t n;

	for (n = 1; n <= 8 && !test_failed(); n++) {
		s->req.payload = n;
		expect_refused(s, XROCE_CAUSE_INV_LENGTH);
		s->req.pad = -n & 3;
		expect_refused(s, XROCE_CAUSE_INV_LENGTH);
		s->req.pad = 0;
	}
	s->req.payload = 0;
	for (n = 1; n <= 3 && !test_failed(); n++) {
		s->req.pad = n;
		expect_refused(s, XROCE_CAUSE_INV_LENGTH);
		/* A pad count without the pad bytes. */
		s->req.ip_adjust = -(int)n;
		s->req.udp_adjust = -(int)n;
		expect_refused(s, XROCE_CAUSE_INV_LENGTH);
		s->req.ip_adjust = 0;
		s->req.udp_adjust = 0;
	}
	s->req.pad = 0;
	for (n = 0; n < ARRAY_SIZE(cuts) && !test_failed(); n++) {
		s->req.ip_adjust = -(int)cuts[n];
		s->req.udp_adjust = -(int)cuts[n];
		expect_refused(s, XROCE_CAUSE_INV_LENGTH);
		if (test_failed())
			note("RETH without %u bytes", cuts[n]);
	}
}

REQUEST_TEST(read_inside, "D5 D6", "a READ within a WRITE message", XROCE_RC_READ_REQUEST)
{
	expect_not_inside(s);
}

REQUEST_TEST(read_qp_right, "D5 D6", "a queue pair without remote read is refused",
	     XROCE_RC_READ_REQUEST)
{
	access_qp_rights(s, XROCE_ACCESS_REMOTE_READ);
}

REQUEST_TEST(read_region_right, "R2 D5 D6", "a region without remote read is refused",
	     XROCE_RC_READ_REQUEST)
{
	access_region_rights(s, XROCE_ACCESS_REMOTE_READ);
}

REQUEST_TEST(read_resources, "D5 D6", "a queue pair without responder resources is refused",
	     XROCE_RC_READ_REQUEST)
{
	expect_not_kept(s);
	s->req.dmalen = 0;
	expect_not_kept(s);
}

REQUEST_TEST(read_keys, "R9 P2 D5 D6",
	     "a wrong key, a key that is not valid, another domain are refused",
	     XROCE_RC_READ_REQUEST)
{
	access_wrong_keys(s);
	access_wrong_states(s);
	access_wrong_pds(s);
}

REQUEST_TEST(read_bounds, "D5 D6", "one byte past either end of a region is refused",
	     XROCE_RC_READ_REQUEST)
{
	access_edges(s);
	s->mpt.iova = 0;
	access_edges(s);
	s->mpt.iova = 0ull - s->mpt.length;
	access_edges(s);
	s->mpt.iova = -1ull - s->mpt.length;
	access_edges(s);
}

REQUEST_TEST(read_nothing, "D5", "the key of a READ of no bytes is not checked",
	     XROCE_RC_READ_REQUEST)
{
	access_nothing(s);
}

REQUEST_TEST(read_order_of_checks, "D5 D6", "the earliest check that fails determines the cause",
	     XROCE_RC_READ_REQUEST)
{
	access_order(s, XROCE_ACCESS_REMOTE_READ);
	s->req.payload = 4;
	expect_refused(s, XROCE_CAUSE_INV_LENGTH);
	s->qp.rd_max = 0;
	expect_refused(s, XROCE_CAUSE_INV_RESOURCES);
	s->qp.access = XROCE_ACCESS_REMOTE_WRITE;
	expect_refused(s, XROCE_CAUSE_INV_QP_ACCESS);
	s->qp.op = XROCE_RC_WRITE_FIRST;
	expect_refused(s, XROCE_CAUSE_INV_ORDER);
	s->req.psn++;
	scene_put(s);
	expect_nak_seq(s);
}

/* A READ that closes a gap is answered, and the next gap has a NAK again. */
REQUEST_TEST(read_gap, "D5 D6", "a READ closes a gap", XROCE_RC_READ_REQUEST)
{
	s->req.psn++;
	expect_nak_seq(s);
	expect_drop(s, COUNTER(drop_psn));
	read_bytes(s, 3000);
	s->req.psn++;		/* a PSN of the response: a duplicate */
	s->req.dmalen = 64;
	expect_again(s, 0);
	s->req.psn = s->qp.epsn + 1;
	expect_nak_seq(s);
}

/* Responses are queued behind those that the module has yet to send. */
TEST(read_behind_queue, "D2 D5", "no response overtakes another")
{
	struct scene s;

	if (!scene_requested(&s, XROCE_RC_READ_REQUEST))
		return;
	s.qp.queued = 1;
	scene_put(&s);
	read_bytes(&s, 64);
	read_bytes(&s, 0);
	read_bytes(&s, 5000);
	s.req.psn = PSN(s.qp.epsn - 1);
	expect_drop(&s, COUNTER(drop_psn));	/* beyond the end of the kept READ */

	s.req.opcode = XROCE_RC_WRITE_ONLY;
	expect_duplicate(&s);
	s.req.ackreq = false;
	expect_duplicate(&s);
	s.req.psn = s.qp.epsn;
	scene_payload(&s, 64);
	expect_write(&s);			/* no response */
	s.req.psn = s.qp.epsn;
	s.req.ackreq = true;
	expect_write(&s);
	s.req.psn = s.qp.epsn + 1;
	expect_nak_seq(&s);
	s.req.psn = s.qp.epsn;
	s.req.opcode = XROCE_RC_SEND_ONLY;
	expect_rnr(&s);
	s.req.opcode = XROCE_RC_WRITE_LAST;
	expect_nak(&s, XROCE_CAUSE_INV_ORDER);

	/* With an empty queue, the response is sent at once. */
	if (!scene_requested(&s, XROCE_RC_READ_REQUEST))
		return;
	read_bytes(&s, 64);
}

TEST_MAIN(native_main);
