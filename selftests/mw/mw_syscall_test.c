// SPDX-License-Identifier: GPL-2.0-only
/*
 * 10,000 binds and as many revocations, by two threads, under traffic. Between two calls of
 * sched_get_priority_max(2), which serve as marks, there must be no system call:
 * mw_syscall.sh checks that with strace. When the queue is full, arriving packets make
 * room.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "live_qp.h"
#include "mw.h"
#include "traffic.h"

#define PEER	"c0"
#define BINDS	10000u
#define THREADS	2u
#define MARK	SCHED_IDLE	/* an argument that no other call here has */

/* strace itself pins pages: do not count them at the end. */
static const struct wire_opts opts = { .sq = XROCE_SQ_MAX, .beside = true };
static struct wire w;

/**
 * struct poster - a thread that posts work requests
 * @one: a window of type 1
 * @two: a window of type 2B
 * @posted: binds
 * @ready: it waits for @go
 * @go: true: begin; false again: the second mark has been made
 * @done: all work requests are posted
 */
static struct poster {
	struct xroce_bind one;
	struct xroce_bind two;
	__u32 posted;
	bool ready;
	bool go;
	bool done;
} posters[THREADS];

static void post(struct poster *p)
{
	__u32 i;

	__atomic_store_n(&p->ready, true, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&p->go, __ATOMIC_ACQUIRE))
		;
	for (i = 0; i < BINDS / THREADS / 2; i++) {
		p->one.length = WIRE_BYTES;
		while (xroce_bind_mw(w.sq, &p->one) == -ENOSPC)
			;
		p->one.length = 0;
		while (xroce_bind_mw(w.sq, &p->one) == -ENOSPC)
			;
		p->two.rkey = xroce_inc_rkey(p->two.rkey);
		while (xroce_post_bind(w.sq, &p->two) == -ENOSPC)
			;
		while (xroce_post_local_inv(w.sq, 0, w.qpn, p->two.rkey, 0) ==
		       -ENOSPC)
			;
		p->posted += 2;
	}
	__atomic_store_n(&p->done, true, __ATOMIC_RELEASE);
}

static void *thread_main(void *arg)
{
	const struct poster *p = arg;

	post(arg);
	while (__atomic_load_n(&p->go, __ATOMIC_ACQUIRE))
		;
	return NULL;
}

static void prepare(struct poster *p)
{
	p->one = mw_whole(&w, mw_new(&w, XROCE_MW_TYPE_1));
	p->two = mw_whole(&w, mw_new(&w, XROCE_MW_TYPE_2B));
	p->one.flags = 0;
	p->two.flags = 0;
}

static void no_system_call(void)
{
	struct traffic *t = traffic_new();
	struct xroce_cqe cqe;
	pthread_t thread;
	pid_t sender;
	__u32 i;

	if (!wire_open(&w, &opts))
		return;
	for (i = 0; i < THREADS; i++)
		prepare(&posters[i]);
	t->target[0].qpn = qp_in(w.x, w.pd, XROCE_QPS_RTS);
	t->target[0].iova = w.mr.iova;
	t->target[0].rkey = w.mr.rkey;
	sender = traffic_start(t, PEER, LIVE_DEV);
	note("sender %d", sender);
	traffic_goes_on(t, 5);
	check(!pthread_create(&thread, NULL, thread_main, &posters[1]),
	      "thread");
	while (!__atomic_load_n(&posters[1].ready, __ATOMIC_ACQUIRE))
		;

	sched_get_priority_max(MARK);
	posters[0].go = true;
	__atomic_store_n(&posters[1].go, true, __ATOMIC_RELEASE);
	post(&posters[0]);
	while (!__atomic_load_n(&posters[1].done, __ATOMIC_ACQUIRE))
		;
	while (!xroce_sq_idle(w.sq))
		;
	sched_get_priority_max(MARK);
	__atomic_store_n(&posters[1].go, false, __ATOMIC_RELEASE);

	pthread_join(thread, NULL);
	traffic_stop(sender);
	i = posters[0].posted + posters[1].posted;
	check(i == BINDS, "%u binds", i);
	check(mw_completion(&w, &cqe) == -1, "status %u", cqe.status);
	check(!xroce_sq_ring(w.sq)->lost, "lost");
	for (i = 0; i < THREADS; i++)
		check(mw_query(&w, posters[i].one.rkey).rkey ==
		      posters[i].one.rkey &&
		      mw_query(&w, posters[i].two.rkey).rkey ==
		      posters[i].two.rkey, "the last keys");
	wire_close(&w);
}

static const struct test tests[] = {
	{ "mw_posts", "W10", "10,000 binds and revocations under traffic",
	  no_system_call },
};

int main(int argc, char **argv)
{
	return live_main(argc, argv, tests, ARRAY_SIZE(tests));
}
