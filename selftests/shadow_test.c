// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random requests of several queue pairs, compared with a model: what each of
 * them finds, and what memory holds in the end. Run by shadow.sh.
 *
 *   file:  | area 0 | area 1 | area 2 | area 3 |  guard | words: shared, 0..3 |
 *            under the key of server.mr                   under a key of their own
 *
 * A queue pair's area and words are its own. The model executes each request
 * when it is posted, in the order that the specification demands; only what may
 * overtake (IBTA 10.8.3.3: anything after a READ) is fenced, where it would
 * change what the READ finds. On the shared words the queue pairs race: the
 * values found must form one chain, each the successor of another.
 *
 * XROCE_SEED: of the random numbers. XROCE_RUNS: requests on a clean link; an
 * impaired one gets a fifth of them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "connection.h"
#include "counters.h"
#include "harness.h"
#include "shadow.h"

#define QPS		4
#define DEPTH		16
#define RUNS		20000
#define LEN_MAX		65536u
#define SLOT		(LEN_MAX + 128)

#define AREA		(98u * 1024)
#define WORDS_OFF	(0x66000u)		/* in the file; in no area */
#define WORDS_LEN	4096u
#define WORDS_IOVA	0x123456789000ull
#define OWN_OFF		256u			/* behind the shared words */
#define OWN_LEN		960u

_Static_assert(REGION_OFF + QPS * AREA <= WORDS_OFF, "areas end before words");
_Static_assert(OWN_OFF + QPS * OWN_LEN <= WORDS_LEN, "words fit");
_Static_assert(2 * SHADOW_WORDS * sizeof(uint64_t) <= OWN_OFF, "shared words fit");

enum kind {
	WRITE,
	READ,
	FETCH_ADD,
	CMP_SWAP,
	ATOMIC_WRITE,
	SHARED_ADD,
	SHARED_SWAP,
	KINDS
};

static const char *const kind_names[KINDS] = {
	"WRITE", "READ", "FETCH_ADD", "CMP_SWAP", "ATOMIC_WRITE",
	"shared FETCH_ADD", "shared CMP_SWAP",
};

/**
 * struct slot - a request on its way
 * @op: as posted
 * @kind: what it is
 * @off: in the file
 * @word: of a shared word
 * @want: what a READ must find, or an atomic of an own word
 */
struct slot {
	struct requester_op op;
	enum kind kind;
	uint32_t off;
	uint32_t word;
	uint8_t *want;
};

/**
 * struct worker - a queue pair and its requests, completed in order
 * @c: connection
 * @slot: ring
 * @posted: requests so far
 * @done: completions so far
 */
struct worker {
	struct connection c;
	struct slot slot[DEPTH];
	uint32_t posted;
	uint32_t done;
};

static struct worker workers[QPS];
static struct shadow_word adds[SHADOW_WORDS], swaps[SHADOW_WORDS];
static struct xroce_mr_reg words;
static uint64_t random_state;
static uint64_t token;		/* of shared swaps, each another one */
static uint64_t kinds[KINDS];

/* splitmix64 */
static uint64_t random_next(void)
{
	uint64_t z = random_state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

static uint32_t below(uint32_t n)
{
	return (random_next() >> 32) % n;
}

static void random_fill(uint8_t *at, uint32_t len)
{
	uint64_t v;

	for (; len >= sizeof(v); at += sizeof(v), len -= sizeof(v)) {
		v = random_next();
		memcpy(at, &v, sizeof(v));
	}
	v = random_next();
	memcpy(at, &v, len);
}

/* Most are short, so that headers and order count, not copying. */
static uint32_t random_len(void)
{
	switch (below(16)) {
	case 0:
		return below(LEN_MAX + 1);
	case 1 ... 3:
		return below(8193);
	case 4 ... 7:
		return below(1025);
	default:
		return below(65);
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

static uint32_t shared_off(enum kind kind, uint32_t word)
{
	return WORDS_OFF + 8 * (word + (kind == SHARED_SWAP ? SHADOW_WORDS : 0));
}

static bool words_open(void)
{
	int err;

	if (words.rkey)
		return true;
	words = (struct xroce_mr_reg){
		.pd = server.pd,
		.access = ACCESS_ALL,
		.length = WORDS_LEN,
		.iova = WORDS_IOVA,
		.name = "shadow_test",
	};
	err = xroce_mr_reg_file(server.x, server.file, WORDS_OFF, &words);
	return check(!err, "words: %s", strerror(-err));
}

static enum kind random_kind(void)
{
	switch (below(32)) {
	case 0 ... 10:
		return WRITE;
	case 11 ... 20:
		return READ;
	case 21 ... 22:
		return FETCH_ADD;
	case 23 ... 24:
		return CMP_SWAP;
	case 25 ... 26:
		return ATOMIC_WRITE;
	case 27 ... 29:
		return SHARED_ADD;
	default:
		return SHARED_SWAP;
	}
}

/* Where, and how much: @s->off, length, address and key. */
static void choose_range(uint32_t w, struct slot *s)
{
	bool range = s->kind == WRITE || s->kind == READ;
	uint32_t own = WORDS_OFF + OWN_OFF + w * OWN_LEN;
	struct requester_op *op = &s->op;

	if (range && below(4)) {
		op->len = random_len();
		s->off = REGION_OFF + w * AREA + below(AREA - op->len + 1);
		op->va = IOVA + s->off - REGION_OFF;
		op->rkey = server.mr.rkey;
		return;
	}
	op->len = range ? below(200) : 8;
	if (range)
		s->off = own + below(OWN_LEN - op->len + 1);
	else
		s->off = own + 8 * below(OWN_LEN / 8);
	s->word = below(SHADOW_WORDS);
	if (s->kind == SHARED_ADD || s->kind == SHARED_SWAP)
		s->off = shared_off(s->kind, s->word);
	op->va = WORDS_IOVA + s->off - WORDS_OFF;
	op->rkey = words.rkey;
}

/* Whether it changes what a READ before it is to find. */
static bool needs_fence(const struct worker *w, const struct slot *s)
{
	uint32_t i;

	if (s->kind == READ)
		return false;
	for (i = w->done; i != w->posted; i++) {
		const struct slot *r = &w->slot[i % DEPTH];

		if (r->kind == READ && r->off < s->off + s->op.len &&
		    s->off < r->off + r->op.len)
			return true;
	}
	return false;
}

/* Opcode and operands; the model carries it out. */
static void model(struct slot *s)
{
	struct requester_op *op = &s->op;
	uint64_t found = word_at(s->off);

	switch (s->kind) {
	case WRITE:
		op->opcode = IBV_WR_RDMA_WRITE;
		random_fill(client.buf + op->off, op->len);
		memcpy(server.want + s->off, client.buf + op->off, op->len);
		return;
	case READ:
		op->opcode = IBV_WR_RDMA_READ;
		memcpy(s->want, server.want + s->off, op->len);
		memset(client.buf + op->off, 0xa5, op->len);
		return;
	case FETCH_ADD:
		op->opcode = IBV_WR_ATOMIC_FETCH_AND_ADD;
		op->operand = random_next();
		word_set(s->off, found + op->operand);
		break;
	case CMP_SWAP:
		op->opcode = IBV_WR_ATOMIC_CMP_AND_SWP;
		op->compare = below(4) ? found : random_next();
		op->operand = random_next();
		if (op->compare == found)
			word_set(s->off, op->operand);
		break;
	case ATOMIC_WRITE:
		op->opcode = IBV_WR_ATOMIC_WRITE;
		op->operand = random_next();
		word_set(s->off, op->operand);
		return;
	case SHARED_ADD:
		op->opcode = IBV_WR_ATOMIC_FETCH_AND_ADD;
		op->operand = 1 + below(1000000);
		break;
	default:
		op->opcode = IBV_WR_ATOMIC_CMP_AND_SWP;
		op->compare = swaps[s->word].guess;
		op->operand = ++token;
	}
	memcpy(s->want, &found, sizeof(found));
}

static bool post_one(uint32_t w)
{
	struct worker *worker = &workers[w];
	uint32_t place = worker->posted % DEPTH;
	struct slot *s = &worker->slot[place];
	uint8_t *want = s->want;

	*s = (struct slot){ .kind = random_kind(), .want = want };
	s->op.id = w;
	s->op.off = (w * DEPTH + place) * SLOT + below(64);
	/* Results of atomics are stored as numbers. */
	if (s->kind != WRITE && s->kind != READ)
		s->op.off &= ~7u;
	choose_range(w, s);
	s->op.fence = needs_fence(worker, s);
	model(s);
	kinds[s->kind]++;
	worker->posted++;
	return requester_post(&client, worker->c.qp, &s->op);
}

static void check_result(uint32_t w, const struct slot *s)
{
	const uint8_t *got = client.buf + s->op.off;
	uint64_t found;
	uint32_t i;

	memcpy(&found, got, sizeof(found));
	switch (s->kind) {
	case READ:
	case FETCH_ADD:
	case CMP_SWAP:
		for (i = 0; i < s->op.len && got[i] == s->want[i]; i++)
			;
		check(i == s->op.len,
		      "QP %u, request %u, %s of %u at %#x%s: byte %u is %#x, not %#x",
		      w, workers[w].done, kind_names[s->kind], s->op.len, s->off,
		      s->op.fence ? ", fenced" : "", i, got[i], s->want[i]);
		return;
	case SHARED_ADD:
		shadow_found(&adds[s->word], w, found, 0, s->op.operand);
		return;
	case SHARED_SWAP:
		shadow_found(&swaps[s->word], w, found, s->op.compare,
			     s->op.operand);
		return;
	default:
		return;
	}
}

static bool wait_one(void)
{
	struct worker *worker;
	struct ibv_wc wc;
	struct slot *s;
	uint32_t w;
	int status = requester_wait_for(&client, &wc);

	if (status < 0) {
		for (w = 0; w < QPS; w++)
			note("QP %u: %u posted, %u done", w, workers[w].posted,
			     workers[w].done);
		return check(false, "no completion");
	}
	w = wc.wr_id;
	worker = &workers[w];
	s = &worker->slot[worker->done % DEPTH];
	if (!check(status == IBV_WC_SUCCESS, "QP %u, request %u, %s of %u at %#x: %s",
		   w, worker->done, kind_names[s->kind], s->op.len, s->off,
		   ibv_wc_status_str(status)))
		return false;
	check_result(w, s);
	worker->done++;
	return !test_failed();
}

static bool in_flight(void)
{
	uint32_t w, n = 0;

	for (w = 0; w < QPS; w++)
		n += workers[w].posted - workers[w].done;
	return n;
}

static void drive(uint32_t runs)
{
	uint32_t w, posted = 0;

	while (posted < runs || in_flight()) {
		w = below(QPS);
		if (posted < runs &&
		    workers[w].posted - workers[w].done < DEPTH) {
			if (!post_one(w))
				return;
			posted++;
			continue;
		}
		if (in_flight() && !wait_one())
			return;
	}
}

/* The chains; what they end in is what memory must hold. */
static void finish_words(void)
{
	uint32_t i;

	for (i = 0; i < SHADOW_WORDS; i++) {
		word_set(shared_off(SHARED_ADD, i), shadow_adds(&adds[i]));
		word_set(shared_off(SHARED_SWAP, i), shadow_swaps(&swaps[i]));
	}
}

static bool workers_open(uint8_t timeout)
{
	static const enum ibv_mtu mtus[QPS] = {
		IBV_MTU_1024, IBV_MTU_256, IBV_MTU_4096, IBV_MTU_2048,
	};
	const struct connection_opts opts = { .timeout = timeout, .retry = 7 };
	uint32_t w, i;

	for (w = 0; w < QPS; w++) {
		struct worker *worker = &workers[w];

		for (i = 0; i < DEPTH; i++) {
			struct slot *s = &worker->slot[i];

			if (!s->want)
				s->want = malloc(LEN_MAX);
			if (!check(s->want, "no memory"))
				return false;
		}
		worker->posted = 0;
		worker->done = 0;
		if (!connection_open_opts(&worker->c, mtus[w], RIGHTS, w == 3,
					  &opts))
			return false;
	}
	for (i = 0; i < SHADOW_WORDS; i++) {
		shadow_start(&adds[i], word_at(shared_off(SHARED_ADD, i)));
		shadow_start(&swaps[i], word_at(shared_off(SHARED_SWAP, i)));
	}
	return true;
}

static uint64_t setting(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text && *text ? strtoull(text, NULL, 0) : otherwise;
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static void report(const struct xroce_stat *before, double seconds, uint32_t runs)
{
	struct xroce_stat after;

	counters_read(server.stat, &after);
	note("%u requests in %.1f s; WRITE %llu, READ %llu, FETCH_ADD %llu, CMP_SWAP %llu, ATOMIC_WRITE %llu, shared %llu",
	     runs, seconds, (long long)kinds[WRITE], (long long)kinds[READ],
	     (long long)kinds[FETCH_ADD], (long long)kinds[CMP_SWAP],
	     (long long)kinds[ATOMIC_WRITE],
	     (long long)(kinds[SHARED_ADD] + kinds[SHARED_SWAP]));
#define MOVED(name)	(after.name - before->name)
	note("packets %llu, queued %llu, duplicate %llu, nak_seq %llu, drop_psn %llu, drop_icrc %llu, drop_busy %llu, drop_reply %llu",
	     MOVED(rx), MOVED(queued), MOVED(duplicate), MOVED(nak_seq),
	     MOVED(drop_psn), MOVED(drop_icrc), MOVED(drop_busy),
	     MOVED(drop_reply));
	check(!MOVED(nak_inv) && !MOVED(nak_acc) && !MOVED(nak_op) &&
	      !MOVED(drop_error), "a request has been refused");
#undef MOVED
}

/* The next test is not to suffer from this one's failure. */
static void start_afresh(void)
{
	struct ibv_wc wc;

	while (ibv_poll_cq(client.cq, 1, &wc) > 0)
		;
	check(pread(server.file, server.want, FILE_SIZE, 0) == FILE_SIZE,
	      "file: %s", strerror(errno));
}

static void shadow(uint32_t runs, uint8_t timeout)
{
	struct xroce_stat before;
	double begun;
	uint32_t w;

	random_state = setting("XROCE_SEED", time(NULL));
	note("XROCE_SEED=%llu", (long long)random_state);
	memset(kinds, 0, sizeof(kinds));
	if (!connection_setup_sized(QPS * DEPTH * SLOT) || !words_open() ||
	    !workers_open(timeout))
		return;
	counters_read(server.stat, &before);
	begun = now();
	drive(runs);
	report(&before, now() - begun, runs);
	if (!test_failed()) {
		finish_words();
		connection_compare("in the end");
	}
	for (w = 0; w < QPS; w++)
		connection_close(&workers[w].c);
	if (test_failed())
		start_afresh();
}

/* Both directions: c0 sends through one netem, what it receives went through i0. */
static bool impair(const char *how)
{
	static const char *const devs[] = { "c0", "i0" };
	char command[256];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(devs); i++) {
		snprintf(command, sizeof(command),
			 "tc qdisc replace dev %s root netem limit 20000 %s",
			 devs[i], how);
		if (!check(!system(command), "%s", command))
			return false;
	}
	return true;
}

static void impaired(const char *how)
{
	if (impair(how))
		shadow(setting("XROCE_RUNS", RUNS) / 5, 14);
	impair("");
}

static void clean(void)
{
	shadow(setting("XROCE_RUNS", RUNS), 18);
}

static void loss(void)
{
	impaired("loss 1%");
}

static void duplicate(void)
{
	impaired("duplicate 1%");
}

/* One in fifty is late. */
static void reorder(void)
{
	impaired("delay 1ms reorder 98%");
}

static void corrupt(void)
{
	impaired("corrupt 0.1%");
}

static const struct test tests[] = {
	{ "clean", "D2 D3 D4 D5", "all as in the model", clean },
	{ "loss", "D2 D3 D4 D5", "1% lost, both ways", loss },
	{ "duplicate", "D2 D3 D4 D5", "1% twice, both ways", duplicate },
	{ "reorder", "D2 D3 D4 D5", "2% late, both ways", reorder },
	{ "corrupt", "D2 D3 D4 D5", "0.1% with a wrong bit, both ways", corrupt },
};

int main(int argc, char **argv)
{
	int status = harness_main(argc, argv, tests, ARRAY_SIZE(tests));

	connection_teardown();
	return status;
}
