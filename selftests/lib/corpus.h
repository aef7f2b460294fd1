/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The seeds of the packet fuzzers: requests for each operation of the responder and for
 * each boundary, with the counter that each moves. Add every packet that finds a bug.
 */
#ifndef XROCE_CORPUS_H
#define XROCE_CORPUS_H

#include "packet.h"
#include "xroce_map.h"

#define CORPUS_MTU	256u	/* path MTU of the queue pairs for which @counter holds */
#define CORPUS_LENGTH	0x10000u	/* bytes of the region */

/**
 * struct corpus_seed - a request
 * @name: name in messages
 * @type: XROCE_QPT_*; 0: RC
 * @opcode: opcode without the service, or all eight bits of an opcode of no service
 * @psn: relative to the expected PSN
 * @va: relative to the start of the region
 * @key: exclusive-ored into the region's key
 * @dmalen: bytes of the message
 * @payload: bytes in the packet
 * @pad: pad count plus 1; 0: the right one
 * @flush: FETH of FLUSH
 * @qkey: exclusive-ored into the right queue key
 * @counter: COUNTER() that the request moves, if the queue pair has all rights, a receive
 *	queue and no message in progress, and the region has all rights
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
 * corpus_packet() - make the request of a seed
 * @n: index of the seed
 * @qp: the queue pair to send it to, of any type
 * @mpt: the region or window
 * @req: in: the fields that a seed does not have; out: the request
 */
void corpus_packet(size_t n, const struct xroce_qp *qp,
		   const struct xroce_mpt *mpt, struct packet *req);

#endif /* XROCE_CORPUS_H */
