/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Value of the map "request", shared by again.bpf.c and native.c.
 */
#ifndef XROCE_BENCH_AGAIN_H
#define XROCE_BENCH_AGAIN_H

#include <linux/types.h>

#define AGAIN_MAX	256

/**
 * struct again - the next request
 * @len: bytes of the frame, up to AGAIN_MAX
 * @psn_at: offset of the last word of its BTH; AGAIN_MAX: it has none
 * @psn: the value of that word, in host byte order; incremented
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
