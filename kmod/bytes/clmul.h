/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CRC-32 by carry-less multiplication, with the vector registers of x86-64. The caller must
 * be in a section that may use them, and the CPU must have PCLMULQDQ and AVX. Also compiled
 * for user space.
 */
#ifndef _XR_CLMUL_H
#define _XR_CLMUL_H

#include <linux/types.h>

/* Bytes before the IP header that may be read, and are ignored. */
#define XR_CLMUL_BEFORE	12
/* Minimum bytes of the first piece of a message in two pieces. */
#define XR_CLMUL_FIRST	80
/* Bytes of a vector register. The length of a payload that is copied is a multiple of it. */
#define XR_CLMUL_BLOCK	16

__u32 xr_clmul_ipv4(const void *p, __u32 len);
__u32 xr_clmul_ipv6(const void *p, __u32 len);
__u32 xr_clmul_pieces_ipv4(const void *p, __u32 len, const void *q, __u32 more);
__u32 xr_clmul_pieces_ipv6(const void *p, __u32 len, const void *q, __u32 more);
__u32 xr_clmul_copy_ipv4(const void *p, void *to, const void *from, __u32 len);
__u32 xr_clmul_copy_ipv6(const void *p, void *to, const void *from, __u32 len);
__u32 xr_clmul(__u32 crc, const void *p, __u32 len);

#endif
