/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checking a key: index, key byte, protection domain, right and bounds (IBTA 9.7.4.1.3, 10.6.3),
 * in the map "mpt". Which right an operation needs is said by its file: write.bpf.h, fast.bpf.h,
 * read.bpf.h, atomic.bpf.h, flush.bpf.h; in the module by kfunc.c and, for queued READs, by
 * frame/tx.c.
 *
 * The module repeats the checks before it copies: frame/access.h for regions, obj/mw.c for
 * windows.
 */
#ifndef _XROCE_MPT_BPF_H
#define _XROCE_MPT_BPF_H

/**
 * mpt_check_all() - check access of a queue pair's peer to a range, or to a whole region
 * @key: R_Key
 * @q: the queue pair
 * @va: address of the first byte
 * @len: bytes
 * @rights: XROCE_ACCESS_* that are needed, all of them
 * @whole: do not check @va and @len
 *
 * An entry may be half changed, because the module writes it without a lock. While it
 * changes, it is not VALID, and afterwards its key is a new one. The module compares the key
 * again, so the worst result is a refusal. The key of a window can recur, because users
 * choose its low byte, and so can that of a region of the kernel that work requests register: the
 * module makes all of these checks again.
 *
 * Return: enum xroce_cause; XROCE_CAUSE_NONE: access is granted.
 */
static __always_inline int mpt_check_all(__u32 key,
					 const struct xroce_qp *q, __u64 va,
					 __u32 len, __u32 rights, bool whole)
{
	__u32 index = key >> XROCE_KEY_SHIFT;
	const struct xroce_mpt *m;
	__u64 off;

	m = bpf_map_lookup_elem(&mpt, &index);
	if (unlikely(!m || m->key != key || m->state != XROCE_MPT_VALID))
		return because(XROCE_CAUSE_ACC_KEY);
	/* A window of type 2A has the domain of its only queue pair, which is compared below. */
	if (unlikely(m->pd != q->pd) && m->type != XROCE_MPT_MW_2A)
		return because(XROCE_CAUSE_ACC_PD);
	if (unlikely(m->qpn) && m->qpn != q->qpn)
		return because(XROCE_CAUSE_ACC_QP);
	if (unlikely((m->access & rights) != rights))
		return because(XROCE_CAUSE_ACC_RIGHT);
	if (whole)
		return XROCE_CAUSE_NONE;
	/* No sum of address and length: it could exceed 2^64. */
	off = va - m->iova;
	if (unlikely(va < m->iova || off > m->length || len > m->length - off))
		return because(XROCE_CAUSE_ACC_BOUNDS);
	return XROCE_CAUSE_NONE;
}

/* Like mpt_check_all(), for a range and one right. */
static __always_inline int mpt_check(__u32 key, const struct xroce_qp *q, __u64 va,
				     __u32 len, __u32 right)
{
	return mpt_check_all(key, q, va, len, right, false);
}

/**
 * mpt_check_invalidate() - check whether a queue pair's peer may invalidate a key
 * @key: R_Key
 * @q: the queue pair
 *
 * A peer can invalidate windows of type 2 (IBTA 10.6.7.2.6), and regions with remote rights that
 * work requests register.
 *
 * Return: enum xroce_cause.
 */
static __always_inline int mpt_check_invalidate(__u32 key,
						const struct xroce_qp *q)
{
	__u32 index = key >> XROCE_KEY_SHIFT;
	const struct xroce_mpt *m;

	m = bpf_map_lookup_elem(&mpt, &index);
	if (!m || m->key != key || m->state != XROCE_MPT_VALID ||
	    (m->type != XROCE_MPT_MW_2A && m->type != XROCE_MPT_MW_2B &&
	     m->type != XROCE_MPT_MR_FAST))
		return XROCE_CAUSE_ACC_KEY;
	if (m->pd != q->pd && m->type != XROCE_MPT_MW_2A)
		return XROCE_CAUSE_ACC_PD;
	if (m->type == XROCE_MPT_MR_FAST)
		return m->access & XROCE_ACCESS_REMOTE ? XROCE_CAUSE_NONE : XROCE_CAUSE_ACC_RIGHT;
	return m->qpn == q->qpn ? XROCE_CAUSE_NONE : XROCE_CAUSE_ACC_QP;
}

/**
 * mpt_refused() - count a refusal for a region, or for the region that a window is bound to
 * @cause: enum xroce_cause; only causes of mpt_check_all() count
 * @key: R_Key in the request; only its index is used, the low byte may be wrong
 */
__noinline int mpt_refused(int cause, __u32 key)
{
	__u32 index = key >> XROCE_KEY_SHIFT;
	const struct xroce_mpt *m;
	struct xroce_mr_stat *st;

	if (cause < XROCE_CAUSE_ACC_KEY || cause > XROCE_CAUSE_ACC_BOUNDS)
		return 0;
	m = bpf_map_lookup_elem(&mpt, &index);
	if (!m || m->state != XROCE_MPT_VALID)
		return 0;
	if (m->mr)
		index = m->mr;
	st = bpf_map_lookup_elem(&mr_stat, &index);
	if (st)
		st->refused++;
	return 0;
}

#endif
