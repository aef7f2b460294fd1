/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Memory windows. */
#ifndef XP_MW_H
#define XP_MW_H

#include <infiniband/driver.h>

#include "uapi/xroce.h"

/* mw.c */
struct ibv_mw *xp_alloc_mw(struct ibv_pd *ibpd, enum ibv_mw_type type);
int xp_dealloc_mw(struct ibv_mw *mw);
int xp_bind_mw(struct ibv_qp *ibqp, struct ibv_mw *mw, struct ibv_mw_bind *bind);

/*
 * Write what a bind of the window to @rkey has besides what all entries have. Return: 0 or EINVAL,
 * EOPNOTSUPP.
 */
int xp_mw_fill(struct xroce_send_wqe *wqe, const struct ibv_qp *ibqp, const struct ibv_mw *mw,
	       uint32_t rkey, const struct ibv_mw_bind_info *info);

#endif
