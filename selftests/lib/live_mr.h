/* SPDX-License-Identifier: GPL-2.0-only */
/* Regions of the real module. */
#ifndef XROCE_LIVE_MR_H
#define XROCE_LIVE_MR_H

#include "live.h"

/* What to register: memory of ours, with local write. */
struct xroce_mr_reg mr_region(__u32 pd, const void *addr, __u64 length);

/* Registering it is refused, with @want. */
void mr_refused(struct xroce *x, struct xroce_mr_reg r, int want);

/* Registering and deregistering it works. */
void mr_accepted(struct xroce *x, struct xroce_mr_reg r);

/*
 * The region's translation table is right, its memory being (also) at @addr.
 * Return: what MR_QUERY says.
 */
struct xroce_mr_query mr_check_blocks(struct xroce *x, __u32 mr,
				      const void *addr);

#endif /* XROCE_LIVE_MR_H */
