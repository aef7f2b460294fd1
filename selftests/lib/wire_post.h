/* SPDX-License-Identifier: GPL-2.0-only */
/* The send queue of a wire (wire_opts::sq), and what the peer responds. */
#ifndef XROCE_WIRE_POST_H
#define XROCE_WIRE_POST_H

#include "wire.h"

/* Offset in the region to which READs are returned; messages are sent from its beginning. */
#define WIRE_INTO	8192u

/* Post a signalled WRITE or READ of @len bytes, which begins with the next PSN of the queue. */
void wire_post(struct wire *w, __u64 id, bool read, uint32_t len);

/* Make @w->req a response without payload, with the PSN @n after the first. */
void wire_respond(struct wire *w, uint8_t opcode, uint32_t n, uint8_t syndrome);

/* Wait for a completion, which must be a success. */
void wire_completes(struct wire *w);

/*
 * Post a WRITE of 8 bytes, take its request, number @n after the first, and acknowledge it. Wait
 * for the completion.
 */
void wire_goes_on(struct wire *w, uint32_t n);

/* No local ACK timeout: the test may be slow, and nothing is sent again by itself. */
bool wire_no_timeout(struct wire *w);

struct xroce_qp_query wire_query(const struct wire *w);

#endif /* XROCE_WIRE_POST_H */
