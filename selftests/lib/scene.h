/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A golden test's stage: one queue pair, one region, one request, and what must
 * come of it. Every expect_*() sends the request and then compares everything:
 * verdict, the bytes of the frame, all counters, events, all queue pairs and
 * their responder resources, the whole MPT.
 */
#ifndef XROCE_SCENE_H
#define XROCE_SCENE_H

#include <stdbool.h>
#include <stdint.h>

#include "counters.h"
#include "native.h"
#include "packet.h"
#include "uapi/xroce.h"
#include "xroce_map.h"

#define SCENE_QPN	0x8a5c21u
#define SCENE_PEER_QPN	0x00d00du
#define SCENE_PSN	0x123456u
#define SCENE_MSN	0x000777u
#define SCENE_PD	9u
#define SCENE_INDEX	0x1a2u
#define SCENE_BEHIND	0x077u		/* of a window: the region behind it */
#define SCENE_KEY	(SCENE_INDEX << XROCE_KEY_SHIFT | 0x5e)
#define SCENE_IOVA	0x7f0012345601ull
#define SCENE_LENGTH	0x20003u

/* Every path MTU. */
#define SCENE_MTUS	5u
extern const uint16_t scene_mtus[SCENE_MTUS];

/**
 * struct scene - the state before a request, and the request
 * @qp: the queue pair; a test changes it and calls scene_put()
 * @mpt: the region's entry, at SCENE_INDEX
 * @rd: its responder resources; a test that changes them calls scene_put()
 * @req: the request; a WRITE of 64 bytes that asks for an ACK
 * @cut: bytes taken off the end of the frame
 * @apart: the frame is none to be answered in: the module answers
 */
struct scene {
	struct xroce_qp qp;
	struct xroce_mpt mpt;
	struct xroce_rd_ring rd;
	struct packet req;
	uint32_t cut;
	bool apart;
};

/* Return: false when the program cannot be loaded; the test then ends. */
bool scene_init(struct scene *s);

/* In a row of a table: a test that begins with a scene. */
#define ON_SCENE(test)	.on_scene = (test), .around = scene_around
void scene_around(const struct test *test);

/* Change to IPv6, queue pair and request. */
void scene_ipv6(struct scene *s);

/* Write queue pair and region into the maps. */
void scene_put(const struct scene *s);

/* Make the request carry @bytes: payload, pad and RETH length. */
void scene_payload(struct scene *s, uint32_t bytes);

/*
 * Make the request an aligned one of this opcode, and give queue pair and region
 * all rights but persistence, and the queue pair 16 responder resources. READ and
 * FLUSH are of 64 bytes.
 */
void scene_request(struct scene *s, uint8_t opcode);

/* READ, atomics, ATOMIC WRITE and FLUSH: answered out of responder resources. */
bool scene_is_kept(uint8_t opcode);

/* CMP_SWAP, FETCH_ADD: they have an AtomicETH, for eight bytes. */
bool scene_is_atomic(uint8_t opcode);

/* PSNs that the answer to a READ of @bytes takes. */
uint32_t scene_packets(const struct scene *s, uint32_t bytes);

/* In place of a COUNTER(): none of them moves. */
#define NO_COUNTER	COUNTERS

/* Not ours: the frame untouched; @counter moves by one, if any. */
void expect_pass(struct scene *s, size_t counter);

/* For our QPN range, dropped: nothing but rx and @counter moves. */
void expect_drop(struct scene *s, size_t counter);

/*
 * Executed. The queue pair in @s moves on as the specification says, and is
 * compared. An ACK is expected when the request asks for one.
 */
void expect_write(struct scene *s);

/*
 * The same for SENDs. Without the module there is always a work request with
 * room, if the queue pair has a receive queue at all (xroce_qp::recv).
 */
void expect_send(struct scene *s);

/*
 * Unreliable connection: not executed, and its message given up, in silence. It ends
 * with a miss too many.
 */
void expect_lost(struct scene *s, size_t counter);

/* Seen before: an ACK of what came last when asked for, and no execution. */
void expect_duplicate(struct scene *s);

/*
 * READ, atomics, ATOMIC WRITE and FLUSH: executed, and kept in @s->rd. Without
 * the module an atomic finds 0. A READ of which the answer does not fit the frame
 * is queued.
 */
void expect_kept(struct scene *s);

/* The same, seen before: answered with @orig if atomic, not executed if no READ. */
void expect_again(struct scene *s, uint64_t orig);

/* The same, refused: within a WRITE, and by a queue pair that keeps nothing. */
void expect_not_inside(struct scene *s);
void expect_not_kept(const struct scene *fresh);

/* PSN sequence error: NAK 0x60 that names the expected PSN. */
void expect_nak_seq(struct scene *s);

/* A fatal NAK, 0x61 or 0x62 by @cause; the queue pair is in error. */
void expect_nak(struct scene *s, enum xroce_cause cause);

/* Executed, or refused, of a queue pair as good as new; @fresh stays as it is. */
void expect_accepted(const struct scene *fresh);
void expect_refused(const struct scene *fresh, enum xroce_cause cause);

/* Receiver not ready; the queue pair goes on. */
void expect_rnr(struct scene *s);

#endif /* XROCE_SCENE_H */
