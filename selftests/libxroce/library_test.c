// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions of libxroce that are more than a command of the module: connecting a queue
 * pair, waiting for completions, deleting queues in any order.
 */
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "live_qp.h"

/* The parameters to connect a queue pair of @type. */
static struct xroce_connect both_ends(__u32 qpn, __u32 type)
{
	struct xroce_qp_modify m = qp_change_of(type, qpn, 0, 0);
	struct xroce_connect c = {
		.size = sizeof(c),
		.qpn = qpn,
		.access = m.access,
		.dest_qpn = m.dest_qpn,
		.rq_psn = m.rq_psn,
		.qkey = 0x1234,
	};

	memcpy(c.sgid, m.sgid, sizeof(c.sgid));
	memcpy(c.dgid, m.dgid, sizeof(c.dgid));
	return c;
}

static struct xroce_qp_query query(struct xroce *x, __u32 qpn)
{
	struct xroce_qp_query q = { .qpn = qpn };

	check_is(xroce_qp_query(x, &q), 0, "query");
	return q;
}

PD_TEST(library_connect, "U3", "connect each type from RESET to RTS, with defaults")
{
	struct xroce_qp_query q;
	struct xroce_connect c;
	__u32 type;
	int ret;

	for (type = XROCE_QPT_RC; type <= XROCE_QPT_UD; type++) {
		c = both_ends(qp_of_type(x, pd, type, XROCE_QPS_RESET), type);
		ret = xroce_qp_connect(x, &c);
		q = query(x, c.qpn);
		check(!ret && q.state == XROCE_QPS_RTS, "type %u: %d, state %u",
		      type, ret, q.state);
		check(q.pkey == 0xffff && q.ttl == 64, "pkey %#x, ttl %u", q.pkey, q.ttl);
		if (type == XROCE_QPT_UD)
			check(q.qkey == c.qkey, "queue key %#x", q.qkey);
		else
			check(q.access == c.access && q.path_mtu == XROCE_MTU_1024 &&
			      q.dest_qpn == c.dest_qpn, "access %#x, MTU %u, peer %#x",
			      q.access, q.path_mtu, q.dest_qpn);
		if (type == XROCE_QPT_RC)
			check(q.min_rnr_timer == 12 && q.max_dest_rd_atomic == 16,
			      "RNR timer %u, %u resources", q.min_rnr_timer,
			      q.max_dest_rd_atomic);
		/* A queue pair that is connected stays so if it is connected again. */
		ret = xroce_qp_connect(x, &c);
		check(ret == -EINVAL && qp_state(x, c.qpn) == XROCE_QPS_RTS,
		      "again: %d", ret);
	}
	/* Attributes that are given replace the defaults. */
	c = both_ends(qp_in(x, pd, XROCE_QPS_RESET), XROCE_QPT_RC);
	c.pkey = 0x8001;
	c.path_mtu = XROCE_MTU_4096;
	c.min_rnr_timer = 1;
	c.max_dest_rd_atomic = 1;
	c.sport = 0xc123;
	c.tos = 8;
	c.ttl = 3;
	ret = xroce_qp_connect(x, &c);
	q = query(x, c.qpn);
	check(!ret && q.pkey == c.pkey && q.path_mtu == c.path_mtu &&
	      q.min_rnr_timer == 1 && q.max_dest_rd_atomic == 1 &&
	      q.sport == c.sport && q.tos == 8 && q.ttl == 3, "%d: attributes", ret);
}

HANDLE_TEST(library_connect_refused, "U3", "after a failed connect the queue pair is in RESET")
{
	struct xroce_connect good, c;
	int ret;

	good = both_ends(qp_in(x, live_pd(x), XROCE_QPS_RESET), XROCE_QPT_RC);
	c = good;
	c.size = sizeof(c.size);	/* no queue pair */
	check(xroce_qp_connect(x, &c) == -EINVAL, "size");
	c = good;
	c.qpn ^= 1u << 22;
	check(xroce_qp_connect(x, &c) == -ENOENT, "another queue pair number");
	/*
	 * Refused by the move to INIT, then to RTR: it is in RESET again and can be
	 * connected.
	 */
	c = good;
	c.access = XROCE_ACCESS_LOCAL_WRITE;
	ret = xroce_qp_connect(x, &c);
	check(ret == -EINVAL && qp_state(x, c.qpn) == XROCE_QPS_RESET, "access: %d", ret);
	c = good;
	memset(c.sgid, 0, sizeof(c.sgid));
	ret = xroce_qp_connect(x, &c);
	check(ret == -EINVAL && qp_state(x, c.qpn) == XROCE_QPS_RESET, "sgid: %d", ret);
	ret = xroce_qp_connect(x, &good);
	check(!ret && qp_state(x, c.qpn) == XROCE_QPS_RTS, "then: %d", ret);
}

/* Replaces libc's for the library: counts how often the library sleeps. */
static int epoll_waits;

int epoll_wait(int fd, struct epoll_event *events, int n, int timeout)
{
	__atomic_add_fetch(&epoll_waits, 1, __ATOMIC_RELAXED);
	return syscall(SYS_epoll_pwait, fd, events, n, timeout, NULL, 0);
}

/* A queue pair with a receive work request, which is completed when the QP goes to ERR. */
struct sleeper {
	struct xroce *x;
	struct xroce_cq *cq;
	struct xroce_rq *rq;
	__u32 qpn;
};

static bool sleeper_open(struct sleeper *s, struct xroce *x, __u32 pd)
{
	struct xroce_qp_add add = {
		.pd = pd, .type = XROCE_QPT_RC, .rq_entries = 4, .rq_max_sge = 1,
	};
	struct xroce_connect c;

	*s = (struct sleeper){ .x = x, .cq = xroce_cq_add(x, 16) };
	if (!check(s->cq, "CQ_ADD"))
		return false;
	add.recv_cq = xroce_cq_id(s->cq);
	if (!check(!xroce_qp_create(x, &add, &s->rq), "QP_ADD"))
		return false;
	s->qpn = add.qpn;
	c = both_ends(s->qpn, XROCE_QPT_RC);
	return check(!xroce_qp_connect(x, &c), "connect") &&
	       check(!xroce_post_recv(s->rq, 7, NULL, 0), "post");
}

static void sleeper_close(struct sleeper *s)
{
	check(!xroce_qp_destroy(s->rq) && !xroce_cq_del(s->cq), "queues");
}

static void *stop_it(void *arg)
{
	struct sleeper *s = arg;

	/* The other thread has armed the queue, so it is about to sleep. */
	while (!__atomic_load_n(&xroce_cq_ring(s->cq)->arm, __ATOMIC_ACQUIRE))
		sched_yield();
	check(!qp_move(s->x, s->qpn, XROCE_QPS_ERR, 0), "to ERR");
	return NULL;
}

HANDLE_TEST(library_wait, "U3", "a wait is woken only by its own completion queue")
{
	struct xroce_cqe cqe[4];
	struct sleeper a, b;
	pthread_t thread;
	int n;

	if (!sleeper_open(&a, x, live_pd(x)) || !sleeper_open(&b, x, live_pd(x)))
		return;
	check(xroce_cq_wait(a.cq, cqe, 0, 0) == -EINVAL, "no room");
	n = xroce_cq_wait(a.cq, cqe, 4, 0);
	check(!n, "nothing to poll, but %d completions", n);
	n = xroce_cq_wait(a.cq, cqe, 4, 20);
	check(!n, "nothing posted, but %d completions", n);

	/* A completion wakes the thread. */
	check(!pthread_create(&thread, NULL, stop_it, &a), "thread");
	n = xroce_cq_wait(a.cq, cqe, 4, -1);
	pthread_join(thread, NULL);
	check(n == 1 && cqe[0].wr_id == 7 && cqe[0].qpn == a.qpn &&
	      cqe[0].status == XROCE_WC_WR_FLUSH_ERR, "%d completions", n);

	/*
	 * Another queue has a completion that is not taken: this thread sleeps all the
	 * same.
	 */
	xroce_cq_arm(b.cq, false);
	check(!qp_move(x, b.qpn, XROCE_QPS_ERR, 0), "to ERR");
	__atomic_store_n(&epoll_waits, 0, __ATOMIC_RELAXED);
	n = xroce_cq_wait(a.cq, cqe, 4, 200);
	check(!n && epoll_waits <= 8, "%d completions, awake %d times", n, epoll_waits);
	n = xroce_cq_wait(b.cq, cqe, 4, -1);
	check(n == 1 && cqe[0].qpn == b.qpn, "completions of the other queue: %d", n);
	sleeper_close(&a);
	sleeper_close(&b);
}

/* A work request that was posted, and that no packet has applied, is completed. */
HANDLE_TEST(library_wait_applies, "U3 W10", "a wait applies posted work requests")
{
	struct xroce_wr wr = { .wr_id = 3, .opcode = XROCE_WR_LOCAL_INV, .imm_or_key = 0x123456 };
	struct xroce_qp_add add = { .type = XROCE_QPT_RC, .send_entries = 16 };
	struct xroce_send *send;
	struct xroce_connect c;
	struct xroce_cqe cqe;
	struct xroce_cq *cq;
	int n;

	add.pd = live_pd(x);
	cq = xroce_cq_add(x, 16);
	if (!check(cq, "queue"))
		return;
	add.send_cq = xroce_cq_id(cq);
	check(!xroce_qp_create(x, &add, NULL), "QP_ADD");
	send = xroce_send_open(x, &add);
	c = both_ends(add.qpn, XROCE_QPT_RC);
	c.dmac[0] = 2;
	check(send && !xroce_qp_connect(x, &c), "connect");
	check(!xroce_post_send(send, &wr, 1) && !xroce_send_idle(send), "post");
	n = xroce_cq_wait(cq, &cqe, 1, -1);
	check(n == 1 && cqe.wr_id == 3 && cqe.status == XROCE_WC_MW_BIND_ERR,
	      "%d completions, status %u", n, cqe.status);
	check(xroce_send_idle(send), "not idle");
	xroce_send_close(send);
	check(!xroce_qp_del(x, add.qpn) && !xroce_cq_del(cq), "end");
}

HANDLE_TEST(library_wait_overflow, "U3", "an overflow ends the wait")
{
	struct xroce_cqe cqe;
	struct sleeper s;

	if (!sleeper_open(&s, x, live_pd(x)))
		return;
	/* Set the flag as the module does. */
	xroce_cq_ring(s.cq)->overflow = 1;
	check_is(xroce_cq_wait(s.cq, &cqe, 1, -1), -EOVERFLOW);
	sleeper_close(&s);
}

/* A handle and its queues. */
struct queues {
	struct xroce *x;
	struct xroce_cq *cq;
	struct xroce_send *send;
	struct xroce_rq *srq;
	struct xroce_rq *rq;
};

static bool queues_open(struct queues *q)
{
	struct xroce_qp_add add = {
		.type = XROCE_QPT_RC, .rq_entries = 4, .rq_max_sge = 1, .send_entries = 16,
	};

	q->x = live_open();
	if (!q->x)
		return false;
	add.pd = live_pd(q->x);
	q->cq = xroce_cq_add(q->x, 16);
	q->srq = xroce_srq_add(q->x, add.pd, 4, 1);
	if (!check(q->cq && q->srq, "queues"))
		return false;
	add.recv_cq = xroce_cq_id(q->cq);
	add.send_cq = add.recv_cq;
	if (!check(!xroce_qp_create(q->x, &add, &q->rq), "QP_ADD"))
		return false;
	q->send = xroce_send_open(q->x, &add);
	return check(q->send, "send queue");
}

enum { CLOSE, DEL_CQ, CLOSE_SEND, DEL_SRQ, DEL_RQ, STEPS };

/* Close or delete one of them. Return: the result; 0 if that was done before. */
static int queues_step(struct queues *q, int step)
{
	int err = 0;

	switch (step) {
	case CLOSE:
		if (q->x)
			xroce_close(q->x);
		q->x = NULL;
		break;
	case DEL_CQ:
		err = q->cq ? xroce_cq_del(q->cq) : 0;
		q->cq = err ? q->cq : NULL;
		break;
	case CLOSE_SEND:
		if (q->send)
			xroce_send_close(q->send);
		q->send = NULL;
		break;
	case DEL_SRQ:
		err = q->srq ? xroce_srq_del(q->srq) : 0;
		q->srq = err ? q->srq : NULL;
		break;
	case DEL_RQ:
		err = q->rq ? xroce_qp_destroy(q->rq) : 0;
		q->rq = err ? q->rq : NULL;
		break;
	}
	return err;
}

/* The @n-th permutation of the steps. */
static void order(int n, int step[STEPS])
{
	int left[STEPS], i, j;

	for (i = 0; i < STEPS; i++)
		left[i] = i;
	for (i = 0; i < STEPS; i++) {
		j = n % (STEPS - i);
		n /= STEPS - i;
		step[i] = left[j];
		memmove(left + j, left + j + 1, (STEPS - j - 1) * sizeof(*left));
	}
}

/* Number of rings that this process has mapped. */
static int mapped(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[512];
	int n = 0;

	while (f && fgets(line, sizeof(line), f))
		n += !!strstr(line, XROCE_DEV_PATH);
	if (f)
		fclose(f);
	return f ? n : -1;
}

/* Delete in one order. Queues that were busy are deleted in a second pass. */
static void close_in_order(int n)
{
	int step[STEPS], i, err;
	struct queues q = {};

	order(n, step);
	if (!queues_open(&q))
		return;
	check(mapped() == 4, "%d rings", mapped());
	for (i = 0; i < STEPS; i++) {
		err = queues_step(&q, step[i]);
		check(!err || (err == -EBUSY && q.x), "order %d, step %d: %d", n, i, err);
	}
	for (i = 0; i < STEPS; i++)
		check(!queues_step(&q, step[i]), "order %d: second pass", n);
	check(!mapped(), "order %d: %d rings", n, mapped());
}

TEST(library_any_order, "U3", "queues and handle are closed in all 120 orders")
{
	struct mallinfo2 before, after;
	int n;

	/* After the first time the C library has allocated what it keeps. */
	close_in_order(0);
	before = mallinfo2();
	for (n = 0; n < 120 && !test_failed(); n++)
		close_in_order(n);
	after = mallinfo2();
	/*
	 * The allocator's caches cause a difference of some blocks. A queue that is not freed
	 * when it is deleted right after a certain other one leaks a block in 24 orders.
	 */
	check(after.uordblks < before.uordblks + 1024, "%zd bytes left",
	      after.uordblks - before.uordblks);
	live_check_idle(LIVE_DEV);
}

/* Closing a handle destroys its objects, even if its queues are never deleted. */
TEST(library_closed_first, "U3", "close destroys all objects")
{
	struct queues q = {};

	if (!queues_open(&q))
		return;
	xroce_close(q.x);
	check(!mapped(), "%d rings", mapped());
	live_check_idle(LIVE_DEV);
	xroce_send_close(q.send);
	check(!xroce_qp_destroy(q.rq) && !xroce_srq_del(q.srq) && !xroce_cq_del(q.cq), "queues");
}

/* A queue pair is destroyed by its number, and its receive queue deleted afterwards. */
HANDLE_TEST(library_queue_pair_first, "U3", "a receive queue outlives its queue pair")
{
	struct sleeper s;

	if (!sleeper_open(&s, x, live_pd(x)))
		return;
	check(!xroce_qp_del(x, s.qpn), "QP_DEL");
	check(mapped() == 2, "%d rings", mapped());
	check(!xroce_qp_destroy(s.rq) && mapped() == 1, "receive queue");
	check(!xroce_cq_del(s.cq) && !mapped(), "completion queue");
}

/* The mapping of a file ends with the call, so a region of a file cannot be on-demand memory. */
HANDLE_TEST(library_file_on_demand, "U3 O1", "a file is not registered as on-demand memory")
{
	struct xroce_mr_reg reg = {
		.pd = live_pd(x),
		.access = XROCE_ACCESS_REMOTE_READ,
	};
	struct xroce_mr_rereg rereg = {
		.mask = XROCE_REREG_ACCESS,
		.access = XROCE_ACCESS_ON_DEMAND,
	};
	int fd = memfd_create("file", MFD_CLOEXEC);

	check(fd >= 0 && !ftruncate(fd, 4096), "file");
	check_is(xroce_mr_reg_file(x, fd, 0, &reg), 0, "pinned");
	rereg.mr = reg.mr;
	check_is(xroce_mr_rereg_file(x, fd, 0, &rereg), -EINVAL, "re-registered");
	reg.access |= XROCE_ACCESS_ON_DEMAND;
	check_is(xroce_mr_reg_file(x, fd, 0, &reg), -EINVAL, "registered");
	close(fd);
}

TEST_MAIN(live_main_no_packets);
