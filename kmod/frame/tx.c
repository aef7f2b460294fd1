// SPDX-License-Identifier: GPL-2.0-only
/* Building frames, in softirq, and templates of headers, in process context. */
#include <linux/etherdevice.h>
#include <linux/filter.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/skbuff.h>
#include <linux/udp.h>
#include <net/checksum.h>
#include <net/ip.h>
#include <net/xdp.h>

#include "xroce_map.h"
#include "xroce_wire.h"

#include "bytes/icrc.h"
#include "obj/mr_stat.h"
#include "qp/qp.h"
#include "respond/read.h"

#include "batch.h"
#include "loop.h"
#include "pages.h"
#include "payload.h"
#include "tx.h"

/* For frames whose pages are not of a pool, and for those that are never sent. */
struct xdp_rxq_info xr_tx_rxq = {
	.mem.type = MEM_TYPE_PAGE_SHARED,
};

static void *xr_tx_ipv4(void *at, const struct xroce_qp *q, u8 tos, u16 udp_len)
{
	struct iphdr *ip = at;

	*ip = (struct iphdr){
		.version = 4,
		.ihl = 5,
		.tos = tos,
		.tot_len = htons(sizeof(*ip) + udp_len),
		.frag_off = htons(IP_DF),
		.ttl = q->ttl,
		.protocol = IPPROTO_UDP,
		.saddr = q->saddr[3],
		.daddr = q->daddr[3],
	};
	ip->check = ip_fast_csum(ip, ip->ihl);
	return ip + 1;
}

static void *xr_tx_ipv6(void *at, const struct xroce_qp *q, u8 tos, u16 udp_len)
{
	struct ipv6hdr *ip = at;

	*(__be32 *)ip = htonl(6u << 28 | (u32)tos << 20);
	ip->payload_len = htons(udp_len);
	ip->nexthdr = IPPROTO_UDP;
	ip->hop_limit = q->ttl;
	memcpy(&ip->saddr, q->saddr, sizeof(ip->saddr));
	memcpy(&ip->daddr, q->daddr, sizeof(ip->daddr));
	return ip + 1;
}

static bool xr_tx_has_aeth(u8 opcode)
{
	return opcode != XROCE_RC_READ_RESPONSE_MIDDLE && opcode != XROCE_OP_CNP;
}

/* Bytes between BTH and payload. */
static u32 xr_tx_xth_len(u8 opcode)
{
	if (opcode == XROCE_OP_CNP)
		return XROCE_CNP_LEN;
	if (opcode == XROCE_OP_SACK)
		return sizeof(struct xroce_aeth) + sizeof(struct xroce_sack);
	return (xr_tx_has_aeth(opcode) ? sizeof(struct xroce_aeth) : 0) +
	       (opcode == XROCE_RC_ATOMIC_ACK ?
		sizeof(struct xroce_atomicacketh) : 0);
}

/*
 * Write the headers up to the BTH, from the queue pair's attributes. Return: address of the
 * PSN, which is not written.
 */
static __be32 *xr_tx_headers(void *at, const struct xroce_qp *q, bool ipv6,
			     const struct xr_tx_packet *p, u16 udp_len)
{
	bool cnp = p->opcode == XROCE_OP_CNP;
	/* Switches must not mark a congestion notification: not ECN-capable. */
	u8 tos = cnp ? q->tos & ~XROCE_ECN_MASK : q->tos;
	struct xroce_bth *bth;
	struct udphdr *udp;

	udp = ipv6 ? xr_tx_ipv6(at, q, tos, udp_len) :
		     xr_tx_ipv4(at, q, tos, udp_len);
	udp->source = htons(q->sport);
	udp->dest = htons(XROCE_UDP_PORT);
	udp->len = htons(udp_len);
	udp->check = 0;

	bth = (struct xroce_bth *)(udp + 1);
	bth->opcode = p->opcode;
	bth->flags = cnp ? 0 : XROCE_BTH_MIGREQ;
	bth->pkey = htons(q->pkey);
	bth->dqpn = htonl(q->dest_qpn | (cnp ? XROCE_BTH_BECN : 0));
	return &bth->apsn;
}

/**
 * xr_tx_request() - write the headers that all requests of a queue pair have
 * @at: the IP header
 * @q: the queue pair
 * @ipv6: the IP header is IPv6
 *
 * xr_tx_length() completes them. Opcode and PSN are 0.
 *
 * Return: their length in bytes, with the BTH.
 */
u32 xr_tx_request(void *at, const struct xroce_qp *q, bool ipv6)
{
	const struct xr_tx_packet p = {};
	__be32 *psn = xr_tx_headers(at, q, ipv6, &p, 0);

	*psn = 0;
	return (void *)(psn + 1) - at;
}

/* Like xr_tx_headers(), for a response, from the template that xr_tx_template() has made. */
static __always_inline __be32 *xr_tx_response(void *at, const struct xroce_qp *q, bool ipv6,
					   const struct xr_tx_packet *p, u16 udp_len)
{
	struct xroce_bth *bth;

	/* Constants, so that both copies are inlined. */
	if (unlikely(ipv6)) {
		memcpy(at, q->response, XROCE_RESPONSE_WORDS * sizeof(*q->response));
		bth = xr_tx_length(at, true, udp_len);
	} else {
		memcpy(at, q->response, XROCE_RESPONSE_WORDS4 * sizeof(*q->response));
		bth = xr_tx_length(at, false, udp_len);
	}
	bth->opcode = p->opcode;
	bth->flags |= (-p->len & 3) << XROCE_BTH_PAD_SHIFT;
	return &bth->apsn;
}

/* Write the PSN and all headers between BTH and payload. Return: the end of the headers. */
static __always_inline void *xr_tx_behind(__be32 *psn, const struct xr_tx_packet *p)
{
	void *at = psn + 1;

	*psn = htonl(p->psn);
	if (p->opcode == XROCE_OP_CNP) {
		memset(at, 0, XROCE_CNP_LEN);
		return at + XROCE_CNP_LEN;
	}
	if (xr_tx_has_aeth(p->opcode)) {
		struct xroce_aeth *aeth = at;

		aeth->smsn = htonl((u32)p->syndrome << 24 | p->msn);
		at = aeth + 1;
	}
	if (p->opcode == XROCE_RC_ATOMIC_ACK) {
		struct xroce_atomicacketh *orig = at;

		orig->orig_hi = htonl(upper_32_bits(p->result));
		orig->orig_lo = htonl(lower_32_bits(p->result));
		at = orig + 1;
	} else if (unlikely(p->opcode == XROCE_OP_SACK)) {
		memcpy(at, p->sack, sizeof(*p->sack));
		at += sizeof(*p->sack);
	}
	return at;
}

/* Invariant CRC of an acknowledgement: that of the template XOR the share of PSN and AETH. */
static u32 xr_tx_ack_icrc(const struct xroce_qp *q, const struct xr_tx_packet *p)
{
	u32 aeth = (u32)p->syndrome << 24 | p->msn;

	return q->ack_icrc ^ xr_icrc_of((u64)p->psn << 32 | aeth);
}

/* Free a frame of xr_tx_open(). */
void xr_tx_cancel(struct xdp_buff *xdp)
{
	xr_pages_free(xdp);
}

/**
 * xr_tx_copy_loop() - give the link itself a copy of the newest frame of a batch
 * @batch: the batch, which is not empty
 *
 * For datagrams to a multicast group that has members on this device. A device that is down sends
 * none, and the loopback device returns them itself. Without memory or room the copy is lost, and
 * counted.
 */
void xr_tx_copy_loop(struct xr_tx_batch *batch)
{
	const struct xdp_frame *frame = batch->frame[batch->count - 1];
	struct xdp_frame *copy;
	struct xdp_buff xdp;

	if (!xr_tx_is_up(batch->dev) || batch->dev->flags & IFF_LOOPBACK)
		return;
	if (xr_tx_open(&xdp, frame->len)) {
		memcpy(xdp.data, frame->data, frame->len);
		copy = xdp_convert_buff_to_frame(&xdp);
		if (xr_loop_send(batch->loop, &copy, 1, batch->qpn))
			return;
		xdp_return_frame(copy);
	}
	this_cpu_inc(batch->stat->drop_tx);
}

/* Count a READ response that cannot be built. RCU keeps the region allocated. */
static noinline int xr_tx_refused(const struct xr_mr *mr, int ret)
{
	if (ret && ret != -EAGAIN)
		xr_mr_count_refused(mr->stat);
	return ret;
}

/* On-demand memory is not resident. Release the region, then request a fault. */
static noinline int xr_tx_missed(const struct xr_qp *qp, const struct xr_mr *mr,
				 const struct xr_tx_packet *p)
{
	struct xr_odp_miss miss;

	xr_mr_miss(mr, p->va, p->len, p->ahead, false, &miss);
	xr_mr_release();
	return xr_tx_refused(mr, xr_odp_ask(&miss, qp->epoch));
}

/*
 * Write the payload, which begins at @off, and the invariant CRC. Nothing is allocated and no
 * lock is taken while the region is held (hazard.h). Return: as xr_tx_build().
 */
static __always_inline int xr_tx_payload(const struct xr_qp *qp,
					 const struct xr_tx_packet *p,
					 struct xdp_buff *xdp, bool ipv6, u32 off)
{
	struct xr_mr *mr = xr_rkey_acquire(qp, p->va, p->key, p->len,
					XROCE_ACCESS_REMOTE_READ);
	u64 from;
	int ret;

	if (!mr)
		return -ENOENT;
	ret = xr_mr_range(mr, p->va, p->len, false, &from);
	if (unlikely(ret == -EAGAIN))
		return xr_tx_missed(qp, mr, p);
	if (likely(!ret)) {
		xr_read_fill(mr, from, &(struct xr_payload){ xdp, p->l2_len, ipv6, off, p->len });
		xr_mr_count_out(mr->stat, p->len, p->begin);
	} else {
		xr_tx_refused(mr, ret);
	}
	xr_mr_release();
	return ret;
}

/**
 * xr_tx_build() - build a packet and add it to a batch
 * @batch: a batch that is not full
 * @qp: queue pair; its addresses are taken from its entry in the map "qp"
 * @p: the packet
 *
 * Return: 0; -ENOMEM; -ENOENT: no such region, or no right to read it; -ERANGE: outside the
 * region; -EAGAIN: on-demand memory is being brought in; -EFAULT or -EIO: it cannot be.
 */
int xr_tx_build(struct xr_tx_batch *batch, const struct xr_qp *qp,
		const struct xr_tx_packet *p)
{
	const struct xroce_qp *q = qp->map;
	/* Read once: the map can change, but the headers must fit what is allocated. */
	bool ipv6 = xr_qp_map_ipv6(q);
	u32 l3 = ipv6 ? sizeof(struct ipv6hdr) : sizeof(struct iphdr);
	u32 pad = -p->len & 3;
	struct xdp_buff xdp __uninitialized;
	u32 udp_len, len;
	__be32 *psn;
	void *at;
	int ret;

	udp_len = sizeof(struct udphdr) + sizeof(struct xroce_bth) +
		  xr_tx_xth_len(p->opcode) + p->len + pad + XROCE_ICRC_LEN;
	len = p->l2_len + l3 + udp_len;
	if (!xr_tx_open(&xdp, len))
		return -ENOMEM;

	/* A copy of constant length; the IP header overwrites what is behind @l2_len. */
	memcpy(xdp.data, p->l2, XR_TX_L2_ROOM);
	at = xdp.data + p->l2_len;
	if (unlikely(p->opcode == XROCE_OP_CNP))
		psn = xr_tx_headers(at, q, ipv6, p, udp_len);
	else
		psn = xr_tx_response(at, q, ipv6, p, udp_len);
	at = xr_tx_behind(psn, p);
	if (p->len) {
		ret = xr_tx_payload(qp, p, &xdp, ipv6, at - xdp.data);
		if (ret)
			goto err;
	} else if (p->opcode == XROCE_RC_ACK) {
		put_unaligned_le32(xr_tx_ack_icrc(q, p), at);
	} else {
		ret = xr_icrc_put(&xdp, p->l2_len, len - XROCE_ICRC_LEN);
		if (ret)
			goto err;
	}
	xr_tx_add(batch, &xdp);
	return 0;
err:
	xr_tx_cancel(&xdp);
	return ret;
}

/*
 * Compute the invariant CRC of a response whose PSN, syndrome, MSN and result are zero. Also
 * set xroce_qp::response or xroce_qp::atomic_check.
 */
static u32 xr_tx_template_icrc(struct xroce_qp *q, u8 opcode)
{
	u8 frame[ETH_HLEN + sizeof(struct ipv6hdr) + sizeof(struct udphdr) +
		 sizeof(struct xroce_bth) + sizeof(struct xroce_aeth) +
		 sizeof(struct xroce_atomicacketh) + XROCE_ICRC_LEN] = {};
	const struct xr_tx_packet p = { .opcode = opcode };
	u32 udp_len = sizeof(struct udphdr) + sizeof(struct xroce_bth) +
		      xr_tx_xth_len(opcode) + XROCE_ICRC_LEN;
	struct xdp_buff xdp;
	__be32 *psn;
	void *end;
	u32 crc;

	psn = xr_tx_headers(frame + ETH_HLEN, q, xr_qp_map_ipv6(q), &p, udp_len);
	end = xr_tx_behind(psn, &p);
	xdp_init_buff(&xdp, sizeof(frame), &xr_tx_rxq);
	xdp_prepare_buff(&xdp, frame, 0, end + XROCE_ICRC_LEN - (void *)frame,
			 false);
	if (xr_icrc(&xdp, ETH_HLEN, end - (void *)frame, &crc))
		return 0;
	if (opcode == XROCE_RC_ATOMIC_ACK && !xr_qp_map_ipv6(q))
		q->atomic_check =
			(__force u16)((struct iphdr *)(frame + ETH_HLEN))->check;
	if (opcode == XROCE_RC_ACK)
		memcpy(q->response, frame + ETH_HLEN, (void *)psn - (void *)frame - ETH_HLEN);
	return crc;
}

/**
 * xr_tx_template() - precompute headers and CRCs of responses, and the CRC of READ requests
 * @q: RC queue pair on its way to RTR, or whose address vector or partition key changes in
 *	SQD; the attributes are set
 */
void xr_tx_template(struct xroce_qp *q)
{
	q->ack_icrc = xr_tx_template_icrc(q, XROCE_RC_ACK);
	q->atomic_icrc = xr_tx_template_icrc(q, XROCE_RC_ATOMIC_ACK);
	q->read_icrc = xr_icrc_expected(q, XROCE_RC_READ_REQUEST, XR_ICRC_PSN_READ);
	memset(&q->read, 0, sizeof(q->read));
}
