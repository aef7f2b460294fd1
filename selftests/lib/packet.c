// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/in.h>

#include "harness.h"
#include "packet.h"

#define IP4_LEN		20
#define IP6_LEN		40
#define UDP_LEN		8
#define BTH_LEN		12

#define ATOMIC_ETH_LEN	28
#define ATOMIC_ACK_LEN	8

/* A position in a frame that is written from left to right. */
struct cursor {
	uint8_t *at;
};

static void put8(struct cursor *c, uint8_t v)
{
	*c->at++ = v;
}

static void put16(struct cursor *c, uint16_t v)
{
	put8(c, v >> 8);
	put8(c, v);
}

static void put32(struct cursor *c, uint32_t v)
{
	put16(c, v >> 16);
	put16(c, v);
}

static void put64(struct cursor *c, uint64_t v)
{
	put32(c, v >> 32);
	put32(c, v);
}

static void put_bytes(struct cursor *c, const void *bytes, size_t n)
{
	memcpy(c->at, bytes, n);
	c->at += n;
}

static void put_fill(struct cursor *c, uint8_t byte, size_t n)
{
	memset(c->at, byte, n);
	c->at += n;
}

static uint16_t get16(const uint8_t *at)
{
	return at[0] << 8 | at[1];
}

static uint32_t get32(const uint8_t *at)
{
	return (uint32_t)get16(at) << 16 | get16(at + 2);
}

static uint64_t get64(const uint8_t *at)
{
	return (uint64_t)get32(at) << 32 | get32(at + 4);
}

static bool has_reth(uint8_t opcode)
{
	switch (opcode & ~XROCE_OP_SERVICE) {
	case XROCE_RC_WRITE_FIRST:
	case XROCE_RC_WRITE_ONLY:
	case XROCE_RC_WRITE_ONLY_IMM:
	case XROCE_RC_READ_REQUEST:
	case XROCE_RC_ATOMIC_WRITE:
	case XROCE_RC_FLUSH:
		return true;
	}
	return false;
}

static bool has_imm(uint8_t opcode)
{
	switch (opcode & ~XROCE_OP_SERVICE) {
	case XROCE_RC_SEND_LAST_IMM:
	case XROCE_RC_SEND_ONLY_IMM:
	case XROCE_RC_WRITE_LAST_IMM:
	case XROCE_RC_WRITE_ONLY_IMM:
	case XROCE_RC_SEND_LAST_INV:
	case XROCE_RC_SEND_ONLY_INV:
		return true;
	}
	return false;
}

static bool has_aeth(uint8_t opcode)
{
	if (opcode == XROCE_OP_SACK)
		return true;
	switch (opcode & ~XROCE_OP_SERVICE) {
	case XROCE_RC_READ_RESPONSE_FIRST:
	case XROCE_RC_READ_RESPONSE_LAST:
	case XROCE_RC_READ_RESPONSE_ONLY:
	case XROCE_RC_ACK:
	case XROCE_RC_ATOMIC_ACK:
		return true;
	}
	return false;
}

static bool has_atomic_eth(uint8_t opcode)
{
	uint8_t op = opcode & ~XROCE_OP_SERVICE;

	return op == XROCE_RC_CMP_SWAP || op == XROCE_RC_FETCH_ADD;
}

static bool has_feth(uint8_t opcode)
{
	return (opcode & ~XROCE_OP_SERVICE) == XROCE_RC_FLUSH;
}

static bool has_atomic_ack(uint8_t opcode)
{
	return (opcode & ~XROCE_OP_SERVICE) == XROCE_RC_ATOMIC_ACK;
}

static bool has_deth(uint8_t opcode)
{
	return (opcode & XROCE_OP_SERVICE) == XROCE_OP_UD;
}

uint32_t packet_xth_len(uint8_t opcode)
{
	return 4 * has_feth(opcode) + 8 * has_deth(opcode) +
	       16 * has_reth(opcode) + 4 * has_imm(opcode) +
	       4 * has_aeth(opcode) +
	       (opcode == XROCE_OP_SACK ? sizeof(struct xroce_sack) : 0) +
	       ATOMIC_ETH_LEN * has_atomic_eth(opcode) +
	       ATOMIC_ACK_LEN * has_atomic_ack(opcode);
}

/* The tests have their own table; they share none with the code under test. */
static uint32_t crc32_byte(uint32_t crc, uint8_t byte)
{
	static uint32_t table[256];
	static bool made;
	uint32_t i, bit;

	for (i = 0; !made && i < 256; i++) {
		table[i] = i;
		for (bit = 0; bit < 8; bit++)
			table[i] = table[i] & 1 ? table[i] >> 1 ^ 0xedb88320 :
						  table[i] >> 1;
	}
	made = true;
	return table[(crc ^ byte) & 0xff] ^ crc >> 8;
}

/* Whether a byte may change on the way, so that ones replace it in the CRC (A17.3.3). */
static bool icrc_variant(const uint8_t *l3, uint32_t i)
{
	bool ipv6 = l3[0] >> 4 == 6;
	uint32_t l4 = ipv6 ? IP6_LEN : (l3[0] & 0xf) * 4u;

	if (i == l4 + 6 || i == l4 + 7)		/* UDP checksum */
		return true;
	if (i == l4 + UDP_LEN + 4)		/* FECN, BECN, reserved */
		return true;
	if (ipv6)
		return i < 4 || i == 7;		/* class, flow; hop limit */
	return i == 1 || i == 8 || i == 10 || i == 11;	/* TOS, TTL, checksum */
}

uint32_t packet_icrc(const uint8_t *bytes, uint32_t l3, uint32_t icrc)
{
	uint32_t crc = 0xffffffff;
	uint32_t i;

	for (i = 0; i < 8; i++)
		crc = crc32_byte(crc, 0xff);
	for (i = 0; i < icrc - l3; i++) {
		uint8_t byte = bytes[l3 + i];

		/* In byte 0, only four bits of the traffic class change, not the version. */
		if (icrc_variant(bytes + l3, i))
			byte = i ? 0xff : byte | 0x0f;
		crc = crc32_byte(crc, byte);
	}
	/* Least significant byte first. */
	return __builtin_bswap32(~crc);
}

uint16_t packet_ip_checksum(const uint8_t *bytes, uint32_t len)
{
	uint32_t sum = 0;
	uint32_t i;

	for (i = 0; i + 1 < len; i += 2)
		sum += get16(bytes + i);
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

static void put_eth(struct cursor *c, const struct packet *p)
{
	int i;

	put_bytes(c, p->dst_mac, sizeof(p->dst_mac));
	put_bytes(c, p->src_mac, sizeof(p->src_mac));
	for (i = 0; i < p->vlans; i++) {
		put16(c, p->vlan[i].tpid);
		put16(c, p->vlan[i].tci);
	}
	if (p->ethertype)
		put16(c, p->ethertype);
	else
		put16(c, p->ipv6 ? ETH_P_IPV6 : ETH_P_IP);
}

static void put_ip4(struct cursor *c, const struct packet *p, uint32_t l4_len)
{
	uint32_t len = IP4_LEN + 4 * p->ip_options;
	uint8_t *start = c->at;
	struct cursor sum = { start + 10 };

	put8(c, p->version ? p->version : 0x40 | len / 4);
	put8(c, p->tos);
	put16(c, len + l4_len + p->ip_adjust);
	put16(c, p->ip_id);
	put16(c, p->frag);
	put8(c, p->ttl);
	put8(c, p->proto ? p->proto : IPPROTO_UDP);
	put16(c, 0);
	put_bytes(c, p->saddr + 12, 4);
	put_bytes(c, p->daddr + 12, 4);
	put_fill(c, 1, 4 * p->ip_options);	/* no operation */
	put16(&sum, packet_ip_checksum(start, len) ^ p->ip_csum_flip);
}

static void put_ip6(struct cursor *c, const struct packet *p, uint32_t l4_len)
{
	uint8_t proto = p->proto ? p->proto : IPPROTO_UDP;
	uint32_t version = p->version ? p->version >> 4 : 6;

	put32(c, version << 28 | (uint32_t)p->tos << 20 | p->flow);
	put16(c, l4_len + (p->ip6_ext ? 8 : 0) + p->ip_adjust);
	put8(c, p->ip6_ext ? p->ip6_ext_type : proto);
	put8(c, p->ttl);
	put_bytes(c, p->saddr, 16);
	put_bytes(c, p->daddr, 16);
	if (p->ip6_ext) {
		put8(c, proto);
		put8(c, 0);		/* 8 bytes long */
		put_fill(c, 0, 6);
	}
}

static void put_bth(struct cursor *c, const struct packet *p)
{
	put8(c, p->opcode);
	put8(c, p->se << 7 | p->mig << 6 | p->pad << 4 | p->tver);
	put16(c, p->pkey);
	put32(c, (uint32_t)p->fecn << 31 | (uint32_t)p->becn << 30 | (uint32_t)p->again << 25 |
	      (uint32_t)p->sack << 24 | p->dqpn);
	put32(c, (uint32_t)p->ackreq << 31 | p->psn);
}

static void put_sack(struct cursor *c, const struct packet *p)
{
	uint32_t i;

	put32(c, p->sack_lost);
	for (i = 0; i < XROCE_SACK_BITS / 32; i++)
		put32(c, p->sack_bits[i]);
}

static void put_xth(struct cursor *c, const struct packet *p)
{
	if (has_feth(p->opcode))
		put32(c, p->flush);
	if (has_deth(p->opcode)) {
		put32(c, p->qkey);
		put32(c, p->sqpn);
	}
	if (has_reth(p->opcode) || has_atomic_eth(p->opcode)) {
		put64(c, p->va);
		put32(c, p->rkey);
	}
	if (has_reth(p->opcode))
		put32(c, p->dmalen);
	if (has_atomic_eth(p->opcode)) {
		put64(c, p->swap);
		put64(c, p->compare);
	}
	if (has_aeth(p->opcode))
		put32(c, (uint32_t)p->syndrome << 24 | p->msn);
	if (has_atomic_ack(p->opcode))
		put64(c, p->orig);
	if (has_imm(p->opcode))
		put32(c, p->imm);
	if (p->opcode == XROCE_OP_SACK)
		put_sack(c, p);
	c->at -= p->xth_cut;
}

struct packet packet_write(uint32_t len)
{
	return (struct packet){
		.dst_mac = { 2, 0, 0, 0, 0, 2 },
		.src_mac = { 2, 0, 0, 0, 0, 1 },
		.ttl = 64,
		.saddr = { [10] = 0xff, 0xff, 10, 77, 0, 1 },
		.daddr = { [10] = 0xff, 0xff, 10, 77, 0, 2 },
		.sport = 0xd123,
		.dport = XROCE_UDP_PORT,
		.opcode = XROCE_RC_WRITE_ONLY,
		.pkey = 0xffff,
		.ackreq = true,
		.dmalen = len,
		.payload = len,
		.pad = -len & 3,
	};
}

void packet_cnp(struct packet *packet)
{
	packet->opcode = XROCE_OP_CNP;
	packet->becn = true;
	packet->mig = false;
	packet->ackreq = false;
	packet->psn = 0;
	packet->payload = XROCE_CNP_LEN;
	packet->pad = 0;
	packet->tos = 0;
}

void packet_build(const struct packet *p, struct frame *frame)
{
	uint32_t udp_len = UDP_LEN + BTH_LEN + packet_xth_len(p->opcode) - p->xth_cut +
			   p->payload + p->pad + XROCE_ICRC_LEN;
	struct cursor c = { frame->bytes };
	uint32_t i;

	put_eth(&c, p);
	frame->l3 = c.at - frame->bytes;
	if (p->ipv6)
		put_ip6(&c, p, udp_len);
	else
		put_ip4(&c, p, udp_len);

	frame->l4 = c.at - frame->bytes;
	put16(&c, p->sport);
	put16(&c, p->dport);
	put16(&c, udp_len + p->udp_adjust);
	put16(&c, p->udp_csum);

	frame->bth = c.at - frame->bytes;
	put_bth(&c, p);
	put_xth(&c, p);
	frame->data = c.at - frame->bytes;
	for (i = 0; i < p->payload; i++)
		put8(&c, packet_pattern(p->pattern, i));
	put_fill(&c, 0, p->pad);

	frame->icrc = c.at - frame->bytes;
	put32(&c, packet_icrc(frame->bytes, frame->l3, frame->icrc) ^
		  p->icrc_flip);
	frame->end = c.at - frame->bytes;
	put_fill(&c, 0xa5, p->trailer);
	frame->len = c.at - frame->bytes;
}

static const char *parse_eth(const uint8_t *bytes, uint32_t len,
			     struct packet *p, uint32_t *l3)
{
	uint32_t at = 12;
	uint16_t type;

	if (len < ETH_HLEN)
		return "no Ethernet header";
	memcpy(p->dst_mac, bytes, 6);
	memcpy(p->src_mac, bytes + 6, 6);
	type = get16(bytes + at);
	while (type == ETH_P_8021Q || type == ETH_P_8021AD) {
		if (p->vlans == PACKET_VLANS)
			return "more VLAN tags than any test sends";
		if (at + 6 > len)
			return "no room for a VLAN tag";
		p->vlan[p->vlans].tpid = type;
		p->vlan[p->vlans].tci = get16(bytes + at + 2);
		p->vlans++;
		at += 4;
		type = get16(bytes + at);
	}
	*l3 = at + 2;
	p->ipv6 = type == ETH_P_IPV6;
	if (type != ETH_P_IP && type != ETH_P_IPV6)
		return "neither IPv4 nor IPv6";
	return NULL;
}

static const char *parse_ip4(const uint8_t *ip, uint32_t len, struct packet *p)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	if (len < IP4_LEN)
		return "no IPv4 header";
	if (ip[0] != 0x45)
		return "IPv4 version or header length";
	if (packet_ip_checksum(ip, IP4_LEN))
		return "IPv4 header checksum";
	if (get16(ip + 2) != len)
		return "IPv4 total length is not that of the frame";
	if (ip[9] != IPPROTO_UDP)
		return "IPv4 protocol is not UDP";
	p->tos = ip[1];
	p->ip_id = get16(ip + 4);
	p->frag = get16(ip + 6);
	p->ttl = ip[8];
	memcpy(p->saddr, mapped, 12);
	memcpy(p->saddr + 12, ip + 12, 4);
	memcpy(p->daddr, mapped, 12);
	memcpy(p->daddr + 12, ip + 16, 4);
	return NULL;
}

static const char *parse_ip6(const uint8_t *ip, uint32_t len, struct packet *p)
{
	if (len < IP6_LEN)
		return "no IPv6 header";
	if (ip[0] >> 4 != 6)
		return "IPv6 version";
	if (get16(ip + 4) != len - IP6_LEN)
		return "IPv6 payload length is not that of the frame";
	if (ip[6] != IPPROTO_UDP)
		return "IPv6 next header is not UDP";
	p->tos = get16(ip) >> 4;
	p->flow = get32(ip) & 0xfffff;
	p->ttl = ip[7];
	memcpy(p->saddr, ip + 8, 16);
	memcpy(p->daddr, ip + 24, 16);
	return NULL;
}

static const char *parse_bth(const uint8_t *bth, struct packet *p)
{
	p->opcode = bth[0];
	p->se = bth[1] & XROCE_BTH_SE;
	p->mig = bth[1] & XROCE_BTH_MIGREQ;
	p->pad = (bth[1] & XROCE_BTH_PAD_MASK) >> XROCE_BTH_PAD_SHIFT;
	p->tver = bth[1] & XROCE_BTH_TVER_MASK;
	p->pkey = get16(bth + 2);
	p->fecn = bth[4] & 0x80;
	p->becn = bth[4] & 0x40;
	p->again = bth[4] & 0x02;
	p->sack = bth[4] & 0x01;
	p->dqpn = get32(bth + 4) & XROCE_QPN_MASK;
	p->ackreq = bth[8] & 0x80;
	p->psn = get32(bth + 8) & XROCE_PSN_MASK;
	if (bth[4] & 0x3c || bth[8] & 0x7f)
		return "reserved bits of the BTH";
	return NULL;
}

const char *packet_parse(const uint8_t *bytes, uint32_t len, unsigned int flags,
			 struct packet *p)
{
	uint32_t l3 = 0, l4, at, icrc, i;
	const char *wrong;

	memset(p, 0, sizeof(*p));
	wrong = parse_eth(bytes, len, p, &l3);
	if (wrong)
		return wrong;
	wrong = p->ipv6 ? parse_ip6(bytes + l3, len - l3, p) :
			  parse_ip4(bytes + l3, len - l3, p);
	if (wrong)
		return wrong;

	l4 = l3 + (p->ipv6 ? IP6_LEN : IP4_LEN);
	if (l4 + UDP_LEN + BTH_LEN + XROCE_ICRC_LEN > len)
		return "no room for UDP, BTH and ICRC";
	p->sport = get16(bytes + l4);
	p->dport = get16(bytes + l4 + 2);
	p->udp_csum = get16(bytes + l4 + 6);
	if (get16(bytes + l4 + 4) != len - l4)
		return "UDP length is not that of the frame";

	at = l4 + UDP_LEN;
	wrong = parse_bth(bytes + at, p);
	if (wrong)
		return wrong;
	at += BTH_LEN;

	icrc = len - XROCE_ICRC_LEN;
	if (at + packet_xth_len(p->opcode) + p->pad > icrc)
		return "no room for the headers of its opcode";
	if (has_aeth(p->opcode)) {
		p->syndrome = bytes[at];
		p->msn = get32(bytes + at) & 0xffffff;
	}
	if (has_atomic_ack(p->opcode))
		p->orig = get64(bytes + at + 4);
	if (p->opcode == XROCE_OP_SACK) {
		p->sack_lost = get32(bytes + at + 4);
		for (i = 0; i < XROCE_SACK_BITS / 32; i++)
			p->sack_bits[i] = get32(bytes + at + 8 + 4 * i);
	}
	at += packet_xth_len(p->opcode);
	p->payload = icrc - p->pad - at;

	if (flags & PACKET_READ_NO_ICRC &&
	    p->opcode == XROCE_RC_READ_RESPONSE_ONLY) {
		if (get32(bytes + icrc))
			return "ICRC field is not zero";
	} else if (get32(bytes + icrc) != packet_icrc(bytes, l3, icrc)) {
		return "ICRC";
	}
	return NULL;
}

/* Return: the ICRC that a packet has. */
static uint32_t icrc_of(const struct packet *packet)
{
	static struct frame f;

	packet_build(packet, &f);
	return packet_icrc(f.bytes, f.l3, f.icrc);
}

void packet_stale(struct packet *bad, const struct packet *good)
{
	bad->icrc_flip = icrc_of(good) ^ icrc_of(bad);
	check(bad->icrc_flip, "the ICRC of opcode %#x is the same", bad->opcode);
}

bool packet_vary(struct packet *packet, uint32_t i)
{
	if (i < 16) {
		packet->ip_id ^= 1 << i;
	} else if (i < 32) {
		packet->sport ^= 1 << (i - 16);
	} else if (i < 56) {
		packet->psn ^= 1 << (i - 32);
	} else {
		packet->se ^= i == 56;
		packet->mig ^= i == 57;
		packet->ackreq ^= i == 58;
		packet->frag ^= i == 59 ? 0x4000 : 0;	/* DF */
	}
	return i < 60;
}
