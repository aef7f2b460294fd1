// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "op.h"

#define OP_ADDEND	0x1111111111111111ull

/* Bytes of a packet without extended headers and payload, from the IP header on. */
#define BARE_LEN	(20 + 8 + sizeof(struct xroce_bth) + XROCE_ICRC_LEN)
#define AETH_LEN	sizeof(struct xroce_aeth)

const char *const op_names[OPS] = {
	[OP_WRITE]	= "WRITE",
	[OP_READ]	= "READ",
	[OP_FETCH_ADD]	= "FETCH_ADD",
	[OP_CMP_SWAP]	= "CMP_SWAP",
	[OP_SEND]	= "SEND",
};

void op_request(const struct op *op, uint32_t i, struct packet *packet)
{
	packet->dmalen = op->size;
	packet->pattern = OP_PATTERN;
	switch (op->code) {
	case OP_WRITE:
	case OP_SEND:
		packet->opcode = op->code == OP_SEND ? XROCE_RC_SEND_ONLY :
						       XROCE_RC_WRITE_ONLY;
		packet->payload = op->size;
		packet->pad = -op->size & 3;
		break;
	case OP_READ:
		packet->opcode = XROCE_RC_READ_REQUEST;
		break;
	case OP_CMP_SWAP:
		packet->opcode = XROCE_RC_CMP_SWAP;
		packet->compare = i;
		packet->swap = i + 1;
		break;
	default:
		packet->opcode = XROCE_RC_FETCH_ADD;
		packet->swap = OP_ADDEND;
		break;
	}
}

bool op_differs(const struct op *op)
{
	return op->code == OP_CMP_SWAP;
}

static uint32_t read_packets(uint32_t size)
{
	return size > OP_MTU ? (size + OP_MTU - 1) / OP_MTU : 1;
}

uint32_t op_psns(const struct op *op)
{
	return op->code == OP_READ ? read_packets(op->size) : 1;
}

uint32_t op_responses(const struct op *op, struct count *count)
{
	uint8_t *kind = count->kind;
	uint32_t n;

	switch (op->code) {
	case OP_WRITE:
	case OP_SEND:
		kind[XROCE_RC_ACK] = COUNT_DONE | COUNT_AETH;
		return BARE_LEN + AETH_LEN;
	case OP_READ:
		n = read_packets(op->size);
		if (n == 1) {
			kind[XROCE_RC_READ_RESPONSE_ONLY] =
				COUNT_DONE | COUNT_AETH;
			return BARE_LEN + AETH_LEN + ((op->size + 3) & ~3u);
		}
		kind[XROCE_RC_READ_RESPONSE_FIRST] = COUNT_PART | COUNT_AETH;
		kind[XROCE_RC_READ_RESPONSE_MIDDLE] = COUNT_PART;
		kind[XROCE_RC_READ_RESPONSE_LAST] = COUNT_DONE | COUNT_AETH;
		return n * BARE_LEN + 2 * AETH_LEN + ((op->size + 3) & ~3u);
	default:
		kind[XROCE_RC_ATOMIC_ACK] = COUNT_DONE | COUNT_AETH;
		return BARE_LEN + AETH_LEN + 8;
	}
}

bool op_happened(const struct op *op, const uint8_t *buf, uint32_t times)
{
	uint64_t word;
	uint32_t i;

	switch (op->code) {
	case OP_WRITE:
	case OP_SEND:
		for (i = 0; i < op->size; i++) {
			if (buf[i] != packet_pattern(OP_PATTERN, i))
				return false;
		}
		return true;
	case OP_FETCH_ADD:
	case OP_CMP_SWAP:
		memcpy(&word, buf, sizeof(word));
		return word == times * (op->code == OP_CMP_SWAP ? 1 : OP_ADDEND);
	default:
		return true;
	}
}
