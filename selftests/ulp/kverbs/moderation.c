// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rows: moderation of completion events for a consumer in the kernel, by rdma_set_cq_moderation(),
 * and by the measurements of ib_core (linux/dim.h).
 */
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/dim.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/smp.h>
#include <rdma/ib_verbs.h>

#include "kverbs.h"

#define KV_COUNT	4u
#define KV_ROUNDS	500

/**
 * struct kv_moderated - an end that uses a completion queue of its own
 * @a: the end
 * @cq: the queue
 * @period: its period in microseconds, the longest that there is
 * @calls: of the handler
 */
struct kv_moderated {
	struct kv_end *a;
	struct ib_cq *cq;
	u16 period;
	atomic_t calls;
};

static void kv_called(struct ib_cq *cq, void *context)
{
	struct kv_moderated *m = context;

	atomic_inc(&m->calls);
}

/*
 * Completions, all of them within the verb: of registering the region, which is registered, again;
 * or of invalidating another key, which fails.
 */
static int kv_complete(struct kv_moderated *m, int n, bool fail)
{
	struct ib_reg_wr reg = {
		.wr = { .opcode = IB_WR_REG_MR, .send_flags = IB_SEND_SIGNALED },
		.mr = m->a->mr, .access = IB_ACCESS_LOCAL_WRITE,
	};
	struct ib_send_wr inv = {
		.opcode = IB_WR_LOCAL_INV, .send_flags = IB_SEND_SIGNALED,
	};
	int ret = 0;

	for (; n && !ret; n--) {
		if (fail) {
			inv.ex.invalidate_rkey = m->a->mr->rkey ^ 0x80;
			ret = ib_post_send(m->a->qp, &inv, NULL);
			continue;
		}
		inv.ex.invalidate_rkey = m->a->mr->rkey;
		inv.send_flags = 0;
		ret = ib_post_send(m->a->qp, &inv, NULL);
		if (!ret && kv_map(m->a, 0, PAGE_SIZE) != 1)
			ret = -EIO;
		reg.key = m->a->mr->rkey;
		ret = ret ?: ib_post_send(m->a->qp, &reg.wr, NULL);
	}
	return ret;
}

static void kv_take(struct kv_moderated *m)
{
	struct ib_wc wc;

	while (ib_poll_cq(m->cq, 1, &wc) > 0)
		;
}

/* Forget what is held, and arm the queue. */
static int kv_arm(struct kv_moderated *m, u16 count, u16 period)
{
	kv_take(m);
	expect(rdma_set_cq_moderation(m->cq, count, period), 0);
	/* What was held has been scheduled on this CPU. */
	usleep_range(1000, 2000);
	atomic_set(&m->calls, 0);
	expect(ib_req_notify_cq(m->cq, IB_CQ_NEXT_COMP), 0);
	return 0;
}

static int kv_is_called(struct kv_moderated *m, int n)
{
	unsigned long end = jiffies + 20 * HZ;

	while (atomic_read(&m->calls) < n && time_before(jiffies, end))
		usleep_range(100, 200);
	return atomic_read(&m->calls);
}

/*
 * @n completions, and then one more. The handler runs on this CPU, before bottom halves are on
 * again. Return: 1: it says nothing, because the period was over before the end of it.
 */
static int kv_round(struct kv_moderated *m, int n, bool fail)
{
	int before, after;
	ktime_t end;

	expect(kv_arm(m, KV_COUNT, m->period), 0);
	migrate_disable();
	end = ktime_add_us(ktime_get(), m->period);
	expect(kv_complete(m, n, false), 0);
	local_bh_disable();
	local_bh_enable();
	before = atomic_read(&m->calls);
	expect(kv_complete(m, 1, fail), 0);
	local_bh_disable();
	local_bh_enable();
	after = atomic_read(&m->calls);
	migrate_enable();
	if (ktime_after(ktime_get(), end))
		return 1;
	expect(before, 0);
	expect(after, 1);
	return 0;
}

/* A round that says something. */
static int kv_rounds(struct kv_moderated *m, struct kv *kv, int n, bool fail)
{
	int i, ret = 1;

	for (i = 0; i < KV_ROUNDS && ret == 1; i++) {
		if (i && fail)
			expect(kv_connect(kv), 0);
		ret = kv_round(m, n, fail);
	}
	return ret == 1 ? -ETIMEDOUT : ret;
}

static int kv_moderates(struct kv_moderated *m, struct kv *kv)
{
	expect(kv_rounds(m, kv, KV_COUNT - 1, false), 0);
	/* The period alone. */
	expect(kv_arm(m, KV_COUNT, 50), 0);
	expect(kv_complete(m, 1, false), 0);
	expect(kv_is_called(m, 1), 1);
	/* None. */
	expect(kv_arm(m, 0, 0), 0);
	expect(kv_complete(m, 1, false), 0);
	expect(kv_is_called(m, 1), 1);
	expect(kv_arm(m, 1, m->period), 0);
	expect(kv_complete(m, 1, false), 0);
	expect(kv_is_called(m, 1), 1);
	/* A failure, which also ends the connection. */
	return kv_rounds(m, kv, 1, true);
}

/* What the device does not have, and a queue that consumers share. */
static int kv_out_of_range(struct kv_moderated *m, struct kv *kv)
{
	const struct ib_cq_caps *caps = &kv->dev->attrs.cq_caps;
	struct ib_cq *shared;

	expect(caps->max_cq_moderation_count >= KV_COUNT, 1);
	expect(rdma_set_cq_moderation(m->cq, caps->max_cq_moderation_count + 1, 1), -EINVAL);
	expect(rdma_set_cq_moderation(m->cq, 2, caps->max_cq_moderation_period + 1), -EINVAL);
	expect(rdma_set_cq_moderation(m->cq, caps->max_cq_moderation_count,
				      caps->max_cq_moderation_period), 0);
	shared = ib_cq_pool_get(kv->dev, 16, -1, IB_POLL_SOFTIRQ);
	if (IS_ERR(shared))
		return PTR_ERR(shared);
	expect(rdma_set_cq_moderation(shared, 2, 1), -EOPNOTSUPP);
	ib_cq_pool_put(shared, 16);
	return 0;
}

/*
 * The queue pair goes while completions are held. Its consumer, which may free what the handler
 * uses, has been notified when it is gone, and is not notified later.
 */
static int kv_goes(struct kv_moderated *m, struct kv *kv)
{
	struct ib_cq *own = m->a->cq;
	int i, before;

	for (i = 0; i < 20; i++) {
		m->a->cq = m->cq;
		expect(kv_qp(m->a, NULL, NULL, NULL), 0);
		expect(kv_connect(kv), 0);
		expect(kv_arm(m, KV_COUNT, m->period), 0);
		expect(kv_complete(m, 1, false), 0);
		m->a->cq = own;
		expect(kv_qp(m->a, NULL, NULL, NULL), 0);
		before = atomic_read(&m->calls);
		expect(before, 1);
		if (i)
			continue;
		fsleep(2 * m->period);
		expect(atomic_read(&m->calls), before);
	}
	return 0;
}

static int kv_registered(struct kv_end *a)
{
	expect(kv_map(a, 0, PAGE_SIZE), 1);
	expect(kv_reg(a, a, 1, IB_ACCESS_LOCAL_WRITE), IB_WC_SUCCESS);
	return 0;
}

static int kv_with(struct kv *kv, int (*fn)(struct kv_moderated *m, struct kv *kv))
{
	const struct ib_cq_init_attr attr = { .cqe = KV_DEPTH };
	struct kv_moderated m = { .a = &kv->a };
	struct ib_cq *was = kv->a.cq;
	int ret, back;

	m.period = kv->dev->attrs.cq_caps.max_cq_moderation_period;
	m.cq = ib_create_cq(kv->dev, kv_called, NULL, &m, &attr);
	if (IS_ERR(m.cq))
		return PTR_ERR(m.cq);
	kv->a.cq = m.cq;
	ret = kv_qp(&kv->a, NULL, NULL, NULL) ?: kv_connect(kv) ?: kv_registered(&kv->a) ?:
	      fn(&m, kv);
	kv->a.cq = was;
	back = kv_qp(&kv->a, NULL, NULL, NULL);
	/* The timer may still run. */
	ib_destroy_cq(m.cq);
	return back ?: ret;
}

int kv_moderation(struct kv *kv)
{
	return kv_with(kv, kv_moderates);
}

int kv_moderation_refused(struct kv *kv)
{
	return kv_with(kv, kv_out_of_range);
}

int kv_moderation_gone(struct kv *kv)
{
	return kv_with(kv, kv_goes);
}

/**
 * struct kv_measured - a queue that ib_core measures
 * @kv: the test
 * @cqe: how a completion is told
 * @done: completions
 * @failed: of these
 */
struct kv_measured {
	struct kv *kv;
	struct ib_cqe cqe;
	atomic_t done, failed;
};

static void kv_measured_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct kv_measured *m = container_of(wc->wr_cqe, struct kv_measured, cqe);

	if (wc->status)
		atomic_inc(&m->failed);
	atomic_inc(&m->done);
}

/* Keep 32 messages under way until ib_core has chosen another profile. Return: 0; or an errno. */
static int kv_until_changed(struct kv_measured *m, struct ib_cq *cq)
{
	struct ib_sge sge = kv_sge(&m->kv->a, 64);
	struct ib_rdma_wr wr = {
		.wr = {
			.wr_cqe = &m->cqe, .opcode = IB_WR_RDMA_WRITE, .sg_list = &sge,
			.num_sge = 1, .send_flags = IB_SEND_SIGNALED,
		},
		.remote_addr = m->kv->b.mr->iova,
		.rkey = m->kv->b.mr->rkey,
	};
	unsigned long end = jiffies + 60 * HZ;
	u8 first = cq->dim->profile_ix;
	int posted = 0;

	while (READ_ONCE(cq->dim->profile_ix) == first) {
		if (posted - atomic_read(&m->done) < 32) {
			expect(ib_post_send(m->kv->a.qp, &wr.wr, NULL), 0);
			posted++;
		} else {
			usleep_range(10, 20);
		}
		if (time_after(jiffies, end))
			return -ETIMEDOUT;
	}
	while (atomic_read(&m->done) < posted && time_before(jiffies, end))
		usleep_range(100, 200);
	expect(atomic_read(&m->done), posted);
	expect(atomic_read(&m->failed), 0);
	return 0;
}

/* With "adaptive-moderation on", see kverbs.sh. */
int kv_moderation_adaptive(struct kv *kv)
{
	struct kv_measured m = { .kv = kv, .cqe.done = kv_measured_done };
	struct ib_cq *was = kv->a.cq, *cq;
	int ret, back;

	cq = ib_alloc_cq(kv->dev, NULL, KV_DEPTH, 0, IB_POLL_SOFTIRQ);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	kv->a.cq = cq;
	ret = cq->dim ? kv_register(kv, 1, KV_RW) : -EOPNOTSUPP;
	if (!cq->dim)
		pr_err("kverbs: not measured\n");
	ret = ret ?: kv_qp(&kv->a, NULL, NULL, NULL) ?: kv_connect(kv) ?: kv_until_changed(&m, cq);
	kv->a.cq = was;
	back = kv_qp(&kv->a, NULL, NULL, NULL);
	ib_free_cq(cq);
	return back ?: ret;
}
