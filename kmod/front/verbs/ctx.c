// SPDX-License-Identifier: GPL-2.0-only
/* Open contexts of a device: a program's objects belong to one, as to an open /dev/xroce. */
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/task.h>

#include "obj/link.h"

#include "verbs.h"

/*
 * What the provider of xroce gets with a context. If it does not get a polling thread, that is no
 * error: the response says why.
 *
 * Return: 0; -EINVAL: the arguments; or an errno of xr_doorbell_open().
 */
static int xr_ib_ctx_equip(struct xr_ibctx *ctx, struct ib_udata *udata)
{
	struct xroce_alloc_ucontext_resp resp = {};
	struct xroce_alloc_ucontext_cmd cmd = {};
	int ret = ib_copy_from_udata(&cmd, udata, min(sizeof(cmd), udata->inlen));

	if (ret)
		return ret;
	if (cmd.reserved)
		return -EINVAL;
	if (cmd.poll_us)
		resp.poll_errno = -xr_poll_open(ctx, cmd.poll_us, &resp.poll);
	ret = xr_doorbell_open(ctx, udata, &resp);
	if (ret)
		xr_poll_close(ctx);
	return ret;
}

/*
 * A context that is not made has no task: where a command comes by the ioctl, ib_core frees the
 * context without its reference to the caller's, which would then exist for ever.
 */
static void xr_ib_ctx_forget_task(struct ib_ucontext *ib)
{
	put_task_struct(ib->res.task);
	ib->res.task = NULL;
}

/*
 * ib_core holds no reference to the module for an open context, because the device can be taken
 * from it. Unloading the module is not meant to do that.
 *
 * Return: 0; -EAGAIN: the limit of a control group; -ENODEV: the module is being unloaded; -ENOMEM;
 * or an errno of xr_ib_ctx_equip().
 */
int xr_ib_alloc_ucontext(struct ib_ucontext *ib, struct ib_udata *udata)
{
	struct xr_ibdev *dev = to_xr_ibdev(ib->device);
	struct xr_ibctx *ctx = to_xr_ibctx(ib);
	int ret = -ENODEV;

	if (!try_module_get(THIS_MODULE))
		goto err_task;
	ctx->link = dev->front.link;
	xr_owner_open(&ctx->own, &xr_ib_owner_ops);
	ret = xr_limits_join(&ctx->link->limits, &ctx->own);
	if (ret)
		goto err_owner;
	ret = dev->own ? xr_ib_ctx_equip(ctx, udata) : 0;
	if (ret)
		goto err_limits;
	atomic_inc(&dev->contexts);
	return 0;

err_limits:
	xr_limits_leave(&ctx->own);
err_owner:
	xr_owner_close(&ctx->own);
	module_put(THIS_MODULE);
err_task:
	xr_ib_ctx_forget_task(ib);
	return ret;
}

/* ib_core has destroyed the objects of the context before. */
void xr_ib_dealloc_ucontext(struct ib_ucontext *ib)
{
	struct xr_ibdev *dev = to_xr_ibdev(ib->device);
	struct xr_ibctx *ctx = to_xr_ibctx(ib);

	xr_doorbell_close(ctx);
	xr_poll_close(ctx);
	xr_limits_leave(&ctx->own);
	xr_owner_close(&ctx->own);
	atomic_dec(&dev->contexts);
	module_put(THIS_MODULE);
	/* Nothing that sleeps may follow: see xr_ib_exit(). */
}

/* Map a ring, whose offset the provider got when it made the queue. mmap_lock is held. */
int xr_ib_mmap(struct ib_ucontext *ib, struct vm_area_struct *vma)
{
	struct xr_ibctx *ctx = to_xr_ibctx(ib);
	int ret;

	mutex_lock(&ctx->link->lock);
	ret = xr_ring_mmap(&ctx->own, vma);
	mutex_unlock(&ctx->link->lock);
	return ret;
}

/*
 * The device is removed, or moved to another network namespace, while the context is open.
 * Nothing need be done: mapped rings are ordinary pages, which outlive their queues and to
 * which no hardware writes. ib_core destroys the objects. That this operation exists tells
 * ib_core that it may do so.
 */
void xr_ib_disassociate_ucontext(struct ib_ucontext *ib)
{
}
