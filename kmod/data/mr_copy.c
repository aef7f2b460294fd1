// SPDX-License-Identifier: GPL-2.0-only
/* Reading and writing regions, where it is not as simple as in mr_copy.h. */
#include "mr_copy.h"

/* Is a range of on-demand memory there? As xr_odp_ready() says. */
int xr_mr_ready(const struct xr_mr *mr, u64 off, u32 len, bool write)
{
	const struct xr_umem *umem = mr->umem;

	return xr_odp_ready(xr_odp_behind(umem), umem->offset + off, len, write);
}

/**
 * xr_mr_miss() - say what an access to on-demand memory has missed
 * @mr: held by the caller
 * @va: as for xr_mr_range(), which has returned -EAGAIN; and so are @len and @write
 * @len: bytes
 * @ahead: bytes that the message goes on for
 * @write: it is to be written to
 * @miss: out: for xr_odp_ask(), after xr_mr_release()
 */
void xr_mr_miss(const struct xr_mr *mr, u64 va, u32 len, u32 ahead, bool write,
		struct xr_odp_miss *miss)
{
	const struct xr_umem *umem = mr->umem;

	xr_odp_miss(xr_odp_behind(umem), umem->offset + va - mr->iova, len, ahead, write, miss);
}

/*
 * Copy bytes of a frame into a region if @write, else of a region into a frame, and zeros
 * behind them up to a multiple of four: between several buffers and several blocks, all
 * of which is there. For the rest see xr_mr_write().
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

/* Copy bytes of a frame in several buffers to where they lie together. */
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
 * @mr: held by the caller, who may write to it
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
