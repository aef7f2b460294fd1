// SPDX-License-Identifier: GPL-2.0-only
/* Verbs: memory regions. */
#include <linux/err.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "uapi/xroce.h"
#include "xroce_map.h"

#include "ctl/mr_reg.h"
#include "mem/kernel.h"
#include "obj/fast.h"
#include "obj/mr.h"

#include "verbs.h"

/* Hints, which change nothing here. */
#define XR_IB_ACCESS_HINTS	(IB_ACCESS_OPTIONAL | IB_ACCESS_HUGETLB)

static_assert((int)IB_ACCESS_LOCAL_WRITE == (int)XROCE_ACCESS_LOCAL_WRITE);
static_assert((int)IB_ACCESS_REMOTE_WRITE == (int)XROCE_ACCESS_REMOTE_WRITE);
static_assert((int)IB_ACCESS_REMOTE_READ == (int)XROCE_ACCESS_REMOTE_READ);
static_assert((int)IB_ACCESS_REMOTE_ATOMIC == (int)XROCE_ACCESS_REMOTE_ATOMIC);
static_assert((int)IB_ACCESS_MW_BIND == (int)XROCE_ACCESS_MW_BIND);
static_assert((int)IB_ACCESS_ON_DEMAND == (int)XROCE_ACCESS_ON_DEMAND);
static_assert((int)IB_ACCESS_FLUSH_GLOBAL == (int)XROCE_ACCESS_FLUSH_GLOBAL);
static_assert((int)IB_ACCESS_FLUSH_PERSISTENT == (int)XROCE_ACCESS_FLUSH_PERSISTENT);
static_assert((int)IB_MR_REREG_TRANS == (int)XROCE_REREG_TRANSLATION);
static_assert((int)IB_MR_REREG_PD == (int)XROCE_REREG_PD);
static_assert((int)IB_MR_REREG_ACCESS == (int)XROCE_REREG_ACCESS);

/* The provider's part of a registration; that of rxe has none. Return: 0 or an errno. */
static int xr_ib_reg_cmd(struct ib_pd *ib, struct ib_udata *udata, struct xroce_reg_mr_cmd *cmd)
{
	*cmd = (struct xroce_reg_mr_cmd){};
	if (!to_xr_ibdev(ib->device)->own)
		return 0;
	if (ib_copy_from_udata(cmd, udata, min(sizeof(*cmd), udata->inlen)))
		return -EFAULT;
	return cmd->flags & ~XROCE_REG_MR_NULL || cmd->reserved ? -EINVAL : 0;
}

/* Make the region that @r describes, or null memory. Return: 0 or an errno of MR_REG. */
static int xr_ib_reg(struct xr_ibctx *ctx, const struct xroce_reg_mr_cmd *cmd,
		     struct xroce_mr_reg *r)
{
	if (!(cmd->flags & XROCE_REG_MR_NULL))
		return xr_mr_reg(ctx->link, &ctx->own, &ctx->own, r);
	if (r->addr || r->length || r->iova || r->access != XROCE_ACCESS_LOCAL_WRITE)
		return -EINVAL;
	return xr_mr_reg_null(ctx->link, &ctx->own, r->pd, &r->lkey);
}

struct ib_mr *xr_ib_reg_user_mr(struct ib_pd *ib, u64 start, u64 length, u64 iova, int access,
				struct ib_udata *udata)
{
	struct xr_ibctx *ctx = xr_ib_udata_ctx(udata);
	struct xroce_mr_reg r = {
		.pd = to_xr_ibpd(ib)->id,
		.access = access & ~XR_IB_ACCESS_HINTS,
		.addr = start,
		.length = length,	/* U64_MAX, a whole address space, is XROCE_LENGTH_ALL */
		.iova = iova,
	};
	struct xroce_reg_mr_cmd cmd;
	struct xr_ibmr *mr;
	int ret;

	/* Without zero-based regions and persistent memory. */
	if (!ctx || r.access & ~XROCE_ACCESS_MR)
		return ERR_PTR(-EOPNOTSUPP);
	ret = xr_ib_reg_cmd(ib, udata, &cmd);
	if (ret)
		return ERR_PTR(ret);
	mr = kzalloc(sizeof(*mr), GFP_KERNEL_ACCOUNT);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	ret = xr_ib_reg(ctx, &cmd, &r);
	if (ret) {
		kfree(mr);
		return ERR_PTR(xr_ib_errno(ret));
	}
	mr->ib.lkey = r.lkey;
	mr->ib.rkey = r.rkey;
	mr->ib.length = length;
	mr->ib.iova = iova;
	return &mr->ib;
}

/*
 * All memory of the kernel, for its own accesses. Peers get no access to it: consumers that ask
 * for that (IB_PD_UNSAFE_GLOBAL_RKEY) are refused.
 */
struct ib_mr *xr_ib_get_dma_mr(struct ib_pd *ib, int access)
{
	struct xr_ibmr *mr;
	int ret;

	if (access & ~IB_ACCESS_LOCAL_WRITE)
		return ERR_PTR(-EOPNOTSUPP);
	mr = kzalloc(sizeof(*mr), GFP_KERNEL);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	ret = xr_mr_reg_kernel(xr_ib_link(ib->device), xr_ib_owner(ib->device, NULL),
			       to_xr_ibpd(ib)->id, &mr->ib.lkey);
	if (ret) {
		kfree(mr);
		return ERR_PTR(xr_ib_errno(ret));
	}
	return &mr->ib;
}

/* A region that work requests register: see post.c. */
struct ib_mr *xr_ib_alloc_mr(struct ib_pd *ib, enum ib_mr_type type, u32 pages)
{
	unsigned int noio;
	struct xr_ibmr *mr;
	int ret;

	if (type != IB_MR_TYPE_MEM_REG)
		return ERR_PTR(-EOPNOTSUPP);
	if (!pages || pages > XR_IB_MR_PAGES)
		return ERR_PTR(-EINVAL);
	mr = kzalloc(sizeof(*mr), GFP_NOIO);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	/* A disk that connects again allocates its regions anew: memory must not wait for it. */
	noio = memalloc_noio_save();
	mr->mr = xr_mr_alloc(xr_ib_link(ib->device), xr_ib_owner(ib->device, NULL),
			     to_xr_ibpd(ib)->id, pages, &mr->ib.lkey);
	memalloc_noio_restore(noio);
	if (IS_ERR(mr->mr)) {
		ret = PTR_ERR(mr->mr);
		kfree(mr);
		return ERR_PTR(xr_ib_errno(ret));
	}
	mr->ib.rkey = mr->ib.lkey;
	return &mr->ib;
}

/* Under the lock of what is staged. */
static int xr_ib_set_page(struct ib_mr *ib, u64 addr)
{
	struct xr_ibmr *mr = to_xr_ibmr(ib);

	return xr_kernel_page(mr->mr->fast->staged, mr->pages++, addr);
}

/*
 * Name the memory for the next registration. ib_core divides it into pages; addresses are those
 * of the direct mapping. If not all of the first element fits, its beginning has been named, and
 * *@offset tells how much. The length that ib_core computes is then wrong if the rest begins
 * within a page, so it is not believed. Return: how many elements fit; -EINVAL: the page size.
 */
int xr_ib_map_mr_sg(struct ib_mr *ib, struct scatterlist *sg, int nents, unsigned int *offset)
{
	struct xr_ibmr *mr = to_xr_ibmr(ib);
	struct xr_fast *fast = mr->mr->fast;
	u64 first, room, named;
	unsigned long flags;
	int n;

	if (ib->page_size < PAGE_SIZE || !is_power_of_2(ib->page_size))
		return -EINVAL;
	spin_lock_irqsave(&fast->stage_lock, flags);
	mr->pages = 0;
	xr_kernel_bytes(fast->staged, PAGE_SHIFT, 0, 0);
	n = ib_sg_to_pages(ib, sg, nents, offset, xr_ib_set_page);
	named = min_t(u64, mr->pages, fast->staged->mtt.count);
	first = ib->iova & (ib->page_size - 1);
	if (n >= 0 && named) {
		room = named * ib->page_size - first;
		xr_kernel_bytes(fast->staged, ilog2(ib->page_size), first,
				min(ib->length, room));
	}
	spin_unlock_irqrestore(&fast->stage_lock, flags);
	return n;
}

/* Return: 0; -EBUSY: windows are bound to the region. */
int xr_ib_dereg_mr(struct ib_mr *ib, struct ib_udata *udata)
{
	int ret;

	ret = xr_mr_dereg(xr_ib_link(ib->device), xr_ib_owner(ib->device, udata),
			  ib->lkey >> XROCE_KEY_SHIFT);
	if (!ret)
		kfree(to_xr_ibmr(ib));
	return ret;
}

/*
 * Re-register in place. As ib_core tells the driver in @flags, not all of the arguments count.
 * Return: NULL, and the region has new keys; or an ERR_PTR, and it is as before.
 */
struct ib_mr *xr_ib_rereg_user_mr(struct ib_mr *ib, int flags, u64 start, u64 length, u64 iova,
				  int access, struct ib_pd *pd, struct ib_udata *udata)
{
	struct xr_ibctx *ctx = xr_ib_udata_ctx(udata);
	struct xroce_mr_rereg r = {
		.mr = ib->lkey >> XROCE_KEY_SHIFT,
		.mask = flags,
		.pd = to_xr_ibpd(pd)->id,
		.access = access & ~XR_IB_ACCESS_HINTS,
		.addr = start,
		.length = length,
		.iova = iova,
	};
	int ret;

	if (flags & IB_MR_REREG_ACCESS && r.access & ~XROCE_ACCESS_MR)
		return ERR_PTR(-EOPNOTSUPP);
	ret = xr_mr_rereg(ctx->link, &ctx->own, NULL, &r);
	if (ret)
		return ERR_PTR(xr_ib_errno(ret));
	ib->lkey = r.lkey;
	ib->rkey = r.rkey;
	return NULL;
}

/* The errnos of ibv_advise_mr(3). */
static int xr_ib_advise_errno(int ret)
{
	switch (ret) {
	case -ENOENT:
	case -ERANGE:
	case -EACCES:
	case -ESRCH:
		return -EFAULT;
	}
	return ret;
}

static int xr_ib_advise(struct xr_ibctx *ctx, u32 pd, u32 advice, const struct ib_sge *sge)
{
	struct xroce_mr_query q = { .mr = sge->lkey >> XROCE_KEY_SHIFT };
	struct xroce_mr_advise a = {
		.mr = q.mr,
		.advice = advice,
		.iova = sge->addr,
		.length = sge->length,
	};
	int ret;

	ret = xr_mr_query(ctx->link, &ctx->own, &q);
	if (!ret && (q.lkey != sge->lkey || q.pd != pd))
		ret = -ENOENT;
	return xr_ib_advise_errno(ret ?: xr_mr_advise(ctx->link, &ctx->own, &a));
}

/* Pages have been brought in when this returns, with or without the flag that asks for it. */
int xr_ib_advise_mr(struct ib_pd *ib, enum ib_uverbs_advise_mr_advice advice, u32 flags,
		    struct ib_sge *sge, u32 num_sge, struct uverbs_attr_bundle *attrs)
{
	struct xr_ibctx *ctx;
	u32 i;
	int ret;

	/* A consumer in the kernel cannot have registered such memory. */
	if (!ib->uobject)
		return -EOPNOTSUPP;
	ctx = xr_ib_uobject_ctx(ib->uobject);
	if (flags & ~IB_UVERBS_ADVISE_MR_FLAG_FLUSH)
		return -EINVAL;
	for (i = 0; i < num_sge; i++) {
		ret = xr_ib_advise(ctx, to_xr_ibpd(ib)->id, advice, &sge[i]);
		if (ret)
			return ret;
	}
	return 0;
}
