/* SPDX-License-Identifier: GPL-2.0-only */
/* Telling that memory is mapped by huge pages, without looking at every page. */
#ifndef _XR_HUGE_H
#define _XR_HUGE_H

#include <linux/types.h>

/* Pages of the least huge page. */
#define XR_HUGE_PAGES	(1ul << (PMD_SHIFT - PAGE_SHIFT))

unsigned long xr_huge_pfn(unsigned long addr, bool write);

#endif
