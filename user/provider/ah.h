/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Address handles. */
#ifndef XP_AH_H
#define XP_AH_H

#include <infiniband/driver.h>

/**
 * struct xp_ah - an address handle
 * @ah: that of libibverbs
 * @num: its number, for struct xroce_send_wqe::ah
 */
struct xp_ah {
	struct ibv_ah ah;
	uint32_t num;
};

static inline struct xp_ah *to_xp_ah(struct ibv_ah *ibah)
{
	return container_of(ibah, struct xp_ah, ah);
}

/* ah.c */
struct ibv_ah *xp_create_ah(struct ibv_pd *ibpd, struct ibv_ah_attr *attr);
int xp_destroy_ah(struct ibv_ah *ibah);

#endif
