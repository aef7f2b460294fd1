/* SPDX-License-Identifier: GPL-2.0-only */
/* The memory of the kernel, for its own consumers. */
#ifndef _XR_KERNEL_H
#define _XR_KERNEL_H

#include <linux/types.h>

struct xr_owner;
struct xr_umem;

struct xr_umem *xr_kernel_mem(const struct xr_owner *owner);
struct xr_umem *xr_kernel_pages(const struct xr_owner *owner, u32 n);
int xr_kernel_page(struct xr_umem *umem, u32 i, u64 addr);
void xr_kernel_bytes(struct xr_umem *umem, u8 shift, u64 offset, u64 length);

#endif
