/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the queue pairs of the shadow model send: the messages that must arrive,
 * in order, and the queues that receive them. Two queue pairs have a receive
 * queue of their own, two share one. All are short of receive requests at times.
 */
#ifndef XROCE_SHADOW_MESSAGE_H
#define XROCE_SHADOW_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "connection.h"

#define SHADOW_QPS	4
#define MESSAGE_MAX	65536u

/* Before the connections: queues, and what to give each of them. */
bool messages_open(void);
void messages_options(uint32_t qp, struct connection_opts *opts);

/* A connection is there; its receive queue is filled. */
void messages_start(uint32_t qp, const struct connection *c);

/* Queue pair @qp will be the one to complete a receive request with @op. */
void message_expect(uint32_t qp, const struct requester_op *op);

/* Compare what has come, and post more receive requests, or not yet. */
void messages_poll(void);

/* All are there, and nothing has been written beside them. */
void messages_finish(void);

/* After the connections. */
void messages_close(void);

#endif /* XROCE_SHADOW_MESSAGE_H */
