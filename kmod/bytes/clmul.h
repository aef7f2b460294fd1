/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CRC-32 by carry-less multiplication, with the vector registers of x86-64. The caller must
 * be in a section that may use them, and the CPU must have PCLMULQDQ and AVX. With VPCLMULQDQ
 * and AVX2, or AVX512F, the xr_clmul_wide functions read in registers of 256 or 512 bits. Also
 * compiled for user space.
 */
#ifndef _XR_CLMUL_H
#define _XR_CLMUL_H

#include <linux/types.h>
#ifdef __KERNEL__
#include <linux/jump_label.h>
#else
#include <stdbool.h>
#endif

/* Bytes before the IP header that may be read, and are ignored. */
#define XR_CLMUL_BEFORE	12
/* Minimum bytes of the first piece of a message in two pieces. */
#define XR_CLMUL_FIRST	80
/* Bytes of a vector register. The length of a payload that is copied is a multiple of it. */
#define XR_CLMUL_BLOCK	16
/* Maximum bytes between the BTH and a payload that is copied: a RETH and immediate data. */
#define XR_CLMUL_XTH	20
/* Minimum bytes for the xr_clmul_wide functions. Less is not faster in wide registers. */
#define XR_CLMUL_LONG	352

#ifdef __KERNEL__
/* xr_vector_init() sets them: wide registers are used; they have 512 bits, otherwise 256. */
DECLARE_STATIC_KEY_FALSE(xr_clmul_wide_key);
DECLARE_STATIC_KEY_FALSE(xr_clmul_512_key);

#define xr_clmul_512()	static_branch_likely(&xr_clmul_512_key)

/* True if the xr_clmul_wide functions are to be used for @len bytes. */
static __always_inline bool xr_clmul_wide(__u32 len)
{
	return static_branch_unlikely(&xr_clmul_wide_key) && len >= XR_CLMUL_LONG;
}
#else
/* Wide registers have 512 bits, otherwise 256. The program defines it. */
extern bool xr_clmul_is_512;

#define xr_clmul_512()	xr_clmul_is_512
#endif

__u32 xr_clmul_ipv4(const void *p, __u32 len);
__u32 xr_clmul_ipv6(const void *p, __u32 len);
__u32 xr_clmul_pieces_ipv4(const void *p, __u32 len, const void *q, __u32 more);
__u32 xr_clmul_pieces_ipv6(const void *p, __u32 len, const void *q, __u32 more);
__u32 xr_clmul_copy_ipv4(const void *p, void *to, const void *from, __u32 len);
__u32 xr_clmul_copy_ipv6(const void *p, void *to, const void *from, __u32 len);
__u32 xr_clmul(__u32 crc, const void *p, __u32 len);
__u32 xr_clmul_wide_sum(const void *p, __u32 len, bool ipv6);
__u32 xr_clmul_wide_pieces(const void *p, __u32 len, const void *q, __u32 more, bool ipv6);
__u32 xr_clmul_wide_copy(const void *p, void *to, const void *from, __u32 len, bool ipv6);
__u32 xr_clmul_wide_more(__u32 crc, const void *p, __u32 len);

#endif
