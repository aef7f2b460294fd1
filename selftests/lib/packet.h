/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * RoCEv2 packets for tests: a description, conversion to bytes, and back. Only the names
 * of xroce_wire.h are shared with the code under test.
 */
#ifndef XROCE_PACKET_H
#define XROCE_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "xroce_wire.h"

#define PACKET_MAX		4600	/* bytes of a frame with a payload of 4096 */
#define PACKET_VLANS		2

#define PACKET_IP_DF		0x4000
#define PACKET_IP_MF		0x2000

/**
 * struct packet - a RoCEv2 packet
 * @dst_mac: Ethernet destination
 * @src_mac: Ethernet source
 * @vlans: number of VLAN tags
 * @vlan: tag protocol identifier and tag control information
 * @ethertype: 0: as @ipv6 says
 * @ipv6: IPv6 instead of IPv4
 * @version: IP version and, for IPv4, header length; 0: right ones
 * @tos: type of service or traffic class
 * @ttl: hop limit
 * @ip_id: IPv4 identification
 * @frag: IPv4 flags and fragment offset
 * @ip_options: IPv4 options, words
 * @flow: IPv6 flow label
 * @proto: IP protocol; 0: UDP
 * @ip6_ext: there is an IPv6 extension header, of 8 bytes
 * @ip6_ext_type: its type
 * @saddr: source; IPv4 in the last four bytes
 * @daddr: destination
 * @sport: UDP source port
 * @dport: UDP destination port
 * @udp_csum: UDP checksum field
 * @opcode: BTH opcode; it decides which headers follow
 * @se: solicited event
 * @mig: migration state
 * @pad: pad count
 * @tver: transport header version
 * @pkey: partition key
 * @fecn: forward congestion
 * @becn: backward congestion
 * @sack: the requester understands selective acknowledgements
 * @again: the packet has been sent before
 * @dqpn: destination queue pair
 * @ackreq: acknowledge request
 * @psn: packet sequence number
 * @va: RETH or AtomicETH virtual address
 * @rkey: RETH or AtomicETH R_Key
 * @dmalen: RETH DMA length
 * @swap: AtomicETH swap or add data
 * @compare: AtomicETH compare data
 * @flush: FETH, before the RETH
 * @qkey: DETH queue key
 * @sqpn: DETH source queue pair
 * @imm: immediate data, or key to invalidate
 * @syndrome: AETH syndrome
 * @msn: AETH message sequence number
 * @orig: AtomicAckETH original data
 * @sack_lost: XROCE_OP_SACK: packets that count as lost if they are missing
 * @sack_bits: XROCE_OP_SACK: those that are kept
 * @xth_cut: bytes missing at the end of the extended headers
 * @payload: bytes of payload, without @pad
 * @pattern: payload byte i is packet_pattern(@pattern, i)
 * @trailer: bytes after the IP packet (Ethernet padding)
 * @ip_adjust: added to the true IP length field
 * @udp_adjust: added to the true UDP length field
 * @ip_csum_flip: exclusive-ored into the true IPv4 header checksum
 * @icrc_flip: exclusive-ored into the true invariant CRC
 */
struct packet {
	uint8_t dst_mac[6];
	uint8_t src_mac[6];
	uint8_t vlans;
	struct {
		uint16_t tpid;
		uint16_t tci;
	} vlan[PACKET_VLANS];
	uint16_t ethertype;

	bool ipv6;
	uint8_t version;
	uint8_t tos;
	uint8_t ttl;
	uint16_t ip_id;
	uint16_t frag;
	uint8_t ip_options;
	uint32_t flow;
	uint8_t proto;
	bool ip6_ext;
	uint8_t ip6_ext_type;
	uint8_t saddr[16];
	uint8_t daddr[16];

	uint16_t sport;
	uint16_t dport;
	uint16_t udp_csum;

	uint8_t opcode;
	bool se;
	bool mig;
	uint8_t pad;
	uint8_t tver;
	uint16_t pkey;
	bool fecn;
	bool becn;
	bool sack;
	bool again;
	uint32_t dqpn;
	bool ackreq;
	uint32_t psn;

	uint64_t va;
	uint32_t rkey;
	uint32_t dmalen;
	uint64_t swap;
	uint64_t compare;
	uint32_t flush;
	uint32_t qkey;
	uint32_t sqpn;
	uint32_t imm;
	uint8_t syndrome;
	uint32_t msn;
	uint64_t orig;
	uint32_t sack_lost;
	uint32_t sack_bits[XROCE_SACK_BITS / 32];
	uint32_t xth_cut;

	uint32_t payload;
	uint8_t pattern;
	uint32_t trailer;

	int ip_adjust;
	int udp_adjust;
	uint16_t ip_csum_flip;
	uint32_t icrc_flip;
};

/**
 * struct frame - the bytes of a packet, and the offsets of its parts
 * @len: bytes
 * @l3: offset of the IP header
 * @l4: offset of the UDP header
 * @bth: offset of the BTH
 * @data: offset of the payload
 * @icrc: offset of the invariant CRC
 * @end: offset after the invariant CRC
 * @bytes: the frame
 */
struct frame {
	uint32_t len;
	uint32_t l3;
	uint32_t l4;
	uint32_t bth;
	uint32_t data;
	uint32_t icrc;
	uint32_t end;
	uint8_t bytes[PACKET_MAX];
};

/* Bytes of the extended headers, between BTH and payload, of this opcode. */
uint32_t packet_xth_len(uint8_t opcode);

static inline uint8_t packet_pattern(uint8_t pattern, uint32_t i)
{
	return pattern + i * 7 + (i >> 8);
}

/*
 * A WRITE of @len bytes in one packet, from 10.77.0.1 to 10.77.0.2, that asks for an ACK.
 * The caller sets queue pair, PSN, address and R_Key.
 */
struct packet packet_write(uint32_t len);

/* Make a congestion notification of a packet; from, to, partition and number stay. */
void packet_cnp(struct packet *packet);

/**
 * packet_build() - make the bytes of a packet
 * @packet: the description; at most PACKET_MAX bytes
 * @frame: the bytes
 */
void packet_build(const struct packet *packet, struct frame *frame);

/* The ICRC of the bytes from @l3 to @icrc, as the field holds it (A17.3.3). */
uint32_t packet_icrc(const uint8_t *bytes, uint32_t l3, uint32_t icrc);

/* Have @bad end with the ICRC of @good, which is another one. */
void packet_stale(struct packet *bad, const struct packet *good);

/*
 * Change bit @i of the fields up to the PSN that may vary between packets of a connection over
 * IPv4. Return: whether there are so many.
 */
bool packet_vary(struct packet *packet, uint32_t i);

/* The Internet checksum of @len bytes; 0 for a header whose checksum is right. */
uint16_t packet_ip_checksum(const uint8_t *bytes, uint32_t len);

#define PACKET_READ_NO_ICRC	(1u << 0)	/* the ICRC of a READ response is zero */

/**
 * packet_parse() - make the description of a response
 * @bytes: the frame
 * @len: its length
 * @flags: PACKET_READ_NO_ICRC
 * @packet: the description; adjustments and flips are zero
 *
 * Return: NULL, or what is wrong with it: wrong lengths, trailing bytes, a wrong IP
 * checksum or ICRC, reserved bits that are set, headers that RoCEv2 does not have.
 */
const char *packet_parse(const uint8_t *bytes, uint32_t len, unsigned int flags,
			 struct packet *packet);

/* Print the fields that differ. Return: the number of these. */
unsigned int packet_diff(const struct packet *want, const struct packet *got);

#endif /* XROCE_PACKET_H */
