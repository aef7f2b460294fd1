// SPDX-License-Identifier: GPL-2.0-only
/* Rows: a consumer in the kernel posts atomics. */
#include <linux/string.h>
#include <rdma/ib_verbs.h>

#include "kverbs.h"

#define KV_ATOMIC	(KV_RW | IB_ACCESS_REMOTE_ATOMIC)

/* The word of b's region at its beginning, and the one that a's atomics bring. */
static u64 *kv_word(struct kv *kv)
{
	return (u64 *)(kv->b.buf + KV_OFF);
}

static u64 kv_got(struct kv *kv)
{
	return *(u64 *)kv->a.buf;
}

/* An atomic of a, with @length bytes for its result. Return: as kv_do(). */
static int kv_post_atomic(struct kv *kv, struct ib_atomic_wr wr, u32 length)
{
	struct ib_sge sge = kv_sge(&kv->a, length);

	wr.wr.sg_list = &sge;
	wr.wr.num_sge = 1;
	return kv_do(&kv->a, &wr.wr);
}

static int kv_add(struct kv *kv, u64 addr, u32 key, u64 add)
{
	return kv_post_atomic(kv, (struct ib_atomic_wr){
		.wr.opcode = IB_WR_ATOMIC_FETCH_AND_ADD,
		.remote_addr = addr, .rkey = key, .compare_add = add,
	}, sizeof(u64));
}

static int kv_swap(struct kv *kv, u64 addr, u32 key, u64 compare, u64 swap)
{
	return kv_post_atomic(kv, (struct ib_atomic_wr){
		.wr.opcode = IB_WR_ATOMIC_CMP_AND_SWP,
		.remote_addr = addr, .rkey = key, .compare_add = compare, .swap = swap,
	}, sizeof(u64));
}

/* The word is replaced, the old one returned, and nothing else written. */
int kv_atomic(struct kv *kv)
{
	const u64 first = 0x1122334455667788, more = 0xfffffffffffffff0;
	struct ib_mr *mr = kv->b.mr;

	expect(kv_register(kv, 1, KV_ATOMIC), 0);
	*kv_word(kv) = first;
	expect(kv_add(kv, mr->iova, mr->rkey, more), IB_WC_SUCCESS);
	expect(kv_got(kv) == first, 1);
	expect(*kv_word(kv) == first + more, 1);
	expect(kv_swap(kv, mr->iova, mr->rkey, first, 7), IB_WC_SUCCESS);
	expect(kv_got(kv) == first + more, 1);
	expect(*kv_word(kv) == first + more, 1);
	expect(kv_swap(kv, mr->iova, mr->rkey, first + more, 7), IB_WC_SUCCESS);
	expect(kv_got(kv) == first + more, 1);
	expect(*kv_word(kv), 7);
	*kv_word(kv) = 0;
	expect(!memchr_inv(kv->b.buf, 0, KV_BYTES), 1);
	expect(kv->a.buf[sizeof(u64)], 0xa5);
	return 0;
}

/* The word has not changed, and the connection is made again. */
static int kv_unchanged(struct kv *kv)
{
	expect(*kv_word(kv), 42);
	expect(kv_connect(kv), 0);
	return 0;
}

/* A wrong key, no right, and addresses that are not a multiple of 8; no room for the result. */
int kv_atomic_refused(struct kv *kv)
{
	struct ib_mr *mr = kv->b.mr;

	expect(kv_register(kv, 1, KV_ATOMIC), 0);
	*kv_word(kv) = 42;
	expect(kv_add(kv, mr->iova, mr->rkey ^ 1, 1), IB_WC_REM_ACCESS_ERR);
	expect(kv_unchanged(kv), 0);
	expect(kv_swap(kv, mr->iova + KV_LEN, mr->rkey, 0, 1), IB_WC_REM_ACCESS_ERR);
	expect(kv_unchanged(kv), 0);
	expect(kv_add(kv, mr->iova + 4, mr->rkey, 1), IB_WC_REM_INV_REQ_ERR);
	expect(kv_unchanged(kv), 0);
	expect(kv_post_atomic(kv, (struct ib_atomic_wr){
		.wr.opcode = IB_WR_ATOMIC_FETCH_AND_ADD,
		.remote_addr = mr->iova, .rkey = mr->rkey, .compare_add = 1,
	}, sizeof(u64) - 1), -EINVAL);
	expect(kv_inv(&kv->b, mr->rkey), IB_WC_SUCCESS);
	expect(kv_reg(&kv->b, &kv->b, 2, KV_RW), IB_WC_SUCCESS);
	expect(kv_add(kv, mr->iova, mr->rkey, 1), IB_WC_REM_ACCESS_ERR);
	expect(kv_unchanged(kv), 0);
	return 0;
}
