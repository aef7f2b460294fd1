/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages of the shadow model's queue pairs, which must arrive in order, and the queues
 * that receive them. Two queue pairs have a receive queue of their own, two share one. Each
 * runs out of receive requests now and then.
 */
#ifndef XROCE_SHADOW_MESSAGE_H
#define XROCE_SHADOW_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "connection.h"

#define SHADOW_QPS	4
#define MESSAGE_MAX	65536u

/* Make the queues before the connections, and put those of @qp into its options. */
bool messages_open(void);
void messages_options(uint32_t qp, struct connection_opts *opts);

/* After a connection is made: fill its receive queue. */
void messages_start(uint32_t qp, const struct connection *c);

/* @op of queue pair @qp will complete a receive request. */
void message_expect(uint32_t qp, const struct requester_op *op);

/* Compare received messages; post receive requests at random. */
void messages_poll(void);

/* Check that all messages have arrived and no other byte was written. */
void messages_finish(void);

/* Delete the queues after the connections. */
void messages_close(void);

#endif /* XROCE_SHADOW_MESSAGE_H */
