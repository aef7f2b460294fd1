/* SPDX-License-Identifier: GPL-2.0-only */
/* The value of the map "request", which again.bpf.c and native.c share. */
#ifndef XROCE_BENCH_AGAIN_H
#define XROCE_BENCH_AGAIN_H

#include <linux/types.h>

#define AGAIN_MAX	256

/**
 * struct again - the next request
 * @len: of the frame, up to AGAIN_MAX bytes
 * @psn_at: offset of the last word of its BTH; AGAIN_MAX: it has none
 * @psn: what that word is to be, in the host's byte order; goes up
 * @reserved: 0
 * @bytes: the frame
 */
struct again {
	__u32 len;
	__u32 psn_at;
	__u32 psn;
	__u32 reserved;
	__u8 bytes[AGAIN_MAX];
};

#endif /* XROCE_BENCH_AGAIN_H */
