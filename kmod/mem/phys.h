/* SPDX-License-Identifier: GPL-2.0-only */
/* Physical pages that the caller names: checked, referenced, translated. */
#ifndef _XR_PHYS_H
#define _XR_PHYS_H

#include <linux/types.h>

struct xr_owner;
struct xr_umem;

/**
 * struct xr_phys - a list of physical pages, and the bytes of them that are meant
 * @pages: addresses
 * @npages: how many
 * @page_shift: log2 of the page size in bytes
 * @offset: of the first byte in the first page
 * @length: bytes
 */
struct xr_phys {
	const u64 *pages;
	u32 npages;
	u32 page_shift;
	u64 offset;
	u64 length;
};

struct xr_umem *xr_phys_pin(const struct xr_owner *owner,
			    const struct xr_phys *phys);

#endif
