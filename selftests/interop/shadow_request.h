/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Random requests of several queue pairs, many of them in flight. A request that may
 * overtake a READ (IBTA 10.8.3.3) waits for it if it would change the READ's result.
 */
#ifndef XROCE_SHADOW_REQUEST_H
#define XROCE_SHADOW_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "connection.h"

/* Connect the queue pairs. @opts: options of all of them, except the queues. */
bool requests_open(const struct connection_opts *opts);
void requests_close(void);

/* Post a request of queue pair @qp: the one that waits, or a new one. */
bool request_post(uint32_t qp);

/* Whether request_post() may be called; whether a request waits. */
bool request_may_post(uint32_t qp);
bool request_is_waiting(uint32_t qp);

/* The oldest request of @qp is complete: compare its result. */
void request_done(uint32_t qp, enum ibv_wc_status status);

/* Whether rxe has ended a READ early: see shadow_request.c. */
bool requests_gave_way(void);

/* No completion comes. Return: whether rxe sends nothing any more; it has given way then. */
bool requests_stopped(void);

/* Number of requests chosen so far; in flight; chosen but not posted. */
uint32_t requests_chosen(void);
uint32_t requests_in_flight(void);
uint32_t requests_waiting(void);

/* Return: longest time without a completion of a queue pair, in seconds. */
double requests_slowest(void);

/* Print what each queue pair waits for. */
void requests_note_queues(void);

#endif /* XROCE_SHADOW_REQUEST_H */
