// SPDX-License-Identifier: GPL-2.0-only
/* Copying from and to regions: the less frequent cases. payload.h has the others. */
#include "payload.h"

/*
 * Copy bytes between a frame and a region, which may be in several buffers and blocks, all
 * of them resident. @write: from the frame to the region; otherwise from the region to the
 * frame, followed by zeros up to a multiple of four. @at is an offset in the region.
 */
void xr_mr_move_any(const struct xr_mr *mr, u64 at, struct xdp_buff *xdp, u32 off,
		    u32 len, bool write)
{
	bool vector = xr_vcopy_begin(len);
	u32 pad = write ? 0 : -len & 3;
	void *bytes, *mem, *to, *from;
	u32 n, have;

	while (len) {
		bytes = xr_frame_at(xdp, off, &have);
		n = min(len, have);
		mem = xr_mr_at(mr, at, &n);
		to = write ? mem : bytes;
		from = write ? bytes : mem;
		if (vector)
			xr_copy_vector(to, from, n);
		else
			xr_copy_plain(to, from, n);
		off += n;
		at += n;
		len -= n;
	}
	if (vector)
		xr_vector_end();
	while (pad--)
		*(u8 *)xr_frame_at(xdp, off++, &have) = 0;
}

/* Copy bytes of a frame in several buffers to contiguous memory. */
void xr_mr_gather(void *to, struct xdp_buff *xdp, u32 off, u32 len)
{
	bool vector = xr_vcopy_begin(len);
	const void *bytes;
	u32 n;

	for (; len; to += n, off += n, len -= n) {
		bytes = xr_frame_at(xdp, off, &n);
		n = min(n, len);
		if (likely(vector))
			xr_copy_vector(to, bytes, n);
		else
			xr_copy_plain(to, bytes, n);
	}
	if (likely(vector))
		xr_vector_end();
}

/**
 * xr_mr_store() - copy bytes into a region
 * @mr: region, held by the caller, who has the right to write to it
 * @va: address of the first byte in the region
 * @src: source
 * @len: bytes
 *
 * Return: as xr_mr_write().
 */
int xr_mr_store(const struct xr_mr *mr, u64 va, const void *src, u32 len)
{
	void *dst;
	int ret;
	u64 to;
	u32 n;

	ret = xr_mr_range(mr, va, len, true, &to);
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
