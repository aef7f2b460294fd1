/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A made-up peer of a queue pair of the real module's: it sends packets from the
 * other end of the veth pair, byte by byte as a test wants them, and takes what
 * comes back.
 *
 *   c0: this, 02:00:00:00:00:01  <------>  x0: xroce, of live.h
 */
#ifndef XROCE_WIRE_TEST_H
#define XROCE_WIRE_TEST_H

#include "live.h"
#include "packet.h"

#define WIRE_QPN	0x000011u	/* the peer's number */
#define WIRE_PSN	0xabcdefu	/* the first one expected */
#define WIRE_BYTES	16384u		/* of the region */
#define WIRE_QKEY	0x51515151u
/* Over IPv4, to the payload of an answer with an AETH. */
#define WIRE_DATA_OFF	(14 + 20 + 8 + 12 + 4)

struct wire;

/**
 * struct wire_opts - what the queue pair is like
 * @type: enum xroce_qp_type; 0: RC
 * @ipv6: over IPv6
 * @tos: of its responses
 * @recv: it has a receive queue, of 16 entries of 2 elements
 * @with: another one, whose handle it shares, and which is closed after it
 * @beside: another handle is open when it is closed
 * @sq: entries of its handle's send queue; 0: it posts nothing
 * @cq: entries of its completion queue; 0: 16, or four times @sq
 * @peer: the peer's number; 0: WIRE_QPN
 * @dev: the device with the link; NULL: LIVE_DEV
 * @from: the device at the other end; NULL: c0
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
};

/**
 * struct wire - a queue pair in RTS, a region, and a request to it
 * @x: handle
 * @pd: protection domain
 * @qpn: queue pair
 * @rq: receive queue, or NULL
 * @cq: its completion queue; also of the send queue
 * @sq: send queue of the handle, or NULL
 * @opts: what it was opened with
 * @mem: memory of the region, zeroed
 * @mr: the region, with all rights
 * @req: a request of 64 bytes that asks for an ACK: a WRITE, or a datagram
 * @peer: the peer's number
 * @tos: of responses
 * @shared: the handle is another's
 * @fd: packet socket
 */
struct wire {
	struct xroce *x;
	__u32 pd;
	__u32 qpn;
	struct xroce_rq *rq;
	struct xroce_cq *cq;
	struct xroce_sq *sq;
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

/* In a row of a table: a test that begins with the one, and ends with the other. */
#define ON_WIRE(test, opts) \
	.on_wire = (test), .around = wire_around, .arg = (opts)
void wire_around(const struct test *test);

/* Through RESET to RTS once more, as it was at first. */
bool wire_again(struct wire *w);

/* Send @w->req. Return: whether it has left. */
bool wire_send(struct wire *w);

/* Send it, and wait until it has been judged: @counter, COUNTER(), moves by one. */
void wire_counted(struct wire *w, size_t counter);

/* The region's memory is as it was at first: zeros. */
void wire_untouched(const struct wire *w);

/*
 * The next packet to come back to the peer's number, within @ms: what it says, and, if
 * @bytes is not NULL, its bytes. Return: false when there is none; a malformed one fails
 * the test.
 */
bool wire_take(struct wire *w, int ms, struct packet *got, struct frame *bytes);

/* When a response is given up, which is no measure of time: a machine may be busy. */
#define WIRE_MS		60000
/* None comes: one that is as late as that is missed, and fails nothing. */
#define WIRE_QUIET_MS	150

/*
 * What a response has in all its fields but those of its opcode: addresses, ports,
 * partition, number.
 */
struct packet wire_response(const struct wire *w, uint8_t opcode);

/* Take a packet and compare it. */
void wire_expect(struct wire *w, const struct packet *want);

/* An ACK with @psn and @msn comes, and nothing else comes for a while. */
void wire_expect_ack(struct wire *w, uint32_t psn, uint32_t msn);
void wire_quiet(struct wire *w);

#endif /* XROCE_WIRE_TEST_H */
