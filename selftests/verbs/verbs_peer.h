/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A reliable connection of xr0 whose peer is no queue pair but the test, at the other end of
 * the veth pair: it sees every byte of the requests and chooses every byte of the responses.
 *
 * Memory, in pages: guard | out, filled with a pattern | in, filled with PEER_GUARD | guard.
 * Messages are sent from the beginning of "out", READs and atomics return to the beginning of
 * "in"; the region has both.
 */
#ifndef XROCE_VERBS_PEER_H
#define XROCE_VERBS_PEER_H

#include "mem.h"
#include "packet.h"
#include "verbs_end.h"
#include "verbs_ring.h"
#include "xroce_map.h"

#define PEER_PSN	0xfffffeu	/* of the first request; wraps early */
#define PEER_MTU	1024u
#define PEER_VA		0x123456789abcdef0ull
#define PEER_RKEY	0x89abcdefu
#define PEER_IMM	0x01234567u	/* immediate data, or the key to invalidate */
#define PEER_SWAP	0x1112131415161718ull
#define PEER_COMPARE	0x2122232425262728ull
#define PEER_PATTERN	0x35
#define PEER_GUARD	0x5a
#define PEER_PAGES	4u		/* of "out", and of "in" */
#define PEER_BYTES	(PEER_PAGES * (uint32_t)MEM_PAGE)

/**
 * struct peer_opts - attributes of the requester
 * @timeout: code of the local ACK timeout; 0: none
 * @retries: retry_cnt
 * @rnr_retries: rnr_retry
 * @reads: max_rd_atomic
 */
struct peer_opts {
	uint8_t timeout;
	uint8_t retries;
	uint8_t rnr_retries;
	uint8_t reads;
};

/* No timeout, so that the peer may be slow; 7 retries, no RNR retry, 4 READs. */
extern const struct peer_opts peer_usual;

/**
 * struct verbs_peer - the connection
 * @cq: completion queue
 * @qp: queue pair in RTS
 * @ring: its ring of requests
 * @mr: the region, with all rights
 * @out: memory of requests
 * @in: memory of responses to READs and atomics
 */
struct verbs_peer {
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct verbs_ring ring;
	struct ibv_mr *mr;
	uint8_t *out;
	uint8_t *in;
};

extern struct verbs_peer peer;

/* A test with a connection that has these struct peer_opts; with the usual ones. */
#define PEER_TEST_OPTS(name, ids, about, opts) \
	TEST_CALLED((void), peer_call(opts, in_##name), name, ids, about)
#define PEER_TEST(name, ids, about)	PEER_TEST_OPTS(name, ids, about, &peer_usual)
void peer_call(const struct peer_opts *options, void (*test)(void));

/* Move the queue pair through RESET to RTS again. "in" is filled again. */
bool peer_again(void);

/* --- Work requests. */

/* An element in "out" or "in". */
struct ibv_sge peer_sge(void *at, uint32_t len);

/*
 * A signalled work request with this number and element: a message out of "out", or a READ or
 * atomic into "in".
 */
struct ibv_send_wr peer_wr(uint64_t id, enum ibv_wr_opcode opcode, struct ibv_sge *sge);

/* Post a list of work requests at once. */
void peer_post_list(struct ibv_send_wr *first);

/* Post a message of @len bytes, or a READ or atomic. */
void peer_post(uint64_t id, enum ibv_wr_opcode opcode, uint32_t len);

/* Post @n of the same at once, with the numbers from @id on. */
void peer_post_many(uint64_t id, enum ibv_wr_opcode opcode, uint32_t len, uint32_t n);

/* Take a completion and compare it. */
void peer_completes(uint64_t id, enum ibv_wc_status status);

/* There is no completion now. */
void peer_incomplete(void);

/* --- Requests. @n: number of the PSN, counted from PEER_PSN. */

/* A request as it must be: a SEND or WRITE without payload, a READ, or an atomic. */
struct packet peer_request(uint8_t opcode, uint32_t n);

/* Take a request. Return: whether there was one. */
bool peer_take(struct packet *got);

/* Take a request and compare all its bytes. */
void peer_expect(const struct packet *want);

/* The same; requests with another opcode or PSN may come before: a slow peer is probed twice. */
void peer_await(const struct packet *want);

/* The same, with @len bytes of the message from @off on as payload. */
void peer_expect_data(uint8_t opcode, uint32_t n, uint32_t off, uint32_t len, bool ack);

/*
 * The same; whether it asks for an acknowledgement depends on how long the path is. Return: whether
 * it does.
 */
bool peer_expect_asking(uint8_t opcode, uint32_t n, uint32_t off, uint32_t len);

/* A SEND of @len bytes in one packet that asks for an acknowledgement. */
void peer_expect_send(uint32_t n, uint32_t len);

/* Three SENDs of 4 bytes that were posted at once, with the PSNs from 0 on. */
void peer_expect_three(void);

/* The first packet of a WRITE of @len bytes. */
void peer_expect_write(uint8_t opcode, uint32_t n, uint32_t len);

/*
 * A SEND of 4 bytes in one packet, to a peer that keeps packets behind a hole. @again: it has been
 * sent before.
 */
void peer_expect_kept(uint32_t n, bool ack, bool again);

/* A READ of @len bytes, of which the first @done have arrived. */
void peer_expect_read(uint32_t n, uint32_t len, uint32_t done);

/* A READ of @len bytes from @off on, which are missing between others. */
void peer_expect_part(uint32_t n, uint32_t len, uint32_t off);

/* Take a congestion notification. */
void peer_expect_cnp(void);

/* Take all requests that have come. */
void peer_skip(void);

/* No request has come or comes soon. */
void peer_quiet(void);

/* --- Responses. */

/* A response with this PSN, without payload and with syndrome ACK. */
struct packet peer_response(uint8_t opcode, uint32_t n);

/* The same, with @len bytes that continue the pattern of the message at @off. */
struct packet peer_data(uint8_t opcode, uint32_t n, uint32_t off, uint32_t len);

void peer_send(const struct packet *response);

/* Send a response, and wait until @counter, a COUNTER(), has moved by one. */
void peer_counted(const struct packet *response, size_t counter);

/*
 * Send a response that would be accepted with another address, partition key, ICRC and number, each
 * of which is dropped.
 */
void peer_foreign(const struct packet *response);

/* Send a response that must be ignored. */
void peer_ignored(const struct packet *response);

void peer_ack(uint32_t n);
void peer_nak(uint8_t syndrome, uint32_t n);

/* A selective acknowledgement: of 1024 packets from @n on the first 32 are kept as @bits says. */
struct packet peer_selective(uint32_t n, uint32_t lost, uint32_t bits);
void peer_sack(uint32_t n, uint32_t lost, uint32_t bits);

/*
 * Three SENDs of 4 bytes, numbers 1 to 3, of which the first is lost, and then the acknowledgement
 * jumps: the requester has seen that the peer keeps packets. The next PSN is 3.
 */
void peer_keep(void);

void peer_send_data(uint8_t opcode, uint32_t n, uint32_t off, uint32_t len);

/* Check "in": the first @len bytes have the pattern of a message, all others are untouched. */
void peer_received(uint32_t len);

/* The counters of the queue pair: its entry in the map. Or write it, as a hostile program could. */
struct xroce_qp peer_map(void);
void peer_map_put(struct xroce_qp q);

#endif /* XROCE_VERBS_PEER_H */
