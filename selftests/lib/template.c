// SPDX-License-Identifier: GPL-2.0-only
#include <stddef.h>
#include <string.h>

#include <arpa/inet.h>
#include <linux/ip.h>

#include "packet.h"
#include "template.h"

static uint32_t icrc_of(const struct xroce_qp *qp, uint8_t opcode,
			struct frame *frame)
{
	struct packet p = {
		.ipv6 = qp->ipv6 & 1,
		.tos = qp->tos,
		.ttl = qp->ttl,
		.frag = qp->ipv6 & 1 ? 0 : PACKET_IP_DF,
		.sport = qp->sport,
		.dport = XROCE_UDP_PORT,
		.opcode = opcode,
		.mig = true,
		.pkey = qp->pkey,
		.dqpn = qp->dest_qpn,
	};

	memcpy(p.saddr, qp->saddr, sizeof(p.saddr));
	memcpy(p.daddr, qp->daddr, sizeof(p.daddr));
	packet_build(&p, frame);
	/* The packet has the least significant byte first. */
	return __builtin_bswap32(packet_icrc(frame->bytes, frame->l3,
					     frame->icrc));
}

void template_fill(struct xroce_qp *qp)
{
	struct frame frame;

	qp->read_max = qp->mtu;
	qp->pkey_full = qp->pkey & 0x8000 ? htons(qp->pkey) : ~0u;
	memset(qp->response, 0, sizeof(qp->response));
	qp->atomic_icrc = icrc_of(qp, XROCE_RC_ATOMIC_ACK, &frame);
	qp->atomic_check = 0;
	if (!(qp->ipv6 & 1))
		memcpy(&qp->atomic_check,
		       frame.bytes + frame.l3 + offsetof(struct iphdr, check),
		       sizeof(qp->atomic_check));
	qp->ack_icrc = icrc_of(qp, XROCE_RC_ACK, &frame);
	/* Without the last four bytes of the BTH, AckReq and PSN. */
	memcpy(qp->response, frame.bytes + frame.l3,
	       frame.bth + sizeof(struct xroce_bth) - 4 - frame.l3);
}

void template_crc(uint32_t crc[XROCE_CRC_BEHIND][256])
{
	int n, byte, bit;
	uint32_t c;

	for (byte = 0; byte < 256; byte++) {
		c = byte;
		for (n = 0; n < XROCE_CRC_BEHIND; n++) {
			for (bit = 0; bit < 8; bit++)
				c = c & 1 ? c >> 1 ^ 0xedb88320 : c >> 1;
			crc[n][byte] = c;
		}
	}
}
