/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rxe sends and xroce receives, between the ends of connection.h. The receiver's region is
 * over memory of this process, with guards on both sides of the part that tests use. A
 * failing set-up fails the test.
 */
#ifndef XROCE_RECEIVER_H
#define XROCE_RECEIVER_H

#include <stdbool.h>
#include <stdint.h>

#include "connection.h"
#include "counters.h"

#define RECEIVER_BYTES	(1u << 20)	/* longest message */
#define RECEIVER_GUARD	4096u
#define RECEIVER_SPARE	8192u		/* additional bytes, for gaps between elements */
#define RECEIVER_QKEY	0x12345678u

/**
 * struct receiver_opts - options of a receiver
 * @type: IBV_QPT_RC, IBV_QPT_UC or IBV_QPT_UD
 * @entries: entries of its receive queue
 * @max_sge: elements of an entry
 * @cqes: entries of its completion queue
 * @cq: completion queue to share; NULL: an own one
 * @srq: shared receive queue; NULL: an own receive queue
 * @mtu: path MTU
 * @ipv6: use IPv6
 * @sq: the queue pair is in RTS and takes work requests
 * @rnr_retry: the client's RNR retry count; 7: unlimited
 */
struct receiver_opts {
	enum ibv_qp_type type;
	uint32_t entries;
	uint32_t max_sge;
	uint32_t cqes;
	struct xroce_cq *cq;
	struct xroce_rq *srq;
	enum ibv_mtu mtu;
	bool ipv6;
	bool sq;
	uint8_t rnr_retry;
};

/**
 * struct receiver - two queue pairs, and the queues of the server's
 * @qp: the client's
 * @ah: address of the server, for datagrams
 * @qpn: number of the server's
 * @cq: completion queue
 * @own_cq: @cq is not shared
 * @send: send queue, with receiver_opts::sq; otherwise NULL
 * @rq: receive queue; NULL: shared
 */
struct receiver {
	struct ibv_qp *qp;
	struct ibv_ah *ah;
	uint32_t qpn;
	struct xroce_cq *cq;
	bool own_cq;
	struct xroce_send *send;
	struct xroce_rq *rq;
};

/* The usual options: RC, a receive queue of 16 entries of four elements. */
extern const struct receiver_opts receiver_rc;

/* A plain SEND, for receiver_post() and others. */
extern const struct ibv_send_wr receiver_send;

extern uint8_t *receiver_buf;		/* the server's, after the first guard */
extern uint32_t receiver_lkey;		/* of all of it; local write only */
extern uint8_t *sender_buf;		/* the client's, RECEIVER_BYTES */

/* Set up both sides, once in a program. */
bool receiver_setup(void);

bool receiver_open(struct receiver *r, const struct receiver_opts *opts);
void receiver_close(struct receiver *r);

/* A test between receiver_open() and receiver_close(), whose parameter is r. */
#define RECEIVER_TEST(name, ids, about, opts) \
	TEST_OPENED(receiver, r, receiver_open(&r, opts), receiver_close, name, ids, about)

/* Post a SEND of @len bytes of sender_buf. @wr: opcode, flags, immediate, RDMA address. */
bool receiver_post(struct receiver *r, struct ibv_send_wr wr, uint32_t len);

/* Post and wait. Return: enum ibv_wc_status, or -1 on timeout. */
int receiver_do(struct receiver *r, struct ibv_send_wr wr, uint32_t len);

/* The same, and check that it succeeds. */
bool receiver_must(struct receiver *r, struct ibv_send_wr wr, uint32_t len);

/* Post a receive of one element. */
void receiver_recv(struct xroce_rq *rq, uint64_t wr_id, uint32_t off,
		   uint32_t len);

/* Wait for a completion. Return: false, with a failed check, on timeout. */
bool receiver_wait(struct receiver *r, struct xroce_cqe *cqe);

/* Return: the expected completion of @wr_id for a SEND of @len bytes. */
struct xroce_cqe receiver_cqe(const struct receiver *r, uint64_t wr_id,
			      uint32_t len);

/* Wait for a completion, which must equal @want. */
bool receiver_completes(struct receiver *r, const struct xroce_cqe *want);

/* Check that there is no completion now. */
void receiver_none(struct receiver *r);

/* Put new bytes into sender_buf, and others into all of receiver_buf. */
void receiver_fill(void);

/* Check that nothing outside @off to @off + @len has been written. */
void receiver_untouched(uint32_t off, uint32_t len);

/*
 * SEND @len bytes into a receive of four elements, one of them empty, with gaps, at odd
 * addresses; compare everything.
 */
void receiver_scattered(struct receiver *r, uint32_t len);

/* Wait for the next event of the server's handle. */
struct xroce_async receiver_event(void);

/* Query, or change the state of, the server's queue pair. */
struct xroce_qp_query receiver_query(struct receiver *r);
void receiver_state(struct receiver *r, uint32_t state);

#endif /* XROCE_RECEIVER_H */
