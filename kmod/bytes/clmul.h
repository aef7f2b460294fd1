/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CRC-32 by carry-less multiplication, with the vector registers of x86-64: the
 * caller may use them, and the CPU has PCLMULQDQ and AVX. For user space too.
 */
#ifndef _XR_CLMUL_H
#define _XR_CLMUL_H

#include <linux/types.h>

/* Bytes before the headers that may be read. */
#define XR_CLMUL_BEFORE	12
/* Bytes of a message's first piece, at least. */
#define XR_CLMUL_FIRST	80
/* What is copied on the way is a multiple of this. */
#define XR_CLMUL_BLOCK	16

__u32 xr_clmul_ipv4(const void *p, __u32 len);
__u32 xr_clmul_ipv6(const void *p, __u32 len);
__u32 xr_clmul_pieces_ipv4(const void *p, __u32 len, const void *q, __u32 more);
__u32 xr_clmul_pieces_ipv6(const void *p, __u32 len, const void *q, __u32 more);
__u32 xr_clmul_copy_ipv4(const void *p, void *to, const void *from, __u32 len);
__u32 xr_clmul_copy_ipv6(const void *p, void *to, const void *from, __u32 len);
__u32 xr_clmul(__u32 crc, const void *p, __u32 len);

#endif
