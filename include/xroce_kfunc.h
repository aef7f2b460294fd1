/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * What the XDP program asks of the module, for both sides.
 *
 * All of them run in softirq, never sleep, and trust nothing they are given:
 * offsets are checked against the frame, keys against the module's own tables.
 * On the program's side they are weak, so that the program also loads where the
 * module is not; the constant xroce_kfuncs says whether they may be called.
 */
#ifndef _XROCE_KFUNC_H
#define _XROCE_KFUNC_H

#include <linux/types.h>

#ifdef __bpf__
#define XROCE_KFUNC	__attribute__((section(".ksyms"), weak))
#else
#define XROCE_KFUNC
#endif

struct xdp_md;

/**
 * struct xroce_write - what to write, and where its bytes are in the frame
 * @va: address of the first byte, in the region's own addresses
 * @link: number of the link
 * @key: R_Key, a region's or a window's
 * @off: offset in the frame of the first byte
 * @len: bytes
 * @begin: 1: the first packet of its message; 0: not
 * @qpn: queue pair whose peer asks: its protection domain and rights count
 * @ahead: bytes of the message that follow this packet's, a hint
 * @cut: the length that the frame gets when it has been done, unless it is one of
 *	XROCE_FRAME_*, or shorter; 0: it keeps its own
 */
struct xroce_write {
	__u64 va;
	__u32 link;
	__u32 key;
	__u32 off;
	__u32 len;
	__u32 begin;
	__u32 qpn;
	__u32 ahead;
	__u32 cut;
};

/* What else xroce_icrc_check() says of a frame. */
#define XROCE_FRAME_FRAGS	1	/* it has fragments */
/*
 * Its first buffer begins at an odd address. veth of Linux 7.2 copies a frame to one when
 * an odd number of bytes of another went there before, but cannot send back what is
 * there: bit 0 of the address is a flag in its rings, and the kernel crashes.
 */
#define XROCE_FRAME_ODD		2

/**
 * xroce_icrc_check() - verify a packet's invariant CRC (IBTA 7.8.1, A17.3.3)
 * @ctx: the frame
 * @l3: offset of the IPv4 or IPv6 header
 * @end: offset of the CRC, which follows payload and pad
 *
 * Return: 0, or XROCE_FRAME_* of the frame: the CRC is right; -EBADMSG: it
 * differs; -EINVAL: the offsets are not those of a RoCEv2 packet inside the frame.
 */
extern int xroce_icrc_check(struct xdp_md *ctx, __u32 l3, __u32 end) XROCE_KFUNC;

/**
 * xroce_icrc_check_read() - the same for a READ request over IPv4
 * @ctx: the frame
 * @l3: offset of the IPv4 header
 * @known: xroce_qp::read_icrc of the queue pair
 *
 * What that does not know to vary the caller has compared: that it is as
 * xr_icrc_read_request() makes it.
 *
 * Return: as xroce_icrc_check().
 */
extern int xroce_icrc_check_read(struct xdp_md *ctx, __u32 l3, __u32 known) XROCE_KFUNC;

/**
 * xroce_icrc_put() - compute a packet's invariant CRC and write it into the frame
 * @ctx: the frame
 * @l3: offset of the IPv4 or IPv6 header
 * @end: offset where the CRC belongs
 *
 * Return: 0, or -EINVAL as for xroce_icrc_check().
 */
extern int xroce_icrc_put(struct xdp_md *ctx, __u32 l3, __u32 end) XROCE_KFUNC;

/**
 * xroce_write() - copy bytes of the frame into a region
 * @ctx: the frame
 * @w: what, and where to
 *
 * The bytes are in memory when this returns. Nothing has been written when it
 * fails.
 *
 * Return: 0; -ENOENT: no such link, queue pair, key or region, or one that does not
 * grant it; -ERANGE: not inside the region; -EINVAL: not inside the frame;
 * -EINPROGRESS: memory on demand that is not there has been sent for, and the frame
 * put aside until then; -EAGAIN: the same, but it has not been put aside; -EFAULT: it
 * cannot be had; -EIO: nor for want of memory.
 */
extern int xroce_write(struct xdp_md *ctx, const struct xroce_write *w) XROCE_KFUNC;

/* Up to so many bytes xroce_read() goes by xroce_read::icrc. */
#define XROCE_READ_SHORT	32

/**
 * struct xroce_read - what to read, and where its response's headers are
 * @va: address of the first byte, in the region's own addresses
 * @link: number of the link
 * @key: R_Key, a region's or a window's
 * @qpn: queue pair whose peer asks: its protection domain and rights count
 * @len: bytes, not 0
 * @l3: offset of the IP header: behind that, UDP header, BTH and AETH are the bytes
 * @icrc: up to XROCE_READ_SHORT bytes: the invariant CRC, as a number, of the
 *	acknowledgement with the PSN and the AETH of this answer
 */
struct xroce_read {
	__u64 va;
	__u32 link;
	__u32 key;
	__u32 qpn;
	__u32 len;
	__u32 l3;
	__u32 icrc;
};

/**
 * xroce_read() - make a READ response of the only packet of a frame with its headers
 * @ctx: the frame; in one buffer
 * @r: what, and where to
 *
 * The frame gets the length of the response. Where there is no room behind it, it
 * begins earlier. Behind the headers, which stay as they are, come the bytes, zeros up
 * to a multiple of four, and the invariant CRC.
 *
 * Return: 0; -ENOENT, -ERANGE or -EFAULT as for xroce_write(); -EINVAL: the headers are
 * not inside the frame; -ENOSPC: there is no room in the frame; -EAGAIN: memory on
 * demand is not there. Both are for xroce_queue(), which sends for memory. The frame is
 * as it was when it fails.
 */
extern int xroce_read(struct xdp_md *ctx, const struct xroce_read *r) XROCE_KFUNC;

/**
 * struct xroce_atomic - an operation on eight bytes of a region
 * @va: their address; a multiple of eight
 * @value: out: what was there
 * @link: number of the link
 * @key: R_Key
 * @opcode: XROCE_RC_CMP_SWAP, XROCE_RC_FETCH_ADD or XROCE_RC_ATOMIC_WRITE
 * @qpn: queue pair, as in struct xroce_write
 * @off: offset in the frame of what the operation works with, in its first buffer:
 *	after the R_Key of an AtomicETH what to store or to add, then what to compare
 *	with; or the payload of an ATOMIC WRITE
 * @crc: out: the CRC of @value as it is in a packet, from a state of zero: what
 *	it adds to the invariant CRC of its acknowledgement
 * @cut: as in struct xroce_write
 * @reserved: 0
 *
 * @value is in the host's byte order, as in memory.
 */
struct xroce_atomic {
	__u64 va;
	__u64 value;
	__u32 link;
	__u32 key;
	__u32 opcode;
	__u32 qpn;
	__u32 off;
	__u32 crc;
	__u32 cut;
	__u32 reserved;
};

/**
 * xroce_atomic() - execute an atomic operation, atomic for CPUs as well
 * @ctx: the frame that asks for it
 * @a: what; what was there and the CRC of that are filled in
 *
 * Return: 0, -ENOENT, -ERANGE, -EINPROGRESS, -EAGAIN, -EFAULT or -EIO
 * as for xroce_write(); -EINVAL: unknown operation, or what it works with is not inside
 * the frame, or the eight bytes are not aligned in memory.
 */
extern int xroce_atomic(struct xdp_md *ctx, struct xroce_atomic *a) XROCE_KFUNC;

/**
 * struct xroce_reply - a reply for the module to send
 * @va: READ: first byte
 * @result: atomic: what was there
 * @link: number of the link
 * @qpn: queue pair
 * @key: READ: R_Key
 * @len: READ: bytes
 * @psn: of the first packet
 * @msn: message sequence number
 * @opcode: XROCE_RC_ACK, XROCE_RC_ATOMIC_ACK or XROCE_RC_READ_RESPONSE_ONLY;
 *	the last stands for all READ responses
 * @syndrome: of XROCE_RC_ACK
 * @behind: not 0: the program may have sent another in this poll of the driver's, which
 *	leaves at the end of that and which this one must not overtake
 * @reserved: 0
 */
struct xroce_reply {
	__u64 va;
	__u64 result;
	__u32 link;
	__u32 qpn;
	__u32 key;
	__u32 len;
	__u32 psn;
	__u32 msn;
	__u32 opcode;
	__u32 syndrome;
	__u32 behind;
	__u32 reserved;
};

/**
 * xroce_queue() - have the module send a reply, after those queued before it
 * @ctx: the frame of the request, whose Ethernet header it answers
 * @r: what
 * @l3: offset of the IP header, the length of the Ethernet header
 *
 * Return: 0; -EAGAIN: nothing is queued any more, the reply is no READ and the frame
 * none of XROCE_FRAME_*: send it yourself; -ENOSPC: as many READs as the queue pair may
 * have are queued; -ENOENT: no such link or queue pair; -EINVAL.
 */
extern int xroce_queue(struct xdp_md *ctx, const struct xroce_reply *r, __u32 l3) XROCE_KFUNC;

/**
 * xroce_cnp() - have the module send a congestion notification (A17.9)
 * @ctx: the frame that was marked, whose Ethernet header it answers
 * @link: number of the link
 * @qpn: queue pair, connected
 * @l3: offset of the IP header, the length of the Ethernet header
 *
 * One at a time, and one in an interval (the module's parameter cnp_interval).
 * It does not wait for replies that are queued.
 *
 * Return: 0; -EAGAIN: there was one not long ago; -ENOENT: no such link or queue
 * pair, or it is not connected; -EINVAL.
 */
extern int xroce_cnp(struct xdp_md *ctx, __u32 link, __u32 qpn, __u32 l3) XROCE_KFUNC;

#define XROCE_RECV_BEGIN	(1u << 0)	/* a message begins */
#define XROCE_RECV_END		(1u << 1)	/* and ends */
#define XROCE_RECV_IMM		(1u << 2)
#define XROCE_RECV_INV		(1u << 3)
#define XROCE_RECV_SOLICITED	(1u << 4)
#define XROCE_RECV_WRITE	(1u << 5)	/* immediate of a WRITE */
#define XROCE_RECV_GRH		(1u << 6)	/* the IP header comes first */

/**
 * struct xroce_recv - a packet for a receive queue
 * @link: number of the link
 * @qpn: queue pair
 * @flags: XROCE_RECV_*
 * @off: offset in the frame of the first byte of payload
 * @len: bytes of payload
 * @byte_len: with XROCE_RECV_WRITE: bytes that the message has written
 * @imm: immediate data, as in the packet, or key that was invalidated
 * @src_qpn: the sender's queue pair
 * @l3: with XROCE_RECV_GRH: offset of the IP header
 * @pkey: partition key
 * @cut: as in struct xroce_write
 * @reserved: 0
 */
struct xroce_recv {
	__u32 link;
	__u32 qpn;
	__u32 flags;
	__u32 off;
	__u32 len;
	__u32 byte_len;
	__u32 imm;
	__u32 src_qpn;
	__u32 l3;
	__u32 pkey;
	__u32 cut;
	__u32 reserved;
};

/**
 * xroce_recv() - put a packet where a receive work request says
 * @ctx: the frame
 * @r: what
 *
 * XROCE_RECV_BEGIN takes a work request, or begins again with the one of a
 * message that was never ended; XROCE_RECV_END completes it. A call may do both,
 * or with no bytes either. With XROCE_RECV_INV and XROCE_RECV_END the window whose
 * key is @imm is unbound before the completion is there.
 *
 * On a reliable connection the queue pair has ended with any error but -EAGAIN,
 * -EINPROGRESS and -EBUSY, and the work request has been completed with the status
 * that says why. On the others this is so with -EFAULT, -EINVAL and -ENOSPC.
 *
 * Return: 0; -EAGAIN: no work request; -EMSGSIZE: the message is longer than it
 * has room for; -EFAULT: it points where the queue pair may not write; -EINVAL:
 * it is malformed; -EKEYREJECTED: the key is not one that can be invalidated;
 * -EINPROGRESS: it points to memory on demand that has been sent for, and the
 * frame has been put aside until then; -EBUSY: it has not been put aside; -ENOSPC:
 * the completion queue is full; -ENOENT: no such queue pair, or it is not
 * receiving.
 */
extern int xroce_recv(struct xdp_md *ctx, const struct xroce_recv *r) XROCE_KFUNC;

/**
 * xroce_keep() - put a frame aside behind those of its queue pair that are
 * @ctx: the frame, which has been admitted
 * @link: number of the link
 * @qpn: queue pair
 * @busy: another CPU executes a packet of it
 *
 * The program gets it again when it is its turn.
 *
 * Return: 0; -EALREADY: this is one of them, it is its turn, and the queue pair is
 * not @busy, or has been for too long; -ENOENT: there are none, or no such queue
 * pair; -ENOSPC, -ENOMEM: no room.
 */
extern int xroce_keep(struct xdp_md *ctx, __u32 link, __u32 qpn, __u32 busy) XROCE_KFUNC;

/**
 * xroce_addr() - is a frame for another address of the link's device?
 * @ctx: the frame
 * @link: number of the link
 *
 * For a destination that is not the address in struct xroce_netdev.
 *
 * Return: 0, or -ENOENT: it is another machine's, or a device's that is on top of the
 * link's and has an owner of its own.
 */
extern int xroce_addr(struct xdp_md *ctx, __u32 link) XROCE_KFUNC;

/**
 * xroce_fail() - say that a packet has moved a queue pair to ERR
 * @link: number of the link
 * @qpn: queue pair
 *
 * Its receive work requests are flushed, and its owner gets an event.
 *
 * Return: 0, or -ENOENT: no such queue pair.
 */
extern int xroce_fail(__u32 link, __u32 qpn) XROCE_KFUNC;

/**
 * xroce_sq() - apply what has been posted to the send queue of a queue pair's owner
 * @link: number of the link
 * @qpn: queue pair; it can be in ERR afterwards
 *
 * Return: 0: all that had been posted when it was called has been applied, here or by
 * another CPU; -EAGAIN: that is more than is applied at a time, and the packet must not
 * be executed: when it comes again the rest has been applied, or more of it; -ENOENT: no
 * such queue pair.
 */
extern int xroce_sq(__u32 link, __u32 qpn) XROCE_KFUNC;

#endif /* _XROCE_KFUNC_H */
