// SPDX-License-Identifier: GPL-2.0-only
/* Duplicates of requests that are kept in responder resources (IBTA 9.7.5.1.2). */
#include "harness.h"
#include "scene.h"

#define PSN(n)		((n) & XROCE_PSN_MASK)
#define HALF		0x800000u	/* half the circle of PSNs */
#define OTHER_KEY	(SCENE_KEY + (1 << XROCE_KEY_SHIFT))
#define VALUE(i)	(0x0102030405060708ull * ((i) + 1))

static const uint8_t others[] = {
	XROCE_RC_CMP_SWAP, XROCE_RC_FETCH_ADD, XROCE_RC_ATOMIC_WRITE,
	XROCE_RC_FLUSH,
};

/* Another request, in order, of any opcode. */
static void next(struct scene *s, uint8_t opcode, uint32_t bytes)
{
	s->req.opcode = opcode;
	s->req.psn = s->qp.epsn;
	s->req.payload = 0;
	s->req.pad = 0;
	s->req.dmalen = bytes;
	if (opcode == XROCE_RC_WRITE_ONLY) {
		scene_payload(s, bytes);
		expect_write(s);
		return;
	}
	if (opcode == XROCE_RC_ATOMIC_WRITE)
		s->req.payload = 8;
	expect_kept(s);
}

/* Execute a READ of @bytes and a WRITE after it; @s->req is the READ again. */
static bool stage_read(struct scene *s, uint32_t bytes)
{
	struct packet req;

	if (!scene_requested(s, XROCE_RC_READ_REQUEST))
		return false;
	s->req.dmalen = bytes;
	expect_kept(s);
	req = s->req;
	next(s, XROCE_RC_WRITE_ONLY, 64);
	s->req = req;
	return !test_failed();
}

TEST(duplicate_read, "D2 D5", "a duplicate READ is executed again")
{
	static const uint32_t sizes[] = { 0, 1, 64, 1024, 1025, 4096, 65537 };
	struct scene s;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sizes) && !test_failed(); i++) {
		if (!stage_read(&s, sizes[i]))
			return;
		expect_again(&s, 0);
		s.req.ackreq = false;
		expect_again(&s, 0);
		if (test_failed())
			note("READ of %u bytes", sizes[i]);
	}
}

/* Requests that begin at any packet of the response, for its rest or for less. */
TEST(duplicate_read_rest, "D5", "a READ of the rest, from every packet on")
{
	const uint32_t bytes = 5 * 1024 + 10;
	struct scene s;
	uint32_t i;

	if (!stage_read(&s, bytes))
		return;
	for (i = 0; i <= 5 && !test_failed(); i++) {
		s.req.psn = SCENE_PSN + i;
		s.req.va = s.rd.rd[0].va + i * 1024;
		s.req.dmalen = bytes - i * 1024;
		expect_again(&s, 0);
		s.req.dmalen--;
		expect_again(&s, 0);
		s.req.dmalen = 0;
		expect_again(&s, 0);
		if (test_failed())
			note("from packet %u on", i);
	}
}

/* Requests with the READ's PSN that do not repeat it are dropped. */
TEST(duplicate_read_other, "R7 D5 D6", "another READ with the PSN of a kept one")
{
	const uint32_t bytes = 3 * 1024;
	struct scene fresh, s;
	struct xroce_mpt other;

	if (!stage_read(&fresh, bytes))
		return;
	other = fresh.mpt;
	other.key = OTHER_KEY;
#define DROPPED(change) do {						\
	s = fresh;							\
	change;								\
	scene_put(&s);							\
	expect_drop(&s, COUNTER(drop_psn));				\
	if (test_failed())						\
		note("%s", #change);					\
} while (0)
	DROPPED(s.req.rkey ^= 1);
	/* Another region that would allow the access, too. */
	native_put_mpt(OTHER_KEY >> XROCE_KEY_SHIFT, &other);
	DROPPED(s.req.rkey = OTHER_KEY);
	DROPPED(s.req.va--);
	DROPPED(s.req.va -= 1ull << 32);
	DROPPED(s.req.va++);			/* one beyond the end */
	DROPPED(s.req.va += bytes + 1; s.req.dmalen = 0);
	DROPPED(s.req.dmalen++);
	DROPPED(s.req.dmalen = XROCE_MAX_MSG);
	DROPPED(s.req.dmalen = 0xffffffff);
	DROPPED(s.req.payload = 4);
	DROPPED(s.req.pad = 1);
	DROPPED(s.req.ip_adjust = -4; s.req.udp_adjust = -4);
	/* More packets than the response has left from this PSN on. */
	DROPPED(s.req.psn++);
	DROPPED(s.req.psn += 2; s.req.dmalen = 1025);
	/* The PSN before the READ, and that of the WRITE after it. */
	DROPPED(s.req.psn--);
	DROPPED(s.req.psn += 3);
	DROPPED(s.req.opcode = XROCE_RC_CMP_SWAP);
	DROPPED(s.req.opcode = XROCE_RC_FETCH_ADD);
	DROPPED(s.req.opcode = XROCE_RC_ATOMIC_WRITE; s.req.payload = 8);
	DROPPED(s.req.opcode = XROCE_RC_FLUSH);
	DROPPED(s.req.opcode = 0x15);
	/*
	 * Memory is read again, so the access must still be allowed. If it is not, the
	 * duplicate is dropped, and the queue pair stays in its state.
	 */
	DROPPED(s.mpt.state = XROCE_MPT_INVALID);
	DROPPED(s.mpt.key ^= 1);
	DROPPED(s.mpt.pd++);
	DROPPED(s.mpt.access = XROCE_ACCESS_REMOTE_WRITE);
	DROPPED(s.mpt.length = 100);
	DROPPED(s.qp.rd_count = 0);
#undef DROPPED
	s = fresh;
	scene_put(&s);
	expect_again(&s, 0);
}

/* The response has the stored value; nothing is executed. */
TEST(duplicate_stored, "D2 D5", "a duplicate atomic is answered with the stored value")
{
	static const uint64_t values[] = {
		VALUE(0), 1, 1ull << 32, 1ull << 63, -1ull, 0,
	};
	struct scene s;
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(others) && !test_failed(); i++) {
		if (!scene_requested(&s, others[i]))
			return;
		expect_kept(&s);
		for (j = 0; j < ARRAY_SIZE(values); j++) {
			s.rd.rd[0].len = values[j];
			s.req.ackreq = j & 1;
			scene_put(&s);
			expect_again(&s, values[j]);
		}
		if (test_failed())
			note("opcode %#x", others[i]);
	}
}

TEST(duplicate_opcode, "D5 D6", "another opcode with the PSN of a kept request")
{
	struct scene s;
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(others) && !test_failed(); i++) {
		if (!scene_requested(&s, others[i]))
			return;
		expect_kept(&s);
		s.req.payload = 0;
		for (j = 0; j < ARRAY_SIZE(others) && !test_failed(); j++) {
			s.req.opcode = others[j];
			if (i != j)
				expect_drop(&s, COUNTER(drop_psn));
			if (test_failed())
				note("opcode %#x, then %#x", others[i],
				     others[j]);
		}
		s.req.opcode = XROCE_RC_READ_REQUEST;
		expect_drop(&s, COUNTER(drop_psn));
		/* WRITEs are not kept; their duplicates are acknowledged. */
		s.req.opcode = XROCE_RC_WRITE_ONLY;
		expect_duplicate(&s);
	}
}

/* A ring of @max entries has the newest @max requests, and no others. */
static void ring(uint8_t max, uint32_t extra, uint32_t epsn)
{
	struct scene s;
	uint32_t n = max + extra, i;

	if (!scene_requested(&s, XROCE_RC_FETCH_ADD))
		return;
	s.qp.rd_max = max;
	s.qp.epsn = epsn;
	scene_put(&s);
	for (i = 0; i < n && !test_failed(); i++) {
		uint8_t head = s.qp.rd_head;

		next(&s, XROCE_RC_FETCH_ADD, 0);
		s.rd.rd[head].len = VALUE(i);
		scene_put(&s);
	}
	for (i = 0; i < n && !test_failed(); i++) {
		s.req.psn = PSN(epsn + i);
		if (i < extra)
			expect_drop(&s, COUNTER(drop_psn));
		else
			expect_again(&s, VALUE(i));
		if (test_failed())
			note("%u of %u, of which %u are kept", i, n, max);
	}
}

TEST(duplicate_rings, "D2 D5 D6", "rings of 1 to 128 entries keep the newest requests")
{
	static const uint8_t sizes[] = { 1, 2, 3, 16, 127, 128 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sizes) && !test_failed(); i++) {
		ring(sizes[i], 0, SCENE_PSN);
		ring(sizes[i], 1, SCENE_PSN);
		ring(sizes[i], 3, PSN(0ull - sizes[i] / 2));
		ring(sizes[i], sizes[i], 0xffffff);
	}
}

/* READs of several packets and others, with PSNs across 2^24; duplicates of each PSN. */
TEST(duplicate_mixed, "D2 D5", "duplicates of READs and others across PSN 2^24")
{
	static const struct {
		uint8_t opcode;
		uint32_t bytes;
	} rows[] = {
		{ XROCE_RC_READ_REQUEST, 3000 }, { XROCE_RC_CMP_SWAP, 0 },
		{ XROCE_RC_WRITE_ONLY, 64 }, { XROCE_RC_READ_REQUEST, 64 },
		{ XROCE_RC_FLUSH, 64 }, { XROCE_RC_READ_REQUEST, 5000 },
		{ XROCE_RC_ATOMIC_WRITE, 8 }, { XROCE_RC_READ_REQUEST, 0 },
	};
	uint32_t first[ARRAY_SIZE(rows)];
	uint64_t va;
	struct scene s;
	uint32_t start;
	size_t i;

	for (start = PSN(-16u); start && !test_failed(); start = PSN(start + 1)) {
		if (!scene_requested(&s, XROCE_RC_READ_REQUEST))
			return;
		va = s.req.va;
		s.qp.epsn = start;
		scene_put(&s);
		for (i = 0; i < ARRAY_SIZE(rows); i++) {
			first[i] = s.qp.epsn;
			next(&s, rows[i].opcode, rows[i].bytes);
		}
		for (i = ARRAY_SIZE(rows); i-- && !test_failed();) {
			uint32_t j, n = 1;

			s.req.opcode = rows[i].opcode;
			s.req.payload = 0;
			if (s.req.opcode == XROCE_RC_READ_REQUEST)
				n = scene_packets(&s, rows[i].bytes);
			for (j = 0; j < n; j++) {
				s.req.psn = PSN(first[i] + j);
				s.req.va = va + 1024 * j;
				s.req.dmalen = rows[i].bytes - 1024 * j;
				if (s.req.opcode == XROCE_RC_WRITE_ONLY)
					expect_duplicate(&s);
				else
					expect_again(&s, 0);
			}
		}
		if (test_failed())
			note("PSNs from %#x on", start);
	}
}

/* Both ends of the range of PSNs that are behind the expected one. */
TEST(duplicate_window, "D5 D6", "both edges of the PSN window")
{
	static const struct {
		uint32_t off;
		bool ahead;
	} rows[] = {
		{ 0xffffff, false }, { 0xfffffe, false }, { HALF + 1, false },
		{ HALF, false }, { HALF - 1, true }, { 1, true },
	};
	struct scene s;
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(others); i++) {
		for (j = 0; j < ARRAY_SIZE(rows) && !test_failed(); j++) {
			if (!scene_requested(&s, others[i]))
				return;
			expect_kept(&s);
			s.qp.epsn = PSN(SCENE_PSN - rows[j].off);
			scene_put(&s);
			if (rows[j].ahead)
				expect_nak_seq(&s);
			else
				expect_again(&s, 0);
			if (test_failed())
				note("opcode %#x, %#x behind", others[i],
				     PSN(0 - rows[j].off));
		}
	}
}

/*
 * PSNs repeat after 2^24 packets. Of two entries with the same PSN the newer one counts,
 * wherever it is in the ring.
 */
TEST(duplicate_newest, "D5 D6", "the newer of two entries with the same PSN")
{
	struct scene s;
	int before, wrapped;

	for (before = 0; before < 16 && !test_failed(); before++) {
		for (wrapped = 0; wrapped < 2; wrapped++) {
			if (!scene_requested(&s, XROCE_RC_FETCH_ADD))
				return;
			s.qp.rd_head = before;
			s.qp.rd_count = wrapped ? 16 : before;
			scene_put(&s);
			expect_kept(&s);
			s.rd.rd[before].len = VALUE(1);
			s.qp.epsn = SCENE_PSN;
			scene_put(&s);
			expect_kept(&s);
			s.rd.rd[(before + 1) % 16].len = VALUE(2);
			scene_put(&s);
			expect_again(&s, VALUE(2));
			if (test_failed())
				note("at %d", before);
		}
	}
}

REQUEST_TEST(duplicate_between, "D5 D6", "duplicates within a message, in a gap, in error",
	     XROCE_RC_CMP_SWAP)
{
	struct packet req;

	expect_kept(s);
	s->rd.rd[0].len = VALUE(7);
	scene_put(s);
	req = s->req;

	s->req.opcode = XROCE_RC_WRITE_FIRST;
	s->req.psn = s->qp.epsn;
	s->req.payload = 1024;
	s->req.dmalen = 2048;
	expect_write(s);
	s->req = req;
	expect_again(s, VALUE(7));

	s->req.psn = s->qp.epsn + 1;
	expect_nak_seq(s);
	s->req.psn = SCENE_PSN;
	expect_again(s, VALUE(7));
	s->req.psn = s->qp.epsn + 1;
	expect_drop(s, COUNTER(drop_psn));

	s->req.opcode = XROCE_RC_WRITE_LAST;
	s->req.payload = 1024;
	s->req.psn = s->qp.epsn;
	expect_write(s);

	/* A queue pair in error sends no response. */
	s->req.psn = s->qp.epsn;
	expect_nak(s, XROCE_CAUSE_INV_ORDER);
	s->req = req;
	expect_drop(s, COUNTER(drop_error));
}

/* Responder resources of the queue pair in the next slot are not used. */
REQUEST_TEST(duplicate_neighbour, "D6", "resources of another queue pair are not used",
	     XROCE_RC_FETCH_ADD)
{
	expect_kept(s);
	native_put_rd(SCENE_QPN + 1, &s->rd);
	s->rd.rd[0].psn++;
	s->rd.rd[0].last++;
	scene_put(s);
	expect_drop(s, COUNTER(drop_psn));
}

TEST_MAIN(native_main);
