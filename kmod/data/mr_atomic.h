/* SPDX-License-Identifier: GPL-2.0-only */
/* Atomic operations on a region's bytes. */
#ifndef _XR_MR_ATOMIC_H
#define _XR_MR_ATOMIC_H

#include <linux/atomic.h>
#include <linux/unaligned.h>

#include "xroce_kfunc.h"
#include "xroce_wire.h"

#include "mr_copy.h"

/**
 * xr_mr_atomic() - execute an atomic operation on a region
 * @mr: held by the caller, who may write to it
 * @va: address of the eight bytes in the region
 * @opcode: XROCE_RC_CMP_SWAP, XROCE_RC_FETCH_ADD or XROCE_RC_ATOMIC_WRITE
 * @with: xroce_atomic::off, in the frame
 * @value: out: what was there
 *
 * With the instructions of the CPU, so that it is atomic for all who use them.
 *
 * Return: 0; -ERANGE: outside the region; -EINVAL: unknown operation, or not aligned;
 * -EAGAIN, -EFAULT: as of xr_odp_ready().
 */
static __always_inline int xr_mr_atomic(const struct xr_mr *mr, u64 va, u32 opcode,
					const void *with, u64 *value)
{
	u32 n = sizeof(u64);
	u64 *word, off;
	int ret;

	ret = xr_mr_range(mr, va, sizeof(*word), true, &off);
	if (unlikely(ret))
		return ret;
	word = xr_mr_at(mr, off, &n);
	/* Aligned for the peer, it need not be so in memory. */
	if (unlikely((unsigned long)word % sizeof(*word)))
		return -EINVAL;
	switch (opcode) {
	case XROCE_RC_CMP_SWAP:
		*value = cmpxchg(word, get_unaligned_be64(with + sizeof(*word)),
				 get_unaligned_be64(with));
		return 0;
	case XROCE_RC_FETCH_ADD:
		*value = atomic64_fetch_add(get_unaligned_be64(with),
					    (atomic64_t *)word);
		return 0;
	case XROCE_RC_ATOMIC_WRITE:
		/* After all that was written before; bytes as they are, no number. */
		smp_store_release(word, get_unaligned((const u64 *)with));
		*value = 0;
		return 0;
	}
	return -EINVAL;
}

#endif
