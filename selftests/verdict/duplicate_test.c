// SPDX-License-Identifier: GPL-2.0-only
/* Duplicates of what responder resources are kept for (IBTA 9.7.5.1.2). */
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

static bool stage(struct scene *s, uint8_t opcode)
{
	if (!scene_init(s))
		return false;
	scene_request(s, opcode);
	return !test_failed();
}

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

/* A READ of @bytes, and a WRITE after it; @s->req is the READ. */
static bool stage_read(struct scene *s, uint32_t bytes)
{
	struct packet req;

	if (!stage(s, XROCE_RC_READ_REQUEST))
		return false;
	s->req.dmalen = bytes;
	expect_kept(s);
	req = s->req;
	next(s, XROCE_RC_WRITE_ONLY, 64);
	s->req = req;
	return !test_failed();
}

static void read_whole(void)
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

/* From every packet of the answer on, to its end or not so far. */
static void read_rest(void)
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

/* Not what was asked for the first time. */
static void read_other(void)
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
	/* Another region, which would do as well. */
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
	/* More packets than are left of its PSNs. */
	DROPPED(s.req.psn++);
	DROPPED(s.req.psn += 2; s.req.dmalen = 1025);
	/* Before it, and the WRITE's PSN behind it. */
	DROPPED(s.req.psn--);
	DROPPED(s.req.psn += 3);
	DROPPED(s.req.opcode = XROCE_RC_CMP_SWAP);
	DROPPED(s.req.opcode = XROCE_RC_FETCH_ADD);
	DROPPED(s.req.opcode = XROCE_RC_ATOMIC_WRITE; s.req.payload = 8);
	DROPPED(s.req.opcode = XROCE_RC_FLUSH);
	DROPPED(s.req.opcode = 0x15);
	/*
	 * Memory is read again, so that it must be allowed again; the queue pair
	 * goes on if it is not.
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

/* What is sent is what was found then; nothing is executed. */
static void stored(void)
{
	static const uint64_t values[] = {
		VALUE(0), 1, 1ull << 32, 1ull << 63, -1ull, 0,
	};
	struct scene s;
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(others) && !test_failed(); i++) {
		if (!stage(&s, others[i]))
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

static void other_opcode(void)
{
	struct scene s;
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(others) && !test_failed(); i++) {
		if (!stage(&s, others[i]))
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
		/* WRITEs are not kept, and are acknowledged without. */
		s.req.opcode = XROCE_RC_WRITE_ONLY;
		expect_duplicate(&s);
	}
}

/* Of a ring of @max, the newest @max are there, and no other. */
static void ring(uint8_t max, uint32_t extra, uint32_t epsn)
{
	struct scene s;
	uint32_t n = max + extra, i;

	if (!stage(&s, XROCE_RC_FETCH_ADD))
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

static void rings(void)
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

/* READs of several packets and others, over 2^24; each of their PSNs. */
static void mixed(void)
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
		if (!stage(&s, XROCE_RC_READ_REQUEST))
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

/* The edges of what is behind the expected PSN. */
static void window(void)
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
			if (!stage(&s, others[i]))
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
 * PSNs come again after 2^24 packets. Of two that were kept under the same the
 * newer counts, wherever they are in the ring.
 */
static void newest(void)
{
	struct scene s;
	int before, wrapped;

	for (before = 0; before < 16 && !test_failed(); before++) {
		for (wrapped = 0; wrapped < 2; wrapped++) {
			if (!stage(&s, XROCE_RC_FETCH_ADD))
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

/* In the middle of a message, and of a gap. */
static void between(void)
{
	struct scene s;
	struct packet req;

	if (!stage(&s, XROCE_RC_CMP_SWAP))
		return;
	expect_kept(&s);
	s.rd.rd[0].len = VALUE(7);
	scene_put(&s);
	req = s.req;

	s.req.opcode = XROCE_RC_WRITE_FIRST;
	s.req.psn = s.qp.epsn;
	s.req.payload = 1024;
	s.req.dmalen = 2048;
	expect_write(&s);
	s.req = req;
	expect_again(&s, VALUE(7));

	s.req.psn = s.qp.epsn + 1;
	expect_nak_seq(&s);
	s.req.psn = SCENE_PSN;
	expect_again(&s, VALUE(7));
	s.req.psn = s.qp.epsn + 1;
	expect_drop(&s, COUNTER(drop_psn));

	s.req.opcode = XROCE_RC_WRITE_LAST;
	s.req.payload = 1024;
	s.req.psn = s.qp.epsn;
	expect_write(&s);

	/* In error there is silence. */
	s.req.psn = s.qp.epsn;
	expect_nak(&s, XROCE_CAUSE_INV_ORDER);
	s.req = req;
	expect_drop(&s, COUNTER(drop_error));
}

/* Another queue pair's, in the neighbouring place, are not looked at. */
static void neighbour(void)
{
	struct scene s;

	if (!stage(&s, XROCE_RC_FETCH_ADD))
		return;
	expect_kept(&s);
	native_put_rd(SCENE_QPN + 1, &s.rd);
	s.rd.rd[0].psn++;
	s.rd.rd[0].last++;
	scene_put(&s);
	expect_drop(&s, COUNTER(drop_psn));
}

static const struct test tests[] = {
	{ "duplicate_read", "D2 D5", "a READ is answered again", read_whole },
	{ "duplicate_read_rest", "D5", "the rest of a READ, from every packet on",
	  read_rest },
	{ "duplicate_read_other", "R7 D5 D6", "another READ under its PSN",
	  read_other },
	{ "duplicate_stored", "D2 D5", "an atomic's value is the one kept",
	  stored },
	{ "duplicate_opcode", "D5 D6", "another opcode under its PSN",
	  other_opcode },
	{ "duplicate_rings", "D2 D5 D6", "as many as are kept, of 1 to 128",
	  rings },
	{ "duplicate_mixed", "D2 D5", "every PSN of READs and others, over 2^24",
	  mixed },
	{ "duplicate_window", "D5 D6", "both edges of the PSN window", window },
	{ "duplicate_newest", "D5 D6", "the newer of two under one PSN", newest },
	{ "duplicate_between", "D5 D6", "within a message, a gap, an error",
	  between },
	{ "duplicate_neighbour", "D6", "resources of another queue pair",
	  neighbour },
};

int main(int argc, char **argv)
{
	return native_main(argc, argv, tests, ARRAY_SIZE(tests));
}
