// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "harness.h"
#include "rng.h"
#include "shadow_message.h"

#define QUEUES		3		/* the last one is shared */
#define SHARED		(QUEUES - 1)
#define ENTRIES		4
#define EXPECTED	64		/* messages in flight on each queue pair */
#define GUARD		64u		/* bytes before, between and after elements */
#define BLANK		0xa5
#define BUFFER		(MESSAGE_MAX + 3 * GUARD)

/**
 * struct request - a receive request: two elements with a gap between
 * @buf: its buffer, BLANK when posted
 * @split: bytes of the first element
 * @posted: the server may write to @buf
 */
struct request {
	uint8_t *buf;
	uint32_t split;
	bool posted;
};

/**
 * struct queue - a receive queue
 * @rq: the queue
 * @request: its requests; used in turn unless the queue is shared
 * @next: index of the request to complete next
 */
struct queue {
	struct xroce_rq *rq;
	struct request request[ENTRIES];
	uint32_t next;
};

/**
 * struct message - a message in flight
 * @opcode: as posted
 * @len: bytes
 * @imm: immediate data
 * @solicited: whether the completion is solicited
 * @bytes: payload of a SEND
 */
struct message {
	enum ibv_wr_opcode opcode;
	uint32_t len;
	uint32_t imm;
	bool solicited;
	uint8_t *bytes;
};

/**
 * struct expected - a queue pair's messages, in order
 * @message: ring
 * @sent: messages sent
 * @got: messages received
 * @qpn: number of the server's queue pair
 * @src: number of the client's queue pair
 */
struct expected {
	struct message message[EXPECTED];
	uint32_t sent;
	uint32_t got;
	uint32_t qpn;
	uint32_t src;
};

static struct queue queues[QUEUES];
static struct expected expected[SHADOW_QPS];
static struct xroce_cq *cq;
static uint8_t *buffers;
static uint32_t lkey;
static uint8_t blank[BUFFER];

static uint32_t queue_of(uint32_t qp)
{
	return qp < SHARED ? qp : SHARED;
}

static bool buffers_open(void)
{
	struct xroce_mr_reg reg = {
		.pd = server.pd,
		.access = XROCE_ACCESS_LOCAL_WRITE,
		.length = QUEUES * ENTRIES * BUFFER,
	};
	uint32_t i;
	int err;

	if (buffers)
		return true;
	buffers = mmap(NULL, reg.length, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!check(buffers != MAP_FAILED, "no memory"))
		return false;
	reg.addr = (uintptr_t)buffers;
	reg.iova = reg.addr;
	err = xroce_mr_reg(server.x, &reg);
	lkey = reg.lkey;
	memset(blank, BLANK, sizeof(blank));
	for (i = 0; i < QUEUES * ENTRIES; i++)
		queues[i / ENTRIES].request[i % ENTRIES].buf =
			buffers + i * BUFFER;
	return check(!err, "buffers: %s", strerror(-err));
}

bool messages_open(void)
{
	uint32_t i, k;

	if (!buffers_open())
		return false;
	memset(buffers, BLANK, QUEUES * ENTRIES * BUFFER);
	for (i = 0; i < QUEUES; i++) {
		queues[i].rq = NULL;
		queues[i].next = 0;
		for (k = 0; k < ENTRIES; k++)
			queues[i].request[k].posted = false;
	}
	cq = xroce_cq_add(server.x, 64);
	queues[SHARED].rq = xroce_srq_add(server.x, server.pd, ENTRIES, 2);
	return check(cq && queues[SHARED].rq, "queues: %s", strerror(errno));
}

void messages_options(uint32_t qp, struct connection_opts *opts)
{
	opts->cq = cq;
	opts->srq = queue_of(qp) == SHARED ? queues[SHARED].rq : NULL;
	opts->rq_entries = opts->srq ? 0 : ENTRIES;
}

static void request_post(uint32_t q, uint32_t k)
{
	struct request *r = &queues[q].request[k];
	struct xroce_sge_local sge[2] = {};

	r->split = rng_below(rng_below(2) ? 300 : MESSAGE_MAX + 1);
	r->posted = true;
	sge[0].addr = (uintptr_t)r->buf + GUARD;
	sge[0].length = r->split;
	sge[0].lkey = lkey;
	sge[1].addr = sge[0].addr + r->split + GUARD;
	sge[1].length = MESSAGE_MAX - r->split;
	sge[1].lkey = lkey;
	check_is(xroce_post_recv(queues[q].rq, (uint64_t)q << 32 | k, sge, 2), 0, "post_recv");
}

/* Post the free requests, in the order of their completion. */
static void queue_fill(uint32_t q)
{
	struct queue *queue = &queues[q];
	uint32_t i, k;

	for (i = 0; i < ENTRIES; i++) {
		k = (queue->next + i) % ENTRIES;
		if (!queue->request[k].posted)
			request_post(q, k);
	}
}

void messages_start(uint32_t qp, const struct connection *c)
{
	uint32_t q = queue_of(qp);

	expected[qp].sent = 0;
	expected[qp].got = 0;
	expected[qp].qpn = c->qpn;
	expected[qp].src = c->qp->qp_num;
	if (q != SHARED)
		queues[q].rq = c->rq;
	queue_fill(q);
}

static bool is_send(enum ibv_wr_opcode opcode)
{
	return opcode == IBV_WR_SEND || opcode == IBV_WR_SEND_WITH_IMM;
}

void message_expect(uint32_t qp, const struct requester_op *op)
{
	struct expected *e = &expected[qp];
	struct message *m = &e->message[e->sent % EXPECTED];

	if (!check(e->sent - e->got < EXPECTED, "too many messages"))
		return;
	if (!m->bytes)
		m->bytes = malloc(MESSAGE_MAX);
	if (!check(m->bytes, "no memory"))
		return;
	e->sent++;
	m->opcode = op->opcode;
	m->len = op->len;
	m->solicited = op->solicited;
	m->imm = op->imm;
	if (is_send(op->opcode))
		memcpy(m->bytes, client.buf + op->off, op->len);
}

static void compare_cqe(uint32_t qp, const struct xroce_cqe *got,
			const struct message *m)
{
	bool imm = m->opcode != IBV_WR_SEND;
	struct xroce_cqe want = {
		.wr_id = got->wr_id,
		.opcode = is_send(m->opcode) ? XROCE_WC_RECV :
					       XROCE_WC_RECV_RDMA_WITH_IMM,
		.byte_len = m->len,
		.imm_or_key = imm ? m->imm : 0,
		.qpn = expected[qp].qpn,
		.src_qpn = expected[qp].src,
		.flags = (imm ? XROCE_WC_WITH_IMM : 0) |
			 (m->solicited ? XROCE_WC_SOLICITED : 0),
		.pkey = 0xffff,
	};

	check(!memcmp(got, &want, sizeof(want)),
	      "QP %u, message %u of %u bytes: status %u opcode %u byte_len %u imm %#x src %#x flags %#x",
	      qp, expected[qp].got, m->len, got->status, got->opcode,
	      got->byte_len, got->imm_or_key, got->src_qpn, got->flags);
}

/* Check that exactly @len bytes were written, and make the buffer BLANK again. */
static void compare_bytes(const struct request *r, const uint8_t *bytes,
			  uint32_t len)
{
	uint32_t a = len < r->split ? len : r->split, b = len - a;
	uint8_t *first = r->buf + GUARD, *second = first + r->split + GUARD;

	check(!memcmp(first, bytes, a) && !memcmp(second, bytes + a, b),
	      "a message of %u bytes differs", len);
	memset(first, BLANK, a);
	memset(second, BLANK, b);
	check(!memcmp(r->buf, blank, b ? second + b + GUARD - r->buf :
					 first + a + GUARD - r->buf),
	      "bytes beside a message of %u", len);
}

static void message_got(const struct xroce_cqe *cqe)
{
	uint32_t q = cqe->wr_id >> 32, k = (uint32_t)cqe->wr_id, qp;
	const struct message *m;
	struct request *r;

	for (qp = 0; qp < SHADOW_QPS && expected[qp].qpn != cqe->qpn; qp++)
		;
	if (!check(qp < SHADOW_QPS && q == queue_of(qp) && k < ENTRIES &&
		   queues[q].request[k].posted && expected[qp].got != expected[qp].sent,
		   "unexpected completion: wr_id %#llx, QP %#x", cqe->wr_id, cqe->qpn))
		return;
	check(q == SHARED || k == queues[q].next, "request %u, not %u", k,
	      queues[q].next);
	m = &expected[qp].message[expected[qp].got % EXPECTED];
	compare_cqe(qp, cqe, m);
	expected[qp].got++;
	r = &queues[q].request[k];
	compare_bytes(r, m->bytes, is_send(m->opcode) ? m->len : 0);
	r->posted = false;
	queues[q].next = (k + 1) % ENTRIES;
}

void messages_poll(void)
{
	struct xroce_cqe cqe;
	uint32_t q;
	int n;

	while ((n = xroce_cq_poll(cq, &cqe, 1)) > 0 && !test_failed())
		message_got(&cqe);
	check(n >= 0, "completion queue: %s", strerror(-n));
	for (q = 0; q < QUEUES; q++)
		if (rng_below(2))
			queue_fill(q);
}

void messages_finish(void)
{
	uint32_t qp, i;

	messages_poll();
	for (qp = 0; qp < SHADOW_QPS; qp++)
		check(expected[qp].got == expected[qp].sent,
		      "QP %u sent %u messages, %u arrived", qp, expected[qp].sent,
		      expected[qp].got);
	for (i = 0; i < QUEUES * ENTRIES; i++)
		check(!memcmp(buffers + i * BUFFER, blank, BUFFER),
		      "bytes outside of messages were written");
}

void messages_close(void)
{
	int err = queues[SHARED].rq ? xroce_srq_del(queues[SHARED].rq) : 0;

	check(!err, "shared receive queue: %s", strerror(-err));
	err = cq ? xroce_cq_del(cq) : 0;
	check(!err, "completion queue: %s", strerror(-err));
	cq = NULL;
}
