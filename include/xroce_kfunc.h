/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * The kfuncs of the module, for both the XDP program and the module.
 *
 * All of them run in softirq, never sleep, and do not trust their arguments: offsets are
 * checked against the frame, keys against the module's own tables. In the program they are
 * weak symbols, so that the program also loads without the module. The constant
 * xroce_kfuncs says whether the program may call them.
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
 * struct xroce_write - bytes of a frame that are to be written to a region
 * @va: address of the first byte, relative to the region's IOVA space
 * @link: number of the link
 * @key: R_Key of a region or window
 * @off: offset of the first byte in the frame
 * @len: bytes
 * @begin: 1: first packet of its message; 0: not
 * @qpn: queue pair of the requester; its protection domain and rights are checked
 * @ahead: bytes of the message after this packet, a hint for on-demand memory
 * @cut: length in bytes to which the frame is cut after success, for the response. A frame
 *	that is shorter, has fragments, or starts at an odd address (XROCE_FRAME_*) is not
 *	cut; 0: no frame is
 * @l3: xroce_write_checked(): offset of the IP header
 * @end: xroce_write_checked(): offset of the invariant CRC
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
	__u32 l3;
	__u32 end;
};

/* Properties of a frame, in the result of xroce_icrc_check(). */
#define XROCE_FRAME_FRAGS	1	/* it has fragments */
/*
 * Its first buffer begins at an odd address. veth of Linux 7.2 copies a frame to an odd
 * address after a frame of an odd number of bytes, but cannot send such a frame back: bit 0
 * of the address is a flag in its rings, and the kernel crashes.
 */
#define XROCE_FRAME_ODD		2

/**
 * xroce_icrc_check() - verify a packet's invariant CRC (IBTA 7.8.1, A17.3.3)
 * @ctx: the frame
 * @l3: offset of the IPv4 or IPv6 header
 * @end: offset of the CRC, which follows payload and pad
 *
 * Return: 0 or XROCE_FRAME_* if the CRC is right; -EBADMSG: the CRC is wrong; -EINVAL: the
 * offsets are not those of a RoCEv2 packet inside the frame.
 */
extern int xroce_icrc_check(struct xdp_md *ctx, __u32 l3, __u32 end) XROCE_KFUNC;

/**
 * xroce_icrc_check_read() - verify the invariant CRC of a READ request over IPv4
 * @ctx: the frame
 * @l3: offset of the IPv4 header
 * @known: xroce_qp::read_icrc of the queue pair
 *
 * The caller has verified the fields that @known fixes: they have the values with which
 * xr_icrc_expected() computed it.
 *
 * Return: as xroce_icrc_check().
 */
extern int xroce_icrc_check_read(struct xdp_md *ctx, __u32 l3, __u32 known) XROCE_KFUNC;

/**
 * xroce_icrc_check_atomic() - verify the invariant CRC of a CMP_SWAP or FETCH_ADD over IPv4
 * @ctx: the frame
 * @l3: offset of the IPv4 header
 * @known: xroce_qp::read_icrc of the queue pair
 * @opcode: XROCE_RC_CMP_SWAP or XROCE_RC_FETCH_ADD
 *
 * As xroce_icrc_check_read().
 *
 * Return: as xroce_icrc_check().
 */
extern int xroce_icrc_check_atomic(struct xdp_md *ctx, __u32 l3, __u32 known,
				   __u32 opcode) XROCE_KFUNC;

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
 * @w: source and destination
 *
 * On success the bytes are in memory. On failure nothing has been written.
 *
 * Return: 0; -ENOENT: no such link, queue pair, key or region, or one of them does not
 * grant the access; -ERANGE: not inside the region; -EINVAL: not inside the frame;
 * -EINPROGRESS: on-demand memory is not present, a fault has been requested and the frame
 * has been deferred; -EAGAIN: the same, but the frame could not be deferred; -EFAULT:
 * on-demand memory that is not accessible; -EIO: out of memory for it.
 */
extern int xroce_write(struct xdp_md *ctx, const struct xroce_write *w) XROCE_KFUNC;

/**
 * xroce_write_checked() - verify a packet's invariant CRC, and copy its payload into a region
 * @ctx: the frame
 * @w: source and destination; @ahead does not matter
 *
 * The CRC is verified before anything is written. Only for IPv4, and a payload, not empty, that is
 * in the first buffer and goes to one block of resident memory, and a frame without
 * XROCE_FRAME_*, which can be sent back.
 *
 * Return: 0; any other value: nothing has been written, and xroce_icrc_check() and xroce_write()
 * tell why.
 */
extern int xroce_write_checked(struct xdp_md *ctx, const struct xroce_write *w) XROCE_KFUNC;

/* Longest READ in bytes for which xroce_read() uses xroce_read::icrc. */
#define XROCE_READ_SHORT	32

/**
 * struct xroce_read - bytes of a region that are to be sent in a READ response
 * @va: address of the first byte, relative to the region's IOVA space
 * @link: number of the link
 * @key: R_Key of a region or window
 * @qpn: queue pair of the requester; its protection domain and rights are checked
 * @len: bytes, not 0
 * @l3: offset of the IP header; the payload follows IP header, UDP header, BTH and AETH
 * @icrc: if @len is at most XROCE_READ_SHORT: the invariant CRC, as a number, of the
 *	acknowledgement with the PSN and AETH of this response
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
 * xroce_read() - complete a one-packet READ response in a frame that has its headers
 * @ctx: the frame; in one buffer
 * @r: source and destination
 *
 * Writes the payload, zeros up to a multiple of four, and the invariant CRC behind the
 * headers, which do not change, and sets the length of the frame. If there is no room at
 * the end of the frame, its start moves to a lower address.
 *
 * Return: 0; -ENOENT, -ERANGE or -EFAULT as for xroce_write(); -EINVAL: the headers are
 * not inside the frame; -ENOSPC: no room in the frame; -EAGAIN: on-demand memory is not
 * present. After the latter two the caller uses xroce_queue(), which requests a fault. On
 * failure the frame is unchanged.
 */
extern int xroce_read(struct xdp_md *ctx, const struct xroce_read *r) XROCE_KFUNC;

/**
 * struct xroce_atomic - an atomic operation on eight bytes of a region
 * @va: address of the bytes; a multiple of eight
 * @value: out: the original value, in host byte order
 * @link: number of the link
 * @key: R_Key
 * @opcode: XROCE_RC_CMP_SWAP, XROCE_RC_FETCH_ADD or XROCE_RC_ATOMIC_WRITE
 * @qpn: queue pair, as in struct xroce_write
 * @off: offset of the operands in the frame, in its first buffer: in an AtomicETH the swap
 *	or add data after the R_Key, then the compare data; or the payload of an ATOMIC
 *	WRITE
 * @crc: out: CRC of @value in network byte order with initial state 0, which is its
 *	contribution to the invariant CRC of the acknowledgement
 * @cut: as in struct xroce_write
 * @reserved: 0
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
 * xroce_atomic() - execute an operation that is also atomic with respect to CPUs
 * @ctx: the frame of the request
 * @a: the operation; @value and @crc are filled in
 *
 * Return: 0, -ENOENT, -ERANGE, -EINPROGRESS, -EAGAIN, -EFAULT or -EIO as for xroce_write();
 * -EINVAL: unknown operation, or the operands are not inside the frame, or the eight bytes
 * are not aligned in memory.
 */
extern int xroce_atomic(struct xdp_md *ctx, struct xroce_atomic *a) XROCE_KFUNC;

/**
 * struct xroce_response - a response for the module to send
 * @va: READ: address of the first byte
 * @result: atomic: original value
 * @link: number of the link
 * @qpn: queue pair
 * @key: READ: R_Key
 * @len: READ: bytes
 * @psn: PSN of the first packet
 * @msn: message sequence number
 * @opcode: XROCE_RC_ACK, XROCE_RC_ATOMIC_ACK or XROCE_RC_READ_RESPONSE_ONLY, which stands
 *	for all READ responses
 * @syndrome: syndrome of an XROCE_RC_ACK
 * @behind: not 0: the program may have sent another response in this poll of the driver. That
 *	response leaves at the end of the poll, and this one must not overtake it
 * @again: not 0: a READ that has been executed before. If its memory is not accessible any more
 *	when a packet is built, the response ends there, without a NAK
 */
struct xroce_response {
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
	__u32 again;
};

/**
 * xroce_queue() - queue a response; the module sends it after those queued before it
 * @ctx: the frame of the request; the response goes to the source of its Ethernet header
 * @r: the response
 * @l3: offset of the IP header, the length of the Ethernet header
 *
 * Return: 0; -EAGAIN: not queued, the program shall send the response in the frame: the queue
 * has become empty, the response is no READ, the frame has none of XROCE_FRAME_*, and the
 * device loses no frames of XDP_TX; -ENOSPC: the queue pair has its maximum of queued READs;
 * -ENOENT: no such link or queue pair; -EINVAL: wrong arguments.
 */
extern int xroce_queue(struct xdp_md *ctx, const struct xroce_response *r, __u32 l3) XROCE_KFUNC;

/**
 * xroce_cnp() - have the module send a congestion notification (A17.9)
 * @ctx: the marked frame; the notification goes to the source of its Ethernet header
 * @link: number of the link
 * @qpn: queue pair, connected
 * @l3: offset of the IP header, the length of the Ethernet header
 * @opcode: of the marked packet
 *
 * A queue pair sends one notification at a time, and one per interval (the module's
 * parameter cnp_interval). Notifications do not wait for queued responses. There is none for a READ
 * response if the congestion control of the requester hears of marks.
 *
 * Return: 0; -EAGAIN: the interval has not passed, or the peer need not be told; -ENOENT: no such
 * link or queue pair, or the queue pair is not connected; -EINVAL: wrong arguments.
 */
extern int xroce_cnp(struct xdp_md *ctx, __u32 link, __u32 qpn, __u32 l3,
		     __u32 opcode) XROCE_KFUNC;

/**
 * xroce_cnp_received() - the peer has sent a congestion notification
 * @link: number of the link
 * @qpn: queue pair, connected
 *
 * The module paces its READ responses. Requests are a matter of congestion control, which hears of
 * notifications by xroce_qp::req_cnps.
 *
 * Return: 0; -ENOENT: no such link or queue pair.
 */
extern int xroce_cnp_received(__u32 link, __u32 qpn) XROCE_KFUNC;

#define XROCE_RECV_BEGIN	(1u << 0)	/* first packet of a message */
#define XROCE_RECV_END		(1u << 1)	/* last packet of a message */
#define XROCE_RECV_IMM		(1u << 2)	/* with immediate data */
#define XROCE_RECV_INV		(1u << 3)	/* with invalidate */
#define XROCE_RECV_SOLICITED	(1u << 4)	/* solicited event */
#define XROCE_RECV_WRITE	(1u << 5)	/* WRITE with immediate data */
#define XROCE_RECV_GRH		(1u << 6)	/* write the IP header before the payload */
#define XROCE_RECV_MCAST	(1u << 7)	/* of a group: never defer the frame */

/**
 * struct xroce_recv - a packet for a receive queue
 * @link: number of the link
 * @qpn: queue pair
 * @flags: XROCE_RECV_*
 * @off: offset of the payload in the frame
 * @len: bytes of payload
 * @byte_len: with XROCE_RECV_WRITE: bytes that the message has written; xroce_mcast(): VLAN tag
 *	that the driver has removed from the frame, protocol << 16 | TCI; 0: none
 * @imm: immediate data in network byte order, or the key to invalidate
 * @src_qpn: queue pair number of the sender
 * @l3: with XROCE_RECV_GRH: offset of the IP header
 * @pkey: partition key
 * @cut: as in struct xroce_write
 * @qkey: xroce_mcast(): Q_Key
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
	__u32 qkey;
};

/**
 * xroce_recv() - write the payload of a packet to a receive work request
 * @ctx: the frame
 * @r: the packet
 *
 * XROCE_RECV_BEGIN takes a work request, or starts again with that of a message that never
 * ended. XROCE_RECV_END completes the work request. A call may have both flags, also with
 * no bytes. With XROCE_RECV_INV and XROCE_RECV_END the window with the key @imm is unbound
 * before the completion is visible.
 *
 * On RC any error except -EAGAIN, -EINPROGRESS and -EBUSY has moved the queue pair to ERR
 * and completed the work request with the status of the error. On UC and UD only -EFAULT,
 * -EINVAL and -ENOSPC do so.
 *
 * Return: 0; -EAGAIN: no work request; -EMSGSIZE: the message is longer than the work
 * request; -EFAULT: an element is outside what the queue pair may write; -EINVAL: the work
 * request is malformed; -EKEYREJECTED: the key cannot be invalidated; -EINPROGRESS: an
 * element is in on-demand memory that is not present, a fault has been requested and the
 * frame has been deferred; -EBUSY: the same, but the frame could not be deferred; -ENOSPC:
 * the completion queue is full; -ENOENT: no such queue pair, or it does not receive.
 */
extern int xroce_recv(struct xdp_md *ctx, const struct xroce_recv *r) XROCE_KFUNC;

#define XROCE_MCAST_MAX		0x7fffu
#define XROCE_MCAST(taken, missed)	((int)((missed) << 16 | (taken)))
#define XROCE_MCAST_TAKEN(n)	((n) & XROCE_MCAST_MAX)
#define XROCE_MCAST_MISSED(n)	((n) >> 16)

/**
 * xroce_mcast() - write a datagram to a receive work request of each member of its group
 * @ctx: the frame, whose checks have passed. It does not change
 * @r: the packet; @qpn and @cut do not matter, and of @flags only XROCE_RECV_IMM and
 *	XROCE_RECV_SOLICITED
 *
 * Members are queue pairs that have joined the group of the IP destination, have the packet's
 * Q_Key and partition key, and are ready. The network device to which the stack gives the frame
 * must be one that takes it, see xr_ip_group() of the module; what a VLAN device in another
 * network namespace takes is for members of that namespace. A member without a work request, or
 * with on-demand memory that is not present, misses the datagram.
 *
 * Return: XROCE_MCAST(): the members that have taken it and those that have missed it;
 * -ENOENT: no such link; -EINVAL: the destination is no group.
 */
extern int xroce_mcast(struct xdp_md *ctx, const struct xroce_recv *r) XROCE_KFUNC;

/* Why xroce_defer() is called. */
#define XROCE_DEFER_BEHIND	0	/* the queue pair has deferred frames */
#define XROCE_DEFER_BUSY	1	/* likewise, and another CPU executes a packet of it */
#define XROCE_DEFER_EARLY	2	/* RC, claimed: the PSN is behind the expected one */
#define XROCE_DEFER_AGAIN	3	/* RC: the packet is a duplicate, and is not deferred */

/**
 * xroce_defer() - defer a frame, behind the deferred frames of its queue pair if there are some
 * @ctx: the frame, which has been admitted
 * @link: number of the link
 * @qpn: queue pair
 * @why: XROCE_DEFER_*
 *
 * The program runs on the frame again when it is next in order.
 *
 * Return: 0; -EALREADY: the frame is a deferred one and next in order, or on RC is before all that
 * are deferred, and the queue pair is not busy, or has been for too long; -EAGAIN: early, it has
 * been deferred, and the program shall answer it by a NAK for a sequence error; -ENOENT: there are
 * no deferred frames, or no such queue pair; -ENOSPC, -ENOMEM: no room; -EINVAL: early, but it is
 * not, or too much.
 */
extern int xroce_defer(struct xdp_md *ctx, __u32 link, __u32 qpn, __u32 why) XROCE_KFUNC;

/**
 * xroce_addr() - check a frame's destination against all addresses of the link's device
 * @ctx: the frame
 * @link: number of the link
 *
 * For a destination that differs from the address in struct xroce_netdev.
 *
 * Return: 0: it is an address of the device; -ENOENT: it belongs to another machine, or to a
 * device on top of the link's device that has its own owner.
 */
extern int xroce_addr(struct xdp_md *ctx, __u32 link) XROCE_KFUNC;

/**
 * xroce_local() - check a packet's IP destination against the addresses of this machine
 * @ctx: the frame
 * @link: number of the link
 * @l3: offset of the IP header
 *
 * For a queue pair with XROCE_QP_ANY_ADDR, as a verbs device has for datagrams.
 *
 * Return: 0: it is an address of a device that is in the same VRF and network namespace as the
 * link's device, or as the VLAN device or bridge that gets the frame; -ENOENT: it is not;
 * -EINVAL: the header is not inside the first buffer.
 */
extern int xroce_local(struct xdp_md *ctx, __u32 link, __u32 l3) XROCE_KFUNC;

/**
 * xroce_fail() - tell the module that a packet has moved a queue pair to ERR
 * @link: number of the link
 * @qpn: queue pair
 *
 * The module flushes its receive work requests and sends its owner an event.
 *
 * Return: 0, or -ENOENT: no such queue pair.
 */
extern int xroce_fail(__u32 link, __u32 qpn) XROCE_KFUNC;

/**
 * xroce_nak() - tell the module that the program answers a packet by a NAK
 * @link: number of the link
 * @qpn: queue pair
 * @psn: PSN of the NAK
 * @syndrome: of its AETH
 *
 * For the tracepoint xroce_nak_sent.
 *
 * Return: 0.
 */
extern int xroce_nak(__u32 link, __u32 qpn, __u32 psn, __u32 syndrome) XROCE_KFUNC;

/**
 * xroce_sq() - execute binds and invalidations of windows that are posted to a send queue
 * @link: number of the link
 * @qpn: queue pair; it may be in ERR afterwards
 *
 * Return: 0: those posted before the call have been executed, here or by another CPU, unless they
 * wait for requests before them; -EAGAIN: more are posted than are executed at a time, and the
 * packet must not be executed; the rest is executed by the time that the peer sends it again;
 * -ENOENT: no such queue pair.
 */
extern int xroce_sq(__u32 link, __u32 qpn) XROCE_KFUNC;

/**
 * struct xroce_ack - a response to a request of the queue pair
 * @result: XROCE_RC_ATOMIC_ACK: original value
 * @link: number of the link
 * @qpn: queue pair
 * @psn: PSN of the response
 * @opcode: XROCE_RC_ACK, XROCE_RC_ATOMIC_ACK, XROCE_OP_SACK, or one of a READ response
 * @syndrome: XROCE_RC_ACK: syndrome of the AETH
 * @off: READ response: offset of the payload in the frame; XROCE_OP_SACK: of struct xroce_sack
 * @len: bytes of these; otherwise 0
 * @wrong: not 0: it has the PSN that is due in response to the oldest READ or atomic, but no
 *	response has its lengths. @off and @len are 0
 * @l3: xroce_ack_checked(): offset of the IP header
 * @end: xroce_ack_checked(): offset of the invariant CRC
 */
struct xroce_ack {
	__u64 result;
	__u32 link;
	__u32 qpn;
	__u32 psn;
	__u32 opcode;
	__u32 syndrome;
	__u32 off;
	__u32 len;
	__u32 wrong;
	__u32 l3;
	__u32 end;
};

/**
 * xroce_ack() - accept a response
 * @ctx: the frame
 * @a: the response
 *
 * The module compares it with what is outstanding, writes the payload to local memory,
 * completes work requests, and sends what may be sent now. A wrong one, which the module may also
 * find, completes the READ or atomic with XROCE_WC_BAD_RESP_ERR.
 *
 * Return: 0; -ESTALE: ignored, because it is a duplicate, is out of sequence or fits nothing
 * that is outstanding; -ENOENT: no such link or queue pair, or it has no requester; -EINVAL:
 * the payload is not inside the frame.
 */
extern int xroce_ack(struct xdp_md *ctx, const struct xroce_ack *a) XROCE_KFUNC;

/**
 * xroce_ack_checked() - verify a packet's invariant CRC, and accept the response
 * @ctx: the frame
 * @a: the response, over IPv4
 *
 * The CRC is verified before anything changes. Only for a packet in the first buffer.
 *
 * Return: as xroce_ack(); -EBADMSG: nothing has changed, and xroce_icrc_check() tells why.
 */
extern int xroce_ack_checked(struct xdp_md *ctx, const struct xroce_ack *a) XROCE_KFUNC;

#endif /* _XROCE_KFUNC_H */
