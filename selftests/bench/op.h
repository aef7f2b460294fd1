/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The operations that can be measured: their requests and their responses.
 */
#ifndef XROCE_BENCH_OP_H
#define XROCE_BENCH_OP_H

#include <stdbool.h>
#include <stdint.h>

#include "count.h"
#include "packet.h"

#define OP_MTU		4096u		/* path MTU */
#define OP_PATTERN	0x35		/* of a request's payload */

enum op_code {
	OP_WRITE,
	OP_READ,
	OP_FETCH_ADD,
	OP_CMP_SWAP,
	OP_SEND,
	OPS
};

/* Names for tables. */
extern const char *const op_names[OPS];

/**
 * struct op - one measured operation
 * @code: which operation
 * @size: bytes that it moves
 */
struct op {
	enum op_code code;
	uint32_t size;
};

/*
 * Add opcode, headers and payload of request number @i to @packet, which has its addresses
 * already.
 */
void op_request(const struct op *op, uint32_t i, struct packet *packet);

/* Return: whether requests differ in more than their PSNs. */
bool op_differs(const struct op *op);

/* Return: number of PSNs that a request uses. */
uint32_t op_psns(const struct op *op);

/* Set @count->kind for the expected responses. Return: their bytes, from the IP header on. */
uint32_t op_responses(const struct op *op, struct count *count);

/**
 * op_happened() - check the region's memory after @times operations
 * @op: the operation
 * @buf: the bytes at the request's address, zero before the first operation
 * @times: number of operations
 */
bool op_happened(const struct op *op, const uint8_t *buf, uint32_t times);

#endif /* XROCE_BENCH_OP_H */
