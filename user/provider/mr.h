/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Memory regions. */
#ifndef XP_MR_H
#define XP_MR_H

#include <infiniband/driver.h>

/* mr.c */
struct ibv_mr *xp_reg_mr(struct ibv_pd *ibpd, void *addr, size_t length, uint64_t hca_va,
			 int access);
struct ibv_mr *xp_alloc_null_mr(struct ibv_pd *ibpd);
int xp_rereg_mr(struct verbs_mr *vmr, int flags, struct ibv_pd *ibpd, void *addr, size_t length,
		int access);
/* import.c */
struct ibv_mr *xp_import_mr(struct ibv_pd *ibpd, uint32_t handle);
void xp_unimport_mr(struct ibv_mr *ibmr);

/* mr.c */
int xp_dereg_mr(struct verbs_mr *vmr);
int xp_advise_mr(struct ibv_pd *ibpd, enum ibv_advise_mr_advice advice, uint32_t flags,
		 struct ibv_sge *sge, uint32_t num_sge);

#endif
