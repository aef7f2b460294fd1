/* SPDX-License-Identifier: GPL-2.0-only */
/* Two queue pairs of libxroce on one device that are connected with each other. */
#ifndef XROCE_SEND_PAIR_H
#define XROCE_SEND_PAIR_H

#include <stdbool.h>

#include "live_qp.h"

#define PAIR_ENTRIES		16
#define PAIR_SGE		4
#define PAIR_INLINE		64
#define PAIR_BYTES		16384u

/* The memory of both regions. */
extern __u8 own[PAIR_BYTES], far[PAIR_BYTES];

/**
 * struct end - a queue pair with a send and a receive queue
 * @qpn: its number
 * @rq: receive queue
 * @send: send queue
 * @stride: bytes of an entry of it
 */
struct end {
	__u32 qpn;
	struct xroce_rq *rq;
	struct xroce_send *send;
	__u32 stride;
};

/**
 * struct pair - two connected queue pairs
 * @x: handle
 * @type: XROCE_QPT_*
 * @pd: protection domain
 * @cq: completion queue of all queues
 * @a: the end that posts
 * @b: the other end
 * @own: region of the array of this name, for @a
 * @far: the same for @b
 */
struct pair {
	struct xroce *x;
	__u32 type;
	__u32 pd;
	struct xroce_cq *cq;
	struct end a;
	struct end b;
	struct xroce_mr_reg own;
	struct xroce_mr_reg far;
};

/* The arguments that the queue pairs are made with. */
struct xroce_qp_add pair_queues(const struct pair *p);

/* Open both queue pairs, of a type, in RESET; connect them as well. pair_close() is due anyhow. */
bool pair_open(struct pair *p, struct xroce *x, __u32 type);
bool pair_connect(struct pair *p);

void pair_close(struct pair *p);

/* Open one of them, in RESET. */
bool pair_end_open(struct pair *p, struct end *e);

/* The same, made with these arguments. */
bool pair_end_open_with(struct pair *p, struct end *e, struct xroce_qp_add *add);

/* Connect them anew, after a failure. */
bool pair_again(struct pair *p);

/* A signalled work request of @len bytes at @own + @off, and at the same offset in far. */
struct xroce_wr pair_request(const struct pair *p, __u32 opcode, struct xroce_sge_local *sge,
			     __u32 off, __u32 len);

/* Post one and wait for its completion, which must have this status. */
bool pair_done(struct pair *p, const struct xroce_wr *wr, __u32 status);

#endif
