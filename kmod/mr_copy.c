// SPDX-License-Identifier: GPL-2.0-only
/* Reading and writing regions, where it is not as simple as in mr_copy.h. */
#include "xroce_kfunc.h"
#include "xroce_wire.h"

#include "mr_copy.h"

/* Is a range of memory on demand there? As xr_odp_ready() says. */
int xr_mr_ready(const struct xr_mr *mr, u64 off, u32 len, u32 ahead, bool write)
{
	const struct xr_pin *pin = mr->pin;

	return xr_odp_ready(pin->odp, pin->offset + off, len, ahead, write);
}

/*
 * xr_mr_move() between several buffers and several blocks, all of which is there, and
 * where there is a pad.
 */
void xr_mr_move_any(const struct xr_mr *mr, u64 at, struct xdp_buff *xdp, u32 off,
		    u32 len, bool write)
{
	u32 pad = write ? 0 : -len & 3;
	void *bytes, *mem;
	u32 n, have;

	while (len) {
		bytes = xr_frame_at(xdp, off, &have);
		n = min(len, have);
		mem = xr_mr_at(mr, at, &n);
		if (write)
			xr_copy(mem, bytes, n);
		else
			xr_copy(bytes, mem, n);
		off += n;
		at += n;
		len -= n;
	}
	while (pad--)
		*(u8 *)xr_frame_at(xdp, off++, &have) = 0;
}

/**
 * xr_mr_atomic() - execute an atomic operation on a region
 * @mr: held by the caller
 * @a: what; its result is filled in
 *
 * With the instructions of the CPU, so that it is atomic for all who use them.
 *
 * Return: 0; -EACCES: it has no local write; -ERANGE: outside
 * the region; -EINVAL: unknown operation, or not aligned; -EAGAIN, -EFAULT: as
 * of xr_odp_ready().
 */
int xr_mr_atomic(const struct xr_mr *mr, struct xroce_atomic *a)
{
	u32 n = sizeof(u64);
	u64 *word, off;
	int ret;

	if (!mr->writable)
		return -EACCES;
	if (xr_mr_offset(mr, a->va, sizeof(*word), &off))
		return -ERANGE;
	ret = unlikely(mr->pin->odp) ?
	      xr_mr_ready(mr, off, sizeof(*word), 0, true) : 0;
	if (ret)
		return ret;
	word = xr_mr_at(mr, off, &n);
	/* Aligned for the peer, it need not be so in memory. */
	if ((unsigned long)word % sizeof(*word))
		return -EINVAL;
	switch (a->opcode) {
	case XROCE_RC_CMP_SWAP:
		a->result = cmpxchg(word, a->compare, a->operand);
		return 0;
	case XROCE_RC_FETCH_ADD:
		a->result = atomic64_fetch_add(a->operand, (atomic64_t *)word);
		return 0;
	case XROCE_RC_ATOMIC_WRITE:
		/* After all that was written before. */
		smp_store_release(word, a->operand);
		a->result = 0;
		return 0;
	}
	return -EINVAL;
}

/**
 * xr_mr_store() - copy bytes into a region
 * @mr: held by the caller
 * @va: address of the first byte in the region
 * @src: the bytes
 * @len: how many
 *
 * Return: as for xr_mr_write().
 */
int xr_mr_store(const struct xr_mr *mr, u64 va, const void *src, u32 len)
{
	void *dst;
	int ret;
	u64 to;
	u32 n;

	if (!mr->writable)
		return -EACCES;
	if (xr_mr_offset(mr, va, len, &to))
		return -ERANGE;
	ret = unlikely(mr->pin->odp) ? xr_mr_ready(mr, to, len, 0, true) : 0;
	if (ret)
		return ret;
	while (len) {
		n = len;
		dst = xr_mr_at(mr, to, &n);
		xr_copy(dst, src, n);
		src += n;
		to += n;
		len -= n;
	}
	return 0;
}
