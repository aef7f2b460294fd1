/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory regions of the real module. */
#ifndef XROCE_LIVE_MR_H
#define XROCE_LIVE_MR_H

#include "live.h"

/* Arguments to register memory of this process, with the right of local write. */
struct xroce_mr_reg mr_region(__u32 pd, const void *addr, __u64 length);

/* Check that registering it fails with @want. */
void mr_refused(struct xroce *x, struct xroce_mr_reg r, int want);

/* Check that registering it succeeds, and deregister it. */
void mr_accepted(struct xroce *x, struct xroce_mr_reg r);

/*
 * Check the region's translation table; its memory is (also) mapped at @addr.
 * Return: the answer of MR_QUERY, with @addr as the address.
 */
struct xroce_mr_query mr_check_blocks(struct xroce *x, __u32 mr,
				      const void *addr);

/* The counters of a region of LIVE_DEV, summed over all CPUs. */
struct xroce_mr_stat mr_counters(__u32 mr);

#endif /* XROCE_LIVE_MR_H */
