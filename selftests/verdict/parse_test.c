// SPDX-License-Identifier: GPL-2.0-only
/* Which frames are for us, and whether the lengths and checksums of these are right. */
#include <string.h>

#include <linux/if_ether.h>
#include <netinet/in.h>

#include "harness.h"
#include "scene.h"

#define IP4_BTH		(ETH_HLEN + 20 + 8)
#define IP6_BTH		(ETH_HLEN + 40 + 8)
#define BTH_LEN		12u

SCENE_TEST(write_ipv4, "D1 D2", "a WRITE over IPv4 is acknowledged")
{
	expect_write(s);
}

SCENE_TEST(write_ipv6, "D1 D2", "a WRITE over IPv6 is acknowledged")
{
	scene_ipv6(s);
	expect_write(s);
}

static void tag(struct scene *s, uint16_t tpid, uint16_t tci)
{
	s->req.vlan[s->req.vlans].tpid = tpid;
	s->req.vlan[s->req.vlans].tci = tci;
	s->req.vlans++;
}

SCENE_TEST(vlan, "D1", "a VLAN tag is kept in the response")
{
	tag(s, ETH_P_8021Q, 0x6123);
	expect_write(s);
}

SCENE_TEST(vlan_ipv6, "D1", "a VLAN tag before IPv6")
{
	scene_ipv6(s);
	tag(s, ETH_P_8021Q, 0x0fff);
	expect_write(s);
}

SCENE_TEST(qinq, "D1", "two VLAN tags are kept in the response")
{
	tag(s, ETH_P_8021AD, 0x2064);
	tag(s, ETH_P_8021Q, 0x0007);
	expect_write(s);
}

SCENE_TEST(vlan_three, "D3", "packets with three VLAN tags pass")
{
	tag(s, ETH_P_8021AD, 1);
	tag(s, ETH_P_8021Q, 2);
	s->req.ethertype = ETH_P_8021Q;
	expect_pass(s, NO_COUNTER);
}

SCENE_TEST(not_ip, "D3", "ARP, RoCEv1 and others pass")
{
	static const uint16_t types[] = {
		ETH_P_ARP, ETH_P_LLDP, ETH_P_IBOE, ETH_P_MPLS_UC, 0x0040,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(types) && !test_failed(); i++) {
		s->req.ethertype = types[i];
		expect_pass(s, NO_COUNTER);
	}
}

/* The EtherType and the IP header have different versions. */
SCENE_TEST(ip_version, "D3", "EtherType and IP version differ")
{
	s->req.version = 0x65;
	expect_pass(s, NO_COUNTER);
	s->req.version = 0x05;
	expect_pass(s, NO_COUNTER);

	scene_ipv6(s);
	s->req.version = 0x40;
	expect_pass(s, NO_COUNTER);
}

SCENE_TEST(ip_options, "D3", "packets with IPv4 options pass")
{
	int words;

	for (words = 1; words <= 10 && !test_failed(); words++) {
		s->req.ip_options = words;
		expect_pass(s, NO_COUNTER);
	}
	/* A header length of less than 20 bytes. */
	s->req.ip_options = 0;
	s->req.version = 0x44;
	expect_pass(s, NO_COUNTER);
}

SCENE_TEST(fragments, "D3", "IPv4 fragments pass")
{
	static const uint16_t frags[] = {
		PACKET_IP_MF, 1, 0x1fff, PACKET_IP_MF | 185,
		PACKET_IP_DF | PACKET_IP_MF, PACKET_IP_DF | 0x1000,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(frags) && !test_failed(); i++) {
		s->req.frag = frags[i];
		expect_pass(s, NO_COUNTER);
	}
	/* "Don't fragment" is clear, but the packet is not a fragment. */
	s->req.frag = 0;
	expect_write(s);
}

SCENE_TEST(ip6_extension, "D3", "packets with IPv6 extension headers pass")
{
	static const uint8_t types[] = {
		IPPROTO_HOPOPTS, IPPROTO_ROUTING, IPPROTO_FRAGMENT,
		IPPROTO_DSTOPTS,
	};
	size_t i;

	scene_ipv6(s);
	s->req.ip6_ext = true;
	for (i = 0; i < ARRAY_SIZE(types) && !test_failed(); i++) {
		s->req.ip6_ext_type = types[i];
		expect_pass(s, NO_COUNTER);
	}
}

SCENE_TEST(not_udp, "D3", "other protocols pass")
{
	s->req.proto = IPPROTO_TCP;
	expect_pass(s, NO_COUNTER);
	s->req.proto = IPPROTO_UDPLITE;
	expect_pass(s, NO_COUNTER);
	scene_ipv6(s);
	expect_pass(s, NO_COUNTER);
}

SCENE_TEST(other_port, "D3", "other UDP ports pass")
{
	static const uint16_t ports[] = { 4790, 4792, 53, 0xb712 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ports) && !test_failed(); i++) {
		s->req.dport = ports[i];
		s->req.sport = XROCE_UDP_PORT;
		expect_pass(s, NO_COUNTER);
	}
}

SCENE_TEST(foreign_qpn, "D3", "other queue pair numbers pass and are counted")
{
	static const uint32_t qpns[] = {
		0, 1, 0x11, SCENE_QPN & 0x7fffff, 0x7fffff, XROCE_QPN_MCAST,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(qpns) && !test_failed(); i++) {
		s->req.dqpn = qpns[i];
		expect_pass(s, COUNTER(pass));
	}
}

SCENE_TEST(foreign_malformed, "D3", "malformed packets for other queue pairs pass")
{
	s->req.dqpn = 0x11;
	s->req.tver = 3;
	expect_pass(s, COUNTER(pass));
	s->req.ip_csum_flip = 1;
	expect_pass(s, COUNTER(pass));
	s->req.ip_adjust = 8;
	expect_pass(s, COUNTER(pass));
	s->cut = 20;
	expect_pass(s, COUNTER(pass));
	s->req.opcode = 0xff;
	expect_pass(s, COUNTER(pass));
}

/* The frame is cut at every byte, while the headers have the full length. */
static void cut_everywhere(struct scene *s, uint32_t bth)
{
	struct frame whole;
	uint32_t len;

	packet_build(&s->req, &whole);
	for (len = NATIVE_MIN_FRAME; len < whole.len && !test_failed(); len++) {
		s->cut = whole.len - len;
		if (len < bth + BTH_LEN)
			expect_pass(s, NO_COUNTER);
		else
			expect_drop(s, COUNTER(drop_length));
		if (test_failed())
			note("frame of %u bytes", len);
	}
	s->cut = 0;
	if (!test_failed())
		expect_write(s);
}

SCENE_TEST(cut_ipv4, "D3 D5 D6", "the frame is cut at every byte")
{
	cut_everywhere(s, IP4_BTH);
}

SCENE_TEST(cut_ipv6, "D3 D5 D6", "the frame is cut at every byte")
{
	scene_ipv6(s);
	cut_everywhere(s, IP6_BTH);
}

SCENE_TEST(cut_qinq, "D3 D5 D6", "the frame is cut at every byte")
{
	tag(s, ETH_P_8021AD, 1);
	tag(s, ETH_P_8021Q, 2);
	cut_everywhere(s, IP4_BTH + 8);
}

/* A multi-buffer frame that is cut in any of its buffers. */
SCENE_TEST(cut_jumbo, "D1 D5 D6", "a multi-buffer frame is cut")
{
	struct frame whole;

	s->qp.mtu = 4096;
	scene_put(s);
	scene_payload(s, 4096);
	packet_build(&s->req, &whole);
	for (s->cut = 1; s->cut < 4096 && !test_failed(); s->cut += 61)
		expect_drop(s, COUNTER(drop_length));
	s->cut = 0;
	if (!test_failed())
		expect_write(s);
}

/*
 * The lengths in the headers shrink with the frame. A packet that is too short for BTH and
 * ICRC names no queue pair; a longer one is a malformed request for ours.
 */
static void short_everywhere(struct scene *s, bool padded)
{
	struct frame whole;
	struct scene fresh;
	uint32_t udp_len, full;

	packet_build(&s->req, &whole);
	full = whole.end - whole.l4;
	for (udp_len = 0; udp_len < full && !test_failed(); udp_len++) {
		fresh = *s;
		scene_put(&fresh);
		fresh.req.ip_adjust = udp_len - full;
		fresh.req.udp_adjust = udp_len - full;
		fresh.cut = padded ? 0 : full - udp_len;
		if (udp_len < 8 + BTH_LEN + XROCE_ICRC_LEN)
			expect_pass(&fresh, NO_COUNTER);
		else
			expect_nak(&fresh, XROCE_CAUSE_INV_LENGTH);
		if (test_failed())
			note("UDP length %u", udp_len);
	}
}

SCENE_TEST(short_ipv4, "D3 D5 D6", "every UDP length, in a frame of that length")
{
	short_everywhere(s, false);
}

SCENE_TEST(short_ipv6, "D3 D5 D6", "every UDP length, in a frame of that length")
{
	scene_ipv6(s);
	short_everywhere(s, false);
}

SCENE_TEST(short_padded, "D3 D5 D6", "every UDP length, followed by Ethernet padding")
{
	short_everywhere(s, true);
}

static void lengths_differ(struct scene *s)
{
	static const int off[] = { 1, -1, 4, -4, 8, -8, 20, 64, -64, 1000 };
	size_t i;

	s->req.trailer = 64;
	for (i = 0; i < ARRAY_SIZE(off) && !test_failed(); i++) {
		s->req.ip_adjust = off[i];
		s->req.udp_adjust = 0;
		expect_drop(s, COUNTER(drop_length));
		s->req.ip_adjust = 0;
		s->req.udp_adjust = off[i];
		expect_drop(s, COUNTER(drop_length));
		if (test_failed())
			note("length off by %d", off[i]);
	}
}

SCENE_TEST(lengths_ipv4, "D5 D6", "IP and UDP length differ")
{
	lengths_differ(s);
}

SCENE_TEST(lengths_ipv6, "D5 D6", "IP and UDP length differ")
{
	scene_ipv6(s);
	lengths_differ(s);
}

SCENE_TEST(lengths_beyond, "D5 D6", "IP and UDP length exceed the frame")
{
	static const int more[] = { 1, 4, 1000, 60000 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(more) && !test_failed(); i++) {
		s->req.ip_adjust = more[i];
		s->req.udp_adjust = more[i];
		expect_drop(s, COUNTER(drop_length));
	}
}

SCENE_TEST(trailer, "D1", "Ethernet padding after the request")
{
	static const uint32_t bytes[] = { 1, 2, 3, 4, 6, 18, 46, 64 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bytes) && !test_failed(); i++) {
		s->req.trailer = bytes[i];
		s->req.psn = s->qp.epsn;
		expect_write(s);
	}
}

SCENE_TEST(udp_checksum, "D5", "the UDP checksum is ignored")
{
	s->req.udp_csum = 0xbeef;
	expect_write(s);
}

SCENE_TEST(ip_checksum, "D5 D6", "every bit of the IPv4 checksum is checked")
{
	int bit;

	for (bit = 0; bit < 16 && !test_failed(); bit++) {
		s->req.ip_csum_flip = 1 << bit;
		expect_drop(s, COUNTER(drop_checksum));
	}
}

TEST_MAIN(native_main);
