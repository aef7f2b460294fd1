// SPDX-License-Identifier: GPL-2.0-only
/*
 * Selective acknowledgements that nobody has asked for, at the real module: at queue pairs of all
 * services, in every state; faster than they can be handled; and among other responses, at random.
 *
 * Environment: XROCE_FUZZ_PACKETS is the number of steps; XROCE_SEED repeats a run.
 */
#include <errno.h>
#include <string.h>

#include "counters.h"
#include "fuzz.h"
#include "live_qp.h"
#include "setting.h"
#include "wire_post.h"

#define SQ		16u
#define MTU		1024u
#define FLOOD		10000u
#define INTO_LEN	4096u		/* READs return to so many bytes from WIRE_INTO on */

static void sack(struct wire *w, uint32_t n, uint32_t lost, uint32_t bits)
{
	wire_respond(w, XROCE_OP_SACK, n, XROCE_SYN_NAK_SEQ);
	w->req.sack_lost = lost;
	memset(w->req.sack_bits, bits, sizeof(w->req.sack_bits));
}

static bool received(void *arg)
{
	return live_stat().rx >= *(__u64 *)arg;
}

/* --- Nothing is outstanding. */

static const struct {
	uint32_t n;
	uint32_t lost;
	uint32_t bits;
	uint32_t cut;
	uint32_t payload;
	uint8_t service;
} wrongs[] = {
	{ 0, 0, 0 },
	{ 0, 1024, 0xff },
	{ 0, -1u, 0xaa },
	{ -1u, 1024, 0x55 },
	{ 1, 1025, 0 },
	{ 1u << 23, 1, 0xff },
	{ 0, 1, 0xff, .cut = 1 },
	{ 0, 1, 0xff, .cut = 132 },
	{ 0, 1, 0xff, .cut = 136 },
	{ 0, 1, 0xff, .payload = 1 },
	{ 0, 1, 0xff, .payload = 1000 },
	{ 0, 1, 0xff, .service = XROCE_OP_UC },
};

static void try_all(struct wire *w)
{
	struct xroce_qp_query before = wire_query(w), after;
	struct packet good = w->req;
	__u64 want = live_stat().rx + ARRAY_SIZE(wrongs);
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(wrongs); i++) {
		sack(w, wrongs[i].n, wrongs[i].lost, wrongs[i].bits);
		w->req.xth_cut = wrongs[i].cut;
		w->req.payload = wrongs[i].payload;
		w->req.pad = -wrongs[i].payload & 3;
		w->req.opcode ^= wrongs[i].service;
		wire_send(w);
	}
	w->req = good;
	check(live_wait(received, &want), "not received");
	wire_quiet(w);
	after = wire_query(w);
	/* Those count how many have come. */
	after.req_ignored = before.req_ignored;
	memcpy(after.drops, before.drops, sizeof(after.drops));
	check(!memcmp(&before, &after, sizeof(before)), "state %u, type %u: it has changed",
	      before.state, before.type);
}

static const struct wire_opts kinds[] = {
	{ .sq = SQ }, { .sq = SQ, .ipv6 = true }, { }, { .recv = true },
	{ .type = XROCE_QPT_UC }, { .type = XROCE_QPT_UC, .sq = SQ },
	{ .type = XROCE_QPT_UD, .recv = true },
};

TEST(sack_states, "D5 D6 Q5", "in every state, of every service, nothing changes")
{
	static const __u32 states[] = { XROCE_QPS_SQD, XROCE_QPS_ERR, XROCE_QPS_RESET };
	__u32 to, type;
	struct wire w;
	uint32_t i, s;

	for (i = 0; i < ARRAY_SIZE(kinds) && !test_failed(); i++) {
		if (!wire_open(&w, &kinds[i]))
			return;
		type = kinds[i].type ? : XROCE_QPT_RC;
		try_all(&w);
		for (s = 0; s < ARRAY_SIZE(states); s++) {
			check_is(qp_move(w.x, w.qpn, states[s], 0), 0, "to %u", states[s]);
			try_all(&w);
		}
		for (to = XROCE_QPS_INIT; type == XROCE_QPT_RC && to <= XROCE_QPS_RTR; to++) {
			check_is(qp_move(w.x, w.qpn, to, qp_attrs(type, to)), 0, "to %u", to);
			try_all(&w);
		}
		wire_untouched(&w);
		wire_close(&w);
	}
}

/* --- Something is outstanding. */

static const struct wire_opts rc = { .sq = SQ };

WIRE_TEST(sack_flood, "Q3 Q5 P2", "ten thousand of them, and the connection beside goes on", &rc)
{
	struct wire_opts opts = { .with = w, .peer = WIRE_QPN + 1, .sq = SQ };
	struct xroce_qp_query q;
	struct wire beside;
	uint32_t i;

	if (!wire_open(&beside, &opts))
		return;
	wire_no_timeout(w);
	for (i = 0; i < 3; i++)
		wire_post(w, i, false, 8);
	for (i = 0; i < FLOOD && !test_failed(); i++) {
		sack(w, 0, i % 3 ? i : -1u, i % 5 ? i % 5 > 2 ? 0xaa : 0x55 : 0);
		wire_send(w);
		if (i % 100 == 99)
			wire_goes_on(&beside, i / 100);
	}
	q = wire_query(w);
	note("%llu handled, %llu packets again", q.req_sacks, q.req_retransmits);
	check(q.req_sacks && q.req_retransmits <= 3 && q.sq_pending == 3, "%llu again, %u pending",
	      q.req_retransmits, q.sq_pending);
	/* As many of packets that have not been sent. */
	for (i = 0; i < FLOOD; i++) {
		sack(w, 3 + i % 1000, i, 0xff);
		wire_send(w);
	}
	wire_goes_on(&beside, FLOOD / 100);
	check_is(wire_query(w).sq_pending, 3, "are pending");
	wire_respond(w, XROCE_RC_ACK, 2, XROCE_SYN_ACK);
	wire_send(w);
	for (i = 0; i < 3; i++)
		wire_completes(w);
	wire_untouched(w);
	wire_close(&beside);
}

/* --- At random. */

#define STEPS	10000ul
#define BUSY	8u		/* work requests outstanding */

/**
 * struct history - what has been posted and said since the connection was made. All PSNs are
 *		    counted from the first one
 * @posted: work requests
 * @done: those that are complete
 * @next: PSN of the next one
 * @said: PSN before which the peer has said to have executed everything
 * @work: by number % BUSY
 * @work.psn: first PSN
 * @work.len: bytes
 * @work.read: it is a READ
 */
struct history {
	uint32_t posted;
	uint32_t done;
	uint32_t next;
	uint32_t said;
	struct {
		uint32_t psn;
		uint32_t len;
		bool read;
	} work[BUSY];
};

static uint32_t packets(uint32_t len)
{
	return (len + MTU - 1) / MTU;
}

static void post_some(struct wire *w, struct history *h)
{
	uint32_t at = h->posted % BUSY;

	if (h->posted - h->done == BUSY)
		return;
	h->work[at].psn = h->next;
	h->work[at].len = 1 + rng_below(INTO_LEN);
	h->work[at].read = fuzz_once_in(3);
	wire_post(w, h->posted, h->work[at].read, h->work[at].len);
	h->next += packets(h->work[at].len);
	h->posted++;
}

static void says(struct history *h, uint32_t psn)
{
	if (psn <= h->next && psn > h->said)
		h->said = psn;
}

/* A packet of the response to a READ, if the PSN belongs to one. It is mostly right. */
static void read_response(struct wire *w, struct history *h, uint32_t n)
{
	uint32_t i, at = BUSY, off, end, len;

	for (i = h->done; i != h->posted; i++)
		if (n >= h->work[i % BUSY].psn &&
		    n < h->work[i % BUSY].psn + packets(h->work[i % BUSY].len))
			at = i % BUSY;
	if (at == BUSY || (!h->work[at].read && !fuzz_once_in(16)))
		return;
	off = n - h->work[at].psn;
	end = packets(h->work[at].len);
	len = off + 1 == end ? h->work[at].len - off * MTU : MTU;
	wire_respond(w, end == 1 ? XROCE_RC_READ_RESPONSE_ONLY :
			!off ? XROCE_RC_READ_RESPONSE_FIRST :
			off + 1 < end ? XROCE_RC_READ_RESPONSE_MIDDLE :
					XROCE_RC_READ_RESPONSE_LAST, n, XROCE_SYN_ACK);
	w->req.payload = fuzz_once_in(64) ? rng_below(MTU) : len;
	w->req.pad = -w->req.payload & 3;
	says(h, n + 1);
	wire_send(w);
}

/* A response of the peer; @h->said is what it may be taken to mean at most. */
static void say_something(struct wire *w, struct history *h)
{
	uint32_t n = h->next - rng_below(5 * BUSY) + 2, kind = rng_below(8), i;
	uint32_t at = h->done % BUSY;

	/* Mostly of the oldest one. */
	if (h->done != h->posted && !fuzz_once_in(3))
		n = h->work[at].psn + rng_below(packets(h->work[at].len));
	if (kind < 3) {
		read_response(w, h, n);
		return;
	}
	if (kind < 6) {
		sack(w, n, rng_below(2) ? rng_below(1100) : rng_next(), 0);
		for (i = 0; i < ARRAY_SIZE(w->req.sack_bits); i++)
			w->req.sack_bits[i] = rng_next();
		w->req.xth_cut = fuzz_once_in(16) ? rng_below(137) : 0;
		w->req.syndrome = fuzz_once_in(16) ? rng_next() : w->req.syndrome;
		says(h, n);
	} else if (kind == 6) {
		wire_respond(w, XROCE_RC_ACK, n, fuzz_once_in(2) ? XROCE_SYN_NAK_SEQ :
							     XROCE_SYN_RNR | 1);
		says(h, n);
	} else {
		wire_respond(w, XROCE_RC_ACK, n, XROCE_SYN_ACK);
		says(h, n + 1);
	}
	wire_send(w);
}

/* Take completions. Return: false: the connection has ended. */
static bool take(struct wire *w, struct history *h)
{
	struct xroce_cqe cqe;
	uint32_t at;

	while (xroce_cq_poll(w->cq, &cqe, 1) == 1) {
		if (cqe.status)
			return false;
		at = h->done % BUSY;
		check(cqe.wr_id == h->done && h->done != h->posted, "number %llu, not %u",
		      cqe.wr_id, h->done);
		check(h->work[at].psn + packets(h->work[at].len) <= h->said,
		      "PSN %u is complete, and executed is what is before %u", h->work[at].psn,
		      h->said);
		h->done++;
	}
	return true;
}

static bool anew(struct wire *w, struct history *h)
{
	struct xroce_cqe cqe;

	*h = (struct history){};
	if (!wire_again(w) || !wire_no_timeout(w))
		return false;
	while (xroce_cq_poll(w->cq, &cqe, 1) == 1)
		;
	return true;
}

WIRE_TEST(sack_fuzz, "Q4 Q5 P2", "complete is only what the peer has said to have executed", &rc)
{
	unsigned long steps = setting("XROCE_FUZZ_PACKETS", STEPS), i, ends = 0, done = 0;
	struct packet got;
	struct history h;
	uint32_t at;

	fuzz_begin();
	if (!anew(w, &h))
		return;
	memset(w->mem, 0x3c, WIRE_BYTES);
	for (i = 0; i < steps && !test_failed(); i++) {
		if (fuzz_once_in(3))
			post_some(w, &h);
		else
			say_something(w, &h);
		while (i % 64 == 0 && wire_take(w, 0, &got, NULL))
			;
		if (take(w, &h) && h.next < 1u << 20)
			continue;
		ends++;
		done += h.done;
		if (!anew(w, &h))
			return;
	}
	note("%lu work requests complete, %lu connections", done + h.done, ends + 1);
	for (at = 0; at < WIRE_BYTES; at++)
		if ((at < WIRE_INTO || at >= WIRE_INTO + INTO_LEN) &&
		    !check(w->mem[at] == 0x3c, "byte %u has changed", at))
			break;
	check(anew(w, &h), "again");
	wire_goes_on(w, 0);
}

TEST_MAIN(live_main);
