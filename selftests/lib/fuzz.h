/* SPDX-License-Identifier: GPL-2.0-only */
/* Packets that are nearly right, from a seed. */
#ifndef XROCE_FUZZ_H
#define XROCE_FUZZ_H

#include "packet.h"
#include "xroce_map.h"

/* A number in the environment, or @otherwise. */
unsigned long fuzz_setting(const char *name, unsigned long otherwise);

/* Start from $XROCE_SEED, or from a random seed, and say which. */
void fuzz_begin(void);

/* Start over from a seed. The same seed gives the same packets. */
void fuzz_seed(uint64_t seed);

/* A number below @below, which is not 0. */
uint32_t fuzz_below(uint32_t below);

/* True once in @n times. */
bool fuzz_once_in(uint32_t n);

/* What would come next on the queue pair, for that region or window. */
void fuzz_valid(const struct xroce_qp *qp, const struct xroce_mpt *mpt,
		struct packet *req);

/**
 * fuzz_packet() - make a request
 * @qp: the queue pair as it is now
 * @mpt: a region that the request may be about
 * @req: out: what the peer would send next, with up to three fields changed
 */
void fuzz_packet(const struct xroce_qp *qp, const struct xroce_mpt *mpt,
		 struct packet *req);

/* Now and then change some bytes of a frame, or its length. */
void fuzz_frame(struct frame *frame);

#endif /* XROCE_FUZZ_H */
