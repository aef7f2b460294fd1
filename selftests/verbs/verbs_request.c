// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "uapi/xroce.h"

#include "harness.h"
#include "rng.h"
#include "verbs_request.h"

_Static_assert(REQUEST_FLUSH == XROCE_WR_FLUSH, "FLUSH");

/* What an operation is. */
enum {
	IS_SEND		= 1 << 0,	/* its message goes to a receive request */
	HAS_IMM		= 1 << 1,
	IS_ATOMIC	= 1 << 2,	/* its response has eight bytes for the slot */
	IS_READ		= 1 << 3,
	IS_WORD		= 1 << 4,	/* it accesses one of the words at the beginning */
	CHANGES		= 1 << 5,	/* the peer's memory */
	NO_DATA		= 1 << 6,	/* it has no elements */
};

/**
 * struct kind - an operation
 * @name: for messages
 * @wc: opcode of its completion
 * @is: see above
 */
struct kind {
	const char *name;
	unsigned int wc;
	unsigned int is;
};

static const struct kind kinds[REQUEST_OPCODES] = {
	[IBV_WR_RDMA_WRITE]	= { "WRITE", IBV_WC_RDMA_WRITE, CHANGES },
	[IBV_WR_RDMA_WRITE_WITH_IMM] = { "WRITE_WITH_IMM", IBV_WC_RDMA_WRITE, CHANGES | HAS_IMM },
	[IBV_WR_SEND]		= { "SEND", IBV_WC_SEND, IS_SEND },
	[IBV_WR_SEND_WITH_IMM]	= { "SEND_WITH_IMM", IBV_WC_SEND, IS_SEND | HAS_IMM },
	[IBV_WR_SEND_WITH_INV]	= { "SEND_WITH_INV", IBV_WC_SEND, IS_SEND },
	[IBV_WR_RDMA_READ]	= { "READ", IBV_WC_RDMA_READ, IS_READ },
	[IBV_WR_ATOMIC_CMP_AND_SWP] = { "CMP_SWAP", IBV_WC_COMP_SWAP,
					IS_ATOMIC | IS_WORD | CHANGES },
	[IBV_WR_ATOMIC_FETCH_AND_ADD] = { "FETCH_ADD", IBV_WC_FETCH_ADD,
					  IS_ATOMIC | IS_WORD | CHANGES },
	[IBV_WR_ATOMIC_WRITE]	= { "ATOMIC_WRITE", IBV_WC_ATOMIC_WRITE,
				    IS_WORD | CHANGES | NO_DATA },
	[REQUEST_FLUSH]		= { "FLUSH", XROCE_WC_FLUSH, NO_DATA },
	[IBV_WR_LOCAL_INV]	= { "LOCAL_INV", IBV_WC_LOCAL_INV, NO_DATA },
	[IBV_WR_BIND_MW]	= { "BIND_MW", IBV_WC_BIND_MW, NO_DATA },
};

static bool is(const struct request_op *op, unsigned int what)
{
	return kinds[op->opcode].is & what;
}

bool request_is_send(const struct request_op *op)
{
	return is(op, IS_SEND);
}

bool request_has_imm(const struct request_op *op)
{
	return is(op, HAS_IMM);
}

bool request_is_message(const struct request_op *op)
{
	return is(op, IS_SEND | HAS_IMM);
}

bool request_is_atomic(const struct request_op *op)
{
	return is(op, IS_ATOMIC);
}

bool request_hurts(const struct request_op *op, const struct request_op *read)
{
	if (!is(read, IS_READ))
		return false;
	if (op->opcode == IBV_WR_SEND_WITH_INV)
		return read->window == op->window;
	return is(op, CHANGES) && read->off < op->off + op->len && op->off < read->off + read->len;
}

const char *request_name(unsigned int opcode)
{
	return kinds[opcode].name;
}

static uint32_t random_length(uint32_t mtu)
{
	switch (rng_below(32)) {
	case 0:			return 0;
	case 1:			return REQUEST_MAX - rng_below(mtu);
	case 2 ... 4:		return mtu * (1 + rng_below(3));
	case 5 ... 8:		return rng_below(REQUEST_INLINE + 1);
	}
	return rng_below(3 * mtu + 1);
}

static unsigned int random_opcode(uint32_t ops)
{
	static const unsigned int opcodes[] = {
		IBV_WR_SEND, IBV_WR_SEND_WITH_IMM, IBV_WR_SEND_WITH_INV, IBV_WR_RDMA_WRITE,
		IBV_WR_RDMA_WRITE, IBV_WR_RDMA_WRITE_WITH_IMM, IBV_WR_RDMA_READ, IBV_WR_RDMA_READ,
		IBV_WR_ATOMIC_CMP_AND_SWP, IBV_WR_ATOMIC_FETCH_AND_ADD, IBV_WR_ATOMIC_WRITE,
		REQUEST_FLUSH,
	};
	unsigned int opcode;

	do {
		opcode = opcodes[rng_below(ARRAY_SIZE(opcodes))];
	} while (!(ops & REQUEST_BIT(opcode)));
	return opcode;
}

/* Divide the message among elements of the slot, with guards between. */
static void divide(struct request_op *op, uint32_t lkey)
{
	uint32_t at = REQUEST_GUARD, left = op->len, i, n;

	op->num_sge = is(op, IS_ATOMIC) ? 1 : 1 + rng_below(REQUEST_SGE);
	if (!is(op, IS_ATOMIC))
		at += rng_below(REQUEST_GUARD);
	for (i = 0; i < op->num_sge; i++) {
		n = i + 1 == op->num_sge ? left : rng_below(left + 1);
		op->sge[i] = (struct ibv_sge){ (uintptr_t)op->slot + at, n, lkey };
		at += n + REQUEST_GUARD;
		left -= n;
	}
	op->used = at;
}

/* Of element @i in the slot and in the image. */
static uint32_t place(const struct request_op *op, uint32_t i)
{
	return op->sge[i].addr - (uintptr_t)op->slot;
}

static void fill(struct request_op *op)
{
	uint32_t i;

	memset(op->slot, REQUEST_BLANK, op->used);
	for (i = 0; i < op->num_sge && !is(op, IS_READ | IS_ATOMIC); i++)
		rng_fill(op->slot + place(op, i), op->sge[i].length);
	memcpy(op->image, op->slot, op->used);
}

/* Everything that has no meaning yet; random flags. */
static void begin(struct request_op *op, unsigned int opcode)
{
	op->opcode = opcode;
	op->flags = rng_below(2) ? IBV_SEND_SIGNALED : 0;
	op->flags |= rng_below(8) ? 0 : IBV_SEND_FENCE;
	op->flags |= rng_below(4) ? 0 : IBV_SEND_SOLICITED;
	op->len = 0;
	op->off = 0;
	op->key = 0;
	op->imm = rng_next();
	op->operand = rng_next();
	op->whole = false;
	op->window = NULL;
	op->used = 0;
	op->num_sge = 0;
}

/* Choose one of the words, in the window if there is one. */
static void choose_word(struct request_op *op, struct window *w)
{
	op->off = rng_below(8) * 8;
	if (w && (op->off < w->off || op->off + 8 > w->off + w->len))
		w = NULL;
	op->window = w;
}

static void choose_range(struct request_op *op, struct window *w, bool empty)
{
	uint32_t from = w ? w->off : 0, n = w ? w->len : REQUEST_TARGET;

	if (op->len > n)
		op->len = rng_below(n + 1);
	if (!op->len && !empty)
		op->len = 1;
	op->off = from + rng_below(n - op->len + 1);
	op->window = w;
}

/* Choose memory of the peer, and its key. */
static void choose_memory(struct request_op *op, const struct request_choice *c)
{
	struct window *w = NULL;

	if (rng_below(2) && (c->read_windows || !is(op, IS_READ)))
		w = window_any(c->window, c->windows, false);
	if (is(op, IS_WORD))
		choose_word(op, w);
	else
		choose_range(op, w, c->empty && op->opcode != REQUEST_FLUSH);
	op->key = op->window ? op->window->key : c->rkey;
	op->whole = op->opcode == REQUEST_FLUSH && !op->window && rng_below(2);
}

void request_choose(struct request_op *op, const struct request_choice *c)
{
	unsigned int opcode = random_opcode(c->ops);
	struct window *inv = window_any(c->window, c->windows, true);

	if (opcode == IBV_WR_SEND_WITH_INV && !inv)
		opcode = IBV_WR_SEND;
	begin(op, opcode);
	op->len = is(op, IS_WORD) ? 8 : random_length(c->mtu);
	if (opcode == IBV_WR_SEND_WITH_INV) {
		op->window = inv;
		op->key = inv->key;
	} else if (!is(op, IS_SEND)) {
		choose_memory(op, c);
	}
	if (is(op, NO_DATA))
		return;
	if (!is(op, IS_READ | IS_ATOMIC) && op->len <= REQUEST_INLINE && rng_below(2))
		op->flags |= IBV_SEND_INLINE;
	divide(op, c->lkey);
	fill(op);
}

void request_choose_bind(struct request_op *op, struct window *w)
{
	begin(op, IBV_WR_BIND_MW);
	window_choose(w, REQUEST_TARGET);
	op->window = w;
	op->key = w->key;
}

void request_choose_inv(struct request_op *op, struct window *w)
{
	begin(op, IBV_WR_LOCAL_INV);
	op->window = w;
	op->key = w->key;
}

/* What a READ or atomic finds at @from goes to the elements of the image. */
static void find(struct request_op *op, const uint8_t *from)
{
	uint32_t i;

	for (i = 0; i < op->num_sge; i++) {
		memcpy(op->image + place(op, i), from, op->sge[i].length);
		from += op->sge[i].length;
	}
}

/* Half of the comparisons hold. */
static void change_word(struct request_op *op, uint8_t *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	op->compare = word + rng_below(2);
	if (op->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD)
		word += op->operand;
	else if (op->opcode == IBV_WR_ATOMIC_WRITE || word == op->compare)
		word = op->operand;
	memcpy(at, &word, sizeof(word));
}

void request_execute(struct request_op *op, uint8_t *target)
{
	uint8_t *at = target + op->off;

	if (is(op, IS_READ | IS_ATOMIC))
		find(op, at);
	if (is(op, IS_WORD))
		change_word(op, at);
	else if (is(op, CHANGES))
		request_message(op, at);
}

void request_message(const struct request_op *op, uint8_t *to)
{
	uint32_t i;

	for (i = 0; i < op->num_sge; i++) {
		memcpy(to, op->image + place(op, i), op->sge[i].length);
		to += op->sge[i].length;
	}
}

void request_check(const struct request_op *op, const struct ibv_wc *wc)
{
	const char *name = request_name(op->opcode);
	uint32_t i;

	if (wc->wr_id == op->id) {
		check(wc->opcode == kinds[op->opcode].wc, "%s: opcode %d", name, wc->opcode);
		check(!is(op, IS_READ | IS_ATOMIC) || wc->byte_len == op->len,
		      "%s of %u: %u bytes", name, op->len, wc->byte_len);
	}
	if (!memcmp(op->slot, op->image, op->used))
		return;
	for (i = 0; op->slot[i] == op->image[i]; i++)
		;
	check(false, "request %llu, %s of %u at %#x: local byte %u of %u is %#x, not %#x",
	      (long long)op->id, name, op->len, op->off, i, op->used, op->slot[i],
	      op->image[i]);
}
