/* SPDX-License-Identifier: GPL-2.0-only */
/* A consumer of verbs in the kernel, for tests: two connected queue pairs of one device. */
#ifndef _KVERBS_H
#define _KVERBS_H

#include <linux/printk.h>
#include <linux/scatterlist.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>

#define KV_PAGES	4u	/* of a buffer */
#define KV_BYTES	(KV_PAGES * PAGE_SIZE)
#define KV_DEPTH	256u	/* work requests in a queue */
#define KV_INLINE	64u	/* bytes of inline data that a queue pair asks for */

#define KV_RW	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ)
#define KV_OFF	1000u	/* of a region in its buffer */
#define KV_LEN	9000u	/* of a region: three pages */

/**
 * struct kv_end - a queue pair
 * @pd: its protection domain
 * @cq: its completion queue, for sends and receives
 * @qp: the queue pair
 * @inline_data: bytes of inline data that it has
 * @buf: memory of its own, KV_BYTES, contiguous
 * @mr: region that work requests register, of @pd
 * @sg: @buf
 */
struct kv_end {
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct ib_qp *qp;
	u32 inline_data;
	u8 *buf;
	struct ib_mr *mr;
	struct scatterlist sg;
};

/**
 * struct kv - a test
 * @dev: the device
 * @a: requests; @b: responds, unless a test says otherwise
 * @other: a domain with a region of its own, and a buffer for that
 */
struct kv {
	struct ib_device *dev;
	struct kv_end a, b, other;
};

/* Wait until a work request has completed. Return: 0; -ETIMEDOUT. */
int kv_poll(struct kv_end *e, struct ib_wc *wc);

/* Post a work request, wait for its completion. Return: enum ib_wc_status, or an errno. */
int kv_do(struct kv_end *e, struct ib_send_wr *wr);

/* Name the pages of the region: @length bytes from @off in @e->buf. */
int kv_map(struct kv_end *e, u32 off, u32 length);

/* Register the region for @access through @by, with key byte @byte. Return: as kv_do(). */
int kv_reg(struct kv_end *by, struct kv_end *e, u8 byte, int access);

/* Invalidate a key. Return: as kv_do(). */
int kv_inv(struct kv_end *e, u32 key);

/* WRITE or READ @length bytes of @e->buf, from its beginning. Return: as kv_do(). */
int kv_rdma(struct kv_end *e, enum ib_wr_opcode op, u64 addr, u32 key, u32 length);

/* The memory: @length bytes of @e->buf, from its beginning. */
struct ib_sge kv_sge(struct kv_end *e, u32 length);

/* Create a queue pair, instead of the one there is, with or without a shared receive queue. */
int kv_qp(struct kv_end *e, struct ib_srq *srq,
	  void (*event)(struct ib_event *event, void *context), void *context);

/* Post a receive for @e->buf, from its beginning. */
int kv_recv(struct kv_end *e);

/* A short SEND out of @e->buf, or SEND with Invalidate of @key. Return: as kv_do(). */
int kv_send(struct kv_end *e, enum ib_wr_opcode op, u32 key);

/* The address of the device: that of the first GID that is IPv4. */
int kv_address(struct ib_device *ib, struct rdma_ah_attr *ah);

/* Connect the queue pairs, again if they were connected. */
int kv_connect(struct kv *kv);

/* Run @fn(@arg) in a hardware interrupt. */
void kv_in_interrupt(void (*fn)(void *arg), void *arg);

/*
 * Run @fn(@arg) in hardware interrupts of this CPU, some 100 us apart, from kv_interrupts_begin()
 * on until kv_interrupts_end().
 */
struct kv_interrupts *kv_interrupts_begin(void (*fn)(void *arg), void *arg);
void kv_interrupts_end(struct kv_interrupts *i);

/* b registers KV_LEN bytes, KV_OFF bytes from the beginning of its buffer. */
int kv_register(struct kv *kv, u8 byte, int access);

int kv_row(struct kv *kv, const char *name);

/* Rows with a file of their own. */
int kv_atomic(struct kv *kv);
int kv_atomic_refused(struct kv *kv);
int kv_completions_gone(struct kv *kv);
int kv_create_refused(struct kv *kv);
int kv_datagram_refused(struct kv *kv);
int kv_full_sends(struct kv *kv);
int kv_handler(struct kv *kv);
int kv_settle(struct kv *kv);
int kv_moderation(struct kv *kv);
int kv_moderation_adaptive(struct kv *kv);
int kv_moderation_gone(struct kv *kv);
int kv_moderation_refused(struct kv *kv);
int kv_inv_follows(struct kv *kv);
int kv_post_refused(struct kv *kv);
int kv_region_refused(struct kv *kv);
int kv_srq(struct kv *kv);
int kv_srq_limit(struct kv *kv);
int kv_srq_last(struct kv *kv);
int kv_srq_fatal(struct kv *kv);
int kv_srq_refused(struct kv *kv);
int kv_stops(struct kv *kv);
int kv_vlan_gone(struct kv *kv);

/* In a row: fail unless @what is @is. */
#define expect(what, is) do {							\
	long got_ = (what), is_ = (is);						\
	if (got_ != is_) {							\
		pr_err("kverbs: %s:%d: %s is %ld, not %ld\n", __func__, __LINE__,	\
		       #what, got_, is_);						\
		return -ECANCELED;						\
	}									\
} while (0)

#endif
