/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A simulated peer of a queue pair of the real module: it sends packets from the other end
 * of the veth pair, with every byte as the test chooses, and receives the responses.
 *
 *   c0: the peer, 02:00:00:00:00:01  <------>  x0: xroce, see live.h
 */
#ifndef XROCE_WIRE_TEST_H
#define XROCE_WIRE_TEST_H

#include "live.h"
#include "packet.h"

#define WIRE_QPN	0x000011u	/* the peer's queue pair number */
#define WIRE_PSN	0xabcdefu	/* the first expected PSN */
#define WIRE_BYTES	16384u		/* of the region */
#define WIRE_QKEY	0x51515151u
/* Offset of the payload in a response with an AETH, over IPv4. */
#define WIRE_DATA_OFF	(14 + 20 + 8 + 12 + 4)

struct wire;

/**
 * struct wire_opts - properties of the queue pair
 * @type: enum xroce_qp_type; 0: RC
 * @with: another wire, whose handle it shares, and which is closed after it
 * @dev: the device with the link; NULL: LIVE_DEV
 * @from: the device at the other end; NULL: c0
 * @peer: the peer's number; 0: WIRE_QPN
 * @ipv6: IPv6 instead of IPv4
 * @tos: type of service of its responses
 * @recv: it has a receive queue with 16 entries of 2 elements
 * @beside: other handles are open when it is closed, so that the link is not idle
 * @sq: entries of its send queue, with which it was given the Ethernet address of c0; 0: it has
 *	none
 * @cq: entries of its completion queue; 0: 16, or four times @sq
 * @mtu: XROCE_MTU_*; 0: XROCE_MTU_1024
 * @psn: the first expected PSN; 0: WIRE_PSN
 */
struct wire_opts {
	__u32 type;
	const struct wire *with;
	const char *dev;
	const char *from;
	__u32 peer;
	bool ipv6;
	__u8 tos;
	bool recv;
	bool beside;
	__u32 sq;
	__u32 cq;
	__u32 mtu;
	__u32 psn;
};

/**
 * struct wire - a queue pair in RTS, a region, and a request for it
 * @x: handle
 * @pd: protection domain
 * @qpn: queue pair
 * @rq: receive queue, or NULL
 * @cq: completion queue of receive and send queue, or NULL
 * @send: send queue, or NULL
 * @send_stride: bytes of an entry of it
 * @opts: the options of wire_open()
 * @mem: memory of the region, zeroed
 * @mr: the region, with all rights
 * @req: a request of 64 bytes that asks for an ACK: a WRITE, or a datagram
 * @peer: the peer's number
 * @tos: type of service of responses
 * @shared: another wire owns the handle
 * @fd: packet socket
 */
struct wire {
	struct xroce *x;
	__u32 pd;
	__u32 qpn;
	struct xroce_rq *rq;
	struct xroce_cq *cq;
	struct xroce_send *send;
	__u32 send_stride;
	struct wire_opts opts;
	char *mem;
	struct xroce_mr_reg mr;
	struct packet req;
	__u32 peer;
	__u8 tos;
	bool shared;
	int fd;
};

bool wire_open(struct wire *w, const struct wire_opts *opts);
void wire_close(struct wire *w);

/*
 * Open only @w->fd, at the device that @w->opts names, for a queue pair of another front end.
 * The caller closes it. Return: whether it is open.
 */
bool wire_socket(struct wire *w);

/* A test between wire_open() and wire_close(), whose parameter is the wire: w. */
#define WIRE_TEST(name, ids, about, opts...) \
	TEST_OPENED(wire, w, wire_open(&w, opts), wire_close, name, ids, about)

/* Move the queue pair through RESET to RTS again, with its first attributes. */
bool wire_again(struct wire *w);

/* Send @w->req. Return: whether it was sent. */
bool wire_send(struct wire *w);

/* Send @w->req, and wait until @counter, a COUNTER(), has moved by one. */
void wire_counted(struct wire *w, size_t counter);

/* Check that the region's memory is still zeros. */
void wire_untouched(const struct wire *w);

/*
 * Take the next packet for the peer's number, within @ms milliseconds: its description, and,
 * if @bytes is not NULL, its bytes. The test fails if it is malformed. Return: false if none
 * has come.
 */
bool wire_take(struct wire *w, int ms, struct packet *got, struct frame *bytes);

/* Milliseconds until a response is missing. Not a measurement: the machine may be busy. */
#define WIRE_MS		60000
/* Milliseconds in which no response may come. A later one is not noticed. */
#define WIRE_QUIET_MS	150

/*
 * An expected response of this opcode, with the fields that all opcodes have: addresses,
 * ports, partition key, queue pair number.
 */
struct packet wire_response(const struct wire *w, uint8_t opcode);

/* Take a packet and compare it with @want. */
void wire_expect(struct wire *w, const struct packet *want);

/* Take a packet and check its opcode and PSN. */
void wire_comes(struct wire *w, uint8_t opcode, uint32_t psn);

/* Likewise for the response to a READ, of @n packets, at least 2. */
void wire_read_comes(struct wire *w, uint32_t psn, uint32_t n);

/* Expect an ACK with @psn and @msn, and no other packet for WIRE_QUIET_MS. */
void wire_expect_ack(struct wire *w, uint32_t psn, uint32_t msn);
void wire_quiet(struct wire *w);

#endif /* XROCE_WIRE_TEST_H */
