/* SPDX-License-Identifier: GPL-2.0-only */
/* Atomic operations on a region. */
#ifndef _XR_FRAME_ATOMIC_H
#define _XR_FRAME_ATOMIC_H

#include <linux/atomic.h>
#include <linux/unaligned.h>

#include "xroce_kfunc.h"
#include "xroce_wire.h"

#include "payload.h"

/**
 * xr_mr_atomic() - execute an atomic operation on a region
 * @mr: region, held by the caller, who has the right to write to it
 * @va: address of the eight bytes in the region
 * @opcode: XROCE_RC_CMP_SWAP, XROCE_RC_FETCH_ADD or XROCE_RC_ATOMIC_WRITE
 * @with: operands in the frame, see xroce_atomic::off
 * @value: out: the original value; 0 for an ATOMIC WRITE
 *
 * Uses the CPU's atomic instructions, so that the operation is atomic with respect to
 * programs, too.
 *
 * Return: 0; -ERANGE: outside the region; -EINVAL: unknown operation, or not aligned in
 * memory; -EAGAIN, -EFAULT: as xr_odp_ready().
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
	/* An address that is aligned for the peer need not be aligned in memory. */
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
		/* After all earlier WRITEs. The bytes are stored as they are, unswapped. */
		smp_store_release(word, get_unaligned((const u64 *)with));
		*value = 0;
		return 0;
	}
	return -EINVAL;
}

#endif
