/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The stage of a golden test: one queue pair, one region, one request, and the expected
 * outcome. Every expect_*() sends the request and then compares everything: verdict, the
 * bytes of the frame, all counters, events, all queue pairs and their responder resources,
 * the whole MPT.
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
#define SCENE_BEHIND	0x077u		/* index of the region that a window is bound to */
#define SCENE_KEY	(SCENE_INDEX << XROCE_KEY_SHIFT | 0x5e)
#define SCENE_IOVA	0x7f0012345601ull
#define SCENE_LENGTH	0x20003u

/* Every path MTU. */
#define SCENE_MTUS	5u
extern const uint16_t scene_mtus[SCENE_MTUS];

/**
 * struct scene - the state before a request, and the request
 * @qp: the queue pair; a test that changes it calls scene_put()
 * @mpt: the region's entry, at SCENE_INDEX; a test that changes it calls scene_put()
 * @rd: responder resources of @qp; a test that changes them calls scene_put()
 * @req: the request; at first a WRITE of 64 bytes that asks for an ACK
 * @cut: bytes to remove from the end of the frame
 * @apart: the frame cannot be turned into the response, so that the module sends it
 */
struct scene {
	struct xroce_qp qp;
	struct xroce_mpt mpt;
	struct xroce_rd_ring rd;
	struct packet req;
	uint32_t cut;
	bool apart;
};

/* Load the program and set up a scene. Return: false if the program cannot be loaded. */
bool scene_init(struct scene *s);

/* A test whose parameter is a scene: s. */
#define SCENE_TEST(name, ids, about)	SCENE_TEST_BY(scene_init(&s), name, ids, about)

/* SCENE_TEST() after scene_request(). */
#define REQUEST_TEST(name, ids, about, opcode) \
	SCENE_TEST_BY(scene_requested(&s, opcode), name, ids, about)
bool scene_requested(struct scene *s, uint8_t opcode);

/* A test whose scene @open sets up. */
#define SCENE_TEST_BY(open, name, ids, about) \
	TEST_OPENED(scene, s, open, (void), name, ids, about)

/* Change queue pair and request to IPv6. */
void scene_ipv6(struct scene *s);

/* Write queue pair, responder resources and region into the maps. */
void scene_put(const struct scene *s);

/* Set payload, pad and RETH length for a request of @bytes. */
void scene_payload(struct scene *s, uint32_t bytes);

/*
 * Turn the request into an aligned one of this opcode, give queue pair and region all
 * rights but FLUSH to persistence, and the queue pair 16 responder resources. READ and
 * FLUSH are of 64 bytes.
 */
void scene_request(struct scene *s, uint8_t opcode);

/* READ, atomics, ATOMIC WRITE and FLUSH, which are kept in responder resources. */
bool scene_is_kept(uint8_t opcode);

/* CMP_SWAP and FETCH_ADD, which have an AtomicETH, for eight bytes. */
bool scene_is_atomic(uint8_t opcode);

/* Number of PSNs that the response to a READ of @bytes takes. */
uint32_t scene_packets(const struct scene *s, uint32_t bytes);

/* Instead of a COUNTER(): no counter moves. */
#define NO_COUNTER	COUNTERS

/* Passed to the stack: the frame is unchanged; @counter moves by one, if any. */
void expect_pass(struct scene *s, size_t counter);

/* Dropped, with a QPN in our range: @counter moves by one, besides those of reception. */
void expect_drop(struct scene *s, size_t counter);

/* The same for a copy "t" of the scene, to which @change is made. */
#define EXPECT_DROP_IF(s, change, counter) do {				\
	struct scene t = *(s);						\
									\
	change;								\
	scene_put(&t);							\
	expect_drop(&t, COUNTER(counter));				\
	if (test_failed())						\
		note("%s", #change);					\
} while (0)

/*
 * Executed. The queue pair in @s advances as the specification says, and is compared. An
 * ACK is expected if the request asks for one.
 */
void expect_write(struct scene *s);

/*
 * The same for SENDs. Without the module there is always a receive work request with room,
 * if the queue pair has a receive queue (xroce_qp::recv).
 */
void expect_send(struct scene *s);

/*
 * Unreliable connection: not executed, dropped with the rest of its message, without a
 * response. The XROCE_UC_MISSES-th access error ends the queue pair.
 */
void expect_lost(struct scene *s, size_t counter);

/*
 * A duplicate, which is not executed. If it asks for an ACK, this has the newest PSN, or its
 * own PSN if a later request is kept in responder resources.
 */
void expect_duplicate(struct scene *s);

/*
 * READ, atomics, ATOMIC WRITE and FLUSH: executed, and kept in @s->rd. Without the module,
 * an atomic finds 0. A READ response that does not fit into the frame is queued.
 */
void expect_kept(struct scene *s);

/* A duplicate of these: an atomic is answered with @orig; only a READ is executed again. */
void expect_again(struct scene *s, uint64_t orig);

/* These are refused within a WRITE message, and by a queue pair without resources. */
void expect_not_inside(struct scene *s);
void expect_not_kept(const struct scene *fresh);

/* PSN sequence error: NAK 0x60 that names the expected PSN. */
void expect_nak_seq(struct scene *s);

/* A fatal NAK, 0x61 or 0x62 depending on @cause; the queue pair is in error. */
void expect_nak(struct scene *s, enum xroce_cause cause);

/* Executed or refused, on a copy of the scene: @fresh does not change. */
void expect_accepted(const struct scene *fresh);
void expect_refused(const struct scene *fresh, enum xroce_cause cause);

/* RNR NAK; the queue pair stays in its state. */
void expect_rnr(struct scene *s);

#endif /* XROCE_SCENE_H */
