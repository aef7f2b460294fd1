/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rxe that sends and xroce that receives, on the ends of connection.h. The
 * receiver's region lies over memory of this process, with guards on both sides
 * of what a test uses. Failures of the set-up fail the test.
 */
#ifndef XROCE_RECEIVER_H
#define XROCE_RECEIVER_H

#include <stdbool.h>
#include <stdint.h>

#include "connection.h"
#include "counters.h"

#define RECEIVER_BYTES	(1u << 20)	/* of a message, at most */
#define RECEIVER_GUARD	4096u
#define RECEIVER_SPARE	8192u		/* what the elements leave out */
#define RECEIVER_QKEY	0x12345678u

/**
 * struct receiver_opts - what a receiver is like
 * @type: IBV_QPT_RC, IBV_QPT_UC or IBV_QPT_UD
 * @entries: of its receive queue
 * @max_sge: of its receive queue
 * @cqes: of its completion queue
 * @cq: another's completion queue; NULL: its own
 * @srq: shared receive queue; NULL: its own
 * @mtu: path MTU
 * @ipv6: over IPv6
 * @sq: work requests can be posted to its queue pair, which is in RTS
 * @rnr_retry: times that the client tries again, 7: for ever
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
 * struct receiver - two queue pairs, and what the server's receives with
 * @qp: the client's
 * @ah: address of the server, for datagrams
 * @qpn: the server's
 * @cq: completion queue
 * @own_cq: it is its own
 * @rq: receive queue; NULL: shared
 */
struct receiver {
	struct ibv_qp *qp;
	struct ibv_ah *ah;
	uint32_t qpn;
	struct xroce_cq *cq;
	bool own_cq;
	struct xroce_rq *rq;
};

/* What most are: RC, a receive queue of 16, of four elements each. */
extern const struct receiver_opts receiver_rc;

/* For receiver_post() and the like: a SEND and no more. */
extern const struct ibv_send_wr receiver_send;

extern uint8_t *receiver_buf;		/* the server's, behind the first guard */
extern uint32_t receiver_lkey;		/* of all of it, local write only */
extern uint8_t *sender_buf;		/* the client's, RECEIVER_BYTES */

/* Both sides, once a program. */
bool receiver_setup(void);

bool receiver_open(struct receiver *r, const struct receiver_opts *opts);
void receiver_close(struct receiver *r);

/* Send @len bytes of sender_buf. @wr: opcode, flags, immediate, RDMA address. */
bool receiver_post(struct receiver *r, struct ibv_send_wr wr, uint32_t len);

/* Post and wait. Return: enum ibv_wc_status, or -1 in time out. */
int receiver_do(struct receiver *r, struct ibv_send_wr wr, uint32_t len);

/* The same, and check that it succeeds. */
bool receiver_must(struct receiver *r, struct ibv_send_wr wr, uint32_t len);

/* A receive work request of one element. */
void receiver_recv(struct xroce_rq *rq, uint64_t wr_id, uint32_t off,
		   uint32_t len);

/* Wait for a completion. Return: false, and a failed check, in time out. */
bool receiver_wait(struct receiver *r, struct xroce_cqe *cqe);

/* The completion of @wr_id with a SEND of @len bytes. */
struct xroce_cqe receiver_cqe(const struct receiver *r, uint64_t wr_id,
			      uint32_t len);

/* Wait for a completion, which has to be @want. */
bool receiver_completes(struct receiver *r, const struct xroce_cqe *want);

/* There is none, now. */
void receiver_none(struct receiver *r);

/* New bytes in sender_buf, others in all of receiver_buf. */
void receiver_fill(void);

/* Nothing has been written outside @off to @off + @len. */
void receiver_untouched(uint32_t off, uint32_t len);

/*
 * A SEND of @len bytes, received by four elements, one of them empty, from byte 3
 * on and with holes; everything compared.
 */
void receiver_scattered(struct receiver *r, uint32_t len);

/* Wait for the next event of the server's handle. */
struct xroce_async receiver_event(void);

/* The server's queue pair. */
struct xroce_qp_query receiver_query(struct receiver *r);
void receiver_state(struct receiver *r, uint32_t state);

#endif /* XROCE_RECEIVER_H */
