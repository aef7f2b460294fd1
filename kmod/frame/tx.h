/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Frames that the module builds: requests, responses that do not fit the frame of the
 * request or must not overtake earlier ones, and congestion notifications.
 */
#ifndef _XR_FRAME_TX_H
#define _XR_FRAME_TX_H

#include <linux/gfp.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/skbuff.h>
#include <linux/types.h>
#include <linux/udp.h>
#include <net/checksum.h>
#include <net/xdp.h>

#include "xroce_wire.h"

#include "batch.h"
#include "pages.h"

struct xr_qp;
struct xroce_qp;

/*
 * Headroom in bytes, for struct xdp_frame and for what the driver puts before the frame. A
 * little less than XDP_PACKET_HEADROOM, so that a block of page fragments holds one more
 * response of 4 KiB.
 */
#define XR_TX_HEADROOM		192

/* For frames whose pages are not of a pool, and for those that are never sent. */
extern struct xdp_rxq_info xr_tx_rxq;

/**
 * struct xr_tx_packet - one packet of a response, or a congestion notification
 * @l2: Ethernet header with VLAN tags, from us to the peer; XR_TX_L2_ROOM bytes
 * @l2_len: length of that header, in bytes
 * @opcode: enum xroce_rc_opcode; XROCE_OP_SACK; or XROCE_OP_CNP, which uses nothing below
 * @syndrome: syndrome of the AETH; unused for XROCE_RC_READ_RESPONSE_MIDDLE
 * @psn: packet sequence number
 * @msn: message sequence number
 * @result: atomic acknowledgement: original value
 * @key: READ response with payload: R_Key of the request
 * @va: READ response with payload: address of the first byte
 * @len: bytes of payload
 * @ahead: bytes of the response after this packet
 * @begin: first packet of the response
 * @sack: XROCE_OP_SACK: what follows the AETH
 */
struct xr_tx_packet {
	const u8 *l2;
	u32 l2_len;
	u8 opcode;
	u8 syndrome;
	u32 psn;
	u32 msn;
	u64 result;
	u32 key;
	u64 va;
	u32 len;
	u32 ahead;
	bool begin;
	const struct xroce_sack *sack;
};

void xr_tx_cancel(struct xdp_buff *xdp);
void xr_tx_copy_loop(struct xr_tx_batch *batch);
int xr_tx_build(struct xr_tx_batch *batch, const struct xr_qp *qp,
		const struct xr_tx_packet *p);
u32 xr_tx_request(void *at, const struct xroce_qp *q, bool ipv6);
void xr_tx_template(struct xroce_qp *q);

/*
 * Allocate memory for a frame, for page_frag_free(). In softirq. Since Linux 6.13 the cache of page
 * fragments takes a new block of 32 KiB only for a fragment of a page or less, so ask for
 * one if a larger fragment fails. Try twice: the old block may have had room for the page,
 * and the new block may be a single page.
 */
static __always_inline void *xr_tx_alloc(u32 size)
{
	void *frag = napi_alloc_frag(size);
	void *page;
	int i;

	for (i = 0; unlikely(!frag) && i < 2 && size > PAGE_SIZE; i++) {
		page = napi_alloc_frag(PAGE_SIZE);
		if (!page)
			break;
		page_frag_free(page);
		frag = napi_alloc_frag(size);
	}
	return frag;
}

/**
 * xr_tx_open() - allocate a frame
 * @xdp: out: the frame, whose content is undefined
 * @len: bytes
 *
 * Return: whether there was memory. If so, xr_tx_add() or xr_tx_cancel() consumes the frame.
 */
static __always_inline bool xr_tx_open(struct xdp_buff *xdp, u32 len)
{
	u32 size = SKB_HEAD_ALIGN(XR_TX_HEADROOM + len);
	struct xdp_rxq_info *rxq = xr_pages_rxq();
	void *frag = xr_pages_alloc(size);

	if (unlikely(!frag)) {
		rxq = &xr_tx_rxq;
		frag = xr_tx_alloc(size);
		if (!frag)
			return false;
	}
	xdp_init_buff(xdp, size, rxq);
	xdp_prepare_buff(xdp, frag, XR_TX_HEADROOM, len, false);
	return true;
}

/* Add a frame of xr_tx_open() to a batch that is not full. */
static __always_inline void xr_tx_add(struct xr_tx_batch *batch, struct xdp_buff *xdp)
{
	/* This cannot fail: XR_TX_HEADROOM has room for struct xdp_frame. */
	batch->frame[batch->count++] = xdp_convert_buff_to_frame(xdp);
}

/**
 * xr_tx_length() - write the lengths into headers of xr_tx_request()
 * @at: the IP header
 * @ipv6: as for xr_tx_request()
 * @udp_len: bytes from the UDP header on
 *
 * Return: the BTH.
 */
static __always_inline struct xroce_bth *xr_tx_length(void *at, bool ipv6, u16 udp_len)
{
	struct udphdr *udp;

	if (unlikely(ipv6)) {
		struct ipv6hdr *ip = at;

		ip->payload_len = htons(udp_len);
		udp = (struct udphdr *)(ip + 1);
	} else {
		struct iphdr *ip = at;
		__be16 len = htons(sizeof(*ip) + udp_len);

		csum_replace2(&ip->check, ip->tot_len, len);
		ip->tot_len = len;
		udp = (struct udphdr *)(ip + 1);
	}
	udp->len = htons(udp_len);
	return (struct xroce_bth *)(udp + 1);
}

#endif
