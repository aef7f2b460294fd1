/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Thread domains. */
#ifndef XP_TD_H
#define XP_TD_H

#include <stdint.h>

#include <infiniband/driver.h>

/**
 * struct xp_td - a thread domain: one thread at a time uses what belongs to it
 * @td: that of libibverbs
 * @refs: parent domains that name it; atomic
 */
struct xp_td {
	struct ibv_td td;
	uint32_t refs;
};

static inline struct xp_td *to_xp_td(struct ibv_td *ibtd)
{
	return container_of(ibtd, struct xp_td, td);
}

struct ibv_td *xp_alloc_td(struct ibv_context *ibctx, struct ibv_td_init_attr *attr);
int xp_dealloc_td(struct ibv_td *ibtd);

#endif
