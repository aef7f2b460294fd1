// SPDX-License-Identifier: GPL-2.0-only
/* The rows: what a consumer in the kernel relies on, and what a peer must not be able to do. */
#include <linux/delay.h>
#include <linux/string.h>
#include <rdma/ib_verbs.h>

#include "kverbs.h"

#define KV_SHORT 64u

/* Fill both buffers: a's is written, b's shows what has been. */
static void kv_fill(struct kv *kv)
{
	memset(kv->a.buf, 0xa5, KV_BYTES);
	memset(kv->b.buf, 0, KV_BYTES);
	memset(kv->other.buf, 0, KV_BYTES);
}

static bool kv_zero(const struct kv_end *e)
{
	return !memchr_inv(e->buf, 0, KV_BYTES);
}

int kv_register(struct kv *kv, u8 byte, int access)
{
	kv_fill(kv);
	expect(kv_map(&kv->b, KV_OFF, KV_LEN), 1);
	expect(kv_reg(&kv->b, &kv->b, byte, access), IB_WC_SUCCESS);
	return 0;
}

static int kv_write(struct kv *kv, u64 addr, u32 key, u32 length)
{
	return kv_rdma(&kv->a, IB_WR_RDMA_WRITE, addr, key, length);
}

/* Nothing is written with @key, and the connection ends; it is made again. */
static int kv_refuses(struct kv *kv, u64 addr, u32 key, u32 length)
{
	expect(kv_write(kv, addr, key, length), IB_WC_REM_ACCESS_ERR);
	expect(kv_connect(kv), 0);
	return 0;
}

/* WRITE and READ of all bytes, and only those. */
static int kv_access(struct kv *kv)
{
	struct ib_mr *mr = kv->b.mr;

	expect(kv_register(kv, 1, KV_RW), 0);
	expect(mr->lkey & 0xff, 1);
	expect(kv_write(kv, mr->iova, mr->rkey, KV_LEN), IB_WC_SUCCESS);
	expect(memcmp(kv->b.buf + KV_OFF, kv->a.buf, KV_LEN), 0);
	expect(!memchr_inv(kv->b.buf, 0, KV_OFF), 1);
	expect(!memchr_inv(kv->b.buf + KV_OFF + KV_LEN, 0, KV_BYTES - KV_OFF - KV_LEN), 1);
	memset(kv->b.buf, 0x17, KV_BYTES);
	expect(kv_rdma(&kv->a, IB_WR_RDMA_READ, mr->iova, mr->rkey, KV_LEN), IB_WC_SUCCESS);
	expect(memcmp(kv->b.buf + KV_OFF, kv->a.buf, KV_LEN), 0);
	return 0;
}

/* One byte before, and one after the end. */
static int kv_bounds(struct kv *kv)
{
	struct ib_mr *mr = kv->b.mr;

	expect(kv_register(kv, 1, KV_RW), 0);
	expect(kv_refuses(kv, mr->iova + 1, mr->rkey, KV_LEN), 0);
	expect(kv_refuses(kv, mr->iova - 1, mr->rkey, KV_LEN), 0);
	expect(kv_refuses(kv, mr->iova + KV_LEN, mr->rkey, 1), 0);
	expect(kv_zero(&kv->b), 1);
	expect(kv_write(kv, mr->iova + KV_LEN - 1, mr->rkey, 1), IB_WC_SUCCESS);
	return 0;
}

/* The key gives no access before the registration, nor after the invalidation. */
static int kv_invalid(struct kv *kv)
{
	struct ib_mr *mr = kv->b.mr;

	kv_fill(kv);
	expect(kv_refuses(kv, (uintptr_t)kv->b.buf, mr->rkey, KV_SHORT), 0);
	expect(kv_register(kv, 1, KV_RW), 0);
	expect(kv_inv(&kv->b, mr->rkey), IB_WC_SUCCESS);
	expect(kv_refuses(kv, mr->iova, mr->rkey, KV_SHORT), 0);
	expect(kv_refuses(kv, mr->iova, 0, KV_SHORT), 0);
	expect(kv_zero(&kv->b), 1);
	return 0;
}

/* After another registration only the new key counts, also for the same pages again. */
static int kv_old_key(struct kv *kv)
{
	struct ib_mr *mr = kv->b.mr;
	u32 old;

	expect(kv_register(kv, 1, KV_RW), 0);
	old = mr->rkey;
	expect(kv_inv(&kv->b, old), IB_WC_SUCCESS);
	expect(kv_reg(&kv->b, &kv->b, 2, KV_RW), IB_WC_SUCCESS);
	expect(kv_refuses(kv, mr->iova, old, KV_SHORT), 0);
	expect(kv_zero(&kv->b), 1);
	expect(kv_write(kv, mr->iova, mr->rkey, KV_LEN), IB_WC_SUCCESS);
	expect(memcmp(kv->b.buf + KV_OFF, kv->a.buf, KV_LEN), 0);
	return 0;
}

/* Rights are those of the registration. */
static int kv_rights(struct kv *kv)
{
	struct ib_mr *mr = kv->b.mr;

	expect(kv_register(kv, 1, IB_ACCESS_REMOTE_READ), 0);
	expect(kv_refuses(kv, mr->iova, mr->rkey, KV_SHORT), 0);
	expect(kv_zero(&kv->b), 1);
	expect(kv_inv(&kv->b, mr->rkey), IB_WC_SUCCESS);
	expect(kv_reg(&kv->b, &kv->b, 2, IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE),
	       IB_WC_SUCCESS);
	expect(kv_rdma(&kv->a, IB_WR_RDMA_READ, mr->iova, mr->rkey, KV_SHORT),
	       IB_WC_REM_ACCESS_ERR);
	expect(kv_connect(kv), 0);
	expect(kv_inv(&kv->b, mr->rkey), IB_WC_SUCCESS);
	/* Remote write without local write (IBTA 10.6.3.1), and a right that there is not. */
	expect(kv_reg(&kv->b, &kv->b, 3, IB_ACCESS_REMOTE_WRITE), -EINVAL);
	expect(kv_reg(&kv->b, &kv->b, 3, KV_RW | IB_ACCESS_MW_BIND), -EINVAL);
	return 0;
}

/* A region of another domain: it cannot be registered here, nor reached, nor invalidated. */
static int kv_domain(struct kv *kv)
{
	struct ib_mr *mr = kv->a.mr;

	kv_fill(kv);
	expect(kv_map(&kv->a, 0, KV_LEN), 1);
	expect(kv_reg(&kv->b, &kv->a, 1, KV_RW), -EINVAL);
	expect(kv_reg(&kv->a, &kv->a, 2, KV_RW), IB_WC_SUCCESS);
	/* a's region, by a key that b's peer sends to b. */
	memset(kv->a.buf, 0, KV_BYTES);
	expect(kv_refuses(kv, mr->iova, mr->rkey, KV_SHORT), 0);
	expect(kv_zero(&kv->a), 1);
	expect(kv_inv(&kv->b, mr->rkey), IB_WC_MW_BIND_ERR);
	expect(kv_connect(kv), 0);
	/* It is still registered. */
	memset(kv->b.buf, 0xb6, KV_BYTES);
	expect(kv_rdma(&kv->b, IB_WR_RDMA_WRITE, mr->iova, mr->rkey, KV_LEN), IB_WC_SUCCESS);
	expect(memcmp(kv->a.buf, kv->b.buf, KV_LEN), 0);
	return 0;
}

/* A registered region cannot be registered, and one without pages neither. */
static int kv_twice(struct kv *kv)
{
	struct ib_mr *mr = kv->b.mr;

	kv_fill(kv);
	expect(kv_reg(&kv->b, &kv->b, 1, KV_RW), IB_WC_MW_BIND_ERR);
	expect(kv_connect(kv), 0);
	expect(kv_register(kv, 1, KV_RW), 0);
	expect(kv_reg(&kv->b, &kv->b, 2, KV_RW), IB_WC_MW_BIND_ERR);
	expect(kv_connect(kv), 0);
	ib_update_fast_reg_key(mr, 1);
	expect(kv_write(kv, mr->iova, mr->rkey, KV_LEN), IB_WC_SUCCESS);
	return 0;
}

/* Wait for the receive of @e. Return: flags of the completion, or an errno. */
static int kv_received(struct kv_end *e, u32 *key)
{
	struct ib_wc wc;
	int ret = kv_poll(e, &wc);

	if (ret)
		return ret;
	*key = wc.ex.invalidate_rkey;
	return wc.status ? -EIO : wc.wc_flags;
}

/* The peer invalidates a key. That its owner does it, too, is no error. */
static int kv_remote(struct kv *kv)
{
	struct ib_mr *mr = kv->b.mr;
	u32 key = 0;

	expect(kv_register(kv, 1, KV_RW), 0);
	expect(kv_recv(&kv->b), 0);
	expect(kv_send(&kv->a, IB_WR_SEND_WITH_INV, mr->rkey), IB_WC_SUCCESS);
	expect(kv_received(&kv->b, &key), IB_WC_WITH_INVALIDATE);
	expect(key, mr->rkey);
	kv_fill(kv);
	expect(kv_refuses(kv, mr->iova, mr->rkey, KV_SHORT), 0);
	expect(kv_zero(&kv->b), 1);
	expect(kv_inv(&kv->b, mr->rkey), IB_WC_SUCCESS);
	expect(kv_inv(&kv->b, mr->rkey ^ 1), IB_WC_MW_BIND_ERR);
	return 0;
}

/* @key is none that a peer may invalidate. */
static int kv_remote_refuses(struct kv *kv, u32 key)
{
	expect(kv_recv(&kv->b), 0);
	expect(kv_send(&kv->a, IB_WR_SEND_WITH_INV, key), IB_WC_REM_ACCESS_ERR);
	expect(kv_connect(kv), 0);
	return 0;
}

static int kv_remote_refused(struct kv *kv)
{
	struct ib_mr *mr = kv->b.mr;

	expect(kv_register(kv, 1, IB_ACCESS_LOCAL_WRITE), 0);
	/* No remote rights; another key byte; all memory; another domain. */
	expect(kv_remote_refuses(kv, mr->rkey), 0);
	expect(kv_remote_refuses(kv, mr->rkey ^ 1), 0);
	expect(kv_remote_refuses(kv, kv->b.pd->local_dma_lkey), 0);
	expect(kv_map(&kv->a, 0, KV_LEN), 1);
	expect(kv_reg(&kv->a, &kv->a, 2, KV_RW), IB_WC_SUCCESS);
	expect(kv_remote_refuses(kv, kv->a.mr->rkey), 0);
	/* All of them are valid. */
	expect(kv_inv(&kv->b, mr->rkey), IB_WC_SUCCESS);
	expect(kv_inv(&kv->a, kv->a.mr->rkey), IB_WC_SUCCESS);
	return 0;
}

/* All memory of the kernel: no peer reaches it. */
static int kv_all_memory(struct kv *kv)
{
	kv_fill(kv);
	expect(kv_refuses(kv, (uintptr_t)kv->b.buf, kv->b.pd->local_dma_lkey, KV_SHORT), 0);
	expect(kv_zero(&kv->b), 1);
	return 0;
}

/* Other pages are named while the invalidation of the old ones is not yet posted, as iSER does. */
static int kv_staged(struct kv *kv)
{
	struct ib_send_wr inv = { .opcode = IB_WR_LOCAL_INV };
	struct ib_reg_wr reg = { .wr.opcode = IB_WR_REG_MR, .access = KV_RW };
	struct ib_mr *mr = kv->b.mr;
	u64 old;

	expect(kv_register(kv, 1, KV_RW), 0);
	old = mr->iova;
	inv.ex.invalidate_rkey = mr->rkey;
	expect(kv_map(&kv->b, 2 * PAGE_SIZE, PAGE_SIZE), 1);
	expect(kv_write(kv, old, mr->rkey, KV_SHORT), IB_WC_SUCCESS);
	expect(memcmp(kv->b.buf + KV_OFF, kv->a.buf, KV_SHORT), 0);
	memset(kv->b.buf, 0, KV_BYTES);
	ib_update_fast_reg_key(mr, 2);
	reg.mr = mr;
	reg.key = mr->rkey;
	inv.next = &reg.wr;
	inv.send_flags = 0;
	reg.wr.send_flags = IB_SEND_SIGNALED;
	expect(ib_post_send(kv->b.qp, &inv, NULL), 0);
	expect(kv_received(&kv->b, &(u32){ 0 }), 0);
	expect(kv_refuses(kv, old, mr->rkey, KV_SHORT), 0);
	expect(kv_zero(&kv->b), 1);
	expect(kv_write(kv, mr->iova, mr->rkey, PAGE_SIZE), IB_WC_SUCCESS);
	expect(memcmp(kv->b.buf + 2 * PAGE_SIZE, kv->a.buf, PAGE_SIZE), 0);
	return 0;
}

/* More pages than the region can have: the first ones are named. */
static int kv_partly(struct kv *kv)
{
	struct ib_mr *small = ib_alloc_mr(kv->b.pd, IB_MR_TYPE_MEM_REG, 1), *mr = kv->b.mr;
	u32 in = PAGE_SIZE - KV_OFF;
	int ret;

	kv_fill(kv);
	expect(PTR_ERR_OR_ZERO(small), 0);
	kv->b.mr = small;
	ret = kv_map(&kv->b, KV_OFF, KV_LEN) ?: kv_reg(&kv->b, &kv->b, 1, KV_RW) ?:
	      kv_refuses(kv, small->iova, small->rkey, in + 1) ?:
	      kv_write(kv, small->iova, small->rkey, in) ?:
	      memcmp(kv->b.buf + KV_OFF, kv->a.buf, in) ?:
	      kv_inv(&kv->b, small->rkey);
	kv->b.mr = mr;
	expect(ib_dereg_mr(small), 0);
	expect(ret, 0);
	return 0;
}

/* A region that is deregistered while it is registered. */
static int kv_dereg(struct kv *kv)
{
	u64 iova;
	u32 key;

	expect(kv_register(kv, 1, KV_RW), 0);
	iova = kv->b.mr->iova;
	key = kv->b.mr->rkey;
	expect(ib_dereg_mr(kv->b.mr), 0);
	kv->b.mr = NULL;
	expect(kv_refuses(kv, iova, key, KV_SHORT), 0);
	expect(kv_zero(&kv->b), 1);
	return 0;
}

/* Limits of a region. */
static int kv_limits(struct kv *kv)
{
	u32 most = kv->dev->attrs.max_fast_reg_page_list_len;
	struct ib_mr *mr = ib_alloc_mr(kv->b.pd, IB_MR_TYPE_MEM_REG, most);

	expect(most >= 256, 1);
	expect(PTR_ERR_OR_ZERO(mr), 0);
	expect(ib_dereg_mr(mr), 0);
	expect(PTR_ERR_OR_ZERO(ib_alloc_mr(kv->b.pd, IB_MR_TYPE_MEM_REG, most + 1)), -EINVAL);
	expect(PTR_ERR_OR_ZERO(ib_alloc_mr(kv->b.pd, IB_MR_TYPE_MEM_REG, 0)), -EINVAL);
	expect(PTR_ERR_OR_ZERO(ib_alloc_mr(kv->b.pd, IB_MR_TYPE_SG_GAPS, 1)), -EOPNOTSUPP);
	return 0;
}

/* What is posted in a hardware interrupt. */
struct kv_posts {
	struct kv *kv;
	int send, recv;
};

static void kv_post(void *arg)
{
	struct kv_posts *p = arg;
	struct ib_sge sge = {
		.addr = (uintptr_t)p->kv->a.buf,
		.length = KV_SHORT,
		.lkey = p->kv->a.pd->local_dma_lkey,
	};
	struct ib_send_wr wr = {
		.opcode = IB_WR_SEND,
		.send_flags = IB_SEND_SIGNALED,
		.sg_list = &sge,
		.num_sge = 1,
	};

	p->recv = kv_recv(&p->kv->b);
	p->send = ib_post_send(p->kv->a.qp, &wr, NULL);
}

static int kv_interrupt(struct kv *kv)
{
	struct kv_posts p = { .kv = kv };
	struct ib_wc wc;
	int i;

	kv_fill(kv);
	for (i = 0; i < 200; i++) {
		kv_in_interrupt(kv_post, &p);
		expect(p.recv, 0);
		expect(p.send, 0);
		expect(kv_poll(&kv->a, &wc), 0);
		expect(wc.status, IB_WC_SUCCESS);
		expect(kv_poll(&kv->b, &wc), 0);
		expect(wc.status, IB_WC_SUCCESS);
	}
	expect(memcmp(kv->b.buf, kv->a.buf, KV_SHORT), 0);
	return 0;
}

/**
 * struct kv_polls - what is done in hardware interrupts
 * @kv: the test
 * @polled: completions of b
 * @failed: some of them were errors
 * @mapped: what naming the pages of a region has returned last
 */
struct kv_polls {
	struct kv *kv;
	int polled;
	bool failed;
	int mapped;
};

static void kv_poll_now(void *arg)
{
	struct kv_polls *p = arg;
	struct ib_wc wc;

	while (ib_poll_cq(p->kv->b.cq, 1, &wc) > 0) {
		p->failed |= wc.status != IB_WC_SUCCESS;
		p->polled++;
	}
	p->mapped = kv_map(&p->kv->a, KV_OFF, KV_LEN);
}

/*
 * Work requests register and invalidate a's region, and b receives, while interrupts name pages of
 * that region, and poll b's queue. The interrupts hit whoever has the locks.
 */
static int kv_interrupt_poll(struct kv *kv)
{
	struct kv_polls p = { .kv = kv };
	struct kv_interrupts *i;
	int n, ret = 0;

	kv_fill(kv);
	kv_poll_now(&p);
	/* One CPU does it all. */
	migrate_disable();
	i = kv_interrupts_begin(kv_poll_now, &p);
	for (n = 0; i && n < 500 && !ret; n++) {
		ret = kv_recv(&kv->b) ?: kv_send(&kv->a, IB_WR_SEND, 0) ?:
		      kv_reg(&kv->a, &kv->a, n, KV_RW) ?: kv_inv(&kv->a, kv->a.mr->rkey);
	}
	kv_interrupts_end(i);
	migrate_enable();
	kv_poll_now(&p);
	expect(ret, 0);
	expect(n, 500);
	expect(p.polled, 500);
	expect(p.failed, false);
	expect(p.mapped, 1);
	return 0;
}

/* In ERR all is flushed, also what is posted in a hardware interrupt. */
static int kv_error(struct kv *kv)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_ERR };
	struct kv_posts p = { .kv = kv };
	struct ib_wc wc;

	expect(ib_modify_qp(kv->a.qp, &attr, IB_QP_STATE), 0);
	expect(ib_modify_qp(kv->b.qp, &attr, IB_QP_STATE), 0);
	kv_in_interrupt(kv_post, &p);
	expect(p.recv, 0);
	expect(p.send, 0);
	expect(kv_poll(&kv->a, &wc), 0);
	expect(wc.status, IB_WC_WR_FLUSH_ERR);
	expect(kv_poll(&kv->b, &wc), 0);
	expect(wc.status, IB_WC_WR_FLUSH_ERR);
	expect(kv_send(&kv->a, IB_WR_SEND, 0), IB_WC_WR_FLUSH_ERR);
	expect(kv_recv(&kv->b), 0);
	expect(kv_poll(&kv->b, &wc), 0);
	expect(wc.status, IB_WC_WR_FLUSH_ERR);
	attr.qp_state = IB_QPS_RESET;
	expect(ib_modify_qp(kv->a.qp, &attr, IB_QP_STATE), 0);
	expect(kv_send(&kv->a, IB_WR_SEND, 0), -EINVAL);
	expect(kv_recv(&kv->a), -EINVAL);
	return 0;
}

/* ib_drain_qp() returns, with full queues, whose requests the peer does not answer. */
static int kv_drain(struct kv *kv)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_ERR };
	struct ib_rdma_wr wr = { .wr.opcode = IB_WR_RDMA_WRITE };
	u32 i, flushed = 0;
	struct ib_wc wc;

	expect(ib_modify_qp(kv->b.qp, &attr, IB_QP_STATE), 0);
	for (i = 0; i < KV_DEPTH - 8; i++) {
		expect(kv_recv(&kv->a), 0);
		wr.wr.send_flags = IB_SEND_SIGNALED;
		expect(ib_post_send(kv->a.qp, &wr.wr, NULL), 0);
	}
	ib_drain_qp(kv->a.qp);
	while (ib_poll_cq(kv->a.cq, 1, &wc) > 0)
		flushed++;
	/* The drain itself takes completions out of the queue while it waits. */
	expect(flushed <= 2 * (KV_DEPTH - 8), 1);
	expect(kv_recv(&kv->a), 0);
	expect(kv_poll(&kv->a, &wc), 0);
	expect(wc.status, IB_WC_WR_FLUSH_ERR);
	return 0;
}

/*
 * Behind a request that the peer refuses there are many more than are flushed at a time: all are
 * completed, in order, without anybody asking.
 */
static int kv_fails_many(struct kv *kv)
{
	static struct ib_rdma_wr wr[KV_DEPTH - 8];
	struct ib_mr *mr = kv->b.mr;
	struct ib_sge sge = kv_sge(&kv->a, KV_SHORT);
	struct ib_wc wc;
	u32 i;

	expect(kv_register(kv, 1, KV_RW), 0);
	for (i = 0; i < ARRAY_SIZE(wr); i++)
		wr[i] = (struct ib_rdma_wr){
			.wr = { .opcode = IB_WR_RDMA_WRITE, .sg_list = &sge, .num_sge = 1,
				.wr_id = i, .send_flags = IB_SEND_SIGNALED,
				.next = i + 1 < ARRAY_SIZE(wr) ? &wr[i + 1].wr : NULL },
			.remote_addr = mr->iova,
			.rkey = mr->rkey ^ !i,
		};
	expect(ib_post_send(kv->a.qp, &wr[0].wr, NULL), 0);
	for (i = 0; i < ARRAY_SIZE(wr); i++) {
		expect(kv_poll(&kv->a, &wc), 0);
		expect(wc.wr_id, i);
		expect(wc.status, i ? IB_WC_WR_FLUSH_ERR : IB_WC_REM_ACCESS_ERR);
	}
	return 0;
}

/* Elements of an inline message: each fits into the queue's entry, their sum does or does not. */
static int kv_inline(struct kv *kv)
{
	u32 most = kv->a.inline_data;
	struct ib_sge sge[2] = { kv_sge(&kv->a, most), kv_sge(&kv->a, 1) };
	struct ib_rdma_wr wr = {
		.wr = { .opcode = IB_WR_RDMA_WRITE, .sg_list = sge, .num_sge = 2,
			.send_flags = IB_SEND_INLINE },
	};

	expect(most >= KV_INLINE, 1);
	expect(kv_register(kv, 1, KV_RW), 0);
	wr.remote_addr = kv->b.mr->iova;
	wr.rkey = kv->b.mr->rkey;
	expect(ib_post_send(kv->a.qp, &wr.wr, NULL), -EINVAL);
	sge[1].length = most;
	expect(ib_post_send(kv->a.qp, &wr.wr, NULL), -EINVAL);
	sge[0].length = most + 1;
	wr.wr.num_sge = 1;
	expect(ib_post_send(kv->a.qp, &wr.wr, NULL), -EINVAL);
	/* Nothing of these has been posted. What fits is sent as it was when it was posted. */
	sge[0].length = most - 5;
	sge[1].length = 5;
	sge[1].addr = (uintptr_t)kv->a.buf + most - 5;
	wr.wr.num_sge = 2;
	expect(kv_do(&kv->a, &wr.wr), IB_WC_SUCCESS);
	expect(memcmp(kv->b.buf + KV_OFF, kv->a.buf, most), 0);
	expect(!memchr_inv(kv->b.buf + KV_OFF + most, 0, KV_BYTES - KV_OFF - most), 1);
	return 0;
}

/* As many work requests as the queue holds, and none more; then it works. */
static int kv_full(struct kv *kv)
{
	struct ib_sge sge = { .addr = (uintptr_t)kv->b.buf, .lkey = kv->b.pd->local_dma_lkey };
	struct ib_recv_wr wr = { .sg_list = &sge };
	u32 i = 0;

	while (i < 4 * KV_DEPTH && !ib_post_recv(kv->b.qp, &wr, NULL))
		i++;
	expect(i >= KV_DEPTH && i < 4 * KV_DEPTH, 1);
	expect(ib_post_recv(kv->b.qp, &wr, NULL), -ENOMEM);
	wr.num_sge = 2;
	expect(ib_post_recv(kv->b.qp, &wr, NULL), -EINVAL);
	return 0;
}

/* Memory of the kernel is not on demand: there is nothing to advise. */
static int kv_advise(struct kv *kv)
{
	struct ib_sge sge = kv_sge(&kv->b, KV_SHORT);

	expect(ib_advise_mr(kv->b.pd, IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH, 0, &sge, 1),
	       -EOPNOTSUPP);
	return 0;
}

static const struct {
	const char *name;
	int (*fn)(struct kv *kv);
} kv_rows[] = {
	{ "access", kv_access },
	{ "bounds", kv_bounds },
	{ "invalid", kv_invalid },
	{ "old_key", kv_old_key },
	{ "rights", kv_rights },
	{ "domain", kv_domain },
	{ "twice", kv_twice },
	{ "remote", kv_remote },
	{ "remote_refused", kv_remote_refused },
	{ "all_memory", kv_all_memory },
	{ "staged", kv_staged },
	{ "partly", kv_partly },
	{ "dereg", kv_dereg },
	{ "limits", kv_limits },
	{ "interrupt", kv_interrupt },
	{ "interrupt_poll", kv_interrupt_poll },
	{ "error", kv_error },
	{ "drain", kv_drain },
	{ "full", kv_full },
	{ "fails_many", kv_fails_many },
	{ "inline", kv_inline },
	{ "advise", kv_advise },
	{ "completions_gone", kv_completions_gone },
	{ "create_refused", kv_create_refused },
	{ "datagram_refused", kv_datagram_refused },
	{ "full_sends", kv_full_sends },
	{ "inv_follows", kv_inv_follows },
	{ "post_refused", kv_post_refused },
	{ "region_refused", kv_region_refused },
	{ "handler", kv_handler },
	{ "settle", kv_settle },
	{ "moderation", kv_moderation },
	{ "moderation_adaptive", kv_moderation_adaptive },
	{ "moderation_gone", kv_moderation_gone },
	{ "moderation_refused", kv_moderation_refused },
	{ "stops", kv_stops },
	{ "atomic", kv_atomic },
	{ "atomic_refused", kv_atomic_refused },
	{ "srq", kv_srq },
	{ "srq_limit", kv_srq_limit },
	{ "srq_last", kv_srq_last },
	{ "srq_fatal", kv_srq_fatal },
	{ "vlan_gone", kv_vlan_gone },
	{ "srq_refused", kv_srq_refused },
};

int kv_row(struct kv *kv, const char *name)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(kv_rows); i++)
		if (!strcmp(kv_rows[i].name, name))
			return kv_rows[i].fn(kv);
	return -ENOENT;
}
