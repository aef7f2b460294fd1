// SPDX-License-Identifier: GPL-2.0-only
/*
 * Receive queues, shared receive queues and completion queues: completion or flush of
 * posted requests, and notifications. Run by recv.sh.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>

#include "harness.h"
#include "live.h"
#include "receiver.h"

static short ready(void)
{
	struct pollfd pfd = {
		.fd = xroce_fd(server.x), .events = POLLIN | POLLPRI,
	};

	return poll(&pfd, 1, 0) > 0 ? pfd.revents : 0;
}

RECEIVER_TEST(flush, "D5", "transitions to ERR and to RESET flush receives", &receiver_rc)
{
	struct xroce_cqe cqe;
	uint64_t i;

	for (i = 0; i < 5; i++)
		receiver_recv(r->rq, i, 0, 100);
	receiver_state(r, XROCE_QPS_ERR);
	for (i = 0; i < 5 && receiver_wait(r, &cqe); i++)
		check(cqe.wr_id == i && cqe.status == XROCE_WC_WR_FLUSH_ERR,
		      "work request %llu, status %u", cqe.wr_id, cqe.status);
	receiver_recv(r->rq, i, 0, 100);
	receiver_query(r);
	receiver_none(r);		/* a query changes nothing */
	ready();
	check(receiver_wait(r, &cqe) && cqe.wr_id == i && cqe.status == XROCE_WC_WR_FLUSH_ERR,
	      "work request %llu, status %u", cqe.wr_id, cqe.status);
	receiver_recv(r->rq, 9, 0, 100);
	receiver_state(r, XROCE_QPS_RESET);
	receiver_query(r);
	receiver_none(r);
	check(xroce_rq_ring(r->rq)->head == 7, "receives are still posted after RESET");
}

static void take_one(struct receiver *r)
{
	struct xroce_cqe cqe;

	receiver_wait(r, &cqe);
}

TEST(arm, "D2", "poll(2), solicited or not")
{
	struct ibv_send_wr solicited = receiver_send;
	struct receiver r;

	solicited.send_flags = IBV_SEND_SOLICITED;
	if (!receiver_open(&r, &receiver_rc))
		return;
	receiver_recv(r.rq, 0, 0, 100);
	receiver_recv(r.rq, 1, 0, 100);
	receiver_recv(r.rq, 2, 0, 100);
	receiver_recv(r.rq, 3, 0, 100);

	receiver_must(&r, receiver_send, 8);
	check(!ready(), "not armed, but %#x", ready());
	check(xroce_cq_arm(r.cq, false), "armed in spite of a completion");
	take_one(&r);
	check(!xroce_cq_arm(r.cq, false) && !ready(), "armed: %#x", ready());
	receiver_must(&r, receiver_send, 8);
	check(ready() == POLLIN, "completed: %#x", ready());
	check(!xroce_cq_ring(r.cq)->arm, "still armed");
	take_one(&r);

	check(!xroce_cq_arm(r.cq, true) && !ready(), "armed: %#x", ready());
	receiver_must(&r, receiver_send, 8);
	check(!ready(), "not solicited, but %#x", ready());
	take_one(&r);
	receiver_must(&r, solicited, 8);
	check(ready() == POLLIN, "solicited: %#x", ready());
	take_one(&r);

	/* A completion with an error counts as solicited. */
	check(!xroce_cq_arm(r.cq, true), "empty");
	receiver_recv(r.rq, 4, 0, 100);
	receiver_state(&r, XROCE_QPS_ERR);
	check(ready() == POLLIN, "flushed: %#x", ready());
	receiver_close(&r);
}

/* Nothing tells the module of a receive that is posted in ERR, but poll(2) follows. */
RECEIVER_TEST(late, "D5", "poll(2) flushes receives that are posted in ERR", &receiver_rc)
{
	struct xroce_cqe cqe = {};

	receiver_state(r, XROCE_QPS_ERR);
	check(!xroce_cq_arm(r->cq, false) && !ready(), "nothing is posted");
	receiver_recv(r->rq, 7, 0, 100);
	receiver_none(r);
	check(ready() == POLLIN, "poll: %#x", ready());
	check(xroce_cq_poll(r->cq, &cqe, 1) == 1 && cqe.wr_id == 7 &&
	      cqe.status == XROCE_WC_WR_FLUSH_ERR, "work request %llu, status %u", cqe.wr_id,
	      cqe.status);
	receiver_recv(r->rq, 8, 0, 100);
	check(xroce_cq_wait(r->cq, &cqe, 1, 1000 * LIVE_PATIENCE) == 1 && cqe.wr_id == 8,
	      "xroce_cq_wait");
	/* In RESET nothing is flushed. */
	receiver_state(r, XROCE_QPS_RESET);
	check(!xroce_cq_arm(r->cq, false) && !ready(), "RESET");
	receiver_recv(r->rq, 9, 0, 100);
	check(!ready(), "flushed in RESET");
	receiver_none(r);
}

TEST(overflow, "D5", "a full completion queue")
{
	struct receiver_opts opts = receiver_rc;
	struct xroce_cqe cqe[32];
	struct xroce_async async;
	struct receiver r;
	int i, status;

	opts.cqes = XROCE_CQ_MIN;
	opts.entries = 32;
	if (!receiver_open(&r, &opts))
		return;
	for (i = 0; i < XROCE_CQ_MIN + 1; i++)
		receiver_recv(r.rq, i, 0, 100);
	for (i = 0; i < XROCE_CQ_MIN && !test_failed(); i++)
		receiver_must(&r, receiver_send, 8);
	status = receiver_do(&r, receiver_send, 8);
	check(status == IBV_WC_REM_OP_ERR, "status %d", status);
	async = receiver_event();
	check(async.type == XROCE_EVENT_CQ_ERROR &&
	      async.id == xroce_cq_id(r.cq), "event %u", async.type);
	async = receiver_event();
	check(async.type == XROCE_EVENT_QP_FATAL, "event %u", async.type);
	check(receiver_query(&r).cause == XROCE_CAUSE_OP_CQ, "cause");
	i = xroce_cq_poll(r.cq, cqe, 32);
	check(i == XROCE_CQ_MIN, "%d completions", i);
	check(xroce_cq_poll(r.cq, cqe, 32) == -EOVERFLOW, "no overflow");
	check(xroce_cq_del(r.cq) == -EBUSY, "a queue pair uses it");
	receiver_close(&r);
}

TEST(shared, "D2 D5", "shared receive queue and its limit")
{
	struct receiver_opts opts = receiver_rc;
	struct xroce_srq_query q;
	struct xroce_async async;
	struct receiver a, b;
	struct xroce_cqe cqe;
	int i;

	if (!receiver_setup())
		return;
	opts.srq = xroce_srq_add(server.x, server.other_pd, 8, 2);
	if (!check(opts.srq, "SRQ_ADD: %s", strerror(errno)))
		return;
	{
		struct xroce_cq *cq = xroce_cq_add(server.x, 16);
		struct xroce_qp_add add = {
			.pd = server.pd, .type = XROCE_QPT_RC,
			.recv_cq = xroce_cq_id(cq),
			.srq = xroce_srq_id(opts.srq),
		};
		struct xroce_rq *rq;

		i = xroce_qp_create(server.x, &add, &rq);
		check(i == -EINVAL, "another domain's: %d", i);
		check(!xroce_cq_del(cq), "CQ_DEL");
		check(!xroce_srq_del(opts.srq), "SRQ_DEL");
	}
	opts.srq = xroce_srq_add(server.x, server.pd, 8, 2);
	if (!receiver_open(&a, &opts))
		return;
	opts.cq = a.cq;
	if (!receiver_open(&b, &opts))
		return;
	receiver_fill();
	for (i = 0; i < 6; i++)
		receiver_recv(opts.srq, i, 1000 * i, 1000);
	check(!xroce_srq_limit(opts.srq, 4), "SRQ_MODIFY");
	check(xroce_srq_limit(opts.srq, 9) == -EINVAL, "limit 9 of 8");
	for (i = 0; i < 3 && !test_failed(); i++) {
		check(!ready(), "an event after %d", i);
		receiver_must(i & 1 ? &b : &a, receiver_send, 100 + i);
		if (receiver_wait(&a, &cqe))
			check(cqe.wr_id == (uint64_t)i && !cqe.status &&
			      cqe.qpn == (i & 1 ? b.qpn : a.qpn) &&
			      !memcmp(receiver_buf + 1000 * i, sender_buf,
				      100 + i), "work request %llu", cqe.wr_id);
	}
	check(ready() == POLLPRI, "%#x", ready());
	async = receiver_event();
	check(async.type == XROCE_EVENT_SRQ_LIMIT &&
	      async.id == xroce_srq_id(opts.srq), "event %u", async.type);
	check(!xroce_srq_query(opts.srq, &q) && !q.limit && q.qps == 2 &&
	      q.entries == 8 && q.max_sge == 2 && q.pd == server.pd,
	      "limit %u, %u queue pairs", q.limit, q.qps);
	receiver_must(&a, receiver_send, 9);
	check(!ready(), "the event came twice");
	check(xroce_srq_del(opts.srq) == -EBUSY, "queue pairs use it");
	/* A queue pair in ERR does not consume receives of the other. */
	receiver_state(&a, XROCE_QPS_ERR);
	take_one(&a);
	receiver_none(&a);
	receiver_must(&b, receiver_send, 9);
	take_one(&b);
	receiver_close(&b);
	receiver_close(&a);
	check(!xroce_srq_del(opts.srq), "SRQ_DEL");
}

/*
 * A program writes random values into its rings while messages arrive. The kernel must
 * survive, bytes may be written into the program's region only, and a new queue pair works
 * afterwards.
 */
struct scribble {
	struct xroce_rq_header *rq;
	struct xroce_cq_header *cq;
	volatile bool stop;
};

static void *scribbler(void *arg)
{
	uint64_t x = 88172645463325252ull;
	struct scribble *s = arg;
	uint32_t *words;
	size_t n;

	while (!s->stop) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		words = x & 1 ? (uint32_t *)s->rq : (uint32_t *)s->cq;
		switch (x >> 1 & 7) {
		case 0:		/* random indices */
			s->rq->tail = x >> 32;
			s->cq->head = x >> 20;
			break;
		case 1:		/* indices of a queue with some entries */
			s->rq->tail = s->rq->head + (x >> 40 & 15);
			s->cq->head = s->cq->tail;
			s->cq->arm = x >> 50 & 3;
			break;
		case 2:		/* the module's indices */
			s->rq->head = x >> 32;
			s->cq->tail = x >> 30;
			break;
		default:	/* entries */
			n = (XROCE_RING_HEADER + (x >> 8 & 1023)) / 4;
			words[n] = x >> 60 ? x >> 32 : receiver_lkey;
		}
	}
	return NULL;
}

TEST(hostile, "D5 P2", "rings full of random values")
{
	struct receiver_opts opts = receiver_rc;
	struct scribble s = {};
	struct receiver r;
	pthread_t thread;
	int i, k;

	if (!receiver_setup())
		return;
	receiver_fill();
	for (k = 0; k < 20 && !test_failed(); k++) {
		opts.type = k & 1 ? IBV_QPT_UC : IBV_QPT_UD;
		if (!receiver_open(&r, &opts))
			return;
		for (i = 0; i < 16; i++)
			receiver_recv(r.rq, i, 0, 2000);
		s = (struct scribble){
			xroce_rq_ring(r.rq), xroce_cq_ring(r.cq),
		};
		if (!check(!pthread_create(&thread, NULL, scribbler, &s), "thread"))
			return;
		for (i = 0; i < 50 && !test_failed(); i++)
			receiver_must(&r, receiver_send, i * 40 % 1900);
		s.stop = true;
		pthread_join(thread, NULL);
		receiver_close(&r);
	}
	connection_compare("after all that");
	while (!xroce_async_next(server.x, &(struct xroce_async){}))
		;
	if (!receiver_open(&r, &receiver_rc))
		return;
	receiver_scattered(&r, 5000);
	receiver_close(&r);
}

TEST_MAIN(connection_main);
