/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Queue pairs. */
#ifndef XP_QP_H
#define XP_QP_H

#include <ccan/list.h>
#include <infiniband/driver.h>

#include "context.h"
#include "rq.h"
#include "sq.h"

/**
 * struct xp_qp - a queue pair
 * @vqp: the queue pair of libibverbs
 * @sq: send queue
 * @rq: receive queue; @rq.ring.mem is NULL if it is shared
 * @pd: the domain that it was made with, whose memory this is
 * @node: in xp_context::qps
 */
struct xp_qp {
	struct verbs_qp vqp;
	struct xp_sq sq;
	struct xp_rq rq;
	struct ibv_pd *pd;
	struct list_node node;
};

static inline struct xp_qp *to_xp_qp(struct ibv_qp *ibqp)
{
	return container_of(ibqp, struct xp_qp, vqp.qp);
}

static inline struct xp_context *xp_qp_context(const struct xp_qp *qp)
{
	return to_xp_context(qp->vqp.qp.context);
}

/* qp_create.c */
struct ibv_qp *xp_create_qp(struct ibv_pd *ibpd, struct ibv_qp_init_attr *attr);
struct ibv_qp *xp_create_qp_ex(struct ibv_context *ibctx, struct ibv_qp_init_attr_ex *attr);
int xp_destroy_qp(struct ibv_qp *ibqp);

/* qp_modify.c */
int xp_query_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr, int mask,
		struct ibv_qp_init_attr *init);
int xp_modify_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr, int mask);
/* Remove all of its completions. */
void xp_qp_clean(struct xp_qp *qp);

/* publish.c: hand what is written to the module. Return: 0 or an errno of the doorbell. */
int xp_sq_publish(struct xp_qp *qp);

/* send.c */
int xp_post_send(struct ibv_qp *ibqp, struct ibv_send_wr *wr, struct ibv_send_wr **bad);
/* The same, where BIND_MW names windows of @type. */
int xp_post_binds(struct ibv_qp *ibqp, struct ibv_send_wr *wr, struct ibv_send_wr **bad,
		  enum ibv_mw_type type);

/* wr.c: what ibv_qp_to_qp_ex() gives. Return: 0; EOPNOTSUPP: an operation that there is not. */
int xp_wr_check(enum ibv_qp_type type, uint64_t ops);
/* Before and after the command that makes a queue pair; @ops 0: it has no such interface. */
void xp_wr_prepare(struct xp_qp *qp);
void xp_wr_open(struct xp_qp *qp, uint64_t ops);

#endif
