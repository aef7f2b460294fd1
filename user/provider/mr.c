// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Memory regions. ibv_cmd_reg_dmabuf_mr() is not used: it has another number of parameters in each
 * of the versions of libibverbs that this library works with.
 */
#include <errno.h>
#include <stdlib.h>

#include "local.h"
#include "mr.h"

/*
 * A region without remote rights has no R_Key, but a change of its rights may give it one without
 * telling programs that have read the key before: the module's keys of both kinds are the same.
 */
static void set_rkey(struct ibv_mr *mr)
{
	mr->rkey = mr->lkey;
}

/* Register with @flags of struct xroce_reg_mr_cmd. Return: the region; NULL and errno. */
static struct verbs_mr *reg_mr(struct ibv_pd *ibpd, void *addr, size_t length, uint64_t hca_va,
			       int access, uint32_t flags)
{
	struct verbs_mr *vmr = calloc(1, sizeof(*vmr));
	struct ib_uverbs_reg_mr_resp resp;
	struct {
		struct ibv_reg_mr ibv;
		struct xroce_reg_mr_cmd xroce;
	} cmd = { .xroce.flags = flags };
	int err;

	if (!vmr)
		return NULL;
	err = ibv_cmd_reg_mr(ibpd, addr, length, hca_va, access, vmr, &cmd.ibv, sizeof(cmd), &resp,
			     sizeof(resp));
	if (!err)
		return vmr;
	free(vmr);
	errno = err;
	return NULL;
}

struct ibv_mr *xp_reg_mr(struct ibv_pd *ibpd, void *addr, size_t length, uint64_t hca_va,
			 int access)
{
	struct verbs_mr *vmr = reg_mr(ibpd, addr, length, hca_va, access, 0);

	if (!vmr)
		return NULL;
	set_rkey(&vmr->ibv_mr);
	return &vmr->ibv_mr;
}

struct ibv_mr *xp_alloc_null_mr(struct ibv_pd *ibpd)
{
	struct verbs_mr *vmr = reg_mr(ibpd, NULL, 0, 0, IBV_ACCESS_LOCAL_WRITE, XROCE_REG_MR_NULL);

	if (!vmr)
		return NULL;
	vmr->mr_type = IBV_MR_TYPE_NULL_MR;
	vmr->ibv_mr.pd = ibpd;
	vmr->ibv_mr.length = SIZE_MAX;
	return &vmr->ibv_mr;
}

/* The keys may be others afterwards. */
int xp_rereg_mr(struct verbs_mr *vmr, int flags, struct ibv_pd *ibpd, void *addr, size_t length,
		int access)
{
	struct ib_uverbs_rereg_mr_resp resp = {};
	struct ibv_rereg_mr cmd = {};
	int err;

	xp_local_finish(to_xp_context(vmr->ibv_mr.context));
	err = ibv_cmd_rereg_mr(vmr, flags, addr, length, (uintptr_t)addr, access, ibpd, &cmd,
			       sizeof(cmd), &resp, sizeof(resp));
	/* libibverbs says only that the command failed. */
	if (err)
		errno = err;
	else
		set_rkey(&vmr->ibv_mr);
	return err;
}

int xp_dereg_mr(struct verbs_mr *vmr)
{
	int err;

	xp_local_finish(to_xp_context(vmr->ibv_mr.context));
	err = ibv_cmd_dereg_mr(vmr);
	if (!err)
		free(vmr);
	return err;
}

int xp_advise_mr(struct ibv_pd *ibpd, enum ibv_advise_mr_advice advice, uint32_t flags,
		 struct ibv_sge *sge, uint32_t num_sge)
{
	return ibv_cmd_advise_mr(ibpd, advice, flags, sge, num_sge);
}
