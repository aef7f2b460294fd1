// SPDX-License-Identifier: GPL-2.0-only
/* Registering regions: virtual, physical, and over the memory of another region. */
#include <linux/bitmap.h>
#include <linux/export.h>
#include <linux/pid.h>
#include <linux/random.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "mem/kernel.h"
#include "mem/phys.h"
#include "mem/pin.h"
#include "obj/fast.h"
#include "obj/link.h"
#include "obj/mr.h"
#include "obj/mr_stat.h"
#include "obj/pd.h"
#include "odp/odp.h"

#include "mr_reg.h"

/* True if a region can have these XROCE_ACCESS_*. */
bool xr_access_ok(u32 access)
{
	if (access & ~XROCE_ACCESS_MR)
		return false;
	/* Remote write and atomic need local write (IBTA 10.6.3.1). */
	return !(access & (XROCE_ACCESS_REMOTE_WRITE |
			   XROCE_ACCESS_REMOTE_ATOMIC)) ||
	       access & XROCE_ACCESS_LOCAL_WRITE;
}
EXPORT_SYMBOL_GPL(xr_access_ok);

/**
 * xr_mr_new() - allocate a region, which is not published yet
 * @owner: owner of the new region
 * @umem: its memory; the caller's reference becomes the region's, or is dropped
 * @iova: address by which peers name the first byte
 * @access: XROCE_ACCESS_*
 * @flags: XROCE_F_*, of which XROCE_F_PID is kept
 * @name: its name, with a NUL; may be empty
 *
 * Return: the region; NULL: out of memory.
 */
struct xr_mr *xr_mr_new(struct xr_owner *owner, struct xr_umem *umem, u64 iova,
			u32 access, u32 flags, const char *name)
{
	struct xr_mr *mr = kzalloc(sizeof(*mr), GFP_KERNEL_ACCOUNT);

	if (!mr) {
		xr_umem_put(umem);
		return NULL;
	}
	mr->owner = owner;
	mr->umem = umem;
	mr->iova = iova;
	mr->access = access;
	mr->flags = flags & XROCE_F_PID;
	strscpy(mr->name.text, name, sizeof(mr->name.text));
	return mr;
}

/* The calling process, or with XROCE_F_PID process @nr, with a reference. Return: NULL: none. */
struct pid *xr_mr_process(u32 flags, u32 nr)
{
	return flags & XROCE_F_PID ? find_get_pid(nr) : get_task_pid(current, PIDTYPE_TGID);
}

/*
 * Pin memory of process @pid, of xr_mr_process(), whose reference is dropped, for @owner; with
 * XROCE_ACCESS_ON_DEMAND make it on-demand memory. Return: the memory, with a reference, or
 * an errno of MR_REG. Sleeps.
 */
struct xr_umem *xr_mr_pin(const struct xr_owner *caller, const struct xr_owner *owner,
			  struct pid *pid, u64 addr, u64 length, u32 access)
{
	struct xr_umem *umem = ERR_PTR(-ESRCH);

	if (pid)
		umem = access & XROCE_ACCESS_ON_DEMAND ?
		      xr_odp(caller, pid, addr, length) :
		      xr_pin(caller, owner, pid, addr, length,
			     access & XROCE_ACCESS_LOCAL_WRITE);
	put_pid(pid);
	return umem;
}

/*
 * True if peers can have this range of addresses. It must not wrap, and a whole address
 * space (XROCE_LENGTH_ALL) must begin at 0.
 */
bool xr_iova_ok(u64 iova, u64 length)
{
	return length && iova + length - 1 >= iova &&
	       (length < XROCE_LENGTH_ALL || !iova);
}

static bool xr_mr_args_ok(u32 access, u64 iova, u64 length, const char *name)
{
	return xr_access_ok(access) && xr_iova_ok(iova, length) &&
	       xr_name_ok(name);
}

/**
 * xr_mr_link() - give a region a protection domain and a key, and publish it
 * @link: the link
 * @caller: the requesting file
 * @mr: the region; after this has succeeded, another thread may deregister and free it
 * @pd: number of the protection domain
 * @key: out: its key
 *
 * Return: 0; -ENOENT, -EPERM: the protection domain, see xr_pd_find(); -EEXIST: the name;
 * -ENOMEM; -ENOSPC: no free index in the memory protection table.
 */
static int xr_mr_link(struct xr_link *link, struct xr_owner *caller, struct xr_mr *mr,
		      u32 pd, u32 *key)
{
	u32 index;
	int ret = 0;

	mutex_lock(&link->lock);
	mr->pd = xr_pd_find(link, caller, mr->owner, pd);
	if (IS_ERR(mr->pd)) {
		ret = PTR_ERR(mr->pd);
		goto out;
	}
	ret = xr_name_take(&link->names, &mr->name, mr->owner, mr->pd);
	if (ret)
		goto out;
	index = xr_key_take(&link->keys, xr_owner_admin());
	if (!index) {
		xr_name_put(&link->names, &mr->name);
		xr_refuse(mr->owner, XROCE_COUNT_MR, XR_REFUSED_FULL);
		ret = -ENOSPC;
		goto out;
	}
	__set_bit(index, link->mr_used);
	*key = index << XROCE_KEY_SHIFT | xr_key_byte(&link->keys, index);
	mr->index = index;
	mr->key = mr->fast ? 0 : *key;
	mr->stat = xr_mr_stat_new(link->maps.mr_stat, index);
	mr->pd->mrs++;
	link->nr_mrs++;
	list_add_tail(&mr->node, &mr->owner->mrs);
	/*
	 * The module's table first, so that the module accepts every key that the XDP
	 * program accepts.
	 */
	rcu_assign_pointer(link->mr[index], mr);
	if (mr->fast)
		xr_fast_show(link, mr);
	else
		xr_mr_show(link, mr);
out:
	mutex_unlock(&link->lock);
	return ret;
}

/*
 * Charge and publish a region. NULL for @mr means that xr_mr_new() failed. On failure @mr and its
 * reference to memory are released. Return: 0, with the L_Key; or an errno of MR_REG. Once it is
 * published, another thread may free the region.
 */
static int xr_mr_publish(struct xr_link *link, struct xr_owner *caller, struct xr_mr *mr,
			 u32 pd, u32 *lkey)
{
	int ret;

	if (!mr)
		return -ENOMEM;
	ret = xr_charge(&mr->charge, mr->owner, XROCE_COUNT_MR, 1);
	if (!ret)
		ret = xr_mr_link(link, caller, mr, pd, lkey);
	if (!ret)
		return 0;
	xr_uncharge(&mr->charge);
	xr_fast_free(mr->fast);
	xr_umem_put(mr->umem);
	kfree(mr);
	return ret;
}

/**
 * xr_mr_reg() - register a virtual region
 * @link: the link
 * @caller: the requesting file
 * @owner: owner of the new region
 * @r: in: arguments; out: handle and keys
 *
 * Return: 0 or an errno of MR_REG, see uapi/xroce.h.
 */
int xr_mr_reg(struct xr_link *link, struct xr_owner *caller,
	      struct xr_owner *owner, struct xroce_mr_reg *r)
{
	struct xr_umem *umem;
	struct xr_mr *mr;
	int ret;

	if (!xr_mr_args_ok(r->access, r->iova, r->length, r->name) ||
	    r->addr + r->length - 1 < r->addr)
		return -EINVAL;
	umem = xr_mr_pin(caller, owner, xr_mr_process(r->flags, r->pid), r->addr, r->length,
			 r->access);
	if (IS_ERR(umem))
		return PTR_ERR(umem);
	mr = xr_mr_new(owner, umem, r->iova, r->access, r->flags, r->name);
	ret = xr_mr_publish(link, caller, mr, r->pd, &r->lkey);
	if (ret)
		return ret;
	r->mr = r->lkey >> XROCE_KEY_SHIFT;
	r->rkey = xr_mr_rkey(r->access, r->lkey);
	return 0;
}
EXPORT_SYMBOL_GPL(xr_mr_reg);

/**
 * xr_mr_reg_phys() - register a physical region
 * @link: the link
 * @caller: the requesting file, which must have CAP_SYS_RAWIO; this is not checked here
 * @owner: owner of the new region
 * @phys: the pages
 * @r: in: other arguments; out: handle and keys
 *
 * Return: 0 or an errno of MR_REG_PHYS, see uapi/xroce.h.
 */
int xr_mr_reg_phys(struct xr_link *link, struct xr_owner *caller,
		   struct xr_owner *owner, const struct xr_phys *phys,
		   struct xroce_mr_reg_phys *r)
{
	struct xr_umem *umem;
	struct xr_mr *mr;
	int ret;

	if (!xr_mr_args_ok(r->access, r->iova, r->length, r->name) ||
	    r->access & XROCE_ACCESS_ON_DEMAND)
		return -EINVAL;
	umem = xr_phys_pin(owner, phys);
	if (IS_ERR(umem))
		return PTR_ERR(umem);
	mr = xr_mr_new(owner, umem, r->iova, r->access, 0, r->name);
	ret = xr_mr_publish(link, caller, mr, r->pd, &r->lkey);
	if (ret)
		return ret;
	r->mr = r->lkey >> XROCE_KEY_SHIFT;
	r->rkey = xr_mr_rkey(r->access, r->lkey);
	return 0;
}

/*
 * Register memory for accesses of @owner itself, from address @iova on, without remote rights and
 * without an R_Key. @umem: its only use is passed on; may be an ERR_PTR. Return: as the callers.
 */
static int xr_mr_reg_local(struct xr_link *link, struct xr_owner *owner, struct xr_umem *umem,
			   u64 iova, u32 pd, u32 *lkey)
{
	if (IS_ERR(umem))
		return PTR_ERR(umem);
	return xr_mr_publish(link, owner,
			     xr_mr_new(owner, umem, iova, XROCE_ACCESS_LOCAL_WRITE, 0, ""),
			     pd, lkey);
}

/**
 * xr_mr_reg_kernel() - register the memory of the kernel, for its own accesses
 * @link: the link
 * @owner: a verbs device
 * @pd: number of a protection domain of @owner, without objects of programs
 * @lkey: out: its L_Key
 *
 * The region has no remote rights and no R_Key.
 *
 * Return: 0, -EDQUOT, -ENOMEM or -ENOSPC as for MR_REG.
 */
int xr_mr_reg_kernel(struct xr_link *link, struct xr_owner *owner, u32 pd, u32 *lkey)
{
	return xr_mr_reg_local(link, owner, xr_kernel_mem(owner), PAGE_OFFSET, pd, lkey);
}
EXPORT_SYMBOL_GPL(xr_mr_reg_kernel);

/**
 * xr_mr_reg_null() - register null memory (odp/null.c)
 * @link: the link
 * @owner: owner of the new region
 * @pd: number of a protection domain of @owner
 * @lkey: out: its L_Key
 *
 * The region has all addresses, and no remote rights and no R_Key.
 *
 * Return: 0, -EDQUOT, -ENOENT, -ENOMEM or -ENOSPC as for MR_REG.
 */
int xr_mr_reg_null(struct xr_link *link, struct xr_owner *owner, u32 pd, u32 *lkey)
{
	return xr_mr_reg_local(link, owner, xr_null(), 0, pd, lkey);
}
EXPORT_SYMBOL_GPL(xr_mr_reg_null);

/**
 * xr_mr_alloc() - allocate a region that work requests register (fast.h)
 * @link: the link
 * @owner: a verbs device
 * @pd: number of a protection domain of @owner
 * @pages: pages of a registration at most
 * @key: out: its first key, which gives no access yet
 *
 * Return: the region, which exists until xr_mr_dereg(); -EDQUOT, -ENOMEM or -ENOSPC as for
 * MR_REG.
 */
struct xr_mr *xr_mr_alloc(struct xr_link *link, struct xr_owner *owner, u32 pd, u32 pages,
			  u32 *key)
{
	struct xr_umem *umem = xr_kernel_pages(owner, pages);
	struct xr_umem *staged = xr_kernel_pages(owner, pages);
	struct xr_fast *fast;
	struct xr_mr *mr;
	int ret;

	fast = IS_ERR(umem) || IS_ERR(staged) ? NULL : xr_fast_new(staged);
	if (!fast) {
		if (!IS_ERR(staged))
			xr_umem_put(staged);
		if (!IS_ERR(umem))
			xr_umem_put(umem);
		return ERR_PTR(-ENOMEM);
	}
	mr = xr_mr_new(owner, umem, 0, 0, 0, "");
	if (mr)
		mr->fast = fast;
	else
		xr_fast_free(fast);
	ret = xr_mr_publish(link, owner, mr, pd, key);
	return ret ? ERR_PTR(ret) : mr;
}
EXPORT_SYMBOL_GPL(xr_mr_alloc);

/**
 * xr_mr_reg_shared() - register a region over the memory of another
 * @link: the link
 * @caller: the requesting file
 * @owner: owner of the new region
 * @r: in: arguments; out: length, handle and keys
 *
 * Return: 0 or an errno of MR_REG_SHARED, see uapi/xroce.h.
 */
int xr_mr_reg_shared(struct xr_link *link, struct xr_owner *caller,
		     struct xr_owner *owner, struct xroce_mr_reg_shared *r)
{
	struct xr_umem *umem = NULL;
	struct xr_mr *from, *mr;
	u32 flags = 0;
	int ret;

	/* The length is not known yet and is checked below; 1 is always valid. */
	if (!xr_mr_args_ok(r->access, r->iova, 1, r->name))
		return -EINVAL;
	mutex_lock(&link->lock);
	from = xr_mr_get(link, caller, r->from);
	ret = PTR_ERR_OR_ZERO(from);
	if (!ret && !xr_iova_ok(r->iova, from->umem->length))
		ret = -EINVAL;
	if (!ret && ((r->access ^ from->access) & XROCE_ACCESS_ON_DEMAND || from->umem->null))
		ret = -EINVAL;
	if (!ret && r->access & XROCE_ACCESS_LOCAL_WRITE &&
	    !from->umem->writable)
		ret = -EACCES;
	if (!ret) {
		umem = xr_umem_get(from->umem);
		flags = from->flags;
	}
	mutex_unlock(&link->lock);
	if (ret)
		return ret;

	r->length = umem->length;
	mr = xr_mr_new(owner, umem, r->iova, r->access, flags, r->name);
	ret = xr_mr_publish(link, caller, mr, r->pd, &r->lkey);
	if (ret)
		return ret;
	r->mr = r->lkey >> XROCE_KEY_SHIFT;
	r->rkey = xr_mr_rkey(r->access, r->lkey);
	return 0;
}
