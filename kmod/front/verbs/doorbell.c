// SPDX-License-Identifier: GPL-2.0-only
/*
 * Doorbells: a file for each context of a program whose provider is that of xroce. An lseek(2) on
 * it costs a quarter of a write(2) to the file of the context, which ib_uverbs parses, and less
 * than an ioctl(2): no security module is asked on the way, whoever has the file may ring.
 *
 * The file is the program's: it may be inherited by fork(2), passed on, and kept open when the
 * context and the device are gone. So it has a structure of its own, which holds this module but
 * neither of them, and names the context only as long as that is open.
 */
#include <linux/anon_inodes.h>
#include <linux/err.h>
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kref.h>
#include <linux/rwsem.h>
#include <linux/slab.h>

#include "send/post.h"

#include "verbs.h"

#define UVERBS_MODULE_NAME	xroce_ib
#include <rdma/uverbs_named_ioctl.h>

/* What the first providers have room for. */
#define XR_UCONTEXT_RESP_MIN	offsetofend(struct xroce_alloc_ucontext_resp, poll_errno)

/**
 * struct xr_doorbell - a doorbell
 * @ref: the file has a reference, and the context
 * @lock: held for reading while the context is used, so that it is not closed meanwhile
 * @ctx: the context; NULL: it has been closed; under @lock
 */
struct xr_doorbell {
	struct kref ref;
	struct rw_semaphore lock;
	struct xr_ibctx *ctx;
};

static void xr_doorbell_free(struct kref *ref)
{
	kfree(container_of(ref, struct xr_doorbell, ref));
}

static int xr_doorbell_release(struct inode *inode, struct file *file)
{
	struct xr_doorbell *d = file->private_data;

	kref_put(&d->ref, xr_doorbell_free);
	return 0;
}

/* See uapi/rdma/xroce-abi.h. */
static loff_t xr_doorbell_llseek(struct file *file, loff_t qpn, int whence)
{
	struct xr_doorbell *d = file->private_data;
	int ret = -ENODEV;

	if (whence != XROCE_DOORBELL_SEND)
		return -EINVAL;
	down_read(&d->lock);
	if (d->ctx) {
		ret = xr_post_seek(d->ctx->link, &d->ctx->own, qpn);
		if (d->ctx->poll)
			xr_poll_rung(d->ctx);
	}
	up_read(&d->lock);
	return ret;
}

static const struct file_operations xr_doorbell_fops = {
	.owner = THIS_MODULE,
	.release = xr_doorbell_release,
	.llseek = xr_doorbell_llseek,
};

/* Make the file. Return: the file, which has a reference to @d; or an ERR_PTR. */
static struct file *xr_doorbell_file(struct xr_doorbell *d)
{
	struct file *file = anon_inode_getfile("[xroce-doorbell]", &xr_doorbell_fops, d, O_RDWR);

	if (!IS_ERR(file))
		kref_get(&d->ref);
	return file;
}

/*
 * Make a descriptor that the process cannot use before xr_doorbell_give(). Return: the descriptor,
 * with *@file; or an errno.
 */
static int xr_doorbell_take(struct xr_doorbell *d, struct file **file)
{
	int fd = get_unused_fd_flags(O_CLOEXEC);

	if (fd < 0)
		return fd;
	*file = xr_doorbell_file(d);
	if (!IS_ERR(*file))
		return fd;
	put_unused_fd(fd);
	return PTR_ERR(*file);
}

/* Let the process use it, unless the provider could not be told: @err. Return: @err. */
static int xr_doorbell_give(int fd, struct file *file, int err)
{
	if (!err) {
		fd_install(fd, file);
		return 0;
	}
	fput(file);
	put_unused_fd(fd);
	return err;
}

/**
 * xr_doorbell_open() - make the doorbell of a context that is being opened
 * @ctx: the context
 * @udata: of the command
 * @resp: its response, which needs only the descriptor
 *
 * Return: 0, and xr_doorbell_close() undoes it; -EINVAL: no room for the response; -EMFILE;
 * -ENFILE; -ENOMEM; -EFAULT.
 */
int xr_doorbell_open(struct xr_ibctx *ctx, struct ib_udata *udata,
		     struct xroce_alloc_ucontext_resp *resp)
{
	struct xr_doorbell *d;
	struct file *file;
	int ret;

	if (udata->outlen < XR_UCONTEXT_RESP_MIN)
		return -EINVAL;
	d = kzalloc(sizeof(*d), GFP_KERNEL_ACCOUNT);
	if (!d)
		return -ENOMEM;
	kref_init(&d->ref);
	init_rwsem(&d->lock);
	d->ctx = ctx;
	ret = xr_doorbell_take(d, &file);
	if (ret >= 0) {
		resp->doorbell = ret;
		ret = xr_doorbell_give(resp->doorbell, file,
				       xr_ib_respond(udata, resp, sizeof(*resp)));
	}
	if (ret)
		kref_put(&d->ref, xr_doorbell_free);
	else
		ctx->doorbell = d;
	return ret;
}

/**
 * xr_ib_query_ucontext() - tell a process that has got the context's file about the context
 * @ib: the context
 * @attrs: of the command: XROCE_ATTR_QUERY_CONTEXT, with another descriptor
 *
 * ibv_import_device(3).
 *
 * Return: 0; -EOPNOTSUPP: its provider is that of rxe; or an errno of xr_doorbell_open().
 */
int xr_ib_query_ucontext(struct ib_ucontext *ib, struct uverbs_attr_bundle *attrs)
{
	struct xroce_alloc_ucontext_resp resp = {};
	struct xr_ibctx *ctx = to_xr_ibctx(ib);
	struct file *file;
	int ret;

	if (!ctx->doorbell)
		return -EOPNOTSUPP;
	if (!uverbs_attr_is_valid(attrs, XROCE_ATTR_QUERY_CONTEXT))
		return -EINVAL;
	ret = xr_doorbell_take(ctx->doorbell, &file);
	if (ret < 0)
		return ret;
	resp.doorbell = ret;
	return xr_doorbell_give(resp.doorbell, file,
				uverbs_copy_to_struct_or_zero(attrs, XROCE_ATTR_QUERY_CONTEXT,
							      &resp, sizeof(resp)));
}

ADD_UVERBS_ATTRIBUTES_SIMPLE(
	xr_ib_query_context, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_CONTEXT,
	UVERBS_ATTR_PTR_OUT(XROCE_ATTR_QUERY_CONTEXT,
			    UVERBS_ATTR_STRUCT(struct xroce_alloc_ucontext_resp, poll_errno),
			    UA_OPTIONAL));

const struct uapi_definition xr_ib_uapi[] = {
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_DEVICE, &xr_ib_query_context),
	{}
};

/* Nobody uses the context by it when this returns. Sleeps. */
void xr_doorbell_close(struct xr_ibctx *ctx)
{
	struct xr_doorbell *d = ctx->doorbell;

	if (!d)
		return;
	down_write(&d->lock);
	d->ctx = NULL;
	up_write(&d->lock);
	kref_put(&d->ref, xr_doorbell_free);
}
