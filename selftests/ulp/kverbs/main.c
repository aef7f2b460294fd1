// SPDX-License-Identifier: GPL-2.0-only
/* Set up two queue pairs of a device and run a row: see kverbs.h. */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/etherdevice.h>
#include <linux/hrtimer.h>
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <rdma/ib_cache.h>

#include "kverbs.h"

#define KV_PORT		1
#define KV_SECONDS	20

static char *dev;
module_param(dev, charp, 0444);
MODULE_PARM_DESC(dev, "name of the verbs device");

static char *row;
module_param(row, charp, 0444);
MODULE_PARM_DESC(row, "name of the test");

int kv_poll(struct kv_end *e, struct ib_wc *wc)
{
	unsigned long end = jiffies + KV_SECONDS * HZ;

	while (time_before(jiffies, end)) {
		if (ib_poll_cq(e->cq, 1, wc) == 1)
			return 0;
		usleep_range(100, 200);
	}
	return -ETIMEDOUT;
}

int kv_do(struct kv_end *e, struct ib_send_wr *wr)
{
	struct ib_wc wc;
	int ret;

	wr->send_flags |= IB_SEND_SIGNALED;
	ret = ib_post_send(e->qp, wr, NULL);
	if (!ret)
		ret = kv_poll(e, &wc);
	return ret ?: wc.status;
}

int kv_map(struct kv_end *e, u32 off, u32 length)
{
	sg_init_one(&e->sg, e->buf + off, length);
	if (ib_dma_map_sg(e->qp ? e->qp->device : e->pd->device, &e->sg, 1,
			  DMA_BIDIRECTIONAL) != 1)
		return -EIO;
	return ib_map_mr_sg(e->mr, &e->sg, 1, NULL, PAGE_SIZE);
}

int kv_reg(struct kv_end *by, struct kv_end *e, u8 byte, int access)
{
	struct ib_reg_wr wr = { .wr.opcode = IB_WR_REG_MR, .mr = e->mr, .access = access };

	ib_update_fast_reg_key(e->mr, byte);
	wr.key = e->mr->rkey;
	return kv_do(by, &wr.wr);
}

int kv_inv(struct kv_end *e, u32 key)
{
	struct ib_send_wr wr = { .opcode = IB_WR_LOCAL_INV, .ex.invalidate_rkey = key };

	return kv_do(e, &wr);
}

struct ib_sge kv_sge(struct kv_end *e, u32 length)
{
	return (struct ib_sge){
		.addr = (uintptr_t)e->buf,
		.length = length,
		.lkey = e->pd->local_dma_lkey,
	};
}

int kv_rdma(struct kv_end *e, enum ib_wr_opcode op, u64 addr, u32 key, u32 length)
{
	struct ib_sge sge = kv_sge(e, length);
	struct ib_rdma_wr wr = {
		.wr = { .opcode = op, .sg_list = &sge, .num_sge = 1 },
		.remote_addr = addr,
		.rkey = key,
	};

	return kv_do(e, &wr.wr);
}

int kv_recv(struct kv_end *e)
{
	struct ib_sge sge = kv_sge(e, PAGE_SIZE);
	struct ib_recv_wr wr = { .sg_list = &sge, .num_sge = 1 };

	return ib_post_recv(e->qp, &wr, NULL);
}

int kv_send(struct kv_end *e, enum ib_wr_opcode op, u32 key)
{
	struct ib_sge sge = kv_sge(e, 64);
	struct ib_send_wr wr = {
		.opcode = op,
		.ex.invalidate_rkey = key,
		.sg_list = &sge,
		.num_sge = 1,
	};

	return kv_do(e, &wr);
}

struct kv_interrupt {
	struct hrtimer timer;
	struct completion done;
	void (*fn)(void *arg);
	void *arg;
};

static enum hrtimer_restart kv_interrupted(struct hrtimer *timer)
{
	struct kv_interrupt *i = container_of(timer, struct kv_interrupt, timer);

	WARN_ON(!in_hardirq());
	i->fn(i->arg);
	complete(&i->done);
	return HRTIMER_NORESTART;
}

void kv_in_interrupt(void (*fn)(void *arg), void *arg)
{
	struct kv_interrupt i = { .fn = fn, .arg = arg };

	init_completion(&i.done);
#ifdef KV_HRTIMER_SETUP
	hrtimer_setup_on_stack(&i.timer, kv_interrupted, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
#else
	hrtimer_init_on_stack(&i.timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	i.timer.function = kv_interrupted;
#endif
	hrtimer_start(&i.timer, ns_to_ktime(100 * NSEC_PER_USEC), HRTIMER_MODE_REL_HARD);
	wait_for_completion(&i.done);
	hrtimer_cancel(&i.timer);
	destroy_hrtimer_on_stack(&i.timer);
}

struct kv_interrupts {
	struct hrtimer timer;
	void (*fn)(void *arg);
	void *arg;
};

static enum hrtimer_restart kv_interrupted_again(struct hrtimer *timer)
{
	struct kv_interrupts *i = container_of(timer, struct kv_interrupts, timer);

	i->fn(i->arg);
	hrtimer_forward_now(timer, ns_to_ktime(100 * NSEC_PER_USEC));
	return HRTIMER_RESTART;
}

struct kv_interrupts *kv_interrupts_begin(void (*fn)(void *arg), void *arg)
{
	struct kv_interrupts *i = kzalloc(sizeof(*i), GFP_KERNEL);

	if (!i)
		return NULL;
	i->fn = fn;
	i->arg = arg;
#ifdef KV_HRTIMER_SETUP
	hrtimer_setup(&i->timer, kv_interrupted_again, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_PINNED_HARD);
#else
	hrtimer_init(&i->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	i->timer.function = kv_interrupted_again;
#endif
	hrtimer_start(&i->timer, ns_to_ktime(100 * NSEC_PER_USEC), HRTIMER_MODE_REL_PINNED_HARD);
	return i;
}

void kv_interrupts_end(struct kv_interrupts *i)
{
	if (i)
		hrtimer_cancel(&i->timer);
	kfree(i);
}

int kv_address(struct ib_device *ib, struct rdma_ah_attr *ah)
{
	struct net_device *ndev = ib_device_get_netdev(ib, KV_PORT);
	union ib_gid gid;
	int i, ret = -ENOENT;

	if (!ndev)
		return -ENODEV;
	for (i = 0; i < 16 && ret; i++) {
		if (rdma_query_gid(ib, KV_PORT, i, &gid) ||
		    !ipv6_addr_v4mapped((struct in6_addr *)&gid))
			continue;
		ah->type = RDMA_AH_ATTR_TYPE_ROCE;
		rdma_ah_set_port_num(ah, KV_PORT);
		rdma_ah_set_grh(ah, &gid, 0, i, 64, 0);
		ether_addr_copy(ah->roce.dmac, ndev->dev_addr);
		ret = 0;
	}
	dev_put(ndev);
	return ret;
}

static int kv_connect_end(struct kv_end *e, u32 peer)
{
	const int access = IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE |
			   IB_ACCESS_REMOTE_ATOMIC | IB_ACCESS_LOCAL_WRITE;
	struct ib_qp_attr attr = { .qp_state = IB_QPS_RESET };
	int ret;

	ret = ib_modify_qp(e->qp, &attr, IB_QP_STATE);
	attr = (struct ib_qp_attr){
		.qp_state = IB_QPS_INIT, .port_num = KV_PORT, .qp_access_flags = access,
	};
	ret = ret ?: ib_modify_qp(e->qp, &attr, IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT |
				  IB_QP_ACCESS_FLAGS);
	attr = (struct ib_qp_attr){
		.qp_state = IB_QPS_RTR, .path_mtu = IB_MTU_1024, .dest_qp_num = peer,
		.rq_psn = 100, .max_dest_rd_atomic = 8, .min_rnr_timer = 12,
	};
	ret = ret ?: kv_address(e->qp->device, &attr.ah_attr);
	ret = ret ?: ib_modify_qp(e->qp, &attr, IB_QP_STATE | IB_QP_AV | IB_QP_PATH_MTU |
				  IB_QP_DEST_QPN | IB_QP_RQ_PSN | IB_QP_MAX_DEST_RD_ATOMIC |
				  IB_QP_MIN_RNR_TIMER);
	attr = (struct ib_qp_attr){
		.qp_state = IB_QPS_RTS, .sq_psn = 100, .timeout = 14, .retry_cnt = 7,
		.rnr_retry = 7, .max_rd_atomic = 8,
	};
	return ret ?: ib_modify_qp(e->qp, &attr, IB_QP_STATE | IB_QP_SQ_PSN | IB_QP_TIMEOUT |
				   IB_QP_RETRY_CNT | IB_QP_RNR_RETRY |
				   IB_QP_MAX_QP_RD_ATOMIC);
}

int kv_connect(struct kv *kv)
{
	struct ib_wc wc;
	int ret;

	ret = kv_connect_end(&kv->a, kv->b.qp->qp_num) ?:
	      kv_connect_end(&kv->b, kv->a.qp->qp_num);
	while (ib_poll_cq(kv->a.cq, 1, &wc) > 0 || ib_poll_cq(kv->b.cq, 1, &wc) > 0)
		;
	return ret;
}

int kv_qp(struct kv_end *e, struct ib_srq *srq,
	  void (*event)(struct ib_event *event, void *context), void *context)
{
	struct ib_qp_init_attr init = {
		.qp_type = IB_QPT_RC,
		.sq_sig_type = IB_SIGNAL_REQ_WR,
		.send_cq = e->cq,
		.recv_cq = e->cq,
		.srq = srq,
		.event_handler = event,
		.qp_context = context,
		.cap = { .max_send_wr = KV_DEPTH, .max_recv_wr = srq ? 0 : KV_DEPTH,
			 .max_send_sge = 2, .max_recv_sge = srq ? 0 : 1,
			 .max_inline_data = KV_INLINE },
	};
	struct ib_qp *qp = ib_create_qp(e->pd, &init);

	if (IS_ERR(qp))
		return PTR_ERR(qp);
	if (e->qp)
		ib_destroy_qp(e->qp);
	e->qp = qp;
	e->inline_data = init.cap.max_inline_data;
	return 0;
}

/* A domain, a buffer, and a region. Return: 0 or an errno; kv_end_down() undoes it. */
static int kv_domain_up(struct ib_device *ib, struct kv_end *e)
{
	e->buf = alloc_pages_exact(KV_BYTES, GFP_KERNEL | __GFP_ZERO);
	if (!e->buf)
		return -ENOMEM;
	e->pd = ib_alloc_pd(ib, 0);
	if (IS_ERR(e->pd)) {
		int ret = PTR_ERR(e->pd);

		e->pd = NULL;
		return ret;
	}
	e->mr = ib_alloc_mr(e->pd, IB_MR_TYPE_MEM_REG, KV_PAGES);
	if (IS_ERR(e->mr)) {
		int ret = PTR_ERR(e->mr);

		e->mr = NULL;
		return ret;
	}
	return 0;
}

/* The same, and a queue pair. */
static int kv_end_up(struct ib_device *ib, struct kv_end *e)
{
	int ret = kv_domain_up(ib, e);

	if (ret)
		return ret;
	e->cq = ib_alloc_cq(ib, NULL, 4 * KV_DEPTH, 0, IB_POLL_DIRECT);
	if (IS_ERR(e->cq)) {
		ret = PTR_ERR(e->cq);
		e->cq = NULL;
		return ret;
	}
	return kv_qp(e, NULL, NULL, NULL);
}

static void kv_end_down(struct kv_end *e)
{
	if (e->qp)
		ib_destroy_qp(e->qp);
	if (e->cq)
		ib_free_cq(e->cq);
	if (e->mr)
		ib_dereg_mr(e->mr);
	if (e->pd)
		ib_dealloc_pd(e->pd);
	if (e->buf)
		free_pages_exact(e->buf, KV_BYTES);
}

/* Run the row on a device. Return: 0 or an errno. */
static int kv_run(struct ib_device *ib)
{
	struct kv *kv = kzalloc(sizeof(*kv), GFP_KERNEL);
	int ret;

	if (!kv)
		return -ENOMEM;
	kv->dev = ib;
	ret = kv_end_up(ib, &kv->a) ?: kv_end_up(ib, &kv->b) ?: kv_domain_up(ib, &kv->other) ?:
	      kv_connect(kv) ?: kv_row(kv, row);
	kv_end_down(&kv->a);
	kv_end_down(&kv->b);
	kv_end_down(&kv->other);
	kfree(kv);
	return ret;
}

/* The row runs with no lock of ib_core held, so that it may have devices change. */
static int __init kv_init(void)
{
	struct ib_device *ib;
	int ret;

	if (!dev || !row)
		return -EINVAL;
	ib = ib_device_get_by_name(dev, RDMA_DRIVER_UNKNOWN);
	if (!ib)
		return -ENODEV;
	ret = kv_run(ib);
	ib_device_put(ib);
	return ret;
}

static void __exit kv_exit(void)
{
}

module_init(kv_init);
module_exit(kv_exit);

MODULE_DESCRIPTION("test of verbs for consumers in the kernel");
MODULE_LICENSE("GPL");
