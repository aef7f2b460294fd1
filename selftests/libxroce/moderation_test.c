// SPDX-License-Identifier: GPL-2.0-only
/*
 * Moderation of completion events: of a queue, of a link, and who may change it.
 *
 * That nobody is woken up before the period is over can only be seen within it. A round in which
 * this took longer says nothing, and is repeated.
 */
#include <errno.h>
#include <linux/capability.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "rng.h"
#include "send_pair.h"

#define COUNT	4u
#define LONGEST	XROCE_MODERATION_USEC_MAX
#define ROUNDS	500

static bool one_polled(void *arg)
{
	return xroce_cq_poll(arg, &(struct xroce_cqe){}, 1) == 1;
}

static bool woken(struct xroce *x, int ms)
{
	struct pollfd fd = { .fd = xroce_fd(x), .events = POLLIN };

	return poll(&fd, 1, ms) == 1;
}

/* A WRITE to the other end, whose completion is in the queue when this returns. */
static void complete(struct pair *p, __u32 rkey)
{
	struct xroce_sge_local sge;
	struct xroce_wr wr = pair_request(p, XROCE_WR_RDMA_WRITE, &sge, 0, 8);

	wr.rkey = rkey;
	check(!xroce_post_send(p->a.send, &wr, 1) && live_wait(one_polled, p->cq), "WRITE");
}

/* A solicited message, which completes at both ends. */
static void solicit(struct pair *p, __u32 unused)
{
	struct xroce_sge_local to = { (uintptr_t)far, 64, p->far.lkey }, sge;
	struct xroce_wr wr = pair_request(p, XROCE_WR_SEND, &sge, 0, 8);

	(void)unused;
	wr.flags |= XROCE_SEND_SOLICITED;
	check(!xroce_post_recv(p->b.rq, 9, &to, 1) && !xroce_post_send(p->a.send, &wr, 1) &&
	      live_wait(one_polled, p->cq) && live_wait(one_polled, p->cq), "SEND");
}

static bool begin(struct pair *p, struct xroce *x)
{
	return pair_open(p, x, XROCE_QPT_RC) && pair_connect(p);
}

/* Forget an event that is left, and what is held. */
static void anew(struct pair *p, __u32 count, __u32 usec)
{
	check_is(xroce_cq_moderate(p->cq, count, usec), 0, "moderate");
	xroce_cq_arm(p->cq, false);
	complete(p, p->far.rkey);
	check_is(xroce_cq_moderate(p->cq, count, usec), 0, "moderate");
	check(woken(p->x, 0), "what is held does not make an event when the moderation changes");
	xroce_cq_arm(p->cq, false);
}

/*
 * @n completions wake up nobody, and then @last does. Return: whether all of it has been within the
 * period, so that it says something.
 */
static bool round_of(struct pair *p, __u32 n, void (*last)(struct pair *p, __u32 rkey), __u32 rkey)
{
	bool early, late;
	double end;

	anew(p, COUNT, LONGEST);
	end = clock_now() + LONGEST / 1e6;
	while (n--)
		complete(p, p->far.rkey);
	early = woken(p->x, 0);
	last(p, rkey);
	late = woken(p->x, 0);
	if (clock_now() >= end)
		return false;
	check(!early, "woken too early");
	check(late, "not woken");
	return true;
}

static void wakes_at(struct pair *p, __u32 n, void (*last)(struct pair *p, __u32 rkey), __u32 rkey)
{
	int i;

	for (i = 0; i < ROUNDS && !test_failed(); i++) {
		if (round_of(p, n, last, rkey))
			return;
		if (rkey != p->far.rkey && !pair_again(p))
			return;
	}
	check(test_failed(), "no round within the period");
}

HANDLE_TEST(moderation_count, "U3 V6", "three completions wake up nobody, the fourth does")
{
	struct pair p;

	if (begin(&p, x)) {
		wakes_at(&p, COUNT - 1, complete, p.far.rkey);
		/* Off again: the first one. */
		check_is(xroce_cq_moderate(p.cq, 0, 0), 0, "off");
		xroce_cq_arm(p.cq, false);
		complete(&p, p.far.rkey);
		check(woken(x, 0), "not woken");
	}
	pair_close(&p);
}

HANDLE_TEST(moderation_period, "U3 V6", "a single completion, when the period is over")
{
	const __u32 usec[] = { 1, 300, LONGEST, 50 };
	struct pair p;
	size_t i;

	if (begin(&p, x)) {
		for (i = 0; i < ARRAY_SIZE(usec) && !test_failed(); i++) {
			anew(&p, XROCE_MODERATION_COUNT_MAX, usec[i]);
			complete(&p, p.far.rkey);
			check(woken(x, 1000 * LIVE_PATIENCE), "period %u: not woken", usec[i]);
		}
		/* The timer of the longest one has been running meanwhile. */
		anew(&p, 2, LONGEST);
		complete(&p, p.far.rkey);
		complete(&p, p.far.rkey);
		check(woken(x, 1000 * LIVE_PATIENCE), "two: not woken");
		xroce_cq_arm(p.cq, false);
		check(!woken(x, 3 * LONGEST / 1000), "woken by nothing");
		complete(&p, p.far.rkey);
		check(woken(x, 1000 * LIVE_PATIENCE), "the period after: not woken");
	}
	pair_close(&p);
}

HANDLE_TEST(moderation_urgent, "U3 V6", "a completion that is solicited or failed, at once")
{
	struct pair p;

	if (begin(&p, x)) {
		wakes_at(&p, 1, solicit, p.far.rkey);
		wakes_at(&p, 1, complete, p.far.rkey ^ 1);
	}
	pair_close(&p);
}

/* Completions are not taken, and the queue has 16 entries. */
static bool fills(struct pair *p, struct xroce_cq *cq)
{
	struct xroce_cq_header *ring = xroce_cq_ring(cq);
	bool woken_at[16] = {};
	double end;
	__u32 n;

	check_is(xroce_cq_moderate(cq, XROCE_MODERATION_COUNT_MAX, LONGEST), 0, "moderate");
	while (one_polled(cq))
		;
	xroce_cq_arm(cq, false);
	end = clock_now() + LONGEST / 1e6;
	for (n = 0; n < 12; n++) {
		struct xroce_sge_local sge;
		struct xroce_wr wr = pair_request(p, XROCE_WR_RDMA_WRITE, &sge, 0, 8);
		__u32 tail = __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE);

		check(!xroce_post_send(p->a.send, &wr, 1), "WRITE");
		while (__atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE) == tail &&
		       clock_now() < end + LIVE_PATIENCE)
			usleep(10);
		woken_at[n] = woken(p->x, 0);
	}
	if (clock_now() >= end)
		return false;
	for (n = 0; n < 12; n++)
		check(woken_at[n] == (n == 11), "%u of 16: %s", n + 1,
		      woken_at[n] ? "woken" : "not woken");
	return true;
}

HANDLE_TEST(moderation_full, "U3 V6", "a queue that is nearly full, at once")
{
	struct xroce_cq *small = xroce_cq_add(x, 16);
	struct xroce_qp_add add;
	bool done = false;
	struct pair p;
	int i;

	if (check(small && pair_open(&p, x, XROCE_QPT_RC), "queues")) {
		/* Instead of the first end one whose sends complete in the small queue. */
		xroce_send_close(p.a.send);
		p.a.send = NULL;
		check(!xroce_qp_destroy(p.a.rq), "destroy");
		p.a.rq = NULL;
		add = pair_queues(&p);
		add.send_cq = xroce_cq_id(small);
		if (pair_end_open_with(&p, &p.a, &add) && pair_connect(&p))
			for (i = 0; i < ROUNDS && !done && !test_failed(); i++)
				done = fills(&p, small);
		check(done, "no round within the period");
	}
	pair_close(&p);
	check(!xroce_cq_del(small), "delete");
}

static int moderate(struct xroce *x, __u32 cq, __u32 count, __u32 usec)
{
	struct xroce_cq_moderate m = {
		.size = sizeof(m), .cq = cq, .count = count, .usec = usec,
	};

	return live_ioctl(xroce_fd(x), XROCE_CMD_CQ_MODERATE, &m);
}

static const struct {
	__u32 count, usec;
	int want;
} ranges[] = {
	{ 0, 0, 0 },
	{ 1, 1, 0 },
	{ XROCE_MODERATION_COUNT_MAX, XROCE_MODERATION_USEC_MAX, 0 },
	{ XROCE_MODERATION_COUNT_MAX + 1, 1, -EINVAL },
	{ XROCE_MODERATION_AUTO, 0, 0 },
	{ XROCE_MODERATION_AUTO, 1, -EINVAL },
	{ XROCE_MODERATION_AUTO - 1, 0, -EINVAL },
	{ 2, XROCE_MODERATION_USEC_MAX + 1, -EINVAL },
	/* As numbers of 16 bits they would be in range. */
	{ 0x10002, 1, -EINVAL },
	{ 2, 0x10001, -EINVAL },
	{ 0, 1, -EINVAL },
	{ 2, 0, -EINVAL },
};

HANDLE_TEST(moderation_refused, "U3", "out of range; another's queue; another's link")
{
	struct xroce_cq *cq = xroce_cq_add(x, 16);
	struct xroce *y = live_open();
	__u32 link = xroce_link(x), id;
	size_t i;

	if (!check(cq && y, "queue: %s", strerror(errno)))
		return;
	id = xroce_cq_id(cq);
	for (i = 0; i < ARRAY_SIZE(ranges); i++) {
		check_is(moderate(x, id, ranges[i].count, ranges[i].usec), ranges[i].want,
			 "a queue");
		check_is(xroce_link_moderate(link, ranges[i].count, ranges[i].usec),
			 ranges[i].want, "a link");
	}
	check_is(moderate(y, id, 2, 1), -ENOENT, "another's queue");
	check_is(moderate(x, id + 1, 2, 1), -ENOENT, "no queue");
	check_is(xroce_link_moderate(link + 1, 2, 1), -ENOENT, "no link");
	live_drop_cap(CAP_NET_ADMIN);
	check_is(xroce_link_moderate(link, 2, 1), -EPERM, "a link, without a capability");
	check_is(moderate(x, id, 2, 1), 0, "a queue, without a capability");
	check_is(moderate(y, id, 2, 1), -ENOENT, "another's queue, without a capability");
	live_restore_caps();
	check_is(xroce_link_moderate(link, XROCE_MODERATION_AUTO, 0), 0, "default");
	check(!xroce_cq_del(cq), "delete");
	xroce_close(y);
}

/* What the link says. */
static void link_has(__u32 count, __u32 usec)
{
	struct xroce_link_query q;

	check(!xroce_link_find(LIVE_DEV, &q), "LINK_QUERY");
	check(q.moderation_count == count && q.moderation_usec == usec, "%u/%u, not %u/%u",
	      q.moderation_count, q.moderation_usec, count, usec);
}

/* Whether a single completion wakes up at once. Return: 1, 0, or -1: this says nothing. */
static int at_once(struct pair *p)
{
	double end = clock_now() + LONGEST / 1e6;
	bool is;

	xroce_cq_arm(p->cq, false);
	complete(p, p->far.rkey);
	is = woken(p->x, 0);
	if (clock_now() >= end)
		return -1;
	check(is || woken(p->x, 1000 * LIVE_PATIENCE), "not woken");
	return is;
}

static void wakes_at_once(struct pair *p, bool want, const char *what)
{
	int i, is = -1;

	for (i = 0; i < ROUNDS && is < 0 && !test_failed(); i++)
		is = at_once(p);
	check(is == want, "%s: %d", what, is);
}

HANDLE_TEST(moderation_link, "U3 U1", "of a link: for queues that have none of their own")
{
	__u32 link = xroce_link(x);
	struct pair p;

	if (begin(&p, x)) {
		wakes_at_once(&p, true, "by default");
		link_has(XROCE_MODERATION_AUTO, 0);
		check_is(xroce_link_moderate(link, COUNT, LONGEST), 0, "link");
		link_has(COUNT, LONGEST);
		wakes_at_once(&p, false, "a queue that there was");
		xroce_cq_arm(p.cq, false);
		complete(&p, p.far.rkey);
		check_is(xroce_link_moderate(link, 1, 1), 0, "link");
		check(woken(x, 0), "what was held");
		link_has(0, 0);
		wakes_at_once(&p, true, "off");
		check_is(xroce_link_moderate(link, XROCE_MODERATION_AUTO, 0), 0, "auto");
		link_has(XROCE_MODERATION_AUTO, 0);
		wakes_at_once(&p, true, "auto");
	}
	pair_close(&p);
	check_is(xroce_link_moderate(link, COUNT, LONGEST), 0, "link");
	if (begin(&p, x)) {
		wakes_at_once(&p, false, "a queue made later");
		check_is(xroce_cq_moderate(p.cq, 0, 0), 0, "own: off");
		wakes_at_once(&p, true, "of its own");
		check_is(xroce_link_moderate(link, COUNT, LONGEST), 0, "link");
		wakes_at_once(&p, true, "still its own");
	}
	pair_close(&p);
	check_is(xroce_link_moderate(link, XROCE_MODERATION_AUTO, 0), 0, "default");
}

/* The timer runs while the queue, the handle or the link is deleted. */
HANDLE_TEST(moderation_gone, "U3 V6", "queue, owner and link go while the timer runs")
{
	__u32 link = xroce_link(x);
	struct xroce *y;
	struct pair p;
	int i;

	check_is(xroce_link_moderate(link, COUNT, LONGEST), 0, "link");
	for (i = 0; i < 60 && !test_failed(); i++) {
		y = live_open();
		if (!y)
			return;
		if (begin(&p, y)) {
			if (i % 3)
				xroce_cq_moderate(p.cq, 1 + rng_below(8), 1 + rng_below(2000));
			xroce_cq_arm(p.cq, false);
			complete(&p, p.far.rkey);
			usleep(rng_below(2000));
		}
		if (i % 2)
			pair_close(&p);
		xroce_close(y);
	}
	check_is(xroce_link_moderate(link, XROCE_MODERATION_AUTO, 0), 0, "default");
}

TEST_MAIN(live_main);
