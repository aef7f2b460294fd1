// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "connection.h"
#include "harness.h"
#include "rng.h"
#include "shadow.h"
#include "shadow_message.h"
#include "shadow_model.h"

#define AREA		(98u * 1024)
#define WORDS_OFF	(0x66000u)		/* in the file; outside the areas */
#define WORDS_LEN	4096u
#define WORDS_IOVA	0x123456789000ull
#define OWN_OFF		256u			/* after the shared words */
#define OWN_LEN		960u

_Static_assert(REGION_OFF + SHADOW_QPS * AREA <= WORDS_OFF,
	       "areas end before words");
_Static_assert(OWN_OFF + SHADOW_QPS * OWN_LEN <= WORDS_LEN, "words fit");
_Static_assert(2 * SHADOW_WORDS * sizeof(uint64_t) <= OWN_OFF,
	       "shared words fit");

static const struct {
	const char *name;
	enum ibv_wr_opcode opcode;
	uint32_t share;			/* of 36 */
} kinds[SHADOW_KINDS] = {
	[SHADOW_WRITE]		= { "WRITE", IBV_WR_RDMA_WRITE, 9 },
	[SHADOW_WRITE_IMM]	= { "WRITE imm", IBV_WR_RDMA_WRITE_WITH_IMM, 2 },
	[SHADOW_READ]		= { "READ", IBV_WR_RDMA_READ, 10 },
	[SHADOW_SEND]		= { "SEND", IBV_WR_SEND, 2 },
	[SHADOW_SEND_IMM]	= { "SEND imm", IBV_WR_SEND_WITH_IMM, 2 },
	[SHADOW_FETCH_ADD]	= { "FETCH_ADD", IBV_WR_ATOMIC_FETCH_AND_ADD, 2 },
	[SHADOW_CMP_SWAP]	= { "CMP_SWAP", IBV_WR_ATOMIC_CMP_AND_SWP, 2 },
	[SHADOW_ATOMIC_WRITE]	= { "ATOMIC_WRITE", IBV_WR_ATOMIC_WRITE, 2 },
	[SHADOW_SHARED_ADD]	= { "shared FETCH_ADD", IBV_WR_ATOMIC_FETCH_AND_ADD, 3 },
	[SHADOW_SHARED_SWAP]	= { "shared CMP_SWAP", IBV_WR_ATOMIC_CMP_AND_SWP, 2 },
};

static struct shadow_word adds[SHADOW_WORDS], swaps[SHADOW_WORDS];
static struct xroce_mr_reg words, first_words[SHADOW_QPS];
static uint64_t token;		/* operand of shared swaps, unique */
static uint32_t chosen[SHADOW_KINDS];

static uint32_t own_off(uint32_t qp)
{
	return WORDS_OFF + OWN_OFF + qp * OWN_LEN;
}

/* Mostly short, so that headers and ordering dominate, not copying. */
static uint32_t random_len(void)
{
	switch (rng_below(16)) {
	case 0:
		return rng_below(MESSAGE_MAX + 1);
	case 1 ... 3:
		return rng_below(8193);
	case 4 ... 7:
		return rng_below(1025);
	default:
		return rng_below(65);
	}
}

static uint64_t word_at(uint32_t off)
{
	uint64_t v;

	memcpy(&v, server.want + off, sizeof(v));
	return v;
}

static void word_set(uint32_t off, uint64_t v)
{
	memcpy(server.want + off, &v, sizeof(v));
}

static uint32_t shared_off(enum shadow_kind kind, uint32_t word)
{
	if (kind == SHADOW_SHARED_SWAP)
		word += SHADOW_WORDS;
	return WORDS_OFF + 8 * word;
}

static bool words_reg(struct xroce_mr_reg *mr, uint32_t off, uint32_t len,
		      uint64_t iova)
{
	int err;

	*mr = (struct xroce_mr_reg){
		.pd = server.pd,
		.access = ACCESS_ALL,
		.length = len,
		.iova = iova,
	};
	err = xroce_mr_reg_file(server.x, server.file, off, mr);
	return check(!err, "words: %s", strerror(-err));
}

bool model_open(void)
{
	uint32_t i;

	if (words.rkey)
		return true;
	if (!words_reg(&words, WORDS_OFF, WORDS_LEN, WORDS_IOVA))
		return false;
	for (i = 0; i < SHADOW_QPS; i++)
		if (!words_reg(&first_words[i], own_off(i), 8, 0))
			return false;
	return true;
}

void model_start(void)
{
	uint32_t i;

	memset(chosen, 0, sizeof(chosen));
	for (i = 0; i < SHADOW_WORDS; i++) {
		shadow_start(&adds[i], word_at(shared_off(SHADOW_SHARED_ADD, i)));
		shadow_start(&swaps[i],
			     word_at(shared_off(SHADOW_SHARED_SWAP, i)));
	}
}

static enum shadow_kind random_kind(void)
{
	uint32_t kind, n = rng_below(36);

	for (kind = 0; n >= kinds[kind].share; kind++)
		n -= kinds[kind].share;
	return kind;
}

bool model_is_send(enum shadow_kind kind)
{
	return kind == SHADOW_SEND || kind == SHADOW_SEND_IMM;
}

static bool is_range(enum shadow_kind kind)
{
	return kind == SHADOW_WRITE || kind == SHADOW_WRITE_IMM ||
	       kind == SHADOW_READ;
}

bool model_is_atomic(enum shadow_kind kind)
{
	return !model_is_send(kind) && !is_range(kind);
}

const char *model_name(enum shadow_kind kind)
{
	return kinds[kind].name;
}

/* Choose the target: @s->off, length, address and key. */
static void choose_range(uint32_t qp, struct shadow_op *s)
{
	struct requester_op *op = &s->op;

	if (model_is_send(s->kind)) {
		op->len = random_len();
		return;
	}
	if (is_range(s->kind) && rng_below(4)) {
		op->len = random_len();
		s->off = REGION_OFF + qp * AREA + rng_below(AREA - op->len + 1);
		op->va = IOVA + s->off - REGION_OFF;
		op->rkey = server.mr.rkey;
		return;
	}
	op->len = is_range(s->kind) ? rng_below(200) : 8;
	if (s->kind == SHADOW_ATOMIC_WRITE) {
		s->off = own_off(qp);
		op->rkey = first_words[qp].rkey;
		return;
	}
	if (is_range(s->kind))
		s->off = own_off(qp) + rng_below(OWN_LEN - op->len + 1);
	else
		s->off = own_off(qp) + 8 * rng_below(OWN_LEN / 8);
	s->word = rng_below(SHADOW_WORDS);
	if (s->kind == SHADOW_SHARED_ADD || s->kind == SHADOW_SHARED_SWAP)
		s->off = shared_off(s->kind, s->word);
	op->va = WORDS_IOVA + s->off - WORDS_OFF;
	op->rkey = words.rkey;
}

void model_choose(uint32_t qp, struct shadow_op *s)
{
	s->kind = random_kind();
	s->op.opcode = kinds[s->kind].opcode;
	choose_range(qp, s);
	chosen[s->kind]++;
}

void model_execute(uint32_t qp, struct shadow_op *s)
{
	struct requester_op *op = &s->op;
	uint64_t found = word_at(s->off);

	op->imm = rng_next();
	if (model_is_send(s->kind) || s->kind == SHADOW_WRITE_IMM)
		op->solicited = rng_below(2);
	switch (s->kind) {
	case SHADOW_WRITE:
	case SHADOW_WRITE_IMM:
		rng_fill(client.buf + op->off, op->len);
		memcpy(server.want + s->off, client.buf + op->off, op->len);
		if (s->kind == SHADOW_WRITE_IMM)
			message_expect(qp, op);
		return;
	case SHADOW_SEND:
	case SHADOW_SEND_IMM:
		rng_fill(client.buf + op->off, op->len);
		message_expect(qp, op);
		return;
	case SHADOW_READ:
		memcpy(s->want, server.want + s->off, op->len);
		memset(client.buf + op->off, 0xa5, op->len);
		return;
	case SHADOW_FETCH_ADD:
		op->operand = rng_next();
		word_set(s->off, found + op->operand);
		break;
	case SHADOW_CMP_SWAP:
		op->compare = rng_below(4) ? found : rng_next();
		op->operand = rng_next();
		if (op->compare == found)
			word_set(s->off, op->operand);
		break;
	case SHADOW_ATOMIC_WRITE:
		op->operand = rng_next();
		word_set(s->off, op->operand);
		return;
	case SHADOW_SHARED_ADD:
		op->operand = 1 + rng_below(1000000);
		break;
	default:
		op->compare = swaps[s->word].guess;
		op->operand = ++token;
	}
	memcpy(s->want, &found, sizeof(found));
}

bool model_is_short(const struct shadow_op *s)
{
	return s->kind == SHADOW_READ && memcmp(client.buf + s->op.off, s->want, s->op.len);
}

void model_compare(uint32_t qp, const struct shadow_op *s)
{
	const uint8_t *got = client.buf + s->op.off;
	uint32_t i, first = 0, differ = 0;
	uint64_t found;

	memcpy(&found, got, sizeof(found));
	switch (s->kind) {
	case SHADOW_READ:
	case SHADOW_FETCH_ADD:
	case SHADOW_CMP_SWAP:
		for (i = s->op.len; i--;) {
			if (got[i] == s->want[i])
				continue;
			first = i;
			differ++;
		}
		check(!differ, "QP %u, %s of %u at %#x: %u differ, byte %u is %#x, not %#x",
		      qp, kinds[s->kind].name, s->op.len, s->off, differ, first,
		      got[first], s->want[first]);
		return;
	case SHADOW_SHARED_ADD:
		shadow_found(&adds[s->word], qp, found, 0, s->op.operand);
		return;
	case SHADOW_SHARED_SWAP:
		shadow_found(&swaps[s->word], qp, found, s->op.compare,
			     s->op.operand);
		return;
	default:
		return;
	}
}

/* Check the chains; their final values must be in memory. */
void model_finish(void)
{
	uint32_t i;

	for (i = 0; i < SHADOW_WORDS; i++) {
		word_set(shared_off(SHADOW_SHARED_ADD, i), shadow_adds(&adds[i]));
		word_set(shared_off(SHADOW_SHARED_SWAP, i),
			 shadow_swaps(&swaps[i]));
	}
}

void model_note_kinds(void)
{
	char text[256] = "";
	size_t at = 0;
	uint32_t kind;

	for (kind = 0; kind < SHADOW_KINDS; kind++)
		at += snprintf(text + at, sizeof(text) - at, "%s %u, ",
			       kinds[kind].name, chosen[kind]);
	note("%.*s", (int)at - 2, text);
}
