// SPDX-License-Identifier: GPL-2.0-only
/* Packets that come before one that is missing: kept, executed in order, acknowledged at once. */
#include <string.h>

#include "counters.h"
#include "wire.h"

static const struct wire_opts rc;

#define KEPT	1024u		/* frames behind a hole at most */

/* Prepare a WRITE of 8 bytes at @n * 8, with the PSN @n after the first. */
static void request(struct wire *w, uint32_t n)
{
	w->req.opcode = XROCE_RC_WRITE_ONLY;
	w->req.va = w->mr.iova + n * 8;
	w->req.dmalen = 8;
	w->req.payload = 8;
	w->req.psn = (WIRE_PSN + n) & XROCE_PSN_MASK;
}

static void put(struct wire *w, uint32_t n)
{
	request(w, n);
	wire_send(w);
}

static void expect(struct wire *w, uint8_t syndrome, uint32_t n, uint32_t msn)
{
	struct packet want = wire_response(w, XROCE_RC_ACK);

	want.psn = (WIRE_PSN + n) & XROCE_PSN_MASK;
	want.syndrome = syndrome;
	want.msn = msn;
	wire_expect(w, &want);
}

/* Whether each of the first @n requests has been executed, and no other. */
static void executed(const struct wire *w, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < WIRE_BYTES; i++)
		if (!check(!w->mem[i] == (i >= n * 8), "byte %u of request %u", i % 8, i / 8))
			return;
}

WIRE_TEST(early_kept, "D6 Q3", "packets behind a hole are executed when it is filled", &rc)
{
	put(w, 1);
	expect(w, XROCE_SYN_NAK_SEQ, 0, 0);
	wire_untouched(w);
	put(w, 2);
	put(w, 0);
	expect(w, XROCE_SYN_ACK, 2, 3);
	wire_quiet(w);
	executed(w, 3);
}

WIRE_TEST(early_reversed, "D6 Q3", "in whatever order they come", &rc)
{
	uint32_t n;

	put(w, 5);
	expect(w, XROCE_SYN_NAK_SEQ, 0, 0);
	for (n = 4; n; n--)
		put(w, n);
	wire_quiet(w);
	wire_untouched(w);
	put(w, 0);
	expect(w, XROCE_SYN_ACK, 5, 6);
	executed(w, 6);
}

/* Each hole has a NAK, but only one, and what is before it is acknowledged by that. */
WIRE_TEST(early_holes, "D6 Q3", "a NAK for each hole", &rc)
{
	put(w, 1);
	expect(w, XROCE_SYN_NAK_SEQ, 0, 0);
	put(w, 4);
	put(w, 6);
	wire_quiet(w);
	put(w, 0);
	expect(w, XROCE_SYN_ACK, 1, 2);
	expect(w, XROCE_SYN_NAK_SEQ, 2, 2);
	put(w, 2);
	expect(w, XROCE_SYN_ACK, 2, 3);
	wire_quiet(w);
	put(w, 3);
	expect(w, XROCE_SYN_ACK, 4, 5);
	expect(w, XROCE_SYN_NAK_SEQ, 5, 5);
	put(w, 5);
	expect(w, XROCE_SYN_ACK, 6, 7);
	executed(w, 7);
}

/* An atomic shows how often it was executed. */
WIRE_TEST(early_once, "D6", "a packet that comes twice is executed once", &rc)
{
	struct packet want = wire_response(w, XROCE_RC_ATOMIC_ACK);
	__u64 value;
	int i;

	w->req.opcode = XROCE_RC_FETCH_ADD;
	w->req.va = w->mr.iova + 8;
	w->req.swap = 5;
	w->req.payload = 0;
	w->req.psn = (WIRE_PSN + 1) & XROCE_PSN_MASK;
	want.psn = w->req.psn;
	want.syndrome = XROCE_SYN_ACK;
	want.msn = 2;
	for (i = 0; i < 3; i++)
		wire_send(w);
	expect(w, XROCE_SYN_NAK_SEQ, 0, 0);
	put(w, 0);
	expect(w, XROCE_SYN_ACK, 0, 1);
	wire_expect(w, &want);
	wire_quiet(w);
	memcpy(&value, w->mem + 8, sizeof(value));
	check_is(value, 5, "added");
}

/* It is judged when it is executed, as if it had just come. */
WIRE_TEST(early_refused, "D5 D6", "a refused packet behind a hole changes nothing before its turn", &rc)
{
	request(w, 1);
	w->req.rkey ^= 1;
	wire_send(w);
	expect(w, XROCE_SYN_NAK_SEQ, 0, 0);
	w->req.rkey ^= 1;
	put(w, 2);
	wire_quiet(w);
	put(w, 0);
	expect(w, XROCE_SYN_NAK_ACC, 1, 1);
	wire_quiet(w);
	executed(w, 1);
}

WIRE_TEST(early_corrupt, "D4 D6", "a packet with a wrong invariant CRC is not kept", &rc)
{
	request(w, 1);
	w->req.icrc_flip = 1;
	wire_counted(w, COUNTER(drop_icrc));
	w->req.icrc_flip = 0;
	put(w, 0);
	expect(w, XROCE_SYN_ACK, 0, 1);
	wire_quiet(w);
	executed(w, 1);
}

/* Those for which there is no room are missing, like any other. */
WIRE_TEST(early_bounded, "D6 O3", "packets that are kept are bounded", &rc)
{
	struct packet got = {};
	uint32_t n;

	w->req.ackreq = false;
	put(w, 1);
	expect(w, XROCE_SYN_NAK_SEQ, 0, 0);
	for (n = 2; n <= KEPT; n++)
		put(w, n);
	request(w, KEPT + 1);
	wire_counted(w, COUNTER(drop_defer));
	put(w, 0);
	/* One for each run of the work item. */
	do {
		if (!check(wire_take(w, WIRE_MS, &got, NULL), "no acknowledgement"))
			break;
	} while (got.psn != ((WIRE_PSN + KEPT) & XROCE_PSN_MASK));
	check(got.syndrome == XROCE_SYN_ACK && got.msn == KEPT + 1, "MSN %u", got.msn);
	wire_quiet(w);
	executed(w, KEPT + 1);
}

WIRE_TEST(early_reset, "D6 Q4", "what is kept does not survive the connection", &rc)
{
	put(w, 1);
	expect(w, XROCE_SYN_NAK_SEQ, 0, 0);
	if (!wire_again(w))
		return;
	put(w, 0);
	expect(w, XROCE_SYN_ACK, 0, 1);
	wire_quiet(w);
	executed(w, 1);
}

static void expect_sack(struct wire *w, uint32_t n, uint32_t msn, uint32_t lost, uint32_t bits)
{
	struct packet want = wire_response(w, XROCE_OP_SACK);

	want.psn = (WIRE_PSN + n) & XROCE_PSN_MASK;
	want.syndrome = XROCE_SYN_NAK_SEQ;
	want.msn = msn;
	want.sack_lost = lost;
	want.sack_bits[0] = bits;
	wire_expect(w, &want);
}

WIRE_TEST(early_sack, "D6 Q3", "selective acknowledgements for a peer that asks for them", &rc)
{
	w->req.sack = true;
	put(w, 1);
	expect_sack(w, 0, 0, 1, 1 << 1);
	put(w, 2);
	expect_sack(w, 0, 0, 2, 3 << 1);
	/* Not asked for, and no hole that is not known. */
	w->req.ackreq = false;
	put(w, 3);
	wire_quiet(w);
	put(w, 6);
	expect_sack(w, 0, 0, 6, 0x4e);
	w->req.again = true;
	put(w, 0);
	put(w, 5);
	w->req.ackreq = true;
	put(w, 4);
	expect(w, XROCE_SYN_ACK, 6, 7);
	executed(w, 7);
}

/* A peer that does not ask gets none, also behind packets that did. */
WIRE_TEST(early_unasked, "D6", "no selective acknowledgement without the bit", &rc)
{
	w->req.sack = true;
	put(w, 0);
	expect(w, XROCE_SYN_ACK, 0, 1);
	w->req.sack = false;
	put(w, 2);
	expect(w, XROCE_SYN_NAK_SEQ, 1, 1);
	wire_quiet(w);
}

TEST_MAIN(live_main);
