/* SPDX-License-Identifier: GPL-2.0-only */
/* The memory of the kernel, for its own consumers. */
#ifndef _XR_KERNEL_H
#define _XR_KERNEL_H

struct xr_umem;

struct xr_umem *xr_kernel_mem(void);

#endif
