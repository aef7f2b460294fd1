/* SPDX-License-Identifier: GPL-2.0-only */
/* Send work requests: see send/queue.h. */
#ifndef _XR_SEND_WQE_H
#define _XR_SEND_WQE_H

#include <linux/if_ether.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/types.h>

#include "uapi/xroce.h"
#include "xroce_op.h"

#include "obj/mw.h"

#include "psn.h"

/**
 * struct xr_send_ud - where a datagram goes
 * @dmac: Ethernet address of the peer, or of the next hop
 * @vlan: VLAN id; 0xffff: no tag
 * @prio: priority in the tag
 * @ipv6: IPv6; otherwise IPv4, in the last words of @saddr and @daddr
 * @tos: IPv4 type of service or IPv6 traffic class
 * @ttl: hop limit
 * @flow: flow label of IPv6, 20 bits
 * @sport: UDP source port
 * @qpn: the peer's queue pair number
 * @qkey: queue key
 * @saddr: own address
 * @daddr: the peer's address
 */
struct xr_send_ud {
	u8 dmac[ETH_ALEN];
	u16 vlan;
	u8 prio;
	bool ipv6;
	u8 tos;
	u8 ttl;
	u32 flow;
	u16 sport;
	u32 qpn;
	u32 qkey;
	__be32 saddr[4];
	__be32 daddr[4];
};

/**
 * struct xr_swqe - a copy of a send work request, which the program cannot change
 * @wr_id: chosen by the program, for the completion
 * @opcode: enum xroce_wr_opcode, or XROCE_WR_REG_MR
 * @op: its entry in the table of opcodes; that of SEND if there is none
 * @flags: enum xroce_send_flags
 * @imm_or_key: immediate data in network byte order; the key to invalidate, bind or register
 * @rkey: WRITE, READ, atomics, ATOMIC WRITE, FLUSH: R_Key
 * @va: likewise: address of the first byte at the peer; REG_MR: of the region
 * @swap_add: atomics: value to store or to add
 * @compare: CMP_SWAP: value to compare with
 * @bind: BIND_MW
 * @access: REG_MR: XROCE_ACCESS_*
 * @ud: datagrams
 * @length: bytes of the message
 * @num_sge: elements in @sge; with XROCE_SEND_INLINE @data has @length bytes instead
 * @status: enum xroce_wc_status with which it will be completed; not 0: it must not be sent
 * @begun: it has PSNs; a local operation has been executed
 * @resumed: READ: it was requested more than once, or in parts
 * @part: READ: logarithm of the packets of a part, to the base 2
 * @psn: PSN of its first packet
 * @last: PSN of the last packet: of its own, or of the response to a READ
 * @received: READ: bytes received
 * @sge: local memory
 * @data: the message itself
 *
 * Protected by xr_send::lock; before it is taken over, by xr_send::post_lock.
 */
struct xr_swqe {
	u64 wr_id;
	u32 opcode;
	u32 flags;
	const struct xroce_wr_op *op;
	__u32 imm_or_key;
	u32 rkey;
	u64 va;
	union {
		struct {
			u64 swap_add;
			u64 compare;
		};
		struct xr_bind bind;
		u32 access;
		struct xr_send_ud ud;
	};
	u32 length;
	u32 num_sge;
	u8 status;
	bool begun;
	bool resumed;
	u8 part;
	u32 psn;
	u32 last;
	u32 received;
	union {
		DECLARE_FLEX_ARRAY(struct xroce_sge_local, sge);
		DECLARE_FLEX_ARRAY(u8, data);
	};
};

/* True if the work request sends packets. If not, it is executed here. */
static inline bool xr_swqe_sends(const struct xr_swqe *w)
{
	return w->op->flags;
}

static inline bool xr_swqe_is_atomic(const struct xr_swqe *w)
{
	return w->op->flags & XROCE_OPF_ATOMIC;
}

/*
 * Finish an atomic whose elements have been copied with @status: they must have room for the
 * eight bytes of its response. Return: enum xroce_wc_status.
 */
static inline u32 xr_swqe_finish_atomic(struct xr_swqe *w, u32 status)
{
	if (!status && w->length < sizeof(u64))
		return XROCE_WC_LOC_LEN_ERR;
	w->length = sizeof(u64);
	return status;
}

/* True if it takes a receive of the peer, whose completion may be solicited (IBTA 9.2.3). */
static inline bool xr_swqe_takes_receive(const struct xr_swqe *w)
{
	return w->op->flags & XROCE_OPF_SEND || w->op->flags & XROCE_OPF_IMM;
}

/* True if the response carries data for local memory. */
static inline bool xr_swqe_reads(const struct xr_swqe *w)
{
	return w->op->flags & (XROCE_OPF_READ | XROCE_OPF_ATOMIC);
}

/* True if there is more in the response than an acknowledgement. */
static inline bool xr_swqe_responds(const struct xr_swqe *w)
{
	return w->op->flags & XROCE_OPF_REPLAY;
}

/*
 * A READ is requested in parts of so many packets at most, as a logarithm to the base 2, so that
 * its response is not longer than what can be noted while a packet is missing, and does not fill
 * the network for long.
 */
#define XR_READ_PART	9

/* Return: first PSN of the part of a READ, atomic or FLUSH that has the PSN. */
static inline u32 xr_swqe_part_begin(const struct xr_swqe *w, u32 psn)
{
	return xr_psn_add(w->psn, round_down(xr_psn_distance(psn, w->psn), 1u << w->part));
}

/* Return: the PSN behind that part. */
static inline u32 xr_swqe_part_end(const struct xr_swqe *w, u32 psn)
{
	u32 begin = xr_swqe_part_begin(w, psn);

	return xr_psn_add(begin, min(1u << w->part, xr_psn_distance(w->last, begin) + 1));
}

/* Return: parts that the PSNs from @psn up to @last have. */
static inline u32 xr_swqe_parts(const struct xr_swqe *w, u32 psn, u32 last)
{
	return (xr_psn_distance(last, w->psn) >> w->part) -
	       (xr_psn_distance(psn, w->psn) >> w->part) + 1;
}

#endif
