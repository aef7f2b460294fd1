/* SPDX-License-Identifier: GPL-2.0-only */
/* Judging a key (IBTA 9.7.4.1.3, 10.6.3). */
#ifndef _XROCE_MPT_BPF_H
#define _XROCE_MPT_BPF_H

/**
 * mpt_check_all() - may this queue pair do that to this range, or to the whole?
 * @key: R_Key
 * @q: the queue pair
 * @va: first byte
 * @len: bytes
 * @rights: XROCE_ACCESS_* that are needed, all of them
 * @whole: @va and @len do not count
 *
 * An entry that the module is changing may be seen half changed. It is not
 * VALID at first and its key is a new one, and the module compares the key
 * again, so that no more than a refusal can come of it. A window's key may come
 * back, as the user chooses it: the module asks all of this again of windows.
 *
 * Return: enum xroce_cause; XROCE_CAUSE_NONE: it may.
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
	/* A window of type 2A is its queue pair's alone, and knows no domain. */
	if (unlikely(m->pd != q->pd) && m->type != XROCE_MPT_MW_2A)
		return because(XROCE_CAUSE_ACC_PD);
	if (unlikely(m->qpn) && m->qpn != q->qpn)
		return because(XROCE_CAUSE_ACC_QP);
	if (unlikely((m->access & rights) != rights))
		return because(XROCE_CAUSE_ACC_RIGHT);
	if (whole)
		return XROCE_CAUSE_NONE;
	/* No sum of the two, which could pass 2^64. */
	off = va - m->iova;
	if (unlikely(va < m->iova || off > m->length || len > m->length - off))
		return because(XROCE_CAUSE_ACC_BOUNDS);
	return XROCE_CAUSE_NONE;
}

/* The same for a range and one right. */
static __always_inline int mpt_check(__u32 key, const struct xroce_qp *q, __u64 va,
				     __u32 len, __u32 right)
{
	return mpt_check_all(key, q, va, len, right, false);
}

/**
 * mpt_check_invalidate() - may this queue pair's peer invalidate that key?
 * @key: R_Key
 * @q: the queue pair
 *
 * Only windows of type 2 can be invalidated from afar (IBTA 10.6.7.2.6).
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
	    (m->type != XROCE_MPT_MW_2A && m->type != XROCE_MPT_MW_2B))
		return XROCE_CAUSE_ACC_KEY;
	if (m->pd != q->pd && m->type != XROCE_MPT_MW_2A)
		return XROCE_CAUSE_ACC_PD;
	return m->qpn == q->qpn ? XROCE_CAUSE_NONE : XROCE_CAUSE_ACC_QP;
}

/**
 * mpt_refused() - count a refusal for the region that the request names, or that
 *	is behind the window
 * @cause: why; no other than those of mpt_check_all() count
 * @key: R_Key; of whose index there is a region: its lower byte may be another's
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
