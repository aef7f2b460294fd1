// SPDX-License-Identifier: GPL-2.0-only
/*
 * A host on the path forges the peer's requests (ReDMArk, USENIX Security 2021), at the
 * real responder: address, number, PSN and key are those of the true peer, the MAC is not.
 * They are executed, and the true peer's PSNs are stale then. Memory that was not granted
 * to the peer stays out of reach.
 */
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "counters.h"
#include "live_mr.h"
#include "live_qp.h"
#include "mem.h"
#include "wire.h"

#define ROOM	8192u		/* offset in the region of receive buffers */
#define SPOOFED	0x5a		/* pattern of the forger's bytes */

static const struct wire_opts rc[] = {
	{ .recv = true }, { .recv = true, .ipv6 = true },
};

static const struct wire_opts uc[] = {
	{ .type = XROCE_QPT_UC }, { .type = XROCE_QPT_UC, .ipv6 = true },
};

static uint32_t psn(uint32_t n)
{
	return (WIRE_PSN + n) & XROCE_PSN_MASK;
}

/* Turn the next request into the forger's. */
static void forge(struct wire *w)
{
	w->req.src_mac[5] = 0x66;
	w->req.pattern = SPOOFED;
}

static void written(const struct wire *w, uint32_t off, uint8_t pattern)
{
	uint32_t i;

	for (i = 0; i < 64; i++)
		if (!check(w->mem[off + i] == (char)packet_pattern(pattern, i),
			   "byte %u differs", i))
			return;
}

static __u32 duplicates(const struct wire *w)
{
	struct xroce_qp_query q = { .qpn = w->qpn };

	check(!xroce_qp_query(w->x, &q), "QP_QUERY");
	return q.duplicates;
}

/*
 * The forged request is acknowledged. The peer's own request with that PSN is taken for a
 * duplicate and acknowledged without being executed. The next one is executed: the peer
 * cannot tell.
 */
static void out_of_step(struct wire *w)
{
	struct packet true_one = w->req;

	wire_send(w);
	wire_expect_ack(w, psn(0), 1);
	written(w, 0, true_one.pattern);

	forge(w);
	w->req.psn = psn(1);
	wire_send(w);
	wire_expect_ack(w, psn(1), 2);
	written(w, 0, SPOOFED);

	w->req = true_one;
	w->req.psn = psn(1);
	wire_send(w);
	wire_expect_ack(w, psn(1), 2);
	written(w, 0, SPOOFED);
	check(duplicates(w) == 1, "%u duplicates", duplicates(w));

	w->req.psn = psn(2);
	wire_send(w);
	wire_expect_ack(w, psn(2), 3);
	written(w, 0, true_one.pattern);
	w->req = true_one;
}

/*
 * A duplicate READ or atomic, for which no request is kept, is dropped: no response, no
 * change.
 */
static void no_answer(struct wire *w)
{
	static const uint8_t opcodes[] = { XROCE_RC_READ_REQUEST, XROCE_RC_FETCH_ADD };
	struct packet true_one = w->req;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(opcodes) && !test_failed(); i++) {
		wire_again(w);
		forge(w);
		wire_send(w);
		wire_expect_ack(w, psn(0), 1);
		w->req = true_one;
		w->req.opcode = opcodes[i];
		w->req.payload = 0;
		w->req.swap = 1;
		wire_counted(w, COUNTER(drop_psn));
		wire_quiet(w);
		written(w, 0, SPOOFED);
		w->req = true_one;
	}
	check(qp_state(w->x, w->qpn) == XROCE_QPS_RTS, "state %u",
	      qp_state(w->x, w->qpn));
}

/* The forger can READ what the peer may read. */
static void reads(struct wire *w)
{
	struct packet true_one = w->req, want, got;
	struct frame f;

	wire_again(w);
	memset(w->mem, 0x44, WIRE_BYTES);
	forge(w);
	w->req.opcode = XROCE_RC_READ_REQUEST;
	w->req.payload = 0;
	wire_send(w);
	want = wire_response(w, XROCE_RC_READ_RESPONSE_ONLY);
	want.syndrome = XROCE_SYN_ACK;
	want.psn = psn(0);
	want.msn = 1;
	want.payload = 64;
	if (check(wire_take(w, WIRE_MS, &got, &f), "no answer") &&
	    check(!packet_diff(&want, &got), "it differs"))
		check(!memcmp(f.bytes + f.len - XROCE_ICRC_LEN - 64, w->mem, 64),
		      "other bytes");
	wire_quiet(w);
	w->req = true_one;
}

/* The forger's message is received; the peer's is taken for a duplicate. */
static void receives(struct wire *w)
{
	struct xroce_sge_local sge = { w->mr.iova + ROOM, 64, w->mr.lkey };
	struct packet true_one = w->req;
	struct xroce_cqe cqe[2];

	wire_again(w);
	memset(w->mem, 0, WIRE_BYTES);
	check(!xroce_post_recv(w->rq, 1, &sge, 1) &&
	      !xroce_post_recv(w->rq, 2, &sge, 1), "post_recv");
	forge(w);
	w->req.opcode = XROCE_RC_SEND_ONLY;
	wire_send(w);
	wire_expect_ack(w, psn(0), 1);
	check(xroce_cq_poll(w->cq, cqe, 2) == 1 && cqe[0].wr_id == 1, "no completion");
	written(w, ROOM, SPOOFED);
	w->req = true_one;
	w->req.opcode = XROCE_RC_SEND_ONLY;
	wire_send(w);
	wire_expect_ack(w, psn(0), 1);
	check(!xroce_cq_poll(w->cq, cqe, 2), "a second completion");
	written(w, ROOM, SPOOFED);
	w->req = true_one;
}

TEST(spoof_executed, "D5", "forged requests are executed, and the peer's are taken for duplicates")
{
	struct wire w;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rc) && !test_failed(); i++) {
		if (!wire_open(&w, &rc[i]))
			return;
		out_of_step(&w);
		no_answer(&w);
		reads(&w);
		receives(&w);
		wire_close(&w);
	}
}

/* UC checks no PSN between messages: both requests are executed. */
TEST(spoof_uc_executed, "D5", "UC: forged requests are executed, and so are the peer's")
{
	struct packet true_one;
	struct wire w;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(uc) && !test_failed(); i++) {
		if (!wire_open(&w, &uc[i]))
			return;
		true_one = w.req;
		forge(&w);
		wire_counted(&w, COUNTER(write));
		written(&w, 0, SPOOFED);
		w.req = true_one;
		wire_counted(&w, COUNTER(write));
		written(&w, 0, true_one.pattern);
		wire_quiet(&w);
		wire_close(&w);
	}
}

/**
 * struct stage - a grant, and what is outside it
 * @w: the queue pair, and the granted region
 * @mem: memory of the other regions
 * @domain: a region of another protection domain
 * @right: a region of the same domain, with another right
 * @gone: key of a deregistered region
 */
struct stage {
	struct wire w;
	char *mem;
	struct xroce_mr_reg domain;
	struct xroce_mr_reg right;
	__u32 gone;
};

static struct xroce_mr_reg region(struct stage *s, __u32 pd, __u32 access)
{
	struct xroce_mr_reg mr = mr_region(pd, s->mem, MEM_PAGE);

	mr.iova = s->w.mr.iova;
	mr.access = access | XROCE_ACCESS_LOCAL_WRITE;
	check(!xroce_mr_reg(s->w.x, &mr), "MR_REG");
	return mr;
}

static bool stage(struct stage *s, const struct wire_opts *opts, uint8_t opcode)
{
	bool read = (opcode & ~XROCE_OP_SERVICE) == XROCE_RC_READ_REQUEST;
	__u32 all = XROCE_ACCESS_REMOTE_WRITE | XROCE_ACCESS_REMOTE_READ |
		    XROCE_ACCESS_REMOTE_ATOMIC;
	struct xroce_mr_reg mr;

	if (!wire_open(&s->w, opts))
		return false;
	s->mem = mem_map(1);
	if (!s->mem) {
		wire_close(&s->w);
		return false;
	}
	memset(s->mem, 0, MEM_PAGE);
	s->domain = region(s, live_pd(s->w.x), all);
	s->right = region(s, s->w.pd, read ? XROCE_ACCESS_REMOTE_WRITE :
					     XROCE_ACCESS_REMOTE_READ);
	mr = region(s, s->w.pd, all);
	s->gone = mr.rkey;
	check(!xroce_mr_dereg(s->w.x, mr.mr), "MR_DEREG");
	s->w.req.opcode = opcode;
	s->w.req.swap = 1;
	if (opcode == XROCE_RC_READ_REQUEST || opcode == XROCE_RC_FETCH_ADD)
		s->w.req.payload = 0;
	return true;
}

static void other_byte(struct stage *s)
{
	s->w.req.rkey ^= 1;
}

static void other_index(struct stage *s)
{
	s->w.req.rkey = s->gone;
}

static void other_domain(struct stage *s)
{
	s->w.req.rkey = s->domain.rkey;
}

static void other_right(struct stage *s)
{
	s->w.req.rkey = s->right.rkey;
}

static void before(struct stage *s)
{
	s->w.req.va -= 8;
}

/* An atomic accesses eight bytes. */
static void across_the_end(struct stage *s)
{
	s->w.req.va += WIRE_BYTES - (s->w.req.opcode == XROCE_RC_FETCH_ADD ? 0 : 56);
}

static void wraps(struct stage *s)
{
	s->w.req.va = -8ull;
}

static const struct beyond {
	const char *name;
	void (*make)(struct stage *s);
	__u32 cause;
	size_t counter;
} beyond[] = {
	{ "another byte of the key", other_byte, XROCE_CAUSE_ACC_KEY, COUNTER(acc_key) },
	{ "a key of the past", other_index, XROCE_CAUSE_ACC_KEY, COUNTER(acc_key) },
	{ "another domain", other_domain, XROCE_CAUSE_ACC_PD, COUNTER(acc_pd) },
	{ "another right", other_right, XROCE_CAUSE_ACC_RIGHT, COUNTER(acc_right) },
	{ "before the region", before, XROCE_CAUSE_ACC_BOUNDS, COUNTER(acc_bounds) },
	{ "across its end", across_the_end, XROCE_CAUSE_ACC_BOUNDS, COUNTER(acc_bounds) },
	{ "past all addresses", wraps, XROCE_CAUSE_ACC_BOUNDS, COUNTER(acc_bounds) },
};

static void nothing_changed(struct stage *s)
{
	uint32_t i;

	wire_untouched(&s->w);
	for (i = 0; i < MEM_PAGE && !s->mem[i]; i++)
		;
	check(i == MEM_PAGE, "byte %#x outside the grant has changed", i);
}

/* The forger gets a NAK, and the connection has ended for the true peer, too. */
static void refused(struct stage *s, const struct beyond *b)
{
	struct packet true_one = s->w.req, want;
	struct xroce_qp_query q = { .qpn = s->w.qpn };

	forge(&s->w);
	b->make(s);
	wire_send(&s->w);
	want = wire_response(&s->w, XROCE_RC_ACK);
	want.psn = psn(0);
	want.syndrome = XROCE_SYN_NAK_ACC;
	wire_expect(&s->w, &want);
	check(!xroce_qp_query(s->w.x, &q) && q.state == XROCE_QPS_ERR &&
	      q.cause == b->cause, "state %u, cause %u", q.state, q.cause);
	s->w.req = true_one;
	wire_counted(&s->w, COUNTER(drop_error));
	wire_quiet(&s->w);
	nothing_changed(s);
	wire_again(&s->w);
}

static void dropped(struct stage *s, const struct beyond *b)
{
	struct packet true_one = s->w.req;

	forge(&s->w);
	b->make(s);
	wire_counted(&s->w, b->counter);
	wire_quiet(&s->w);
	nothing_changed(s);
	s->w.req = true_one;
}

static void each(const struct wire_opts *opts, uint8_t opcode,
		 void (*try)(struct stage *s, const struct beyond *b))
{
	struct stage s;
	size_t i;

	if (!stage(&s, opts, opcode))
		return;
	for (i = 0; i < ARRAY_SIZE(beyond) && !test_failed(); i++) {
		try(&s, &beyond[i]);
		if (test_failed())
			note("%s, opcode %#x", beyond[i].name, opcode);
	}
	wire_close(&s.w);
	munmap(s.mem, MEM_PAGE);
}

TEST(spoof_not_granted, "R1 R2 R9 P2 D5", "forged requests reach nothing beyond the peer's grant")
{
	static const uint8_t opcodes[] = {
		XROCE_RC_WRITE_ONLY, XROCE_RC_READ_REQUEST, XROCE_RC_FETCH_ADD,
	};
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(rc) && !test_failed(); i++) {
		for (j = 0; j < ARRAY_SIZE(opcodes) && !test_failed(); j++)
			each(&rc[i], opcodes[j], refused);
		each(&uc[i], XROCE_OP_UC | XROCE_RC_WRITE_ONLY, dropped);
	}
}

TEST_MAIN(live_main);
