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
#define SLOTS	1024u	/* entries of a send queue */
#define MARK	SCHED_IDLE	/* an argument that no other call here has */


/**
 * struct poster - a thread that posts work requests
 * @w: its queue pair
 * @one: a window of type 1
 * @two: a window of type 2B
 * @posted: binds
 * @ready: it waits for @go
 * @go: true: begin; false again: the second mark has been made
 * @done: all work requests are posted
 */
static struct poster {
	struct wire w;
	struct binding one;
	struct binding two;
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
		while (mw_post_one(&p->w, &p->one) == -ENOSPC)
			;
		p->one.length = 0;
		while (mw_post_one(&p->w, &p->one) == -ENOSPC)
			;
		p->two.rkey = xroce_inc_rkey(p->two.rkey);
		while (mw_post_two(&p->w, &p->two) == -ENOSPC)
			;
		while (mw_post_inval(&p->w, 0, p->two.rkey, 0) == -ENOSPC)
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

/* A queue pair, which the sender sends to, and two windows. */
static bool prepare(struct poster *p, struct traffic_target *target, __u32 peer)
{
	/* strace itself pins pages: do not count them at the end. */
	struct wire_opts opts = { .sq = SLOTS, .beside = true, .peer = peer };

	if (!wire_open(&p->w, &opts))
		return false;
	p->one = mw_whole(&p->w, mw_new(&p->w, XROCE_MW_TYPE_1));
	p->two = mw_whole(&p->w, mw_new(&p->w, XROCE_MW_TYPE_2B));
	p->one.flags = 0;
	p->two.flags = 0;
	target->iova = p->w.mr.iova;
	target->rkey = p->w.mr.rkey;
	target->qpn = p->w.qpn;
	return true;
}

static void finish(struct poster *p)
{
	struct xroce_cqe cqe = {};

	check(mw_completion(&p->w, &cqe) == -1, "status %u", cqe.status);
	check(mw_query(&p->w, p->one.rkey).rkey == p->one.rkey &&
	      mw_query(&p->w, p->two.rkey).rkey == p->two.rkey, "the last keys");
	wire_close(&p->w);
}

TEST(mw_posts, "W10", "10,000 binds and revocations under traffic")
{
	struct traffic *t = traffic_new();
	pthread_t thread;
	pid_t sender;
	__u32 i;

	for (i = 0; i < THREADS; i++)
		if (!prepare(&posters[i], &t->target[i], WIRE_QPN + i))
			return;
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
	for (i = 0; i < THREADS; i++)
		while (!xroce_send_idle(posters[i].w.send))
			;
	sched_get_priority_max(MARK);
	__atomic_store_n(&posters[1].go, false, __ATOMIC_RELEASE);

	pthread_join(thread, NULL);
	traffic_stop(sender);
	i = posters[0].posted + posters[1].posted;
	check(i == BINDS, "%u binds", i);
	for (i = 0; i < THREADS; i++)
		finish(&posters[i]);
}

TEST_MAIN(live_main);
