/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Shared receive queues. */
#ifndef XP_SRQ_H
#define XP_SRQ_H

#include <infiniband/driver.h>

/* srq.c */
struct ibv_srq *xp_create_srq(struct ibv_pd *ibpd, struct ibv_srq_init_attr *attr);
struct ibv_srq *xp_create_srq_ex(struct ibv_context *ibctx, struct ibv_srq_init_attr_ex *attr);
int xp_modify_srq(struct ibv_srq *ibsrq, struct ibv_srq_attr *attr, int mask);
int xp_query_srq(struct ibv_srq *ibsrq, struct ibv_srq_attr *attr);
int xp_destroy_srq(struct ibv_srq *ibsrq);
int xp_get_srq_num(struct ibv_srq *ibsrq, uint32_t *num);
int xp_post_srq_recv(struct ibv_srq *ibsrq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);

#endif
