// SPDX-License-Identifier: GPL-2.0-only
/*
 * Row: once a consumer in the kernel knows that its queue pair has failed, it may use its memory
 * for something else: the peer's READs, of which many are under way, read no more of it.
 */
#include <linux/string.h>
#include <rdma/ib_verbs.h>

#include "kverbs.h"

#define KV_ROUNDS	30
#define KV_READS	128
#define KV_BEFORE	0x11
#define KV_AFTER	0xee

/* a reads all of b's region, again and again. All is posted at once. */
static int kv_reads(struct kv *kv)
{
	static struct ib_rdma_wr wr[KV_READS];
	struct ib_sge sge = kv_sge(&kv->a, KV_LEN);
	int i;

	for (i = 0; i < KV_READS; i++)
		wr[i] = (struct ib_rdma_wr){
			.wr = { .opcode = IB_WR_RDMA_READ, .sg_list = &sge, .num_sge = 1,
				.send_flags = IB_SEND_SIGNALED,
				.next = i < KV_READS - 1 ? &wr[i + 1].wr : NULL },
			.remote_addr = kv->b.mr->iova,
			.rkey = kv->b.mr->rkey,
		};
	return ib_post_send(kv->a.qp, &wr[0].wr, NULL);
}

/* b posts what it cannot send, and waits until it has failed. Return: as kv_do(). */
static int kv_fails(struct kv *kv)
{
	struct ib_sge sge = kv_sge(&kv->b, 64);
	struct ib_send_wr wr = { .opcode = IB_WR_SEND, .sg_list = &sge, .num_sge = 1 };

	sge.lkey ^= 1;
	return kv_do(&kv->b, &wr);
}

int kv_stops(struct kv *kv)
{
	struct ib_wc wc;
	int i, n;

	expect(kv_register(kv, 7, KV_RW), 0);
	for (i = 0; i < KV_ROUNDS; i++) {
		memset(kv->a.buf, 0, KV_BYTES);
		memset(kv->b.buf, KV_BEFORE, KV_BYTES);
		expect(kv_connect(kv), 0);
		expect(kv_reads(kv), 0);
		expect(kv_fails(kv), IB_WC_LOC_PROT_ERR);
		memset(kv->b.buf, KV_AFTER, KV_BYTES);
		for (n = 0; n < KV_READS; n++)
			expect(kv_poll(&kv->a, &wc), 0);
		expect(memchr(kv->a.buf, KV_AFTER, KV_BYTES) != NULL, 0);
	}
	return 0;
}
