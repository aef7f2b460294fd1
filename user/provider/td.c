// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Thread domains. */
#include <errno.h>
#include <stdlib.h>

#include "td.h"

struct ibv_td *xp_alloc_td(struct ibv_context *ibctx, struct ibv_td_init_attr *attr)
{
	struct xp_td *td;

	if (attr->comp_mask) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	td = calloc(1, sizeof(*td));
	if (!td)
		return NULL;
	td->td.context = ibctx;
	return &td->td;
}

int xp_dealloc_td(struct ibv_td *ibtd)
{
	struct xp_td *td = to_xp_td(ibtd);

	if (__atomic_load_n(&td->refs, __ATOMIC_ACQUIRE))
		return EBUSY;
	free(td);
	return 0;
}
