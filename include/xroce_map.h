/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Values of the BPF maps, pinned under /sys/fs/bpf/xroce/<netdev>/. In <netdev> "."
 * is written "%2e" and "%" is written "%25", as bpffs takes no dots in names.
 *
 * Each field has one writer: the module, the XDP program, or, where that is said, a
 * program that watches. Numbers are in the host's byte order unless the type says
 * otherwise.
 *
 * No map is trusted with memory: the module looks a key up in its own tables
 * again before it touches a page.
 */
#ifndef _XROCE_MAP_H
#define _XROCE_MAP_H

#include <linux/types.h>

#include "uapi/xroce.h"

#define XROCE_PIN_DIR		"/sys/fs/bpf/xroce"

/* A key is 24 bits of index into the MPT and 8 bits of key (IBTA 3.5.3). */
#define XROCE_KEY_SHIFT		8

/* Queue pair numbers at and above this are ours; 0xffffff is multicast. */
#define XROCE_QPN_BASE		0x800000u
#define XROCE_QPN_MCAST		0xffffffu

enum xroce_mpt_state {
	XROCE_MPT_FREE,		/* nobody's */
	XROCE_MPT_INVALID,	/* no access: a window that is not bound, or changing */
	XROCE_MPT_VALID,
};

enum xroce_mpt_type {
	XROCE_MPT_MR = 1,
	XROCE_MPT_MW_1,		/* windows, by type */
	XROCE_MPT_MW_2A,
	XROCE_MPT_MW_2B,
};

/* The address of no device: in place of one */
#define XROCE_NETDEV_NO_ADDR	(~0ull)

/**
 * struct xroce_netdev - map "netdev": what the program knows of its network device
 * @addr: its Ethernet address, as xroce_netdev_addr() makes a word of it
 *
 * Written by the module alone, when the link begins to serve and whenever the address
 * changes; an array of one.
 */
struct xroce_netdev {
	__u64 addr;
};

/* The first eight bytes of a frame, without the two of its source address. */
static inline __u64 xroce_netdev_word(__u64 frame)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	return frame << 16;
#else
	return frame >> 16;
#endif
}

/* The same of a frame to an address of six bytes. */
static inline __u64 xroce_netdev_addr(const __u8 *addr)
{
	__u64 frame = 0;

	__builtin_memcpy(&frame, addr, 6);
	return xroce_netdev_word(frame);
}

/**
 * struct xroce_mpt - map "mpt": an entry of the memory protection table
 * @key: index << 8 | key byte; the index is this entry's place
 * @state: enum xroce_mpt_state; written last, with release order
 * @type: enum xroce_mpt_type
 * @access: XROCE_ACCESS_*
 * @pd: protection domain
 * @qpn: queue pair that a window of type 2 is tied to; 0: any
 * @iova: address of the first byte
 * @length: bytes
 * @mr: of a window: index of the region behind it
 * @reserved: 0
 *
 * Written by the module alone; an array, the key is the index of the entry.
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

/**
 * struct xroce_mr_stat - map "mr_stat": what peers did to a region, one copy a CPU
 * @in_requests: RDMA WRITEs whose first bytes went there, and messages received
 *	whose first bytes did
 * @in_packets: their packets; a packet received into two elements of a work
 *	request counts twice
 * @in_bytes: their bytes, and the IP headers of datagrams received there
 * @out_requests: RDMA READs answered, duplicates included
 * @out_packets: packets of the answers
 * @out_bytes: their payload
 * @atomics: atomic operations executed, ATOMIC WRITE among them
 * @refused: requests that named it by its index and were refused a remote access
 *	for key, protection domain, right or bounds, and receives into it that were
 *	refused for one of the latter three
 *
 * A per-CPU array; the key is the index of the region's entry in "mpt". The module
 * counts what it moves, the XDP program what it refuses. The module zeroes an entry
 * when a region gets the index; a packet for the region that had it before, and
 * still is on its way then, may be counted.
 *
 * Where this would take more memory than is right, the map has one entry, which
 * is of no region's.
 */
struct xroce_mr_stat {
	__u64 in_requests;
	__u64 in_packets;
	__u64 in_bytes;
	__u64 out_requests;
	__u64 out_packets;
	__u64 out_bytes;
	__u64 atomics;
	__u64 refused;
};

/*
 * Why a request was refused. A NAK with syndrome 0x61 or 0x62 moves the queue
 * pair to ERR and leaves the cause in xroce_qp::error. So does, without a word, the
 * XROCE_UC_MISSES-th remote access error of an unreliable connection, but for
 * XROCE_CAUSE_ACC_MODULE, which does not count.
 */
enum xroce_cause {
	XROCE_CAUSE_NONE,
	/* invalid request, 0x61 (IBTA 9.7.4.1) */
	XROCE_CAUSE_INV_OPCODE,		/* not supported by this responder */
	XROCE_CAUSE_INV_ORDER,		/* first, middle, last out of order */
	XROCE_CAUSE_INV_QP_ACCESS,	/* the queue pair lacks the right */
	XROCE_CAUSE_INV_LENGTH,		/* payload, pad or RETH length */
	XROCE_CAUSE_INV_RESOURCES,	/* too many READs or atomics */
	XROCE_CAUSE_INV_ALIGN,		/* atomic not on eight bytes */
	/* remote access error, 0x62 (IBTA 9.7.4.1.3) */
	XROCE_CAUSE_ACC_KEY,		/* no such key, or not valid now */
	XROCE_CAUSE_ACC_PD,		/* protection domains differ */
	XROCE_CAUSE_ACC_QP,		/* a window of another queue pair */
	XROCE_CAUSE_ACC_RIGHT,		/* region or window lacks the right */
	XROCE_CAUSE_ACC_BOUNDS,		/* outside region or window */
	XROCE_CAUSE_ACC_MODULE,		/* gone between look-up and access */
	/* remote operational error, 0x63 (IBTA 9.7.4.1.4) */
	XROCE_CAUSE_OP_WQE,		/* malformed receive work request */
	XROCE_CAUSE_OP_PROT,		/* it points where it must not */
	XROCE_CAUSE_OP_CQ,		/* no room for its completion */
	XROCE_CAUSE_OP_MEMORY,		/* memory too short for a page on demand */
	/* Why a packet was dropped; it ends no queue pair, and no peer is told. */
	XROCE_DROP_LENGTH = 64,		/* headers or lengths do not fit the frame */
	XROCE_DROP_CHECKSUM,		/* IPv4 header checksum */
	XROCE_DROP_TVER,		/* transport header version */
	XROCE_DROP_QPN,			/* no such queue pair */
	/* counted for the queue pair as well: see xroce_qp::drops */
	XROCE_DROP_QKEY,		/* queue key of a datagram */
	XROCE_DROP_RECV,		/* no receive work request */
	XROCE_DROP_PSN,			/* out of sequence, not repeatable */
	XROCE_DROP_REPLY,		/* the frame could not be turned into a reply */
	XROCE_DROP_OPCODE,		/* not a request of the queue pair's service */
	XROCE_DROP_STATE,		/* queue pair not ready to receive */
	XROCE_DROP_ERROR,		/* queue pair in error */
	XROCE_DROP_ADDR,		/* not the queue pair's addresses */
	XROCE_DROP_PKEY,		/* partition key */
	XROCE_DROP_ICRC,		/* invariant CRC */
	XROCE_DROP_KEPT,		/* no room to put it aside behind others */
	/* another CPU executes a packet, or too many work requests were posted before it */
	XROCE_DROP_BUSY,
	/* of replies; counted by the module */
	XROCE_DROP_TX,			/* the device did not take the frame */
};

/* Causes that have a place in xroce_qp::drops. */
#define XROCE_QP_DROPS	(XROCE_DROP_BUSY - XROCE_DROP_QKEY + 1)

/* Up to the PSN. */
#define XROCE_REPLY_WORDS4	9	/* with an IPv4 header */
#define XROCE_REPLY_WORDS	14	/* with an IPv6 header */

/**
 * struct xroce_read_lengths - what depends on the length in the headers of a READ
 *	response of one packet, as in the packet
 * @known: bytes of payload that all of this is for, and 1; 0: for none
 * @udp: length in the UDP header, and in that of IPv6
 * @ip: length in the IPv4 header
 * @check: checksum of that
 * @flags: of the BTH: the pad
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
 * @qpn: number; 0: the entry is free. Its place is qpn % entries
 * @state: enum xroce_qp_state; written last, with release order
 * @type: enum xroce_qp_type
 * @pd: protection domain
 * @access: XROCE_ACCESS_REMOTE_*
 * @dest_qpn: the peer's number
 * @pkey: partition key
 * @sport: UDP source port of replies
 * @mtu: bytes of the path MTU
 * @tos: IPv4 type of service or IPv6 traffic class of replies
 * @ttl: hop limit of replies
 * @min_rnr_timer: timer code of RNR NAKs
 * @ipv6: 1: IPv6; 0: IPv4, in the last words of @saddr and @daddr
 * @saddr: own address
 * @daddr: the peer's address
 *
 * @claim: 1 while a packet of this queue pair is executed; taken by an exchange,
 *	by the module by compare-and-exchange
 * @epsn: PSN expected next
 * @msn: messages completed, 24 bits
 * @error: enum xroce_cause that ended it, or 0
 * @nak_sent: a sequence or RNR NAK is out; silent until the expected PSN comes
 * @op: opcode of the message in progress (its first packet), or
 *	XROCE_QP_OP_NONE
 * @rd_head: place in its struct xroce_rd_ring where the next entry goes
 * @va: next byte of the message in progress
 * @resid: bytes of the message in progress that are still to come
 * @rd_count: entries of its struct xroce_rd_ring that are valid
 * @misses: of an unreliable connection: requests refused for their key; the
 *	XROCE_UC_MISSES-th ends it
 * @packets: requests taken in order
 * @bytes: payload written to regions
 * @tx_more: bytes of the replies that the XDP program sent in the frames of requests,
 *	without XROCE_ACK_BYTES for each
 * @silent: of a reliable connection: requests in @packets, @duplicates and @naks to which
 *	the program sent no reply: none was asked for, or the module sends it. So that
 *	an ordinary request and its acknowledgement need no counter: the others of these
 *	were replied to. struct xroce_qp_query has the sum of all replies
 *
 * @queued: not 0: the module has replies to send, about so many; all others go
 *	behind them
 * @generation: another number for each connection: a packet is executed on the
 *	one that it was admitted to
 * @qkey: of datagrams
 * @rd_max: READs and atomics kept for replay, 0 to XROCE_RD_MAX
 * @recv: 1: it has a receive queue, of its own or shared
 * @sq: 1: its owner has a send queue, which comes before each packet
 * @kept: 1: frames of it have been put aside; all others go behind them
 *
 * @icrc_part: what PSN, syndrome and MSN of the last reply, but for the low bytes of
 *	PSN and MSN, added to its invariant CRC: of an acknowledgement, and of an
 *	atomic one
 * @icrc_for: which those were; 0: none. Written under @claim, rarely
 * @pkey_full: @pkey as it is in a packet, if it is that of a full member, to which
 *	whatever has the same belongs (IBTA 10.9.3); else more than 16 bits
 * @read_max: READs of up to so many bytes are answered in the frame that asked: @mtu, or
 *	less where longer ones found no room in it, lately. Written under @claim, rarely
 * @read_icrc: the invariant CRC of the peer's READ requests, if they come over IPv4 and
 *	are of a full member, with zero for what varies: identification and flags of IPv4,
 *	source port, flags of the BTH, AckReq, PSN and RETH
 * @read: of the last READ response that the XDP program made. Written under @claim,
 *	rarely
 *
 * @reply: of a reliable connection: the headers of an acknowledgement, from the
 *	IP header to before the PSN: 9 words for IPv4, 14 for IPv6
 * @ack_icrc: the invariant CRC of an acknowledgement whose PSN, syndrome and MSN
 *	are zero
 * @atomic_icrc: that of an atomic acknowledgement, whose result is zero as well
 * @atomic_check: that one's IPv4 header checksum, as it is in a packet
 *
 * @rkey: of the message in progress
 * @length: of a WRITE in progress: bytes in all
 * @duplicates: requests seen again
 * @naks: negative acknowledgements sent
 * @reserved: 0
 * @drops: packets dropped, by cause from XROCE_DROP_QKEY on. Added to atomically by any
 *	CPU. The causes that need no claim are in a cache line of their own, so that
 *	whoever sends such packets does not slow down the others
 *
 * An array. The second cache line is written by the XDP program under @claim, as is the
 * fifth, which few packets need; both are reset by the module on the way to RESET and
 * RTR. The sixth is written by the XDP program without a claim. The others are written
 * by the module.
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
	__u16  misses;
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
	__u8   kept;
	__u32  icrc_part[2];
	__u64  icrc_for[2];
	__u32  pkey_full;
	__u16  atomic_check;
	__u16  read_max;
	__u32  read_icrc;
	struct xroce_read_lengths read;

	__be32 reply[XROCE_REPLY_WORDS];
	__u32  ack_icrc;
	__u32  atomic_icrc;

	__u32  rkey;
	__u32  length;
	__u64  duplicates;
	__u64  naks;
	__u64  reserved;
	__u64  drops[XROCE_QP_DROPS];
};

#define XROCE_QP_OP_NONE	0xff

/* Bytes of the frame of an acknowledgement, over IPv4 and without a VLAN tag. */
#define XROCE_ACK_BYTES		(14 + 20 + 8 + 12 + 4 + 4)

#define XROCE_RD_MAX		128

/*
 * Refusals for one of the causes from XROCE_CAUSE_ACC_KEY to XROCE_CAUSE_ACC_BOUNDS
 * that end an unreliable connection, counted from when it left RESET. IBTA 9.9.3
 * knows no end, but who is never told may guess keys for ever: RC ends with the first.
 * Not counted anew after a good packet, which who has one key can send at any time.
 * A message counts once, as the rest of it is lost with the packet that was refused.
 */
#define XROCE_UC_MISSES		16

/**
 * struct xroce_rd - a READ, an atomic or the like, kept to be answered again
 * @psn: of the request
 * @last: of the last packet of the answer
 * @opcode: enum xroce_rc_opcode of the request
 * @rkey: of a READ
 * @va: of a READ: first byte
 * @len: of a READ: bytes; of an atomic: the value that it found
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
 * @rd: those kept; xroce_qp::rd_max places are used in turn
 *
 * An array, by the place of the queue pair. Written by the XDP program.
 */
struct xroce_rd_ring {
	struct xroce_rd rd[XROCE_RD_MAX];
};

/* Members of struct xroce_event that mean something: xroce_event::known. */
#define XROCE_EVENT_VA		(1 << 0)
#define XROCE_EVENT_KEY		(1 << 1)
#define XROCE_EVENT_LEN		(1 << 2)
#define XROCE_EVENT_QP		(1 << 3)	/* @epsn and @mtu */
#define XROCE_EVENT_PAYLOAD	(1 << 4)
#define XROCE_EVENT_RETH	(XROCE_EVENT_VA | XROCE_EVENT_KEY | XROCE_EVENT_LEN)

/**
 * struct xroce_event - maps "events" and "drops": a request that was refused for good,
 *	or a packet that was dropped
 * @time: nanoseconds of CLOCK_MONOTONIC
 * @va: address that it named
 * @qpn: queue pair number that it was for. Who was refused is in error now
 * @cause: enum xroce_cause; from XROCE_DROP_LENGTH on it was dropped
 * @key: R_Key that it named
 * @len: bytes that it asked for
 * @psn: its packet sequence number
 * @epsn: the one that was expected
 * @payload: bytes in the packet behind the headers
 * @mtu: bytes of the queue pair's path MTU
 * @opcode: of the BTH
 * @known: XROCE_EVENT_*: which of @va, @key, @len, @epsn with @mtu, and @payload are
 *	known; the others are 0
 * @missed: events of drops that this CPU did not write since the one before, as there
 *	were more than XROCE_DROP_EVENTS in a second, or no room
 * @reserved: 0
 * @peer: source address of the packet; IPv4 as ::ffff:a.b.c.d
 * @own: its destination address
 *
 * Two ring buffers, written by the XDP program, so that no number of drops takes the
 * room of refusals. What finds no room is lost, and counted in xroce_stat::event_lost.
 * Drops are written only while somebody wants them: see struct xroce_drop_lease.
 */
struct xroce_event {
	__u64 time;
	__u64 va;
	__u32 qpn;
	enum xroce_cause cause;
	__u32 key;
	__u32 len;
	__u32 psn;
	__u32 epsn;
	__u32 payload;
	__u16 mtu;
	__u8 opcode;
	__u8 known;
	__u32 missed;
	__u32 reserved;
	__be32 peer[4];
	__be32 own[4];
};

/* Events of drops in a second, at most, of each CPU. */
#define XROCE_DROP_EVENTS	100

/**
 * struct xroce_drop_lease - map "drop_lease": until when somebody wants events of drops
 * @until: nanoseconds of CLOCK_MONOTONIC; 0: nobody has ever wanted them
 *
 * An array of one entry, written by those who read "drops", again and again while they
 * do. So nobody has to take back what a reader who was killed has left.
 */
struct xroce_drop_lease {
	__u64 until;
};

/**
 * struct xroce_stat - map "stat": counters of a link, one copy a CPU
 * @rx: packets for a queue pair number of ours; of those put aside, the ones that
 *	have had their turn
 * @rx_bytes: their bytes, with all headers; what lies behind the first buffer of the
 *	frame counts only if the packet does, or is admitted
 * @tx: replies that the XDP program sent in the frame of the request: handed to the
 *	driver, which may still lose them
 * @tx_more: their bytes, with all headers, without XROCE_ACK_BYTES for each and without
 *	@read_bytes, which has those of queued replies as well: may be below zero
 * @kept: packets put aside until memory on demand is there
 * @pass: RoCEv2 packets for queue pair numbers or Ethernet addresses that are not ours,
 *	left to the stack
 * @write: RDMA WRITE packets executed
 * @write_bytes: their payload
 * @send: SEND packets executed, datagrams among them
 * @send_bytes: their payload
 * @read: RDMA READ requests taken, duplicates included
 * @read_bytes: bytes that they asked for
 * @atomic: atomic operations executed, ATOMIC WRITE among them
 * @flush: FLUSH operations executed
 * @queued: replies handed to the module, to be sent in order
 * @ack: positive acknowledgements sent
 * @duplicate: requests seen again and acknowledged again
 * @nak_seq: NAKs, PSN sequence error
 * @nak_inv: NAKs, invalid request
 * @nak_acc: NAKs, remote access error
 * @nak_op: NAKs, remote operational error
 * @nak_rnr: receiver-not-ready NAKs
 * @ecn_ce: packets admitted that a switch has marked: congestion experienced
 * @cnp_tx: congestion notifications sent for them
 * @cnp_rx: congestion notifications received; a responder does nothing about them
 * @inv_opcode: by enum xroce_cause, and so on down to @op_memory
 * @drop_length: by enum xroce_cause from XROCE_DROP_LENGTH on, and so on down to
 *	@drop_busy
 * @drop_tx: frames of the module's that the device did not take; written by the module
 * @event_lost: events that found no room
 * @event_limited: events of drops past XROCE_DROP_EVENTS in a second
 * @module_tx: frames that the device took from the module: long READ responses, replies
 *	behind those, congestion notifications, replies to packets that were put aside.
 *	Written by the module. One CPU's may be below zero: a reply that the program has
 *	made for a packet put aside is counted in @tx, taken off here, and added again
 *	when it is sent. All replies sent are @tx and @module_tx of all CPUs
 * @module_tx_bytes: their bytes, with all headers; likewise
 *
 * All but @drop_tx, @module_tx and @module_tx_bytes are written by the XDP program. The
 * module writes those on the CPU that the copy is of, in softirq, as the program does.
 */
struct xroce_stat {
	__u64 rx;
	__u64 rx_bytes;
	__u64 tx;
	__u64 tx_more;
	__u64 kept;
	__u64 pass;
	__u64 write;
	__u64 write_bytes;
	__u64 send;
	__u64 send_bytes;
	__u64 read;
	__u64 read_bytes;
	__u64 atomic;
	__u64 flush;
	__u64 queued;
	__u64 ack;
	__u64 duplicate;
	__u64 nak_seq;
	__u64 nak_inv;
	__u64 nak_acc;
	__u64 nak_op;
	__u64 nak_rnr;
	__u64 ecn_ce;
	__u64 cnp_tx;
	__u64 cnp_rx;
	__u64 inv_opcode;
	__u64 inv_order;
	__u64 inv_qp_access;
	__u64 inv_length;
	__u64 inv_resources;
	__u64 inv_align;
	__u64 acc_key;
	__u64 acc_pd;
	__u64 acc_qp;
	__u64 acc_right;
	__u64 acc_bounds;
	__u64 acc_module;
	__u64 op_wqe;
	__u64 op_prot;
	__u64 op_cq;
	__u64 op_memory;
	__u64 drop_length;
	__u64 drop_checksum;
	__u64 drop_tver;
	__u64 drop_qpn;
	__u64 drop_qkey;
	__u64 drop_recv;
	__u64 drop_psn;
	__u64 drop_reply;
	__u64 drop_opcode;
	__u64 drop_state;
	__u64 drop_error;
	__u64 drop_addr;
	__u64 drop_pkey;
	__u64 drop_icrc;
	__u64 drop_kept;
	__u64 drop_busy;
	__u64 drop_tx;
	__u64 event_lost;
	__u64 event_limited;
	__u64 module_tx;
	__u64 module_tx_bytes;
};

/*
 * Not in a map of its own but a constant of the program, which who loads it has
 * to set: xroce_crc[n][b] is the CRC-32, from state 0 and not inverted, of the
 * byte b and n zero bytes behind it. As many n as an atomic acknowledgement has
 * bytes from the PSN on.
 */
#define XROCE_CRC_BEHIND	15

/* C++ has no _Static_assert; the layout is the same there. */
#ifndef __cplusplus
_Static_assert(sizeof(struct xroce_mpt) == 64, "one cache line");
_Static_assert(sizeof(struct xroce_mr_stat) == 64, "one cache line");
_Static_assert(sizeof(struct xroce_qp) == 384, "six cache lines");
_Static_assert(__builtin_offsetof(struct xroce_qp, claim) == 64,
	       "the XDP program's line");
_Static_assert(__builtin_offsetof(struct xroce_qp, queued) == 128,
	       "the module's second line");
_Static_assert(__builtin_offsetof(struct xroce_qp, reply) == 192,
	       "the line of replies");
_Static_assert(__builtin_offsetof(struct xroce_qp, rkey) == 256,
	       "the XDP program's second line");
_Static_assert(__builtin_offsetof(struct xroce_qp, drops) +
	       (XROCE_DROP_OPCODE - XROCE_DROP_QKEY) * sizeof(__u64) == 320,
	       "the line of drops without a claim");
#endif

#endif /* _XROCE_MAP_H */
