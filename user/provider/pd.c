// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Protection domains, and parent domains, of which the module knows nothing. */
#include <errno.h>
#include <stdlib.h>

#include "pd.h"

struct ibv_pd *xp_alloc_pd(struct ibv_context *ibctx)
{
	struct ib_uverbs_alloc_pd_resp resp;
	struct ibv_alloc_pd cmd;
	struct xp_pd *pd = calloc(1, sizeof(*pd));
	int err;

	if (!pd)
		return NULL;
	err = ibv_cmd_alloc_pd(ibctx, &pd->pd, &cmd, sizeof(cmd), &resp, sizeof(resp));
	if (!err)
		return &pd->pd;
	free(pd);
	errno = err;
	return NULL;
}

struct ibv_pd *xp_alloc_parent_domain(struct ibv_context *ibctx __attribute__((unused)),
				      struct ibv_parent_domain_init_attr *attr)
{
	struct xp_pd *pd;

	if (ibv_check_alloc_parent_domain(attr))
		return NULL;
	/* No allocators: the module allocates all queues. */
	if (attr->comp_mask) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	pd = calloc(1, sizeof(*pd));
	if (!pd)
		return NULL;
	pd->of = to_xp_pd(attr->pd);
	if (pd->of->of)
		pd->of = pd->of->of;
	if (attr->td) {
		pd->td = to_xp_td(attr->td);
		__atomic_fetch_add(&pd->td->refs, 1, __ATOMIC_RELAXED);
	}
	__atomic_fetch_add(&pd->of->refs, 1, __ATOMIC_RELAXED);
	ibv_initialize_parent_domain(&pd->pd, &pd->of->pd);
	return &pd->pd;
}

int xp_dealloc_pd(struct ibv_pd *ibpd)
{
	struct xp_pd *pd = to_xp_pd(ibpd);
	int err = 0;

	if (__atomic_load_n(&pd->refs, __ATOMIC_ACQUIRE))
		return EBUSY;
	if (pd->td)
		__atomic_fetch_sub(&pd->td->refs, 1, __ATOMIC_RELEASE);
	if (pd->of)
		__atomic_fetch_sub(&pd->of->refs, 1, __ATOMIC_RELEASE);
	else
		err = ibv_cmd_dealloc_pd(ibpd);
	if (!err)
		free(pd);
	return err;
}
