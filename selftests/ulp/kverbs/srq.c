// SPDX-License-Identifier: GPL-2.0-only
/* Rows: a consumer in the kernel has a shared receive queue. */
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/string.h>
#include <rdma/ib_verbs.h>

#include "kverbs.h"

#define KV_SHARED	31u	/* work requests in the shared queue */
#define KV_LIMIT	4u

/**
 * struct kv_shared - a shared receive queue, which b's queue pair uses
 * @kv: the test
 * @srq: the queue
 * @limit: limit events of @srq
 * @last: last WQE events of the queue pair
 * @fatal: its fatal events
 * @ret: what posting in an interrupt has returned
 */
struct kv_shared {
	struct kv *kv;
	struct ib_srq *srq;
	atomic_t limit, last, fatal;
	int ret;
};

static void kv_srq_event(struct ib_event *event, void *context)
{
	struct kv_shared *s = context;

	if (event->event == IB_EVENT_SRQ_LIMIT_REACHED && event->element.srq == s->srq)
		atomic_inc(&s->limit);
}

static void kv_qp_event(struct ib_event *event, void *context)
{
	struct kv_shared *s = context;

	if (event->element.qp != s->kv->b.qp)
		return;
	if (event->event == IB_EVENT_QP_LAST_WQE_REACHED)
		atomic_inc(&s->last);
	if (event->event == IB_EVENT_QP_FATAL)
		atomic_inc(&s->fatal);
}

/* Wait for an event. Return: how many have come. */
static int kv_events(atomic_t *count)
{
	unsigned long end = jiffies + 5 * HZ;

	while (!atomic_read(count) && time_before(jiffies, end))
		usleep_range(100, 200);
	/* For one too many. */
	msleep(20);
	return atomic_read(count);
}

static int kv_shared_up(struct kv *kv, struct kv_shared *s)
{
	struct ib_srq_init_attr init = {
		.event_handler = kv_srq_event,
		.srq_context = s,
		.attr = { .max_wr = KV_SHARED, .max_sge = 1 },
		.srq_type = IB_SRQT_BASIC,
	};

	*s = (struct kv_shared){ .kv = kv };
	s->srq = ib_create_srq(kv->b.pd, &init);
	if (IS_ERR(s->srq))
		return PTR_ERR(s->srq);
	return kv_qp(&kv->b, s->srq, kv_qp_event, s) ?: kv_connect(kv);
}

/* A queue that a queue pair uses cannot be destroyed. */
static int kv_shared_down(struct kv *kv, struct kv_shared *s, int ret)
{
	int busy, gone;

	if (IS_ERR(s->srq))
		return ret;
	busy = ib_destroy_srq_user(s->srq, NULL);
	ib_destroy_qp(kv->b.qp);
	kv->b.qp = NULL;
	gone = ib_destroy_srq_user(s->srq, NULL);
	if (!ret)
		expect(busy, -EBUSY);
	expect(gone, 0);
	return ret;
}

/* Run @fn with a shared queue. */
static int kv_with_srq(struct kv *kv, int (*fn)(struct kv *kv, struct kv_shared *s))
{
	struct kv_shared s;

	return kv_shared_down(kv, &s, kv_shared_up(kv, &s) ?: fn(kv, &s));
}

/* Post receives with the numbers @from, @from + 1 and so on, as a list. */
static int kv_srq_post(struct kv_shared *s, u64 from, u32 n)
{
	struct ib_sge sge = kv_sge(&s->kv->b, PAGE_SIZE);
	struct ib_recv_wr wr[KV_SHARED + 1] = {};
	u32 i;

	for (i = 0; i < n; i++)
		wr[i] = (struct ib_recv_wr){
			.next = i + 1 < n ? &wr[i + 1] : NULL,
			.wr_id = from + i, .sg_list = &sge, .num_sge = 1,
		};
	return ib_post_srq_recv(s->srq, wr, NULL);
}

/* SEND, and the receive has this number. */
static int kv_srq_takes(struct kv_shared *s, u64 number)
{
	struct ib_wc wc;

	expect(kv_send(&s->kv->a, IB_WR_SEND, 0), IB_WC_SUCCESS);
	expect(kv_poll(&s->kv->b, &wc), 0);
	expect(wc.status, IB_WC_SUCCESS);
	expect(wc.opcode, IB_WC_RECV);
	expect(wc.wr_id, number);
	expect(wc.qp == s->kv->b.qp, 1);
	return 0;
}

static void kv_srq_post_one(void *arg)
{
	struct kv_shared *s = arg;

	s->ret = kv_srq_post(s, 1000, 1);
}

/* As many as it holds, in order, and again, also what is posted in a hardware interrupt. */
static int kv_shared_posts(struct kv *kv, struct kv_shared *s)
{
	struct ib_srq_attr attr;
	u32 i;

	expect(ib_query_srq(s->srq, &attr), 0);
	expect(attr.max_wr, KV_SHARED);
	expect(kv_srq_post(s, 0, KV_SHARED), 0);
	expect(kv_srq_post(s, 0, 1), -ENOMEM);
	memset(kv->a.buf, 0xa5, KV_BYTES);
	for (i = 0; i < KV_SHARED; i++)
		expect(kv_srq_takes(s, i), 0);
	expect(memcmp(kv->b.buf, kv->a.buf, 64), 0);
	kv_in_interrupt(kv_srq_post_one, s);
	expect(s->ret, 0);
	expect(kv_srq_takes(s, 1000), 0);
	expect(ib_post_recv(kv->b.qp, &(struct ib_recv_wr){}, NULL), -EINVAL);
	return 0;
}

/* The event comes once, when fewer than the limit are left, until the limit is set again. */
static int kv_shared_limit(struct kv *kv, struct kv_shared *s)
{
	struct ib_srq_attr attr = { .srq_limit = KV_LIMIT };

	expect(kv_srq_post(s, 0, KV_LIMIT + 2), 0);
	expect(ib_modify_srq(s->srq, &attr, IB_SRQ_LIMIT), 0);
	expect(kv_srq_takes(s, 0), 0);
	expect(kv_srq_takes(s, 1), 0);
	msleep(20);
	expect(atomic_read(&s->limit), 0);
	expect(kv_srq_takes(s, 2), 0);
	expect(kv_srq_takes(s, 3), 0);
	expect(kv_events(&s->limit), 1);
	expect(ib_query_srq(s->srq, &attr), 0);
	expect(attr.srq_limit, 0);
	atomic_set(&s->limit, 0);
	attr.srq_limit = KV_LIMIT;
	expect(ib_modify_srq(s->srq, &attr, IB_SRQ_LIMIT), 0);
	expect(kv_events(&s->limit), 1);
	attr.srq_limit = KV_SHARED + 1;
	expect(ib_modify_srq(s->srq, &attr, IB_SRQ_LIMIT), -EINVAL);
	return 0;
}

/* In ERR the queue pair takes no more, and says so, once; what is posted stays for others. */
static int kv_shared_last(struct kv *kv, struct kv_shared *s)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_ERR };
	unsigned long begin = jiffies;
	struct ib_wc wc;

	expect(kv_srq_post(s, 0, 3), 0);
	expect(kv_srq_takes(s, 0), 0);
	expect(atomic_read(&s->last), 0);
	expect(ib_modify_qp(kv->b.qp, &attr, IB_QP_STATE), 0);
	expect(kv_events(&s->last), 1);
	/* Since Linux 6.11 it waits for that event. */
	ib_drain_qp(kv->b.qp);
	expect(time_before(jiffies, begin + 20 * HZ), 1);
	expect(atomic_read(&s->last), 1);
	expect(ib_poll_cq(kv->b.cq, 1, &wc), 0);
	expect(kv_connect(kv), 0);
	expect(kv_srq_takes(s, 1), 0);
	return 0;
}

/* A message that is too long for its receive ends the connection: each event comes once. */
static int kv_shared_fatal(struct kv *kv, struct kv_shared *s)
{
	struct ib_sge sge = kv_sge(&kv->b, 1);
	struct ib_recv_wr wr = { .sg_list = &sge, .num_sge = 1 };

	expect(ib_post_srq_recv(s->srq, &wr, NULL), 0);
	expect(kv_send(&kv->a, IB_WR_SEND, 0), IB_WC_REM_INV_REQ_ERR);
	expect(kv_events(&s->fatal), 1);
	expect(kv_events(&s->last), 1);
	return 0;
}

/* What only a program can do with its queue, or nobody. */
static int kv_shared_refused(struct kv *kv, struct kv_shared *s)
{
	struct ib_srq_init_attr init = { .attr = { .max_wr = 1 }, .srq_type = IB_SRQT_BASIC };
	struct ib_srq_attr attr = { .max_wr = 2 * KV_SHARED };
	struct ib_srq *none;

	expect(ib_modify_srq(s->srq, &attr, IB_SRQ_MAX_WR), -EOPNOTSUPP);
	expect(ib_modify_srq(s->srq, &attr, IB_SRQ_LIMIT << 8), -EOPNOTSUPP);
	expect(ib_query_srq(s->srq, &attr), 0);
	expect(attr.max_wr, KV_SHARED);
	/* Receives without elements. */
	none = ib_create_srq(kv->b.pd, &init);
	if (!IS_ERR(none))
		ib_destroy_srq(none);
	expect(PTR_ERR_OR_ZERO(none), -EINVAL);
	return 0;
}

int kv_srq(struct kv *kv)
{
	return kv_with_srq(kv, kv_shared_posts);
}

int kv_srq_limit(struct kv *kv)
{
	return kv_with_srq(kv, kv_shared_limit);
}

int kv_srq_last(struct kv *kv)
{
	return kv_with_srq(kv, kv_shared_last);
}

int kv_srq_fatal(struct kv *kv)
{
	return kv_with_srq(kv, kv_shared_fatal);
}

int kv_srq_refused(struct kv *kv)
{
	return kv_with_srq(kv, kv_shared_refused);
}
