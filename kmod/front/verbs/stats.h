/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters of a link. */
#ifndef _XR_VERBS_STATS_H
#define _XR_VERBS_STATS_H

struct xr_link;
struct xroce_stat;

void xr_ib_stat_sum(const struct xr_link *link, struct xroce_stat *sum);

#endif
