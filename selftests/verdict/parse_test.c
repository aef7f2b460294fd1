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

static void write_ipv4(void)
{
	struct scene s;

	if (scene_init(&s))
		expect_write(&s);
}

static void write_ipv6(struct scene *s)
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

static void vlan(struct scene *s)
{
	tag(s, ETH_P_8021Q, 0x6123);
	expect_write(s);
}

static void vlan_ipv6(struct scene *s)
{
	scene_ipv6(s);
	tag(s, ETH_P_8021Q, 0x0fff);
	expect_write(s);
}

static void qinq(struct scene *s)
{
	tag(s, ETH_P_8021AD, 0x2064);
	tag(s, ETH_P_8021Q, 0x0007);
	expect_write(s);
}

static void vlan_three(struct scene *s)
{
	tag(s, ETH_P_8021AD, 1);
	tag(s, ETH_P_8021Q, 2);
	s->req.ethertype = ETH_P_8021Q;
	expect_pass(s, NO_COUNTER);
}

static void not_ip(struct scene *s)
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
static void ip_version(struct scene *s)
{
	s->req.version = 0x65;
	expect_pass(s, NO_COUNTER);
	s->req.version = 0x05;
	expect_pass(s, NO_COUNTER);

	scene_ipv6(s);
	s->req.version = 0x40;
	expect_pass(s, NO_COUNTER);
}

static void ip_options(struct scene *s)
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

static void fragments(struct scene *s)
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

static void ip6_extension(struct scene *s)
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

static void not_udp(struct scene *s)
{
	s->req.proto = IPPROTO_TCP;
	expect_pass(s, NO_COUNTER);
	s->req.proto = IPPROTO_UDPLITE;
	expect_pass(s, NO_COUNTER);
	scene_ipv6(s);
	expect_pass(s, NO_COUNTER);
}

static void other_port(struct scene *s)
{
	static const uint16_t ports[] = { 4790, 4792, 53, 0xb712 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ports) && !test_failed(); i++) {
		s->req.dport = ports[i];
		s->req.sport = XROCE_UDP_PORT;
		expect_pass(s, NO_COUNTER);
	}
}

static void foreign_qpn(struct scene *s)
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

/* Packets for other queue pairs pass, even if malformed. */
static void foreign_malformed(struct scene *s)
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

static void cut_ipv4(void)
{
	struct scene s;

	if (scene_init(&s))
		cut_everywhere(&s, IP4_BTH);
}

static void cut_ipv6(struct scene *s)
{
	scene_ipv6(s);
	cut_everywhere(s, IP6_BTH);
}

static void cut_qinq(struct scene *s)
{
	tag(s, ETH_P_8021AD, 1);
	tag(s, ETH_P_8021Q, 2);
	cut_everywhere(s, IP4_BTH + 8);
}

/* A multi-buffer frame that is cut in any of its buffers. */
static void cut_jumbo(struct scene *s)
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

static void short_ipv4(void)
{
	struct scene s;

	if (scene_init(&s))
		short_everywhere(&s, false);
}

static void short_ipv6(struct scene *s)
{
	scene_ipv6(s);
	short_everywhere(s, false);
}

static void short_padded(void)
{
	struct scene s;

	if (scene_init(&s))
		short_everywhere(&s, true);
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

static void lengths_ipv4(void)
{
	struct scene s;

	if (scene_init(&s))
		lengths_differ(&s);
}

static void lengths_ipv6(struct scene *s)
{
	scene_ipv6(s);
	lengths_differ(s);
}

static void lengths_beyond(struct scene *s)
{
	static const int more[] = { 1, 4, 1000, 60000 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(more) && !test_failed(); i++) {
		s->req.ip_adjust = more[i];
		s->req.udp_adjust = more[i];
		expect_drop(s, COUNTER(drop_length));
	}
}

static void trailer(struct scene *s)
{
	static const uint32_t bytes[] = { 1, 2, 3, 4, 6, 18, 46, 64 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bytes) && !test_failed(); i++) {
		s->req.trailer = bytes[i];
		s->req.psn = s->qp.epsn;
		expect_write(s);
	}
}

static void udp_checksum(struct scene *s)
{
	s->req.udp_csum = 0xbeef;
	expect_write(s);
}

static void ip_checksum(struct scene *s)
{
	int bit;

	for (bit = 0; bit < 16 && !test_failed(); bit++) {
		s->req.ip_csum_flip = 1 << bit;
		expect_drop(s, COUNTER(drop_checksum));
	}
}

static const struct test tests[] = {
	{ "write_ipv4", "D1 D2", "a WRITE over IPv4 is acknowledged",
	  write_ipv4 },
	{ "write_ipv6", "D1 D2", "a WRITE over IPv6 is acknowledged",
	  ON_SCENE(write_ipv6) },
	{ "vlan", "D1", "a VLAN tag is kept in the response", ON_SCENE(vlan) },
	{ "vlan_ipv6", "D1", "a VLAN tag before IPv6", ON_SCENE(vlan_ipv6) },
	{ "qinq", "D1", "two VLAN tags are kept in the response", ON_SCENE(qinq) },
	{ "vlan_three", "D3", "packets with three VLAN tags pass", ON_SCENE(vlan_three) },
	{ "not_ip", "D3", "ARP, RoCEv1 and others pass", ON_SCENE(not_ip) },
	{ "ip_version", "D3", "EtherType and IP version differ",
	  ON_SCENE(ip_version) },
	{ "ip_options", "D3", "packets with IPv4 options pass", ON_SCENE(ip_options) },
	{ "fragments", "D3", "IPv4 fragments pass", ON_SCENE(fragments) },
	{ "ip6_extension", "D3", "packets with IPv6 extension headers pass",
	  ON_SCENE(ip6_extension) },
	{ "not_udp", "D3", "other protocols pass", ON_SCENE(not_udp) },
	{ "other_port", "D3", "other UDP ports pass", ON_SCENE(other_port) },
	{ "foreign_qpn", "D3", "other queue pair numbers pass and are counted",
	  ON_SCENE(foreign_qpn) },
	{ "foreign_malformed", "D3", "malformed packets for other queue pairs pass",
	  ON_SCENE(foreign_malformed) },
	{ "cut_ipv4", "D3 D5 D6", "the frame is cut at every byte", cut_ipv4 },
	{ "cut_ipv6", "D3 D5 D6", "the frame is cut at every byte",
	  ON_SCENE(cut_ipv6) },
	{ "cut_qinq", "D3 D5 D6", "the frame is cut at every byte",
	  ON_SCENE(cut_qinq) },
	{ "cut_jumbo", "D1 D5 D6", "a multi-buffer frame is cut",
	  ON_SCENE(cut_jumbo) },
	{ "short_ipv4", "D3 D5 D6", "every UDP length, in a frame of that length",
	  short_ipv4 },
	{ "short_ipv6", "D3 D5 D6", "every UDP length, in a frame of that length",
	  ON_SCENE(short_ipv6) },
	{ "short_padded", "D3 D5 D6", "every UDP length, followed by Ethernet padding",
	  short_padded },
	{ "lengths_ipv4", "D5 D6", "IP and UDP length differ", lengths_ipv4 },
	{ "lengths_ipv6", "D5 D6", "IP and UDP length differ",
	  ON_SCENE(lengths_ipv6) },
	{ "lengths_beyond", "D5 D6", "IP and UDP length exceed the frame",
	  ON_SCENE(lengths_beyond) },
	{ "trailer", "D1", "Ethernet padding after the request", ON_SCENE(trailer) },
	{ "udp_checksum", "D5", "the UDP checksum is ignored",
	  ON_SCENE(udp_checksum) },
	{ "ip_checksum", "D5 D6", "every bit of the IPv4 checksum is checked",
	  ON_SCENE(ip_checksum) },
};

int main(int argc, char **argv)
{
	return native_main(argc, argv, tests, ARRAY_SIZE(tests));
}
