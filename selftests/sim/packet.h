/* SPDX-License-Identifier: GPL-2.0-only */
/* Packets on their way, and how many there have been. */
#ifndef XROCE_SIM_PACKET_H
#define XROCE_SIM_PACKET_H

#include <linux/types.h>

struct flow;
struct route;

/* Most PSNs that a selective acknowledgement names, and its bytes: struct xroce_sack. */
#define SACK_PSNS	1024u
#define SACK_BYTES	(4 + SACK_PSNS / 8)

/* Bytes of a frame besides its payload: Ethernet, IPv4, UDP, BTH, ICRC. */
#define FRAME_BYTES	(14 + 20 + 8 + 12 + 4)
#define RETH_BYTES	16
#define AETH_BYTES	4
#define CNP_BYTES	16

enum packet_kind {
	PACKET_WRITE,
	PACKET_READ,		/* the request for @n packets */
	PACKET_RESPONSE,
	PACKET_ACK,
	PACKET_SACK,
	PACKET_CNP,
};

/**
 * struct sack - which packets the peer keeps
 * @lost: packets from the expected one on of which those that are missing are lost
 * @kept: those from there on that are kept, a bit each
 */
struct sack {
	u32 lost;
	u64 kept[SACK_PSNS / 64];
};

/**
 * struct packet - a frame
 * @next: the one behind it on the link
 * @flow: its connection
 * @route: its way; @hop: position in it
 * @begin: when the link begins to send it; @end: when it is at the other end. Nanoseconds
 * @psn: PSN; of an acknowledgement, the one that is expected
 * @n: packets requested
 * @bytes: of the whole frame
 * @kind: what it is
 * @ask: it asks for an acknowledgement
 * @ect: switches may mark it
 * @marked: one has
 * @sack: of PACKET_SACK; the packet owns it
 */
struct packet {
	struct packet *next;
	struct flow *flow;
	const struct route *route;
	u64 begin;
	u64 end;
	u32 psn;
	u32 n;
	u32 bytes;
	u8 hop;
	u8 kind;
	bool ask;
	bool ect;
	bool marked;
	struct sack *sack;
};

/**
 * struct packet_count - packets of a run so far
 * @sent: by hosts
 * @delivered: to hosts
 * @dropped: by links
 */
struct packet_count {
	u64 sent;
	u64 delivered;
	u64 dropped;
};

extern struct packet_count packet_count;

/* A zeroed packet, which counts as sent. */
struct packet *packet_new(struct flow *f, u8 kind, u32 psn, u32 bytes);
void packet_free(struct packet *p);

#endif /* XROCE_SIM_PACKET_H */
