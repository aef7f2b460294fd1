// SPDX-License-Identifier: GPL-2.0-only
/*
 * The work that one packet or command does is bounded, however much a program has posted
 * and keeps posting; the remaining work is done later.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "counters.h"
#include "live_qp.h"
#include "mw.h"
#include "on_cpu.h"
#include "setting.h"

#define ROUNDS		200u		/* default of XROCE_BUDGET_ROUNDS */
#define CQES		65536u		/* room for whatever is posted */
#define SLOTS		1024u		/* entries of a send queue */

static struct wire w;

/*
 * Make a queue pair of @w's domain in RTS with @entries receives, and a send queue unless @send is
 * NULL. Return: its number, or 0.
 */
static __u32 new_qp(__u32 entries, struct xroce_rq **rq, struct xroce_send **send)
{
	struct xroce_qp_add add = {
		.pd = w.pd,
		.type = XROCE_QPT_RC,
		.recv_cq = xroce_cq_id(w.cq),
		.send_cq = send ? xroce_cq_id(w.cq) : 0,
		.send_entries = send ? XROCE_SEND_MIN : 0,
		.rq_entries = entries,
		.rq_max_sge = 1,
	};
	int ret = xroce_qp_create(w.x, &add, rq);
	__u32 to;

	for (to = XROCE_QPS_INIT; !ret && to <= XROCE_QPS_RTS; to++)
		ret = qp_move(w.x, add.qpn, to, to < XROCE_QPS_RTS ? qp_attrs(XROCE_QPT_RC, to) :
						send ? RTS_SEND_ATTRS : 0);
	if (!ret && send)
		*send = xroce_send_open(w.x, &add);
	return check(!ret && (!send || *send), "queue pair: %d", ret) ? add.qpn : 0;
}

static void fill(struct xroce_rq *rq, __u32 n)
{
	struct xroce_sge_local sge = { w.mr.iova, 1, w.mr.lkey };
	__u32 i;

	for (i = 0; i < n; i++)
		if (!check(!xroce_post_recv(rq, i, &sge, 1), "receive %u", i))
			break;
}

/*
 * A thread that posts and polls without end, so that the receive queue is never empty and
 * the completion queue never full.
 */
struct mover {
	struct xroce_rq_header *rq;
	struct xroce_cq_header *cq;
	__u32 entries;
	atomic_bool on;
	atomic_bool stop;
};

static void move(struct mover *m)
{
	__atomic_store_n(&m->rq->tail,
			 __atomic_load_n(&m->rq->head, __ATOMIC_ACQUIRE) + m->entries,
			 __ATOMIC_RELEASE);
	__atomic_store_n(&m->cq->head, __atomic_load_n(&m->cq->tail, __ATOMIC_ACQUIRE),
			 __ATOMIC_RELEASE);
}

static void *mover(void *arg)
{
	struct mover *m = arg;

	on_cpu(0, 1);
	while (!m->stop) {
		move(m);
		m->on = true;
	}
	return NULL;
}

static bool is_on(void *arg)
{
	return ((struct mover *)arg)->on;
}

/* One command completes at most as many receives as the queue has room for. */
TEST(budget_moving, "D5 P2", "a flush ends, though the program posts and polls")
{
	__u32 rounds = setting("XROCE_BUDGET_ROUNDS", ROUNDS), i, from, n;
	struct wire_opts opts = { .sq = MW_SQ, .cq = CQES };
	struct mover m = { .entries = XROCE_RQ_MAX };
	struct xroce_rq *rq;
	pthread_t thread;
	__u32 qpn, most = 0;

	if (!wire_open(&w, &opts))
		return;
	qpn = new_qp(XROCE_RQ_MAX, &rq, NULL);
	if (!qpn)
		return;
	m.rq = xroce_rq_ring(rq);
	m.cq = xroce_cq_ring(w.cq);
	on_cpu(0, 0);
	if (!check(!pthread_create(&thread, NULL, mover, &m), "thread"))
		return;
	check(live_wait(is_on, &m), "the thread is not running");
	for (i = 0; i < rounds && !test_failed(); i++) {
		move(&m);
		from = __atomic_load_n(&m.cq->tail, __ATOMIC_ACQUIRE);
		check(!qp_move(w.x, qpn, XROCE_QPS_ERR, 0), "ERR");
		n = __atomic_load_n(&m.cq->tail, __ATOMIC_ACQUIRE) - from;
		most = n > most ? n : most;
		check(n <= XROCE_RQ_MAX, "%u flushed of %u", n, XROCE_RQ_MAX);
	}
	m.stop = true;
	pthread_join(thread, NULL);
	check(most == XROCE_RQ_MAX, "at most %u flushed", most);
	note("at most %u flushed by one command", most);
	check(!xroce_qp_destroy(rq), "QP_DEL");
	wire_close(&w);
}

/*
 * Completions so far: receives with XROCE_WC_WR_FLUSH_ERR, and binds with
 * XROCE_WC_MW_BIND_ERR.
 */
struct seen {
	__u32 flushed;
	__u32 failed;
	__u32 want_flushed;
	__u32 want_failed;
};

static bool all_seen(void *arg)
{
	struct seen *s = arg;
	struct xroce_cqe cqe;

	while (xroce_cq_poll(w.cq, &cqe, 1) == 1) {
		s->flushed += cqe.opcode == XROCE_WC_RECV &&
			      cqe.status == XROCE_WC_WR_FLUSH_ERR;
		s->failed += cqe.opcode == XROCE_WC_BIND_MW &&
			     cqe.status == XROCE_WC_MW_BIND_ERR;
	}
	return s->flushed >= s->want_flushed && s->failed >= s->want_failed;
}

static void expect(struct seen s)
{
	check(live_wait(all_seen, &s), "patience");
	check(s.flushed == s.want_flushed && s.failed == s.want_failed,
	      "%u flushed, %u failed", s.flushed, s.failed);
}

/*
 * A packet has a work request executed that ends the queue pair, which has a full receive queue:
 * all receives are flushed.
 */
TEST(budget_much_posted, "D5", "a receive queue of the largest size is flushed completely")
{
	struct wire_opts opts = { .sq = MW_SQ, .cq = CQES };
	struct xroce_wr bad = { .opcode = XROCE_WR_BIND_MW, .length = 1 };
	struct xroce_send *send;
	struct xroce_rq *rq;
	__u32 qpn;

	if (!wire_open(&w, &opts))
		return;
	qpn = new_qp(XROCE_RQ_MAX, &rq, &send);
	if (!qpn)
		return;
	fill(rq, XROCE_RQ_MAX);
	bad.imm_or_key = mw_new(&w, XROCE_MW_TYPE_2B);
	check(!xroce_post_send(send, &bad, 1), "post");
	w.req.dqpn = qpn;
	wire_counted(&w, COUNTER(drop_error));
	expect((struct seen){ .want_flushed = XROCE_RQ_MAX, .want_failed = 1 });
	check(qp_state(w.x, qpn) == XROCE_QPS_ERR, "state");
	xroce_send_close(send);
	check(!xroce_qp_destroy(rq), "QP_DEL");
	wire_close(&w);
}

static bool idle(void *arg)
{
	(void)arg;
	return xroce_send_idle(w.send);
}

/*
 * A full queue of binds, whose last work request invalidates the key of the next packet.
 * The packet is dropped until all of them are applied, which happens without another
 * packet; then the key is refused.
 */
TEST(budget_many_binds, "W10", "no packet is executed before all posted work requests are applied")
{
	struct wire_opts opts = { .sq = SLOTS };
	struct binding b;
	__u32 i, key;

	if (!wire_open(&w, &opts))
		return;
	key = mw_bound(&w, XROCE_MW_TYPE_2B);
	b = mw_whole(&w, mw_new(&w, XROCE_MW_TYPE_1));
	b.flags = 0;
	for (i = 0; i < SLOTS - 1; i++)
		check(!mw_post_one(&w, &b), "post %u", i);
	check(!mw_post_inval(&w, i, key, 0), "post");
	w.req.rkey = key;
	wire_counted(&w, COUNTER(drop_busy));
	wire_untouched(&w);
	check(live_wait(idle, NULL), "the remaining work requests were not applied");
	check(mw_try_write(&w, key) == XROCE_CAUSE_ACC_KEY, "a WRITE with an invalidated key");
	wire_untouched(&w);
	mw_del(&w, key);
	mw_del(&w, b.rkey);
	wire_close(&w);
}

TEST_MAIN(live_main);
