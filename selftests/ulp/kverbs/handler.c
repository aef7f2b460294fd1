// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rows: a consumer in the kernel is notified of completions. Its handler calls verbs; it is not
 * called from inside a verb, nor by two CPUs at a time, nor when the queue pair is gone.
 */
#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

#include "kverbs.h"

#define KV_MESSAGES	500

/* Is this CPU inside a verb, with bottom halves off? */
static DEFINE_PER_CPU(int, kv_inside);

/**
 * struct kv_handled - both ends use this completion queue
 * @kv: the test
 * @cq: the queue
 * @running: calls of the handler that run now
 * @posted: messages of a that have been posted
 * @received: messages that b has received
 * @calls: of the handler
 * @wrong: calls at a wrong time, failed completions and verbs
 */
struct kv_handled {
	struct kv *kv;
	struct ib_cq *cq;
	atomic_t running, posted, received, calls, wrong;
};

/* Post a message to b, and a receive for it, unless there have been enough. */
static void kv_next(struct kv_handled *h)
{
	struct ib_sge sge = kv_sge(&h->kv->a, 64);
	struct ib_send_wr wr = {
		.opcode = IB_WR_SEND, .sg_list = &sge, .num_sge = 1,
		.send_flags = IB_SEND_SIGNALED,
	};

	if (atomic_inc_return(&h->posted) <= KV_MESSAGES &&
	    (kv_recv(&h->kv->b) || ib_post_send(h->kv->a.qp, &wr, NULL)))
		atomic_inc(&h->wrong);
}

static void kv_handle(struct ib_cq *cq, void *context)
{
	struct kv_handled *h = context;
	struct ib_wc wc;

	atomic_inc(&h->calls);
	if (this_cpu_read(kv_inside) || atomic_inc_return(&h->running) != 1)
		atomic_inc(&h->wrong);
	do {
		while (ib_poll_cq(cq, 1, &wc) == 1) {
			if (wc.status)
				atomic_inc(&h->wrong);
			if (wc.opcode == IB_WC_RECV) {
				atomic_inc(&h->received);
				kv_next(h);
			}
		}
	} while (ib_req_notify_cq(cq, IB_CQ_NEXT_COMP | IB_CQ_REPORT_MISSED_EVENTS) > 0);
	atomic_dec(&h->running);
}

/* Wait until a counter has reached a number. Return: the counter. */
static int kv_reaches(atomic_t *counter, int n)
{
	unsigned long end = jiffies + 20 * HZ;

	while (atomic_read(counter) < n && time_before(jiffies, end))
		usleep_range(100, 200);
	return atomic_read(counter);
}

/* Post a registration, which completes within the verb. The handler is called behind it. */
static int kv_post_reg(struct kv_end *a)
{
	struct ib_reg_wr wr = {
		.wr = { .opcode = IB_WR_REG_MR, .send_flags = IB_SEND_SIGNALED },
		.mr = a->mr, .key = a->mr->rkey, .access = IB_ACCESS_LOCAL_WRITE,
	};
	int ret;

	local_bh_disable();
	__this_cpu_inc(kv_inside);
	ret = ib_post_send(a->qp, &wr.wr, NULL);
	__this_cpu_dec(kv_inside);
	local_bh_enable();
	return ret;
}

static int kv_at_once(struct kv_handled *h)
{
	struct kv_end *a = &h->kv->a;

	expect(kv_map(a, 0, PAGE_SIZE), 1);
	ib_update_fast_reg_key(a->mr, 1);
	expect(kv_post_reg(a), 0);
	expect(kv_reaches(&h->calls, 1), 1);
	expect(atomic_read(&h->wrong), 0);
	return 0;
}

static int kv_ping(struct kv_handled *h)
{
	int i;

	/* Several are under way, so that several CPUs may complete them. */
	for (i = 0; i < 8; i++)
		kv_next(h);
	expect(kv_reaches(&h->received, KV_MESSAGES), KV_MESSAGES);
	expect(atomic_read(&h->wrong), 0);
	return 0;
}

int kv_handler(struct kv *kv)
{
	const struct ib_cq_init_attr attr = { .cqe = 4 * KV_DEPTH };
	struct ib_cq *was[2] = { kv->a.cq, kv->b.cq };
	struct kv_handled h = { .kv = kv };
	int ret, back;

	h.cq = ib_create_cq(kv->dev, kv_handle, NULL, &h, &attr);
	if (IS_ERR(h.cq))
		return PTR_ERR(h.cq);
	kv->a.cq = h.cq;
	kv->b.cq = h.cq;
	ret = kv_qp(&kv->a, NULL, NULL, NULL) ?: kv_qp(&kv->b, NULL, NULL, NULL) ?:
	      kv_connect(kv);
	if (!ret && ib_req_notify_cq(h.cq, IB_CQ_NEXT_COMP))
		ret = -EIO;
	if (!ret)
		ret = kv_at_once(&h) ?: kv_ping(&h);
	/* Others take the place of the queue pairs that use it. */
	kv->a.cq = was[0];
	kv->b.cq = was[1];
	back = kv_qp(&kv->a, NULL, NULL, NULL) ?: kv_qp(&kv->b, NULL, NULL, NULL);
	ib_destroy_cq(h.cq);
	return back ?: ret;
}

/**
 * struct kv_slow - a queue pair is destroyed before the handler, on another CPU, has ended
 * @a: the end that has the queue pair
 * @work: posts a registration
 * @pending: the handler has not begun, else it runs
 * @begun: destroy it now
 * @over: the handler has ended
 */
struct kv_slow {
	struct kv_end *a;
	struct work_struct work;
	bool pending;
	struct completion begun;
	bool over;
};

static void kv_slow(struct kv_slow *s)
{
	complete(&s->begun);
	mdelay(300);
}

static void kv_handle_slowly(struct ib_cq *cq, void *context)
{
	struct kv_slow *s = context;

	if (!s->pending)
		kv_slow(s);
	WRITE_ONCE(s->over, true);
}

static void kv_slow_work(struct work_struct *work)
{
	struct kv_slow *s = container_of(work, struct kv_slow, work);

	local_bh_disable();
	if (!kv_post_reg(s->a) && s->pending)
		kv_slow(s);
	/* The handler is called. */
	local_bh_enable();
}

/* Another queue pair, of @cq, takes its place. What the handler uses is free then. */
static int kv_replace(struct kv_slow *s, struct ib_cq *cq)
{
	unsigned int cpu = cpumask_any_but(cpu_online_mask, smp_processor_id());
	bool over;
	int ret;

	expect(kv_map(s->a, 0, PAGE_SIZE), 1);
	expect(ib_req_notify_cq(s->a->cq, IB_CQ_NEXT_COMP), 0);
	/* With a single CPU the handler ends first. */
	schedule_work_on(cpu < nr_cpu_ids ? cpu : 0, &s->work);
	ret = wait_for_completion_timeout(&s->begun, 20 * HZ) ? 0 : -ETIMEDOUT;
	s->a->cq = cq;
	ret = ret ?: kv_qp(s->a, NULL, NULL, NULL);
	over = READ_ONCE(s->over);
	flush_work(&s->work);
	expect(ret, 0);
	expect(over, true);
	return 0;
}

static int kv_settle_one(struct kv *kv, bool pending)
{
	const struct ib_cq_init_attr attr = { .cqe = KV_DEPTH };
	struct kv_slow s = { .a = &kv->a, .pending = pending };
	struct ib_cq *was = kv->a.cq, *cq;
	int ret, back;

	cq = ib_create_cq(kv->dev, kv_handle_slowly, NULL, &s, &attr);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	init_completion(&s.begun);
	INIT_WORK_ONSTACK(&s.work, kv_slow_work);
	kv->a.cq = cq;
	ret = kv_qp(&kv->a, NULL, NULL, NULL) ?: kv_connect(kv);
	if (!ret) {
		/* The other CPU is another one until the queue pair is destroyed. */
		migrate_disable();
		ret = kv_replace(&s, was);
		migrate_enable();
	}
	kv->a.cq = was;
	back = kv_qp(&kv->a, NULL, NULL, NULL);
	ib_destroy_cq(cq);
	destroy_work_on_stack(&s.work);
	return back ?: ret;
}

int kv_settle(struct kv *kv)
{
	return kv_settle_one(kv, false) ?: kv_settle_one(kv, true);
}
