/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Commands to the kernel that libibverbs does not send for rxe's provider, which programs of the
 * verbs device have.
 */
#ifndef XROCE_VERBS_COMMAND_H
#define XROCE_VERBS_COMMAND_H

#include <infiniband/verbs.h>

/*
 * As ibv_rereg_mr(3): IBV_REREG_MR_* in @flags tell which arguments count. Return: 0, and @mr has
 * its new keys; or an errno.
 */
int command_rereg(struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *addr, size_t length,
		  int access);

/* As ibv_advise_mr(3), with advice to prefetch for reading. Return: 0 or an errno. */
int command_advise(struct ibv_pd *pd, struct ibv_sge *sge);

/* As ibv_modify_cq(3), of the queue of this handle in a context. Return: 0 or an errno. */
int command_moderate(struct ibv_context *ctx, uint32_t cq, uint16_t count, uint16_t usec);

#endif /* XROCE_VERBS_COMMAND_H */
