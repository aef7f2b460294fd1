/* SPDX-License-Identifier: GPL-2.0-only */
/* Atomic operations on a region's bytes. */
#ifndef _XR_MR_ATOMIC_H
#define _XR_MR_ATOMIC_H

#include <linux/atomic.h>

#include "xroce_kfunc.h"
#include "xroce_wire.h"

#include "mr_copy.h"

/**
 * xr_mr_atomic() - execute an atomic operation on a region
 * @mr: held by the caller
 * @a: what, which nobody else may change meanwhile; what was there is filled in
 *
 * With the instructions of the CPU, so that it is atomic for all who use them.
 *
 * Return: 0; -EACCES: it has no local write; -ERANGE: outside
 * the region; -EINVAL: unknown operation, or not aligned; -EAGAIN, -EFAULT: as
 * of xr_odp_ready().
 */
static __always_inline int xr_mr_atomic(const struct xr_mr *mr, struct xroce_atomic *a)
{
	u32 n = sizeof(u64);
	u64 *word, off;
	int ret;

	if (unlikely(!mr->writable))
		return -EACCES;
	if (unlikely(xr_mr_offset(mr, a->va, sizeof(*word), &off)))
		return -ERANGE;
	if (unlikely(mr->pin->odp) &&
	    !xr_mr_resident(mr, off, sizeof(*word), XR_ODP_RIGHTS)) {
		ret = xr_mr_ready(mr, off, sizeof(*word), 0, true);
		if (ret)
			return ret;
	}
	word = xr_mr_at(mr, off, &n);
	/* Aligned for the peer, it need not be so in memory. */
	if (unlikely((unsigned long)word % sizeof(*word)))
		return -EINVAL;
	switch (a->opcode) {
	case XROCE_RC_CMP_SWAP:
		a->value = cmpxchg(word, a->value, a->operand);
		return 0;
	case XROCE_RC_FETCH_ADD:
		a->value = atomic64_fetch_add(a->operand, (atomic64_t *)word);
		return 0;
	case XROCE_RC_ATOMIC_WRITE:
		/* After all that was written before. */
		smp_store_release(word, a->operand);
		a->value = 0;
		return 0;
	}
	return -EINVAL;
}

#endif
