/* SPDX-License-Identifier: GPL-2.0-only */
/* Packets that are nearly valid, from a random seed. */
#ifndef XROCE_FUZZ_H
#define XROCE_FUZZ_H

#include "packet.h"
#include "rng.h"
#include "xroce_map.h"

/* Seed from $XROCE_SEED, or with a random number, and print the seed. */
void fuzz_begin(void);

/* harness_main() after fuzz_begin(). */
int fuzz_main(int argc, char **argv);

/* True with a probability of 1/@n. */
bool fuzz_once_in(uint32_t n);

/* Make a valid next request for the queue pair, to this region or window. */
void fuzz_valid(const struct xroce_qp *qp, const struct xroce_mpt *mpt,
		struct packet *req);

/**
 * fuzz_packet() - make a request
 * @qp: the queue pair as it is now
 * @mpt: a region for the request
 * @req: out: a valid next request or a seed of the corpus, with up to three changes
 */
void fuzz_packet(const struct xroce_qp *qp, const struct xroce_mpt *mpt,
		 struct packet *req);

/* At random, change some bytes of a frame's headers, or its length. */
void fuzz_frame(struct frame *frame);

#endif /* XROCE_FUZZ_H */
