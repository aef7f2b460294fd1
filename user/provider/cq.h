/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Completion queues. */
#ifndef XP_CQ_H
#define XP_CQ_H

#include <stdbool.h>

#include <infiniband/driver.h>

#include "lock.h"
#include "ring.h"

/**
 * struct xp_cq - a completion queue
 * @vcq: the completion queue of libibverbs
 * @lock: of the fields below but @header; cq_ex.c holds it from ibv_start_poll() to ibv_end_poll()
 * @ring: its ring, entries of struct xroce_cqe
 * @head: index of the next entry to take
 * @polls: polls since binds without a doorbell were last looked for
 * @cur: cq_ex.c: the entry that is read
 * @pd: the parent domain that it was made with, whose memory this is; NULL: none
 * @header: header of @ring, for arming without @lock; atomic
 * @old: rings before @ring, in which somebody may be arming; unmapped with the queue
 * @olds: their number
 */
struct xp_cq {
	struct verbs_cq vcq;
	struct xp_lock lock;
	struct xp_ring ring;
	uint32_t head;
	uint32_t polls;
	const struct xroce_cqe *cur;
	struct ibv_pd *pd;
	struct xroce_cq_header *header;
	struct xp_ring *old;
	unsigned int olds;
};

/*
 * The service level of a datagram, as NICs for RoCEv2 fill it and some programs read it: its lower
 * bits are the kind of the IP header before the payload (IBTA A17.4.5.1). The rest have none.
 */
static inline uint8_t xp_cqe_sl(const struct xroce_cqe *cqe)
{
	if (!(cqe->flags & XROCE_WC_GRH))
		return 0;
	return 8 | (cqe->flags & XROCE_WC_IPV6 ? 1 : 2);
}

static inline struct xp_cq *to_xp_cq(struct ibv_cq *ibcq)
{
	return container_of(ibcq, struct xp_cq, vcq.cq);
}

static inline struct xroce_cq_header *xp_cq_header(const struct xp_cq *cq)
{
	return cq->ring.mem;
}

/* Return: the next completion, which stays until xp_cq_take(); NULL: there is none. */
static inline const struct xroce_cqe *xp_cq_next(const struct xp_cq *cq)
{
	if (__atomic_load_n(&xp_cq_header(cq)->tail, __ATOMIC_ACQUIRE) == cq->head)
		return NULL;
	return xp_ring_entry(&cq->ring, cq->head);
}

/* Give the entries before @head to the module. */
static inline void xp_cq_take(struct xp_cq *cq)
{
	__atomic_store_n(&xp_cq_header(cq)->head, cq->head, __ATOMIC_RELEASE);
}

/* cq.c */
struct ibv_cq *xp_create_cq(struct ibv_context *ibctx, int cqe, struct ibv_comp_channel *channel,
			    int vector);
struct ibv_cq_ex *xp_create_cq_ex(struct ibv_context *ibctx, struct ibv_cq_init_attr_ex *attr);
int xp_resize_cq(struct ibv_cq *ibcq, int cqe);
int xp_modify_cq(struct ibv_cq *ibcq, struct ibv_modify_cq_attr *attr);
int xp_destroy_cq(struct ibv_cq *ibcq);
/* Remove the completions of a queue pair. */
void xp_cq_clean(struct xp_cq *cq, uint32_t qpn);

/* arm.c */
int xp_req_notify_cq(struct ibv_cq *ibcq, int solicited);
/* True if the next completion makes an event. */
bool xp_cq_armed(struct xp_cq *cq);
/* The ring has been replaced: what was armed in the old one meanwhile is armed in the new one. */
void xp_cq_arm_moved(struct xp_cq *cq, struct xroce_cq_header *old);

/* poll.c */
int xp_poll_cq(struct ibv_cq *ibcq, int n, struct ibv_wc *wc);
/* Count a poll. With @lock. Return: whether xp_local_execute() is due, without it. */
bool xp_poll_due(struct xp_cq *cq);

/* cq_ex.c: set the functions of struct ibv_cq_ex. */
void xp_cq_ex_open(struct ibv_cq_ex *cq);

#endif
