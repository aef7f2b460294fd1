/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Values of the BPF maps, which the XDP program, the module, the library and the command share.
 * Programs have no part in it: the layout belongs to a version. The maps are pinned under
 * /sys/fs/bpf/xroce/<netdev>/. In <netdev> "." is written "%2e" and "%" is written "%25", because
 * bpffs accepts no dots in names.
 *
 * The comment of each structure says who writes which field: the module, the XDP program,
 * or a program that reads events. Fields of a queue pair that both write are written under
 * xroce_qp::claim. Numbers are in host byte order unless the type says otherwise.
 *
 * The module trusts no map: it looks up a key in its own tables again before it touches a
 * page.
 */
#ifndef _XROCE_MAP_H
#define _XROCE_MAP_H

#include <linux/types.h>

#include "uapi/xroce.h"
#include "xroce_counter.h"

/* A key is 24 bits of index into the MPT and 8 bits of key (IBTA 3.5.3). */
#define XROCE_KEY_SHIFT		8

/*
 * Queue pair numbers from this one on are xroce's; 0xffffff is multicast. With a verbs device
 * the general services interface is xroce's, too (IBTA 13.5).
 */
#define XROCE_QPN_GSI		1u
#define XROCE_QPN_BASE		0x800000u
#define XROCE_QPN_MCAST		0xffffffu

/* State of an entry of the memory protection table. */
enum xroce_mpt_state {
	XROCE_MPT_FREE,		/* unused */
	XROCE_MPT_INVALID,	/* no access: an unbound window, or an entry being changed */
	XROCE_MPT_VALID,	/* a region or a bound window */
};

/* What an entry of the memory protection table is. */
enum xroce_mpt_type {
	XROCE_MPT_MR = 1,	/* region */
	XROCE_MPT_MW_1,		/* memory windows of types 1, 2A and 2B */
	XROCE_MPT_MW_2A,
	XROCE_MPT_MW_2B,
	XROCE_MPT_MR_FAST,	/* region of the kernel that work requests register */
};

/* xroce_netdev::addr if the address is unknown; no device has this address */
#define XROCE_NETDEV_NO_ADDR	(~0ull)

/**
 * struct xroce_netdev - map "netdev": the network device of the link
 * @addr: its Ethernet address as a word, see xroce_netdev_addr()
 *
 * An array with one entry. Only the module writes it: when the link starts to serve, and
 * whenever the address changes.
 */
struct xroce_netdev {
	__u64 addr;
};

/**
 * xroce_netdev_word() - the destination address of a frame, as a word
 * @frame: the first eight bytes of the frame
 *
 * Return: the word, to compare with struct xroce_netdev::addr.
 */
static inline __u64 xroce_netdev_word(__u64 frame)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	return frame << 16;
#else
	return frame >> 16;
#endif
}

/**
 * xroce_netdev_addr() - the same word for an Ethernet address
 * @addr: six bytes
 *
 * Return: the word.
 */
static inline __u64 xroce_netdev_addr(const __u8 *addr)
{
	__u64 frame = 0;

	__builtin_memcpy(&frame, addr, 6);
	return xroce_netdev_word(frame);
}

/**
 * struct xroce_mpt - map "mpt": an entry of the memory protection table
 * @key: index << 8 | key byte; the index is the position of this entry. MR_FAST, and INVALID: 0
 * @state: enum xroce_mpt_state; written last, with release order
 * @type: enum xroce_mpt_type
 * @access: XROCE_ACCESS_*
 * @pd: protection domain
 * @qpn: queue pair that a type 2 window belongs to; 0: any
 * @iova: address of the first byte
 * @length: bytes
 * @mr: window: index of the region that it is bound to
 * @reserved: 0
 *
 * An array; the map key is the key index. Only the module writes it.
 */
struct xroce_mpt {
	__u32 key;
	enum xroce_mpt_state state;
	enum xroce_mpt_type type;
	__u32 access;
	__u32 pd;
	__u32 qpn;
	__u64 iova;
	__u64 length;
	__u32 mr;
	__u32 reserved[5];
};

/*
 * Map "mr_stat": peers' accesses to a region, one copy per CPU: the table in xroce_counter.h.
 *
 * A per-CPU array; the map key is the key index, as in "mpt". The module counts the bytes
 * that it moves. Refusals are counted by the XDP program, those of receives by the module.
 * The module zeroes an entry when a region gets the index. A packet for the previous region
 * of the index that is still being executed may be counted afterwards.
 *
 * If the map would exceed its limit of memory, it has a single entry, which belongs to no
 * region.
 */
struct xroce_mr_stat {
	XROCE_MR_COUNTERS(XROCE_COUNTER_FIELD)
};

/* Number of causes that are counted in xroce_qp::drops. */
#define XROCE_QP_DROPS	(XROCE_DROP_BUSY - XROCE_DROP_QKEY + 1)

/* 32-bit words of a response's headers, from the IP header to before the PSN. */
#define XROCE_RESPONSE_WORDS4	9	/* with an IPv4 header */
#define XROCE_RESPONSE_WORDS	14	/* with an IPv6 header */

/**
 * struct xroce_read_lengths - header fields of a one-packet READ response that depend on
 *	its length, in network byte order
 * @known: payload length that the other fields are for, plus 1; 0: they are not valid
 * @udp: length in the UDP header, and payload length in the IPv6 header
 * @ip: total length in the IPv4 header
 * @check: checksum of the IPv4 header
 * @flags: flags of the BTH, with the pad count
 * @reserved: 0
 */
struct xroce_read_lengths {
	__u16  known;
	__be16 udp;
	__be16 ip;
	__u16  check;
	__u8   flags;
	__u8   reserved[3];
};

/**
 * struct xroce_qp - map "qp": a queue pair
 * @qpn: number; 0: the entry is free. Its position is qpn % entries
 * @state: enum xroce_qp_state; written last, with release order
 * @type: enum xroce_qp_type
 * @pd: protection domain
 * @access: XROCE_ACCESS_REMOTE_*
 * @dest_qpn: the peer's number
 * @pkey: partition key
 * @sport: UDP source port of responses and requests
 * @mtu: bytes of the path MTU
 * @tos: IPv4 type of service or IPv6 traffic class of responses and requests
 * @ttl: hop limit of responses and requests
 * @min_rnr_timer: timer code of RNR NAKs
 * @ipv6: 1: IPv6; 0: IPv4, in the last words of @saddr and @daddr; XROCE_QP_TAGGED is added
 *	if @vlan is a VLAN. XROCE_QP_ANY_ADDR: UD, datagrams to any address of the machine
 * @saddr: own address
 * @daddr: the peer's address
 *
 * @claim: 1 while a packet of this queue pair is executed. The XDP program takes it by an
 *	exchange, the module by compare-and-exchange
 * @epsn: next expected PSN
 * @msn: messages completed, 24 bits
 * @error: enum xroce_cause that ended it, or 0
 * @nak_sent: a sequence or RNR NAK has been sent; no other NAK until the expected PSN
 *	arrives
 * @op: opcode of the first packet of the message in progress, or XROCE_QP_OP_NONE
 * @rd_head: position in its struct xroce_rd_ring of the next entry to be written
 * @va: address of the next byte of the message in progress
 * @resid: remaining bytes of the message in progress
 * @rd_count: number of valid entries of its struct xroce_rd_ring
 * @misses: UC: requests refused for their key; the XROCE_UC_MISSES-th ends the queue pair
 * @ahead: RC: the low bits of the PSN of the last packet that was executed ahead of its turn and
 *	that the peer sends again, with XROCE_QP_AHEAD; 0: there is none. A duplicate before it
 *	acknowledges only itself
 * @packets: requests accepted in order
 * @bytes: payload bytes written to regions
 * @tx_more: bytes of the responses that the XDP program sent in the frames of requests,
 *	minus XROCE_ACK_BYTES for each response
 * @silent: RC: requests counted in @packets, @duplicates and @naks that the program did not
 *	respond to, because no response was requested or the module sends it. All others were
 *	responded to, so that an ordinary request and its acknowledgement need no counter.
 *	struct xroce_qp_query has the sum of all responses
 *
 * @queued: approximate number of responses that the module has yet to send, plus one if the
 *	device would lose frames of XDP_TX. If it is not 0, the module sends new responses, too
 * @generation: changes with each connection. A packet is executed only on the connection
 *	that it was admitted to
 * @qkey: UD: queue key
 * @rd_max: READs and atomics kept for replay, 0 to XROCE_RD_MAX
 * @recv: 1: it has a receive queue, its own or a shared one
 * @sq: 1: binds and invalidations may be posted to its send queue, which precede packets: it has
 *	one, and its owner has windows
 * @deferred: 1: it has deferred frames; new ones are deferred behind them
 *
 * @icrc_part: contribution of PSN, syndrome and MSN of the last response to its invariant CRC,
 *	without the low bytes of PSN and MSN; [0] for an acknowledgement, [1] for an atomic
 *	one
 * @icrc_for: PSN, syndrome and MSN that @icrc_part is for; 0: none
 * @pkey_full: @pkey in network byte order, if it is that of a full member, which matches
 *	any packet with the same key (IBTA 10.9.3); otherwise a value of more than 16 bits
 * @read_max: longest READ in bytes that is answered in the frame of the request: @mtu, or
 *	less if longer ones recently found no room in the frame
 * @read_icrc: invariant CRC of the peer's READ requests, for a full member over IPv4, with
 *	zero in the fields that vary: identification and flags of IPv4, source port, flags
 *	of the BTH, AckReq, PSN and RETH
 * @read: lengths of the last READ response that the XDP program made
 *
 * @response: RC: template of an acknowledgement, from the IP header to before the PSN: 9 words
 *	for IPv4, 14 for IPv6
 * @ack_icrc: invariant CRC of an acknowledgement whose PSN, syndrome and MSN are zero
 * @atomic_icrc: invariant CRC of an atomic acknowledgement whose PSN, syndrome, MSN and
 *	result are zero
 * @atomic_check: IPv4 header checksum of an atomic acknowledgement, in network byte order
 *
 * @rkey: R_Key of the message in progress
 * @length: total bytes of the WRITE in progress
 * @duplicates: duplicate requests
 * @naks: negative acknowledgements sent
 * @dmac: the peer's Ethernet address, or that of the next hop, in the first six bytes: responses go
 *	there; 0: it was not given, and they go to the source of the request
 * @drops: packets dropped, by cause from XROCE_DROP_QKEY on. Any CPU adds to it, atomically.
 *	The causes that need no claim are in a separate cache line, so that whoever sends
 *	such packets does not slow down other packets
 *
 * @req_una: requester: oldest PSN that is not acknowledged
 * @req_top: PSN after the last one that has been sent
 * @req_psn: PSN expected next in response to the oldest READ or atomic
 * @req_op: XROCE_RC_READ_REQUEST, XROCE_RC_FETCH_ADD (all atomics) or XROCE_RC_FLUSH (FLUSH
 *	and ATOMIC WRITE): what that is; XROCE_QP_OP_NONE: none is outstanding
 * @req: 1: it accepts responses
 * @req_packets: request packets sent
 * @req_bytes: bytes of these with all headers
 * @req_retransmits: those of them that were sent before
 * @req_timeouts: local ACK timeouts
 * @req_rnr_naks: RNR NAKs received
 * @req_seq_naks: sequence NAKs received
 * @req_implied_naks: lost responses to READs and atomics that later responses have shown
 * @req_window: runs that ended because the window was full
 * @req_responses: responses accepted
 * @req_response_bytes: payload bytes of READ responses accepted
 * @req_ignored: responses ignored: duplicates, those out of sequence, and those that fit
 *	nothing outstanding
 * @vlan: of RC and UC: packets must have the tag of this VLAN, 1 to 4094, and no other;
 *	XROCE_QP_UNTAGGED: they must have no tag, or one of priority only; 0: with any tags or none
 * @req_probes: times that nothing was heard, and the oldest and the last packet were sent again
 * @req_stale: responses to what is not outstanding any more. Only the XDP program writes it, on any
 *	CPU: a sign that the peer is alive, not a counter
 * @req_cnps: congestion notifications of the peer, and marked packets of responses. Like @req_stale
 *	only the XDP program writes it; an algorithm of congestion control hears of what is added
 * @req_sacks: selective acknowledgements received
 *
 * An array. Cache lines and their writers:
 *
 * 1. identity, @qpn to @daddr: the module.
 * 2. state, @claim to @silent: the XDP program under @claim. The module takes @claim to
 *    reset the line on the way to RESET and RTR, and to count a NAK that it sends for
 *    deferred frames (@nak_sent, @silent). Without @claim it sets @ahead, and @error, if that is
 *    0, when a queued response fails.
 * 3. @queued to @read: the module, except @icrc_part, @icrc_for, @read_max and @read, which
 *    the XDP program writes under @claim, rarely.
 * 4. template, @response to @atomic_icrc: the module.
 * 5. @rkey to the first of @drops: as line 2, for packets that are less frequent; the NAK
 *    of the module is counted in @naks. The module writes @dmac.
 * 6. the other @drops: the XDP program without a claim.
 * 7. and 8. requester, @req_una to @req_sacks, and @vlan: the module, but for @req_stale and
 *    @req_cnps. The program reads the first five of these to judge a response; the module checks
 *    again.
 */
struct xroce_qp {
	__u32  qpn;
	enum xroce_qp_state state;
	enum xroce_qp_type type;
	__u32  pd;
	__u16  access;
	__u16  pkey;
	__u32  dest_qpn;
	__u16  sport;
	__u16  mtu;
	__u8   tos;
	__u8   ttl;
	__u8   min_rnr_timer;
	__u8   ipv6;
	__be32 saddr[4];
	__be32 daddr[4];

	__u32  claim;
	__u32  epsn;
	__u32  msn;
	__u8   error;
	__u8   nak_sent;
	__u8   op;
	__u8   rd_head;
	__u64  va;
	__u32  resid;
	__u16  rd_count;
	union {
		__u16 misses;
		__u16 ahead;
	};
	__u64  packets;
	__u64  bytes;
	__u64  tx_more;
	__u64  silent;

	__u32  queued;
	__u32  generation;
	__u32  qkey;
	__u8   rd_max;
	__u8   recv;
	__u8   sq;
	__u8   deferred;
	__u32  icrc_part[2];
	__u64  icrc_for[2];
	__u32  pkey_full;
	__u16  atomic_check;
	__u16  read_max;
	__u32  read_icrc;
	struct xroce_read_lengths read;

	__be32 response[XROCE_RESPONSE_WORDS];
	__u32  ack_icrc;
	__u32  atomic_icrc;

	__u32  rkey;
	__u32  length;
	__u64  duplicates;
	__u64  naks;
	__u64  dmac;
	__u64  drops[XROCE_QP_DROPS];

	__u32  req_una;
	__u32  req_top;
	__u32  req_psn;
	__u8   req_op;
	__u8   req;
	__u16  vlan;
	__u64  req_packets;
	__u64  req_bytes;
	__u64  req_retransmits;
	__u64  req_timeouts;
	__u64  req_rnr_naks;
	__u64  req_seq_naks;
	__u64  req_implied_naks;
	__u64  req_window;
	__u64  req_responses;
	__u64  req_response_bytes;
	__u64  req_ignored;
	__u64  req_probes;
	__u32  req_stale;
	__u32  req_cnps;
	__u64  req_sacks;
};

#define XROCE_QP_AHEAD		0x8000	/* flag in xroce_qp::ahead */
#define XROCE_QP_OP_NONE	0xff	/* xroce_qp::op: no message is in progress */
#define XROCE_QP_ANY_ADDR	2	/* xroce_qp::ipv6: either version, see there */
#define XROCE_QP_TAGGED		4	/* xroce_qp::ipv6: flag, see there */
#define XROCE_QP_UNTAGGED	0xffff	/* xroce_qp::vlan */

/* Bytes of the frame of an acknowledgement over IPv4 without a VLAN tag. */
#define XROCE_ACK_BYTES		(14 + 20 + 8 + 12 + 4 + 4)

#define XROCE_RD_MAX		128	/* entries of struct xroce_rd_ring */

/**
 * struct xroce_rd - a READ, atomic, ATOMIC WRITE or FLUSH that is kept for replay
 * @psn: PSN of the request
 * @last: PSN of the last packet of the response
 * @opcode: enum xroce_rc_opcode of the request
 * @rkey: READ: R_Key
 * @va: READ: address of the first byte
 * @len: READ: bytes; atomic: the original value
 */
struct xroce_rd {
	__u32 psn;
	__u32 last;
	__u32 opcode;
	__u32 rkey;
	__u64 va;
	__u64 len;
};

/**
 * struct xroce_rd_ring - map "rd": the responder resources of a queue pair
 * @rd: a ring of xroce_qp::rd_max entries
 *
 * An array; the map key is that of the queue pair in "qp". The XDP program writes it, under
 * xroce_qp::claim.
 */
struct xroce_rd_ring {
	struct xroce_rd rd[XROCE_RD_MAX];
};

/**
 * struct xroce_drop_lease - map "drop_lease": until when events of drops are written
 * @until: nanoseconds of CLOCK_MONOTONIC; 0: no reader has asked for them yet
 *
 * An array with one entry. Readers of "drops" write and renew it while they read. The lease
 * of a killed reader expires by itself.
 */
struct xroce_drop_lease {
	__u64 until;
};

/* Map "stat": counters of a link, one copy per CPU. The table in xroce_counter.h describes them. */
struct xroce_stat {
	XROCE_LINK_COUNTERS(XROCE_COUNTER_FIELD, XROCE_COUNTER_FIELD, XROCE_COUNTER_FIELD,
			    XROCE_COUNTER_FIELD, XROCE_COUNTER_FIELD)
};

/*
 * Rows of a constant of the XDP program that the loader sets: xroce_crc[n][b] is the
 * CRC-32, with initial state 0 and not inverted, of the byte b followed by n zero bytes.
 * There are as many rows as an atomic acknowledgement has bytes from the PSN on.
 */
#define XROCE_CRC_BEHIND	15

_Static_assert(sizeof(struct xroce_mpt) == 64, "one cache line");
_Static_assert(sizeof(struct xroce_mr_stat) == 64, "one cache line");
_Static_assert(sizeof(struct xroce_qp) == 512, "eight cache lines");
_Static_assert(__builtin_offsetof(struct xroce_qp, claim) == 64,
	       "the XDP program's line");
_Static_assert(__builtin_offsetof(struct xroce_qp, queued) == 128,
	       "the module's second line");
_Static_assert(__builtin_offsetof(struct xroce_qp, response) == 192,
	       "the line of responses");
_Static_assert(__builtin_offsetof(struct xroce_qp, rkey) == 256,
	       "the XDP program's second line");
_Static_assert(__builtin_offsetof(struct xroce_qp, drops) +
	       (XROCE_DROP_OPCODE - XROCE_DROP_QKEY) * sizeof(__u64) == 320,
	       "the line of drops without a claim");
_Static_assert(__builtin_offsetof(struct xroce_qp, req_una) == 384,
	       "the lines of the requester");

#endif /* _XROCE_MAP_H */
