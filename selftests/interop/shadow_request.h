/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Random requests of several queue pairs, each of which has many in flight. Only
 * what may overtake (IBTA 10.8.3.3: anything after a READ) waits, where it would
 * change what the READ finds.
 */
#ifndef XROCE_SHADOW_REQUEST_H
#define XROCE_SHADOW_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "connection.h"

/* Connect the queue pairs; @opts: of each of them, but for its queues. */
bool requests_open(const struct connection_opts *opts);
void requests_close(void);

/* Choose one for queue pair @qp, unless one is waiting, and post it. */
bool request_post(uint32_t qp);

/* Whether it may be called; whether one is waiting. */
bool request_may_post(uint32_t qp);
bool request_is_waiting(uint32_t qp);

/* The oldest one of @qp is complete: compare what it found. */
void request_done(uint32_t qp, enum ibv_wc_status status);

/* How many were chosen; of them: posted and not complete, not posted yet. */
uint32_t requests_chosen(void);
uint32_t requests_in_flight(void);
uint32_t requests_waiting(void);

/* Seconds between completions of a queue pair, at most. */
double requests_slowest(void);

/* Diagnostics: what each queue pair waits for. */
void requests_note_queues(void);

#endif /* XROCE_SHADOW_REQUEST_H */
