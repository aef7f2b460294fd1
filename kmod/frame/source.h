/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the bytes are that are to be written to regions. */
#ifndef _XR_FRAME_SOURCE_H
#define _XR_FRAME_SOURCE_H

#include <linux/compiler.h>
#include <linux/types.h>

struct xdp_buff;

/**
 * struct xr_source - bytes that are to be written to regions: in a buffer, or in a frame
 * @buf: the first byte; NULL: the bytes are in a frame
 * @xdp: the frame, if @buf is NULL
 * @off: offset of the first byte in the frame
 */
struct xr_source {
	const void *buf;
	struct xdp_buff *xdp;
	u32 off;
};

/* The first @n bytes have been written: go on to the next one. */
static __always_inline void xr_source_skip(struct xr_source *s, u32 n)
{
	s->off += n;
	if (s->buf)
		s->buf += n;
}

#endif
