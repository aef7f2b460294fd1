// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/xroce: ioctl, mmap, poll and read. The size of an ioctl structure, its growth and the
 * flags that its command accepts are checked here. The handlers, here and in the files beside this
 * one, check capabilities and reserved words, and choose the owner of a new object.
 */
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/nospec.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "ctl/mr_reg.h"
#include "ctl/teardown.h"
#include "mem/mtt.h"
#include "obj/cq.h"
#include "obj/link.h"
#include "obj/pd.h"
#include "obj/ring.h"
#include "recv/queue.h"
#include "recv/srq.h"
#include "send/post.h"

#include "chardev.h"
#include "main.h"

/* Return: the owner of an object that is made with @flags, or -EPERM. */
struct xr_owner *xr_new_owner(struct xr_ctx *ctx, struct xr_link *link,
			      u32 flags)
{
	if (!(flags & XROCE_F_PERSISTENT))
		return &ctx->own;
	return capable(CAP_NET_ADMIN) ? &link->own : ERR_PTR(-EPERM);
}

static int xr_do_pd_add(struct xr_ctx *ctx, struct xr_link *link,
			union xroce_cmd *arg)
{
	struct xr_owner *owner = xr_new_owner(ctx, link, arg->pd_add.flags);

	if (arg->pd_add.reserved)
		return -EINVAL;
	if (IS_ERR(owner))
		return PTR_ERR(owner);
	return xr_pd_create(link, owner, &arg->pd_add.pd);
}

static int xr_do_pd_del(struct xr_ctx *ctx, struct xr_link *link,
			union xroce_cmd *arg)
{
	if (arg->pd_del.reserved)
		return -EINVAL;
	return xr_pd_delete(link, &ctx->own, arg->pd_del.pd);
}

static int xr_do_pd_query(struct xr_ctx *ctx, struct xr_link *link,
			  union xroce_cmd *arg)
{
	return xr_pd_query(link, &ctx->own, &arg->pd_query);
}

static int xr_do_cq_add(struct xr_ctx *ctx, struct xr_link *link,
			union xroce_cmd *arg)
{
	return PTR_ERR_OR_ZERO(xr_cq_create(link, &ctx->own, XR_FORMAT_OWN, NULL,
					    &arg->cq_add));
}

static int xr_do_cq_del(struct xr_ctx *ctx, struct xr_link *link,
			union xroce_cmd *arg)
{
	if (arg->cq_del.reserved)
		return -EINVAL;
	return xr_cq_delete(link, &ctx->own, arg->cq_del.cq);
}

static int xr_do_srq_add(struct xr_ctx *ctx, struct xr_link *link,
			 union xroce_cmd *arg)
{
	return PTR_ERR_OR_ZERO(xr_srq_create(link, &ctx->own, XR_FORMAT_OWN, NULL,
					     &arg->srq_add));
}

static int xr_do_srq_modify(struct xr_ctx *ctx, struct xr_link *link,
			    union xroce_cmd *arg)
{
	return xr_srq_modify(link, &ctx->own, arg->srq_modify.srq,
			     arg->srq_modify.limit);
}

static int xr_do_srq_del(struct xr_ctx *ctx, struct xr_link *link,
			 union xroce_cmd *arg)
{
	if (arg->srq_del.reserved)
		return -EINVAL;
	return xr_srq_delete(link, &ctx->own, arg->srq_del.srq);
}

static int xr_do_srq_query(struct xr_ctx *ctx, struct xr_link *link,
			   union xroce_cmd *arg)
{
	return xr_srq_query(link, &ctx->own, &arg->srq_query);
}

static int xr_do_mtt_query(struct xr_ctx *ctx, struct xr_link *unused,
			   union xroce_cmd *arg)
{
	if (!capable(CAP_NET_ADMIN))
		return -EPERM;
	xr_mtt_query(&arg->mtt_query);
	return 0;
}

static int xr_do_mtt_read(struct xr_ctx *ctx, struct xr_link *link,
			  union xroce_cmd *arg)
{
	struct xroce_mtt_read *a = &arg->mtt_read;
	u64 *entry;
	int ret;

	if (!a->count || a->count > XROCE_MTT_READ_MAX)
		return -EINVAL;
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	entry = kmalloc_array(a->count, sizeof(*entry), GFP_KERNEL);
	if (!entry)
		return -ENOMEM;
	ret = xr_mr_entries(link, &ctx->own, a->mr, a->first, &a->count, entry);
	if (!ret && copy_to_user(u64_to_user_ptr(a->to), entry,
				 a->count * sizeof(*entry)))
		ret = -EFAULT;
	kfree(entry);
	return ret;
}

/**
 * struct xr_cmd - an ioctl command
 * @size: bytes of its structure in this version
 * @min: bytes of its structure in the first release
 * @flags: XROCE_F_* that it accepts
 * @no_link: it does not work on the file's link
 * @fn: handler
 */
struct xr_cmd {
	u32 size;
	u32 min;
	u32 flags;
	bool no_link;
	xr_handler *fn;
};

/* @name: as in XROCE_NR_name, struct xroce_name and xr_do_name(), in the case of each. */
#define XR_CMD(nr_, name, min_, flags_, no_link_)	\
	[XROCE_NR_##nr_] = {				\
		.size = sizeof(struct xroce_##name),	\
		.min = min_,				\
		.flags = flags_,			\
		.no_link = no_link_,			\
		.fn = xr_do_##name,			\
	}

/* By XROCE_NR_*. */
static const struct xr_cmd xr_cmds[] = {
	XR_CMD(LINK_ADD, link_add, 16, 0, true),
	XR_CMD(LINK_MAPS, link_maps, 40, 0, true),
	XR_CMD(LINK_DEL, link_del, 16, XROCE_F_FORCE, true),
	XR_CMD(LINK_QUERY, link_query, 64, XROCE_F_NEXT, true),
	XR_CMD(LINK_USE, link_use, 16, 0, true),
	XR_CMD(LINK_PROG, link_prog, 16, 0, true),
	XR_CMD(LINK_CC, link_cc, 32, 0, true),
	XR_CMD(LINK_MODERATE, link_moderate, 24, 0, true),
	XR_CMD(PD_ADD, pd_add, 16, XROCE_F_PERSISTENT, false),
	XR_CMD(PD_DEL, pd_del, 16, 0, false),
	XR_CMD(PD_QUERY, pd_query, 32, XROCE_F_NEXT, false),
	XR_CMD(MR_REG, mr_reg, 96, XROCE_F_PERSISTENT | XROCE_F_PID, false),
	XR_CMD(MR_DEREG, mr_dereg, 16, 0, false),
	XR_CMD(MR_QUERY, mr_query, 176, XROCE_F_NEXT, false),
	XR_CMD(MR_REG_PHYS, mr_reg_phys, 104, XROCE_F_PERSISTENT, false),
	XR_CMD(MR_REG_SHARED, mr_reg_shared, 80, XROCE_F_PERSISTENT, false),
	XR_CMD(MR_REREG, mr_rereg, 88, XROCE_F_PID | XROCE_F_PHYS, false),
	XR_CMD(MR_ADVISE, mr_advise, 40, 0, false),
	XR_CMD(QP_ADD, qp_add, 64, XROCE_F_PERSISTENT, false),
	XR_CMD(QP_MODIFY, qp_modify, 96, 0, false),
	XR_CMD(QP_DEL, qp_del, 16, 0, false),
	XR_CMD(QP_QUERY, qp_query, 304, XROCE_F_NEXT, false),
	XR_CMD(QP_SEND, qp_send, 16, 0, false),
	XR_CMD(QP_CC, qp_cc, 32, 0, false),
	XR_CMD(CQ_ADD, cq_add, 32, 0, false),
	XR_CMD(CQ_DEL, cq_del, 16, 0, false),
	XR_CMD(CQ_MODERATE, cq_moderate, 24, 0, false),
	XR_CMD(SRQ_ADD, srq_add, 40, 0, false),
	XR_CMD(SRQ_MODIFY, srq_modify, 16, 0, false),
	XR_CMD(SRQ_DEL, srq_del, 16, 0, false),
	XR_CMD(SRQ_QUERY, srq_query, 32, 0, false),
	XR_CMD(MW_ADD, mw_add, 32, XROCE_F_PERSISTENT, false),
	XR_CMD(MW_DEL, mw_del, 16, 0, false),
	XR_CMD(MW_QUERY, mw_query, 64, XROCE_F_NEXT, false),
	XR_CMD(MW_BIND, mw_bind, 48, 0, false),
	XR_CMD(MW_INVAL, mw_inval, 16, 0, false),
	XR_CMD(MTT_QUERY, mtt_query, 136, 0, true),
	XR_CMD(MTT_READ, mtt_read, 32, 0, false),
	XR_CMD(LIMIT_SET, limit_set, 80, XROCE_F_USER, true),
	XR_CMD(LIMIT_QUERY, limit_query, 160, XROCE_F_USER | XROCE_F_NEXT, true),
	XR_CMD(CC_QUERY, cc_query, 56, XROCE_F_NEXT, true),
};

static const struct xr_cmd *xr_cmd_find(unsigned int cmd)
{
	unsigned int nr = _IOC_NR(cmd);

	if (cmd != _IO(XROCE_IOC_TYPE, nr) || nr >= ARRAY_SIZE(xr_cmds))
		return NULL;
	nr = array_index_nospec(nr, ARRAY_SIZE(xr_cmds));
	return xr_cmds[nr].fn ? &xr_cmds[nr] : NULL;
}

static long xr_ioctl(struct file *file, unsigned int nr, unsigned long user)
{
	void __user *u = (void __user *)user;
	struct xr_ctx *ctx = file->private_data;
	struct xr_link *link = NULL;
	const struct xr_cmd *cmd;
	/* copy_struct_from_user() fills in the bytes that are used: those of xr_cmd::size. */
	union xroce_cmd arg __uninitialized;
	u32 size;
	int ret;

	cmd = xr_cmd_find(nr);
	if (!cmd)
		return -ENOTTY;
	if (get_user(size, (u32 __user *)u))
		return -EFAULT;
	if (size < cmd->min)
		return -EINVAL;
	if (size > PAGE_SIZE)
		return -E2BIG;
	ret = copy_struct_from_user(&arg, cmd->size, u, size);
	if (ret)
		return ret;
	/* User space may have changed the size since it was checked. */
	arg.size = size;
	if (arg.head.flags & ~cmd->flags)
		return -EINVAL;
	if (!cmd->no_link) {
		/* The link stays until the file is closed. Pairs with xr_do_link_use(). */
		link = smp_load_acquire(&ctx->link);
		if (!link)
			return -ENOTCONN;
	}
	ret = cmd->fn(ctx, link, &arg);
	if (ret)
		return ret;
	if (copy_to_user(u, &arg, min(size, cmd->size)))
		return -EFAULT;
	return 0;
}

/* QP_SEND, without what an ioctl costs: see struct xroce_qp_send. */
static loff_t xr_llseek(struct file *file, loff_t qpn, int whence)
{
	struct xr_ctx *ctx = file->private_data;
	/* As in xr_ioctl(). */
	struct xr_link *link = smp_load_acquire(&ctx->link);

	if (whence != XROCE_SEEK_SEND)
		return -EINVAL;
	if (!link)
		return -ENOTCONN;
	return xr_post_seek(link, &ctx->own, qpn);
}

static int xr_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct xr_ctx *ctx = file->private_data;
	/* As in xr_ioctl(). */
	struct xr_link *link = smp_load_acquire(&ctx->link);
	int ret;

	if (!link)
		return -ENOTCONN;
	mutex_lock(&link->lock);
	ret = xr_ring_mmap(&ctx->own, vma);
	mutex_unlock(&link->lock);
	return ret;
}

static __poll_t xr_poll(struct file *file, poll_table *wait)
{
	struct xr_ctx *ctx = file->private_data;
	/* As in xr_ioctl(). */
	struct xr_link *link = smp_load_acquire(&ctx->link);
	__poll_t ready = 0;
	struct xr_cq *cq;

	poll_wait(file, &ctx->own.events.wait, wait);
	if (!link)
		return 0;
	if (xr_events_pending(&ctx->own.events))
		ready |= EPOLLPRI;
	mutex_lock(&link->lock);
	list_for_each_entry(cq, &ctx->own.cqs, node) {
		/* The program has armed it before, without a system call. */
		xr_recv_settle_cq(link, cq);
		if (xr_cq_fired(cq))
			ready |= EPOLLIN | EPOLLRDNORM;
	}
	mutex_unlock(&link->lock);
	return ready;
}

#define XR_ASYNC_MIN	16	/* bytes of struct xroce_async in the first release */

/* Read one asynchronous event. An older program reads a shorter one. */
static ssize_t xr_read(struct file *file, char __user *buf, size_t size,
		       loff_t *pos)
{
	struct xr_ctx *ctx = file->private_data;
	struct xr_events *events = &ctx->own.events;
	struct xroce_async async;
	int ret;

	if (size < XR_ASYNC_MIN)
		return -EINVAL;
	size = min(size, sizeof(async));
	while (!xr_events_next(events, &async)) {
		if (file->f_flags & O_NONBLOCK)
			return -EAGAIN;
		ret = wait_event_interruptible(events->wait,
					       xr_events_pending(events));
		if (ret)
			return ret;
	}
	return copy_to_user(buf, &async, size) ? -EFAULT : size;
}

static int xr_open(struct inode *inode, struct file *file)
{
	struct xr_ctx *ctx;

	ctx = kzalloc(sizeof(*ctx), GFP_KERNEL_ACCOUNT);
	if (!ctx)
		return -ENOMEM;
	mutex_init(&ctx->lock);
	xr_owner_open(&ctx->own, NULL);
	file->private_data = ctx;
	return 0;
}

static int xr_release(struct inode *inode, struct file *file)
{
	struct xr_ctx *ctx = file->private_data;

	xr_link_forget_maker(ctx);
	if (ctx->link) {
		xr_teardown(ctx->link, &ctx->own);
		xr_limits_leave(&ctx->own);
		xr_link_unuse(ctx->link);
	}
	xr_owner_close(&ctx->own);
	mutex_destroy(&ctx->lock);
	kfree(ctx);
	return 0;
}

static const struct file_operations xr_fops = {
	.owner = THIS_MODULE,
	.open = xr_open,
	.release = xr_release,
	.mmap = xr_mmap,
	.poll = xr_poll,
	.read = xr_read,
	.llseek = xr_llseek,
	.unlocked_ioctl = xr_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

static struct miscdevice xr_dev = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "xroce",
	.fops = &xr_fops,
	.mode = 0600,
};

int xr_chardev_init(void)
{
	return misc_register(&xr_dev);
}

void xr_chardev_exit(void)
{
	misc_deregister(&xr_dev);
}
