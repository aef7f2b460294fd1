// SPDX-License-Identifier: GPL-2.0-only
/*
 * Packets of requests. The message is read from local memory, and written to it by responses,
 * through L_Keys, which are looked up again for each packet: a region can be deregistered at
 * any time. One region is held at a time.
 */
#include <linux/etherdevice.h>
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/log2.h>
#include <linux/netdevice.h>
#include <linux/udp.h>
#include <net/ipv6.h>

#include "uapi/xroce.h"
#include "xroce_map.h"
#include "xroce_wire.h"

#include "bytes/icrc.h"
#include "frame/payload.h"
#include "frame/tx.h"
#include "qp/qp.h"
#include "recv/mcast.h"
#include "respond/read.h"

#include "packet.h"
#include "paths.h"
#include "queue.h"

/* Memory of a message that is made resident before it is requested, in bytes. */
#define XR_REQUEST_AHEAD	(64u << 10)

/* Write the Ethernet header. Its source is the device's address, which may change. */
static void xr_request_ether(struct xr_send *s, const u8 *dmac, u16 vlan, u8 prio, bool ipv6)
{
	struct ethhdr *eth = (struct ethhdr *)s->header;
	struct vlan_hdr *tag = (struct vlan_hdr *)(eth + 1);
	__be16 *proto = &eth->h_proto;

	s->ipv6 = ipv6;
	s->l2_len = ETH_HLEN;
	ether_addr_copy(eth->h_dest, dmac);
	if (vlan < VLAN_N_VID) {
		*proto = htons(ETH_P_8021Q);
		tag->h_vlan_TCI = htons(vlan | (prio & 7) << VLAN_PRIO_SHIFT);
		proto = &tag->h_vlan_encapsulated_proto;
		s->l2_len += VLAN_HLEN;
	}
	*proto = htons(ipv6 ? ETH_P_IPV6 : ETH_P_IP);
}

/* Ask for selective acknowledgements, or not any more: xr_send::asks has changed. */
void xr_request_sack(struct xr_send *s)
{
	struct xroce_bth *bth = (void *)s->header + s->header_len - sizeof(*bth);

	bth->dqpn &= ~htonl(XROCE_BTH_SACK);
	if (s->asks)
		bth->dqpn |= htonl(XROCE_BTH_SACK);
}

/* The newest packet of the batch has been sent before: tell a peer that wants to know. */
void xr_request_again(struct xr_send *s)
{
	struct xroce_bth *bth;

	/* Without a device there is none. */
	if (!s->batch.count)
		return;
	bth = s->batch.frame[s->batch.count - 1]->data + s->header_len - sizeof(*bth);
	if (bth->dqpn & htonl(XROCE_BTH_SACK))
		bth->dqpn |= htonl(XROCE_BTH_AGAIN);
}

/* Compute the headers from IP to BTH; the Ethernet header is there. @flow: of IPv6. */
static void xr_request_network(struct xr_send *s, const struct xroce_qp *to, u32 flow)
{
	void *l3 = s->header + s->l2_len;

	s->header_len = s->l2_len + xr_tx_request(l3, to, s->ipv6);
	s->fits.opcode = XR_SEND_FITS_NONE;
	/* The invariant CRC does not cover it. */
	if (s->ipv6)
		*(__be32 *)l3 |= (htonl(flow) & IPV6_FLOWLABEL_MASK);
}

/**
 * xr_request_ecn() - set whether packets of a connection are ECN-capable
 * @qp: the queue pair
 * @listens: its algorithm of congestion control listens to marks. They are also ECN-capable if the
 *	owner of the queue pair wants that
 *
 * The lock of the send side is held, or the queue pair is on its way to RTR. The responses of the
 * XDP program change only on the way to RTR, before their template is made.
 */
void xr_request_ecn(struct xr_qp *qp, bool listens)
{
	struct xr_send *s = &qp->send;
	u8 tos = qp->map->tos;

	/* Without the bits set here before, as the owner of the queue pair has chosen it. */
	if (s->ecn)
		tos &= ~XROCE_ECN_MASK;
	s->ecn = listens && !(tos & XROCE_ECN_MASK);
	WRITE_ONCE(s->listens, listens);
	WRITE_ONCE(qp->map->tos, s->ecn ? tos | XROCE_ECN_ECT0 : tos);
}

/* Return: the invariant CRC of a request with @n bytes from the PSN on, all zeros. */
static u32 xr_request_zeros(const struct xr_send *s, u8 opcode, u32 n)
{
	u32 behind = n - sizeof(__be32);
	struct xr_headers6 l3 = {};
	struct xroce_bth *bth;

	memcpy(&l3, s->header + s->l2_len, s->header_len - s->l2_len);
	bth = xr_tx_length(&l3, s->ipv6, sizeof(struct udphdr) + sizeof(*bth) + behind +
			   XROCE_ICRC_LEN);
	bth->opcode = opcode;
	return xr_icrc_zeros(&l3, s->ipv6, behind);
}

/* Compute the invariant CRCs that belong to the headers. */
static void xr_request_icrcs(struct xr_send *s, const struct xroce_qp *q)
{
	s->icrc = (struct xr_send_icrc){
		.read = xr_request_zeros(s, XROCE_RC_READ_REQUEST, XR_ICRC_PSN_READ),
		.swap = xr_request_zeros(s, XROCE_RC_CMP_SWAP, XR_ICRC_PSN_ATOMIC),
		.add = xr_request_zeros(s, XROCE_RC_FETCH_ADD, XR_ICRC_PSN_ATOMIC),
		.ack = xr_icrc_expected(q, XROCE_RC_ACK, XR_ICRC_PSN_ACK),
		.result = xr_icrc_expected(q, XROCE_RC_ATOMIC_ACK, XR_ICRC_PSN_RESULT),
	};
}

/**
 * xr_request_template() - compute the headers that all requests have
 * @qp: RC queue pair on its way to RTS, or whose address vector or partition key has changed
 *
 * The lock of the send side is held, in process context.
 */
void xr_request_template(struct xr_qp *qp)
{
	struct xr_send *s = &qp->send;

	xr_request_ecn(qp, s->cc.ops && s->cc.ops->flags & XROCE_CC_ECN);
	xr_request_ether(s, s->attr.dmac, s->attr.vlan, s->attr.prio,
			 xr_qp_map_ipv6(qp->map));
	xr_request_network(s, qp->map, s->attr.flow);
	xr_request_sack(s);
	if (qp->type == XROCE_QPT_RC)
		xr_request_icrcs(s, qp->map);
}

/* The same for one datagram: of the entry in the map only its addresses matter here. */
static void xr_request_datagram(struct xr_qp *qp, const struct xr_send_ud *ud)
{
	struct xr_send *s = &qp->send;
	struct xroce_qp to;

	to.pkey = READ_ONCE(qp->map->pkey);
	to.dest_qpn = ud->qpn;
	to.sport = ud->sport;
	to.tos = ud->tos;
	to.ttl = ud->ttl;
	memcpy(to.saddr, ud->saddr, sizeof(to.saddr));
	memcpy(to.daddr, ud->daddr, sizeof(to.daddr));
	xr_request_ether(s, ud->dmac, ud->vlan, ud->prio, ud->ipv6);
	xr_request_network(s, &to, ud->flow);
}

/* Headers over IPv4 without a VLAN tag, up to a multiple of eight bytes. */
#define XR_REQUEST_PLAIN \
	round_up(ETH_HLEN + sizeof(struct iphdr) + sizeof(struct udphdr) + \
		 sizeof(struct xroce_bth), sizeof(u64))

/* Return: the opcode of a packet, without the service. */
static u8 xr_request_opcode(const struct xroce_wr_op *op, bool begin, bool last)
{
	if (last)
		return begin ? op->only : op->last;
	return begin ? op->first : op->middle;
}

static void *xr_request_reth(void *at, const struct xr_request *r)
{
	/* A READ that is resumed asks for a part. */
	bool read = r->w->opcode == XROCE_WR_RDMA_READ;
	struct xroce_reth *reth = at;
	u64 va = r->w->va + (read ? r->off : 0);

	reth->va_hi = htonl(upper_32_bits(va));
	reth->va_lo = htonl(lower_32_bits(va));
	reth->rkey = htonl(r->w->rkey);
	reth->len = htonl(read ? r->want : r->w->length);
	return reth + 1;
}

static void *xr_request_atomiceth(void *at, const struct xr_swqe *w)
{
	struct xroce_atomiceth *eth = at;

	eth->va_hi = htonl(upper_32_bits(w->va));
	eth->va_lo = htonl(lower_32_bits(w->va));
	eth->rkey = htonl(w->rkey);
	eth->swap_hi = htonl(upper_32_bits(w->swap_add));
	eth->swap_lo = htonl(lower_32_bits(w->swap_add));
	eth->cmp_hi = htonl(upper_32_bits(w->compare));
	eth->cmp_lo = htonl(lower_32_bits(w->compare));
	return eth + 1;
}

static void *xr_request_deth(void *at, const struct xr_qp *qp, const struct xr_swqe *w)
{
	/* The top bit asks for the queue pair's own key (IBTA 10.2.4.3). */
	u32 qkey = w->ud.qkey & BIT(31) ? READ_ONCE(qp->map->qkey) : w->ud.qkey;
	struct xroce_deth *deth = at;

	deth->qkey = htonl(qkey);
	deth->sqpn = htonl(qp->qpn);
	return deth + 1;
}

/* Service in the opcode, by enum xroce_qp_type. */
static u8 xr_request_service(u32 type)
{
	if (type == XROCE_QPT_UC)
		return XROCE_OP_UC;
	return type == XROCE_QPT_UD ? XROCE_OP_UD : XROCE_OP_RC;
}

/* Write lengths and opcode into the headers that all requests have: see struct xr_send_fits. */
static noinline void xr_request_fit(struct xr_qp *qp, u8 opcode, u32 len)
{
	struct xr_send *s = &qp->send;
	struct xroce_bth *bth;

	s->fits.opcode = opcode;
	s->fits.len = len;
	s->fits.udp_len = sizeof(struct udphdr) + sizeof(*bth) +
			  (qp->type == XROCE_QPT_UD ? sizeof(struct xroce_deth) : 0) +
			  xroce_op_headers(xroce_op_flags(opcode)) + round_up(len, 4) +
			  XROCE_ICRC_LEN;
	bth = xr_tx_length(s->header + s->l2_len, s->ipv6, s->fits.udp_len);
	bth->opcode = opcode | xr_request_service(qp->type);
	bth->flags = XROCE_BTH_MIGREQ | (-len & 3) << XROCE_BTH_PAD_SHIFT;
}

/* Write all headers, which fit the packet. @opcode: without the service. Return: their end. */
static void *xr_request_headers(const struct xr_qp *qp, const struct xr_request *r, void *data,
				const struct net_device *dev, u8 opcode)
{
	const struct xr_send *s = &qp->send;
	u32 flags = xroce_op_flags(opcode);
	const struct xr_swqe *w = r->w;
	struct xroce_bth *bth;
	void *at;

	/* Constants. What is too much is overwritten: no frame has less room. */
	if (likely(s->header_len <= XR_REQUEST_PLAIN))
		memcpy(data, s->header, XR_REQUEST_PLAIN);
	else
		memcpy(data, s->header, sizeof(s->header));
	ether_addr_copy(data + ETH_ALEN, dev->dev_addr);
	if (xr_paths_many(s))
		xr_paths_port(s, r->psn, r->again,
			      data + s->header_len - sizeof(*bth) - sizeof(struct udphdr));
	bth = data + s->header_len - sizeof(*bth);
	if (flags & XROCE_OPF_END && w->flags & XROCE_SEND_SOLICITED && xr_swqe_takes_receive(w))
		bth->flags |= XROCE_BTH_SE;
	bth->apsn = htonl(r->psn | (r->ack ? XROCE_BTH_ACKREQ : 0));
	at = bth + 1;
	if (qp->type == XROCE_QPT_UD)
		at = xr_request_deth(at, qp, w);
	if (flags & XROCE_OPF_FLUSH) {
		((struct xroce_feth *)at)->what = htonl(w->imm_or_key);
		at += sizeof(struct xroce_feth);
	}
	if (xroce_op_has_reth(flags))
		at = xr_request_reth(at, r);
	if (flags & XROCE_OPF_ATOMIC)
		at = xr_request_atomiceth(at, w);
	if (flags & (XROCE_OPF_IMM | XROCE_OPF_INV)) {
		*(__be32 *)at = flags & XROCE_OPF_INV ?
				htonl(w->imm_or_key) : (__force __be32)w->imm_or_key;
		at += sizeof(__be32);
	}
	return at;
}

/* Return: the element with the byte @pos of the message; @in: out: offset in the element. */
static const struct xroce_sge_local *xr_request_sge(const struct xr_swqe *w, u32 pos, u32 *in)
{
	const struct xroce_sge_local *sge = w->sge;
	u32 i;

	for (i = 0; i + 1 < w->num_sge && pos >= sge->length; i++)
		pos -= sge++->length;
	*in = pos;
	return sge;
}

/*
 * Hold the region of an element, if the queue pair may use it: @right is 0 to read it.
 * Return: the region; NULL: no access.
 */
static struct xr_mr *xr_request_acquire(const struct xr_qp *qp, const struct xroce_sge_local *sge,
					u32 in, u32 right)
{
	struct xr_mr *mr = xr_mr_acquire(qp->link, sge->lkey);

	if (unlikely(!mr))
		return NULL;
	if (likely(mr->pd == qp->pd && sge->addr + in >= sge->addr && !READ_ONCE(mr->dying) &&
		   (READ_ONCE(mr->access) & right) == right))
		return mr;
	xr_mr_release();
	return NULL;
}

/* Release a region that cannot be accessed. */
static int xr_request_refused(void)
{
	xr_mr_release();
	return -EFAULT;
}

/*
 * On-demand memory is missing: release its region, and request it. The arguments are those of
 * xr_mr_miss(). Return: -EAGAIN: it is being brought in; -EFAULT.
 */
static noinline int xr_request_missed(struct xr_qp *qp, const struct xr_mr *mr, u64 va, u32 len,
				      u32 ahead, bool write)
{
	struct xr_odp_miss miss;

	xr_mr_miss(mr, va, len, ahead, write, &miss);
	xr_mr_release();
	return xr_odp_ask(&miss, qp->epoch) == -EAGAIN ? -EAGAIN : -EFAULT;
}

/* The whole payload is in one element: copy it and compute the CRC. Return: see below. */
static int xr_request_one(struct xr_qp *qp, const struct xr_request *r,
			  const struct xroce_sge_local *sge, u32 in, struct xdp_buff *xdp, u32 off)
{
	const struct xr_send *s = &qp->send;
	struct xr_mr *mr = xr_request_acquire(qp, sge, in, 0);
	u64 va = sge->addr + in, at;
	int ret;

	if (unlikely(!mr))
		return -EFAULT;
	ret = xr_mr_range(mr, va, r->len, false, &at);
	if (unlikely(ret))
		return ret != -EAGAIN ? xr_request_refused() :
		       xr_request_missed(qp, mr, va, r->len, sge->length - in - r->len, false);
	BUILD_BUG_ON(sizeof(struct xroce_reth) + sizeof(__be32) > XR_CLMUL_XTH);
	xr_read_fill(mr, at, &(struct xr_payload){ xdp, s->l2_len, s->ipv6, off, r->len });
	xr_mr_release();
	return 0;
}

/* Copy the payload out of several elements. Return: see below. */
static noinline int xr_request_gather(struct xr_qp *qp, const struct xr_request *r,
				      struct xdp_buff *xdp, u32 off)
{
	u32 left = r->len, in, n;
	const struct xroce_sge_local *sge = xr_request_sge(r->w, r->off, &in);
	struct xr_mr *mr;
	int ret;
	u64 at;

	for (; left; sge++, in = 0) {
		n = min(left, sge->length - in);
		if (!n)
			continue;
		mr = xr_request_acquire(qp, sge, in, 0);
		if (!mr)
			return -EFAULT;
		ret = xr_mr_range(mr, sge->addr + in, n, false, &at);
		if (ret)
			return ret != -EAGAIN ? xr_request_refused() :
			       xr_request_missed(qp, mr, sge->addr + in, n, 0, false);
		/* The pad that it writes is overwritten, and is not that of the message. */
		xr_mr_move_any(mr, at, xdp, off, n, false);
		xr_mr_release();
		off += n;
		left -= n;
	}
	memset(xdp->data + off, 0, -r->len & 3);
	return 0;
}

/*
 * Write the invariant CRC of a READ or atomic at @end. All that varies are the last bytes, too few
 * for a vector section. Return: false: it is another packet, or has one of several ports.
 */
static __always_inline bool xr_request_short(const struct xr_send *s, const struct xr_swqe *w,
					     void *end)
{
	u32 crc;

	if (xr_paths_many(s))
		return false;
	if (w->opcode == XROCE_WR_RDMA_READ)
		crc = s->icrc.read ^ xr_icrc_last(end - XR_ICRC_PSN_READ, XR_ICRC_PSN_READ);
	else if (xr_swqe_is_atomic(w))
		crc = (w->opcode == XROCE_WR_FETCH_ADD ? s->icrc.add : s->icrc.swap) ^
		      xr_icrc_last(end - XR_ICRC_PSN_ATOMIC, XR_ICRC_PSN_ATOMIC);
	else
		return false;
	put_unaligned_le32(crc, end);
	return true;
}

/*
 * Write payload, pad and invariant CRC. The frame has its final length and all headers.
 * Return: 0; -EAGAIN: on-demand memory is being brought in; -EFAULT: no access to the memory.
 */
static int xr_request_payload(struct xr_qp *qp, const struct xr_request *r, struct xdp_buff *xdp,
			      u32 off)
{
	const struct xroce_sge_local *sge;
	const struct xr_swqe *w = r->w;
	u32 in;
	int ret;

	if (r->len && w->flags & XROCE_SEND_INLINE) {
		memset(xdp->data + off + r->len, 0, -r->len & 3);
		memcpy(xdp->data + off, w->data + r->off, r->len);
	} else if (r->len) {
		sge = xr_request_sge(w, r->off, &in);
		if (likely(r->len <= sge->length - in))
			return xr_request_one(qp, r, sge, in, xdp, off);
		ret = xr_request_gather(qp, r, xdp, off);
		if (ret)
			return ret;
	} else if (likely(xr_request_short(&qp->send, w, xdp->data + off))) {
		return 0;
	}
	return xr_icrc_put(xdp, qp->send.l2_len, off + round_up(r->len, 4));
}

/* Return: bytes of a READ that packets of its response from @psn up to before @end have. */
u32 xr_request_want(const struct xr_qp *qp, const struct xr_swqe *w, u32 psn, u32 end)
{
	u32 off = xr_psn_distance(psn, w->psn) << ilog2(qp->mtu);

	return min(w->length - off, xr_psn_distance(end, psn) << ilog2(qp->mtu));
}

/**
 * xr_request_build() - build a packet of a request and add it to the batch
 * @qp: the queue pair, whose send side is locked; its batch is not full
 * @r: the packet
 *
 * In softirq, or with bottom halves off, under RCU.
 *
 * Return: 0; -ENOMEM; -ENETDOWN: the device is gone; -EAGAIN: on-demand memory is being
 * brought in; -EFAULT: the queue pair has no access to the memory.
 */
int xr_request_build(struct xr_qp *qp, const struct xr_request *r)
{
	/* The device is freed after an RCU grace period. */
	const struct net_device *dev = READ_ONCE(qp->link->dev);
	const struct xr_swqe *w = r->w;
	bool begin = !r->off || xr_swqe_responds(w);
	bool last = r->off + r->len == w->length || xr_swqe_responds(w);
	u8 opcode = xr_request_opcode(w->op, begin, last);
	struct xr_send *s = &qp->send;
	struct xdp_buff xdp __uninitialized;
	void *at;
	int ret;

	if (!dev)
		return -ENETDOWN;
	if (qp->type == XROCE_QPT_UD)
		xr_request_datagram(qp, &w->ud);
	if (unlikely(s->fits.opcode != opcode || s->fits.len != r->len))
		xr_request_fit(qp, opcode, r->len);
	/* The BTH and the UDP header are in both. */
	if (!xr_tx_open(&xdp, s->header_len - sizeof(struct xroce_bth) - sizeof(struct udphdr) +
			s->fits.udp_len))
		return -ENOMEM;
	at = xr_request_headers(qp, r, xdp.data, dev, opcode);
	ret = xr_request_payload(qp, r, &xdp, at - xdp.data);
	if (ret) {
		xr_tx_cancel(&xdp);
		return ret;
	}
	xr_tx_add(&s->batch, &xdp);
	if (qp->type == XROCE_QPT_UD && is_multicast_ether_addr(w->ud.dmac) &&
	    xr_mcast_has_member(qp->link, &xdp, s->l2_len))
		xr_tx_copy_loop(&s->batch);
	return 0;
}

/**
 * xr_request_local() - check the memory that the response to a READ or atomic is written to
 * @qp: the queue pair, whose send side is locked
 * @w: the work request
 *
 * The response checks it again. On-demand memory at its beginning is brought in.
 *
 * Return: as xr_request_build().
 */
int xr_request_local(struct xr_qp *qp, const struct xr_swqe *w)
{
	u32 i, n, ahead = XR_REQUEST_AHEAD;
	const struct xroce_sge_local *sge;
	struct xr_mr *mr;
	int ret;
	u64 at;

	for (i = 0; i < w->num_sge; i++) {
		sge = &w->sge[i];
		if (!sge->length)
			continue;
		mr = xr_request_acquire(qp, sge, 0, XROCE_ACCESS_LOCAL_WRITE);
		if (!mr)
			return -EFAULT;
		n = min(sge->length, ahead);
		ret = xr_mr_offset(mr, sge->addr, sge->length, &at);
		if (!ret)
			ret = xr_mr_range(mr, sge->addr, n, true, &at);
		if (ret)
			return ret != -EAGAIN ? xr_request_refused() :
			       xr_request_missed(qp, mr, sge->addr, n, sge->length - n, true);
		xr_mr_release();
		ahead -= n;
	}
	return 0;
}

/*
 * Write @len bytes of a response to the memory of a work request, behind its first @pos bytes.
 * Return: as xr_request_scatter().
 */
static __always_inline int xr_request_store(struct xr_qp *qp, const struct xr_swqe *w, u32 pos,
					    struct xr_source from, u32 len)
{
	const struct xroce_sge_local *sge;
	struct xr_mr *mr;
	u32 in, n;
	int ret;

	if (!len)
		return 0;
	sge = xr_request_sge(w, pos, &in);
	for (; len; sge++, in = 0) {
		n = min(len, sge->length - in);
		if (!n)
			continue;
		mr = xr_request_acquire(qp, sge, in, XROCE_ACCESS_LOCAL_WRITE);
		if (unlikely(!mr))
			return -EFAULT;
		ret = xr_mr_put(mr, sge->addr + in, &from, n);
		if (unlikely(ret))
			return ret != -EAGAIN ? xr_request_refused() :
			       xr_request_missed(qp, mr, sge->addr + in, n, len - n, true);
		xr_mr_release();
		xr_source_skip(&from, n);
		len -= n;
	}
	return 0;
}

/**
 * xr_request_scatter() - write bytes of a response to the memory of a work request
 * @qp: the queue pair, whose send side is locked
 * @w: the work request
 * @pos: bytes of the response before these; @pos + @len is at most the length of the message
 * @xdp: the frame
 * @off: offset of the bytes in the frame, which has them
 * @len: bytes
 *
 * In softirq, under RCU. After an error some bytes may have been written.
 *
 * Return: 0, -EAGAIN or -EFAULT as xr_request_build().
 */
int xr_request_scatter(struct xr_qp *qp, const struct xr_swqe *w, u32 pos, struct xdp_buff *xdp,
		       u32 off, u32 len)
{
	return xr_request_store(qp, w, pos, (struct xr_source){ NULL, xdp, off }, len);
}

/* The same for the result of an atomic operation. */
int xr_request_result(struct xr_qp *qp, const struct xr_swqe *w, const u64 *result)
{
	return xr_request_store(qp, w, 0, (struct xr_source){ result }, sizeof(*result));
}
