/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds out whether huge pages map memory, without a look at every page. */
#ifndef _XR_HUGE_H
#define _XR_HUGE_H

#include <linux/types.h>

/* Pages of the smallest huge page. */
#define XR_HUGE_PAGES	(1ul << (PMD_SHIFT - PAGE_SHIFT))

unsigned long xr_huge_pfn(unsigned long addr, bool write);

#endif
