/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Start and end of the first buffer of a frame. The verifier accepts these loads only at a
 * constant offset from the context pointer; some compilers would first add the offset to the
 * pointer.
 */
#ifndef _XROCE_FRAME_BPF_H
#define _XROCE_FRAME_BPF_H

#define FRAME_FIELD(ctx, field) ({					\
	void *_p;							\
									\
	asm volatile("%0 = *(u32 *)(%1 + %2)"				\
		     : "=r"(_p)						\
		     : "r"(ctx), "i"(offsetof(struct xdp_md, field)));	\
	_p;								\
})

static __always_inline void *frame_start(const struct xdp_md *ctx)
{
	return FRAME_FIELD(ctx, data);
}

static __always_inline void *frame_end(const struct xdp_md *ctx)
{
	return FRAME_FIELD(ctx, data_end);
}

#endif
