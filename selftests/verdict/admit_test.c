// SPDX-License-Identifier: GPL-2.0-only
/* Packets for our queue pair numbers that are dropped without a response, by cause. */
#include <string.h>

#include "harness.h"
#include "scene.h"

SCENE_TEST(no_such_qp, "D5 D6", "a packet for a QPN in our range without a queue pair is dropped")
{
	/* The last two have the table slot of the existing queue pair. */
	static const uint32_t qpns[] = {
		XROCE_QPN_BASE, 0xfffffe, SCENE_QPN + 1,
		SCENE_QPN + NATIVE_QP_ENTRIES, SCENE_QPN ^ 0x400000,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(qpns) && !test_failed(); i++) {
		s->req.dqpn = qpns[i];
		expect_drop(s, COUNTER(drop_qpn));
	}
}

/* FECN and BECN are in the same word as the QPN, and may change on the way. */
SCENE_TEST(congestion_bits, "D5", "FECN and BECN are not part of the QPN")
{
	s->req.fecn = true;
	s->req.becn = true;
	expect_write(s);
}

SCENE_TEST(header_version, "D5 D6", "a packet whose TVER is not 0 is dropped")
{
	for (s->req.tver = 1; s->req.tver < 16 && !test_failed(); s->req.tver++)
		expect_drop(s, COUNTER(drop_tver));
}

/* A responder ignores solicited event and migration state. */
SCENE_TEST(header_flags, "D5", "SE and MigReq are ignored")
{
	s->req.se = true;
	s->req.mig = false;
	expect_write(s);
}

SCENE_TEST(response_opcodes, "D5 D6", "ACKs and READ responses are dropped")
{
	static const uint8_t ops[] = {
		XROCE_RC_READ_RESPONSE_FIRST, XROCE_RC_READ_RESPONSE_MIDDLE,
		XROCE_RC_READ_RESPONSE_LAST, XROCE_RC_READ_RESPONSE_ONLY,
		XROCE_RC_ACK, XROCE_RC_ATOMIC_ACK,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ops) && !test_failed(); i++) {
		s->req.opcode = ops[i];
		expect_drop(s, COUNTER(drop_opcode));
	}
}

SCENE_TEST(other_services, "D5 D6", "every opcode of other services is dropped")
{
	unsigned int op;

	for (op = 0x20; op < 0x100 && !test_failed(); op++) {
		s->req.opcode = op;
		/* The payload is not of 16 bytes, as that of a congestion notification. */
		expect_drop(s, COUNTER(drop_opcode));
		if (test_failed())
			note("opcode %#x", op);
	}
}

SCENE_TEST(state, "D5 D6", "RESET, INIT, SQE and ERR do not receive, RTR, RTS and SQD do")
{
	static const struct {
		uint8_t state;
		size_t counter;
	} rows[] = {
		{ XROCE_QPS_RESET, COUNTER(drop_state) },
		{ XROCE_QPS_INIT, COUNTER(drop_state) },
		{ 5, COUNTER(drop_state) },	/* SQE, which a responder does not have */
		{ XROCE_QPS_ERR, COUNTER(drop_error) },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows) && !test_failed(); i++) {
		s->qp.state = rows[i].state;
		scene_put(s);
		expect_drop(s, rows[i].counter);
	}
	for (s->qp.state = XROCE_QPS_RTR; s->qp.state <= XROCE_QPS_SQD;
	     s->qp.state++) {
		scene_put(s);
		s->req.psn = s->qp.epsn;
		expect_write(s);
	}
}

SCENE_TEST(error_field, "D5 D6",
	   "a queue pair that an earlier packet has ended drops the next ones")
{
	uint8_t cause;

	for (cause = XROCE_CAUSE_INV_OPCODE;
	     cause <= XROCE_CAUSE_ACC_MODULE && !test_failed(); cause++) {
		s->qp.error = cause;
		scene_put(s);
		expect_drop(s, COUNTER(drop_error));
	}
}

/* Every byte of both addresses is compared. */
static void flip_addresses(struct scene *s, int first)
{
	int i;

	for (i = first; i < 16 && !test_failed(); i++) {
		s->req.saddr[i] ^= 1;
		expect_drop(s, COUNTER(drop_addr));
		s->req.saddr[i] ^= 1;
		s->req.daddr[i] ^= 0x80;
		expect_drop(s, COUNTER(drop_addr));
		s->req.daddr[i] ^= 0x80;
		if (test_failed())
			note("address byte %d", i);
	}
}

SCENE_TEST(addresses_ipv4, "D5 D6", "a packet with one wrong byte in either address is dropped")
{
	flip_addresses(s, 12);
}

SCENE_TEST(addresses_ipv6, "D5 D6", "a packet with one wrong byte in either address is dropped")
{
	scene_ipv6(s);
	flip_addresses(s, 0);
}

SCENE_TEST(addresses_swapped, "D5 D6", "a packet with our own address as the source is dropped")
{
	memcpy(s->req.saddr, s->qp.saddr, 16);
	memcpy(s->req.daddr, s->qp.daddr, 16);
	expect_drop(s, COUNTER(drop_addr));
}

/* IPv6 with a mapped address is not IPv4. */
SCENE_TEST(address_family, "D5 D6",
	   "a packet of the other IP version with the same address is dropped")
{
	s->req.ipv6 = true;
	expect_drop(s, COUNTER(drop_addr));

	s->req.ipv6 = false;
	s->qp.ipv6 = 1;
	scene_put(s);
	expect_drop(s, COUNTER(drop_addr));
}

/* Of a queue pair: the VLAN that it belongs to. Of a frame: its tags, outermost first. */
struct vlan_case {
	uint16_t vlan;
	uint8_t tags;
	uint16_t tpid;
	uint16_t tci;
	bool admitted;
};

#define C_TAG	0x8100
#define S_TAG	0x88a8

static const struct vlan_case vlan_cases[] = {
	/* any tags */
	{ 0, 0, 0, 0, true },
	{ 0, 1, C_TAG, 5, true },
	{ 0, 1, S_TAG, 5, true },
	{ 0, 2, C_TAG, 5, true },
	/* no tag, or one of priority only */
	{ XROCE_QP_UNTAGGED, 0, 0, 0, true },
	{ XROCE_QP_UNTAGGED, 1, C_TAG, 0xe000, true },
	{ XROCE_QP_UNTAGGED, 1, C_TAG, 1, false },
	{ XROCE_QP_UNTAGGED, 1, C_TAG, 0xfff, false },
	{ XROCE_QP_UNTAGGED, 1, S_TAG, 0, false },
	{ XROCE_QP_UNTAGGED, 2, C_TAG, 0, false },
	/* this VLAN, with any priority */
	{ 5, 1, C_TAG, 5, true },
	{ 5, 1, C_TAG, 0xf005, true },
	{ 5, 0, 0, 0, false },
	{ 5, 1, C_TAG, 0, false },
	{ 5, 1, C_TAG, 4, false },
	{ 5, 1, C_TAG, 0x105, false },
	{ 5, 1, S_TAG, 5, false },
	{ 5, 2, C_TAG, 5, false },
	{ 4094, 1, C_TAG, 4094, true },
	{ 4094, 1, C_TAG, 4095, false },
};

static void vlans_over(bool ipv6)
{
	const struct vlan_case *c;
	struct scene s;
	int i;

	for (c = vlan_cases; c < vlan_cases + ARRAY_SIZE(vlan_cases) && !test_failed(); c++) {
		if (!scene_init(&s))
			return;
		if (ipv6)
			scene_ipv6(&s);
		s.qp.vlan = c->vlan;
		if (c->vlan && c->vlan != XROCE_QP_UNTAGGED)
			s.qp.ipv6 |= XROCE_QP_TAGGED;
		scene_put(&s);
		for (i = 0; i < c->tags; i++) {
			s.req.vlan[s.req.vlans].tpid = c->tpid;
			s.req.vlan[s.req.vlans++].tci = i ? 7 : c->tci;
		}
		if (c->admitted)
			expect_write(&s);
		else
			expect_drop(&s, COUNTER(drop_addr));
		check(!test_failed(), "VLAN %u, %u tags, the first %#x %#x", c->vlan, c->tags,
		      c->tpid, c->tci);
	}
}

TEST(admit_vlan, "D5 V11", "a packet with other tags than the queue pair's is dropped")
{
	vlans_over(false);
	vlans_over(true);
}

/* A response would go to the whole group. */
SCENE_TEST(group_address, "D5 D6", "a packet from an Ethernet multicast address is dropped")
{
	s->req.src_mac[0] |= 1;
	expect_drop(s, COUNTER(drop_addr));
}

/* The response goes to the address that the queue pair was given, whoever has sent the request. */
SCENE_TEST(peer_address, "I4", "a response goes to the peer's Ethernet address")
{
	static const uint8_t mac[8] = { 2, 0, 0, 0, 0, 0x55 };

	memcpy(&s->qp.dmac, mac, sizeof(mac));
	scene_put(s);
	expect_write(s);
	s->req.psn++;
	s->req.vlan[s->req.vlans++].tpid = 0x8100;
	expect_write(s);
	s->req.psn++;
	s->req.src_mac[5] ^= 0x11;
	expect_write(s);
}

SCENE_TEST(peer_address_ipv6, "I4", "the same over IPv6")
{
	scene_ipv6(s);
	in_peer_address(s);
}

/* The stack drops frames for other machines, and no group frame is RoCEv2 for a queue pair. */
SCENE_TEST(other_address, "D5 D6",
	   "other unicast, multicast and broadcast Ethernet addresses pass")
{
	static const uint8_t others[][6] = {
		{ 0 },
		{ 2, 0, 0, 0, 0, 1 },
		{ 2, 0, 0, 0, 0, 0x77 },
		{ 1, 0, 0x5e, 0, 0, 1 },
		{ 0x33, 0x33, 0, 0, 0, 1 },
		{ 0xff, 0xff, 0xff, 0xff, 0xff, 0xff },
	};
	size_t i;
	int bit;

	for (i = 0; i < ARRAY_SIZE(others); i++) {
		memcpy(s->req.dst_mac, others[i], sizeof(s->req.dst_mac));
		expect_pass(s, COUNTER(pass));
	}
	for (bit = 0; bit < 48 && !test_failed(); bit++) {
		if (!scene_init(s))
			return;
		s->req.dst_mac[bit / 8] ^= 1 << bit % 8;
		expect_pass(s, COUNTER(pass));
		s->req.dst_mac[bit / 8] ^= 1 << bit % 8;
		expect_write(s);
	}
}

/* The same with any opcode, with a VLAN tag, over IPv6. */
TEST(other_address_each, "D5 D6", "another Ethernet address, with each opcode, a VLAN tag, IPv6")
{
	struct scene s;
	int opcode;

	for (opcode = 0; opcode < 256 && !test_failed(); opcode++) {
		if (!scene_init(&s))
			return;
		s.req.opcode = opcode;
		s.req.dst_mac[5] ^= 1;
		expect_pass(&s, COUNTER(pass));
		s.req.vlan[s.req.vlans++].tpid = 0x8100;
		expect_pass(&s, COUNTER(pass));
		scene_ipv6(&s);
		expect_pass(&s, COUNTER(pass));
	}
}

SCENE_TEST(partition_differs, "D5 D6", "every bit of the partition key is compared")
{
	int bit;

	for (bit = 0; bit < 15 && !test_failed(); bit++) {
		s->req.pkey = 0xffff ^ 1 << bit;
		expect_drop(s, COUNTER(drop_pkey));
	}
}

SCENE_TEST(partition_members, "D5 D6", "two limited members of a partition do not match")
{
	static const struct {
		uint16_t qp, packet;
		bool match;
	} rows[] = {
		{ 0xffff, 0xffff, true },
		{ 0xffff, 0x7fff, true },
		{ 0x7fff, 0xffff, true },
		{ 0x7fff, 0x7fff, false },
		{ 0x8123, 0x8123, true },
		{ 0x8123, 0x0123, true },
		{ 0x0123, 0x8123, true },
		{ 0x0123, 0x0123, false },
		{ 0x8123, 0xffff, false },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows) && !test_failed(); i++) {
		s->qp.pkey = rows[i].qp;
		scene_put(s);
		s->req.pkey = rows[i].packet;
		s->req.psn = s->qp.epsn;
		if (rows[i].match)
			expect_write(s);
		else
			expect_drop(s, COUNTER(drop_pkey));
		if (test_failed())
			note("QP %#x, packet %#x", rows[i].qp, rows[i].packet);
	}
}

SCENE_TEST(claimed, "D5 D6",
	   "a packet is dropped while another CPU executes one of the queue pair")
{
	s->qp.claim = 1;
	scene_put(s);
	expect_drop(s, COUNTER(drop_busy));
	s->req.psn++;
	expect_drop(s, COUNTER(drop_busy));

	s->qp.claim = 0;
	scene_put(s);
	s->req.psn = s->qp.epsn;
	expect_write(s);
}

/* Each step adds the violation of a rule that is checked earlier. */
SCENE_TEST(order_of_checks, "D5 D6", "the earliest check that fails determines the cause")
{
	s->req.rkey ^= 1;
	s->qp.claim = 1;
	scene_put(s);
	expect_drop(s, COUNTER(drop_busy));
	s->req.pkey = 0x8001;
	expect_drop(s, COUNTER(drop_pkey));
	s->req.saddr[15] ^= 1;
	expect_drop(s, COUNTER(drop_addr));
	s->qp.error = XROCE_CAUSE_ACC_KEY;
	scene_put(s);
	expect_drop(s, COUNTER(drop_error));
	s->qp.error = 0;
	s->qp.state = XROCE_QPS_INIT;
	scene_put(s);
	expect_drop(s, COUNTER(drop_state));
	s->req.opcode = XROCE_RC_ACK;
	expect_drop(s, COUNTER(drop_opcode));
	s->req.dqpn ^= 0x400000;
	expect_drop(s, COUNTER(drop_qpn));
	s->req.tver = 1;
	expect_drop(s, COUNTER(drop_tver));
	s->req.ip_csum_flip = 1;
	expect_drop(s, COUNTER(drop_checksum));
	s->req.udp_adjust = 4;
	expect_drop(s, COUNTER(drop_length));
}

TEST_MAIN(native_main);
