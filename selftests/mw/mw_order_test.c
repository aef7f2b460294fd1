// SPDX-License-Identifier: GPL-2.0-only
/*
 * When a bind or a revocation takes effect: before the next packet, also within a message.
 */
#include "mw.h"

#define READ	XROCE_RC_READ_REQUEST

/* Send a packet of a message with several, number @n from 1. */
static void long_write(struct wire *w, __u32 key, uint8_t opcode, __u32 n)
{
	w->req.opcode = opcode;
	w->req.va = w->mr.iova;
	w->req.rkey = key;
	w->req.dmalen = 4096;
	w->req.payload = 1024;
	w->req.pad = 0;
	w->req.ackreq = true;
	w->req.pattern = n;
	wire_send(w);
	w->req.psn = (w->req.psn + 1) & XROCE_PSN_MASK;
}

static void part_is(const struct wire *w, __u32 i, bool written)
{
	__u32 j;

	for (j = 0; j < 1024; j++)
		if (w->mem[i * 1024 + j] !=
		    (char)(written ? packet_pattern(i + 1, j) : 0))
			break;
	check(j == 1024, "part %u, byte %u", i, j);
}

enum between { REBIND, INVALIDATE, FREE, UNBIND };

/* Half of a message is written; then the window is revoked. */
static void mid_message(__u32 type, enum between what)
{
	struct binding b;
	struct wire w;
	struct packet got;
	__u32 key;

	if (!wire_open(&w, &mw_rc))
		return;
	key = mw_bound(&w, type);
	b = mw_whole(&w, key);
	long_write(&w, key, XROCE_RC_WRITE_FIRST, 1);
	check(wire_take(&w, WIRE_MS, &got, NULL) &&
	      got.syndrome == XROCE_SYN_ACK, "the first packet");
	long_write(&w, key, XROCE_RC_WRITE_MIDDLE, 2);
	check(wire_take(&w, WIRE_MS, &got, NULL) &&
	      got.syndrome == XROCE_SYN_ACK, "the second packet");
	switch (what) {
	case REBIND:	/* to the same range */
		check(!mw_post_one(&w, &b), "post");
		break;
	case UNBIND:
		b.length = 0;
		check(!mw_post_one(&w, &b), "post");
		break;
	case INVALIDATE:
		check(!mw_post_inval(&w, 1, key, 0), "post");
		break;
	case FREE:
		mw_del(&w, key);
	}
	/* Only the arrival of this packet causes the work request to be applied. */
	long_write(&w, key, XROCE_RC_WRITE_MIDDLE, 3);
	check(wire_take(&w, WIRE_MS, &got, NULL) &&
	      got.syndrome == XROCE_SYN_NAK_ACC, "syndrome %#x", got.syndrome);
	long_write(&w, key, XROCE_RC_WRITE_LAST, 4);
	wire_quiet(&w);
	part_is(&w, 0, true);
	part_is(&w, 1, true);
	part_is(&w, 2, false);
	part_is(&w, 3, false);
	if (what != FREE)
		mw_del(&w, key);
	wire_close(&w);
}

TEST(mw_mid_rebind, "W11", "a type 1 window is bound again within a message")
{
	mid_message(XROCE_MW_TYPE_1, REBIND);
}

TEST(mw_mid_unbind, "W11 W5", "a type 1 window is unbound within a message")
{
	mid_message(XROCE_MW_TYPE_1, UNBIND);
}

TEST(mw_mid_free, "W11", "a window is deallocated within a message")
{
	mid_message(XROCE_MW_TYPE_1, FREE);
	mid_message(XROCE_MW_TYPE_2A, FREE);
	mid_message(XROCE_MW_TYPE_2B, FREE);
}

TEST(mw_mid_invalidate, "W11 W7", "a type 2 window is invalidated within a message")
{
	mid_message(XROCE_MW_TYPE_2A, INVALIDATE);
	mid_message(XROCE_MW_TYPE_2B, INVALIDATE);
}

/* Without a system call: work requests are applied before the next packet is executed. */
WIRE_TEST(mw_before_next_packet, "W10", "work requests are applied before the next packet", &mw_rc)
{
	struct binding b;
	__u32 old;
	int i;

	b = mw_whole(w, mw_new(w, XROCE_MW_TYPE_2B));
	b.flags = 0;
	for (i = 0; i < 20 && !test_failed(); i++) {
		check(!mw_post_two(w, &b), "post");
		check(!xroce_send_idle(w->send), "applied before a packet came");
		check(!mw_try_write(w, b.rkey), "bound");
		check(xroce_send_idle(w->send), "not applied by the packet");
		check(!mw_post_inval(w, 2, b.rkey, 0), "post");
		old = b.rkey;
		b.rkey = xroce_inc_rkey(b.rkey);
		check(!mw_post_two(w, &b), "post");
		check(mw_try_write(w, i & 1 ? old : b.rkey) ==
		      (i & 1 ? XROCE_CAUSE_ACC_KEY : 0), "after three posts");
		check(!mw_post_inval(w, 2, b.rkey, 0), "post");
	}
	check(mw_completion(w, NULL) == -1, "completion of an unsignalled work request");
}

/*
 * A window of type 1 that is bound on one queue pair, used through another one: the completion of
 * the bind says that it may be.
 */
TEST(mw_by_others_packet, "W10 W5", "a bind on one queue pair, the access through another")
{
	struct wire w;
	struct wire_opts opts = { .peer = 0x12 };
	struct binding b;
	struct wire other;

	if (!wire_open(&w, &mw_rc))
		return;
	opts.with = &w;
	if (!wire_open(&other, &opts))
		return;
	b = mw_whole(&w, mw_new(&w, XROCE_MW_TYPE_1));
	check(!mw_bind(&w, XROCE_MW_TYPE_1, &b), "bind");
	check(!mw_try(&other, READ, w.mr.iova, 8, b.rkey), "READ through another queue pair");
	check(!mw_post_one(&w, &b), "post");
	check(!mw_try(&other, READ, w.mr.iova, 8, w.mr.rkey), "READ of the region");
	check(!xroce_send_idle(w.send), "executed by a packet for another queue pair");
	check(!mw_try(&w, READ, w.mr.iova, 8, b.rkey), "READ");
	check(!mw_completion(&w, NULL), "completion");
	wire_close(&other);
	wire_close(&w);
}

TEST_MAIN(live_main);
