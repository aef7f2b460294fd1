// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Protection domains, and parent domains, of which the module knows nothing. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pd.h"
#include "td.h"

#define COMP_MASK \
	(IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS | IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT)

/* Queues begin in cache lines of their own. */
#define ALIGNMENT	64

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
	if (attr->comp_mask & ~COMP_MASK) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	if (attr->comp_mask & IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS &&
	    (!attr->alloc || !attr->free)) {
		errno = EINVAL;
		return NULL;
	}
	pd = calloc(1, sizeof(*pd));
	if (!pd)
		return NULL;
	if (attr->comp_mask & IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS) {
		pd->alloc = attr->alloc;
		pd->free = attr->free;
	}
	if (attr->comp_mask & IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT)
		pd->arg = attr->pd_context;
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

/*
 * The rings are memory of the module: what is left to an allocator is the rest. Where the memory is
 * from is noted before it, as the program may answer each time that the default be used.
 */
struct header {
	bool custom;
} __attribute__((aligned(ALIGNMENT)));

void *xp_pd_alloc(struct ibv_pd *ibpd, size_t size, enum xp_resource what)
{
	struct xp_pd *pd = ibpd ? to_xp_pd(ibpd) : NULL;
	struct header *h = IBV_ALLOCATOR_USE_DEFAULT;
	bool custom;

	size += sizeof(*h);
	if (pd && pd->alloc)
		h = pd->alloc(ibpd, pd->arg, size, ALIGNMENT, what);
	custom = h != IBV_ALLOCATOR_USE_DEFAULT;
	if (!custom && posix_memalign((void **)&h, ALIGNMENT, size))
		h = NULL;
	if (!h) {
		errno = ENOMEM;
		return NULL;
	}
	memset(h, 0, size);
	h->custom = custom;
	if (custom)
		__atomic_fetch_add(&pd->refs, 1, __ATOMIC_RELAXED);
	return h + 1;
}

void xp_pd_free(struct ibv_pd *ibpd, void *memory, enum xp_resource what)
{
	struct header *h = (struct header *)memory - 1;
	struct xp_pd *pd;

	if (!h->custom) {
		free(h);
		return;
	}
	pd = to_xp_pd(ibpd);
	pd->free(ibpd, pd->arg, h, what);
	__atomic_fetch_sub(&pd->refs, 1, __ATOMIC_RELEASE);
}
