/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the fuzzers of packets start from: a request for each thing that the
 * responder does and at each edge, and what becomes of it. A packet that once
 * found a mistake belongs here.
 */
#ifndef XROCE_CORPUS_H
#define XROCE_CORPUS_H

#include "packet.h"
#include "xroce_map.h"

#define CORPUS_MTU	256u	/* of the queue pairs that @counter is for */
#define CORPUS_LENGTH	0x10000u	/* of the region */

/**
 * struct corpus_seed - a request
 * @name: of it
 * @type: service; 0: RC
 * @opcode: operation, the low five bits; or all eight of one of no service
 * @psn: relative to the one expected
 * @va: relative to the start of the region
 * @key: exclusive-ored into the region's
 * @dmalen: bytes of the message
 * @payload: bytes in the packet
 * @pad: plus 1; 0: the right one
 * @flush: of FLUSH
 * @qkey: exclusive-ored into the right one
 * @counter: COUNTER() that it moves: on a queue pair with all rights, a receive
 *	queue and a message of nothing in progress, and a region with all rights
 */
struct corpus_seed {
	const char *name;
	uint8_t type;
	uint8_t opcode;
	int32_t psn;
	int64_t va;
	uint32_t key;
	uint32_t dmalen;
	uint32_t payload;
	uint8_t pad;
	uint32_t flush;
	uint32_t qkey;
	size_t counter;
};

extern const struct corpus_seed corpus[];
extern const size_t corpus_count;

/**
 * corpus_packet() - make a request of a seed
 * @n: its number
 * @qp: the queue pair it is for, whatever its service
 * @mpt: the region or window
 * @req: in: all of its fields but these; out: the request
 */
void corpus_packet(size_t n, const struct xroce_qp *qp,
		   const struct xroce_mpt *mpt, struct packet *req);

#endif /* XROCE_CORPUS_H */
