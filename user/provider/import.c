// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Protection domains and regions of another process, of whose context this process has the file.
 * What is imported is forgotten again without being destroyed.
 */
#include <errno.h>
#include <stdlib.h>

#include "mr.h"
#include "pd.h"

/* Nothing can be asked about a handle: a wrong one makes the next command fail that names it. */
struct ibv_pd *xp_import_pd(struct ibv_context *ibctx, uint32_t handle)
{
	struct xp_pd *pd = calloc(1, sizeof(*pd));

	if (!pd)
		return NULL;
	pd->pd.context = ibctx;
	pd->pd.handle = handle;
	return &pd->pd;
}

void xp_unimport_pd(struct ibv_pd *ibpd)
{
	free(to_xp_pd(ibpd));
}

struct ibv_mr *xp_import_mr(struct ibv_pd *ibpd, uint32_t handle)
{
	struct verbs_mr *vmr = calloc(1, sizeof(*vmr));
	int err;

	if (!vmr)
		return NULL;
	err = ibv_cmd_query_mr(ibpd, vmr, handle);
	if (!err)
		return &vmr->ibv_mr;
	free(vmr);
	errno = err;
	return NULL;
}

void xp_unimport_mr(struct ibv_mr *ibmr)
{
	free(container_of(ibmr, struct verbs_mr, ibv_mr));
}
